"""An explanation from the content of a file, which anyone may have written."""

from __future__ import annotations

import json
import zipfile
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple, NoReturn

import numpy as np
import pandas as pd

from ice_explorer.curves.choose import PredictionCheck
from ice_explorer.curves.inputs import Context, FeatureInput
from ice_explorer.curves.method import EVERYWHERE, CurveMethod, empty_sums
from ice_explorer.errors import DataError, ModelNeededError
from ice_explorer.errors.base import quoted
from ice_explorer.explanation import Explanation
from ice_explorer.feature import DRIVERS, FeatureExplanation
from ice_explorer.features.columns import Columns
from ice_explorer.features.moves import MovedFeature, Moves
from ice_explorer.metrics.sums import MOST as MOST_OUTLYING
from ice_explorer.models.predict import Predictor
from ice_explorer.results.notes import notes_on
from ice_explorer.saved.archive import Archive, check
from ice_explorer.saved.schema import FORMAT, RESULT, UNREADABLE, VERSION, check_headers, read
from ice_explorer.saved.write import opened_note
from ice_explorer.tables.column import CODED, MOMENTS, Column, label_index
from ice_explorer.tables.table import PandasTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ice_explorer.arrays import Array, Places, Rows, Values

    Entries = dict[str, Any]


_PLAIN: Final = ("float32", "float16", "int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64")
_LATEST: Final = 1.06e8  # days, that microseconds count in 64 bits
_DAMAGED: Final = (*UNREADABLE, AttributeError, EOFError, RecursionError, RuntimeError, zipfile.BadZipFile, zlib.error)


def read_result(file: BinaryIO, name: str) -> Explanation:
    """Return the explanation that a file has, or raise if it is damaged, or of a later version of the format."""
    try:
        archive = Archive(file)
        manifest = archive.read_manifest()
        version = manifest["version"]
        check(manifest["format"] == FORMAT and type(version) is int and version >= 1, "another format")
        if version <= VERSION:
            check_headers(RESULT, manifest, "", archive, {})
            check(not archive.unread, "there are further members")
            entries = read(RESULT, manifest, "", archive)
            with np.errstate(all="ignore"):  # sums that nobody has computed
                return _explanation(entries)
    except MemoryError as error:
        raise DataError(
            f"`path` must be a result that fits into memory; {quoted(name)} does not.",
            "Save it again with a smaller `max_lines`.",
        ) from error
    except _DAMAGED as error:
        raise DataError(
            f"`path` must be a result that `save` wrote as '.ice'; {quoted(name)} is damaged, or none.",
            "Save it again.",
        ) from error
    raise DataError(
        f"`path` must be a result of version {VERSION} of the format, or before; "
        f"{quoted(name)} is of version {version}.",
        "Install a later version of ice_explorer.",
    )


def _explanation(entries: Entries) -> Explanation:
    rows, settings, axes = entries["rows"], entries["settings"], entries["features"]
    n_rows, n_all, weights = len(rows["positions"]), rows["n_all"], rows["weights"]
    check(rows["positions"][-1] < n_all, "there are no such rows")
    check((weights is not None) == settings.weighted, "weights are missing, or not used")
    json.dumps(entries["provenance"], allow_nan=False)  # is written into files again
    table = _table(list(map(_column, entries["columns"])), _row_index(rows["index"], n_rows))
    groups: dict[Any, Any] = dict(settings.groups or {})
    for column in map(_column, entries["moved"]):
        observed: Any = column
        groups[column.name] = Moves(columns=groups[column.name], observed=observed)
    columns = Columns(table, groups, settings.categorical_features or ())
    for axis in (*entries["others"], *axes):
        _set_feature(axis, columns)
    check(len({axis["number"] for axis in axes}) == len(axes), "a feature is there twice")
    method = KnownMethod(**entries["method"])
    prediction_check = PredictionCheck(table, columns.columns_by_feature, 0)
    prediction_check.predict, prediction_check.predicted = refuse, np.empty(0)
    predictor = Predictor(**entries["output"], predict=refuse, notes=(), outputs=(), responses=(), all_outputs=refuse)
    context = Context(
        table, columns, weights, predictor, settings, prediction_check, progress=False,
        bytes_for_blocks=settings.memory_limit, n_summed=n_all, origin=entries["provenance"],
    )  # fmt: skip
    context.brute.observed, context.brute.known = rows["predictions"].__getitem__, method.predict
    vars(context)["prediction_sd"] = entries["prediction_sd"]
    result = Explanation(context, method, [_feature(axis, context, method, rows["positions"]) for axis in axes], ())
    alerts, target = entries["alerts"], {"_observed_target": rows["target"], "_target_name": rows["target_name"]}
    notes = [*alerts, opened_note(context), *entries["notes"]]
    return result._with(_alerts=alerts, notes=notes, _rows_explained=rows["positions"], **target)


# --- rows -----------------------------------------------------------------------------------------


def _column(entry: Entries) -> Column:
    kind, levels, texts, values = entry["kind"], entry["levels"], entry.pop("texts"), entry["values"]
    check((levels is not None) == (kind in CODED), "levels of a column that has none, or none of one that has")
    check((texts is not None) == (kind == "other") != (values is not None), "values are missing")
    check(entry["decimals"] is None or kind == "numeric", "decimals of what is no number")
    check(entry["zone"] is None or kind == "datetime", "the time zone of what is no date")
    if texts is None:
        _check_values(values, kind, levels)
    else:
        values = np.fromiter(texts, object)
    return Column(**entry | {"label": str(entry["name"]), "values": values})


def _check_values(values: Array, kind: str, levels: Values | None) -> None:
    """Raise unless values are such as a column of the kind has."""
    present = values[~np.isnan(values)]
    check(kind not in MOMENTS or (np.abs(present) <= _LATEST).all(), "dates are too late")
    if levels is not None or kind == "boolean":
        n_levels = 2 if levels is None else len(levels)
        are_codes = (present >= 0) & (present < n_levels) & (present == np.rint(present))
        check(are_codes.all(), "values are no codes of levels")


def _table(columns: Sequence[Column], index: Any) -> PandasTable:
    names, n_rows = [column.name for column in columns], len(columns[0].values)
    check(len({str(name) for name in names}) == len(names), "two columns have one name")
    check(all(len(column.values) == n_rows for column in columns), "texts are not one for each row")
    frame = pd.concat([pd.Series(_cells(column)) for column in columns], axis=1)
    frame.columns = label_index(names)
    frame.index = pd.RangeIndex(n_rows) if index is None else index
    table = PandasTable(frame, columns)
    table.index = index
    return table


def _cells(column: Column) -> Any:
    values = column.values
    if column.kind in CODED and column.has_declared_levels:
        codes = np.where(np.isnan(values), -1, values).astype(np.int64)
        return pd.Categorical.from_codes(codes, label_index(column.levels), column.kind == "ordered")
    native = values if column.kind == "other" else column.in_utc(values)
    if column.zone is not None:
        return pd.DatetimeIndex(native).tz_localize("UTC").tz_convert(column.zone)
    if native.dtype.kind == "O":
        return pd.Series(native, dtype=object)
    has_holes = native.dtype.kind == "f" and "int" in column.dtype and np.isnan(native).any()
    return native.astype(column.dtype) if column.dtype in _PLAIN and not has_holes else native


def _row_index(entry: Entries | None, n_rows: int) -> Any:
    if entry is None:
        return None
    labels, names = entry["labels"], entry["names"]
    check(len(labels) == n_rows, "index labels are not one for each row")
    if not entry["is_multi"]:
        (name,) = names
        return label_index(labels, name)
    are_tuples = all(isinstance(label, tuple) and len(label) == len(names) for label in labels)
    check(are_tuples, "index labels are no tuples")
    return pd.MultiIndex.from_tuples(labels, names=names)


# --- features -------------------------------------------------------------------------------------


def _set_feature(entry: Entries, columns: Columns) -> None:
    """Give a feature of the columns the levels of all rows that were explained."""
    number, codebook = entry["number"], entry["codebook"]
    check(number in columns.columns_by_feature, "there is no such feature")
    made = columns.feature(number)
    levels: Any = made.levels if entry["levels"] is None and codebook is None else entry["levels"]
    for given, own in ((levels, made.levels), (codebook, made.codebook)):
        check((given is None) == (own is None), "levels or a codebook are missing, or not used")
    check(codebook is None or codebook.shape == (len(levels), len(made.members)), "a codebook is of another shape")
    values = entry["values"]
    if values is None:
        values = (made if isinstance(made, MovedFeature) else columns.column(number)).values
    _check_values(values, made.kind, levels)
    changed: Any = {"is_integer": entry["is_integer"], "levels": levels, "values": values, "codebook": codebook}
    columns.replace_feature(number, replace(made, **changed))


def _feature(entry: Entries, context: Context, method: KnownMethod, rows: Rows) -> FeatureExplanation:
    """Return a feature; `rows` are those of X that are at hand."""
    feature, settings, n_rows = context.columns.feature(entry["number"]), context.settings, context.table.n_observations
    grid, shares, starts, sampling = entry["grid"], entry["shares"], entry["starts"], entry["sampling"]
    _check_values(grid.values, feature.kind, feature.levels)
    if feature.is_unordered:
        _check_values(np.array([entry["median"]]), feature.kind, feature.levels)
    check(shares.sum() > 0, "no shares of the grid")
    positions = summed = entry["positions"]
    if positions is None:
        positions, summed = context.all_rows, context.weighted_rows
    check(positions[-1] < n_rows, "there are no such rows in the sample")
    item = FeatureInput(
        feature, grid, entry["scale"], entry["median"], shares, settings.decay, settings.convention,
        entry["has_missing"], row_scales=entry["likelihood_scale"], distances=entry["distances"], positions=positions,
        summed=summed, missing_changes=np.full(n_rows, np.nan),
    )  # fmt: skip
    check(starts[0] == 0 and starts[-1] < grid.n_grid, "stretches are not those of the grid")
    check((entry["missing"] is not None) == item.has_missing, "predictions with missing values are missing")
    stretch_of_grid = np.searchsorted(starts, np.arange(grid.n_grid), side="right") - 1
    known = KnownCurves(item, entry["curves"], stretch_of_grid, entry["own"], entry["missing"])
    method.features[feature.position] = known
    active = None if feature.is_unordered else entry["sums"]["active"]
    check(active is None or active.max(initial=-1) < grid.n_grid - 1, "there are no such intervals")
    check(sampling is None or sampling.n_rows <= sampling.n_all, "no sample")
    sums = empty_sums(item, active=active).fill(entry["sums"])
    outlying = context.all_rows[:0] if entry["outlying"] is None else entry["outlying"]
    check(np.isin(outlying, summed).all() and len(outlying) <= MOST_OUTLYING, "rows that lie far are no such rows")
    sums.outlying = np.searchsorted(summed, outlying)
    result = FeatureExplanation(context, method, item, sums, sampling=sampling)
    vars(result)["_notes"] = notes_on(sums, item, rows[outlying])  # which name rows as they were explained
    check(all(len(driver.sides) == 2 for driver in entry["drivers"].ranked), "a split has two sides")
    result._once(DRIVERS, lambda: entry["drivers"])
    return result


# --- predictions and curves of a file, in place of a model ------------------------------------------

_ROWS_AT_A_TIME: Final = 2048


def refuse(*_: object) -> NoReturn:
    """Raise: there is no model."""
    raise ModelNeededError.predictions("Predictions at other values than those of the file need")


class KnownCurves(NamedTuple):
    """Predictions of one feature: curves by stretch, and at observed values (the median for missing) and without them.

    `stretches` is (n_rows, n_stretches), `stretch_of_grid` (n_grid,), `own` and `missing` (n_rows,).
    """

    item: FeatureInput
    stretches: Array
    stretch_of_grid: Places
    own: Array
    missing: Array | None


class KnownMethod(CurveMethod):
    """Curves by number of the feature; `name` and `reason` are those of what computed them."""

    has_copied_model = True
    sums = refuse  # type: ignore[assignment]  # those of the file are used

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name, reason)
        self.features: dict[int, KnownCurves] = {}

    def curves(
        self, item: FeatureInput, positions: Rows, at: Places | slice = EVERYWHERE
    ) -> Iterator[tuple[Rows, Array]]:
        """Yield blocks of rows and their curves at every grid value, or at some places of the grid."""
        known = self.features[item.feature.position]
        for start in range(0, len(positions), _ROWS_AT_A_TIME):
            rows = positions[start : start + _ROWS_AT_A_TIME]
            yield rows, np.asarray(known.stretches[rows][:, known.stretch_of_grid[at]])

    def predict(self, feature: Any, positions: Rows, values: Array) -> Array:
        """Return predictions of rows with a feature at values (n_rows, n_values); NaN is missing."""
        known = self.features.get(getattr(feature, "position", -1))
        if known is None:
            refuse()
        grid, rows, is_missing = known.item.grid.values, positions[:, None], np.isnan(values)
        places = np.minimum(np.searchsorted(grid, values), len(grid) - 1)
        is_on_grid, is_own = grid[places] == values, known.item.observed[rows] == values
        if not (is_on_grid | is_own | (is_missing & (known.missing is not None))).all():
            refuse()
        predictions = np.where(is_on_grid, known.stretches[rows, known.stretch_of_grid[places]], known.own[rows])
        return predictions if known.missing is None else np.where(is_missing, known.missing[rows], predictions)
