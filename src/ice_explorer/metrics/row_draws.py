"""Row bootstrap: how often each row is drawn."""

from __future__ import annotations

import math
import zlib
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ice_explorer.arrays import Array, Values


N_DRAWS: Final = 500
"""Of one bootstrap: the ends of a 95 % interval scatter by an eighth of a standard error."""

ROWS_AT_A_TIME: Final = 2048
_MOST_COUNTS = 1 << 26  # kept between features; beyond, they are drawn again from the same seeds


class RowDraws:
    """Weights of the rows in each bootstrap draw: multinomial counts, the same whenever they are iterated over.

    Rows are drawn in proportion to their weight, as many as the weights sum to: integer weights are repeated rows.
    Equal weights and random states give equal draws.

    - `weights` (n_rows,): frequency weights, greater than 0.
    """

    def __init__(self, weights: Array, random_state: int, n_draws: int = N_DRAWS) -> None:
        self.n_draws = n_draws
        self._weights = weights
        self._seed = [random_state, zlib.crc32(b"bootstrap")]
        self._starts = range(0, len(weights), ROWS_AT_A_TIME)
        masses = np.add.reduceat(weights, list(self._starts))
        total = float(masses.sum())
        self.n_drawn = max(round(total), 1)
        self._unit = total / self.n_drawn
        self._of_block = np.random.default_rng(self._seed).multinomial(self.n_drawn, masses / total, size=n_draws)
        self._kept: dict[int, Values] = {}

    def __iter__(self) -> Iterator[tuple[slice, Array]]:
        """Yield blocks of rows, and their weights in each draw (n_draws, n_rows of the block)."""
        for at, start in enumerate(self._starts):
            rows = slice(start, min(start + ROWS_AT_A_TIME, len(self._weights)))
            yield rows, np.multiply(self._counts(at, rows), self._unit, dtype=np.float64)

    def with_given(self, size: int = ROWS_AT_A_TIME) -> Iterator[tuple[slice, Array]]:
        """Yield blocks of at most `size` rows, and their weights (1 + n_draws, n_rows): the given ones come first."""
        for block, drawn in self:
            weights = np.vstack([self._weights[block], drawn])
            for start in range(block.start, block.stop, size):
                rows = slice(start, min(start + size, block.stop))
                yield rows, weights[:, rows.start - block.start : rows.stop - block.start]

    def _counts(self, at: int, rows: slice) -> Values:
        if at in self._kept:
            return self._kept[at]
        shares = self._weights[rows] / self._weights[rows].sum()
        drawn = np.random.default_rng([*self._seed, at]).multinomial(self._of_block[:, at], shares)
        counts = drawn.astype(np.min_scalar_type(int(drawn.max(initial=0))))
        if len(self._weights) * self.n_draws * counts.itemsize <= _MOST_COUNTS:
            self._kept[at] = counts
        return counts

    def standard_deviations(self, values: Array) -> Array:
        """Standard deviation of the values that are not missing in each draw, ddof=0, (n_draws,).

        Exactly 0 where all values of a draw are equal.
        """
        present = ~np.isnan(values)
        filled = np.where(present, values, 0.0)
        mass, total = np.zeros(self.n_draws), np.zeros(self.n_draws)
        lowest, highest = np.full(self.n_draws, math.inf), np.full(self.n_draws, -math.inf)
        for rows, counts in self:
            held = np.multiply(counts, present[rows], out=counts)
            mass += held.sum(axis=1)
            total += held @ filled[rows]
            np.minimum(lowest, np.where(held > 0, filled[rows], math.inf).min(axis=1), out=lowest)
            np.maximum(highest, np.where(held > 0, filled[rows], -math.inf).max(axis=1), out=highest)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = total / mass
            squared = np.zeros(self.n_draws)
            for rows, counts in self:
                held = np.multiply(counts, present[rows], out=counts)
                squared += np.einsum("bi,bi->b", held, np.square(filled[rows] - mean[:, None]))
            return np.where(lowest < highest, np.sqrt(squared / mass), 0.0)

    def level_weights(self, codes: Array, n_levels: int) -> Array:
        """Weight of the rows at each level in each draw, missing ones left out, (n_draws, n_levels)."""
        weights = np.zeros((self.n_draws, n_levels))
        for rows, counts in self:
            present = np.flatnonzero(~np.isnan(codes[rows]))
            for level in np.unique(codes[rows][present]).astype(np.intp):
                weights[:, level] += counts[:, codes[rows] == level].sum(axis=1)
        return weights


def category_scales(level_weights: Array) -> Array:
    """σ_c in each draw, (n_draws,), from the weights of all levels (n_draws, n_levels)."""
    with np.errstate(invalid="ignore"):
        shares = level_weights / level_weights.sum(axis=1, keepdims=True)
    scales = np.sqrt(np.maximum(1.0 - np.square(shares).sum(axis=1), 0.0) / 2.0)
    return np.where((level_weights > 0).sum(axis=1) > 1, scales, 0.0)
