"""Figures on paper: what they say, that it is legible, and that the numbers are those of the explanation."""

import itertools
import math
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex
from numpy.testing import assert_allclose, assert_array_equal
from origins import file_bytes, read_provenance
from pictures import assert_texts_have_their_place, by_gid, texts, view_of

from ice_explorer import explain
from ice_explorer.errors import OptionError
from ice_explorer.export.save import save
from ice_explorer.features import axis_text
from ice_explorer.figures.plot import plot_curves, plot_ranking
from ice_explorer.figures.style import hues
from ice_explorer.figures.text import printable
from ice_explorer.scene.build import Bar, Ranking, Scene, scene
from ice_explorer.scene.choices import ViewState
from ice_explorer.scene.display_axis import axis_ticks
from ice_explorer.scene.provenance import provenance

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<b onload="x()">&amp; ]]> "quoted"</b>'
LONG = "a feature whose name is so long that it fits neither beside its bar nor under its axis nor anywhere else"
LEVELS = ["_hidden", "<script>alert(1)</script>", "$math$ & more"]


@pytest.fixture(scope="module")
def explanation():
    """A model that bends, jumps and interacts, on columns with awkward names."""
    generator = np.random.default_rng(5)
    n = 60
    X = pd.DataFrame(
        {
            "age": generator.integers(20, 70, n),
            HOSTILE: generator.normal(size=n),
            "smoker": generator.random(n) < 0.4,
            LONG: generator.normal(size=n) * 1e6,
            "constant": np.full(n, 7.0),
            "region": generator.choice(LEVELS, n),
        }
    )
    X.loc[3, "region"] = None

    def model(table):
        bend = np.sin(table["age"] / 8) + (table["age"] > 45) * table[HOSTILE]
        return 100 + 10 * bend + 4 * table["smoker"] - table[LONG] / 1e6

    return explain(model, X, progress=False)


@pytest.fixture(scope="module")
def many():
    """More lines than are drawn as strokes."""
    X = np.random.default_rng(6).normal(size=(300, 2))
    return explain(lambda X: np.tanh(3 * X[:, 0]) * X[:, 1], X, progress=False)


@pytest.fixture(scope="module")
def kinds():
    """A column of every other kind, two of them with gaps, and columns that move together."""
    generator = np.random.default_rng(7)
    n = 80
    heating = generator.integers(0, 3, n)
    X = pd.DataFrame(
        {
            "town": generator.choice([*LEVELS, "a level with a name that no axis has the room for"], n),
            "grade": pd.Categorical(generator.choice(list("abc"), n), list("abc"), ordered=True),
            "built": pd.Timestamp("2009-03-01") + pd.to_timedelta(generator.integers(0, 6000, n), unit="D"),
            "wait": pd.to_timedelta(generator.integers(5, 50, n), unit="min"),
            "area": generator.integers(20, 90, n).astype(float),
            **{f"heat {kind}": (heating == kind).astype(int) for kind in range(3)},
        }
    )
    X.loc[::9, "town"] = None
    X.loc[::7, "area"] = np.nan

    def model(table):
        town = table["town"].map({level: place for place, level in enumerate(LEVELS)}).astype(float).fillna(-1)
        grade = table["grade"].astype(str).map({"a": 0.0, "b": 1.0, "c": 3.0})
        minutes = pd.to_timedelta(table["wait"]).dt.total_seconds() / 60
        return town * table["area"].fillna(50) + 20 * grade - minutes + 30 * table["heat 1"]

    return explain(model, X, groups={"heat": [f"heat {kind}" for kind in range(3)]}, progress=False)


def shown(explanation, **state) -> Scene:
    return scene(explanation, ViewState(**state))


# --- what is drawn --------------------------------------------------------------------------------


def test_lines_are_the_curves_and_fade_as_the_metric_weighs(explanation):
    """A line is a row's ICE curve; its segments fade with the likelihood at their right end, down to a ghost."""
    lines = shown(explanation, feature="age", decay=0.6).lines
    feature = explanation["age"]
    assert_array_equal(lines.positions, np.arange(60))
    assert_allclose(lines.values, feature.curves, rtol=1e-12)
    assert_allclose(lines.opacity, 0.06 + 0.94 * feature.likelihood(0.6)[:, 1:], rtol=1e-12)
    assert_allclose(lines.mean, feature.partial_dependence, rtol=1e-12)
    assert_allclose(lines.own_y, feature._predictions(np.arange(60)), rtol=1e-12)
    assert_array_equal(shown(explanation, feature="age", decay=1.0).lines.opacity, 1.0)


@pytest.mark.parametrize("anchor", ["min", "max", "median", "own", 33.2])
def test_centred_lines_are_zero_at_their_anchor(explanation, anchor):
    """c-ICE is the change since the anchor, for the lines, their mean and the observed values of the rows."""
    lines = shown(explanation, feature="age", kind="c-ice", anchor=anchor).lines
    feature = explanation["age"]
    assert_allclose(lines.values, feature.centered_curves(anchor), rtol=1e-10, atol=1e-12)
    assert_allclose(lines.mean, lines.values.mean(axis=0), rtol=1e-9, atol=1e-9)
    held = feature.curves[:, 0] - lines.values[:, 0]
    assert_allclose(lines.own_y, feature._predictions(np.arange(60)) - held, rtol=1e-9, atol=1e-9)
    assert (lines.anchored_at is None) == (anchor == "own")


def test_curves_anchored_at_the_observed_value_are_zero_there():
    """Between grid values, too; their mean is that of the drawn ones, since each is shifted separately."""
    X = np.column_stack([np.linspace(0.0, 4.0, 9), np.arange(9.0)])
    explanation = explain(lambda X: X[:, 0] ** 2 + X[:, 1], X, grid={"x0": [0.2, 3.1]}, progress=False)
    lines = shown(explanation, feature="x0", kind="c-ice", anchor="own").lines
    assert_allclose(lines.values, np.array([0.2, 3.1]) ** 2 - X[:, [0]] ** 2, rtol=1e-12)
    assert_array_equal(lines.own_y, 0.0)
    few = shown(explanation, feature="x0", kind="c-ice", anchor="own", max_lines=5).lines
    assert len(few.values) == 5
    assert_allclose(few.mean, few.values.mean(axis=0), rtol=1e-12)


def test_ranking_is_that_of_the_table(explanation):
    """Bars come in the order of the table, as long as its figures, the open feature in bold."""
    table = explanation.table(decay=0.75, rank_by="in_distribution_impact")
    bars = shown(explanation, feature="smoker", decay=0.75).ranking.bars
    assert [bar.label for bar in bars] == list(table.index)
    assert_allclose([bar.value for bar in bars], table["in_distribution_impact"])
    assert_allclose([bar.tick for bar in bars], table["impact"])
    figure = view_of(explanation, feature="smoker", decay=0.75)
    assert texts(figure, "title")[0] == "In-distribution impact"
    strong = [bar.get_y() for bar in by_gid(figure, "bar") if bar.get_alpha() == 1.0]
    assert_allclose(strong, [list(table.index).index("smoker") - 0.31])
    by_heterogeneity = shown(explanation, rank_by="heterogeneity")
    assert by_heterogeneity.lines.feature == by_heterogeneity.state.feature
    assert by_heterogeneity.state.feature == explanation.table(rank_by="heterogeneity").index[0]
    assert all(bar.tick is None for bar in by_heterogeneity.ranking.bars)


def test_many_features_are_counted_and_the_open_one_is_kept():
    """Where bars have no room the last line says how many, and the open feature is among those drawn."""
    X = np.random.default_rng(0).normal(size=(12, 60))
    X -= X.mean(axis=0)
    X /= X.std(axis=0)  # so that the slopes alone decide
    explanation = explain(lambda X: X @ np.arange(60.0), X, progress=False)
    for width in (89.0, 180.0):
        figure = view_of(explanation, feature="x0", width=width)
        names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
        assert (names[0], names[-1]) == ("x59", "x0")
        assert texts(figure, "count") == [f"{len(names)} of 60 features"]


def test_selected_rows_are_drawn_and_marked(explanation):
    """A selected row is among the lines however few there are, and once more on top; row 0 like any other."""
    lines = shown(explanation, feature="age", max_lines=5, selection=(0, 41)).lines
    assert {0, 41} <= set(lines.positions.tolist())
    assert lines.positions[lines.selected].tolist() == [0, 41]
    figure = view_of(explanation, feature="age", max_lines=5, selection=(0, 41))
    assert all(
        len({tuple(path.vertices[0]) for path in drawn.get_paths()}) >= 2 for drawn in by_gid(figure, "selected")
    )
    assert_allclose(by_gid(figure, "selected values")[0].get_offsets()[:, 1], lines.own_y[lines.selected])
    assert "selected (2)" in texts(figure, "legend")


# --- colours --------------------------------------------------------------------------------------


def test_levels_keep_their_colours_from_dot_to_legend(explanation):
    """The colour of a level is that of the palette in strokes, dots and legend; missing has its own."""
    view = shown(explanation, feature="age", color_by="region")
    palette = hues(3)
    order = explanation._column("region").labels
    expected = ["#b2b2b2" if v is None else palette[view.lines.coloring.levels.index(v)] for v in order]
    figure = view_of(explanation, feature="age", color_by="region")
    (dots,) = by_gid(figure, "observed")
    assert [to_hex(color) for color in dots.get_facecolor()] == expected
    assert set(map(to_hex, by_gid(figure, "curves")[0].get_colors())) == set(expected)
    means = {
        line.get_label().removeprefix("_mean of "): to_hex(line.get_color()) for line in by_gid(figure, "group mean")
    }
    assert means == dict(zip(view.lines.coloring.levels, palette, strict=True))
    assert {name[:8] for name in texts(figure, "group name")} == {
        printable(level).replace("$", r"\$")[:8] for level in view.lines.coloring.levels
    }
    assert texts(figure, "group title") == ["region"]


def test_a_continuous_column_runs_along_the_ramp(explanation):
    """Values between the 2 % and 98 % quantiles take the ramp's colours, whose ends the legend names."""
    column = explanation._column(HOSTILE).values
    low, high = np.quantile(column, [0.02, 0.98])
    view = shown(explanation, feature="age", color_by=HOSTILE)
    assert view.lines.coloring.domain == pytest.approx((low, high))
    assert_allclose(view.lines.coloring.values, np.clip((column - low) / (high - low), 0, 1), atol=1e-6)
    figure = view_of(explanation, feature="age", color_by=HOSTILE)
    (bar,) = by_gid(figure, "colorbar")
    assert bar.get_ylim() == pytest.approx((low, high))


def test_residuals_run_along_a_ramp_with_zero_in_its_middle():
    """Blue where the prediction is too high, grey at 0, red where it is too low; the chosen ramp does not matter."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(50, 2))
    known = explain(lambda X: X[:, 0], X, X[:, 0] + generator.normal(size=50), progress=False)
    (bar,) = by_gid(view_of(known, feature="x0", color_by=known._column("residual").label), "colorbar")
    colors = bar.collections[-1].get_cmap()([0.0, 0.5, 1.0])
    assert [to_hex(colors[0]), to_hex(colors[2])] == ["#053061", "#67001f"]
    assert np.ptp(colors[1][:3]) < 0.03
    assert sum(bar.get_ylim()) == pytest.approx(0.0, abs=1e-9)


# --- strokes and pixels ---------------------------------------------------------------------------


def test_curves_fade_and_many_are_fainter(explanation, many):
    """Without a colour they share one, and there is no legend."""
    (strokes,) = by_gid(view_of(explanation, feature="age", decay=0.5), "curves")
    colors = np.array(strokes.get_colors())
    assert len(np.unique(colors[:, :3], axis=0)) == 1
    assert len(np.unique(colors[:, 3])) > 5
    (dense,) = by_gid(view_of(many, feature="x0"), "curves")
    assert np.array(dense.get_colors())[:, 3].max() < 0.8 * colors[:, 3].max()


def test_a_feature_that_does_not_move_the_prediction_has_a_picture(explanation):
    """A constant feature is a column of dashes without slopes; rounding noise does not fill the axis."""
    lines = shown(explanation, feature="constant").lines
    assert lines.values.shape == (60, 2)
    assert lines.x[0] < 7 < lines.x[1]
    slopes = texts(view_of(explanation, feature="constant", kind="d-ice", with_ranking=False))
    assert "A constant feature has no slope." in slopes
    assert "mean" not in slopes
    X = np.linspace(0, 1, 20)[:, None]
    level = explain(lambda X: 5e3 + 1e-11 * np.sin(99 * X[:, 0]), X, progress=False)
    assert shown(level).lines.y_domain == pytest.approx((4750, 5250))


# --- words ----------------------------------------------------------------------------------------


def test_a_figure_says_what_it_shows(explanation):
    """Titles, axes and legend are there as text, in a figure of the width asked for."""
    figure = view_of(explanation, feature="age", kind="c-ice", anchor="median")
    words = " ".join(texts(figure)).replace("\n", " ")
    median = axis_text.number_text(explanation["age"]._item.median)
    for expected in (
        "c-ICE of age",
        f"change of the prediction from age = {median}",
        "60 curves",
        "mean",
        "observed",
        "weight of far values 0.75",
        "all values alike",
    ):
        assert expected in words
    assert figure.get_figwidth() == pytest.approx(180 / 25.4)


def test_names_are_text_whatever_they_hold(explanation):
    """Markup in names is shown, not obeyed; what is cut is whole in the title beside it."""
    content = file_bytes(explanation, ViewState(feature=HOSTILE, color_by="region"), "view.svg")
    root = ET.fromstring(content)  # noqa: S314 - written just now
    assert not {"script", "b"} & {element.tag.rpartition("}")[2] for element in root.iter()}
    written = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert HOSTILE in written
    assert any(text.startswith("<script>alert") for text in written)
    assert any("…" in text and LONG.startswith(text.partition("…")[0]) for text in written)


def test_letters_that_no_document_can_hold_are_replaced():
    """Control characters and lone surrogates would make the file unreadable; line breaks become spaces."""
    assert printable("a\x00b\ud800c\uffff") == r"a�b\ud800c�"
    name = "a\x00b\x0bc\nd\te"
    X = pd.DataFrame({name: [1.0, 2.0, 3.0], "z": [3.0, 1.0, 2.0]})
    explanation = explain(lambda table: table.iloc[:, 0].to_numpy(), X, progress=False)
    assert view_of(explanation, feature=name).axes[-1].get_xlabel() == "a�b c d e"


WIDTHS = [89.0, *(pytest.param(width, marks=pytest.mark.wide) for width in (120.0, 183.0))]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    "state",
    [
        {"feature": "age", "kind": "c-ice", "color_by": "region"},
        {"feature": LONG, "color_by": HOSTILE, "selection": (1,)},
        {"feature": HOSTILE, "kind": "d-ice", "rank_by": "heterogeneity", "color_by": LONG},
        {"feature": "smoker", "color_by": "smoker"},
        {"feature": "constant", "kind": "d-ice"},
    ],
)
def test_no_text_touches_another_or_leaves_the_page(explanation, state, width):
    """Whatever the width and the names, every text has its place to itself."""
    assert_texts_have_their_place(view_of(explanation, width=width, **state))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    "state",
    [
        {"feature": "town", "color_by": "grade", "selection": (0, 1)},
        {"feature": "town", "kind": "d-ice", "color_by": "town"},
        {"feature": "grade", "kind": "c-ice", "color_by": "built"},
        {"feature": "built", "color_by": "wait"},
        {"feature": "area", "kind": "c-ice", "selection": (0, 7)},
        {"feature": "heat", "rank_by": "non_linearity"},
    ],
)
def test_no_text_of_any_kind_touches_another(kinds, state, width):
    """Names of levels, slanted or not, dates, and what is next to the axis."""
    assert_texts_have_their_place(view_of(kinds, width=width, **state))


def test_levels_are_dots_with_a_mean_each(kinds):
    """A row has a dot at each level; missing values are next to the axis."""
    lines = shown(kinds, feature="town").lines
    feature = kinds["town"]
    assert_allclose(lines.values, feature.curves, rtol=1e-12)
    assert_allclose(lines.dot_opacity, 0.06 + 0.94 * feature.likelihood(0.75), rtol=1e-12)
    assert_allclose(lines.missing.values, feature.missing_curve, rtol=1e-12)
    figure = view_of(kinds, feature="town")
    n_lines, n_levels = lines.values.shape
    assert np.isnan(lines.own_x).any()
    (own,), (others,) = by_gid(figure, "observed"), by_gid(figure, "predictions")
    assert len(own.get_offsets()) == n_lines
    # Everywhere but at their own level: at the levels, and beside the axis.
    assert len(others.get_offsets()) == n_lines * (n_levels + 1) - n_lines
    (means,), (beside,) = by_gid(figure, "mean"), by_gid(figure, "mean with the value missing")
    assert (len(means.get_ydata()), len(beside.get_ydata())) == (n_levels, 1)
    assert "missing" in [label.get_text() for label in figure.axes[-1].get_xticklabels()]


def test_levels_without_an_order_have_no_slopes(kinds):
    """Their ICE is drawn, with a sentence why; ranks have slopes per rank."""
    view = shown(kinds, feature="town", kind="d-ice")
    sentence = "town has levels without an order, so there is no slope from one to the next. Its ICE is shown instead."
    assert (view.lines.kind, view.heading, view.lines.remark) == ("ice", "ICE of town", sentence)
    assert sentence in " ".join(texts(view_of(kinds, feature="town", kind="d-ice"))).replace("\n", " ")
    grade = shown(kinds, feature="grade", kind="d-ice").lines
    assert (grade.kind, grade.remark) == ("d-ice", None)
    assert grade.y_title == "slope of the prediction per rank"
    assert_allclose(grade.values[:, ::2], kinds["grade"].slopes, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("anchor", ["own", "min"])
def test_a_level_off_the_grid_has_no_dot_and_its_own_prediction(anchor):
    """Its line is held at what the model predicts for the row itself, as in `centered_curves`."""
    X = pd.DataFrame({"town": ["Ur", "Uruk", "Kish", "Ur"], "b": [0.0, 1.0, 2.0, 3.0]})
    worth = {"Ur": 1.0, "Uruk": 5.0, "Kish": 9.0}
    explanation = explain(
        lambda rows: rows["town"].map(worth) * (1 + rows["b"]), X, grid={"town": ["Ur", "Uruk"]}, progress=False
    )
    lines = shown(explanation, feature="town", kind="c-ice", anchor=anchor).lines
    assert_allclose(lines.values, explanation["town"].centered_curves(anchor), rtol=1e-12)
    assert lines.axis.is_off(lines.own_x).tolist() == [False, False, True, False]
    (dots,) = by_gid(view_of(explanation, feature="town", kind="c-ice", anchor=anchor), "observed")
    assert len(dots.get_offsets()) == 3


@pytest.mark.parametrize(("anchor", "title"), [("min", 0), ("median", None), (2.0, 2)])
def test_levels_are_centred_at_a_level(kinds, anchor, title):
    """An anchor is a level by its place; the axis names it."""
    lines = shown(kinds, feature="town", kind="c-ice", anchor=anchor).lines
    expected = kinds["town"].centered_curves(anchor if title is None or anchor == "min" else kinds["town"].grid[title])
    assert_allclose(lines.values, expected, rtol=1e-10, atol=1e-10)
    place = int(lines.anchored_at)
    assert lines.y_title == f"change of the prediction from town = {kinds['town'].grid[place]}"


def test_a_missing_own_value_stands_beside_the_axis():
    """Rows that lack the feature have a curve, which fades around the median, and their prediction beside it."""
    X = pd.DataFrame({"a": [1.0, np.nan, 3.0, 4.0, 2.0], "b": [0.0, 1.0, 2.0, 3.0, 4.0]})
    explanation = explain(lambda table: table["a"].fillna(0) + table["b"], X, progress=False)
    lines = shown(explanation, feature="a").lines
    assert np.flatnonzero(np.isnan(lines.own_x)).tolist() == [1]
    assert_allclose(lines.own_y, X["a"].fillna(0) + X["b"])
    assert_allclose(lines.missing.values, X["b"])
    assert (lines.missing.mean, lines.missing.count) == (2.0, 1)
    assert np.isfinite(lines.values).all()
    assert np.isfinite(lines.opacity).all()
    slopes = shown(explanation, feature="a", kind="d-ice").lines
    assert slopes.missing is None
    assert np.flatnonzero(np.isnan(slopes.own_y)).tolist() == [1]
    held = shown(explanation, feature="a", kind="c-ice", anchor="max").lines.missing
    assert_allclose(held.mean, held.values.mean(), atol=1e-12)
    centred = shown(explanation, feature="a", kind="c-ice", anchor="own").lines
    assert_allclose(centred.own_y, [0, -2, 0, 0, 0])  # row 1 was held at the median


# --- lettering ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "wanted", "whole", "labels"),
    [
        (0, 1, 5, False, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (-0.3, 0.31, 3, False, ["−0.2", "0.0", "0.2"]),
        (18.2, 42.1, 4, False, ["20", "25", "30", "35", "40"]),
        (0, 2.5e9, 3, False, ["0", "1e9", "2e9"]),
        (-3e-7, 3e-7, 3, False, ["−2e−7", "0", "2e−7"]),
        (1000, 5000, 4, False, ["1,000", "2,000", "3,000", "4,000", "5,000"]),
        (3, 3, 4, False, []),
        (0, math.inf, 4, False, []),
        (0, 3, 10, True, ["0", "1", "2", "3"]),
    ],
)
def test_ticks_are_round_and_written_alike(low, high, wanted, whole, labels):
    """Steps of 1, 2 or 5, as many decimals as it takes, a proper minus; a feature of whole numbers has whole ticks."""
    assert [tick.label for tick in axis_text.ticks(low, high, wanted, whole=whole)] == labels


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (np.arange(2004, 2014), ["2004", "2006", "2008", "2010", "2012"]),
        (np.arange(1000, 10000, 1000), ["2000", "4000", "6000", "8000"]),
        (np.arange(0, 20000, 1000), ["0", "5,000", "10,000", "15,000"]),
    ],
)
def test_years_and_codes_on_axes_have_no_separators(values, labels):
    """Thousands are separated on axes that reach 10,000, at every tick; few values and many are written alike."""
    X = np.column_stack([np.tile(values, 3), np.arange(3.0 * len(values))])
    explanation = explain(lambda X: X[:, 0] + X[:, 1], X, features=["x0"], progress=False)
    lines = shown(explanation, feature="x0").lines
    assert [tick.label for tick in axis_ticks(lines.axis, lines.x_domain, 260.0)] == labels
    (axes,) = view_of(explanation, feature="x0", with_ranking=False).axes
    written = [label.get_text() for label in axes.get_xticklabels()]
    assert any("," in label for label in written) == any("," in label for label in labels)


def test_numbers_are_short_enough_to_read_and_exact_enough_to_compare():
    """Four digits at most; in a column the largest decides for all; "< 0.001" is not 0, and "–" is undefined."""
    numbers = [0, 25.3, 123456.7, -0.012346, 2.5e-6, 1e9, math.nan]
    written = ["0", "25.3", "123,457", "−0.01235", "2.5e−6", "1e9", "–"]
    assert [axis_text.number_text(number) for number in numbers] == written
    write = axis_text.column_format([12.345, 0.5, math.nan])
    assert [write(value) for value in (12.345, 0.5, 0.0, math.nan)] == ["12.3", "0.5", "0.0", "–"]
    largest = {123456.0: "123,456", 12345678.0: "1.23e7", 2e-7: "2e−7"}
    assert {value: axis_text.column_format([value])(value) for value in largest} == largest
    write = axis_text.nonnegative_format([0.2211, 0.0004])
    texts = [write(value) for value in (0.2211, 0.004, 0.0004, 1e-14, 0.0, math.nan)]
    assert texts == ["0.221", "0.004", "< 0.001", "0", "0", "–"]
    assert [axis_text.is_zero(text) for text in texts] == [False, False, True, True, True, False]


def test_a_direction_that_rounds_to_0_has_no_sign():
    """Rises and falls have a triangle, levels dots; what would be written as 0 has no sign."""
    bar = Bar("a", value=0.22, tick=0.22, direction=0.2, is_unordered=False)
    bars = {
        "up": bar,
        "down": replace(bar, direction=-0.2),
        "levels": replace(bar, direction=math.nan, is_unordered=True),
        "none": replace(bar, direction=-0.0004),
    }
    ranking = Ranking("impact", "step", tuple(bars.values()))
    assert {name: ranking.sign(of) for name, of in bars.items()} == {name: name for name in bars}
    tiny = replace(bar, value=0.0003)
    assert ranking.sign(tiny) == "none"
    assert replace(ranking, rank_by="heterogeneity").sign(tiny) == "up"


# --- provenance -----------------------------------------------------------------------------------


def test_a_figure_says_where_it_comes_from(explanation, tmp_path):
    """The metadata name what is shown, how it was computed, and the line that makes it again."""
    state = ViewState(feature="age", kind="c-ice", color_by="region", decay=0.5, max_lines=20)
    save(explanation, state, tmp_path / "view.svg")
    found = read_provenance(tmp_path / "view.svg")
    assert found.pop("rows_drawn") <= 20
    assert set(found.pop("versions")) == {"ice_explorer", "numpy", "python"}
    shown_here = {"title": "Individual conditional expectation", "feature": "age", "kind": "c-ice", "anchor": "min"}
    used = {"rows_used": 60, "n_observations": 60, "n_grid": len(explanation["age"].grid), "weighted": False, "seed": 0}
    counted = {"rank_by": "in_distribution_impact", "decay": 0.5, "convention": "step"}
    computed = {"grid": "observed", "distance": "marginal", "output": "prediction", "response": "callable"}
    rest = {"color_by": "region", "ci": None, "method": "brute", "view": {"fade": "distance"}, "not_drawn": []}
    code = (
        "x = ice_explorer.ICEExplorer(model, X, state={'version': 2, 'view': {'fade': 'distance'}}); "
        "x.feature = 'age'; x.color_by = 'region'; "
        "x.kind = 'c-ice'; x.decay = 0.5; x.max_lines = 20; x.save('view.svg')"
    )
    assert found == {**shown_here, **used, **counted, **computed, **rest, "code": code}


def test_the_code_names_the_options_that_differ_from_their_defaults():
    """Values that were given by their name."""
    X = np.random.default_rng(0).normal(size=(20, 3))
    explanation = explain(
        lambda X: X[:, 0], X, features=["x0", "x2"], grid={"x0": [0.0, 1.0]}, sample=10, random_state=4,
        sample_weight=np.ones(20), convention="paper", progress=False,
    )  # fmt: skip
    view = shown(explanation, feature="x0", rank_by="impact")
    found = provenance(explanation, [view], "x.save('view.svg')")
    assert found["code"] == (
        "x = ice_explorer.ICEExplorer(model, X, features=['x0', 'x2'], grid=grid, sample=10, random_state=4, "
        "convention='paper', sample_weight=sample_weight, state={'version': 2, 'view': {'fade': 'distance'}}); "
        "x.feature = 'x0'; x.rank_by = 'impact'; "
        "x.save('view.svg')"
    )
    assert (found["rows_used"], found["seed"], found["weighted"], found["convention"]) == (10, 4, True, "paper")


# --- what a reader chose in the browser -----------------------------------------------------------


def test_levels_that_the_legend_hides_are_not_drawn(explanation):
    """Their lines go, the mean and the axis stay those of all; missing values are hidden by None."""
    whole = shown(explanation, feature="age", color_by="region")
    hidden = [*whole.lines.coloring.levels[1:], None]
    part = shown(explanation, feature="age", color_by="region", choices={"filters": {"region": {"hidden": hidden}}})
    keeps = whole.lines.coloring.values == 0
    assert 0 < keeps.sum() < len(keeps) - 1
    assert_array_equal(part.lines.positions, whole.lines.positions[keeps])
    assert_array_equal(part.lines.values, whole.lines.values[keeps])
    assert_array_equal(part.lines.coloring.values, whole.lines.coloring.values[keeps])
    assert part.lines.extent != whole.lines.extent
    assert part.lines.y_domain == whole.lines.y_domain
    assert_array_equal(part.lines.mean, whole.lines.mean)
    other = shown(explanation, feature="age", choices={"filters": {"region": {"hidden": hidden}}})
    assert len(other.lines.positions) == 60  # the legend is that of the column that colours


def test_a_filter_of_levels_hides_nothing_along_a_ramp(explanation):
    """It stays as it was chosen, for when the column has levels again."""
    choices = {"filters": {"age": {"hidden": ["40"]}}}
    assert len(shown(explanation, feature="smoker", color_by="age", choices=choices).lines.positions) == 60


# --- matplotlib -----------------------------------------------------------------------------------


@pytest.fixture
def _closed_figures():
    yield
    plt.close("all")


@pytest.mark.usefixtures("_closed_figures")
def test_the_ranking_draws_the_table(explanation):
    """One bar a feature in the order of the table, and a count of those left out."""
    table = explanation.table()
    ax = plot_ranking(explanation)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert all(name.startswith(label.partition("…")[0]) for label, name in zip(labels, table.index, strict=True))
    assert_allclose([bar.get_width() for bar in ax.patches], table["in_distribution_impact"])
    (ticks,) = [line for line in ax.lines if line.get_gid() == "tick"]
    assert_allclose(ticks.get_xdata(), table["impact"])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "weight of far values 0.75", "all values alike", "net rise or fall", "levels without an order"
    ]  # fmt: skip
    by_impact = plot_ranking(explanation, rank_by="impact")
    assert_allclose([bar.get_width() for bar in by_impact.patches], explanation.table(rank_by="impact")["impact"])
    assert "tick" not in {line.get_gid() for line in by_impact.lines}
    few = plot_ranking(explanation, decay=1.0, max_features=3)
    assert (len(few.get_yticks()), texts(few, "count")) == (2, ["2 of 6 features"])


def jump(**options):
    """A jump between values that lie close together, and a line."""
    X = np.column_stack([np.r_[0.0, 0.5, 0.5001, np.arange(1.0, 18.0)], np.arange(20.0)])
    return explain(lambda X: 3.0 * (X[:, 0] > 0.50005) + X[:, 1] / 9, X, progress=False, **options)


@pytest.mark.usefixtures("_closed_figures")
def test_a_ranking_says_what_it_is_counted_by():
    """In the figure of a view, and under an axis."""
    for convention, words in (
        ("step", "change of the prediction per SD of the feature"),
        ("paper", "change of the prediction per SD of the feature, as in the paper"),
    ):
        explanation = jump(convention=convention)
        assert texts(view_of(explanation), "remark")[0].replace("\n", " ") == words
        assert plot_ranking(explanation).get_xlabel().replace("\n", " ") == words


@pytest.mark.usefixtures("_closed_figures")
def test_plot_all_has_axes_for_each_feature_in_the_order_of_the_ranking(kinds):
    """They share a scale, hold the mean of each, and can be found by name and styled further."""
    figure = kinds.plot(list(kinds.table().index), color_by="town")
    axes = {ax.get_label(): ax for ax in figure.axes}
    assert list(axes) == [kinds[name].label for name in kinds.table().index]
    assert len({ax.get_ylim() for ax in axes.values()}) == 1
    expected = kinds["built"].centered_curves("min").mean(axis=0)
    (mean,) = [line for line in axes["built"].lines if line.get_gid() == "mean"]
    assert_allclose(mean.get_ydata(), expected, rtol=1e-9, atol=1e-9)
    axes["built"].set_title("Year")
    figure.canvas.draw()
    levels = shown(kinds, feature="built", color_by="town").lines.coloring.levels
    written = [text.get_text().replace("\\$", "$") for text in figure.legends[0].get_texts()]
    named = zip(levels, written[: len(levels)], strict=True)
    assert all(level.startswith(text.partition("…")[0]) for level, text in named)
    assert written[-2:] == ["mean", "observed"]


MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
TOWNS = ["Lima", "Ur", "Addis Ababa", "Buenos Aires", "New York City", "Kuala Lumpur", "Oslo", "Tegucigalpa", "Rome"]


@pytest.mark.usefixtures("_closed_figures")
@pytest.mark.parametrize(
    ("levels", "named", "are_slanted"),
    [
        (["low", "high"], ["high", "low"], False),
        (MONTHS, ["JAN", "APR", "JUL", "OCT"], False),
        ([f"level {at}" for at in range(1, 21)], None, True),
        (TOWNS, sorted(TOWNS), True),
        ([f"{town} {side}" for town in TOWNS for side in "NESW"], None, True),
    ],
    ids=["few", "months", "numbered", "towns", "many"],
)
def test_names_of_levels_do_not_touch_under_a_small_plot(levels, named, are_slanted):
    """Months and weekdays are thinned, other names slanted; all of them have a tick."""
    X = pd.DataFrame({"c": levels * 3, "z": np.arange(3.0 * len(levels))})
    figure = explain(lambda rows: rows["z"].to_numpy(), X, features=["c", "z"], progress=False).plot(["z", "c"])
    (ax,) = (ax for ax in figure.axes if ax.get_label() == "c")
    labels = [label for label in ax.get_xticklabels() if label.get_text()]
    assert len(ax.get_xticks()) == len(levels)
    if named is not None:
        assert [label.get_text() for label in labels] == named
    assert all((label.get_rotation() > 0) == are_slanted for label in labels)
    figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in labels]
    if are_slanted:  # their baselines stand apart by their height
        apart = np.diff([box.x1 for box in boxes]) * math.sin(math.radians(38))
        assert apart.min() > 5.0 * figure.dpi / 72
    else:
        assert all(left.x1 < right.x0 for left, right in itertools.pairwise(boxes))


@pytest.mark.usefixtures("_closed_figures")
def test_plot_all_shows_so_many_features_and_says_so(many):
    """Slopes keep a scale each; a ramp is next to them once."""
    figure = many.plot(list(many.table().index[:2]), "d-ice", color_by="x1", n_columns=2, max_lines=60)
    panels = [ax for ax in figure.axes if ax.get_label().startswith("x")]
    n_features = len(many.features)
    assert figure.get_suptitle() == f"d-ICE of 2 of {n_features} features"
    assert len(figure.axes) == 3
    assert panels[0].get_ylim() != panels[1].get_ylim()
    with pytest.raises(OptionError):
        many.plot(list(many), n_columns=0)


@pytest.mark.usefixtures("_closed_figures")
@pytest.mark.parametrize("kind", ["ice", *(pytest.param(kind, marks=pytest.mark.wide) for kind in ("c-ice", "d-ice"))])
def test_plot_draws_every_feature(explanation, kinds, kind):
    """Without a warning, whatever its kind and its name; the axes have its ticks."""
    for name in ("age", HOSTILE, "smoker", LONG, "constant"):
        _, ax = plt.subplots()
        assert plot_curves(explanation, name, kind, color_by=LONG, ax=ax) is ax
        ax.figure.draw_without_rendering()
        plt.close("all")
    for name in ("town", "grade", "built", "wait", "area", "heat"):
        ax = plot_curves(kinds, name, kind, color_by="built")
        ax.figure.draw_without_rendering()
        labels = [label.get_text() for label in ax.get_xticklabels()]
        has_gaps = name in {"town", "area"} and (kind != "d-ice" or name == "town")
        assert ("missing" in labels) == has_gaps
        if name == "grade":
            assert labels == ["a", "b", "c"]
        if name == "built":
            assert "2015" in labels
        plt.close("all")
