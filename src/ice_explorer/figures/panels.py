"""Small plots of all features as a Matplotlib Figure."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ice_explorer.checks import check_flag, check_integer, check_names
from ice_explorer.errors import OptionError
from ice_explorer.errors.base import counted
from ice_explorer.figures.curves import FeaturePlot
from ice_explorer.figures.legend import add_figure_legend, add_shared_color_bar
from ice_explorer.figures.style import Look, Styling, bare_figure, next_color, with_palette
from ice_explorer.figures.text import add_title, fitted, room_of, size_of
from ice_explorer.scene.build import shown_lines
from ice_explorer.scene.scene import KIND_TITLES
from ice_explorer.scene.view_state import ViewState

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ice_explorer.explanation import Explanation
    from ice_explorer.results.options import Kind
    from ice_explorer.scene.lines import Lines

_PANEL: Final = (0.38, 0.4)  # of the size of a usual figure
_AROUND: Final = 4.0  # letters, for title and legend


def plot_panels(
    explanation: Explanation,
    features: Sequence[Any],
    kind: Kind = "c-ice",
    *,
    color_by: Any = None,
    decay: float | None = None,
    anchor: Any = "min",
    max_lines: int = 300,
    n_columns: int = 3,
    share_y: bool = True,
    title: bool | str | None = True,
    legend: bool = True,
    palette: Any = None,
    line_kw: Mapping[str, Any] | None = None,
    mean_kw: Mapping[str, Any] | None = None,
) -> Figure:
    """Draw the curves of several features side by side, as `Explanation.plot` describes."""
    shown = [explanation[feature] for feature in check_names("what", features)]
    if not shown:
        raise OptionError.no_features()
    check_integer("n_columns", n_columns, 1, "Use `n_columns=3` for the default.")
    state = ViewState(
        color_by=None if color_by is None else explanation._column(color_by).label,
        kind=kind,
        decay=explanation.settings.decay if decay is None else decay,
        anchor=anchor,
        max_lines=max_lines,
    )
    styling = Styling.checked(
        title=title, legend=legend, palette=palette, line_kw=line_kw, mean_kw=mean_kw, is_colored=color_by is not None
    )
    is_shared = check_flag("share_y", share_y, usual=True) and kind != "d-ice"
    drawn = [shown_lines(explanation, opened, replace(state, feature=opened.label)) for opened in shown]
    drawn = [(replace(lines, has_rug=False), coloring) for lines, coloring in drawn]  # so that all have one axis
    all_lines = [lines for lines, _ in drawn]
    with_palette(drawn[0][1], palette, Look.of_paper(), "black")  # before a figure is made that nobody needs
    figure, axes = _panels(len(shown), n_columns)
    look = Look.of(axes[0])
    color = None if color_by is not None else styling.line_kw.get("color") or next_color(axes[0])
    plots = []
    for ax, opened, (lines, coloring) in zip(axes, shown, drawn, strict=True):
        ax.set_label(opened.label)
        colored = with_palette(coloring, palette, look, color)
        domain = _shared(all_lines) if is_shared else lines.y_domain
        plots.append(FeaturePlot(ax, lines, colored, look, styling, len(opened.rows), domain))
        add_title(ax, lines.x_title, given=True)
        plots[-1].draw(room_of(ax)[0])
        plots[-1].set_limits(0.0)
    usual = f"{KIND_TITLES[kind]} of {len(shown)} of {counted(len(explanation), 'feature')}"
    if styling.title:
        figure.suptitle(usual if styling.title is True else styling.title)
    output = explanation.output_label
    what = {"ice": output, "c-ice": f"change of the {output}", "d-ice": f"slope of the {output}"}[kind]
    figure.supylabel(fitted(what, 72 * figure.get_figheight(), size_of("figure.labelsize")))
    if styling.legend:
        longest = max(plots, key=lambda each: (len(each.handles), not each.lines.on_levels))
        add_figure_legend(figure, longest.handles, longest.legend_title, 72 * figure.get_figwidth())
        if plots[0].coloring.domain is not None:
            add_shared_color_bar(figure, axes, plots[0].coloring)
    return figure


def _panels(n_panels: int, n_columns: int) -> tuple[Figure, list[Axes]]:
    from matplotlib import rcParams

    n_columns = min(n_columns, n_panels)
    n_rows = math.ceil(n_panels / n_columns)
    usual = rcParams["figure.figsize"]
    around = _AROUND * size_of("font.size") / 72
    size = n_columns * _PANEL[0] * usual[0], n_rows * _PANEL[1] * usual[1] + around
    figure = bare_figure(*size)
    axes = list(figure.subplots(n_rows, n_columns, squeeze=False).flat)
    for ax in axes[n_panels:]:
        ax.remove()
    return figure, axes[:n_panels]


def _shared(all_lines: Sequence[Lines]) -> tuple[float, float]:
    domains = [lines.y_domain for lines in all_lines if not lines.is_empty]
    return min(low for low, _ in domains), max(high for _, high in domains)
