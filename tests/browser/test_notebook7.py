"""The explorer in Notebook 7, which shows one document and shares its widgets with JupyterLab."""

from __future__ import annotations

import nbformat
import pytest
from browser.awaiting import still
from browser.jupyter import JupyterServer
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

MAKE = """\
import ice_explorer as ice
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
model = RandomForestRegressor(n_estimators=20, random_state=0).fit(X, y)
x = ice.ICEExplorer(model, X)
x.table.shape"""


# Its own remarks on its menu, its icons and its parts.
_OF_NOTEBOOK_7 = ["is duplicated.", "because it collides with", "[yjs#509] Not same Y.Doc", "(reading 'schema')"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with JupyterServer(tmp_path_factory.mktemp("notebook7"), app="notebook") as server:
        yield server


@pytest.fixture
def notebook(server, page, request):
    """A notebook that makes an explorer, shows it, and has a cell to type into."""
    page.watch.expected += _OF_NOTEBOOK_7
    name = f"{request.node.originalname}.ipynb"
    server.write(name, [MAKE, "x", ""])
    server.set_theme(getattr(request, "param", "JupyterLab Light"))
    notebook = server.open(page, name)
    notebook.run(0)
    notebook.run(1)
    view = notebook.explorer(1)
    expect(view).to_have_attribute("data-status", "ready")
    expect(view).to_have_attribute("data-drawn-lines", "442")
    yield notebook
    notebook.shut_down()


def test_what_is_done_there_reaches_the_kernel(notebook, page):
    """The slider ranks anew, keys stay in the explorer, a bar opens, a row is selected; Python has all of it."""
    view = notebook.explorer(1)
    n_cells = notebook.cells.count()
    slider = view.get_by_test_id("decay-slider")
    slider.focus()
    for key in ("PageDown", "PageDown", "a", "b", "j", "ArrowRight"):
        page.keyboard.press(key)
    expect(view.get_by_test_id("decay-value")).not_to_have_text("0.75")
    assert notebook.cells.count() == n_cells
    view.locator('[data-test=bar][data-feature="s5"]').click()
    expect(view).to_have_attribute("data-feature", "s5")
    plot = view.get_by_test_id("plot")
    box = still(plot)
    page.mouse.click(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.5)
    expect(view.get_by_test_id("selected-rows")).to_be_visible()
    shown = float(view.get_by_test_id("decay-value").inner_text())
    notebook.agrees(2, "x.feature, x.decay, len(x.selection)", f"s5 {shown:g} 1")


@pytest.mark.parametrize("notebook", ["JupyterLab Dark"], indirect=True)
def test_the_dark_theme_is_followed(notebook):
    """As in JupyterLab, whose themes these are."""
    view = notebook.explorer(1)
    expect(view).to_have_attribute("data-theme", "dark")
    assert view.evaluate("view => getComputedStyle(view).backgroundColor") == "rgb(17, 17, 17)"
    chip = view.get_by_test_id("driver").first
    expect(chip).to_have_css("border-radius", "12px")  # JupyterLab rounds all buttons its own way


def test_a_saved_notebook_keeps_the_picture(notebook, server):
    """What reads the file without a kernel finds the view as a picture."""
    notebook.save()
    path = server.notebooks / "test_a_saved_notebook_keeps_the_picture.ipynb"

    def outputs():
        return [output.get("data", {}) for output in nbformat.read(path, 4).cells[1].outputs]

    assert any({"image/svg+xml", "application/vnd.jupyter.widget-view+json"} <= set(data) for data in outputs())
