"""The unit of the distance from the observed value, chosen in an explorer that is there."""

import threading

import numpy as np
import pandas as pd
import pytest
from kernel_end import SECONDS
from numpy.testing import assert_allclose, assert_array_equal

from ice_explorer import ICEExplorer, explain
from ice_explorer.locks import checkpoint
from ice_explorer.metrics import conditional
from ice_explorer.results import extrapolation

N = 60


def table(seed=0):
    """Two numbers that vary together, one with a gap, and a category."""
    draw = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"a": draw.normal(size=N), "b": draw.normal(size=N), "c": pd.Categorical(draw.choice(list("xyz"), N))}
    )
    X["b"] += 2 * X["a"]
    X.loc[3, "a"] = np.nan
    return X


class Counting:
    """A model that counts the rows it predicts."""

    def __init__(self):
        self.n = 0

    def __call__(self, X):
        self.n += len(X)
        return np.nan_to_num(X["a"].to_numpy()) * X["b"].to_numpy() + (X["c"] == "x").to_numpy()


@pytest.fixture
def model():
    return Counting()


@pytest.fixture
def explorer(model):
    made = ICEExplorer(model, table())
    yield made
    made.close()


def metrics(explanation):
    return explanation.table(rank_by=None).to_numpy(dtype=float)


def test_the_scale_is_that_of_explain_and_no_model_is_called(explorer, model):
    """Scales are the same to the bit, figures but for the order of sums, and nothing is predicted."""
    explorer.explanation  # noqa: B018 - waits for it
    n = model.n
    explorer.distance = "conditional"
    found = explorer.explanation
    assert model.n == n
    wanted = explain(Counting(), table(), distance="conditional")
    assert found.settings.distance == "conditional"
    for feature in wanted.values():
        assert_array_equal(found[feature.feature].likelihood_scale, feature.likelihood_scale)
        assert_array_equal(found[feature.feature].likelihood(0.5), feature.likelihood(0.5))
    assert_allclose(metrics(found), metrics(wanted), rtol=1e-9, atol=1e-12)


def test_going_back_and_forth_takes_no_time(explorer, monkeypatch):
    """What was computed of each scale is kept: nothing is fitted or summed again."""
    marginal = explorer.explanation
    explorer.distance = "conditional"
    conditional = explorer.explanation
    monkeypatch.setattr(type(explorer._work), "compute", None)  # which would fail
    explorer.distance = "marginal"
    assert explorer._status["state"] == "ready"
    assert_array_equal(metrics(explorer.explanation), metrics(marginal))
    explorer.distance = "conditional"
    assert explorer._status["state"] == "ready"
    assert_array_equal(metrics(explorer.explanation), metrics(conditional))


@pytest.mark.wide
def test_it_is_part_of_header_and_state(explorer, model):
    """A page reads it in the header; the state makes it again, at once."""
    explorer.explanation  # noqa: B018 - waits for it
    assert (explorer._header["distance"], explorer._header["distances"]) == ("marginal", ["marginal", "conditional"])
    explorer.distance = "conditional"
    explorer.explanation  # noqa: B018 - waits for it
    assert explorer._header["distance"] == "conditional"
    again = ICEExplorer(model, table(), state=explorer.state())
    assert (again.distance, again.explanation.settings.distance) == ("conditional", "conditional")
    again.close()


def test_it_appears_at_once_with_the_option(model, monkeypatch):
    """Models are fitted in the background, not before the explorer is there."""
    gate, threads = threading.Event(), set()
    moments = extrapolation.conditional_moments

    def held(*arguments, **options):
        threads.add(threading.current_thread().name)
        assert gate.wait(SECONDS)
        return moments(*arguments, **options)

    monkeypatch.setattr(extrapolation, "conditional_moments", held)
    explorer = ICEExplorer(model, table(), distance="conditional")
    assert (explorer.distance, explorer._status["state"]) == ("conditional", "computing")
    gate.set()
    assert explorer.explanation.settings.distance == "conditional"
    assert threads == {"ice-explorer"}
    explorer.close()


def test_it_can_be_cancelled_between_two_models(explorer, monkeypatch):
    """A cancel ends a feature after the model that is fitted; the marginal figures are still there."""
    explorer.explanation  # noqa: B018 - waits for it
    begun = threading.Event()

    def cancelled_within():
        begun.set()
        explorer._background.cancel()
        checkpoint()

    monkeypatch.setattr(conditional, "checkpoint", cancelled_within)
    explorer.distance = "conditional"
    assert begun.wait(SECONDS)
    explorer._background.wait(SECONDS)
    explorer._publish()
    assert explorer._status["message"] == "Cancelled after 0 of 3 features."
    explorer.distance = "marginal"
    assert explorer._status["state"] == "ready"


@pytest.mark.wide
def test_an_explanation_and_values_by_feature_have_it_too(model):
    """An explanation needs no model for it; values that were given are a third choice."""
    explanation = explain(model, table())
    assert explanation._context.prediction_sd > 0  # predicts the rows as they are
    n = model.n
    of_explanation = ICEExplorer(explanation)
    of_explanation.distance = "conditional"
    wanted = explain(Counting(), table(), distance="conditional")
    assert_allclose(metrics(of_explanation.explanation), metrics(wanted), rtol=1e-9, atol=1e-12)
    assert model.n == n
    given = ICEExplorer(model, table(), distance={"b": 0.5})
    assert (given.distance, given._header["distances"]) == ("custom", ["custom", "marginal", "conditional"])
    for explorer in (of_explanation, given):
        explorer.close()


def test_features_with_another_distance_so_far_have_their_labels(model):
    """Not those of all features, of which some are still to come."""
    e = explain(model, table())
    first, *_ = e.features
    assert e._with_distance(e._context, {first: e[first]})._labels == [e[first].label]
