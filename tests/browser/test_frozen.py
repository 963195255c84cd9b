"""A saved page in Chromium, opened from its file where there is no network: every part lives, and nothing leaves it."""

from __future__ import annotations

import io
import re
from contextlib import closing

import comm
import numpy as np
import pandas as pd
import pypdf
import pytest
from browser.awaiting import soon, still
from browser.host import Host
from browser.views import (
    brush,
    choose_kind,
    drag_slider,
    open_feature,
    ranked,
    ranking,
    set_in_menu,
)
from kernel_end import Wire
from numpy.testing import assert_allclose
from origins import read_provenance
from PIL import Image
from playwright.sync_api import expect

import ice_explorer as ice

FIGURE = "in_distribution_impact"
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
        return steep + np.where(np.abs(far) > 1.5, 5.5 * far, 0.1 * far) + 0.3 * X[EVIL].to_numpy()


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
def explorer(monkeypatch, X):
    """An explorer that nobody shows."""
    monkeypatch.setattr(comm, "create_comm", Wire)
    with closing(ice.ICEExplorer(Hostile(), X, np.arange(60.0))) as made:
        made.feature = "near"
        yield made


@pytest.fixture(scope="module")
def saved(bundle, explanation, tmp_path_factory):
    """The page of all rows that most tests look at."""
    return explanation.save(tmp_path_factory.mktemp("frozen") / "report.html", "near")


class Alone:
    """A page without a network, and all that it requested, said or popped up."""

    def __init__(self, context):
        self.page = context.new_page()
        self.requests, self.said = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
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
    """Open files offline; whatever a page requests but itself, or says, fails the test."""
    contexts = []

    def open_one(file, feature="near", script=None, **options):
        context = browser.new_context(offline=True, **{"viewport": {"width": 1280, "height": 900}, **options})
        if script is not None:
            context.add_init_script(script)
        alone = Alone(context)
        contexts.append((context, alone, file.as_uri()))
        alone.page.goto(file.as_uri())
        if feature is not None:
            ready(alone.page, feature)
        return alone.page

    yield open_one
    for context, alone, address in contexts:
        context.close()
        assert alone.requests == [address]
        assert alone.said == []


def ready(page, feature):
    """Wait until the curves of a feature are drawn; return the explorer."""
    view = page.get_by_test_id("ice-explorer")
    expect(view).to_have_attribute("data-status", "ready")
    expect(view).to_have_attribute("data-feature", feature)
    expect(view.get_by_test_id("curves")).to_have_attribute("data-state", "ready")
    return view


@pytest.fixture
def page(open_alone, saved):
    """The page, once its lines are drawn."""
    return open_alone(saved)


@pytest.fixture
def view(page):
    return page.get_by_test_id("ice-explorer")


# --- what lives ------------------------------------------------------------------------------------


def test_it_opens_as_it_stood_without_a_request(page, view, explanation):
    """Bars in their order, the open feature with all its lines, and who made it; names that are markup are text."""
    soon(lambda: ranked(view), list(explanation.table(rank_by=FIGURE).index))
    expect(view).to_have_attribute("data-drawn-lines", "60")
    expect(view.get_by_test_id("intervals")).to_be_hidden()
    expect(page).to_have_title("ICE of the prediction")
    footer = page.locator("footer.ice-page-about")
    expect(footer).to_contain_text("all 60 rows")
    open_feature(view, EVIL)
    expect(view.get_by_test_id("feature-title")).to_have_text(EVIL)
    set_in_menu(view, "color-by", "town")
    expect(view.get_by_test_id("legend")).to_contain_text("<b onclick=alert(2)>Eridu</b>")
    assert page.locator("img").count() == 0
    assert page.locator("[onclick], [onerror]").count() == 0


def test_the_slider_sorts_the_bars(page, view, explanation):
    """At every step the order is that of the explanation at this decay."""
    orders = set()
    for _ in drag_slider(page, view, 0.7, 0.05, 11):
        decay = float(view.get_by_test_id("decay-slider").input_value())
        order = list(explanation.table(decay, rank_by=FIGURE).index)
        soon(lambda: ranked(view), order)
        orders.add(tuple(order))
    assert len(orders) > 1, "the model of this test has an order that depends on the decay"


TILES_DRAWN = """() => [...document.querySelectorAll("[data-test=tile]")].every((tile) =>
    [...tile.querySelectorAll("canvas")].some((canvas) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return data.some((byte) => byte > 0);
    }))"""


def test_every_feature_opens_in_every_kind(page, view, explanation):
    """A click on a bar opens it; levels have no slopes; all features, the interactions and a comparison are there."""
    for feature in explanation.values():
        open_feature(view, feature.label)
        expect(view.get_by_test_id("feature-title")).to_have_text(feature.label)
    open_feature(view, "far")
    for kind in ("c-ice", "d-ice", "ice"):
        choose_kind(view, kind)
    open_feature(view, "town")
    expect(view.get_by_test_id("kind-d-ice")).to_be_disabled()
    view.get_by_role("tab", name="Interactions").click()
    expect(view.get_by_test_id("interactions")).to_be_visible()
    view.get_by_role("tab", name="All features").click()
    tiles = view.get_by_test_id("tile")
    expect(tiles).to_have_count(len(explanation.features))
    page.wait_for_function(TILES_DRAWN)
    view.get_by_test_id("tile-pin").nth(2).click()
    expect(view.locator("[data-pinned] > li")).to_have_count(1)
    tiles.nth(1).click()
    expect(view.get_by_test_id("curves")).to_be_visible()


def test_the_view_that_was_saved_is_the_view_that_opens(open_alone, explorer, tmp_path):
    """All that was set in the explorer, and what its reader chose, the observed target too."""
    explorer.kind, explorer.color_by, explorer.decay, explorer.selection = "c-ice", "since", 0.4, [3, 9]
    explorer.rank_by = "heterogeneity"
    explorer._view = {"left": "interactions", "compared": ["far"], "target": True}
    page = open_alone(explorer.save(tmp_path / "set.html"))
    expect(page.get_by_test_id("ice-explorer")).to_have_attribute("data-kind", "c-ice")
    expect(page.get_by_test_id("legend")).to_contain_text("since")
    expect(page.get_by_test_id("decay-slider")).to_have_value("0.4")
    expect(page.get_by_test_id("selected-line")).to_have_count(2)
    expect(page.get_by_test_id("interactions")).to_be_visible()
    page.get_by_test_id("tab-all").click()
    expect(page.locator("[data-pinned] > li")).to_have_attribute("data-feature", "far")
    page.get_by_test_id("tab-feature").click()
    page.get_by_test_id("kind-ice").click()
    page.get_by_test_id("view").click()
    expect(page.get_by_test_id("view-target")).to_be_enabled()
    expect(page.get_by_test_id("view-target")).to_be_checked()


@pytest.mark.slow
def test_bars_rank_by_any_figure(view, explanation):
    """What is chosen over the bars is answered with the numbers of the explanation."""
    set_in_menu(view, "rank-by", "heterogeneity")
    soon(lambda: ranked(view), list(explanation.table(rank_by="heterogeneity").index))
    set_in_menu(view, "rank-by", "impact")
    soon(lambda: ranks_as(view, explanation.table(rank_by="impact")), wanted=True)


def ranks_as(view, table):
    """Return whether bars have the order of a table, and `far` its figure."""
    shown = dict(ranking(view))
    far = float(shown["far"].replace(",", ""))
    return list(shown) == list(table.index) and np.isclose(far, table["impact"]["far"], rtol=0.02)


@pytest.mark.slow
def test_lines_are_coloured_pointed_at_brushed_and_read(page, view, X):
    """Every column and a rule colour; the line at hand is named, a drag selects lines, and their cells can be read."""
    levels = view.get_by_test_id("legend-level")
    for column in X.columns:
        set_in_menu(view, "color-by", column)
        expect(view.get_by_test_id("legend")).to_contain_text(column)
    set_in_menu(view, "color-by", "town")
    levels.first.click()
    expect(view).to_have_attribute("data-drawn-lines", str(60 - X["town"].value_counts().sort_index().iloc[0]))
    view.get_by_test_id("why").click()
    chip = view.get_by_test_id("driver").first
    expect(chip).to_contain_text("town")
    chip.click()
    expect(levels).to_have_count(2)

    view.get_by_test_id("plot").focus()
    page.keyboard.press("ArrowDown")
    expect(view.get_by_test_id("tooltip")).to_contain_text("<i>person</i>")
    page.keyboard.press("Enter")
    expect(view.get_by_test_id("row-card")).to_contain_text("near")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(view.get_by_test_id("row-card")).to_be_hidden()
    brush(page, view, 0.6, 0.01, 0.9)
    view.get_by_test_id("selected-summary").click()
    rows = view.get_by_test_id("selected-rows")
    expect(rows.locator("tbody tr").first).to_be_visible()
    cells = rows.locator("tbody tr").first.locator("td, th").all_text_contents()
    row = dict(zip(rows.locator("thead th").all_text_contents(), cells, strict=True))
    assert row["town"] == X["town"].iloc[int(row["row"])]
    assert row["since"] == str(X["since"].iloc[int(row["row"])].date())


@pytest.mark.slow
def test_what_needs_the_model_is_not_offered(open_alone, X, tmp_path):
    """No other output, no file that a kernel writes, and no more lines than there are; fewer can be drawn."""
    path = ice.explain(Hostile(), X, progress=False).save(tmp_path / "few.html", "near", max_lines=55)
    page = open_alone(path)
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
    expect(lines.locator("option")).to_have_text(["50", "55"])
    set_in_menu(page, "max-lines", "50")
    expect(page.get_by_test_id("ice-explorer")).to_have_attribute("data-drawn-lines", "50")
    expect(page.locator("footer.ice-page-about")).to_contain_text("55 of 60 rows, the same for every feature")


@pytest.mark.slow
def test_what_was_switched_on_works_without_a_kernel(open_alone, explorer, tmp_path):
    """Effects of every feature, and what varies with it; the menu says what the page was saved without."""
    explorer._view = {"ale": True, "fade": "distance"}
    page = open_alone(explorer.save(tmp_path / "optional.html"))
    expect(page.get_by_test_id("effect-ale")).to_have_count(1)
    page.get_by_test_id("view").click()
    expect(page.get_by_test_id("view-unlike")).to_be_disabled()
    line = page.locator("label", has=page.get_by_test_id("view-unlike"))
    expect(line).to_contain_text("Not on this page: switch it on in the notebook before you save.")
    page.keyboard.press("Escape")
    open_feature(page.get_by_test_id("ice-explorer"), "far")
    expect(page.get_by_test_id("effect-ale")).to_have_count(1)


INK = """(part) => [...document.querySelectorAll(`[data-test=${part}] canvas:not([hidden])`)].map((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return [canvas.width, canvas.height, data.reduce((hash, byte) => (Math.imul(hash, 31) + byte) | 0, 7)];
})"""


@pytest.mark.slow
def test_it_draws_the_pixels_of_the_explorer(open_alone, bundle, browser, explorer, tmp_path):
    """The numbers in the page are those on the wire, to the last bit: the canvases are the same."""
    explorer.color_by = "far"
    explorer.explanation  # noqa: B018 - waits for it
    page = open_alone(explorer.save(tmp_path / "same.html"), viewport={"width": 1032, "height": 900})
    with closing(Host(explorer, bundle)) as host:
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        live = context.new_page()
        live.goto(host.url)
        live.locator("body[data-host=ready]").wait_for(state="attached")
        live.evaluate("host.show(1000)")
        ready(live, "near")
        for one in (page, live):
            expect(one.get_by_test_id("legend")).to_contain_text("far")
        size = "() => document.querySelector('[data-test=plot]').getBoundingClientRect().width"
        soon(lambda: page.evaluate(size) == live.evaluate(size), wanted=True)
        for one in (page, live):
            still(one.get_by_test_id("plot"))
        drawn = live.evaluate(INK, "curves")
        assert drawn
        soon(lambda: page.evaluate(INK, "curves"), drawn)
        context.close()


def softmax(X):
    """Three classes."""
    odds = np.column_stack([X["near"], X["near"] ** 2, np.zeros(len(X))])
    return np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)


@pytest.mark.slow
def test_classes_stand_side_by_side(open_alone, monkeypatch, X, tmp_path):
    """All of them, with the explained one marked; a press on one does nothing, as there is no model to explain it."""
    monkeypatch.setattr(comm, "create_comm", Wire)
    with closing(ice.ICEExplorer(softmax, X, output=1)) as explorer:
        explorer.feature = "near"
        page = open_alone(explorer.save(tmp_path / "classes.html"))
    expect(page.get_by_test_id("output")).to_be_hidden()
    set_in_menu(page, "classes-side-by-side")
    cards = page.get_by_test_id("class")
    expect(page.get_by_test_id("class-open")).to_have_text(["0", "1", "2"])
    assert len({ink for *_size, ink in page.evaluate(INK, "class")}) == 3
    assert [card.get_attribute("aria-current") for card in cards.all()] == [None, "true", None]
    expect(page.get_by_test_id("class-open").first).to_be_disabled()
    open_feature(page.get_by_test_id("ice-explorer"), "far")
    expect(page.get_by_test_id("classes")).to_contain_text("far for every class")


# --- what can be taken away -------------------------------------------------------------------------


def taken(page, what, folder):
    """Choose an entry of the Export menu; return the file that comes down."""
    page.get_by_test_id("export").click()
    with page.expect_download() as download:
        page.get_by_test_id(f"export-{what}").click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    expect(page.get_by_test_id("export-result")).to_have_text(f"Download started: {path.name}.")
    return path


@pytest.mark.parametrize(
    "feature", ["near", *(pytest.param(each, marks=pytest.mark.slow) for each in ("town", "since", "flag", "gaps"))]
)
def test_curves_and_ranking_are_those_of_python(open_alone, X, tmp_path, feature):
    """In the same columns and rows, with the digits that the page has."""
    X = X.assign(gaps=X["near"].where(X["near"] < 0.5))
    explanation = ice.explain(Gaps(), X, progress=False)
    x = ice.ICEExplorer(explanation)
    x.feature, x.decay, x.anchor = feature, 0.6, "max" if feature == "near" else "min"
    page = open_alone(x.save(tmp_path / "gaps.html"), feature)
    curves = taken(page, "curves", tmp_path)
    assert_same_table(curves, x.save(tmp_path / "known.csv", feature), 1e-5)
    set_in_menu(page, "rank-by", "heterogeneity")
    order = list(explanation.table(0.6, rank_by="heterogeneity").index)
    soon(lambda: ranked(page.get_by_test_id("ice-explorer")), order)
    ranks = taken(page, "ranking", tmp_path)
    x.rank_by = "heterogeneity"
    assert_same_table(ranks, x.save(tmp_path / "ranks.csv"), 1e-6)
    x.close()


def assert_same_table(file, known, tolerance):
    """Two CSV files have the same columns and, within a tolerance, the same numbers."""
    pd.testing.assert_frame_equal(
        pd.read_csv(file), pd.read_csv(known), check_dtype=False, rtol=tolerance, atol=tolerance
    )


@pytest.mark.slow
def test_the_picture_is_light_and_says_where_it_comes_from(open_alone, saved, tmp_path):
    """A PNG at twice the size, on white, without the controls, the same from both themes; names are text in it."""
    pictures = {}
    for scheme in ("light", "dark"):
        page = open_alone(saved, color_scheme=scheme)
        explorer = page.get_by_test_id("ice-explorer")
        open_feature(explorer, EVIL)
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
    origin = read_provenance(path)
    assert (origin["feature"], origin["output"]) == (EVIL, "prediction")
    assert origin["page"] == read_provenance(saved)["code"]


# --- what may not happen, and how it looks ----------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_follows_the_theme_of_the_system(open_alone, root, saved, scheme):
    """Ink is told from paper, nothing sticks out of a narrow window, and axe finds nothing."""
    page = open_alone(saved, color_scheme=scheme, viewport={"width": 400, "height": 900})
    expect(page.get_by_test_id("ice-explorer")).to_have_attribute("data-theme", scheme)
    ink, paper = page.evaluate(
        "(({ color, backgroundColor }) => [color, backgroundColor])(getComputedStyle(document.body))"
    )
    bright = [int(re.search(r"\d+", color)[0]) for color in (ink, paper)]
    assert (bright[0] > bright[1]) == (scheme == "dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    page.set_viewport_size({"width": 1280, "height": 900})
    page.get_by_test_id("export").click()
    page.evaluate((root / "js" / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    assert [(rule["id"], rule["nodes"][0]["target"]) for rule in found] == []


@pytest.mark.slow
def test_on_paper_there_are_no_controls(page):
    """What can be pressed is left out, where the page comes from and bars are printed; afterwards all is back."""
    adjust = "() => getComputedStyle(document.querySelector('.ice-explorer')).printColorAdjust"
    assert page.evaluate(adjust) == "economy"
    page.emulate_media(media="print")
    assert page.evaluate(adjust) == "exact"
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for part in ("export", "decay-slider", "kind-ice", "color-by"):
        expect(page.get_by_test_id(part)).to_be_hidden()
    expect(page.get_by_role("tab", name="Ranking")).to_be_visible()
    expect(page.get_by_role("tab", name="Interactions")).to_be_hidden()
    footer = page.locator("footer.ice-page-about")
    expect(footer).not_to_have_text(re.compile("notebook"), use_inner_text=True)
    expect(page.get_by_test_id("plot")).to_be_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    expect(page.get_by_test_id("export")).to_be_visible()
    expect(page.get_by_role("tab", name="Interactions")).to_be_visible()


@pytest.mark.slow
def test_what_was_drawn_in_the_dark_is_printed_in_the_light(open_alone, saved):
    """The same pictures are on both sheets, which are wider than the plot; then the screen is dark again."""
    sheets = {}
    for scheme in ("light", "dark"):
        page = open_alone(saved, color_scheme=scheme)
        explorer = page.get_by_test_id("ice-explorer")
        expect(explorer).to_have_attribute("data-theme", scheme)
        set_in_menu(page, "color-by", "town")
        expect(page.get_by_test_id("legend")).to_contain_text("town")
        drawn = page.evaluate(INK, "curves")
        sheet = pypdf.PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True))).pages[0]
        sheets[scheme] = [np.asarray(image.image.convert("RGBA")).astype(int) for image in sheet.images]
        expect(explorer).to_have_attribute("data-theme", scheme)
        assert page.evaluate(INK, "curves") == drawn
        points = [float(side) for side in sheet.mediabox[2:]]
        assert points == pytest.approx([420 / 25.4 * 72, 297 / 25.4 * 72], abs=1)
        assert (points[0] / 72 - 2 * 10 / 25.4) * 96 > 1400
    assert len(sheets["light"]) == page.locator("[data-test=curves] canvas:visible").count()
    for light, dark in zip(sheets["light"], sheets["dark"], strict=True):
        assert_allclose(dark, light, rtol=0, atol=2)


def test_where_it_cannot_be_shown_a_sentence_says_why(open_alone, saved, tmp_path):
    """The page is not blank without JavaScript, in browsers before 2023, or where the file lost a part."""
    page = open_alone(saved, None, java_script_enabled=False)
    expect(page.get_by_text("Loading the curves (requires JavaScript) …")).to_be_visible()
    expect(page.locator("footer.ice-page-about")).to_contain_text("all 60 rows")
    page = open_alone(saved, None, script="delete globalThis.DecompressionStream")
    expect(page.get_by_role("alert")).to_have_text(
        "The explorer cannot be shown. This page needs a browser of 2023 or newer, which can decompress the numbers "
        "in it."
    )
    cut = tmp_path / "cut.html"
    text = saved.read_text(encoding="utf-8")
    cut.write_text(re.sub(r'(id="ice-blob-0">.{200})[^<]*', r"\1", text), encoding="utf-8")
    expect(open_alone(cut, None).get_by_role("alert")).to_contain_text("The explorer cannot be shown.")
