"""Rows up to a million: seconds in one thread and in two, and memory."""

from measuring import named
from turns import Turns, checkouts, in_turn
from workloads import load, some

TITLE = "Tall tables"
CAPTION = (
    "The LightGBM model of 100 000 × 50, explained on so many rows at 64 quantiles: every metric and 101 decays. "
    "Each figure is of a process of its own in which the libraries have as many threads as ours; versions and threads "
    "take turns. Memory is the highest resident memory while explaining less what the process held before, X included, "
    "at the default `memory_limit` of 1 GB. Linux only. Targets at a million rows: 50 s in one thread, 1.8 times "
    "faster in two, 600 MB."
)
HEAD = [
    "rows", "X", "version", "1 thread, processor", "1 thread, wall", "2 threads, wall", "times faster",
    "extra at the peak, 1 thread", "2 threads", "kept by the explanation",
]  # fmt: skip
ROWS = [10_000, 100_000, 1_000_000]
NAME = "wide_lightgbm"


def measured(checkout, n_rows, threads, share):
    """Measure one version in a new process."""
    with Turns(checkout, threads) as process:
        return process.take("peak", NAME, share, n_rows=n_rows, n_jobs=threads)


def rows(options):
    """Yield the lines of the table."""
    load(NAME, options.share)  # fits it, outside of the processes that are timed
    for n_rows in named(ROWS, options):
        n = some(n_rows, options.share)
        calls = {
            (version, threads): lambda at=checkout, threads=threads, n=n: measured(at, n, threads, options.share)
            for version, checkout in checkouts(options).items()
            for threads in (1, 2)
        }
        took = in_turn(calls, options.rounds)
        for version in checkouts(options):
            one, two = took[version, 1], took[version, 2]
            yield [
                f"{n:,}".replace(",", " "),
                f"{one['X']:.0f} MB",
                version,
                f"{one['processor']:.3g} s",
                f"{one['wall']:.3g} s",
                f"{two['wall']:.3g} s",
                f"{one['wall'] / two['wall']:.2f}",
                f"{one['extra']:.0f} MB",
                f"{two['extra']:.0f} MB",
                f"{one['kept']:.0f} MB",
            ]
