"""Changes between every two of many levels, compiled: `UnorderedSums._add_pairs` is the reference."""

from __future__ import annotations

from numba import njit

_TILE = 8  # levels whose predictions stay in the cache while all others pass by


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract", "reassoc"})
def add_pairs(levels, weights, means, total, mean, squared, absolute):
    """Merge the changes between every two levels into their moments (Chan), and add the absolute changes.

    - `levels` (n_levels, n_rows): predictions.
    - `weights` (n_rows,).
    - `means` (n_levels,): weighted means of `levels`.
    - `total`: weight of the rows before.
    - `mean`, `squared`, `absolute` (n_pairs,): merged into, pair by pair of the upper triangle.
    """
    n_levels, n_rows = levels.shape
    block = weights.sum()
    for tile in range(0, n_levels - 1, _TILE):
        for second in range(tile + 1, n_levels):
            to = levels[second]
            for first in range(tile, min(tile + _TILE, second)):
                start = levels[first]
                expected = means[second] - means[first]
                moved = spread = 0.0
                for row in range(n_rows):
                    change = to[row] - start[row]
                    apart = change - expected
                    moved += weights[row] * abs(change)
                    spread += weights[row] * apart * apart
                pair = first * (2 * n_levels - first - 1) // 2 + second - first - 1
                shift = expected - mean[pair]
                squared[pair] += spread + shift * shift * (total * block / (total + block))
                mean[pair] += shift * (block / (total + block))
                absolute[pair] += moved
