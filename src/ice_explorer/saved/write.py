"""An explanation as the content of a file."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.beyond.effects import saved_effects
from ice_explorer.checks import check_integer
from ice_explorer.errors import InputDataError
from ice_explorer.features.grid import feature_seed
from ice_explorer.features.sampling import draw_stratified
from ice_explorer.saved.archive import packed
from ice_explorer.saved.fields import LARGEST_WHOLE
from ice_explorer.saved.labels import to_json
from ice_explorer.saved.table import column_entry, level_entries
from ice_explorer.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ice_explorer.arrays import Array, Rows, Values
    from ice_explorer.drivers.drivers import Driver, Drivers
    from ice_explorer.engines.context import Context
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.features.feature import Feature
    from ice_explorer.metrics.influence import Sampling
    from ice_explorer.results.options import Settings

    Arrays = dict[str, Values]

FORMAT: Final = "ice-explorer result"
VERSION: Final = 1
MOST_ROWS: Final = 1000


def result_bytes(explanation: Explanation, provenance: Mapping[str, Any], max_lines: int = MOST_ROWS) -> bytes:
    """Return an explanation as the content of a file.

    - `provenance`: where the file comes from; that of the file where the explanation was opened from one.
    - `max_lines`: how many rows of X are saved with their curves; of more a sample that depends on `random_state` and
      on the number of rows alone, so that files of several models have the same rows.
    - raises ExportError: if a name or label is of a type that no file has, or the result is too large.
    - raises PredictionError: if the model fails or changed: drivers and effects are computed now.
    """
    check_integer("max_lines", max_lines, 1, f"Leave it out for {MOST_ROWS}.")
    context, arrays = explanation._context, dict[str, Any]()
    generator = feature_seed(explanation.settings.random_state, "rows of a file")
    rows = draw_stratified(context.everything.astype(np.float64), context.everything, max_lines, generator)
    notes = explanation.notes[len(explanation._alerts) :]
    predictions = explanation.predictions(rows)
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "package_version": __version__,
        "provenance": dict(provenance if context.origin is None else context.origin),
        "method": {"name": explanation.method, "reason": explanation._method_reason},
        "output": _output(explanation),
        "settings": _settings(explanation.settings),
        "alerts": explanation._alerts,
        "notes": [note for note in notes if context.origin is None or note != opened_note(context)],
        "rows": {
            "n": len(rows),
            "n_all": context.n_explained,
            "index": _index(explanation, rows),
            "target_name": explanation._target_name,
        },
        "prediction_sd": explanation._prediction_sd,
        "columns": [
            column_entry(column, rows, f"columns/{at}", arrays) for at, column in enumerate(context.columns.read)
        ],
        "features": [
            _feature(result, rows, predictions, f"features/{at}", arrays)
            for at, result in enumerate(explanation.values())
        ],
    }
    manifest["others"] = _others(
        context, {result._item.feature_number for result in explanation.values()}, rows, arrays
    )
    arrays["rows/positions"] = rows
    arrays["rows/predictions"] = predictions
    if explanation._observed_target is not None:
        arrays["rows/target"] = explanation._observed_target[rows]
    if context.weights is not None:
        arrays["rows/weights"] = context.weights[rows]
    return packed(manifest, arrays)


def opened_note(context: Context) -> str:
    """Return what the numbers of an explanation from a file are of."""
    n_rows = context.table.n_observations
    if context.has_all_rows:
        return f"Opened from a file with all {n_rows:,} rows and without the model."
    return (
        f"Opened from a file with {n_rows:,} of {context.n_explained:,} rows and without the model: metrics, partial "
        "dependence, drivers and effects are as they were computed; curves, histograms and colours are of these rows."
    )


def _output(explanation: Explanation) -> dict[str, Any]:
    predictor = explanation._context.predictor
    return {
        "label": explanation.output_label,
        "value": to_json(predictor.output, "An output"),
        "position": predictor.position,
        "response": predictor.response,
        "of_classes": predictor.of_classes,
        "classes": [to_json(each, "A class") for each in predictor.classes],
    }


def _settings(settings: Settings) -> dict[str, Any]:
    plain = {field.name: getattr(settings, field.name) for field in fields(settings)}
    plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in plain.items()}
    groups, categorical = settings.groups, settings.categorical_features
    plain["groups"] = None if groups is None else [
        [to_json(name, "The name of a group"), [to_json(member) for member in members]]
        for name, members in groups.items()
    ]  # fmt: skip
    plain["categorical_features"] = None if categorical is None else [to_json(name) for name in categorical]
    plain["output"] = to_json(settings.output, "An output")
    plain["memory_limit"] = min(settings.memory_limit, LARGEST_WHOLE)
    return plain


def _index(explanation: Explanation, rows: Rows) -> dict[str, Any] | None:
    """Return the labels of the rows; of some rows without any their positions."""
    index = explanation._context.table.index
    if index is None:
        if len(rows) == explanation._n_observations:
            return None
        return {"names": [None], "is_multi": False, "labels": rows.tolist()}
    labels = [to_json(label, "A label of the index of X") for label in index[rows].tolist()]
    return {"names": [to_json(name) for name in index.names], "is_multi": index.nlevels > 1, "labels": labels}


def _others(context: Context, explained: set[int], rows: Rows, arrays: Arrays) -> list[dict[str, Any]]:
    """Return groups and columns of unordered codes that are not explained, but have levels of their own."""
    columns = context.columns
    n_columns = len(columns.names)
    numbers = {*range(n_columns, n_columns + len(columns.groups)), *columns.categorical} - explained
    return [
        _axis(columns.feature(number), context, rows, f"others/{at}", arrays)
        for at, number in enumerate(sorted(numbers))
    ]


def _axis(feature: Feature, context: Context, rows: Rows, at: str, arrays: Arrays) -> dict[str, Any]:
    """Return what a file says of an axis: the values of the rows where they are not those of the column."""
    number = feature.position
    column = context.columns.at(number) if number < len(context.columns.names) else None
    values = feature.values[rows]
    has_own = column is None or not np.array_equal(values, column.values[rows], equal_nan=True)
    if has_own:
        arrays[f"{at}/values"] = values
    if feature.codebook is not None:
        arrays[f"{at}/codebook"] = feature.codebook
    return {
        "number": number,
        "kind": feature.kind,
        "is_integer": bool(feature.is_integer),
        "levels": level_entries(feature.levels, feature.label),
        "has_own_values": has_own,
        "has_codebook": feature.codebook is not None,
    }


def _feature(result: FeatureExplanation, rows: Rows, predictions: Array, at: str, arrays: Arrays) -> dict[str, Any]:
    """Return what a file says of a feature that is explained, and add its arrays under a name.

    - `predictions` (n_rows,): of the saved rows.
    """
    context, item = result._context, result._item
    entry = _axis(item.feature, context, rows, at, arrays)
    curves = np.concatenate([np.empty((0, len(result.axis))), *(block for _, block in result._computed(rows))])
    starts = np.append(True, (curves[:, 1:] != curves[:, :-1]).any(axis=0))
    optional = {
        "likelihood_scale": None if item.has_marginal_scale else item.likelihood_scale[rows],
        "shares": item.shares,
        "distances": None if item.distances is None else item.distances[rows],
        "missing": result._missing_rows(rows) if item.has_missing else None,
        "positions": item.positions if 0 < len(item.positions) < len(item.observed) == len(rows) else None,
    }
    found = {
        "grid": item.grid.values,
        "starts": np.flatnonzero(starts),
        "curves": curves[:, starts],
        "at_own": result._at_own_values(rows, curves, predictions),
        **{name: array for name, array in optional.items() if array is not None},
        **{f"sums/{name}": array for name, array in result._sums.to_arrays().items()},
    }
    try:
        effects = saved_effects(result)
    except InputDataError:  # no row has a value
        effects = None
    if effects is not None:
        found |= {"effects/grid": effects.grid, **{f"effects/{name}": of for name, of in effects.columns.items()}}
    drivers = result._search_drivers()
    groups = result._groups()
    if groups is not None:
        found["rule_of_row"] = groups.values[rows].astype(np.int64)
    sampling = result._sampling
    if sampling is not None:
        found |= {"sampling/exponents": sampling.exponents, **_errors(sampling)}
    arrays.update({f"{at}/{name}": array for name, array in found.items()})
    return {
        **entry,
        "n_distinct": item.grid.n_distinct,
        "is_capped": bool(item.grid.capped),
        "scale": item.scale,
        "median": item.median,
        "has_missing": bool(item.has_missing),
        "mean_prediction": None if effects is None else effects.mean_prediction,
        "drivers": _drivers(drivers),
        "sampling": None if sampling is None else [sampling.n_rows, sampling.n_all],
    }


def _errors(sampling: Sampling) -> Arrays:
    by_convention = {f"sampling/{name}": np.array(list(of.values())) for name, of in sampling.metrics.items()}
    return by_convention | {f"sampling/{name}/decayed": of for name, of in sampling.decayed.items()}


def _drivers(drivers: Drivers) -> dict[str, Any]:
    combined = drivers.combined
    return {
        "size": drivers.size,
        "n_rows": drivers.n_rows,
        "n_curves": drivers.n_curves,
        "found": [_driver(driver) for driver in drivers.ranked],
        "combined": {
            "columns": list(combined.columns),
            "share": combined.share,
            "rules": list(combined.rules),
            "counts": list(combined.rules.values()),
            "is_searched": combined.is_searched,
        },
    }


def _driver(driver: Driver) -> dict[str, Any]:
    entry = asdict(driver)
    return {**entry, "threshold": None if np.isnan(driver.threshold) else float(driver.threshold)}
