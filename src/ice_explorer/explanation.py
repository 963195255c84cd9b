"""`Explanation`: the features of a model, their table, and figures of all of them together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict, cast, overload

import numpy as np

from ice_explorer.beyond import two_way
from ice_explorer.beyond.effects import EFFECT_KINDS, GRID_SIZE, mean_effects, measure_marginal_effects
from ice_explorer.beyond.importances import N_REPEATS, compare_importances, scored_of
from ice_explorer.beyond.interactions import SAMPLE, Interactions
from ice_explorer.beyond.two_way import TwoWay
from ice_explorer.checks import check_decay, check_integer, check_names, check_one_of
from ice_explorer.drivers.candidates import find_common_values, second_features
from ice_explorer.errors import OptionError, UnknownFeatureError
from ice_explorer.errors.base import counted, text_of
from ice_explorer.errors.tracebacks import short_tracebacks
from ice_explorer.feature import N_KEPT, Unchanging, reach_of
from ice_explorer.metrics.sums import METRICS
from ice_explorer.results.column_colors import RESIDUAL, Outcome, class_names, outcome_column, outcome_labels
from ice_explorer.results.intervals import (
    EFFECTS,
    FEWEST_IN_GROUP,
    ROUNDING,
    Uncertainty,
    check_level,
    in_unit,
    influence_on_prediction_sd,
    most_rows,
    subgroups_of,
)
from ice_explorer.results.notes import merge_feature_notes, observed_target
from ice_explorer.results.options import UNITS, resolve_decay
from ice_explorer.tables.column import clipped, label_index, readable

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence
    from pathlib import Path
    from typing import Unpack

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from ice_explorer.arrays import Array, Values
    from ice_explorer.beyond.effects import EffectKind, MarginalEffectKind, MarginalEffects
    from ice_explorer.beyond.importances import Importances, Measure
    from ice_explorer.curves.inputs import Context
    from ice_explorer.curves.method import CurveMethod
    from ice_explorer.drivers.candidates import InCommon
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.features.feature import AnchorName
    from ice_explorer.metrics.influence import Sampling
    from ice_explorer.results.intervals import RowInfluences, Subgroups
    from ice_explorer.results.notes import KnownTarget
    from ice_explorer.results.options import Kind, PlotKind, RankBy, Unit
    from ice_explorer.tables.column import Column, Name

TABLE_COLUMNS = (
    "in_distribution_impact", "impact", "direction", "heterogeneity", "non_linearity", "missing_impact", "support"
)  # fmt: skip


class PlotOptions(TypedDict, total=False):
    """Options of `Explanation.plot` by keyword alone, for what passes them on."""

    color_by: Name
    decay: float | None
    rank_by: RankBy
    ci: float | None
    max_features: int
    anchor: AnchorName | object
    max_lines: int
    effects: Sequence[EffectKind] | EffectKind
    grid_size: int
    sample: int
    n_columns: int
    share_y: bool
    ax: Axes | None
    title: bool | str | None
    legend: bool
    palette: Any


@short_tracebacks
class Explanation(Unchanging, Mapping["Name", "FeatureExplanation"]):
    """Metrics and curves of every feature of a model, with notes on their interpretation.

    Index it by feature for the curves: `explanation["Age"].curves`.

    Attributes
    ----------
    features : list
        Names, in column order.
    output_label : str
        Name of the explained output: "prediction", "probability of 'yes'".
    method : str
        How the curves were computed.
    settings : Settings
        Options of the explanation.
    notes : list of str
        Features that look like the target itself, defaults that were chosen, limits that were applied, metrics that
        depend on a single step, and rows that behave unlike the rest.

    Notes
    -----
    Methods raise an `OptionError`, which is also a ValueError, if an argument cannot be used, and a `PredictionError`
    if the model fails or has changed since `explain`.

    A pickle has everything that is computed, of all rows, and the model if that can be pickled; what needs a model that
    is not in it raises `ModelNeededError`. `save("result.ice")` writes a result that others, and later versions of the
    package, can open. Copies by `copy` are the same object: results do not change.

    Of more than 300 rows, at most 20 of each feature behave unlike the rest: the lowest or highest prediction of their
    curve, the difference of the two, the last prediction less the first (without levels that have no order), or the sum
    of all absolute changes differs from the median of all rows by more than 5, 5, 5, 4 or 7 times the range of the
    middle 90 %. Notes name these rows, and every picture draws them, whatever its `max_lines`.
    """

    def __init__(
        self,
        context: Context,
        method: CurveMethod,
        results: Sequence[FeatureExplanation],
        notes: Sequence[str],
        target: KnownTarget | None = None,
    ) -> None:
        self._context = context
        self._set_features(results)
        self._n_observations = context.table.n_observations
        self.method = method.name
        self._method_reason = method.reason
        self.settings = context.settings
        self.output_label = context.predictor.output_label
        self._observed_target: Array | None = None if target is None else target.values
        self._target_name = "" if target is None else target.name
        self._y: object = None if target is None else target.y
        self._rows_explained = context.all_rows  # positions in X, of which a file has some
        undefined = [
            f"{result.label!r}: fewer than two levels of its grid occur, so its effects are undefined."
            for result in results
            if not result._sums.is_defined
        ]
        undefined += [
            f"{result.label!r}: its grid has one value of {result._item.grid.n_distinct:,}, so its effects are 0."
            for result in results
            if len(result.axis) == 1 < result._item.grid.n_distinct
        ]
        self._alerts = self._find_alerts(target)
        merged = merge_feature_notes(results, self.settings.convention)
        self.notes = [*self._alerts, *notes, *undefined, *merged]

    def _set_features(self, features: Iterable[FeatureExplanation]) -> None:
        self._results = {feature.feature: feature for feature in features}
        self._by_label = {feature.label: feature for feature in self._results.values()}
        self.features, self._labels = list(self._results), list(self._by_label)

    def _with_distance(self, context: Context, results: Mapping[Name, FeatureExplanation]) -> Self:
        """Return the same explanation with another scale, by its context and the features that have that scale."""
        other = self._with(_context=context, settings=context.settings)
        other._set_features(results[name] for name in self.features if name in results)
        return other

    def _with(self, **changed: object) -> Self:
        assert changed.keys() <= vars(self).keys()  # noqa: S101 - a name that is not there would change nothing
        other = object.__new__(type(self))
        vars(other).update({**vars(self), **changed})
        return other

    def _find_alerts(self, target: KnownTarget | None) -> list[str]:
        found = {} if target is None else dict(target.equal)
        for result in self._results.values():
            if result._is_target_like and (target is None or target.may_be(result._item.feature.values)):
                found.setdefault(result.label, f"{result.label!r} nearly determines the prediction.")
        return [f"{sentence} Is it the target?" for sentence in found.values()]

    def __repr__(self) -> str:
        return (
            f"<Explanation of the {self.output_label}: {counted(len(self.features), 'feature')}, "
            f"{self._context.row_count}, method {self.method!r}>"
        )

    def __getitem__(self, feature: Name) -> FeatureExplanation:
        """Return a feature by its name, its text, or its position in X, looked up in that order.

        Raises
        ------
        OptionError
            If it was not explained; also a KeyError. Offers the closest name.
        """
        found = self._found(feature)
        if found is None:
            raise UnknownFeatureError.feature(feature, list(map(readable, self.features, self._labels)))
        return found

    def _found(self, feature: object) -> FeatureExplanation | None:
        """Return one feature by its name, its text or its position; None where there is none."""
        try:
            if feature in self._results:
                return self._results[feature]
            text, columns = text_of(feature), self._context.columns
            by_label = None if text is None else self._by_label.get(text)
            return by_label or self._results.get(columns.names[columns.position(feature)])
        except (TypeError, UnknownFeatureError):  # an unhashable name names nothing
            return None

    def _ipython_key_completions_(self) -> list[Name]:
        """Return the features where a notebook completes `explanation["`."""
        return self.features

    def __contains__(self, feature: object) -> bool:
        """Whether indexing by this gives a feature."""
        return self._found(feature) is not None

    def __iter__(self) -> Iterator[Name]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    __eq__ = object.__eq__  # of mappings it compares all that they hold
    __hash__ = object.__hash__

    def table(
        self,
        decay: float | Iterable[float] | None = None,
        *,
        rank_by: str | None = "in_distribution_impact",
        unit: Unit = "prediction",
        by: Name | ArrayLike | None = None,
        ci: float | None = None,
    ) -> pd.DataFrame:
        """Every metric of every feature, without predicting phantom observations again.

        Parameters
        ----------
        decay : float or iterable of float, optional
            λ of in-distribution impact and support; that of the explanation by default. Several give the
            in-distribution impact at each of them, one row per decay and one column per feature.
        rank_by : str or None
            Metric to sort by, largest first; None keeps the order of the columns of X.
        unit : {"prediction", "sd", "share"}
            Unit of the effects: that of the prediction; per cent of the standard deviation of the predictions, for
            which all rows of X are predicted once; or per cent of the sum over all features, of absolute values for
            `direction`.
        by : object or array-like of shape (n_observations,), optional
            Groups of observations: the name of a column or one-hot group of at most 20 values, or a label of each
            observation, such as its fold or a boolean mask. The model is called again when a grouping is first
            used. All groups share one grid, one σ and, without an order, one set of level frequencies, so their
            metrics compare; a share is one of the sum within the group.
        ci : float, optional
            Level of intervals, such as 0.95: adds columns `impact_low`, `impact_high` and so on for each metric, in
            the same unit; `rank_low`, `rank_high`, the ranks by `rank_by` (by in-distribution impact where that is no
            metric); and `tied_with_next`, whether the difference to the feature ranked next could be 0. Groups of
            fewer than 10 observations have none; a warning names them. Features have none if a `budget` leaves out
            grid values of them; then there are none of ranks and shares.

        Returns
        -------
        DataFrame
            Indexed by feature, or by group and feature, with the number of observations `n_rows` of the group as the
            last column; NaN where a group has none in the sample of a feature, heterogeneity also where its weights sum
            to at most 1. Columns `in_distribution_impact`,
            `impact`, `direction`, `heterogeneity`, `non_linearity`, `missing_impact` [unit], `support` [0–1].

        Notes
        -----
        Intervals state how much metrics and ranks would differ with other rows from the same source, for the same
        model and grid. They are normal, metric ± z · standard error, from the influence of each row on the metric,
        through σ and the shares of grid values, too (unless `grid` is an explanation). If few rows decide σ, as in a
        lognormal column, intervals of 95 % cover in a third of the samples. Of more than 20,000 rows, so many represent
        all; of very many features fewer, at least 500.

        A feature ranks above another one if the interval of their difference is above 0. The interval of its rank
        begins behind all features above it, and ends before those below it.

        The model is called again for curves that did not fit into `memory_limit`.
        """
        import pandas as pd

        if isinstance(decay, Iterable):
            if by is not None or ci is not None or unit != "prediction":
                what = "be one number where `by`, `ci` or `unit` is given"
                raise OptionError.must("decay", what, decay, "Leave these out, or pass one decay.")
            decays = [check_decay(each) for each in decay]
            columns = label_index(self.features, "feature")
            profiles = [f._decay_profiles(decays)["in_distribution_impact"] for f in self.values()]
            values = np.array(profiles).reshape(len(self), len(decays)).T
            return pd.DataFrame(values, pd.Index(decays, name="decay"), columns)
        if rank_by is not None:
            check_one_of("rank_by", rank_by, TABLE_COLUMNS)
        check_one_of("unit", unit, UNITS)
        decay = resolve_decay(self.settings, decay)
        level = None if ci is None else check_level(ci)
        subgroups = None if by is None else subgroups_of(self._context.columns, self._context.table.index, by)
        influences = [] if level is None else self._influences(decay, subgroups)
        ranked = rank_by if rank_by in METRICS else "in_distribution_impact"

        def ends(at: int) -> Mapping[str, Any]:
            if level is None or (subgroups is not None and subgroups.counts[at] < FEWEST_IN_GROUP):
                return {}
            return self._uncertainty([parts[at] for parts in influences], unit).columns(ranked, level)

        if subgroups is None:
            metrics = [result.metrics(decay) for result in self.values()]
            return self._as_table(metrics, rank_by, unit, ends(0))
        if level is not None:
            subgroups.warn_of_small_groups()
        by_group, tables = zip(*(result._sums_by(subgroups) for result in self.values()), strict=True), []
        for at, (count, of_group) in enumerate(zip(subgroups.counts, by_group, strict=True)):
            metrics = [{} if sums is None else sums.metrics(decay) for sums in of_group]
            tables.append(self._as_table(metrics, rank_by, unit, ends(at)).assign(n_rows=count))
        table = pd.concat(tables)
        groups = label_index(subgroups.labels).repeat(len(self))
        table.index = pd.MultiIndex.from_arrays([groups, table.index], names=[subgroups.name, "feature"])
        return table

    def _influences(
        self, decay: float, subgroups: Subgroups | None = None, features: Iterable[FeatureExplanation] | None = None
    ) -> list[list[RowInfluences]]:
        """Return the influences of rows on each feature, or on some, for all rows or each group of them."""
        self._context.check_all_rows("Intervals need")
        n_sets = len(self) * N_KEPT * (1 if subgroups is None else len(subgroups.labels))
        n_rows, chosen = most_rows(self._context, n_sets), self.values() if features is None else features
        return [result._row_influences(decay, n_rows, subgroups) for result in chosen]

    def _uncertainty(self, parts: Sequence[RowInfluences], unit: Unit) -> Uncertainty:
        sd = influence_on_prediction_sd(self._context) if unit == "sd" else None
        return Uncertainty(parts, unit, sd, np.array([_is_thinned(result) for result in self.values()]))

    def _rank_intervals(
        self, rank_by: RankBy, level: float, decay: float
    ) -> tuple[tuple[Array, Array], tuple[Array, Array], list[tuple[int, int]]]:
        """Return ends of the intervals of a metric and of ranks by it, (n_features,) each, and tied neighbours."""
        uncertainty = self._uncertainty([of_feature[0] for of_feature in self._influences(decay)], "prediction")
        rank_low, rank_high, tied = uncertainty.compare(rank_by, level)
        return uncertainty.interval(rank_by, level), (rank_low, rank_high), tied

    def _unmeasured(self, decay: float) -> list[FeatureExplanation]:
        return [result for result in self.values() if not result._has_influences(decay)]

    def _measure_next(self, decay: float) -> bool:
        missing = self._unmeasured(decay)
        if missing:
            self._influences(decay, features=missing[:1])
        return len(missing) <= 1

    def _as_table(
        self,
        metrics: Sequence[Mapping[str, float]],
        rank_by: str | None,
        unit: Unit,
        ends: Mapping[str, Any],
    ) -> pd.DataFrame:
        import pandas as pd

        values = np.array([[of_feature.get(name, math.nan) for name in TABLE_COLUMNS] for of_feature in metrics])
        values = values.reshape(len(metrics), len(TABLE_COLUMNS))  # also of no feature
        table = pd.DataFrame(values, label_index(self.features, "feature"), list(TABLE_COLUMNS))
        if unit != "prediction":
            prediction_sd = self._context.prediction_sd if unit == "sd" else math.nan
            rounding = ROUNDING * float(table["impact"].abs().sum())
            for name in EFFECTS:
                table[name] = in_unit(table[name].to_numpy(np.float64), unit, prediction_sd, rounding)
        table = table.assign(**ends) if ends else table
        return table if rank_by is None else table.iloc[np.argsort(-table[rank_by].to_numpy(), kind="stable")]

    def drivers(self, feature: Name) -> pd.DataFrame:
        """Return what makes the curves of a feature differ: the best split of the rows by each other column.

        Parameters
        ----------
        feature : object
            Name, or its text.

        Returns
        -------
        DataFrame
            One row for each other column of X and each group, best first:

            feature : str
                Label of the other column.
            rule : str
                One side of the split in words, "rm > 6.4"; the one with the missing values, if there are any. Empty
                where no split explains anything.
            share : float
                Part of the variance between curves that the split explains, 0 to 1. Curves are compared by shape, not
                level. The split is chosen on some rows and scored on others; 0 where chance explains as much.
            n_yes, n_no : int
                Rows that fulfil the rule, and others: each at least 10, and 2 % of the rows.

            `FeatureExplanation.drivers_summary` has the size of the differences and the best rules in a sentence.

        Notes
        -----
        With c_i curve i less its own mean over the grid and c̄ their mean, the size of the differences is
        Σ_i w_i‖c_i - c̄‖² / Σ_i w_i‖c_i‖². For lines with slopes β_i it is Var(β) / mean(β²).

        Shares are cross-fitted in 5 seeded folds (of up to 20 distinct observations, one each): without the rows of a
        fold the best split and the mean curve of both sides are found, and these rows are compared with them:
        share = 1 - Σ_i w_i‖c_i - c̄_g(i)‖² / Σ_i w_i‖c_i - c̄‖². The rule and its row counts are those of all rows.
        A share counts as explained where it is larger than 0 by Φ⁻¹(1 - 0.05 / m) standard errors, for m columns.

        All thresholds half way between neighbouring values are tried, and missing values on both sides. Levels without
        an order are split along the first principal axis of their mean curves, or one of them from the others; the 100
        most frequent ones are distinguished. A column that identifies rows explains nothing. Splits are chosen by the
        16 principal directions in which curves differ most. Of more than 5000 rows a stratified, seeded sample is used.
        Rows are counted by weight.

        Examples
        --------
        >>> import numpy as np
        >>> from ice_explorer import explain
        >>> X = np.column_stack([np.arange(40.0), np.array([0.0, 1.0] * 20), np.repeat([5.0, 6.0], 20)])
        >>> e = explain(lambda X: X[:, 0] * X[:, 1], X)
        >>> e.drivers("x0")[["feature", "rule"]].to_dict("list")
        {'feature': ['x1', 'x2'], 'rule': ['x1 > 0', '']}
        >>> e["x0"].drivers_summary
        'Curves differ (50 % of their variance); of that, x1 > 0 explains 100 %.'
        """
        import pandas as pd

        drivers = self[feature]._search_drivers().ranked
        rows = [(driver.column, driver.rule, driver.share, driver.n_rule, driver.n_rest) for driver in drivers]
        table = pd.DataFrame(rows, columns=["feature", "rule", "share", "n_yes", "n_no"])
        return table.astype({"feature": object, "rule": object, "share": float})

    def what_if(self, row: int, *, decay: float | None = None) -> pd.DataFrame:
        """Return which single change moves the prediction of one row most: the best value of each feature.

        Parameters
        ----------
        row : int
            Position of the row in X.
        decay : float, optional
            λ that says what is within reach; that of the explanation by default.

        Returns
        -------
        DataFrame
            Indexed by feature, the largest change first:

            observed : object
                Value of the row, as in X.
            value : object
                Grid value within reach at which the prediction of the row differs most from its own; None where no
                value within reach changes it.
            prediction : float
                Prediction of the row with that value [output].
            change : float
                `prediction` minus the prediction of the row as it is [output]; 0 where nothing changes it.
            distance : float
                From the observed value, in likelihood scales; NaN where nothing changes it.

        Notes
        -----
        A value v is within reach of a row where its likelihood λ^(abs(v - x) / s) (Eq. 3 of the paper) is at least one
        half: 2.4 standard deviations from the observed value with λ = 0.75, every grid value with λ = 1. Another
        level of a feature without an order is at distance 1. A value that is missing is not a candidate.

        Examples
        --------
        >>> import numpy as np
        >>> from ice_explorer import explain
        >>> X = np.column_stack([np.arange(4.0), np.array([0.0, 1.0, 0.0, 1.0])])
        >>> explain(lambda X: 2 * X[:, 0] - X[:, 1], X).what_if(0)["change"].to_dict()
        {'x0': 4.0, 'x1': -1.0}
        """
        import pandas as pd

        reach = reach_of(self.settings.decay if decay is None else check_decay(decay))
        (position,) = self._context.positions([row], "row").tolist()
        prediction = float(self._context.predictions(np.array([position]))[0])
        best = [feature._moves(position, prediction).within(reach) for feature in self.values()]
        changes = [change for _, _, change in best]
        observed = [_value(feature.observed, position) for feature in self.values()]
        values = [None if at is None else _value(f.grid, at) for f, (at, _, _) in zip(self.values(), best, strict=True)]
        index = label_index(self.features, "feature")
        table = pd.DataFrame(
            {
                "observed": pd.Series(observed, index, dtype=object),
                "value": pd.Series(values, index, dtype=object),
                "prediction": prediction + np.array(changes),
                "change": changes,
                "distance": [distance for _, distance, _ in best],
            },
            index,
        )
        return table.sort_values("change", key=lambda changes: -changes.abs(), kind="stable")

    def two_way(
        self, first: Name, second: Name, *, grid_size: int = two_way.GRID_SIZE, sample: int = two_way.SAMPLE
    ) -> TwoWay:
        """Partial dependence on two features at once: the mean prediction at every pair of their values.

        Parameters
        ----------
        first, second : object
            Names of two columns or groups, features of this explanation or not.
        grid_size : int
            Most values of each: observed quantiles, or levels. If it is 20 or more, all values of a feature that has
            at most 1.6 times as many, such as hours.
        sample : int
            Of how many rows the mean is at most: a seeded sample, stratified by the one of the two that stands
            first in X.

        Returns
        -------
        TwoWay
            Its `partial_dependence`, (n_first, n_second), calls the model when it is first read, n_first · n_second
            times for each row.
        """
        return TwoWay(self._context, first, second, grid_size, sample)

    def _column(self, name: Name) -> Column:
        outcome = self._outcome(name)
        if outcome is None:
            return self._context.columns.named(name)
        predictions = self._context.all_predictions if outcome[0] is RESIDUAL else None
        return outcome_column(
            *outcome, cast("Array", self._observed_target), predictions, class_names(self._context.predictor)
        )

    @property
    def _sampled(self) -> Sampling | None:
        """What drafts among the features rest on; None where all are exact."""
        drafts = (result._sampling for result in self._results.values())
        return next((sampling for sampling in drafts if sampling is not None), None)

    @property
    def score(self) -> float | None:
        """Score of the model on X, by weight: what its `score` returns, R² of a function; None where y is not known.

        Predicts all rows of X whose y is known.
        """
        if self._y is None or self._context.origin is not None:
            return None
        scored = scored_of(self, self._y)
        return scored.score(scored.model, self._context.table.take(scored.rows))

    @property
    def _outcome_labels(self) -> dict[Outcome, str]:
        """Labels of y and of y minus the prediction among the columns; none where no target was given."""
        labels = outcome_labels(self._context.columns.labels, self._target_name)
        if not self._has_residuals:
            del labels[RESIDUAL]
        return {} if self._observed_target is None else labels

    @property
    def _has_residuals(self) -> bool:
        """Whether y is in the unit of the prediction: a class has no log-odds, and no value of a decision function."""
        predictor = self._context.predictor
        return not predictor.of_classes or predictor.response in ("predict_proba", "predict")

    def _outcome(self, name: Name) -> tuple[Outcome, str] | None:
        """Return which column that needs y this names, and its label; None where it names none.

        Raise if it names one and no target was given.
        """
        labels = outcome_labels(self._context.columns.labels, self._target_name)
        for outcome, label in labels.items():
            if name is outcome or (isinstance(name, str) and name == label):
                if self._observed_target is None:
                    raise OptionError(
                        f'`color_by="{label}"` needs the observed target; this explanation has none.',
                        "Pass it: `explain(model, X, y)`, or `ICEExplorer(model, X, y)`.",
                    )
                if outcome is RESIDUAL and not self._has_residuals:
                    response = self._context.settings.response
                    raise OptionError(
                        f'`color_by="{label}"` needs predictions in the unit of y; got {response}.',
                        'Explain probabilities, `response="predict_proba"`, or colour by the observed class.',
                    )
                return outcome, label
        return None

    def predictions(self, rows: ArrayLike) -> Array:
        """Predictions of some rows of X, (n_rows,) [output]; all rows are predicted when they are first read.

        Parameters
        ----------
        rows : array-like of int
            Positions of rows of X.
        """
        return self._context.all_predictions[self._context.positions(rows, "rows")]

    def _outcomes(self, positions: ArrayLike) -> dict[str, Array]:
        rows = self._context.positions(positions)
        predictions = self.predictions(rows)
        if self._observed_target is None:
            return {"prediction": predictions}
        observed = self._observed_target[rows]
        residual = {"residual": observed - predictions} if self._has_residuals else {}
        return {"prediction": predictions, "y": observed, **residual}

    def _in_common(self, positions: ArrayLike, among: ArrayLike | None = None) -> list[InCommon]:
        """Return what sets some rows of X apart from the rest: ranges and levels of columns, groups and residuals.

        - `among`: the rows that they were chosen from; all by default.
        """
        rows = np.zeros(self._n_observations, dtype=np.bool_)
        rows[self._context.positions(positions)] = True
        columns = second_features(self._context.columns)
        if self._observed_target is not None and self._has_residuals:
            columns.append(self._column(RESIDUAL))
        others = ~rows if among is None else ~rows & np.isin(np.arange(len(rows)), among)
        return find_common_values(columns, rows, others)

    def _target(self, y: object) -> Array:
        return observed_target(y, self._context)

    def _table_rows(self, positions: ArrayLike) -> Any:
        return self._context.table.take(self._context.positions(positions))

    def _row_labels(self, positions: ArrayLike) -> list[str] | None:
        """Return index labels of rows as text; None where rows are known by position alone."""
        import pandas as pd

        rows, index = self._context.positions(positions), self._context.table.index
        if index is None or index.equals(pd.RangeIndex(len(index))):
            return None
        return [clipped(str(label)) for label in index[rows]]

    def _repr_html_(self) -> str:
        from ice_explorer.figures import html

        return html.ranking_table(self)

    def to_frame(
        self,
        features: Sequence[Name] | Name | None = None,
        kind: Kind = "ice",
        rows: ArrayLike | None = None,
        *,
        anchor: AnchorName | object = "min",
        decay: float | None = None,
    ) -> pd.DataFrame:
        """Return curves as a tidy table, one row per observation and grid value, for custom plots.

        Parameters
        ----------
        features : sequence or object, optional
            Their names, or one name; all by default, of slopes all that have some.
        kind : {"ice", "c-ice", "d-ice"}
            Predictions, changes from the anchor, or slopes. A slope is listed at the right end of its interval.
        rows : array-like of int, optional
            Positions of rows of X; those whose curves are computed by default.
        anchor : {"min", "max", "median", "own"} or object
            Where c-ICE is 0, as for `FeatureExplanation.centered_curves`.
        decay : float, optional
            λ of the likelihood; that of the explanation by default.

        Returns
        -------
        DataFrame
            row : int
                Position of the observation in X.
            row_label : object
                Its index label, or its position if X has no index.
            feature : category
                Name of the feature.
            value : object
                Grid value, in the dtype of the feature in X. For several features: in their common dtype, float if
                all are numbers or booleans, else text.
            axis : float
                Grid value as a number, as in `axis` of the feature: codes of levels, days since 1970-01-01, days.
            prediction, change or slope : float
                By kind [output, output, output / axis].
            likelihood : float
                Likelihood of the phantom observation.
            is_observed : bool
                Whether the grid value is the observed value of the row; False if the observed value is not on the grid.

        Notes
        -----
        A table that takes more than `memory_limit` raises an error with its size. Predictions with a missing value are
        in `FeatureExplanation.missing_curve`.

        Examples
        --------
        >>> import numpy as np
        >>> from ice_explorer import explain
        >>> e = explain(lambda X: X[:, 0] ** 2, np.array([[1.0], [2.0]]))
        >>> e.to_frame()["prediction"].to_list()
        [1.0, 4.0, 1.0, 4.0]
        """
        from ice_explorer.export import tables

        return tables.long_frame(self, features, kind, rows, anchor=anchor, decay=decay)

    def effects(
        self,
        feature: Name,
        kinds: Sequence[EffectKind] | EffectKind = EFFECT_KINDS,
        *,
        grid_size: int = GRID_SIZE,
    ) -> pd.DataFrame:
        """Return mean effects of a feature along its axis: partial dependence, accumulated local effects, M-plot.

        Parameters
        ----------
        feature : object
            Name, or its text.
        kinds : sequence of {"partial_dependence", "ale", "m_plot"}
        grid_size : int
            Maximum number of grid values: those of the explanation next to quantiles of the observed values; of levels
            without an order the most frequent ones.

        Returns
        -------
        DataFrame
            One row per grid value. With ALE, levels without an order are in the order of their similarity in the other
            features.

            partial_dependence : float
                Mean of the curves [output]; for a predicted class, the share of the rows that the model assigns to it.
            spread : float
                Standard deviation of the curves, ddof=0 [output]: a spread of rows, not an interval of the mean.
            centered_partial_dependence : float
                Partial dependence less its mean over the observations [output], on one scale with `ale`.
            ale : float
                Accumulated local effect [output], with mean 0 over the observations.
            m_plot : float
                Mean prediction of the observations near the value [output].

        Notes
        -----
        Over the rows whose curves are computed, by weight. The model is called by the method "brute" for ALE, twice for
        each row.

        Partial dependence: Friedman (2001), Eq. 53. ALE: Apley & Zhu (2020), Eqs 15–17: the mean change of the rows
        (z_{k-1}, z_k] across that interval, added up, with mean 0 over the observations. If all observed values are on
        the grid, rows at both ends of an interval count, as for categories. Levels without an order are accumulated in
        the order of their similarity in the other features.

        M-plot: a least-squares line through the predictions between the neighbouring grid values, weighted by nearness,
        read at the value; it includes the effects of correlated features. Rows without a value, and beyond the ends of
        the grid, have no place in ALE and M-plot.

        Examples
        --------
        >>> import numpy as np
        >>> from ice_explorer import explain
        >>> x = np.arange(5.0)
        >>> e = explain(lambda X: X[:, 0] + 0 * X[:, 1], np.column_stack([x, 2 * x]))
        >>> e.effects("x1")[["partial_dependence", "ale", "m_plot"]].loc[8.0].to_dict()
        {'partial_dependence': 2.0, 'ale': 0.0, 'm_plot': 4.0}
        """
        import pandas as pd

        names = [check_one_of("kinds", kind, EFFECT_KINDS) for kind in check_names("kinds", kinds)]
        check_integer("grid_size", grid_size, 2, f"Leave it out for {GRID_SIZE}.")
        found = mean_effects(result := self[feature], names, grid_size)
        index = label_index(result._item.feature.native(found.grid), result.feature)
        return pd.DataFrame(found.columns, index).iloc[found.order]

    def marginal_effects(
        self, feature: Name, step: object = None, kind: MarginalEffectKind = "forward"
    ) -> MarginalEffects:
        """Return how the prediction of each observation changes by a step from its observed value.

        Parameters
        ----------
        feature : object
            Name, or its text.
        step : object, optional
            Length of the step [axis], below 0 for a step down; a timedelta for dates and durations; the new level for
            categories, booleans and groups. Defaults to one standard deviation, for a derivative to a hundredth of
            it; of whole numbers to the nearest one, at least 1. A feature with two observed values, such as a 0/1
            column of any dtype, changes by default from the lower to the higher one in every row: f(high) - f(low).
        kind : {"forward", "derivative"}
            f(x + h) - f(x), or the central difference (f(x + h) - f(x - h)) / 2h.

        Returns
        -------
        MarginalEffects
            Its `values` (n_observations,), and their `average` (AME).

        Notes
        -----
        Scholbeck et al. (2024), "Marginal effects for non-linear prediction functions". Rows whose step leaves the
        observed range are in `outside`, and do not count in the average; of all rows it is `m.values.mean()`.

        Examples
        --------
        >>> import numpy as np
        >>> from ice_explorer import explain
        >>> m = explain(lambda X: X[:, 0] ** 2, np.array([[0.0], [1.0], [2.0]])).marginal_effects("x0", 1)
        >>> m.values.tolist(), m.average
        ([1.0, 3.0, 5.0], 2.0)
        """
        return measure_marginal_effects(self[feature], step, kind)

    def interactions(self, features: Sequence[Name] | None = None, sample: int = SAMPLE) -> Interactions:
        """Return how far features act together: H² of features and of pairs.

        Parameters
        ----------
        features : sequence, optional
            Names of features, all of whose pairs are computed. Defaults to all features, and to the pairs of the five
            with the largest H².
        sample : int
            Maximum number of rows: a seeded sample, stratified by the prediction.

        Returns
        -------
        Interactions
            Its `features` is H² by feature, `pairs` H² and H by pair. They call the model when first read: for each
            row with the values of all others.

        Notes
        -----
        Friedman & Popescu (2008), "Predictive learning via rule ensembles", evaluated at the rows, not on a grid.

        Examples
        --------
        >>> import numpy as np
        >>> from ice_explorer import explain
        >>> X = np.array([[a, b] for a in (-1.0, 1.0) for b in (-1.0, 1.0)])
        >>> i = explain(lambda X: X[:, 0] + X[:, 1] + X[:, 0] * X[:, 1], X).interactions()
        >>> i.features.round(3).to_dict(), i.pairs["h2"].round(3).to_list()
        ({'x0': 0.333, 'x1': 0.333}, [0.333])
        """
        names = self.features if features is None else check_names("features", features)
        return Interactions(self._context, [self[name] for name in names], sample, are_named=features is not None)

    def importances(
        self,
        y: object = None,
        measures: Sequence[Measure] | Measure | None = None,
        *,
        scoring: str | Callable[..., float] | None = None,
        n_repeats: int = N_REPEATS,
    ) -> Importances:
        """Return impact beside other measures of importance, each in per cent of its sum.

        Parameters
        ----------
        y : array-like of shape (n_observations,), optional
            Observed target, for permutation and LOCO; that of `explain` by default. Rows without it are left out.
        measures : sequence of str, optional
            All that the arguments and the model allow by default, without "loco".

            "native": `feature_importances_` of the model, or the absolute values of `coef_`, which depend on the
            units of the columns.
            "permutation": fall of the score if the values of a feature are permuted.
            "partial_dependence": standard deviation over the grid, range / 4 of levels without an order.
            "shap": mean absolute SHAP value; needs the package shap.
            "loco": fall of the cross-validated score if the model is fitted without a feature (leave one covariate
            out); the model is fitted 5 times for each feature.
        scoring : str or callable, optional
            Score of scikit-learn, or a function of (model, X, y), larger is better. Defaults to the `score` of the
            model; R² where it has none, or if one of several outputs is explained.
        n_repeats : int
            Permutations of each feature.

        Returns
        -------
        Importances
            Its `table` has impact and a column for each measure, each adding up to 100; `correlations` tell how far
            they agree.

        Notes
        -----
        Permutation gives what `sklearn.inspection.permutation_importance` gives with the same seed, on these rows:
        explain held-out rows to measure how the model generalises. Partial dependence: Greenwell et al. (2018). LOCO:
        Lei et al. (2018), cross-validated, with all values of the feature set to one. SHAP: interventional, of the
        explained output, 200 rows against a background of 50.

        Examples
        --------
        >>> import numpy as np
        >>> import ice_explorer as ice
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> e = ice.explain(lambda X: 3 * X[:, 0] + X[:, 1], X)
        >>> e.importances(3 * X[:, 0] + X[:, 1], ["permutation"]).table.round().to_dict("index")
        {'x0': {'impact': 75.0, 'permutation': 90.0}, 'x1': {'impact': 25.0, 'permutation': 10.0}}
        """
        y = self._y if y is None else y
        return compare_importances(self, y, measures, scoring, n_repeats)

    @overload
    def plot(self, what: list[Any], kind: Kind | None = None, **options: Unpack[PlotOptions]) -> Figure: ...

    @overload
    def plot(self, what: Hashable = None, kind: PlotKind | None = None, **options: Unpack[PlotOptions]) -> Axes: ...

    def plot(self, what: Any = None, kind: PlotKind | None = None, **options: Unpack[PlotOptions]) -> Axes | Figure:
        """Draw the ranking, curves, effects or a heat map with Matplotlib, for further styling.

        Parameters
        ----------
        what : object, tuple or list, optional
            None for the ranking; a feature, by name or text, for its curves; a pair of columns (a, b) for the mean
            prediction at every pair of their values, as `two_way` computes it; a list of features for a panel each,
            in this order: `list(e.table().index)` is that of the ranking.
        kind : {"ice", "c-ice", "d-ice", "effects"}, optional
            Of a feature: predictions, the default; changes from the anchor, the default of panels; slopes; or the
            lines of `effects`, where ALE is shifted to the mean prediction beside others.
        color_by : object, optional
            Of curves: name of the column, or of the group of columns, that colours them.
        decay : float, optional
            λ of the filled bars, or by which segments fade; that of the explanation by default.
        rank_by, ci : optional
            Of the ranking: "impact", "in_distribution_impact", "heterogeneity", "non_linearity" or "missing_impact",
            and the level of intervals, as for `table`. Intervals are whiskers.
        max_features : int
            Of the ranking: maximum number of bars, 30 by default, fewer if the Axes are too small; a line below states
            the number.
        anchor : {"min", "max", "median", "own"} or object
            Of c-ICE: where it is 0, as for `FeatureExplanation.centered_curves`.
        max_lines : int
            Maximum number of curves drawn, stratified by the feature: 1000, of panels 300.
        effects : sequence of {"partial_dependence", "ale", "m_plot"}
            Of `kind="effects"`: which, all by default.
        grid_size, sample : int
            Of effects and pairs, as for `effects` and `two_way`.
        n_columns, share_y : int, bool
            Of panels: how many in a row, 3 by default, and whether they have one value axis, which slopes never have.
        ax : Axes, optional
            Where to draw; a new figure by default.
        title : bool, str or None
            Title; True for the default title, None for none.
        legend : bool
            Whether to draw a legend, and a colour bar if numbers are colours.
        palette : Colormap, str, sequence or mapping, optional
            Colours of the column that colours the curves, or of the heat map: a Matplotlib colormap or its name, a list
            of colours, or for levels a mapping of levels to colours. By default those of the style.

        Returns
        -------
        Axes, or Figure of panels
            In the units of the data: `ax.axvline(30)` marks a value of the feature. Its artists have group ids:
            "curves", "mean", "observed", "histogram", "bar". The figure of panels is not registered with
            pyplot: a notebook shows it as the value of a cell, a script saves it by `figure.savefig("all.png")`.

        Examples
        --------
        >>> import numpy as np
        >>> from ice_explorer import explain
        >>> X = np.column_stack([np.arange(40.0), np.array([0.0, 1.0] * 20)])
        >>> e = explain(lambda X: X[:, 0] * X[:, 1], X)
        >>> e.plot("x0", kind="c-ice", color_by="x1", palette=["0.6", "tab:blue"]).get_title()
        'c-ICE of x0'
        """
        from ice_explorer.figures.plot import plot

        return plot(self, what, kind, options)

    def save(
        self,
        path: str | Path,
        what: str = "view",
        *,
        max_lines: int | None = None,
        width: float | str | None = None,
        dpi: float | None = None,
        title: bool | str | None = True,
        overwrite: bool = False,
    ) -> Path:
        """Write figures, tables or everything to a file; the suffix selects the format.

        Parameters
        ----------
        path : str or Path
            Ends in .svg, .png, .pdf (both need matplotlib), .html, .csv, .parquet (needs pyarrow), .json, or .ice, the
            result itself, which `ice_explorer.load` opens without the model: `max_lines` is the number of rows in it.
        what : str
            "view", the ranking and the feature that ranks first, "panel", this feature alone, "all" or the name of a
            feature, as for `save` of an explorer. For other figures save those of `plot`, or set up an explorer.
        max_lines, width, dpi, title, overwrite : optional
            As for `save` of an explorer.

        Returns
        -------
        Path
            Of the file.
        """
        from ice_explorer.export import save as export
        from ice_explorer.scene.choices import ViewState

        return export.save(
            self, ViewState(decay=self.settings.decay), path, what, overwrite=overwrite, max_lines=max_lines,
            width=width, dpi=dpi, title=title,
        )  # fmt: skip


def _value(values: Values, place: int) -> Any:
    """Return one value of a feature as pandas has it: a Timestamp or Timedelta, not the ones of NumPy."""
    return label_index(values[[place]])[0]


def _is_thinned(result: FeatureExplanation) -> bool:
    """Whether grid values are left out: their part in the metrics is unknown, so there are no standard errors."""
    sampling, grid = result._sampling, result._item.grid
    return sampling is not None and grid.n_grid < grid.n_distinct and math.isnan(sampling.metrics["impact"])
