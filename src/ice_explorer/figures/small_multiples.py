"""Rows of small plots: features compared, every class of the open one, or all features in its place."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ice_explorer.errors.base import counted
from ice_explorer.figures.curves_panel import SMALL_SIZE, draw_heading, draw_plot
from ice_explorer.figures.legend import draw_key, draw_legend
from ice_explorer.figures.page.lettering import elide_apart, text_width, wrapped
from ice_explorer.figures.page.page import QUIET, SMALL, TITLE, Box, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.figures.page.page import Page
    from ice_explorer.scene.scene import Scene, Small

NO_SLOPES: Final = "Levels without an order have no slopes."

_GAP: Final = 14.0
_HEAD: Final = 16.0
# Least width and height of a plot.
_COMPARED: Final = (124.0, 150.0)
_FEATURE: Final = (122.0, 58.0)
_CLASS: Final = (84.0, 50.0)


def draw_compared(page: Page, scene: Scene, box: Box, *, title: bool | str = True, sentence: str = "") -> float:
    """Draw the open feature and those that it is compared with side by side; return where they end."""
    below = draw_heading(page, scene, box, title=title, sentence=sentence) + 10
    with page.group("compared"):
        below = _draw_smalls(page, scene.compared, replace(box, top=below), _COMPARED, "compared-feature")
    below = draw_key(page, scene, box, below + 15, is_small=True)
    return draw_legend(page, scene.coloring, box, below + 14) + 2


def draw_features(page: Page, scene: Scene, box: Box, *, title: bool | str = True) -> float:
    """Draw all features in small, in the order of the bars; return where they end."""
    n, smalls, below = len(scene.ranking.bars), scene.features, box.top
    if title is not False:
        below += TITLE
        page.words("All features" if title is True else title, box.left, below, size=TITLE, bold=True, within=box.width)
    some = counted(n, "feature") if len(smalls) == n else f"{len(smalls):,} of {counted(n, 'feature')}"
    n_lines = max(len(small.lines.positions) for small in smalls)
    text = f"{some} by {scene.ranking.title}, at most {counted(n_lines, 'curve')} each"
    page.words(text, box.left, below + 12, size=SMALL, fill=QUIET, within=box.width)
    below = draw_legend(page, smalls[0].coloring, box, below + 26, counts=False)
    with page.group("all-features"):
        return _draw_smalls(page, smalls, replace(box, top=below + 10), _FEATURE, "feature")


def draw_classes(page: Page, scene: Scene, box: Box) -> float:
    """Draw the open feature for every class, on one value axis; return where they end."""
    n_shown, below = len(scene.classes), box.top + SMALL
    more = f"the {n_shown} most probable of {scene.n_classes}" if n_shown < scene.n_classes else ""
    page.words(more, box.right, below, size=SMALL, fill=QUIET, anchor="end")
    room = box.width - text_width(more, SMALL) - 12
    page.words(f"{scene.lines.feature} for every class", box.left, below, size=SMALL, bold=True, within=room)
    with page.group("classes"):
        return _draw_smalls(page, scene.classes, replace(box, top=below + 12), _CLASS, "class")


def _draw_smalls(page: Page, smalls: Sequence[Small], box: Box, size: tuple[float, float], group: str) -> float:
    """Draw plots of one size in as many rows as it takes; return where they end."""
    least, height = size
    n_columns = min(len(smalls), max(1, int((box.width + _GAP) // (least + _GAP))))
    width = (box.width - _GAP * (n_columns - 1)) / n_columns
    room = min(width - text_width(small.note, SMALL) - (8 if small.note else 0) for small in smalls)
    opened = [at for at, small in enumerate(smalls) if small.is_open]
    names = elide_apart([printable(small.title) for small in smalls], room, SMALL, opened)
    ends = [box.top - _GAP]  # of each plot of this row and of those above
    for at, (small, name) in enumerate(zip(smalls, names, strict=True)):
        if at % n_columns == 0:
            top = max(ends) + _GAP
        left = box.left + at % n_columns * (width + _GAP)
        with page.group(group):
            page.words(small.title, left, top + 8, size=SMALL, bold=small.is_open, cut=name)
            if small.note:
                page.words(small.note, left + width, top + 8, size=SMALL, fill=QUIET, anchor="end")
            place = Box(left, top + _HEAD, left + width, box.bottom)
            ends.append(_draw_small(page, small, place, height, has_titles=size is _COMPARED))
    return max(ends)


def _draw_small(page: Page, small: Small, box: Box, height: float, *, has_titles: bool) -> float:
    """Draw a plot under its name, with the titles of its axes or without."""
    lines = small.lines
    if lines.remark is not None:  # another kind than that of the others
        for row, text in enumerate(wrapped(NO_SLOPES, box.width, SMALL)):
            page.words(text, box.left, box.top + height / 2 + 11 * row, size=SMALL, fill=QUIET, within=box.width)
        return box.top + height
    if has_titles:
        page.words(lines.y_title, box.left, box.top + 4, size=SMALL, fill=QUIET, within=box.width)
        box = replace(box, top=box.top + 12)
    return draw_plot(page, lines, small.coloring, box, height, size=SMALL_SIZE, has_title=has_titles)
