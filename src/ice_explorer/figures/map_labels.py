"""Positions of point labels without overlap: the twin of `js/src/geometry/labels.ts`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from ice_explorer.figures.page.page import Box

if TYPE_CHECKING:
    from collections.abc import Sequence

Side = Literal["right", "left", "above", "below"]

_SIDES: Final[tuple[Side, ...]] = ("right", "left", "above", "below")
_GAP: Final = 3.0  # between a point and its label


@dataclass(frozen=True)
class Labelled:
    """A point, and how wide its label is."""

    x: float
    y: float
    radius: float
    width: float


def label_box(point: Labelled, side: Side, height: float, frame: Box) -> Box:
    """Return the room that a label takes; above and below its point it moves aside to stay in the frame."""
    away, width = point.radius + _GAP, point.width
    left = max(frame.left, min(point.x - width / 2, frame.right - width))
    match side:
        case "right":
            return Box(point.x + away, point.y - height / 2, point.x + away + width, point.y + height / 2)
        case "left":
            return Box(point.x - away - width, point.y - height / 2, point.x - away, point.y + height / 2)
        case "above":
            return Box(left, point.y - away - height, left + width, point.y - away)
        case "below":
            return Box(left, point.y + away, left + width, point.y + away + height)


def place_labels(
    points: Sequence[Labelled], height: float, frame: Box, reserved: Sequence[Box], most: int
) -> list[Side | None]:
    """Choose a side for each label, the first before the second, until so many stand; None where none is free.

    A label stays inside the frame and covers neither another one, nor another point, nor what is reserved.
    """
    taken, sides = list(reserved), list[Side | None]()
    discs = [Box(p.x - p.radius, p.y - p.radius, p.x + p.radius, p.y + p.radius) for p in points]
    for index, point in enumerate(points):
        others = [*taken, *discs[:index], *discs[index + 1 :]]
        free = (
            side for side in _SIDES if len(taken) - len(reserved) < most
            and _is_inside(box := label_box(point, side, height, frame), frame)
            and not any(_overlap(box, other) for other in others)
        )  # fmt: skip
        side = next(free, None)
        if side is not None:
            taken.append(label_box(point, side, height, frame))
        sides.append(side)
    return sides


def _is_inside(box: Box, frame: Box) -> bool:
    across = box.left >= frame.left and box.right <= frame.right
    return across and box.top >= frame.top and box.bottom <= frame.bottom


def _overlap(one: Box, other: Box) -> bool:
    across = one.left < other.right and other.left < one.right
    return across and one.top < other.bottom and other.top < one.bottom
