"""Names and levels as people read them: visible, no longer than a tooltip holds, and distinct where they differ.

A **name** is what X has, and what tables and data files keep. Its **label** is on every screen and picture, and in
notes and messages between kernel and browser.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

MOST_LETTERS: Final = 200


def clipped(text: str) -> str:
    """Return a text of at most 200 letters, the last one "…" where it had more."""
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1].rstrip() + "…"


def readable(name: object, label: str) -> object:
    """Return a name for a message, or its label where that is not the name as it is."""
    return name if str(name) == label else label


def shortened(texts: Sequence[str]) -> list[str]:
    """Clip texts; those that would be alike are numbered, so that distinct ones stay distinct."""
    return _tell_apart(texts, clipped)


def labels_of(names: Iterable[object]) -> list[str]:
    """Return the labels of names that differ as texts: clipped, with single blanks, and numbered where alike.

    Examples
    --------
    >>> labels_of(["age", "", " ", "age "])
    ['age', '(no name)', '(no name) (2)', 'age (2)']
    """

    def label(text: str) -> str:
        seen = text if text.isprintable() else "".join(letter if letter.isprintable() else " " for letter in text)
        return clipped(" ".join(seen.split())) or "(no name)"

    return _tell_apart([str(name) for name in names], label)


def _tell_apart(texts: Sequence[str], write: Callable[[str], str]) -> list[str]:
    """Write texts, and number what would be shown for several, or is another text already."""
    shown = {text: write(text) for text in texts}
    taken = {text for text, written in shown.items() if text == written}
    last: dict[str, int] = {}
    for text, written in shown.items():
        free = written
        while text != written and free in taken:
            last[written] = last.get(written, 1) + 1
            number = f" ({last[written]})"
            free = written[: MOST_LETTERS - len(number)] + number
        taken.add(free)
        shown[text] = free
    return [shown[text] for text in texts]
