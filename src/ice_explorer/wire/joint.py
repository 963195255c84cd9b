"""Replies about several features: interactions, and partial dependence on two features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.scene.display_axis import display_axis
from ice_explorer.wire.buffers import f32, f64, u32
from ice_explorer.wire.messages import (
    AdditivityBody,
    InteractionsBody,
    JointBody,
    PairAxis,
    PairJointBody,
    TwoWayBody,
)

if TYPE_CHECKING:
    from ice_explorer.beyond.interactions import Interactions
    from ice_explorer.explanation import Explanation
    from ice_explorer.results.two_way import TwoWay, TwoWayAxis
    from ice_explorer.scene.display_axis import DisplayAxis


def interactions_of(explanation: Explanation, interactions: Interactions) -> InteractionsBody:
    """Return what is computed of interactions, the largest H² first."""
    labels = {feature.feature: feature.label for feature in explanation.values()}
    features = [
        JointBody(feature=labels[name], h2=joint.h2, effect=joint.effect)
        for name, joint in interactions._by_feature().items()
    ]
    pairs = [
        PairJointBody(first=labels[first], second=labels[second], h2=joint.h2, effect=joint.effect)
        for (first, second), joint in interactions._by_pair().items()
    ]
    found = [(name, interactions.additivity(name)) for name in interactions._by_feature()]
    return InteractionsBody(
        n_rows=len(interactions.row_positions),
        n_observations=explanation._n_observations,
        done=interactions._n_done,
        total=interactions._n_steps,
        features=sorted(features, key=lambda body: -body["h2"]),
        pairs=sorted(pairs, key=lambda body: -body["h2"]),
        additivity=[
            AdditivityBody(feature=labels[name], share=of.share, low=of.low, high=of.high, verdict=of.verdict)
            for name, of in found
        ],
    )


def two_way_of(two: TwoWay) -> tuple[TwoWayBody, list[bytes]]:
    """Return the partial dependence on two features as `TwoWayBody` lays it out; no buffers before all is computed."""
    axes = [display_axis(feature, places) for feature, places in two._axes]
    body = TwoWayBody(
        first=_axis(two.first, axes[0]),
        second=_axis(two.second, axes[1]),
        share_done=two._share_done,
        n_rows=len(two.row_positions),
        n_observations=two.n_observations,
        offset=0.0,
    )
    if two._share_done < 1:
        return body, []
    mean, rows = two.partial_dependence, two.row_positions
    body["offset"] = float(mean.min() + mean.max()) / 2
    return body, [
        f64(axes[0].grid),
        f64(axes[1].grid),
        f32(mean - body["offset"]),
        u32(two.near.astype(np.uint32)),
        f64(axes[0].observed[rows]),
        f64(axes[1].observed[rows]),
    ]


def _axis(of: TwoWayAxis, shown: DisplayAxis) -> PairAxis:
    return PairAxis(feature=of.label, kind=of.dtype_kind, levels=shown.levels, clock=shown.clock.changes)
