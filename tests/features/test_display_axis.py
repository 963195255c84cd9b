"""Where the values of a feature stand in a picture, and how they are written."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

import ice_explorer as ice
from ice_explorer.features.axis_text import cell_text, writer
from ice_explorer.scene.display_axis import DisplayAxis, display_axis, histogram


def axis_of(observed, grid=(0.0,), kind="numeric", levels=None):
    return DisplayAxis(kind, np.array(grid), np.array(observed, dtype=float), 0.0, levels)


def explained(values, **options):
    X = pd.DataFrame({"a": values, "b": np.arange(float(len(values)))})
    return ice.explain(lambda X: X["b"].to_numpy(), X, progress=False, **options)["a"]


def axis_of_feature(feature):
    return display_axis(feature._item.feature, feature.axis, feature._item.median)


# --- places ---------------------------------------------------------------------------------------


def test_levels_stand_side_by_side():
    """However few of the codes are on the grid, their places are 0, 1, 2 …; others have none."""
    feature = explained(list("abcabca"), grid={"a": ["c", "a"]})
    axis = axis_of_feature(feature)
    assert axis.levels == ["a", "c"]
    assert_array_equal(axis.grid, [0, 1])
    assert_array_equal(axis.observed, [0, -1, 1, 0, -1, 1, 0])
    assert axis.median == 0
    assert_array_equal(axis.own(np.arange(3)), [0, 0, 1])


def test_ranks_stand_where_they_are():
    """Between ordered levels there is a distance, also where some are left out."""
    values = pd.Categorical(list("acbca"), list("abc"), ordered=True)
    axis = axis_of_feature(explained(values, grid={"a": ["a", "c"]}))
    assert (axis.levels, axis.grid.tolist(), axis.is_unordered) == (["a", "c"], [0, 2], False)
    assert_array_equal(axis.observed, [0, 2, 1, 2, 0])


def test_a_missing_value_has_no_place():
    """The most frequent level stands in for it."""
    axis = axis_of_feature(explained(["x", None, "y", "y"]))
    assert_array_equal(axis.observed, [0, np.nan, 1, 1])
    assert_array_equal(axis.own(np.arange(4)), [0, 1, 1, 1])


def test_distances_are_the_exponents_of_the_decay():
    """Another level is one change away; on an axis distances are in its scale."""
    rows = np.arange(4)
    assert_allclose(explained(["x", "y", "y", "x"])._item.measure_distances(rows), [[0, 1], [1, 0], [1, 0], [0, 1]])
    feature = explained([0.0, 1.0, 3.0, 4.0])
    expected = np.abs(feature.axis - feature._item.feature.values[:, None]) / feature.scale
    assert_allclose(feature._item.measure_distances(rows), expected, atol=1e-12)


def test_distances_follow_a_conditional_scale():
    """Levels that the other columns make unlikely are farther away than others."""
    town = np.repeat(["x", "y"], 40)
    X = pd.DataFrame({"town": town, "b": (town == "x") + 0.0})
    feature = ice.explain(lambda X: X["b"].to_numpy(), X, distance="conditional", progress=False)["town"]
    far = feature._item.measure_distances(np.arange(80))
    assert_allclose(feature.likelihood(0.3, rows=np.arange(80)), 0.3**far, rtol=1e-9)
    assert (far[:40, 1] > 0.9).all()


# --- histogram ------------------------------------------------------------------------------------


@given(
    arrays(
        np.float64,
        st.integers(1, 200),
        elements=st.floats(-1e6, 1e6, width=32) | st.sampled_from([0.0, 1.0, math.nan]),
    )
)
def test_a_histogram_counts_every_value_once(values):
    """Bins increase, and every value that is there is in one of them."""
    present = values[~np.isnan(values)]
    if len(present) == 0:
        return  # such a column is no feature
    edges, counts = histogram(axis_of(values))
    assert counts.sum() == len(present)
    assert len(edges) == len(counts) + 1 <= 31
    assert (np.diff(edges) > 0).all()


def test_few_values_have_a_bin_each():
    """Half way between neighbours one bin ends and the next begins."""
    edges, counts = histogram(axis_of([0.0, 1.0, 1.0, 5.0, math.nan]))
    assert_allclose(edges, [-0.5, 0.5, 3.0, 7.0])
    assert_allclose(counts, [1, 2, 1])


def test_a_constant_has_one_bin_around_it():
    """One value makes one bin of some width, at 0 too."""
    for value in (0.0, -7.0, 1e9):
        edges, counts = histogram(axis_of([value] * 4))
        assert_allclose(counts, [4])
        assert edges[0] < value < edges[1]


def test_every_level_has_a_bin():
    """Levels that nothing has are counted, those without curves are not, however many there are."""
    edges, counts = histogram(axis_of([0, 2, -1, np.nan, 2], (0, 1, 2), "category", ["a", "b", "c"]))
    assert_allclose(edges, [-0.5, 0.5, 1.5, 2.5])
    assert_allclose(counts, [1, 0, 2])
    many = np.arange(40.0)
    assert_allclose(histogram(axis_of(many, many, "category", [str(level) for level in many]))[1], 1)


def test_ranks_that_are_not_neighbours_have_bins_of_the_same_width():
    """Between them there is an empty one, whatever else was observed there."""
    edges, counts = histogram(axis_of([0, 3, 3, 1], (0, 1, 3), "ordered", ["lo", "mid", "top"]))
    assert_allclose(edges, [-0.5, 0.5, 1.5, 2.5, 3.5])
    assert_allclose(counts, [1, 1, 0, 2])
    edges, counts = histogram(axis_of([0, 4, 2], (0, 4), "ordered", ["lo", "top"]))
    assert_allclose(edges, [-0.5, 0.5, 3.5, 4.5])
    assert_allclose(counts, [1, 0, 1])


# --- words ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("numeric", 1.5, "1.5"),
        ("boolean", 0.0, "false"),
        ("boolean", 1.0, "true"),
        ("datetime", 20000.25, "2024-10-04 06:00"),
        ("timedelta", 0.0625, "90 min"),
        ("numeric", math.nan, "missing"),
        ("timedelta", math.nan, "missing"),
    ],
)
def test_values_are_written_as_their_kind_is_read(kind, value, text):
    """Numbers, truth, dates and durations each in their own way."""
    assert writer(kind, [0.01, 0.0625], None, cell_text)(value) == text


def test_levels_have_their_names():
    """Level 0 is one, and a level without curves has no name."""
    write = writer("category", [0.0, 1.0], ["a", "b"], cell_text)
    assert [write(value) for value in (0.0, 1.0, -1.0, math.nan)] == ["a", "b", "another level", "missing"]
