"""Marginal effects: how the prediction of each row changes by a step from its observed values."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np

from ice_explorer.checks import check_one_of
from ice_explorer.curves.brute import Points
from ice_explorer.errors import OptionError
from ice_explorer.errors.base import listed, quoted
from ice_explorer.errors.tracebacks import short_tracebacks
from ice_explorer.features.feature import check_step
from ice_explorer.progress import progress_reporter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ice_explorer.arrays import Array, Mask
    from ice_explorer.engines.context import Context
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.features.feature import Feature


MarginalEffectKind = Literal["forward", "derivative"]

_ROWS_AT_A_TIME: Final = 2048
_SHORT: Final = 0.01  # standard deviations, on either side of a derivative
_ROUNDING: Final = 1e-12  # of a prediction

# Gauss-Legendre: exact along a step where the prediction is a polynomial of degree 15 at most.
_NODES, _NODE_WEIGHTS = (part / 2 for part in np.polynomial.legendre.leggauss(16))
_NODES = _NODES + 0.5


@short_tracebacks
class MarginalEffects:
    """Change of the prediction of each observation by a step of one or more features.

    Attributes
    ----------
    steps : dict
        By name of the feature: length of the step [axis], in days for dates and durations, or the new level.
    kind : {"forward", "derivative"}
    values : ndarray of shape (n_observations,)
        Forward: f(x + h) - f(x) [output]. Derivative: (f(x + h) - f(x - h)) / 2h [output / axis]. A feature with two
        observed values and no given step changes from the lower to the higher one in every row: f(high) - f(low), for
        a derivative divided by their distance. NaN where a value is missing, or where a row has the new level.
    outside : ndarray of bool, shape (n_observations,)
        Whether the step leaves the range of observed values of some feature: the model extrapolates there, so the row
        does not count in the average.
    """

    def __init__(self, context: Context, steps: Mapping[FeatureExplanation, object], kind: str) -> None:
        if not steps:
            raise OptionError.must("feature", "name at least one feature", {}, "Pass its name.")
        check_one_of("kind", kind, get_args(MarginalEffectKind))
        self.kind = kind
        self._context = context
        self._is_contrast = False  # whether a feature changes between its two observed values
        self._features: list[Feature] = [result._item.feature for result in steps]
        # A step is a level to change to where there is none to add to others.
        has_levels = [feature.levels is not None or feature.kind == "boolean" for feature in self._features]
        self._is_level = np.array(has_levels, dtype=np.bool_)
        if kind == "derivative" and (len(steps) > 1 or any(has_levels)):
            raise OptionError.must(
                "feature",
                "be one feature with an axis of numbers for a derivative",
                [result.feature for result in steps],
                'Use `kind="forward"` for several features and for levels.',
            )
        self._start = np.column_stack([feature.values for feature in self._features])
        self._end = np.empty_like(self._start)
        self.steps = {}
        has_value = ~np.isnan(self._start).any(axis=1)
        for at, (result, step) in enumerate(steps.items()):
            self.steps[result.feature] = self._set_step(at, result, step)
        stays = (self._start == self._end) & self._is_level
        self._rows = np.flatnonzero(has_value & ~stays.any(axis=1))
        self._label = " and ".join(feature.label for feature in self._features)
        context.check_all_rows("Marginal effects need")
        context.prediction_check.check()
        self.values = np.full(len(self._start), np.nan)
        is_forward = kind == "forward"
        if is_forward and not self._is_contrast:
            self.values[self._rows] = self._predicted(np.ones(1))[:, 0] - context.all_predictions[self._rows]
        else:
            shares = np.array([0.0 if self._is_contrast else -1.0, 1.0])
            ends = self._predicted(shares)
            length = 1.0 if is_forward else np.ptp(shares) * (self._end - self._start)[self._rows, 0]
            self.values[self._rows] = (ends[:, 1] - ends[:, 0]) / length
        self.outside = self._leaves_range()

    def __repr__(self) -> str:
        return f"<MarginalEffects of {self._label!r}: {self.kind}, average {self.average:.6g}>"

    @property
    def average(self) -> float:
        """Average marginal effect (AME), by weight, over the observations that have one and are not `outside`.

        NaN if there are none, because the step leaves the observed range from every observation.
        """
        rows = self._rows[~self.outside[self._rows]]
        weights = self._context.row_weights[rows]
        return float(np.average(self.values[rows], weights=weights)) if weights.sum() > 0 else np.nan

    @cached_property
    def non_linearity(self) -> Array:
        """Non-linearity measure of each forward effect, (n_observations,), 0 to 1: 0 where the step runs straight.

        Squared deviation of the prediction from the straight line between both ends of the step, integrated along it
        and divided by that from its own mean: 1 less the measure of Scholbeck et al. (2024), limited to 0 to 1. NaN for
        derivatives, new levels, changes between two observed values, and where there is no effect. The model is called
        16 times for each row.
        """
        found = np.full(len(self.values), np.nan)
        if self.kind == "derivative" or self._is_level.any() or self._is_contrast:
            return found
        self._context.prediction_check.check()
        start, change = self._context.all_predictions[self._rows], self.values[self._rows]
        along = self._predicted(_NODES)
        line = start[:, None] + change[:, None] * _NODES
        total = (along - (along @ _NODE_WEIGHTS)[:, None]) ** 2 @ _NODE_WEIGHTS
        residual = (along - line) ** 2 @ _NODE_WEIGHTS
        is_flat = total <= (_ROUNDING * np.abs(along).max(axis=1, initial=0)) ** 2
        found[self._rows] = np.where(is_flat, 0.0, np.minimum(residual / np.where(is_flat, 1.0, total), 1.0))
        return found

    def _set_step(self, at: int, result: FeatureExplanation, step: object) -> object:
        """Set where the step of a feature ends, and where it starts if not at the observed values; return the step.

        - `at`: place among the features of the step.
        """
        feature, is_level = result._item.feature, self._is_level[at]
        occurring = np.unique(feature.values[self._context.weighted_rows])
        occurring = occurring[~np.isnan(occurring)]
        if step is None and len(occurring) == 2:
            self._is_contrast = True
            low, high = occurring.tolist()
            self._start[:, at], self._end[:, at] = low, high
        elif is_level:
            levels = [False, True] if feature.levels is None else feature.levels.tolist()
            found = feature.find_coordinate(step) if feature.levels is not None or step in levels else None
            if found is None:
                raise OptionError.must(
                    "step", "be a level of a feature that has levels", step, f"Its levels are {listed(levels)}.",
                    where=f" for {quoted(feature.readable)}", known=levels,
                )  # fmt: skip
            self._end[:, at] = high = found
        else:
            usual = result.scale if self.kind == "forward" else _SHORT * result.scale
            if step is not None:
                length = _length_of(feature, step)
            elif usual == 0:
                what, where = "be given where a feature is constant", f" for {quoted(feature.readable)}"
                raise OptionError.must("step", what, None, "Pass a number.", where=where)
            else:
                length = max(1.0, float(np.rint(usual))) if feature.is_integer else usual
            self._end[:, at] = self._start[:, at] + length
            return length
        return feature.native(np.array([high]))[0] if is_level else high - low

    def _leaves_range(self) -> Mask:
        outside = np.zeros(len(self.values), np.bool_)
        weighing = self._context.weighted_rows
        for at in np.flatnonzero(~self._is_level):
            observed, start, end = self._features[at].values, self._start[:, at], self._end[:, at]
            lowest, highest = np.nanmin(observed[weighing]), np.nanmax(observed[weighing])
            is_central = self.kind == "derivative" and not self._is_contrast
            for place in (end, 2 * start - end)[: 1 + is_central]:
                outside |= (place < lowest) | (place > highest)
        return outside

    def _predicted(self, shares: Array) -> Array:
        """Predict the rows at shares of the way, (n_rows, n_shares); levels are new on all of it but its start."""
        found = np.empty((len(self._rows), len(shares)))
        with progress_reporter(self._context.progress, found.size) as report:
            for start in range(0, len(self._rows), _ROWS_AT_A_TIME):
                rows = self._rows[start : start + _ROWS_AT_A_TIME]
                start_values, end_values, share = self._start[rows, None], self._end[rows, None], shares[:, None]
                moved = (1 - share) * start_values + share * end_values
                changed = np.where(share > 0, end_values, start_values)
                values = np.where(self._is_level, changed, moved)
                points = Points(self._features, values.reshape(-1, len(self._features)))
                coordinates = points.coordinates.reshape(len(rows), len(shares))
                found[start : start + len(rows)] = self._context.brute.evaluate(
                    points, rows, coordinates, made=lambda n: report(n, n, self._label)
                )
        return found


def _length_of(feature: Feature, step: Any) -> float:
    try:
        is_down = bool(step < type(step)(0))
        return -check_step(feature, -step) if is_down else check_step(feature, step)
    except (TypeError, ValueError):
        advice = "Leave it out for one standard deviation."
        what = "be a number other than 0, or of dates and durations a timedelta"
        raise OptionError.must("step", what, step, advice, where=f" for {quoted(feature.readable)}") from None
