"""Times the brute engine against scikit-learn on the same curves, and prints a table.

The two take turns, so that whatever else the machine does falls on both; medians are compared.
Both evaluate every feature of every observation at all observed values. The engine turns the
curves into its metrics, scikit-learn hands them over; that they are equal is checked aside.

Run it as `make bench`.
"""

import statistics
import time
import warnings

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose
from sklearn.ensemble import RandomForestRegressor
from sklearn.inspection import partial_dependence
from sklearn.neural_network import MLPRegressor

import ice_explorer as ice

ROUNDS = 5
N_OBSERVATIONS = 500
N_DISTINCT = [2, 10, 60, 60, 120, 120]  # values of each feature


def data():
    """A table whose features have few or many values, and an output that is neither linear nor additive."""
    generator = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            f"feature {position}": generator.permutation(np.arange(N_OBSERVATIONS) % n_distinct) / n_distinct
            for position, n_distinct in enumerate(N_DISTINCT)
        }
    )
    y = np.sin(6 * X["feature 2"]) + X["feature 0"] * X["feature 4"] + generator.normal(scale=0.1, size=len(X))
    return X, y


def with_engine(model, X):
    """Every metric of every feature, and with that all curves, block by block."""
    return ice.explain(model, X, engine="brute", progress=False)


def with_sklearn(model, X):
    """Curves of every feature."""
    return [
        partial_dependence(
            model,
            X,
            [name],
            kind="individual",
            method="brute",
            percentiles=(0, 1),
            grid_resolution=N_OBSERVATIONS + 1,  # more than there are values, so that each is taken
        ).individual[0]
        for name in X.columns
    ]


def timed(function, *arguments):
    """Seconds of one call."""
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def compare(model, X):
    """Median seconds of engine and scikit-learn, after checking that their curves agree."""
    explanation = with_engine(model, X)
    for name, theirs in zip(X.columns, with_sklearn(model, X), strict=True):
        assert_allclose(explanation[name].curves, theirs, rtol=1e-9, atol=1e-12)
    seconds = {with_engine: [], with_sklearn: []}
    for round_ in range(ROUNDS):
        for function in (with_engine, with_sklearn) if round_ % 2 else (with_sklearn, with_engine):
            seconds[function].append(timed(function, model, X))
    return statistics.median(seconds[with_engine]), statistics.median(seconds[with_sklearn])


def main():
    """Print one row per model."""
    X, y = data()
    models = {
        "random forest, 100 trees": RandomForestRegressor(random_state=0),
        "neural network, 100 units": MLPRegressor(random_state=0, max_iter=100),
    }
    n_phantoms = len(X) * sum(N_DISTINCT)
    print(f"{len(X)} observations, {len(N_DISTINCT)} features, {n_phantoms} phantom observations, {ROUNDS} rounds")
    print(f"{'':26}{'ice_explorer':>14}{'scikit-learn':>14}{'ratio':>8}")
    for name, model in models.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the network need not converge to be timed
            model.fit(X, y)
        engine, sklearn = compare(model, X)
        print(f"{name:26}{engine:>12.2f} s{sklearn:>12.2f} s{sklearn / engine:>7.1f}×")


if __name__ == "__main__":
    main()
