"""Partial dependence on two features, by predicting every pair of their values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.checks import check_integer
from ice_explorer.curves.brute import Points
from ice_explorer.errors import DataError, OptionError, PredictionError, UnknownFeatureError
from ice_explorer.errors.base import quoted
from ice_explorer.errors.tracebacks import short_tracebacks
from ice_explorer.features.feature import make_grid
from ice_explorer.progress import Stepwise
from ice_explorer.tables.column import SortedValues

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ice_explorer.arrays import Array, Rows, Values
    from ice_explorer.curves.inputs import Context
    from ice_explorer.features.feature import FeatureKind
    from ice_explorer.tables.column import Name


GRID_SIZE: Final = 20
SAMPLE: Final = 500
SEPARATE: Final = ("boolean", "category", "ordered", "group")  # kinds whose values are near no other
_FEW: Final = 1.6  # times `grid_size`: all values of a feature are shown if it has at most so many
_BYTES: Final = 56  # of each pair of values: coordinates, sums and what is computed of them
_AT_A_TIME: Final = 2_000_000  # values of both axes that rows are compared with


@dataclass(frozen=True, eq=False)
class TwoWayAxis:
    """One of two features, and where it is evaluated.

    Attributes
    ----------
    feature : object
        Name, as in X, or of a group.
    label : str
        Name as text.
    dtype_kind : {"numeric", "boolean", "category", "ordered", "datetime", "timedelta", "group"}
    grid : ndarray of shape (n_grid,)
        Observed quantiles, or levels, the most frequent ones where there are too many.
    axis : ndarray of shape (n_grid,)
        The same as numbers, as `FeatureExplanation` has them.
    """

    feature: Name
    label: str
    dtype_kind: FeatureKind
    grid: Values
    axis: Array


@short_tracebacks
class TwoWay(Stepwise):
    """Partial dependence on two features: the mean prediction at every pair of their values.

    The model is called when `partial_dependence` is first read.

    Attributes
    ----------
    first, second : TwoWayAxis
    rows : ndarray of shape (n_rows,)
        Rows of X that the mean is of.
    n_observations : int
        Rows of X.
    output_label : str
        What is predicted.
    """

    def __init__(self, context: Context, first: Name, second: Name, grid_size: int, sample: int) -> None:
        super().__init__(context)
        check_integer("grid_size", grid_size, 2, f"Leave it out for {GRID_SIZE}.")
        check_integer("sample", sample, 1, f"Leave it out for {SAMPLE}.")
        context.check_model("Partial dependence on two features needs")
        columns, weights = context.columns, context.weights
        axes = []
        try:
            numbers = [columns.number(name) for name in (first, second)]
        except OptionError as error:
            raise error if isinstance(error, UnknownFeatureError) else error.advising("Name the group.") from None
        try:
            features = [columns.feature(number) for number in numbers]
            if numbers[0] == numbers[1]:
                raise OptionError(
                    f"The two features of a pair must differ; got {quoted(features[0].name)} twice.",
                    "Pass two different features.",
                )
            for feature in features:
                column = SortedValues.from_column(feature.values, weights)
                has_few = (
                    grid_size >= GRID_SIZE and len(column.distinct) <= _FEW * grid_size and not feature.is_unordered
                )
                size = None if has_few else grid_size
                grid = make_grid(feature, column, grid="observed" if has_few else "quantile", grid_size=size).values
                axes.append(TwoWayAxis(feature.name, feature.label, feature.kind, feature.native(grid), grid))
        except DataError as error:
            raise error.advising("Name another feature.") from error.__cause__
        self.first, self.second = axes
        n_first, n_second = (len(each.axis) for each in axes)
        what = f"{n_first:,} × {n_second:,} pairs of values"
        context.check_bytes(what, _BYTES * n_first * n_second, "Use a smaller `grid_size`")
        # Rows of weight that cover a feature evenly, the same whichever of the two is named first.
        stratifying = min(features, key=lambda feature: feature.position)
        values, purpose = stratifying.values, f"two-way of {stratifying.label}"
        self.rows = context.draw(values, context.weighted_rows, sample, purpose)
        self.n_observations = context.table.n_observations
        self.output_label = context.predictor.output_label
        self._axes = tuple(zip(features, (self.first.axis, self.second.axis), strict=True))
        cells = np.meshgrid(self.first.axis, self.second.axis, indexing="ij")
        self._points = Points(features, np.stack(cells, axis=-1).reshape(-1, 2))
        self._sums = np.zeros(len(self._points.coordinates))
        self._n_added = 0

    def __repr__(self) -> str:
        size = f"{len(self.first.axis)} × {len(self.second.axis)}"
        return f"<TwoWay of {self.first.label!r} and {self.second.label!r}: {size} values, {self.row_count}>"

    @property
    def row_count(self) -> str:
        """How many of the rows the mean is of, in words."""
        return f"{len(self.rows):,} of {self.n_observations:,} rows"

    @cached_property
    def partial_dependence(self) -> Array:
        """Mean prediction at each pair of values, (n_first, n_second) [output]."""
        self._complete()
        mean = np.asarray(self._sums / self._context.row_weights[self.rows].sum())
        mean.setflags(write=False)
        return mean.reshape(len(self.first.axis), len(self.second.axis))

    @property
    def _share_done(self) -> float:
        return self._n_added / len(self.rows)

    @property
    def _is_complete(self) -> bool:
        return self._n_added == len(self.rows)

    def _steps(self) -> Iterator[None]:
        brute, weights, cells = self._context.brute, self._context.row_weights, self._points.coordinates
        size = brute.rows_per_block(len(cells))
        while self._n_added < len(self.rows):
            rows = self.rows[self._n_added : self._n_added + size]
            try:
                predicted = brute.evaluate(self._points, rows, np.broadcast_to(cells, (len(rows), len(cells))))
            except PredictionError as error:
                if "`grid=`" not in str(error):  # which is an option of `explain` alone
                    raise
                advice = "Name another pair, or explain a function that can predict it."
                raise error.advising(advice) from error.__cause__
            self._sums += weights[rows] @ predicted
            self._n_added += len(rows)
            yield

    @cached_property
    def near(self) -> Rows:
        """Observations near each pair of values, (n_first, n_second): where there are none, nothing is like the pair.

        Near are those of the same level; of numbers those to which no other value is nearer, and those within a quarter
        of a standard deviation; of fewer than 500 observations within more, up to half of it.
        """
        known = np.flatnonzero(~np.any([feature.missing for feature, _ in self._axes], axis=0))
        reach = min(0.5, 0.25 * max(1.0, (500 / max(1, len(known))) ** 0.5))
        found = np.zeros((len(self.first.axis), len(self.second.axis)))
        size = max(1, _AT_A_TIME // sum(found.shape))
        for start in range(0, len(known), size):
            rows = known[start : start + size]
            near = []
            for feature, places in self._axes:
                values = feature.values[rows]
                low = high = places
                if feature.kind not in SEPARATE:
                    within = reach * float(np.std(feature.values[known]))
                    half_way = (places[1:] + places[:-1]) / 2
                    low = np.minimum(places - within, np.concatenate([places[:1], half_way]))
                    high = np.maximum(places + within, np.concatenate([half_way, places[-1:]]))
                near.append(((values >= low[:, None]) & (values <= high[:, None])).astype(np.float64))
            found += near[0] @ near[1].T
        return np.asarray(found.astype(np.int64))
