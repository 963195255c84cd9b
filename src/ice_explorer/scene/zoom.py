"""The visible part of the axes: the twin of `js/src/geometry/zoom.ts`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

Span: TypeAlias = tuple[float, float]

_LEAST_SHARE: Final = 1 / 500  # of the axis, that shows at least
_ROUNDING: Final = 1e-9  # a span that leaves out less than this share of the axis leaves out nothing


@dataclass(frozen=True)
class Window:
    """Ends of both axes, and which of them are not those of the whole axis."""

    x: Span
    y: Span
    cuts_x: bool
    cuts_y: bool


def is_whole(span: Span, full: Span) -> bool:
    """Return whether a span covers the whole axis."""
    return span[1] - span[0] >= (full[1] - full[0]) * (1 - _ROUNDING)


def held_to(span: Span, full: Span) -> Span:
    """Move and stretch a span as little as it takes to lie on the axis and to be wide enough to draw."""
    room = full[1] - full[0]
    length = min(room, max(span[1] - span[0], room * _LEAST_SHARE))
    if length >= room * (1 - _ROUNDING):
        return full
    middle = (span[0] + span[1]) / 2
    start = min(max(middle - length / 2, full[0]), full[1] - length)
    return start, start + length


def window_within(x: Span, y: Span, full_x: Span, full_y: Span) -> Window | None:
    """Hold a window to the whole axes; None where it leaves out nothing."""
    held_x, held_y = held_to(x, full_x), held_to(y, full_y)
    window = Window(held_x, held_y, not is_whole(held_x, full_x), not is_whole(held_y, full_y))
    return window if window.cuts_x or window.cuts_y else None
