"""Faults of threads and processes, and of models in an explorer: each becomes an error, and the explorer goes on."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from pathlib import Path

import nbformat
import numpy as np
import pytest
from kernel_end import SECONDS, Model, ask, observations, reply_to, wait_until
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from pandas.testing import assert_frame_equal
from polars.exceptions import PanicException

import ice_explorer as ice
from ice_explorer import errors
from ice_explorer.feature import FeatureExplanation
from ice_explorer.widget import explorer as explorer_module
from ice_explorer.widget.background import Background

ENDS = [KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError, PanicException]
CURVES = {"type": "curves", "max_lines": 10, "selection": []}


# --- models ---------------------------------------------------------------------------------------


def test_a_model_that_fails_for_some_phantom_observations_is_an_error_and_resume_computes_the_rest(make, caplog):
    """The page and every accessor have the message with feature, grid value and row; the log has the traceback."""
    model, X = Model(fails_where=lambda X: (X["bend"] > 1.5).any() and len(X) > 2), observations()
    explorer = make(model, X)
    with pytest.raises(errors.PredictionError) as caught:
        _ = explorer.table
    message = str(caught.value)
    assert message.startswith("The model failed on phantom observations of ")
    assert "ValueError: out of range. Limit the grid with `grid=`, or leave the feature out" in message
    assert str(caught.value.__cause__) == "out of range"
    assert (explorer._status["state"], explorer._status["message"]) == ("error", message)
    assert "Traceback" in caplog.text
    for accessor in ("explanation", "selected"):
        with pytest.raises(errors.PredictionError):
            getattr(explorer, accessor)
    model.fails_where = None
    assert ask(explorer, type="resume")[0]["type"] == "result"
    assert_frame_equal(explorer.explanation.table(), ice.explain(Model(), X, progress=False).table())


class Ending:
    """A model that raises on phantom observations of its third column, until it is mended."""

    def __init__(self, kind):
        self.kind = kind
        self.is_mended = False

    def predict(self, X):
        if not self.is_mended and len(X) >= 40 > 4 * len(np.unique(X[:, 2])):
            raise self.kind("enough")
        return X @ [1.0, 2.0, 3.0] + X[:, 0] ** 2


@pytest.mark.parametrize("kind", ENDS)
def test_a_model_that_raises_what_is_no_exception_is_an_error_and_resume_computes_the_rest(make, kind):
    """Reading raises, the page gets the message and a reply to its request."""
    model = Ending(kind)
    explorer = make(model, np.random.default_rng(1).normal(size=(40, 3)), grid="quantile", grid_size=5)
    message = (
        f"A model must return numbers or raise an Exception; computing 'x2' ended with {kind.__name__}: enough. "
        f"Wrap the model in a function that catches {kind.__name__} and raises a RuntimeError."
    )
    with pytest.raises(errors.ICEExplorerError) as caught:
        _ = explorer.explanation
    assert (str(caught.value), type(caught.value.__cause__)) == (message, kind)
    wait_until(lambda: explorer._status["state"] == "error")
    assert (explorer._status["message"], explorer._status["done"]) == (message, 2)
    assert ask(explorer, "1", feature="x2", **CURVES)[0] == {"id": "1", "type": "error", "message": message}
    model.is_mended = True
    ask(explorer, "2", type="resume")
    assert len(explorer.explanation.features) == 3


def test_a_model_that_fails_late_in_a_notebook_run_by_a_program_fails_the_constructor(make, monkeypatch):
    """Nobody reads the status there; the explorer is closed."""
    monkeypatch.setattr(explorer_module, "is_unattended", lambda: True)
    model = Model(fails_where=lambda X: len(X) > 2)
    with pytest.raises(errors.PredictionError, match="ValueError: out of range"):
        make(model, observations())
    wait_until(lambda: not any(thread.name == "ice-explorer" for thread in threading.enumerate()))


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
    ("error", "message"),
    [
        ("ValueError('too late')", "The model failed on phantom observations of 'x2'"),
        ("SystemExit(3)", "A model must return numbers or raise an Exception; computing 'x2' ended with SystemExit: 3"),
    ],
)
def test_a_model_that_fails_late_in_a_notebook_run_by_a_program_fails_the_cell(tmp_path, monkeypatch, error, message):
    """The cell that makes the explorer has the error, and no later cell runs."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / ".ipython"))
    cells = [nbformat.v4.new_code_cell(code) for code in (LATE.format(error=error), "x")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    with pytest.raises(CellExecutionError) as caught:
        NotebookClient(notebook, timeout=50).execute()
    assert message in str(caught.value)
    (output,) = [output for output in notebook.cells[0].outputs if output["output_type"] == "error"]
    assert message in output["evalue"]
    assert notebook.cells[1].execution_count is None


# --- threads --------------------------------------------------------------------------------------


@pytest.fixture
def held():
    """A model whose calls wait until `held.gate` is set."""
    model = Model(is_held=True)
    yield model
    model.gate.set()


@pytest.mark.parametrize("what_notices", ["reading", "a request"])
def test_a_background_thread_that_ends_without_an_exception_is_an_error_and_resume_starts_another(
    make, held, what_notices
):
    """Reading raises, a waiting request is refused, and a later request is answered all the same."""
    explorer = make(held, observations())
    background = explorer._background
    wait_until(lambda: background.snapshot().current == "slope")
    lost = threading.Thread(target=lambda: None)
    lost.start()
    lost.join()
    explorer.comm.receive({"method": "custom", "content": {"id": "waiting", "feature": "flag", **CURVES}})
    living, background._computing.thread = background._computing.thread, lost
    if what_notices == "a request":
        explorer.comm.receive({"method": "custom", "content": {"id": "late", "feature": "bend", **CURVES}})
    message = (
        "The thread of an explorer must live until all features are computed; it ended while computing 'slope', "
        'as threads do in a forked process. Press "Resume" in the explorer, or make it again.'
    )
    with pytest.raises(errors.ICEExplorerError) as caught:
        _ = explorer.table
    assert str(caught.value) == message
    assert reply_to(explorer.comm, "waiting")[0] == {"id": "waiting", "type": "error", "message": message}
    held.gate.set()
    living.join(SECONDS)
    if what_notices == "a request":
        assert reply_to(explorer.comm, "late")[0]["type"] == "result"
    ask(explorer, type="resume")
    assert len(explorer.table) == 3


@pytest.mark.parametrize("kind", [*ENDS, ZeroDivisionError])
def test_a_request_handler_that_raises_is_answered_with_the_error_and_the_thread_survives(
    make, monkeypatch, caplog, kind
):
    """One reply with the reason; the traceback is in the log."""

    def broken(*_arguments, **_order):
        raise kind("enough")

    explorer = make(Model(), observations())
    assert explorer.explanation
    with monkeypatch.context() as patch:
        patch.setattr("ice_explorer.wire.replies.describe_rows", broken)
        reply, _ = ask(explorer, "a", type="rows", positions=[0])
    assert (reply["type"], "enough" in reply["message"]) == ("error", True)
    if kind is ZeroDivisionError:
        assert reply["message"] == "ZeroDivisionError: enough"
        assert "Traceback" in caplog.text
    assert ask(explorer, "b", type="rows", positions=[0])[0]["type"] == "result"
    custom = [sent["data"]["content"]["id"] for sent in explorer.comm.sent if sent["data"]["method"] == "custom"]
    assert custom == ["a", "b"]


@pytest.mark.parametrize("kind", [*ENDS, RuntimeError])
def test_an_observer_that_raises_is_logged_and_the_computation_continues(make, held, caplog, kind):
    """Also where what it raises would end a program."""
    explorer = make(held, observations())

    def observer(_change):
        if threading.current_thread().name == "ice-explorer":
            raise kind

    explorer.observe(observer, "_status")
    held.gate.set()
    wait_until(lambda: "A status update could not be sent." in caplog.text)
    assert len(explorer.explanation.features) == 3


def test_ctrl_c_while_waiting_for_a_result_stops_the_wait_and_not_the_computation(make, held, monkeypatch):
    """The next read has the result."""
    explorer = make(held, observations())
    interruptions = iter([KeyboardInterrupt])
    wait = threading.Condition.wait

    def interrupted(condition, timeout=None):
        if threading.current_thread() is threading.main_thread():
            for interruption in interruptions:
                raise interruption
        return wait(condition, timeout)

    monkeypatch.setattr(threading.Condition, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _ = explorer.table
    held.gate.set()
    assert len(explorer.table) == 3


def test_without_threads_the_caller_computes(make, monkeypatch):
    """As in Python inside a browser: the explorer is ready when it is made, and a request is answered at once."""

    def refuse(_thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    X = observations()
    explorer = make(Model(), X)
    assert (explorer._status["state"], explorer._status["done"]) == ("ready", 3)
    assert_frame_equal(explorer.explanation.table(), ice.explain(Model(), X, progress=False).table())
    for number, request in enumerate(({"feature": "bend", **CURVES}, {"type": "cancel"}, {"type": "resume"})):
        explorer.comm.receive({"method": "custom", "content": {"id": str(number), **request}})
        assert explorer.comm.sent[-1]["data"]["content"]["id"] == str(number)
        assert explorer.comm.sent[-1]["data"]["content"]["type"] == "result"
    assert explorer._status["state"] == "ready"


# --- processes ------------------------------------------------------------------------------------


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
ready = ice.ICEExplorer(held, X, method="brute", grid_size=8)
ready.explanation
failed = 0
for _ in range({n_forks}):
    x = ice.ICEExplorer(held, X, method="brute")
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
@pytest.mark.parametrize("n_forks", [pytest.param(1, marks=pytest.mark.wide), pytest.param(10, marks=pytest.mark.slow)])
def test_after_a_fork_locks_are_free_in_the_child_and_its_unfinished_computations_can_be_resumed(n_forks):
    """The fork comes while the explorer computes and other threads take its locks."""
    script = FORKED.format(tests=str(Path(__file__).parents[1]), n_forks=n_forks)
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script],
        capture_output=True, text=True, timeout=55, check=False,
    )  # fmt: skip
    assert (done.stdout.split("\n")[-2:], done.stderr) == (["failed 0", ""], "")


@pytest.mark.skipif(not hasattr(os, "fork") or sys.version_info >= (3, 12), reason="there is no such lock")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_after_a_fork_the_locks_of_cached_properties_are_free_in_the_child():
    """Also while a thread of the parent, which the child does not have, computes such a property."""
    lock = vars(FeatureExplanation)["_own_metrics"].lock
    taken, done = threading.Event(), threading.Event()

    def hold():
        with lock:
            taken.set()
            done.wait(SECONDS)

    thread = threading.Thread(target=hold)
    thread.start()
    assert taken.wait(SECONDS)
    child = os.fork()
    if child == 0:
        os._exit(not vars(FeatureExplanation)["_own_metrics"].lock.acquire(timeout=1.0))
    _, status = os.waitpid(child, 0)
    done.set()
    thread.join()
    assert status == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_thread_that_is_about_to_begin_is_lost_in_a_forked_process(monkeypatch):
    """It has no identity yet by which the child could see that it is not there."""
    is_starting, done = threading.Event(), threading.Event()
    start = threading.Thread.start

    def start_late(thread):
        if thread.name == "ice-explorer":
            is_starting.set()
            done.wait(SECONDS)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_late)
    background = Background("a", str.upper, lambda: None)
    starter = threading.Thread(target=background.start)
    starter.start()
    assert is_starting.wait(SECONDS)
    child = os.fork()
    if child == 0:
        os._exit(background.snapshot().state != "error")
    _, status = os.waitpid(child, 0)
    done.set()
    starter.join()
    assert status == 0
    assert background.wait().results == {"a": "A"}


@pytest.mark.wide
def test_a_script_that_ends_during_a_computation_exits_without_a_message():
    """The background thread does not keep the process, and prints nothing while the interpreter is torn down."""
    script = """
import threading
from ice_explorer.widget.background import Background
from ice_explorer.locks import checkpoint

is_inside = threading.Event()

def compute(name):
    is_inside.set()
    while True:
        checkpoint()
        is_inside.wait(0.001)

Background("abc", compute, lambda: None).start()
is_inside.wait()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=55, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
