"""The kernel's end of the connection to a browser, without a kernel, and what tests of explorers share.

`Wire` stands in for the comm, so that everything above it is the code users run: ipywidgets'
syncing, the dispatcher, the background thread.
"""

from __future__ import annotations

import threading
import time
import uuid
from contextlib import contextmanager
from pathlib import PurePosixPath

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

SECONDS = 20.0  # no test waits longer for another thread
_SECONDS_TO_HOLD_A_POLL = 10.0


class Wire:
    """A comm that keeps what the kernel sent and hands it what the browser sent."""

    kernel = "stand-in"

    def __init__(self, *, data, buffers=None, comm_id=None, **_rest):
        self.comm_id = comm_id or uuid.uuid4().hex
        self.opening = {"data": {"method": "update", **data}, "buffers": list(buffers or [])}
        self.sent = []
        self.arrived = threading.Condition()
        self._receive = None

    def send(self, data=None, metadata=None, buffers=None):
        with self.arrived:
            self.sent.append({"data": data, "buffers": list(buffers or [])})
            self.arrived.notify_all()

    def on_msg(self, receive):
        self._receive = receive

    def close(self, **_rest):
        self.send({"method": "close"})

    def receive(self, data, buffers=()):
        """Deliver a message of the browser's to the kernel side."""
        self._receive({"content": {"data": data}, "buffers": list(buffers)})

    def wait_for(self, condition, seconds=SECONDS):
        """Return the first message kept that meets the condition."""
        with self.arrived:
            found = self.arrived.wait_for(lambda: [message for message in self.sent if condition(message)], seconds)
        assert found, f"no such message among {len(self.sent)}"
        return found[0]

    def after(self, seen):
        """Messages beyond the first `seen`; waits a while for one."""
        with self.arrived:
            self.arrived.wait_for(lambda: len(self.sent) > seen, _SECONDS_TO_HOLD_A_POLL)
            return self.sent[seen:]


def ask(explorer, request_id="a", **request):
    """Send a request and return its reply."""
    explorer.comm.receive({"method": "custom", "content": {"id": request_id, **request}})
    return reply_to(explorer.comm, request_id)


def reply_to(wire, request_id):
    """Wait for the reply to a request: its content, with arrays in the body, and its buffers."""
    message = wire.wait_for(lambda message: message["data"].get("content", {}).get("id") == request_id)
    content, buffers = message["data"]["content"], message["buffers"]
    return {**content, **({"body": unpacked(content["body"], buffers)} if "body" in content else {})}, buffers


def unpacked(value, buffers):
    """Return the body of a reply with arrays in their places, as the page reads it."""
    if isinstance(value, list):
        return [unpacked(each, buffers) for each in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"dtype", "shape", "buffer"}:
        return np.frombuffer(buffers[value["buffer"]], value["dtype"]).reshape(value["shape"])
    return {name: unpacked(entry, buffers) for name, entry in value.items()}


def assert_alike(one, other, at=""):
    """Compare nested JSON; numbers to the last bits, which another version of numpy may turn."""
    assert type(one) is type(other), at
    if isinstance(one, dict):
        assert list(one) == list(other), at
        for key in one:
            assert_alike(one[key], other[key], f"{at}.{key}")
    elif isinstance(one, list):
        assert len(one) == len(other), at
        for index, (first, second) in enumerate(zip(one, other, strict=True)):
            assert_alike(first, second, f"{at}[{index}]")
    elif isinstance(one, np.ndarray):
        assert_allclose(one, other, rtol=1e-6, atol=1e-6, err_msg=at)
    elif isinstance(one, float):
        assert_allclose(one, other, rtol=1e-9, atol=1e-9, err_msg=at)
    else:
        assert one == other, at


def set_from_page(explorer, **state):
    """Set traits as a page does. Return the states that the explorer sends back, and its other messages."""
    n_sent = len(explorer.comm.sent)
    explorer.comm.receive({"method": "update", "state": state, "buffer_paths": []})
    sent = [message["data"] for message in explorer.comm.sent[n_sent:]]
    states = [data["state"] | {name: "bytes" for (name,) in data["buffer_paths"]} for data in sent if "state" in data]
    return states, [data["content"] for data in sent if data["method"] == "custom"]


def wait_until(condition):
    """Wait for what another thread brings about, and return it."""
    deadline = time.monotonic() + SECONDS
    while not (result := condition()):
        assert time.monotonic() < deadline, "what the test waits for has not happened"
        time.sleep(0.002)
    return result


def threads():
    """Return the threads in which explorers compute."""
    return [thread for thread in threading.enumerate() if thread.name == "ice-explorer"]


@contextmanager
def warns(match):
    """Expect a warning about a saved state; filters of warnings are those of all threads, so none may compute."""
    wait_until(lambda: not threads())
    with pytest.warns(UserWarning, match=match) as caught:
        yield caught


class Model:
    """A regressor whose calls can be held (but for the first, when an explorer is made), counted and made to fail."""

    def __init__(self, *, is_held=False, fails_where=None):
        self.gate = threading.Event()
        self.fails_where = fails_where
        self.n_calls = self.concurrent = self.most_concurrent = 0
        if not is_held:
            self.gate.set()

    def predict(self, X):
        self.concurrent += 1
        self.most_concurrent = max(self.most_concurrent, self.concurrent)
        try:
            self.n_calls += 1
            assert self.n_calls == 1 or self.gate.wait(SECONDS)
            if self.fails_where is not None and self.fails_where(X):
                raise ValueError("out of range")
            return (X["slope"] * 3 + X["bend"] ** 2 + X["flag"] * X["slope"]).to_numpy()
        finally:
            self.concurrent -= 1


def observations():
    """Forty rows of three features and a column of objects that cannot be placed on an axis."""
    generator = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "slope": generator.normal(size=40),
            "bend": np.round(generator.normal(size=40), 1),
            "flag": generator.integers(0, 2, size=40).astype(bool),
            "town": [PurePosixPath(name) for name in generator.choice(["Ur", "Uruk", "Eridu"], size=40)],
        },
        index=[f"row {i}" for i in range(40)],
    )
