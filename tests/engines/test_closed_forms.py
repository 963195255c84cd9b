"""Linear, kernel and network engines against every phantom observation predicted by the model itself."""

from itertools import pairwise

import numpy as np
import parity
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
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
    QuantileRegressor,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
    SGDOneClassSVM,
    SGDRegressor,
    TweedieRegressor,
)
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVR, OneClassSVM

import ice_explorer as ice
from ice_explorer.adapters.models.link import Link
from ice_explorer.adapters.structure.network import NetworkModel, network_model
from ice_explorer.curves import network
from ice_explorer.curves.kernel import RadialCurves
from ice_explorer.curves.linear import LinearCurves
from ice_explorer.curves.network import NetworkCurves
from ice_explorer.curves.polynomial import PolynomialCurves


def table(n=40):
    rng = np.random.default_rng(8)
    return np.column_stack([rng.normal(size=n).round(1), rng.integers(0, 4, n), rng.normal(3, 2, n).round(1)])


def targets():
    X = table()
    y = X[:, 0] - 0.5 * X[:, 1] * X[:, 2] + np.sin(X[:, 2])
    return {
        "number": y,
        "positive": np.exp(y / 6),
        "counts": np.arange(40) % 5,
        "outputs": np.column_stack([y, X[:, 1] - X[:, 0]]),
        "two": np.where(y > np.median(y), "yes", "no"),
        "three": np.array(["a", "b", "c"])[np.searchsorted(np.quantile(y, [0.3, 0.7]), y)],
        "labels": np.column_stack([y > 0, X[:, 1] > X[:, 0], X[:, 2] > 3]).astype(int),
        None: None,
    }


def fitted(model, target, X=None):
    return parity.quiet(clone(model).fit, table() if X is None else X, targets()[target])


# --- every kind of model --------------------------------------------------------------------------

NETWORK = {"hidden_layer_sizes": (7,), "max_iter": 30, "random_state": 0}
GP = {"alpha": 0.1, "optimizer": None}
MODELS = {
    ("linear", "number"): [
        LinearRegression(), LinearRegression(fit_intercept=False), Ridge(alpha=3.0), Lasso(alpha=0.3),
        ElasticNet(alpha=0.2), HuberRegressor(), SGDRegressor(random_state=0, max_iter=50, eta0=1e-3), LinearSVR(),
        SVR(kernel="linear"), NuSVR(kernel="linear"), KernelRidge(kernel="linear"), QuantileRegressor(alpha=0.01),
        PLSRegression(n_components=2), PLSRegression(n_components=1, scale=False), TweedieRegressor(power=0),
    ],
    ("linear", "positive"): [PoissonRegressor(), GammaRegressor(), TweedieRegressor(power=1.5)],
    ("linear", "outputs"): [LinearRegression(), Ridge(), PLSRegression(n_components=2), KernelRidge(kernel="linear")],
    ("linear", "two"): [
        LogisticRegression(C=0.3), LinearDiscriminantAnalysis(), LinearSVC(), RidgeClassifier(), SVC(kernel="linear"),
        SGDClassifier(random_state=0),
    ],
    ("linear", "three"): [
        LogisticRegression(C=0.3), LinearDiscriminantAnalysis(), LinearSVC(), RidgeClassifier(),
        SGDClassifier(random_state=0),
    ],
    ("linear", None): [OneClassSVM(kernel="linear"), SGDOneClassSVM(random_state=0)],
    ("kernel", "number"): [
        SVR(C=3.0), SVR(gamma=0.7), SVR(gamma="auto"), NuSVR(C=2.0), KernelRidge(kernel="rbf", gamma=0.2),
        KernelRidge(kernel="rbf"), GaussianProcessRegressor(alpha=0.1), GaussianProcessRegressor(RBF(1.5), **GP),
        GaussianProcessRegressor(RBF([1.0, 2.0, 4.0]), normalize_y=True, **GP),
        GaussianProcessRegressor(ConstantKernel(2.5) * RBF(1.5), **GP),
        GaussianProcessRegressor(ConstantKernel(2.5) * RBF(1.5) + WhiteKernel(0.2), optimizer=None),
        GaussianProcessRegressor((RBF(1.5) + ConstantKernel(2.0)) * ConstantKernel(0.5), **GP),
        GaussianProcessRegressor(
            RBF(1.5) * (ConstantKernel(0.5) + ConstantKernel(2.0)) + ConstantKernel(3.0), normalize_y=True, **GP
        ),
    ],
    ("kernel", "outputs"): [KernelRidge(kernel="rbf"), GaussianProcessRegressor(RBF(1.5), normalize_y=True, **GP)],
    ("kernel", "two"): [SVC()],
    ("kernel", None): [OneClassSVM(nu=0.3)],
    ("network", "number"): [
        *(MLPRegressor(**{**NETWORK, "activation": name}) for name in ("identity", "logistic", "tanh", "relu")),
        *(MLPRegressor(**{**NETWORK, "hidden_layer_sizes": sizes}) for sizes in ((), (1,), (8, 5), (4, 3, 6))),
    ],
    ("network", "outputs"): [MLPRegressor(**NETWORK)],
    ("network", "two"): [MLPClassifier(activation="logistic", **NETWORK)],
    ("network", "three"): [MLPClassifier(activation="logistic", **NETWORK)],
    ("network", "labels"): [MLPClassifier(activation="logistic", **NETWORK)],
}  # fmt: skip
TYPICAL = ["number, Ridge", "positive, PoissonR", "two, Logistic", "three, Logistic", "number, SVR(C", "two, SVC()",
           "ConstantKernel(2.0) *", "hidden_layer_sizes=(8, 5)", "labels"]  # fmt: skip
OUTPUTS = {"outputs": (0, 1), "two": ("yes", "no"), "three": ("a", "c"), "labels": (0, 2)}
ROUNDING = {"linear": parity.ROUNDING, "kernel": 1e-11, "network": 1e-12}


def kinds():
    """Yield every model; all but typical ones are left to longer runs."""
    for (engine, target), models in MODELS.items():
        for model in models:
            name = f"{engine}, {target}, {' '.join(repr(model).split())}"
            marks = [] if any(part in name for part in TYPICAL) else [pytest.mark.wide]
            yield pytest.param(engine, target, model, id=name, marks=marks)


@pytest.mark.parametrize(("engine", "target", "model"), list(kinds()))
def test_every_kind_of_model(engine, target, model):
    """With and without an intercept, centred or not, behind every link, of every class and output and response."""
    model = fitted(model, target)
    names = ["predict_proba", "log_odds"] if hasattr(model, "predict_proba") else []
    names += ["decision_function"] if hasattr(model, "decision_function") else []
    for response in names or ["auto"]:
        # log(1 - p) cancels where p is near 1, and margins have no unit.
        rounding = ROUNDING[engine] if response in {"auto", "predict_proba"} else 1e-11
        for output in OUTPUTS.get(target, [None]):
            if response == "auto" and isinstance(output, int):
                rounding = max(rounding, 1e-13)
            parity.assert_as_predicted(engine, model, table(), rounding, response=response, output=output)


def test_counts_of_a_network_have_an_exponential_link():
    """MLPRegressor has learnt Poisson losses."""
    model = MLPRegressor(**NETWORK)
    if "loss" not in model.get_params():
        pytest.skip("this scikit-learn has squared losses alone")
    model = fitted(model.set_params(loss="poisson"), "counts")
    assert model.out_activation_ == "exp"
    parity.assert_as_predicted("network", model, table(), 1e-12)


@pytest.mark.parametrize(
    ("model", "target", "response"),
    [
        (SVR(kernel="poly"), "number", "auto"),
        (SVC(probability=False, kernel="sigmoid"), "two", "decision_function"),
        (SVC(), "three", "decision_function"),
        (KernelRidge(kernel="laplacian"), "number", "auto"),
        (GaussianProcessRegressor(Matern(), **GP), "number", "auto"),
        (GaussianProcessRegressor(RBF() + RBF(3.0), **GP), "number", "auto"),
        (GaussianProcessRegressor(RBF() * RBF(3.0), **GP), "number", "auto"),
        (GaussianProcessRegressor(ConstantKernel(2.0), **GP), "number", "auto"),
        (SGDClassifier(loss="modified_huber", random_state=0), "three", "predict_proba"),
        (LogisticRegression(), "two", "predict"),
        (MLPClassifier(**NETWORK), "two", "predict"),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else str(value),
)
def test_what_is_no_weighted_sum_is_predicted(model, target, response):
    """Other kernels, several classes, predicted classes: exact all the same."""
    options = {"response": response, "output": {"two": "yes", "three": "b"}.get(target)}
    parity.assert_as_predicted("brute", fitted(model, target), table(), grid="quantile", grid_size=4, **options)


@pytest.mark.parametrize(
    ("attribute", "value", "reason"),
    [
        ("activation", "swish", "The activation swish is not supported."),
        ("out_activation_", "relu", "The link relu is not supported."),
    ],
)
def test_a_network_of_functions_that_are_not_known_is_refused(attribute, value, reason):
    """No version has them yet."""
    model = fitted(MLPRegressor(**NETWORK), "number")
    setattr(model, attribute, value)
    with pytest.raises(ice.errors.ICEExplorerError) as caught:
        network_model(model, None, "predict")
    assert str(caught.value) == reason


@pytest.mark.parametrize("activation", ["logistic", "relu"])
def test_single_precision_of_a_network_is_the_library_s(activation):
    """Rows in single precision are counted in it, and where a grid needs more it is not."""
    X, options = table().astype(np.float32), {"activation": activation, **NETWORK}
    model = fitted(MLPRegressor(**options), "number", X)
    assert model.coefs_[0].dtype == np.float32
    grid = {"x0": [0.1, 0.3], "x1": [0.1, 1.7], "x2": [1.1, 3.3]}
    parity.assert_as_predicted("network", model, X, parity.ROUNDING_OF_FLOAT32)
    parity.assert_as_predicted("network", model, X, 1e-12, grid=grid)
    parity.assert_as_predicted("network", model, table(), 1e-12)  # rows in double precision
    scaled = fitted(make_pipeline(StandardScaler(), MLPRegressor(**options)), "number", X)
    parity.assert_as_predicted("network", scaled, X, parity.ROUNDING_OF_FLOAT32)


@pytest.mark.parametrize(
    "options",
    [
        {"sample_weight": np.resize([0.0, 1.0, 2.5, 0.25], 40)},
        {"sample": 7},
        {"grid": "uniform", "grid_size": 5},
        {"grid": {"x0": [-50.0, 0.0, 50.0], "x1": [2.5]}},
        pytest.param({"scale": "conditional", "features": ["x0"]}, marks=pytest.mark.wide),
        {"memory_limit": 1, "features": ["x0"]},
        {"n_jobs": 2},
    ],
    ids=lambda options: next(iter(options)),
)
@pytest.mark.parametrize(
    ("engine", "model"),
    [
        ("linear", Ridge()),
        ("kernel", SVR()),
        pytest.param("kernel", GaussianProcessRegressor(RBF([1.0, 2.0, 4.0]), **GP), marks=pytest.mark.slow),
        ("network", MLPRegressor(**{**NETWORK, "hidden_layer_sizes": (6, 4)})),
    ],
)
def test_options_change_nothing_but_what_they_name(engine, model, options):
    """Weights, samples, grids, scales, blocks and threads are the same whatever the engine."""
    parity.assert_as_predicted(engine, fitted(model, "number"), table(), 1e-11, **options)


def test_a_value_that_is_far_larger_than_the_rest_takes_nothing_with_it():
    """Exchanging it must not leave its rounding behind."""
    model, X = fitted(MLPRegressor(activation="tanh", **NETWORK), "number"), table()
    X[5, 0] = 1e17
    grid = {"x0": [0.0, 1.0], "x1": [0.0, 1.0], "x2": [0.0, 1.0]}
    parity.assert_as_predicted("network", model, X, 1e-12, grid=grid)


# --- sums by their definition ---------------------------------------------------------------------

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
    exponents=st_numpy.arrays(np.int64, (6, 3), elements=st.integers(0, 3)),
    coefficients=st_numpy.arrays(float, (2, 6), elements=QUARTERS),
    rows=st_numpy.arrays(float, (4, 3), elements=st.integers(-4, 4).map(float)),
    grid=st_numpy.arrays(float, (5, 3), elements=st.integers(-4, 4).map(float)),
    columns=st.sampled_from([[0], [2], [2, 0], [0, 1, 2], []]),
    output=st.integers(0, 1),
)
@settings(max_examples=60)
def test_products_of_columns_by_their_definition(exponents, coefficients, rows, grid, *, columns, output):
    """Any products, repeated ones and constants among them, and any columns that move; sums of quarters are exact."""
    columns, some = np.array(columns, dtype=np.intp), np.array([3, 1])
    for model, terms, curves in (
        (Sums(coefficients, output), exponents, PolynomialCurves(Sums(coefficients, output), exponents, rows)),
        (Sums(coefficients[:, :3], output), np.eye(3), LinearCurves(Sums(coefficients[:, :3], output), rows)),
    ):
        moved = [[phantom(rows[row], columns, values[columns]) for values in grid] for row in some]
        expected = [[model.of(np.prod(x**terms, axis=1)) for x in of_row] for of_row in moved]
        assert_array_equal(curves.curves(columns, grid[:, columns], some), expected)
        assert_array_equal(curves.predict(rows), [model.of(np.prod(row**terms, axis=1)) for row in rows])
        parallel = curves.parallel(columns, grid[:, columns], some)
        if parallel is not None and output == 0:  # a step and offsets, of models of one margin
            assert_array_equal(parallel[1][:, None] + parallel[0], expected)


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
    columns=st.sampled_from([[0], [1], [2], [2, 0]]),
)
@settings(max_examples=50)
def test_sums_of_radial_kernels_by_their_definition(seed, n_centres, decimals, width, columns):
    """Wide and narrow kernels, few and many centres, equal ones among them, near and far grids."""
    rng = np.random.default_rng(seed)
    model = Kernels(rng.normal(size=(n_centres, 3)).round(decimals), np.array([0.5, 1.0, 0.1]) / width**2)
    rows, columns = rng.normal(size=(7, 3)).round(decimals), np.array(columns)
    grid = np.linspace(-3.0, 4.0, 6)[:, None] * np.linspace(1.0, -1.0, len(columns))
    expected = np.array([[model.of(phantom(row, columns, values)) for values in grid] for row in rows])
    size = np.abs(model.weights).sum()
    for most_bytes in (0, 1 << 20):
        curves = RadialCurves(model, rows, [(columns, grid)], most_bytes)
        # In two parts, of which the second has rows of the first.
        for positions in (np.array([4, 2]), np.arange(7)):
            found = curves.curves(columns, grid, positions)
            assert_allclose(found, expected[positions], rtol=0, atol=1e-11 * size)
    assert_allclose(curves.predict(rows), [model.of(row) for row in rows], rtol=0, atol=1e-12 * size)


def test_weights_of_radial_kernels_that_cancel_keep_their_difference():
    """Centres that are gathered would round off as much as the curves are."""
    rng = np.random.default_rng(3)
    centres = rng.normal(size=(100, 2))
    model = Kernels(np.vstack([centres, centres + 1e-9]), np.full(2, 0.25))
    model.weights, model.intercept = np.repeat([1e6, -1e6], 100), 0.0
    columns, grid = np.array([0]), rng.normal(size=(5, 1))
    curves = RadialCurves(model, model.centres, [(columns, grid)], 1 << 20)
    assert curves.row_bytes(0) == RadialCurves(model, model.centres).row_bytes(0)


def units(draw, *shape):
    """Numbers that binary fractions hold, so that any order of adding them up gives the same bits."""
    whole = draw(st.lists(st.integers(-8, 8), min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    return np.array(whole, float).reshape(shape) / 4


@pytest.mark.parametrize("kernel", ["numba", "numpy"])
@given(data=st.data(), columns=st.sampled_from([[0], [2], [2, 0]]), cells=st.sampled_from([1, 16, 1 << 15]))
@settings(max_examples=40)
def test_curves_of_a_network_by_their_definition(kernel, data, columns, cells):
    """However phantoms are cut into blocks, whichever columns move and wherever, to the bit."""
    if kernel == "numba":
        pytest.importorskip("numba")
    activation = data.draw(st.sampled_from(["identity", "relu"]))
    widths = [3, *data.draw(st.lists(st.integers(1, 5), min_size=0, max_size=2)), data.draw(st.integers(1, 3))]
    weights = tuple(units(data.draw, *shape) for shape in pairwise(widths))
    biases = tuple(units(data.draw, width) for width in widths[1:])
    link = Link(output=data.draw(st.integers(0, widths[-1] - 1)))
    model = NetworkModel(weights, biases, activation, link, is_single=False)

    def by_definition(x):
        for at, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
            x = (np.maximum(x, 0) if at and activation == "relu" else x) @ weight + bias
        return x[link.output]

    rows, grid = units(data.draw, 5, 3), units(data.draw, data.draw(st.integers(1, 6)), len(columns))
    if order := data.draw(st.sampled_from([-1, 0, 1])):  # else values come in any order, as behind some transformers
        grid = np.unique(grid, axis=0)[::order]
    positions = np.array([3, 0, 4])
    expected = [[by_definition(phantom(rows[row], columns, values)) for values in grid] for row in positions]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(network, "_CELLS", cells)
        patch.setattr(network, "_WORTH_COMPILING", -1 if kernel == "numba" else np.inf)
        patch.setattr(network, "_FEW_VALUES", 0)
        curves = NetworkCurves(model, rows)
        assert_array_equal(curves.curves(np.array(columns), grid, positions), expected)
        assert_array_equal(curves.predict(rows), [by_definition(row) for row in rows])


@pytest.mark.parametrize("is_single", [False, True])
def test_the_kernel_is_taken_for_many_rectified_units(is_single, monkeypatch):
    """And gives what NumPy gives, in either precision."""
    pytest.importorskip("numba")
    from ice_explorer.curves import network_numba

    calls, kernel = [], network_numba.second_units
    monkeypatch.setattr(network_numba, "second_units", lambda *given: (calls.append(given), kernel(*given)))
    rng = np.random.default_rng(2)
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32).astype(float)  # noqa: E731
    model = NetworkModel((draw(3, 50), draw(50, 2)), (draw(50), draw(2)), "relu", Link(output=1), is_single=is_single)
    rows, grid, columns = draw(30, 3), np.sort(draw(7, 1), axis=0), np.array([1])
    # 50 units and 100 products with weights, of which 16 take as long as a unit.
    few, many = (NetworkCurves(model, rows, n, is_single=is_single) for n in (17_777_777, 17_777_778))
    found = [curves.curves(columns, grid, np.arange(30)) for curves in (few, many)]
    assert [weights.dtype for _, _, _, weights, *_ in calls] == [np.float32 if is_single else np.float64]
    assert_allclose(found[1], found[0], rtol=0, atol=1e-5 if is_single else 1e-13)
