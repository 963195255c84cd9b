"""Interactions on Matplotlib Axes: pairs and features by H², as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ice_explorer.features.axis_text import nonnegative_format
from ice_explorer.figures.style import Look, next_color
from ice_explorer.figures.text import fitted, size_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import FigureBase

    from ice_explorer.scene.interactions import Interaction, InteractionsScene

_MOST_ROWS: Final = 10  # of `js/src/panels/interactions/panel.ts`
_NAMES: Final = 0.42  # of the width, for the names of features
_H2: Final = 1.65  # of the longest bar, where H² ends, and where sizes end
_SIZE: Final = 2.25
_ROW: Final = 1.7  # letters
_AROUND: Final = 3  # rows, for a title and the air below


def letters_of(shown: InteractionsScene) -> float:
    """Height of all bars that are drawn, in letters."""
    return sum(_ROW * (min(len(rows), _MOST_ROWS) + _AROUND) for rows in (shown.pairs, shown.features) if rows)


def draw_interactions(parent: FigureBase, shown: InteractionsScene, width: float, height: float) -> None:
    """Draw pairs above features, with H² and the size in units of the prediction; so many pt wide and letters high."""
    room = min(1.0, height / letters_of(shown)) if shown.pairs or shown.features else 1.0
    most = max(1, int(room * (_MOST_ROWS + _AROUND)) - _AROUND)
    parts = [("Pairs", shown.pairs[:most]), ("Features", shown.features[:most])]
    parts = [(heading, rows) for heading, rows in parts if rows]
    ratios = [len(rows) + _AROUND for _, rows in parts]
    longest = max((row.h2 for _, rows in parts for row in rows), default=0.0) or 1.0
    axes = parent.subplots(max(1, len(parts)), 1, squeeze=False, height_ratios=ratios or None).ravel()
    for ax, (heading, rows) in zip(axes, parts, strict=False):
        _draw_rows(ax, heading, rows, longest, _NAMES * width)


def _draw_rows(ax: Axes, heading: str, rows: Sequence[Interaction], longest: float, room: float) -> None:
    """Draw bars for H² with its figure and the size."""
    size, look, color = size_of("ytick.labelsize"), Look.of(ax), next_color(ax)
    write_share, write_size = nonnegative_format([longest]), nonnegative_format([row.effect for row in rows])
    for place, row in enumerate(rows):
        fill: dict[str, Any] = {"facecolor": "none"} if row.is_tiny else {"facecolor": color}
        alpha = 1.0 if row.is_open or row.is_tiny else 0.6
        ax.barh(place, row.h2, height=0.6, edgecolor=color, linewidth=0.6, alpha=alpha, gid="bar", **fill)
        ink = look.mixed(0.6 if row.is_tiny else 1.0)
        text: dict[str, Any] = {"ha": "right", "va": "center", "fontsize": size, "color": ink}
        ax.text(_H2 * longest, place, write_share(row.h2), **text, gid="h2")
        ax.text(_SIZE * longest, place, write_size(row.effect), **text, gid="size")
    head: dict[str, Any] = {"ha": "right", "va": "center", "fontsize": size, "color": look.mixed(0.7)}
    ax.text(_H2 * longest, -0.9, "H²", **head)
    ax.text(_SIZE * longest, -0.9, "size", **head)
    names = [fitted(row.name, room, size) for row in rows]
    ax.set_yticks(range(len(rows)), labels=names)
    for label, row in zip(ax.get_yticklabels(), rows, strict=True):
        label.set_fontweight("bold" if row.is_open else "normal")
    ax.set(xlim=(0, _SIZE * longest), ylim=(len(rows) - 0.4, -1.4), xticks=[])
    ax.tick_params(axis="y", length=0)
    ax.spines["bottom"].set_visible(False)
    ax.set_title(heading, loc="left", fontsize=size_of("font.size"), weight="bold")
