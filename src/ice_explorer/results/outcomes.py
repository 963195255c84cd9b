"""The observed target, and y minus the prediction, as columns that colour curves; their names are no column of X."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.tables.column import Column

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from ice_explorer.tables.column import ColumnKind


class Outcome(Enum):
    """The name of a column that y is needed for."""

    OBSERVED = "observed"
    RESIDUAL = "residual"


RESIDUAL: Final = Outcome.RESIDUAL


def outcome_labels(labels: Collection[str], target_name: str) -> dict[Outcome, str]:
    """Return what the columns are called: with a number where a column of X is called so."""
    names = {Outcome.OBSERVED: f"observed {target_name or 'target'}", RESIDUAL: "residual"}
    return {outcome: _free(name, labels) for outcome, name in names.items()}


def _free(name: str, labels: Collection[str]) -> str:
    label, number = name, 1
    while label in labels:
        number += 1
        label = f"{name} ({number})"
    return label


def residual_column(label: str, target: NDArray[np.float64], predictions: NDArray[np.float64]) -> Column:
    """Return y minus the prediction as a column, NaN where y is missing."""
    return Column(RESIDUAL, label, "numeric", is_integer=False, dtype="float64", values=target - predictions)


def observed_column(label: str, target: NDArray[np.float64], *, is_class: bool) -> Column:
    """Return y as a column, NaN where it is missing; where a class is explained, whether it is that class."""
    kind: ColumnKind = "boolean" if is_class else "numeric"
    is_integer = bool(np.all(np.isnan(target) | (target == np.round(target))))
    return Column(Outcome.OBSERVED, label, kind, is_integer=is_integer, dtype="float64", values=target)
