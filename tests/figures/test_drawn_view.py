"""Files show what is on the screen: each choice of a reader, and the arithmetic that they share with the browser.

`python tests/figures/test_drawn_view.py` writes tests/contract/view/view.json anew.
"""

import base64
import json
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex
from numpy.testing import assert_allclose, assert_array_equal
from origins import picture_origin, read_provenance
from pictures import assert_texts_have_their_place, by_gid, texts, view_of
from sklearn.linear_model import LogisticRegression

from ice_explorer import explain
from ice_explorer.export.save import save
from ice_explorer.features.axis_text import UTC_CLOCK
from ice_explorer.results.column_colors import LevelColors, RampColors
from ice_explorer.scene.build import average_sentence, scene, with_surroundings
from ice_explorer.scene.choices import Besides, ViewState
from ice_explorer.scene.coloring import split_colors
from ice_explorer.scene.display_axis import DisplayAxis
from ice_explorer.scene.lines import leaving_text, slope_ends, slope_range
from ice_explorer.widget.static_picture import picture
from ice_explorer.widget.work import Wanted, work_of

CONTRACT = Path(__file__).parents[1] / "contract" / "view" / "view.json"
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
    figure = view_of(stepped, kind="d-ice")
    assert remark in figure.axes[-1].get_xlabel().replace("\n", " ")
    (drawn,) = by_gid(figure, "curves")
    assert drawn.get_clip_box().height < figure.axes[-1].bbox.height


def test_slopes_are_drawn_over_bins_and_computed_from_every_step(explanation):
    """20 bins with equally many grid values: the rise over a bin by its width. A remark says so; metrics stay."""
    feature = explanation["dose"]
    binned = seen(explanation, feature="dose", kind="d-ice").lines
    ends = slope_ends(len(feature.grid))
    assert len(ends) == 21
    assert {int(n) for n in np.diff(ends)} == {13, 14}
    rises = np.diff(feature.compute_curves(binned.positions)[:, ends], axis=1)
    assert_allclose(binned.values[:, ::2], rises / np.diff(feature.grid[ends]), rtol=1e-9)
    assert (binned.y_title, binned.n_bins) == ("slope of the prediction per unit", 20)
    assert_array_equal(binned.values[:, ::2], binned.values[:, 1::2])
    fainter = np.minimum(binned.opacity[:, :-2:2], binned.opacity[:, 2::2])
    assert_allclose(binned.opacity[:, 1::2], fainter, rtol=1e-12)
    assert np.abs(binned.values).max() < np.abs(feature.slopes).max() / 5
    assert len(slope_ends(21)) == 21  # so few are drawn as they are


# --- the band -------------------------------------------------------------------------------------


# --- sentences and signs --------------------------------------------------------------------------


def sentence(figure):
    return " ".join(" ".join(texts(figure, "sentence")).split())


def test_the_sentence_under_the_title_is_that_of_the_screen(explanation):
    """It is there for every kind of curves, with the rank beside a ranking; without a title there is none."""
    e = explain(lambda X: X[:, 0] * 100 + (X[:, 1] > 0), np.column_stack([np.arange(2009.0, 2019.0), np.ones(10)]),
                progress=False)  # fmt: skip
    average = "On average the prediction rises from 200,901 to 201,801 along x0."
    for kind in ("ice", "c-ice", "d-ice"):
        assert sentence(view_of(e, kind=kind)) == f"{average} Rank 1 of 2."
    assert sentence(view_of(e, with_ranking=False)) == average
    assert sentence(view_of(e, title=False)) == ""
    assert sentence(view_of(e, title="Mine")) == f"{average} Rank 1 of 2."
    assert sentence(view_of(e, choices={"right": "all"})) == "2 features by in-distribution impact"
    assert sentence(view_of(e, feature="x1", rank_by="missing_impact")).endswith("x1 has one value, 1.")  # no rank


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
        named = set(texts(view_of(e).subfigs[0], "legend")) & {rising, levels}
        assert named == set(expected or ())
    assert rising in texts(view_of(explanation, rank_by="impact").subfigs[0], "legend")


def test_the_weight_of_far_values_is_named_as_on_the_screen(explanation):
    """In the legend of the bars."""
    assert "weight of far values 0.5" in texts(view_of(explanation, decay=0.5), "legend")


# --- target ---------------------------------------------------------------------------------------


def test_the_observed_target_stands_among_the_predictions(explanation, table):
    """Hollow points at what was observed, which the axis reaches over; not where missing, nor among other figures."""
    target = model(table) + 30.0
    target[5] = math.nan
    state = {"choices": {"target": True}, "besides": Besides(target)}
    view = seen(explanation, feature="age", max_lines=60, **state)
    assert view.lines.y_domain[1] > target[view.lines.positions][~np.isnan(target[view.lines.positions])].max()
    figure = view_of(explanation, feature="age", max_lines=60, **state)
    (rings,) = by_gid(figure, "target")
    assert_array_equal(rings.get_offsets()[:, 1], target[view.lines.positions])
    assert len(rings.get_facecolor()) == 0
    assert "observed target" in texts(figure, "legend")
    named = {**state, "besides": Besides(target, "cnt")}
    assert "observed cnt" in texts(view_of(explanation, feature="age", **named), "legend")
    assert seen(explanation, feature="age", kind="c-ice", **state).lines.target is None
    assert seen(explanation, feature="age", besides=Besides(target)).lines.target is None
    X = np.random.default_rng(0).normal(size=(40, 2))
    classifier = LogisticRegression().fit(X, X[:, 0] > 0)
    state["besides"] = Besides(np.ones(40))
    assert seen(explain(classifier, X, progress=False), **state).lines.target is not None
    assert seen(explain(classifier, X, response="log_odds", progress=False), **state).lines.target is None


# --- what is optional -----------------------------------------------------------------------------

OPTIONAL = {"ale": True, "fade": "unlike"}


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
    """On ICE, ALE is shifted to the mean prediction; on c-ICE it is 0 at the anchor. Slopes have none."""
    table = together.effects("first", ("ale",))
    mean = float(np.mean(together.predictions(range(N))))
    ale = seen(together, feature="first", choices=OPTIONAL).lines.ale
    assert_allclose(ale[1], table["ale"] + mean)
    lines = seen(together, feature="first", kind="c-ice", anchor="median", choices=OPTIONAL).lines
    assert_allclose(np.interp(lines.anchored_at, *lines.ale), 0, atol=1e-12)
    own = seen(together, feature="first", kind="c-ice", anchor="own", choices=OPTIONAL).lines.ale
    assert_allclose(own[1], table["ale"])
    assert seen(together, feature="first", kind="d-ice", choices=OPTIONAL).lines.ale is None
    assert seen(together, feature="first").lines.ale is None
    lines = seen(together, feature="second", kind="c-ice", choices=OPTIONAL).lines
    low, high = lines.y_domain
    assert low <= lines.ale[1].min()
    assert lines.ale[1].max() <= high


@pytest.mark.parametrize("feature", ["first", pytest.param("level", marks=pytest.mark.wide)])
def test_what_is_optional_is_drawn_and_named(together, feature):
    """ALE in the plot and in the legend, the strip under the lines, and sentences over them."""
    figure = view_of(together, feature=feature, choices=OPTIONAL, with_ranking=False)
    assert by_gid(figure, "ale")
    assert {"ALE", "share unlike the data"} <= set(texts(figure, "legend"))
    (strip,) = by_gid(figure, "unlike")
    assert len(strip.get_paths()) > 0
    assert_texts_have_their_place(figure)
    without = view_of(together, feature=feature)
    assert [by_gid(without, name) for name in ("ale", "unlike")] == [[], []]
    origin = picture_origin(picture(together, ViewState(feature=feature, choices={"fade": "distance"})))
    assert (origin["view"], origin["not_drawn"]) == ({"fade": "distance"}, [])


# --- two colours ----------------------------------------------------------------------------------


def test_lines_are_parted_at_the_median(explanation, table):
    """Two colours and their names, and a third for what is missing; a category has no median."""
    view = seen(explanation, feature="age", color_by="dose", choices={"coloring": "median"})
    doses = table["dose"].to_numpy()
    at = np.sort(doses[~np.isnan(doses)])[((~np.isnan(doses)).sum() - 1) // 2]
    assert view.lines.coloring.levels == (f"dose ≤ {at:.4g}", f"dose > {at:.4g}", "missing")
    expected = np.where(np.isnan(doses), 2, doses > at)[view.lines.positions]
    assert_array_equal(view.lines.coloring.values, expected)
    figure = view_of(explanation, feature="age", color_by="dose", max_lines=40, choices={"coloring": "median"})
    assert len({to_hex(color) for color in by_gid(figure, "curves")[0].get_colors()}) == 3
    plain = seen(explanation, feature="age", color_by="town", choices={"coloring": "median"})
    assert sorted(plain.lines.coloring.levels) == ["Oslo", "Rome", "Ur"]


def test_lines_are_parted_by_what_explains_their_spread(explanation):
    """The sides of the rule are those that the explanation finds; a column that explains nothing is not split."""
    choices = {"coloring": "driver"}
    view = seen(explanation, feature="age", color_by="sex", choices=choices)
    (best,) = [driver for driver in explanation["age"]._search_drivers().ranked if driver.column == "sex"]
    assert best.share > 0.9
    assert view.lines.coloring.levels == best.sides
    other = seen(explanation, feature="age", color_by="dose", choices=choices)
    assert other.lines.coloring.domain is not None
    hidden = {**choices, "filters": {"sex": {"hidden": ["sex is true"]}}}
    part = seen(explanation, feature="age", color_by="sex", choices=hidden)
    assert 0 < len(part.lines.positions) < N
    assert set(part.lines.coloring.values.tolist()) == {0.0}


def test_each_colour_that_is_a_level_has_its_mean(explanation):
    """The mean of the lines of a level is drawn over them, in its colour, and the key says so."""
    figure = view_of(explanation, feature="age", color_by="sex", max_lines=60)
    view = seen(explanation, feature="age", color_by="sex", max_lines=60)
    means = by_gid(figure, "group mean")
    for level, line in enumerate(means):
        assert_allclose(line.get_ydata(), view.lines.values[view.lines.coloring.values == level].mean(axis=0))
    assert sorted(texts(figure, "group name")) == sorted(view.lines.coloring.levels)
    assert by_gid(view_of(explanation, feature="age", color_by="dose", max_lines=60), "group mean") == []
    towns = view_of(explanation, feature="town", color_by="sex", max_lines=60)
    assert [len(line.get_ydata()) for line in by_gid(towns, "group mean")] == [3, 3]
    picked = by_gid(view_of(explanation, feature="age", selection=(3,)), "selected")[-1]
    of_level = by_gid(view_of(explanation, feature="age", color_by="sex", selection=(3, 4)), "selected")[-1]
    assert {to_hex(color) for color in picked.get_colors()} == {"#c2410c"}
    assert "#c2410c" not in {to_hex(color) for color in of_level.get_colors()}


# --- what stands around ---------------------------------------------------------------------------


def test_compared_features_are_the_first_small_plots_and_have_one_axis(explanation):
    """Each is there once; slopes have an axis each, levels without an order none."""
    choices = {"right": "all", "shared_y": False, "compared": ["dose", "age", "gone"]}
    view = with_surroundings(explanation, seen(explanation, feature="age", choices=choices))
    names = [small.lines.feature for small in view.features]
    order = [bar.label for bar in view.ranking.bars]
    assert names == sorted(order, key=lambda name: name not in ("age", "dose"))
    first, second, *_ = (small.lines for small in view.features)
    assert first.y_span == second.y_span
    assert first.y_span[1] >= max(first.extent[1], second.extent[1])
    slopes = view_of(explanation, feature="age", kind="d-ice", choices=choices)
    assert texts(slopes, "note")[0].split() == ["Levels", "without", "an", "order", "have", "no", "slopes."]


def test_all_features_stand_in_small_in_the_order_of_the_bars(explanation):
    """Each has its name, rank and figure; on one axis unless another one was chosen."""
    choices = {"right": "all"}
    view = with_surroundings(explanation, seen(explanation, kind="c-ice", choices={**choices, "shared_y": False}))
    order = [bar.label for bar in view.ranking.bars]
    assert [small.lines.feature for small in view.features] == order
    assert len({small.lines.y_span for small in view.features}) > 1
    figure = view_of(explanation, kind="c-ice", choices=choices)
    tiles = figure.axes[1:]
    assert [ax.get_label() for ax in tiles] == order
    assert [ax.get_title("left") for ax in tiles] == order
    assert tiles[0].get_title("right").startswith("1 · ")
    shared = with_surroundings(explanation, seen(explanation, kind="c-ice", choices=choices))
    assert len({small.lines.y_span for small in shared.features}) == 1


def test_every_class_stands_under_the_curves():
    """A picture for each class of a classifier, the one that is explained in bold; without a model there are none."""
    X = np.random.default_rng(0).normal(size=(60, 2))
    classifier = LogisticRegression().fit(X, np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.4, 0.4])])
    work = work_of(classifier, X, None, {"output": "b"}, Wanted())
    results = {name: work.compute(name) for name in work.names}
    explanation = work.explanation(results)
    state = {"choices": {"classes": True}, "besides": Besides(classes=work.opened.classes)}
    view = with_surroundings(explanation, seen(explanation, feature="x0", **state))
    assert [small.title for small in view.classes] == ["a", "b", "c"]
    assert_allclose(view.classes[1].lines.values, explanation["x0"].curves)
    figure = view_of(explanation, feature="x0", **state)
    assert texts(figure, "classes") == ["x0 for every class"]
    classes = [ax for ax in figure.axes if ax.get_label() in ("a", "b", "c")]
    bold = [
        ax.get_label() for ax in classes if ax.title.get_fontweight() == "bold" or ax._left_title.get_weight() == "bold"
    ]
    assert bold == ["b"]
    assert texts(view_of(explanation, feature="x0", choices={"classes": True}), "classes") == []


@pytest.mark.parametrize("width", [89.0, pytest.param(183.0, marks=pytest.mark.wide)])
@pytest.mark.parametrize("right", ["feature", "all"])
@pytest.mark.parametrize("kind", ["ice", "d-ice"])
def test_no_text_touches_another(explanation, width, right, kind):
    """Whatever stands on a page leaves room for the words of the others."""
    choices = {
        "compared": ["dose", "town", "sex"], "target": True, "right": right,
        "coloring": "driver",
    }  # fmt: skip
    besides = {"besides": Besides(np.zeros(N)), "width": width, "selection": (4,)}
    assert_texts_have_their_place(view_of(explanation, kind=kind, color_by="sex", choices=choices, **besides))


@pytest.mark.wide
def test_the_picture_of_a_notebook_follows_within_its_bounds(explanation, table, tmp_path):
    """At most 60 kB; where a model is slow it says what it leaves out."""
    choices = {"right": "all"}
    slow = explanation.method == "brute"
    origin = picture_origin(picture(explanation, ViewState(feature="age", choices={"fade": "distance", **choices})))
    assert origin["not_drawn"] == (["right"] if slow else [])
    wide = explain(lambda rows: rows @ np.ones(40), np.random.default_rng(0).normal(size=(300, 40)), progress=False)
    for state in ({}, {"color_by": "x1"}, {"choices": choices}):
        assert len(base64.b64decode(picture(wide, ViewState(**state)))) < 60_000
    assert len(base64.b64decode(picture(explanation, ViewState(feature="age", color_by="town")))) < 60_000
    file = save(explanation, ViewState(feature="age", choices=choices), tmp_path / "panel.svg", "panel")
    assert read_provenance(file)["not_drawn"] == ["right"]


@pytest.mark.parametrize("kind", ["ice", "c-ice", "d-ice"])
def test_several_selected_rows_have_a_mean(explanation, kind):
    """A line, or a dot for each level, which the key names; one row alone has none."""
    figure = view_of(explanation, feature="age", kind=kind, selection=(3, 4, 5))
    (mean,) = by_gid(figure, "selected mean")
    lines = seen(explanation, feature="age", kind=kind, selection=(3, 4, 5)).lines
    assert_allclose(mean.get_ydata(), lines.values[lines.selected].mean(axis=0))
    assert "mean of the selected" in texts(figure, "legend")
    alone = view_of(explanation, feature="age", kind=kind, selection=(3,))
    assert by_gid(alone, "selected mean") == []
    assert "mean of the selected" not in texts(alone, "legend")
    levels = view_of(explanation, feature="town", selection=(3, 4, 5))
    assert len(by_gid(levels, "selected mean")[0].get_ydata()) == 3


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


DATES = (11_000.0 + 400 * np.arange(4)).tolist()


@pytest.mark.parametrize(
    ("kind", "grid", "levels", "mean", "text"),
    [
        ("numeric", [1, 2, 3], None, [2650, 4000, 5240], "rises from 2,650 to 5,240 along x."),
        (
            *("numeric", [2009, 2010, 2011, 2012], None, [2650, 5900, 5240, 5000]),
            "rises from 2,650 to 5,000 along x, with a maximum of 5,900 at 2010.",
        ),
        (
            *("numeric", [0.125, 0.25, 12_000, 14_000], None, [5000, 4000, 6000, 5000]),
            "begins and ends at 5,000 along x, with a minimum of 4,000 at 0.25 and a maximum of 6,000 at 12,000.",
        ),
        ("numeric", [0, 1, 2], None, [999_999.5, 1e6, 1_000_000.5], "rises from 999,999.50 to 1,000,000.50 along x."),
        ("numeric", [1, 2, 3], None, [3, 3, 3], "is 3 whatever the value of x."),
        ("numeric", [1], None, [3], "is 3; x has one value, 1."),
        ("boolean", [0, 1], None, [3000, 4000], "is 3,000 for x = false and 4,000 for true."),
        (
            *("category", [0, 1, 2], ["dry", "damp", "wet"], [300, 500, 200]),
            "is lowest for x = wet, 200, and highest for damp, 500.",
        ),
        ("category", [0, 1], ["dry", "wet"], [0.25, 0.5], "is 0.250 for x = dry and 0.500 for wet."),
        (
            *("ordered", [0, 1, 2], ["lo", "mid", "hi"], [1, 4, 2]),
            "rises from 1.00 to 2.00 along x, with a maximum of 4.00 at mid.",
        ),
        (
            "datetime",
            DATES,
            None,
            [1, 5, 4, 3],
            "rises from 1.00 to 3.00 along x, with a maximum of 5.00 at 2001-03-19.",
        ),
        (
            "timedelta",
            [0.5, 1.5, 3],
            None,
            [-1, -5, -2],
            "falls from −1.00 to −2.00 along x, with a minimum of −5.00 at 1.5 d.",
        ),
    ],
)
def test_how_the_mean_goes_is_a_sentence(kind, grid, levels, mean, text):
    axis = DisplayAxis(kind, np.array(grid, dtype=float), np.empty(0), 0.0, levels)
    middle = (min(mean) + max(mean)) / 2
    sentence = average_sentence("x", axis, np.array(mean, dtype=float), "prediction of y", middle)
    assert sentence == f"On average the prediction of y {text}"


def contract():
    return {
        "slopes": slope_cases(),
        "bins": [{"n_grid": n, "ends": slope_ends(n).tolist()} for n in (0, 1, 2, 21, 22, 41, 100, 595)],
        "splits": split_cases(),
    }


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
    assert sentences["c"].endswith(
        " whatever the value of c. If c is missing, the prediction changes by 1 on average, up or down."
    )
    assert "missing" not in sentences["x"]
