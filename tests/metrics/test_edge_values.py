"""One row, one value, no spread, no overlap: where a formula stops and a rule takes over."""

import math

import numpy as np
import oracles
import pandas as pd
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
def test_one_observation_has_no_spread(convention):
    """With n = 1 on its observed values: one grid value, all effects 0."""
    e = explained(product, np.array([[2.0, 3.0]]), convention=convention)
    table = e.table()
    assert_allclose(table[list(oracles.EFFECTS)].to_numpy(dtype=float), 0.0, atol=0)
    assert_allclose(table["support"], 1.0)
    assert_allclose(e["x0"].curves, [[6.0]])


@pytest.mark.parametrize("convention", oracles.CONVENTIONS)
def test_one_observation_on_a_given_grid(convention):
    """With n = 1 and σ = 0 with K = 3: all effects 0, full support, curves are shown."""
    e = explained(
        product,
        np.array([[2.0, 3.0]]),
        grid={"x0": [1.0, 2.0, 4.0]},
        convention=convention,
    )
    row = e.table().loc[e.features[0]]
    assert_allclose(row[list(oracles.EFFECTS)].to_numpy(dtype=float), 0.0, atol=0)
    assert row["support"] == 1
    assert_allclose(e["x0"].curves, [[3.0, 6.0, 12.0]])
    assert_allclose(e["x0"].likelihood(0.75), [[0.0, 1.0, 0.0]], atol=0)


@pytest.mark.parametrize("convention", oracles.CONVENTIONS)
def test_no_spread_on_a_given_grid(convention):
    """σ = 0 with K ≥ 2: effects 0; L is 1 at the observed value, else 0; support is 1."""
    X = np.column_stack([np.full(4, 2.0), np.arange(4.0)])
    e = explained(product, X, grid={"x0": [1.0, 2.0, 5.0]}, convention=convention)
    row = e["x0"].metrics()
    for name in oracles.EFFECTS:
        assert row[name] == 0, name
    assert e["x0"].scale == 0
    assert row["support"] == 1
    assert_allclose(e["x0"].likelihood(0.3), [[0.0, 1.0, 0.0]] * 4, atol=0)


def test_two_values_have_no_non_linearity():
    """K = 2: one slope per curve, nothing to deviate from."""
    X = np.array([[0.0, 1.0], [1.0, 2.0], [1.0, 5.0]])
    row = explained(product, X)["x0"].metrics()
    assert row["non_linearity"] == 0
    assert row["largest_step_share"] == 1


@pytest.mark.parametrize("decay", [1e-3, 1e-300, 5e-324])
@pytest.mark.parametrize("convention", oracles.CONVENTIONS)
def test_likelihoods_too_small_to_write_still_weigh(decay, convention):
    """Where every likelihood underflows, the ratio is that of the largest."""
    X = np.array([[0.0, 1.0], [10.0, 2.0], [3.0, -4.0]])
    grid = [4.0, 5.0, 7.0, 9.5]
    e = explained(square, X, grid={"x0": grid}, scale={"x0": 0.05}, convention=convention)
    row = e["x0"].metrics(decay=decay)
    expected = oracles.metrics(square, X, 0, grid=grid, own_scale=0.05, decay=decay, convention=convention)
    for name in ("in_distribution_impact", "support"):
        assert_allclose(row[name], expected[name], rtol=1e-9, atol=1e-300, err_msg=name)
    profile = e.decay_profile([decay, 1.0])
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
        profile = e.decay_profile(np.arange(1, 101) / 100)["x0"]
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
    row = explained(model, X, grid={"x0": grid}, scale={"x0": 0.05}, convention=convention)["x0"].metrics(decay)
    expected = oracles.metrics(model, X, 0, grid=grid, own_scale=0.05, convention=convention, decay=decay)
    for name in ("impact", "in_distribution_impact", "support"):
        assert_allclose(row[name], expected[name], rtol=1e-9, err_msg=name)


def test_a_given_scale_has_a_floor():
    """s_i is at least σ/100, so that a row of scale 0 does not vanish."""
    X = np.array([[0.0, 1.0], [10.0, 2.0], [3.0, -4.0]])
    f = explained(square, X, scale={"x0": np.array([1e-9, 1.0, 2.0])})["x0"]
    assert_allclose(f.likelihood_scale, [0.01 * f.scale, 1.0, 2.0], rtol=1e-12)


def test_a_given_scale_leaves_sigma_alone():
    """`scale=` changes the likelihood; the factor before the sums stays σ."""
    X = np.array([[0.0, 1.0], [10.0, 2.0], [3.0, -4.0]])
    plain = explained(square, X)["x0"]
    scaled = explained(square, X, scale={"x0": 0.5})["x0"]
    assert isinstance(scaled.scale, float)
    assert scaled.scale == plain.scale
    assert scaled.metrics()["impact"] == plain.metrics()["impact"]
    assert scaled.metrics()["support"] < plain.metrics()["support"]


def test_few_rows_keep_the_scale_of_all_rows():
    """They cannot tell what the other features leave open; nothing warns."""
    X = np.array([[0.0, 0.0], [1.0, 1.0]])
    feature = explained(product, X, scale="conditional", sample_weight=[0.25, 2.5])["x0"]
    assert_allclose(feature.likelihood_scale, feature.scale, rtol=0)


def test_a_conditional_scale_is_what_the_other_features_leave_open():
    """Near σ where they say nothing, far less where they say nearly all; at least σ/100."""
    rng = np.random.default_rng(6)
    free, copied = rng.normal(size=300), rng.normal(size=300)
    X = np.column_stack([free, copied, copied + rng.normal(0, 0.05, 300)])
    plain = explained(product, X)
    conditional = explained(product, X, scale="conditional")
    for name in ("x0", "x1", "x2"):
        f = conditional[name]
        assert f.scale == plain[name].scale
        assert f.metrics()["impact"] == plain[name].metrics()["impact"]
        assert f.likelihood_scale.shape == (300,)
        assert (f.likelihood_scale >= 0.01 * f.scale * (1 - 1e-12)).all()
    shares = [np.median(conditional[n].likelihood_scale) / plain[n].scale for n in ("x0", "x1", "x2")]
    assert 0.8 < shares[0] < 1.2
    assert max(shares[1:]) < 0.35
    again = explained(product, X, scale="conditional")
    assert_allclose(again["x1"].likelihood_scale, conditional["x1"].likelihood_scale, rtol=0)
    row = conditional["x1"].metrics(0.5)
    expected = oracles.metrics(product, X, 1, own_scale=conditional["x1"].likelihood_scale, decay=0.5)
    for name in ("in_distribution_impact", "support"):
        assert_allclose(row[name], expected[name], rtol=1e-9, err_msg=name)


def test_a_model_that_ignores_a_feature():
    """No impact: zeros, an undefined share, no note about steps."""
    X = np.array([[0.0, 1.0], [10.0, 2.0], [3.0, -4.0]])
    e = explained(square, X)
    row = e["x1"].metrics()
    for name in oracles.EFFECTS:
        assert row[name] == 0, name
    assert math.isnan(row["largest_step_share"])
    assert not any("x1" in note for note in e.notes)


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


def test_a_boolean_column_is_zero_and_one():
    """K = 2, kind "boolean", σ of the 0/1 coding."""
    X = pd.DataFrame({"flag": [True, False, True, True], "z": [1.0, 2.0, 3.0, 4.0]})
    e = explained(lambda Z: Z["flag"].to_numpy() * Z["z"].to_numpy(), X)
    f = e["flag"]
    assert f.kind == "boolean"
    assert_allclose(f.grid, [0.0, 1.0])
    assert_allclose(f.scale, math.sqrt(3) / 4, rtol=1e-15)
    assert_allclose(f.metrics()["impact"], f.scale * 2.5, rtol=1e-14)


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


@pytest.mark.parametrize("size", [1e-300, 1e-30, 1e30, 1e130])
def test_figures_are_those_of_the_same_model_whatever_its_unit(size, tmp_path):
    """However large or small predictions are, figures scale with them, and files can be written."""
    X = np.random.default_rng(0).normal(size=(40, 2))
    one, other = (explained(lambda rows, unit=unit: product(rows) * unit, X) for unit in (1.0, size))
    assert_allclose(other.table()["impact"], one.table()["impact"] * size, rtol=1e-9)
    if size > 1e-100:  # the square of what is smaller is 0
        assert_allclose(other.table()["heterogeneity"], one.table()["heterogeneity"] * size, rtol=1e-9)
    for suffix in (".svg", ".png", ".pdf", ".csv", ".json"):
        assert other.save(tmp_path / f"x{suffix}").is_file()


def test_values_next_to_zero_do_not_refuse_a_model_that_is_flat_there():
    """Between 0 and 1e-200 a slope is 0 where the model is, though the reciprocal of the gap has no square."""
    X = np.column_stack([[0.0, 1e-200, *np.linspace(0.1, 1, 8)], np.ones(10)])
    assert_allclose(explained(product, X)["x0"].slopes, 1.0, rtol=1e-12)
