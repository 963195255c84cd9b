"""What an explorer is about: model and data on their way to an explanation, or an explanation."""

from __future__ import annotations

import ast
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ice_explorer import payload
from ice_explorer.curves.answers import Answers
from ice_explorer.errors import InputTypeError, InvalidOptionError, OutputError, UnknownOptionError
from ice_explorer.explanation import OPTIONS, Explanation, FeatureExplanation, prepare
from ice_explorer.messages import FeatureHead
from ice_explorer.progress import progress_reporter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ice_explorer.adapters.table import Name
    from ice_explorer.background import BetweenBlocks, IsCancelled
    from ice_explorer.feature import FeatureKind

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
    work : callable
        Another output and response -> the work on them.
    """

    output: str
    response: str
    outputs: tuple[str, ...] = ()
    responses: tuple[str, ...] = ()
    work: Callable[[str, str], Work] | None = None


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
        Computes one feature, as `Background` asks for it.
    explanation : callable
        Collects computed features.
    results : dict
        Features that are computed from the start.
    finish : callable
        To be called when no feature will follow.
    choices : Choices
        What the model returns besides.
    lost : list of str
        A sentence on each wish that could not be met.
    known : Explanation
        What has been computed so far; its columns are there from the start.
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
    lost: list[str] = field(default_factory=list)
    known: Explanation = field(init=False)
    by_label: dict[str, Name] = field(init=False)

    def __post_init__(self) -> None:
        self.known = self.explanation(self.results)
        labels = [head["name"] for head in self.heads]
        self.by_label = dict(zip(labels, self.names, strict=True))

    def label(self, name: Name) -> str:
        """Return the label of a feature."""
        return self.heads[self.names.index(name)]["name"]


def work_of(model: Any, X: Any, options: Mapping[str, Any], output: str = "", response: str = "") -> Work:
    """Check the arguments of an explorer; nothing is computed yet.

    Parameters
    ----------
    model : object
        A model, or an explanation that has its own data.
    X : DataFrame, ndarray or None
    options : mapping
        Those of `explain`.
    output, response : str
        What to explain instead of what the options say, where the model has it; "" for neither.
    """
    work = _work_of_arguments(model, X, options, output, response)
    if output not in {"", work.choices.output}:
        work.lost.append(_not_explained("output", output, work.choices.output))
    if response not in {"", work.choices.response}:
        work.lost.append(_not_explained("response", response, work.choices.response))
    return work


def _not_explained(what: str, wanted: str, instead: str) -> str:
    here = f"{instead!r} is explained" if instead else "the only one is explained"
    return f"The state explains the {what} {wanted!r}, which there is not here, so {here}."


def _work_of_arguments(model: Any, X: Any, options: Mapping[str, Any], output: str, response: str) -> Work:
    for option in options:
        if option not in OPTIONS:
            function = "ICEExplorer"
            raise UnknownOptionError.keyword(function, option, [*OPTIONS, "state"])
    if not isinstance(model, Explanation):
        return _work_of_wanted(model, X, options, output, response)
    further = ["X"] * (X is not None) + list(options)
    if further:
        msg = (
            "ICEExplorer(explanation) takes nothing else, because an explanation brings its data "
            f"and its options; got {', '.join(further)} as well. Pass that to `explain`."
        )
        raise InputTypeError(msg)
    return _work_of_explanation(model)


def _work_of_explanation(explanation: Explanation) -> Work:
    results = {feature.feature: feature for feature in explanation}
    return Work(
        names=tuple(results),
        heads=[_head(f.label, f.kind, len(f.grid), f.scale) for f in explanation],
        code="ICEExplorer(explanation)",
        compute=lambda name, _between_blocks, _is_cancelled: results[name],
        explanation=lambda _results: explanation,
        results=results,
        finish=_nothing,
        choices=Choices(_text(explanation.settings.output), explanation.settings.response),
    )


def _work_of_wanted(model: Any, X: Any, options: Mapping[str, Any], output: str, response: str) -> Work:
    """Explain the output that was wanted, on the scale that was wanted, or the one of the two that there is."""
    answers = Answers(_KEPT_ANSWERS)
    scales = [response, ""] if response not in {"", "callable"} else [""]
    for scale in scales:
        for label in _labels_of(output):
            chosen = {"output": label, "response": scale}
            further = {name: value for name, value in chosen.items() if value != ""}
            try:
                work = _work_of_model(model, X, {**options, **further}, answers)
            except (InvalidOptionError, OutputError):
                continue  # also said below, where an option is wrong
            # A number stands for a position as well, and means nothing then.
            if output in {"", work.choices.output}:
                return work
            work.finish()
    return _work_of_model(model, X, options, answers)


def _labels_of(text: str) -> list[object]:
    """What an output may be called that reads as a text: that text, a number, or a pair."""
    try:
        return [text, ast.literal_eval(text)]
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return [text]


def _work_of_model(model: Any, X: Any, options: Mapping[str, Any], answers: Answers) -> Work:
    if X is None:
        msg = (
            "ICEExplorer needs the observations to explain the model on; got a model alone. "
            "Call `ICEExplorer(model, X)`."
        )
        raise InputTypeError(msg)
    others = dict(options)
    # The bars that fill in are the progress; anything else has to be asked for.
    progress = others.pop("progress", None) or False
    plan = prepare(model, X, **others, answers=answers)
    reporting = ExitStack()
    report = reporting.enter_context(progress_reporter(progress, plan.n_predictions))

    by_text = {_text(output): output for output in plan.outputs}

    def other(output: str, response: str) -> Work:
        chosen = {"output": by_text[output]} if by_text else {}
        return _work_of_model(model, X, {**options, **chosen, "response": response}, answers)

    choices = Choices(
        output=_text(plan.settings.output),
        response=plan.settings.response,
        outputs=tuple(by_text),
        responses=plan.responses if len(plan.responses) > 1 else (),
        work=other,
    )

    def compute(name: Name, between_blocks: BetweenBlocks, is_cancelled: IsCancelled) -> FeatureExplanation:
        def after_block(made: int, of_feature: int, label: str) -> None:
            report(made, of_feature, label)
            between_blocks()

        return plan.compute(name, after_block, is_cancelled)

    return Work(
        names=plan.features,
        heads=[_head(label, *plan.outline(name)) for name, label in zip(plan.features, plan.labels, strict=True)],
        code=payload.code_line(options),
        compute=compute,
        explanation=plan.explanation,
        results={},
        finish=reporting.close,
        choices=choices,
    )


def _text(output: object) -> str:
    return "" if output is None else str(output)


def _head(label: str, kind: FeatureKind, n_grid: int, scale: float) -> FeatureHead:
    return FeatureHead(name=label, kind=kind, n_grid=n_grid, scale=scale)


def _nothing() -> None:
    """There was nothing to report."""
