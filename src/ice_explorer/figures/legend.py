"""Legend, colour bar and numbers of Matplotlib Axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.ticker import AutoLocator, Formatter

from ice_explorer.features.axis_text import number_format
from ice_explorer.figures.text import fitted, kept_width, room_of, root_of, size_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.colorbar import Colorbar
    from matplotlib.figure import FigureBase
    from matplotlib.legend import Legend

    from ice_explorer.figures.style import Palette
    from ice_explorer.scene.coloring import Coloring

_MARGIN: Final = 4.0  # letters, of a legend: its handle and the space around it
_BAR: Final = 8.0  # pt, the width of a colour bar
_WIDEST_BAR: Final = 1.6 * _BAR  # in a layout that may stretch it
_GAP: Final = 6.0  # pt, beside it
_LABELS: Final = 5.5  # letters, for the labels of a colour bar
_MOST_BAR: Final = 0.5  # of the width of the axes, for the colour bar and its labels
_MOST_COLUMNS: Final = 6
_MOST_ROWS: Final = 4
_FEW: Final = 6  # names that are one below the other before they are cut


def add_legend(ax: Axes, handles: Sequence[Artist], title: str | None = None) -> None:
    """Put a legend between some Axes and their title, with what an earlier legend of the Axes has."""
    before = ax.get_legend()
    shown = [] if before is None else zip(before.legend_handles, before.get_texts(), strict=True)
    entries: list[tuple[Any, str]] = [(handle, text.get_text().replace(r"\$", "$")) for handle, text in shown]
    known = {text for _, text in entries}
    entries += [(handle, text) for handle in handles if (text := str(handle.get_label())) not in known]
    layout = root_of(ax).get_layout_engine()
    if layout is not None:
        layout.execute(root_of(ax))  # labels have taken their room: a wider legend would take more
    _add_legend(
        ax, entries, title, kept_width(ax), loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2, frameon=False
    )


def add_figure_legend(
    figure: FigureBase, handles: Sequence[Artist], title: str | None, width: float, loc: str = "outside lower center"
) -> Legend | None:
    """Put a legend under the panels of a figure that is so many pt wide."""
    return _add_legend(figure, [(handle, str(handle.get_label())) for handle in handles], title, width, loc=loc)


def _add_legend(
    parent: Any, entries: list[tuple[Any, str]], title: str | None, room: float, **where: Any
) -> Legend | None:
    """Add a legend of as few rows as its room of so many pt takes."""
    if not entries:
        return None
    size, handles = size_of("legend.fontsize"), [handle for handle, _ in entries]
    least = math.ceil(len(entries) / _MOST_ROWS)  # of columns; names are cut for them
    texts = [fitted(text, room / least - _MARGIN * size, size) for _, text in entries]
    if len(entries) <= _FEW and any(text != name for text, (_, name) in zip(texts, entries, strict=True)):
        least, texts = 1, [fitted(text, room - _MARGIN * size, size) for _, text in entries]
    spacing: dict[str, Any] = {"handlelength": 1.5, "handletextpad": 0.6, "columnspacing": 1.1, "labelspacing": 0.3}
    for n_columns in range(min(_MOST_COLUMNS, len(texts)), least - 1, -1):
        # Matplotlib drops labels that begin with an underscore, so the texts are set afterwards.
        names = [str(index) for index in range(len(texts))]
        legend: Legend = parent.legend(
            handles, names, title=title and " ", ncols=n_columns, alignment="left", **spacing, **where
        )
        for written, text in zip(legend.get_texts(), texts, strict=True):
            written.set_text(text)
        if n_columns == least or 72 / parent.get_figure(root=True).dpi * legend.get_window_extent().width <= room:
            break
        legend.remove()
    if title:
        legend.get_title().set_text(fitted(title, room - _MARGIN * size, legend.get_title().get_fontsize()))
    legend.set_gid("legend")
    return legend


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
        step = float(np.diff(places).min()) if len(places) > 1 else 1.0
        digit = step / 10 ** math.floor(math.log10(step))
        if abs(digit - round(digit)) > 0.01:  # 2.5, which has one more
            step /= 10
        largest = float(np.abs(places).max(initial=0.0))
        write = number_format(largest, step, separator=self._separator)
        return [write(value) for value in values]


class TicksAbove(AutoLocator):
    """Matplotlib's usual ticks from the lowest value on: none beside the strips at the foot."""

    def __init__(self, lowest: float) -> None:
        super().__init__()
        self.lowest = lowest

    def tick_values(self, vmin: float, vmax: float) -> Any:
        """Return the places of the ticks."""
        places = np.asarray(super().tick_values(vmin, vmax))
        return places[places >= self.lowest]
