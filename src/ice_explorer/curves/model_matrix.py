"""X as the model inside a pipeline receives it: the columns that move with each feature, and what they move to.

Where transformers make each column of their output from one feature, a grid value becomes the same values in every row:
those of the first row with that grid value.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.curves.brute import phantoms_together
from ice_explorer.trees.forest import NotExactError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.arrays import Array, Mask, Places, Values
    from ice_explorer.curves.closed_forms import KernelModel, LinearModel
    from ice_explorer.curves.prediction_check import PredictionCheck
    from ice_explorer.engines.context import Context
    from ice_explorer.engines.feature_input import FeatureInput
    from ice_explorer.models.pipeline import UnwrappedModel
    from ice_explorer.tables.column import Column
    from ice_explorer.trees.forest import Forest


_MOST_CELLS = 4_000_000  # of X that are transformed together with other grid values than those of X


@dataclass(frozen=True, eq=False)
class ModelMatrix:
    """The matrix that the model inside receives.

    - `columns` (n_rows,) each: those of X itself where there are no transformers.
    - `places`: by number of a feature, the columns that move with it; a column moves with one feature at most.
    - `grids` (n_grid, n_places) each: what those columns become at each grid value.
    """

    columns: list[Values]
    places: dict[int, Places]
    grids: dict[int, Values]

    def phantoms(self, prediction_check: PredictionCheck) -> tuple[list[Values], Mask]:
        """Return columns of those phantoms in which an explained feature moves, and which these are."""
        is_known = np.isin(prediction_check.crossed, list(self.places))
        source = np.tile(prediction_check.rows, (len(self.columns), 1))
        for number, places in self.places.items():
            crossed = np.flatnonzero(prediction_check.crossed == number)
            source[np.ix_(places, crossed)] = prediction_check.donors[crossed]
        return [values[rows] for values, rows in zip(self.columns, source[:, is_known], strict=True)], is_known


def read_matrix(
    context: Context,
    items: Sequence[FeatureInput],
    unwrapped: UnwrappedModel,
    structure: LinearModel | KernelModel | Forest,
) -> ModelMatrix:
    """Return X and the grids of features as the model inside receives them.

    - `structure`: of the model: the number of its columns, which of them it does not use, and of which it looks up the
      labels itself; of others it takes numbers.
    - raises NotExactError: if transformers combine columns, or return no numbers.
    """
    if unwrapped.transform is not None:
        try:
            matrix = _transformed(context, items, unwrapped)
        except (TypeError, ValueError) as error:
            raise NotExactError(
                f"The transformers do not return a numeric matrix ({type(error).__name__}: {error})."
            ) from error
    else:
        unused = set(structure.unused)

        def seen(column: Column, coordinates: Array) -> Values:
            """Return what the model takes for coordinates of a column: categories are labels, which may be numbers."""
            if column.position in unused:  # it may hold anything
                return np.zeros(len(coordinates))
            if column.levels is None:
                return coordinates
            labels = column.native(coordinates)
            try:
                return labels if column.position in structure.levels else labels.astype(np.float64)
            except (TypeError, ValueError) as error:
                raise NotExactError(f"The model's encoding of the levels of {column.label!r} is unknown.") from error

        matrix = ModelMatrix([seen(column, column.values) for column in context.columns.read], {}, {})
        for item in items:
            moves = item.feature.column_coordinates(item.grid.values)
            matrix.places[item.feature_number] = np.array([column.position for column in moves])
            matrix.grids[item.feature_number] = np.column_stack([seen(*moved) for moved in moves.items()])
    if structure.n_columns != len(matrix.columns):
        raise NotExactError(f"The model was fitted on {structure.n_columns} columns, X has {len(matrix.columns)}.")
    return matrix


def same(first: Array, second: Array) -> Mask:
    """Whether numbers are equal, missing ones to missing ones."""
    return np.asarray((first == second) | (np.isnan(first) & np.isnan(second)))


def _transformed(context: Context, items: Sequence[FeatureInput], unwrapped: UnwrappedModel) -> ModelMatrix:
    table, transform, n_rows = context.table, unwrapped.transform, context.table.n_observations
    assert transform is not None  # noqa: S101 - the caller has checked it
    matrix = transform(table.take(context.everything))
    grids: list[Array] = []
    ends = np.cumsum([item.grid.n_grid for item in items]) * matrix.shape[1] // _MOST_CELLS
    for _, group in groupby(zip(ends.tolist(), items, strict=True), key=lambda each: each[0]):
        requests = [(i.feature, i.feature.values, context.everything[:1], i.grid.values[None, :]) for _, i in group]
        rows, moves, parts = phantoms_together(requests)
        seen = transform(table.phantoms(rows, moves))
        grids += [seen[part] for part in parts]
    moving = np.array([~same(grid, matrix[:1]).all(axis=0) for grid in grids])
    # Every feature takes the values of other rows, each by a shift of its own: columns that move with it must be those
    # of these rows, and all others stay.
    order = np.tile(np.random.default_rng(context.settings.random_state).permutation(n_rows), 2)
    donors = [order[1 + number % max(1, n_rows - 1) :][:n_rows] for number in range(len(items))]
    sources = {place: rows for item, rows in zip(items, donors, strict=True) for place in item.feature.positions}
    donors.append(order[:n_rows])  # of columns that stay
    crossed = transform(table.crossed(donors[-1], sources))
    if crossed.shape[1] != matrix.shape[1]:
        raise NotExactError("The transformers return other columns for other rows.")
    rest = np.flatnonzero(~moving.any(axis=0))
    rest = rest[~same(crossed[:, rest], matrix[np.ix_(donors[-1], rest)]).all(axis=0)]
    for number, rows in enumerate(donors[:-1] if len(rest) else ()):
        # No grid value moved the column, which may be the code of a value off the grid.
        moving[number, rest] = same(crossed[:, rest], matrix[np.ix_(rows, rest)]).all(axis=0)
        rest = rest[~moving[number, rest]]
    owner = np.where(moving.any(axis=0), moving.argmax(axis=0), len(items)).tolist()
    is_crossed = [
        np.array_equal(crossed[:, k], matrix[donors[number], k], equal_nan=True) for k, number in enumerate(owner)
    ]
    if not all(is_crossed) or (moving.sum(axis=0) > 1).any():
        raise NotExactError("The transformers combine columns.")
    places = [np.flatnonzero(is_moved) for is_moved in moving]
    return ModelMatrix(
        list(matrix.T),
        {item.feature_number: to for item, to in zip(items, places, strict=True)},
        {item.feature_number: grid[:, to] for item, grid, to in zip(items, grids, places, strict=True)},
    )
