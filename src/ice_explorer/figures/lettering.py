"""Numbers and words as a figure prints them: ticks, widths, and what is cut to fit."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.labels import n_shared

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

ELLIPSIS: Final = "…"
_SEPARATED_FROM: Final = 10_000
_ROUNDING: Final = 1e-12  # a smaller part of the largest figure is the rounding of sums
_BETWEEN_WORDS: Final = " _-.:/="
_LEAST_HEAD: Final = 0.3  # of the width, for how a text begins whose middle is cut
MINUS: Final = "\N{MINUS SIGN}"

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

    Parameters
    ----------
    texts : sequence of str
    width, size : float
        As for `elide`.
    bold : collection of int
        Places of those that are bold.
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


@dataclass(frozen=True)
class Tick:
    """A place on an axis and what stands there."""

    value: float
    label: str


def nice_step(span: float, wanted: int) -> float:
    """Return the step of 1, 2 or 5 · 10^k that cuts `span` into about `wanted` parts; 0 where that is no number."""
    rough = span / max(1, wanted)
    if rough == 0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(rough))
    # Half way, in proportion, between one candidate and the next.
    bounds = ((math.sqrt(2), 1), (math.sqrt(10), 2), (math.sqrt(50), 5))
    return next((factor for bound, factor in bounds if rough / power < bound), 10) * power


def ticks(low: float, high: float, wanted: int, *, whole: bool = False, separator: str = ",") -> list[Tick]:
    """Choose round values within [low, high], labelled alike.

    Parameters
    ----------
    low, high : float
        Ends of the axis.
    wanted : int
        Into about how many steps the axis is cut.
    whole : bool
        The axis has whole numbers only.
    separator : str
        Of thousands.

    Returns
    -------
    list of Tick
        Increasing. Empty where the axis has no length.
    """
    if not (math.isfinite(low) and math.isfinite(high) and high > low):
        return []
    step = nice_step(high - low, wanted)
    if step == 0:  # so short an axis that its parts are no numbers
        return []
    if whole:
        step = max(1.0, step)
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
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    step = 10.0 ** (math.floor(math.log10(largest)) - 2) if largest > 0 else 1.0
    write = number_format(largest, step, most=1e6, most_decimals=6)
    return lambda value: write(value) if math.isfinite(value) else "–"


def figure_format(values: Sequence[float]) -> Callable[[float], str]:
    """Return the same for figures that are not negative: "< 0.001" in place of zeros only, and "0" for nothing."""
    write = column_format(values)
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    zeros = write(0.0)
    least = f"< {zeros[:-1]}1"

    def text(value: float) -> str:
        if abs(value) <= _ROUNDING * largest:
            return "0"
        written = write(value)
        return least if written == zeros else written

    return text


def is_nothing(text: str) -> bool:
    """Tell whether a figure in this format rounds to 0."""
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


def plural(count: int, noun: str) -> str:
    """Write how many there are of something."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _typeset(text: str) -> str:
    """Write a proper minus, and an exponent as a reader would: 2.5e+06 as 2.5e6."""
    mantissa, exponent, power = text.partition("e")
    if exponent:
        if "." in mantissa:
            mantissa = mantissa.rstrip("0").rstrip(".")
        text = f"{mantissa}e{int(power)}"
    return text.replace("-", MINUS)
