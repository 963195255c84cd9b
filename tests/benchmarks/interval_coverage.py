"""Prints how often intervals of 300 rows cover the metrics of the 20,000 rows that they were drawn from.

A synthetic population has numbers that are uniform, skewed, correlated, normal and heavy-tailed, a binary column and a
category; the model is a known function with interactions, bends and steps. Each of 500 draws takes 300 rows and
`e.table(ci=0.95)`. An interval covers if the metric of all rows lies within. What the grid is makes three questions:

- "one grid": samples and population are evaluated at the same values.
- "grid of the sample": both are evaluated at 60 quantiles of the sample, as in a grid of observed values.
- "grid of each": the population is evaluated at its own quantiles, which is what a user wants to know.

The standard deviation of a lognormal column is rarely near that of its source in 300 rows; it is the length of the
steps and the unit of distances.

Run it as `python tests/benchmarks/interval_coverage.py [draws]`. The exit status is 1 if the coverage of impact,
in-distribution impact, direction or heterogeneity of any column but "heavy" is below 88 % or above 98 % on the grid of
each, by more than draws differ by chance.
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd

import ice_explorer as ice

N_POPULATION, N_ROWS, N_DRAWS = 20_000, 300, 500
METRICS = ["impact", "in_distribution_impact", "direction", "heterogeneity", "non_linearity", "support", "rank"]
CHECKED = METRICS[:4]
LEAST, MOST = 0.88, 0.98
SETTINGS = ("one grid", "grid of the sample", "grid of each")
EVERY = 5  # draw is compared with 20,000 rows on its grid, which takes long


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
    """Explain the rows."""
    e = ice.explain(model, X, grid=grids, categorical_features=["category"], progress=False)
    table = e.table(rank_by=None, ci=ci)
    table["rank"] = table["in_distribution_impact"].rank(ascending=False)
    return table


def quantiles(X, n_values):
    """Return quantiles of each column that are observed values, its ends among them."""
    levels = np.linspace(0.0, 1.0, n_values)
    return {name: np.unique(np.quantile(X[name], levels, method="inverted_cdf")) for name in X}


def coverage(n_draws, n_rows=N_ROWS, n_population=N_POPULATION, *, grid_size=60, settings=SETTINGS):
    """Return the share of intervals that cover, by (setting, metric) and feature."""
    rows = population(n_population)
    grids = quantiles(rows, grid_size)
    fixed = figures(rows, grids)
    random = np.random.default_rng(1)
    covered = {(name, metric): [] for name in settings for metric in METRICS}
    for draw in range(n_draws):
        sample = rows.iloc[random.choice(n_population, n_rows, replace=False)].reset_index(drop=True)
        own = quantiles(sample, grid_size)
        for is_fixed in {name == "one grid" for name in settings}:
            table = figures(sample, grids if is_fixed else own, ci=0.95)
            truths = {"one grid": fixed} if is_fixed else {"grid of each": fixed}
            if not is_fixed and draw % EVERY == 0:
                truths["grid of the sample"] = figures(rows, own)
            for name, truth in truths.items():
                for metric in METRICS:
                    low, high = table[f"{metric}_low"] - 1e-9, table[f"{metric}_high"] + 1e-9
                    covered[name, metric].append((low <= truth[metric]) & (truth[metric] <= high))
    shares = pd.DataFrame({key: pd.concat(within, axis=1).mean(axis=1) for key, within in covered.items()}).T
    return shares.where(pd.DataFrame({key: fixed[key[1]].notna() for key in covered}).T)


def main(n_draws):
    """Print the table and return the exit status."""
    found = coverage(n_draws)
    print(f"Coverage of 95 % intervals in {n_draws} draws of {N_ROWS} rows from {N_POPULATION:,}, in per cent")
    print((100 * found).round(1).to_string(na_rep=""))
    checked = found.loc[([SETTINGS[-1]], CHECKED), :].drop(columns=["heavy"])
    chance = 2 * np.sqrt(MOST * (1 - MOST) / n_draws)
    outside = (checked < LEAST - chance) | (checked > MOST + chance)
    for at, feature in np.argwhere(outside.to_numpy()):
        print(f"Outside: {' '.join(checked.index[at][::-1])}, {checked.columns[feature]}.")
    return int(outside.to_numpy().any())


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else N_DRAWS))
