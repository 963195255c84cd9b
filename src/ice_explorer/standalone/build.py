"""Build a standalone page from an explanation and a view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ice_explorer.scene.build import scene
from ice_explorer.scene.provenance import provenance
from ice_explorer.scene.view_state import chosen
from ice_explorer.standalone.answers import snapshot
from ice_explorer.standalone.page import page
from ice_explorer.wire.arrays import check_sendable

if TYPE_CHECKING:
    from ice_explorer.explanation import Explanation
    from ice_explorer.scene.view_state import ViewState


def frozen_page(
    explanation: Explanation,
    state: ViewState,
    call: str,
    *,
    title: bool | str = True,
    in_cell: bool = False,
) -> bytes:
    """Write an explorer as an HTML page that needs no kernel.

    `state` is what the page shows when it opens, `call` the call that writes it. There is no heading in the output of a
    cell, nor where `title` is False.
    """
    for feature in explanation.values():
        check_sendable(feature)
    shown = scene(explanation, state)
    origin = provenance(explanation, [shown], call, holds_target=shown.state.besides.target is not None)
    content = snapshot(explanation, shown.state, origin["code"])
    # A page follows all that was chosen, and leaves no line out: it can be chosen otherwise.
    origin |= {"rows_drawn": content.n_lines, "view": chosen(state.choices), "not_drawn": []}
    words = title if isinstance(title, str) else f"ICE of the {explanation.output_label}"
    return page(content, origin, title=words, heading=title is not False and not in_cell, in_cell=in_cell)
