"""What the View menu shows, in JupyterLab with a real kernel and a classifier of three classes."""

from __future__ import annotations

import pytest
from browser.pictures import pictured
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

MAKE = """\
import ice_explorer as ice
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier

X, y = load_wine(return_X_y=True, as_frame=True)
kind = y.map({0: "barolo", 1: "grignolino", 2: "barbera"})
model = RandomForestClassifier(n_estimators=20, random_state=0).fit(X, kind)
x = ice.ICEExplorer(model, X, kind, output="barolo")
x.feature = "proline"
x"""


@pytest.fixture
def notebook(lab, page, request):
    """A notebook whose first cell shows an explorer, with two more cells to type into."""
    name = f"{request.node.originalname}.ipynb"
    lab.write(name, [MAKE, "", ""])
    notebook = lab.open(page, name)
    yield notebook
    notebook.shut_down()


def test_what_is_chosen_in_the_view_menu_is_shown_and_stays(notebook):
    """Target, classes, ticks, density and one axis; another class by a click; another display has it all."""
    notebook.run(0)
    view = notebook.explorer(0)
    expect(view).to_have_attribute("data-feature", "proline")
    expect(view).to_have_attribute("data-status", "ready")
    view.get_by_test_id("classes-side-by-side").check()
    expect(view.get_by_test_id("class")).to_have_text(["barbera", "barolo", "grignolino"])
    view.get_by_test_id("view").click()
    view.get_by_test_id("view-target").check()
    expect(view.get_by_test_id("target")).to_have_attribute("data-points", "178")
    view.get_by_test_id("view-shared_y").check()
    expect(view.get_by_test_id("y-title")).to_contain_text("on the same axis for all features")
    view.get_by_test_id("lines-as-density").check()
    expect(view).to_have_attribute("data-drawn-as", "density")
    view.get_by_test_id("view").press("Escape")
    view.get_by_test_id("class").filter(has_text="barbera").click()
    expect(view.get_by_test_id("y-title")).to_contain_text("probability of barbera")
    notebook.agrees(1, "x.output", "barbera")
    expect(view).to_have_attribute("data-status", "ready")
    expect(view.get_by_test_id("class").filter(has_text="barbera")).to_have_attribute("aria-pressed", "true")
    pictured(view, "view-in-lab")
    notebook.rewrite(2, "x")
    notebook.run(2)
    again = notebook.explorer(2)
    expect(again).to_have_attribute("data-drawn-as", "density")
    expect(again.get_by_test_id("target")).to_have_attribute("data-points", "178")
    expect(again.get_by_test_id("class")).to_have_count(3)


def test_intervals_are_switched_on_in_the_explorer_and_off_from_python(notebook):
    """Whiskers follow the slider once it rests; another display and the kernel have the same level."""
    notebook.run(0)
    view = notebook.explorer(0)
    expect(view).to_have_attribute("data-status", "ready")
    whiskers = view.locator("[data-test=bar-interval]:visible")
    expect(whiskers).to_have_count(0)
    view.get_by_test_id("intervals").check()
    key = view.get_by_test_id("intervals-key")
    expect(key).to_have_attribute("data-state", "ready")
    expect(key).to_contain_text("95\N{NO-BREAK SPACE}% interval over other samples of rows")
    expect(whiskers).not_to_have_count(0)
    notebook.agrees(1, "x.intervals, x.table.columns[-1]", "0.95 rank_high")
    tied = notebook.value(1, "x.explanation.ties(metric=x.rank_by).tied.sum()")
    assert int(tied) > 0
    expect(view.get_by_test_id("ties")).to_contain_text("Tied at 95")
    pictured(view, "intervals-in-lab")
    slider = view.get_by_test_id("decay-slider")
    slider.focus()
    for _ in range(5):
        slider.press("ArrowLeft")
    notebook.agrees(1, "round(x.decay, 2)", "0.7")
    expect(key).to_have_attribute("data-state", "ready")
    expect(whiskers).not_to_have_count(0)
    notebook.rewrite(2, "x.intervals = 0.8\nx")
    notebook.run(2)
    again = notebook.explorer(2)
    expect(again.get_by_test_id("intervals-key")).to_have_attribute("data-state", "ready")
    expect(again.get_by_test_id("intervals-key")).to_contain_text("80\N{NO-BREAK SPACE}% interval")
    expect(view.get_by_test_id("intervals")).to_be_checked()
    notebook.rewrite(2, "x.intervals = False")
    notebook.run(2)
    expect(view.get_by_test_id("intervals")).not_to_be_checked()
    expect(whiskers).to_have_count(0)
