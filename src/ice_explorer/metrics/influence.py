r"""What each row contributes to the error of the metrics: their influences, from one pass over the curves.

A metric is a function of the weights of the rows. To first order, other weights w + δ change it by Σ_i δ_i ψ_i / W,
with the influence ψ_i of row i. With W = Σ w_i:

- the influence on a mean θ = Σ w_i a_i / W is a_i - θ; on a ratio ρ = Σ w_i b_i / Σ w_i c_i it is
  (b_i - ρ c_i) W / Σ w_i c_i; on a standard deviation s_k of changes it is ((x_ik - x̄_k)² - s_k²) / (2 s_k);
- a row is also a place on the axis: where it counts more, so does the grid value that is nearest to its own, and the
  influence by the derivatives B_k with respect to p_k is B_{k(i)} - Σ_k p_k B_k; of levels without an order, so do the
  pairs of its own;
- σ has the influence ((x_i - x̄)² - σ²) / (2σ), on all effects as a factor, and on the unit of marginal distances.

Standard errors of a sample follow from the first alone, as grid, shares and σ are those of all rows; bootstrap draws of
the rows from all three. The ends of the windows, grid values, stay where they are.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from ice_explorer.metrics.likelihood import distances
from ice_explorer.metrics.ordered import FeatureSums

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from ice_explorer.metrics.sums import CurveSums
    from ice_explorer.metrics.unordered import CategorySums
    from ice_explorer.metrics.windows import Convention

    Array = NDArray[np.float64]

UNDECAYED: Final = ("impact", "direction", "heterogeneity", "non_linearity", "missing_impact")
DECAYED: Final = ("in_distribution_impact", "support")
PER_SCALE: Final = ("impact", "in_distribution_impact", "direction", "heterogeneity", "non_linearity")
_ROUNDING: Final = 1e-12


class Block(NamedTuple):
    """Rows and their curves.

    - `curves` (n_rows, n_columns): at every grid value, or on the stretches between active intervals.
    - `own` (n_rows,): observed values or codes, none missing.
    - `units`: likelihood scales (n_rows,); of levels without an order exponents of the likelihood (n_rows, n_grid).
    - `weights` (n_rows,).
    - `missing_change` (n_rows,): absolute change of the prediction when the value goes missing, if any is.
    """

    curves: Array
    own: Array
    units: Array
    weights: Array
    missing_change: Array | None


class Influences(NamedTuple):
    """Influences of rows on every metric, in the order of the rows.

    - `of_rows`: by name; (n_rows,), decayed ones (n_decays, n_rows).
    - `of_places`: B_k by grid value, (n_grid,) or (n_decays, n_grid), or by level that occurs; empty where figures do
      not depend on shares, or that is not wanted.
    """

    of_rows: dict[str, Array]
    of_places: dict[str, Array]


def influences(
    sums: FeatureSums | CategorySums,
    blocks: Iterable[Block],
    decays: Array,
    convention: Convention,
    *,
    with_places: bool = False,
) -> Influences:
    """Return the influences of rows.

    - `sums`: of all rows that estimates rest on; the rows of the blocks may be some of them.
    - `with_places`: whether places on the axis have influence, too.
    """
    if isinstance(sums, FeatureSums):
        parts = list(_ordered(sums, blocks, decays, convention))
    else:
        parts = [_unordered(sums, block, decays, convention) for block in blocks]
    of_rows = {name: np.concatenate([rows[name] for rows, _ in parts], axis=-1) for name in parts[0][0]}
    of_places: dict[str, Array] = {}
    if with_places:
        of_places = {name: np.sum([places[name] for _, places in parts], axis=0) for name in parts[0][1]}
    return Influences(of_rows, of_places)


def _without_effects(sums: CurveSums, block: Block, n_decays: int) -> dict[str, Array]:
    n_rows = len(block.weights)
    missing = np.full(n_rows, math.nan)
    if block.missing_change is not None:
        missing = block.missing_change - sums.undecayed().missing_impact
    value = 0.0 if sums.is_defined else math.nan
    found = dict.fromkeys(UNDECAYED, np.full(n_rows, value)) | {"missing_impact": missing}
    return found | dict.fromkeys(DECAYED, np.full((n_decays, n_rows), value))


def _ratio(above: Array, below: Array, value: float, mean: float) -> Array:
    """Influences on a ratio, relative to the mean of what is below."""
    return (above - value * below) / mean if mean > 0 else np.full(np.shape(above), math.nan)


def _ordered(
    sums: FeatureSums, blocks: Iterable[Block], decays: Array, convention: Convention
) -> Iterator[tuple[dict[str, Array], dict[str, Array]]]:
    """Yield, block by block, influences of rows, and Σ w/W of what makes up those of places, by grid value."""
    if not sums.windows:
        yield from ((_without_effects(sums, block, len(decays)), {}) for block in blocks)
        return
    total, figures = sums.total_weight, sums.undecayed(convention)
    left, right, ratios, shares, sides = sums.dense(convention)
    mean, squared = sums.dense_moments(convention)
    spread = np.sqrt(squared / max(total - 1.0, 1.0))
    to_sample = total / max(total - 1.0, 1.0)  # W / (W - 1)
    values, supports = sums.decayed(decays, convention)
    for block in blocks:
        found = _without_effects(sums, block, len(decays))
        curves = sums.at_grid(block.curves) if block.curves.shape[1] < len(sums.grid) else block.curves
        steps = (curves[:, right] - curves[:, left]) * ratios
        size, weights = np.abs(steps), block.weights / total
        apart = np.square(steps - mean)
        varies = spread > _ROUNDING * np.maximum(np.abs(mean), np.abs(steps).max(initial=0.0))
        differing = np.where(varies, (apart - spread**2) / (2.0 * np.where(varies, spread, 1.0)), 0.0) * to_sample
        means = steps @ shares
        deviation = np.abs(steps - means[:, None])
        if convention == "step":
            along = deviation @ shares
        else:
            along = np.sqrt(np.square(deviation) @ shares / sums.windows[convention].variance_divisor)
        found["impact"] = size @ shares - figures.impact
        found["direction"] = means - figures.direction
        found["heterogeneity"] = differing @ shares
        found["non_linearity"] = along - figures.non_linearity
        turning = (np.sign(steps - means[:, None]) @ shares)[:, None]
        places = {
            "impact": weights @ size,
            "direction": weights @ steps,
            "heterogeneity": weights.sum() * spread,
            "non_linearity": weights @ (deviation - steps * turning),
        }
        decayed = {name: np.empty((len(decays), len(weights))) for name in DECAYED}
        of_places = {name: np.empty((len(decays), len(left))) for name in DECAYED}
        far = distances(sums.grid, block.own, block.units)
        for at, (decay, value, support) in enumerate(zip(decays, values, supports, strict=True)):
            likely = np.exp(math.log(decay) * far)
            of_windows = sides[0] * likely[:, left] + sides[1] * likely[:, right]
            above, below = (of_windows * size) @ shares, of_windows @ shares
            decayed["in_distribution_impact"][at] = _ratio(above, below, value, support)
            decayed["support"][at] = below - support
            above, below = weights @ (of_windows * size), weights @ of_windows
            of_places["in_distribution_impact"][at] = _ratio(above, below, value, support)
            of_places["support"][at] = below
        yield found | decayed, (places | of_places if convention == "step" else {})


def _unordered(
    sums: CategorySums, block: Block, decays: Array, convention: Convention
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Influences of the rows of a block, and Σ w/W of what makes up those of levels, by level that occurs."""
    found = _without_effects(sums, block, len(decays))
    if not sums.changes:
        return found, {}
    total, figures = sums.total_weight, sums.undecayed(convention)
    curves = sums.at_grid(block.curves)[:, sums.levels]
    weights, n_levels = block.weights / total, len(sums.levels)
    q, moments = 2.0 * sums.scale * sums.half, sums.changes[convention].moments
    pairs = np.triu_indices(n_levels, 1)
    means, squares = np.zeros((2, n_levels, n_levels))
    means[pairs], squares[pairs] = moments.mean, moments.squared / total
    means, squares = means - means.T, squares + squares.T
    spread = np.sqrt(squares * total / max(total - 1.0, 1.0))
    values, supports = sums.decayed(decays, convention)
    likely = np.exp(np.log(decays)[:, None, None] * block.units[:, sums.levels])
    impact, differing = np.zeros(len(weights)), np.zeros(len(weights))
    above, below = np.zeros((2, len(decays), len(weights)))
    of_levels = {name: np.zeros(n_levels) for name in ("impact", "heterogeneity")}
    of_levels |= {name: np.zeros((len(decays), n_levels)) for name in DECAYED}
    for level in range(n_levels):
        changes = curves - curves[:, [level]]
        size, share = np.abs(changes), q[level] / 2.0  # each pair is met twice
        varies = spread[level] > _ROUNDING * np.abs(means[level])
        apart = np.square(changes - means[level]) - spread[level] ** 2
        impact += size @ share
        differing += np.where(varies, apart / (2.0 * np.where(varies, spread[level], 1.0)), 0.0) @ share
        of_pairs = (likely + likely[:, :, [level]]) / 2.0
        above += (of_pairs * size) @ share
        below += of_pairs @ (share / sums.scale)
        of_levels["impact"][level] = weights @ (size @ q[level])
        of_levels["heterogeneity"][level] = weights.sum() * (spread[level] @ q[level])
        pair_above = np.einsum("i,dib,b->d", weights, of_pairs * size, q[level])
        pair_below = np.einsum("i,dib,b->d", weights, of_pairs, q[level] / sums.scale)
        of_levels["in_distribution_impact"][:, level] = [
            float(_ratio(a, b, value, support))
            for a, b, value, support in zip(pair_above, pair_below, values, supports, strict=True)
        ]
        of_levels["support"][:, level] = pair_below
    found["impact"] = impact - figures.impact
    found["heterogeneity"] = differing * total / max(total - 1.0, 1.0)
    found["direction"] = found["non_linearity"] = np.full(len(weights), math.nan)
    found["in_distribution_impact"] = np.stack(
        [_ratio(a, b, value, support) for a, b, value, support in zip(above, below, values, supports, strict=True)]
    )
    found["support"] = below - supports[:, None]
    return found, of_levels
