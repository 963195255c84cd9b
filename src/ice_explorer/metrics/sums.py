"""What is summed over blocks of rows, of any feature: moments, extremes, and sums by likelihood at a few decays."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Self

import numpy as np

from ice_explorer.metrics.decay import DecayNodes, choose_decay_nodes
from ice_explorer.metrics.outlying import find_outlying

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ice_explorer.arrays import Array, Values

    Arrays = dict[str, Values]

_MOST_NODES: Final = 100


@dataclass(frozen=True)
class FeatureMetrics:
    """The metrics of one feature, in output units unless stated.

    - `impact`: mean absolute change of the prediction by a step of one standard deviation (Eq. 1).
    - `in_distribution_impact`: the same, each step of each row weighted by its likelihood (Eq. 2).
    - `direction`: the same as `impact` with the sign of each change kept (§3.2).
    - `heterogeneity`: standard deviation of the changes across observations (Eq. 4).
    - `non_linearity`: deviation of the changes along a curve (Eq. 5): mean absolute deviation of steps, standard
      deviation under "paper".
    - `missing_impact`: mean absolute change when the value goes missing; NaN where none is missing.
    - `support`: share of the weight of the steps that the decay leaves, 0 to 1.
    """

    impact: float
    in_distribution_impact: float
    direction: float
    heterogeneity: float
    non_linearity: float
    missing_impact: float
    support: float


class Moments:
    """Weighted mean, squared deviations and absolute sums of columns, merged by Chan's formula: nothing cancels.

    - `weight`: of the rows.
    - `columns` (3, n_columns): the three, also by name.
    """

    def __init__(self, n_columns: int) -> None:
        self.weight = 0.0
        self.columns = np.zeros((3, n_columns))

    @property
    def mean(self) -> Array:
        """Weighted means, (n_columns,)."""
        return np.asarray(self.columns[0])

    @property
    def squared(self) -> Array:
        """Sums of weighted squared deviations from the means."""
        return np.asarray(self.columns[1])

    @property
    def absolute(self) -> Array:
        """Sums of weighted absolute values."""
        return np.asarray(self.columns[2])

    def add(self, columns: Array, weights: Array) -> None:
        """Add weighted rows (n_rows, n_columns)."""
        weight = float(weights.sum())
        mean = weights @ columns / weight
        self.merge_columns(weight, mean, weights @ np.square(columns - mean), weights @ np.abs(columns))

    def add_parallel_curves(self, step: Array, offsets: Array, weights: Array) -> None:
        """Add weighted rows `offsets[:, None] + step` without forming them; absolute sums are not those of the rows."""
        weight = float(weights.sum())
        mean = float(weights @ offsets) / weight
        squared = float(weights @ np.square(offsets - mean))
        self.merge_columns(weight, mean + step, np.full(len(step), squared), np.zeros(len(step)))

    def add_equal(self, row: Array, weight: float) -> None:
        """Add rows that are all the same."""
        self.merge_columns(weight, row, np.zeros(len(row)), weight * np.abs(row))

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
        self.columns[1] += squared + shift**2 * (self.weight * weight / total)
        self.columns[0] += shift * (weight / total)
        self.columns[2] += absolute
        self.weight = total


@dataclass(eq=False)
class Changes:
    """Sums of the changes that figures are made of: windows of a grid, or pairs of levels.

    - `factors` (n_changes,): what each brings to a figure per unit of change; the figures of Eqs 1 and 4 are sums of
      these with the mean absolute change, and with its standard deviation over rows.
    - `moments`: of the changes.
    - `deviations`: Σ w of how much the changes of each row deviate along its curve (Eq. 5).
    - `likelihood_sums` (2, n_exponents): numerator and denominator of Eq. 2 at `DecayNodes.exponents`, as multiples of
      e^{-a·nearest}.
    """

    factors: Array
    moments: Moments = field(init=False)
    deviations: float = 0.0
    likelihood_sums: Array | float = 0.0

    def __post_init__(self) -> None:
        self.moments = Moments(len(self.factors))


class CurveSums:
    """What sums over blocks of rows hold of any feature, and how its metrics follow from them.

    - `grid` (n_grid,).
    - `scale`: σ, or σ_c.
    - `decay`: λ at which in-distribution impact and support are exact; see `decay`.
    - `changes`: None for a feature without effects, whose metrics are 0.
    - `is_defined`: whether effects are numbers; they are NaN where fewer than two levels of a grid of levels occur.
    """

    is_defined = True
    has_order = True

    def __init__(self, grid: Array, scale: float, decay: float, n_columns: int) -> None:
        self.grid = grid
        self.scale = scale
        self.nodes = choose_decay_nodes(decay, 1.0)
        self.nearest = 0.0
        self.n_rows = 0
        self.total_weight = 0.0
        self.lowest = math.inf
        self.highest = -math.inf
        self.curves = Moments(n_columns)
        self.extent = 0.0  # Σ w (largest - smallest prediction of the row)
        self.outlying = np.empty(0, np.intp)  # places of rows that lie far from the others
        self._ends: list[Array] = []  # lowest and highest prediction of each row, (n, 2), until all are added
        self.changes: Changes | None = None
        self._missing_change = math.nan  # until some value is missing

    def _add_curves(self, curves: Array, weights: Array) -> None:
        low, high = curves.min(axis=1), curves.max(axis=1)
        self.lowest, self.highest = min(self.lowest, float(low.min())), max(self.highest, float(high.max()))
        self.extent += float(weights @ (high - low))
        self._ends.append(np.stack([low, high], axis=1))
        self.curves.add(curves, weights)

    def _add_parallel_moments(self, step: Array, offsets: Array, weights: Array) -> None:
        self.lowest = min(self.lowest, float(offsets.min() + step.min()))
        self.highest = max(self.highest, float(offsets.max() + step.max()))
        self.extent += float(weights.sum() * (step.max() - step.min()))
        self._ends.append(offsets[:, None] + [step.min(), step.max()])
        self.curves.add_parallel_curves(step, offsets, weights)

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

    def at_grid(self, columns: Array) -> Array:
        """Write what `curves` holds, (…, n_columns), at every grid value, (…, n_grid)."""
        return columns

    @property
    def partial_dependence(self) -> Array:
        """Mean of the curves, (n_grid,) [output]."""
        return self.at_grid(self.curves.mean).copy()

    @property
    def spread(self) -> Array:
        """Standard deviation of the curves, ddof=0, (n_grid,) [output]."""
        return self.at_grid(np.sqrt(self.curves.squared / self.total_weight))

    def metrics(self, decay: float) -> FeatureMetrics:
        """Compute every metric for a decay λ in (0, 1], from the sums alone."""
        in_distribution, support = self.decayed(np.array([decay]))
        return replace(self.undecayed(), in_distribution_impact=float(in_distribution[0]), support=float(support[0]))

    def undecayed(self) -> FeatureMetrics:
        """Compute the metrics that do not depend on the decay; the other two are NaN."""
        nan = math.nan
        missing = self._missing_change / self.total_weight
        if not self.is_defined:
            return FeatureMetrics(nan, nan, nan, nan, nan, missing, nan)
        if self.changes is None:
            along = 0.0 if self.has_order else nan
            return FeatureMetrics(0.0, nan, along, 0.0, along, missing, nan)
        changes = self.changes
        moments = changes.moments
        deviations = np.sqrt(moments.squared / (self.total_weight - 1.0)) if self.n_rows > 1 else moments.squared
        return FeatureMetrics(
            impact=float(changes.factors @ moments.absolute) / self.total_weight,
            in_distribution_impact=nan,
            direction=float(changes.factors @ moments.mean) if self.has_order else nan,
            heterogeneity=float(changes.factors @ deviations),
            non_linearity=changes.deviations / self.total_weight if self.has_order else nan,
            missing_impact=missing,
            support=nan,
        )

    def decayed(self, decays: Array) -> Array:
        """In-distribution impact (Eq. 2) and support, (2, n_decays), for many decays in (0, 1] at once."""
        if not self.is_defined:
            return np.full((2, len(decays)), np.nan)
        if self.changes is None:
            return np.stack([np.zeros(len(decays)), np.ones(len(decays))])
        by_likelihood, likelihood = self.nodes.at(np.asarray(self.changes.likelihood_sums).T, decays).T
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
        if self.changes is not None:
            arrays["changes"] = self.changes.moments.columns
            arrays["along"] = np.array([self.changes.deviations])
            arrays["likely"] = np.asarray(self.changes.likelihood_sums)
        return arrays

    def fill(self, arrays: Mapping[str, Values]) -> Self:
        """Set sums that were made alike from what `to_arrays` returned.

        - raises ValueError: if the arrays are not of that form.
        """
        *counts, missing = checked(arrays, "counts", (7,), is_finite=False).tolist()
        n_rows, total, lowest, highest, extent, nearest = counts
        if not np.isfinite(counts).all() or total <= 0 or lowest > highest or nearest < 0 or np.isinf(missing):
            raise ValueError("no counts of rows")
        n_nodes, offset = checked(arrays, "nodes", (2,)).tolist()
        if not 2 <= n_nodes <= _MOST_NODES or not offset > 0:
            raise ValueError("no decays")
        self.nodes = DecayNodes(int(n_nodes), offset, self.nodes.decay)
        self.n_rows, self.total_weight, self.lowest, self.highest = int(n_rows), total, lowest, highest
        self.extent, self.nearest, self._missing_change = extent, nearest, missing
        self.curves.fill(total, checked(arrays, "curves", self.curves.columns.shape))
        if self.changes is not None:
            self.changes.moments.fill(total, checked(arrays, "changes", self.changes.moments.columns.shape))
            self.changes.deviations = float(checked(arrays, "along", (1,))[0])
            self.changes.likelihood_sums = checked(arrays, "likely", (2, self.nodes.n_nodes + 1))
        return self

    def merge(self, parts: Sequence[Self]) -> Self:
        """Add finished sums over parts of the rows, made alike, to sums without rows."""
        missing = [part._missing_change for part in parts if not math.isnan(part._missing_change)]  # noqa: SLF001
        self.n_rows = sum(part.n_rows for part in parts)
        self.total_weight = math.fsum(part.total_weight for part in parts)
        self.lowest, self.highest = min(part.lowest for part in parts), max(part.highest for part in parts)
        self.extent, self.nearest = math.fsum(part.extent for part in parts), min(part.nearest for part in parts)
        self._missing_change = math.fsum(missing) if missing else math.nan
        self.nodes = parts[0].nodes
        for part in parts:
            self.curves.merge(part.curves)
            if self.changes is not None and part.changes is not None:
                farther = np.exp(-self.nodes.exponents * (part.nearest - self.nearest))
                self.changes.moments.merge(part.changes.moments)
                self.changes.deviations += part.changes.deviations
                self.changes.likelihood_sums = self.changes.likelihood_sums + part.changes.likelihood_sums * farther
        return self


def checked(arrays: Mapping[str, Values], name: str, shape: tuple[int, ...], *, is_finite: bool = True) -> Array:
    """Return an array of finite numbers of a shape.

    - raises ValueError: if there is no such array.
    """
    array = arrays.get(name)
    if array is None or array.dtype != np.float64 or array.shape != shape:
        raise ValueError(f"{name} is missing or not of {shape} numbers")
    if is_finite and not np.isfinite(array).all():
        raise ValueError(f"{name} holds what is no number")
    return array
