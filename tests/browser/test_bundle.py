"""The built bundle in Chromium on a page without Jupyter, against a real explorer."""

from __future__ import annotations

import re
import threading
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from browser.awaiting import soon, still
from playwright.sync_api import expect

import ice_explorer as ice

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", name="X")
def observations():
    generator = np.random.default_rng(1)
    n = 60
    return pd.DataFrame(
        {
            "near": generator.normal(size=n),
            "far": np.round(generator.normal(size=n), 1),
            "flag": generator.integers(0, 2, n).astype(bool),
            "town": generator.choice(["Ur", "Uruk", "<b>Eridu</b>"], n),
        },
        index=[f"person {i}" for i in range(n)],
    )


def model(X):
    """`far` moves the prediction most, but only far from where the data is."""
    far = X["far"].to_numpy()
    return 2 * X["near"].to_numpy() + np.where(np.abs(far) > 1.5, 4 * far, 0.1 * far)


class Held:
    """The same model, whose calls wait until the gate is open."""

    def __init__(self):
        self.gate = threading.Event()
        self.n_calls = 0

    def predict(self, X):
        self.n_calls += 1
        if self.n_calls > 1:  # it is called once when an explorer is made
            assert self.gate.wait(20)
        return model(X)


@pytest.fixture
def held():
    held = Held()
    yield held
    held.gate.set()


def view(page, index=0):
    return page.get_by_test_id("ice-explorer").nth(index)


def ranked(page):
    """The features in the order of the bars on screen."""
    bars = page.get_by_test_id("bar").evaluate_all(
        "bars => bars.map(({ dataset }) => [Number(dataset.rank), dataset.feature])"
    )
    return [name for _, name in sorted(bars)]


def bar(page, feature):
    return page.locator(f'[data-test=bar][data-feature="{feature}"]')


def hears(explorer, trait, value):
    """Wait until Python has what the page sent: it arrives on a thread of the server."""
    soon(lambda: getattr(explorer, trait), value)


def requests(explorer, kind):
    """How often the browser has asked the kernel for something of a kind."""
    replies = [m["data"]["content"] for m in explorer.comm.sent if m["data"]["method"] == "custom"]
    keys = {"curves": "n_lines", "colors": "column", "rows": "rows", "export": "mime"}
    return sum(keys[kind] in reply.get("body", {}) for reply in replies)


# --- opening --------------------------------------------------------------------------------------


def test_it_opens_on_what_ranks_first(explore, page, X):
    """Bars in order of their figure, the first one open, its lines drawn."""
    explorer = explore(model, X)
    expect(view(page)).to_have_attribute("data-feature", explorer.feature)
    soon(lambda: ranked(page), list(explorer.table.index))
    expect(bar(page, explorer.feature)).to_have_attribute("aria-selected", "true")
    expect(view(page)).to_have_attribute("data-drawn-lines", "60")
    expect(page.get_by_test_id("curves")).to_have_attribute("data-state", "ready")
    expect(page.get_by_test_id("y-title")).to_have_text("↑ prediction")


def test_bars_fill_in_while_it_computes(explore, page, X, held):
    """Before any result the features are listed, and the status says what is going on."""
    explorer = explore(held, X, wait=False)
    expect(view(page)).to_have_attribute("data-status", "computing")
    expect(bar(page, "near")).to_have_attribute("data-pending", "")
    expect(page.get_by_test_id("status-text")).to_contain_text("0 of 4 features")
    expect(page.get_by_test_id("cancel")).to_be_visible()
    held.gate.set()
    expect(view(page)).to_have_attribute("data-status", "ready")
    expect(bar(page, "near")).not_to_have_attribute("data-pending", "")
    expect(page.get_by_test_id("cancel")).to_be_hidden()
    expect(view(page)).to_have_attribute("data-feature", explorer.feature)


def test_cancelling_is_said_and_an_opened_feature_is_computed(explore, page, X, held):
    """The button stops the computation; clicking a bar afterwards still gets its lines."""
    explorer = explore(held, X, wait=False)
    page.get_by_test_id("cancel").click()
    held.gate.set()
    expect(view(page)).to_have_attribute("data-status", "cancelled")
    expect(page.get_by_test_id("status-text")).to_contain_text("Cancelled after")
    bar(page, "flag").click()
    expect(view(page)).to_have_attribute("data-feature", "flag")
    hears(explorer, "feature", "flag")


def test_a_failing_model_is_a_sentence_on_screen(explore, page, X, caplog):
    """What the model raised stands in the status, as text."""

    def failing(X):
        if len(X) > 2:
            raise ValueError("<img src=x>")
        return model(X)

    explore(failing, X, wait=False)
    expect(view(page)).to_have_attribute("data-status", "error")
    expect(page.get_by_test_id("status-text")).to_contain_text("ValueError: <img src=x>")
    assert page.locator("img").count() == 0


def test_names_are_text_not_markup(explore, page):
    """Whatever a column is called, its name is shown as it is written."""
    name = "<script>alert(1)</script> & 'Größe'"
    X = pd.DataFrame({name: [1.0, 2.0, 3.0, 4.0], "b": [1.0, 0.0, 1.0, 0.0]})
    explore(lambda X: X[name].to_numpy(), X)
    expect(page.get_by_test_id("feature-title")).to_have_text(name)
    expect(page.get_by_test_id("bar").first).to_contain_text(name)
    assert page.locator("[data-test=ice-explorer] script").count() == 0


# --- in both directions ---------------------------------------------------------------------------


def test_a_click_on_a_bar_opens_it_in_python_too(explore, page, X):
    """Bar, curves and `x.feature` agree."""
    explorer = explore(model, X)
    bar(page, "flag").click()
    expect(view(page)).to_have_attribute("data-feature", "flag")
    expect(page.get_by_test_id("feature-title")).to_have_text("flag")
    hears(explorer, "feature", "flag")


def test_the_view_follows_python(explore, page, X):
    """Whatever is set from Python shows."""
    explorer = explore(model, X)
    explorer.feature = "far"
    explorer.kind = "c-ice"
    expect(view(page)).to_have_attribute("data-feature", "far")
    expect(view(page)).to_have_attribute("data-kind", "c-ice")
    expect(page.get_by_test_id("kind-c-ice")).to_have_attribute("aria-checked", "true")
    explorer.anchor = "median"
    expect(page.get_by_test_id("anchor")).to_have_value("median")
    explorer.anchor = 0.5
    expect(page.get_by_test_id("anchor-value")).to_have_value("0.5")
    explorer.color_by = "town"
    expect(page.get_by_test_id("legend-level")).to_have_count(3)
    explorer.rank_by = "non_linearity"
    expect(page.get_by_test_id("rank-by")).to_have_value("non_linearity")
    soon(lambda: ranked(page), list(explorer.table.index))
    explorer.decay = 0.2
    expect(page.get_by_test_id("decay-slider")).to_have_value("0.2")
    explorer.selection = [0, 7]
    expect(page.get_by_test_id("selected-line")).to_have_count(2)
    assert page.get_by_test_id("selected-line").evaluate_all("lines => lines.map(({ dataset }) => dataset.row)") == [
        "0",
        "7",
    ]
    explorer.max_lines = 5
    expect(view(page)).to_have_attribute("data-drawn-lines", re.compile("^[5-7]$"))


def test_python_follows_the_view(explore, page, X):
    """Whatever is chosen on screen is what the traits say."""
    explorer = explore(model, X)
    page.get_by_test_id("kind-d-ice").click()
    page.get_by_test_id("color-by").select_option("near")
    page.get_by_test_id("rank-by").select_option("impact")
    expect(view(page)).to_have_attribute("data-kind", "d-ice")
    page.get_by_test_id("kind-c-ice").click()
    page.get_by_test_id("anchor").select_option("own")
    expect(view(page)).to_have_attribute("data-kind", "c-ice")
    page.wait_for_function("host.model.get('anchor') === 'own'")
    page.evaluate("host.sent()")
    assert (explorer.kind, explorer.color_by, explorer.rank_by, explorer.anchor) == (
        "c-ice",
        "near",
        "impact",
        "own",
    )


def test_impact_is_counted_otherwise_without_the_model(explore, page, X):
    """The fold under the bars changes what Python says and what the bars show, without a call of the model."""
    calls = []

    def counted(X):
        calls.append(len(X))
        return model(X)

    explorer = explore(counted, X)
    explorer.feature = "far"
    expect(view(page)).to_have_attribute("data-feature", "far")
    # What the lines differ by is requested after they are shown, and may predict some of them.
    expect(page.get_by_test_id("drivers")).to_have_attribute("data-state", re.compile("ready|nothing"))
    before, n_calls = page.get_by_test_id("bar-figure").all_text_contents(), len(calls)
    page.get_by_test_id("details-summary").click()
    page.get_by_test_id("convention-published").check()
    expect(page.get_by_test_id("status-text")).to_contain_text("impact as published")
    page.get_by_test_id("convention-equations").check()
    expect(page.get_by_test_id("status-text")).to_contain_text("impact by interval, Eq. 1")
    hears(explorer, "convention", "equations")
    soon(lambda: ranked(page), list(explorer.table.index))
    assert page.get_by_test_id("bar-figure").all_text_contents() != before
    shown = float(bar(page, "far").get_by_test_id("bar-figure").text_content().rstrip("*"))
    np.testing.assert_allclose(shown, explorer.table["in_distribution_impact"]["far"], rtol=0.01)
    page.get_by_test_id("unit").select_option("share")
    hears(explorer, "unit", "share")
    text = bar(page, "far").get_by_test_id("bar-figure").text_content()
    share = float(text.rstrip("*").removesuffix("\N{NO-BREAK SPACE}%"))
    np.testing.assert_allclose(share, explorer.table["in_distribution_impact"]["far"], rtol=0.01)
    assert len(calls) == n_calls


def test_the_slider_sorts_the_bars_without_the_kernel(explore, page, X):
    """While the mouse moves, bars re-sort by the kernel's own table; at the end Python agrees."""
    explorer = explore(model, X, convention="equations")
    explorer.feature = "far"
    expect(view(page)).to_have_attribute("data-feature", "far")
    slider = page.get_by_test_id("decay-slider")
    box = still(slider)
    y = box["y"] + box["height"] / 2
    asked = requests(explorer, "curves")
    page.mouse.move(box["x"] + box["width"] * 0.7, y)
    page.mouse.down()
    orders = set()
    for share in np.linspace(0.7, 0.05, 20):
        page.mouse.move(box["x"] + box["width"] * share, y)
        decay = float(slider.input_value())
        table = explorer.explanation.table(decay=decay, sort_by="in_distribution_impact")
        soon(lambda: ranked(page), list(table.index))
        orders.add(tuple(table.index))
    page.mouse.up()
    final = float(slider.input_value())
    page.wait_for_function("value => host.model.get('decay') === value", arg=final)
    hears(explorer, "decay", final)
    assert len(orders) > 1, "the model of this test has an order that depends on the decay"
    assert requests(explorer, "curves") == asked
    expect(page.get_by_test_id("decay-value")).to_have_text(f"{final:.2f}".rstrip("0"))


def test_arrow_keys_move_the_slider_by_a_hundredth(explore, page, X):
    """The keyboard reaches every step, and Python hears of it."""
    explorer = explore(model, X)
    slider = page.get_by_test_id("decay-slider")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    expect(slider).to_have_value("0.72")
    page.wait_for_function("host.model.get('decay') === 0.72")
    expect(view(page)).to_have_attribute("data-status", "ready")
    hears(explorer, "decay", pytest.approx(0.72))


def test_a_decay_between_the_steps_is_marked_as_estimated(explore, page, X):
    """Set from Python, any decay shows; the readout says where it is interpolated."""
    explorer = explore(model, X)
    readout = page.get_by_test_id("decay-readout")
    explorer.decay = 0.7234
    expect(page.get_by_test_id("decay-value")).to_have_text("0.7234")
    expect(readout).to_contain_text("≈")
    explorer.decay = 0.3
    expect(page.get_by_test_id("decay-value")).to_have_text("0.3")
    expect(readout).not_to_contain_text("≈")


# --- rows -----------------------------------------------------------------------------------------


def test_hovering_names_the_row_and_a_click_selects_it(explore, page, X):
    """The first row can be found and selected as well as any other."""
    explorer = explore(model, X.iloc[:1].assign(flag=[True]))
    explorer.feature = "flag"
    expect(view(page)).to_have_attribute("data-feature", "flag")
    plot = page.get_by_test_id("plot")
    plot.focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_test_id("tooltip")).to_contain_text("person 0 (row 0)")
    expect(page.get_by_test_id("hovered-line")).to_have_attribute("data-row", "0")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("selected-line")).to_have_attribute("data-row", "0")
    hears(explorer, "selection", [0])
    assert list(explorer.selected.index) == ["person 0"]
    page.keyboard.press("Escape")  # closes the card of the row
    expect(page.get_by_test_id("row-card")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("selected-line")).to_have_count(0)


def test_the_mouse_finds_the_line_under_it(explore, page, X):
    """Pointing at the plot singles out a row, leaving it ends that."""
    explorer = explore(model, X)
    explorer.feature = "near"
    expect(view(page)).to_have_attribute("data-feature", "near")
    expect(page.get_by_test_id("drivers")).to_have_attribute("data-state", re.compile("ready|nothing"))
    box = still(page.get_by_test_id("plot"))
    found = None
    for share in np.linspace(0.1, 0.9, 17):
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * share)
        page.evaluate("new Promise(requestAnimationFrame)")
        if page.get_by_test_id("tooltip").is_visible():
            found = page.get_by_test_id("hovered-line").get_attribute("data-row")
            page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] * share)
            break
    assert found is not None
    expect(page.get_by_test_id("selected-line")).to_have_attribute("data-row", found)
    page.mouse.move(1, 1)
    expect(page.get_by_test_id("tooltip")).to_be_hidden()


def test_the_legend_switches_levels_off(explore, page, X):
    """A click on a level hides its lines, another shows them; without a request to the kernel."""
    explorer = explore(model, X)
    explorer.color_by = "town"
    levels = page.get_by_test_id("legend-level")
    expect(levels).to_have_count(3)
    first = levels.first.locator(".ice-legend-label").inner_text()
    n_first = int((X["town"] == first).sum())
    levels.first.click()
    expect(levels.first).to_have_attribute("aria-pressed", "false")
    expect(view(page)).to_have_attribute("data-drawn-lines", str(60 - n_first))
    levels.first.click()
    expect(view(page)).to_have_attribute("data-drawn-lines", "60")


def test_rows_without_a_value_are_drawn(explore, page, X):
    """A missing value has no place on the axis: its row has a line, and its dot beside the axis."""
    gaps = X.copy()
    gaps.loc[gaps.index[:30], "near"] = np.nan

    def forgiving(X):
        return model(X.fillna({"near": 0.0}))

    explorer = explore(forgiving, gaps)
    explorer.feature = "near"
    for kind in ("ice", "c-ice", "d-ice"):
        explorer.kind = kind
        expect(view(page)).to_have_attribute("data-kind", kind)
        expect(view(page)).to_have_attribute("data-drawn-lines", "60")
    explorer.kind = "c-ice"
    explorer.anchor = "own"
    explorer.selection = [0]
    selected = page.get_by_test_id("selected-line")
    expect(selected.locator("path").first).to_have_attribute("d", re.compile("^M"))
    expect(selected.locator("circle")).to_have_count(2)  # the prediction without the value, and as the own one
    beside = float(page.get_by_test_id("missing-axis").locator(".ice-baseline").get_attribute("x1"))
    assert float(selected.locator("circle").last.get_attribute("cx")) > beside
    explorer.kind = "d-ice"
    expect(selected.locator("circle")).to_have_count(0)
    page.get_by_test_id("plot").focus()
    for _ in range(5):
        page.keyboard.press("ArrowUp")
    expect(page.get_by_test_id("tooltip")).to_be_visible()
    assert "NaN" not in page.locator("main").inner_html()


def test_lines_that_agree_show_no_spread(explore, page, X):
    """The strip under the slopes is flat where lines differ by rounding only."""
    explorer = explore(model, X)
    explorer.feature = "far"
    explorer.kind = "d-ice"
    expect(view(page)).to_have_attribute("data-kind", "d-ice")
    strip = page.get_by_test_id("slope-spread").bounding_box()
    assert strip["height"] < 1


# --- files ----------------------------------------------------------------------------------------


def test_the_toolbar_saves_svg_and_png(explore, page, X, tmp_path):
    """Both menu items download a file that is what its name says."""
    explore(model, X)
    expect(view(page)).to_have_attribute("data-drawn-lines", "60")
    saved = {}
    for kind in ("svg", "png"):
        page.get_by_test_id("export").click()
        with page.expect_download() as download:
            page.get_by_test_id(f"export-{kind}").click()
        assert download.value.suggested_filename.endswith(f".{kind}")
        saved[kind] = tmp_path / f"view.{kind}"
        download.value.save_as(saved[kind])
    root = ET.parse(saved["svg"]).getroot()  # noqa: S314 - we wrote it
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert saved["png"].read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    expect(page.get_by_test_id("export-problem")).to_be_hidden()


# --- views ----------------------------------------------------------------------------------------


def test_two_views_stay_in_step(explore, page, X):
    """What one view does, the other shows; each draws for itself."""
    explore(model, X, views=2)
    expect(view(page, 1)).to_have_attribute("data-drawn-lines", "60")
    view(page, 0).locator('[data-test=bar][data-feature="flag"]').click()
    view(page, 0).get_by_test_id("kind-d-ice").click()
    for index in (0, 1):
        expect(view(page, index)).to_have_attribute("data-feature", "flag")
        expect(view(page, index)).to_have_attribute("data-kind", "d-ice")
    view(page, 1).get_by_test_id("decay-slider").focus()
    page.keyboard.press("Home")
    expect(view(page, 0).get_by_test_id("decay-slider")).to_have_value("0.01")


def test_a_removed_view_leaves_nothing_behind(explore, page, X):
    """Cleaning up takes every listener along; the other view goes on."""
    explorer = explore(model, X, views=2)
    expect(view(page, 1)).to_have_attribute("data-drawn-lines", "60")
    with_two = page.evaluate("host.model.n_listeners")
    page.evaluate("host.remove(0)")
    assert page.evaluate("host.model.n_listeners") == with_two / 2
    explorer.kind = "c-ice"
    expect(view(page)).to_have_attribute("data-kind", "c-ice")
    page.evaluate("host.remove(1)")
    assert page.evaluate("host.model.n_listeners") == 0
    explorer.kind = "ice"
    page.wait_for_function("host.model.get('kind') === 'ice'")
    assert page.locator("main").inner_text() == ""


def test_a_closed_explorer_says_so_and_stays_readable(explore, page, X):
    """When the kernel closes the explorer, the picture stays, the slider still works, and the view says why."""
    explorer = explore(model, X)
    expect(view(page)).to_have_attribute("data-drawn-lines", "60")
    explorer.close()
    expect(view(page)).to_have_attribute("data-status", "gone")
    expect(page.get_by_test_id("status-text")).to_contain_text("has stopped")
    slider = page.get_by_test_id("decay-slider")
    slider.focus()
    page.keyboard.press("Home")
    expect(page.get_by_test_id("decay-value")).to_have_text("0.01")
    assert view(page).get_attribute("data-drawn-lines") == "60"


def test_narrow_and_wide_are_laid_out_for_themselves(explore, page, X):
    """Below 900 px panels stand in one column, and nothing sticks out."""
    explore(model, X, width=400)
    expect(view(page)).to_have_attribute("data-layout", "narrow")
    expect(view(page)).to_have_attribute("data-drawn-lines", "60")
    sticking_out = view(page).evaluate(
        """root => [...root.querySelectorAll("*")].filter((part) => {
            const box = part.getBoundingClientRect();
            return box.width > 0 && box.right > root.getBoundingClientRect().right + 1
                && getComputedStyle(part).position !== "absolute";
        }).map((part) => part.outerHTML.slice(0, 80))"""
    )
    assert sticking_out == []
    view(page).evaluate("root => { root.parentElement.style.width = '1000px'; }")
    expect(view(page)).to_have_attribute("data-layout", "wide")


def test_a_dark_page_is_followed(explore, page, X):
    """The theme is that of the page, also when it changes."""
    explore(model, X)
    expect(view(page)).to_have_attribute("data-theme", "light")
    page.evaluate("document.body.classList.add('dark')")
    expect(view(page)).to_have_attribute("data-theme", "dark")


@pytest.mark.parametrize("scale", [1, 2])
def test_a_thousand_lines_are_dragged_fluently(explore, page, scale):
    """A step of the slider is drawn in a fraction of what would be felt, with a thousand lines."""
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(1000, 3)), columns=["a", "b", "c"])
    explanation = ice.explain(
        lambda X: np.sin(3 * X["a"]).to_numpy() + X["b"].to_numpy() * X["a"].to_numpy(),
        X,
        grid="quantile",
        progress=False,
    )
    page.emulate_media()
    session = page.context.new_cdp_session(page)
    session.send(
        "Emulation.setDeviceMetricsOverride",
        {"width": 1280, "height": 900, "deviceScaleFactor": scale, "mobile": False},
    )
    explore(explanation)
    expect(view(page)).to_have_attribute("data-drawn-lines", "1000")
    slider = page.get_by_test_id("decay-slider")
    box = still(slider)
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.9, y)
    page.mouse.down()
    spent = []
    for share in np.linspace(0.9, 0.1, 60):
        page.mouse.move(box["x"] + box["width"] * share, y)
        page.evaluate("new Promise(requestAnimationFrame)")
        spent.append(float(view(page).get_attribute("data-frame-ms")))
    page.mouse.up()
    expect(view(page)).to_have_attribute("data-drawn-lines", "1000")
    print(f"device pixel ratio {scale}: median {np.median(spent):.1f} ms per step of the slider")
    # Twenty times the budget of a frame, for the slowest machine that runs this.
    assert np.median(spent) < 160
