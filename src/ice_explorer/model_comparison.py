"""Several models side by side: their metrics, and where they disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ice_explorer.checks import check_one_of
from ice_explorer.errors import InputTypeError
from ice_explorer.errors.base import listed
from ice_explorer.errors.tracebacks import short_traceback, short_tracebacks
from ice_explorer.explanation import Explanation, compute, prepare
from ice_explorer.results.models import ModelsResult, check_explanations, check_models, is_several, prepared_alike
from ice_explorer.results.options import METRIC_RANKINGS, UNITS, Options, resolve_display
from ice_explorer.scene.view_state import Besides
from ice_explorer.tables.table import kept

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Unpack

    import pandas as pd
    from matplotlib.axes import Axes

    from ice_explorer.explanation import ExplainOptions, PlotOptions
    from ice_explorer.results.options import Kind, RankBy, Unit
    from ice_explorer.results.plan import Plan
    from ice_explorer.tables.column import Name


@short_tracebacks
class ModelComparison(ModelsResult):
    """Explanations of several models on the same rows and grids.

    Attributes
    ----------
    explanations : dict
        `Explanation` of each model, by its name.
    names : list of str
        Names of the models, in their order.
    """

    explanations: dict[str, Explanation]  # type: ignore[assignment] # of an `ExplanationResult`

    def __repr__(self) -> str:
        return f"<ModelComparison of {listed(self.names)}: {len(self._first.features)} features>"

    @property
    def _first(self) -> Explanation:
        return self.explanations[self._opened]

    def table(
        self, metric: str = "in_distribution_impact", decay: float | None = None, *, unit: Unit = "prediction"
    ) -> pd.DataFrame:
        """Return a metric and the rank of each feature by each model, and how far the models disagree.

        Parameters
        ----------
        metric : str
            "impact", "in_distribution_impact", "heterogeneity", "non_linearity" or "missing_impact".
        decay : float, optional
            λ; that of the explanations by default.
        unit : {"prediction", "sd", "share"}
            As for `Explanation.table`, for each model by itself.

        Returns
        -------
        DataFrame
            Indexed by feature, in the order of the first model. Columns are pairs: the metric and "rank" with the name
            of each model, and "disagreement" with "".
        """
        import pandas as pd

        check_one_of("metric", metric, METRIC_RANKINGS)
        tables = {name: each.table(decay, sort_by=None, unit=unit)[metric] for name, each in self.explanations.items()}
        columns: dict[tuple[str, str], Any] = {(metric, name): values for name, values in tables.items()}
        for name, values in tables.items():
            columns["rank", name] = values.rank(ascending=False, method="first").astype("Int64")
        columns["disagreement", ""] = self.disagreement(decay, unit=unit)["disagreement"]
        whole = pd.DataFrame(columns)
        whole.index.name = "feature"
        whole.columns = pd.MultiIndex.from_tuples(list(columns))
        return whole.sort_values((metric, self._opened), ascending=False, kind="stable")

    def disagreement(self, decay: float | None = None, *, unit: Unit = "prediction") -> pd.DataFrame:
        """Return on which features the models disagree most.

        Parameters
        ----------
        decay : float, optional
            λ; that of the explanations by default.
        unit : {"prediction", "sd", "share"}
            That of the prediction, per cent of the standard deviation of the predictions of the first model, or per
            cent of the sum over all features.

        Returns
        -------
        DataFrame
            Indexed by feature, the largest first:

            disagreement : float
                Mean absolute difference of two models in the change of the prediction since the observed value; of
                more than two models, that of the pair that disagrees most [unit].
            first, second : str
                This pair.

        Notes
        -----
        With D_ik the difference between the c-ICE of two models, both 0 at the observed value x_i of the row,
        disagreement is Σ_ik w_i ω_ik L_ik abs(D_ik) / Σ_ik w_i ω_ik L_ik over all grid values v_k other than x_i. w are
        sample weights, L the likelihood λ^(abs(v_k - x_i) / s_i) (Eq. 3 of the paper). ω weighs grid values so that all
        units of the axis count alike; levels without an order count by their share of the observations at other levels
        than that of the row. A missing value counts as the median, or the most frequent level. It is 0 for models that
        differ by a constant. The anchor and the convention of impact do not matter. Of more than 5000 rows a
        stratified, seeded sample is used. The models are called again for curves that were too large to keep, and for
        observed values that are not on the grid.
        """
        import pandas as pd

        check_one_of("unit", unit, UNITS)
        decay, _ = resolve_display(self._first.settings, decay, None)
        found = [self._disagreement_of(name).largest(decay) for name in self._first.features]
        index = pd.Index(self._first.features, name="feature", tupleize_cols=False)
        table = pd.DataFrame(
            {
                "disagreement": self._largest(decay, unit),
                "first": [self.names[one] for _, (one, _) in found],
                "second": [self.names[other] for _, (_, other) in found],
            },
            index,
        )
        return table.sort_values("disagreement", ascending=False, kind="stable")

    def plot(
        self,
        feature: Name,
        kind: Kind = "ice",
        decay: float | None = None,
        **options: Unpack[PlotOptions],
    ) -> Axes:
        """Draw the curves of one feature by all models, one colour each, with their means.

        Parameters
        ----------
        feature : object
            Name, or its text.
        kind : {"ice", "c-ice", "d-ice"}
        decay : float, optional
            λ by which segments fade.
        **options
            Other options of `Explanation.plot`. `palette` has a colour for each model.

        Returns
        -------
        Axes
        """
        from ice_explorer.figures.axes import axes

        return axes.plot(self._first, feature, kind, None, decay, besides=Besides(models=self), **options)

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
        """Draw the ranking with a bar for each model, in the order of the first, or how far models disagree.

        Parameters
        ----------
        ax, decay, unit, max_features, title, legend
            As for `Explanation.plot_impact`.
        rank_by : str
            A metric of `table`, or "disagreement", one bar for each feature.

        Returns
        -------
        Axes
        """
        from ice_explorer.figures.axes import axes

        return axes.plot_impact(
            self._first, ax, decay=decay, rank_by=rank_by, unit=unit, max_features=max_features, title=title,
            legend=legend, besides=Besides(models=self),
        )  # fmt: skip


@short_traceback
def compare_models(models: Mapping[str, Any], X: Any = None, **options: Unpack[ExplainOptions]) -> ModelComparison:
    """Explain several models on the same rows and grids, and measure where they disagree.

    Parameters
    ----------
    models : mapping
        Two to four models by name, {"forest": forest, "boosting": boosting}; or explanations of models on the same
        X with the same options, without X. They must have the same kind of response and the same outputs.
    X : DataFrame, ndarray or sparse matrix of shape (n_observations, n_columns)
        Observations to explain them on.
    **options
        Those of `explain`, for all of them.

    Returns
    -------
    ModelComparison

    Raises
    ------
    ICEExplorerError
        If the models cannot be compared, or one of them cannot be explained.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.column_stack([np.arange(4.0), np.array([0.0, 1.0, 0.0, 1.0])])
    >>> both = compare_models({"sum": lambda X: X[:, 0] + X[:, 1], "first": lambda X: X[:, 0]}, X)
    >>> both.disagreement()["disagreement"].round(3).to_dict()
    {'x1': 1.0, 'x0': 0.0}
    """
    if not is_several(models):
        raise InputTypeError.must("`models`", "a dict of models by name", models, "For one model use `explain`.")
    models = check_models(models, "models")
    if any(isinstance(model, Explanation) for model in models.values()):
        check_explanations(models)
        if X is not None or options:
            raise InputTypeError(
                "Explanations bring their data and options; got "
                f"{', '.join(['X'] * (X is not None) + list(options))} as well.",
                "Pass that to `explain`.",
            )
        return ModelComparison(models)
    if X is None:
        raise InputTypeError(
            "compare_models needs the observations to explain the models on; got models alone.",
            "Call `compare_models(models, X)`.",
        )
    X, given = kept(X), Options(**options)

    def plan(model: Any, chosen: Mapping[str, Any]) -> Plan:
        return prepare(model, X, Options(**{**options, **chosen}))

    plans = prepared_alike(models, given.grid, plan, lambda each: each)
    return ModelComparison({name: compute(each, {}, progress=given.progress) for name, each in plans.items()})
