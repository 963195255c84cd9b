"""Fitted state and columns are compared with X before a model is explained, whatever its library looks at itself."""

import catboost
import lightgbm
import numpy as np
import pandas as pd
import polars as pl
import pytest
import xgboost
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import ice_explorer as ice
from ice_explorer.errors import DataError, PredictionError

RANDOM = np.random.default_rng(0)
X = pd.DataFrame(RANDOM.normal(size=(200, 3)) * [1.0, 3.0, 1.0], columns=["a", "b", "c"])
Y = 2 * X["a"] + X["b"] ** 2


def light(**options):
    return lightgbm.LGBMRegressor(n_estimators=20, verbose=-1, **options)


BY_POSITION = {
    "LightGBM": light(),
    "LightGBM behind a function": make_pipeline(FunctionTransformer(np.tanh), light()),
    "XGBoost": xgboost.XGBRegressor(n_estimators=20),
    "a pipeline": make_pipeline(StandardScaler(), LinearRegression()),
}


@pytest.fixture(scope="module", params=BY_POSITION)
def by_position(request):
    return BY_POSITION[request.param].fit(X, Y)


def message_of(model, table, error=DataError, **options):
    with pytest.raises(error) as caught:
        ice.explain(model, table, progress=False, **options)
    return str(caught.value)


TURNED = X[["b", "a", "c"]]


def test_columns_in_another_order_or_more_of_them_are_refused(by_position):
    """LightGBM would predict them as they come, and every figure would be wrong."""
    assert "got the order 'b', 'a', 'c'. Pass `X[model.feature_names_in_]`." in message_of(by_position, TURNED)
    assert "it was not fitted on 'since'. Pass `X[mo" in message_of(by_position, X.assign(since=1.0))


class HandsOn(BaseEstimator):
    """A step that knows no columns."""

    def fit(self, _rows, _target=None):
        return self

    def transform(self, rows):
        return rows


SPACED = X.set_axis(["room area", "b", "c"], axis=1)


@pytest.mark.parametrize(
    ("model", "table", "advice"),
    [
        (lambda: light().fit(X, Y).predict, TURNED, "X[model.feature_names_in_]"),
        (lambda: light().fit(X, Y).booster_, TURNED, "X[model.feature_name()]"),
        (lambda: xgboost.XGBRegressor(n_estimators=5).fit(X, Y).get_booster(), TURNED, "X[model.feature_names]"),
        (lambda: make_pipeline(HandsOn(), light()).fit(X, Y), TURNED, "X[model[-1].feature_names_in_]"),
        (lambda: light().fit(X, Y), pl.from_pandas(TURNED), "X.select(model.feature_names_in_)"),
        # LightGBM replaces blanks by underscores, so its names are not those of X.
        (lambda: light().fit(SPACED, Y), SPACED[["b", "room area", "c"]], "X[['room area', 'b', 'c']]"),
    ],
    ids=["a bound method", "LightGBM's booster", "XGBoost's booster", "a step that hides names", "polars", "blanks"],
)
def test_the_order_is_compared_whatever_knows_it_and_the_advice_fits(model, table, advice):
    """It is written for the library of the table, and names the columns where the model has them."""
    message = message_of(model(), table)
    assert message.startswith("X must have the columns that the model was fitted on, in their order; got the order ")
    assert message.endswith(f" Pass `{advice}`.")


def named_line():
    """A model that finds its columns by name, as wrappers of users do."""

    class NamedLine(RegressorMixin, BaseEstimator):
        def fit(self, rows, _target):
            self.feature_names_in_ = np.array(rows.columns, object)
            return self

        def predict(self, rows):
            return (2 * rows["a"] - rows["b"]).to_numpy()

    return NamedLine()


@pytest.mark.parametrize(
    "model",
    [
        catboost.CatBoostRegressor(iterations=20, verbose=0),
        make_pipeline(make_column_transformer((StandardScaler(), ["a", "b", "c"])), LinearRegression()),
        named_line(),
    ],
    ids=["CatBoost", "a column transformer", "a class of a user"],
)
def test_a_model_that_finds_its_columns_by_name_takes_any_order_and_further_columns(model):
    """Figures of each column are those of X as it was fitted; what the model never reads has no impact."""
    model.fit(X, Y)
    expected = ice.explain(model, X, progress=False).table()["impact"]
    turned = ice.explain(model, X.assign(since=RANDOM.normal(size=len(X)))[["since", "c", "b", "a"]], progress=False)
    assert_allclose(turned.table()["impact"][expected.index], expected, rtol=1e-9)
    assert turned.table()["impact"]["since"] == 0


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_columns_of_an_array_have_the_names_of_the_fit():
    """They are ranked, and asked for, by those names."""
    e = ice.explain(light().fit(X, Y), X.to_numpy(), features=["b", "a"], progress=False)
    assert list(e.table().index) == ["b", "a"]


def test_columns_of_an_array_are_numbered_where_the_fit_had_no_names():
    """What a library made up for an array is no name."""
    for model in (light(), catboost.CatBoostRegressor(iterations=5, verbose=0), LinearRegression()):
        e = ice.explain(model.fit(X.to_numpy(), Y), X.to_numpy(), progress=False)
        assert sorted(e.table().index) == ["x0", "x1", "x2"]
    named = ice.explain(light().fit(X.to_numpy(), Y), X, progress=False)  # takes the columns in their order
    assert sorted(named.table().index) == ["a", "b", "c"]
    assert "fitted on, 3 ('a', 'b', 'c'); got 4." in message_of(light().fit(X, Y), np.column_stack([X, Y]))


@pytest.mark.parametrize(
    "model",
    [light(), xgboost.XGBRegressor(), make_pipeline(StandardScaler(), LinearRegression())],
    ids=lambda model: type(model).__name__,
)
def test_an_unfitted_model_is_named_before_anything_else(model):
    """Wrong columns, too, are a smaller matter."""
    assert message_of(type(model)(**model.get_params(deep=False)), X[["a"]], PredictionError) == (
        f"model must be fitted; this {type(model).__name__} is not. Call `model.fit(X, y)` first."
    )


def test_a_model_of_statsmodels_is_no_result_yet():
    """Its `predict` takes parameters first, and would take X for them."""
    api = pytest.importorskip("statsmodels.api")
    assert message_of(api.OLS(Y, X), X, PredictionError) == (
        "model must be fitted; this OLS is not. Pass what `model.fit()` returns."
    )


def test_a_model_that_predicts_is_fitted_whatever_scikit_learn_thinks():
    """A wrapper around a model from elsewhere has nothing that ends in an underscore."""

    class Elsewhere(RegressorMixin, BaseEstimator):
        def fit(self, _rows, _target):
            return self

        def predict(self, rows):
            return rows["a"].to_numpy()

    assert ice.explain(Elsewhere(), X, progress=False).table()["impact"]["a"] > 0
