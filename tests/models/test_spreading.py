"""Models that spread their own work: for few rows, or when asked side by side, they do not; numbers stay."""

import threading

import joblib
import numpy as np
import parity
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ice_explorer as ice


def table(n=300):
    rng = np.random.default_rng(12)
    return np.column_stack([rng.normal(size=n), rng.integers(0, 9, n), rng.random(n)]).round(2)


class Spread(RegressorMixin, BaseEstimator):
    """Predicts in parts, by joblib, and notes how many rows were asked for and which threads predicted."""

    def __init__(self, n_jobs=2):
        self.n_jobs = n_jobs

    def fit(self, X, _=None):
        self.n_features_in_, self.asked_ = X.shape[1], []
        return self

    def predict(self, X):
        def part(rows):
            threads.add(threading.get_ident())
            return rows[:, 0] * rows[:, 1] - rows[:, 2]

        threads = set()
        parts = joblib.Parallel(n_jobs=self.n_jobs, require="sharedmem")(
            joblib.delayed(part)(rows) for rows in np.array_split(X, 8)
        )
        self.asked_.append((len(X), threads == {threading.get_ident()}))
        return np.concatenate(parts)


@pytest.mark.parametrize("n_jobs", [2, 1])
def test_few_rows_are_predicted_by_one_thread(n_jobs):
    """Many by as many as the model was set to, unless several threads call it."""
    model = Spread(n_jobs).fit(table())
    ice.explain(model, table(), progress=False)
    assert {n <= 256 for n, _ in model.asked_} == {True, False}
    assert all(alone == (n <= 256 or n_jobs == 1 or joblib.cpu_count() == 1) for n, alone in model.asked_)
    model.asked_.clear()
    ice.explain(model, table(), n_jobs=2, progress=False)
    assert any(n > 256 for n, _ in model.asked_)
    assert all(alone for _, alone in model.asked_)


@pytest.mark.parametrize("method", ["auto", "brute"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_numbers_do_not_depend_on_what_spreads(method, n_jobs):
    """A forest adds up its trees in the order in which threads end, which it is set to use, and stays so."""
    X = table()
    forest = RandomForestRegressor(n_estimators=8, max_depth=7, random_state=0)
    model = make_pipeline(StandardScaler(), forest).fit(X, X[:, 0] * X[:, 1] + X[:, 2])
    options = {"method": method, "grid": "quantile", "grid_size": 9}
    expected = parity.explained(model, X, **options)
    forest.n_jobs = 2
    parity.assert_equal_explanations(parity.explained(model, X, n_jobs=n_jobs, **options), expected)
    assert model[-1].get_params()["n_jobs"] == 2
    # What was set for the time of a call is set no more.
    assert joblib.parallel.get_active_backend()[0].__class__.__name__ == "LokyBackend"
