"""Impact beside another measure of importance on the map, in JupyterLab with a real kernel."""

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
x = ice.ICEExplorer(model, X, y)
x"""


@pytest.fixture
def notebook(lab, page):
    """A notebook whose first cell shows an explorer, with two more cells to type into."""
    lab.write("importance.ipynb", [MAKE, "", ""])
    notebook = lab.open(page, "importance.ipynb")
    yield notebook
    notebook.shut_down()


def test_impact_is_compared_with_importances(notebook):
    """A measure is chosen and computed; state, file and frozen page have it; without y a sentence says what to do."""
    notebook.run(0)
    view = notebook.explorer(0)
    expect(view).to_have_attribute("data-status", "ready", timeout=60_000)
    view.get_by_test_id("tab-map").click()
    chosen, sentence = view.get_by_test_id("map-y"), view.get_by_test_id("map-comparison")
    for measure, name in (("native", "importance of the model"), ("permutation", "permutation importance")):
        chosen.select_option(measure)
        expect(sentence).to_contain_text(f" of {name}.", timeout=60_000)
        pictured(view, f"importance-{measure}")
    expect(sentence).to_contain_text("Correlation with in-distribution impact: Pearson 0.")
    notebook.agrees(1, "x.state()['view']", "{'left': 'map', 'map_y': 'permutation'}")

    chosen.select_option("loco")
    view.get_by_test_id("map-start").click()
    expect(sentence).to_contain_text(" of LOCO.", timeout=60_000)

    chosen.select_option("permutation")
    notebook.rewrite(2, "x.freeze()")
    notebook.run(2)
    frozen = notebook.page.frame_locator("iframe.ice-frozen").get_by_test_id("ice-explorer")
    expect(frozen.get_by_test_id("map-comparison")).to_have_text(sentence.inner_text())
    assert frozen.get_by_test_id("map-y").locator("option").count() == 4  # non-linearity, and what was computed

    notebook.rewrite(
        2, "ice.ICEExplorer(model, X, state={'version': 1, 'view': {'left': 'map', 'map_y': 'permutation'}})"
    )
    notebook.run(2)
    message = notebook.explorer(2).get_by_test_id("map-message")
    expect(message).to_have_text(
        "Permutation importance needs the observed target. Call `ICEExplorer(model, X, y)`.", timeout=60_000
    )
