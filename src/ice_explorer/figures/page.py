"""The page of an SVG figure: elements put down one after the other, in px from the upper left.

Lengths are CSS px, 96 to the inch, so that letters have the same size on the page whatever the
width of the figure. Everything that comes from the user goes through ElementTree, which escapes it.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal
from xml.etree import ElementTree as ET

import numpy as np

from ice_explorer.figures.lettering import elide, text_width

if TYPE_CHECKING:
    from numpy.typing import NDArray

PX_PER_MM: Final = 96 / 25.4
FONT: Final = "Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif"
SIZE: Final = 9.6  # 7.2 pt
SMALL: Final = 8.6  # 6.5 pt
TITLE: Final = 11.0

INK: Final = "#1a1a1a"
QUIET: Final = "#5f6368"
RULE: Final = "#e6e8ea"

# Letters that XML cannot hold, escaped or not.
_FORBIDDEN: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ONE_LINE: Final = str.maketrans("\t\n\r", "   ")

Anchor = Literal["start", "middle", "end"]
Weight = Literal["normal", "bold"]


@dataclass(frozen=True)
class Box:
    """A rectangle on the page."""

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
    """Elements of the document, put down one after the other."""

    def __init__(self, width: float) -> None:
        self.width = width
        self.root = ET.Element("svg")
        self._here = [self.root]

    def add(self, tag: str, **attributes: str | float) -> ET.Element:
        """Append an element; underscores of attribute names stand for hyphens."""
        written = {
            name.rstrip("_").replace("_", "-"): value if isinstance(value, str) else px(value)
            for name, value in attributes.items()
        }
        return ET.SubElement(self._here[-1], tag, written)

    def open(self, **attributes: str | float) -> None:
        """Begin a group."""
        self._here.append(self.add("g", **attributes))

    def close(self) -> None:
        """End the group begun last."""
        self._here.pop()

    def words(
        self,
        text: str,
        x: float,
        y: float,
        *,
        size: float = SIZE,
        fill: str = INK,
        anchor: Anchor = "start",
        weight: Weight = "normal",
        within: float = math.inf,
    ) -> float:
        """Set a text on the baseline y, cut to the width it has; return how wide it is."""
        text = printable(text)
        bold = weight == "bold"
        shown = elide(text, within, size, bold=bold) if within < math.inf else text
        place = {"x": x, "y": y, "font_size": size}
        element = self.add("text", **place, fill=fill, text_anchor=anchor, font_weight=weight)
        element.text = shown
        if shown != text:
            ET.SubElement(element, "title").text = text
        return text_width(shown, size, bold=bold)

    def finish(self, height: float, title: str, description: str, provenance: str) -> bytes:
        """Close the document at a height and write it out."""
        root = ET.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "xmlns:xlink": "http://www.w3.org/1999/xlink",
                "width": f"{px(self.width / PX_PER_MM)}mm",
                "height": f"{px(height / PX_PER_MM)}mm",
                "viewBox": f"0 0 {px(self.width)} {px(height)}",
                "font-family": FONT,
                "role": "img",
                "style": "font-variant-numeric:tabular-nums",
            },
        )
        for tag, text in (("title", title), ("desc", description), ("metadata", provenance)):
            ET.SubElement(root, tag).text = printable(text)
        ET.SubElement(root, "rect", {"width": "100%", "height": "100%", "fill": "#ffffff"})
        root.extend(self.root)
        ET.indent(root, " ")
        document: str = ET.tostring(root, encoding="unicode")
        return b'<?xml version="1.0" encoding="UTF-8"?>\n' + document.encode()


def printable(text: str) -> str:
    """Replace letters that XML cannot hold, and what would break a line."""
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text.translate(_ONE_LINE))


def px(value: float) -> str:
    """Write a length: hundredths of a px, without trailing zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value != 0 else "0"


def path(x: NDArray[np.float64], y: NDArray[np.float64]) -> str:
    """Points joined by straight strokes."""
    return "M" + "L".join(f"{px(a)},{px(b)}" for a, b in zip(x.tolist(), y.tolist(), strict=True))
