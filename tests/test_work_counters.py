"""How much work an explanation is, in numbers that no other load of the machine changes.

Times stand in `tests/benchmarks/RESULTS.md`; here is what they come from: nodes that the sweep of trees visits, items
that it emits, and calls of the model. `MOST` has the bounds. A bound is what the code needs today,
with 2 % beside it at most; who makes it do less lowers them. `python tests/test_work_counters.py` prints the
measured numbers beside the bounds.
"""

from __future__ import annotations

import pickle
from contextlib import contextmanager
from functools import cache
from unittest import mock

import comm
import numpy as np
import pandas as pd
import pytest
from kernel_end import Wire, ask, wait_until
from sklearn.ensemble import ExtraTreesRegressor, HistGradientBoostingRegressor, RandomForestClassifier

import ice_explorer as ice
from ice_explorer.trees.forest import TreeCurves
from ice_explorer.widget.explorer import ICEExplorer

pytest.importorskip("numba", reason="only the compiled sweep counts")
pytestmark = pytest.mark.current

# By workload: what is counted, the most it may be, and what the bound protects.
MOST = {
    "forest, every observed value": {
        "node visits": (150_000, "The sweep sees a node once for each row and item that reach it, not for each value."),
        "emitted items": (67_000, "Only items that reach a leaf change a curve; empty ones are dropped on the way."),
        "calls of predict_proba": (1, "A forest predicts a few phantoms, whatever the rows and features."),
        "calls of predict": (0, "`predict` is no second source of the curves."),
        "rows predicted": (64, "The phantoms that show what the model returns are few."),
    },
    "boosting, quantiles": {
        "node visits": (925_000, "Boosted trees are swept like those of a forest."),
        "emitted items": (450_000, "Each leaf is written once for each interval of the grid in which it is reached."),
    },
    "wide table, every observed value": {
        "node visits": (31_000, "A column that no tree uses costs no visit."),
    },
    "category of 200 levels": {
        "kilobytes of its sums": (
            1_300,
            "Nothing is kept for each row, and a few numbers at most for each pair of levels.",
        ),
    },
    "function by brute force": {
        "calls of the model": (6, "Calls are as large as memory allows, one or few for each feature."),
        "rows predicted": (5_376, "Equal phantoms are predicted once, and a row as it is once for all features."),
    },
    "explorer of a forest": {
        "calls until it is ready": (3, "An explorer asks a tree model no more than `explain` does."),
        "calls of the slider": (0, "Every decay follows from sums that are there."),
        "calls of opening a feature": (2, "Curves are read from the trees; calls show that the model is the same."),
    },
    "explorer of a function": {
        "calls until it is ready": (11, "An explorer asks a function no more than `explain` does."),
        "calls of the slider": (0, "Every decay follows from sums that are there."),
        "calls of opening a feature": (4, "Curves that the sums were made of are kept; further calls check the model."),
    },
}


class Counted:
    """Counts calls of a function and the rows that it was handed."""

    def __init__(self, function):
        self._function = function
        self.n_calls = self.n_rows = 0

    def __call__(self, X):
        self.n_calls += 1
        self.n_rows += len(X)
        return self._function(X)


@contextmanager
def counted(kind, *names):
    """Count the calls of methods of a class, by name; calls that they make of each other count as well."""
    found = {name: Counted(getattr(kind, name)) for name in names}

    def counting(name):
        def method(self, X, *arguments, **options):
            found[name].n_calls += 1
            found[name].n_rows += len(X)
            return original[name](self, X, *arguments, **options)

        return method

    original = {name: getattr(kind, name) for name in names}
    with mock.patch.multiple(kind, **{name: counting(name) for name in names}):
        yield found


# How long a call took decides on the size of the next one, which must not depend on other work of the machine.
TIMELESS = mock.patch("ice_explorer.curves.brute.perf_counter", return_value=0.0)


# --- models and tables ----------------------------------------------------------------------------


def table(n, p, decimals=2):
    """Rounded normal columns, and an output with an interaction."""
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(n, p)).round(decimals)).add_prefix("x")
    return X, np.sin(X["x0"]) * X["x1"] + X["x2"] ** 2 + generator.normal(scale=0.1, size=n)


def function(X):
    return (X["x0"] * X["x1"] + X["x2"] ** 2).to_numpy()


@cache
def forest():
    X, y = table(200, 6, decimals=1)
    return RandomForestClassifier(50, random_state=0).fit(X, y > 0), X


def explained(model, X, **options):
    """Explain; return the result, and the visits and emitted items of all sweeps that were made for it."""
    sweeps = []

    def making(trees, *arguments, **options):
        sweeps.append(trees)
        make(trees, *arguments, **options)

    make = TreeCurves.__init__
    with mock.patch.object(TreeCurves, "__init__", making):
        explanation = ice.explain(model, X, progress=False, **options)
    return explanation, sum(trees.counters for trees in sweeps).tolist()


# --- what is counted ------------------------------------------------------------------------------


def forest_at_every_value():
    model, X = forest()
    with counted(RandomForestClassifier, "predict_proba", "predict") as calls:
        _, (visits, items) = explained(model, X)
    return {
        "node visits": visits,
        "emitted items": items,
        "calls of predict_proba": calls["predict_proba"].n_calls,
        "calls of predict": calls["predict"].n_calls,
        "rows predicted": calls["predict_proba"].n_rows,
    }


def boosting_at_quantiles():
    X, y = table(1000, 5)
    model = HistGradientBoostingRegressor(max_iter=40, early_stopping=False, random_state=0).fit(X, y)
    _, sweep = explained(model, X, grid="quantile", grid_size=20)
    return dict(zip(MOST["boosting, quantiles"], sweep, strict=True))


def wide_at_every_value():
    X, y = table(150, 60, decimals=6)
    model = ExtraTreesRegressor(10, max_features=0.1, min_samples_leaf=3, random_state=0).fit(X, y)
    _, (visits, _) = explained(model, X)
    return {"node visits": visits}


def category_of_many_levels():
    n_levels = 200
    generator = np.random.default_rng(0)
    codes = generator.permutation(np.arange(2 * n_levels) % n_levels)
    X = pd.DataFrame({"x0": pd.Categorical.from_codes(codes, [f"level {code:03}" for code in range(n_levels)])})
    X["x1"] = generator.normal(size=len(X))

    def model(X):
        return X["x0"].cat.codes.to_numpy() * X["x1"].to_numpy()

    e = ice.explain(model, X, features=["x0"], grid={"x0": X["x0"].cat.categories.tolist()}, progress=False)
    return {"kilobytes of its sums": round(len(pickle.dumps(e["x0"]._sums)) / 1000)}


def function_by_brute_force():
    X, _ = table(60, 3, decimals=1)
    model = Counted(function)
    with TIMELESS:
        ice.explain(model, X, progress=False)
    return {"calls of the model": model.n_calls, "rows predicted": model.n_rows}


def in_explorer(model, X, n_calls):
    """Count the calls of what a reader does first in an explorer."""
    with mock.patch.object(comm, "create_comm", Wire):
        explorer = ICEExplorer(model, X)
    try:
        assert explorer.explanation.features  # waits until all are computed
        wait_until(lambda: explorer._background._answering.thread is None)  # which measures the spread of predictions
        at = [n_calls()]
        for number, decay in enumerate([0.3, 0.6, 0.9]):
            explorer.comm.receive({"method": "update", "state": {"decay": decay}, "buffer_paths": []})
            ask(explorer, f"after step {number}", type="rows", positions=[])
        at.append(n_calls())
        reply, _ = ask(explorer, "curves", type="curves", feature="x1", max_lines=100, selection=[])
        assert reply["type"] == "result"
        at.append(n_calls())
    finally:
        explorer.close()
    return dict(zip(MOST["explorer of a forest"], np.diff(at, prepend=0).tolist(), strict=True))


def explorer_of_a_forest():
    model, X = forest()
    with counted(RandomForestClassifier, "predict_proba", "predict") as calls:
        return in_explorer(model, X, lambda: sum(of_name.n_calls for of_name in calls.values()))


def explorer_of_a_function():
    model = Counted(function)
    with TIMELESS:
        return in_explorer(model, table(60, 3, decimals=1)[0], lambda: model.n_calls)


WORKLOADS = dict(
    zip(
        MOST,
        [
            forest_at_every_value, boosting_at_quantiles, wide_at_every_value, category_of_many_levels,
            function_by_brute_force, explorer_of_a_forest, explorer_of_a_function,
        ],
        strict=True,
    )
)  # fmt: skip


@pytest.mark.parametrize("workload", MOST)
def test_the_work_is_no_more_than_its_bounds(workload):
    """The sentence beside each bound says what a larger number would mean."""
    measured = WORKLOADS[workload]()
    assert measured.keys() == MOST[workload].keys()
    exceeded = [
        f"{what}: {n}, at most {MOST[workload][what][0]}. {MOST[workload][what][1]}"
        for what, n in measured.items()
        if n > MOST[workload][what][0]
    ]
    assert exceeded == []


def main():
    """Print the measured numbers beside the bounds."""
    for workload, measure in WORKLOADS.items():
        for what, n in measure().items():
            print(f"{workload}: {what} {n:,}, at most {MOST[workload][what][0]:,}")


if __name__ == "__main__":
    main()
