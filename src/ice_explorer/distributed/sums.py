"""Sums over parts of the rows: what is sent between machines, and merged."""

# ruff: noqa: SLF001 - a part is explained like a whole

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ice_explorer.engines.sums import empty_sums
from ice_explorer.metrics.ordered import OrderedSums
from ice_explorer.metrics.sums import Moments
from ice_explorer.plan import Whole, prepare

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from ice_explorer.metrics.unordered import UnorderedSums
    from ice_explorer.results.options import Options


@dataclass(frozen=True, eq=False)
class Summed:
    """Sums over some of the rows: what is sent between workers.

    - `features`: sums of each as arrays, by number; see `CurveSums.to_arrays`.
    - `predictions`: of the observations as they are.
    - `notes`: on the model.
    """

    features: Mapping[int, Mapping[str, NDArray[Any]]]
    predictions: Moments
    notes: tuple[str, ...]


def summed(model: Any, X: Any, options: Options, whole: Whole, cancelled: Callable[[], bool] | None = None) -> Summed:
    """Explain some of the rows on the grids of all."""
    plan = prepare(model, X, options, whole=whole)
    features = {}
    for feature, number in zip(plan.features, whole.features, strict=True):
        features[number] = plan.compute(feature, cancelled=cancelled)._sums.to_arrays()
    context, predictions = plan._context, Moments(1)
    predictions.add(context.predictions(context.weighted_rows)[:, None], context.row_weights[context.weighted_rows])
    return Summed(features, predictions, plan._method.notes)


def merge_summed(parts: Sequence[Summed | None], whole: Whole) -> Summed | None:
    """Merge sums over parts of the rows."""
    held = [part for part in parts if part is not None]
    if len(held) < 2:
        return held[0] if held else None
    predictions = Moments(1)
    for part in held:
        predictions.merge(part.predictions)
    features = {}
    for number in whole.features:
        parts_of: Any = [sums_of(part, whole, number) for part in held]
        actives = {part.active.tobytes() for part in parts_of if isinstance(part, OrderedSums)}
        if len(actives) > 1:
            parts_of = [part.at_every_interval() for part in parts_of]
        active = None if len(actives) != 1 else parts_of[0].active
        features[number] = empty_sums(whole.features[number], active=active).merge(parts_of).to_arrays()
    return Summed(features, predictions, tuple(dict.fromkeys(note for part in held for note in part.notes)))


def sums_of(part: Summed, whole: Whole, number: int) -> OrderedSums | UnorderedSums:
    """Return the sums of a feature."""
    arrays = part.features[number]
    return empty_sums(whole.features[number], active=arrays.get("active")).fill(arrays)
