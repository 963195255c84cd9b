"""What must hold between figures whatever the model and the table: no expected values, only laws."""

import math

import numpy as np
import pandas as pd
import pytest
import strategies as own
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import ice_explorer as ice

EFFECTS = [
    "impact",
    "in_distribution_impact",
    "direction",
    "heterogeneity",
    "non_linearity",
]
NUMBERS = [*EFFECTS, "missing_impact", "support", "largest_step_share", "scale", "n_grid"]
FEW = settings(max_examples=40)
COARSE = st.one_of(own.WHOLE, own.QUARTERS)


def explained(model, X, **options):
    return ice.explain(model, X, progress=False, **options)


def table(model, X, **options):
    return explained(model, X, **options).table(sort_by=None)


def steepest(e):
    """Largest slope of any feature per standard deviation: the size that rounding is relative to."""
    return max(float(e[name].scale * np.abs(e[name].slopes).max(initial=0.0)) for name in e.features)


@FEW
@given(
    X=own.tables(n_features=3, values=COARSE),
    model=own.linear_models(3),
    options=own.OPTIONS,
    data=st.data(),
)
def test_a_linear_model_has_its_coefficients_for_figures(X, model, options, data):
    """Impact and in-distribution impact are σ·|β|, direction σ·β, nothing bends, nothing differs."""
    weights = data.draw(st.one_of(st.none(), own.weights(len(X)) if len(X) > 1 else st.none()))
    e = explained(model, X, sample_weight=weights, **options)
    figures = e.table(sort_by=None)
    beta = np.array(model.parameters[1:])
    sigma = figures["scale"].to_numpy()
    slack = 1e-9 * (1 + np.abs(beta).max())
    assert_allclose(figures["impact"], sigma * np.abs(beta), rtol=1e-9, atol=slack)
    assert_allclose(figures["in_distribution_impact"], sigma * np.abs(beta), rtol=1e-9, atol=slack)
    assert_allclose(figures["direction"], sigma * beta, rtol=1e-9, atol=slack)
    flat = figures[["heterogeneity", "non_linearity"]].to_numpy()
    assert_allclose(flat, 0.0, atol=slack)
    assert_allclose(sigma, [own_sd(X[:, j], weights) for j in range(3)], rtol=1e-12)


def own_sd(values, weights):
    mean = np.average(values, weights=weights)
    return math.sqrt(np.average((values - mean) ** 2, weights=weights))


@FEW
@given(X=own.tables(), model=own.curved_models(), data=st.data())
def test_the_mean_of_the_curves_is_the_partial_dependence(X, model, data):
    """Weighted where there are weights; the spread is their standard deviation, ddof 0."""
    weights = data.draw(st.one_of(st.none(), own.weights(len(X)) if len(X) > 1 else st.none()))
    e = explained(model, X, sample_weight=weights)
    for name in e.features:
        f = e[name]
        mean = np.average(f.curves, axis=0, weights=weights)
        spread = np.sqrt(np.average((f.curves - mean) ** 2, axis=0, weights=weights))
        size = 1 + np.abs(f.curves).max()
        assert_allclose(f.partial_dependence, mean, rtol=1e-12, atol=1e-13 * size)
        assert_allclose(f.spread, spread, rtol=1e-9, atol=1e-12 * size)


@FEW
@given(X=own.tables(), model=own.curved_models())
def test_a_phantom_at_its_own_value_is_the_observation(X, model):
    """Every curve passes through the model's own prediction of its row."""
    e = explained(model, X)
    for column, name in enumerate(e.features):
        f = e[name]
        at_own = np.searchsorted(f.grid, X[:, column])
        assert_allclose(f.grid[at_own], X[:, column], rtol=0)
        assert_allclose(f.curves[np.arange(len(X)), at_own], model(X), rtol=0)
        assert_allclose(f.predictions(np.arange(len(X))), model(X), rtol=0)
        assert_allclose(f.observed, X[:, column], rtol=0)


def assert_same(actual, expected, size, columns=NUMBERS):
    """Compare two tables column by column, effects up to the rounding of the steepest slope."""
    for name in columns:
        slack = 1e-11 * size if name in EFFECTS else 0.0
        assert_allclose(
            actual[name].to_numpy(dtype=float),
            expected[name].to_numpy(dtype=float),
            rtol=1e-9,
            atol=slack,
            err_msg=name,
        )


@FEW
@given(
    X=own.tables(),
    model=own.curved_models(),
    factor=st.sampled_from([0.125, 0.5, 2.0, 64.0]),
    shift=st.sampled_from([0.0, -8.0, 0.5]),
    options=own.OPTIONS,
)
def test_the_unit_of_a_feature_does_not_matter(X, model, factor, shift, options):
    """Shifting or stretching a feature, the model adjusted, changes nothing but its scale."""
    e = explained(model, X, **options)
    expected = e.table(sort_by=None)
    expected.iloc[0, expected.columns.get_loc("scale")] *= factor

    def adjusted(Z):
        Z = np.array(Z, dtype=float)
        Z[:, 0] = (Z[:, 0] - shift) / factor
        return model(Z)

    moved = X.copy()
    moved[:, 0] = X[:, 0] * factor + shift
    assert_same(table(adjusted, moved, **options), expected, steepest(e))


@FEW
@given(
    X=own.tables(values=COARSE),  # an offset costs digits, which a tiny gap would magnify
    model=own.curved_models(),
    factor=st.sampled_from([-3.0, -1.0, 0.25, 1e6]),
    offset=st.sampled_from([0.0, 2.0]),
    options=own.OPTIONS,
)
def test_the_unit_of_the_output_scales_the_effects(X, model, factor, offset, options):
    """Direction follows the factor with its sign, every other effect its size; an offset is lost."""
    e = explained(model, X, **options)
    expected = e.table(sort_by=None)
    for name in EFFECTS:
        expected[name] *= factor if name == "direction" else abs(factor)
    scaled = explained(lambda Z: factor * (model(Z) + offset), X, **options)
    size = abs(factor) * max(steepest(e), 1.0)
    assert_same(scaled.table(sort_by=None), expected, size)


@FEW
@given(
    X=own.varied_tables(values=COARSE),
    model=own.curved_models(),
    extra=st.lists(st.floats(0.01, 0.99), min_size=1, max_size=4, unique=True),
)
def test_refining_the_grid_where_curves_are_linear_changes_nothing(X, model, extra):
    """Values inserted into a curve that is linear in between move no stable metric, only `n_grid` and the share."""
    grid = np.unique(X[:, 0])
    inserted = grid[0] + np.array(extra) * np.ptp(grid)
    finer = np.unique(np.concatenate([grid, inserted]))
    assume(np.diff(finer).min() > 1e-3)

    def linear_in_between(Z):
        Z = np.asarray(Z, dtype=float)
        below = np.clip(np.searchsorted(grid, Z[:, 0], side="right") - 1, 0, len(grid) - 2)
        at_ends = [model(np.column_stack([grid[below + side], Z[:, 1:]])) for side in (0, 1)]
        return at_ends[0] + (at_ends[1] - at_ends[0]) * (Z[:, 0] - grid[below]) / (grid[below + 1] - grid[below])

    coarse, fine = (explained(linear_in_between, X, grid={"x0": values}) for values in (grid, finer))
    kept = [*EFFECTS, "missing_impact", "support", "scale"]
    tables = [e.table(decay=1.0, sort_by=None).iloc[[0]] for e in (fine, coarse)]
    for name in kept:
        assert_allclose(tables[0][name], tables[1][name], rtol=1e-9, atol=1e-9 * steepest(coarse), err_msg=name)


@FEW
@given(
    X=own.varied_tables(values=own.VALUES),
    model=own.curved_models(),
    decay=own.DECAYS,
)
def test_mirroring_a_feature_changes_the_sign_of_direction_alone(X, model, decay):
    """Under "stable" the axis may run either way."""
    mirrored = X.copy()
    mirrored[:, 0] = -X[:, 0]

    def adjusted(Z):
        Z = np.array(Z, dtype=float)
        Z[:, 0] = -Z[:, 0]
        return model(Z)

    e = explained(model, X, decay=decay)
    expected = e.table(sort_by=None)
    expected.iloc[0, expected.columns.get_loc("direction")] *= -1
    assert_same(table(adjusted, mirrored, decay=decay), expected, steepest(e))


@FEW
@given(
    flags=st.lists(st.booleans(), min_size=2, max_size=12).filter(lambda flags: len(set(flags)) == 2),
    model=own.curved_models(),
    decay=own.DECAYS,
    data=st.data(),
)
def test_one_variable_has_one_column_of_figures_however_it_is_coded(flags, model, decay, data):
    """0/1, 1/0, False/True and two texts agree at every decay."""
    flags = np.array(flags)
    z = np.array(data.draw(st.lists(COARSE, min_size=len(flags), max_size=len(flags))))
    codings = {
        "0/1": (flags.astype(float), lambda values: values),
        "1/0": (1.0 - flags, lambda values: 1.0 - values),
        "bool": (flags, lambda values: values.astype(float)),
        "texts": (np.where(flags, "yes", "no"), lambda values: (values == "yes").astype(float)),
    }
    found = {}
    for name, (column, decoded) in codings.items():

        def predict(Z, decoded=decoded):
            return model(np.column_stack([decoded(Z["x"].to_numpy()).astype(float), Z["z"].to_numpy()]))

        e = explained(predict, pd.DataFrame({"x": column, "z": z}), decay=decay, features=["x"])
        found[name] = e["x"].metrics()
    size = 1 + max(abs(value) for value in found["0/1"].values() if not math.isnan(value))
    for name, figures in found.items():
        for metric in ("impact", "in_distribution_impact", "heterogeneity"):
            assert_allclose(figures[metric], found["0/1"][metric], rtol=1e-9, atol=1e-12 * size, err_msg=name)
    assert_allclose(found["1/0"]["direction"], -found["0/1"]["direction"], rtol=1e-9, atol=1e-12 * size)
    assert_allclose(found["bool"]["direction"], found["0/1"]["direction"], rtol=1e-9, atol=1e-12 * size)


@pytest.mark.parametrize(("convention", "ratio"), [("stable", 1.0), ("equations", 2.0), ("published", 2.0)])
def test_halving_the_gap_under_a_jump(convention, ratio):
    """The slope across a jump doubles when its gap halves; only "stable" weighs that away."""

    def jump(X):
        return (np.asarray(X)[:, 0] > 0.5).astype(float)

    def steepness(gap):
        values = np.array([0.0, 0.125, 0.25, 0.375, 0.5, 0.5 + gap, 0.625, 0.75, 1.0])
        row = table(jump, values[:, np.newaxis], convention=convention).loc["x0"]
        return row["impact"] / row["scale"]

    assert_allclose(steepness(2.0**-8) / steepness(2.0**-7), ratio, rtol=1e-12)


def test_a_step_of_1_at_the_median():
    """The prediction moves by 1: the stable figures say so whatever the distribution, the equations do not."""
    rng = np.random.default_rng(0)
    samples = {
        "uniform": rng.uniform(size=1000),
        "normal": rng.normal(size=1000),
        "lognormal, σ = 1": rng.lognormal(size=1000),
        "lognormal, σ = 2": rng.lognormal(sigma=2, size=1000),
    }
    found = {}
    for name, values in samples.items():
        median = np.median(values)
        e = explained(lambda Z, median=median: (np.asarray(Z)[:, 0] > median).astype(float), values[:, None])
        rows = [e["x0"].metrics(0.75, convention) for convention in ("stable", "equations")]
        found[name] = [row[metric] for row in rows for metric in ("impact", "in_distribution_impact")]
    expected = {
        "uniform": [0.2848, 0.3055, 0.2766, 0.2960],
        "normal": [0.1689, 0.2085, 0.1416, 0.1534],
        "lognormal, σ = 1": [0.0941, 0.2216, 3.992, 4.284],
        "lognormal, σ = 2": [0.0477, 0.2451, 11.33, 11.75],
    }
    for name, figures in expected.items():
        assert_allclose(found[name], figures, rtol=2e-3, err_msg=name)
