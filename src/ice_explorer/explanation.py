"""`explain` and its results: numbers with figures and files."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypedDict, overload

from ice_explorer.beyond.correlations import MOST, correlated
from ice_explorer.beyond.effects import EFFECT_KINDS, GRID_SIZE, effects
from ice_explorer.beyond.interactions import MAX_ROWS, InteractionsResult
from ice_explorer.beyond.marginal_effects import marginal_effects
from ice_explorer.checks import check_integer, check_names, check_one_of
from ice_explorer.distributed.plan import prepare
from ice_explorer.errors import InvalidOptionError, PredictionError
from ice_explorer.errors.tracebacks import short_traceback, short_tracebacks
from ice_explorer.progress import progress_reporter
from ice_explorer.results.explanation_result import ExplanationResult
from ice_explorer.results.feature_explanation import FeatureResult
from ice_explorer.results.options import Options
from ice_explorer.results.plan import Plan
from ice_explorer.tables.table import kept

if TYPE_CHECKING:
    from collections.abc import Callable, ItemsView, Iterator, Sequence, ValuesView
    from pathlib import Path
    from typing import Unpack

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from ice_explorer.beyond.effects import EffectKind
    from ice_explorer.beyond.marginal_effects import MarginalEffectKind, MarginalEffects
    from ice_explorer.features.feature import AnchorName
    from ice_explorer.features.grid import GridName
    from ice_explorer.metrics.windows import Convention
    from ice_explorer.models.predict import Response
    from ice_explorer.results.options import EngineName, Kind, RankBy, Unit
    from ice_explorer.tables.column import Name

__all__ = ["ExplainOptions", "Explanation", "FeatureExplanation", "Plan", "compute", "explain", "load", "prepare"]


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
    effects: Sequence[str]


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
class FeatureExplanation(FeatureResult):
    """Curves and metrics of one feature.

    Attributes
    ----------
    feature : object
        Name, as in X, or of a group.
    label : str
        Name as text, for titles of plots: never empty, at most 200 letters.
    kind : {"numeric", "boolean", "category", "ordered", "datetime", "timedelta", "group"}
    grid : ndarray of shape (n_grid,)
        Values at which the feature is evaluated [feature]: numbers (integers if the column has integers), booleans,
        labels, datetimes or timedeltas; datetimes with a time zone are `pandas.Timestamp` objects.
    axis : ndarray of shape (n_grid,)
        Grid values as numbers, for x coordinates of plots and for integrals: codes 0 … of `levels`, days since
        1970-01-01, days.
    levels : list or None
        Levels of a category, ordered or not, or of a group: declared by the dtype, else those that occur.
    scale : float
        σ, the standard deviation of the feature over all observations, ddof=0 [axis]. The option `scale` of `explain`
        does not change it; it sets `likelihood_scale`. For an unordered category, σ_c = √((1 - Σp²)/2) with the
        shares p of its levels.
    likelihood_scale : ndarray of shape (n_observations,)
        s_i, the unit of the distance from the observed value [axis]; 1 for levels without an order, which are all
        equally far from each other.
    observed_axis : ndarray of shape (n_observations,)
        Observed values as on `axis`, NaN where missing; `observed` has them as in `grid`.
    row_positions : ndarray of shape (n_rows,)
        Rows of X whose curves and metrics are computed.
    """

    @property
    def _alone(self) -> Explanation:
        """The explanation of this feature, without the others."""
        return Explanation(self._context, self._engine, [self], ())

    def __reduce__(self) -> tuple[Any, ...]:
        from ice_explorer.saved import pickled

        return pickle.loads, (pickled.dumped(self, self._context, self._engine.name),)

    def _repr_html_(self) -> str:
        from ice_explorer.figures import html

        return html.feature_table(self)

    def to_frame(
        self,
        kind: Kind = "ice",
        rows: ArrayLike | None = None,
        *,
        anchor: AnchorName | object = "min",
        decay: float | None = None,
    ) -> pd.DataFrame:
        """Return the curves as a tidy table, one row per observation and grid value, for custom plots.

        Parameters
        ----------
        kind : {"ice", "c-ice", "d-ice"}
            Predictions, changes from the anchor, or slopes. A slope is listed at the right end of its interval.
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
        A row of the table takes about 50 bytes, more if labels are text. A table that takes more than `memory_limit`
        raises an error with its size. Predictions with a missing value are in `missing_rows`.

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
        from ice_explorer.export import tables

        return tables.long_frame(self._alone, [self.feature], kind, rows, anchor=anchor, decay=decay)

    def correlated(self, n: int = MOST) -> pd.DataFrame:
        """Return the features that vary most with this one in the data, where its curves can mislead.

        Parameters
        ----------
        n : int
            Maximum number of features.

        Returns
        -------
        DataFrame
            Indexed by the label of each other column or group, the strongest first.

            correlation : float
                -1 to 1, or 0 to 1 if levels have no order; NaN where a feature is constant. Missing values do not
                count, rows count by weight.
            measure : str
                "spearman": rank correlation. "correlation_ratio" of a number and a category: the root of the share of
                the variance of the number that lies between levels. "cramers_v" of two categories.
        """
        check_integer("n", n, 1, f"Leave it out for {MOST}.")
        return correlated(self._context, self._item.feature, n)

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
            The suffix selects the format.
        **options
            Other options of `Explanation.save`.

        Returns
        -------
        Path
        """
        return self._alone.save(path, "panel", **options)


@short_tracebacks
class Interactions(InteractionsResult):
    """Friedman's H² of features and pairs, and whether a feature acts additively.

    All rows are predicted once; phantom observations are when one of the members is first used.

    Attributes
    ----------
    row_positions : ndarray of shape (n_rows,)
        Rows of X on which everything is evaluated.
    """

    def plot(
        self,
        of: Literal["pairs", "features"] = "pairs",
        ax: Axes | None = None,
        *,
        max_bars: int = 15,
        title: bool | str | None = True,
    ) -> Axes:
        """Draw H² as bars, the largest first; needs matplotlib.

        Parameters
        ----------
        of : {"pairs", "features"}
        ax : Axes, optional
            Where to draw; a new figure by default.
        max_bars : int
            Maximum number of bars; the title states the number.
        title : bool, str or None
            Title of the Axes; True for the default title, None for no title.

        Returns
        -------
        Axes
            Colours, widths and fonts are those of rcParams and the style sheet.

        Raises
        ------
        MissingDependencyError
            If Matplotlib is not installed; also an ImportError.
        InvalidOptionError
            If an option has an invalid value; also a ValueError.
        PredictionError
            If the model fails or changed since `explain`.
        """
        from ice_explorer.figures.axes import beyond

        is_of_pairs = check_one_of("of", of, ("pairs", "features")) == "pairs"
        h2 = self.pairs["h2"] if is_of_pairs else self.features
        labels = {name: result.label for name, result in self._results.items()}
        names = [" × ".join(labels[name] for name in (key if is_of_pairs else [key])) for key in h2.index]
        return beyond.plot_interactions(h2.to_list(), names, of, ax, max_bars=max_bars, title=title)


@short_tracebacks
class Explanation(ExplanationResult):
    """Metrics and curves of every feature of a model, with notes on their interpretation.

    Index it by feature for the curves: `explanation["Age"].curves`.

    Attributes
    ----------
    features : list
        Names, in column order.
    labels : list of str
        Names of the features as text, for titles of plots: never empty, at most 200 letters.
    output_label : str
        Name of the explained output: "prediction", "probability of 'yes'".
    n_observations : int
        Rows of X.
    engine, engine_reason : str
        How the curves were computed, and the reason.
    settings : Settings
        Options of the explanation.
    notes : list of str
        Defaults that were chosen, limits that were applied, and metrics that depend on a single step.
    alerts : list of str
        The first of the notes: features that look like the target itself.

    Notes
    -----
    A pickle, also one of joblib, has everything that is computed, of all rows, and nothing is computed for it. It has
    the model, too, if that can be pickled. Of a tree model it has the trees from which curves and predictions of the
    rows of X are computed, and the model only if values are missing. What needs a model that is not in the pickle
    raises `ModelNeededError`. Copies by `copy` are the same object: results do not change. A result that others open,
    or later versions of the package, is saved by `save("result.ice")`.
    """

    if TYPE_CHECKING:  # its features can be drawn and saved, too

        def __getitem__(self, feature: Name) -> FeatureExplanation: ...
        def __iter__(self) -> Iterator[FeatureExplanation]: ...
        def values(self) -> ValuesView[FeatureExplanation]: ...  # noqa: D102
        def items(self) -> ItemsView[Name, FeatureExplanation]: ...  # noqa: D102

    def __reduce__(self) -> tuple[Any, ...]:
        from ice_explorer.saved import pickled

        return pickle.loads, (pickled.dumped(self, self._context, self.engine),)

    def _repr_html_(self) -> str:
        from ice_explorer.figures import html

        return html.ranking_table(self)

    def to_frame(
        self,
        features: Sequence[Name] | None = None,
        kind: Kind = "ice",
        rows: ArrayLike | None = None,
        *,
        anchor: AnchorName | object = "min",
        decay: float | None = None,
    ) -> pd.DataFrame:
        """Return the curves of several features as a tidy table, for custom plots.

        Parameters
        ----------
        features : sequence, optional
            Their names; all by default, of slopes all that have some.
        kind, rows, anchor, decay : optional
            As for `FeatureExplanation.to_frame`.

        Returns
        -------
        DataFrame
            Columns of `FeatureExplanation.to_frame`. For one plot of features of several dtypes `value` is text and
            `axis` the number: `seaborn.relplot(frame, x="axis", y="prediction", col="feature", ...)`.
        """
        from ice_explorer.export import tables

        return tables.long_frame(self, features, kind, rows, anchor=anchor, decay=decay)

    def effects(
        self,
        feature: Name,
        kinds: Sequence[EffectKind] | EffectKind = EFFECT_KINDS,
        *,
        grid_size: int = GRID_SIZE,
        ci: float | None = None,
    ) -> pd.DataFrame:
        """Return mean effects of a feature along its axis: partial dependence, accumulated local effects, M-plot.

        Parameters
        ----------
        feature : object
            Name, or its text.
        kinds : sequence of {"partial_dependence", "ale", "m_plot"}
        grid_size : int
            Maximum number of grid values: all observed values if there are no more, else their quantiles, or where the
            explanation has a grid of quantiles the values of that next to them; of levels without an order the most
            frequent ones.
        ci : float, optional
            Level of the intervals, such as 0.95; none by default.

        Returns
        -------
        DataFrame
            One row per grid value.

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
            <kind>_low, <kind>_high : float
                With `ci`: the interval of each kind.

        Raises
        ------
        InvalidOptionError
            If an option has an invalid value; also a ValueError.
        PredictionError
            If the model fails or changed since `explain`.

        Notes
        -----
        Over the rows whose curves are computed, by weight. The model is called for partial dependence at values that
        are not on the grid of the explanation; besides, by the engine "brute", for partial dependence with `ci`, and
        for ALE twice for each row.

        Partial dependence: Friedman (2001), Eq. 53. ALE: Apley & Zhu (2020), Eqs 15–17: the mean change of the rows
        (z_{k-1}, z_k] across that interval, added up. If all observed values are on the grid, rows at both ends of an
        interval count, as for categories, whose levels are accumulated in their order. ALE is linear between grid
        values, and its mean over the observed values is 0. Other packages centre it by the mean of each interval, which
        differs by a constant.

        M-plot: a least-squares line through the predictions between the neighbouring grid values, weighted by nearness
        (1 at the value, 0 at its neighbours), read at the value: the mean where all observed values are on the grid. It
        includes the effects of correlated features. Rows without a value have no place in ALE and M-plot.

        Intervals are percentiles of 500 bootstrap draws of rows, seeded; grid and model stay the same. A draw without
        a row in an interval is given the estimate of all rows.

        Examples
        --------
        >>> import numpy as np
        >>> from ice_explorer import explain
        >>> x = np.arange(5.0)
        >>> e = explain(lambda X: X[:, 0] + 0 * X[:, 1], np.column_stack([x, 2 * x]))
        >>> e.effects("x1")[["partial_dependence", "ale", "m_plot"]].loc[8.0].to_dict()
        {'partial_dependence': 2.0, 'ale': 0.0, 'm_plot': 4.0}
        """
        return effects(self._context, self[feature], kinds, grid_size, ci)

    def plot_effects(
        self,
        feature: Name,
        kinds: Sequence[EffectKind] | EffectKind = EFFECT_KINDS,
        *,
        grid_size: int = GRID_SIZE,
        ci: float | None = None,
        ax: Axes | None = None,
        title: bool | str | None = True,
        legend: bool = True,
    ) -> Axes:
        """Draw mean effects of a feature along its axis, as lines or on levels as dots; needs matplotlib.

        Parameters
        ----------
        feature, kinds, grid_size : optional
            As for `effects`. Beside other effects, ALE is shifted to the mean prediction.
        ci : float, optional
            Level of the bootstrap intervals, such as 0.95, drawn as bands; none by default.
        ax : Axes, optional
            Where to draw; a new figure by default.
        title : bool, str or None
            Title of the Axes; True for the default title, None for no title.
        legend : bool
            Whether to draw a legend.

        Returns
        -------
        Axes
            In the units of the data. Its artists have the names of the effects as group ids.

        Raises
        ------
        MissingDependencyError
            If Matplotlib is not installed; also an ImportError.
        InvalidOptionError
            If an option has an invalid value; also a ValueError.
        PredictionError
            If the model fails or changed since `explain`.
        """
        from ice_explorer.figures.axes import beyond

        table = self.effects(feature, kinds, grid_size=grid_size, ci=ci)
        return beyond.plot_effects(self[feature], table, self.output_label, ax, title=title, legend=legend)

    def marginal_effects(
        self,
        feature: Name | Mapping[Name, object],
        step: object = None,
        kind: MarginalEffectKind = "forward",
    ) -> MarginalEffects:
        """Return how the prediction of each observation changes by a step from its observed value.

        Parameters
        ----------
        feature : object or mapping
            Name, or its text; or steps by name, taken together: {"age": 10, "sex": "female"}.
        step : object, optional
            Length of the step [axis], below 0 for a step down; a timedelta for dates and durations; the new level for
            categories, booleans and groups. Defaults to one standard deviation, for a derivative to a hundredth of
            it; of whole numbers to the nearest one, at least 1.
        kind : {"forward", "derivative"}
            f(x + h) - f(x), or the central difference (f(x + h) - f(x - h)) / 2h.

        Returns
        -------
        MarginalEffects
            Its `values` (n_observations,), their `average` (AME) and their `non_linearity` (n_observations,).

        Raises
        ------
        InvalidOptionError
            If a feature cannot take the step; also a ValueError.
        PredictionError
            If the model fails or changed since `explain`.

        Notes
        -----
        Scholbeck et al. (2024), "Marginal effects for non-linear prediction functions". Rows whose step leaves the
        observed range are in `outside`; they count in the average. Other packages may centre a step around the observed
        value: that is h times the derivative with a step of h / 2.

        Examples
        --------
        >>> import numpy as np
        >>> from ice_explorer import explain
        >>> m = explain(lambda X: X[:, 0] ** 2, np.array([[0.0], [1.0], [2.0]])).marginal_effects("x0", 1)
        >>> m.values.tolist(), m.average
        ([1.0, 3.0, 5.0], 3.0)
        """
        if not isinstance(feature, Mapping):
            return marginal_effects(self._context, [(self[feature], step)], kind)
        if step is not None:
            advice = "Leave it out, or pass the name of one feature."
            raise InvalidOptionError.must("step", "be left out where `feature` gives steps by name", step, advice)
        return marginal_effects(self._context, [(self[name], each) for name, each in feature.items()], kind)

    def interactions(self, features: Sequence[Name] | None = None, rows: int = MAX_ROWS) -> Interactions:
        """Return how far features act together: H² of features and pairs, and the additivity of each.

        Parameters
        ----------
        features : sequence, optional
            Names of features, all of whose pairs are computed. Defaults to all features, and to the pairs of the five
            with the largest H².
        rows : int
            Maximum number of rows: a seeded sample, stratified by the prediction.

        Returns
        -------
        Interactions
            Its `features` is H² by feature, `pairs` H² and H by pair, `additivity(feature)` the share of the slope that
            differs between rows. They call the model when first asked for: for each row once with the value of every
            other row, of each feature or pair.

        Raises
        ------
        InvalidOptionError
            If an option has an invalid value; also a ValueError.
        PredictionError
            If the model fails or changed since `explain`.

        Notes
        -----
        Friedman & Popescu (2008), "Predictive learning via rule ensembles", evaluated at the rows, not on a grid. H²
        relates squared effects; H, its root, is what some packages call the H-statistic. Rows count by weight.

        Examples
        --------
        >>> import numpy as np
        >>> from ice_explorer import explain
        >>> X = np.array([[a, b] for a in (-1.0, 1.0) for b in (-1.0, 1.0)])
        >>> i = explain(lambda X: X[:, 0] + X[:, 1] + X[:, 0] * X[:, 1], X).interactions()
        >>> i.features.round(3).to_dict(), i.pairs["h2"].round(3).to_list()
        ({'x0': 0.333, 'x1': 0.333}, [0.333])
        >>> i.additivity("x0").share
        0.5
        """
        names = self.features if features is None else check_names("features", features)
        return Interactions(self._context, [self[name] for name in names], rows, are_named=features is not None)

    def plot_impact(
        self,
        ax: Axes | None = None,
        *,
        decay: float | None = None,
        rank_by: RankBy = "in_distribution_impact",
        unit: Unit | Mapping[Name, object] = "prediction",
        ci: float | None = None,
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
            Metric of the bars and of their order: "impact", "in_distribution_impact", "heterogeneity",
            "non_linearity" or "missing_impact".
        unit : {"prediction", "sd", "share"} or mapping
            Unit of the bars, as for `table`. With a mapping, labels name the step: "age (per 10)", "bmi (per SD)".
        ci : float, optional
            Level of bootstrap intervals, such as 0.95, as for `table`: draws them as whiskers, and brackets beside
            neighbours that are tied, as for `ties`.
        max_features : int
            Maximum number of bars, fewer if the Axes are too small; a line below states the number.
        title : bool, str or None
            Title of the Axes; True for the default title, None for no title.
        legend : bool
            Whether to draw a legend of bars and ticks, if there are ticks.

        Returns
        -------
        Axes
            One bar for each feature. Colours, widths and fonts are those of rcParams and the style sheet.

        Raises
        ------
        MissingDependencyError
            If Matplotlib is not installed; also an ImportError.
        InvalidOptionError
            If an option has an invalid value; also a ValueError.
        """
        from ice_explorer.figures.axes import axes

        return axes.plot_impact(
            self,
            ax,
            decay=decay,
            rank_by=rank_by,
            unit=unit,
            ci=ci,
            max_features=max_features,
            title=title,
            legend=legend,
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
        effects: Sequence[str] = (),
    ) -> Axes:
        """Draw the curves of one feature, for further styling; needs matplotlib.

        Parameters
        ----------
        feature : object
            Name, or its text.
        kind : {"ice", "c-ice", "d-ice"}
            Predictions, changes from the anchor, or slopes.
        color_by : object, optional
            Name of the column, or of the group of columns, that colours the curves.
        decay : float, optional
            λ by which segments fade; that of the explanation by default.
        anchor : {"min", "max", "median", "own"} or object
            Where c-ICE is 0, as for `FeatureExplanation.centered_curves`.
        max_lines : int
            Maximum number of curves drawn, stratified by the feature.
        ax : Axes, optional
            Where to draw; a new figure by default.
        title : bool, str or None
            Title of the Axes; True for the default title, None for no title.
        legend : bool
            Whether to draw a legend, and a colour bar if a continuous column colours the curves. The legend does not
            affect layouts; the colour bar is placed inside the Axes.
        palette : Colormap, str, sequence or mapping, optional
            Colours of the column that colours the curves: a Matplotlib colormap or its name, a list of colours, or
            for levels a mapping of levels to colours. By default those of the style: `image.cmap`, without the end
            that is lost on the background, and `axes.prop_cycle` for levels without an order, or colours safe for
            colour-blind readers where that is Matplotlib's own.
        line_kw : mapping, optional
            Properties of the curves, as for Matplotlib's `LineCollection`. More than 150 curves are drawn as one
            image, which has a color, linewidth, alpha and zorder; with other properties, curves are drawn one by one.
        mean_kw : mapping, optional
            Properties of their mean, as for Matplotlib's `Line2D`.
        share_axis : bool
            Whether to add a second axis to c-ICE, with changes as shares of the prediction range.
        effects : sequence of {"ale", "m_plot"}
            Accumulated local effects and the M-plot, drawn over the curves with an entry of the legend each; not for
            slopes. See `effects`.

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
            If an option has an invalid value; also a ValueError.

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
        from ice_explorer.figures.axes import axes

        return axes.plot(
            self, feature, kind, color_by, decay, anchor=anchor, max_lines=max_lines, ax=ax, title=title, legend=legend,
            palette=palette, line_kw=line_kw, mean_kw=mean_kw, share_axis=share_axis, effects=effects,
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
        """Draw small plots of the curves of all features, for further styling; needs matplotlib.

        Parameters
        ----------
        kind : {"ice", "c-ice", "d-ice"}
            Predictions, changes from the anchor, or slopes.
        color_by : object, optional
            Name of the column, or of the group of columns, that colours the curves.
        decay : float, optional
            λ by which segments fade; that of the explanation by default.
        rank_by : str
            Metric of the order, as for `plot_impact`.
        anchor : {"min", "max", "median", "own"} or float
            Where c-ICE is 0.
        max_lines : int
            Maximum number of curves drawn per feature.
        max_features : int
            Maximum number of features; the title states the number.
        n_columns : int
            Panels in one row.
        share_y : bool
            One value axis for all features; slopes have different units and keep separate axes.
        title : bool, str or None
            Title of the figure; True for the default title, None for no title.
        legend, palette, line_kw, mean_kw : optional
            As for `plot`; one legend or colour bar is for all panels.

        Returns
        -------
        Figure
            Its axes are labelled by feature: `figure.axes[0].get_label()`. It is not registered with pyplot: a notebook
            shows it as the value of a cell, a script saves it by `figure.savefig("all.png")`.

        Raises
        ------
        MissingDependencyError
            If Matplotlib is not installed; also an ImportError.
        InvalidOptionError
            If an option has an invalid value; also a ValueError.
        """
        from ice_explorer.figures.axes import all_axes

        return all_axes.plot_all(
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
        """Write figures, tables or everything to a file; the suffix selects the format.

        Parameters
        ----------
        path : str or Path
            Ends in .svg, .png, .pdf (both need matplotlib), .html, .csv, .parquet (needs pyarrow), .json, or .ice, the
            result itself, which `ice_explorer.load` opens without the model: `max_lines` is the number of rows in it.
            With "{feature}" in its name and `what="all"`, each feature gets a separate file.
        what : str
            "view", "panel", "all" or the name of a feature, as for `save` of an explorer.
        feature, kind, color_by, decay, rank_by, unit, anchor, max_lines, selection : optional
            Content of the view, as in an explorer; features, columns and anchors as in X. `feature` defaults to the
            first in the ranking, `decay` to that of the explanation.
        width, font_size, dpi, title, caption, overwrite, spreadsheet : optional
            Layout, whether files are replaced, and whether a CSV is meant for spreadsheets, as for `save` of an
            explorer.

        Returns
        -------
        Path or list of Path
            Path of the file, or paths of one file per feature.

        Raises
        ------
        ExportError
            If the suffix is unknown or the file exists; also a ValueError.
        """
        from ice_explorer.export import save as export

        return export.save_explanation(
            self, path, what, feature=feature, kind=kind, color_by=color_by, decay=decay, rank_by=rank_by, unit=unit,
            anchor=anchor, max_lines=max_lines, selection=selection, width=width, font_size=font_size, dpi=dpi,
            title=title, caption=caption, overwrite=overwrite, spreadsheet=spreadsheet,
        )  # fmt: skip


class ExplainOptions(TypedDict, total=False):
    """Options of `explain`, for type checking of functions that pass them on."""

    features: Sequence[Name] | None
    groups: Mapping[Name, Sequence[Name]] | None
    categorical: Sequence[Name] | None
    output: object
    response: Response
    grid: GridName | Mapping[Name, ArrayLike]
    grid_size: int | None
    sample: float | None
    random_state: int
    sample_weight: ArrayLike | None
    decay: float
    scale: Literal["marginal", "conditional"] | Mapping[Name, ArrayLike]
    convention: Convention
    engine: EngineName
    n_jobs: int | None
    memory_limit: str | float
    like: Explanation | None
    keep_curves: bool
    progress: bool | Callable[[int, int, str], object] | None
    budget: float | None
    client: Any


def to_feature_explanation(result: FeatureResult) -> FeatureExplanation:
    """Return the result of a feature as a `FeatureExplanation`; both share their computed values."""
    if isinstance(result, FeatureExplanation):
        return result
    found = object.__new__(FeatureExplanation)
    found.__dict__ = result.__dict__
    return found


def to_explanation(result: ExplanationResult) -> Explanation:
    """Return a result as an `Explanation`, and its features as `FeatureExplanation` objects."""
    features = [to_feature_explanation(feature) for feature in result]
    found = object.__new__(Explanation)
    vars(found).update(vars(result))
    found._results = {feature.feature: feature for feature in features}
    found._by_label = {feature.label: feature for feature in features}
    return found


@short_traceback
def load(path: str | Path) -> Explanation:
    """Open an explanation that was saved as a file, without its model.

    Parameters
    ----------
    path : str or Path
        What `save("result.ice")` of an explanation or an explorer wrote. Files from others are safe to open.

    Returns
    -------
    Explanation
        Of the rows of X in the file: at most 1000 unless `save` was given `max_lines`. Metrics, partial dependence,
        spread, drivers and effects are those of all rows that were explained; a note says how many.

    Raises
    ------
    ExportError
        If there is no such file, it is damaged, or a later version of the package wrote it; also a ValueError.

    Notes
    -----
    An explanation from a file answers from what was saved. What needs the model or further rows raises
    `ModelNeededError`.

    Examples
    --------
    >>> import ice_explorer as ice
    >>> ice.explain(model, X).save("result.ice")  # doctest: +SKIP
    >>> ice.load("result.ice").table()  # doctest: +SKIP
    """
    from ice_explorer.export.regular_files import open_file
    from ice_explorer.saved.read import read_result

    with open_file(path) as file:
        return to_explanation(read_result(file, str(path)))


@short_traceback
def explain(
    model: Any,
    X: Any,
    *,
    features: Sequence[Name] | None = None,
    groups: Mapping[Name, Sequence[Name]] | None = None,
    categorical: Sequence[Name] | None = None,
    output: object = None,
    response: Response = "auto",
    grid: GridName | Mapping[Name, ArrayLike] = "observed",
    grid_size: int | None = None,
    sample: float | None = None,
    random_state: int = 0,
    sample_weight: ArrayLike | None = None,
    decay: float = 0.75,
    scale: Literal["marginal", "conditional"] | Mapping[Name, ArrayLike] = "marginal",
    convention: Convention = "step",
    engine: EngineName = "auto",
    n_jobs: int | None = None,
    memory_limit: str | float = "1GB",
    like: Explanation | None = None,
    keep_curves: bool = False,
    progress: bool | Callable[[int, int, str], object] | None = None,
    budget: float | None = None,
    client: Any = None,
) -> Explanation:
    """Compute ICE curves and metrics of each feature of a fitted model.

    Parameters
    ----------
    model : object
        Fitted model with a predict method, or a function of X that returns one number per row. It is called by one
        thread at a time, even if several explanations and explorers share it. A bound method counts as its
        object, a pipeline as its last step; every function counts as a separate model.
    X : DataFrame, ndarray or sparse matrix of shape (n_observations, n_columns)
        Observations to explain the model on; never modified. A DataFrame or array of Dask is explained partition by
        partition where it is: metrics, partial dependence and spread are those of all rows, and the explanation has
        a sample of 10,000 rows for curves, drivers and effects.
    features : sequence, optional
        Features, including groups: names, their text or positions of columns, looked up in that order.
        Defaults to all columns of numbers, booleans, categories, texts, dates and timedeltas, except empty columns
        and unordered columns similar to row names: more than 8 levels, and more than one for every two rows.
    groups : mapping, optional
        One-hot columns that encode one categorical feature, keyed by feature name: {"city": ["city_a", "city_b"]}.
        They are varied together and ranked as one feature. `find_groups` detects them.
    categorical : sequence, optional
        Columns whose values are unordered codes.
    output : object, optional
        Class label, output name or position, looked up in that order. Defaults to the second class of a
        binary classifier; required if the model has more classes or outputs.
    response : {"auto", "predict_proba", "decision_function", "predict", "log_odds"}
        "auto" is the first method of predict_proba, decision_function, predict that a classifier has,
        decision_function of an outlier detector, and predict of other models.
    grid : {"observed", "quantile", "uniform", "random", "thresholds"} or mapping
        Values at which each feature is evaluated. "thresholds" are all values at which a tree model can step. A
        mapping gives values by feature; other features use "observed". The grid of an unordered category is the
        levels that occur, or the most frequent ones if there are too many. A mapping may include declared levels
        that do not occur.
    grid_size : int, optional
        Maximum number of grid values. Defaults to 1000 for "observed", else to 100; 100 for unordered categories.
    sample : int or float, optional
        Number or fraction of observations whose curves are computed, sampled separately for each feature and
        stratified by it. Scales and grids always use all observations.
    random_state : int
        Seed of all random choices.
    sample_weight : array-like of shape (n_observations,), optional
        Frequency weights of at least 0.
    decay : float
        λ of Eq. 3, greater than 0 and at most 1: the default of tables and figures.
    scale : {"marginal", "conditional"} or mapping
        Unit of the distance from the observed value: the standard deviation of the feature, its estimate
        given the other features, or values by feature. "conditional" fits ten small gradient boosting models for each
        feature before the model is called, five for a category: about 0.4 s for a feature of 1,000 rows.
    convention : {"step", "paper"}
        What figures are averages of. "step": changes of the prediction when the feature moves by one standard
        deviation, at values where the observations are. "paper": slopes between neighbouring grid values, each
        interval counting alike, as the authors' code computed the tables of the paper.
    engine : {"auto", "linear", "kernel", "tree", "brute"}
        How curves are computed; every engine returns the same numbers. "auto" uses the fastest one that is exact
        for the model. "brute" predicts every phantom observation (an observation with one feature value
        replaced); predictions must be deterministic and row-wise independent.
    n_jobs : int, optional
        Number of threads, 1 by default, -1 for one per processor; results are bitwise identical. With "brute" the
        model is called from several threads at once, with fewer rows each; results may then differ in the
        last digits if the rounding of the model depends on the number of rows.
    memory_limit : str or number
        Memory that an explanation takes while it is computed: bytes, or a text such as "500MB". It covers the
        columns of X as numbers and blocks of phantom observations, which get what the columns leave, but at least
        64 MB; a note says where the columns alone take more. An array of float64 is copied once; a pandas DataFrame
        of float64 columns is not copied with pandas 3. What the model takes for its predictions, and curves that
        are kept, come on top. Results do not depend on the limit unless the prediction of a row depends on the
        other rows of a call; a note then states it. A call of the model that runs out of memory is repeated in
        halves. Arrays and tables with a number for each row and grid value, such as `curves`, are refused where one
        takes more than the limit, or 64 MB if that is more.
    like : Explanation, optional
        Explanation of another model or of other rows, whose features, groups, grids, σ, medians and level
        frequencies are reused, so that metrics are comparable, for example between folds. Replaces `grid`.
    keep_curves : bool
        Whether to keep the curves of all rows in memory, 8 bytes per prediction, so that "brute" does not call the
        model again for `curves`, `rows`, figures and `drivers`.
    progress : bool or callable, optional
        None shows a bar in a notebook or terminal after one second, also when curves are computed later; a function
        is called with (done, total, label), counted in predictions.
    budget : float, optional
        Seconds for computing the curves and metrics. If everything is estimated to take longer, a model that is called
        gets fewer grid values, down to 10, and then fewer rows; other models get fewer rows. Growing samples are
        explained while they fit, and the last one is returned; at least one is explained. A note says how many rows and
        grid values were used. They depend on the speed of the machine; use `sample` and `grid_size` for the same ones
        everywhere. ICEExplorer does not take it: it shows such samples until the result is there.
    client : distributed.Client, optional
        Cluster of Dask that computes the metrics. X is sent to it in partitions, unless it is a DataFrame or array of
        Dask; for these, the current client is the default, or workers in this process where there is none. The
        model is sent once to each worker, and has to be one that can be pickled.

    Returns
    -------
    Explanation

    Raises
    ------
    ICEExplorerError
        If an argument cannot be used; a subclass that is also a ValueError, TypeError or KeyError.
    PredictionError
        If the model fails, chained to its own error. `error.explanation` has the features that were computed,
        `error.resume()` computes the others and returns the whole explanation.

    Notes
    -----
    Metrics: Yeh & Ngo (2021), "Bringing a Ruler Into the Black Box", arXiv:2109.02724.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.column_stack([np.arange(4.0), np.array([0.0, 1.0, 0.0, 1.0])])
    >>> explanation = explain(lambda X: 2 * X[:, 0] - X[:, 1], X)
    >>> explanation.table()["impact"].round(3).to_dict()
    {'x0': 2.236, 'x1': 0.5}
    """
    options = Options(
        features=features, groups=groups, categorical=categorical,
        output=output, response=response, grid=grid, grid_size=grid_size,
        sample=sample, random_state=random_state, sample_weight=sample_weight, decay=decay, scale=scale,
        convention=convention, engine=engine, n_jobs=n_jobs, memory_limit=memory_limit, like=like,
        keep_curves=keep_curves, progress=progress, budget=budget, client=client,
    )  # fmt: skip
    plan = prepare(model, kept(X), options)
    sampled = None if budget is None else plan.explain_within(budget)
    return compute(plan, {}, progress=progress) if sampled is None else to_explanation(sampled)


def compute(
    plan: Plan, results: dict[Name, FeatureExplanation], *, progress: bool | Callable[[int, int, str], object] | None
) -> Explanation:
    """Compute the features that are missing among some results; an error can compute what it left."""
    try:
        with progress_reporter(progress, plan.n_predictions, plan.advice) as report:
            for feature in plan.features:
                if feature not in results:
                    results[feature] = to_feature_explanation(plan.compute(feature, progress=report))
    except PredictionError as error:
        resume = short_traceback(partial(compute, plan, results, progress=progress))
        counts = len(results), len(plan.features)
        raise error.resumable(to_explanation(plan.explanation(results)), counts, resume) from error.__cause__
    return to_explanation(plan.explanation(results))
