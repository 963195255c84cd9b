"""Rows that lie outside their grid, weights that sum to 1, and groups of little weight."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ice_explorer as ice
from ice_explorer.errors import DataError

DECAYS = [0.02, 0.1, 0.3, 0.9]


def function(X):
    return np.sin(X[:, 0]) * X[:, 1]


def explained(X, **options):
    return ice.explain(function, X, progress=False, **options)


@pytest.mark.parametrize("width", [1, 3, 30])
@pytest.mark.parametrize("is_mapping", [False, True])
def test_figures_at_another_decay_are_exact_for_rows_outside_the_grid(width, is_mapping):
    """The grid is that of rows which lie close together, so that likelihoods are small."""
    X = np.random.default_rng(0).normal(size=(50, 2))
    near = explained(0.1 * X)
    grid = {"x0": near["x0"].grid, "x1": near["x1"].grid} if is_mapping else near
    profile = explained(width * X, grid=grid).table(DECAYS)
    for decay in DECAYS:
        exact = explained(width * X, grid=grid, decay=decay).table(rank_by=None)
        assert_allclose(profile.loc[decay], exact["in_distribution_impact"], rtol=1e-6)


@pytest.mark.parametrize("total", [1.0, 1.0 + 1e-15])
def test_weights_that_are_normalised_are_refused(total):
    """Their sum is 1 but for rounding, and standard deviations would divide by the rest."""
    X = np.random.default_rng(0).normal(size=(50, 2))
    with pytest.raises(DataError, match="must sum to more than 1"):
        explained(X, sample_weight=np.full(50, total / 50))


def test_the_heterogeneity_of_a_group_of_little_weight_is_undefined():
    """Its standard deviations would divide by 0, or by less; other metrics are those of its rows."""
    X, weights = np.random.default_rng(0).normal(size=(50, 2)), np.ones(50)
    weights[:3], weights[3:5] = 0.2, 0.5
    groups = np.repeat(["tiny", "one", "rest"], [3, 2, 45])
    table = explained(X, sample_weight=weights).table(by=groups)
    assert table["heterogeneity"].isna().groupby(level=0).all().to_dict() == {"tiny": True, "one": True, "rest": False}
    assert np.isfinite(table[["impact", "in_distribution_impact", "direction"]]).all(axis=None)
