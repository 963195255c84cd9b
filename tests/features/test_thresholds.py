"""Grids of thresholds of trees applied to X itself."""

import lightgbm
import numpy as np
import pandas as pd
import parity
import pytest
import xgboost
from numpy.testing import assert_array_equal
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor

from ice_explorer.trees.forest import read_forest

N = 120
FEW = {"n_estimators": 6, "max_depth": 6, "random_state": 0}


def frame():
    """Numbers far from 0, around it, whole, heavy-tailed, missing and in single precision, and booleans."""
    rng = np.random.default_rng(8)
    X = pd.DataFrame(
        {
            "far": rng.normal(1000.0, 10.0, N),
            "around": rng.normal(size=N),
            "whole": rng.integers(0, 9, N),
            "tail": rng.lognormal(size=N),
            "gaps": np.where(rng.random(N) < 0.2, np.nan, rng.random(N)),
            "single": rng.normal(size=N).astype(np.float32),
            "flag": rng.random(N) < 0.5,
            "idle": np.arange(N) % 7,
        }
    )
    y = X["far"] / 10 + X["around"] * X["whole"] + X["tail"] * X["flag"] + X["gaps"].fillna(0.5)
    return X, y + 3 * X["single"]


X, Y = frame()
NUMBERS = ["far", "around", "whole", "tail", "gaps", "single"]
TREES = {
    "forest": lambda: RandomForestRegressor(**FEW),
    "histograms": lambda: HistGradientBoostingRegressor(max_iter=6, min_samples_leaf=3),
    "XGBoost": lambda: xgboost.XGBRegressor(n_estimators=6, max_depth=4, n_jobs=1),
    "LightGBM": lambda: lightgbm.LGBMRegressor(n_estimators=6, min_child_samples=3, n_jobs=1, verbose=-1),
}


def predicted(model, feature, values):
    """Predictions of a few rows with each value, (n_rows, n_values)."""
    rows = X.iloc[:10]
    stacked = rows.loc[np.repeat(rows.index, len(values))].reset_index(drop=True)
    phantoms = stacked.assign(**{feature: np.tile(values, len(rows))})
    return np.asarray(model.predict(phantoms), float).reshape(len(rows), len(values))


@pytest.mark.parametrize("trees", TREES)
def test_curves_step_at_grid_values_and_nowhere_else(trees):
    """Each threshold inside the data is a grid value, between two of which curves are constant to the last number."""
    model = parity.quiet(TREES[trees]().fit, X, Y)
    e = parity.explained(model, X, grid="thresholds", sample=40)
    forest, is_single = read_forest(model, None, "predict"), trees in {"forest", "XGBoost"}
    rng = np.random.default_rng(1)

    def neighbour(values, towards):
        if not is_single:
            return np.nextafter(values, towards)
        return np.nextafter(values.astype(np.float32), np.float32(towards)).astype(float)

    for at, name in enumerate(NUMBERS):
        grid = e[name].grid.astype(float)
        assert (grid[0], grid[-1]) == (X[name].min(), X[name].max())
        expected = np.unique(forest.threshold[forest.feature == at])
        inside = np.unique(expected[(expected > grid[0]) & (expected < grid[-1])])
        assert np.abs(inside[:, None] - grid).min(axis=1, initial=np.inf).max(initial=0) < 1e-4
        assert len(grid) <= 2 + len(inside)
        # A grid value is the last number on the left of a step, or of XGBoost the first one on its right.
        first, last = grid[:-1], neighbour(grid[1:], -np.inf)
        if trees != "XGBoost":
            first, last = neighbour(grid[:-1], np.inf), grid[1:]
        between = predicted(model, name, np.clip(rng.uniform(grid[:-1], grid[1:]), first, last))
        for ends in (first, last):  # the data may end within the first and the last interval
            assert_array_equal(predicted(model, name, ends)[:, 1:-1], between[:, 1:-1])
    assert e["flag"].grid.tolist() == [False, True]


def test_a_column_that_no_tree_looks_at_has_the_extremes_as_its_grid():
    """It has no threshold."""
    model = RandomForestRegressor(n_estimators=2, max_depth=1, random_state=0).fit(X.drop(columns="gaps"), Y)
    e = parity.explained(model, X.drop(columns="gaps"), grid="thresholds")
    assert_array_equal(e["idle"].grid, [0, 6])
