"""Prepare the explanation of an explorer from a model and data, or take an existing one."""

from __future__ import annotations

import ast
import math
from contextlib import ExitStack
from dataclasses import InitVar, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ice_explorer.adapters.models.opening import Opening
from ice_explorer.adapters.models.target import target_names
from ice_explorer.adapters.tables.table import kept
from ice_explorer.curves.known_predictions import Answers
from ice_explorer.errors import InputTypeError, InvalidOptionError, OutputError, UnknownOptionError
from ice_explorer.errors.labels import clipped, readable
from ice_explorer.explanation import Explanation, FeatureExplanation, prepare, to_explanation, to_feature_explanation
from ice_explorer.progress import progress_reporter
from ice_explorer.results.options import DEFAULTS, Options
from ice_explorer.results.outputs import Classes
from ice_explorer.scene.provenance import code_line
from ice_explorer.scene.view_state import Besides
from ice_explorer.wire.buffers import check_sendable
from ice_explorer.wire.messages import FeatureHead, ViewMessage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from ice_explorer.adapters.tables.table import Name
    from ice_explorer.curves.transforms import AnchorName
    from ice_explorer.explanation import Plan
    from ice_explorer.features.feature import FeatureKind
    from ice_explorer.widget.background import BetweenBlocks, IsCancelled

_KEPT_ANSWERS = 250_000_000  # bytes of predictions of all outputs, so that another one is there at once


@dataclass(frozen=True)
class Choices:
    """What could be explained of the same model, as text.

    Attributes
    ----------
    output, response : str
        What is explained; "" where the model has one output.
    outputs, responses : tuple of str
        What can be chosen; empty where nothing can.
    label_of : dict
        Outputs as pictures have them by their text.
    work : callable
        Another output and response -> the work on them.
    classes : Classes or None
        Curves of all outputs; None where the model has one, or is not at hand.
    """

    output: str
    response: str
    outputs: tuple[str, ...] = ()
    responses: tuple[str, ...] = ()
    label_of: Mapping[str, str] = field(default_factory=dict)
    work: Callable[[str, str], Work] | None = None
    classes: Classes | None = None


@dataclass
class Work:
    """What there is to compute, what is known already, and how one becomes the other.

    Attributes
    ----------
    names : tuple
        Features, in column order.
    heads : list of FeatureHead
        The same as the browser sees them before anything is computed.
    code : str
        The line that makes an explorer of this.
    compute : callable
        Computes one feature, as `Background` calls it.
    explanation : callable
        Collects computed features.
    results : dict
        Features that are computed from the start.
    finish : callable
        To be called when no feature will follow.
    choices : Choices
        What the model returns besides.
    anchor_place : callable
        Feature and an anchor of it -> the anchor as pictures have it.
    share_done : callable
        How much of the work is done, 0 to 1, where it comes in steps from which its end can be estimated; else NaN.
    lost : list of str
        A sentence on each wish that could not be met.
    prediction_sd : float or None
        Standard deviation of the predictions of the observations; None until it is measured.
    known : Explanation
        What has been computed so far; its columns are there from the start.
    target : ndarray of shape (n_observations,) or None
        What was observed of what is explained, NaN where missing; None where it was not given.
    target_name : str
        Name of y; "" where it has none, or several.
    by_label : dict
        Feature names by label.
    """

    names: tuple[Name, ...]
    heads: list[FeatureHead]
    code: str
    compute: Callable[[Name, BetweenBlocks, IsCancelled], FeatureExplanation]
    explanation: Callable[[Mapping[Name, FeatureExplanation]], Explanation]
    results: dict[Name, FeatureExplanation]
    finish: Callable[[], None]
    choices: Choices
    anchor_place: Callable[[Name, object], AnchorName | float]
    y: InitVar[object] = None
    share_done: Callable[[], float] = field(default=lambda: math.nan)
    lost: list[str] = field(default_factory=list)
    prediction_sd: float | None = field(default=None, init=False)
    known: Explanation = field(init=False)
    target: NDArray[np.float64] | None = field(init=False)
    target_name: str = field(init=False)
    by_label: dict[str, Name] = field(init=False)

    def __post_init__(self, y: object) -> None:
        self.known = self.explanation(self.results)
        self.target = None if y is None else self.known._target(y)
        names = target_names(y)
        self.target_name = names[0] if len(names) == 1 else ""
        if self.target is not None:
            target, without = self.target, self.explanation
            self.explanation = lambda results: without(results)._with_target(target)
            self.known = self.known._with_target(target)
        labels = [head["name"] for head in self.heads]
        self.by_label = dict(zip(labels, self.names, strict=True))

    def other(self, output: str, response: str) -> Work:
        """Return the work on another of the choices."""
        make = cast("Callable[[str, str], Work]", self.choices.work)  # else there is nothing to choose
        return make(output, response)

    def drawn(self, state: ViewMessage, choices: Mapping[str, Any]) -> dict[str, Any]:
        """All that a picture of a view shows: its state, what a reader chose, and what only an explorer knows."""
        besides = Besides(self.target, self.target_name, self.choices.classes)
        return {**state, "choices": choices, "besides": besides}

    @property
    def readable(self) -> list[object]:
        """Feature names as messages quote them."""
        return list(map(readable, self.names, self.by_label))

    def label(self, name: Name) -> str:
        """Return the label of a feature."""
        return self.heads[self.names.index(name)]["name"]


class Wanted(NamedTuple):
    """An output and a scale as text; "" where nothing is wanted."""

    output: str = ""
    response: str = ""


def work_of(model: Any, X: Any, y: object, options: Mapping[str, Any], wanted: Wanted | None = None) -> Work:
    """Check the arguments of an explorer; nothing is computed yet.

    Parameters
    ----------
    model : object
        A model, or an explanation that has its own data.
    X : DataFrame, ndarray or None
    y : array-like or None
        The observed target.
    options : mapping
        Those of `explain`.
    wanted : Wanted
        What to explain instead of what the options say, where the model has it.
    """
    wanted = wanted or Wanted()
    # Another output is explained with what was given, whatever became of it since.
    given = {name: _kept_values(value) for name, value in options.items()}
    work = _work_of_arguments(model, kept(X), kept(y), given, wanted)
    if wanted.output not in {"", work.choices.output}:
        work.lost.append(_not_explained("output", wanted.output, work.choices.output))
    if wanted.response not in {"", work.choices.response}:
        work.lost.append(_not_explained("response", wanted.response, work.choices.response))
    return work


def _kept_values(value: object) -> object:
    return {name: kept(entry) for name, entry in value.items()} if isinstance(value, dict) else kept(value)


def _not_explained(what: str, wanted: str, instead: str) -> str:
    here = f"using {instead!r}" if instead else "using the only one"
    return f"The saved state refers to the {what} {wanted!r}, which is not available; {here}."


def _work_of_arguments(model: Any, X: Any, y: object, options: Mapping[str, Any], wanted: Wanted) -> Work:
    for option in options:
        if option not in DEFAULTS:
            raise UnknownOptionError.keyword("ICEExplorer", option, [*DEFAULTS, "state"])
    if not isinstance(model, Explanation):
        return _work_of_wanted(model, X, y, options, wanted)
    further = ["X"] * (X is not None) + list(options)
    if further:
        raise InputTypeError(
            "ICEExplorer(explanation) takes nothing else but y, because an explanation brings its data "
            f"and its options; got {', '.join(further)} as well.",
            "Pass that to `explain`.",
        )
    return _work_of_explanation(model, y)


def _work_of_explanation(explanation: Explanation, y: object) -> Work:
    if y is not None:
        explanation = explanation._beside(y)  # noqa: SLF001 - which nobody else has a use for
    results = {feature.feature: feature for feature in explanation}
    for feature in explanation:
        check_sendable(feature)
    return Work(
        names=tuple(results),
        heads=[_head(f.label, f.kind, len(f.grid), f.scale) for f in explanation],
        code="ICEExplorer(explanation)",
        compute=lambda name, _between_blocks, _is_cancelled: results[name],
        explanation=lambda _results: explanation,
        results=results,
        finish=_nothing,
        choices=Choices(clipped(_text(explanation.settings.output)), explanation.settings.response),
        y=y,
        anchor_place=lambda name, anchor: results[name]._anchor_place(anchor),
    )


def _work_of_wanted(model: Any, X: Any, y: object, options: Mapping[str, Any], wanted: Wanted) -> Work:
    """Explain the output that was wanted, on the scale that was wanted, or the one of the two that there is."""
    answers = Answers(_KEPT_ANSWERS)
    output, response = wanted
    scales = [response, ""] if response not in {"", "callable"} else [""]
    for scale in scales:
        for label in _labels_of(output):
            chosen = {"output": label, "response": scale}
            further = {name: value for name, value in chosen.items() if value != ""}
            try:
                work = _work_of_model(model, X, y, {**options, **further}, answers)
            except (InvalidOptionError, OutputError):
                continue  # also checked below, where an option is wrong
            # A number stands for a position as well, and means nothing then.
            if output in {"", work.choices.output}:
                return work
            work.finish()
    work = _work_of_model(model, X, y, options, answers)
    if work.choices.work is None or output not in work.choices.outputs:
        return work
    work.finish()
    return work.choices.work(output, work.choices.response)  # by a label that was clipped


def _labels_of(text: str) -> list[object]:
    """What an output may be called that reads as a text: that text, a number, or a pair."""
    try:
        return [text, ast.literal_eval(text)]
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return [text]


def _work_of_model(model: Any, X: Any, y: object, options: Mapping[str, Any], answers: Answers) -> Work:
    if X is None:
        raise InputTypeError(
            "ICEExplorer needs the observations to explain the model on; got a model alone.",
            "Call `ICEExplorer(model, X)`.",
        )
    # The bars that fill in are the progress; anything else is an option.
    progress = options.get("progress") or False
    others = Options(**{**options, "progress": False})
    plan = prepare(model, X, others, answers=answers, opening=partial(Opening, y), y=y)
    if plan.is_opening:  # so that the line of code does not depend on what is frequent in the data
        options = {**options, "output": plan.settings.output}
    reporting = ExitStack()
    report = reporting.enter_context(progress_reporter(progress, plan.n_predictions))

    by_label = dict(zip(plan.output_labels, plan.outputs, strict=True))
    label_of = {_text(output): label for label, output in by_label.items()}

    def other(output: str, response: str) -> Work:
        plan.check_unchanged()
        chosen = {"output": by_label[output]} if by_label else {}
        if response != "callable":  # of a function there is no other
            chosen["response"] = response
        return _work_of_model(model, X, y, {**options, **chosen}, answers)

    def plan_of(output: object) -> Plan:
        # Thresholds may be those of one class; rows are compared on the same grid.
        grid = plan.grids if others.grid == "thresholds" else others.grid
        return prepare(model, X, replace(others, grid=grid, output=output), answers=answers)

    choices = Choices(
        output=label_of.get(_text(plan.settings.output), _text(plan.settings.output)),
        response=plan.settings.response,
        outputs=tuple(by_label),
        responses=plan.responses if len(plan.responses) > 1 else (),
        label_of=label_of,
        work=other,
        classes=Classes(plan, plan_of) if plan.outputs else None,
    )

    n_made = 0

    def compute(name: Name, between_blocks: BetweenBlocks, is_cancelled: IsCancelled) -> FeatureExplanation:
        def after_block(made: int, of_feature: int, label: str) -> None:
            nonlocal n_made
            n_made += made
            report(made, of_feature, label)
            between_blocks()

        feature = to_feature_explanation(plan.compute(name, after_block, is_cancelled))
        plan.check_unchanged(name)  # while it was computed a cell may have fitted the model anew
        check_sendable(feature)
        return feature

    def share_done() -> float:
        # Whatever computes faster than by asking does so for all features at once.
        return n_made / plan.n_predictions if plan.engine == "brute" else math.nan

    return Work(
        names=plan.features,
        heads=[_head(label, *plan.outline(name)) for name, label in zip(plan.features, plan.labels, strict=True)],
        code=code_line(options),
        compute=compute,
        explanation=lambda results: to_explanation(plan.explanation(results)),
        results={},
        finish=reporting.close,
        choices=choices,
        y=y,
        anchor_place=plan.anchor_place,
        share_done=share_done,
    )


def _text(output: object) -> str:
    return "" if output is None else str(output)


def _head(label: str, kind: FeatureKind, n_grid: int, scale: float) -> FeatureHead:
    return FeatureHead(name=label, kind=kind, n_grid=n_grid, scale=scale, range=None)


def _nothing() -> None:
    """There was nothing to report."""
