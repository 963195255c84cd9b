"""X as the model inside sees it: through the transformers around it, column by column.

Where every transformer works column by column, moving one column of X moves known columns of the
matrix that the model sees, to values that do not depend on the row. What a feature's grid becomes is
found by transforming it; that the transformers do work column by column is checked on phantoms,
whose predictions must be the model's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.errors import ICEExplorerError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from ice_explorer.adapters.peel import Peeled
    from ice_explorer.adapters.table import Column
    from ice_explorer.inputs import Context, FeatureInput

    Array = NDArray[np.float64]


class NotColumnwiseError(ICEExplorerError):
    """The transformers around a model do not take X column by column; the message says why."""

    @classmethod
    def failed(cls, error: Exception) -> NotColumnwiseError:
        """Say that their output is no matrix of numbers."""
        return cls(f"What stands around the model makes no matrix of numbers ({type(error).__name__}: {error}).")

    @classmethod
    def mixed(cls, label: str) -> NotColumnwiseError:
        """Name a feature that moves other columns, or whose columns depend on others."""
        return cls(f"The transformers around the model do not treat {label!r} by itself.")


def _same(some: Array, others: Array) -> NDArray[np.bool_]:
    """Whether numbers are equal, missing ones to missing ones."""
    return np.asarray((some == others) | (np.isnan(some) & np.isnan(others)))


def seen(column: Column) -> NDArray[Any]:
    """A column as a model takes it: labels where it is a category."""
    return column.labels if column.kind in {"category", "ordered"} else column.values


class Space:
    """The matrix that the model inside sees, with some phantoms to check an engine on.

    Attributes
    ----------
    columns : list of ndarray of shape (n_rows,)
        Columns of the matrix; those of X itself where nothing stands around the model.
    places : dict of int to ndarray
        By position of a feature in X: the columns that move with it.
    grids : dict of int to ndarray of shape (n_grid, n_places)
        What those columns become at each grid value.
    """

    def __init__(self, context: Context, items: Sequence[FeatureInput], peeled: Peeled) -> None:
        assert context.probe is not None  # noqa: S101 - without one no engine is chosen
        self.peeled = peeled
        rows, donors, crossed = context.probe.rows, context.probe.donors, context.probe.crossed
        self._predicted = context.probed
        columns, n_columns = context.columns, len(context.columns.names)
        if peeled.transform is None:
            self.columns = [seen(columns.at(position)) for position in range(n_columns)]
            self.places = {item.at_issue: np.array([item.at_issue]) for item in items}
            self.grids = {item.at_issue: item.grid.values[:, None] for item in items}
        else:
            self._transform(context, items, peeled)
        # The phantoms again, put together from columns: the moved ones from the donor.
        self.phantoms = []
        moves = [np.array([position]) for position in range(n_columns)]
        if peeled.transform is not None:
            moves = [self.places.get(position, np.empty(0, np.intp)) for position in range(n_columns)]
        for place, values in enumerate(self.columns):
            moved = np.array([place in moves[position] for position in crossed])
            self.phantoms.append(values[np.where(moved, donors, rows)])
        known = np.array([position in self.places for position in crossed])
        self._known = known if peeled.transform is not None else np.ones(len(rows), np.bool_)

    def _transform(self, context: Context, items: Sequence[FeatureInput], peeled: Peeled) -> None:
        assert peeled.transform is not None  # noqa: S101 - the caller has looked
        table = context.table
        everything = np.arange(table.n_observations)
        first = everything[:1]
        try:
            matrix = peeled.transform(table.take(everything))
            moves = [
                peeled.transform(table.phantoms(first, {item.at_issue: item.grid.values[None, :]})) for item in items
            ]
        except (TypeError, ValueError) as error:
            raise NotColumnwiseError.failed(error) from error
        self.columns = list(matrix.T)
        self.places, self.grids = {}, {}
        for item, moved in zip(items, moves, strict=True):
            places = np.flatnonzero(~_same(moved, matrix[:1]).all(axis=0))
            self.places[item.at_issue] = places
            self.grids[item.at_issue] = moved[:, places]
            if not peeled.is_columnwise:
                self._check_alone(context, item, peeled.transform, matrix)

    def _check_alone(
        self, context: Context, item: FeatureInput, transform: Callable[[Any], Array], matrix: Array
    ) -> None:
        """Give every row another's value of the feature: its columns follow, and no others, in any row."""
        generator = np.random.default_rng(context.settings.random_state)
        everything = np.arange(len(matrix))
        donors = generator.permutation(everything)
        crossed = transform(context.table.crossed(everything, np.full(len(matrix), item.at_issue), donors))
        expected = matrix.copy()
        places = self.places[item.at_issue]
        expected[:, places] = matrix[donors][:, places]
        if crossed.shape != expected.shape or not _same(crossed, expected).all():
            raise NotColumnwiseError.mixed(item.column.label)

    @property
    def matrix(self) -> Array:
        """The columns as one matrix, (n_rows, n_columns)."""
        return np.column_stack(self.columns)

    def difference(self, found: Array) -> float:
        """How far an engine's predictions of the phantoms are from the model's own, in sizes of those."""
        if not np.isfinite(self._predicted).all():
            return float("inf")  # whoever predicts every phantom will say which one
        apart = np.abs(self.peeled.output(found) - self._predicted)[self._known]
        size = float(np.max(np.abs(self._predicted), initial=1e-300))
        return float(np.max(apart, initial=0.0)) / size
