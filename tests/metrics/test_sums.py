"""Sums over the curves of one feature, however they are added up and merged, against the equations over all pairs."""

import math
from functools import partial

import numpy as np
import oracles
import parity
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from ice_explorer.metrics import ordered_numba
from ice_explorer.metrics.merging import merge_sums
from ice_explorer.metrics.ordered import FeatureSums, Moments
from ice_explorer.metrics.straight import StraightSums, slope_of
from ice_explorer.metrics.sums_arrays import sums_from_arrays, sums_to_arrays
from ice_explorer.trees import margins_numba
from ice_explorer.trees.link import Link

DECAYS = np.array([1.0, 0.99, 0.75, 0.1, 0.01, 1e-3, 1e-4, 1e-8])
# How exact figures are from which decay on: of many rows, observed values are interpolated.
EXACT = ((1e-8, 1e-9),)
INTERPOLATED = ((1e-3, 1e-9), (1e-4, 1e-8), (1e-8, 3e-6))
SIGMA = 0.8


# --- the equations --------------------------------------------------------------------------------


def plain(grid, curves, rows, convention):
    """Return the figures that need no decay by name, then impact and support at all decays."""
    observed, scales, weights = rows
    slopes, distances = np.diff(curves, axis=1) / np.diff(grid), np.abs(grid - observed[:, None]) / scales[:, None]
    ends = [slice(0, -1), slice(1, None)] if convention == "stable" else [slice(1, None)]
    u = np.diff(grid) / (grid[-1] - grid[0]) if convention == "stable" else np.full(len(grid) - 1, 1 / (len(grid) - 1))
    if convention == "published":
        slopes, u = np.hstack([slopes[:, :1], slopes]), np.full(len(grid), 1 / len(grid))
        ends = [slice(None)]
    total, mean = weights.sum(), slopes @ u
    if convention == "stable":
        along = np.abs(slopes - mean[:, None]) @ u
    else:
        along = np.sqrt(np.square(slopes - mean[:, None]).sum(axis=1) / max(len(u) - 1, 1))
    spread = np.square(slopes - weights @ slopes / total)
    brought = (weights @ np.abs(slopes)) * u * SIGMA / total
    if convention == "published":
        brought = np.append(brought[0] + brought[1], brought[2:])
    figures = {
        "impact": brought.sum(),
        "direction": SIGMA * weights @ mean / total,
        "heterogeneity": SIGMA * np.sqrt(weights @ spread / (total - 1)) @ u if len(observed) > 1 else 0.0,
        "non_linearity": SIGMA * weights @ along / total,
        "largest_step_share": brought.max() / brought.sum() if brought.any() else math.nan,
    }
    nearest = min(distances[:, end].min() for end in ends)
    at_decays = np.empty((2, len(DECAYS)))
    for at, decay in enumerate(DECAYS):
        likely = sum(np.exp(np.log(decay) * (distances[:, end] - nearest)) for end in ends) / len(ends)
        below = weights @ likely @ u
        at_decays[:, at] = SIGMA * (weights @ (likely * np.abs(slopes)) @ u) / below, decay**nearest * below / total
    return figures, at_decays


def assert_equations(sums, grid, curves, rows, change, *, rtol=1e-10):
    """Compare every figure in every convention, and the mean and the spread of the curves."""
    weights = rows[2] / rows[2].sum()
    size = np.abs(curves).max()
    assert (sums.n_rows, sums.lowest, sums.highest) == (
        len(curves),
        pytest.approx(curves.min()),
        pytest.approx(curves.max()),
    )
    assert_allclose(sums.partial_dependence, weights @ curves, rtol=1e-12, atol=1e-13 * size)
    assert_allclose(sums.spread, np.sqrt(weights @ (curves - weights @ curves) ** 2), rtol=1e-10, atol=1e-12 * size)
    for convention in oracles.CONVENTIONS:
        figures = vars(sums.undecayed(convention))
        missing = math.nan if change is None else weights @ change
        assert_allclose(figures["missing_impact"], missing, rtol=1e-12)
        if len(grid) == 1:
            assert [figures[name] for name in ("impact", "direction", "heterogeneity", "non_linearity")] == [0.0] * 4
            continue
        expected, at_decays = plain(grid, curves, rows, convention)
        steepest = SIGMA * np.abs(np.diff(curves, axis=1) / np.diff(grid)).max()
        slope_noise = 1e-13 * steepest + 1e-15 * size / np.diff(grid).min() + 1e-300
        for name, value in expected.items():
            noise = slope_noise if name != "largest_step_share" else slope_noise / max(expected["impact"], slope_noise)
            assert_allclose(figures[name], value, rtol=rtol, atol=noise, err_msg=f"{name}, {convention}")
        found = sums.decayed(DECAYS, convention)
        for least, exact in INTERPOLATED if len(curves) > 100 else EXACT:
            decays = np.greater_equal(DECAYS, least)
            close = {"rtol": exact, "atol": exact * at_decays[0].max() * 1e-3}
            assert_allclose(found[0][decays], at_decays[0][decays], **close, err_msg=convention)
            assert_allclose(found[1][decays], at_decays[1][decays], rtol=exact, atol=1e-300, err_msg=convention)


# --- how curves are added up ----------------------------------------------------------------------


def sent(grid, sums):
    """Sums as another process has them."""
    sums.finish()
    return sums_from_arrays(grid, SIGMA, None, sums_to_arrays(sums))


def merged(grid, parts, *, pairwise):
    """Merge sums of parts of the rows all at once, or two by two, each sent on."""
    while pairwise and len(parts) > 1:
        parts = [sent(grid, merge_sums(grid, SIGMA, None, parts[at : at + 2])) for at in range(0, len(parts), 2)]
    return parts[0] if pairwise else sent(grid, merge_sums(grid, SIGMA, None, parts))


def of_rows(rows, some):
    return tuple(np.ascontiguousarray(values[some]) for values in rows)


@st.composite
def features(draw, scales=("one", "of each row")):
    """A grid, intervals in which curves can change, stretches of the curves, and the rows with their changes."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, n_grid = draw(st.sampled_from([1, 2, 5, 60, 400, 900])), draw(st.sampled_from([1, 2, 3, 12, 40, 200]))
    grid = np.cumsum(rng.choice([1e-3, 0.25, 1.0], n_grid))
    n_active = draw(st.sampled_from([None, 0, 1, 4]))
    active = np.arange(n_grid - 1)
    if n_active is not None:
        active = np.sort(rng.choice(active, min(n_active, n_grid - 1), replace=False))
    span, scale = grid[-1] - grid[0] + 1.0, draw(st.sampled_from([1e-3, 0.1, 0.8, 30.0]))
    observed = {
        "the grid": lambda: rng.choice(grid, n),
        "anywhere": lambda: rng.uniform(grid[0] - 1, grid[-1] + 1, n),
        "two values": lambda: rng.choice([grid[0], grid[0] + 0.3 * span], n),
        "around the first grid value": lambda: grid[0] + rng.uniform(-1, 1, n),
        "outside": lambda: grid[0] + rng.choice([-8.0, -3.0, span + 2.0, span + 9.0], n) * scale + 0.1 * rng.random(n),
        "outside but for one": lambda: np.where(np.arange(n) == 0, grid[0], grid[-1] + (9 + rng.random(n)) * scale),
    }[draw(st.sampled_from(["the grid", "anywhere", "two values", "around the first grid value", "outside",
                            "outside but for one"]))]()  # fmt: skip
    scales = np.full(n, scale) if draw(st.sampled_from(scales)) == "one" else rng.uniform(0.5, 2.0, n) * scale
    weights = rng.choice([0.75, 1.0, 2.0, 3.5], n) + (n == 1) if draw(st.booleans()) else np.ones(n)
    stretches = rng.normal(size=(n, len(active) + 1)).cumsum(axis=1) + draw(st.sampled_from([0.0, 100.0]))
    change = np.abs(rng.normal(size=n)) if draw(st.booleans()) else None
    return grid, active, stretches, (observed, scales, weights), change


def at_grid(grid, active, stretches):
    return stretches[:, np.searchsorted(active, np.arange(len(grid)))]


@pytest.mark.parametrize("way", ["numpy", "compiled", "merged"])
@given(
    feature=features(), n_blocks=st.sampled_from([1, 2, 7]), most_cells=st.sampled_from([None, None, 0]),
    pairwise=st.booleans(),
)  # fmt: skip
@settings(max_examples=80)
def test_figures_are_those_of_the_equations(way, feature, n_blocks, most_cells, pairwise):
    """In blocks of any size; by NumPy or compiled; on stretches of a few intervals; in parts that are merged."""
    grid, active, stretches, rows, change = feature
    blocks = [block for block in np.array_split(np.arange(len(stretches)), n_blocks) if len(block)]
    parts = []
    for block in blocks:
        if not parts or way == "merged":
            # Parts know only their own rows, and may keep other things of them than others do.
            some = of_rows(rows, block) if way == "merged" else rows
            cells = None if way == "merged" and len(parts) % 2 else most_cells
            parts.append(FeatureSums(grid, SIGMA, some, active, compiled=way == "compiled", most_cells=cells))
        add = partial(ordered_numba.add, parts[-1]) if way == "compiled" else parts[-1].add
        add(np.ascontiguousarray(stretches[block]), of_rows(rows, block), None if change is None else change[block])
    if way == "merged":
        sums = merged(grid, [sent(grid, part) for part in parts], pairwise=pairwise)
    else:
        (sums,) = parts
        sums.finish()
    assert_equations(sums, grid, at_grid(grid, active, stretches), rows, change)


@pytest.mark.parametrize("way", ["parallel", "straight", "merged"])
@given(
    feature=features(),
    slope=st.sampled_from([-2.5, 0.0, 1e-9, 3.0]),
    compiled=st.booleans(),
    cells=st.sampled_from([None, 0]),
)
@settings(max_examples=40)
def test_parallel_curves_are_added_without_forming_them(way, feature, slope, compiled, cells):
    """Their slopes differ by exactly 0, and those of lines do not deviate; parts may have found a line or not."""
    grid, active, _, rows, change = feature
    if way == "merged":  # sums of lines whose rows have scales of their own are not merged with other sums
        rows = rows[0], np.full(len(rows[1]), rows[1][0]), rows[2]
    if way != "parallel":
        active = np.arange(len(grid) - 1)
    rng = np.random.default_rng(len(grid))
    step = rng.normal(size=len(active) + 1) if way == "parallel" else slope * grid
    offsets = 10.0 * rng.normal(size=len(rows[0]))
    blocks = [block for block in np.array_split(np.arange(len(offsets)), 3) if len(block)]
    parts = []
    for number, block in enumerate(blocks):
        some = of_rows(rows, block)
        if not parts or way == "merged":
            own = some if way == "merged" else rows
            if len(grid) > 1 and (way == "straight" or (way == "merged" and number != 1)):
                parts.append(StraightSums(grid, SIGMA, partial(tuple, own), slope_of(grid, step)))
            else:
                parts.append(FeatureSums(grid, SIGMA, own, active, compiled=compiled, most_cells=cells))
        parts[-1].add_parallel(step, offsets[block], some, None if change is None else change[block])
    sums = merged(grid, [sent(grid, part) for part in parts], pairwise=False) if way == "merged" else parts[0]
    sums.finish()
    curves = at_grid(grid, active, offsets[:, None] + step)
    exact = at_grid(grid, active, np.tile(step, (len(offsets), 1)))  # whose slopes have no rounding of the offsets
    for convention in oracles.CONVENTIONS:
        if way != "merged":
            assert sums.undecayed(convention).heterogeneity == 0.0
        if way == "straight" and len(grid) > 1:
            assert sums.undecayed(convention).non_linearity == 0.0
            assert_array_equal(sums.in_distribution_impacts(DECAYS, convention), sums.undecayed(convention).impact)
    weights = rows[2] / rows[2].sum()
    assert_allclose(sums.partial_dependence, weights @ curves, rtol=1e-12, atol=1e-12)
    assert_allclose(sums.spread, np.sqrt(weights @ np.square(offsets - weights @ offsets)), rtol=1e-11, atol=1e-13)
    sums.lowest, sums.highest, sums.curves = exact.min(), exact.max(), Moments(len(active) + 1)
    sums.curves.add(np.tile(step, (len(offsets), 1)), rows[2])
    assert_equations(sums, grid, exact, rows, change)


@pytest.mark.parametrize("link", ["identity", "sigmoid", "exp"])
@given(feature=features(scales=["one"]))
@settings(max_examples=15)
def test_jumps_are_added_as_their_curves_are(link, feature):
    """What a sweep of trees leaves is read once, and its cells are 0 again."""
    grid, active, _, rows, change = feature
    rng, n, n_active = np.random.default_rng(1), len(rows[0]), len(active)
    jumps, base = rng.normal(size=(n_active + 5, n)) / 4, rng.normal(size=n)
    stretches = Link(link).apply((base + np.cumsum(jumps[2 : n_active + 3], axis=0)).T[None])
    expected = jumps.copy()
    expected[2 : n_active + 4] = 0.0
    sums = FeatureSums(grid, SIGMA, rows, active, compiled=True)
    ordered_numba.fold(sums, (jumps, base, 2, margins_numba.LINKS[link]), rows, change)
    sums.finish()
    assert_array_equal(jumps, expected)
    assert_equations(sums, grid, at_grid(grid, active, stretches), rows, change, rtol=1e-9)


# --- what rounding must not take ------------------------------------------------------------------


def test_parts_that_are_active_elsewhere():
    """An engine may know of fewer intervals in one part than in another."""
    rng = np.random.default_rng(3)
    grid, n = np.arange(12.0), 80
    rows = rng.choice(grid, n), np.full(n, 2.0), np.ones(n)
    curves, parts = np.repeat(rng.normal(size=(n, 3)), 4, axis=1), []
    for some, active in zip(np.array_split(np.arange(n), 2), (np.array([3, 7]), np.arange(11)), strict=True):
        parts.append(FeatureSums(grid, SIGMA, of_rows(rows, some), active))
        parts[-1].add(curves[some][:, np.append(0, active + 1)], of_rows(rows, some))
    assert_equations(merged(grid, [sent(grid, part) for part in parts], pairwise=False), grid, curves, rows, None)


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
    by_numpy, compiled = Moments(3), FeatureSums(np.arange(3.0), SIGMA, rows, np.arange(2), compiled=True)
    for block in np.split(np.arange(4000), splits):
        by_numpy.add(columns[block], weights[block])
        ordered_numba.add(compiled, columns[block], of_rows(rows, block), None)
    # The mean is known to 1e-10, a part in ten million of the spread.
    assert_allclose(by_numpy.squared, exact, rtol=1e-6)
    assert_allclose(compiled.curves.squared, exact, rtol=1e-6)


def test_one_interval_that_is_longer_than_all_others_to_rounding():
    """A sentinel far away takes all the length, so that slopes count in one interval alone."""
    X = np.column_stack([np.arange(6.0), np.arange(6) % 2])
    for sentinel in (1e9, 1e15, 1e30):
        grid = {"x0": [0.0, 1.0, 2.0, sentinel]}
        feature = parity.explained(lambda rows: np.minimum(rows[:, 0] * rows[:, 1], 3.0), X, grid=grid)["x0"]
        figures = feature.metrics(0.5)
        assert all(np.isfinite(value) for name, value in figures.items() if name != "missing_impact")
        u = np.diff(grid["x0"]) / sentinel
        along = np.abs(feature.slopes - (feature.slopes @ u)[:, None]) @ u
        assert_allclose(figures["non_linearity"], feature.scale * along.mean(), rtol=1e-9)


def test_what_is_bent_is_no_line():
    """However little, if more than rounding; a flat line and one far from 0 are straight."""
    grid = np.array([1e6, 1e6 + 0.25, 1e6 + 3.0])
    assert slope_of(grid, 0.1 * grid - 7.0) == pytest.approx(0.1, rel=1e-9)
    assert slope_of(grid, np.zeros(3)) == 0.0
    assert slope_of(grid, np.array([0.0, 0.25 + 1e-12, 3.0])) is None
    assert slope_of(grid, np.array([0.0, 1.0, 0.0])) is None


def test_the_compiled_exponential():
    """Within rounding where the exponential is a number, 0 and infinite beyond, NaN of NaN."""
    rng = np.random.default_rng(0)
    far = [-np.inf, -1e9, -710.0, 710.0, 1e9, np.inf, np.nan]
    values = np.concatenate([rng.uniform(-700, 700, 2000), rng.normal(size=2000), [0.0, -0.0], far])
    expected = np.append(np.exp(values[: -len(far)]), [0.0] * 3 + [np.inf] * 3 + [np.nan])
    for sign in (1.0, -1.0):
        found, power = np.empty(len(values)), np.empty(len(values))
        margins_numba.exponential(sign * values, sign, (power, power.view(np.int64)), found)
        assert_allclose(found, expected, rtol=5e-16)
