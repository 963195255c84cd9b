"""`explain_partitions` gives what `explain` gives on all rows, whatever runs it."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from partitioned import parts_of, run_of
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression

import ice_explorer as ice

METRICS = ["impact", "in_distribution_impact", "direction", "heterogeneity", "non_linearity", "support"]


@pytest.fixture(scope="module", name="X")
def table():
    """Numbers, levels that not every partition has, and missing values."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(900, 3)).round(1), columns=["a", "b", "c"])
    table.loc[::7, "b"] = np.nan
    table["city"] = np.where(np.arange(900) < 300, "Oslo", rng.choice(["Bern", "Rome"], 900))
    return table


@pytest.fixture(scope="module")
def model(X):
    """Trees that take missing values and, as codes of a fixed list, cities."""
    codes = _numbers(X)
    target = codes["a"] * codes["b"].fillna(1) + codes["c"] + codes["city"]
    return Coded(HistGradientBoostingRegressor(max_iter=10, random_state=0).fit(codes, target))


class Coded:
    """A model of numbers as one of texts."""

    def __init__(self, inner):
        self.inner = inner

    def predict(self, X):
        return self.inner.predict(_numbers(X))


def _numbers(X):
    return X.assign(city=X["city"].map({"Bern": 0.0, "Oslo": 1.0, "Rome": 3.0}).astype(float))


def assert_same(found, expected):
    """Metrics, partial dependence and spread of all features."""
    assert found.features == expected.features
    for feature in expected.features:
        mine, right = found[feature], expected[feature]
        for name in METRICS:
            assert_allclose(getattr(mine, name), getattr(right, name), rtol=1e-10, atol=1e-13, err_msg=name)
        assert str(mine._item.feature.levels) == str(right._item.feature.levels)
        assert_allclose(mine.grid if mine.kind == "numeric" else 0, right.grid if right.kind == "numeric" else 0)
        assert_allclose(mine.partial_dependence, right.partial_dependence, rtol=1e-10)
        assert_allclose(mine.spread, right.spread, rtol=1e-10, atol=1e-13)
    assert_allclose(found._prediction_sd, expected._prediction_sd, rtol=1e-10)


@pytest.mark.parametrize("pairwise", [False, True])
def test_partitions_give_what_all_rows_give(model, X, pairwise):
    """An empty partition and levels that are elsewhere change nothing."""
    partitions = [*parts_of(X, 5), X.iloc[:0]]
    assert_same(ice.explain_partitions(model, run_of(partitions, pairwise=pairwise)), ice.explain(model, X))


def test_trees_are_read_on_the_cluster_too():
    """Partitions of an array, with options of `explain`."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 3))
    model = HistGradientBoostingRegressor(max_iter=10, random_state=0).fit(X, X[:, 0] * X[:, 1])
    options = {"features": [0, "x2"], "grid": "quantile", "grid_size": 20, "decay": 0.5}
    found = ice.explain_partitions(model, run_of(np.array_split(X, 3)), **options)
    assert found.method == "tree"
    assert_same(found, ice.explain(model, X, **options))


def test_weights_come_with_the_partitions(model, X):
    """Rows without weight count as little as those that are absent."""
    weights = np.random.default_rng(2).integers(0, 4, len(X)).astype(float)
    weights[:180] = 0
    found = ice.explain_partitions(model, run_of(parts_of(X, 5), np.array_split(weights, 5)))
    assert_same(found, ice.explain(model, X, sample_weight=weights))
    assert found.settings.weighted


def test_more_rows_than_are_sent_leave_a_sample():
    """A note says which figures are of all rows."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.integers(0, 30, size=(12_000, 2)).astype(float), columns=["a", "b"])
    model = LinearRegression().fit(X, X["a"] - 2 * X["b"])
    found = ice.explain_partitions(model, run_of(parts_of(X, 3)))
    assert_same(found, ice.explain(model, X))
    assert found["a"].curves.shape[0] == 10_000
    assert found.notes[0] == (
        "Metrics, partial dependence and spread are of all 12,000 rows; curves, histograms, drivers and effects of "
        "10,000 of them, drawn at random."
    )
