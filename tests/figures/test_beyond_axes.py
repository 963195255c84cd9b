"""Effects, interactions and comparisons with Matplotlib: what is drawn are the numbers of their tables."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from numpy.testing import assert_allclose, assert_array_equal

import ice_explorer as ice
from ice_explorer.errors import OptionError
from ice_explorer.figures.effects import BY_SIMILARITY

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
    """Partial dependence and M-plot as in the table, ALE higher by the mean prediction."""
    table = e.effects(feature)
    ax = e.plot(feature, kind="effects")
    for name in ("partial_dependence", "ale", "m_plot"):
        shift = e.predictions(np.arange(len(X))).mean() if name == "ale" else 0
        (line,) = by_gid(ax.lines, name)
        assert_allclose(line.get_ydata(), table[name] + shift, rtol=1e-12)
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


def test_effects_of_levels_are_dots(e):
    """Side by side on each level, with its name below."""
    table = e.effects("season")
    ax = e.plot("season", kind="effects")
    assert [label.get_text() for label in ax.get_xticklabels()] == list(table.index)
    assert_allclose(ax.lines[0].get_ydata(), table["partial_dependence"], rtol=1e-12)
    assert (np.diff([line.get_xdata() for line in ax.lines], axis=0) > 0).all()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["partial dependence", "ALE", "M-plot"]
    assert BY_SIMILARITY in " ".join(ax.get_xlabel().split())


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


def test_options_that_cannot_be_are_named(e):
    """With what came."""
    with pytest.raises(OptionError, match=r"`legend` must be True or False; got 'no'\."):
        e.plot("first", kind="effects", legend="no")
