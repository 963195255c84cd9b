"""What makes curves differ, in JupyterLab with a real kernel: chips, rules and colours."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

MAKE = """\
import numpy as np
import pandas as pd
import ice_explorer as ice
from sklearn.ensemble import GradientBoostingRegressor

draw = np.random.default_rng(0)
X = pd.DataFrame(draw.uniform(-1, 1, (300, 4)), columns=["X1", "X2", "X3", "noise"])
y = 0.2 * X["X1"] - 5 * X["X2"] + 10 * X["X2"] * (X["X3"] >= 0) + draw.normal(0, 0.3, 300)
model = GradientBoostingRegressor(random_state=0).fit(X, y)
x = ice.ICEExplorer(model, X, grid="quantile", grid_size=40)
x.feature = "X2"
x"""


@pytest.fixture
def notebook(lab, page, request):
    """A notebook whose first cell shows an explorer of a planted interaction."""
    name = f"{request.node.originalname}.ipynb"
    lab.write(name, [MAKE, "", "", ""])
    notebook = lab.open(page, name)
    yield notebook
    notebook.shut_down()


def test_lines_are_parted_by_what_makes_them_differ(notebook):
    """The planted interaction is the first chip; a click parts the lines, another takes it back."""
    notebook.run(0)
    view = notebook.explorer(0)
    expect(view).to_have_attribute("data-status", "ready")
    line = view.get_by_test_id("drivers")
    expect(line).to_have_attribute("data-state", "ready")
    expect(view.get_by_test_id("drivers-lead")).to_have_text(
        re.compile(r"^Curves differ \(9\d % of their variance\); of that:$")
    )
    chip = view.get_by_test_id("driver").first
    expect(chip).to_have_attribute("data-column", "X3")
    rule = chip.locator(".ice-chip-rule").inner_text()
    assert re.fullmatch(r"X3 > -?0(\.0\d*)?", rule)
    assert notebook.value(1, "x.explanation.drivers('X2')['rule'].iloc[0]") == rule

    chip.click()
    threshold = rule.removeprefix("X3 > ")
    levels = view.get_by_test_id("legend-level")
    sides = [re.compile(rf"^{re.escape(side)} n = \d+$") for side in (f"X3 ≤ {threshold}", rule)]
    expect(levels).to_have_text(sides)
    expect(chip).to_have_attribute("aria-pressed", "true")
    notebook.agrees(1, "x.color_by", "X3")
    levels.first.click()
    expect(levels.first).to_have_attribute("aria-pressed", "false")

    # Another view of the same explorer shows what was chosen.
    notebook.rewrite(2, "x")
    notebook.run(2)
    second = notebook.explorer(2)
    expect(second.get_by_test_id("legend-level")).to_have_text(sides)

    chip.click()
    expect(levels).to_have_count(0)
    notebook.agrees(1, "x.color_by", "None")


def test_columns_colour_by_value_at_their_median_or_by_rule(notebook):
    """The list of colours begins with what explains the differences; numbers have a ramp and a median besides."""
    notebook.run(0)
    view = notebook.explorer(0)
    expect(view.get_by_test_id("drivers")).to_have_attribute("data-state", "ready")
    select = view.get_by_test_id("color-by")
    expect(select.locator("optgroup")).to_have_count(2)
    select.select_option("noise")
    expect(view.locator(".ice-legend-ramp")).to_be_visible()
    view.get_by_test_id("coloring-median").click()
    levels = view.get_by_test_id("legend-level")
    expect(levels).to_have_text([re.compile("^noise ≤ "), re.compile("^noise > ")])
    best = select.locator("optgroup").first.locator("option").first.get_attribute("value")
    select.select_option(best)
    expect(levels).to_have_text([re.compile("^X3 ≤ "), re.compile("^X3 > ")])
    notebook.agrees(1, "x.color_by", "X3")
    # What explains nothing of another feature is not split.
    view.locator('[data-test=bar][data-feature="noise"]').click()
    expect(view).to_have_attribute("data-feature", "noise")
    expect(view.get_by_test_id("drivers")).to_have_attribute("data-state", re.compile("ready|nothing"))
