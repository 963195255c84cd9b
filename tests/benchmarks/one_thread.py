"""Every engine in one thread, beside scikit-learn and beside stacked prediction."""

import numpy as np
from measuring import grids_of, interleaved, n_values, named, ours, taken
from numpy.testing import assert_allclose
from peers import ScikitLearn, Stacked
from workloads import load

TITLE = "One thread"
CAPTION = (
    "Processor seconds. Of ours everything is timed: reading the model, grids, every metric, 101 decays. Of "
    'scikit-learn `partial_dependence(kind="individual", method="brute")` at the same rows and values, which gives '
    "curves and no metric. Where it would need more than a minute it is timed at all rows on three features at five "
    "values each, and scaled to all values (*). Stacked prediction asks the model for a batch of 100 000 phantoms "
    "of one feature, and is scaled likewise. All averages, and the curves of the batch, are first compared with ours."
)
HEAD = ["workload", "engine", "ours", "scikit-learn", "ratio", "stacked", "ratio"]
WORKLOADS = [
    "cervical_forest", "house_forest", "house_forest_of_small_trees", "house_histogram_boosting", "wide_lightgbm",
    "wide_xgboost", "small_xgboost", "extremely_random_trees", "adaptive_boosting", "small_forest_by_brute_force",
    "small_network", "network", "small_support_vectors", "small_linear", "linear", "logistic", "strings",
]  # fmt: skip
A_MINUTE = 60.0


def few_of(grids):
    """Three features that have enough values, and five values of each."""
    wide_enough = [feature for feature, grid in grids.items() if len(grid) >= 5] or list(grids)
    chosen = [wide_enough[at] for at in np.linspace(0, len(wide_enough) - 1, 3).astype(int)]
    few = {feature: grids[feature] for feature in dict.fromkeys(chosen)}
    return {feature: grid[np.unique(np.linspace(0, len(grid) - 1, 5).astype(int))] for feature, grid in few.items()}


def tolerance(model):
    """XGBoost adds up in single precision, everything else in double."""
    return 2e-5 if "xgboost" in type(model).__module__ else 1e-9


def check_averages(explanation, found, tolerance_):
    """Insist that the averages of a peer are ours at the same values."""
    for feature, (values, averages) in found.items():
        mine = explanation[feature].partial_dependence
        at = np.searchsorted(explanation[feature].grid, values)
        scale = max(1.0, np.abs(mine).max())
        assert_allclose(averages, mine[at], rtol=0, atol=tolerance_ * scale, err_msg=str(feature))


def check_curves(explanation, feature, rows, curves, tolerance_):
    """Insist that the stacked predictions of a feature are our curves."""
    mine = explanation[feature].rows(rows[:100])
    scale = max(1.0, np.abs(mine).max())
    assert_allclose(curves[:100], mine, rtol=0, atol=tolerance_ * scale, err_msg=str(feature))


def row(work, rounds):
    """One line of the table."""
    explanation = ours(work.X, work.model, work.options)  # compiles, too
    grids = grids_of(explanation)
    timed = few_of(grids)
    seconds, found = taken(lambda: ScikitLearn().run(work, timed))
    check_averages(explanation, found, tolerance(work.model))
    if seconds / n_values(timed) * n_values(grids) <= A_MINUTE:
        timed = grids
    feature = list(few_of(grids))[-1]
    rows, curves = Stacked().run(work, feature, grids[feature])
    check_curves(explanation, feature, rows, curves, tolerance(work.model))
    calls = {
        "ours": lambda: ours(work.X, work.model, work.options),
        "sklearn": lambda: ScikitLearn().run(work, timed),
        "stacked": lambda: Stacked().run(work, feature, grids[feature]),
    }
    took = interleaved(calls, rounds)
    sklearn = took["sklearn"] / n_values(timed) * n_values(grids)
    stacked = took["stacked"] / curves.size * len(work.X) * n_values(grids)
    return [
        work.text,
        explanation.engine,
        f"{took['ours']:.3g} s",
        f"{sklearn:.3g} s{'' if timed is grids else ' *'}",
        f"{sklearn / took['ours']:.3g}",
        f"{stacked:.3g} s",
        f"{stacked / took['ours']:.3g}",
    ]


def rows(options):
    """Yield the lines of the table."""
    for name in named(WORKLOADS, options):
        yield row(load(name, options.share), options.rounds)
