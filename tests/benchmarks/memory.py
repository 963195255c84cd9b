"""Peak memory of an explanation beyond what its process held before, in a process of its own."""

from measuring import named
from turns import Turns
from workloads import load

TITLE = "Memory"
CAPTION = (
    "Highest resident memory while explaining (every metric, 101 decays) less what the process held before, in a "
    "process of its own with compiled kernels loaded. What was freed before is handed back to the system first, so "
    "that it is not counted as held. Linux only. Target: at most 200 MB for 100 000 × 50."
)
HEAD = ["workload", "X", "extra at the peak", "kept by the explanation"]
WORKLOADS = ["cervical_forest", "house_forest", "house_histogram_boosting", "wide_lightgbm", "wide_xgboost"]


def row(name, options, *, every_value=False):
    """One line of the table."""
    text = load(name, options.share).text  # fits it, outside of the process that is measured
    with Turns() as process:
        found = process.take("peak", name, options.share, every_value=every_value)
    return [
        f"{text.rsplit(',', 1)[0]}, every observed value" if every_value else text,
        *(f"{found[what]:.0f} MB" for what in ("X", "extra", "kept")),
    ]


def rows(options):
    """Yield the lines of the table."""
    for name in named(WORKLOADS, options):
        yield row(name, options)
        if name == "wide_lightgbm":
            yield row(name, options, every_value=True)
