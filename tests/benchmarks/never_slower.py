"""Every method at the default grid beside scikit-learn, at a thousand to a hundred thousand rows."""

import numpy as np
from measuring import grids_of, interleaved, n_values, named, ours
from peers import ScikitLearn, few_of
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor
from workloads import Workload, some

TITLE = "Never slower than scikit-learn"
CAPTION = (
    "Processor seconds in one thread, everything as in the first table, of one feature of ten at the default grid; "
    "scikit-learn at the same rows and values, timed at five values and scaled (*). Models are fitted on 300 rows. "
    "Target: a ratio of at least 1 everywhere."
)
HEAD = ["method", "model", "rows", "values", "ours", "scikit-learn", "ratio (≥ 1)"]
ROWS = [1000, 10_000, 100_000]
N_FITTED = 300
MODELS = {
    "tree": HistGradientBoostingRegressor(random_state=0),
    "brute": DecisionTreeRegressor(max_depth=5, random_state=0),
    "linear": Ridge(),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "kernel": make_pipeline(StandardScaler(), SVR()),
    "network": make_pipeline(StandardScaler(), MLPRegressor(hidden_layer_sizes=(32,), random_state=0)),
}


def table(n):
    """Ten normal columns, and an output with an interaction."""
    X = np.random.default_rng(9).normal(size=(n, 10))
    return X, X[:, 0] * X[:, 1] + X[:, 2]


def row(method, model, n, rounds):
    """One line of the table."""
    X = table(n)[0]
    options = {"features": ["x0"]} | ({"method": "brute"} if method == "brute" else {})
    work = Workload(method, "", X, model, options)
    explanation = ours(X, model, options)
    grids = grids_of(explanation)
    few = few_of(grids)
    took = interleaved(
        {"ours": lambda: ours(X, model, options), "sklearn": lambda: ScikitLearn().run(work, few)}, rounds, long=3.0
    )
    sklearn = took["sklearn"] / n_values(few) * n_values(grids)
    return [
        explanation.method,
        type(model.steps[-1][1] if hasattr(model, "steps") else model).__name__,
        f"{n:,}".replace(",", " "),
        n_values(grids),
        f"{took['ours']:.3g} s",
        f"{sklearn:.3g} s *",
        f"{sklearn / took['ours']:.3g}",
    ]


def rows(options):
    """Yield the lines of the table."""
    X, y = table(N_FITTED)
    for method in named(MODELS, options):
        model = MODELS[method]
        model.fit(X, y > 0 if method == "logistic" else y)
        for n in ROWS:
            yield row(method, model, some(n, options.share), options.rounds)
