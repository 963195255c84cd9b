"""Choose how the curves of a model are computed: by the fastest method that reproduces its predictions.

The methods read X as the model inside a pipeline receives it: the columns that move with each feature, and what they
move to. Where transformers make each column of their output from one feature, a grid value becomes the same values in
every row: those of the first row with that grid value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.curves.brute import phantoms_together
from ice_explorer.curves.closed_forms import KernelModel, read_kernel, read_linear
from ice_explorer.curves.method import BruteMethod, ClosedFormMethod, CurveMethod, TreeMethod
from ice_explorer.errors import Cancelled, ModelNeededError, OptionError, PredictionError
from ice_explorer.errors.base import cause_of
from ice_explorer.models.libraries import unwrap
from ice_explorer.runtime import HAS_NUMBA
from ice_explorer.tables.column import CODED
from ice_explorer.trees.forest import MOST_FEATURES, NotExactError, UnsupportedModelError, read_forest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ice_explorer.arrays import Array, Mask, Places, Values
    from ice_explorer.curves.closed_forms import LinearModel
    from ice_explorer.curves.inputs import Context, FeatureInput
    from ice_explorer.features.columns import Columns
    from ice_explorer.models.libraries import UnwrappedModel
    from ice_explorer.models.predict import Predictor
    from ice_explorer.results.options import MethodName
    from ice_explorer.tables.column import Column
    from ice_explorer.tables.table import Table
    from ice_explorer.trees.forest import Forest


_N_PHANTOMS = 64
_FIRST_ROWS = 2  # enough to see what the model returns
_SAME = 1e-6  # of the largest prediction: single precision rounds otherwise for another number of rows


class PredictionCheck:
    """A few observations, and what the model predicted for them when its explanation was planned.

    They show what the model returns, and what methods that read its structure must return.

    - `rows`, `donors`, `crossed` (n_phantoms,): phantom r is row rows[r] with what row donors[r] has in the columns of
      feature crossed[r]. Where the model fails on such phantoms, `rows` are those of X as they are, `crossed` is -1.
    - `predict`: rows in the container of X -> (n_rows,) float64.
    - `predicted` (n_phantoms,).
    - `seconds`: how long the model took for it, at most.
    """

    predict: Callable[[Any], Array]
    predicted: Array
    seconds: float

    def __init__(self, table: Table, moves: Mapping[int, tuple[int, ...]], random_state: int) -> None:
        generator = np.random.default_rng(random_state)
        self.rows, self.donors = generator.integers(table.n_observations, size=(2, _N_PHANTOMS))
        self.crossed = np.array(list(moves))[generator.permutation(np.arange(_N_PHANTOMS) % len(moves))]
        self._moves, self._table = moves, table

    def observe(self, make: Callable[[Any], tuple[Predictor, Array]]) -> Predictor:
        """Make a predictor from these observations, else from the first rows: then an error names real rows."""
        start = perf_counter()
        try:
            predictor, self.predicted = make(self._container())
        except PredictionError:
            if not self.predicts_phantoms:
                raise
            predictor = None
        if predictor is None:
            self.rows = np.arange(min(_FIRST_ROWS, self._table.n_observations))
            self.crossed = np.full(len(self.rows), -1)
            return self.observe(make)
        self.predict, self.seconds = predictor.predict, perf_counter() - start
        return predictor

    @property
    def predicts_phantoms(self) -> bool:
        """Whether the model predicts phantoms."""
        return bool((self.crossed >= 0).all())

    def _container(self, observations: Places | slice = slice(None)) -> Any:
        """Return some of the observations as the model takes them, made anew: some models write into them."""
        sources = {
            place: np.where(self.crossed == number, self.donors, self.rows)[observations]
            for number in np.unique(self.crossed).tolist()
            for place in self._moves.get(number, ())
        }
        return self._table.crossed(self.rows[observations], sources)

    def check(self) -> None:
        """Raise if the model predicts these observations otherwise now, and not by chance.

        - raises PredictionError: figures of the explanation and new predictions would be those of two models.
        """
        size = np.max(np.abs(self.predicted[np.isfinite(self.predicted)]), initial=0.0)
        try:
            again = self.predict(self._container())
            change = _difference(again, self.predicted)
            if change <= _SAME * size or _difference(self.predict(self._container()), again) > _SAME * size:
                return
        except Cancelled:
            raise
        except ModelNeededError:  # a model that is not there does not change
            return
        except Exception as error:
            raise PredictionError(
                f"The model failed on rows that it predicted before: {cause_of(error)}",
                'When it works again, press "Resume" in the explorer, or repeat this; explain it again if changed.',
            ) from error
        raise PredictionError(
            "The model must stay as it was explained; it changed since `explain`, and predicts the same rows "
            f"differently by up to {change:.3g}.",
            "Explain it again.",
        )

    def dependence_note(self, bounds: tuple[float, float]) -> str:
        """Return a note if predictions depend on chance, or on the rows predicted in the same call; else "".

        Half of the observations are predicted in a call of their own, which must change nothing: those with the smaller
        predictions, so that their mean, on which a prediction may depend, is not that of all.

        - `bounds`: smallest and largest prediction of all.
        """
        half = np.argsort(self.predicted, kind="stable")[: (len(self.predicted) + 1) // 2]
        try:
            difference = _difference(self.predict(self._container(half)), self.predicted[half])
        except Cancelled:
            raise
        except Exception:  # noqa: BLE001 - some models cannot predict so few rows, which is not worth an error
            return ""
        if difference <= _SAME * max(map(abs, bounds)):
            return ""
        span = bounds[1] - bounds[0]
        share = f" ({100 * difference / span:.2g} % of the prediction range)" if difference < 10 * span else ""
        return (
            f"Predictions of the same rows differ between calls by up to {difference:.3g}{share}: they depend on "
            "chance or on the other rows of the call. Curves contain these differences, so impact, heterogeneity and "
            "non-linearity are too large. Fix the random state of the model, or pass a function that predicts each "
            "row by itself or averages several predictions."
        )


def _difference(predictions: Array, others: Array) -> float:
    """Return the largest difference of finite predictions."""
    finite = np.isfinite(predictions) & np.isfinite(others)
    return float(np.max(np.abs(predictions[finite] - others[finite]), initial=0.0))


_MOST_CELLS = 4_000_000  # of X that are transformed together with other grid values than those of X


@dataclass(frozen=True, eq=False)
class ModelMatrix:
    """The matrix that the model inside receives.

    - `columns` (n_rows,) each: those of X itself where there are no transformers.
    - `places`: by number of a feature, the columns that move with it; a column moves with one feature at most.
    - `grids` (n_grid, n_places) each: what those columns become at each grid value.
    """

    columns: list[Values]
    places: dict[int, Places]
    grids: dict[int, Values]

    def phantoms(self, prediction_check: PredictionCheck) -> tuple[list[Values], Mask]:
        """Return columns of those phantoms in which an explained feature moves, and which these are."""
        is_known = np.isin(prediction_check.crossed, list(self.places))
        source = np.tile(prediction_check.rows, (len(self.columns), 1))
        for number, places in self.places.items():
            crossed = np.flatnonzero(prediction_check.crossed == number)
            source[np.ix_(places, crossed)] = prediction_check.donors[crossed]
        return [values[rows] for values, rows in zip(self.columns, source[:, is_known], strict=True)], is_known


def read_matrix(
    context: Context,
    items: Sequence[FeatureInput],
    unwrapped: UnwrappedModel,
    structure: LinearModel | KernelModel | Forest,
) -> ModelMatrix:
    """Return X and the grids of features as the model inside receives them.

    - raises NotExactError: if transformers combine columns, or return no numbers.
    """
    if unwrapped.steps:
        try:
            matrix = _transformed(context, items, unwrapped)
        except (TypeError, ValueError) as error:
            raise NotExactError(
                f"The transformers do not return a numeric matrix ({type(error).__name__}: {error})."
            ) from error
    else:
        unused = set(structure.unused)

        def seen(column: Column, coordinates: Array) -> Values:
            """Return what the model takes for coordinates of a column: categories are labels, which may be numbers."""
            if column.position in unused:  # it may hold anything
                return np.zeros(len(coordinates))
            if column.levels is None:
                return coordinates
            labels = column.native(coordinates)
            try:
                return labels if column.position in structure.levels else labels.astype(np.float64)
            except (TypeError, ValueError) as error:
                raise NotExactError(f"The model's encoding of the levels of {column.label!r} is unknown.") from error

        matrix = ModelMatrix([seen(column, column.values) for column in context.columns.read], {}, {})
        for item in items:
            moves = item.feature.column_coordinates(item.grid.values)
            matrix.places[item.feature.position] = np.array([column.position for column in moves])
            matrix.grids[item.feature.position] = np.column_stack([seen(*moved) for moved in moves.items()])
    if structure.n_columns != len(matrix.columns):
        raise NotExactError(f"The model was fitted on {structure.n_columns} columns, X has {len(matrix.columns)}.")
    return matrix


def are_equal(first: Array, second: Array) -> Mask:
    """Whether numbers are equal, missing ones to missing ones."""
    return np.asarray((first == second) | (np.isnan(first) & np.isnan(second)))


def _transformed(context: Context, items: Sequence[FeatureInput], unwrapped: UnwrappedModel) -> ModelMatrix:
    table, transform, n_rows = context.table, unwrapped.transform, context.table.n_observations
    matrix = transform(table.take(context.all_rows))
    grids: list[Array] = []
    ends = np.cumsum([item.grid.n_grid for item in items]) * matrix.shape[1] // _MOST_CELLS
    for _, group in groupby(zip(ends.tolist(), items, strict=True), key=lambda each: each[0]):
        requests = [(i.feature, i.feature.values, context.all_rows[:1], i.grid.values[None, :]) for _, i in group]
        rows, moves, parts = phantoms_together(requests)
        seen = transform(table.phantoms(rows, moves))
        grids += [seen[part] for part in parts]
    moving = np.array([~are_equal(grid, matrix[:1]).all(axis=0) for grid in grids])
    # Every feature takes the values of other rows, each by a shift of its own: columns that move with it must be those
    # of these rows, and all others stay.
    order = np.tile(np.random.default_rng(context.settings.random_state).permutation(n_rows), 2)
    donors = [order[1 + number % max(1, n_rows - 1) :][:n_rows] for number in range(len(items))]
    sources = {place: rows for item, rows in zip(items, donors, strict=True) for place in item.feature.positions}
    donors.append(order[:n_rows])  # of columns that stay
    crossed = transform(table.crossed(donors[-1], sources))
    if crossed.shape[1] != matrix.shape[1]:
        raise NotExactError("The transformers return other columns for other rows.")
    rest = np.flatnonzero(~moving.any(axis=0))
    rest = rest[~are_equal(crossed[:, rest], matrix[np.ix_(donors[-1], rest)]).all(axis=0)]
    for number, rows in enumerate(donors[:-1] if len(rest) else ()):
        # No grid value moved the column, which may be the code of a value off the grid.
        moving[number, rest] = are_equal(crossed[:, rest], matrix[np.ix_(rows, rest)]).all(axis=0)
        rest = rest[~moving[number, rest]]
    owner = np.where(moving.any(axis=0), moving.argmax(axis=0), len(items)).tolist()
    is_crossed = [
        np.array_equal(crossed[:, k], matrix[donors[number], k], equal_nan=True) for k, number in enumerate(owner)
    ]
    if not all(is_crossed) or (moving.sum(axis=0) > 1).any():
        raise NotExactError("The transformers combine columns.")
    places = [np.flatnonzero(is_moved) for is_moved in moving]
    return ModelMatrix(
        list(matrix.T),
        {item.feature.position: to for item, to in zip(items, places, strict=True)},
        {item.feature.position: grid[:, to] for item, grid, to in zip(items, grids, places, strict=True)},
    )


_TOLERANCE = 1e-9
_FLOAT32_TOLERANCE = 1e-5  # XGBoost sums leaves in single precision
_BRUTE = "every phantom observation is predicted, which works for any model"
_REASONS = {
    "tree": "is evaluated tree by tree: all features at once, exactly",
    "linear": "has a closed form",
    "kernel": "is a sum of RBF kernels: one matrix product per feature",
}


def _read_trees(unwrapped: UnwrappedModel, predictor: Predictor, columns: Columns, table: Table) -> Forest:
    sees_x = not unwrapped.steps
    coded = [number for number, column in enumerate(columns.read) if sees_x and column.kind in CODED]
    forest = read_forest(unwrapped.model, predictor.position, predictor.response, coded)
    if forest.library == "LightGBM" and sees_x and table.is_integer_array:
        return replace(forest, dtype=np.dtype(np.float32))  # as it makes of such arrays
    return forest


def _read_structure(name: str, unwrapped: UnwrappedModel, context: Context, n_features: int) -> Any:
    model, predictor = unwrapped.model, context.predictor
    if name == "tree":
        forest = _read_trees(unwrapped, predictor, context.columns, context.table)
        if not HAS_NUMBA:
            raise NotExactError("numba is not installed, and exact curves of trees need compiled code.")
        if n_features > MOST_FEATURES:
            raise NotExactError(f"The sweep moves up to {MOST_FEATURES} features; there are {n_features}.")
        return forest
    try:
        read = read_linear if name == "linear" else read_kernel
        formula: Any = read(model, predictor.position, predictor.response)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise NotExactError.unknown_format(type(model).__name__, "the fitted model", error) from error
    if formula is None:
        what = {"linear": "a linear model", "kernel": "a sum of RBF kernels"}[name]
        raise UnsupportedModelError(f"The response {predictor.response!r} of {type(model).__name__} is not {what}.")
    return formula


def threshold_grids(
    model: Any, predictor: Predictor, table: Table, columns: Columns, positions: Sequence[int]
) -> dict[str, Array]:
    """Make grids of all thresholds of a tree model inside the data, and the extremes of the data.

    On such a grid every step of the curves lies in an interval of its own: the grid shows the exact curve and its exact
    total variation, however the data lie.

    - `positions`: columns to make grids for.
    - returns grid values by label, of columns of numbers; values that occur are all there is to tell apart of others.
    - raises OptionError: if the model is no tree ensemble that receives X itself.
    """
    unwrapped = unwrap(model, predictor.response)
    problem = "" if not unwrapped.steps else "This one is preceded by transformers."
    try:
        forest = _read_trees(unwrapped, predictor, columns, table)
    except NotExactError as error:
        problem = str(error)
    if problem:
        raise OptionError(
            f'`grid="thresholds"` needs a tree model applied directly to X, without transformers. {problem}',
            'Use `grid="observed"`.',
        )
    grids = {}
    for feature in map(columns.feature, positions):
        values = feature.values[~np.isnan(feature.values)]
        place = feature.position
        if feature.kind != "numeric" or feature.members or place in forest.categorical or not len(values):
            continue
        thresholds = np.unique(forest.threshold[forest.feature == place])
        # The number that stands for a threshold, in the precision of the trees, is the last one on the left side, or
        # the first one on the right where the threshold itself goes right.
        ends = thresholds.astype(forest.dtype)
        if forest.comparison == "le":
            past = forest.as_compared(place, ends) > thresholds
            ends = np.where(past, np.nextafter(ends, -np.inf, dtype=ends.dtype), ends)
        low, high = values.min(), values.max()
        grids[feature.label] = np.unique([low, *ends[(ends > low) & (ends < high)].astype(np.float64), high])
    return grids


def choose_method(
    wanted: MethodName, model: Any, context: Context, items: Sequence[FeatureInput], n_jobs: int
) -> tuple[CurveMethod, list[str]]:
    """Choose the method of a model: tree where it applies, then linear, kernel, and brute.

    - `wanted`: "auto", or the method that the user insists on.
    - returns `notes`: why a model that a method is made for is not computed by it.
    - raises OptionError: if the method that was asked for cannot explain the model.
    """
    if wanted == "brute":
        return BruteMethod("requested; " + _BRUTE, context, items, n_jobs), []
    notes = []
    for name in _REASONS if wanted == "auto" else [wanted]:
        try:
            return _exact_method(name, model, context, items, n_jobs), []
        except NotExactError as error:
            if wanted != "auto":
                raise OptionError(
                    f'`method="{name}"` needs a model that it computes exactly. {error}', 'Use `method="auto"`.'
                ) from error
            if not isinstance(error, UnsupportedModelError):
                notes.append(f"The {name} method is not used; every phantom observation is predicted: {error}")
    return BruteMethod(_BRUTE, context, items, n_jobs), notes


def _exact_method(name: str, model: Any, context: Context, items: Sequence[FeatureInput], n_jobs: int) -> CurveMethod:
    """Return a method that computes from the structure of the model what the model predicted for a few phantoms."""
    if not context.prediction_check.predicts_phantoms:
        raise UnsupportedModelError("The model fails on phantoms.")
    predictor = context.predictor
    unwrapped = unwrap(model, predictor.response)
    structure = _read_structure(name, unwrapped, context, len(items))
    matrix = read_matrix(context, items, unwrapped, structure)
    phantoms, is_known = matrix.phantoms(context.prediction_check)
    predicted = context.prediction_check.predicted[is_known]
    tolerance = _FLOAT32_TOLERANCE if getattr(structure, "library", "") == "XGBoost" else _TOLERANCE
    size, smallest = float(np.max(np.abs(predicted), initial=1e-300)), float("inf")
    matches: list[Any] = []
    untransformed = predicted if unwrapped.restore is None else None
    for match, outputs in structure.candidates(phantoms, untransformed, predictor.position, predictor.response):
        if np.isfinite(outputs).all() and np.isfinite(size):
            difference = float(np.max(np.abs(unwrapped.restore_output(outputs) - predicted), initial=0.0)) / size
            smallest = min(smallest, difference)
            matches += [match] if difference <= tolerance else []
    if not matches:
        raise NotExactError(
            f"Its predictions of phantom observations differ from those of the model by {smallest:.2g} of their size."
        )
    reason = f"{type(unwrapped.model).__name__}{' after its transformers' if unwrapped.steps else ''} {_REASONS[name]}"
    if name != "tree":
        formula = replace(matches[0], matrix=np.column_stack(matrix.columns))
        if isinstance(formula, KernelModel):
            formula = replace(formula, varied=[int(places[0]) for places in matrix.places.values() if len(places) == 1])
        return ClosedFormMethod(
            name, reason, context, items, n_jobs, formula=formula, matrix=matrix, unwrapped=unwrapped
        )
    if len(matches) > 1 and len(structure.unused) < structure.n_columns:
        raise NotExactError("Several functions of the sum of the leaves reproduce the predictions of the model.")
    free = {number: (places, matrix.grids[number]) for number, places in matrix.places.items()}
    make_trees = partial(matches[0], matrix.columns, free)
    return TreeMethod(reason, context, n_jobs, make_trees=make_trees, unwrapped=unwrapped)
