"""An explanation as tables: metrics of every feature, and curves with a point in each row; as CSV, Parquet and JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.checks import check_names, check_one_of
from ice_explorer.errors import OptionError
from ice_explorer.features.feature import UNORDERED
from ice_explorer.results.options import KINDS
from ice_explorer.scene.build import ranking_of, shown_lines
from ice_explorer.tables.column import encodable, is_missing, label_index, readable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pandas as pd
    from numpy.typing import ArrayLike

    from ice_explorer.arrays import Rows
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.features.feature import AnchorName
    from ice_explorer.results.options import Kind
    from ice_explorer.scene.choices import ViewState

    Drawn = Sequence[tuple[FeatureExplanation, Rows, AnchorName | float]]  # with the place of the anchor on the axis

_BYTES = 50  # of a point in a table
_QUANTITIES = {"ice": "prediction", "c-ice": "change", "d-ice": "slope"}


def metrics_table(explanation: Explanation, state: ViewState) -> pd.DataFrame:
    """Return every metric of every feature in the order of the bars.

    With several models there is a row for each, and columns with their "disagreement" and the two models that it is
    "between".
    """
    import pandas as pd

    bars = ranking_of(explanation, replace(state, ci=None)).bars
    rows = [explanation._labels.index(bar.label) for bar in bars]
    models, tables = state.besides.models, []
    for model, each in by_model(explanation, state).items():
        table = each.table(state.decay, rank_by=None, ci=state.ci).iloc[rows]
        table.insert(0, "feature", label_index([str(explanation.features[row]) for row in rows]))
        if models is not None:
            values, pairs = models._largest(state.decay)
            table.insert(1, "model", model)
            table["disagreement"] = values[rows]
            table["between"] = [", ".join(pairs[row]) for row in rows]
        tables.append(table.reset_index(drop=True))
    return pd.concat(tables).sort_index(kind="stable").reset_index(drop=True)


def by_model(explanation: Explanation, state: ViewState) -> dict[str, Explanation]:
    """Return the explanations of all models by name, or the only one."""
    models = state.besides.models
    return {"": explanation} if models is None else models.explanations


def opened_rows(explanation: Explanation, state: ViewState) -> tuple[FeatureExplanation, Rows]:
    """Return the open feature of a view, and the rows whose curves it draws, without those that the legend hides."""
    feature = explanation[state.feature]
    one_model = replace(state, kind="ice", besides=replace(state.besides, models=None))
    return feature, shown_lines(explanation, feature, one_model).positions


def curves_table(explanation: Explanation, states: Sequence[ViewState]) -> pd.DataFrame:
    """Return `to_frame` of the open features of views, with the rows that they draw.

    As in the views, levels without an order have ICE curves where slopes are drawn, unless other features have slopes.
    With several models there are the curves of each, with a column "model" after the feature.
    """
    import pandas as pd

    kind = states[0].kind
    if kind == "d-ice":
        with_slopes = [state for state in states if explanation[state.feature].dtype_kind not in UNORDERED]
        states, kind = (with_slopes, kind) if with_slopes else (states, "ice")
    tables = []
    for model, each in by_model(explanation, states[0]).items():
        drawn = [(*opened_rows(each, state), state.anchor) for state in states]
        tables.append(_points(each, drawn, kind, states[0].decay))
        if model:
            tables[-1].insert(3, "model", model)
    return pd.concat(tables, ignore_index=True)


def long_frame(
    explanation: Explanation,
    features: Any,
    kind: Kind,
    rows: ArrayLike | None,
    *,
    anchor: object,
    decay: float | None,
) -> pd.DataFrame:
    """Return curves with one point in each row, for custom plots; see `Explanation.to_frame`."""
    check_one_of("kind", kind, KINDS)
    if features is None:
        every = list(explanation.values())
        opened = [f for f in every if kind != "d-ice" or f.dtype_kind not in UNORDERED] or every
    else:
        names = [features] if features in explanation else check_names("features", features)
        opened = [explanation[name] for name in names]
    if not opened:
        raise OptionError.no_features()
    unordered = next((f for f in opened if kind == "d-ice" and f.dtype_kind in UNORDERED), None)
    if unordered is not None:
        raise OptionError.no_slopes(readable(unordered.feature, unordered.label))
    chosen = None if rows is None else explanation._context.positions(rows, "rows")
    drawn: Drawn = [
        (f, f.rows if chosen is None else chosen, f._anchor_place(anchor) if kind == "c-ice" else "min") for f in opened
    ]
    return _points(explanation, drawn, kind, decay)


def _points(explanation: Explanation, drawn: Drawn, kind: Kind, decay: float | None) -> pd.DataFrame:
    import pandas as pd

    n_rows, n_grid = max(len(rows) for _, rows, _ in drawn), sum(len(feature.grid) for feature, _, _ in drawn)
    explanation._context.check_size("tables", n_rows, n_grid, _BYTES)
    first = int(kind == "d-ice")  # a slope is at the right end of its interval
    grids = _in_one_dtype([_native_grid(explanation, feature)[first:] for feature, _, _ in drawn])
    tables = []
    for number, ((feature, rows, anchor), grid) in enumerate(zip(drawn, grids, strict=True)):
        curves = feature.curves if np.array_equal(rows, feature.rows) else feature.compute_curves(rows)
        if kind == "c-ice":
            curves = feature._changes(rows, curves, anchor)
        elif kind == "d-ice":
            curves = np.diff(curves, axis=1) / np.diff(feature.axis)
        axis, n_points = feature.axis[first:], len(grid)
        columns = {
            "row": np.repeat(rows, n_points),
            "feature": number,
            "value": grid.take(np.tile(np.arange(n_points), len(rows))).reset_index(drop=True),
            "axis": np.tile(axis, len(rows)),
            _QUANTITIES[kind]: curves.ravel(),
            "likelihood": feature.likelihood(decay, rows=rows)[:, first:].ravel(),
            "is_observed": (feature._item.feature.values[rows, None] == axis).ravel(),
        }
        tables.append(pd.DataFrame(columns))
    table = pd.concat(tables, ignore_index=True)
    # pandas has no category that is missing.
    names = label_index([f.label if is_missing(f.feature) else f.feature for f, _, _ in drawn])
    table["feature"] = pd.Categorical.from_codes(table["feature"], names)
    index = explanation._context.table.index
    labels = table["row"] if index is None else pd.Series(index.take(table["row"]).to_flat_index())
    table.insert(1, "row_label", labels)
    return table


def _native_grid(explanation: Explanation, feature: FeatureExplanation) -> pd.Series:
    """Return the grid in the dtype that the feature has in X: categories stay categories, with all their levels."""
    import pandas as pd

    levels, grid = feature._item.feature.levels, feature.grid
    dtype = explanation._column(feature.feature).dtype.lower()
    is_category = feature.dtype_kind in ("ordered", "group") or dtype.startswith(("categorical", "category", "enum"))
    are_texts = levels is not None and all(isinstance(level, str) and encodable(level) == level for level in levels)
    if levels is not None and is_category and are_texts:
        return pd.Series(pd.Categorical(grid, levels.tolist(), ordered=feature.dtype_kind == "ordered"))
    return pd.Series(label_index(grid.tolist() if grid.dtype.kind == "O" else grid))


def _in_one_dtype(grids: list[pd.Series]) -> list[pd.Series]:
    """Return grids of several features in one dtype: numbers of several dtypes as floats, else texts."""
    import pandas as pd

    if len({values.dtype for values in grids}) == 1:
        return grids
    if all(values.dtype.kind in "biuf" for values in grids):
        return [values.astype(np.float64) for values in grids]
    return [pd.Series([*map(str, values)], dtype=object) for values in grids]


_NUMBER: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def csv_bytes(table: pd.DataFrame, provenance: Mapping[str, Any]) -> tuple[bytes, bytes]:
    """Return a table as CSV, and its provenance as JSON, for a file next to it."""
    table = _with_texts(table, without_formula, numbers="biufM")
    text: str = table.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    return text.encode(), (json.dumps(provenance, indent=1) + "\n").encode()


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
        "provenance": provenance,
        "notes": explanation.notes,
        "metrics": metrics.where(metrics.notna(), None).to_dict("records"),
        "curves": [
            {**({"model": name} if name else {}), **_curves(*opened_rows(each, state), state.decay)}
            for state in states
            for name, each in by_model(explanation, state).items()
        ],
    }
    text = json.dumps(content, default=_plain, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode(errors="backslashreplace")  # JSON reads half a character as it is escaped


def _curves(feature: FeatureExplanation, rows: Rows, decay: float) -> dict[str, Any]:
    return {
        "feature": str(feature.feature),
        "kind": feature.dtype_kind,
        "grid": feature.grid,
        "axis": feature.axis,
        "rows": rows,
        "predictions": feature.compute_curves(rows),
        "likelihood": feature.likelihood(decay, rows=rows),
        "missing": feature._missing_rows(rows) if feature._item.has_missing else None,
        "partial_dependence": feature.partial_dependence,
        "spread": feature.spread,
    }


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
