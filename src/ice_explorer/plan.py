"""From arguments to a plan: options are validated and resolved before features are computed.

`Plan.compute` runs one feature from phantom observations to metrics, so that an explorer can choose
the order of the features and stop between blocks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.checks import check_index, check_names, check_weights
from ice_explorer.curves.choose import PredictionCheck, choose_method, threshold_grids
from ice_explorer.curves.inputs import (
    LEAST_BYTES,
    NOTE_SATURATED,
    Context,
    feature_input,
    note_columns_not_ranked,
    note_grids,
    note_small_weights,
    note_undeclared_groups,
)
from ice_explorer.drafts import Drafter, Drafts
from ice_explorer.errors import Cancelled, DataError, OptionError, UnknownFeatureError
from ice_explorer.errors.base import listed, quoted
from ice_explorer.explanation import Explanation
from ice_explorer.feature import FeatureExplanation
from ice_explorer.features.columns import Columns, check_groups, find_groups, name_members
from ice_explorer.features.feature import align_levels, convert_anchor, is_identifier
from ice_explorer.locks import Lock, ThreadPool, checkpoint
from ice_explorer.models.libraries import fitted_table
from ice_explorer.models.predict import choose_initial_output, make_predictor, target_names
from ice_explorer.results.notes import known_target
from ice_explorer.results.options import OF_REFERENCE, Options, Settings, check_sample
from ice_explorer.tables.column import shortened
from ice_explorer.tables.table import ArrayTable, SparseTable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import ArrayLike

    from ice_explorer.arrays import Array, Rows, Values
    from ice_explorer.cluster import Grids
    from ice_explorer.curves.inputs import FeatureInput
    from ice_explorer.curves.method import CurveMethod, Sums
    from ice_explorer.features.columns import Group
    from ice_explorer.features.feature import AnchorName, FeatureKind, GridName
    from ice_explorer.models.predict import Predictor
    from ice_explorer.results.notes import KnownTarget
    from ice_explorer.tables.column import Name
    from ice_explorer.tables.table import Table

    _Grids = tuple[GridName | Mapping[str, Array], Mapping[int, FeatureInput]]

_CUSTOM = "custom"  # the setting of an option that was given as values
_AS_GIVEN = ("grid_size", "sample", "random_state", "convention", "method")  # settings that are the options
_ROWS_WORTH_A_THREAD = 10_000  # for fewer, sorting a column takes less than handing it to a thread


def prepare(model: Any, X: Any, options: Options, *, y: object = None, whole: Grids | None = None) -> Plan:
    """Check everything and choose the grids; the model sees a few rows.

    Besides the options of `explain`, `y` is the observed target, and `whole` is what all rows hold where X has a part
    of them: grids and scales are theirs.
    """
    options = _as_in_reference(options)
    table = fitted_table(model, X)
    weights = check_weights(options.sample_weight, table.n_observations, table.index, are_all=whole is None)
    groups = check_groups(options.groups, table)
    given = options.categorical_features
    categorical = check_names("categorical_features", () if given is None else given)
    columns = Columns(table, groups, categorical)
    if whole is None:
        chosen, skipped = _choose_features(options, columns, weights)
    else:
        chosen, skipped = list(whole.features), []
        for number, item in whole.features.items():
            columns.replace_feature(number, align_levels(columns.feature(number), item.feature))

    prediction_check = PredictionCheck(table, columns.columns_by_feature, options.random_state)
    predictor = prediction_check.observe(
        partial(
            make_predictor, model, output=options.output, response=options.response, n_jobs=options.n_threads,
            target=target_names(y), opening=partial(choose_initial_output, y, table),
        )
    )  # fmt: skip
    thresholds = partial(threshold_grids, model, predictor, table)
    grids = ("observed", whole.features) if whole else _choose_grids(thresholds, columns, chosen, options)
    grid, references = grids

    n_bytes, limit = _count_bytes(table, columns), options.bytes_in_all
    for_blocks = max(limit - n_bytes, min(limit, LEAST_BYTES))
    context = Context(
        table, columns, weights, predictor, _resolve_settings(options, groups, categorical, predictor),
        prediction_check, options.progress, for_blocks, n_summed=None if whole is None else whole.n_rows,
    )  # fmt: skip
    n_rows = check_sample(options.sample, table.n_observations)
    scales = _check_distance(options.distance, columns, table.index)

    def lay_out(number: int) -> FeatureInput:
        like, is_part = references.get(number), whole is not None
        return feature_input(context, number, grid, scales.get(number), n_rows, like=like, is_part=is_part)

    for number in chosen:  # columns are read, and refused, in their order
        columns.feature(number)
    with ThreadPool(options.n_threads if table.n_observations >= _ROWS_WORTH_A_THREAD else 1) as pool:
        inputs = pool.map(lay_out, chosen)
    method, method_notes = choose_method(options.method, model, context, inputs, options.n_threads)
    sampled = []
    if n_rows is not None:
        of_all = f"{len(inputs[0].positions)} of {table.n_observations}"
        sampled = [f"Curves are computed for {of_all} observations, sampled separately for each feature."]
    undeclared = [columns.column(number) for number in columns.columns_by_feature if number < len(columns.names)]
    said = [
        *predictor.notes,
        *skipped,
        *note_small_weights(weights),
        *note_undeclared_groups(find_groups(undeclared)),
        *note_grids(inputs),
        *sampled,
        *method_notes,
        *([NOTE_SATURATED] if context.is_saturated and "log_odds" in predictor.responses else []),
    ]
    return Plan(context, method, inputs, said, None if y is None else known_target(y, context))


def _as_in_reference(options: Options) -> Options:
    """Return the options with features, groups and categories from another explanation, where they were not given."""
    like = options.reference
    if like is None:
        return options
    if options.grid_size is not None:
        raise OptionError("`grid` is an explanation, whose grids are used; got `grid_size` as well.", "Leave it out.")
    moved = [feature.readable for feature in like._context.columns.moved]
    if moved and options.groups is None:
        raise OptionError(
            f"`groups` must be given where columns of the explanation in `grid` move by a rule; {listed(moved)} do.",
            "Pass the same `groups`, with `Moves(observed=…)` of the rows of X.",
        )
    of_reference = {
        "features": like.features,
        "groups": like.settings.groups,
        "categorical_features": like.settings.categorical_features,
    }
    return replace(options, **{name: value for name, value in of_reference.items() if getattr(options, name) is None})


def _count_bytes(table: Table, columns: Columns) -> int:
    """Count what the columns take, and the copy of an array that they may be views of."""
    is_copied = isinstance(table, ArrayTable | SparseTable)  # frames share theirs with their owner
    copied = table.row_bytes * table.n_observations if is_copied else 0
    return copied + sum(column.values.nbytes for column in columns.read if column.values.flags.owndata)


def _choose_grids(
    thresholds: Callable[..., dict[str, Array]], columns: Columns, chosen: Sequence[int], options: Options
) -> _Grids:
    """Choose where features are evaluated: by a rule or at values of each; with features to be like."""
    if options.reference is not None:
        references = _references(options.reference, columns, chosen)
        grids = {columns.feature(number).label: item.grid.values for number, item in references.items()}
        return grids, references
    if isinstance(options.grid, Mapping):
        features = [(columns.feature(columns.number(name)), values) for name, values in options.grid.items()]
        return {feature.label: feature.check_grid(values) for feature, values in features}, {}
    if options.grid == "thresholds":
        return thresholds(columns, chosen), {}
    assert isinstance(options.grid, str)  # noqa: S101 - as it was checked
    return options.grid, {}


def _resolve_settings(
    options: Options, groups: Mapping[Name, Group], categorical: Sequence[Name], predictor: Predictor
) -> Settings:
    return Settings(
        groups={name: name_members(group) for name, group in groups.items()} or None,
        categorical_features=tuple(categorical) or None,
        output=predictor.output,
        response=predictor.response,
        grid=options.grid if isinstance(options.grid, str) else _CUSTOM if options.reference is None else OF_REFERENCE,
        weighted=options.sample_weight is not None,
        decay=float(options.decay),
        distance=options.distance if isinstance(options.distance, str) else _CUSTOM,
        memory_limit=options.bytes_in_all,
        **{name: getattr(options, name) for name in _AS_GIVEN},
    )


def _choose_features(options: Options, columns: Columns, weights: Array | None) -> tuple[list[int], list[str]]:
    if options.features is None:
        return _rankable(columns, weights)
    names, like = check_names("features", options.features), options.reference
    try:
        chosen = list(dict.fromkeys(map(columns.number, names)))
    except UnknownFeatureError as error:
        if like is None or options.features is not like.features:
            raise
        raise OptionError(
            f"X must have the features of the explanation in `grid`. {error}",
            "Use `features=` to choose from those that both have.",
        ) from None
    if not chosen:
        raise OptionError.no_features()
    return chosen, []


def _rankable(columns: Columns, weights: Array | None) -> tuple[list[int], list[str]]:
    weighing = np.ones(columns.n_observations, np.bool_) if weights is None else weights > 0
    labels = {number: columns.labels[number] for number in columns.in_order}
    objects, names, empty = {}, {}, []
    for number in columns.columns_by_feature:
        if number >= len(columns.names):
            continue
        column = columns.column(number)
        if column.missing[weighing].all():
            empty.append(number)
        elif column.kind == "other":
            objects[labels.pop(number)] = column.dtype
        elif column.kind == "category" and number not in columns.categorical:  # levels may be names of rows
            weighty, present = (column.values[rows & ~column.missing] for rows in (weighing, True))
            if is_identifier(len(np.unique(weighty)), len(weighty)):
                names[number] = f"{len(np.unique(present)):,} levels in {len(present):,} rows"
    return choose_ranked(labels, empty, names, objects)


def choose_ranked(
    labels: Mapping[int, str],
    empty: Collection[int],
    names: Mapping[int, str],
    objects: Mapping[str, str],
    crowded: Mapping[int, str] | None = None,
) -> tuple[list[int], list[str]]:
    """Choose the features that can be ranked, by number, with notes on the others.

    - `labels`: of all features; `objects`: dtypes of columns that have no axis, by label.
    - `empty`: features without values. `names`: those like IDs, with their numbers of levels as text.
    - `crowded`: those with too many levels, likewise.
    """
    without = {} if crowded is None else crowded
    usable = [number for number in labels if number not in empty and number not in without]
    # A name is better than nothing.
    chosen = [number for number in usable if number not in names] or usable
    if not chosen:
        raise DataError(
            "X must have at least one column that holds numbers, booleans, categories, texts, dates or timedeltas; "
            f"its columns are {listed([*labels.values(), *objects])}.",
            "Turn one into such a column in front of the model.",
        )
    skipped = {labels[number]: text for number, text in {**names, **without}.items() if number not in chosen}
    return chosen, list(note_columns_not_ranked([labels[number] for number in empty], objects, skipped))


def _references(like: Explanation, columns: Columns, chosen: Sequence[int]) -> dict[int, FeatureInput]:
    references = {}
    for number in chosen:
        feature = columns.feature(number)
        if feature.name not in like.keys():  # noqa: SIM118 - an explanation also contains positions
            raise OptionError(
                f"Every feature must be one of the explanation in `grid`; {quoted(feature.readable)} is not explained "
                "there.",
                f"Use `features=` to choose from {listed(like.features)}.",
            )
        references[number] = reference = like[feature.name]._item
        if feature.kind != reference.feature.kind:
            raise DataError(
                f"{quoted(feature.readable)} must be of the kind that it has in the explanation in `grid`, "
                f"{reference.feature.kind}; got {feature.kind}.",
                "Give the column the same dtype in both tables.",
            )
        columns.replace_feature(number, align_levels(feature, reference.feature))
    return references


def _check_distance(distance: object, columns: Columns, index: Any) -> Mapping[int, ArrayLike]:
    if isinstance(distance, Mapping):
        for name, values in distance.items():
            if values is None:  # which elsewhere stands for a scale that was not given
                raise OptionError.scale_values(name, f"got {quoted(values)}")
            check_index("distance", "values", values, index)
        return {columns.number(name): values for name, values in distance.items()}
    return {}


class Plan:
    """Validated and resolved input of an explanation, made by `prepare`.

    - `features`, `labels`: names, and the same as text.
    - `outputs`, `output_labels`: what `output` could be instead, and the same as text; empty with one output.
    - `responses`: what `response` could be instead; empty for a plain function.
    - `is_opening`: whether the output was chosen for the user, from the target or the predictions.
    - `method`: what computes the curves, by name.
    - `has_all_rows`: whether the rows that metrics are of are at hand.
    - `is_on_cluster`: whether metrics are computed elsewhere, block by block in any order.
    """

    is_on_cluster = False

    def __init__(
        self,
        context: Context,
        method: CurveMethod,
        inputs: Sequence[FeatureInput],
        notes: Sequence[str],
        target: KnownTarget | None = None,
    ) -> None:
        self._context = context
        self._method = method
        self._lock = Lock()
        self._inputs = {item.feature.name: item for item in inputs}
        self._sums: dict[Name, Sums] = {}  # of features that are computed with others
        self.features: tuple[Name, ...] = tuple(self._inputs)
        self.labels = tuple(item.feature.label for item in inputs)
        self.settings = context.settings
        self.outputs = context.predictor.outputs
        self.output_labels = tuple(shortened([str(output) for output in self.outputs]))
        self.responses = context.predictor.responses
        self.is_opening = context.predictor.is_opening
        self.method, self.has_all_rows = method.name, context.has_all_rows
        self._notes = tuple(notes)
        self._target = target

    @property
    def notes(self) -> tuple[str, ...]:
        """Whether predictions depend on chance is among them once a feature has been computed."""
        return self._notes + self._method.notes

    @property
    def n_predictions(self) -> int:
        """Predictions that all features take."""
        return sum(len(item.summed) * item.n_predictions_per_row for item in self._inputs.values())

    def of_output(self, model: Any, X: Any, options: Options) -> Plan:
        """Return the plan of another output of the same model and rows, whose curves can be compared with these."""
        return prepare(model, X, options)

    def outline(self, feature: Name) -> tuple[FeatureKind, int, float]:
        """Return kind, grid size and scale of a feature, known before anything is computed."""
        item = self._inputs[feature]
        return item.feature.kind, item.grid.n_grid, item.scale

    def anchor_place(self, feature: Name, anchor: object) -> AnchorName | float:
        """Return an anchor of c-ICE as pictures have it, known before anything is computed."""
        item = self._inputs[feature]
        return convert_anchor(item.feature, item.grid.values, anchor)

    def compute(
        self, feature: Name, progress: Callable[[int, int, str], object] = lambda *_: None
    ) -> FeatureExplanation:
        """Run one feature: phantoms, curves, sums.

        - `progress`: called after each block with (predictions made, predictions of this feature, label).
        """
        item = self._inputs[feature]

        def report(n_predictions: int, total: int, label: str) -> None:
            progress(n_predictions, total, label)
            checkpoint()

        with self._lock:
            if feature not in self._sums:
                are_together = self._method.sums_together
                items = [each for each in self._inputs.values() if are_together and each.summed is item.summed]
                names = [each.feature.name for each in items or [item]]
                self._sums.update(zip(names, self._method.sums(items or [item], report), strict=True))
            sums = self._sums[feature] if self._method.sums_together else self._sums.pop(feature)
            kept = self._method.kept.pop(item.feature.position, None)
        return FeatureExplanation(self._context, self._method, item, sums, kept)

    @cached_property
    def drafter(self) -> Drafter:
        """What computes all features on a sample of the rows."""
        return Drafter(self._context, self._method, list(self._inputs.values()), self._lock)

    def lines(self, feature: Name, positions: Rows) -> Array:
        """Compute the curves of some rows of X, (n_rows, n_grid), and no metric."""
        item = self._inputs[feature]
        blocks = [curves for _, curves in self._method.curves(item, positions)]
        return np.concatenate([np.empty((0, item.grid.n_grid)), *blocks])

    def check_unchanged(self, feature: Name | None = None) -> None:
        """Raise if the model changed since the plan; for a feature, only if computing that takes the model."""
        if feature is None or self._inputs[feature].has_missing or not self._method.has_copied_model:
            self._context.prediction_check.check()

    @property
    def grids(self) -> dict[Name, Values]:
        """Grid of each feature, in the values of X."""
        return {name: item.feature.native(item.grid.values) for name, item in self._inputs.items()}

    def explanation(self, results: Mapping[Name, FeatureExplanation], notes: Sequence[str] = ()) -> Explanation:
        """Collect computed features, in column order; those missing are not in the result. `notes` come first."""
        computed = [results[name] for name in self.features if name in results]
        return Explanation(self._context, self._method, computed, (*notes, *self.notes), self._target)

    def explain_within(self, seconds: float) -> Explanation | None:
        """Explain as many grid values and rows as a budget allows; None where all fit into it."""
        drafts = Drafts([self.drafter])
        try:
            within = drafts.within(seconds)
        except Cancelled:
            raise
        except Exception:  # noqa: BLE001 - computed without a budget it fails again, and the error says where
            return None
        if within is None:
            return None
        note, advice = f"Computed on {drafts.n_rows:,} of {drafts.n_all:,} rows", "`budget=None` uses all."
        if drafts.n_grid < self.drafter.n_grid:
            note += f" and at most {drafts.n_grid:.0f} of {self.drafter.n_grid:,} grid values"
            advice = f"{advice} There are no intervals of metrics where grid values are left out."
        note += f" for the budget of {seconds:g} s"
        if drafts.first_seconds > seconds:
            note += f", which the first sample exceeded ({drafts.first_seconds:.2g} s)"
        return self.explanation(within[0], [f"{note}; {advice}"])


MOST_SHOWN = 8


@dataclass(frozen=True, eq=False)
class ClassLines:
    """Curves of some rows for several classes.

    - `outputs`: which classes: all in their own order, or those most probable for these rows where there are too many.
    - `explained`: which of them the explanation is of.
    - `n_outputs`: how many the model has.
    - `curves` (n_shown, n_rows, n_grid).
    """

    outputs: tuple[str, ...]
    explained: int
    n_outputs: int
    curves: Array


class Classes:
    """Curves of every class, computed on demand; `plan_of` makes the plan of another output."""

    def __init__(self, plan: Plan, plan_of: Callable[[object], Plan]) -> None:
        self._plan = plan
        self._plan_of = plan_of
        self._plans: dict[object, Plan] = {plan.settings.output: plan}
        self._lock = Lock()  # a file may be written while the browser is answered

    @property
    def n_shown(self) -> int:
        """How many classes `lines` returns."""
        return min(len(self._plan.outputs), MOST_SHOWN)

    def lines(self, feature: Name, positions: Rows) -> ClassLines:
        """Compute the curves of some rows for each class, (n_classes, n_rows, n_grid)."""
        self._plan.check_unchanged(feature)
        outputs, own = self._plan.outputs, self._plan.settings.output
        shown: list[Any] = list(outputs)
        if len(outputs) > MOST_SHOWN:
            context = self._plan._context
            context.prediction_check.check()
            means = context.predictor.all_outputs(context.table.take(positions)).mean(axis=0)
            likeliest = np.argsort(-means, kind="stable")[:MOST_SHOWN].tolist()
            at = outputs.index(own)
            if at not in likeliest:
                likeliest[-1] = at
            shown = [outputs[place] for place in likeliest]
        with self._lock:
            for output in shown:
                if output not in self._plans:
                    self._plan.check_unchanged()
                    self._plans[output] = self._plan_of(output)
            curves = np.stack([self._plans[output].lines(feature, positions) for output in shown])
        label_of = dict(zip(outputs, self._plan.output_labels, strict=True))
        return ClassLines(tuple(label_of[output] for output in shown), shown.index(own), len(outputs), curves)
