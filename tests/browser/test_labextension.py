"""The JupyterLab extension in JupyterLab and in Notebook 7: a command, its three ways in, and settings."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest
from browser.awaiting import soon
from browser.jupyter import JupyterServer
from playwright.sync_api import expect

import ice_explorer

pytestmark = pytest.mark.slow

MAKE = """\
import ice_explorer as ice
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
x = ice.ICEExplorer(LinearRegression().fit(X, y), X)
x"""

USUAL = {"format": "svg", "dpi": 300, "palette": "default", "theme": "auto"}

# What Notebook 7 complains of in its own parts, with and without extensions.
OF_NOTEBOOK_7 = [
    "is duplicated.",
    "because it collides with",
    "[yjs#509] Not same Y.Doc",
    "(reading 'schema')",
    "Cannot convert undefined or null to object",
    "Settings failed to load for (@jupyterlab/",
]

OF_LAB_ABOUT_SETTINGS = [
    "Validating ice-explorer:plugin failed",
    "Ignored setting registry preload errors.",
    "Settings failed to load for (ice-explorer:plugin)",
]

HEAR = """explorer => explorer.addEventListener("ice-explorer:export", ({ detail, bubbles }) => {
    explorer.dataset.heard = JSON.stringify([detail, bubbles, Number(explorer.dataset.heard?.match(/\\d+/) ?? 0) + 1]);
})"""

PALETTE = ".jp-ModalCommandPalette"

FRAMES = "async () => { for (let i = 0; i < 20; i++) await new Promise(requestAnimationFrame); }"


@pytest.fixture(scope="module")
def data(root, tmp_path_factory):
    """A `share/jupyter` with the extension as it is built, so that nothing need be installed."""
    built = root / "js" / "lab" / "labextension"
    assert (built / "package.json").is_file(), "build the extension first: npm run build in js/lab/"
    folder = tmp_path_factory.mktemp("share")
    (folder / "labextensions").mkdir()
    (folder / "labextensions" / "ice-explorer").symlink_to(built, target_is_directory=True)
    return folder


@pytest.fixture(scope="module")
def lab(tmp_path_factory, data):
    """JupyterLab with the extension."""
    with JupyterServer(tmp_path_factory.mktemp("lab"), "lab", data) as server:
        yield server


@pytest.fixture(scope="module")
def notebook_7(tmp_path_factory, data):
    """Notebook 7 with the extension."""
    with JupyterServer(tmp_path_factory.mktemp("notebook"), "notebook", data) as server:
        yield server


@pytest.fixture(params=["lab", "notebook_7"])
def server(request, page):
    """Both, one after the other."""
    if request.param == "notebook_7":
        page.watch.expected += OF_NOTEBOOK_7
    return request.getfixturevalue(request.param)


@pytest.fixture
def open_notebook(page, request):
    """Open a notebook of given cells, whose kernel ends with the test."""
    opened = []

    def open_one(server, *cells):
        name = f"{request.node.originalname}.ipynb"
        server.write(name, cells)
        opened.append(server.open(page, name))
        return opened[-1]

    yield open_one
    for notebook in opened:
        notebook.shut_down()


def shown(notebook, index=0):
    """The explorer that a cell shows, which notes the events it gets."""
    notebook.run(index)
    view = notebook.explorer(index)
    expect(view).to_have_attribute("data-status", "ready", timeout=60_000)
    view.evaluate(HEAR)
    return view


def expect_asked(view, times=1):
    """Wait until so many exports were requested, as agreed; its dialog opens and keeps the focus."""
    expect(view).to_have_attribute("data-heard", f"[null,false,{times}]")
    view.page.evaluate(FRAMES)
    dialog = view.get_by_test_id("export-dialog")
    expect(dialog).to_be_visible()
    assert dialog.evaluate("dialog => dialog.contains(document.activeElement)")
    view.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def search_palette(page, words):
    """Open the palette and type; return what it offers."""
    page.keyboard.press("Control+Shift+c")
    page.locator(PALETTE).get_by_role("textbox").fill(words)
    return page.locator(PALETTE).get_by_role("menuitem", name=re.compile("^Export ICE figures…"))


def settings_of(page):
    """The messages that explorers on a page receive."""
    expect(page.locator("html")).to_have_attribute("data-ice-explorer-settings", re.compile("{"))
    return json.loads(page.locator("html").get_attribute("data-ice-explorer-settings"))


def test_it_is_listed_as_enabled(data):
    """`jupyter labextension list` finds the extension of this version, whole and enabled."""
    done = subprocess.run(
        [sys.executable, "-m", "jupyter", "labextension", "list"],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"JUPYTER_PATH": str(data), "NO_COLOR": "1"},
    )
    listed = re.sub(r"\x1b\[\d*m", "", done.stdout + done.stderr)
    assert f"ice-explorer v{ice_explorer.__version__} enabled OK (python, ice-explorer)" in listed


def test_the_palette(server, open_notebook, page):
    """The command of the palette opens the export of the explorer that was used last."""
    notebook = open_notebook(server, MAKE, "x", "")
    first, second = shown(notebook), shown(notebook, 1)
    second.get_by_test_id("decay-slider").focus()
    notebook.cells.nth(2).click()
    entry = search_palette(page, "ICE figures")
    expect(entry).to_have_count(1)
    expect(page.locator(PALETTE).locator(".lm-CommandPalette-header", has_text="ICE explorer")).to_be_attached()
    expect(entry).to_have_class(re.compile("lm-mod-active"))  # what was typed is searched for a moment later
    page.keyboard.press("Enter")
    expect_asked(second)
    # The dialog gives the keyboard back to what had it, so it opens once the palette has given it back.
    soon(lambda: notebook.cells.nth(2).evaluate("cell => cell.contains(document.activeElement)"), wanted=True)
    expect(first).not_to_have_attribute("data-heard", re.compile(""))


def test_the_context_menu(server, open_notebook, page):
    """The entry of the context menu opens the export of the explorer under the pointer; beside them is none."""
    notebook = open_notebook(server, MAKE, "x", "")
    first, second = shown(notebook), shown(notebook, 1)
    second.get_by_test_id("decay-slider").focus()
    # The event alone, as the menu key sends it: no press comes before.
    first.get_by_test_id("bar").first.evaluate(
        "bar => bar.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, clientX: 400, clientY: 300 }))"
    )
    entry = page.locator(".lm-Menu-item", has_text="Export ICE figures…")
    entry.click()
    expect_asked(first)
    expect(second).not_to_have_attribute("data-heard", re.compile(""))
    notebook.cells.nth(2).locator(".cm-content").click(button="right")
    expect(page.locator(".lm-Menu-item", has_text="Cut Cell")).to_be_visible()
    expect(entry).to_have_count(0)
    page.keyboard.press("Escape")


def test_the_shortcut(server, open_notebook, page):
    """The shortcut opens the export from a cell, of the explorer in sight, and inside an explorer."""
    notebook = open_notebook(server, MAKE, "")
    view = shown(notebook)
    notebook.cells.nth(1).locator(".cm-content").click()
    page.keyboard.press("Control+Shift+Y")
    expect_asked(view)
    view.get_by_test_id("decay-slider").focus()
    page.keyboard.press("Control+Shift+Y")
    expect_asked(view, times=2)


def test_without_an_explorer(server, open_notebook, page):
    """Where a notebook shows no explorer, the command says so."""
    notebook = open_notebook(server, "")
    notebook.cells.first.click()
    search_palette(page, "ICE figures").click()
    told = page.locator(".Toastify__toast")
    expect(told).to_contain_text("No ICE explorer is on screen. Run a cell that displays one, then try again.")


def test_where_no_notebook_is(lab, page):
    """On the launcher alone the palette does not offer the command."""
    lab.open_first_page(page)
    settings_of(page)
    page.locator(".jp-Launcher").wait_for()
    entry = search_palette(page, "ICE figures")
    expect(page.locator(PALETTE)).to_contain_text("No commands found")
    expect(entry).to_have_count(0)


def test_settings_of_administrators(server, root, page):
    """The example for administrators counts where its folder is one that Jupyter reads."""
    server.open_first_page(page)
    assert settings_of(page) == USUAL
    example = json.loads((root / "jupyter-config" / "overrides.d" / "ice_explorer.json").read_text(encoding="utf-8"))
    server.configure("default_setting_overrides.d/ice_explorer.json", example)
    server.open_first_page(page)
    assert settings_of(page) == USUAL | example["ice-explorer:plugin"]
    server.configure("default_setting_overrides.d/ice_explorer.json", {})


def test_malformed_settings(lab, open_notebook, page):
    """What is malformed takes only the settings away, and Lab says why: the palette still has the command."""
    page.watch.expected += OF_LAB_ABOUT_SETTINGS
    lab.configure("default_setting_overrides.d/ice_explorer.json", {"ice-explorer:plugin": {"dpi": "much"}})
    open_notebook(lab, "")
    expect(search_palette(page, "ICE figures")).to_have_count(1)
    expect(page.locator("html")).not_to_have_attribute("data-ice-explorer-settings", re.compile(""))
    page.keyboard.press("Escape")
    lab.configure("default_setting_overrides.d/ice_explorer.json", {})


def test_settings_of_users(lab, page):
    """What is chosen in the settings editor reaches explorers at once, and again after a reload."""
    lab.open_first_page(page)
    assert settings_of(page) == USUAL
    page.evaluate("document.addEventListener('ice-explorer:settings', () => { document.body.dataset.told = 'yes'; })")
    page.get_by_role("menuitem", name="Settings", exact=True).click()
    page.get_by_role("menuitem", name=re.compile("^Settings Editor")).click()
    page.locator(".jp-PluginList").get_by_text("ICE explorer", exact=True).click()
    # Lab's labels do not name their fields.
    page.locator("select[id$='ice-explorer:plugin_format']").select_option(label="PNG (image)")
    expect(page.locator("html")).to_have_attribute("data-ice-explorer-settings", re.compile('"png"'))
    page.locator("input[id$='ice-explorer:plugin_dpi']").fill("450")
    expect(page.locator("html")).to_have_attribute("data-ice-explorer-settings", re.compile('"png".*450'))
    expect(page.locator("body")).to_have_attribute("data-told", "yes")
    changed = USUAL | {"format": "png", "dpi": 450}
    soon(lambda: settings_of(page), changed)
    lab.open_first_page(page)
    soon(lambda: settings_of(page), changed)


def test_disabled(server, open_notebook, page):
    """Without the extension nothing of it is there, and the explorer is none the worse."""
    server.disable("@jupyterlab/apputils-extension:announcements", "ice-explorer")
    notebook = open_notebook(server, MAKE, "")
    view = shown(notebook)
    expect(page.locator("html")).not_to_have_attribute("data-ice-explorer-settings", re.compile(""))
    view.locator('[data-test=bar][data-feature="s5"]').click()
    expect(view).to_have_attribute("data-feature", "s5")
    notebook.agrees(1, "x.feature", "s5")
    view.get_by_test_id("bar").first.click(button="right")
    expect(page.locator(".lm-Menu-item", has_text="Cut Cell")).to_be_visible()
    expect(page.locator(".lm-Menu-item", has_text="Export ICE figures…")).to_have_count(0)
    server.disable("@jupyterlab/apputils-extension:announcements")
