"""The notebooks run from top to bottom, and are kept without what they printed."""

import subprocess
import sys

import nbformat
import pytest
from nbclient import NotebookClient

NAMES = ["dashboard.ipynb", "paper.ipynb", "quickstart.ipynb"]


def run(path, folder, monkeypatch):
    """Run a notebook with `folder` as its own, and return it with its outputs."""
    # The kernel must not find the profile, the history or the settings of whoever runs the tests.
    monkeypatch.setenv("IPYTHONDIR", str(folder / ".ipython"))
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(folder)}}).execute()
    return notebook


def printed_as_error(notebook):
    """Whatever a cell wrote to standard error: warnings above all."""
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    return [output.text for output in outputs if output.output_type == "stream" and output.name == "stderr"]


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_kept_without_outputs(root, name):
    """No output, execution count or widget state is committed."""
    found = subprocess.run(
        [sys.executable, "-m", "nbstripout", "--verify", str(root / "notebooks" / name)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (found.returncode, found.stdout) == (0, "")


def test_every_notebook_is_run_here(root):
    """A new notebook needs a test of its own."""
    assert sorted(path.name for path in (root / "notebooks").glob("*.ipynb")) == NAMES


@pytest.mark.slow
def test_quickstart_runs_and_leaves_its_pictures(root, tmp_path, monkeypatch):
    """The quickstart shows an explorer, warns of nothing, and saves two pictures and a table."""
    notebook = run(root / "notebooks" / "quickstart.ipynb", tmp_path, monkeypatch)
    assert printed_as_error(notebook) == []
    widgets = [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "application/vnd.jupyter.widget-view+json" in output.get("data", {})
    ]
    assert len(widgets) == 1
    written = sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith("."))
    assert written == ["body mass index.png", "body mass index.svg", "diabetes.csv"]
    assert (tmp_path / "body mass index.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_the_tables_of_the_paper_are_made(root, cervical_folder, tmp_path, monkeypatch):
    """The paper's notebook runs on the data in $ICE_EXPLORER_DATA and warns of nothing."""
    monkeypatch.setenv("ICE_EXPLORER_DATA", str(cervical_folder))
    notebook = run(root / "notebooks" / "paper.ipynb", tmp_path, monkeypatch)
    assert printed_as_error(notebook) == []


@pytest.mark.slow
def test_the_dashboard_is_one_widget_of_linked_parts(root, tmp_path, monkeypatch):
    """Controls, four figures and an explorer, of which nothing is written to standard error."""
    notebook = run(root / "notebooks" / "dashboard.ipynb", tmp_path, monkeypatch)
    assert printed_as_error(notebook) == []
    shown = [output for cell in notebook.cells for output in cell.get("outputs", []) if "data" in output]
    assert ["application/vnd.jupyter.widget-view+json" in output["data"] for output in shown] == [True]
    models = notebook.metadata["widgets"]["application/vnd.jupyter.widget-state+json"]["state"].values()
    names = [model["model_name"] for model in models]
    assert (names.count("FigureModel"), names.count("AnyModel")) == (4, 1)
