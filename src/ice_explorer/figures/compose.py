"""Layout of the panels of a view on a page."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypedDict

from ice_explorer.figures.curves_panel import draw_curves
from ice_explorer.figures.interactions_panel import draw_interactions
from ice_explorer.figures.page.lettering import wrapped
from ice_explorer.figures.page.page import PX_PER_MM, QUIET, SMALL, Box, Page, printable
from ice_explorer.figures.pair_panel import draw_pair
from ice_explorer.figures.ranking_panel import draw_ranking, ranking_height
from ice_explorer.figures.small_multiples import draw_classes, draw_compared, draw_features

if TYPE_CHECKING:
    from typing import Unpack

    from ice_explorer.figures.page.paper import Paper
    from ice_explorer.scene.scene import Scene

_MARGIN: Final = 6.0
_GAP: Final = 26.0  # between two panels
_SIDE_BY_SIDE: Final = 460.0  # from this width on the panels are side by side
_APART: Final = 14.0  # gap above the panels under the curves
_LEADING: Final = 12.0  # from one line of the caption to the next
_MOST_ROWS_ABOVE: Final = 8  # of the ranking, where it stands above the curves


class _Heading(TypedDict):
    """Heading above the curves."""

    title: bool | str
    sentence: str


def compose(scene: Scene, paper: Paper, *, with_ranking: bool) -> Page:
    """Lay out a view, or without the ranking the panel of the open feature alone."""
    page = Page(paper.width * PX_PER_MM / paper.scale, paper.dpi * paper.scale, paper.scale)
    left, top, right = _MARGIN, _MARGIN, page.width - _MARGIN
    sentence = f"{scene.average} {scene.rank}".rstrip() if with_ranking else scene.average
    heading: _Heading = {"title": paper.title, "sentence": sentence}
    if not with_ranking:
        bottom = _draw_open(page, scene, Box(left, top, right, math.inf), **heading)
    elif page.width >= _SIDE_BY_SIDE:
        middle = left + min(230.0, 0.34 * (right - left))
        bottom = _draw_right(page, scene, Box(middle + _GAP, top, right, math.inf), **heading)
        bottom = max(bottom, _draw_left(page, scene, Box(left, top, middle, bottom)))
    else:
        n_rows, has_intervals = min(_MOST_ROWS_ABOVE, len(scene.ranking.bars)), scene.ranking.level is not None
        above = top + ranking_height(n_rows, has_intervals=has_intervals)
        above = _draw_left(page, scene, Box(left, top, right, above)) + 16
        bottom = _draw_right(page, scene, Box(left, above, right, math.inf), **heading)
    if paper.caption is not False:
        usual = scene.description if with_ranking else scene.panel_description
        text = usual if paper.caption is True else paper.caption
        bottom = _draw_caption(page, text, Box(left, bottom, right, math.inf))
    page.height = bottom + _MARGIN
    return page


def _draw_left(page: Page, scene: Scene, box: Box) -> float:
    """Draw how the features stand to each other; return where that ends."""
    if scene.interactions is not None:
        return draw_interactions(page, scene.interactions, box)
    return draw_ranking(page, scene.ranking, scene.state.decay, box)


def _draw_right(page: Page, scene: Scene, box: Box, **heading: Unpack[_Heading]) -> float:
    """Draw what the features do, the open one or all of them; return where that ends."""
    if scene.features:
        return draw_features(page, scene, box, title=heading["title"])
    bottom = (draw_compared if scene.compared else _draw_open)(page, scene, box, **heading)
    if scene.classes:
        bottom = draw_classes(page, scene, replace(box, top=bottom + _APART))
    return bottom


def _draw_open(page: Page, scene: Scene, box: Box, **heading: Unpack[_Heading]) -> float:
    """Draw the curves of the open feature, or the heat map that takes their place; return where that ends."""
    if scene.pair is not None:
        return draw_pair(page, scene.pair, box, title=heading["title"])
    return draw_curves(page, scene, box, **heading)


def _draw_caption(page: Page, text: str, box: Box) -> float:
    """Set a text in lines under everything else; return where it ends."""
    baseline = box.top + 6.0
    with page.group("caption"):
        for line in wrapped(printable(text), box.width, SMALL):
            baseline += _LEADING
            page.words(line, box.left, baseline, size=SMALL, fill=QUIET, within=box.width)
    return baseline + 2
