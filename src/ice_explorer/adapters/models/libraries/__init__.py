"""Support for models without the scikit-learn interface, with one module per library.

A library is imported only if a model of it is given, and often not even then.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ice_explorer.adapters.models.source import Source

__all__ = ["foreign_source"]

_LIBRARIES = {"catboost", "lightgbm", "mlflow", "statsmodels", "torch", "xgboost"}


def foreign_source(model: Any) -> Source | None:
    """Read a model of a library with words of its own.

    - returns: None for every other model.
    """
    for known in type(model).__mro__:
        library = known.__module__.partition(".")[0]
        if library not in _LIBRARIES:
            continue
        reader = importlib.import_module(f"{__name__}.{library}")
        if known.__name__ in reader.CLASSES:
            source: Source | None = reader.source(model)
            return source
    return None
