"""The metrics of unordered categories against plain loops, and what must hold of them."""

import math
from dataclasses import asdict

import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from strategies import DECAYS

from ice_explorer.metrics import unordered
from ice_explorer.metrics.conditional_scale import level_distances, level_probabilities
from ice_explorer.metrics.ordered import FeatureSums
from ice_explorer.metrics.unordered import CategorySums, category_scale

VALUES = st.integers(-8, 8).map(lambda v: v / 4)


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


def summed(grid, own, weights, curves, probabilities=None, *, blocks=1, parallel=None):
    """Sum the rows in some blocks, and give the metrics for later decays."""
    shares = oracles.category_shares(own, weights)
    grid, own, weights = np.array(grid, float), np.array(own, float), np.array(weights)
    sigma = category_scale(np.array(list(shares.values())))
    distances = None
    if probabilities is not None:
        distances = np.where(own[:, None] == grid, 0.0, 1.0 - np.array(probabilities))
    sums = CategorySums(grid, sigma, np.array([shares.get(level, 0.0) for level in grid]), distances)
    for rows in np.array_split(np.arange(len(own)), blocks):
        far = None if distances is None else distances[rows]
        if parallel is None:
            sums.add(np.array(curves)[rows], (own[rows], far, weights[rows]))
        else:
            sums.add_parallel(np.array(parallel), np.array(curves)[rows], (own[rows], far, weights[rows]))
    sums.finish()
    return sums


def expected(case, decay):
    """Give what plain loops give, missing impact besides."""
    grid, own, weights, curves, probabilities = case
    shares = oracles.category_shares(own, weights)
    figures = oracles.category_metrics(
        curves, grid, own, shares=shares, weights=weights, decay=decay, probabilities=probabilities
    )
    return figures | {"missing_impact": math.nan}


@given(cases(), DECAYS, st.integers(1, 3))
def test_metrics_are_those_of_plain_loops(case, decay, blocks):
    """Every figure, marginal and conditional, for levels off the grid and levels that do not occur on it."""
    found = asdict(summed(*case, blocks=blocks).metrics(decay))
    figures = expected(case, decay)
    assert found.keys() == figures.keys()
    for name, value in found.items():
        assert_allclose(value, figures[name], rtol=1e-10, atol=1e-13, err_msg=name)


@given(cases(), st.lists(DECAYS, min_size=1, max_size=4))
def test_a_profile_is_the_metrics_of_each_decay(case, decays):
    """Decays that come later need no further look at the rows."""
    sums = summed(*case)
    impact, support = sums.decayed(np.array(decays))
    for at, decay in enumerate(decays):
        one = sums.metrics(decay)
        assert_allclose([impact[at], support[at]], [one.in_distribution_impact, one.support], rtol=1e-14)


@given(cases(), st.lists(VALUES, min_size=5, max_size=5), DECAYS)
def test_parallel_curves_need_not_be_formed(case, step, decay):
    """A step and offsets give the sums of the curves that they stand for, and no heterogeneity at all."""
    grid, own, weights, curves, probabilities = case
    step, offsets = step[: len(grid)], [row[0] for row in curves]
    formed = [[offset + at for at in step] for offset in offsets]
    found = summed(grid, own, weights, offsets, probabilities, blocks=2, parallel=step)
    plain = summed(grid, own, weights, formed, probabilities)
    assert_allclose(
        list(asdict(found.metrics(decay)).values()), list(asdict(plain.metrics(decay)).values()), atol=1e-13
    )
    assert_allclose(found.partial_dependence, plain.partial_dependence, atol=1e-14)
    assert_allclose(found.spread, plain.spread, atol=1e-14)
    assert (found.lowest, found.highest) == (plain.lowest, plain.highest)
    assert math.isnan(found.metrics(decay).heterogeneity) or found.metrics(decay).heterogeneity == 0.0


@given(st.data())
def test_two_levels_equal_their_coding_as_numbers(data):
    """A category of two levels has the impact, decayed or not, and the heterogeneity of a column of 0 and 1."""
    n_rows = data.draw(st.integers(2, 8))
    rows = {"min_size": n_rows, "max_size": n_rows}
    own = [0.0, 1.0, *data.draw(st.lists(st.sampled_from([0.0, 1.0]), min_size=n_rows - 2, max_size=n_rows - 2))]
    weights = data.draw(st.lists(st.sampled_from([0.5, 1.0, 2.0]), **rows))
    weights[0] += 1.0
    curves = np.array(data.draw(st.lists(st.tuples(VALUES, VALUES), **rows)))
    grid, own, weights = np.array([0.0, 1.0]), np.array(own), np.array(weights)
    mean = weights @ own / weights.sum()
    sigma = math.sqrt(weights @ (own - mean) ** 2 / weights.sum())
    as_numbers = (own, np.full(n_rows, sigma), weights)
    numbers = FeatureSums(grid, sigma, as_numbers)
    numbers.add(curves, as_numbers)
    numbers.finish()
    levels = summed([0, 1], own.tolist(), weights.tolist(), curves.tolist())
    assert_allclose(levels.scale, sigma, rtol=1e-12)
    for name in ("impact", "in_distribution_impact", "heterogeneity"):
        assert_allclose(getattr(levels.metrics(0.3), name), getattr(numbers.metrics(0.3), name), rtol=1e-12)


@given(cases(), st.lists(st.integers(1, 3), min_size=7, max_size=7), DECAYS)
def test_whole_weights_repeat_rows(case, counts, decay):
    """A row of weight 3 is the row three times over."""
    grid, own, _, curves, probabilities = case
    counts = counts[: len(own)]
    if len(own) == 1:
        counts = [2]
    weighted = summed(grid, own, [float(count) for count in counts], curves, probabilities).metrics(decay)
    rows = np.repeat(np.arange(len(own)), counts)
    repeated = summed(
        grid, [own[i] for i in rows], [1.0] * len(rows), [curves[i] for i in rows],
        None if probabilities is None else [probabilities[i] for i in rows],
    ).metrics(decay)  # fmt: skip
    assert_allclose(list(asdict(weighted).values()), list(asdict(repeated).values()), rtol=1e-9, atol=1e-14)


def test_many_rows_in_small_chunks_change_nothing(monkeypatch):
    """Rows are worked on a few at a time, so that memory does not grow with them."""
    generator = np.random.default_rng(0)
    own, curves = generator.integers(0, 6, 500).tolist(), generator.normal(size=(500, 6)).tolist()
    probabilities = generator.random((500, 6)).tolist()
    case = ([0, 1, 2, 3, 4, 5], own, [1.0] * 500, curves, probabilities)
    whole = summed(*case).metrics(0.6)
    monkeypatch.setattr(unordered, "_CHUNK", 60)
    assert_allclose(
        list(asdict(summed(*case, blocks=3).metrics(0.6)).values()), list(asdict(whole).values()), rtol=1e-11
    )
    figures = expected(case, 0.6)
    assert_allclose(whole.in_distribution_impact, figures["in_distribution_impact"], rtol=1e-11)


def test_the_scale_does_not_cancel():
    """Where nearly all observations hold one level, σ_c is that of the few others to the last digits."""
    rare = 1e-14
    assert_allclose(category_scale(np.array([1.0 - rare, rare])), math.sqrt(rare * (1.0 - rare)), rtol=1e-12)


def test_missing_impact_is_a_weighted_mean():
    """How far predictions move when the level goes missing is averaged as everything else."""
    sums = CategorySums(np.array([0.0, 1.0]), 0.5, np.array([0.5, 0.5]))
    curves, weights = np.array([[0.0, 1.0], [0.0, 2.0]]), np.array([1.0, 3.0])
    sums.add(curves, (np.array([0.0, 1.0]), None, weights), np.array([4.0, 8.0]))
    assert_allclose(sums.metrics(0.75).missing_impact, 7.0)


def test_conditional_distances_follow_the_other_features():
    """A level that the other features speak for is near; the own level is at no distance."""
    generator = np.random.default_rng(0)
    other = generator.normal(size=(300, 1))
    own = np.where((other[:, 0] > 0) ^ (generator.random(300) < 0.1), 1.0, 0.0)
    known = np.arange(300) < 290
    own[~known] = 0.0
    probabilities = level_probabilities(np.where(known, own, np.nan), other, None, 0)
    far = level_distances(own, probabilities, np.arange(3.0))
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
    far = level_distances(own, level_probabilities(own, np.empty((3, 0)), None, 0), np.arange(2.0))
    assert_allclose(far, [[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])


def test_a_decay_that_underflows_where_no_own_level_is_on_the_grid():
    """Relative to each other all pairs are as likely, however unlikely they are."""
    sums = CategorySums(np.array([0.0, 1.0]), 0.5, np.array([2.0, 3.0]))
    sums.add(np.array([[0.0, 1.0], [0.0, 2.0]]), (np.array([2.0, 2.0]), None, np.ones(2)))
    found = sums.metrics(1e-300)
    assert_allclose([found.in_distribution_impact, found.support], [found.impact, 1e-300])


@pytest.mark.parametrize("n_levels", [1, 2])
def test_a_constant_category_has_no_effect(n_levels):
    """One level occurs: all effects are 0, and every row counts in full."""
    found = summed(list(range(n_levels)), [0, 0, 0], [1.0, 1.0, 1.0], [[0.0, 5.0][:n_levels]] * 3).metrics(0.5)
    assert (found.impact, found.in_distribution_impact, found.heterogeneity) == (0.0,) * 3
    assert math.isnan(found.largest_step_share)
    assert found.support == 1.0


@pytest.mark.parametrize("n_levels", [2, 9, 40])
def test_the_compiled_changes_are_those_of_numpy(monkeypatch, n_levels):
    """Of many levels, changes between every two are added by a kernel."""
    pytest.importorskip("numba")
    rng = np.random.default_rng(0)
    codes, weights = rng.integers(0, n_levels, 700).astype(float), rng.choice([0.5, 1.0, 3.0], 700)
    curves = 1e6 + rng.normal(size=(700, n_levels))
    found = []
    for many in (0, math.inf):
        monkeypatch.setattr(unordered, "_MANY_PAIRS", many)
        sums = CategorySums(np.arange(float(n_levels)), 0.5, np.ones(n_levels), None)
        for part in (slice(0, 3), slice(3, 690), slice(690, 700)):
            sums.add(curves[part], (codes[part], None, weights[part]))
        sums.finish()
        found.append(sums)
    compiled, plain = found
    assert_allclose(compiled.changes.mean, plain.changes.mean, rtol=1e-12, atol=1e-9)
    assert_allclose(compiled.changes.squared, plain.changes.squared, rtol=1e-9)
    assert_allclose(compiled._absolute, plain._absolute, rtol=1e-12)
