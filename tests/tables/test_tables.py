"""Columns on their axes, and phantoms in the container of X, whatever that is."""

# ruff: noqa: DTZ001 - most tables hold moments without a zone

import datetime as dt
import sys
from decimal import Decimal
from types import ModuleType

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.linear_model import Ridge
from strategies import tables

import ice_explorer as ice
from ice_explorer.tables.table import copy_data, table_from

# Tables of any kind in any container --------------------------------------------------------------

FIRST, LAST = dt.datetime(1950, 1, 1), dt.datetime(2100, 1, 1)
CENTS = Decimal("1.25")
LABELS = ["b", "z", "a", "ø"]
ARROW = {
    "int8": pa.int8(),
    "int64": pa.int64(),
    "uint16": pa.uint16(),
    "float32": pa.float32(),
    "float64": pa.float64(),
    "bool": pa.bool_(),
    "string": pa.string(),
    "category": pa.dictionary(pa.int8(), pa.string()),
    "ordered": pa.dictionary(pa.int8(), pa.string(), ordered=True),
    "datetime": pa.timestamp("us"),
    "seconds": pa.timestamp("s"),
    "nanoseconds": pa.timestamp("ns"),
    "zoned": pa.timestamp("us", tz="Europe/Oslo"),
    "date": pa.date32(),
    "timedelta": pa.duration("us"),
    "decimal": pa.decimal128(10, 2),
    "lists": pa.list_(pa.int64()),
}
KINDS = {
    "int8": "numeric", "int64": "numeric", "uint16": "numeric", "float32": "numeric", "float64": "numeric",
    "decimal": "numeric", "bool": "boolean", "string": "category", "category": "category", "ordered": "ordered",
    "datetime": "datetime", "seconds": "datetime", "nanoseconds": "datetime", "zoned": "datetime", "date": "datetime",
    "timedelta": "timedelta", "lists": "other",
}  # fmt: skip
MOMENTS = st.datetimes(FIRST, LAST)
VALUES = {
    "int8": st.integers(-128, 127),
    "int64": st.integers(-(2**53), 2**53),
    "uint16": st.integers(0, 2**16 - 1),
    "float32": st.floats(-1e6, 1e6, width=32),
    "float64": st.floats(-1e300, 1e300),
    "bool": st.booleans(),
    "string": st.sampled_from(LABELS),
    "category": st.sampled_from(LABELS),
    "ordered": st.sampled_from(LABELS),
    "datetime": MOMENTS,
    "seconds": MOMENTS.map(lambda moment: moment.replace(microsecond=0)),
    "nanoseconds": MOMENTS,
    "zoned": MOMENTS.map(lambda moment: moment.replace(tzinfo=dt.UTC)),
    "date": st.dates(FIRST.date(), LAST.date()),
    "timedelta": st.timedeltas(dt.timedelta(-50_000), dt.timedelta(50_000)),
    "decimal": st.integers(-(10**7), 10**7).map(lambda cents: Decimal(cents) / 100),
    "lists": st.lists(st.integers(0, 3), max_size=2),
}
NULLABLE = {"int8": "Int8", "int64": "Int64", "uint16": "UInt16", "float32": "Float32", "float64": "Float64",
            "bool": "boolean", "string": "string"}  # fmt: skip


def arrow_column(kind, values):
    """A column of Arrow; of categories the order is that of LABELS, whichever occur."""
    if kind in ("category", "ordered"):
        codes = pa.array([None if value is None else LABELS.index(value) for value in values], pa.int8())
        return pa.DictionaryArray.from_arrays(codes, pa.array(LABELS), ordered=kind == "ordered")
    return pa.array(values, ARROW[kind])


def arrow_table(columns):
    return pa.table([arrow_column(*column) for column in columns], names=[f"c{at}" for at in range(len(columns))])


def nullable(table, columns):
    frame = table.to_pandas()
    return frame.astype({f"c{at}": NULLABLE[kind] for at, (kind, _) in enumerate(columns) if kind in NULLABLE})


def in_polars(table, columns):
    ranks = [f"c{at}" for at, (kind, _) in enumerate(columns) if kind == "ordered"]
    return pl.from_arrow(table).with_columns(pl.col(ranks).cast(pl.Enum(LABELS)))


def text_as_objects(table, _columns):
    """As pandas 2 had it, and as frames still come from elsewhere."""
    frame = table.to_pandas()
    texts = [name for name, dtype in frame.dtypes.items() if isinstance(dtype, pd.StringDtype)]
    return frame.astype(dict.fromkeys(texts, object))


CONTAINERS = {
    "pandas": lambda table, _: table.to_pandas(),
    "pandas objects": text_as_objects,
    "pandas nullable": nullable,
    "pandas Arrow": lambda table, _: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": in_polars,
    "pyarrow": lambda table, _: table,
}


@st.composite
def mixed_columns(draw, kinds=tuple(KINDS)):
    """Columns as (kind, values), with None where missing; a whole column of numpy never lacks an integer."""
    n_rows = draw(st.integers(1, 6))
    columns = []
    for kind in draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4)):
        values = st.one_of(st.none(), VALUES[kind]) if draw(st.booleans()) else VALUES[kind]
        cells = draw(st.lists(values, min_size=n_rows, max_size=n_rows))
        # A category without a level, a number without a number: nothing that anyone could write.
        columns.append((kind, cells if any(cell is not None for cell in cells) else [draw(VALUES[kind])] * n_rows))
    return columns


def plain(value):
    """A cell as Python writes it, None where missing, moments in UTC without a zone."""
    if isinstance(value, list | np.ndarray | pl.Series):
        return [plain(part) for part in value]
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and np.isnan(value)):
        return None
    if isinstance(value, np.datetime64 | np.timedelta64):
        return None if np.isnat(value) else value.astype(value.dtype.str[:2] + "8[us]").item()
    if isinstance(value, pd.Timestamp | pd.Timedelta):
        value = value.to_pydatetime() if isinstance(value, pd.Timestamp) else value.to_pytimedelta()
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        return value.astimezone(dt.UTC).replace(tzinfo=None)
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return dt.datetime(value.year, value.month, value.day)
    return value.item() if isinstance(value, np.generic) else value


def columns_of(container):
    """Cells of any container by column, read without the package."""
    if isinstance(container, pd.DataFrame):
        return [[plain(cell) for cell in container.iloc[:, at].tolist()] for at in range(container.shape[1])]
    if sparse.issparse(container):
        container = container.toarray()
    if isinstance(container, np.ndarray):
        return [[plain(cell) for cell in column] for column in container.T.tolist()]
    if isinstance(container, pa.Table):
        return [[plain(cell) for cell in column.to_pylist()] for column in container.columns]
    # Polars and Python do not agree on every summer time of the past.
    in_utc = container.with_columns(pl.selectors.datetime(time_zone="*").dt.convert_time_zone("UTC"))
    return [[plain(cell) for cell in column.to_list()] for column in in_utc.get_columns()]


def dtypes_of(container):
    """Dtypes of any container by column, as text."""
    if isinstance(container, pa.Table):
        return [str(kind) for kind in container.schema.types]
    if isinstance(container, np.ndarray) or sparse.issparse(container):
        return [str(container.dtype)] * container.shape[1]
    return [str(dtype) for dtype in container.dtypes]


def with_cells_set(columns, rows, donors, moved):
    """The slow plain loop: row by row, donor by donor, copy the row and set its cells."""
    stacked = [[] for _ in columns]
    for row, row_donors in zip(rows, donors, strict=True):
        for donor in row_donors:
            copy = [column[row] for column in columns]
            for at in moved:
                copy[at] = columns[at][donor]
            for column, cell in zip(stacked, copy, strict=True):
                column.append(cell)
    return stacked


def moves_of(table, moved, donors):
    """The coordinates that some columns have in other rows."""
    return {table.column(at): table.column(at).values[np.array(donors)] for at in moved}


ANY_CONTAINER = pytest.mark.parametrize("container", CONTAINERS)


# Axes ---------------------------------------------------------------------------------------------


@ANY_CONTAINER
@settings(deadline=None, max_examples=30)
@given(columns=mixed_columns())
def test_every_kind_goes_to_its_axis_and_back(container, columns):
    """Coordinates are float64, NaN where missing, and stand for the data as they are."""
    X = CONTAINERS[container](arrow_table(columns), columns)
    table = table_from(X)
    for at, (kind, _) in enumerate(columns):
        column, cells = table.column(at), columns_of(X)[at]
        lacks_numpy_kind = (
            container in ("pandas", "pandas objects") and None in cells and kind in ("int8", "int64", "uint16")
        )
        assert column.kind == KINDS[kind]
        assert column.is_integer == (kind in ("int8", "int64", "uint16", "bool", "date") and not lacks_numpy_kind)
        assert [plain(label) for label in column.labels] == cells
        if kind == "lists":
            continue
        assert column.values.dtype == np.float64
        assert_array_equal(np.isnan(column.values), [cell is None for cell in cells])
        native = column.in_utc(column.values)
        assert [plain(value) for value in native] == cells
        assert_array_equal(column.in_utc(column.values[None, :]), native[None, :])


@ANY_CONTAINER
@settings(deadline=None, max_examples=30)
@given(columns=mixed_columns(kinds=("string", "category", "ordered")))
def test_levels_are_those_declared_or_those_that_occur(container, columns):
    """Categories of the dtype in its order, whichever occur; texts sorted, so that the order of rows is nothing."""
    table = table_from(CONTAINERS[container](arrow_table(columns), columns))
    for at, (kind, values) in enumerate(columns):
        column, present = table.column(at), sorted({value for value in values if value is not None})
        is_declared = kind == "ordered" or (kind == "category" and container != "polars")
        assert column.levels.tolist() == (LABELS if is_declared else present)


@given(moment=st.one_of(MOMENTS, VALUES["timedelta"]))
def test_a_moment_off_the_data_is_right_to_the_microsecond(moment):
    """As the nearest one to its coordinate, not the one before."""
    origin = np.zeros(1, "m8[us]" if isinstance(moment, dt.timedelta) else "M8[us]")
    column = table_from(pd.DataFrame({"t": origin})).column(0)
    unit = dt.timedelta(days=1)
    coordinate = (moment if isinstance(moment, dt.timedelta) else moment - dt.datetime(1970, 1, 1)) / unit
    assert plain(column.in_utc([coordinate])[0]) == moment


def test_phantoms_have_the_cells_of_rows_where_a_row_has_the_value():
    """Nanoseconds and far dates stay what they are, although float64 cannot tell them."""
    moments = np.array(["2020-01-01T00:00:00.123456789", "1700-01-01", "2262-01-01T00:00:00.000000001"], "M8[ns]")
    far = np.array(["9999-12-31T23:59:59.999999", "0001-01-01", "9999-12-31"], "M8[us]")
    table = table_from(pd.DataFrame({"ns": moments, "far": far}))
    for at, data in enumerate((moments, far)):
        column = table.column(at)
        phantoms = table.phantoms(np.array([1]), {column: column.values[None, :]})
        assert_array_equal(phantoms.iloc[:, at].to_numpy(), data)


def test_whole_numbers_beyond_2_to_53_are_the_nearest_of_float64():
    """2**60 and 2**60 + 1 are one place on an axis."""
    column = table_from(np.array([[2**60 + 1], [2**60], [7]])).column(0)
    assert column.in_utc(column.values).tolist() == [2**60, 2**60, 7]
    assert column.in_utc(np.array([2.0**63 + 2**11])).dtype == np.uint64


@pytest.mark.parametrize(
    ("values", "kind", "coordinates"),
    [
        ([Decimal("1.10"), None, Decimal(-2)], "numeric", [1.1, np.nan, -2.0]),
        ([3, None, 1], "numeric", [3.0, np.nan, 1.0]),
        ([3, 0.5, np.nan], "numeric", [3.0, 0.5, np.nan]),
        ([True, None, False], "boolean", [1.0, np.nan, 0.0]),
        ([dt.date(1970, 1, 3), None, dt.date(1969, 12, 31)], "datetime", [2.0, np.nan, -1.0]),
        (["b", 1, "b"], "category", [1.0, 0.0, 1.0]),
        (["1", 1, "1"], "category", [1.0, 0.0, 1.0]),
        ([("b",), ("a",), None], "other", None),
        ([[1], None, [2]], "other", None),
        ([{1}, {1}, {2}], "other", None),
        ([object, len, None], "other", None),
        ([None, None, None], "other", None),
    ],
)
def test_objects_are_what_they_hold(values, kind, coordinates):
    """A column of objects is of the kind of its values; lists and the like are no feature."""
    frame = pd.DataFrame({"o": pd.Series(values, dtype=object), "x": 1.0})
    table = table_from(frame)
    column = table.column(0)
    assert column.kind == kind
    if coordinates is None:
        assert column.labels.tolist() == values
        return
    assert_array_equal(column.values, coordinates)
    phantoms = table.phantoms(np.array([2, 1]), {column: np.tile(column.values, (2, 1))})
    assert phantoms["o"].dtype == object
    assert [(type(cell), plain(cell)) for cell in phantoms["o"]] == 2 * [(type(cell), plain(cell)) for cell in values]


# Phantoms -----------------------------------------------------------------------------------------


@ANY_CONTAINER
@settings(deadline=None, max_examples=40)
@given(columns=mixed_columns(), data=st.data())
def test_phantoms_are_rows_with_cells_set(container, columns, data):
    """As a plain loop makes them; nothing but the values moves, dtypes included, and X stays what it is."""
    X = CONTAINERS[container](arrow_table(columns), columns)
    before, dtypes, n_rows = columns_of(X), dtypes_of(X), len(columns[0][1])
    features = [at for at, (kind, _) in enumerate(columns) if kind != "lists"]
    moved = data.draw(st.lists(st.sampled_from(features), min_size=1, unique=True)) if features else []
    if not moved:
        return
    rows = data.draw(st.lists(st.integers(0, n_rows - 1), min_size=1, max_size=4))
    n_values = data.draw(st.integers(1, 3))
    donors = data.draw(
        st.lists(
            st.lists(st.integers(0, n_rows - 1), min_size=n_values, max_size=n_values),
            min_size=len(rows),
            max_size=len(rows),
        )
    )
    table = table_from(X)
    phantoms = table.phantoms(np.array(rows), moves_of(table, moved, donors))
    assert type(phantoms) is type(X)
    assert columns_of(phantoms) == with_cells_set(before, rows, donors, moved)
    assert dtypes_of(phantoms) == dtypes
    assert columns_of(X) == before
    assert dtypes_of(X) == dtypes


@ANY_CONTAINER
@settings(deadline=None, max_examples=40)
@given(columns=mixed_columns(), data=st.data())
def test_crossed_rows_have_cells_of_their_donors(container, columns, data):
    """One column or several, each row its own."""
    X = CONTAINERS[container](arrow_table(columns), columns)
    before, n_rows = columns_of(X), len(columns[0][1])
    places = st.lists(st.integers(0, n_rows - 1), min_size=3, max_size=3)
    rows, donors = data.draw(places), data.draw(places)
    moved = data.draw(st.lists(st.lists(st.integers(0, len(columns) - 1), unique=True), min_size=3, max_size=3))
    expected = [[] for _ in columns]
    for row, donor, feature_number in zip(rows, donors, moved, strict=True):
        for at, column in enumerate(expected):
            column.append(before[at][donor if at in feature_number else row])
    table = table_from(X)
    sources = {
        at: np.array(
            [
                donor if at in feature_number else row
                for row, donor, feature_number in zip(rows, donors, moved, strict=True)
            ]
        )
        for at in range(len(columns))
    }
    crossed = table.crossed(np.array(rows), sources)
    assert type(crossed) is type(X)
    assert columns_of(crossed) == expected
    assert dtypes_of(crossed) == dtypes_of(X)
    assert columns_of(table.take(np.array(rows))) == [[column[row] for row in rows] for column in before]
    assert columns_of(X) == before


@pytest.mark.parametrize(
    ("column", "coordinates", "cells", "is_kept"),
    [
        (pa.array([1, 2], pa.int8()), [5.0], [5], True),
        (pa.array([1, 2], pa.int8()), [300.0], [300], False),
        (pa.array([1, 2], pa.int64()), [0.5], [0.5], False),
        (pa.array([1, 2], pa.float32()), [0.5], [0.5], True),
        (pa.array([1, 2], pa.float32()), [0.1], [0.1], False),
        (pa.array([True, True]), [1.0, 0.0], [True, False], True),
        (pa.array([CENTS] * 2, pa.decimal128(6, 2)), [0.75, 1.5], [Decimal("0.75"), Decimal("1.5")], True),
        (pa.array([FIRST] * 2, pa.timestamp("s")), [1.5], [dt.datetime(1970, 1, 2, 12)], True),
        (pa.array([FIRST] * 2, pa.timestamp("ns", "Asia/Tokyo")), [1.5], [dt.datetime(1970, 1, 2, 12)], True),
        (pa.array([FIRST.date()] * 2), [2.0], [dt.datetime(1970, 1, 3)], True),
        (pa.array([FIRST.date()] * 2), [2.25], [dt.datetime(1970, 1, 3, 6)], False),
        (pa.array([dt.timedelta(1)] * 2, pa.duration("ms")), [0.5], [dt.timedelta(hours=12)], True),
    ],
)  # fmt: skip
@ANY_CONTAINER
def test_values_off_the_data_keep_the_dtype_that_holds_them(container, column, coordinates, cells, is_kept):
    """Another dtype is taken only where the column's own would change a value."""
    X = CONTAINERS[container](pa.table([column, pa.array([1, 2])], names=["c", "other"]), [])
    table = table_from(X)
    phantoms = table.phantoms(np.array([0]), {table.column(0): np.array([coordinates])})
    assert columns_of(phantoms) == [cells, [1] * len(cells)]
    before, after = dtypes_of(X), dtypes_of(phantoms)
    assert after[1] == before[1]
    assert (after[0] == before[0]) == (is_kept or before[0] == "object")


@ANY_CONTAINER
def test_a_decimal_that_has_more_digits_than_its_column_gets_a_wider_one(container):
    """Rounding it would be another value; where no decimal dtype has the room, it is a float."""
    X = CONTAINERS[container](pa.table([pa.array([CENTS] * 2, pa.decimal128(6, 2))], names=["c"]), [])
    for value in (0.125, 1e9, 1e39):
        table = table_from(X)
        ((cell,),) = columns_of(table.phantoms(np.array([0]), {table.column(0): np.array([[value]])}))
        assert cell == (value if isinstance(cell, float) else Decimal(repr(value)))
        assert isinstance(cell, Decimal) or value > 1e38


@pytest.mark.parametrize("zone", ["America/New_York", "Etc/GMT+5", "Europe/Oslo", "UTC"])
@pytest.mark.parametrize("unit", ["s", "us", "ns"])
def test_datetimes_of_any_zone_stay_in_it(zone, unit):
    """Also those that no row holds, in the unit of the column where it is fine enough."""
    moments = pd.to_datetime(["2020-01-01 00:00", "2020-07-02 03:00", None], format="ISO8601")
    X = pd.DataFrame({"t": moments.tz_localize(zone).as_unit(unit)})
    table = table_from(X)
    column = table.column(0)
    assert (column.kind, column.dtype) == ("datetime", str(X.dtypes["t"]))
    expected = X["t"].dt.tz_convert("UTC").dt.tz_localize(None)
    assert_array_equal(column.in_utc(column.values), expected.to_numpy())
    for off, dtype in ((18262.5, X.dtypes["t"]), (18262 + 2**-20, None)):
        coordinates = np.array([[column.values[0], off, np.nan]])
        made = table.phantoms(np.array([2]), {column: coordinates})["t"]
        assert_array_equal(made.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy(), column.in_utc(coordinates)[0])
        assert made.dtype == (dtype or made.dtype)
        assert str(made.dt.tz) == zone


def test_whole_numbers_that_numpy_does_not_have_are_numbers():
    """128 bits of polars, read as what they are and written back as that."""
    X = pl.DataFrame({"c": pl.Series([1, 2, None], dtype=pl.Int128)})
    table = table_from(X)
    column = table.column(0)
    assert (column.kind, column.is_integer) == ("numeric", True)
    assert_array_equal(column.values, [1, 2, np.nan])
    phantoms = table.phantoms(np.array([0]), {column: np.array([[5.0, 1.0, np.nan]])})
    assert phantoms["c"].to_list() == [5, 1, None]
    assert phantoms["c"].dtype == pl.Int128


@ANY_CONTAINER
def test_decimals_come_back_with_all_their_digits(container):
    """Phantoms have the cells of rows; what no row holds gets the digits that a float64 is shown with."""
    long = Decimal("12345678901234567890.12345678")
    X = CONTAINERS[container](pa.table([pa.array([long, CENTS, None], pa.decimal128(30, 8))], names=["c"]), [])
    table = table_from(X)
    column = table.column(0)
    assert column.digits == 8
    coordinates = np.array([[float(long), np.nan, 1.25]])
    assert columns_of(table.phantoms(np.array([0]), {column: coordinates})) == [[long, None, CENTS]]
    made = np.array([[0.1, np.nan, 1.25]])
    assert columns_of(table.phantoms(np.array([0]), {column: made})) == [[Decimal("0.1"), None, CENTS]]


# Containers ---------------------------------------------------------------------------------------

SOME_VALUES = st.sampled_from([0.0, 0.0, 1.0, -0.25, 2.5, np.nan])


@settings(deadline=None, max_examples=30)
@given(
    X=tables(min_rows=2, max_rows=6, n_features=3, values=SOME_VALUES),
    kind=st.tuples(st.sampled_from(["csr", "csc", "coo", "lil", "bsr"]), st.booleans()),
    rows=st.lists(st.integers(0, 1), min_size=1, max_size=4),
    values=st.lists(SOME_VALUES, min_size=1, max_size=3),
    moved=st.lists(st.integers(0, 2), min_size=1, unique=True),
)
def test_sparse_stays_sparse(X, kind, rows, values, moved):
    """Phantoms are those of the dense matrix, in the format and class of X."""
    layout, as_array = kind
    S = (sparse.coo_array if as_array else sparse.coo_matrix)(X).asformat(layout)
    table, dense = table_from(S), table_from(X)
    both = [{each.column(at): np.tile(values, (len(rows), 1)) for at in moved} for each in (table, dense)]
    pairs = [
        (table.phantoms(np.array(rows), both[0]), dense.phantoms(np.array(rows), both[1])),
        (table.take(np.array(rows)), dense.take(np.array(rows))),
        (
            table.crossed(np.array(rows), dict.fromkeys(moved, 1 - np.array(rows))),
            dense.crossed(np.array(rows), dict.fromkeys(moved, 1 - np.array(rows))),
        ),
    ]
    for found, expected in pairs:
        assert type(found) is type(S)
        assert found.dtype == S.dtype
        assert_array_equal(found.toarray(), expected)
        assert layout == "bsr" or np.count_nonzero(found.toarray()) == found.tocsr().nnz  # zeros are not stored
    assert_array_equal(S.toarray(), X)
    for at in range(3):
        assert_array_equal(table.column(at).values, X[:, at])


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array, sparse.csc_array, sparse.coo_array])
def test_the_indices_of_a_sparse_matrix_stay_as_narrow_as_they_are(kind):
    """Trees of scikit-learn, and others, take no indices of 64 bits."""
    S = kind(np.array([[1.0, 0.0], [0.0, 2.0]]))
    table = table_from(S)
    found = table.phantoms(np.array([0, 1]), {table.column(0): np.array([[0.0, 5.0], [5.0, 0.0]])})
    assert {part.dtype for part in found.tocoo().coords} == {np.dtype(np.int32)}


def test_a_sparse_zero_that_is_stored_stays_stored():
    """XGBoost takes what is not stored for missing: only the column at issue is touched."""
    S = sparse.csr_array(([0.0, 2.0, 3.0], ([0, 0, 1], [0, 1, 1])), shape=(2, 2))
    table = table_from(S)
    phantoms = table.phantoms(np.array([0, 1]), {table.column(1): np.array([[0.0, 5.0], [5.0, 0.0]])})
    assert phantoms.nnz == 4
    assert_array_equal(phantoms.toarray(), [[0, 0], [0, 5], [0, 5], [0, 0]])


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint16, np.float32, np.float64, np.bool_])
def test_an_array_keeps_its_dtype_where_it_can(dtype):
    """All of it becomes float64 otherwise, in which numbers stay what they are."""
    X = np.array([[0, 1, 1], [1, 0, 1]], dtype)
    table = table_from(X)
    first, _, last = map(table.column, range(3))
    kept = table.phantoms(np.array([1, 0]), {first: np.array([[1.0], [0.0]]), last: np.array([[0.0], [1.0]])})
    assert kept.dtype == dtype
    assert_array_equal(kept, [[1, 0, 0], [0, 1, 1]])
    widened = table.phantoms(np.array([1]), {first: np.array([[0.1, np.nan]])})
    assert_array_equal(widened, [[0.1, 0, 1], [np.nan, 0, 1]])
    assert widened.dtype == np.float64
    assert_array_equal(X, np.array([[0, 1, 1], [1, 0, 1]], dtype))


INDEXES = {
    "labels": pd.Index(["r0", "r1", "r2"]),
    "duplicates": pd.Index([7, 7, 7]),
    "missing": pd.Index([np.nan, np.nan, 1.0]),
    "dates": pd.date_range("2020", periods=3),
    "many levels": pd.MultiIndex.from_tuples([("a", 1), ("a", 1), ("b", 2)]),
}


@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("mixed", [False, True])
def test_rows_are_known_by_position(index, mixed):
    """Labels that repeat or have several levels change nothing: rows, phantoms, donors."""
    frame = pd.DataFrame({"x": [1.0, 2.0, np.nan], "y": [0.5, 0.5, 7.0], "c": ["u", "v", "u"]})
    frame = frame if mixed else frame[["x", "y"]]
    labelled = frame.set_axis(INDEXES[index])
    table, other = table_from(frame), table_from(labelled)
    for at in range(frame.shape[1]):
        assert_array_equal(other.column(at).labels, table.column(at).labels)
        rows, donors = np.array([2, 0]), [[0, 1, 2], [1, 1, 0]]
        phantoms, expected = (each.phantoms(rows, moves_of(each, [at], donors)) for each in (other, table))
        assert columns_of(phantoms) == columns_of(expected)
        crossed = other.crossed(rows, {at: np.array([1, 1])})
        assert columns_of(crossed) == columns_of(table.crossed(rows, {at: np.array([1, 1])}))
        assert crossed.index.equals(labelled.index[rows])
    assert other.index.equals(labelled.index)
    assert labelled.index.equals(INDEXES[index])


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (pa.table([pa.array([1]), pa.array([2])], names=["x", "x"]), "'x' names more than one column of X"),
        (sparse.csr_array((0, 3)), "got shape (0, 3)"),
        (pl.DataFrame({"x": []}), "got shape (0, 1)"),
        (pa.table({"x": []}), "got shape (0, 1)"),
    ],
)
def test_containers_without_rows_or_with_a_name_twice_are_refused(X, words):
    """As those of pandas and numpy are."""
    with pytest.raises(ice.errors.DataError) as caught:
        table_from(X)
    assert words in str(caught.value)


# Up to the model's door ---------------------------------------------------------------------------


def numbers(n_rows=30):
    generator = np.random.default_rng(3)
    return pd.DataFrame({"a": generator.normal(size=n_rows), "b": generator.integers(0, 4, n_rows)})


@pytest.mark.parametrize("container", ["polars", "pyarrow", "pandas Arrow"])
def test_a_model_sees_the_container_of_x(container):
    """Polars stays polars, Arrow stays Arrow; the figures are those of pandas."""
    X = CONTAINERS[container](pa.Table.from_pandas(numbers()), [])
    seen = set()

    def model(rows):
        seen.add((type(rows), tuple(dtypes_of(rows))))
        a, b = (np.array(column, dtype=float) for column in columns_of(rows))
        return np.sin(a) * b

    found = ice.explain(model, X, progress=False)
    assert seen == {(type(X), tuple(dtypes_of(X)))}
    expected = ice.explain(lambda rows: np.sin(rows["a"]) * rows["b"], numbers(), progress=False)
    pd.testing.assert_frame_equal(found.table(), expected.table())


@pytest.mark.parametrize("method", ["auto", "brute"])
def test_a_sparse_matrix_is_explained_as_a_dense_one(method):
    """By a model that takes both."""
    X = np.where(np.random.default_rng(0).random((40, 4)) < 0.6, 0.0, np.arange(160).reshape(40, 4) / 50)
    model = Ridge().fit(sparse.csr_array(X), X[:, 0] - 2 * X[:, 2])
    found = ice.explain(model, sparse.csr_array(X), progress=False, method=method)
    expected = ice.explain(model, X, progress=False, method=method)
    assert found.table().index.tolist() == expected.table().index.tolist()
    for name in expected.features:
        assert_allclose(found[name].curves, expected[name].curves, rtol=0, atol=1e-12)


# Memory -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("make", [np.array, pd.DataFrame], ids=["array", "pandas"])
def test_columns_of_float64_are_views_of_one_copy(make, order):
    """They take no memory of their own, cannot be written to, and do not follow what the owner of X writes later."""
    numbers = np.asarray(np.arange(12.0).reshape(4, 3), order=order)
    X = make(numbers)
    data = copy_data(X)
    table = table_from(data)
    values = [table.column(position).values for position in range(3)]
    assert all(not each.flags.writeable for each in values)
    assert all(np.shares_memory(each, np.asarray(data)) for each in values)
    if make is np.array:
        X[:] = -1.0
    else:
        X.iloc[:, :] = -1.0
    assert_array_equal(np.column_stack(values), np.arange(12.0).reshape(4, 3))
    assert_array_equal(np.asarray(table.take(np.array([2, 0]))), [[6.0, 7.0, 8.0], [0.0, 1.0, 2.0]])


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_of_an_array_are_in_c_order(order):
    """Whatever the order of X: models may be compiled for it."""
    table = table_from(copy_data(np.asarray(np.arange(12.0).reshape(4, 3), order=order)))
    rows = np.array([3, 1])
    for made in (
        table.take(rows),
        table.phantoms(rows, {table.column(0): np.zeros((2, 2))}),
        table.crossed(rows, {0: rows}),
    ):
        assert made.flags.c_contiguous


def test_a_table_is_read_while_another_thread_imports_scipy_sparse(monkeypatch):
    """A module is listed before it has its names."""
    monkeypatch.setitem(sys.modules, "scipy.sparse", ModuleType("scipy.sparse"))
    assert table_from(pd.DataFrame({"a": [1.0]})).names == ["a"]
