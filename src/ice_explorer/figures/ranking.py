"""The ranking as bars on Matplotlib Axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.figures.legend import add_legend
from ice_explorer.figures.style import Look, next_color
from ice_explorer.figures.text import add_x_label, fitted, kept_width, room_of, root_of, size_of, width_of
from ice_explorer.glossary import explanation
from ice_explorer.scene.palette import hues
from ice_explorer.scene.words import weight_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.path import Path

    from ice_explorer.scene.scene import Bar, Ranking

_LABEL_ROOM: Final = 160.0  # pt, at most, for the name of a feature
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
    shown = rows_shown(ranking.bars, min(max_features, max(2, int(room_of(ax)[1] / (_LEADING * size)))))
    handles = draw_bars(ax, ranking, decay, shown)
    add_x_label(ax, "", [count_text(ranking, shown), ranking.counted])
    foot = add_legend(ax, handles, None, loc="lower left") if has_legend else 0.0
    ax.set_ylim(len(shown) * (1 + foot / (1 - foot)) - 0.4, -0.6)


def count_text(ranking: Ranking, shown: Sequence[Bar]) -> str:
    """How many of the features are drawn; empty where all are."""
    return f"{len(shown):,} of {len(ranking.bars):,} features" if len(shown) < len(ranking.bars) else ""


def draw_bars(
    ax: Axes, ranking: Ranking, decay: float, shown: Sequence[Bar], label_room: float = _LABEL_ROOM
) -> list[Artist]:
    """Draw the bars with their signs and figures; return what a legend has of them."""
    look, places = Look.of(ax), np.arange(len(shown))
    lengths = [_reach(bar.value) for bar in shown]
    handles: list[Artist] = []
    groups = [(weight_text(decay), next_color(ax), lengths)]
    if ranking.models:
        colors = hues(len(ranking.models), is_dark=look.is_dark)
        of_models = zip(*([_reach(value) for value in bar.of_models] for bar in shown), strict=True)
        groups = list(zip(ranking.models, colors, map(list, of_models), strict=True))
    height, has_open = _BAR / len(groups), any(bar.is_open for bar in shown)
    for at, (label, color, values) in enumerate(groups):
        aside = (at + 0.5) * height - _BAR / 2
        bars = ax.barh(places + aside, values, height=height, color=color, label=label, zorder=2)
        for patch, bar in zip(bars.patches, shown, strict=True):
            patch.set(gid="bar", alpha=1.0 if bar.is_open or not has_open else _QUIET)
            if bar.is_unordered:  # a change of category is not a step along an axis
                patch.set(hatch="////", edgecolor=look.mixed(0), linewidth=0)
        handles.append(bars.patches[0])
        bars.patches[0].set_label(label)
    if ranking.has_ticks:
        ticks = [_reach(bar.tick) for bar in shown]
        mark: dict[str, Any] = {"linestyle": "none", "marker": "|", "markersize": 10, "markeredgewidth": 1.4}
        handles += ax.plot(
            ticks, places, **mark, color=look.mixed(1), label=explanation("tick").name, gid="tick", zorder=3
        )
    if ranking.level is not None:
        handles += _add_whiskers(ax, ranking, shown, look)
    ax.set_yticks(places, labels=names_of(shown, label_room))
    ax.tick_params(axis="y", length=0)
    ax.set_xticks([])
    ax.grid(visible=False)
    _add_figures(ax, ranking, shown, look)
    named = handles if ranking.has_ticks or ranking.models else handles[1:]
    return [*named, *_tied_handles(ranking, shown, look), *_sign_handles(ranking, shown, look)]


def names_of(bars: Sequence[Bar], room: float = _LABEL_ROOM) -> list[str]:
    """Return the names of features with the steps of their bars, each at most so many pt wide."""
    size = size_of("ytick.labelsize")
    rooms = [room - (width_of(bar.step, size) if bar.step else 0.0) for bar in bars]
    return [fitted(bar.label, most, size) + bar.step for bar, most in zip(bars, rooms, strict=True)]


def _add_whiskers(ax: Axes, ranking: Ranking, shown: Sequence[Bar], look: Look) -> list[Artist]:
    """Draw intervals from end to end."""
    label = "" if ranking.level is None else f"{100 * ranking.level:g} % interval"
    known = [(place, *bar.interval) for place, bar in enumerate(shown) if bar.interval is not None]
    across = [end for _, low, high in known for end in (low, high, math.nan)]
    down = [at for place, _, _ in known for at in (place, place, math.nan)]
    mark: dict[str, Any] = {"linewidth": 0.9, "marker": "|", "markersize": 4.5, "markeredgewidth": 0.9}
    mark |= {"color": look.mixed(1), "label": label, "gid": "interval", "zorder": 3.5}
    return [*ax.plot(across, down, **mark)]


def _add_figures(ax: Axes, ranking: Ranking, shown: Sequence[Bar], look: Look) -> None:
    """Write each value on the right, and the sign of its direction, in room that the bars leave free."""
    from matplotlib.transforms import ScaledTranslation

    size = size_of("ytick.labelsize")
    texts = [ranking.write(bar.value) for bar in shown]
    room, widest = kept_width(ax), max(width_of(text, size) for text in texts)
    tied = _tied_places(ranking, shown)
    edge = _GAP + (_BRACKET if tied else 0.0)
    taken = min((1 - _LEAST_BAR) * room, widest + _SIGN + _GAP + edge)
    highs = [bar.interval[1] for bar in shown if bar.interval is not None]
    longest = max(highs + [_reach(reach) for bar in shown for reach in (bar.value, bar.tick, *bar.of_models)]) or 1.0
    ax.set_xlim(0, longest / (1 - taken / room))
    for place, text in enumerate(texts):
        look_of_text: dict[str, Any] = {
            "xycoords": ax.get_yaxis_transform(), "va": "center", "textcoords": "offset points", "fontsize": size
        }  # fmt: skip
        ax.annotate(text, (1.0, place), (-edge, 0), ha="right", gid="value", **look_of_text)
    if tied:
        _add_brackets(ax, tied, look)
    shift = ScaledTranslation(-(widest + edge + 0.7 * _GAP + 2) / 72, 0, root_of(ax).dpi_scale_trans)
    signs: dict[str, tuple[str, Any]] = {
        "up": ("rises", "^"),
        "down": ("falls", "v"),
        "levels": ("unordered", _four_dots()),
    }
    for sign, (gid, marker) in signs.items():
        places = [place for place, bar in enumerate(shown) if ranking.sign(bar) == sign]
        dot = {"marker": marker, **_SIGN_LOOK}
        where: dict[str, Any] = {"transform": ax.get_yaxis_transform() + shift, "label": f"_{gid}", "gid": gid}
        ax.plot(np.ones(len(places)), places, color=look.mixed(0.65), **dot, **where)


def _add_brackets(ax: Axes, tied: list[int], look: Look) -> None:
    """Join the rows of neighbours that are tied, right of their values."""
    from matplotlib.markers import TICKLEFT
    from matplotlib.transforms import ScaledTranslation

    shift = ScaledTranslation(-_GAP / 72, 0, root_of(ax).dpi_scale_trans)
    ends = (0.5 - _BRACKET_REACH, 0.5 + _BRACKET_REACH, math.nan)
    where: dict[str, Any] = {"transform": ax.get_yaxis_transform() + shift, "label": "_tied", "gid": "tied"}
    mark: dict[str, Any] = {"marker": TICKLEFT, "markersize": 3, "linewidth": 0.8, "markeredgewidth": 0.8}
    down = [place + end for place in tied for end in ends]
    ax.plot(np.ones(len(down)), down, color=look.mixed(0.65), **mark, **where)


def rows_shown(bars: Sequence[Bar], n_rows: int) -> list[Bar]:
    """Choose the first bars, the open feature among them: it takes the last place if it ranks below."""
    if len(bars) <= n_rows:
        return list(bars)
    n_rows = max(1, n_rows - 1)  # the last row says how many are left out
    shown = list(bars[:n_rows])
    below = [bar for bar in bars[n_rows:] if bar.is_open]
    return [*shown[: n_rows - 1], *below] if below else shown


def _tied_places(ranking: Ranking, shown: Sequence[Bar]) -> list[int]:
    """Return the bars that are tied with the one below them."""
    at = [ranking.bars.index(bar) for bar in shown]  # the open feature may follow bars that are not drawn
    return [place for place in range(len(shown) - 1) if shown[place].is_tied and at[place + 1] == at[place] + 1]


def _tied_handles(ranking: Ranking, shown: Sequence[Bar], look: Look) -> list[Artist]:
    """Return what a legend says of brackets, where there are any."""
    from matplotlib.lines import Line2D

    if not _tied_places(ranking, shown):
        return []
    outline: dict[str, Any] = {"markersize": 8, "markerfacecolor": "none", "markeredgewidth": 0.8}
    name = explanation("tied").name
    return [Line2D([], [], color=look.mixed(0.65), linestyle="none", marker=_bracket(), label=name, **outline)]


def _bracket() -> Path:
    """Return the shape of a bracket."""
    from matplotlib.path import Path

    return Path([(-0.2, 0.5), (0.2, 0.5), (0.2, -0.5), (-0.2, -0.5)])


def _sign_handles(ranking: Ranking, shown: Sequence[Bar], look: Look) -> list[Artist]:
    """Return what a legend says of the signs that are drawn."""
    from matplotlib.lines import Line2D

    drawn = {ranking.sign(bar) for bar in shown}
    known = (
        (explanation("sign").name, {"up", "down"}, _two_triangles()),
        ("levels without an order", {"levels"}, _four_dots()),
    )
    return [
        Line2D([], [], color=look.mixed(0.65), label=text, marker=marker, **_SIGN_LOOK)
        for text, signs, marker in known
        if drawn & signs
    ]


def _two_triangles() -> Path:
    """Return a triangle that points up beside one that points down."""
    from matplotlib.path import Path

    up = np.array([[-1.1, -0.5], [-0.1, -0.5], [-0.6, 0.5], [-1.1, -0.5]])
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    return Path.make_compound_path(Path(up, codes), Path(-up, codes))


def _four_dots() -> Path:
    """Return the sign of levels without an order, as a shape: few fonts have it."""
    from matplotlib.path import Path
    from matplotlib.transforms import Affine2D

    dot = Path.circle(radius=0.22)
    shifted = [dot.transformed(Affine2D().translate(x, y)) for x in (-0.3, 0.3) for y in (-0.3, 0.3)]
    return Path.make_compound_path(*shifted)


def _reach(figure: float | None) -> float:
    return figure if figure is not None and math.isfinite(figure) else 0.0
