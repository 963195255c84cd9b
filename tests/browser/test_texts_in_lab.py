"""Columns without a name and very long texts, in JupyterLab with a real kernel."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

MAKE = """\
import numpy as np
import polars as pl
import ice_explorer as ice

draw = np.random.default_rng(0)
n = 80
review = "the room was clean and the staff friendly but the street is loud at night "
question = "To what extent do you agree with the statement that " * 200
X = pl.DataFrame({
    "": np.arange(n) / n,
    " ": draw.normal(size=n),
    "line\\nbreak": draw.normal(size=n),
    question: draw.normal(size=n),
    question + "A": draw.normal(size=n),
    "review": [f"{at}: " + review * 270 for at in draw.integers(0, 9, n)],
    "remark": [review * 27 + str(at) for at in draw.integers(0, 3, n)],
})

def model(X):
    numbers = X.select(pl.exclude("review", "remark")).to_numpy()
    first, last = (X[name].to_list() for name in ("review", "remark"))
    levels = np.array([int(text[0]) for text in first]) / 9 + np.array([int(text[-1]) for text in last])
    return numbers @ [9.0, 3.0, 2.0, 1.0, 0.5] + numbers[:, 0] * numbers[:, 1] + levels

x = ice.ICEExplorer(model, X, grid_size=12)
x"""


def assert_nothing_sticks_out(view):
    """Nothing stands beyond the explorer's own box."""
    assert view.evaluate("node => node.scrollWidth <= node.clientWidth")


def test_a_column_without_a_name_and_long_texts_can_be_opened(notebook):
    """Each has a bar that is clicked, and colours curves; every part of the explorer keeps its place."""
    view = notebook.show(MAKE)
    for label in ("(no name) (2)", "break", "To what extent", "remark", "review", "(no name)"):
        named = re.compile(rf"{re.escape(label)}(?! \(2\))")
        view.get_by_test_id("bar").filter(has_text=named).first.click()
        expect(view.get_by_test_id("curves")).to_have_attribute("data-state", "ready")
        assert 0 < len(view.get_attribute("data-feature")) <= 200
        assert_nothing_sticks_out(view)
    notebook.agrees("x.feature", "(no name)")
    for name, label in {"review": "review", "": "(no name)", "remark": "remark"}.items():
        notebook.do(f"x.color_by = {name!r}")
        assert notebook.ask("x.color_by") == label
        expect(view.locator(".ice-legend-title").first).to_have_text(label)
        assert_nothing_sticks_out(view)

    for tab, part in (("all", "tile"), ("interactions", "interactions")):
        view.get_by_test_id(f"tab-{tab}").click()
        expect(view.get_by_test_id(part).first).to_be_visible()
        assert_nothing_sticks_out(view)
    titles = view.evaluate("node => [...node.querySelectorAll('[title]')].map((each) => each.title.length)")
    assert max(titles) < 600
