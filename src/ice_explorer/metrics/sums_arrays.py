"""Sums of a feature as named arrays, and sums made of such arrays again: every metric is the same to the bit.

Arrays may come from anyone: those of wrong shapes or values are refused with a ValueError.
"""

# ruff: noqa: SLF001 - what sums keep after they are finished is nobody else's business

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.metrics.decay_sums import DecaySums, EndShares, LikelihoodSums
from ice_explorer.metrics.ordered import CONVENTIONS, CurveSums, FeatureSums, Moments
from ice_explorer.metrics.straight import StraightSums
from ice_explorer.metrics.unordered import CategorySums, _ByDistance, _OwnOrOther
from ice_explorer.runtime import HAS_NUMBA

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Arrays = dict[str, NDArray[Any]]

_COUNTS = ("n_rows", "total_weight", "lowest", "highest", "_missing_change")
_FARTHEST = 1e300  # distance that has a cell


def sums_to_arrays(sums: FeatureSums | CategorySums) -> Arrays:
    """Return sums that are finished as arrays; grid, σ and shares of levels are not among them."""
    counts = np.array([getattr(sums, name) for name in _COUNTS], np.float64)
    found: Arrays = {"counts": counts, **_of_moments("curve", sums.curves)}
    if isinstance(sums, CategorySums):
        return {**found, **_of_moments("change", sums.changes), "absolute": sums._absolute, **_of_levels(sums)}
    found |= {"active": np.asarray(sums.active, np.int64), "along": sums.along, "absolute": sums.slope_abs}
    found |= _of_moments("change", sums.slopes)
    if isinstance(sums, StraightSums):
        sums.sum_likelihoods()
        found["slope"] = np.array([sums.slope])
    return found if sums.likelihoods is None else {**found, **_of_likelihoods(sums.likelihoods)}


def sums_from_arrays(
    grid: Array, scale: float, shares: Array | None, arrays: Mapping[str, NDArray[Any]]
) -> FeatureSums | CategorySums:
    """Make the sums of a feature again.

    - `grid`, `scale`: as for `FeatureSums`.
    - `shares` (n_grid,): of levels without an order, as for `CategorySums`; None for a feature with an order.
    - `arrays`: what `sums_to_arrays` returned.
    - raises ValueError: if they are not of that form.
    """
    sums: FeatureSums | CategorySums
    if shares is None:
        active = arrays.get("active", np.empty(0))
        if (
            active.dtype != np.int64
            or active.ndim != 1
            or (np.diff(active, prepend=-1, append=len(grid) - 1) < 1).any()
        ):
            raise ValueError("active intervals are not in order")
        if "slope" in arrays:
            sums = StraightSums(grid, scale, None, float(_checked(arrays, "slope", (1,))[0]))
        else:
            sums = FeatureSums(grid, scale, None, active)
        if len(active) != len(sums.active):
            raise ValueError("a straight line has no other active intervals")
        sums.along = _checked(arrays, "along", (len(CONVENTIONS),))
        sums.slopes = _moments(arrays, "change", len(active))
        sums.slope_abs = _checked(arrays, "absolute", (len(active),))
        if scale > 0 and sums.steps:
            sums.likelihoods = _likelihoods(grid, active, sums.ends, arrays)
    else:
        n_levels, n_pairs = int((shares > 0).sum()), len(arrays.get("absolute", ()))
        if n_pairs != n_levels * (n_levels - 1) // 2:  # before arrays of that length are made
            raise ValueError("pairs are not those of the levels")
        sums = CategorySums(grid, scale, shares)
        sums.changes = _moments(arrays, "change", len(sums.pairs))
        sums._absolute = _checked(arrays, "absolute", (len(sums.pairs),))
        sums._likelihoods = _levels_of(sums, arrays)
    _count(sums, _checked(arrays, "counts", (len(_COUNTS),), is_finite=False))
    sums.curves = _moments(arrays, "curve", len(sums.curves.mean))
    return sums


def _count(sums: CurveSums, counts: Array) -> None:
    *others, missing = counts.tolist()
    if not np.isfinite(others).all() or others[1] <= 0 or others[2] > others[3] or np.isinf(missing):
        raise ValueError("no counts of rows")
    for name, value in zip(_COUNTS, (int(others[0]), *others[1:], missing), strict=True):
        setattr(sums, name, value)


def _of_moments(name: str, moments: Moments) -> Arrays:
    return {
        f"{name}_weight": np.array([moments.weight]),
        f"{name}_mean": moments.mean,
        f"{name}_squared": moments.squared,
    }


def _moments(arrays: Mapping[str, NDArray[Any]], name: str, n_columns: int) -> Moments:
    moments = Moments(0)
    moments.weight = float(_checked(arrays, f"{name}_weight", (1,))[0])
    moments.mean = _checked(arrays, f"{name}_mean", (n_columns,))
    moments.squared = _checked(arrays, f"{name}_squared", (n_columns,))
    if moments.weight < 0 or (moments.squared < 0).any():
        raise ValueError(f"{name} has negative squares")
    return moments


def _checked(
    arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int | None, ...], *, is_finite: bool = True
) -> Array:
    """Return an array of finite numbers; a length of None is any."""
    found = arrays.get(name)
    if found is None or found.dtype != np.float64 or found.ndim != len(shape):
        raise ValueError(f"{name} is missing or not of numbers")
    if any(wanted not in (None, length) for wanted, length in zip(shape, found.shape, strict=True)):
        raise ValueError(f"{name} is of shape {found.shape}")
    if is_finite and not np.isfinite(found).all():
        raise ValueError(f"{name} holds what is no number")
    return found


# --- likelihoods of levels without an order -------------------------------------------------------


def _of_levels(sums: CategorySums) -> Arrays:
    kept = sums._likelihoods
    if isinstance(kept, _OwnOrOther):
        return {"own": np.array([kept._change, kept._weight])}
    if kept is None:
        return {}
    distances, masses = kept._sums.atoms()
    return {"nearest": np.array([kept._sums.nearest]), "distances": distances, "masses": masses}


def _levels_of(sums: CategorySums, arrays: Mapping[str, NDArray[Any]]) -> _OwnOrOther | _ByDistance | None:
    kept = sums._likelihoods
    if isinstance(kept, _OwnOrOther) and "distances" not in arrays:
        kept._change, kept._weight = _checked(arrays, "own", (2,)).tolist()
        return kept
    if kept is None:
        return None
    by_distance, distances = object.__new__(_ByDistance), _checked(arrays, "distances", (None,))
    by_distance._sums = DecaySums(2, float(_checked(arrays, "nearest", (1,))[0]), 1.0)
    by_distance._sums._atoms = [(distances, _checked(arrays, "masses", (len(distances), 2)))]
    return by_distance


# --- likelihoods of features with an order --------------------------------------------------------


def _of_likelihoods(sums: LikelihoodSums) -> Arrays:
    """Return what `LikelihoodSums.totals` reads."""
    found: Arrays = {"is_compiled": np.array([float(sums._compiled)])}
    if sums._on_grid is not None:
        found |= {"unit": np.array([sums._scale]), "nodes": sums._on_grid[0], "node_masses": sums._on_grid[1]}
    if sums._shared is not None:
        return {**found, "shared": sums._shared}
    if sums._kept is not None:
        return {**found, "kept_nodes": sums._kept.nodes, "kept": sums._kept.steepness}
    if sums._groups:
        nearest = {name: group.sums.nearest for group in sums._groups for name in group.names}
        found["bounds"] = np.array([nearest[name] for name in CONVENTIONS] + [sums._groups[0].farthest])
    for at, group in enumerate(sums._groups):
        found[f"distances_{at}"], found[f"masses_{at}"] = group.sums.atoms()
    return found


def _likelihoods(
    grid: Array, active: NDArray[np.int64], ends: Mapping[str, EndShares], arrays: Mapping[str, NDArray[Any]]
) -> LikelihoodSums:
    sums = LikelihoodSums(grid, active, ends, None)
    sums._compiled = bool(_checked(arrays, "is_compiled", (1,))[0]) and HAS_NUMBA
    if "nodes" in arrays:
        sums._scale = float(_checked(arrays, "unit", (1,))[0])
        nodes = _nodes(arrays, "nodes")
        if not sums._scale > 0:
            raise ValueError("no likelihood scale")
        sums._on_grid = nodes, _checked(arrays, "node_masses", (len(nodes),))
    if "shared" in arrays:
        sums._shared = _checked(arrays, "shared", (len(active),))
    elif "kept" in arrays and sums._on_grid is not None:
        nodes = _nodes(arrays, "kept_nodes")
        sums._keep(nodes, _checked(arrays, "kept", (len(nodes), len(active))))
    elif "bounds" in arrays:
        *nearest, farthest = _checked(arrays, "bounds", (len(CONVENTIONS) + 1,)).tolist()
        if not 0 <= farthest < _FARTHEST:
            raise ValueError("no bounds of distances")
        sums._group(dict(zip(CONVENTIONS, nearest, strict=True)), farthest)
        for at, group in enumerate(sums._groups):
            distances = _checked(arrays, f"distances_{at}", (None,))
            n_channels = len(group.names) * (1 + (sums._on_grid is None))
            group.sums._atoms = [(distances, _checked(arrays, f"masses_{at}", (len(distances), n_channels)))]
    elif sums._on_grid is None:
        raise ValueError("no likelihoods")
    return sums


def _nodes(arrays: Mapping[str, NDArray[Any]], name: str) -> Array:
    nodes = _checked(arrays, name, (None,))
    if not len(nodes) or (np.diff(nodes) < 0).any():
        raise ValueError(f"{name} are not in order")
    return nodes
