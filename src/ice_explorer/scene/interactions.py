"""Interactions as a picture shows them: pairs and features by H²."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ice_explorer.errors.base import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.beyond.interactions import Joint
    from ice_explorer.explanation import Explanation
    from ice_explorer.scene.view_state import ViewState

_LEAST_SHARE: Final = 0.01  # of the SD of the predictions; of `js/src/panels/interactions/panel.ts`


@dataclass(frozen=True)
class Interaction:
    """A feature, or a pair; `is_tiny` where the effect is too small to matter."""

    name: str
    h2: float
    effect: float
    is_tiny: bool
    is_open: bool


@dataclass(frozen=True)
class InteractionsScene:
    """Pairs and features, the largest H² first; `basis` is what they were computed from."""

    pairs: tuple[Interaction, ...]
    features: tuple[Interaction, ...]
    basis: str


def interactions_scene(explanation: Explanation, state: ViewState) -> InteractionsScene | None:
    """Compute the interactions that a view shows; None where it shows none."""
    if state.choice("left") != "interactions":
        return None
    found = state.besides.joint.interactions(explanation)
    found._complete()
    labels = {feature.feature: feature.label for feature in explanation.values()}
    least = _LEAST_SHARE * explanation._context.prediction_sd

    def row(names: Sequence[str], joint: Joint, opened: Sequence[str]) -> Interaction:
        is_open = sorted(names) == sorted(opened)
        return Interaction(" × ".join(names), joint.h2, joint.effect, joint.effect < least, is_open)

    pairs = [row([labels[name] for name in names], of, state.choice("pair")) for names, of in found._joint.items()]
    features = [row([labels[name]], moved.joint, [state.feature]) for name, moved in found._moved.items()]
    n_rows, n = len(found.row_positions), explanation._n_observations
    rows = counted(n_rows, "row") if n_rows == n else f"{n_rows:,} of {counted(n, 'row')}"
    return InteractionsScene(_sorted(pairs), _sorted(features), f"From {rows}.")


def _sorted(rows: Sequence[Interaction]) -> tuple[Interaction, ...]:
    return tuple(sorted(rows, key=lambda row: (row.is_tiny, -row.h2)))
