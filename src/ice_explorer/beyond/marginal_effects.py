"""Marginal effects: how the prediction of each row changes by a step from its observed value."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np

from ice_explorer.checks import check_one_of, to_float_array
from ice_explorer.errors import OptionError
from ice_explorer.errors.base import listed, quoted
from ice_explorer.progress import progress_reporter
from ice_explorer.tables.column import MOMENTS

if TYPE_CHECKING:
    from ice_explorer.arrays import Array, Mask
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.features.feature import Feature


MarginalEffectKind = Literal["forward", "derivative"]

_SHORT: Final = 0.01  # standard deviations, on either side of a derivative


@dataclass(frozen=True, eq=False, repr=False)
class MarginalEffects:
    """Change of the prediction of each observation by a step of a feature.

    Attributes
    ----------
    step : object
        Length of the step [axis], in days for dates and durations, or the new level.
    kind : {"forward", "derivative"}
    values : ndarray of shape (n_observations,)
        Forward: f(x + h) - f(x) [output]. Derivative: (f(x + h) - f(x - h)) / 2h [output / axis]. A feature with two
        observed values and no given step changes from the lower to the higher one in every row: f(high) - f(low), for
        a derivative divided by their distance. NaN where a value is missing, or where a row has the new level.
    outside : ndarray of bool, shape (n_observations,)
        Whether the step leaves the range of observed values: the model extrapolates there, so the row does not count
        in the average.
    average : float
        Average marginal effect (AME), by weight, over the observations that have one and are not `outside`; NaN if
        there are none.
    """

    step: object
    kind: str
    values: Array
    outside: Mask
    average: float

    def __repr__(self) -> str:
        return f"<MarginalEffects: {self.kind}, average {self.average:.6g}>"


def measure_marginal_effects(result: FeatureExplanation, step: object, kind: str) -> MarginalEffects:
    """Predict both ends of the step of each row, as `Explanation.marginal_effects` describes."""
    check_one_of("kind", kind, get_args(MarginalEffectKind))
    context, feature, observed = result._context, result._item.feature, result._item.feature.values
    is_level = feature.levels is not None or feature.kind == "boolean"
    if kind == "derivative" and is_level:
        raise OptionError.must(
            "feature", "be one with an axis of numbers for a derivative", result.feature, 'Use `kind="forward"`.'
        )
    context.check_all_rows("Marginal effects need")
    occurring = np.unique(observed[context.weighted_rows])
    occurring = occurring[~np.isnan(occurring)]
    start, is_contrast = observed, step is None and len(occurring) == 2
    if is_contrast:
        start, end = (np.full(len(observed), value) for value in occurring)
    elif is_level:
        end = np.full(len(observed), _find_level(feature, step))
    else:
        length = _choose_length(result, step, kind)
        end = observed + length
        start = observed - length if kind == "derivative" else observed
    rows = np.flatnonzero(~np.isnan(observed) & ~(is_level & (start == end)))
    context.prediction_check.check()
    has_start = is_contrast or kind == "derivative"
    places = np.column_stack([start[rows], end[rows]] if has_start else [end[rows]])
    with progress_reporter(context.progress, places.size) as report:
        ends = context.brute.evaluate(feature, rows, places, made=lambda n: report(n, n, feature.label))
    values, outside = np.full(len(observed), np.nan), np.zeros(len(observed), np.bool_)
    values[rows] = ends[:, -1] - (ends[:, 0] if has_start else context.all_predictions[rows])
    if kind == "derivative":
        values /= end - start
    if not is_level:
        outside = (np.minimum(start, end) < occurring[0]) | (np.maximum(start, end) > occurring[-1])
    inside = rows[~outside[rows]]
    weights = context.row_weights[inside]
    average = float(np.average(values[inside], weights=weights)) if weights.sum() > 0 else np.nan
    if is_level:
        taken: Any = feature.native(end[:1])[0]
    else:
        taken = float(end[0] - start[0]) if is_contrast else length
    return MarginalEffects(taken, kind, values, outside, average)


def _find_level(feature: Feature, step: Any) -> float:
    levels = [False, True] if feature.levels is None else feature.levels.tolist()
    found = feature.find_coordinate(step) if feature.levels is not None or step in levels else None
    if found is None:
        raise OptionError.must(
            "step", "be a level of a feature that has levels", step, f"Its levels are {listed(levels)}.",
            where=f" for {quoted(feature.readable)}", known=levels,
        )  # fmt: skip
    return found


def _choose_length(result: FeatureExplanation, step: Any, kind: str) -> float:
    """Return the length of a step along the axis, below 0 for one down."""
    feature, where = result._item.feature, f" for {quoted(result._item.feature.readable)}"
    if step is None:
        usual = result.scale if kind == "forward" else _SHORT * result.scale
        if usual == 0:
            raise OptionError.must("step", "be given where a feature is constant", None, "Pass a number.", where=where)
        return max(1.0, float(np.rint(usual))) if feature.is_integer else usual
    length: Any = None
    if isinstance(step, (int, float, np.number)) and not isinstance(step, (bool, np.timedelta64)):
        length = to_float_array(step)
    elif feature.kind in MOMENTS:
        with suppress(TypeError, ValueError):
            length = np.timedelta64(step, "us") / np.timedelta64(1, "D")
    if length is None or not np.isfinite(length) or length == 0:
        advice = "Leave it out for one standard deviation."
        what = "be a number other than 0, or of dates and durations a timedelta"
        raise OptionError.must("step", what, step, advice, where=where)
    return float(length)
