"""Journeys through JupyterLab with a real kernel, as a person makes them."""

from __future__ import annotations

import re

import nbformat
import numpy as np
from browser.awaiting import soon
from browser.jupyter import DIABETES, EXPLORER
from browser.views import choose_kind, drag_slider, least_decay, open_feature, ranked, ranking, set_in_menu
from playwright.sync_api import expect

# After some predictions the model waits for a file, "go on", so that there is something to cancel however slow the
# page is.
SLOW = """
import time
from pathlib import Path
calls = []

def slow(X):
    calls.append(len(X))
    time.sleep(0.1)  # bars are told of between calls, and not more often than the page can follow
    while sum(calls) > 60_000 and not Path("go on").exists():
        time.sleep(0.05)
    return model.predict(X)

x = ice.ICEExplorer(slow, X)
x"""
SAMPLED = re.compile(r"Sample of \d+ of 442 rows · \d+ of 10 features exact")
CANCELLED = re.compile(r"Cancelled: \d of 10 features are exact, the others rest on a sample of \d+ of 442 rows\.")


def assert_ranking_is_that_of_the_table(notebook, view):
    """Names and figures of the bars are those of `x.table`."""
    table = dict(notebook.ask("[*x.table['in_distribution_impact'].items()]"))
    soon(lambda: ranked(view), list(table))
    np.testing.assert_allclose([float(figure) for _, figure in ranking(view)], list(table.values()), atol=0.051)


def test_from_the_cell_to_the_table(notebook):
    """Run, click a bar, change kind and colour, drag the slider: the kernel agrees; keys do not reach the notebook."""
    page = notebook.page
    view = notebook.show(EXPLORER, "")
    open_feature(view, "s5")
    choose_kind(view, "c-ice")
    set_in_menu(view, "color-by", "bmi")
    expect(view.get_by_test_id("legend")).to_contain_text("bmi")
    orders = {tuple(ranked(view)) for _ in drag_slider(page, view, 0.75, 0.02, 25)}
    assert len(orders) > 1
    slider = view.get_by_test_id("decay-slider")
    final = float(slider.input_value())
    notebook.agrees("x.decay, x.feature, x.kind, x.color_by", [final, "s5", "c-ice", "bmi"])
    assert_ranking_is_that_of_the_table(notebook, view)

    for key in ("ArrowRight", "ArrowUp", "ArrowLeft", "ArrowRight", "a", "b", "j", "k"):
        page.keyboard.press(key)
    expect(slider).to_have_value(f"{final + 0.02:.2f}".rstrip("0"))
    expect(slider).to_be_focused()
    view.locator("[data-test=bar][data-rank='1']").click()
    page.keyboard.press("ArrowDown")
    expect(view.locator("[data-test=bar][data-rank='2']")).to_be_focused()
    expect(view.locator("[data-test=bar][data-rank='2']")).to_have_attribute("aria-selected", "true")
    expect(notebook.cells).to_have_count(2)


def test_python_moves_the_view(notebook):
    """Traits set in a cell show in the view above it; a mistake is one sentence under the cell and changes nothing."""
    view = notebook.show(EXPLORER, "", "x.feature = 'bmj'")
    notebook.rewrite(1, "x.feature = 'bp'; x.kind = 'd-ice'; x.selection = [0, 3]; x.decay = 0.4; x.selected")
    notebook.run(1)
    expect(view).to_have_attribute("data-feature", "bp")
    expect(view).to_have_attribute("data-kind", "d-ice")
    expect(view.get_by_test_id("selected-line")).to_have_count(2)
    expect(view.get_by_test_id("decay-slider")).to_have_value("0.4")
    assert notebook.ask("x.selected.index") == [0, 3]
    error = notebook.run(2).locator(".jp-OutputArea-output")
    expect(error).to_contain_text("No column named 'bmj' in X. Did you mean 'bmi'?")
    expect(view).to_have_attribute("data-feature", "bp")


def test_two_views_and_a_second_run(notebook):
    """A second view shows the same; the cell run anew replaces the first one; `x.close()` takes the view away."""
    first = notebook.show(EXPLORER, "x", "x.close(); x")
    notebook.run(1)
    second = notebook.shown(1)
    choose_kind(second, "d-ice")
    expect(first).to_have_attribute("data-kind", "d-ice")
    least_decay(first)
    expect(second.get_by_test_id("decay-slider")).to_have_value("0.01")

    notebook.run(0)
    again = notebook.shown(0)
    expect(again).to_have_attribute("data-kind", "ice")
    expect(second).to_have_attribute("data-kind", "d-ice")
    open_feature(again, "sex")
    expect(second).not_to_have_attribute("data-feature", "sex")
    notebook.agrees("x.feature", "sex")

    notebook.run(2)
    expect(notebook.explorer(0)).to_have_count(0)
    expect(notebook.output(2)).to_have_text("<ICEExplorer: closed>")
    expect(second).to_have_count(1)


def test_a_click_on_the_text_of_an_entry_of_the_menu_changes_the_view(notebook):
    """The whole line of an entry is pressed, as in any menu, and the menu stays open for the next one."""
    view = notebook.show(EXPLORER)
    view.get_by_test_id("view").click()
    for name, is_on in {"ale": True, "unlike": False}.items():
        entry = view.get_by_test_id(f"view-{name}")
        expect(entry).to_be_checked(checked=not is_on)
        entry.locator("xpath=ancestor::label/span").first.click()
        expect(entry).to_be_checked(checked=is_on)
    expect(view.get_by_test_id("effect-ale")).to_have_count(1)
    notebook.agrees("x.state()['view']", {"ale": True, "fade": "distance"})


def test_a_sample_comes_first(lab, notebook):
    """A slow model: all features have bars with whiskers before it is done, which a cancel keeps; then exact ones."""
    notebook.fill(DIABETES + SLOW)
    notebook.run(0)
    view = notebook.explorer(0)
    bars = view.get_by_test_id("bar")
    drafts = view.locator("[data-test=bar][data-draft]")
    whiskers = view.get_by_test_id("bar-interval").locator("visible=true")
    expect(view).to_have_attribute("data-status", "computing")
    expect(drafts).to_have_count(10)
    expect(whiskers).not_to_have_count(0)
    expect(view.get_by_test_id("status-text")).to_have_text(SAMPLED)
    expect(view.get_by_test_id("curves")).to_have_attribute("data-state", "ready")

    view.get_by_test_id("cancel").click()
    (lab.notebooks / "go on").touch()
    expect(view).to_have_attribute("data-status", "cancelled")
    expect(view.get_by_test_id("status-text")).to_have_text(CANCELLED)
    expect(drafts).not_to_have_count(0)
    open_feature(view, drafts.last.get_attribute("data-feature"))
    expect(view.get_by_test_id("sample")).to_contain_text("rows")
    expect(bars).to_have_count(10)

    view.get_by_test_id("resume").click()
    expect(view).to_have_attribute("data-status", "ready")
    expect(drafts).to_have_count(0)
    expect(whiskers).to_have_count(0)
    expect(view.get_by_test_id("sample")).to_be_hidden()
    assert_ranking_is_that_of_the_table(notebook, view)


def test_the_quickstart_runs_from_top_to_bottom(lab, notebook, root):
    """No cell of the first notebook that a newcomer meets fails, and the explorer is as its picture after them."""
    cells = nbformat.read(root / "notebooks" / "quickstart.ipynb", 4).cells
    sources = [cell.source for cell in cells if cell.cell_type == "code"]
    notebook.fill(*sources)
    for index in range(len(sources)):
        notebook.run(index)
    failed = "[data-mime-type='application/vnd.jupyter.error'], [data-mime-type='application/vnd.jupyter.stderr']"
    expect(notebook.page.locator(failed)).to_have_count(0)
    view = notebook.page.get_by_test_id("ice-explorer")
    view.scroll_into_view_if_needed()
    expect(view).to_have_attribute("data-status", "ready")
    expect(view).to_have_attribute("data-feature", "body mass index")
    expect(view).to_have_attribute("data-kind", "c-ice")
    expect(view.get_by_test_id("selected-line")).to_have_count(2)
    expect(view.get_by_test_id("decay-slider")).to_have_value("0.5")
    assert (lab.notebooks / "body mass index.svg").stat().st_size > 10_000


def test_restarting_the_kernel(notebook):
    """The picture of a lost kernel stays and says so; its slider works; the cell runs again."""
    view = notebook.show(EXPLORER, "'x' in globals()")
    notebook.page.watch.expected.append("Connection lost, reconnecting")  # Lab's own words
    notebook.restart_kernel()
    expect(view).to_have_attribute("data-status", "gone")
    least_decay(view)
    notebook.run(1)
    expect(notebook.output(1)).to_have_text("False")
    notebook.run(0)
    view = notebook.shown(0)
    open_feature(view, "s5")
    notebook.agrees("x.feature", "s5")
