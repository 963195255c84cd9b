"""Threads change nothing but the time: the same bits for any number of them, and from any of them."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import parity
import pytest
from numpy.testing import assert_array_equal
from sklearn.ensemble import ExtraTreesRegressor, GradientBoostingClassifier, RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.svm import SVR

import ice_explorer as ice
from ice_explorer.errors import Cancelled, PredictionError
from ice_explorer.locks import working
from ice_explorer.plan import prepare
from ice_explorer.results.options import Options

DECAYS = (1.0, 0.75, 0.01)


def table(n=1100, *, missing=False):
    rng = np.random.default_rng(12)
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 9, n), rng.normal(3, 2, n), rng.random(n)]).round(2)
    if missing:
        X[rng.random(X.shape) < 0.05] = np.nan
    return X


def forest(X):
    X = np.nan_to_num(X)
    y = X[:, 0] * X[:, 1] + X[:, 2]
    return RandomForestRegressor(n_estimators=8, max_depth=7, random_state=0).fit(X, y)


def bits(explanation):
    """Everything that an explanation gives, as arrays."""
    found = [explanation.table(decay, rank_by=None).to_numpy(float) for decay in DECAYS]
    for feature in explanation.values():
        found += [feature.curves, feature.partial_dependence, feature.spread, np.array(feature._prediction_range)]
        found += [feature.compute_curves([5, 3])]
    return found


def assert_same_bits(one, other):
    for mine, theirs in zip(bits(one), bits(other), strict=True):
        assert_array_equal(mine, theirs)


@pytest.mark.parametrize(
    "options",
    [
        {"memory_limit": "400kB"},
        pytest.param({"memory_limit": 9000, "features": [0]}, marks=pytest.mark.wide),
        {"sample": 200},
        {"sample_weight": np.resize([1.0, 0.0, 2.5], 1100)},
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("missing", [pytest.param(False, marks=pytest.mark.wide), True])
def test_the_same_bits_for_any_number_of_threads(options, missing):
    """Blocks are cut and added up the same way in any thread."""
    X = table(missing=missing)
    model = forest(X)
    options = {"grid": "quantile", "grid_size": 30, **options}
    one, two, three = (ice.explain(model, X, progress=False, n_jobs=jobs, **options) for jobs in (1, 2, 3))
    assert one.method == two.method == "tree"
    assert_same_bits(one, two)
    assert_same_bits(one, three)


@pytest.mark.parametrize("kind", ["linear", "kernel", "brute", "classes"])
def test_the_same_bits_of_other_engines(kind):
    """Which compute feature by feature, in blocks."""
    X = table(300)
    y = X[:, 0] * X[:, 1] + X[:, 2]
    model = {
        "linear": Ridge(),
        "kernel": SVR(),
        "brute": KNeighborsRegressor(3),
        "classes": GradientBoostingClassifier(n_estimators=3, random_state=0),
    }[kind]
    options = {"grid": "quantile", "grid_size": 9, "memory_limit": "60kB"}
    if kind == "classes":
        y = np.searchsorted([0.0, 5.0], y)
        options["output"] = 1
    parity.quiet(model.fit, X, y)
    one, three = (ice.explain(model, X, progress=False, n_jobs=jobs, **options) for jobs in (1, 3))
    assert_same_bits(one, three)


def test_a_model_that_rounds_by_the_size_of_a_call_is_asked_in_parts():
    """A matrix product may differ in its last bit with the number of rows; nothing else does."""
    X = table(300)
    model = MLPRegressor(hidden_layer_sizes=4, max_iter=20, random_state=0)
    parity.quiet(model.fit, X, X[:, 0] * X[:, 1] + X[:, 2])
    asked, own = [], model.predict

    def predict(rows):
        asked.append((threading.get_ident(), len(rows)))
        return own(rows)

    model.predict = predict
    options = {"grid": "quantile", "grid_size": 9}
    one, three = (ice.explain(model, X, progress=False, n_jobs=jobs, method="brute", **options) for jobs in (1, 3))
    parity.assert_equal_explanations(three, one, 1e-14)
    sizes = [size for thread, size in asked if thread != threading.get_ident()]
    assert len(sizes) >= 3 * 4
    assert max(sizes) <= 100 * 9


def test_features_computed_from_several_threads_at_once():
    """A plan is shared by the background thread and others that need it meanwhile."""
    X = table(600)
    model = forest(X)
    options = {"grid": "quantile", "grid_size": 20}
    expected = ice.explain(model, X, progress=False, **options)
    for n_jobs in (1, 2):
        plan = prepare(model, X, Options(n_jobs=n_jobs, **options))
        start = threading.Barrier(8)

        def work(name, plan=plan, start=start):
            start.wait()
            feature = plan.compute(name)
            return name, feature, feature.compute_curves([1, 2, 3])

        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(work, list(plan.features) * 2))
        assert_same_bits(plan.explanation({name: feature for name, feature, _ in found}), expected)
        for name, _, rows in found:
            assert_array_equal(rows, expected[name].compute_curves([1, 2, 3]))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_sweep_can_be_stopped_and_started_again(n_jobs):
    """Nothing of the stopped one is left in the sums of the next."""
    X = table(1100)
    model = forest(X)
    options = {"grid": "quantile", "grid_size": 20, "memory_limit": "300kB", "n_jobs": n_jobs}
    expected = ice.explain(model, X, progress=False, **options)
    plan = prepare(model, X, Options(**options))
    seen = []
    with pytest.raises(Cancelled), working(lambda: len(seen) >= 2):
        plan.compute("x1", progress=lambda *done: seen.append(done))
    assert len(seen) == 2
    results = {name: plan.compute(name) for name in plan.features}
    assert_same_bits(plan.explanation(results), expected)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_questions_and_cancels_take_effect_while_many_features_are_prepared(n_jobs):
    """And while they are finished: each hundred features give an occasion, before and after the sweep."""
    X = np.random.default_rng(3).normal(size=(40, 250))
    model = ExtraTreesRegressor(3, max_depth=4, random_state=0).fit(X, X.sum(axis=1))
    plan, made = prepare(model, X, Options(n_jobs=n_jobs)), []
    plan.compute("x0", lambda new, _of_feature, _label: made.append(new))
    assert made == [0, 0, 0, 250 * 40 * 40, 0, 0, 0]
    plan, made = prepare(model, X, Options(n_jobs=n_jobs)), []
    with pytest.raises(Cancelled), working(lambda: len(made) == 1):
        plan.compute("x0", lambda new, _of_feature, _label: made.append(new))
    assert made == [0]
    result = plan.compute("x0")
    assert_array_equal(result.curves, prepare(model, X, Options()).compute("x0").curves)


def test_progress_counts_every_prediction_once():
    """All features are swept together; what is reported adds up to the total of the plan."""
    X = table(1100, missing=True)
    model = forest(X)
    for options in ({}, {"sample": 100}, {"memory_limit": "300kB", "n_jobs": 2}):
        plan = prepare(model, X, Options(grid="quantile", grid_size=20, **options))
        done = []
        for name in plan.features:
            plan.compute(name, progress=lambda made, *_, done=done: done.append(made))
        assert sum(done) == plan.n_predictions


@pytest.mark.parametrize("value", [np.nan, np.inf, 8e150])
def test_the_prediction_that_cannot_be_used_is_named_by_any_number_of_threads(value):
    """Sums of whole blocks tell that there is one; its feature, grid value and row are those of the first."""
    X = table()
    model = forest(X)
    tree = model.estimators_[3].tree_
    leaves = np.flatnonzero(tree.children_left < 0)
    tree.value[leaves[np.argmin(tree.n_node_samples[leaves])]] = value
    must = "return numbers from -1e+140 to 1e+140" if value < np.inf else "return finite numbers"
    said = "1e+150" if value < np.inf else repr(value)
    where = "a phantom observation of 'x0' (grid value -2.97, row 785 of X)."
    for n_jobs in (1, 2):
        with pytest.raises(PredictionError) as caught:
            ice.explain(model, X, progress=False, grid="quantile", grid_size=30, n_jobs=n_jobs)
        assert str(caught.value).startswith(f"The model must {must}; it returned {said} on {where}")
