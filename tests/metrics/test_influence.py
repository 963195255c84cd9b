"""Influences of rows and standard errors of samples, against derivatives, the jackknife and repeated draws."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ice_explorer.metrics.influence import DECAYED, UNDECAYED, Block, estimate_sampling, influences
from ice_explorer.metrics.ordered import OrderedSums
from ice_explorer.metrics.unordered import UnorderedSums, category_scale

OWN = 0.75
DECAYS = np.array([OWN, 0.3])
NAMES = (*UNDECAYED, *DECAYED)


class Ordered:
    """Curves of a feature with an order: slopes and bends differ between rows, and rows have weights."""

    def __init__(self, n, n_grid=25, active=None, *, weighted=True, seed=0, convention="step"):
        generator = np.random.default_rng(seed)
        self.n = n
        self.grid = np.sort(generator.normal(size=n_grid))
        self.own = generator.choice(self.grid, n) + 0.01
        self.units = generator.uniform(0.8, 1.5, n)
        self.weights = generator.integers(1, 4, n).astype(float) if weighted else np.ones(n)
        slope, bend = generator.normal(1.0, 0.7, (2, n, 1))
        curves = slope * self.grid + bend * np.sin(3 * self.grid) + 0.2 * self.own[:, None] * self.grid**2
        self.convention = convention
        self.active = np.arange(n_grid - 1) if active is None else np.asarray(active)
        self.curves = curves[:, np.append(self.active, self.active[-1] + 1)]
        self.missing = np.abs(generator.normal(size=n))
        self.shares = generator.uniform(size=n_grid)

    def sums(self, rows, weights=None):
        of_rows = self.own[rows], self.units[rows], (self.weights if weights is None else weights)[rows]
        sums = OrderedSums(self.grid, 0.6, self.shares, OWN, of_rows, active=self.active, convention=self.convention)
        sums.add(self.curves[rows], of_rows, self.missing[rows])
        sums.finish()
        return sums

    def block(self, rows):
        return Block(self.curves[rows], self.own[rows], self.units[rows], self.weights[rows], self.missing[rows])


class Category(Ordered):
    """Curves of a feature whose levels have no order; one level does not occur."""

    def __init__(self, n, n_levels=6, *, distances=False, seed=0):
        generator = np.random.default_rng(seed)
        self.n = n
        self.grid = np.arange(n_levels, dtype=float)
        self.own = generator.integers(0, n_levels - 1, n).astype(float)
        self.weights = generator.integers(1, 4, n).astype(float)
        self.shares = np.bincount(self.own.astype(int), self.weights, n_levels)
        self.curves = generator.normal(size=n_levels) + generator.normal(size=(n, n_levels))
        self.missing = np.abs(generator.normal(size=n))
        self.units = (self.own[:, None] != self.grid) * (generator.uniform(size=(n, n_levels)) if distances else 1.0)

    def sums(self, rows, weights=None):
        of_rows = self.own[rows], self.units[rows], (self.weights if weights is None else weights)[rows]
        sums = UnorderedSums(self.grid, category_scale(self.shares / self.shares.sum()), self.shares, OWN)
        sums.add(self.curves[rows], of_rows, self.missing[rows])
        sums.finish()
        return sums


def figures_of(sums):
    found = sums.undecayed()
    return {name: found[name] for name in UNDECAYED} | dict(zip(DECAYED, sums.decayed(DECAYS), strict=True))


KINDS = {
    "ordered": lambda: Ordered(90),
    "by the paper": lambda: Ordered(90, convention="paper"),
    "stretches": lambda: Ordered(90, active=[2, 3, 11, 20]),
    "levels": lambda: Category(90),
    "conditional levels": lambda: Category(90, distances=True),
}


@pytest.mark.parametrize("kind", KINDS)
def test_influences_are_derivatives_with_respect_to_weights(kind):
    """Of all rows in two blocks, where scale and shares stay; times the weight of all."""
    data, h = KINDS[kind](), 1e-4
    sums = data.sums(np.arange(data.n))
    halves = np.array_split(np.arange(data.n), 2)
    found = influences(sums, [data.block(rows) for rows in halves], DECAYS)[0]
    for row in (0, 44, 89):
        one = h * (np.arange(data.n) == row)
        moved = [figures_of(data.sums(np.arange(data.n), data.weights + side * one)) for side in (1, -1)]
        for name in NAMES:
            slope = (moved[0][name] - moved[1][name]) / (2 * h) * sums.total_weight
            close = {"rtol": 1e-4, "atol": 1e-4 * np.abs(found[name]).max()}
            assert_allclose(found[name][..., row], slope, **close, err_msg=name)


@pytest.mark.parametrize("kind", KINDS)
def test_errors_are_those_of_the_jackknife(kind):
    """Every metric, with weights and scales of rows."""
    data = KINDS[kind]()
    rows = np.arange(data.n)
    found = errors(data, rows, (data.n, 10**9))
    left_out = [figures_of(data.sums(np.delete(rows, at))) for at in rows]
    for name, error in found.items():
        figures = np.array([np.ravel(each[name])[0] for each in left_out])
        expected = np.sqrt((data.n - 1) / data.n * np.square(figures - figures.mean()).sum())
        assert_allclose(error, expected, rtol=0.05, err_msg=name)


def errors(data, rows, counts):
    sampling = estimate_sampling(data.sums(rows), data.block(rows), counts)
    return {**sampling.metrics, "in_distribution_impact": sampling.in_distribution_impact(DECAYS[:1])}


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("data", [Ordered(1500, weighted=False), Ordered(1500, 300, [4, 70, 200]), Category(1500)])
def test_two_standard_errors_cover_the_value_of_all_rows(data):
    """In 400 draws of 200 rows the figure of all rows is within 1.96 standard errors 95 % of the time."""
    everything = figures_of(data.sums(np.arange(data.n)))
    generator = np.random.default_rng(1)
    covered = {name: [] for name in UNDECAYED if not np.isnan(everything[name])}
    for _ in range(400):
        rows = np.sort(generator.choice(data.n, 200, replace=False))
        error, found = errors(data, rows, (200, data.n)), figures_of(data.sums(rows))
        for name, hits in covered.items():
            hits.append(abs(found[name] - everything[name]) <= 1.96 * error[name])
    for name, hits in covered.items():
        assert 0.91 <= np.mean(hits) <= 0.985, name


def test_a_sample_of_all_rows_has_no_error():
    """Its metrics are those of the result."""
    rows = np.arange(100)
    assert_allclose(list(errors(Ordered(100), rows, (100, 100)).values())[:4], 0.0)


def test_errors_where_there_is_no_spread():
    """Parallel curves have none, nor have constant features; of one row, or of one level that occurs, none is known."""
    data = Ordered(80, weighted=False)
    data.curves = data.curves[[0]] + np.linspace(0.0, 9.0, 80)[:, None]
    data.units = np.ones(80)
    found = errors(data, np.arange(80), (80, 1000))
    assert_allclose([found[name] for name in UNDECAYED[:4]], 0.0, atol=1e-12)
    assert found["missing_impact"] > 0.01
    ones = np.ones(4)
    for scale, grid in ((0.0, np.arange(2.0)), (1.0, np.ones(1))):
        sums = OrderedSums(grid, scale, np.ones(len(grid)), OWN, (ones, ones, ones))
        curves = np.ones((4, len(grid)))
        sums.add(curves, (ones, ones, ones))
        sums.finish()
        sampling = estimate_sampling(sums, Block(curves, ones, ones, ones, None), (4, 9))
        assert_allclose([sampling.metrics[name] for name in UNDECAYED], [0.0, 0.0, 0.0, 0.0, math.nan])
        assert_allclose(sampling.in_distribution_impact(np.array([0.1, 1.0])), 0.0)
    single = errors(Ordered(1), np.arange(1), (1, 100))
    assert np.isnan([float(np.squeeze(error)) for error in single.values()]).all()
    sums = UnorderedSums(np.arange(2.0), 0.5, np.array([0.0, 3.0]), OWN)
    sums.add(np.ones((3, 2)), (np.ones(3), None, np.ones(3)))
    block = Block(np.ones((3, 2)), np.ones(3), np.ones((3, 2)), np.ones(3), None)
    assert math.isnan(estimate_sampling(sums, block, (3, 9)).metrics["impact"])
