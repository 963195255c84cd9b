"""Choose how the curves of a model are computed: by the fastest method that reproduces its predictions."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ice_explorer.curves.kernel import read_kernel
from ice_explorer.curves.linear import read_linear
from ice_explorer.curves.method import Brute, ClosedForm, Method, Trees
from ice_explorer.curves.model_matrix import read_matrix
from ice_explorer.errors import InvalidOptionError
from ice_explorer.models.pipeline import peel
from ice_explorer.runtime import HAS_NUMBA
from ice_explorer.trees.curves import MOST_FEATURES, TreeCurves
from ice_explorer.trees.forest import NotExactError, OtherKindError, read_forest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from ice_explorer.curves.kernel import KernelModel
    from ice_explorer.curves.linear import LinearModel
    from ice_explorer.curves.model_matrix import ModelMatrix
    from ice_explorer.engines.context import Context, EngineName
    from ice_explorer.engines.feature_input import FeatureInput
    from ice_explorer.features.columns import Columns
    from ice_explorer.models.predict import Predictor
    from ice_explorer.trees.forest import Forest

    Array = NDArray[np.float64]

Candidate = TypeVar("Candidate")

_TOLERANCE = 1e-9
_FLOAT32_TOLERANCE = 1e-5  # XGBoost sums leaves in single precision
_BRUTE = "every phantom observation is predicted, which works for any model"
_FORMS = {"linear": "a linear model", "kernel": "a sum of RBF kernels"}
_HOW = {"linear": "has a closed form", "kernel": "is a sum of RBF kernels: one matrix product per feature"}


class Inside:
    """The structure inside a model.

    - `peeled`: the model without pipelines and other wrappers.
    """

    def __init__(self, model: Any, predictor: Predictor, columns: Columns) -> None:
        self.peeled = peel(model, predictor.response)
        self.predictor = predictor
        self._columns = columns

    @cached_property
    def trees(self) -> Forest:
        """The trees of an ensemble, without the link.

        - raises NotExactError: if they cannot be read, or are none.
        """
        categorical = [
            position for position, column in enumerate(self._columns.read)
            if self.peeled.transform is None and column.kind in {"category", "ordered"}
        ]  # fmt: skip
        return read_forest(self.peeled.model, self.predictor.position, self.predictor.response, categorical)


def choose_method(
    wanted: EngineName, inside: Inside, context: Context, items: Sequence[FeatureInput], n_jobs: int
) -> tuple[Method, list[str]]:
    """Choose the method of a model: linear where it applies, then kernel, tree, and brute.

    - `wanted`: "auto", or the method that the user insists on.
    - `inside`: of the model.
    - returns `notes`: why a model that a method is made for is not computed by it.
    - raises InvalidOptionError: if the method that was asked for cannot explain the model.
    """
    if wanted == "brute":
        return Brute("requested; " + _BRUTE, context, items, n_jobs), []
    notes = []
    for name in (*_FORMS, "tree") if wanted == "auto" else [wanted]:
        try:
            if context.probe is None:
                raise OtherKindError("The model fails on phantoms.")
            read = _trees if name == "tree" else partial(_closed_form, name)
            return read(inside, context, items, n_jobs), []
        except NotExactError as error:
            if wanted != "auto":
                what = "a model that it computes exactly"
                raise InvalidOptionError.needs(f'engine="{name}"', what, str(error), 'engine="auto"') from error
            if not isinstance(error, OtherKindError):
                notes.append(f"The {name} engine is not used; every phantom observation is predicted: {error}")
    return Brute(_BRUTE, context, items, n_jobs), notes


def _reason(inside: Inside, how: str) -> str:
    around = " after its transformers" if inside.peeled.transform is not None else ""
    return f"{type(inside.peeled.model).__name__}{around} {how}"


def _probed(matrix: ModelMatrix, context: Context) -> tuple[list[NDArray[Any]], Array]:
    """Return the columns of phantoms of the probe, and what the model predicted for them."""
    assert context.probe is not None  # noqa: S101 - without one every phantom is predicted
    phantoms, is_known = matrix.phantoms(context.probe)
    return phantoms, context.witness.predicted[is_known]


def _accepted(
    candidates: Iterable[tuple[Candidate, Array]], predicted: Array, inside: Inside, tolerance: float
) -> list[Candidate]:
    """Return the candidates whose outputs are what the model predicted.

    - raises NotExactError: if there are none.
    """
    matches, smallest, size = [], float("inf"), float(np.max(np.abs(predicted), initial=1e-300))
    for candidate, outputs in candidates:
        difference = float("inf")
        if np.isfinite(outputs).all() and np.isfinite(size):
            difference = float(np.max(np.abs(inside.peeled.output(outputs) - predicted), initial=0.0)) / size
        smallest = min(smallest, difference)
        if difference <= tolerance:
            matches.append(candidate)
    if not matches:
        raise NotExactError(
            f"Its predictions of phantom observations differ from those of the model by {smallest:.2g} of their size."
        )
    return matches


def _closed_form(name: str, inside: Inside, context: Context, items: Sequence[FeatureInput], n_jobs: int) -> Method:
    """Return the method of a linear model or a sum of RBF kernels."""
    peeled, position, response = inside.peeled, inside.predictor.position, inside.predictor.response
    model_name = type(peeled.model).__name__
    try:
        read: Callable[..., LinearModel | KernelModel | None] = read_linear if name == "linear" else read_kernel
        model = read(peeled.model, position, response)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise NotExactError.unknown_format(model_name, "the fitted model", error) from error
    if model is None:
        raise OtherKindError(f"The response {response!r} of {model_name} is not {_FORMS[name]}.")
    matrix = read_matrix(context, items, peeled, n_columns=model.n_columns, unused=model.unused)
    phantoms, predicted = _probed(matrix, context)
    known = predicted if peeled.restore is None else None
    candidates = model.candidates(np.column_stack(phantoms), known)
    make_curves, *_ = _accepted(candidates, predicted, inside, _TOLERANCE)
    reason = _reason(inside, _HOW[name])
    curves = make_curves(np.column_stack(matrix.columns))
    return ClosedForm(name, reason, context, items, n_jobs, formula=curves, matrix=matrix, peeled=peeled)


def _trees(inside: Inside, context: Context, items: Sequence[FeatureInput], n_jobs: int) -> Method:
    forest, predictor = inside.trees, inside.predictor
    if not HAS_NUMBA:
        raise NotExactError("numba is not installed, and exact curves of trees need compiled code.")
    if len(items) > MOST_FEATURES:
        raise NotExactError(f"The sweep moves up to {MOST_FEATURES} features; there are {len(items)}.")
    if forest.library == "LightGBM" and context.table.is_integer_array and inside.peeled.transform is None:
        # LightGBM makes single precision of such arrays.
        forest = replace(forest, dtype=np.dtype(np.float32))
    unused = np.setdiff1d(np.arange(forest.n_features), forest.feature).tolist()
    matrix = read_matrix(
        context, items, inside.peeled, n_columns=forest.n_features, unused=unused, labelled=forest.levels
    )
    phantoms, predicted = _probed(matrix, context)
    # The sweep that computes curves also sums the leaves of the phantoms.
    leaves = (
        TreeCurves(replace(forest, base=np.zeros_like(forest.base)), phantoms, {})
        .sweep([])(np.arange(len(predicted)))
        .base
    )
    tolerance = _FLOAT32_TOLERANCE if forest.library == "XGBoost" else _TOLERANCE
    candidates = forest.candidates(leaves, predictor.position, predictor.response)
    accepted, *others = _accepted(candidates, predicted, inside, tolerance)
    if others and (forest.feature >= 0).any():
        raise NotExactError("Several functions of the sum of the leaves reproduce the predictions of the model.")
    free = {item.at_issue: (matrix.places[item.at_issue], matrix.grids[item.at_issue]) for item in items}
    make_trees = partial(TreeCurves, forest.with_link(*accepted), matrix.columns, free)
    reason = _reason(inside, "is evaluated tree by tree: all features at once, exactly")
    return Trees(reason, context, n_jobs, make_trees=make_trees, peeled=inside.peeled)
