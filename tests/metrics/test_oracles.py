"""The oracles themselves, against figures worked out by hand."""

import math

import numpy as np
import oracles
import pytest
from numpy.testing import assert_allclose

SQUARE = np.array([[0.0], [1.0], [3.0]])
SIGMA = math.sqrt(14) / 3


def square(X):
    return X[:, 0] ** 2


def product(X):
    return X[:, 0] * X[:, 1]


# On 0, 1, 3, x² has slopes 1 and 4, of which "paper" repeats the first. Steps of σ = 1.25 reach from 0 to 3 around 0
# and 1, and from 1 to 3 around 3, with slopes 3, 3, 4. With λ = ½ and scale 1, likelihoods are 1, ½, ⅛ at 0; ½, 1, ¼
# at 1 and ⅛, ¼, 1 at 3, summed 13/8, 7/4, 11/8.
BY_HAND = {
    "step": {
        "impact": 10 / 3,
        "direction": 10 / 3,
        "in_distribution_impact": (2 * 3 * 1.5 + 4 * 1.5625) / (2 * 1.5 + 1.5625),
        "support": (2 * 1.5 + 1.5625) / 9 / SIGMA,
        "non_linearity": 4 / 9,  # mean absolute deviation
    },
    "paper": {
        "impact": 2.0,
        "direction": 2.0,
        "in_distribution_impact": (1.625 + 1.75 + 4 * 1.375) / 4.75,
        "support": 4.75 / 9 / SIGMA,
        "non_linearity": math.sqrt(3),  # standard deviation, ddof 1
    },
}


@pytest.mark.parametrize("convention", BY_HAND)
def test_figures_of_a_square(convention):
    """Impact drops the sign of slopes and direction keeps it; σ of 0, 1, 3 with ddof 0 is √14/3."""
    assert_allclose(oracles.scale([0.0, 1.0, 3.0], [1.0] * 3), SIGMA, rtol=1e-15)
    figures = oracles.metrics(square, SQUARE, 0, decay=0.5, own_scale=1.0, convention=convention)
    for name, expected in BY_HAND[convention].items():
        assert_allclose(figures[name], SIGMA * expected, rtol=1e-14, err_msg=name)
    falling = oracles.metrics(lambda X: -square(X), SQUARE, 0, convention=convention)
    assert_allclose(falling["impact"], -falling["direction"], rtol=1e-15)


def test_heterogeneity_of_a_product():
    """Slopes 1 and 3 between two observations: their SD (ddof 1) is √2."""
    X = np.array([[0.0, 1.0], [2.0, 3.0]])
    figures = oracles.metrics(product, X, 0)
    assert_allclose(figures["heterogeneity"], math.sqrt(2), rtol=1e-15)


def test_heterogeneity_with_frequency_weights():
    """Slopes 1, 1 and 3, the first two from one observation of weight 2."""
    X = np.array([[0.0, 1.0], [2.0, 3.0]])
    figures = oracles.metrics(product, X, 0, weights=[2.0, 1.0])
    sigma = math.sqrt(8) / 3
    assert_allclose(figures["scale"], sigma, rtol=1e-15)
    assert_allclose(figures["heterogeneity"], sigma * math.sqrt(4 / 3), rtol=1e-14)
    assert_allclose(figures["impact"], sigma * 5 / 3, rtol=1e-14)


def test_missing_own_values_take_the_lower_median():
    """Of 1, 2, 3, 4 the lower median is 2, and weight moves it."""
    assert oracles.lower_weighted_median([1.0, 2.0, math.nan, 3.0, 4.0], [1.0] * 5) == 2.0
    assert oracles.lower_weighted_median([1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 1.0, 2.0]) == 3.0


def test_missing_impact_by_hand():
    """Curves at observed value 0, 2 and (the median of the known 0 and 2) 0, against 7 at NaN."""
    X = np.array([[0.0], [2.0], [math.nan]])
    figures = oracles.metrics(lambda X: np.where(np.isnan(X[:, 0]), 7.0, X[:, 0]), X, 0)
    assert_allclose(figures["missing_impact"], (7 + 5 + 7) / 3, rtol=1e-15)
    assert_allclose(figures["scale"], 1.0, rtol=1e-15)
    assert_allclose(figures["impact"], 1.0, rtol=1e-15)


def test_a_tiny_decay_does_not_lose_the_ratio():
    """Where every likelihood underflows, the ratio is that of the likeliest phantoms."""
    X = np.array([[0.0], [10.0]])
    figures = oracles.metrics(square, X, 0, grid=[4.0, 5.0, 7.0], decay=1e-9, own_scale=0.05, convention="paper")
    assert oracles.likelihood([5.0], [0.0], [0.05], 1e-9) == [[0.0]]
    assert_allclose(figures["in_distribution_impact"], 5 * 12, rtol=1e-12)


@pytest.mark.parametrize("size", [2, 3, 5, 100])
def test_quantile_grid_is_numpys_inverted_cdf(size):
    """The unweighted quantile grid is that of numpy, rounding included."""
    values = np.random.default_rng(3).integers(0, 40, 57) / 4
    expected = np.unique(np.quantile(values, np.linspace(0, 1, size), method="inverted_cdf"))
    assert_allclose(oracles.quantile_grid(values.tolist(), [1.0] * 57, size), expected, rtol=0)


def test_quantile_grid_of_frequency_weights_is_that_of_repeated_rows():
    """Integer weights and repeated rows give one grid."""
    rng = np.random.default_rng(4)
    values, weights = rng.normal(size=40), rng.integers(0, 5, 40)
    repeated = np.repeat(values, weights)
    expected = np.unique(np.quantile(repeated, np.linspace(0, 1, 13), method="inverted_cdf"))
    grid = oracles.quantile_grid(values.tolist(), weights.astype(float).tolist(), 13)
    assert_allclose(grid, expected, rtol=0)
