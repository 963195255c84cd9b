"""A saved page in Chromium, opened from its file where there is no network: every part lives, and nothing leaves it."""

from __future__ import annotations

import html
import io
import re
from contextlib import closing
from pathlib import Path

import comm
import numpy as np
import pandas as pd
import pypdf
import pytest
from browser.awaiting import soon, still
from kernel_end import Wire
from numpy.testing import assert_allclose
from PIL import Image
from playwright.sync_api import expect

import ice_explorer as ice

pytestmark = pytest.mark.slow

FIGURE = "in_distribution_impact"
AXE = Path(__file__).parents[2] / "js" / "node_modules" / "axe-core" / "axe.min.js"
EVIL = "</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module", name="X")
def observations():
    generator = np.random.default_rng(1)
    n = 60
    return pd.DataFrame(
        {
            "near": generator.normal(size=n),
            "far": np.round(generator.normal(size=n), 1),
            "flag": generator.integers(0, 2, n).astype(bool),
            EVIL: generator.normal(size=n),
            "town": generator.choice(["Ur", "Uruk", "<b onclick=alert(2)>Eridu</b>"], n),
            "since": pd.date_range("2024-01-01", periods=n),
        },
        index=[f"<i>person</i> {i}" for i in range(n)],
    )


class Hostile:
    """`far` moves the prediction most, but only far from where the data is; `town` parts the lines of `near`."""

    def predict(self, X):
        far = X["far"].to_numpy()
        steep = np.where(X["town"] == "Ur", 1.0, 3.0) * X["near"].to_numpy()
        return steep + np.where(np.abs(far) > 1.5, 4 * far, 0.1 * far) + 0.3 * X[EVIL].to_numpy()


class Gaps:
    """Two features, one of which may be missing."""

    def predict(self, X):
        near, gaps = X["near"].to_numpy(), X["gaps"].fillna(3).to_numpy()
        return near**2 + np.where(X["town"] == "Ur", 1.0, 2.0) * gaps + 10


Hostile.__name__ = Hostile.__qualname__ = "</title><script>alert(3)</script>"


@pytest.fixture(scope="module")
def explanation(X):
    return ice.explain(Hostile(), X, progress=False)


@pytest.fixture
def explorer(monkeypatch, bundle, X):
    """An explorer that nobody shows."""
    monkeypatch.setattr(comm, "create_comm", Wire)
    with closing(ice.ICEExplorer(Hostile(), X, np.arange(60.0))) as made:
        made.feature = "near"
        yield made


@pytest.fixture(scope="module")
def saved(bundle, explanation, tmp_path_factory):
    """The page of all rows that most tests look at."""
    return explanation.save(tmp_path_factory.mktemp("frozen") / "report.html", feature="near")


class Alone:
    """A page without a network, and all that it asked, said or popped up."""

    def __init__(self, context):
        self.page = context.new_page()
        self.asked, self.said = [], []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", self._dialog)

    def _console(self, message):
        # That of a test that looks at pixels.
        if not message.text.startswith("Canvas2D: Multiple readback"):
            self.said.append(message.text)

    def _dialog(self, dialog):
        self.said.append(f"dialog: {dialog.message}")
        dialog.dismiss()


@pytest.fixture
def open_alone(browser):
    """Open files offline; whatever a page asks for but itself, or says, fails the test."""
    contexts = []

    def open_one(file, script=None, **options):
        context = browser.new_context(offline=True, **{"viewport": {"width": 1280, "height": 900}, **options})
        if script is not None:
            context.add_init_script(script)
        alone = Alone(context)
        contexts.append((context, alone, file.as_uri()))
        alone.page.goto(file.as_uri())
        return alone.page

    yield open_one
    for context, alone, address in contexts:
        context.close()
        assert alone.asked == [address]
        assert alone.said == []


def ready(page, feature):
    expect(page.get_by_test_id("ice-explorer")).to_have_attribute("data-status", "ready")
    expect(page.get_by_test_id("ice-explorer")).to_have_attribute("data-feature", feature)
    expect(page.get_by_test_id("curves")).to_have_attribute("data-state", "ready")
    return page


@pytest.fixture
def page(open_alone, saved):
    """The page, once its lines are drawn."""
    return ready(open_alone(saved), "near")


def ranked(page):
    bars = page.get_by_test_id("bar").evaluate_all(
        "bars => bars.map(({ dataset }) => [Number(dataset.rank), dataset.feature])"
    )
    return [name for _, name in sorted(bars)]


def bar(page, feature):
    return page.locator(f"[data-test=bar][data-feature={feature!r}]")


# --- what lives ------------------------------------------------------------------------------------


def test_it_opens_as_it_stood_without_a_request(page, explanation):
    """Bars in their order, the open feature with all its lines, and who made it under it."""
    soon(lambda: ranked(page), list(explanation.table(sort_by=FIGURE).index))
    expect(page.get_by_test_id("ice-explorer")).to_have_attribute("data-drawn-lines", "60")
    expect(page).to_have_title("ICE of the prediction")
    footer = page.locator("footer.ice-page-about")
    expect(footer).to_contain_text("all 60 rows")
    page.get_by_text("Origin", exact=True).click()
    expect(footer.locator("code")).to_have_text(
        re.compile(r"^x = ice_explorer\.ICEExplorer\(model, X.*report\.html'\)$")
    )


def test_the_slider_sorts_the_bars(page, explanation):
    """At every step the order is that of the explanation at this decay."""
    slider = page.get_by_test_id("decay-slider")
    box = still(slider)
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.7, y)
    page.mouse.down()
    orders = set()
    for share in np.linspace(0.7, 0.05, 12):
        page.mouse.move(box["x"] + box["width"] * share, y)
        order = list(explanation.table(float(slider.input_value()), sort_by=FIGURE).index)
        soon(lambda: ranked(page), order)
        orders.add(tuple(order))
    page.mouse.up()
    assert len(orders) > 1, "the model of this test has an order that depends on the decay"


def test_bars_rank_by_any_figure_counted_in_any_way(page, explanation):
    """What is chosen over the bars is answered with the numbers of the explanation."""
    page.get_by_test_id("rank-by").select_option("heterogeneity")
    expect(bar(page, "near")).to_have_attribute("data-rank", "1")
    soon(lambda: ranked(page), list(explanation.table(sort_by="heterogeneity").index))
    assert ranked(page)[0] == "near"
    page.get_by_test_id("rank-by").select_option("impact")
    page.get_by_test_id("details-summary").click()
    for convention, words in [
        ("equations", " · impact by interval, Eq. 1"), ("published", " · impact as published"), ("stable", ""),
    ]:  # fmt: skip
        page.get_by_test_id(f"convention-{convention}").check()
        expect(page.get_by_test_id("status-text")).to_have_text(re.compile(f"features{re.escape(words)}$"))
        for unit in ("share", "sd", "prediction"):
            page.get_by_test_id("unit").select_option(unit)
            table = explanation.table(None, convention, sort_by="impact", unit=unit)
            soon(lambda table=table: ranked(page), list(table.index))
            text = bar(page, "far").get_by_test_id("bar-figure").text_content().rstrip("*")
            assert text.endswith("%") == (unit != "prediction")
            shown = float(text.removesuffix("\N{NO-BREAK SPACE}%").replace(",", ""))
            np.testing.assert_allclose(shown, table["impact"]["far"], rtol=0.02)


def test_a_page_has_the_intervals_that_it_was_saved_with(explorer, open_alone, tmp_path):
    """Whiskers in every unit of every metric; elsewhere on the slider a sentence says which there are."""
    explorer.intervals = 0.9
    page = open_alone(explorer.save(tmp_path / "intervals.html"))
    ready(page, "near")
    whiskers, key = page.locator("[data-test=bar-interval]:visible"), page.get_by_test_id("intervals-key")
    expect(key).to_have_attribute("data-state", "ready")
    expect(key).to_contain_text("90\N{NO-BREAK SPACE}% interval over other samples of rows")
    for metric, unit in (("impact", "share"), ("heterogeneity", "sd"), ("in_distribution_impact", "prediction")):
        page.get_by_test_id("rank-by").select_option(metric)
        page.get_by_test_id("unit").select_option(unit)
        expect(key).to_have_attribute("data-state", "ready")
        expect(whiskers).not_to_have_count(0)
    page.get_by_test_id("decay-slider").press("ArrowLeft")
    expect(page.get_by_test_id("intervals-problem")).to_have_text(
        "This page was saved with intervals for weight 0.75 of far values, counted evenly along the axis."
    )
    expect(whiskers).to_have_count(0)
    page.get_by_test_id("decay-slider").press("Delete")
    expect(key).to_have_attribute("data-state", "ready")
    page.get_by_test_id("intervals").uncheck()
    expect(whiskers).to_have_count(0)
    expect(key).to_be_hidden()


def test_a_page_without_intervals_offers_none(page):
    """It cannot compute them."""
    expect(page.get_by_test_id("intervals")).to_be_hidden()


def test_every_feature_opens_in_every_kind(page, explanation):
    """A click on a bar opens it; levels have no slopes."""
    for feature in explanation:
        bar(page, feature.label).click()
        ready(page, feature.label)
        expect(page.get_by_test_id("feature-title")).to_have_text(feature.label)
    bar(page, "far").click()
    for kind in ("c-ice", "d-ice", "ice"):
        page.get_by_test_id(f"kind-{kind}").click()
        expect(page.get_by_test_id("ice-explorer")).to_have_attribute("data-kind", kind)
    bar(page, "town").click()
    expect(page.get_by_test_id("kind-d-ice")).to_be_disabled()


def test_lines_are_coloured_by_every_column_and_by_what_parts_them(page, X):
    """Levels and ramps, the median, and the rule of a chip; the legend hides a level."""
    picker = page.get_by_test_id("color-by")
    for column in X.columns:
        picker.select_option(column)
        expect(page.get_by_test_id("legend")).to_contain_text(column)
    picker.select_option("town")
    expect(page.get_by_test_id("legend-level")).to_have_count(3)
    page.get_by_test_id("legend-level").first.click()
    gone = 60 - X["town"].value_counts().max()
    expect(page.get_by_test_id("ice-explorer")).to_have_attribute("data-drawn-lines", str(gone))
    chip = page.get_by_test_id("driver").first
    expect(chip).to_contain_text("town")
    chip.click()
    expect(page.get_by_test_id("legend-level")).to_have_count(2)


def test_rows_are_pointed_at_brushed_and_read(page, X):
    """The line under the mouse is named, a drag selects lines, and their cells can be read."""
    plot = page.get_by_test_id("plot")
    plot.focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_test_id("tooltip")).to_contain_text("<i>person</i>")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("row-card")).to_be_visible()
    expect(page.get_by_test_id("row-card")).to_contain_text("since")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("row-card")).to_be_hidden()
    box = still(plot)
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.9 * box["height"], steps=6)
    page.mouse.up()
    expect(page.get_by_test_id("selected-summary")).to_contain_text("selected row")
    page.get_by_test_id("selected-summary").click()
    expect(page.get_by_test_id("selected-rows").locator("tbody tr").first).to_be_visible()
    cells = page.get_by_test_id("selected-rows").locator("tbody tr").first.locator("td, th").all_text_contents()
    columns = page.get_by_test_id("selected-rows").locator("thead th").all_text_contents()
    row = dict(zip(columns, cells, strict=True))
    assert row["town"] == X["town"].iloc[int(row["row"])]
    assert row["since"] == str(X["since"].iloc[int(row["row"])].date())


def test_map_all_features_and_comparison_are_there(page, explanation):
    """Behind the tabs, and beside the title."""
    page.get_by_role("tab", name="Map").click()
    expect(page.get_by_test_id("map")).to_be_visible()
    page.get_by_role("tab", name="All features").click()
    tiles = page.locator("[data-test=tile]")
    expect(tiles).to_have_count(len(explanation.features))
    page.wait_for_function(TILES_DRAWN)
    tiles.nth(1).click()
    page.get_by_test_id("compare").select_option(index=1)
    expect(page.get_by_test_id("compared")).to_have_count(2)


def test_a_plot_is_zoomed(page):
    """The wheel with Ctrl moves the window, 0 shows all."""
    box = still(page.get_by_test_id("plot"))
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -400)
    page.keyboard.up("Control")
    expect(page.get_by_test_id("zoom-reset")).to_be_visible()
    page.get_by_test_id("plot").focus()
    page.keyboard.press("0")
    expect(page.get_by_test_id("zoom-reset")).to_be_hidden()


def test_what_needs_the_model_is_not_offered(open_alone, X, tmp_path):
    """No other output, no file that a kernel writes, and no more lines than there are; fewer can be drawn."""
    path = ice.explain(Hostile(), X, progress=False).save(tmp_path / "few.html", feature="near", max_lines=55)
    page = ready(open_alone(path), "near")
    expect(page.get_by_test_id("output")).to_be_hidden()
    page.get_by_test_id("export").click()
    assert page.get_by_role("menuitem").all_text_contents() == [
        "Download PNG",
        "Copy PNG to the clipboard",
        "Curves of the open feature as CSV",
        "Ranking as CSV",
    ]
    page.keyboard.press("Escape")
    lines = page.get_by_test_id("max-lines")
    expect(lines.locator("option")).to_have_text(["50 curves", "55 curves"])
    lines.select_option("50")
    expect(page.get_by_test_id("ice-explorer")).to_have_attribute("data-drawn-lines", "50")
    expect(page.locator("footer.ice-page-about")).to_contain_text("55 of 60 rows, the same for every feature")


def test_the_view_that_was_saved_is_the_view_that_opens(open_alone, explorer, tmp_path):
    """All that was set in the explorer, and what its reader chose, the observed target too."""
    explorer.kind, explorer.color_by, explorer.decay, explorer.selection = "c-ice", "since", 0.4, [3, 9]
    explorer.rank_by = "heterogeneity"
    explorer._view = {"left": "map", "compared": ["far"], "target": True}
    page = ready(open_alone(explorer.save(tmp_path / "set.html")), "near")
    root = page.get_by_test_id("ice-explorer")
    expect(root).to_have_attribute("data-kind", "c-ice")
    expect(page.get_by_test_id("legend")).to_contain_text("since")
    expect(page.get_by_test_id("decay-slider")).to_have_value("0.4")
    expect(page.get_by_test_id("small-selected")).to_have_count(4)
    expect(page.get_by_test_id("map")).to_be_visible()
    expect(page.get_by_test_id("compared")).to_have_count(2)
    page.get_by_test_id("kind-ice").click()
    page.get_by_test_id("view").click()
    expect(page.get_by_test_id("view-target")).to_be_enabled()
    expect(page.get_by_test_id("view-target")).to_be_checked()


def test_what_was_switched_on_works_without_a_kernel(open_alone, explorer, tmp_path):
    """Effects of every feature, and what varies with it; the menu says what the page was saved without."""
    explorer._view = {"ale": True, "correlated": True}
    page = ready(open_alone(explorer.save(tmp_path / "optional.html")), "near")
    expect(page.get_by_test_id("effect-ale")).to_have_count(1)
    expect(page.get_by_test_id("correlated-lead")).to_have_text(re.compile("^(Varies with|No other feature has)"))
    page.get_by_test_id("view").click()
    page.get_by_test_id("view-m_plot").click()
    expect(page.get_by_test_id("effect-m_plot")).to_have_count(1)
    expect(page.get_by_test_id("view-unlike")).to_be_disabled()
    line = page.locator("label", has=page.get_by_test_id("view-unlike"))
    expect(line).to_contain_text("Not on this page: switch it on in the notebook before you save.")
    page.locator('[data-test=bar][data-feature="far"]').click()
    ready(page, "far")
    expect(page.get_by_test_id("effect-ale")).to_have_count(1)


TILES_DRAWN = """() => [...document.querySelectorAll("[data-test=tile]")].every((tile) =>
    [...tile.querySelectorAll("canvas")].some((canvas) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return data.some((byte) => byte > 0);
    }))"""

INK = """() => [...document.querySelectorAll("[data-test=curves] canvas")].map((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return [canvas.width, canvas.height, data.reduce((hash, byte) => (Math.imul(hash, 31) + byte) | 0, 7)];
})"""


def test_it_draws_the_pixels_of_the_explorer(open_alone, browser, explore_live, tmp_path):
    """The numbers in the page are those on the wire, to the last bit: the canvases are the same."""
    explorer, live = explore_live
    page = ready(open_alone(explorer.save(tmp_path / "same.html"), viewport={"width": 1032, "height": 900}), "near")
    size = "() => document.querySelector('[data-test=plot]').getBoundingClientRect().width"
    soon(lambda: page.evaluate(size) == live.evaluate(size), wanted=True)
    expect(page.get_by_test_id("legend")).to_contain_text("far")
    for one in (page, live):
        still(one.get_by_test_id("plot"))
    drawn = live.evaluate(INK)
    assert drawn
    soon(lambda: page.evaluate(INK), drawn)


INK_OF_CLASSES = """() => [...document.querySelectorAll("[data-test=class] canvas")].map((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.some((byte) => byte > 0);
})"""


@pytest.fixture
def explore_live(monkeypatch, bundle, browser, X):
    """An explorer on a page with a kernel, 1000 px wide, its lines drawn."""
    from browser.host import Host

    monkeypatch.setattr(comm, "create_comm", Wire)
    explorer = ice.ICEExplorer(Hostile(), X)
    explorer.feature, explorer.color_by = "near", "far"
    explorer.explanation  # noqa: B018 - waits for it
    host = Host(explorer, bundle)
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    live = context.new_page()
    live.goto(host.url)
    live.locator("body[data-host=ready]").wait_for(state="attached")
    live.evaluate("host.show(1000)")
    ready(live, "near")
    expect(live.get_by_test_id("legend")).to_contain_text("far")
    yield explorer, live
    context.close()
    explorer.close()
    host.close()


def softmax(X):
    """Three classes."""
    odds = np.column_stack([X["near"], X["near"] ** 2, np.zeros(len(X))])
    return np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)


def test_classes_stand_side_by_side(open_alone, bundle, monkeypatch, X, tmp_path):
    """All of them, with the explained one marked; a press on one does nothing, as there is no model to explain it."""
    monkeypatch.setattr(comm, "create_comm", Wire)
    with closing(ice.ICEExplorer(softmax, X, output=1)) as explorer:
        explorer.feature = "near"
        path = explorer.save(tmp_path / "classes.html")
    page = ready(open_alone(path), "near")
    expect(page.get_by_test_id("output")).to_be_hidden()
    page.get_by_test_id("classes-side-by-side").check()
    cards = page.get_by_test_id("class")
    expect(cards).to_have_text(["0", "1", "2"])
    assert page.evaluate(INK_OF_CLASSES) == [True] * 3
    assert [card.get_attribute("data-open") for card in cards.all()] == [None, "", None]
    cards.first.click()
    assert [card.get_attribute("data-open") for card in cards.all()] == [None, "", None]
    bar(page, "far").click()
    expect(page.get_by_test_id("classes")).to_contain_text("far for every class")


# --- what can be taken away -------------------------------------------------------------------------


def taken(page, what, folder):
    page.get_by_test_id("export").click()
    with page.expect_download() as found:
        page.get_by_test_id(f"export-{what}").click()
    path = folder / found.value.suggested_filename
    found.value.save_as(path)
    expect(page.get_by_test_id("export-result")).to_have_text(f"The browser saves it as {path.name}.")
    return path


def test_the_picture_is_light_and_says_where_it_comes_from(open_alone, saved, tmp_path):
    """A PNG at twice the size, on white, without the controls, the same from both themes; names are text in it."""
    pictures = {}
    for scheme in ("light", "dark"):
        page = ready(open_alone(saved, color_scheme=scheme), "near")
        bar(page, EVIL).click()
        ready(page, EVIL)
        explorer = page.get_by_test_id("ice-explorer")
        expect(page.get_by_test_id("drivers")).not_to_have_attribute("data-state", "unknown")
        still(page.get_by_test_id("plot"))
        path = taken(page, "png", tmp_path)
        assert path.name == "ice-of-script-img-src-x-onerror-alert-1.png"
        with Image.open(path) as picture:
            pictures[scheme] = np.asarray(picture.convert("RGB")).astype(int)
        expect(explorer).to_have_attribute("data-theme", scheme)
    pixels = pictures["light"]
    assert pixels.shape[1] == 2 * (explorer.bounding_box()["width"] + 2 * 12)
    assert (pixels == 255).all(axis=2).mean() > 0.5
    assert (pixels.max(axis=2) < 64).mean() > 0.003
    assert (np.abs(pictures["dark"] - pixels).max(axis=2) > 16).mean() < 1e-4
    origin = ice.provenance(path)
    assert (origin["feature"], origin["output"]) == (EVIL, "prediction")
    assert origin["page"] == ice.provenance(saved)["code"]


@pytest.mark.parametrize("feature", ["near", "town", "since", "flag", "gaps"])
def test_curves_are_those_of_python(open_alone, X, tmp_path, feature):
    """In the same columns and rows, with the digits that the page has."""
    X = X.assign(gaps=X["near"].where(X["near"] < 0.5))
    explanation = ice.explain(Gaps(), X, progress=False)
    anchor = {"anchor": "max"} if feature == "near" else {}
    saved = explanation.save(tmp_path / "gaps.html", feature=feature, decay=0.6, **anchor)
    page = ready(open_alone(saved), feature)
    got = pd.read_csv(taken(page, "curves", tmp_path))
    known = explanation.save(tmp_path / "known.csv", feature, decay=0.6, **anchor)
    pd.testing.assert_frame_equal(got, pd.read_csv(known), check_dtype=False, rtol=1e-5, atol=1e-5)


def test_the_ranking_is_that_of_python(page, explanation, tmp_path):
    """In the same columns, sorted as the bars are."""
    page.get_by_test_id("rank-by").select_option("heterogeneity")
    expect(bar(page, "near")).to_have_attribute("data-rank", "1")
    got = pd.read_csv(taken(page, "ranking", tmp_path))
    known = explanation.save(tmp_path / "known.csv", rank_by="heterogeneity")
    pd.testing.assert_frame_equal(got, pd.read_csv(known), check_dtype=False, rtol=1e-6, atol=1e-6)


def test_in_a_frame_no_file_is_offered(open_alone, saved, tmp_path):
    """Frames may not save files, so that a button would do nothing."""
    around = tmp_path / "around.html"
    around.write_text(
        f'<iframe sandbox="allow-scripts" srcdoc="{html.escape(saved.read_text("utf-8"))}"></iframe>', "utf-8"
    )
    frame = open_alone(around).frame_locator("iframe")
    expect(frame.get_by_test_id("curves")).to_have_attribute("data-state", "ready")
    expect(frame.get_by_test_id("export")).to_have_count(0)


# --- what may not happen, and how it looks ----------------------------------------------------------


@pytest.mark.skipif(not AXE.is_file(), reason="axe comes with the packages of the front end")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(open_alone, saved, scheme):
    """Language, title, landmarks, the order of headings, and all that is inside of them."""
    page = ready(open_alone(saved, color_scheme=scheme), "near")
    page.get_by_text("Origin", exact=True).click()
    page.get_by_test_id("export").click()
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    assert [(rule["id"], rule["nodes"][0]["target"]) for rule in found] == []


def test_hostile_names_are_text(page):
    """A name that is markup is shown as it is written, in the bars, the title, the legend and the facts."""
    bar(page, EVIL).click()
    ready(page, EVIL)
    expect(page.get_by_test_id("feature-title")).to_have_text(EVIL)
    page.get_by_test_id("color-by").select_option("town")
    expect(page.get_by_test_id("legend")).to_contain_text("<b onclick=alert(2)>Eridu</b>")
    assert page.locator("img").count() == 0
    assert page.locator("[onclick], [onerror]").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_follows_the_theme_of_the_system(open_alone, saved, scheme):
    """Ink is told from paper in both, at every width, and nothing sticks out."""
    page = ready(open_alone(saved, color_scheme=scheme, viewport={"width": 400, "height": 900}), "near")
    expect(page.get_by_test_id("ice-explorer")).to_have_attribute("data-theme", scheme)
    ink, paper = page.evaluate(
        "(({ color, backgroundColor }) => [color, backgroundColor])(getComputedStyle(document.body))"
    )
    bright = [int(re.search(r"\d+", color)[0]) for color in (ink, paper)]
    assert (bright[0] > bright[1]) == (scheme == "dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


def test_on_paper_there_are_no_controls(page):
    """What can be pressed is left out; where the page comes from is printed, folded or not. Afterwards all is back."""
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for part in ("export", "decay-slider", "kind-ice", "color-by", "compare", "zoom"):
        expect(page.get_by_test_id(part)).to_be_hidden()
    expect(page.get_by_role("tab", name="Ranking")).to_be_visible()
    expect(page.get_by_role("tab", name="Map")).to_be_hidden()
    expect(page.locator("footer.ice-page-about summary")).to_be_hidden()
    expect(page.locator("footer.ice-page-about")).not_to_have_text(re.compile("notebook"), use_inner_text=True)
    expect(page.locator("footer.ice-page-about code")).to_be_visible()
    expect(page.get_by_test_id("plot")).to_be_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    expect(page.get_by_test_id("export")).to_be_visible()
    expect(page.get_by_role("tab", name="Map")).to_be_visible()


def test_paper_is_as_wide_as_the_page_and_bars_are_printed(page):
    """The plot keeps its width, so the sheet is wider than any page; bars are backgrounds, which browsers leave out."""
    sheet = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", page.pdf(prefer_css_page_size=True))
    points = [float(side) for side in sheet.groups()]
    assert points == pytest.approx([420 / 25.4 * 72, 297 / 25.4 * 72], abs=1)
    assert (points[0] / 72 - 2 * 10 / 25.4) * 96 > 1400
    assert page.locator(".ice-explorer").evaluate("node => getComputedStyle(node).printColorAdjust") == "economy"
    page.emulate_media(media="print")
    assert page.locator(".ice-explorer").evaluate("node => getComputedStyle(node).printColorAdjust") == "exact"


def test_what_was_drawn_in_the_dark_is_printed_in_the_light(open_alone, saved):
    """The same pictures are on both sheets, one for each canvas; then the screen is dark again."""
    sheets = {}
    for scheme in ("light", "dark"):
        page = ready(open_alone(saved, color_scheme=scheme), "near")
        explorer = page.get_by_test_id("ice-explorer")
        expect(explorer).to_have_attribute("data-theme", scheme)
        page.get_by_test_id("color-by").select_option("town")
        expect(page.get_by_test_id("legend")).to_contain_text("town")
        drawn = page.evaluate(INK)
        content = pypdf.PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True))).pages[0]
        sheets[scheme] = [np.asarray(image.image.convert("RGBA")).astype(int) for image in content.images]
        expect(explorer).to_have_attribute("data-theme", scheme)
        assert page.evaluate(INK) == drawn
    assert len(sheets["light"]) == page.locator("[data-test=curves] canvas:visible").count()
    for light, dark in zip(sheets["light"], sheets["dark"], strict=True):
        assert_allclose(dark, light, rtol=0, atol=2)


def test_without_javascript_a_sentence_says_why(open_alone, saved):
    """The page is not blank, and tells where it comes from."""
    page = open_alone(saved, java_script_enabled=False)
    expect(page.get_by_text("Loading the curves (requires JavaScript) …")).to_be_visible()
    expect(page.locator("footer.ice-page-about")).to_contain_text("all 60 rows")


def test_an_old_browser_is_told_so(open_alone, saved):
    """The one thing that browsers before 2023 lack is named."""
    page = open_alone(saved, script="delete globalThis.DecompressionStream")
    expect(page.get_by_role("alert")).to_have_text(
        "The explorer cannot be shown. This page needs a browser of 2023 or newer, which can decompress the numbers "
        "in it."
    )


def test_a_page_that_was_cut_says_so(open_alone, saved, tmp_path):
    """A file that lost a part is no blank page either."""
    cut = tmp_path / "cut.html"
    text = saved.read_text(encoding="utf-8")
    cut.write_text(re.sub(r'(id="ice-blob-0">.{200})[^<]*', r"\1", text), encoding="utf-8")
    page = open_alone(cut)
    expect(page.get_by_role("alert")).to_contain_text("The explorer cannot be shown.")
