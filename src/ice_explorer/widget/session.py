"""Prepare the explanation of an explorer from a model and data, or take an existing one."""

from __future__ import annotations

import ast
import math
from abc import ABC, abstractmethod
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ice_explorer.adapters.models.opening import Opening
from ice_explorer.adapters.models.target import target_names
from ice_explorer.adapters.tables.table import kept
from ice_explorer.beyond.joint import JointEffects
from ice_explorer.curves.known_predictions import Answers
from ice_explorer.errors import InputTypeError, InvalidOptionError, OutputError, UnknownOptionError
from ice_explorer.errors.labels import clipped, readable
from ice_explorer.explanation import Explanation, FeatureExplanation, prepare, to_explanation, to_feature_explanation
from ice_explorer.model_comparison import ModelComparison
from ice_explorer.progress import progress_reporter
from ice_explorer.results.models import (
    check_explanations,
    check_models,
    disagreement_of,
    is_several,
    prepared_alike,
)
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
    from ice_explorer.results.models import Disagreement
    from ice_explorer.widget.background import BetweenBlocks, IsCancelled

_KEPT_ANSWERS = 250_000_000  # bytes of predictions of all outputs, so that another one is there at once


@dataclass(frozen=True)
class Choices:
    """What could be explained of the same model, as text.

    - `output`, `response`: what is explained; "" where the model has one output.
    - `outputs`, `responses`: what can be chosen; empty where nothing can.
    - `label_of`: outputs as pictures have them by their text.
    - `classes`: curves of all outputs; None where the model has one, or is not at hand.
    - `has_model`: whether the model is at hand, so that another output can be explained.
    - `model`, `models`: name of the open one of several models, and the names of all; empty with one.
    """

    output: str
    response: str
    outputs: tuple[str, ...] = ()
    responses: tuple[str, ...] = ()
    label_of: Mapping[str, str] = field(default_factory=dict)
    classes: Classes | None = None
    has_model: bool = True
    model: str = ""
    models: tuple[str, ...] = ()


class Work(ABC):
    """What there is to compute, what is known already, and how one becomes the other.

    - `names`: features, in column order.
    - `heads`: the same as the browser sees them before anything is computed.
    - `code`: the line that makes an explorer of this.
    - `choices`: what the model returns besides.
    - `results`: features that are computed from the start.
    - `lost`: a sentence on each wish that could not be met.
    - `prediction_sd`: standard deviation of the predictions of the observations; None until it is measured.
    - `known`: what has been computed so far; its columns are there from the start.
    - `target` (n_observations,): what was observed of what is explained, NaN where missing; None where it was not
      given.
    - `target_name`: name of y; "" where it has none, or several.
    - `joint`: what was computed of features acting together.
    - `by_label`: feature names by label.
    """

    def __init__(
        self,
        names: tuple[Name, ...],
        heads: list[FeatureHead],
        code: str,
        *,
        choices: Choices,
        results: dict[Name, FeatureExplanation],
        y: object,
    ) -> None:
        self.names = names
        self.heads = heads
        self.code = code
        self.choices = choices
        self.results = results
        self.lost: list[str] = []
        self.prediction_sd: float | None = None
        self.joint = JointEffects()
        self.by_label = {head["name"]: name for head, name in zip(heads, names, strict=True)}
        explanation = self._collected(results)
        self.target: NDArray[np.float64] | None = None if y is None else explanation._target(y)
        y_names = target_names(y)
        self.target_name = y_names[0] if len(y_names) == 1 else ""
        self.known = self._with_target(explanation)

    def explanation(self, results: Mapping[Name, FeatureExplanation]) -> Explanation:
        """Collect computed features."""
        return self._with_target(self._collected(results))

    def _with_target(self, explanation: Explanation) -> Explanation:
        return explanation if self.target is None else explanation._with_target(self.target)

    @abstractmethod
    def _collected(self, results: Mapping[Name, FeatureExplanation]) -> Explanation:
        """Collect computed features, without the target."""

    @abstractmethod
    def compute(self, name: Name, between_blocks: BetweenBlocks, is_cancelled: IsCancelled) -> FeatureExplanation:
        """Compute one feature, as `Background` asks for it."""

    @abstractmethod
    def anchor_place(self, name: Name, anchor: object) -> AnchorName | float:
        """Return an anchor of a feature as pictures have it."""

    @abstractmethod
    def finish(self) -> None:
        """Take in that no feature will follow."""

    def other(self, output: str, response: str, model: str = "") -> Work:
        """Return the work on another of the choices, where the model is at hand."""
        raise NotImplementedError

    def by_models(self, name: Name) -> tuple[list[FeatureExplanation], Disagreement]:
        """Return a computed feature by each of several models, and how far these disagree."""
        raise NotImplementedError

    @property
    def models(self) -> ModelComparison | None:
        """What is computed of several models; None with one."""
        return None

    @property
    def share_done(self) -> float:
        """How much is done, 0 to 1, where the work comes in steps from which its end can be told; else NaN."""
        return math.nan

    def drawn(self, state: ViewMessage, choices: Mapping[str, Any]) -> dict[str, Any]:
        """All that a picture of a view shows: its state, what a reader chose, and what only an explorer knows."""
        besides = Besides(self.target, self.target_name, self.choices.classes, self.joint, self.models)
        return {**state, "choices": choices, "besides": besides}

    @property
    def readable(self) -> list[object]:
        """Feature names as messages quote them."""
        return list(map(readable, self.names, self.by_label))

    def label(self, name: Name) -> str:
        """Return the label of a feature."""
        return self.heads[self.names.index(name)]["name"]


class ExplanationWork(Work):
    """An explanation, of which everything is known."""

    def __init__(self, explanation: Explanation, y: object) -> None:
        self._explanation = explanation = explanation if y is None else explanation._beside(y)  # noqa: SLF001 - which nobody else has a use for
        for feature in explanation:
            check_sendable(feature)
        settings = explanation.settings
        super().__init__(
            tuple(explanation.features),
            [_head(f.label, f.kind, len(f.grid), f.scale) for f in explanation],
            "ICEExplorer(explanation)",
            choices=Choices(clipped(_text(settings.output)), settings.response, has_model=False),
            results={feature.feature: feature for feature in explanation},
            y=y,
        )

    def _collected(self, results: Mapping[Name, FeatureExplanation]) -> Explanation:  # noqa: ARG002 - all are known
        return self._explanation

    def compute(self, name: Name, between_blocks: BetweenBlocks, is_cancelled: IsCancelled) -> FeatureExplanation:  # noqa: ARG002
        """Return one feature."""
        return self.results[name]

    def finish(self) -> None:
        """There was nothing to report."""

    def anchor_place(self, name: Name, anchor: object) -> AnchorName | float:
        """Return an anchor of a feature as pictures have it."""
        return self.results[name]._anchor_place(anchor)


class ModelWork(Work):
    """A model, and the rows that it is explained on."""

    def __init__(self, model: Any, X: Any, y: object, options: Mapping[str, Any], answers: Answers) -> None:
        if X is None:
            raise InputTypeError(
                "ICEExplorer needs the observations to explain the model on; got a model alone.",
                "Call `ICEExplorer(model, X)`.",
            )
        self._arguments = model, X, y, options, answers
        # The bars that fill in are the progress; anything else is an option.
        self._options = Options(**{**options, "progress": False})
        self._plan = plan = prepare(model, X, self._options, answers=answers, opening=partial(Opening, y), y=y)
        if plan.is_opening:  # so that the line of code does not depend on what is frequent in the data
            options = {**options, "output": plan.settings.output}
            self._arguments = model, X, y, options, answers
        self._reporting = ExitStack()
        self._report = self._reporting.enter_context(
            progress_reporter(options.get("progress") or False, plan.n_predictions)
        )
        self._n_made = 0
        self._output_of = dict(zip(plan.output_labels, plan.outputs, strict=True))
        label_of = {_text(output): label for label, output in self._output_of.items()}
        choices = Choices(
            output=label_of.get(_text(plan.settings.output), _text(plan.settings.output)),
            response=plan.settings.response,
            outputs=tuple(self._output_of),
            responses=plan.responses if len(plan.responses) > 1 else (),
            label_of=label_of,
            classes=Classes(plan, self._plan_of) if plan.outputs else None,
        )
        heads = [_head(label, *plan.outline(name)) for name, label in zip(plan.features, plan.labels, strict=True)]
        super().__init__(plan.features, heads, code_line(options), choices=choices, results={}, y=y)

    def other(self, output: str, response: str, model: str = "") -> ModelWork:  # noqa: ARG002 - it is the only one
        """Return the work on another of the choices."""
        self._plan.check_unchanged()
        model_, X, y, options, answers = self._arguments
        chosen = {"output": self._output_of[output]} if self._output_of else {}
        if response != "callable":  # of a function there is no other
            chosen["response"] = response
        return ModelWork(model_, X, y, {**options, **chosen}, answers)

    def _plan_of(self, output: object) -> Plan:
        # Thresholds may be those of one class; rows are compared on the same grid.
        grid = self._plan.grids if self._options.grid == "thresholds" else self._options.grid
        model, X, _, _, answers = self._arguments
        return prepare(model, X, replace(self._options, grid=grid, output=output), answers=answers)

    def _collected(self, results: Mapping[Name, FeatureExplanation]) -> Explanation:
        return to_explanation(self._plan.explanation(results))

    def compute(self, name: Name, between_blocks: BetweenBlocks, is_cancelled: IsCancelled) -> FeatureExplanation:
        """Compute one feature, as `Background` asks for it."""

        def after_block(made: int, of_feature: int, label: str) -> None:
            self._n_made += made
            self._report(made, of_feature, label)
            between_blocks()

        feature = to_feature_explanation(self._plan.compute(name, after_block, is_cancelled))
        self._plan.check_unchanged(name)  # while it was computed a cell may have fitted the model anew
        check_sendable(feature)
        return feature

    def anchor_place(self, name: Name, anchor: object) -> AnchorName | float:
        """Return an anchor of a feature as pictures have it."""
        return self._plan.anchor_place(name, anchor)

    def finish(self) -> None:
        """Take in that no feature will follow."""
        self._reporting.close()

    @property
    def share_done(self) -> float:
        """How much is done, 0 to 1, where the work comes in steps from which its end can be told; else NaN."""
        # Whatever computes faster than by asking does so for all features at once.
        return self._n_made / self._plan.n_predictions if self._plan.engine == "brute" else math.nan


@dataclass(frozen=True)
class _Several:
    """What is known of several models, whichever is open.

    - `works`: on each model, by its name.
    - `results`: computed features of each model.
    - `disagreements`: how far they disagree, of the features that are computed for all.
    - `again`: makes the works on another output and scale; None where the models are not at hand.
    """

    works: Mapping[str, Work]
    again: Callable[[Wanted], Mapping[str, Work]] | None
    results: dict[str, dict[Name, FeatureExplanation]] = field(default_factory=dict)
    disagreements: dict[Name, Disagreement] = field(default_factory=dict)


class ModelsWork(Work):
    """Several models, one of which is open: everything is about it, but curves and figures there are of all."""

    def __init__(self, several: _Several, model: str, code: str, y: object) -> None:
        self._several, self._y = several, y
        for name, work in several.works.items():
            several.results.setdefault(name, dict(work.results))
        self._opened = opened = several.works[model]
        self._arguments = several, code, y
        common = [each.choices.responses for each in several.works.values()]
        responses = tuple(response for response in common[0] if all(response in other for other in common))
        super().__init__(
            opened.names,
            opened.heads,
            code,
            choices=replace(
                opened.choices,
                responses=responses if len(responses) > 1 else (),
                model=model,
                models=tuple(several.works),
            ),
            results={name: several.results[model][name] for name in opened.names if name in several.disagreements},
            y=y,
        )
        self.joint, self.prediction_sd = opened.joint, opened.prediction_sd

    def _collected(self, results: Mapping[Name, FeatureExplanation]) -> Explanation:
        return self._opened._collected(results)  # noqa: SLF001 - in this class

    def compute(self, name: Name, between_blocks: BetweenBlocks, is_cancelled: IsCancelled) -> FeatureExplanation:
        """Compute one feature by all models, as `Background` asks for it."""
        several = self._several
        for model, work in several.works.items():
            if name not in several.results[model]:
                several.results[model][name] = work.compute(name, between_blocks, is_cancelled)
        if name not in several.disagreements:
            features = [of_model[name] for of_model in several.results.values()]
            several.disagreements[name] = disagreement_of(features, between_blocks)
        return several.results[self.choices.model][name]

    def by_models(self, name: Name) -> tuple[list[FeatureExplanation], Disagreement]:
        """Return a computed feature by each model, and how far these disagree."""
        several = self._several
        return [of_model[name] for of_model in several.results.values()], several.disagreements[name]

    @property
    def models(self) -> ModelComparison:
        """What is computed of all models."""
        several = self._several
        known = dict(several.disagreements)
        explanations = {
            model: work.explanation({name: several.results[model][name] for name in known})
            for model, work in several.works.items()
        }
        return ModelComparison(explanations, known, self.choices.model)

    def anchor_place(self, name: Name, anchor: object) -> AnchorName | float:
        """Return an anchor of a feature as pictures have it."""
        return self._opened.anchor_place(name, anchor)

    def other(self, output: str, response: str, model: str = "") -> ModelsWork:
        """Return the work on another of the choices."""
        several, code, y = self._arguments
        if (output, response) != (self.choices.output, self.choices.response) and several.again is not None:
            several = _Several(several.again(Wanted(output, response)), several.again)
        return ModelsWork(several, model or self.choices.model, code, y)

    def finish(self) -> None:
        """Take in that no feature will follow."""
        for work in self._several.works.values():
            work.finish()

    @property
    def share_done(self) -> float:
        """How much is done, 0 to 1, where the work comes in steps from which its end can be told; else NaN."""
        shares = [work.share_done for work in self._several.works.values()]
        return sum(shares) / len(shares)


class Wanted(NamedTuple):
    """An output, a scale and one of several models as text; "" where nothing is wanted."""

    output: str = ""
    response: str = ""
    model: str = ""


def work_of(model: Any, X: Any, y: object, options: Mapping[str, Any], wanted: Wanted | None = None) -> Work:
    """Check the arguments of an explorer; nothing is computed yet.

    - `model`: a model, or an explanation that has its own data.
    - `y`: the observed target.
    - `options`: those of `explain`.
    - `wanted`: what to explain instead of what the options say, where the model has it.
    """
    wanted = wanted or Wanted()
    # Another output is explained with what was given, whatever became of it since.
    given = {name: _kept_values(value) for name, value in options.items()}
    make = _work_of_models if is_several(model) else _work_of_arguments
    work = make(model, kept(X), kept(y), given, wanted)
    if wanted.output not in {"", work.choices.output}:
        work.lost.append(_not_explained("output", wanted.output, work.choices.output))
    if wanted.response not in {"", work.choices.response}:
        work.lost.append(_not_explained("response", wanted.response, work.choices.response))
    if wanted.model not in {"", work.choices.model}:
        work.lost.append(_not_explained("model", wanted.model, work.choices.model))
    return work


def _kept_values(value: object) -> object:
    return {name: kept(entry) for name, entry in value.items()} if isinstance(value, dict) else kept(value)


def _not_explained(what: str, wanted: str, instead: str) -> str:
    here = f"using {instead!r}" if instead else "using the only one"
    return f"The saved state refers to the {what} {wanted!r}, which is not available; {here}."


def _work_of_arguments(model: Any, X: Any, y: object, options: Mapping[str, Any], wanted: Wanted) -> Work:
    _check_options(options)
    if not isinstance(model, Explanation):
        return _work_of_wanted(model, X, y, options, wanted=wanted, answers=Answers(_KEPT_ANSWERS))
    _check_alone(X, options)
    return ExplanationWork(model, y)


def _check_options(options: Mapping[str, Any]) -> None:
    for option in options:
        if option not in DEFAULTS:
            raise UnknownOptionError.keyword("ICEExplorer", option, [*DEFAULTS, "state"])


def _check_alone(X: Any, options: Mapping[str, Any]) -> None:
    """Check that nothing comes with an explanation."""
    further = ["X"] * (X is not None) + list(options)
    if further:
        raise InputTypeError(
            "ICEExplorer(explanation) takes nothing else but y, because an explanation brings its data "
            f"and its options; got {', '.join(further)} as well.",
            "Pass that to `explain`.",
        )


def _work_of_models(models: Any, X: Any, y: object, options: Mapping[str, Any], wanted: Wanted) -> Work:
    """Explain several models, or take explanations of them."""
    _check_options(options)
    models = check_models(models)
    opened = wanted.model if wanted.model in models else next(iter(models))
    if not any(isinstance(model, Explanation) for model in models.values()):
        again = _works_again(models, X, y, options)
        works = again(wanted)
        plan = next(iter(works.values()))._plan  # noqa: SLF001 - in this module
        given = {**options, "output": plan.settings.output} if plan.is_opening else options
        return ModelsWork(_Several(works, again), opened, code_line(given, model="models"), y)
    check_explanations(models)
    _check_alone(X, options)
    explained = {name: ExplanationWork(explanation, y) for name, explanation in models.items()}
    return ModelsWork(_Several(explained, None), opened, "ICEExplorer(explanations)", y)


def _works_again(
    models: Mapping[str, Any], X: Any, y: object, options: Mapping[str, Any]
) -> Callable[[Wanted], Mapping[str, ModelWork]]:
    """Return what makes the works on several models, of one output and scale."""
    answers = {id(model): Answers(_KEPT_ANSWERS) for model in models.values()}
    is_function = any(not hasattr(model, "predict") for model in models.values())

    def works(wanted: Wanted) -> Mapping[str, ModelWork]:
        response = {} if is_function or wanted.response == "" else {"response": wanted.response}

        def work(model: Any, chosen: Mapping[str, Any]) -> ModelWork:
            given = {**options, **chosen}
            if "output" in chosen:  # that of the first model
                return ModelWork(model, X, y, {**given, **response}, answers[id(model)])
            return _work_of_wanted(model, X, y, given, wanted=wanted, answers=answers[id(model)])

        return prepared_alike(models, options.get("grid"), work, lambda each: each._plan)  # noqa: SLF001 - in this module

    return works


def _work_of_wanted(
    model: Any, X: Any, y: object, options: Mapping[str, Any], *, wanted: Wanted, answers: Answers
) -> ModelWork:
    """Explain the output that was wanted, on the scale that was wanted, or the one of the two that there is."""
    output, response, _ = wanted
    scales = [response, ""] if response not in {"", "callable"} else [""]
    for scale in scales:
        for label in _labels_of(output):
            chosen = {"output": label, "response": scale}
            further = {name: value for name, value in chosen.items() if value != ""}
            try:
                work = ModelWork(model, X, y, {**options, **further}, answers)
            except (InvalidOptionError, OutputError):
                continue  # also checked below, where an option is wrong
            # A number stands for a position as well, and means nothing then.
            if output in {"", work.choices.output}:
                return work
            work.finish()
    work = ModelWork(model, X, y, options, answers)
    if output not in work.choices.outputs:
        return work
    work.finish()
    return work.other(output, work.choices.response)  # by a label that was clipped


def _labels_of(text: str) -> list[object]:
    """What an output may be called that reads as a text: that text, a number, or a pair."""
    try:
        return [text, ast.literal_eval(text)]
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return [text]


def _text(output: object) -> str:
    return "" if output is None else str(output)


def _head(label: str, kind: FeatureKind, n_grid: int, scale: float) -> FeatureHead:
    return FeatureHead(name=label, kind=kind, n_grid=n_grid, scale=scale, range=None)
