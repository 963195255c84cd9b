"""The conditional scale counts observations by weight, in `explain` and in an explorer."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import ice_explorer as ice

RANDOM = np.random.default_rng(0)
N = 24
X = pd.DataFrame({"z": RANDOM.normal(size=N), "level": pd.Categorical(RANDOM.choice(list("abc"), N))})
X.insert(0, "x", X["z"] + RANDOM.normal(size=N) * np.where(X["z"] > 0, 0.2, 2.0))
WEIGHTS = np.where(X["z"] > 0, 1, 6) * RANDOM.integers(0, 2, N)  # heavy where x varies most
FEATURES = ["x", "level"]


def model(rows):
    return rows["x"].to_numpy() * (1.0 + (rows["level"] == "a").to_numpy())


@pytest.mark.wide
def test_integer_weights_are_repeated_rows(make):
    """The likelihoods of numbers and of levels are those of rows that occur as often."""
    repeats = np.repeat(np.arange(N), WEIGHTS)
    rows = X.iloc[repeats].reset_index(drop=True)
    repeated = ice.explain(model, rows, features=FEATURES, distance="conditional", progress=False)
    weighted = ice.explain(model, X, features=FEATURES, distance="conditional", sample_weight=WEIGHTS, progress=False)
    explorer = make(model, X, features=FEATURES, sample_weight=WEIGHTS)
    explorer.distance = "conditional"
    for name in FEATURES:
        expected = repeated[name].likelihood(0.5)
        assert len(np.unique(expected)) > 10
        for found in (weighted[name], explorer.explanation[name]):
            assert_allclose(found.likelihood(0.5, rows=repeats), expected, rtol=1e-9)
