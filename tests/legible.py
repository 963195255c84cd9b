"""Whether the texts of an SVG page have their place."""

import itertools
import math

from ice_explorer.figures.page import lettering

SVG = "{http://www.w3.org/2000/svg}"


def boxes(root):
    """Left, top, right, bottom of every text."""
    for text in root.iter(f"{SVG}text"):
        if text.get("transform"):
            continue  # slanted: `slanted` has those
        size, x, y = (float(text.get(name)) for name in ("font-size", "x", "y"))
        width = lettering.text_width(text.text, size, bold=text.get("font-weight") == "bold")
        left = x - {"start": 0.0, "middle": width / 2, "end": width}[text.get("text-anchor", "start")]
        yield text.text, left, y - 0.74 * size, left + width, y + 0.2 * size


def slanted(root):
    """Left, bottom and distance along the page of every slanted text."""
    for text in root.iter(f"{SVG}text"):
        if text.get("transform"):
            angle, x, y = map(float, text.get("transform").removeprefix("rotate(").rstrip(")").split())
            width = lettering.text_width(text.text, float(text.get("font-size")))
            turn = math.radians(angle)
            yield text.text, x - width * math.cos(turn), y - width * math.sin(turn), x * math.sin(-turn)


def assert_texts_have_their_place(root):
    """No text leaves the page or touches another; slanted ones under an axis stand next to each other."""
    page_width, page_height = map(float, root.get("viewBox").split()[2:])
    placed = list(boxes(root))
    for text, left, top, right, bottom in placed:
        assert left >= 0, text
        assert top >= 0, text
        assert right <= page_width, text
        assert bottom <= page_height, text
    for (one, l1, t1, r1, b1), (other, l2, t2, r2, b2) in itertools.combinations(placed, 2):
        assert not (l1 < r2 and l2 < r1 and t1 < b2 and t2 < b1), f"{one!r} touches {other!r}"
    for (text, left, bottom, at), following in itertools.zip_longest(names := list(slanted(root)), names[1:]):
        assert left >= 0, text
        assert bottom <= page_height, text
        assert following is None or following[3] - at >= lettering.text_width("x", 8.6), f"{text!r} touches another"
