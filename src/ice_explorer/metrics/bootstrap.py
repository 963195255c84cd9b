r"""Bootstrap draws of every metric, from curves alone.

A draw is a weight of every row: how often the row is drawn. Every metric is a function of row weights
(`sample_weight` are frequency weights), so a draw needs no curve anew, and the sums of all draws are matrix products
of counts (n_draws, n_rows) with what each row brings.

What each draw computes anew is everything that weights enter: σ, and with it the unit of the marginal likelihood; the
shares of levels; all sums over rows. What every draw shares is what the model was evaluated at: the grid with its
interval weights u_k, the value that replaces a missing one, and likelihood scales that were given or estimated.

Sums that the decay does not enter are made once. Those that it enters are kept for the last few decays; of levels with
an order for the last few octaves of -ln(decay), so that most decays take no pass over curves at all.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ice_explorer.metrics import chebyshev
from ice_explorer.metrics.likelihood import distances
from ice_explorer.metrics.ordered import CONVENTIONS, step_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from numpy.typing import NDArray

    from ice_explorer.metrics.ordered import Convention, CurveSums, FeatureSums, Moments
    from ice_explorer.metrics.unordered import CategorySums

    Array = NDArray[np.float64]
    Metrics = dict[str, Array]

_MOST_PAIR_SUMS = 1 << 22  # sums of pairs of levels held at a time: 128 MB
_CHUNK = 1 << 15  # phantoms worked on at a time, so that they stay in the cache
_CHUNK_OF_PRODUCTS = 1 << 19  # which need more for matrix products to be quick
_ROUNDING = 1e-15  # of an interpolated likelihood, relative to that of the nearest phantom
_MOST_EXPONENT = 600.0  # whose halves e^{±300} keep products of them and slopes within doubles
_KEPT = 4  # octaves or decays, of at most 200 kB


class Block(NamedTuple):
    """Rows that are added together.

    - `rows` (n_rows,): positions.
    - `curves` (n_rows, n_grid): ICE curves [output].
    - `counts` (n_draws, n_rows): weight of the rows in each draw.
    - `missing_change` (n_rows,): absolute change of the prediction when the value goes missing [output], if any is.
    """

    rows: NDArray[np.int64]
    curves: Array
    counts: Array
    missing_change: Array | None


class _ChangeSums:
    """Sums of the slopes of intervals, or of the changes between pairs of levels, in each draw: (n_draws, n_columns).

    What does not differ between rows does not in any draw; what sums of squares make of it is rounding.
    """

    def __init__(self, n_draws: int, changes: Moments) -> None:
        self._varies, self._middle = changes.squared > 0, changes.mean
        self.absolute, self._shift, self._squared = np.zeros((3, n_draws, len(self._varies)))

    def add(self, counts: Array, changes: Array, start: int = 0) -> None:
        """Add changes of rows (n_rows, …) from a column on, and replace them by their absolute values."""
        varies = np.flatnonzero(self._varies[start : start + changes.shape[1]])
        columns = varies + start
        varying = changes[:, varies] - self._middle[columns]
        self._shift[:, columns] += counts @ varying
        self._squared[:, columns] += counts @ np.square(varying, out=varying)
        self.absolute[:, start : start + changes.shape[1]] += counts @ np.abs(changes, out=changes)

    def heterogeneity(self, shares: Array, weight: Array) -> Array:
        """Average the standard deviation over rows, ddof=1 (Eq. 4); `shares` are (n_columns,), or of each draw."""
        shift, squared = self._shift[:, self._varies], self._squared[:, self._varies]
        about_mean = np.maximum(squared - np.square(shift) / weight[:, None], 0.0)
        deviations = np.sqrt(about_mean / (weight[:, None] - 1.0))
        return np.asarray((deviations * shares[..., self._varies]).sum(axis=1))


class MetricDraws(ABC):
    """Bootstrap draws of the metrics of one feature.

    Parameters
    ----------
    sums : CurveSums
        Of the same rows.
    changes : Moments
        Of slopes or of changes between levels, over the same rows.
    scales : ndarray of shape (n_draws,)
        σ in each draw [feature].
    shares : ndarray of shape (n_columns,) or (n_draws, n_columns)
        Weights of intervals or of pairs of levels.
    nearest : float
        Smallest distance of a phantom that counts, in likelihood scales.
    """

    def __init__(self, sums: CurveSums, changes: Moments, scales: Array, shares: Array, nearest: float) -> None:
        self._changes, self._scales, self._shares, self._nearest = changes, scales, shares, nearest
        self._is_flat = len(sums.grid) < 2 or sums.scale == 0
        self._n_rows, self.n_draws = sums.n_rows, len(scales)
        self._plain: Metrics = {}
        self._kept: dict[Hashable, Array] = {}

    def metrics(self, exponent: float, blocks: Callable[[], Iterable[Block]]) -> Metrics:
        """Return every metric in each draw by name, (n_draws,) each; rows are passed over where sums are not kept.

        NaN where a draw leaves it undefined, or has no row near enough to any grid value for a likelihood above 1e-308.

        Parameters
        ----------
        exponent : float
            -ln(decay).
        blocks : callable
            Yields all rows.
        """
        nodes = self._nodes(exponent)
        new = {key: rates for key, rates in nodes.items() if key not in self._kept}
        if new or not self._plain:
            sums = self._pass_over(blocks(), list(new.values()))
            others = [key for key in self._kept if key not in nodes]
            for key in others[:-_KEPT]:
                del self._kept[key]
            self._kept.update(zip(new, sums, strict=True))
        metrics = dict(self._plain)
        if not self._is_flat:
            with np.errstate(invalid="ignore", divide="ignore"):
                steep, likely, rates = self._at(exponent)
                support = np.exp(-rates * self._nearest) * likely / self._weight
                has_spread = self._scales > 0
                impact = np.where(has_spread, self._scales * np.maximum(steep / likely, 0.0), 0.0)
                metrics["in_distribution_impact"] = impact
                metrics["support"] = np.where(has_spread, np.minimum(support, 1.0), 1.0)
        return metrics

    def has(self, exponent: float) -> bool:
        """Whether the metrics at a decay take no pass over the rows."""
        return bool(self._plain) and all(key in self._kept for key in self._nodes(exponent))

    def _pass_over(self, blocks: Iterable[Block], nodes: Sequence[Array]) -> list[Array]:
        """Sum over rows what the decay does not enter, if that is not done; return sums at rates of likelihoods."""
        n_draws = len(self._scales)
        weight, missing, along, has_missing = np.zeros(n_draws), np.zeros(n_draws), np.zeros((2, n_draws)), False
        changes = None if self._plain else _ChangeSums(n_draws, self._changes)
        sums = [np.zeros((2, n_draws, len(rates))) for rates in nodes]
        for block in blocks:
            weight += block.counts.sum(axis=1)
            if block.missing_change is not None:
                has_missing = True
                missing += block.counts @ block.missing_change
            if not self._is_flat:
                along += self._add(block, changes, list(zip(nodes, sums, strict=True)))
        if changes is not None:
            with np.errstate(invalid="ignore", divide="ignore"):
                self._weight = weight
                change = missing / weight if has_missing else np.full(n_draws, math.nan)
                self._plain = self._plain_metrics(changes, along, change)
        return sums

    def _plain_metrics(self, changes: _ChangeSums, along: Array, missing_change: Array) -> Metrics:
        zeros, nan = np.zeros(len(self._scales)), np.full(len(self._scales), math.nan)
        names = ("impact", "direction", "heterogeneity", "non_linearity")
        found = dict.fromkeys((*names, "in_distribution_impact"), zeros)
        found |= {"missing_impact": missing_change, "support": zeros + 1.0, "largest_step_share": nan}
        if not self._is_flat:
            brought, has_spread = changes.absolute * self._shares, self._scales > 0
            whole = brought.sum(axis=1)
            spread = changes.heterogeneity(self._shares, self._weight) if self._n_rows > 1 else zeros
            net, bend = along / self._weight
            for name, figure in zip(names, (whole / self._weight, net, spread, bend), strict=True):
                found[name] = np.where(has_spread, self._scales * figure, 0.0)
            share = brought.max(axis=1, initial=0.0) / whole
            found["largest_step_share"] = np.where(has_spread & (whole > 0), share, math.nan)
        return found

    @abstractmethod
    def _nodes(self, exponent: float) -> dict[Hashable, Array]:
        """Return, by key, the rates at which sums of likelihoods are needed for a decay."""

    @abstractmethod
    def _at(self, exponent: float) -> tuple[Array, Array, Array]:
        """Return Σ u M |S| and Σ u M at a decay in each draw, as multiples of e^{-rate·nearest}, and the rates."""

    @abstractmethod
    def _add(self, block: Block, changes: _ChangeSums | None, likelihoods: list[tuple[Array, Array]]) -> Array | float:
        """Add rows to the sums that are wanted, and return those of net change and deviation along curves.

        `likelihoods` are rates of nodes, and sums at them, (2, n_draws, n_nodes): of changes by likelihood, and of
        likelihood.
        """


class OrderedDraws(MetricDraws):
    """Bootstrap draws of the metrics of a feature with an order; parameters as for `MetricDraws` and as follows.

    Parameters
    ----------
    convention : {"stable", "equations", "published"}
    rows : tuple of ndarray
        Of all rows, (n_observations,): observed values, none missing, and likelihood scales; positions of those that
        will be added, (n_rows,). A scale of stride 0 is σ of all rows, in place of which each draw has its own.
    """

    def __init__(
        self,
        sums: FeatureSums,
        scales: Array,
        convention: Convention,
        rows: tuple[Array, Array, NDArray[np.int64]],
    ) -> None:
        super().__init__(sums, sums.slopes, scales, np.empty(0), 0.0)
        self._grid, self._active, self._gaps, self._convention = sums.grid, sums.active, sums.gaps, convention
        self._observed, self._units, summed = rows
        if self._is_flat:
            return
        step = step_weights(sums.grid)[convention]
        self._shares, self._ends, self._divisor = step.u[self._active], step.ends, step.variance_divisor
        self._elsewhere = float(np.delete(step.u, self._active).sum())
        self._unit = sums.scale if self._units.strides == (0,) else None
        self._ratio = np.ones(len(scales))
        if self._unit is not None:
            np.divide(self._unit, scales, out=self._ratio, where=scales > 0)
        self._nearest, self._farthest = self._distances_of(observed := self._observed[summed], self._units[summed])
        self._span = min(self._grid[0], observed.min()), max(self._grid[-1], observed.max())

    def _distances_of(self, observed: Array, likelihood_scale: Array) -> tuple[float, float]:
        """Smallest and largest distance of a phantom that counts, in likelihood scales."""
        values = self._grid[self._ends.at_values > 0]
        above = np.minimum(np.searchsorted(values, observed), len(values) - 1)
        near = np.minimum(np.abs(values[above] - observed), np.abs(values[np.maximum(above - 1, 0)] - observed))
        far = np.maximum(np.abs(values[0] - observed), np.abs(values[-1] - observed))
        return float(np.min(near / likelihood_scale)), float(np.max(far / likelihood_scale))

    def _nodes(self, exponent: float) -> dict[Hashable, Array]:
        return {key: nodes for key, nodes, _, _ in self._parts(exponent)}

    def _parts(self, exponent: float) -> list[tuple[Hashable, Array, NDArray[np.intp], Array]]:
        """Return what the sums of all draws follow from: a key, rates of nodes, draws, and their weights of nodes.

        Rates are grouped by octave. With rates within m ± h, the Chebyshev interpolation by n nodes misses e^{-rate·d}
        by at most 2 (hd/2)^n/n! · e^{-(m - h)d}: by 2 (hd/2)^n/n!, and whatever the distance by 2 (h/(2(m - h)))^n, 2
        (1/4)^n. Where fewer rates differ, they are the nodes.
        """
        if self._is_flat:
            return []
        rates = np.maximum(exponent * self._ratio, np.finfo(float).tiny)
        octaves = np.where(self._scales > 0, np.floor(np.log2(rates)), math.nan)
        parts: list[tuple[Hashable, Array, NDArray[np.intp], Array]] = []
        for octave in np.unique(octaves[self._scales > 0]).tolist():
            members = np.flatnonzero(octaves == octave)
            distinct, position = np.unique(rates[members], return_inverse=True)
            half = 2.0 ** (octave - 1)
            n_nodes = _n_nodes(half * (self._farthest - self._nearest) / 2)
            if n_nodes < len(distinct):
                degrees = chebyshev.polynomials(rates[members] / half - 3.0, n_nodes)
                nodes = half * (3.0 + chebyshev.nodes(np.arange(n_nodes), n_nodes))
                parts.append((octave, nodes, members, degrees.T @ chebyshev.to_nodes(n_nodes)))
            else:
                parts.append((distinct.tobytes(), distinct, members, np.eye(len(distinct))[position]))
        return parts

    def _at(self, exponent: float) -> tuple[Array, Array, Array]:
        steep, likely = np.full((2, len(self._scales)), math.nan)
        for key, _, members, of_nodes in self._parts(exponent):
            steep[members], likely[members] = np.einsum("bq,sbq->sb", of_nodes, self._kept[key][:, members])
        return steep, likely, exponent * self._ratio

    def _add(self, block: Block, changes: _ChangeSums | None, likelihoods: list[tuple[Array, Array]]) -> Array | float:
        slopes = (block.curves[:, self._active + 1] - block.curves[:, self._active]) / self._gaps
        along: Array | float = 0.0
        if changes is None:
            np.abs(slopes, out=slopes)
        else:
            net = slopes @ self._shares
            along = np.array([block.counts @ net, block.counts @ self._deviation(slopes, net)])
            changes.add(block.counts, slopes)
        for nodes, sums in likelihoods:
            sums[:] += block.counts @ self._at_nodes(nodes, slopes, block.rows)
        return along

    def _deviation(self, slopes: Array, mean: Array) -> Array:
        """How much the slope of each curve deviates along it (Eq. 5), as in `FeatureSums`."""
        deviation = slopes - mean[:, None]
        if self._convention == CONVENTIONS[0]:
            return np.asarray(np.abs(deviation, out=deviation) @ self._shares + self._elsewhere * np.abs(mean))
        squared = np.square(deviation, out=deviation) @ self._shares + self._elsewhere * np.square(mean)
        return np.asarray(np.sqrt(squared / self._divisor))

    def _at_nodes(self, nodes: Array, steepness: Array, rows: NDArray[np.int64]) -> Array:
        """Sum steepness (n_rows, n_active) and 1 by likelihood over the intervals of each row, (2, n_rows, n_nodes)."""
        sums = np.empty((2, len(rows), len(nodes)))
        low, high = self._span
        is_product = self._unit is not None and nodes[-1] * (high - low) / self._unit < _MOST_EXPONENT
        sums_of = self._by_products(nodes) if is_product else self._by_distances(nodes)
        size = max(1, (_CHUNK_OF_PRODUCTS if is_product else _CHUNK) // len(self._grid))
        for start in range(0, len(rows), size):
            some = slice(start, start + size)
            at_ends = np.zeros((len(rows[some]), len(self._grid)))  # what intervals count at their left and right ends
            at_ends[:, self._active] = steepness[some] * self._ends.left[self._active]
            at_ends[:, self._active + 1] += steepness[some] * self._ends.right[self._active]
            sums[:, some] = sums_of(at_ends, rows[some])
        return sums

    def _by_distances(self, nodes: Array) -> Callable[[Array, NDArray[np.int64]], tuple[Array, Array]]:
        """Return a function that sums what lies at grid values by likelihood, from the distance of each phantom."""
        at_values = self._ends.at_values

        def sums_of(at_ends: Array, rows: NDArray[np.int64]) -> tuple[Array, Array]:
            # Nearer are only values that do not count.
            far = np.maximum(distances(self._grid, self._observed[rows], self._units[rows]) - self._nearest, 0.0)
            steep, likely = np.empty((2, len(rows), len(nodes)))
            for at, rate in enumerate(nodes):
                likelihood = np.exp(far * -rate)
                likely[:, at] = likelihood @ at_values
                steep[:, at] = np.einsum("ik,ik->i", likelihood, at_ends)
            return steep, likely

        return sums_of

    def _by_products(self, nodes: Array) -> Callable[[Array, NDArray[np.int64]], tuple[Array, Array]]:
        """Return one that does so where σ is the unit: e^{-a|v - x|} is e^{av} e^{-ax} below x, its inverse above."""
        middle, at_values = sum(self._span) / 2, self._ends.at_values[:, None]
        rising = np.exp(np.outer((self._grid - middle) / self._unit, nodes))
        falling, to_nearest = 1 / rising, np.exp(nodes * self._nearest)
        up_to = np.pad(np.cumsum(at_values * rising, axis=0), ((1, 0), (0, 0)))
        beyond = np.pad(np.cumsum((at_values * falling)[::-1], axis=0)[::-1], ((0, 1), (0, 0)))

        def sums_of(at_ends: Array, rows: NDArray[np.int64]) -> tuple[Array, Array]:
            observed = self._observed[rows]
            of_rows = np.exp(np.outer((observed - middle) / self._unit, nodes))
            n_below = np.searchsorted(self._grid, observed, side="right")
            below = np.where(np.arange(len(self._grid)) < n_below[:, None], at_ends, 0.0)
            steep = below @ rising / of_rows + (at_ends - below) @ falling * of_rows
            likely = up_to[n_below] / of_rows + beyond[n_below] * of_rows
            return steep * to_nearest, likely * to_nearest

        return sums_of


class CategoryDraws(MetricDraws):
    """Bootstrap draws of the metrics of a feature without an order; parameters as for `MetricDraws` and as follows.

    Parameters
    ----------
    shares : ndarray of shape (n_draws, n_grid)
        Weight of the observations at each level of the grid in each draw.
    far : callable
        Exponents of the decay of all phantoms of some rows, (n_rows, n_grid).
    """

    def __init__(
        self,
        sums: CategorySums,
        scales: Array,
        shares: Array,
        far: Callable[[NDArray[np.int64]], Array],
        nearest: float,
    ) -> None:
        self._first, self._second = sums.pairs.T
        self._levels = sums.levels
        shares = shares[:, self._levels]
        q = shares[:, self._first] * shares[:, self._second]
        with np.errstate(invalid="ignore", divide="ignore"):
            q /= q.sum(axis=1, keepdims=True)
        super().__init__(sums, sums.changes, scales, q, nearest)
        self._far = far
        self._of_level = np.zeros_like(shares)  # what pairs count with the likelihood of each of their levels
        for level in range(shares.shape[1]):
            self._of_level[:, level] = q[:, (self._first == level) | (self._second == level)].sum(axis=1) / 2

    @staticmethod
    def draws_at_a_time(n_grid: int) -> int:
        """How many draws are held together, so that the sums of pairs of levels stay small."""
        return max(1, _MOST_PAIR_SUMS // max(1, n_grid * (n_grid - 1) // 2))

    def _plain_metrics(self, changes: _ChangeSums, along: Array, missing_change: Array) -> Metrics:
        nan = np.full(len(self._scales), math.nan)
        return super()._plain_metrics(changes, along, missing_change) | {"direction": nan, "non_linearity": nan}

    def _nodes(self, exponent: float) -> dict[Hashable, Array]:
        return {} if self._is_flat else {exponent: np.array([exponent])}

    def _at(self, exponent: float) -> tuple[Array, Array, Array]:
        steep, likely = self._kept[exponent]
        return steep[:, 0], likely[:, 0], np.full(len(self._scales), exponent)

    def _add(self, block: Block, changes: _ChangeSums | None, likelihoods: list[tuple[Array, Array]]) -> Array | float:
        curves, counts = block.curves[:, self._levels], block.counts
        far = self._far(block.rows)[:, self._levels] - self._nearest
        at_levels = [(np.exp(far * -rate), sums) for (rate,), sums in likelihoods]
        for likelihood, (_, likely) in at_levels:
            likely[:, 0] += np.einsum("ba,ba->b", counts @ likelihood, self._of_level)
        start = 0
        for level in range(curves.shape[1] - 1):
            others = slice(level + 1, None)
            of_pairs = curves[:, others] - curves[:, [level]]
            if changes is None:
                np.abs(of_pairs, out=of_pairs)
            else:
                changes.add(counts, of_pairs, start)
            q = self._shares[:, start : start + of_pairs.shape[1]]
            start += of_pairs.shape[1]
            for likelihood, (steep, _) in at_levels:
                likely_pairs = of_pairs * (likelihood[:, others] + likelihood[:, [level]]) / 2
                steep[:, 0] += np.einsum("bp,bp->b", q, counts @ likely_pairs)
        return 0.0


def _n_nodes(reach: float) -> int:
    """Nodes for which 2 reach^n/n!, or 2 (1/4)^n, is below rounding."""
    n_nodes, by_distance, by_ratio = 0, 2.0, 2.0
    while min(by_distance, by_ratio) > _ROUNDING:
        n_nodes += 1
        by_distance *= reach / n_nodes
        by_ratio /= 4
    return n_nodes
