"""Features of every kind: their grids, curves and metrics, against plain loops over whole rows."""

import datetime as dt
import math
from decimal import Decimal

import numpy as np
import oracles
import pandas as pd
import parity
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import (
    RandomForestRegressor,
)
from sklearn.linear_model import Ridge
from sklearn.svm import SVR
from strategies import DECAYS

import ice_explorer as ice
from ice_explorer.errors import OptionError, PredictionError

TOWNS = ["Ur", "Uruk", "Kish", "Eridu"]
SIZES = ["small", "middle", "large"]
START = pd.Timestamp("2020-02-27")


class Model:
    """Every kind of column matters, and each depends on another."""

    def __call__(self, rows):
        town = rows["town"].map({"Ur": 0.0, "Uruk": 1.0, "Kish": 4.0}).astype(float).fillna(-2.0).to_numpy()
        size = rows["size"].astype(object).map({"small": 1.0, "middle": 3.0, "large": 4.0}).astype(float)
        days = ((rows["day"] - START) / pd.Timedelta(1, "D")).fillna(50.0).to_numpy()
        hours = (rows["wait"] / pd.Timedelta(1, "h")).fillna(-3.0).to_numpy()
        x, code = rows["x"].to_numpy(float), rows["code"].to_numpy(float)
        wing = rows["wing_a"].to_numpy(float) * 2 - rows["wing_b"].to_numpy(float)
        flag = rows["flag"].to_numpy(float)
        size = size.fillna(7.0).to_numpy()
        return town * (x + wing) + size * flag + np.abs(days - 2) * (1 + wing) + hours * x + (code - 3) ** 2 * flag


def rows(n=24, seed=0, *, missing=True):
    """A frame with a column of every kind."""
    rng = np.random.default_rng(seed)
    wing = rng.integers(0, 3, n)
    X = pd.DataFrame(
        {
            "town": rng.choice(TOWNS, n),
            "size": pd.Categorical(rng.choice(SIZES, n), [*SIZES, "never"], ordered=True),
            "x": rng.normal(size=n).round(1),
            "day": START + pd.to_timedelta(rng.integers(0, 6, n), "D"),
            "wait": pd.to_timedelta(rng.integers(1, 5, n) * 6, "h"),
            "code": rng.choice([1, 4, 9], n),
            "wing_a": (wing == 0).astype(int),
            "wing_b": (wing == 1).astype(float),
            "flag": rng.random(n) < 0.5,
        }
    )
    if missing:
        X.loc[[2, 5], "town"] = None
        X.loc[3, "size"] = np.nan
        X.loc[[0, 7], "day"] = pd.NaT
        X.loc[4, "wait"] = pd.NaT
    return X


OPTIONS = {"groups": {"wing": ["wing_a", "wing_b"]}, "categorical_features": ["code"], "progress": False}


def explained(X=None, **options):
    return ice.explain(Model(), rows() if X is None else X, **{**OPTIONS, **options})


@pytest.fixture(scope="module")
def explanation():
    return explained()


def test_none_of_the_columns_are_categories_without_being_named():
    """`categorical_features=None` is the same as leaving it out, as for `groups` and `features`."""
    assert (
        explained(categorical_features=None)["code"].dtype_kind
        == explained(categorical_features=())["code"].dtype_kind
        == "numeric"
    )


def moved(X, feature, value):
    """Write one value of a feature into all rows, a group as all of its columns."""
    if feature == "wing":
        return X.assign(wing_a=int(value == "a"), wing_b=float(value == "b"))
    changed = X.copy()
    changed[feature] = pd.Series([value] * len(X), dtype=X[feature].dtype, index=X.index)
    return changed


def loop_curves(X, feature, levels):
    """Curves, one grid value after the other."""
    columns = [Model()(moved(X, feature, value)) for value in levels]
    return [[float(column[i]) for column in columns] for i in range(len(X))]


def own_levels(X, feature):
    if feature == "wing":
        return np.where(X["wing_a"] == 1, "a", np.where(X["wing_b"] == 1, "b", "none of them")).tolist()
    return [None if pd.isna(value) else value for value in X[feature].tolist()]


def days_of(X, feature):
    """Own coordinates of a feature that has an order."""
    values = X[feature]
    if feature == "size":
        return [math.nan if pd.isna(value) else float(SIZES.index(value)) for value in values]
    origin = pd.Timestamp(0) if feature == "day" else pd.Timedelta(0)
    return [(value - origin) / pd.Timedelta(1, "D") if not pd.isna(value) else math.nan for value in values]


# What the explanation shows ----------------------------------------------------------------------


def test_a_kind_for_every_column(explanation):
    """Members of a group leave the ranking; the group is where the first of them was."""
    assert explanation.features == ["town", "size", "x", "day", "wait", "code", "wing", "flag"]
    assert {name: f.dtype_kind for name, f in explanation.items()} == {
        "town": "category", "size": "ordered", "x": "numeric", "day": "datetime", "wait": "timedelta",
        "code": "category", "wing": "group", "flag": "boolean",
    }  # fmt: skip


def test_grids_are_in_the_values_of_the_column(explanation):
    """Labels, dates, whole numbers; the axis is what they are computed with."""
    X = rows()
    shown = {f.label: (f.grid.tolist(), f.axis.tolist()) for f in explanation.values()}
    town = sorted(set(X["town"].dropna()))
    assert shown["town"] == (town, [0.0, 1.0, 2.0, 3.0])
    assert list(explanation["town"]._item.feature.levels) == town
    assert shown["size"] == (SIZES, [0.0, 1.0, 2.0])
    assert shown["code"] == ([1, 4, 9], [0.0, 1.0, 2.0])
    assert shown["wing"] == (["a", "b", "none of them"], [0.0, 1.0, 2.0])
    assert shown["flag"] == ([False, True], [0.0, 1.0])
    day = explanation["day"]
    assert day.grid.dtype.kind == "M"
    assert_array_equal(day.grid, np.unique(X["day"].dropna().to_numpy()))
    assert_allclose(day.axis, np.unique(days_of(X, "day"))[:-1])
    assert explanation["wait"].grid.dtype.kind == "m"
    assert_allclose(explanation["wait"].axis, [0.25, 0.5, 0.75, 1.0])
    assert explanation["day"]._item.feature.levels is None


def test_own_values_are_in_the_values_of_the_column(explanation):
    """Missing ones are None, NaT or NaN; on the axis they are NaN."""
    X = rows()
    assert explanation["town"].observed.tolist() == own_levels(X, "town")
    assert explanation["wing"].observed.tolist() == own_levels(X, "wing")
    assert explanation["code"].observed.tolist() == X["code"].tolist()
    assert_array_equal(explanation["day"].observed, X["day"].to_numpy())
    assert_allclose(explanation["size"]._item.feature.values, days_of(X, "size"))
    assert np.isnan(explanation["town"]._item.feature.values[[2, 5]]).all()


@pytest.mark.parametrize("feature", ["town", "size", "day", "wait", "code", "wing"])
def test_curves_are_those_of_rows_written_by_hand(explanation, feature):
    """Every grid value, and missing where some row lacks the value."""
    X, f = rows(), explanation[feature]
    assert_allclose(f.curves, loop_curves(X, feature, f.grid.tolist() if feature != "day" else f.grid), rtol=1e-12)
    has_missing = feature in {"town", "size", "day", "wait"}
    assert (f.missing_curve is not None) == has_missing
    if has_missing:
        assert_allclose(f.missing_curve, Model()(moved(X, feature, None)), rtol=1e-12)
        assert_allclose(f._missing_rows([3, 1]), f.missing_curve[[3, 1]])


# The metrics -------------------------------------------------------------------------------------


def assert_figures(found, expected, rtol=1e-9):
    for name in found.index.intersection(list(expected)):
        assert_allclose(found[name], expected[name], rtol=rtol, atol=1e-12, err_msg=name)


def loop_of_category(X, feature, levels, weights, decay):
    """Every figure of a category by plain loops."""
    own, held = own_levels(X, feature), [w > 0 for w in weights]
    shares = oracles.category_shares(own, weights)
    stand_in = oracles.most_frequent(shares, levels)
    filled = [stand_in if level is None else level for level in own]
    curves = loop_curves(X, feature, levels)
    figures = oracles.category_metrics(curves, levels, filled, shares=shares, weights=weights, decay=decay)
    if any(level is None and is_held for level, is_held in zip(own, held, strict=True)):
        at_own = [curves[i][levels.index(level)] for i, level in enumerate(filled)]
        figures["missing_impact"] = oracles.missing_impact(at_own, Model()(moved(X, feature, None)), weights)
    else:
        figures["missing_impact"] = math.nan
    return figures


def loop_of_order(X, feature, grid, weights, decay, **options):
    """Every figure of ranks, dates and timedeltas by plain loops, on a matrix of their coordinates."""
    coordinates = days_of(X, feature)
    axis = sorted({x for x, w in zip(coordinates, weights, strict=True) if w > 0 and not math.isnan(x)})
    native = dict(zip(axis, grid, strict=True))

    def predict(matrix):
        predictions = np.empty(len(matrix))
        for value in {v for v in matrix[:, 1] if not math.isnan(v)} | {math.nan}:
            here = np.isnan(matrix[:, 1]) if math.isnan(value) else matrix[:, 1] == value
            whole = moved(X, feature, None if math.isnan(value) else native[value])
            predictions[here] = Model()(whole)[matrix[here, 0].astype(int)]
        return predictions

    matrix = np.column_stack([np.arange(len(X)), coordinates])
    return oracles.metrics(predict, matrix, 1, weights=weights, decay=decay, **options)


@pytest.mark.parametrize("weights", [None, "whole", "any"])
@pytest.mark.parametrize("decay", [1.0, 0.75, 0.1])
def test_every_metric_of_every_kind_is_that_of_plain_loops(weights, decay):
    """Categories, declared codes and groups; ranks, dates and timedeltas."""
    X = rows()
    rng = np.random.default_rng(3)
    w = {None: np.ones(24), "whole": rng.integers(0, 4, 24), "any": rng.random(24) * 3}[weights].astype(float)
    e = explained(sample_weight=None if weights is None else w, decay=decay)
    table = e.table()
    for feature in ("town", "code", "wing"):
        expected = loop_of_category(X, feature, e[feature].grid.tolist(), w.tolist(), decay)
        assert_figures(table.loc[feature], expected)
    for feature in ("size", "day", "wait"):
        expected = loop_of_order(X, feature, list(e[feature].grid), w.tolist(), decay)
        assert_figures(table.loc[feature], expected)


def test_conventions_apply_where_there_is_an_order(explanation):
    """They change nothing for categories."""
    table = explained(convention="paper").table(0.5)
    plain = explanation.table(0.5)
    unordered = ["town", "code", "wing"]
    pd.testing.assert_frame_equal(table.loc[unordered], plain.loc[unordered])
    grid = list(explanation["day"].grid)
    expected = loop_of_order(rows(), "day", grid, [1.0] * 24, 0.5, convention="paper")
    assert_figures(table.loc["day"], expected, rtol=1e-6)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(2, 9), DECAYS)
def test_small_tables_are_those_of_plain_loops(seed, n_rows, decay):
    """Levels that occur once, or alone; whatever the table."""
    X = rows(n_rows, seed, missing=False)
    if seed % 2:
        X.loc[0, "town"] = None
    e = explained(X, features=["town", "wing", "code"], decay=decay)
    for f in e.values():
        expected = loop_of_category(X, f.feature, f.grid.tolist(), [1.0] * n_rows, decay)
        assert_figures(e.table().loc[f.feature], expected)


def test_rows_without_weight_give_no_level():
    """Neither to the grid, nor to the frequencies."""
    X = rows(missing=False)
    weights = np.where(X["town"] == "Ur", 0.0, 1.0)
    f = explained(X, sample_weight=weights)["town"]
    assert "Ur" not in f.grid
    assert "Ur" in f._item.feature.levels
    assert_allclose(f.scale, explained(X[X["town"] != "Ur"])["town"].scale)


def test_conditional_likelihoods_of_a_category():
    """By plain loops over the estimated probabilities, which follow another column."""
    X = rows(60, missing=False)
    X["x"] = X["town"].map({"Ur": -3.0, "Uruk": -1.0, "Kish": 1.0, "Eridu": 3.0}) + 2 * X["x"]
    e = explained(X, distance="conditional", decay=0.3)
    f = e["town"]
    likely = f.likelihood(math.exp(-1.0))
    own = np.array([f.grid.tolist().index(level) for level in X["town"]])
    assert_allclose(likely[np.arange(60), own], 1.0)
    probabilities = 1.0 + np.log(likely)
    probabilities[np.arange(60), own] = 0.0
    assert np.ptp(probabilities) > 0.3
    expected = oracles.category_metrics(
        f.curves.tolist(), f.grid.tolist(), X["town"].tolist(), shares=oracles.category_shares(X["town"], [1.0] * 60),
        weights=[1.0] * 60, decay=0.3, probabilities=probabilities.tolist(),
    )  # fmt: skip
    assert_figures(e.table().loc["town"], expected)
    plain = explained(X).table(0.3).loc["town"]
    assert e.table(0.3).loc["town", "impact"] == plain["impact"]
    assert e.table(0.3).loc["town", "in_distribution_impact"] != plain["in_distribution_impact"]


def test_likelihoods_of_a_category(explanation):
    """1 at the own level, the decay at every other."""
    f = explanation["town"]
    expected = np.where(f._item.observed[:, None] == f.axis, 1.0, 0.4)
    assert_allclose(f.likelihood(0.4), expected)
    assert_allclose(f.likelihood(0.4, rows=[5, 1]), expected[[5, 1]])
    assert_array_equal(f.likelihood_scale, 1.0)


def test_the_mean_change_is_in_units_of_the_output(explanation):
    """Per change of category, not per standard deviation."""
    f = explanation["wing"]
    assert_allclose(f._mean_change * f.scale, f.metrics()["impact"])
    assert math.isnan(explanation["x"]._mean_change)


# What is derived from curves ---------------------------------------------------------------------


def test_levels_without_an_order_have_no_slopes(explanation):
    """They say so, and what to use instead."""
    for feature in ("town", "code", "wing"):
        with pytest.raises(ValueError, match="Slopes need a feature with an order; "):
            _ = explanation[feature].slopes
    f = explanation["day"]
    assert_allclose(f.slopes, np.diff(f.curves, axis=1) / np.diff(f.axis))


def test_curves_since_a_level(explanation):
    """The first, the last, the most frequent, each row's own, or one by its label."""
    f = explanation["town"]
    frequent = rows()["town"].value_counts().index[0]
    for anchor, level in (("min", f.grid[0]), ("max", f.grid[-1]), ("median", frequent), ("Kish", "Kish")):
        assert_allclose(f.centered_curves(anchor), f.curves - f.curves[:, [f.grid.tolist().index(level)]])
    own = [f.grid.tolist().index(frequent if level is None else level) for level in own_levels(rows(), "town")]
    assert_allclose(f.centered_curves("own"), f.curves - f.curves[np.arange(24), own][:, None])
    with pytest.raises(OptionError, match=r"got 'kish' for 'town'\. Did you mean 'Kish'"):
        f.centered_curves("kish")


def test_curves_since_values_with_an_order(explanation):
    """Dates, ranks and numbers, the nearest grid value where there is no such."""
    f = explanation["day"]
    for anchor, at in ((f.grid[2], 2), (pd.Timestamp(f.grid[1]), 1), ("2031-01-01", -1)):
        assert_allclose(f.centered_curves(anchor), f.curves - f.curves[:, [at]])
    f = explanation["size"]
    assert_allclose(f.centered_curves("middle"), f.curves - f.curves[:, [1]])
    assert_allclose(
        explanation["code"].centered_curves(4), explanation["code"].curves - explanation["code"].curves[:, [1]]
    )
    with pytest.raises(OptionError, match="`anchor` must be"):
        explanation["x"].centered_curves("town")


def test_anchors_are_places_on_the_axis_of_pictures(explanation):
    """A label, a date or a duration is converted; names and numbers are what they are."""
    town, size, code = explanation["town"], explanation["size"], explanation["code"]
    for name in ("min", "max", "median", "own"):
        assert town._anchor_place(name) == name
    assert [town._anchor_place(level) for level in town.grid] == [0.0, 1.0, 2.0, 3.0]
    assert size._anchor_place("large") == 2.0
    assert [code._anchor_place(level) for level in (1, "4", 9.0)] == [0.0, 1.0, 2.0]
    assert explanation["wing"]._anchor_place("none of them") == 2.0
    assert explanation["flag"]._anchor_place(np.True_) == 1.0
    day, wait = explanation["day"], explanation["wait"]
    for date in ("2020-02-28", dt.date(2020, 2, 28), START + pd.Timedelta(1, "D"), np.datetime64("2020-02-28")):
        assert day._anchor_place(date) == 18320.0
    for duration in (dt.timedelta(hours=12), pd.Timedelta("12h"), np.timedelta64(12, "h")):
        assert wait._anchor_place(duration) == 0.5
    assert (explanation["x"]._anchor_place(np.float32(0.5)), day._anchor_place(3)) == (0.5, 3.0)
    # Where labels are no numbers, a number is a place; the nearest one where there is no such.
    assert (town._anchor_place(3), size._anchor_place(1)) == (3.0, 1.0)
    assert_allclose(town.centered_curves(7), town.centered_curves("max"))


def test_rows_off_the_grid_have_their_own_level_all_the_same():
    """The model predicts it."""
    X = rows(missing=False)
    f = explained(X, grid={"town": ["Ur", "Kish"]})["town"]
    own = Model()(X)
    assert_allclose(f.centered_curves("own"), f.curves - own[:, None])


# Grids -------------------------------------------------------------------------------------------


def test_levels_can_be_chosen_in_any_order():
    """The grid has the order of the levels."""
    X = rows()
    levels = list(explained(X)["town"]._item.feature.levels)
    f = explained(X, grid={"town": ["Kish", "Ur"], "wing": ["b", "a"], "code": [9, 1], "size": ["large", "small"]})
    assert f["town"].grid.tolist() == sorted(["Kish", "Ur"], key=levels.index)
    assert f["wing"].grid.tolist() == ["a", "b"]
    assert f["code"].grid.tolist() == [1, 9]
    assert f["size"].grid.tolist() == ["small", "large"]
    assert_allclose(f["size"].axis, [0.0, 2.0])


def test_the_metrics_of_chosen_levels_are_those_of_plain_loops():
    """σ_c is that of all observations, pairs are those of the grid, own levels may be off it."""
    X = rows(missing=False)
    e = explained(X, grid={"town": ["Ur", "Kish"]}, decay=0.5)
    levels = e["town"].grid.tolist()
    own = own_levels(X, "town")
    expected = oracles.category_metrics(
        loop_curves(X, "town", levels), levels, own, shares=oracles.category_shares(own, [1.0] * 24),
        weights=[1.0] * 24, decay=0.5,
    )  # fmt: skip
    assert_figures(e.table().loc["town"], expected)


def test_dates_can_be_chosen():
    """As pandas, numpy or Python has them, or as text; never as numbers of an unknown unit."""
    chosen = [pd.Timestamp("2020-01-01"), np.datetime64("2020-03-01T12"), "2021-01-01"]
    f = explained(grid={"day": chosen, "wait": [pd.Timedelta(1, "h"), np.timedelta64(2, "D")]})
    expected = np.array(["2020-01-01", "2020-03-01T12", "2021-01-01"], dtype="datetime64[us]")
    assert_array_equal(f["day"].grid, expected)
    assert_allclose(f["day"].axis, (expected - np.datetime64(0, "us")) / np.timedelta64(1, "D"))
    assert_allclose(f["wait"].axis, [1 / 24, 2.0])
    assert_allclose(f["day"].curves, loop_curves(rows(), "day", expected), rtol=1e-12)
    with pytest.raises(OptionError, match=r"got 3 for 'wait'. Pass a list of timedeltas"):
        explained(grid={"wait": [3]})


def test_uniform_grids_of_dates_are_whole_days_where_the_data_are():
    """Otherwise they are as fine as a microsecond."""
    X = rows(missing=False)
    f = explained(X, grid="uniform", grid_size=4)["day"]
    assert_allclose(f.axis, np.rint(f.axis))
    later = X.assign(day=X["day"] + pd.to_timedelta(np.arange(24), "h"))
    f = explained(later, grid="uniform", grid_size=4)["day"]
    assert_allclose(np.diff(f.axis), np.ptp(f.axis) / 3)
    assert_allclose(f.axis[[0, -1]], [min(days_of(later, "day")), max(days_of(later, "day"))])
    f = explained(X, grid="quantile", grid_size=4)
    assert set(pd.to_datetime(f["day"].grid)) <= set(X["day"])
    assert f["code"].grid.tolist() == [1, 4, 9]
    assert f["town"].grid.tolist() == explained(X)["town"].grid.tolist()


def test_numbers_on_a_uniform_grid_stay_whole():
    """Integers are shown as integers, booleans have two values."""
    X = pd.DataFrame({"i": [1, 2, 9, 4], "b": [True, False, True, True]})
    e = ice.explain(lambda rows: rows["i"] * rows["b"], X, grid="uniform", grid_size=4, progress=False)
    assert e["i"].grid.dtype == np.int64
    assert e["i"].grid.tolist() == [1, 4, 6, 9]
    assert e["b"].grid.tolist() == [False, True]


@pytest.mark.parametrize("grid", ["observed", "quantile", "uniform"])
@pytest.mark.parametrize("is_polars", [False, True])
def test_a_model_of_decimals_is_handed_decimals(is_polars, grid):
    """With no more digits than the column has, whatever the grid; the curves have them as grid values."""
    price = [Decimal("0.35"), Decimal("1.10"), Decimal("2.00"), None] * 3
    X = pd.DataFrame({"price": pd.Series(price, dtype=object), "n": np.arange(12.0)})
    X = pytest.importorskip("polars").from_pandas(X) if is_polars else X

    def model(rows):
        paid = [value for value in rows["price"] if value is not None]
        assert all(isinstance(value, Decimal) and value.as_tuple().exponent >= -2 for value in paid)
        assert rows["price"].dtype == X["price"].dtype
        return np.array([0.0 if value is None else float(value) for value in rows["price"]])

    f = ice.explain(model, X, grid=grid, grid_size=4, progress=False)["price"]
    assert all(isinstance(value, Decimal) for value in f.grid)
    assert f.observed.tolist() == price
    assert_allclose(f.curves, np.tile(f.axis, (12, 1)))
    assert_allclose(f.centered_curves(f.grid[1]), f.curves - f.curves[:, [1]])


def test_more_levels_than_a_grid_holds():
    """The most frequent ones are shown, and notes say so and count the rows of the others."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"c": [f"c{i}" for i in rng.integers(0, 150, 2000)], "z": 1.0})
    X.loc[:500, "c"] = "c7"
    e = ice.explain(lambda rows: rows["c"].str.len().to_numpy(float), X, progress=False)
    assert e["c"].grid.shape == (100,)
    counts = X["c"].value_counts()
    assert counts[e["c"].grid].min() >= counts.drop(list(e["c"].grid)).max()
    assert (
        "'c' has 150 levels; its grid is 100 of them, the most frequent ones. Pass `grid_size=150` for all." in e.notes
    )
    n_off = int((~X["c"].isin(e["c"].grid)).sum())
    assert [note for note in e.notes if note.startswith(f"'c': levels of {n_off} observations are not on the grid; ")]
    one = ice.explain(lambda rows: rows["z"], X[:502], grid={"c": ["c7"]}, progress=False)
    assert [note for note in one.notes if note.startswith("'c': levels of 1 observation are not on the grid; their")]
    assert len(ice.explain(lambda rows: rows["z"], X, grid_size=150, progress=False)["c"].grid) == 150


# Options that name what does not apply -----------------------------------------------------------


def test_categorical_takes_names_and_changes_nothing_else():
    """A column that is a category already stays as it is; an ordered one loses its order."""
    X = rows()
    e = explained(X, categorical_features="code")
    assert e["code"].dtype_kind == "category"
    e = explained(X, categorical_features=["town", "size", "day"])
    assert [e[name].dtype_kind for name in ("town", "size", "day", "code")] == ["category"] * 3 + ["numeric"]
    assert e["size"].grid.tolist() == SIZES
    assert_allclose(e["size"].curves, loop_curves(X, "size", SIZES))
    assert_allclose(e["day"].curves, explained(X)["day"].curves)
    assert e.settings.categorical_features == ("town", "size", "day")


@pytest.mark.parametrize(
    ("features", "where"),
    [
        (["town"], "grid value 'Kish', row 0 of X"),
        (["day"], "grid value 2020-03-01, row 0 of X"),
        (["wing"], "grid value 'b', row 0 of X"),
        (["wait"], "grid value 12 h, row 0 of X"),
    ],
)
def test_a_phantom_without_a_prediction_is_named_in_the_values_of_its_column(features, where):
    """By label, date or level of the group, not by its coordinate."""
    X = rows(missing=False)

    def function(frame):
        wrong = {
            "town": frame["town"] == "Kish",
            "day": frame["day"] == "2020-03-01",
            "wing": frame["wing_b"] == 1,
            "wait": frame["wait"] == pd.Timedelta(12, "h"),
        }[features[0]]
        return np.where(wrong & (asked > 0), np.nan, 1.0)

    # The probe and the rows themselves are let through: only phantoms are wrong.
    asked = 0
    explain_ = ice.explain(function, X, **OPTIONS, features=features, sample=None, memory_limit="1kB")
    asked = 1
    with pytest.raises(PredictionError, match="nan") as caught:
        explain_[features[0]].compute_curves([0])
    assert where in str(caught.value)


# Sampling ----------------------------------------------------------------------------------------


def test_samples_hold_every_level_in_proportion():
    """Drawn by level, seeded; positions are those of X."""
    X = rows(400, missing=False)
    f = explained(X, sample=100)["town"]
    counts = X["town"].value_counts()
    drawn = X["town"].iloc[f.rows].value_counts()
    assert (np.abs(drawn[counts.index] - counts / 4) < 2).all()
    assert_array_equal(f.rows, explained(X, sample=100)["town"].rows)
    assert_allclose(f.curves[3], explained(X)["town"].curves[f.rows[3]])
    lines = X["town"].iloc[explained(X)["town"]._draw(40)].value_counts()
    assert (np.abs(lines[counts.index] - counts / 10) < 2).all()


def test_a_sample_has_the_metrics_of_its_rows():
    """Scale and pair weights stay those of all observations."""
    X = rows(40, missing=False)
    e = explained(X, sample=15, decay=0.6)
    f = e["town"]
    some = f.rows
    expected = oracles.category_metrics(
        [loop_curves(X, "town", f.grid.tolist())[i] for i in some], f.grid.tolist(), X["town"].iloc[some].tolist(),
        shares=oracles.category_shares(X["town"], [1.0] * 40), weights=[1.0] * 15, decay=0.6,
    )  # fmt: skip
    assert_figures(e.table().loc["town"], expected)


# Engines -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "method"),
    [(Ridge(), "linear"), (SVR(), "kernel"), (RandomForestRegressor(5, max_depth=6, random_state=0), "tree")],
    ids=["linear", "kernel", "tree"],
)
def test_engines_move_groups_together(model, method):
    """The columns are those of X, some of them declared as names."""
    rng = np.random.default_rng(0)
    wing, ur = rng.integers(0, 3, 60), rng.random(60) < 0.4
    X = pd.DataFrame({"x": rng.normal(size=60).round(2), "code": rng.integers(0, 5, 60)})
    X = X.assign(wing_a=(wing == 0) * 1, wing_b=(wing == 1) * 1, ur=ur * 1.0, other=1.0 - ur)
    y = X["ur"] * X["x"] + (X["code"] == 2) * 2.0 + X["wing_a"] * X["x"] - X["wing_b"]
    groups = {"wing": ["wing_a", "wing_b"], "town": ["ur", "other"]}
    e = parity.assert_as_predicted(method, model.fit(X, y), X, 1e-10, groups=groups, categorical_features=["code"])
    assert (e.table().loc[["wing", "town"], "impact"] > 0).all()
