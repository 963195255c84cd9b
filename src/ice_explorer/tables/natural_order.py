"""Sort levels that no dtype declares: months, weekdays, numbered levels and ranges as they count, others by text."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    Place = tuple[object, float, float]  # what kind of text it is, and the ends of its range

_MONTHS: Final = "january february march april may june july august september october november december"
_WEEKDAYS: Final = "monday tuesday wednesday thursday friday saturday sunday"
_NAMES: Final = {
    text: (names, place, place)
    for names in (_MONTHS, _WEEKDAYS)
    for place, name in enumerate(names.split())
    for text in (name, name[:3], *{"september": ["sept"], "tuesday": ["tues"], "thursday": ["thurs"]}.get(name, []))
}
_NUMBERED: Final = re.compile(r"(?P<before>\D*)(?P<number>\d{1,300})(?P<after>\D*)")
_NUMBER: Final = r"\d+(?:\.\d+)?"
_RANGES: Final = (
    re.compile(rf"(?P<low>{_NUMBER})\s*(?:-|–|to)\s*(?P<high>{_NUMBER})"),
    re.compile(rf"[(\[](?P<low>-?(?:{_NUMBER}|inf)),\s*(?P<high>-?(?:{_NUMBER}|inf))[)\]]"),
    re.compile(rf"(?:<|≤|<=)\s*(?P<high>{_NUMBER})"),
    re.compile(rf"(?:>|≥|>=)\s*(?P<low>{_NUMBER})|(?P<least>{_NUMBER})\s*\+"),
)


def sort_levels(levels: Sequence[Any]) -> list[Any]:
    """Sort levels in natural order where they have one, else by text, those of equal text by type.

    So the order of rows matters to no figure.
    """
    return in_natural_order(levels) or sorted(levels, key=lambda level: (str(level), type(level).__name__))


def in_natural_order(levels: Sequence[Any]) -> list[str] | None:
    """Return levels in the natural order of their texts; None where they have none.

    Months and weekdays count by their English names or abbreviations, whatever their case. Numbered levels are
    texts with one whole number, alike in all else: "level 2", "Q3", "2011". Ranges of numbers must not overlap:
    "10-20", "20-30", "(0, 5]", "<18", "65+".

    Examples
    --------
    >>> in_natural_order(["Mar", "Jan", "Feb"])
    ['Jan', 'Feb', 'Mar']
    >>> in_natural_order(["65+", "<18", "18-64"])
    ['<18', '18-64', '65+']
    >>> in_natural_order(["Rome", "Oslo"])
    """
    if len(levels) < 2 or not all(isinstance(level, str) for level in levels):
        return None
    for read in (lambda text: _NAMES.get(text.lower().removesuffix(".")), _numbered, _range):
        places: list[Place] = [place for level in levels if (place := read(level.strip())) is not None]
        if len(places) < len(levels) or len({kind for kind, *_ in places}) > 1:
            continue
        order = sorted(range(len(levels)), key=lambda index: places[index][1:])
        ranges = [places[index][1:] for index in order]
        if len(set(ranges)) == len(ranges) and all(before[1] <= after[0] for before, after in pairwise(ranges)):
            return [levels[index] for index in order]
    return None


def _numbered(text: str) -> Place | None:
    match = _NUMBERED.fullmatch(text)
    if match is None or match["before"].strip() in {"-", "\N{MINUS SIGN}"}:  # a sign would reverse the order
        return None
    number = int(match["number"])
    return (match["before"].lower(), match["after"].lower()), number, number


def _range(text: str) -> Place | None:
    match = next((match for pattern in _RANGES if (match := pattern.fullmatch(text))), None)
    if match is None:
        return None
    ends = {name: float(end) for name, end in match.groupdict().items() if end is not None}
    low, high = ends.get("low", ends.get("least", -math.inf)), ends.get("high", math.inf)
    return ("range", low, high) if low <= high else None
