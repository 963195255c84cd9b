"""Figures of this package beside figures that other code gave, for tests and for `tests/tools/witness_table.py`."""

from __future__ import annotations

import json
from functools import cache
from inspect import signature
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import sklearn
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestRegressor
from sklearn.inspection import partial_dependence, permutation_importance
from witnesses import BENCHMARKS, N_BINS, benchmark_features, data, nonlinear, places, target

import ice_explorer as ice

_CLOSED = 0.05  # of a closed form, which holds for the distribution and not for 4,001 rows
_CLOSED_WITH_NOISE = 0.12  # x2 adds a slope of standard deviation 2 / √250 to each of 16 intervals
_STEP = 1e-7  # of what is a difference there and a limit here, or differs by the 1e-8 that effector adds to ends


class Compared(NamedTuple):
    """Figures that must agree within a tolerance."""

    quantity: str
    ours: np.ndarray
    theirs: np.ndarray
    tolerance: float
    source: str


@cache
def recorded(package):
    """Return what `tests/tools/record_witnesses.py` recorded of a package, and the package with its version."""
    path = Path(__file__).parent / "beyond" / "witnesses.json"
    found = json.loads(path.read_text(encoding="utf-8"))[package]
    return found["figures"], f"{package} {found['version']}, {found['date']}"


def explain(model, X, **options):
    return ice.explain(model, X, progress=False, **options)


@cache
def explained():
    """Explain the function with interactions of every column."""
    return explain(nonlinear, data())


def less_mean(values):
    return np.asarray(values, float) - np.mean(values)


def _same(quantity, ours, theirs, source, tolerance=1e-12):
    return Compared(quantity, np.atleast_1d(ours), np.atleast_1d(theirs), tolerance, source)


def of_ale_packages():
    """ALE of numbers by quantiles, and level by level; PyALE and alibi centre numbers by the mean of each interval."""
    figures, source = recorded("PyALE")
    for name, size in (("x", 17), ("rooms", 40), ("size", 40)):
        found, theirs = explained().effects(name, "ale", grid_size=size), figures[name]
        assert found.index.astype(object).tolist() == theirs["value"]
        if name == "x":
            yield _same("ALE of x, less its mean", less_mean(found["ale"]), less_mean(theirs["ale"]), source)
        else:
            yield _same(f"ALE of {name}", found["ale"], theirs["ale"], source)
    figures, source = recorded("alibi")
    found, theirs = explained().effects("x", "ale", grid_size=17), figures["ale"]["x"]
    assert found.index.tolist() == theirs["value"]
    yield _same("ALE of x, less its mean", less_mean(found["ale"]), less_mean(theirs["ale"]), source)


def of_partial_dependence():
    """Partial dependence on the same values, and the importance made of it."""
    figures, source = recorded("alibi")
    rooms = explained()["rooms"].partial_dependence
    yield _same("partial dependence of rooms", rooms, figures["partial dependence of rooms"], source)
    found = explained().importances(measures="partial_dependence").importances["partial_dependence"]
    for name, theirs in figures["importances"].items():
        yield _same(f"SD of partial dependence of {name}", found[name], theirs, source)


def of_scikit_learn():
    """Partial dependence and permutation importance, computed now."""
    X, source = data()[["x", "z", "rooms"]].iloc[:150], f"scikit-learn {sklearn.__version__}"
    y = target()["y"][: len(X)]
    model = RandomForestRegressor(n_estimators=10, random_state=0).fit(X, y)
    e = explain(model, X)
    if "custom_values" in signature(partial_dependence).parameters:
        theirs = partial_dependence(model, X, ["z"], kind="average", method="brute", custom_values={"z": e["z"].grid})
        yield _same("partial dependence of z", e["z"].partial_dependence, theirs["average"][0], source)
    theirs = permutation_importance(model, X, y, n_repeats=3, random_state=0).importances_mean
    ours = e.importances(y, "permutation", n_repeats=3).importances["permutation"]
    for name, a, b in zip(X, ours, theirs, strict=True):
        yield _same(f"permutation importance of {name}", a, b, source)


def of_marginaleffects():
    """Mean effects of all rows of a regression with a square and an interaction, and slopes."""
    figures, source = recorded("marginaleffects")
    b = figures["coefficients"]

    def regression(X):
        return b[0] + b[1] * X["x"] + b[2] * X["x"] ** 2 + b[3] * X["x"] * X["z"] + b[4] * X["rooms"]

    e = explain(regression, target()[["x", "z", "rooms"]])
    ours = {
        "x forward by 0.5": e.marginal_effects("x", 0.5).values.mean(),
        "rooms forward by 1": e.marginal_effects("rooms", 1).values.mean(),
        "x by 0.5 around its value": 0.5 * e.marginal_effects("x", 0.25, kind="derivative").values.mean(),
    }
    for name, value in ours.items():
        yield _same(f"average effect of {name}", value, figures[name], source)
    slope = e.marginal_effects("x", 1e-3, kind="derivative").values.mean()
    yield _same("average slope of x", slope, figures["slope of x"], source, _STEP)  # whose difference is not central


def of_iml():
    """Unsquared H that hstats records from iml, of a linear model of iris with Sepal.Length:Species."""
    iris = load_iris(as_frame=True)
    X = iris.data.set_axis(["Sepal.Length", "Sepal.Width", "Petal.Length", "Petal.Width"], axis=1)
    X["Species"] = pd.Categorical.from_codes(iris.target, iris.target_names)
    width, dtype = X.pop("Sepal.Width"), X["Species"].dtype

    def design(X):
        species = pd.get_dummies(X["Species"].astype(dtype), dtype=float).to_numpy()
        length = X["Sepal.Length"].to_numpy(np.float64)[:, None]
        return np.column_stack([species, species * length, X[["Petal.Length", "Petal.Width"]].to_numpy(np.float64)])

    coefficients = np.linalg.lstsq(design(X), width, rcond=None)[0]
    i = explain(lambda X: design(X) @ coefficients, X).interactions()
    source = "iml, as recorded by hstats"
    yield _same("H of Sepal.Length", np.sqrt(i.features["Sepal.Length"]), 0.4634029, source, 5e-8)
    yield _same(
        "H of Sepal.Length and Species", i.pairs["h2"]["Sepal.Length", "Species"] ** 0.5, 0.2624154, source, 5e-8
    )


def of_effector():
    """Closed forms of its benchmark models, and its estimates: all less their means over the values compared."""
    figures, source = recorded("effector")
    for name, (rows, function) in BENCHMARKS.items():
        X, x, is_even = rows(), places(name), name != "CorrelatedInteraction"
        e = explain(function, X, grid={f"x{feature}": x for feature in benchmark_features(name)})
        for feature in benchmark_features(name):
            of, theirs = f"of x{feature}, {name}", figures[name][str(feature)]
            dependence = less_mean(e[f"x{feature}"].partial_dependence)
            found = e.effects(f"x{feature}", "ale", grid_size=N_BINS + 1 if is_even else 10 * N_BINS + 1)["ale"]
            ale = less_mean(np.interp(x, found.index, found))
            tolerance = _CLOSED if is_even else _CLOSED_WITH_NOISE
            closed = {kind: less_mean(theirs[f"closed form of {kind}"]) for kind in ("PD", "ALE")}
            yield Compared(f"PD {of}", dependence, closed["PD"], _CLOSED, f"closed form, {source}")
            yield Compared(f"ALE {of}", ale, closed["ALE"], tolerance, f"closed form, {source}")
            yield Compared(f"PD {of}", dependence, less_mean(theirs["PDP"]), 1e-12, f"PDP, {source}")
            if is_even:
                yield Compared(f"ALE {of}", ale, less_mean(theirs["ALE"]), _STEP, f"ALE, {source}")


ALL = (of_ale_packages, of_partial_dependence, of_scikit_learn, of_marginaleffects, of_iml, of_effector)
