"""Grids of thresholds: of trees applied to X itself, and behind transformers in units of X."""

import lightgbm
import numpy as np
import pandas as pd
import parity
import pytest
import xgboost
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

import ice_explorer as ice
from ice_explorer.trees.forest import read_forest

N = 120
FEW = {"n_estimators": 6, "max_depth": 6, "random_state": 0}


def frame():
    """Numbers far from 0, around it, whole, heavy-tailed, missing and in single precision; codes, booleans and text."""
    rng = np.random.default_rng(8)
    X = pd.DataFrame(
        {
            "far": rng.normal(1000.0, 10.0, N),
            "around": rng.normal(size=N),
            "whole": rng.integers(0, 9, N),
            "tail": rng.lognormal(size=N),
            "gaps": np.where(rng.random(N) < 0.2, np.nan, rng.random(N)),
            "single": rng.normal(size=N).astype(np.float32),
            "code": rng.integers(0, 4, N),
            "flag": rng.random(N) < 0.5,
            "city": rng.choice(["Lima", "Oslo", "Rome"], N),
        }
    )
    y = X["far"] / 10 + X["around"] * X["whole"] + X["tail"] * X["flag"] + X["code"] ** 2 + X["gaps"].fillna(0.5)
    return X, y + 3 * X["single"] + (X["city"] == "Oslo")


X, Y = frame()
NUMBERS = ["far", "around", "whole", "tail", "gaps", "single"]
SCALERS = {
    "as they are": "passthrough",
    "standard": StandardScaler(),
    "0 to 1": MinMaxScaler((-3, 5)),
    "clipped": MinMaxScaler(clip=True),
    "largest": MaxAbsScaler(),
    "quartiles": RobustScaler(),
    "identity": FunctionTransformer(),
    "two": make_pipeline(RobustScaler(), StandardScaler()),
    "power": PowerTransformer(),
    "quantiles": QuantileTransformer(n_quantiles=20),
}
TREES = {
    "forest": lambda: RandomForestRegressor(**FEW),
    "histograms": lambda: HistGradientBoostingRegressor(max_iter=6, min_samples_leaf=3),
    "XGBoost": lambda: xgboost.XGBRegressor(n_estimators=6, max_depth=4, n_jobs=1),
    "LightGBM": lambda: lightgbm.LGBMRegressor(n_estimators=6, min_child_samples=3, n_jobs=1, verbose=-1),
}


def behind(scaler, trees):
    """Trees that see scaled numbers, encoded text and codes, and booleans as they are."""
    numbers = scaler if isinstance(scaler, str) else make_pipeline(SimpleImputer(), scaler)
    columns = ColumnTransformer(
        [("numbers", numbers, NUMBERS), ("codes", OneHotEncoder(), ["city", "code"])], remainder="passthrough"
    )
    return make_pipeline(columns, trees)


def fitted(model, rows=X, y=Y):
    return parity.quiet(model.fit, rows, y)


def phantoms(feature, values, rows):
    """Rows with each value, (n_rows * n_values) of them."""
    stacked = rows.loc[np.repeat(rows.index, len(values))].reset_index(drop=True)
    return stacked.assign(**{feature: np.tile(values, len(rows))})


def predicted(model, feature, values, rows):
    return np.asarray(model.predict(phantoms(feature, values, rows)), float).reshape(len(rows), len(values))


def interiors(grid, trees, *, is_single):
    """The first and the last number of each interval of the grid on which the curve is constant.

    A grid value is the last number on the left of a step, or the first on its right where the trees send
    equal numbers right; of columns that the trees see as they are, it is so in their own precision.
    """
    neighbour = np.nextafter
    if is_single:

        def neighbour(values, towards):
            return np.nextafter(values.astype(np.float32), np.float32(towards)).astype(float)

    if trees == "XGBoost":
        return grid[:-1], neighbour(grid[1:], -np.inf)
    return neighbour(grid[:-1], np.inf), grid[1:]


@pytest.mark.parametrize(
    ("trees", "scaler"),
    [
        *(
            pytest.param("forest", scaler, marks=[] if scaler in {"standard", "power"} else [pytest.mark.wide])
            for scaler in SCALERS
        ),
        *((trees, "standard") for trees in TREES if trees != "forest"),
    ],
)
def test_curves_step_at_grid_values_and_nowhere_else(trees, scaler):
    """Between two of them they are constant, from the first number to the last, as the pipeline itself rounds."""
    model = fitted(behind(SCALERS[scaler], TREES[trees]()))
    e = parity.explained(model, X, grid="thresholds", sample=40)
    rows, rng = X.iloc[:10], np.random.default_rng(1)
    is_single = trees in {"forest", "XGBoost"} and scaler in {"as they are", "identity"}
    for name in NUMBERS:
        grid = e[name].grid.astype(float)
        assert (grid[0], grid[-1]) == (X[name].min(), X[name].max())
        assert len(grid) > 3
        first, last = interiors(grid, trees, is_single=is_single)
        between = np.clip(rng.uniform(grid[:-1], grid[1:]), first, last)
        ends, middle = (
            [predicted(model, name, values, rows) for values in (first, last)],
            predicted(model, name, between, rows),
        )
        for end in ends:
            assert_array_equal(end[:, 1:-1], middle[:, 1:-1])  # the data may end within the other two


@pytest.mark.parametrize("trees", TREES)
def test_the_thresholds_are_those_that_the_trees_have(trees):
    """In units of X: each one inside the data has a grid value, and each grid value but the extremes is one."""
    model = fitted(behind(StandardScaler(), TREES[trees]()))
    e = parity.explained(model, X, grid="thresholds", sample=40)
    forest = read_forest(model[-1], None, "predict")
    for at, name in enumerate(NUMBERS):
        scaler = model[0].named_transformers_["numbers"][-1]
        expected = forest.thresholds(at) * scaler.scale_[at] + scaler.mean_[at]
        grid = e[name].grid.astype(float)
        apart = np.abs(expected[:, None] - grid) / scaler.scale_[at]
        inside = (expected > grid[0]) & (expected < grid[-1])
        assert apart.min(axis=1)[inside].max() < 1e-6
        assert apart.min(axis=0)[1:-1].max() < 1e-6


@pytest.mark.parametrize("kind", ["array", "array of float32", "polars", "sparse"])
def test_any_container_has_thresholds_behind_a_scaler(kind):
    """Values are written into it as they are for curves, with its own rounding."""
    numbers = X[["far", "around", "tail"]]
    rows = {
        "array": numbers.to_numpy,
        "array of float32": lambda: numbers.to_numpy(np.float32),
        "polars": lambda: pytest.importorskip("polars").DataFrame(numbers.to_dict("list")),
        "sparse": lambda: pytest.importorskip("scipy.sparse").csr_array(numbers.to_numpy()),
    }[kind]()
    model = make_pipeline(MaxAbsScaler(), RandomForestRegressor(**FEW)).fit(rows, Y)
    e, brute = (
        ice.explain(model, rows, grid="thresholds", method=method, progress=False) for method in ("auto", "brute")
    )
    parity.assert_equal_explanations(e, brute)
    for name in e.features:
        fine = np.unique(np.concatenate([e[name].grid, np.linspace(e[name].grid[0], e[name].grid[-1], 500)]))
        curves = ice.explain(model, rows, grid={name: fine}, features=[name], progress=False)[name].curves
        steps = np.abs(np.diff(e[name].curves, axis=1)).sum(axis=1)
        assert_allclose(np.abs(np.diff(curves, axis=1)).sum(axis=1), steps, rtol=1e-9, atol=1e-9)


def test_columns_passed_through_have_the_grid_of_the_model_alone():
    """To the bit, whatever is done to the others."""
    numbers = X[["far", "whole", "tail"]]
    alone = fitted(RandomForestRegressor(**FEW), numbers)
    both = fitted(
        make_pipeline(
            ColumnTransformer([("keep", "passthrough", list(numbers))]), RandomForestRegressor(**FEW)
        ), numbers,
    )  # fmt: skip
    e, expected = (parity.explained(model, numbers, grid="thresholds") for model in (both, alone))
    for name in numbers:
        assert_array_equal(e[name].grid, expected[name].grid)
    assert not e.notes or not e.notes[0].startswith("`grid")


class Squares(TransformerMixin, BaseEstimator):
    """A transformer of one's own, of which nothing is known."""

    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X):
        return np.asarray(X, float) ** 2

    def get_feature_names_out(self, names=None):
        return names


def test_columns_whose_thresholds_are_lost_are_named_in_one_note():
    """What falls, what is encoded, what is combined; a transformer of one's own does where it rises."""
    named = "because the transformers in front of the model combine or encode them, so that its thresholds are not "
    columns = ColumnTransformer(
        [
            ("rises", Squares(), ["far", "tail"]),
            ("falls and rises", Squares(), ["around"]),
            ("codes", OneHotEncoder(handle_unknown="ignore"), ["code", "whole"]),
            ("combined", PCA(), ["flag", "single"]),
        ]
    )
    model = fitted(make_pipeline(columns, RandomForestRegressor(**FEW)))
    e = parity.explained(model, X.drop(columns=["gaps", "city"]), grid="thresholds")
    assert e.notes[0] == (
        "`grid=\"thresholds\"`: the grids of 4 columns ('around', 'whole', 'single', …) are the observed values, "
        f"{named}values of X."
    )
    assert len(e["far"].grid) < N > len(e["tail"].grid)
    for name in ("around", "whole", "code"):
        assert_array_equal(e[name].grid, np.unique(X[name]))
    one = fitted(behind(StandardScaler(), RandomForestRegressor(**FEW)))
    assert parity.explained(one, X, grid="thresholds", sample=40).notes[0] == (
        f"`grid=\"thresholds\"`: the grid of 'code' is the observed values, {named}values of X."
    )


def test_a_column_that_no_tree_looks_at_has_the_extremes_as_its_grid():
    """It has no threshold; nor have columns that the transformers drop."""
    columns = ColumnTransformer([("numbers", StandardScaler(), ["far", "whole"])])
    model = fitted(make_pipeline(columns, RandomForestRegressor(n_estimators=2, max_depth=1, random_state=0)))
    e = parity.explained(model, X[["far", "whole", "tail"]], grid="thresholds")
    assert_array_equal(e["tail"].grid, [X["tail"].min(), X["tail"].max()])


def test_booleans_and_texts_have_their_own_values_as_a_grid():
    """Between False and True there is nothing to tell apart."""
    e = parity.explained(fitted(behind("passthrough", RandomForestRegressor(**FEW))), X, grid="thresholds", sample=40)
    assert e["flag"].grid.tolist() == [False, True]
    assert sorted(e["city"].grid) == ["Lima", "Oslo", "Rome"]
    plain = X[["flag", "far"]]
    assert parity.explained(
        fitted(RandomForestRegressor(**FEW), plain), plain, grid="thresholds"
    )["flag"].grid.tolist() == [False, True]  # fmt: skip


def test_classes_behind_a_scaler_share_the_engine_of_trees():
    """The grid is that of the class explained."""
    numbers = X[["far", "tail", "single"]]
    y = np.digitize(Y, np.quantile(Y, [0.3, 0.6]))
    model = fitted(make_pipeline(StandardScaler(), RandomForestClassifier(**FEW)), numbers, y)
    e, brute = (
        parity.explained(model, numbers, grid="thresholds", output=1, method=method) for method in ("auto", "brute")
    )
    assert (e.method, brute.method) == ("tree", "brute")
    parity.assert_equal_explanations(e, brute)
