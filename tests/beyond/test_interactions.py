"""Interactions: equal to plain loops, and to closed forms."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import RandomForestRegressor
from witnesses import data, nonlinear

import ice_explorer as ice


def explain(model, X, **options):
    return ice.explain(model, X, progress=False, **options)


def gaussians(n=200, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 2))


def oracle(model, X, weights, names):
    """H² of Friedman & Popescu by loops over rows: Eq. 44 of two features, Eq. 45 of one."""
    mean = lambda values: np.average(values, weights=weights)  # noqa: E731

    def dependence(columns):
        found = []
        for _, row in X.iterrows():
            moved = X.copy()
            for column in columns:
                moved[column] = pd.Series([row[column]] * len(X), dtype=X[column].dtype)
            found.append(mean(model(moved)))
        return np.array(found) - mean(found)

    rest = [column for column in X.columns if column not in names]
    whole = dependence(names) if len(names) == 2 else model(X) - mean(model(X))
    parts = dependence(names[:1]) + dependence(names[1:] or rest)
    return mean((whole - parts) ** 2) / mean(whole**2)


def test_figures_are_those_of_loops():
    """With weights, for numbers, whole numbers and categories."""
    X = data().iloc[:25]
    weights = np.random.default_rng(2).uniform(0.5, 3, len(X))
    i = explain(nonlinear, X, sample_weight=weights).interactions(list(X.columns))
    for name in X.columns:
        assert_allclose(i.features[name], oracle(nonlinear, X, weights, [name]), rtol=1e-9)
    assert len(i.pairs) == 6
    for pair in i.pairs.index[::2]:
        assert_allclose(i.pairs["h2"][pair], oracle(nonlinear, X, weights, list(pair)), rtol=1e-9, atol=1e-20)
    assert i.features.is_monotonic_decreasing
    assert i.pairs["h2"].is_monotonic_decreasing


def test_whole_weights_are_repeated_rows():
    """Rows of weight 0 are left out."""
    X = data().iloc[:40]
    weights = np.random.default_rng(1).integers(0, 3, len(X))
    i = explain(nonlinear, X, sample_weight=weights).interactions()
    repeated = explain(nonlinear, X.loc[X.index.repeat(weights)].reset_index(drop=True)).interactions()
    pd.testing.assert_series_equal(i.features, repeated.features)
    pd.testing.assert_frame_equal(i.pairs, repeated.pairs)
    for name in X.columns:
        assert_allclose(i.additivity(name).share, repeated.additivity(name).share, rtol=1e-9)


def test_an_additive_function_has_none():
    """Exactly 0, in spite of rounding, and said so; curves are parallel in Y = X1² + X2."""
    i = explain(lambda X: X[:, 0] ** 2 + X[:, 1] + 1e6, gaussians()).interactions()
    assert_array_equal(i.features, 0)
    assert_array_equal(i.pairs, 0)
    found = i.additivity("x0")
    assert (found.share, found.low, found.high) == (0, 0, 0)
    assert found.verdict == "x0 acts additively: its curves are parallel."


def test_a_product_is_all_interaction():
    """On a balanced design of -1 and 1 the product has no partial dependence; with both terms beside it, it is c²."""
    X = np.array([[a, b] for a in (-1.0, 1.0) for b in (-1.0, 1.0)])
    i = explain(lambda X: X[:, 0] * X[:, 1], X).interactions()
    assert_allclose(i.features, 1)
    assert_allclose(i.pairs, 1)
    for c in (0.5, 3):
        i = explain(lambda X, c=c: X[:, 0] + X[:, 1] + c * X[:, 0] * X[:, 1], X).interactions()
        assert_allclose(i.features, c**2 / (2 + c**2))
        assert_allclose(i.pairs["h2"], c**2 / (2 + c**2))
        assert_allclose(i.additivity("x0").share, c**2 / (1 + c**2))


def test_a_model_without_effects_has_none():
    """Nor has a feature that the model does not use."""
    i = explain(lambda X: np.full(len(X), 7.0), gaussians()).interactions()
    assert_array_equal(i.features, 0)
    assert i.additivity("x0").share == 0
    X = np.column_stack([gaussians(), np.arange(200.0)])
    i = explain(lambda X: X[:, 0] * X[:, 1], X).interactions()
    assert i.features["x2"] == 0
    assert i.pairs["h2"]["x0", "x2"] == 0


@pytest.mark.wide
def test_slopes_of_rows_are_compared():
    """Curves with slopes β: the share is Var(β) / mean(β²), and its interval covers 1/2, that of the population."""
    covered = []
    for seed in range(60):
        X = gaussians(150, seed)
        found = explain(lambda X: X[:, 0] * (1 + X[:, 1]), X, random_state=seed).interactions().additivity("x0")
        slopes = 1 + X[:, 1]
        assert_allclose(found.share, slopes.var() / np.mean(slopes**2), rtol=1e-9)
        covered.append(found.low <= 0.5 <= found.high)
    assert 0.87 <= np.mean(covered) <= 0.99


def test_changes_of_levels_are_compared():
    """A category whose changes differ between rows, and one whose do not."""
    X = pd.DataFrame({"city": ["a", "b", "c", "a"] * 10, "z": np.arange(40.0)})
    codes = {"a": 0.0, "b": 1.0, "c": 5.0}

    def effect(X):
        return X["city"].map(codes).astype(float)

    assert explain(lambda X: effect(X) + X["z"], X).interactions().additivity("city").share == 0
    found = explain(lambda X: effect(X) * X["z"], X).interactions().additivity("city")
    assert_allclose(found.share, X["z"].var(ddof=0) / np.mean(X["z"] ** 2), rtol=1e-9)
    assert found.verdict.startswith("The effect of city depends on other features: ")


@pytest.mark.parametrize(("spread", "how_far"), [(0.5, "nearly"), (1.5, "mostly")])
def test_how_far_a_feature_acts_additively_is_said(spread, how_far):
    """Where the interval ends below 5 % and below 25 %."""
    e = explain(lambda X: X[:, 0] * (5 + spread * X[:, 1]), gaussians())
    found = e.interactions().additivity("x0")
    shown = f"{100 * found.share:.3g} % of its squared slope (95 % interval {100 * found.low:.3g}"
    assert found.verdict.startswith(f"x0 acts {how_far} additively: {shown} to ")


def test_jumps_at_places_of_their_own_hide_no_common_slope():
    """Of a staircase whose steps lie elsewhere in each row, slopes between quantiles nearly agree."""
    X = gaussians(400)
    found = explain(lambda X: np.floor(20 * X[:, 0] + X[:, 1]) / 20, X).interactions().additivity("x0")
    assert found.high < 0.1


def test_missing_values_are_values_of_rows():
    """Rows that lack a value are moved to it and from it; slopes are those along the numbers."""
    X = np.column_stack([[0.0, 1.0, 2.0, np.nan], [1.0, 2.0, 0.0, 5.0]])
    model = lambda X: np.where(np.isnan(X[:, 0]), 10, X[:, 0]) + X[:, 1]  # noqa: E731
    i = explain(model, X).interactions()
    assert_array_equal(i.features, 0)
    assert i.additivity("x0").share == 0


def test_a_structure_that_is_read_gives_what_the_model_gives():
    """Predictions are those of the curves of the tree method."""
    X = data()[["x", "z", "rooms"]].iloc[:80]
    model = RandomForestRegressor(n_estimators=5, random_state=0).fit(X, X["x"] * X["z"])
    tree, brute = (explain(model, X, method=method).interactions() for method in ("tree", "brute"))
    pd.testing.assert_series_equal(tree.features, brute.features)
    assert_allclose(tree.additivity("x").share, brute.additivity("x").share)


def test_batches_obey_the_memory_limit():
    """No call of the model has more phantoms than fit, and the figures are the same."""
    X, calls = gaussians(), []

    def model(X):
        calls.append(len(X))
        return X[:, 0] * X[:, 1] ** 2

    whole = explain(model, X).interactions()
    expected = whole.features, whole.pairs, whole.additivity("x0")
    little = explain(model, X, memory_limit="100kB").interactions()
    calls.clear()
    assert_allclose(little.features, expected[0])
    assert_allclose(little.pairs, expected[1])
    assert_allclose(little.additivity("x0").low, expected[2].low)
    assert max(calls) <= 100_000 // 152


def test_rows_are_drawn_by_prediction():
    """A seeded sample that covers the predictions, the same in every call."""
    X = gaussians(1000)
    e = explain(lambda X: X[:, 0] * X[:, 1], X)
    i, again = e.interactions(sample=50), e.interactions(sample=50)
    assert_array_equal(i.row_positions, again.row_positions)
    assert len(i.row_positions) == 50
    ranks = np.argsort(np.argsort(X[:, 0] * X[:, 1]))[i.row_positions]
    assert_array_equal(np.sort(ranks) // 20, np.arange(50))
    assert repr(i) == "<Interactions of 2 features on 50 rows>"


def test_pairs_are_those_of_the_strongest_features():
    """Of many features the five with the largest H², unless they are named; nothing is predicted for them before."""
    X, calls = np.random.default_rng(0).normal(size=(30, 7)), []

    def model(X):
        calls.append(len(X))
        return X[:, :6] @ np.arange(6) + X[:, 5] * X[:, 4] * (1 + X[:, 6])

    e = explain(model, X)
    i = e.interactions()
    assert set(i.features.index[:3]) == {"x4", "x5", "x6"}
    calls.clear()
    assert len(i.pairs) == 10
    assert sum(calls) > 0
    calls.clear()
    assert len(i.pairs) == 10
    assert calls == []
    assert e.interactions(["x0", "x6"]).pairs.index.tolist() == [("x0", "x6")]
