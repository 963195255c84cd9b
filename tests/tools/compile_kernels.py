"""Compile what explaining tree models needs, once per installation; later processes find it on disk."""

import numpy as np
from sklearn.ensemble import RandomForestRegressor

from ice_explorer import explain
from ice_explorer.runtime import HAS_NUMBA

if HAS_NUMBA:
    X = np.random.default_rng(0).normal(size=(600, 3))  # so many values that decays are not summed one by one
    X[:, 2] = X[:, 2] > 0
    model = RandomForestRegressor(5, random_state=0).fit(X, X[:, 0] * X[:, 1] + X[:, 2])
    explain(model, X, categorical_features=["x2"], progress=False)
