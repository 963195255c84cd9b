"""Cross-fitting: a rule is chosen on some rows and scored on others, so that chance explains nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ice_explorer.arrays import Array, Mask, Places
    from ice_explorer.drivers.curve_shapes import Spread

    Leaves = Places

N_FOLDS: Final = 5
FEW_OBSERVATIONS: Final = 20
"""Up to as many distinct observations have a fold each: levels are then rarely missing from training."""
LEAST_ROWS: Final = 10
"""Least number of rows on each side of a split, by weight."""

_RULES_AT_A_TIME = 64
_LEAST_PART = 0.02  # the same as a part of all rows
_TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False)
class Training:
    """Rows that a rule is chosen on.

    - `weights` (n_rows,): 0 for rows that are held out.
    - `weighted` (n_main, n_rows): deviations from the mean of the training rows in the main directions, times weights.
    - `mass`: sum of the weights.
    - `total`: weighted sum of the squared deviations.
    - `least`: weight that each side of a split must have.
    """

    weights: Array
    weighted: Array
    mass: float
    total: float
    least: float

    @classmethod
    def on(cls, spread: Spread, weights: Array) -> Training:
        """Train on the rows that have weight."""
        mass, everything = float(weights.sum()), float(spread.weights.sum())
        least = max(LEAST_ROWS, _LEAST_PART * everything) * mass / everything
        off = spread.main - (spread.main @ weights / mass)[:, None]
        weighted = weights * off
        # Rounding of sums must not decide whether a side is large enough.
        return cls(weights, weighted, mass, float(np.einsum("ik,ik->", weighted, off)), least * (1 - 1e-9))

    def within(self, rows: Mask) -> Training:
        """Train on some of the rows."""
        weights = np.where(rows, self.weights, 0.0)
        mass = float(weights.sum())
        kept = np.where(rows, self.weighted, 0.0)
        mean = kept.sum(axis=1, keepdims=True) / mass
        return replace(self, weights=weights, weighted=kept - weights * mean, mass=mass)


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows that are held out, and those that a rule is chosen on meanwhile."""

    held_out: Places
    training: Training
    mean: Array  # of the deviations of the training rows
    off: Array  # deviations of the rows that are held out from that mean
    squares: Array  # their squares, times weights


@dataclass(frozen=True, eq=False)
class Score:
    """What a rule explains of curves that it was not chosen on.

    - `gains` (n_observations,): by how much less the rows of each observation differ from the mean of their group than
      from that of all rows: w_i (‖c_i - c̄‖² - ‖c_i - c̄_g(i)‖²), with means of the training rows.
    - `squares` (n_observations,): w_i ‖c_i - c̄‖².

    Notes
    -----
    The share is Σ gains / Σ squares. The standard error is that of a ratio of sums over distinct observations, so
    that neither equal rows nor large weights make it smaller.
    """

    gains: Array
    squares: Array

    @property
    def share(self) -> float:
        """Part of the variance between curves, at most 1; negative where rules found by chance do harm."""
        return min(1.0, float(self.gains.sum() / self.squares.sum()))

    def exceeds(self, other: Score | None, z: float) -> bool:
        """Whether the share is larger than another one, or than 0, by more than z standard errors."""
        gains = self.gains if other is None else self.gains - other.gains
        share = float(gains.sum() / self.squares.sum())
        off, n = gains - share * self.squares, len(gains)
        return share > z * float(np.sqrt(n / (n - 1) * (off @ off)) / self.squares.sum())


@dataclass(frozen=True, eq=False)
class CrossFit:
    """Rows in folds.

    - `whole`: all rows.
    - `observations` (n_rows,): number of the observation that each row is, from 0.
    - `n_observations`: at least 2.
    """

    spread: Spread
    whole: Training
    folds: Sequence[Fold]
    observations: Places
    n_observations: int

    @classmethod
    def of(cls, spread: Spread, observations: Places) -> CrossFit:
        """Put rows into folds, seeded.

        - `observations` (n_rows,): number of the observation that each row is, from 0. Rows that repeat an observation
          share its fold, so that a weight of 3 and three equal rows are the same.
        """
        n = int(observations.max()) + 1
        n_folds = n if n <= FEW_OBSERVATIONS else N_FOLDS
        folds = np.empty(n, dtype=np.intp)
        folds[np.random.default_rng(0).permutation(n)] = np.arange(n) % n_folds
        of_row = folds[observations]
        made = []
        for number in range(n_folds):
            training = Training.on(spread, np.where(of_row == number, 0.0, spread.weights))
            mean = training.weights @ spread.deviations / training.mass
            held_out = np.flatnonzero(of_row == number)
            off = spread.deviations[held_out] - mean
            squares = spread.weights[held_out] * np.einsum("ik,ik->i", off, off)
            made.append(Fold(held_out, training, mean, off, squares))
        return cls(spread, Training.on(spread, spread.weights), made, observations, n)

    def scores(self, rules: Sequence[Callable[[int], Leaves | None]]) -> list[Score]:
        """Score rules on the rows of each fold.

        - `rules`: each chooses a rule on the training rows of a fold, given its number, and returns the group of each
          row, from 0; None where it finds no rule.
        """
        gains = np.zeros((len(rules), self.n_observations))
        for number, fold in enumerate(self.folds):
            observations = self.observations[fold.held_out]
            for start in range(0, len(rules), _RULES_AT_A_TIME):
                leaves = [rule(number) for rule in rules[start : start + _RULES_AT_A_TIME]]
                of_fold = self._gains(fold, [each for each in leaves if each is not None])
                for at in (start + place for place, each in enumerate(leaves) if each is not None):
                    gains[at] += np.bincount(observations, next(of_fold), self.n_observations)
        return [Score(of_rule, self._squares) for of_rule in gains]

    @cached_property
    def _squares(self) -> Array:
        squares = np.zeros(self.n_observations)
        for fold in self.folds:
            squares += np.bincount(self.observations[fold.held_out], fold.squares, self.n_observations)
        return squares

    def _gains(self, fold: Fold, rules: Sequence[Leaves]) -> Iterator[Array]:
        """Yield by how much less rows that are held out differ from the mean of their leaf than from that of all.

        The leaves of all rules are summed in one product of matrices.
        """
        if not rules:
            return
        n_leaves = [int(leaves.max()) + 1 for leaves in rules]
        is_in = [np.arange(n)[:, None] == leaves for n, leaves in zip(n_leaves, rules, strict=True)]
        weighted = np.where(np.concatenate(is_in), fold.training.weights, 0.0)
        masses = weighted.sum(axis=1)[:, None]
        means = np.where(masses > 0, weighted @ self.spread.deviations / np.maximum(masses, _TINY) - fold.mean, 0.0)
        gains = 2 * fold.off @ means.T - np.einsum("lk,lk->l", means, means)
        weights, rows = self.spread.weights[fold.held_out], np.arange(len(fold.held_out))
        for first, leaves in zip(np.cumsum([0, *n_leaves[:-1]]), rules, strict=True):
            yield weights * gains[rows, first + leaves[fold.held_out]]
