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
