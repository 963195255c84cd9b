"""An explanation from the content of a file, which anyone may have written."""

from __future__ import annotations

import zipfile
import zlib
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np

from ice_explorer.beyond.effects import EFFECT_COLUMNS, SavedEffects, keep_effects
from ice_explorer.drivers.drivers import Combined, Driver, Drivers
from ice_explorer.engines.context import Context
from ice_explorer.engines.feature_input import FeatureInput
from ice_explorer.engines.sums import empty_sums
from ice_explorer.errors import ExportError
from ice_explorer.errors.base import quoted
from ice_explorer.explanation import Explanation
from ice_explorer.feature import FeatureExplanation
from ice_explorer.features.columns import Columns
from ice_explorer.features.feature import UNORDERED, Feature
from ice_explorer.features.grid import Grid
from ice_explorer.metrics.influence import Sampling
from ice_explorer.metrics.likelihood import check_decay
from ice_explorer.metrics.windows import CONVENTIONS
from ice_explorer.models.predict import RESPONSES, Predictor
from ice_explorer.results.options import METHODS, Settings
from ice_explorer.saved.answers import SavedCurves, SavedMethod, SavedPredictions, SavedWitness, refused
from ice_explorer.saved.archive import Archive
from ice_explorer.saved.fields import Fields, Part
from ice_explorer.saved.labels import from_json
from ice_explorer.saved.table import SavedTable, checked_values, levels_of, read_column
from ice_explorer.saved.write import FORMAT, VERSION, opened_note
from ice_explorer.tables.column import label_index

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.arrays import Array, Values
    from ice_explorer.tables.column import Name


_KINDS: Final = ("numeric", "boolean", "category", "ordered", "datetime", "timedelta", "group")
_ERRORS: Final = ("impact", "direction", "heterogeneity", "non_linearity", "missing_impact")
_LARGEST_SEED: Final = 10**40  # that `explain` takes
_DAMAGED: Final = (
    ArithmeticError, AssertionError, AttributeError, EOFError, LookupError, OSError, RecursionError, RuntimeError,
    TypeError, ValueError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


def read_result(file: BinaryIO, name: str) -> Explanation:
    """Return the explanation that a file has.

    - `name`: of the file, for messages.
    - raises ExportError: if the file is damaged, or of a later version of the format.
    """
    try:
        archive = Archive(file)
        manifest = Fields(archive.manifest())
        if manifest.text("format") != FORMAT:
            raise ValueError("another format")
        version = manifest.whole("version", 1)
        if version <= VERSION:
            with np.errstate(all="ignore"):  # sums that nobody has computed
                result = _result(manifest, archive)
            archive.check_all_read()
            return result
    except MemoryError as error:
        raise ExportError(
            f"`path` must be a result that fits into memory; {quoted(name)} does not.",
            "Save it again with a smaller `max_lines`.",
        ) from error
    except _DAMAGED as error:
        raise ExportError(
            f"`path` must be a result that `save` wrote as '.ice'; {quoted(name)} is damaged, or none.",
            "Save it again.",
        ) from error
    raise ExportError(
        f"`path` must be a result of version {VERSION} of the format, or before; "
        f"{quoted(name)} is of version {version}.",
        "Install the latest version of ice-explorer.",
    )


def _result(manifest: Fields, archive: Archive) -> Explanation:
    rows, settings = Part(manifest.fields("rows").entries, archive, "rows"), _settings(manifest.fields("settings"))
    n_rows, n_all = rows.whole("n", 1), rows.whole("n_all", 1)
    if len(rows.whole_numbers("positions", n_all)) != n_rows:
        raise ValueError("rows are not as many as they are")
    weights = rows.numbers("weights", (n_rows,)) if settings.weighted else None
    if weights is not None and (weights < 0).any():
        raise ValueError("weights are negative")
    table = SavedTable(
        [read_column(column, n_rows) for column in manifest.parts("columns", archive)], n_rows, _index(rows, n_rows)
    )
    if not 0 < len({str(name) for name in table.names}) == len(table.names):
        raise ValueError("two columns of one name, or none")
    columns = Columns(table, settings.groups, settings.categorical_features or ())
    for other in manifest.parts("others", archive):
        _set_feature(other, columns)
    parts = manifest.parts("features", archive)
    features = [_set_feature(part, columns) for part in parts]
    if len({feature.position for feature in features}) < len(features):
        raise ValueError("a feature is there twice")
    known: dict[int, SavedCurves] = {}
    predictions = rows.numbers("predictions", (n_rows,))
    context = Context(
        table, columns, weights, _predictor(manifest.fields("output")), settings,
        SavedPredictions(table, predictions, known, settings.memory_limit, settings.response),
        SavedWitness(), progress=False, bytes_for_blocks=settings.memory_limit,
        n_summed=n_all, origin=manifest.fields("provenance").entries,
    )  # fmt: skip
    vars(context)["prediction_sd"] = manifest.number("prediction_sd", 0)
    method = manifest.fields("method")
    stand_in = SavedMethod(method.choice("name", METHODS), method.text("reason"), known)
    results = [_feature(part, context, stand_in, feature) for part, feature in zip(parts, features, strict=True)]
    result = Explanation(context, stand_in, results, ())
    if rows.has_array("target"):
        result = result._with_target(_target(rows, n_rows), rows.text("target_name"))
    return _with_notes(result, manifest)


def _with_notes(result: Explanation, manifest: Fields) -> Explanation:
    """Return an explanation with the notes of the file, and one on the file."""
    alerts = manifest.texts("alerts")
    return result._with(alerts=alerts, notes=[*alerts, opened_note(result._context), *manifest.texts("notes")])


# --- what all features share ----------------------------------------------------------------------


def _settings(entry: Fields) -> Settings:
    size, sample = entry.has("grid_size"), entry.has("sample")
    groups = None
    if entry.has("groups"):
        groups = {from_json(name): [from_json(member) for member in members] for name, members in entry.items("groups")}
    return Settings(
        groups=groups,
        categorical_features=tuple(entry.labels("categorical_features")) if entry.has("categorical_features") else None,
        output=entry.label("output"),
        response=entry.choice("response", (*RESPONSES, "callable")),
        grid=entry.text("grid"),
        grid_size=entry.whole("grid_size", 1) if size else None,
        sample=entry.number("sample", 0) if sample else None,
        random_state=entry.whole("random_state", most=_LARGEST_SEED),
        weighted=entry.flag("weighted"),
        decay=check_decay(entry.number("decay")),
        distance=entry.text("distance"),
        convention=entry.choice("convention", CONVENTIONS),
        method=entry.choice("method", METHODS),
        memory_limit=entry.whole("memory_limit", 1),
    )


def _predictor(entry: Fields) -> Predictor:
    label = entry.text("label")
    position = entry.whole("position") if entry.has("position") else None
    return Predictor(
        predict=refused, output_label=label, named_after=partial(_same, label), output=entry.label("value"),
        position=position, response=entry.choice("response", (*RESPONSES, "callable")), notes=(), outputs=(),
        responses=(), all_outputs=refused, of_classes=entry.flag("of_classes"), classes=tuple(entry.labels("classes")),
    )  # fmt: skip


def _target(rows: Part, n_rows: int) -> Array:
    """Return the observed target, NaN where missing."""
    found = rows.array("target")
    if found.dtype != np.float64 or found.shape != (n_rows,) or np.isinf(found).any():
        raise ValueError("the target is not one number for each row")
    return found


def _same(label: str, _names: Sequence[str]) -> str:
    return label


def _index(rows: Part, n_rows: int) -> Any:
    import pandas as pd

    if not rows.has("index"):
        return None
    entry = rows.fields("index")
    labels, names = entry.labels("labels"), entry.labels("names")
    if len(labels) != n_rows:
        raise ValueError("index labels are not one for each row")
    if not entry.flag("is_multi"):
        (name,) = names
        return label_index(labels, name)
    if not all(isinstance(label, tuple) and len(label) == len(names) for label in labels):
        raise ValueError("index labels are no tuples")
    return pd.MultiIndex.from_tuples(labels, names=names)


# --- features -------------------------------------------------------------------------------------


def _set_feature(entry: Part, columns: Columns) -> Feature:
    """Make a feature of the columns, with the levels of all rows that were explained."""
    number, kind, levels = entry.whole("number"), entry.choice("kind", _KINDS), levels_of(entry)
    positions = columns.columns_by_feature.get(number)
    if positions is None or (kind == "group") != (number >= len(columns.names)):
        raise ValueError("there is no such feature")
    if (levels is not None) != (kind in UNORDERED or kind == "ordered"):
        raise ValueError("levels of a feature that has none, or none of one that has")
    members = tuple(columns.at(position) for position in positions)
    first = members[0]
    name: Name = list(columns.groups)[number - len(columns.names)] if kind == "group" else first.name
    values = entry.array("values") if entry.flag("has_own_values") or kind == "group" else first.values
    values = checked_values(values, kind, levels, columns.n_observations)
    codebook = None
    if entry.flag("has_codebook"):
        codebook = entry.numbers("codebook", (0 if levels is None else len(levels), len(members)))
    elif kind == "group" or any(member.kind == "other" for member in members):
        raise ValueError("a feature without an axis")
    is_coded = codebook is not None
    feature = Feature(
        name, columns.labels[number], kind, entry.flag("is_integer"), first.dtype, values, levels,
        decimals=None if is_coded else first.decimals,
        has_declared_levels=first.has_declared_levels and not is_coded,
        zone=None if is_coded else first.zone,
        position=number,
        members=members if is_coded else (),
        codebook=codebook,
    )  # fmt: skip
    columns.replace_feature(number, feature)
    return feature


def _feature(entry: Part, context: Context, method: SavedMethod, feature: Feature) -> FeatureExplanation:
    """Return the results of a feature; the method takes its curves."""
    item = _input(entry, context, feature)
    method.features[feature.position] = _curves(entry, item)
    arrays = entry.arrays("sums")
    if not feature.is_unordered:
        _check_active(arrays.get("active"), item.grid.n_grid)
    sums = empty_sums(item, active=arrays.get("active")).fill(arrays)
    result = FeatureExplanation(context, method, item, sums, sampling=_sampling(entry))
    result._drivers = _drivers(entry, len(item.observed))
    if entry.has("mean_prediction"):
        keep_effects(result, _effects(entry, feature))
    return result


def _check_active(active: Values | None, n_grid: int) -> None:
    if (
        active is None
        or active.dtype != np.int64
        or active.ndim != 1
        or (np.diff(active, prepend=-1, append=n_grid - 1) < 1).any()
    ):
        raise ValueError("active intervals are not in order")


def _input(entry: Part, context: Context, feature: Feature) -> FeatureInput:
    n_rows, grid = context.table.n_observations, _grid(entry, feature)
    scale, median = entry.number("scale", 0), entry.number("median")
    likelihood_scale = np.broadcast_to(1.0 if feature.is_unordered else scale, n_rows)
    if entry.has_array("likelihood_scale"):
        likelihood_scale = entry.numbers("likelihood_scale", (n_rows,))
    distances, shares = None, entry.numbers("shares", (grid.n_grid,))
    if (shares < 0).any() or not shares.sum() > 0:
        raise ValueError("no shares of the grid")
    if feature.is_unordered:
        checked_values(np.array([median]), feature.kind, feature.levels, 1)
        distances = entry.numbers("distances", (n_rows, grid.n_grid)) if entry.has_array("distances") else None
    positions, summed = context.everything, context.weighted_rows
    if entry.has_array("positions"):
        positions = summed = entry.whole_numbers("positions", n_rows)
    return FeatureInput(
        feature, grid, scale, median, shares, context.settings.decay, entry.flag("has_missing"), likelihood_scale,
        distances, positions, summed, np.full(n_rows, np.nan),
    )  # fmt: skip


def _grid(entry: Part, feature: Feature) -> Grid:
    return Grid(_in_order(entry.array("grid"), feature), entry.whole("n_distinct"), entry.flag("is_capped"))


def _in_order(values: Values, feature: Feature) -> Array:
    """Return grid values, if they are such as the feature has."""
    checked_values(values, feature.kind, feature.levels, len(values))
    if not len(values) or np.isnan(values).any() or not (np.diff(values) > 0).all():
        raise ValueError("grid values are not in order")
    return values


def _curves(entry: Part, item: FeatureInput) -> SavedCurves:
    n_rows, n_grid = len(item.observed), item.grid.n_grid
    starts = entry.whole_numbers("starts", n_grid)
    if starts[0] != 0:
        raise ValueError("the first stretch does not begin with the grid")
    return SavedCurves(
        item.grid.values,
        entry.numbers("curves", (n_rows, len(starts))),
        np.searchsorted(starts, np.arange(n_grid), side="right") - 1,
        item.observed,
        entry.numbers("at_own", (n_rows,)),
        entry.numbers("missing", (n_rows,)) if item.has_missing else None,
    )


def _effects(entry: Part, feature: Feature) -> SavedEffects:
    arrays = entry.arrays("effects")
    grid = _in_order(arrays["grid"], feature)
    columns = {name: arrays[name] for name in EFFECT_COLUMNS}
    if any(column.dtype != np.float64 or column.shape != grid.shape for column in columns.values()):
        raise ValueError("effects are not one for each value")
    return SavedEffects(grid, columns, entry.number("mean_prediction"))


def _drivers(entry: Part, n_rows: int) -> Drivers:
    drivers, rule_of_row = entry.fields("drivers"), None
    together = drivers.fields("combined")
    rules = dict(zip(together.texts("rules"), together.whole_items("counts"), strict=True))
    columns = tuple(together.texts("columns"))
    if columns:
        rule_of_row = entry.array("rule_of_row")
        if rule_of_row.shape != (n_rows,) or rule_of_row.dtype != np.int64 or len(columns) != 2:
            raise ValueError("rules are not one for each row")
        if not ((rule_of_row >= 0) & (rule_of_row < len(rules))).all():
            raise ValueError("there is no such rule")
    return Drivers(
        tuple(_driver(each) for each in drivers.objects("found")),
        Combined(columns, together.number("share"), rules, rule_of_row, is_searched=together.flag("is_searched")),
        drivers.number("size", 0),
        drivers.whole("n_rows"),
        drivers.whole("n_curves"),
    )


def _driver(entry: Fields) -> Driver:
    first, second = entry.texts("sides")
    return Driver(
        column=entry.text("column"),
        share=entry.number("share"),
        threshold=entry.number("threshold") if entry.has("threshold") else np.nan,
        levels=tuple(entry.texts("levels")) if entry.has("levels") else None,
        rule=entry.text("rule"),
        sides=(first, second),
        n_rule=entry.whole("n_rule"),
        n_rest=entry.whole("n_rest"),
    )


def _sampling(entry: Part) -> Sampling | None:
    if not entry.has("sampling"):
        return None
    n_rows, n_all = entry.whole_items("sampling")
    if not 0 < n_rows <= n_all:
        raise ValueError("no sample")
    arrays = entry.arrays("sampling")
    exponents, metrics, decayed = arrays["exponents"], {}, {}
    for name in (each for each in CONVENTIONS if each in arrays):
        errors, of_decays = arrays[name], arrays[f"{name}/decayed"]
        if errors.shape != (len(_ERRORS),) or of_decays.shape != exponents.shape or not (np.diff(exponents) > 0).all():
            raise ValueError("no errors of a sample")
        metrics[name], decayed[name] = dict(zip(_ERRORS, errors.tolist(), strict=True)), of_decays
    return Sampling(n_rows, n_all, metrics, exponents, decayed)
