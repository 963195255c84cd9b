"""Two threads beside one: the same workloads in processes whose libraries have so many threads."""

import json
import sys
import time

from measuring import grids_of, in_new_process, interleaved, n_values, named, ours
from numpy.testing import assert_allclose
from peers import ScikitLearn, few_of
from workloads import load

TITLE = "Two threads"
CAPTION = (
    "Wall seconds, in one process for each number of threads; OpenMP, OpenBLAS, MKL and the model's own `n_jobs` are "
    "set to that number, ours to `n_jobs` of it. Of scikit-learn three features at five values each are timed, and "
    "scaled to all."
)
HEAD = [
    "workload", "ours, 1 thread", "ours, 2 threads", "times faster", "scikit-learn, 1 thread",
    "scikit-learn, 2 threads", "ratio, 1 thread", "ratio, 2 threads",
]  # fmt: skip
WORKLOADS = [
    "cervical_forest", "house_forest", "house_histogram_boosting", "wide_lightgbm", "wide_xgboost",
    "small_support_vectors", "linear",
]  # fmt: skip


def measure(name, share, rounds, threads):
    """Median wall seconds of both, and the table of ours as text."""
    work = load(name, share)
    if "n_jobs" in work.model.get_params():
        work.model.set_params(n_jobs=threads)
    explanation = ours(work.X, work.model, work.options, threads)
    grids = grids_of(explanation)
    few = few_of(grids)
    calls = {
        "ours": lambda: ours(work.X, work.model, work.options, threads),
        "sklearn": lambda: ScikitLearn().run(work, few),
    }
    took = interleaved(calls, rounds, time.perf_counter)
    whole = took["sklearn"] / n_values(few) * n_values(grids)
    return {"ours": took["ours"], "sklearn": whole, "impact": explanation.table()["impact"].tolist()}


def row(name, options):
    """One line of the table."""
    one, two = (
        in_new_process(__file__, name, options.share, options.rounds, threads, threads=threads) for threads in (1, 2)
    )
    assert_allclose(one["impact"], two["impact"], rtol=1e-9, err_msg=name)
    return [
        load(name, options.share).text,
        f"{one['ours']:.3g} s",
        f"{two['ours']:.3g} s",
        f"{one['ours'] / two['ours']:.2f}",
        f"{one['sklearn']:.3g} s",
        f"{two['sklearn']:.3g} s",
        f"{one['sklearn'] / one['ours']:.3g}",
        f"{two['sklearn'] / two['ours']:.3g}",
    ]


def rows(options):
    """Yield the lines of the table."""
    for name in named(WORKLOADS, options):
        load(name, options.share)  # fits it, outside of the processes that are timed
        yield row(name, options)


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))))
