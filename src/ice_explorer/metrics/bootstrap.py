r"""Row bootstrap of every metric, from curves alone.

A bootstrap draw is a weight of every row: how often the row is drawn. Every metric is a function of row weights
(`sample_weight` are frequency weights), so a draw needs no curve anew, and the sums of all draws are matrix products
of counts (n_draws, n_rows) with what each row brings.

What each draw computes anew is everything that weights enter: σ, and with it the unit of the marginal likelihood; the
shares of levels; all sums over rows. What every draw shares is what the model was evaluated at: the grid with its
interval weights u_k, the value that replaces a missing one, and likelihood scales that were given or estimated.

Rows are drawn in proportion to their weight, as many as the weights sum to: integer weights are repeated rows.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.metrics import chebyshev
from ice_explorer.metrics.likelihood import distances
from ice_explorer.metrics.ordered import CONVENTIONS, step_weights

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ice_explorer.metrics.ordered import Convention, FeatureSums
    from ice_explorer.metrics.unordered import CategorySums

    Array = NDArray[np.float64]
    Metrics = dict[str, Array]

N_DRAWS: Final = 500
"""Of one bootstrap: the ends of a 95 % interval scatter by an eighth of a standard error."""

ROWS_AT_A_TIME: Final = 2048
_MOST_COUNTS = 1 << 26  # kept between features; beyond, they are drawn again from the same seeds
_MOST_PAIR_SUMS = 1 << 22  # sums of pairs of levels held at a time: 128 MB
_CHUNK = 1 << 15  # phantoms worked on at a time, so that they stay in the cache
_ROUNDING = 1e-15  # of an interpolated likelihood, relative to that of the nearest phantom


class RowDraws:
    """How often each row is drawn: multinomial counts, block by block, the same whenever they are asked for.

    Parameters
    ----------
    weights : ndarray of shape (n_rows,)
        Frequency weights, greater than 0.
    seed : sequence of int
        Of the generators.
    n_draws : int
    """

    def __init__(self, weights: Array, seed: list[int], n_draws: int) -> None:
        self.n_draws = n_draws
        self._weights = weights
        self._seed = seed
        self._starts = range(0, len(weights), ROWS_AT_A_TIME)
        masses = np.add.reduceat(weights, list(self._starts))
        total = float(masses.sum())
        self.n_drawn = max(round(total), 1)
        self._unit = total / self.n_drawn
        generator = np.random.default_rng(seed)
        self._of_block = generator.multinomial(self.n_drawn, masses / total, size=n_draws)
        self._kept: dict[int, NDArray[Any]] = {}

    def __iter__(self) -> Iterator[tuple[slice, Array]]:
        """Yield blocks of rows, and their weights in each draw (n_draws, n_rows of the block)."""
        for at, start in enumerate(self._starts):
            rows = slice(start, min(start + ROWS_AT_A_TIME, len(self._weights)))
            yield rows, np.multiply(self._counts(at, rows), self._unit, dtype=np.float64)

    def _counts(self, at: int, rows: slice) -> NDArray[Any]:
        if at in self._kept:
            return self._kept[at]
        of_rows = self._weights[rows]
        generator = np.random.default_rng([*self._seed, at])
        drawn = generator.multinomial(self._of_block[:, at], of_rows / of_rows.sum())
        counts = drawn.astype(np.min_scalar_type(int(drawn.max())))
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


class OrderedDraws:
    """Bootstrap draws of the metrics of a feature with an order.

    Parameters
    ----------
    sums : FeatureSums
        Of the same rows.
    scales : ndarray of shape (n_draws,)
        σ in each draw [feature].
    convention : {"stable", "equations", "published"}
    rates : ndarray of shape (n_draws,)
        -ln(decay) per likelihood scale: where σ is the likelihood scale, -ln(decay) times σ of all rows over σ of the
        draw.
    rows : tuple of two ndarrays of shape (n_rows,)
        Observed values, none missing, and likelihood scales of all rows that will be added.
    """

    def __init__(
        self, sums: FeatureSums, scales: Array, convention: Convention, rates: Array, rows: tuple[Array, Array]
    ) -> None:
        n_draws = len(scales)
        self._scales, self._convention = scales, convention
        self._grid, self._active, self._gaps = sums.grid, sums.active, sums.gaps
        self._is_flat = len(sums.grid) < 2 or sums.scale == 0
        self._weight, self._missing = np.zeros(n_draws), np.zeros(n_draws)
        self._has_missing = False
        self._n_rows = sums.n_rows
        if self._is_flat:
            return
        step = step_weights(sums.grid)[convention]
        self._u, self._ends, self._divisor = step.u[self._active], step.ends, step.variance_divisor
        self._elsewhere = float(np.delete(step.u, self._active).sum())
        # Slopes that are equal in all rows are so in every draw; what sums of squares make of them is rounding.
        self._varies = np.flatnonzero(sums.slopes.squared > 0)
        self._middle = sums.slopes.mean[self._varies]
        n_active, n_varying = len(self._active), len(self._varies)
        self._absolute = np.zeros((n_draws, n_active))
        self._shift, self._squared = np.zeros((n_draws, n_varying)), np.zeros((n_draws, n_varying))
        self._net, self._along = np.zeros(n_draws), np.zeros(n_draws)
        self._rates = rates
        self._nearest, farthest = self._distances_of(*rows)
        self._nodes, self._of_nodes = _nodes_of(np.where(scales > 0, rates, np.nan), farthest - self._nearest)
        self._steep, self._likely = np.zeros((2, *self._of_nodes.shape))

    def _distances_of(self, observed: Array, likelihood_scale: Array) -> tuple[float, float]:
        """Smallest and largest distance of a phantom that counts, in likelihood scales."""
        values = self._grid[self._ends.at_values() > 0]
        above = np.minimum(np.searchsorted(values, observed), len(values) - 1)
        near = np.minimum(np.abs(values[above] - observed), np.abs(values[np.maximum(above - 1, 0)] - observed))
        far = np.maximum(np.abs(values[0] - observed), np.abs(values[-1] - observed))
        return float(np.min(near / likelihood_scale)), float(np.max(far / likelihood_scale))

    def add(self, curves: Array, counts: Array, rows: tuple[Array, Array], missing_change: Array | None) -> None:
        """Add a block of rows.

        Parameters
        ----------
        curves : ndarray of shape (n_rows, n_grid)
            ICE curves [output].
        counts : ndarray of shape (n_draws, n_rows)
            Weight of the rows in each draw.
        rows : tuple of two ndarrays of shape (n_rows,)
            Observed values, and likelihood scales.
        missing_change : ndarray of shape (n_rows,), optional
            Absolute change of the prediction when the value goes missing [output].
        """
        self._weight += counts.sum(axis=1)
        if missing_change is not None:
            self._has_missing = True
            self._missing += counts @ missing_change
        if self._is_flat:
            return
        slopes = (curves[:, self._active + 1] - curves[:, self._active]) / self._gaps
        net = slopes @ self._u
        self._net += counts @ net
        self._along += counts @ self._deviation(slopes, net)
        varying = slopes[:, self._varies] - self._middle
        self._shift += counts @ varying
        self._squared += counts @ np.square(varying, out=varying)
        steepness = np.abs(slopes, out=slopes)
        self._absolute += counts @ steepness
        steep, likely = self._at_nodes(steepness, rows)
        self._steep += counts @ steep
        self._likely += counts @ likely

    def _at_nodes(self, steepness: Array, rows: tuple[Array, Array]) -> tuple[Array, Array]:
        """Sum steepness (n_rows, n_active) and 1 by likelihood over the intervals of each row, (n_rows, n_nodes)."""
        steep, likely = np.empty((2, len(steepness), len(self._nodes)))
        at_values = self._ends.at_values()
        size = max(1, _CHUNK // len(self._grid))
        for start in range(0, len(steepness), size):
            some = slice(start, start + size)
            # Nearer are only values that do not count.
            far = np.maximum(distances(self._grid, rows[0][some], rows[1][some]) - self._nearest, 0.0)
            at_ends = np.zeros_like(far)  # what intervals count at their left and right ends
            at_ends[:, self._active] = steepness[some] * self._ends.left[self._active]
            at_ends[:, self._active + 1] += steepness[some] * self._ends.right[self._active]
            for at, rate in enumerate(self._nodes):
                likelihood = np.multiply(far, -rate)
                np.exp(likelihood, out=likelihood)
                likely[some, at] = likelihood @ at_values
                steep[some, at] = np.einsum("ik,ik->i", likelihood, at_ends)
        return steep, likely

    def _deviation(self, slopes: Array, mean: Array) -> Array:
        """How much the slope of each curve deviates along it (Eq. 5), as in `FeatureSums`."""
        deviation = slopes - mean[:, None]
        if self._convention == CONVENTIONS[0]:
            return np.asarray(np.abs(deviation, out=deviation) @ self._u + self._elsewhere * np.abs(mean))
        squared = np.square(deviation, out=deviation) @ self._u + self._elsewhere * np.square(mean)
        return np.asarray(np.sqrt(squared / self._divisor))

    def metrics(self) -> Metrics:
        """Return every metric in each draw by name, (n_draws,) each.

        NaN where a draw leaves it undefined, or has no row near enough to any grid value for a likelihood above 1e-308.
        """
        zeros = np.zeros(len(self._scales))
        with np.errstate(invalid="ignore", divide="ignore"):
            missing = self._missing / self._weight if self._has_missing else zeros + math.nan
            names = ("impact", "in_distribution_impact", "direction", "heterogeneity", "non_linearity")
            if self._is_flat:
                flat = dict.fromkeys(names, zeros)
                return {
                    **flat, "missing_impact": missing, "support": zeros + 1.0, "largest_step_share": zeros + math.nan
                }  # fmt: skip
            brought = self._absolute * self._u
            whole = brought.sum(axis=1)
            steep, likely = (np.einsum("bq,bq->b", self._of_nodes, sums) for sums in (self._steep, self._likely))
            figures = [
                whole / self._weight,
                np.maximum(steep / likely, 0.0),
                self._net / self._weight,
                self._heterogeneity(),
                self._along / self._weight,
            ]
            has_spread = self._scales > 0
            effects = {
                name: np.where(has_spread, self._scales * figure, 0.0)
                for name, figure in zip(names, figures, strict=True)
            }
            support = np.exp(-self._rates * self._nearest) * likely / self._weight
            share = np.where(whole > 0, brought.max(axis=1, initial=0.0) / whole, math.nan)
        return {
            **effects,
            "missing_impact": missing,
            "support": np.where(has_spread, np.minimum(support, 1.0), 1.0),
            "largest_step_share": np.where(has_spread, share, math.nan),
        }

    def _heterogeneity(self) -> Array:
        """Average over intervals the standard deviation over rows, ddof=1 (Eq. 4)."""
        if self._n_rows < 2:
            return np.zeros(len(self._scales))
        return _deviations(self._squared, self._shift, self._weight) @ self._u[self._varies]


class CategoryDraws:
    """Bootstrap draws of the metrics of a feature without an order.

    Parameters
    ----------
    sums : CategorySums
        Of the same rows.
    scales : ndarray of shape (n_draws,)
        σ_c in each draw.
    shares : ndarray of shape (n_draws, n_grid)
        Weight of the observations at each level of the grid in each draw.
    exponent : float
        -ln(decay).
    nearest : float
        Smallest distance that will be added.
    """

    def __init__(self, sums: CategorySums, scales: Array, shares: Array, exponent: float, nearest: float) -> None:
        self._scales = scales
        self._first, self._second = sums.pairs.T
        self._levels = sums.levels
        shares = shares[:, self._levels]
        q = shares[:, self._first] * shares[:, self._second]
        with np.errstate(invalid="ignore", divide="ignore"):
            self._q = q / q.sum(axis=1, keepdims=True)
        self._is_flat = len(sums.grid) < 2 or sums.scale == 0
        self._n_rows = sums.n_rows
        self._exponent, self._nearest = exponent, nearest
        self._varies, self._middle = sums.changes.squared > 0, sums.changes.mean
        n_draws = len(scales)
        self._weight, self._missing = np.zeros(n_draws), np.zeros(n_draws)
        self._has_missing = False
        self._absolute, self._shift, self._squared, self._steep = np.zeros((4, n_draws, len(self._first)))
        self._likely = np.zeros(shares.shape)

    @staticmethod
    def draws_at_a_time(n_grid: int) -> int:
        """How many draws are held together, so that the sums of pairs of levels stay small."""
        return max(1, _MOST_PAIR_SUMS // max(1, n_grid * (n_grid - 1) // 2))

    def add(self, curves: Array, counts: Array, far: Array, missing_change: Array | None) -> None:
        """Add a block of rows; `far` are the exponents of the decay of all phantoms, the rest as for `OrderedDraws`."""
        self._weight += counts.sum(axis=1)
        if missing_change is not None:
            self._has_missing = True
            self._missing += counts @ missing_change
        if self._is_flat:
            return
        curves, far = curves[:, self._levels], far[:, self._levels]
        likelihood = np.exp(-self._exponent * (far - self._nearest))
        self._likely += counts @ likelihood
        start = 0
        for level in range(curves.shape[1] - 1):
            changes = curves[:, level + 1 :] - curves[:, [level]]
            pairs = slice(start, start + changes.shape[1])
            start = pairs.stop
            varying = np.where(self._varies[pairs], changes - self._middle[pairs], 0.0)
            self._shift[:, pairs] += counts @ varying
            self._squared[:, pairs] += counts @ np.square(varying, out=varying)
            np.abs(changes, out=changes)
            self._absolute[:, pairs] += counts @ changes
            changes *= (likelihood[:, level + 1 :] + likelihood[:, [level]]) / 2
            self._steep[:, pairs] += counts @ changes

    def metrics(self) -> Metrics:
        """Return every metric in each draw by name, (n_draws,) each; NaN where a draw leaves it undefined."""
        zeros = np.zeros(len(self._scales))
        nan = zeros + math.nan
        with np.errstate(invalid="ignore", divide="ignore"):
            missing = self._missing / self._weight if self._has_missing else nan
            names = ("impact", "in_distribution_impact", "heterogeneity")
            unordered = {"direction": nan, "non_linearity": nan, "missing_impact": missing}
            if self._is_flat:
                return {**dict.fromkeys(names, zeros), **unordered, "support": zeros + 1.0, "largest_step_share": nan}
            brought = self._q * self._absolute
            whole = brought.sum(axis=1)
            of_level = np.zeros_like(self._likely)
            for level in range(len(of_level.T)):
                of_level[:, level] = self._q[:, (self._first == level) | (self._second == level)].sum(axis=1) / 2
            likely = np.einsum("ba,ba->b", of_level, self._likely)
            spread = _deviations(self._squared, self._shift, self._weight) if self._n_rows > 1 else self._squared
            figures = [
                whole / self._weight,
                np.einsum("bp,bp->b", self._q, self._steep) / likely,
                np.einsum("bp,bp->b", self._q, spread),
            ]
            has_spread = self._scales > 0
            effects = {
                name: np.where(has_spread, self._scales * figure, 0.0)
                for name, figure in zip(names, figures, strict=True)
            }
            support = np.exp(-self._exponent * self._nearest) * likely / self._weight
            share = np.where(whole > 0, brought.max(axis=1) / whole, math.nan)
        return {
            **effects,
            **unordered,
            "support": np.where(has_spread, np.minimum(support, 1.0), 1.0),
            "largest_step_share": np.where(has_spread, share, math.nan),
        }


def _deviations(squared: Array, shift: Array, weight: Array) -> Array:
    """Standard deviations over rows, ddof=1, from weighted sums of deviations and of their squares."""
    about_mean = squared - np.square(shift) / weight[:, None]
    return np.asarray(np.sqrt(np.maximum(about_mean, 0.0) / (weight[:, None] - 1.0)))


def _nodes_of(rates: Array, farthest: float) -> tuple[Array, Array]:
    """Choose rates at which sums of e^{-rate·distance} are computed, so that polynomials tell those of all draws.

    Rates are parted by octaves. With rates within m ± h, the Chebyshev interpolation by n nodes misses e^{-rate·d} by
    at most 2 (hd/2)^n/n! · e^{-(m - h)d}: by 2 (hd/2)^n/n!, and whatever the distance by 2 (h/(2(m - h)))^n.

    Parameters
    ----------
    rates : ndarray of shape (n_draws,)
        At least 0; NaN where it does not matter.
    farthest : float
        Largest distance.

    Returns
    -------
    nodes : ndarray of shape (n_nodes,)
    weights : ndarray of shape (n_draws, n_nodes)
        Of the sums at the nodes, for the sum at the rate of each draw.
    """
    known = np.flatnonzero(~np.isnan(rates))
    positive = np.maximum(rates[known], np.finfo(float).tiny)
    octaves = np.floor(np.log2(positive / positive.min(initial=math.inf)))
    nodes: list[Array] = []
    weights: list[Array] = []
    for octave in np.unique(octaves):
        members = known[octaves == octave]
        distinct, position = np.unique(rates[members], return_inverse=True)
        middle, half = (distinct[0] + distinct[-1]) / 2, (distinct[-1] - distinct[0]) / 2
        n_nodes = _n_nodes(half * farthest / 2, half / (2 * max(distinct[0], np.finfo(float).tiny)))
        if n_nodes < len(distinct):
            here = middle + half * chebyshev.nodes(n_nodes)
            degrees = chebyshev.polynomials((rates[members] - middle) / half, n_nodes)
            of_nodes = degrees.T @ chebyshev.to_nodes(n_nodes)
        else:
            here, of_nodes = distinct, np.eye(len(distinct))[position]
        everywhere = np.zeros((len(rates), len(here)))
        everywhere[members] = of_nodes
        nodes.append(here)
        weights.append(everywhere)
    return np.concatenate([np.empty(0), *nodes]), np.concatenate([np.empty((len(rates), 0)), *weights], axis=1)


def _n_nodes(reach: float, ratio: float) -> int:
    """Nodes for which 2 reach^n/n!, or 2 ratio^n, is below rounding; the ratio is at most a quarter."""
    n_nodes, by_distance, by_ratio = 0, 2.0, 2.0
    while min(by_distance, by_ratio) > _ROUNDING:
        n_nodes += 1
        by_distance *= reach / n_nodes
        by_ratio *= ratio
    return n_nodes
