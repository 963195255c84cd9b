"""Texts cut to a width: as the plain definition cuts them, and by measuring no more than fits."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ice_explorer.figures.page import lettering
from ice_explorer.figures.page.lettering import ELLIPSIS, elide, elide_apart, text_width, wrapped

LETTERS = st.one_of(
    st.sampled_from("il Wm  \t\N{NO-BREAK SPACE}_-.:/=é体\N{COMBINING ACUTE ACCENT}\N{ZERO WIDTH JOINER}👩🔬İß…"),
    st.characters(),
)
TEXTS = st.text(LETTERS, max_size=40)
WIDTHS = st.one_of(st.floats(-5, 300), st.integers(0, 40).map(lambda n: n * 0.28 * 9.6), st.just(float("inf")))


def plainly_elided(text, width, size, *, bold=False):
    """Cut letter by letter, measuring all of it each time: the definition of `elide`."""
    if text_width(text, size, bold=bold) <= width:
        return text
    kept = len(text)
    while kept > 0 and text_width(text[:kept].rstrip() + ELLIPSIS, size, bold=bold) > width:
        kept -= 1
    return text[:kept].rstrip() + ELLIPSIS if kept > 0 else ""


def plainly_elided_apart(texts, width, size, bold=()):
    """Cut texts that stand together, each by itself: the definition of `elide_apart`."""
    cut = [plainly_elided(text, width, size, bold=bool(bold)) for text in texts]
    found = []
    for place, (text, shown) in enumerate(zip(texts, cut, strict=True)):
        others = {other for other, its in zip(texts, cut, strict=True) if its == shown}
        first, last = min(others), max(others)
        n_shared = next(
            (at for at, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first)
        )
        start = max(first.rfind(letter, 0, n_shared) + 1 for letter in " _-.:/=") if len(others) > 1 else 0
        is_bold, tail = place in bold, text[start:]
        if start == 0 or not tail or text_width(text, size, bold=is_bold) <= width:
            found.append(plainly_elided(text, width, size, bold=is_bold))
            continue
        room = max(0.3 * width, width - text_width(tail, size, bold=is_bold))
        head = plainly_elided(text[:start], room, size, bold=is_bold) or ELLIPSIS
        found.append(head + plainly_elided(tail, width - text_width(head, size, bold=is_bold), size, bold=is_bold))
    return found


def plainly_wrapped(text, width, size):
    """Add words while the line fits, measuring all of it each time: the definition of `wrapped`."""
    lines = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


@given(text=TEXTS, width=WIDTHS, size=st.sampled_from([8.6, 9.6, 11.0]), bold=st.booleans())
@example(text="   blanks in front", width=8.0, size=8.6, bold=False)
@example(text="blanks behind   ", width=50.0, size=8.6, bold=False)
@example(text="e\N{COMBINING ACUTE ACCENT}" * 20, width=40.0, size=9.6, bold=True)
@example(text="体重と身長", width=30.0, size=9.6, bold=False)
@example(text="", width=-1.0, size=9.6, bold=False)
def test_a_text_is_cut_as_its_definition_cuts_it(text, width, size, bold):
    """Whatever the letters, their blanks, the width and the weight."""
    assert elide(text, width, size, bold=bold) == plainly_elided(text, width, size, bold=bold)


@given(
    st.lists(st.builds(str.__add__, st.sampled_from(["", "the mean of all ", "a_b_"]), TEXTS), max_size=6),
    st.floats(0, 200),
    st.sets(st.integers(0, 5), max_size=2),
)
def test_texts_are_told_apart_as_the_definition_does(texts, width, bold):
    """Also where several begin alike, and some are bold."""
    assert elide_apart(texts, width, 9.6, bold) == plainly_elided_apart(texts, width, 9.6, bold)


@given(TEXTS, WIDTHS)
def test_a_text_is_broken_as_its_definition_breaks_it(text, width):
    """Words stay whole, and lines are as long as they may be."""
    assert wrapped(text, width, 8.6) == plainly_wrapped(text, width, 8.6)


@pytest.fixture
def measured(monkeypatch):
    """Every letter that was measured."""
    letters = []

    def width_of(letter, of=lettering._letter_width):
        letters.append(letter)
        return of(letter)

    monkeypatch.setattr(lettering, "_letter_width", width_of)
    return letters


def test_no_more_of_a_text_is_measured_than_fits(measured):
    """A text of a million letters costs no more than one of a hundred."""
    text = "the room was clean and the street is loud " * 25_000
    assert elide(text, 100, 9.6) == plainly_elided(text[:200], 100, 9.6)
    measured.clear()
    elide(text, 100, 9.6)
    assert len(measured) < 200


def test_texts_that_share_a_long_beginning_are_measured_where_they_differ(measured):
    """What they share is not measured to its end for each of them."""
    texts = [f"{'the statement that ' * 1000}{at:03d}" for at in range(100)]
    cut = elide_apart(texts, 100, 9.6)
    assert len(set(cut)) == len(texts)
    assert len(measured) < 300 * len(texts)


def test_a_text_of_many_words_is_measured_once(measured):
    """Every letter, and the blank before each word."""
    text = "word " * 2000
    assert len(wrapped(text, 300, 8.6)) > 100
    assert len(measured) <= 2 * len(text)
