"""Cells that run again in JupyterLab: what stays open in the kernel and in the page."""

from __future__ import annotations

import pytest
from browser.awaiting import soon
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

SETTING = """\
import threading, time
import ipywidgets
import ice_explorer as ice
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
model = RandomForestRegressor(n_estimators=20, random_state=0).fit(X, y)

def slow(X):
    time.sleep(1)
    return model.predict(X)

def left():
    threads = sum(thread.name == "ice-explorer" for thread in threading.enumerate())
    widgets = list(ipywidgets.widgets.widget._instances.values())
    return threads, sum(isinstance(one, ice.ICEExplorer) for one in widgets), len(widgets)
"""
MAKE = "x = ice.ICEExplorer(slow, X)\nx"

# The models of the notebook's widget manager, which Lab hands to what renders them.
MODELS = """async () => {
    const type = "application/vnd.jupyter.widget-view+json";
    const { rendermime } = jupyterapp.shell.currentWidget.content;
    const renderer = rendermime.getFactory(type).createRenderer({ mimeType: type });
    const manager = await renderer._manager.promise;
    renderer.dispose();
    return Object.keys(manager._models).length;
}"""


@pytest.fixture
def notebook(lab, page, request):
    name = f"{request.node.originalname}.ipynb"
    lab.write(name, [SETTING, MAKE, ""])
    notebook = lab.open(page, name)
    notebook.run(0)
    yield notebook
    notebook.shut_down()


def test_a_cell_that_runs_again_leaves_one_explorer(notebook, page):
    """Runs of a cell leave one thread, one explorer and its layout, in kernel and page, also after a reload."""
    for _ in range(5):
        notebook.run(1)
        expect(notebook.explorer(1)).to_have_attribute("data-status", "computing")
    # The explorer and what all explorers share, with a layout each.
    notebook.agrees(2, "left()", "(1, 1, 4)")
    soon(lambda: page.evaluate(MODELS), 4)

    notebook.save()
    page.reload()
    notebook.wait_for_kernel()
    expect(notebook.explorer(1)).to_have_attribute("data-status", "computing")
    notebook.run(1)
    expect(notebook.explorer(1)).to_have_attribute("data-status", "computing")
    notebook.agrees(2, "left()", "(1, 1, 4)")
    soon(lambda: page.evaluate(MODELS), 4)
