"""The oldest versions allowed: that what is tested is what is promised, and the one that no other test can take."""

from __future__ import annotations

import re
import tomllib

import nbclient
import nbformat
import pytest

SHOW = """\
import ipywidgets
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
import ice_explorer as ice

X, y = load_diabetes(return_X_y=True, as_frame=True)
x = ice.ICEExplorer(Ridge().fit(X, y), X)
x.table
x"""

PARQUET = "pyarrow>=18"  # what a user installs for such files


def test_what_is_tested_is_what_is_promised(root):
    """Each package that users install has its floor among the pins."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"], *extras["bqplot"], PARQUET]
    floors = dict(re.match(r"([\w-]+)>=([\d.]+)", line).groups() for line in lines)
    text = (root / "tests" / "floors.txt").read_text(encoding="utf-8")
    pins = dict(re.findall(r"^([\w-]+)==([\d.]+)$", text, flags=re.MULTILINE))
    assert pins.keys() == floors.keys()
    for name, floor in floors.items():
        assert f"{pins[name]}.".startswith(f"{floor}."), name


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_kernel_shows_an_explorer():
    """With ipywidgets 7 too, which opens its connection in a kernel only."""
    cells = [SHOW, "x.decay, x.feature = 0.5, 'bp'", "print(x.state()['decay'], x.feature, x)"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown, _, read = (cell.outputs for cell in notebook.cells)
    assert ["application/vnd.jupyter.widget-view+json" in output["data"] for output in shown] == [True]
    assert read[0]["text"].startswith("0.5 bp <ICEExplorer of the prediction: 10 features, 442 observations, ready>")
