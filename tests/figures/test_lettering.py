"""Texts cut to a width: as the plain definition cuts them, and by measuring no more than fits."""

from __future__ import annotations

import itertools

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


@given(text=TEXTS, width=WIDTHS, size=st.sampled_from([8.6, 9.6, 11.0]), bold=st.booleans())
@example(text="   blanks in front", width=8.0, size=8.6, bold=False)
@example(text="e\N{COMBINING ACUTE ACCENT}" * 20, width=40.0, size=9.6, bold=True)
@example(text="", width=-1.0, size=9.6, bold=False)
def test_a_text_that_is_too_long_is_cut_to_the_most_letters_that_fit(text, width, size, bold):
    """With an ellipsis; nothing is left where not even one letter fits."""
    cut = elide(text, width, size, bold=bold)
    if text_width(text, size, bold=bold) <= width:
        assert cut == text
        return
    kept = len(text)
    while kept > 0 and text_width(text[:kept].rstrip() + ELLIPSIS, size, bold=bold) > width:
        kept -= 1
    assert cut == (text[:kept].rstrip() + ELLIPSIS if kept > 0 else "")


@given(TEXTS, WIDTHS)
def test_a_text_is_broken_into_the_fewest_lines_that_fit(text, width):
    """Words stay whole."""
    lines = wrapped(text, width, 8.6)
    assert " ".join(lines).split() == text.split()
    assert all(text_width(line, 8.6) <= width or len(line.split()) == 1 for line in lines)
    for line, following in itertools.pairwise(lines):
        assert text_width(f"{line} {following.split()[0]}", 8.6) > width


@pytest.mark.parametrize("width", [60, 100, 160])
def test_names_that_share_a_beginning_can_be_told_apart(width):
    """What they share is cut out of their middle, others are cut at their end, and all fit."""
    names = [f"average_daily_consumption_of_{at:02d}_over_the_last_quarter" for at in range(12)]
    others = ["age", "number of rooms on the ground floor and above it"]
    cut = elide_apart([*names, *others], width, 9.6, bold=[3])
    assert len(set(cut)) == len(cut)
    assert all(text_width(text, 9.6, bold=at == 3) <= width for at, text in enumerate(cut))
    assert [text.startswith("a") and f"{at:02d}" in text for at, text in enumerate(cut[:12])] == [True] * 12
    assert cut[12:] == [elide(text, width, 9.6) for text in others]
    assert elide_apart(["mean radius", "mean texture"], 100, 9.6) == ["mean radius", "mean texture"]


def test_no_more_of_long_texts_is_measured_than_fits(monkeypatch):
    """A million letters cost no more than a hundred, nor do names that share a long beginning."""
    measured = []

    def width_of(letter, of=lettering._letter_width):
        measured.append(letter)
        return of(letter)

    monkeypatch.setattr(lettering, "_letter_width", width_of)
    elide("the room was clean and the street is loud " * 25_000, 100, 9.6)
    assert len(measured) < 200
    measured.clear()
    texts = [f"{'the statement that ' * 1000}{at:03d}" for at in range(100)]
    assert len(set(elide_apart(texts, 100, 9.6))) == len(texts)
    assert len(measured) < 300 * len(texts)
    measured.clear()
    assert len(wrapped("word " * 2000, 300, 8.6)) > 100
    assert len(measured) <= 2 * len("word " * 2000)
