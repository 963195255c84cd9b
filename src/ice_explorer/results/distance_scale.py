"""Measure distances from observed values in another unit, with the curves that are there already."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal, get_args

import numpy as np

from ice_explorer.engines.sums import sum_blocks
from ice_explorer.metrics.conditional_scale import level_distances

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ice_explorer.arrays import Array, Rows
    from ice_explorer.engines.context import Context
    from ice_explorer.engines.feature_input import FeatureInput
    from ice_explorer.engines.sums import Sums
    from ice_explorer.results.extrapolation import Expected

    Blocks = Iterator[tuple[Rows, Array]]

Scale = Literal["marginal", "conditional"]
SCALES: Final[tuple[Scale, ...]] = get_args(Scale)


def rescaled(item: FeatureInput, expected: Expected | None) -> FeatureInput:
    """Return a feature with the conditional scale that the other features let expect, or the marginal one for None."""
    if item.feature.is_unordered:
        known = None if expected is None or not expected.is_estimated else expected.probabilities
        distances = None if expected is None else level_distances(item.observed, known, item.grid.values)
        return replace(item, distances=distances)
    scale = np.broadcast_to(item.scale, len(item.observed)) if expected is None else expected.scale
    assert scale is not None  # noqa: S101 - a feature with an order has one
    return replace(item, likelihood_scale=scale)


def sums_again(
    context: Context, item: FeatureInput, blocks: Blocks, between_blocks: Callable[[], object] | None
) -> Sums:
    """Sum curves that are known for a feature with another scale; `between_blocks` is called now and then."""

    def passing() -> Blocks:
        for block in blocks:
            yield block
            if between_blocks is not None:
                between_blocks()

    return sum_blocks(passing(), context.brute, item, context.row_weights)
