"""Other libraries for ICE and partial dependence, each where it can be used, at the values that it chooses."""

import importlib
from dataclasses import replace
from typing import Any, NamedTuple

from measuring import grids_of, interleaved, n_values, named, ours
from numpy.testing import assert_allclose
from peers import Effector, PDPilot, Woodelf, check_averages, few_of, takes_every_value, tolerance, with_first_trees
from workloads import Workload, load

TITLE = "Other libraries"
CAPTION = (
    "Processor seconds in one thread, all rows; ours is everything, at the values that the library evaluates. "
    "Averages are compared with ours. Where a run would need more than a minute it is scaled (*): PDPilot from "
    "three features, effector from three features at five values, woodelf_explainer from two trees. "
    "woodelf_explainer is compared on the scale on which trees add up, where it works."
)
HEAD = ["workload", "library", "computes", "values", "ours", "the library", "ratio"]
COMPUTES = {
    "PDPilot": "ICE, clusters of curves and trees that explain them",
    "effector": "ICE, average and variance",
    "woodelf_explainer": "averages",
}
WORKLOADS = [
    "cervical_forest", "house_forest", "house_histogram_boosting", "wide_lightgbm", "wide_xgboost", "small_network",
    "small_linear",
]  # fmt: skip
SCALED = {
    ("house_histogram_boosting", "PDPilot"), ("house_forest", "effector"), ("wide_lightgbm", "effector"),
    ("wide_xgboost", "effector"), ("house_forest", "woodelf_explainer"),
}  # fmt: skip
TOO_MANY_CURVES = "it holds the distances between all pairs of curves, 80 GB"
NO_TREES = "it reads trees only"
WHY_NOT = {
    ("house_forest", "PDPilot"): "its clusters alone take as long as below",
    ("wide_lightgbm", "PDPilot"): TOO_MANY_CURVES,
    ("wide_xgboost", "PDPilot"): TOO_MANY_CURVES,
    ("small_network", "woodelf_explainer"): NO_TREES,
    ("small_linear", "woodelf_explainer"): NO_TREES,
}


class Run(NamedTuple):
    """How a library is run: its workload, the grids it evaluates, and how much more a whole run is."""

    values: str
    work: Workload
    grids: dict[str, Any]
    whole: float
    peer: Any
    ours: dict[str, Any]  # options of `explain`, to evaluate the same


def pdpilot(work, observed, *, scaled):
    """Three features where a run is too long."""
    peer = PDPilot()
    grids = peer.grids(work, observed)
    timed = {feature: grids[feature] for feature in few_of(grids)} if scaled else grids
    values = "all observed" if takes_every_value(work) else "20 even"
    return Run(values, work, timed, len(grids) / len(timed), peer, {**work.options, "grid": grids})


def effector(work, observed, *, scaled):
    """Three features and five values where a run is too long."""
    peer = Effector()
    grids = peer.grids(work, observed)
    timed = peer.grids(work, few_of(grids), n_values=5) if scaled else grids
    values = "all observed" if takes_every_value(work) else "30 even"
    return Run(values, work, timed, n_values(grids) / n_values(timed), peer, {**work.options, "grid": grids})


def woodelf_explainer(work, observed, *, scaled):
    """Two trees where a run is too long; margins of boosted classifiers."""
    on_margins = hasattr(work.model, "predict_proba") and not type(work.model).__module__.startswith("sklearn")
    options = work.options | ({"response": "log_odds"} if on_margins else {})
    values = "all observed" if takes_every_value(work) else "our quantiles"
    if not scaled:
        return Run(values, work, observed, 1.0, Woodelf(), options)
    all_trees = len(work.model.estimators_)
    few = replace(work, model=with_first_trees(work.model, min(2, all_trees)))
    return Run(values, few, observed, all_trees / min(2, all_trees), Woodelf(), options)


RUNS = {"PDPilot": pdpilot, "effector": effector, "woodelf_explainer": woodelf_explainer}


def check(run, found):
    """Insist that averages are ours; woodelf_explainer's are so but for one constant, in single precision."""
    features = list(run.grids)
    at_theirs = {"grid": {feature: values for feature, (values, _) in found.items()}}
    explanation = ours(run.work.X, run.work.model, {**run.ours, **at_theirs, "features": features})
    if not isinstance(run.peer, Woodelf):
        check_averages(explanation, found, tolerance(run.work.model))
        return
    mine = {feature: explanation[feature].partial_dependence for feature in features}
    shift = mine[features[0]][0] - found[features[0]][1][0]
    for feature, (_, averages) in found.items():
        atol = 1e-4 * max(1.0, abs(mine[feature]).max())
        assert_allclose(averages + shift, mine[feature], rtol=0, atol=atol, err_msg=feature)


def row(work, observed, library, rounds):
    """One line of the table."""
    if (work.name, library) in WHY_NOT:
        return [work.text, library, COMPUTES[library], "–", "–", f"– {WHY_NOT[work.name, library]}", "–"]
    scaled = (work.name, library) in SCALED
    run = RUNS[library](work, observed, scaled=scaled)
    found = {}
    took = interleaved(
        {
            "ours": lambda: ours(work.X, work.model, run.ours),
            "library": lambda: found.update(run.peer.run(run.work, run.grids)),
        },
        rounds,
        long=2.0,
    )
    check(run, found)
    seconds = took["library"] * run.whole
    return [
        work.text,
        library,
        COMPUTES[library],
        run.values,
        f"{took['ours']:.3g} s",
        f"{seconds:.3g} s{' *' if scaled else ''}",
        f"{seconds / took['ours']:.3g}",
    ]


def rows(options):
    """Yield the lines of the table."""
    for module in ("effector", "pdpilot", "woodelf.pdp"):
        importlib.import_module(module)  # so that no run has that in its time
    for name in named(WORKLOADS, options):
        work = load(name, options.share)
        observed = grids_of(ours(work.X, work.model, work.options))
        for library in RUNS:
            yield row(work, observed, library, options.rounds)
