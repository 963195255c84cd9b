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

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAY: Final = timedelta(days=1)
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LEAST_OF_A_UNIT: Final = 3


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
    if longest == 0:
        return _UNITS[0]
    return next((unit for unit in _UNITS if longest * unit.per_day >= _LEAST_OF_A_UNIT), _UNITS[-1])


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


def date_ticks(first: float, last: float, wanted: int) -> list[tuple[float, str]]:
    """Choose about so many round dates within a stretch of time [days], each with its label.

    A label says what changed since the tick before; the first one, and each in a new year or day,
    says all. The steps are those of d3-time.
    """
    start, stop = _date_of(first), _date_of(last)
    dates = [date for date in _steps(start, stop, wanted) if start <= date <= stop]
    labels = _labels(dates)
    return [((date - _EPOCH) / _DAY, label) for date, label in zip(dates, labels, strict=True)]


_SECOND: Final = 1.0
_MINUTE: Final = 60.0
_HOUR: Final = 3600.0
_DAY_LONG: Final = 86_400.0
_WEEK: Final = 7 * _DAY_LONG
_MONTH: Final = 30 * _DAY_LONG
_YEAR: Final = 365 * _DAY_LONG
_INTERVALS: Final = (
    *((_SECOND, step) for step in (1, 5, 15, 30)),
    *((_MINUTE, step) for step in (1, 5, 15, 30)),
    *((_HOUR, step) for step in (1, 3, 6, 12)),
    (_DAY_LONG, 1), (_DAY_LONG, 2), (_WEEK, 1), (_MONTH, 1), (_MONTH, 3), (_YEAR, 1),
)  # fmt: skip


def _steps(start: datetime, stop: datetime, wanted: int) -> Iterator[datetime]:
    target = (stop - start).total_seconds() / max(1, wanted)
    unit, step = _interval(target)
    if unit == _YEAR:
        step = max(1, _round_step(target / _YEAR))
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
    lengths = [unit * step for unit, step in _INTERVALS]
    above = next((place for place, length in enumerate(lengths) if length > target), len(lengths))
    if above == 0:
        return _INTERVALS[0]
    if above == len(lengths):
        return _INTERVALS[-1]
    is_nearer_below = target / lengths[above - 1] < lengths[above] / target
    return _INTERVALS[above - 1 if is_nearer_below else above]


def _round_step(rough: float) -> int:
    """Return 1, 2 or 5 · 10^k nearest in proportion."""
    if rough <= 1:
        return 1
    power = 10 ** math.floor(math.log10(rough))
    bounds = ((math.sqrt(2), 1), (math.sqrt(10), 2), (math.sqrt(50), 5))
    return int(next((factor for bound, factor in bounds if rough / power < bound), 10) * power)


def _labels(dates: Sequence[datetime]) -> list[str]:
    has_time = any(date.hour or date.minute or date.second for date in dates)
    short, full = _clock(dates) if has_time else _calendar(dates)
    within = [date.toordinal() if has_time else date.year for date in dates]
    return [
        short(date) if place > 0 and within[place] == within[place - 1] else full(date)
        for place, date in enumerate(dates)
    ]


def _clock(dates: Sequence[datetime]) -> tuple[Callable[[datetime], str], Callable[[datetime], str]]:
    form = "%H:%M:%S" if any(date.second for date in dates) else "%H:%M"
    return (lambda date: f"{date:{form}}"), (lambda date: f"{_day_text(date)} {date:{form}}")


def _calendar(dates: Sequence[datetime]) -> tuple[Callable[[datetime], str], Callable[[datetime], str]]:
    if all(date.month == 1 and date.day == 1 for date in dates):
        return (lambda date: str(date.year)), (lambda date: str(date.year))
    if all(date.day == 1 for date in dates):
        return (lambda date: _MONTHS[date.month - 1]), (lambda date: f"{_MONTHS[date.month - 1]} {date.year}")
    return _day_text, (lambda date: f"{_day_text(date)} {date.year}")


def _day_text(date: datetime) -> str:
    return f"{date.day} {_MONTHS[date.month - 1]}"
