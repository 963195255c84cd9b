"""Choose the engine of a model: the fastest one that reproduces its predictions."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ice_explorer.curves.kernel import KernelCurves, read_kernel
from ice_explorer.curves.linear import LinearCurves, read_linear
from ice_explorer.engines.model_space import NotColumnwiseError, Space
from ice_explorer.engines.sums import BruteEngine, ClosedFormEngine, TreeEngine
from ice_explorer.errors import ICEExplorerError, InvalidOptionError
from ice_explorer.models.pipeline import peel
from ice_explorer.runtime import HAS_NUMBA
from ice_explorer.trees.curves import TreeCurves, check_limit
from ice_explorer.trees.forest import NotTreesError, UnsupportedTreesError, accept_link, read_forest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ice_explorer.engines.context import Context, EngineName
    from ice_explorer.engines.feature_input import FeatureInput
    from ice_explorer.engines.sums import Engine
    from ice_explorer.features.columns import Columns
    from ice_explorer.models.pipeline import Peeled
    from ice_explorer.models.predict import Predictor
    from ice_explorer.trees.forest import Forest

_Model = TypeVar("_Model")

_TOLERANCE = 1e-9
_FLOAT32_TOLERANCE = 1e-5  # XGBoost sums leaves in single precision
_BRUTE = "every phantom observation is predicted, which works for any model"


class OtherFormError(ICEExplorerError):
    """A model, or the response that is explained, is of no form that an engine computes; the message says which."""


class NotExactError(ICEExplorerError):
    """An engine cannot reproduce the predictions of the model; the message states why."""


class Inside:
    """The structure inside a model, read once for all engines.

    - `peeled`: the model without what stands around it.
    """

    def __init__(self, model: Any, predictor: Predictor, columns: Columns) -> None:
        self.peeled = peel(model, predictor.response)
        self.position, self.response = predictor.position, predictor.response
        self._predictor = predictor
        self._columns = columns

    def read(self, reader: Callable[[Any, int | None, str], _Model | None], form: str) -> _Model:
        """Read a model; what its library keeps otherwise than in the versions known here is no error."""
        model, response = self.peeled.model, self._predictor.response
        try:
            result = reader(model, self._predictor.position, response)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise NotExactError(
                f"This version of {type(model).__name__} stores the fitted model in an unknown format "
                f"({type(error).__name__}: {error})."
            ) from error
        if result is None:
            raise OtherFormError(f"The response {response!r} of {type(model).__name__} is not {form}.")
        return result

    @cached_property
    def trees(self) -> Forest:
        """The trees of an ensemble, without the link.

        - raises UnsupportedTreesError: if they cannot be read, or are none.
        """
        categorical = [
            position for position, column in enumerate(self._columns.read)
            if self.peeled.transform is None and column.kind in {"category", "ordered"}
        ]  # fmt: skip
        return read_forest(self.peeled.model, self.position, self.response, categorical)


_REFUSALS = (NotColumnwiseError, NotExactError, OtherFormError, UnsupportedTreesError)


def choose_engine(
    wanted: EngineName, inside: Inside, context: Context, items: Sequence[FeatureInput], n_jobs: int
) -> tuple[Engine, list[str]]:
    """Choose the engine of a model: linear where it applies, then kernel, tree, and brute.

    - `wanted`: "auto", or the engine that the user insists on.
    - `inside`: of the model.
    - returns `notes`: why a model that an engine is made for is not computed by it.
    - raises InvalidOptionError: if the engine asked for cannot explain the model.
    """
    if wanted == "brute" or context.probe is None:
        if wanted not in {"brute", "auto"}:
            raise _not_exact(wanted, "The model fails on phantoms.")
        return BruteEngine(context, items, n_jobs, "requested; " + _BRUTE if wanted == "brute" else _BRUTE), []
    makers: dict[str, Callable[..., Engine]] = {
        "linear": _linear_engine, "kernel": _kernel_engine, "tree": _tree_engine
    }  # fmt: skip
    notes = []
    for name in makers if wanted == "auto" else [wanted]:
        try:
            return makers[name](inside, context, items, n_jobs), []
        except _REFUSALS as error:
            if wanted != "auto":
                raise _not_exact(name, str(error)) from error
            if not isinstance(error, OtherFormError | NotTreesError):
                notes.append(f"The {name} engine is not used; every phantom observation is predicted: {error}")
    return BruteEngine(context, items, n_jobs, _BRUTE), notes


def _not_exact(engine: str, reason: str) -> InvalidOptionError:
    what = "a model that it computes exactly"
    return InvalidOptionError.needs(f'engine="{engine}"', what, reason, 'engine="auto"')


def _named(peeled: Peeled, how: str) -> str:
    around = " after its transformers" if peeled.transform is not None else ""
    return f"{type(peeled.model).__name__}{around} {how}"


def _check(space: Space, predictions: Any, tolerance: float) -> None:
    _check_difference(space.difference(predictions), tolerance)


def _check_difference(difference: float, tolerance: float) -> None:
    if not difference <= tolerance:
        raise NotExactError(
            f"Its predictions of phantom observations differ from those of the model by {difference:.2g} of their size."
        )


def _linear_engine(inside: Inside, context: Context, items: Sequence[FeatureInput], n_jobs: int) -> Engine:
    model = inside.read(read_linear, "a linear model")
    unseen = np.flatnonzero(~model.coefficients.any(axis=0)).tolist() if not inside.peeled.steps else []
    space = Space(context, items, inside.peeled, unseen=unseen)
    _check_width(model.n_columns, space)
    _check(space, model.predict(np.column_stack(space.phantoms)), _TOLERANCE)
    curves, reason = LinearCurves(model, space.matrix), _named(inside.peeled, "has a closed form")
    return ClosedFormEngine("linear", curves, space, context, items, n_jobs=n_jobs, reason=reason)


def _kernel_engine(inside: Inside, context: Context, items: Sequence[FeatureInput], n_jobs: int) -> Engine:
    model = inside.read(read_kernel, "a sum of RBF kernels")
    space = Space(context, items, inside.peeled)
    _check_width(model.n_columns, space)
    _check(space, model.predict(np.column_stack(space.phantoms)), _TOLERANCE)
    reason = _named(inside.peeled, "is a sum of RBF kernels: one matrix product per feature")
    return ClosedFormEngine(
        "kernel", KernelCurves(model, space.matrix), space, context, items, n_jobs=n_jobs, reason=reason
    )


def _check_width(n_columns: int, space: Space) -> None:
    if n_columns != len(space.columns):
        raise NotExactError(f"The model was fitted on {n_columns} columns, X has {len(space.columns)}.")


def _tree_engine(inside: Inside, context: Context, items: Sequence[FeatureInput], n_jobs: int) -> Engine:
    peeled, forest = inside.peeled, inside.trees
    if not HAS_NUMBA:
        raise UnsupportedTreesError("numba is not installed, and exact curves of trees need compiled code.")
    if forest.library == "LightGBM" and context.table.is_integer_array and peeled.transform is None:
        # LightGBM makes single precision of such arrays.
        forest = replace(forest, inputs=replace(forest.inputs, dtype=np.dtype(np.float32)))
    unseen = np.setdiff1d(np.arange(forest.n_features), forest.feature).tolist()
    space = Space(context, items, peeled, {*forest.inputs.levels, *unseen})
    _check_width(forest.n_features, space)
    free = {item.at_issue: (space.places[item.at_issue], space.grids[item.at_issue]) for item in items}
    moved = [place for places, _ in free.values() for place in places.tolist()]
    if len(set(moved)) < len(moved):
        raise NotExactError("Two features change the same input column of the trees.")
    check_limit(len(free))
    tolerance = _FLOAT32_TOLERANCE if forest.library == "XGBoost" else _TOLERANCE
    forest, difference = accept_link(
        forest, inside.position, inside.response, space.phantoms, space.difference, tolerance=tolerance
    )
    _check_difference(difference, tolerance)
    make_trees = partial(TreeCurves, forest, space.columns, free)
    reason = _named(peeled, "is evaluated tree by tree: all features at once, exactly")
    return TreeEngine(make_trees, peeled, context, items, n_jobs=n_jobs, reason=reason)
