"""Several models explained on the same rows and grids, and how differently they predict."""

from __future__ import annotations

import math
from contextlib import suppress
from itertools import combinations
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import numpy as np

from ice_explorer.checks import check_one_of
from ice_explorer.errors import DataError, OptionError
from ice_explorer.errors.base import listed, quoted
from ice_explorer.errors.tracebacks import short_tracebacks
from ice_explorer.explanation import Explanation
from ice_explorer.locks import checkpoint
from ice_explorer.metrics.disagreement import DisagreementSums, node_weights
from ice_explorer.results.intervals import ROUNDING, in_unit
from ice_explorer.results.options import METRIC_RANKINGS, UNITS, resolve_decay
from ice_explorer.tables.column import label_index

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Unpack

    import pandas as pd
    from matplotlib.axes import Axes

    from ice_explorer.arrays import Array, Rows
    from ice_explorer.explanation import PlotOptions
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.plan import Plan
    from ice_explorer.results.options import Kind, Unit
    from ice_explorer.tables.column import Name


Prepared = TypeVar("Prepared")

MOST_MODELS: Final = 4
MOST_ROWS: Final = 5000
"""Whose curves disagreement is computed from; of more rows a stratified sample."""
_VALUES_AT_A_TIME: Final = 1_000_000
_SAME_COLUMNS: Final = "X as a DataFrame with the columns that all of them were fitted on."


Disagreement = dict[tuple[int, int], DisagreementSums]
"""How differently models predict a change of one feature: sums of each pair of them, by their places."""


def disagreement_of(features: Sequence[FeatureExplanation]) -> Disagreement:
    """Compare the curves of one feature by several models; see `DisagreementSums` for the equation."""
    first = features[0]
    item, context = first._item, first._context
    rows = context.draw(item.feature.values, item.summed, MOST_ROWS, f"disagreement of {first.label}")
    axis, is_unordered = first.axis, item.feature.is_unordered
    disagreement = {pair: DisagreementSums() for pair in combinations(range(len(features)), 2)}
    n_blocks = min(len(rows), len(rows) * len(axis) // _VALUES_AT_A_TIME)
    for block in np.array_split(rows, max(1, n_blocks)):
        own = item.observed[block]
        weights = node_weights(axis, own, item.shares if is_unordered else None)
        weights *= context.row_weights[block, None]
        changes = []  # of predictions since the observed value, (n_rows, n_grid) [output]
        for feature in features:
            curves = np.concatenate([curves for _, curves in feature._computed(block)])
            changes.append(curves - feature._at_own_values(block, curves)[:, None])
        for (one, other), of_pair in disagreement.items():
            of_pair.add(item.measure_distances(block).ravel(), weights.ravel(), (changes[one] - changes[other]).ravel())
        checkpoint()
    return disagreement


@short_tracebacks
class ModelComparison:
    """Explanations of several models on the same rows and grids.

    Attributes
    ----------
    explanations : dict
        `Explanation` of each model, by its name.
    names : list of str
        Names of the models, in their order.
    """

    def __init__(
        self,
        explanations: Mapping[str, Explanation],
        disagreements: Mapping[Name, Disagreement] | None = None,
        opened: str = "",
    ) -> None:
        self.explanations = dict(explanations)
        self.names = list(explanations)
        self._opened = opened or self.names[0]
        self._open = self.explanations[self._opened]  # in an explorer; the first by default
        self._disagreements = dict(disagreements or {})

    def _by_models(self, name: Name) -> tuple[list[FeatureExplanation], Disagreement]:
        features = [each[name] for each in self.explanations.values()]
        if name not in self._disagreements:
            self._disagreements[name] = disagreement_of(features)
        return features, self._disagreements[name]

    def _outlying(self, name: Name) -> Rows:
        """Rows of X whose curves of a feature lie far from all others by one of the models, so that all draw them."""
        features = [each[name] for each in self.explanations.values() if name in each]
        return np.unique(np.concatenate([np.empty(0, np.intp), *(feature._outlying for feature in features)]))

    def _largest(self, decay: float, unit: Unit = "prediction") -> tuple[Array, list[tuple[str, str]]]:
        """Return that of the pair that disagrees most, of every feature, in a unit of the open model; and this pair."""
        opened = self._open
        largest = []
        for name in opened.features:
            by_pair = {
                pair: float(sums.evaluate(np.array([decay]))[0]) for pair, sums in self._by_models(name)[1].items()
            }
            largest.append(max(by_pair.items(), key=itemgetter(1)))
        rounding = ROUNDING * sum(feature.metrics(decay)["impact"] for feature in opened.values())
        sd = opened._context.prediction_sd if unit == "sd" else math.nan
        values = in_unit(np.array([value for _, value in largest]), unit, sd, rounding)
        return values, [(self.names[one], self.names[two]) for (one, two), _ in largest]

    def __repr__(self) -> str:
        return f"<ModelComparison of {listed(self.names)}: {len(self._open.features)} features>"

    def table(
        self, rank_by: str = "in_distribution_impact", decay: float | None = None, *, unit: Unit = "prediction"
    ) -> pd.DataFrame:
        """Return a metric and the rank of each feature by each model, and how far the models disagree.

        Parameters
        ----------
        rank_by : str
            The metric that is returned, and sorted by: "impact", "in_distribution_impact", "heterogeneity",
            "non_linearity" or "missing_impact".
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

        check_one_of("rank_by", rank_by, METRIC_RANKINGS)
        tables = {name: each.table(decay, rank_by=None, unit=unit)[rank_by] for name, each in self.explanations.items()}
        columns: dict[tuple[str, str], Any] = {(rank_by, name): values for name, values in tables.items()}
        for name, values in tables.items():
            columns["rank", name] = values.rank(ascending=False, method="first").astype("Int64")
        columns["disagreement", ""] = self.disagreement(decay, unit=unit)["disagreement"]
        whole = pd.DataFrame(columns)
        whole.index.name = "feature"
        whole.columns = pd.MultiIndex.from_tuples(list(columns))
        return whole.sort_values((rank_by, self._opened), ascending=False, kind="stable")

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
        differ by a constant. Of more than 5000 rows a stratified, seeded sample is used.
        """
        import pandas as pd

        check_one_of("unit", unit, UNITS)
        decay = resolve_decay(self._open.settings, decay)
        values, pairs = self._largest(decay, unit)
        table = pd.DataFrame(pairs, label_index(self._open.features, "feature"), ["first", "second"])
        table.insert(0, "disagreement", values)
        return table.sort_values("disagreement", ascending=False, kind="stable")

    def plot(self, what: Name = None, kind: Kind | None = None, **options: Unpack[PlotOptions]) -> Axes:
        """Draw the ranking with a bar for each model, or the curves of one feature by all models.

        Parameters
        ----------
        what : object, optional
            None for the ranking, in the order of the first model; a feature, by name or text, for its curves, one
            colour for each model, with their means.
        kind : {"ice", "c-ice", "d-ice"}, optional
            Of curves, "ice" by default.
        **options
            Other options of `Explanation.plot`. `palette` has a colour for each model; `rank_by` can be
            "disagreement", one bar for each feature.

        Returns
        -------
        Axes
        """
        from ice_explorer.figures.plot import plot

        return cast("Axes", plot(self._open, what, kind, options, self))


# --- what can be compared -------------------------------------------------------------------------


def check_models(models: Mapping[Any, Any]) -> dict[str, Any]:
    """Return models by name, or say why they cannot be compared."""
    if not 2 <= len(models) <= MOST_MODELS:
        raise OptionError(
            f"`model` must be a model, or a dict of 2 to {MOST_MODELS} models by name; got a dict of {len(models)}.",
            "Pass a single model without a dict." if len(models) == 1 else "Choose which models to compare.",
        )
    for name, model in models.items():
        if not isinstance(name, str) or not name.strip():
            raise DataError(
                f"The keys of `model` must be names of models, as text that is not empty; got {quoted(name)}.",
                'Write `{"forest": forest, "boosting": boosting}`.',
            )
        if isinstance(model, Explanation):
            raise DataError(f"{quoted(name)} must be a model; got an explanation.", "Pass the models, with X.")
    return dict(models)


def check_alike(models: Mapping[str, Plan]) -> None:
    """Check that models return numbers of one kind, of the same outputs and features."""
    (first, one), *others = models.items()
    for name, other in others:
        responses: list[tuple[str, ...]] = [(each.settings.response,) for each in (one, other)]
        if ("callable",) in responses:  # What a function returns is not known; it is compared with any one output.
            responses = [(), ()]
        same_quantity = "functions of X that return the same quantity."
        common = [each for each in one.responses if each in other.responses and one.outputs == other.outputs]
        named = f"`response={quoted(common[0])}`, which all of them have." if common else same_quantity
        for what, of_one, of_other, advice in (
            ("kind of response", *responses, named),
            ("outputs", one.outputs, other.outputs, same_quantity),
            ("features", one.features, other.features, _SAME_COLUMNS),
        ):
            if of_one != of_other:
                problem = f"{quoted(first)} has {listed(of_one) or 'one'}, {quoted(name)} {listed(of_other) or 'one'}."
                raise OptionError(f"Models must have the same {what} to be compared; {problem}", f"Pass {advice}")


def prepared_alike(
    models: Mapping[str, Any],
    grid: object,
    prepare_one: Callable[[Any, Mapping[str, Any]], Prepared],
    plan_of: Callable[[Prepared], Plan],
) -> dict[str, Prepared]:
    """Prepare models for the same output and grids; `prepare_one` takes options that replace those of the user."""
    if grid == "thresholds":
        raise OptionError("Models are compared on one grid; `grid='thresholds'` is one for each.", "Pass values.")
    (first, model), *others = models.items()
    found = {first: prepare_one(model, {})}
    output = plan_of(found[first]).settings.output
    chosen = {} if output is None else {"output": output}
    for name, other in others:
        try:
            found[name] = prepare_one(other, chosen)
        except (DataError, OptionError):
            alone = None
            with suppress(OptionError):  # a model of another kind has no such output
                alone = plan_of(prepare_one(other, {}))
            if alone is not None:
                check_alike({first: plan_of(found[first]), name: alone})
            raise
    check_alike({name: plan_of(each) for name, each in found.items()})
    return found
