"""The compiled sums against NumPy's, and the sums over likelihoods against plain double loops."""

import math

import numpy as np
import oracles
import parity
import pytest
import strategies
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from ice_explorer.adapters.models.link import Link
from ice_explorer.curves.trees import margins_numba
from ice_explorer.curves.trees.margins_numba import LINKS
from ice_explorer.metrics import decay_sums as decay_module
from ice_explorer.metrics import decay_sums_numba, ordered_numba
from ice_explorer.metrics.decay_sums import DecaySums, Ends
from ice_explorer.metrics.observed_value_nodes import ObservedValues, hints_of
from ice_explorer.metrics.ordered import FeatureSums, Moments

ALL_DECAYS = np.array([1.0, 0.99, 0.75, 0.5, 0.1, 0.01, 1e-3, 1e-4, 1e-6, 1e-8])


# metrics_numba.add = FeatureSums.add -------------------------------------------------------------


def feature(rng, n, n_grid, *, n_active=None, weighted=False, own_scales=False, on_grid=False, offset=0.0):
    """Rows of one feature: grid, active intervals, stretches, observed values, likelihood scales, weights."""
    grid = np.cumsum(rng.choice([1e-3, 0.25, 1.0], n_grid)) + offset
    active = np.arange(n_grid - 1)
    if n_active is not None:
        active = np.sort(rng.choice(active, min(n_active, n_grid - 1), replace=False))
    stretches = rng.normal(size=(n, len(active) + 1)).cumsum(axis=1) + offset
    observed = rng.choice(grid, n) if on_grid else rng.uniform(grid[0] - 1, grid[-1] + 1, n)
    scales = rng.uniform(0.2, 3.0, n) if own_scales else np.full(n, 0.8)
    weights = rng.choice([0.75, 1.0, 2.0, 3.5], n) if weighted else np.ones(n)
    return grid, active, stretches, observed, scales, weights


def empty(grid, active, rows, scale=0.8, *, compiled=True):
    return FeatureSums(grid, scale, rows, active, compiled=compiled)


def summed(add, grid, active, stretches, rows, *, blocks, change=None):
    sums = empty(grid, active, rows, compiled=add is not by_numpy)
    for block in blocks:
        part = tuple(values[block] for values in rows)
        add(sums, np.ascontiguousarray(stretches[block]), part, None if change is None else change[block])
    return sums


def by_numpy(sums, stretches, rows, change):
    sums.add(stretches, rows, change)


def assert_equal_sums(compiled, plain):
    """Every sum that is kept, to rounding."""
    assert (compiled.n_rows, compiled.lowest, compiled.highest) == (plain.n_rows, plain.lowest, plain.highest)
    assert_allclose(compiled.total_weight, plain.total_weight, rtol=1e-15)
    assert_allclose(compiled._missing_change, plain._missing_change, rtol=1e-13)
    for name in ("curves", "slopes"):
        mine, theirs = getattr(compiled, name), getattr(plain, name)
        if compiled.steps or name == "curves":
            assert_allclose(mine.weight, theirs.weight, rtol=1e-15)
        size = np.abs(theirs.mean).max(initial=1e-300)
        assert_allclose(mine.mean, theirs.mean, rtol=1e-12, atol=1e-14 * size)
        assert_allclose(mine.squared, theirs.squared, rtol=1e-11, atol=1e-28 * size**2)
    for name in ("slope_abs", "along"):
        if compiled.steps:
            assert_allclose(getattr(compiled, name), getattr(plain, name), rtol=1e-12, atol=1e-300, err_msg=name)
    assert (compiled.likelihoods is None) == (plain.likelihoods is None)
    if compiled.likelihoods is not None and plain.likelihoods.by_bucket is not None:
        by_bucket = plain.likelihoods.by_bucket
        close = {"rtol": 1e-11, "atol": 1e-14 * np.abs(by_bucket).max(initial=0)}
        assert_allclose(compiled.likelihoods.by_bucket[:, : by_bucket.shape[1]], by_bucket, **close)
        assert not compiled.likelihoods.by_bucket[:, by_bucket.shape[1] :].any()
    assert_equal_decays(compiled, plain)


def assert_equal_decays(compiled, plain):
    """All that depends on decays, once all rows are added."""
    compiled.finish()
    plain.finish()
    for convention in compiled.steps:
        found = [sums.decayed(ALL_DECAYS, convention) for sums in (compiled, plain)]
        assert_allclose(*found, rtol=1e-11)


@pytest.mark.parametrize("offset", [0.0, 1e4], ids=["", "far from 0"])
@pytest.mark.parametrize("n_active", [None, 0, 1, 3], ids=lambda n: "all" if n is None else str(n))
@pytest.mark.parametrize(
    "options",
    [{}, {"weighted": True}, {"own_scales": True}, {"weighted": True, "own_scales": True}, {"on_grid": True}],
    ids=lambda options: " ".join(options) or "plain",
)
@pytest.mark.parametrize(("n", "n_grid"), [(1, 2), (2, 1), (3, 2), (40, 7), (300, 30), (900, 4)])
def test_the_compiled_sums_are_those_of_numpy(n, n_grid, options, n_active, offset):
    """In blocks of several sizes, a block of one row among them."""
    grid, active, stretches, *rows = feature(
        np.random.default_rng(n + n_grid), n, n_grid, n_active=n_active, offset=offset, **options
    )
    blocks = [block for block in np.split(np.arange(n), [1, n // 3, n // 2]) if len(block)]
    change = np.abs(rows[0])
    compiled = summed(ordered_numba.add, grid, active, stretches, tuple(rows), blocks=blocks, change=change)
    plain = summed(by_numpy, grid, active, stretches, tuple(rows), blocks=blocks, change=change)
    if n_grid == 1:
        compiled.likelihoods = plain.likelihoods = None
    assert_equal_sums(compiled, plain)


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 60),
    n_grid=st.integers(2, 12),
    options=st.fixed_dictionaries(
        {"n_active": st.integers(0, 11), **dict.fromkeys(("weighted", "own_scales", "on_grid"), st.booleans())}
    ),
)
@settings(max_examples=80)
def test_inactive_intervals_are_intervals_of_slope_0(seed, n, n_grid, options):
    """Handing over stretches is the same as handing over the curve at every grid value."""
    grid, active, stretches, *rows = feature(np.random.default_rng(seed), n, n_grid, **options)
    everywhere = np.arange(n_grid - 1)
    curves = stretches[:, np.searchsorted(active, np.arange(n_grid))]
    blocks = [np.arange(n)]
    short = summed(ordered_numba.add, grid, active, stretches, tuple(rows), blocks=blocks)
    full = summed(by_numpy, grid, everywhere, curves, tuple(rows), blocks=blocks)
    short.finish()
    full.finish()
    assert_allclose(short.partial_dependence, full.partial_dependence, rtol=1e-12, atol=1e-13)
    assert_allclose(short.spread, full.spread, rtol=1e-10, atol=1e-13)
    weights = rows[2] / rows[2].sum()
    assert_allclose(short.partial_dependence, weights @ curves, rtol=1e-12, atol=1e-13)
    assert_allclose(short.spread, np.sqrt(weights @ (curves - weights @ curves) ** 2), rtol=1e-10, atol=1e-13)
    for convention in oracles.CONVENTIONS:
        assert_allclose(short.interval_impact(convention), full.interval_impact(convention), rtol=1e-12, atol=1e-13)
        for decay in (1.0, 0.5, 1e-3):
            mine, theirs = (sums.metrics(decay, convention) for sums in (short, full))
            for name in (*oracles.EFFECTS, "support", "largest_step_share"):
                size = full.scale * np.abs(full.slopes.mean).max(initial=0.0) + 1.0
                assert_allclose(
                    getattr(mine, name), getattr(theirs, name), rtol=1e-10, atol=1e-12 * size, err_msg=name
                )  # fmt: skip


@given(
    seed=st.integers(0, 10**6),
    n=st.sampled_from([1, 2, 30, 700]),
    n_grid=st.sampled_from([1, 2, 9, 40]),
    options=st.fixed_dictionaries(
        {"n_active": st.sampled_from([None, 0, 3])}
        | dict.fromkeys(("weighted", "own_scales", "on_grid", "compiled", "by_distance"), st.booleans())
    ),
)
@settings(max_examples=80)
def test_parallel_curves_are_added_without_forming_them(seed, n, n_grid, options):
    """Sums, table and decays are those of the curves; the slopes differ by exactly 0."""
    rng = np.random.default_rng(seed)
    compiled, most_cells = options.pop("compiled"), 0 if options.pop("by_distance") else None
    grid, active, _, *rows = feature(rng, n, n_grid, **options)
    rows = tuple(rows)
    step, offsets = rng.normal(size=len(active) + 1), 10.0 * rng.normal(size=n)
    change = rng.uniform(size=n)
    blocks = [block for block in np.split(np.arange(n), [n // 3, n // 2]) if len(block)]
    found = []
    for parallel in (True, False):
        sums = FeatureSums(grid, 0.8, rows, active, compiled=compiled, most_cells=most_cells)
        for block in blocks:
            part = tuple(values[block] for values in rows)
            if parallel:
                sums.add_parallel(step, offsets[block], part, change[block])
            elif compiled:
                ordered_numba.add(sums, offsets[block, None] + step, part, change[block])
            else:
                sums.add(offsets[block, None] + step, part, change[block])
        sums.finish()
        found.append(sums)
    mine, theirs = found
    assert (mine.n_rows, mine.lowest, mine.highest) == (theirs.n_rows, theirs.lowest, theirs.highest)
    assert_array_equal(mine.slopes.squared, 0.0)
    size = np.abs(step).max() + np.abs(offsets).max()
    assert_allclose(mine.partial_dependence, theirs.partial_dependence, rtol=1e-12, atol=1e-14 * size)
    assert_allclose(mine.spread, theirs.spread, rtol=1e-12, atol=1e-14 * size)
    # The slopes of curves that are formed carry the rounding of the curves.
    noise = 1e-15 * size / np.diff(grid).min(initial=1.0)
    for convention in oracles.CONVENTIONS:
        for decay in (1.0, 0.5, 0.01):
            figures, expected = (sums.metrics(decay, convention) for sums in found)
            for name in vars(expected):
                close = {"rtol": 1e-12, "atol": 10 * noise if n_grid > 1 else 0.0}
                if name == "heterogeneity" and not math.isnan(expected.heterogeneity):
                    assert figures.heterogeneity == 0.0
                elif name == "largest_step_share":
                    close["atol"] /= max(expected.impact, noise)
                assert_allclose(getattr(figures, name), getattr(expected, name), **close, err_msg=name)


def test_many_parallel_curves_are_added_by_distance_a_few_at_a_time():
    """Where each row has a likelihood scale, it keeps its observed value and scale."""
    rng = np.random.default_rng(0)
    grid, active, _, *rows = feature(rng, 5000, 6, own_scales=True, weighted=True)
    step, offsets, rows = rng.normal(size=6), rng.normal(size=5000), tuple(rows)
    parallel, formed = empty(grid, active, rows), empty(grid, active, rows)
    parallel.add_parallel(step, offsets, rows)
    ordered_numba.add(formed, offsets[:, None] + step, rows, None)
    assert_equal_decays(parallel, formed)


@pytest.mark.parametrize("link", ["identity", "sigmoid", "exp"])
@pytest.mark.parametrize(("n", "n_active"), [(1, 0), (3, 2), (150, 8)])
def test_jumps_are_added_as_their_curves_are(link, n, n_active):
    """Without forming them: the same sums, and cells of the feature that are 0 again."""
    rng = np.random.default_rng(n)
    grid, active, _, *rows = feature(rng, n, 9, n_active=n_active, weighted=True)
    jumps, base, rows = rng.normal(size=(n_active + 5, n)), rng.normal(size=n), tuple(rows)
    expected = jumps.copy()
    expected[2 : n_active + 4] = 0.0
    stretches = Link(link).apply((base + np.cumsum(jumps[2 : n_active + 3], axis=0)).T[None])
    folded = empty(grid, active, rows)
    ordered_numba.fold(folded, (jumps, base, 2, LINKS[link]), rows, None)
    assert_array_equal(jumps, expected)
    plain = summed(by_numpy, grid, active, stretches, rows, blocks=[np.arange(n)])
    for sums in (folded, plain):
        sums.lowest, sums.highest = (float(np.float32(bound)) for bound in (sums.lowest, sums.highest))
    assert_equal_sums(folded, plain)


def test_the_compiled_exponential():
    """Of any number: within rounding where the exponential is a number, 0 and infinite beyond, NaN of NaN."""
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.uniform(-700, 700, 2000), rng.normal(size=2000), [0.0, -0.0]])
    far = np.array([-np.inf, -1e9, -710.0, 710.0, 1e9, np.inf, np.nan])
    for sign in (1.0, -1.0):
        found, power = np.empty(len(values)), np.empty(len(values))
        margins_numba.exponential(values, sign, (power, power.view(np.int64)), found)
        assert_allclose(found, np.exp(sign * values), rtol=5e-16)
    found, power = np.empty(len(far)), np.empty(len(far))
    margins_numba.exponential(far, 1.0, (power, power.view(np.int64)), found)
    assert_array_equal(found, [0.0, 0.0, 0.0, np.inf, np.inf, np.inf, np.nan])


def test_many_blocks_are_one():
    """A row at a time gives the sums of all rows at once, to rounding."""
    grid, active, stretches, *rows = feature(np.random.default_rng(0), 200, 9, weighted=True)
    whole = summed(ordered_numba.add, grid, active, stretches, tuple(rows), blocks=[np.arange(200)])
    single = summed(ordered_numba.add, grid, active, stretches, tuple(rows), blocks=np.arange(200)[:, None])
    assert_equal_sums(single, whole)


@pytest.mark.parametrize("splits", [[1, 100, 2500], [2000]], ids=["growing", "halves"])
def test_squared_deviations_do_not_cancel(splits):
    """A spread of a millionth beside a mean of a million keeps its digits."""
    rng = np.random.default_rng(1)
    columns = 1e6 + 1e-3 * rng.normal(size=(4000, 3))
    weights = rng.choice([1.0, 2.0], 4000)
    exact = [
        math.fsum(w * (x - m) ** 2 for w, x in zip(weights, column, strict=True))
        for column in columns.T
        for m in [math.fsum(w * x for w, x in zip(weights, column, strict=True)) / math.fsum(weights)]
    ]
    grid = np.arange(3.0)
    rows = np.ones(4000), np.ones(4000), weights
    plain, compiled = Moments(3), empty(grid, np.arange(2), rows)
    for block in np.split(np.arange(4000), splits):
        plain.add(columns[block], weights[block])
        ordered_numba.add(compiled, columns[block], tuple(values[block] for values in rows), None)
    # The mean is known to 1e-10, a part in ten million of the spread.
    assert_allclose(plain.squared, exact, rtol=1e-6)
    assert_allclose(compiled.curves.squared, exact, rtol=1e-6)


def test_one_interval_that_is_longer_than_all_others_to_rounding():
    """A sentinel far away takes all the length, so that slopes count in one interval alone."""
    X = np.column_stack([np.arange(6.0), np.arange(6) % 2])
    for sentinel in (1e9, 1e15, 1e30):
        grid = {"x0": [0.0, 1.0, 2.0, sentinel]}
        found = parity.explained(lambda rows: np.minimum(rows[:, 0] * rows[:, 1], 3.0), X, grid=grid)
        figures = found["x0"].metrics(0.5)
        assert all(np.isfinite(value) for name, value in figures.items() if name != "missing_impact")
        u = np.diff(grid["x0"]) / sentinel
        slopes = found["x0"].slopes
        along = np.abs(slopes - (slopes @ u)[:, None]) @ u
        assert_allclose(figures["non_linearity"], found["x0"].scale * along.mean(), rtol=1e-9)


# Sums over likelihoods against double loops --------------------------------------------------------


def decayed_by_loops(grid, rows, convention, slopes, scale):
    """In-distribution impact and support for all decays, a slope for each interval."""
    observed, scales, weights = (values.tolist() for values in rows)
    found = np.empty((2, len(ALL_DECAYS)))
    for at, decay in enumerate(ALL_DECAYS):
        logs = oracles.exponents(grid.tolist(), observed, scales, decay)
        found[:, at] = _decayed(
            slopes.tolist(), logs, weights, oracles.interval_weights(grid.tolist(), convention), convention
        )
    return scale * found[0], found[1]


def _decayed(slopes, logs, weights, u, convention):
    terms = []
    for row, exponents, weight in zip(slopes, logs, weights, strict=True):
        for k in range(len(u)):
            ends = exponents[k : k + 2] if convention == "stable" else exponents[k + 1 : k + 2]
            terms.append((weight * u[k], ends, abs(row[k])))
        if convention == "published":
            terms.append((weight * u[0], exponents[:1], abs(row[0])))
    top = max(e for _, ends, _ in terms for e in ends)
    likely = [(w * math.fsum(math.exp(e - top) for e in ends) / len(ends), s) for w, ends, s in terms]
    whole = math.fsum(w for w, _, _ in terms)
    below = math.fsum(m for m, _ in likely)
    return math.fsum(m * s for m, s in likely) / below, math.exp(top) * below / whole


# What decays may be off by, from which on, where observed values are interpolated at nodes.
INTERPOLATED = ((1e-3, 1e-9), (1e-4, 1e-8), (1e-8, 3e-6))


def assert_decays(n, n_grid, *, scale=0.8, chosen=None, active=None, rows=None, **options):
    """All decays of a random feature, compiled, against double loops."""
    rng = np.random.default_rng(n * n_grid)
    grid, drawn, stretches, observed, scales, weights = feature(
        rng, n, n_grid, n_active=active if chosen is None else len(chosen), **options
    )
    chosen = drawn if chosen is None else np.array(chosen)
    if rows is not None:
        observed = rows(grid)
    if not options.get("own_scales"):
        scales = np.full(n, scale)
    rows = observed, scales, weights
    sums = summed(ordered_numba.add, grid, chosen, stretches, rows, blocks=np.array_split(np.arange(n), 3))
    sums.finish()
    slopes = np.zeros((n, n_grid - 1))
    slopes[:, chosen] = np.diff(stretches, axis=1) / np.diff(grid)[chosen]
    for convention in oracles.CONVENTIONS:
        impact, support = sums.decayed(ALL_DECAYS, convention)
        expected, expected_support = decayed_by_loops(grid, rows, convention, slopes, sums.scale)
        for least, rtol in INTERPOLATED if n > 100 else ((1e-8, 1e-9),):
            decays = np.greater_equal(ALL_DECAYS, least)
            close = {"rtol": rtol, "atol": rtol * expected.max() * 1e-3}
            assert_allclose(impact[decays], expected[decays], **close, err_msg=convention)
            assert_allclose(support[decays], expected_support[decays], rtol=rtol, atol=1e-300, err_msg=convention)


@pytest.mark.parametrize("active", [None, 4], ids=["all", "few"])
@pytest.mark.parametrize("scale", [1e-3, 0.1, 0.8, 30.0])
@pytest.mark.parametrize("on_grid", [True, False])
@pytest.mark.parametrize(("n", "n_grid"), [(5, 3), (60, 12), (400, 9)])
def test_every_decay_is_that_of_a_double_loop(n, n_grid, on_grid, scale, active):
    """Narrow and wide scales; 400 rows off the grid are interpolated at nodes, others are their own."""
    assert_decays(n, n_grid, scale=scale, on_grid=on_grid, active=active, weighted=n == 60)


@pytest.mark.parametrize("n", [6, 300])
def test_every_decay_with_likelihood_scales_of_each_row(n):
    """Kept by distance, because rows share no nodes."""
    assert_decays(n, 8, own_scales=True, weighted=True)


def test_every_decay_with_rows_outside_the_grid():
    """Left and right of it, far away, and one of them on its first value."""
    far = np.resize([-30.0, -8.0, 40.0, 90.0, 17.0], 50)
    assert_decays(50, 6, rows=lambda grid: far + grid[0])
    assert_decays(50, 6, rows=lambda grid: np.where(np.arange(50) == 7, grid[0], far + grid[0]))
    assert_decays(400, 6, rows=lambda grid: grid[-1] + 3 + np.linspace(0, 5, 400))


def test_every_decay_of_rows_on_both_sides_of_the_first_grid_value():
    """Few intervals are active, the first among them: its likelihood bends there under "published"."""
    for active in ([0], [0, 4], [2, 5], [6]):
        assert_decays(600, 8, chosen=active, rows=lambda grid: grid[0] + np.linspace(-1, 1, 600))


def test_every_decay_of_repeated_rows():
    """A thousand rows at two values."""
    assert_decays(1000, 5, rows=lambda grid: np.resize([grid[1], grid[3] - 0.1], 1000))


def test_every_decay_at_any_scale():
    """From likelihoods that reach no neighbour to such that reach all; rows on the grid, or between its values."""
    for scale in (1e-3, 0.05, 0.8, 30.0):
        for on_grid in (True, False):
            assert_decays(40, 15, scale=scale, on_grid=on_grid, weighted=True)
    assert_decays(400, 9, scale=0.3)
    assert_decays(40, 15, active=3, scale=0.2)


def test_every_decay_without_nodes(monkeypatch):
    """Where rows × intervals would be too many to keep, masses go to their distance at once."""
    monkeypatch.setattr(decay_module, "MOST_CELLS", 0)
    assert_decays(60, 12)
    assert_decays(400, 9, scale=0.1, active=4)


@given(
    observed=st.lists(strategies.VALUES, min_size=2, max_size=30),
    grid=st.lists(strategies.VALUES, min_size=2, max_size=8, unique=True).map(sorted),
    scale=st.sampled_from([0.01, 0.3, 1.0, 25.0]),
    data=st.data(),
)
@settings(max_examples=150)
def test_decays_of_small_tables_are_those_of_double_loops(observed, grid, scale, data):
    """Ties, neighbours a millionth apart, rows outside."""
    n, n_grid = len(observed), len(grid)
    grid, observed = np.array(grid), np.array(observed)
    slopes = data.draw(st.lists(st.integers(0, 4), min_size=n * (n_grid - 1), max_size=n * (n_grid - 1)))
    slopes = np.array(slopes, float).reshape(n, n_grid - 1)
    weights = np.array(data.draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=n, max_size=n)))
    curves = np.concatenate([np.zeros((n, 1)), np.cumsum(slopes * np.diff(grid), axis=1)], axis=1)
    rows = observed, np.full(n, scale), weights
    exact_slopes = np.diff(curves, axis=1) / np.diff(grid)
    sums = summed(by_numpy, grid, np.arange(n_grid - 1), curves, rows, blocks=[np.arange(n)])
    sums.finish()
    for convention in oracles.CONVENTIONS:
        impact, support = sums.decayed(ALL_DECAYS, convention)
        expected, expected_support = decayed_by_loops(grid, rows, convention, exact_slopes, sums.scale)
        # Steepness beyond 40 exponents from the most likely phantom does not count.
        assert_allclose(impact, expected, rtol=1e-9, atol=1e-11 * exact_slopes.max(), err_msg=convention)
        assert_allclose(support, expected_support, rtol=1e-9, atol=1e-300, err_msg=convention)


# The pieces --------------------------------------------------------------------------------------


@pytest.mark.parametrize("farthest", [0.001, 1.0, 60.0, 5000.0])
@pytest.mark.parametrize("n", [10, 5000])
def test_decay_sums_are_laplace_transforms(n, farthest):
    """Few masses are kept, many become moments of cells; infinite distances carry nothing."""
    rng = np.random.default_rng(n)
    nearest = farthest / 10
    distances = np.concatenate([[nearest], rng.uniform(nearest, farthest, n - 2), [np.inf]])
    masses = rng.uniform(0, 1, (n, 2))
    sums = DecaySums(2, nearest, farthest)
    for part in np.array_split(np.arange(n), 4):
        sums.add(distances[part], masses[part])
    sums.finish()
    at, found = sums.atoms()
    for a in (0.0, 1e-3, 0.3, 4.6, 18.4, 700.0):
        expected = np.exp(-a * (distances - nearest)[:-1]) @ masses[:-1]
        assert_allclose(np.exp(-a * at) @ found, expected, rtol=1e-12, atol=1e-13 * masses.sum())


def test_decay_sums_of_mass_that_is_far_away():
    """Where hardly any likelihood is left, what is left is still right: steepness may lie there alone."""
    rng = np.random.default_rng(0)
    distances = rng.uniform(20, 38, 6000)
    masses = rng.uniform(0, 1, (6000, 1))
    sums = DecaySums(1, 0.0, 40.0)
    sums.add(distances, masses)
    sums.finish()
    at, found = sums.atoms()
    assert len(at) < 3000
    for a in (0.1, 1.0, 2.0):
        expected = math.fsum(m * math.exp(-a * d) for m, d in zip(masses[:, 0], distances, strict=True))
        assert_allclose(np.exp(-a * at) @ found[:, 0], expected, rtol=1e-10)


@given(
    seed=st.integers(0, 10**6),
    n_ends=st.sampled_from([1, 2, 40]),
    n_nodes=st.sampled_from([1, 3, 150]),
    parts=st.sampled_from(["steepness", "weights", "both"]),
    n_u=st.integers(1, 3),
)
@settings(max_examples=40)
def test_masses_laid_out_by_the_kernel_are_those_of_numpy(seed, n_ends, n_nodes, parts, n_u):
    """Scales of 0 leave only the observed value; masses of 0 add nothing."""
    rng = np.random.default_rng(seed)
    values = np.unique(rng.choice(np.arange(-60, 60) / 4, n_ends))
    nodes = np.concatenate([rng.uniform(-20, 20, n_nodes), values[-1:], values[:1]])
    scales = rng.choice([0.0, 0.3, 1.0, 7.0], len(nodes))
    scales[-2:] = 0.0, 0.5  # two distances are 0, one of them beside infinite ones
    n_active, n_ends = 5, len(values)
    steepness, weights = rng.choice([0.0, 0.5, 2.0], (len(nodes), n_active + 3)), rng.choice([0.0, 1.5], len(nodes))
    steepness[-2:] = weights[-2:] = 1.0
    columns = rng.integers(0, n_active, (2, n_ends))
    of_before, of_after, shares = rng.choice([0.0, 0.25, 1.0], (3, n_ends, n_u))
    ends = Ends(values, shares, columns[0], columns[1], of_before, of_after)
    n_channels = 2 * n_u if parts == "both" else n_u
    found = []
    for compiled in (True, False):
        sums = DecaySums(n_channels, 0.0, 150.0, compiled=compiled)
        for part in np.array_split(np.arange(len(nodes)), 2):
            if len(part):
                sums.add_laid_out(
                    ends, (nodes[part], scales[part]), None if parts == "weights" else steepness[part],
                    None if parts == "steepness" else weights[part],
                )  # fmt: skip
        sums.finish()
        found.append(sums.atoms())
    for a in (0.0, 1e-3, 0.3, 4.6, 18.4):
        expected = np.zeros((2, n_u))
        for node, scale, row, weight in zip(nodes, scales, steepness, weights, strict=True):
            gap = np.abs(values - node)
            likely = np.exp(-a * gap / scale) if scale > 0 else 1.0 * (gap == 0)
            for end in range(n_ends):
                left, right = row[columns[0, end]], row[columns[1, end]]
                expected[0] += likely[end] * (left * of_before[end] + right * of_after[end])
                expected[1] += likely[end] * weight * shares[end]
        expected = {"steepness": expected[0], "weights": expected[1], "both": expected.ravel()}[parts]
        for at, kept in found:
            assert_allclose(np.exp(-a * at) @ kept, expected, rtol=1e-12, atol=1e-13 * steepness.sum())


def test_every_decay_without_numba(monkeypatch):
    """The same sums where nothing is compiled."""
    monkeypatch.setattr(ordered_numba, "add", by_numpy)
    for options in ({}, {"own_scales": True}, {"on_grid": True}, {"active": 4}):
        assert_decays(60, 12, weighted=True, **options)
        assert_decays(400, 9, **options)


def test_decay_sums_of_nothing():
    """A feature whose curves never change adds no mass."""
    sums = DecaySums(3, 0.0, 1.0)
    sums.finish()
    at, found = sums.atoms()
    assert (at.shape, found.shape) == ((0,), (0, 3))


def shares_of_nodes(own, observed):
    """Nodes of each observed value, and its shares of them."""
    bucket = own.find(observed)
    degrees = own.polynomials(observed, bucket)
    for at, of_row in enumerate(bucket):
        nodes = slice(own.first[of_row], own.first[of_row] + own.count[of_row])
        moments = np.zeros((len(own.nodes), 1))
        moments[nodes, 0] = degrees[: own.count[of_row], at]
        yield own.nodes[nodes], own.to_nodes(moments)[nodes, 0]


@given(
    observed=st.lists(st.floats(-5, 5), min_size=1, max_size=400),
    breaks=st.lists(st.sampled_from([-4.0, -1.0, 0.0, 0.5, 3.0, 9.0]), unique=True).map(sorted),
    scale=st.sampled_from([0.05, 1.0, 50.0]),
)
@example(observed=np.linspace(-5, 5, 400).tolist(), breaks=[-1.0, 0.5], scale=1.0)
@example(observed=np.linspace(-5, 5, 900).tolist(), breaks=np.linspace(-1, 1, 100).tolist(), scale=1.0)
@example(observed=np.linspace(-5, 5, 400).tolist(), breaks=[], scale=50.0)
@example(observed=[*np.linspace(-1, 1, 100).tolist(), -1.0, 1.0], breaks=[-1.0, 1.0], scale=50.0)
@settings(max_examples=60)
def test_own_values_are_combinations_of_nodes(observed, breaks, scale):
    """Their shares sum to 1, and carry the likelihood of any value that is a break or outside."""
    observed, breaks = np.array(observed), np.array(breaks)
    own = ObservedValues(observed, np.ones(len(observed)), breaks, scale)
    assert_array_equal(own.nodes, np.sort(own.nodes))
    for value, (nodes, shares) in zip(observed[::7], shares_of_nodes(own, observed[::7]), strict=True):
        assert_allclose(shares.sum(), 1.0, rtol=1e-13)
        if not own.interpolates:
            assert_array_equal(nodes, value)
        for end in (*breaks, observed.min() - 1, observed.max() + 1):
            for a in (0.3, 4.6, 9.2):
                found = shares @ np.exp(-a * np.abs(end - nodes) / scale)
                # To rounding for decay 0.01, to 1e-11 for decay 1e-4, of the likeliest in the bucket.
                exact = np.exp(-a * np.abs(end - value) / scale)
                assert_allclose(found, exact, rtol=1e-13 if a < 5 else 1e-10, atol=1e-300)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("n_breaks", [0, 3, 40, 300])
@pytest.mark.parametrize("whole", [True, False])
def test_weights_move_to_the_nodes(whole, n_breaks, compiled):
    """Whatever a bucket needs: any decay of the slider is that of all rows to 1e-13."""
    rng = np.random.default_rng(n_breaks)
    observed = rng.integers(0, 9, 5000) - 4.0 if whole else rng.normal(size=5000)
    weights = rng.choice([0.5, 1.0, 3.0], 5000)
    breaks = np.quantile(observed, np.linspace(0, 1, n_breaks)) if n_breaks else np.empty(0)
    breaks = np.unique(breaks)
    own = ObservedValues(observed, weights, breaks, 0.7, compiled=compiled)
    assert own.interpolates == (not whole)
    assert (len(own.nodes), len(own.masses)) == (own.count.sum(),) * 2
    for end in (*breaks[::10], -6.0, 6.0):
        for decay in (1.0, 0.9, 0.5, 0.1, 0.01):
            exact = math.fsum(weights * decay ** (np.abs(end - observed) / 0.7))
            assert_allclose(own.masses @ decay ** (np.abs(end - own.nodes) / 0.7), exact, rtol=1e-13)


def test_nodes_are_as_many_as_the_width_of_a_bucket_needs():
    """Few distinct values are nodes themselves; of many, narrow buckets need few and empty ones none."""
    few, many = np.linspace(0, 1, 20), np.linspace(0, 1, 2000)
    assert not ObservedValues(few, np.ones(20), np.array([0.5]), 1.0).interpolates
    own = ObservedValues(many, np.ones(2000), np.array([0.5]), 1.0)
    assert own.count.tolist() == [11] * 6
    own = ObservedValues(many, np.ones(2000), many[::100], 1.0)
    assert set(own.count.tolist()) == {9}
    own = ObservedValues(many[(many < 0.2) | (many > 0.8)], np.ones(800), np.array([0.3, 0.7]), 1.0)
    assert own.count.tolist() == [11, 11, 0, 0, 11, 11]
    assert len(own.nodes) == 44
    assert not ObservedValues(many, np.ones(2000), many[::5], 1.0).interpolates
    assert not ObservedValues(many, np.ones(2000), np.array([0.5]), 1e-12).interpolates


@given(
    edges=st.lists(st.floats(-10, 10) | st.floats(-1e300, 1e300), min_size=1, max_size=60, unique=True).map(sorted),
    values=st.lists(st.floats(-10, 10) | st.floats(-1e300, 1e300), max_size=20),
)
@example(edges=[*np.linspace(0, 1, 50).tolist(), 1e12], values=[0.123, 0.999, 5.0])
@example(edges=[0.0, 5e-324], values=[5e-324, 1.0])
def test_a_value_is_found_between_the_edges_below_and_above_it(edges, values):
    """The first or the last bucket for what lies outside; however unevenly the edges lie."""
    edges = np.array(edges)
    for value in (*edges, *np.nextafter(edges, np.inf), *np.nextafter(edges, -np.inf), *values):
        expected = max(np.searchsorted(edges, value, side="right") - 1, 0)
        assert decay_sums_numba.bucket_of(value, edges, *hints_of(edges)) == expected


@given(observed=st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=2, max_size=12))
def test_a_constant_curve_has_no_impact_whatever_its_likelihood(observed):
    """Exactly 0: nothing is left of differences."""
    assume(len(set(observed)) > 1)
    observed = np.array(observed)
    grid, rows = np.unique(observed), (observed, np.full(len(observed), 0.5), np.ones(len(observed)))
    sums = summed(ordered_numba.add, grid, np.empty(0, np.intp), np.full((len(observed), 1), 2.5), rows,
                  blocks=[np.arange(len(observed))])  # fmt: skip
    sums.finish()
    figures = sums.metrics(0.5)
    assert (figures.impact, figures.in_distribution_impact, figures.heterogeneity, figures.non_linearity) == (0,) * 4
    assert 0 < figures.support <= 1
    assert math.isnan(figures.largest_step_share)
