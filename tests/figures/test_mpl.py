"""Matplotlib figures: they take only the room of the Axes, follow the style, and are ordinary artists."""

import io
import itertools
import math
import re
import warnings

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex, to_rgb
from numpy.testing import assert_allclose, assert_array_equal

from ice_explorer import explain
from ice_explorer.errors import OptionError

pytestmark = pytest.mark.usefixtures("_clean")
STYLES = ["default", "dark_background", "ggplot", "seaborn-v0_8"]
SEASONS = ["winter", "spring", "summer", "fall"]


@pytest.fixture
def _clean():
    """Figures are closed, and a warning of Matplotlib about its layout is a failure."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
    plt.close("all")


@pytest.fixture(scope="module")
def e():
    """Bike rentals: a trend, a bend, a jump and a category, each with names of a usual length."""
    generator = np.random.default_rng(3)
    n = 160
    X = pd.DataFrame(
        {
            "days_since_2011": generator.integers(0, 730, n).astype(float),
            "temp": generator.normal(15, 8, n),
            "hum": generator.uniform(20, 95, n),
            "season": generator.choice(SEASONS, n),
        }
    )

    def model(table):
        bend = 120 * table["temp"].clip(upper=25) - 15 * table["hum"] * (table["temp"] > 12)
        return 2000 + 4 * table["days_since_2011"] + bend + 750 * (table["season"] == "summer")

    return explain(model, X, grid_size=40, progress=False)


def by_gid(ax, gid):
    return [artist for artist in ax.findobj() if artist.get_gid() == gid]


# --- room -----------------------------------------------------------------------------------------


def alone(e):
    return e.plot("temp", kind="c-ice", color_by="hum").figure


def pair(e):
    figure, axes = plt.subplots(1, 2, layout="constrained")
    e.plot("temp", kind="c-ice", color_by="hum", ax=axes[0])
    e.plot("hum", kind="c-ice", color_by="season", ax=axes[1])
    return figure


def three(e):
    figure, axes = plt.subplots(1, 3, layout="constrained")
    for ax, name in zip(axes, ["temp", "hum", "season"], strict=True):
        e.plot(name, color_by="season", ax=ax)
    return figure


def four(e):
    figure, axes = plt.subplots(2, 2, figsize=(9, 7), layout="tight")
    e.plot("temp", kind="c-ice", color_by="hum", ax=axes[0, 0])
    e.plot("hum", kind="d-ice", max_lines=100, ax=axes[0, 1])
    e.plot("season", color_by="temp", ax=axes[1, 0])
    e.plot(ax=axes[1, 1])
    return figure


def no_layout(e):
    figure, axes = plt.subplots(1, 2, figsize=(10, 4))
    e.plot("temp", kind="c-ice", color_by="hum", ax=axes[0])
    e.plot("season", kind="c-ice", color_by="days_since_2011", ax=axes[1])
    return figure


def mosaic(e):
    figure, axes = plt.subplot_mosaic("ab;ac", figsize=(9, 6), layout="constrained")
    e.plot(ax=axes["a"])
    e.plot("temp", ax=axes["b"])
    e.plot("season", color_by="days_since_2011", ax=axes["c"])
    return figure


def everything(e):
    return e.plot(list(e.table().index), color_by="season", n_columns=2)


def blocks(figure):
    """What may not overlap: each Axes with its labels, and what the figure itself has, by name."""
    renderer = figure.canvas.get_renderer()
    for at, ax in enumerate(figure.axes):
        yield f"{at} {ax.get_label()}", ax.get_tightbbox(renderer)
    for at, legend in enumerate(figure.legends):
        yield f"legend {at}", legend.get_window_extent(renderer)
    for text in figure.texts:
        if text.get_text():
            yield text.get_text(), text.get_window_extent(renderer)


def overlaps(figure):
    """Names of what lies on something else, or outside of the figure or its Axes."""
    figure.canvas.draw()
    placed, found = list(blocks(figure)), []
    for (name, one), (other_name, other) in itertools.combinations(placed, 2):
        width = min(one.x1, other.x1) - max(one.x0, other.x0)
        height = min(one.y1, other.y1) - max(one.y0, other.y0)
        if min(width, height) > 1:
            found.append(f"{name} on {other_name}")
    edge = figure.bbox
    found += [f"{name} outside" for name, box in placed if box.x0 < -1 or box.y0 < -1 or box.x1 > edge.x1 + 1]
    for ax in figure.axes:
        legend = ax.get_legend()
        if legend is not None:
            found += [text.get_text() for text in legend.get_texts() if text.get_text().endswith("…")]
            box, room = legend.get_window_extent(), ax.get_window_extent()
            above = ax.title.get_window_extent().y0 if ax.get_title() else np.inf
            if box.x0 < room.x0 or box.x1 > room.x1 or box.y0 < room.y1 or box.y1 > above + 1:
                found.append(f"legend of {ax.get_title()} not between its Axes and the title")
        for axis in (ax.xaxis, ax.yaxis):
            labels = [label for label in axis.get_ticklabels() if label.get_text() and label.get_rotation() % 90 == 0]
            boxes = [label.get_window_extent() for label in labels]
            if any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2)):
                found.append(f"tick labels of {ax.get_title()}")
    return found


WIDE_LAYOUTS = [pytest.param(layout, marks=pytest.mark.wide) for layout in (pair, three, four, no_layout, mosaic)]


@pytest.mark.parametrize("layout", [alone, everything, *WIDE_LAYOUTS])
def test_nothing_overlaps_in_usual_layouts(e, layout):
    """Axes, colour bars, legends, titles and tick labels keep apart, and within the figure."""
    assert overlaps(layout(e)) == []


@pytest.mark.wide
@pytest.mark.parametrize("style", STYLES[1:])
def test_nothing_overlaps_in_other_styles(e, style):
    """Larger letters and other frames have their room, too."""
    with plt.style.context(style):
        assert overlaps(four(e)) == []


@pytest.mark.wide
def test_legends_take_no_width_from_layouts(e):
    """Axes side by side are as wide with legends as without."""
    with_legends = three(e)
    with_legends.canvas.draw()
    bare, axes = plt.subplots(1, 3, layout="constrained")
    for ax, name in zip(axes, ["temp", "hum", "season"], strict=True):
        e.plot(name, color_by="season", legend=False, ax=ax)
    bare.canvas.draw()
    widths, bare_widths = ([ax.get_position().width for ax in each.axes] for each in (with_legends, bare))
    assert min(widths) > 0.18
    assert_allclose(widths, bare_widths, rtol=0.1)


@pytest.mark.parametrize("layout", ["constrained", "tight", None])
def test_a_colour_bar_takes_its_room_from_the_given_axes(e, layout):
    """The neighbour keeps its place, and the bar stands where the Axes ended."""
    figure, axes = plt.subplots(1, 2, layout=layout, figsize=(9, 4))
    figure.canvas.draw()
    right, left = axes[0].get_position(original=True).x1, axes[1].get_position().x0
    e.plot("temp", color_by="hum", ax=axes[0])
    figure.canvas.draw()
    (bar,) = by_gid(figure, "colorbar")
    assert bar.get_ylabel() == "hum"
    assert axes[0].get_position().x1 < bar.get_position().x0
    if layout is None:
        assert axes[1].get_position().x0 == left
        assert bar.get_position().x1 <= right


def test_the_legend_stands_above_the_curves(e):
    """Outside of the Axes, whose value axis is that without a legend."""
    ax = e.plot("temp", color_by="season")
    ax.figure.canvas.draw()
    assert ax.get_window_extent().y1 < ax.get_legend().get_window_extent().y0
    bare = e.plot("temp", color_by="season", legend=False)
    assert bare.get_legend() is None
    assert bare.get_ylim() == ax.get_ylim()


def test_axes_that_share_limits_show_the_curves_of_all(e):
    """Limits cover what every sibling shows, and those that the caller fixed stay."""
    _, axes = plt.subplots(1, 2, sharey=True)
    for ax, name in zip(axes, ["season", "days_since_2011"], strict=True):
        e.plot(name, ax=ax)
    lows, highs = zip(
        *((e[name].curves.min(), e[name].curves.max()) for name in ("season", "days_since_2011")), strict=True
    )
    low, high = axes[0].get_ylim()
    assert low < min(lows) < max(highs) < high
    _, fixed = plt.subplots()
    fixed.set(xlim=(0, 10), ylim=(0, 9000))
    e.plot("temp", ax=fixed)
    assert (fixed.get_xlim(), fixed.get_ylim()) == ((0, 10), (0, 9000))


def test_what_is_drawn_later_widens_the_limits(e):
    """The Axes scale themselves to what the user adds, as any Axes do."""
    ax = e.plot("temp", legend=False)
    ax.plot([0, 60], [0, 20_000])
    ax.figure.canvas.draw()
    assert ax.get_xlim()[1] >= 60
    assert ax.get_ylim()[1] >= 20_000


# --- what is returned, and what it holds ----------------------------------------------------------


def test_titles_are_those_of_set_title(e):
    """There is one title, in the place of the style; a given one may be a formula, and None is none."""
    ax = e.plot("temp")
    assert [ax.get_title(loc) for loc in ("left", "center", "right")] == ["", "ICE of temp", ""]
    assert e.plot("temp", title="$t$ in °C").get_title() == "$t$ in °C"
    assert e.plot("temp", title=None).get_title() == e.plot(title=None).get_title() == ""
    assert e.plot().get_title() == "In-distribution impact"
    assert [e.plot(list(e.table().index), title=title).get_suptitle() for title in (None, "All of them")] == [
        "",
        "All of them",
    ]
    with plt.rc_context({"axes.titlelocation": "left"}):
        assert e.plot("temp").get_title(loc="left") == "ICE of temp"


def test_artists_are_found_by_their_group_id(e):
    """Each has an id and a label, and an SVG file has the ids."""
    ax = e.plot("temp", kind="c-ice", max_lines=50)
    labels = {gid: by_gid(ax, gid)[0].get_label() for gid in ("curves", "mean", "observed", "histogram")}
    assert labels == {
        "curves": "50 of 160 curves", "mean": "mean", "observed": "observed",
        "histogram": "_histogram",
    }  # fmt: skip
    (mean,) = by_gid(ax, "mean")
    assert_allclose(mean.get_ydata(), e["temp"].centered_curves("min").mean(axis=0), atol=1e-9)
    file = io.StringIO()
    ax.figure.savefig(file, format="svg")
    assert set(re.findall(r'id="([a-z ]+)"', file.getvalue())) >= {*labels, "legend"}


def test_legends_are_ordinary(e):
    """There is one Legend with levels and marks, and `ax.legend()` makes it anew from the artists."""
    ax = e.plot("temp", color_by="season", max_lines=50, ax=plt.subplots()[1])
    legend = ax.get_legend()
    named = [text.get_text() for text in legend.get_texts()]
    assert set(named[:4]) == set(SEASONS)
    assert named[4:] == ["50 of 160 curves", "mean", "observed"]
    assert legend.get_title().get_text() == "season"
    again = [text.get_text() for text in ax.legend().get_texts()]
    assert set(again) == set(named)


def test_names_of_groups_are_beside_the_ends_of_their_means(e):
    """In a figure of our own: in the order of the means, in readable colours, and apart from each other."""
    ax = e.plot("temp", color_by="season", max_lines=50)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "50 of 160 curves",
        "observed",
    ]
    ends = {line.get_label().removeprefix("_mean of "): line.get_ydata()[-1] for line in by_gid(ax, "group mean")}
    names = by_gid(ax, "group name")
    assert [name.get_text() for name in names] == sorted(ends, key=ends.get)
    (mean,) = by_gid(ax, "mean name")
    assert mean.get_text() == "mean"
    names = sorted([*names, mean], key=lambda name: name.get_window_extent().y0)
    boxes = [name.get_window_extent() for name in names]
    for lower, upper in itertools.pairwise(boxes):
        assert lower.y1 - 0.25 * lower.height < upper.y0
    assert all(contrast(name.get_color(), "white") >= 4.5 for name in names)
    assert max(box.x1 for box in boxes) <= ax.figure.bbox.x1
    (title,) = by_gid(ax, "group title")
    assert title.get_text() == "season"


def test_two_explanations_on_the_same_axes_have_a_legend_together(e):
    """Each has the next colour of the style."""
    _, ax = plt.subplots()
    for max_lines in (30, 40):
        e.plot("temp", ax=ax, max_lines=max_lines)
    named = [text.get_text() for text in ax.get_legend().get_texts()]
    assert named == ["30 of 160 curves", "mean", "observed", "40 of 160 curves"]
    colors = [to_hex(artist.get_colors()[0]) for artist in by_gid(ax, "curves")]
    assert colors == [to_hex("C0"), to_hex("C1")]


# --- style ----------------------------------------------------------------------------------------


def contrast(one, other):
    lights = []
    for rgb in (one, other):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(rgb)]
        lights.append(0.05 + np.dot(linear, [0.2126, 0.7152, 0.0722]))
    return max(lights) / min(lights)


@pytest.mark.parametrize("style", [STYLES[1], *(pytest.param(style, marks=pytest.mark.wide) for style in STYLES[2:])])
def test_marks_are_readable_in_every_style(e, style):
    """The mean stands out from the background like text, and every colour of the curves is seen."""
    with plt.style.context(style):
        for color_by in (None, "season", "hum"):
            ax = e.plot("temp", color_by=color_by)
            ground = ax.get_facecolor()
            assert contrast(by_gid(ax, "mean")[0].get_color(), ground) >= 4.5
            (dots,) = by_gid(ax, "observed")
            assert min(contrast(color, ground) for color in np.unique(dots.get_facecolors(), axis=0)) >= 1.5
            (bars,) = by_gid(ax, "histogram")
            assert contrast(bars.get_facecolor()[0], ground) >= 1.3


def test_colours_widths_and_fonts_are_those_of_rc_params(e):
    """Nothing is fixed that a style sheet may say."""
    look = {
        "axes.prop_cycle": mpl.cycler(color=["crimson", "teal", "olive", "navy"]), "lines.linewidth": 3.0,
        "image.cmap": "plasma", "axes.titlesize": 21, "axes.labelsize": 17, "figure.figsize": (5, 3),
        "legend.fontsize": 6, "axes.grid": True,
    }  # fmt: skip
    usual = by_gid(e.plot("temp"), "mean")[0].get_linewidth()
    with plt.rc_context(look):
        ax = e.plot("temp", max_lines=20)
        assert to_hex(by_gid(ax, "curves")[0].get_colors()[0]) == to_hex("crimson")
        assert by_gid(ax, "mean")[0].get_linewidth() == 2 * usual
        assert (ax.title.get_fontsize(), ax.xaxis.label.get_fontsize()) == (21, 17)
        assert ax.get_legend().get_texts()[0].get_fontsize() == 6
        assert tuple(ax.figure.get_size_inches()) == (5, 3)
        levels = e.plot("temp", color_by="season", ax=plt.subplots()[1])
        handles = levels.get_legend().legend_handles[:4]
        assert [to_hex(handle.get_color()) for handle in handles] == [
            to_hex(color) for color in ("crimson", "teal", "olive", "navy")
        ]
        (bar,) = by_gid(e.plot("temp", color_by="hum").figure, "colorbar")
        ends = bar.collections[-1].get_cmap()([0.0, 1.0])
        assert_allclose(ends[0], mpl.colormaps["plasma"](0.0), atol=0.01)
        assert to_hex(e.plot().patches[0].get_facecolor()) == to_hex("crimson")


def test_levels_are_told_apart_by_colour_blind_readers_unless_a_style_says_otherwise(e):
    """Matplotlib's own cycle is replaced; the ramp loses the end that white swallows."""
    handles = e.plot("temp", color_by="season", ax=plt.subplots()[1]).get_legend().legend_handles[:4]
    assert [to_hex(handle.get_color()) for handle in handles] == ["#0072b2", "#d55e00", "#009e73", "#e69f00"]
    (bar,) = by_gid(e.plot("temp", color_by="hum").figure, "colorbar")
    assert contrast(bar.collections[-1].get_cmap()(1.0), "white") >= 1.5


def test_signs_of_directions_need_no_font(e):
    """They are shapes, so that any font draws the same."""
    with plt.rc_context({"font.family": "DejaVu Sans Mono"}):
        ax = e.plot()
    words = "".join(text.get_text() for text in ax.texts)
    assert not set(words) & set("∷▲▼")
    signs = {gid: by_gid(ax, gid)[0].get_ydata().tolist() for gid in ("rises", "falls")}
    order = list(e.table().index)
    assert order.index("days_since_2011") in signs["rises"]
    without = [bar.get_y() + 0.31 for bar in ax.patches if bar.get_hatch()]
    assert sorted([*itertools.chain.from_iterable(signs.values()), *without]) == pytest.approx([0, 1, 2, 3])


# --- options --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("palette", "expected"),
    [
        pytest.param(["red", "green", "blue", "gold"], ["red", "green", "blue", "gold"], marks=pytest.mark.wide),
        ({"winter": "blue", "spring": "green", "summer": "red", "fall": "gold"}, None),
        ("Set2", [mpl.colormaps["Set2"](at) for at in range(4)]),
        ("viridis", [mpl.colormaps["viridis"](at / 3) for at in range(4)]),
        pytest.param(
            mpl.colormaps["viridis"], [mpl.colormaps["viridis"](at / 3) for at in range(4)], marks=pytest.mark.wide
        ),
    ],
    ids=["list", "mapping", "qualitative", "ramp", "colormap"],
)
def test_a_palette_colours_levels(e, palette, expected):
    """In the order of the levels, or by their names; as curves, dots and legend."""
    ax = e.plot("temp", color_by="season", palette=palette, max_lines=100, ax=plt.subplots()[1])
    handles = ax.get_legend().legend_handles[:4]
    if expected is None:
        expected = [palette[text.get_text()] for text in ax.get_legend().get_texts()[:4]]
    assert_allclose([to_rgb(h.get_color()) for h in handles], [to_rgb(color) for color in expected], atol=1 / 255)
    drawn = {to_hex(color) for color in by_gid(ax, "observed")[0].get_facecolors()}
    assert drawn == {to_hex(h.get_color()) for h in handles}
    figure = e.plot(list(e.table().index), color_by="season", palette=palette)
    assert [h.get_color() for h in figure.legends[0].legend_handles[:4]] == [h.get_color() for h in handles]


@pytest.mark.parametrize("palette", ["cividis", ["white", "navy"]])
def test_a_palette_colours_numbers(e, palette):
    """A given ramp is taken as it is, from end to end."""
    (bar,) = by_gid(e.plot("temp", color_by="hum", palette=palette).figure, "colorbar")
    ends = bar.collections[-1].get_cmap()([0.0, 1.0])[:, :3]
    wanted = mpl.colormaps[palette]([0.0, 1.0])[:, :3] if isinstance(palette, str) else [to_rgb(end) for end in palette]
    assert_allclose(ends, wanted, atol=1 / 255)
    with pytest.raises(OptionError, match=r"^`palette` must come with `color_by`"):
        e.plot("temp", palette=palette)


def test_many_curves_are_pixels_in_a_vector_format(e):
    """Few are strokes."""
    few, many = (by_gid(e.plot("temp", max_lines=most), "curves")[0] for most in (20, 160))
    assert (few.get_rasterized(), many.get_rasterized()) == (False, True)


WRONG = [
    ("title", 3, "must be a text, True or None; got 3."),
    ("legend", "upper left", "must be True or False; got 'upper left'."),
    ("palette", "virids", "must name a Matplotlib colormap; got 'virids'. Did you mean 'viridis'?"),
    ("palette", ["red", "blue"], "must have at least 4 colours for the levels of 'season'; got 2."),
    ("palette", {"winter": "blue", "summer": "red", "fall": "gold"}, "it has none for 'spring'."),
    ("palette", ["red", "blue", "green", "gol"], "must hold colours of Matplotlib: Invalid RGBA argument: 'gol'."),
    ("palette", 3, "a mapping of levels to colours; got 3."),
]


@pytest.mark.parametrize(("option", "value", "words"), WRONG)
def test_options_that_cannot_be_are_named(e, option, value, words):
    """The error says what the option must be, and no figure is left behind."""
    with pytest.raises(OptionError) as caught:
        e.plot("temp", **{"color_by": "season", option: value})
    assert str(caught.value).startswith(f"`{option}")
    assert words in str(caught.value)
    assert plt.get_fignums() == []


# --- steep slopes, and few bars --------------------------------------------------------------------


def test_steep_slopes_end_below_the_legend(e):
    """Lines that leave the axis are cut off where the legend and the strips begin."""
    X = np.column_stack([np.linspace(0, 1, 60), np.tile(np.arange(6.0), 10)])
    steep = explain(lambda X: np.where(X[:, 1] == 2, np.tanh(200 * (X[:, 0] - 0.5)), X[:, 0]), X, progress=False)
    ax = steep.plot("x0", kind="d-ice")
    assert "above the axis (" in ax.get_xlabel()
    (curves,) = by_gid(ax, "curves")
    ax.figure.canvas.draw()
    assert curves.get_clip_box().y1 <= ax.get_legend().get_window_extent().y0 + 3


def test_small_axes_show_fewer_bars_that_end_before_the_figures(e):
    """They say of how many features the bars are."""
    _, ax = plt.subplots(figsize=(3, 0.5))
    assert e.plot(ax=ax) is ax
    assert len(ax.get_yticks()) < 4
    assert by_gid(ax, "count")[0].get_text().endswith(" of 4 features")
    for size in ((6, 3), (2.6, 3)):
        _, ax = plt.subplots(figsize=size, layout="constrained")
        e.plot(ax=ax)
        ax.figure.canvas.draw()
        ends = max(patch.get_window_extent().x1 for patch in ax.patches)
        assert ends < min(text.get_window_extent().x0 for text in by_gid(ax, "value"))


def test_names_are_no_formulas():
    """A dollar sign is a dollar sign, and a long name is cut to the room of its axis."""
    name = "price in $ and $"
    X = pd.DataFrame({name: np.arange(30.0), "b" * 200: np.arange(30.0) % 7, "_c": list("xy") * 15})
    e = explain(lambda table: table.iloc[:, 0] + table.iloc[:, 1], X, progress=False)
    for ax in (e.plot(name, color_by="_c"), e.plot(1, color_by=name), e.plot()):
        ax.figure.canvas.draw()
    assert e.plot(name).get_title() == r"ICE of price in \$ and \$"
    ax = e.plot(1)
    ax.figure.canvas.draw()
    assert ax.title.get_window_extent().width <= ax.figure.bbox.width
    assert math.isfinite(ax.get_ylim()[0])
    assert_array_equal(np.unique(e.plot(name, color_by="_c").get_xticks()), e.plot(name).get_xticks())


def test_intervals_are_whiskers(e):
    """They reach from end to end of the intervals of `table`; without, there are none."""
    ax = e.plot(ci=0.9)
    table = e.table(ci=0.9)
    (whiskers,) = by_gid(ax, "interval")
    ends = np.column_stack([table["in_distribution_impact_low"], table["in_distribution_impact_high"]])
    assert_allclose(whiskers.get_xdata().reshape(-1, 3)[:, :2], ends)
    assert_allclose(whiskers.get_ydata().reshape(-1, 3)[:, 0], range(len(table)))
    assert ax.get_xlim()[1] > ends.max()
    assert "90 % interval" in [text.get_text() for text in ax.get_legend().get_texts()]
    assert by_gid(e.plot(), "interval") == []
    with pytest.raises(OptionError, match=r"^`ci` must be greater than 0 and less than 1; got 1\."):
        e.plot(ci=1)


def test_numbers_of_an_axis_have_the_decimals_of_their_steps():
    """Steps of 2.5 have one more than those of 2 and 5."""
    ax = explain(lambda X: 7.5 * X["a"], pd.DataFrame({"a": [0.0, 0.5, 1.0]}), progress=False).plot("a")
    ax.set_yticks([0.0, 2.5, 5.0, 7.5])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["0.0", "2.5", "5.0", "7.5"]
    ax.set_yticks([0.0, 2.0, 4.0, 6.0])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["0", "2", "4", "6"]
