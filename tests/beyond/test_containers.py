"""Effects and measures are the same whatever container holds X."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import scipy.sparse
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from witnesses import target

import ice_explorer as ice

CONTAINERS = {
    "array": lambda X: X.to_numpy(np.float64),
    "polars": pl.from_pandas,
    "sparse": lambda X: scipy.sparse.csr_matrix(X.to_numpy(np.float64)),
}


def figures(X, y):
    """Some of every kind, by the position of a feature."""
    model = make_pipeline(MaxAbsScaler(), LinearRegression()).fit(X, y)
    e = ice.explain(model, X, progress=False)
    name = e.features[1]
    yield e.effects(name)
    yield e.marginal_effects(name, 0.5).values
    yield e.interactions(sample=20).pairs
    yield e[name].correlated()["correlation"]
    yield e.importances(y, ["native", "permutation", "loco"]).importances


@pytest.mark.wide
@pytest.mark.parametrize("container", CONTAINERS)
def test_containers_give_the_same(container):
    """As a pandas DataFrame does."""
    frame = target().iloc[:100]
    X, y = frame[["x", "z", "rooms"]].set_axis(["x0", "x1", "x2"], axis=1), frame["y"].to_numpy()  # names are seeds
    for found, expected in zip(figures(CONTAINERS[container](X), y), figures(X, y), strict=True):
        assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
