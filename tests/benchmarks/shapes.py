"""Tables of other shapes: wide, fine grids of a linear model, thousands of levels; in scripts and in the explorer."""

from measuring import named
from turns import checkouts, in_turn
from workloads import load

TITLE = "Wide tables, fine grids and many levels"
CAPTION = (
    "One thread. `explain` and its table in processor seconds, also for each feature; scikit-learn at the same values, "
    "timed on three features at five values each and scaled. Of an explorer without a browser wall seconds from the "
    "start of its constructor: until it returns, until the first feature has a bar, until every feature has one, and "
    "until all is exact. The version before, this one and scikit-learn take turns."
)
HEAD = ["workload", "what", "before", "ours", "target, at most", "scikit-learn", "ratio (target)"]
WIDE, RIDGE, LEVELS = "wide_extremely_random_trees", "linear_at_every_value", "many_levels"
EXPLAIN = {WIDE: 6.0, RIDGE: None, LEVELS: 2.0}  # seconds
PER_FEATURE = {RIDGE: 0.010}
RATIOS = {WIDE: 10_000, RIDGE: 1}
EXPLORER = {"constructor": 0.5, "first bar": None, "all bars": 1.0, "exact": None}


def line(work, what, seconds, target, sklearn=None):
    """A line of the table; `seconds` by version."""
    before = f"{seconds['before']:.3g} s" if "before" in seconds else "–"
    ratio = "–" if sklearn is None else f"{sklearn / seconds['ours']:.3g} (≥ {RATIOS[work.name]})"
    return [
        work.text,
        what,
        before,
        f"{seconds['ours']:.3g} s",
        "–" if target is None else f"{target:g} s",
        "–" if sklearn is None else f"{sklearn:.3g} s",
        ratio,
    ]


def lines(name, options):
    """Yield the lines of a workload."""
    work, processes = load(name, options.share), options.processes
    for process in processes.values():
        process.take("warm", name, options.share)
    calls = {each: lambda of=process: of.take("table", name, options.share) for each, process in processes.items()}
    if name in RATIOS:
        calls["sklearn"] = lambda: processes["ours"].take("sklearn", name, options.share)
    took = in_turn(calls, options.rounds)
    sklearn = took.pop("sklearn")["scaled"] if name in RATIOS else None
    yield line(work, "`explain`", took, EXPLAIN[name], sklearn)
    if name in PER_FEATURE:
        n = work.X.shape[1]
        each = {version: seconds / n for version, seconds in took.items()}
        yield line(work, "`explain`, each feature", each, PER_FEATURE[name], sklearn / n)
    if name == WIDE:
        calls = {
            version: lambda of=processes[version]: of.take("explorer", name, options.share)
            for version, checkout in checkouts(options).items()
            if (checkout / "src" / "ice_explorer" / "static" / "explorer.js").exists()  # its front end is built
        }
        took = in_turn(calls, options.rounds)
        for what, target in EXPLORER.items():
            yield line(work, f"explorer: {what}", {version: of[what] for version, of in took.items()}, target)


def rows(options):
    """Yield the lines of the table."""
    for name in named(EXPLAIN, options):
        yield from lines(name, options)
