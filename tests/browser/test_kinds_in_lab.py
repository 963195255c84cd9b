"""A journey in JupyterLab through every kind of column, and through every response of a model."""

from __future__ import annotations

import pytest
from browser.awaiting import soon
from browser.views import open_feature, ranking, set_in_menu
from playwright.sync_api import expect

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
    inner = HistGradientBoostingClassifier(max_iter=10, random_state=0).fit(encode(X), y)
    classes_ = inner.classes_
    def predict(self, X):
        return self.inner.predict(encode(X))
    def predict_proba(self, X):
        return self.inner.predict_proba(encode(X))

groups = "auto"
x = ice.ICEExplorer(Model(), X, output="dear", groups=groups)
x"""


def test_categories_with_gaps_and_another_class(notebook):
    """Levels are dots with a mean each, gaps beside them; another class and scale are shown without new phantoms."""
    view = notebook.show(MAKE)
    open_feature(view, "district")
    expect(view.get_by_test_id("level-axis").locator("text")).to_have_text(["<b>Ost</b>", "Altstadt", "Harbour"])
    expect(view.get_by_test_id("missing-axis").locator("text")).to_have_text("missing")
    expect(view.get_by_test_id("histogram-missing")).to_have_count(1)
    expect(view.get_by_test_id("partial-dependence")).to_have_count(4)
    expect(view.get_by_test_id("kind-d-ice")).to_be_disabled()

    open_feature(view, "area")
    expect(view.get_by_test_id("missing-axis").locator("text")).to_have_text("missing")
    expect(view.get_by_test_id("drivers")).to_have_attribute("data-state", "ready")
    before = dict(ranking(view))
    title, response = view.get_by_test_id("y-title"), view.get_by_test_id("response")
    view.get_by_test_id("output").select_option("cheap")
    expect(title).to_contain_text("probability of cheap")
    of_cheap = other_figures(view, before)
    expect(response.locator("option")).to_have_text(["probability", "prediction", "log-odds"])
    set_in_menu(view, "response", "log-odds")
    expect(title).to_contain_text("log-odds of cheap")
    other_figures(view, of_cheap)
    wanted = ["cheap", "log_odds", "log-odds of cheap"]
    notebook.agrees("x.output, x.response, x.explanation.output_label", wanted)


def other_figures(view, before):
    """Wait until all bars have other figures, and return them."""
    expect(view).to_have_attribute("data-status", "ready")
    expect(view.get_by_test_id("curves")).to_have_attribute("data-state", "ready")
    expect(view.locator("[data-test=bar][data-pending]")).to_have_count(0)
    soon(lambda: dict(ranking(view)) != before, wanted=True)
    figures = dict(ranking(view))
    assert figures.keys() == before.keys()
    return figures


@pytest.mark.slow
def test_groups_dates_and_anchors(notebook):
    """A group and a date are drawn as such and colour curves; anchors are written as the data have them."""
    view = notebook.show(MAKE, "x.anchor = 'Altstat'")
    open_feature(view, "heating")
    expect(view.get_by_test_id("level-axis").locator("text")).to_have_text(["gas", "oil", "wood", "none of them"])
    expect(view.get_by_test_id("missing-axis")).to_have_count(0)
    set_in_menu(view, "color-by", "heating")
    legend = view.get_by_test_id("legend")
    expect(legend.get_by_test_id("legend-level")).to_have_count(4)
    expect(legend).to_contain_text("none of them")
    set_in_menu(view, "color-by", "heating_wood")
    expect(legend).to_have_attribute("data-column", "heating_wood")
    open_feature(view, "built")
    expect(view.get_by_test_id("plot")).to_contain_text("2016")
    notebook.agrees("x.feature, x.color_by", ["built", "heating_wood"])
    notebook.do("x.color_by = 'heating'; x.kind = 'd-ice'")
    expect(legend).to_have_attribute("data-column", "heating")
    expect(view.get_by_test_id("y-title")).to_contain_text("per day of built")

    notebook.do("x.feature = 'district'; x.kind = 'c-ice'; x.anchor = '<b>Ost</b>'; x.selection = [0, 1]")
    rule = view.get_by_test_id("anchor-rule")
    expect(rule).to_have_attribute("data-at", "0")
    expect(view.get_by_test_id("anchor")).to_have_value("0")
    expect(view.get_by_test_id("selected-line")).to_have_count(2)
    expect(view.get_by_test_id("y-title")).to_contain_text("from district = <b>Ost</b>")
    set_in_menu(view, "anchor", "Altstadt")
    expect(rule).to_have_attribute("data-at", "1")
    notebook.agrees("x.anchor", 1.0)
    error = notebook.run(1).locator(".jp-OutputArea-output")
    expect(error).to_contain_text("got 'Altstat' for 'district'. Did you mean 'Altstadt'?")
    expect(rule).to_have_attribute("data-at", "1")

    notebook.do("day = X['built'].sort_values().iloc[100]; x.feature = 'built'; x.anchor = day")
    day, date = notebook.ask("(day - pd.Timestamp(0)).days, day.date()")
    expect(rule).to_have_attribute("data-at", str(day))
    expect(view.get_by_test_id("anchor").locator("option:checked")).to_have_text(date)
    expect(view.get_by_test_id("y-title")).to_contain_text(f"from built = {date}")
