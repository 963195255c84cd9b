"""Names of files: in letters of every system, and never longer than one takes."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ice_explorer.export.files import plain_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("ice bmi ice", "ice-bmi-ice"),
        ("ice body mass index c-ice", "ice-body-mass-index-c-ice"),
        ("ice ../Größe\\<x>: d-ice", "ice-Größe-x-d-ice"),
        ("ice  ice", "ice-ice"),
        ("", "feature"),
        (" \t", "feature"),
        ("ice " + "f" * 300, "ice-" + "f" * 76),
        ("Con", "feature-Con"),
        ("nul", "feature-nul"),
        ("COM1", "feature-COM1"),
        ("lpt²", "feature-lpt²"),
        ("console", "console"),
        ("e\u0301te\u0301", "été"),
    ],
)
def test_a_file_is_named_after_a_text(text, name):
    """No name makes a path, or a file that some system cannot have."""
    assert plain_name(text) == name


@given(st.text() | st.text("漢𠀀ü", min_size=60, max_size=200))
def test_every_name_is_one_that_systems_have(text):
    """It fits with a number and a suffix, has both forms of a letter as one, and is made of letters alone."""
    name = plain_name(text)
    assert 0 < len(name.encode()) <= 208
    assert unicodedata.is_normalized("NFC", name)
    assert not set(name) & set('/\\<>:"|?*.\0\n')
