"""`compare` and its result: impact beside other measures of importance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ice_explorer.beyond import compare as beyond_compare
from ice_explorer.errors.tracebacks import short_traceback, short_tracebacks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes

    from ice_explorer.beyond.compare import Form
    from ice_explorer.beyond.measuring import Measure
    from ice_explorer.results.explanation_result import ExplanationResult
    from ice_explorer.tables.column import Name


@short_tracebacks
class Comparison(beyond_compare.Comparison):
    """Impact beside other measures of importance.

    Attributes
    ----------
    table : DataFrame
        One row per feature, `impact` and one column per measure, each with sum 100: negative importances count as 0.
    correlations : DataFrame
        One row per measure: its `pearson` and `rank` (Spearman) correlation with impact over the features.
    disagreements : DataFrame
        One row per feature and measure, the largest difference first: `feature`, `measure`, the shares `impact` and
        `importance`, and `difference`, impact minus importance.
    importances : DataFrame
        One row per feature, one column per measure, in its own unit, and `permutation_sd`, the standard deviation over
        repeats; permutation and LOCO by `form`.
    groups : DataFrame or None
        The same by permutation and LOCO of each declared group of features, moved together.
    notes : list of str
        What limits the comparison.
    """

    def plot(
        self,
        ax: Axes | None = None,
        *,
        max_features: int = 30,
        title: bool | str | None = True,
        legend: bool = True,
    ) -> Axes:
        """Draw impact as bars and the other measures as dots, each in per cent of its sum; needs matplotlib.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure by default.
        max_features : int
            Maximum number of features, those with the largest impact; the title states the number.
        title : bool, str or None
            Title of the Axes; True for the default title, None for no title.
        legend : bool
            Whether to draw a legend.

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
        """
        from ice_explorer.figures.axes import beyond

        return beyond.plot_comparison(self, ax, max_features=max_features, title=title, legend=legend)


@short_traceback
def compare(
    explanation: ExplanationResult,
    y: object = None,
    measures: Sequence[Measure] | Measure | None = None,
    *,
    scoring: str | Callable[..., float] | None = None,
    form: Form = "difference",
    n_repeats: int = 5,
    groups: Mapping[Name, Sequence[Name]] | None = None,
) -> Comparison:
    """Compare impact with other measures of importance.

    Parameters
    ----------
    explanation : Explanation
    y : array-like of shape (n_observations,), optional
        Observed target, for permutation and LOCO. Rows without it are left out.
    measures : sequence of str, optional
        All that the arguments and the model allow by default, without "loco".

        "native": `feature_importances_` of the model, or the absolute values of `coef_`.
        "permutation": fall of the score if the values of a feature are permuted.
        "partial_dependence": standard deviation over the grid, range / 4 of levels without an order.
        "shap": mean absolute SHAP value; needs the package shap.
        "loco": fall of the cross-validated score if the model is fitted without a feature (leave one covariate out);
        the model is fitted 5 times for each feature.
    scoring : str or callable, optional
        Score of scikit-learn, or a function of (model, X, y), larger is better. Defaults to the `score` of the model;
        R² where it has none, or if one of several outputs is explained.
    form : {"difference", "ratio", "relative"}
        How permutation and LOCO are given in `importances`: fall of the score; loss divided by that of the unchanged
        data; increase of the loss divided by it. The last two need a loss, such as "neg_mean_squared_error".
    n_repeats : int
        Permutations of each feature.
    groups : mapping, optional
        Features that are also permuted and left out together, by name of the group.

    Returns
    -------
    Comparison

    Raises
    ------
    InvalidOptionError
        If a measure needs what was not given; also a ValueError.
    MissingDependencyError
        If shap is named and not installed; also an ImportError.
    PredictionError
        If the model fails, or changed since `explain`.

    Notes
    -----
    Impact is that of `explanation.table()`. Permutation gives what `sklearn.inspection.permutation_importance` gives
    with the same seed; features that were declared as groups of columns in `explain` are permuted as one. It measures
    the model on these rows: pass an explanation of held-out rows to measure how it generalises. Partial dependence:
    Greenwell et al. (2018). LOCO: Lei et al. (2018), cross-validated, with all values of the feature set to one. SHAP:
    interventional, of the explained output, 200 rows against a background of 50.

    Examples
    --------
    >>> import numpy as np
    >>> import ice_explorer as ice
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> e = ice.explain(lambda X: 3 * X[:, 0] + X[:, 1], X)
    >>> ice.compare(e, 3 * X[:, 0] + X[:, 1], ["permutation"]).table.round().to_dict("index")
    {'x0': {'impact': 75.0, 'permutation': 90.0}, 'x1': {'impact': 25.0, 'permutation': 10.0}}
    """
    found = beyond_compare.compare(
        explanation, y, measures, scoring=scoring, form=form, n_repeats=n_repeats, groups=groups
    )
    return Comparison(**vars(found))
