"""Convert any fitted model to one function: rows in, one number per row out.

The only place that chooses a class, an output, a method or a scale.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ice_explorer.adapters.models.joblib_threads import without_spreading
from ice_explorer.adapters.models.libraries import foreign_source
from ice_explorer.adapters.models.outputs import asked, layout_of, must_choose
from ice_explorer.adapters.models.peel import peel
from ice_explorer.adapters.models.source import source_of_estimator, source_of_function
from ice_explorer.concurrency.turns import owner_of, turn_of
from ice_explorer.errors import InputTypeError, InvalidOptionError
from ice_explorer.errors.base import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ice_explorer.adapters.models.outputs import Layout
    from ice_explorer.adapters.models.source import Source, Way

    Array = NDArray[np.float64]

Response = Literal["auto", "predict_proba", "decision_function", "predict", "log_odds"]
RESPONSES: tuple[Response, ...] = ("auto", "predict_proba", "decision_function", "predict", "log_odds")


@dataclass(frozen=True)
class Predictor:
    """One output of a model as a function.

    - `predict`: rows in the container of X -> (n_rows,) float64.
    - `output_label`: what the numbers are, for axes: "probability of yes".
    - `named_after`: names of the columns of y -> the same in their words: "predicted cnt".
    - `output`: the chosen class, name or position; of several outputs with classes of their own the pair (output,
      class). None where the model has one output.
    - `position`: where it stands among `outputs`; None where the model has one.
    - `response`: the response taken, "auto" resolved; "callable" for a plain function.
    - `notes`: choices that the user did not make.
    - `outputs`: what `output` could be instead; empty where the model has one output.
    - `responses`: what `response` could be instead; empty for a plain function.
    - `all_outputs`: rows in the container of X -> (n_rows, n_outputs) float64, by one call of the model, as its method
      `asked` returns them.
    - `asked`: the response that the model itself gives: "predict_proba" where log-odds are computed from it.
    - `rescale`: what becomes of that, element by element; None where it is what is explained.
    - `of_classes`: whether outputs are classes, or numbers of their own.
    - `classes`: labels of the classes, one alone included; empty where outputs are none.
    - `is_opening`: whether the output was chosen by `opening`.
    - `model`: as it was passed.
    """

    predict: Callable[[Any], Array]
    output_label: str
    named_after: Callable[[Sequence[str]], str]
    output: object
    position: int | None
    response: str
    notes: tuple[str, ...]
    outputs: tuple[object, ...]
    responses: tuple[str, ...]
    all_outputs: Callable[[Any], Array]
    asked: str
    rescale: Callable[[Array], Array] | None
    of_classes: bool = False
    classes: tuple[object, ...] = ()
    is_opening: bool = False
    model: Any = field(default=None, compare=False, repr=False)


def make_predictor(
    model: Any,
    first_rows: Any,
    n_rows: int,
    *,
    output: object,
    response: Response,
    n_jobs: int = 1,
    opening: Callable[[Layout, Way], tuple[int, tuple[str, ...]]] | None = None,
) -> Predictor:
    """Choose what to predict.

    - `model`: with a predict method, a function of X, or a model of a library that is known here.
    - `first_rows`: a few rows of X, to see what the model returns.
    - `n_rows`: how many those are.
    - `output`: class label, output name or position, looked up in that order; None where there is no choice to make.
    - `response`: method, "log_odds", or "auto".
    - `n_jobs`: from how many threads it may be called at once; nothing else calls it meanwhile.
    - `opening`: chooses an output where `output` is None, as `Opening.choose` does.
    - raises PredictionError: if the model fails on the first rows or returns what is no prediction.
    - raises OutputError: if an output must be chosen, or the chosen one does not exist.
    """
    _check_response(response)
    source = without_spreading(_source_of(model), side_by_side=n_jobs > 1)
    source = _in_turn(source, model, side_by_side=n_jobs > 1)
    chosen = _choose_response(source, response, type(model).__name__)
    # Log-odds are computed from probabilities where the model does not give them.
    way = source.ways[chosen if chosen in source.ways else "predict_proba"]
    method = _Method(way)
    returned = method.probe(first_rows)
    layout = layout_of(way, source, returned, first_rows)
    layout.check(returned, n_rows)
    is_opening = opening is not None and output is None
    found = opening(layout, way) if opening is not None and is_opening else layout.find(output)
    made = _predictor(method, layout, found, chosen, _responses(source))
    return replace(made, is_opening=is_opening and must_choose(layout), model=model)


def first_way(model: Any) -> Way:
    """Return the way of asking that "auto" takes; nothing else calls the model meanwhile."""
    source = _in_turn(without_spreading(_source_of(model), side_by_side=False), model, side_by_side=False)
    return next(iter(source.ways.values()))


def _check_response(response: object) -> None:
    if not isinstance(response, str) or response not in RESPONSES:
        raise InvalidOptionError.not_one_of(option="response", got=response, choices=RESPONSES)


def _source_of(model: Any) -> Source:
    """Return the responses that a model has."""
    if isinstance(model, type):
        name = model.__name__
        raise InputTypeError(
            f"model must be a fitted model; got the class {name}.",
            f"Make a model of it and fit that: `{name}().fit(X, y)`.",
        )
    source = foreign_source(model)
    if source is not None:
        return source
    if hasattr(model, "predict"):
        return _with_log_odds(source_of_estimator(model), model)
    if not callable(model):
        raise InputTypeError(
            f"model must have a predict method or be a function of X; got {type(model).__name__}.",
            "Pass `lambda X: …` that returns one number per row.",
        )
    return source_of_function(model)


def _with_log_odds(source: Source, model: Any) -> Source:
    """Add the log-odds that the model inside gives, where it does, to a pipeline or search around it."""
    peeled = peel(model)
    inside = None if peeled.model is model else foreign_source(peeled.model)
    if inside is None or "log_odds" not in inside.ways:
        return source
    way = inside.ways["log_odds"]
    around = replace(way, ask=lambda rows: way.ask(peeled.transformed(rows)))
    return replace(source, ways={**source.ways, "log_odds": around})


def _in_turn(source: Source, model: Any, *, side_by_side: bool) -> Source:
    """Return a source whose model is called by one thread, or by the threads of one explanation, at a time.

    A pipeline and its last step are one model.
    """
    turn = turn_of(peel(owner_of(model)).model)
    group = object() if side_by_side and not source.is_changed_by_calls else None

    def alone(ask: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda rows: turn.call(ask, rows, group)

    return replace(source, ways={name: replace(way, ask=alone(way.ask)) for name, way in source.ways.items()})


def _choose_response(source: Source, response: Response, model: str) -> str:
    if response == "auto":
        return next(iter(source.ways))
    if "callable" in source.ways:
        raise InvalidOptionError.response_of_callable(response)
    needed = "predict_proba" if response == "log_odds" else response
    if needed not in source.ways:
        raise InvalidOptionError(
            f"`response={quoted(response)}` needs a model with {needed}; {model} has none.",
            'Use `response="auto"`, or pass a function that returns what you want to explain.',
        )
    return response


def _responses(source: Source) -> tuple[str, ...]:
    """Return the responses that could be chosen instead, in the order of `RESPONSES`."""
    offered = {*source.ways, "log_odds"} if "predict_proba" in source.ways else set(source.ways)
    return tuple(name for name in RESPONSES if name in offered)


def _predictor(
    method: _Method,
    layout: Layout,
    found: tuple[int, tuple[str, ...]],
    response: str,
    responses: tuple[str, ...],
) -> Predictor:
    position, notes = found
    take, asked_for = layout.takes[position], response
    rescale = None
    if response == "log_odds" and method.way.returns == "probabilities":
        asked_for, rescale = "predict_proba", _log_odds
        take = _rescaled(take, rescale)
        layout = replace(layout, what=layout.what.replace("probability", "log-odds", 1))
    return Predictor(
        predict=partial(_taken, take, layout, method),
        output_label=layout.text(position),
        named_after=partial(layout.text, position),
        output=layout.outputs[position] if layout.outputs else None,
        position=position if layout.outputs else None,
        response=response,
        notes=(method.way.note, *notes) if method.way.note else notes,
        outputs=layout.outputs if len(layout.outputs) > 1 else (),
        responses=responses,
        all_outputs=partial(_stacked, layout, method),
        asked=asked_for,
        rescale=rescale,
        of_classes=layout.of_classes,
        classes=layout.outputs if layout.of_classes else (),
    )


def _taken(take: Callable[[Any], Array], layout: Layout, method: _Method, rows: Any) -> Array:
    return take(layout.check(method(rows), rows.shape[0]))


def _stacked(layout: Layout, method: _Method, rows: Any) -> Array:
    checked = layout.check(method(rows), rows.shape[0])
    return np.column_stack([take(checked) for take in layout.takes])


class _Method:
    """A prediction method that returns its first result again if that is needed next."""

    def __init__(self, way: Way) -> None:
        self.way = way
        self._first: tuple[Any, Any] | None = None

    def probe(self, first_rows: Any) -> Any:
        """Call the model once; its error is chained to ours."""
        self._first = first_rows, asked(self.way, first_rows)
        return self._first[1]

    def __call__(self, rows: Any) -> Any:
        first, self._first = self._first, None  # asked for at once or not at all
        if first is not None and rows is first[0]:
            return first[1]
        return self.way.ask(rows)


def _rescaled(take: Callable[[Any], Array], rescale: Callable[[Array], Array]) -> Callable[[Any], Array]:
    return lambda checked: rescale(take(checked))


def _log_odds(probability: Array) -> Array:
    """Full log-odds, log(p / (1 - p)); infinite at 0 and 1, which the engine reports."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log(probability) - np.log1p(-probability))
