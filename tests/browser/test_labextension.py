"""The JupyterLab extension in JupyterLab and in Notebook 7: a command, its three ways in, and settings."""

from __future__ import annotations

import json
import re

import pytest
from browser.awaiting import soon
from browser.jupyter import EXPLORER
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

USUAL = {"format": "svg", "dpi": 300, "theme": "auto"}

OF_LAB_ABOUT_SETTINGS = [
    "Validating ice-explorer:plugin failed",
    "Ignored setting registry preload errors.",
    "Settings failed to load for (ice-explorer:plugin)",
]

HEAR = """explorer => explorer.addEventListener("ice-explorer:export", ({ detail, bubbles }) => {
    explorer.dataset.heard = JSON.stringify([detail, bubbles, Number(explorer.dataset.heard?.match(/\\d+/) ?? 0) + 1]);
})"""

OVERRIDES = "default_setting_overrides.d/ice_explorer.json"

PALETTE = ".jp-ModalCommandPalette"


@pytest.fixture(params=["lab", "notebook_7"])
def host(request):
    """A notebook in either."""
    if request.param == "lab":
        return request.getfixturevalue("notebook")
    return request.getfixturevalue("open_notebook")("", server=request.getfixturevalue("notebook_7"))


def expect_asked(view, times=1):
    """Wait until so many exports were requested, as agreed; its menu opens and keeps the focus."""
    expect(view).to_have_attribute("data-heard", f"[null,false,{times}]")
    view.page.evaluate("async () => { for (let i = 0; i < 20; i++) await new Promise(requestAnimationFrame); }")
    menu = view.get_by_test_id("export-menu")
    expect(menu).to_be_visible()
    assert menu.evaluate("menu => menu.contains(document.activeElement)")
    view.page.keyboard.press("Escape")
    expect(menu).to_be_hidden()


def search_palette(page, words):
    """Open the palette and type; return what it offers."""
    page.keyboard.press("Control+Shift+c")
    page.locator(PALETTE).get_by_role("textbox").fill(words)
    return page.locator(PALETTE).get_by_role("menuitem", name=re.compile("^Export ICE figures…"))


def settings_of(page):
    """The messages that explorers on a page receive."""
    expect(page.locator("html")).to_have_attribute("data-ice-explorer-settings", re.compile("{"))
    return json.loads(page.locator("html").get_attribute("data-ice-explorer-settings"))


def test_three_ways_to_the_export(host):
    """The palette takes the explorer used last, the context menu the one pointed at, the shortcut the one in sight."""
    page = host.page
    first = host.show(EXPLORER, "x", "")
    host.run(1)
    second = host.shown(1)
    for view in (first, second):
        view.evaluate(HEAR)
    second.get_by_test_id("decay-slider").focus()
    host.cells.nth(2).click()
    entry = search_palette(page, "ICE figures")
    expect(entry).to_have_count(1)
    expect(page.locator(PALETTE).locator(".lm-CommandPalette-header", has_text="ICE explorer")).to_be_attached()
    expect(entry).to_have_class(re.compile("lm-mod-active"))  # what was typed is searched for a moment later
    page.keyboard.press("Enter")
    expect_asked(second)
    # The menu gives the keyboard back to what had it, so it opens once the palette has given it back.
    soon(lambda: host.cells.nth(2).evaluate("cell => cell.contains(document.activeElement)"), wanted=True)
    expect(first).not_to_have_attribute("data-heard", re.compile(""))

    # The event alone, as the menu key sends it: no press comes before.
    first.get_by_test_id("bar").first.evaluate(
        "bar => bar.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, clientX: 400, clientY: 300 }))"
    )
    entry = page.locator(".lm-Menu-item", has_text="Export ICE figures…")
    entry.click()
    expect_asked(first)
    host.cells.nth(2).locator(".cm-content").click(button="right")
    expect(page.locator(".lm-Menu-item", has_text="Cut Cell")).to_be_visible()
    expect(entry).to_have_count(0)
    page.keyboard.press("Escape")

    second.get_by_test_id("decay-slider").focus()
    page.keyboard.press("Control+Shift+Y")
    expect_asked(second, times=2)
    host.fill("", "")
    expect(page.get_by_test_id("ice-explorer")).to_have_count(0)
    host.cells.first.click()
    search_palette(page, "ICE figures").click()
    told = page.locator(".Toastify__toast")
    expect(told).to_contain_text("No ICE explorer is on screen. Run a cell that displays one, then try again.")
    told.locator(".jp-Notification-Toast-Close").click()
    expect(told).to_have_count(0)


def test_where_no_notebook_is(lab, page):
    """On the launcher alone the palette does not offer the command."""
    lab.open_first_page(page)
    settings_of(page)
    page.locator(".jp-Launcher").wait_for()
    entry = search_palette(page, "ICE figures")
    expect(page.locator(PALETTE)).to_contain_text("No commands found")
    expect(entry).to_have_count(0)


def test_settings_of_administrators(lab, open_notebook, root, page):
    """The example for administrators counts; what is malformed takes only the settings away, and Lab says why."""
    example = json.loads((root / "jupyter-config" / "overrides.d" / "ice_explorer.json").read_text(encoding="utf-8"))
    lab.configure(OVERRIDES, example)
    lab.open_first_page(page)
    assert settings_of(page) == USUAL | example["ice-explorer:plugin"]
    page.watch.expected += OF_LAB_ABOUT_SETTINGS
    lab.configure(OVERRIDES, {"ice-explorer:plugin": {"dpi": "much"}})
    open_notebook("")
    lab.configure(OVERRIDES, {})
    expect(search_palette(page, "ICE figures")).to_have_count(1)
    expect(page.locator("html")).not_to_have_attribute("data-ice-explorer-settings", re.compile(""))


def test_settings_of_users(lab, page):
    """What is chosen in the settings editor reaches explorers at once, and again after a reload, until it is reset."""
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
    expect(page.locator("body")).to_have_attribute("data-told", "yes")
    changed = USUAL | {"format": "png", "dpi": 450}
    soon(lambda: settings_of(page), changed)
    lab.open_first_page(page)
    soon(lambda: settings_of(page), changed)
    page.evaluate("jupyterapp.serviceManager.settings.save('ice-explorer:plugin', '{}')")
    lab.open_first_page(page)
    soon(lambda: settings_of(page), USUAL)


def test_disabled(lab, open_notebook, page):
    """Without the extension nothing of it is there, and the explorer is none the worse."""
    usual = "@jupyterlab/apputils-extension:announcements"
    lab.disable(usual, "ice-explorer")
    try:
        notebook = open_notebook(EXPLORER)
    finally:
        lab.disable(usual)
    notebook.run(0)
    view = notebook.shown(0)
    expect(page.locator("html")).not_to_have_attribute("data-ice-explorer-settings", re.compile(""))
    view.locator('[data-test=bar][data-feature="s5"]').click()
    expect(view).to_have_attribute("data-feature", "s5")
    notebook.agrees("x.feature", "s5")
    view.get_by_test_id("bar").first.click(button="right")
    expect(page.locator(".lm-Menu-item", has_text="Cut Cell")).to_be_visible()
    expect(page.locator(".lm-Menu-item", has_text="Export ICE figures…")).to_have_count(0)
