"""Data and models of the figures in `tests/beyond/witnesses.json`, which `tests/tools/record_witnesses.py` writes."""

import numpy as np
import pandas as pd

SIZES = ["small", "medium", "large"]


def data():
    """Correlated numbers, an integer and an ordered category."""
    generator = np.random.default_rng(12)
    n = 400
    x = generator.normal(size=n)
    z = 0.7 * x + generator.normal(size=n)
    rooms = np.clip(np.rint(4 + z), 1, 7).astype(int)
    size = pd.Categorical.from_codes(np.clip(np.rint(1 + x), 0, 2).astype(int), SIZES, ordered=True)
    return pd.DataFrame({"x": x, "z": z, "rooms": rooms, "size": size})


def nonlinear(X):
    """Return a function with interactions of every column."""
    size = pd.Categorical(X["size"], SIZES).codes
    return (np.sin(2 * X["x"]) + X["x"] * X["z"] + 0.3 * X["rooms"] * X["z"] ** 2 + size * (1 + X["x"])).to_numpy()


def target():
    """Return what a regression with a square and an interaction is fitted to."""
    X = data()
    noise = np.random.default_rng(13).normal(size=len(X))
    return X.assign(y=1 + 2 * X["x"] - X["x"] ** 2 + X["x"] * X["z"] + 0.5 * X["rooms"] + noise)


# --- the benchmarks of effector: its functions, on values that are spread evenly ----------------------

N_BINS = 16
_N_ROWS = 250 * N_BINS + 1  # so that the ends of quantile intervals are those of intervals of one width


def _evenly(n_columns):
    """Columns of evenly spread values from -1 to 1, in orders that are independent."""
    generator = np.random.default_rng(21)
    values = np.linspace(-1, 1, _N_ROWS).round(12)
    return np.column_stack([generator.permutation(values) for _ in range(n_columns)])


def _correlated():
    """The first feature lies below 0 five times out of six; the third one is the first one with noise."""
    generator = np.random.default_rng(21)
    n_below = round(5 * _N_ROWS / 6)
    x1 = np.concatenate([np.linspace(-0.5, -1e-5, n_below), np.linspace(0, 0.5, _N_ROWS - n_below)])
    return np.column_stack([x1, generator.normal(0, 2, _N_ROWS), x1 + generator.normal(0, 0.01, _N_ROWS)])


def _four_regions(X):
    x1, x2, x3, x4 = X.T
    return np.where(x3 < 0, -1, 1) * np.where(x2 < 0, x1**2, x1**4) + np.exp(x4)


def _interaction_of_correlated(X):
    x1, x2, x3 = X.T
    return np.sin(2 * np.pi * x1) * ((x1 < 0) - 2.0 * (x3 < 0)) + x1 * x2 + x2


BENCHMARKS = {
    "ConditionalInteractionUniform": (
        lambda: _evenly(3),
        lambda X: np.where(X[:, 1] < 0, -1, 1) * X[:, 0] ** 2 + np.exp(X[:, 2]),
    ),
    "GeneralInteractionUniform": (lambda: _evenly(3), lambda X: X[:, 0] * X[:, 1] ** 2 + np.exp(X[:, 2])),
    "ConditionalInteraction4RegionsUniform": (lambda: _evenly(4), _four_regions),
    "CorrelatedInteraction": (_correlated, _interaction_of_correlated),
}
"""Data and function of each, by the name of its class in effector."""


def benchmark_features(name):
    """Return the features with a closed form, by position."""
    return [0] if name == "CorrelatedInteraction" else list(range(4 if "4" in name else 3))


def places(name):
    """Return values of a feature at which effects are compared."""
    return np.linspace(-1, 1, N_BINS + 1).round(12) * (0.5 if name == "CorrelatedInteraction" else 1)
