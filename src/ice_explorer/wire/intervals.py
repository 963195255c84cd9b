"""Intervals of the ranking as a reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.wire.messages import IntervalsBody

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.explanation import Explanation
    from ice_explorer.metrics.windows import Convention
    from ice_explorer.results.options import RankBy, Unit


def no_intervals(explanation: Explanation, n_features: int) -> tuple[IntervalsBody, list[bytes]]:
    """Return the reply for what has no intervals, such as disagreement."""
    n_known = len(explanation)
    return IntervalsBody(n_known=n_known, n_features=n_known, tied=[]), [np.full(n_features, np.nan).tobytes()] * 4


def intervals_of(
    explanation: Explanation,
    labels: Sequence[str],
    *,
    rank_by: RankBy,
    level: float,
    decay: float,
    convention: Convention,
    unit: Unit,
) -> tuple[IntervalsBody, list[bytes]]:
    """Intervals of a metric and of ranks, and which neighbours are tied.

    - `explanation`: the features that are explained so far.
    - `labels`: of all features, in the order of the header.
    """
    found = explanation._rank_intervals(rank_by, level, decay, convention, unit)
    place_of = {label: place for place, label in enumerate(labels)}
    places = [place_of[label] for label in explanation._labels]
    ends = np.full((4, len(labels)), np.nan)
    ends[:, places] = found.low, found.high, found.rank_low, found.rank_high
    body = IntervalsBody(
        n_known=len(places),
        n_features=len(places),
        tied=[(places[first], places[second]) for first, second in found.tied],
    )
    return body, [row.astype("<f8").tobytes() for row in ends]
