"""Columns without a name and very long texts, in JupyterLab with a real kernel."""

from __future__ import annotations

import pytest
from browser.pictures import pictured
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


@pytest.fixture
def notebook(lab, page):
    """A notebook that shows an explorer of such a table, with three more cells."""
    lab.write("texts.ipynb", [MAKE, "", "", ""])
    notebook = lab.open(page, "texts.ipynb")
    notebook.run(0)
    yield notebook
    notebook.shut_down()


def is_as_wide_as_it_was(view):
    """Nothing stands beyond the explorer's own box."""
    return view.evaluate("node => node.scrollWidth <= node.clientWidth")


def opened(view, label):
    """Open the first feature of such a label by its bar; return the whole label."""
    bar = view.get_by_test_id("bar").filter(has_text=label).first
    bar.click()
    expect(view.get_by_test_id("curves")).to_have_attribute("data-state", "ready")
    return view.get_attribute("data-feature")


def test_a_column_without_a_name_and_long_texts_can_be_opened(notebook, page):
    """Each has a bar that is seen and clicked, colours curves, and leaves the layout as it is."""
    view = notebook.explorer(0)
    expect(view).to_have_attribute("data-status", "ready")
    for label in ("␣", "break", "To what extent", "review", "remark", "(no name)"):
        feature = opened(view, label)
        assert 0 < len(feature) <= 200
        pictured(page, f"open-{label.strip('()')[:6]}")
        assert is_as_wide_as_it_was(view)
    assert notebook.value(1, "x.feature") == "(no name)"
    assert notebook.value(1, "setattr(x, 'feature', 'remark') or setattr(x, 'feature', '') or x.feature") == "(no name)"
    for name, label in {"review": "review", "": "(no name)", "remark": "remark"}.items():
        assert notebook.value(2, f"setattr(x, 'color_by', {name!r}) or x.color_by") == label
        expect(view.locator(".ice-legend-title").first).to_have_text(label)
        pictured(page, f"coloured-{label[1:4]}")
        assert is_as_wide_as_it_was(view)


def test_every_part_of_the_explorer_holds_long_texts(notebook, page):
    """All features in small, the map, the comparison, the card of a row and the export keep their places."""
    view = notebook.explorer(0)
    expect(view).to_have_attribute("data-status", "ready")
    opened(view, "review")
    for _ in range(2):
        view.get_by_test_id("compare").select_option(index=1)
    expect(view.get_by_test_id("compared")).to_have_count(3)
    pictured(page, "compared")
    assert is_as_wide_as_it_was(view)
    view.get_by_role("tab", name="All features").click()
    expect(view.get_by_test_id("tile").first).to_be_visible()
    pictured(page, "grid")
    assert is_as_wide_as_it_was(view)
    view.get_by_role("tab", name="Map").click()
    expect(view.get_by_test_id("map-label").first).to_be_visible()
    pictured(page, "map")
    assert is_as_wide_as_it_was(view)
    view.get_by_test_id("export").click()
    view.get_by_test_id("export-more").click()
    pictured(page, "export")
    assert is_as_wide_as_it_was(view)
    titles = view.evaluate("node => [...node.querySelectorAll('[title]')].map((each) => each.title.length)")
    assert max(titles) < 600
