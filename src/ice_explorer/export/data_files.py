"""Tables and numbers as the content of files: CSV, Parquet and JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.export.tables import by_model, drawn_rows, metrics_table
from ice_explorer.tables.column import encodable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pandas as pd

    from ice_explorer.arrays import Array, Rows
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.scene.view_state import ViewState

DIGITS: Final = 9
"""Significant digits of curves in text: enough to distinguish float32 values, in half the file size."""

_CURVES: Final = ("prediction", "change", "slope", "likelihood")
_DIGITS_TEXT: Final = f"Curves have {DIGITS} significant digits here; Parquet has all of them."
_EXACT: Final = 22  # powers of ten up to this one are exact
_NUMBER: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def csv_bytes(table: pd.DataFrame, provenance: Mapping[str, Any]) -> tuple[bytes, bytes]:
    """Return a table as CSV, and its provenance as JSON, for a file next to it."""
    curves = {name: shortened(table[name].to_numpy()) for name in _CURVES if name in table}
    origin = {**provenance, "digits": _DIGITS_TEXT} if curves else provenance
    table = _with_texts(table.assign(**curves), without_formula, numbers="biufM")
    text: str = table.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    return text.encode(), (json.dumps(origin, indent=1) + "\n").encode()


def parquet_bytes(table: pd.DataFrame, provenance: Mapping[str, Any]) -> bytes:
    """Return a table as Parquet, with the provenance as JSON in the metadata of its schema."""
    import pyarrow as pa
    from pyarrow import parquet

    columns = pa.Table.from_pandas(_with_texts(table, encodable, numbers="biufmM"), preserve_index=False)
    metadata = {**(columns.schema.metadata or {}), b"ice-explorer": json.dumps(provenance).encode()}
    file = io.BytesIO()
    parquet.write_table(columns.replace_schema_metadata(metadata), file)
    return file.getvalue()


def json_bytes(explanation: Explanation, states: Sequence[ViewState], provenance: Mapping[str, Any]) -> bytes:
    """Return notes, metrics and curves as JSON; NaN is null. There is a state for each feature with curves."""
    metrics = metrics_table(explanation, states[0]).astype(object)
    content = {
        "provenance": {**provenance, "digits": _DIGITS_TEXT},
        "notes": explanation.notes,
        "metrics": metrics.where(metrics.notna(), None).to_dict("records"),
        "curves": [
            {**({"model": name} if name else {}), **_curves(feature, drawn_rows(feature, each, state), state)}
            for state in states
            for name, each in by_model(explanation, state).items()
            for feature in [each[state.feature]]
        ],
    }
    text = json.dumps(content, default=_plain, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode(errors="backslashreplace")  # JSON reads half a character as it is escaped


def _curves(feature: FeatureExplanation, rows: Rows, state: ViewState) -> dict[str, Any]:
    predictions = feature.compute_curves(rows)
    return {
        "feature": str(feature.feature),
        "kind": feature.dtype_kind,
        "grid": feature.grid,
        "axis": feature.axis,
        "rows": rows,
        "predictions": shortened(predictions),
        "changes": shortened(feature._changes(rows, predictions, state.anchor)),
        "likelihood": shortened(feature.likelihood(state.decay, rows=rows)),
        "missing": shortened(feature._missing_rows(rows)) if feature._item.has_missing else None,
        "partial_dependence": feature.partial_dependence,
        "spread": feature.spread,
    }


def shortened(values: Array) -> Array:
    """Round numbers to `DIGITS` significant digits, as many as their text then has at most."""
    with np.errstate(divide="ignore", invalid="ignore"):
        places = DIGITS - 1 - np.floor(np.log10(np.abs(values)))
        up, down = 10.0 ** np.clip(places, 0, _EXACT), 10.0 ** np.clip(-places, 0, _EXACT)
        rounded = np.rint(values * up / down) / up * down
    return np.where(np.abs(places) <= _EXACT, rounded, values)  # zero, NaN and extreme numbers as they are


def without_formula(text: str) -> str:
    """Return the text of a CSV cell: with an apostrophe in front if a spreadsheet would run it as a formula."""
    is_formula = text.startswith(tuple("=+-@\t\r\n")) and not _NUMBER.fullmatch(text)
    return encodable(f"'{text}" if is_formula else text)


def _with_texts(table: pd.DataFrame, write: Callable[[str], str], *, numbers: str) -> pd.DataFrame:
    """Write all columns as text whose dtypes are not of these kinds, such as labels of several types."""
    others = {name: column for name, column in table.items() if column.dtype.kind not in numbers}
    texts = {name: column.map(lambda value: write(str(value)), na_action="ignore") for name, column in others.items()}
    return table.assign(**texts)


def _plain(value: Any) -> Any:
    """Return what JSON has no type for as one that it has."""
    import pandas as pd

    if isinstance(value, np.ndarray) and value.dtype.kind in "mM":
        return [*map(str, pd.Series(value))]
    if isinstance(value, np.ndarray) and value.dtype.kind == "f" and not np.isfinite(value).all():
        return np.where(np.isfinite(value), value.astype(object), None).tolist()  # type: ignore[call-overload]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else str(value)
