"""Grids of every observed value: as many as rows."""

from measuring import named
from turns import in_turn
from workloads import load

TITLE = "Every observed value"
CAPTION = (
    'Ours in one thread with `grid="observed"` and no cap, so that a feature has as many values as it has distinct '
    "observed ones. Target: at most 15 s."
)
HEAD = ["workload", "values of all features", "phantoms", "processor seconds", "wall seconds"]
WORKLOADS = ["wide_lightgbm", "wide_xgboost"]


def row(name, options):
    """One line of the table."""
    work, ours = load(name, options.share), options.processes["ours"]
    ours.take("warm", name, options.share)
    call = {"ours": lambda: ours.take("everything", name, options.share, every_value=True)}
    everything = in_turn(call, options.rounds)["ours"]
    return [
        work.text.rsplit(",", 1)[0],
        f"{everything['values']:,}".replace(",", " "),
        f"{everything['values'] * len(work.X):.2g}",
        f"{everything['processor']:.3g} s",
        f"{everything['wall']:.3g} s",
    ]


def rows(options):
    """Yield the lines of the table."""
    for name in named(WORKLOADS, options):
        yield row(name, options)
