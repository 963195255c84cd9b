"""The linear and the kernel engine against every phantom predicted by the model itself."""

import numpy as np
import parity
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.cross_decomposition import PLSRegression
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest, VarianceThreshold
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
    QuantileRegressor,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
    SGDOneClassSVM,
    SGDRegressor,
    TweedieRegressor,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    PolynomialFeatures,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
)
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVR, OneClassSVM

from ice_explorer.adapters.models.link import Link
from ice_explorer.adapters.structure.linear import linear_model
from ice_explorer.curves.kernel import RadialCurves
from ice_explorer.curves.linear import LinearCurves
from ice_explorer.curves.polynomial import PolynomialCurves


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
        (SVR(kernel="linear"), "regression"),
        (NuSVR(kernel="linear"), "regression"),
        (KernelRidge(kernel="linear"), "regression"),
        (QuantileRegressor(alpha=0.01), "regression"),
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
    for model in (LinearRegression(), Ridge(), PLSRegression(n_components=2), KernelRidge(kernel="linear")):
        compare("linear", fitted(model, "two"), output=output, rounding=1e-13)


@pytest.mark.parametrize("model", [OneClassSVM(kernel="linear"), SGDOneClassSVM(random_state=0)], ids=named)
def test_linear_novelty(model):
    """A decision function without classes."""
    compare("linear", model.fit(table()), response="decision_function", rounding=1e-12)


@pytest.mark.parametrize("response", ["predict_proba", "log_odds", "decision_function"])
@pytest.mark.parametrize(("target", "output"), [("binary", "yes"), ("binary", "no"), ("classes", "b")])
def test_logistic_regression_and_discriminants(target, output, response):
    """Two classes share a margin, three have one each."""
    rounding = 1e-11 if response == "log_odds" else parity.ROUNDING  # log(1 - p) cancels where p is near 1
    for model in (LogisticRegression(C=0.3), LinearDiscriminantAnalysis()):
        compare("linear", fitted(model, target), output=output, response=response, rounding=rounding)


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


QUARTERS = st.integers(-20, 20).map(lambda v: v / 4)


class Sums:
    """A linear model of two margins with its definition beside it."""

    def __init__(self, coefficients, output):
        self.coefficients, self.intercepts = coefficients, np.array([0.5, -1.0])
        self.link = Link("identity", output)

    def of(self, terms):
        output = self.link.output
        return self.coefficients[output] @ terms + self.intercepts[output]


def phantom(row, columns, values):
    moved = row.copy()
    moved[columns] = values
    return moved


@given(
    coefficients=st_numpy.arrays(float, (2, 3), elements=QUARTERS),
    rows=st_numpy.arrays(float, (4, 3), elements=QUARTERS),
    grid=st_numpy.arrays(float, (5, 2), elements=QUARTERS),
    output=st.integers(0, 1),
)
@settings(max_examples=60)
def test_columns_that_move_together_move_the_margin_together(coefficients, rows, grid, output):
    """Sums of quarters are exact: nothing but the definition is left."""
    model, columns = Sums(coefficients, output), np.array([2, 0])
    curves = LinearCurves(model, rows).curves(columns, grid, np.array([3, 1]))
    expected = [[model.of(phantom(rows[row], columns, values)) for values in grid] for row in (3, 1)]
    assert_array_equal(curves, expected)


@given(
    exponents=st_numpy.arrays(np.int64, (6, 3), elements=st.integers(0, 3)),
    coefficients=st_numpy.arrays(float, (2, 6), elements=QUARTERS),
    rows=st_numpy.arrays(float, (4, 3), elements=st.integers(-4, 4).map(float)),
    grid=st_numpy.arrays(float, (5, 3), elements=st.integers(-4, 4).map(float)),
    columns=st.sampled_from([[0], [2], [2, 0], [0, 1, 2], []]),
    output=st.integers(0, 1),
)
@settings(max_examples=100)
def test_products_of_columns_by_their_definition(exponents, coefficients, rows, grid, *, columns, output):
    """Any products, repeated ones and constants among them, and any columns that move."""
    model, columns = Sums(coefficients, output), np.array(columns, dtype=np.intp)
    polynomial = PolynomialCurves(model, exponents, rows)
    found = polynomial.curves(columns, grid[:, columns], np.array([3, 1]))
    moved = [[phantom(rows[row], columns, values[columns]) for values in grid] for row in (3, 1)]
    expected = [[model.of(np.prod(x**exponents, axis=1)) for x in of_row] for of_row in moved]
    assert_array_equal(found, expected)
    assert_array_equal(polynomial.predict(rows), [model.of(np.prod(row**exponents, axis=1)) for row in rows])


@given(
    exponents=st_numpy.arrays(np.int64, (4, 3), elements=st.integers(0, 2)),
    coefficients=st_numpy.arrays(float, (1, 4), elements=QUARTERS),
    column=st.integers(0, 2),
)
@settings(max_examples=100)
def test_parallel_curves_are_a_step_and_offsets(exponents, coefficients, column):
    """Where no product holds the column and another, and not elsewhere."""
    model = Sums(np.vstack([coefficients, coefficients]), 0)
    rows, grid = np.arange(12.0).reshape(4, 3), np.array([[-1.0], [0.5], [7.0]])
    polynomial, columns, positions = PolynomialCurves(model, exponents, rows), np.array([column]), np.array([2, 0])
    parallel = polynomial.parallel(columns, grid, positions)
    shared = (exponents[:, column] > 0) & (np.delete(exponents, column, axis=1) > 0).any(axis=1)
    assert (parallel is None) == shared.any()
    if parallel is not None:
        step, offsets = parallel
        assert_array_equal(offsets[:, None] + step, polynomial.curves(columns, grid, positions))


def test_curves_behind_a_link_are_not_parallel():
    """A sigmoid makes them steep in the middle; those of a plain sum are."""
    rows, grid = table(), np.array([[0.0], [2.0]])
    columns, positions = np.array([1]), np.array([5, 3])
    model = fitted(LogisticRegression(), "binary")
    behind = linear_model(model, 1, "predict_proba")
    assert LinearCurves(behind, rows).parallel(columns, grid, positions) is None
    assert PolynomialCurves(behind, np.eye(3, dtype=int), rows).parallel(columns, grid, positions) is None
    plain = LinearCurves(linear_model(model, 0, "decision_function"), rows)
    step, offsets = plain.parallel(columns, grid, positions)
    assert_allclose(offsets[:, None] + step, plain.curves(columns, grid, positions), rtol=1e-14)


def test_the_impact_of_a_linear_model_is_its_coefficient_times_the_scale():
    """For every way to weigh, and without heterogeneity."""
    model = fitted(Ridge(), "regression")
    explanation = parity.explained(model, table())
    for convention in parity.CONVENTIONS:
        figures = explanation.table(0.3, convention, sort_by=None)
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
    GaussianProcessRegressor(ConstantKernel(2.5) * RBF(1.5) + WhiteKernel(0.2), optimizer=None),
    GaussianProcessRegressor((RBF(1.5) + ConstantKernel(2.0)) * ConstantKernel(0.5), alpha=0.1, optimizer=None),
    GaussianProcessRegressor(
        RBF(1.5) * (ConstantKernel(0.5) + ConstantKernel(2.0)) + ConstantKernel(3.0),
        alpha=0.1,
        optimizer=None,
        normalize_y=True,
    ),
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
    """Curves do not depend on which rows are evaluated together."""
    model = fitted(model, "regression")
    whole, parts = (parity.explained(model, table(), memory_limit=limit) for limit in ("1GB", 1))
    assert whole.engine == "kernel"
    for feature in whole.features:
        assert_allclose(whole[feature].curves, parts[feature].curves, rtol=0, atol=1e-12)
    parity.assert_equal_explanations(parts, whole, 1e-12)


@pytest.mark.parametrize("output", [0, 1])
def test_one_of_several_radial_outputs(output):
    """Each has weights of its own."""
    for model in (
        KernelRidge(kernel="rbf"),
        GaussianProcessRegressor(RBF(1.5), alpha=0.1, optimizer=None, normalize_y=True),
    ):
        compare("kernel", fitted(model, "two"), output=output, rounding=1e-11)


class Kernels:
    """A sum of radial kernels with its definition beside it."""

    intercept = 0.25

    def __init__(self, centres, gamma):
        self.centres, self.gamma = centres, gamma
        self.weights = np.cos(np.arange(len(centres)))

    def of(self, row):
        return self.intercept + np.exp(-((row - self.centres) ** 2) @ self.gamma) @ self.weights


@given(
    seed=st.integers(0, 99),
    n_centres=st.integers(1, 80),
    decimals=st.integers(0, 3),
    width=st.sampled_from([0.01, 0.3, 1.0, 4.0, 40.0]),
    column=st.integers(0, 2),
)
@settings(max_examples=60)
def test_sums_of_radial_kernels_by_their_definition(seed, n_centres, decimals, width, column):
    """Wide and narrow kernels, few and many centres, equal ones among them, near and far grids."""
    rng = np.random.default_rng(seed)
    model = Kernels(rng.normal(size=(n_centres, 3)).round(decimals), np.array([0.5, 1.0, 0.1]) / width**2)
    rows = rng.normal(size=(7, 3)).round(decimals)
    grid = np.linspace(-3.0, 4.0, 6)[:, None]
    columns = np.array([column])
    expected = [[model.of(phantom(row, column, value)) for value in grid[:, 0]] for row in rows]
    size = np.abs(model.weights).sum()
    for most_bytes in (0, 1 << 20):
        curves = RadialCurves(model, rows, [(columns, grid)], most_bytes)
        # In two parts, of which the second has rows of the first.
        for positions in (np.array([4, 2]), np.arange(7)):
            found = curves.curves(columns, grid, positions)
            assert_allclose(found, np.array(expected)[positions], rtol=0, atol=1e-11 * size)
    assert_allclose(curves.predict(rows), [model.of(row) for row in rows], rtol=0, atol=1e-12 * size)


@pytest.mark.parametrize(
    ("width", "decimals", "expected"),
    [(2.0, 6, "nodes"), (2.0, 0, "centres"), (0.3, 0, "centres"), (0.3, 6, "all"), (0.02, 0, "all")],
)
def test_centres_are_gathered_where_that_is_exact(width, decimals, expected):
    """Wide kernels into nodes between them, equal coordinates into one; elsewhere every centre counts alone."""
    rng = np.random.default_rng(3)
    model = Kernels(rng.normal(size=(300, 2)).round(decimals), np.full(2, 1.0 / width**2))
    columns, grid = np.array([0]), rng.normal(size=(5, 1))
    curves = RadialCurves(model, model.centres, [(columns, grid)], 1 << 20)
    distinct = len(np.unique(model.centres[:, 0]))
    kept = {"centres": distinct, "all": 0}.get(expected)
    nothing = RadialCurves(model, model.centres, [(columns, grid)], 0).row_bytes(0)
    assert nothing == RadialCurves(model, model.centres).row_bytes(0)
    n_kept = (curves.row_bytes(0) - nothing) // 16
    assert n_kept == kept if kept is not None else 8 < n_kept < 40
    found = curves.curves(columns, grid, np.arange(10))
    rows = [[model.of(phantom(row, 0, value)) for value in grid[:, 0]] for row in model.centres[:10]]
    assert_allclose(found, rows, rtol=0, atol=1e-12)


def test_weights_that_cancel_are_not_gathered():
    """What nodes round off would be as large as the curves."""
    rng = np.random.default_rng(3)
    model = Kernels(rng.normal(size=(100, 2)), np.full(2, 0.25))
    centres = np.vstack([model.centres, model.centres + 1e-9])
    model = Kernels(centres, model.gamma)
    model.weights = np.repeat([1e6, -1e6], 100)
    model.intercept = 0.0
    columns, grid = np.array([0]), rng.normal(size=(5, 1))
    curves = RadialCurves(model, centres, [(columns, grid)], 1 << 20)
    assert curves.row_bytes(0) == RadialCurves(model, centres).row_bytes(0)


def test_several_columns_of_a_radial_model_may_move_together():
    """As behind a transformer that makes two columns of one."""
    model = Kernels(np.array([[0.0, 1.0, 2.0], [1.0, -1.0, 0.5]]), np.array([0.1, 0.5, 1.0]))
    rows, grid, columns = table(3), np.array([[0.0, 1.0], [2.0, -1.0], [0.5, 0.5]]), np.array([2, 0])
    found = RadialCurves(model, rows, [(columns, grid)], 1 << 20).curves(columns, grid, np.arange(3))
    expected = [[model.of(phantom(row, columns, values)) for values in grid] for row in rows]
    assert_allclose(found, expected, rtol=1e-13)


# What stays with brute force ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "target", "response"),
    [
        (SVR(kernel="poly"), "regression", "auto"),
        (SVC(probability=False, kernel="sigmoid"), "binary", "decision_function"),
        (SVC(), "classes", "decision_function"),
        (KernelRidge(kernel="laplacian"), "regression", "auto"),
        (GaussianProcessRegressor(Matern(), alpha=0.1, optimizer=None), "regression", "auto"),
        (GaussianProcessRegressor(RBF() + RBF(3.0), alpha=0.1, optimizer=None), "regression", "auto"),
        (GaussianProcessRegressor(RBF() * RBF(3.0), alpha=0.1, optimizer=None), "regression", "auto"),
        (GaussianProcessRegressor(ConstantKernel(2.0), alpha=0.1, optimizer=None), "regression", "auto"),
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


@pytest.mark.parametrize(
    "steps",
    [
        (PolynomialFeatures(2),),
        (PolynomialFeatures(3, include_bias=False), StandardScaler()),
        (StandardScaler(), PolynomialFeatures(3, interaction_only=True)),
        (StandardScaler(), PolynomialFeatures((2, 3))),
        (SplineTransformer(n_knots=3), PolynomialFeatures(2, interaction_only=True)),
        (QuantileTransformer(n_quantiles=9), PolynomialFeatures(2), MinMaxScaler()),
        (PolynomialFeatures(2), RobustScaler(), SelectKBest(k=6), MaxAbsScaler()),
        (PolynomialFeatures(2), VarianceThreshold(), StandardScaler(with_mean=False), PCA(4, whiten=True)),
        (StandardScaler(), PCA(2)),
        (PCA(2, whiten=True), StandardScaler(with_std=False)),
        (make_pipeline(StandardScaler(), PolynomialFeatures(2)), TruncatedSVD(5, random_state=0)),
        (RobustScaler(with_centering=False), PolynomialFeatures(2), RobustScaler(with_scaling=False)),
    ],
    ids=lambda steps: "-".join(type(step).__name__ for step in steps),
)
@pytest.mark.parametrize(
    ("last", "target", "response"),
    [(Ridge(), "regression", "auto"), (LogisticRegression(C=0.1), "classes", "predict_proba")],
    ids=["regression", "classes"],
)
def test_products_of_columns_and_new_axes_are_written_into_the_coefficients(steps, last, target, response):
    """What one column does may depend on the row: it is a polynomial all the same."""
    model = parity.quiet(make_pipeline(*steps, last).fit, table(), targets()[target])
    output = "b" if target == "classes" else None
    compare("linear", model, rounding=1e-11, output=output, response=response)


def test_a_polynomial_of_codes_and_numbers():
    """One column becomes several, which are multiplied with the others and not with each other."""
    X = table()
    columns = make_column_transformer((OneHotEncoder(), [1]), (StandardScaler(), [0, 2]), sparse_threshold=1.0)
    model = make_pipeline(columns, PolynomialFeatures(2, interaction_only=True), Ridge())
    compare("linear", model.fit(X, targets()["regression"]), rounding=1e-11)


@pytest.mark.parametrize(
    "steps",
    [
        (PolynomialFeatures(2), MinMaxScaler(clip=True)),
        (PolynomialFeatures(2), FunctionTransformer(np.tanh)),
        (PCA(2), PolynomialFeatures(2)),
        (PCA(2), FunctionTransformer(np.tanh)),
    ],
    ids=lambda steps: "-".join(type(step).__name__ for step in steps),
)
def test_what_bends_products_is_left_to_the_model(steps):
    """The linear engine says why it is not used."""
    model = make_pipeline(*steps, Ridge()).fit(table(), targets()["regression"])
    compare("brute", model, grid="quantile", grid_size=4)
    (note,) = [note for note in parity.explained(model, table()).notes if "engine" in note]
    assert note == (
        "The linear engine is not used; every phantom observation is predicted: The transformers combine 'x0' "
        "with other columns."
    )


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
