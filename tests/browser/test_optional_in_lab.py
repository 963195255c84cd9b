"""ALE beside the curves, correlated features and values unlike the data, in JupyterLab with a real kernel."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

# Along the data the prediction is a V, as X3 is nearly X2; curves of X2 are an X, and their mean is flat.
MAKE = """\
import numpy as np
import pandas as pd
import ice_explorer as ice

draw = np.random.default_rng(0)
X = pd.DataFrame({"X1": draw.uniform(-1, 1, 300), "X2": draw.uniform(-1, 1, 300)})
X["X3"] = X["X2"] + 0.02 * draw.normal(size=300)

def model(X):
    return 0.2 * X["X1"] + 5 * X["X2"] * np.where(X["X3"] >= 0, 1, -1)

x = ice.ICEExplorer(model, X, grid="quantile", grid_size=40)
x.feature = "X2"
x"""


@pytest.fixture
def notebook(lab, page):
    """A notebook whose first cell shows an explorer of features that vary together."""
    lab.write("optional.ipynb", [MAKE, "", "", ""])
    notebook = lab.open(page, "optional.ipynb")
    yield notebook
    notebook.shut_down()


def test_a_flat_mean_is_found_out(notebook, tmp_path):
    """The mean of the curves is flat; ALE is a V; the strip and the chip say why; a file and a second view follow."""
    notebook.run(0)
    view = notebook.explorer(0)
    expect(view).to_have_attribute("data-status", "ready")
    expect(view).to_have_attribute("data-feature", "X2")
    expect(view.get_by_test_id("key-ale")).to_be_hidden()

    view.get_by_test_id("view").click()
    for name in ("ale", "m_plot", "correlated", "unlike"):
        view.get_by_test_id(f"view-{name}").click()
    view.get_by_test_id("feature-title").click()
    expect(view.get_by_test_id("effect-ale")).to_have_count(1)
    expect(view.get_by_test_id("effect-m_plot")).to_have_count(1)
    expect(view.get_by_test_id("key-ale")).to_have_text("ALE")
    sentence = re.compile(r"^\d\d % of the phantom observations of 'X2' are unlike any observation\.$")
    expect(view.get_by_test_id("unlike-note")).to_have_text(sentence, timeout=60_000)
    expect(view.get_by_test_id("unlike")).to_have_count(1)
    said = view.get_by_test_id("unlike-note").inner_text()
    assert notebook.value(1, "x.explanation['X2'].extrapolation().summary") == said
    notebook.agrees(1, "x.state()['view']", str({"ale": True, "m_plot": True, "correlated": True, "unlike": True}))
    table = "x.explanation.effects('X2', ['partial_dependence', 'ale'])"
    assert float(notebook.value(1, f"np.ptp({table}['partial_dependence'])")) < 1
    assert float(notebook.value(1, f"np.ptp({table}['ale'])")) > 2

    file = tmp_path / "x2.svg"
    notebook.rewrite(2, f"x.save({str(file)!r}, 'panel')")
    notebook.run(2)
    assert {"ALE", "M-plot", "unlike"} <= set(re.findall(r">([^<>]+)</text>", file.read_text(encoding="utf-8")))

    chip = view.get_by_test_id("correlated-feature").first
    expect(chip).to_have_text("X3 1.00")
    chip.click()
    expect(view).to_have_attribute("data-feature", "X3")
    notebook.agrees(1, "x.feature", "X3")

    # Another view of the same explorer shows what was switched on.
    notebook.rewrite(3, "x")
    notebook.run(3)
    expect(notebook.explorer(3).get_by_test_id("effect-ale")).to_have_count(1)
