"""Two models in one explorer: bars, curves, disagreement and a saved page, in JupyterLab with a real kernel."""

from __future__ import annotations

import re

import pytest
from browser.awaiting import soon
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

MAKE = """\
import ice_explorer as ice
from sklearn.datasets import load_diabetes
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
forest = RandomForestRegressor(n_estimators=20, min_samples_leaf=5, random_state=0).fit(X, y)
boosting = GradientBoostingRegressor(n_estimators=40, random_state=0).fit(X, y)
x = ice.ICEExplorer({"forest": forest, "boosting": boosting}, X, y, grid="quantile", grid_size=30)
x.max_lines = 200
x"""

_BARS = "[data-test=bar-model]"


@pytest.fixture
def notebook(lab, page):
    """A notebook whose first cell shows an explorer of two models."""
    lab.write("two_models.ipynb", [MAKE, "", ""])
    notebook = lab.open(page, "two_models.ipynb")
    yield notebook
    notebook.shut_down()


def shows_both(view, feature):
    """Whether the curves of both models are drawn, and each feature has two bars."""
    expect(view).to_have_attribute("data-feature", feature, timeout=90_000)
    expect(view).to_have_attribute("data-drawn-lines", "400")
    expect(view.get_by_test_id("group-mean")).to_have_count(2)
    expect(view.get_by_test_id("model-label")).to_have_text(["forest", "boosting"])
    expect(view.locator(_BARS)).to_have_count(20)
    return True


def order(view):
    """The features from the first rank to the last."""
    return view.evaluate(
        "(root) => [...root.querySelectorAll('[data-test=bar]')]"
        ".sort((a, b) => a.dataset.rank - b.dataset.rank).map(({ dataset }) => dataset.feature)"
    )


def test_two_models_are_compared_and_saved(notebook, browser, tmp_path):
    """Bars and curves of both; the slider sorts, the other model opens, disagreement ranks; a page shows the same."""
    notebook.run(0)
    view = notebook.explorer(0)
    expect(view).to_have_attribute("data-status", "ready", timeout=90_000)
    expect(view.get_by_test_id("models-key")).to_have_text("forestboostingranked by forest")
    view.locator('[data-test=bar][data-feature="s5"]').click()
    assert shows_both(view, "s5")
    view.locator('[data-test=bar][data-feature="bmi"]').click()
    assert shows_both(view, "bmi")

    ranking = "x.explanation.table(decay=x.decay).index.tolist()"
    slider = view.get_by_test_id("decay-slider")
    figures = view.get_by_test_id("bar-figure").all_text_contents()
    slider.focus()
    slider.press("Home")
    expect(view.get_by_test_id("decay-value")).to_have_text("0.01")
    soon(lambda: view.get_by_test_id("bar-figure").all_text_contents() != figures, wanted=True)
    notebook.agrees(1, "x.decay", "0.01")

    view.get_by_test_id("model").select_option("boosting")
    expect(view.get_by_test_id("models-key")).to_have_text("forestboostingranked by boosting")
    expect(view.get_by_test_id("sentence")).to_contain_text("(boosting)")
    notebook.agrees(1, "x.model", "boosting")
    assert str(order(view)) == notebook.value(1, ranking)
    assert shows_both(view, "bmi")

    view.get_by_test_id("rank-by").select_option("disagreement")
    expect(view.get_by_test_id("bars")).to_have_attribute("aria-label", "Features by disagreement")
    notebook.agrees(1, "x.rank_by", "disagreement")
    expect(view.locator(_BARS)).to_have_count(0)
    first = view.locator('[data-test=bar][data-rank="1"]')
    expect(first).to_have_attribute("aria-label", re.compile(r" disagreement of forest and boosting,"))
    view.get_by_test_id("rank-by").select_option("impact")
    notebook.agrees(1, "x.rank_by", "impact")

    file = tmp_path / "page.html"
    notebook.rewrite(2, f"x.save({str(file)!r})")
    notebook.run(2)
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 900})
    alone = context.new_page()
    alone.goto(file.as_uri())
    page = alone.get_by_test_id("ice-explorer")
    expect(page).to_have_attribute("data-feature", "bmi", timeout=90_000)
    expect(page.get_by_test_id("group-mean")).to_have_count(2)
    expect(page.locator(_BARS)).to_have_count(20)
    assert order(page) == order(view)
    expect(page.get_by_test_id("model")).to_be_hidden()
    context.close()
