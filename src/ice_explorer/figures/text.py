"""Text on Matplotlib Axes: names of users as plain text, broken and cut to the room that they have."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Any, Final

from ice_explorer.tables.column import encodable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

_ELLIPSIS: Final = "…"
_HEAD: Final = 0.6  # of the letters that remain of a text whose middle is cut
_MOST_LINES: Final = 2  # of a title and of a label
_BEYOND: Final = 1.15  # of the size of the Axes: titles and labels may reach into the gap to the next ones
_KEPT: Final = 0.88  # of the width of Axes, at least, when labels have got their room
# Letters that no XML document can hold, and controls, which no font has.
_FORBIDDEN: Final = re.compile("[^\t\n\r\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ONE_LINE: Final = str.maketrans("\t\n\r", "   ")


def printable(text: str) -> str:
    """Escape half characters, and replace other letters that no document can hold and what would break a line."""
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", encodable(text).translate(_ONE_LINE))


def width_of(text: str, size: Any) -> float:
    """Width of a text [pt] in the font that is in force."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size)
    return float(text_to_path.get_text_width_height_descent(encodable(text), font, ismath=False)[0])


def elide(text: str, room: float, size: Any) -> str:
    """Cut the middle of a text that is wider than so many pt: names that begin alike differ at their ends."""
    if width_of(text, size) <= room:
        return text

    def shortened(n_letters: int) -> str:
        head = math.ceil(_HEAD * n_letters)
        return text[:head].rstrip() + _ELLIPSIS + text[len(text) - (n_letters - head) :].lstrip()

    counts = range(1, len(text))
    return shortened(bisect_right(counts, room, key=lambda n_letters: width_of(shortened(n_letters), size)))


def fitted(text: str, room: float, size: Any) -> str:
    """Cut a text to so many pt; nothing of it is a formula."""
    return elide(printable(text), room, size).replace("$", r"\$")


def broken(text: str, room: float, size: Any, most: int | None = None) -> str:
    """Break a text between words into lines of so many pt: at most so many, the last one cut, or all it takes."""
    lines: list[str] = []
    for word in printable(text).split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, size) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    if most is not None and len(lines) > most:
        lines = [*lines[: most - 1], " ".join(lines[most - 1 :])]
    return "\n".join(fitted(line, room, size) for line in lines)


def room_of(ax: Axes) -> tuple[float, float]:
    """Width and height of some Axes [pt]."""
    box, per_pt = ax.get_window_extent(), ax.figure.dpi / 72
    return box.width / per_pt, box.height / per_pt


def kept_width(ax: Axes) -> float:
    """Width of some Axes [pt], less what a layout may need beside other Axes."""
    is_narrowed = root_of(ax).get_layout_engine() is not None and len(root_of(ax).axes) > 1
    return (_KEPT if is_narrowed else 1.0) * room_of(ax)[0]


def root_of(ax: Axes) -> Any:
    """Return the figure that holds some Axes, in a subfigure or not."""
    return ax.get_figure(root=True)


def size_of(parameter: Any) -> float:
    """Size of letters [pt] by a parameter of Matplotlib."""
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties

    return float(FontProperties(size=rcParams[parameter]).get_size_in_points())


def add_title(ax: Axes, usual: str, given: Any) -> None:
    """Give some Axes the usual title for True, none for None or False, else the given one as it is."""
    from matplotlib import rcParams

    legend, pad = ax.get_legend(), rcParams["axes.titlepad"]
    if legend is not None and legend.get_gid() == "legend":  # which is between the Axes and their title
        pad += 72 / root_of(ax).dpi * legend.get_window_extent().height
    if given is True:
        ax.set_title(broken(usual, _BEYOND * room_of(ax)[0], ax.title.get_fontsize(), _MOST_LINES), pad=pad)
    elif given:
        ax.set_title(given, pad=pad)


def add_x_label(ax: Axes, text: str, remarks: Sequence[str] = ()) -> None:
    """Label the horizontal axis, with remarks below that are kept whole."""
    room, size = kept_width(ax), ax.xaxis.label.get_fontsize()
    parts = [broken(text, room, size, _MOST_LINES), *(broken(remark, room, size) for remark in remarks)]
    ax.set_xlabel("\n".join(filter(None, parts)))


def add_y_label(ax: Axes, text: str) -> None:
    """Label the vertical axis, in one line where no layout makes room for two."""
    has_room = root_of(ax).get_layout_engine() is not None
    room = (0.9 if has_room else _BEYOND) * room_of(ax)[1]
    ax.set_ylabel(broken(text, room, ax.yaxis.label.get_fontsize(), _MOST_LINES if has_room else 1))
