"""Lines in two colours, on either side of the median or of a rule, or by the groups of several rules.

The twin of `js/src/split.ts`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from ice_explorer.display_axis import writer
from ice_explorer.figures.lettering import axis_number
from ice_explorer.moments import Clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ice_explorer.drivers import Driver
    from ice_explorer.explanation import FeatureExplanation
    from ice_explorer.messages import CategoryColorsBody, ContinuousColorsBody

    Array = NDArray[np.float64]
    ColorsBody: TypeAlias = ContinuousColorsBody | CategoryColorsBody
    Sides: TypeAlias = Literal["median"] | Driver | None

_BELOW, _ABOVE, _MISSING = range(3)
_MISSING_NAME: Final = "missing"


@dataclass(frozen=True, eq=False)
class Together:
    """The groups of the two columns that explain most of the differences between the curves of a feature."""

    feature: FeatureExplanation


if TYPE_CHECKING:
    Split: TypeAlias = Sides | Together


def split_of(coloring: str, column: str | None, feature: FeatureExplanation) -> Split:
    """Return the split that a reader chose; a column that explains nothing of the feature is not split.

    Parameters
    ----------
    coloring : {"value", "median", "driver", "together"}
    column : str or None
        Label of the column that colours.
    feature : FeatureExplanation
        The one that is open.
    """
    if coloring == "together" and feature._search_drivers().combined.columns:
        return Together(feature)
    if column is None or coloring in ("value", "together"):
        return None
    if coloring == "median":
        return "median"
    return next((driver for driver in feature._search_drivers().reported if driver.column == column), None)


def split_colors(body: ColorsBody, values: Array, split: Sides) -> tuple[tuple[str, ...], Array] | None:
    """Return two levels, or three where values are missing, and that of each line.

    Parameters
    ----------
    body : dict
        As `payload.colors` makes it.
    values : ndarray of shape (n_lines,)
        Of the column, or the index of a level.
    split : "median", Driver or None

    Returns
    -------
    tuple or None
        None where there is nothing to split at.
    """
    if split is None:
        return None
    is_above = _side_of(body, split)
    if is_above is None:
        return None
    missing = np.isnan(values)
    sides = np.where(missing, _MISSING, np.where(is_above(np.where(missing, 0, values)), _ABOVE, _BELOW))
    names = (*_names_of(body, split), _MISSING_NAME)
    return names[: 3 if missing.any() else 2], sides.astype(np.float64)


def _side_of(body: ColorsBody, split: Literal["median"] | Driver) -> Callable[[Array], NDArray[np.bool_]] | None:
    """Tell on which side a value is, where the colours say; an index of a level is one of those."""
    if body["kind"] == "continuous":
        at = body["median"] if split == "median" else split.threshold
        return None if math.isnan(at) else lambda value: value > at
    if split == "median":
        return None
    if split.levels is not None:
        inside = np.isin(body["levels"], split.levels)
    elif body["values"] is None or math.isnan(split.threshold):
        return None
    else:
        inside = np.array(body["values"]) > split.threshold
    return lambda level: np.asarray(inside[level.astype(np.intp)])


def _names_of(body: ColorsBody, split: Literal["median"] | Driver) -> tuple[str, str]:
    if split != "median":
        return split.sides
    if body["kind"] != "continuous":  # which has no median
        return "", ""
    at = ramp_writer(body)(body["median"])
    return f"{body['column']} ≤ {at}", f"{body['column']} > {at}"


def ramp_writer(body: ContinuousColorsBody) -> Callable[[float], str]:
    """How a value of a column is written that colours along a ramp."""
    levels = body["levels"]
    grid = np.array(body["domain"] if levels is None else range(len(levels)), dtype=np.float64)
    return writer(body["of"], grid, levels, axis_number(grid), Clock(body["clock"]))
