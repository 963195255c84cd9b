"""Figures as tests read them: artists by their group id, texts, and whether texts have their place."""

import itertools

from matplotlib.axes import Axes
from matplotlib.text import Text

from ice_explorer.figures.paper import Paper, paper_style
from ice_explorer.figures.view import view_figure
from ice_explorer.scene.build import scene, with_surroundings
from ice_explorer.scene.choices import ViewState


def view_of(explanation, *, with_ranking=True, width=180.0, title=True, **state):
    """Draw a view as `save` does."""
    shown = with_surroundings(explanation, scene(explanation, ViewState(**state)))
    with paper_style():
        figure = view_figure(shown, Paper(width, title=title), with_ranking=with_ranking)
        figure.draw_without_rendering()
    return figure


def by_gid(parent, gid):
    """Artists of a group id, in the order in which they were added."""
    return [artist for artist in parent.findobj() if artist.get_gid() == gid]


def texts(parent, gid=None):
    """Every text that shows, of one group id or of all."""
    found = parent.findobj(Text) if gid is None else [text for one in by_gid(parent, gid) for text in one.findobj(Text)]
    return [text.get_text() for text in found if text.get_visible() and text.get_text().strip()]


def assert_texts_have_their_place(figure):
    """No text leaves the figure or touches another; slanted ones are next to each other by construction."""
    page, left_out = figure.bbox, _not_drawn(figure)
    placed = [
        (text.get_text(), text.get_window_extent())
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and text.get_rotation() in (0, 90) and text not in left_out
    ]
    assert placed
    for words, box in placed:
        assert page.x0 - 1 <= box.x0 <= box.x1 <= page.x1 + 1, (words, box.extents, page.extents)
        assert page.y0 - 1 <= box.y0 <= box.y1 <= page.y1 + 1, (words, box.extents, page.extents)
    for (one, first), (other, second) in itertools.combinations(placed, 2):
        across = min(first.x1, second.x1) - max(first.x0, second.x0)
        down = min(first.y1, second.y1) - max(first.y0, second.y0)
        assert across <= 1 or down <= 0.2 * min(first.height, second.height), f"{one!r} touches {other!r}"


def _not_drawn(figure):
    """Labels of ticks beyond the limits of their axis, and of axes that are switched off."""
    found = set()
    for axes in figure.findobj(Axes):
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in axis.get_major_ticks() + axis.get_minor_ticks():
                if not axes.axison or not low <= tick.get_loc() <= high:
                    found |= {tick.label1, tick.label2}
    return found
