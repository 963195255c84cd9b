"""Linked bqplot figures of an explorer, for custom layouts and dashboards.

Each function returns a `bqplot.Figure` to be laid out with ipywidgets. Figure and explorer follow each other until
either is closed. Figures are drawn in the thread that created them; the model is called in the explorer's thread.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ice_explorer.checks import check_integer
from ice_explorer.errors import DataError, MissingPackageError
from ice_explorer.errors.tracebacks import short_traceback

if TYPE_CHECKING:
    from bqplot import Figure

    from ice_explorer.explanation import Explanation
    from ice_explorer.tables.column import Name
    from ice_explorer.widget.explorer import ICEExplorer

__all__ = ["curves", "impact", "partial_dependence", "two_way"]

MAX_LINES = 200
MAX_FEATURES = 30
MOST_VALUES = 20  # of each of two features: a page redraws 400 cells of SVG at once, not many more


@short_traceback
def impact(explorer: ICEExplorer, *, max_features: int = MAX_FEATURES) -> Figure:
    """Draw the ranking as bars, sorted while the decay slider moves; a click on one opens its feature.

    Parameters
    ----------
    explorer : ICEExplorer
        Also one that still computes: bars come as features do.
    max_features : int
        How many bars there are at most, of the features that rank first.

    Returns
    -------
    bqplot.Figure
        Two marks: bars of the undecayed impact in pale, and over them those of the explorer. The `x` of these are
        labels, `y` what the bars of the explorer reach to, in its unit and decayed where impact is ranked by, and
        `selected` is the place of the open feature, which can be set as well.

    Raises
    ------
    DataError
        If it is no explorer.
    OptionError
        If bqplot is not installed; also an ImportError.
    """
    _check("impact", explorer)
    check_integer("max_features", max_features, 1, f"Leave it out for {MAX_FEATURES}.")
    from ice_explorer.bqplot.ranking import Bars

    return Bars(explorer, max_features).figure


@short_traceback
def curves(explorer: ICEExplorer, *, max_lines: int = MAX_LINES) -> Figure:
    """Draw the curves of the open feature with their mean, in the colours of the explorer.

    A line of bqplot has one opacity all along: lines do not fade where values are unlikely. ALE and the M-plot are
    not drawn. A click on a line selects its row, or no longer does.

    Parameters
    ----------
    explorer : ICEExplorer
    max_lines : int
        How many lines are drawn at most, selected rows besides; at most 200, and no more than `explorer.max_lines`.

    Returns
    -------
    bqplot.Figure
        Marks: the curves, those of the selected rows over them, and the partial dependence with a rim.

    Raises
    ------
    DataError, OptionError
        As `impact`.
    """
    _check("curves", explorer)
    check_integer("max_lines", max_lines, 1, f"Leave it out for {MAX_LINES}.")
    from ice_explorer.bqplot.lines import Curves

    return Curves(explorer, min(max_lines, MAX_LINES)).figure


@short_traceback
def partial_dependence(explorer: ICEExplorer) -> Figure:
    """Draw the mean of the curves of the open feature, within one standard deviation of them.

    The band is a spread of rows, no confidence band.

    Parameters
    ----------
    explorer : ICEExplorer

    Returns
    -------
    bqplot.Figure
        Marks: the band, bars of the same where levels stand apart, and the partial dependence.

    Raises
    ------
    DataError, OptionError
        As `impact`.
    """
    _check("partial_dependence", explorer)
    from ice_explorer.bqplot.mean import Mean

    return Mean(explorer).figure


@short_traceback
def two_way(
    source: ICEExplorer | Explanation, first: Name, second: Name, *, grid_size: int = MOST_VALUES, sample: int = 500
) -> Figure:
    """Draw the partial dependence on two features as a heat map.

    The model predicts every pair of their values, whichever method explains it: for an explorer in the background,
    and again when another output is chosen.

    Parameters
    ----------
    source : ICEExplorer or Explanation
    first, second : object
        Names of two features: across, and upwards.
    grid_size : int
        Most values of each, 20 at most: observed quantiles, or levels.
    sample : int
        Of how many rows each cell is the mean at most; the figure says of how many it is.

    Returns
    -------
    bqplot.Figure
        One mark, a grid whose rows are those of `second`.

    Raises
    ------
    ICEExplorerError
        If there is no such feature, or both are the same; otherwise as `impact`.
    """
    _check("two_way", source, or_explanation=True)
    check_integer("grid_size", grid_size, 2, f"Leave it out for {MOST_VALUES}.")
    from ice_explorer.bqplot.heat import heat_figure

    return heat_figure(source, (first, second), min(grid_size, MOST_VALUES), sample)


def _check(function: str, got: Any, *, or_explanation: bool = False) -> None:
    """Check that there is something to draw, and something to draw it with."""
    from ice_explorer.explanation import Explanation
    from ice_explorer.widget.explorer import ICEExplorer

    takes = (ICEExplorer, Explanation) if or_explanation else (ICEExplorer,)
    if not isinstance(got, takes):
        what = "an ICEExplorer or an Explanation" if or_explanation else "an ICEExplorer"
        call = "explanation" if isinstance(got, Explanation) else "model, X"
        raise DataError(
            f"A figure of bqplot is one of {what}; got {type(got).__name__}.", f"Pass `ice.ICEExplorer({call})`."
        )
    if find_spec("bqplot") is None:
        raise MissingPackageError.extra(f"`ice.bqplot.{function}`", "bqplot", "bqplot")


def __dir__() -> list[str]:
    return __all__
