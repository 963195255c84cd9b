r"""The likelihood of phantoms, and what is summed over blocks of rows: moments, extremes, likelihoods at few decays.

In-distribution impact and support are ratios of sums of masses under :math:`\lambda^{d} = e^{-a d}` with
:math:`a = -\ln\lambda` and d a distance in likelihood scales: smooth functions of a. They are summed at the decay of
the explanation, and at Chebyshev nodes of :math:`\log(a + c)` from λ = 1 to 0.01, between which they are interpolated
by the barycentric formula. Many observed values are shared between few nodes. Sums of blocks, threads and partitions
add up.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, Self

import numpy as np

from ice_explorer.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ice_explorer.arrays import Array, Places, Rows, Values

    Arrays = dict[str, Values]

METRICS: Final = (
    "impact", "in_distribution_impact", "direction", "heterogeneity", "non_linearity", "missing_impact", "support"
)  # fmt: skip
LOWEST_DECAY: Final = 0.01
_NODES: Final = ((8.0, 15, 1.0), (20.0, 19, 0.5), (50.0, 23, 0.15), (math.inf, 40, 0.004))
"""Distances up to which so many nodes with such an offset miss e^{-ad} by less than 1e-6; the last up to 1,000."""


def distances(grid: Array, observed: Array, likelihood_scale: Array) -> Array:
    """Distance of each phantom from its observation, in likelihood scales.

    - `grid` (n_grid,).
    - `observed` (n_observations,): observed values [feature], none missing.
    - `likelihood_scale` (n_observations,): s_i [feature]. Where it is 0 the distance is 0 at the observed value and
      infinite elsewhere.
    - returns (n_observations, n_grid).
    """
    gap = np.abs(grid[None, :] - observed[:, None])
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = gap / likelihood_scale[:, None]
    scaled[gap == 0] = 0.0
    return scaled


def likelihood(grid: Array, observed: Array, likelihood_scale: Array, decay: float) -> Array:
    r"""Likelihood of each phantom observation, a weight in [0, 1] (not a probability).

    - `grid`, `observed`, `likelihood_scale`: as for `distances`.
    - `decay`: λ, greater than 0 and at most 1; 1 weighs all alike.
    - returns (n_observations, n_grid): 1 at the observed value.

    Notes
    -----
    Eq. 3 of Yeh & Ngo (2021), arXiv:2109.02724: :math:`\lambda^{|v_k - x_i| / s_i}`. With decay 1
    and a scale of 0 the definition still holds: 1 at the observed value, else 0.
    """
    scaled = distances(grid, observed, likelihood_scale)
    is_near = np.isfinite(scaled)
    return np.where(is_near, np.exp(math.log(decay) * np.where(is_near, scaled, 0.0)), 0.0)


class DecayNodes(NamedTuple):
    """The decays that sums are kept for.

    - `n_nodes`, `offset`: how many nodes there are, and c.
    - `decay`: λ of the explanation.
    """

    n_nodes: int
    offset: float
    decay: float

    @property
    def exponents(self) -> Array:
        """Exponents a = -ln(λ) of all sums, (n_nodes + 1,): of the nodes, and of the decay of the explanation."""
        return _find_exponents(self)

    @property
    def length(self) -> float:
        """Of the range of positions, log(1 + a / c) at the lowest decay."""
        return math.log1p(-math.log(LOWEST_DECAY) / self.offset)

    def interpolate(self, sums: Array, decays: Array) -> Array:
        """Evaluate sums at some decays.

        - `sums` (n_nodes + 1, …): at `exponents`.
        - returns (n_decays, …).
        - raises OptionError: if a decay is below 0.01 and not that of the explanation.
        """
        is_own = decays == self.decay
        if is_own.all():
            return sums[-1:].repeat(len(decays), axis=0)
        if (~is_own & (decays < LOWEST_DECAY * (1 - 1e-12))).any():
            raise OptionError(
                f"`decay` must be at least {LOWEST_DECAY}, or that of the explanation, {self.decay!r}; "
                f"got {float(decays.min())!r}.",
                "Explain with that decay: `explain(…, decay=…)`.",
            )
        positions, signs = _chebyshev(self.n_nodes)
        others = np.where(is_own, 1.0, decays)
        apart = np.log1p(-np.log(others) / self.offset)[:, None] / self.length - positions
        at_node = np.isclose(apart, 0.0, rtol=0.0, atol=1e-15)
        weights = np.where(at_node.any(axis=1, keepdims=True), at_node, signs / np.where(at_node, 1.0, apart))
        values = np.tensordot(weights / weights.sum(axis=1, keepdims=True), sums[:-1], axes=1)
        values[is_own] = sums[-1]
        return np.asarray(values)


def choose_decay_nodes(decay: float, farthest: float) -> DecayNodes:
    """Return the decays that sums are kept for, the fewer the nearer the `farthest` distance is [likelihood scales]."""
    n_nodes, offset = next((n_nodes, offset) for most, n_nodes, offset in _NODES if farthest <= most)
    return DecayNodes(n_nodes, offset, decay)


@lru_cache
def _find_exponents(nodes: DecayNodes) -> Array:
    positions, _ = _chebyshev(nodes.n_nodes)
    return np.append(nodes.offset * np.expm1(positions * nodes.length), -math.log(nodes.decay))


@lru_cache
def _chebyshev(n_nodes: int) -> tuple[Array, Array]:
    """Positions of the nodes from 0 to 1, and their weights in the barycentric formula."""
    place = np.arange(n_nodes)
    signs = np.where(place % 2 == 0, 1.0, -1.0)
    signs[[0, -1]] /= 2.0
    return (1.0 - np.cos(np.pi * place / (n_nodes - 1))) / 2.0, signs


MOST_NODES: Final = 512  # of observed values that are nodes themselves; or twice as many as grid values
_WIDEST: Final = 0.05  # width of a bucket, in likelihood scales
_MOST_EXPONENT: Final = 0.01  # of λ, times the width
_GAUSS_NODES: Final = np.polynomial.legendre.leggauss(4)[0]
LAGRANGE: Final = np.linalg.inv(np.vander(_GAUSS_NODES, increasing=True))
"""Coefficients of the polynomials that share a row between four nodes, (power, node)."""


class Quadrature(NamedTuple):
    """Buckets of observed values with four Gauss-Legendre nodes each, or one where a bucket holds one value.

    A row is shared between the nodes of its bucket by Lagrange interpolation, which is exact for polynomials of degree
    three, and for the mean over a bucket that is evenly filled of degree seven. With a h < 0.01, for a = -ln(λ) at the
    decay of the explanation and buckets of width h, that misses a likelihood by 4e-12 at most, and sums over rows,
    where signs alternate, by less than 1e-12.

    - `edges` (n_buckets - 1,): between buckets; each belongs to the bucket above it.
    - `middle`, `inverse_half` (n_buckets,).
    - `first` (n_buckets + 1,): number of the first node of each bucket.
    - `nodes` (n_nodes,): increasing.
    """

    edges: Array
    middle: Array
    inverse_half: Array
    first: Rows
    nodes: Array

    def place(self, observed: Array) -> tuple[Rows, Array, Values]:
        """Return the first node of the bucket of each value, the position there from -1 to 1, and if it is the node."""
        bucket = np.searchsorted(self.edges, observed, "right")
        position = (observed - self.middle[bucket]) * self.inverse_half[bucket]
        return self.first[bucket], position, (np.diff(self.first) == 1)[bucket]

    def masses(self, observed: Array, weights: Array, ordered: Array | None = None) -> Array:
        """Share the weights of rows between the nodes, (n_nodes,); `ordered` are the same observed values, if known."""
        if weights.min() == weights.max():
            observed = np.sort(observed) if ordered is None else ordered
        else:
            order = np.argsort(observed)
            observed, weights = observed[order], weights[order]
        starts = np.append(0, np.searchsorted(observed, self.edges))
        counts = np.diff(starts, append=len(observed))
        position = (observed - self.middle.repeat(counts)) * self.inverse_half.repeat(counts)
        powers = np.empty((4, len(observed)))
        powers[0] = weights
        for power in range(1, 4):
            np.multiply(powers[power - 1], position, out=powers[power])
        moments = sum_between(powers, starts)
        masses, is_one = moments.T @ LAGRANGE, np.diff(self.first) == 1
        masses[is_one, 0] = moments[0, is_one]
        return np.asarray(masses[~is_one[:, None] | (np.arange(4) == 0)])


def sum_between(values: Array, starts: Places) -> Array:
    """Sum values (…, n) from each start to the next, (…, n_starts); 0 where there are none."""
    sums = np.zeros((*values.shape[:-1], len(starts)))
    filled = np.flatnonzero(np.diff(starts, append=values.shape[-1]))
    sums[..., filled] = np.add.reduceat(values, starts[filled], axis=-1)
    return sums


def find_first(values: Values) -> Places:
    """Return the place of the first of each run of equal values (n,)."""
    is_first = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=is_first[1:])
    return is_first.nonzero()[0]


def make_quadrature(values: Array, grid: Array, scale: float, decay: float) -> Quadrature:
    """Choose buckets of observed values, within which the likelihood of every grid value is smooth.

    - `values`: increasing.
    - `scale`: the likelihood scale [feature].
    - `decay`: that of the explanation.
    """
    values = values[find_first(values)]
    is_first = np.ones(len(values), np.bool_)
    # Each interval of the grid has buckets of its own, and few values need no nodes but themselves.
    if len(values) > max(MOST_NODES, 2 * len(grid)):
        width = min(_WIDEST, _MOST_EXPONENT / max(-np.log(decay), 1e-9)) * scale
        number = np.floor((values - values[0]) / width)
        cell = np.searchsorted(grid, values)
        is_first[1:] = (number[1:] != number[:-1]) | (cell[1:] != cell[:-1])
        bucket = np.cumsum(is_first) - 1
        is_first |= (np.bincount(bucket) <= len(_GAUSS_NODES))[bucket]  # the values are as few as their nodes would be
    start = np.flatnonzero(is_first)
    low, high = values[start], values[np.append(start[1:], len(values)) - 1]
    is_one = low == high
    middle, half = (low + high) / 2.0, np.where(is_one, 1.0, (high - low) / 2.0)
    first = np.append(0, np.cumsum(np.where(is_one, 1, 4)))
    nodes = middle.repeat(4).reshape(-1, 4) + half[:, None] * _GAUSS_NODES
    kept = np.ones_like(nodes, np.bool_)
    nodes[is_one, 0] = middle[is_one]
    kept[is_one, 1:] = False
    return Quadrature(low[1:], middle, 1.0 / half, first, nodes[kept])


MOST: Final = 20
_FEWEST_ROWS: Final = 300  # so many are drawn in any picture
_FAR: Final = np.array([5.0, 5.0, 5.0, 4.0, 7.0])  # movements have longer tails
_SOME: Final = 1_000  # rows that tell where the middle is
_LEAST_SHARE: Final = 0.01  # of the largest unit: of parallel curves the difference varies by rounding alone
_ROUNDING: Final = 1e-9
_AT_A_TIME: Final = 4096  # rows, whose directions stay in the cache


def find_outlying(ends: Sequence[Array]) -> Places:
    """Return the places of at most 20 rows that lie far from the others, in their order.

    How far a row lies is measured on numbers of its curve: the lowest and the highest value, their difference, and
    along an order the last value less the first, and the sum of all absolute changes. It is the largest of their
    distances from the median, each in units of the range of the middle 90 % of the rows: the outlyingness of Stahel
    and Donoho along these directions. Rows lie far beyond 5 units, or 4 of the change and 7 of the movement: bounds
    that rows of usual data and models hardly ever reach.

    - `ends`: lowest and highest value of each curve, and both others where there is an order, (n, 2 or 4) each, block
      by block.
    """
    if sum(len(block) for block in ends) <= _FEWEST_ROWS:
        return np.empty(0, np.intp)
    rows = np.concatenate(ends)
    # Rows at equal steps could all be of one hour of the day.
    some = rows if len(rows) <= _SOME else rows[np.random.default_rng(0).integers(len(rows), size=_SOME)]
    at = [int(share * (len(some) - 1)) for share in (0.05, 0.5, 0.95)]
    low, middle, high = np.partition(_directions(some), at, axis=1)[:, at].T
    # Hardly any feature needs the directions of all rows at once.
    parts = (_directions(rows[start : start + _AT_A_TIME]) for start in range(0, len(rows), _AT_A_TIME))
    least, most = np.array([[part.min(axis=1), -part.max(axis=1)] for part in parts]).min(axis=0) * [[1], [-1]]
    smallest = max(_LEAST_SHARE * (high - low)[:3].max(), _ROUNDING * np.maximum(-least, most).max())
    unit = _FAR[: len(middle)] * np.maximum(high - low, smallest)
    if (np.maximum(most - middle, middle - least) <= unit).all():  # quicker than a distance of each row
        return np.empty(0, np.intp)
    distances = (np.abs(_directions(rows) - middle[:, None]) / unit[:, None]).max(axis=0)
    far = np.flatnonzero(distances > 1)
    return np.sort(far[np.argsort(-distances[far], kind="stable")[:MOST]])


def _directions(ends: Array) -> Array:
    lowest, highest, *along = ends.T
    return np.array([lowest, highest, highest - lowest, *along])


_MOST_DECAYS: Final = 100  # that a file may have sums for


class Moments:
    """Weighted mean, squared deviations and absolute sums of columns, merged by Chan's formula: nothing cancels.

    - `weight`: of the rows.
    - `columns` (3, n_columns): the three, also as `mean`, `squared` and `absolute`.
    """

    def __init__(self, n_columns: int) -> None:
        self.weight = 0.0
        self.columns = np.zeros((3, n_columns))

    mean = property(lambda self: self.columns[0])
    squared = property(lambda self: self.columns[1])
    absolute = property(lambda self: self.columns[2])

    def add(self, columns: Array, weights: Array) -> None:
        """Add weighted rows (n_rows, n_columns)."""
        weight = float(weights.sum())
        mean = weights @ columns / weight
        self.merge_columns(weight, mean, weights @ np.square(columns - mean), weights @ np.abs(columns))

    def merge(self, other: Moments) -> None:
        """Add the moments of other rows."""
        if other.weight > 0:
            self.merge_columns(other.weight, *other.columns)

    def fill(self, weight: float, columns: Array) -> None:
        """Set moments that were sent.

        - raises ValueError: if sums of squares or absolute values are negative.
        """
        if (columns[1:] < 0).any():
            raise ValueError("curves or changes have negative squares")
        self.weight, self.columns = weight, columns

    def merge_columns(self, weight: float, mean: Array, squared: Array, absolute: Array) -> None:
        """Add rows of this weight, means, squared deviations and absolute sums."""
        total, shift = self.weight + weight, mean - self.mean
        self.columns += shift * (weight / total), squared + shift**2 * (self.weight * weight / total), absolute
        self.weight = total


class CurveSums:
    """What sums over blocks of rows hold of any feature, and how its metrics follow from them.

    - `grid` (n_grid,); `scale`: σ, or σ_c.
    - `active` (n_active,): intervals of the grid in which curves can change, increasing; default all n_grid - 1.
    - `decay`: λ at which in-distribution impact and support are exact; see `decay`.
    - `factors` (n_changes,): what the change of each window of a grid, or of each pair of levels, brings to a figure
      per unit; the figures of Eqs 1 and 4 are sums of these with the mean absolute change, and its standard deviation
      over rows. None for a feature without effects, whose metrics are 0.
    - `moments`: of the changes.
    - `deviations`: Σ w of how much the changes of each row deviate along its curve (Eq. 5).
    - `likelihood_sums` (2, n_exponents): numerator and denominator of Eq. 2 at `DecayNodes.exponents`, as multiples of
      e^{-a·nearest}.
    - `is_defined`: whether effects are numbers; they are NaN where fewer than two levels of a grid of levels occur.
    """

    is_defined = True
    has_order = True

    def __init__(
        self, grid: Array, scale: float, decay: float, active: Places | None, n_columns: int | None = None
    ) -> None:
        self.grid, self.scale = grid, scale
        self.active = np.arange(len(grid) - 1) if active is None else active
        self.nodes = choose_decay_nodes(decay, 1.0)
        self.nearest = 0.0
        self.n_rows = 0
        self.total_weight = 0.0
        self.lowest = math.inf
        self.highest = -math.inf
        self.curves = Moments(n_columns or len(self.active) + 1)
        self.extent = 0.0  # Σ w (largest - smallest prediction of the row)
        self.outlying = np.empty(0, np.intp)  # places of rows that lie far from the others
        self._ends: list[Array] = []  # of the curve of each row, see `find_outlying`, until all are added
        self.factors: Array | None = None
        self.moments, self.deviations, self.likelihood_sums = Moments(0), 0.0, np.zeros((2, 0))
        self._missing_change = math.nan  # until some value is missing

    def _begin_changes(self, factors: Array) -> None:
        self.factors, self.moments = factors, Moments(len(factors))
        self.likelihood_sums = np.zeros((2, len(self.nodes.exponents)))

    def _add_curves(self, curves: Array, weights: Array, *along: Array) -> None:
        low, high = curves.min(axis=1), curves.max(axis=1)
        self.lowest, self.highest = min(self.lowest, float(low.min())), max(self.highest, float(high.max()))
        self.extent += float(weights @ (high - low))
        self._ends.append(np.array([low, high, *along]).T)
        self.curves.add(curves, weights)

    def _add_parallel_moments(self, step: Array, offsets: Array, weights: Array, *along: float) -> None:
        self.lowest = min(self.lowest, float(offsets.min() + step.min()))
        self.highest = max(self.highest, float(offsets.max() + step.max()))
        self.extent += float(weights.sum() * (step.max() - step.min()))
        ends = [offsets + step.min(), offsets + step.max(), *(np.full(len(offsets), each) for each in along)]
        self._ends.append(np.array(ends).T)
        weight = float(weights.sum())
        mean = float(weights @ offsets) / weight
        squared = np.full(len(step), float(weights @ np.square(offsets - mean)))
        self.curves.merge_columns(weight, mean + step, squared, np.zeros(len(step)))

    def count(self, weights: Array, missing_change: Array | None) -> None:
        """Count rows that were added, and how far their predictions move when the value goes missing."""
        if missing_change is not None:
            before = 0.0 if math.isnan(self._missing_change) else self._missing_change
            self._missing_change = before + float(weights @ missing_change)
        self.n_rows += len(weights)
        self.total_weight += float(weights.sum())

    def finish(self) -> None:
        """Sum what needs all rows, and release what is only needed while rows are added."""
        self.outlying, self._ends = find_outlying(self._ends), []

    def expand(self, columns: Array) -> Array:
        """Write what holds on stretches between active intervals, (…, n_active + 1), at every grid value."""
        if columns.shape[-1] == len(self.grid):
            return columns
        return np.asarray(columns[..., np.searchsorted(self.active, np.arange(len(self.grid)))])

    @property
    def partial_dependence(self) -> Array:
        """Mean of the curves, (n_grid,) [output]."""
        return self.expand(self.curves.mean).copy()

    @property
    def spread(self) -> Array:
        """Standard deviation of the curves, ddof=0, (n_grid,) [output]."""
        return self.expand(np.sqrt(self.curves.squared / self.total_weight))

    def metrics(self, decay: float) -> dict[str, float]:
        """Compute every metric for a decay λ in (0, 1], from the sums alone, by name, in output units unless stated.

        - `impact`: mean absolute change of the prediction by a step of one standard deviation (Eq. 1).
        - `in_distribution_impact`: the same, each step of each row weighted by its likelihood (Eq. 2).
        - `direction`: the same as `impact` with the sign of each change kept (§3.2).
        - `heterogeneity`: standard deviation of the changes across observations (Eq. 4).
        - `non_linearity`: deviation of the changes along a curve (Eq. 5): mean absolute deviation of steps, standard
          deviation under "paper".
        - `missing_impact`: mean absolute change when the value goes missing; NaN where none is missing.
        - `support`: share of the weight of the steps that the decay leaves, 0 to 1.
        """
        in_distribution, support = self.decayed(np.array([decay]))[:, 0].tolist()
        return {**self.undecayed(), "in_distribution_impact": in_distribution, "support": support}

    def undecayed(self) -> dict[str, float]:
        """Compute the metrics that do not depend on the decay; all others are NaN."""
        figures = dict.fromkeys(METRICS, math.nan)
        figures["missing_impact"] = self._missing_change / self.total_weight
        if not self.is_defined:
            return figures
        moments, factors, total = self.moments, self.factors, self.total_weight
        if factors is None:
            figures["impact"] = figures["heterogeneity"] = 0.0
        else:
            figures["impact"] = float(factors @ moments.absolute) / total
            if self.n_rows <= 1:
                figures["heterogeneity"] = 0.0
            elif total > 1:  # a group may have less
                figures["heterogeneity"] = float(factors @ np.sqrt(moments.squared / (total - 1.0)))
        if self.has_order:
            figures["direction"] = 0.0 if factors is None else float(factors @ moments.mean)
            figures["non_linearity"] = self.deviations / total
        return figures

    def decayed(self, decays: Array) -> Array:
        """In-distribution impact (Eq. 2) and support, (2, n_decays), for many decays in (0, 1] at once."""
        if not self.is_defined:
            return np.full((2, len(decays)), np.nan)
        if self.factors is None:
            return np.stack([np.zeros(len(decays)), np.ones(len(decays))])
        by_likelihood, likelihood = self.nodes.interpolate(self.likelihood_sums.T, decays).T
        support = decays**self.nearest * likelihood / self.total_weight
        return np.stack([np.maximum(by_likelihood / likelihood, 0.0), np.clip(support, 0.0, 1.0)])

    # --- what is sent, saved and merged -----------------------------------------------------------

    def to_arrays(self) -> Arrays:
        """Return sums that are finished as arrays; what they were made with is not among them."""
        counts = [self.n_rows, self.total_weight, self.lowest, self.highest, self.extent, self.nearest]
        arrays: Arrays = {
            "nodes": np.array([float(self.nodes.n_nodes), self.nodes.offset]),
            "counts": np.array([*counts, self._missing_change]),
            "curves": self.curves.columns,
        }
        if self.factors is not None:
            arrays["changes"] = self.moments.columns
            arrays["along"] = np.array([self.deviations])
            arrays["likely"] = self.likelihood_sums
        return arrays

    def fill(self, arrays: Mapping[str, Values]) -> Self:
        """Set sums that were made alike from what `to_arrays` returned.

        - raises ValueError: if the arrays are not of that form.
        """
        *counts, missing = check_array(arrays, "counts", (7,), is_finite=False).tolist()
        n_rows, total, lowest, highest, extent, nearest = counts
        if not np.isfinite(counts).all() or total <= 0 or lowest > highest or nearest < 0 or np.isinf(missing):
            raise ValueError("no counts of rows")
        n_nodes, offset = check_array(arrays, "nodes", (2,)).tolist()
        if not 2 <= n_nodes <= _MOST_DECAYS or not offset > 0:
            raise ValueError("no decays")
        self.nodes = DecayNodes(int(n_nodes), offset, self.nodes.decay)
        self.n_rows, self.total_weight, self.lowest, self.highest = int(n_rows), total, lowest, highest
        self.extent, self.nearest, self._missing_change = extent, nearest, missing
        self.curves.fill(total, check_array(arrays, "curves", self.curves.columns.shape))
        if self.factors is not None:
            self.moments.fill(total, check_array(arrays, "changes", self.moments.columns.shape))
            self.deviations = float(check_array(arrays, "along", (1,))[0])
            self.likelihood_sums = check_array(arrays, "likely", (2, self.nodes.n_nodes + 1))
        return self

    def merge(self, parts: Sequence[Self]) -> Self:
        """Add finished sums over parts of the rows, made alike, to sums without rows."""
        missing = [part._missing_change for part in parts if not math.isnan(part._missing_change)]  # noqa: SLF001
        self.n_rows = sum(part.n_rows for part in parts)
        self.total_weight = math.fsum(part.total_weight for part in parts)
        self.lowest, self.highest = min(part.lowest for part in parts), max(part.highest for part in parts)
        self.extent, self.nearest = math.fsum(part.extent for part in parts), min(part.nearest for part in parts)
        self._missing_change = math.fsum(missing) if missing else math.nan
        self.nodes, self.deviations = parts[0].nodes, math.fsum(part.deviations for part in parts)
        for part in parts:
            self.curves.merge(part.curves)
            self.moments.merge(part.moments)
        if self.factors is not None:
            farther = [np.exp(-self.nodes.exponents * (part.nearest - self.nearest)) for part in parts]
            each = [part.likelihood_sums * far for part, far in zip(parts, farther, strict=True)]
            self.likelihood_sums = np.sum(each, axis=0)
        return self


def check_array(arrays: Mapping[str, Values], name: str, shape: tuple[int, ...], *, is_finite: bool = True) -> Array:
    """Return an array of finite numbers of a shape.

    - raises ValueError: if there is no such array.
    """
    array = arrays.get(name)
    if array is None or array.dtype != np.float64 or array.shape != shape:
        raise ValueError(f"{name} is missing or not of {shape} numbers")
    if is_finite and not np.isfinite(array).all():
        raise ValueError(f"{name} holds what is no number")
    return array
