"""Whether a column of X that is the target has an alert, and an honest one has none."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import ice_explorer as ice

N = 300
GENERATOR = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "temp": GENERATOR.normal(15, 8, N),
        "hum": GENERATOR.uniform(20, 100, N),
        "holiday": GENERATOR.integers(0, 2, N),
        "season": GENERATOR.choice(["spring", "summer", "autumn"], N),
    }
)
Y = pd.Series(200 + 12 * X["temp"] - 2 * X["hum"] + GENERATOR.normal(0, 20, N), name="rentals")
BUSY = pd.Series(np.where(Y.median() < Y, "busy", "quiet"), name="day")
NUMBERS = ["temp", "hum", "holiday"]


def alerts(model, table, y=None, **options):
    """Alerts of a fitted model, with and without its target; alerts are the first of the notes."""
    if y is None:
        e = ice.explain(model, table, progress=False, **options)
    else:
        e = ice.ICEExplorer(model, table, y, **options).explanation
    assert e.notes[: len(e._alerts)] == e._alerts
    return e._alerts


@pytest.mark.parametrize(
    "model",
    [LinearRegression(), RandomForestRegressor(10, random_state=0), HistGradientBoostingRegressor(min_samples_leaf=5)],
    ids=lambda model: type(model).__name__,
)
def test_the_target_among_the_features_is_asked_about(model):
    """Its curves run along the diagonal; where y is given, the column is seen to equal it."""
    leaking = X[NUMBERS].assign(cnt=Y)
    model.fit(leaking, Y)
    assert alerts(model, leaking) == ["'cnt' nearly determines the prediction. Is it the target?"]
    assert alerts(model, leaking, Y) == ["'cnt' has the value of y in every row. Is it the target?"]


def test_the_class_among_the_features_is_asked_about():
    """As numbers or as text; a forest that seldom uses it is found with y alone."""
    leaking = X[NUMBERS].assign(is_busy=(BUSY == "busy").astype(int))
    tree = DecisionTreeClassifier().fit(leaking, BUSY)
    assert alerts(tree, leaking) == ["'is_busy' nearly determines the prediction. Is it the target?"]
    assert alerts(tree, leaking, BUSY) == ["'is_busy' tells the class of every row. Is it the target?"]
    forest = RandomForestClassifier(30, max_features=1, max_depth=2, random_state=0).fit(leaking, BUSY)
    assert alerts(forest, leaking) == []
    assert alerts(forest, leaking, BUSY) == ["'is_busy' tells the class of every row. Is it the target?"]


def test_a_column_that_is_not_explained_may_be_the_target():
    """Equal values are seen in every column, explained or not; rows without a target say nothing."""
    table = X[NUMBERS].assign(copy=Y)
    model = LinearRegression().fit(X[NUMBERS], Y)
    partly = Y.where(GENERATOR.random(N) < 0.9)
    x = ice.ICEExplorer(lambda rows: model.predict(rows[NUMBERS]), table, partly, features=["temp"])
    assert x.explanation._alerts == ["'copy' has the value of y in every row. Is it the target?"]


def test_honest_strong_features_are_not_asked_about():
    """Neither a feature that explains most, nor the only one, nor, without y, one that gives it in another unit."""
    strong = X[NUMBERS]
    assert alerts(LinearRegression().fit(strong, 2 * X["temp"]), strong) == []
    assert alerts(LinearRegression().fit(strong, Y), strong, Y) == []
    assert alerts(LinearRegression().fit(strong, 5 * X["temp"]), strong, 5 * X["temp"] + 0.01 * Y) == []
    alone = X[["temp"]]
    assert alerts(LinearRegression().fit(alone, X["temp"]), alone) == []
    chance = GENERATOR.random(N) < 0.1
    holiday = X["holiday"].where(~chance, 1 - X["holiday"])
    assert alerts(DecisionTreeClassifier(max_depth=2).fit(strong, holiday), strong, holiday) == []
    assert alerts(LogisticRegression(max_iter=1000).fit(strong, BUSY), strong, BUSY) == []


@pytest.mark.parametrize(("factor", "offset"), [(5.0, 0.0), (-1.8, 32.0), (1e-6, 1e3), (1.0, 1e9)])
def test_a_copy_of_the_target_on_another_scale_is_asked_about(factor, offset):
    """Degrees in another unit, with either sign; a constant column and one that is a little off are none."""
    table = X[NUMBERS].assign(copy=factor * Y + offset, near=Y + 1e-6 * GENERATOR.normal(size=N), constant=1.0)
    table = table.assign(far=np.where(np.arange(N) < 2, np.inf, 1e300 * Y))
    model = LinearRegression().fit(X[NUMBERS], Y)
    expected = ["'copy' is y on another scale in every row. Is it the target?"]
    assert alerts(lambda rows: model.predict(rows[NUMBERS]), table, Y, features=NUMBERS) == expected
    partly = Y.where(GENERATOR.random(N) < 0.9)
    assert alerts(lambda rows: model.predict(rows[NUMBERS]), table, partly, features=NUMBERS) == expected


def test_where_a_column_is_missing_may_be_the_target():
    """A date of death tells who died; texts and objects may be missing, too, and y may be two numbers."""
    is_busy = (BUSY == "busy").to_numpy()
    table = X[NUMBERS].assign(closed=X["hum"].where(is_busy), seldom=X["hum"].where(X["holiday"] == 0))
    table["closed by"] = X["season"].where(~is_busy)
    model = HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=5).fit(table[["closed"]], BUSY)
    predictor = FittedOn(model, ["closed"])
    expected = [
        f"Whether {name!r} is missing tells the class of every row. Is it the target?"
        for name in ("closed", "closed by")
    ]
    assert alerts(predictor, table, BUSY) == expected
    rented = np.where(is_busy, 80.0, 20.0)
    assert alerts(lambda rows: np.where(rows["closed"].isna(), 20.0, 80.0), table, rented) == [
        sentence.replace("the class", "y") for sentence in expected
    ]


def test_one_of_three_classes_may_be_told_by_missing_values():
    """The class that is explained is where the column is missing, or has its own value there."""
    kind = np.array(["a", "b", "c"])[np.arange(N) % 3]
    table = X[NUMBERS].assign(gap=X["hum"].where(kind != "a"), level=pd.Series(kind).replace({"a": None}))
    model = DecisionTreeClassifier().fit(X[NUMBERS], kind)
    x = ice.ICEExplorer(FittedOn(model, NUMBERS), table, kind, output="a")
    assert x.explanation._alerts == [
        "Whether 'gap' is missing tells the class of every row. Is it the target?",
        "'level' tells the class of every row. Is it the target?",
    ]


class FittedOn:
    """A classifier of some of the columns."""

    def __init__(self, model, names):
        self._model, self._names, self.classes_ = model, names, model.classes_

    def predict_proba(self, rows):
        return self._model.predict_proba(rows[self._names])

    def predict(self, rows):
        return self._model.predict(rows[self._names])


def test_yesterdays_value_is_not_todays():
    """A forecast that is nearly the value of before follows the diagonal; y tells that it is another value."""
    level = pd.Series(GENERATOR.normal(size=N + 1).cumsum())
    table = X[NUMBERS].assign(yesterday=level[:-1])
    today = level[1:].reset_index(drop=True)
    model = LinearRegression().fit(table, today)
    assert alerts(model, table) == ["'yesterday' nearly determines the prediction. Is it the target?"]
    assert alerts(model, table, today) == []


def test_few_rows_are_alike_by_chance():
    """Nine rows tell nothing, ten do."""
    for n, expected in ((9, 0), (10, 1)):
        few = X[NUMBERS].head(n).assign(is_busy=np.arange(n) % 2)
        model = LogisticRegression().fit(few, few["is_busy"])
        assert len(alerts(model, few, few["is_busy"])) == expected


class Discharge(BaseEstimator, ClassifierMixin):
    """Predicts 1 where a value is missing."""

    classes_ = np.array([0, 1])

    def fit(self, X, y):
        return self

    def predict_proba(self, X):
        probability = np.where(X["discharge"].isna(), 0.99, 0.01)
        return np.column_stack([1 - probability, probability])

    def predict(self, X):
        return self.predict_proba(X)[:, 1] > 0.5


def test_a_column_that_is_missing_where_the_class_is_has_an_alert():
    """Also where y is not known; a level in place of the missing value has one, too."""
    values = np.where(np.arange(N) % 2 == 0, np.nan, X["temp"])
    table = pd.DataFrame({"discharge": values, "hum": X["hum"]})
    assert alerts(Discharge(), table) == ["'discharge' nearly determines the prediction. Is it the target?"]
    assert alerts(Discharge(), table.assign(discharge=values * 0 + 1.0)) == [
        "'discharge' nearly determines the prediction. Is it the target?"
    ]
    assert alerts(Discharge(), table.assign(discharge=X["temp"])) == []
