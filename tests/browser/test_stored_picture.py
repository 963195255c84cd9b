"""The picture that a saved notebook keeps of an explorer, and that JupyterLab and Notebook 7 show without a kernel."""

from __future__ import annotations

import nbformat
import pytest
from browser.awaiting import soon
from browser.jupyter import EXPLORER
from browser.views import open_feature
from origins import picture_origin
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

PNG = "image/png"
OF_LAB_WITHOUT_A_KERNEL = ["No exact match", "Cannot read properties of null"]
TWO = ["y = ice.ICEExplorer(model, X)\ny", "y.feature = 's1'; x"]


@pytest.fixture(params=["lab", "notebook_7"])
def server(request):
    return request.getfixturevalue(request.param)


def pictures(server, notebook):
    """Return what the pictures in the file of a notebook show: the feature for each output that has one."""
    try:
        cells = nbformat.read(server.notebooks / notebook.name, 4).cells
    except nbformat.reader.NotJSONError:  # it is being written
        return []
    data = [output.get("data", {}) for cell in cells for output in cell.outputs]
    return [picture_origin(found[PNG])["feature"] if PNG in found else None for found in data]


def stored(notebook, index):
    """Where a cell shows the picture of its explorer."""
    return notebook.cells.nth(index).get_by_test_id("stored-explorer")


def expect_picture(notebook, index):
    """Wait until a cell shows a picture, with what to do, instead of an explorer or an error."""
    expect(stored(notebook, index).locator("img")).to_be_visible()
    expect(stored(notebook, index).get_by_text("Run the cell to use the explorer.")).to_be_visible()
    expect(notebook.explorer(index)).to_have_count(0)
    for words in ("Error displaying widget", "Loading widget"):
        expect(notebook.cells.nth(index).get_by_text(words)).not_to_be_visible()


@pytest.mark.timeout(240, func_only=True)
def test_a_notebook_is_saved_with_its_explorers_as_they_are(server, open_notebook, page):
    """Each output has the picture of its view; saving again changes nothing, and a reopened one shows them."""
    notebook = open_notebook(EXPLORER, *TWO, server=server)
    notebook.run(0)
    view = notebook.shown(0)
    for index in (1, 2):
        notebook.run(index)
        notebook.shown(index)
    open_feature(view, "s5")
    notebook.agrees("x.feature", "s5")
    notebook.save()
    soon(lambda: pictures(server, notebook), ["s5", "s1", "s5"])  # a slow machine draws for longer than saving waits
    soon(lambda: page.evaluate("jupyterapp.shell.currentWidget.context.model.dirty"), wanted=False)
    before = (server.notebooks / notebook.name).read_bytes()
    for _ in range(2):
        notebook.save()
    assert (server.notebooks / notebook.name).read_bytes() == before
    expect(stored(notebook, 0)).not_to_be_visible()
    open_feature(view, "bmi")
    notebook.agrees("x.feature", "bmi")
    notebook.save()
    soon(lambda: pictures(server, notebook), ["bmi", "s1", "bmi"])

    notebook.shut_down()
    page.watch.expected.append("widget model not found")
    again = server.open(page, notebook.name)
    for index in range(3):
        expect_picture(again, index)
    again.save()
    assert pictures(server, notebook) == ["bmi", "s1", "bmi"]
    again.run(0, wait=False)
    again.shown(0)
    expect(stored(again, 0)).not_to_be_visible()


def test_a_notebook_without_a_kernel_shows_the_picture(server, open_notebook, page):
    """Also one that is not trusted; without a picture the cell says what to do."""
    notebook = open_notebook(EXPLORER, "ice.ICEExplorer(model, X, static_picture=False)", server=server)
    for index in (0, 1):
        notebook.run(index)
        notebook.shown(index)
    notebook.save()
    soon(lambda: pictures(server, notebook), ["bmi", None])
    notebook.shut_down()
    saved = nbformat.read(server.notebooks / notebook.name, 4)
    saved.metadata = {"kernelspec": {"name": "unknown", "display_name": "Unknown", "language": "unknown"}}
    nbformat.write(saved, server.notebooks / notebook.name)
    for is_trusted in (False, True):
        if is_trusted:
            server.trust(notebook.name)
        page.goto("about:blank")
        notebook = server.open(page, notebook.name, waits=False)
        page.locator(".jp-Dialog select").select_option(label="No Kernel")
        page.locator(".jp-Dialog .jp-mod-accept").click()
        page.watch.expected += OF_LAB_WITHOUT_A_KERNEL
        expect_picture(notebook, 0)
        expect(stored(notebook, 1).get_by_text("Run the cell to use the explorer.")).to_be_visible()
        expect(stored(notebook, 1).locator("img")).not_to_be_visible()


def test_saving_does_not_wait_for_a_kernel_that_is_busy(server, open_notebook, page):
    """The notebook is in its file before the cell ends."""
    notebook = open_notebook(
        EXPLORER, "import time\nwhile not __import__('pathlib').Path('go').exists(): time.sleep(0.1)", server=server
    )
    notebook.run(0)
    view = notebook.shown(0)
    cell = notebook.run(1, wait=False)
    expect(cell.locator(".jp-InputPrompt").first).to_have_text("[*]:")
    open_feature(view, "s5")
    notebook.save()
    expect(cell.locator(".jp-InputPrompt").first).to_have_text("[*]:")
    (server.notebooks / "go").touch()
    expect(cell.locator(".jp-InputPrompt").first).to_have_text("[2]:")
    notebook.save()
    soon(lambda: pictures(server, notebook), ["s5"])
