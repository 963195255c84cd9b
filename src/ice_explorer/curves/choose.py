"""Choose how the curves of a model are computed: by the fastest method that reproduces its predictions."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.curves.kernel import KernelCurves, KernelModel, read_kernel
from ice_explorer.curves.linear import LinearCurves, LinearModel, read_linear
from ice_explorer.curves.method import Brute, ClosedForm, Method, Trees
from ice_explorer.curves.model_matrix import NotExactError, check_difference, read_matrix
from ice_explorer.errors import InvalidOptionError
from ice_explorer.models.pipeline import peel
from ice_explorer.runtime import HAS_NUMBA
from ice_explorer.trees.curves import TreeCurves, check_limit
from ice_explorer.trees.forest import NotTreesError, UnsupportedTreesError, accept_link, read_forest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ice_explorer.engines.context import Context, EngineName
    from ice_explorer.engines.feature_input import FeatureInput
    from ice_explorer.features.columns import Columns
    from ice_explorer.models.predict import Predictor
    from ice_explorer.trees.forest import Forest

_TOLERANCE = 1e-9
_FLOAT32_TOLERANCE = 1e-5  # XGBoost sums leaves in single precision
_BRUTE = "every phantom observation is predicted, which works for any model"
_FORMS = {"linear": "a linear model", "kernel": "a sum of RBF kernels"}


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

        - raises UnsupportedTreesError: if they cannot be read, or are none.
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
    if wanted == "brute" or context.probe is None:
        if wanted not in {"brute", "auto"}:
            raise _not_exact(wanted, "The model fails on phantoms.")
        return Brute(context, items, n_jobs, "requested; " + _BRUTE if wanted == "brute" else _BRUTE), []
    notes = []
    for name in (*_FORMS, "tree") if wanted == "auto" else [wanted]:
        try:
            if name == "tree":
                return _trees(inside, context, items, n_jobs), []
            method = _closed_form(name, inside, context, items, n_jobs)
            if method is not None:
                return method, []
            reason = f"The response {inside.predictor.response!r} of {type(inside.peeled.model).__name__} is not "
            if wanted != "auto":
                raise NotExactError(f"{reason}{_FORMS[name]}.")  # noqa: TRY301 - as what readers raise
        except (NotExactError, UnsupportedTreesError) as error:
            if wanted != "auto":
                raise _not_exact(name, str(error)) from error
            if not isinstance(error, NotTreesError):
                notes.append(f"The {name} engine is not used; every phantom observation is predicted: {error}")
    return Brute(context, items, n_jobs, _BRUTE), notes


def _not_exact(method: str, reason: str) -> InvalidOptionError:
    what = "a model that it computes exactly"
    return InvalidOptionError.needs(f'engine="{method}"', what, reason, 'engine="auto"')


def _reason(inside: Inside, how: str) -> str:
    around = " after its transformers" if inside.peeled.transform is not None else ""
    return f"{type(inside.peeled.model).__name__}{around} {how}"


def _closed_form(
    name: str, inside: Inside, context: Context, items: Sequence[FeatureInput], n_jobs: int
) -> Method | None:
    """Return the method of a linear model or a sum of kernels; None if the model is of another kind."""
    peeled, predictor = inside.peeled, inside.predictor
    try:
        read: Callable[..., LinearModel | KernelModel | None] = read_linear if name == "linear" else read_kernel
        model = read(peeled.model, predictor.position, predictor.response)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise NotExactError(
            f"This version of {type(peeled.model).__name__} stores the fitted model in an unknown format "
            f"({type(error).__name__}: {error})."
        ) from error
    if model is None:
        return None
    unseen = [] if peeled.steps else model.unused
    matrix = read_matrix(context, items, peeled, n_columns=model.n_columns, unseen=unseen)
    assert context.probe is not None  # noqa: S101 - without one every phantom is predicted
    outputs = model.predict(np.column_stack(matrix.phantoms(context.probe)))
    check_difference(matrix.difference(context, peeled, outputs), _TOLERANCE)
    if isinstance(model, LinearModel):
        curves: LinearCurves | KernelCurves = LinearCurves(model, np.column_stack(matrix.columns))
        reason = _reason(inside, "has a closed form")
    else:
        curves = KernelCurves(model, np.column_stack(matrix.columns))
        reason = _reason(inside, "is a sum of RBF kernels: one matrix product per feature")
    return ClosedForm(curves, matrix, peeled, context, items, n_jobs=n_jobs, name=name, reason=reason)


def _trees(inside: Inside, context: Context, items: Sequence[FeatureInput], n_jobs: int) -> Method:
    peeled, forest, predictor = inside.peeled, inside.trees, inside.predictor
    if not HAS_NUMBA:
        raise UnsupportedTreesError("numba is not installed, and exact curves of trees need compiled code.")
    if forest.library == "LightGBM" and context.table.is_integer_array and peeled.transform is None:
        # LightGBM makes single precision of such arrays.
        forest = replace(forest, inputs=replace(forest.inputs, dtype=np.dtype(np.float32)))
    unseen = np.setdiff1d(np.arange(forest.n_features), forest.feature).tolist()
    labelled = {*forest.inputs.levels, *unseen}
    matrix = read_matrix(context, items, peeled, n_columns=forest.n_features, labelled=labelled)
    free = {item.at_issue: (matrix.places[item.at_issue], matrix.grids[item.at_issue]) for item in items}
    moved = [place for places, _ in free.values() for place in places.tolist()]
    if len(set(moved)) < len(moved):
        raise NotExactError("Two features change the same input column of the trees.")
    check_limit(len(free))
    tolerance = _FLOAT32_TOLERANCE if forest.library == "XGBoost" else _TOLERANCE
    assert context.probe is not None  # noqa: S101 - without one every phantom is predicted
    phantoms, difference = matrix.phantoms(context.probe), partial(matrix.difference, context, peeled)
    forest, smallest = accept_link(
        forest, predictor.position, predictor.response, phantoms, difference, tolerance=tolerance
    )
    check_difference(smallest, tolerance)
    make_trees = partial(TreeCurves, forest, matrix.columns, free)
    reason = _reason(inside, "is evaluated tree by tree: all features at once, exactly")
    return Trees(make_trees, peeled, context, items, n_jobs=n_jobs, reason=reason)
