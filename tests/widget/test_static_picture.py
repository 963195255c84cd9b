"""What a saved notebook shows of an explorer where no explorer can live."""

import base64
import logging
import re
import threading
from contextlib import closing
from xml.etree import ElementTree as ET

import comm
import nbformat
import numpy as np
import pytest
from kernel_end import Wire
from nbclient import NotebookClient
from nbconvert import HTMLExporter, MarkdownExporter

import ice_explorer as ice
from ice_explorer.export import save

VIEW = "application/vnd.jupyter.widget-view+json"
SVG = "image/svg+xml"
MOST_BYTES = 450_000


@pytest.fixture(autouse=True)
def _wired(monkeypatch):
    monkeypatch.setattr(comm, "create_comm", Wire)


def numbers(n_rows=80):
    return np.random.default_rng(1).normal(size=(n_rows, 3))


def wave(rows):
    return np.tanh(2 * rows[:, 0]) * rows[:, 1] + rows[:, 2]


def shown(explorer):
    data, _ = explorer._repr_mimebundle_()
    return data


def test_a_picture_of_the_view_stands_beside_the_explorer():
    """It is a document of its own that shows the state at hand; the explorer is still what is preferred."""
    with closing(ice.ICEExplorer(wave, numbers())) as explorer:
        explorer.feature, explorer.kind = "x1", "c-ice"
        explorer.explanation  # noqa: B018 - waits for it
        data = shown(explorer)
    assert set(data) == {"text/plain", VIEW, SVG}
    root = ET.fromstring(data[SVG])  # noqa: S314 - our own
    assert root.findtext("{http://www.w3.org/2000/svg}title") == "c-ICE of x1"


def test_nothing_waits_long_for_a_picture(caplog):
    """While the explorer computes it is shown without one, soon."""
    gate = threading.Event()

    def held(rows):
        if len(rows) > 80:
            gate.wait(20)
        return wave(rows)

    with closing(ice.ICEExplorer(held, numbers())) as explorer:
        data = shown(explorer)
        assert not explorer._background.snapshot().results
        assert set(data) == {"text/plain", VIEW}
        assert caplog.records == []
        gate.set()


def test_an_explorer_of_a_slow_model_does_not_wait_for_its_picture_in_vain():
    """Where the first predictions tell that it takes long, the explorer appears at once."""
    gate = threading.Event()

    def held(rows):
        gate.wait(20)
        return wave(rows)

    with closing(ice.ICEExplorer(held, numbers(), engine="brute")) as explorer:
        waited = []
        wait = explorer._background.wait
        explorer._background.wait = lambda at_most: waited.append(at_most) or wait(at_most)
        assert SVG not in shown(explorer)
        assert waited == [0.08]
        gate.set()


def test_a_cell_that_makes_an_explorer_keeps_its_picture():
    """What takes a moment is there when the explorer appears, without asking twice."""
    with closing(ice.ICEExplorer(wave, numbers())) as explorer:
        assert set(shown(explorer)) == {"text/plain", VIEW, SVG}


def test_a_picture_can_be_waited_for():
    """With "wait", an explorer appears with its picture however long it computes."""
    gate = threading.Event()

    def held(rows):
        if len(rows) > 80:
            gate.wait(20)
        return wave(rows)

    with closing(ice.ICEExplorer(held, numbers(), static_picture="wait")) as explorer:
        opening = threading.Timer(0.8, gate.set)
        opening.start()
        assert set(shown(explorer)) == {"text/plain", VIEW, SVG}
        opening.join()


def test_a_picture_can_be_left_out():
    """`static_picture=False` shows the explorer alone."""
    with closing(ice.ICEExplorer(wave, numbers(), static_picture=False)) as explorer:
        explorer.explanation  # noqa: B018 - waits for it
        assert set(shown(explorer)) == {"text/plain", VIEW}


def test_an_explorer_is_shown_whatever_becomes_of_its_picture(monkeypatch, caplog):
    """A picture that fails is logged and left out; so is one of an explorer that was closed."""

    def fail(*_):
        raise RuntimeError("no ink")

    monkeypatch.setattr(save, "picture", fail)
    with closing(ice.ICEExplorer(wave, numbers())) as explorer:
        explorer.explanation  # noqa: B018 - waits for it
        with caplog.at_level(logging.ERROR):
            assert SVG not in shown(explorer)
    assert "There is no picture beside the explorer." in caplog.text


@pytest.mark.parametrize("n_rows", [60, 200, 3000])
@pytest.mark.parametrize("grid", ["quantile", "observed"])
def test_a_picture_is_of_bounded_size(n_rows, grid):
    """However many rows and grid values there are, a notebook grows by less than half a megabyte."""
    e = ice.explain(wave, numbers(n_rows), grid=grid, grid_size=200, progress=False)
    text = save.picture(e, {"feature": "x0", "selection": list(range(0, n_rows, 2))})
    assert len(text.encode()) < MOST_BYTES


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
    NotebookClient(notebook, timeout=120).execute()
    (output,) = notebook.cells[0].outputs
    assert (SVG in output["data"]) == (server == "")


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
    NotebookClient(notebook, timeout=120, store_widget_state=False).execute()
    nbformat.validate(notebook)
    page, _ = HTMLExporter().from_notebook_node(notebook)
    (embedded,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
    assert b"<title>ICE of x1</title>" in base64.b64decode(embedded)
    text, resources = MarkdownExporter().from_notebook_node(notebook)
    (name,) = [name for name in resources["outputs"] if name.endswith(".svg")]
    assert f"({name})" in text
    assert b"ICE of x1" in resources["outputs"][name]


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
        NotebookClient(notebook, timeout=120).execute()
        sizes.append(len(nbformat.writes(notebook)))
    first, further = sizes[0], (sizes[1] - sizes[0]) / 2
    assert further <= 160_000
    assert first <= further + 400_000
    models = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    scripts = [model["state"].get("script", "") for model in models.values()]
    assert sum(len(script) > 100_000 for script in scripts) == 1
    assert all(len(model["state"].get("_esm", "")) < 1000 for model in models.values())
