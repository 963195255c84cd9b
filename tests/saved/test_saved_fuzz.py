"""A file from anyone: what it says to the letter, or an error of ours; never another exception, and bounded memory."""

import io
import json
import struct
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ice_explorer as ice
from ice_explorer.errors import ExportError, ICEExplorerError
from ice_explorer.export.save import result_content
from ice_explorer.saved import archive
from ice_explorer.saved.read import read_result

FEW = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
ODD = (
    None, True, -1, 0, 1, 2**70, 1.5, -1e300, "", "x", "../../etc/passwd", [], [[]], [1], {}, {"tuple": [1]}, {"x": 1}
)  # fmt: skip
ODD_NUMBERS = (np.nan, np.inf, -np.inf, -1.0, 0.0, 1e308, 0.5, 3.0)


def content():
    """A small result with every kind of feature."""
    draw = np.random.default_rng(0)
    n = 12
    X = pd.DataFrame(
        {
            "a": np.where(np.arange(n) == 3, np.nan, draw.normal(size=n)),
            "city": draw.choice(["x", "y"], n),
            "size": pd.Categorical(draw.choice(["S", "M"], n), ["S", "M"], ordered=True),
            "when": pd.date_range("2020-03-29", periods=n, freq="h", tz="Europe/Berlin"),
            "g_1": np.arange(n) % 2,
            "g_2": 1 - np.arange(n) % 2,
            "code": draw.choice([4, 7], n),
        },
        index=[f"row {at}" for at in range(n)],
    )
    e = ice.explain(
        lambda X: X["a"].fillna(9) * X["g_1"] + (X["city"] == "x") * X["code"], X, progress=False,
        groups={"g": ["g_1", "g_2"]}, categorical_features=["code"], sample_weight=np.arange(n),
    )  # fmt: skip
    return result_content(e)


CONTENT = content()


def members():
    """Its members by name."""
    with zipfile.ZipFile(io.BytesIO(CONTENT)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


MEMBERS = members()
MANIFEST = json.loads(MEMBERS["manifest.json"])
ARRAYS = [name for name in MEMBERS if name.endswith(".npy")]


def zipped(changed):
    """A zip of members, with right check sums."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, member in changed.items():
            opened.writestr(name, member)
    return file.getvalue()


def read(found):
    """Open it, and use what was opened: an error of ours, or the explanation."""
    try:
        result = read_result(io.BytesIO(found), "test.ice")
    except ExportError as error:
        return error
    e = result
    with np.errstate(all="ignore"):
        for use in (
            lambda: e.table(0.5, "paper"), lambda: [f.curves for f in e.values()], lambda: [f.grid for f in e.values()],
            lambda: [f.observed for f in e.values()], lambda: [f.drivers_summary for f in e.values()],
            lambda: e._table_rows([0]), lambda: [e.effects(name) for name in e.features], lambda: repr(e),
            lambda: [f.likelihood(0.5) for f in e.values()], lambda: e.what_if(0),
            lambda: [f.centered_curves("own") for f in e.values()],
        ):  # fmt: skip
            try:
                use()
            except ICEExplorerError as error:
                return error
    return e


def is_refused(found):
    return isinstance(read(found), ExportError)


def test_the_file_itself_is_right():
    """Else the others would find nothing."""
    e = read(CONTENT)
    assert isinstance(e, ice.Explanation)
    assert e.features == ["a", "city", "size", "when", "g", "code"]
    assert isinstance(read(zipped(MEMBERS)), ice.Explanation)


@pytest.mark.slow
@FEW
@given(st.data())
def test_flipped_bytes(data):
    """Sums of members find them; elsewhere they change nothing that is read."""
    damaged = bytearray(CONTENT)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= data.draw(st.integers(1, 255))
    found = read(bytes(damaged))
    if not isinstance(found, ICEExplorerError):
        pd.testing.assert_frame_equal(found.table(), read(CONTENT).table())


@pytest.mark.slow
@FEW
@given(st.integers(0, len(CONTENT) - 1))
def test_files_that_are_cut(end):
    """At any byte."""
    assert is_refused(CONTENT[:end])


@pytest.mark.slow
@FEW
@given(st.sampled_from(ARRAYS), st.binary(max_size=200))
def test_members_of_anything(name, member):
    """In place of an array."""
    assert is_refused(zipped({**MEMBERS, name: member}))


@pytest.mark.slow
@FEW
@given(st.data())
def test_arrays_of_other_shapes_types_and_numbers(data):
    """With headers that are right."""
    name = data.draw(st.sampled_from(ARRAYS))
    array = np.load(io.BytesIO(MEMBERS[name]))
    change = data.draw(st.sampled_from(["value", "shape", "dtype", "cut", "fortran"]))
    if change == "value" and array.size:
        array = array.copy()
        at = data.draw(st.integers(0, array.size - 1))
        with np.errstate(invalid="ignore"):
            array.flat[at] = np.array(data.draw(st.sampled_from(ODD_NUMBERS))).astype(array.dtype)
    elif change == "shape":
        array = array[None] if data.draw(st.booleans()) else array.ravel()[:, None]
    elif change == "dtype":
        with np.errstate(invalid="ignore"):
            array = array.astype(data.draw(st.sampled_from(["f4", "i8", "u8", "c16", ">f8", "S3", "f8"])))
    elif change == "cut":
        array = array[: data.draw(st.integers(0, len(array)))]
    else:
        array = np.asfortranarray(np.ones((3, 2)))
    member = io.BytesIO()
    np.save(member, array)
    read(zipped({**MEMBERS, name: member.getvalue()}))


def places(value, path=()):
    """Paths to all entries of a document."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        yield (*path, key)
        yield from places(entry, (*path, key))


PLACES = list(places(MANIFEST))


ANYTHING = st.sampled_from(ODD) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=5), inside, max_size=3),
    max_leaves=5,
)


@pytest.mark.slow
@FEW
@given(st.sampled_from(PLACES), st.none() | ANYTHING.map(lambda value: [value]))
def test_entries_of_anything_and_entries_that_are_missing(path, changed_to):
    """In place of any entry of the manifest."""
    changed = json.loads(MEMBERS["manifest.json"])
    inside = changed
    for key in path[:-1]:
        inside = inside[key]
    if changed_to is None:
        del inside[path[-1]]
    else:
        inside[path[-1]] = changed_to[0]
    read(zipped({**MEMBERS, "manifest.json": json.dumps(changed)}))


@pytest.mark.parametrize("name", ["../a.npy", "/etc/a.npy", "features/0/further.npy", "a.py", "rows/positions.npy/"])
def test_further_members_are_refused(name):
    """Whatever they are called; nothing is ever unpacked into a folder."""
    assert is_refused(zipped({**MEMBERS, name: MEMBERS[ARRAYS[0]]}))


def test_pickled_arrays_are_refused():
    """Before anything is unpickled."""
    member = io.BytesIO()
    np.save(member, np.array([{}, []], dtype=object), allow_pickle=True)
    assert is_refused(zipped({**MEMBERS, ARRAYS[0]: member.getvalue()}))


@pytest.mark.parametrize("shape", [(1 << 60,), (1 << 40, 1 << 40), (-1,), (1 << 62, 0, 5), (0,) * 40])
def test_huge_declared_shapes_take_no_memory(shape):
    """A header alone makes no array."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    member = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(16)
    assert is_refused(zipped({**MEMBERS, ARRAYS[0]: member}))


def test_bombs_are_refused(monkeypatch):
    """By what the members say that they hold, and by what they hold."""
    assert is_refused(zipped({**MEMBERS, "manifest.json": b" " * (archive._MOST_MANIFEST + 1)}))
    monkeypatch.setattr(archive, "_MOST_BYTES", 1 << 20)
    assert is_refused(zipped({**MEMBERS, ARRAYS[0]: bytes(1 << 21)}))
    lying = bytearray(zipped({**MEMBERS, ARRAYS[0]: bytes(1 << 21)}))
    size = struct.pack("<I", 1 << 21)
    while size in lying:
        at = lying.index(size)
        lying[at : at + 4] = struct.pack("<I", 8)
    assert is_refused(bytes(lying))
    with pytest.raises(ExportError, match=r"at most 0\.0 GB of memory; this one takes"):
        archive.packed({}, {"a": np.zeros(1 << 18)})


def test_deep_documents_are_refused():
    """They exhaust the stack of a parser; so are numbers that are none, and huge ones."""
    not_a_number = MEMBERS["manifest.json"].replace(b'"version":1', b'"version":NaN')
    for manifest in (b"[" * 200_000, b'{"version": ' + b"9" * 10_000 + b"}", not_a_number):
        assert is_refused(zipped({**MEMBERS, "manifest.json": manifest}))


def test_a_file_from_the_future_says_so():
    """And what to do."""
    later = zipped({**MEMBERS, "manifest.json": json.dumps({**MANIFEST, "version": 2})})
    with pytest.raises(
        ExportError, match=r"of version 1 of the format, or before; 'test\.ice' is of version 2. Install"
    ):
        read_result(io.BytesIO(later), "test.ice")


@pytest.mark.parametrize("found", [b"", b"PK\x03\x04", b"no zip", b"\x89PNG\r\n\x1a\n"])
def test_other_files_are_refused(found, tmp_path):
    """With their names."""
    file = tmp_path / "other.ice"
    file.write_bytes(found)
    with pytest.raises(ExportError, match=r"other\.ice' is damaged, or none. Save it again."):
        ice.load(file)


@pytest.mark.parametrize(
    "zone", ["../../../etc/localtime", "dateutil//etc/passwd", "Europe", "Nowhere/At_all", "+25:00"]
)
def test_zones_are_no_paths(zone):
    """They are names of the IANA data base."""
    changed = json.loads(MEMBERS["manifest.json"])
    changed["columns"][3]["zone"] = zone
    assert is_refused(zipped({**MEMBERS, "manifest.json": json.dumps(changed)}))
