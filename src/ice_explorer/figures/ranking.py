"""The ranking as bars on Matplotlib Axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.markers import TICKLEFT
from matplotlib.path import Path
from matplotlib.transforms import Affine2D, ScaledTranslation

from ice_explorer.figures.effects import LABEL_ROOM
from ice_explorer.figures.legend import add_legend
from ice_explorer.figures.style import Look, hues, next_color
from ice_explorer.figures.text import add_x_label, fitted, kept_width, room_of, root_of, size_of, width_of
from ice_explorer.glossary import explanation
from ice_explorer.scene.build import weight_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from ice_explorer.scene.build import Bar, Ranking

_BAR: Final = 0.62  # of a row, for its bar or bars
_SIGN: Final = 10.0  # pt, for the sign of the direction
_GAP: Final = 5.0  # pt, between the longest bar and its sign
_BRACKET: Final = 8.0  # pt, right of the values, where neighbours are tied
_BRACKET_REACH: Final = 0.38  # of a row, from half way to the next
_LEAST_BAR: Final = 0.3  # of the width, for the longest bar
_QUIET: Final = 0.5  # opacity of bars beside that of the open feature
_SIGN_LOOK: Final[Mapping[str, Any]] = {"linestyle": "none", "markersize": 4.5, "markeredgewidth": 0}
_LEADING: Final = 1.15  # letters, from one row to the next


def draw_ranking(ax: Axes, ranking: Ranking, decay: float, max_features: int, *, has_legend: bool) -> None:
    """Draw the bars with their signs and figures, so many as there is room for."""
    size = size_of("ytick.labelsize")
    shown = rows_shown(ranking, min(max_features, max(2, int(room_of(ax)[1] / (_LEADING * size)))))
    handles = draw_bars(ax, ranking, decay, shown)
    add_x_label(ax, "", [count_text(ranking, shown), ranking.counted])
    foot = add_legend(ax, handles, None, loc="lower left") if has_legend else 0.0
    ax.set_ylim(len(shown) * (1 + foot / (1 - foot)) - 0.4, -0.6)


def rows_shown(ranking: Ranking, n_rows: int) -> list[Bar]:
    """Choose the first bars, the open feature among them: it takes the last place if it ranks below."""
    if len(ranking.bars) <= n_rows:
        return list(ranking.bars)
    n_rows = max(1, n_rows - 1)  # the last row says how many are left out
    shown, below = list(ranking.bars[:n_rows]), ranking.bars[n_rows:]
    opened = [bar for bar in below if bar.label == ranking.opened]
    return [*shown[: n_rows - 1], *opened] if opened else shown


def count_text(ranking: Ranking, shown: Sequence[Bar]) -> str:
    """How many of the features are drawn; empty where all are."""
    return f"{len(shown):,} of {len(ranking.bars):,} features" if len(shown) < len(ranking.bars) else ""


def names_of(bars: Sequence[Bar], room: float = LABEL_ROOM) -> list[str]:
    """Return the names of features, each at most so many pt wide."""
    return [fitted(bar.label, room, size_of("ytick.labelsize")) for bar in bars]


def draw_bars(
    ax: Axes, ranking: Ranking, decay: float, shown: Sequence[Bar], label_room: float = LABEL_ROOM
) -> list[Artist]:
    """Draw the bars with their signs and figures; return what a legend has of them."""
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
    ax.set_yticks(places, labels=names_of(shown, label_room))
    ax.tick_params(axis="y", length=0)
    ax.set_xticks([])
    ax.grid(visible=False)
    return [*handles, *_add_figures(ax, ranking, shown, look)]


def _add_figures(ax: Axes, ranking: Ranking, shown: Sequence[Bar], look: Look) -> list[Artist]:
    """Write each value on the right, and the sign of its direction, in room that the bars leave free.

    Returns what a legend has of brackets and signs.
    """
    size, ink = size_of("ytick.labelsize"), look.mixed(0.65)
    texts = [ranking.write(bar.value) for bar in shown]
    room, widest = kept_width(ax), max(width_of(text, size) for text in texts)
    ranks = [ranking.bars.index(bar) for bar in shown]  # the open feature may follow bars that are not drawn
    tied = [at for at in range(len(shown) - 1) if shown[at].is_tied and ranks[at + 1] == ranks[at] + 1]
    edge = _GAP + (_BRACKET if tied else 0.0)
    taken = min((1 - _LEAST_BAR) * room, widest + _SIGN + _GAP + edge)
    highs = [bar.interval[1] for bar in shown if bar.interval is not None]
    longest = max(highs + [_finite(reach) for bar in shown for reach in (bar.value, bar.tick, *bar.of_models)]) or 1.0
    ax.set_xlim(0, longest / (1 - taken / room))
    across, handles = ax.get_yaxis_transform(), list[Any]()

    def left(pt: float) -> Any:
        """So many pt left of a place on the right edge."""
        return across + ScaledTranslation(-pt / 72, 0, root_of(ax).dpi_scale_trans)

    right: dict[str, Any] = {"xycoords": across, "textcoords": "offset points", "ha": "right", "va": "center"}
    for place, text in enumerate(texts):
        ax.annotate(text, (1.0, place), (-edge, 0), fontsize=size, gid="value", **right)
    if tied:  # brackets join the rows of neighbours, right of their values
        down = [at + end for at in tied for end in (0.5 - _BRACKET_REACH, 0.5 + _BRACKET_REACH, math.nan)]
        mark: dict[str, Any] = {"marker": TICKLEFT, "markersize": 3, "linewidth": 0.8, "markeredgewidth": 0.8}
        ax.plot(np.ones(len(down)), down, color=ink, **mark, transform=left(_GAP), label="_tied", gid="tied")
        bracket = Path([(-0.2, 0.5), (0.2, 0.5), (0.2, -0.5), (-0.2, -0.5)])
        mark = {"marker": bracket, "markersize": 8, "markerfacecolor": "none", "markeredgewidth": 0.8}
        handles.append(Line2D([], [], color=ink, linestyle="none", label=explanation("tied").name, **mark))
    where = left(widest + edge + 0.7 * _GAP + 2)
    signs = [ranking.sign(bar) for bar in shown]
    markers = {"up": ("rises", "^"), "down": ("falls", "v"), "levels": ("unordered", _four_dots())}
    for sign, (gid, marker) in markers.items():
        places = [place for place, each in enumerate(signs) if each == sign]
        look_of_sign: dict[str, Any] = {"marker": marker, **_SIGN_LOOK, "transform": where, "gid": gid}
        ax.plot(np.ones(len(places)), places, color=ink, label=f"_{gid}", **look_of_sign)
    meanings = (
        (explanation("sign").name, {"up", "down"}, _two_triangles()),
        ("levels without an order", {"levels"}, _four_dots()),
    )
    for text, meant, shape in meanings:
        if meant & set(signs):
            handles.append(Line2D([], [], color=ink, label=text, marker=shape, **_SIGN_LOOK))
    return handles


def _two_triangles() -> Path:
    up = np.array([[-1.1, -0.5], [-0.1, -0.5], [-0.6, 0.5], [-1.1, -0.5]])
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    return Path.make_compound_path(Path(up, codes), Path(-up, codes))


def _four_dots() -> Path:
    """Return the sign of levels without an order, as a shape: few fonts have it."""
    dot = Path.circle(radius=0.22)
    shifted = [dot.transformed(Affine2D().translate(x, y)) for x in (-0.3, 0.3) for y in (-0.3, 0.3)]
    return Path.make_compound_path(*shifted)


def _finite(value: float | None) -> float:
    return value if value is not None and math.isfinite(value) else 0.0
