"""Text in figures: its width, and how it is shortened to fit."""

from __future__ import annotations

import math
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Final

from ice_explorer.errors.labels import n_shared

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


ELLIPSIS: Final = "…"
_BETWEEN_WORDS: Final = " _-.:/="
_LEAST_HEAD: Final = 0.3  # of the width, for how a text begins whose middle is cut

# Advance widths of Helvetica and Arial in thousandths of an em, by groups of like letters; the rest of the Latin,
# Greek and Cyrillic letters are near the last figure. Whole numbers, so that a sum of them is the same in any order.
_WIDTHS: Final = {
    letter: width
    for letters, width in (
        ("ijl'|", 230),
        (" !,./:;I[]ftˈ·", 280),
        ("()-r{}`", 335),
        ('"*°', 390),
        ("Jcksvxyz", 500),
        ("+<=>~×−→←↑↓±≤≥≈", 584),
        ("FTZ", 611),
        ("&ABEKPSVXY", 667),
        ("CDHNRUw", 722),
        ("GOQ", 778),
        ("Mm", 833),
        ("%", 889),
        ("W", 944),
        ("@—…\N{REPLACEMENT CHARACTER}", 1000),
    )
    for letter in letters
}
_USUAL_WIDTH: Final = 556
_WIDER_CAPITAL: Final = 100
_BOLD: Final = 1.07  # how much wider the bold weight runs


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Width of a text set in Helvetica or its like at `size` px, on the safe side."""
    return _set_width(sum(map(_letter_width, text)), size, bold=bold)


def _set_width(thousandths: int, size: float, *, bold: bool) -> float:
    return thousandths / 1000 * size * (_BOLD if bold else 1.0)


@cache
def _letter_width(letter: str) -> int:
    known = _WIDTHS.get(letter)
    if known is not None:
        return known
    if unicodedata.combining(letter):
        return 0
    return 1000 if unicodedata.east_asian_width(letter) in "WF" else _USUAL_WIDTH + _WIDER_CAPITAL * letter.isupper()


def elide(text: str, width: float, size: float, *, bold: bool = False) -> str:
    """Cut a text that is wider than `width` and end it with "…"; nothing is left of one that never fits.

    No more of the text is measured than fits.
    """
    total, kept = 0, 0  # of all letters so far, and how many may stay before "…"
    with_ellipsis = _letter_width(ELLIPSIS)  # of the letters before the last blanks, and "…"
    for place, letter in enumerate(text):
        total += _letter_width(letter)
        if not letter.isspace():
            with_ellipsis = total + _letter_width(ELLIPSIS)
        if _set_width(with_ellipsis, size, bold=bold) <= width:
            kept = place + 1
        if _set_width(total, size, bold=bold) > width:
            return text[:kept].rstrip() + ELLIPSIS if kept > 0 else ""
    return text if width >= 0 else ""


def elide_apart(texts: Sequence[str], width: float, size: float, bold: Collection[int] = ()) -> list[str]:
    """Cut texts that stand together; of those that would look alike, what they share is cut instead of the end.

    `bold` are the places of those that are bold.
    """
    cut = [elide(text, width, size, bold=bool(bold)) for text in texts]  # with the least room that one has
    alike: dict[str, set[str]] = {}
    for text, shown in zip(texts, cut, strict=True):
        alike.setdefault(shown, set()).add(text)
    start = {shown: _own_part(sorted(others)) if len(others) > 1 else 0 for shown, others in alike.items()}
    return [
        _elide_before(text, start[shown], width, size, bold=place in bold)
        for place, (text, shown) in enumerate(zip(texts, cut, strict=True))
    ]


def _own_part(texts: Sequence[str]) -> int:
    """Return where the word begins in which sorted texts begin to differ."""
    shared = texts[0][: n_shared(texts[0], texts[-1])]
    return max(shared.rfind(letter) + 1 for letter in _BETWEEN_WORDS)


def _elide_before(text: str, start: int, width: float, size: float, *, bold: bool) -> str:
    """Cut a text before the place where it becomes its own, and after it where that is still too wide."""
    tail = text[start:]
    if start == 0 or not tail or _width_within(width, text, size, bold=bold) <= width:
        return elide(text, width, size, bold=bold)
    room = max(_LEAST_HEAD * width, width - _width_within(width, tail, size, bold=bold))
    head = elide(text[:start], room, size, bold=bold) or ELLIPSIS
    return head + elide(tail, width - text_width(head, size, bold=bold), size, bold=bold)


def _width_within(most: float, text: str, size: float, *, bold: bool) -> float:
    """Width of a text that is no wider than `most`, infinite of any other, which is not measured to its end."""
    total = 0
    for letter in text:
        total += _letter_width(letter)
        if _set_width(total, size, bold=bold) > most:
            return math.inf
    return _set_width(total, size, bold=bold)


def wrapped(text: str, width: float, size: float) -> list[str]:
    """Break a text into lines that are no wider than `width`, each of one word at least."""
    lines: list[list[str]] = []
    length = 0  # of the last line [thousandths of an em]
    for word in text.split():
        of_word = sum(map(_letter_width, word))
        longer = length + _letter_width(" ") + of_word
        if lines and _set_width(longer, size, bold=False) <= width:
            lines[-1].append(word)
            length = longer
        else:
            lines.append([word])
            length = of_word
    return [" ".join(words) for words in lines]
