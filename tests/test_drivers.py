"""What makes lines differ: shares against plain loops, what must not change them, and rules as readers see them."""

from __future__ import annotations

import math
import sys

import numpy as np
import oracles
import pandas as pd
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import GradientBoostingRegressor

import ice_explorer as ice
from ice_explorer import drivers, spread
from ice_explorer.drivers import NOTHING, find_drivers
from ice_explorer.errors import UnknownFeatureError
from ice_explorer.rules import between, sides_of_levels, sides_of_threshold
from ice_explorer.second import SecondFeature

CLOSE = {"rtol": 1e-9, "atol": 1e-9}
LEVELS = ["Oslo", "Rome", "Ur", "Uruk", "Kiš"]


def numbers(values, label="z", kind="numeric", **more):
    return SecondFeature(
        label, kind, more.pop("is_integer", False), np.asarray(values, float), more.pop("levels", None)
    )


def names(codes, label="town", levels=None):
    return SecondFeature(label, "category", False, np.asarray(codes, float), levels or LEVELS)  # noqa: FBT003


def found_in(curves, second, weights=None):
    curves = np.asarray(curves, float)
    weights = np.ones(len(curves)) if weights is None else np.asarray(weights, float)
    return find_drivers(curves, [second], weights, float(np.ptp(curves))).found[0]


@st.composite
def lines(draw, *, most_values=4, gaps=True):
    """Curves on small whole numbers, weights, and a second feature of few values, some missing."""
    n, n_grid = draw(st.integers(2, 9)), draw(st.integers(2, 4))
    curves = draw(st_numpy.arrays(float, (n, n_grid), elements=st.integers(-4, 4).map(float)))
    weights = draw(st_numpy.arrays(float, n, elements=st.sampled_from([1.0, 2.0, 0.5])))
    value = st.integers(0, most_values - 1).map(float)
    values = draw(st_numpy.arrays(float, n, elements=st.one_of(value, st.just(math.nan)) if gaps else value))
    return curves, weights, values


# --- against plain loops --------------------------------------------------------------------------


@given(lines())
@settings(deadline=None)
def test_the_best_threshold_is_that_of_a_plain_loop(case):
    """Every threshold and both sides for the missing values are tried, with weights."""
    curves, weights, values = case
    driver = found_in(curves, numbers(values), weights)
    share, thresholds = oracles.best_threshold(curves.tolist(), weights.tolist(), values.tolist())
    assert_allclose(driver.share, share, **CLOSE)
    if share > 1e-9:  # the first of equals; missing values on another side may make a later one as good
        assert driver.threshold in (thresholds if np.isnan(values).any() else thresholds[:1])
    above = np.where(np.isnan(values), " or missing" in driver.rule and ">" in driver.rule, values > driver.threshold)
    assert_allclose(oracles.share_of_groups(curves.tolist(), weights.tolist(), above.tolist()), share, **CLOSE)


@given(lines(most_values=3))
@settings(deadline=None)
def test_up_to_three_levels_are_parted_in_the_best_way_there_is(case):
    """Along the axis, or one against the others: that is every way to part three."""
    curves, weights, codes = case
    driver = found_in(curves, names(codes), weights)
    assert_allclose(driver.share, oracles.best_partition(curves.tolist(), weights.tolist(), codes.tolist()), **CLOSE)


@given(lines(most_values=5, gaps=False))
@settings(deadline=None)
def test_the_levels_of_a_rule_have_its_share(case):
    """Whichever partition of many levels is found, its share is that of its groups, and no more than the best."""
    curves, weights, codes = case
    driver = found_in(curves, names(codes), weights)
    best = oracles.best_partition(curves.tolist(), weights.tolist(), codes.tolist())
    assert driver.share <= best + 1e-9
    if driver.levels is not None:
        inside = [LEVELS[int(code)] in driver.levels for code in codes]
        assert_allclose(driver.share, oracles.share_of_groups(curves.tolist(), weights.tolist(), inside), **CLOSE)


def test_many_rows_are_summed_in_blocks(monkeypatch):
    """The same splits come out of blocks of a few rows."""
    generator = np.random.default_rng(0)
    curves, values = generator.normal(size=(300, 5)), np.round(generator.normal(size=300), 1)
    values[::17] = math.nan
    codes = generator.integers(0, 5, 300)
    whole = found_in(curves, numbers(values)), found_in(curves, names(codes))
    monkeypatch.setattr(drivers, "_CELLS", 40)
    for one, other in zip(whole, (found_in(curves, numbers(values)), found_in(curves, names(codes))), strict=True):
        assert (one.rule, one.levels) == (other.rule, other.levels)
        assert_allclose(one.share, other.share, rtol=1e-12)


@pytest.mark.parametrize("rank", [3, 200])
def test_long_grids_give_the_share_of_all_their_values(rank):
    """Beyond 128 grid values principal axes are estimated; shares are those of a plain loop, however many differ."""
    generator = np.random.default_rng(1)
    curves = generator.normal(size=(60, rank)) @ generator.normal(size=(rank, 150))
    values = generator.normal(size=60)
    driver = found_in(curves, numbers(values))
    above = (values > driver.threshold).tolist()
    assert_allclose(driver.share, oracles.share_of_groups(curves.tolist(), [1.0] * 60, above), rtol=1e-9)


# --- what changes nothing -------------------------------------------------------------------------


@given(lines(), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_what_does_not_matter_does_not(case, seed):
    """Shares lie between 0 and 1; levels of lines, the unit of a feature and the order of rows change none."""
    curves, weights, values = case
    generator = np.random.default_rng(seed)
    driver = found_in(curves, numbers(values), weights)
    assert 0 <= driver.share <= 1
    higher = curves + generator.integers(-9, 9, (len(curves), 1))
    assume(np.ptp(higher) < 1e5)
    order = generator.permutation(len(curves))
    for other in (
        found_in(higher, numbers(values), weights),
        found_in(curves, numbers(np.exp(values)), weights),
        found_in(curves[order], numbers(values[order]), weights[order]),
    ):
        assert_allclose(other.share, driver.share, **CLOSE)
    assert found_in(curves[order], numbers(values[order]), weights[order]).rule == driver.rule
    codes = found_in(curves, names(values), weights)
    assert_allclose(found_in(curves[order], names(values[order]), weights[order]).share, codes.share, **CLOSE)


def test_whole_weights_are_repeated_rows():
    """A row of weight 3 counts as three rows do."""
    generator = np.random.default_rng(2)
    curves, values, weights = generator.normal(size=(30, 4)), generator.normal(size=30), generator.integers(1, 4, 30)
    one = found_in(curves, numbers(values), weights)
    other = found_in(np.repeat(curves, weights, axis=0), numbers(np.repeat(values, weights)))
    assert_allclose(one.share, other.share, rtol=1e-12)
    assert one.threshold == other.threshold


def test_equal_splits_are_told_by_the_lowest_threshold():
    """Of thresholds that part equally well the lowest is taken; missing values go below where both sides do."""
    curves = [[0.0, 1.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    driver = found_in(curves, numbers([1, 1, 2, 2, 3, 3]))
    assert (driver.threshold, driver.rule) == (1.5, "z > 1.5")


# --- nothing to tell ------------------------------------------------------------------------------


def test_lines_that_run_alike_have_no_spread():
    """Rounding is no spread, measured by the range of the predictions."""
    curves = np.arange(5.0) + np.arange(6.0)[:, None] + 1e-9 * np.random.default_rng(0).normal(size=(6, 5))
    driver = found_in(curves, numbers(range(6)))
    assert (driver.share, driver.levels, driver.rule) == (0.0, None, "")
    assert math.isnan(driver.threshold)
    assert found_in(curves[:, :1], numbers(range(6))).share == 0
    assert found_in(curves[:1], numbers([1])).share == 0


def test_what_has_one_value_explains_nothing():
    """Constant and empty columns have no split."""
    curves = np.random.default_rng(0).normal(size=(4, 3))
    for values in ([2, 2, 2, 2], [math.nan] * 4, [1, math.nan, 1, 1]):
        assert found_in(curves, numbers(values)).share == 0
        assert found_in(curves, names(values)).share == 0


def test_names_of_rows_explain_nothing():
    """A category of about one level a row tells rows apart, not groups."""
    curves = np.random.default_rng(0).normal(size=(12, 3))
    identifier = names(range(12), "id", [f"no {i}" for i in range(12)])
    assert found_in(curves, identifier).share == 0


def test_rare_levels_are_taken_together():
    """Beyond the hundred most frequent levels, rules name none; those that are frequent are told apart."""
    levels = [f"level {code}" for code in range(150)]
    codes = np.concatenate([np.repeat(np.arange(100), 4), np.arange(100, 150)])
    curves = np.zeros((len(codes), 2))
    curves[:, 1] = np.isin(codes, (7, 8)) * 1.0
    driver = found_in(curves, names(codes, "town", levels))
    assert (driver.share, driver.levels) == (pytest.approx(1), ("level 7", "level 8"))
    curves[:, 1] = codes >= 100
    driver = found_in(curves, names(codes, "town", levels))
    assert driver.share == pytest.approx(1)
    assert driver.levels == tuple(levels[:100])


# --- rules ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("second", "ends", "above"),
    [
        (numbers([]), (6.3, 6.5), "z > 6.4"),
        (numbers([]), (-0.0004, 0.0009), "z > 0.0002"),
        (numbers([]), (-0.001, 0.0002), "z > 0"),
        (numbers([]), (0.1234567, 0.1234568), "z > 0.12345675"),
        (numbers([]), (1e9, 3e9), "z > 2000000000"),
        (numbers([]), (math.nextafter(1, 0), 1.0), "z > 0.9999999999999999"),
        (numbers([]), (-math.inf, 3.0), "z > 2.9999999999999996"),
        (numbers([]), (2.0, math.inf), "z > 2"),
        (numbers([], is_integer=True), (3, 4), "z > 3"),
        (numbers([], kind="boolean"), (0, 1), "z is true"),
        (numbers([], kind="datetime"), (16495, 16497), "z > 2015-03-02"),
        (numbers([], kind="datetime"), (16495.25, 16495.5), "z > 2015-03-01 09:00"),
        (numbers([0.02, 0.01], kind="timedelta"), (0.01, 0.02), "z > 20 min"),
        (numbers([], kind="ordered", levels=["low", "mid", "high"]), (1, 2), "z > mid"),
    ],
)
def test_a_threshold_is_written_as_the_roundest_value_that_parts_the_same_rows(second, ends, above):
    """As few digits as tell the neighbours apart; dates as dates, ranks by their names."""
    assert sides_of_threshold(second, *ends)[1] == above


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
@example(1.4999999999999996e308, 1.5000000000000002e308)
def test_a_threshold_parts_its_neighbours_as_it_is_written(one, other):
    """Whatever the two values are, threshold and text lie from the lower one to below the upper one."""
    assume(one != other)
    lower, upper = min(one, other), max(one, other)
    assume(upper > -sys.float_info.max)  # no number lies below it
    assert lower <= between(lower, upper) < upper or math.isinf(lower)
    assert math.isfinite(between(lower, upper))
    text = sides_of_threshold(numbers([]), lower, upper)[1].removeprefix("z > ")
    assert lower <= float(text) < upper


def test_levels_are_listed_and_counted():
    """One level is, several are in a list that ends after three."""
    assert sides_of_levels(names([]), ["Oslo"]) == ("town is not Oslo", "town is Oslo")
    assert sides_of_levels(names([]), ["Oslo", "Rome"])[1] == "town in Oslo, Rome"
    assert sides_of_levels(names([]), LEVELS)[0] == "town not in Oslo, Rome, Ur and 2 more"


def test_a_rule_says_where_the_missing_values_are():
    """It names the side that holds them."""
    bend = np.array([[0.0, 0.0], [0.0, 1.0]])
    curves = bend[[0, 0, 1, 1, 1]]
    assert found_in(curves, numbers([1, 2, 4, 5, math.nan])).rule == "z > 3 or missing"
    assert found_in(bend[[0, 0, 1, 1, 0]], numbers([1, 2, 4, 5, math.nan])).rule == "z ≤ 3 or missing"
    assert found_in(curves, names([0, 0, 1, 1, math.nan])).rule == "town is not Oslo, or missing"
    assert found_in(bend[[0, 0, 1, 1, 0]], names([0, 0, 1, 1, math.nan])).rule == "town is Oslo or missing"


def test_several_features_are_combined_in_rules_that_share_the_rows():
    """A tree finds what no single split does, and its leaves say how."""
    generator = np.random.default_rng(3)
    one, two = generator.normal(size=400), generator.integers(0, 3, 400).astype(float)
    two[::40] = math.nan
    slope = np.where(one > 0.5, np.where(two == 1, 3.0, 1.0), -1.0)
    curves = slope[:, None] * np.arange(4.0)
    found = find_drivers(curves, [numbers(one, "rm"), names(two)], np.ones(400), float(np.ptp(curves)))
    assert found.combined.share == pytest.approx(1)
    assert found.found[0].share < 0.9
    rules = [leaf.rule for leaf in found.combined.leaves]
    assert rules[0].startswith("rm ≤ 0.5")
    assert any(rule.startswith("rm > 0.5") and rule.endswith("and town is Rome") for rule in rules)
    assert any(rule.endswith("and (town is not Rome, or missing)") for rule in rules)
    assert sum(leaf.part for leaf in found.combined.leaves) == pytest.approx(1)
    shown = find_drivers(curves, [numbers(one, "rm")], np.ones(400), float(np.ptp(curves)))
    assert_allclose(shown.combined.share, shown.found[0].share, rtol=0.05)


def test_a_tree_may_part_rows_that_lack_a_value():
    """A leaf of the missing values alone says so, in a category and in numbers."""
    two = np.tile([0.0, 1.0, math.nan], 40)
    slope = np.select([two == 0, two == 1], [-1.0, 1.0], 5.0)
    curves = slope[:, None] * np.arange(3.0)
    for second in (names(two), numbers(two)):
        combined = find_drivers(curves, [second], np.ones(120), float(np.ptp(curves))).combined
        assert combined.share == pytest.approx(1)
        assert f"{second.label} is missing" in [leaf.rule for leaf in combined.leaves]


# --- explanations ---------------------------------------------------------------------------------


def planted(n=600, seed=0):
    """The example of ICEbox: the sign of X2's slope hangs on X3, and a linear look sees nothing of it."""
    generator = np.random.default_rng(seed)
    X = pd.DataFrame(generator.uniform(-1, 1, (n, 3)), columns=["X1", "X2", "X3"])
    return X, generator.normal(0, 0.3, n)


def truth(X):
    return (0.2 * X["X1"] - 5 * X["X2"] + 10 * X["X2"] * (X["X3"] >= 0)).to_numpy()


def test_a_planted_interaction_is_named():
    """The true function: X3 parts the lines of X2 at 0, and explains all of their spread."""
    X, _ = planted()
    table = ice.explain(truth, X, grid="quantile", grid_size=30, progress=False).drivers("X2")
    assert list(table.index) == ["X3", "X1"]
    assert list(table.columns) == ["share", "threshold", "levels", "rule"]
    assert table["share"]["X3"] == pytest.approx(1)
    assert abs(table["threshold"]["X3"]) < 0.01
    assert table["levels"]["X3"] is None
    assert table["share"]["X1"] < 0.05
    assert table.attrs["combined_share"] == pytest.approx(1)
    assert table.attrs["summary"] == f"{table['rule']['X3']} explains 100 % of the spread."
    assert len(table.attrs["rules"]) == 2


def test_a_planted_interaction_is_found_in_what_a_model_learned_of_it():
    """A gradient boosting fitted to noisy values: the same feature, about the same threshold."""
    X, noise = planted()
    model = GradientBoostingRegressor(random_state=0).fit(X, truth(X) + noise)
    table = ice.explain(model, X, grid="quantile", grid_size=30, progress=False).drivers("X2")
    assert table.index[0] == "X3"
    assert table["share"].iloc[0] > 0.9
    assert abs(table["threshold"].iloc[0]) < 0.05


def test_nothing_explains_an_additive_model():
    """Its lines run alike, whatever their level."""
    X, _ = planted(100)
    explanation = ice.explain(lambda X: (X["X1"] ** 2 + np.sin(3 * X["X2"])).to_numpy(), X, progress=False)
    for feature in X:
        table = explanation.drivers(feature)
        assert (table["share"] < 1e-9).all()
        assert table["threshold"].isna().all()
        assert table.attrs["summary"] == NOTHING
        assert table.attrs["rules"] == []


def test_every_column_and_group_is_a_second_feature():
    """Groups are one, their members none; objects of no kind are told apart by their text; values may be infinite."""
    n = 60
    generator = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "a": generator.normal(size=n),
            "east": np.tile([1, 0, 0], n // 3),
            "west": np.tile([0, 1, 0], n // 3),
            "code": np.tile([3, 7], n // 2),
            "note": [frozenset([int(i)]) for i in generator.integers(0, 2, n)],
            "far": np.where(np.arange(n) % 2, np.inf, -np.inf),
        }
    )

    def model(X):
        return (X["a"] * (1 + 2 * X["east"] + (X["code"] == 7))).to_numpy(dtype=float)

    explanation = ice.explain(
        model, X, features=["a"], groups={"side": ["east", "west"]}, categorical=["code"], progress=False
    )
    table = explanation.drivers("a")
    assert set(table.index) == {"side", "code", "note", "far"}
    assert table["rule"]["side"] == "side is east"
    assert table["levels"]["code"] == ("3",)
    assert table["threshold"]["far"] == 0
    assert table["rule"]["far"] == "far > 0"
    assert table["share"]["note"] > 0


def test_few_of_many_rows_are_looked_at_and_the_note_says_so(monkeypatch):
    """Rows are drawn by a seed, stratified by the feature; rows without weight say nothing."""
    monkeypatch.setattr("ice_explorer.results.MOST_ROWS", 50)
    X, _ = planted()
    weights = np.where(np.arange(600) < 400, 1.0, 0.0)
    tables = [ice.explain(truth, X, sample_weight=weights, progress=False).drivers("X2") for _ in range(2)]
    assert tables[0].attrs["n_rows"] == 50
    assert tables[0].attrs["note"] == "Found on a stratified sample: 50 of 400 rows."
    pd.testing.assert_frame_equal(*tables)
    assert tables[0].index[0] == "X3"


def test_they_are_found_once_and_the_curves_are_not_kept():
    """A second question asks the model nothing."""
    X, _ = planted(40)
    n_calls = 0

    def model(X):
        nonlocal n_calls
        n_calls += 1
        return truth(X)

    explanation = ice.explain(model, X, engine="brute", progress=False)
    first = explanation.drivers("X2")
    asked = n_calls
    assert_array_equal(explanation.drivers("X2")["share"], first["share"])
    assert n_calls == asked
    assert explanation["X2"]._rows == {}


def test_an_unknown_feature_is_refused():
    """With the sentence that it gets everywhere."""
    X, _ = planted(20)
    explanation = ice.explain(truth, X, progress=False)
    with pytest.raises(UnknownFeatureError) as error:
        explanation.drivers("X4")
    assert str(error.value) == "No feature named 'X4' was explained. There are 3 features: 'X1', 'X2', 'X3'."


def test_a_feature_alone_has_no_drivers():
    """A table without rows has the same columns."""
    explanation = ice.explain(lambda X: X[:, 0], np.arange(6.0)[:, None], progress=False)
    table = explanation.drivers("x0")
    assert (len(table), list(table.columns)) == (0, ["share", "threshold", "levels", "rule"])
    assert table.attrs["summary"] == NOTHING


def test_lines_are_looked_at_along_the_directions_in_which_they_differ():
    """Of lines that differ in two ways, two numbers each are kept."""
    generator = np.random.default_rng(0)
    curves = generator.normal(size=(50, 2)) @ generator.normal(size=(2, 30))
    assert spread.spread_of(curves, np.ones(50), float(np.ptp(curves))).weighted.shape == (50, 2)
