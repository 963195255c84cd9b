"""Figures of bqplot beside an explorer, in JupyterLab with a real kernel."""

from __future__ import annotations

import pytest
from browser.companions import bars, wait_for_bars
from browser.jupyter import DIABETES
from browser.views import bar, choose_kind, least_decay, ranked
from numpy.testing import assert_allclose
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

MAKE = f"""\
{DIABETES}
import ipywidgets as widgets
x = ice.ICEExplorer(model, X)
x.table  # waits
figures = [ice.bqplot.impact(x), ice.bqplot.curves(x)]
widgets.VBox([widgets.GridBox(figures, layout={{"grid_template_columns": "1fr 1fr"}}), x])"""


def show(notebook):
    """Show an explorer below its figures, and wait until both are drawn."""
    view = notebook.show(MAKE)
    figures = [notebook.cells.first.locator(".ice-bqplot").nth(at) for at in range(2)]
    expect(figures[0].locator(".bargroup")).to_have_count(10)
    expect(figures[1]).to_contain_text("bmi, 200 of 442 rows")
    return view, figures


def test_figures_show_what_the_explorer_shows(notebook):
    """Bars and lines are those of Python; slider, kind and slopes of the explorer are those of the figures."""
    view, (impact, curves) = show(notebook)
    table = dict(notebook.ask("[*x.table['in_distribution_impact'].items()]"))
    wait_for_bars(impact, list(table))
    assert ranked(view) == list(table)
    before = bars(impact)
    scale = before[0][1] / table["bmi"]
    assert_allclose([length for _, length in before], [value * scale for value in table.values()], rtol=1e-3)
    expect(curves.locator(".curve")).to_have_count(201)  # with the mean

    least_decay(view)
    order = ranked(view)
    assert order != [feature for feature, _ in before]
    wait_for_bars(impact, order)
    assert [round(length) for _, length in bars(impact)] != [round(length) for _, length in before]
    notebook.agrees("x.decay, [*figures[0].marks[0].x] == [*x.table.index]", [0.01, True])

    choose_kind(view, "d-ice")
    expect(curves).to_contain_text("slope of the prediction")
    notebook.agrees("len(figures[1].marks[-1].x)", 40)


def test_figures_are_clicked_and_closed(notebook):
    """A bar opens its feature, a line selects its row, in explorer and kernel; a figure that is closed goes."""
    view, (impact, curves) = show(notebook)
    impact.locator(".bargroup").nth(2).locator(".bar").click()
    third = ranked(view)[2]
    expect(view).to_have_attribute("data-feature", third)
    expect(curves).to_contain_text(f"{third}, 200 of 442 rows")
    notebook.agrees("x.feature", third)
    bar(view, "sex").click()
    expect(curves).to_contain_text("sex, 200 of 442 rows")
    notebook.agrees("figures[0].marks[0].selected", [9])
    bar(view, "bmi").click()
    expect(curves).to_contain_text("bmi, 200 of 442 rows")

    curves.locator(".curve .line").nth(30).dispatch_event("click")
    expect(view.get_by_test_id("selected-line")).to_have_count(1)
    expect(curves.locator(".curve")).to_have_count(202)
    [row], labels = notebook.ask("x.selection, figures[1].marks[1].labels")
    assert labels == [f"row {row}"]
    notebook.do("x.selection = []; x.color_by = 's5'; x.kind = 'c-ice'")
    expect(curves.locator(".curve")).to_have_count(201)
    expect(curves).to_contain_text("change of the prediction")
    expect(curves.locator(".ColorBar")).to_contain_text("s5")
    strokes = curves.locator(".curve .line").evaluate_all("lines => lines.map((line) => getComputedStyle(line).stroke)")
    assert len(set(strokes)) > 50

    notebook.do("figures[1].close()")
    expect(notebook.cells.first.locator(".ice-bqplot")).to_have_count(1)
