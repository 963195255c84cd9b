"""The frozen result of an explanation: metrics, curves and notes.

Nothing here draws: the two methods that give pictures hand over to `figures`, on demand.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypedDict, cast, overload

import numpy as np

from ice_explorer.adapters.target import target_names, target_values
from ice_explorer.anchors import place_of
from ice_explorer.category import CategorySums
from ice_explorer.curves import transforms
from ice_explorer.drivers import MOST_ROWS, find_drivers
from ice_explorer.errors import (
    InputTypeError,
    InvalidOptionError,
    UnknownFeatureError,
    counted,
    text_of,
)
from ice_explorer.feature import step_of
from ice_explorer.grid import feature_seed
from ice_explorer.impact_notes import crowding_note, crowding_notes, step_note, step_notes
from ice_explorer.in_common import in_common
from ice_explorer.labels import readable
from ice_explorer.likelihood import check_decay, likelihood
from ice_explorer.locks import new_lock
from ice_explorer.options import UNITS, check_index, check_integer, check_one_of, check_positions, resolve_display
from ice_explorer.progress import progress_reporter
from ice_explorer.residual import RESIDUAL, residual_column, residual_label
from ice_explorer.sampling import draw_stratified
from ice_explorer.second import SecondFeature, all_features, distinct_rows, second_features
from ice_explorer.subgroups import metrics_of, subgroups_of, sums_by
from ice_explorer.target_check import decides_class, follows_diagonal
from ice_explorer.tracebacks import short_tracebacks
from ice_explorer.two_way import GRID_SIZE, MAX_ROWS, TwoWay
from ice_explorer.units import EFFECTS, PER_STEP, ROUNDING, in_unit
from ice_explorer.what_if import moves_of, reach_of

if TYPE_CHECKING:
    from collections.abc import Callable, ItemsView, Iterator, KeysView, Sequence, ValuesView
    from pathlib import Path
    from typing import Unpack

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

    from ice_explorer.adapters.table import Column, Name
    from ice_explorer.curves.transforms import AnchorName
    from ice_explorer.driver_table import DriverTable
    from ice_explorer.drivers import Drivers
    from ice_explorer.engine import Engine, Sums
    from ice_explorer.impact_notes import Note
    from ice_explorer.in_common import InCommon
    from ice_explorer.inputs import Context, FeatureInput
    from ice_explorer.messages import Kind, RankBy
    from ice_explorer.metrics import Convention
    from ice_explorer.options import Unit
    from ice_explorer.subgroups import Subgroups
    from ice_explorer.target_check import KnownTarget
    from ice_explorer.what_if import Moves

TABLE_COLUMNS = (*EFFECTS, "support", "largest_step_share", "scale", "n_grid", "kind")
_DECAYED = ("in_distribution_impact", "support")


class PlotOptions(TypedDict, total=False):
    """Options of `Explanation.plot` by keyword alone, for what passes them on."""

    anchor: AnchorName | object
    max_lines: int
    ax: Axes | None
    title: bool | str | None
    legend: bool
    palette: Any
    line_kw: Mapping[str, Any] | None
    mean_kw: Mapping[str, Any] | None
    share_axis: bool


class FileOptions(TypedDict, total=False):
    """Options of `save` that an explorer has, too."""

    max_lines: int | None
    width: float | str | None
    font_size: float | None
    dpi: float | None
    title: bool | str | None
    caption: bool | str
    overwrite: bool
    spreadsheet: bool


class SaveOptions(FileOptions, total=False):
    """Options of `Explanation.save`."""

    feature: Name
    kind: Kind
    color_by: Name
    decay: float | None
    rank_by: RankBy
    unit: Unit
    anchor: AnchorName | object
    selection: Sequence[int]


@short_tracebacks
class FeatureExplanation:
    """Curves and metrics of one feature.

    Attributes
    ----------
    feature : object
        Name, as in X, or of a group.
    label : str
        Name as text, for titles of plots: never empty, at most 200 letters.
    kind : {"numeric", "boolean", "category", "ordered", "datetime", "timedelta", "group"}
    grid : ndarray of shape (n_grid,)
        Where the feature is evaluated [feature]: numbers, whole ones where the column holds such, booleans,
        labels, datetimes or timedeltas; where datetimes have a time zone, `pandas.Timestamp` objects in it.
    axis : ndarray of shape (n_grid,)
        Grid values as numbers, for x coordinates of plots and for integrals: codes 0 … of `levels`, days since
        1970-01-01, days.
    levels : list or None
        Levels of a category, ordered or not, or of a group: those that the dtype declares, else those that occur.
    scale : float
        σ, the standard deviation of the feature over all observations, ddof=0 [axis], whatever the option `scale`
        of `explain` is: that one sets `likelihood_scale`. For a category
        without an order σ_c = √((1 - Σp²)/2) of the shares p of its levels.
    likelihood_scale : ndarray of shape (n_observations,)
        s_i, the unit of the distance from the observed value [axis]; 1 where levels have no order, as each is as
        far as any other.
    observed_axis : ndarray of shape (n_observations,)
        Observed values as on `axis`, NaN where missing; `observed` has them as in `grid`.
    row_positions : ndarray of shape (n_rows,)
        Rows of X that the curves and metrics are of.
    """

    def __init__(
        self,
        context: Context,
        engine: Engine,
        item: FeatureInput,
        sums: Sums,
        curves: NDArray[np.float64] | None = None,
    ) -> None:
        if curves is not None:
            self.__dict__["curves"] = _frozen(curves)
        self._context = context
        self._engine = engine
        self._item = item
        self._sums = sums
        self._lock = new_lock()
        self._rows: dict[int, NDArray[np.float64]] = {}
        self._places: dict[int, int] = {}
        self._by: dict[bytes, list[Sums | None]] = {}
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

    @property
    def _distance_unit(self) -> float:
        """In what distances from the observed value are measured [axis]: their mean where rows have their own; σ_c."""
        if self._item.feature.is_unordered:
            return self.scale
        units = self.likelihood_scale
        return float(units[0] if (units == units[0]).all() else np.average(units, weights=self._context.weights))

    @cached_property
    def observed(self) -> NDArray[Any]:
        """Observed values as in `grid`, (n_observations,); NaN, NaT or None where missing."""
        return _frozen(self._item.feature.native(self.observed_axis))

    def __repr__(self) -> str:
        return (
            f"<FeatureExplanation {self.label!r}: {counted(len(self.row_positions), 'curve')}, "
            f"{counted(len(self.grid), 'grid value')}>"
        )

    def __getstate__(self) -> NoReturn:
        raise InputTypeError.explanation_in_pickle()

    def _repr_html_(self) -> str:
        from ice_explorer.figures import html

        return html.feature_table(self)

    @cached_property
    def _own_metrics(self) -> dict[str, float]:
        """Metrics at the decay and convention of the explanation."""
        return self.metrics()

    @property
    def impact(self) -> float:
        """Impact [output]: how far the prediction moves per standard deviation of the feature."""
        return self._own_metrics["impact"]

    @property
    def in_distribution_impact(self) -> float:
        """Impact in which values far from the observed one count less, by the decay of the explanation [output]."""
        return self._own_metrics["in_distribution_impact"]

    @property
    def direction(self) -> float:
        """Impact with its sign [output]: the net change of the prediction along the axis."""
        return self._own_metrics["direction"]

    @property
    def heterogeneity(self) -> float:
        """How much the slopes of different rows differ [output]; 0 where all curves are parallel."""
        return self._own_metrics["heterogeneity"]

    @property
    def non_linearity(self) -> float:
        """How much the slope of a curve changes along the axis [output]; 0 for straight lines."""
        return self._own_metrics["non_linearity"]

    @property
    def missing_impact(self) -> float:
        """Mean absolute change of the prediction when the value goes missing [output]."""
        return self._own_metrics["missing_impact"]

    @property
    def support(self) -> float:
        """Share of the weight of the phantom observations that the decay leaves, 0 to 1."""
        return self._own_metrics["support"]

    @property
    def largest_step_share(self) -> float:
        """Share of the impact that the largest step between two neighbouring grid values brings, 0 to 1."""
        return self._own_metrics["largest_step_share"]

    def metrics(self, decay: float | None = None, convention: Convention | None = None) -> dict[str, float]:
        """Return the metrics of this feature by name, for any decay and convention.

        Parameters
        ----------
        decay, convention : optional
            As for `explain`; defaults are those of the explanation, whose metrics are attributes, too.
        """
        decay, convention = resolve_display(self._context.settings, decay, convention)
        return metrics_of(self._sums, decay, convention)

    def decay_profile(
        self,
        decays: Iterable[float],
        metric: Literal["in_distribution_impact", "support"] = "in_distribution_impact",
    ) -> pd.DataFrame:
        """Return a decayed metric for many decays, without calling the model; see `Explanation.decay_profile`.

        Returns
        -------
        DataFrame
            One row per decay, one column: the feature.
        """
        return self._alone.decay_profile(decays, metric)

    @property
    def _alone(self) -> Explanation:
        """The explanation of this feature, without the others."""
        return Explanation(self._context, self._engine, [self], ())

    def _decay_profiles(
        self, decays: ArrayLike, convention: Convention | None = None
    ) -> dict[str, NDArray[np.float64]]:
        """Return every decayed metric by name, (n_decays,) each, for many decays that are checked."""
        _, convention = resolve_display(self._context.settings, None, convention)
        return dict(zip(_DECAYED, self._sums.decayed(np.asarray(decays, np.float64), convention), strict=True))

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
            known = self._known_rows
            new = np.array(sorted({int(row) for row in wanted} - known.keys() - self._rows.keys()), dtype=np.int64)
            for block, curves in self._computed(new):
                self._rows.update(zip(block.tolist(), curves, strict=True))
            found = [self.curves[known[row]] if row in known else self._rows[row] for row in wanted.tolist()]
        return np.array(found).reshape(len(wanted), len(self.grid))

    @property
    def _known_rows(self) -> dict[int, int]:
        """Where `curves` has each row, once they are there."""
        if "curves" in self.__dict__ and not self._places:
            self._places = {row: at for at, row in enumerate(self._item.positions.tolist())}
        return self._places

    def _computed(self, positions: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
        """Yield blocks of curves of the model that was explained and report them; raise if it is another one now."""
        if len(positions) and not self._engine.has_copied_model:
            self._context.witness.check()
        total = len(positions) * len(self.grid)
        with progress_reporter(self._context.progress, total) as report:
            for rows, curves in self._engine.curves(self._item, positions):
                yield rows, curves
                report(curves.size, total, self.label)

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
            return _frozen(np.concatenate([curves for _, curves in self._computed(self._item.positions)]))

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
        return self._changes(self._item.positions, self.curves, anchor)

    def _changes(
        self, positions: NDArray[np.int64], curves: NDArray[np.float64], anchor: AnchorName | object
    ) -> NDArray[np.float64]:
        """c-ICE of the curves of some rows."""
        place = self._anchor_place(anchor)
        index = self._level_at(place) if self._item.feature.is_unordered else self._index_at(place)
        if index is None:
            return curves - self._at_own_values(positions, curves)[:, None]
        return curves - curves[:, [index]]

    def _anchor_place(self, anchor: AnchorName | object) -> AnchorName | float:
        """Return an anchor of `centered_curves` as pictures have it: a name, or a place on their axis."""
        return place_of(self._item.feature, self.axis, anchor)

    def _index_at(self, place: AnchorName | float) -> int | None:
        """Return where on the grid an anchor stands; None for each observation's observed value."""
        return transforms.anchor_index(self.axis, self._item.median, place)

    def _level_at(self, place: AnchorName | float) -> int | None:
        """Return the same on levels without an order."""
        if place == "median":
            assert self._item.shares is not None  # noqa: S101 - its levels have no order
            return int(np.argmax(self._item.shares))
        return transforms.anchor_index(np.arange(len(self.axis), dtype=np.float64), math.nan, place)

    def _at_own_values(self, positions: NDArray[np.int64], curves: NDArray[np.float64]) -> NDArray[np.float64]:
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
                self._context.witness.check()
                phantoms = self._context.brute.evaluate(self._item.feature, positions[off], own[off, None])
            found[off] = phantoms[:, 0]
        return found

    def _are_on_grid(self, positions: NDArray[np.int64]) -> NDArray[np.bool_]:
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
            self._context.witness.check()
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

    def likelihood(self, decay: float | None = None, *, rows: ArrayLike | None = None) -> NDArray[np.float64]:
        """Likelihood of each phantom observation (Eq. 3), (n_rows, n_grid): 1 at the observed value.

        Parameters
        ----------
        decay : float, optional
            λ; that of the explanation by default.
        rows : array-like of int, optional
            Positions of rows of X; `row_positions` by default.
        """
        decay = self._context.settings.decay if decay is None else check_decay(decay)
        item = self._item
        wanted = item.positions if rows is None else self._check_positions(rows)
        if not item.feature.is_unordered:
            return likelihood(self.axis, item.own[wanted], item.likelihood_scale[wanted], decay)
        far = item.own[wanted, None] != self.axis if item.distances is None else item.distances[wanted]
        return np.asarray(decay**far)

    def _moves(self, position: int, prediction: float) -> Moves:
        """Return how far steps of the feature move the prediction of a row of X away from its own, nearest first."""
        with np.errstate(divide="ignore"):
            distances = -np.log2(self.likelihood(0.5, rows=[position])[0]) + 0.0
        return moves_of(distances, self.rows([position])[0], prediction)

    def to_frame(
        self,
        kind: Kind = "ice",
        rows: ArrayLike | None = None,
        *,
        anchor: AnchorName | object = "min",
        decay: float | None = None,
    ) -> pd.DataFrame:
        """Return the curves as tidy data, one row per observation and grid value, for plots of one's own.

        Parameters
        ----------
        kind : {"ice", "c-ice", "d-ice"}
            Predictions, changes since the anchor, or slopes. A slope stands at the right end of its interval.
        rows : array-like of int, optional
            Positions of rows of X; `row_positions` by default.
        anchor : {"min", "max", "median", "own"} or object
            Where c-ICE is 0, as for `centered_curves`.
        decay : float, optional
            λ of the likelihood; that of the explanation by default.

        Returns
        -------
        DataFrame
            row : int
                Position of the observation in X.
            row_label : object
                Its index label; the position where X has no index.
            feature : category
                Name of the feature.
            value : object
                Grid value, in the dtype that the feature has in X.
            prediction, change or slope : float
                By kind [output, output, output / axis].
            likelihood : float
                Likelihood of the phantom observation.
            is_observed : bool
                Whether the grid value is the observed value of the row; False throughout where that is not on the grid.

        Notes
        -----
        A row of the table takes about 42 bytes, more where labels are text. A table of more than 10 million rows is
        announced by a warning with its size. Predictions with a missing value are in `missing_rows`.

        Examples
        --------
        >>> import numpy as np
        >>> from ice_explorer import explain
        >>> f = explain(lambda X: X[:, 0] ** 2, np.array([[1.0], [2.0]]))["x0"]
        >>> f.to_frame()[["row", "value", "prediction", "is_observed"]]
           row  value  prediction  is_observed
        0    0    1.0         1.0         True
        1    0    2.0         4.0        False
        2    1    1.0         1.0        False
        3    1    2.0         4.0         True
        """
        from ice_explorer import tidy

        return tidy.long_frame(self._alone, [self.feature], kind, rows, anchor=anchor, decay=decay)

    def plot(
        self,
        kind: Kind = "ice",
        color_by: Name = None,
        decay: float | None = None,
        **options: Unpack[PlotOptions],
    ) -> Axes:
        """Draw the curves; see `Explanation.plot`, whose other options it takes."""
        return self._alone.plot(self.feature, kind, color_by, decay, **options)

    def save(self, path: str | Path, **options: Unpack[SaveOptions]) -> Path:
        """Write the curves to a file, as `save` of an explanation does with the name of this feature.

        Parameters
        ----------
        path : str or Path
            Its suffix chooses the format.
        **options
            Other options of `Explanation.save`.

        Returns
        -------
        Path
        """
        return self._alone.save(path, "panel", **options)

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
            Sorted positions, at most max_lines + len(include): `f.to_frame(rows=f.draw(200))` has few curves to plot.
        """
        check_integer("max_lines", max_lines, 0, "Use `max_lines=1000` for the default.")
        generator = feature_seed(self._context.settings.random_state, f"lines of {self.label}")
        drawn = draw_stratified(
            self._item.feature.values, self._item.positions, max_lines, generator, self._context.weights
        )
        return np.union1d(drawn, check_positions(include, len(self.observed_axis), "include"))

    def drivers(self) -> DriverTable:
        """Return what makes the curves differ; see `Explanation.drivers`."""
        return self._search_drivers().frame()

    def _search_drivers(self, between_blocks: Callable[[], object] | None = None) -> Drivers:
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

    def _groups(self) -> tuple[tuple[str, ...], NDArray[np.intp]] | None:
        """Return the rules of the two columns that explain most together, and which of them each row of X fulfils.

        None where two columns explain no more than the best one.
        """
        combined = self._search_drivers().combined
        if combined.pair is None:
            return None
        values = {second.label: second.values for second in second_features(self._context.columns, self._item.feature)}
        return tuple(combined.rules), combined.pair.rule_of(*(values[column] for column in combined.columns))

    def _passing_curves(
        self, positions: NDArray[np.int64], between_blocks: Callable[[], object] | None
    ) -> NDArray[np.float64]:
        """Compute curves of many rows without keeping them."""
        curves = np.empty((len(positions), len(self.grid)))
        start = 0
        for block, computed in self._computed(positions):
            curves[start : start + len(block)] = computed
            start += len(block)
            if between_blocks is not None:
                between_blocks()
        return curves

    def partial_dependence_by(self, by: Name | ArrayLike) -> pd.DataFrame:
        """Return the mean of the curves within groups of observations.

        Parameters
        ----------
        by : object or array-like of shape (n_observations,)
            As for `Explanation.table`.

        Returns
        -------
        DataFrame
            One row per grid value, one column per group [output].
        """
        import pandas as pd

        subgroups = subgroups_of(self._context.columns, self._context.table.index, by)
        means = {
            at: np.full(len(self.axis), math.nan) if sums is None else sums.partial_dependence
            for at, sums in enumerate(self._sums_by(subgroups))
        }
        table = pd.DataFrame(means, index=pd.Index(self.grid, name=self.feature))
        table.columns = pd.Index(subgroups.labels, name=subgroups.name, tupleize_cols=False)
        return table

    def _sums_by(self, subgroups: Subgroups) -> list[Sums | None]:
        """Sum the curves of each group of observations; once, for any decay and convention."""
        key = subgroups.codes.tobytes()
        if key not in self._by:
            with self._lock:
                self._by[key] = sums_by(
                    self._computed(self._item.summed),
                    self._context.brute,
                    self._item,
                    self._context.row_weights,
                    subgroups,
                )
        return self._by[key]

    @property
    def _has_pairs(self) -> bool:
        """Whether its effects are defined: of levels without an order at least two on the grid occur, or none do."""
        return not isinstance(self._sums, CategorySums) or self._sums.is_defined

    @cached_property
    def _step_note(self) -> Note | None:
        """Between which two values most of the movement happens, if that is a small part of the axis."""
        return step_note(self._sums, self._item.feature.shown)

    @cached_property
    def _is_target_like(self) -> bool:
        """Whether the feature determines the prediction as only the target would: its value, or the class."""
        predictor, mean, spread = self._context.predictor, self.partial_dependence, self.spread
        if len(self._context.columns.moves) < 2:  # all there is determines the prediction
            return False
        if not predictor.of_classes:
            is_number = self.kind in ("numeric", "boolean")
            return is_number and follows_diagonal(self.axis, mean, spread, self.observed_axis)
        is_probability = predictor.response in ("predict_proba", "predict")
        return is_probability and decides_class(mean, spread, len(predictor.classes))

    @cached_property
    def _crowding_note(self) -> Note | None:
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
        Names of the features as text, for titles of plots: never empty, at most 200 letters.
    output_label : str
        What is explained, in words: "prediction", "probability of 'yes'".
    n_observations : int
        Rows of X.
    engine, engine_reason : str
        How the curves were computed, and why so.
    settings : Settings
        Options the explanation was made with.
    notes : list of str
        What was chosen, capped, sampled, or rests on a single step.
    alerts : list of str
        The first of the notes: features that look like the target itself.
    """

    def __init__(
        self,
        context: Context,
        engine: Engine,
        results: Sequence[FeatureExplanation],
        notes: Sequence[str],
        target: KnownTarget | None = None,
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
        self._observed_target: NDArray[np.float64] | None = None
        undefined = [
            f"{result.label!r}: fewer than two levels of its grid occur, so its effects are undefined."
            for result in results
            if not result._has_pairs
        ]
        crowded = [(result.label, note) for result in results if (note := result._crowding_note) is not None]
        stepped = [(result.label, note) for result in results if (note := result._step_note) is not None]
        self.alerts = self._alerts(target)
        self.notes = [
            *self.alerts, *notes, *undefined, *crowding_notes(crowded, self.settings.convention), *step_notes(stepped)
        ]  # fmt: skip

    def _repr_html_(self) -> str:
        from ice_explorer.figures import html

        return html.ranking_table(self)

    def _beside(self, y: object) -> Explanation:
        """Return the same with the name of y and notes on columns that equal it; itself where that changes nothing."""
        predictor = self._context.predictor
        label = predictor.named_after(target_names(y))
        alerts = self._alerts(self._context.compared_with(y))
        if (label, alerts) == (self.output_label, self.alerts):
            return self
        context = replace(self._context, predictor=replace(predictor, output_label=label))
        notes = [*alerts, *self.notes[len(self.alerts) :]]
        return self._with(_context=context, output_label=label, alerts=alerts, notes=notes)

    def _with(self, **changed: object) -> Explanation:
        """Return the same explanation but for some attributes."""
        other = object.__new__(type(self))
        vars(other).update({**vars(self), **changed})
        return other

    def _alerts(self, target: KnownTarget | None) -> list[str]:
        """Ask of columns that look like the target whether they are."""
        found = {} if target is None else dict(target.equal)
        for result in self._results.values():
            if result._is_target_like and (target is None or target.may_be(result.observed_axis)):
                found.setdefault(result.label, f"{result.label!r} nearly determines the prediction.")
        return [f"{sentence} Is it the target?" for sentence in found.values()]

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
            Name, its text, or position of a column of X, looked up in that order, as `features` of `explain` is; or
            what iteration gives.

        Raises
        ------
        UnknownFeatureError
            If it was not explained; also a KeyError. Offers the closest name.
        """
        found = self._found(feature)
        if found is None:
            raise UnknownFeatureError.feature(feature, list(map(readable, self.features, self.labels)))
        return found

    def _found(self, feature: object) -> FeatureExplanation | None:
        """Return one feature by its name, its text, its position or its own explanation; None where there is none."""
        if isinstance(feature, FeatureExplanation):
            return feature if self._results.get(feature.feature) is feature else None
        try:
            text = text_of(feature)
            found = self._results.get(feature) or (None if text is None else self._by_label.get(text))
            columns = self._context.columns
            return found or self._results.get(columns.names[columns.position(feature)])
        except (TypeError, UnknownFeatureError):  # an unhashable name names nothing
            return None

    def _ipython_key_completions_(self) -> list[Name]:
        """Offer the features where a notebook completes `explanation["`."""
        return self.features

    def __contains__(self, feature: object) -> bool:
        """Whether indexing by this gives a feature."""
        return self._found(feature) is not None

    def __iter__(self) -> Iterator[FeatureExplanation]:
        """Go through the explanations of the features, as `values` does; `keys` has their names."""
        return iter(self._results.values())

    def __len__(self) -> int:
        return len(self._results)

    def keys(self) -> KeysView[Name]:
        """Return the names of the features, in column order."""
        return self._results.keys()

    def values(self) -> ValuesView[FeatureExplanation]:
        """Return the explanation of each feature, in column order."""
        return self._results.values()

    def items(self) -> ItemsView[Name, FeatureExplanation]:
        """Return the name of each feature with its explanation: `dict(e.items())`."""
        return self._results.items()

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
        unit: Unit | Mapping[Name, object] = "prediction",
        by: Name | ArrayLike | None = None,
    ) -> pd.DataFrame:
        """Every metric of every feature, without predicting phantom observations again.

        Parameters
        ----------
        decay, convention : optional
            As for `explain`; defaults are those of the explanation.
        sort_by : str or None
            Column to sort by, largest first; None keeps the order of the columns of X.
        unit : {"prediction", "sd", "share"} or mapping
            Unit of the effects: that of the prediction; per cent of the standard deviation of the predictions
            (`prediction_sd`, which predicts all rows of X once); or per cent of the sum over all features,
            of absolute values for `direction`. A mapping gives some features a step of their own in place of σ:
            {"age": 10} is per 10 years, {"day": pandas.Timedelta(days=7)} per week.
        by : object or array-like of shape (n_observations,), optional
            Groups of observations: the name of a column or one-hot group of at most 20 values, or a label of each
            observation, such as its fold or a boolean mask. The model is called again when a grouping is first
            used. All groups share one grid, one σ and, without an order, one set of level frequencies, so their
            metrics compare; a share is one of the sum within the group.

        Returns
        -------
        DataFrame
            Indexed by feature, or by group and feature, with the number of observations `n_rows` of the group as the
            last column; NaN where a group has none in the sample of a feature. Columns `impact`,
            `in_distribution_impact`, `direction`, `heterogeneity`, `non_linearity`, `missing_impact` [unit],
            `support` and `largest_step_share` [0–1], `scale` [feature], in what `scale=` measures distances, by default
            σ (the mean over rows where it differs between them), `n_grid`, `kind`; and where `unit` is a mapping `per`,
            the step that effects are per.
        """
        import pandas as pd

        if sort_by is not None:
            check_one_of("sort_by", sort_by, TABLE_COLUMNS)
        steps = self._steps(unit) if isinstance(unit, Mapping) else {}
        named: Unit = "prediction"
        if not isinstance(unit, Mapping):
            check_one_of("unit", unit, UNITS)
            named = unit
        decay, convention = resolve_display(self.settings, decay, convention)
        if by is None:
            metrics = [result.metrics(decay, convention) for result in self]
            return self._as_table(metrics, sort_by, named, steps)
        subgroups = subgroups_of(self._context.columns, self._context.table.index, by)
        sums = [result._sums_by(subgroups) for result in self]
        tables = [
            self._as_table(
                [metrics_of(of_feature[at], decay, convention) for of_feature in sums], sort_by, named, steps
            ).assign(n_rows=count)
            for at, count in enumerate(subgroups.counts)
        ]
        table = pd.concat(tables)
        groups = pd.Index(subgroups.labels, tupleize_cols=False).repeat(len(self))
        table.index = pd.MultiIndex.from_arrays([groups, table.index], names=[subgroups.name, "feature"])
        return table

    def _steps(self, unit: Mapping[Name, object]) -> dict[Name, float]:
        """Return the steps that effects are per, by name of the feature [axis]."""
        found = [(self[name], step) for name, step in unit.items()]
        return {result.feature: step_of(result._item.feature, step) for result, step in found}

    def _as_table(
        self, metrics: Sequence[Mapping[str, float]], sort_by: str | None, unit: Unit, steps: Mapping[Name, float]
    ) -> pd.DataFrame:
        """Return the metrics of each feature as a table."""
        import pandas as pd

        records = [
            {**of_feature, "scale": result._distance_unit, "n_grid": len(result.grid), "kind": result.kind}
            for of_feature, result in zip(metrics, self, strict=True)
        ]
        index = pd.Index(self.features, name="feature", tupleize_cols=False)
        table = pd.DataFrame(records, index=index, columns=list(TABLE_COLUMNS))
        if steps:
            scales = np.array([result.scale for result in self])
            table["per"] = np.array([steps.get(result.feature, result.scale) for result in self])
            with np.errstate(divide="ignore", invalid="ignore"):
                ratios = np.where([result.feature in steps for result in self], table["per"] / scales, 1.0)
            table[list(PER_STEP)] = table[list(PER_STEP)].mul(ratios, axis=0)
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
            values[:, position] = result._decay_profiles(decays)[metric]
        return pd.DataFrame(values, index=pd.Index(decays, name="decay"), columns=columns)

    def drivers(self, feature: Name) -> DriverTable:
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

            Facts about all of them are attributes: `summary`, `difference`, `rules` and others; see `DriverTable`.

        Raises
        ------
        UnknownFeatureError
            If the feature was not explained; also a KeyError.

        Notes
        -----
        With c_i curve i less its own mean over the grid and c̄ their mean, `difference` is
        Σ_i w_i‖c_i - c̄‖² / Σ_i w_i‖c_i‖². For lines with slopes β_i it is Var(β) / mean(β²).

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
        >>> table.summary
        'Curves differ (50 % of their variance); of that, x1 > 0 explains 100 %.'
        """
        return self[feature].drivers()

    def to_frame(
        self,
        features: Sequence[Name] | None = None,
        kind: Kind = "ice",
        rows: ArrayLike | None = None,
        *,
        anchor: AnchorName | object = "min",
        decay: float | None = None,
    ) -> pd.DataFrame:
        """Return the curves of several features as tidy data, for plots of one's own.

        Parameters
        ----------
        features : sequence, optional
            Their names; all by default, of slopes all that have some.
        kind, rows, anchor, decay : optional
            As for `FeatureExplanation.to_frame`.

        Returns
        -------
        DataFrame
            Columns of `FeatureExplanation.to_frame`. `value` has the dtype of the features where they share one, is
            float where they are numbers of several dtypes, and else holds objects, each as its feature has it. Of one
            feature, or of features of one dtype, `polars.from_pandas` takes it.
        """
        from ice_explorer import tidy

        return tidy.long_frame(self, features, kind, rows, anchor=anchor, decay=decay)

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

        Raises
        ------
        InvalidOptionError
            If there is no such row; also a ValueError.

        Notes
        -----
        A value v is within reach of a row where its likelihood λ^(|v - x| / s) (Eq. 3 of the paper) is at least one
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
        (position,) = check_positions([row], self.n_observations, "row").tolist()
        prediction = float(self._context.predictions(np.array([position]))[0])
        found = [(feature, feature._moves(position, prediction)) for feature in self._results.values()]
        best = [moves.within(reach) for _, moves in found]
        changes = [0.0 if at is None else float(moves.changes[at]) for (_, moves), at in zip(found, best, strict=True)]
        values = [
            None if at is None else feature.grid[moves.places[at]]
            for (feature, moves), at in zip(found, best, strict=True)
        ]
        index = pd.Index(self.features, name="feature", tupleize_cols=False)
        table = pd.DataFrame(
            {
                "observed": pd.Series([feature.observed[position] for feature, _ in found], index, dtype=object),
                "value": pd.Series(values, index, dtype=object),
                "prediction": prediction + np.array(changes),
                "change": changes,
                "distance": [
                    math.nan if at is None else float(moves.distances[at])
                    for (_, moves), at in zip(found, best, strict=True)
                ],
            },
            index,
        )
        return table.sort_values("change", key=lambda changes: -changes.abs(), kind="stable")

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
        title: bool | str | None = True,
        legend: bool = True,
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
            Bars drawn at most, fewer where the Axes are too small for all; a line below counts them.
        title : bool, str or None
            Title of the Axes: the usual one for True, none for None.
        legend : bool
            Whether a legend explains bars and ticks, where there are ticks.

        Returns
        -------
        Axes
            One bar for each feature. Colours, widths and fonts are those of rcParams and the style sheet.

        Raises
        ------
        MissingDependencyError
            If Matplotlib is not installed; also an ImportError.
        InvalidOptionError
            If an option has a value that it cannot have; also a ValueError.
        """
        from ice_explorer.figures import mpl

        return mpl.plot_impact(
            self, ax, decay=decay, rank_by=rank_by, unit=unit, max_features=max_features, title=title, legend=legend
        )

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
        title: bool | str | None = True,
        legend: bool = True,
        palette: Any = None,
        line_kw: Mapping[str, Any] | None = None,
        mean_kw: Mapping[str, Any] | None = None,
        share_axis: bool = False,
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
        title : bool, str or None
            Title of the Axes: the usual one for True, none for None.
        legend : bool
            Whether a legend, and a colour bar where a continuous column colours the curves, explain what is drawn.
            The legend takes no part in layouts; the colour bar takes its room from the Axes.
        palette : Colormap, str, sequence or mapping, optional
            Colours of the column that colours the curves: a Matplotlib colormap or its name, a list of colours, or
            for levels a mapping of levels to colours. By default those of the style: `image.cmap`, without the end
            that is lost on the background, and `axes.prop_cycle` for levels without an order, or colours safe for
            colour-blind readers where that is Matplotlib's own.
        line_kw : mapping, optional
            Properties of the curves, as for Matplotlib's `LineCollection`. More than 150 curves are drawn as one
            image, which has a color, linewidth, alpha and zorder; other properties have all curves drawn one by one.
        mean_kw : mapping, optional
            Properties of their mean, as for Matplotlib's `Line2D`.
        share_axis : bool
            Whether c-ICE has a second axis on the right, with changes as shares of the prediction range.

        Returns
        -------
        Axes
            In the units of the data: `ax.axvline(30)` marks a value of the feature. Its artists have labels and group
            ids: "curves", "mean", "spread", "observed", "histogram". Colours, widths and fonts that are not given are
            those of rcParams and the style sheet.

        Raises
        ------
        MissingDependencyError
            If Matplotlib is not installed; also an ImportError.
        InvalidOptionError
            If an option has a value that it cannot have; also a ValueError.

        Examples
        --------
        >>> import numpy as np
        >>> import matplotlib.pyplot as plt
        >>> from ice_explorer import explain
        >>> X = np.column_stack([np.arange(40.0), np.array([0.0, 1.0] * 20)])
        >>> e = explain(lambda X: X[:, 0] * X[:, 1], X)
        >>> figure, axes = plt.subplots(1, 2, layout="constrained")
        >>> ax = e.plot("x0", ax=axes[0], title="Rises where x1 is 1", mean_kw={"color": "crimson"})
        >>> ax = e.plot("x0", kind="c-ice", color_by="x1", palette=["0.6", "tab:blue"], ax=axes[1])
        >>> ax.get_title()
        'c-ICE of x0'
        """
        from ice_explorer.figures import mpl

        return mpl.plot(
            self, feature, kind, color_by, decay, anchor=anchor, max_lines=max_lines, ax=ax, title=title, legend=legend,
            palette=palette, line_kw=line_kw, mean_kw=mean_kw, share_axis=share_axis,
        )  # fmt: skip

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
        title: bool | str | None = True,
        legend: bool = True,
        palette: Any = None,
        line_kw: Mapping[str, Any] | None = None,
        mean_kw: Mapping[str, Any] | None = None,
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
        title : bool, str or None
            Title of the figure: the usual one for True, none for None.
        legend, palette, line_kw, mean_kw : optional
            As for `plot`; one legend or colour bar is for all panels.

        Returns
        -------
        Figure
            Its axes are labelled by feature: `figure.axes[0].get_label()`.

        Raises
        ------
        MissingDependencyError
            If Matplotlib is not installed; also an ImportError.
        InvalidOptionError
            If an option has a value that it cannot have; also a ValueError.
        """
        from ice_explorer.figures import mpl_all

        return mpl_all.plot_all(
            self, kind, color_by, decay=decay, rank_by=rank_by, anchor=anchor, max_lines=max_lines,
            max_features=max_features, n_columns=n_columns, share_y=share_y, title=title, legend=legend,
            palette=palette, line_kw=line_kw, mean_kw=mean_kw,
        )  # fmt: skip

    @overload
    def save(
        self, path: str | Path, what: Literal["view", "panel"] = "view", **options: Unpack[SaveOptions]
    ) -> Path: ...

    @overload
    def save(self, path: str | Path, what: str, **options: Unpack[SaveOptions]) -> Path | list[Path]: ...

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
        title: bool | str | None = True,
        caption: bool | str = False,
        overwrite: bool = False,
        spreadsheet: bool = False,
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

        return export.save_explanation(
            self, path, what, feature=feature, kind=kind, color_by=color_by, decay=decay, rank_by=rank_by, unit=unit,
            anchor=anchor, max_lines=max_lines, selection=selection, width=width, font_size=font_size, dpi=dpi,
            title=title, caption=caption, overwrite=overwrite, spreadsheet=spreadsheet,
        )  # fmt: skip

    @property
    def columns(self) -> list[Name]:
        """Names of all columns of X, features or not: what `color_by` and rules of drivers can name."""
        return list(self._context.columns.names)

    @property
    def _color_columns(self) -> list[Name]:
        """What lines can be coloured by: the columns of X, each group before its first column."""
        return self._context.columns.color_names

    def _column(self, name: Name) -> Column:
        """Return a column of X by name, a group as one category, or the residuals."""
        if name is RESIDUAL or (self._observed_target is not None and name == self._residual_label):
            label = self._checked_residual_label
            return residual_column(
                label, cast("NDArray[np.float64]", self._observed_target), self._context.all_predictions
            )
        return self._context.columns.named(name)

    def _with_target(self, target: NDArray[np.float64]) -> Explanation:
        """Return the same explanation, with the residuals of an observed target to colour by."""
        return self._with(_observed_target=target)

    @property
    def _residual_label(self) -> str | None:
        """Label of y minus the prediction among the columns; None where no target was given."""
        if self._observed_target is None:
            return None
        return residual_label(self._context.columns.labels)

    @property
    def _checked_residual_label(self) -> str:
        """Label of the residuals.

        Raises
        ------
        InvalidOptionError
            If no target was given.
        """
        if self._residual_label is None:
            raise InvalidOptionError.residual_without_target()
        return self._residual_label

    def predictions(self, positions: ArrayLike) -> NDArray[np.float64]:
        """Predictions of some rows of X, (n_rows,) [output]; all rows are predicted when they are first read."""
        return self._context.all_predictions[check_positions(positions, self.n_observations)]

    def _outcomes(self, positions: ArrayLike) -> dict[str, NDArray[np.float64]]:
        """Return what is predicted of some rows and, with a target, what was observed and the residual, by name."""
        rows = check_positions(positions, self.n_observations)
        predictions = self.predictions(rows)
        if self._observed_target is None:
            return {"prediction": predictions}
        observed = self._observed_target[rows]
        return {"prediction": predictions, "y": observed, "residual": observed - predictions}

    def _in_common(self, positions: ArrayLike) -> list[InCommon]:
        """Return what sets some rows of X apart from the rest: ranges and levels of columns, groups and residuals."""
        rows = np.zeros(self.n_observations, dtype=np.bool_)
        rows[check_positions(positions, self.n_observations)] = True
        columns = all_features(self._context.columns)
        if self._observed_target is not None:
            residuals = self._column(RESIDUAL)
            columns.append(
                SecondFeature(residuals.label, "numeric", is_integer=False, values=residuals.values, levels=None)
            )
        return in_common(columns, rows)

    def _target(self, y: object) -> NDArray[np.float64]:
        """Put an observed target beside the predictions: a class as 1 and 0, (n_observations,), NaN where missing.

        Raises
        ------
        InvalidOptionError
            If these are not the targets of the rows of X, in their order.
        """
        check_index("y", "y", y, self._context.table.index)
        return target_values(y, self._context.predictor, self.n_observations)

    def _table_rows(self, positions: ArrayLike) -> Any:
        """Return rows of X in its own container."""
        return self._context.table.take(check_positions(positions, self.n_observations))

    def _index_at(self, positions: ArrayLike) -> pd.Index:
        """Return the index of X at some rows, or their positions where X has none."""
        import pandas as pd

        rows, index = check_positions(positions, self.n_observations), self._context.table.index
        return pd.Index(rows, name="row") if index is None else index[rows]

    @property
    def _row_index(self) -> Any:
        """Index labels of the rows as pandas has them; None where rows are known by position alone."""
        return self._context.table.index

    def _row_labels(self, positions: ArrayLike) -> list[str] | None:
        """Return index labels of rows as text; None where rows are known by position alone."""
        return self._context.table.row_labels(check_positions(positions, self.n_observations))


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
