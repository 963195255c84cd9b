r"""Pairs of many values on one axis with many others, as a mass over their distance.

With n observed values and as many grid values there are n² pairs, too many to look at. But between two
stretches of the axis that lie apart :math:`e^{-a|v - x|}` is a product of a function of v and one of
x, each smooth enough for a polynomial, so that a few Chebyshev moments tell all of a stretch.

Stretches are the boxes of a binary tree over the axis: leaves so short that a low degree does, each
box above twice as long. Boxes of one level meet where they do not touch and those above them do, so
that the gap between them is never shorter than they are. All that meet at the same offset have the
same distances, and their products add up. What is left are pairs within a leaf, and in leaves that
touch. This takes time and memory in proportion to the number of values, not of pairs.

Each pair is met with the observed value on the left: first as it is, then reflected.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import numpy as np

from ice_explorer.metrics import chebyshev

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Boxes = tuple[NDArray[np.int64], Array]  # their numbers, increasing, and moments (n_boxes, n_channels, n_moments)

LEAF = 2.0**-8
"""Width of the shortest boxes, in likelihood scales."""

FARTHEST = 2.0**50
"""Likelihood scales within which boxes have whole numbers."""

REACH = 4.0
"""Masses lie at most so many times as far as the pair they stand for, or two leaves away."""

# In a leaf 8 moments leave 1e-16 of e^{-ad} for decay 1e-8 (a = 18), and 1e-9 for 1e-40. Of longer
# boxes n moments leave 4^{-n} of the mass at distance 0, for any decay; leaves far apart need fewer.
N_OF_LEAF = 8
_MORE_OF_EACH_LEVEL = 4
_N_MOMENTS = 28


def by_distance(
    own: tuple[Array, Array], others: tuple[Array, Array], nearest: float, *, compiled: bool = False
) -> tuple[Array, Array]:
    """Find masses over distance that stand for w[i] · u[k] at the distance of observed value i and value k.

    - `own` (n_own,) each: observed values, not decreasing, in likelihood scales within `FARTHEST` of 0, and their
      weights.
    - `others` (n_others,) each: values, as the own ones, and their weights.
    - `nearest`: no more than the distance of any pair.
    - `compiled`: whether the compiled kernel fills the leaves.
    - returns `distances` (n_masses,): beyond `nearest`; not less than ``-LEAF``.
    - returns `masses` (n_masses, n_channels).
    """
    reflected = (-own[0][::-1], own[1][::-1]), (-others[0][::-1], others[1][::-1])
    n_channels = others[1].shape[1]
    met: dict[tuple[float, float], Array] = {}
    for side in (
        _meetings(own, others, nearest, "right", compiled=compiled),
        _meetings(*reflected, nearest, "left", compiled=compiled),  # equal ones have met
    ):
        for stretch, moments in side:
            n_own, n_other = moments.shape[1:]
            so_far = met.setdefault(stretch, np.zeros((n_channels, _N_MOMENTS, _N_MOMENTS)))
            so_far[:, :n_own, :n_other] += moments
    middle, half = np.array(list(met)).reshape(-1, 2, 1).swapaxes(0, 1)
    products = np.array(list(met.values())).reshape(-1, _N_MOMENTS**2)
    masses = (products @ _to_distances()).reshape(-1, n_channels, _N_MOMENTS)
    distances = middle + half * chebyshev.nodes(_N_MOMENTS)
    return distances.ravel(), masses.swapaxes(1, 2).reshape(-1, n_channels)


def _meetings(
    own: tuple[Array, Array],
    others: tuple[Array, Array],
    nearest: float,
    side: Literal["left", "right"],
    *,
    compiled: bool,
) -> Iterator[tuple[tuple[float, float], Array]]:
    """Yield what meets of observed values on the left of others; equal ones do where `side` is "right".

    With the middle and half-width of the distances come moments (n_channels, of own, of others).
    """
    (values, weights), (ends, u) = own, others
    below = np.searchsorted(values, ends, side=side)
    first = int(np.searchsorted(below, 1))
    if first == len(ends):
        return
    ends, u, below = ends[first:], u[first:], below[first:]
    values, weights = values[: below[-1]], weights[: below[-1]]
    # The nearest pair touches. Rounding must not move an end past a value that it is to meet.
    ends = np.maximum(ends - nearest, values[below - 1])
    own, others = (values / LEAF, np.ascontiguousarray(weights)), (ends / LEAF, np.ascontiguousarray(u))
    if compiled:
        from ice_explorer.metrics.decay_sums_numba import fill_leaves

        left, right, within = fill_leaves(own, others, below, N_OF_LEAF)
    else:
        left, right, within = _fill_leaves(own, others, below)
    yield (0.0, LEAF), within
    yield from _meet(left, right, 1, LEAF)
    width = LEAF
    while right[0][-1] - left[0][0] > 1:
        yield from _meet(left, right, 2, width)
        # Boxes three apart have boxes above them that touch where the left one is a left half.
        halves = left[0] % 2 == 0
        yield from _meet((left[0][halves], left[1][halves]), right, 3, width)
        left, right = _above(left), _above(right)
        width *= 2.0


def _meet(left: Boxes, right: Boxes, offset: int, width: float) -> Iterator[tuple[tuple[float, float], Array]]:
    """Yield the sum of products of boxes so many apart, if there are any."""
    at = np.searchsorted(right[0], left[0] + offset)
    at[at == len(right[0])] = 0
    pairs = right[0][at] == left[0] + offset
    if pairs.any():
        of_left, of_right = left[1][pairs, 0], right[1][at[pairs]]
        n_channels, n_moments = of_right.shape[1:]
        products = (of_left.T @ of_right.reshape(len(of_right), -1)).reshape(-1, n_channels, n_moments)
        yield (offset * width, width), products.swapaxes(0, 1)


def _above(boxes: Boxes) -> Boxes:
    """Join the two halves of each box of the next level."""
    numbers, moments = boxes
    n_moments = moments.shape[2]
    n_above = min(n_moments + _MORE_OF_EACH_LEVEL, _N_MOMENTS)
    above, at = np.unique(numbers >> 1, return_inverse=True)
    joined = np.zeros((len(above), moments.shape[1], n_above))
    for half in (0, 1):
        these = numbers % 2 == half
        joined[at[these]] += moments[these] @ _to_above(half)[:n_above, :n_moments].T
    return above, joined


@lru_cache
def _to_above(half: int) -> Array:
    """Moments of a box from those of its left or right half: row per degree."""
    nodes = chebyshev.nodes(_N_MOMENTS)
    # A polynomial has no higher degrees than its own: what rounding leaves there would add up.
    return np.tril(chebyshev.polynomials((nodes + 2 * half - 1) / 2, _N_MOMENTS) @ chebyshev.to_nodes(_N_MOMENTS).T)


@lru_cache
def _to_distances() -> Array:
    """Masses over distance from moments of products: row per pair of degrees, column per node.

    Between two boxes the distance is a multiple of their width, more or less by half of what their
    positions in [-1, 1] differ by. Where nothing but the distance matters a polynomial of that stands
    for one of two positions.
    """
    nodes, to_nodes = chebyshev.nodes(_N_MOMENTS), chebyshev.to_nodes(_N_MOMENTS)
    apart = (nodes[None, :] - nodes[:, None]) / 2
    degrees = chebyshev.polynomials(apart.ravel(), _N_MOMENTS)
    matrix = np.kron(to_nodes, to_nodes) @ degrees.T @ to_nodes
    matrix.setflags(write=False)
    return matrix


def _fill_leaves(
    own: tuple[Array, Array], others: tuple[Array, Array], below: NDArray[np.int64]
) -> tuple[Boxes, Boxes, Array]:
    """Move values, in widths of a leaf, to their leaves.

    - `own`, `others`: as for `by_distance`.
    - `below` (n_others,): how many observed values, of the lowest, each of the others is to meet; at least 1.
    - returns `within` (n_channels, N_OF_LEAF, N_OF_LEAF): moments of the pairs within a leaf.
    """
    (values, weights), (ends, u) = own, others
    box, first, degrees = _leaves_of(values)
    weighted = degrees * weights
    left = box[first], np.add.reduceat(weighted, first, axis=1).T[:, None, :]
    box_of_end, first_end, degrees = _leaves_of(ends)
    of_ends = degrees[:, None, :] * u.T
    right = box_of_end[first_end], np.add.reduceat(of_ends, first_end, axis=2).transpose(2, 1, 0)
    before = _sums_so_far(weighted, first)[:, below - 1]
    before[:, box[below - 1] != box_of_end] = 0.0  # none of the leaf is to be met
    return left, right, np.tensordot(of_ends, before, axes=(2, 1)).transpose(1, 2, 0)


def _leaves_of(values: Array) -> tuple[NDArray[np.int64], NDArray[np.intp], Array]:
    """Leaf of each value, the first value of each leaf, and polynomials (N_OF_LEAF, n_values) of positions in it."""
    leaf = np.floor(values)
    degrees = chebyshev.polynomials(2.0 * (values - leaf) - 1.0, N_OF_LEAF)
    box = leaf.astype(np.int64)
    return box, np.flatnonzero(np.diff(box, prepend=box[0] - 1)), degrees


def _sums_so_far(columns: Array, first: NDArray[np.intp]) -> Array:
    """Sum (n_columns, n) from the start of each run, so that no run rounds off for what came before it."""
    size = np.diff(first, append=columns.shape[1])
    sums = np.empty_like(columns)
    for bits in np.unique(np.frexp(size - 0.5)[1]):  # runs of alike length together
        runs = np.flatnonzero(np.frexp(size - 0.5)[1] == bits)
        along = np.arange(size[runs].max())
        at, held = first[runs, None] + along, along < size[runs, None]
        padded = columns[:, np.minimum(at, columns.shape[1] - 1)]
        sums[:, at[held]] = np.cumsum(padded, axis=2)[:, held]
    return sums
