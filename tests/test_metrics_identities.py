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
    "non_linearity_mad",
]
NUMBERS = [*EFFECTS, "missing_impact", "effective_n", "largest_step_share", "scale", "n_grid"]
COARSE = st.one_of(own.WHOLE, own.QUARTERS)


def explained(model, X, **options):
    return ice.explain(model, X, progress=False, **options)


def table(model, X, **options):
    return explained(model, X, **options).table(sort_by=None)


def steepest(e):
    """Largest slope of any feature per standard deviation: the size that rounding is relative to."""
    return max(float(e[name].scale * np.abs(e[name].slopes).max(initial=0.0)) for name in e.features)


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
    flat = figures[["heterogeneity", "non_linearity", "non_linearity_mad"]].to_numpy()
    assert_allclose(flat, 0.0, atol=slack)
    assert_allclose(sigma, [own_sd(X[:, j], weights) for j in range(3)], rtol=1e-12)


def own_sd(values, weights):
    mean = np.average(values, weights=weights)
    return math.sqrt(np.average((values - mean) ** 2, weights=weights))


@given(X=own.tables(values=COARSE), model=own.additive_models(), options=own.CONVENTIONS)
def test_an_additive_model_has_no_heterogeneity(X, model, options):
    """All curves of an additive model are parallel."""
    e = explained(model, X, **options)
    assert_allclose(e.table()["heterogeneity"], 0.0, atol=1e-10 * (1 + steepest(e)))


@given(X=own.tables(), model=own.curved_models(), options=own.CONVENTIONS)
def test_without_decay_the_distribution_does_not_matter(X, model, options):
    """λ = 1: in-distribution impact is impact and rests on every observation."""
    figures = table(model, X, decay=1.0, **options)
    assert_allclose(figures["in_distribution_impact"], figures["impact"], rtol=1e-12)
    assert_allclose(figures["effective_n"], len(X), rtol=1e-12)


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


@given(
    X=own.tables(),
    model=own.curved_models(),
    options=own.OPTIONS,
    data=st.data(),
)
def test_the_order_of_the_rows_does_not_matter(X, model, options, data):
    """The table of a shuffled X is the table of X."""
    order = data.draw(st.permutations(range(len(X))))
    e = explained(model, X, **options)
    shuffled = table(model, X[list(order)], **options)
    assert_same(shuffled, e.table(sort_by=None), steepest(e))


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


@given(
    X=own.tables(min_rows=2),
    model=own.curved_models(),
    options=own.OPTIONS,
)
def test_duplicated_rows_change_one_degree_of_freedom(X, model, options):
    """Twice the rows: twice `effective_n`, heterogeneity by its ddof factor, nothing else."""
    n = len(X)
    e = explained(model, X, **options)
    expected = e.table(sort_by=None)
    expected["effective_n"] *= 2
    expected["heterogeneity"] *= math.sqrt((2 * n - 2) / (2 * n - 1))
    assert_same(table(model, np.repeat(X, 2, axis=0), **options), expected, steepest(e))


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


@given(
    X=own.tables(),
    value=own.VALUES,
    model=own.curved_models(),
    options=own.CONVENTIONS,
)
def test_a_constant_feature_has_no_effect(X, value, model, options):
    """K = 1: every effect is 0, every observation counts, the curves are still there."""
    X = X.copy()
    X[:, 0] = value
    e = explained(model, X, **options)
    row = e.table().loc[e.features[0]]
    assert_allclose(row[EFFECTS].to_numpy(dtype=float), 0.0, atol=0)
    assert row["largest_step_share"] == 0
    assert row["scale"] == 0
    assert row["n_grid"] == 1
    assert_allclose(row["effective_n"], len(X))
    f = e[e.features[0]]
    assert_allclose(f.curves[:, 0], model(X), rtol=0)
    assert f.curves.shape == (len(X), 1)
    assert f.slopes.shape == (len(X), 0)


@given(
    X=own.varied_tables(),
    model=own.curved_models(),
    options=own.OPTIONS,
)
def test_an_array_gives_the_figures_of_a_frame(X, model, options):
    """Column names are labels, not data."""
    of_array = explained(model, X, **options)
    of_frame = explained(model, pd.DataFrame(X, columns=["left", "right"]), **options)
    assert of_array.labels == ["x0", "x1"]
    assert of_frame.labels == ["left", "right"]
    assert_allclose(
        of_array.table(sort_by=None)[NUMBERS].to_numpy(dtype=float),
        of_frame.table(sort_by=None)[NUMBERS].to_numpy(dtype=float),
        rtol=0,
    )


@settings(max_examples=60)
@given(X=own.tables(values=own.WHOLE), model=own.curved_models())
def test_whole_numbers_count_the_same_as_integers_and_booleans(X, model):
    """The dtype of a column does not change a figure."""
    frame = pd.DataFrame(X, columns=["a", "b"])
    flags = pd.DataFrame({"a": X[:, 0] > 0, "b": X[:, 1]})
    numbers = flags.astype({"a": float})
    for left, right in ((frame.astype("int64"), frame), (flags, numbers)):
        assert_allclose(
            table(model, left)[NUMBERS].to_numpy(dtype=float),
            table(model, right)[NUMBERS].to_numpy(dtype=float),
            rtol=1e-12,
        )


@given(
    X=own.tables(min_rows=2),
    model=own.curved_models(),
    options=own.OPTIONS,
)
def test_figures_stay_within_their_bounds(X, model, options):
    """Effects are not negative, direction is no larger than impact, shares and counts are bounded."""
    e = explained(model, X, **options)
    figures = e.table()
    rounding = 1e-12 * steepest(e)
    assert (figures[[n for n in EFFECTS if n != "direction"]].to_numpy(dtype=float) >= 0).all()
    assert (figures["direction"].abs() <= figures["impact"] + rounding).all()
    assert (figures["effective_n"] > 0).all()
    assert (figures["effective_n"] <= len(X) * (1 + 1e-12)).all()
    share = figures["largest_step_share"].to_numpy()
    intervals = np.maximum(figures["n_grid"].to_numpy(dtype=float) - 1, 1)
    some = figures["impact"].to_numpy() > 0
    assert (share[some] >= (1 - 1e-12) / intervals[some]).all()
    assert (share <= 1 + 1e-12).all()
    assert_allclose(share[~some], 0.0)


@given(X=own.tables(min_rows=2), model=own.curved_models())
def test_impact_by_length_is_total_variation_over_range(X, model):
    """What the curve travels, per standard deviation, however fine the grid."""
    e = explained(model, X, weighting="length")
    for name in e.features:
        f = e[name]
        if len(f.grid) == 1:
            continue
        travelled = np.abs(np.diff(f.curves, axis=1)).sum(axis=1).mean()
        expected = f.scale * travelled / (f.grid[-1] - f.grid[0])
        assert_allclose(e.table().loc[name, "impact"], expected, rtol=1e-9)


@given(
    X=own.varied_tables(values=COARSE),
    model=own.curved_models(),
    extra=st.lists(st.floats(0.01, 0.99), min_size=1, max_size=4, unique=True),
)
def test_refining_the_grid_of_a_jump_does_not_move_impact_by_length(X, model, extra):
    """Between neighbouring values of a step function nothing travels further than before."""
    steps = own.Model("steps", (1.5, -0.25, 0.125), own._steps)
    grid = np.unique(X[:, 0])
    finer = np.unique(np.concatenate([grid, grid[0] + np.array(extra) * np.ptp(grid)]))
    assume(np.diff(finer).min() > 1e-6)
    coarse, fine = (
        table(steps, X, weighting="length", grid={"x0": values}).iloc[0]["impact"] for values in (grid, finer)
    )
    assert_allclose(fine, coarse, rtol=1e-9)


@given(X=own.varied_tables(max_rows=7), model=own.curved_models())
def test_mass_of_distinct_values_counts_the_first_interval_twice(X, model):
    """v_1 falls in the first interval, so distinct values weigh as "published" does."""
    assume(len(np.unique(X[:, 0])) == len(X))
    e = explained(model, X)
    mass = e["x0"].metrics(weighting="mass")
    published = e["x0"].metrics(convention="published")
    for name in ("impact", "direction", "heterogeneity", "largest_step_share"):
        assert_allclose(mass[name], published[name], rtol=1e-9, atol=1e-11 * steepest(e))


@pytest.mark.parametrize(("weighting", "ratio"), [("interval", 2.0), ("length", 1.0), ("mass", 2.0)])
def test_halving_the_gap_under_a_jump(weighting, ratio):
    """The slope across a jump doubles when its gap halves; only "length" weighs that away."""

    def jump(X):
        return (np.asarray(X)[:, 0] > 0.5).astype(float)

    def steepness(gap):
        values = np.array([0.0, 0.125, 0.25, 0.375, 0.5, 0.5 + gap, 0.625, 0.75, 1.0])
        row = table(jump, values[:, np.newaxis], weighting=weighting).loc["x0"]
        return row["impact"] / row["scale"]

    assert_allclose(steepness(2.0**-8) / steepness(2.0**-7), ratio, rtol=1e-12)
