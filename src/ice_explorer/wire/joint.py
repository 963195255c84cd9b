"""What features do together: interactions, and partial dependence on two features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.scene.display_axis import display_axis
from ice_explorer.wire import messages

if TYPE_CHECKING:
    from ice_explorer.beyond.interactions import Interactions
    from ice_explorer.beyond.two_way import TwoWay
    from ice_explorer.explanation import Explanation


def describe_interactions(explanation: Explanation, interactions: Interactions) -> messages.InteractionsBody:
    """Describe what is computed of interactions, the largest H² first."""
    labels = {feature.feature: feature.label for feature in explanation.values()}
    by_feature = {name: moved.joint for name, moved in interactions._moved.items()}
    features = [messages.JointBody(labels[name], joint.h2, joint.effect) for name, joint in by_feature.items()]
    pairs = [
        messages.PairJointBody(labels[first], labels[second], joint.h2, joint.effect)
        for (first, second), joint in interactions._joint.items()
    ]
    return messages.InteractionsBody(
        n_rows=len(interactions.row_positions),
        n_observations=explanation._n_observations,
        done=interactions._n_done,
        total=interactions._n_steps,
        features=sorted(features, key=lambda body: -body.h2),
        pairs=sorted(pairs, key=lambda body: -body.h2),
        additivity=[
            messages.AdditivityBody(labels[name], **vars(interactions.additivity(name))) for name in by_feature
        ],
    )


def describe_two_way(two: TwoWay) -> messages.TwoWayBody:
    """Describe the partial dependence on two features; nothing of it before all is computed."""
    if two._share_done < 1:
        return messages.TwoWayBody(two._share_done, None)
    rows = two.row_positions
    first, second = (
        messages.PairAxis(
            of.label, of.dtype_kind, axis.levels, list(axis.clock.changes), axis.grid, axis.observed[rows]
        )
        for of, axis in zip(
            (two.first, two.second), (display_axis(feature, places) for feature, places in two._axes), strict=True
        )
    )
    near = two.near.astype(np.uint32)
    return messages.TwoWayBody(
        1.0, messages.TwoWay(first, second, len(rows), two.n_observations, two.partial_dependence, near)
    )
