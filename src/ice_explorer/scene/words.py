"""Sentences of a figure: the effect of a feature on the prediction, and the weight of far values.

The twins in the browser are `js/src/panels/feature/sentence.ts`, `reachText` of `js/src/text/numbers.ts` and
`placeWriterOf` of `js/src/text/values.ts`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.features.axis_text import (
    Tick,
    axis_number,
    column_format,
    number_text,
    thousands_separator,
    ticks,
    writer,
)
from ice_explorer.features.dates import choose_unit, date_ticks, date_writer
from ice_explorer.glossary import explanation

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ice_explorer.scene.display_axis import DisplayAxis

FEW_VALUES: Final = 6  # of a feature: with no more it has a tick for each
_LEAST_TURN: Final = 0.1  # of the range of the mean: a turn that reaches this far beyond both ends is named
_ROUNDING: Final = 1e-6  # of the means: they are float32 in the browser


def place_writer(axis: DisplayAxis) -> Callable[[float], str]:
    """Return how a place on an axis is written; points in time are no finer than their stretch needs."""
    if axis.kind == "datetime":
        return date_writer(axis.grid, axis.clock)
    return writer(axis.kind, axis.grid, axis.levels, axis_number(axis.grid), axis.clock)


def axis_ticks(axis: DisplayAxis, domain: tuple[float, float], width: float) -> list[Tick]:
    """Ticks of the axis of a feature of some px: its values where there are few, else round numbers."""
    grid, (low, high) = axis.grid, domain
    if axis.kind == "boolean" or len(grid) <= FEW_VALUES or axis.has_levels:
        write = writer(axis.kind, grid, axis.levels, axis_number(grid), axis.clock)
        return [Tick(value, write(value)) for value in grid.tolist() if low <= value <= high]
    if axis.kind == "datetime":
        return [Tick(*tick) for tick in date_ticks(low, high, max(2, round(width / 70)), axis.clock)]
    n_steps, separator = max(2, round(width / 52)), thousands_separator(grid)
    if axis.kind == "timedelta":
        per_day = choose_unit(grid).per_day
        marks = ticks(low * per_day, high * per_day, n_steps, separator=separator)
        return [Tick(tick.value / per_day, tick.label) for tick in marks]
    return ticks(low, high, n_steps, whole=bool(np.all(grid == np.round(grid))), separator=separator)


def average_sentence(feature: str, axis: DisplayAxis, mean: NDArray[np.float64], output: str, middle: float) -> str:
    """Return how the mean prediction changes along a feature, in one sentence.

    `mean` is the partial dependence at each grid value, `middle` that of the range of the predictions of the feature.
    """
    first, last, low, high = (float(mean[0]), float(mean[-1]), float(mean.min()), float(mean.max()))
    write, place = column_format([high - low]), place_writer(axis)
    places = [place(value) for value in axis.grid.tolist()]
    at_low, at_high = places[int(mean.argmin())], places[int(mean.argmax())]
    lead = f"On average the {output}"
    if len(mean) == 1:
        return f"{lead} is {number_text(first)}; {feature} has one value, {places[0]}."
    is_rounding = high - low <= _ROUNDING * max(abs(low - middle), abs(high - middle))
    if is_rounding or write(low) == write(high):
        return f"{lead} is {number_text(low)} whatever the value of {feature}."
    if axis.is_unordered and len(mean) > 2:
        return f"{lead} is lowest for {feature} = {at_low}, {write(low)}, and highest for {at_high}, {write(high)}."
    if len(mean) == 2:
        return f"{lead} is {write(first)} for {feature} = {places[0]} and {write(last)} for {places[1]}."
    turn = _LEAST_TURN * (high - low)
    turns = [
        *([f"a minimum of {write(low)} at {at_low}"] if low < min(first, last) - turn else []),
        *([f"a maximum of {write(high)} at {at_high}"] if high > max(first, last) + turn else []),
    ]
    if write(first) == write(last):
        goes = f"begins and ends at {write(first)}"
    else:
        goes = f"{'rises' if last > first else 'falls'} from {write(first)} to {write(last)}"
    return f"{lead} {goes} along {feature}{', with ' if turns else ''}{' and '.join(turns)}."


def missing_sentence(feature: str, missing_impact: float, impact: float) -> str:
    """Return what a missing value does, where that is more than a step does; either may be NaN."""
    if not missing_impact > impact:
        return ""
    return f"If {feature} is missing, it changes by {number_text(missing_impact)} on average."


def weight_text(decay: float) -> str:
    """Return the name of the slider and where it stands."""
    name = explanation("decay").name
    return f"{name[0].lower()}{name[1:]} {number_text(decay)}"


UNITS_OF_DISTANCE: Final = {"marginal": "SD", "conditional": "SD (given the other features)", "custom": "scales"}
"""What distances from the observed value are measured in, by the option `distance`; so in `js/src/text/numbers.ts`."""


def reach_text(decay: float, distance: str, *, unordered: bool) -> str:
    """Return how much far values count; levels without an order have no distance, unless it is estimated."""
    if decay >= 1:
        return f"all {'levels' if unordered else 'values'} count alike"
    if unordered:
        levels = "levels that the other features rule out" if distance == "conditional" else "other levels"
        return f"{levels} count {number_text(decay)}"
    half = math.log(0.5) / math.log(decay)
    return f"a value {half:.{2 if half < 0.1 else 1}f} {UNITS_OF_DISTANCE[distance]} from the observed one counts half"
