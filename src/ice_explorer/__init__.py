"""Explain how a fitted model uses each feature: ICE curves, metrics of them, and an interactive explorer."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ice_explorer import errors
from ice_explorer.errors.base import did_you_mean, quoted
from ice_explorer.errors.tracebacks import short_traceback
from ice_explorer.version import __version__

if TYPE_CHECKING:
    from ice_explorer import bqplot, datasets
    from ice_explorer.explain_model import explain, load
    from ice_explorer.explanation import Explanation
    from ice_explorer.features.moves import Moves
    from ice_explorer.widget.explorer import ICEExplorer

__all__ = [
    "Explanation",
    "ICEExplorer",
    "Moves",
    "__version__",
    "bqplot",
    "datasets",
    "errors",
    "explain",
    "load",
]

# Everything but the errors is imported on first use.
_ON_DEMAND = {
    "Explanation": "ice_explorer.explanation",
    "ICEExplorer": "ice_explorer.widget.explorer",
    "Moves": "ice_explorer.features.moves",
    "bqplot": "ice_explorer.bqplot",
    "datasets": "ice_explorer.datasets",
    "explain": "ice_explorer.explain_model",
    "load": "ice_explorer.explain_model",
}


@short_traceback
def __getattr__(name: str) -> Any:
    if name not in _ON_DEMAND:
        offer = did_you_mean(name, __all__)
        raise errors.UnknownAttributeError(f"module {__name__!r} has no attribute {quoted(name)}.{offer}")
    module = importlib.import_module(_ON_DEMAND[name])
    value = globals()[name] = module if name in {"bqplot", "datasets"} else getattr(module, name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
