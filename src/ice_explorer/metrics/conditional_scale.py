r"""Mean and spread of a feature among observations that are alike in the other features: μ_i and s_i.

Both are estimated by gradient boosting and cross-fitted: no observation has a part in its own estimate. A first model
predicts the feature from the others, by a line and trees. A second one predicts its squared residuals by the deviance
of the normal distribution, log v + e/v, so that s_i = √v. For levels without an order a classifier predicts their
probabilities. Each model stops at the number of trees that predicts held-out observations best, the second at the
fewest within a standard error of it. There may be none: where the other features say nothing, μ_i is the mean and s_i
the standard deviation.

Equal observations are one with the sum of their weights, whose units are dealt to different folds. So integer weights
are repeated rows, but for the rounding of a mean, and the order of rows does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, repeat
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.metrics.likelihood import LEAST_SHARE_OF_SCALE, observed_quantiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Deviance = Callable[[Array, Array], Array]
    Stages = Callable[[NDArray[np.intp]], Iterator[Array]]  # predictions of rows without a tree, with one, with two …

_N_FOLDS: Final = 5
_MANY_ROWS: Final = 100_000  # that are fitted by several threads
_MOST_TREES: Final = 60
_MOST_TREES_OF_LEVELS: Final = 240  # of all levels together, and at least _FEWEST_TREES of each
_FEWEST_TREES: Final = 6
_LEAST_PROBABILITY: Final = 1e-6  # of a level that is observed, so that one miss does not outweigh all others
_SEEDS: Final = 1 << 32
_RIDGE: Final = 1e-3  # of the variance of a column
_FEWEST_IN_LEAF: Final = 20
_MOST_BINS: Final = 128
_TREES: Final[dict[str, Any]] = {
    "learning_rate": 0.1, "max_leaf_nodes": 4, "min_samples_leaf": _FEWEST_IN_LEAF, "early_stopping": False
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Conditional:
    """What the other features say of a feature with an order.

    Attributes
    ----------
    mean : ndarray of shape (n_observations,)
        μ_i [feature].
    scale : ndarray of shape (n_observations,)
        s_i [feature], at least 0.01·σ.
    """

    mean: Array
    scale: Array


def conditional_moments(
    column: Array,
    others: Array,
    standard_deviation: float,
    weights: Array | None,
    random_state: int,
    *,
    between_fits: Callable[[], object] | None = None,
) -> Conditional:
    """Estimate mean and standard deviation of a feature given the other features.

    Parameters
    ----------
    column : ndarray of shape (n_observations,)
        The feature; NaN is missing.
    others : ndarray of shape (n_observations, n_others)
        The other features as numbers; NaN is missing.
    standard_deviation : float
        σ of the feature [feature].
    weights : ndarray of shape (n_observations,) or None
        Frequency weights.
    random_state : int
        Seed of the folds.
    between_fits : callable, optional
        Called after each model that is fitted.

    Returns
    -------
    Conditional
    """
    present = _present(column, weights)
    mass = np.ones(len(column)) if weights is None else weights
    centre = float(np.average(column[present], weights=mass[present])) if present.any() else 0.0
    alike = Conditional(np.full(len(column), centre), np.full(len(column), standard_deviation))
    if standard_deviation == 0 or others.shape[1] == 0:
        return alike
    fit = _CrossFit.of(column, others, mass, present, random_state, between_fits=between_fits)
    if fit.n_units < 2 * _N_FOLDS:
        return alike
    standardized = (fit.target - centre) / standard_deviation
    mean, error = fit.moment(
        standardized, "squared_error", lambda y, f: np.square(y - f), is_linear=True, is_simple=False
    )
    squared = np.maximum(error, LEAST_SHARE_OF_SCALE**2)
    ends = squared.min(), squared.max()  # which exponentials of trees leave where the others determine the feature

    def deviance(y: Array, f: Array) -> Array:
        f = np.clip(f, *ends)
        return np.asarray(np.log(f) + y / f)

    with np.errstate(over="ignore"):
        variance, _ = fit.moment(squared, "gamma", deviance, is_linear=False, is_simple=True)
    scale = standard_deviation * np.sqrt(np.clip(variance, *ends))
    return Conditional(centre + standard_deviation * mean, scale)


def _present(column: Array, weights: Array | None) -> NDArray[np.bool_]:
    """Observations that say something about the feature."""
    return ~np.isnan(column) if weights is None else ~np.isnan(column) & (weights > 0)


@dataclass(frozen=True, eq=False)
class _CrossFit:
    """Distinct observations in folds.

    Attributes
    ----------
    target : ndarray of shape (n_distinct,)
    held_out : ndarray of shape (n_distinct, n_folds)
        Weight of each that is held out in each fold.
    first : ndarray of shape (n_distinct,)
        An observation that each is.
    distinct : ndarray of shape (n_observations,)
        Which of them each observation is; -1 where it is none.
    others : ndarray of shape (n_observations, n_others)
    binned : ndarray of shape (n_observations, n_others)
        The other features in few bins, which trees split.
    seed : int
    between_fits : callable or None
        Called after each model that is fitted.
    """

    target: Array
    held_out: Array
    first: NDArray[np.intp]
    distinct: NDArray[np.intp]
    others: Array
    binned: Array
    seed: int
    between_fits: Callable[[], object] | None

    @classmethod
    def of(
        cls,
        column: Array,
        others: Array,
        weights: Array,
        present: NDArray[np.bool_],
        random_state: int,
        *,
        between_fits: Callable[[], object] | None,
    ) -> _CrossFit:
        """Merge equal observations, and deal the units of their weights to folds."""
        rows = np.column_stack([column, others])[present] + 0.0  # no negative zeros
        rows[np.isnan(rows)] = np.nan
        keys = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.strides[0]))).ravel()
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        weight = np.bincount(inverse, weights[present]).astype(np.float64)
        start = np.random.default_rng(random_state).permutation(len(first)) % _N_FOLDS
        turn = (np.arange(_N_FOLDS) - start[:, None]) % _N_FOLDS
        whole = np.floor(weight / _N_FOLDS)
        rest = (weight - _N_FOLDS * whole)[:, None]
        held_out = whole[:, None] + np.clip(rest - turn, 0.0, 1.0)
        distinct = np.full(len(column), -1)
        distinct[present] = inverse
        at = np.flatnonzero(present)[first]
        binned = np.column_stack([_binned(values, at, weight) for values in others.T])
        return cls(column[at], held_out, at, distinct, others, binned, random_state % _SEEDS, between_fits)

    @property
    def n_units(self) -> int:
        """Held-out parts of observations."""
        return int(np.count_nonzero(self.held_out))

    def moment(
        self, target: Array, loss: str, deviance: Deviance, *, is_linear: bool, is_simple: bool
    ) -> tuple[Array, Array]:
        """Predict a number of the distinct observations for all observations.

        Parameters
        ----------
        target : ndarray of shape (n_distinct,)
        loss : {"squared_error", "gamma"}
        deviance : callable
            Of targets (n,) and predictions (n,) or (n, n_outputs), (n,).
        is_linear : bool
            Whether trees add to a line.
        is_simple : bool
            Whether the fewest trees are taken whose deviance is within a standard error of the best.

        Returns
        -------
        predicted : ndarray of shape (n_observations,)
            Of observations that are in no fold: the mean over the models of all folds.
        deviance : ndarray of shape (n_distinct,)
            Weighted mean over the folds that an observation is held out in.
        """
        from sklearn.ensemble import HistGradientBoostingRegressor

        def fitted(at: NDArray[np.intp], weight: Array) -> Stages:
            constant = np.average(target[at], weights=weight)
            line = _line(self.others[self.first[at]], target[at] - constant, weight) if is_linear else _flat
            model = HistGradientBoostingRegressor(loss=loss, max_iter=_MOST_TREES, random_state=self.seed, **_TREES)
            rows = self.first[at]
            model.fit(self.binned[rows], target[at] - line(self.others[rows]), sample_weight=_unless_equal(weight))

            def stages(rows: NDArray[np.intp]) -> Iterator[Array]:
                yield np.full(len(rows), constant)
                on_line = line(self.others[rows])
                if is_linear:
                    yield constant + on_line
                for found in model.staged_predict(self.binned[rows]):
                    yield on_line + found

            return stages

        return self._predicted(fitted, lambda at, found: deviance(target[at], found), is_simple=is_simple)

    def probabilities(self, codes: NDArray[np.intp], n_levels: int) -> Array:
        """Predict the probability of each level for all observations, (n_observations, n_levels)."""
        from sklearn.ensemble import HistGradientBoostingClassifier

        n_trees = max(_FEWEST_TREES, min(_MOST_TREES, _MOST_TREES_OF_LEVELS // len(np.unique(codes))))

        def fitted(at: NDArray[np.intp], weight: Array) -> Stages:
            shares = np.bincount(codes[at], weight, n_levels) / weight.sum()
            levels = np.flatnonzero(shares)
            if len(levels) < 2:
                return lambda rows: repeat(np.tile(shares, (len(rows), 1)), n_trees + 1)
            model = HistGradientBoostingClassifier(max_iter=n_trees, random_state=self.seed, **_TREES)
            model.fit(self.binned[self.first[at]], codes[at], sample_weight=_unless_equal(weight))

            def stages(rows: NDArray[np.intp]) -> Iterator[Array]:
                yield np.tile(shares, (len(rows), 1))
                for found in model.staged_predict_proba(self.binned[rows]):
                    probabilities = np.zeros((len(rows), n_levels))
                    probabilities[:, levels] = found
                    yield probabilities

            return stages

        def deviance(at: NDArray[np.intp], found: Array) -> Array:
            return np.asarray(-np.log(np.maximum(found[np.arange(len(at)), codes[at]], _LEAST_PROBABILITY)))

        return self._predicted(fitted, deviance, is_simple=False)[0]

    def _predicted(
        self,
        fitted: Callable[[NDArray[np.intp], Array], Stages],
        deviance: Callable[[NDArray[np.intp], Array], Array],
        *,
        is_simple: bool,
    ) -> tuple[Array, Array]:
        """Fit without each fold, and choose the number of trees by the deviance of what is held out."""
        with _threads_for(len(self.target)):
            return self._by_folds(fitted, deviance, is_simple=is_simple)

    def _by_folds(
        self,
        fitted: Callable[[NDArray[np.intp], Array], Stages],
        deviance: Callable[[NDArray[np.intp], Array], Array],
        *,
        is_simple: bool,
    ) -> tuple[Array, Array]:
        weight = self.held_out.sum(axis=1)
        folds = []
        for held_out in self.held_out.T:
            held, training = np.flatnonzero(held_out), np.flatnonzero(weight - held_out > 0)
            if len(held) and len(training):
                folds.append((held, held_out[held], fitted(*_repeated(training, (weight - held_out)[training]))))
                if self.between_fits is not None:
                    self.between_fits()
        losses = [
            np.column_stack([deviance(held, found) for found in stages(self.first[held])]) for held, _, stages in folds
        ]
        n_trees = _n_trees(losses, [mass for _, mass, _ in folds], is_simple=is_simple)
        outside = np.flatnonzero(self.distinct < 0)
        predicted, elsewhere, error = [], [], np.zeros(len(weight))
        for (held, mass, stages), of_fold in zip(folds, losses, strict=True):
            found = next(islice(stages(self.first[held]), n_trees, None))
            share = mass / weight[held]
            of_held = np.zeros((len(weight), *found.shape[1:]))
            of_held[held] = (share * found.T).T
            predicted.append(of_held)
            error[held] += share * of_fold[:, n_trees]
            if len(outside):
                elsewhere.append(next(islice(stages(outside), n_trees, None)))
        everywhere = np.sum(predicted, axis=0)[self.distinct]
        if len(outside):
            everywhere[outside] = np.mean(elsewhere, axis=0)
        return everywhere, error


def _threads_for(n_rows: int) -> AbstractContextManager[object]:
    """Limit OpenMP to one thread for few rows.

    On a busy processor, threads that wait for each other take 10 to 50 times as long.
    """
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[object] = threadpool_limits(1 if n_rows < _MANY_ROWS else None, user_api="openmp")
    return limits


def _unless_equal(weight: Array) -> Array | None:
    """Return weights that differ: scikit-learn bins with weights value by value, which takes ten times as long."""
    return None if (weight == weight[0]).all() else weight


def _repeated(rows: NDArray[np.intp], weights: Array) -> tuple[NDArray[np.intp], Array]:
    """Repeat rows by weight, up to what makes a leaf: trees count rows."""
    copies = np.clip(np.ceil(weights), 1.0, _FEWEST_IN_LEAF).astype(np.intp)
    return np.repeat(rows, copies), np.repeat(weights / copies, copies)


def _binned(values: Array, at: NDArray[np.intp], weights: Array) -> Array:
    """Number the values of a column by quantiles of some rows, or their distinct values where they are few.

    Trees that bin weighted values themselves take most of their time for it. A column without any value is all 0, which
    they accept.
    """
    present = ~np.isnan(values[at])
    if not present.any():
        return np.zeros(len(values))
    known = values[at][present]
    edges = np.unique(known)
    if len(edges) > _MOST_BINS:
        edges = np.unique(observed_quantiles(known, np.linspace(0.0, 1.0, _MOST_BINS), weights[present]))
    return np.where(np.isnan(values), np.nan, np.searchsorted(edges, values) * 1.0)


def _flat(others: Array) -> Array:
    """Return the line that says nothing."""
    return np.zeros(len(others))


def _line(others: Array, target: Array, weights: Array) -> Callable[[Array], Array]:
    """Fit a ridge regression without intercept on standardized columns, missing values at their means.

    Predictions stay within the range of the target, which far rows would leave.
    """
    present = ~np.isnan(others)
    mass = np.maximum(weights @ present, np.finfo(float).tiny)
    mean = weights @ np.where(present, others, 0.0) / mass
    deviation = np.sqrt(weights @ np.where(present, np.square(others - mean), 0.0) / mass)
    unit = np.where(deviation > 0, deviation, np.inf)

    def standardized(rows: Array) -> Array:
        return np.where(np.isnan(rows), 0.0, (rows - mean) / unit)

    columns = standardized(others)
    gram = (columns.T * weights) @ columns
    gram[np.diag_indices_from(gram)] += _RIDGE * weights.sum()
    slopes = np.linalg.solve(gram, columns.T @ (weights * target))
    lowest, highest = target.min(), target.max()
    return lambda rows: np.clip(standardized(rows) @ slopes, lowest, highest)


def _n_trees(losses: Sequence[Array], masses: Sequence[Array], *, is_simple: bool) -> int:
    """Number of trees of the least deviance, or the fewest within a standard error of it."""
    deviance, mass = np.concatenate(losses), np.concatenate(masses)
    means = mass @ deviance / mass.sum()
    best = int(np.argmin(means))
    if not is_simple:
        return best
    excess = deviance - deviance[:, [best]]
    error = np.sqrt(mass @ np.square(excess - (means - means[best])) / mass.sum() ** 2)
    return int(np.flatnonzero(means - means[best] <= error)[0])


def level_distances(own: Array, probabilities: Array | None, grid: Array) -> Array:
    """How unlikely each level of a category is among observations that are alike in the other features.

    Parameters
    ----------
    own : ndarray of shape (n_observations,)
        Codes of the own levels, the most frequent one standing in for missing ones.
    probabilities : ndarray of shape (n_observations, n_levels) or None
        What `level_probabilities` returns.
    grid : ndarray of shape (n_grid,)
        Codes of the levels to estimate, increasing.

    Returns
    -------
    ndarray of shape (n_observations, n_grid)
        Exponents of the decay: 0 at the own level, else 1 - P̂, one minus the estimated probability.
    """
    distance = np.ones((len(own), len(grid)))
    if probabilities is not None:
        inside = grid < probabilities.shape[1]
        distance[:, inside] -= probabilities[:, grid[inside].astype(np.intp)]
        np.clip(distance, 0.0, 1.0, out=distance)
    distance[own[:, None] == grid] = 0.0
    return distance


def level_probabilities(
    codes: Array,
    others: Array,
    weights: Array | None,
    random_state: int,
    *,
    between_fits: Callable[[], object] | None = None,
) -> Array | None:
    """Estimate the probability of each level given the other features.

    Parameters
    ----------
    codes : ndarray of shape (n_observations,)
        Of the own levels; NaN is missing.
    others, weights, random_state, between_fits
        As for `conditional_moments`.

    Returns
    -------
    ndarray of shape (n_observations, n_levels) or None
        None where the other features cannot tell: there are none, too few observations, or one level.
    """
    present = _present(codes, weights)
    if not others.shape[1] or len(np.unique(codes[present])) < 2:
        return None
    mass = np.ones(len(codes)) if weights is None else weights
    fit = _CrossFit.of(codes, others, mass, present, random_state, between_fits=between_fits)
    if fit.n_units < 2 * _N_FOLDS:
        return None
    return fit.probabilities(fit.target.astype(np.intp), int(np.nanmax(codes[present])) + 1)
