"""The picture that a saved notebook keeps beside an explorer, for where none can live."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from ice_explorer.errors import OptionError
from ice_explorer.figures.compose import compose
from ice_explorer.figures.page.paper import Paper
from ice_explorer.figures.page.svg import svg_page
from ice_explorer.results.options import resolve_display
from ice_explorer.scene.around import with_surroundings
from ice_explorer.scene.build import scene
from ice_explorer.scene.provenance import provenance
from ice_explorer.scene.view_state import AROUND, ViewState

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.tables.column import Name
    from ice_explorer.widget.background import Background, Snapshot
    from ice_explorer.widget.session import Work

logger = logging.getLogger(__name__)

_SECONDS_FOR_PICTURE: Final = 0.25  # that an explorer may appear later for the picture beside it
_SECONDS_TO_TELL: Final = 0.08  # after which it is known whether it is worth so many
_LINES_OF_PICTURE: Final = 400
_LINES_OF_SLOW: Final = 100  # where a model predicts every point of every curve
_FEWEST_LINES: Final = 30  # where it would be larger than this [letters]
_LARGEST_PICTURE: Final = 400_000
_MARKED_OF_PICTURE: Final = 10
_WIDTH: Final = 180.0  # mm
_DPI: Final = 120.0
_FITTED: Final = ("unlike",)  # fits models, which a cell does not wait for
# Choices that need predictions of every point, where the model predicts them all.
_SLOW_TO_DRAW: Final = ("right", "compared", "classes", "ale", "m_plot")


def check_static_picture(got: object) -> bool | Literal["wait"]:
    """Check whether there is a picture beside an explorer, or one that is worth waiting for."""
    if isinstance(got, str) and got == "wait":
        return "wait"
    if not isinstance(got, (bool, np.bool_)):
        raise OptionError.must("static_picture", "be True, False or 'wait'", got, "Leave it out for True.")
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
    try:
        bundle["image/svg+xml"] = picture(work.explanation(results), drawn, waits=waits)
    except Exception:
        logger.exception("There is no picture beside the explorer.")


def picture(explanation: Explanation, view_state: ViewState | Mapping[str, Any], *, waits: bool = False) -> str:
    """The whole view as a small SVG document, for where no explorer can live; of fewer lines than on the screen.

    Intervals that are not at hand are left out unless it `waits` for them.
    """
    state = ViewState.of(view_state)
    state = replace(state, selection=state.selection[:_MARKED_OF_PICTURE])
    decay, convention = resolve_display(explanation.settings, state.decay, state.convention)
    if not waits and not explanation._has_intervals(decay, convention):
        state = replace(state, ci=None)
    slow = _slow_to_draw(state) if explanation.method == "brute" else ()
    unknown = _not_computed(state)
    text = _picture_of(explanation, state, _LINES_OF_SLOW if slow else _LINES_OF_PICTURE, (*slow, *unknown))
    for left_out in (slow, AROUND):  # strokes with many points, and then many features
        if len(text) > _LARGEST_PICTURE:
            text = _picture_of(explanation, state, _FEWEST_LINES, (*left_out, *unknown))
    return text


def _slow_to_draw(state: ViewState) -> tuple[str, ...]:
    """Return the names of the choices that need many more predictions."""
    return (*_SLOW_TO_DRAW, *(["coloring"] if state.choice("coloring") in ("driver", "together") else []))


def _not_computed(state: ViewState) -> list[str]:
    """Return the names of the choices that show what is not at hand: models to fit, or features that act together."""
    joint, pair = state.besides.joint, state.choice("pair")
    is_missing = {
        "left": state.choice("left") == "interactions" and joint.whole_interactions is None,
        "pair": bool(pair) and not joint.knows(*pair),
    }
    return [*_FITTED, *(name for name, missing in is_missing.items() if missing)]


def _picture_of(explanation: Explanation, state: ViewState, most: int, left_out: Collection[str]) -> str:
    """Draw a view with so many lines at most, without some of what a reader chose."""
    choices = {name: value for name, value in state.choices.items() if name not in left_out}
    few = replace(state, max_lines=min(state.max_lines, most), choices=choices)
    shown = with_surroundings(explanation, scene(explanation, few))
    page = compose(shown, Paper(_WIDTH, dpi=_DPI), with_ranking=True)
    whole = replace(shown, state=replace(shown.state, choices=state.choices))
    origin = provenance(explanation, [whole], "x.save('view.svg')", left_out)
    document = svg_page(page, shown.heading, shown.description, json.dumps(origin, default=str), compact=True)
    return document.decode()
