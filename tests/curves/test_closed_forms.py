"""Linear models and RBF kernels against every phantom observation predicted by the model itself."""

import numpy as np
import parity
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.cross_decomposition import PLSRegression
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
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
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVR, OneClassSVM


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
        None: None,
    }


def fitted(model, target, X=None):
    return parity.quiet(clone(model).fit, table() if X is None else X, targets()[target])


# --- every kind of model --------------------------------------------------------------------------

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
        KernelRidge(kernel="rbf"),
    ],
    ("kernel", "outputs"): [KernelRidge(kernel="rbf")],
    ("kernel", "two"): [SVC()],
    ("kernel", None): [OneClassSVM(nu=0.3)],
}  # fmt: skip
TYPICAL = ["number, Ridge", "positive, PoissonR", "two, Logistic", "three, Logistic", "number, SVR(C", "two, SVC()"]
OUTPUTS = {"outputs": (0, 1), "two": ("yes", "no"), "three": ("a", "c")}
ROUNDING = {"linear": parity.ROUNDING, "kernel": 1e-11}


def kinds():
    """Yield every model; all but typical ones are left to longer runs."""
    for (method, target), models in MODELS.items():
        for model in models:
            name = f"{method}, {target}, {' '.join(repr(model).split())}"
            marks = [] if any(part in name for part in TYPICAL) else [pytest.mark.wide]
            yield pytest.param(method, target, model, id=name, marks=marks)


@pytest.mark.parametrize(("method", "target", "model"), list(kinds()))
def test_every_kind_of_model(method, target, model):
    """With and without an intercept, centred or not, behind every link, of every class and output and response."""
    model = fitted(model, target)
    names = ["predict_proba", "log_odds"] if hasattr(model, "predict_proba") else []
    names += ["decision_function"] if hasattr(model, "decision_function") else []
    for response in names or ["auto"]:
        # log(1 - p) cancels where p is near 1, and margins have no unit.
        rounding = ROUNDING[method] if response in {"auto", "predict_proba"} else 1e-11
        for output in OUTPUTS.get(target, [None]):
            if response == "auto" and isinstance(output, int):
                rounding = max(rounding, 1e-13)
            parity.assert_as_predicted(method, model, table(), rounding, response=response, output=output)


@pytest.mark.parametrize(
    ("model", "target", "response"),
    [
        (SVR(kernel="poly"), "number", "auto"),
        (SVC(probability=False, kernel="sigmoid"), "two", "decision_function"),
        (SVC(), "three", "decision_function"),
        (KernelRidge(kernel="laplacian"), "number", "auto"),
        (GaussianProcessRegressor(RBF(1.5), optimizer=None), "number", "auto"),
        (SGDClassifier(loss="modified_huber", random_state=0), "three", "predict_proba"),
        (LogisticRegression(), "two", "predict"),
        (MLPClassifier(hidden_layer_sizes=(7,), max_iter=30, random_state=0), "two", "predict_proba"),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else str(value),
)
def test_what_is_no_weighted_sum_is_predicted(model, target, response):
    """Other kernels, several classes, predicted classes: exact all the same."""
    options = {"response": response, "output": {"two": "yes", "three": "b"}.get(target)}
    parity.assert_as_predicted("brute", fitted(model, target), table(), grid="quantile", grid_size=4, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"sample_weight": np.resize([0.0, 1.0, 2.5, 0.25], 40)},
        {"sample": 7},
        {"grid": "uniform", "grid_size": 5},
        {"grid": {"x0": [-50.0, 0.0, 50.0], "x1": [2.5]}},
        pytest.param({"distance": "conditional", "features": ["x0"]}, marks=pytest.mark.wide),
        {"memory_limit": 1, "features": ["x0"]},
        {"n_jobs": 2},
    ],
    ids=lambda options: next(iter(options)),
)
@pytest.mark.parametrize(
    ("method", "model"),
    [
        ("linear", Ridge()),
        ("kernel", SVR()),
    ],
)
def test_options_change_nothing_but_what_they_name(method, model, options):
    """Weights, samples, grids, scales, blocks and threads are the same whatever the method."""
    parity.assert_as_predicted(method, fitted(model, "number"), table(), 1e-11, **options)


# --- far and near ---------------------------------------------------------------------------------


@given(
    seed=st.integers(0, 99),
    decimals=st.integers(0, 3),
    width=st.sampled_from([0.01, 0.3, 1.0, 4.0, 40.0]),
    n_grid=st.sampled_from([2, 30, 200]),
)
@settings(max_examples=25)
def test_narrow_and_wide_kernels_and_grids(seed, decimals, width, n_grid):
    """Equal centres among them, and grids that reach far beyond the data."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 3)).round(decimals)
    model = KernelRidge(kernel="rbf", gamma=0.5 / width**2, alpha=0.1).fit(X, np.cos(np.arange(30)))
    grid = {"x0": np.linspace(-3.0, 4.0, n_grid), "x1": [-50.0, 0.0, 50.0]}
    # Squares of distances in units of narrow kernels are large, weights of wide ones cancel.
    rounding = 5e-11 * max(1.0, float(np.abs(model.dual_coef_).sum()))
    parity.assert_as_predicted("kernel", model, X, rounding, features=["x0", "x1"], grid=grid)


def test_one_hot_columns_of_a_kernel_move_together():
    """The factors of several columns are exchanged at once."""
    X = np.column_stack([np.eye(3)[np.arange(40) % 3], table()[:, 0]])
    model = SVR(C=3.0).fit(X, targets()["number"])
    parity.assert_as_predicted("kernel", model, X, 1e-11, groups={"wing": ["x0", "x1", "x2"]})


def test_a_kernel_without_support_vectors_is_predicted():
    """All targets lie within its tolerance, so that it is constant."""
    X = table()
    model = SVR(epsilon=1e3).fit(X, np.arange(len(X)))
    assert not len(model.support_)
    e = parity.explained(model, X)
    assert e.method == "brute"
    assert (e.table()["impact"] == 0.0).all()
