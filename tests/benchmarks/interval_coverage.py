"""Prints how often bootstrap intervals of 300 rows cover the metrics of the 20,000 rows that they were drawn from.

A synthetic population has numbers that are uniform, skewed, correlated, normal and heavy-tailed, a binary column and a
category; the model is a known function with interactions, bends and steps. Each of 500 draws takes 300 rows and
`e.table(ci=0.95)`. An interval covers if the metric of all rows lies within. Two questions differ:

- "grid": samples are evaluated at the grid of the population, so that rows are all that varies.
- "own grid": samples are evaluated at their own observed values, as by default. The range of a sample is smaller than
  that of its source; metrics of columns with tails depend on it, and no interval from rows knows.

The percentiles of the standard deviation of heavy tails (lognormal) are too narrow, as is known of the bootstrap; their
coverage is printed and not checked.

Run it as `python tests/benchmarks/interval_coverage.py [draws]`. The exit status is 1 if the coverage of impact,
in-distribution impact, direction or heterogeneity of any other column on the grid of the population is below 90 % or
above 98 %.
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd

import ice_explorer as ice

N_POPULATION, N_ROWS, N_DRAWS = 20_000, 300, 500
METRICS = ["impact", "in_distribution_impact", "direction", "heterogeneity", "non_linearity", "support"]
CHECKED = METRICS[:4]
LEAST, MOST = 0.9, 0.98


def population(n_rows, seed=0):
    """Draw the rows that samples are drawn from."""
    random = np.random.default_rng(seed)
    uniform = random.uniform(size=n_rows)
    columns = {
        "uniform": uniform,
        "skewed": random.beta(1.0, 4.0, size=n_rows),
        "correlated": np.clip(0.7 * uniform + 0.3 * random.uniform(size=n_rows), 0.0, 1.0),
        "normal": random.normal(size=n_rows),
        "heavy": np.exp(random.normal(size=n_rows)),
        "binary": random.uniform(size=n_rows) < 0.3,
        "category": random.choice([0.0, 1.0, 2.5], size=n_rows, p=[0.5, 0.35, 0.15]),
    }
    return pd.DataFrame(columns)


def model(X):
    """Predict, with interactions of every feature."""
    uniform, skewed, correlated, normal, heavy, binary, category = X.to_numpy(float).T
    return (
        3.0 * uniform * correlated
        + np.sin(5.0 * correlated) * (1.0 + binary)
        + 2.0 * np.square(skewed) * (0.5 + uniform)
        + (normal > 0.5) * (1.0 + uniform)
        + np.tanh(normal) * skewed
        + np.log(heavy) * (0.5 + 0.5 * binary)
        + binary * (uniform - 0.3)
        + category * (0.3 + correlated)
    )


def figures(X, grids, ci=None):
    """Explain the rows; at their observed values, where there are no grids."""
    e = ice.explain(model, X, grid=grids or "observed", categorical=["category"], progress=False)
    return e.table(sort_by=None, ci=ci)


def coverage(n_draws, n_rows=N_ROWS, n_population=N_POPULATION, *, grid_size=60, settings=("grid", "own grid")):
    """Return the share of intervals that cover, by (grid, metric) and feature."""
    rows = population(n_population)
    levels = np.linspace(0.0, 1.0, grid_size)
    grids = {name: np.unique(np.quantile(rows[name], levels, method="inverted_cdf")) for name in rows}
    random = np.random.default_rng(1)
    used = {"grid": grids, "own grid": {}}
    truths = {name: figures(rows, used[name]) for name in settings}
    counts = {(name, metric): pd.Series(0.0, rows.columns) for name in settings for metric in METRICS}
    for _ in range(n_draws):
        sample = rows.iloc[random.choice(n_population, n_rows, replace=False)].reset_index(drop=True)
        for name, truth in truths.items():
            table = figures(sample, used[name], ci=0.95)
            for metric in METRICS:
                low, high = table[f"{metric}_low"] - 1e-9, table[f"{metric}_high"] + 1e-9
                counts[name, metric] += (low <= truth[metric]) & (truth[metric] <= high)
    shares = pd.DataFrame(counts).T / n_draws
    undefined = pd.DataFrame({key: truths[key[0]][key[1]].isna() for key in counts}).T
    return shares.mask(undefined)


def main(n_draws):
    """Print the table and return the exit status."""
    found = coverage(n_draws)
    print(f"Coverage of 95 % intervals in {n_draws} draws of {N_ROWS} rows from {N_POPULATION:,}, in per cent")
    print((100 * found).round(1).to_string(na_rep=""))
    checked = found.loc["grid"].loc[CHECKED].drop(columns="heavy")
    outside = (checked < LEAST) | (checked > MOST)
    for metric, feature in np.argwhere(outside.to_numpy()):
        print(f"Outside: {checked.index[metric]} of {checked.columns[feature]}.")
    return int(outside.to_numpy().any())


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else N_DRAWS))
