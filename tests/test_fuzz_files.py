"""Damaged files, and files that are made to grow: `provenance` tells the truth, or raises an error of ours."""

from __future__ import annotations

import struct
import tracemalloc
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ice_explorer as ice
from ice_explorer import errors

FORMATS = ("svg", "png", "pdf", "html", "csv.json", "parquet", "json", "ice")


@pytest.fixture(scope="module", name="saved")
def files(tmp_path_factory):
    """What each file holds, and what it says of itself."""
    folder = tmp_path_factory.mktemp("saved")
    X = np.random.default_rng(0).normal(size=(24, 2))
    explanation = ice.explain(lambda rows: rows[:, 0] * rows[:, 1], X, features=["x0"], progress=False)
    paths = {
        name: explanation.save(folder / f"x.{name}", "view" if name in ("html", "ice") else "panel")
        for name in FORMATS
        if name != "csv.json"
    }
    paths["csv.json"] = explanation.save(folder / "x.csv", "panel").with_name("x.csv.json")
    return {name: (path.read_bytes(), ice.provenance(path)) for name, path in paths.items()}


PIECES = [
    b"\0", b"<", b">", b'"', b"{" * 3000, b"[" * 3000, b"(", b"\\", b"\n", b"1" * 5000, b"\xff\xfe", b"&lol;", b"NaN",
    b"/ice-explorer (", b"\x7f\xff\xff\xff", b"<!DOCTYPE x [<!ENTITY a '1'>]>",
    b'"weighting": [], "convention": {}, "rank_by": [], "code"', b'"weighting": 1, "code"',
    b'"weighting": "mass", "code": "' + b"-" * 3000 + b'1", "page"',
]  # fmt: skip
# What becomes of a file: its bytes, those of another one, a place and a piece -> what is left.
DAMAGES = {
    "cut": lambda content, _other, place, _piece: content[:place],
    "flip": lambda content, _other, place, piece: (
        content[:place]
        + bytes(one ^ two for one, two in zip(content[place:], piece, strict=False))
        + content[place + len(piece) :]
    ),
    "insert": lambda content, _other, place, piece: content[:place] + piece + content[place:],
    "remove": lambda content, _other, place, piece: content[:place] + content[place + len(piece) :],
    "join": lambda content, other, place, _piece: content[:place] + other[place % len(other) :],
    "rename": lambda content, _other, _place, piece: content.replace(b'"code"', piece),
    "repeat": lambda content, _other, place, _piece: content[:place] + content[max(0, place - 2000) : place] * 20,
}
DAMAGE = st.tuples(
    st.sampled_from(sorted(DAMAGES)), st.floats(0, 1), st.binary(min_size=1, max_size=16) | st.sampled_from(PIECES)
)


@pytest.mark.fuzz
@pytest.mark.wide
@settings(max_examples=max(75, settings().max_examples * 3 // 4))
@given(st.sampled_from(FORMATS), st.sampled_from(FORMATS), st.lists(DAMAGE, min_size=1, max_size=3))
def test_provenance_of_a_damaged_file_is_correct_or_an_error(saved, tmp_path_factory, name, other, damages):
    """Of one that was cut it is what it was before, or an error."""
    content, truth = saved[name]
    for how, at, piece in damages:
        content = DAMAGES[how](content, saved[other][0], int(at * len(content)), piece)
    path = tmp_path_factory.getbasetemp() / f"damaged.{name}"
    path.write_bytes(content)
    try:
        found = ice.provenance(path)
    except errors.ExportError:
        found = None
    assert found is None or found.keys() & {"code", "page"}
    if {how for how, _, _ in damages} == {"cut"}:
        assert found in (None, truth)


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


LAUGHS = "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 20}'>" for n in range(1, 12))
BOMBS = {
    "svg": f"<?xml version='1.0'?><!DOCTYPE svg [<!ENTITY l0 'ha'>{LAUGHS}]><svg>&l11;</svg>".encode(),
    "deep.svg": b"<svg>" * 100_000,
    "png": b"\x89PNG\r\n\x1a\n" + chunk(b"zTXt", b"ice-explorer\0\0" + zlib.compress(bytes(50_000_000))),
    "long.png": b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 2**32 - 1) + b"tEXtice-explorer\0" + b"[" * 1000,
    "pdf": b"%PDF-1.4\n/ice-explorer (" + b"a" * 4_000_000,
    "csv.json": b'{"code": ' + b"[" * 100_000,
    "json": b'{"provenance": ' + b'{"code":' * 100_000,
    "html": b"<!doctype html>" + b'<script type="application/json" id="ice-provenance">' * 20_000,
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_file_that_expands_to_a_huge_size_when_read_is_an_error_with_bounded_memory(tmp_path, name):
    """Nothing in it is unpacked, and what is nested is not followed without end: 100 MB are enough."""
    path = tmp_path / name
    path.write_bytes(BOMBS[name])
    tracemalloc.start()
    with pytest.raises(errors.ExportError):
        ice.provenance(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100e6
