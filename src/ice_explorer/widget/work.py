"""What an explorer explains: a model or several, or explanations that are there, in one unit of the distance."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from ice_explorer.beyond.interactions import JointEffects
from ice_explorer.comparison import (
    ModelComparison,
    check_models,
    disagreement_of,
    prepared_alike,
)
from ice_explorer.drafts import Drafts
from ice_explorer.errors import DataError, OptionError
from ice_explorer.explain_model import is_several, prepare
from ice_explorer.explanation import Explanation
from ice_explorer.metrics.ordered import CONVENTIONS
from ice_explorer.plan import Classes
from ice_explorer.progress import progress_reporter
from ice_explorer.results.options import OF_EXPLORERS, SCALES, Options
from ice_explorer.scene.choices import Besides
from ice_explorer.tables.column import clipped, readable
from ice_explorer.tables.table import copy_data
from ice_explorer.wire.arrays import check_sendable
from ice_explorer.wire.header import outline_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ice_explorer.comparison import Disagreement
    from ice_explorer.curves.inputs import Context
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.features.feature import AnchorName
    from ice_explorer.plan import Plan
    from ice_explorer.results.extrapolation import Expected
    from ice_explorer.tables.column import Name
    from ice_explorer.wire.header import Outline

    Results = dict[Name, FeatureExplanation]


class Wanted(NamedTuple):
    """An output, a response, a convention, a distance and one of several models; "" where nothing is wanted."""

    output: str = ""
    response: str = ""
    convention: str = ""
    distance: str = ""
    model: str = ""


class Source:
    """What an explorer explains by one model, or an explanation that is there, in each unit of the distance.

    - `first`: the explanation before anything is computed. `usual`: its distance; curves are the same in every one.
    - `plan`: what computes features by the model; None where this is not at hand, nor what can be chosen of it.
    - `outline`: what is known of each feature from the start, by name.
    - `output`: what is explained, as text; "" where the model has one output.
    - `outputs`, `responses`, `conventions`, `distances`: what can be chosen instead; outputs by their label.
    - `classes`: curves of all outputs; None where the model has one, or is not at hand.
    - `results`: computed features, by distance and name.
    - `expected`: what the other features let expect of each, once it was estimated.
    - `joint`: what was computed of several features.
    - `prediction_sd`, `score`: how far predictions spread, None until it is measured; how well they predict y.
    """

    def __init__(self, explanation: Explanation, plan: Plan | None = None) -> None:
        for feature in explanation.values():
            check_sendable(feature)
        self.first, self.plan = explanation, plan
        self.outline: Mapping[Name, Outline] = {each.feature: outline_of(each) for each in explanation.values()}
        self.usual = usual = explanation.settings.distance
        self.output = clipped(_text(explanation.settings.output))
        self.outputs: Mapping[str, object] = {}
        self.responses: tuple[str, ...] = ()
        self.conventions: tuple[str, ...] = ()
        self.classes: Classes | None = None
        all_distances = SCALES if usual in SCALES else (usual, *SCALES)  # values by feature, where they were given
        self.distances = all_distances if explanation._context.has_all_rows else (usual,)
        self.results: dict[str, Results] = {usual: {each.feature: each for each in explanation.values()}}
        self._contexts: dict[str, Context] = {}
        self.expected: dict[Name, Expected] = {}
        self.joint = JointEffects()
        self.prediction_sd: float | None = None
        self.score = ""
        self._reporting = ExitStack()
        self._report: Callable[[int, int, str], None] | None = None

    @classmethod
    def of_model(cls, model: Any, X: Any, y: object, options: Mapping[str, Any]) -> Source:
        """Prepare a model, the rows that it is explained on, and options of `explain`."""
        if X is None:
            raise DataError(
                "ICEExplorer needs the observations to explain the model on; got a model alone.",
                "Call `ICEExplorer(model, X)`.",
            )
        # The bars that fill in are the progress; anything else is an option.
        resolved = Options(**{**options, "progress": False})
        plan = prepare(model, X, resolved, y=y)
        source = cls(plan.explanation({}), plan)
        source._report = source._reporting.enter_context(
            progress_reporter(options.get("progress") or False, plan.n_predictions)
        )
        labels = zip(plan.features, plan.labels, strict=True)
        source.outline = {name: (label, *plan.outline(name)) for name, label in labels}
        source.conventions = CONVENTIONS
        source.outputs = dict(zip(plan.output_labels, plan.outputs, strict=True))
        label_of = {_text(output): label for label, output in source.outputs.items()}
        source.output = label_of.get(_text(plan.settings.output), _text(plan.settings.output))
        source.responses = plan.responses if len(plan.responses) > 1 else ()

        def plan_of(output: object) -> Plan:
            # Thresholds may be those of one class; rows are compared on the same grid.
            grid = plan.grids if resolved.grid == "thresholds" else resolved.grid
            return plan.of_output(model, X, replace(resolved, grid=grid, output=output))

        source.classes = Classes(plan, plan_of) if plan.outputs else None
        return source

    def explanation(self, results: Mapping[Name, FeatureExplanation], distance: str) -> Explanation:
        """Collect features that are computed with a distance."""
        usual = results if distance == self.usual else {name: self.results[self.usual][name] for name in results}
        collected = self.first if self.plan is None else self.plan.explanation(usual)
        return collected if distance == self.usual else collected._with_distance(self._context(distance), results)

    def compute(self, name: Name, distance: str) -> FeatureExplanation:
        """Compute a feature, unless it is there."""
        results = self.results.setdefault(distance, {})
        if name in results:
            return results[name]
        if distance == self.usual:
            result = self._compute(name)
        else:
            feature, expected = self.compute(name, self.usual), None
            if distance == "conditional":
                expected = self.expected[name] = feature._expected(self.expected.get(name))
            result = feature._with_distance(self._context(distance), expected)
        check_sendable(result)
        results[name] = result
        return result

    def _context(self, distance: str) -> Context:
        if distance not in self._contexts:
            self._contexts[distance] = self.first._context.with_distance(distance)
        return self._contexts[distance]

    def _compute(self, name: Name) -> FeatureExplanation:
        plan, report = self.plan, self._report
        assert plan is not None  # noqa: S101 - else all results are there
        assert report is not None  # noqa: S101
        feature = plan.compute(name, report)
        plan.check_unchanged(name)  # while it was computed a cell may have fitted the model anew
        return feature

    def anchor_place(self, name: Name, anchor: object) -> AnchorName | float:
        """Return an anchor of a feature as pictures have it."""
        return self.first[name]._anchor_place(anchor) if self.plan is None else self.plan.anchor_place(name, anchor)

    def finish(self) -> None:
        """Take in that no feature will follow."""
        self._reporting.close()


class Work:
    """What there is to compute of one or several models with one distance, and what is known already.

    - `names`: features in column order. `by_label`: the same by label.
    - `shown`: what is explained. `choices`: what can be instead, by the name in `Wanted`; empty where nothing can.
    - `results`: features that are computed from the start.
    - `known`: what is published; its columns are there from the start.
    - `sources`, `opened`: all models by name, and the one that everything is about but curves and figures of all.
    - `expected`: what the other features let expect of each, once it was estimated.
    - `lost`: a sentence on each wish that could not be met.
    """

    def __init__(
        self, sources: Mapping[str, Source], wanted: Wanted, given: _Given | None = None, before: Work | None = None
    ) -> None:
        self.sources, self._given, self.opened = sources, given, sources[wanted.model]
        opened, distance, settings = self.opened, wanted.distance, self.opened.first.settings
        # Which no model has a part in.
        self.expected: dict[Name, Expected] = {} if before is None else before.expected
        for source in sources.values():
            source.expected = self.expected
        self._by_distance: dict[str, dict[Name, Disagreement]] = {}
        if before is not None and before.sources is sources:
            self._by_distance = before._by_distance  # noqa: SLF001 - of the same class
        self._disagreements = self._by_distance.setdefault(distance, {})
        self._drafts: Drafts | None = None
        self._drafted: dict[Name, tuple[list[FeatureExplanation], Disagreement]] = {}
        self.shown = Wanted(opened.output, settings.response, settings.convention, distance, wanted.model)
        is_one = len(sources) == 1
        responses = tuple(each for each in opened.responses if all(each in one.responses for one in sources.values()))
        self.choices: Mapping[str, tuple[str, ...]] = {
            "output": tuple(opened.outputs),
            "response": responses if len(responses) > 1 else (),
            "convention": opened.conventions,
            "distance": opened.distances,
            "model": () if is_one else tuple(sources),
        }
        self.names = tuple(opened.outline)
        self.by_label = {label: name for name, (label, *_) in opened.outline.items()}
        computed = opened.results.get(distance, {})
        self.results = {name: each for name, each in dict(computed).items() if is_one or name in self._disagreements}
        self.known = self.explanation(self.results)
        self.lost: list[str] = []

    def other(self, wanted: Wanted) -> Work:
        """Return the work on another of the choices; what was computed of the same output is kept."""
        if wanted[:3] == self.shown[:3]:
            return Work(self.sources, wanted, self._given, self)
        assert self._given is not None  # noqa: S101 - else there is nothing to choose
        if self.opened.plan is not None:
            self.opened.plan.check_unchanged()
        names = ("response", "convention")
        chosen = {each: getattr(wanted, each) for each in names if getattr(wanted, each) != getattr(self.shown, each)}
        if self.opened.outputs:
            chosen["output"] = self.opened.outputs[wanted.output]
        given = self._given._replace(options={**self._given.options, **chosen})
        return Work(_prepare(given), wanted, given, self)

    def explanation(self, results: Mapping[Name, FeatureExplanation]) -> Explanation:
        """Collect computed features of the open model."""
        return self.opened.explanation(results, self.shown.distance)

    def compute(self, name: Name) -> FeatureExplanation:
        """Compute a feature by every model, and return it by the open one; as `Background` calls it."""
        distance = self.shown.distance
        features = [each.compute(name, distance) for each in self.sources.values()]
        if len(features) > 1 and name not in self._disagreements:
            self._disagreements[name] = disagreement_of(features)
        self._drafted.pop(name, None)
        return self.opened.results[distance][name]

    def draft(self) -> Mapping[Name, FeatureExplanation] | None:
        """Compute the next draft of all features; None where results are there, or follow from others."""
        if self.shown.distance != self.opened.usual:
            return None
        drafters = [source.plan.drafter for source in self.sources.values() if source.plan is not None]
        if not drafters:
            return None
        if self._drafts is None:
            self._drafts = Drafts(drafters)
        drafts = self._drafts.next()
        if drafts is None:
            return None
        if len(drafts) > 1:
            by_name = {name: [draft[name] for draft in drafts] for name in self.names}
            self._drafted = {name: (each, disagreement_of(each)) for name, each in by_name.items()}
        return drafts[list(self.sources).index(self.shown.model)]

    def by_models(self, name: Name) -> tuple[list[FeatureExplanation], Disagreement]:
        """Return a computed feature by each of several models, and how far these disagree."""
        drafted = self._drafted.get(name)  # before it is asked for: it goes when the result is there
        if name not in self._disagreements and drafted is not None:
            return drafted
        distance = self.shown.distance
        return [each.results[distance][name] for each in self.sources.values()], self._disagreements[name]

    @property
    def models(self) -> ModelComparison | None:
        """What is computed of several models; None with one."""
        if len(self.sources) == 1:
            return None
        known = {name: self.by_models(name) for name in {**self._drafted, **self._disagreements}}
        explanations = {
            model: source.explanation({name: each[at] for name, (each, _) in known.items()}, self.shown.distance)
            for at, (model, source) in enumerate(self.sources.items())
        }
        return ModelComparison(explanations, {name: each for name, (_, each) in known.items()}, self.shown.model)

    def finish(self) -> None:
        """Take in that no feature will follow."""
        for source in self.sources.values():
            source.finish()

    @property
    def besides(self) -> Besides:
        """What views show in addition to the curves."""
        opened, known = self.opened, self.known
        return Besides(known._observed_target, known._target_name, opened.classes, opened.joint, self.models)

    @property
    def readable(self) -> list[object]:
        """Feature names as messages quote them."""
        return list(map(readable, self.names, self.by_label))


class _Given(NamedTuple):
    """Models by name, the data that they are explained on, and options of `explain`."""

    models: Mapping[str, Any]
    X: Any
    y: object
    options: Mapping[str, Any]


def work_of(model: Any, X: Any, y: object, options: Mapping[str, Any], wanted: Wanted | None = None) -> Work:
    """Check the arguments of an explorer; nothing is computed yet.

    - `model`: a model, several by name, or what `explain` returned, which has its own data.
    - `y`: the observed target.
    - `options`: those of `explain`.
    - `wanted`: what to explain instead of what the options say, where the model has it.
    """
    wanted = wanted or Wanted()
    for option in options:
        if option not in OF_EXPLORERS:
            raise OptionError.unknown("ICEExplorer", option, [*OF_EXPLORERS, "state"])
    sources: Mapping[str, Source]
    given: _Given | None = None
    distance = ""
    if isinstance(model, Explanation | ModelComparison):
        further = [name for name, value in (("X", X), ("y", y)) if value is not None] + list(options)
        if further:
            raise DataError(
                "ICEExplorer(explanation) takes nothing else, because an explanation brings its data "
                f"and its options; got {', '.join(further)} as well.",
                "Pass that to `explain`.",
            )
        explanations = {"": model} if isinstance(model, Explanation) else model.explanations
        sources = {name: Source(each) for name, each in explanations.items()}
    else:
        models = check_models(model) if is_several(model) else {"": model}
        # Another output is explained with what was given, whatever became of it since.
        options = {name: _kept(value) for name, value in options.items()}
        if options.get("distance") == "conditional":  # which is estimated feature by feature, in the background
            distance = options.pop("distance")
        given = _Given(models, copy_data(X), copy_data(y), options)
        sources = _prepare(given)
    opened = wanted.model if wanted.model in sources else next(iter(sources))
    work = Work(sources, Wanted(model=opened, distance=sources[opened].usual), given)
    return _restore(work, wanted._replace(distance=wanted.distance or distance))


def _restore(work: Work, wanted: Wanted) -> Work:
    there = {name: wish for name, wish in wanted._asdict().items() if wish in work.choices[name]}
    fitting = work.shown._replace(**there)
    if fitting != work.shown:
        before = work
        with suppress(DataError, OptionError):
            work = before.other(fitting)
        if work.sources is not before.sources:
            before.finish()
    for name, wish in wanted._asdict().items():
        current = getattr(work.shown, name)
        if wish not in ("", current):
            instead = f"using {current!r}" if current else "using the only one"
            work.lost.append(f"The saved state refers to the {name} {wish!r}, which is not available; {instead}.")
    return work


def _prepare(given: _Given) -> Mapping[str, Source]:
    """Prepare models for the same output, features and grids."""
    models, X, y, options = given

    def prepare_one(model: Any, chosen: Mapping[str, Any]) -> Source:
        return Source.of_model(model, X, y, {**options, **chosen})

    if len(models) == 1:
        return {name: prepare_one(model, {}) for name, model in models.items()}
    return prepared_alike(models, options.get("grid"), prepare_one, attrgetter("plan"))


def _kept(value: object) -> object:
    return {name: copy_data(entry) for name, entry in value.items()} if isinstance(value, dict) else copy_data(value)


def _text(output: object) -> str:
    return "" if output is None else str(output)
