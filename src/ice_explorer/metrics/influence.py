r"""What each row contributes to the error of the metrics: their influences, from one pass over the curves.

A metric is a function of the weights of the rows. To first order, other weights w + δ change it by Σ_i δ_i ψ_i / W,
with the influence ψ_i of row i. With W = Σ w_i:

- the influence on a mean θ = Σ w_i a_i / W is a_i - θ; on a ratio ρ = Σ w_i b_i / Σ w_i c_i it is
  (b_i - ρ c_i) W / Σ w_i c_i; on a standard deviation s_k of changes it is ((x_ik - x̄_k)² - s_k²) / (2 s_k);
- a row is also a place on the axis: where it counts more, so does the grid value that is nearest to its own, and the
  influence by the derivatives B_k with respect to p_k is B_{k(i)} - Σ_k p_k B_k; of levels without an order, so do the
  pairs of its own;
- σ has the influence ((x_i - x̄)² - σ²) / (2σ), on all effects as a factor, and on the unit of marginal distances.

Intervals for other rows from the same source follow from all three; the ends of the windows, grid values, stay where
they are. Standard errors of a sample follow from the first alone, as grid, shares and σ are those of all rows. If m of
n rows are drawn with equal chances, the error of a metric is the mean of their influences. So its standard error is
√(1 - m/n) · s / √m with their standard deviation s, and 0 where all rows are in the sample. s is estimated from some
rows of the sample: 256 of them give it to 5 %.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from ice_explorer.metrics.ordered import OrderedSums
from ice_explorer.metrics.sums import LOWEST_DECAY, distances
from ice_explorer.metrics.unordered import UnorderedSums

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ice_explorer.arrays import Array


UNDECAYED: Final = ("impact", "direction", "heterogeneity", "non_linearity", "missing_impact")
DECAYED: Final = ("in_distribution_impact", "support")
PER_SCALE: Final = ("impact", "in_distribution_impact", "direction", "heterogeneity", "non_linearity")
_ROUNDING: Final = 1e-12
_CHUNK: Final = 1 << 18  # changes that are worked on at a time


class Block(NamedTuple):
    """Rows and their curves.

    - `curves` (n_rows, n_columns): at every grid value, or on the stretches between active intervals.
    - `observed` (n_rows,): values or codes, none missing.
    - `units`: likelihood scales (n_rows,); of levels without an order exponents of the likelihood (n_rows, n_grid).
    - `weights` (n_rows,).
    - `missing_change` (n_rows,): absolute change of the prediction when the value goes missing, if any is.
    """

    curves: Array
    observed: Array
    units: Array
    weights: Array
    missing_change: Array | None


def influences(
    sums: OrderedSums | UnorderedSums, blocks: Iterable[Block], decays: Array, *, with_places: bool = False
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Return the influences on every metric by name.

    - `sums`: of all rows that estimates rest on; the rows of the blocks may be some of them.
    - `with_places`: whether places on the axis have influence, too.
    - returns those of the rows, in their order, (n_rows,), decayed ones (n_decays, n_rows); and B_k by grid value,
      (n_grid,) or (n_decays, n_grid), of levels without an order Σ_b q_ab B_ab. The latter are empty where figures do
      not depend on shares, or they are not wanted.
    """
    parts: list[dict[str, Array]] = []
    of_windows: dict[str, Any] = {}
    for block in blocks:
        for rows, windows in _of_block(sums, block, decays):
            parts.append(rows)
            if with_places and (isinstance(sums, UnorderedSums) or sums.convention == "step"):
                of_windows = {name: of_windows.get(name, 0.0) + values for name, values in windows.items()}
    by_row = {name: np.concatenate([part[name] for part in parts], axis=-1) for name in parts[0]}
    if sums.has_order or not of_windows:
        return by_row, of_windows
    left, right, _, shares, _ = sums.windows_one_by_one
    of_levels = np.equal.outer(left, np.arange(len(sums.grid))) + np.equal.outer(right, np.arange(len(sums.grid)))
    return by_row, {name: (values * shares) @ of_levels for name, values in of_windows.items()}


def _of_block(
    sums: OrderedSums | UnorderedSums, block: Block, decays: Array
) -> Iterator[tuple[dict[str, Array], dict[str, Array]]]:
    """Yield influences of some rows, and Σ w/W of what makes up those of windows, or of pairs of levels."""
    figures, total = sums.undecayed(), sums.total_weight
    missing = np.full(len(block.weights), math.nan)
    if block.missing_change is not None:
        missing = block.missing_change - figures["missing_impact"]
    if sums.factors is None:
        known = np.full(len(block.weights), 0.0 if sums.is_defined else math.nan)
        rows = dict.fromkeys(UNDECAYED, known) | {"missing_impact": missing}
        yield rows | dict.fromkeys(DECAYED, np.broadcast_to(known, (len(decays), len(known)))), {}
        return
    left, right, ratios, shares, left_shares = sums.windows_one_by_one
    mean, squared = sums.window_moments * ratios
    to_sample = total / (total - 1.0) if total > 1 else math.nan
    spread = np.sqrt(squared * ratios / total * to_sample)
    (values, supports), curves = sums.decayed(decays)[:, :, None], sums.expand(block.curves)
    size = max(1, _CHUNK // len(left))
    for start in range(0, len(curves), size):
        some = slice(start, start + size)
        steps, weights = (curves[some][:, right] - curves[some][:, left]) * ratios, block.weights[some] / total
        sizes = np.abs(steps)
        varies = spread > _ROUNDING * np.maximum(np.abs(mean), sizes.max(initial=0.0))
        differing = (np.square(steps - mean) - spread**2) / (2.0 * np.where(varies, spread, 1.0))
        units, observed = block.units[some], block.observed[some]
        scaled = units if units.ndim == 2 else distances(sums.grid, observed, units)
        likely = np.exp(np.log(decays)[:, None, None] * scaled)
        likely = left_shares * likely[:, :, left] + (1.0 - left_shares) * likely[:, :, right]
        above, below = (likely * sizes) @ shares, likely @ shares
        with np.errstate(divide="ignore", invalid="ignore"):  # no likelihood is left
            rows = {
                "impact": sizes @ shares - figures["impact"],
                "heterogeneity": np.where(varies, differing, 0.0) @ shares * to_sample,
                "missing_impact": missing[some],
                "in_distribution_impact": (above - values * below) / supports,
                "support": below - supports,
            }
            above, below = weights @ (likely * sizes), weights @ likely
            windows = {
                "impact": weights @ sizes,
                "heterogeneity": weights.sum() * spread,
                "in_distribution_impact": (above - values * below) / supports,
                "support": below,
            }
        if isinstance(sums, OrderedSums):
            means = steps @ shares
            deviation = np.abs(steps - means[:, None])
            turning = (np.sign(steps - means[:, None]) @ shares)[:, None]
            divisor = sums.windows.variance_divisor
            along = np.sqrt(np.square(deviation) @ shares / divisor) if divisor > 0 else deviation @ shares
            rows |= {"direction": means - figures["direction"], "non_linearity": along - figures["non_linearity"]}
            windows |= {"direction": weights @ steps, "non_linearity": weights @ (deviation - steps * turning)}
        else:
            rows |= dict.fromkeys(("direction", "non_linearity"), np.full(len(weights), math.nan))
        yield rows, windows


@dataclass(frozen=True, eq=False)
class Sampling:
    """How many rows the metrics of a feature rest on, and their standard errors [output].

    - `n_rows`, `n_all`: rows of the sample, and rows that it is drawn from.
    - `metrics`: standard errors by name of the metric; NaN where it is not defined.
    - `exponents` (n_exponents,): increasing a = -ln(decay), the first 0.
    - `decayed` (n_exponents,): standard error of in-distribution impact there.
    """

    n_rows: int
    n_all: int
    metrics: Mapping[str, float]
    exponents: Array
    decayed: Array

    @property
    def text(self) -> str:
        """Description of the sample, for files that are saved from it."""
        return f"sample of {self.n_rows:,} of {self.n_all:,} rows"

    @classmethod
    def without_errors(cls, counts: tuple[int, int]) -> Sampling:
        """Return a sample whose errors are unknown; `counts` as for `estimate_sampling`."""
        return cls(*counts, dict.fromkeys(UNDECAYED, math.nan), np.zeros(1), np.full(1, math.nan))

    def in_distribution_impact(self, decays: Array) -> Array:
        """Return the standard errors of in-distribution impact, (n_decays,), interpolated between `exponents`."""
        return np.interp(-np.log(decays), self.exponents, self.decayed)


def estimate_sampling(sums: OrderedSums | UnorderedSums, block: Block, counts: tuple[int, int]) -> Sampling:
    """Estimate the standard errors of a feature from the influences of some rows.

    - `sums`: of the whole sample.
    - `block`: some rows of it.
    - `counts`: rows of the sample, and rows that it is drawn from.
    """
    decays = np.unique([1.0, sums.nodes.decay, LOWEST_DECAY])[::-1]
    by_row, _ = influences(sums, [block], decays)
    errors = {name: float(_error(by_row[name], block.weights, counts)) for name in UNDECAYED}
    decayed = _error(by_row["in_distribution_impact"], block.weights, counts)
    return Sampling(*counts, errors, -np.log(decays), decayed)


def _error(of_rows: Array, weights: Array, counts: tuple[int, int]) -> Array:
    """Standard errors from influences (…, n_some)."""
    n_rows, n_all = counts
    if of_rows.shape[-1] < 2:
        return np.full(of_rows.shape[:-1], math.nan)
    spread = np.std(of_rows * (weights / weights.mean()), axis=-1, ddof=1)
    return np.asarray(spread * math.sqrt(max(0.0, 1.0 - n_rows / n_all) / n_rows))
