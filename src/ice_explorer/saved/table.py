"""The saved rows of X: their columns as entries of the file, and a table made of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np

from ice_explorer.checks import LARGEST
from ice_explorer.errors import ModelNeededError
from ice_explorer.saved.labels import to_json, zone_name, zone_of
from ice_explorer.tables.column import CODED, MOMENTS, Column, label_index
from ice_explorer.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ice_explorer.saved.fields import Fields, Part

    Arrays = dict[str, NDArray[Any]]

_KINDS: Final = ("numeric", "boolean", "category", "ordered", "datetime", "timedelta", "other")
_PLAIN: Final = ("float32", "float16", "int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64")
_LATEST: Final = 1.06e8  # days, that microseconds count in 64 bits


def column_entry(column: Column, rows: NDArray[np.int64], at: str, arrays: Arrays) -> dict[str, Any]:
    """Return what a file says of a column, and add its arrays under a name."""
    entry: dict[str, Any] = {
        "name": to_json(column.name, "A column name"),
        "kind": column.kind,
        "is_integer": bool(column.is_integer),
        "dtype": column.dtype,
        "has_declared_levels": bool(column.has_declared_levels),
        "zone": None if column.zone is None else zone_name(column.zone),
        "levels": level_entries(column.levels, column.label),
        "decimals": column.decimals,
    }
    values = column.values[rows]
    if column.kind == "other":
        return {**entry, "texts": [None if value is None else str(value) for value in values.tolist()]}
    arrays[f"{at}/values"] = values
    return entry


def level_entries(levels: NDArray[Any] | None, label: str) -> list[Any] | None:
    """Return what a file says of levels."""
    return None if levels is None else [to_json(level, f"A level of {label!r}") for level in levels.tolist()]


def levels_of(entry: Fields) -> NDArray[Any] | None:
    """Return the levels of a column or feature; None where it has none.

    - raises ValueError: if one of them is missing.
    """
    if not entry.has("levels"):
        return None
    levels = entry.labels("levels")
    if any(level is None or level != level for level in levels):  # noqa: PLR0124 - NaN and NaT differ from themselves
        raise ValueError("a level is missing")
    return np.fromiter(levels, object)


def checked_values(values: NDArray[Any], kind: str, levels: NDArray[Any] | None, n_rows: int) -> NDArray[np.float64]:
    """Return coordinates of the rows, if they are such as a column of the kind has.

    - raises ValueError: if they are not.
    """
    if values.dtype != np.float64 or values.shape != (n_rows,):
        raise ValueError("values are not one number for each row")
    present = values[~np.isnan(values)]
    most = _LATEST if kind in MOMENTS else LARGEST
    if not (np.abs(present) <= most).all():
        raise ValueError("values are too large")
    if levels is not None or kind == "boolean":
        n_levels = 2 if levels is None else len(levels)
        if not ((present >= 0) & (present < n_levels) & (present == np.rint(present))).all():
            raise ValueError("values are no codes of levels")
    return values


class SavedTable(Table):
    """Rows of X from a file; no model takes them, so no phantom observations are made of them."""

    def __init__(self, columns: Sequence[Column], n_rows: int, index: Any) -> None:
        super().__init__(n_rows, [column.name for column in columns], 8 * n_rows * len(columns))
        self.index = index
        self._columns = {position: replace(column, position=position) for position, column in enumerate(columns)}

    def take(self, positions: NDArray[np.int64]) -> Any:
        """Return rows as a DataFrame."""
        import pandas as pd

        cells = [pd.Series(_cells(column, positions)) for column in self._columns.values()]
        frame = pd.concat(cells, axis=1)
        frame.columns = label_index(self.names)
        frame.index = pd.RangeIndex(self.n_observations)[positions] if self.index is None else self.index[positions]
        return frame

    def phantoms(self, *_args: object) -> NoReturn:
        """Raise: there is no model to predict them."""
        raise ModelNeededError.predictions("Predictions at other values need")

    crossed = phantoms  # type: ignore[assignment]


def _cells(column: Column, positions: NDArray[np.int64]) -> Any:
    """Return values of some rows as pandas has them."""
    import pandas as pd

    if column.kind == "other":
        return pd.Series(column.values[positions], dtype=object)
    values = column.values[positions]
    if column.kind in CODED and column.has_declared_levels:
        codes = np.where(np.isnan(values), -1, values).astype(np.int64)
        return pd.Categorical.from_codes(codes, label_index(column.levels), column.kind == "ordered")
    native = column.in_utc(values)
    if column.zone is not None:
        return pd.DatetimeIndex(native).tz_localize("UTC").tz_convert(column.zone)
    if native.dtype.kind == "O":
        return pd.Series(native, dtype=object)
    fits = column.dtype in _PLAIN and not (
        native.dtype.kind == "f" and np.isnan(native).any() and "int" in column.dtype
    )
    return native.astype(column.dtype) if fits else native


def read_column(entry: Part, n_rows: int) -> Column:
    """Return a column of the saved rows.

    - raises ValueError: if the file does not describe one.
    """
    kind, name = entry.choice("kind", _KINDS), entry.label("name")
    levels = levels_of(entry)
    if (levels is not None) != (kind in CODED):
        raise ValueError("levels of a column that has none, or none of one that has")
    if kind == "other":
        values = _objects_of(entry.items("texts"), n_rows)
    else:
        values = checked_values(entry.array("values"), kind, levels, n_rows)
    return Column(
        name, str(name), kind, entry.flag("is_integer"), entry.text("dtype"), values, levels,
        decimals=entry.whole("decimals") if entry.has("decimals") and kind == "numeric" else None,
        has_declared_levels=entry.flag("has_declared_levels"),
        zone=zone_of(entry.text("zone")) if entry.has("zone") and kind == "datetime" else None,
    )  # fmt: skip


def _objects_of(texts: list[Any], n_rows: int) -> NDArray[Any]:
    if len(texts) != n_rows or not all(text is None or isinstance(text, str) for text in texts):
        raise ValueError("texts are not one for each row")
    return np.fromiter(texts, object)
