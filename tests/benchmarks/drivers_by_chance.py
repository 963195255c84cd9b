"""How often something is claimed of curves that no column explains, and how often what is planted is found.

Each curve is a line. Its slope is noise that a hash of the other columns draws, so that it belongs to its row and has
nothing to do with any column; in the last two rows of the table it depends on one column, or on two. Columns are
numbers, numbers with missing values, categories of five levels and truth values, in turn.

Usage: python tests/benchmarks/drivers_by_chance.py [N_SEEDS]
"""

from __future__ import annotations

import sys
from statistics import NormalDist

import numpy as np
import pandas as pd

import ice_explorer as ice

N_ROWS = (50, 100, 200, 500)
N_COLUMNS = (6, 21)
N_SEEDS = 50

SLOPES = {
    "normal": lambda _, noise: noise,
    "log-normal, σ = 1.5": lambda _, noise: np.exp(1.5 * noise),
    "planted: sign of x0, and as much noise": lambda X, noise: np.sign(X["x0"]) + noise,
    "planted: sign of x0 · x4": lambda X, _: np.sign(X["x0"] * X["x4"]),
}


def table(generator, n, n_columns):
    """Columns of four kinds, in turn, and the feature whose curves are lines."""
    X = pd.DataFrame({"feature": generator.normal(size=n)})
    for number in range(n_columns):
        values = generator.normal(size=n)
        match number % 4:
            case 1:
                values[generator.random(n) < 0.1] = np.nan
            case 2:
                values = pd.Categorical.from_codes(generator.integers(0, 5, n), list("pqrst"))
            case 3:
                values = values > 0
        X[f"x{number}"] = values
    return X


def noise(X):
    """Normal numbers, the same for equal rows."""
    hashed = pd.util.hash_pandas_object(X.drop(columns="feature"), index=False).to_numpy()
    return np.array([NormalDist().inv_cdf((value + 0.5) / 2**64) for value in hashed.tolist()])


def claims(kind, seed, n, n_columns):
    """Whether a column is said to explain anything."""
    X = table(np.random.default_rng([seed, n, n_columns]), n, n_columns)

    def model(X):
        return (X["feature"] * SLOPES[kind](X, noise(X))).to_numpy(dtype=float)

    explained = ice.explain(model, X, features=["feature"], grid="quantile", grid_size=4, progress=False)
    return bool(explained["feature"]._search_drivers().reported)


def main():
    n_seeds = int(sys.argv[1]) if len(sys.argv) > 1 else N_SEEDS
    heads = [f"{n} × {n_columns}" for n in N_ROWS for n_columns in N_COLUMNS]
    print(f"Draws of {n_seeds} with a claim, by rows × columns\n")
    print("| slopes |", " | ".join(heads), "|")
    print("| --- |", " | ".join("---" for _ in heads), "|")
    for kind in SLOPES:
        cells = []
        for n in N_ROWS:
            for n_columns in N_COLUMNS:
                found = [claims(kind, seed, n, n_columns) for seed in range(n_seeds)]
                cells.append(f"{sum(found)}")
        print(f"| {kind} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
