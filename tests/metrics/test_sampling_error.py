"""Standard errors of drafts, against the jackknife and against repeated draws."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ice_explorer.metrics.ordered import CONVENTIONS, FeatureSums
from ice_explorer.metrics.sampling_error import SampledCurves, category_sampling, ordered_samplings
from ice_explorer.metrics.unordered import CategorySums, category_scale

DECAYS = np.array([0.75, *np.exp([-0.4, -1.6, -0.8])])  # the first one lies between those that are computed
NAMES = ("impact", "direction", "heterogeneity", "non_linearity", "missing_impact")


def ordered_sampling(curves, grid, active, scale, rows, *, missing_change, counts):
    """Errors of one feature."""
    own, likelihood_scale, weights = rows
    sampled = SampledCurves(curves, grid, active, scale, own, likelihood_scale, missing_change)
    return ordered_samplings([sampled], weights, counts)[0]


class Ordered:
    """Curves of a feature with an order: slopes and bends differ between rows, and rows have weights."""

    def __init__(self, n, n_grid=25, active=None, *, weighted=True, seed=0):
        generator = np.random.default_rng(seed)
        self.n = n
        self.grid = np.sort(generator.normal(size=n_grid))
        self.scale = 1.3
        self.own = generator.choice(self.grid, n) + 0.01
        self.likelihood_scale = generator.uniform(0.8, 1.5, n)
        self.weights = generator.integers(1, 4, n).astype(float) if weighted else np.ones(n)
        slope, bend = generator.normal(1.0, 0.7, (2, n, 1))
        curves = slope * self.grid + bend * np.sin(3 * self.grid) + 0.2 * self.own[:, None] * self.grid**2
        self.active = np.arange(n_grid - 1) if active is None else np.asarray(active)
        self.curves = curves[:, np.append(self.active, self.active[-1] + 1)]
        self.missing = np.abs(generator.normal(size=n))

    def metrics(self, rows, convention):
        of_rows = self.own[rows], self.likelihood_scale[rows], self.weights[rows]
        sums = FeatureSums(self.grid, self.scale, of_rows, self.active)
        sums.add(self.curves[rows], of_rows, self.missing[rows])
        sums.finish()
        found = sums.metrics(1.0, convention)
        return np.array([*(getattr(found, name) for name in NAMES), *sums.decayed(DECAYS, convention)[0]])

    def errors(self, rows, counts, convention):
        of_rows = self.own[rows], self.likelihood_scale[rows], self.weights[rows]
        sampling = ordered_sampling(
            self.curves[rows],
            self.grid,
            self.active,
            self.scale,
            of_rows,
            missing_change=self.missing[rows],
            counts=counts,
        )
        return in_order(sampling, convention)


class Category:
    """Curves of a feature whose levels have no order; one level does not occur."""

    def __init__(self, n, n_levels=6, *, distances=False, seed=0):
        generator = np.random.default_rng(seed)
        self.n = n
        self.grid = np.arange(n_levels, dtype=float)
        self.own = generator.integers(0, n_levels - 1, n).astype(float)
        self.weights = generator.integers(1, 4, n).astype(float)
        self.shares = np.bincount(self.own.astype(int), self.weights, n_levels)
        self.scale = category_scale(self.shares / self.shares.sum())
        self.curves = generator.normal(size=n_levels) + generator.normal(size=(n, n_levels))
        self.missing = np.abs(generator.normal(size=n))
        self.distances = generator.uniform(0.0, 1.0, (n, n_levels)) if distances else None

    def metrics(self, rows, convention):
        distances = None if self.distances is None else self.distances[rows]
        sums = CategorySums(self.grid, self.scale, self.shares, distances)
        sums.add(self.curves[rows], (self.own[rows], distances, self.weights[rows]), self.missing[rows])
        sums.finish()
        found = sums.metrics(1.0, convention)
        return np.array([*(getattr(found, name) for name in NAMES), *sums.decayed(DECAYS, convention)[0]])

    def errors(self, rows, counts, convention):
        apart = (self.own[:, None] != self.grid).astype(float) if self.distances is None else self.distances
        of_rows = apart[rows], self.weights[rows]
        sampling = category_sampling(
            self.curves[rows], self.scale, self.shares, of_rows, missing_change=self.missing[rows], counts=counts
        )
        return in_order(sampling, convention)


def in_order(sampling, convention):
    errors = [sampling.metrics[convention][name] for name in NAMES]
    return np.array([*errors, *sampling.in_distribution_impact(DECAYS, convention)])


def jackknife(data, rows, convention):
    """The standard error of each metric by leaving out one row at a time."""
    found = np.array([data.metrics(np.delete(rows, at), convention) for at in range(len(rows))])
    m = len(rows)
    return np.sqrt((m - 1) / m * np.square(found - found.mean(axis=0)).sum(axis=0))


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("active", [None, [2, 3, 11, 20]])
def test_errors_of_ordered_features_are_those_of_the_jackknife(convention, active):
    """Every metric, with weights and scales of rows; also where curves change in a few intervals alone."""
    data = Ordered(120, active=active)
    rows = np.arange(120)
    found = data.errors(rows, (120, 10**9), convention)
    assert_allclose(found, jackknife(data, rows, convention), rtol=0.03)


@pytest.mark.parametrize("distances", [False, True])
def test_errors_of_categories_are_those_of_the_jackknife(distances):
    """Every metric of levels without an order; direction and non-linearity have none."""
    data = Category(150, distances=distances)
    rows = np.arange(150)
    found = data.errors(rows, (150, 10**9), "stable")
    assert_allclose(found, jackknife(data, rows, "stable"), rtol=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("data", [Ordered(1500, weighted=False), Ordered(1500, 300, [4, 70, 200]), Category(1500)])
def test_two_standard_errors_cover_the_value_of_all_rows(data):
    """In 400 draws of 200 rows the figure of all rows is within 1.96 standard errors 95 % of the time."""
    everything = data.metrics(np.arange(data.n), "stable")
    generator = np.random.default_rng(1)
    covered = []
    for _ in range(400):
        rows = np.sort(generator.choice(data.n, 200, replace=False))
        error = data.errors(rows, (200, data.n), "stable")
        covered.append(np.abs(data.metrics(rows, "stable") - everything) <= 1.96 * error)
    share = np.mean(covered, axis=0)[~np.isnan(everything)]
    assert (share >= 0.91).all(), share
    assert (share <= 0.985).all(), share


def test_a_sample_of_all_rows_has_no_error():
    """The finite population correction is 0 there."""
    data = Ordered(50)
    assert_allclose(data.errors(np.arange(50), (50, 50), "stable"), 0.0)


def test_errors_of_another_number_of_rows_follow():
    """The spread of the influences stays, the number of rows and the correction change."""
    data = Ordered(100)
    of_rows = data.own, data.likelihood_scale, data.weights
    small = ordered_sampling(
        data.curves, data.grid, data.active, data.scale, of_rows, missing_change=data.missing, counts=(100, 800)
    )
    large = in_order(small.with_rows(400), "stable")
    assert_allclose(large, data.errors(np.arange(100), (400, 800), "stable"))


def test_parallel_curves_have_no_error_but_that_of_missing_values():
    """All rows have the same slopes, so that a sample tells them as all rows do."""
    data = Ordered(80, weighted=False)
    data.curves = data.curves[[0]] + np.linspace(0.0, 9.0, 80)[:, None]
    data.likelihood_scale = np.ones(80)
    found = data.errors(np.arange(80), (80, 1000), "stable")
    assert_allclose(found[:4], 0.0, atol=1e-12)
    assert found[4] > 0.01


def test_errors_where_there_is_no_spread():
    """Constant features have none, whatever the sample; of one row, or of levels of which one occurs, none is known."""
    ones = np.ones(4)
    for scale, grid in ((0.0, np.arange(2.0)), (1.0, np.ones(1))):
        active = np.arange(len(grid) - 1)
        sampling = ordered_sampling(
            np.ones((4, len(grid))), grid, active, scale, (ones, ones, ones), missing_change=None, counts=(4, 9)
        )
        assert_allclose([sampling.metrics["stable"][name] for name in NAMES], [0.0, 0.0, 0.0, 0.0, math.nan])
        assert_allclose(sampling.in_distribution_impact(np.array([0.1, 1.0]), "published"), 0.0)
    assert np.isnan(Ordered(1).errors(np.arange(1), (1, 100), "stable")).all()
    sampling = category_sampling(
        np.ones((3, 2)), 0.5, np.array([0.0, 3.0]), (np.ones((3, 2)), np.ones(3)), missing_change=None, counts=(3, 9)
    )
    assert math.isnan(sampling.metrics["stable"]["impact"])


def test_errors_of_many_features_are_those_of_each(monkeypatch):
    """Features with fewer grid values, with fewer intervals that count, or without any come in any order."""
    monkeypatch.setattr("ice_explorer.metrics.sampling_error._CELLS_AT_A_TIME", 30_000)
    n = 40
    features = [Ordered(n, 300, [4, 70, 200]), Ordered(n, 5), Ordered(n, 150), Ordered(n, 400, [399 - 1])]
    weights = features[0].weights
    sampled = [
        SampledCurves(each.curves, each.grid, each.active, each.scale, each.own, each.likelihood_scale, missing)
        for each, missing in zip(features, [None, features[1].missing, None, None], strict=True)
    ]
    sampled.insert(2, sampled[0]._replace(curves=np.ones((n, 1)), active=np.arange(0), missing_change=np.arange(n)))
    sampled.insert(1, sampled[1]._replace(scale=0.0))
    together = ordered_samplings(sampled, weights, (n, 99))
    for each, curves in zip(together, sampled, strict=True):
        (alone,) = ordered_samplings([curves], weights, (n, 99))
        for convention in CONVENTIONS:
            assert_allclose(in_order(each, convention), in_order(alone, convention), rtol=1e-12, atol=1e-13)
