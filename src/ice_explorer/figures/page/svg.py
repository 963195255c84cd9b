"""A page as an SVG document: text is text, shapes are shapes, what the user named is escaped."""

from __future__ import annotations

import base64
from itertools import groupby
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from ice_explorer.figures.page.page import (
    PX_PER_MM,
    Circle,
    Group,
    Page,
    Path,
    Picture,
    Rect,
    Words,
    printable,
)
from ice_explorer.figures.raster.png import png_bytes

if TYPE_CHECKING:
    from ice_explorer.figures.page.page import Mark, Style

_FONT: Final = "Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif"


def svg_page(page: Page, title: str, description: str, provenance: str, *, compact: bool = False) -> bytes:
    """Write a page as a UTF-8 SVG document that needs no other file, with the provenance in its metadata.

    `compact` saves bytes: no indentation, and circles that look alike have their style in common.
    """
    width, height = _px(page.width), _px(page.height)
    root = ET.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "xmlns:xlink": "http://www.w3.org/1999/xlink",  # what print programs read images by
            "width": f"{_px(page.scale * page.width / PX_PER_MM)}mm",
            "height": f"{_px(page.scale * page.height / PX_PER_MM)}mm",
            "viewBox": f"0 0 {width} {height}",
            "font-family": _FONT,
            "role": "img",
            "stroke-linejoin": "round",
            "style": "font-variant-numeric:tabular-nums",
        },
    )
    for tag, text in (("title", title), ("desc", description), ("metadata", provenance)):
        ET.SubElement(root, tag).text = printable(text)
    ET.SubElement(root, "rect", {"width": width, "height": height, "fill": "#ffffff"})
    for mark in page.marks:
        _write(mark, root)
    if compact:
        _share_styles(root)
    else:
        ET.indent(root, " ")
    document: str = ET.tostring(root, encoding="unicode")
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + document.encode()


def _share_styles(root: ET.Element) -> None:
    """Move the fill of circles that follow each other and look alike to a group of their own."""
    for parent in list(root.iter()):
        children = list(parent)
        for style, alike in groupby(children, lambda child: (child.tag, child.get("fill"), child.get("opacity"))):
            circles = list(alike)
            if style[0] != "circle" or len(circles) == 1 or any(one.get("stroke") for one in circles):
                continue
            group = ET.Element("g", {"fill": style[1] or "none", "fill-opacity": style[2] or "1"})
            parent.insert(list(parent).index(circles[0]), group)
            for circle in circles:
                parent.remove(circle)
                del circle.attrib["fill"]
                circle.attrib.pop("opacity", None)
                group.append(circle)


def _write(mark: Mark, parent: ET.Element) -> None:
    """Append a mark to an element."""
    match mark:
        case Group():
            _write_group(mark, parent)
        case Rect():
            ET.SubElement(parent, "rect", _place(mark) | _styled(mark.style))
        case Circle():
            place = {"cx": _px(mark.x), "cy": _px(mark.y), "r": _px(mark.radius)}
            ET.SubElement(parent, "circle", place | _styled(mark.style))
        case Path():
            ET.SubElement(parent, "path", {"d": _joined(mark)} | _styled(mark.style))
        case Words():
            _write_words(mark, parent)
        case Picture():
            link = "data:image/png;base64," + base64.b64encode(png_bytes(mark.pixels)).decode()
            ET.SubElement(parent, "image", _place(mark) | {"preserveAspectRatio": "none", "xlink:href": link})


def _write_group(mark: Group, parent: ET.Element) -> None:
    attributes = {"id": mark.name}
    if mark.clip is not None:
        name, clip = f"within-{mark.name}", mark.clip
        within = ET.SubElement(parent, "clipPath", {"id": name})
        size = {"width": _px(clip.width), "height": _px(clip.height)}
        ET.SubElement(within, "rect", {"x": _px(clip.left), "y": _px(clip.top)} | size)
        attributes["clip-path"] = f"url(#{name})"
    group = ET.SubElement(parent, "g", attributes)
    for inner in mark.marks:
        _write(inner, group)


def _px(value: float) -> str:
    """Write a length: hundredths of a px, without trailing zeros."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _place(mark: Rect | Picture) -> dict[str, str]:
    return {"x": _px(mark.x), "y": _px(mark.y), "width": _px(mark.width), "height": _px(mark.height)}


def _styled(style: Style) -> dict[str, str]:
    attributes = {"fill": style.fill or "none"}
    if style.stroke is not None:
        attributes |= {"stroke": style.stroke, "stroke-width": _px(style.width)}
    if style.dash is not None:
        attributes["stroke-dasharray"] = " ".join(map(_px, style.dash))
    if style.opacity < 1:
        attributes["opacity"] = f"{style.opacity:.3g}"
    return attributes


def _joined(mark: Path) -> str:
    points = (f"{_px(x)},{_px(y)}" for x, y in zip(mark.x.tolist(), mark.y.tolist(), strict=True))
    strokes = "L".join(points).split("Lnan,nanL")
    return "".join(f"M{stroke}" for stroke in strokes) + ("Z" if mark.closed else "")


def _write_words(mark: Words, parent: ET.Element) -> None:
    attributes = {"x": _px(mark.x), "y": _px(mark.y), "font-size": _px(mark.size), "fill": mark.fill}
    if mark.anchor != "start":
        attributes["text-anchor"] = mark.anchor
    if mark.bold:
        attributes["font-weight"] = "bold"
    if mark.angle != 0:
        attributes["transform"] = f"rotate({_px(mark.angle)} {_px(mark.x)} {_px(mark.y)})"
    text = ET.SubElement(parent, "text", attributes)
    text.text = mark.text
    if mark.text != mark.full:
        ET.SubElement(text, "title").text = mark.full  # what a pointer over it shows
