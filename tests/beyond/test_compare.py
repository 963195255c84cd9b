"""Impact beside other measures: equal to scikit-learn's, to closed forms, and to the paper's correlation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from witnesses import data, target

import ice_explorer as ice
from ice_explorer.beyond import importances
from ice_explorer.errors import OptionError, PredictionError

NUMBERS = ["x", "z", "rooms"]


def explain(model, X, **options):
    return ice.explain(model, X, progress=False, **options)


@pytest.fixture(scope="module", name="X")
def observations():
    return data()[NUMBERS].iloc[:150]


@pytest.fixture(scope="module", name="y")
def observed(X):
    return target()["y"][: len(X)]


@pytest.fixture(scope="module", name="forest")
def fitted_forest(X, y):
    return RandomForestRegressor(n_estimators=10, random_state=0).fit(X, y)


@pytest.fixture(scope="module", name="e")
def explained(forest, X):
    return explain(forest, X)


@pytest.mark.parametrize("scoring", [None, "neg_mean_absolute_error"])
def test_permutation_is_that_of_scikit_learn(e, forest, X, y, scoring):
    """With the same seed the same numbers."""
    found = e.importances(y, "permutation", scoring=scoring, n_repeats=3).importances
    expected = permutation_importance(forest, X, y, scoring=scoring, n_repeats=3, random_state=0)
    assert_allclose(found["permutation"], expected.importances_mean, rtol=1e-12)


def test_permutation_of_a_classifier_is_that_of_scikit_learn(X, y):
    """Of labels as texts, by accuracy and by log loss, with weights."""
    labels = np.where(y > y.median(), "high", "low")
    model = RandomForestClassifier(n_estimators=5, max_depth=3, random_state=0).fit(X, labels)
    weights = np.random.default_rng(0).uniform(0.5, 2, len(X))
    for scoring in (None, "neg_log_loss"):
        found = explain(model, X, sample_weight=weights).importances(labels, "permutation", scoring=scoring)
        expected = permutation_importance(
            model, X, labels, scoring=scoring, n_repeats=5, random_state=0, sample_weight=weights
        )
        assert_allclose(found.importances["permutation"], expected.importances_mean, rtol=1e-12, atol=1e-15)


def test_leaving_a_column_out_is_fitting_without_it(X, y):
    """A feature with one value in all rows has no coefficient: the score is that without its column."""
    found = explain(LinearRegression().fit(X, y), X).importances(y, "loco").importances["loco"]
    folds = KFold(5, shuffle=True, random_state=0)
    whole = cross_val_score(LinearRegression(), X, y, cv=folds).mean()
    for name in NUMBERS:
        without = cross_val_score(LinearRegression(), X.drop(columns=name), y, cv=folds).mean()
        assert_allclose(found[name], whole - without, rtol=1e-9, atol=1e-12)


def test_a_pipeline_that_names_its_columns_is_fitted_again():
    """Columns stay, and what it sees of a category is added up."""
    X = data()[["x", "z"]].assign(city=["a", "b", "c", "b"] * 100)
    y = X["x"] + 3 * (X["city"] == "a")
    encoder = make_column_transformer((OneHotEncoder(), ["city"]), (StandardScaler(), ["z", "x"]))
    model = make_pipeline(encoder, LinearRegression()).fit(X, y)
    found = explain(model, X).importances(y, ["native", "loco"]).importances
    assert found["loco"]["city"] > found["loco"]["x"] > 0.1
    coefficients = np.abs(model[-1].coef_)
    assert_allclose(found.loc[["city", "z", "x"], "native"], [coefficients[:3].sum(), *coefficients[3:]])


def test_importances_of_the_model_itself(e, forest, monkeypatch):
    """Those of a forest, as they are; shares with sum 100 beside impact."""
    monkeypatch.setattr(importances, "HAS_SHAP", False)
    found = e.importances()
    assert list(found.table) == ["impact", "native", "partial_dependence"]
    assert_allclose(found.importances["native"], forest.feature_importances_)
    assert_allclose(found.table.sum(), 100)
    assert_allclose(found.table["impact"], e.table(unit="share", rank_by=None)["impact"])


def test_partial_dependence_varies():
    """Standard deviation over the grid: of a line |β| times that of the grid; of a category a quarter of the range."""
    X = data()[["x"]].assign(city=["a", "b", "c", "b"] * 100)
    e = explain(lambda X: -2 * X["x"] + X["city"].map({"a": 0.0, "b": 1.0, "c": 8.0}), X)
    found = e.importances(measures="partial_dependence").importances["partial_dependence"]
    assert_allclose(found, [2 * X["x"].std(ddof=1), 2.0])


def test_measures_are_compared(e, y):
    """Correlations over the features are NumPy's."""
    found = e.importances(y, ["native", "permutation"])
    table = found.table
    for name in ("native", "permutation"):
        assert_allclose(found.correlations["pearson"][name], np.corrcoef(table["impact"], table[name])[0, 1])
        ranks = table.rank()
        assert_allclose(found.correlations["rank"][name], np.corrcoef(ranks["impact"], ranks[name])[0, 1])
    assert repr(found) == "<Importances: the impact of 3 features with native, permutation>"


@pytest.mark.wide
def test_the_forest_of_the_paper(shared):
    """Table 1: importance of the random forest has correlation 0.36 with impact on the cervical cancer data."""
    X = pd.read_csv(shared / "data" / "cervical_cancer" / "X.csv")
    y = pd.read_csv(shared / "data" / "cervical_cancer" / "y.csv").filter(like="Biopsy").iloc[:, 0]
    X = X[[name for name in X if not name.startswith("Unnamed")]]
    model = RandomForestClassifier(n_estimators=500, random_state=20).fit(X, y)
    found = explain(model, X, convention="paper").importances(measures="native")
    assert_allclose(found.correlations["pearson"]["native"], 0.36, atol=0.005)


def test_negative_importances_have_no_share():
    """What helps when it is permuted counts as 0."""
    X = np.random.default_rng(0).normal(size=(40, 2))
    e = explain(lambda X: X[:, 0] + X[:, 1], X)
    found = e.importances(X[:, 0] - X[:, 1], "permutation")
    assert found.importances["permutation"]["x1"] < 0
    assert_array_equal(found.table["permutation"], [100, 0])


def test_rows_without_a_target_are_left_out(e, forest, X, y):
    """So are rows of weight 0."""
    some = y.where(np.arange(len(y)) % 3 > 0)
    found = e.importances(some, "permutation").importances["permutation"]
    expected = permutation_importance(forest, X[some.notna()], some.dropna(), n_repeats=5, random_state=0)
    assert_allclose(found, expected.importances_mean, rtol=1e-12)
    weighted = explain(forest, X, sample_weight=some.notna().astype(float))
    assert_allclose(weighted.importances(y, "permutation").importances["permutation"], found, rtol=1e-9)


def test_a_function_is_scored_by_its_output(X, y):
    """R² of what is explained, as of one of several outputs."""
    model = LinearRegression().fit(X, y)
    expected = explain(model, X).importances(y, "permutation").importances["permutation"]
    found = explain(model.predict, X).importances(y, "permutation").importances["permutation"]
    assert_allclose(found, expected, rtol=1e-9)
    both = LinearRegression().fit(X, np.column_stack([np.zeros(len(y)), y]))
    several = explain(both, X, output=1)
    found = several.importances(np.column_stack([np.zeros(len(y)), y]), "permutation").importances["permutation"]
    assert_allclose(found, expected, rtol=1e-9)


def test_columns_of_a_group_are_permuted_together():
    """One-hot columns are one feature."""
    one_hot = pd.DataFrame({"a": [1, 0] * 40, "b": [0, 1] * 40, "z": np.arange(80.0)})
    e = explain(lambda X: X["a"] + X["z"] / 20, one_hot, groups={"city": ["a", "b"]})
    assert e.importances(one_hot["a"], "permutation").table["permutation"]["city"] > 0


def test_coefficients_of_a_class(X, y):
    """Of several classes those of the explained one."""
    labels = np.digitize(y, [0, 2])
    model = LogisticRegression(max_iter=500).fit(X, labels)
    found = explain(model, X, output=2).importances(measures="native").importances["native"]
    assert_allclose(found, np.abs(model.coef_[2]))


def test_a_mixed_feature_has_no_importance_of_the_model(X, y, monkeypatch):
    """A component of several columns belongs to none: the measure is left out, unless it is named."""
    e = explain(make_pipeline(PCA(), LinearRegression()).fit(X, y), X)
    monkeypatch.setattr(importances, "HAS_SHAP", False)
    assert "native" not in e.importances().table
    with pytest.raises(OptionError) as caught:
        e.importances(measures="native")
    assert str(caught.value) == (
        "`measures` must be available for the model and X; got 'native'. The model has no `feature_importances_` or "
        "`coef_` by feature. Choose another measure."
    )


@pytest.mark.wide
@pytest.mark.timeout(180)  # its import takes five seconds of a processor
@pytest.mark.skipif(not importances.HAS_SHAP, reason="shap is not installed")
def test_shap_of_a_linear_model_has_its_closed_form():
    """The mean of |β (x - mean of the background)|, of numbers, categories and one-hot groups."""
    X = data()[["x", "rooms"]].iloc[:45].assign(city=["a", "b", "c"] * 15, up=[1, 0] * 22 + [1], down=[0, 1] * 22 + [0])

    def model(X):
        return 2 * X["x"] + X["city"].map({"a": 0.0, "b": 1.0, "c": 8.0}) + X["up"] - X["down"]

    e = explain(model, X, groups={"way": ["up", "down"]})
    found = e.importances().importances["shap"]
    assert found["rooms"] == 0
    parts = {"x": 2 * X["x"], "city": X["city"].map({"a": 0.0, "b": 1.0, "c": 8.0}), "way": X["up"] - X["down"]}
    for name, part in parts.items():  # the background is all rows
        assert_allclose(found[name], np.abs(part - part.mean()).mean(), rtol=1e-9)


def test_shap_that_is_not_installed(e, monkeypatch):
    """It is left out, unless it is named."""
    monkeypatch.setattr(importances, "HAS_SHAP", False)
    assert "shap" not in e.importances().table
    with pytest.raises(OptionError) as caught:
        e.importances(measures="shap")
    assert str(caught.value) == (
        "The measure 'shap' needs SHAP, which is not installed. Run `pip install 'ice-explorer[shap]'`."
    )


@pytest.mark.parametrize(
    "ask",
    [
        lambda e, y: e.importances(y, "permutation"),
        lambda e, _y: e.effects("x", "ale"),
        lambda e, _y: e.interactions().features,
    ],
    ids=["importance", "effect", "interaction"],
)
def test_a_model_that_changed_is_refused(X, y, ask):
    """Figures would be those of another model than impact."""
    model = LinearRegression().fit(X, y)
    e = explain(model, X, method="brute", grid_size=5)
    model.fit(X, -y)
    with pytest.raises(PredictionError, match=r"^The model must stay as it was explained"):
        ask(e, y)


def test_a_score_that_fails_is_told(e, y):
    """With the error of the score as its cause."""

    def score(model, X, y):
        raise RuntimeError("no score today")

    with pytest.raises(PredictionError, match=r"^The model failed while it was scored: RuntimeError: no score today"):
        e.importances(y, "permutation", scoring=score)
