"""What a saved notebook shows of an explorer where no explorer can live."""

import base64
import logging
import queue
import re
import threading

import comm
import nbformat
import numpy as np
import pytest
from kernel_end import SECONDS
from nbclient import NotebookClient
from nbconvert import HTMLExporter, MarkdownExporter
from origins import picture_origin

import ice_explorer as ice
from ice_explorer.scene.choices import ViewState
from ice_explorer.widget.static_picture import picture

VIEW = "application/vnd.jupyter.widget-view+json"
PNG = "image/png"
EXPLORER = "application/vnd.ice-explorer+json"
MOST_BYTES = 60_000


def numbers(n_rows=80):
    return np.random.default_rng(1).normal(size=(n_rows, 3))


def wave(rows):
    return np.tanh(2 * rows[:, 0]) * rows[:, 1] + rows[:, 2]


def shown(explorer):
    data, _ = explorer._repr_mimebundle_()
    return data


class Held:
    """A function whose calls for more rows than there are, or for all but the first, wait until `gate` is set."""

    def __init__(self, n_free=80):
        self.gate = threading.Event()
        self.n_free = n_free

    def __call__(self, rows):
        assert len(rows) <= self.n_free or self.gate.wait(SECONDS)
        return wave(rows)


def test_a_picture_of_the_view_stands_beside_the_explorer(make):
    """It is a document of its own that shows the state at hand; the explorer is still what is preferred."""
    explorer = make(wave, numbers())
    explorer.feature, explorer.kind = "x1", "c-ice"
    assert explorer.explanation
    data = shown(explorer)
    assert set(data) == {"text/plain", VIEW, EXPLORER, PNG}
    found = picture_origin(data[PNG])
    assert (found["feature"], found["kind"]) == ("x1", "c-ice")


def test_an_explorer_that_takes_long_is_shown_without_a_picture(make, caplog):
    """Nothing waits for it, and nothing is logged."""
    held = Held()
    explorer = make(held, numbers())
    data = shown(explorer)
    assert not explorer._background.snapshot().results
    assert set(data) == {"text/plain", VIEW, EXPLORER}
    assert caplog.records == []
    held.gate.set()


def test_a_picture_can_be_left_out(make):
    """`static_picture=False` shows the explorer alone."""
    explorer = make(wave, numbers(), static_picture=False)
    assert explorer.explanation
    assert set(shown(explorer)) == {"text/plain", VIEW, EXPLORER}
    assert requested(explorer) is None


def test_an_explorer_whose_picture_fails_is_shown_without_it(make, monkeypatch, caplog):
    """The failure is logged."""

    def fail(*_):
        raise RuntimeError("no ink")

    monkeypatch.setattr("ice_explorer.widget.static_picture.picture", fail)
    explorer = make(wave, numbers())
    assert explorer.explanation
    with caplog.at_level(logging.ERROR):
        assert PNG not in shown(explorer)
    assert "There is no picture of the explorer." in caplog.text


# --- requested when the notebook is saved ---------------------------------------------------------


def requested(explorer, model_id=None):
    """Request the picture as the JupyterLab extension does, and return it."""
    connection = Connection()
    target = comm.get_comm_manager().targets["ice-explorer.picture"]
    target(connection, {"content": {"data": {"model_id": model_id or explorer.model_id}}})
    return connection.sent.get(timeout=SECONDS)["picture"]


class Connection:
    """Keeps what is sent."""

    def __init__(self):
        self.sent = queue.Queue()

    def send(self, data):
        self.sent.put(data)


def test_a_requested_picture_shows_what_the_reader_chose_since(make):
    """Several explorers have one each."""
    explorer, other = make(wave, numbers()), make(wave, numbers())
    assert explorer.explanation
    assert other.explanation
    explorer.feature = "x1"
    first = requested(explorer)
    assert picture_origin(first)["feature"] == "x1"
    explorer.feature, explorer.decay = "x2", 0.5
    assert {name: picture_origin(requested(explorer))[name] for name in ("feature", "decay")} == {
        "feature": "x2",
        "decay": 0.5,
    }
    other.feature = "x0"
    assert picture_origin(requested(other))["feature"] == "x0"


def test_what_is_unlike_the_data_is_in_the_picture_once_that_is_known(make):
    """No picture waits for the models that tell; a figure that was drawn before has fitted them."""
    explorer = make(wave, numbers())
    assert explorer.explanation
    explorer.feature = "x1"
    assert "fade" in picture_origin(requested(explorer))["not_drawn"]
    explorer.figure()
    assert "fade" not in picture_origin(requested(explorer))["not_drawn"]


def test_there_is_no_requested_picture_before_the_result(make):
    """The request is answered at once, also that for an explorer that is closed or unknown."""
    held = Held()
    explorer = make(held, numbers())
    assert requested(explorer) is None
    held.gate.set()
    assert explorer.explanation
    assert requested(explorer) is not None
    assert requested(explorer, "unknown") is None
    model_id = explorer.model_id
    explorer.close()
    assert requested(explorer, model_id) is None


@pytest.mark.wide
@pytest.mark.parametrize("n_rows", [60, 200, 3000])
@pytest.mark.parametrize("grid", ["quantile", "observed"])
def test_a_picture_is_of_bounded_size(n_rows, grid):
    """However many rows and grid values there are, a notebook grows by 60 kB at most."""
    e = ice.explain(wave, numbers(n_rows), grid=grid, grid_size=200, progress=False)
    text = picture(e, ViewState(feature="x0", selection=range(0, n_rows, 2)))
    assert len(base64.b64decode(text)) < MOST_BYTES


SLOW = """\
import time, numpy as np, ice_explorer as ice
X = np.random.default_rng(1).normal(size=(80, 3))
def slow(rows):
    time.sleep(0.4)
    return rows[:, 0]
x = ice.ICEExplorer(slow, X)
x"""


@pytest.mark.slow
@pytest.mark.parametrize("server", ["", "voila/0.5.13"])
def test_a_notebook_that_a_program_runs_has_its_picture(tmp_path, monkeypatch, server):
    """Nobody waits for what it shows, as nbconvert and papermill run it; in Voilà somebody does."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / ".ipython"))
    monkeypatch.setenv("SERVER_SOFTWARE", server)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(SLOW)])
    NotebookClient(notebook, timeout=50).execute()
    (output,) = notebook.cells[0].outputs
    assert (PNG in output["data"]) == (server == "")


@pytest.mark.slow
def test_what_is_made_of_a_saved_notebook_shows_the_picture(tmp_path, monkeypatch):
    """Without the state of widgets, nbconvert's HTML and Markdown hold the picture and name the feature."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / ".ipython"))
    lines = (
        "import numpy as np, ice_explorer as ice",
        "X = np.random.default_rng(1).normal(size=(80, 3))",
        "x = ice.ICEExplorer(lambda rows: np.tanh(2 * rows[:, 0]) * rows[:, 1], X)",
        "x.feature = 'x1'",
        "x.explanation",
    )
    cells = [nbformat.v4.new_code_cell("\n".join(lines)), nbformat.v4.new_code_cell("x")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=50, store_widget_state=False).execute()
    nbformat.validate(notebook)
    page, _ = HTMLExporter().from_notebook_node(notebook)
    (embedded,) = re.findall(r'src="data:image/png;base64,([^"]+)"', page)
    assert picture_origin(embedded)["feature"] == "x1"
    text, resources = MarkdownExporter().from_notebook_node(notebook)
    (name,) = [name for name in resources["outputs"] if name.endswith(".png")]
    assert f"({name})" in text
    assert resources["outputs"][name] == base64.b64decode(embedded)


@pytest.mark.slow
def test_a_notebook_holds_the_front_end_once(tmp_path, monkeypatch):
    """Where state of widgets is saved, the first explorer of 10 features brings the front end, no further one."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    make = (
        "import ice_explorer as ice\n"
        "from sklearn.datasets import load_diabetes\n"
        "from sklearn.ensemble import RandomForestRegressor\n"
        "X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)\n"
        "model = RandomForestRegressor(n_estimators=20, random_state=0).fit(X, y)"
    )
    sizes = []
    for n in (1, 3):
        cells = [make, *["ice.ICEExplorer(model, X)"] * n]
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        NotebookClient(notebook, timeout=50).execute()
        sizes.append(len(nbformat.writes(notebook)))
    first, further = sizes[0], (sizes[1] - sizes[0]) / 2
    assert further <= 160_000
    assert first <= further + 400_000
    models = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    scripts = [model["state"].get("script", "") for model in models.values()]
    assert sum(len(script) > 100_000 for script in scripts) == 1
    assert all(len(model["state"].get("_esm", "")) < 1000 for model in models.values())
