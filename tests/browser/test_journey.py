"""What someone does who meets a model for the first time: ten steps through JupyterLab, from the cell to the answer."""

from __future__ import annotations

import re

from browser.views import brush, least_decay
from playwright.sync_api import expect

MAKE = """\
import json
import numpy as np
import pandas as pd
import ice_explorer as ice
from sklearn.ensemble import RandomForestRegressor

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.uniform(-1, 1, size=(400, 6)), columns=["dose", "age", "arm", "weight", "height", "noise"])
y = 0.2 * X["dose"] - 5 * X["age"] + 10 * X["age"] * (X["arm"] >= 0) + rng.normal(scale=0.2, size=400)
model = RandomForestRegressor(n_estimators=50, random_state=0).fit(X, y)
x = ice.ICEExplorer(model, X, y)
x"""
AGAIN = "again = ice.ICEExplorer(model, X, y, state=json.loads(json.dumps(x.state())))\nagain"


def test_ten_steps(notebook):
    """Rank, open, ask why, recolour, fade, brush, look at a row, compare, look at all, and take it along."""
    page = notebook.page
    # 1. The cell shows the explorer; its bars rank the features, and the best one is open.
    view = notebook.show(MAKE, AGAIN)
    expect(view).to_have_attribute("data-feature", "age")
    expect(view.get_by_test_id("bar")).to_have_count(6)

    # 2. Its lines disagree: the explorer says by what, as Python does, and one click parts them.
    split = view.get_by_test_id("sentence-split")
    rule = notebook.ask("x.explanation.drivers('age')['rule'].iloc[0]")
    expect(split).to_contain_text(f"where {rule},")
    split.click()
    expect(view.get_by_test_id("legend")).to_have_attribute("data-split", "true")
    sides = [re.compile(rf"^{re.escape(side)} \d+ rows$") for side in (rule.replace(">", "≤"), rule)]
    expect(view.get_by_test_id("legend-level")).to_have_text(sides)
    notebook.agrees("x.color_by", "arm")

    # 3. Centred, the two groups go opposite ways.
    expect(view).to_have_attribute("data-kind", "c-ice")

    # 4. Farther from the data less counts: the slider, and the bars with it.
    least_decay(view)

    # 5. A brush at the right end takes the lines that rise, all of one arm.
    brush(page, view, 0.9, 0.08, 0.4)
    on_screen = re.search(r"\d+", view.get_by_test_id("selected-count-text").inner_text())[0]
    notebook.agrees("len(x.selection)", int(on_screen))
    n_selected, share = notebook.ask("len(x.selected), (x.selected['arm'] > 0).mean()")
    assert n_selected > 20
    assert share > 0.9

    # 6. One row is looked at closely: its values are next to its line.
    view.get_by_test_id("plot").focus()
    for _ in range(3):
        page.keyboard.press("Escape")
    expect(view.locator("[data-test=plot][data-dimmed]")).to_have_count(0)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(view.get_by_test_id("row-card")).to_contain_text("weight")
    notebook.agrees("len(x.selection)", 1)

    # 7. Two features side by side.
    view.get_by_test_id("tab-all").click()
    for name in ("age", "arm"):
        view.get_by_role("button", name=f"Compare {name}", exact=True).click()
    expect(view.locator("[data-pinned] > li")).to_have_count(2)

    # 8. All of them in small, and the interactions: a click opens a feature.
    tiles = view.get_by_test_id("tile")
    expect(tiles).to_have_count(6)
    tiles.filter(has_text="dose").click()
    expect(view).to_have_attribute("data-feature", "dose")
    view.get_by_test_id("tab-interactions").click()
    expect(view.get_by_test_id("interactions")).to_be_visible()

    # 9. What Python has is what is on the screen; another feature has restored the colours, and the kind stays.
    expect(view.get_by_test_id("curves")).to_have_attribute("data-state", "ready")
    state = "x.feature, x.kind, x.decay, x.color_by, x.table.index[0]"
    notebook.agrees(state, ["dose", "c-ice", 0.01, None, "age"])

    # 10. Another explorer of its state looks the same.
    notebook.run(1)
    again = notebook.explorer(1)
    expect(again).to_have_attribute("data-feature", "dose")
    expect(again).to_have_attribute("data-kind", "c-ice")
    expect(again.get_by_test_id("interactions")).to_be_visible()
    expect(again.get_by_test_id("decay-value")).to_have_text("0.01")
    again.get_by_test_id("tab-all").click()
    expect(again.locator("[data-pinned] > li")).to_have_count(2)
