"""Effects of one feature: equal to scikit-learn's, to closed forms, and to repeated rows."""

from __future__ import annotations

from inspect import signature

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.inspection import partial_dependence
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor, NearestCentroid
from sklearn.svm import SVR
from witnesses import data, nonlinear

import ice_explorer as ice
from ice_explorer.beyond.effects import local_effects
from ice_explorer.locks import working

KINDS = ["partial_dependence", "ale", "m_plot"]


def explain(model, X, **options):
    return ice.explain(model, X, progress=False, **options)


@pytest.fixture(scope="module", name="correlated")
def correlated_gaussians():
    """Two features with correlation 0.8, the first of which alone is what is predicted."""
    X = np.random.default_rng(0).multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], 4000)
    return explain(lambda X: X[:, 0], X)


def less_mean(values):
    return values - np.mean(values)


def test_effects_have_mean_0_over_the_observations():
    """ALE, and centred partial dependence, as functions that are linear between grid values."""
    X = data()
    found = explain(nonlinear, X).effects("x", grid_size=15)
    for kind in ("ale", "centered_partial_dependence"):
        assert_allclose(np.interp(X["x"], found.index, found[kind]).mean(), 0, atol=1e-12)
    assert_allclose(less_mean(found["partial_dependence"]), less_mean(found["centered_partial_dependence"]))


@pytest.mark.skipif(
    "custom_values" not in signature(partial_dependence).parameters, reason="this scikit-learn takes no grid values"
)
def test_partial_dependence_is_that_of_scikit_learn():
    """On the grid of the explanation and on another one."""
    X = data()[["x", "z"]]
    model = RandomForestRegressor(n_estimators=5, random_state=0).fit(X, X["x"] * X["z"])
    for options in ({}, {"grid": "uniform", "grid_size": 7}):
        found = explain(model, X, **options).effects("z", "partial_dependence", grid_size=9)
        expected = partial_dependence(
            model, X, ["z"], kind="both", method="brute", custom_values={"z": found.index.to_numpy()}
        )
        assert_allclose(found["partial_dependence"], expected["average"][0], rtol=1e-12)
        assert_allclose(found["spread"], expected["individual"][0].std(axis=0), rtol=1e-9)


def test_partial_dependence_is_that_of_the_feature():
    """Where the grid of the explanation has the values, the numbers are the same bits and the model is not called."""
    X, calls = data()[["x", "z"]], []

    def model(X):
        calls.append(len(X))
        return X["x"] * X["z"]

    e = explain(model, X)
    calls.clear()
    found = e.effects("x", "partial_dependence", grid_size=10)
    assert calls == []
    at = np.searchsorted(e["x"].axis, found.index)
    assert_array_equal(found["partial_dependence"], e["x"].partial_dependence[at])
    assert_array_equal(found["spread"], e["x"].spread[at])


LONG = np.random.default_rng(8).normal(size=(1300, 2))
PRODUCT = LONG[:, 0] * LONG[:, 1]


@pytest.mark.wide
@pytest.mark.parametrize(
    ("method", "model"),
    [
        ("tree", HistGradientBoostingRegressor(max_iter=10)),
        ("linear", LinearRegression()),
        ("kernel", SVR()),
        ("brute", KNeighborsRegressor()),
    ],
)
def test_effects_of_long_grids_are_at_grid_values_next_to_quantiles(method, model):
    """They are those of plain loops; the model is called where no method computes curves, twice for each row."""
    model = model.fit(LONG, PRODUCT)
    calls = []

    def counted(X):
        calls.append(len(X))
        return type(model).predict(model, X)

    model.predict = counted
    e = explain(model, LONG)
    e._context.all_predictions  # noqa: B018 - are kept
    calls.clear()
    found = e.effects("x0")
    assert e.method == method
    assert sum(calls) - 2 * len(LONG) * (method == "brute") < 1000
    grid, x = found.index.to_numpy(), LONG[:, 0]
    assert np.isin(grid, e["x0"].grid).all()
    assert len(grid) == 40
    assert_allclose(np.searchsorted(np.sort(x), grid) / 1299, np.linspace(0, 1, 40), atol=2e-3)
    curves = np.column_stack([model.predict(np.column_stack([np.full(1300, value), LONG[:, 1]])) for value in grid])
    assert_allclose(found["partial_dependence"], curves.mean(axis=0), rtol=1e-9, atol=1e-12)
    assert_allclose(found["spread"], curves.std(axis=0), rtol=1e-7, atol=1e-9)
    steps = []
    for k in range(1, 40):
        inside = (x > grid[k - 1]) & (x <= grid[k]) if k > 1 else x <= grid[1]
        steps.append((curves[inside, k] - curves[inside, k - 1]).mean())
    ale = np.append(0, np.cumsum(steps))
    assert_allclose(found["ale"], ale - np.interp(x, grid, ale).mean(), rtol=1e-7, atol=1e-9)


def test_a_correlated_feature_without_effect_parts_the_kinds(correlated):
    """The function x0: partial dependence and ALE of x1 are flat, the M-plot has the slope of the correlation."""
    found = correlated.effects("x1")
    assert_allclose(found["partial_dependence"], found["partial_dependence"].iloc[0], rtol=1e-12)
    assert_allclose(found["ale"], 0, atol=1e-12)
    inner = found.iloc[1:-1]
    assert_allclose(np.polyfit(inner.index, inner["m_plot"], 1)[0], 0.8, atol=0.03)


def test_every_kind_of_a_linear_effect_is_its_line(correlated):
    """The effect of x0 on x0: every kind is the line itself, exactly, up to its constant."""
    found = correlated.effects("x0")
    assert_allclose(found["m_plot"], found.index, atol=1e-10)
    for kind in ("partial_dependence", "ale"):
        assert_allclose(less_mean(found[kind]), less_mean(found.index.to_numpy()), atol=1e-10)


def test_partial_dependence_of_an_additive_function_is_its_term():
    """Of h(x) + g(z), with x and z correlated: PD and ALE are h up to a constant at every grid value."""
    X = data()[["x", "z"]]
    found = explain(lambda X: np.exp(X["x"]) + X["z"] ** 3, X).effects("x")
    for kind in ("partial_dependence", "ale"):
        assert_allclose(less_mean(found[kind]), less_mean(np.exp(found.index)), rtol=1e-9)


def test_data_are_a_v_and_curves_an_x():
    """X2 = X3, f = X2·sign(X3): predictions are a V along x0, curves of opposite slopes, whose mean is flat."""
    x = np.linspace(-1, 1, 201)
    e = explain(lambda X: X[:, 0] * np.sign(X[:, 1]), np.column_stack([x, x]))
    found = e.effects("x0", grid_size=201)
    assert_allclose(found["m_plot"], np.abs(x), atol=1e-12)
    assert_allclose(found["partial_dependence"], 0, atol=1e-12)
    assert set(np.sign(e["x0"].slopes[:, 0]).tolist()) == {-1.0, 0.0, 1.0}
    assert_allclose(np.diff(found["ale"]), np.diff(np.abs(x)), atol=0.0051)


def test_a_crisp_classifier_gives_shares():
    """Without probabilities, partial dependence is the share of rows that the model assigns to the class."""
    X = data()[["x", "z"]]
    y = np.where(X["x"] + X["z"] > 0, "high", "low")
    model = NearestCentroid().fit(X, y)

    def crisp(X):
        return model.predict(X)

    class Crisp:
        classes_ = model.classes_
        predict = staticmethod(crisp)

    found = explain(Crisp(), X, output="low").effects("x", "partial_dependence", grid_size=5)
    expected = [np.mean(crisp(X.assign(x=value)) == "low") for value in found.index]
    assert_allclose(found["partial_dependence"], expected, rtol=1e-12)


def test_whole_weights_are_repeated_rows():
    """In every column, whatever the kind of the feature."""
    X = data().iloc[:60]
    weights = np.random.default_rng(1).integers(0, 4, len(X))
    e = explain(nonlinear, X, sample_weight=weights)
    repeated = explain(nonlinear, X.loc[X.index.repeat(weights)].reset_index(drop=True))
    for feature in X.columns:
        pd.testing.assert_frame_equal(e.effects(feature, grid_size=9), repeated.effects(feature, grid_size=9))


def test_rows_without_a_value_are_in_partial_dependence_alone():
    """Their curves count, but they have no place on the axis."""
    X = np.column_stack([[0.0, 1.0, 2.0, np.nan], [1.0, 2.0, 3.0, 100.0]])
    found = explain(lambda X: np.nan_to_num(X[:, 0]) + X[:, 1], X).effects("x0")
    assert_allclose(found["partial_dependence"], [26.5, 27.5, 28.5])
    assert_allclose(found["m_plot"], [1, 3, 5])
    assert_allclose(found["ale"], [-1, 0, 1])
    found = explain(lambda X: X[:, 0] + X[:, 1], np.array([[1.0, 5.0], [2.0, 5.0]])).effects("x1")
    assert found[KINDS].to_numpy().tolist() == [[6.5, 0.0, 6.5]]  # one grid value has no step


def test_blocks_of_rows_change_nothing():
    """More rows than are summed at a time give what NumPy gives."""
    X = np.random.default_rng(5).normal(size=(5000, 2))
    e = explain(lambda X: X[:, 0] * X[:, 1], X, grid="uniform", grid_size=5, memory_limit="1MB")
    found = e.effects("x0", grid_size=6)
    curves = found.index.to_numpy() * X[:, [1]]
    assert_allclose(found["partial_dependence"], curves.mean(axis=0), rtol=1e-9)
    assert_allclose(found["spread"], curves.std(axis=0), rtol=1e-9)


def test_sampled_rows_are_enough():
    """The effects are those of the rows whose curves are computed, without gaps."""
    X = data()
    e = explain(nonlinear, X, sample=30)
    found = e.effects("x")
    assert found.notna().all(axis=None)
    assert len(found) == 30
    rows = e["x"].rows
    expected = explain(nonlinear, X.iloc[rows]).effects("x")
    pd.testing.assert_frame_equal(found, expected)


def test_effects_are_at_values_of_the_grid():
    """Rows beyond its ends, and levels that are not on it, do not count; drawn levels have their places."""
    generator = np.random.default_rng(0)
    X = pd.DataFrame({"x": generator.normal(size=200), "town": generator.choice([*"abcd"], 200)})
    grid = {"x": [-0.5, 0.0, 0.25], "town": ["b", "d"]}
    e = explain(lambda X: X["x"] ** 3 + (X["town"] == "b"), X, grid=grid)
    of_town, table = local_effects(e["town"]), e.effects("town", ["ale", "m_plot"])
    assert_array_equal(of_town.grid, [0, 1])
    assert table.index.tolist() == ["b", "d"]
    assert_array_equal(of_town.columns["ale"], table["ale"])
    of_x, table = local_effects(e["x"]), e.effects("x", ["ale", "m_plot"])
    assert_array_equal(of_x.grid, grid["x"])
    assert_allclose(np.diff(table["ale"]), np.diff(of_x.grid**3))
    inside = X["x"].between(-0.5, 0.25)
    assert_array_equal(of_x.columns["ale"], table["ale"])
    assert_allclose(of_x.mean_prediction, e.predictions(inside.to_numpy()).mean())


def test_local_effects_are_computed_once():
    """And end where what is called between blocks raises."""
    X = np.random.default_rng(0).normal(size=(50, 2))
    f = explain(lambda X: X[:, 0] * X[:, 1], X)["x0"]

    def end():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), working(lambda: False, end):
        local_effects(f)
    known = local_effects(f)
    with working(lambda: False, end):
        assert local_effects(f) is known
