"""A feature: what a curve varies, on an axis of numbers.

Most features are a column of X as it is. A declared category is a column whose numbers are names; a group is
several columns of 0 and 1 that move together. Other modules use coordinates
only; the feature converts them to values for X.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from ice_explorer.checks import LARGEST, real_numbers
from ice_explorer.errors import InputDataError, InvalidOptionError
from ice_explorer.errors.base import counted, listed, quoted
from ice_explorer.errors.labels import clipped, readable

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from numpy.typing import NDArray

    from ice_explorer.adapters.tables.table import Column, Name

    Array = NDArray[np.float64]

FeatureKind = Literal["numeric", "boolean", "category", "ordered", "datetime", "timedelta", "group"]
UNORDERED = ("category", "group")
_FEW_LEVELS = 8
_MOMENTS = ("datetime", "timedelta")


@dataclass(frozen=True, eq=False)
class Feature:
    """One axis, and the columns of X that move along it.

    - `at_issue`: position of its column; groups are numbered behind the last column.
    - `label`: the name as people read it.
    - `is_integer`: whether only whole numbers, or whole days, make sense on the axis.
    - `values` (n_observations,): own coordinates; NaN is missing.
    - `levels` (n_levels,): what the codes 0 … n_levels - 1 stand for, where coordinates are codes.
    - `members`: the columns that move.
    - `positions`: their positions in X.
    - `codebook` (n_levels, n_members): coordinates of the members at each code; None where they are the coordinate
      itself.
    """

    at_issue: int
    name: Name
    label: str
    kind: FeatureKind
    is_integer: bool
    values: Array
    levels: NDArray[Any] | None
    members: tuple[Column, ...]
    positions: tuple[int, ...]
    codebook: Array | None = None

    @property
    def readable(self) -> object:
        """The name as messages quote it."""
        return readable(self.name, self.label)

    @property
    def digits(self) -> int | None:
        """How many digits behind the point its values have: 0 of whole ones, None where any number may do."""
        if self.is_integer:
            return 0
        return self.members[0].digits if self.kind == "numeric" else None

    @property
    def is_unordered(self) -> bool:
        """Whether its levels have no order, so that its curves have no slopes."""
        return self.kind in UNORDERED

    @property
    def is_in_natural_order(self) -> bool:
        """Whether its levels have no declared order and are shown in the natural order of their texts."""
        return self.kind == "category" and self.members[0].in_natural_order

    def of_members(self, coordinates: Array) -> list[Array]:
        """Coordinates of each member where the feature has these."""
        if self.codebook is None:
            return [coordinates]
        present = ~np.isnan(coordinates)
        code = np.where(present, coordinates, 0.0).astype(np.intp)
        return [np.where(present, of_level[code], np.nan) for of_level in self.codebook.T]

    def natives(self, coordinates: Array) -> Mapping[int, NDArray[Any]]:
        """What to write into X for coordinates of any shape, by position of the column."""
        own = self.of_members(coordinates)
        return {
            position: member.native(values)
            for position, member, values in zip(self.positions, self.members, own, strict=True)
        }

    def native(self, coordinates: Array) -> NDArray[Any]:
        """What coordinates stand for: numbers, dates, labels, None or NaN where missing."""
        if self.levels is None or self.codebook is None:
            return self.members[0].in_zone(coordinates)
        present = ~np.isnan(coordinates)
        labels = np.full(coordinates.shape, None, dtype=object)
        labels[present] = self.levels[coordinates[present].astype(np.intp)]
        return labels

    def text(self, coordinate: float) -> str:
        """Write a coordinate for a message: a number to the last digit, labels in quotes."""
        if np.isnan(coordinate) or (self.levels is None and self.kind not in _MOMENTS):
            return repr(float(coordinate))
        native = self.native(np.array([coordinate]))[0]
        return quoted(native) if self.levels is not None else _written(native)

    def shown(self, coordinate: float) -> str:
        """Write a coordinate for readers."""
        native = self.native(np.array([coordinate]))[0]
        if self.kind in _MOMENTS:
            return _written(native)
        return f"{coordinate:.6g}" if self.kind == "numeric" else clipped(str(native))

    def coordinate_of(self, native: object) -> float | None:
        """Find the coordinate of one value given by the user; None where it has none."""
        if self.levels is not None:
            return self._code_of(native)
        if self.kind in _MOMENTS:
            found = _days(self, [native])
            return None if found is None or np.isnan(found[0]) else float(found[0])
        number = real_numbers(native) if isinstance(native, (int, float, Decimal, np.number, np.bool_)) else None
        return None if number is None or not np.isfinite(number) else float(number)

    def _code_of(self, label: Any) -> float | None:
        """Return the code of a label, found by its value or its text."""
        codes, codes_of_texts = self._codes
        try:
            return codes.get(label, codes_of_texts.get(label) if isinstance(label, str) else None)
        except TypeError:  # such as a list, which cannot be a level
            return None

    @cached_property
    def _codes(self) -> tuple[dict[Hashable, float], dict[str, float]]:
        """Codes by level and by its text, the first of several levels of one text."""
        assert self.levels is not None  # noqa: S101 - the caller has looked
        codes = {level: float(code) for code, level in enumerate(self.levels.tolist())}
        return codes, {str(level): code for level, code in reversed(codes.items())}

    def grid_of(self, given: Any, check: Callable[[object, Any, Callable[[float], str]], Array]) -> Array:
        """Turn a grid given in the values of the feature into coordinates, or say what is wrong with it.

        Labels may come in any order: the grid has that of the levels.
        """
        if self.levels is not None:
            return self._codes_of(given)
        if self.kind in _MOMENTS:
            found = _days(self, given)
            if found is None:
                what = "dates" if self.kind == "datetime" else "timedeltas"
                raise InvalidOptionError.grid_values(self.readable, f"got {quoted(given)}", f"Pass a list of {what}.")
            given = found
        return check(self.name, given, self.text)

    def _codes_of(self, given: Any) -> Array:
        assert self.levels is not None  # noqa: S101 - the caller has looked
        if isinstance(given, str) or not hasattr(given, "__iter__"):
            given = [given]
        codes: dict[float, None] = {}
        for label in given:
            code = self._code_of(label)
            if code is None:
                raise InvalidOptionError.must(
                    "grid",
                    "give a category levels that occur in X or are declared by its dtype",
                    label,
                    f"Its levels are {listed(self.levels.tolist())}.",
                    where=f" for {quoted(self.readable)}",
                    known=self.levels.tolist(),
                )
            if code in codes:
                raise InvalidOptionError.must(
                    "grid",
                    "give each level once",
                    label,
                    "Remove one of them.",
                    where=f" twice for {quoted(self.readable)}",
                )
            codes[code] = None
        if not codes:
            raise InvalidOptionError(
                f"`grid` must give a category at least one level; got none for {quoted(self.readable)}.",
                f"Its levels are {listed(self.levels.tolist())}.",
            )
        return np.sort(np.array(list(codes)))


def _written(moment: Any) -> str:
    """Write a datetime, with its offset from UTC where it has a zone, or a timedelta, no finer than it is."""
    if hasattr(moment, "tzinfo"):
        offset = f"{moment:%z}"
        return f"{_written(moment.tz_localize(None).to_datetime64())} {offset[:3]}:{offset[3:]}"
    if moment.dtype.kind == "M":
        return str(np.datetime_as_string(moment, unit="auto"))
    return str(moment.astype("m8[us]").item())


def _days(feature: Feature, given: Any) -> Array | None:
    """Turn dates or timedeltas into days; None where they are neither."""
    unit = "datetime64" if feature.kind == "datetime" else "timedelta64"
    values = list(given) if hasattr(given, "__iter__") and not isinstance(given, str) else [given]
    if any(
        isinstance(value, (bool, int, float, np.number)) and not isinstance(value, np.timedelta64) for value in values
    ):
        return None  # numpy would take them for microseconds
    try:
        moments = np.array([_moment(feature, value) for value in values], dtype=f"{unit}[us]")
    except InvalidOptionError:
        raise
    except (TypeError, ValueError):
        return None
    return feature.members[0].coordinates(moments)


def _moment(feature: Feature, value: Any) -> Any:
    """Return a moment without what pandas wraps it in; of datetimes with a zone that in UTC.

    - raises InvalidOptionError: if one of value and column has a time zone and the other has none: that is a shift by
      hours. A date as text is one in the zone of the column.
    """
    if feature.kind == "timedelta":
        return np.timedelta64(value, "us")
    zone = feature.members[0].zone
    if zone is not None and isinstance(value, str):
        value = feature.members[0].moment_of(value)
    is_aware = getattr(value, "tzinfo", None) is not None
    if is_aware != (zone is not None) and not (isinstance(value, str) or _is_missing(value)):
        what, reason, advice = (
            ("no", "has none", "Write them without one: `value.replace(tzinfo=None)`.")
            if zone is None
            else (
                "a",
                f"is in {quoted(str(zone))}",
                f"Write `pd.Timestamp({quoted(str(value))}, tz={quoted(str(zone))})`.",
            )
        )
        raise InvalidOptionError(
            f"Values of {quoted(feature.readable)} must have {what} time zone, because the column {reason}; "
            f"got {quoted(value)}.",
            advice,
        )
    if is_aware:
        return np.datetime64(value.astimezone(UTC).replace(tzinfo=None), "us")
    return np.datetime64(value, "us")


def _is_missing(value: Any) -> bool:
    return value is None or bool(value != value)  # noqa: PLR0124 - NaT


def tells_rows_apart(n_levels: int, n_rows: int) -> bool:
    """Return True for levels that name rows rather than group them: more than 8, and more than one for two rows."""
    return n_levels > _FEW_LEVELS and 2 * n_levels > n_rows


def feature_of(position: int, column: Column) -> Feature:
    """Make a feature of a column as it is."""
    if column.kind == "other":
        raise InputDataError.no_kind(column.readable, column.dtype)
    infinite = np.flatnonzero(np.isinf(column.values))
    if infinite.size:
        raise InputDataError.feature_must(
            column.readable,
            "finite numbers",
            f"holds infinite values in {counted(infinite.size, 'row')}: {listed(infinite.tolist())}",
            "Replace them, or leave the feature out with `features=`.",
        )
    too_large = np.flatnonzero(np.abs(column.values) > LARGEST)
    if too_large.size:
        row = int(too_large[0])
        raise InputDataError.feature_must(
            column.readable,
            f"numbers from {-LARGEST:g} to {LARGEST:g}",
            f"holds {float(column.values[row])!r} in row {row}",
            "Replace it if it stands for a missing value, or leave the feature out with `features=`.",
        )
    present = column.values[~np.isnan(column.values)]
    whole_days = column.kind in _MOMENTS and bool(np.all(present == np.rint(present)))
    return Feature(
        position, column.name, column.label, column.kind, column.is_integer or whole_days or column.kind == "ordered",
        column.values, column.levels, (column,), (position,),
    )  # fmt: skip


def unordered(feature: Feature) -> Feature:
    """Return a feature whose values are names without an order: levels as they are, else the values that occur."""
    if feature.levels is not None:
        return feature if feature.is_unordered else replace(feature, kind="category", is_integer=False)
    distinct = np.unique(feature.values[~np.isnan(feature.values)])
    values = np.where(np.isnan(feature.values), np.nan, np.searchsorted(distinct, feature.values))
    return replace(
        feature,
        kind="category",
        is_integer=False,
        values=values,
        levels=_objects(feature.native(distinct).tolist()),
        codebook=distinct[:, None],
    )


def group_of(
    at_issue: int, name: Name, label: str, members: Sequence[Column], positions: Sequence[int], *, levels: Sequence[str]
) -> Feature:
    """Make one feature of columns of 0 and 1, at most one of which is 1 in a row.

    - `levels`: name of the level at which each member is 1; one more where no member is 1 in some row.
    """
    values = np.column_stack([member.values for member in members])
    return Feature(
        at_issue=at_issue,
        name=name,
        label=label,
        kind="group",
        is_integer=False,
        values=np.where(values.any(axis=1), np.argmax(values, axis=1), len(members)).astype(np.float64),
        levels=_objects(levels),
        members=tuple(members),
        positions=tuple(positions),
        codebook=np.eye(len(levels), len(members)),
    )


def step_of(feature: Feature, step: object) -> float:
    """Return a step along the axis of a feature, given as a number or, of dates and durations, as a timedelta.

    - raises InvalidOptionError: if the feature has no order, or the step is not a number greater than 0.
    """
    if feature.is_unordered:
        raise InvalidOptionError(
            f"`unit` gives {quoted(feature.readable)} a step, but its levels have no order.", "Leave it out of `unit`."
        )
    is_number = isinstance(step, (int, float, np.number)) and not isinstance(step, np.timedelta64)
    if feature.kind in _MOMENTS and not is_number:
        try:
            found: float | None = float(np.timedelta64(cast("Any", step), "us") / np.timedelta64(1, "D"))
        except (TypeError, ValueError):
            found = None
    else:
        number = real_numbers(step) if is_number else None
        found = None if number is None else float(number)
    if found is None or isinstance(step, (bool, np.bool_)) or not (0 < found < np.inf):
        raise InvalidOptionError.must(
            "unit",
            f"give {quoted(feature.readable)} a number greater than 0, or of dates a timedelta",
            step,
            "Leave it out of `unit` for one standard deviation.",
        )
    return found


def with_levels_of(feature: Feature, other: Feature) -> Feature:
    """Number the levels of a feature as those of the same feature elsewhere; levels of its own come after them.

    - raises InvalidOptionError: if the dtype of its column declares its levels, and not all of the other's.
    """
    if feature.levels is None or other.levels is None:
        return feature
    own, levels = feature.levels.tolist(), other.levels.tolist()
    if own == levels:
        return feature
    new = [code for code, level in enumerate(own) if level not in levels]
    absent = [level for level in levels if level not in own]
    if feature.kind == "ordered" or (absent and feature.members[0].has_declared_levels):
        raise InvalidOptionError.unlike(
            feature.readable, f"declare the levels that it has in `like`, {listed(levels)}", listed(own)
        )
    merged = _objects([*levels, *(own[code] for code in new)])
    code_of = np.array([merged.tolist().index(level) for level in own], dtype=np.float64)
    present = ~np.isnan(feature.values)
    values = np.full(feature.values.shape, np.nan)
    values[present] = code_of[feature.values[present].astype(np.intp)]
    if feature.codebook is not None and other.codebook is not None:
        return replace(
            feature, values=values, levels=merged, codebook=np.concatenate([other.codebook, feature.codebook[new]])
        )
    column = replace(feature.members[0], values=values, levels=merged)
    return replace(feature, values=values, levels=merged, members=(column,))


def _objects(labels: Sequence[object]) -> NDArray[Any]:
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array
