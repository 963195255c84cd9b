"""Pickles of explanations: what they have, to the bit; nothing is computed for them.

Functions that call the model are made again from the model when one of them is first called. The model is in the pickle
where it can be pickled, unless it is a tree model and no value is missing: that would take long, and the trees that
curves are computed from, which are there in any case, also predict the rows of X.
"""

from __future__ import annotations

import copyreg
import io
import pickle
import threading
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.engines.context import Context
from ice_explorer.errors import ModelNeededError
from ice_explorer.errors.base import cause_of
from ice_explorer.locks import new_lock
from ice_explorer.models.pipeline import UnwrappedModel
from ice_explorer.models.predict import Predictor, make_predictor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ice_explorer.tables.table import Table

_CALLS = ("predict", "all_outputs", "named_after")


@dataclass(eq=False)
class _Calls:
    """The functions of a predictor in a pickle; `reason` says why they have no model."""

    model: Any
    reason: str
    table: Table
    response: Any
    output: object

    @cached_property
    def _predictor(self) -> Predictor:
        if self.model is None:
            raise ModelNeededError.predictions("Predictions that are not in the pickle need", self.reason)
        first = self.table.take(np.arange(min(2, self.table.n_observations)))
        response: Any = "auto" if self.response == "callable" else self.response
        return make_predictor(self.model, first, output=self.output, response=response)[0]

    def __call__(self, name: str, *arguments: Any) -> Any:
        return getattr(self._predictor, name)(*arguments)


def _opened(content: bytes, reason: str, table: Table, known: dict[str, Any]) -> Predictor:
    """Return the predictor of a pickle."""
    model = pickle.loads(content) if content else None  # noqa: S301 - part of a pickle that is read
    calls = _Calls(model, reason, table, known["response"], known["output"])
    return Predictor(**known | {name: partial(calls, name) for name in _CALLS}, model=model)


def dumped(result: Any, classes: Iterable[type], context: Context, method: str) -> bytes:
    """Return an explanation, or one of its features, as a pickle.

    - `classes`: of both, which are pickled by their attributes.
    - `method`: name of the method.
    """
    known, content, reason = context.predictor, b"", "pickles of a tree model have the trees alone"
    calls = {} if known.model is None else {id(getattr(known, name)): name for name in _CALLS}  # else as they are
    if calls and (method != "tree" or any(column.missing.any() for column in context.columns.read)):
        try:
            content = pickle.dumps(known.model)
        except Exception as error:  # noqa: BLE001 - whatever a model raises
            reason = cause_of(error).rstrip(".")

    def predictor(thing: Predictor) -> Any:
        data = {name: value for name, value in vars(thing).items() if name not in (*_CALLS, "model")}
        return (_opened, (content, reason, context.table, data)) if calls else _with(thing)

    def function(thing: partial[Any]) -> Any:
        return (getattr, (known, calls[id(thing)])) if id(thing) in calls else thing.__reduce__()

    def array(thing: Any) -> Any:  # of which some are views of one number, with a stride of 0
        is_view = thing.strides == (0,) and thing.size
        return (np.broadcast_to, (thing[0], thing.shape)) if is_view else thing.__reduce_ex__(pickle.HIGHEST_PROTOCOL)

    file = io.BytesIO()
    pickler = pickle.Pickler(file, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = copyreg.dispatch_table | {
        Context: lambda thing: _with(thing, progress=None if callable(thing.progress) else thing.progress),
        UnwrappedModel: lambda thing: (UnwrappedModel, (None, (), thing.restore)),
        Predictor: predictor,
        np.ndarray: array,
        partial: function,
        type(threading.RLock()): lambda _: (new_lock, ()),
        **dict.fromkeys(classes, _with),
    }
    pickler.dump(result)
    return file.getvalue()


def _with(thing: Any, **state: object) -> tuple[Any, ...]:
    """Reduce an object to its attributes, some of them replaced."""
    return object.__new__, (type(thing),), vars(thing) | state
