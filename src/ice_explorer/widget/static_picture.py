"""The picture that a saved notebook keeps beside an explorer, for where none can live."""

from __future__ import annotations

import base64
import json
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from ice_explorer.errors import OptionError
from ice_explorer.figures.paper import Paper
from ice_explorer.results.options import resolve_display
from ice_explorer.scene.around import with_surroundings
from ice_explorer.scene.build import scene
from ice_explorer.scene.provenance import provenance
from ice_explorer.scene.view_state import ViewState

if TYPE_CHECKING:
    from collections.abc import Mapping

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
_MARKED_OF_PICTURE: Final = 10
_WIDTH: Final = 180.0  # mm
_DPI: Final = 130.0
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
        bundle["image/png"] = picture(work.explanation(results), drawn, waits=waits)
    except Exception:
        logger.exception("There is no picture beside the explorer.")


def picture(explanation: Explanation, view_state: ViewState | Mapping[str, Any], *, waits: bool = False) -> str:
    """The whole view as a small PNG in base 64, for where no explorer can live; of fewer lines than on the screen.

    Programs show PNG in a notebook that they do not trust. Intervals that are not at hand are left out unless it
    `waits` for them.
    """
    import matplotlib as mpl

    from ice_explorer.figures.view import view_figure
    from ice_explorer.figures.write_figure import small_png_bytes

    state = ViewState.of(view_state)
    state = replace(state, selection=state.selection[:_MARKED_OF_PICTURE])
    decay, convention = resolve_display(explanation.settings, state.decay, state.convention)
    if not waits and not explanation._has_intervals(decay, convention):
        state = replace(state, ci=None)
    slow = _slow_to_draw(state) if explanation.method == "brute" else ()
    left_out = (*slow, *_not_computed(state))
    choices = {name: value for name, value in state.choices.items() if name not in left_out}
    most = min(state.max_lines, _LINES_OF_SLOW if slow else _LINES_OF_PICTURE)
    shown = with_surroundings(explanation, scene(explanation, replace(state, max_lines=most, choices=choices)))
    whole = replace(shown, state=replace(shown.state, choices=state.choices))
    origin = json.dumps(provenance(explanation, [whole], "x.save('view.svg')", left_out), default=str)
    paper = Paper(_WIDTH)
    with mpl.rc_context(paper.style):
        figure = view_figure(shown, paper, with_ranking=True)
        return base64.b64encode(small_png_bytes(figure, _DPI, origin)).decode()


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
