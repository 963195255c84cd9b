"""What a browser requests when it is switched on: ALE and M-plot, correlated features, values unlike the data."""

from __future__ import annotations

import threading

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from ice_explorer.wire.messages import MessageError, parse_request

SOON = 20.0
FURTHER = {"unlike": {"positions": [0]}}  # what a request needs besides a feature
RELOAD = "Restart the kernel and reload the page, so that both run the same version."


class Model:
    """A product of two columns that vary together, called through a gate."""

    def __init__(self):
        self.gate = threading.Event()
        self.gate.set()
        self.n_calls = 0

    def __call__(self, X):
        self.n_calls += 1
        assert self.gate.wait(SOON)
        return (X["one"] * X["two"]).to_numpy()


@pytest.fixture(name="X")
def observations():
    generator = np.random.default_rng(0)
    one = generator.normal(size=80)
    two = one + 0.1 * generator.normal(size=80)
    return pd.DataFrame({"one": one, "two": two, "three": generator.normal(size=80), "town": ["Ur", "Uruk"] * 40})


def send(explorer, request_id, **request):
    explorer.comm.receive({"method": "custom", "content": {"id": request_id, **request}})


def answer(explorer, request_id):
    """The content of a reply, and its buffers as numbers: float64, then float32."""
    message = explorer.comm.wait_for(lambda message: message["data"].get("content", {}).get("id") == request_id)
    buffers = message.get("buffers") or []
    numbers = [np.frombuffer(buffer, "<f8" if at == 0 else "<f4") for at, buffer in enumerate(buffers)]
    return message["data"]["content"], numbers


@pytest.mark.parametrize("feature", ["one", "town"])
def test_effects_are_those_of_python(make, X, feature):
    """At the same values; the M-plot is relative to the mean prediction. The model is called once for all requests."""
    model = Model()
    explorer = make(model, X, engine="brute")
    table = explorer.explanation.effects(feature, ("ale", "m_plot"))
    send(explorer, "a", type="effects", feature=feature)
    content, (grid, ale, m_plot) = answer(explorer, "a")
    body = content["body"]
    assert (body["feature"], body["n_grid"]) == (feature, len(table))
    assert_allclose(grid, np.arange(2.0) if feature == "town" else table.index.to_numpy())
    assert_allclose(ale, table["ale"], rtol=1e-6, atol=1e-6)
    assert_allclose(m_plot + body["mean_prediction"], table["m_plot"], rtol=1e-6, atol=1e-6)
    assert_allclose(body["mean_prediction"], np.mean(X["one"] * X["two"]))
    n_calls = model.n_calls
    send(explorer, "b", type="effects", feature=feature)
    assert answer(explorer, "b")[0]["body"] == body
    assert model.n_calls == n_calls


def test_correlated_features_are_those_of_python_where_one_is_strong(make, X):
    """Nothing but a sentence where none is."""
    explorer = make(Model(), X, engine="brute")
    found = explorer.explanation["one"].correlated()
    send(explorer, "a", type="correlated", feature="one")
    assert answer(explorer, "a")[0]["body"] == {
        "feature": "one",
        "lead": "Varies with",
        "items": [{"column": "two", "correlation": found["correlation"]["two"], "measure": "spearman"}],
    }
    send(explorer, "b", type="correlated", feature="three")
    lead = "No other feature has a correlation of 0.5 or more with three."
    assert answer(explorer, "b")[0]["body"] == {"feature": "three", "lead": lead, "items": []}


def test_unlike_values_are_those_of_python(make, X):
    """The share at each grid value, which of some rows are, and the share of all in a sentence; without the model."""
    model = Model()
    explorer = make(model, X, engine="brute")
    found = explorer.explanation["one"].extrapolation()
    n_calls = model.n_calls
    send(explorer, "a", type="unlike", feature="one", positions=[7, 3])
    content, (grid, shares, flags) = answer(explorer, "a")
    body = content["body"]
    assert (body["feature"], body["n_grid"], body["summary"]) == ("one", 80, found.summary)
    assert_allclose(body["share"], found.share)
    assert_allclose(grid, np.sort(X["one"]))
    assert_allclose(shares, found.grid_shares, rtol=1e-6)
    bits = np.unpackbits(flags.view(np.uint8).reshape(2, -1), axis=1, bitorder="little")
    assert bits[:, :80].astype(bool).tolist() == found.is_unlike[[7, 3]].tolist()
    assert found.share > 0.3
    assert model.n_calls == n_calls


def test_curves_do_not_wait_for_models_that_are_fitted(make, X):
    """Curves that are requested meanwhile come first."""
    explorer = make(Model(), X, engine="brute")
    assert explorer.explanation
    explorer._background.ask(None, lambda _: send_both(explorer), pytest.fail)
    answer(explorer, "unlike")
    custom = [message["data"]["content"] for message in explorer.comm.sent if message["data"]["method"] == "custom"]
    assert [reply["id"] for reply in custom] == ["curves", "unlike"]


def send_both(explorer):
    send(explorer, "unlike", type="unlike", feature="one", positions=[0])
    send(explorer, "curves", type="curves", feature="two", max_lines=5, selection=[])


@pytest.mark.parametrize("request_type", ["effects", "unlike"])
def test_closing_ends_the_work(make, X, request_type):
    """An answer that takes long ends with its explorer."""
    explorer = make(Model(), X, engine="brute")
    assert explorer.explanation
    wire, background = explorer.comm, explorer._background
    answer_meanwhile = background.answer_meanwhile

    def close_first():
        background.close()
        answer_meanwhile()

    background.answer_meanwhile = close_first
    send(explorer, "long", type=request_type, feature="one", **FURTHER.get(request_type, {}))
    message = wire.wait_for(lambda message: message["data"].get("content", {}).get("id") == "long")
    assert message["data"]["content"] == {"id": "long", "type": "cancelled"}


@pytest.mark.parametrize("request_type", ["effects", "correlated", "unlike"])
def test_a_request_names_a_feature(make, X, request_type):
    """That is explained; a sentence otherwise."""
    explorer = make(Model(), X, engine="brute")
    assert explorer.explanation
    send(explorer, "a", type=request_type, feature="four", **FURTHER.get(request_type, {}))
    sentence = "No feature named 'four' was explained. There are 4 features: 'one', 'two', 'three', 'town'."
    assert answer(explorer, "a")[0]["message"] == sentence
    with pytest.raises(MessageError) as error:
        parse_request({"type": request_type})
    assert str(error.value) == f"'feature' of a request {request_type!r} must be text; got None. {RELOAD}"
