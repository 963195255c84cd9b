"""The ranking as bars on Matplotlib Axes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.path import Path
from matplotlib.transforms import ScaledTranslation

from ice_explorer.figures.style import Look, hues, next_color
from ice_explorer.figures.text import fitted, kept_width, room_of, root_of, size_of, width_of
from ice_explorer.glossary import explanation
from ice_explorer.scene.build import weight_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from ice_explorer.scene.build import Bar, Ranking

LABEL_ROOM: Final = 160.0  # pt, at most, for the name of a feature
_BAR: Final = 0.62  # of a row, for its bar or bars
_SIGN: Final = 10.0  # pt, for the sign of the direction
_GAP: Final = 5.0  # pt, between the longest bar and its sign
_LEAST_BAR: Final = 0.3  # of the width, for the longest bar
_QUIET: Final = 0.5  # opacity of bars beside that of the open feature
_SIGN_LOOK: Final[Mapping[str, Any]] = {"linestyle": "none", "markersize": 4.5, "markeredgewidth": 0}
_LEADING: Final = 1.15  # letters, from one row to the next


def draw_ranking(
    ax: Axes, ranking: Ranking, decay: float, max_features: int, label_room: float = LABEL_ROOM
) -> list[Artist]:
    """Draw the bars with their signs and figures, so many as there is room for; return what a legend has of them."""
    size = size_of("ytick.labelsize")
    shown = rows_shown(ranking, min(max_features, max(2, int(room_of(ax)[1] / (_LEADING * size)))))
    handles = _draw_bars(ax, ranking, decay, shown, label_room)
    is_whole = len(shown) == len(ranking.bars)
    if not is_whole:
        some = f"{len(shown):,} of {len(ranking.bars):,} features"
        ax.text(0, len(shown), some, fontsize=0.9 * size, va="center", gid="count")
    ax.set_ylim(len(shown) - 0.4 + (not is_whole), -0.6)
    return handles


def rows_shown(ranking: Ranking, n_rows: int) -> list[Bar]:
    """Choose the first bars, the open feature among them: it takes the last place if it ranks below."""
    if len(ranking.bars) <= n_rows:
        return list(ranking.bars)
    n_rows = max(1, n_rows - 1)  # the last row says how many are left out
    shown, below = list(ranking.bars[:n_rows]), ranking.bars[n_rows:]
    opened = [bar for bar in below if bar.label == ranking.opened]
    return [*shown[: n_rows - 1], *opened] if opened else shown


def _draw_bars(ax: Axes, ranking: Ranking, decay: float, shown: Sequence[Bar], label_room: float) -> list[Artist]:
    look, places = Look.of(ax), np.arange(len(shown))
    groups = [(weight_text(decay), next_color(ax), [bar.value for bar in shown])]
    if ranking.models:
        colors = hues(len(ranking.models), is_dark=look.is_dark)
        of_models = zip(*(bar.of_models for bar in shown), strict=True)
        groups = list(zip(ranking.models, colors, map(list, of_models), strict=True))
    handles: list[Artist] = []
    height, has_open = _BAR / len(groups), any(bar.label == ranking.opened for bar in shown)
    for at, (label, color, values) in enumerate(groups):
        aside, lengths = (at + 0.5) * height - _BAR / 2, [_finite(value) for value in values]
        bars = ax.barh(places + aside, lengths, height=height, color=color, label=label, zorder=2)
        for patch, bar in zip(bars.patches, shown, strict=True):
            patch.set(gid="bar", alpha=1.0 if bar.label == ranking.opened or not has_open else _QUIET)
            if bar.is_unordered:  # a change of category is not a step along an axis
                patch.set(hatch="////", edgecolor=look.mixed(0), linewidth=0)
        bars.patches[0].set_label(label)
        if ranking.has_ticks or ranking.models:
            handles.append(bars.patches[0])
    if ranking.has_ticks:
        mark: dict[str, Any] = {"linestyle": "none", "marker": "|", "markersize": 10, "markeredgewidth": 1.4}
        mark |= {"color": look.mixed(1), "label": explanation("tick").name, "gid": "tick", "zorder": 3}
        handles += ax.plot([_finite(bar.tick) for bar in shown], places, **mark)
    if ranking.level is not None:
        known = [(place, *bar.interval) for place, bar in enumerate(shown) if bar.interval is not None]
        across = [end for _, low, high in known for end in (low, high, math.nan)]
        down = [at for place, _, _ in known for at in (place, place, math.nan)]
        mark = {"linewidth": 0.9, "marker": "|", "markersize": 4.5, "markeredgewidth": 0.9, "color": look.mixed(1)}
        mark |= {"label": f"{100 * ranking.level:g} % interval", "gid": "interval", "zorder": 3.5}
        handles += ax.plot(across, down, **mark)
    size = size_of("ytick.labelsize")
    ax.set_yticks(places, labels=[fitted(bar.label, label_room, size) for bar in shown])
    ax.tick_params(axis="y", length=0)
    ax.set_xticks([])
    ax.grid(visible=False)
    return [*handles, *_add_figures(ax, ranking, shown, look)]


def _add_figures(ax: Axes, ranking: Ranking, shown: Sequence[Bar], look: Look) -> list[Artist]:
    """Write each value on the right, with the sign of its direction, in room that the bars leave free."""
    size, ink = size_of("ytick.labelsize"), look.mixed(0.65)
    texts = [ranking.write(bar.value) for bar in shown]
    room, widest = kept_width(ax), max(width_of(text, size) for text in texts)
    taken = min((1 - _LEAST_BAR) * room, widest + _SIGN + 2 * _GAP)
    longest = replace(ranking, bars=tuple(shown)).longest or 1.0
    ax.set_xlim(0, longest / (1 - taken / room))
    across = ax.get_yaxis_transform()
    right: dict[str, Any] = {"xycoords": across, "textcoords": "offset points", "ha": "right", "va": "center"}
    for place, text in enumerate(texts):
        ax.annotate(text, (1.0, place), (-_GAP, 0), fontsize=size, gid="value", **right)
    where = across + ScaledTranslation(-(widest + 1.7 * _GAP + 2) / 72, 0, root_of(ax).dpi_scale_trans)
    signs = [ranking.sign(bar) for bar in shown]
    for sign, gid, marker in (("up", "rises", "^"), ("down", "falls", "v")):
        places = [place for place, each in enumerate(signs) if each == sign]
        look_of_sign: dict[str, Any] = {"marker": marker, **_SIGN_LOOK, "transform": where, "gid": gid}
        ax.plot(np.ones(len(places)), places, color=ink, label=f"_{gid}", **look_of_sign)
    handles = list[Any]()
    if {"up", "down"} & set(signs):
        shape = _two_triangles()
        handles.append(Line2D([], [], color=ink, label=explanation("sign").name, marker=shape, **_SIGN_LOOK))
    if "levels" in signs:
        handles.append(Patch(facecolor=ink, hatch="////", edgecolor=look.mixed(0), label="levels without an order"))
    return handles


def _two_triangles() -> Path:
    up = np.array([[-1.1, -0.5], [-0.1, -0.5], [-0.6, 0.5], [-1.1, -0.5]])
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    return Path.make_compound_path(Path(up, codes), Path(-up, codes))


def _finite(value: float | None) -> float:
    return value if value is not None and math.isfinite(value) else 0.0
