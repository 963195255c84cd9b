"""Text on Matplotlib Axes: names of users as plain text, broken and cut to the room that they have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ice_explorer.figures.page.lettering import elide, text_width, wrapped
from ice_explorer.figures.page.page import printable

Title: TypeAlias = bool | str | None

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

_MOST_LINES: Final = 2  # of a title and of a label
_BEYOND: Final = 1.15  # of the size of the Axes: titles and labels may reach into the gap to the next ones
_KEPT: Final = 0.88  # of the width of Axes, at least, when labels have got their room
WIDER: Final = 1.15  # than the letters that a page is set in


def plain(text: str) -> str:
    """Return a text of which nothing is a formula."""
    return printable(text).replace("$", r"\$")


def width_of(text: str, size: float) -> float:
    """Width of a text [pt]: fonts of styles run wider than the one that a page has."""
    return WIDER * text_width(text, size)


def fitted(text: str, room: float, size: Any) -> str:
    """Cut a text to so many pt."""
    return plain(elide(printable(text), room / WIDER, size))


def broken(text: str, room: float, size: Any, most: int | None = None) -> str:
    """Break a text into lines of so many pt: at most so many, the last one cut, or as many as it takes."""
    lines = wrapped(printable(text), room / WIDER, size)
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


def add_title(ax: Axes, usual: str, given: Title) -> None:
    """Give some Axes the usual title for True, none for None or False, else the given one as it is."""
    if given is True:
        ax.set_title(broken(usual, _BEYOND * room_of(ax)[0], ax.title.get_fontsize(), _MOST_LINES))
    elif given:
        ax.set_title(given)


def add_x_label(ax: Axes, text: str, remarks: Sequence[str] = ()) -> None:
    """Label the horizontal axis, with remarks below that are kept whole."""
    room, size = kept_width(ax), ax.xaxis.label.get_fontsize()
    parts = [broken(text, room, size, _MOST_LINES), *(broken(remark, room, size) for remark in remarks)]
    ax.set_xlabel("\n".join(filter(None, parts)))


def add_y_label(ax: Axes, text: str) -> None:
    """Label the vertical axis, in one line where no layout makes room for two."""
    most = 1 if root_of(ax).get_layout_engine() is None else _MOST_LINES
    ax.set_ylabel(broken(text, _BEYOND * room_of(ax)[1], ax.yaxis.label.get_fontsize(), most))
