"""Effects, interactions and comparisons with Matplotlib: what is drawn are the numbers of their tables."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from numpy.testing import assert_allclose, assert_array_equal

import ice_explorer as ice
from ice_explorer.errors import OptionError
from ice_explorer.figures.effects import ALE_OF_LEVELS

SEASONS = ["winter", "spring", "summer"]


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module", name="X")
def observations():
    generator = np.random.default_rng(0)
    n = 60
    first = generator.normal(size=n)
    return pd.DataFrame(
        {
            "first": first,
            "second": first + generator.normal(size=n),
            "season": generator.choice(SEASONS, n),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(generator.integers(0, 900, n), "D"),
            "delay": pd.to_timedelta(generator.integers(0, 90, n), "h"),
        }
    )


@pytest.fixture(scope="module", name="e")
def explained(X):
    return ice.explain(
        lambda X: 5 + X["first"] * X["second"] + (X["season"] == "summer") * X["second"], X, progress=False
    )


def by_gid(artists, gid):
    return [artist for artist in artists if artist.get_gid() == gid]


@pytest.mark.parametrize("feature", ["first", "day", "delay"])
def test_effects_are_lines_of_their_tables(e, X, feature):
    """Partial dependence and M-plot as in the table, ALE higher by the mean prediction, and bands of the intervals."""
    table = e.effects(feature, ci=0.9)
    ax = e.plot(feature, kind="effects", ci=0.9)
    for name in ("partial_dependence", "ale", "m_plot"):
        shift = e.predictions(np.arange(len(X))).mean() if name == "ale" else 0
        (line,) = by_gid(ax.lines, name)
        assert_allclose(line.get_ydata(), table[name] + shift, rtol=1e-12)
        (band,) = by_gid(ax.collections, f"{name} interval")
        corners = band.get_paths()[0].vertices[:, 1]
        assert_allclose(
            [corners.min(), corners.max()],
            [table[f"{name}_low"].min() + shift, table[f"{name}_high"].max() + shift],
            rtol=1e-12,
        )
    if feature == "delay":
        assert_allclose(line.get_xdata(), table.index.total_seconds() / 86400, rtol=1e-12)
        assert ax.get_xlabel() == "delay [days]"
    else:
        assert_array_equal(line.get_xdata(), table.index.to_numpy())


def test_ale_alone_is_a_change(e):
    """Without other effects its mean is 0, and the axis says so."""
    ax = e.plot("first", kind="effects", effects="ale", title="Local", legend=False)
    (line,) = ax.lines
    assert_allclose(line.get_ydata(), e.effects("first", "ale")["ale"], rtol=1e-12)
    assert (ax.get_ylabel(), ax.get_title(), ax.get_legend()) == ("change of the prediction", "Local", None)


def test_effects_of_levels_are_dots_with_intervals(e):
    """Side by side on each level, with its name below."""
    table = e.effects("season", ci=0.9)
    ax = e.plot("season", kind="effects", ci=0.9)
    assert [label.get_text() for label in ax.get_xticklabels()] == list(table.index)
    lines = [container.lines for container in ax.containers]
    assert_allclose(lines[0][0].get_ydata(), table["partial_dependence"], rtol=1e-12)
    ends = np.array([segment[:, 1] for segment in lines[0][2][0].get_segments()])
    assert_allclose(ends, table[["partial_dependence_low", "partial_dependence_high"]], rtol=1e-12)
    assert (np.diff([line[0].get_xdata() for line in lines], axis=0) > 0).all()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["partial dependence", ALE_OF_LEVELS, "M-plot"]


@pytest.mark.parametrize("feature", ["first", "season"])
def test_the_legend_is_above_the_effects(e, feature):
    """No line or dot is below it."""
    ax = e.plot(feature, kind="effects")
    ax.figure.canvas.draw()
    legend = ax.get_legend().get_window_extent()
    highest = max(ax.transData.transform([(0, np.max(line.get_ydata()))])[0, 1] for line in ax.lines)
    assert highest < legend.y0


def test_dates_have_short_ticks(e):
    """Tick labels do not overlap."""
    ax = e.plot("day", kind="effects")
    ax.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.get_xticklabels() if label.get_text()]
    assert len(boxes) > 3
    assert all(one.x1 < other.x0 for one, other in itertools.pairwise(boxes))


def test_colours_are_readable_on_dark_ground(e):
    """ALE and M-plot have the colours of the explorer, the lighter ones on black."""
    light = e.plot("first", kind="effects")
    with plt.style.context("dark_background"):
        dark = e.plot("first", kind="effects")
    for name in ("ale", "m_plot"):
        (on_light,), (on_dark,) = (by_gid(ax.lines, name) for ax in (light, dark))
        brightness = [sum(int(line.get_color()[at : at + 2], 16) for at in (1, 3, 5)) for line in (on_light, on_dark)]
        assert brightness[0] < 300
        assert brightness[1] > 400


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda e: e.plot("first", kind="effects", legend="no"), "`legend` must be True or False; got 'no'."),
    ],
)
def test_options_that_cannot_be_are_named(e, draw, words):
    """With what came."""
    with pytest.raises(OptionError) as error:
        draw(e)
    assert words in str(error.value)
