"""The picture that a saved notebook keeps beside an explorer, for where none can live."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from ice_explorer.errors import InvalidOptionError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.tables.column import Name
    from ice_explorer.widget.background import Background, Snapshot
    from ice_explorer.widget.session import Work

logger = logging.getLogger(__name__)

_SECONDS_FOR_PICTURE: Final = 0.25  # that an explorer may appear later for the picture beside it
_SECONDS_TO_TELL: Final = 0.08  # after which it is known whether it is worth so many


def check_static_picture(got: object) -> bool | Literal["wait"]:
    """Check whether there is a picture beside an explorer, or one that is worth waiting for."""
    if isinstance(got, str) and got == "wait":
        return "wait"
    if not isinstance(got, (bool, np.bool_)):
        raise InvalidOptionError.must("static_picture", "be True, False or 'wait'", got, "Leave it out for True.")
    return bool(got)


def wait_a_moment(work: Work, background: Background[Name, FeatureExplanation]) -> Snapshot[Name, FeatureExplanation]:
    """Wait for a result that is there soon, not for one that takes twice as long as there is time."""
    snapshot = background.wait(_SECONDS_TO_TELL)
    takes_long = work.share_done < _SECONDS_TO_TELL / (2 * _SECONDS_FOR_PICTURE)
    return snapshot if takes_long else background.wait(_SECONDS_FOR_PICTURE - _SECONDS_TO_TELL)


def add_picture(
    bundle: dict[str, Any],
    work: Work,
    results: Mapping[Name, FeatureExplanation],
    drawn: Mapping[str, Any],
    *,
    waits: bool,
) -> None:
    """Add the picture of a view to what a notebook keeps; where it cannot be drawn, the explorer stands alone.

    It `waits` for intervals that the view shows, or leaves them out where they are not at hand.
    """
    from ice_explorer.export import save as export

    try:
        bundle["image/svg+xml"] = export.picture(work.explanation(results), drawn, waits=waits)
    except Exception:
        logger.exception("There is no picture beside the explorer.")
