"""What a browser requests when it is switched on: ALE and M-plot, correlated features, values unlike the data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from kernel_end import ask, reply_to, wait_until
from numpy.testing import assert_allclose, assert_equal

FURTHER = {"unlike": {"positions": [0]}}  # what a request needs besides a feature


class Model:
    """A product of two columns that vary together, which counts its calls."""

    def __init__(self):
        self.n_calls = 0

    def __call__(self, X):
        self.n_calls += 1
        return (X["one"] * X["two"]).to_numpy()


@pytest.fixture(name="X")
def observations():
    generator = np.random.default_rng(0)
    one = generator.normal(size=80)
    two = one + 0.1 * generator.normal(size=80)
    return pd.DataFrame({"one": one, "two": two, "three": generator.normal(size=80), "town": ["Ur", "Uruk"] * 40})


def send(explorer, request_id, **request):
    explorer.comm.receive({"method": "custom", "content": {"id": request_id, **request}})


def answer(explorer, request_id="a", **request):
    """The body of the reply to a request."""
    return ask(explorer, request_id, **request)[0]["body"]


@pytest.mark.parametrize("feature", ["one", "town"])
def test_effects_are_those_of_python(make, X, feature):
    """At the same values; the M-plot is relative to the mean prediction. The model is called once for all requests."""
    model = Model()
    explorer = make(model, X, method="brute")
    table = explorer.explanation.effects(feature, ("ale",))
    body = answer(explorer, type="effects", feature=feature)
    assert body["feature"] == feature
    assert_allclose(body["grid"], np.arange(2.0) if feature == "town" else table.index.to_numpy())
    assert_allclose(body["ale"], table["ale"], rtol=1e-6, atol=1e-6)
    assert_allclose(body["mean_prediction"], np.mean(X["one"] * X["two"]))
    n_calls = model.n_calls
    assert_equal(answer(explorer, "b", type="effects", feature=feature), body)
    assert model.n_calls == n_calls


def test_correlated_features_are_those_of_python_where_one_is_strong(make, X):
    """Nothing but a sentence where none is."""
    explorer = make(Model(), X, method="brute")
    found = explorer.explanation["one"].correlated()
    assert answer(explorer, type="correlated", feature="one") == {
        "feature": "one",
        "lead": "Varies with",
        "items": [{"column": "two", "correlation": found["correlation"]["two"], "measure": "spearman"}],
    }
    lead = "No other feature has a correlation of 0.5 or more with three."
    assert answer(explorer, "b", type="correlated", feature="three") == {
        "feature": "three",
        "lead": lead,
        "items": [],
    }


def test_unlike_values_are_those_of_python(make, X):
    """The share at each grid value, which of some rows are, and the share of all in a sentence; without the model."""
    model = Model()
    explorer = make(model, X, method="brute")
    found = explorer.explanation["one"].extrapolation()
    n_calls = model.n_calls
    body = answer(explorer, type="unlike", feature="one", positions=[7, 3])
    assert body["summary"] == found.summary
    assert_allclose(body["share"], found.share)
    assert_allclose(body["shares"], found.grid_shares, rtol=1e-6)
    assert body["flags"].astype(bool).tolist() == found.is_unlike[[7, 3]].tolist()
    assert model.n_calls == n_calls


def test_curves_do_not_wait_for_models_that_are_fitted(make, X):
    """Curves that are requested meanwhile come first."""
    explorer = make(Model(), X, method="brute")
    assert explorer.explanation
    explorer._background.ask(None, lambda _: send_both(explorer), pytest.fail)
    reply_to(explorer.comm, "unlike")
    custom = [message["data"]["content"] for message in explorer.comm.sent if message["data"]["method"] == "custom"]
    assert [reply["id"] for reply in custom] == ["curves", "unlike"]


def send_both(explorer):
    send(explorer, "unlike", type="unlike", feature="one", positions=[0])
    send(explorer, "curves", type="curves", feature="two", max_lines=5, selection=[])


@pytest.mark.parametrize("request_type", ["effects", "unlike"])
def test_closing_ends_the_work(make, X, request_type):
    """An answer that takes long ends with its explorer."""
    explorer = make(Model(), X, method="brute")
    assert explorer.explanation
    wire, background = explorer.comm, explorer._background
    wait_until(lambda: background._answering.thread is None)  # the next one takes what is set here
    background._answering.between_blocks = background.close
    send(explorer, "long", type=request_type, feature="one", **FURTHER.get(request_type, {}))
    assert reply_to(wire, "long")[0] == {"id": "long", "type": "cancelled"}
