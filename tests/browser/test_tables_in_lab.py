"""An explanation as the last line of a cell: the table that JupyterLab shows, in light and dark."""

from __future__ import annotations

import pytest
from browser.jupyter import DIABETES
from browser.views import contrast
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

CELLS = [f"{DIABETES}e = ice.explain(model, X, progress=False)\ne", 'e["bmi"]']
BARS = """table => [...table.querySelectorAll("td > div")].map((bar) => bar.firstElementChild?.offsetWidth ?? 0)"""
COLORS = """table => {
    const parents = [];
    for (let node = table; node !== null; node = node.parentElement) parents.push(getComputedStyle(node));
    return [parents[0].color, parents.find((style) => style.backgroundColor !== "rgba(0, 0, 0, 0)").backgroundColor];
}"""


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_an_explanation_is_shown_as_a_table_with_bars(open_notebook, theme):
    """The features in their order, the longest bar first, in the ink of the theme; a feature has its metrics."""
    notebook = open_notebook(*CELLS, theme=theme)
    ranking, metrics = (notebook.run(index).locator(".jp-OutputArea-output table") for index in (0, 1))
    expect(ranking.locator("tr")).to_have_count(11)
    assert ranking.locator("tr td:first-child").all_inner_texts() == notebook.ask("e.table().index")
    lengths = ranking.evaluate(BARS)
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] > 5 * lengths[-1]
    expect(metrics.locator("tr td:first-child").first).to_have_text("impact")
    for table in (ranking, metrics):
        assert contrast(table, *table.evaluate(COLORS))[0] > 7
