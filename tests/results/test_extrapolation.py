"""Which phantom observations are unlike any observation."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import ice_explorer as ice
from ice_explorer.results import extrapolation


def product(X):
    X = np.asarray(X, dtype=float)
    return X[:, 0] * X[:, 1]


def square_without_a_quadrant(n=500):
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, size=(2 * n, 2))
    return X[(X[:, 0] < 0) | (X[:, 1] < 0)][:n]


def test_phantoms_in_an_empty_quadrant_are_unlike_any_observation():
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
    """By curve, by grid value and of all; the threshold is above 99 % of the observations."""
    X = square_without_a_quadrant(300)
    f = ice.explain(product, X, progress=False)["x0"]
    found = f.extrapolation()
    assert_array_equal(found.is_unlike, found.scores > found.threshold)
    assert_allclose(found.curve_shares, found.is_unlike.mean(axis=1))
    assert_allclose(found.grid_shares, found.is_unlike.mean(axis=0))
    assert_allclose(found.share, found.is_unlike.mean())
    own = found.scores[np.arange(300), np.searchsorted(f.grid, X[:, 0])]
    assert np.sum(own > found.threshold) == 3
    percent = round(100 * found.share)
    assert found.summary == f"{percent} % of the phantom observations of 'x0' are unlike any observation."
    some = f.extrapolation(rows=[7, 2])
    assert_array_equal(some.scores, found.scores[[7, 2]])
    assert some.threshold == found.threshold


def test_scores_are_distances_from_the_mean_in_spreads():
    """The conditional scale of `explain` is s_i; one feature alone has the mean and σ of all rows."""
    random = np.random.default_rng(1)
    z = random.normal(size=200)
    X = np.column_stack([z, 0.9 * z + 0.4 * random.normal(size=200)])
    f = ice.explain(product, X, scale="conditional", progress=False)["x0"]
    scores = f.extrapolation().scores
    steps = np.abs(np.diff(scores, axis=1)) / np.diff(f.grid)
    far = np.abs(scores[:, 1:]) > 1.5
    assert_allclose(steps[far], np.broadcast_to(1 / f.likelihood_scale[:, None], steps.shape)[far], rtol=1e-6)
    alone = ice.explain(lambda X: X[:, 0], X[:, :1], progress=False)["x0"]
    assert_allclose(alone.extrapolation().scores[0], np.abs(alone.grid - z.mean()) / z.std(), rtol=1e-9, atol=1e-12)


def test_levels_are_scored_by_their_probability():
    """A level that the other columns make impossible is unlike any observation; one that nobody has, too."""
    random = np.random.default_rng(0)
    town = random.choice(["n", "e", "s"], size=400)
    X = pd.DataFrame(
        {"town": pd.Categorical(town, ["n", "e", "s", "w"]), "b": (town == "n") + random.uniform(size=400) / 2}
    )
    e = ice.explain(lambda X: X["b"].to_numpy(float), X, grid={"town": ["n", "e", "s", "w"]}, progress=False)
    f = e["town"]
    found, levels = f.extrapolation(), f.grid.tolist()
    assert ((found.scores >= 0) & (found.scores <= 1)).all()
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

    with pytest.raises(KeyboardInterrupt):
        f._unlike_shares(end)
    f._unlike_shares(lambda: n_fits.append(1))
    assert len(n_fits) == (2 + 5 if is_category else 2 + 10)
