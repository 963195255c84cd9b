"""An explanation is of the model and the data that it was made of, or says that they changed since."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import RandomForestRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import SGDRegressor
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPRegressor

import ice_explorer as ice
from ice_explorer.errors import PredictionError

RANDOM = np.random.default_rng(0)
NUMBERS = RANDOM.normal(size=(80, 3))
X = pd.DataFrame(NUMBERS, columns=["a", "b", "c"])
Y = 2 * X["a"] + X["b"] ** 2


class Line:
    """A model whose slope can be changed."""

    def __init__(self, slope=1.0):
        self.slope = slope
        self.n_calls = 0

    def predict(self, rows):
        self.n_calls += 1
        return self.slope * np.asarray(rows)[:, 0] * np.exp(np.asarray(rows)[:, 1])


LATE = {
    "curves": lambda e: e["a"].curves,
    "slopes": lambda e: e["a"].slopes,
    "rows": lambda e: e["a"].compute_curves([0]),
    "predictions": lambda e: e["a"]._predictions([0]),
    "own values": lambda e: e["a"]._at_own_values(np.arange(3), e["a"].curves[:3]),
    "drivers": lambda e: e.drivers("a"),
    "groups": lambda e: e.table(by=np.arange(len(X)) % 2),
    "two features": lambda e: e.two_way("a", "b").partial_dependence,
    "prediction_sd": lambda e: e._context.prediction_sd,
    "table in SD": lambda e: e.table(unit="sd"),
    "a page": lambda e: e.save("page.html"),
    "a table of curves": lambda e: e.save("curves.csv", what="a"),
}


@pytest.mark.parametrize("ask", LATE)
def test_every_late_request_is_refused_while_the_model_is_another_one(ask, tmp_path, monkeypatch):
    """Partial dependence would be that of the old model, and curves those of the new one; the old one may come back."""
    monkeypatch.chdir(tmp_path)
    model = Line()
    e = ice.explain(model, X, grid="quantile", grid_size=5, memory_limit="1kB", progress=False)
    model.slope = 3.0
    with pytest.raises(PredictionError) as caught:
        LATE[ask](e)
    assert str(caught.value).startswith(
        "The model must stay as it was explained; it changed since `explain`, and predicts the same rows differently "
    )
    assert not list(tmp_path.iterdir())
    model.slope = 1.0
    LATE[ask](e)


def test_missing_values_are_not_predicted_by_another_model():
    """They are predicted when they are first asked for."""
    gappy = X.mask(RANDOM.random(X.shape) < 0.1)
    slope = [1.0]
    e = ice.explain(lambda rows: slope[0] * rows["a"].fillna(9.0).to_numpy(), gappy, progress=False)
    slope[0] = 2.0
    with pytest.raises(PredictionError, match="changed since `explain`"):
        e["a"].missing_curve  # noqa: B018


@pytest.mark.parametrize(
    "model",
    [SGDRegressor(random_state=0), MLPRegressor(hidden_layer_sizes=(4,), max_iter=5, random_state=0)],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_model_that_learns_on_in_place_is_noticed_whatever_computes_its_curves(model):
    """Engines read the coefficients of a model, which `partial_fit` writes into."""
    e = ice.explain(model.fit(X, Y), X, grid="quantile", memory_limit="1kB", progress=False)
    assert e.method in {"linear", "brute"}
    model.partial_fit(X, -10 * Y)
    with pytest.raises(PredictionError, match="changed since `explain`"):
        e["a"].curves  # noqa: B018


def test_a_kernel_model_that_keeps_the_data_of_its_fit_is_noticed_when_they_are_written_to():
    """`KernelRidge` keeps the array itself."""
    fitted_on = NUMBERS.copy()
    e = ice.explain(KernelRidge(kernel="rbf").fit(fitted_on, Y), NUMBERS, grid="quantile", progress=False)
    assert e.method == "kernel"
    fitted_on[:, 0] = 0.0
    with pytest.raises(PredictionError, match="changed since `explain`"):
        e["x0"].curves  # noqa: B018


def test_trees_are_copied_so_that_their_curves_stay_those_of_the_model_that_was_explained():
    """Curves and partial dependence agree after a refit, and what takes the new model is refused."""
    model = RandomForestRegressor(10, random_state=0).fit(X, Y)
    e = ice.explain(model, X, grid="quantile", progress=False)
    model.fit(X, -Y)
    assert_allclose(e["a"].curves.mean(axis=0), e["a"].partial_dependence)
    with pytest.raises(PredictionError, match="changed since `explain`"):
        e["a"]._predictions([0])


def test_predictions_by_chance_are_no_change():
    """A note says what chance does; late requests are answered."""
    random = np.random.default_rng(0)
    e = ice.explain(lambda rows: rows["a"].to_numpy() + random.normal(size=len(rows)), X, progress=False)
    assert e["a"].curves.shape == (80, 80)


def test_rounding_is_no_change():
    """Threads add up in any order, and single precision rounds at the seventh digit."""
    scale = [1.0]
    e = ice.explain(lambda rows: scale[0] * rows["a"].to_numpy(), X, progress=False)
    scale[0] = 1.0 + 1e-7
    assert e["a"].curves.shape == (80, 80)


def test_a_model_that_fails_on_what_it_predicted_before_is_said_to():
    """The cause comes first: the data are those that it predicted."""
    state = []

    def predict(rows):
        if state:
            raise ConnectionError("503")
        return rows["a"].to_numpy()

    e = ice.explain(predict, X, memory_limit="1kB", progress=False)
    state.append("gone")
    with pytest.raises(PredictionError) as caught:
        e["a"].curves  # noqa: B018
    assert str(caught.value) == (
        "The model failed on rows that it predicted before: ConnectionError: 503. When it works again, press "
        '"Resume" in the explorer, or repeat this; explain it again if changed.'
    )
    assert isinstance(caught.value.__cause__, ConnectionError)


CONTAINERS = {
    "array": (NUMBERS.copy, lambda rows: rows.__setitem__((slice(None), 0), 99.0)),
    "array by column": (
        lambda: np.asfortranarray(NUMBERS),
        lambda rows: rows.__setitem__((slice(None), 0), 99.0),
    ),
    "frame": (X.copy, lambda rows: rows.__setitem__("a", 99.0)),
    "frame in place": (X.copy, lambda rows: rows.iloc.__setitem__((slice(None), 0), 99.0)),
    "sparse": (lambda: scipy.sparse.csr_array(NUMBERS), lambda rows: rows.data.fill(99.0)),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_what_is_written_into_x_later_does_not_reach_the_explanation(container):
    """Curves of rows that are read later are those of the rows that were explained."""

    def predict(rows):
        dense = rows.toarray() if scipy.sparse.issparse(rows) else np.asarray(rows)
        return dense[:, 0] * np.exp(dense[:, 1])

    make, write = CONTAINERS[container]
    rows = make()
    e = ice.explain(predict, rows, grid="quantile", grid_size=5, progress=False)
    f = next(iter(e.values()))
    write(rows)
    assert_allclose(f.curves.mean(axis=0), f.partial_dependence)
    assert_allclose(f._predictions([0]), NUMBERS[0, 0] * np.exp(NUMBERS[0, 1]))


def test_what_is_written_into_weights_later_does_not_reach_the_explanation():
    """Weights are read again when missing values are predicted, and by two features together."""
    weights = np.ones(80)
    e = ice.explain(Line(), X, sample_weight=weights, progress=False)
    expected = e.two_way("a", "b").partial_dependence
    weights[:40] = 0.0
    assert_array_equal(e.two_way("a", "b").partial_dependence, expected)


def wait(explorer):
    explorer.explanation  # noqa: B018
    return explorer


def test_an_explorer_refuses_another_output_of_a_model_that_changed():
    """Its classes would be those of two models."""
    model = KNeighborsClassifier().fit(X, np.digitize(X["a"], [-0.5, 0.5]))
    x = wait(ice.ICEExplorer(model, X, output=0, grid="quantile", grid_size=5))
    model.fit(X, np.digitize(-X["a"], [-0.5, 0.5]))
    with pytest.raises(PredictionError, match="changed since `explain`"):
        x.output = "2"
    assert x.output == "0"
    x.close()


def test_an_explorer_explains_another_output_with_the_data_that_it_was_given():
    """Neither what is written into X, nor into y and weights, reaches it."""
    rows, weights = NUMBERS.copy(), np.ones(80)
    model = KNeighborsClassifier().fit(rows.copy(), np.digitize(NUMBERS[:, 0], [-0.5, 0.5]))
    expected = ice.explain(model, NUMBERS, output=2, grid="quantile", grid_size=5, progress=False)["x0"].curves
    x = wait(ice.ICEExplorer(model, rows, output=0, sample_weight=weights, grid="quantile", grid_size=5))
    rows[:], weights[:] = 0.0, np.arange(80)
    x.output = "2"
    assert_array_equal(x.explanation["x0"].curves, expected)
    x.close()


def test_an_explorer_that_computes_while_its_model_is_fitted_anew_says_so():
    """Some features would be those of the old model, and others those of the new one."""
    model = Line()

    def predict(rows):
        model.slope = 2.0 if model.n_calls > 3 else 1.0  # as another cell would do it
        return model.predict(rows)

    x = ice.ICEExplorer(predict, X, grid="quantile", grid_size=5)
    with pytest.raises(PredictionError, match="changed since `explain`"):
        x.explanation  # noqa: B018
    x.close()
