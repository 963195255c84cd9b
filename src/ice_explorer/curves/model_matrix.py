"""X as the model inside a pipeline receives it: the columns that move with each feature, and what they move to.

Where transformers work column by column, a grid value of a feature becomes the same values in every row: those of the
first row with that grid value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.curves.brute import phantoms_together
from ice_explorer.errors import ICEExplorerError

if TYPE_CHECKING:
    from collections.abc import Container, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from ice_explorer.curves.probe import Probe
    from ice_explorer.engines.context import Context
    from ice_explorer.engines.feature_input import FeatureInput
    from ice_explorer.models.pipeline import Peeled
    from ice_explorer.tables.column import Column

    Array = NDArray[np.float64]

_MOST_CELLS = 4_000_000  # of X that are transformed together with other grid values than those of X


class NotExactError(ICEExplorerError):
    """A method cannot compute the curves of this model exactly; the message says why."""


@dataclass(frozen=True, eq=False)
class ModelMatrix:
    """The matrix that the model inside receives.

    - `columns` (n_rows,) each: those of X itself where there are no transformers.
    - `places`: by number of a feature, the columns that move with it.
    - `grids` (n_grid, n_places) each: what those columns become at each grid value.
    """

    columns: list[NDArray[Any]]
    places: dict[int, NDArray[np.intp]]
    grids: dict[int, NDArray[Any]]

    def phantoms(self, probe: Probe) -> list[NDArray[Any]]:
        """Return the columns of the phantoms of the probe, put together from those of their rows."""
        moved = np.zeros((len(self.columns), len(probe.rows)), np.bool_)
        for number, places in self.places.items():
            moved[np.ix_(places, probe.crossed == number)] = True
        return [
            values[np.where(is_moved, probe.donors, probe.rows)]
            for values, is_moved in zip(self.columns, moved, strict=True)
        ]

    def difference(self, context: Context, peeled: Peeled, outputs: Array) -> float:
        """Return how far predictions of the phantoms are from those of the model, in sizes of the largest.

        - `outputs` (n_phantoms,): of the model inside.
        """
        expected, probe = context.witness.predicted, context.probe
        assert probe is not None  # noqa: S101 - without one every phantom is predicted
        if not np.isfinite(expected).all():
            return float("inf")  # the row is named when all are predicted
        differences = np.abs(peeled.output(outputs) - expected)[np.isin(probe.crossed, list(self.places))]
        return float(np.max(differences, initial=0.0)) / float(np.max(np.abs(expected), initial=1e-300))


def check_difference(difference: float, tolerance: float) -> None:
    """Raise if a method does not reproduce the predictions of the model."""
    if not difference <= tolerance:
        raise NotExactError(
            f"Its predictions of phantom observations differ from those of the model by {difference:.2g} of their size."
        )


def read_matrix(
    context: Context,
    items: Sequence[FeatureInput],
    peeled: Peeled,
    *,
    n_columns: int,
    labelled: Container[int] = (),
    unseen: Container[int] = (),
) -> ModelMatrix:
    """Return X and the grids of features as the model inside receives them.

    - `n_columns`: what the model was fitted on.
    - `labelled`: columns of X whose labels the model looks up itself; of others it takes numbers.
    - `unseen`: columns of X that the model does not use; they become zeros.
    - raises NotExactError: if transformers combine columns, or return no numbers.
    """
    if peeled.transform is not None:
        try:
            matrix = _transformed(context, items, peeled)
        except (TypeError, ValueError) as error:
            raise NotExactError(
                f"The transformers do not return a numeric matrix ({type(error).__name__}: {error})."
            ) from error
    else:

        def seen(column: Column, coordinates: Array) -> NDArray[Any]:
            if column.position in unseen:
                return np.zeros(len(coordinates))
            return _seen(column, coordinates, is_number=column.position not in labelled)

        columns = [seen(column, column.values) for column in context.columns.read]
        grids = {}
        for item in items:
            moves = item.feature.moves(item.grid.values).items()
            grids[item.at_issue] = np.column_stack([seen(column, coordinates) for column, coordinates in moves])
        places = {number: np.array(positions) for number, positions in context.columns.moves.items()}
        matrix = ModelMatrix(columns, places, grids)
    if n_columns != len(matrix.columns):
        raise NotExactError(f"The model was fitted on {n_columns} columns, X has {len(matrix.columns)}.")
    return matrix


def _seen(column: Column, coordinates: Array, *, is_number: bool) -> NDArray[Any]:
    """Return what a model takes for coordinates of a column: categories are labels, which may be numbers."""
    if column.levels is None:
        return coordinates
    labels = column.native(coordinates)
    try:
        return labels.astype(np.float64) if is_number else labels
    except (TypeError, ValueError) as error:
        raise NotExactError(f"The model's encoding of the levels of {column.label!r} is unknown.") from error


def same(first: Array, second: Array) -> NDArray[np.bool_]:
    """Whether numbers are equal, missing ones to missing ones."""
    return np.asarray((first == second) | (np.isnan(first) & np.isnan(second)))


def _transformed(context: Context, items: Sequence[FeatureInput], peeled: Peeled) -> ModelMatrix:
    table, transform = context.table, peeled.transform
    assert transform is not None  # noqa: S101 - the caller has checked it
    everything = np.arange(table.n_observations)
    matrix = transform(table.take(everything))
    grids: dict[int, Array] = {}
    for group in _groups(items, matrix.shape[1]):
        rows, moves, parts = phantoms_together(
            [(item.feature, item.feature.values, everything[:1], item.grid.values[None, :]) for item in group]
        )
        seen = transform(table.phantoms(rows, moves))
        grids.update({item.at_issue: seen[part] for item, part in zip(group, parts, strict=True)})
    moving = {number: np.asarray(~same(grid, matrix[:1]).all(axis=0)) for number, grid in grids.items()}

    def cross(rows: NDArray[np.int64], moves: Sequence[Sequence[int]], donors: NDArray[np.int64]) -> Array:
        crossed = transform(table.crossed(rows, moves, donors))
        if crossed.shape[1] != matrix.shape[1]:
            raise NotExactError("The transformers return other columns for other rows.")
        return crossed

    if peeled.is_columnwise:
        # A column that no grid value moved, such as the code of a value off the grid, belongs to the feature with which
        # it changes between two rows that differ in it.
        differs = ~same(matrix, matrix[:1])
        rest = np.flatnonzero(differs.any(axis=0) & ~np.any(list(moving.values()), axis=0))
        others, of_column = np.unique(np.argmax(differs[:, rest], axis=0), return_inverse=True)
        for item in items if len(rest) else ():
            crossed = cross(np.zeros_like(others), [item.columns] * len(others), others)
            moving[item.at_issue][rest] = ~same(crossed, matrix[:1])[of_column, rest]
    else:
        # Every row gets another value of the feature: the columns that change must be those of the other row.
        donors = np.random.default_rng(context.settings.random_state).permutation(everything)
        for item in items:
            crossed = cross(everything, [item.columns] * len(everything), donors)
            is_moved = moving[item.at_issue] = moving[item.at_issue] | ~same(crossed, matrix).all(axis=0)
            if not same(crossed[:, is_moved], matrix[donors][:, is_moved]).all():
                raise NotExactError(f"The transformers combine {item.feature.label!r} with other columns.")
    places = {number: np.flatnonzero(is_moved) for number, is_moved in moving.items()}
    return ModelMatrix(list(matrix.T), places, {number: grids[number][:, to] for number, to in places.items()})


def _groups(items: Sequence[FeatureInput], n_columns: int) -> list[list[FeatureInput]]:
    """Part features so that the phantoms of a group are transformed together."""
    groups: list[list[FeatureInput]] = []
    n_cells = 0
    for item in items:
        n_cells += item.grid.n_grid * n_columns
        if not groups or n_cells > _MOST_CELLS:
            groups.append([])
            n_cells = item.grid.n_grid * n_columns
        groups[-1].append(item)
    return groups
