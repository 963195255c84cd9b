"""Sums of one feature over several parts of the rows as one: what the sums over all of these rows are."""

# ruff: noqa: SLF001 - what sums keep after they are finished is nobody else's business

from __future__ import annotations

import math
from copy import copy
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ice_explorer.metrics.decay_sums import LikelihoodSums
from ice_explorer.metrics.ordered import CONVENTIONS, CurveSums, FeatureSums, Moments
from ice_explorer.metrics.straight import StraightSums
from ice_explorer.metrics.unordered import CategorySums, _OwnOrOther

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

Sums = TypeVar("Sums", bound=CurveSums)


def merge_sums(grid: Array, scale: float, shares: Array | None, parts: Sequence[CurveSums]) -> CurveSums:
    """Merge sums of one feature that are finished.

    Counts, means and squared deviations are those of all rows up to rounding, likelihood-weighted sums to 1e-14 of what
    they would be if all rows lay at the nearest distance.

    - `grid`, `scale`, `shares`: those that all parts were made with; see `sums_from_arrays`.
    - `parts`: one at least. Their order matters for the last digits alone.
    """
    if shares is not None:
        return _merged_levels(grid, scale, shares, [part for part in parts if isinstance(part, CategorySums)])
    ordered = [part for part in parts if isinstance(part, FeatureSums)]
    slopes = {part.slope if isinstance(part, StraightSums) else None for part in ordered}
    (slope,) = slopes if len(slopes) == 1 else (None,)
    if any(not np.array_equal(part.active, ordered[0].active) for part in ordered):
        ordered = [_active_everywhere(part) for part in ordered]
    active = ordered[0].active
    sums: FeatureSums = (
        FeatureSums(grid, scale, None, active) if slope is None else StraightSums(grid, scale, None, slope)
    )
    _add_counts(sums, ordered)
    for part in ordered:
        sums.slopes.merge(part.slopes)
        sums.slope_abs += part.slope_abs
        sums.along += part.along
    found = [held for part in ordered if (held := _likelihoods_of(part, is_straight=slope is not None)) is not None]
    if found:
        sums.likelihoods = _merged_likelihoods(sums, found)
    return sums


def _add_counts(sums: Sums, parts: Sequence[Sums]) -> None:
    """Add what all sums hold."""
    missing = [part._missing_change for part in parts if not math.isnan(part._missing_change)]
    sums.n_rows = sum(part.n_rows for part in parts)
    sums.total_weight = math.fsum(part.total_weight for part in parts)
    sums.lowest, sums.highest = min(part.lowest for part in parts), max(part.highest for part in parts)
    sums._missing_change = math.fsum(missing) if missing else math.nan
    for part in parts:
        sums.curves.merge(part.curves)


def _merged_levels(grid: Array, scale: float, shares: Array, parts: Sequence[CategorySums]) -> CategorySums:
    """Merge sums of levels without an order, whose likelihoods are those of own and other levels."""
    sums = CategorySums(grid, scale, shares)
    _add_counts(sums, parts)
    for part in parts:
        sums.changes.merge(part.changes)
        sums._absolute += part._absolute
        if isinstance(sums._likelihoods, _OwnOrOther) and isinstance(part._likelihoods, _OwnOrOther):
            sums._likelihoods.merge(part._likelihoods)
    return sums


def _active_everywhere(part: FeatureSums) -> FeatureSums:
    """Return the same sums with a column for every interval: 0 where no curve can change."""
    sums = FeatureSums(part.grid, part.scale, None)
    vars(sums).update(n_rows=part.n_rows, total_weight=part.total_weight, lowest=part.lowest, highest=part.highest)
    sums._missing_change, sums.along = part._missing_change, part.along
    sums.curves = _columns(part.curves, part.at_grid(part.curves.mean), part.at_grid(part.curves.squared))
    mean, squared, absolute = np.zeros((3, len(part.grid) - 1))
    mean[part.active], squared[part.active] = part.slopes.mean, part.slopes.squared
    absolute[part.active] = part.slope_abs
    sums.slopes, sums.slope_abs = _columns(part.slopes, mean, squared), absolute
    sums.likelihoods = _likelihoods_of(part, is_straight=False)
    return sums


def _likelihoods_of(part: FeatureSums, *, is_straight: bool) -> LikelihoodSums | None:
    """Return the likelihood-weighted sums of a part; those of straight curves are without their slope where all are."""
    if not isinstance(part, StraightSums):
        return part.likelihoods
    part.sum_likelihoods()
    if is_straight or part.likelihoods is None:
        return part.likelihoods
    steep = copy(part.likelihoods)
    steep._shared = np.full(len(part.active), abs(part.slope))
    return steep


def _columns(moments: Moments, mean: Array, squared: Array) -> Moments:
    found = Moments(0)
    found.weight, found.mean, found.squared = moments.weight, mean, squared
    return found


# --- likelihoods of features with an order --------------------------------------------------------


def _merged_likelihoods(sums: FeatureSums, parts: Sequence[LikelihoodSums]) -> LikelihoodSums:
    """Add what stands for the rows of each part as if it were rows.

    Observed values with their weights and steepness are such rows. Where a part has laid its steepness out over
    distances, all do.
    """
    if len({part._scale for part in parts if part._on_grid is not None}) != 1 or any(
        part._on_grid is None for part in parts
    ):
        return _merged_by_distance(sums, parts)
    compiled, scale = any(part._compiled for part in parts), parts[0]._scale
    nodes, masses = map(np.concatenate, zip(*(_weighed(part) for part in parts), strict=True))
    if all(part._shared is not None for part in parts):
        rows = nodes, np.full(len(nodes), scale), masses
        merged = LikelihoodSums(sums.grid, sums.active, sums.ends, rows, compiled=compiled)
        merged._shared = parts[0]._shared
        merged.finish()
        return merged
    values, steepness = map(np.concatenate, zip(*(_steep(part, sums.active) for part in parts), strict=True))
    observed = np.append(nodes, values)
    rows = observed, np.full(len(observed), scale), np.append(masses, np.zeros(len(values)))
    is_laid_out = any(part._groups for part in parts)
    merged = LikelihoodSums(
        sums.grid, sums.active, sums.ends, rows, compiled=compiled, most_cells=-1 if is_laid_out else None
    )
    if len(values):
        merged.add(steepness, np.ones(len(values)), values, np.full(len(values), scale))
    _add_groups(merged, parts)
    merged.finish()
    return merged


def _merged_by_distance(sums: FeatureSums, parts: Sequence[LikelihoodSums]) -> LikelihoodSums:
    """Merge sums of rows that have likelihood scales of their own; those of a part may happen to be equal."""
    merged = LikelihoodSums(sums.grid, sums.active, sums.ends, None, compiled=any(part._compiled for part in parts))
    groups = [group for part in parts for group in part._groups]
    equal = [part for part in parts if part._on_grid is not None]
    bounds: dict[str, list[float]] = {name: [part._nearest(name) for part in equal] for name in CONVENTIONS}
    for group in groups:
        for name in group.names:
            bounds[name].append(group.sums.nearest)
    ends = sums.grid[[0, -1]]
    farthest = [float(np.max(np.abs(ends[:, None] - _weighed(part)[0]))) / part._scale for part in equal]
    nearest = {name: min(of_parts) for name, of_parts in bounds.items()}
    merged._group(nearest, max([*farthest, *(group.farthest for group in groups)]))
    _add_groups(merged, parts)
    for part in equal:
        for group in merged._groups:
            for (nodes, held), is_steepness in ((_weighed(part), False), (_steep(part, sums.active), True)):
                if len(nodes):
                    scales = np.full(len(nodes), part._scale)
                    group.add(held if is_steepness else None, None if is_steepness else held, nodes, scales)
    merged.finish()
    return merged


def _weighed(part: LikelihoodSums) -> tuple[Array, Array]:
    """Return observed values and weights that have the sums of the rows of a part."""
    assert part._on_grid is not None  # noqa: S101 - rows share one scale
    return part._on_grid


def _steep(part: LikelihoodSums, active: NDArray[np.intp]) -> tuple[Array, Array]:
    """Return observed values and their steepness in the active intervals; none where it is laid out."""
    if part._kept is not None:
        nodes, held = part._kept.nodes, part._kept.steepness
    elif part._shared is not None:
        nodes, masses = _weighed(part)
        held = masses[:, None] * part._shared
    else:
        return np.empty(0), np.empty((0, len(active)))
    steepness = np.zeros((len(nodes), len(active)))
    steepness[:, np.searchsorted(active, part._active)] = held
    return nodes, steepness


def _add_groups(merged: LikelihoodSums, parts: Sequence[LikelihoodSums]) -> None:
    """Add what was laid out over distances, convention by convention."""
    for group in (group for part in parts for group in part._groups):
        distances, masses = group.sums.atoms()
        for at, name in enumerate(group.names):
            to = next(each for each in merged._groups if name in each.names)
            channels = np.zeros((len(distances), to.n_channels))
            held = masses[:, at :: len(group.names)]
            channels[:, to.names.index(name) :: len(to.names)][:, : held.shape[1]] = held
            to.sums.add(distances + group.sums.nearest, channels)
