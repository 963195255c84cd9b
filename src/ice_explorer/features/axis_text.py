"""Values as text: numbers, dates and durations; axis ticks, columns of numbers, and the values of an axis.

Dates are counted in days and written like ISO 8601, by the clock of their time zone; durations in the largest unit of
which there are some. `js/src/text` has the twins.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from datetime import UTC, datetime, time, timedelta
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import tzinfo

    from numpy.typing import ArrayLike, NDArray

    from ice_explorer.tables.column import Column


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAY: Final = timedelta(days=1)
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class Unit(NamedTuple):
    """In which durations are written."""

    name: str
    short: str
    per_day: float


_UNITS: Final = (
    Unit("days", "d", 1),
    Unit("hours", "h", 24),
    Unit("minutes", "min", 1440),
    Unit("seconds", "s", 86_400),
)


def choose_unit(durations: ArrayLike) -> Unit:
    """Return the largest unit of which the longest of some durations [days] has at least three."""
    known = np.abs(np.asarray(durations, dtype=np.float64))
    longest = float(np.max(known[np.isfinite(known)], initial=0.0))
    return next((unit for unit in _UNITS if longest * unit.per_day >= 3), _UNITS[-1 if longest else 0])


def _date_of(days: float) -> datetime:
    milliseconds = math.floor(days * 86_400_000 + 0.5)
    return _EPOCH + timedelta(milliseconds=milliseconds)


class Clock(NamedTuple):
    """What clocks of a time zone show.

    - `changes`: since when, and how far ahead of UTC [days]; none is UTC. The first one holds before it, too.
    """

    changes: tuple[tuple[float, float], ...] = ()

    def wall(self, days: float) -> float:
        """Return what the clock shows at a point in time."""
        if not self.changes:
            return days
        place = bisect_right(self.changes, days + _EXACT, key=lambda change: change[0]) - 1
        return days + self.changes[max(0, place)][1]

    def instant(self, wall: float) -> float | None:
        """Return when the clock shows this first; None for an hour that is left out."""
        moments = (wall - ahead for _, ahead in self.changes)
        return next((at for at in moments if abs(self.wall(at) - wall) < _EXACT), None) if self.changes else wall


UTC_CLOCK: Final = Clock()
_EXACT: Final = 1e-8  # [days], a millisecond
_MOST_SAMPLES: Final = 5000


def make_clock(zone: tzinfo | None, first: float, last: float) -> Clock:
    """Return the clock of a time zone within a stretch of time; changes that undo each other in a week are not seen."""
    if zone is None or not first <= last:
        return UTC_CLOCK
    at = np.arange(first, last, max(7.0, (last - first) / _MOST_SAMPLES)).tolist()
    samples = [(days, _ahead(zone, days)) for days in (*at, float(last))]
    changes = samples[:1]
    for (before, was), (after, ahead) in pairwise(samples):
        if ahead != was:
            low, high = before, after
            while high - low > _EXACT:
                middle = (low + high) / 2
                low, high = (middle, high) if _ahead(zone, middle) == was else (low, middle)
            changes.append((math.floor(high * 86_400 + 0.5) / 86_400, ahead))
    return Clock(tuple(changes))


def make_column_clock(column: Column) -> Clock:
    """Return how datetimes of a column are written: in its time zone."""
    present = column.values[~column.missing] if column.zone is not None else np.empty(0)
    if not len(present):
        return UTC_CLOCK
    return make_clock(column.native(present[:1])[0].tzinfo, float(present.min()), float(present.max()))


def _ahead(zone: tzinfo, days: float) -> float:
    """Return how far a time zone is ahead of UTC [days]."""
    try:
        return (_date_of(days).astimezone(zone).utcoffset() or timedelta()) / _DAY
    except (OverflowError, ValueError):  # beyond the years that have a calendar
        return 0.0


def date_text(days: float, clock: Clock = UTC_CLOCK) -> str:
    """Write a point in time as finely as it is given: a day, a minute, a second or less."""
    try:
        date = _date_of(clock.wall(days)).replace(tzinfo=None)
    except (OverflowError, ValueError):
        return "–"
    finest = "milliseconds" if date.microsecond else "seconds" if date.second else "minutes"
    return date.isoformat(" ", finest) if date.time() > time.min else f"{date.date()}"


def date_writer(times: ArrayLike, clock: Clock = UTC_CLOCK) -> Callable[[float], str]:
    """Return how points in time are written that no row has: no finer than the stretch of `times` needs."""
    span = float(np.ptp([clock.wall(days) for days in np.asarray(times, dtype=np.float64).tolist()]))
    if span <= 10:
        return lambda days: date_text(days, clock)
    steps = 1 if span > 1000 else 1440
    # What is exact but for its last bits is not written as the moment before.
    return lambda days: date_text(math.floor(clock.wall(days) * steps + 1e-6) / steps)


def span_texts(first: float, last: float, clock: Clock = UTC_CLOCK) -> tuple[str, str]:
    """Write the ends of a stretch of time, no finer than its length needs."""
    first, last = clock.wall(first), clock.wall(last)
    steps = 1 if last - first > 10 else 1440 if last - first > 0.01 else 86_400_000
    low, high = (date_text(math.floor(days * steps + 0.5) / steps) for days in (first, last))
    return low, high


# --- ticks ----------------------------------------------------------------------------------------


def nice_step(span: float, wanted: int) -> float:
    """Return the step of 1, 2 or 5 · 10^k that cuts `span` into about `wanted` parts; 0 where that is no number."""
    rough = span / max(1, wanted)
    if rough == 0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(rough))
    # The bounds are the geometric means of neighbouring candidates.
    bounds = ((math.sqrt(2), 1), (math.sqrt(10), 2), (math.sqrt(50), 5))
    return next((factor for bound, factor in bounds if rough / power < bound), 10) * power


def date_ticks(first: float, last: float, wanted: int, clock: Clock = UTC_CLOCK) -> list[tuple[float, str]]:
    """Choose about so many dates that are round on a clock within a stretch of time [days], each with its label.

    A label says what changed since the tick before; the first one, and each in a new year or day,
    says all. The steps are those of d3-time.
    """
    low, high = clock.wall(first), clock.wall(last)
    target = 86_400 * (high - low) / max(1, wanted)
    above = next((place for place, step in enumerate(_STEPS) if _seconds(*step) > target), len(_STEPS) - 1)
    below = max(0, above - 1)  # the nearer one in proportion is taken
    count, unit = _STEPS[below if target * target < _seconds(*_STEPS[below]) * _seconds(*_STEPS[above]) else above]
    if unit == "Y":
        count = max(1, round(nice_step(target / _seconds(1, "Y"), 1)))
    # Years are multiples since year 0, and weeks begin on Sundays, the first of which was on 4 January 1970.
    origin = {"Y": -1970, "D": 3 if count == 7 else 0}.get(unit, 0)
    start, stop = (np.datetime64(_date_of(days).replace(tzinfo=None), "ms") for days in (low, high))
    ends = [(end.astype(f"M8[{unit}]").astype(int) - origin) // count for end in (start, stop)]
    dates = (np.arange(ends[0], ends[1] + 1) * count + origin).astype(f"M8[{unit}]").astype("M8[ms]")
    dates = dates[(start <= dates) & (dates <= stop)]
    moments = [clock.instant(days) for days in (dates.astype(np.int64) / 86_400_000).tolist()]
    return [
        (at, label) for at, label in zip(moments, _labels(dates.tolist()), strict=True)
        if at is not None and first - _EXACT <= at <= last + _EXACT
    ]  # fmt: skip


_STEPS: Final = (
    *((count, unit) for unit in ("s", "m") for count in (1, 5, 15, 30)),
    *((count, "h") for count in (1, 3, 6, 12)),
    (1, "D"), (2, "D"), (7, "D"), (1, "M"), (3, "M"), (1, "Y"),
)  # fmt: skip


def _seconds(count: int, unit: str) -> float:
    return count * {"s": 1.0, "m": 60.0, "h": 3600.0, "D": 86_400.0, "M": 30 * 86_400.0, "Y": 365 * 86_400.0}[unit]


def _labels(dates: Sequence[datetime]) -> list[str]:
    """Label dates as finely as they differ; what the date before has in common with a date is left out."""
    texts = [f"{date.day} {_MONTHS[date.month - 1]}" for date in dates]
    if any(date.time() > time.min for date in dates):
        form = "%H:%M:%S" if any(date.second for date in dates) else "%H:%M"
        within, full = [date.toordinal() for date in dates], [f"{text} {{}}" for text in texts]
        texts = [f"{date:{form}}" for date in dates]
    else:
        within, full = [date.year for date in dates], [f"{{}} {date.year}" for date in dates]
        if all(date.day == 1 for date in dates):
            texts = [_MONTHS[date.month - 1] for date in dates]
            full = [f"{date.year}" for date in dates] if all(date.month == 1 for date in dates) else full
    repeats = [False, *(before == after for before, after in pairwise(within))]
    return [text if is_same else each.format(text) for text, each, is_same in zip(texts, full, repeats, strict=False)]


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
