"""The frozen result of an explanation: metrics, curves and notes.

Nothing here draws: the two methods that give pictures hand over to `figures`, on demand.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable
from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np

from ice_explorer.adapters.target import target_values
from ice_explorer.anchors import place_of
from ice_explorer.category import CategorySums
from ice_explorer.curves import transforms
from ice_explorer.drivers import MOST_ROWS, find_drivers
from ice_explorer.errors import (
    InputTypeError,
    InvalidOptionError,
    UnknownFeatureError,
    UnknownOptionError,
    counted,
    text_of,
)
from ice_explorer.grid import feature_seed
from ice_explorer.impact_notes import crowding_note, crowding_notes, step_note, step_notes
from ice_explorer.inputs import level_weights
from ice_explorer.labels import readable
from ice_explorer.likelihood import check_decay, likelihood
from ice_explorer.locks import new_lock
from ice_explorer.options import UNITS, check_integer, check_one_of, check_positions, resolve_display
from ice_explorer.sampling import draw_stratified
from ice_explorer.second import distinct_rows, second_features
from ice_explorer.tracebacks import short_tracebacks
from ice_explorer.two_way import GRID_SIZE, MAX_ROWS, TwoWay
from ice_explorer.units import EFFECTS, ROUNDING, in_unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

    from ice_explorer.adapters.table import Column, Name
    from ice_explorer.curves.transforms import AnchorName
    from ice_explorer.drivers import Drivers
    from ice_explorer.engine import Engine, Sums
    from ice_explorer.impact_notes import Note
    from ice_explorer.inputs import Context, FeatureInput
    from ice_explorer.messages import Kind, RankBy
    from ice_explorer.metrics import Convention
    from ice_explorer.options import Unit

TABLE_COLUMNS = (*EFFECTS, "support", "largest_step_share", "scale", "n_grid", "kind")
_DECAYED = ("in_distribution_impact", "support")


@short_tracebacks
class FeatureExplanation:
    """Curves and metrics of one feature.

    Attributes
    ----------
    feature : object
        Name, as in X, or of a group.
    label : str
        Name as text.
    kind : {"numeric", "boolean", "category", "ordered", "datetime", "timedelta", "group"}
    grid : ndarray of shape (n_grid,)
        Where the feature is evaluated [feature]: numbers, whole ones where the column holds such, booleans,
        labels, datetimes in UTC or timedeltas.
    axis : ndarray of shape (n_grid,)
        The same as numbers: codes 0 … of `levels`, days since 1970-01-01, days.
    levels : list or None
        Levels of a category, ordered or not, or of a group: those that the dtype declares, else those that occur.
    scale : float
        σ, the standard deviation of the feature over all observations, ddof=0 [axis]; for a category
        without an order σ_c = √((1 - Σp²)/2) of the shares p of its levels.
    likelihood_scale : ndarray of shape (n_observations,)
        s_i, in which distance from the own value counts [axis]; 1 where levels have no order, as each is as
        far as any other.
    observed_axis : ndarray of shape (n_observations,)
        Own values as on `axis`, NaN where missing; `observed` has them as in `grid`.
    row_positions : ndarray of shape (n_rows,)
        Rows of X that the curves and metrics are of.
    """

    def __init__(self, context: Context, engine: Engine, item: FeatureInput, sums: Sums) -> None:
        self._context = context
        self._engine = engine
        self._item = item
        self._sums = sums
        self._lock = new_lock()
        self._rows: dict[int, NDArray[np.float64]] = {}
        self._drivers: Drivers | None = None
        feature = item.feature
        self.feature = feature.name
        self.label = feature.label
        self.kind = feature.kind
        self.grid = _frozen(feature.native(item.grid.values))
        self.axis = _frozen(item.grid.values)
        self.levels = None if feature.levels is None else feature.levels.tolist()
        self.scale = item.scale
        self.likelihood_scale = _frozen(item.likelihood_scale)
        self.observed_axis = _frozen(feature.values)
        self.row_positions = _frozen(item.positions)

    @cached_property
    def observed(self) -> NDArray[Any]:
        """Own values as in `grid`, (n_observations,); NaN, NaT or None where missing."""
        return _frozen(self._item.feature.native(self.observed_axis))

    def __repr__(self) -> str:
        return (
            f"<FeatureExplanation {self.label!r}: {counted(len(self.row_positions), 'curve')}, "
            f"{counted(len(self.grid), 'grid value')}>"
        )

    def __getstate__(self) -> NoReturn:
        raise InputTypeError.explanation_in_pickle()

    def metrics(self, decay: float | None = None, convention: Convention | None = None) -> dict[str, float]:
        """Return the metrics of this feature by name; defaults are those of the explanation."""
        decay, convention = resolve_display(self._context.settings, decay, convention)
        found = self._sums.metrics(decay, convention)
        return {field.name: getattr(found, field.name) for field in fields(found)}

    def decay_profile(self, decays: Iterable[float], metric: str = "in_distribution_impact") -> NDArray[np.float64]:
        """Return a decayed metric for many decays, (n_decays,), without calling the model."""
        check_one_of("metric", metric, _DECAYED)
        return self.decay_profiles(decays)[metric]

    def decay_profiles(
        self, decays: Iterable[float], convention: Convention | None = None
    ) -> dict[str, NDArray[np.float64]]:
        """Return every decayed metric by name, (n_decays,) each, for many decays, without calling the model."""
        checked = np.array(_check_decays(decays))
        _, convention = resolve_display(self._context.settings, None, convention)
        return dict(zip(_DECAYED, self._sums.decayed(checked, convention), strict=True))

    def rows(self, positions: ArrayLike) -> NDArray[np.float64]:
        """ICE curves of some rows of X, computed when first asked for.

        Parameters
        ----------
        positions : array-like of int, shape (n_rows,)

        Returns
        -------
        ndarray of shape (n_rows, n_grid)
            [output]
        """
        wanted = self._check_positions(positions)
        with self._lock:
            new = np.array(sorted({int(row) for row in wanted} - self._rows.keys()), dtype=np.int64)
            for block, curves in self._engine.curves(self._item, new):
                self._rows.update(zip(block.tolist(), curves, strict=True))
            found = [self._rows[int(row)] for row in wanted]
        return np.array(found).reshape(len(wanted), len(self.grid))

    def predictions(self, positions: ArrayLike) -> NDArray[np.float64]:
        """Predictions of the real rows themselves, (n_rows,) [output]."""
        wanted = self._check_positions(positions)
        with self._lock:
            return self._context.predictions(wanted)

    def _check_positions(self, positions: ArrayLike) -> NDArray[np.int64]:
        return check_positions(positions, len(self.observed_axis))

    @cached_property
    def curves(self) -> NDArray[np.float64]:
        """ICE curves of `row_positions`, (n_rows, n_grid) [output]; kept once asked for."""
        with self._lock:
            blocks = self._engine.curves(self._item, self._item.positions)
            return _frozen(np.concatenate([curves for _, curves in blocks]))

    @property
    def slopes(self) -> NDArray[np.float64]:
        """d-ICE: finite differences of the curves, (n_rows, n_grid - 1) [output / axis]: per rank or day.

        Raises
        ------
        InvalidOptionError
            If the levels of the feature have no order; also a ValueError.
        """
        if self._item.feature.is_unordered:
            raise InvalidOptionError.no_slopes(self._item.feature.readable)
        return transforms.slopes(self.curves, self.axis)

    def centered_curves(self, anchor: AnchorName | object = "min") -> NDArray[np.float64]:
        """c-ICE: change of each curve since the anchor, (n_rows, n_grid) [output].

        Parameters
        ----------
        anchor : {"min", "max", "median", "own"} or object
            First or last grid value, the one nearest to the median of the feature, each
            observation's observed value, on the grid or not, or the grid value nearest to a value of the
            feature: a number, a date (also as text), a duration, a label. For levels without an order
            "median" is the most frequent one, and a label that of a level on the grid. On levels whose
            labels are no numbers a number is a place, 0 the first.

        Raises
        ------
        InvalidOptionError
            If the feature has no such value; also a ValueError.
        """
        place = self.anchor_place(anchor)
        index = self._level_at(place) if self._item.feature.is_unordered else self._index_at(place)
        if index is None:
            return self.curves - self.at_own_values(self._item.positions, self.curves)[:, None]
        return self.curves - self.curves[:, [index]]

    def anchor_place(self, anchor: AnchorName | object) -> AnchorName | float:
        """Return an anchor of `centered_curves` as pictures have it: a name, or a place on their axis."""
        return place_of(self._item.feature, self.axis, anchor)

    def _index_at(self, place: AnchorName | float) -> int | None:
        """Return where on the grid an anchor stands; None for each observation's observed value."""
        return transforms.anchor_index(self.axis, self._item.median, place)

    def _level_at(self, place: AnchorName | float) -> int | None:
        """Return the same on levels without an order."""
        if place == "median":
            return int(np.argmax(level_weights(self._item.feature, self._context.weights)[self.axis.astype(np.intp)]))
        return transforms.anchor_index(np.arange(len(self.axis), dtype=np.float64), math.nan, place)

    def at_own_values(self, positions: NDArray[np.int64], curves: NDArray[np.float64]) -> NDArray[np.float64]:
        """Predictions of some rows at their observed value, (n_rows,) [output]; the median replaces a missing one.

        Parameters
        ----------
        positions : ndarray of shape (n_rows,)
        curves : ndarray of shape (n_rows, n_grid)
            Their curves, which tell the prediction where the value is on the grid.
        """
        own = self._item.own[positions]
        at = np.minimum(np.searchsorted(self.axis, own), len(self.axis) - 1)
        found = curves[np.arange(len(curves)), at]
        off = np.flatnonzero(self.axis[at] != own)
        if off.size:
            with self._lock:
                phantoms = self._context.brute.evaluate(self._item.feature, positions[off], own[off, None])
            found[off] = phantoms[:, 0]
        return found

    def are_on_grid(self, positions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether the observed values of some rows, the median for a missing one, are grid values, (n_rows,)."""
        return np.isin(self._item.own[positions], self.axis)

    @property
    def median(self) -> float:
        """Lower (weighted) median of the feature, an observed value, or its most frequent level [axis]."""
        return self._item.median

    @property
    def mean_change(self) -> float:
        """Mean absolute change of the prediction per change of category: impact / σ_c [output].

        NaN for features with an order, and for a category that is the same everywhere.
        """
        if not self._item.feature.is_unordered or self.scale == 0:
            return math.nan
        return self.metrics()["impact"] / self.scale

    @property
    def partial_dependence(self) -> NDArray[np.float64]:
        """Mean of the curves, (n_grid,) [output]."""
        return self._sums.partial_dependence

    @property
    def spread(self) -> NDArray[np.float64]:
        """Standard deviation of the curves, ddof=0, (n_grid,) [output]: a spread of rows, no confidence band."""
        return self._sums.spread

    @property
    def prediction_range(self) -> tuple[float, float]:
        """Smallest and largest prediction over all phantoms of this feature [output]."""
        return self._sums.lowest, self._sums.highest

    @property
    def missing_curve(self) -> NDArray[np.float64] | None:
        """Predictions of `row_positions` with the value missing, (n_rows,); None where no observation lacks it."""
        return self.missing_rows(self._item.positions) if self._item.has_missing else None

    def missing_rows(self, positions: ArrayLike) -> NDArray[np.float64]:
        """Predictions of some rows of X with the value missing, (n_rows,) [output]."""
        wanted = self._check_positions(positions)
        with self._lock:
            return self._context.brute.evaluate(self._item.feature, wanted, np.full((len(wanted), 1), np.nan))[:, 0]

    @cached_property
    def missing_dependence(self) -> tuple[float, float] | None:
        """Mean and standard deviation (ddof=0) of the predictions with the value missing [output].

        Over the rows of the metrics, by weight; None where no observation lacks the value.
        """
        if not self._item.has_missing:
            return None
        rows, weights = self._item.summed, self._context.weights
        predicted = self.missing_rows(rows)
        mass = None if weights is None else weights[rows]
        mean = float(np.average(predicted, weights=mass))
        return mean, math.sqrt(float(np.average((predicted - mean) ** 2, weights=mass)))

    def likelihood(self, decay: float | None = None) -> NDArray[np.float64]:
        """Likelihood of each phantom, (n_rows, n_grid): 1 at the own value (Eq. 3)."""
        return self.likelihood_of(self._item.positions, decay)

    def likelihood_of(self, positions: ArrayLike, decay: float | None = None) -> NDArray[np.float64]:
        """Likelihood of the phantoms of some rows of X, (n_rows, n_grid)."""
        decay = self._context.settings.decay if decay is None else check_decay(decay)
        wanted, item = self._check_positions(positions), self._item
        if not item.feature.is_unordered:
            return likelihood(self.axis, item.own[wanted], item.likelihood_scale[wanted], decay)
        far = item.own[wanted, None] != self.axis if item.distances is None else item.distances[wanted]
        return np.asarray(decay**far)

    def draw(self, max_lines: int, include: Iterable[int] = ()) -> NDArray[np.int64]:
        """Choose rows to draw: stratified by the feature, seeded, plus some that must be there.

        Parameters
        ----------
        max_lines : int
        include : iterable of int
            Rows of X drawn besides.

        Returns
        -------
        ndarray of shape (n_lines,)
            Sorted positions, at most max_lines + len(include).
        """
        check_integer("max_lines", max_lines, 0, "Use `max_lines=1000` for the default.")
        generator = feature_seed(self._context.settings.random_state, f"lines of {self.label}")
        drawn = draw_stratified(
            self._item.feature.values, self._item.positions, max_lines, generator, self._context.weights
        )
        return np.union1d(drawn, check_positions(include, len(self.observed_axis), "include"))

    def drivers(self, between_blocks: Callable[[], object] | None = None) -> Drivers:
        """Find what makes the curves differ; once, as that takes those of many rows.

        Parameters
        ----------
        between_blocks : callable, optional
            Called now and then; what it raises ends the work.

        Returns
        -------
        Drivers
            See `Explanation.drivers`.
        """
        # Without the lock: whoever is called between blocks may wait for somebody who waits for it.
        if self._drivers is None:
            generator = feature_seed(self._context.settings.random_state, f"drivers of {self.label}")
            positions = draw_stratified(self._item.feature.values, self._item.summed, MOST_ROWS, generator)
            seconds = second_features(self._context.columns, self._item.feature)
            lowest, highest = self.prediction_range
            self._drivers = find_drivers(
                self._passing_curves(positions, between_blocks),
                [second.at(positions) for second in seconds],
                self._context.row_weights[positions],
                distinct_rows([self.observed_axis, *(second.values for second in seconds)], positions),
                prediction_range=highest - lowest,
                n_curves=len(self._item.summed),
            )
        return self._drivers

    def _passing_curves(
        self, positions: NDArray[np.int64], between_blocks: Callable[[], object] | None
    ) -> NDArray[np.float64]:
        """Compute curves of many rows without keeping them."""
        curves = np.empty((len(positions), len(self.grid)))
        start = 0
        for block, computed in self._engine.curves(self._item, positions):
            curves[start : start + len(block)] = computed
            start += len(block)
            if between_blocks is not None:
                between_blocks()
        return curves

    @property
    def has_pairs(self) -> bool:
        """Whether its effects are defined: of levels without an order at least two on the grid occur, or none do."""
        return not isinstance(self._sums, CategorySums) or self._sums.is_defined

    @cached_property
    def step_note(self) -> Note | None:
        """Between which two values most of the movement happens, if that is a small part of the axis."""
        return step_note(self._sums, self._item.feature.shown)

    @cached_property
    def crowding_note(self) -> Note | None:
        """That the impact is mostly due to steps between values that lie close together, if it is."""
        return crowding_note(self._sums, self._context.settings.convention)


@short_tracebacks
class Explanation:
    """What a model does with each feature: metrics, curves, and the notes to read them by.

    Index it by feature for the curves: `explanation["Age"].curves`.

    Attributes
    ----------
    features : list
        Names, in column order.
    labels : list of str
        The same as text.
    n_observations : int
        Rows of X.
    engine, engine_reason : str
        How the curves were computed, and why so.
    settings : Settings
        Options the explanation was made with.
    notes : list of str
        What was chosen, capped, sampled, or rests on a single step.
    """

    def __init__(
        self, context: Context, engine: Engine, results: Sequence[FeatureExplanation], notes: Sequence[str]
    ) -> None:
        self._context = context
        self._results = {result.feature: result for result in results}
        self._by_label = {result.label: result for result in results}
        self.features = list(self._results)
        self.labels = list(self._by_label)
        self.n_observations = context.table.n_observations
        self.engine = engine.name
        self.engine_reason = engine.reason
        self.settings = context.settings
        self.output_label = context.predictor.output_label
        undefined = [
            f"{result.label!r}: fewer than two levels of its grid occur, so its effects are undefined."
            for result in results
            if not result.has_pairs
        ]
        crowded = [(result.label, note) for result in results if (note := result.crowding_note) is not None]
        stepped = [(result.label, note) for result in results if (note := result.step_note) is not None]
        self.notes = [
            *notes, *undefined, *crowding_notes(crowded, self.settings.convention), *step_notes(stepped)
        ]  # fmt: skip

    def __repr__(self) -> str:
        return (
            f"<Explanation of the {self.output_label}: {counted(len(self.features), 'feature')}, "
            f"{counted(self.n_observations, 'observation')}, engine {self.engine!r}>"
        )

    def __getstate__(self) -> NoReturn:
        raise InputTypeError.explanation_in_pickle()

    def __getitem__(self, feature: Name) -> FeatureExplanation:
        """Return the curves and metrics of one feature.

        Parameters
        ----------
        feature : object
            Name, its text, or position of a column of X, looked up in that order, as `features` of `explain` is.

        Raises
        ------
        UnknownFeatureError
            If it was not explained; also a KeyError. Offers the closest name.
        """
        try:
            text = text_of(feature)
            found = self._results.get(feature) or (None if text is None else self._by_label.get(text))
            if found is None:
                columns = self._context.columns
                found = self._results.get(columns.names[columns.position(feature)])
        except (TypeError, UnknownFeatureError):  # an unhashable name names nothing
            found = None
        if found is None:
            raise UnknownFeatureError.feature(feature, list(map(readable, self.features, self.labels)))
        return found

    def _ipython_key_completions_(self) -> list[Name]:
        """Offer the features where a notebook completes `explanation["`."""
        return self.features

    def __contains__(self, feature: object) -> bool:
        return feature in self._results or feature in self._by_label

    def __iter__(self) -> Iterator[FeatureExplanation]:
        return iter(self._results.values())

    def __len__(self) -> int:
        return len(self._results)

    @property
    def prediction_sd(self) -> float:
        """Standard deviation of the predictions of the observations, by weight, ddof=0 [output].

        Predicts all rows of X when first read.
        """
        return self._context.prediction_sd

    def table(
        self,
        decay: float | None = None,
        convention: Convention | None = None,
        *,
        sort_by: str | None = "in_distribution_impact",
        unit: Unit = "prediction",
    ) -> pd.DataFrame:
        """Every metric of every feature, without predicting phantom observations again.

        Parameters
        ----------
        decay, convention : optional
            As for `explain`; defaults are those of the explanation.
        sort_by : str or None
            Column to sort by, largest first; None keeps the order of the columns of X.
        unit : {"prediction", "sd", "share"}
            Unit of the effects: that of the prediction; per cent of the standard deviation of the predictions
            (`prediction_sd`, which predicts all rows of X once); or per cent of the sum over all features,
            of absolute values for `direction`.

        Returns
        -------
        DataFrame
            Indexed by feature; columns `impact`, `in_distribution_impact`, `direction`, `heterogeneity`,
            `non_linearity`, `missing_impact` [unit], `support` and `largest_step_share` [0–1], `scale`
            [feature], `n_grid`, `kind`.
        """
        import pandas as pd

        if sort_by is not None:
            check_one_of("sort_by", sort_by, TABLE_COLUMNS)
        check_one_of("unit", unit, UNITS)
        decay, convention = resolve_display(self.settings, decay, convention)
        records = [
            {
                **result.metrics(decay, convention),
                "scale": result.scale,
                "n_grid": len(result.grid),
                "kind": result.kind,
            }
            for result in self._results.values()
        ]
        index = pd.Index(self.features, name="feature", tupleize_cols=False)
        table = pd.DataFrame(records, index=index, columns=list(TABLE_COLUMNS))
        if unit != "prediction":
            prediction_sd = self.prediction_sd if unit == "sd" else math.nan
            rounding = ROUNDING * float(table["impact"].abs().sum())
            for name in EFFECTS:
                table[name] = in_unit(table[name].to_numpy(np.float64), unit, prediction_sd, rounding)
        return table if sort_by is None else table.sort_values(sort_by, ascending=False, kind="stable")

    def decay_profile(
        self,
        decays: Iterable[float],
        metric: Literal["in_distribution_impact", "support"] = "in_distribution_impact",
    ) -> pd.DataFrame:
        """A decayed metric for many decays, without calling the model.

        Parameters
        ----------
        decays : iterable of float
            Each greater than 0 and at most 1.
        metric : {"in_distribution_impact", "support"}

        Returns
        -------
        DataFrame
            One row per decay, one column per feature, in column order.
        """
        import pandas as pd

        decays = _check_decays(decays)
        check_one_of("metric", metric, _DECAYED)
        columns = pd.Index(self.features, name="feature", tupleize_cols=False)
        values = np.empty((len(decays), len(self._results)))
        for position, result in enumerate(self._results.values()):
            values[:, position] = result.decay_profile(decays, metric)
        return pd.DataFrame(values, index=pd.Index(decays, name="decay"), columns=columns)

    def drivers(self, feature: Name) -> pd.DataFrame:
        """Return what makes the curves of a feature differ: the best split of the rows by each other column.

        Parameters
        ----------
        feature : object
            Name, or its text.

        Returns
        -------
        DataFrame
            Indexed by the label of each other column of X and each group, best first:

            share : float
                Part of the variance between curves that the split explains, 0 to 1. Curves are compared by shape, not
                level. The split is chosen on some rows and scored on others; 0 where chance explains as much.
            threshold : float
                Where the split is, on the axis of the column; NaN without one.
            levels : tuple of str or None
                Levels of one side, where they have no order.
            rule : str
                One side in words, "rm > 6.4"; the one with the missing values, if there are any.
            n_rule, n_rest : int
                Rows of this side, and of the other: each at least 10, and 2 % of the rows.

            `attrs` holds

            summary : str
                The size of the differences, and the best rule, in a sentence.
            size : float
                Variance between curves, relative to the total variance of the curves around their own means, 0 to 1.
                0: all have the same shape; 1: they have none in common.
            combined_columns, combined_share, rules : tuple of str, float, dict of str to int
                Two columns together: what they explain, and up to four rules with their numbers of rows. Empty where
                they do not explain at least 5 % more than the best column.
            n_rows, note : int, str
                Rows that splits were searched on, and a sentence where these are a sample.

        Raises
        ------
        UnknownFeatureError
            If the feature was not explained; also a KeyError.

        Notes
        -----
        With c_i curve i less its own mean over the grid and c̄ their mean, `size` is Σ_i w_i‖c_i - c̄‖² / Σ_i w_i‖c_i‖².
        For lines with slopes β_i it is Var(β) / mean(β²).

        Shares are cross-fitted. Distinct observations are put into 5 folds, seeded; up to 20 have one each. Without the
        rows of a fold the best split and the mean curve of both sides are found, and these rows are compared with them:
        share = 1 - Σ_i w_i‖c_i - c̄_g(i)‖² / Σ_i w_i‖c_i - c̄‖². The rule and its row counts are those of all rows.
        A share counts as explained where it is larger than 0 by Φ⁻¹(1 - 0.05 / m) standard errors, for m columns, so
        that slopes drawn at random are rarely explained by any of them. Pairs are chosen and scored likewise.

        All thresholds half way between neighbouring values are tried, and missing values on both sides. Levels without
        an order are split along the first principal axis of their mean curves, or one of them from the others, which
        among many levels is a heuristic; the 100 most frequent ones are distinguished. A column of more than 8 levels,
        and of one for every other row, identifies rows and explains nothing. Of two columns, thresholds at sixths of
        the rows (fewer with more than 80 columns) and single levels are tried in all combinations, then moved to where
        they are best. Of more than 5000 rows a stratified, seeded sample is used.

        Rows are counted by weight, and equal rows share a fold, so integer weights are repeated rows.

        Examples
        --------
        >>> import numpy as np
        >>> from ice_explorer import explain
        >>> X = np.column_stack([np.arange(40.0), np.array([0.0, 1.0] * 20), np.repeat([5.0, 6.0], 20)])
        >>> table = explain(lambda X: X[:, 0] * X[:, 1], X).drivers("x0")
        >>> table["rule"].to_dict()
        {'x1': 'x1 > 0', 'x2': ''}
        >>> table.attrs["summary"]
        'Curves differ (50 % of their variance); of that, x1 > 0 explains 100 %.'
        """
        return self[feature].drivers().frame()

    def two_way(self, first: Name, second: Name, *, grid_size: int = GRID_SIZE, max_rows: int = MAX_ROWS) -> TwoWay:
        """Partial dependence on two features at once: the mean prediction at every pair of their values.

        Parameters
        ----------
        first, second : object
            Names of two columns or groups, features of this explanation or not.
        grid_size : int
            Most values of each: observed quantiles, or levels.
        max_rows : int
            Of how many rows the mean is at most: a seeded sample, stratified by the one of the two that stands
            first in X.

        Returns
        -------
        TwoWay
            Its `partial_dependence`, (n_first, n_second), asks the model when it is first read, n_first · n_second
            times for each row.

        Raises
        ------
        ICEExplorerError
            If there is no such column, or it has no axis, or both are the same.
        """
        return TwoWay(self._context, first, second, grid_size, max_rows)

    def plot_impact(
        self,
        ax: Axes | None = None,
        *,
        decay: float | None = None,
        rank_by: RankBy = "in_distribution_impact",
        unit: Unit = "prediction",
        max_features: int = 30,
        **unknown: object,
    ) -> Axes:
        """Draw the ranking as bars, for further styling; needs matplotlib.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure by default.
        decay : float, optional
            λ of the filled bars; that of the explanation by default.
        rank_by : str
            What the bars show and are sorted by: "impact", "in_distribution_impact", "heterogeneity",
            "non_linearity" or "missing_impact".
        unit : {"prediction", "sd", "share"}
            Unit of the bars, as for `table`.
        max_features : int
            Bars drawn at most; a line below counts the others.

        Returns
        -------
        Axes
        """
        from ice_explorer.figures import mpl

        _check_keywords(mpl.plot_impact, unknown)
        return mpl.plot_impact(self, ax, decay=decay, rank_by=rank_by, unit=unit, max_features=max_features)

    def plot(
        self,
        feature: Name,
        kind: Kind = "ice",
        color_by: Name = None,
        decay: float | None = None,
        *,
        anchor: AnchorName | object = "min",
        max_lines: int = 1000,
        ax: Axes | None = None,
        **unknown: object,
    ) -> Axes:
        """Draw the curves of one feature, for further styling; needs matplotlib.

        Parameters
        ----------
        feature : object
            Name, or its text.
        kind : {"ice", "c-ice", "d-ice"}
            Curves, curves since the anchor, or slopes.
        color_by : object, optional
            Name of the column, or of the group of columns, that colours the lines.
        decay : float, optional
            λ by which segments fade; that of the explanation by default.
        anchor : {"min", "max", "median", "own"} or object
            Where c-ICE is 0, as for `FeatureExplanation.centered_curves`.
        max_lines : int
            Lines drawn, stratified by the feature.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        Axes
        """
        from ice_explorer.figures import mpl

        _check_keywords(mpl.plot, unknown)
        return mpl.plot(self, feature, kind, color_by, decay, anchor=anchor, max_lines=max_lines, ax=ax)

    def plot_all(
        self,
        kind: Kind = "c-ice",
        color_by: Name = None,
        *,
        decay: float | None = None,
        rank_by: RankBy = "in_distribution_impact",
        anchor: AnchorName | float = "min",
        max_lines: int = 300,
        max_features: int = 30,
        n_columns: int = 3,
        share_y: bool = True,
        **unknown: object,
    ) -> Figure:
        """Draw the curves of all features in small, for further styling; needs matplotlib.

        Parameters
        ----------
        kind : {"ice", "c-ice", "d-ice"}
            Curves, curves since the anchor, or slopes.
        color_by : object, optional
            Name of the column, or of the group of columns, that colours the lines.
        decay : float, optional
            λ by which segments fade; that of the explanation by default.
        rank_by : str
            What the order is by, as for `plot_impact`.
        anchor : {"min", "max", "median", "own"} or float
            Where c-ICE is 0.
        max_lines : int
            Lines drawn of each feature.
        max_features : int
            Features drawn at most; the title counts them.
        n_columns : int
            Panels in one row.
        share_y : bool
            One scale for all, so that their heights compare; slopes are per unit of each feature and keep their own.

        Returns
        -------
        Figure
        """
        from ice_explorer.figures import mpl_all

        _check_keywords(mpl_all.plot_all, unknown)
        return mpl_all.plot_all(
            self, kind, color_by, decay=decay, rank_by=rank_by, anchor=anchor, max_lines=max_lines,
            max_features=max_features, n_columns=n_columns, share_y=share_y,
        )  # fmt: skip

    def save(
        self,
        path: str | Path,
        what: str = "view",
        *,
        feature: Name = None,
        kind: Kind = "ice",
        color_by: Name = None,
        decay: float | None = None,
        rank_by: RankBy = "in_distribution_impact",
        unit: Unit = "prediction",
        anchor: AnchorName | object = "min",
        max_lines: int | None = None,
        selection: Sequence[int] = (),
        width: float | str | None = None,
        font_size: float | None = None,
        dpi: float | None = None,
        title: bool | str = True,
        caption: bool | str = False,
        overwrite: bool = False,
        spreadsheet: bool = False,
        **unknown: object,
    ) -> Path | list[Path]:
        """Write figures, tables or everything to a file; the suffix chooses the format.

        Parameters
        ----------
        path : str or Path
            Ends in .svg, .png, .pdf (both need matplotlib), .html, .csv, .parquet (needs pyarrow) or .json.
            With "{feature}" in its name, and `what="all"`, each feature has a file of its own.
        what : str
            "view", "panel", "all" or the name of a feature, as for `save` of an explorer.
        feature, kind, color_by, decay, rank_by, unit, anchor, max_lines, selection : optional
            What is shown, as on an explorer; features, columns and anchors as X has them. Without a feature the one
            that ranks first is open; the decay is that of the explanation by default.
        width, font_size, dpi, title, caption, overwrite, spreadsheet : optional
            How it is printed, whether files are replaced, and whether a CSV is for spreadsheets, as for `save` of an
            explorer.

        Returns
        -------
        Path or list of Path
            Of the file, or of the file of each feature.

        Raises
        ------
        ExportError
            If the suffix is unknown or there is a file already; also a ValueError.
        """
        from ice_explorer import export

        _check_keywords(export.save_explanation, unknown, "save")
        return export.save_explanation(
            self, path, what, feature=feature, kind=kind, color_by=color_by, decay=decay, rank_by=rank_by, unit=unit,
            anchor=anchor, max_lines=max_lines, selection=selection, width=width, font_size=font_size, dpi=dpi,
            title=title, caption=caption, overwrite=overwrite, spreadsheet=spreadsheet,
        )  # fmt: skip

    @property
    def columns(self) -> list[Name]:
        """Names of all columns of X, features or not."""
        return list(self._context.columns.names)

    @property
    def color_columns(self) -> list[Name]:
        """What lines can be coloured by: the columns of X, each group before its first column."""
        return self._context.columns.color_names

    def column(self, name: Name) -> Column:
        """Return a column of X by name, or a group as one category."""
        return self._context.columns.named(name)

    def target(self, y: object) -> NDArray[np.float64]:
        """Put an observed target beside the predictions: a class as 1 and 0, (n_observations,), NaN where missing.

        Raises
        ------
        InvalidOptionError
            If these are not the targets of the rows of X.
        """
        return target_values(y, self._context.predictor, self.n_observations)

    def table_rows(self, positions: ArrayLike) -> Any:
        """Return rows of X in its own container."""
        return self._context.table.take(check_positions(positions, self.n_observations))

    def row_labels(self, positions: ArrayLike) -> list[str] | None:
        """Return index labels of rows as text; None where rows are known by position alone."""
        return self._context.table.row_labels(check_positions(positions, self.n_observations))


def _check_keywords(function: Callable[..., object], options: Mapping[str, object], name_of: str = "") -> None:
    """Check that a function takes some options besides what it is of."""
    known = [name for name in inspect.signature(function).parameters if name != "explanation"]
    for name in options:
        if name not in known:
            raise UnknownOptionError.keyword(name_of or function.__name__, name, known)


def _check_decays(decays: object) -> list[float]:
    """Return the decays of a profile, or say what they must be."""
    if not isinstance(decays, Iterable):
        raise InvalidOptionError.decays(decays)
    return [check_decay(decay) for decay in decays]


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view that cannot be written to: results are shared, not copied."""
    view = array.view()
    view.flags.writeable = False
    return view
