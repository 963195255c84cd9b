"""Every engine at the default grid and at three numbers of rows, beside scikit-learn."""

import functools
import warnings

from measuring import grids_of, interleaved, n_values, ours, taken
from one_thread import check_averages, few_of, tolerance
from peers import ScikitLearn
from workloads import Workload, small, some

TITLE = "Never slower than scikit-learn"
CAPTION = (
    "Processor seconds at the default grid, all observed values up to 1,000. Of ours everything is timed, with every "
    'metric and 101 decays. Of scikit-learn `partial_dependence(kind="individual", method="brute")` at the same rows '
    "and values, which gives curves and no metric; where it would need more than some seconds it is timed on three "
    "features at five values each, and scaled to all (*). Where every phantom is predicted, both explain one feature."
)
HEAD = ["engine", "model", "rows", "values", "ours", "scikit-learn", "ratio (≥ 1)"]
ROWS = [1000, 10_000, 100_000]
FITTED_ON = 2000
SOME_SECONDS = 3.0


def forest():
    """Random forest of 50 trees."""
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(50, min_samples_leaf=5, random_state=0)


def ridge():
    """Ridge regression."""
    from sklearn.linear_model import Ridge

    return Ridge()


def logistic():
    """Logistic regression behind a scaler."""
    from sklearn.linear_model import LogisticRegression

    return scaled(LogisticRegression())


def support_vectors():
    """Support vectors with a radial kernel behind a scaler."""
    from sklearn.svm import SVR

    return scaled(SVR())


def network():
    """Network of 100 rectified units behind a scaler."""
    from sklearn.neural_network import MLPRegressor

    return scaled(MLPRegressor(random_state=0, max_iter=30))


def scaled(model):
    """Put a scaler in front of a model."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), model)


ENGINES = {
    "tree": forest, "linear": ridge, "logistic": logistic, "kernel": support_vectors, "network": network,
    "brute": forest,
}  # fmt: skip


@functools.cache
def fitted(make, share):
    """Fit on so few rows that fitting takes no time; small tables are explained by what they were fitted on."""
    X, y = small(some(FITTED_ON, share))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a network need not converge to be timed
        return make().fit(X, y > 0 if make is logistic else y)


def row(name, n_rows, options):
    """One line of the table."""
    make, long = ENGINES[name], SOME_SECONDS * options.share
    explain = {"engine": "brute", "features": ["x5"]} if name == "brute" else {}  # a feature of twelve values
    work = Workload(name, make.__doc__.rstrip("."), small(n_rows)[0], fitted(make, options.share), explain)
    ours(work.X[:200], work.model, explain)  # compiles
    explanation = ours(work.X, work.model, explain)
    grids = timed = grids_of(explanation)
    few = few_of(grids)
    seconds, found = taken(lambda: ScikitLearn().run(work, few))
    check_averages(explanation, found, tolerance(work.model))
    if seconds / n_values(few) * n_values(grids) > long:
        timed = few
    took = interleaved(
        {
            "ours": lambda: ours(work.X, work.model, explain),
            "sklearn": lambda: ScikitLearn().run(work, timed),
        },
        options.rounds,
    )
    sklearn = took["sklearn"] / n_values(timed) * n_values(grids)
    return [
        explanation.engine,
        work.text,
        f"{n_rows:,}",
        f"{n_values(grids):,}",
        f"{took['ours']:.3g} s",
        f"{sklearn:.3g} s{'' if timed is grids else ' *'}",
        f"{sklearn / took['ours']:.3g}",
    ]


def rows(options):
    """Yield the lines of the table."""
    for name in ENGINES:
        if not options.names or name in options.names:
            for n_rows in ROWS:
                yield row(name, some(n_rows, options.share), options)
