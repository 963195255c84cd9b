"""Importance of features by other definitions: of the model itself, of partial dependence, of a score, of SHAP."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.errors import Cancelled, PredictionError
from ice_explorer.errors.base import cause_of
from ice_explorer.features.grid import feature_seed
from ice_explorer.features.points import Points
from ice_explorer.features.sampling import draw_stratified
from ice_explorer.locks import find_bound_object, lock_of_model
from ice_explorer.models.pipeline import dense, unwrap

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ice_explorer.arrays import Array, Rows, Values
    from ice_explorer.engines.context import Context
    from ice_explorer.feature import FeatureExplanation

    Report = Callable[[int, int, str], None]

HAS_SHAP: Final = find_spec("shap") is not None
N_FOLDS: Final = 5
N_EXPLAINED: Final = 200  # rows of SHAP, and of its background
N_BACKGROUND: Final = 50

_MOST_TRANSFORMED: Final = 2000  # rows that tell which columns a model sees of a feature
_SEEDS: Final = 1 << 32  # of scikit-learn


# --- of the model itself -------------------------------------------------------------------------


def native(context: Context, results: Sequence[FeatureExplanation]) -> tuple[Array, bool] | None:
    """Find `feature_importances_`, or absolute coefficients, and which of both; None where the model has neither.

    What a model sees of a feature, such as its one-hot columns, is added up; None if a transformer mixes features.
    """
    unwrapped = unwrap(context.predictor.model, context.predictor.response)
    inside = unwrapped.model
    are_coefficients = not hasattr(inside, "feature_importances_")
    given = getattr(inside, "coef_" if are_coefficients else "feature_importances_", None)
    if given is None or callable(given):
        return None
    of_columns = _of_output(np.abs(dense(given)), context.predictor.position)
    rows = context.everything[:_MOST_TRANSFORMED]
    donors = np.random.default_rng(0).permutation(rows)

    def seen(rows_of_x: Any) -> Array | None:
        return None if unwrapped.transform is None else unwrapped.transform(rows_of_x)

    start, found = seen(context.table.take(rows)), []
    for result in results:
        positions = result._item.feature.positions
        if start is None:
            moved = np.isin(np.arange(len(context.columns.names)), positions)
        else:
            other = seen(context.table.crossed(rows, dict.fromkeys(positions, donors)))
            moved = ((other != start) & ~(np.isnan(start) & np.isnan(np.asarray(other)))).any(axis=0)
        found.append(moved)
    parts = np.array(found)
    if parts.shape[1] != len(of_columns) or (parts.sum(axis=0) > 1).any():
        return None
    return parts @ of_columns, are_coefficients


def _of_output(importances: Array, position: int | None) -> Array:
    """Return those of one output: its own row where each has one."""
    if importances.ndim == 1:
        return importances
    chosen = 0 if len(importances) == 1 or position is None else position
    return np.asarray(importances[chosen])


# --- of partial dependence -----------------------------------------------------------------------


def of_partial_dependence(results: Sequence[FeatureExplanation]) -> Array:
    """Return the standard deviation of partial dependence over the grid, ddof=1; of levels without order, range / 4.

    Greenwell, Boehmke & McCarthy (2018), Eqs 2 and 3.
    """
    means = [(result.partial_dependence, result._item.feature.is_unordered) for result in results]
    return np.array(
        [0.0 if len(mean) < 2 else np.ptp(mean) / 4 if of_levels else mean.std(ddof=1) for mean, of_levels in means]
    )


# --- of a score ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Scored:
    """A model with a score on the rows whose target is known; larger is better.

    - `y`: (n_rows,) or (n_rows, n_outputs).
    - `scorer`: of scikit-learn, (model, X, y) -> float.
    - `can_be_fitted`: whether the model is the one that was fitted, not its explained output alone.
    """

    context: Context
    model: Any
    y: Values
    rows: Rows
    scorer: Callable[..., float]
    can_be_fitted: bool

    @property
    def weights(self) -> Array | None:
        """Weights of the rows, None where they count alike."""
        return None if self.context.weights is None else self.context.weights[self.rows]

    def score(self, model: Any, X: Any, at: Rows | slice = np.s_[:]) -> float:
        """Score a model on X with the target of some of the rows."""
        weighted = {} if self.weights is None else {"sample_weight": self.weights[at]}
        return float(self._called("was scored", lambda rows: self.scorer(model, rows, self.y[at], **weighted), X))

    def refitted(self, X: Any, at: Rows) -> Any:
        """Fit the model again, on X with the target of some of the rows."""
        from sklearn.base import clone
        from sklearn.utils.validation import has_fit_parameter

        model = clone(self.model)
        takes_weights = self.weights is not None and has_fit_parameter(model, "sample_weight")
        weighted = {"sample_weight": self.weights[at]} if self.weights is not None and takes_weights else {}
        return self._called("was fitted again", lambda rows: model.fit(rows, self.y[at], **weighted), X)

    def _called(self, what: str, task: Callable[[Any], Any], X: Any) -> Any:
        """Do something with the model while nothing else calls it."""
        try:
            return lock_of_model(unwrap(find_bound_object(self.model)).model).call(task, X)
        except (Cancelled, PredictionError):
            raise
        except Exception as error:
            raise PredictionError(
                f"The model failed while it {what}: {cause_of(error)}", "Check `y` and `scoring`."
            ) from error


def permutation(
    scored: Scored, moved: Mapping[str, tuple[int, ...]], n_repeats: int, report: Report
) -> tuple[float, Array]:
    """Find the score, and scores with columns permuted as by scikit-learn, (n_features, n_repeats)."""
    context = scored.context
    table, rows = context.table, scored.rows
    context.prediction_check.check()
    seed = np.random.RandomState(context.settings.random_state % _SEEDS).randint(np.iinfo(np.int32).max + 1)
    base = scored.score(scored.model, table.take(rows))
    scores = np.empty((len(moved), n_repeats))
    for at, (label, positions) in enumerate(moved.items()):
        generator = np.random.RandomState(seed)
        order, donors = np.arange(len(rows)), rows
        for repeat in range(n_repeats):
            generator.shuffle(order)
            donors = donors[order]
            X = table.crossed(rows, dict.fromkeys(positions, donors))
            scores[at, repeat] = scored.score(scored.model, X)
            report(len(rows), len(rows), label)
    return base, scores


def leave_out(scored: Scored, moved: Mapping[str, tuple[int, ...]], report: Report) -> tuple[float, Array]:
    """Find the cross-validated score of the model fitted again, and those without each feature, (n_features, 1).

    A feature is left out by giving all rows the value of one: no model can learn from it, and pipelines that name their
    columns still find it.
    """
    from sklearn.base import is_classifier
    from sklearn.model_selection import KFold, StratifiedKFold

    context, rows = scored.context, scored.rows
    context.prediction_check.check()
    table, seed = context.table, context.settings.random_state % _SEEDS
    kind = StratifiedKFold if is_classifier(scored.model) and scored.y.ndim == 1 else KFold
    folds = list(kind(N_FOLDS, shuffle=True, random_state=seed).split(np.zeros(len(rows)), scored.y))
    same = np.full(len(rows), rows[0])
    left: dict[str, tuple[int, ...]] = {"": (), **moved}
    scores = np.empty((len(left), N_FOLDS))
    for at, (label, positions) in enumerate(left.items()):
        for fold, (train, test) in enumerate(folds):
            X_train, X_test = (
                table.crossed(rows[part], dict.fromkeys(positions, same[part])) for part in (train, test)
            )
            scores[at, fold] = scored.score(scored.refitted(X_train, train), X_test, test)
            report(len(test), len(test), label)
    means = scores.mean(axis=1)
    return float(means[0]), means[1:, None]


# --- of SHAP -------------------------------------------------------------------------------------


def mean_absolute_shap(context: Context, results: Sequence[FeatureExplanation], report: Report) -> Array:
    """Find the mean absolute SHAP value of each feature, for the output that is explained.

    Interventional, by permutation sampling: `N_EXPLAINED` rows against `N_BACKGROUND`, stratified by the prediction.
    """
    import shap

    columns = context.columns
    features = [columns.feature(number) for number in columns.in_order]
    values = np.column_stack([feature.values for feature in features])
    explained, background = (
        draw_stratified(
            context.all_predictions, context.weighted_rows, size, feature_seed(context.settings.random_state, name),
            context.weights,
        )
        for name, size in (("SHAP", N_EXPLAINED), ("background of SHAP", N_BACKGROUND))
    )  # fmt: skip
    context.prediction_check.check()

    def predict(points: Array) -> Array:
        moved = Points(features, np.asarray(points, np.float64))
        rows = np.full(len(points), explained[0])  # of which nothing is left
        report(len(points), len(points), "SHAP")
        return np.asarray(context.brute.evaluate(moved, rows, moved.coordinates[:, None])[:, 0])

    masker = shap.maskers.Independent(values[background], max_samples=N_BACKGROUND)
    numbers = _GlobalNumbers()
    with numbers:
        explainer = shap.explainers.Permutation(predict, masker, seed=context.settings.random_state % _SEEDS)
    total = np.zeros(len(features))
    for row in explained:
        with numbers:
            found = explainer(values[[row]], max_evals=n_masks_of(len(features)), silent=True).values
        total += np.abs(found[0])
    by_number = dict(zip(columns.in_order, total / len(explained), strict=True))
    return np.array([by_number[result._item.feature_number] for result in results])


def n_masks_of(n_features: int) -> int:
    """Return how many sets of features SHAP tries for each row: two permutations, forward and backward."""
    return 2 * (2 * n_features + 1)


class _GlobalNumbers:
    """NumPy's global random numbers while SHAP seeds and draws them; the user's are restored afterwards."""

    def __init__(self) -> None:
        self._own: Any = None

    def __enter__(self) -> None:
        self._others = np.random.get_state()  # noqa: NPY002 - what SHAP draws from
        if self._own is not None:
            np.random.set_state(self._own)  # noqa: NPY002

    def __exit__(self, *_error: object) -> None:
        self._own = np.random.get_state()  # noqa: NPY002
        np.random.set_state(self._others)  # noqa: NPY002
