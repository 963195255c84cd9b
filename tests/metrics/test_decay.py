"""In-distribution impact and support of other decays than that of the explanation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ice_explorer.errors import OptionError
from ice_explorer.metrics.ordered import CONVENTIONS, OrderedSums, nearest_shares
from ice_explorer.metrics.sums import choose_decay_nodes

DECAYS = np.append(np.arange(1, 100) / 100, [0.993, 1.0])
SAMPLES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "lognormal": lambda rng, n: rng.lognormal(size=n),
    "uniform": lambda rng, n: rng.uniform(size=n),
    "discrete": lambda rng, n: rng.integers(0, 12, n) / 4.0,
}


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "plain"])
@pytest.mark.parametrize("n_grid", [5, 60, 1000])
@pytest.mark.parametrize("sample", SAMPLES)
def test_decayed_figures_are_within_a_millionth(sample, n_grid, compiled):
    """From 0.01 to 1, relative to sums over all rows and grid values; exact at the decay of the explanation."""
    rng = np.random.default_rng(3)
    n = 1200 if compiled else 300
    observed = SAMPLES[sample](rng, n)
    grid = np.unique(np.quantile(observed, np.linspace(0, 1, n_grid), method="inverted_cdf"))
    curves = np.tanh(2 * grid) * (1 + rng.normal(size=(n, 1))) + 0.3 * rng.normal(size=(n, len(grid)))
    rows = observed, np.full(n, observed.std()), rng.choice([0.5, 1.0, 2.0], n)
    order = np.argsort(observed)
    shares = nearest_shares(grid, observed[order], rows[2][order])
    apart = np.abs(grid - observed[:, None]) / observed.std()
    for convention in CONVENTIONS:
        sums = OrderedSums(grid, observed.std(), shares, 0.75, rows, convention=convention, compiled=compiled)
        sums.add(curves, rows)
        sums.finish()
        windows = sums.windows
        left, right, of_left = windows.left, windows.right, windows.left_shares
        size = np.abs(curves[:, right] - curves[:, left]) * windows.ratios
        values, supports = sums.decayed(DECAYS)
        for decay, value, support in zip(DECAYS, values, supports, strict=True):
            likely = decay**apart
            ends = of_left * likely[:, left] + (1.0 - of_left) * likely[:, right]
            mass = rows[2][:, None] * ends * windows.shares
            close = {"rtol": 1e-12 if decay == 0.75 else 1e-6, "err_msg": f"{convention}, {decay}"}
            assert_allclose(value, (mass * size).sum() / mass.sum(), **close)
            assert_allclose(support, mass.sum() / rows[2].sum(), **close)


@pytest.mark.parametrize(("farthest", "error"), [(1.0, 1e-6), (8.0, 1e-6), (20.0, 1e-6), (50.0, 1e-6), (3000.0, 1e-7)])
def test_one_distance_at_every_decay(farthest, error):
    """A sum of one likelihood is interpolated from 0.01 to 1, however far away."""
    nodes = choose_decay_nodes(0.3, farthest)
    for distance in np.append(np.geomspace(0.01, farthest, 40), np.linspace(0.0, farthest, 40)):
        found = nodes.interpolate(np.exp(-nodes.exponents * distance), DECAYS)
        assert_allclose(found, DECAYS**distance, rtol=0, atol=error)


def test_decays_below_the_lowest_are_refused():
    """Unless it is that of the explanation."""
    nodes = choose_decay_nodes(1e-6, 1.0)
    found = nodes.interpolate(nodes.exponents, np.array([1e-6, 0.01]))
    assert_allclose(found, -np.log([1e-6, 0.01]))
    with pytest.raises(OptionError, match=r"`decay` must be at least 0.01, or that of the explanation, 1e-06"):
        nodes.interpolate(nodes.exponents, np.array([0.5, 1e-5]))
