"""What a reader set stays as it was: shown again, after a reload, in an explorer made of its state."""

from __future__ import annotations

import json

import pytest
from browser.awaiting import soon, still
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

MAKE = """\
import json, time
from pathlib import Path
import ice_explorer as ice
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
model = RandomForestRegressor(n_estimators=20, random_state=0).fit(X, y)
"""


@pytest.fixture
def notebook(lab, page, request):
    """A notebook that makes an explorer and shows it, with three more cells to type into."""
    name = f"{request.node.originalname}.ipynb"
    lab.write(name, [MAKE + "x = ice.ICEExplorer(model, X)\nx", "", "", ""])
    notebook = lab.open(page, name)
    yield notebook
    notebook.shut_down()


def shown(notebook, index=0):
    """The explorer of a cell, once it has drawn all it has to."""
    view = notebook.explorer(index)
    expect(view).to_have_attribute("data-status", "ready", timeout=60_000)  # the libraries are loaded first
    expect(view.get_by_test_id("curves")).to_have_attribute("data-state", "ready")
    return view


def set_much(view, page):
    """Set many things as a reader does."""
    view.locator('[data-test=bar][data-feature="s5"]').click()
    view.get_by_test_id("kind-c-ice").click()
    view.get_by_test_id("color-by").select_option("bmi")
    view.get_by_test_id("rank-by").select_option("heterogeneity")
    view.get_by_test_id("anchor").select_option("median")
    slider = view.get_by_test_id("decay-slider")
    slider.focus()
    page.keyboard.press("Home")
    expect(view.get_by_test_id("legend")).to_contain_text("bmi")
    plot = view.get_by_test_id("plot")
    plot.focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(view.get_by_test_id("selected-line")).to_have_count(1)
    view.get_by_test_id("compare").select_option("s6")
    view.get_by_test_id("view").click()
    view.get_by_test_id("view-shared_y").check()
    page.keyboard.press("Escape")


def looks(view):
    """What a view shows of all that was set."""
    shown_decay = view.get_by_test_id("decay-slider")
    return {
        "feature": view.get_attribute("data-feature"),
        "kind": view.get_attribute("data-kind"),
        "colour": view.get_by_test_id("color-by").input_value(),
        "rank": view.get_by_test_id("rank-by").input_value(),
        "anchor": view.get_by_test_id("anchor").input_value(),
        "decay": shown_decay.input_value(),
        "selected": view.get_by_test_id("small-selected").count(),
        "compared": view.get_by_test_id("compared").evaluate_all("parts => parts.map((part) => part.dataset.feature)"),
        "view": view.get_by_test_id("view-shared_y").is_checked(),
        "order": view.get_by_test_id("bar").evaluate_all(
            "bars => bars.map(({ dataset }) => [Number(dataset.rank), dataset.feature]).sort((a, b) => a[0] - b[0])"
        ),
    }


WANTED = {
    "feature": "s5",
    "kind": "c-ice",
    "colour": "bmi",
    "rank": "heterogeneity",
    "anchor": "median",
    "decay": "0.01",
    "selected": 2,
    "compared": ["s5", "s6"],
    "view": True,
}


def test_everything_set_survives(notebook, page):
    """Another display, a reload of the page with the kernel alive, and a new explorer made of the state."""
    notebook.run(0)
    view = shown(notebook)
    set_much(view, page)
    soon(lambda: {name: look for name, look in looks(view).items() if name in WANTED}, WANTED)
    before = looks(view)

    notebook.rewrite(1, "x")
    notebook.run(1)
    again = shown(notebook, 1)
    soon(lambda: looks(again), before)

    state = notebook.value(2, "json.dumps(x.state())")
    assert json.loads(state)["feature"] == "s5"
    notebook.save()
    page.reload()
    notebook.wait_for_kernel()
    reloaded = shown(notebook)
    soon(lambda: looks(reloaded), before)
    assert notebook.value(2, "json.dumps(x.state())") == state

    notebook.rewrite(3, "other = ice.ICEExplorer(model, X, state=json.loads(json.dumps(x.state())))\nother")
    notebook.run(3)
    made = shown(notebook, 3)
    soon(lambda: looks(made), before)


BUSY = """
x = ice.ICEExplorer(model, X)
display(x)
print("displayed")
while not (Path("awake").exists() and x.selection):
    {work}
Path("awake").unlink()
print(x.feature, x.kind, x.decay, x.color_by, len(x.selection) > 20)"""


def step_slider(view, page):
    """The slider moves and the bars follow."""
    slider = view.get_by_test_id("decay-slider")
    slider.focus()
    page.keyboard.press("Home")
    expect(view.get_by_test_id("decay-value")).to_have_text("0.01")


def step_open(view, page):
    """A feature opens, with lines that only the kernel has."""
    view.locator('[data-test=bar][data-feature="s5"]').click()
    expect(view).to_have_attribute("data-feature", "s5")


def step_kind(view, page):
    """Another kind of curves is drawn."""
    view.get_by_test_id("kind-c-ice").click()
    expect(view).to_have_attribute("data-kind", "c-ice")


def step_colour(view, page):
    """Colours come, with their legend."""
    view.get_by_test_id("color-by").select_option("bmi")
    expect(view.get_by_test_id("legend")).to_contain_text("bmi")


def step_hover(view, page):
    """A line under the pointer has its card, with a row that only the kernel has."""
    view.get_by_test_id("plot").focus()
    page.keyboard.press("ArrowUp")
    expect(view.get_by_test_id("hovered-line")).to_have_count(1)
    expect(view.get_by_test_id("tooltip")).to_contain_text("bmi")


def step_select(view, page):
    """A line is selected."""
    page.keyboard.press("Enter")
    expect(view.get_by_test_id("selected-line")).to_have_count(1)


def step_brush(view, page):
    """A brush over the lines selects those that it crosses."""
    for _ in range(3):
        page.keyboard.press("Escape")
    expect(view.get_by_test_id("selected-line")).to_have_count(0)
    plot = view.get_by_test_id("plot")
    box = still(plot)
    at = box["x"] + 0.9 * box["width"]
    page.mouse.move(at, box["y"] + 0.1 * box["height"])
    page.mouse.down()
    page.mouse.move(at, box["y"] + 0.6 * box["height"], steps=6)
    page.mouse.up()
    expect(view.get_by_test_id("brush-bar")).to_be_visible()
    expect(plot).to_have_attribute("data-dimmed", "")


def step_legend(view, page):
    """Levels are hidden and shown again."""
    view.get_by_test_id("color-by").select_option("sex")
    levels = view.get_by_test_id("legend-level")
    levels.first.click()
    expect(levels.first).to_have_attribute("aria-pressed", "false")


def step_tabs(view, page):
    """All features in small, and back; lines that are not at hand may wait for the kernel."""
    view.get_by_test_id("tab-all").click()
    expect(view.get_by_test_id("tile").first).to_be_visible()
    view.get_by_test_id("tab-map").click()
    expect(view.get_by_test_id("map-open")).to_have_count(1)
    view.get_by_test_id("tab-feature").click()
    expect(view.get_by_test_id("plot")).to_be_visible()


STEPS = [
    step_slider, step_open, step_kind, step_colour, step_hover, step_select, step_brush, step_legend, step_tabs,
]  # fmt: skip


@pytest.mark.parametrize("work", ["time.sleep(0.1)", "sum(range(200_000))"], ids=["sleeping", "computing"])
def test_a_busy_kernel_freezes_nothing(lab, notebook, page, work):
    """The explorer is there and usable while its own cell goes on, step by step, and the cell hears of it."""
    notebook.rewrite(0, MAKE + BUSY.replace("{work}", work))
    notebook.run(0, wait=False)
    view = shown(notebook)
    prompt = notebook.cells.nth(0).locator(".jp-InputPrompt").first
    for step in STEPS:
        step(view, page)
        expect(prompt).to_have_text("[*]:")
    (lab.notebooks / "awake").touch()
    expect(notebook.cells.nth(0).locator(".jp-OutputArea-output pre").last).to_contain_text("s5 c-ice 0.01 sex True")


def test_axe_finds_nothing_serious_in_lab(notebook, page, root):
    """The view where it is used, with Lab's own colours and roles around it."""
    notebook.run(0)
    view = shown(notebook)
    set_much(view, page)
    page.evaluate("Promise.all(document.getAnimations().map(({ finished }) => finished))")
    page.add_script_tag(path=root / "js" / "node_modules" / "axe-core" / "axe.min.js")
    found = view.evaluate(
        """async (node) => {
            const { violations } = await axe.run(node, { resultTypes: ["violations"] });
            return violations
                .filter(({ impact }) => impact === "serious" || impact === "critical")
                .map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]);
        }"""
    )
    assert found == []
