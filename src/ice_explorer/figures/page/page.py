"""A page of shapes and texts, independent of the file format.

Lengths are CSS px, 96 to the inch, from the upper left corner, so that letters have the same size
on paper whatever the width of the figure.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from ice_explorer.figures.page.lettering import elide, text_width

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

PX_PER_INCH: Final = 96.0
PX_PER_MM: Final = PX_PER_INCH / 25.4

SIZE: Final = 9.6  # 7.2 pt
SMALL: Final = 8.6  # 6.5 pt
TITLE: Final = 11.0

INK: Final = "#1a1a1a"
QUIET: Final = "#5f6368"
RULE: Final = "#e6e8ea"
HISTOGRAM: Final = "#b9bec4"

# Letters that XML cannot hold, escaped or not, and those that would break a line.
_FORBIDDEN: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ONE_LINE: Final = str.maketrans("\t\n\r", "   ")

Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True)
class Style:
    """How a shape is filled and stroked; None is not at all."""

    fill: str | None = None
    stroke: str | None = None
    width: float = 1.0
    dash: tuple[float, float] | None = None
    opacity: float = 1.0


@dataclass(frozen=True)
class Rect:
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float
    style: Style


@dataclass(frozen=True)
class Circle:
    """A dot."""

    x: float
    y: float
    radius: float
    style: Style


@dataclass(frozen=True)
class Path:
    """Points joined by straight strokes; NaN parts one stroke from the next."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    style: Style
    closed: bool = False


@dataclass(frozen=True)
class Words:
    """A text on its baseline, turned by an angle [degrees, clockwise]; `full` is what it was cut from."""

    text: str
    x: float
    y: float
    size: float
    fill: str
    anchor: Anchor
    bold: bool
    full: str
    angle: float = 0.0


@dataclass(frozen=True)
class Picture:
    """Pixels (height, width, 4) in a rectangle."""

    x: float
    y: float
    width: float
    height: float
    pixels: NDArray[np.uint8]


@dataclass(frozen=True)
class Group:
    """Marks that belong together, under a name, cut off at the edges of a box or not at all."""

    name: str
    marks: list[Mark] = field(default_factory=list)
    clip: Box | None = None


Mark: TypeAlias = Rect | Circle | Path | Words | Picture | Group


@dataclass(frozen=True)
class Box:
    """A rectangle on the page to draw into."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """From left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """From top to bottom."""
        return self.bottom - self.top


_BESIDE: Final = 0.5  # px by which a mark may miss its room


def is_within(low: float, high: float, places: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which places lie between two others on the page; those that are no number do not."""
    return np.asarray((places >= low - _BESIDE) & (places <= high + _BESIDE))


@dataclass(frozen=True)
class Axis:
    """A straight scale from values to px."""

    domain: tuple[float, float]
    span: tuple[float, float]

    def __call__(self, value: float) -> float:
        """Place of one value."""
        return float(self.many(np.array([value]))[0])

    def many(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Places of values."""
        (low, high), (start, stop) = self.domain, self.span
        return start + (values - low) / (high - low) * (stop - start)


class Page:
    """Marks put down one after the other, the later ones on top.

    Images have so many dots per inch, were the page printed at its own size; it is printed `scale` times as large.
    """

    def __init__(self, width: float, dpi: float, scale: float = 1.0) -> None:
        self.width = width
        self.height = 0.0
        self.dpi = dpi
        self.scale = scale
        self.marks: list[Mark] = []
        self._names: Counter[str] = Counter()
        self._here = self.marks

    @contextlib.contextmanager
    def group(self, name: str, clip: Box | None = None) -> Iterator[None]:
        """Put what is drawn meanwhile into a named group, and cut it off at the edges of a box."""
        self._names[name] += 1
        again = f"-{self._names[name]}" if self._names[name] > 1 else ""  # names stand for one group each
        group, outside = Group(name + again, clip=clip), self._here
        outside.append(group)
        self._here = group.marks
        try:
            yield
        finally:
            self._here = outside

    def add(self, mark: Mark) -> None:
        """Put down a mark."""
        self._here.append(mark)

    def line(self, x1: float, y1: float, x2: float, y2: float, style: Style) -> None:
        """Draw a straight line."""
        self.add(Path(np.array([x1, x2]), np.array([y1, y2]), style))

    def words(
        self,
        text: str,
        x: float,
        y: float,
        *,
        size: float = SIZE,
        fill: str = INK,
        anchor: Anchor = "start",
        bold: bool = False,
        within: float = math.inf,
        angle: float = 0.0,
        cut: str | None = None,
    ) -> float:
        """Set a text on the baseline y, cut to the width it has or as it was cut; return how wide it is."""
        full = printable(text)
        shown = elide(full, within, size, bold=bold) if cut is None else cut
        self.add(Words(shown, x, y, size, fill, anchor, bold, full, angle))
        return text_width(shown, size, bold=bold)


def printable(text: str) -> str:
    """Replace letters that no document can hold, and what would break a line."""
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text.translate(_ONE_LINE))
