"""An explanation as the last line of a cell: the table that JupyterLab shows, in light and dark."""

from __future__ import annotations

import pytest
from browser.jupyter import DIABETES
from browser.views import contrast
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

COLORS = """table => {
    const parents = [];
    for (let node = table; node !== null; node = node.parentElement) parents.push(getComputedStyle(node));
    return [parents[0].color, parents.find((style) => style.backgroundColor !== "rgba(0, 0, 0, 0)").backgroundColor];
}"""


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_an_explanation_is_shown_as_a_table(open_notebook, theme):
    """The features in their order, with their metrics, in the ink of the theme."""
    notebook = open_notebook(f"{DIABETES}e = ice.explain(model, X, progress=False)\ne", theme=theme)
    table = notebook.run(0).locator(".jp-OutputArea-output table")
    expect(table.locator("thead th").nth(2)).to_have_text("impact")
    assert table.locator("tbody th").all_inner_texts() == notebook.ask("e.table().index")
    assert contrast(table, *table.evaluate(COLORS))[0] > 7
