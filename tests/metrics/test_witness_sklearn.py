"""scikit-learn's brute-force partial dependence as a prediction_check from outside this project."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import (
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.inspection import partial_dependence
from sklearn.linear_model import Ridge
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVR

import ice_explorer as ice

pytestmark = pytest.mark.current
NAMES = ["alpha", "beta", "gamma", "delta"]


@pytest.fixture(scope="module")
def regression():
    """60 rows, one column rounded so that values tie."""
    X, y = make_regression(n_samples=60, n_features=4, noise=5.0, random_state=0)
    X = pd.DataFrame(X, columns=NAMES)
    X["beta"] = X["beta"].round(1)
    return X, y / y.std()


@pytest.fixture(scope="module")
def classification():
    """60 rows in two classes."""
    X, y = make_classification(n_samples=60, n_features=4, flip_y=0.1, random_state=1)
    X = pd.DataFrame(X, columns=NAMES)
    X["gamma"] = X["gamma"].round(1)
    return X, np.where(y == 1, "yes", "no")


def prediction_check(model, X, feature, grid, **options):
    """ICE curves and their mean by scikit-learn, at the grid values given."""
    bunch = partial_dependence(
        model,
        X,
        [feature],
        kind="both",
        method="brute",
        custom_values={feature: grid},
        **options,
    )
    assert_allclose(bunch["grid_values"][0], grid, rtol=0)
    return bunch["individual"][0], bunch["average"][0]


def assert_agrees(model, X, *, sklearn_options=None, **options):
    """Compare every feature's curves and partial dependence with the prediction_check."""
    e = ice.explain(model, X, progress=False, **options)
    assert sorted(e.features) == sorted(X.columns)
    for name in e.features:
        f = e[name]
        assert_allclose(f.grid, np.unique(X[name]), rtol=0)
        individual, average = prediction_check(model, X, name, f.grid, **(sklearn_options or {}))
        assert_allclose(f.curves, individual, rtol=1e-9, atol=1e-12)
        assert_allclose(f.partial_dependence, average, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "model",
    [
        RandomForestRegressor(n_estimators=10, random_state=0),
        SVR(),
        make_pipeline(StandardScaler(), MLPRegressor(hidden_layer_sizes=(5,), max_iter=30, random_state=0)),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_regressors_agree(model, regression):
    """Every feature, every observation, every grid value."""
    X, y = regression
    assert_agrees(model.fit(X, y), X)


def test_probabilities_agree(classification):
    """`response="auto"` of a classifier that has them is the probability of the chosen class."""
    X, y = classification
    model = RandomForestClassifier(n_estimators=10, random_state=0).fit(X, y)
    assert_agrees(model, X, output="yes")


def test_decision_functions_agree(classification):
    """`response="decision_function"` is the score of the second class."""
    X, y = classification
    model = GradientBoostingClassifier(n_estimators=10, random_state=0).fit(X, y)
    assert_agrees(
        model,
        X,
        response="decision_function",
        output="yes",
        sklearn_options={"response_method": "decision_function"},
    )


def test_a_pipeline_on_mixed_columns_agrees(regression):
    """Text columns reach the pipeline as they are, and are explained by their levels."""
    X, y = regression
    X = X.assign(city=np.array(["Oslo", "Rome", "Lima"])[np.arange(len(X)) % 3])
    model = make_pipeline(
        ColumnTransformer([("text", OneHotEncoder(), ["city"]), ("number", StandardScaler(), NAMES)]),
        Ridge(),
    ).fit(X, y + (X["city"] == "Oslo"))
    e = ice.explain(model, X, progress=False)
    assert sorted(e.features) == sorted([*NAMES, "city"])
    for name in NAMES:
        individual, average = prediction_check(model, X, name, e[name].grid)
        assert_allclose(e[name].curves, individual, rtol=1e-9, atol=1e-12)
        assert_allclose(e[name].partial_dependence, average, rtol=1e-9, atol=1e-12)
    for position, town in enumerate(e["city"].grid):
        expected = model.predict(X.assign(city=town))
        assert_allclose(e["city"].curves[:, position], expected, rtol=1e-9, atol=1e-12)


def test_weighted_partial_dependence_agrees(regression):
    """`sample_weight` weighs the mean of the curves as scikit-learn's does."""
    X, y = regression
    model = RandomForestRegressor(n_estimators=10, random_state=0).fit(X, y)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(X))
    e = ice.explain(model, X, sample_weight=weights, progress=False)
    for name in e.features:
        average = partial_dependence(
            model,
            X,
            [name],
            kind="average",
            method="brute",
            custom_values={name: e[name].grid},
            sample_weight=weights,
        )["average"][0]
        assert_allclose(e[name].partial_dependence, average, rtol=1e-9, atol=1e-12)
