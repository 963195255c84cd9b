"""An explorer frozen into a cell: in JupyterLab, after a reload, in a notebook nobody trusts, and out of nbconvert."""

from __future__ import annotations

import nbformat
import pytest
from browser.awaiting import soon
from nbconvert import HTMLExporter
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

MAKE = """\
import ice_explorer as ice
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
model = RandomForestRegressor(n_estimators=20, min_samples_leaf=5, random_state=0).fit(X, y)
x = ice.ICEExplorer(model, X, grid="quantile", grid_size=30)
x.feature, x.color_by = "bmi", "s5"
x.freeze(max_lines=100)
"""


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args):
    """A system without a preference for dark or light, so that a frame asks the page around it."""
    return {**browser_context_args, "color_scheme": "null"}


def frozen(page):
    """The explorer inside the frame, once its lines are drawn."""
    inner = page.frame_locator("iframe.ice-frozen")
    view = inner.get_by_test_id("ice-explorer")
    expect(view).to_have_attribute("data-feature", "bmi", timeout=90_000)
    expect(view).to_have_attribute("data-drawn-lines", "100")
    return view


def is_alive(view):
    """Whether the slider sorts the bars, another feature opens, and the frame is as high as what it shows."""
    frame = view.page.locator("iframe.ice-frozen")
    document = frame.element_handle().content_frame()
    document.wait_for_function(
        "() => { const over = innerHeight - document.documentElement.offsetHeight; return over >= 0 && over < 4; }"
    )
    shown = view.get_by_test_id("bar-figure").all_text_contents()
    slider = view.get_by_test_id("decay-slider")
    slider.focus()
    slider.press("Home")
    expect(view.get_by_test_id("decay-value")).to_have_text("0.01")
    soon(lambda: view.get_by_test_id("bar-figure").all_text_contents() != shown, wanted=True)
    view.locator('[data-test=bar][data-feature="s5"]').click()
    expect(view).to_have_attribute("data-feature", "s5")
    expect(view).to_have_attribute("data-drawn-lines", "100")
    return True


def make(lab, page, name):
    """Run the notebook and save it."""
    lab.write(name, [MAKE])
    notebook = lab.open(page, name)
    notebook.run(0)
    view = frozen(page)
    notebook.save()
    return notebook, view


def test_a_frozen_explorer_lives_in_a_cell_and_after_a_reload(lab, page):
    """Nothing of it needs the kernel: it is there again when the notebook is, and no cell has run."""
    notebook, view = make(lab, page, "frozen.ipynb")
    assert is_alive(view)
    notebook.shut_down()
    page.reload()
    assert is_alive(frozen(page))
    notebook.wait_for_kernel()
    notebook.shut_down()


def test_it_follows_the_theme_of_the_notebook(lab, page):
    """In a dark notebook the frame is dark, whatever the system prefers; switched back, it is light."""
    lab.set_theme("JupyterLab Dark")
    try:
        notebook, view = make(lab, page, "frozen_dark.ipynb")
        expect(view).to_have_attribute("data-theme", "dark")
        page.keyboard.press("Control+Shift+c")
        page.locator(".lm-CommandPalette-input:focus").fill("Use Theme: JupyterLab Light")
        page.locator(".lm-CommandPalette-item.lm-mod-active", has_text="JupyterLab Light").click()
        expect(page.locator("body")).to_have_attribute("data-jp-theme-light", "true")
        expect(view).to_have_attribute("data-theme", "light")
        notebook.shut_down()
    finally:
        lab.set_theme("JupyterLab Light")


def test_a_notebook_that_nobody_trusts_shows_a_sentence(lab, page):
    """Lab takes frames and scripts out of such outputs; trusting the notebook brings the explorer."""
    notebook, _ = make(lab, page, "mine.ipynb")
    notebook.shut_down()
    theirs = nbformat.read(lab.notebooks / "mine.ipynb", as_version=4)
    theirs.cells[0].source += "\n# written elsewhere"
    nbformat.write(theirs, lab.notebooks / "theirs.ipynb")
    notebook = lab.open(page, "theirs.ipynb")
    note = page.locator(".jp-OutputArea-output").get_by_text("This explorer works without a kernel.")
    expect(note).to_be_visible()
    expect(page.locator("iframe")).to_have_count(0)
    notebook.shut_down()


def test_nbconvert_keeps_it_alive(lab, page, browser, tmp_path):
    """The HTML that nbconvert makes holds the frame; it lives where there is no network."""
    notebook, _ = make(lab, page, "converted.ipynb")
    notebook.shut_down()
    text, _ = HTMLExporter().from_filename(str(lab.notebooks / "converted.ipynb"))
    (tmp_path / "converted.html").write_text(text, encoding="utf-8")
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 900})
    alone = context.new_page()
    alone.goto((tmp_path / "converted.html").as_uri())
    assert is_alive(frozen(alone))
    expect(alone.get_by_text("This explorer works without a kernel.")).to_be_hidden()
    context.close()
