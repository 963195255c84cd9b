"""An explanation from the content of a file, which anyone may have written."""

from __future__ import annotations

import json
import zipfile
import zlib
from dataclasses import fields, replace
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
from ice_explorer.models.predict import Predictor
from ice_explorer.saved.archive import Archive
from ice_explorer.saved.schema import FORMAT, RESULT, UNREADABLE, VERSION, read
from ice_explorer.saved.write import opened_note
from ice_explorer.tables.column import CODED, MOMENTS, Column, label_index
from ice_explorer.tables.table import PandasTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ice_explorer.arrays import Array, Places, Rows, Values
    from ice_explorer.features.feature import Feature

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
        if manifest["format"] != FORMAT or type(version) is not int or version < 1:
            raise ValueError("another format")
        if version <= VERSION:
            entries = read(RESULT, manifest, "", archive, {})
            archive.check_all_read()
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


def _check(is_right: object, problem: str) -> None:
    if not is_right:
        raise ValueError(problem)


def _explanation(entries: Entries) -> Explanation:
    rows, settings, output = entries["rows"], entries["settings"], entries["output"]
    n_rows, n_all, weights = len(rows["positions"]), rows["n_all"], rows["weights"]
    _check(n_rows and _increase(rows["positions"], n_all), "rows are not in order")
    _check((weights is not None) == settings.weighted, "weights are missing, or not used")
    _check(weights is None or (weights >= 0).all(), "weights are negative")
    json.dumps(entries["provenance"], allow_nan=False)  # is written into files again
    table = _table(list(map(_column, entries["columns"])), _row_index(rows["index"], n_rows))
    columns = Columns(table, settings.groups, settings.categorical_features or ())
    for axis in entries["others"]:
        _set_feature(axis, columns)
    features = [_set_feature(axis, columns) for axis in entries["features"]]
    _check(len({feature.position for feature in features}) == len(features), "a feature is there twice")
    method = KnownMethod(**entries["method"])
    check = PredictionCheck(table, columns.columns_by_feature, 0)
    check.predict, check.predicted = refuse, np.empty(0)
    predictor = Predictor(
        **output, predict=refuse, notes=(), outputs=(), responses=(),
        all_outputs=refuse,
    )  # fmt: skip
    context = Context(
        table, columns, weights, predictor, settings, check, progress=False,
        bytes_for_blocks=settings.memory_limit, n_summed=n_all, origin=entries["provenance"],
    )  # fmt: skip
    context.brute.observed, context.brute.known = rows["predictions"].__getitem__, method.predict
    vars(context)["prediction_sd"] = entries["prediction_sd"]
    results = [
        _feature(each, context, method, feature) for each, feature in zip(entries["features"], features, strict=True)
    ]
    result = Explanation(context, method, results, ())
    alerts, target = entries["alerts"], {"_observed_target": rows["target"], "_target_name": rows["target_name"]}
    return result._with(_alerts=alerts, notes=[*alerts, opened_note(context), *entries["notes"]], **target)


def _increase(positions: Rows, end: int) -> bool:
    """Whether integers increase from 0 or more to less than the end."""
    return bool((np.diff(positions, prepend=-1, append=end) > 0).all())


# --- rows -----------------------------------------------------------------------------------------


def _column(entry: Entries) -> Column:
    kind, levels, texts = entry["kind"], entry["levels"], entry.pop("texts")
    _check((levels is not None) == (kind in CODED), "levels of a column that has none, or none of one that has")
    _check((texts is not None) == (kind == "other") != (entry["values"] is not None), "values are missing")
    _check(entry["decimals"] is None or kind == "numeric", "decimals of what is no number")
    _check(entry["zone"] is None or kind == "datetime", "the time zone of what is no date")
    values = np.fromiter(texts, object) if texts is not None else _check_values(entry["values"], kind, levels)
    return Column(**entry | {"label": str(entry["name"]), "values": values})


def _check_values(values: Array, kind: str, levels: Values | None) -> Array:
    """Return values, if they are such as a column of the kind has."""
    present = values[~np.isnan(values)]
    _check(kind not in MOMENTS or (np.abs(present) <= _LATEST).all(), "dates are too late")
    if levels is not None or kind == "boolean":
        n_levels = 2 if levels is None else len(levels)
        are_codes = (present >= 0) & (present < n_levels) & (present == np.rint(present))
        _check(are_codes.all(), "values are no codes of levels")
    return values


def _table(columns: Sequence[Column], index: Any) -> PandasTable:
    names, n_rows = [column.name for column in columns], len(columns[0].values)
    _check(len({str(name) for name in names}) == len(names), "two columns have one name")
    _check(all(len(column.values) == n_rows for column in columns), "texts are not one for each row")
    frame = pd.concat([pd.Series(_cells(column)) for column in columns], axis=1)
    frame.columns = label_index(names)
    frame.index = pd.RangeIndex(n_rows) if index is None else index
    table = PandasTable(frame, columns)
    table.index = index
    return table


def _cells(column: Column) -> Any:
    values = column.values
    if column.kind == "other":
        return pd.Series(values, dtype=object)
    if column.kind in CODED and column.has_declared_levels:
        codes = np.where(np.isnan(values), -1, values).astype(np.int64)
        return pd.Categorical.from_codes(codes, label_index(column.levels), column.kind == "ordered")
    native = column.in_utc(values)
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
    _check(len(labels) == n_rows, "index labels are not one for each row")
    if not entry["is_multi"]:
        (name,) = names
        return label_index(labels, name)
    are_tuples = all(isinstance(label, tuple) and len(label) == len(names) for label in labels)
    _check(are_tuples, "index labels are no tuples")
    return pd.MultiIndex.from_tuples(labels, names=names)


# --- features -------------------------------------------------------------------------------------


def _set_feature(entry: Entries, columns: Columns) -> Feature:
    """Make a feature of the columns, with the levels of all rows that were explained."""
    number, codebook = entry["number"], entry["codebook"]
    _check(number in columns.columns_by_feature, "there is no such feature")
    made = columns.feature(number)
    levels: Any = made.levels if entry["levels"] is None and codebook is None else entry["levels"]
    _check((levels is None) == (made.levels is None), "levels of a feature that has none, or none of one that has")
    _check((codebook is None) == (made.codebook is None), "a codebook is missing, or not used")
    _check(codebook is None or codebook.shape == (len(levels), len(made.members)), "a codebook is of another shape")
    values = columns.column(number).values if entry["values"] is None else entry["values"]
    feature = replace(
        made, is_integer=entry["is_integer"], levels=levels, values=_check_values(values, made.kind, levels),
        codebook=codebook,
    )  # fmt: skip
    columns.replace_feature(number, feature)
    return feature


def _feature(entry: Entries, context: Context, method: KnownMethod, feature: Feature) -> FeatureExplanation:
    item = _input(entry, context, feature)
    starts, n_grid, drivers, missing = entry["starts"], item.grid.n_grid, entry["drivers"], entry["missing"]
    _check(len(starts) and starts[0] == 0 and _increase(starts, n_grid), "stretches are not those of the grid")
    _check((missing is not None) == item.has_missing, "predictions with missing values are missing")
    stretch_of_grid = np.searchsorted(starts, np.arange(n_grid), side="right") - 1
    method.features[feature.position] = KnownCurves(item, entry["curves"], stretch_of_grid, entry["own"], missing)
    sums, sampling = entry["sums"], entry["sampling"]
    active = None if feature.is_unordered else sums["active"]
    _check(active is None or _increase(active, n_grid - 1), "active intervals are not in order")
    _check(sampling is None or sampling.n_rows <= sampling.n_all, "no sample")
    _check(sampling is None or (np.diff(sampling.exponents) > 0).all(), "decays of a sample are not in order")
    filled = empty_sums(item, active=active).fill(sums)
    result = FeatureExplanation(context, method, item, filled, sampling=sampling)
    _check(all(len(driver.sides) == 2 for driver in drivers.ranked), "a split has two sides")
    result._once(DRIVERS, lambda: drivers)
    return result


def _check_grid(values: Array, feature: Feature) -> None:
    _check_values(values, feature.kind, feature.levels)
    _check(len(values) and (np.diff(values) > 0).all(), "grid values are not in order")


def _input(entry: Entries, context: Context, feature: Feature) -> FeatureInput:
    n_rows, positions, summed = context.table.n_observations, context.all_rows, context.weighted_rows
    _check_grid(entry["grid"].values, feature)
    _check((entry["shares"] >= 0).all() and entry["shares"].sum() > 0, "no shares of the grid")
    if feature.is_unordered:
        _check_values(np.array([entry["median"]]), feature.kind, feature.levels)
    if entry["positions"] is not None:
        positions = summed = entry["positions"]
        _check(len(positions) and _increase(positions, n_rows), "rows of a sample are not in order")
    given = {each.name: entry[each.name] for each in fields(FeatureInput) if each.name in entry}
    made = {"row_scales": entry["likelihood_scale"], "positions": positions, "summed": summed}
    return FeatureInput(
        **given | made,
        feature=feature,
        decay=context.settings.decay,
        convention=context.settings.convention,
        missing_changes=np.full(n_rows, np.nan),
    )


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

    def sums(self, *_: object) -> NoReturn:
        """Raise: sums are those of the file."""
        refuse()

    def predict(self, feature: Any, positions: Rows, values: Array) -> Array:
        """Return predictions of rows with a feature at values (n_rows, n_values); NaN is missing."""
        known = self.features.get(getattr(feature, "position", -1))
        if known is None:
            refuse()
        grid, rows = known.item.grid.values, positions[:, None]
        places = np.minimum(np.searchsorted(grid, values), len(grid) - 1)
        is_on_grid, is_own = grid[places] == values, known.item.observed[rows] == values
        predictions = np.where(is_on_grid, known.stretches[rows, known.stretch_of_grid[places]], known.own[rows])
        is_known = is_on_grid | is_own
        if known.missing is not None:
            is_missing = np.isnan(values)
            predictions, is_known = np.where(is_missing, known.missing[rows], predictions), is_known | is_missing
        if not is_known.all():
            refuse()
        return predictions
