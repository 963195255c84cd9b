"""An explorer whose features are not all computed: after a failure, at a draft, and when it is cancelled."""

from __future__ import annotations

import itertools
import threading
import time

import numpy as np
import pandas as pd
import pytest

from ice_explorer.wire.header import DECAYS, PROFILES

SOON = 20.0


def wait_until(condition):
    deadline = time.monotonic() + SOON
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


class Held:
    """A model whose first draft takes long enough to be shown, and that waits in a later call until it is released."""

    def __init__(self, n_free):
        self.gate = threading.Event()
        self.calls = itertools.count(1)
        self.n_free = n_free
        self.waits = threading.Event()

    def predict(self, rows):
        if next(self.calls) > self.n_free:
            self.waits.set()
            assert self.gate.wait(SOON)
        else:
            time.sleep(0.2)
        return rows[:, 0] * rows[:, 1] + 3 * rows[:, 2]


@pytest.fixture
def held(request):
    model = Held(request.param)
    yield model
    model.gate.set()


def test_ties_name_places_among_all_features(make, ask):
    """Where only the last features are known, their places in a reply are those of the header, not 0 and 1."""
    X = pd.DataFrame(np.random.default_rng(0).uniform(size=(60, 4)), columns=list("abcd"))

    def model(rows):
        if (rows["a"] > 1).any():
            raise ValueError("out of range")
        return (rows["c"] + 1.01 * rows["d"]).to_numpy()

    explorer = make(model, X, grid={"a": [0.0, 2.0]})
    wait_until(lambda: explorer._status["state"] == "error")
    for feature in "cd":
        assert ask(explorer, type="curves", feature=feature, max_lines=5, selection=[])[0]["type"] == "result"
    request = {"rank_by": "impact", "level": 0.95, "decay": 1.0}
    intervals = None
    while intervals is None:
        intervals = ask(explorer, type="intervals", **request)[0]["body"]["intervals"]
    assert [sorted(pair) for pair in intervals["tied"]] == [[2, 3]]
    assert np.isfinite(intervals["low"]).tolist() == [False, False, True, True]


@pytest.mark.parametrize("held", [2], indirect=True)
def test_a_draft_has_figures_on_both_sides_of_a_decay_between_two_steps(make, held):
    """A page interpolates between them: at 0.755 the figures at 0.75 and at 0.76, besides those without decay."""
    X = np.random.default_rng(0).normal(size=(140, 12))
    explorer = make(held, X, decay=0.755)
    wait_until(lambda: explorer._status["n_rows"] is not None)
    profile = np.frombuffer(explorer._profile, "<f4").reshape(len(PROFILES), X.shape[1], len(DECAYS))
    for name in ("in_distribution_impact", "support"):
        known = np.isfinite(profile[PROFILES.index(name)]).all(axis=0)
        assert DECAYS[known].tolist() == [0.75, 0.76, 1.0]


@pytest.mark.parametrize("held", [1], indirect=True)
def test_a_cancel_during_a_draft_is_published(make, ask, held):
    """The page is told that nothing is computed any more, although no feature ends after the cancel."""
    explorer = make(held, np.random.default_rng(0).normal(size=(140, 12)))
    assert held.waits.wait(SOON)
    assert ask(explorer, type="cancel")[0]["type"] == "result"
    held.gate.set()
    wait_until(lambda: explorer._status["state"] == "cancelled")
    assert (explorer._status["done"], explorer._status["n_rows"]) == (0, None)
