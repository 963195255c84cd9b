"""`FeatureExplanation`: curves and metrics of one feature, and values computed on demand."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar, cast

import numpy as np

from ice_explorer.checks import check_integer
from ice_explorer.curves.method import empty_sums, sum_blocks
from ice_explorer.drivers.candidates import MOST, correlated, second_features
from ice_explorer.drivers.drivers import ALIKE, MOST_ROWS, OTHERS_ALIKE, find_drivers
from ice_explorer.errors import OptionError
from ice_explorer.errors.base import counted
from ice_explorer.errors.tracebacks import short_tracebacks
from ice_explorer.features.feature import anchor_index, convert_anchor
from ice_explorer.locks import Lock, checkpoint
from ice_explorer.metrics.sums import likelihood
from ice_explorer.progress import progress_reporter
from ice_explorer.results.extrapolation import THRESHOLD, expected_of, extrapolation_of, rescaled, unlike_shares_of
from ice_explorer.results.intervals import RowInfluences, row_influences, sums_by
from ice_explorer.results.notes import decides_class, follows_diagonal, notes_on
from ice_explorer.results.options import resolve_decay
from ice_explorer.tables.column import distinct_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Unpack

    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from ice_explorer.arrays import Array, Mask, Places, Rows, Values
    from ice_explorer.curves.inputs import Context, FeatureInput
    from ice_explorer.curves.method import CurveMethod, Sums
    from ice_explorer.drivers.drivers import Drivers
    from ice_explorer.explanation import PlotOptions
    from ice_explorer.features.feature import AnchorName
    from ice_explorer.metrics.influence import Sampling
    from ice_explorer.results.extrapolation import Expected, Extrapolation, UnlikeShares
    from ice_explorer.results.intervals import Subgroups
    from ice_explorer.results.options import PlotKind

    Block = tuple[Rows, Array]

LEAST_WEIGHT: Final = 0.5
"""A value is within reach of a row where its likelihood is at least this."""
N_KEPT: Final = 4
"""How many sets of influences are kept, by decay and groups."""
DRIVERS: Final = "drivers"
"""Under this name a feature keeps what makes its curves differ."""

Found = TypeVar("Found")
_DECAYED = ("in_distribution_impact", "support")
_ROUNDING: Final = 1e-9  # of a distance; and of predictions, below which two are equal
_DECISIVE: Final = 0.5  # of a change of a probability
_ROWS_AT_A_TIME = 2048
_VIEWS = {"grid", "axis", "likelihood_scale", "rows", "observed"}
_SHARED = ("_lock", "_rows", "_computed_once", "curves", "observed", "_missing_dependence")  # by all scales


@dataclass(frozen=True, eq=False)
class RowMoves:
    """Grid values at which the prediction of a row is further from its own than at every nearer one, nearest first.

    - `places` (n_moves,): where on the grid.
    - `distances` (n_moves,): from the observed value, in likelihood scales: the exponents of the decay.
    - `changes` (n_moves,): prediction there minus the prediction of the row [output].
    """

    places: Places
    distances: Array
    changes: Array

    def within(self, reach: float) -> tuple[int | None, float, float]:
        """Return place, distance and size of the largest change within a distance; no place where nothing changes."""
        n_near = int(np.sum(self.distances <= reach * (1 + _ROUNDING)))
        if n_near == 0:
            return None, math.nan, 0.0
        return int(self.places[n_near - 1]), float(self.distances[n_near - 1]), float(self.changes[n_near - 1])


def moves_of(distances: Array, curve: Array, prediction: float) -> RowMoves:
    """Find the changes of a row that no smaller step of the feature exceeds.

    - `distances` (n_grid,): from the observed value, in likelihood scales. `curve` (n_grid,): of the row [output].

    Examples
    --------
    >>> moves_of(np.array([1.0, 0.0, 1.0, 2.0]), np.array([5.0, 3.0, 4.0, 6.0]), 3.0).changes.tolist()
    [2.0, 3.0]
    """
    changes = curve - prediction
    order = np.lexsort((-np.abs(changes), distances))
    sizes = np.abs(changes[order])
    least = _ROUNDING * max(abs(prediction), float(np.abs(curve).max(initial=0.0)))
    before = np.maximum.accumulate(np.concatenate([[least], sizes[:-1]]))
    places = order[sizes > before]
    return RowMoves(places, distances[places], changes[places])


def reach_of(decay: float) -> float:
    """Return the distance at which a value counts half, in likelihood scales; infinite without decay."""
    return math.inf if decay == 1 else math.log(LEAST_WEIGHT) / math.log(decay)


class Unchanging:
    """Copies of a result are the same object: results do not change."""

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: object) -> Self:
        return self


@short_tracebacks
class FeatureExplanation(Unchanging):
    """Curves and metrics of one feature.

    Attributes
    ----------
    feature : object
        Name, as in X, or of a group.
    label : str
        Name as text, for titles of plots: never empty, at most 200 letters.
    dtype_kind : {"numeric", "boolean", "category", "ordered", "datetime", "timedelta", "group"}
    grid : ndarray of shape (n_grid,)
        Values at which the feature is evaluated [feature]: numbers (integers if the column has integers), booleans,
        labels, datetimes or timedeltas; datetimes with a time zone are `pandas.Timestamp` objects.
    axis : ndarray of shape (n_grid,)
        Grid values as numbers, for x coordinates of plots and for integrals: codes 0 … of levels, days since
        1970-01-01, days.
    scale : float
        σ, the standard deviation of the feature over all observations, ddof=0 [axis]. The option `distance` of
        `explain` does not change it; it sets `likelihood_scale`. For an unordered category, σ_c = √((1 - Σp²)/2) with
        the shares p of its levels.
    likelihood_scale : ndarray of shape (n_observations,)
        s_i, the unit of the distance from the observed value [axis]; 1 for levels without an order, which are all
        equally far from each other.
    rows : ndarray of shape (n_rows,)
        Rows of X whose curves and metrics are computed.
    """

    def __init__(
        self,
        context: Context,
        method: CurveMethod,
        item: FeatureInput,
        sums: Sums,
        curves: Array | None = None,
        *,
        sampling: Sampling | Callable[[], Sampling] | None = None,
    ) -> None:
        self._sample = sampling  # None where it rests on all rows that were asked for
        self._kept = curves  # of the rows of the metrics
        self._context = context
        self._method = method
        self._item = item
        self._arrays: dict[str, Values] = {}  # of sums, after a pickle
        self._sums = sums
        self._lock = Lock()
        self._rows: dict[int, Array] = {}
        self._by: dict[bytes, list[Sums | None]] = {}
        self._computed_once: dict[str, Any] = {}
        self._influences: dict[tuple[float, bytes], list[RowInfluences]] = {}
        feature = item.feature
        self.feature = feature.name
        self.label = feature.label
        self.dtype_kind = feature.kind
        self.scale = item.scale
        self._set_views()

    def _set_views(self) -> None:
        """Show arrays that others share, so that nobody writes to them."""
        item = self._item
        if self._kept is not None and self._has_kept_curves:
            self.__dict__["curves"] = _frozen(self._kept)
        self.grid = _frozen(item.feature.native(item.grid.values))
        self.axis = _frozen(item.grid.values)
        self.likelihood_scale = _frozen(item.likelihood_scale)
        self.rows = _frozen(item.positions)

    @property
    def _has_kept_curves(self) -> bool:
        """Whether `curves` are those that were kept for the metrics."""
        return self._kept is not None and len(self._item.summed) == len(self._item.positions)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out views, whose numbers a pickle would have twice, and what sums can be made with again."""
        left_out = {*_VIEWS, "_sums", *(("curves",) if self._has_kept_curves else ())}
        state = {name: value for name, value in vars(self).items() if name not in left_out}
        state["_sample"] = self._sampling
        if "_sums" in vars(self):
            state["_arrays"] = {**self._sums.to_arrays(), "outlying": self._sums.outlying}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._set_views()

    @cached_property
    def _sampling(self) -> Sampling | None:
        return self._sample() if callable(self._sample) else self._sample

    @cached_property
    def _sums(self) -> Sums:
        """Sums of the curves; after a pickle made of their arrays when they are first needed."""
        sums = empty_sums(self._item, active=self._arrays.get("active")).fill(self._arrays)
        sums.outlying = self._arrays["outlying"]
        return sums

    @cached_property
    def observed(self) -> Values:
        """Observed values as in `grid`, (n_observations,); NaN, NaT or None where missing."""
        return _frozen(self._item.feature.native(self._item.feature.values))

    def __repr__(self) -> str:
        return (
            f"<FeatureExplanation {self.label!r}: {counted(len(self.rows), 'curve')}, "
            f"{counted(len(self.grid), 'grid value')}>"
        )

    @cached_property
    def _own_metrics(self) -> dict[str, float]:
        return self._sums.metrics(self._context.settings.decay)

    def metrics(self, decay: float | None = None) -> dict[str, float]:
        """Return the metrics of this feature by name, for any decay.

        Parameters
        ----------
        decay : optional
            λ, as for `explain`; that of the explanation by default.
        """
        decay = resolve_decay(self._context.settings, decay)
        is_own = decay == self._context.settings.decay
        return dict(self._own_metrics) if is_own else self._sums.metrics(decay)

    def _decay_profiles(self, decays: ArrayLike) -> dict[str, Array]:
        """Return every decayed metric by name, (n_decays,) each, for many decays that are checked."""
        return dict(zip(_DECAYED, self._sums.decayed(np.asarray(decays, np.float64)), strict=True))

    def compute_curves(self, rows: ArrayLike) -> Array:
        """ICE curves of some rows of X, (n_rows, n_grid) [output], computed when first asked for.

        Parameters
        ----------
        rows : array-like of int
            Positions of rows of X.
        """
        wanted = self._context.positions(rows, "rows")
        self._context.check_size("curves", len(wanted), len(self.axis))
        result = np.empty((len(wanted), len(self.grid)))
        with self._lock:
            has_all = "curves" in vars(self)
            known, of_known = (self.curves, self._item.positions) if has_all else (self._kept, self._item.summed)
            is_known = np.zeros(len(wanted), np.bool_) if known is None else np.isin(wanted, of_known)
            others = wanted[~is_known].tolist()
            for block, curves in self._computed(np.array(sorted({*others} - self._rows.keys()), np.int64)):
                self._rows.update(zip(block.tolist(), curves, strict=True))
            if known is not None:
                result[is_known] = known[np.searchsorted(of_known, wanted[is_known])]
            for place, row in zip(np.flatnonzero(~is_known), others, strict=True):
                result[place] = self._rows[row]
        return result

    def _computed(self, positions: Rows, at: Places | slice = slice(None)) -> Iterator[Block]:
        """Yield blocks of curves: those that are kept, or of the model, which must be the one that was explained.

        - `at`: places on the grid.
        """
        if self._kept is not None and np.isin(positions, self._item.summed).all():
            for start in range(0, len(positions), _ROWS_AT_A_TIME):
                rows = positions[start : start + _ROWS_AT_A_TIME]
                yield rows, self._kept[np.searchsorted(self._item.summed, rows)][:, at]
            return
        if len(positions):
            self._check_unchanged()
        total = len(positions) * len(self.axis[at])
        with progress_reporter(self._context.progress, total) as report:
            for rows, curves in self._method.curves(self._item, positions, at):
                yield rows, curves
                report(curves.size, total, self.label)

    def _check_unchanged(self) -> None:
        if not self._method.has_copied_model:
            self._context.prediction_check.check()

    def _predictions(self, positions: ArrayLike) -> Array:
        wanted = self._context.positions(positions)
        with self._lock:
            return self._context.predictions(wanted)

    @cached_property
    def curves(self) -> Array:
        """ICE curves of `rows`, (n_rows, n_grid) [output]; kept once asked for.

        Raises
        ------
        OptionError
            If they take more than `memory_limit`, before anything is computed; `compute_curves` returns those of some
            rows.
        """
        self._context.check_size("curves", len(self._item.positions), len(self.axis))
        with self._lock:
            curves = np.concatenate([curves for _, curves in self._computed(self._item.positions)])
            for row in self._rows.keys() & self._item.positions.tolist():
                del self._rows[row]
        return _frozen(curves)

    @property
    def slopes(self) -> Array:
        """d-ICE: finite differences of the curves, (n_rows, n_grid - 1) [output / axis]: per rank or day.

        Raises
        ------
        OptionError
            If the levels of the feature have no order; also a ValueError.
        """
        if self._item.feature.is_unordered:
            raise OptionError.no_slopes(self._item.feature.readable)
        self._context.check_size("slopes", len(self._item.positions), len(self.axis))
        return np.diff(self.curves, axis=1) / np.diff(self.axis)

    def centered_curves(self, anchor: AnchorName | object = "min") -> Array:
        """c-ICE: change of each curve since the anchor, (n_rows, n_grid) [output].

        Parameters
        ----------
        anchor : {"min", "max", "median", "own"} or object
            First or last grid value, the one nearest to the median of the feature, each
            observation's observed value, on the grid or not, or the grid value nearest to a value of the
            feature: a number, a date (also as text), a duration, a label. For levels without an order
            "median" is the most frequent one, and a label that of a level on the grid. On levels whose
            labels are no numbers a number is a place, 0 the first.
        """
        self._context.check_size("changes", len(self._item.positions), len(self.axis))
        return self._changes(self._item.positions, self.curves, self._anchor_place(anchor))

    def _changes(self, positions: Rows, curves: Array, place: AnchorName | float) -> Array:
        axis = self.axis
        if self._item.feature.is_unordered:
            assert self._item.shares is not None  # noqa: S101 - its levels have no order
            axis = np.arange(len(axis), dtype=np.float64)
            place = float(np.argmax(self._item.shares)) if place == "median" else place
        index = anchor_index(axis, self._item.median, place)
        if index is None:
            return curves - self._at_own_values(positions, curves)[:, None]
        return curves - curves[:, [index]]

    def _anchor_place(self, anchor: AnchorName | object) -> AnchorName | float:
        """Return an anchor of `centered_curves` as pictures have it: a name, or a place on their axis."""
        return convert_anchor(self._item.feature, self.axis, anchor)

    def _at_own_values(self, positions: Rows, curves: Array, predictions: Array | None = None) -> Array:
        """Predictions of some rows at their observed value, (n_rows,) [output]; the median replaces a missing one.

        - `positions` (n_rows,).
        - `curves` (n_rows, n_grid): their curves, which tell the prediction where the value is on the grid.
        - `predictions` (n_rows,): those of the rows themselves where they are at hand, so that the model is called only
          where values are missing.
        """
        own = self._item.observed[positions]
        at = np.minimum(np.searchsorted(self.axis, own), len(self.axis) - 1)
        found = curves[np.arange(len(curves)), at]
        is_off = self.axis[at] != own
        if predictions is None and self._context.brute.observed is not None:
            predictions = self._context.predictions(positions)
        if predictions is not None:
            is_known = is_off & ~np.isnan(self._item.feature.values[positions])
            found[is_known] = predictions[is_known]
            is_off &= ~is_known
        off = np.flatnonzero(is_off)
        if off.size:
            with self._lock:
                self._context.prediction_check.check()
                phantoms = self._context.brute.evaluate(self._item.feature, positions[off], own[off, None])
            found[off] = phantoms[:, 0]
        return found

    @property
    def _mean_change(self) -> float:
        """Mean absolute change of the prediction from one level, or one of two values, to another [output].

        NaN for features with an order and more values, and where all rows are the same.
        """
        if self.scale == 0 or not (self._item.feature.is_unordered or len(self.axis) == 2):
            return math.nan
        gap = 1.0 if self._item.feature.is_unordered else float(np.ptp(self.axis))
        return self.metrics()["impact"] * gap / self.scale

    @property
    def partial_dependence(self) -> Array:
        """Mean of the curves, (n_grid,) [output]."""
        return self._sums.partial_dependence

    @property
    def spread(self) -> Array:
        """Standard deviation of the curves, ddof=0, (n_grid,) [output]: a spread of rows, no confidence band."""
        return self._sums.spread

    @property
    def _prediction_range(self) -> tuple[float, float]:
        return self._sums.lowest, self._sums.highest

    @property
    def missing_curve(self) -> Array | None:
        """Predictions of `rows` with the value missing, (n_rows,); None where no observation lacks it."""
        return self._missing_rows(self._item.positions) if self._item.has_missing else None

    def _missing_rows(self, positions: ArrayLike) -> Array:
        wanted = self._context.positions(positions)
        with self._lock:
            self._context.prediction_check.check()
            return self._context.brute.evaluate(self._item.feature, wanted, np.full((len(wanted), 1), np.nan))[:, 0]

    @cached_property
    def _missing_dependence(self) -> tuple[float, float] | None:
        if not self._item.has_missing:
            return None
        rows, weights = self._item.summed, self._context.weights
        predicted = self._missing_rows(rows)
        mass = None if weights is None else weights[rows]
        mean = float(np.average(predicted, weights=mass))
        return mean, math.sqrt(float(np.average((predicted - mean) ** 2, weights=mass)))

    def likelihood(self, decay: float | None = None, *, rows: ArrayLike | None = None) -> Array:
        """Likelihood of each phantom observation (Eq. 3), (n_rows, n_grid): 1 at the observed value.

        Parameters
        ----------
        decay : float, optional
            λ; that of the explanation by default.
        rows : array-like of int, optional
            Positions of rows of X; `rows` of the feature by default.
        """
        decay = resolve_decay(self._context.settings, decay)
        item = self._item
        wanted = item.positions if rows is None else self._context.positions(rows, "rows")
        self._context.check_size("likelihoods", len(wanted), len(self.axis))
        if not item.feature.is_unordered:
            return likelihood(self.axis, item.observed[wanted], item.likelihood_scale[wanted], decay)
        return np.asarray(decay ** item.measure_distances(wanted))

    def _once(self, name: str, compute: Callable[[], Found]) -> Found:
        if name not in self._computed_once:
            self._computed_once[name] = compute()
        return cast("Found", self._computed_once[name])

    def _expected(self, known: Expected | None = None) -> Expected:
        """Estimate what the other features let expect of this one, unless that is known; once."""
        return self._once("expected", lambda: known or expected_of(self._context, self._item))

    def _with_distance(self, context: Context, expected: Expected | None) -> FeatureExplanation:
        """Return the same feature with distances in the conditional scale, or in the marginal one for no expectation.

        Curves, and what does not depend on distances, are shared and not computed again.
        """
        context.check_all_rows("Another scale needs")
        item = rescaled(self._item, expected)
        sums = sum_blocks(_with_checkpoints(self._computed(item.summed)), context, item)
        other = FeatureExplanation(context, self._method, item, sums, self._kept)
        for name in _SHARED:
            if name in vars(self):
                vars(other)[name] = vars(self)[name]
        return other

    def _unlike_shares(self) -> UnlikeShares:
        """Return the shares of `extrapolation` of all rows, block by block; once."""
        rows, weights = self._item.positions, self._context.row_weights
        return self._once("unlike shares", lambda: unlike_shares_of(self._expected(), self._item, rows, weights))

    @property
    def _knows_unlike(self) -> bool:
        return "unlike shares" in self._computed_once

    def _are_unlike(self, positions: ArrayLike) -> Mask:
        """Whether each phantom observation of some rows is unlike 99 % of rows, (n_rows, n_grid)."""
        expected = self._expected()
        scores = expected.scores(self._context.positions(positions), self.axis[None, :])
        return np.asarray(scores > THRESHOLD)

    def extrapolation(self, *, rows: ArrayLike | None = None) -> Extrapolation:
        """Return which phantom observations are further from what the other features predict than 99 % of rows.

        Parameters
        ----------
        rows : array-like of int, optional
            Positions of rows of X; `rows` of the feature by default.

        Returns
        -------
        Extrapolation
            `scores` (n_rows, n_grid), their `threshold`, `is_unlike` (n_rows, n_grid), the shares by curve
            (`curve_shares`), by grid value (`grid_shares`) and of all (`share`), and a sentence, `summary`.

        Notes
        -----
        The score is the larger of two ratios to a threshold, and a phantom observation is unlike above 1. About 1 % of
        the rows are at their observed value; all estimates of a row are made without it.

        The first ratio is about the prediction. Of numbers it is z = ``|v_k - μ_i| / s_i`` with the mean μ_i and the
        standard deviation s_i of the feature given the other features of row i, as for `distance="conditional"`. The
        threshold is the 99 % quantile of the z of the rows, and at least 1.25 times the distance of the value from the
        overall mean in σ. Of levels without an order, and of a feature with two observed values, it is log p - log P
        with the estimated probability P of the level and its share p in the rows that P is estimated from; the
        threshold is at least log 1.5. Levels of fewer than 5 rows are never unlike.

        The second ratio, of numbers with more than two values, is about holes in the data: the distance to the nearest
        of up to 800 rows, in standard deviations of the feature and of at most three numbers that predict it. The
        threshold is the 99 % quantile of the distance of rows to the nearest other one, at least 0.1.

        The first call fits the models: about half a second for 1,000 rows. The explained model is not called.

        Examples
        --------
        >>> import numpy as np
        >>> from ice_explorer import explain
        >>> z = np.linspace(0, 1, 100)
        >>> X = np.column_stack([z, z + 0.1 * np.sin(99 * z)])
        >>> f = explain(lambda X: X[:, 0] * X[:, 1], X)["x0"]
        >>> f.extrapolation().share > 0.5
        True
        """
        wanted = self._item.positions if rows is None else self._context.positions(rows, "rows")
        self._context.check_size("scores", len(wanted), len(self.axis))
        return extrapolation_of(self._expected(), self._item, wanted, self._context.row_weights)

    def _moves(self, position: int, prediction: float) -> RowMoves:
        """Return how far steps of the feature move the prediction of a row of X away from its own, nearest first."""
        distances = self._item.measure_distances(np.array([position]))[0]
        return moves_of(distances, self.compute_curves([position])[0], prediction)

    def _draw(self, max_lines: int, include: Iterable[int] = ()) -> Rows:
        check_integer("max_lines", max_lines, 0, "Use `max_lines=1000` for the default.")
        item, context = self._item, self._context
        drawn = context.draw(item.feature.values, item.positions, max_lines, f"lines of {self.label}", by_weight=True)
        return np.union1d(np.union1d(drawn, self._outlying), context.positions(include, "include"))

    @property
    def _outlying(self) -> Rows:
        """Rows of X whose curves lie far from all others, at most 20; every picture has them. See `find_outlying`."""
        return self._item.summed[self._sums.outlying]

    @cached_property
    def _notes(self) -> dict[str, str]:
        return notes_on(self._sums, self._item, self._outlying)

    @property
    def drivers_summary(self) -> str:
        """The size of the differences between curves, and the best rules of `Explanation.drivers`, in a sentence."""
        return self._with_outlying(self._search_drivers().summary)

    @property
    def _known_drivers(self) -> Drivers | None:
        return cast("Drivers | None", self._computed_once.get(DRIVERS))

    def _with_outlying(self, text: str) -> str:
        """Add to a text on drivers that some rows behave unlike the rest, if any; it is about the others then."""
        note = self._notes.get("outlying")
        return text if note is None else f"{text.replace(ALIKE, OTHERS_ALIKE)} {note[0].upper()}{note[1:]}"

    @property
    def _noise_sentence(self) -> str:
        """That curves go up and down many times, with a space in front; "" where they do not."""
        note = self._notes.get("movement")
        return "" if note is None or self._context.settings.convention == "paper" else f" {note}"

    @property
    def _driver_rows(self) -> Rows:
        """Rows whose curves are compared: all, or a sample that is stratified by the feature and seeded."""
        return self._context.draw(self._item.feature.values, self._item.summed, MOST_ROWS, f"drivers of {self.label}")

    def _compared_curves(self, n_drawn: int) -> tuple[Rows, Array]:
        """Return the curves that are compared; where the model would be called for them, those that are drawn."""
        if self._kept is None and self._method.calls_model:
            rows = self._draw(n_drawn)
            return rows, self.compute_curves(rows)
        rows = self._driver_rows
        return rows, np.concatenate([curves for _, curves in self._computed(rows)])

    def _search_drivers(self) -> Drivers:

        def found() -> Drivers:
            values, positions = self._item.feature.values, self._driver_rows
            seconds = second_features(self._context.columns, self._item.feature)
            every_column = [values, *(second.values for second in seconds)]
            lowest, highest = self._prediction_range
            # Along a stretch of the grid all curves are constant: one value of it stands for as many as it has.
            starts = np.append(0, self._method.active(self._item) + 1)
            blocks = [curves for _, curves in _with_checkpoints(self._computed(positions, starts))]
            return find_drivers(
                np.concatenate(blocks),
                seconds,
                positions,
                self._context.row_weights[positions],
                distinct_rows(np.column_stack([column[positions] for column in every_column]))[1],
                lengths=np.diff(starts, append=len(self.axis)).astype(np.float64),
                prediction_range=highest - lowest,
                n_curves=len(self._item.summed),
            )

        return self._once(DRIVERS, found)

    def _curves_at(self, positions: Rows, values: Array) -> Array | None:
        """Return curves of rows at some values [axis]; None if that takes the model, or one is not on the grid."""
        at = np.minimum(np.searchsorted(self.axis, values), len(self.axis) - 1)
        if self._method.calls_model or not np.array_equal(self.axis[at], values):
            return None
        blocks = [curves for _, curves in self._method.curves(self._item, positions, at)]
        return np.concatenate([np.empty((0, len(at))), *blocks])

    def _sums_by(self, subgroups: Subgroups) -> list[Sums | None]:
        self._context.check_all_rows("Metrics of groups need")
        key = subgroups.codes.tobytes()
        if key not in self._by:
            with self._lock:
                self._by[key] = sums_by(self._computed(self._item.summed), self._context, self._item, subgroups)
        return self._by[key]

    def _row_influences(self, decay: float, n_rows: int, subgroups: Subgroups | None = None) -> list[RowInfluences]:
        """Return influences of rows on every metric, for all rows or each group of them; the last few are kept."""
        key = decay, b"" if subgroups is None else subgroups.codes.tobytes()
        if key not in self._influences:
            parts = [(self._item.summed, cast("Sums | None", self._sums))]
            if subgroups is not None:
                codes = subgroups.codes[self._item.summed]
                parts = [(self._item.summed[codes == at], sums) for at, sums in enumerate(self._sums_by(subgroups))]
            with self._lock:
                influences = [
                    row_influences(
                        self._context, replace(self._item, summed=rows), sums, self._computed,
                        decay=decay, n_rows=n_rows,
                    )
                    for rows, sums in parts
                ]  # fmt: skip
                kept = list(self._influences.items())[1 - N_KEPT :]
                self._influences = {**dict(kept), key: influences}
        return self._influences[key]

    def _has_influences(self, decay: float) -> bool:
        return (decay, b"") in self._influences

    @cached_property
    def _is_target_like(self) -> bool:
        """Whether the feature determines the prediction as only the target would: its value, or the class."""
        predictor, mean, spread = self._context.predictor, self.partial_dependence, self.spread
        if len(self._context.columns.columns_by_feature) < 2:  # all there is determines the prediction
            return False
        if not predictor.of_classes:
            is_number = self.dtype_kind in ("numeric", "boolean")
            rows = slice(None) if self._sample is None else self._item.summed
            return is_number and follows_diagonal(self.axis, mean, spread, self._item.feature.values[rows])
        if predictor.response not in ("predict_proba", "predict"):
            return False
        # The model is called for rows without the value where that alone may make a class certain.
        if self._item.has_missing and self._own_metrics["missing_impact"] > _DECISIVE and np.ptp(mean) <= _DECISIVE:
            known = float(mean.mean()), float(spread.max())
            mean, spread = np.array([known, self._missing_dependence or known]).T
        return decides_class(mean, spread, len(predictor.classes))

    def correlated(self, n: int = MOST) -> pd.DataFrame:
        """Return the features that vary most with this one in the data, where its curves can mislead.

        Parameters
        ----------
        n : int
            Maximum number of features.

        Returns
        -------
        DataFrame
            Indexed by the label of each other column or group, the strongest first.

            correlation : float
                -1 to 1, or 0 to 1 if levels have no order; NaN where a feature is constant. Missing values do not
                count, rows count by weight.
            measure : str
                "spearman": rank correlation. "correlation_ratio" of a number and a category: the root of the share of
                the variance of the number that lies between levels. "cramers_v" of two categories. Both less what they
                are on average by chance, which is much where there are many levels; NaN where each row has its own.
        """
        check_integer("n", n, 1, f"Leave it out for {MOST}.")
        return correlated(self._context, self._item.feature, n)

    def plot(self, kind: PlotKind = "ice", **options: Unpack[PlotOptions]) -> Axes:
        """Draw the curves, or with `kind="effects"` the effects; `Explanation.plot` lists the other options."""
        from ice_explorer.explanation import Explanation

        return Explanation(self._context, self._method, [self], ()).plot(self.feature, kind, **options)


def _with_checkpoints(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks with a checkpoint after each: not under a lock that what is due then may wait for."""
    for block in blocks:
        yield block
        checkpoint()


def _frozen(array: Values) -> Values:
    """Return a view that cannot be written to: results are shared, not copied."""
    view = array.view()
    view.flags.writeable = False
    return view
