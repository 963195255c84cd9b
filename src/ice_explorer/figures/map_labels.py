"""Positions of point labels without overlap: the twin of `js/src/geometry/labels.ts`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ice_explorer.figures.page.page import Box

if TYPE_CHECKING:
    from collections.abc import Sequence

_GAP: Final = 3.0  # between a point and its label


@dataclass(frozen=True)
class Labelled:
    """A point, and how wide its label is."""

    x: float
    y: float
    radius: float
    width: float


def label_boxes(point: Labelled, height: float, frame: Box) -> dict[str, Box]:
    """Return the room that a label takes on each side; above and below it moves aside to stay in the frame."""
    x, y, away, width = point.x, point.y, point.radius + _GAP, point.width
    left = max(frame.left, min(x - width / 2, frame.right - width))
    return {
        "right": Box(x + away, y - height / 2, x + away + width, y + height / 2),
        "left": Box(x - away - width, y - height / 2, x - away, y + height / 2),
        "above": Box(left, y - away - height, left + width, y - away),
        "below": Box(left, y + away, left + width, y + away + height),
    }


def place_labels(
    points: Sequence[Labelled], height: float, frame: Box, reserved: Sequence[Box], most: int
) -> list[str | None]:
    """Choose a side for each label, the first before the second, until so many stand; None where none is free.

    A label stays inside the frame and covers neither another one, nor another point, nor what is reserved.
    """
    discs = [Box(p.x - p.radius, p.y - p.radius, p.x + p.radius, p.y + p.radius) for p in points]
    placed, sides = list[Box](), list[str | None]()
    for index, point in enumerate(points):
        taken = [*reserved, *placed, *discs[:index], *discs[index + 1 :]]
        boxes = label_boxes(point, height, frame) if len(placed) < most else {}
        free = (side for side, box in boxes.items() if frame.holds(box) and not any(map(box.overlaps, taken)))
        side = next(free, None)
        if side is not None:
            placed.append(boxes[side])
        sides.append(side)
    return sides
