"""What partitions cost on a cluster: `python tests/benchmarks/partitions.py ROWS COLUMNS hist|lgbm|linear GRID_SIZE`.

Seconds of processor time of one thread, and bytes that are sent, for the tables of `notebooks/guides/clusters.md`.
"""

import os
import pickle
import sys
import time
from functools import partial
from resource import RUSAGE_SELF, getrusage

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import pandas as pd
from lightgbm import LGBMRegressor
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression

from ice_explorer import cluster

MODELS = {
    "hist": HistGradientBoostingRegressor(random_state=0),
    "lgbm": LGBMRegressor(n_estimators=500, n_jobs=1, verbose=-1),
    "linear": LinearRegression(),
}


def timed(label, function, *args):
    """Call, and print the processor time; with the size of what comes out."""
    start = time.process_time()
    found = function(*args)
    seconds = time.process_time() - start
    print(f"{label:28}{seconds:8.2f} s {len(pickle.dumps(found)) / 1e6:8.2f} MB", flush=True)
    return found, seconds


def measure(n_rows, n_columns, name, grid_size):
    """Print one line for each step."""
    names = [f"x{at}" for at in range(n_columns)]

    def table(seed, n=n_rows):
        return pd.DataFrame(np.random.default_rng(seed).normal(size=(n, n_columns)), columns=names)

    fit = table(0, 20_000)
    model = MODELS[name].fit(fit, fit @ np.linspace(1, 0, n_columns) + fit["x0"] * fit["x1"])
    print(f"{name}: {n_rows:,} rows x {n_columns} columns, model {len(pickle.dumps(model)) / 1e6:.2f} MB")
    options, rows = {"grid": "quantile", "grid_size": grid_size}, table(1)
    cluster.summarise(model, table(2, 1000), 2, **options)
    summary, seconds = timed("summary of a partition", partial(cluster.summarise, model, rows, 0, **options))
    print(f"    {n_rows / seconds:,.0f} rows/s")
    timed("merging 8 summaries", cluster.merge, *[summary] * 8)
    grids = cluster.make_grids(model, summary)
    cluster.partial_sums(model, table(2, 1000), 2, grids)  # compiles
    print(f"    grids and scales {len(pickle.dumps(grids)) / 1e6:.2f} MB; before: {_most_memory():.2f} GB")
    sums, seconds = timed("sums of a partition", cluster.partial_sums, model, rows, 0, grids)
    held = n_rows * n_columns * 8 / 1e9
    print(f"    {n_rows / seconds:,.0f} rows/s; after: {_most_memory():.2f} GB, of which rows {held:.2f} GB")
    timed("merging 8 sums", cluster.merge, *[sums] * 8)


def _most_memory():
    return getrusage(RUSAGE_SELF).ru_maxrss / 1e6


if __name__ == "__main__":
    measure(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
