"""Prints the processor time of bootstrap intervals and of the conditional scale on the data of the paper and more rows.

- cervical cancer: 858 rows, 30 columns, the forest of the paper.
- bike sharing: 728 rows, 13 columns, a forest; where the file is named.
- function: 20,000 rows, 3 columns, 1,000 grid values each, curves kept and not kept.

"first" draws all rows for all features; "near" is another decay in the same octave of -ln(decay), "far" one in another.

Run it as `python tests/benchmarks/uncertainty.py [bike.csv]`.
"""

import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import ice_explorer as ice
from ice_explorer.datasets import load_cervical_cancer

DECAYS = {"first": 0.7, "near": 0.72, "far": 0.4, "far, again": 0.45}


def seconds(work):
    """Return how long it takes all cores together, and what it returns."""
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def timed(name, model, X, *, is_conditional=True, **options):
    """Print a row of the table."""
    took, e = seconds(lambda: ice.explain(model, X, progress=False, **options))
    times = {"explain": took} | {draw: seconds(lambda d=d: e.table(d, ci=0.95))[0] for draw, d in DECAYS.items()}
    if is_conditional:
        times["conditional scale"] = (
            seconds(lambda: ice.explain(model, X, scale="conditional", progress=False, **options))[0] - took
        )
    print(f"{name}: " + ", ".join(f"{what} {value:.2f} s" for what, value in times.items()))


def main(bikes):
    """Print all rows."""
    X, y = load_cervical_cancer()
    timed("cervical cancer", RandomForestClassifier(n_estimators=500, random_state=20).fit(X, y), X)
    if bikes is not None:
        X = pd.read_csv(bikes).drop(columns=["instant", "dteday", "casual", "registered"], errors="ignore")
        y = X.pop("cnt")
        X = X.apply(lambda column: column if column.dtype.kind in "if" else pd.factorize(column, sort=True)[0])
        timed("bike sharing", RandomForestRegressor(random_state=0).fit(X, y), X)
    X = np.random.default_rng(0).normal(size=(20_000, 3))

    def function(X):
        return np.sin(3 * X[:, 0]) * X[:, 1] + (X[:, 2] > 0.3) * X[:, 0]

    timed("function, kept", function, X, is_conditional=False, keep_curves=True, memory_limit="8GB")
    timed("function, not kept", function, X, is_conditional=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
