"""From the interactions to a heat map and back, in JupyterLab with a real kernel."""

from __future__ import annotations

import pytest
from browser.pictures import pictured
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

MAKE = """\
import numpy as np
import pandas as pd
import ice_explorer as ice
from sklearn.ensemble import RandomForestRegressor

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.uniform(-1, 1, size=(300, 4)), columns=["dose", "age", "arm", "noise"])
X["age"] = X["dose"] * 0.9 + 0.1 * X["age"]
y = X["dose"] * 3 + 5 * X["dose"] * (X["arm"] >= 0) + X["age"]
model = RandomForestRegressor(n_estimators=20, random_state=0).fit(X, y)
x = ice.ICEExplorer(model, X)
x"""


@pytest.fixture
def notebook(lab, page):
    """A notebook whose first cell shows an explorer, with two more cells to type into."""
    lab.write("interactions.ipynb", [MAKE, "", ""])
    notebook = lab.open(page, "interactions.ipynb")
    yield notebook
    notebook.shut_down()


def test_from_the_interactions_to_a_heat_map_and_back(notebook):
    """The strongest pair opens; a rule opens another; state, file and frozen page have what was computed."""
    notebook.run(0)
    view = notebook.explorer(0)
    expect(view).to_have_attribute("data-status", "ready", timeout=60_000)
    view.get_by_test_id("tab-interactions").click()
    pairs = view.get_by_test_id("pair")
    expect(pairs).to_have_count(6, timeout=60_000)
    expect(pairs.first).to_have_attribute("data-name", "dose × arm")
    expect(view.get_by_test_id("additivity")).to_contain_text("dose acts mostly additively")
    pictured(view, "interactions")

    pairs.first.click()
    expect(view.get_by_test_id("pair-panel")).to_have_attribute("data-state", "ready", timeout=60_000)
    expect(view.get_by_test_id("pair-title")).to_have_text("dose × arm")
    notebook.agrees(1, "x.state()['view']", "{'left': 'interactions', 'pair': ['dose', 'arm']}")
    pictured(view, "heat-map")

    view.get_by_test_id("pair-back").click()
    expect(view).to_have_attribute("data-feature", "dose")
    view.get_by_test_id("see-both").first.click()
    expect(view.get_by_test_id("pair-panel")).to_have_attribute("data-state", "ready", timeout=60_000)

    notebook.rewrite(2, "x.freeze()")
    notebook.run(2)
    frozen = notebook.page.frame_locator("iframe.ice-frozen").get_by_test_id("ice-explorer")
    expect(frozen.get_by_test_id("pair")).to_have_count(6)
    expect(frozen.get_by_test_id("pair-panel")).to_have_attribute("data-state", "ready")
    notebook.agrees(1, "x.save('heat.svg', 'panel', overwrite=True).read_text().count('id=\"cells\"')", "1")
