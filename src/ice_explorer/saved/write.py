"""An explanation as the content of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.checks import check_integer
from ice_explorer.features.moves import MovedFeature
from ice_explorer.saved.archive import pack
from ice_explorer.saved.schema import FORMAT, RESULT, VERSION, write
from ice_explorer.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ice_explorer.arrays import Array, Rows, Values
    from ice_explorer.curves.inputs import Context
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.features.feature import Feature
    from ice_explorer.tables.column import Column

MOST_ROWS: Final = 1000


def result_bytes(explanation: Explanation, provenance: Mapping[str, Any], max_lines: int = MOST_ROWS) -> bytes:
    """Return an explanation as the content of a file.

    - `provenance`: where the file comes from; that of the file where the explanation was opened from one.
    - `max_lines`: how many rows of X are saved with their curves; of more a sample that depends on `random_state` and
      on the number of rows alone, so that files of several models have the same rows, and those that every picture has.
    """
    check_integer("max_lines", max_lines, 1, f"Leave it out for {MOST_ROWS}.")
    context, columns = explanation._context, explanation._context.columns
    drawn = context.draw(context.all_rows.astype(np.float64), context.all_rows, max_lines, "rows of a file")
    rows = np.unique(np.concatenate([drawn, *(result._outlying for result in explanation.values())]))
    predictions = explanation.predictions(rows)
    notes, target = explanation.notes[len(explanation._alerts) :], explanation._observed_target
    numbers = {*range(len(columns.names), len(columns.names) + len(columns.groups)), *columns.categorical}
    unexplained = sorted(numbers - {result._item.feature.position for result in explanation.values()})
    arrays: dict[str, Values] = {}
    manifest = write(
        RESULT,
        {
            "format": FORMAT,
            "version": VERSION,
            "package_version": __version__,
            "provenance": {**provenance, "rows_drawn": len(rows)} if context.origin is None else dict(context.origin),
            "method": {"name": explanation.method, "reason": explanation._method_reason},
            "output": vars(context.predictor) | {"output_label": explanation.output_label},
            "settings": explanation.settings,
            "alerts": explanation._alerts,
            "notes": [note for note in notes if context.origin is None or note != opened_note(context)],
            "rows": {
                "positions": explanation._rows_explained[rows],
                "n_all": context.n_explained,
                "index": _index(explanation, rows),
                "predictions": predictions,
                "weights": None if context.weights is None else context.weights[rows],
                "target": None if target is None else target[rows],
                "target_name": explanation._target_name,
            },
            "prediction_sd": explanation._context.prediction_sd,
            "columns": [_column(column, rows) for column in columns.read],
            "moved": [_column(feature, rows) for feature in columns.moved],
            "others": [_axis(columns.feature(number), context, rows) for number in unexplained],
            "features": list(_features(explanation, rows, predictions)),
        },
        "",
        arrays,
    )
    return pack(manifest, arrays)


def opened_note(context: Context) -> str:
    """Return what the numbers of an explanation from a file are of."""
    n_rows = context.table.n_observations
    if context.has_all_rows:
        return f"Opened from a file with all {n_rows:,} rows and without the model."
    return (
        f"Opened from a file with {n_rows:,} of {context.n_explained:,} rows and without the model: metrics, partial "
        "dependence and drivers are as they were computed; curves, effects, histograms and colours are of these rows."
    )


def _index(explanation: Explanation, rows: Rows) -> dict[str, Any] | None:
    index = explanation._context.table.index
    if index is None:
        if len(rows) == explanation._n_observations:
            return None
        return {"names": [None], "is_multi": False, "labels": rows.tolist()}
    return {"names": list(index.names), "is_multi": index.nlevels > 1, "labels": index[rows].tolist()}


def _column(column: Column, rows: Rows) -> dict[str, Any]:
    values: Any = column.values[rows]
    texts = None
    if column.kind == "other":
        values, texts = None, [None if value is None else str(value) for value in values]
    return vars(column) | {"values": values, "texts": texts}


def _axis(feature: Feature, context: Context, rows: Rows) -> dict[str, Any]:
    """Return the axis of a feature: levels and values where they are not those of the column."""
    number, columns = feature.position, context.columns
    column: Column | None = feature if isinstance(feature, MovedFeature) else None
    column = columns.column(number) if number < len(columns.names) else column
    values = feature.values[rows]
    is_same = column is not None and np.array_equal(values, column.values[rows], equal_nan=True)
    levels = None if column is not None and feature.levels is column.levels else feature.levels
    return vars(feature) | {"number": number, "levels": levels, "values": None if is_same else values}


def _features(explanation: Explanation, rows: Rows, predictions: Array) -> Iterator[dict[str, Any]]:
    n_stretches = 0
    for result in explanation.values():
        n_grid = n_stretches + len(result.axis)
        what = f"curves of {len(rows):,} rows × {n_grid:,} grid values"
        explanation._context.check_bytes(what, 8 * len(rows) * n_grid, "Save fewer rows with a smaller `max_lines`")
        entry = _feature(result, rows, predictions)
        n_stretches += len(entry["starts"])
        yield entry


def _feature(result: FeatureExplanation, rows: Rows, predictions: Array) -> dict[str, Any]:
    context, item = result._context, result._item
    curves = np.concatenate([np.empty((0, len(result.axis))), *(block for _, block in result._computed(rows))])
    starts = np.flatnonzero(np.append(True, (curves[:, 1:] != curves[:, :-1]).any(axis=0)))
    return _axis(item.feature, context, rows) | {
        **vars(item),
        "likelihood_scale": None if item.row_scales is None else item.row_scales[rows],
        "distances": None if item.distances is None else item.distances[rows],
        "outlying": np.searchsorted(rows, result._outlying) if len(result._outlying) else None,
        "positions": item.positions if 0 < len(item.positions) < len(item.observed) == len(rows) else None,
        "starts": starts,
        "curves": curves[:, starts],
        "own": result._at_own_values(rows, curves, predictions),
        "missing": result._missing_rows(rows) if item.has_missing else None,
        "sums": result._sums.to_arrays(),
        "drivers": result._search_drivers(),
        "sampling": result._sampling,
    }
