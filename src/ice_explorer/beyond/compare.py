"""Impact beside other measures of importance, each as a share of 100."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

import numpy as np

from ice_explorer.beyond import importances as measured
from ice_explorer.beyond.importances import Scored, completed
from ice_explorer.beyond.measuring import (
    MEASURES,
    N_REPEATS,
    OF_SCORES,
    Measure,
    dependences,
    notes_on_coefficients,
    of_hundred,
    pearson_and_rank,
    scored_of,
)
from ice_explorer.checks import check_integer, check_names, check_one_of
from ice_explorer.errors import MissingPackageError, OptionError
from ice_explorer.errors.tracebacks import short_tracebacks
from ice_explorer.progress import progress_reporter
from ice_explorer.tables.column import label_index

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd
    from matplotlib.axes import Axes

    from ice_explorer.arrays import Array
    from ice_explorer.engines.context import Context
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.tables.column import Name


Form = Literal["difference", "ratio", "relative"]
FORMS: Final[tuple[Form, ...]] = get_args(Form)


@short_tracebacks
@dataclass(frozen=True, eq=False)
class Importances:
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

    table: pd.DataFrame
    correlations: pd.DataFrame
    disagreements: pd.DataFrame
    importances: pd.DataFrame
    groups: pd.DataFrame | None
    notes: list[str]

    def __repr__(self) -> str:
        measures = ", ".join(self.correlations.index)
        return f"<Importances: the impact of {len(self.table)} features with {measures}>"

    def _repr_html_(self) -> str:
        return str(self.table.round(1).to_html())

    def plot(
        self,
        ax: Axes | None = None,
        *,
        max_features: int = 30,
        title: bool | str | None = True,
        legend: bool = True,
    ) -> Axes:
        """Draw impact as bars and the other measures as dots, each in per cent of its sum.

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
        OptionError
            If an option has an invalid value, or Matplotlib is not installed (then also an ImportError).
        """
        from ice_explorer.figures import effects

        return effects.plot_comparison(self, ax, max_features=max_features, title=title, legend=legend)


@dataclass(frozen=True)
class _Scores:
    """A score of the model, and those with features moved, by repeat."""

    base: float
    moved: Array

    @property
    def drops(self) -> Array:
        """Importance of each feature: how far the score falls, on average."""
        return np.asarray(self.base - self.moved.mean(axis=1))

    def by(self, form: Form) -> Array:
        """Importance of each feature and repeat."""
        if form == "difference":
            return np.asarray(self.base - self.moved)
        if self.base >= 0:
            raise OptionError.must(
                "form", "be 'difference' unless `scoring` is a loss", form,
                "Pass for example `scoring='neg_mean_squared_error'`.", where=f" with a score of {self.base:.4g}",
            )  # fmt: skip
        return np.asarray(self.moved / self.base if form == "ratio" else (self.base - self.moved) / -self.base)


def importances(
    explanation: Explanation,
    y: object,
    measures: Sequence[Measure] | Measure | None,
    *,
    scoring: str | Callable[..., float] | None,
    form: Form,
    n_repeats: int,
    groups: Mapping[Name, Sequence[Name]] | None,
) -> Importances:
    """Compare impact with other measures of importance, as `Explanation.importances` describes."""
    import pandas as pd

    check_one_of("form", form, FORMS)
    check_integer("n_repeats", n_repeats, 1, f"Leave it out for {N_REPEATS}.")
    results, notes = list(explanation.values()), completed(dependences(explanation))
    members = {} if groups is None else _members(explanation, groups)
    wanted = _chosen(measures, has_y=y is not None)
    positions = {result.label: result._item.feature.positions for result in results}
    scored = scored_of(explanation, y, scoring) if {*wanted} & {*OF_SCORES} else None
    found: dict[str, Array] = {}
    of_groups: dict[str, Array] = {}
    shares: dict[str, Array] = {"impact": explanation.table(rank_by=None)["impact"].to_numpy(np.float64)}
    for measure in wanted:
        if measure in OF_SCORES and scored is not None:
            scores = _scores(measure, scored, {**positions, **members}, n_repeats)
            by_form, n_features = scores.by(form), len(results)
            found[measure], of_groups[measure] = np.split(by_form.mean(axis=1), [n_features])
            shares[measure] = scores.drops[:n_features]
            if measure == "permutation":
                found["permutation_sd"], of_groups["permutation_sd"] = np.split(by_form.std(axis=1), [n_features])
        elif (importance := _importance(measure, explanation, notes, is_named=measures is not None)) is not None:
            found[measure] = shares[measure] = importance
    index = label_index(explanation.features, "feature")
    table = pd.DataFrame({name: of_hundred(values) for name, values in shares.items()}, index)
    return Importances(
        table,
        _correlations(table),
        _disagreements(table),
        pd.DataFrame(found, index),
        pd.DataFrame(of_groups, label_index(list(groups), "group")) if groups else None,
        notes,
    )


def _chosen(measures: object, *, has_y: bool) -> list[Measure]:
    """Return the measures in their order."""
    if measures is None:
        return [name for name in MEASURES if name != "loco" and (has_y or name not in OF_SCORES)]
    named = [check_one_of("measures", name, MEASURES) for name in check_names("measures", measures)]
    if not has_y and {*named} & {*OF_SCORES}:
        what = "be given for 'permutation' and 'loco'"
        raise OptionError.must("y", what, None, "Pass the target of the rows of X.")
    if "shap" in named and not measured.HAS_SHAP:
        what = "The measure 'shap'"
        raise MissingPackageError.extra(what, "SHAP", "shap")
    return [name for name in MEASURES if name in named]


def _members(explanation: Explanation, groups: object) -> dict[str, tuple[int, ...]]:
    """Return the columns of each group of features, by a name that no feature has."""
    if not isinstance(groups, Mapping):
        advice = 'Pass for example {"weather": ["temp", "hum"]}.'
        raise OptionError.must("groups", "be a mapping of names to lists of features", groups, advice)
    return {
        f"group {name}": tuple(
            position
            for feature in check_names("groups", features)
            for position in explanation[feature]._item.feature.positions
        )
        for name, features in groups.items()
    }


def _scores(measure: str, scored: Scored, moved: Mapping[str, tuple[int, ...]], n_repeats: int) -> _Scores:
    progress, n_rows = scored.context.progress, len(scored.rows)
    if measure == "permutation":
        with progress_reporter(progress, n_rows * len(moved) * n_repeats) as report:
            return _Scores(*completed(measured.permutation(scored, moved, n_repeats, report)))
    if not scored.can_be_fitted:
        raise OptionError.must(
            "measures", "leave out 'loco' unless the model is an estimator of scikit-learn with one output", "loco",
            "Leave it out.",
        )  # fmt: skip
    with progress_reporter(progress, n_rows * (1 + len(moved))) as report:
        base, scores = completed(measured.leave_out(scored, moved, report))
    return _Scores(base, scores[:, None])


def _importance(measure: str, explanation: Explanation, notes: list[str], *, is_named: bool) -> Array | None:
    """Return a measure that takes no target; None where the model does not have it."""
    context, results = explanation._context, list(explanation.values())
    if measure == "partial_dependence":
        return measured.of_partial_dependence(results)
    if measure == "shap":
        can_move = all(column.kind != "other" for column in context.columns.read)
        if measured.HAS_SHAP and (can_move or is_named):
            return _shap(context, results)
        return None
    found = completed(measured.native(context, results))
    if found is None:
        if is_named:
            raise OptionError.must(
                "measures", "leave out 'native' for a model without `feature_importances_` or `coef_` by feature",
                measure, "Leave it out.",
            )  # fmt: skip
        return None
    importance, are_coefficients = found
    notes += notes_on_coefficients(results) if are_coefficients else []
    return importance


def _shap(context: Context, results: Sequence[FeatureExplanation]) -> Array:
    n_rows = min(measured.N_EXPLAINED, len(context.all_predictions))
    n_background = min(measured.N_BACKGROUND, len(context.all_predictions))
    total = measured.n_masks_of(len(context.columns.in_order)) * n_rows * n_background
    with progress_reporter(context.progress, total) as report:
        return completed(measured.mean_absolute_shap(context, results, report))


def _correlations(table: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    others = table.drop(columns="impact")
    found = {name: pearson_and_rank(table["impact"].to_numpy(), others[name].to_numpy()) for name in others}
    columns = ["pearson", "rank"]
    return pd.DataFrame.from_dict(found, orient="index", columns=columns).rename_axis("measure")


def _disagreements(table: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    parts = [
        pd.DataFrame(
            {
                "feature": table.index,
                "measure": name,
                "impact": table["impact"].to_numpy(),
                "importance": table[name].to_numpy(),
                "difference": (table["impact"] - table[name]).to_numpy(),
            }
        )
        for name in table.columns.drop("impact")
    ]
    columns = ["feature", "measure", "impact", "importance", "difference"]
    found = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)
    return found.sort_values("difference", key=lambda values: -values.abs(), kind="stable", ignore_index=True)
