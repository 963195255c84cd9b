"""The tables of an explorer while features complete: the bars first, then what the slider needs besides them."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.wire.header import Tables

if TYPE_CHECKING:
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.results.options import RankBy
    from ice_explorer.tables.column import Name
    from ice_explorer.widget.background import Snapshot
    from ice_explorer.widget.work import Work

# Tables of thousands of features keep the browser busy each time they come.
_BYTES_PER_SECOND: Final = 1_000_000
_MANY_AT_ONCE: Final = 100  # features, whose figures at all decays would keep the first ones waiting
_SHARE: Final = 0.125  # of the time between tables, for figures at all decays while features are computed
_SECONDS_AT_A_TIME: Final = 0.1  # for figures at all decays: what the browser sets waits so long


class FillingTables(Tables):
    """The tables of one explanation, filled in as its features complete.

    - `work`: what is explained.
    """

    def __init__(self, work: Work) -> None:
        models = work.choices["model"]
        self._work = work
        opened = models.index(work.shown.model) if models else 0
        super().__init__(len(work.names), max(1, len(models)), opened)
        self._seconds = len(self.traits["_profile"]) / _BYTES_PER_SECOND  # between two tables
        self._positions = {name: at for at, name in enumerate(work.names)}
        self._filled: dict[Name, FeatureExplanation] = {}
        self._without_profile: set[Name] = set()
        self._is_first = True
        self._next = -math.inf
        self.is_drafted = False  # whether new drafts were filled in

    @property
    def is_whole(self) -> bool:
        """Whether the figures of all features that were filled in are there at every decay."""
        return not self._without_profile

    def fill(self, snapshot: Snapshot, decay: float) -> bool | None:
        """Fill in what is new, drafts and many features at `decay` alone.

        Return whether the tables are to be sent: they are worth it, or the last ones came long ago; None where nothing
        is new.
        """
        known = snapshot.known
        new = {name for name, feature in known.items() if self._filled.get(name) is not feature}
        if not (self._is_first or new or self._without_profile):
            return None
        if not self._is_first and snapshot.state == "computing" and time.monotonic() < self._next:
            return False  # the browser is still busy with the tables that came before
        self.is_drafted = not new.isdisjoint(snapshot.drafts)
        self._filled |= {name: known[name] for name in new}
        if self.is_drafted or len(new) > _MANY_AT_ONCE:
            for name in new:
                self._enter_feature(name, decay)
            self._without_profile |= new
        else:
            share = _SHARE if snapshot.state == "computing" else 1.0
            until = time.monotonic() + min(self._seconds * share, _SECONDS_AT_A_TIME)
            for name in new or self._without_profile.copy():
                self._enter_feature(name, None)
                self._without_profile.discard(name)
                if not new and time.monotonic() > until:
                    break
        is_due = self._is_first or bool(new) or self.is_whole or time.monotonic() >= self._next
        if is_due and self._filled:  # else the first figures would have to wait
            self._next = time.monotonic() + self._seconds
        self._is_first = False
        return is_due

    def _enter_feature(self, name: Name, decay: float | None) -> None:
        features, disagreement = [self._filled[name]], None
        if self._work.choices["model"]:
            features, disagreement = self._work.by_models(name)
        self.enter(self._positions[name], features, disagreement, decay)

    def ranked(self, rank_by: RankBy, decay: float) -> list[Name]:
        """Return the features that are filled in, in the order of the bars."""
        figures = self.figures(rank_by, decay)
        names = [self._work.names[at] for at in np.argsort(-figures, kind="stable")]
        return [name for name in names if name in self._filled]
