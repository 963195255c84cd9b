"""Interactions and heat maps, requested by a browser: bit by bit, kept, and the same as from Python."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from ice_explorer.wire import replies


class Model:
    """A product and a sum, whose calls are counted."""

    def __init__(self):
        self.n_calls = 0
        self.fails = False

    def __call__(self, X):
        self.n_calls += 1
        if self.fails:
            raise RuntimeError("out of range")
        return (X["one"] * X["two"] + X["three"]).to_numpy(dtype=float)


@pytest.fixture(name="X")
def observations():
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(60, 2)), columns=["one", "two"])
    return X.assign(three=np.arange(60) % 3, place=pd.Categorical(["Ur", "Kiš", "Ur"] * 20))


def test_interactions_come_bit_by_bit(make, ask, X, monkeypatch):
    """Each request continues where the last one ended; in the end they are those of `interactions`, and kept."""
    monkeypatch.setattr(replies, "_SECONDS_OF_REPLY", -1.0)
    model = Model()
    explorer = make(model, X, method="brute")
    expected = explorer.explanation.interactions()
    done = [0]
    while done[-1] < 10:  # 4 features and their 6 pairs
        body = ask(explorer, type="interactions")[0]["body"]
        done.append(body["done"])
        assert body["total"] == 10
        assert len(body["features"]) + len(body["pairs"]) == body["done"]
    assert done == sorted(done)
    assert len(done) > 4
    assert (body["n_rows"], body["n_observations"]) == (60, 60)
    assert [row["h2"] for row in body["features"]] == expected.features.tolist()
    assert {(row["first"], row["second"]): row["h2"] for row in body["pairs"]} == expected.pairs["h2"].to_dict()
    best = body["pairs"][0]
    assert (best["first"], best["second"]) == ("one", "two")
    centred = (X["one"] - X["one"].mean()) * (X["two"] - X["two"].mean())
    assert_allclose(best["effect"], np.std(centred), rtol=1e-9)
    n_calls = model.n_calls
    assert ask(explorer, type="interactions")[0]["body"] == body
    assert model.n_calls == n_calls


def test_the_heat_map_is_two_way_and_kept(make, ask, X):
    """Mean predictions, and the values of both features; the second request calls no model."""
    model = Model()
    explorer = make(model, X, method="brute")
    two = explorer.explanation.two_way("one", "place")
    reply, _ = ask(explorer, type="two_way", first="one", second="place")
    body = reply["body"]["two_way"]
    assert (reply["body"]["share_done"], body["second"]["levels"]) == (1, ["Kiš", "Ur"])
    assert_allclose(body["values"], two.partial_dependence, rtol=1e-12)
    assert np.bincount(body["second"]["observed"].astype(int)).tolist() == [20, 40]
    n_calls = model.n_calls
    ask(explorer, type="two_way", first="one", second="place")
    assert model.n_calls == n_calls


def test_an_error_of_the_model_is_the_reply_and_the_next_request_tries_again(make, ask, X):
    """Neither interactions nor a heat map are lost by one failure."""
    model = Model()
    explorer = make(model, X, method="brute")
    assert explorer.explanation is not None
    model.fails = True
    for request in ({"type": "interactions"}, {"type": "two_way", "first": "one", "second": "two"}):
        reply, _ = ask(explorer, **request)
        assert reply["type"] == "error"
        assert "RuntimeError: out of range" in reply["message"]
    model.fails = False
    assert ask(explorer, type="interactions")[0]["type"] == "result"
    assert ask(explorer, type="two_way", first="one", second="two")[0]["type"] == "result"


def test_what_is_no_pair_is_refused(make, ask, X):
    """An unknown column, or one column twice."""
    explorer = make(Model(), X, method="brute")
    for second, words in (("four", "No column named 'four' in X."), ("one", "must differ; got 'one' twice.")):
        assert words in ask(explorer, type="two_way", first="one", second=second)[0]["message"]
