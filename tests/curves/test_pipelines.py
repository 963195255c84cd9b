"""Transformers, searches and transformed targets around a model: taken off where that is exact, left on elsewhere."""

from functools import partial

import numpy as np
import pandas as pd
import parity
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, RegressorMixin, TransformerMixin, clone
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_selection import SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.impute import KNNImputer, MissingIndicator, SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, RANSACRegressor, Ridge
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV, TunedThresholdClassifierCV
from sklearn.pipeline import Pipeline, make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
)
from sklearn.svm import SVR

from ice_explorer.models.libraries import unwrap

pytestmark = pytest.mark.current
compare = partial(parity.assert_as_predicted, rounding=1e-11)


def turned(X):
    return -X


def numbers(n=50):
    rng = np.random.default_rng(9)
    return np.column_stack([rng.normal(size=n).round(1), rng.integers(0, 5, n), rng.normal(3, 2, n).round(1)])


def target(X=None):
    X = np.nan_to_num(numbers() if X is None else X, nan=4.0)
    return X[:, 0] * X[:, 1] + np.abs(X[:, 2])


def frame(n=50):
    X, rng = numbers(n), np.random.default_rng(10)
    return pd.DataFrame(
        {
            "city": np.array(["Oslo", "Rome", "Lima"])[rng.integers(0, 3, n)],
            "age": X[:, 0],
            "rooms": X[:, 1].astype(int),
            "size": X[:, 2],
            "member": rng.random(n) < 0.5,
        }
    )


def forest(**options):
    return RandomForestRegressor(n_estimators=4, max_depth=4, random_state=0, **options)


LASTS = {"tree": forest(), "linear": Ridge(), "kernel": SVR()}


def behind(transformer, method, X=None):
    """Fit the last step of a method behind transformers."""
    steps = transformer if isinstance(transformer, tuple) else (transformer,)
    X = numbers() if X is None else X
    y = target(X) if isinstance(X, np.ndarray) else target()
    return parity.quiet(make_pipeline(*map(copy_of, steps), clone(LASTS[method])).fit, X, y)


def copy_of(part):
    return part if isinstance(part, str) else clone(part)


def assert_curves_of_rows(model, X, feature, rows, **options):
    """Compare the curves of a few rows with those that the model predicts."""
    fast, brute = (parity.explained(model, X, method=method, **options)[feature] for method in ("auto", "brute"))
    assert_allclose(fast.compute_curves(rows), brute.compute_curves(rows), rtol=1e-9, atol=1e-9)


# --- layers ---------------------------------------------------------------------------------------


def test_layers_come_off_from_the_outside_in():
    """A search over a pipeline over a transformed target over a forest, each only once."""
    X = numbers()
    inner = TransformedTargetRegressor(forest(), func=np.log1p, inverse_func=np.expm1)
    search = GridSearchCV(make_pipeline(StandardScaler(), MinMaxScaler(), inner), {"minmaxscaler__clip": [False]}, cv=2)
    search.fit(X, np.exp(target() / 5))
    unwrapped = unwrap(search)
    assert isinstance(unwrapped.model, RandomForestRegressor)
    transformed = search.best_estimator_[:-1].transform(X)
    assert_array_equal(unwrapped.transform(X), transformed)
    assert_allclose(unwrapped.restore_output(unwrapped.model.predict(transformed)), search.predict(X), rtol=1e-15)
    compare("tree", search, X)


class ForeignPipeline(RegressorMixin, BaseEstimator):
    """Has steps that need no transform method, as those that resample rows have none."""

    def __init__(self, steps):
        self.steps = steps

    def fit(self, X, y):
        self.steps[-1][1].fit(X, y)
        self.fitted_ = True
        return self

    def predict(self, X):
        return self.steps[-1][1].predict(X)


ForeignPipeline.__name__ = "Pipeline"
SINH = {"func": np.arcsinh, "inverse_func": np.sinh}
CUBE = {"func": np.cbrt, "inverse_func": lambda values: values**3}
WRAPPED = {
    "scaled linear": ("linear", make_pipeline(StandardScaler(), Ridge())),
    "pipelines in pipelines": (
        "linear", make_pipeline(make_pipeline(StandardScaler(), "passthrough"), RobustScaler(), Ridge()),
    ),
    "target of a linear model": ("linear", TransformedTargetRegressor(Ridge(), **SINH)),
    "target inside a pipeline": (
        "kernel", make_pipeline(StandardScaler(), TransformedTargetRegressor(SVR(), transformer=StandardScaler())),
    ),
    "target around a pipeline": (
        "tree",
        TransformedTargetRegressor(
            make_pipeline(StandardScaler(), forest()), transformer=QuantileTransformer(n_quantiles=30)
        ),
    ),
    "two targets": ("brute", TransformedTargetRegressor(TransformedTargetRegressor(forest(), **SINH), **CUBE)),
    "search": ("tree", GridSearchCV(forest(), {"max_depth": [2, 3]}, cv=2)),
    "frozen": ("linear", make_pipeline(StandardScaler(), FrozenEstimator(Ridge().fit(numbers(), target())))),
    "rows that agree": ("linear", RANSACRegressor(random_state=0)),
    "another library's pipeline": ("brute", ForeignPipeline([("sampler", object()), ("model", Ridge())])),
    "classifier": (
        "tree",
        make_pipeline(StandardScaler(), RandomForestClassifier(n_estimators=4, max_depth=3, random_state=0)),
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if "target" in name else [pytest.mark.wide]) for name in WRAPPED]
)
def test_what_is_around_a_model_is_taken_off_where_that_is_exact(name):
    """Whatever is left on is predicted with the model."""
    method, model = WRAPPED[name]
    y = np.where(target() > 3, "yes", "no") if name == "classifier" else target()
    compare(method, parity.quiet(model.fit, numbers(), y), numbers())


def test_a_pipeline_that_ends_in_a_transformer_stays_on():
    """No layer is known of it."""
    passing = Pipeline([("scale", StandardScaler()), ("end", "passthrough")]).fit(numbers())
    assert unwrap(passing).model is passing


@pytest.mark.parametrize("response", ["predict_proba", pytest.param("log_odds", marks=pytest.mark.wide)])
def test_a_threshold_changes_no_probability(response):
    """Nor a margin, but the predicted class."""
    X, y = numbers(), np.where(target() > 3, "yes", "no")
    for wrapper in (
        FixedThresholdClassifier(LogisticRegression(), threshold=0.2),
        TunedThresholdClassifierCV(LogisticRegression(), cv=2, thresholds=5),
    ):
        model = wrapper.fit(X, y)
        compare("linear", model, X, response=response)
    compare("brute", model, X, response="predict", grid="quantile", grid_size=4)


# --- transformers that work column by column ------------------------------------------------------

OUTSIDE = {"x0": [-9.0, -1.05, 0.0, 12.0], "x1": [3.0], "x2": [50.0, 60.0]}
# Newer versions of scikit-learn warn where it is left out, older ones do not know it.
BINS = {"quantile_method": "averaged_inverted_cdf"} if "quantile_method" in KBinsDiscretizer().get_params() else {}


@pytest.mark.parametrize(
    "method", ["tree", pytest.param("linear", marks=pytest.mark.wide), pytest.param("kernel", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize(
    "transformer",
    [
        StandardScaler(),
        MinMaxScaler(clip=True),
        QuantileTransformer(n_quantiles=20),
        PowerTransformer(),
        KBinsDiscretizer(4, encode="ordinal", **BINS),
        FunctionTransformer(np.tanh),
        FunctionTransformer(turned),
        FunctionTransformer(np.abs),
        "passthrough",
        SelectKBest(k=2),
        KBinsDiscretizer(4, encode="onehot", **BINS),
        SplineTransformer(n_knots=4),
        make_union(StandardScaler(), FunctionTransformer(np.negative)),
        make_pipeline(StandardScaler(), SplineTransformer(degree=2, extrapolation="periodic")),
    ],
    ids=lambda transformer: type(transformer).__name__,
)
def test_transformers_of_single_columns(transformer, method):
    """Values that are made equal, fall or become several columns; grids within the data and beyond."""
    model = behind(transformer, method)
    for grid in ("observed", OUTSIDE):
        compare(method, model, numbers(), grid=grid)


def test_a_transformer_that_rounds_to_single_precision_rounds_grids_and_rows_alike():
    """The trees behind it see numbers as the model does."""
    X = numbers() / 3
    rounded = FunctionTransformer(partial(np.asarray, dtype=np.float32))
    model = make_pipeline(rounded, HistGradientBoostingRegressor(max_iter=4, min_samples_leaf=5))
    compare("tree", model.fit(X, target(X)), X)


SEVERAL = {
    "one-hot": [("codes", OneHotEncoder(), ["city", "rooms", "member"])],
    "ranks": [("codes", OrdinalEncoder(), ["city"])],
    "text alone": [("codes", OneHotEncoder(), ["city"])],
    "dropped and moved": [("a", StandardScaler(), ["size", "age"]), ("b", "passthrough", ["member"])],
    "twice": [("a", StandardScaler(), ["age", "size"]), ("b", "passthrough", ["age", "rooms"])],
}
TYPICAL = {("one-hot", "linear"), ("dropped and moved", "tree"), ("twice", "kernel")}


@pytest.mark.parametrize(
    ("columns", "method"),
    [
        pytest.param(columns, method, marks=[] if (columns, method) in TYPICAL else [pytest.mark.wide])
        for columns in SEVERAL
        for method in LASTS
    ],
)
def test_columns_are_found_wherever_a_transformer_puts_them(columns, method):
    """Encoded, dropped, moved or used twice; a sparse matrix is no obstacle, and what is dropped has no impact."""
    X = frame()
    rest = "drop" if columns in {"dropped and moved", "twice"} else "passthrough"
    transformer = ColumnTransformer(SEVERAL[columns], remainder=rest, sparse_threshold=1.0)
    model = behind(transformer, method, X)
    e = compare(method, model, X)
    if columns == "dropped and moved" and method == "tree":
        assert e.table().loc["rooms", "impact"] == 0.0
        assert np.ptp(e["rooms"].curves, axis=1).max() == 0.0
        assert e.table().loc["size", "impact"] > 0.0


def test_groups_and_text_behind_a_kernel_move_together():
    """Text behind an encoder, and columns of 0 and 1 that are one category."""
    wing = np.random.default_rng(4).integers(0, 3, 50)
    X = frame().assign(wing_a=(wing == 1).astype(int), wing_b=(wing == 2).astype(int))
    encode = make_column_transformer((OneHotEncoder(), ["city"]), remainder=StandardScaler())
    model = make_pipeline(encode, SVR())
    e = compare("kernel", parity.quiet(model.fit, X, target()), X, groups={"wing": ["wing_a", "wing_b"]})
    assert {"category", "group"} <= {feature.dtype_kind for feature in e.values()}


@pytest.mark.parametrize("last", [forest(), GradientBoostingRegressor(n_estimators=20, random_state=0)], ids=str)
def test_one_hot_columns_move_together(last):
    """A whole-number column becomes one column per value, or one per bin, and is still one feature."""
    levels, bins = OneHotEncoder(sparse_output=False), KBinsDiscretizer(4, encode="onehot-dense", **BINS)
    encoder = ColumnTransformer([("levels", levels, [1]), ("bins", bins, [0])], remainder="passthrough")
    compare("tree", make_pipeline(encoder, last).fit(numbers(), target()), numbers())


def test_transformers_that_return_frames():
    """`set_output` hands columns on by name."""
    X = frame().drop(columns="city")
    model = make_pipeline(StandardScaler(), forest()).set_output(transform="pandas")
    compare("tree", model.fit(X, target()), X)


def test_text_that_reaches_the_model_is_left_to_it():
    """A frame with categories goes through a transformer that leaves it alone."""
    X = frame().astype({"city": "category"})
    last = HistGradientBoostingRegressor(max_iter=4, min_samples_leaf=5, categorical_features="from_dtype")
    model = make_pipeline(FunctionTransformer(), last).fit(X, target())
    fast, brute = (parity.explained(model, X, method=method) for method in ("auto", "brute"))
    parity.assert_equal_explanations(fast, brute, 1e-12)


@pytest.mark.parametrize("last", [forest(), Ridge()], ids=lambda model: type(model).__name__)
def test_transformers_are_called_four_times(monkeypatch, last):
    """However many features there are: for the phantoms of the check, X, all grids, and rows that are crossed."""
    X = frame()
    columns = make_column_transformer((StandardScaler(), ["age", "size", "rooms"]), (OneHotEncoder(), ["city"]))
    model = make_pipeline(columns, last).fit(X, target())
    asked = []
    own = ColumnTransformer.transform
    monkeypatch.setattr(
        ColumnTransformer, "transform", lambda self, X, **options: asked.append(len(X)) or own(self, X, **options)
    )
    parity.explained(model, X)
    assert len(asked) == 4


COLUMN_BY_COLUMN = [
    StandardScaler(),
    QuantileTransformer(n_quantiles=5),
    KBinsDiscretizer(3, encode="onehot-dense", **BINS),
    SplineTransformer(n_knots=3),
    OneHotEncoder(sparse_output=False, handle_unknown="ignore"),
    OneHotEncoder(sparse_output=False, min_frequency=3, handle_unknown="infrequent_if_exist"),
    FunctionTransformer(turned),
    MinMaxScaler(feature_range=(2, 3), clip=True),
    "passthrough",
    "drop",
]


@pytest.mark.wide
@given(
    values=st_numpy.arrays(float, (12, 3), elements=st.integers(-3, 3).map(float)),
    parts=st.lists(
        st.tuples(st.sampled_from(COLUMN_BY_COLUMN), st.sampled_from([[0], [1], [2], [0, 2], [0, 1, 2]])),
        min_size=1,
        max_size=3,
    ),
    then=st.sampled_from(["passthrough", StandardScaler()]),
    grid=st.sampled_from(["observed", {"x0": [-2.5, 0.0, 9.0], "x1": [1.0]}]),
)
@settings(max_examples=25)
def test_any_transformers_of_single_columns_one_beside_the_other(values, parts, then, grid):
    """Columns used twice or not at all, constant ones, and values of a single row."""
    assume(any(part != "drop" for part, _ in parts))
    columns = ColumnTransformer([(str(at), copy_of(part), to) for at, (part, to) in enumerate(parts)])
    model = parity.quiet(make_pipeline(columns, copy_of(then), Ridge()).fit, values, values @ [1.0, 2.0, 0.5])
    compare("linear", model, values, grid=grid)


# --- transformers that combine columns ------------------------------------------------------------

MIXING = "The transformers combine columns."


@pytest.mark.parametrize(
    ("method", "steps"),
    [
        ("linear", (PolynomialFeatures(2),)),
        ("linear", (PCA(2),)),
        ("tree", (PCA(2),)),
        ("tree", (Normalizer(),)),
        ("tree", (FunctionTransformer(np.cumsum, kw_args={"axis": 1}),)),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(type(step).__name__ for step in value),
)
def test_transformers_that_mix_columns_are_left_to_the_model(method, steps):
    """The note says why the method is not used, and the numbers are the same."""
    model = parity.quiet(make_pipeline(*steps, clone(LASTS[method])).fit, numbers(), target())
    e = compare("brute", model, numbers(), grid="quantile", grid_size=4)
    (note,) = [note for note in e.notes if "method" in note]
    assert note == f"The {method} method is not used; every phantom observation is predicted: {MIXING}"


# --- few rows that tell ---------------------------------------------------------------------------


def test_the_code_of_a_value_that_is_not_on_the_grid_goes_out_when_another_comes():
    """A single row has it, and it is not the first."""
    rng = np.random.default_rng(4)
    X = np.column_stack([rng.integers(0, 4, 900), rng.normal(size=900).round(1)]).astype(float)
    X[700, 0] = 9.0
    columns = make_column_transformer((OneHotEncoder(), [0]), (StandardScaler(), [1]))
    model = make_pipeline(columns, LinearRegression()).fit(X, X[:, 1] + 100 * (X[:, 0] == 9))
    assert_curves_of_rows(model, X, "x0", [700], grid={"x0": [0.0, 1.0, 2.0]}, features=["x0"])


@pytest.mark.parametrize(
    "transformer",
    [
        SimpleImputer(),
        SimpleImputer(add_indicator=True),
        make_union(SimpleImputer(), MissingIndicator()),
        OneHotEncoder(),
    ],
    ids=str,
)
def test_what_tells_missing_values_moves_with_them(transformer):
    """Indicators and codes of missing values, of which there are three in 300 and none in the first row."""
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.integers(0, 4, 300), rng.integers(0, 5, 300)]).astype(float)
    X[[100, 200, 250], 0] = np.nan
    y = np.nan_to_num(X[:, 0], nan=50.0) + X[:, 1]
    e = compare("linear", make_pipeline(transformer, Ridge(alpha=0.1)).fit(X, y), X)
    tells = not str(transformer).startswith("SimpleImputer()")
    assert (e.table()["missing_impact"].max() > 10) == tells
    compare("tree", make_pipeline(clone(transformer), forest()).fit(X, y), X)


@pytest.mark.wide
@pytest.mark.parametrize("last", [forest(), LinearRegression()], ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 4))])
def test_what_looks_at_other_columns_in_few_rows_is_not_taken_for_what_does_not(last, seed):
    """Three rows of 1,500 have a missing value, which 64 phantom observations easily overlook."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(1500, 4)).round(1)
    X[rng.choice(np.arange(1, 1500), 3, replace=False), 1] = np.nan
    missing = np.flatnonzero(np.isnan(X[:, 1]))
    y = 3 * X[:, 0] * np.nan_to_num(X[:, 1]) + X[:, 2] + 1000 * np.isnan(X[:, 1])
    for imputer in (KNNImputer(), SimpleImputer(add_indicator=True)):
        model = make_pipeline(imputer, clone(last)).fit(X, y)
        for feature in ("x0", "x1"):
            assert_curves_of_rows(model, X, feature, [*missing, 0, 7], grid="quantile", grid_size=4)


def products(X):
    return np.column_stack([X, X[:, [0]] * X[:, [1]]])


class RarelyMixing(TransformerMixin, BaseEstimator):
    """Multiplies two columns in the few rows where a third is large."""

    def fit(self, X, y=None):
        self.fitted_ = True
        return self

    def transform(self, X):
        mixed = np.array(X, dtype=float)
        rare = mixed[:, 2] > 8.9
        mixed[rare, 0] *= mixed[rare, 1]
        return mixed


def test_products_that_few_rows_show_are_those_of_the_model():
    """A product is 0 in the first row, or is taken in two rows of 1,500."""
    X = numbers()
    X[0, :2] = 0.0
    for last in (forest(), LinearRegression()):
        model = make_pipeline(FunctionTransformer(products), last).fit(X, target(X))
        fast, brute = (parity.explained(model, X, method=method) for method in ("auto", "brute"))
        parity.assert_equal_explanations(fast, brute, 1e-12)
    X = np.random.default_rng(0).normal(size=(1500, 4)).round(1)
    X[:, 2] += 4
    X[[20, 30], 2] = 9.0
    model = make_pipeline(RarelyMixing(), LinearRegression()).fit(X, X[:, 0] * 2 + X[:, 1])
    assert_curves_of_rows(model, X, "x0", [20, 30], grid="quantile", grid_size=4)
