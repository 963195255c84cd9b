"""What makes curves differ: shares against plain loops, what must not change them, and rules as readers see them."""

from __future__ import annotations

import math
import sys
from dataclasses import replace

import numpy as np
import oracles
import pandas as pd
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import GradientBoostingRegressor

import ice_explorer as ice
from ice_explorer.drivers.drivers import ALIKE, choose_between, find_drivers, name_level_sides, name_threshold_sides
from ice_explorer.tables.column import Column, distinct_rows

CLOSE = {"rtol": 1e-9, "atol": 1e-9}
LEVELS = ["Oslo", "Rome", "Ur", "Uruk", "Kiš"]
NOTHING = "No single column explains the differences."


def numbers(values, label="z", kind="numeric", **more):
    is_integer, levels = more.pop("is_integer", False), more.pop("levels", None)
    return Column(
        label, label, kind, is_integer, "float64", np.asarray(values, float),
        None if levels is None else np.array(levels, object),
    )  # fmt: skip


def names(codes, label="town", levels=None):
    return numbers(codes, label, "category", levels=levels or LEVELS)


def all_found(curves, seconds, weights=None, observations=None):
    curves = np.asarray(curves, float)
    weights = np.ones(len(curves)) if weights is None else np.asarray(weights, float)
    observations = np.arange(len(curves)) if observations is None else observations
    n, n_grid = curves.shape
    more = {"lengths": np.ones(n_grid), "prediction_range": float(np.ptp(curves)), "n_curves": n}
    return find_drivers(curves, seconds, np.arange(n), weights, observations, **more)


def found_in(curves, second, weights=None, observations=None):
    return all_found(curves, [second], weights, observations).ranked[0]


def lines(slopes, n_grid=4):
    return np.asarray(slopes, float)[:, None] * np.arange(float(n_grid))


@st.composite
def cases(draw):
    """Curves on small whole numbers, weights, and a column of few values, some missing."""
    n, n_grid = draw(st.integers(22, 30)), draw(st.integers(2, 4))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = generator.integers(0, 4, n).astype(float)
    curves = generator.integers(-4, 5, (n, n_grid)) + 6 * np.outer(values >= 1, np.arange(n_grid))
    weights = generator.choice([1.0, 2.0, 0.5], n)
    values[generator.random(n) < 0.2] = math.nan
    return curves.astype(float), weights, values


# --- against plain loops --------------------------------------------------------------------------


def folds_of(n):
    """The fold of each of distinct rows, as documented: 5 folds, seeded."""
    folds = np.empty(n, dtype=int)
    folds[np.random.default_rng(0).permutation(n)] = np.arange(n) % 5
    return folds


def groups_of(driver, values):
    """Which rows the rule of a driver names, by its threshold or levels."""
    inside = np.isin(values, [LEVELS.index(level) for level in driver.levels or ()]) | (values > driver.threshold)
    with_missing = "missing" in driver.rule and driver.rule.startswith(driver.sides[1])
    return np.where(np.isnan(values), with_missing, inside)


@given(cases())
@settings(max_examples=20)
def test_splits_and_shares_are_those_of_plain_loops(case):
    """Every threshold and side for missing values, every way to split three levels; shares of rows held out."""
    curves, weights, values = case
    codes, plain = np.minimum(values, 2), (curves.tolist(), weights.tolist())
    for second, best in (
        (numbers(values), oracles.best_threshold(*plain, values.tolist(), 10)[0]),
        (names(codes), oracles.best_partition(*plain, codes.tolist(), 10)),
    ):
        driver = found_in(curves, second, weights)
        if driver.share == 0:
            continue
        inside = groups_of(driver, second.values)
        assert min(weights[inside].sum(), weights[~inside].sum()) >= 10
        assert_allclose(oracles.share_of_groups(*plain, inside.tolist()), best, **CLOSE)
    share = oracles.cross_fitted_share(*plain, values.tolist(), folds_of(len(curves)).tolist(), 10)
    driver = found_in(curves, numbers(values), weights)
    assert driver.share == 0 or math.isclose(driver.share, share, rel_tol=1e-9)


@pytest.mark.wide
@pytest.mark.parametrize(("rank", "n_grid", "repeats"), [(3, 150, 1), (200, 150, 1), (3, 5, [1, 20, 3, 1, 9])])
def test_long_grids_give_the_share_of_all_their_values(rank, n_grid, repeats):
    """Principal axes of many values are estimated, values between which no curve changes are one: shares stay those."""
    generator = np.random.default_rng(1)
    values = np.repeat([0.0, 1.0, 2.0], 20)
    curves = generator.normal(size=(60, rank)) @ generator.normal(size=(rank, n_grid)) / rank
    curves = np.repeat(curves + np.outer(values, np.linspace(0, 4, n_grid)), repeats, axis=1)
    share = oracles.cross_fitted_share(curves.tolist(), [1.0] * 60, values.tolist(), folds_of(60).tolist(), 10)
    driver = found_in(curves, numbers(values))
    assert_allclose(driver.share, share, rtol=1e-9)
    assert driver.share > 0.2


# --- how much there is to explain -----------------------------------------------------------------


def test_the_size_of_the_differences_is_that_of_slopes():
    """For lines it is the variance of the slopes relative to their mean square, whatever the levels of the curves."""
    slopes = np.array([1.0, 2.0, 3.0, 6.0])
    weights = np.array([1.0, 1.0, 2.0, 1.0])
    mean = np.average(slopes, weights=weights)
    expected = np.average((slopes - mean) ** 2, weights=weights) / np.average(slopes**2, weights=weights)
    curves = lines(slopes) + np.array([9.0, -3.0, 0.5, 0.0])[:, None]
    assert_allclose(all_found(curves, [], weights).size, expected, rtol=1e-12)
    assert_allclose(all_found(lines([-2.0, 2.0]), []).size, 1, rtol=1e-12)


HALF = np.arange(40) < 20


@pytest.mark.parametrize(
    ("slopes", "sentence"),
    [
        (np.where(HALF, 1, 3), "Curves differ (20 % of their variance); of that, z > 0 explains 100 %."),
        (np.where(HALF, 1, 1.5), "Curves differ little (4 % of their variance); of that, z > 0 expl"),
        (np.tile([1.0, 3.0], 20), "Curves differ (20 % of their variance). No single column explains the differences."),
        (np.where(HALF, 1, 1.01), "Curves differ little (< 1 % of their variance); of that"),
        (np.ones(40), ALIKE),
    ],
)
def test_the_sentence_begins_with_the_size_of_the_differences(slopes, sentence):
    """A split that explains much of little is not taken for much."""
    assert all_found(lines(slopes), [numbers(np.arange(40) // 20, is_integer=True)]).summary.startswith(sentence)


# --- chance ---------------------------------------------------------------------------------------


def slopes_by_chance(seed, n, n_columns, draw=np.random.Generator.normal):
    """Curves whose slopes have nothing to do with any column: numbers, some with gaps, truth values and levels."""
    generator = np.random.default_rng([seed, n, n_columns])
    slopes = draw(generator, size=n)
    seconds = []
    for number in range(n_columns):
        label = f"z{number}"
        if number % 4 == 2:
            seconds.append(names(generator.integers(0, 5, n), label))
        elif number % 4 == 3:
            seconds.append(numbers(generator.integers(0, 2, n), label, "boolean"))
        else:
            values = generator.normal(size=n)
            values[generator.random(n) < (0.1 if number % 4 == 1 else 0)] = math.nan
            seconds.append(numbers(values, label))
    return lines(slopes), seconds


@pytest.mark.wide
@pytest.mark.parametrize("draw", [np.random.Generator.normal, np.random.Generator.standard_cauchy])
@pytest.mark.parametrize(("n", "n_columns"), [(50, 6), (100, 21), (200, 6)])
def test_slopes_drawn_at_random_are_not_explained(n, n_columns, draw):
    """In one of fifteen draws at most anything is claimed; also where few curves differ most."""
    found = [all_found(*slopes_by_chance(seed, n, n_columns, draw)) for seed in range(15)]
    assert sum(NOTHING not in each.summary for each in found) <= 1


def test_repeated_rows_do_not_pass_for_evidence():
    """Slopes drawn for 50 rows that are then repeated eight times stay unexplained: repeats share a fold."""
    of = np.tile(np.arange(50), 8)
    drawn = [slopes_by_chance(seed, 50, 6) for seed in range(10)]
    found = [
        all_found(curves[of], [replace(second, values=second.values[of]) for second in seconds], None, of)
        for curves, seconds in drawn
    ]
    assert sum(NOTHING not in each.summary for each in found) <= 1


@pytest.mark.parametrize(("n", "least"), [(200, 10), (1000, 20)])
def test_every_side_of_every_rule_has_rows_enough(n, least):
    """Ten rows and two per cent of them, and both sides count all rows."""
    generator = np.random.default_rng(4)
    rank = generator.permutation(n)
    driver = found_in(lines(np.where(rank >= n - 0.7 * least, 5.0, 0.0)), numbers(rank))
    assert (driver.n_rule, driver.n_rest) == (least, n - least)


# --- what changes nothing -------------------------------------------------------------------------


@given(cases(), st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_what_does_not_matter_does_not(case, seed):
    """Shares lie between 0 and 1; levels of curves, the unit of a column and the order of rows change none."""
    curves, weights, values = case
    generator = np.random.default_rng(seed)
    rows = np.arange(len(curves))
    driver = found_in(curves, numbers(values), weights)
    assert 0 <= driver.share <= 1
    higher = curves + generator.integers(-9, 9, (len(curves), 1))
    order = generator.permutation(len(curves))
    for other in (
        found_in(higher, numbers(values), weights),
        found_in(curves, numbers(np.exp(values)), weights),
        found_in(curves[order], numbers(values[order]), weights[order], rows[order]),
    ):
        assert_allclose(other.share, driver.share, **CLOSE)
    assert found_in(curves[order], numbers(values[order]), weights[order], rows[order]).rule == driver.rule
    codes = found_in(curves, names(values), weights)
    reordered = found_in(curves[order], names(values[order]), weights[order], rows[order])
    assert_allclose(reordered.share, codes.share, **CLOSE)


def test_whole_weights_are_repeated_rows():
    """A row of weight 3 counts as three rows do: in shares, thresholds and numbers of rows."""
    generator = np.random.default_rng(2)
    one, two = generator.normal(size=(2, 80))
    curves = lines(np.where(one > 0, np.where(two > 0, 3.0, 1.0), 0.0) + generator.normal(size=80) / 3)
    weights = generator.integers(1, 4, 80)
    of = np.repeat(np.arange(80), weights)
    seconds = [numbers(one, "one"), numbers(two, "two")]
    weighted = all_found(curves, seconds, weights)
    repeated = all_found(curves[of], [replace(second, values=second.values[of]) for second in seconds], None, of)
    for left, right in zip(weighted.ranked, repeated.ranked, strict=True):
        assert_allclose(left.share, right.share, rtol=1e-9)
        assert (left.rule, left.n_rule, left.n_rest) == (right.rule, right.n_rule, right.n_rest)
    assert weighted.ranked[0].n_rule + weighted.ranked[0].n_rest == len(of)


def test_equal_rows_are_one_observation():
    """By their values, whatever their order; zeros have no sign, and missing values are equal."""
    rows = np.column_stack([[2.0, 0.0, 2.0, -0.0, math.nan, -math.nan], [1.0, 5, 1, 5, 7, 7]])
    first, numbered = distinct_rows(rows)
    assert numbered[first].tolist() == [0, 1, 2]
    assert numbered.tolist() == [numbered[0], numbered[1]] * 2 + [numbered[4]] * 2
    assert sorted(set(numbered.tolist())) == [0, 1, 2]
    order = np.array([4, 1, 0, 5, 3, 2])
    assert_array_equal(distinct_rows(rows[order])[1], numbered[order])


# --- nothing to tell ------------------------------------------------------------------------------


def test_what_has_nothing_to_tell_explains_nothing():
    """Rounding, constant and empty columns, names of rows, one observation that is repeated, and too few rows."""
    parallel = np.arange(5.0) + np.arange(30.0)[:, None] + 1e-9 * np.random.default_rng(0).normal(size=(30, 5))
    driver = found_in(parallel, numbers(range(30)))
    assert (driver.share, driver.levels, driver.rule) == (0.0, None, "")
    assert math.isnan(driver.threshold)
    assert found_in(parallel[:, :1], numbers(range(30))).share == 0
    assert found_in(parallel[:1], numbers([1])).share == 0
    curves = np.random.default_rng(0).normal(size=(40, 3))
    for values in ([2] * 40, [math.nan] * 40, [1, math.nan] * 20):
        assert found_in(curves, numbers(values)).share == found_in(curves, names(values)).share == 0
    assert found_in(lines(HALF), names(range(40), "id", [f"no {i}" for i in range(40)])).share == 0
    assert found_in(curves, numbers(range(40)), None, np.zeros(40, dtype=int)).share == 0
    few = all_found(lines(np.where(np.arange(19) < 9, 1.0, 3.0)), [numbers(range(19))])
    assert few.summary.endswith("Too few rows to explain the differences between curves.")


def test_rare_levels_are_merged():
    """Beyond the hundred most frequent levels, rules name none; those that are frequent are distinguished."""
    levels = [f"level {code}" for code in range(150)]
    codes = np.concatenate([np.repeat(np.arange(100), 8), np.arange(100, 150)])
    driver = found_in(lines(np.isin(codes, (7, 8, 9))), names(codes, "town", levels))
    assert (driver.share, driver.levels) == (pytest.approx(1), ("level 7", "level 8", "level 9"))
    driver = found_in(lines(codes >= 100), names(codes, "town", levels))
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
    assert name_threshold_sides(second, *ends)[1] == above


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
@example(1.4999999999999996e308, 1.5000000000000002e308)
def test_a_threshold_parts_its_neighbours_as_it_is_written(one, other):
    """Whatever the two values are, threshold and text lie from the lower one to below the upper one."""
    assume(one != other)
    lower, upper = min(one, other), max(one, other)
    assume(upper > -sys.float_info.max)  # no number lies below it
    assert lower <= choose_between(lower, upper) < upper or math.isinf(lower)
    assert math.isfinite(choose_between(lower, upper))
    text = name_threshold_sides(numbers([]), lower, upper)[1].removeprefix("z > ")
    assert lower <= float(text.replace("−", "-")) < upper


def test_levels_are_listed_and_counted():
    """One level is, several are in a list that ends after three."""
    assert name_level_sides(names([]), ["Oslo"]) == ("town is not Oslo", "town is Oslo")
    assert name_level_sides(names([]), ["Oslo", "Rome"])[1] == "town in Oslo, Rome"
    assert name_level_sides(names([]), LEVELS)[0] == "town not in Oslo, Rome, Ur and 2 more"


def test_a_rule_says_where_the_missing_values_are():
    """It names the side that holds them."""
    bend = np.repeat([0.0, 0.0, 1.0, 1.0, 1.0], 20)
    other = np.repeat([0.0, 0.0, 1.0, 1.0, 0.0], 20)
    values, codes = np.repeat([1, 2, 4, 5, math.nan], 20), np.repeat([0, 0, 1, 1, math.nan], 20)
    assert found_in(lines(bend), numbers(values)).rule == "z > 3 or missing"
    assert found_in(lines(other), numbers(values)).rule == "z ≤ 3 or missing"
    assert found_in(lines(bend), names(codes)).rule == "town is not Oslo, or missing"
    driver = found_in(lines(other), names(codes))
    assert (driver.rule, driver.n_rule, driver.n_rest) == ("town is Oslo or missing", 60, 40)


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
    e = ice.explain(truth, X, grid="quantile", grid_size=30, progress=False)
    table = e.drivers("X2")
    assert table["feature"].tolist() == ["X3", "X1"]
    best, other = table.to_dict("records")
    assert best["share"] > 0.98
    assert abs(float(best["rule"].removeprefix("X3 > "))) < 0.01
    assert other["share"] < 0.05
    assert (best["n_yes"], best["n_no"]) == ((X["X3"] >= 0).sum(), (X["X3"] < 0).sum())
    explained = f"{best['rule']} explains {best['share'] * 100:.0f} %."
    assert e["X2"].drivers_summary == f"Curves differ (100 % of their variance); of that, {explained}"


def test_a_planted_interaction_is_found_in_what_a_model_learned_of_it():
    """A gradient boosting fitted to noisy values: the same feature, about the same threshold, by every method."""
    X, noise = planted()
    model = GradientBoostingRegressor(random_state=0).fit(X, truth(X) + noise)
    options = {"grid": "quantile", "grid_size": 30, "progress": False, "features": ["X2"]}
    table, plain = (ice.explain(model, X, method=method, **options).drivers("X2") for method in ("tree", "brute"))
    assert table["feature"][0] == "X3"
    assert table["share"][0] > 0.9
    assert abs(float(table["rule"][0].removeprefix("X3 > "))) < 0.05
    pd.testing.assert_frame_equal(table, plain, rtol=1e-9)  # curves of trees change at few of many values


def test_nothing_explains_an_additive_model():
    """Its lines run alike, whatever their level; the table of a feature alone has no rows."""
    X, _ = planted(100)
    explanation = ice.explain(lambda X: (X["X1"] ** 2 + np.sin(3 * X["X2"])).to_numpy(), X, progress=False)
    for feature in X:
        table = explanation.drivers(feature)
        assert (table["share"] < 1e-9).all()
        assert (table["rule"] == "").all()
        assert explanation[feature].drivers_summary == ALIKE
    alone = ice.explain(lambda X: X[:, 0], np.arange(6.0)[:, None], progress=False)
    assert (len(alone.drivers("x0")), alone["x0"].drivers_summary) == (0, ALIKE)


def test_every_column_and_group_is_a_second_feature():
    """Groups are one, their members none; objects of no kind are compared by their text; values may be infinite."""
    n = 240
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
        is_first = X["note"].map(lambda note: 0 in note)
        return (X["a"] * (1 + 2 * X["east"] + (X["code"] == 7) + is_first)).to_numpy(dtype=float)

    explanation = ice.explain(
        model, X, features=["a"], groups={"side": ["east", "west"]}, categorical_features=["code"], progress=False
    )
    assert explanation.drivers("a").set_index("feature")["rule"].to_dict() == {
        "side": "side is east", "code": "code is 3", "far": "far > 0", "note": "note is frozenset({0})"
    }  # fmt: skip


def test_few_of_many_rows_are_looked_at_and_the_note_says_so(monkeypatch):
    """Rows are drawn by a seed, stratified by the feature; rows without weight say nothing."""
    monkeypatch.setattr("ice_explorer.feature.MOST_ROWS", 50)
    X, _ = planted()
    weights = np.where(np.arange(600) < 400, 1.0, 0.0)
    explanations = [ice.explain(truth, X, sample_weight=weights, progress=False) for _ in range(2)]
    tables = [e.drivers("X2") for e in explanations]
    assert explanations[0]["X2"].drivers_summary.endswith(" Found on a stratified sample: 50 of 400 rows.")
    pd.testing.assert_frame_equal(*tables)
    assert tables[0]["feature"][0] == "X3"


def test_they_are_found_once_and_the_curves_are_not_kept():
    """A second search does not call the model."""
    X, _ = planted(40)
    n_calls = 0

    def model(X):
        nonlocal n_calls
        n_calls += 1
        return truth(X)

    explanation = ice.explain(model, X, method="brute", progress=False)
    first = explanation.drivers("X2")
    asked = n_calls
    assert_array_equal(explanation.drivers("X2")["share"], first["share"])
    assert n_calls == asked
    assert explanation["X2"]._rows == {}
