"""Pairs of observed values and grid values as a mass over distance, against plain double sums."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from ice_explorer.metrics import decay_sums as decay_module
from ice_explorer.metrics import decay_sums_numba, distance_pairs
from ice_explorer.metrics.decay_sums import DecaySums, EndShares, LikelihoodSums

SLIDER = -np.log([1.0, 0.999, 0.9, 0.5, 0.1, 0.01])
BEYOND = -np.log([1e-3, 1e-4, 1e-8])


def drawn(rng, n, shape):
    """Values in likelihood scales, not decreasing."""
    values = {
        "normal": lambda: rng.normal(size=n),
        "ties": lambda: rng.integers(0, 9, n) / 3.0,
        "narrow": lambda: 1e-4 * rng.normal(size=n),
        "wide": lambda: rng.uniform(0, 50, n),
        "heavy": lambda: np.clip(rng.standard_cauchy(n), -1e4, 1e4),
        "clusters": lambda: rng.choice([-30.0, 0.0, 1e-3, 7.0], n) + 1e-9 * rng.normal(size=n),
        "on edges": lambda: rng.integers(-300, 300, n) * distance_pairs.LEAF,
        "far": lambda: np.where(np.arange(n) == 0, 1e6, rng.normal(size=n)),
    }[shape]()
    return np.sort(values)


SHAPES = ["normal", "ties", "narrow", "wide", "heavy", "clusters", "on edges", "far"]


def assert_laplace_transforms(own, others, *, compiled=False):
    """Any sum over pairs under e^{-a·distance} is that of the masses, to 1e-15 of what all would weigh nearest by."""
    (values, weights), (ends, u) = own, others
    apart = np.abs(ends - values[:, None])
    nearest = apart.min()
    distances, masses = distance_pairs.by_distance(own, others, nearest, compiled=compiled)
    assert distances.min() >= -distance_pairs.LEAF
    assert distances.max() <= max(distance_pairs.REACH * (apart.max() - nearest), 2 * distance_pairs.LEAF)
    rounding = np.spacing(max(abs(ends[0]), abs(ends[-1])))  # what a value moved by `nearest` is known to
    for exponents, rtol in ((SLIDER, 1e-12), (BEYOND, 1e-9)):
        for a in exponents:
            expected = weights @ np.exp(-a * (apart - nearest)) @ u
            found = np.exp(-a * distances) @ masses
            atol = 1e-15 * float((weights.sum() * u.sum(axis=0)).max())
            assert_allclose(found, expected, rtol=rtol + a * rounding, atol=atol, err_msg=f"a = {a}")


@given(
    seed=st.integers(0, 10**6),
    sizes=st.tuples(st.sampled_from([1, 2, 30, 400]), st.sampled_from([1, 3, 50, 300])),
    shape=st.sampled_from(SHAPES),
    kinds=st.tuples(
        st.sampled_from(["own", "beside", "among", "left", "right", "around"]),
        st.sampled_from(["alike", "lengths", "few"]),
    ),
    compiled=st.booleans(),
)
@example(seed=0, sizes=(400, 300), shape="far", kinds=("own", "lengths"), compiled=False)
@settings(max_examples=200)
def test_all_pairs_are_those_of_a_double_sum(seed, sizes, shape, kinds, compiled):
    """Grids of the observed values, of others among them, or far from them; equal weights, or none here and there."""
    rng = np.random.default_rng(seed)
    (n_own, n_others), (grid, u) = sizes, kinds
    values = drawn(rng, n_own, shape)
    ends = {
        "own": lambda: values,
        "beside": lambda: values + rng.choice([1e-6, 0.3]),
        "among": lambda: drawn(rng, n_others, shape),
        "left": lambda: values[0] - 40 - 3 * rng.uniform(size=n_others),
        "right": lambda: values[-1] + 5 + 100 * rng.uniform(size=n_others),
        "around": lambda: np.append(values[0] - 1 - rng.uniform(size=n_others), values[-1] + 2),
    }[grid]()
    ends = np.unique(ends)
    of_ends = {
        "alike": lambda: np.ones((len(ends), 1)),
        "lengths": lambda: np.column_stack([np.diff(ends, prepend=ends[0] - 1), np.ones(len(ends))]),
        "few": lambda: np.where(np.arange(len(ends)) % 7 == 0, rng.uniform(0.1, 1, len(ends)), 0.0)[:, None],
    }[u]()
    assert_laplace_transforms((values, rng.choice([0.5, 1.0, 3.0], n_own)), (ends, of_ends), compiled=compiled)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_thousands_of_values_that_are_the_grid(shape, compiled):
    """As with a grid of every observed value."""
    rng = np.random.default_rng(0)
    values = drawn(rng, 2000, shape)
    ends = np.unique(values)
    assert_laplace_transforms((values, rng.uniform(0.5, 2, 2000)), (ends, rng.uniform(size=(len(ends), 3))),
                              compiled=compiled)  # fmt: skip


def test_weights_that_rounding_would_lose_beside_others():
    """Almost all weight is where the grid has next to none; the sums rest on a single value beside."""
    values = np.append(np.zeros(1), np.linspace(0.0005, 0.0006, 1000))
    weights = np.append(1e-12, np.ones(1000))
    ends = np.array([0.0, 0.0006 + 60.0])
    own, others = (values, weights), (ends, np.array([[1.0], [1e-15]]))
    distances, masses = distance_pairs.by_distance(own, others, 0.0)
    expected = weights @ np.exp(-4.6 * np.abs(ends - values[:, None])) @ others[1]
    assert_allclose(np.exp(-4.6 * distances) @ masses, expected, rtol=1e-12)


def test_many_values_in_one_leaf_are_summed_from_its_start():
    """Runs of any length, each from 0."""
    sizes = np.array([1, 7, 1, 64, 2, 300, 1])
    columns = np.random.default_rng(0).normal(size=(3, sizes.sum()))
    first = np.cumsum(sizes) - sizes
    expected = np.concatenate([np.cumsum(run, axis=1) for run in np.split(columns, first[1:], axis=1)], axis=1)
    assert_array_equal(distance_pairs._sums_so_far(columns, first), expected)


@pytest.mark.parametrize("shape", SHAPES)
def test_leaves_filled_by_the_kernel_are_those_of_numpy(shape):
    """Boxes, moments and the pairs within a leaf, where ends meet some of the values."""
    rng = np.random.default_rng(1)
    ends = np.unique(drawn(rng, 200, shape)) / distance_pairs.LEAF
    values = np.sort(np.concatenate([ends[::3], drawn(rng, 100, shape) / distance_pairs.LEAF]))
    values = values[values <= ends[-1]]
    below = np.searchsorted(values, ends, side="right")
    ends, below = ends[below > 0], below[below > 0]
    own, others = (values, rng.uniform(size=len(values))), (ends, rng.uniform(size=(len(ends), 2)))
    plain = distance_pairs._fill_leaves(own, others, below)
    compiled = decay_sums_numba.fill_leaves(own, others, below, distance_pairs.N_OF_LEAF)
    for mine, theirs in zip(compiled[:2], plain[:2], strict=True):
        assert_array_equal(mine[0], theirs[0])
        assert_allclose(mine[1], theirs[1], rtol=1e-12, atol=1e-13)
    assert_allclose(compiled[2], plain[2], rtol=1e-12, atol=1e-13 * plain[2][0, 0, 0])


def likelihoods(values, grid, scale, steepness, *, compiled):
    """Sums of rows that share the steepness of each interval, on a grid of many values."""
    rows = values, np.full(len(values), scale), np.ones(len(values))
    gaps, active = np.diff(grid), np.flatnonzero(steepness)
    alike, length = np.full(len(gaps), 1 / len(gaps)), gaps / gaps.sum()
    shares = {"right": EndShares(np.zeros(len(gaps)), alike), "both": EndShares(0.75 * length, 0.25 * length)}
    sums = LikelihoodSums(grid, active, shares, rows, compiled=compiled)
    sums.add_parallel(steepness[active], rows[2], *rows[:2])
    sums.finish()
    return sums, shares


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("n_active", [2, 599])
@pytest.mark.parametrize(("scale", "offset"), [(0.01, 0.0), (0.7, 1e9), (30.0, 0.0)])
def test_likelihoods_of_a_dense_grid(monkeypatch, scale, offset, n_active, compiled):
    """Every observed value is a grid value; steepness and likelihoods are those of a double sum."""
    monkeypatch.setattr(decay_module, "_MOST_LAID_OUT", 1000)
    rng = np.random.default_rng(2)
    values = rng.normal(size=600) + offset
    grid = np.unique(values)
    steepness = np.zeros(599)
    steepness[rng.choice(599, n_active, replace=False)] = rng.uniform(0.5, 2, n_active)
    sums, shares = likelihoods(values, grid, scale, steepness, compiled=compiled)
    apart = np.abs(grid - values[:, None]) / scale
    for name, ends in shares.items():
        steep, likelihood, nearest = sums.totals(name, SLIDER)
        assert nearest == 0
        for at, a in enumerate(SLIDER):
            likely = np.exp(-a * apart)
            of_intervals = likely[:, :-1] * ends.left + likely[:, 1:] * ends.right
            assert_allclose(likelihood[at], of_intervals.sum(), rtol=1e-12)
            # Where few intervals are active steepness lies at nodes, which are as exact as the values are.
            rounding = 0.0 if n_active == 599 else a * np.spacing(offset) / scale
            assert_allclose(steep[at], (of_intervals @ steepness).sum(), rtol=1e-12 + rounding)


def test_a_grid_that_boxes_cannot_span_is_laid_out(monkeypatch):
    """A value 1e30 scales away has no whole number."""
    monkeypatch.setattr(decay_module, "_MOST_LAID_OUT", 10)
    values = np.linspace(0, 1, 40)
    sums, _ = likelihoods(values, np.append(values, 1e30), 1.0, np.eye(40)[3], compiled=False)
    found = sums.totals("right", SLIDER[3:4])
    expected = 0.5 ** np.abs(values[1:] - values[:, None])
    assert_allclose(found[1], expected.sum() / 40, rtol=1e-12)


def test_the_nearest_pair_is_met_whatever_rounding_makes_of_their_distance():
    """A value on the edge of a leaf, which an end moved towards it could miss by the last digit."""
    value = -3.0
    for end in np.random.default_rng(3).uniform(127, 128, 50):
        for sign in (1.0, -1.0):
            own, others = (np.array([sign * value]), np.ones(1)), (np.array([sign * end]), np.ones((1, 1)))
            _, masses = distance_pairs.by_distance(own, others, end - value)
            assert_allclose(masses.sum(), 1.0, rtol=1e-13)


@pytest.mark.parametrize("farthest", [0.001, 1.0, 70.0])
def test_sums_have_room_for_all_masses_that_stand_for_pairs(farthest):
    """They lie up to a leaf before the nearest pair, and beyond the farthest."""
    rng = np.random.default_rng(4)
    distances = rng.uniform(-distance_pairs.LEAF, max(distance_pairs.REACH * farthest, 2 * distance_pairs.LEAF), 5000)
    masses = rng.uniform(size=(5000, 1))
    sums = DecaySums(1, 0.25, 0.25 + farthest)
    sums.add_beyond(distances, masses)
    sums.finish()
    at, found = sums.atoms()
    assert len(at) < 5000
    for a in SLIDER:
        assert_allclose(np.exp(-a * at) @ found, np.exp(-a * distances) @ masses, rtol=1e-12)
