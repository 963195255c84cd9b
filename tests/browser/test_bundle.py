"""The built bundle in Chromium on a page without Jupyter, against a real explorer."""

from __future__ import annotations

import re
import threading

import numpy as np
import pandas as pd
import pytest
from browser.awaiting import soon
from browser.views import bar, choose_kind, open_menu, ranked, ranking, set_in_menu
from playwright.sync_api import expect


@pytest.fixture(scope="module", name="X")
def observations():
    generator = np.random.default_rng(1)
    n = 60
    return pd.DataFrame(
        {
            "near": generator.normal(size=n),
            "far": np.round(generator.normal(size=n), 1),
            "flag": generator.integers(0, 2, n).astype(bool),
            "town": generator.choice(["Ur", "Uruk", "<b>Eridu</b>"], n),
        },
        index=[f"person {i}" for i in range(n)],
    )


def model(X):
    """`far` moves the prediction most, but only far from where the data is."""
    far = X["far"].to_numpy()
    return 2 * X["near"].to_numpy() + np.where(np.abs(far) > 1.5, 4 * far, 0.1 * far)


class Gated:
    """The same model, whose calls wait until the gate is open."""

    def __init__(self):
        self.gate = threading.Event()
        self.n_calls = 0

    def predict(self, X):
        self.n_calls += 1
        if self.n_calls > 1:  # it is called once when an explorer is made
            assert self.gate.wait(20)
        return model(X)


@pytest.fixture
def gated():
    gated = Gated()
    yield gated
    gated.gate.set()


@pytest.fixture
def view(page):
    return page.get_by_test_id("ice-explorer")


def test_bars_fill_in_and_a_cancelled_computation_goes_on(explore, view, X, gated):
    """Before any result the features are listed; a cancel stops; what is opened then is computed, and the rest too."""
    explorer = explore(gated, X, wait=False)
    status, cancel = view.get_by_test_id("status-text"), view.get_by_test_id("cancel")
    expect(view).to_have_attribute("data-status", "computing")
    expect(bar(view, "near")).to_have_attribute("data-pending", "")
    expect(status).to_contain_text("0 of 4 features")
    cancel.click()
    # The request has arrived before the model goes on.
    soon(lambda: re.findall("Cancelled", repr(explorer)), ["Cancelled"])
    gated.gate.set()
    expect(view).to_have_attribute("data-status", "cancelled")
    expect(status).to_contain_text("Cancelled after")
    bar(view, "flag").click()
    expect(view).to_have_attribute("data-feature", "flag")
    soon(lambda: explorer.feature, "flag")
    view.get_by_test_id("resume").click()
    expect(view).to_have_attribute("data-status", "ready")
    expect(view.locator("[data-test=bar][data-pending]")).to_have_count(0)
    expect(cancel).to_be_hidden()
    soon(lambda: ranked(view), list(explorer.table.index))


def test_a_failing_model_is_a_sentence_on_screen(explore, page, view, X, caplog):
    """What the model raised stands in the status, as text."""

    def failing(X):
        if len(X) > 2:
            raise ValueError("<img src=x>")
        return model(X)

    explore(failing, X, wait=False)
    expect(view).to_have_attribute("data-status", "error")
    expect(view.get_by_test_id("status-text")).to_contain_text("ValueError: <img src=x>")
    assert page.locator("img").count() == 0


def test_the_view_follows_python_and_python_the_view(explore, view, X):
    """It opens on what ranks first; whatever is set from Python shows, and what is chosen there is what traits say."""
    explorer = explore(model, X)
    expect(view).to_have_attribute("data-feature", explorer.feature)
    soon(lambda: ranked(view), list(explorer.table.index))
    expect(bar(view, explorer.feature)).to_have_attribute("aria-selected", "true")
    expect(view).to_have_attribute("data-drawn-lines", "60")
    expect(view.get_by_test_id("y-title")).to_have_text("↑ prediction")
    explorer.feature = "far"
    explorer.kind = "c-ice"
    expect(view).to_have_attribute("data-feature", "far")
    expect(view).to_have_attribute("data-kind", "c-ice")
    expect(view.get_by_test_id("kind-c-ice")).to_have_attribute("aria-checked", "true")
    explorer.anchor = "median"
    expect(view.get_by_test_id("anchor")).to_have_value("median")
    explorer.anchor = 0.5
    expect(view.get_by_test_id("anchor")).to_have_value("0.5")
    explorer.color_by = "town"
    expect(view.get_by_test_id("legend-level")).to_have_count(3)
    explorer.rank_by = "non_linearity"
    expect(view.get_by_test_id("rank-by")).to_have_value("non_linearity")
    soon(lambda: ranked(view), list(explorer.table.index))
    explorer.decay = 0.2
    expect(view.get_by_test_id("decay-slider")).to_have_value("0.2")
    explorer.selection = [0, 7]
    lines = view.get_by_test_id("selected-line")
    expect(lines).to_have_count(2)
    assert lines.evaluate_all("lines => lines.map(({ dataset }) => dataset.row)") == ["0", "7"]
    explorer.max_lines = 5
    expect(view).to_have_attribute("data-drawn-lines", re.compile("^[5-7]$"))

    bar(view, "near").click()
    expect(view).to_have_attribute("data-feature", "near")
    choose_kind(view, "d-ice")
    set_in_menu(view, "color-by", "near")
    set_in_menu(view, "rank-by", "impact")
    choose_kind(view, "c-ice")
    set_in_menu(view, "anchor", "own")
    names = ("feature", "kind", "color_by", "rank_by", "anchor")
    soon(lambda: [getattr(explorer, name) for name in names], ["near", "c-ice", "near", "impact", "own"])


@pytest.mark.slow
def test_a_convention_is_explained_anew(explore, view, X):
    """It changes what Python says and what the bars show."""
    explorer = explore(model, X)
    explorer.feature = "far"
    expect(view).to_have_attribute("data-feature", "far")
    open_menu(view)
    view.get_by_test_id("details-summary").click()
    view.get_by_test_id("convention-paper").check()
    expect(view.get_by_test_id("status-text")).to_contain_text("impact as in the paper")
    soon(lambda: explorer.convention, "paper")
    soon(lambda: shown_is_that_of(view, explorer.table), wanted=True)


def shown_is_that_of(view, table):
    """Return whether bars have the order of a table, and `far` its figure."""
    shown = dict(ranking(view))
    return list(shown) == list(table.index) and np.isclose(
        float(shown["far"]), table["in_distribution_impact"]["far"], rtol=0.01
    )
