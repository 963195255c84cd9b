"""The engines beside scikit-learn and beside the version before, and two threads beside one."""

from measuring import named
from turns import in_turn
from workloads import load

TITLE = "Engines"
CAPTION = (
    "Processor seconds of ours in one thread; everything is timed: reading the model, grids, every metric, 101 decays. "
    '`partial_dependence(kind="individual", method="brute")` of scikit-learn, which gives curves and no metric, is '
    "timed at all rows on three features at five values each, and scaled to all values. The version before, this one, "
    "scikit-learn and two threads take turns. The last column is wall seconds with `n_jobs=1` over those with 2."
)
HEAD = ["workload", "before", "ours", "times faster", "scikit-learn", "ratio (target)", "two threads (target)"]
TARGETS = {
    "cervical_forest": 150, "house_forest": 100, "house_forest_of_small_trees": 150, "house_histogram_boosting": 400,
    "wide_lightgbm": 1300, "wide_xgboost": 210, "small_support_vectors": 120, "logistic": 7,
    "linear": 5,
}  # fmt: skip
IN_TWO_THREADS = {
    "house_forest", "house_forest_of_small_trees", "house_histogram_boosting", "wide_lightgbm", "wide_xgboost",
}  # fmt: skip
TIMES_FASTER = 1.8


def row(name, options):
    """One line of the table."""
    work, processes = load(name, options.share), options.processes  # fits it, outside of the processes that are timed
    for process in processes.values():
        process.take("warm", name, options.share)
    ours = processes["ours"]
    calls = {each: lambda of=process: of.take("everything", name, options.share) for each, process in processes.items()}
    calls["sklearn"] = lambda: ours.take("sklearn", name, options.share)
    if name in IN_TWO_THREADS:
        calls["two"] = lambda: ours.take("everything", name, options.share, n_jobs=2)
    took = in_turn(calls, options.rounds)
    mine, theirs = took["ours"]["processor"], took["sklearn"]["scaled"]
    before = took["before"]["processor"] if "before" in took else None
    return [
        work.text,
        "–" if before is None else f"{before:.3g} s",
        f"{mine:.3g} s",
        "–" if before is None else f"{before / mine:.2f}",
        f"{theirs:.3g} s",
        f"{theirs / mine:.3g} (≥ {TARGETS[name]})",
        f"{took['ours']['wall'] / took['two']['wall']:.2f} (≥ {TIMES_FASTER})" if "two" in took else "–",
    ]


def rows(options):
    """Yield the lines of the table."""
    for name in named(TARGETS, options):
        yield row(name, options)
