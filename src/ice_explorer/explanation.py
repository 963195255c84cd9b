"""From a model and its data to a frozen result: predict, grid, curves, metrics, explanation.

`prepare` checks every argument and chooses the grids; `Plan.compute` runs one feature from phantoms
to metrics; `explain` does so for all of them. Nothing here draws.
"""

from __future__ import annotations

import inspect
import math
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ice_explorer.adapters.predict import make_predictor
from ice_explorer.adapters.table import table_from
from ice_explorer.curves import transforms
from ice_explorer.curves.brute import BruteCurves
from ice_explorer.errors import (
    Cancelled,
    InputDataError,
    InvalidOptionError,
    PredictionError,
    UnknownFeatureError,
    UnknownOptionError,
)
from ice_explorer.grid import GRID_NAMES, check_grid_values, feature_seed, make_grid
from ice_explorer.likelihood import (
    check_decay,
    conditional_scale,
    floored_scale,
    likelihood,
    lower_median,
    standard_deviation,
)
from ice_explorer.metrics import CONVENTIONS, WEIGHTINGS, FeatureSums, interval_mass
from ice_explorer.progress import progress_reporter
from ice_explorer.sampling import draw_stratified

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike, NDArray

    from ice_explorer.adapters.predict import Predictor, Response
    from ice_explorer.adapters.table import Column, Name, Table
    from ice_explorer.curves.transforms import AnchorName
    from ice_explorer.grid import Grid, GridName
    from ice_explorer.metrics import Convention, Weighting

Engine = Literal["auto", "brute"]
ENGINES: tuple[Engine, ...] = ("auto", "brute")
Progress = Callable[[int, int, str], object]

TABLE_COLUMNS = (
    "impact",
    "in_distribution_impact",
    "direction",
    "heterogeneity",
    "non_linearity",
    "non_linearity_mad",
    "missing_impact",
    "effective_n",
    "largest_step_share",
    "scale",
    "n_grid",
    "kind",
)
_DOMINANT_STEP = 0.5  # a note is due where one interval brings more of the impact than this
_FIRST_ROWS = 2  # enough to see what the model returns


@dataclass(frozen=True)
class Settings:
    """The options an explanation was made with, resolved."""

    output: object
    response: str
    grid: str
    grid_size: int | None
    sample: int | float | None
    random_state: int
    weighted: bool
    decay: float
    scale: str
    convention: Convention
    weighting: Weighting
    engine: str
    memory_limit: int

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as plain values, for headers and provenance."""
        return asdict(self)


def explain(
    model: Any,
    X: Any,  # noqa: N803 - X is the field's name for observations
    *,
    features: Sequence[Name] | None = None,
    output: object = None,
    response: Response = "auto",
    grid: GridName | Mapping[Name, ArrayLike] = "observed",
    grid_size: int | None = None,
    sample: float | None = None,
    random_state: int = 0,
    sample_weight: ArrayLike | None = None,
    decay: float = 0.75,
    scale: Literal["marginal", "conditional"] | Mapping[Name, ArrayLike] = "marginal",
    convention: Convention = "equations",
    weighting: Weighting = "interval",
    engine: Engine = "auto",
    memory_limit: str | float = "1GB",
    progress: bool | Progress | None = None,
    **unknown: object,
) -> Explanation:
    """Explain what a fitted model does with each feature.

    Parameters
    ----------
    model : object
        Fitted model with a predict method, or a function of X that returns one number per row.
    X : DataFrame or ndarray of shape (n_observations, n_columns)
        Real observations to explain the model on; never modified.
    features : sequence, optional
        Names or positions of the features; default all numeric and boolean columns.
    output : object, optional
        Class label, output name or position, looked up in that order. Two classes: the second.
    response : {"auto", "predict_proba", "decision_function", "predict", "log_odds"}
        "auto" is the first of predict_proba, decision_function, predict that a classifier has, and
        predict for other models.
    grid : {"observed", "quantile", "uniform", "random"} or mapping
        Where each feature is evaluated; a mapping gives values by feature, others get "observed".
    grid_size : int, optional
        Most grid values: 1000 for "observed", 100 otherwise.
    sample : int or float, optional
        Count or fraction of the observations whose curves are computed, drawn for each feature on
        its own, stratified by it. Scales and grids are always those of all observations.
    random_state : int
        Seed of everything random.
    sample_weight : array-like of shape (n_observations,), optional
        Frequency weights of at least 0.
    decay : float
        λ of Eq. 3, greater than 0 and at most 1, the default of tables and pictures.
    scale : {"marginal", "conditional"} or mapping
        In what distance from the own value counts: the feature's standard deviation, its estimate
        given the other features, or values by feature.
    convention : {"equations", "published"}
        "published" repeats the first slope, as the paper's printed tables do.
    weighting : {"interval", "length", "mass"}
        How the intervals of the grid are averaged.
    engine : {"auto", "brute"}
        How curves are computed; every engine gives the same numbers.
    memory_limit : str or number
        What one block of phantom observations may take: bytes, or a text such as "500MB".
    progress : bool or callable, optional
        None shows a bar in a notebook or terminal after one second; a function is called with
        (done, total, label), counted in predictions.

    Returns
    -------
    Explanation

    Raises
    ------
    ICEExplorerError
        If an argument cannot be used; a subclass that is also a ValueError, TypeError or KeyError.
    PredictionError
        If the model fails, chained to its own error.

    Notes
    -----
    Metrics: Yeh & Ngo (2021), "Bringing a Ruler Into the Black Box", arXiv:2109.02724.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.column_stack([np.arange(4.0), np.array([0.0, 1.0, 0.0, 1.0])])
    >>> explanation = explain(lambda X: 2 * X[:, 0] - X[:, 1], X)
    >>> explanation.table()["impact"].round(3).to_dict()
    {'x0': 2.236, 'x1': 0.5}
    """
    if unknown:
        raise UnknownOptionError.keyword("explain", next(iter(unknown)), OPTIONS)
    plan = prepare(
        model, X, features=features, output=output, response=response, grid=grid, grid_size=grid_size,
        sample=sample, random_state=random_state, sample_weight=sample_weight, decay=decay, scale=scale,
        convention=convention, weighting=weighting, engine=engine, memory_limit=memory_limit,
    )  # fmt: skip
    results: dict[Name, FeatureExplanation] = {}
    with progress_reporter(progress, plan.n_predictions) as report:
        for feature in plan.features:
            results[feature] = plan.compute(feature, progress=report)
    return plan.explanation(results)


OPTIONS: tuple[str, ...] = tuple(
    name
    for name, parameter in inspect.signature(explain).parameters.items()
    if parameter.kind is inspect.Parameter.KEYWORD_ONLY
)
"""Names of the options of `explain`."""


def prepare(
    model: Any,
    X: Any,  # noqa: N803
    *,
    features: Sequence[Name] | None = None,
    output: object = None,
    response: Response = "auto",
    grid: GridName | Mapping[Name, ArrayLike] = "observed",
    grid_size: int | None = None,
    sample: float | None = None,
    random_state: int = 0,
    sample_weight: ArrayLike | None = None,
    decay: float = 0.75,
    scale: Literal["marginal", "conditional"] | Mapping[Name, ArrayLike] = "marginal",
    convention: Convention = "equations",
    weighting: Weighting = "interval",
    engine: Engine = "auto",
    memory_limit: str | float = "1GB",
) -> Plan:
    """Check everything and choose the grids; the model sees two rows. Options are those of `explain`."""
    check_display(decay, convention, weighting)
    if engine not in ENGINES:
        raise InvalidOptionError.not_one_of("engine", engine, ENGINES)
    _check_integer("random_state", random_state, 0, "Use `random_state=0` for the default seed.")
    limit = parse_memory_limit(memory_limit)
    table = table_from(X)
    weights = _check_weights(sample_weight, table.n_observations)
    columns = _Columns(table)
    chosen, notes = _choose_features(features, columns)
    first = np.arange(min(_FIRST_ROWS, table.n_observations))
    predictor = make_predictor(model, table.take(first), len(first), output=output, response=response)
    grid_choice = _check_grid(grid, grid_size, columns)
    n_rows = _check_sample(sample, table.n_observations)
    settings = Settings(
        output=predictor.output,
        response=predictor.response,
        grid=grid if isinstance(grid, str) else "custom",
        grid_size=grid_size,
        sample=sample,
        random_state=random_state,
        weighted=weights is not None,
        decay=float(decay),
        scale=scale if isinstance(scale, str) else "custom",
        convention=convention,
        weighting=weighting,
        engine="brute",
        memory_limit=limit,
    )
    context = _Context(table, columns, weights, predictor, settings, BruteCurves(predictor.predict, table, limit))
    scales = _check_scale(scale, columns)
    inputs = [_feature_input(context, columns.position(name), grid_choice, scales.get(name), n_rows) for name in chosen]
    return Plan(context, inputs, [*predictor.notes, *notes, *_grid_notes(inputs, settings)])


def check_display(decay: object, convention: object, weighting: object) -> None:
    """Check the three options that every table takes."""
    check_decay(decay)
    if convention not in CONVENTIONS:
        raise InvalidOptionError.not_one_of("convention", convention, CONVENTIONS)
    if weighting not in WEIGHTINGS:
        raise InvalidOptionError.not_one_of("weighting", weighting, WEIGHTINGS)
    if convention == "published" and weighting != "interval":
        raise InvalidOptionError.published_weighting(str(weighting))


@dataclass(frozen=True, eq=False)
class _Context:
    """What all features share."""

    table: Table
    columns: _Columns
    weights: NDArray[np.float64] | None
    predictor: Predictor
    settings: Settings
    brute: BruteCurves


class _Columns:
    """The columns of X by name, read once each."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.names = table.names
        self._positions = {name: position for position, name in enumerate(table.names)}
        self._by_label = {str(name): position for position, name in enumerate(table.names)}
        self._read: dict[int, Column] = {}

    def position(self, name: Name) -> int:
        """Find a column by name, by its text, or by position, in that order."""
        if isinstance(name, list | dict | set | np.ndarray):
            raise UnknownFeatureError.column(name, self.names)
        if name in self._positions:
            return self._positions[name]
        if isinstance(name, str) and name in self._by_label:
            return self._by_label[name]
        is_position = isinstance(name, (int, np.integer)) and not isinstance(name, bool)
        if is_position and 0 <= name < len(self.names):
            return int(name)
        raise UnknownFeatureError.column(name, self.names)

    def at(self, position: int) -> Column:
        if position not in self._read:
            self._read[position] = self._table.column(position)
        return self._read[position]


@dataclass(frozen=True, eq=False)
class _FeatureInput:
    """One feature before the model is asked: its column, grid, scales and rows."""

    at_issue: int
    column: Column
    grid: Grid
    scale: float
    median: float
    own: NDArray[np.float64]  # own values, the median standing in for missing ones
    likelihood_scale: NDArray[np.float64]
    positions: NDArray[np.int64]  # rows whose curves are summed

    @property
    def has_missing(self) -> bool:
        return bool(np.isnan(self.column.values).any())


def _feature_input(
    context: _Context,
    at_issue: int,
    grid: GridName | Mapping[str, NDArray[np.float64]],
    scale: ArrayLike | None,
    n_rows: int | None,
) -> _FeatureInput:
    column, weights, settings = context.columns.at(at_issue), context.weights, context.settings
    _check_finite(column)
    values = column.values
    chosen = make_grid(
        column.label, values, weights, grid=grid, grid_size=settings.grid_size,
        is_integer=column.is_integer, random_state=settings.random_state,
    )  # fmt: skip
    sigma = standard_deviation(values, weights)
    median = lower_median(values, weights)
    own = np.where(np.isnan(values), median, values)
    n_observations = context.table.n_observations
    if settings.scale == "conditional":
        likelihood_scale = _conditional(context, at_issue, sigma)
    elif scale is not None:
        likelihood_scale = floored_scale(column.name, scale, sigma, n_observations)
    else:
        likelihood_scale = np.full(n_observations, sigma)
    positions = np.arange(n_observations) if weights is None else np.flatnonzero(weights > 0)
    if n_rows is not None:
        generator = feature_seed(settings.random_state, column.label)
        positions = draw_stratified(values, positions, n_rows, generator)
    return _FeatureInput(at_issue, column, chosen, sigma, median, own, likelihood_scale, positions)


def _conditional(context: _Context, at_issue: int, sigma: float) -> NDArray[np.float64]:
    """Conditional scale of one feature given all other numeric columns."""
    columns = context.columns
    others = [columns.at(position) for position in range(len(columns.names)) if position != at_issue]
    numeric = [column.values for column in others if column.kind in {"numeric", "boolean"}]
    matrix = np.column_stack(numeric) if numeric else np.empty((context.table.n_observations, 0))
    return conditional_scale(columns.at(at_issue).values, matrix, sigma, context.weights, context.settings.random_state)


def _check_finite(column: Column) -> None:
    infinite = np.flatnonzero(np.isinf(column.values))
    if infinite.size:
        raise InputDataError.infinite(column.name, [int(row) for row in infinite])


def _choose_features(features: Sequence[Name] | None, columns: _Columns) -> tuple[list[Name], list[str]]:
    """Resolve the names of the features, and say which columns are none."""
    kinds = {"numeric", "boolean"}
    if features is None:
        read = [columns.at(position) for position in range(len(columns.names))]
        chosen = [column.name for column in read if column.kind in kinds]
        if not chosen:
            raise InputDataError.no_features(columns.names)
        notes = [
            f"{column.label!r} is not numeric (dtype {column.dtype}): it is not ranked, and stays available to colour by."
            for column in read
            if column.kind not in kinds
        ]
        return chosen, notes
    if isinstance(features, str) or not isinstance(features, Iterable):
        features = [features]
    resolved = [columns.at(columns.position(feature)) for feature in features]
    for column in resolved:
        if column.kind not in kinds:
            raise InputDataError.not_numeric(column.name, column.dtype)
    chosen = list(dict.fromkeys(column.name for column in resolved))
    if not chosen:
        raise InputDataError.no_features(columns.names)
    return chosen, []


def _check_grid(grid: object, grid_size: int | None, columns: _Columns) -> GridName | Mapping[str, NDArray[np.float64]]:
    if grid_size is not None:
        _check_integer("grid_size", grid_size, 2, "Leave it out for the default.")
    if isinstance(grid, Mapping):
        return {
            columns.at(columns.position(name)).label: check_grid_values(name, values) for name, values in grid.items()
        }
    for name in GRID_NAMES:
        if grid == name:
            return name
    raise InvalidOptionError.not_one_of("grid", grid, GRID_NAMES)


def _check_scale(scale: object, columns: _Columns) -> Mapping[Name, ArrayLike]:
    if isinstance(scale, Mapping):
        return {columns.names[columns.position(name)]: values for name, values in scale.items()}
    if scale not in ("marginal", "conditional"):
        raise InvalidOptionError.not_one_of("scale", scale, ("marginal", "conditional"))
    return {}


def _check_integer(option: str, got: object, minimum: int, advice: str) -> None:
    if isinstance(got, bool) or not isinstance(got, (int, np.integer)) or got < minimum:
        raise InvalidOptionError.not_positive_integer(option, got, minimum, advice)


def _check_sample(sample: object, n_observations: int) -> int | None:
    """Turn a count or fraction into a number of rows."""
    if sample is None:
        return None
    if isinstance(sample, (int, np.integer)) and not isinstance(sample, bool) and 1 <= sample <= n_observations:
        return int(sample)
    if isinstance(sample, (float, np.floating)) and 0 < sample < 1:
        return max(1, round(float(sample) * n_observations))
    raise InvalidOptionError.sample(sample, n_observations)


def _check_weights(sample_weight: ArrayLike | None, n_observations: int) -> NDArray[np.float64] | None:
    if sample_weight is None:
        return None
    advice = "Leave it out to weigh all observations alike."
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidOptionError.sample_weight(f"got {type(sample_weight).__name__}", advice) from None
    if weights.shape != (n_observations,):
        raise InvalidOptionError.sample_weight(f"got shape {weights.shape} for {n_observations} rows", advice)
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if wrong.size:
        row = int(wrong[0])
        raise InvalidOptionError.sample_weight(f"got {float(weights[row])!r} in row {row}", advice)
    if weights.sum() <= 1:
        raise InvalidOptionError.sample_weight(
            f"they sum to {float(weights.sum())!r}, and as frequencies they must sum to more than 1",
            "Multiply them, for example so that they sum to the number of observations.",
        )
    return weights


def parse_memory_limit(limit: object) -> int:
    """Turn "500MB" or a number of bytes into bytes."""
    if isinstance(limit, str):
        match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([kMGT]?i?B)\s*", limit, flags=re.IGNORECASE)
        if match is None:
            raise InvalidOptionError.memory_limit(limit)
        unit = match[2].lower().removesuffix("b")
        base = 1024 if unit.endswith("i") else 1000
        number = float(match[1]) * base ** " kmgt".index(unit[:1] or " ")
    elif isinstance(limit, (int, float, np.integer, np.floating)) and not isinstance(limit, bool):
        number = float(limit)
    else:
        raise InvalidOptionError.memory_limit(limit)
    if not (math.isfinite(number) and number >= 1):
        raise InvalidOptionError.memory_limit(limit)
    return int(number)


def _grid_notes(inputs: Sequence[_FeatureInput], settings: Settings) -> list[str]:
    notes = [
        f"{item.column.label!r} has {item.grid.n_distinct} distinct values; its grid is {item.grid.n_grid} of them, "
        f"at even quantiles. Pass `grid_size={item.grid.n_distinct}` for all."
        for item in inputs
        if item.grid.capped
    ]
    if settings.sample is not None:
        notes.append(
            f"Curves are those of {len(inputs[0].positions)} of {len(inputs[0].own)} observations, "
            "drawn for each feature on its own."
        )
    return notes


class Plan:
    """Everything checked and chosen, the model not yet asked: made by `prepare`.

    Attributes
    ----------
    features : tuple
        Names, in column order.
    labels : tuple of str
        The same as text.
    settings : Settings
    """

    def __init__(self, context: _Context, inputs: Sequence[_FeatureInput], notes: Sequence[str]) -> None:
        self._context = context
        self._inputs = {item.column.name: item for item in inputs}
        self.features: tuple[Name, ...] = tuple(self._inputs)
        self.labels = tuple(item.column.label for item in inputs)
        self.settings = context.settings
        self.notes = tuple(notes)

    @property
    def n_observations(self) -> int:
        """Rows of X."""
        return self._context.table.n_observations

    @property
    def n_predictions(self) -> int:
        """Predictions that all features take."""
        return sum(self._n_predictions(item) for item in self._inputs.values())

    @property
    def output_label(self) -> str:
        """What the model's numbers are: "probability of 'yes'"."""
        return self._context.predictor.output_label

    @staticmethod
    def _n_predictions(item: _FeatureInput) -> int:
        return len(item.positions) * (item.grid.n_grid + 2 * item.has_missing)

    def outline(self, feature: Name) -> tuple[str, int, float]:
        """Return kind, grid size and scale of a feature, known before anything is computed."""
        item = self._inputs[feature]
        return item.column.kind, item.grid.n_grid, item.scale

    def column(self, name: Name) -> Column:
        """Return a column of X, feature or not."""
        return self._context.columns.at(self._context.columns.position(name))

    def columns(self) -> list[Name]:
        """Return the names of all columns of X."""
        return list(self._context.columns.names)

    def compute(
        self,
        feature: Name,
        progress: Callable[[int, int, str], object] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> FeatureExplanation:
        """Run one feature: phantoms, curves, sums.

        Parameters
        ----------
        feature : object
            One of `features`.
        progress : callable, optional
            Called after each block with (predictions done since the last call, predictions of this
            feature, label).
        cancelled : callable, optional
            Asked between blocks; True stops with `Cancelled`.

        Returns
        -------
        FeatureExplanation
        """
        item, context = self._inputs[feature], self._context
        weights = np.ones(self.n_observations) if context.weights is None else context.weights
        summed = item.positions
        every = np.arange(self.n_observations) if context.weights is None else np.flatnonzero(weights > 0)
        present = every[~np.isnan(item.column.values[every])]
        grid = item.grid.values
        sums = FeatureSums(
            grid, item.scale, interval_mass(grid, item.own[present], weights[present]),
            item.own[summed], item.likelihood_scale[summed],
        )  # fmt: skip
        total = self._n_predictions(item)
        for rows, curves in context.brute.blocks(feature, item.at_issue, grid, summed):
            if cancelled is not None and cancelled():
                raise Cancelled(f"Explaining {feature!r} was cancelled.")
            change = self._missing_change(item, rows) if item.has_missing else None
            sums.add(curves, weights[rows], item.own[rows], item.likelihood_scale[rows], change)
            if progress is not None:
                progress(len(rows) * (item.grid.n_grid + 2 * item.has_missing), total, item.column.label)
        sums.finish()
        return FeatureExplanation(context, item, sums)

    def _missing_change(self, item: _FeatureInput, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """How far the prediction moves when the value goes missing."""
        values = np.column_stack([item.own[rows], np.full(len(rows), np.nan)])
        predictions = self._context.brute.evaluate(item.column.name, item.at_issue, rows, values)
        return np.abs(predictions[:, 1] - predictions[:, 0])

    def explanation(self, results: Mapping[Name, FeatureExplanation]) -> Explanation:
        """Collect computed features, in column order; those missing are not in the result."""
        return Explanation(self._context, [results[name] for name in self.features if name in results], self.notes)


class FeatureExplanation:
    """Curves and metrics of one feature.

    Attributes
    ----------
    feature : object
        Name, as in X.
    label : str
        Name as text.
    kind : str
        "numeric" or "boolean".
    grid : ndarray of shape (n_grid,)
        Where the feature is evaluated [feature].
    scale : float
        σ, the standard deviation of the feature over all observations, ddof=0 [feature].
    likelihood_scale : ndarray of shape (n_observations,)
        s_i, in which distance from the own value counts [feature].
    observed : ndarray of shape (n_observations,)
        Own values; NaN where missing.
    row_positions : ndarray of shape (n_rows,)
        Rows of X that the curves and metrics are of.
    """

    def __init__(self, context: _Context, item: _FeatureInput, sums: FeatureSums) -> None:
        self._context = context
        self._item = item
        self._sums = sums
        self._lock = threading.RLock()
        self._rows: dict[int, NDArray[np.float64]] = {}
        self.feature = item.column.name
        self.label = item.column.label
        self.kind = item.column.kind
        self.grid = _frozen(item.grid.values)
        self.scale = item.scale
        self.likelihood_scale = _frozen(item.likelihood_scale)
        self.observed = _frozen(item.column.values)
        self.row_positions = _frozen(item.positions)

    def __repr__(self) -> str:
        return f"<FeatureExplanation {self.label!r}: {len(self.row_positions)} curves, {len(self.grid)} grid values>"

    def metrics(
        self,
        decay: float | None = None,
        convention: Convention | None = None,
        weighting: Weighting | None = None,
    ) -> dict[str, float]:
        """Return the metrics of this feature by name; defaults are those of the explanation."""
        decay, convention, weighting = _display(self._context.settings, decay, convention, weighting)
        found = self._sums.metrics(decay, convention, weighting)
        return {field.name: getattr(found, field.name) for field in fields(found)}

    def decay_profile(self, decays: Iterable[float], metric: str = "in_distribution_impact") -> NDArray[np.float64]:
        """Return a decayed metric for many decays, (n_decays,), without calling the model."""
        return np.array([self.metrics(decay)[metric] for decay in decays])

    def rows(self, positions: ArrayLike) -> NDArray[np.float64]:
        """ICE curves of some rows of X, computed when first asked for.

        Parameters
        ----------
        positions : array-like of int, shape (n_rows,)

        Returns
        -------
        ndarray of shape (n_rows, n_grid)
            [output]
        """
        wanted = self._check_positions(positions)
        with self._lock:
            new = np.array(sorted({int(row) for row in wanted} - self._rows.keys()), dtype=np.int64)
            for block, curves in self._context.brute.blocks(
                self.feature, self._item.at_issue, self._item.grid.values, new
            ):
                self._rows.update(zip(block.tolist(), curves, strict=True))
            found = [self._rows[int(row)] for row in wanted]
        return np.array(found).reshape(len(wanted), len(self.grid))

    def predictions(self, positions: ArrayLike) -> NDArray[np.float64]:
        """Predictions of the real rows themselves, (n_rows,) [output]."""
        wanted = self._check_positions(positions)
        if len(wanted) == 0:
            return np.empty(0)
        with self._lock:
            try:
                predicted = self._context.predictor.predict(self._context.table.take(wanted))
            except PredictionError:
                raise
            except Exception as error:
                raise PredictionError.failed_on_rows(error) from error
        wrong = np.flatnonzero(~np.isfinite(predicted))
        if wrong.size:
            raise PredictionError.row_not_finite(float(predicted[wrong[0]]), int(wanted[wrong[0]]))
        return predicted

    def _check_positions(self, positions: ArrayLike) -> NDArray[np.int64]:
        wanted = np.asarray(positions)
        n_observations = len(self.observed)
        if wanted.size == 0:
            return np.empty(0, dtype=np.int64)
        if wanted.ndim != 1 or wanted.dtype.kind not in "iu":
            raise InvalidOptionError(
                f"`positions` must be a list of row positions of X; got {positions!r}. "
                f"Rows are numbered from 0 to {n_observations - 1}."
            )
        outside = wanted[(wanted < 0) | (wanted >= n_observations)]
        if outside.size:
            raise InvalidOptionError(
                f"`positions` must be row positions of X from 0 to {n_observations - 1}; got {int(outside[0])}. "
                "Leave it out."
            )
        return wanted.astype(np.int64)

    @cached_property
    def curves(self) -> NDArray[np.float64]:
        """ICE curves of `row_positions`, (n_rows, n_grid) [output]; kept once asked for."""
        with self._lock:
            blocks = self._context.brute.blocks(
                self.feature, self._item.at_issue, self._item.grid.values, self._item.positions
            )
            return _frozen(np.concatenate([curves for _, curves in blocks]))

    @property
    def slopes(self) -> NDArray[np.float64]:
        """d-ICE: finite differences of the curves, (n_rows, n_grid - 1) [output / feature]."""
        return transforms.slopes(self.curves, self.grid)

    def centered_curves(self, anchor: AnchorName | float = "min") -> NDArray[np.float64]:
        """c-ICE: change of each curve since the anchor, (n_rows, n_grid) [output].

        Parameters
        ----------
        anchor : {"min", "max", "median", "own"} or float
            First or last grid value, the one nearest to the median of the feature, each
            observation's own value, or the grid value nearest to a number.
        """
        own = self._item.own[self._item.positions]
        checked = transforms.check_anchor(anchor)
        return transforms.centered_curves(self.curves, self.grid, own, self._item.median, checked)

    @property
    def median(self) -> float:
        """Lower (weighted) median of the feature: an observed value."""
        return self._item.median

    @property
    def partial_dependence(self) -> NDArray[np.float64]:
        """Mean of the curves, (n_grid,) [output]."""
        return self._sums.partial_dependence

    @property
    def spread(self) -> NDArray[np.float64]:
        """Standard deviation of the curves, ddof=0, (n_grid,) [output]: a spread of rows, no confidence band."""
        return self._sums.spread

    @property
    def prediction_range(self) -> tuple[float, float]:
        """Smallest and largest prediction over all phantoms of this feature [output]."""
        return self._sums.lowest, self._sums.highest

    @property
    def missing_curve(self) -> NDArray[np.float64] | None:
        """Predictions with the value missing, (n_rows,); None where no observation lacks it."""
        if not self._item.has_missing:
            return None
        positions = self._item.positions
        values = np.full((len(positions), 1), np.nan)
        with self._lock:
            return self._context.brute.evaluate(self.feature, self._item.at_issue, positions, values)[:, 0]

    def likelihood(self, decay: float | None = None) -> NDArray[np.float64]:
        """Likelihood of each phantom, (n_rows, n_grid): 1 at the own value (Eq. 3)."""
        decay = self._context.settings.decay if decay is None else check_decay(decay)
        positions = self._item.positions
        return likelihood(
            self._item.grid.values, self._item.own[positions], self._item.likelihood_scale[positions], decay
        )

    def draw(self, max_lines: int, include: Iterable[int] = ()) -> NDArray[np.int64]:
        """Choose rows to draw: stratified by the feature, seeded, plus some that must be there.

        Parameters
        ----------
        max_lines : int
        include : iterable of int
            Rows of X drawn besides.

        Returns
        -------
        ndarray of shape (n_lines,)
            Sorted positions, at most max_lines + len(include).
        """
        generator = feature_seed(self._context.settings.random_state, f"lines of {self.label}")
        drawn = draw_stratified(
            self._item.column.values, self._item.positions, max_lines, generator, self._context.weights
        )
        return np.union1d(drawn, self._check_positions(np.fromiter(include, dtype=np.int64)))

    @property
    def note(self) -> str | None:
        """Says so where a single step of the grid brings most of the impact."""
        brought = self._sums.interval_impact()
        total = brought.sum()
        if len(self.grid) < 3 or not total > 0:
            return None
        largest = int(np.argmax(brought))
        share = brought[largest] / total
        if share <= _DOMINANT_STEP:
            return None
        low, high = self.grid[largest], self.grid[largest + 1]
        return f"{share * 100:.0f} % of the impact comes from the step {low:.6g} → {high:.6g}"


class Explanation:
    """What a model does with each feature: metrics, curves, and the notes to read them by.

    Index it by feature for the curves: `explanation["Age"].curves`.

    Attributes
    ----------
    features : list
        Names, in column order.
    labels : list of str
        The same as text.
    n_observations : int
        Rows of X.
    engine, engine_reason : str
        How the curves were computed, and why so.
    settings : Settings
        Options the explanation was made with.
    notes : list of str
        What was chosen, capped, sampled, or rests on a single step.
    """

    def __init__(self, context: _Context, results: Sequence[FeatureExplanation], notes: Sequence[str]) -> None:
        self._context = context
        self._results = {result.feature: result for result in results}
        self._by_label = {result.label: result for result in results}
        self.features = list(self._results)
        self.labels = list(self._by_label)
        self.n_observations = context.table.n_observations
        self.engine = context.settings.engine
        self.engine_reason = "every phantom observation is predicted, which works for any model"
        self.settings = context.settings
        self.output_label = context.predictor.output_label
        dominated = [f"{result.label!r}: {result.note}." for result in results if result.note is not None]
        unsupported = [
            f'{result.label!r}: no observation lies inside its grid, so `weighting="mass"` is undefined.'
            for result in results
            if len(result.grid) > 1 and math.isnan(result.metrics(1.0, "equations", "mass")["impact"])
        ]
        self.notes = [*notes, *unsupported, *dominated]

    def __repr__(self) -> str:
        return (
            f"<Explanation of the {self.output_label}: {len(self.features)} features, "
            f"{self.n_observations} observations, engine {self.engine!r}>"
        )

    def __getitem__(self, feature: Name) -> FeatureExplanation:
        """Return the curves and metrics of one feature, by name or by its text.

        Raises
        ------
        UnknownFeatureError
            If it was not explained; also a KeyError. Offers the closest name.
        """
        try:
            found = self._results.get(feature)
        except TypeError:  # an unhashable name names nothing
            found = None
        found = found or self._by_label.get(str(feature))
        if found is None:
            raise UnknownFeatureError.feature(feature, self.features)
        return found

    def __contains__(self, feature: object) -> bool:
        return feature in self._results or feature in self._by_label

    def __iter__(self) -> Iterable[FeatureExplanation]:
        return iter(self._results.values())

    def __len__(self) -> int:
        return len(self._results)

    def table(
        self,
        decay: float | None = None,
        convention: Convention | None = None,
        weighting: Weighting | None = None,
        *,
        sort_by: str | None = "impact",
    ) -> pd.DataFrame:
        """Every metric of every feature, without calling the model again.

        Parameters
        ----------
        decay, convention, weighting : optional
            As for `explain`; defaults are those of the explanation.
        sort_by : str or None
            Column to sort by, largest first; None keeps the order of the columns of X.

        Returns
        -------
        DataFrame
            Indexed by feature; columns `impact`, `in_distribution_impact`, `direction`, `heterogeneity`,
            `non_linearity`, `non_linearity_mad`, `missing_impact` [output], `effective_n`
            [observations], `largest_step_share` [0–1], `scale` [feature], `n_grid`, `kind`.
        """
        import pandas as pd

        if sort_by is not None and sort_by not in TABLE_COLUMNS:
            raise InvalidOptionError.not_one_of("sort_by", sort_by, TABLE_COLUMNS)
        decay, convention, weighting = _display(self.settings, decay, convention, weighting)
        records = [
            {
                **result.metrics(decay, convention, weighting),
                "scale": result.scale,
                "n_grid": len(result.grid),
                "kind": result.kind,
            }
            for result in self._results.values()
        ]
        index = pd.Index(self.features, name="feature", tupleize_cols=False)
        table = pd.DataFrame(records, index=index, columns=list(TABLE_COLUMNS))
        return table if sort_by is None else table.sort_values(sort_by, ascending=False, kind="stable")

    def decay_profile(
        self,
        decays: Iterable[float],
        metric: Literal["in_distribution_impact", "effective_n"] = "in_distribution_impact",
    ) -> pd.DataFrame:
        """A decayed metric for many decays, without calling the model.

        Parameters
        ----------
        decays : iterable of float
            Each greater than 0 and at most 1.
        metric : {"in_distribution_impact", "effective_n"}

        Returns
        -------
        DataFrame
            One row per decay, one column per feature, in column order.
        """
        import pandas as pd

        decays = [check_decay(decay) for decay in decays]
        choices = ("in_distribution_impact", "effective_n")
        if metric not in choices:
            raise InvalidOptionError.not_one_of("metric", metric, choices)
        columns = pd.Index(self.features, name="feature", tupleize_cols=False)
        values = np.column_stack([result.decay_profile(decays, metric) for result in self._results.values()])
        return pd.DataFrame(values, index=pd.Index(decays, name="decay"), columns=columns)

    def columns(self) -> list[Name]:
        """Return the names of all columns of X, features or not."""
        return list(self._context.columns.names)

    def column(self, name: Name) -> Column:
        """Return a column of X by name."""
        return self._context.columns.at(self._context.columns.position(name))

    def table_rows(self, positions: ArrayLike) -> Any:
        """Return rows of X in its own container."""
        return self._context.table.take(np.asarray(positions, dtype=np.int64))

    def row_labels(self, positions: ArrayLike) -> list[str] | None:
        """Return index labels of rows as text; None where rows are known by position alone."""
        return self._context.table.row_labels(np.asarray(positions, dtype=np.int64))


def _display(
    settings: Settings, decay: float | None, convention: Convention | None, weighting: Weighting | None
) -> tuple[float, Convention, Weighting]:
    """Fill what a table leaves open from the settings, and check the whole."""
    resolved = (
        settings.decay if decay is None else decay,
        settings.convention if convention is None else convention,
        settings.weighting if weighting is None else weighting,
    )
    check_display(*resolved)
    return resolved


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view that cannot be written to: results are shared, not copied."""
    view = array.view()
    view.flags.writeable = False
    return view
