"""Explorers in marimo: under a shadow root, two of one script, with a notebook that follows them."""

from __future__ import annotations

import re

import pytest
from browser.awaiting import soon, still
from browser.server import serve_marimo
from browser.views import bar, brush, ranked, set_in_menu
from playwright.sync_api import expect

APP = """\
import marimo

app = marimo.App(width="full")


@app.cell
def _():
    import ipywidgets
    import marimo as mo
    from sklearn.datasets import load_diabetes
    from sklearn.ensemble import RandomForestRegressor

    import ice_explorer as ice

    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    model = RandomForestRegressor(n_estimators=20, random_state=0).fit(X, y)
    return X, ice, ipywidgets, mo, model


@app.cell
def _(X, ice, mo, model):
    explorer = ice.ICEExplorer(model, X)
    feature, set_feature = mo.state(explorer.feature)
    explorer.observe(lambda change: set_feature(change.new), "feature")
    first = mo.ui.anywidget(explorer)
    first
    return explorer, feature, first


@app.cell
def _(X, again, ice, mo, model):
    again
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
    again = mo.ui.button(label="again")
    count = mo.ui.button(label="count", value=0, on_click=lambda value: value + 1)
    mo.hstack([button, again, count])
    return again, button, count


@app.cell
def _(count, ipywidgets, mo):
    mo.md(f"count {count.value}: {len(ipywidgets.widgets.widget._instances)}")
    return


@app.cell
def _(button, explorer):
    if button.value:
        explorer.feature = "sex"
    return
"""

# marimo loads pictures for a part of its own ahead and then does not use them.
_OF_MARIMO = "was preloaded using link preload but not used"


@pytest.fixture(scope="module")
def light(tmp_path_factory):
    with serve_marimo(tmp_path_factory.mktemp("marimo"), APP) as url:
        yield url


def open_views(page, url):
    """Open the app; return both explorers, once they have drawn all they have to."""
    page.watch.expected.append(_OF_MARIMO)
    page.goto(url)
    views = page.get_by_test_id("ice-explorer")
    for index in range(2):
        expect(views.nth(index)).to_have_attribute("data-status", "ready", timeout=90_000)
        expect(views.nth(index)).to_have_attribute("data-drawn-lines", "442")
        expect(views.nth(index).get_by_test_id("drivers")).to_have_attribute("data-state", "ready")
    return views.nth(0), views.nth(1)


@pytest.fixture
def views(light, page):
    return open_views(page, light)


# However a style sheet writes a colour, painted it is four numbers.
_PIXEL = """(() => {{
    const pen = document.createElement("canvas").getContext("2d");
    pen.fillStyle = getComputedStyle({}).{};
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
}})()"""


def assert_looks_like_the_page(view, page, theme):
    """Paper and ink are marimo's."""
    expect(view).to_have_attribute("data-theme", theme)
    properties = ("backgroundColor", "color")
    of_page = [page.evaluate(_PIXEL.format("document.body", each)) for each in properties]
    soon(lambda: [view.evaluate("view => " + _PIXEL.format("view", each)) for each in properties], of_page)


def test_a_notebook_follows_its_explorer(views, page):
    """Cells that read `.value` or a state run again, whichever side changed it; another explorer shares nothing."""
    first, second = views
    assert_looks_like_the_page(first, page, "light")
    values = page.locator(".paragraph", has_text="decay")
    state = page.locator(".paragraph", has_text="state")
    expect(values).to_contain_text("decay 0.75; 0 rows; by None")
    slider = first.get_by_test_id("decay-slider")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("PageDown")
    moved = float(slider.input_value())
    assert moved < 0.75
    expect(first.get_by_test_id("decay-value")).to_have_text(f"{moved:g}")
    expect(values).to_contain_text(f"decay {moved:g};")
    bar(first, "s5").click()
    expect(first).to_have_attribute("data-feature", "s5")
    expect(values).to_contain_text("open s5;")
    expect(state).to_have_text("state s5")
    set_in_menu(first, "color-by", "sex")
    expect(values).to_contain_text("by sex")
    expect(first.get_by_test_id("legend")).to_contain_text("sex")
    expect(first.get_by_test_id("drivers")).to_have_attribute("data-state", re.compile("ready|nothing"))
    brush(page, first, 0.5, 0.08, 0.4)
    expect(values).to_contain_text(re.compile(r"; [1-9]\d* rows"))
    expect(second).to_have_attribute("data-feature", "bmi")
    expect(second.get_by_test_id("decay-value")).to_have_text("0.75")
    soon(lambda: sorted(ranked(second)), ["bmi", "bp", "s5"])
    page.get_by_role("button", name="open sex").click()
    expect(first).to_have_attribute("data-feature", "sex")
    expect(state).to_have_text("state sex")


@pytest.mark.slow
def test_keyboard_menus_and_files_under_a_shadow_root(views, page, tmp_path):
    """Focus goes where it goes elsewhere, menus close with a press elsewhere, the kernel's files come down."""
    first, second = views
    bar(first, "bmi").focus()
    page.keyboard.press("ArrowDown")
    expect(first.locator("[data-test=bar]:focus")).to_have_attribute("data-feature", "s5")
    expect(first.get_by_test_id("export")).to_be_enabled()
    first.get_by_test_id("export").focus()
    page.keyboard.press("Enter")
    expect(first.get_by_test_id("export-column-svg")).to_be_focused()
    page.keyboard.press("Escape")
    expect(first.get_by_test_id("export")).to_be_focused()
    # A feature chosen among all of them: the tab has the focus afterwards.
    first.get_by_test_id("tab-all").click()
    first.get_by_test_id("tile-open").first.press("Enter")
    expect(first.get_by_test_id("tab-feature")).to_have_attribute("aria-selected", "true")
    expect(first.get_by_test_id("tab-feature")).to_be_focused()

    box = still(first.get_by_test_id("plot"))
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.5, steps=3)
    expect(first.get_by_test_id("tooltip")).to_be_visible()
    expect(second.get_by_test_id("tooltip")).to_be_hidden()
    menu = first.get_by_test_id("view-menu")
    for elsewhere in (first, second):
        first.get_by_test_id("view").click()
        first.get_by_test_id("view-ale").click()
        expect(menu).to_be_visible()
        elsewhere.get_by_test_id("feature-title").click()
        expect(menu).to_be_hidden()

    for suffix, head in (("svg", b"<svg"), ("png", b"\x89PNG")):
        first.get_by_test_id("export").click()
        with page.expect_download() as download:
            first.get_by_test_id(f"export-page-{suffix}").click()
        download.value.save_as(tmp_path / f"picture.{suffix}")
        assert head in (tmp_path / f"picture.{suffix}").read_bytes()[:200]


@pytest.mark.slow
def test_it_looks_dark_where_the_notebook_does(tmp_path, page):
    """Paper and ink are marimo's in the dark, too."""
    with serve_marimo(tmp_path, APP, "dark") as url:
        first, _ = open_views(page, url)
        assert_looks_like_the_page(first, page, "dark")


@pytest.mark.slow
def test_a_cell_that_runs_again_leaves_one_explorer(views, page):
    """Explorers of former runs are closed, with their layouts."""
    _, second = views
    counts = page.locator(".paragraph", has_text=re.compile(r"count \d"))

    def count():
        before = counts.inner_text()
        page.get_by_role("button", name="count").click()
        expect(counts).not_to_have_text(before)
        return int(counts.inner_text().partition(": ")[2])

    before = count()
    for _ in range(3):
        shown = second.element_handle()
        page.get_by_role("button", name="again").click()
        soon(lambda shown=shown: shown.evaluate("view => view.isConnected"), wanted=False)
        expect(second).to_have_attribute("data-status", "ready")
    soon(lambda: count() <= before, wanted=True)
