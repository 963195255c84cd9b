"""Optional content of the curves of a feature: ALE and M-plot, correlated features, values unlike the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ice_explorer.beyond.correlations import strong_correlations
from ice_explorer.beyond.effects import local_effects
from ice_explorer.scene.display_axis import display_axis
from ice_explorer.wire.buffers import bits, f32, f64
from ice_explorer.wire.messages import CorrelatedBody, CorrelatedItem, EffectsBody, UnlikeBody

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.wire.messages import Measure


def effects_of(
    feature: FeatureExplanation, between_blocks: Callable[[], object] | None = None
) -> tuple[EffectsBody, list[bytes]]:
    """ALE and M-plot of a feature, as `EffectsBody` lays them out."""
    found = local_effects(feature, between_blocks)
    body = EffectsBody(feature=feature.label, n_grid=len(found.grid), mean_prediction=found.mean_prediction)
    return body, [f64(found.grid), f32(found.ale), f32(found.m_plot - found.mean_prediction)]


def correlated_of(feature: FeatureExplanation) -> CorrelatedBody:
    """What varies strongly with a feature."""
    found = strong_correlations(feature)
    items = [
        CorrelatedItem(column=item.feature, correlation=item.correlation, measure=cast("Measure", item.measure))
        for item in found.items
    ]
    return CorrelatedBody(feature=feature.label, lead=found.lead, items=items)


def unlike_of(
    feature: FeatureExplanation, positions: Sequence[int], between_fits: Callable[[], object] | None = None
) -> tuple[UnlikeBody, list[bytes]]:
    """Which phantom observations of a feature are unlike 99 % of rows, as `UnlikeBody` lays it out."""
    found = feature._unlike_shares(between_fits)
    grid = display_axis(feature._item.feature, feature.axis).grid
    body = UnlikeBody(feature=feature.label, n_grid=len(grid), share=found.share, summary=found.summary)
    return body, [f64(grid), f32(found.grid_shares), bits(feature._are_unlike(positions))]
