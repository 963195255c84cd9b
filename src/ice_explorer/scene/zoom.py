"""The visible part of an axis: the twin of `js/src/geometry/zoom.ts`."""

from __future__ import annotations

from typing import Final, TypeAlias

Span: TypeAlias = tuple[float, float]

_LEAST_SHARE: Final = 1 / 500  # of the axis, that shows at least
_ROUNDING: Final = 1e-9  # a span that leaves out less than this share of the axis leaves out nothing


def held_to(span: Span, full: Span) -> Span:
    """Move and stretch a span as little as it takes to lie on the axis and to be wide enough to draw.

    Returns the ends of the axis itself where the span leaves out nothing.
    """
    room = full[1] - full[0]
    length = min(room, max(span[1] - span[0], room * _LEAST_SHARE))
    if length >= room * (1 - _ROUNDING):
        return full
    middle = (span[0] + span[1]) / 2
    start = min(max(middle - length / 2, full[0]), full[1] - length)
    return start, start + length
