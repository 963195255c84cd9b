"""Figures of other packages that tests compare with, recorded in an environment of their own.

`pip install PyALE marginaleffects statsmodels "polars<2"` in a new environment, then
`python tests/tools/record_witnesses.py` writes their figures to `tests/beyond/witnesses.json`, with version and date.
"""

import datetime as dt
import importlib.metadata
import json
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
RECORDED = TESTS / "beyond" / "witnesses.json"
sys.path.insert(0, str(TESTS))

import pandas as pd  # noqa: E402
from witnesses import SIZES, data, nonlinear, target  # noqa: E402


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


def record():
    """Write the figures of all packages."""
    date = dt.datetime.now(tz=dt.UTC).date().isoformat()
    figures = {"PyALE": pyale, "marginaleffects": marginaleffects}
    recorded = {
        name: {"version": importlib.metadata.version(name), "date": date, "figures": of_package()}
        for name, of_package in figures.items()
    }
    RECORDED.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    record()
