"""Interactions: equal to plain loops, and to closed forms."""

from __future__ import annotations

import numpy as np
import pandas as pd
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
    assert i.pairs["size"].is_monotonic_decreasing


def test_whole_weights_are_repeated_rows():
    """Rows of weight 0 are left out."""
    X = data().iloc[:40]
    weights = np.random.default_rng(1).integers(0, 3, len(X))
    i = explain(nonlinear, X, sample_weight=weights).interactions()
    repeated = explain(nonlinear, X.loc[X.index.repeat(weights)].reset_index(drop=True)).interactions()
    pd.testing.assert_series_equal(i.features, repeated.features)
    pd.testing.assert_frame_equal(i.pairs, repeated.pairs)


def test_an_additive_function_has_none():
    """Exactly 0, in spite of rounding."""
    i = explain(lambda X: X[:, 0] ** 2 + X[:, 1] + 1e6, gaussians()).interactions()
    assert_array_equal(i.features, 0)
    assert_array_equal(i.pairs, 0)


def test_a_product_is_all_interaction():
    """On a balanced design of -1 and 1 the product has no partial dependence; with both terms beside it, it is c²."""
    X = np.array([[a, b] for a in (-1.0, 1.0) for b in (-1.0, 1.0)])
    i = explain(lambda X: X[:, 0] * X[:, 1], X).interactions()
    assert_allclose(i.features, 1)
    assert_allclose(i.pairs["h2"], 1)
    for c in (0.5, 3):
        i = explain(lambda X, c=c: X[:, 0] + X[:, 1] + c * X[:, 0] * X[:, 1], X).interactions()
        assert_allclose(i.features, c**2 / (2 + c**2))
        assert_allclose(i.pairs["h2"], c**2 / (2 + c**2))


def test_a_model_without_effects_has_none():
    """Nor has a feature that the model does not use."""
    i = explain(lambda X: np.full(len(X), 7.0), gaussians()).interactions()
    assert_array_equal(i.features, 0)
    X = np.column_stack([gaussians(), np.arange(200.0)])
    i = explain(lambda X: X[:, 0] * X[:, 1], X).interactions()
    assert i.features["x2"] == 0
    assert i.pairs["h2"]["x0", "x2"] == 0


def test_missing_values_are_values_of_rows():
    """Rows that lack a value are moved to it and from it."""
    X = np.column_stack([[0.0, 1.0, 2.0, np.nan], [1.0, 2.0, 0.0, 5.0]])
    model = lambda X: np.where(np.isnan(X[:, 0]), 10, X[:, 0]) + X[:, 1]  # noqa: E731
    i = explain(model, X).interactions()
    assert_array_equal(i.features, 0)


def test_a_structure_that_is_read_gives_what_the_model_gives():
    """Predictions are those of the curves of the tree method."""
    X = data()[["x", "z", "rooms"]].iloc[:80]
    model = RandomForestRegressor(n_estimators=5, random_state=0).fit(X, X["x"] * X["z"])
    tree, brute = (explain(model, X, method=method).interactions() for method in ("tree", "brute"))
    pd.testing.assert_series_equal(tree.features, brute.features)


def test_batches_obey_the_memory_limit():
    """No call of the model has more phantoms than fit, and the figures are the same."""
    X, calls = gaussians(), []

    def model(X):
        calls.append(len(X))
        return X[:, 0] * X[:, 1] ** 2

    whole = explain(model, X).interactions()
    expected = whole.features, whole.pairs
    little = explain(model, X, memory_limit="100kB").interactions()
    calls.clear()
    assert_allclose(little.features, expected[0])
    assert_allclose(little.pairs, expected[1])
    assert max(calls) <= 100_000 // 152


def test_rows_are_drawn_by_prediction():
    """A seeded sample that covers the predictions, the same in every call."""
    X = gaussians(1000)
    e = explain(lambda X: X[:, 0] * X[:, 1], X)
    i, again = e.interactions(sample=50), e.interactions(sample=50)
    assert_array_equal(i.rows, again.rows)
    assert len(i.rows) == 50
    ranks = np.argsort(np.argsort(X[:, 0] * X[:, 1]))[i.rows]
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
