"""What makes curves differ, asked for by a browser: the reply, when it is computed, and what does not wait for it."""

from __future__ import annotations

import threading

import numpy as np
import pandas as pd
import pytest
from kernel_end import SECONDS, ask, reply_to, wait_until

import ice_explorer as ice
from ice_explorer.errors import Cancelled
from ice_explorer.locks import checkpoint
from ice_explorer.widget.background import Background
from ice_explorer.wire.replies import describe_colors


class Model:
    """A product of three columns, called through a gate."""

    def __init__(self):
        self.gate = threading.Event()
        self.gate.set()
        self.n_calls = 0

    def __call__(self, X):
        self.n_calls += 1
        assert self.gate.wait(SECONDS)
        return (X["one"] * (X["two"] > 0) * (1 + (X["three"] > 0))).to_numpy(dtype=float)


@pytest.fixture(name="X")
def observations():
    generator = np.random.default_rng(0)
    return pd.DataFrame(generator.normal(size=(60, 3)), columns=["one", "two", "three"])


def send(explorer, request_id, **request):
    explorer.comm.receive({"method": "custom", "content": {"id": request_id, **request}})


def test_the_browser_is_told_what_makes_curves_differ(make, X):
    """The same as from Python, the best first, found once for all requests."""
    model = Model()
    explorer = make(model, X, method="brute")
    table = explorer.explanation.drivers("one")
    n_calls = model.n_calls
    body = ask(explorer, "a", type="drivers", feature="one")[0]["body"]
    assert [driver["column"] for driver in body["drivers"]] == ["two"] == list(table["feature"][table["share"] >= 0.05])
    best = body["drivers"][0]
    assert [best[name] for name in ("column", "rule", "share", "n_rule", "n_rest")] == table.iloc[0].tolist()
    assert explorer.explanation["one"].drivers_summary.startswith(body["lead"].removesuffix("."))
    assert (body["n_rows"], body["n_curves"]) == (60, 60)
    assert model.n_calls == n_calls


def test_curves_do_not_wait_for_drivers(make, X):
    """Curves that are requested while drivers are being found come before them."""
    model = Model()
    explorer = make(model, X, method="brute", memory_limit="20kB")
    assert explorer.explanation
    model.gate.clear()
    send(explorer, "drivers", type="drivers", feature="one")
    send(explorer, "curves", type="curves", feature="two", max_lines=5, selection=[])
    model.gate.set()
    reply_to(explorer.comm, "drivers")
    custom = [message["data"]["content"] for message in explorer.comm.sent if message["data"]["method"] == "custom"]
    assert [reply["id"] for reply in custom] == ["curves", "drivers"]


def test_closing_ends_the_search(make, X):
    """A waiting thread gets Cancelled; the model is released."""
    model = Model()
    explorer = make(model, X, method="brute", memory_limit="20kB")
    assert explorer.explanation
    wire = explorer.comm
    model.gate.clear()
    n_calls = model.n_calls
    send(explorer, "drivers", type="drivers", feature="one")
    wait_until(lambda: model.n_calls > n_calls)
    explorer._background.close()
    model.gate.set()
    assert reply_to(wire, "drivers")[0] == {"id": "drivers", "type": "cancelled"}


def test_a_long_answer_lets_others_come_between():
    """In the thread, questions that were asked since are answered; after the end the long answer is over, too."""
    background = Background(["a"], str.upper, lambda: None)
    got, done = [], threading.Event()

    def long(result):
        background.ask("a", lambda other: got.append(f"short {other}"), got.append)
        checkpoint()
        got.append(f"long {result}")
        background.close()
        with pytest.raises(Cancelled):
            checkpoint()
        done.set()

    background.ask("a", long, got.append)
    assert done.wait(SECONDS)
    assert got == ["short A", "long A"]


def test_levels_of_a_rule_are_told_apart_however_rare():
    """They have a level each besides the most frequent ones, in the order of the column."""
    values = [letter for n, letter in enumerate("abcdefghijkl") for _ in range(20 - n)]
    column = ice.explain(lambda X: np.arange(len(X)) * 0.0, pd.DataFrame({"t": values}), progress=False)._column("t")
    rows = range(len(values))
    body = describe_colors(column, rows, ["j", "l"])
    assert body.scale.levels == [*"abcdefgh", "j", "l", "other"]
    assert body.scale.counts[-1] == 12 + 10
    levels = np.array(body.scale.levels)[body.values.astype(int)]
    assert levels.tolist() == [value if value not in {"i", "k"} else "other" for value in values]


def test_a_ramp_knows_its_median():
    """The lower median, an observed value, missing ones aside."""
    column = pd.DataFrame({"t": [9.0, 1, 2, 3, np.nan, 5, 7, 8, 6]})
    body = describe_colors(ice.explain(lambda X: X["t"].fillna(0), column, progress=False)._column("t"), [0])
    assert body.scale.median == 5.0
