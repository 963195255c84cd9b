"""Names and levels as people read them: visible, no longer than a tooltip holds, and distinct where they differ.

A **name** is what X has, and what tables and data files keep. Its **label** is on every screen and picture, and in
notes and messages between kernel and browser.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

MOST_LETTERS: Final = 200
NO_NAME: Final = "(no name)"

_ELLIPSIS: Final = "…"
_HEAD: Final = 60  # letters that stay of a beginning that several long texts share
_SHARED: Final = 20  # letters before the place where they begin to differ
_MARKS: Final = {" ": "␣", "\t": "⇥", "\n": "↵", "\r": "↵"}
_UNSEEN_BLANKS: Final = re.compile(r"^\s+|\s+$|\s{2,}|[^\S ]")  # all but one between two words


def clipped(text: str) -> str:
    """Return a text of at most 200 letters, the last one "…" where it had more."""
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1].rstrip() + _ELLIPSIS


def readable(name: object, label: str) -> object:
    """Return a name for a message, or its label where that is not the name as it is."""
    return name if str(name) == label else label


def shortened(texts: Sequence[str]) -> list[str]:
    """Clip texts so that those that are distinct stay so: by what they differ in, or else by a number.

    Examples
    --------
    >>> shortened(["good", "good"])
    ['good', 'good']
    >>> [len(text) for text in shortened(["good", "g" * 1000])]
    [4, 200]
    """
    long = [text for text in dict.fromkeys(texts) if len(text) > MOST_LETTERS]
    if not long:
        return list(texts)
    alike: dict[str, list[str]] = {}
    for text in long:
        alike.setdefault(clipped(text), []).append(text)
    shared = {cut: n_shared(min(group), max(group)) for cut, group in alike.items()}
    wanted = {
        text: cut if len(group) == 1 else _by_difference(text, shared[cut])
        for cut, group in alike.items()
        for text in group
    }
    shown = _told_apart(wanted, {text for text in texts if len(text) <= MOST_LETTERS})
    return [shown.get(text, text) for text in texts]


def n_shared(first: str, second: str) -> int:
    """Count the letters that two texts have in common in front."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(first), len(second)))


def labels_of(names: Iterable[object]) -> list[str]:
    """Return the labels of names that differ as texts.

    A label is the name as text, clipped. "" is "(no name)"; blanks have marks where there is nothing else to see, or
    where they are all that tells one name from another.

    Examples
    --------
    >>> labels_of(["age", "", " ", "age "])
    ['age', '(no name)', '␣', 'age␣']
    >>> labels_of(["(no name)", ""])
    ['(no name)', '(no name) (2)']
    """
    texts = [str(name) for name in names]
    seen = {text: " ".join(text.split()) for text in texts}
    times = Counter(seen.values())
    wanted = {
        text: _visible(text) for text in texts if not _is_seen(text) or (text != seen[text] and times[seen[text]] > 1)
    }
    shown = _told_apart(wanted, texts)
    return shortened([shown.get(text, text) for text in texts])


def _by_difference(text: str, n_shared: int) -> str:
    """Clip a text in the middle of what it shares with others, so that the rest of it shows."""
    start = max(n_shared - _SHARED, _HEAD)
    head = text[:_HEAD].rstrip() + _ELLIPSIS
    return clipped(head + text[start:])


def _told_apart(wanted: Mapping[str, str], taken: Collection[str]) -> dict[str, str]:
    """Number what would be shown for several texts, or is shown for another one already."""
    gone, last = set(taken), dict[str, int]()
    shown = {}
    for text, label in wanted.items():
        free = label
        while free in gone:
            last[label] = last.get(label, 1) + 1
            number = f" ({last[label]})"
            free = label[: MOST_LETTERS - len(number)] + number
        gone.add(free)
        shown[text] = free
    return shown


def _is_seen(text: str) -> bool:
    """Whether a text has a letter to see: neither a blank nor one that is not drawn."""
    return any(letter.isprintable() and not letter.isspace() for letter in text)


def _visible(text: str) -> str:
    """Write what would not be seen: blanks as marks, and where there is no other letter, all of them or as codes."""
    if text == "":
        return NO_NAME
    return _UNSEEN_BLANKS.sub(_marked, text) if _is_seen(text) else "".join(map(_mark, text))


def _marked(blanks: re.Match[str]) -> str:
    return "".join(map(_mark, blanks[0]))


def _mark(letter: str) -> str:
    return _MARKS.get(letter) or letter.encode("unicode_escape").decode()
