"""Figures of other packages that tests compare with, recorded in an environment of their own.

`python tests/tools/record_witnesses.py PACKAGE ...` writes the figures of these packages to
`tests/beyond/witnesses.json`, with version and date. Each needs an environment of its own:

- `pip install PyALE` for PyALE
- `pip install marginaleffects statsmodels "polars<2"` for marginaleffects
- `pip install effector pandas` for effector
- `pip install alibi "click<8.2"` for alibi
"""

import datetime as dt
import importlib.metadata
import json
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
RECORDED = TESTS / "beyond" / "witnesses.json"
sys.path.insert(0, str(TESTS))

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from witnesses import (  # noqa: E402
    BENCHMARKS,
    N_BINS,
    SIZES,
    benchmark_features,
    data,
    nonlinear,
    places,
    target,
)


class Model:
    """What PyALE explains."""

    @staticmethod
    def predict(X):
        return nonlinear(X)


def pyale():
    """Accumulated local effects of each kind of column."""
    from PyALE._src.ALE_1D import aleplot_1D_categorical, aleplot_1D_continuous, aleplot_1D_discrete

    def unchanged(frame):
        return frame.astype({"size": pd.CategoricalDtype(SIZES, ordered=True)})

    X = data()
    found = {
        "x": aleplot_1D_continuous(X.copy(), Model, "x", grid_size=16, include_CI=False),
        "rooms": aleplot_1D_discrete(X.copy(), Model, "rooms", include_CI=False),
        "size": aleplot_1D_categorical(X.copy(), Model, "size", unchanged, list(X.columns), include_CI=False),
    }
    return {name: {"value": table.index.tolist(), "ale": table["eff"].tolist()} for name, table in found.items()}


def marginaleffects():
    """Average forward and derivative marginal effects of a regression, whose coefficients are recorded, too."""
    import polars as pl
    import statsmodels.formula.api as smf
    from marginaleffects import avg_comparisons, avg_slopes

    def by(step):
        return lambda values: pl.DataFrame({"lo": values, "hi": values + step})

    def average(variables, **options):
        return float(avg_comparisons(fit, variables=variables, **options)["estimate"][0])

    fit = smf.ols("y ~ x + I(x**2) + x:z + rooms", target()).fit()
    return {
        "coefficients": fit.params.tolist(),
        "x forward by 0.5": average({"x": by(0.5)}),
        "rooms forward by 1": average({"rooms": by(1)}),
        "x by 0.5 and rooms by 1": average({"x": by(0.5), "rooms": by(1)}, cross=True),
        "x by 0.5 around its value": average({"x": 0.5}),  # the default for a number
        "slope of x": float(avg_slopes(fit, variables="x")["estimate"][0]),
    }


def effector():
    """Closed forms of the benchmarks of effector, its estimates on other data, and those of its methods.

    An instance at the end of an interval belongs to the next one, so that ALE is that of the mirrored function.
    """
    from effector import ALE, PDP, RHALE, benchmarks
    from effector.axis_partitioning import Fixed

    bins = Fixed(nof_bins=N_BINS, min_points_per_bin=0)
    found = {}
    for name, (rows, function) in BENCHMARKS.items():
        X, x = rows(), places(name)
        benchmark, limits = getattr(benchmarks, name)(), np.array([X.min(axis=0), X.max(axis=0)])
        is_mirrored = {"data": -X, "axis_limits": -limits[::-1], "nof_instances": "all"}
        pdp = PDP(X, function, axis_limits=limits, nof_instances="all")
        ale = ALE(model=lambda X, function=function: function(-X), **is_mirrored)
        found[name] = {}
        for feature in benchmark_features(name):
            place = (x,) if name == "CorrelatedInteraction" else (feature, x)
            ale.fit(feature, binning_method=bins)
            found[name][str(feature)] = {
                "closed form of PD": benchmark.pdp_gt(*place).tolist(),
                "closed form of ALE": benchmark.ale_gt(*place).tolist(),
                "closed form of RHALE": benchmark.rhale_gt(*place).tolist(),
                "PDP": pdp.eval(feature, x, centering=False).tolist(),
                "ALE": ale.eval(feature, -x, centering=True).tolist(),
            }
    rows, function = BENCHMARKS["ConditionalInteractionUniform"]
    jacobian = benchmarks.ConditionalInteractionUniform().model.jacobian
    rhale = RHALE(rows(), function, jacobian, nof_instances="all")
    rhale.fit(1, binning_method=bins)
    x = places("ConditionalInteractionUniform")
    found["ConditionalInteractionUniform"]["1"]["RHALE"] = rhale.eval(1, x, centering=True).tolist()
    return found


def alibi():
    """Accumulated local effects and partial dependence of numbers and whole numbers, and what they vary."""
    from alibi.explainers import ALE, PartialDependence, PartialDependenceVariance

    X = data()
    codes = X.assign(size=X["size"].cat.codes).to_numpy(float)
    names = list(X.columns)

    def predict(rows):
        frame = pd.DataFrame(rows, columns=names)
        return nonlinear(frame.assign(size=pd.Categorical.from_codes(frame["size"].astype(int), SIZES)))

    quantiles = np.unique(np.quantile(X["x"], np.linspace(0, 1, 17), method="inverted_cdf"))
    ale = ALE(predict, feature_names=names).explain(codes, features=[0, 2], grid_points={0: quantiles})
    pd_ = PartialDependence(predict, feature_names=names).explain(codes, features=[2], kind="average")
    variance = PartialDependenceVariance(predict, feature_names=names)
    importances = variance.explain(codes, features=[0, 1, 2, 3], method="importance", grid_resolution=len(X) + 1)
    return {
        "ale": {
            name: {"value": values.tolist(), "ale": effect[:, 0].tolist()}
            for name, values, effect in zip(("x", "rooms"), ale.feature_values, ale.ale_values, strict=True)
        },
        "partial dependence of rooms": pd_.pd_values[0][0].tolist(),
        "importances": dict(zip(names, importances.feature_importance[0].tolist(), strict=True)),
    }


PACKAGES = {"PyALE": pyale, "marginaleffects": marginaleffects, "effector": effector, "alibi": alibi}


def record(packages):
    """Write the figures of some packages, and leave those of others."""
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    for name in packages:
        date = dt.datetime.now(tz=dt.UTC).date().isoformat()
        recorded[name] = {"version": importlib.metadata.version(name), "date": date, "figures": PACKAGES[name]()}
    RECORDED.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    record(sys.argv[1:])
