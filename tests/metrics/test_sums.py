"""Sums over the curves of one feature, however they are added up and merged, against those that NumPy adds up."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from reference.step_oracle import step_figures

from ice_explorer.metrics.ordered import (
    CONVENTIONS,
    MOST_CELLS,
    OrderedSums,
    make_windows,
    nearest_places,
    nearest_shares,
)
from ice_explorer.metrics.sums import Moments
from ice_explorer.metrics.unordered import UnorderedSums
from ice_explorer.tables.column import standard_deviation
from ice_explorer.trees import sweep_numba
from ice_explorer.trees.forest import Link

OWN, OTHERS = 0.7, np.array([1.0, 0.99, 0.75, 0.1, 0.01])
SIGMA = 0.8
UNDECAYED = ("impact", "direction", "heterogeneity", "non_linearity", "missing_impact")


def of_rows(rows, some):
    return tuple(np.ascontiguousarray(values[some]) for values in rows)


@st.composite
def features(draw, scales=("one", "of each row")):
    """A grid, intervals in which curves can change, stretches of the curves, and the rows with their changes."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, n_grid = draw(st.sampled_from([1, 2, 5, 60, 900])), draw(st.sampled_from([1, 2, 3, 12, 40, 200]))
    grid = np.cumsum(rng.choice([1e-3, 0.25, 1.0], n_grid))
    n_active = draw(st.sampled_from([None, 0, 1, 4]))
    active = np.arange(n_grid - 1)
    if n_active is not None:
        active = np.sort(rng.choice(active, min(n_active, n_grid - 1), replace=False))
    span, scale = grid[-1] - grid[0] + 1.0, draw(st.sampled_from([0.1, 0.8, 30.0]))
    observed = {
        "the grid": lambda: rng.choice(grid, n),
        "anywhere": lambda: rng.uniform(grid[0] - 1, grid[-1] + 1, n),
        "two values": lambda: rng.choice([grid[0], grid[0] + 0.3 * span], n),
        "outside": lambda: grid[0] + rng.choice([-8.0, -3.0, span + 2.0, span + 9.0], n) * scale + 0.1 * rng.random(n),
        "outside but for one": lambda: np.where(np.arange(n) == 0, grid[0], grid[-1] + (9 + rng.random(n)) * scale),
    }[draw(st.sampled_from(["the grid", "anywhere", "two values", "outside", "outside but for one"]))]()
    scales = np.full(n, scale) if draw(st.sampled_from(scales)) == "one" else rng.uniform(0.5, 2.0, n) * scale
    weights = rng.choice([0.75, 1.0, 2.0, 3.5], n) + (n == 1) if draw(st.booleans()) else np.ones(n)
    stretches = rng.normal(size=(n, len(active) + 1)).cumsum(axis=1) + draw(st.sampled_from([0.0, 100.0]))
    change = np.abs(rng.normal(size=n)) if draw(st.booleans()) else None
    return grid, active, stretches, (observed, scales, weights), change


def shares_of(grid, rows):
    order = np.argsort(rows[0], kind="stable")
    return nearest_shares(grid, rows[0][order], rows[2][order])


def made(grid, rows, active, *, all_rows=None, **options):
    """Make sums of some rows, with shares of all."""
    return OrderedSums(
        grid, SIGMA, shares_of(grid, rows if all_rows is None else all_rows), OWN, rows, active=active, **options
    )


def summed(feature, n_blocks=1, **options):
    """Add the rows in blocks."""
    grid, active, stretches, rows, change = feature
    sums = made(grid, rows, active, **options)
    for block in np.array_split(np.arange(len(stretches)), n_blocks):
        sums.add(stretches[block], of_rows(rows, block), None if change is None else change[block])
    sums.finish()
    return sums


def expand(feature):
    grid, active, stretches, *_ = feature
    return stretches[:, np.searchsorted(active, np.arange(len(grid)))]


def assert_same(found, known, feature, *, rtol=1e-12):
    """Compare all that sums tell: decayed figures at other decays to 1e-6."""
    grid, curves = feature[0], expand(feature)
    size = np.abs(curves).max()
    assert (found.n_rows, found.lowest, found.highest) == (
        known.n_rows,
        pytest.approx(known.lowest),
        pytest.approx(known.highest),
    )
    assert_allclose(found.extent, known.extent, rtol=rtol, atol=1e-13 * size)
    assert_allclose(found.partial_dependence, known.partial_dependence, rtol=rtol, atol=1e-13 * size)
    assert_allclose(found.spread, known.spread, rtol=1e-10, atol=1e-12 * size)
    assert_allclose(found.mean_absolute_changes, known.mean_absolute_changes, rtol=rtol, atol=1e-13 * size)
    steepest = SIGMA * size / np.diff(grid).min(initial=np.inf)  # whose rounding cancels in heterogeneity
    for name in UNDECAYED:
        values = [sums.undecayed()[name] for sums in (found, known)]
        assert_allclose(*values, rtol=rtol, atol=3e-14 * steepest + 1e-300, err_msg=name)
    assert_allclose(found.step_impact, known.step_impact, rtol=rtol, atol=3e-14 * steepest + 1e-300)
    for decays, close in ((np.array([OWN]), rtol), (OTHERS, 1e-6)):
        for a, b in zip(found.decayed(decays), known.decayed(decays), strict=True):
            assert_allclose(a, b, rtol=close, atol=1e-14 * steepest * close / rtol)


# --- ways to add rows ------------------------------------------------------------------------------


@given(feature=features(), n_blocks=st.sampled_from([1, 2, 7]), most_cells=st.sampled_from([MOST_CELLS, 0]))
@settings(max_examples=120)
def test_the_compiled_fold_adds_what_numpy_adds(feature, n_blocks, most_cells):
    """In blocks of any size; on stretches of a few intervals; by way of a quadrature, or each row at all decays."""
    known = summed(feature)
    assert_same(summed(feature, n_blocks), known, feature)
    assert_same(summed(feature, n_blocks, compiled=True, most_cells=most_cells), known, feature)


@given(feature=features(scales=["one"]), compiled=st.booleans())
@settings(max_examples=25)
def test_sums_are_those_of_loops_over_all_windows(feature, compiled):
    """Groups of windows between the same stretches bring what each window brings."""
    grid, active, stretches, (observed, _, weights), _ = feature
    n = min(len(observed), 60)
    observed = np.clip(np.resize(observed[:n], n), grid[0] - 1.0, grid[-1] + 1.0)
    spread = standard_deviation(observed, weights[:n])  # exactly 0 where all values are equal
    rows = observed, np.full(n, max(spread, 0.1)), weights[:n]
    sums = OrderedSums(grid, spread, shares_of(grid, rows), OWN, rows, active=active, compiled=compiled)
    sums.add(stretches[:n], rows)
    sums.finish()
    curves = expand((grid, active, stretches[:n]))
    expected = step_figures(
        curves.tolist(), grid.tolist(), observed.tolist(), decay=OWN, weights=weights[:n].tolist(),
        likelihood_scale=rows[1].tolist(),
    )  # fmt: skip
    found = sums.metrics(OWN)
    steepest = np.abs(curves).max() * max(spread, 1.0)
    for name, value in expected.items():
        assert_allclose(found[name], value, rtol=1e-10, atol=1e-12 * steepest, err_msg=name)


@given(feature=features(), slope=st.sampled_from([None, -2.5, 0.0, 1e-9, 3.0]), compiled=st.booleans())
@settings(max_examples=40)
def test_parallel_curves_are_added_without_forming_them(feature, slope, compiled):
    """Their changes differ by exactly 0, and those of lines do not deviate."""
    grid, active, _, rows, change = feature
    rng = np.random.default_rng(len(grid))
    active = active if slope is None else np.arange(len(grid) - 1)
    step = rng.normal(size=len(active) + 1) if slope is None else slope * grid
    offsets = 10.0 * rng.normal(size=len(rows[0]))
    sums = made(grid, rows, active, compiled=compiled)
    for block in np.array_split(np.arange(len(offsets)), 3):
        sums.add_parallel_curves(step, offsets[block], of_rows(rows, block), None if change is None else change[block])
    sums.finish()
    formed = grid, active, np.tile(step, (len(offsets), 1)), rows, change  # without the rounding of offsets
    known = summed(formed)
    assert sums.undecayed()["heterogeneity"] == 0.0
    if slope is not None:
        assert sums.undecayed()["non_linearity"] == 0.0
    weights = rows[2] / rows[2].sum()
    assert_allclose(sums.partial_dependence, sums.expand(weights @ (offsets[:, None] + step)), rtol=1e-12, atol=1e-12)
    assert_allclose(sums.spread, np.sqrt(weights @ np.square(offsets - weights @ offsets)), rtol=1e-11, atol=1e-13)
    sums.lowest, sums.highest, sums.curves = known.lowest, known.highest, known.curves
    assert_same(sums, known, formed, rtol=1e-11)


@pytest.mark.parametrize("link", ["identity", "sigmoid", "exp"])
@given(feature=features(scales=["one"]))
@settings(max_examples=15)
def test_jumps_are_added_as_their_curves_are(link, feature):
    """What a sweep of trees leaves is read once, and its cells are 0 again."""
    grid, active, _, rows, change = feature
    sums = made(grid, rows, active, compiled=True)
    if not sums.is_compiled:
        return
    rng, n, n_active = np.random.default_rng(1), len(rows[0]), len(active)
    jumps, base = rng.normal(size=(n_active + 5, n)) / 4, rng.normal(size=n)
    stretches = Link(link).apply((base + np.cumsum(jumps[2 : n_active + 3], axis=0)).T[None])
    expected = jumps.copy()
    expected[2 : n_active + 4] = 0.0
    sums.add_jumps((jumps, base, 2, sweep_numba.LINKS[link]), rows, change)
    sums.finish()
    assert_array_equal(jumps, expected)
    formed = grid, active, stretches, rows, change
    assert_same(sums, summed(formed), formed, rtol=1e-11)


# --- what is sent and merged ------------------------------------------------------------------------


def sent(sums):
    """Sums as another process has them."""
    empty = OrderedSums(sums.grid, SIGMA, sums._shares, OWN, None, active=sums.active, convention=sums.convention)
    return empty.fill(sums.to_arrays())


@given(feature=features(), n_parts=st.integers(1, 4), compiled=st.booleans(), data=st.data())
@settings(max_examples=40)
def test_parts_that_are_sent_and_merged_are_the_whole(feature, n_parts, compiled, data):
    """All at once or one by one; also where a method knows of more active intervals in one part than in another."""
    grid, active, stretches, rows, change = feature
    parts, curves = [], expand(feature)
    everywhere = np.arange(len(grid) - 1)
    for some in np.array_split(np.arange(len(stretches)), n_parts):
        if len(some):
            more = data.draw(st.booleans())
            sums = made(grid, of_rows(rows, some), everywhere if more else active, all_rows=rows, compiled=compiled)
            values = None if change is None else change[some]
            sums.add(curves[some] if more else stretches[some], of_rows(rows, some), values)
            sums.finish()
            parts.append(sent(sums))
    if len({part.active.tobytes() for part in parts}) > 1:
        parts = [part.with_all_intervals() for part in parts]
    empty = lambda: OrderedSums(grid, SIGMA, shares_of(grid, rows), OWN, None, active=parts[0].active)  # noqa: E731
    known = summed(feature)
    assert_same(empty().merge(parts), known, feature, rtol=1e-11)
    found = parts[0]
    for part in parts[1:]:
        found = sent(empty().merge([found, part]))
    assert_same(found, known, feature, rtol=1e-11)


def some_sums(kind):
    rows = np.array([0.0, 1.0, 2.0, 1.0]), np.ones(4), np.ones(4)
    curves = np.array([[0.0, 1.0, 4.0], [1.0, 1.0, 3.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    shares = np.array([1.0, 2.0, 1.0])
    if kind == "ordered":
        sums, empty = (OrderedSums(np.arange(3.0), SIGMA, shares, OWN, of) for of in (rows, None))
        sums.add(curves, rows)
    else:
        sums, empty = (UnorderedSums(np.arange(3.0), 0.5, shares, OWN) for _ in range(2))
        sums.add(curves, (rows[0], None, rows[2]))
    sums.finish()
    return sums, empty


@pytest.mark.parametrize("kind", ["ordered", "levels"])
def test_arrays_that_are_not_those_of_sums_are_refused(kind):
    """Missing ones, others of shape or dtype, what is no number, and negative squares or counts."""
    sums, empty = some_sums(kind)
    arrays = sums.to_arrays()
    assert_array_equal(list(empty.fill(arrays).metrics(OWN).values()), list(sums.metrics(OWN).values()))
    for name, array in arrays.items():
        if name == "active":
            continue
        gone = {key: value for key, value in arrays.items() if key != name}
        broken = np.array(array, float)
        broken[0] = math.inf
        wrong = [array[:-1], array[None], array.astype(np.float32), broken]
        if name.endswith(("curves", "changes")):
            wrong.append(array - 1e6)
        for bad in [gone, *({**arrays, name: each} for each in wrong)]:
            with pytest.raises(ValueError, match=r"counts|decays|nodes|curve|change|along|likely|intervals|step"):
                some_sums(kind)[1].fill(bad)


# --- where the axis counts ---------------------------------------------------------------------------


@given(
    grid=st.lists(st.integers(-12, 12), min_size=1, max_size=8, unique=True).map(lambda v: np.sort(v) / 4),
    values=st.lists(st.integers(-16, 16).map(lambda v: v / 8), min_size=1, max_size=12).map(np.sort),
    scale=st.sampled_from([0.1, 1.0, 9.0]),
)
def test_shares_and_windows_of_a_grid(grid, values, scale):
    """All weight is somewhere, halves on ties; every difference lies between an end and another, shares sum to 1."""
    shares = nearest_shares(grid, values, np.full(len(values), 2.0))
    below, above = nearest_places(grid, values)
    expected = np.bincount(below, minlength=len(grid)) + np.bincount(above, minlength=len(grid))
    assert_allclose(shares, expected)
    assert_allclose(np.abs(grid[below] - values), np.abs(grid - values[:, None]).min(axis=1))
    for convention in CONVENTIONS:
        windows = make_windows(grid, shares, scale, np.arange(len(grid) - 1), convention)
        if len(grid) == 1:
            assert len(windows.left) == 0
            continue
        assert (windows.left < windows.right).all()
        assert_allclose(windows.weights.sum() + windows.constant_share, 1.0)
        assert_allclose(windows.denominator_weights.sum(), 1.0)


# --- what rounding must not take -----------------------------------------------------------------------


@pytest.mark.parametrize("splits", [[1, 100, 2500], [2000]], ids=["growing", "halves"])
def test_squared_deviations_do_not_cancel(splits):
    """A spread of a thousandth beside a mean of a million keeps its digits."""
    rng = np.random.default_rng(1)
    columns, weights = 1e6 + 1e-3 * rng.normal(size=(4000, 3)), rng.choice([1.0, 2.0], 4000)
    exact = []
    for column in columns.T:
        mean = math.fsum(weights * column) / math.fsum(weights)
        exact.append(math.fsum(weights * (column - mean) ** 2))
    rows = np.ones(4000), np.ones(4000), weights
    by_numpy, compiled = Moments(3), made(np.arange(3.0), rows, None, compiled=True)
    for block in np.split(np.arange(4000), splits):
        by_numpy.add(columns[block], weights[block])
        compiled.add(columns[block], of_rows(rows, block))
    # The mean is known to 1e-10, a part in ten million of the spread.
    assert_allclose(by_numpy.squared, exact, rtol=1e-6)
    assert_allclose(compiled.curves.squared, exact, rtol=1e-6)


def test_the_compiled_exponential():
    """Within rounding where the exponential is a number, 0 and infinite beyond, NaN of NaN."""
    rng = np.random.default_rng(0)
    far = [-np.inf, -1e9, -710.0, 710.0, 1e9, np.inf, np.nan]
    values = np.concatenate([rng.uniform(-700, 700, 2000), rng.normal(size=2000), [0.0, -0.0], far])
    expected = np.append(np.exp(values[: -len(far)]), [0.0] * 3 + [np.inf] * 3 + [np.nan])
    for sign in (1.0, -1.0):
        found, power = np.empty(len(values)), np.empty(len(values))
        sweep_numba.exponential(sign * values, sign, (power, power.view(np.int64)), found)
        assert_allclose(found, expected, rtol=5e-16)
