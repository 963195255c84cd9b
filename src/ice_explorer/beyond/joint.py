"""What an explorer has computed of several features, for as long as it explains the same output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ice_explorer.beyond.interactions import SAMPLE, Interactions

if TYPE_CHECKING:
    from ice_explorer.explanation import Explanation
    from ice_explorer.results.two_way import TwoWay
    from ice_explorer.tables.column import Name


class JointEffects:
    """Interactions and partial dependences on two features, as far as they are computed."""

    def __init__(self) -> None:
        self._interactions: Interactions | None = None
        self._features: list[Name] = []
        self._pairs: dict[tuple[Name, Name], TwoWay] = {}

    @property
    def whole_interactions(self) -> Interactions | None:
        """Interactions that are computed completely; None before."""
        known = self._interactions
        return known if known is not None and known._n_done == known._n_steps else None

    @property
    def whole_pairs(self) -> list[TwoWay]:
        """Pairs that are computed completely."""
        return [two for two in self._pairs.values() if two._share_done == 1]

    def interactions(self, explanation: Explanation) -> Interactions:
        """Return the interactions of all features that are explained, which may not be computed yet."""
        if self._interactions is None or self._features != explanation.features:
            self._features = explanation.features
            results = list(explanation.values())
            self._interactions = Interactions(explanation._context, results, SAMPLE, are_named=False)
        return self._interactions

    def complete_interactions(self, explanation: Explanation) -> Interactions:
        """Compute the interactions of all features that are explained."""
        interactions = self.interactions(explanation)
        while not interactions._advance():
            pass
        return interactions

    def knows(self, first: Name, second: Name) -> bool:
        """Whether the partial dependence on two features is computed completely."""
        return (first, second) in self._pairs and self._pairs[first, second]._share_done == 1

    def pair(self, explanation: Explanation, first: Name, second: Name) -> TwoWay:
        """Return the partial dependence on two features, which may not be computed yet."""
        if (first, second) not in self._pairs:
            self._pairs[first, second] = explanation.two_way(first, second)
        return self._pairs[first, second]
