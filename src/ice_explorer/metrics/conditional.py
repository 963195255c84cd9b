"""Mean and spread of a feature among observations that are alike in the other features: μ_i and s_i.

Both are estimated by gradient boosting and cross-fitted: no observation has a part in its own estimate. A first model
predicts the feature from the others, by a line and trees. A second one predicts its squared residuals by the deviance
of the normal distribution, log v + e/v, so that s_i = √v. For levels without an order a classifier predicts their
probabilities. Each model stops at the number of trees that predicts held-out observations best, the second at the
fewest within a standard error of it. There may be none: where the other features say nothing, μ_i is the mean and s_i
the standard deviation. The classifier has none unless they predict better than the shares by two standard errors.
Observations that are in no fold, as those beyond the 20,000 that are fitted, have the mean of all models.

Equal observations are one with the sum of their weights, whose units are dealt to different folds. So integer weights
are repeated rows, but for the rounding of a mean, and the order of rows does not matter. Trees split levels without an
order into any two sets, and `rank_levels` numbers them by their rows, so that their codes and names do not matter.
"""

from __future__ import annotations

from functools import partial
from itertools import islice, repeat
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from ice_explorer.locks import checkpoint
from ice_explorer.runtime import HAS_NUMBA
from ice_explorer.tables.column import choose_edges, column_moments, distinct_rows, has_value_and_weight

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ice_explorer.arrays import Array, Mask, Places, Rows

    Stages = Callable[[Rows], Iterator[Array]]  # predictions of rows without a tree, with one, with two …

LEAST_SHARE_OF_SCALE: Final = 0.01
"""Floor of a likelihood scale, in standard deviations of the feature."""

_N_FOLDS: Final = 5
_MOST_FITTED: Final = 20_000  # distinct observations: of more, a sample is fitted, whose models predict the others
_FEWEST_OF_LEVEL: Final = 5  # observations from which the probability of a level can be estimated
_MOST_TREES: Final = 60
_MOST_TREES_OF_A_LEVEL: Final = 90
_MOST_TREES_OF_LEVELS: Final = 240  # of all levels together, and at least _FEWEST_TREES of each
_LEAVES_OF_LEVELS: Final = 6  # so that trees find two columns that predict a level only together
_FEWEST_TREES: Final = 6
_LEAST_PROBABILITY: Final = 1e-6  # of a level that is observed, so that one miss does not outweigh all others
_SEEDS: Final = 1 << 32
_RIDGE: Final = 1e-3  # of the variance of a column
_FEWEST_IN_LEAF: Final = 20
_MOST_BINS: Final = 128
_CLEAR_ERRORS: Final = 2.0  # standard errors by which a model must predict better than none
_ROUNDING: Final = 1e-12  # of all weight, below which weights of levels are equal
_TREES: Final[dict[str, Any]] = {
    "learning_rate": 0.1, "max_leaf_nodes": 4, "min_samples_leaf": _FEWEST_IN_LEAF, "early_stopping": False
}  # fmt: skip


class Predictors(NamedTuple):
    """The other features as numbers, from which one is predicted.

    - `values` (n_observations, n_others): NaN is missing.
    - `are_levels` (n_others,): whether they are codes of levels without an order, ranked by `rank_levels`.
    """

    values: Array
    are_levels: Mask

    @property
    def numbers(self) -> Array:
        """Those that have an order, (n_observations, n_numbers)."""
        return self.values[:, ~self.are_levels]


def rank_levels(codes: Array, by_text: Places, numbers: Array, weights: Array | None) -> Places:
    """Rank levels by weight, the heaviest first, equal ones by the extremes of numbers in their rows, (n_levels,).

    - `codes` (n_observations,): NaN is missing.
    - `by_text` (n_levels,): places of the levels in the order of their texts, which decide further ties.
    - `numbers` (n_observations, n_numbers): of other features; NaN is missing.
    """
    used, n_levels = np.flatnonzero(has_value_and_weight(codes, weights)), len(by_text)
    level = codes[used].astype(np.intp)
    mass = np.bincount(level, None if weights is None else weights[used], n_levels).astype(np.float64)
    keys = [-np.round(mass / max(mass.sum(), 1.0) / _ROUNDING)]
    if len(np.unique(mass[mass > 0])) < np.count_nonzero(mass):
        for values in numbers[used].T:
            for extreme in (np.fmin, np.fmax):
                of_level = np.full(n_levels, np.nan)
                extreme.at(of_level, level, values)
                keys.append(of_level)
    ranks = np.empty(n_levels, np.intp)
    ranks[np.lexsort((by_text, *keys[::-1]))] = np.arange(n_levels)
    return ranks


def ranked_codes(codes: Array, ranks: Places) -> Array:
    """Replace codes by their ranks; NaN is missing."""
    return np.append(ranks, np.nan)[np.where(np.isnan(codes), -1, codes).astype(np.intp)]


class ConditionalMoments(NamedTuple):
    """Mean μ_i and standard deviation s_i, at least 0.01·σ, given the other features, (n_observations,) each.

    `importance` (n_others,): the part of each other feature in what the models of mean or spread explain, 0 to 1, the
    larger of both; 0 where that may be chance.
    """

    mean: Array
    scale: Array
    importance: Array


def conditional_moments(
    column: Array,
    others: Predictors,
    standard_deviation: float,
    weights: Array | None,
    random_state: int,
) -> ConditionalMoments:
    """Estimate mean and standard deviation of a feature given the other features.

    - `column` (n_observations,): the feature; NaN is missing.
    - `others`: the other features.
    - `standard_deviation`: σ of the feature [feature].
    - `weights` (n_observations,): frequency weights, or None.
    - `random_state`: seed of the folds.
    """
    from sklearn.ensemble import HistGradientBoostingRegressor

    present = has_value_and_weight(column, weights)
    mass = None if weights is None else weights[present]
    centre = float(np.average(column[present], weights=mass)) if present.any() else 0.0
    folds = None if standard_deviation == 0 else _make_folds(column, others, weights, random_state)
    if folds is None:
        importance = np.zeros(others.values.shape[1])
        return ConditionalMoments(np.full(len(column), centre), np.full(len(column), standard_deviation), importance)

    numbers = others.numbers

    def fit(target: Array, loss: str, at: Rows, weight: Array, *, is_linear: bool) -> _Fit:
        """Fit trees, on a line if it is linear, to some distinct observations."""
        constant, rows = np.average(target[at], weights=weight), folds.first[at]
        line, slopes = (
            _fit_line(numbers[rows], target[at] - constant, weight)
            if is_linear
            else (lambda rows: np.zeros(len(rows)), 0.0)
        )
        model = HistGradientBoostingRegressor(loss=loss, max_iter=_MOST_TREES, **folds.options)
        model.fit(folds.binned[rows], target[at] - line(numbers[rows]), sample_weight=_unless_equal(weight))

        def stages(of: Rows) -> Iterator[Array]:
            yield np.full(len(of), constant)
            on_line = line(numbers[of])
            if is_linear:
                yield constant + on_line
            for predicted in model.staged_predict(folds.binned[of]):
                yield on_line + predicted

        def importance(n_stages: int) -> Array:
            explained = _explained_by_trees(model, n_stages - is_linear, others.are_levels) / len(rows)
            explained[~others.are_levels] += np.square(slopes) * (n_stages > 0)
            return explained

        return _Fit(stages, importance)

    target = (folds.target - centre) / standard_deviation
    fit_mean = partial(fit, target, "squared_error", is_linear=True)
    squared_error = lambda at, predicted: np.square(target[at] - predicted)  # noqa: E731
    mean, errors, importance = _cross_fit(folds, fit_mean, squared_error)
    squared = np.maximum(errors, LEAST_SHARE_OF_SCALE**2)
    ends = squared.min(), squared.max()  # which exponentials of trees leave where the others determine the feature

    def deviance(at: Rows, predicted: Array) -> Array:
        predicted = np.clip(predicted, *ends)
        return np.asarray(np.log(predicted) + squared[at] / predicted)

    with np.errstate(over="ignore"):
        fit_variance = partial(fit, squared, "gamma", is_linear=False)
        variance, _, of_variance = _cross_fit(folds, fit_variance, deviance, is_simple=True)
    scale = standard_deviation * np.sqrt(np.clip(variance, *ends))
    return ConditionalMoments(centre + standard_deviation * mean, scale, np.maximum(importance, of_variance))


def estimate_levels(
    codes: Array,
    by_text: Places,
    others: Predictors,
    weights: Array | None,
    random_state: int,
) -> Array | None:
    """Estimate the probability of each level given the other features, and its share in the rows of that estimate.

    None where the other features cannot tell: there are none, too few observations, or one level.

    - `codes`, `by_text`: as for `rank_levels`.
    - `others`, `weights`, `random_state`: as for `conditional_moments`.
    - returns (n_observations, 2, n_levels): probabilities and shares, which differ from fold to fold. Of levels that
      are too rare to be estimated, shares are equal to probabilities.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    ranks, n_levels = rank_levels(codes, by_text, others.numbers, weights), len(by_text)
    folds = _make_folds(ranked_codes(codes, ranks), others, weights, random_state)
    n_observed = 0 if folds is None else len(np.unique(folds.target))
    if folds is None or n_observed < 2:
        return None
    target = folds.target.astype(np.intp)
    n_trees = max(_FEWEST_TREES, min(_MOST_TREES_OF_A_LEVEL, _MOST_TREES_OF_LEVELS // n_observed))

    options = {**folds.options, "max_leaf_nodes": _LEAVES_OF_LEVELS}

    def fit(at: Rows, weight: Array) -> _Fit:
        shares = np.bincount(target[at], weight, n_levels) / weight.sum()
        levels = np.flatnonzero(shares)
        if len(levels) < 2:
            return _Fit(lambda of: repeat(np.tile(shares, (len(of), 2, 1)), n_trees + 1))
        model = HistGradientBoostingClassifier(max_iter=n_trees, **options)
        model.fit(folds.binned[folds.first[at]], target[at], sample_weight=_unless_equal(weight))

        def stages(of: Rows) -> Iterator[Array]:
            yield np.tile(shares, (len(of), 2, 1))
            for predicted in model.staged_predict_proba(folds.binned[of]):
                estimated = np.tile(shares, (len(of), 2, 1))
                estimated[:, 0, levels] = predicted
                yield estimated

        return _Fit(stages)

    def deviance(at: Rows, predicted: Array) -> Array:
        return np.asarray(-np.log(np.maximum(predicted[np.arange(len(at)), 0, target[at]], _LEAST_PROBABILITY)))

    estimated = _cross_fit(folds, fit, deviance, is_cautious=True)[0]
    is_rare = np.bincount(target, np.ceil(folds.held_out.sum(axis=1)), n_levels) < _FEWEST_OF_LEVEL
    estimated[:, 1, is_rare] = estimated[:, 0, is_rare]
    return estimated[..., ranks]


def level_distances(own: Array, probabilities: Array | None, grid: Array) -> Array:
    """How unlikely each level of a category is among observations that are alike in the other features.

    - `own` (n_observations,): codes of the observed levels, the most frequent one in place of missing ones.
    - `probabilities` (n_observations, n_levels): those of `estimate_levels`, None where it returns that.
    - `grid` (n_grid,): codes of the levels to estimate, increasing.
    - returns (n_observations, n_grid): exponents of the decay, 0 at the observed level, else 1 - P̂.
    """
    distance = np.ones((len(own), len(grid)))
    if probabilities is not None:
        distance = np.clip(distance - probabilities[:, grid.astype(np.intp)], 0.0, 1.0)
    distance[own[:, None] == grid] = 0.0
    return distance


class _Fit(NamedTuple):
    """A model: its stages, and how much each other feature explains by a number of them, (n_others,), where asked."""

    stages: Stages
    importance: Callable[[int], Any] = lambda _: 0.0


class _Folds(NamedTuple):
    """Distinct observations in folds.

    - `target` (n_distinct,).
    - `held_out` (n_distinct, n_folds): weight of each that is held out in each fold.
    - `first` (n_distinct,): an observation that each is.
    - `distinct` (n_observations,): which of them each observation is; -1 where it is none.
    - `binned` (n_observations, n_others): the other features in few bins, which trees split.
    - `options`: of the trees.
    """

    target: Array
    held_out: Array
    first: Rows
    distinct: Rows
    binned: Array
    options: dict[str, Any]


def _make_folds(column: Array, others: Predictors, weights: Array | None, random_state: int) -> _Folds | None:
    """Merge equal observations, and deal the units of their weights to folds; None where there is too little to fit."""
    if not others.values.shape[1]:
        return None
    present = has_value_and_weight(column, weights)
    first, inverse = distinct_rows(np.column_stack([column, others.values])[present])
    weight = np.bincount(inverse, None if weights is None else weights[present]).astype(np.float64)
    place = np.random.default_rng(random_state).permutation(len(first))
    is_fitted = place < _MOST_FITTED
    inverse = np.where(is_fitted, np.cumsum(is_fitted) - 1, -1)[inverse]
    first, weight, place = first[is_fitted], weight[is_fitted], place[is_fitted]
    turn = (np.arange(_N_FOLDS) - place[:, None]) % _N_FOLDS
    whole = np.floor(weight / _N_FOLDS)
    held_out = whole[:, None] + np.clip((weight - _N_FOLDS * whole)[:, None] - turn, 0.0, 1.0)
    if np.count_nonzero(held_out) < 2 * _N_FOLDS:
        return None
    distinct = np.full(len(column), -1)
    distinct[present] = inverse
    at = np.flatnonzero(present)[first]
    binned = np.column_stack(
        [
            np.minimum(values, _MOST_BINS - 1) if are_levels else _binned(values, at, weight)
            for values, are_levels in zip(others.values.T, others.are_levels, strict=True)
        ]
    )
    options = {"random_state": random_state % _SEEDS, **_TREES}
    if others.are_levels.any():
        options["categorical_features"] = others.are_levels
    return _Folds(column[at], held_out, at, distinct, binned, options)


def _cross_fit(
    folds: _Folds,
    fit: Callable[[Rows, Array], _Fit],
    deviance: Callable[[Rows, Array], Array],
    *,
    is_simple: bool = False,
    is_cautious: bool = False,
) -> tuple[Array, Array, Array]:
    """Predict all observations by models that are fitted without them.

    The number of trees has the least deviance of what is held out; if simple, it is the smallest within a standard
    error of that.

    - `deviance`: of some distinct observations and what is predicted for them.
    - `is_cautious`: whether there are no trees unless they predict better by `_CLEAR_ERRORS` standard errors.
    - returns predictions (n_observations, …), of observations that are in no fold the mean over all models; weighted
      mean deviances over the folds that a distinct observation is held out in, (n_distinct,); and the importance of the
      others (n_others,), parts of what is explained, with sum 1, all 0 where that may be chance.
    """
    from threadpoolctl import threadpool_limits

    weight = folds.held_out.sum(axis=1)
    fitted: list[tuple[Rows, Array, _Fit]] = []
    # On a busy processor, threads that wait for each other take 10 to 50 times as long.
    with threadpool_limits(1, user_api="openmp"):
        for held_out in folds.held_out.T:
            held, training = np.flatnonzero(held_out), np.flatnonzero(weight - held_out > 0)
            if len(held) and len(training):
                fitted.append((held, held_out[held], fit(*_repeated(training, (weight - held_out)[training]))))
                checkpoint()
        losses = [
            np.column_stack([deviance(held, predicted) for predicted in model.stages(folds.first[held])])
            for held, _, model in fitted
        ]
        losses_of_all, mass_of_all = np.concatenate(losses), np.concatenate([mass for _, mass, _ in fitted])
        means = mass_of_all @ losses_of_all / mass_of_all.sum()
        n_trees = int(np.argmin(means))
        excess = losses_of_all - losses_of_all[:, [n_trees]] - (means - means[n_trees])
        error = np.sqrt(mass_of_all @ np.square(excess) / mass_of_all.sum() ** 2)
        is_clear = means[0] - means[n_trees] > _CLEAR_ERRORS * error[0]
        if is_cautious and not is_clear:
            n_trees = 0
        elif is_simple:
            n_trees = int(np.flatnonzero(means - means[n_trees] <= error)[0])
        outside = np.flatnonzero(folds.distinct < 0)
        predicted, elsewhere, deviances = [], [], np.zeros(len(weight))
        for (held, mass, model), loss in zip(fitted, losses, strict=True):
            share, of_held = mass / weight[held], next(islice(model.stages(folds.first[held]), n_trees, None))
            of_fold = np.zeros((len(weight), *of_held.shape[1:]))
            of_fold[held] = (share * of_held.T).T
            predicted.append(of_fold)
            deviances[held] += share * loss[:, n_trees]
            if len(outside):  # scikit-learn refuses no rows
                elsewhere.append(next(islice(model.stages(outside), n_trees, None)))
    everywhere = np.sum(predicted, axis=0)[folds.distinct]
    if len(outside):
        everywhere[outside] = np.mean(elsewhere, axis=0)
    importance = np.sum([model.importance(n_trees) for _, _, model in fitted], axis=0) * is_clear
    return everywhere, deviances, importance / max(float(np.sum(importance)), np.finfo(float).tiny)


def _explained_by_trees(model: Any, n_trees: int, are_levels: Mask) -> Array:
    """Return the sum of the gains of the splits of each column in the first trees, (n_others,)."""
    gains = np.zeros(len(are_levels))
    columns = np.argsort(~are_levels, kind="stable")  # levels come first in scikit-learn
    for (tree,) in model._predictors[: max(0, n_trees)]:  # noqa: SLF001
        splits = tree.nodes[~tree.nodes["is_leaf"].astype(np.bool_)]
        np.add.at(gains, columns[splits["feature_idx"].astype(np.intp)], splits["gain"])
    return np.asarray(gains * model.learning_rate)


def _unless_equal(weight: Array) -> Array | None:
    """Return weights that differ: scikit-learn bins with weights value by value, which takes ten times as long."""
    return None if (weight == weight[0]).all() else weight


def _repeated(rows: Rows, weights: Array) -> tuple[Rows, Array]:
    """Repeat rows by weight, up to what makes a leaf: trees count rows."""
    copies = np.clip(np.ceil(weights), 1.0, _FEWEST_IN_LEAF).astype(np.intp)
    return np.repeat(rows, copies), np.repeat(weights / copies, copies)


def _binned(values: Array, at: Rows, weights: Array) -> Array:
    """Number the values of a column by quantiles of some rows, or their distinct values where they are few.

    Trees that bin weighted values themselves take most of their time for it. A column without any value is all 0, which
    they accept.
    """
    present = ~np.isnan(values[at])
    if not present.any():
        return np.zeros(len(values))
    edges = choose_edges(values[at][present], _MOST_BINS, weights[present])
    return np.where(np.isnan(values), np.nan, np.searchsorted(edges, values) * 1.0)


def _fit_line(others: Array, target: Array, weights: Array) -> tuple[Callable[[Array], Array], Array]:
    """Fit a ridge regression without intercept on standardized columns, missing values at their means.

    Predictions stay within the range of the target, which far rows would leave. Returns them, and the slopes.
    """
    mean, deviation = column_moments(others, weights)
    unit = np.where(deviation > 0, deviation, np.inf)

    def standardized(rows: Array) -> Array:
        return np.where(np.isnan(rows), 0.0, (rows - mean) / unit)

    columns = standardized(others)
    gram = (columns.T * weights) @ columns
    gram[np.diag_indices_from(gram)] += _RIDGE * weights.sum()
    slopes = np.linalg.solve(gram, columns.T @ (weights * target))
    lowest, highest = target.min(), target.max()

    def line(rows: Array) -> Array:
        return np.asarray(np.clip(standardized(rows) @ slopes, lowest, highest))

    return line, np.asarray(slopes)


_MOST_POINTS: Final = 800  # that are drawn from the distinct observations
_LEAST_CELLS: Final = 1 << 16


class Neighbours(NamedTuple):
    """Distinct observations in standard deviations of the feature and of the columns that predict it.

    - `heights` (n_points,): of the feature, increasing.
    - `points` (n_points, n_columns): the other columns of these, a missing value at the mean.
    - `rows` (n_observations, n_columns): those of all observations.
    - `excluded` (n_observations,): which point an observation alone is, as it is no neighbour of itself; -1 if none.
    - `centre`, `scale`: of the feature.
    """

    heights: Array
    points: Array
    rows: Array
    excluded: Places
    centre: float
    scale: float

    def distances(self, rows: Rows, values: Array) -> Array:
        """Return the distances of rows with increasing values (n_rows or 1, n_values) in place of their own."""
        found = np.empty((len(rows), values.shape[1]))
        given = self.heights, self.points, self.rows[rows], self.excluded[rows], (values - self.centre) / self.scale
        if HAS_NUMBA and found.size * len(self.heights) > _LEAST_CELLS:
            from ice_explorer.metrics.fold_numba import nearest_points

            nearest_points(*given, found)
        else:
            nearest_by_blocks(*given, found)
        return found


def nearest_by_blocks(  # noqa: PLR0917 - the arrays that the kernel takes
    heights: Array, points: Array, rows: Array, excluded: Places, values: Array, found: Array
) -> None:
    """Find the distance of each row, moved to each value, to the nearest point; `nearest_points` names the arrays."""
    found[:] = np.inf
    for place, height in enumerate(heights):
        squared = np.square(rows - points[place]).sum(axis=1)
        squared[excluded == place] = np.inf
        np.minimum(found, squared[:, None] + np.square(values - height), out=found)
    np.sqrt(found, out=found)


def make_neighbours(column: Array, others: Array, weights: Array, random_state: int) -> Neighbours | None:
    """Choose the points that phantom observations are compared with; None where the feature is constant.

    - `column` (n_observations,): the feature; NaN is missing.
    - `others` (n_observations, n_columns): columns that predict it; NaN is missing.
    - `weights` (n_observations,).
    - `random_state`: seed of the draw of points, where there are more distinct observations.
    """
    used = np.flatnonzero(~np.isnan(column) & (weights > 0))
    rows, _, _ = _standardized(others, used, weights)
    height, centre, scale = _standardized(column[:, None], used, weights)
    if len(used) < 2 or scale[0] == 0:
        return None
    distinct, inverse = np.unique(
        np.column_stack([height[used], rows[used]]), axis=0, return_inverse=True
    )  # in the order of their content
    inverse = inverse.ravel()
    mass = np.bincount(inverse, weights[used])
    drawn = np.random.default_rng(random_state).permutation(len(distinct))[:_MOST_POINTS]
    drawn.sort()
    place_of = np.full(len(distinct), -1)
    place_of[drawn] = np.arange(len(drawn))
    place_of[mass > 1] = -1  # equal observations are neighbours of each other
    excluded = np.full(len(column), -1)
    excluded[used] = place_of[inverse]
    points = np.ascontiguousarray(distinct[drawn])
    return Neighbours(
        points[:, 0].copy(), np.ascontiguousarray(points[:, 1:]), rows, excluded, float(centre[0]), float(scale[0])
    )


def _standardized(columns: Array, used: Rows, weights: Array) -> tuple[Array, Array, Array]:
    """Return columns in standard deviations from their mean over some rows, missing values at 0; mean and deviation."""
    mean, deviation = column_moments(columns[used], weights[used])
    unit = np.where(deviation > 0, deviation, 1.0)
    return np.where(np.isnan(columns), 0.0, (columns - mean) / unit) + 0.0, mean, deviation
