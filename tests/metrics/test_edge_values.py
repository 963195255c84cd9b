"""One row, one value, no spread, no overlap: where a formula stops and a rule takes over."""

import math

import numpy as np
import oracles
import pytest
from numpy.testing import assert_allclose

import ice_explorer as ice


def explained(model, X, **options):
    return ice.explain(model, X, progress=False, **options)


def square(X):
    return np.square(np.asarray(X, dtype=float)[:, 0])


def product(X):
    X = np.asarray(X, dtype=float)
    return X[:, 0] * X[:, 1]


@pytest.mark.parametrize("convention", oracles.CONVENTIONS)
@pytest.mark.parametrize("X", [[[2.0, 3.0]], [[2.0, 3.0], [2.0, 1.0], [2.0, 3.0]]], ids=["one row", "a constant"])
def test_a_feature_without_spread_has_no_effect(X, convention):
    """With σ = 0 all effects are 0 on any grid, and the likelihood is 1 at the observed value and 0 elsewhere."""
    X = np.array(X)
    for grid in ("observed", {"x0": [1.0, 2.0, 5.0]}):
        e = explained(product, X, grid=grid, features=["x0"], convention=convention)
        row = e.table().loc["x0"]
        assert_allclose(row[list(oracles.EFFECTS)].to_numpy(dtype=float), 0.0, atol=0)
        assert (row["support"], e["x0"].scale) == (1, 0)
        assert_allclose(e["x0"].curves, np.outer(X[:, 1], e["x0"].grid))
        assert_allclose(e["x0"].likelihood(0.3), np.tile(e["x0"].grid == 2.0, (len(X), 1)), atol=0)


@pytest.mark.parametrize("decay", [1e-3, 1e-300, 5e-324])
@pytest.mark.parametrize("convention", oracles.CONVENTIONS)
def test_likelihoods_too_small_to_write_still_weigh(decay, convention):
    """Where every likelihood underflows, the ratio is that of the largest."""
    X = np.array([[0.0, 1.0], [10.0, 2.0], [3.0, -4.0]])
    grid = [4.0, 5.0, 7.0, 9.5]
    e = explained(square, X, grid={"x0": grid}, distance={"x0": 0.05}, convention=convention, decay=decay)
    row = e["x0"].metrics()
    expected = oracles.metrics(square, X, 0, grid=grid, own_scale=0.05, decay=decay, convention=convention)
    for name in ("in_distribution_impact", "support"):
        assert_allclose(row[name], expected[name], rtol=1e-9, atol=1e-300, err_msg=name)
    profile = e.table([decay, 1.0])
    assert_allclose(profile["x0"], [row["in_distribution_impact"], row["impact"]], rtol=1e-9)


def test_a_jump_far_from_every_observation_it_moves_is_not_negative():
    """All of the steepness 37 scales away from its rows: next to nothing, and never less."""
    rng = np.random.default_rng(0)
    X = np.column_stack([np.append(rng.normal(0, 0.01, 1400), 0), np.append(np.zeros(1400), 1.0)])

    def jump(Z):
        Z = np.asarray(Z, dtype=float)
        return ((Z[:, 0] > 5) & (Z[:, 1] < 0.5)).astype(float)

    for far in (12.0, 20.0, 30.0):
        X[-1, 0] = far
        e = explained(jump, X, grid={"x0": [0.0, 0.01, far]}, features=["x0"])
        profile = e.table(np.arange(1, 101) / 100)["x0"]
        assert (profile >= 0).all()
        assert_allclose(profile[1.0], e["x0"].metrics()["impact"], rtol=1e-9)


@pytest.mark.parametrize("decay", [0.99, 0.75, 0.01, 1e-6])
@pytest.mark.parametrize("convention", oracles.CONVENTIONS)
def test_rows_far_from_all_right_ends(convention, decay):
    """All rows at the first grid value: the right ends keep their digits although they are unlikely."""
    rng = np.random.default_rng(0)
    X = np.column_stack([0.01 * rng.random(30), rng.normal(size=30)])

    def model(Z):
        Z = np.asarray(Z, dtype=float)
        return np.square(Z[:, 0]) * (1 + 0.1 * Z[:, 1])

    grid = [0.0, 1.0, 100.0]
    e = explained(model, X, grid={"x0": grid}, distance={"x0": 0.05}, convention=convention, decay=decay)
    row = e["x0"].metrics()
    expected = oracles.metrics(model, X, 0, grid=grid, own_scale=0.05, convention=convention, decay=decay)
    for name in ("impact", "in_distribution_impact", "support"):
        assert_allclose(row[name], expected[name], rtol=1e-9, err_msg=name)


def test_few_rows_keep_the_scale_of_all_rows():
    """They cannot tell what the other features leave open; nothing warns."""
    X = np.array([[0.0, 0.0], [1.0, 1.0]])
    feature = explained(product, X, distance="conditional", sample_weight=[0.25, 2.5])["x0"]
    assert_allclose(feature.likelihood_scale, feature.scale, rtol=0)


@pytest.mark.wide
def test_a_conditional_scale_is_what_the_other_features_leave_open():
    """Near σ where they say nothing, far less where they say nearly all; figures are those of the oracle."""
    rng = np.random.default_rng(6)
    free, copied = rng.normal(size=200), rng.normal(size=200)
    X = np.column_stack([free, copied, copied + rng.normal(0, 0.05, 200)])
    e = explained(product, X, distance="conditional", decay=0.5)
    for f in e.values():
        assert f.likelihood_scale.shape == (200,)
        assert (f.likelihood_scale >= 0.01 * f.scale * (1 - 1e-12)).all()
    shares = [np.median(f.likelihood_scale) / f.scale for f in e.values()]
    assert 0.8 < shares[0] < 1.2
    assert max(shares[1:]) < 0.35
    expected = oracles.metrics(product, X, 1, own_scale=e["x1"].likelihood_scale, decay=0.5)
    for name in ("impact", "in_distribution_impact", "support"):
        assert_allclose(e["x1"].metrics()[name], expected[name], rtol=1e-9, err_msg=name)


def test_a_column_without_spread_but_for_rounding():
    """A constant that no binary fraction holds has σ exactly 0."""
    X = np.column_stack([np.full(7, 0.1), np.arange(7.0)])
    assert explained(product, X, grid={"x0": [0.1, 0.3]})["x0"].scale == 0


def test_a_small_spread_on_a_large_slope_is_not_lost():
    """Slopes of a million that differ by a thousandth: a sum of squares would see nothing."""
    rng = np.random.default_rng(2)
    X = rng.integers(-8, 8, (40, 2)).astype(float)

    def model(Z):
        Z = np.asarray(Z, dtype=float)
        return 2.0**20 * Z[:, 0] + 2.0**-10 * Z[:, 0] * Z[:, 1]

    f = explained(model, X)["x0"]
    row = f.metrics()
    expected = f.scale * 2.0**-10 * X[:, 1].std(ddof=1)
    assert_allclose(row["heterogeneity"], expected, rtol=1e-9)
    assert_allclose(row["non_linearity"], 0.0, atol=1e-9)


def test_a_large_offset_of_the_feature_is_not_lost():
    """Years, identifiers, seconds since 1970: σ is computed about the mean."""
    X = np.column_stack([1.7e9 + np.arange(6.0), np.arange(6.0)])
    f = explained(lambda Z: np.asarray(Z)[:, 0] - 1.7e9, X)["x0"]
    assert_allclose(f.scale, np.arange(6.0).std(), rtol=1e-12)
    assert_allclose(f.metrics()["impact"], f.scale, rtol=1e-9)


def test_negative_zero_is_zero():
    """−0.0 and 0.0 are one grid value."""
    X = np.array([[-0.0, 1.0], [0.0, 2.0], [1.0, 3.0]])
    assert_allclose(explained(product, X)["x0"].grid, [0.0, 1.0])


def test_single_precision_columns_keep_their_values():
    """A float32 column is explained on its float32 values, not on doubles nearby."""
    X = np.array([[0.1, 1.0], [0.2, 2.0], [0.7, 3.0]], dtype=np.float32)
    f = explained(square, X)["x0"]
    assert_allclose(f.grid, X[:, 0].astype(float), rtol=0)
    assert_allclose(f.curves[:, 1], np.square(X[:, 0].astype(float))[1], rtol=1e-7)


def test_a_column_with_one_known_value_and_missing_ones():
    """K = 1 beside NaN: no effect between numbers, and still an effect of being missing."""
    X = np.array([[2.0, 1.0], [np.nan, 2.0], [2.0, 3.0]])

    def model(Z):
        Z = np.asarray(Z, dtype=float)
        return np.where(np.isnan(Z[:, 0]), 10.0, Z[:, 0]) * Z[:, 1]

    e = explained(model, X)
    row = e["x0"].metrics()
    assert row["impact"] == 0
    assert_allclose(row["missing_impact"], (8 + 16 + 24) / 3, rtol=1e-14)
    assert math.isnan(e["x1"].metrics()["missing_impact"])
    assert_allclose(e["x0"].missing_curve, [10.0, 20.0, 30.0])
    assert e["x1"].missing_curve is None
    assert np.isfinite(e["x0"].grid).all()


@pytest.mark.parametrize("size", [pytest.param(1e-300, marks=pytest.mark.wide), 1e130])
def test_figures_are_those_of_the_same_model_whatever_its_unit(size, tmp_path):
    """However large or small predictions are, figures scale with them, and files can be written."""
    X = np.random.default_rng(0).normal(size=(40, 2))
    one, other = (explained(lambda rows, unit=unit: product(rows) * unit, X) for unit in (1.0, size))
    assert_allclose(other.table()["impact"], one.table()["impact"] * size, rtol=1e-9)
    if size > 1e-100:  # the square of what is smaller is 0
        assert_allclose(other.table()["heterogeneity"], one.table()["heterogeneity"] * size, rtol=1e-9)
    for suffix in (".svg", ".csv", ".json"):
        assert other.save(tmp_path / f"x{suffix}").is_file()


def test_values_next_to_zero_do_not_refuse_a_model_that_is_flat_there():
    """Between 0 and 1e-200 a slope is 0 where the model is, though the reciprocal of the gap has no square."""
    X = np.column_stack([[0.0, 1e-200, *np.linspace(0.1, 1, 8)], np.ones(10)])
    assert_allclose(explained(product, X)["x0"].slopes, 1.0, rtol=1e-12)
