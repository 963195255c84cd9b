"""X after column-wise transformers, as the model inside a pipeline receives it.

Where every transformer works column by column, moving one column of X moves known columns of the
matrix that the model sees, to values that do not depend on the row. Which columns, and to what, is
found by transforming phantoms; that the transformers do work column by column is checked on phantoms
of every row, unless they are known to, and on some whose predictions must be the model's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.errors import ICEExplorerError

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from ice_explorer.engines.context import Context
    from ice_explorer.engines.feature_input import FeatureInput
    from ice_explorer.models.pipeline import Peeled
    from ice_explorer.tables.column import Column

    Array = NDArray[np.float64]


class NotColumnwiseError(ICEExplorerError):
    """The transformers around a model do not take X column by column; the message says why."""

    @classmethod
    def mixed(cls, label: str) -> NotColumnwiseError:
        """Return the error for a feature that transformers combine with other columns."""
        return cls(f"The transformers combine {label!r} with other columns.")


def same(some: Array, others: Array) -> NDArray[np.bool_]:
    """Whether numbers are equal, missing ones to missing ones."""
    return np.asarray((some == others) | (np.isnan(some) & np.isnan(others)))


def _seen(column: Column, coordinates: Array, *, is_number: bool) -> NDArray[Any]:
    """What a model takes for coordinates of a column: categories are labels, which may be numbers."""
    if column.levels is None:
        return coordinates
    labels = column.native(coordinates)
    try:
        return labels.astype(np.float64) if is_number else labels
    except (TypeError, ValueError) as error:
        raise NotColumnwiseError(f"The model's encoding of the levels of {column.label!r} is unknown.") from error


def _grid_seen(item: FeatureInput, labelled: Container[int], unseen: Container[int]) -> NDArray[Any]:
    """What a model takes for the grid of a feature, (n_grid, n_columns)."""
    return np.column_stack(
        [
            np.zeros(len(coordinates))
            if column.position in unseen
            else _seen(column, coordinates, is_number=column.position not in labelled)
            for column, coordinates in item.feature.moves(item.grid.values).items()
        ]
    )


class Space:
    """The matrix that the model inside sees, with some phantoms to check an engine on.

    - `columns` (n_rows,) each: columns of the matrix; those of X itself where nothing stands around the model.
    - `phantoms` (n_phantoms,) each: the same of the phantoms of `Probe`, put together from columns.
    - `places`: by number of a feature: the columns that move with it.
    - `grids` (n_grid, n_places) each: what those columns become at each grid value.
    - `labelled`: columns of X whose labels the model looks up itself, or does not look at; of others it takes numbers.
    - `unseen`: columns of X that the model does not look at, whatever they hold; they become zeros.
    """

    def __init__(
        self,
        context: Context,
        items: Sequence[FeatureInput],
        peeled: Peeled,
        labelled: Container[int] = (),
        *,
        unseen: Container[int] = (),
    ) -> None:
        assert context.probe is not None  # noqa: S101 - without one no engine is chosen
        self.peeled = peeled
        self._predicted = context.witness.predicted
        if peeled.transform is None:
            columns = context.columns
            self.columns = [
                np.zeros(len(column.values))
                if place in unseen
                else _seen(column, column.values, is_number=place not in labelled)
                for place, column in enumerate(columns.read)
            ]
            self.places = {number: np.array(positions) for number, positions in columns.moves.items()}
            self.grids = {item.at_issue: _grid_seen(item, labelled, unseen) for item in items}
        else:
            transformed = _Transformed(context, items, peeled.transform)
            self.columns = list(transformed.matrix.T)
            self.places = transformed.places(is_columnwise=peeled.is_columnwise)
            self.grids = {position: transformed.moves[position][:, to] for position, to in self.places.items()}
        rows, donors, crossed = context.probe.rows, context.probe.donors, context.probe.crossed
        moved = np.zeros((len(self.columns), len(rows)), np.bool_)
        for position, places in self.places.items():
            moved[np.ix_(places, crossed == position)] = True
        self.phantoms = [values[np.where(here, donors, rows)] for values, here in zip(self.columns, moved, strict=True)]
        self._known = np.isin(crossed, list(self.places))

    @property
    def matrix(self) -> Array:
        """The columns as one matrix, (n_rows, n_columns)."""
        return np.column_stack(self.columns)

    def difference(self, found: Array) -> float:
        """How far an engine's predictions of the phantoms are from the model's own, in sizes of those."""
        if not np.isfinite(self._predicted).all():
            return float("inf")  # the brute engine names the row
        apart = np.abs(self.peeled.output(found) - self._predicted)[self._known]
        size = float(np.max(np.abs(self._predicted), initial=1e-300))
        return float(np.max(apart, initial=0.0)) / size


class _Transformed:
    """X and phantoms behind the transformers, as few calls of them as possible.

    - `matrix` (n_rows, n_columns).
    - `moves` (n_grid, n_columns) each: by number of a feature: the first row at each of its grid values.
    """

    def __init__(self, context: Context, items: Sequence[FeatureInput], transform: Callable[[Any], Array]) -> None:
        self._table = context.table
        self._transform = transform
        self._labels = {item.at_issue: item.feature.label for item in items}
        self._moving = {item.at_issue: item.columns for item in items}
        self._donors = np.random.default_rng(context.settings.random_state).permutation(context.table.n_observations)
        donors = {item.at_issue: _rows_with(item) for item in items}
        try:
            self.matrix, self.moves = self._first_phantoms(donors)
            for item in items:
                if item.at_issue not in self.moves:
                    first = np.zeros(1, np.int64)
                    phantoms = self._table.phantoms(first, item.feature.moves(item.grid.values[None, :]))
                    self.moves[item.at_issue] = transform(phantoms)
        except (TypeError, ValueError) as error:
            raise NotColumnwiseError(
                f"The transformers do not return a numeric matrix ({type(error).__name__}: {error})."
            ) from error

    def _first_phantoms(self, donors: dict[int, NDArray[np.int64] | None]) -> tuple[Array, dict[int, Array]]:
        """Transform X, and with it the first row with whatever values other rows can give it."""
        everything = np.arange(self._table.n_observations)
        given = {position: rows for position, rows in donors.items() if rows is not None}
        of_grids = np.concatenate([np.empty(0, np.int64), *given.values()])
        crossed = [number for number, rows in given.items() for _ in rows]
        # A row that gets nothing is itself.
        transformed = self._cross(
            np.concatenate([everything, np.zeros_like(of_grids)]),
            [*[None] * len(everything), *crossed],
            np.concatenate([everything, of_grids]),
        )
        ends = np.cumsum([len(everything), *(len(rows) for rows in given.values())])
        matrix, *moves = np.split(transformed, ends[:-1])
        return matrix, dict(zip(given, moves, strict=True))

    def _cross(self, rows: NDArray[np.int64], numbers: Sequence[int | None], donors: NDArray[np.int64]) -> Array:
        """Transform rows that get what a donor has of one feature each, or of none."""
        taken = [() if number is None else self._moving[number] for number in numbers]
        return self._transform(self._table.crossed(rows, taken, donors))

    def places(self, *, is_columnwise: bool) -> dict[int, NDArray[np.intp]]:
        """Find the columns that move with each feature.

        - raises NotColumnwiseError: if a feature moves columns to values that depend on the row.
        """
        first = self.matrix[:1]
        moving = {position: np.asarray(~same(moved, first).all(axis=0)) for position, moved in self.moves.items()}
        if is_columnwise:
            self._claim_the_rest(moving)
        else:
            moving = {position: self._checked(position, moves) for position, moves in moving.items()}
        return {position: np.flatnonzero(moves) for position, moves in moving.items()}

    def _claim_the_rest(self, moving: dict[int, NDArray[np.bool_]]) -> None:
        """Find whose the columns are that no grid value moved, such as the code of a value not on the grid.

        A column that comes from one column of X changes between two rows, in which it differs, with
        the value of that column and no other.
        """
        differs = ~same(self.matrix, self.matrix[:1])
        rest = np.flatnonzero(differs.any(axis=0) & ~np.any(list(moving.values()), axis=0))
        others, of_column = np.unique(np.argmax(differs[:, rest], axis=0), return_inverse=True)
        at_a_time = max(1, len(self.matrix) // max(1, len(others)))
        numbers = list(moving)
        for start in range(0, len(numbers) if len(rest) else 0, at_a_time):
            some = numbers[start : start + at_a_time]
            donors = np.tile(others, len(some))
            crossed = self._cross(np.zeros_like(donors), [number for number in some for _ in others], donors)
            changed = ~same(crossed, self.matrix[:1]).reshape(len(some), len(others), -1)
            for number, here in zip(some, changed, strict=True):
                moving[number][rest] = here[of_column, rest]

    def _checked(self, position: int, moves: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Give every row another's value of the feature: what moves must follow it, in every row."""
        everything = np.arange(len(self.matrix))
        crossed = self._cross(everything, [position] * len(everything), self._donors)
        if crossed.shape != self.matrix.shape:
            raise NotColumnwiseError.mixed(self._labels[position])
        moves = moves | ~same(crossed, self.matrix).all(axis=0)
        if not same(crossed[:, moves], self.matrix[self._donors][:, moves]).all():
            raise NotColumnwiseError.mixed(self._labels[position])
        return moves


def _rows_with(item: FeatureInput) -> NDArray[np.int64] | None:
    """Rows that have the grid values of a feature; None where some grid value is no row's."""
    values = item.feature.values
    order = np.argsort(values)  # missing values come last
    at = np.searchsorted(values, item.grid.values, sorter=order)
    rows = order[np.minimum(at, len(order) - 1)]
    return rows if np.array_equal(values[rows], item.grid.values) else None
