"""Faults of files: any path and any value is used, or refused with an error of the package; nothing else is raised."""

import os
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from origins import read_provenance

import ice_explorer as ice
from ice_explorer.errors import ICEExplorerError
from ice_explorer.errors.base import closest, quoted

LONGEST = 700  # of a message: a value of 200 letters, and the words around it


class Mute:
    """An object of a class that fails to write it."""

    def __repr__(self):
        raise RuntimeError("no text")

    __str__ = __repr__


class Halves:
    """An object whose text holds half a character, and lines."""

    def __repr__(self):
        return "one\n\n   two\ud800"


ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**5000, -(10**4999), 10**39, "9" * 5000, "9" * 5000 + "mm", "x" * 2000, "\0", "\ud800"]),
    st.floats(),
    st.text(max_size=20),
    st.text(st.characters(categories=["Cs", "Cc", "Co"]), max_size=5),
    st.binary(max_size=5),
    st.builds(Mute),
    st.builds(Halves),
    st.sampled_from([np.int64(3), np.float32(0.5), np.array([1, 2]), pd.NA, pd.NaT, pd.DataFrame({"a": [1]}), 1j]),
    st.lists(st.sampled_from([10**5000, 0, 1, "a", None, Mute()]), max_size=3),
    st.dictionaries(st.text(max_size=3), st.just(10**5000), max_size=2),
)
OPTIONS = ["what", "max_lines", "width", "dpi", "title", "overwrite"]
NAMES = st.one_of(
    st.text(max_size=30),
    st.text(st.characters(categories=["Cs", "Cc", "P"]), max_size=10),
    st.sampled_from(["x" * 300, "a/" * 3000, "..", ".", "nul", "/dev/null", "/proc/self/mem", "folder", ""]),
)


@pytest.fixture(scope="module")
def explanation():
    X = pd.DataFrame(np.random.default_rng(7).normal(size=(12, 2)), columns=["a", "b"])
    return ice.explain(lambda rows: rows["a"].to_numpy() * rows["b"].to_numpy(), X, progress=False)


@pytest.fixture(scope="module", autouse=True)
def folder():
    """A folder of its own, in which odd names do no harm."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        Path("folder").mkdir()
        yield
        os.chdir(before)


def said(call, *arguments, **options):
    """What an error of the package says, or nothing where there is none."""
    try:
        call(*arguments, **options)
    except ICEExplorerError as error:
        text = str(error)
        assert text.encode()
        assert "\n" not in text
        assert text.endswith((".", "?"))
        return text
    return ""


@pytest.mark.filterwarnings("ignore:Glyph")  # of scripts that no installed font has
@settings(max_examples=150)
@given(st.sampled_from(OPTIONS), ODD, st.sampled_from(["svg", "csv", "json"]))
def test_any_value_of_an_option_of_save_is_used_or_refused_with_a_short_error(explanation, option, value, suffix):
    """Where it is used there is a file that tells its provenance."""
    path = f"file.{suffix}"
    for name in (path, f"{path}.json"):
        Path(name).unlink(missing_ok=True)
    message = said(explanation.save, path, **{option: value})
    assert len(message) <= LONGEST
    assert message or "code" in read_provenance(path)


@settings(max_examples=150)
@given(NAMES, st.sampled_from(["", ".svg", ".csv"]), st.booleans())
def test_any_path_is_written_as_a_file_or_refused_with_a_short_error(explanation, name, suffix, overwrite):
    """Nothing but a file of ours is written, and nothing is left beside it."""
    path = (name if name.startswith(("/dev", "/proc")) else name.lstrip("/")) + suffix
    if Path(path).is_absolute() and suffix:
        path = "folder" + path
    message = said(explanation.save, path, overwrite=overwrite)
    assert len(message) <= LONGEST
    assert message or Path(path).is_file()
    assert len(said(ice.load, path)) <= LONGEST
    assert not any(Path().glob(".ice-explorer-*"))


@given(ODD)
def test_any_value_is_quoted_in_one_short_line_of_an_error(value):
    """In one line of at most 200 letters and the dots, that can be written anywhere; close names are looked for."""
    text = quoted(value)
    assert text.encode()
    assert 0 < len(text) <= 201
    assert len(text.splitlines()) == 1
    assert closest(value, [10**5000, Mute(), "age"]) in ((), ("age",), (10**5000,))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (10**5000, "an integer of about 5,001 digits"),
        (-(10**5000), "an integer of about 5,001 digits"),
        ([10**5000], "a value of type list"),
        (Mute(), "a value of type Mute"),
        (Halves(), "one two\\ud800"),
        ("\ud800", "'\\ud800'"),
        ("x" * 10**8, "'" + "x" * 199 + "…"),
        (list(range(10**6)), str(list(range(100)))[:200] + "…"),
        (np.float64(0.5), "np.float64(0.5)"),
        ("it's", '"it\'s"'),
    ],
    ids=range(10),
)
def test_a_value_in_an_error_can_be_recognised(value, text):
    """As Python writes it, as far as it can and as is useful."""
    assert quoted(value) == text
