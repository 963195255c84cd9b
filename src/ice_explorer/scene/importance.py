"""A measure of importance beside impact, as the map shows it: shares, correlations and the largest difference."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.beyond.measuring import of_hundred, pearson_and_rank
from ice_explorer.glossary import explanation as explained

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ice_explorer.beyond.measuring import Measuring
    from ice_explorer.explanation import Explanation
    from ice_explorer.scene.view_state import ViewState

_FEWEST: Final = 3  # features, from which on correlations say something; of `js/src/panels/map/shares.ts`


@dataclass(frozen=True)
class Importance:
    """Shares of impact and of another measure.

    Attributes
    ----------
    impact_title, title : str
        Names of the two figures.
    impact, importance : mapping of str to float
        Shares by feature, each with sum 100; empty where `sentence` says what is missing.
    sentence : str
        Correlations and the largest difference.
    """

    impact_title: str
    title: str
    impact: Mapping[str, float]
    importance: Mapping[str, float]
    sentence: str


def importance_of(
    explanation: Explanation, impact_title: str, figures: Mapping[str, float], state: ViewState
) -> Importance | None:
    """Compute the importance that the map of a view shows beside figures of impact; None where it shows none.

    LOCO fits the model many times, so it is only shown where it was computed before.
    """
    measure = state.choice("map_y")
    if state.choice("left") != "map" or measure == "non_linearity":
        return None
    measuring = state.besides.joint.importance(explanation, measure)
    if measure != "loco":
        measuring.complete()
    title = title_of(measuring)
    if (shares := measuring.shares) is None:
        return Importance(impact_title, title, {}, {}, measuring.problem or f"{title} was not computed.")
    by_label = dict(zip(explanation._labels, shares.tolist(), strict=True))
    impact = of_hundred(np.array(list(figures.values()), np.float64))
    known = {
        label: (share, by_label[label])
        for label, share in zip(figures, impact.tolist(), strict=True)
        if math.isfinite(share) and math.isfinite(by_label[label])
    }
    found = Importance(
        impact_title,
        title,
        {label: share for label, (share, _) in known.items()},
        {label: share for label, (_, share) in known.items()},
        "",
    )
    return Importance(impact_title, title, found.impact, found.importance, _sentence(found))


def title_of(measuring: Measuring) -> str:
    """Return the name of a measure."""
    return explained(f"importance_{'coefficients' if measuring.are_coefficients else measuring.measure}").name


def _sentence(found: Importance) -> str:
    """Write correlations and the largest difference; the twin is in `js/src/panels/map/shares.ts`."""
    if not found.impact:
        return ""
    one, other = (np.array(list(shares.values())) for shares in (found.impact, found.importance))
    pearson, rank = pearson_and_rank(one, other) if len(one) >= _FEWEST else (math.nan, math.nan)
    correlations = f"Correlation with {found.impact_title}: Pearson {_signed(pearson)}, rank {_signed(rank)}. "
    largest = max(found.impact, key=lambda label: abs(found.impact[label] - found.importance[label]))
    difference = (
        f"Largest difference: {largest}, {found.impact[largest]:.1f}\u00a0% of {found.impact_title}, "
        f"{found.importance[largest]:.1f}\u00a0% of {found.title}."
    )
    return difference if math.isnan(pearson) else correlations + difference


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("-", "\u2212")
