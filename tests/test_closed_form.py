"""The linear and the kernel engine against every phantom predicted by the model itself."""

import numpy as np
import parity
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator
from sklearn.compose import TransformedTargetRegressor
from sklearn.cross_decomposition import PLSRegression
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import (
    ElasticNet,
    GammaRegressor,
    HuberRegressor,
    Lasso,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
    SGDRegressor,
    TweedieRegressor,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVR, OneClassSVM

from ice_explorer.curves.closed_form import LinearCurves, RadialCurves


def table(n=40):
    rng = np.random.default_rng(8)
    return np.column_stack([rng.normal(size=n).round(1), rng.integers(0, 4, n), rng.normal(3, 2, n).round(1)])


def targets(n=40):
    X = table(n)
    y = X[:, 0] - 0.5 * X[:, 1] * X[:, 2] + np.sin(X[:, 2])
    return {
        "regression": y,
        "positive": np.exp(y / 6),
        "two": np.column_stack([y, X[:, 1] - X[:, 0]]),
        "binary": np.where(y > np.median(y), "yes", "no"),
        "classes": np.array(["a", "b", "c"])[np.searchsorted(np.quantile(y, [0.3, 0.7]), y)],
    }


def fitted(model, target):
    return parity.quiet(model.fit, table(), targets()[target])


def compare(engine, model, X=None, rounding=parity.ROUNDING, **options):
    X = table() if X is None else X
    fast = parity.explained(model, X, **options)
    assert fast.engine == engine, fast.notes
    brute = parity.explained(model, X, **options, engine="brute")
    assert brute.engine == "brute"
    return parity.assert_equal_explanations(fast, brute, rounding)


def named(value):
    return type(value).__name__ if isinstance(value, BaseEstimator) else str(value)


# Linear ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "target"),
    [
        (LinearRegression(), "regression"),
        (LinearRegression(fit_intercept=False), "regression"),
        (Ridge(alpha=3.0), "regression"),
        (Lasso(alpha=0.3), "regression"),
        (ElasticNet(alpha=0.2), "regression"),
        (HuberRegressor(), "regression"),
        (SGDRegressor(random_state=0, max_iter=50, eta0=1e-3), "regression"),
        (LinearSVR(), "regression"),
        (PLSRegression(n_components=2), "regression"),
        (PLSRegression(n_components=1, scale=False), "regression"),
        (PoissonRegressor(), "positive"),
        (GammaRegressor(), "positive"),
        (TweedieRegressor(power=1.5), "positive"),
        (TweedieRegressor(power=0), "regression"),
    ],
    ids=named,
)
def test_linear_regressors_and_their_links(model, target):
    """With and without an intercept, centred or not, behind an exponential or not."""
    compare("linear", fitted(model, target))


@pytest.mark.parametrize("output", [0, 1])
def test_one_of_several_linear_outputs(output):
    """Each has coefficients of its own."""
    for model in (LinearRegression(), Ridge()):
        compare("linear", fitted(model, "two"), output=output)


@pytest.mark.parametrize("response", ["predict_proba", "log_odds", "decision_function"])
@pytest.mark.parametrize(("target", "output"), [("binary", "yes"), ("binary", "no"), ("classes", "b")])
def test_logistic_regression(target, output, response):
    """Two classes share a margin, three have one each."""
    rounding = 1e-11 if response == "log_odds" else parity.ROUNDING  # log(1 - p) cancels where p is near 1
    compare(
        "linear", fitted(LogisticRegression(C=0.3), target), output=output, response=response, rounding=rounding
    )  # fmt: skip


@pytest.mark.parametrize(
    "model",
    [LinearSVC(), RidgeClassifier(), SGDClassifier(random_state=0), SVC(kernel="linear"), LinearDiscriminantAnalysis()],
    ids=named,
)
def test_other_linear_classifiers(model):
    """Their decision functions are weighted sums."""
    for target, output in (("binary", "yes"), ("binary", "no"), ("classes", "c")):
        if isinstance(model, SVC) and target == "classes":
            continue
        compare("linear", fitted(model, target), response="decision_function", output=output, rounding=1e-11)


@given(
    coefficients=st_numpy.arrays(float, (2, 3), elements=st.integers(-8, 8).map(lambda v: v / 4)),
    rows=st_numpy.arrays(float, (4, 3), elements=st.integers(-20, 20).map(lambda v: v / 4)),
    grid=st_numpy.arrays(float, (5, 2), elements=st.integers(-20, 20).map(lambda v: v / 4)),
    output=st.integers(0, 1),
)
@settings(max_examples=60)
def test_columns_that_move_together_move_the_margin_together(coefficients, rows, grid, output):
    """Sums of quarters are exact: nothing but the definition is left."""

    class Model:
        pass

    class Link:
        def apply(self, margins):
            return margins[output]

    model = Model()
    model.coefficients, model.intercepts, model.link = coefficients, np.array([0.5, -1.0]), Link()
    columns = np.array([2, 0])
    curves = LinearCurves(model, rows).curves(columns, grid, np.array([3, 1]))
    for at, row in enumerate((3, 1)):
        for position, values in enumerate(grid):
            phantom = rows[row].copy()
            phantom[columns] = values
            expected = coefficients[output] @ phantom + model.intercepts[output]
            assert curves[at, position] == expected


def test_the_impact_of_a_linear_model_is_its_coefficient_times_the_scale():
    """For every way to weigh, and without heterogeneity."""
    model = fitted(Ridge(), "regression")
    explanation = parity.explained(model, table())
    for convention, weighting in parity.WAYS:
        figures = explanation.table(0.3, convention, weighting, sort_by=None)
        expected = figures["scale"] * np.abs(model.coef_)
        assert_allclose(figures["impact"], expected, rtol=1e-11)
        assert_allclose(figures["in_distribution_impact"], expected, rtol=1e-9)
        assert_allclose(figures["heterogeneity"], 0.0, atol=1e-9)


# Radial kernels ----------------------------------------------------------------------------------

RADIAL = [
    SVR(C=3.0),
    SVR(gamma=0.7),
    SVR(gamma="auto"),
    NuSVR(C=2.0),
    KernelRidge(kernel="rbf", gamma=0.2),
    KernelRidge(kernel="rbf"),
    GaussianProcessRegressor(RBF(1.5), alpha=0.1, optimizer=None),
    GaussianProcessRegressor(RBF([1.0, 2.0, 4.0]), alpha=0.1, optimizer=None, normalize_y=True),
    GaussianProcessRegressor(ConstantKernel(2.5) * RBF(1.5), alpha=0.1, optimizer=None),
    GaussianProcessRegressor(alpha=0.1),
]


@pytest.mark.parametrize("model", RADIAL, ids=named)
def test_regressors_with_radial_kernels(model):
    """One matrix product per feature, what the other columns bring computed once."""
    compare("kernel", fitted(model, "regression"), rounding=1e-11)


@pytest.mark.parametrize("output", ["yes", "no"])
def test_the_decision_function_of_support_vectors(output):
    """Of two classes, either of them."""
    compare(
        "kernel", fitted(SVC(), "binary"), output=output, response="decision_function", rounding=1e-11
    )  # fmt: skip


def test_the_novelty_of_an_observation():
    """OneClassSVM has a decision function and no classes."""
    model = OneClassSVM(nu=0.3).fit(table())
    compare("kernel", model, response="decision_function", rounding=1e-11)


@pytest.mark.parametrize("model", [SVR(), GaussianProcessRegressor(RBF([1.0, 2.0, 4.0]), alpha=0.1, optimizer=None)])
def test_a_row_at_a_time(model):
    """Curves do not depend on which rows are asked for together."""
    model = fitted(model, "regression")
    whole, parts = (parity.explained(model, table(), memory_limit=limit) for limit in ("1GB", 1))
    assert whole.engine == "kernel"
    for feature in whole.features:
        assert_allclose(whole[feature].curves, parts[feature].curves, rtol=0, atol=1e-12)
    parity.assert_equal_explanations(parts, whole, 1e-12)


def test_several_columns_of_a_radial_model_may_move_together():
    """As behind a transformer that makes two columns of one."""

    class Model:
        centres = np.array([[0.0, 1.0, 2.0], [1.0, -1.0, 0.5]])
        weights = np.array([2.0, -0.5])
        gamma = np.array([0.1, 0.5, 1.0])
        intercept = 0.25

    rows, grid = table(3), np.array([[0.0, 1.0], [2.0, -1.0], [0.5, 0.5]])
    columns = np.array([2, 0])
    found = RadialCurves(Model(), rows).curves(columns, grid, np.arange(3))
    for row in range(3):
        for position in range(3):
            phantom = rows[row].copy()
            phantom[columns] = grid[position]
            similarity = np.exp(-((phantom - Model.centres) ** 2) @ Model.gamma)
            assert_allclose(found[row, position], 0.25 + similarity @ Model.weights, rtol=1e-13)


# What stays with brute force ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "target", "response"),
    [
        (SVR(kernel="poly"), "regression", "auto"),
        (SVC(probability=False, kernel="sigmoid"), "binary", "decision_function"),
        (SVC(), "classes", "decision_function"),
        (KernelRidge(kernel="laplacian"), "regression", "auto"),
        (GaussianProcessRegressor(Matern(), alpha=0.1, optimizer=None), "regression", "auto"),
        (GaussianProcessRegressor(RBF() + WhiteKernel(), optimizer=None), "regression", "auto"),
        (SGDClassifier(loss="modified_huber", random_state=0), "classes", "predict_proba"),
        (LogisticRegression(), "binary", "predict"),
        (LinearSVC(), "binary", "predict"),
    ],
    ids=named,
)
def test_what_is_no_weighted_sum_is_predicted(model, target, response):
    """Other kernels, several classes, predicted classes: exact all the same."""
    output = {"binary": "yes", "classes": "b"}.get(target)
    compare("brute", fitted(model, target), response=response, output=output, grid="quantile", grid_size=4)


# Behind transformers -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("engine", "model"),
    [
        ("linear", make_pipeline(StandardScaler(), Ridge())),
        ("linear", make_pipeline(PolynomialFeatures(3, interaction_only=False), StandardScaler(), Ridge())),
        ("kernel", make_pipeline(StandardScaler(), SVR())),
        ("linear", TransformedTargetRegressor(Ridge(), func=np.arcsinh, inverse_func=np.sinh)),
        ("kernel", make_pipeline(StandardScaler(), TransformedTargetRegressor(SVR(), transformer=StandardScaler()))),
    ],
    ids=["scaled", "polynomial", "scaled kernel", "target", "both"],
)
def test_transformers_are_peeled_off(engine, model):
    """Scaled columns, powers of one column, transformed targets."""
    X = table()[:, [0]] if "polynomialfeatures" in getattr(model, "named_steps", {}) else table()
    model.fit(X, targets()["regression"])
    compare(engine, model, X, rounding=1e-11)


def test_products_of_columns_are_left_to_the_model_or_exact():
    """A polynomial with interactions: what one column does depends on the row."""
    model = make_pipeline(PolynomialFeatures(2), LinearRegression()).fit(table(), targets()["regression"])
    fast, brute = parity.explained(model, table()), parity.explained(model, table(), engine="brute")
    parity.assert_equal_explanations(fast, brute, 1e-11)


@pytest.mark.parametrize("model", [Ridge(), SVR()], ids=named)
@pytest.mark.parametrize(
    "options",
    [
        {"sample_weight": np.resize([0.0, 1.0, 2.5, 0.25], 40)},
        {"sample": 7},
        {"grid": "uniform", "grid_size": 5},
        {"grid": {"x0": [-50.0, 0.0, 50.0], "x1": [2.5]}},
        {"scale": "conditional"},
        {"features": ["x2"]},
    ],
    ids=lambda options: next(iter(options)),
)
def test_options_of_closed_forms(model, options):
    """Weights, samples, grids and scales are the same whatever the engine."""
    engine = "linear" if isinstance(model, Ridge) else "kernel"
    compare(engine, fitted(model, "regression"), rounding=1e-11, **options)
