"""Explorers in marimo: under a shadow root, two of one script, with a notebook that follows them."""

from __future__ import annotations

import re

import pytest
from browser.awaiting import soon, still
from browser.marimo_app import MarimoServer
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

APP = """\
import marimo

app = marimo.App(width="full")


@app.cell
def _():
    import marimo as mo
    from sklearn.datasets import load_diabetes
    from sklearn.ensemble import RandomForestRegressor

    import ice_explorer as ice

    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    model = RandomForestRegressor(n_estimators=20, random_state=0).fit(X, y)
    return X, ice, mo, model


@app.cell
def _(X, ice, mo, model):
    explorer = ice.ICEExplorer(model, X)
    feature, set_feature = mo.state(explorer.feature)
    explorer.observe(lambda change: set_feature(change.new), "feature")
    first = mo.ui.anywidget(explorer)
    first
    return explorer, feature, first


@app.cell
def _(X, ice, mo, model):
    second = mo.ui.anywidget(ice.ICEExplorer(model, X, features=["bmi", "bp", "s5"]))
    second
    return (second,)


@app.cell
def _(first, mo):
    value = first.value
    mo.md(f"open {value['feature']}; decay {value['decay']}; {len(value['selection'])} rows; by {value['color_by']}")
    return


@app.cell
def _(feature, mo):
    mo.md(f"state {feature()}")
    return


@app.cell
def _(mo):
    button = mo.ui.run_button(label="open sex")
    button
    return (button,)


@app.cell
def _(button, explorer):
    if button.value:
        explorer.feature = "sex"
    return


if __name__ == "__main__":
    app.run()
"""

# marimo loads pictures for a part of its own ahead and then does not use them.
_OF_MARIMO = "was preloaded using link preload but not used"


@pytest.fixture(scope="module", params=["light", "dark"])
def server(tmp_path_factory, request):
    with MarimoServer(tmp_path_factory.mktemp("marimo"), APP, request.param) as server:
        server.theme = request.param
        yield server


@pytest.fixture
def views(server, page):
    """Both explorers, once they have drawn all they have to."""
    page.watch.expected.append(_OF_MARIMO)
    page.goto(server.url)
    views = page.get_by_test_id("ice-explorer")
    for index in range(2):
        expect(views.nth(index)).to_have_attribute("data-status", "ready", timeout=90_000)
        expect(views.nth(index)).to_have_attribute("data-drawn-lines", "442")
        expect(views.nth(index).get_by_test_id("drivers")).to_have_attribute("data-state", "ready")
    return views.nth(0), views.nth(1)


def ranked(view):
    """The features in the order of the bars on screen."""
    bars = view.get_by_test_id("bar").evaluate_all(
        "bars => bars.map(({ dataset }) => [Number(dataset.rank), dataset.feature])"
    )
    return [name for _, name in sorted(bars)]


def test_a_notebook_follows_its_explorer(views, page):
    """A slider ranks anew, a bar opens, a column colours, a brush selects; cells that read `.value` run again."""
    first, second = views
    said = page.locator(".paragraph", has_text="decay")
    expect(said).to_contain_text("decay 0.75; 0 rows; by None")
    slider = first.get_by_test_id("decay-slider")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("PageDown")
    moved = float(slider.input_value())
    assert moved < 0.75
    expect(first.get_by_test_id("decay-value")).to_have_text(f"{moved:g}")
    expect(said).to_contain_text(f"decay {moved:g};")
    first.locator('[data-test=bar][data-feature="s5"]').click()
    expect(first).to_have_attribute("data-feature", "s5")
    expect(said).to_contain_text("open s5;")
    first.get_by_test_id("color-by").select_option("sex")
    expect(said).to_contain_text("by sex")
    expect(first.get_by_test_id("legend")).to_contain_text("sex")
    expect(first.get_by_test_id("drivers")).to_have_attribute("data-state", re.compile("ready|nothing"))
    box = still(first.get_by_test_id("plot"))
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.4, steps=5)
    page.mouse.up()
    expect(said).to_contain_text(re.compile(r"; [1-9]\d* rows"))
    # The other explorer runs the same script, and shares nothing with this one.
    expect(second).to_have_attribute("data-feature", "bmi")
    expect(second.get_by_test_id("decay-value")).to_have_text("0.75")
    soon(lambda: sorted(ranked(second)), ["bmi", "bp", "s5"])


def test_a_notebook_follows_what_python_sets(views, page):
    """A cell that reads a state of marimo's runs again, whichever side opens a feature."""
    first, _ = views
    said = page.locator(".paragraph", has_text="state")
    first.locator('[data-test=bar][data-feature="s5"]').click()
    expect(said).to_have_text("state s5")
    page.get_by_role("button", name="open sex").click()
    expect(first).to_have_attribute("data-feature", "sex")
    expect(said).to_have_text("state sex")


def test_the_keyboard_works_under_a_shadow_root(views, page):
    """Focus goes where it goes elsewhere: along bars, out of a menu, from a button that disappears."""
    first, _ = views
    first.locator('[data-test=bar][data-feature="bmi"]').focus()
    page.keyboard.press("ArrowDown")
    expect(first.locator("[data-test=bar]:focus")).to_have_attribute("data-feature", "s5")
    expect(first.get_by_test_id("export")).to_be_enabled()
    first.get_by_test_id("export").focus()
    page.keyboard.press("Enter")
    expect(first.get_by_test_id("export-svg")).to_be_focused()
    page.keyboard.press("Escape")
    expect(first.get_by_test_id("export")).to_be_focused()
    # Zoomed in and out again by its button, the plot's tools have the focus, not the page.
    plot = first.get_by_test_id("plot")
    plot.focus()
    page.keyboard.press("+")
    reset = first.get_by_test_id("zoom-reset")
    expect(reset).to_be_visible()
    reset.focus()
    page.keyboard.press("Enter")
    expect(reset).to_be_hidden()
    expect(first.get_by_test_id("tool-select")).to_be_focused()
    # A feature chosen among all of them: the tab has the focus afterwards.
    first.get_by_test_id("tab-all").click()
    tile = first.get_by_test_id("tile").first
    expect(tile).to_be_visible()
    tile.focus()
    page.keyboard.press("Enter")
    expect(first.get_by_test_id("tab-feature")).to_have_attribute("aria-selected", "true")
    expect(first.get_by_test_id("tab-feature")).to_be_focused()


def test_menus_and_the_tooltip(views, page):
    """A line is named under the mouse; the menu closes with a press elsewhere, in the explorer or outside."""
    first, second = views
    box = still(first.get_by_test_id("plot"))
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.5, steps=3)
    expect(first.get_by_test_id("tooltip")).to_be_visible()
    expect(second.get_by_test_id("tooltip")).to_be_hidden()
    button = first.get_by_test_id("view")
    for elsewhere in (first.get_by_test_id("feature-title"), second.get_by_test_id("feature-title")):
        button.click()
        expect(first.get_by_test_id("view-menu")).to_be_visible()
        first.get_by_test_id("view-menu").locator("input").first.click()
        expect(first.get_by_test_id("view-menu")).to_be_visible()
        elsewhere.click()
        expect(first.get_by_test_id("view-menu")).to_be_hidden()


# However a style sheet writes a colour, painted it is four numbers.
_PIXEL = """(() => {{
    const pen = document.createElement("canvas").getContext("2d");
    pen.fillStyle = getComputedStyle({}).{};
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
}})()"""


def test_it_looks_as_the_notebook_does(views, page, server):
    """Paper and ink are marimo's, in the light and in the dark."""
    first, _ = views
    expect(first).to_have_attribute("data-theme", server.theme)
    properties = ("backgroundColor", "color")
    of_page = [page.evaluate(_PIXEL.format("document.body", each)) for each in properties]
    soon(lambda: [first.evaluate("view => " + _PIXEL.format("view", each)) for each in properties], of_page)


def test_files_are_downloaded(views, page, tmp_path):
    """The kernel draws, the browser saves."""
    first, _ = views
    for suffix, head in (("svg", b"<svg"), ("png", b"\x89PNG")):
        first.get_by_test_id("export").click()
        with page.expect_download() as download:
            first.get_by_test_id(f"export-{suffix}").click()
        download.value.save_as(tmp_path / f"picture.{suffix}")
        assert head in (tmp_path / f"picture.{suffix}").read_bytes()[:200]


AGAIN = """\
import marimo

app = marimo.App()


@app.cell
def _():
    import threading
    import time

    import ipywidgets
    import marimo as mo
    import numpy as np

    import ice_explorer as ice

    again = mo.ui.button(label="again")
    count = mo.ui.button(label="count", value=0, on_click=lambda value: value + 1)
    mo.hstack([again, count])
    return again, count, ice, ipywidgets, mo, np, threading, time


@app.cell
def _(again, ice, mo, np, time):
    again

    def slow(X):
        time.sleep(1)
        return X[:, 0]

    explorer = ice.ICEExplorer(slow, np.random.default_rng(0).normal(size=(50, 20)), engine="brute")
    shown = mo.ui.anywidget(explorer)
    shown
    return explorer, shown


@app.cell
def _(count, ipywidgets, mo, threading):
    threads = sum(thread.name == "ice-explorer" for thread in threading.enumerate())
    mo.md(f"count {count.value}: {threads} of {len(ipywidgets.widgets.widget._instances)}")
    return


if __name__ == "__main__":
    app.run()
"""


def test_a_cell_that_runs_again_leaves_one_explorer(tmp_path, page):
    """Runs of a cell leave one thread, and one explorer with its layout."""
    page.watch.expected.append(_OF_MARIMO)
    with MarimoServer(tmp_path, AGAIN) as server:
        page.goto(server.url)
        view = page.get_by_test_id("ice-explorer")
        said = page.locator(".paragraph", has_text=re.compile(r"count \d"))
        for _ in range(4):
            expect(view).to_have_attribute("data-status", "computing", timeout=90_000)
            before = view.element_handle()
            page.get_by_role("button", name="again").click()
            soon(lambda before=before: before.evaluate("view => view.isConnected"), wanted=False)
        expect(view).to_have_attribute("data-status", "computing")

        def counted():
            before = said.inner_text()
            page.get_by_role("button", name="count").click()
            expect(said).not_to_have_text(before)
            return said.inner_text().partition(": ")[2]

        soon(counted, "1 of 2")
