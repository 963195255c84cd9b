"""An explanation as JSON and little-endian buffers: the only place that lays out bytes.

The layouts are stated in `ice_explorer.wire.messages`; `js/src/wire/decode.ts` reads them. JSON has no NaN,
so whatever may be undefined travels in a buffer.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.checks import check_distinct_positions
from ice_explorer.engines.context import resolve_display
from ice_explorer.errors import InvalidOptionError, PredictionError
from ice_explorer.features.column_colors import LevelColors, column_colors
from ice_explorer.features.display_axis import cell_writer, display_axis, histogram, writer
from ice_explorer.features.number_text import cell_text, short_cell_text
from ice_explorer.metrics.ordered import CONVENTIONS
from ice_explorer.version import __version__
from ice_explorer.wire.messages import (
    PROTOCOL_VERSION,
    CategoryColorsBody,
    ClassesBody,
    ColumnHead,
    CombinedBody,
    ContinuousColorsBody,
    CurvesBody,
    DriverBody,
    DriversBody,
    FeatureHead,
    FeatureMovesBody,
    FormatHead,
    Header,
    InCommonBody,
    InCommonItem,
    MissingBody,
    MoveBody,
    Note,
    RowsBody,
    RuleBody,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from ice_explorer.adapters.tables.table import Column
    from ice_explorer.drivers.drivers import Drivers
    from ice_explorer.drivers.in_common import InCommon
    from ice_explorer.metrics.ordered import Convention
    from ice_explorer.results.explanation_result import ExplanationResult
    from ice_explorer.results.feature_explanation import FeatureResult
    from ice_explorer.results.outputs import Classes

_STABLE: Final = "stable_"  # before what is sent by that convention as well: a bar says where the two differ much
# The metrics of the header's table; those that depend on the decay are in the profile instead.
METRICS: Final = (
    "impact",
    "direction",
    "heterogeneity",
    "non_linearity",
    "missing_impact",
    "largest_step_share",
    "mean_change",
    f"{_STABLE}impact",
    f"{_STABLE}heterogeneity",
)
PROFILES: Final = ("in_distribution_impact", "support", f"{_STABLE}in_distribution_impact")
DECAYS: Final = np.arange(1, 101) / 100

_LARGEST_SENT = 1e38
_MOST_DRIVERS = 50
_ALL: Final = slice(None)


def _f32(values: ArrayLike) -> bytes:
    return np.ascontiguousarray(values, dtype="<f4").tobytes()


def check_sendable(feature: FeatureResult) -> None:
    """Check that predictions and figures of a feature are numbers in single precision, as browsers get them.

    Raises
    ------
    PredictionError
        If one is too large.
    """
    counted = [feature.metrics(1.0, convention) for convention in CONVENTIONS]
    figures = {"predictions": feature.prediction_range, "metrics": [row[name] for row in counted for name in row]}
    for what, values in figures.items():
        largest = max((abs(value) for value in values if not math.isnan(value)), default=0.0)
        if largest > _LARGEST_SENT:
            raise PredictionError.too_large_to_show(what, feature.feature, largest, _LARGEST_SENT)


def _f64(values: ArrayLike) -> bytes:
    return np.ascontiguousarray(values, dtype="<f8").tobytes()


def _u32(values: ArrayLike) -> bytes:
    return np.ascontiguousarray(values, dtype="<u4").tobytes()


# --- header and its two tables --------------------------------------------------------------------


class Tables:
    """The metrics of all features as two buffers, NaN until a feature is filled in.

    Parameters
    ----------
    n_features : int
        Rows of the tables, in column order of X.
    convention : {"stable", "equations", "published"}
        By which they are counted.
    """

    def __init__(self, n_features: int, convention: Convention) -> None:
        self._convention = convention
        self._impact = np.full((n_features, len(METRICS)), np.nan, dtype="<f4")
        self._profile = np.full((len(PROFILES), n_features, len(DECAYS)), np.nan, dtype="<f4")

    def fill(self, position: int, feature: FeatureResult) -> None:
        """Enter what is known of one feature."""
        undecayed, decayed = _figures(feature, self._convention)
        even = (undecayed, decayed) if self._convention == "stable" else _figures(feature, "stable")
        undecayed |= {_STABLE + name: value for name, value in even[0].items()}
        decayed |= {_STABLE + name: values for name, values in even[1].items()}
        self._impact[position] = [undecayed[name] for name in METRICS]
        for profile, name in zip(self._profile, PROFILES, strict=True):
            profile[position] = decayed[name]

    @property
    def impact(self) -> bytes:
        """Metrics that do not depend on the decay, f32 [n_features, metrics]."""
        return self._impact.tobytes()

    @property
    def profile(self) -> bytes:
        """Metrics at every decay, f32 [profiles, n_features, decays]."""
        return self._profile.tobytes()


def _figures(feature: FeatureResult, convention: Convention) -> tuple[dict[str, float], dict[str, NDArray[np.float64]]]:
    """Return what does not depend on the decay, and what does."""
    undecayed = {**feature.metrics(None, convention), "mean_change": feature.mean_change}
    return undecayed, feature._decay_profiles(DECAYS, convention)


def header(
    explanation: ExplanationResult,
    features: Sequence[FeatureHead],
    code: str,
    outputs: Sequence[str] = (),
    responses: Sequence[str] = (),
    *,
    convention: Convention | None = None,
    prediction_sd: float | None = None,
    formats: Sequence[FormatHead] = (),
    target_name: str = "",
) -> Header:
    """What the two tables are about.

    Parameters
    ----------
    explanation : ExplanationResult
        What is known so far; columns, settings and notes are taken from it.
    features : sequence of FeatureHead
        All features, explained yet or not.
    code : str
        The line that makes this explorer.
    outputs, responses : sequence of str
        What can be chosen instead.
    convention : optional
        By which the tables are counted; that of the explanation by default.
    prediction_sd : float, optional
        Standard deviation of the predictions, once it is known.
    formats : sequence of FormatHead
        What a view can be saved as.
    target_name : str
        Name of y; "" where it has none.
    """
    _, convention = resolve_display(explanation.settings, None, convention)
    columns = [explanation._column(name) for name in explanation._color_columns]
    return Header(
        protocol=PROTOCOL_VERSION,
        version=__version__,
        features=[_with_range(head, explanation) for head in features],
        columns=[ColumnHead(name=column.label, kind=column.kind) for column in columns] + _residual(explanation),
        metrics=list(METRICS),
        profiles=list(PROFILES),
        decays={"first": float(DECAYS[0]), "step": 0.01, "count": len(DECAYS)},
        n_observations=explanation.n_observations,
        engine=explanation.engine,
        engine_reason=explanation.engine_reason,
        convention=convention,
        prediction_sd=prediction_sd,
        output_label=explanation.output_label,
        target_name=target_name,
        outputs=list(outputs),
        responses=list(responses),
        formats=list(formats),
        alerts=list(explanation.alerts),
        notes=_notes(explanation.notes[len(explanation.alerts) :], [feature["name"] for feature in features]),
        code=code,
    )


def _residual(explanation: ExplanationResult) -> list[ColumnHead]:
    """Offer residuals to colour by, without predicting anything yet."""
    label = explanation._residual_label
    return [] if label is None else [ColumnHead(name=label, kind="numeric")]


def _with_range(head: FeatureHead, explanation: ExplanationResult) -> FeatureHead:
    """Add the range of the predictions, where they are known: not as float32, which a large output would round."""
    name = head["name"]
    return {**head, "range": explanation[name].prediction_range if name in explanation else None}


def _notes(texts: Sequence[str], labels: Sequence[str]) -> list[Note]:
    """Part each note into the feature that it begins with, if any, and what it says of it."""
    of_label = {f"{label!r}: ": label for label in labels}
    return [_note(text, of_label) for text in texts]


def _note(text: str, of_label: Mapping[str, str]) -> Note:
    end = text.find(": ")
    while end != -1:  # a label may hold a colon, too
        prefix = text[: end + 2]
        if prefix in of_label:
            return Note(feature=of_label[prefix], text=text.removeprefix(prefix))
        end = text.find(": ", end + 1)
    return Note(feature=None, text=text)


# --- lines ----------------------------------------------------------------------------------------


def curves(
    explanation: ExplanationResult,
    feature: FeatureResult,
    max_lines: int,
    selection: Sequence[int],
    target: NDArray[np.float64] | None = None,
) -> tuple[CurvesBody, list[bytes]]:
    """The lines of one feature, and what is drawn with them.

    Parameters
    ----------
    explanation : ExplanationResult
        Where the labels of the rows come from.
    feature : FeatureResult
    max_lines : int
        How many rows to draw besides the selected ones.
    selection : sequence of int
        Rows of X that must be among them.
    target : ndarray of shape (n_observations,), optional
        Observed, NaN where missing.

    Returns
    -------
    body, buffers
        As `CurvesBody` lays them out.
    """
    positions = feature.draw(max_lines, selection)
    lines = feature.rows(positions)
    lowest, highest = feature.prediction_range
    offset = (lowest + highest) / 2
    axis = display_axis(feature)
    edges, counts = histogram(axis)
    missing, missing_values = _missing(feature, positions)
    far = distances(feature, positions) if axis.is_unordered else np.empty(0)
    body = CurvesBody(
        feature=feature.label,
        kind=feature.kind,
        levels=axis.levels,
        missing=missing,
        n_lines=len(positions),
        n_grid=len(axis.grid),
        n_observations=explanation.n_observations,
        offset=offset,
        prediction_range=(lowest, highest),
        row_labels=explanation._row_labels(positions),
        median=axis.median,
        clock=axis.clock.changes,
    )
    return body, [
        _u32(positions),
        _f64(axis.observed[positions]),
        _f64(feature.likelihood_scale[positions]),
        _f32(feature.predictions(positions) - offset),
        _f64(axis.grid),
        _f32(lines - offset),
        _f32(feature.partial_dependence - offset),
        _f32(feature.spread),
        _f64(edges),
        _f64(counts),
        _f32(missing_values - offset),
        _f32(far),
        _f64([] if target is None else target[positions]),
        _f32(_at_own(feature, positions, lines) - offset),
    ]


def distances(feature: FeatureResult, positions: NDArray[np.int64]) -> NDArray[np.float64]:
    """How far each grid value is from the own values of some rows: the exponents of the decay.

    Returns
    -------
    ndarray of shape (n_rows, n_grid)
        0 at the own value; infinite where nothing but it is likely.
    """
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log2(feature.likelihood(0.5, rows=positions))) + 0.0


def _at_own(feature: FeatureResult, positions: NDArray[np.int64], lines: NDArray[np.float64]) -> NDArray[np.float64]:
    """Predictions at observed values, where the curves do not tell all of them."""
    return np.empty(0) if feature._are_on_grid(positions).all() else feature._at_own_values(positions, lines)


def classes(
    feature: FeatureResult,
    classes: Classes,
    positions: NDArray[np.int64],
    places: NDArray[np.intp] | slice = _ALL,
) -> tuple[ClassesBody, list[bytes]]:
    """The lines of one feature for every class of the model.

    Parameters
    ----------
    feature : FeatureResult
        Of the explained class.
    classes : Classes
        Where the curves come from.
    positions : ndarray of shape (n_lines,)
        Rows to draw.
    places : ndarray of shape (n_grid,) or slice
        Which values of the grid; all of them by default.

    Returns
    -------
    body, buffers
        As `ClassesBody` lays them out.
    """
    shown = classes.lines(feature.feature, positions)
    grid, curves = display_axis(feature).grid[places], shown.curves[:, :, places]
    offsets = (curves.min(axis=(1, 2)) + curves.max(axis=(1, 2))) / 2
    body = ClassesBody(
        feature=feature.label,
        kind=feature.kind,
        outputs=list(shown.outputs),
        n_outputs=shown.n_outputs,
        explained=shown.explained,
        n_lines=len(positions),
        n_grid=len(grid),
        offsets=offsets.tolist(),
    )
    centred = curves - offsets[:, None, None]
    return body, [_u32(positions), _f64(grid), _f32(centred), _f32(centred.mean(axis=1))]


def _missing(feature: FeatureResult, positions: NDArray[np.int64]) -> tuple[MissingBody | None, NDArray[np.float64]]:
    """What is predicted of some rows with the value missing; nothing where no observation lacks it."""
    known = feature.missing_dependence
    if known is None:
        return None, np.empty(0)
    count = int(np.isnan(feature.observed_axis).sum())
    return MissingBody(count=count, mean=known[0], spread=known[1]), feature.missing_rows(positions)


# --- colours --------------------------------------------------------------------------------------


def colors(
    column: Column, positions: Sequence[int], apart: Sequence[str] = ()
) -> tuple[ContinuousColorsBody | CategoryColorsBody, list[bytes]]:
    """Values of a column at some rows, as something to colour by.

    Parameters
    ----------
    column : Column
    positions : sequence of int
        Rows of X.
    apart : sequence of str
        As for `column_colors`.

    Returns
    -------
    body, buffers
        As `ContinuousColorsBody` and `CategoryColorsBody` lay them out.
    """
    found = column_colors(column, check_distinct_positions(positions, len(column.values)), apart)
    if isinstance(found, LevelColors):
        return _levels(found)
    body = ContinuousColorsBody(
        column=found.column,
        kind="continuous",
        of=found.of,
        domain=found.domain,
        median=found.median,
        levels=found.levels,
        clock=found.clock.changes,
    )
    return body, [_f64(found.values)]


def groups(feature: FeatureResult, positions: Sequence[int]) -> tuple[CategoryColorsBody, list[bytes]]:
    """Which rule of the best two columns together some rows fulfil, as something to colour by.

    Parameters
    ----------
    feature : FeatureResult
    positions : sequence of int
        Rows of X.

    Raises
    ------
    InvalidOptionError
        If two columns explain no more than the best one.
    """
    found = feature._groups()
    if found is None:
        raise InvalidOptionError.no_groups(feature.label)
    return _levels(found.at(check_distinct_positions(positions, len(found.values))))


def _levels(found: LevelColors) -> tuple[CategoryColorsBody, list[bytes]]:
    body = CategoryColorsBody(
        column=found.column,
        kind="category",
        ordered=found.is_ordered,
        levels=found.levels,
        values=found.places,
        counts=found.counts,
    )
    return body, [_f32(found.values)]


# --- drivers --------------------------------------------------------------------------------------


def drivers(feature: FeatureResult, found: Drivers) -> DriversBody:
    """Describe what makes the curves of a feature differ: up to 50 columns, and the best two together."""
    return DriversBody(
        feature=feature.label,
        lead=found.lead,
        drivers=[
            DriverBody(
                column=driver.column,
                share=driver.share,
                rule=driver.rule,
                n_rule=driver.n_rule,
                n_rest=driver.n_rest,
                threshold=None if math.isnan(driver.threshold) else driver.threshold,
                levels=None if driver.levels is None else list(driver.levels),
                sides=driver.sides,
            )
            for driver in found.reported[:_MOST_DRIVERS]
        ],
        combined=CombinedBody(
            columns=list(found.combined.columns),
            share=found.combined.share,
            rules=[RuleBody(rule=rule, n_rows=n_rows) for rule, n_rows in found.combined.rules.items()],
        ),
        n_rows=found.n_rows,
        n_curves=found.n_curves,
    )


# --- what if, and what rows have in common --------------------------------------------------------


def feature_moves(feature: FeatureResult, position: int, prediction: float) -> FeatureMovesBody:
    """Describe how far a feature moves the prediction of one row, nearest first."""
    axis = display_axis(feature)
    write = writer(axis.kind, axis.grid, axis.levels, short_cell_text, axis.clock)
    moves = feature._moves(position, prediction)
    return FeatureMovesBody(
        feature=feature.label,
        observed=write(float(axis.observed[position])),
        moves=[
            MoveBody(
                distance=distance if math.isfinite(distance) else None,
                place=float(axis.grid[place]),
                value=write(float(axis.grid[place])),
                change=change,
            )
            for place, distance, change in zip(
                moves.places.tolist(), moves.distances.tolist(), moves.changes.tolist(), strict=True
            )
        ],
    )


def in_common(explanation: ExplanationResult, positions: Sequence[int]) -> InCommonBody:
    """Describe what some rows have in common, in words."""
    found = explanation._in_common(check_distinct_positions(positions, explanation.n_observations))
    return InCommonBody(
        items=[
            InCommonItem(column=each.of.label, text=_in_words(each), inside=each.inside, outside=each.outside)
            for each in found
        ]
    )


def _in_words(each: InCommon) -> str:
    second = each.of
    grid = second.values if second.levels is None else np.arange(len(second.levels))
    write = writer(second.kind, grid, second.levels, short_cell_text, second.clock)
    if each.levels:
        return f"{second.label} {', '.join(map(write, each.levels))}"
    if math.isinf(each.high):
        return f"{second.label} ≥ {write(each.low)}"
    if math.isinf(each.low):
        return f"{second.label} ≤ {write(each.high)}"
    return f"{second.label} {write(each.low)} – {write(each.high)}"


# --- rows -----------------------------------------------------------------------------------------


def rows(
    explanation: ExplanationResult,
    positions: Sequence[int],
    sort_by: int | None = None,
    *,
    descending: bool = False,
    most: int | None = None,
) -> RowsBody:
    """Rows as text: what is predicted and observed, and all columns of X; a missing value is empty.

    Parameters
    ----------
    explanation : ExplanationResult
    positions : sequence of int
        Rows of X.
    sort_by : int, optional
        Number of the column of the reply that the rows are sorted by; missing values are last.
    descending : bool
    most : int, optional
        Rows that are returned at most.
    """
    chosen = check_distinct_positions(positions, explanation.n_observations)
    outcomes = explanation._outcomes(chosen)
    columns = [explanation._column(name) for name in explanation.columns]
    labels = [*outcomes, *(column.label for column in columns)]
    if sort_by is not None:
        if sort_by >= len(labels):
            msg = f"`sort_by` must be the number of a column from 0 to {len(labels) - 1}; got {sort_by}. Leave it out."
            raise InvalidOptionError(msg)
        at = sort_by - len(outcomes)
        keys = list(outcomes.values())[sort_by] if at < 0 else _sort_keys(columns[at], chosen)
        order = np.argsort(-keys if descending else keys, kind="stable")  # NaN is last either way
        chosen, outcomes = chosen[order], {name: values[order] for name, values in outcomes.items()}
    chosen = chosen[:most]
    texts = [[cell_text(value) for value in values[:most].tolist()] for values in outcomes.values()]
    by_column = [*texts, *(_cells(column, chosen) for column in columns)]
    return RowsBody(
        columns=labels,
        n_outcomes=len(outcomes),
        positions=chosen.tolist(),
        rows=[list(row) for row in zip(*by_column, strict=True)],
    )


def _sort_keys(column: Column, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the coordinates of rows; of what has none, the place of its text in alphabetical order."""
    if column.kind != "other":
        return column.values[chosen].astype(np.float64)
    texts, missing = column.texts[chosen], column.missing[chosen]
    keys = np.full(len(chosen), math.nan)
    keys[~missing] = np.unique(texts[~missing].astype(str), return_inverse=True)[1]
    return keys


def _cells(column: Column, chosen: NDArray[np.int64]) -> list[str]:
    if column.kind == "other":
        return ["" if text is None else text for text in column.texts[chosen]]
    write = cell_writer(column)
    return ["" if math.isnan(value) else write(value) for value in column.values[chosen]]
