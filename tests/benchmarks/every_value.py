"""Grids of every observed value: as many as rows."""

import time

from measuring import grids_of, interleaved, n_values, ours
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
    values = n_values(grids_of(ours(work.X, work.model, options)))
    calls = {
        clock.__name__: (lambda clock=clock: ours(work.X, work.model, options), clock)
        for clock in (time.process_time, time.perf_counter)
    }
    took = {name: interleaved({name: call}, rounds, clock)[name] for name, (call, clock) in calls.items()}
    return [
        work.text.rsplit(",", 1)[0],
        f"{values:,}".replace(",", " "),
        f"{values * len(work.X):.2g}",
        f"{took['process_time']:.3g} s",
        f"{took['perf_counter']:.3g} s",
    ]


def rows(options):
    """Yield the lines of the table."""
    for name in WORKLOADS:
        if not options.names or name in options.names:
            yield row(load(name, options.share), options.rounds)
