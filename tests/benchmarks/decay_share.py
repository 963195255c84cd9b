"""What share of an explanation goes to likelihoods and decays."""

from measuring import named
from turns import in_turn
from workloads import load

TITLE = "The share of the decay"
CAPTION = (
    "Processor seconds of `explain` and its table in one thread, with in-distribution impact and in turn without all "
    "that it needs; the share is what the second saves. Target: at most 10 %."
)
HEAD = ["workload", "with", "without", "share", "share before"]
WORKLOADS = [
    "wide_extremely_random_trees", "linear_at_every_value", "cervical_forest", "house_histogram_boosting",
    "wide_lightgbm",
]  # fmt: skip


def row(name, options):
    """One line of the table."""
    work, processes = load(name, options.share), options.processes
    calls = {}
    for version, process in processes.items():
        process.take("warm", name, options.share)
        for what in ("table", "without_decays"):
            calls[version, what] = lambda of=process, what=what: of.take(what, name, options.share)
    took = in_turn(calls, options.rounds)
    share = {version: 1 - took[version, "without_decays"] / took[version, "table"] for version in processes}
    return [
        work.text,
        f"{took['ours', 'table']:.3g} s",
        f"{took['ours', 'without_decays']:.3g} s",
        f"{100 * share['ours']:.0f} %",
        f"{100 * share['before']:.0f} %" if "before" in share else "–",
    ]


def rows(options):
    """Yield the lines of the table."""
    for name in named(WORKLOADS, options):
        yield row(name, options)
