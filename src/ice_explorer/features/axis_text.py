"""Values as text: axis ticks, columns of numbers, single numbers, and the values of an axis."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from ice_explorer.features.dates import UTC_CLOCK, Clock, choose_unit, date_text, make_column_clock, nice_step

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from ice_explorer.tables.column import Column

_SEPARATED_FROM: Final = 10_000
_ROUNDING: Final = 1e-12  # a smaller part of the largest figure is the rounding of sums
_FIRST_INEXACT_INTEGER: Final = 2**53
MINUS: Final = "\N{MINUS SIGN}"
MISSING: Final = "missing"
_OFF_GRID: Final = "another level"


class Tick(NamedTuple):
    """A place on an axis and what stands there."""

    value: float
    label: str


def ticks(low: float, high: float, wanted: int, *, whole: bool = False, separator: str = ",") -> list[Tick]:
    """Choose round values within [low, high], labelled alike; none where the axis has no length.

    - `wanted`: into about how many steps the axis is cut; `whole` ones where it has whole numbers only.
    - `separator`: of thousands.
    """
    if not (math.isfinite(low) and math.isfinite(high) and high > low):
        return []
    step = max(nice_step(high - low, wanted), float(whole))
    if step == 0:  # so short an axis that its parts are no numbers
        return []
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    values = [index * step for index in range(first, last + 1)]
    write = number_format(max(map(abs, values), default=0.0), step, separator=separator)
    return [Tick(value, write(value)) for value in values]


def thousands_separator(axis: NDArray[np.float64]) -> str:
    """Return what separates thousands on an axis of some values: nothing below 10,000, as in years and codes."""
    return "," if np.any(np.abs(axis) >= _SEPARATED_FROM) else ""


def number_format(
    largest: float, step: float, most: float = 1e7, separator: str = ",", most_decimals: int = 5
) -> Callable[[float], str]:
    """Return one way to write numbers up to `largest` that differ by `step`, so that their points align.

    From `most` on, and where there would be more decimals than `most_decimals`, it is with an exponent.
    """
    lowest_digit = math.floor(math.log10(step) + 1e-9) if step > 0 else 0
    if largest >= most or lowest_digit < -most_decimals:
        power = math.floor(math.log10(largest)) if largest > 0 else 0
        digits = min(6, max(0, power - lowest_digit))
        return lambda value: "0" if value == 0 else _typeset(f"{value:.{digits}e}")
    decimals = max(0, -lowest_digit)
    return lambda value: _typeset(f"{round(value, decimals) + 0.0:{separator}.{decimals}f}")


def column_format(values: Sequence[float]) -> Callable[[float], str]:
    """Return one way to write a column of figures: three significant digits of the largest."""
    largest = _largest(values)
    step = 10.0 ** (math.floor(math.log10(largest)) - 2) if largest > 0 else 1.0
    write = number_format(largest, step, most=1e6, most_decimals=6)
    return lambda value: write(value) if math.isfinite(value) else "–"


def nonnegative_format(values: Sequence[float]) -> Callable[[float], str]:
    """Return the same for figures that are not negative: "< 0.001" in place of zeros only, and "0" for nothing."""
    write, nothing = column_format(values), _ROUNDING * _largest(values)
    zeros = write(0.0)
    texts = {zeros: f"< {zeros[:-1]}1"}
    return lambda value: "0" if abs(value) <= nothing else texts.get(write(value), write(value))


def _largest(values: Sequence[float]) -> float:
    return max((abs(value) for value in values if math.isfinite(value)), default=0.0)


def is_zero(text: str) -> bool:
    """Return whether a figure in this format rounds to 0."""
    return text.startswith("<") or text.partition("\N{NO-BREAK SPACE}")[0] == "0"


def axis_number(axis: NDArray[np.float64]) -> Callable[[float], str]:
    """Return how values of an axis are written, each on its own."""
    separator = thousands_separator(axis)
    return lambda value: number_text(value, separator)


def number_text(value: float, separator: str = ",") -> str:
    """Write a number on its own: four significant digits at most."""
    if not math.isfinite(value):
        return "–"
    size = abs(value)
    if size != 0 and (size < 1e-4 or size >= 1e7):
        return _typeset(f"{value:.3e}")
    if value == round(value):
        return _typeset(f"{value:{separator}.0f}")
    decimals = max(0, 3 - math.floor(math.log10(size)))
    return _typeset(f"{value:{separator}.{decimals}f}".rstrip("0").rstrip("."))


def cell_text(value: float) -> str:
    """Write a number as a table has it: whole numbers in full, others with six digits; nothing for a missing one."""
    if math.isnan(value):
        return ""
    is_whole = value.is_integer() and abs(value) < _FIRST_INEXACT_INTEGER
    return str(int(value)) if is_whole else f"{value:.6g}"


def short_cell_text(value: float) -> str:
    """Write the same with four digits, unless it is whole."""
    return cell_text(value if value.is_integer() else float(f"{value:.4g}"))


def _typeset(text: str) -> str:
    """Write a proper minus, and an exponent as a reader would: 2.5e+06 as 2.5e6."""
    mantissa, exponent, power = text.partition("e")
    if exponent:
        if "." in mantissa:
            mantissa = mantissa.rstrip("0").rstrip(".")
        text = f"{mantissa}e{int(power)}"
    return text.replace("-", MINUS)


# --- values of an axis ----------------------------------------------------------------------------


def writer(
    kind: str, grid: ArrayLike, levels: Sequence[str] | None, number: Callable[[float], str], clock: Clock = UTC_CLOCK
) -> Callable[[float], str]:
    """Return a function that writes values of an axis; `number` writes those that are numbers, `clock` datetimes."""
    names: dict[float, str] = {0.0: "false", 1.0: "true"} if kind == "boolean" else {}
    write = number
    if levels is not None:
        names = dict(zip(np.asarray(grid, dtype=np.float64).tolist(), levels, strict=True))
        write = lambda _value: _OFF_GRID  # noqa: E731
    elif kind == "datetime":
        write = partial(date_text, clock=clock)
    elif kind == "timedelta":
        unit = choose_unit(grid)
        write = lambda value: f"{number(value * unit.per_day)} {unit.short}"  # noqa: E731
    return lambda value: MISSING if math.isnan(value) else names[value] if value in names else write(value)


def cell_writer(column: Column) -> Callable[[float], str]:
    """Return a function that writes the coordinates of a column; booleans as Python does."""
    if column.kind == "boolean":
        return lambda value: MISSING if math.isnan(value) else str(bool(value))
    texts = column.level_texts
    axis = column.values if texts is None else np.arange(len(texts))
    return writer(column.kind, axis, texts, cell_text, make_column_clock(column))
