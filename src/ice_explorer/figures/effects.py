"""Effects, interactions and comparisons on Matplotlib Axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer import glossary
from ice_explorer.beyond.effects import EFFECT_KINDS, GRID_SIZE
from ice_explorer.checks import check_flag, check_integer
from ice_explorer.features.feature import LEVELLED, UNORDERED
from ice_explorer.figures.legend import add_legend
from ice_explorer.figures.numbers import Numbers
from ice_explorer.figures.style import Look, check_title, given_axes, next_color
from ice_explorer.figures.text import add_title, add_x_label, add_y_label, fitted, size_of
from ice_explorer.scene.palette import ALE, M_PLOT

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from ice_explorer.beyond.effects import EffectKind
    from ice_explorer.beyond.importances import Importances
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation


_LABEL_ROOM: Final = 160.0  # pt, at most, for the name of a feature
_PAIR_ROOM: Final = 260.0  # pt, of a pair of features
_LEVEL_ROOM: Final = 80.0  # pt, of a level
_MOST_DATES: Final = 8
_SECONDS_PER_DAY: Final = 86_400
_INTERVAL_OPACITY: Final = 0.15
_ASIDE: Final = 0.15  # of the room of a level, from one effect to the next
_EFFECTS: Final[dict[str, dict[str, Any]]] = {
    "partial_dependence": {"label": "partial dependence", "marker": "o", "linestyle": "-"},
    "ale": {"label": "ALE", "marker": "D", "linestyle": (0, (4, 2))},
    "m_plot": {"label": "M-plot", "marker": "^", "linestyle": (0, (1, 1.2))},
}  # the dashes of the explorer, and its colours on light and on dark ground
ALE_OF_LEVELS: Final = "ALE, levels in the order of their similarity in the other features"
_COLORS: Final = {"ale": (ALE, "#4fd6bd"), "m_plot": (M_PLOT, "#e8c547")}
_MEASURES: Final = {
    "native": "of the model",
    "permutation": "permutation",
    "partial_dependence": "partial dependence",
    "shap": "SHAP",
    "loco": "LOCO",
}
_DOT_ROOM: Final = 0.015  # of the axis, for half a dot at 0
_MARKERS: Final = "oD^sv"  # of the measures, in their order


def plot_effects(
    explanation: Explanation,
    name: Any,
    *,
    effects: Sequence[EffectKind] | EffectKind = EFFECT_KINDS,
    grid_size: int = GRID_SIZE,
    ci: float | None = None,
    ax: Axes | None = None,
    title: bool | str | None = True,
    legend: bool = True,
) -> Axes:
    """Draw mean effects along the axis of a feature, as `Explanation.plot` describes."""
    given, has_legend = check_title(title), check_flag("legend", legend, usual=True)
    feature, table = explanation[name], explanation.effects(name, effects, grid_size=grid_size, ci=ci)
    ax = given_axes(ax)
    look, drawn = Look.of(ax), [effect for effect in _EFFECTS if effect in table]
    x, levels = _places(feature, table.index)
    is_shifted = len(drawn) > 1  # ALE, whose mean over the observations is 0, to the level of the others
    handles: list[Artist] = []
    for at, effect in enumerate(drawn):
        color = _COLORS[effect][look.is_dark] if effect in _COLORS else look.mixed(1)
        style = {"color": color, **_EFFECTS[effect]}
        if effect == "ale" and feature.dtype_kind in UNORDERED:
            style["label"] = ALE_OF_LEVELS
        shift = _mean_prediction(feature) if effect == "ale" and is_shifted else 0.0
        columns = [column for column in (effect, f"{effect}_low", f"{effect}_high") if column in table]
        height, *ends = (table[column].to_numpy() + shift for column in columns)
        if levels is None:
            style |= {"marker": None, "linewidth": 1.6 * look.line_width, "gid": effect}
            handles += ax.plot(x, height, **style)
            if ends:
                look_of_band: dict[str, Any] = {"color": color, "alpha": _INTERVAL_OPACITY, "linewidth": 0}
                ax.fill_between(x, *ends, **look_of_band, gid=f"{effect} interval", label="_interval")
        else:
            around = np.abs(np.array(ends) - height) if ends else None
            style |= {"linestyle": "none", "gid": effect, "linewidth": look.line_width}
            bars = ax.errorbar(x + _ASIDE * (at - (len(drawn) - 1) / 2), height, around, **style)
            bars.lines[0].set_label(style["label"])
            handles.append(bars.lines[0])
    if feature.dtype_kind == "datetime":
        from matplotlib import dates

        untyped: Any = dates
        locator = untyped.AutoDateLocator(maxticks=_MOST_DATES)
        ax.xaxis.set(major_locator=locator, major_formatter=untyped.ConciseDateFormatter(locator))
    if levels is not None:
        ax.set_xticks(x, labels=[fitted(level, _LEVEL_ROOM, size_of("xtick.labelsize")) for level in levels])
    add_title(ax, f"Effects of {feature.label}", given)
    unit = " [days]" if feature.dtype_kind == "timedelta" else ""
    add_x_label(ax, f"{feature.label}{unit}")
    ax.yaxis.set_major_formatter(Numbers())
    add_y_label(ax, f"{'change of the ' if drawn == ['ale'] else 'mean '}{explanation.output_label}")
    if has_legend:
        head = add_legend(ax, handles, None)
        low, high = ax.get_ylim()
        ax.update_datalim([(0, low + (high - low) / (1 - head))], updatex=False)
        ax.autoscale_view(scalex=False)
    return ax


def _mean_prediction(feature: FeatureExplanation) -> float:
    """Mean prediction of the rows that have a value."""
    rows = feature.rows[~np.isnan(feature._item.feature.values[feature.rows])]
    return float(np.average(feature._predictions(rows), weights=feature._context.row_weights[rows]))


def _places(feature: FeatureExplanation, index: pd.Index) -> tuple[Any, list[str] | None]:
    """Return where grid values are on the axis, and their names where they are levels."""
    if feature.dtype_kind in LEVELLED or feature.dtype_kind == "boolean":
        return np.arange(len(index), dtype=np.float64), [str(level) for level in index]
    if feature.dtype_kind == "timedelta":
        return index.total_seconds() / _SECONDS_PER_DAY, None
    return index, None


def plot_interactions(
    h2: Sequence[float], names: Sequence[str], of: str, ax: Axes | None, *, max_bars: int, title: bool | str | None
) -> Axes:
    """Draw H² as bars, as `Interactions.plot` describes."""
    check_integer("max_bars", max_bars, 1, "Use `max_bars=15` for the default.")
    shown = min(max_bars, len(names))
    room = _PAIR_ROOM if of == "pairs" else _LABEL_ROOM
    ax = _named_rows(ax, names[:shown], room)
    ax.barh(np.arange(shown), h2[:shown], height=0.62, color=next_color(ax), gid="bar", zorder=2)
    add_x_label(ax, glossary.explanation("h2").name)
    left_out = f": {shown} of {len(names)}" if shown < len(names) else ""
    add_title(ax, f"Interactions of {of}{left_out}", check_title(title))
    return ax


def plot_comparison(
    comparison: Importances, ax: Axes | None, *, max_features: int, title: bool | str | None, legend: bool
) -> Axes:
    """Draw impact beside other measures, as `Importances.plot` describes."""
    check_integer("max_features", max_features, 1, "Use `max_features=30` for the default.")
    given, has_legend = check_title(title), check_flag("legend", legend, usual=True)
    table = comparison.table.sort_values("impact", ascending=False, kind="stable")
    shown = table.iloc[:max_features]
    ax = _named_rows(ax, [str(name) for name in shown.index], _LABEL_ROOM)
    look, places = Look.of(ax), np.arange(len(shown))
    bars = ax.barh(places, shown["impact"], height=0.62, color=look.mixed(0.22), label="impact", gid="impact", zorder=2)
    handles: list[Artist] = [bars.patches[0]]
    bars.patches[0].set_label("impact")
    for marker, measure in zip(_MARKERS, shown.columns.drop("impact"), strict=False):
        mark: dict[str, Any] = {"marker": marker, "linestyle": "none", "markeredgecolor": look.mixed(0)}
        label = _MEASURES[measure]
        handles += ax.plot(shown[measure], places, **mark, label=label, gid=measure, zorder=3)
    add_x_label(ax, "per cent of the sum of each measure")
    left_out = f": {len(shown)} of {len(table)} features" if len(shown) < len(table) else ""
    add_title(ax, f"Impact and other measures{left_out}", given)
    ax.set_xlim(left=-_DOT_ROOM * ax.get_xlim()[1])
    if has_legend:
        foot = add_legend(ax, handles, None, loc="lower right")
        ax.set_ylim(len(shown) * (1 + foot / (1 - foot)) - 0.4, -0.6)
    return ax


def _named_rows(ax: Axes | None, names: Sequence[str], room: float) -> Axes:
    """Return Axes with a row for each name, the first on top."""
    ax, size = given_axes(ax, n_rows=len(names)), size_of("ytick.labelsize")
    ax.set_yticks(np.arange(len(names)), labels=[fitted(name, room, size) for name in names])
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(names) - 0.4, -0.6)
    return ax
