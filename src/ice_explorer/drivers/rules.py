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


def add_missing(rule: str) -> str:
    """Add the missing values to a rule, so that "not" does not seem to include them."""
    return f"{rule}, or missing" if " is not " in rule or " not in " in rule else f"{rule} or missing"


def choose_between(lower: float, upper: float) -> float:
    """Return the middle of two neighbouring values: a finite number from the lower one to below the upper one."""
    if lower == -math.inf:
        return 0.0 if upper == math.inf else math.nextafter(upper, -math.inf)
    middle = lower + (upper - lower) / 2
    return middle if lower <= middle < upper else lower


def name_threshold_sides(second: SecondFeature, lower: float, upper: float) -> tuple[str, str]:
    """Return the names of the rows up to a value, and from another on, by the roundest threshold between them."""
    label = second.label
    if second.kind == "boolean":
        return f"{label} is false", f"{label} is true"
    if second.levels is not None:
        text = second.levels[int(lower)]
    elif second.kind == "datetime":
        ahead = second.clock.wall(upper) - upper
        text = _write_date(lower + ahead, upper + ahead)
    elif second.kind == "timedelta":
        unit = choose_unit(second.values)
        text = f"{_write_number(lower * unit.per_day, upper * unit.per_day)} {unit.short}"
    else:
        text = _write_number(lower, upper, is_integer=second.is_integer)
    return f"{label} ≤ {text}", f"{label} > {text}"


def name_level_sides(second: SecondFeature, levels: Sequence[str]) -> tuple[str, str]:
    """Return the names of the rows with none of several levels, and of those with one of them."""
    if len(levels) == 1:
        return f"{second.label} is not {levels[0]}", f"{second.label} is {levels[0]}"
    more = f" and {len(levels) - _MOST_NAMED} more" if len(levels) > _MOST_NAMED else ""
    listed = ", ".join(levels[:_MOST_NAMED]) + more
    return f"{second.label} not in {listed}", f"{second.label} in {listed}"


def _write_number(lower: float, upper: float, *, is_integer: bool = False) -> str:
    """Write the number with the fewest digits from the lower one to below the upper one, near their middle."""
    middle = choose_between(lower, upper)
    if is_integer and math.floor(middle) >= lower:
        middle = float(math.floor(middle))
    largest = max(abs(value) for value in (lower, upper, middle) if math.isfinite(value))
    power = math.floor(math.log10(largest)) if largest else 0
    for digits in range(_DIGITS):
        try:
            rounded = round(middle, digits - power)
        except OverflowError:  # fewer digits would be more than the largest number there is
            continue
        if lower <= rounded < upper:
            middle = rounded
            break
    middle += 0.0  # no sign on zero
    return str(int(middle)) if middle.is_integer() and abs(middle) < 1e15 else repr(middle)


def _write_date(lower: float, upper: float) -> str:
    """Write the middle of two moments, no finer than parts them: a day, else a minute, else all there is."""
    middle = choose_between(lower, upper)
    rounded = (math.floor(middle / step + 1e-6) * step for step in (1.0, _MINUTE))
    return date_text(next((moment for moment in rounded if lower <= moment < upper), middle))
