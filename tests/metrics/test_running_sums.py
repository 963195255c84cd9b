"""Sums over pairs of observed values and grid values, against plain double sums."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from ice_explorer.metrics.running_sums import pair_sums

EXPONENTS = -np.log([1.0, 0.999, 0.9, 0.5, 0.1, 0.01, 1e-4, 1e-8, 1e-300])


def drawn(rng, n, shape):
    """Values in likelihood scales, not decreasing."""
    values = {
        "normal": lambda: rng.normal(size=n),
        "ties": lambda: rng.integers(0, 9, n) / 3.0,
        "even": lambda: np.arange(n) / 64.0,
        "narrow": lambda: 1e-4 * rng.normal(size=n),
        "heavy": lambda: np.clip(rng.standard_cauchy(n), -1e4, 1e4),
        "clusters": lambda: rng.choice([-30.0, 0.0, 1e-3, 7.0], n) + 1e-9 * rng.normal(size=n),
        "far": lambda: np.where(np.arange(n) == 0, -1e30, rng.normal(size=n)),
    }[shape]()
    return np.sort(values)


SHAPES = ["normal", "ties", "even", "narrow", "heavy", "clusters", "far"]


def assert_pair_sums(own, others, *, compiled):
    """Any sum over pairs is that of a double sum, as a multiple of what the nearest pair weighs."""
    (values, weights), (ends, shares) = own, others
    apart = np.abs(ends - values[:, None])
    nearest = apart.min()
    found = pair_sums(own, others, EXPONENTS, nearest, compiled=compiled)
    # What values moved by `nearest` are known to.
    rounding = 4 * np.spacing(np.abs(values[np.abs(values) < 1e9]).max(initial=0.0) + np.abs(ends).max())
    for at, a in enumerate(EXPONENTS):
        expected = weights @ np.exp(-a * (apart - nearest)) @ shares
        assert_allclose(found[at], expected, rtol=1e-12 + a * rounding, atol=1e-300, err_msg=f"a = {a}")


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
@example(seed=0, sizes=(400, 300), shape="far", kinds=("own", "lengths"), compiled=True)
@settings(max_examples=60)
def test_all_pairs_are_those_of_a_double_sum(seed, sizes, shape, kinds, compiled):
    """Grids of the observed values, of others among them, or far from them; equal weights, or none here and there."""
    rng = np.random.default_rng(seed)
    (n_own, n_others), (grid, u) = sizes, kinds
    values = drawn(rng, n_own, shape)
    ends = {
        "own": lambda: values,
        "beside": lambda: values[np.abs(values) < 1e9] + rng.choice([1e-6, 0.3]),
        "among": lambda: drawn(rng, n_others, shape),
        "left": lambda: -40 - 3 * rng.uniform(size=n_others),
        "right": lambda: values[-1] + 5 + 100 * rng.uniform(size=n_others),
        "around": lambda: np.append(-100 - rng.uniform(size=n_others), values[-1] + 2),
    }[grid]()
    ends = np.unique(ends) if len(ends) else np.zeros(1)
    shares = {
        "alike": lambda: np.ones((len(ends), 1)),
        "lengths": lambda: np.column_stack([np.arange(1.0, len(ends) + 1), np.ones(len(ends))]),
        "few": lambda: np.where(np.arange(len(ends)) % 7 == 0, rng.uniform(0.1, 1, len(ends)), 0.0)[:, None],
    }[u]()
    own = values, rng.choice([0.5, 1.0, 3.0], n_own)
    assert_pair_sums(own, (ends, shares), compiled=compiled)


@pytest.mark.parametrize("compiled", [True, False])
def test_evenly_spaced_values_do_not_add_up_their_rounding(compiled):
    """The factor from one value to the next is rounded alike everywhere; ten thousand of them are not multiplied."""
    values = np.arange(5000) / 1700.0
    for a in -np.log([0.99, 0.3, 0.01]):
        found = pair_sums(
            (values, np.ones(len(values))), (values[[-1]], np.ones((1, 1))), np.array([a]), 0.0, compiled=compiled
        )
        expected = math.fsum(np.exp(-a * (values[-1] - values)))
        assert_allclose(found[0, 0], expected, rtol=1e-14)


@pytest.mark.parametrize("compiled", [True, False])
def test_weights_that_rounding_would_lose_beside_others(compiled):
    """Almost all weight is where the grid has next to none; the sums rest on a single value beside."""
    values = np.append(np.zeros(1), np.linspace(0.0005, 0.0006, 1000))
    weights = np.append(1e-12, np.ones(1000))
    ends = np.array([0.0, 0.0006 + 60.0])
    shares = np.array([[1.0], [1e-15]])
    found = pair_sums((values, weights), (ends, shares), np.array([4.6]), 0.0, compiled=compiled)
    expected = weights @ np.exp(-4.6 * np.abs(ends - values[:, None])) @ shares
    assert_allclose(found[0], expected, rtol=1e-12)
