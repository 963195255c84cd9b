"""A journey in JupyterLab through every kind of column, and through every response of a model."""

from __future__ import annotations

import pytest
from browser.awaiting import soon
from browser.pictures import pictured
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

MAKE = """\
import numpy as np
import pandas as pd
import ice_explorer as ice
from sklearn.ensemble import HistGradientBoostingClassifier

draw = np.random.default_rng(0)
n = 240
heating = draw.integers(0, 4, n)
X = pd.DataFrame({
    "district": draw.choice(["Altstadt", "Harbour", "<b>Ost</b>"], n),
    "area": draw.integers(20, 160, n).astype(float),
    "built": pd.Timestamp("2009-03-01") + pd.to_timedelta(draw.integers(0, 6000, n), unit="D"),
    "heating_gas": (heating == 0).astype(int),
    "heating_oil": (heating == 1).astype(int),
    "heating_wood": (heating == 2).astype(int),
})
X.loc[::9, "district"] = None
X.loc[::7, "area"] = np.nan
dear = X["area"].fillna(60) + 40 * (X["district"] == "Harbour") + 30 * X["heating_wood"]
y = np.select([dear < 70, dear < 120], ["cheap", "fair"], "dear")

def encode(X):
    coded = X["district"].astype(object).map({"Altstadt": 0, "Harbour": 1, "<b>Ost</b>": 2}).astype(float)
    days = (pd.to_datetime(X["built"]) - pd.Timestamp("2009-03-01")).dt.days
    return X.assign(district=coded, built=days).to_numpy(dtype=float)

class Model:
    asked = 0
    inner = HistGradientBoostingClassifier(max_iter=10, random_state=0).fit(encode(X), y)
    classes_ = inner.classes_
    def predict(self, X):
        return self.inner.predict(encode(X))
    def predict_proba(self, X):
        Model.asked += len(X)
        return self.inner.predict_proba(encode(X))

groups = ice.find_groups(X)
x = ice.ICEExplorer(Model(), X, output="dear", groups=groups)
x"""


@pytest.fixture
def notebook(lab, page):
    """A notebook that shows an explorer of a classifier of rentals, with three more cells."""
    lab.write("kinds.ipynb", [MAKE, "", "", ""])
    notebook = lab.open(page, "kinds.ipynb")
    notebook.run(0)
    yield notebook
    notebook.shut_down()


@pytest.fixture
def view(notebook):
    view = notebook.explorer(0)
    expect(view).to_have_attribute("data-status", "ready")
    return view


def opened(view, feature, kind="ice"):
    """Open a feature by its bar, and wait until it is drawn."""
    view.locator(f'[data-test=bar][data-feature="{feature}"]').click()
    expect(view).to_have_attribute("data-feature", feature)
    expect(view).to_have_attribute("data-kind", kind)
    expect(view.get_by_test_id("curves")).to_have_attribute("data-state", "ready")


def figures(view):
    """Figure of each bar, by feature."""
    return view.get_by_test_id("bar").evaluate_all(
        """bars => Object.fromEntries(
            bars.map((bar) => [bar.dataset.feature, bar.querySelector("[data-test=bar-figure]").textContent])
        )"""
    )


def test_every_kind_of_column_in_turn(notebook, view):
    """A category, a date, a group and numbers with gaps, each as its kind is drawn, and coloured by a group."""
    opened(view, "district")
    expect(view.get_by_test_id("level-axis").locator("text")).to_have_text(["Harbour", "Altstadt", "<b>Ost</b>"])
    expect(view.get_by_test_id("missing-axis").locator("text")).to_have_text("missing")
    expect(view.get_by_test_id("histogram-missing")).to_have_count(1)
    expect(view.get_by_test_id("partial-dependence")).to_have_count(4)
    expect(view.get_by_test_id("kind-d-ice")).to_be_disabled()
    pictured(view, "kinds-category")

    opened(view, "heating")
    expect(view.get_by_test_id("level-axis").locator("text")).to_have_text(["gas", "oil", "wood", "none of them"])
    expect(view.get_by_test_id("missing-axis")).to_have_count(0)
    view.get_by_test_id("color-by").select_option("heating")
    legend = view.get_by_test_id("legend")
    expect(legend).to_have_attribute("data-column", "heating")
    expect(legend.get_by_test_id("legend-level")).to_have_count(4)
    expect(legend).to_contain_text("none of them")
    pictured(view, "kinds-group")

    opened(view, "area")
    expect(view.get_by_test_id("missing-axis").locator("text")).to_have_text("missing")
    pictured(view, "kinds-gaps-by-group")
    all_lines = int(view.get_attribute("data-drawn-lines"))
    legend.locator("[data-test=legend-level]").first.click()
    expect(view).not_to_have_attribute("data-drawn-lines", str(all_lines))
    n_gas = int(notebook.value(1, "int(X['heating_gas'].sum())"))
    expect(view).to_have_attribute("data-drawn-lines", str(all_lines - n_gas))
    legend.locator("[data-test=legend-level]").first.click()
    expect(view).to_have_attribute("data-drawn-lines", str(all_lines))

    view.get_by_test_id("color-by").select_option("heating_wood")
    expect(legend).to_have_attribute("data-column", "heating_wood")
    opened(view, "built")
    expect(view.get_by_test_id("plot")).to_contain_text("2016")
    pictured(view, "kinds-date")
    notebook.agrees(1, "x.feature, x.color_by", "built heating_wood")
    notebook.rewrite(2, "x.color_by = 'heating'; x.kind = 'd-ice'")
    notebook.run(2)
    expect(legend).to_have_attribute("data-column", "heating")
    expect(view).to_have_attribute("data-kind", "d-ice")
    expect(view.get_by_test_id("y-title")).to_contain_text("per day of built")


def test_curves_since_a_level_a_date_and_a_gap(notebook, view):
    """Anchors are written as the data have them, and are places in the browser."""
    opened(view, "district")
    notebook.rewrite(1, "x.kind = 'c-ice'; x.anchor = '<b>Ost</b>'; x.selection = [0, 1]")
    notebook.run(1)
    expect(view).to_have_attribute("data-kind", "c-ice")
    rule = view.get_by_test_id("anchor-rule")
    expect(rule).to_have_attribute("data-at", "2")
    expect(view.get_by_test_id("anchor")).to_have_value("2")
    expect(view.get_by_test_id("selected-line")).to_have_count(2)
    expect(view.get_by_test_id("y-title")).to_contain_text("from district = <b>Ost</b>")
    pictured(view, "kinds-from-a-level")
    view.get_by_test_id("anchor").select_option("Altstadt")
    expect(rule).to_have_attribute("data-at", "1")
    notebook.agrees(2, "x.anchor", "1.0")
    notebook.rewrite(2, "x.anchor = 'Altstat'")
    notebook.run(2)
    error = notebook.cells.nth(2).locator(".jp-OutputArea-output")
    expect(error).to_contain_text("got 'Altstat' for 'district'. Did you mean 'Altstadt'?")
    expect(rule).to_have_attribute("data-at", "1")

    opened(view, "built", "c-ice")
    notebook.rewrite(2, "day = X['built'].sort_values().iloc[100]; x.anchor = day")
    notebook.run(2)
    day = notebook.value(1, "(day - pd.Timestamp(0)).days")
    expect(rule).to_have_attribute("data-at", day)
    date = notebook.value(1, "day.date()")
    expect(view.get_by_test_id("anchor-value")).to_have_value(date)
    expect(view.get_by_test_id("y-title")).to_contain_text(f"from built = {date}")
    pictured(view, "kinds-from-a-date")


def test_another_class_and_scale_by_the_pickers(notebook, view):
    """Figures and titles change; the model is not asked for all phantoms again."""
    opened(view, "area")
    before, asked = figures(view), int(notebook.value(1, "Model.asked"))
    assert asked > 10_000
    view.get_by_test_id("output").select_option("cheap")
    title = view.get_by_test_id("y-title")
    expect(title).to_contain_text("probability of cheap")
    expect(view).to_have_attribute("data-status", "ready")
    expect(view.get_by_test_id("curves")).to_have_attribute("data-state", "ready")
    expect(view.locator("[data-test=bar][data-pending]")).to_have_count(0)
    soon(lambda: figures(view) != before, wanted=True)
    of_cheap = figures(view)
    assert of_cheap.keys() == before.keys()
    response = view.get_by_test_id("response")
    expect(response.locator("option")).to_have_text(["probability", "prediction", "log-odds"])
    response.select_option("log-odds")
    expect(title).to_contain_text("log-odds of cheap")
    expect(view).to_have_attribute("data-status", "ready")
    expect(view.locator("[data-test=bar][data-pending]")).to_have_count(0)
    soon(lambda: figures(view) != of_cheap, wanted=True)
    pictured(view, "kinds-log-odds")
    notebook.agrees(2, "x.output, x.response", "cheap log_odds")
    # A few rows for the choice, and those drawn.
    assert int(notebook.value(2, "Model.asked")) - asked < asked / 10
    assert notebook.value(3, "x.explanation.output_label") == "log-odds of cheap"
