"""What is timed: a table, a fitted model, and how it is explained.

A workload takes the share of its rows and trees that it shall have: 1 is what the results are of,
less is for trying out a benchmark. Fitted ones are kept under `build`, for every part of the
benchmarks to read.
"""

import hashlib
import os
import warnings
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd

from ice_explorer import datasets

KEPT = Path(__file__).parents[2] / "build" / "benchmarks"
WHAT_MODELS_DEPEND_ON = ["scikit-learn", "numpy", "pandas", "xgboost-cpu", "lightgbm"]


@dataclass(frozen=True)
class Workload:
    """One line of a table.

    Attributes
    ----------
    name : str
        Name of the function that makes it.
    text : str
        Rows × columns, model, grid.
    X : DataFrame or ndarray
        What is explained.
    model : object
        Fitted.
    options : dict
        Of `explain`.
    """

    name: str
    text: str
    X: Any
    model: Any
    options: dict[str, Any]

    def column(self, feature):
        """Name of a feature where X has names, its position otherwise."""
        return feature if isinstance(self.X, pd.DataFrame) else int(feature[1:])

    def predict(self, X):
        """Predict what `explain` explains: the probability of the second class, or a number."""
        return self.model.predict_proba(X)[:, 1] if hasattr(self.model, "predict_proba") else self.model.predict(X)


def load(name, share=1.0):
    """Read a workload, fitted now if it was not fitted before by the same libraries and the same lines."""
    depends_on = [Path(__file__).read_text(encoding="utf-8"), *map(version, WHAT_MODELS_DEPEND_ON)]
    digest = hashlib.sha256("\n".join(depends_on).encode()).hexdigest()[:12]
    kept = KEPT / f"{name}-{share:g}-{digest}.joblib"
    function = globals()[name]
    if not kept.exists():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a network need not converge to be timed
            made = function(share)
        kept.parent.mkdir(parents=True, exist_ok=True)
        part = kept.with_suffix(f".{os.getpid()}")
        joblib.dump(made, part)
        part.rename(kept)
    return Workload(name, function.__doc__.rstrip("."), *joblib.load(kept))


def some(whole, share):
    """Part of so many rows or trees."""
    return max(2, round(whole * share))


# --- tables -----------------------------------------------------------------------------------------


def houses(n):
    """Eight columns in the manner of house prices: skewed, whole and rounded numbers."""
    generator = np.random.default_rng(2)
    region = generator.integers(0, 3, n)
    X = np.column_stack(
        [
            np.exp(generator.normal(1.2, 0.45, n)).clip(0.5, 15),
            generator.integers(1, 53, n),
            np.exp(generator.normal(1.65, 0.3, n)),
            1 + generator.gamma(2, 0.05, n),
            np.exp(generator.normal(7, 0.7, n)).round(),
            1 + generator.gamma(4, 0.5, n),
            (np.choose(region, [34, 37.7, 36]) + generator.normal(0, 0.8, n)).round(2),
            (np.choose(region, [-118.2, -122.2, -120]) + generator.normal(0, 0.8, n)).round(2),
        ]
    )
    far = np.hypot(X[:, 6] - 34, X[:, 7] + 118.2)
    y = 0.45 * X[:, 0] - 0.5 * np.log(X[:, 5]) + 0.3 * np.log(X[:, 2]) * (X[:, 0] > 4) - 0.12 * far
    return X, y + generator.normal(0, 0.35, n)


def wide(n, p=50):
    """Normal, whole, binary and skewed columns, and two classes."""
    generator = np.random.default_rng(3)
    X = generator.normal(size=(n, p))
    X[:, 10:20] = generator.integers(0, 10, (n, 10))
    X[:, 20:25] = generator.integers(0, 2, (n, 5))
    X[:, 25:30] = np.exp(X[:, 25:30])
    score = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + X[:, 3] ** 2 + 0.5 * X[:, 20] * X[:, 4]
    score += 0.1 * X[:, 10] * X[:, 5] + 0.3 * X[:, 6:10].sum(axis=1) + np.tanh(X[:, 25])
    return X, (score + generator.normal(size=n) > np.median(score)).astype(int)


def small(n, p=10):
    """Numbers, half of them whole, with a smooth output."""
    generator = np.random.default_rng(4)
    X = generator.normal(size=(n, p)).round(2)
    X[:, p // 2 :] = generator.integers(0, 12, (n, p - p // 2))
    return X, np.sin(X[:, 0]) * X[:, 1] + X[:, p // 2] * 0.1 + generator.normal(0, 0.1, n)


# --- trees ------------------------------------------------------------------------------------------


def cervical_forest(share):
    """The paper's data and model: 858 × 32, 500 trees, all observed values."""
    from sklearn.ensemble import RandomForestClassifier

    X, y = datasets.load_cervical_cancer()
    return X, RandomForestClassifier(some(500, share), random_state=20).fit(X, y), {}


def house_forest(share):
    """20 000 × 8, 200 fully grown trees, 100 quantiles."""
    from sklearn.ensemble import RandomForestRegressor

    X, y = houses(some(20_000, share))
    return X, RandomForestRegressor(some(200, share), random_state=0).fit(X, y), {"grid": "quantile"}


def house_forest_of_small_trees(share):
    """20 000 × 8, 200 trees with at least 5 observations in a leaf, 100 quantiles."""
    from sklearn.ensemble import RandomForestRegressor

    X, y = houses(some(20_000, share))
    model = RandomForestRegressor(some(200, share), min_samples_leaf=5, random_state=0).fit(X, y)
    return X, model, {"grid": "quantile"}


def house_histogram_boosting(share):
    """20 000 × 8, 300 iterations of histogram gradient boosting, 100 quantiles."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    X, y = houses(some(20_000, share))
    model = HistGradientBoostingRegressor(max_iter=some(300, share), early_stopping=False, random_state=0)
    return X, model.fit(X, y), {"grid": "quantile"}


def wide_lightgbm(share):
    """100 000 × 50, LightGBM with 500 trees of 63 leaves, 64 quantiles."""
    from lightgbm import LGBMClassifier

    X, y = wide(some(100_000, share))
    model = LGBMClassifier(
        n_estimators=some(500, share), max_depth=7, num_leaves=63, learning_rate=0.05, n_jobs=1, verbose=-1
    )
    return X, model.fit(X, y), {"grid": "quantile", "grid_size": 64}


def wide_xgboost(share):
    """100 000 × 50, XGBoost with 500 trees of depth 6, 64 quantiles."""
    from xgboost import XGBClassifier

    X, y = wide(some(100_000, share))
    model = XGBClassifier(n_estimators=some(500, share), max_depth=6, learning_rate=0.05, n_jobs=1).fit(X, y)
    return X, model, {"grid": "quantile", "grid_size": 64}


def wide_extremely_random_trees(share):
    """1500 × 2000, 60 extremely random trees, all observed values up to 1000."""
    from sklearn.ensemble import ExtraTreesRegressor

    generator = np.random.default_rng(6)
    X = generator.normal(size=(1500, some(2000, share)))
    y = X[:, :10].sum(axis=1) + X[:, 0] * X[:, 1] + generator.normal(size=len(X))
    model = ExtraTreesRegressor(some(60, share), max_features=0.1, min_samples_leaf=3, random_state=0)
    return X, model.fit(X, y), {}


# --- anything else ----------------------------------------------------------------------------------


def small_network(share):
    """1000 × 10, a neural network of 100 units, 50 quantiles."""
    from sklearn.neural_network import MLPRegressor

    X, y = small(some(1000, share))
    model = MLPRegressor(random_state=0, max_iter=200).fit(X, y)
    return X, model, {"grid": "quantile", "grid_size": 50}


def network(share):
    """5000 × 20, a neural network of 128 and 64 units behind a scaler, 50 quantiles."""
    from sklearn.neural_network import MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = small(some(5000, share), 20)
    model = make_pipeline(StandardScaler(), MLPRegressor(hidden_layer_sizes=(128, 64), random_state=0, max_iter=30))
    return X, model.fit(X, y), {"grid": "quantile", "grid_size": 50}


def small_support_vectors(share):
    """1000 × 10, support vector regression with a radial kernel behind a scaler, 50 quantiles."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR

    X, y = small(some(1000, share))
    return X, make_pipeline(StandardScaler(), SVR()).fit(X, y), {"grid": "quantile", "grid_size": 50}


def small_linear(share):
    """1000 × 10, ridge regression, 50 quantiles."""
    from sklearn.linear_model import Ridge

    X, y = small(some(1000, share))
    return X, Ridge().fit(X, y), {"grid": "quantile", "grid_size": 50}


def linear(share):
    """20 000 × 20, ridge regression, 100 quantiles."""
    from sklearn.linear_model import Ridge

    X, y = small(some(20_000, share), 20)
    return X, Ridge().fit(X, y), {"grid": "quantile"}


def linear_at_every_value(share):
    """10 000 × 20, ridge regression, all observed values up to 1000."""
    from sklearn.linear_model import Ridge

    X = np.random.default_rng(7).normal(size=(some(10_000, share), 20))
    return X, Ridge().fit(X, X @ np.arange(20)), {}


def logistic(share):
    """20 000 × 20, logistic regression behind a scaler, 100 quantiles."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = small(some(20_000, share), 20)
    return X, make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y > 0), {"grid": "quantile"}


class OfTown:
    """Predicts by the town of a row, and by its number."""

    def __init__(self, n_towns):
        self._heights = np.random.default_rng(0).normal(size=n_towns)

    def predict(self, X):
        """A product, so that curves differ."""
        return self._heights[X["town"].cat.codes.to_numpy()] * X["x"].to_numpy()


def many_levels(share):
    """500 rows of 7040, one category of 3520 levels, all of them, every phantom predicted."""
    n_towns = max(20, some(3520, share))
    generator = np.random.default_rng(8)
    towns = [f"town {number:04}" for number in range(n_towns)]
    X = pd.DataFrame(
        {"town": pd.Categorical.from_codes(generator.permutation(np.arange(2 * n_towns) % n_towns), towns)}
    )
    X["x"] = generator.normal(size=len(X))
    options = {"features": ["town"], "grid": {"town": towns}, "sample": min(500, n_towns), "method": "brute"}
    return X, OfTown(n_towns), options
