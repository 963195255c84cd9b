"""What all errors share: their base class, and how values and names are written in a message."""

from __future__ import annotations

import difflib
import math
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Self

_SHOWN = 8  # names listed in a message before "…"
_LETTERS_SHOWN = 200  # of a value: enough to recognise what was passed
_LETTERS_OF_CAUSE = 1000  # of an error of the model, which can hold all of its input


def quoted(value: object) -> str:
    """Write any value for a message: in one line, of 200 letters at most, whatever its repr does."""
    is_long = type(value) in (str, bytes, list, tuple)  # its repr could take seconds
    try:
        text = repr(value[: _LETTERS_SHOWN + 1] if is_long else value)  # type: ignore[index]
    except Exception:  # noqa: BLE001 - raised by the class of a user, or by an int of more than 4300 digits
        text = described(value)
    return _in_one_line(text, _LETTERS_SHOWN)


def described(value: object) -> str:
    """Write the type of a value, or its size, where its repr is not to be shown."""
    if isinstance(value, int):
        return f"an integer of about {int(value.bit_length() * math.log10(2)) + 1:,} digits"
    return f"a value of type {type(value).__name__}"


def _in_one_line(text: str, most: int) -> str:
    """Join the lines of a text, and cut it; halves of a character, which cannot be printed, are escaped."""
    lines = text[: 10 * most].splitlines()
    line = " ".join(filter(None, (line.strip() for line in lines))).encode("utf-8", "backslashreplace").decode()
    return line if len(line) <= most else line[:most] + "…"


def cause_of(error: BaseException) -> str:
    """Write another error for a message: its type and its text in one line, with a full stop."""
    said = _in_one_line(text_of(error) or "", _LETTERS_OF_CAUSE)
    text = f"{type(error).__name__}: {said}" if said else type(error).__name__
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def text_of(value: object) -> str | None:
    """Return the text of a value; None where it has none, as an int of more than 4300 digits."""
    try:
        return str(value)
    except Exception:  # noqa: BLE001 - as in `quoted`
        return None


def listed(names: Iterable[object], most: int = _SHOWN) -> str:
    """Write names for a message, the first few of many."""
    shown = [quoted(name) for name in islice(names, most + 1)]
    return ", ".join(shown[:most]) + (", …" if len(shown) > most else "")


def counted(n: int, noun: str) -> str:
    """Write how many there are of something: "1 feature", "3 features", "1,000 features"."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def or_listed(names: Sequence[object]) -> str:
    """Write choices for a message: "'a', 'b' or 'c'"."""
    shown = [quoted(name) for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """Return a question with the closest known name, or "" where none is close."""
    close = () if name is None else closest(name, known)
    return f" Did you mean {quoted(close[0])}?" if close else ""


def closest(name: object, known: Iterable[object]) -> tuple[object, ...]:
    """Return what a misspelt name may have meant: the closest known one, or none."""
    text = text_of(name)
    if text is None or len(text) > _LETTERS_SHOWN:  # long texts take long to compare
        return ()
    by_text = {other: candidate for candidate in known if (other := text_of(candidate)) is not None}
    lowered = {text.lower(): text for text in by_text}
    close = difflib.get_close_matches(text.lower(), lowered, n=1)
    return tuple(by_text[lowered[text]] for text in close)


class ICEExplorerError(Exception):
    """Base of every error that this package raises on purpose.

    Parameters
    ----------
    facts, advice : str
        What must hold, what came, and where: "`path` must be that of a file; there is none at 'a.svg'."; and what to
        do: "Check its name and its folder."
    """

    def __init__(self, facts: str = "", advice: str = "") -> None:
        super().__init__(f"{facts} {advice}" if advice else facts)
        self.facts = facts

    def advising(self, advice: str) -> Self:
        """Return the same error, of the same cause, with other advice."""
        error = type(self)(self.facts, advice)
        error.__cause__ = self.__cause__
        return error
