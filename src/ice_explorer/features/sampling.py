"""Seeded, stratified choice of observations, for curves on a sample, for drafts and for the lines drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def draw_stratified(
    values: NDArray[np.float64],
    candidates: NDArray[np.int64],
    size: int,
    generator: np.random.Generator,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.int64]:
    """Draw observations that cover the distribution of a feature evenly.

    The candidates are sorted by the feature (ties in random order, missing values last), cut into `size` strata that
    hold the same share of them, and one is drawn from each, as in §3.1 of Yeh & Ngo (2021).

    - `values`, `weights` (n_observations,): with weights, strata hold the same share of weight, and a row is drawn in
      proportion to its weight; a row heavier than a stratum is still drawn once only.
    - `candidates` (n_candidates,): positions to draw from; all of them are drawn where there are no more than `size`.
    - returns: sorted positions, `size` of them; fewer where heavy rows were drawn repeatedly.
    """
    if size >= len(candidates):
        return np.sort(candidates)
    if size == 0:
        return np.empty(0, dtype=np.int64)
    ties = generator.random(len(candidates))
    order = candidates[np.lexsort((ties, values[candidates]))]
    if weights is None:
        bounds = np.arange(size + 1) * len(order) // size
        return np.sort(order[generator.integers(bounds[:-1], bounds[1:])])
    cumulative = np.cumsum(weights[order])
    marks = (np.arange(size) + generator.random(size)) * (cumulative[-1] / size)
    chosen = np.searchsorted(cumulative, marks, side="right")
    return np.unique(order[np.minimum(chosen, len(order) - 1)])


def nested_samples(rows: NDArray[np.int64], generator: np.random.Generator) -> list[NDArray[np.int64]]:
    """Draw half of the rows, half of these and so on, down to one row; the smallest sample comes first, all rows last.

    Neighbours are paired and one of each pair is drawn, so that a sample covers the rows as evenly as any, whatever
    they are sorted by. Where the number is odd, a row drawn at random is in no pair and not in the sample.
    """
    samples = [rows]
    while len(rows) > 1:
        if len(rows) % 2:
            rows = np.delete(rows, generator.integers(len(rows)))
        rows = rows[np.arange(0, len(rows), 2) + generator.integers(2, size=len(rows) // 2)]
        samples.append(rows)
    return samples[::-1]
