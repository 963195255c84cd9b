"""The metrics of unordered categories against plain loops, and what must hold of them."""

import math

import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from strategies import DECAYS, OTHER_DECAYS

from ice_explorer.metrics import unordered
from ice_explorer.metrics.conditional import Predictors, estimate_levels, level_distances
from ice_explorer.metrics.unordered import UnorderedSums, category_scale

VALUES = st.integers(-8, 8).map(lambda v: v / 4)


def of_numbers(values):
    """Predictors all of which are numbers."""
    return Predictors(values, np.zeros(values.shape[1], bool))


@st.composite
def cases(draw, max_rows=7):
    """Curves, own levels, weights and probabilities of some rows; a level may be off the grid, or rare."""
    n_levels = draw(st.integers(1, 5))
    grid = sorted(draw(st.sets(st.integers(0, n_levels - 1), min_size=1)))
    n_rows = draw(st.integers(1, max_rows))
    own = draw(st.lists(st.integers(0, n_levels - 1), min_size=n_rows, max_size=n_rows))
    weights = draw(st.lists(st.sampled_from([0.25, 1.0, 1.5, 3.0]), min_size=n_rows, max_size=n_rows))
    if n_rows > 1 and sum(weights) <= 1:
        weights[0] += 2.0
    row = st.lists(VALUES, min_size=len(grid), max_size=len(grid))
    curves = draw(st.lists(row, min_size=n_rows, max_size=n_rows))
    probability = st.lists(st.integers(0, 16).map(lambda v: v / 16), min_size=len(grid), max_size=len(grid))
    probabilities = draw(st.none() | st.lists(probability, min_size=n_rows, max_size=n_rows))
    return grid, own, weights, curves, probabilities


def summed(case, *, decay=0.75, parts=1, parallel=None, is_merged=False):
    """Sum the rows in some parts, of which each may be made and sent on by itself."""
    grid, own, weights, curves, _ = case
    shares = oracles.category_shares(own, weights)
    grid, own, weights, curves = np.array(grid, float), np.array(own, float), np.array(weights), np.array(curves)
    sigma = category_scale(np.array(list(shares.values())))
    of_grid = np.array([shares.get(level, 0.0) for level in grid])
    empty = lambda: UnorderedSums(grid, sigma, of_grid, decay)  # noqa: E731
    made = []
    for rows in np.array_split(np.arange(len(own)), parts):
        if len(rows) and (not made or is_merged):
            made.append(empty())
        far = distances_of(case)
        far = None if far is None else far[rows]
        if len(rows) and parallel is None:
            made[-1].add(curves[rows], (own[rows], far, weights[rows]))
        elif len(rows):
            made[-1].add_parallel_curves(np.array(parallel), curves[rows], (own[rows], far, weights[rows]))
    for sums in made:
        sums.finish()
    return empty().merge([empty().fill(sums.to_arrays()) for sums in made]) if is_merged else made[0]


def distances_of(case):
    grid, own, _, _, probabilities = case
    if probabilities is None:
        return None
    return np.where(np.array(own)[:, None] == np.array(grid), 0.0, 1.0 - np.array(probabilities))


@given(
    cases(),
    st.tuples(DECAYS, OTHER_DECAYS, OTHER_DECAYS),
    st.integers(1, 3),
    st.booleans(),
    st.sampled_from([0, math.inf]),
)
def test_metrics_are_those_of_plain_loops(case, decays, parts, is_merged, many_pairs):
    """Every figure, marginal and conditional, compiled or not; levels off the grid or rare; parts that are merged."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unordered, "_MANY_PAIRS", many_pairs)
        patch.setattr(unordered, "_CHUNK", 6)
        sums = summed(case, decay=decays[0], parts=parts, is_merged=is_merged)
    grid, own, weights, curves, probabilities = case
    shares = oracles.category_shares(own, weights)
    for decay in decays:
        found = sums.metrics(decay)
        expected = oracles.category_metrics(
            curves, grid, own, shares=shares, weights=weights, decay=decay, probabilities=probabilities
        )
        assert math.isnan(found.pop("missing_impact"))
        assert found.keys() == expected.keys()
        for name, value in found.items():
            is_close = decay != decays[0] and name in ("in_distribution_impact", "support")
            assert_allclose(value, expected[name], rtol=1e-8 if is_close else 1e-10, atol=1e-13, err_msg=name)


@given(cases(), st.lists(VALUES, min_size=5, max_size=5), DECAYS)
def test_parallel_curves_need_not_be_formed(case, step, decay):
    """A step and offsets give the sums of the curves that they stand for, and no heterogeneity at all."""
    grid, own, weights, curves, probabilities = case
    step, offsets = step[: len(grid)], [row[0] for row in curves]
    formed = [[offset + at for at in step] for offset in offsets]
    found = summed((grid, own, weights, offsets, probabilities), decay=decay, parts=2, parallel=step)
    plain = summed((grid, own, weights, formed, probabilities), decay=decay)
    assert_allclose(list(found.metrics(decay).values()), list(plain.metrics(decay).values()), atol=1e-13)
    assert_allclose(found.partial_dependence, plain.partial_dependence, atol=1e-14)
    assert_allclose(found.spread, plain.spread, atol=1e-14)
    assert (found.lowest, found.highest) == (plain.lowest, plain.highest)
    assert math.isnan(found.metrics(decay)["heterogeneity"]) or found.metrics(decay)["heterogeneity"] == 0.0


def test_the_scale_does_not_cancel():
    """Where nearly all observations hold one level, σ_c is that of the few others to the last digits."""
    rare = 1e-14
    assert_allclose(category_scale(np.array([1.0 - rare, rare])), math.sqrt(rare * (1.0 - rare)), rtol=1e-12)


def test_conditional_distances_follow_the_other_features():
    """A level that the other features speak for is near; the own level is at no distance."""
    generator = np.random.default_rng(0)
    other = generator.normal(size=(300, 1))
    own = np.where((other[:, 0] > 0) ^ (generator.random(300) < 0.1), 1.0, 0.0)
    known = np.arange(300) < 290
    own[~known] = 0.0
    estimated = estimate_levels(np.where(known, own, np.nan), np.arange(3), of_numbers(other), None, 0)
    far = level_distances(own, estimated[:, 0], np.arange(3.0))
    assert far.shape == (300, 3)
    assert np.all(far[np.arange(300), own.astype(int)] == 0.0)
    assert np.all(far[:, 2] == 1.0), "a level that nobody has is as far as can be"
    odd = known & (own == 0.0) & (other[:, 0] > 0.2)
    plain = known & (own == 0.0) & (other[:, 0] < -0.2)
    assert far[odd, 1].mean() < 0.3
    assert far[plain, 1].mean() > 0.7
    unknown = ~known & (other[:, 0] > 0.2)
    assert far[unknown, 1].mean() < 0.3, "rows without a level are judged by the others"


def test_without_other_features_every_level_is_as_far():
    """There is nothing to be alike in: the conditional likelihood is the marginal one."""
    own = np.array([0.0, 1.0, 1.0])
    far = level_distances(
        own, estimate_levels(own, np.arange(2), of_numbers(np.empty((3, 0))), None, 0), np.arange(2.0)
    )
    assert_allclose(far, [[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])


def test_a_decay_that_underflows_where_no_own_level_is_on_the_grid():
    """Relative to each other all pairs are as likely, however unlikely they are."""
    sums = UnorderedSums(np.array([0.0, 1.0]), 0.5, np.array([2.0, 3.0]), 1e-300)
    sums.add(np.array([[0.0, 1.0], [0.0, 2.0]]), (np.array([2.0, 2.0]), None, np.ones(2)))
    found = sums.metrics(1e-300)
    assert_allclose([found["in_distribution_impact"], found["support"]], [found["impact"], 1e-300])
