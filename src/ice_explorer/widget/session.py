"""Prepare the explanation of an explorer from a model and data, or take an existing one."""

from __future__ import annotations

import ast
import math
from abc import ABC, abstractmethod
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ice_explorer.beyond.interactions import JointEffects
from ice_explorer.comparison import (
    ModelComparison,
    check_explanations,
    check_models,
    disagreement_of,
    is_several,
    prepared_alike,
)
from ice_explorer.drafts import Drafts
from ice_explorer.errors import ArgumentError, Cancelled, DataError, OptionError
from ice_explorer.errors.tracebacks import unknown_keyword
from ice_explorer.explain_model import prepare
from ice_explorer.explanation import Explanation
from ice_explorer.locks import cancel_wait_when
from ice_explorer.plan import Classes
from ice_explorer.progress import progress_reporter
from ice_explorer.results.options import DEFAULTS, OF_EXPLORERS, SCALES, Options
from ice_explorer.scene.provenance import code_line
from ice_explorer.scene.view_state import STATE_VERSION, Besides
from ice_explorer.tables.labels import clipped, readable
from ice_explorer.tables.table import kept
from ice_explorer.widget.state import Wanted
from ice_explorer.wire.arrays import check_sendable
from ice_explorer.wire.messages import FeatureHead

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ice_explorer.comparison import Disagreement
    from ice_explorer.drafts import Drafter
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.features.feature import AnchorName, FeatureKind
    from ice_explorer.metrics.windows import Convention
    from ice_explorer.plan import Plan
    from ice_explorer.results.extrapolation import Expected
    from ice_explorer.tables.column import Name
    from ice_explorer.widget.background import BetweenBlocks, IsCancelled


@dataclass(frozen=True)
class Choices:
    """What could be explained of the same model, as text.

    - `output`, `response`: what is explained; "" where the model has one output.
    - `outputs`, `responses`: what can be chosen; empty where nothing can.
    - `label_of`: outputs as pictures have them by their text.
    - `convention`: what figures are averages of.
    - `distance`, `distances`: unit of the distance from the observed value, and what can be chosen instead.
    - `classes`: curves of all outputs; None where the model has one, or is not at hand.
    - `has_model`: whether the model is at hand, so that another output can be explained.
    - `model`, `models`: name of the open one of several models, and the names of all; empty with one.
    """

    output: str
    response: str
    convention: Convention
    outputs: tuple[str, ...] = ()
    responses: tuple[str, ...] = ()
    distance: str = "marginal"
    distances: tuple[str, ...] = SCALES
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
    - `score`: how well the model predicts y; "" until it is measured, or where y is not known.
    - `known`: what has been computed so far; its columns are there from the start.
    - `target` (n_observations,): what was observed of what is explained, NaN where missing; None where it was not
      given.
    - `target_name`: name of y; "" where it has none, or several.
    - `joint`: what was computed of several features.
    - `expected`: what the other features let expect of each, once it was estimated.
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
    ) -> None:
        self.names = names
        self.heads = heads
        self.code = code
        self.choices = choices
        self.results = results
        self.lost: list[str] = []
        self.prediction_sd: float | None = None
        self.score = ""
        self.joint = JointEffects()
        self.expected: dict[Name, Expected] = {}
        self._by_distance: dict[str, Work] = {}
        self._drafts: Drafts | None = None
        self.by_label = {head["name"]: name for head, name in zip(heads, names, strict=True)}
        self.known = self.explanation(results)
        self.target, self.target_name = self.known._observed_target, self.known._target_name

    @abstractmethod
    def explanation(self, results: Mapping[Name, FeatureExplanation]) -> Explanation:
        """Collect computed features."""

    @abstractmethod
    def compute(self, name: Name, between_blocks: BetweenBlocks, is_cancelled: IsCancelled) -> FeatureExplanation:
        """Compute one feature, as `Background` asks for it."""

    def draft(
        self, between_blocks: BetweenBlocks, is_cancelled: IsCancelled
    ) -> Mapping[Name, FeatureExplanation] | None:
        """Compute the next draft of all features, as `Background` asks for it; None where there is none."""
        drafters = self.drafters
        if not drafters:
            return None
        if self._drafts is None:
            self._drafts = Drafts(drafters)

        def after_block() -> None:
            between_blocks()
            if is_cancelled():
                raise Cancelled

        with cancel_wait_when(is_cancelled):
            drafts = self._drafts.next(after_block)
            return None if drafts is None else self._drafted(drafts, after_block)

    @property
    def drafters(self) -> Sequence[Drafter]:
        """What drafts the features, by each model; none where results are there, or follow from others."""
        return ()

    def _drafted(
        self,
        drafts: Sequence[Mapping[Name, FeatureExplanation]],
        between_blocks: BetweenBlocks,  # noqa: ARG002
    ) -> Mapping[Name, FeatureExplanation]:
        """Take in a draft by every model, and return that of the open one."""
        return drafts[0]

    @abstractmethod
    def anchor_place(self, name: Name, anchor: object) -> AnchorName | float:
        """Return an anchor of a feature as pictures have it."""

    def finish(self) -> None:  # noqa: B027 - by default there is nothing to end
        """Take in that no feature will follow."""

    @property
    def shown(self) -> Wanted:
        """The choices that were made."""
        choices = self.choices
        return Wanted(choices.output, choices.response, choices.convention, choices.distance, choices.model)

    def other(self, wanted: Wanted) -> Work:
        """Return the work on another of the choices."""
        work = self if wanted[:3] == self.shown[:3] else self._explaining(*wanted[:3])
        return work.with_distance(wanted.distance)

    def _explaining(self, output: str, response: str, convention: str) -> Work:
        """Return the work on another output, response or convention, where the model is at hand."""
        raise NotImplementedError

    def code_in(self, distance: str) -> str:
        """Return the line that makes an explorer with another distance."""
        raise NotImplementedError

    def with_distance(self, distance: str) -> Work:
        """Return the work on the same with one of the distances; what it has computed is kept."""
        if distance == self.choices.distance:
            return self
        if distance not in self._by_distance:
            self._by_distance[distance] = DistanceWork(self, distance)
        return self._by_distance[distance]

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

    @property
    def besides(self) -> Besides:
        """What views show in addition to the curves."""
        return Besides(self.target, self.target_name, self.choices.classes, self.joint, self.models)

    def drawn(self, state: Mapping[str, Any], choices: Mapping[str, Any]) -> dict[str, Any]:
        """All that a picture of a view shows: its state, what a reader chose, and what only an explorer knows."""
        return {**state, "choices": choices, "besides": self.besides}

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
        self._explanation = explanation = explanation if y is None else explanation._with_y(y)
        for feature in explanation.values():
            check_sendable(feature)
        settings = explanation.settings
        super().__init__(
            tuple(explanation.features),
            [_head(f.label, f.dtype_kind, len(f.grid), f.scale) for f in explanation.values()],
            "ICEExplorer(explanation)",
            choices=Choices(
                clipped(_text(settings.output)),
                settings.response,
                settings.convention,
                distance=settings.distance,
                distances=_distances(settings.distance) if explanation._context.has_all_rows else (settings.distance,),
                has_model=False,
            ),
            results={feature.feature: feature for feature in explanation.values()},
        )

    def explanation(self, results: Mapping[Name, FeatureExplanation]) -> Explanation:  # noqa: ARG002 - all are known
        return self._explanation

    def code_in(self, distance: str) -> str:
        return _code_of_explained("explanation", distance)

    def compute(self, name: Name, between_blocks: BetweenBlocks, is_cancelled: IsCancelled) -> FeatureExplanation:  # noqa: ARG002
        return self.results[name]

    def anchor_place(self, name: Name, anchor: object) -> AnchorName | float:
        return self.results[name]._anchor_place(anchor)


def _code_of_explained(what: str, distance: str) -> str:
    return f"ICEExplorer({what}, state={ {'version': STATE_VERSION, 'distance': distance} })"


class ModelWork(Work):
    """A model, and the rows that it is explained on."""

    def __init__(self, model: Any, X: Any, y: object, options: Mapping[str, Any]) -> None:
        if X is None:
            raise DataError(
                "ICEExplorer needs the observations to explain the model on; got a model alone.",
                "Call `ICEExplorer(model, X)`.",
            )
        if options.get("distance") == "conditional":  # which is estimated feature by feature, in the background
            options = {name: value for name, value in options.items() if name != "distance"}
        self._arguments = model, X, y, options
        # The bars that fill in are the progress; anything else is an option.
        self._options = Options(**{**options, "progress": False})
        self._plan = plan = prepare(model, X, self._options, y=y)
        if plan.is_opening:  # so that the line of code does not depend on what is frequent in the data
            options = {**options, "output": plan.settings.output}
            self._arguments = model, X, y, options
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
            convention=plan.settings.convention,
            outputs=tuple(self._output_of),
            responses=plan.responses if len(plan.responses) > 1 else (),
            distance=plan.settings.distance,
            distances=_distances(plan.settings.distance) if plan.has_all_rows else (plan.settings.distance,),
            label_of=label_of,
            classes=Classes(plan, self._plan_of) if plan.outputs else None,
        )
        heads = [_head(label, *plan.outline(name)) for name, label in zip(plan.features, plan.labels, strict=True)]
        super().__init__(plan.features, heads, code_line(options), choices=choices, results={})

    @property
    def drafters(self) -> Sequence[Drafter]:
        return (self._plan.drafter,)

    def _explaining(self, output: str, response: str, convention: str) -> ModelWork:
        self._plan.check_unchanged()
        model, X, y, options = self._arguments
        chosen = {"output": self._output_of[output]} if self._output_of else {}
        if response != self.choices.response:
            chosen["response"] = response
        other = ModelWork(model, X, y, {**options, **chosen, **_chosen_convention(options, convention)})
        other.expected = self.expected  # which the output has no part in
        return other

    def code_in(self, distance: str) -> str:
        return code_line({**self.options, "distance": distance})

    @property
    def options(self) -> Mapping[str, Any]:
        """The options of `explain` that were given or chosen, but the conditional distance."""
        _, _, _, options = self._arguments
        return options

    def _plan_of(self, output: object) -> Plan:
        # Thresholds may be those of one class; rows are compared on the same grid.
        grid = self._plan.grids if self._options.grid == "thresholds" else self._options.grid
        model, X, _, _ = self._arguments
        return self._plan.of_output(model, X, replace(self._options, grid=grid, output=output))

    def explanation(self, results: Mapping[Name, FeatureExplanation]) -> Explanation:
        return self._plan.explanation(results)

    def compute(self, name: Name, between_blocks: BetweenBlocks, is_cancelled: IsCancelled) -> FeatureExplanation:
        def after_block(made: int, of_feature: int, label: str) -> None:
            self._n_made += made
            self._report(made, of_feature, label)
            between_blocks()

        def between_looks() -> bool:
            if self._plan.is_on_cluster:  # which is looked at while it works, and has no blocks
                between_blocks()
            return is_cancelled()

        feature = self._plan.compute(name, after_block, between_looks)
        self._plan.check_unchanged(name)  # while it was computed a cell may have fitted the model anew
        check_sendable(feature)
        return feature

    def anchor_place(self, name: Name, anchor: object) -> AnchorName | float:
        return self._plan.anchor_place(name, anchor)

    def finish(self) -> None:
        self._reporting.close()

    @property
    def share_done(self) -> float:
        # Whatever computes faster than by asking does so for all features at once.
        is_stepwise = self._plan.method == "brute" or self._plan.is_on_cluster
        return self._n_made / self._plan.n_predictions if is_stepwise else math.nan


class DistanceWork(Work):
    """Other work with distances from observed values in another unit: its curves are there, and not computed again."""

    def __init__(self, base: Work, distance: str) -> None:
        self._base = base
        self._context = base.known._context.with_distance(distance)
        choices = replace(base.choices, distance=distance)
        super().__init__(base.names, base.heads, base.code_in(distance), choices=choices, results={})
        self.joint, self.prediction_sd, self.score = base.joint, base.prediction_sd, base.score

    def explanation(self, results: Mapping[Name, FeatureExplanation]) -> Explanation:
        of_base = self._base.explanation({name: self._base.results[name] for name in results})
        return of_base._with_distance(self._context, results)

    def compute(self, name: Name, between_blocks: BetweenBlocks, is_cancelled: IsCancelled) -> FeatureExplanation:
        base = self._base
        if name not in base.results:
            base.results[name] = base.compute(name, between_blocks, is_cancelled)

        def after_fit() -> None:
            between_blocks()
            if is_cancelled():
                raise Cancelled

        feature, expected = base.results[name], None
        if self.choices.distance == "conditional":
            expected = base.expected[name] = feature._expected(after_fit, base.expected.get(name))
        rescaled = feature._with_distance(self._context, expected, after_fit)
        check_sendable(rescaled)
        return rescaled

    def anchor_place(self, name: Name, anchor: object) -> AnchorName | float:
        return self._base.anchor_place(name, anchor)

    def finish(self) -> None:
        self._base.finish()

    def _explaining(self, output: str, response: str, convention: str) -> Work:
        return self._base._explaining(output, response, convention)

    def with_distance(self, distance: str) -> Work:
        return self if distance == self.choices.distance else self._base.with_distance(distance)


class ModelsWork(Work):
    """Several models, one of which is open: everything is about it, but curves and figures there are of all.

    - `works`: on each model with one distance, by its name; each keeps what it has computed.
    - `code`: the line that makes an explorer of this, by the distance.
    - `again`: explains another output or response; None where the models are not at hand.
    - `disagreements`: how far they disagree, by distance, of the features that are computed for all.
    """

    def __init__(
        self,
        works: Mapping[str, Work],
        model: str,
        code: Callable[[str], str],
        again: Callable[[Wanted], ModelsWork] | None,
        disagreements: dict[str, dict[Name, Disagreement]],
    ) -> None:
        self._works, self._code, self._again, self._by_scale = works, code, again, disagreements
        self._opened = opened = works[model]
        first, *others = works.values()
        for other in others:
            other.expected = first.expected  # which the model has no part in
        common = [each.choices.responses for each in works.values()]
        responses = tuple(response for response in common[0] if all(response in other for other in common))
        choices = replace(
            opened.choices, responses=responses if len(responses) > 1 else (), model=model, models=tuple(works)
        )
        self._disagreements = disagreements.setdefault(choices.distance, {})
        results = {name: opened.results[name] for name in opened.names if name in self._disagreements}
        super().__init__(opened.names, opened.heads, code(choices.distance), choices=choices, results=results)
        self.joint, self.prediction_sd, self.score = opened.joint, opened.prediction_sd, opened.score
        self._drafted_by_models: dict[Name, tuple[list[FeatureExplanation], Disagreement]] = {}

    def explanation(self, results: Mapping[Name, FeatureExplanation]) -> Explanation:
        return self._opened.explanation(results)

    def compute(self, name: Name, between_blocks: BetweenBlocks, is_cancelled: IsCancelled) -> FeatureExplanation:
        for work in self._works.values():
            if name not in work.results:
                work.results[name] = work.compute(name, between_blocks, is_cancelled)
        if name not in self._disagreements:
            features = [work.results[name] for work in self._works.values()]
            self._disagreements[name] = disagreement_of(features, between_blocks)
        self._drafted_by_models.pop(name, None)
        return self._opened.results[name]

    @property
    def drafters(self) -> Sequence[Drafter]:
        drafters = [work.drafters for work in self._works.values()]
        return [of_model[0] for of_model in drafters] if all(drafters) else ()

    def _drafted(
        self, drafts: Sequence[Mapping[Name, FeatureExplanation]], between_blocks: BetweenBlocks
    ) -> Mapping[Name, FeatureExplanation]:
        by_name = {name: [draft[name] for draft in drafts] for name in self.names}
        self._drafted_by_models = {
            name: (features, disagreement_of(features, between_blocks)) for name, features in by_name.items()
        }
        return drafts[list(self._works).index(self.choices.model)]

    def by_models(self, name: Name) -> tuple[list[FeatureExplanation], Disagreement]:
        if name not in self._disagreements:
            return self._drafted_by_models[name]
        return [work.results[name] for work in self._works.values()], self._disagreements[name]

    @property
    def models(self) -> ModelComparison:
        known = {name: self.by_models(name) for name in {**self._drafted_by_models, **self._disagreements}}
        explanations = {
            model: work.explanation({name: features[at] for name, (features, _) in known.items()})
            for at, (model, work) in enumerate(self._works.items())
        }
        disagreements = {name: disagreement for name, (_, disagreement) in known.items()}
        return ModelComparison(explanations, disagreements, self.choices.model)

    def anchor_place(self, name: Name, anchor: object) -> AnchorName | float:
        return self._opened.anchor_place(name, anchor)

    def other(self, wanted: Wanted) -> ModelsWork:
        if wanted[:3] != self.shown[:3] and self._again is not None:
            return self._again(wanted).with_distance(wanted.distance)
        works = {model: work.with_distance(wanted.distance) for model, work in self._works.items()}
        return ModelsWork(works, wanted.model, self._code, self._again, self._by_scale)

    def with_distance(self, distance: str) -> ModelsWork:
        return self.other(self.shown._replace(distance=distance))

    def finish(self) -> None:
        for work in self._works.values():
            work.finish()

    @property
    def share_done(self) -> float:
        return sum(work.share_done for work in self._works.values()) / len(self._works)


def work_of(model: Any, X: Any, y: object, options: Mapping[str, Any], wanted: Wanted | None = None) -> Work:
    """Check the arguments of an explorer; nothing is computed yet.

    - `model`: a model, an explanation that has its own data, or several of either by name.
    - `y`: the observed target.
    - `options`: those of `explain`.
    - `wanted`: what to explain instead of what the options say, where the model has it.
    """
    wanted = wanted or Wanted()
    if isinstance(model, ModelComparison):
        model = model.explanations
    # Another output is explained with what was given, whatever became of it since.
    given = {name: _kept_values(value) for name, value in options.items()}
    if X is not None:
        given |= _chosen_convention(given, wanted.convention)
    make = _work_of_models if is_several(model) else _work_of_arguments
    work = make(model, kept(X), kept(y), given, wanted)
    if wanted.output not in {"", work.choices.output}:
        work.lost.append(_not_explained("output", wanted.output, work.choices.output))
    if wanted.response not in {"", work.choices.response}:
        work.lost.append(_not_explained("response", wanted.response, work.choices.response))
    if wanted.convention not in {"", work.choices.convention}:
        work.lost.append(_not_explained("convention", wanted.convention, work.choices.convention))
    if wanted.model not in {"", work.choices.model}:
        work.lost.append(_not_explained("model", wanted.model, work.choices.model))
    distance = wanted.distance or ("conditional" if given.get("distance") == "conditional" else work.choices.distance)
    if distance not in work.choices.distances:
        work.lost.append(_not_explained("distance", distance, work.choices.distance))
        return work
    chosen = work.with_distance(distance)
    chosen.lost = work.lost
    return chosen


def _chosen_convention(options: Mapping[str, Any], convention: str) -> dict[str, Any]:
    """Return the option of a convention that was chosen, where that is another one than the options have."""
    return {} if convention in {"", options.get("convention", DEFAULTS["convention"])} else {"convention": convention}


def _kept_values(value: object) -> object:
    return {name: kept(entry) for name, entry in value.items()} if isinstance(value, dict) else kept(value)


def _not_explained(what: str, wanted: str, instead: str) -> str:
    here = f"using {instead!r}" if instead else "using the only one"
    return f"The saved state refers to the {what} {wanted!r}, which is not available; {here}."


def _work_of_arguments(model: Any, X: Any, y: object, options: Mapping[str, Any], wanted: Wanted) -> Work:
    _check_options(options)
    if not isinstance(model, Explanation):
        return _work_of_wanted(model, X, y, options, wanted=wanted)
    _check_alone(X, options)
    return ExplanationWork(model, y)


def _check_options(options: Mapping[str, Any]) -> None:
    for option in options:
        if option == "budget":
            raise ArgumentError(
                "ICEExplorer() has no option 'budget': it shows samples of the rows until the result is there.",
                "Leave it out, or write `ICEExplorer(explain(model, X, budget=…))`.",
            )
        if option not in OF_EXPLORERS:
            raise unknown_keyword("ICEExplorer", option, [*OF_EXPLORERS, "state"])


def _check_alone(X: Any, options: Mapping[str, Any]) -> None:
    """Check that nothing comes with an explanation."""
    further = ["X"] * (X is not None) + list(options)
    if further:
        raise DataError(
            "ICEExplorer(explanation) takes nothing else but y, because an explanation brings its data "
            f"and its options; got {', '.join(further)} as well.",
            "Pass that to `explain`.",
        )


def _work_of_models(models: Any, X: Any, y: object, options: Mapping[str, Any], wanted: Wanted) -> ModelsWork:
    """Explain several models, or take explanations of them."""
    _check_options(options)
    models = check_models(models)
    works: Mapping[str, Work]
    again: Callable[[Wanted], ModelsWork] | None = None
    if any(isinstance(model, Explanation) for model in models.values()):
        check_explanations(models)
        _check_alone(X, options)
        works = {name: ExplanationWork(explanation, y) for name, explanation in models.items()}
        line, line_in = "ICEExplorer(explanations)", partial(_code_of_explained, "explanations")
    else:
        works = of_models = _explained_alike(models, X, y, options, wanted)
        given = next(iter(of_models.values())).options
        line, line_in = code_line(given, model="models"), partial(_code_of_models, given)
        again = partial(_work_of_models, models, X, y, options)
    usual = next(iter(works.values())).choices.distance
    opened = wanted.model if wanted.model in models else next(iter(models))
    return ModelsWork(works, opened, lambda distance: line if distance == usual else line_in(distance), again, {})


def _code_of_models(options: Mapping[str, object], distance: str) -> str:
    return code_line({**options, "distance": distance}, model="models")


def _explained_alike(
    models: Mapping[str, Any], X: Any, y: object, options: Mapping[str, Any], wanted: Wanted
) -> Mapping[str, ModelWork]:
    """Explain one output of several models on one scale."""
    is_function = any(not hasattr(model, "predict") for model in models.values())
    response = {} if is_function or wanted.response == "" else {"response": wanted.response}

    def work(model: Any, chosen: Mapping[str, Any]) -> ModelWork:
        given = {**options, **_chosen_convention(options, wanted.convention), **chosen}
        if "output" in chosen:  # that of the first model
            return ModelWork(model, X, y, {**given, **response})
        return _work_of_wanted(model, X, y, given, wanted=wanted)

    return prepared_alike(models, options.get("grid"), work, lambda each: each._plan)


def _work_of_wanted(model: Any, X: Any, y: object, options: Mapping[str, Any], *, wanted: Wanted) -> ModelWork:
    """Explain the output that was wanted, on the scale that was wanted, or the one of the two that there is."""
    output, response = wanted.output, wanted.response
    scales = [response, ""] if response not in {"", "callable"} else [""]
    for scale in scales:
        for label in _labels_of(output):
            chosen = {"output": label, "response": scale}
            further = {name: value for name, value in chosen.items() if value != ""}
            try:
                work = ModelWork(model, X, y, {**options, **further})
            except (DataError, OptionError):
                continue  # also checked below, where an option is wrong
            # A number stands for a position as well, and means nothing then.
            if output in {"", work.choices.output}:
                return work
            work.finish()
    work = ModelWork(model, X, y, options)
    if output not in work.choices.outputs:
        return work
    work.finish()
    return work._explaining(output, work.choices.response, work.choices.convention)  # by a label that was clipped


def _labels_of(text: str) -> list[object]:
    """What an output may be called that reads as a text: that text, a number, or a pair."""
    try:
        return [text, ast.literal_eval(text)]
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return [text]


def _distances(own: str) -> tuple[str, ...]:
    """What the distance can be: values by feature, too, where they were given."""
    return SCALES if own in SCALES else (own, *SCALES)


def _text(output: object) -> str:
    return "" if output is None else str(output)


def _head(label: str, kind: FeatureKind, n_grid: int, scale: float) -> FeatureHead:
    return FeatureHead(name=label, kind=kind, n_grid=n_grid, scale=scale, range=None, n_rows=None)
