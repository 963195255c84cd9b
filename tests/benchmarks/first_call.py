"""The first explanation of a new process, whose kernels were compiled by an earlier one.

Run as a script this is that process, which is why nothing of ours is imported at its head.
"""

import builtins
import itertools
import json
import statistics
import sys
import time
from contextlib import contextmanager

TITLE = "First call"
CAPTION = (
    "Wall seconds in a new process, medians of so many processes; kernels were compiled by an earlier one. First the "
    "import of ours with NumPy, then reading the table and the model, which imports pandas and the model's library; "
    "then `explain(...)` twice, and how much of the first goes to modules that it imports, numba above all. Target: at "
    "most 0.5 s without those."
)
HEAD = [
    "workload", "`import ice_explorer`", "table and model", "first call", "of which imports", "without imports",
    "second call",
]  # fmt: skip
WORKLOADS = ["cervical_forest", "house_histogram_boosting", "small_xgboost", "small_network", "small_linear"]
STEPS = ["import", "model", "first", "imports", "beyond", "second"]


@contextmanager
def clocked_imports():
    """Yield a list that becomes the seconds of each import, those inside of another not counted again."""
    seconds, inside, original = [], False, builtins.__import__

    def clocked(*arguments, **named):
        nonlocal inside
        if inside:
            return original(*arguments, **named)
        inside, start = True, time.perf_counter()
        try:
            return original(*arguments, **named)
        finally:
            inside = False
            seconds.append(time.perf_counter() - start)

    builtins.__import__ = clocked
    try:
        yield seconds
    finally:
        builtins.__import__ = original


def measure(name, share):
    """Seconds of each step."""
    ticks = [time.perf_counter()]
    import ice_explorer as ice

    ticks.append(time.perf_counter())
    from workloads import load

    work = load(name, share)
    ticks.append(time.perf_counter())
    with clocked_imports() as imports:
        ice.explain(work.model, work.X, progress=False, **work.options)
    ticks.append(time.perf_counter())
    ice.explain(work.model, work.X, progress=False, **work.options)
    ticks.append(time.perf_counter())
    of_import, of_model, first, second = (after - before for before, after in itertools.pairwise(ticks))
    return dict(zip(STEPS, [of_import, of_model, first, sum(imports), first - sum(imports), second], strict=True))


def row(name, options):
    """One line of the table."""
    from measuring import in_new_process
    from workloads import load

    text = load(name, options.share).text  # fits it, outside of the processes that are timed
    # The first process compiles what no earlier one has compiled.
    took = [in_new_process(__file__, name, options.share) for _ in range(options.rounds + 1)][1:]
    medians = [statistics.median(of_one[step] for of_one in took) for step in STEPS]
    return [text, *(f"{seconds:.3f} s" for seconds in medians)]


def rows(options):
    """Yield the lines of the table."""
    for name in WORKLOADS:
        if not options.names or name in options.names:
            yield row(name, options)


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], float(sys.argv[2]))))
