"""The explorer in Notebook 7, which shows one document and shares its widgets with JupyterLab."""

from __future__ import annotations

import nbformat
import pytest
from browser.awaiting import soon, still
from browser.jupyter import EXPLORER
from browser.views import open_feature
from playwright.sync_api import expect


def test_what_is_done_there_reaches_the_kernel(notebook_7, open_notebook, page):
    """The slider ranks anew, keys stay, a bar opens, a row is selected; the saved file has a picture."""
    # The table waits for the results, so that the picture of the next cell has them.
    notebook = open_notebook(EXPLORER.removesuffix("\nx") + "\nx.table.shape", "x", server=notebook_7)
    notebook.run(0)
    notebook.run(1)
    view = notebook.shown(1)
    slider = view.get_by_test_id("decay-slider")
    slider.focus()
    for key in ("PageDown", "PageDown", "a", "b", "j", "ArrowRight"):
        page.keyboard.press(key)
    expect(view.get_by_test_id("decay-value")).not_to_have_text("0.75")
    expect(notebook.cells).to_have_count(2)
    open_feature(view, "s5")
    box = still(view.get_by_test_id("plot"))
    page.mouse.click(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.5)
    expect(view.get_by_test_id("selected-rows")).to_be_visible()
    shown = float(view.get_by_test_id("decay-value").inner_text())
    notebook.agrees("x.feature, x.decay, len(x.selection)", ["s5", shown, 1])

    notebook.save()
    picture = {"image/png", "application/vnd.jupyter.widget-view+json"}
    [output] = nbformat.read(notebook_7.notebooks / notebook.name, 4).cells[1].outputs
    assert picture <= set(output["data"])


@pytest.mark.slow
def test_the_dark_theme_is_followed(notebook_7, open_notebook):
    """As in JupyterLab, whose themes these are."""
    notebook = open_notebook(EXPLORER, server=notebook_7, theme="JupyterLab Dark")
    notebook.run(0)
    view = notebook.shown(0)
    expect(view).to_have_attribute("data-theme", "dark")
    soon(lambda: view.evaluate("view => getComputedStyle(view).backgroundColor"), "rgb(17, 17, 17)")
    # JupyterLab rounds all buttons its own way.
    expect(view.get_by_test_id("driver").first).to_have_css("border-radius", "2px")
