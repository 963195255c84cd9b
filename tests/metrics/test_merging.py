"""Sums of parts of the rows, merged in any tree, are the sums of all rows."""

from dataclasses import astuple
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from ice_explorer.metrics.merging import merge_sums
from ice_explorer.metrics.ordered import CONVENTIONS, FeatureSums
from ice_explorer.metrics.straight import StraightSums
from ice_explorer.metrics.sums_arrays import sums_from_arrays, sums_to_arrays
from ice_explorer.metrics.unordered import CategorySums

DECAYS = np.array([0.01, 0.3, 0.75, 0.97, 1.0])


def sent(grid, scale, shares, sums):
    """Sums as another process has them."""
    sums.finish()
    return sums_from_arrays(grid, scale, shares, sums_to_arrays(sums))


def merged(grid, scale, shares, parts, pairwise):
    """Merge all at once, or two by two, each sent on."""
    while pairwise and len(parts) > 1:
        parts = [
            sent(grid, scale, shares, merge_sums(grid, scale, shares, parts[at : at + 2]))
            for at in range(0, len(parts), 2)
        ]
    return parts[0] if pairwise else sent(grid, scale, shares, merge_sums(grid, scale, shares, parts))


def assert_same(sums, expected, rtol=1e-11):
    """Every figure in every convention and for every decay."""
    assert sums.n_rows == expected.n_rows
    assert_allclose(sums.partial_dependence, expected.partial_dependence, rtol=1e-12, atol=1e-13)
    assert_allclose(sums.spread, expected.spread, rtol=1e-10, atol=1e-13)
    for convention in CONVENTIONS:
        for decay in DECAYS:
            found, right = (astuple(each.metrics(decay, convention)) for each in (sums, expected))
            assert_allclose(found, right, rtol=rtol, atol=1e-13, err_msg=f"{convention}, {decay}")


@given(
    seed=st.integers(0, 10**6),
    n=st.sampled_from([3, 60, 900, 5000]),
    n_grid=st.sampled_from([1, 2, 3, 40, 300]),
    n_parts=st.sampled_from([1, 2, 3, 7]),
    values=st.sampled_from(["grid", "few", "many"]),
    own_scales=st.booleans(),
    some_active=st.booleans(),
    pairwise=st.booleans(),
    has_missing=st.booleans(),
    is_weighted=st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_features_with_an_order(  # noqa: PLR0917
    seed, n, n_grid, n_parts, values, own_scales, some_active, pairwise, has_missing, is_weighted
):
    """Whatever the parts hold, also where they keep other things of their rows."""
    rng = np.random.default_rng(seed)
    grid = np.sort(rng.normal(size=n_grid)) + 0.1 * np.arange(n_grid)
    own = {"grid": grid, "few": rng.normal(size=5), "many": rng.normal(size=n) * 3}[values]
    scales = rng.uniform(0.5, 2, n) if own_scales else np.full(n, 0.8)
    weights = rng.uniform(0.5, 3, n) if is_weighted else np.ones(n)
    rows = np.sort(rng.choice(own, n)), scales, weights
    active = np.flatnonzero(rng.random(n_grid - 1) < 0.3) if some_active else np.arange(n_grid - 1)
    curves, change = rng.normal(size=(n, len(active) + 1)), rng.uniform(size=n)

    def summed(some):
        part = tuple(of_rows[some] for of_rows in rows)
        sums = FeatureSums(grid, 0.8, part, active)
        sums.add(curves[some], part, change[some] if has_missing else None)
        return sent(grid, 0.8, None, sums)

    blocks = [block for block in np.array_split(np.arange(n), n_parts) if len(block)]
    found = merged(grid, 0.8, None, [summed(block) for block in blocks], pairwise)
    assert_same(found, summed(np.arange(n)))


@given(seed=st.integers(0, 10**6), n=st.sampled_from([4, 200]), n_parts=st.integers(1, 4), bend=st.booleans())
@settings(max_examples=40, deadline=None)
def test_parallel_and_straight_curves(seed, n, n_parts, bend):
    """Some parts may have found a straight line where others added curves up."""
    rng = np.random.default_rng(seed)
    grid = np.arange(30.0)
    rows = rng.choice(grid, n), np.full(n, 4.0), np.ones(n)
    step = np.sin(grid) if bend else 2.5 * grid

    def summed(some, at):
        part = tuple(of_rows[some] for of_rows in rows)
        sums = FeatureSums(grid, 4.0, part) if bend or at == 1 else StraightSums(grid, 4.0, partial(tuple, part), 2.5)
        if bend and at == 1:
            sums.add(rows[0][some, None] + step, part)
        else:
            sums.add_parallel(step, rows[0][some], part)
        return sent(grid, 4.0, None, sums)

    parts = [summed(block, at) for at, block in enumerate(np.array_split(np.arange(n), n_parts))]
    assert_same(merged(grid, 4.0, None, parts, pairwise=False), summed(np.arange(n), 0))


@given(seed=st.integers(0, 10**6), n=st.sampled_from([3, 300]), n_parts=st.integers(1, 4), pairwise=st.booleans())
@settings(max_examples=40, deadline=None)
def test_levels_without_an_order(seed, n, n_parts, pairwise):
    """Parts may lack some of the levels."""
    rng = np.random.default_rng(seed)
    grid, own = np.arange(6.0), np.sort(rng.integers(0, 7, n)).astype(float)
    shares = np.bincount(own.astype(int), minlength=7)[:6].astype(float)
    curves, weights = rng.normal(size=(n, 6)), np.ones(n)

    def summed(some):
        sums = CategorySums(grid, 0.5, shares)
        sums.add(curves[some], (own[some], None, weights[some]))
        return sent(grid, 0.5, shares, sums)

    blocks = [block for block in np.array_split(np.arange(n), n_parts) if len(block)]
    found, expected = merged(grid, 0.5, shares, [summed(block) for block in blocks], pairwise), summed(np.arange(n))
    assert_same(found, expected)


def test_parts_that_are_active_elsewhere():
    """An engine may know of fewer intervals in one part than in another."""
    rng = np.random.default_rng(3)
    grid, n = np.arange(12.0), 80
    rows = rng.choice(grid, n), np.full(n, 2.0), np.ones(n)
    curves = np.repeat(rng.normal(size=(n, 3)), 4, axis=1)
    halves = np.array_split(np.arange(n), 2)
    whole, parts = FeatureSums(grid, 2.0, rows), []
    whole.add(curves, rows)
    for some, active in zip(halves, (np.array([3, 7]), np.arange(11)), strict=True):
        part = tuple(of_rows[some] for of_rows in rows)
        parts.append(FeatureSums(grid, 2.0, part, active))
        parts[-1].add(curves[some][:, np.append(0, active + 1)], part)
    parts = [sent(grid, 2.0, None, each) for each in parts]
    assert_same(merge_sums(grid, 2.0, None, parts), sent(grid, 2.0, None, whole))


@pytest.mark.parametrize("most", [None, 0])
def test_steepness_that_is_laid_out_in_some_parts(monkeypatch, most):
    """What one part keeps by observed value and another by distance comes together by distance."""
    rng = np.random.default_rng(5)
    grid, n = np.sort(rng.normal(size=50)), 3000
    rows = rng.normal(size=n), np.full(n, 1.0), np.ones(n)
    curves = rng.normal(size=(n, 50))

    def summed(some, most_cells):
        part = tuple(of_rows[some] for of_rows in rows)
        sums = FeatureSums(grid, 1.0, part, most_cells=most_cells)
        sums.add(curves[some], part)
        return sent(grid, 1.0, None, sums)

    first, second = np.array_split(np.arange(n), 2)
    parts = [summed(first, None), summed(second, most)]
    assert bool(parts[1].likelihoods._groups) == (most == 0)
    assert_same(merged(grid, 1.0, None, parts, pairwise=True), summed(np.arange(n), None))
