"""Choose the engine of a model: the fastest one that reproduces its predictions."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from ice_explorer.adapters.models.peel import peel
from ice_explorer.adapters.structure.trees import tree_ensemble
from ice_explorer.adapters.structure.trees.ensemble import NotTreesError, UnsupportedTreesError
from ice_explorer.curves.kernel import KernelCurves, read_kernel
from ice_explorer.curves.linear import LinearCurves, read_linear
from ice_explorer.curves.trees import walk
from ice_explorer.curves.trees.curves import SweepLimitError, TreeCurves, check_limit
from ice_explorer.engines.model_space import NotColumnwiseError, Space
from ice_explorer.engines.sums import BruteEngine, ClosedFormEngine, TreeEngine
from ice_explorer.errors import ICEExplorerError, InvalidOptionError
from ice_explorer.runtime import HAS_NUMBA

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ice_explorer.adapters.models.peel import Peeled
    from ice_explorer.adapters.models.predict import Predictor
    from ice_explorer.adapters.structure.trees.ensemble import Response, TreeEnsemble
    from ice_explorer.engines.context import Context, EngineName
    from ice_explorer.engines.feature_input import FeatureInput
    from ice_explorer.engines.sums import Engine
    from ice_explorer.features.columns import Columns

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
    def trees(self) -> TreeEnsemble:
        """The trees of an ensemble.

        - raises UnsupportedTreesError: if they cannot be read, or are none.
        """
        categorical = [
            position for position, column in enumerate(self._columns.read)
            if self.peeled.transform is None and column.kind in {"category", "ordered"}
        ]  # fmt: skip
        response = cast("Response", self._predictor.response)
        return tree_ensemble(self.peeled.model, self._predictor.position, response, categorical)


_REFUSALS = (NotColumnwiseError, NotExactError, OtherFormError, SweepLimitError, UnsupportedTreesError)


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
            if name == "tree" and wanted == "auto":
                _check_worth_sweeping(inside.trees)
            return makers[name](inside, context, items, n_jobs), _without_numba() if name == "tree" else []
        except _REFUSALS as error:
            if wanted != "auto":
                raise _not_exact(name, str(error)) from error
            if not isinstance(error, OtherFormError | NotTreesError):
                notes.append(f"The {name} engine is not used; every phantom observation is predicted: {error}")
    return BruteEngine(context, items, n_jobs, _BRUTE), notes


def _not_exact(engine: str, reason: str) -> InvalidOptionError:
    what = "a model that it computes exactly"
    return InvalidOptionError.needs(f'engine="{engine}"', what, reason, 'engine="auto"')


def _check_worth_sweeping(ensemble: TreeEnsemble) -> None:
    """Refuse trees that scikit-learn's compiled code predicts several times faster than NumPy sweeps them."""
    is_classic = ensemble.library == "scikit-learn" and ensemble.input_dtype == np.float32  # not histogram boosting
    if is_classic and not HAS_NUMBA:
        raise UnsupportedTreesError("numba is not installed, and without it scikit-learn is faster.")


def _without_numba() -> list[str]:
    """Return a note if numba is missing."""
    if HAS_NUMBA:
        return []
    return [
        "numba is not installed, so tree models are computed with NumPy: the results are the same, but take longer."
    ]


def _named(peeled: Peeled, how: str) -> str:
    around = " after its transformers" if peeled.transform is not None else ""
    return f"{type(peeled.model).__name__}{around} {how}"


def _check(space: Space, found: Any, tolerance: float) -> None:
    apart = space.difference(found)
    if not apart <= tolerance:
        raise NotExactError(
            f"Its predictions of phantom observations differ from those of the model by {apart:.2g} of their size."
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
    peeled, ensemble = inside.peeled, inside.trees
    if ensemble.library == "LightGBM" and context.table.is_integer_array and peeled.transform is None:
        ensemble = replace(ensemble, input_dtype=np.dtype(np.float32))  # what LightGBM makes of such arrays
    unseen = np.setdiff1d(np.arange(ensemble.n_features), ensemble.feature).tolist()
    space = Space(context, items, peeled, {*ensemble.levels, *unseen})
    _check_width(ensemble.n_features, space)
    free = {item.at_issue: (space.places[item.at_issue], space.grids[item.at_issue]) for item in items}
    moved = [place for places, _ in free.values() for place in places.tolist()]
    if len(set(moved)) < len(moved):
        raise NotExactError("Two features change the same input column of the trees.")
    check_limit(len(free))
    # What transformers return, and labels, would have to be held for the ranks.
    is_lasting = peeled.transform is None and not ensemble.levels
    make_trees = partial(TreeCurves, ensemble, space.columns, free, is_lasting=is_lasting)
    _check(
        space,
        walk.predict(ensemble, space.phantoms),
        _FLOAT32_TOLERANCE if ensemble.library == "XGBoost" else _TOLERANCE,
    )
    reason = _named(peeled, "is evaluated tree by tree: all features at once, exactly")
    return TreeEngine(make_trees, peeled, context, items, n_jobs=n_jobs, reason=reason)
