"""The what-if of a row, what rows have in common, and residuals: figures, errors, and what the browser gets."""

import math

import numpy as np
import pandas as pd
import pytest
from kernel_end import ask
from numpy.testing import assert_allclose, assert_array_equal
from origins import read_provenance
from sklearn.ensemble import RandomForestClassifier

import ice_explorer as ice
from ice_explorer.drivers.candidates import find_common_values
from ice_explorer.errors import OptionError
from ice_explorer.feature import moves_of, reach_of
from ice_explorer.tables.column import Column
from ice_explorer.wire import replies
from ice_explorer.wire.replies import describe_in_common

N = 60


def predict(X):
    """A step, a line, a level, and a column without effect."""
    of_town = np.where(X["town"] == "Ur", 10.0, 0.0)
    return np.where(X["step"] > 3, 5.0, 0.0) + 2 * X["line"].to_numpy() + of_town


@pytest.fixture(name="X", scope="module")
def observations():
    draw = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "step": draw.integers(0, 7, N).astype(float),
            "line": draw.normal(size=N).round(2),
            "town": draw.choice(["Ur", "Uruk", "Eridu"], N),
            "idle": draw.normal(size=N),
        },
        index=[f"no {i}" for i in range(N)],
    )


@pytest.fixture(name="e", scope="module")
def explanation(X):
    return ice.explain(predict, X, progress=False)


# --- the largest change ---------------------------------------------------------------------------


@pytest.mark.parametrize("decay", [0.05, 0.3, 0.75, 1.0])
def test_the_largest_change_is_the_largest_among_values_within_reach(e, X, decay):
    """For every row: the value whose likelihood is at least one half and that moves the prediction most."""
    predictions = predict(X)
    for row in range(0, N, 7):
        table = e.what_if(row, decay=decay)
        for feature in e.values():
            changes = feature.compute_curves([row])[0] - predictions[row]
            near = np.abs(changes[feature.likelihood(decay, rows=[row])[0] >= 0.5 - 1e-12])
            assert_allclose(abs(table.loc[feature.feature, "change"]), near.max(initial=0.0), atol=1e-12)


def test_values_predictions_and_changes_agree(e, X):
    """The model predicts for the changed row what the table says, and rows are sorted by the size of the change."""
    table = e.what_if(5)
    assert list(table.columns) == ["observed", "value", "prediction", "change", "distance"]
    assert (np.diff(table["change"].abs()) <= 0).all()
    for name, found in table.iterrows():
        assert found["observed"] == X[name].iloc[5]
        changed = X.iloc[[5]].copy()
        if found["value"] is not None:
            changed[name] = found["value"]
        assert_allclose(found["prediction"], predict(changed)[0], atol=1e-12)
        assert_allclose(found["change"], found["prediction"] - predict(X)[5], atol=1e-12)


def test_a_feature_without_effect_changes_nothing(e):
    """Its value is None, its change 0, and it is last."""
    table = e.what_if(0)
    assert table.index[-1] == "idle"
    assert table.loc["idle", "value"] is None
    assert table.loc["idle", "change"] == 0
    assert math.isnan(table.loc["idle", "distance"])


def test_moves_are_the_running_maximum_of_the_change(e, X):
    """Each move changes the prediction more than every value that is as near or nearer."""
    for feature in e.values():
        moves = feature._moves(3, predict(X)[3])
        assert (np.diff(np.abs(moves.changes)) > 0).all()
        assert (np.diff(moves.distances) >= 0).all()


def test_the_rounding_of_a_model_is_no_change():
    """A curve that differs in its last digits moves nowhere, and values count while their likelihood is one half."""
    curve = np.full(5, 0.3)
    curve[2] = 0.1 + 0.2
    assert moves_of(np.arange(5.0), curve, 0.3).within(math.inf)[0] is None
    assert_allclose(0.75 ** reach_of(0.75), 0.5)
    assert reach_of(1.0) == math.inf


def test_a_row_with_a_missing_value_moves_from_its_own_prediction():
    """The change is that from the prediction with the value missing."""
    X = pd.DataFrame({"a": [0.0, 1.0, 2.0, np.nan], "b": [0.0, 1.0, 0.0, 1.0]})
    table = ice.explain(lambda X: X["a"].fillna(7.0).to_numpy(), X, progress=False).what_if(3, decay=1.0)
    assert math.isnan(table.loc["a", "observed"])
    assert (table.loc["a", "value"], table.loc["a", "change"]) == (0.0, -7.0)


def test_dates_and_durations_are_those_of_pandas():
    """Those of NumPy would be written as a count of microseconds."""
    day, delay = pd.Timestamp("2024-01-01"), pd.Timedelta(hours=5)
    X = pd.DataFrame({"day": [day, day + delay], "delay": [delay, 2 * delay]})
    table = ice.explain(lambda X: X["day"].dt.hour + X["delay"].dt.seconds.to_numpy(), X, progress=False).what_if(0)
    assert table["observed"].to_dict() == {"delay": delay, "day": day}
    assert table["value"].to_dict() == {"delay": 2 * delay, "day": day + delay}
    assert [type(value) for value in table["observed"]] == [pd.Timedelta, pd.Timestamp]


# --- in common ------------------------------------------------------------------------------------


def column_of(values, levels=None, kind="numeric", label="c"):
    coded = None if levels is None else np.array(levels, object)
    return Column(label, label, kind, is_integer=False, dtype="float64", values=np.asarray(values, float), levels=coded)


HUNDRED = np.arange(100.0)


COUNTED, CODES = column_of(HUNDRED), HUNDRED // 34
HOLED = column_of(np.where((HUNDRED % 3 == 0) & (HUNDRED < 99), np.nan, HUNDRED))


@pytest.mark.parametrize(
    ("column", "rows", "common", "shares"),
    [
        (COUNTED, HUNDRED >= 70, (72.0, math.inf), (28 / 30, 0.0)),
        (COUNTED, (HUNDRED >= 40) & (HUNDRED < 60), (41.0, 57.0), (0.85, 0.0)),
        (column_of(CODES, ["x", "y", "z"], "category"), CODES != 1, (0.0, 2.0), (1.0, 0.0)),
        (HOLED, HUNDRED % 3 == 0, (math.nan,), (33 / 34, 0.0)),
    ],
    ids=["upper end", "middle", "levels", "missing"],
)
def test_rows_have_a_range_or_levels_in_common(column, rows, common, shares):
    """Which sets them apart from the rest: one end, two ends, up to three levels, or that the value is missing."""
    (found,) = find_common_values([column, column_of(HUNDRED % 2, label="other")], rows, ~rows)
    assert found.column.label == "c"
    assert_array_equal(found.levels or (found.low, found.high), common)
    assert_allclose((found.inside, found.outside), shares)


@pytest.mark.parametrize("rows", [slice(0, 4), slice(0, 100), slice(0, 0)])
def test_few_rows_and_all_rows_have_nothing_in_common(rows):
    """What four rows share may be chance, and all rows have no rest to differ from."""
    chosen = np.zeros(100, dtype=bool)
    chosen[rows] = True
    assert find_common_values([column_of(np.arange(100.0))], chosen, ~chosen) == []


def test_rows_drawn_at_random_have_nothing_in_common():
    """In 200 draws, at most the 5 % that the bound allows."""
    draw = np.random.default_rng(0)
    columns = [column_of(draw.normal(size=300), label=str(at)) for at in range(10)]
    chosen = [draw.permutation(300) < 40 for _ in range(200)]
    assert sum(bool(find_common_values(columns, rows, ~rows)) for rows in chosen) <= 10


def test_rows_are_compared_with_those_that_they_were_chosen_from():
    """Rows that were not drawn could not be brushed, and do not count as rows without the values."""
    X = pd.DataFrame({"c": np.repeat([1.0, 0.0], 50), "x": np.tile(np.arange(10.0), 10)})
    e = ice.explain(lambda X: X["x"], X, progress=False)
    drawn = np.arange(25, 75)
    (of_drawn,) = describe_in_common(e, range(25, 50), drawn.tolist()).items
    assert (of_drawn.column, of_drawn.inside, of_drawn.outside) == ("c", 1.0, 0.0)
    (of_all,) = describe_in_common(e, range(25, 50)).items
    assert_allclose(of_all.outside, 1 / 3)


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (lambda X: X["step"] > 4, "step ≥ 5"),
        (lambda X: X["step"] < 2, "step ≤ 1"),
        (lambda X: X["town"] == "Uruk", "town Uruk"),
    ],
)
def test_it_is_said_in_words(e, X, rows, text):
    """With the name of the column, as a reader writes it."""
    assert describe_in_common(e, np.flatnonzero(rows(X)).tolist()).items[0].text == text


# --- residuals ------------------------------------------------------------------------------------


@pytest.fixture
def explorer(make, X):
    return make(predict, X, predict(X) + np.arange(N))


def test_residuals_are_y_minus_the_prediction(explorer, X):
    """They are a column of the explanation that an explorer has."""
    explorer.selection = [3, 17]
    e = explorer.explanation
    assert_allclose(e.predictions(explorer.selection), predict(X)[[3, 17]])
    assert_allclose(e._column("residual").values[[3, 17]], [3, 17])
    assert explorer.selected.index.tolist() == ["no 3", "no 17"]


def test_of_a_class_they_are_of_its_indicator():
    """1 for rows of the class and 0 for others, minus the probability; the score is that of the model."""
    from sklearn.linear_model import LogisticRegression

    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    y = np.array(["no", "yes", "no", "yes"])
    model = LogisticRegression().fit(X, y)
    e = ice.explain(model, X, y, progress=False)
    assert_allclose(e._column("residual").values, [0, 1, 0, 1] - model.predict_proba(X)[:, 1])
    assert e.score == model.score(X, y)
    assert ice.explain(model, X, progress=False).score is None


@pytest.mark.parametrize("response", ["log_odds", "decision_function"])
def test_a_class_has_no_residuals_in_another_unit(make, response):
    """The target is 0 or 1, the prediction a log-odds: their difference is no figure. The class colours curves."""
    from sklearn.linear_model import LogisticRegression

    X = np.arange(8.0)[:, None]
    y = pd.Series(np.array(["no", "yes"])[np.arange(8) % 3 % 2], name="answer")
    explorer = make(LogisticRegression().fit(X, y), X, y, response=response)
    e = explorer.explanation
    assert explorer._header["columns"][-1] == {"name": "observed answer", "kind": "category"}
    assert list(e._outcomes([0, 1])) == ["prediction", "y"]
    with pytest.raises(OptionError, match="needs predictions in the unit of y"):
        e.plot("x0", color_by="residual")


def test_an_observed_class_has_the_names_of_classes(make):
    """Of more than two classes it is the explained one, or not."""
    X = np.arange(9.0)[:, None]
    y = np.array(["ash", "elm", "oak"])[np.arange(9) % 3]
    model = RandomForestClassifier(5, random_state=0).fit(X, y)
    e = ice.explain(model, X, y, output="elm", progress=False)
    assert e._column("observed target").labels[:3].tolist() == ["not elm", "elm", "not elm"]
    two = RandomForestClassifier(5, random_state=0).fit(X, y == "elm")
    column = ice.explain(two, X, y == "elm", progress=False)._column("observed target")
    assert column.labels[:3].tolist() == ["False", "True", "False"]


def test_curves_are_coloured_by_residuals(explorer, X):
    """By name; 0 is in the middle of the ramp."""
    assert explorer.explanation
    explorer.color_by = "residual"
    assert explorer.color_by == "residual"
    assert explorer._header["columns"][-1] == {"name": "residual", "kind": "numeric"}
    reply, _ = ask(explorer, type="colors", column="residual", positions=[0, 30])
    low, high = reply["body"]["scale"]["domain"]
    assert low == -high
    assert_allclose(reply["body"]["values"], [0, 30])


def test_a_column_called_residual_stays_a_column(make, X):
    """Its name means the column; the residuals have a number."""
    Z = X.assign(residual=1.0)
    x = make(predict, Z, predict(Z))
    x.color_by = "residual"
    assert x.explanation._column(x.color_by).values.tolist() == [1.0] * N
    x.color_by = "residual (2)"
    assert_array_equal(x.explanation._column(x.color_by).values, np.zeros(N))


def test_residuals_need_y(make, e, X):
    """The error says where to pass it; a missing target has no residual."""
    with pytest.raises(OptionError) as raised:
        make(e).color_by = "residual"
    assert str(raised.value) == (
        '`color_by="residual"` needs the observed target; this explanation has none. '
        "Pass it: `explain(model, X, y)`, or `ICEExplorer(model, X, y)`."
    )
    y = predict(X)
    y[2] = np.nan
    assert math.isnan(make(predict, X, y).explanation._column("residual").values[2])


def test_a_state_and_a_file_keep_the_residuals(make, explorer, X, tmp_path):
    """Another explorer with y looks the same, one without y says what is lost; the code in a file passes y."""
    explorer.color_by = "residual"
    assert make(predict, X, predict(X), state=explorer.state()).color_by == "residual"
    with pytest.warns(UserWarning, match="residual"):
        without = make(predict, X, state=explorer.state())
    assert without.color_by is None
    code = read_provenance(explorer.save(tmp_path / "view.svg"))["code"]
    assert "y=y" in code
    assert "x.color_by = 'residual'" in code


# --- what the browser gets ------------------------------------------------------------------------


def test_rows_are_sorted_before_they_are_cut(explorer, X):
    """By any column of the reply, missing values last; the predictions come first."""
    assert explorer.explanation
    reply, _ = ask(explorer, "1", type="rows", positions=[1, 2, 30, 4], sort_by=2, descending=True, most=2)
    body = reply["body"]
    assert body["columns"] == ["prediction", "y", "residual", *X.columns]
    assert body["n_outcomes"] == 3
    assert body["positions"] == [30, 4]
    assert [row[2] for row in body["rows"]] == ["30", "4"]
    reply, _ = ask(explorer, "2", type="rows", positions=[0, 1, 2, 3], sort_by=5)
    assert [row[5] for row in reply["body"]["rows"]] == sorted(X["town"][:4], key=["Eridu", "Ur", "Uruk"].index)
    reply, _ = ask(explorer, "3", type="rows", positions=[0], sort_by=7)
    assert reply["message"] == "`sort_by` must be the number of a column from 0 to 6; got 7. Leave it out."


def test_all_features_come_in_one_reply(explorer, e, monkeypatch):
    """Each with its moves, and values as text; of a slow model at least one, so that requests for the rest end."""
    assert explorer.explanation
    features = ["town", "step", "line", "idle"]
    monkeypatch.setattr(replies, "_SECONDS_OF_REPLY", math.inf)
    reply, _ = ask(explorer, type="what_if", position=5, features=features)
    table = e.what_if(5, decay=1.0)
    for found in reply["body"]["features"]:
        last = found["moves"][-1]["change"] if found["moves"] else 0.0
        assert_allclose(abs(last), abs(table.loc[found["feature"], "change"]), atol=1e-12)
    assert [found["feature"] for found in reply["body"]["features"]] == features
    monkeypatch.setattr(replies, "_SECONDS_OF_REPLY", -1.0)
    reply, _ = ask(explorer, "2", type="what_if", position=5, features=features)
    assert [found["feature"] for found in reply["body"]["features"]] == ["town"]


@pytest.mark.parametrize(("end", "of"), [("highest", np.argmax), ("lowest", np.argmin)])
def test_the_row_with_the_most_extreme_prediction(explorer, X, end, of):
    """Among all rows, drawn or not."""
    reply, _ = ask(explorer, type="extreme", end=end)
    assert reply["body"] == {"position": of(predict(X))}
