"""Straight parallel curves: what is known from their slope is what summing them gives."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

import ice_explorer as ice
from ice_explorer.metrics.ordered import CONVENTIONS, FeatureSums
from ice_explorer.metrics.straight import StraightSums, slope_of

DECAYS = np.array([0.01, 0.3, 0.75, 1.0])


@given(
    seed=st.integers(0, 10**6),
    n=st.sampled_from([1, 2, 40, 700]),
    n_grid=st.sampled_from([2, 3, 40]),
    slope=st.sampled_from([-2.5, 0.0, 1e-9, 3.0]),
    own_scales=st.booleans(),
)
@settings(max_examples=60)
def test_figures_are_those_of_curves_that_are_added_up(seed, n, n_grid, slope, own_scales):
    """Every figure in every convention, for every decay; what must be 0 is exactly 0."""
    rng = np.random.default_rng(seed)
    grid = np.sort(rng.normal(size=n_grid)) + np.arange(n_grid)
    scales = rng.uniform(0.5, 2, n) if own_scales else np.full(n, 0.8)
    rows = rng.choice(np.append(grid, rng.normal(size=20)), n), scales, rng.uniform(0.5, 3, n)
    step, offsets, change = slope * grid, rng.normal(size=n), rng.uniform(size=n)
    assert_allclose(slope_of(grid, step), slope, rtol=1e-13)
    straight, general = (
        StraightSums(grid, 0.8, partial(tuple, rows), slope_of(grid, step)),
        FeatureSums(grid, 0.8, rows),
    )
    for block in (block for block in np.split(np.arange(n), [n // 3, n // 2]) if len(block)):
        for sums in (straight, general):
            sums.add_parallel(step, offsets[block], tuple(of_rows[block] for of_rows in rows), change[block])
    for sums in (straight, general):
        sums.finish()
    assert_array_equal(straight.partial_dependence, general.partial_dependence)
    assert_array_equal(straight.spread, general.spread)
    for convention in CONVENTIONS:
        for decay in DECAYS:
            mine, theirs = (vars(sums.metrics(decay, convention)) for sums in (straight, general))
            assert mine["heterogeneity"] == mine["non_linearity"] == 0
            assert mine["impact"] == mine["in_distribution_impact"]
            for name, expected in theirs.items():
                assert_allclose(mine[name], expected, rtol=1e-12, atol=1e-12 * abs(slope), err_msg=name)
        in_distribution, support = straight.decayed(DECAYS, convention)
        assert_array_equal(straight.in_distribution_impacts(DECAYS, convention), in_distribution)
        assert_allclose(support, general.decayed(DECAYS, convention)[1], rtol=1e-13)


def test_what_is_bent_is_no_line():
    """However little, if more than rounding; a flat line and one far from 0 are straight."""
    grid = np.array([1e6, 1e6 + 0.25, 1e6 + 3.0])
    assert slope_of(grid, 0.1 * grid - 7.0) == pytest.approx(0.1, rel=1e-9)
    assert slope_of(grid, np.zeros(3)) == 0.0
    assert slope_of(grid, np.array([0.0, 0.25 + 1e-12, 3.0])) is None
    assert slope_of(grid, np.array([0.0, 1.0, 0.0])) is None


@pytest.mark.parametrize("scale", ["marginal", "conditional"])
def test_lines_behind_transformers_are_found_and_bent_curves_are_not(scale):
    """Of a scaler all are straight; of squares none is, and its curves are summed."""
    X = np.random.default_rng(0).normal(5.0, 2.0, (60, 3))
    y = X @ [1.0, -2.0, 0.0]
    lines_model = make_pipeline(StandardScaler(), Ridge()).fit(X, y)
    lines = ice.explain(lines_model, X, scale=scale, progress=False)
    assert all(isinstance(feature._sums, StraightSums) for feature in lines)
    model = make_pipeline(PolynomialFeatures(2), Ridge()).fit(X, y)
    bent = ice.explain(model, X, scale=scale, progress=False)
    assert not any(isinstance(feature._sums, StraightSums) for feature in bent)
    table, profile = lines.table(), lines.decay_profile(DECAYS)
    assert_array_equal(profile, np.tile(table["impact"][profile.columns], (len(DECAYS), 1)))
    predicted = ice.explain(lines_model, X, scale=scale, engine="brute", progress=False).table()
    for name in ("impact", "direction", "in_distribution_impact", "support"):
        assert_allclose(table[name], predicted[name][table.index], rtol=1e-9, atol=1e-12, err_msg=name)
