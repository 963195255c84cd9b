"""What stands around a model, taken off where that is exact, left on where it is not."""

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
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
)
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
from sklearn.tree import DecisionTreeRegressor

from ice_explorer.adapters.models.peel import peel

ROUNDING = 1e-12


def turned(X):
    return -X


def numbers(n=80):
    rng = np.random.default_rng(9)
    return np.column_stack([rng.normal(size=n).round(1), rng.integers(0, 5, n), rng.normal(3, 2, n).round(1)])


def target(X):
    X = np.nan_to_num(X, nan=4.0)
    return X[:, 0] * X[:, 1] + np.abs(X[:, 2])


def frame(n=80):
    X = numbers(n)
    rng = np.random.default_rng(10)
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


def compare(engine, model, X, rounding=ROUNDING, **options):
    """Whatever engine, the same numbers; and the one expected, where that matters."""
    fast = parity.explained(model, X, **options)
    brute = parity.explained(model, X, **options, engine="brute")
    parity.assert_equal_explanations(fast, brute, rounding)
    assert fast.engine == engine, fast.notes
    return fast


# What is taken off -------------------------------------------------------------------------------


def test_layers_come_off_from_the_outside_in():
    """A search over a pipeline over a transformed target over a forest, each only once."""
    X = numbers()
    inner = TransformedTargetRegressor(forest(), func=np.log1p, inverse_func=np.expm1)
    search = GridSearchCV(make_pipeline(StandardScaler(), MinMaxScaler(), inner), {"minmaxscaler__clip": [False]}, cv=2)
    search.fit(X, np.exp(target(X) / 5))
    peeled = peel(search)
    assert isinstance(peeled.model, RandomForestRegressor)
    transformed = search.best_estimator_[:-1].transform(X)
    assert_array_equal(peeled.transform(X), transformed)
    assert_allclose(peeled.output(peeled.model.predict(transformed)), search.predict(X), rtol=1e-15)
    compare("tree", search, X)


def test_a_bare_model_has_nothing_to_take_off():
    """Its outputs are the outputs of the whole."""
    model = forest().fit(numbers(), target(numbers()))
    peeled = peel(model)
    assert peeled.model is model
    assert peeled.transform is None
    assert peeled.restore is None
    found = np.array([1.0, 2.0])
    assert peeled.output(found) is found


def test_what_no_layer_is_known_of_stays_on():
    """A pipeline that ends in a transformer, a target transformed twice over."""
    X, y = numbers(), target(numbers())
    passing = Pipeline([("scale", StandardScaler()), ("end", "passthrough")]).fit(X)
    assert peel(passing).model is passing
    twice = TransformedTargetRegressor(
        TransformedTargetRegressor(forest(), func=np.arcsinh, inverse_func=np.sinh),
        func=np.cbrt,
        inverse_func=lambda values: values**3,
    ).fit(X, y)
    assert peel(twice).model is twice.regressor_
    fast, brute = (parity.explained(twice, X, engine=engine) for engine in ("auto", "brute"))
    parity.assert_equal_explanations(fast, brute, ROUNDING)


@pytest.mark.parametrize("response", ["predict_proba", "decision_function", "log_odds"])
def test_a_threshold_changes_no_probability(response):
    """Nor a margin, but the predicted class."""
    X = numbers()
    y = np.where(target(X) > 3, "yes", "no")
    for wrapper in (
        FixedThresholdClassifier(LogisticRegression(), threshold=0.2),
        TunedThresholdClassifierCV(LogisticRegression(), cv=2, thresholds=5),
    ):
        model = wrapper.fit(X, y)
        assert peel(model, response).model is model.estimator_
        assert peel(model, "predict").model is model
        compare("linear", model, X, 1e-11, response=response)
    compare("brute", model, X, response="predict", grid="quantile", grid_size=4)


def test_wrappers_that_answer_as_the_model_inside():
    """Frozen in a pipeline, fitted to the rows that agree."""
    X, y = numbers(), target(numbers())
    frozen = make_pipeline(StandardScaler(), FrozenEstimator(Ridge().fit(StandardScaler().fit_transform(X), y)))
    compare("linear", frozen.fit(X, y), X)
    compare("linear", RANSACRegressor(random_state=0).fit(X, y), X)


def test_pipelines_inside_pipelines_are_one():
    """The transformers stand in their order, those that pass everything on are left out."""
    X, y = numbers(), target(numbers())
    inner = make_pipeline(StandardScaler(), "passthrough", make_pipeline(MinMaxScaler()))
    peeled = peel(make_pipeline(inner, RobustScaler(), Ridge()).fit(X, y))
    assert [type(step).__name__ for step in peeled.steps] == ["StandardScaler", "MinMaxScaler", "RobustScaler"]


# Transformers that work column by column -----------------------------------------------------------


@pytest.mark.parametrize(
    "transformer",
    [
        StandardScaler(),
        MinMaxScaler(clip=True),
        RobustScaler(),
        QuantileTransformer(n_quantiles=20),
        PowerTransformer(),
        KBinsDiscretizer(4, encode="ordinal", quantile_method="averaged_inverted_cdf"),
        SimpleImputer(),
        FunctionTransformer(np.tanh),
        FunctionTransformer(),
        "passthrough",
    ],
    ids=str,
)
def test_a_forest_behind_transformers_of_single_columns(transformer):
    """Values that a transformer makes equal, as bins do, share a stretch of the curve."""
    X = numbers()
    compare("tree", make_pipeline(transformer, forest()).fit(X, target(X)), X)


@pytest.mark.parametrize("grid", ["quantile", {"x0": [-9.0, -1.05, 0.0, 12.0], "x1": [3.0], "x2": [50.0, 60.0]}])
def test_grids_go_through_the_transformers(grid):
    """Beyond the training data, too, where a clipping scaler stops."""
    X = numbers()
    compare("tree", make_pipeline(MinMaxScaler(clip=True), forest()).fit(X, target(X)), X, grid=grid)


def test_columns_that_a_transformer_drops_or_moves_have_their_place_found():
    """A dropped feature has no impact, exactly; the others have changed their order."""
    X = frame()
    columns = make_column_transformer((StandardScaler(), ["size", "age"]), ("passthrough", ["member"]))
    model = make_pipeline(columns, forest()).fit(X, target(numbers()))
    fast = compare("tree", model, X)
    assert fast.table(sort_by=None).loc["rooms", "impact"] == 0.0
    assert np.ptp(fast["rooms"].curves, axis=1).max() == 0.0
    assert fast.table(sort_by=None).loc["size", "impact"] > 0.0


def test_features_that_a_selector_drops():
    """Behind a scaler, which moves every column."""
    X = numbers()
    model = make_pipeline(StandardScaler(), SelectKBest(k=2), forest()).fit(X, target(X))
    fast = compare("tree", model, X)
    dropped = ~model[1].get_support()
    assert_array_equal(fast.table(sort_by=None)["impact"].to_numpy() == 0.0, dropped)


@pytest.mark.parametrize("encoder", [OneHotEncoder(), OrdinalEncoder()], ids=str)
@pytest.mark.parametrize("last", [forest(), Ridge()], ids=lambda model: type(model).__name__)
def test_text_columns_are_encoded_beside_the_features(encoder, last):
    """They stay put while numeric columns move; a sparse matrix is no obstacle."""
    X = frame()
    columns = ColumnTransformer([("text", encoder, ["city"])], remainder="passthrough", sparse_threshold=1.0)
    model = make_pipeline(columns, last).fit(X, target(numbers()))
    compare("linear" if isinstance(last, Ridge) else "tree", model, X)


def test_a_feature_that_becomes_several_columns():
    """One-hot codes of whole numbers: exact, by whatever engine can."""
    X = frame()
    columns = make_column_transformer((OneHotEncoder(), ["city", "rooms"]), remainder="passthrough")
    for last in (forest(), Ridge()):
        model = make_pipeline(columns, last).fit(X, target(numbers()))
        fast, brute = (parity.explained(model, X, engine=engine) for engine in ("auto", "brute"))
        parity.assert_equal_explanations(fast, brute, ROUNDING)


def test_two_transformers_of_one_column():
    """A column as it is, and scaled: both move."""
    X = frame()
    columns = make_column_transformer((StandardScaler(), ["age", "size"]), ("passthrough", ["age", "rooms"]))
    for last in (forest(), Ridge()):
        model = make_pipeline(columns, last).fit(X, target(numbers()))
        fast, brute = (parity.explained(model, X, engine=engine) for engine in ("auto", "brute"))
        parity.assert_equal_explanations(fast, brute, ROUNDING)


@pytest.mark.parametrize(
    "transformer",
    [
        FunctionTransformer(np.negative),
        FunctionTransformer(np.abs),
        QuantileTransformer(n_quantiles=20),
        KBinsDiscretizer(4, encode="onehot", quantile_method="averaged_inverted_cdf"),
        SplineTransformer(n_knots=4),
        make_union(StandardScaler(), FunctionTransformer(np.negative)),
        make_pipeline(StandardScaler(), SplineTransformer(degree=2, extrapolation="periodic")),
        SelectKBest(k=2),
    ],
    ids=str,
)
@pytest.mark.parametrize("last", [Ridge(), SVR()], ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("grid", ["observed", {"x0": [-9.0, -1.05, 0.0, 12.0], "x1": [3.0], "x2": [50.0, 60.0]}])
def test_closed_forms_follow_falling_and_several_columns(transformer, last, grid):
    """Which way values go, and how many columns they make, is all one to a sum."""
    X = numbers()
    model = make_pipeline(transformer, last).fit(X, target(X))
    assert peel(model).is_columnwise
    compare("linear" if isinstance(last, Ridge) else "kernel", model, X, 1e-11, grid=grid)


@pytest.mark.parametrize("last", [Ridge(), SVR()], ids=lambda model: type(model).__name__)
def test_codes_of_whole_numbers_and_booleans(last):
    """One-hot codes move together."""
    X = frame()
    columns = make_column_transformer(
        (OneHotEncoder(), ["city", "rooms", "member"]), (QuantileTransformer(n_quantiles=9), ["age"])
    )
    model = make_pipeline(columns, last).fit(X, target(numbers()))
    compare("linear" if isinstance(last, Ridge) else "kernel", model, X, 1e-11)


def test_the_code_of_a_value_that_is_not_on_the_grid_goes_out_when_another_comes():
    """A single row has it, and it is not the first."""
    rng = np.random.default_rng(4)
    X = np.column_stack([rng.integers(0, 4, 900), rng.normal(size=900).round(1)]).astype(float)
    X[700, 0] = 9.0
    y = X[:, 1] + 100 * (X[:, 0] == 9)
    columns = make_column_transformer((OneHotEncoder(), [0]), (StandardScaler(), [1]))
    model = make_pipeline(columns, LinearRegression()).fit(X, y)
    grid = {"x0": [0.0, 1.0, 2.0]}
    fast = parity.explained(model, X, grid=grid)
    assert fast.engine == "linear"
    brute = parity.explained(model, X, grid=grid, engine="brute")
    assert_allclose(fast["x0"].rows([700]), brute["x0"].rows([700]), rtol=1e-10)


@pytest.mark.parametrize(
    "transformer",
    [SimpleImputer(add_indicator=True), make_union(SimpleImputer(), MissingIndicator()), OneHotEncoder()],
    ids=str,
)
def test_what_tells_missing_values_moves_with_them(transformer):
    """Indicators and codes of missing values, of which there are three in 900 and none in the first row."""
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.integers(0, 4, 900), rng.integers(0, 5, 900)]).astype(float)
    X[[500, 600, 700], 0] = np.nan
    model = make_pipeline(transformer, Ridge(alpha=0.1)).fit(X, np.nan_to_num(X[:, 0], nan=50.0) + X[:, 1])
    fast = compare("linear", model, X, 1e-11)
    assert fast.table()["missing_impact"].max() > 10


@pytest.mark.parametrize("last", [forest(), Ridge()], ids=lambda model: type(model).__name__)
def test_transformers_are_asked_a_handful_of_times(monkeypatch, last):
    """However many features there are: for the phantoms, and for X with all grids."""
    X = frame()
    columns = make_column_transformer((StandardScaler(), ["age", "size", "rooms"]), (OneHotEncoder(), ["city"]))
    model = make_pipeline(columns, last).fit(X, target(numbers()))
    asked = []
    own = ColumnTransformer.transform

    def transform(self, X, **options):
        asked.append(len(X))
        return own(self, X, **options)

    monkeypatch.setattr(ColumnTransformer, "transform", transform)
    parity.explained(model, X)
    assert len(asked) == 2


@pytest.mark.parametrize("kind", ["target", "search", "classifier"])
def test_searches_and_transformed_targets(kind):
    """Around pipelines, and inside them."""
    X, y = numbers(), target(numbers())
    if kind == "target":
        model = TransformedTargetRegressor(
            make_pipeline(StandardScaler(), forest()), transformer=QuantileTransformer(n_quantiles=30)
        )
    elif kind == "search":
        model = RandomizedSearchCV(forest(), {"max_depth": [2, 3]}, n_iter=2, cv=2, random_state=0)
    else:
        y = np.where(y > 3, "yes", "no")
        model = make_pipeline(StandardScaler(), RandomForestClassifier(n_estimators=4, max_depth=3, random_state=0))
    compare("tree", model.fit(X, y), X)


def test_single_precision_on_the_way_is_kept():
    """A transformer that rounds to float32 rounds grids and rows alike."""
    X = numbers() / 3

    def rounded(values):
        return np.asarray(values, np.float32)

    model = make_pipeline(FunctionTransformer(rounded), HistGradientBoostingRegressor(max_iter=4, min_samples_leaf=5))
    compare("tree", model.fit(X, target(X)), X)


COLUMN_BY_COLUMN = [
    StandardScaler(),
    QuantileTransformer(n_quantiles=5),
    KBinsDiscretizer(3, encode="onehot-dense", quantile_method="averaged_inverted_cdf"),
    SplineTransformer(n_knots=3),
    OneHotEncoder(sparse_output=False, handle_unknown="ignore"),
    OneHotEncoder(sparse_output=False, min_frequency=3, handle_unknown="infrequent_if_exist"),
    FunctionTransformer(np.negative),
    FunctionTransformer(turned),
    MinMaxScaler(feature_range=(2, 3), clip=True),
    "passthrough",
    "drop",
]


@given(
    values=st_numpy.arrays(float, (12, 3), elements=st.integers(-3, 3).map(float)),
    parts=st.lists(
        st.tuples(st.sampled_from(COLUMN_BY_COLUMN), st.sampled_from([[0], [1], [2], [0, 2], [0, 1, 2]])),
        min_size=1,
        max_size=3,
    ),
    then=st.sampled_from(["passthrough", PolynomialFeatures(2), StandardScaler(), PCA(1)]),
    grid=st.sampled_from(["observed", {"x0": [-2.5, 0.0, 9.0], "x1": [1.0]}]),
)
@settings(max_examples=60)
def test_any_transformers_of_single_columns_one_beside_the_other(values, parts, then, grid):
    """Columns used twice or not at all, constant ones, values of a single row, and products of them all."""
    columns = ColumnTransformer([(str(at), clone_of(part), to) for at, (part, to) in enumerate(parts)])
    assume(any(part != "drop" for part, _ in parts))
    model = parity.quiet(make_pipeline(columns, clone_of(then), Ridge()).fit, values, values @ [1.0, 2.0, 0.5])
    compare("linear", model, values, 1e-11, grid=grid)


def clone_of(part):
    return part if isinstance(part, str) else clone(part)


# Transformers that do not --------------------------------------------------------------------------


@pytest.mark.parametrize("function", [turned, np.abs], ids=["turns around", "folds"])
def test_transformers_may_turn_a_column_around_or_fold_it(function):
    """Which grid values go left at a node is found for each, whatever their order."""
    X = numbers()
    compare("tree", make_pipeline(FunctionTransformer(function), forest()).fit(X, target(X)), X)


@pytest.mark.parametrize("last", [forest(), GradientBoostingRegressor(n_estimators=20, random_state=0)], ids=str)
def test_one_hot_columns_move_together(last):
    """A whole-number column becomes one column per value, or one per bin, and is still one feature."""
    X = numbers()
    encoder = ColumnTransformer(
        [
            ("levels", OneHotEncoder(sparse_output=False), [1]),
            ("bins", KBinsDiscretizer(4, encode="onehot-dense"), [0]),
        ],
        remainder="passthrough",
    )
    compare("tree", make_pipeline(encoder, last).fit(X, target(X)), X)


@pytest.mark.parametrize(
    "transformer",
    [PCA(2), Normalizer(), FunctionTransformer(np.cumsum, kw_args={"axis": 1})],
    ids=["mixes", "normalizes rows", "adds along rows"],
)
def test_transformers_that_mix_columns_are_left_to_the_model(transformer):
    """The tree engine says why it is not used, the numbers are the same."""
    X = numbers()
    fast = compare("brute", make_pipeline(transformer, forest()).fit(X, target(X)), X)
    assert [note for note in fast.notes if "tree engine is not used" in note]


@pytest.mark.parametrize("last", [forest(), LinearRegression()], ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("seed", range(4))
def test_an_imputer_that_looks_at_other_columns_is_not_taken_for_one_that_does_not(last, seed):
    """Three rows of 1,500 have a missing value, which 64 phantoms easily overlook."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(1500, 4)).round(1)
    X[rng.choice(1500, 3, replace=False), 1] = np.nan
    y = 3 * X[:, 0] * np.nan_to_num(X[:, 1]) + X[:, 2]
    model = make_pipeline(KNNImputer(), last).fit(X, y)
    rows = np.concatenate([np.flatnonzero(np.isnan(X[:, 1])), [0, 7]])
    options = {"grid": "quantile", "grid_size": 4}
    fast = parity.explained(model, X, **options)
    brute = parity.explained(model, X, **options, engine="brute")
    for feature in fast.features:
        assert_allclose(fast[feature].rows(rows), brute[feature].rows(rows), rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_an_indicator_of_missing_values_goes_out_when_the_value_comes(seed):
    """Few rows lack the value, and the first row does not."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(1500, 4)).round(1)
    X[rng.choice(np.arange(1, 1500), 3, replace=False), 1] = np.nan
    y = X[:, 0] + 1000 * np.isnan(X[:, 1]) + X[:, 2]
    for last in (DecisionTreeRegressor(max_depth=6), LinearRegression()):
        model = make_pipeline(SimpleImputer(add_indicator=True), last).fit(X, y)
        options = {"grid": "quantile", "grid_size": 4}
        fast = parity.explained(model, X, **options)
        brute = parity.explained(model, X, **options, engine="brute")
        missing = np.flatnonzero(np.isnan(X[:, 1]))
        assert_allclose(fast["x1"].rows(missing), brute["x1"].rows(missing), rtol=1e-9)


def products(X):
    return np.column_stack([X, X[:, [0]] * X[:, [1]]])


@pytest.mark.parametrize("last", [forest(), LinearRegression()], ids=lambda model: type(model).__name__)
def test_a_product_that_the_first_row_does_not_show(last):
    """It is 0 in the first row, whatever the other factor."""
    X = numbers()
    X[0, :2] = 0.0
    model = make_pipeline(FunctionTransformer(products), last).fit(X, target(X))
    fast, brute = (parity.explained(model, X, engine=engine) for engine in ("auto", "brute"))
    parity.assert_equal_explanations(fast, brute, ROUNDING)


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


def test_a_transformer_that_mixes_columns_in_few_rows():
    """Wherever the columns of a few rows depend on each other, the numbers are still the model's."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 4)).round(1)
    X[:, 2] += 4
    X[[20, 30], 2] = 9.0
    model = make_pipeline(RarelyMixing(), LinearRegression()).fit(X, X[:, 0] * 2 + X[:, 1])
    options = {"grid": "quantile", "grid_size": 4}
    fast, brute = (parity.explained(model, X, engine=engine, **options) for engine in ("auto", "brute"))
    for feature in fast.features:
        assert_allclose(fast[feature].rows([20, 30]), brute[feature].rows([20, 30]), rtol=1e-9)


# What must not fail ------------------------------------------------------------------------------


def test_text_that_reaches_the_model_is_left_to_it():
    """A frame with categories goes through a transformer that leaves it alone."""
    X = frame()
    X["city"] = pd.Categorical(X["city"])
    last = HistGradientBoostingRegressor(max_iter=4, min_samples_leaf=5, categorical_features="from_dtype")
    model = make_pipeline(FunctionTransformer(), last).fit(X, target(numbers()))
    fast, brute = (parity.explained(model, X, engine=engine) for engine in ("auto", "brute"))
    parity.assert_equal_explanations(fast, brute, ROUNDING)


def test_a_foreign_pipeline_is_left_to_itself():
    """Its steps need not have a transform method, as those that resample rows have none."""

    class Pipeline(RegressorMixin, BaseEstimator):
        def __init__(self, steps):
            self.steps = steps

        def fit(self, X, y):
            self.steps[-1][1].fit(X, y)
            self.fitted_ = True
            return self

        def predict(self, X):
            return self.steps[-1][1].predict(X)

    model = Pipeline([("sampler", object()), ("model", Ridge())]).fit(numbers(), target(numbers()))
    fast, brute = (parity.explained(model, numbers(), engine=engine) for engine in ("auto", "brute"))
    parity.assert_equal_explanations(fast, brute, ROUNDING)


def test_missing_values_that_an_imputer_fills():
    """The missing impact, the median in place of missing values, and flat stretches where they are filled."""
    X = numbers()
    X[::9, 0] = np.nan
    X[::7, 2] = np.nan
    fast = compare("tree", make_pipeline(SimpleImputer(), forest()).fit(X, target(X)), X)
    assert np.isfinite(fast.table()["missing_impact"]).sum() == 2


def test_transformers_that_return_frames():
    """`set_output` hands columns on by name."""
    X = frame().drop(columns="city")
    model = make_pipeline(StandardScaler(), forest()).set_output(transform="pandas")
    compare("tree", model.fit(X, target(numbers())), X)
