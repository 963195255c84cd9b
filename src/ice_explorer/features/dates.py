"""Dates and durations, counted in days, as text: the twin of `js/src/words/dates.ts`.

Dates are written like ISO 8601, by the clock of their time zone; durations in the largest unit of which there are some.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import tzinfo

    from numpy.typing import ArrayLike

    from ice_explorer.tables.column import Column

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAY: Final = timedelta(days=1)
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True)
class Unit:
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


def unit_of(durations: ArrayLike) -> Unit:
    """Return the largest unit of which the longest of some durations [days] has at least three."""
    known = np.abs(np.asarray(durations, dtype=np.float64))
    longest = float(np.max(known[np.isfinite(known)], initial=0.0))
    return next((unit for unit in _UNITS if longest * unit.per_day >= 3), _UNITS[-1 if longest else 0])


def _date_of(days: float) -> datetime:
    milliseconds = math.floor(days * 86_400_000 + 0.5)
    return _EPOCH + timedelta(milliseconds=milliseconds)


@dataclass(frozen=True)
class Clock:
    """What clocks of a time zone show.

    Attributes
    ----------
    changes : tuple of (float, float)
        Since when, and how far ahead of UTC [days]; none is UTC. The first one holds before it, too.
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
        found = (wall - ahead for _, ahead in self.changes)
        return next((at for at in found if abs(self.wall(at) - wall) < _EXACT), None) if self.changes else wall

    def text(self, days: float) -> str:
        """Write a point in time as finely as it is given."""
        return date_text(self.wall(days))

    def span_texts(self, first: float, last: float) -> tuple[str, str]:
        """Write the ends of a stretch of time, no finer than its length needs."""
        return span_texts(self.wall(first), self.wall(last))

    def ticks(self, first: float, last: float, wanted: int) -> list[tuple[float, str]]:
        """Choose about so many round dates within a stretch of time, each with its label; see `date_ticks`."""
        found = [(self.instant(at), label) for at, label in date_ticks(self.wall(first), self.wall(last), wanted)]
        return [(at, label) for at, label in found if at is not None and first - _EXACT <= at <= last + _EXACT]


UTC_CLOCK: Final = Clock()
_EXACT: Final = 1e-8  # [days], a millisecond
_MOST_SAMPLES: Final = 5000


def clock_of(zone: tzinfo | None, first: float, last: float) -> Clock:
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


def clock_of_column(column: Column) -> Clock:
    """Return how datetimes of a column are written: in its time zone."""
    present = column.values[~column.missing] if column.zone is not None else np.empty(0)
    if not len(present):
        return UTC_CLOCK
    return clock_of(column.native(present[:1])[0].tzinfo, float(present.min()), float(present.max()))


def _ahead(zone: tzinfo, days: float) -> float:
    """Return how far a time zone is ahead of UTC [days]."""
    try:
        return (_date_of(days).astimezone(zone).utcoffset() or timedelta()) / _DAY
    except (OverflowError, ValueError):  # beyond the years that have a calendar
        return 0.0


def date_text(days: float) -> str:
    """Write a point in time as finely as it is given: a day, a minute, a second or less."""
    try:
        date = _date_of(days)
    except (OverflowError, ValueError):
        return "–"
    day = f"{date.year:04d}-{date.month:02d}-{date.day:02d}"
    if date.microsecond:
        return f"{day} {date:%H:%M:%S}.{date.microsecond // 1000:03d}"
    if date.second:
        return f"{day} {date:%H:%M:%S}"
    return f"{day} {date:%H:%M}" if date.hour or date.minute else day


def date_writer(times: ArrayLike) -> Callable[[float], str]:
    """Return how points in time are written that no row has: no finer than their stretch needs."""
    span = float(np.ptp(np.asarray(times, dtype=np.float64)))
    if span <= 10:
        return date_text
    steps = 1 if span > 1000 else 1440
    # What is exact but for its last bits is not written as the moment before.
    return lambda days: date_text(math.floor(days * steps + 1e-6) / steps)


def span_texts(first: float, last: float) -> tuple[str, str]:
    """Write the ends of a stretch of time, no finer than its length needs."""
    span = last - first
    steps = 1 if span > 10 else 1440 if span > 0.01 else 86_400_000
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


def date_ticks(first: float, last: float, wanted: int) -> list[tuple[float, str]]:
    """Choose about so many round dates within a stretch of time [days], each with its label.

    A label says what changed since the tick before; the first one, and each in a new year or day,
    says all. The steps are those of d3-time.
    """
    start, stop = _date_of(first), _date_of(last)
    dates = [date for date in _steps(start, stop, wanted) if start <= date <= stop]
    labels = _labels(dates)
    return [((date - _EPOCH) / _DAY, label) for date, label in zip(dates, labels, strict=True)]


_DAY_SECONDS: Final = 86_400.0
_WEEK: Final = 7 * _DAY_SECONDS
_MONTH: Final = 30 * _DAY_SECONDS
_YEAR: Final = 365 * _DAY_SECONDS
_INTERVALS: Final = (
    *((unit, step) for unit in (1.0, 60.0) for step in (1, 5, 15, 30)),
    *((3600.0, step) for step in (1, 3, 6, 12)),
    (_DAY_SECONDS, 1), (_DAY_SECONDS, 2), (_WEEK, 1), (_MONTH, 1), (_MONTH, 3), (_YEAR, 1),
)  # fmt: skip


def _steps(start: datetime, stop: datetime, wanted: int) -> Iterator[datetime]:
    target = (stop - start).total_seconds() / max(1, wanted)
    unit, step = _interval(target)
    if unit == _YEAR:
        step = max(1, round(nice_step(target / _YEAR, 1)))
        years = range(-(-start.year // step) * step, stop.year + 1, step)
        yield from (datetime(year, 1, 1, tzinfo=UTC) for year in years if year >= 1)
    elif unit == _MONTH:
        months = range(start.year * 12 + start.month - 1, stop.year * 12 + stop.month)
        yield from (datetime(at // 12, at % 12 + 1, 1, tzinfo=UTC) for at in months if at % 12 % step == 0)
    else:
        length = timedelta(seconds=unit * step)
        # Weeks begin on Sundays, the first of which was on 4 January 1970.
        origin = _EPOCH + timedelta(days=3) if unit == _WEEK else _EPOCH
        at = origin + math.ceil((start - origin) / length) * length
        while at <= stop:
            yield at
            at += length


def _interval(target: float) -> tuple[float, int]:
    """Return the interval whose length is nearest in proportion to a target [s]."""
    above = next((place for place, (unit, step) in enumerate(_INTERVALS) if unit * step > target), len(_INTERVALS) - 1)
    (unit, step), (longer, longer_step) = _INTERVALS[max(0, above - 1)], _INTERVALS[above]
    is_nearer_below = target * target < unit * step * longer * longer_step
    return (unit, step) if is_nearer_below else (longer, longer_step)


def _labels(dates: Sequence[datetime]) -> list[str]:
    """Label dates as finely as they differ; what the date before has in common with a date is left out."""
    times = [(date.hour, date.minute, date.second) for date in dates]
    if any(map(any, times)):
        form = "%H:%M:%S" if any(second for *_, second in times) else "%H:%M"
        short, long = [f"{date:{form}}" for date in dates], "{day} {short}"
    elif all(date.day == 1 for date in dates):
        are_years = all(date.month == 1 for date in dates)
        short, long = [_MONTHS[date.month - 1] for date in dates], "{year}" if are_years else "{short} {year}"
    else:
        short, long = [_day_text(date) for date in dates], "{short} {year}"
    within = [date.toordinal() if "day" in long else date.year for date in dates]
    return [
        text if place > 0 and within[place] == within[place - 1]
        else long.format(short=text, day=_day_text(date), year=date.year)
        for place, (text, date) in enumerate(zip(short, dates, strict=True))
    ]  # fmt: skip


def _day_text(date: datetime) -> str:
    return f"{date.day} {_MONTHS[date.month - 1]}"
