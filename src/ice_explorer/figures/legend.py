"""Legend, colour bar and numbers of Matplotlib Axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.ticker import AutoLocator, Formatter, MaxNLocator

from ice_explorer.features.axis_text import number_format
from ice_explorer.figures.text import fitted, kept_width, room_of, root_of, size_of, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.colorbar import Colorbar
    from matplotlib.figure import FigureBase
    from matplotlib.legend import Legend

    from ice_explorer.figures.style import Palette
    from ice_explorer.scene.coloring import Coloring

_MOST_HEAD: Final = 0.42  # of the height of the axes, for the legend
_HANDLE: Final = 1.5  # letters, as are the next three
_TO_TEXT: Final = 0.6
_BETWEEN: Final = 1.1  # from one column to the next
_MARGIN: Final = 1.8  # on both sides together, within the frame and around it
_BAR: Final = 8.0  # pt, the width of a colour bar
_WIDEST_BAR: Final = 1.6 * _BAR  # in a layout that may stretch it
_GAP: Final = 6.0  # pt, beside it
_LABELS: Final = 5.5  # letters, for the labels of a colour bar
_MOST_BAR: Final = 0.5  # of the width of the axes, for the colour bar and its labels
_MOST_COLUMNS: Final = 6
_LEAST_NAME: Final = 5.0  # letters, of a name that is cut
_LEADING: Final = 1.45  # letters, from one row to the next


def add_legend(ax: Axes, handles: Sequence[Artist], title: str | None, loc: str = "upper left") -> float:
    """Put a legend into a part of some Axes, for which no layout makes room; return its share of their height."""
    before = ax.get_legend()  # of what has been drawn on these Axes already
    shown = [] if before is None else zip(before.legend_handles, before.get_texts(), strict=True)
    entries: list[tuple[Any, str]] = [(handle, text.get_text().replace(r"\$", "$")) for handle, text in shown]
    known = {text for _, text in entries}
    entries += [(handle, text) for handle in handles if (text := str(handle.get_label())) not in known]
    if not entries:
        return 0.0
    rows = int(_MOST_HEAD * room_of(ax)[1] / (_LEADING * size_of("legend.fontsize"))) - (title is not None)
    legend = _legend(ax, entries, title, loc, width=kept_width(ax), most_rows=max(2, rows))
    legend.set_in_layout(False)
    box = ax.transAxes.inverted().transform_bbox(legend.get_window_extent())
    return float(min(_MOST_HEAD, box.y1 if loc.startswith("lower") else 1 - box.y0))


def add_figure_legend(
    figure: FigureBase, handles: Sequence[Artist], title: str | None, width: float, loc: str = "outside lower center"
) -> Legend:
    """Put a legend under the panels of a figure that is so many pt wide."""
    return _legend(figure, [(handle, str(handle.get_label())) for handle in handles], title, loc, width=width)


def _legend(
    parent: Any,
    entries: Sequence[tuple[Any, str]],
    title: str | None,
    loc: str,
    *,
    width: float,
    most_rows: int | None = None,
) -> Legend:
    size = size_of("legend.fontsize")
    room = width - _MARGIN * size
    marks, between = (_HANDLE + _TO_TEXT) * size, _BETWEEN * size
    texts = [text for _, text in entries]
    widths = [min(width_of(text, size), room) + marks for text in texts]
    counts = range(min(_MOST_COLUMNS, len(texts)), 1, -1)
    n_columns = next((n for n in counts if _taken(widths, n, between) <= room), 1)
    if most_rows is not None:  # longer names are cut, so that more of them stand side by side
        most_columns = int((room + between) // (_LEAST_NAME * size + marks + between))
        n_columns = max(n_columns, min(most_columns, math.ceil(len(texts) / most_rows)))
    most = room if _taken(widths, n_columns, between) <= room else (room + between) / n_columns - between - marks
    texts = [fitted(text, most, size) for text in texts]
    spacing: dict[str, Any] = {"handlelength": _HANDLE, "handletextpad": _TO_TEXT, "columnspacing": _BETWEEN}
    # Matplotlib drops labels that begin with an underscore, so the texts are set afterwards.
    labels = [str(index) for index in range(len(texts))]
    legend: Legend = parent.legend(
        [handle for handle, _ in entries], labels, title=title and " ", ncols=n_columns, loc=loc, alignment="left",
        labelspacing=0.3, **spacing,
    )  # fmt: skip
    for written, text in zip(legend.get_texts(), texts, strict=True):
        written.set_text(text)
    if title:
        title_size = legend.get_title().get_fontsize()
        legend.get_title().set_text(fitted(title, room, title_size))
    legend.set_gid("legend")
    return legend


def _taken(widths: Sequence[float], n_columns: int, between: float) -> float:
    """Width of so many columns; entries run down the first one, then down the next."""
    n_rows, more = divmod(len(widths), n_columns)
    total, start = 0.0, 0
    for column in range(n_columns):
        stop = start + n_rows + (column < more)
        total += max(widths[start:stop])
        start = stop
    return total + (n_columns - 1) * between


def add_color_bar(ax: Axes, coloring: Coloring, palette: Palette) -> None:
    """Add the ramp on the right, in room that some Axes give up: also that of its labels where no layout makes it."""
    (width, height), size = room_of(ax), size_of("ytick.labelsize")
    taken = _WIDEST_BAR if root_of(ax).get_layout_engine() is not None else _BAR + _LABELS * size
    look = {"aspect": max(1.0, height / _BAR), "pad": _GAP / width, "fraction": min(_MOST_BAR, taken / width)}
    _color_bar(ax.figure, coloring, palette, height, ax=ax, **look)


def add_shared_color_bar(figure: FigureBase, axes: Sequence[Axes], coloring: Coloring, palette: Palette) -> None:
    """Add the ramp beside all panels of a figure that is laid out."""
    _color_bar(figure, coloring, palette, room_of(axes[0])[1], ax=list(axes), fraction=0.05, pad=0.02, aspect=30)


def _color_bar(figure: Any, coloring: Coloring, palette: Palette, height: float, **where: Any) -> Colorbar:
    low, high = coloring.domain or (0.0, 1.0)
    scale = ScalarMappable(Normalize(low, high), ListedColormap(palette.colors))
    bar: Colorbar = figure.colorbar(scale, format=Numbers(), **where)
    if coloring.has_named_ends:
        bar.set_ticks([low, high], labels=list(coloring.ends))
    bar.set_label(fitted(coloring.title or "", height, bar.ax.yaxis.label.get_fontsize()))
    bar.ax.set_gid("colorbar")
    bar.ax.set_label("colorbar")
    return bar


# --- numbers ---------------------------------------------------------------------------------------


class Numbers(Formatter):
    """Write the ticks of an axis alike, with a separator of thousands."""

    def __init__(self, separator: str = ",") -> None:
        super().__init__()
        self._separator = separator

    def __call__(self, x: float, pos: int | None = None) -> str:  # noqa: ARG002 - of Matplotlib
        """Write one of the ticks."""
        axis: Any = self.axis
        return self.format_ticks([*axis.get_majorticklocs(), x])[-1]

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """Write them all, to the decimals of their least distance."""
        places = np.unique(values)
        step = float(np.diff(places).min(initial=np.inf))
        largest = float(np.abs(places).max(initial=0.0))
        write = number_format(largest, step if np.isfinite(step) else 1.0, separator=self._separator)
        return [write(value) for value in values]


class Within(AutoLocator):
    """Ticks where curves are drawn: beside the strips at the foot and the legend numbers say nothing."""

    def __init__(self, low: float, high: float) -> None:
        super().__init__()
        self.ends = low, high

    @classmethod
    def restrict(cls, axis: Axis, low: float, high: float) -> None:
        """Have no ticks beyond some values, nor beyond those of earlier curves; a locator of the user stays."""
        before = axis.get_major_locator()
        if isinstance(before, cls):
            low, high = min(low, before.ends[0]), max(high, before.ends[1])
        elif type(before) not in (AutoLocator, MaxNLocator):
            return
        axis.set_major_locator(cls(low, high))

    def tick_values(self, vmin: float, vmax: float) -> Any:
        """Return the usual ticks that are within."""
        usual, (low, high) = np.asarray(super().tick_values(vmin, vmax)), self.ends
        room = 1e-9 * (high - low)
        within = usual[(usual >= low - room) & (usual <= high + room)]
        return within if len(within) > 1 else usual
