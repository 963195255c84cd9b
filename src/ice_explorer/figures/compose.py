"""Where the panels of a view stand on the page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from ice_explorer.figures.curves_panel import draw_curves
from ice_explorer.figures.page import PX_PER_MM, Box, Page
from ice_explorer.figures.ranking_panel import draw_ranking, ranking_height

if TYPE_CHECKING:
    from ice_explorer.figures.view import Scene

_MARGIN: Final = 6.0
_GAP: Final = 26.0  # between two panels
_SIDE_BY_SIDE: Final = 460.0  # from this width on the panels stand beside each other
_MOST_ROWS_ABOVE: Final = 8  # of the ranking, where it stands above the curves


def compose(scene: Scene, *, with_ranking: bool, width: float, dpi: float) -> Page:
    """Lay out a view.

    Parameters
    ----------
    scene : Scene
    with_ranking : bool
        False leaves the panel of the open feature alone.
    width : float
        Of the page [mm]; its height follows from what is on it.
    dpi : float
        Of the lines where they are an image.
    """
    page = Page(width * PX_PER_MM, dpi)
    left, top, right = _MARGIN, _MARGIN, page.width - _MARGIN
    ranking, decay = scene.ranking, scene.state.decay
    if not with_ranking:
        bottom = draw_curves(page, scene, Box(left, top, right, math.inf))
    elif page.width >= _SIDE_BY_SIDE:
        middle = left + min(230.0, 0.34 * (right - left))
        bottom = draw_curves(page, scene, Box(middle + _GAP, top, right, math.inf))
        bottom = max(bottom, draw_ranking(page, ranking, decay, Box(left, top, middle, bottom)))
    else:
        above = top + ranking_height(min(_MOST_ROWS_ABOVE, len(ranking.bars)))
        above = draw_ranking(page, ranking, decay, Box(left, top, right, above)) + 16
        bottom = draw_curves(page, scene, Box(left, above, right, math.inf))
    page.height = bottom + _MARGIN
    return page
