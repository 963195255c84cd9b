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
    Compared = dict[Name, tuple[list[FeatureExplanation], Disagreement]]


class Wanted(NamedTuple):
    """An output, a response, a convention, a distance and one of several models; "" where nothing is wanted."""

    output: str = ""
    response: str = ""
    convention: str = ""
    distance: str = ""
    model: str = ""


class _Given(NamedTuple):
    """Models by name, the data that they are explained on, and options of `explain`."""

    models: Mapping[str, Any]
    X: Any
    y: object
    options: Mapping[str, Any]


class Source:
    """What an explorer explains by one model, or an explanation that is there, in each unit of the distance."""

    def __init__(self, first: Explanation, expected: dict[Name, Expected], plan: Plan | None = None) -> None:
        for feature in first.values():
            check_sendable(feature)
        self.first = first  # before anything is computed
        self.plan = plan  # computes features by the model; None where this is not at hand, nor what can be chosen of it
        settings = first.settings
        self.usual = usual = settings.distance  # curves are the same in every one
        self.results: dict[str, Results] = {usual: {each.feature: each for each in first.values()}}  # by distance
        self.expected = expected  # what the other features let expect of each, once it was estimated
        self.joint = JointEffects()  # what was computed of several features
        self.classes: Classes | None = None  # curves of all outputs, where the model has several
        # How far predictions spread, and how well they predict y, once that is measured.
        self.measured: dict[str, object] = {"prediction_sd": None, "score": ""}
        self.outline: Mapping[Name, Outline] = {each.feature: outline_of(each) for each in first.values()}
        output = clipped(_text(settings.output))
        self.outputs: Mapping[str, object] = {}  # by label
        all_distances = SCALES if usual in SCALES else (usual, *SCALES)  # values by feature, where they were given
        # What can be explained instead, by the name in `Wanted`; empty where nothing can.
        self.choices: dict[str, tuple[str, ...]] = dict.fromkeys(Wanted._fields, ())
        self.choices["distance"] = all_distances if first._context.has_all_rows else (usual,)
        if plan is not None:
            labels = zip(plan.features, plan.labels, strict=True)
            self.outline = {name: (label, *plan.outline(name)) for name, label in labels}
            self.outputs = dict(zip(plan.output_labels, plan.outputs, strict=True))
            explained = _text(plan.settings.output)
            output = {_text(each): label for label, each in self.outputs.items()}.get(explained, explained)
            self.choices |= {"output": tuple(self.outputs), "response": plan.responses, "convention": CONVENTIONS}
        self.shown = Wanted(output, settings.response, settings.convention, usual)
        self._contexts: dict[str, Context] = {}
        self.reporting = ExitStack()  # closed where no feature will follow
        self._report: Callable[[int, int, str], None]

    @classmethod
    def of_model(cls, model: Any, given: _Given, chosen: Mapping[str, Any], expected: dict[Name, Expected]) -> Source:
        """Prepare a model; `chosen` are options that replace those that were given."""
        X, options = given.X, {**given.options, **chosen}
        if X is None:
            raise DataError(
                "ICEExplorer needs the observations to explain the model on; got a model alone.",
                "Call `ICEExplorer(model, X)`.",
            )
        # The bars that fill in are the progress; anything else is an option.
        resolved = Options(**{**options, "progress": False})
        plan = prepare(model, X, resolved, y=given.y)
        source = cls(plan.explanation({}), expected, plan)
        reporter = progress_reporter(options.get("progress") or False, plan.n_predictions)
        source._report = source.reporting.enter_context(reporter)

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
            assert self.plan is not None  # noqa: S101 - else all results are there
            result = self.plan.compute(name, self._report)
            self.plan.check_unchanged(name)  # while it was computed a cell may have fitted the model anew
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

    def anchor_place(self, name: Name, anchor: object) -> AnchorName | float:
        """Return an anchor of a feature as pictures have it."""
        return self.first[name]._anchor_place(anchor) if self.plan is None else self.plan.anchor_place(name, anchor)


class Work:
    """What there is to compute of one or several models with one distance, and what is known already.

    - `sources`: all models by name; `wanted` says which one everything is about but curves and figures of all.
    - `compared`: computed features by each of several models, and how far these disagree; by distance.
    """

    def __init__(
        self,
        sources: Mapping[str, Source],
        wanted: Wanted,
        given: _Given | None,
        compared: dict[str, Compared],
    ) -> None:
        self.sources, self._given, self._by_distance = sources, given, compared
        self.opened = opened = sources[wanted.model]
        self.shown = opened.shown._replace(distance=wanted.distance, model=wanted.model)
        of_all = [source.choices["response"] for source in sources.values()]
        responses = tuple(each for each in opened.choices["response"] if all(each in own for own in of_all))
        is_one = len(sources) == 1
        self.choices = {
            **opened.choices,
            "response": responses if len(responses) > 1 else (),
            "model": () if is_one else tuple(sources),
        }
        self.names = tuple(opened.outline)  # of features, in column order
        self.by_label = {label: name for name, (label, *_) in opened.outline.items()}
        self._compared = compared.setdefault(wanted.distance, {})
        self._drafts: Drafts | None = None
        self._drafted: Compared = {}
        computed = dict(opened.results.get(wanted.distance, {}))
        self.results = {name: each for name, each in computed.items() if is_one or name in self._compared}
        self.known = self.explanation(self.results)  # what is published; its columns are there from the start
        self.lost: list[str] = []  # a sentence on each wish that could not be met

    def other(self, wanted: Wanted) -> Work:
        """Return the work on another of the choices; what was computed of the same output is kept."""
        if wanted[:3] == self.shown[:3]:
            return Work(self.sources, wanted, self._given, self._by_distance)
        assert self._given is not None and self.opened.plan is not None  # noqa: S101, PT018 - else there is no choice
        self.opened.plan.check_unchanged()
        names = ("response", "convention")
        chosen = {each: getattr(wanted, each) for each in names if getattr(wanted, each) != getattr(self.shown, each)}
        if self.opened.outputs:
            chosen["output"] = self.opened.outputs[wanted.output]
        given = self._given._replace(options={**self._given.options, **chosen})
        return Work(_prepare(given, self.opened.expected), wanted, given, {})

    def explanation(self, results: Mapping[Name, FeatureExplanation]) -> Explanation:
        """Collect computed features of the open model."""
        return self.opened.explanation(results, self.shown.distance)

    def compute(self, name: Name) -> FeatureExplanation:
        """Compute a feature by every model, and return it by the open one; as `Background` calls it."""
        distance = self.shown.distance
        features = [each.compute(name, distance) for each in self.sources.values()]
        if len(features) > 1 and name not in self._compared:
            self._compared[name] = features, disagreement_of(features)
        self._drafted.pop(name, None)
        return self.opened.results[distance][name]

    def draft(self) -> Mapping[Name, FeatureExplanation] | None:
        """Compute the next draft of all features; None where results are there, or follow from others."""
        if self._given is None or self.shown.distance != self.opened.usual:
            return None
        if self._drafts is None:
            self._drafts = Drafts([source.plan.drafter for source in self.sources.values() if source.plan is not None])
        drafts = self._drafts.next()
        if drafts is None:
            return None
        if len(drafts) > 1:
            by_name = {name: [draft[name] for draft in drafts] for name in self.names}
            self._drafted = {name: (each, disagreement_of(each)) for name, each in by_name.items()}
        return drafts[list(self.sources).index(self.shown.model)]

    def by_models(self, name: Name) -> tuple[list[FeatureExplanation], Disagreement]:
        """Return a feature by each of several models, and how far these disagree; a draft where there is no result."""
        drafted = self._drafted.get(name)  # before the result is looked for: it goes when that is there
        return self._compared[name] if drafted is None else self._compared.get(name, drafted)

    @property
    def models(self) -> ModelComparison | None:
        """What is computed of several models; None with one."""
        if len(self.sources) == 1:
            return None
        known = {**self._drafted, **self._compared}  # in this order, too
        explanations = {
            model: source.explanation({name: each[at] for name, (each, _) in known.items()}, self.shown.distance)
            for at, (model, source) in enumerate(self.sources.items())
        }
        return ModelComparison(explanations, {name: each for name, (_, each) in known.items()}, self.shown.model)

    def finish(self) -> None:
        """Take in that no feature will follow."""
        for source in self.sources.values():
            source.reporting.close()

    @property
    def besides(self) -> Besides:
        """What views show in addition to the curves."""
        opened, known = self.opened, self.known
        return Besides(known._observed_target, known._target_name, opened.classes, opened.joint, self.models)

    @property
    def readable(self) -> list[object]:
        """Feature names as messages quote them."""
        return list(map(readable, self.names, self.by_label))


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
    expected: dict[Name, Expected] = {}  # which no model has a part in
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
        sources = {name: Source(each, expected) for name, each in explanations.items()}
    else:
        models = check_models(model) if is_several(model) else {"": model}
        # Another output is explained with what was given, whatever became of it since.
        options = {name: _kept(value) for name, value in options.items()}
        if options.get("distance") == "conditional":  # which is estimated feature by feature, in the background
            distance = options.pop("distance")
        given = _Given(models, copy_data(X), copy_data(y), options)
        sources = _prepare(given, expected)
    opened = wanted.model if wanted.model in sources else next(iter(sources))
    work = Work(sources, Wanted(model=opened, distance=sources[opened].usual), given, {})
    return _restore(work, wanted._replace(distance=wanted.distance or distance))


def _restore(work: Work, wanted: Wanted) -> Work:
    there = {name: wish for name, wish in wanted._asdict().items() if wish in work.choices[name]}
    fitting = work.shown._replace(**there)
    if fitting != work.shown:
        with suppress(DataError, OptionError):
            before, work = work, work.other(fitting)
            if work.sources is not before.sources:
                before.finish()
    for name, wish in wanted._asdict().items():
        current = getattr(work.shown, name)
        if wish not in ("", current):
            instead = f"using {current!r}" if current else "using the only one"
            work.lost.append(f"The saved state refers to the {name} {wish!r}, which is not available; {instead}.")
    return work


def _prepare(given: _Given, expected: dict[Name, Expected]) -> dict[str, Source]:
    """Prepare models for the same output, features and grids."""

    def prepare_one(model: Any, chosen: Mapping[str, Any]) -> Source:
        return Source.of_model(model, given, chosen, expected)

    if len(given.models) == 1:
        return {name: prepare_one(model, {}) for name, model in given.models.items()}
    return prepared_alike(given.models, given.options.get("grid"), prepare_one, attrgetter("plan"))


def _kept(value: object) -> object:
    return {name: copy_data(entry) for name, entry in value.items()} if isinstance(value, dict) else copy_data(value)


def _text(output: object) -> str:
    return "" if output is None else str(output)
