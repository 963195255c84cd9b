"""Cells that run again in JupyterLab: what stays open in the kernel and in the page."""

from __future__ import annotations

import pytest
from browser.awaiting import soon
from browser.jupyter import DIABETES
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

SETTING = f"""\
{DIABETES}
import threading, time
import ipywidgets

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


def test_a_cell_that_runs_again_leaves_one_explorer(open_notebook, page):
    """Runs of a cell leave one thread, one explorer and its layout, in kernel and page, also after a reload."""
    notebook = open_notebook(SETTING, MAKE)
    notebook.run(0)
    for _ in range(5):
        notebook.run(1)
        expect(notebook.explorer(1)).to_have_attribute("data-status", "computing")
    # The explorer and what all explorers share, with a layout each.
    notebook.agrees("left()", [1, 1, 4])
    soon(lambda: page.evaluate(MODELS), 4)

    notebook.save()
    page.reload()
    notebook.wait_for_kernel()
    expect(notebook.explorer(1)).to_have_attribute("data-status", "computing")
    notebook.run(1)
    expect(notebook.explorer(1)).to_have_attribute("data-status", "computing")
    notebook.agrees("left()", [1, 1, 4])
    soon(lambda: page.evaluate(MODELS), 4)
