"""Explorers that a run of their cell replaced: what pauses, what is released, and what continues."""

from __future__ import annotations

import gc
import itertools
import logging
import threading
import time
import weakref

import comm
import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display
from ipywidgets import VBox
from kernel_end import Wire
from traitlets.config import Config

import ice_explorer as ice
from ice_explorer.widget.lifetime import registry

SOON = 20.0
MAKE = "x = ice.ICEExplorer(model, X, engine='brute', **options)\nx"


class Notebook:
    """Cells that IPython runs, as a kernel does for a page."""

    def __init__(self, names):
        config = Config()
        config.HistoryManager.enabled = False
        InteractiveShell.clear_instance()
        self.shell = InteractiveShell.instance(config=config, user_ns=names)
        self._runs = itertools.count()

    def run(self, cell, code, **metadata):
        """Run code as a cell of this ID; without one, the host of the notebook names no cells."""
        header = {"msg_id": f"run {next(self._runs)}"}
        named = {} if cell is None else {"cellId": cell}
        self.shell.get_parent = lambda: {"header": header, "metadata": {**named, **metadata}}
        result = self.shell.run_cell(code, store_history=True)
        result.raise_error()
        return result.result

    def __getitem__(self, name):
        return self.shell.user_ns[name]


class Model:
    """Counts its calls; while it is held, those in the background take long."""

    def __init__(self):
        self.gate = threading.Event()
        self.gate.set()
        self.n_calls = 0

    def __call__(self, X):
        self.n_calls += 1
        if threading.current_thread().name == "ice-explorer":
            self.gate.wait(0.2)  # no longer: the next explorer of this model waits for its turn
        time.sleep(0.01)
        return X[:, 0] * X[:, 1] + X[:, 2]


@pytest.fixture
def model():
    model = Model()
    yield model
    model.gate.set()


@pytest.fixture
def held(model):
    model.gate.clear()
    return model


@pytest.fixture
def notebook(monkeypatch, model, capsys):
    """A notebook with what its cells need; every explorer left over is closed."""
    monkeypatch.setattr(comm, "create_comm", Wire)
    before = set(registry())
    X = np.random.default_rng(0).normal(size=(60, 3))
    names = {"ice": ice, "model": model, "X": X, "display": display, "VBox": VBox, "options": {}, "kept": []}
    yield Notebook(names)
    for widget in [one for model_id, one in registry().items() if model_id not in before]:
        widget.close()
    InteractiveShell.clear_instance()
    capsys.readouterr()


def threads():
    return [thread for thread in threading.enumerate() if thread.name == "ice-explorer"]


def wait_until(condition):
    deadline = time.monotonic() + SOON
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def tell(explorer, state, view="a"):
    """Report a view to the kernel, as a page does."""
    explorer.comm.receive({"method": "custom", "content": {"id": "a", "type": "view", "view": view, "state": state}})


def is_paused(explorer):
    return explorer._background._is_paused


def test_a_cell_that_runs_again_leaves_one_thread(notebook, held):
    """Five runs of a cell leave one thread, and the calls of the model are those of one explorer, but for a few."""
    notebook.shell.user_ns["X"] = X = np.random.default_rng(0).normal(size=(60, 20))
    alone = Model()
    with_one = ice.ICEExplorer(alone, X, engine="brute")
    with_one.explanation  # noqa: B018 - waits for it
    with_one.close()

    for _ in range(4):
        notebook.run("cell", MAKE)
    held.gate.set()
    wait_until(lambda: len(threads()) <= 1)
    held.n_calls = 0
    notebook.run("cell", MAKE)
    notebook["x"].explanation  # noqa: B018 - waits for it
    assert held.n_calls <= alone.n_calls + 4  # begun before
    wait_until(lambda: threads() == [])


def test_fifty_runs_leave_what_one_leaves(notebook):
    """However often a cell runs, one explorer with its layout is open; the others need no collector to go."""
    notebook.run("cell", MAKE)
    after_one = set(registry())
    made = []
    gc.disable()
    try:
        for _ in range(50):
            notebook.run("cell", MAKE)
            made.append(weakref.ref(notebook["x"]))
            notebook["x"].explanation  # noqa: B018 - so that there are results to release
        wait_until(lambda: [reference() is None for reference in made] == [True] * 49 + [False])
    finally:
        gc.enable()
    assert len(registry()) == len(after_one)


def test_a_result_without_a_name_is_let_go(notebook):
    """An explorer that is only the result of its cell leaves IPython's cache of results with the next run."""
    first = weakref.ref(notebook.run("cell", "ice.ICEExplorer(model, X, engine='brute')"))
    assert first() is notebook["_"]
    notebook.run("cell", "ice.ICEExplorer(model, X, engine='brute')")
    notebook.run("other", "1")
    gc.collect()
    assert first() is None
    assert len(notebook["Out"]) == 2  # its own, and 1
    assert notebook["_"] == 1


def test_a_name_assigned_in_another_cell_replaces(notebook, model):
    """Where the cell of the old explorer has been deleted and its variable is another's, it is released."""
    notebook.run("first", MAKE)
    first = weakref.ref(notebook["x"])
    notebook.run("second", MAKE)
    assert not is_paused(first())  # the first cell still shows it
    notebook.run("third", "1", deletedCells=["first"])
    gc.collect()
    assert first() is None


@pytest.mark.parametrize(
    ("first", "again"),
    [
        pytest.param(MAKE, "1", id="the variable holds it"),
        pytest.param(MAKE + "; y = x", MAKE, id="another variable holds it"),
        pytest.param("ice.ICEExplorer(model, X, engine='brute')", None, id="never replaced"),
    ],
)
def test_what_was_not_replaced_goes_on(notebook, held, first, again):
    """An explorer that a variable holds, or whose cell did not run again, goes on, views or none."""
    notebook.run("cell", first)
    made = [one for one in registry().values() if isinstance(one, ice.ICEExplorer)][-1]
    tell(made, "shown")
    tell(made, "removed")
    if again is not None:
        notebook.run("cell", again)
    notebook.run("other", "1")
    assert not is_paused(made)


def test_what_another_cell_displays_goes_on(notebook, held):
    """A replaced explorer goes on while another cell displays it, until that one runs again."""
    notebook.run("cell", MAKE)
    first = notebook["x"]
    notebook.run("other", "display(x)")
    notebook.run("cell", MAKE)
    assert not is_paused(first)
    notebook.run("other", "display(x)")
    assert is_paused(first)


def test_what_a_page_shows_goes_on(notebook, held):
    """A view in a page, as in a container or another tab, keeps a replaced explorer going until it is removed."""
    notebook.run("cell", MAKE)
    first = notebook["x"]
    tell(first, "shown", "one")
    tell(first, "shown", "two")
    notebook.run("cell", MAKE)
    assert not is_paused(first)
    tell(first, "removed", "one")
    assert not is_paused(first)
    tell(first, "removed", "two")
    assert is_paused(first)


def test_a_page_that_is_left_lets_nothing_go(notebook, held):
    """While a page is loaded anew no view is there; what is replaced goes on when the page shows it again."""
    notebook.run("cell", "x = ice.ICEExplorer(model, X, engine='brute'); kept.append(x); box = VBox([x]); box")
    first = notebook["x"]
    tell(first, "shown")
    notebook.run("cell", MAKE)
    tell(first, "left")
    assert not is_paused(first)
    notebook.run("other", "1")
    assert is_paused(first)
    tell(first, "shown", "again")
    assert not is_paused(first)
    assert registry()[first.model_id] is first


def test_an_explorer_that_is_asked_goes_on(notebook, held):
    """What is kept in a list pauses when its cell runs again, and computes when its result is read."""
    notebook.run("cell", MAKE + "; kept.append(x)")
    notebook.run("cell", MAKE)
    first = notebook["kept"][0]
    assert is_paused(first)
    assert first._status["state"] == "computing"
    held.gate.set()
    wait_until(lambda: first._background._thread is None)
    assert len(first._known.features) < 3
    assert len(first.explanation) == 3
    assert first._known is not None


def test_an_explorer_that_is_displayed_again_goes_on(notebook, held):
    """Displayed in another cell, an explorer that has paused computes to its end, and is kept."""
    notebook.run("cell", MAKE + "; kept.append(x)")
    notebook.run("cell", MAKE)
    held.gate.set()
    first = weakref.ref(notebook["kept"][0])
    notebook.run("other", "display(kept.pop())")
    wait_until(lambda: first()._status["state"] == "ready")
    gc.collect()
    assert first() is not None


def test_cells_without_names(notebook, held):
    """Where the host names no cells, a variable assigned anew replaces once the pages have removed its views."""
    notebook.run(None, MAKE)
    first = notebook["x"]
    notebook.run(None, MAKE)
    assert not is_paused(first)  # a page may be about to show it
    tell(first, "shown")
    tell(first, "removed")
    assert is_paused(first)


def test_without_ipython_explorers_are_kept(make, model):
    """In a script nothing tells of replacing, so an explorer that no variable holds computes to its end."""
    explorer = make(model, np.random.default_rng(0).normal(size=(60, 3)), engine="brute")
    tell(explorer, "shown")
    tell(explorer, "removed")
    assert not is_paused(explorer)
    assert registry()[explorer.model_id] is explorer


def test_a_host_that_closes_the_connection_lets_go(make, held):
    """Where IPython runs no cells, an explorer whose connection is closed pauses, and goes with its last reference."""
    explorer = ice.ICEExplorer(held, np.random.default_rng(0).normal(size=(60, 3)), engine="brute")
    explorer.comm.close()
    assert is_paused(explorer)
    model_id, reference = explorer.model_id, weakref.ref(explorer)
    held.gate.set()
    assert len(explorer.explanation) == 3
    wait_until(lambda: threads() == [])
    del explorer
    assert reference() is None
    assert model_id not in registry()


def test_a_layout_that_others_use_stays_open(make):
    """Closing closes the explorer's own layout, and none that another widget shares."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    one, other = make(Model(), X), make(Model(), X)
    other.layout.close()
    other.layout = layout = one.layout
    one.close()
    assert layout.comm is not None
    other.close()
    assert layout.comm is None


def test_nothing_is_logged(notebook, caplog):
    """Explorers that come and go leave no line in the log."""
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            notebook.run("cell", MAKE)
        notebook["x"].explanation  # noqa: B018 - waits for it
    assert caplog.records == []
