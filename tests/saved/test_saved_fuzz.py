"""A file from anyone: what it says to the letter, or an error of ours; never another exception, and bounded memory."""

import io
import json
import math
import struct
import subprocess
import sys
import tempfile
import tracemalloc
import zipfile
from pathlib import Path
from zoneinfo import available_timezones

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ice_explorer as ice
from ice_explorer.errors import DataError, ICEExplorerError

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
    with tempfile.TemporaryDirectory() as folder:
        return e.save(f"{folder}/result.ice").read_bytes()


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
            if isinstance(member, bytes | str):
                opened.writestr(name, member)
                continue
            with opened.open(name, "w", force_zip64=True) as stream:
                for piece in member:
                    stream.write(piece)
    return file.getvalue()


def read(found):
    """Open it, and use what was opened: an error of ours, or the explanation."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "test.ice"
        file.write_bytes(found)
        try:
            e = ice.load(file)
        except DataError as error:
            return error
    with np.errstate(all="ignore"):
        for use in (
            lambda: e.table(0.5), lambda: [f.curves for f in e.values()], lambda: [f.grid for f in e.values()],
            lambda: [f.observed for f in e.values()], lambda: [f.drivers_summary for f in e.values()],
            lambda: e._table_rows([0]), lambda: [e.effects(name) for name in e.features], lambda: repr(e),
            lambda: [f.likelihood(0.5) for f in e.values()], lambda: e.what_if(0),
            lambda: [f.centered_curves("own") for f in e.values()], e.to_frame, e._repr_html_,
        ):  # fmt: skip
            try:
                use()
            except ICEExplorerError as error:
                return error
    return e


def is_refused(found):
    return isinstance(read(found), DataError)


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


def entry_of(document, path):
    for key in path:
        document = document[key]
    return document


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


@pytest.mark.parametrize("rows", [[12], [0, 3], [3, 3]], ids=["no row", "a row without weight", "twice"])
def test_rows_that_lie_far_are_rows_of_the_metrics(rows):
    """In increasing order."""

    def with_outlying(rows):
        member = io.BytesIO()
        np.save(member, np.array(rows))
        return zipped({**MEMBERS, "features/0/outlying.npy": member.getvalue()})

    assert read(with_outlying([3, 11]))["a"]._outlying.tolist() == [3, 11]
    assert is_refused(with_outlying(rows))


@pytest.mark.parametrize(
    ("name", "shape", "further"),
    [
        ("features/0/curves.npy", (12, 600_000), {}),
        ("features/0/curves.npy", (7_500_000,), {}),
        ("rows/positions.npy", (7_500_000,), {}),
        ("rows/predictions.npy", (7_500_000,), {}),
        ("features/0/sums/curves.npy", (3, 2_500_000), {"further.npy": b""}),
    ],
)
def test_files_are_refused_by_headers_before_an_array_is_read(tmp_path, name, shape, further):
    """Of another shape, or with further members: whatever the arrays take."""
    file = tmp_path / "result.ice"
    file.write_bytes(zipped({**MEMBERS, name: array_of_zeros(*shape), **further}))
    assert memory_of_a_refusal(file) < 5_000_000


def test_a_header_that_takes_more_than_an_array_is_not_read(tmp_path):
    """As later versions of the format of NumPy allow."""
    file = tmp_path / "result.ice"
    header = (b"\x93NUMPY\2\0" + struct.pack("<I", 50 << 20), b" " * (50 << 20))
    file.write_bytes(zipped({**MEMBERS, ARRAYS[0]: header}))
    assert memory_of_a_refusal(file) < 5_000_000


def memory_of_a_refusal(file):
    tracemalloc.start()
    with pytest.raises(DataError):
        ice.load(file)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


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


def array_of_zeros(*shape, n_bytes=None):
    """A member that is an array of zeros, in pieces; it may have fewer bytes than its shape says."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    yield b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    n_bytes = 8 * math.prod(shape) if n_bytes is None else n_bytes
    for start in range(0, n_bytes, 1 << 20):
        yield bytes(min(1 << 20, n_bytes - start))


def changed_manifest(text, *path):
    """The document with an entry of any JSON."""
    changed = json.loads(MEMBERS["manifest.json"])
    inside = changed
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = "@"
    return {**MEMBERS, "manifest.json": json.dumps(changed, separators=(",", ":")).replace('"@"', text)}


def many(entry, n):
    return "[" + ",".join([entry] * n) + "]"


def moments(n, zones):
    return json.dumps([{"timestamp": [at, "s", zones[at % len(zones)]]} for at in range(n)], separators=(",", ":"))


def large_directory():
    """A zip of a million members, and nothing else."""
    entries = b"".join(
        struct.pack("<4s4B4HL2L5H2L", b"PK\1\2", 20, 0, 20, *[0] * 8, 7, *[0] * 6) + b"%07d" % at for at in range(10**6)
    )
    large = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 10**6, 10**6, len(entries), 0)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, len(entries), 1)
    return entries + large + locator + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, *[0xFFFFFFFF] * 2, 0)


CURVES = "features/0/curves.npy"
BOMBS = {
    "a manifest of 64 MB of {}": lambda: zipped({**MEMBERS, "manifest.json": many("{}", (1 << 26) // 3)}),
    "notes of 64 MB of {}": lambda: zipped(changed_manifest(many("{}", (1 << 26) // 3), "notes")),
    "notes of 11 MB of {}": lambda: zipped(changed_manifest(many("{}", 3_700_000), "notes")),
    "notes of 990,000 numbers": lambda: zipped(changed_manifest(many("1.23456789", 990_000), "notes")),
    "notes of 990,000 texts": lambda: zipped(
        changed_manifest(json.dumps([f"{at:x}" for at in range(990_000)], separators=(",", ":")), "notes")
    ),
    "10,000 moments in 5 time zones": lambda: zipped(
        changed_manifest(moments(10_000, sorted(available_timezones())[:5]), "settings", "categorical_features")
    ),
    "10,000 moments in 600 time zones": lambda: zipped(
        changed_manifest(moments(10_000, sorted(available_timezones())), "settings", "categorical_features")
    ),
    "39,000 moments": lambda: zipped(
        changed_manifest(moments(39_000, ["UTC"]).replace("time", "\\u0074ime"), "settings", "categorical_features")
    ),
    "79,000 decimals": lambda: zipped(
        changed_manifest(many('{"decimal":"1.5"}', 79_000), "settings", "categorical_features")
    ),
    "an array of 950 kB that claims 2 GB": lambda: zipped(
        {**MEMBERS, CURVES: array_of_zeros(12, 20_000_000, n_bytes=930_000_000)}
    ),
    "an array of 60 MB": lambda: zipped({**MEMBERS, CURVES: array_of_zeros(12, 600_000)}),
    "an array of 900 MB beside a further member": lambda: zipped(
        {**MEMBERS, CURVES: array_of_zeros(112, 1_000_000), "further.npy": np.random.default_rng(0).bytes(31_000_000)}
    ),
    "rows of 900 MB in a large file": lambda: (
        bytes(31_000_000) + zipped({**MEMBERS, "rows/positions.npy": array_of_zeros(112_000_000)})
    ),
    "rows of 60 MB": lambda: zipped({**MEMBERS, "rows/positions.npy": array_of_zeros(7_500_000)}),
    "200 members of 1 MB": lambda: zipped({**MEMBERS, **{f"{n}.npy": array_of_zeros(131_072) for n in range(200)}}),
    "a million members": large_directory,
}

LOADED = """
import resource, sys, time
import ice_explorer as ice

def largest():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) / 1024

ice.load(sys.argv[1])  # which imports what loading needs
before = largest()
for name in sys.argv[2:]:
    begin = time.process_time()
    try:
        ice.load(name).table()
    except ice.errors.DataError:
        pass
    seconds, size = time.process_time() - begin, largest() - before
    assert seconds < 2, f"{name}: {seconds:.2f} s"
    assert size < 400, f"{name}: {size:.0f} MB"
"""


@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.skipif(sys.platform != "linux", reason="the most memory of a process as Linux tells it")
def test_bombs_take_little_memory_and_time(tmp_path):
    """At most 400 MB and 2 s of the processor for each, whatever it claims."""
    files = [tmp_path / "result.ice", *(tmp_path / f"{name.replace('{}', 'objects')}.ice" for name in BOMBS)]
    for file, make_bomb in zip(files, [lambda: CONTENT, *BOMBS.values()], strict=True):
        file.write_bytes(make_bomb())
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *files], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.stdout, done.stderr) == ("", "")


def test_bombs_are_refused_by_what_members_say_and_hold():
    """Together they may take 64 MB, or 32 times the file."""
    assert is_refused(zipped({**MEMBERS, CURVES: array_of_zeros(12, 800_000)}))
    size = struct.pack("<I", len(MEMBERS[CURVES]))
    lying = CONTENT.replace(size, struct.pack("<I", 8))
    assert lying != CONTENT
    assert is_refused(lying)


@pytest.mark.slow
def test_a_result_that_shrinks_as_much_as_a_bomb_opens(tmp_path):
    """It is not packed: of 3000 curves at 3000 values one is not constant."""
    X = np.column_stack([np.arange(3000.0), np.arange(3000.0)])
    e = ice.explain(lambda X: X[:, 0] * (X[:, 1] == 7), X, features=[0], grid_size=3000, progress=False)
    file = e.save(tmp_path / "result.ice", max_lines=3000)
    assert file.stat().st_size > 70_000_000
    assert ice.load(file).table().equals(e.table())


def test_too_many_labels_are_refused_where_they_are_written(tmp_path):
    """As they would be where they are read."""
    X = pd.DataFrame({"a": np.zeros(60_000)}, index=pd.date_range("2020", periods=60_000, freq="min"))
    e = ice.explain(lambda X: X["a"].to_numpy(), X, progress=False)
    with pytest.raises(DataError, match=r"and 12 MB for names, .* or holds too many dates, .* Save fewer rows"):
        e.save(tmp_path / "dates.ice", max_lines=60_000)
    e.save(tmp_path / "dates.ice")


STRINGS = [path for path in PLACES if isinstance(entry_of(MANIFEST, path), str)]


@pytest.mark.slow
@pytest.mark.parametrize("word", ["word", "", "\ud800", "city", "conditional"])
def test_any_text_in_place_of_a_text(word):
    """Each one opens and is used, or is refused."""
    for path in STRINGS:
        if path[0] != "provenance":
            read(zipped(changed_manifest(json.dumps(word), *path)))


@pytest.mark.parametrize(
    "path", [(), ("rows",), ("settings",), ("features", 0), ("features", 0, "drivers"), ("output",)]
)
def test_further_entries_are_refused(path):
    """Of every object."""
    assert is_refused(zipped(changed_manifest("1", *path, "further")))


def test_a_member_that_occurs_twice_is_refused():
    """Readers differ in which one they take."""
    file = io.BytesIO(CONTENT)
    with zipfile.ZipFile(file, "a") as opened, pytest.warns(UserWarning, match="Duplicate name"):
        opened.writestr(CURVES, MEMBERS[CURVES])
    assert is_refused(file.getvalue())


def test_deep_documents_are_refused():
    """They exhaust the stack of a parser; so are numbers that are none, and huge ones."""
    not_a_number = MEMBERS["manifest.json"].replace(b'"version":1', b'"version":NaN')
    for manifest in (b"[" * 200_000, b'{"version": ' + b"9" * 10_000 + b"}", not_a_number):
        assert is_refused(zipped({**MEMBERS, "manifest.json": manifest}))


def test_a_file_from_the_future_says_so():
    """And what to do, whatever else it has."""
    error = read(zipped(changed_manifest('2,"further":1', "version")))
    assert isinstance(error, DataError)
    assert "of version 1 of the format, or before; " in str(error)
    assert "test.ice' is of version 2. Install" in str(error)


@pytest.mark.parametrize("found", [b"", b"PK\x03\x04", b"no zip", b"\x89PNG\r\n\x1a\n"])
def test_other_files_are_refused(found, tmp_path):
    """With their names."""
    file = tmp_path / "other.ice"
    file.write_bytes(found)
    with pytest.raises(DataError, match=r"other\.ice' is damaged, or none. Save it again."):
        ice.load(file)


@pytest.mark.parametrize(
    "zone", ["../../../etc/localtime", "dateutil//etc/passwd", "Europe", "Nowhere/At_all", "+25:00"]
)
def test_zones_are_no_paths(zone):
    """They are names of the IANA data base."""
    changed = json.loads(MEMBERS["manifest.json"])
    changed["columns"][3]["zone"] = zone
    assert is_refused(zipped({**MEMBERS, "manifest.json": json.dumps(changed)}))
