"""Columns that are made of one quantity, such as the sine and the cosine of an hour: a feature in the raw unit."""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np

from ice_explorer.checks import check_index
from ice_explorer.errors import ModelNeededError, OptionError
from ice_explorer.errors.base import cause_of, counted, described, listed, quoted
from ice_explorer.features.feature import Feature, make_feature
from ice_explorer.tables.column import Column, is_missing, label_index
from ice_explorer.tables.table import read_values

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike

    from ice_explorer.arrays import Array
    from ice_explorer.tables.column import Name

_SAME: Final = 1e-6  # of the largest value of a column: columns may be of single precision
_MOST_CHECKED: Final = 1000  # observed values that the rule is compared with X at


@dataclass(frozen=True, kw_only=True, eq=False)
class Moves:
    """Columns of X that are made of one quantity and move along it: a group of `explain` with an axis in its raw unit.

    Parameters
    ----------
    columns : sequence
        Names of one or more columns of X.
    observed : array-like of shape (n_observations,)
        The quantity that they are made of, of every row of X: numbers, booleans, texts, categories, dates or durations,
        none of them missing.
    rule : callable, optional
        Takes one value of the quantity, as pandas has it, and returns a mapping of each of the columns to its value.
        It is asked for values that no row has. Without it every grid value must be an observed value.
    values : array-like, optional
        Grid values; by default `grid` of `explain` chooses.

    Notes
    -----
    A phantom observation has the columns of a row whose quantity has the value, or those of the rule. `explain` raises
    an `OptionError` if rows with the same value differ in the columns, or the rule returns something else than X has.

    Examples
    --------
    >>> import numpy as np
    >>> import ice_explorer as ice
    >>> hour = np.arange(24)
    >>> angle = 2 * np.pi * hour / 24
    >>> X = np.column_stack([np.sin(angle), np.cos(angle)])
    >>> groups = {"hour": ice.Moves(columns=["x0", "x1"], observed=hour)}
    >>> e = ice.explain(lambda X: X[:, 1], X, groups=groups)
    >>> e["hour"].grid[:3].tolist(), e["hour"].curves[0, [0, 12]].round(3).tolist()
    ([0, 1, 2], [1.0, -1.0])
    """

    columns: Sequence[Name]
    observed: ArrayLike
    rule: Callable[[Any], Mapping[Name, Any]] | None = None
    values: ArrayLike | None = None

    def __post_init__(self) -> None:
        columns: Any = self.columns
        rule: Any = self.rule
        values: Any = self.values
        if isinstance(columns, str) or not isinstance(columns, Iterable):
            advice = "Write `columns=['hour_sin', 'hour_cos']`."
            raise OptionError.must("columns", "be a list of names of columns", columns, advice)
        object.__setattr__(self, "columns", list(columns))  # several models read it
        if isinstance(values, Iterator):
            object.__setattr__(self, "values", list(values))
        if rule is not None and not callable(rule):
            what = "be a function of one value that returns a mapping of columns to values"
            raise OptionError.must("rule", what, rule, "Leave it out where X has every value.")


@dataclass(frozen=True, eq=False)
class MovedFeature(Feature):
    """A quantity that columns of X are made of.

    - `rule`: value of the quantity -> values of its columns by name; None where it is not known.
    """

    members: tuple[Feature, ...] = ()
    rule: Callable[[Any], Mapping[Name, Any]] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave out a rule that cannot be pickled."""
        try:
            pickle.dumps(self.rule)
        except Exception:  # noqa: BLE001 - each object refuses in its own way
            return vars(self) | {"rule": _refuse}
        return vars(self)

    def column_coordinates(self, coordinates: Array) -> dict[Column, Array]:
        """Return the coordinates that each column of X has where the quantity has these, of any shape."""
        distinct, places = np.unique(coordinates, return_inverse=True)
        rows, is_observed = self.find_rows(distinct)
        moved = np.column_stack([member.values[rows] for member in self.members])
        if not is_observed.all():
            moved[~is_observed] = self.apply_rule(distinct[~is_observed])
        return {
            member: column[places].reshape(coordinates.shape)
            for member, column in zip(self.members, moved.T, strict=True)
        }

    def apply_rule(self, coordinates: Array) -> Array:
        """Return the coordinates of the columns by the rule, (n, n_members)."""
        values = label_index(self.native(coordinates))
        return np.array([self._apply_rule(value) for value in values]).reshape(len(values), len(self.members))

    def _apply_rule(self, value: Any) -> list[float]:
        if self.rule is None:
            raise OptionError(
                f"{quoted(self.readable)} can take the values of the rows of X, as its columns move without a rule; "
                f"got {quoted(value)}.",
                "Pass `rule=` of `Moves`, or values that occur.",
            )
        try:
            moved: Any = self.rule(value)
        except ModelNeededError:
            raise
        except Exception as error:
            raise self._rule_error(f"it failed for {quoted(value)}: {cause_of(error)}") from error
        names = [member.name for member in self.members]
        if not isinstance(moved, Mapping) or set(moved) != set(names):
            got = f"the columns {listed(moved)}" if isinstance(moved, Mapping) else described(moved)
            raise self._rule_error(f"it returned {got} for {quoted(value)}, not {listed(names)}.")
        coordinates = []
        for member in self.members:
            given = moved[member.name]
            is_gap = is_missing(given) and bool(member.missing.any())
            coordinate = math.nan if is_gap else member.find_coordinate(given)
            if coordinate is None:
                got = f"{quoted(given)} for {quoted(value)}"
                raise self._rule_error(f"it returned {got}, which {quoted(member.readable)} cannot hold.")
            coordinates.append(coordinate)
        return coordinates

    def _rule_error(self, problem: str) -> OptionError:
        what = f"`rule` of {quoted(self.readable)} must return a value of each of its columns"
        return OptionError(f"{what}; {problem}", "Check `rule` and `columns` of `Moves`.")


def _refuse(_value: Any) -> NoReturn:
    """Stand for a rule that is not in a pickle."""
    raise ModelNeededError(
        "Values that no row has need `rule` of `Moves`, which could not be pickled with this explanation.",
        "Use a function of a module as the rule, or explain the model again.",
    )


def make_moved(column: Column, moves: Moves, members: Sequence[Column]) -> Feature:
    """Make one feature of columns that are made of one quantity.

    - `column`: the quantity, with name, label and number of the feature.
    - raises DataError, OptionError: if the quantity is missing in a row, or does not determine the columns.
    """
    missing = np.flatnonzero(column.missing)
    if missing.size:
        what = f"`observed` must have a value in every row; row {missing[0]} of {quoted(column.readable)} has none."
        raise OptionError(what, "Fill it in, or explain rows that have it.")
    axis = make_feature(column)
    moving = tuple(make_feature(member) for member in members)
    feature = MovedFeature(
        **{each.name: getattr(axis, each.name) for each in fields(Feature)} | {"members": moving}, rule=moves.rule
    )
    _check_determined(feature)
    values = moves.values
    return feature if values is None else replace(feature, own_grid=feature.check_grid(values, option="values"))


def read_observed(observed: Any, name: Name, n_rows: int, index: Any) -> Column:
    """Read the quantity of every row of X; `index` is that of X, None where its rows have no labels."""
    if isinstance(observed, Column):
        return observed
    check_index("observed", "observed", observed, index)
    column = read_values(name, observed)
    if column is None:
        what = "be a series, a list or an array of one dimension"
        raise OptionError.must("observed", what, observed, "Pass the column that the others are made of.")
    if len(column.values) != n_rows:
        raise OptionError(
            f"`observed` must have a value for each row of X; got {len(column.values):,} for {counted(n_rows, 'row')}.",
            "Pass those of the same rows.",
        )
    return column


def _check_determined(feature: MovedFeature) -> None:
    """Raise if rows of one value differ in a column, or the rule returns something else than they have."""
    distinct, place = np.unique(feature.values, return_inverse=True)
    first, _ = feature.find_rows(distinct)
    of_rows = np.column_stack([member.values for member in feature.members])
    _check_rows(feature, of_rows, of_rows[first][place], "in another row of that value")
    if feature.rule is not None:
        checked = np.unique(np.linspace(0, len(distinct) - 1, min(len(distinct), _MOST_CHECKED)).astype(np.intp))
        by_rule = of_rows[first]
        by_rule[checked] = feature.apply_rule(distinct[checked])
        _check_rows(feature, of_rows, by_rule[place], "by `rule`")


def _check_rows(feature: MovedFeature, of_rows: Array, expected: Array, source: str) -> None:
    sizes = np.nanmax(np.abs(of_rows), axis=0, initial=0.0)
    is_same = np.isclose(of_rows, expected, rtol=0.0, atol=_SAME * sizes, equal_nan=True)
    if not is_same.all():
        row, column = np.argwhere(~is_same)[0]
        member = feature.members[column]
        got, other = (member.text(float(values[row, column])) for values in (of_rows, expected))
        value = feature.text(float(feature.values[row]))
        raise OptionError(
            f"The value of {quoted(feature.readable)} must determine its columns; at {value} {quoted(member.readable)} "
            f"is {got} in row {row} and {other} {source}.",
            "Check that `observed` has the order of the rows of X, and `rule` if there is one.",
        )
