"""Journeys through JupyterLab with a real kernel, as a person makes them."""

from __future__ import annotations

import re
import shutil
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from browser.awaiting import soon, still
from browser.jupyter import SLOW
from browser.pictures import pictured
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

MAKE = """\
import time
import ice_explorer as ice
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
model = RandomForestRegressor(n_estimators=20, random_state=0).fit(X, y)
x = ice.ICEExplorer(model, X)
x"""

SAMPLED = re.compile(r"Sample of \d+ of 442 rows · \d+ of 10 features exact")
CANCELLED = re.compile(r"Cancelled: \d of 10 features are exact, the others rest on a sample of \d+ of 442 rows\.")


@pytest.fixture
def notebook(lab, page, request):
    """A notebook whose first cell shows an explorer, with three more cells to type into."""
    name = f"{request.node.originalname}.ipynb"
    lab.write(name, [MAKE, "", "", ""])
    notebook = lab.open(page, name)
    yield notebook
    notebook.shut_down()


def shown(notebook, index=0):
    """The explorer of a cell, once it has drawn all it has to."""
    view = notebook.explorer(index)
    expect(view).to_have_attribute("data-status", "ready")
    expect(view).to_have_attribute("data-drawn-lines", "442")
    return view


def figures(view):
    """Feature and figure of each bar on screen, best first."""
    bars = view.get_by_test_id("bar").evaluate_all(
        """bars => bars.map((bar) => [
            Number(bar.dataset.rank),
            bar.dataset.feature,
            bar.querySelector("[data-test=bar-figure]").textContent,
        ])"""
    )
    return [(name, float(figure.rstrip("*%\N{NO-BREAK SPACE}"))) for _, name, figure in sorted(bars)]


def drag(page, slider, start, end, steps):
    """Move the slider with the mouse, and yield after each step."""
    box = still(slider)
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * start, y)
    page.mouse.down()
    for share in np.linspace(start, end, steps):
        page.mouse.move(box["x"] + box["width"] * share, y)
        page.evaluate("new Promise(requestAnimationFrame)")
        yield
    page.mouse.up()


def test_from_the_cell_to_the_table(notebook, page):
    """Run, click a bar, change kind and colour, drag the slider: the kernel agrees throughout."""
    notebook.run(0)
    view = shown(notebook)
    view.locator('[data-test=bar][data-feature="s5"]').click()
    expect(view).to_have_attribute("data-feature", "s5")
    view.get_by_test_id("kind-c-ice").click()
    expect(view).to_have_attribute("data-kind", "c-ice")
    view.get_by_test_id("color-by").select_option("bmi")
    expect(view.get_by_test_id("legend")).to_contain_text("bmi")

    slider = view.get_by_test_id("decay-slider")
    orders = {tuple(name for name, _ in figures(view))}
    for _ in drag(page, slider, 0.75, 0.02, 25):
        orders.add(tuple(name for name, _ in figures(view)))
    assert len(orders) > 1
    final = slider.input_value()
    notebook.agrees(1, "x.decay, x.feature, x.kind, x.color_by", f"{final} s5 c-ice bmi")
    table = notebook.value(1, "*x.table['in_distribution_impact'].round(1).items()")
    named = re.findall(r"\('(\w+)', ([\d.]+)\)", table.replace("np.float64", ""))
    soon(lambda: [name for name, _ in figures(view)], [name for name, _ in named])
    expected = [float(figure) for _, figure in named]
    np.testing.assert_allclose([figure for _, figure in figures(view)], expected, atol=0.051)


def test_impact_is_counted_otherwise(notebook):
    """Chosen on screen or in a cell, convention and unit are the same in the bars, the sentence and the table."""
    notebook.run(0)
    view = shown(notebook)
    view.get_by_test_id("details-summary").click()
    view.get_by_test_id("convention-equations").check()
    expect(view.get_by_test_id("status-text")).to_contain_text("impact by interval, Eq. 1")
    expect(view.get_by_test_id("ranking")).not_to_have_attribute("aria-busy", "true")
    shown_first, figure = figures(view)[0]
    top = notebook.value(1, "x.convention, x.table.index[0], x.table.iloc[0, 1]").split()
    assert top[:2] == ["equations", shown_first]
    np.testing.assert_allclose(float(top[2]), figure, rtol=0.01)
    notebook.rewrite(1, "x.unit = 'sd'; x.convention = 'published'; x.rank_by = 'non_linearity'")
    notebook.run(1)
    expect(view.get_by_test_id("status-text")).to_contain_text("impact as published")
    expect(view.get_by_test_id("convention-published")).to_be_checked()
    expect(view.get_by_test_id("rank-by")).to_have_value("non_linearity")
    expect(view.get_by_test_id("unit")).to_have_value("sd")
    named = notebook.value(2, "*x.explanation.table(convention='published', sort_by='non_linearity').index")
    soon(lambda: [name for name, _ in figures(view)], named.split())


def test_python_moves_the_view(notebook):
    """Traits set in a cell show in the view above it; the slider moves too."""
    notebook.run(0)
    view = shown(notebook)
    notebook.rewrite(1, "x.feature = 'bp'; x.kind = 'd-ice'; x.selection = [0, 3]; x.decay = 0.4; x.selected")
    notebook.run(1)
    expect(view).to_have_attribute("data-feature", "bp")
    expect(view).to_have_attribute("data-kind", "d-ice")
    expect(view.get_by_test_id("selected-line")).to_have_count(2)
    expect(view.get_by_test_id("decay-slider")).to_have_value("0.4")
    assert notebook.value(2, "list(x.selected.index)") == "[0, 3]"


def test_a_wrong_value_is_a_sentence_under_the_cell(notebook):
    """A mistake in a cell reads as one sentence and changes nothing."""
    notebook.run(0)
    view = shown(notebook)
    feature = view.get_attribute("data-feature")
    notebook.rewrite(1, "x.feature = 'bmj'")
    notebook.run(1)
    error = notebook.cells.nth(1).locator(".jp-OutputArea-output")
    expect(error).to_contain_text("No column named 'bmj' in X. Did you mean 'bmi'?")
    expect(view).to_have_attribute("data-feature", feature)


def test_two_views_and_a_second_run(notebook):
    """A second view shows the same; running the cell anew replaces the first one without a trace."""
    notebook.run(0)
    first = shown(notebook)
    notebook.rewrite(1, "x")
    notebook.run(1)
    second = shown(notebook, 1)
    second.get_by_test_id("kind-d-ice").click()
    expect(first).to_have_attribute("data-kind", "d-ice")
    first.get_by_test_id("decay-slider").focus()
    notebook.page.keyboard.press("Home")
    expect(second.get_by_test_id("decay-slider")).to_have_value("0.01")

    notebook.run(0)
    again = shown(notebook)
    expect(again).to_have_attribute("data-kind", "ice")
    expect(second).to_have_attribute("data-kind", "d-ice")
    again.locator('[data-test=bar][data-feature="sex"]').click()
    expect(again).to_have_attribute("data-feature", "sex")
    expect(second).not_to_have_attribute("data-feature", "sex")
    notebook.agrees(2, "x.feature", "sex")


def test_closing(notebook):
    """`x.close()` takes the view away, and a new explorer works as before."""
    notebook.run(0)
    shown(notebook)
    notebook.rewrite(1, "x.close(); x")
    notebook.run(1)
    expect(notebook.explorer(0)).to_have_count(0)
    expect(notebook.output(1)).to_have_text("<ICEExplorer: closed>")
    notebook.run(0)
    shown(notebook)


def test_restarting_the_kernel(notebook):
    """The picture of a lost kernel stays and says so; its slider works; the cell runs again."""
    notebook.run(0)
    view = shown(notebook)
    notebook.page.watch.expected.append("Connection lost, reconnecting")  # Lab's own words
    notebook.restart_kernel()
    expect(view).to_have_attribute("data-status", "gone")
    slider = view.get_by_test_id("decay-slider")
    slider.focus()
    notebook.page.keyboard.press("Home")
    expect(view.get_by_test_id("decay-value")).to_have_text("0.01")
    assert notebook.value(1, "'x' in globals()") == "False"
    notebook.run(0)
    view = shown(notebook)
    view.locator('[data-test=bar][data-feature="s5"]').click()
    expect(view).to_have_attribute("data-feature", "s5")
    notebook.agrees(1, "x.feature", "s5")


BUSY = """
display(x)
while not (Path("awake").exists() and x.feature == "s5"):  # what came before the feature has come, too
    time.sleep(0.1)
Path("awake").unlink()
print(x.decay)"""


def test_a_busy_kernel_does_not_stop_the_explorer(lab, notebook, page):
    """While its own cell still runs, bars re-sort and features open; Python has it all at once."""
    notebook.rewrite(0, "from pathlib import Path\n" + MAKE.removesuffix("\nx") + BUSY)
    notebook.run(0, wait=False)
    view = shown(notebook)
    slider = view.get_by_test_id("decay-slider")
    orders = {tuple(name for name, _ in figures(view))}
    for _ in drag(page, slider, 0.75, 0.02, 25):
        orders.add(tuple(name for name, _ in figures(view)))
    assert len(orders) > 1
    view.locator('[data-test=bar][data-feature="s5"]').click()
    expect(view).to_have_attribute("data-feature", "s5")
    final = slider.input_value()
    cell = notebook.cells.nth(0)
    expect(cell.locator(".jp-InputPrompt").first).to_have_text("[*]:")
    (lab.notebooks / "awake").touch()
    expect(cell.locator(".jp-OutputArea-output pre")).to_have_text(final)
    notebook.agrees(1, "x.decay, x.feature", f"{final} s5")


def test_the_keyboard_stays_in_the_explorer(notebook, page):
    """Arrows, letters and Enter on the slider and the bars are not commands of the notebook."""
    notebook.run(0)
    view = shown(notebook)
    n_cells = notebook.cells.count()
    slider = view.get_by_test_id("decay-slider")
    slider.click()
    before = float(slider.input_value())
    for key in ("ArrowRight", "ArrowUp", "ArrowLeft", "ArrowRight", "a", "b", "j", "k"):
        page.keyboard.press(key)
    expect(slider).to_have_value(f"{before + 0.02:.2f}".rstrip("0"))
    expect(slider).to_be_focused()
    view.locator("[data-test=bar][data-rank='1']").click()
    page.keyboard.press("ArrowDown")
    second = view.locator("[data-test=bar][data-rank='2']")
    expect(second).to_be_focused()
    expect(second).to_have_attribute("aria-selected", "true")
    assert notebook.cells.count() == n_cells


def test_saving_from_the_toolbar(notebook, page, tmp_path):
    """SVG and PNG come down as files that are what they are called, with the view in them."""
    notebook.run(0)
    view = shown(notebook)
    for kind in ("svg", "png"):
        view.get_by_test_id("export").click()
        with page.expect_download() as download:
            view.get_by_test_id(f"export-{kind}").click()
        assert download.value.suggested_filename == f"ranking-and-ice-of-bmi.{kind}"
        download.value.save_as(tmp_path / f"view.{kind}")
    root = ET.parse(tmp_path / "view.svg").getroot()  # noqa: S314 - we wrote it
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    png = (tmp_path / "view.png").read_bytes()
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(png) > 20_000, "an empty page would be smaller"


def test_a_sample_comes_first(lab, notebook, page):
    """A slow model: all features have bars with whiskers before it is done, which a cancel keeps; then exact ones."""
    notebook.rewrite(0, MAKE.replace("x = ice.ICEExplorer(model, X)\nx", SLOW))
    notebook.run(0)
    view = notebook.explorer(0)
    bars = view.get_by_test_id("bar")
    expect(view).to_have_attribute("data-status", "computing")
    expect(view.locator("[data-test=bar][data-draft]")).to_have_count(10)
    expect(view.get_by_test_id("bar-interval").locator("visible=true")).not_to_have_count(0)
    expect(view.get_by_test_id("status-text")).to_have_text(SAMPLED)
    expect(view.get_by_test_id("curves")).to_have_attribute("data-state", "ready")
    pictured(page, "a sample comes first")

    view.get_by_test_id("cancel").click()
    (lab.notebooks / "go on").touch()
    expect(view).to_have_attribute("data-status", "cancelled")
    expect(view.get_by_test_id("status-text")).to_have_text(CANCELLED)
    drafts = view.locator("[data-test=bar][data-draft]")
    expect(drafts).not_to_have_count(0)
    last = drafts.last.get_attribute("data-feature")
    drafts.last.click()
    expect(view).to_have_attribute("data-feature", last)
    expect(view.get_by_test_id("curves")).to_have_attribute("data-state", "ready")
    expect(view.get_by_test_id("sample")).to_contain_text("rows")
    expect(bars).to_have_count(10)

    view.get_by_test_id("resume").click()
    expect(view).to_have_attribute("data-status", "ready")
    expect(drafts).to_have_count(0)
    expect(view.get_by_test_id("bar-interval").locator("visible=true")).to_have_count(0)
    expect(view.get_by_test_id("sample")).to_have_count(0)
    table = notebook.value(1, "[[*map(float, x.table['in_distribution_impact'])], [*x.table.index]]")
    expected, names = eval(table)  # noqa: S307 - our own
    soon(lambda: [name for name, _ in figures(view)], names)
    np.testing.assert_allclose([figure for _, figure in figures(view)], expected, atol=0.051)


RENTALS = """\
import numpy as np
import pandas as pd
import ice_explorer as ice
from sklearn.ensemble import HistGradientBoostingClassifier

draw = np.random.default_rng(0)
n = 240
X = pd.DataFrame({
    "district": draw.choice(["Altstadt", "Harbour", "<b>Ost</b>"], n),
    "area": draw.integers(20, 160, n).astype(float),
    "built": pd.Timestamp("2009-03-01") + pd.to_timedelta(draw.integers(0, 6000, n), unit="D"),
})
X.loc[::9, "district"] = None
X.loc[::7, "area"] = np.nan
dear = X["area"].fillna(60) + 40 * (X["district"] == "Harbour")
y = np.select([dear < 70, dear < 120], ["cheap", "fair"], "dear")

def encode(X):
    coded = X["district"].astype(object).map({"Altstadt": 0, "Harbour": 1, "<b>Ost</b>": 2}).astype(float)
    days = (pd.to_datetime(X["built"]) - pd.Timestamp("2009-03-01")).dt.days
    return pd.DataFrame({"district": coded, "area": X["area"], "built": days}).to_numpy(dtype=float)

class Model:
    inner = HistGradientBoostingClassifier(max_iter=10, random_state=0).fit(encode(X), y)
    classes_ = inner.classes_
    def predict(self, X):
        return self.inner.predict(encode(X))
    def predict_proba(self, X):
        return self.inner.predict_proba(encode(X))

x = ice.ICEExplorer(Model(), X, output="dear")
x"""


def test_categories_with_gaps(lab, page):
    """Levels stand as dots with a mean each, gaps beside them; another class is explained at a choice."""
    lab.write("rentals.ipynb", [RENTALS, "", ""])
    notebook = lab.open(page, "rentals.ipynb")
    notebook.run(0)
    view = notebook.explorer(0)
    expect(view).to_have_attribute("data-status", "ready")
    view.locator('[data-test=bar][data-feature="district"]').click()
    expect(view).to_have_attribute("data-feature", "district")
    expect(view.get_by_test_id("level-axis").locator("text")).to_have_text(["Harbour", "Altstadt", "<b>Ost</b>"])
    expect(view.get_by_test_id("missing-axis").locator("text")).to_have_text("missing")
    expect(view.get_by_test_id("partial-dependence")).to_have_count(4)
    expect(view.get_by_test_id("kind-d-ice")).to_be_disabled()
    notebook.rewrite(1, "x.selection = [0, 1]; x.color_by = 'built'; x.kind = 'c-ice'")
    notebook.run(1)
    expect(view.get_by_test_id("selected-line")).to_have_count(2)
    expect(view.get_by_test_id("legend")).to_contain_text("2009-")
    view.get_by_test_id("output").select_option("cheap")
    expect(view.get_by_test_id("y-title")).to_contain_text("probability of cheap")
    expect(view).to_have_attribute("data-status", "ready")
    notebook.agrees(2, "x.output, x.explanation.output_label", "cheap probability of cheap")
    view.locator('[data-test=bar][data-feature="built"]').click()
    expect(view).to_have_attribute("data-feature", "built")
    expect(view.get_by_test_id("plot")).to_contain_text("2016")
    notebook.shut_down()


def test_the_quickstart_runs_from_top_to_bottom(lab, page, root):
    """All cells of the first notebook a newcomer meets, in one go, as its picture stands after."""
    (lab.notebooks / "quickstart").mkdir()
    shutil.copy(root / "notebooks" / "quickstart.ipynb", lab.notebooks / "quickstart")
    notebook = lab.open(page, "quickstart/quickstart.ipynb")
    notebook.run_all()
    view = page.get_by_test_id("ice-explorer")
    view.scroll_into_view_if_needed()
    expect(view).to_have_attribute("data-status", "ready")
    expect(view).to_have_attribute("data-feature", "body mass index")
    expect(view).to_have_attribute("data-kind", "c-ice")
    expect(view.get_by_test_id("selected-line")).to_have_count(2)
    expect(view.get_by_test_id("decay-slider")).to_have_value("0.5")
    assert (lab.notebooks / "quickstart" / "body mass index.svg").stat().st_size > 10_000
    notebook.shut_down()
