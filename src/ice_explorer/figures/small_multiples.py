"""Rows of small pictures: features compared, every class of the open one, or all features in its place."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.features.number_text import column_format, plural
from ice_explorer.figures.curve_marks import draw_cased
from ice_explorer.figures.curves_panel import draw_sentence
from ice_explorer.figures.legend import MEAN, MOST_SELECTED, draw_key, draw_legend
from ice_explorer.figures.page.lettering import elide_apart, text_width
from ice_explorer.figures.page.page import (
    INK,
    PX_PER_INCH,
    QUIET,
    RULE,
    SMALL,
    TITLE,
    Axis,
    Box,
    Circle,
    Path,
    Picture,
    Style,
    printable,
)
from ice_explorer.figures.raster.lines import LineSet, draw_lines, line_strength
from ice_explorer.figures.small_panel import draw_small, foot_of, name_room
from ice_explorer.scene.palette import PICK, plain_palette

if TYPE_CHECKING:
    from ice_explorer.figures.page.page import Page
    from ice_explorer.scene.scene import ClassesShown, Scene

_GAP: Final = 14.0
_COMPARED_WIDTH: Final = 124.0  # at least
_COMPARED_HEIGHT: Final = 190.0  # without what is written under the axis
_TILE: Final = (122.0, 100.0)
_CLASS: Final = (84.0, 62.0)
_HEAD: Final = 20.0
_AIR: Final = 3.0


def _places(box: Box, top: float, count: int, size: tuple[float, float]) -> list[Box]:
    """Cut the width into boxes of one size, in as many rows as it takes."""
    least, height = size
    n_columns = min(count, max(1, int((box.width + _GAP) // (least + _GAP))))
    width = (box.width - _GAP * (n_columns - 1)) / n_columns
    return [
        Box(left, above, left + width, above + height)
        for row, column in (divmod(place, n_columns) for place in range(count))
        for left, above in [(box.left + column * (width + _GAP), top + row * (height + _GAP))]
    ]


def draw_compared(page: Page, scene: Scene, box: Box, *, title: bool | str = True, sentence: str = "") -> float:
    """Draw the open feature and those that it is compared with side by side; return where they end."""
    below = box.top
    if title is not False:
        below += TITLE
        room = box.width - text_width(scene.row_count, SMALL) - 12
        heading = scene.heading if title is True else title
        page.words(heading, box.left, below, size=TITLE, bold=True, within=room)
        page.words(scene.row_count, box.right, below, size=SMALL, fill=QUIET, anchor="end")
        below = draw_sentence(page, sentence, box, below + 4)
    places = _places(box, below + 10, len(scene.compared), (_COMPARED_WIDTH, _COMPARED_HEIGHT))
    foot = max(foot_of(small.lines, places[0].width) for small in scene.compared)
    places = _places(box, below + 10, len(scene.compared), (_COMPARED_WIDTH, _COMPARED_HEIGHT + foot))
    with page.group("compared"):
        for place, small in zip(places, scene.compared, strict=True):
            with page.group("compared-feature"):
                draw_small(page, small, place, is_open=small.lines.feature == scene.state.feature, foot=foot)
    below = draw_key(page, scene, box, places[-1].bottom + 15, None, is_small=True)
    return draw_legend(page, scene.coloring, box, below + 14) + 2


def draw_features(page: Page, scene: Scene, box: Box, *, title: bool | str = True) -> float:
    """Draw all features in small, in the order of the bars; return where they end."""
    bars, state = scene.ranking.bars, scene.state
    below = box.top
    if title is not False:
        below += TITLE
        page.words("All features" if title is True else title, box.left, below, size=TITLE, bold=True, within=box.width)
    below += 12
    drawn = max(len(small.lines.positions) for small in scene.features)
    page.words(_about(len(bars), len(scene.features), scene.ranking.title, drawn), box.left, below, size=SMALL,
               fill=QUIET, within=box.width)  # fmt: skip
    below = draw_legend(page, scene.features[0].coloring, box, below + 14, counts=False)
    places = _places(box, below + 10, len(scene.features), _TILE)
    write = scene.ranking.write
    figures = [f"{rank} · {write(bar.value)}" for rank, bar in enumerate(bars[: len(places)], 1)]
    room = min(name_room(places[0].width, figure) for figure in figures)
    opened = [at for at, bar in enumerate(bars[: len(places)]) if bar.label == state.feature]
    names = elide_apart([printable(small.lines.feature) for small in scene.features], room, SMALL, opened)
    with page.group("all-features"):
        for at, (place, small) in enumerate(zip(places, scene.features, strict=True)):
            with page.group("feature"):
                draw_small(page, small, place, figure=figures[at], is_open=at in opened, name=names[at])
    return places[-1].bottom


def _about(n: int, n_shown: int, metric: str, n_lines: int) -> str:
    some = plural(n, "feature") if n_shown == n else f"{n_shown:,} of {plural(n, 'feature')}"
    return f"{some} by {metric}, at most {plural(n_lines, 'curve')} each"


# --- classes --------------------------------------------------------------------------------------


def draw_classes(page: Page, shown: ClassesShown, box: Box, selection: tuple[int, ...]) -> float:
    """Draw the open feature for every class, on one value axis; return where they end."""
    found, below = shown.found, box.top + SMALL
    title = f"{shown.lines.feature} for every class"
    n_shown = len(found.outputs)
    more = f"the {n_shown} most probable of {found.n_outputs}" if n_shown < found.n_outputs else ""
    room = box.width - text_width(more, SMALL) - 12
    page.words(title, box.left, below, size=SMALL, bold=True, within=room)
    if more:
        page.words(more, box.right, below, size=SMALL, fill=QUIET, anchor="end")
    low, high = float(found.curves.min()), float(found.curves.max())
    domain = (low, high) if low < high else (low - 0.5, high + 0.5)
    write = column_format([max(map(abs, domain))])
    labels = [write(end) for end in domain]
    left = box.left + max(text_width(label, SMALL) for label in labels) + 5
    places = _places(Box(left, box.top, box.right, box.bottom), box.top + _HEAD, len(found.outputs), _CLASS)
    with page.group("classes"):
        for at, place in enumerate(places):
            _draw_class(page, shown, at, place, domain=domain, selection=selection)
            if place.left == places[0].left:  # the first of a row
                for label, edge in zip(labels, _edges(place), strict=True):
                    page.words(label, place.left - 4, edge + 3, size=SMALL, fill=QUIET, anchor="end")
    return places[-1].bottom


def _edges(place: Box) -> tuple[float, float]:
    """Positions of the lowest and the highest prediction of any class in a plot."""
    return place.bottom - _AIR, place.top + 12 + _AIR


def _draw_class(
    page: Page, shown: ClassesShown, at: int, place: Box, *, domain: tuple[float, float], selection: tuple[int, ...]
) -> None:
    found, lines = shown.found, shown.lines
    page.words(found.outputs[at], place.left, place.top + 8, size=SMALL, bold=at == found.explained, within=place.width)
    pixel = PX_PER_INCH / page.dpi
    edges = (place.left, place.top + 12, place.right, place.bottom)
    area = Box(*(round(edge / pixel) * pixel for edge in edges))
    x, y = Axis(lines.x_domain, (area.left, area.right)), Axis(domain, _edges(place))
    for edge in _edges(place):
        page.line(area.left, edge, area.right, edge, Style(stroke=RULE, width=0.7))
    curves, places, ratio = found.curves[at], x.many(lines.grid), 1 / pixel
    n_lines, n_grid = curves.shape
    on_levels = lines.axis.has_levels
    opacity = np.full((n_lines, max(0, n_grid - 1)), 0.4 if on_levels else 1.0, dtype=np.float32)
    pixels = draw_lines(
        LineSet(
            x=(places - area.left) * ratio,
            y=((y.many(curves) - area.top) * ratio).astype(np.float32),
            opacity=opacity,
            color=np.zeros(n_lines, dtype=np.float32),
        ),
        plain_palette(),
        width=math.floor(area.width * ratio + 0.5),
        height=math.floor(area.height * ratio + 0.5),
        thickness=ratio,
        strength=line_strength(n_lines),
    )
    with page.group("class"):
        page.add(Picture(area.left, area.top, area.width, area.height, pixels))
        chosen = np.flatnonzero(np.isin(lines.positions, selection)).tolist()
        for line in chosen if len(chosen) <= MOST_SELECTED else []:
            page.add(Path(places, y.many(curves[line]), Style(stroke=PICK, width=1.3)))
        mean = y.many(curves.mean(axis=0))
        draw_cased(page, places, mean, Style(stroke=INK, width=MEAN.width * 0.8))
        if on_levels:
            for across, height in zip(places.tolist(), mean.tolist(), strict=True):
                page.add(Circle(across, height, 1.8, Style(fill=INK)))
