"""Which phantom observations are further from what the other features predict than 99 % of rows."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import ice_explorer as ice
from ice_explorer.locks import working
from ice_explorer.metrics import conditional
from ice_explorer.metrics.conditional import make_neighbours, nearest_by_blocks
from ice_explorer.metrics.fold_numba import nearest_points
from ice_explorer.results import extrapolation

SUMMARY = "{} % of the phantom observations of 'x0' are further from what the other features predict than 99 % of rows."


def product(X):
    X = np.asarray(X, dtype=float)
    return X[:, 0] * X[:, 1]


def square_without_a_quadrant(n=500):
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, size=(2 * n, 2))
    return X[(X[:, 0] < 0) | (X[:, 1] < 0)][:n]


def test_phantoms_in_an_empty_quadrant_are_unlike():
    """Those in the middle of it are; those where rows are, hardly ever."""
    X = square_without_a_quadrant()
    f = ice.explain(product, X, progress=False)["x0"]
    found = f.extrapolation()
    assert found.scores.shape == (500, len(f.grid))
    upper, lower = X[:, 1] > 0.1, X[:, 1] < -0.1
    assert found.is_unlike[np.ix_(upper, f.grid > 0.4)].mean() > 0.9
    assert found.is_unlike[np.ix_(lower, f.grid < 0.9)].mean() < 0.05
    assert found.is_unlike[np.ix_(upper, (f.grid > -0.9) & (f.grid < -0.1))].mean() < 0.05


def test_shares_are_of_phantoms():
    """By curve, by grid value and of all; 1 % of the rows are above the threshold."""
    X = square_without_a_quadrant(300)
    f = ice.explain(product, X, progress=False)["x0"]
    found = f.extrapolation()
    assert_array_equal(found.is_unlike, found.scores > found.threshold)
    assert_allclose(found.curve_shares, found.is_unlike.mean(axis=1))
    assert_allclose(found.grid_shares, found.is_unlike.mean(axis=0))
    assert_allclose(found.share, found.is_unlike.mean())
    own = found.scores[np.arange(300), np.searchsorted(f.grid, X[:, 0])]
    assert found.threshold == 1
    assert np.sum(own > 1) == 3
    percent = round(100 * found.share)
    assert found.summary == SUMMARY.format(percent)
    some = f.extrapolation(rows=[7, 2])
    assert_array_equal(some.scores, found.scores[[7, 2]])
    assert some.threshold == found.threshold


def test_scores_are_distances_from_the_prediction_where_no_hole_is_nearer():
    """Those from the mean in s_i, the conditional scale of `explain`, divided by their limit."""
    random = np.random.default_rng(1)
    z = random.normal(size=200)
    X = np.column_stack([z, 0.9 * z + 0.4 * random.normal(size=200)])
    f = ice.explain(product, X, distance="conditional", progress=False)["x0"]
    expected, rows = f._expected(), np.arange(200)
    z_scores = np.abs(f.axis - expected.mean[:, None]) / f.likelihood_scale[:, None]
    overall = np.abs(f.axis - X[:, 0].mean()) / X[:, 0].std()
    own = z_scores[rows, np.searchsorted(f.axis, X[:, 0])]
    assert_allclose(expected.prediction_limit, np.sort(own)[197], rtol=1e-12)
    ratios = z_scores / np.maximum(1.25 * overall, expected.prediction_limit)
    assert_allclose(expected.from_prediction(rows, f.axis[None, :]), ratios, rtol=1e-9, atol=1e-12)
    scores = f.extrapolation().scores
    far = expected.neighbours.distances(rows, f.axis[None, :]) / expected.neighbour_limit
    assert_allclose(scores * expected.joint_limit, np.maximum(ratios, far), rtol=1e-9, atol=1e-12)


def test_a_feature_alone_has_no_values_unlike_the_data_but_gaps():
    """There is nothing that predicts it; a grid value between two clusters is in a gap."""
    values = np.r_[np.linspace(-3, -2, 100), np.linspace(2, 3, 100)][:, None]
    f = ice.explain(lambda X: X[:, 0], values, grid={"x0": [-2.5, -1.0, 0.0, 1.0, 2.5]}, progress=False)["x0"]
    assert_array_equal(f.extrapolation().grid_shares, [0, 1, 1, 1, 0])
    observed = ice.explain(lambda X: X[:, 0], values, progress=False)["x0"].extrapolation()
    assert observed.share == 0


def columns_of(name, seed):
    """Return a table, and of its first column which phantom observations are in a hole; the grid, if it is given."""
    random, n = np.random.default_rng(seed), 1000
    noise, x, grid = random.normal(size=n), random.normal(size=n), np.linspace(-2.5, 2.5, 41)
    sides, near = random.choice([-2.0, 2.0], n), random.normal(0, 0.3, n)
    if name == "ring":
        angle, radius = random.uniform(0, 2 * np.pi, n), random.normal(1, 0.05, n)
        X = pd.DataFrame({"a": radius * np.cos(angle), "b": radius * np.sin(angle), "noise": noise})
        return X, lambda axis: np.hypot(axis, X["b"].to_numpy()[:, None]) < 0.7, None
    if name == "gap":
        X = pd.DataFrame({"a": sides + near, "x": x, "noise": noise})
        return X, lambda axis: np.broadcast_to(np.abs(axis) < 0.7, (n, len(axis))), grid
    if name == "gap beside another feature":
        X = pd.DataFrame({"a": sides + x + near, "x": x, "noise": noise})
        return X, lambda axis: np.abs(axis - x[:, None]) < 0.7, None
    first, second = random.random((2, n)) < 0.5
    both = {"numbers": (first ^ second) * 1.0, "texts": np.where(first ^ second, "b", "a"), "flags": first ^ second}
    X = pd.DataFrame({"a": both[name.split()[-1]], "first": first, "second": second, "noise": noise})
    return X, lambda axis: axis != (first ^ second)[:, None], None


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "name", ["ring", "gap", "gap beside another feature", "xor of numbers", "xor of texts", "xor of flags"]
)
def test_phantoms_in_a_hole_are_unlike_the_data(name, seed):
    """At least 90 % of them, while at most 2 % of the rows are."""
    X, hole_at, grid = columns_of(name, seed)
    options = {} if grid is None else {"grid": {"a": grid}}
    f = ice.explain(lambda X: np.zeros(len(X)), X, progress=False, **options)["a"]
    assert f.extrapolation().is_unlike[hole_at(f.axis)].mean() >= 0.9
    rows, expected = np.arange(len(X)), f._expected()
    assert (expected.scores(rows, f._item.feature.values[:, None]) > 1).mean() <= 0.02


INDEPENDENT = {
    "number": lambda random: random.normal(size=1000),
    "skewed number": lambda random: random.exponential(size=1000) ** 2,
    "counts": lambda random: random.poisson(1, 1000),
    "rare flag": lambda random: random.random(1000) < 0.01,
    "rare number": lambda random: (random.random(1000) < 0.01) * 1.0,
    "rare text": lambda random: np.where(random.random(1000) < 0.01, "b", "a"),
    "category": lambda random: random.choice(list("abcde"), 1000, p=[0.5, 0.3, 0.15, 0.04, 0.01]),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("make", INDEPENDENT.values(), ids=INDEPENDENT)
def test_no_value_of_an_independent_feature_is_unlike_the_data(make, seed):
    """At most 2 % of the phantom observations, rare values included."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame({"a": make(random), "noise": random.normal(size=1000), "other": random.uniform(size=1000)})
    f = ice.explain(lambda X: np.zeros(len(X)), X, progress=False)["a"]
    assert f.extrapolation().share <= 0.02


@pytest.mark.parametrize("are_texts", [False, True])
@pytest.mark.parametrize("n_rows", [200, 300, 600])
def test_no_rare_level_of_an_independent_feature_is_unlike_the_data(n_rows, are_texts):
    """At most 2 % of the phantom observations, although the folds of few rows have other shares than all rows."""
    random = np.random.default_rng(n_rows)
    for n_rare in (1, 2, 3, 5, 6):
        flag = np.zeros(n_rows)
        flag[random.choice(n_rows, n_rare, replace=False)] = 1
        X = pd.DataFrame({"a": np.where(flag, "b", "a") if are_texts else flag, "noise": random.normal(size=n_rows)})
        f = ice.explain(lambda X: np.zeros(len(X)), X, features=["a"], progress=False)["a"]
        assert f.extrapolation().share <= 0.02


def test_a_rare_level_that_the_other_features_exclude_is_unlike_the_data():
    """Of 10 rows in 300."""
    random = np.random.default_rng(0)
    other = random.uniform(size=300)
    X = pd.DataFrame({"a": np.where(other >= np.sort(other)[-10], "b", "a"), "other": other})
    f = ice.explain(lambda X: np.zeros(len(X)), X, features=["a"], progress=False)["a"]
    found = f.extrapolation().is_unlike[:, f.grid.tolist().index("b")]
    assert found[other < 0.8].mean() > 0.9
    assert found[X["a"] == "b"].mean() < 0.2


def test_of_very_many_rows_a_sample_finds_holes_but_no_rare_level(monkeypatch):
    """Of a level with 6 rows so few are in the sample that it cannot be estimated."""
    monkeypatch.setattr(conditional, "_MOST_FITTED", 500)
    X, hole_at, _ = columns_of("xor of texts", 0)
    f = ice.explain(lambda X: np.zeros(len(X)), X, features=["a"], progress=False)["a"]
    assert f.extrapolation().is_unlike[hole_at(f.axis)].mean() >= 0.9
    X["a"] = np.where(np.random.default_rng(0).permutation(len(X)) < 6, "b", "a")
    f = ice.explain(lambda X: np.zeros(len(X)), X, features=["a"], progress=False)["a"]
    assert f.extrapolation().share <= 0.02


@pytest.mark.parametrize("n_columns", [0, 1, 3])
def test_the_nearest_points_are_those_of_a_loop(n_columns):
    """The compiled kernel, and the blocks that replace it where numba is not there."""
    random = np.random.default_rng(n_columns)
    column = random.integers(0, 12, 80) / 4 if n_columns else random.normal(size=80)
    others = random.integers(0, 3, (80, n_columns)) * 1.0
    column[3] = np.nan
    others[4:6] = np.nan
    near = make_neighbours(column, others, np.ones(80), 0)
    values = np.linspace(-1, 4, 23)
    units = (values - near.centre) / near.scale
    expected = np.full((80, 23), np.inf)
    for row in range(80):
        for point in range(len(near.heights)):
            if point != near.excluded[row]:
                squared = ((near.points[point] - near.rows[row]) ** 2).sum() + (units - near.heights[point]) ** 2
                expected[row] = np.minimum(expected[row], np.sqrt(squared))
    arrays = near.heights, near.points, near.rows, near.excluded, units[None, :]
    for search in (nearest_points, nearest_by_blocks):
        found = np.empty((80, 23))
        search(*arrays, found)
        assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
        search(*arrays[:-1], np.repeat(units[7:8], 80)[:, None], found[:, :1])
        assert_allclose(found[:, 0], expected[:, 7], rtol=1e-9, atol=1e-9)


def test_levels_are_scored_by_their_probability():
    """A level that the other columns make impossible is unlike the data; one that nobody has, too."""
    random = np.random.default_rng(0)
    town = random.choice(["n", "e", "s"], size=400)
    X = pd.DataFrame(
        {"town": pd.Categorical(town, ["n", "e", "s", "w"]), "b": (town == "n") + random.uniform(size=400) / 2}
    )
    e = ice.explain(lambda X: X["b"].to_numpy(float), X, grid={"town": ["n", "e", "s", "w"]}, progress=False)
    f = e["town"]
    found, levels = f.extrapolation(), f.grid.tolist()
    assert_array_equal(found.scores[:, levels.index("w")], np.inf)
    is_north = town == "n"
    assert found.is_unlike[is_north][:, levels.index("e")].mean() > 0.95
    assert found.is_unlike[~is_north][:, levels.index("n")].mean() > 0.95
    assert found.is_unlike[~is_north][:, levels.index("s")].mean() < 0.1
    assert found.is_unlike[:, levels.index("w")].all()


def test_integer_weights_have_the_scores_of_repeated_rows():
    """And rows whose value is missing have scores, too."""
    X = square_without_a_quadrant(200)
    X[:3, 0] = np.nan
    weights = np.arange(200) % 3 + 1
    repeats = np.repeat(np.arange(200), weights)

    def model(X):
        return np.nan_to_num(X[:, 0]) * X[:, 1]

    weighted = ice.explain(model, X, sample_weight=weights, progress=False)["x0"].extrapolation()
    repeated = ice.explain(model, X[repeats], progress=False)["x0"].extrapolation()
    assert np.isfinite(weighted.scores).all()
    assert_allclose(repeated.scores, weighted.scores[repeats], rtol=1e-9, atol=1e-9)
    assert_allclose(repeated.threshold, weighted.threshold, rtol=1e-9)
    assert_allclose(repeated.share, weighted.share, rtol=1e-9)


@pytest.mark.parametrize("n_scores", [1, 10**9])
def test_shares_along_the_axis_are_the_same_block_by_block(monkeypatch, n_scores):
    """By weight, and where all weights are equal; found once."""
    monkeypatch.setattr(extrapolation, "_SCORES_AT_A_TIME", n_scores)
    X = square_without_a_quadrant(200)
    weights = np.random.default_rng(1).integers(0, 3, 200).astype(float)
    for options in ({}, {"sample_weight": weights}):
        f = ice.explain(product, X, progress=False, **options)["x0"]
        found, whole = f._unlike_shares(), f.extrapolation()
        assert_allclose(found.grid_shares, whole.grid_shares, rtol=1e-12, atol=1e-15)
        assert_allclose(found.share, whole.share)
        assert found.summary == whole.summary
        assert f._unlike_shares() is found


@pytest.mark.parametrize("is_category", [False, True])
def test_estimating_can_be_ended_between_models(is_category):
    """What is raised there ends it, and nothing half done is kept."""
    X = pd.DataFrame(square_without_a_quadrant(200), columns=["x0", "x1"])
    X["level"] = np.where(X["x1"] < 0, "a", "b")
    f = ice.explain(lambda X: X["x0"] * X["x1"], X, progress=False)["level" if is_category else "x0"]
    n_fits = []

    def end():
        n_fits.append(1)
        if len(n_fits) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), working(lambda: False, end):
        f._unlike_shares()
    with working(lambda: False, lambda: n_fits.append(1)):
        f._unlike_shares()
    assert len(n_fits) == (2 + 5 if is_category else 2 + 10)
