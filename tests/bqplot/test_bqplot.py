"""Figures of bqplot: what they show is what the explanation says, and both sides follow each other."""

from __future__ import annotations

import gc
import json
import logging
import subprocess
import sys
import threading
import weakref

import bqplot
import numpy as np
import pandas as pd
import pytest
from kernel_end import Model, observations, wait_until
from matplotlib.colors import to_hex
from numpy.testing import assert_allclose, assert_array_equal

import ice_explorer as ice
from ice_explorer import errors
from ice_explorer.figures.style import ON_WHITE, palette_of
from ice_explorer.scene.coloring import coloring_of
from ice_explorer.scene.lines import slope_ends

LONG = "a very long name of a feature that nobody wants to type"


@pytest.fixture(scope="module", name="X")
def rows():
    generator = np.random.default_rng(0)
    n = 260
    return pd.DataFrame(
        {
            "slope": generator.normal(size=n),
            "bend": np.round(generator.normal(size=n), 1),
            LONG: generator.normal(size=n),
            "town": generator.choice(["Ur", "Uruk", "Eridu"], n),
            "built": pd.Timestamp("2000-01-01") + pd.to_timedelta(generator.integers(0, 9000, n), unit="D"),
        }
    )


def model(X):
    towns = X["town"].map({"Ur": 0.0, "Uruk": 2.0, "Eridu": 4.0}).to_numpy(dtype=float)
    days = (X["built"] - pd.Timestamp("2000-01-01")).dt.days.to_numpy()
    long = X.iloc[:, 2].to_numpy()
    slope = X["slope"].to_numpy()
    return slope * 3 + X["bend"].to_numpy() ** 3 + towns * slope + days / 4000 + 0.1 * long


@pytest.fixture(scope="module", name="e")
def explained(X):
    return ice.explain(model, X, progress=False)


@pytest.fixture(name="x")
def explorer(make, e):
    return make(e)


def click(mark, **data):
    """Deliver what the browser sends when something of a mark is clicked."""
    mark.comm.receive({"method": "custom", "content": {"event": "element_click", "data": data}})


def label(figure):
    """The label under a plot, which says what is drawn."""
    return figure.axes[0].label


def drawn(figure):
    """Wait until a figure of curves is whole: its label is written last."""
    wait_until(lambda: label(figure) not in {"", "computing …"})


def bars_of(figure):
    return figure.marks[0]


# --- the ranking ----------------------------------------------------------------------------------


def test_bars_are_the_table_of_the_explorer(x):
    """In its order, with its figures; long names are cut on the axis."""
    figure = ice.bqplot.impact(x)
    assert isinstance(figure, bqplot.Figure)
    assert bars_of(figure).x.tolist() == x.table.index.tolist()
    assert_array_equal(bars_of(figure).y, x.table[x.rank_by])
    assert figure.axes[1].scale.domain == bars_of(figure).x.tolist()[::-1]
    assert label(figure) == "in-distribution impact: change of the prediction per SD of the feature"
    start, _, end = figure.axes[1].tick_labels[LONG].partition("…")
    assert LONG.startswith(start)
    assert LONG.endswith(end)
    x.rank_by = "heterogeneity"
    assert label(figure).startswith("heterogeneity: ")
    few = ice.bqplot.impact(x, max_features=2)
    assert bars_of(few).x.tolist() == list(x.table.index[:2])
    x.feature = x.table.index[-1]
    assert bars_of(few).selected is None


@pytest.mark.parametrize(("trait", "value"), [("decay", 0.01), ("rank_by", "heterogeneity")])
def test_bars_follow_what_the_ranking_depends_on(x, trait, value):
    """Another decay, another figure."""
    figure = ice.bqplot.impact(x)
    before = bars_of(figure).y
    setattr(x, trait, value)
    shown = [name for name in x.table.index if not np.isnan(x.table.loc[name, x.rank_by])]
    assert bars_of(figure).x.tolist() == shown
    assert_array_equal(bars_of(figure).y, x.table.loc[shown, x.rank_by])
    assert before.shape != bars_of(figure).y.shape or (before != bars_of(figure).y).any()


def test_the_open_feature_is_the_selected_bar(x):
    """Its place changes with the ranking."""
    figure = ice.bqplot.impact(x)
    x.feature = "bend"
    assert bars_of(figure).selected.tolist() == [list(x.table.index).index("bend")]
    x.decay = 0.01
    assert bars_of(figure).selected.tolist() == [list(x.table.index).index("bend")]


def test_a_click_opens_the_feature_that_was_clicked(x):
    """By its name: the browser may be behind the ranking. What is no feature opens nothing."""
    figure = ice.bqplot.impact(x)
    click(bars_of(figure), x="town", y=1.0, index=0)
    assert x.feature == "town"
    click(bars_of(figure), x="nothing", index=1)
    bars_of(figure).comm.receive({"method": "custom", "content": {"event": "element_click"}})
    assert x.feature == "town"


def test_figures_of_an_explorer_that_still_computes_are_there_at_once(make):
    """And whole in the end."""
    held = Model(is_held=True)
    x = make(held, observations())
    figure, curves = ice.bqplot.impact(x), ice.bqplot.curves(x)
    assert bars_of(figure).x.tolist() == []
    assert label(curves) == "computing …"
    held.gate.set()
    assert len(x.table) == 3
    wait_until(lambda: bars_of(figure).x.tolist() == x.table.index.tolist())
    wait_until(lambda: label(curves).startswith(x.feature))


# --- the open feature -----------------------------------------------------------------------------


def lines_of(figure):
    """Curves, selected ones and mean, of the figure of curves."""
    curves, picked, mean = figure.marks
    return curves, picked, mean


def test_a_figure_is_whole_when_a_script_gets_it(x):
    """A script has no loop that would show the rest later."""
    assert label(ice.bqplot.curves(x)) == f"{x.feature}, 200 of 260 rows"


@pytest.mark.parametrize("kind", ["ice", "c-ice", "d-ice"])
def test_lines_are_the_curves_of_the_rows_that_they_name(x, e, kind):
    """At most 200 of them, with the mean of all; slopes are steps over bins, as many as the explorer draws."""
    x.feature, x.kind = "bend", kind
    figure = ice.bqplot.curves(x)
    curves, _, mean = lines_of(figure)
    drawn(figure)
    rows = [int(name.removeprefix("row ")) for name in curves.labels]
    assert len(rows) == 200
    f = e["bend"]
    if kind == "d-ice":
        ends = slope_ends(len(f.axis))
        slopes = np.diff(f.partial_dependence[ends]) / np.diff(f.axis[ends])
        assert_allclose(mean.y, np.repeat(slopes, 2))
        return
    assert_allclose(curves.x, f.axis)
    all_curves = f.curves if kind == "ice" else f.centered_curves("min")
    assert_allclose(curves.y, all_curves[rows], rtol=1e-12)
    assert_allclose(mean.y, f.partial_dependence - (0.0 if kind == "ice" else f.partial_dependence[0]), rtol=1e-12)


def test_the_figure_goes_to_the_open_feature(x):
    """Whichever side opened it."""
    bars, figure = ice.bqplot.impact(x), ice.bqplot.curves(x)
    wait_until(lambda: label(figure) == f"{x.feature}, 200 of 260 rows")
    click(bars_of(bars), x="bend")
    wait_until(lambda: label(figure) == "bend, 200 of 260 rows")
    x.max_lines = 10
    wait_until(lambda: label(figure) == "bend, 10 of 260 rows")


def test_colours_are_those_of_the_explorer(x, e):
    """An axis says what they are."""
    x.feature = "slope"
    figure = ice.bqplot.curves(x)
    curves, _, _ = lines_of(figure)
    drawn(figure)
    assert set(curves.colors) == {"var(--ice-mark, #3f6d9b)"}
    assert len(figure.axes) == 2
    rows = np.array([int(name.removeprefix("row ")) for name in curves.labels])
    for column in ("bend", "town"):
        x.color_by = column
        wait_until(lambda column=column: len(figure.axes) == 3 and figure.axes[2].label == column)
        coloring = coloring_of(e, column, rows)
        expected = [to_hex(color) for color in palette_of(coloring, ON_WHITE).at(coloring.values)]
        wait_until(lambda wanted=expected: curves.colors == wanted)
    assert figure.axes[2].scale.domain == list(coloring.levels[::-1])
    assert figure.axes[2].scale.colors[-1] == "#0072b2"
    x.color_by = None
    wait_until(lambda: len(figure.axes) == 2)


def test_selected_rows_are_selected_lines(x, e):
    """Drawn besides, over the others; a click on a line selects its row, and another one no longer."""
    x.feature, x.max_lines = "slope", 20
    figure = ice.bqplot.curves(x)
    curves, picked, _ = lines_of(figure)
    x.selection = [5, 7]
    wait_until(lambda: picked.labels == ["row 5", "row 7"] and picked.y.shape == (2, len(e["slope"].axis)))
    assert_allclose(picked.y, e["slope"].curves[[5, 7]], rtol=1e-12)
    other = next(name for name in curves.labels if name not in picked.labels)
    click(curves, name=other, index=0)
    assert x.selection == sorted([5, 7, int(other.removeprefix("row "))])
    click(picked, name="row 5")
    assert 5 not in x.selection
    before = x.selection
    click(curves, name="no row")
    assert x.selection == before


def test_rows_of_one_label_are_told_apart(make):
    """An index may name many rows alike; a click is on one of them."""
    X = pd.DataFrame({"a": [0.0, 1.0, 2.0], "b": [2.0, 1.0, 0.0]}, index=["spring", "autumn", "spring"])
    x = make(ice.explain(lambda rows: rows["a"].to_numpy() * rows["b"].to_numpy(), X, progress=False))
    figure = ice.bqplot.curves(x)
    drawn(figure)
    assert figure.marks[0].labels == ["spring (row 0)", "autumn (row 1)", "spring (row 2)"]
    click(figure.marks[0], name="spring (row 2)")
    assert x.selection == [2]


def test_levels_are_dots(x, e):
    """Nothing is between levels that have no order; names of levels and dates are on the axis."""
    x.feature = "town"
    figure = ice.bqplot.curves(x)
    curves, _, mean = lines_of(figure)
    drawn(figure)
    assert (curves.marker, curves.stroke_width) == ("circle", 0.0)
    assert list(figure.axes[0].tick_labels.values()) == e["town"].grid.tolist()
    assert_allclose(mean.y, e["town"].partial_dependence)
    x.feature = "built"
    wait_until(lambda: label(figure).startswith("built"))
    assert "2010" in figure.axes[0].tick_labels.values()
    assert (curves.marker, curves.stroke_width) == (None, 1.0)


def test_lines_of_rows_without_a_value_have_a_colour_of_their_own(make, X):
    """They are drawn like the others."""
    X = X.assign(age=np.where(np.arange(len(X)) % 10, X["bend"], np.nan))
    x = make(ice.explain(lambda X: X["slope"].to_numpy() * X["bend"].to_numpy(), X, progress=False))
    x.feature, x.color_by = "slope", "age"
    figure = ice.bqplot.curves(x)
    drawn(figure)
    curves, _, _ = lines_of(figure)
    missing = [name for name, color in zip(curves.labels, curves.colors, strict=True) if color == "#b2b2b2"]
    assert missing == [name for name in curves.labels if int(name.removeprefix("row ")) % 10 == 0]


@pytest.mark.parametrize("kind", ["ice", "d-ice"])
@pytest.mark.parametrize("values", [[1.0] * 4, ["one"] * 4], ids=["number", "level"])
def test_a_feature_of_a_single_value_is_drawn(make, kind, values):
    """There is one point, or no slope at all, and neither is taken for something else."""
    x = make(lambda X: X["b"].to_numpy(dtype=float), pd.DataFrame({"a": values, "b": [0.0, 1.0, 2.0, 5.0]}))
    assert x.explanation
    x.feature, x.kind = "a", kind
    figure = ice.bqplot.curves(x)
    drawn(figure)
    curves, _, line = lines_of(figure)
    is_empty = kind == "d-ice" and values[0] == 1.0
    assert curves.y.shape == ((0,) if is_empty else (4, 2))
    assert line.y.shape == ((0,) if is_empty else (2,))


def test_a_model_that_fails_is_told_in_the_figure(make, X):
    """In the sentence of the error, in the place of the heading. So small a limit keeps no curves."""
    fails = threading.Event()

    def failing(X):
        if fails.is_set():
            raise RuntimeError("no more")
        return model(X)

    x = make(failing, X, memory_limit="500kB")
    x.explanation  # noqa: B018 - waits
    fails.set()
    curves = ice.bqplot.curves(x)
    wait_until(lambda: "RuntimeError: no more" in label(curves))
    fails.clear()
    x.feature = "town"
    wait_until(lambda: label(curves) == "town, 200 of 260 rows")


# --- links ----------------------------------------------------------------------------------------


def figures_of(x):
    return [ice.bqplot.impact(x), ice.bqplot.curves(x)]


def test_a_closed_figure_follows_no_more(x):
    """Its bars stay as they are."""
    figures = figures_of(x)
    bars, heights = bars_of(figures[0]), bars_of(figures[0]).y
    for figure in figures:
        figure.close()
    x.decay, x.feature = 0.01, "town"
    assert bars.y is heights


def test_the_figures_of_a_closed_explorer_stay_as_they_are(make, e, caplog):
    """There is nothing to follow any more."""
    x = make(e)
    x.feature = "slope"
    figures = figures_of(x)
    drawn(figures[1])
    bars, before = bars_of(figures[0]), bars_of(figures[0]).y
    x.close()
    x.decay = 0.01
    assert bars.y is before
    click(bars, x="town")
    assert x.feature == "slope"
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_neither_side_keeps_the_other(x, make, e):
    """A closed figure is gone although the explorer lives, and so is a closed explorer although the figure does."""
    figure = ice.bqplot.impact(x)
    figure.close()
    kept = weakref.ref(figure)
    del figure
    other = make(e)
    gone = weakref.ref(other._open_work())
    standing = ice.bqplot.impact(other)
    other.close()
    gc.collect()
    assert kept() is None
    assert gone() is None
    assert len(bars_of(standing).x) == 5


def test_figures_follow_what_any_thread_sets(make, e):
    """One at a time, so that what is drawn last is what the explorer shows."""
    x = make(model, e._table_rows(np.arange(e._n_observations)))
    figure = ice.bqplot.impact(x)
    assert x.explanation
    threads = [threading.Thread(target=setattr, args=(x, "decay", decay)) for decay in (0.02, 0.1, 0.5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    x.decay = 0.3
    assert_array_equal(bars_of(figure).y, x.table[x.rank_by])


# --- errors ----------------------------------------------------------------------------------------


def test_only_an_open_explorer_is_followed(make, e):
    """The error says how to make one."""
    with pytest.raises(errors.DataError, match=r"needs an ICEExplorer; got Explanation\. .*ICEExplorer\(explanation\)"):
        ice.bqplot.impact(e)
    with pytest.raises(errors.DataError, match=r"needs an ICEExplorer; got function\. .*ICEExplorer\(model, X\)"):
        ice.bqplot.curves(model)
    x = make(e)
    x.close()
    with pytest.raises(errors.Cancelled, match=r"^An explorer must be open to be read"):
        ice.bqplot.curves(x)


def test_the_extra_that_is_missing_is_named(monkeypatch, x):
    """With the command that installs it."""
    monkeypatch.setattr(ice.bqplot, "find_spec", lambda _name: None)
    for function in ("impact", "curves"):
        with pytest.raises(errors.OptionError) as caught:
            getattr(ice.bqplot, function)(x)
        assert str(caught.value) == (
            f"`ice.bqplot.{function}` needs bqplot, which is not installed. Run `pip install 'ice-explorer[bqplot]'`."
        )


def test_arguments_are_checked_at_the_call(x):
    """Before anything is drawn."""
    calls = {
        "`max_features` must be an integer of at least 1; got 0.": lambda: ice.bqplot.impact(x, max_features=0),
        "`max_lines` must be an integer of at least 1; got 'all'.": lambda: ice.bqplot.curves(x, max_lines="all"),
    }
    for words, call in calls.items():
        with pytest.raises(errors.ICEExplorerError) as caught:
            call()
        assert words in str(caught.value)


@pytest.mark.wide
def test_the_folder_of_the_same_name_hides_nothing():
    """`ice.bqplot` is imported on first use, without bqplot itself, which comes with the first figure."""
    code = """
import json, sys
import ice_explorer as ice
before = "ice_explorer.bqplot" in sys.modules
functions = [getattr(ice.bqplot, name).__name__ for name in ice.bqplot.__all__]
light = "bqplot" in sys.modules
import bqplot
print(json.dumps([before, functions, light, bqplot is ice.bqplot, hasattr(bqplot, "Figure"), "bqplot" in dir(ice)]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    functions = ["curves", "impact"]
    assert json.loads(done.stdout) == [False, functions, False, False, True, True]
