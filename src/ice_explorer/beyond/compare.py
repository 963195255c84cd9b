"""Impact beside other measures of importance, each as a share of 100."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

import numpy as np

from ice_explorer.beyond import importances as measured
from ice_explorer.beyond.measuring import (
    MEASURES,
    N_REPEATS,
    OF_SCORES,
    Measure,
    Measured,
    dependences,
    measure_importance,
    of_hundred,
    pearson_and_rank,
)
from ice_explorer.checks import check_integer, check_names, check_one_of
from ice_explorer.errors import MissingPackageError, OptionError
from ice_explorer.errors.tracebacks import short_tracebacks
from ice_explorer.tables.column import label_index

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd
    from matplotlib.axes import Axes

    from ice_explorer.arrays import Array
    from ice_explorer.explanation import Explanation
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
        ax, title, legend : optional
            As for `Explanation.plot`.
        max_features : int
            Maximum number of features, those with the largest impact; the title states the number.

        Returns
        -------
        Axes

        Raises
        ------
        OptionError
            If an option has an invalid value.
        """
        from ice_explorer.figures import effects

        return effects.plot_comparison(self, ax, max_features=max_features, title=title, legend=legend)


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
    members = {} if groups is None else _members(explanation, groups)
    wanted, notes = _chosen(measures, has_y=y is not None), dependences(explanation)
    shares: dict[str, Array] = {"impact": explanation.table(rank_by=None)["impact"].to_numpy(np.float64)}
    found: dict[str, Array] = {}
    of_groups: dict[str, Array] = {}
    for measure in wanted:
        got = measure_importance(explanation, measure, y, scoring=scoring, n_repeats=n_repeats, groups=members)
        if isinstance(got, str):
            if measures is None:
                continue
            raise OptionError.must("measures", "be available for the model and X", measure, got)
        found[measure] = shares[measure] = got.importance
        notes += got.notes
        if measure in OF_SCORES:
            by_repeat, n_features = _in_form(got, form), len(explanation)
            found[measure], of_groups[measure] = np.split(by_repeat.mean(axis=1), [n_features])
            if measure == "permutation":
                found["permutation_sd"], of_groups["permutation_sd"] = np.split(by_repeat.std(axis=1), [n_features])
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
        raise MissingPackageError.extra("The measure 'shap'", "SHAP", "shap")
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


def _in_form(got: Measured, form: Form) -> Array:
    """Return the importance of each feature, group and repeat."""
    base, moved = got.base, got.moved
    if form == "difference":
        return np.asarray(base - moved)
    if base >= 0:
        raise OptionError.must(
            "form", "be 'difference' unless `scoring` is a loss", form,
            "Pass for example `scoring='neg_mean_squared_error'`.", where=f" with a score of {base:.4g}",
        )  # fmt: skip
    return np.asarray(moved / base if form == "ratio" else (base - moved) / -base)


def _correlations(table: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    others = table.drop(columns="impact")
    found = {name: pearson_and_rank(table["impact"].to_numpy(), others[name].to_numpy()) for name in others}
    columns = ["pearson", "rank"]
    return pd.DataFrame.from_dict(found, orient="index", columns=columns).rename_axis("measure")


def _disagreements(table: pd.DataFrame) -> pd.DataFrame:
    long = table.rename_axis("feature").reset_index()
    long = long.melt(["feature", "impact"], var_name="measure", value_name="importance")
    long["difference"] = long["impact"] - long["importance"]
    columns = ["feature", "measure", "impact", "importance", "difference"]
    return long[columns].sort_values("difference", key=lambda values: -values.abs(), kind="stable", ignore_index=True)
