"""What a kernel shows of figures, whatever was drawn before."""

import nbformat
from nbclient import NotebookClient

START = """
import numpy as np
import ice_explorer as ice
x = ice.ICEExplorer(lambda X: X[:, 0], np.random.default_rng(0).normal(size=(20, 2)))
x
"""


def test_a_plot_is_shown_after_an_explorer_drew_its_picture():
    """The picture beside an explorer loads the backend of the notebook, and leaves it as pyplot expects it."""
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [
        nbformat.v4.new_code_cell(cell) for cell in (START, "ax = x.explanation.plot('x0')", "x.figure()")
    ]
    NotebookClient(notebook, timeout=60).execute()
    pictures = [sum("image/png" in output.get("data", {}) for output in cell.outputs) for cell in notebook.cells]
    assert pictures == [1, 1, 1]
