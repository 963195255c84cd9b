"""Distances given the other features, and curves that fade where they are unlike the data, in JupyterLab."""

from __future__ import annotations

import re

import pytest
from browser.pictures import pictured
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

# Uniform on the square without its upper right quadrant, which no observation is in.
MAKE = """\
import numpy as np
import pandas as pd
import ice_explorer as ice
from sklearn.ensemble import RandomForestRegressor

draw = np.random.default_rng(0)
square = draw.uniform(-1, 1, (400, 2))
X = pd.DataFrame(square[~(square > 0).all(axis=1)], columns=["x1", "x2"])
y = 10 * X["x1"] ** 2 + (X["x2"] >= 0) + 0.1 * draw.normal(size=len(X))
forest = RandomForestRegressor(50, random_state=0).fit(X, y)
calls = []

def model(X):
    calls.append(len(X))
    return forest.predict(X)

x = ice.ICEExplorer(model, X, decay=0.5, grid="quantile", grid_size=40)
x.feature = "x2"
x.color_by = "x1"
x"""


@pytest.fixture
def notebook(lab, page):
    """A notebook whose first cell shows the explorer, with three more cells to type into."""
    lab.write("scale.ipynb", [MAKE, "", "", ""])
    notebook = lab.open(page, "scale.ipynb")
    yield notebook
    notebook.shut_down()


def test_distances_given_the_other_features(notebook, tmp_path):
    """No phantom is predicted again; ranking, code, state, file and frozen page have the scale; back takes no time."""
    notebook.run(0)
    view = notebook.explorer(0)
    expect(view).to_have_attribute("data-status", "ready", timeout=60_000)
    expect(view).to_have_attribute("data-feature", "x2")
    choice = view.get_by_test_id("scale")
    expect(choice).to_have_value("marginal")
    expect(view.get_by_test_id("decay-readout")).to_contain_text("a value 1.0 SD from the observed one")
    pictured(view, "marginal")
    n_rows = int(notebook.value(1, "len(X)"))
    notebook.value(1, "calls.clear()")
    before = float(notebook.value(1, "x.table.loc['x2', 'in_distribution_impact']"))

    choice.select_option("conditional")
    expect(view.get_by_test_id("decay-readout")).to_contain_text("SD (given the other features)")
    expect(view).to_have_attribute("data-status", "ready", timeout=60_000)
    assert float(notebook.value(1, "x.table.loc['x2', 'in_distribution_impact']")) != before
    assert int(notebook.value(1, "max(calls, default=0)")) <= n_rows, "rows as they are may be predicted, no phantoms"
    assert int(notebook.value(1, "sum(calls)")) <= 5 * n_rows
    notebook.agrees(1, "x.scale", "conditional")
    notebook.agrees(1, "x.state()['scale']", "conditional")
    assert "scale='conditional'" in notebook.value(1, "x._header['code']")
    pictured(view, "conditional")

    file = tmp_path / "x2.svg"
    notebook.rewrite(2, f"x.save({str(file)!r}, 'panel'); x.freeze()")
    notebook.run(2)
    frozen = notebook.page.frame_locator("iframe.ice-frozen").get_by_test_id("ice-explorer")
    expect(frozen.get_by_test_id("decay-readout")).to_contain_text("SD (given the other features)")
    expect(frozen.get_by_test_id("scale")).to_be_hidden()
    assert "SD (given the other features)" in file.read_text(encoding="utf-8")

    choice.select_option("marginal")
    expect(view.get_by_test_id("decay-readout")).to_contain_text("a value 1.0 SD from the observed one")
    expect(view).to_have_attribute("data-status", "ready", timeout=2_000)
    assert float(notebook.value(1, "x.table.loc['x2', 'in_distribution_impact']")) == before


def test_curves_fade_where_they_are_unlike_the_data(notebook):
    """The choice is there while these values are shown; a hovered and a selected curve have their sentence."""
    notebook.run(0)
    view = notebook.explorer(0)
    expect(view).to_have_attribute("data-status", "ready", timeout=60_000)
    view.get_by_test_id("view").click()
    expect(view.get_by_test_id("fade-unlike")).to_be_hidden()
    view.get_by_test_id("view-unlike").click()
    view.get_by_test_id("fade-unlike").click()
    pictured(view, "menu")
    view.get_by_test_id("feature-title").click()
    expect(view.get_by_test_id("unlike-note")).to_contain_text("unlike any observation", timeout=60_000)
    notebook.agrees(1, "x.state()['view']", str({"unlike": True, "fade": "unlike"}))
    pictured(view, "unlike")

    notebook.rewrite(2, "row = int(np.argmax(X['x1'])); x.selection = [row]; row")
    notebook.run(2)
    said = view.get_by_test_id("unlike-of-row")
    expect(said).to_have_text(
        re.compile(r"^ ?\d+.% of the phantom observations of row \d+ are unlike any observation\.$")
    )
    share = float(notebook.value(1, "x.explanation['x2'].extrapolation(rows=[row]).curve_shares[0]"))
    expect(said).to_contain_text(f"{share:.0%}".removesuffix("%"))
    view.get_by_test_id("plot").focus()
    notebook.page.keyboard.press("ArrowDown")
    expect(view.get_by_test_id("tooltip")).to_contain_text("of this curve's phantom observations are unlike")
    pictured(view, "unlike-curve")
