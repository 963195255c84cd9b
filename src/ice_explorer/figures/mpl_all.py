"""All features in small, as a matplotlib Figure to style further."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ice_explorer.figures.mpl import SMALL, add_color_bar, fill_frame, fitted, frame_lines, on_paper
from ice_explorer.figures.mpl_page import require_matplotlib
from ice_explorer.figures.page import INK, QUIET
from ice_explorer.figures.scene import ranking_of, scene
from ice_explorer.figures.view import KIND_TITLES, ViewState
from ice_explorer.options import check_integer

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ice_explorer.explanation import Explanation
    from ice_explorer.figures.view import Coloring, Scene
    from ice_explorer.messages import Kind, RankBy

_INCHES_PER_MM: Final = 1 / 25.4
_PANEL: Final = (58.0, 44.0)  # mm
_PT_PER_MM: Final = 72 / 25.4


def plot_all(
    explanation: Explanation,
    kind: Kind = "c-ice",
    color_by: Any = None,
    *,
    decay: float | None = None,
    rank_by: RankBy = "in_distribution_impact",
    anchor: Any = "min",
    max_lines: int = 300,
    max_features: int = 30,
    n_columns: int = 3,
    share_y: bool = True,
) -> Figure:
    """Draw the curves of all features side by side, in the order of the ranking.

    Parameters
    ----------
    explanation : Explanation
    kind : {"ice", "c-ice", "d-ice"}
        Curves, curves since the anchor, or slopes.
    color_by : object, optional
        Name of the column, or of the group of columns, that colours the lines.
    decay : float, optional
        λ by which segments fade; that of the explanation by default.
    rank_by : str
        What the order is by, as for `plot_impact`.
    anchor : {"min", "max", "median", "own"} or float
        Where c-ICE is 0.
    max_lines : int
        Lines drawn of each feature.
    max_features : int
        Features drawn at most; the title counts them.
    n_columns : int
        Panels in one row.
    share_y : bool
        One scale for all, so that their heights compare; slopes are per unit of each feature and keep their own.

    Returns
    -------
    Figure
        Its axes are labelled by feature: `figure.axes[0].get_label()`.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed; also an ImportError.
    """
    require_matplotlib()
    check_integer("max_features", max_features, 1, "Use `max_features=30` for the default.")
    check_integer("n_columns", n_columns, 1, "Use `n_columns=3` for the default.")
    state = ViewState(
        color_by=None if color_by is None else explanation.column(color_by).label,
        kind=kind,
        decay=explanation.settings.decay if decay is None else decay,
        rank_by=rank_by,
        anchor=anchor,
        max_lines=max_lines,
    )
    bars = ranking_of(explanation, state).bars
    scenes = [scene(explanation, replace(state, feature=bar.label)) for bar in bars[:max_features]]
    figure, axes = _panels(len(scenes), n_columns)
    for ax, shown in zip(axes, scenes, strict=True):
        domain = _shared(scenes) if share_y and kind != "d-ice" else shown.lines.y_domain
        _frame(ax, shown, domain)
    count = f"{len(scenes)} of {len(bars)} features by {scenes[0].ranking.title}"
    figure.suptitle(f"{KIND_TITLES[kind]}: {count}", fontsize=SMALL + 1.5, fontweight="bold", color=INK)
    output = explanation.output_label
    what = {"ice": output, "c-ice": f"change of the {output}", "d-ice": f"slope of the {output}"}[kind]
    figure.supylabel(fitted(what, 200), fontsize=SMALL, color=QUIET, parse_math=False)
    _explain_colors(figure, axes, scenes[0].coloring)
    _settle(figure)
    for ax, shown in zip(axes, scenes, strict=True):
        fill_frame(ax, shown.lines, shown.coloring)
    figure.set_layout_engine("constrained")
    return figure


def _panels(n_panels: int, n_columns: int) -> tuple[Figure, list[Axes]]:
    from matplotlib import pyplot as plt

    n_columns = min(n_columns, n_panels)
    n_rows = math.ceil(n_panels / n_columns)
    size = n_columns * _PANEL[0] * _INCHES_PER_MM, (n_rows * _PANEL[1] + 8) * _INCHES_PER_MM
    figure, grid = plt.subplots(n_rows, n_columns, figsize=size, layout="constrained", facecolor="white", squeeze=False)
    axes = list(grid.flat)
    for ax in axes[n_panels:]:
        ax.remove()
    return figure, axes[:n_panels]


def _shared(scenes: list[Scene]) -> tuple[float, float]:
    domains = [shown.lines.y_domain for shown in scenes if not shown.lines.is_empty]
    return min(low for low, _ in domains), max(high for _, high in domains)


def _frame(ax: Axes, shown: Scene, y_domain: tuple[float, float]) -> None:
    on_paper(ax)
    ax.set_label(shown.lines.feature)
    frame_lines(ax, shown.lines, y_domain)
    name = fitted(shown.lines.x_title, 0.8 * _PANEL[0] * _PT_PER_MM)
    ax.set_title(name, loc="left", fontsize=SMALL, color=INK, parse_math=False)


def _explain_colors(figure: Figure, axes: list[Axes], coloring: Coloring) -> None:
    """Say once what the colours mean."""
    if coloring.domain is not None:
        add_color_bar(axes, coloring, coloring.domain)
    if not coloring.levels:
        return
    from matplotlib.patches import Patch

    patches = [Patch(facecolor=coloring.palette.css(level)) for level in range(len(coloring.levels))]
    # matplotlib drops labels that begin with an underscore, so the texts are set afterwards.
    legend = figure.legend(
        patches, [str(level) for level in range(len(patches))], loc="outside lower left", title=" ",
        ncols=min(4, len(patches)), frameon=False, fontsize=SMALL, title_fontsize=SMALL, labelcolor=QUIET,
        alignment="left",
    )  # fmt: skip
    for written, text in zip(legend.get_texts(), coloring.levels, strict=True):
        written.set(text=fitted(text, 125), parse_math=False)
    legend.get_title().set(text=fitted(coloring.title or "", 260), parse_math=False, fontweight="bold", color=INK)


def _settle(figure: Figure) -> None:
    """Lay out the panels once, so that each image of lines need not do it again."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
