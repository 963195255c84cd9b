"""Faults of cells and pages: cells that run again, explorers that are closed, a front end that is not there."""

from __future__ import annotations

import gc
import itertools
import logging
import threading
import weakref

import comm
import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display
from ipywidgets import VBox
from kernel_end import SECONDS, Wire, ask, observations, reply_to, threads, wait_until
from kernel_end import Model as Regressor
from traitlets.config import Config

import ice_explorer as ice
from ice_explorer import errors
from ice_explorer.locks import find_model_lock
from ice_explorer.widget.lifetime import registry

MAKE = "x = ice.ICEExplorer(model, X, method='brute', **options)\nx"


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
    """Counts its calls; while it is held, one in the background takes until another explorer waits for its turn."""

    def __init__(self):
        self.gate = threading.Event()
        self.gate.set()
        self.n_calls = 0

    def __call__(self, X):
        self.n_calls += 1
        if threading.current_thread().name == "ice-explorer":
            while not self.gate.wait(0.002) and len(find_model_lock(self)._callers) < 2:
                pass
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


def is_paused(explorer):
    return explorer._background._is_paused


def test_a_cell_that_runs_again_pauses_the_previous_explorer_and_leaves_one_thread(notebook, held):
    """After five runs the model has been called as often as for one explorer, but for the calls that had begun."""
    notebook.shell.user_ns["X"] = X = np.random.default_rng(0).normal(size=(60, 20))
    alone = Model()
    with_one = ice.ICEExplorer(alone, X, method="brute")
    assert len(with_one.explanation) == 20
    with_one.close()
    for _ in range(5):
        notebook.run("cell", MAKE)
    held.gate.set()
    wait_until(lambda: len(threads()) <= 1)
    assert len(notebook["x"].explanation) == 20
    wait_until(lambda: threads() == [])
    assert held.n_calls < 2 * alone.n_calls  # it is five times as many where none pauses


@pytest.mark.parametrize("n_runs", [3, pytest.param(50, marks=pytest.mark.slow)])
def test_a_cell_that_runs_many_times_leaves_the_widgets_and_the_memory_of_one_explorer(notebook, caplog, n_runs):
    """One explorer with its layout is open; the others need no garbage collector, and nothing is logged."""
    notebook.run("cell", MAKE)
    after_one = set(registry())
    made = []
    gc.disable()
    try:
        for _ in range(n_runs):
            notebook.run("cell", MAKE)
            made.append(weakref.ref(notebook["x"]))
            notebook["x"].explanation  # noqa: B018 - so that there are results to release
        wait_until(lambda: [reference() is None for reference in made] == [True] * (n_runs - 1) + [False])
    finally:
        gc.enable()
    assert len(registry()) == len(after_one)
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_a_result_without_a_name_is_released_by_the_next_run_of_its_cell(notebook):
    """An explorer that is only the result of its cell leaves IPython's cache of results with the next run."""
    first = weakref.ref(notebook.run("cell", "ice.ICEExplorer(model, X, method='brute')"))
    assert first() is notebook["_"]
    notebook.run("cell", "ice.ICEExplorer(model, X, method='brute')")
    notebook.run("other", "1")
    gc.collect()
    assert first() is None
    assert len(notebook["Out"]) == 2  # its own, and 1
    assert notebook["_"] == 1


def test_an_explorer_whose_cell_was_deleted_and_whose_name_is_assigned_anew_is_released(notebook, model):
    """Until the cell is deleted, it shows the explorer."""
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
        pytest.param("ice.ICEExplorer(model, X, method='brute')", None, id="never replaced"),
    ],
)
def test_an_explorer_that_was_not_replaced_continues(notebook, held, first, again):
    """A variable holds it, or its cell did not run again."""
    notebook.run("cell", first)
    made = [one for one in registry().values() if isinstance(one, ice.ICEExplorer)][-1]
    if again is not None:
        notebook.run("cell", again)
    notebook.run("other", "1")
    assert not is_paused(made)


def test_a_replaced_explorer_continues_while_another_cell_displays_it(notebook, held):
    """Until that cell runs again."""
    notebook.run("cell", MAKE)
    first = notebook["x"]
    notebook.run("other", "display(x)")
    notebook.run("cell", MAKE)
    assert not is_paused(first)
    notebook.run("other", "display(x)")
    assert is_paused(first)


def test_a_paused_explorer_resumes_when_its_result_is_read(notebook, held):
    """Kept in a list, it pauses when its cell runs again."""
    notebook.run("cell", MAKE + "; kept.append(x)")
    first, seen = notebook["kept"][0], []
    notebook.shell.user_ns["model"] = lambda X: seen.append(is_paused(first)) or held(X)
    notebook.run("cell", MAKE)
    assert seen[0]  # before the model is called for the next explorer
    assert is_paused(first)
    assert first._status["state"] == "computing"
    held.gate.set()
    wait_until(lambda: first._background._computing.thread is None)
    assert len(first._background.snapshot().results) < 3
    assert len(first.explanation) == 3
    assert first._work is not None


def test_a_paused_explorer_resumes_when_another_cell_displays_it(notebook, held):
    """It computes to its end, and is kept."""
    notebook.run("cell", MAKE + "; kept.append(x)")
    notebook.run("cell", MAKE)
    held.gate.set()
    first = weakref.ref(notebook["kept"][0])
    notebook.run("other", "display(kept.pop())")
    wait_until(lambda: first()._status["state"] == "ready")
    gc.collect()
    assert first() is not None


def test_where_the_host_names_no_cells_explorers_are_kept(notebook, held):
    """An output may show one whose variable was assigned anew."""
    notebook.run(None, MAKE)
    first = notebook["x"]
    notebook.run(None, MAKE)
    assert not is_paused(first)


def test_without_ipython_explorers_are_kept(make, model):
    """A script tells nothing of replaced explorers, so one that no variable holds computes to its end."""
    explorer = make(model, np.random.default_rng(0).normal(size=(60, 3)), method="brute")
    assert not is_paused(explorer)
    assert registry()[explorer.model_id] is explorer


def test_a_host_that_closes_the_connection_pauses_the_explorer(make, held):
    """Where IPython runs no cells, it is released with its last reference."""
    explorer = ice.ICEExplorer(held, np.random.default_rng(0).normal(size=(60, 3)), method="brute")
    explorer.comm.close()
    assert is_paused(explorer)
    model_id, reference = explorer.model_id, weakref.ref(explorer)
    held.gate.set()
    assert len(explorer.explanation) == 3
    wait_until(lambda: threads() == [])
    del explorer
    assert reference() is None
    assert model_id not in registry()


# --- closing --------------------------------------------------------------------------------------


def test_an_explorer_closed_during_a_computation_refuses_all_requests(make):
    """Open requests are cancelled, the views end, and reading says that it is closed; closing again does nothing."""
    held = Regressor(is_held=True)
    explorer = make(held, observations())
    wire = explorer.comm
    request = {"id": "a", "type": "curves", "feature": "flag", "max_lines": 5, "selection": []}
    wire.receive({"method": "custom", "content": request})
    explorer.close()
    assert reply_to(wire, "a")[0] == {"id": "a", "type": "cancelled"}
    assert wire.sent[-1]["data"] == {"method": "close"}
    assert repr(explorer) == "<ICEExplorer: closed>"
    held.gate.set()
    with pytest.raises(errors.Cancelled) as caught:
        _ = explorer.table
    assert str(caught.value) == (
        "An explorer must be open to be read; this one is closed and no longer holds its model and data. "
        "Create a new one."
    )
    explorer.close()


def test_an_explorer_closed_while_its_result_is_published_closes_afterwards_without_an_error(make, caplog):
    """The thread that closes waits for the observers of the result."""
    held = Regressor(is_held=True)
    explorer = make(held, observations(), features=["slope"])
    closing = threading.Thread(target=explorer.close)

    def close_meanwhile(_change):
        closing.start()
        closing.join(0.2)  # it waits for this observer, or the explorer is closed by now

    explorer.observe(close_meanwhile, "_header")
    held.gate.set()
    wait_until(lambda: repr(explorer) == "<ICEExplorer: closed>")
    closing.join(SECONDS)
    wait_until(lambda: threads() == [])
    assert caplog.records == []


@pytest.mark.parametrize("is_remembered", [True, False])
def test_a_closed_explorer_releases_its_model_and_data(monkeypatch, is_remembered):
    """Also where a notebook still remembers the explorer; where it does not, the explorer is released, too."""
    monkeypatch.setattr(comm, "create_comm", Wire)
    watched, remembered = [], []
    for _ in range(3):
        model, X = Regressor(), observations()
        explorer = ice.ICEExplorer(model, X)
        ask(explorer, type="curves", feature="bend", max_lines=5, selection=[])
        assert explorer.explanation
        explorer.close()
        watched += [weakref.ref(model), weakref.ref(X)]
        if is_remembered:
            remembered.append(explorer)
        else:
            watched.append(weakref.ref(explorer))
    del model, X, explorer
    wait_until(lambda: gc.collect() is not None and not any(ref() for ref in watched))


def test_an_explanation_outlives_its_explorer(make):
    """Curves that were not kept are computed when they are read."""
    X = observations()
    explorer = make(Regressor(), X)
    explanation = explorer.explanation
    explorer.close()
    assert explanation["bend"].curves.shape == (len(X), len(explanation["bend"].grid))


def test_refused_arguments_leave_no_connection_and_no_thread(make):
    """The explorer was never made."""
    before = set(registry())
    with pytest.raises(errors.OptionError):
        make(Regressor(), observations(), nonsense=1)
    assert (set(registry()), threads()) == (before, [])


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


# --- a front end that is not there ----------------------------------------------------------------


def test_a_front_end_that_was_not_built_is_an_error_with_the_command_to_run(make, monkeypatch, tmp_path):
    """In a checkout that was never built."""
    monkeypatch.setattr("ice_explorer.widget.explorer.SCRIPT", tmp_path / "explorer.js")
    with pytest.raises(errors.ICEExplorerError) as caught:
        make(Regressor(), observations())
    assert str(caught.value) == (
        f"The explorer needs its built front end; there is none at {tmp_path / 'explorer.js'}. "
        "In a source checkout run `npm ci && npm run build` in js/, or install the released "
        "package."
    )
