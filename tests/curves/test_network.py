"""The network engine against every phantom predicted by the model itself, and its kernel against NumPy."""

from itertools import pairwise

import numpy as np
import pandas as pd
import parity
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler

import ice_explorer as ice
from ice_explorer.adapters.models.link import Link
from ice_explorer.adapters.structure.network import NetworkModel, network_model
from ice_explorer.curves import network
from ice_explorer.curves.network import NetworkCurves
from ice_explorer.engines import choose

ACTIVATIONS = ("identity", "logistic", "tanh", "relu")
ROUNDING = 1e-12
KERNELS = ("numba", "numpy")


def table(n=40):
    rng = np.random.default_rng(8)
    return np.column_stack([rng.normal(size=n).round(1), rng.integers(0, 4, n), rng.normal(3, 2, n).round(1)])


def targets(n=40):
    X = table(n)
    y = X[:, 0] - 0.5 * X[:, 1] * X[:, 2] + np.sin(X[:, 2])
    return {
        "number": y,
        "two": np.column_stack([y, X[:, 1] - X[:, 0]]),
        "binary": np.where(y > np.median(y), "yes", "no"),
        "classes": np.array(["a", "b", "c"])[np.searchsorted(np.quantile(y, [0.3, 0.7]), y)],
        "labels": np.column_stack([y > 0, X[:, 1] > X[:, 0], X[:, 2] > 3]).astype(int),
    }


def regressor(**options):
    return MLPRegressor(**{"hidden_layer_sizes": (7,), "max_iter": 30, "random_state": 0, **options})


def classifier(**options):
    return MLPClassifier(**{"hidden_layer_sizes": (7,), "max_iter": 30, "random_state": 0, **options})


def fitted(model, target, X=None):
    return parity.quiet(model.fit, table() if X is None else X, targets()[target])


def compare(model, X=None, rounding=ROUNDING, **options):
    X = table() if X is None else X
    fast = parity.explained(model, X, **options)
    assert fast.engine == "network", fast.notes
    parity.assert_equal_explanations(fast, parity.explained(model, X, **options, engine="brute"), rounding)
    return fast


# Which networks ----------------------------------------------------------------------------------


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("layers", [(), (1,), (9,), (8, 5), (4, 3, 6)], ids=str)
def test_networks_of_any_depth(activation, layers):
    """Every activation, no hidden layer among them."""
    compare(fitted(regressor(activation=activation, hidden_layer_sizes=layers), "number"))


@pytest.mark.parametrize("output", [0, 1])
@pytest.mark.parametrize("activation", ["logistic", "relu"])
def test_one_of_several_outputs(output, activation):
    """Each has weights of its own in the last layer alone."""
    compare(fitted(regressor(activation=activation), "two"), output=output)


@pytest.mark.parametrize("response", ["predict_proba", "log_odds"])
@pytest.mark.parametrize(
    ("target", "output"),
    [("binary", "yes"), ("binary", "no"), ("classes", "a"), ("classes", "c"), ("labels", 0), ("labels", 2)],
)
def test_classes_and_labels(target, output, response):
    """Two classes have one margin, more share a softmax, and labels have a margin each."""
    compare(fitted(classifier(activation="logistic"), target), output=output, response=response)


def test_counts_have_an_exponential_link():
    """MLPRegressor has learnt Poisson losses."""
    model = regressor()
    if "loss" not in model.get_params():
        pytest.skip("this scikit-learn has squared losses alone")
    model.set_params(loss="poisson")
    parity.quiet(model.fit, table(), np.arange(40) % 5)
    assert model.out_activation_ == "exp"
    compare(model)


@pytest.mark.parametrize("activation", ["logistic", "relu"])
def test_single_precision_is_the_library_s(activation):
    """Rows in single precision are counted in it, and where a grid needs more it is not."""
    X = table().astype(np.float32)
    model = fitted(regressor(activation=activation), "number", X)
    assert model.coefs_[0].dtype == np.float32
    compare(model, X, parity.ROUNDING_OF_FLOAT32)
    compare(model, X, ROUNDING, grid={"x0": [0.1, 0.3], "x1": [0.1, 1.7], "x2": [1.1, 3.3]})
    compare(model, table(), ROUNDING)  # rows in double precision
    scaled = make_pipeline(StandardScaler(), regressor(activation=activation))
    compare(fitted(scaled, "number", X), X, parity.ROUNDING_OF_FLOAT32)


def test_predicted_classes_are_left_to_the_model():
    """They are no function of the margins that is known here."""
    model = fitted(classifier(), "binary")
    assert parity.explained(model, table(), response="predict", output="yes").engine == "brute"
    with pytest.raises(ice.errors.InvalidOptionError) as caught:
        ice.explain(model, table(), response="predict", engine="network", progress=False)
    assert str(caught.value) == (
        '`engine="network"` needs a model that it computes exactly. predict of MLPClassifier is not a supported '
        'function of its margins. Use `engine="auto"`.'
    )


def test_a_layer_that_is_read_wrongly_is_not_believed(monkeypatch):
    """A weight that is off by a millionth."""

    def wrong(*args):
        found = network_model(*args)
        object.__setattr__(found, "weights", (*found.weights[:-1], found.weights[-1] * (1 + 1e-6)))
        return found

    monkeypatch.setattr(choose, "network_model", wrong)
    explanation = parity.explained(fitted(regressor(), "number"), table())
    assert explanation.engine == "brute"
    assert any("network engine is not used" in note for note in explanation.notes)


@pytest.mark.parametrize(
    ("attribute", "value", "reason"),
    [
        ("activation", "swish", "The activation swish is not supported."),
        ("out_activation_", "relu", "The link relu is not supported."),
    ],
)
def test_what_no_version_has_yet_is_refused(attribute, value, reason):
    """A function of hidden units or outputs that is not known here."""
    model = fitted(regressor(), "number")
    setattr(model, attribute, value)
    with pytest.raises(ice.errors.ICEExplorerError) as caught:
        network_model(model, None, "predict")
    assert str(caught.value) == reason


# Around them -------------------------------------------------------------------------------------


def test_transformers_and_targets_are_peeled_off():
    """Scaled columns, and a target that was scaled itself."""
    model = make_pipeline(
        StandardScaler(), TransformedTargetRegressor(regressor(activation="tanh"), transformer=StandardScaler())
    )
    compare(fitted(model, "number"))


def test_codes_and_groups_move_together():
    """Text behind an encoder, and columns of 0 and 1 that are one category."""
    rng = np.random.default_rng(4)
    X = pd.DataFrame(table(), columns=["a", "b", "c"])
    X["town"] = np.array(["Ur", "Nineveh", "Uruk"])[rng.integers(0, 3, 40)]
    wing = rng.integers(0, 3, 40)
    X["wing_a"], X["wing_b"] = (wing == 1).astype(int), (wing == 2).astype(int)
    encode = make_column_transformer((OneHotEncoder(), ["town"]), remainder=StandardScaler())
    model = make_pipeline(encode, regressor())
    parity.quiet(model.fit, X, targets()["number"])
    fast = compare(model, X, groups={"wing": ["wing_a", "wing_b"]})
    assert [feature.kind for feature in fast][-2:] == ["category", "group"]


def test_products_of_columns_are_left_to_the_model():
    """What one column does then depends on the row."""
    model = make_pipeline(PolynomialFeatures(2), regressor())
    assert parity.explained(fitted(model, "number"), table(), grid="quantile", grid_size=3).engine == "brute"


@pytest.mark.parametrize(
    "options",
    [
        {"sample_weight": np.resize([0.0, 1.0, 2.5, 0.25], 40)},
        {"sample": 7},
        {"grid": "uniform", "grid_size": 5},
        {"grid": {"x0": [-50.0, 0.0, 50.0], "x1": [2.5]}},
        {"scale": "conditional"},
        {"features": ["x2"]},
        {"memory_limit": 1},
        {"n_jobs": 2},
    ],
    ids=lambda options: next(iter(options)),
)
def test_options(options):
    """Weights, samples, grids, scales, blocks and threads are the same whatever the engine."""
    compare(fitted(regressor(hidden_layer_sizes=(6, 4)), "number"), **options)


def test_a_value_that_is_far_larger_than_the_rest_takes_nothing_with_it():
    """Exchanging it must not leave its rounding behind."""
    model = fitted(regressor(activation="tanh"), "number")
    X = table()
    X[5, 0] = 1e17
    compare(model, X, grid={"x0": [0.0, 1.0], "x1": [0.0, 1.0], "x2": [0.0, 1.0]})


# The kernel --------------------------------------------------------------------------------------


def units(draw, *shape):
    """Numbers that binary fractions hold, so that any order of adding them up gives the same bits."""
    whole = draw(st.lists(st.integers(-8, 8), min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    return np.array(whole, float).reshape(shape) / 4


@st.composite
def networks(draw, activation):
    """A network with its definition beside it, rows and a grid."""
    widths = [3, *draw(st.lists(st.integers(1, 5), min_size=0, max_size=2)), draw(st.integers(1, 3))]
    weights = tuple(units(draw, *shape) for shape in pairwise(widths))
    biases = tuple(units(draw, width) for width in widths[1:])
    link = Link(output=draw(st.integers(0, widths[-1] - 1)))
    return NetworkModel(weights, biases, activation, link, is_single=False)


def by_definition(model, x):
    for at, (weights, bias) in enumerate(zip(model.weights, model.biases, strict=True)):
        if at:
            x = np.maximum(x, 0) if model.activation == "relu" else x
        x = x @ weights + bias
    return x[model.link.output]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("cells", [1, 16, 1 << 15])
@given(data=st.data(), columns=st.sampled_from([[0], [2], [2, 0]]), n_grid=st.integers(1, 6))
@settings(max_examples=30)
def test_every_curve_is_that_of_the_definition(kernel, cells, data, columns, n_grid):
    """However phantoms are cut into blocks, whichever columns move and wherever, to the bit."""
    if kernel == "numba":
        pytest.importorskip("numba")
    model = data.draw(networks(data.draw(st.sampled_from(["identity", "relu"]))))
    rows, grid = units(data.draw, 5, 3), units(data.draw, n_grid, len(columns))
    if order := data.draw(
        st.sampled_from([-1, 0, 1])
    ):  # else grid values come in any order, as behind some transformers
        grid = np.unique(grid, axis=0)[::order]
    positions = np.array([3, 0, 4])
    expected = np.empty((3, len(grid)))
    for at, row in enumerate(positions):
        for number, values in enumerate(grid):
            phantom = rows[row].copy()
            phantom[columns] = values
            expected[at, number] = by_definition(model, phantom)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(network, "_CELLS", cells)
        patch.setattr(network, "_WORTH_COMPILING", -1 if kernel == "numba" else np.inf)
        patch.setattr(network, "_FEW_VALUES", 0)
        curves = NetworkCurves(model, rows)
        assert_array_equal(curves.curves(np.array(columns), grid, positions), expected)
        assert_array_equal(curves.predict(rows), [by_definition(model, row) for row in rows])


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
