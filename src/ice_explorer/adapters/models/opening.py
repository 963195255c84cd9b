"""Choose the class or output that an explorer opens with; `explain` requires one instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.adapters.models.outputs import asked, must_choose
from ice_explorer.adapters.models.target import target_columns
from ice_explorer.errors.base import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ice_explorer.adapters.models.outputs import Layout
    from ice_explorer.adapters.models.source import Way
    from ice_explorer.adapters.tables.table import Table

    Counts = NDArray[np.int64]

_MOST_ROWS: Final = 2000  # whose predictions tell which class is frequent: few enough for a slow model


@dataclass(frozen=True)
class Opening:
    """What decides where the user did not choose.

    - `y`: the observed target.
    """

    y: object
    table: Table

    def choose(self, layout: Layout, way: Way) -> tuple[int, tuple[str, ...]]:
        """Choose the class most frequent in y, else in the predictions; of outputs that are no classes the first.

        Of two classes it is the second, as for `explain`. Where outputs have classes of their own, it is a class of
        the first output.

        - `way`: asked for predictions where y does not tell.
        - returns `position`: place of the output.
        - returns `notes`: which one it is, and why.
        """
        if not must_choose(layout):
            position, notes = layout.find(None)
            second = "the second of two"
            return position, (_note("class", layout.outputs, position, second),) if notes else ()
        if not layout.of_classes:
            return 0, (_note("output", layout.outputs, 0, f"the first of {len(layout.outputs)}"),)
        labels = _of_first_output(layout.outputs)
        counts, where = self._counts_in_target(labels, len(layout.outputs)), "in `y`"
        if counts is None:
            counts, where = self._counts_in_predictions(layout, way, len(labels))
        position = int(np.argmax(counts))
        return position, (_note("class", layout.outputs, position, f"the most frequent one {where}"),)

    def _counts_in_target(self, labels: Sequence[object], n_outputs: int) -> Counts | None:
        """Count the rows of each label; None without a target, or where it holds none of the labels."""
        if self.y is None:
            return None
        columns = target_columns(self.y)
        if len(columns) == n_outputs > 1:  # of each label, whether it holds
            counted = [sum(value in (1, True) for value in column.tolist()) for column in columns]
        else:
            found = Counter(value for value in columns[0].tolist() if isinstance(value, Hashable))
            counted = [found[label] for label in labels]
        return np.array(counted) if any(counted) else None

    def _counts_in_predictions(self, layout: Layout, way: Way, n_labels: int) -> tuple[Counts, str]:
        n_rows = self.table.n_observations
        taken = np.unique(np.linspace(0, n_rows - 1, min(n_rows, _MOST_ROWS)).astype(np.int64))
        rows = self.table.take(taken)
        checked = layout.check(asked(way, rows), len(taken))
        predicted = np.column_stack([take(checked) for take in layout.takes[:n_labels]])
        where = "in the predictions" if len(taken) == n_rows else f"in the predictions of {len(taken):,} rows"
        if np.isin(predicted, (0.0, 1.0)).all():  # labels, of which several may hold
            return predicted.sum(axis=0).astype(np.int64), where
        return np.bincount(predicted.argmax(axis=1), minlength=n_labels), where


def _of_first_output(outputs: Sequence[object]) -> list[Any]:
    """Labels of the classes, of several outputs those of the first."""
    if not all(isinstance(output, tuple) for output in outputs):
        return list(outputs)
    pairs: list[Any] = list(outputs)
    return [label for number, label in pairs if number == pairs[0][0]]


def _note(what: str, outputs: Sequence[object], position: int, why: str) -> str:
    chosen = f"Explained {what}: {quoted(outputs[position])}, {why}."
    if len(outputs) == 1:
        return chosen
    return f'{chosen} Choose {"another one" if len(outputs) > 2 else "the other one"} under "Output".'
