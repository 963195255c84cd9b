"""`Explanation.plot`: which figure is meant, and whether the options are those of that figure."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final

from ice_explorer.checks import check_one_of
from ice_explorer.errors.keywords import unknown_keyword
from ice_explorer.figures.axes.axes import plot_curves, plot_ranking
from ice_explorer.figures.axes.beyond import plot_effects
from ice_explorer.figures.axes.pair import plot_pair
from ice_explorer.figures.axes.panels import plot_panels
from ice_explorer.results.options import KINDS
from ice_explorer.scene.view_state import Besides

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ice_explorer.comparison import ModelComparison
    from ice_explorer.explanation import Explanation

_KINDS: Final = (*KINDS, "effects")
_LENGTH_OF_PAIR: Final = 2


def plot(explanation: Explanation, what: Any, kind: str | None, options: Mapping[str, Any]) -> Axes | Figure:
    """Draw what `Explanation.plot` describes.

    - raises ArgumentError: if the figure has no such option.
    """
    chosen = {} if kind is None else {"kind": check_one_of("kind", kind, _KINDS)}
    if what is None:
        return _draw(plot_ranking, (explanation,), {**chosen, **options})
    is_feature = what in explanation
    if kind == "effects":
        return _draw(plot_effects, (explanation, what), options)
    if not is_feature and isinstance(what, tuple) and len(what) == _LENGTH_OF_PAIR:
        return _draw(plot_pair, (explanation, what), {**chosen, **options})
    if not is_feature and isinstance(what, list):
        return _draw(plot_panels, (explanation, what), {**chosen, **options})
    return _draw(plot_curves, (explanation, what), {**chosen, **options})


def plot_of_models(models: ModelComparison, what: Any, kind: str | None, options: Mapping[str, Any]) -> Any:
    """Draw what `ModelComparison.plot` describes."""
    chosen = {} if kind is None else {"kind": check_one_of("kind", kind, KINDS)}
    besides = {**chosen, **options, "besides": Besides(models=models)}
    if what is None:
        return _draw(plot_ranking, (models._open,), besides)
    return _draw(plot_curves, (models._open, what), besides)


def _draw(draw: Callable[..., Axes | Figure], arguments: tuple[Any, ...], options: Mapping[str, Any]) -> Axes | Figure:
    known = [name for name in list(inspect.signature(draw).parameters)[len(arguments) :] if name != "besides"]
    unknown = next((name for name in options if name not in (*known, "besides")), None)
    if unknown is not None:
        raise unknown_keyword("plot", unknown, known)
    return draw(*arguments, **options)
