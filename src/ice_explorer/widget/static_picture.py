"""The picture that a saved notebook keeps beside an explorer, for where there is no kernel."""

from __future__ import annotations

import base64
import json
import logging
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ice_explorer.figures.paper import Paper, paper_style, small_png_bytes
from ice_explorer.results.options import resolve_decay
from ice_explorer.scene.build import scene, with_surroundings
from ice_explorer.scene.provenance import provenance
from ice_explorer.widget.lifetime import registry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.scene.choices import ViewState
    from ice_explorer.tables.column import Name
    from ice_explorer.widget.work import Work

logger = logging.getLogger(__name__)

EXPLORER: Final = "application/vnd.ice-explorer+json"  # shown by the JupyterLab extension
_TARGET: Final = "ice-explorer.picture"  # of comms, as in `js/lab/src/saving.ts`
SECONDS_FOR_PICTURE: Final = 0.25  # that an explorer may appear later for the picture beside it
_LINES_OF_PICTURE: Final = 400
_LINES_OF_SLOW: Final = 100  # where a model predicts every point of every curve
_MARKED_OF_PICTURE: Final = 10
_WIDTH: Final = 180.0  # mm
_DPI: Final = 130.0
# Choices that need predictions of every point, where the model predicts them all.
_SLOW_TO_DRAW: Final = ("right", "compared", "classes", "ale")


def offer_pictures() -> None:
    """Let the JupyterLab extension request the picture of an explorer, as it does before a notebook is saved."""
    with suppress(ImportError):  # older kernels have no such package, nor this extension
        from comm import get_comm_manager

        get_comm_manager().register_target(_TARGET, _answer)


def _answer(connection: Any, message: dict[str, Any]) -> None:
    """Send the picture of an explorer as it is now, or None where there is none at hand."""

    def send(picture: str | None) -> None:
        connection.send({"picture": picture})

    explorer = registry().get(message["content"]["data"].get("model_id"))
    getattr(explorer, "_request_picture", lambda none: none(None))(send)


def draw_picture(
    work: Work, results: Mapping[Name, FeatureExplanation], state: ViewState, *, waits: bool = False
) -> str | None:
    """Draw the picture of a view; None where that fails, as an explorer must not fail for its picture.

    It `waits` for intervals that the view shows, or leaves them out where they are not at hand.
    """
    try:
        return picture(work.explanation(results), state, waits=waits)
    except Exception:
        logger.exception("There is no picture of the explorer.")
        return None


def picture(explanation: Explanation, state: ViewState, *, waits: bool = False) -> str:
    """The whole view as a small PNG in base 64, for where no explorer can live; of fewer lines than on the screen.

    Programs show PNG in a notebook that they do not trust. Intervals that are not at hand are left out unless it
    `waits` for them.
    """
    from ice_explorer.figures.view import view_figure

    state = replace(state, selection=state.selection[:_MARKED_OF_PICTURE])
    decay = resolve_decay(explanation.settings, state.decay)
    if not waits and explanation._unmeasured(decay):
        state = replace(state, ci=None)
    slow: tuple[str, ...] = _SLOW_TO_DRAW if explanation.method == "brute" else ()
    if slow and state.choice("coloring") == "driver":
        slow = (*slow, "coloring")
    left_out = (*slow, *_missing_parts(explanation, state))
    choices = {name: value for name, value in state.choices.items() if name not in left_out}
    if "fade" in left_out:
        choices["fade"] = "distance"
    most = min(state.max_lines, _LINES_OF_SLOW if slow else _LINES_OF_PICTURE)
    shown = with_surroundings(explanation, scene(explanation, replace(state, max_lines=most, choices=choices)))
    whole = replace(shown, state=replace(shown.state, choices=state.choices))
    origin = json.dumps(provenance(explanation, [whole], "x.save('view.svg')", left_out), default=str)
    with paper_style():
        figure = view_figure(shown, Paper(_WIDTH), with_ranking=True)
        return base64.b64encode(small_png_bytes(figure, _DPI, origin)).decode()


def _missing_parts(explanation: Explanation, state: ViewState) -> list[str]:
    """Return the names of the choices that show what is not at hand: models to fit, or features that act together."""
    opened = next((feature for feature in explanation.values() if feature.label == state.feature), None)
    joint, pair = state.besides.joint, state.choice("pair")
    is_missing = {
        "fade": state.fades_unlike and (opened is None or not opened._knows_unlike),
        "pair": bool(pair) and pair not in joint.known_pairs,
    }
    return [name for name, missing in is_missing.items() if missing]
