"""Natural order of texts: months, weekdays, numbered levels and ranges of numbers."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def _places(*names: str) -> dict[str, int]:
    """Number names, and their first three letters."""
    return {text: at for at, name in enumerate(names) for text in (name, name[:3])}


_MONTHS: Final = _places(
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
) | {"sept": 8}  # fmt: skip
_WEEKDAYS: Final = _places(
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"
) | {"tues": 1, "weds": 2, "thur": 3, "thurs": 3}  # fmt: skip

_NUMBERED: Final = re.compile(r"(?P<before>\D*)(?P<number>\d{1,300})(?P<after>\D*)")
_NUMBER: Final = r"\d+(?:\.\d+)?"
_RANGE: Final = re.compile(rf"(?P<low>{_NUMBER})\s*(?:-|–|to)\s*(?P<high>{_NUMBER})")
_INTERVAL: Final = re.compile(rf"[(\[](?P<low>-?(?:{_NUMBER}|inf)),\s*(?P<high>-?(?:{_NUMBER}|inf))[)\]]")
_BELOW: Final = re.compile(rf"(?:<|≤|<=)\s*(?P<high>{_NUMBER})")
_ABOVE: Final = re.compile(rf"(?:>|≥|>=)\s*(?P<from>{_NUMBER})|(?P<low>{_NUMBER})\s*\+")


def in_natural_order(levels: Sequence[Any]) -> list[str] | None:
    """Return levels in the order that their texts say; None where they say none.

    Months and weekdays count by their English names or abbreviations, whatever their case. Numbered levels are
    texts with one whole number, alike in all else: "level 2", "Q3", "2011". Ranges of numbers must not overlap:
    "10-20", "20-30", "(0, 5]", "<18", "65+".

    Examples
    --------
    >>> in_natural_order(["Mar", "Jan", "Feb"])
    ['Jan', 'Feb', 'Mar']
    >>> in_natural_order(["level 10", "level 9"])
    ['level 9', 'level 10']
    >>> in_natural_order(["65+", "<18", "18-64"])
    ['<18', '18-64', '65+']
    >>> in_natural_order(["Rome", "Oslo"])
    """
    if len(levels) < 2 or not all(isinstance(level, str) for level in levels):
        return None
    texts = [level.strip() for level in levels]
    for places in (_named(texts, _MONTHS), _named(texts, _WEEKDAYS), _numbered(texts)):
        if places is not None and len(set(places)) == len(places):
            return [levels[at] for at in sorted(range(len(levels)), key=places.__getitem__)]
    ranges = _ranges(texts)
    return None if ranges is None else [levels[at] for at in ranges]


def _named(texts: Sequence[str], places: Mapping[str, int]) -> list[int] | None:
    found = [places.get(text.lower().removesuffix(".")) for text in texts]
    known = [place for place in found if place is not None]
    return known if len(known) == len(texts) else None


def _numbered(texts: Sequence[str]) -> list[int] | None:
    matches = [_NUMBERED.fullmatch(text) for text in texts]
    known = [match for match in matches if match is not None]
    if len(known) < len(texts) or len({(match["before"].lower(), match["after"].lower()) for match in known}) > 1:
        return None
    if known[0]["before"].strip() in {"-", "\N{MINUS SIGN}"}:  # a sign would turn the order around
        return None
    return [int(match["number"]) for match in known]


def _ranges(texts: Sequence[str]) -> list[int] | None:
    """Return the places of ranges from the lowest to the highest, None where one overlaps another or is none."""
    ends = [_ends(text) for text in texts]
    known = [pair for pair in ends if pair is not None]
    if len(known) < len(texts) or any(low > high for low, high in known):
        return None
    order = sorted(range(len(known)), key=known.__getitem__)
    overlap = any(known[before][1] > known[after][0] for before, after in pairwise(order))
    return None if overlap else order


def _ends(text: str) -> tuple[float, float] | None:
    for pattern in (_RANGE, _INTERVAL, _BELOW, _ABOVE):
        match = pattern.fullmatch(text)
        if match is not None:
            found = match.groupdict()
            low = found.get("low") or found.get("from")
            high = found.get("high")
            return -math.inf if low is None else float(low), math.inf if high is None else float(high)
    return None
