"""Figures of many models and kinds of data, recorded by one version of the package and compared with another.

`python tests/tools/reference_figures.py` writes `tests/reference/figures.json.gz`; with `--compare` it prints the
largest relative difference of each case and each quantity. Names of the package that may change are in one block.

The file is gzip of a JSON object:

- `versions`: of Python and the libraries.
- `cases`: by name
  - `predictions`: of all rows, by the library itself. A case is not compared where its fit predicts anything else.
  - `figures`: numbers (NaN where undefined) or texts, nested as arrays are, by "quantity | where".

`table paper impact | 0.05` is a column of the table in one convention at one decay: a number for each feature.
`step impact | 0.05` is the same by the one-SD step of `metrics.md`, which `reference/step_oracle.py` computed from the
curves of all rows when the figures were recorded. `curves`, `c-ice`, `d-ice` and `likelihood` (at 0.5) are of a few
rows. Other quantities are named after the methods that return them. Texts are kinds, levels, dates, values and rules.
"""

import gzip
import importlib
import importlib.metadata
import inspect
import json
import platform
import sys
import warnings
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

TESTS = Path(__file__).parents[1]
RECORDED = TESTS / "reference" / "figures.json.gz"
sys.path.insert(0, str(TESTS))

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
import polars as pl  # noqa: E402
from reference.step_oracle import FIGURES  # noqa: E402
from scipy import sparse  # noqa: E402
from sklearn import datasets, ensemble, svm, tree  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.compose import make_column_transformer  # noqa: E402
from sklearn.gaussian_process import GaussianProcessRegressor  # noqa: E402
from sklearn.kernel_ridge import KernelRidge  # noqa: E402
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge  # noqa: E402
from sklearn.neighbors import KNeighborsRegressor  # noqa: E402
from sklearn.neural_network import MLPRegressor  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler  # noqa: E402

import ice_explorer as ice  # noqa: E402

DECAYS = (0.05, 0.5, 0.75, 1.0)
LIBRARIES = ("numpy", "pandas", "scipy", "scikit-learn", "xgboost-cpu", "lightgbm", "catboost", "polars")
UNITLESS = ("axis", "scale", "likelihood", "support", "share", "drivers", "distance", "interactions", "importances")
SAME_FIT = 1e-11  # largest relative difference of predictions that counts as rounding


# --- How figures are read: what another version of the package adapts --------------------------------

GONE = (  # recorded, and no longer there
    "notes", "table equations", "table stable", "table paper largest_step_share", "table paper n_grid",
    "table paper scale", "drivers difference", "marginal effects non-linearity",
)  # fmt: skip
UNORDERED = ("category", "group")
LEVELS = (*UNORDERED, "ordered", "boolean")


def explained(name, convention="paper"):
    model, X, *_ = made(name)
    return ice.explain(model, X, convention=convention, progress=False, **CASES[name].options)


def table(e, decay):
    """Return the numbers of the table, features in column order."""
    return e.table(decay=decay, rank_by=None).select_dtypes("number")


def figures_of_feature(e, f, rows):
    """Yield quantities of one feature; `rows` are positions among its curves."""
    positions = f.rows[rows]
    yield "kind", [f.dtype_kind]
    yield "axis", f.axis
    if f.axis.dtype != f.grid.dtype:
        yield "grid", list(map(str, f.grid))
    yield "curves", f.curves[rows]
    yield "likelihood", f.likelihood(0.5, rows=positions)
    yield "likelihood scale", f.likelihood_scale[positions]
    yield "c-ice", f.centered_curves("own")[rows[:1]]
    if f.dtype_kind not in UNORDERED:
        yield "d-ice", f.slopes[rows[:1]]
    yield "partial dependence", f.partial_dependence
    if f.missing_curve is not None:
        yield "missing curve", f.missing_curve[rows]
    drivers = e.drivers(f.feature).sort_values("feature")
    for name, column in {"share": "share", "rule": "rule", "n_rule": "n_yes"}.items():
        yield f"drivers {name}", drivers[column].to_list()
    effects = e.effects(f.feature)
    if f.dtype_kind in UNORDERED:  # in the order of the grid, not of similarity
        effects = effects.loc[[level for level in f.grid if level in effects.index]]
    for name in ("partial_dependence", "ale", "m_plot"):
        yield f"effects {name}", effects[name]
    step = f.grid[0] if f.dtype_kind in LEVELS else 1.0 if f.scale == 0 else None
    forward = e.marginal_effects(f.feature, step)
    yield "marginal effects forward", [forward.average, *forward.values[positions]]
    if f.dtype_kind not in LEVELS and f.scale > 0:
        yield "marginal effects derivative", [e.marginal_effects(f.feature, kind="derivative").average]


def figures_of_all(e, y, measures):
    """Yield quantities of all features together; `measures` are those of importance that the model has."""
    yield "features", [f.label for f in e.values()]
    yield "predictions", e.predictions(range(e._n_observations))
    yield "notes", [len(e.notes)]
    for row in (1, e._n_observations // 2):  # where no two changes are equally large
        moves = e.what_if(row).loc[e.features]
        yield f"what-if change | {row}", moves["change"]
        yield f"what-if distance | {row}", moves["distance"]
        yield f"what-if value | {row}", list(map(str, moves["value"]))
    pair = e.two_way(*e.features[:2], grid_size=6)
    yield "two-way axis", [*pair.first.axis, *pair.second.axis]
    yield "two-way", pair.partial_dependence
    interactions = e.interactions()
    yield "interactions of features", interactions.features.loc[e.features]
    yield "interactions of pairs", interactions.pairs["h2"].sort_index()
    if measures:
        compared = e.importances(y, measures)
        for name in compared.table.columns:
            yield f"importances | {name}", compared.table.loc[e.features, name]
        yield "importances correlations", compared.correlations.loc[list(measures)]


# --- Recording and comparing -------------------------------------------------------------------------


class Case(NamedTuple):
    """A model on some rows; `make` returns the model, X, y, and a function that calls the library itself."""

    make: Any
    options: dict[str, Any] = {}  # noqa: RUF012 - never changed
    measures: tuple[str, ...] = ()


@cache
def made(name):
    """Return the model of a case, X, y, and what the library predicts of X."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, X, y, predict = CASES[name].make()
        return model, X, y, np.asarray(predict(X), float)


def figures_of(name):
    """Return every figure of a case by "quantity | where"."""
    case, e, of_steps = CASES[name], explained(name), explained(name, "step")
    figures = dict(figures_of_all(e, made(name)[2], case.measures))
    for f in e.values():
        rows = np.unique([0, len(f.rows) // 2, len(f.rows) - 1])
        figures |= {f"{part} | {f.label}": value for part, value in figures_of_feature(e, f, rows)}
    for decay in DECAYS:
        shown, steps = table(e, decay), table(of_steps, decay)
        figures |= {f"table paper {column} | {decay}": shown[column] for column in shown}
        figures |= {f"step {column} | {decay}": steps[column] for column in FIGURES}
    return {key: np.asarray(value).tolist() for key, value in figures.items()}


def read():
    return json.loads(gzip.decompress(RECORDED.read_bytes()))["cases"]


def write():
    versions = {"python": platform.python_version(), **{name: importlib.metadata.version(name) for name in LIBRARIES}}
    cases = {name: {"predictions": made(name)[3].tolist(), "figures": figures_of(name)} for name in CASES}
    text = json.dumps({"versions": versions, "cases": cases}, separators=(",", ":"))
    RECORDED.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def is_same_fit(name, recorded):
    """Whether the library predicts what it predicted when the figures were recorded."""
    return difference(made(name)[3], recorded["predictions"]) <= SAME_FIT


def differences(name, recorded):
    """Return the largest relative difference of each figure; infinite where one is missing or has another shape."""
    figures, expected, sd = figures_of(name), recorded["figures"], float(np.std(recorded["predictions"]))
    keys = [key for key in {**expected, **figures} if not key.startswith(GONE)]
    units = [0.0 if any(word in quantity(key) for word in UNITLESS) else sd for key in keys]
    return {k: difference(figures.get(k), expected.get(k), unit) for k, unit in zip(keys, units, strict=True)}


def quantity(key):
    return key.split(" | ")[0]


def difference(values, expected, unit=0.0):
    """Return the largest difference, relative to the figure plus a tenth of the largest one, or of `unit` if larger."""
    if values is None or expected is None or np.asarray(expected).dtype.kind == "U":
        return 0.0 if values == expected else np.inf
    values, expected = np.asarray(values, float), np.asarray(expected, float)
    if values.shape != expected.shape or not np.array_equal(np.isnan(values), np.isnan(expected)):
        return np.inf
    size = np.abs(np.nan_to_num(expected))
    distance = np.abs(np.nan_to_num(values - expected))
    return float((distance / (size + 0.1 * max(unit, size.max(initial=1e-300)))).max(initial=0.0))


def compare():
    """Print the largest difference of each case and each quantity."""
    table = {}
    for name, recorded in read().items():
        if is_same_fit(name, recorded):
            table |= {(name, key): value for key, value in differences(name, recorded).items()}
        else:
            print(f"{name}: not compared, because the library predicts something else on this machine")
    for group_of in (lambda name, _: name, lambda _, key: quantity(key)):
        for group in dict.fromkeys(group_of(*place) for place in table):
            worst = max((place for place in table if group_of(*place) == group), key=table.get)
            print(f"{group:40} {table[worst]:.1e}  {': '.join(worst)}")


# --- Data and models ---------------------------------------------------------------------------------


def household(n=50, missing=0):
    """Return columns of every kind; every `missing`-th value of the first four is missing."""
    rng = np.random.default_rng(2)
    size = pd.Categorical(rng.choice(["s", "m", "l"], n), ["s", "m", "l", "xl"], ordered=True)
    X = pd.DataFrame({"age": rng.integers(20, 60, n).astype(float), "city": rng.choice(["Lima", "Oslo", "Rome"], n)})
    X = X.assign(size=size, day=pd.Timestamp("2024-02-01") + pd.to_timedelta(rng.integers(0, 90, n), unit="D"))
    for at, name in enumerate(X.columns if missing else ()):
        X.loc[at::missing, name] = None
    return X.assign(insured=rng.random(n) < 0.6, stay=pd.to_timedelta(rng.integers(1, 48, n) * 6, unit="h"))


def price(X):
    """Return a function of every column of `household`, defined for missing values, too."""
    age = X["age"].fillna(70.0).to_numpy(float)
    city = X["city"].map({"Lima": 1.0, "Oslo": 4.0, "Rome": 2.5}).fillna(0.5).to_numpy(float)
    size = X["size"].map({"s": 0.0, "m": 1.0, "l": 3.0, "xl": 4.0}).astype(float).fillna(-1.0).to_numpy()
    days = (X["day"] - pd.Timestamp("2024-02-01")).dt.days.fillna(40).to_numpy(float)
    hours = X["stay"].dt.total_seconds().to_numpy(float) / 3600
    return city * (age / 40) ** 2 + size * X["insured"] + np.abs(days - 30) / 20 * (1 + size) + hours / 48 * city


def waves(X):
    return np.sin(X[:, 1]) * X[:, 2] + np.abs(X[:, 0] - 35) / 10 + (X[:, 3] > 0) * X[:, 1]


def of_polars(X):
    age, city = X["age"].to_numpy(), np.where(X["city"].to_numpy() == "Lima", 3.0, 1.0)
    return age / 10 * city + X["day"].dt.ordinal_day().to_numpy() * (age > 40) / 30


def fitted(model, data, ask="predict", column=slice(None)):
    """Return a function that fits a model, or what makes one; `column` is one of those that `ask` returns."""

    def make():
        estimator = (model() if inspect.isfunction(model) else clone(model)).fit(*data)
        return estimator, *data, lambda X: np.asarray(getattr(estimator, ask)(X), float)[..., column]

    return make


def function(predict, X):
    return lambda: (predict, X, None, predict)


def library(name, model, **options):
    """Return a function that makes a model of a library that is not imported before."""
    return lambda: getattr(importlib.import_module(name), model)(**options)


second_class = partial(fitted, ask="predict_proba", column=1)
scaled = partial(make_pipeline, StandardScaler())
rng = np.random.default_rng(1)
X = pd.DataFrame({"age": rng.integers(20, 60, 50).astype(float)})
X["income"] = (3 + 0.05 * (X["age"] - 40) + rng.normal(size=50)).round(1)
X = X.assign(rooms=rng.integers(1, 6, 50).astype(float), noise=rng.normal(size=50).round(1))
y = (X["age"] / 10 - 4 + X["income"] * (X["rooms"] > 3) + np.sin(X["income"]) + rng.normal(0, 0.3, 50)).round(3)
NUMBERS = X, y
TWO, THREE = (X, np.where(y > np.median(y), "yes", "no")), (X, np.digitize(y, np.quantile(y, [0.3, 0.7])))
CITY = X.assign(city=household()["city"]), y + household()["city"].map({"Lima": 0.0, "Oslo": 2.0, "Rome": 5.0})
MISSING = CITY[0].mask(np.arange(250).reshape(50, 5) % 12 == 0).astype({"city": "category"}), CITY[1]
FLAGS = pd.get_dummies(CITY[0], columns=["city"], dtype=float)
ARRAY = X.to_numpy()
SKEWED = np.exp(ARRAY * [0.12, 1.2, 0.8, 1.5]).round(2)
IRIS = tuple(part.iloc[::3] for part in datasets.load_iris(return_X_y=True, as_frame=True))
DIABETES = tuple(part.iloc[::3] for part in datasets.load_diabetes(return_X_y=True, as_frame=True))
SMALL = {"n_estimators": 12, "max_depth": 4, "random_state": 0}
TREE = {"max_depth": 4, "random_state": 0}
XGB = {"n_estimators": 12, "max_depth": 4, "n_jobs": 1}
LGB = {"n_estimators": 12, "min_child_samples": 4, "n_jobs": 1, "verbose": -1}
CAT = {"iterations": 12, "depth": 3, "thread_count": 1, "verbose": 0, "allow_writing_files": False}
OTHERS = ("permutation", "partial_dependence")
NATIVE = ("native", *OTHERS)
GRIDS = {"age": [10, 20, 25, 60, 80], "city": ["Oslo", "Rome"], "size": ["s", "m", "l", "xl"]}
FOREST = ensemble.RandomForestRegressor(**SMALL)
LOGISTIC = scaled(LogisticRegression(solver="newton-cholesky", tol=1e-10))
ONE_HOT = make_column_transformer((OneHotEncoder(), ["city"]), remainder=StandardScaler())
MIXED = [("line", LinearRegression()), ("tree", tree.DecisionTreeRegressor(**TREE))]
STACK = [("line", LOGISTIC), ("tree", tree.DecisionTreeClassifier(**TREE))]

CASES = {
    # Linear models, kernels and networks
    "linear": Case(fitted(LinearRegression(), NUMBERS), {}, NATIVE),
    "logistic": Case(second_class(LOGISTIC, TWO), {}, OTHERS),
    "log-odds": Case(fitted(LOGISTIC, TWO, "decision_function"), {"response": "log_odds"}),
    "iris": Case(second_class(LOGISTIC, IRIS), {"output": 1}),
    "ridge of one-hot": Case(fitted(make_pipeline(ONE_HOT, Ridge()), CITY), {}, OTHERS),
    "polynomial": Case(fitted(scaled(PolynomialFeatures(3), Ridge(0.1)), NUMBERS)),
    "support vectors": Case(fitted(scaled(svm.SVR(C=5.0, tol=1e-9)), NUMBERS)),
    "Gaussian process": Case(fitted(scaled(GaussianProcessRegressor(alpha=0.3, optimizer=None)), NUMBERS)),
    "kernel ridge": Case(fitted(scaled(KernelRidge(alpha=0.5, kernel="rbf")), NUMBERS)),
    "network": Case(fitted(scaled(MLPRegressor(hidden_layer_sizes=[6], max_iter=300, random_state=0)), NUMBERS)),
    # Trees
    "decision tree": Case(fitted(tree.DecisionTreeRegressor(random_state=0), NUMBERS), {}, NATIVE),
    "random forest": Case(second_class(ensemble.RandomForestClassifier(**SMALL), THREE), {"output": 1}),
    "extra trees": Case(fitted(ensemble.ExtraTreesRegressor(**SMALL), NUMBERS), {}, NATIVE),
    "gradient boosting": Case(second_class(ensemble.GradientBoostingClassifier(**SMALL), TWO), {}, NATIVE),
    "histograms": Case(fitted(ensemble.HistGradientBoostingRegressor(max_iter=12, min_samples_leaf=4), MISSING)),
    "diabetes": Case(fitted(FOREST, DIABETES), {"features": ["age", "bmi", "bp"]}),
    "isolation": Case(fitted(ensemble.IsolationForest(n_estimators=8, random_state=0), NUMBERS, "decision_function")),
    "XGBoost": Case(fitted(library("xgboost", "XGBRegressor", **XGB), (MISSING[0].drop(columns="city"), y))),
    "XGBoost, two classes": Case(second_class(library("xgboost", "XGBClassifier", **XGB), (X, (y > 3) * 1))),
    "LightGBM": Case(fitted(library("lightgbm", "LGBMRegressor", **LGB), MISSING)),
    "LightGBM, classes": Case(second_class(library("lightgbm", "LGBMClassifier", **LGB), THREE), {"output": 1}),
    "CatBoost": Case(fitted(library("catboost", "CatBoostRegressor", **CAT, cat_features=["city"]), CITY)),
    "CatBoost, two classes": Case(second_class(library("catboost", "CatBoostClassifier", **CAT), TWO)),
    # Other models
    "neighbours": Case(fitted(scaled(KNeighborsRegressor(weights="distance", algorithm="kd_tree")), NUMBERS)),
    "voting": Case(fitted(ensemble.VotingRegressor(MIXED), NUMBERS)),
    "stacking": Case(second_class(ensemble.StackingClassifier(STACK, cv=3), TWO)),
    "function": Case(function(waves, ARRAY)),
    # Kinds of data
    "every kind": Case(function(price, household())),
    "every kind, missing": Case(function(price, household(missing=9))),
    "one-hot group": Case(fitted(FOREST, (FLAGS, CITY[1])), {"groups": {"city": list(FLAGS)[4:]}}),
    "codes": Case(fitted(tree.DecisionTreeRegressor(**TREE), NUMBERS), {"categorical_features": ["rooms"]}),
    "sparse": Case(fitted(tree.DecisionTreeRegressor(**TREE), (sparse.csr_array(ARRAY), y))),
    "polars": Case(function(of_polars, pl.from_pandas(household()[["age", "city", "day"]]))),
    "constant": Case(function(waves, ARRAY * [1, 0, 0, 1]), {"grid": {"x1": [-1.0, 0.0, 2.0], "x3": [0.5]}}),
    "duplicates": Case(function(waves, np.repeat(np.rint(ARRAY[:12] / [4, 1, 1, 1]), 4, axis=0))),
    "two rows": Case(function(price, household(2))),
    "two values": Case(function(waves, (ARRAY > [30, 3, 2, 0]) * [10.0, 1.0, 3.0, 1.0])),
    "skewed": Case(fitted(ensemble.GradientBoostingRegressor(n_estimators=40, random_state=0), (SKEWED, y))),
    # Options
    "integer weights": Case(fitted(FOREST, NUMBERS), {"sample_weight": np.arange(50) % 4}),
    "weights, missing": Case(function(price, household(missing=5)), {"sample_weight": (np.arange(50) % 5) / 2 + 0.25}),
    "quantile grid": Case(function(waves, ARRAY), {"grid": "quantile", "grid_size": 9}),
    "uniform grid": Case(function(waves, ARRAY), {"grid": "uniform", "grid_size": 12}),
    "custom grid": Case(function(price, household()), {"grid": GRIDS}),
    "thresholds": Case(fitted(tree.DecisionTreeRegressor(**TREE), NUMBERS), {"grid": "thresholds"}),
    "conditional distance": Case(function(price, household(40)), {"distance": "conditional"}),
    "distance by feature": Case(function(waves, ARRAY), {"distance": {"x0": np.linspace(1, 20, 50)}}),
}


if __name__ == "__main__":
    compare() if "--compare" in sys.argv else write()
