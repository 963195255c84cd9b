"""An explorer frozen into a cell: in JupyterLab, after a reload, in a notebook nobody trusts, and out of nbconvert."""

from __future__ import annotations

import nbformat
import pytest
from browser.awaiting import soon
from browser.jupyter import DIABETES
from browser.views import least_decay, open_feature
from nbconvert import HTMLExporter
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

MAKE = f"""\
{DIABETES}
x = ice.ICEExplorer(model, X, grid="quantile", grid_size=30)
x.feature, x.color_by = "bmi", "s5"
x.freeze(max_lines=100)
"""


@pytest.fixture(scope="module")
def browser_context_args(browser_context_args):
    """A system without a preference for dark or light, so that a frame asks the page around it."""
    return {**browser_context_args, "color_scheme": "null"}


def frozen(page):
    """The explorer inside the frame, once its lines are drawn."""
    view = page.frame_locator("iframe.ice-frozen").get_by_test_id("ice-explorer")
    expect(view).to_have_attribute("data-feature", "bmi")
    expect(view).to_have_attribute("data-drawn-lines", "100")
    return view


def assert_alive(view):
    """The frame is as high as what it shows, the slider sorts the bars, another feature opens."""
    document = view.page.locator("iframe.ice-frozen").element_handle().content_frame()
    document.wait_for_function(
        "() => { const over = innerHeight - document.documentElement.offsetHeight; return over >= 0 && over < 4; }"
    )
    figures = view.get_by_test_id("bar-figure").all_text_contents()
    least_decay(view)
    soon(lambda: view.get_by_test_id("bar-figure").all_text_contents() != figures, wanted=True)
    open_feature(view, "s5")
    expect(view).to_have_attribute("data-drawn-lines", "100")


def test_a_frozen_explorer_needs_no_kernel(lab, open_notebook, page, browser, tmp_path):
    """It lives in a cell, after a reload without a kernel, and in what nbconvert makes; not where nobody trusts it."""
    notebook = open_notebook(MAKE)
    notebook.run(0)
    view = frozen(page)
    expect(view.get_by_test_id("export")).to_have_count(0)  # frames may not save files
    notebook.save()
    assert_alive(view)
    notebook.shut_down()
    page.reload()
    assert_alive(frozen(page))

    text, _ = HTMLExporter().from_filename(str(lab.notebooks / notebook.name))
    (tmp_path / "converted.html").write_text(text, encoding="utf-8")
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 900})
    alone = context.new_page()
    alone.goto((tmp_path / "converted.html").as_uri())
    assert_alive(frozen(alone))
    expect(alone.get_by_text("This explorer works without a kernel.")).to_be_hidden()
    context.close()

    # Lab takes frames and scripts out of outputs that it did not see made.
    theirs = nbformat.read(lab.notebooks / notebook.name, as_version=4)
    theirs.cells[0].source += "\n# written elsewhere"
    nbformat.write(theirs, lab.notebooks / "theirs.ipynb")
    lab.open(page, "theirs.ipynb")
    note = page.locator(".jp-OutputArea-output").get_by_text("This explorer works without a kernel.")
    expect(note).to_be_visible()
    expect(page.locator("iframe")).to_have_count(0)
    lab.end_kernel("theirs.ipynb")


def test_it_follows_the_theme_of_the_notebook(open_notebook, page):
    """In a dark notebook the frame is dark, whatever the system prefers; switched back, it is light."""
    notebook = open_notebook(MAKE, theme="JupyterLab Dark")
    notebook.run(0)
    view = frozen(page)
    expect(view).to_have_attribute("data-theme", "dark")
    page.evaluate("jupyterapp.commands.execute('apputils:change-theme', { theme: 'JupyterLab Light' })")
    expect(page.locator("body")).to_have_attribute("data-jp-theme-light", "true")
    expect(view).to_have_attribute("data-theme", "light")
