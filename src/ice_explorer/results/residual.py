"""Residuals as a column that colours curves; its name inside is `RESIDUAL`, distinct from any column of X."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from ice_explorer.tables.column import Column

if TYPE_CHECKING:
    from collections.abc import Collection

    import numpy as np
    from numpy.typing import NDArray

_LABEL: Final = "residual"


class Residual(Enum):
    """The name of y minus the prediction as a column."""

    RESIDUAL = _LABEL


RESIDUAL: Final = Residual.RESIDUAL


def residual_label(labels: Collection[str]) -> str:
    """Return what residuals are called: "residual", with a number where a column is called so."""
    label, number = _LABEL, 1
    while label in labels:
        number += 1
        label = f"{_LABEL} ({number})"
    return label


def residual_column(label: str, target: NDArray[np.float64], predictions: NDArray[np.float64]) -> Column:
    """Return y minus the prediction as a column, NaN where y is missing."""
    return Column(RESIDUAL, label, "numeric", is_integer=False, dtype="float64", values=target - predictions)
