"""Every end has a word: models that raise what is no Exception, runs that nobody watches, forked processes."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import comm
import nbformat
import numpy as np
import pytest
from kernel_end import Wire
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from polars.exceptions import PanicException

import ice_explorer as ice
from ice_explorer.errors import ComputationError
from ice_explorer.results.feature_explanation import FeatureResult

SOON = 20.0
ENDS = [KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError, PanicException]


def observations():
    return np.random.default_rng(1).normal(size=(40, 3))


class Ending:
    """A model that ends on phantoms of its third column, until it is mended."""

    def __init__(self, kind):
        self.kind = kind
        self.is_mended = False

    def predict(self, X):
        if not self.is_mended and len(X) >= 40 > 4 * len(np.unique(X[:, 2])):
            raise self.kind("enough")
        return X @ [1.0, 2.0, 3.0] + X[:, 0] ** 2


def soon(condition):
    deadline = time.monotonic() + SOON
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture
def wires(monkeypatch):
    made = []

    def make(**options):
        made.append(Wire(**options))
        return made[-1]

    monkeypatch.setattr(comm, "create_comm", make)
    return made


@pytest.mark.parametrize("kind", ENDS)
def test_a_model_that_raises_no_exception_is_an_error_of_the_explorer(wires, caplog, kind):
    """Reading raises, the page gets the sentence and a reply to what it asked, and the explorer can go on."""
    model = Ending(kind)
    with closing(ice.ICEExplorer(model, observations(), grid="quantile", grid_size=5)) as explorer:
        sentence = (
            f"A model must return numbers or raise an Exception; computing 'x2' ended with {kind.__name__}: enough. "
            f"Wrap the model in a function that catches {kind.__name__} and raises a RuntimeError."
        )
        with pytest.raises(ComputationError) as caught:
            explorer.explanation  # noqa: B018 - waits for it
        assert str(caught.value) == sentence
        soon(lambda: explorer._status["state"] == "error")
        assert (explorer._status["message"], explorer._status["done"]) == (sentence, 2)
        wire = next(wire for wire in wires if wire.comm_id == explorer.comm.comm_id)
        ask = {"id": "1", "type": "curves", "feature": "x2", "max_lines": 10, "selection": []}
        wire.receive({"method": "custom", "content": ask})
        reply = wire.wait_for(lambda message: message["data"].get("content", {}).get("id") == "1")["data"]["content"]
        assert reply == {"id": "1", "type": "error", "message": sentence}
        model.is_mended = True
        wire.receive({"method": "custom", "content": {"id": "2", "type": "resume"}})
        assert len(explorer.explanation.features) == 3


LATE = """\
import numpy as np, ice_explorer as ice
def late(rows):
    if len(rows) >= 80 > 4 * len(np.unique(rows[:, 2])):
        raise {error}
    return rows[:, 0]
x = ice.ICEExplorer(late, np.random.default_rng(1).normal(size=(80, 3)), grid="quantile", grid_size=5)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (
            LATE.format(error="ValueError('too late')"),
            "The model failed on phantom observations of 'x2'",
        ),
        (
            LATE.format(error="SystemExit(3)"),
            "A model must return numbers or raise an Exception; computing 'x2' ended with SystemExit: 3.",
        ),
    ],
)
def test_a_failure_fails_the_cell_of_a_notebook_that_a_program_runs(tmp_path, monkeypatch, code, sentence):
    """What fails late fails in the cell that makes the explorer, in words, and no later cell runs."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / ".ipython"))
    cells = [nbformat.v4.new_code_cell(code), nbformat.v4.new_code_cell("x")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    with pytest.raises(CellExecutionError) as caught:
        NotebookClient(notebook, timeout=120).execute()
    assert sentence in str(caught.value)
    (output,) = [output for output in notebook.cells[0].outputs if output["output_type"] == "error"]
    assert sentence in output["evalue"]
    assert notebook.cells[1].execution_count is None


FORKED = """\
import os, sys, threading, time
import numpy as np
import comm
sys.path.insert(0, {tests!r})
from kernel_end import Wire
comm.create_comm = Wire
import ice_explorer as ice
from ice_explorer.errors import ICEExplorerError

gate = threading.Event()

def held(rows):
    if len(rows) > 60:
        gate.wait(0.002)
    return rows[:, 0] * rows[:, 1]

X = np.random.default_rng(1).normal(size=(60, 4))
ready = ice.ICEExplorer(held, X, engine="brute", grid_size=8)
ready.explanation
failed = 0
for _ in range(10):
    x = ice.ICEExplorer(held, X, engine="brute")
    threads = [
        threading.Thread(target=lambda: [x._publish() or x._background.snapshot() for _ in range(200)], daemon=True)
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    child = os.fork()
    if child == 0:
        try:
            x.decay = 0.5
            x.state()
            repr(x)
            try:
                x.explanation
            except ICEExplorerError as error:
                assert "as threads do in a forked process" in str(error), error
                x._background.resume()
                x.explanation
            ready.table
            x.close()
            again = ice.ICEExplorer(held, X, grid_size=4)
            again.table
            sys.exit(0)
        except SystemExit:
            raise
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(4)
    deadline = time.monotonic() + 20
    done = 0
    while not done and time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        time.sleep(0.005)
    if not done:
        os.kill(child, 9)
        os.waitpid(child, 0)
    failed += not done or status != 0
    x.close()
print("failed", failed)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_does_not_hang():
    """While the explorer computes and its locks are taken: what it can do it does, the rest raises."""
    script = FORKED.format(tests=str(Path(__file__).parent))
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert (done.stdout.split("\n")[-2], done.stderr) == ("failed 0", "")


@pytest.mark.skipif(not hasattr(os, "fork") or sys.version_info >= (3, 12), reason="there is no such lock")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_can_take_the_locks_of_cached_properties():
    """While a thread of the parent computes such a property: it is not there in the child to release the lock."""
    lock = vars(FeatureResult)["_own_metrics"].lock
    taken, done = threading.Event(), threading.Event()

    def hold():
        with lock:
            taken.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    taken.wait()
    child = os.fork()
    if child == 0:
        os._exit(not vars(FeatureResult)["_own_metrics"].lock.acquire(timeout=1.0))
    _, status = os.waitpid(child, 0)
    done.set()
    thread.join()
    assert status == 0
