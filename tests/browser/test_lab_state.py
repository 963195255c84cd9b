"""What a reader set stays as it was, and nothing waits for a kernel that is busy."""

from __future__ import annotations

import pytest
from browser.awaiting import soon
from browser.jupyter import DIABETES, EXPLORER
from browser.views import brush, choose_kind, least_decay, open_feature, ranked, set_in_menu
from playwright.sync_api import expect

pytestmark = pytest.mark.slow


def set_much(page, view):
    """Set many things as a reader does."""
    open_feature(view, "s5")
    choose_kind(view, "c-ice")
    set_in_menu(view, "color-by", "bmi")
    set_in_menu(view, "rank-by", "heterogeneity")
    set_in_menu(view, "anchor", "median")
    least_decay(view)
    expect(view.get_by_test_id("legend")).to_contain_text("bmi")
    view.get_by_test_id("plot").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(view.get_by_test_id("selected-line")).to_have_count(1)
    page.keyboard.press("Escape")
    view.get_by_test_id("tab-all").click()
    for name in ("s5", "s6"):
        view.get_by_role("button", name=f"Compare {name}", exact=True).click()
    view.get_by_test_id("tab-feature").click()


def looks(view):
    """What a view shows of all that was set."""
    return {
        "feature": view.get_attribute("data-feature"),
        "kind": view.get_attribute("data-kind"),
        "colour": view.get_by_test_id("color-by").input_value(),
        "rank": view.get_by_test_id("rank-by").input_value(),
        "anchor": view.get_by_test_id("anchor").input_value(),
        "decay": view.get_by_test_id("decay-slider").input_value(),
        "selected": view.get_by_test_id("selected-line").count(),
    }


WANTED = {
    "feature": "s5",
    "kind": "c-ice",
    "colour": "bmi",
    "rank": "heterogeneity",
    "anchor": "median",
    "decay": "0.01",
    "selected": 1,
}


def test_everything_set_survives(open_notebook, page):
    """Another display, a reload of the page with the kernel alive, and a new explorer made of the state."""
    again = "import json\nother = ice.ICEExplorer(model, X, state=json.loads(json.dumps(x.state())))\nother"
    notebook = open_notebook(EXPLORER, "x", again)
    notebook.run(0)
    view = notebook.shown(0)
    set_much(page, view)
    soon(lambda: looks(view), WANTED)
    order = ranked(view)

    notebook.run(1)
    displayed = notebook.shown(1)
    soon(lambda: (looks(displayed), ranked(displayed)), (WANTED, order))

    state = notebook.ask("x.state()")
    assert state["feature"] == "s5"
    assert state["view"]["compared"] == ["s5", "s6"]
    notebook.save()
    page.reload()
    notebook.wait_for_kernel()
    reloaded = notebook.shown(0)
    soon(lambda: (looks(reloaded), ranked(reloaded)), (WANTED, order))
    assert notebook.ask("x.state()") == state

    notebook.run(2)
    made = notebook.shown(2)
    soon(lambda: (looks(made), ranked(made)), (WANTED, order))


BUSY = """
import time
from pathlib import Path
x = ice.ICEExplorer(model, X)
display(x)
while not (Path("awake").exists() and x.selection):
    {work}
print(x.feature, x.kind, x.decay, x.color_by, len(x.selection) > 20)"""


def use_everything(page, view):
    """Use every part of the explorer; yield when each has reacted."""
    least_decay(view)
    yield "slider"
    open_feature(view, "s5")  # with lines that only the kernel has
    yield "bar"
    choose_kind(view, "c-ice")
    yield "kind"
    set_in_menu(view, "color-by", "bmi")
    expect(view.get_by_test_id("legend")).to_contain_text("bmi")
    yield "colours"
    view.get_by_test_id("plot").focus()
    page.keyboard.press("ArrowUp")
    expect(view.get_by_test_id("hovered-line")).to_have_count(1)
    expect(view.get_by_test_id("tooltip")).to_contain_text("bmi")  # a row that only the kernel has
    yield "card of a row"
    page.keyboard.press("Enter")
    expect(view.get_by_test_id("selected-line")).to_have_count(1)
    yield "selection"
    for _ in range(3):
        page.keyboard.press("Escape")
    expect(view.get_by_test_id("selected-line")).to_have_count(0)
    brush(page, view, 0.9, 0.1, 0.6)
    expect(view.get_by_test_id("brush-bar")).to_be_visible()
    expect(view.get_by_test_id("plot")).to_have_attribute("data-dimmed", "")
    yield "brush"
    set_in_menu(view, "color-by", "sex")
    level = view.get_by_test_id("legend-level").first
    level.click()
    expect(level).to_have_attribute("aria-pressed", "false")
    yield "legend"
    view.get_by_test_id("tab-all").click()
    expect(view.get_by_test_id("tile").first).to_be_visible()
    view.get_by_test_id("tab-interactions").click()
    expect(view.get_by_test_id("interactions")).to_be_visible()
    view.get_by_test_id("tab-feature").click()
    expect(view.get_by_test_id("plot")).to_be_visible()
    yield "tabs"


@pytest.mark.parametrize("work", ["time.sleep(0.1)", "sum(range(200_000))"], ids=["sleeping", "computing"])
def test_a_busy_kernel_freezes_nothing(lab, notebook, work):
    """The explorer is there and usable while its own cell goes on, step by step, and the cell hears of it."""
    notebook.fill(DIABETES + BUSY.replace("{work}", work))
    cell = notebook.run(0, wait=False)
    view = notebook.shown(0)
    for _part in use_everything(notebook.page, view):
        expect(cell.locator(".jp-InputPrompt").first).to_have_text("[*]:")
    (lab.notebooks / "awake").touch()
    expect(cell.locator(".jp-OutputArea-output pre").last).to_contain_text("s5 c-ice 0.01 sex True")
