"""The two passes over partitions, as objects that any cluster can run: what computes a partition, and what merges.

They hold what they need, can be pickled, and take nothing from Dask.
"""

# ruff: noqa: SLF001 - sums that come from elsewhere take the place of those of a plan

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from ice_explorer.distributed.in_partition import in_partition
from ice_explorer.distributed.summaries import Summary, summarise
from ice_explorer.distributed.sums import Summed, merge_summed, summed, sums_of
from ice_explorer.distributed.whole import check_distributed, whole_of
from ice_explorer.errors import InputDataError, InputTypeError
from ice_explorer.errors.base import counted
from ice_explorer.feature import FeatureExplanation
from ice_explorer.features.columns import Columns
from ice_explorer.features.groups import check_groups
from ice_explorer.models.fitted import fitted_table
from ice_explorer.plan import prepare

if TYPE_CHECKING:
    from collections.abc import Callable

    from ice_explorer.engines.context import Context
    from ice_explorer.explanation import Explanation
    from ice_explorer.plan import Plan, Whole
    from ice_explorer.results.options import Options

Found = TypeVar("Found")


@dataclass(frozen=True, eq=False)
class Summarise:
    """The first pass: what the columns of a partition hold."""

    model: Any
    options: Options

    def __call__(
        self,
        X: Any,
        partition: int,
        sample_weight: Any = None,
        cancelled: Callable[[], bool] | None = None,  # noqa: ARG002 - it takes no calls of the model
    ) -> Summary | None:
        """Summarise one partition; None where it has no rows."""
        with in_partition(partition):
            return summarise(self.model, self.options, X, sample_weight, partition)


@dataclass(frozen=True, eq=False)
class Sum:
    """The second pass: the sums of a partition on the grids of all rows."""

    model: Any
    options: Options
    whole: Whole

    def __call__(
        self,
        X: Any,
        partition: int,
        sample_weight: Any = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Summed | None:
        """Explain one partition; None where no row has weight."""
        if len(X) == 0 or (sample_weight is not None and not np.any(np.asarray(sample_weight) > 0)):
            return None
        with in_partition(partition):
            return summed(self.model, X, replace(self.options, sample_weight=sample_weight), self.whole, cancelled)


def merge_found(*found: Summary | None) -> Summary | None:
    """Merge what the first pass found in some partitions."""
    held = [each for each in found if each is not None]
    return reduce(Summary.merge, held) if held else None


@dataclass(frozen=True, eq=False)
class MergeSums:
    """Merge the sums of some partitions."""

    whole: Whole

    def __call__(self, *found: Summed | None) -> Summed | None:
        """Merge those that have rows."""
        return merge_summed(found, self.whole)


def explained(model: Any, run: Callable[..., Any], options: Options) -> Explanation:
    """Let `run` do both passes; see `explain_partitions`."""
    check_distributed(options, is_local=False)
    found = _checked(run(Summarise(model, options), merge_found), Summary)
    sampled = Sampled.of(model, found, options)
    plan, whole = sampled.plan, sampled.whole
    summed_up = check_rows(_checked(run(Sum(model, of_workers(options, plan), whole), MergeSums(whole)), Summed), whole)
    keep_sd(plan._context, summed_up)
    results = {
        feature: FeatureExplanation(
            plan._context, plan._method, plan._inputs[feature], sums_of(summed_up, whole, number)
        )
        for feature, number in zip(plan.features, whole.features, strict=True)
    }
    return plan.explanation(results, [*sampled.notes, *summed_up.notes])


class Sampled(NamedTuple):
    """What follows from the first pass.

    - `plan`: of the sample of the rows, on the grids of all.
    - `whole`: what all rows hold.
    - `rows`: of the sample, and their weights; None where all weigh alike.
    - `notes`: on columns that are not ranked, quantiles, and what is of the sample.
    """

    plan: Plan
    whole: Whole
    rows: tuple[Any, Any]
    notes: list[str]

    @classmethod
    def of(cls, model: Any, summary: Summary | None, options: Options, **for_plan: Any) -> Sampled:
        """Plan the explanation of the sample; `for_plan` is for `prepare`."""
        if summary is None or summary.n_weighing == 0:
            raise InputDataError("X must have rows that have weight; its partitions have none.", "Check them.")
        columns = Columns(
            fitted_table(model, summary.rows), check_groups(options.groups), options.categorical_features or ()
        )
        whole, notes = whole_of(summary, options, columns)
        weights = summary.weights if bool((summary.weights != 1).any()) else None
        plan = prepare(model, summary.rows, replace(options, sample_weight=weights), whole=whole, **for_plan)
        if len(summary.rows) < summary.n_rows:
            notes.append(
                f"Metrics, partial dependence and spread are of all {summary.n_rows:,} rows; curves, histograms, "
                f"drivers and effects of {len(summary.rows):,} of them, drawn at random."
            )
        return cls(plan, whole, (summary.rows, weights), notes)


def of_workers(options: Options, plan: Plan) -> Options:
    """Return the options of a partition, whose features, grids and output are chosen."""
    settings = plan.settings
    return replace(
        options, client=None, sample_weight=None, progress=False, n_jobs=None, features=None,
        grid="observed", grid_size=None, groups=settings.groups, categorical_features=settings.categorical_features,
        output=settings.output,
    )  # fmt: skip


def check_rows(found: Summed | None, whole: Whole) -> Summed:
    """Check that both passes had the same rows."""
    n_rows = 0 if found is None else int(next(iter(found.features.values()))["counts"][0])
    if found is None or n_rows != whole.n_weighing:
        raise InputDataError(
            "Partitions must hold the same rows in both passes; the first pass got "
            f"{counted(whole.n_weighing, 'row')} that have weight, the second {n_rows}.",
            "Store rows that are drawn at random before they are explained.",
        )
    return found


def keep_sd(context: Context, found: Summed) -> None:
    """Keep the standard deviation of the predictions of all rows."""
    moments = found.predictions
    vars(context)["prediction_sd"] = float(np.sqrt(moments.squared[0] / moments.weight))


def _checked(found: object, kind: type[Found]) -> Found | None:
    """Check that `run` returned what it merged."""
    if found is not None and not isinstance(found, kind):
        raise InputTypeError.must(
            "What `run` returns", "one result, merged from those of all partitions", found,
            "Merge until one is left: `merge(*results)`.",
        )  # fmt: skip
    return found
