"""A feature: a column that curves vary, the columns of X that vary with it, its grid, and samples that cover it.

Most features are a column of X as it is. A declared category is a column whose numbers are names; a group is
several columns of 0 and 1 that move together, or columns that are made of one quantity (`moves`). Other modules use
coordinates; the feature converts what users give.
"""

from __future__ import annotations

import zlib
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import UTC
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ice_explorer.checks import LARGEST, count_masked, to_float_array
from ice_explorer.errors import DataError, OptionError
from ice_explorer.errors.base import counted, did_you_mean, listed, quoted
from ice_explorer.features.axis_text import cell_writer
from ice_explorer.tables.column import MOMENTS, Column, is_missing, to_days

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from ice_explorer.arrays import Array, Rows
    from ice_explorer.tables.column import SortedValues


GridName = Literal["observed", "quantile", "uniform", "thresholds"]
GRID_NAMES: tuple[GridName, ...] = ("observed", "quantile", "uniform", "thresholds")

AnchorName = Literal["min", "max", "median", "own"]
ANCHOR_NAMES: tuple[AnchorName, ...] = ("min", "max", "median", "own")
FeatureKind = Literal["numeric", "boolean", "category", "ordered", "datetime", "timedelta", "group"]
UNORDERED = ("category", "group")
LEVELLED = ("category", "ordered", "group")
OFF_GRID = -1.0  # the place of a level that is not on the grid
_FEW_LEVELS = 8


@dataclass(frozen=True, eq=False)
class Feature(Column):
    """A column on an axis, and the columns of X that move along it.

    - `position`: of its column in X; groups are numbered behind the last column.
    - `kind`: also "group".
    - `is_integer`: whether only whole numbers, or whole days, make sense on the axis.
    - `members`: the columns that move; none where that is the column itself.
    - `codebook` (n_levels, n_members): coordinates of the members at each level.
    - `own_grid` (n_grid,): grid values that it came with; None where options choose them.
    """

    kind: FeatureKind
    members: tuple[Column, ...] = ()
    codebook: Array | None = None
    own_grid: Array | None = None

    @property
    def positions(self) -> tuple[int, ...]:
        """Positions in X of the columns that move."""
        return tuple(member.position for member in self.members) or (self.position,)

    def column_coordinates(self, coordinates: Array) -> dict[Column, Array]:
        """Return the coordinates that each column of X has where the feature has these, of any shape."""
        if self.codebook is None:
            return {self: coordinates}
        present = ~np.isnan(coordinates)
        codes = np.where(present, coordinates, 0.0).astype(np.intp)
        return {
            member: np.where(present, of_level[codes], np.nan)
            for member, of_level in zip(self.members, self.codebook.T, strict=True)
        }

    def text(self, coordinate: float) -> str:
        """Write a coordinate for a message: a number to the last digit, labels in quotes."""
        if np.isnan(coordinate) or (self.levels is None and self.kind not in MOMENTS):
            return repr(float(coordinate))
        return self.shown(coordinate) if self.levels is None else quoted(self.levels[int(coordinate)])

    def shown(self, coordinate: float) -> str:
        """Write a coordinate for readers, datetimes by the clock of the column."""
        return cell_writer(self)(coordinate)

    def find_coordinate(self, value: object) -> float | None:
        """Find the coordinate of one value given by the user; None where it has none."""
        if self.levels is not None:
            with suppress(TypeError):  # of lists, which cannot be levels
                return self._codes.get(value)
            return None
        if self.kind in MOMENTS:
            return self._day_of(value)
        number = to_float_array(value) if isinstance(value, (int, float, Decimal, np.number, np.bool_)) else None
        return None if number is None or not np.isfinite(number) else float(number)

    @cached_property
    def _codes(self) -> dict[Hashable, float]:
        """Codes by level and by its text, the first of several levels of one text."""
        codes = {} if self.levels is None else {level: float(code) for code, level in enumerate(self.levels.tolist())}
        return {str(level): code for level, code in reversed(codes.items())} | codes

    def check_grid(self, given: Any, option: str = "grid") -> Array:
        """Turn a grid given in the values of the feature into increasing coordinates, or say what is wrong with it.

        Labels may come in any order: the grid has that of the levels. `option` names it in errors.
        """
        is_list = hasattr(given, "__iter__") and not isinstance(given, str)
        values = list(given) if is_list else [given]
        found = [self.find_coordinate(value) for value in values]
        if self.levels is not None:
            for place, code in enumerate(found or [None]):
                if code is None or code in found[:place]:
                    what = "give a category levels that occur in X or are declared by its dtype, each one once"
                    where, got = f" for {quoted(self.readable)}", values[place] if values else given
                    known = self.levels.tolist()
                    advice = f"Its levels are {listed(known)}."
                    raise OptionError.must(option, what, got, advice, where=where, known=known)
            return np.sort(np.array(found, dtype=np.float64))
        wrong = [value for value, each in zip(values, found, strict=True) if each is None or abs(each) > LARGEST]
        if wrong or not values or not is_list or count_masked(given):
            got = wrong[0] if wrong and is_list and not count_masked(given) else given
            problem = f"got {quoted(got.item() if isinstance(got, np.number) else got)}"
            numbers = f"numbers from {-LARGEST:g} to {LARGEST:g}"
            what = {"datetime": "dates", "timedelta": "timedeltas"}.get(self.kind, numbers)
            raise self._grid_error(option, problem, f"Pass a list of {what}.")
        coordinates = np.array(found, dtype=np.float64)
        falling = np.flatnonzero(coordinates[1:] <= coordinates[:-1])
        if falling.size:
            first, second = coordinates[falling[0] : falling[0] + 2].tolist()
            problem = f"got {self.text(first)} before {self.text(second)}"
            raise self._grid_error(option, problem, "Pass `np.unique(values)`.")
        return coordinates

    def _grid_error(self, option: str, problem: str, advice: str) -> OptionError:
        what = f"`{option}` must give each feature increasing finite values"
        return OptionError(f"{what}; {problem} for {quoted(self.readable)}.", advice)

    def _day_of(self, value: Any) -> float | None:
        """Return a date or timedelta in days, text in the zone of the column; None where it is neither.

        - raises OptionError: if one of value and column has a time zone and the other has none: that is a shift
          by hours.
        """
        is_number = isinstance(value, (bool, int, float, np.number)) and not isinstance(value, np.timedelta64)
        if is_missing(value) or is_number:  # which numpy would take for microseconds
            return None
        try:
            if self.kind == "timedelta":
                return float(to_days(np.array([np.timedelta64(value, "us")]))[0])
            if self.zone is not None and isinstance(value, str):
                import pandas as pd

                value = pd.Timestamp(value)
                value = value.tz_localize(self.zone) if value.tzinfo is None else value
            is_aware = getattr(value, "tzinfo", None) is not None
            if is_aware == (self.zone is not None) or isinstance(value, str):
                moment = np.datetime64(value.astimezone(UTC).replace(tzinfo=None) if is_aware else value, "us")
                return float(to_days(np.array([moment]))[0])
        except (TypeError, ValueError):
            return None
        if self.zone is None:
            what = "no time zone, because the column has none"
            advice = "Write them without one: `value.replace(tzinfo=None)`."
        else:
            what = f"a time zone, because the column is in {quoted(str(self.zone))}"
            advice = f"Write `pd.Timestamp({quoted(str(value))}, tz={quoted(str(self.zone))})`."
        raise OptionError(f"Values of {quoted(self.readable)} must have {what}; got {quoted(value)}.", advice)


def is_identifier(n_levels: int, n_rows: int) -> bool:
    """Return True for levels that name rows rather than group them: more than 8, and more than one for two rows."""
    return n_levels > _FEW_LEVELS and 2 * n_levels > n_rows


def no_axis_error(feature: object, dtype: object, option: str = "features") -> DataError:
    """Return the error for a column of objects that no axis can show."""
    return DataError.feature_must(
        feature,
        "numbers, booleans, categories, texts, dates or timedeltas",
        f"has dtype {dtype} and holds other objects",
        f"Leave it out of `{option}=`: it stays available to colour by.",
    )


def make_feature(column: Column) -> Feature:
    """Make a feature of a column as it is."""
    if column.kind == "other":
        raise no_axis_error(column.readable, column.dtype)
    wrong = np.flatnonzero(np.abs(column.values) > LARGEST)
    if wrong.size:
        raise DataError.feature_must(
            column.readable,
            f"finite numbers from {-LARGEST:g} to {LARGEST:g}",
            f"holds infinite or larger ones in {counted(wrong.size, 'row')}: {listed(wrong.tolist())}",
            "Replace them if they stand for missing values, or leave the feature out with `features=`.",
        )
    is_integer = column.is_integer or column.kind == "ordered"
    if column.kind in MOMENTS:
        is_integer |= bool(np.all((column.values == np.rint(column.values)) | np.isnan(column.values)))
    return Feature(**{field.name: getattr(column, field.name) for field in fields(Column)} | {"is_integer": is_integer})


def make_unordered(feature: Feature) -> Feature:
    """Return a feature whose values are names without an order: levels as they are, else the values that occur."""
    if feature.levels is not None:
        return feature if feature.is_unordered else replace(feature, kind="category", is_integer=False)
    distinct = np.unique(feature.values[~np.isnan(feature.values)])
    return replace(
        feature,
        kind="category",
        is_integer=False,
        values=np.where(np.isnan(feature.values), np.nan, np.searchsorted(distinct, feature.values)),
        levels=np.fromiter(feature.native(distinct).tolist(), object),
        decimals=None,
        members=(feature,),
        codebook=distinct[:, None],
    )


def align_levels(feature: Feature, other: Feature) -> Feature:
    """Number the levels of a feature as those of the same feature elsewhere; levels of its own come after them.

    - raises DataError: if the dtype of its column declares its levels, and not all of the other's.
    """
    if feature.levels is None or other.levels is None:
        return feature
    own, levels = feature.levels.tolist(), other.levels.tolist()
    if own == levels:
        return feature
    if feature.kind == "ordered" or (feature.has_declared_levels and not set(levels) <= set(own)):
        raise DataError(
            f"{quoted(feature.readable)} must declare the levels that it has in the explanation in `grid`, "
            f"{listed(levels)}; got {listed(own)}.",
            "Give the column the same dtype in both tables.",
        )
    known = set(levels)
    new = [code for code, level in enumerate(own) if level not in known]
    merged = [*levels, *(own[code] for code in new)]
    places = {level: place for place, level in enumerate(merged)}
    code_of = np.array([*(places[level] for level in own), np.nan])  # the last one is that of missing values
    codes = np.where(np.isnan(feature.values), -1, feature.values).astype(np.intp)
    codebook = feature.codebook
    if codebook is not None and other.codebook is not None:
        codebook = np.concatenate([other.codebook, codebook[new]])
    return replace(feature, values=code_of[codes], levels=np.fromiter(merged, object), codebook=codebook)


def level_positions(codes: Array, axis: Array) -> Array:
    """Return where levels without an order are drawn by their codes: 0 … K - 1, or -1 off the axis, NaN missing."""
    nearest = np.minimum(np.searchsorted(axis, codes), len(axis) - 1)
    places = np.where(axis[nearest] == codes, nearest, OFF_GRID).astype(np.float64)
    places[np.isnan(codes)] = np.nan
    return places


def is_shared_anchor(anchor: object) -> bool:
    """Return whether an anchor is the same on every axis: a name, or a number."""
    if isinstance(anchor, str):
        return anchor in ANCHOR_NAMES
    return isinstance(anchor, (int, float, np.integer, np.floating)) and not isinstance(anchor, bool)


def check_anchor(anchor: object) -> AnchorName | float:
    """Return an anchor, or say what it may be."""
    if isinstance(anchor, str) and anchor in ANCHOR_NAMES:
        return anchor
    number = to_float_array(anchor) if is_shared_anchor(anchor) else None
    if number is not None and np.isfinite(number):
        return float(number)
    what = "be 'min', 'max', 'median', 'own' or a finite value of the feature"
    raise OptionError.must("anchor", what, anchor, "The nearest grid value is used for a number.")


def anchor_index(grid: Array, median: float, anchor: AnchorName | float) -> int | None:
    """Return the position on the grid (n_grid,) at which centred curves are 0; None for the anchor "own".

    It is the first or last grid value, or the one nearest to the median of the feature or to a number.
    """
    if anchor == "own":
        return None
    if anchor in ("min", "max"):
        return 0 if anchor == "min" else len(grid) - 1
    value = median if anchor == "median" else float(anchor)
    return int(np.argmin(np.abs(grid - value)))  # of two equally near ones the lower


def convert_anchor(feature: Feature, grid: Array, anchor: object) -> AnchorName | float:
    """Convert an anchor to a name or a position on the axis.

    - `grid` (n_grid,): coordinates of its grid values.
    - `anchor`: a name, or a value of the feature: a number, a date, a duration, or the label of a level. A label comes
      before a number, and a name before a label. On levels whose labels are no numbers a number is a place, 0 the
      first.
    - returns: the name, or the place: the rank of a level with an order, the position on the grid of one without, else
      the coordinate. It need not be that of a grid value.
    - raises OptionError: if the feature has no such value, or for a level without an order its grid.
    """
    if isinstance(anchor, str) and anchor in ANCHOR_NAMES:
        return anchor
    coordinate = feature.find_coordinate(anchor)
    if feature.levels is None:
        return check_anchor(anchor if coordinate is None else coordinate)
    if coordinate is None and is_shared_anchor(anchor) and not any(map(is_shared_anchor, feature.levels.tolist())):
        return check_anchor(anchor)
    on_grid = np.flatnonzero(grid == coordinate)
    if coordinate is None or (feature.is_unordered and on_grid.size == 0):
        levels: Sequence[Any] = feature.native(grid).tolist()
        raise OptionError(
            "`anchor` of a category must be 'min', 'max', 'median', 'own' or a level on its grid; got "
            f"{quoted(anchor)} for {quoted(feature.readable)}.{did_you_mean(anchor, levels)}",
            f"Its grid is {listed(levels)}.",
        )
    return float(on_grid[0]) if feature.is_unordered else coordinate


# --- grids and samples -----------------------------------------------------------------------------

_OBSERVED_CAP = 1000
_CHOSEN_SIZE = 100  # and levels of an unordered category, whose metrics compare each to each


@dataclass(frozen=True)
class Grid:
    """Grid of one feature.

    - `values` (n_grid,): strictly increasing, finite, in units of the feature.
    - `n_distinct`: distinct observed values of the column, of rows that have weight.
    - `capped`: True where not every observed value is a grid value although `grid="observed"`, or not every level of an
      unordered category without being asked for.
    """

    values: Array
    n_distinct: int
    capped: bool = False

    @property
    def n_grid(self) -> int:
        """Number of grid values."""
        return len(self.values)


def feature_seed(random_state: int, feature: str) -> np.random.Generator:
    """Make the random generator of one feature, the same in every process."""
    return np.random.default_rng([random_state, zlib.crc32(feature.encode(errors="surrogatepass"))])


def make_grid(
    feature: Feature, column: SortedValues, *, grid: GridName | Mapping[str, Array], grid_size: int | None
) -> Grid:
    """Choose the grid of one feature.

    - `column`: own coordinates [feature]; missing values and rows of weight 0 give no grid value.
    - `grid`: how to choose, or the values by label; features not in it get their observed values. A uniform grid has
      the digits of the feature. Levels without an order are those that occur, the most frequent ones where there are
      more than `grid_size`.
    - `grid_size`: most grid values of a chosen grid; None is 1000 for "observed" and 100 otherwise, and for levels
      without an order.
    - returns: strictly increasing values.
    - raises DataError: if no row that has weight holds a value.
    """
    is_unordered, digits = feature.is_unordered, feature.digits
    n_distinct = len(column.distinct)
    if n_distinct == 0:
        problem, advice = "is missing in every row that has weight", "Leave it out with `features=`."
        raise DataError.feature_must(feature.label, "at least one value", problem, advice)
    given = feature.own_grid if isinstance(grid, str) else grid.get(feature.label, feature.own_grid)
    if given is not None:
        return Grid(given, n_distinct)
    if not isinstance(grid, str):
        grid = "observed"
    size = grid_size or (_OBSERVED_CAP if grid == "observed" and not is_unordered else _CHOSEN_SIZE)
    if n_distinct <= size and (is_unordered or grid == "observed"):
        return Grid(column.distinct, n_distinct)
    if is_unordered:
        frequencies = np.bincount(np.searchsorted(column.distinct, column.values), column.weights)
        most_frequent = column.distinct[np.argsort(-frequencies, kind="stable")[:size]]
        return Grid(np.sort(most_frequent), n_distinct, capped=True)
    if grid == "uniform":
        evenly = np.linspace(column.values[0], column.values[-1], size)
        return Grid(np.unique(evenly if digits is None else np.round(evenly, digits)), n_distinct)
    return Grid(np.unique(column.quantiles(np.linspace(0, 1, size))), n_distinct, capped=grid == "observed")


def draw_stratified(
    values: Array, candidates: Rows, size: int, generator: np.random.Generator, weights: Array | None = None
) -> Rows:
    """Draw observations that cover the distribution of a feature evenly.

    The candidates are sorted by the feature (ties in random order, missing values last), cut into `size` strata that
    hold the same share of them, and one is drawn from each, as in §3.1 of Yeh & Ngo (2021).

    - `values`, `weights` (n_observations,): with weights, strata hold the same share of weight, and a row is drawn in
      proportion to its weight; a row heavier than a stratum is still drawn once only.
    - `candidates` (n_candidates,): positions to draw from; all of them are drawn where there are no more than `size`.
    - returns: sorted positions, `size` of them; fewer where heavy rows were drawn repeatedly.
    """
    if size >= len(candidates):
        return np.sort(candidates)
    if size == 0:
        return np.empty(0, dtype=np.int64)
    ties = generator.random(len(candidates))
    order = candidates[np.lexsort((ties, values[candidates]))]
    if weights is None:
        bounds = np.arange(size + 1) * len(order) // size
        return np.sort(order[generator.integers(bounds[:-1], bounds[1:])])
    cumulative = np.cumsum(weights[order])
    marks = (np.arange(size) + generator.random(size)) * (cumulative[-1] / size)
    chosen = np.searchsorted(cumulative, marks, side="right")
    return np.unique(order[np.minimum(chosen, len(order) - 1)])


def nested_samples(rows: Rows, generator: np.random.Generator) -> list[Rows]:
    """Draw half of the rows, half of these and so on, down to one row; the smallest sample comes first, all rows last.

    Neighbours are paired and one of each pair is drawn, so that a sample covers the rows as evenly as any, whatever
    they are sorted by. Where the number is odd, a row drawn at random is in no pair and not in the sample.
    """
    samples = [rows]
    while len(rows) > 1:
        if len(rows) % 2:
            rows = np.delete(rows, generator.integers(len(rows)))
        rows = rows[np.arange(0, len(rows), 2) + generator.integers(2, size=len(rows) // 2)]
        samples.append(rows)
    return samples[::-1]
