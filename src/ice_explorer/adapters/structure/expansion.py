"""Products of columns and changes of axes in front of a linear model, written into its coefficients."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ice_explorer.adapters.structure.linear import LinearModel

    Array = NDArray[np.float64]

_EXPANSIONS = {"PCA", "PolynomialFeatures", "TruncatedSVD"}
_SCALERS = {"MaxAbsScaler", "MinMaxScaler", "RobustScaler", "StandardScaler"}


@dataclass(frozen=True, eq=False)
class Expanded:
    """A linear model of products of columns.

    - `linear`: with one coefficient per term.
    - `exponents` (n_terms, n_columns): each term is the product of the columns to these powers; None where the terms
      are the columns.
    - `n_steps`: number of transformers, from the first, that still precede it.
    """

    linear: LinearModel
    exponents: NDArray[np.int64] | None
    n_steps: int


def expand(linear: LinearModel, steps: tuple[Any, ...]) -> Expanded:
    """Write transformers that mix columns into the coefficients of the model behind them.

    - `steps`: fitted transformers in front of it, as in `Peeled`.
    - returns: from the first that makes products of columns (`PolynomialFeatures`) or new axes (`PCA`, `TruncatedSVD`)
      on none is left; all are left where there is none, or where one after it is neither a scaler, a selector nor a
      change of axes.
    """
    first = next((at for at, step in enumerate(steps) if _is_sklearn(step) and _name(step) in _EXPANSIONS), len(steps))
    exponents = None
    tail = list(steps[first:])
    if tail and _name(tail[0]) == "PolynomialFeatures":
        exponents = np.asarray(tail.pop(0).powers_, dtype=np.int64)
    folded = linear
    for step in reversed(tail):
        if not _is_affine(step):
            return Expanded(linear, None, len(steps))
        folded = _folded(folded, step)
    return Expanded(folded, exponents, first)


def _name(step: Any) -> str:
    return type(step).__name__


def _is_sklearn(step: Any) -> bool:
    return type(step).__module__.startswith("sklearn.")


def _is_affine(step: Any) -> bool:
    if not _is_sklearn(step) or getattr(step, "clip", False):
        return False
    return _name(step) in _SCALERS or _name(step) in {"PCA", "TruncatedSVD"} or hasattr(step, "get_support")


def _folded(linear: LinearModel, step: Any) -> LinearModel:
    """Return the model of what goes into a step, from the model of what comes out."""
    coefficients, intercepts = linear.coefficients, linear.intercepts
    name = _name(step)
    if hasattr(step, "get_support"):
        kept = np.asarray(step.get_support())
        spread = np.zeros((len(coefficients), len(kept)))
        spread[:, kept] = coefficients
        return replace(linear, coefficients=spread)
    if name == "MinMaxScaler":
        return replace(
            linear, coefficients=coefficients * step.scale_, intercepts=intercepts + coefficients @ step.min_
        )
    if name in _SCALERS:
        scale = getattr(step, "scale_", None)
        coefficients = coefficients if scale is None else coefficients / scale
    else:
        if getattr(step, "whiten", False):
            coefficients = coefficients / np.sqrt(step.explained_variance_)
        coefficients = coefficients @ step.components_
    centre = _centre(step)
    shift = 0.0 if centre is None else coefficients @ centre
    return replace(linear, coefficients=coefficients, intercepts=intercepts - shift)


def _centre(step: Any) -> Array | None:
    """What a step takes away from each column first; None where nothing is."""
    kept = {"PCA": "mean_", "RobustScaler": "center_", "StandardScaler": "mean_"}.get(_name(step))
    centred = getattr(step, "with_mean", True)
    centre = None if kept is None or not centred else getattr(step, kept, None)
    return None if centre is None else np.asarray(centre, dtype=np.float64)
