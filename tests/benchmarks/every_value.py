"""Grids of every observed value: as many as rows."""

import statistics
import time

from measuring import LONG, grids_of, n_values, ours, taken
from workloads import load

TITLE = "Every observed value"
CAPTION = (
    'Ours in one thread with `grid="observed"` and no cap, so that a feature has as many values as it has distinct '
    "observed ones. Target: at most 15 s."
)
HEAD = ["workload", "values of all features", "phantoms", "processor seconds", "wall seconds"]
WORKLOADS = ["wide_lightgbm", "wide_xgboost"]


def row(work, rounds):
    """One line of the table."""
    options = {"grid": "observed", "grid_size": len(work.X)}
    processor, wall = [], []
    while len(wall) < rounds and max(wall, default=0.0) < LONG:
        start = time.perf_counter()
        seconds, explanation = taken(lambda: ours(work.X, work.model, options))
        processor.append(seconds)
        wall.append(time.perf_counter() - start)
    values = n_values(grids_of(explanation))
    return [
        work.text.rsplit(",", 1)[0],
        f"{values:,}".replace(",", " "),
        f"{values * len(work.X):.2g}",
        f"{statistics.median(processor):.3g} s",
        f"{statistics.median(wall):.3g} s",
    ]


def rows(options):
    """Yield the lines of the table."""
    for name in WORKLOADS:
        if not options.names or name in options.names:
            yield row(load(name, options.share), options.rounds)
