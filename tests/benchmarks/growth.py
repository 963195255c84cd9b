"""How the cost grows: one factor at a time, from one base."""

import functools
from typing import NamedTuple

import numpy as np
from measuring import interleaved, named, ours
from workloads import some

TITLE = "Growth"
CAPTION = (
    "Processor seconds of ours in one thread. Base: XGBoost, 20 000 × 20, 200 trees of depth 6, 64 quantiles; one "
    "factor at a time. The exponent is the slope of the logarithm of seconds over the logarithm of the factor; "
    "predicting every phantom grows with exponent 1 in rows, values, features and trees."
)
HEAD = ["factor", "values", "seconds", "exponent"]


class Case(NamedTuple):
    """What is explained."""

    rows: int = 20_000
    values: int = 64
    features: int = 20
    trees: int = 200
    depth: int = 6


FACTORS = {
    "rows": [5000, 10_000, 20_000, 40_000, 80_000],
    "values": [16, 32, 64, 256, 1024],
    "features": [5, 10, 20, 40, 80],
    "trees": [50, 100, 200, 400, 800],
    "depth": [2, 4, 6, 8, 10],
}


def table(n, p):
    """Normal columns and an output with interactions of the first five."""
    generator = np.random.default_rng(5)
    X = generator.normal(size=(n, p))
    signal = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + X[:, 3] ** 2 + 0.5 * X[:, 4]
    return X, signal + generator.normal(size=n)


@functools.cache
def fitted(n, p, trees, depth):
    """Fit on so many rows and columns."""
    from xgboost import XGBRegressor

    return XGBRegressor(n_estimators=trees, max_depth=depth, learning_rate=0.05, n_jobs=1).fit(*table(n, p))


def seconds(case, base, rounds):
    """Median processor seconds; the model is fitted on the base's rows, however many are explained."""
    X = table(case.rows, case.features)[0]
    model = fitted(base.rows, case.features, case.trees, case.depth)
    explain = {"grid": "quantile", "grid_size": case.values}
    ours(X[:100], model, explain)
    return interleaved({"ours": lambda: ours(X, model, explain)}, rounds)["ours"]


def rows(options):
    """Yield the lines of the table."""
    base = Case(rows=some(Case().rows, options.share), trees=some(Case().trees, options.share))
    for factor in named(FACTORS, options):
        values = FACTORS[factor]
        chosen = [some(value, options.share) for value in values] if factor in {"rows", "trees"} else values
        took = [seconds(base._replace(**{factor: value}), base, options.rounds) for value in chosen]
        exponent = np.polyfit(np.log(chosen), np.log(took), 1)[0]
        yield [
            factor,
            ", ".join(f"{value:g}" for value in chosen),
            ", ".join(f"{second:.3g}" for second in took),
            f"{exponent:.2f}",
        ]
