"""Two models in one explorer, classes side by side, intervals, and bqplot, in JupyterLab with a real kernel."""

from __future__ import annotations

import re

import pytest
from browser.awaiting import soon
from browser.jupyter import DIABETES
from browser.views import close_menu, least_decay, open_feature, open_menu, ranked, set_in_menu
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

TWO = f"""\
{DIABETES}
from sklearn.ensemble import GradientBoostingRegressor
boosting = GradientBoostingRegressor(n_estimators=40, random_state=0).fit(X, y)
x = ice.ICEExplorer({{"forest": model, "boosting": boosting}}, X, y, grid="quantile", grid_size=30)
x.max_lines = 200
x"""
WINE = """\
import ice_explorer as ice
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier

X, y = load_wine(return_X_y=True, as_frame=True)
kind = y.map({0: "barolo", 1: "grignolino", 2: "barbera"})
model = RandomForestClassifier(n_estimators=20, random_state=0).fit(X, kind)
x = ice.ICEExplorer(model, X, kind, output="barolo")
x.feature = "proline"
x"""
_BARS = "[data-test=bar-model]"


def open_in_both(view, feature):
    """Open a feature; the curves of both models are drawn, and each feature has two bars."""
    open_feature(view, feature)
    expect(view).to_have_attribute("data-drawn-lines", "400")
    expect(view.get_by_test_id("group-mean")).to_have_count(2)
    expect(view.get_by_test_id("legend-level")).to_contain_text(["forest", "boosting"])
    expect(view.locator(_BARS)).to_have_count(20)


def test_two_models_are_compared_and_saved(lab, notebook, browser):
    """Bars and curves of both; the slider sorts, the other model opens, disagreement ranks; a page shows the same."""
    view = notebook.show(TWO)
    expect(view.get_by_test_id("models-key")).to_have_text("forestboostingranked by forest")
    for feature in ("s5", "bmi"):
        open_in_both(view, feature)
    figures = view.get_by_test_id("bar-figure").all_text_contents()
    least_decay(view)
    soon(lambda: view.get_by_test_id("bar-figure").all_text_contents() != figures, wanted=True)
    notebook.agrees("x.decay", 0.01)

    view.get_by_test_id("model").select_option("boosting")
    expect(view.get_by_test_id("models-key")).to_have_text("forestboostingranked by boosting")
    expect(view.get_by_test_id("sentence")).to_have_text(re.compile(r"^\s*boosting: "))
    notebook.agrees("x.model", "boosting")
    soon(lambda: ranked(view), notebook.ask("x.explanation.table(decay=x.decay).index"))
    open_in_both(view, "bmi")

    set_in_menu(view, "rank-by", "disagreement")
    expect(view.get_by_test_id("bars")).to_have_attribute("aria-label", "Features by disagreement")
    notebook.agrees("x.rank_by", "disagreement")
    expect(view.locator(_BARS)).to_have_count(0)
    first = view.locator('[data-test=bar][data-rank="1"]')
    expect(first).to_have_attribute("aria-label", re.compile(r" disagreement of forest and boosting,"))
    set_in_menu(view, "rank-by", "impact")
    notebook.agrees("x.rank_by", "impact")

    notebook.do("x.save('page.html')")
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 900})
    alone = context.new_page()
    alone.goto((lab.notebooks / "page.html").as_uri())
    page = alone.get_by_test_id("ice-explorer")
    expect(page).to_have_attribute("data-feature", "bmi")
    expect(page.get_by_test_id("group-mean")).to_have_count(2)
    expect(page.locator(_BARS)).to_have_count(20)
    soon(lambda: ranked(page), ranked(view))
    expect(page.get_by_test_id("model")).to_be_hidden()
    context.close()


def test_what_is_chosen_in_the_view_menu_is_shown_and_stays(notebook):
    """Target, classes and one axis; another class by a click; another display has it all."""
    view = notebook.show(WINE, "x")
    expect(view).to_have_attribute("data-feature", "proline")
    set_in_menu(view, "classes-side-by-side")
    classes = view.get_by_test_id("class")
    expect(view.get_by_test_id("class-open")).to_have_text(["barbera", "barolo", "grignolino"])
    set_in_menu(view, "view-target")
    view.get_by_test_id("tab-all").click()
    open_menu(view)
    view.get_by_test_id("view-shared_y").uncheck()
    close_menu(view)
    view.get_by_test_id("tab-feature").click()
    expect(view.get_by_test_id("target")).to_have_attribute("data-points", "178")
    assert notebook.ask("x.state()['view']['shared_y']") is False
    classes.filter(has_text="barbera").click()
    expect(view.get_by_test_id("y-title")).to_contain_text("probability of barbera")
    notebook.agrees("x.output", "barbera")
    expect(view).to_have_attribute("data-status", "ready")
    expect(classes.filter(has_text="barbera")).to_have_attribute("aria-current", "true")
    notebook.run(1)
    again = notebook.explorer(1)
    expect(again.get_by_test_id("target")).to_have_attribute("data-points", "178")
    expect(again.get_by_test_id("class")).to_have_count(3)


def test_intervals_are_switched_on_in_the_explorer_and_off_from_python(notebook):
    """Whiskers follow the slider once it rests; another display and the kernel have the same level."""
    view = notebook.show(WINE, "x.ci = 0.8\nx")
    whiskers = view.locator("[data-test=bar-interval]:visible")
    expect(whiskers).to_have_count(0)
    set_in_menu(view, "intervals")
    key = view.get_by_test_id("intervals-key")
    expect(key).to_have_attribute("data-state", "ready")
    expect(key).to_contain_text("95\N{NO-BREAK SPACE}% interval over other samples of rows")
    expect(whiskers).not_to_have_count(0)
    notebook.agrees("x.ci, x.table.columns[-1]", [0.95, "tied_with_next"])
    assert notebook.ask("int(x.table.tied_with_next.sum())") > 0
    expect(view.get_by_test_id("ties")).to_contain_text("Tied at 95")
    for _ in range(5):
        view.get_by_test_id("decay-slider").press("ArrowLeft")
    notebook.agrees("round(x.decay, 2)", 0.7)
    expect(key).to_have_attribute("data-state", "ready")
    expect(whiskers).not_to_have_count(0)
    notebook.run(1)
    key_again = notebook.explorer(1).get_by_test_id("intervals-key")
    expect(key_again).to_have_attribute("data-state", "ready")
    expect(key_again).to_contain_text("80\N{NO-BREAK SPACE}% interval")
    expect(view.get_by_test_id("intervals")).to_be_checked()
    notebook.do("x.ci = False")
    expect(view.get_by_test_id("intervals")).not_to_be_checked()
    expect(whiskers).to_have_count(0)
