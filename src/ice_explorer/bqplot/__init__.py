"""Two bqplot figures that are linked to an explorer, for layouts and dashboards.

Figure and explorer follow each other until either is closed.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from ice_explorer.checks import check_integer
from ice_explorer.errors import DataError, MissingPackageError
from ice_explorer.errors.tracebacks import short_traceback

if TYPE_CHECKING:
    from bqplot import Figure

    from ice_explorer.widget.explorer import ICEExplorer

__all__ = ["curves", "impact"]


@short_traceback
def impact(explorer: ICEExplorer, *, max_features: int = 30) -> Figure:
    """Draw the ranking of an explorer as bars; a click on a bar opens its feature.

    Parameters
    ----------
    explorer : ICEExplorer
        Bars are added as it explains features.
    max_features : int
        Maximum number of bars.

    Returns
    -------
    bqplot.Figure
        The `x` of its mark are the labels of the features, `y` their metric, and `selected` is the index of the open
        feature.

    Raises
    ------
    DataError, OptionError
        If `explorer` is none, or bqplot is not installed.
    """
    _check("impact", explorer)
    check_integer("max_features", max_features, 1, "Leave it out for 30.")
    from ice_explorer.bqplot.figures import Ranking

    return Ranking(explorer, max_features).figure


@short_traceback
def curves(explorer: ICEExplorer, *, max_lines: int = 200) -> Figure:
    """Draw the curves of the open feature and their mean; a click on a line selects its row or deselects it.

    Lines have the colours of the explorer, with a legend. Each has one opacity along its length: bqplot cannot fade a
    line where values are unlikely. ALE and the M-plot are not drawn.

    Parameters
    ----------
    explorer : ICEExplorer
    max_lines : int
        Maximum number of lines besides those of the selected rows; at most 200 and `explorer.max_lines`.

    Returns
    -------
    bqplot.Figure
        Its marks are the curves, those of the selected rows, and the partial dependence.

    Raises
    ------
    DataError, OptionError
        As for `impact`.
    """
    _check("curves", explorer)
    check_integer("max_lines", max_lines, 1, "Leave it out for 200.")
    from ice_explorer.bqplot.figures import Curves

    return Curves(explorer, min(max_lines, 200)).figure


def _check(function: str, explorer: object) -> None:
    from ice_explorer.explanation import Explanation
    from ice_explorer.widget.explorer import ICEExplorer

    if not isinstance(explorer, ICEExplorer):
        call = "explanation" if isinstance(explorer, Explanation) else "model, X"
        raise DataError(
            f"`ice.bqplot.{function}` needs an ICEExplorer; got {type(explorer).__name__}.",
            f"Pass `ice.ICEExplorer({call})`.",
        )
    if find_spec("bqplot") is None:
        raise MissingPackageError.extra(f"`ice.bqplot.{function}`", "bqplot", "bqplot")
    explorer._features  # noqa: B018 - raises if it is closed


def __dir__() -> list[str]:
    return __all__
