"""Convert the trees of any library to one node-array layout, with one module per library.

The modules read fitted models without importing their libraries.
"""

from __future__ import annotations

import importlib
import inspect
from typing import TYPE_CHECKING, Any

from ice_explorer.adapters.structure.trees.ensemble import NotTreesError, UnsupportedTreesError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.adapters.structure.trees.ensemble import Response, TreeEnsemble

__all__ = ["tree_ensemble"]

_NAME_IN_PROSE = {"sklearn": "scikit-learn", "xgboost": "XGBoost", "lightgbm": "LightGBM", "catboost": "CatBoost"}
_RESPONSE_METHODS = ("predict", "predict_proba", "decision_function", "score_samples")


def tree_ensemble(
    model: Any, output_position: int | None, response: Response, categorical_columns: Sequence[int] = ()
) -> TreeEnsemble:
    """Read the trees of a fitted model, such that they give one output of one response.

    - `model`: fitted, of scikit-learn, XGBoost, LightGBM or CatBoost.
    - `output_position`: index into the model's classes or outputs. None takes the only output, or the second of two
      classes.
    - `response`: as in `explain`; "raw" is the sum of the leaves before any link.
    - `categorical_columns`: positions of the columns of X that are categorical by their dtype. LightGBM keeps the
      labels of such columns without saying which they are.
    - raises UnsupportedTreesError: if the model is no known tree ensemble, or its predictions cannot be had exactly
      from its trees.
    """
    for known in type(model).__mro__:
        library = known.__module__.partition(".")[0]
        if library not in _NAME_IN_PROSE:
            continue
        reader = importlib.import_module(f"{__name__}.{library}")
        if known.__name__ not in reader.READERS:
            continue
        for method in _RESPONSE_METHODS:
            if inspect.getattr_static(type(model), method, None) is not inspect.getattr_static(known, method, None):
                raise UnsupportedTreesError(
                    f"{type(model).__name__} overrides {method}(), "
                    f"which the trees of {known.__name__} may not reproduce."
                )
        try:
            ensemble: TreeEnsemble = reader.READERS[known.__name__](model, output_position, response)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise UnsupportedTreesError(
                f"This version of {_NAME_IN_PROSE[library]} stores its trees in an unknown format "
                f"({type(error).__name__}: {error})."
            ) from error
        return ensemble.with_levels_of(categorical_columns)
    raise NotTreesError(f"{type(model).__name__} is not a supported tree ensemble.")
