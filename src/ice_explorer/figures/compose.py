"""Where the panels of a view stand on the page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from ice_explorer.figures.curves_panel import draw_curves
from ice_explorer.figures.lettering import wrapped
from ice_explorer.figures.page import PX_PER_MM, QUIET, SMALL, Box, Page, printable
from ice_explorer.figures.ranking_panel import draw_ranking, ranking_height

if TYPE_CHECKING:
    from ice_explorer.figures.paper import Paper
    from ice_explorer.figures.view import Scene

_MARGIN: Final = 6.0
_GAP: Final = 26.0  # between two panels
_SIDE_BY_SIDE: Final = 460.0  # from this width on the panels stand beside each other
_LEADING: Final = 12.0  # from one line of the caption to the next
_MOST_ROWS_ABOVE: Final = 8  # of the ranking, where it stands above the curves


def compose(scene: Scene, paper: Paper, *, with_ranking: bool) -> Page:
    """Lay out a view.

    Parameters
    ----------
    scene : Scene
    paper : Paper
    with_ranking : bool
        False leaves the panel of the open feature alone.
    """
    page = Page(paper.width * PX_PER_MM / paper.scale, paper.dpi * paper.scale, paper.scale)
    left, top, right = _MARGIN, _MARGIN, page.width - _MARGIN
    ranking, decay = scene.ranking, scene.state.decay
    if not with_ranking:
        bottom = draw_curves(page, scene, Box(left, top, right, math.inf), title=paper.title)
    elif page.width >= _SIDE_BY_SIDE:
        middle = left + min(230.0, 0.34 * (right - left))
        bottom = draw_curves(page, scene, Box(middle + _GAP, top, right, math.inf), title=paper.title)
        bottom = max(bottom, draw_ranking(page, ranking, decay, Box(left, top, middle, bottom)))
    else:
        above = top + ranking_height(min(_MOST_ROWS_ABOVE, len(ranking.bars)))
        above = draw_ranking(page, ranking, decay, Box(left, top, right, above)) + 16
        bottom = draw_curves(page, scene, Box(left, above, right, math.inf), title=paper.title)
    if paper.caption is not False:
        usual = scene.description if with_ranking else scene.panel_description
        text = usual if paper.caption is True else paper.caption
        bottom = _draw_caption(page, text, Box(left, bottom, right, math.inf))
    page.height = bottom + _MARGIN
    return page


def _draw_caption(page: Page, text: str, box: Box) -> float:
    """Set a text in lines under everything else; return where it ends."""
    baseline = box.top + 6.0
    with page.group("caption"):
        for line in wrapped(printable(text), box.width, SMALL):
            baseline += _LEADING
            page.words(line, box.left, baseline, size=SMALL, fill=QUIET, within=box.width)
    return baseline + 2
