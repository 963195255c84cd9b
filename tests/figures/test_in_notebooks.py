"""A cell of a notebook that ends with a plot shows it once."""

import nbformat
import pytest
from nbclient import NotebookClient

SETUP = """
import numpy as np
import ice_explorer as ice
X = np.random.default_rng(0).normal(size=(30, 3))
e = ice.explain(lambda X: X[:, 0] * X[:, 1] + X[:, 2], X, progress=False)
"""
# The first plot comes before anything else loads Matplotlib, whose backend tells the kernel how a figure is shown.
PLOTS = [
    "e.plot(list(e))", "e.plot('x0')", "e['x0'].plot('c-ice')", "e.plot()", "e.plot('x0', kind='effects')",
]  # fmt: skip
OPEN = "from matplotlib import pyplot as plt\nfigure = e.plot(list(e))\nprint(plt.get_fignums())"


@pytest.mark.wide
def test_a_cell_that_ends_with_a_plot_shows_it_once():
    """A returned Figure is the value of the cell and unknown to pyplot; returned Axes are shown through pyplot."""
    cells = [nbformat.v4.new_code_cell(code) for code in (SETUP, *PLOTS, OPEN)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=60).execute()
    images = [sum("image/png" in output.get("data", {}) for output in cell.outputs) for cell in cells]
    assert dict(zip(PLOTS, images[1:-1], strict=True)) == dict.fromkeys(PLOTS, 1)
    assert [output["text"] for output in cells[-1].outputs] == ["[]\n"]


@pytest.mark.wide
def test_a_cell_that_ends_with_the_figure_of_an_explorer_shows_it_once():
    """Also where nothing has loaded the backend that tells the kernel how a figure is shown."""
    cells = [nbformat.v4.new_code_cell(code) for code in (SETUP, "x = ice.ICEExplorer(e)", "x.figure()")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=60).execute()
    assert ["image/png" in output["data"] for output in cells[-1].outputs] == [True]
