"""Rules of splits as text: "rm > 6.4", "town in Oslo, Rome", "built > 2015-03-01 or missing"."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ice_explorer.features.dates import choose_unit, date_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.drivers.candidates import SecondFeature

_MOST_NAMED = 3  # levels written out
_DIGITS = 17  # that tell every float64 from its neighbours
_MINUTE = 1 / 1440  # of a day


def or_missing(rule: str) -> str:
    """Add the missing values to a rule, so that "not" does not seem to include them."""
    is_denied = " is not " in rule or " not in " in rule
    return f"{rule}, or missing" if is_denied else f"{rule} or missing"


def between(lower: float, upper: float) -> float:
    """Return the middle of two neighbouring values: a finite number from the lower one to below the upper one."""
    if math.isinf(lower) or math.isinf(upper):
        return _beside_infinity(lower, upper)
    middle = lower + (upper - lower) / 2 if upper - lower < math.inf else 0.0
    return middle if lower <= middle < upper else lower


def _beside_infinity(lower: float, upper: float) -> float:
    if not math.isinf(lower):
        return lower
    return 0.0 if math.isinf(upper) else math.nextafter(upper, -math.inf)


def sides_of_threshold(second: SecondFeature, lower: float, upper: float) -> tuple[str, str]:
    """Return the names of the rows up to a value and of those above it.

    - `second`: with an order.
    - `lower`, `upper`: neighbouring values that the threshold parts. It is written as the roundest number between them,
      which parts the same rows.
    """
    label = second.label
    if second.kind == "boolean":
        return f"{label} is false", f"{label} is true"
    text = _threshold_text(second, lower, upper)
    return f"{label} ≤ {text}", f"{label} > {text}"


def sides_of_levels(second: SecondFeature, levels: Sequence[str]) -> tuple[str, str]:
    """Return the names of the rows with none of some levels, and of those with one of them."""
    if len(levels) == 1:
        return f"{second.label} is not {levels[0]}", f"{second.label} is {levels[0]}"
    listed = ", ".join(levels[:_MOST_NAMED])
    if len(levels) > _MOST_NAMED:
        listed += f" and {len(levels) - _MOST_NAMED} more"
    return f"{second.label} not in {listed}", f"{second.label} in {listed}"


def _threshold_text(second: SecondFeature, lower: float, upper: float) -> str:
    if second.levels is not None:
        return second.levels[int(lower)]
    if second.kind == "datetime":
        ahead = second.clock.wall(upper) - upper
        return _date_between(lower + ahead, upper + ahead)
    if second.kind == "timedelta":
        unit = choose_unit(second.values)
        return f"{_roundest(lower * unit.per_day, upper * unit.per_day)} {unit.short}"
    return _roundest(lower, upper, is_integer=second.is_integer)


def _roundest(lower: float, upper: float, *, is_integer: bool = False) -> str:
    """Write the number between two others that has the fewest digits, near their middle."""
    middle = between(lower, upper)
    if is_integer and math.floor(middle) >= lower:
        middle = float(math.floor(middle))
    largest = max(abs(lower), abs(upper), abs(middle)) if math.isfinite(lower) and math.isfinite(upper) else abs(middle)
    if largest == 0:
        return "0"
    power = math.floor(math.log10(largest))
    for digits in range(_DIGITS):
        try:
            rounded = round(middle, digits - power)
        except OverflowError:  # fewer digits would be more than the largest number there is
            continue
        if lower <= rounded < upper:
            return _plain(rounded)
    return _plain(middle)


def _plain(value: float) -> str:
    """Write a number in full where that is short, without a sign on zero."""
    value = float(value) + 0.0
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


def _date_between(lower: float, upper: float) -> str:
    """Write the middle of two moments, no finer than parts them: a day, else a minute, else all there is."""
    middle = between(lower, upper)
    for step in (1.0, _MINUTE):
        rounded = math.floor(middle / step + 1e-6) * step
        if lower <= rounded < upper:
            return date_text(rounded)
    return date_text(middle)
