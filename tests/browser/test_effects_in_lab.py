"""What an explorer computes when it is switched on, in JupyterLab: in view, state, files, frozen page and Python."""

from __future__ import annotations

import re

import pytest
from browser.views import set_in_menu
from origins import read_provenance
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

IMPORTS = "import numpy as np\nimport pandas as pd\nimport ice_explorer as ice\n"

# Along the data the prediction is a V, as X3 is nearly X2; curves of X2 are an X, and their mean is flat.
VARY_TOGETHER = f"""\
{IMPORTS}
draw = np.random.default_rng(0)
X = pd.DataFrame({{"X1": draw.uniform(-1, 1, 300), "X2": draw.uniform(-1, 1, 300)}})
X["X3"] = X["X2"] + 0.02 * draw.normal(size=300)

def model(X):
    return 0.2 * X["X1"] + 5 * X["X2"] * np.where(X["X3"] >= 0, 1, -1)

x = ice.ICEExplorer(model, X, grid="quantile", grid_size=40)
x.feature = "X2"
x"""

# Uniform on the square without its upper right quadrant, which no observation is in.
QUADRANT = f"""\
{IMPORTS}from sklearn.ensemble import RandomForestRegressor

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

DOSES = f"""\
{IMPORTS}from sklearn.ensemble import RandomForestRegressor

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.uniform(-1, 1, size=(300, 4)), columns=["dose", "age", "arm", "noise"])
X["age"] = X["dose"] * 0.9 + 0.1 * X["age"]
y = X["dose"] * 3 + 5 * X["dose"] * (X["arm"] >= 0) + X["age"]
model = RandomForestRegressor(n_estimators=20, random_state=0).fit(X, y)
x = ice.ICEExplorer(model, X, y)
x"""


def frozen_in(notebook, index):
    """Run a cell that freezes the explorer; return the view inside of the frame."""
    cell = notebook.run(index)
    return cell.frame_locator("iframe.ice-frozen").get_by_test_id("ice-explorer")


def test_a_flat_mean_is_found_out(lab, notebook):
    """The mean of the curves is flat; ALE is a V; the strip and the chip say why; a file and a second view follow."""
    view = notebook.show(VARY_TOGETHER, "x")
    expect(view).to_have_attribute("data-feature", "X2")
    expect(view.get_by_test_id("key-ale")).to_be_hidden()
    set_in_menu(view, "view-ale")
    expect(view.get_by_test_id("effect-ale")).to_have_count(1)
    expect(view.get_by_test_id("key-ale")).to_have_text("ALE")
    note = view.get_by_test_id("unlike-note")
    share = notebook.ask("round(100 * x.explanation['X2'].extrapolation().share)")
    expect(note).to_have_text(re.compile(rf"^unlike the data here: {share}\s%$"))
    expect(view.get_by_test_id("unlike")).to_have_count(1)
    notebook.agrees("x.state()['view']", {"ale": True})
    table = "x.explanation.effects('X2', ['partial_dependence', 'ale'])"
    assert notebook.ask(f"np.ptp({table}['partial_dependence'])") < 1
    assert notebook.ask(f"np.ptp({table}['ale'])") > 2
    notebook.do("x.save('x2.svg', 'panel')")
    text = (lab.notebooks / "x2.svg").read_text(encoding="utf-8")
    assert "ALE" in re.findall(r">([^<>]+)</text>", text)
    assert 'id="unlike"' in text

    chip = view.get_by_test_id("correlated-feature").first
    expect(chip).to_have_text("X3 (1.00)")
    chip.click()
    expect(view).to_have_attribute("data-feature", "X3")
    notebook.agrees("x.feature", "X3")
    notebook.run(1)
    expect(notebook.explorer(1).get_by_test_id("effect-ale")).to_have_count(1)


def test_distances_given_the_other_features(lab, notebook):
    """No phantom is predicted again; ranking, code, state, file and frozen page have the scale; back takes no time."""
    view = notebook.show(QUADRANT, "x.save('x2.svg', 'panel', overwrite=True); x.freeze()")
    choice, readout = view.get_by_test_id("distance"), view.get_by_test_id("decay-readout")
    expect(view).to_have_attribute("data-feature", "x2")
    expect(choice).to_have_value("marginal")
    expect(readout).to_contain_text("away counts half")
    expect(readout).not_to_contain_text("SD")
    impact = "x.table.loc['x2', 'in_distribution_impact']"
    n_calls = -1
    while n_calls < (n_calls := notebook.ask("len(calls)")):  # until nothing is predicted in the background
        notebook.page.wait_for_timeout(500)
    before, n_rows, _ = notebook.ask(f"{impact}, len(X), calls.clear()")

    set_in_menu(view, "distance", "conditional")
    expect(readout).to_contain_text("SD (given the other features)")
    notebook.agrees("x.distance, x.state()['distance']", ["conditional", "conditional"])
    assert notebook.ask(impact) != before
    largest, total = notebook.ask("max(calls, default=0), sum(calls)")
    assert largest <= n_rows, "rows as they are may be predicted, no phantoms"
    assert total <= 5 * n_rows
    assert notebook.ask("x._header['distance']") == "conditional"
    frozen = frozen_in(notebook, 1)
    expect(frozen.get_by_test_id("decay-readout")).to_contain_text("SD (given the other features)")
    expect(frozen.get_by_test_id("distance")).to_be_hidden()
    assert read_provenance(lab.notebooks / "x2.svg")["distance"] == "conditional"

    n_calls = notebook.ask("len(calls)")
    set_in_menu(view, "distance", "marginal")
    expect(readout).not_to_contain_text("SD")
    notebook.agrees("x.distance", "marginal")
    assert notebook.ask(f"{impact}, len(calls)") == [before, n_calls]


def test_from_the_interactions_to_a_heat_map_and_back(notebook):
    """The strongest pair opens; a rule opens another; state, file and frozen page have what was computed."""
    view = notebook.show(DOSES, "x.freeze()")
    view.get_by_test_id("tab-interactions").click()
    pairs, panel = view.get_by_test_id("pair"), view.get_by_test_id("pair-panel")
    expect(pairs).to_have_count(6)
    expect(pairs.first).to_have_attribute("data-name", "dose × arm")
    pairs.first.click()
    expect(panel).to_have_attribute("data-state", "ready")
    expect(view.get_by_test_id("pair-title")).to_have_text("dose × arm")
    notebook.agrees("x.state()['view']", {"left": "interactions", "pair": ["dose", "arm"]})
    view.get_by_test_id("pair-back").click()
    expect(view).to_have_attribute("data-feature", "dose")
    view.get_by_test_id("why").click()
    view.get_by_test_id("see-both").first.click()
    expect(panel).to_have_attribute("data-state", "ready")
    frozen = frozen_in(notebook, 1)
    expect(frozen.get_by_test_id("pair")).to_have_count(6)
    expect(frozen.get_by_test_id("pair-panel")).to_have_attribute("data-state", "ready")
    notebook.agrees("x.save('heat.svg', 'panel', overwrite=True).read_text().count('id=\"cells\"')", 1)
