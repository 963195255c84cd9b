"""Numbers as little-endian buffers, and whether they fit into single precision.

JSON has no NaN, so whatever may be undefined travels in a buffer.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.errors import PredictionError
from ice_explorer.errors.base import quoted
from ice_explorer.metrics.windows import CONVENTIONS

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ice_explorer.feature import FeatureExplanation

_BITS = 32
_LARGEST_SENT = 1e38


def f32(values: ArrayLike) -> bytes:
    """Lay out values as single-precision numbers."""
    return np.ascontiguousarray(values, dtype="<f4").tobytes()


def f64(values: ArrayLike) -> bytes:
    """Lay out values as double-precision numbers."""
    return np.ascontiguousarray(values, dtype="<f8").tobytes()


def u32(values: ArrayLike) -> bytes:
    """Lay out values as unsigned integers of 32 bits."""
    return np.ascontiguousarray(values, dtype="<u4").tobytes()


def bits(flags: NDArray[np.bool_]) -> bytes:
    """Lay out rows of flags as bits, the lowest one first, each row in a multiple of 4 bytes."""
    n_rows, n_flags = flags.shape
    padded = np.zeros((n_rows, -(-n_flags // _BITS) * _BITS), dtype=np.bool_)
    padded[:, :n_flags] = flags
    return np.packbits(padded, axis=1, bitorder="little").tobytes()


def check_sendable(feature: FeatureExplanation) -> None:
    """Check that predictions and figures of a feature are numbers in single precision, as browsers get them.

    - raises PredictionError: if one is too large.
    """
    if _are_certainly_small(feature):
        return
    counted = [feature.metrics(1.0, convention) for convention in CONVENTIONS]
    figures = {"predictions": feature._prediction_range, "metrics": [row[name] for row in counted for name in row]}
    for what, values in figures.items():
        largest = max((abs(value) for value in values if not math.isnan(value)), default=0.0)
        if largest > _LARGEST_SENT:
            raise PredictionError(
                f"An explorer shows numbers from {-_LARGEST_SENT:g} to {_LARGEST_SENT:g}; the {what} of "
                f"{quoted(feature.feature)} reach {largest:.3g}.",
                "Explain a function that scales predictions down, such as `lambda X: model.predict(X) / 1e100`, or "
                "leave the feature out with `features=`.",
            )


def _are_certainly_small(feature: FeatureExplanation) -> bool:
    """Whether no metric can be too large: no slope is steeper than the range of predictions over the smallest gap."""
    if feature._item.has_missing:
        return False
    lowest, highest = feature._prediction_range
    gap = 1.0 if feature._item.feature.is_unordered else float(np.diff(feature.axis).min(initial=math.inf))
    steepest = (highest - lowest) / gap if gap > 0 else math.inf
    return max(-lowest, highest, 4.0 * feature.scale * steepest) <= _LARGEST_SENT
