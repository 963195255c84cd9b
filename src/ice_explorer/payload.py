"""An explanation as JSON and little-endian buffers: the only place that lays out bytes.

The layouts are stated in `ice_explorer.messages`; `js/src/decode.ts` reads them. JSON has no NaN,
so whatever may be undefined travels in a buffer.
"""

from __future__ import annotations

import ast
import math
import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer import __version__
from ice_explorer.errors import InvalidOptionError
from ice_explorer.messages import (
    PROTOCOL_VERSION,
    CategoryColorsBody,
    ColumnHead,
    ContinuousColorsBody,
    CurvesBody,
    FeatureHead,
    Header,
    Note,
    RowsBody,
    ViewState,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from ice_explorer.adapters.table import Column
    from ice_explorer.explanation import Explanation, FeatureExplanation

# The metrics of the header's table; those that depend on the decay are in the profile instead.
METRICS: Final = (
    "impact",
    "direction",
    "heterogeneity",
    "non_linearity",
    "non_linearity_mad",
    "largest_step_share",
)
PROFILES: Final = ("in_distribution_impact", "effective_n")
DECAYS: Final = np.arange(1, 101) / 100

_LONGEST_OPTION = 60
_LONGEST_NAME = 80
_FIRST_INEXACT_INTEGER = 2**53
_MOST_BINS = 30
_MOST_ORDERED_LEVELS = 6
_MOST_LEVELS = 8
_OTHER = "other"


def _f32(values: ArrayLike) -> bytes:
    return np.ascontiguousarray(values, dtype="<f4").tobytes()


def _f64(values: ArrayLike) -> bytes:
    return np.ascontiguousarray(values, dtype="<f8").tobytes()


def _checked(positions: Sequence[int], n_observations: int) -> NDArray[np.int64]:
    """Take positions of rows from the browser, which may be of another data set by now."""
    chosen = np.asarray(positions, dtype=np.int64)
    outside = chosen[(chosen < 0) | (chosen >= n_observations)]
    if outside.size:
        msg = (
            f"`positions` must be row positions of X from 0 to {n_observations - 1}; "
            f"got {int(outside[0])}. Leave it out."
        )
        raise InvalidOptionError(msg)
    return chosen


def _u32(values: ArrayLike) -> bytes:
    return np.ascontiguousarray(values, dtype="<u4").tobytes()


# --- header and its two tables --------------------------------------------------------------------


class Tables:
    """The metrics of all features as two buffers, NaN until a feature is filled in.

    Parameters
    ----------
    n_features : int
        Rows of the tables, in column order of X.
    """

    def __init__(self, n_features: int) -> None:
        self._impact = np.full((n_features, len(METRICS)), np.nan, dtype="<f4")
        self._profile = np.full((len(PROFILES), n_features, len(DECAYS)), np.nan, dtype="<f4")

    def fill(self, position: int, feature: FeatureExplanation) -> None:
        """Enter what is known of one feature."""
        undecayed = feature.metrics()
        self._impact[position] = [undecayed[name] for name in METRICS]
        decayed = [feature.metrics(float(decay)) for decay in DECAYS]
        for profile, name in zip(self._profile, PROFILES, strict=True):
            profile[position] = [metrics[name] for metrics in decayed]

    @property
    def impact(self) -> bytes:
        """Metrics that do not depend on the decay, f32 [n_features, metrics]."""
        return self._impact.tobytes()

    @property
    def profile(self) -> bytes:
        """In-distribution impact and effective n, f32 [2, n_features, decays]."""
        return self._profile.tobytes()


def header(explanation: Explanation, features: Sequence[FeatureHead], code: str) -> Header:
    """What the two tables are about.

    Parameters
    ----------
    explanation : Explanation
        What is known so far; columns, settings and notes are taken from it.
    features : sequence of FeatureHead
        All features, explained yet or not.
    code : str
        The line that makes this explorer.
    """
    columns = [explanation.column(name) for name in explanation.columns]
    return Header(
        protocol=PROTOCOL_VERSION,
        version=__version__,
        features=list(features),
        columns=[ColumnHead(name=column.label, kind=column.kind) for column in columns],
        metrics=list(METRICS),
        decays={"first": float(DECAYS[0]), "step": 0.01, "count": len(DECAYS)},
        n_observations=explanation.n_observations,
        engine=explanation.engine,
        engine_reason=explanation.engine_reason,
        convention=explanation.settings.convention,
        weighting=explanation.settings.weighting,
        output_label=explanation.output_label,
        notes=[_note(text, [feature["name"] for feature in features]) for text in explanation.notes],
        code=code,
    )


def _note(text: str, labels: Sequence[str]) -> Note:
    """Part a note into the feature that it begins with, if any, and what it says of it."""
    for label in labels:
        prefix = f"{label!r}: "
        if text.startswith(prefix):
            return Note(feature=label, text=text.removeprefix(prefix))
    return Note(feature=None, text=text)


def code_line(options: Mapping[str, object]) -> str:
    """Write the call that makes an explorer with these options; what is long is left as a name."""
    arguments = ["model", "X"]
    for name, value in options.items():
        text = repr(value)
        arguments.append(f"{name}={text if _is_literal(text) else name}")
    return f"ICEExplorer({', '.join(arguments)})"


def _is_literal(text: str) -> bool:
    """Whether a short text makes the value again, wherever it is pasted."""
    try:
        ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return False
    return len(text) <= _LONGEST_OPTION


# --- lines ----------------------------------------------------------------------------------------


def curves(
    explanation: Explanation, feature: FeatureExplanation, max_lines: int, selection: Sequence[int]
) -> tuple[CurvesBody, list[bytes]]:
    """The lines of one feature, and what is drawn with them.

    Parameters
    ----------
    explanation : Explanation
        Where the labels of the rows come from.
    feature : FeatureExplanation
    max_lines : int
        How many rows to draw besides the selected ones.
    selection : sequence of int
        Rows of X that must be among them.

    Returns
    -------
    body, buffers
        As `CurvesBody` lays them out.
    """
    positions = feature.draw(max_lines, selection)
    lines = feature.rows(positions)
    lowest, highest = feature.prediction_range
    offset = (lowest + highest) / 2
    edges, counts = histogram(feature.observed_axis)
    body = CurvesBody(
        feature=feature.label,
        n_lines=len(positions),
        n_grid=len(feature.axis),
        n_observations=explanation.n_observations,
        offset=offset,
        prediction_range=(lowest, highest),
        row_labels=explanation.row_labels(positions),
        median=feature.median,
    )
    return body, [
        _u32(positions),
        _f64(feature.observed_axis[positions]),
        _f64(feature.likelihood_scale[positions]),
        _f32(feature.predictions(positions) - offset),
        _f64(feature.axis),
        _f32(lines - offset),
        _f32(feature.partial_dependence - offset),
        _f32(feature.spread),
        _f64(edges),
        _f64(counts),
    ]


def histogram(
    values: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where the data are, along the axis of a feature.

    Parameters
    ----------
    values : ndarray of shape (n_observations,)
        The column [feature]; NaN is missing.

    Returns
    -------
    edges : ndarray of shape (n_bins + 1,)
        Where there are no more than 30 distinct values each has a bin of its own, bounded half
        way to its neighbours; otherwise at most 30 bins of equal width.
    counts : ndarray of shape (n_bins,)
        Observations.
    """
    column = values[~np.isnan(values)]
    distinct = np.unique(column)
    if len(distinct) <= _MOST_BINS:
        edges = _edges_between(distinct)
    else:
        edges = np.histogram_bin_edges(column, bins="auto")
        if len(edges) > _MOST_BINS + 1:
            edges = np.linspace(distinct[0], distinct[-1], _MOST_BINS + 1)
    counts, edges = np.histogram(column, bins=edges)
    return edges, counts.astype(np.float64)


def _edges_between(distinct: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bound each value half way to its neighbours, the outer ones as far out as in."""
    if len(distinct) == 1:
        reach = max(abs(float(distinct[0])), 1.0) / 1000
        return np.array([distinct[0] - reach, distinct[0] + reach])
    inner = (distinct[1:] + distinct[:-1]) / 2
    first = distinct[0] - (inner[0] - distinct[0])
    last = distinct[-1] + (distinct[-1] - inner[-1])
    return np.concatenate([[first], inner, [last]])


# --- colours --------------------------------------------------------------------------------------


def colors(column: Column, positions: Sequence[int]) -> tuple[ContinuousColorsBody | CategoryColorsBody, list[bytes]]:
    """Values of a column at some rows, as something to colour by.

    Parameters
    ----------
    column : Column
        Any column of X that is not of kind "other".
    positions : sequence of int
        Rows of X.

    Returns
    -------
    body : dict
        Continuous with the domain of the ramp (the 2 % and 98 % quantiles of the whole column, so
        that an outlier does not take all the colours), or category with its levels in order.
        Booleans and numbers with at most 6 distinct values are ordered categories; categories
        beyond the 8 most frequent share a last level "other".
    buffers : list of bytes
        The values, or the index of the level; NaN where missing.
    """
    chosen = _checked(positions, len(column.values))
    if column.kind in {"category", "ordered"}:
        return _category_colors(column, chosen)
    values = column.values.astype(np.float64)
    distinct, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    if column.kind == "boolean" or len(distinct) <= _MOST_ORDERED_LEVELS:
        index = np.searchsorted(distinct, values[chosen]).astype(np.float64)
        index[np.isnan(values[chosen])] = math.nan
        as_text = [_level_text(column, value) for value in distinct]
        ordered = CategoryColorsBody(
            column=column.label,
            kind="category",
            ordered=True,
            levels=as_text,
            counts=counts.tolist(),
        )
        return ordered, [_f32(index)]
    low, high = np.nanquantile(values, [0.02, 0.98])
    if low == high:
        low, high = distinct[0], distinct[-1]
    continuous = ContinuousColorsBody(column=column.label, kind="continuous", domain=(float(low), float(high)))
    return continuous, [_f32(values[chosen])]


def _level_text(column: Column, value: float) -> str:
    return str(bool(value)) if column.kind == "boolean" else number_text(float(value))


def _category_colors(column: Column, chosen: NDArray[np.int64]) -> tuple[CategoryColorsBody, list[bytes]]:
    texts = [None if value is None else str(value) for value in column.labels]
    present = np.array([text for text in texts if text is not None], dtype=object)
    names, counts = np.unique(present, return_counts=True)
    # Most frequent first, in alphabetical order among equals: np.unique has sorted the names.
    order = np.argsort(-counts, kind="stable")
    kept = order[:_MOST_LEVELS]
    levels = [str(name) for name in names[kept]]
    level_counts = counts[kept].tolist()
    index = {name: position for position, name in enumerate(levels)}
    if len(order) > _MOST_LEVELS:
        levels.append(_OTHER if _OTHER not in levels else f"{_OTHER} levels")
        level_counts.append(int(counts[order[_MOST_LEVELS:]].sum()))
    codes = [math.nan if texts[row] is None else float(index.get(str(texts[row]), _MOST_LEVELS)) for row in chosen]
    body = CategoryColorsBody(
        column=column.label,
        kind="category",
        ordered=False,
        levels=levels,
        counts=level_counts,
    )
    return body, [_f32(codes)]


# --- files ----------------------------------------------------------------------------------------


def filename(state: ViewState) -> str:
    """Name a saved view after what it shows, in characters that every system allows."""
    words = re.findall(r"\w+", f"ice {state['feature']} {state['kind']}")
    return "-".join(words)[:_LONGEST_NAME] + ".svg"


# --- rows -----------------------------------------------------------------------------------------


def number_text(value: float) -> str:
    """Write a number as a reader would: whole numbers in full, others with six digits."""
    if math.isnan(value):
        return ""
    is_whole = value.is_integer() and abs(value) < _FIRST_INEXACT_INTEGER
    return str(int(value)) if is_whole else f"{value:.6g}"


def rows(columns: Sequence[Column], positions: Sequence[int]) -> RowsBody:
    """Rows of X as text; a missing value is empty."""
    chosen = _checked(positions, len(columns[0].values))
    by_column = [[_cell_text(column, value) for value in _cells(column)[chosen]] for column in columns]
    return RowsBody(
        columns=[column.label for column in columns],
        rows=[list(row) for row in zip(*by_column, strict=True)],
    )


def _cells(column: Column) -> NDArray[Any]:
    return column.values if column.kind in {"numeric", "boolean"} else column.labels


def _cell_text(column: Column, value: Any) -> str:
    if column.kind == "numeric":
        return number_text(float(value))
    if column.kind == "boolean":
        return "" if math.isnan(value) else str(bool(value))
    return "" if value is None else str(value)
