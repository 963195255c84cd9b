"""Compile the kernels ahead of the first explanation."""

from __future__ import annotations

import numpy as np

from ice_explorer.explain_model import explain
from ice_explorer.runtime import HAS_NUMBA


def compile_kernels() -> None:
    """Compile what explaining tree models needs, once per installation.

    The first explanation of such a model does this, too, and takes a few seconds longer; later processes find the
    compiled kernels on disk. Does nothing where numba is not installed.
    """
    if not HAS_NUMBA:
        return
    from sklearn.ensemble import RandomForestRegressor

    X = np.random.default_rng(0).normal(size=(600, 3))  # so many values that decays are not summed one by one
    X[:, 2] = X[:, 2] > 0
    model = RandomForestRegressor(5, random_state=0).fit(X, X[:, 0] * X[:, 1] + X[:, 2])
    explain(model, X, categorical_features=["x2"], progress=False)
