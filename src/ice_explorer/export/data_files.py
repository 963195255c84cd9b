"""Tables and numbers as files: CSV, Parquet and JSON, and their provenance."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.errors import MissingDependencyError
from ice_explorer.export.tables import by_model, curves_of, metrics_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from ice_explorer.explanation import Explanation
    from ice_explorer.export.tables import Curves
    from ice_explorer.scene.view_state import ViewState

DIGITS: Final = 9
"""Significant digits of curves in text: enough to distinguish float32 values, in half the file size."""

# Where a cell can begin: at the start of a text, and behind what separates cells in some countries or programs.
_FORMULA: Final = re.compile(r"(?<![^;\t\r\n])(?=[=+\-@\t\r])")
_NUMBER: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_SPREADSHEET: Final = (
    "Texts that begin with = + - @ or with a tab or a line break have an apostrophe in front here: spreadsheets would "
    "run them as formulas. Numbers are unchanged."
)
_CURVES: Final = ("prediction", "change", "likelihood")
_HALVES: Final = "backslashreplace"  # of characters: no document can hold them, and JSON reads them so
_SMALLEST: Final = 1e-13
_LARGEST: Final = 1e22
_DIGITS_TEXT: Final = f"Curves have {DIGITS} significant digits here; Parquet has all of them."


def csv_bytes(table: pd.DataFrame, provenance: Mapping[str, Any], *, spreadsheet: bool = False) -> tuple[bytes, bytes]:
    """Return a table as CSV, and its provenance as JSON, for a file next to it.

    For a spreadsheet, texts are written so that it runs none of them as a formula.
    """
    curves = {name: shortened(table[name].to_numpy()) for name in _CURVES if name in table}
    origin = {**provenance, "digits": _DIGITS_TEXT} if curves else dict(provenance)
    table = table.assign(**curves)
    if spreadsheet:
        table = table.apply(_without_formulas)
        origin["spreadsheet"] = _SPREADSHEET
    text: str = table.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    return text.encode(errors=_HALVES), (json.dumps(origin, indent=1) + "\n").encode()


def without_formula(text: str) -> str:
    """Put an apostrophe where a spreadsheet would begin to read a formula; a number is none."""
    return text if _NUMBER.fullmatch(text) else _FORMULA.sub("'", text)


def _without_formulas(column: pd.Series) -> pd.Series:
    """Write the texts of a column so, and durations, which begin with their sign."""
    if column.dtype.kind in "biufM":
        return column
    texts = column.astype(str).where(column.notna(), None).astype(object)
    return texts.map(without_formula, na_action="ignore")


def require_pyarrow() -> None:
    """Raise with installation advice if pyarrow is missing."""
    try:
        import pyarrow  # noqa: F401, ICN001
    except ImportError as error:
        raise MissingDependencyError.extra("Writing Parquet", "pyarrow", "export") from error


def parquet_bytes(table: pd.DataFrame, provenance: Mapping[str, Any]) -> bytes:
    """Write a table as Parquet, with the provenance as JSON in the metadata of its schema."""
    require_pyarrow()
    import pyarrow as pa
    from pyarrow import parquet

    columns = pa.Table.from_pandas(table, preserve_index=False)
    kept = {**(columns.schema.metadata or {}), b"ice-explorer": json.dumps(provenance).encode()}
    file = io.BytesIO()
    parquet.write_table(columns.replace_schema_metadata(kept), file)
    return file.getvalue()


def json_bytes(explanation: Explanation, states: Sequence[ViewState], provenance: Mapping[str, Any]) -> bytes:
    """Write everything that a view rests on as JSON, without NaN: what is undefined is null.

    There is a state for each feature whose curves are wanted.
    """
    content = {
        "provenance": {**provenance, "digits": _DIGITS_TEXT},
        "settings": asdict(explanation.settings),
        "notes": list(explanation.notes),
        "metrics": metrics_table(explanation, states[0]).to_dict("records"),
        "curves": [
            {**({"model": name} if name else {}), **_curves(curves_of(each, state))}
            for state in states
            for name, each in by_model(explanation, state).items()
        ],
    }
    return (json.dumps(_plain(content), ensure_ascii=False, allow_nan=False) + "\n").encode(errors=_HALVES)


def _curves(curves: Curves) -> dict[str, Any]:
    feature = curves.feature
    return {
        "feature": str(feature.feature),
        "kind": feature.kind,
        "grid": curves.grid,
        "places": curves.places,
        "rows": curves.positions,
        "predictions": shortened(curves.predictions),
        "changes": shortened(curves.changes),
        "likelihood": shortened(curves.likelihood),
        "partial_dependence": feature.partial_dependence,
        "spread": feature.spread,
    }


def shortened(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round numbers to `DIGITS` significant digits, as many as their text then has at most."""
    sizes = np.abs(values)
    usual = (sizes > _SMALLEST) & (sizes < _LARGEST)  # others are written as they are
    places = DIGITS - 1 - np.floor(np.log10(sizes, out=np.zeros_like(sizes), where=usual))
    up, down = 10.0 ** np.maximum(places, 0.0), 10.0 ** np.maximum(-places, 0.0)  # powers that are exact
    rounded = np.rint(np.where(usual, values, 0.0) * up / down) / up * down
    return np.where(usual, rounded, values)


def _plain(value: Any) -> Any:
    """Turn a value into what JSON has."""
    match value:
        case np.ndarray() | np.generic():
            return value.tolist() if _is_plain(value) else _plain(value.tolist())
        case Mapping():
            return {str(name): _plain(entry) for name, entry in value.items()}
        case list() | tuple():
            return [_plain(entry) for entry in value]
        case float():
            return value if math.isfinite(value) else None
        case None | bool() | int() | str():
            return value
        case _:
            return str(value)


def _is_plain(array: NDArray[Any] | np.generic) -> bool:
    """Return whether an array is of numbers that JSON has, so that none need be checked one by one."""
    return array.dtype.kind in "iub" or (array.dtype.kind == "f" and bool(np.isfinite(array).all()))
