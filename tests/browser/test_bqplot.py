"""Figures of bqplot beside an explorer, in JupyterLab with a real kernel."""

from __future__ import annotations

import pytest
from browser.awaiting import soon, still
from browser.companions import HEADING, bars, names, ranked, wait_for_bars
from numpy.testing import assert_allclose
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

MAKE = """\
import json
import ipywidgets as widgets
import ice_explorer as ice
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
model = RandomForestRegressor(n_estimators=20, random_state=0).fit(X, y)
x = ice.ICEExplorer(model, X)
x.table  # waits
figures = [ice.bqplot.impact(x), ice.bqplot.curves(x), ice.bqplot.partial_dependence(x),
           ice.bqplot.two_way(x, "bmi", "s5")]
widgets.VBox([widgets.GridBox(figures, layout={"grid_template_columns": "1fr 1fr"}), x])"""


@pytest.fixture
def notebook(lab, page, request):
    """A notebook whose first cell shows an explorer below its companions, with three more cells to type into."""
    name = f"{request.node.originalname}.ipynb"
    lab.write(name, [MAKE, "", "", ""])
    notebook = lab.open(page, name)
    yield notebook
    notebook.shut_down()


@pytest.fixture
def shown(notebook):
    """The explorer and its four figures, all of them drawn."""
    notebook.run(0)
    view = notebook.explorer(0)
    expect(view).to_have_attribute("data-status", "ready")
    figures = [notebook.cells.nth(0).locator(".ice-bqplot").nth(at) for at in range(4)]
    expect(figures[0].locator(".bargroup")).to_have_count(20)
    expect(figures[1].locator(HEADING)).to_have_text("ICE of bmi, 200 of 442 rows")
    expect(figures[2].locator(HEADING)).to_have_text("Mean ICE of bmi ± 1 SD")
    expect(figures[3].locator(HEADING)).to_have_text("Mean prediction, 442 of 442 rows")
    return view, figures


def test_figures_show_what_the_explorer_shows(notebook, shown):
    """Bars are as long as the figures of the table, in its order; cells have as many colours as the picture."""
    view, (impact, curves, mean, pair) = shown
    table = dict(eval(notebook.value(1, "[*x.table['in_distribution_impact'].items()]")))  # noqa: S307 - our own
    drawn = bars(impact)
    assert [feature for feature, _ in drawn] == names(impact) == ranked(view) == list(table)
    scale = drawn[0][1] / table["bmi"]
    assert_allclose([length for _, length in drawn], [value * scale for value in table.values()], rtol=1e-3)
    expect(curves.locator(".curve")).to_have_count(202)  # with the mean and its rim
    expect(mean.locator(".curve .area[d]")).not_to_have_count(0)
    expect(pair.locator(".heatmapcell")).to_have_count(400)
    fills = pair.locator(".heatmapcell").evaluate_all("cells => cells.map((cell) => cell.style.fill)")
    assert len(set(fills)) > 50
    assert "black" not in fills


def test_a_click_on_a_bar_opens_the_feature_everywhere(notebook, shown):
    """In the explorer, in the curves and in Python; so does one in the explorer."""
    view, (impact, curves, mean, _) = shown
    impact.locator(".bargroup").nth(12).locator(".bar").click()
    third = ranked(view)[2]
    expect(view).to_have_attribute("data-feature", third)
    expect(curves.locator(HEADING)).to_have_text(f"ICE of {third}, 200 of 442 rows")
    expect(mean.locator(HEADING)).to_have_text(f"Mean ICE of {third} ± 1 SD")
    notebook.agrees(1, "x.feature", third)
    view.locator('[data-test=bar][data-feature="sex"]').click()
    expect(curves.locator(HEADING)).to_have_text("ICE of sex, 200 of 442 rows")
    notebook.agrees(1, "figures[0].marks[1].selected", "[9]")


def test_the_slider_moves_the_bars(notebook, shown):
    """Its release is drawn at the latest: bars have the lengths and the order of that decay."""
    view, (impact, *_) = shown
    before = bars(impact)
    slider = view.get_by_test_id("decay-slider")
    slider.focus()
    notebook.page.keyboard.press("Home")
    expect(view.get_by_test_id("decay-value")).to_have_text("0.01")
    order = ranked(view)
    assert order != [feature for feature, _ in before]
    wait_for_bars(notebook.page, order)
    soon(lambda: [feature for feature, _ in bars(impact)], order)
    assert [round(length) for _, length in bars(impact)] != [round(length) for _, length in before]
    notebook.agrees(1, "x.decay, [*figures[0].marks[1].x] == [*x.table.index]", "0.01 True")


def test_slopes_of_every_step_are_those_of_the_figures_too(notebook, shown):
    """The choice is made in the View menu; a line has two points for each slope."""
    view, (_, curves, mean, _) = shown
    view.get_by_test_id("kind-d-ice").click()
    expect(mean.locator(HEADING)).to_have_text("Mean d-ICE of bmi ± 1 SD")
    notebook.agrees(1, "{len(figures[at].marks[-1].x) for at in (1, 2)}", "{40}")
    line = curves.locator(".curve .line").last
    before = line.get_attribute("d")
    view.get_by_test_id("view").click()
    view.get_by_test_id("view-every_step").click()
    expect(line).not_to_have_attribute("d", before)
    notebook.agrees(
        2, "{len(figures[at].marks[-1].x) for at in (1, 2)} == {2 * len(x.explanation['bmi'].grid) - 2}", "True"
    )


def test_a_click_on_a_line_selects_its_row(notebook, shown):
    """It stands out in both, and another click lets it go."""
    view, (_, curves, _, _) = shown
    marked = curves.locator(".curve .line").nth(30)
    marked.dispatch_event("click")
    expect(view.get_by_test_id("selected-line")).to_have_count(1)
    expect(curves.locator(".curve")).to_have_count(203)
    row = notebook.value(1, "x.selection[0]")
    assert notebook.value(2, "figures[1].marks[1].labels") == f"['row {row}']"
    notebook.rewrite(3, "x.selection = []; x.color_by = 's5'; x.kind = 'c-ice'")
    notebook.run(3)
    expect(curves.locator(".curve")).to_have_count(202)
    expect(curves.locator(HEADING)).to_have_text("c-ICE of bmi, 200 of 442 rows")
    expect(curves.locator(".ColorBar")).to_contain_text("s5")
    strokes = curves.locator(".curve .line").evaluate_all("lines => lines.map((line) => getComputedStyle(line).stroke)")
    assert len(set(strokes)) > 50


def shares(figure):
    """Feature and length of each bar, as a share of the longest."""
    drawn = bars(figure)
    longest = max(length for _, length in drawn)
    return [(feature, round(length / longest, 3)) for feature, length in drawn]


def test_closing_one_side(notebook, shown):
    """A figure that is closed leaves the page; those of a closed explorer stay as they are."""
    view, (impact, *_) = shown
    notebook.rewrite(1, "figures[1].close()")
    notebook.run(1)
    expect(notebook.cells.nth(0).locator(".ice-bqplot")).to_have_count(3)
    still(impact.locator(".bar").first)
    before = shares(impact)
    notebook.rewrite(2, "x.close(); x.decay = 0.01")
    notebook.run(2)
    expect(view).to_have_count(0)
    still(impact.locator(".bar").first)  # without the explorer a scroll bar may go, and the figure gets wider
    assert shares(impact) == before
