"""Arrays in replies: JSON says the dtype and shape of each and in which buffer it is; whether numbers can be sent."""

from __future__ import annotations

from dataclasses import dataclass, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Final, dataclass_transform, get_args

import numpy as np
from numpy.typing import NDArray

from ice_explorer.errors import PredictionError
from ice_explorer.errors.base import quoted
from ice_explorer.scene.choices import types_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ice_explorer.feature import FeatureExplanation

# The type that an array has on the page, whichever it has here. JSON has no NaN, so that all that may be undefined is
# an array.
F32 = Annotated[NDArray[Any], np.dtype("<f4")]
F64 = Annotated[NDArray[Any], np.dtype("<f8")]
U32 = Annotated[NDArray[Any], np.dtype("<u4")]
U8 = Annotated[NDArray[Any], np.dtype("u1")]

_LARGEST_SENT: Final = 1e30


@dataclass_transform(frozen_default=True)
class Body:
    """What is sent or received as JSON: every subclass is a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)


def packed(reply: Any) -> tuple[Any, list[bytes]]:
    """Return a dataclass as JSON, in which an array is {"dtype", "shape", "buffer"}, and the buffers."""
    buffers: list[bytes] = []
    return _packed(reply, None, buffers), buffers


def _packed(value: Any, dtype: np.dtype[Any] | None, buffers: list[bytes]) -> Any:
    if isinstance(value, np.ndarray):
        buffers.append(np.ascontiguousarray(value, dtype).tobytes())
        name = value.dtype.name if dtype is None else dtype.name
        return {"dtype": name, "shape": list(value.shape), "buffer": len(buffers) - 1}
    if isinstance(value, (list, tuple)):
        return [_packed(each, dtype, buffers) for each in value]
    if is_dataclass(value):
        dtypes = _dtypes(type(value))  # type: ignore[arg-type]  # types are hashable
        return {name: _packed(entry, dtypes[name], buffers) for name, entry in vars(value).items()}
    return value


@cache
def _dtypes(kind: type) -> Mapping[str, np.dtype[Any] | None]:
    return {name: _dtype(entry) for name, entry in types_of(kind).items()}


def _dtype(kind: Any) -> np.dtype[Any] | None:
    """Return the dtype that a type names, also in a list or where there may be no array."""
    inner = (_dtype(each) for each in get_args(kind))
    return kind if isinstance(kind, np.dtype) else next((dtype for dtype in inner if dtype is not None), None)


def check_sendable(feature: FeatureExplanation) -> None:
    """Check that predictions and figures are far from the ends of single precision, as browsers get them.

    - raises PredictionError: if one is too large.
    """
    lowest, highest = feature._prediction_range
    figures = {"predictions": [lowest, highest]}
    gap = 1.0 if feature._item.feature.is_unordered else float(np.diff(feature.axis).min(initial=np.inf))
    if feature.scale * (highest - lowest) > _LARGEST_SENT * gap:  # else no slope can be too steep
        figures["metrics"] = list(feature.metrics(1.0).values())
    for what, values in figures.items():
        largest = float(np.nanmax(np.abs(values)))
        if largest > _LARGEST_SENT:
            raise PredictionError(
                f"An explorer shows numbers up to {_LARGEST_SENT:g}; the {what} of {quoted(feature.feature)} reach "
                f"{largest:.3g}.",
                "Explain a function that scales predictions down, such as `lambda X: model.predict(X) / 1e100`, or "
                "leave the feature out with `features=`.",
            )
