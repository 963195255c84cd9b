"""Files show what is on the screen: each choice of a reader, and the arithmetic that they share with the browser.

`python tests/figures/test_drawn_view.py` writes tests/contract/view/view.json anew.
"""

import itertools
import json
import math
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from legible import assert_texts_have_their_place
from matplotlib import pyplot as plt
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression

from ice_explorer import explain
from ice_explorer.export.save import save
from ice_explorer.features.dates import UTC_CLOCK
from ice_explorer.figures.compose import compose
from ice_explorer.figures.page.matplotlib_page import png_page
from ice_explorer.figures.page.paper import Paper
from ice_explorer.figures.page.svg import svg_page
from ice_explorer.results.column_colors import LevelColors, RampColors
from ice_explorer.scene.around import with_surroundings
from ice_explorer.scene.build import scene
from ice_explorer.scene.curve_lines import middle_of, slope_ends
from ice_explorer.scene.display_axis import DisplayAxis
from ice_explorer.scene.palette import ramp_palette, split_palette
from ice_explorer.scene.slope_range import leaving_text, slope_range
from ice_explorer.scene.two_sides import split_colors
from ice_explorer.scene.view_state import Besides, ViewState
from ice_explorer.scene.words import average_sentence, reach_text
from ice_explorer.widget.session import Wanted, work_of
from ice_explorer.widget.static_picture import picture

CONTRACT = Path(__file__).parents[1] / "contract" / "view" / "view.json"
SVG = "{http://www.w3.org/2000/svg}"
N = 300


@pytest.fixture(scope="module")
def table():
    """A step that dominates the slopes, a column with gaps, levels, and one that nothing depends on."""
    generator = np.random.default_rng(4)
    X = pd.DataFrame(
        {
            "age": generator.integers(20, 80, N).astype(float),
            "dose": generator.random(N) * 10,
            "town": generator.choice(["Oslo", "Rome", "Ur"], N),
            "sex": generator.random(N) < 0.4,
        }
    )
    X.loc[::9, "dose"] = np.nan
    return X


def model(rows):
    dose = rows["dose"].fillna(3.0).to_numpy()
    towns = rows["town"].map({"Oslo": 0.0, "Rome": 1.0, "Ur": 4.0}).astype(float).to_numpy()
    ages = rows["age"].to_numpy()
    return 10 * np.sin(ages / 15) * np.where(rows["sex"], 2.0, -1.0) + 0.3 * dose + 20 * (dose > 5) + towns


@pytest.fixture(scope="module")
def explanation(table):
    return explain(model, table, progress=False)


def seen(explanation, **state):
    return scene(explanation, ViewState(**state))


def page_of(explanation, *, with_ranking=True, width=180.0, title=True, **state):
    view = with_surroundings(explanation, seen(explanation, **state))
    return view, compose(view, Paper(width, dpi=96.0, title=title), with_ranking=with_ranking)


def drawn(explanation, **state):
    view, page = page_of(explanation, **state)
    return ET.fromstring(svg_page(page, view.heading, view.description, "{}"))  # noqa: S314 - written just now


def group(root, name):
    return root.find(f".//{SVG}g[@id='{name}']")


def texts(element):
    return [text.text for text in element.iter(f"{SVG}text")]


# --- the axis of slopes ---------------------------------------------------------------------------


def test_slopes_are_cut_to_their_bulk():
    """The axis leaves the step out and says how many lines leave it."""
    X = pd.DataFrame({"dose": np.geomspace(0.01, 10, 200)})
    stepped = explain(lambda rows: 0.3 * rows["dose"] + 20 * (rows["dose"] > 0.05), X, progress=False)
    cut = seen(stepped, kind="d-ice")
    assert cut.lines.is_cut
    assert cut.lines.y_domain[1] < 2
    steepest = cut.lines.extent[1]
    assert steepest > 50
    remark = f"200 of 200 curves extend above the axis (up to {steepest:,.0f})."
    assert cut.lines.remark == remark
    root = drawn(stepped, kind="d-ice")
    assert remark in texts(root)
    assert len(group(root, "edge-arrows")) == 1
    assert group(root, "lines").get("clip-path") is not None


def test_slopes_are_drawn_over_bins_and_computed_from_every_step(explanation):
    """20 bins with equally many grid values: the rise over a bin by its width. The axis says so; metrics stay."""
    feature = explanation["dose"]
    binned = seen(explanation, feature="dose", kind="d-ice").lines
    ends = slope_ends(len(feature.grid))
    assert len(ends) == 21
    assert {int(n) for n in np.diff(ends)} == {13, 14}
    rises = np.diff(feature.compute_curves(binned.positions)[:, ends], axis=1)
    assert_allclose(binned.values[:, ::2], rises / np.diff(feature.grid[ends]), rtol=1e-9)
    assert binned.y_title == "slope of the prediction per unit of dose, over 20 quantile bins"
    assert_array_equal(binned.values[:, ::2], binned.values[:, 1::2])
    fainter = np.minimum(binned.opacity[:, :-2:2], binned.opacity[:, 2::2])
    assert_allclose(binned.opacity[:, 1::2], fainter, rtol=1e-12)
    assert np.abs(binned.values).max() < np.abs(feature.slopes).max() / 5
    assert len(slope_ends(21)) == 21  # so few are drawn as they are


# --- the band -------------------------------------------------------------------------------------


def test_the_band_of_probabilities_is_that_of_quantiles():
    """Mean ± SD leaves [0, 1] there; changes and other outputs keep it. The legend says which it is."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=200), "town": rng.choice(["x", "y"], 200)})
    X.loc[:9, "a"] = np.nan

    class Model:
        classes_ = ("no", "yes")

        def predict(self, rows):
            return np.array(self.classes_)[(self.predict_proba(rows)[:, 1] > 0.5).astype(int)]

        def predict_proba(self, rows):
            p = np.where(rows["town"] == "x", 0.02, np.where(rows["a"].isna(), 0.5, rows["a"] > 1))
            return np.column_stack([1 - p, p])

    e = explain(Model(), X, progress=False)
    for feature in ("a", "town"):
        f = e[feature]
        assert (f.partial_dependence - f.spread).min() < 0
        lines = seen(e, feature=feature).lines
        assert_allclose(lines.band, np.quantile(f.curves, [0.16, 0.84], axis=0), rtol=1e-12)
        assert lines.band.min() >= 0
        assert lines.band.max() <= 1
        assert "partial dependence, middle 68\N{NO-BREAK SPACE}% of the curves, unweighted" in texts(
            drawn(e, feature=feature)
        )
    beside = seen(e, feature="a").lines.missing
    assert beside.band == tuple(np.quantile(beside.values, [0.16, 0.84]))
    centred = seen(e, feature="a", kind="c-ice").lines
    assert_allclose(centred.band, [centred.mean - centred.spread, centred.mean + centred.spread])
    assert "partial dependence ± 1 SD, unweighted" in texts(drawn(e, feature="a", kind="c-ice"))


# --- sentences and signs --------------------------------------------------------------------------


def sentence(root):
    found = group(root, "sentence")
    return None if found is None else " ".join(texts(found))


def test_the_sentence_under_the_title_is_that_of_the_screen(explanation):
    """It is there for every kind of curves, with the rank beside a ranking; without a title there is none."""
    e = explain(lambda X: X[:, 0] * 100 + (X[:, 1] > 0), np.column_stack([np.arange(2009.0, 2019.0), np.ones(10)]),
                progress=False)  # fmt: skip
    average = "On average the prediction rises from 200,901 to 201,801 along x0."
    for kind in ("ice", "c-ice", "d-ice"):
        assert sentence(drawn(e, kind=kind)) == f"{average} Rank 1 of 2."
    assert sentence(drawn(e, with_ranking=False)) == average
    assert sentence(drawn(e, title=False)) is None
    assert sentence(drawn(e, title="Mine")) == f"{average} Rank 1 of 2."
    assert sentence(drawn(e, choices={"compared": ["x1"]})) == f"{average} Rank 1 of 2."
    assert sentence(drawn(e, choices={"right": "all"})) is None
    assert sentence(drawn(e, feature="x1", rank_by="missing_impact")).endswith("x1 has one value, 1.")  # no rank


def test_an_anchor_is_written_as_the_axis_writes_it(explanation):
    """A year has no separator of thousands, a number four digits, and a level its name."""
    X = np.column_stack([np.arange(2009.0, 2019.0), np.linspace(0.123456, 9, 10)])
    e = explain(lambda X: X.sum(axis=1), X, progress=False)
    title = "change of the prediction from {}"
    assert seen(e, feature="x0", kind="c-ice").lines.y_title == title.format("x0 = 2009")
    assert seen(e, feature="x1", kind="c-ice").lines.y_title == title.format("x1 = 0.1235")
    assert explanation.plot("town", "c-ice", anchor="Rome").get_ylabel() == title.format("town = Rome")
    plt.close("all")


def test_the_signs_that_are_drawn_are_explained(explanation):
    """Triangles and stripes have a key where the page draws some."""
    X = pd.DataFrame({"a": np.arange(12.0), "flat": np.arange(12.0) ** 2, "town": list("xyz") * 4})
    rising, levels = "net rise or fall", "levels without an order"
    for features, expected in (
        (["a", "town"], [rising, levels]), (["a"], [rising]), (["town"], [levels]), (["flat"], None),
    ):  # fmt: skip
        e = explain(lambda X: X["a"] + (X["town"] == "x"), X, features=features, progress=False)
        key = group(drawn(e), "signs")
        assert (key if key is None else texts(key)) == expected
    assert group(drawn(explanation, rank_by="impact"), "signs") is not None
    assert group(drawn(explanation, with_ranking=False), "signs") is None


def test_the_weight_of_far_values_is_named_as_on_the_screen(explanation):
    """In the key of the bars and in the description, and the mean is unweighted where there is a weight."""
    weighted, alike = drawn(explanation, decay=0.5), drawn(explanation, decay=1.0)
    assert "weight of far values 0.5" in texts(group(weighted, "ranking"))
    described = weighted.findtext(f"{SVG}desc")
    assert described.endswith("weight of far values 0.5 (a value 1.0 SD from the observed one counts half).")
    assert alike.findtext(f"{SVG}desc").endswith("weight of far values 1 (all values count alike).")
    assert "partial dependence ± 1 SD, unweighted" in texts(group(weighted, "key"))
    assert "partial dependence ± 1 SD" in texts(group(alike, "key"))


# --- ticks, target --------------------------------------------------------------------------------


def test_own_values_have_ticks_while_they_can_be_told_apart(explanation):
    """One for each row that is drawn, selected ones stand out; none on levels, of many rows, or where switched off."""
    root = drawn(explanation, feature="age", max_lines=50, selection=(2,))
    plain, marked = (path.get("d").count("M") for path in group(root, "rug"))
    assert plain == len(seen(explanation, feature="age", max_lines=50, selection=(2,)).lines.positions)
    assert marked == 1
    assert group(drawn(explanation, feature="age", choices={"rug": "off"}), "rug") is None
    assert not seen(explanation, feature="town").lines.has_rug
    many = explain(lambda rows: rows[:, 0], np.random.default_rng(0).normal(size=(600, 1)), progress=False)
    assert seen(many, max_lines=500).lines.has_rug
    assert not seen(many, max_lines=501).lines.has_rug


def test_the_observed_target_stands_among_the_predictions(explanation, table):
    """Hollow points at what was observed, which the axis reaches over; not where missing, nor among other figures."""
    target = model(table) + 30.0
    target[5] = math.nan
    state = {"choices": {"target": True}, "besides": Besides(target)}
    view = seen(explanation, feature="age", max_lines=60, **state)
    assert view.lines.y_domain[1] > target[view.lines.positions][~np.isnan(target[view.lines.positions])].max()
    root = drawn(explanation, feature="age", max_lines=60, **state)
    circles = list(group(root, "target"))
    assert len(circles) == np.isfinite(target[view.lines.positions]).sum()
    assert {circle.get("fill") for circle in circles} == {"none"}
    assert "observed target" in texts(group(root, "key"))
    named = {**state, "besides": Besides(target, "cnt")}
    assert "observed cnt" in texts(group(drawn(explanation, feature="age", **named), "key"))
    assert seen(explanation, feature="age", kind="c-ice", **state).lines.target is None
    assert seen(explanation, feature="age", besides=Besides(target)).lines.target is None
    X = np.random.default_rng(0).normal(size=(40, 2))
    classifier = LogisticRegression().fit(X, X[:, 0] > 0)
    state["besides"] = Besides(np.ones(40))
    assert seen(explain(classifier, X, progress=False), **state).lines.target is not None
    assert seen(explain(classifier, X, response="log_odds", progress=False), **state).lines.target is None


# --- what is optional -----------------------------------------------------------------------------

OPTIONAL = {"ale": True, "m_plot": True, "correlated": True, "unlike": True}


@pytest.fixture(scope="module")
def together():
    """Two columns that vary together, a model that differs where they do not, one that it adds, and levels."""
    generator = np.random.default_rng(1)
    first = generator.normal(size=N)
    second = first + 0.1 * generator.normal(size=N)
    X = pd.DataFrame({"first": first, "second": second, "third": generator.normal(size=N)})
    X["level"] = np.where(first < -0.5, "low", np.where(first < 0.5, "mid", "high"))
    return explain(
        lambda rows: rows["first"] - 20 * (rows["first"] - rows["second"]) ** 2 + rows["third"], X, progress=False
    )


def test_effects_are_drawn_where_the_kind_has_their_unit(together):
    """On ICE, ALE is shifted to the mean prediction; on c-ICE both are 0 at the anchor. Slopes have none."""
    table = together.effects("first", ("ale", "m_plot"))
    mean = float(np.mean(together.predictions(range(N))))
    ale, m_plot = seen(together, feature="first", choices=OPTIONAL).lines.effects
    assert (ale.name, m_plot.name) == ("ale", "m_plot")
    assert_allclose(ale.values, table["ale"] + mean)
    assert_allclose(m_plot.values, table["m_plot"])
    lines = seen(together, feature="first", kind="c-ice", anchor="median", choices=OPTIONAL).lines
    for effect in lines.effects:
        assert_allclose(np.interp(lines.anchored_at, effect.x, effect.values), 0, atol=1e-12)
    own = seen(together, feature="first", kind="c-ice", anchor="own", choices=OPTIONAL).lines.effects
    assert_allclose(own[0].values, table["ale"])
    assert_allclose(own[1].values, table["m_plot"] - mean)
    assert seen(together, feature="first", kind="d-ice", choices=OPTIONAL).lines.effects == ()
    assert seen(together, feature="first").lines.effects == ()
    (note,) = seen(together, feature="third", choices={"correlated": True}).lines.notes
    assert note == "No other feature has a correlation of 0.5 or more with third."
    for choices in ({}, {"shared_y": True}):
        lines = seen(together, feature="second", kind="c-ice", choices={**choices, **OPTIONAL}).lines
        low, high = lines.y_domain
        assert all(low <= effect.values.min() and effect.values.max() <= high for effect in lines.effects)


@pytest.mark.parametrize(
    ("feature", "mark"), [("first", "ale"), pytest.param("level", "m_plot", marks=pytest.mark.wide)]
)
def test_what_is_optional_is_drawn_and_named(together, feature, mark):
    """Each effect in the plot and in the legend, the strip under the lines, and sentences over them."""
    view, page = page_of(together, feature=feature, choices=OPTIONAL, with_ranking=False)
    root = ET.fromstring(svg_page(page, view.heading, view.description, "{}"))  # noqa: S314 - written just now
    assert group(root, mark) is not None
    assert {"ALE", "M-plot"} <= set(texts(group(root, "key")))
    assert len(list(group(root, "unlike").iter())) > 1
    assert view.panel_description.count("ALE, M-plot") == 1
    written = " ".join(texts(group(root, "curves")))
    assert together[feature].extrapolation().summary in written
    assert "Varies with" in written
    assert_texts_have_their_place(root)
    without = drawn(together, feature=feature)
    assert all(group(without, name) is None for name in ("ale", "m_plot", "unlike"))
    assert png_page(page, "t", "d", "{}").startswith(b"\x89PNG")
    alone = drawn(together, feature=feature, choices={"partial_dependence": False, "ale": True})
    assert [group(alone, name) for name in ("partial-dependence", "band")] == [None, None]
    assert texts(group(alone, "key"))[0] == "ALE"
    notebook = ET.fromstring(picture(together, {"feature": feature, "choices": {"unlike": True}}))  # noqa: S314 - our own
    assert group(notebook, "unlike") is None  # which fits no models
    assert json.loads(notebook.findtext(f"{SVG}metadata"))["not_drawn"] == ["unlike"]


# --- two colours ----------------------------------------------------------------------------------


def test_lines_are_parted_at_the_median(explanation, table):
    """Two colours and their names, and a third for what is missing; a category has no median."""
    view = seen(explanation, feature="age", color_by="dose", choices={"coloring": "median"})
    doses = table["dose"].to_numpy()
    at = np.sort(doses[~np.isnan(doses)])[((~np.isnan(doses)).sum() - 1) // 2]
    assert view.coloring.levels == (f"dose ≤ {at:.4g}", f"dose > {at:.4g}", "missing")
    expected = np.where(np.isnan(doses), 2, doses > at)[view.lines.positions]
    assert_array_equal(view.coloring.values, expected)
    root = drawn(explanation, feature="age", color_by="dose", max_lines=40, choices={"coloring": "median"})
    palette = split_palette()
    assert {path.get("stroke") for path in group(root, "lines")} == {palette.css(side) for side in range(3)}
    plain = seen(explanation, feature="age", color_by="town", choices={"coloring": "median"})
    assert sorted(plain.coloring.levels) == ["Oslo", "Rome", "Ur"]


def test_lines_are_parted_by_what_explains_their_spread(explanation):
    """The sides of the rule are those that the explanation finds; a column that explains nothing is not split."""
    choices = {"coloring": "driver"}
    view = seen(explanation, feature="age", color_by="sex", choices=choices)
    (best,) = [driver for driver in explanation["age"]._search_drivers().ranked if driver.column == "sex"]
    assert best.share > 0.9
    assert view.coloring.levels == best.sides
    other = seen(explanation, feature="age", color_by="dose", choices=choices)
    assert_array_equal(other.coloring.palette.colors, ramp_palette().colors)
    hidden = {**choices, "filters": {"sex": {"hidden": ["sex is true"]}}}
    part = seen(explanation, feature="age", color_by="sex", choices=hidden)
    assert 0 < len(part.lines.positions) < N
    assert set(part.coloring.values.tolist()) == {0.0}


def test_each_colour_that_is_a_level_has_its_mean(explanation):
    """The mean of the lines of a level is drawn over them, in its colour, and the key says so."""
    root = drawn(explanation, feature="age", color_by="sex", max_lines=60)
    view = seen(explanation, feature="age", color_by="sex", max_lines=60)
    strokes = [path.get("stroke") for path in group(root, "group-means")]
    assert strokes == ["#ffffff", view.coloring.palette.css(0), "#ffffff", view.coloring.palette.css(1)]
    assert "mean of a colour" in texts(group(root, "key"))
    plain = drawn(explanation, feature="age", color_by="dose", max_lines=60)
    assert len(group(plain, "group-means")) == 0
    towns = drawn(explanation, feature="town", color_by="sex", max_lines=60)
    assert len(group(towns, "group-means")) == 6
    towns = drawn(explanation, feature="town", color_by="sex", max_lines=60)
    assert len(group(towns, "group-means")) == 6
    selected = {path.get("stroke") for path in group(drawn(explanation, feature="age", selection=(3,)), "selected")}
    of_level = drawn(explanation, feature="age", color_by="sex", selection=(3, 4))
    assert "#c2410c" in selected
    assert "#c2410c" not in {path.get("stroke") for path in group(of_level, "selected")}


# --- what stands around ---------------------------------------------------------------------------


def test_compared_features_are_drawn_in_place_of_the_open_one_on_one_axis(explanation):
    """The open one first and never twice, of one size; slopes have an axis each, levels without an order none."""
    choices = {"compared": ["age", "dose", "town", "sex"]}
    view, _ = page_of(explanation, feature="age", choices=choices, max_lines=50)
    rows = view.lines.positions
    for small in view.compared:
        assert_array_equal(small.lines.positions, rows)
    assert [small.lines.feature for small in view.compared] == ["age", "dose", "town"]
    assert len({small.lines.y_span for small in view.compared}) == 1
    assert view.compared[0].lines.y_span[1] >= max(small.lines.extent[1] for small in view.compared)
    root = drawn(explanation, feature="age", choices=choices)
    assert "ICE of age, dose and town" in texts(root)
    assert group(root, "curves") is None
    assert {"age", "dose", "town"} <= set(texts(group(root, "compared")))
    slopes = drawn(explanation, feature="age", kind="d-ice", choices=choices)
    assert "Levels without an order" in " ".join(texts(group(slopes, "compared")))


def test_all_features_stand_in_small_in_the_order_of_the_bars(explanation):
    """Each has its name, rank and figure; on one axis where that is chosen."""
    choices = {"right": "all"}
    view, _ = page_of(explanation, kind="c-ice", choices=choices)
    order = [bar.label for bar in view.ranking.bars]
    assert [small.lines.feature for small in view.features] == order
    assert len({small.lines.y_span for small in view.features}) > 1
    root = drawn(explanation, kind="c-ice", choices=choices)
    assert group(root, "curves") is None
    tiles = [part for part in group(root, "all-features") if part.get("id", "").startswith("feature")]
    assert [texts(tile)[0] for tile in tiles] == order
    assert texts(tiles[0])[1].startswith("1 · ")
    shared, _ = page_of(explanation, kind="c-ice", choices={**choices, "shared_y": True})
    assert len({small.lines.y_span for small in shared.features}) == 1


def test_every_class_stands_under_the_curves():
    """A picture for each class of a classifier, the one that is explained in bold; without a model there are none."""
    X = np.random.default_rng(0).normal(size=(60, 2))
    classifier = LogisticRegression().fit(X, np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.4, 0.4])])
    work = work_of(classifier, X, None, {"output": "b"}, Wanted())
    results = {name: work.compute(name, lambda: None, lambda: False) for name in work.names}
    explanation = work.explanation(results)
    state = {"choices": {"classes": True}, "besides": Besides(classes=work.choices.classes)}
    view, _ = page_of(explanation, feature="x0", **state)
    assert [small.title for small in view.classes] == ["a", "b", "c"]
    assert_allclose(view.classes[1].lines.values, explanation["x0"].curves)
    root = drawn(explanation, feature="x0", **state)
    assert "x0 for every class" in texts(root)
    bold = [text.text for text in group(root, "classes").iter(f"{SVG}text") if text.get("font-weight") == "bold"]
    assert bold == ["b"]
    parts = [group(root, f"class{again}") for again in ("", "-2", "-3")]
    assert [len(list(part.iter(f"{SVG}path"))) > 60 for part in parts] == [True] * 3
    assert group(drawn(explanation, feature="x0", choices={"classes": True}), "classes") is None


AROUND = {"left": "interactions", "compared": ["dose", "town", "sex"], "target": True}


@pytest.mark.parametrize("width", [89.0, pytest.param(180.0, marks=pytest.mark.wide)])
@pytest.mark.parametrize("right", ["feature", "all"])
@pytest.mark.parametrize("kind", ["ice", "d-ice"])
def test_no_text_touches_another(explanation, width, right, kind):
    """Whatever stands on a page leaves room for the words of the others."""
    choices = {**AROUND, "right": right, "coloring": "driver"}
    besides = Besides(np.zeros(N))
    root = drawn(explanation, kind=kind, color_by="sex", choices=choices, besides=besides, width=width, selection=(4,))
    assert_texts_have_their_place(root)
    names = [part.get("id") for part in root.iter(f"{SVG}g")]
    assert len(names) == len(set(names))


@pytest.mark.wide
def test_the_picture_of_a_notebook_follows_within_its_bounds(explanation, table, tmp_path):
    """Small as it is, it shows the whole view; where a model is slow it says what it leaves out."""
    choices = {"rug": "off", "right": "all"}
    root = ET.fromstring(picture(explanation, {"feature": "age", "choices": choices}))  # noqa: S314 - our own
    slow = explanation.method == "brute"
    assert (group(root, "all-features") is None) == slow
    found = json.loads(root.findtext(f"{SVG}metadata"))
    assert found["not_drawn"] == (["right"] if slow else [])
    wide = explain(lambda rows: rows @ np.ones(40), np.random.default_rng(0).normal(size=(300, 40)), progress=False)
    assert len(picture(wide, {"choices": {"right": "all"}}).encode()) < 450_000
    file = save(explanation, {"feature": "age", "choices": choices}, tmp_path / "panel.svg", "panel")
    assert json.loads(ET.parse(file).findtext(f"{SVG}metadata"))["not_drawn"] == ["right"]  # noqa: S314


def test_lines_have_the_colours_of_two_columns_together():
    """Each line has that of the rule its row fulfils, whatever column colours; without such rules the column does."""
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=["one", "two", "three"])
    e = explain(lambda X: X["one"] * (X["two"] > 0) * (1 + (X["three"] > 0)), X, progress=False)
    view = seen(e, feature="one", choices={"coloring": "together"})
    groups = e["one"]._groups()
    assert (view.coloring.title, list(view.coloring.levels)) == ("two and three", groups.levels)
    assert_array_equal(view.coloring.values, groups.values[view.lines.positions])
    alone = next(f.label for f in e.values() if f._groups() is None)
    assert seen(e, feature=alone, choices={"coloring": "together"}).coloring.title is None
    assert seen(e, feature=alone, color_by="one", choices={"coloring": "together"}).coloring.title == "one"


@pytest.mark.parametrize("kind", ["ice", "c-ice", "d-ice"])
def test_several_selected_rows_have_a_mean(explanation, kind):
    """A line, or a dot for each level, which the key names; one row alone has none."""
    root = drawn(explanation, feature="age", kind=kind, selection=(3, 4, 5))
    assert len(group(root, "selected-mean").findall(f"{SVG}path")) == 2  # with paper around it
    assert "mean of the selected" in texts(group(root, "key"))
    alone = drawn(explanation, feature="age", kind=kind, selection=(3,))
    assert group(alone, "selected-mean") is None
    assert "mean of the selected" not in texts(group(alone, "key"))
    levels = drawn(explanation, feature="town", selection=(3, 4, 5))
    assert len(group(levels, "selected-mean").findall(f"{SVG}circle")) == 3


# --- the arithmetic that the browser has too ------------------------------------------------------


def slope_cases():
    """Slopes over intervals of given lengths, exact as float32."""
    generator = np.random.default_rng(8)
    gentle = np.array([0.5, 1.0, -0.5])
    many = np.round(generator.normal(size=(4, 30)) * 64) / 64
    many[:, 15] = 2048.0
    cases = {
        "a step": ([33.0, 33.0, 33.0, 0.125], [[*gentle, 400.0], [*gentle, 2.0], [*gentle, 1.0], [*gentle, -200.0]]),
        "no step": ([1.0, 1.0, 1.0], [gentle, 2 * gentle]),
        "one slope": ([1.0, 1.0], [[4.0, 4.0], [4.0, 4.0009765625]]),
        "nothing but a step": ([50.0, 0.125], [[0.0, 8.0], [0.0, 16.0]]),
        "downwards": ([40.0, 0.25, 40.0], [[0.25, -512.0, 0.5], [-0.25, -256.0, 0.5], [0.125, 0.25, 0.75]]),
        "more slopes than are looked at": ([1.0] * 15 + [0.0625] + [1.0] * 14, many),
    }
    written = []
    for name, (lengths, lines) in cases.items():
        ends = np.concatenate([[0.0], np.cumsum(lengths)])
        times = 175 if name.startswith("more") else 1
        x, values = np.repeat(ends, 2)[1:-1], np.tile(np.repeat(np.array(lines), 2, axis=1), (times, 1))
        extent = float(values.min()), float(values.max())
        found = slope_range(x, values, extent)
        ends = {"low": found.low, "high": found.high, "above": found.above, "below": found.below}
        written.append(
            {
                "name": name,
                "lengths": list(lengths),
                "lines": np.array(lines).tolist(),
                "times": times,
                "range": {**ends, "isCut": found.is_cut},
                "text": leaving_text(found, extent, len(values)),
            }
        )
    return written


def split_cases():
    numbers = {
        "column": "rm",
        "kind": "continuous",
        "of": "numeric",
        "domain": [4.0, 8.0],
        "median": 6.2,
        "levels": None,
    }
    towns = {"column": "town", "kind": "category", "ordered": False, "levels": ["Oslo", "Rome", "Ur"], "values": None}
    visits = {"column": "visits", "kind": "category", "ordered": True, "levels": ["1", "4", "9"], "values": [1, 4, 9]}
    days = {**numbers, "column": "day", "of": "datetime", "domain": [18000.0, 18700.0], "median": 18262.0}
    cases = (
        (numbers, [5.0, 6.2, 6.4, 7.0, None], "median"),
        (numbers, [5.0, 6.2], "median"),
        (numbers, [5.0, 6.4, 6.5, None], {"threshold": 6.4, "levels": None, "sides": ["rm ≤ 6.4", "rm > 6.4"]}),
        (numbers, [5.0, 6.4], {"threshold": None, "levels": ["a"], "sides": ["no", "yes"]}),
        (towns, [0.0, 1.0, 2.0, None], {"threshold": None, "levels": ["Rome"], "sides": ["not Rome", "Rome"]}),
        (towns, [0.0, 1.0], "median"),
        (visits, [2.0, 1.0, 0.0], {"threshold": 4.0, "levels": None, "sides": ["visits ≤ 4", "visits > 4"]}),
        (days, [18261.0, 18262.0, 18263.0], "median"),
    )
    written = []
    for body, values, split in cases:
        exact = np.array([math.nan if value is None else value for value in values])
        chosen = split
        if split != "median":
            threshold = math.nan if split["threshold"] is None else split["threshold"]
            chosen = SimpleNamespace(threshold=threshold, levels=split["levels"], sides=tuple(split["sides"]))
        if body["kind"] == "continuous":
            colors = RampColors(
                body["column"], exact, body["of"], tuple(body["domain"]), body["median"], body["levels"], UTC_CLOCK
            )
        else:
            colors = LevelColors(body["column"], exact, body["levels"], [], body["values"])
        found = split_colors(colors, chosen)
        sides = None if found is None else {"levels": list(found[0]), "of": found[1].tolist()}
        written.append({"scale": body, "values": values, "split": split, "sides": sides})
    return written


def sentence_cases():
    """Means along axes of every kind, and the notes about them."""
    dates = (11_000.0 + 400 * np.arange(4)).tolist()
    cases: list[tuple[str, list[float], list[str] | None, list[float]]] = [
        ("numeric", [1, 2, 3], None, [2650, 4000, 5240]),
        ("numeric", [2009, 2010, 2011, 2012], None, [2650, 5900, 5240, 5000]),
        ("numeric", [0.125, 0.25, 12_000, 14_000], None, [5000, 4000, 6000, 5000]),
        ("numeric", [1, 2, 3], None, [0.3, 0.3002, 0.3005]),
        ("numeric", [1, 2, 3], None, [3, 3, 3]),
        ("numeric", [1], None, [3]),
        ("boolean", [0, 1], None, [3000, 4000]),
        ("category", [0, 1, 2], ["dry", "damp", "wet"], [300, 500, 200]),
        ("category", [0, 1], ["dry", "wet"], [0.25, 0.5]),
        ("ordered", [0, 1, 2], ["lo", "mid", "hi"], [1, 4, 2]),
        ("datetime", dates, None, [1, 5, 4, 3]),
        ("timedelta", [0.5, 1.5, 3], None, [-1, -5, -2]),
    ]
    written = []
    for kind, grid, levels, mean in cases:
        axis = DisplayAxis(kind, np.array(grid, dtype=float), np.empty(0), 0.0, levels)
        middle = (min(mean) + max(mean)) / 2
        text = average_sentence("x", axis, np.array(mean, dtype=float), "predicted y", middle)
        written.append({"kind": kind, "grid": grid, "levels": levels, "mean": mean, "offset": middle, "text": text})
    return written


def reach_cases():
    cases = itertools.product((1.0, 0.75, 0.5, 0.1, 0.0005), ("marginal", "conditional", "custom"), (False, True))
    return [
        {
            "decay": decay,
            "distance": distance,
            "unordered": unordered,
            "text": reach_text(decay, distance, unordered=unordered),
        }
        for decay, distance, unordered in cases
    ]


def contract():
    return {
        "sentences": sentence_cases(),
        "reach": reach_cases(),
        "slopes": slope_cases(),
        "bins": [{"n_grid": n, "ends": slope_ends(n).tolist()} for n in (0, 1, 2, 21, 22, 41, 100, 595)],
        "middle": middle_cases(),
        "splits": split_cases(),
    }


def middle_cases():
    curves = np.random.default_rng(1).uniform(size=(7, 3)).astype(np.float32)
    return [{"curves": some.tolist(), "ends": middle_of(some).tolist()} for some in (curves, curves[:2], curves[:1])]


def test_the_contract_is_what_python_gives_today():
    """The committed fixture, which the front end is tested against, is that of this code."""
    assert json.loads(CONTRACT.read_text(encoding="utf-8")) == json.loads(json.dumps(contract()))


if __name__ == "__main__":
    parts = (f"{json.dumps(name)}: {json.dumps(part, ensure_ascii=False)}" for name, part in contract().items())
    CONTRACT.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def test_the_sentence_tells_what_a_missing_value_does():
    """Where that is more than a step does: a model that acts only through a column being missing."""
    X = pd.DataFrame({"c": [1.0, 2.0, np.nan, 4.0] * 6, "x": np.arange(24.0)})
    e = explain(lambda rows: rows["c"].isna() * 1.0 + 0.001 * rows["x"], X, progress=False)
    sentences = {name: scene(e, ViewState(feature=name)).average for name in X}
    assert sentences["c"].endswith(" whatever the value of c. If c is missing, it changes by 1 on average.")
    assert "missing" not in sentences["x"]
