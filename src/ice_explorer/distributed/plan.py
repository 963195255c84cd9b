"""A plan whose metrics come from a cluster; everything else works on rows that are here."""

# ruff: noqa: SLF001 - a plan of a cluster is made of one of this machine

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ice_explorer.adapters.models.fitted import fitted_table
from ice_explorer.distributed.partitions import Partitions, is_dask, partitions_of_table, partitions_on_cluster
from ice_explorer.distributed.summaries import without_values
from ice_explorer.distributed.sums import sums_of
from ice_explorer.errors import InputDataError, InvalidOptionError
from ice_explorer.features.columns import Columns
from ice_explorer.results import plan as one_machine
from ice_explorer.results.feature_explanation import FeatureResult
from ice_explorer.results.plan import Plan, Whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ice_explorer.adapters.models.opening import Opening
    from ice_explorer.adapters.tables.table import Name, Table
    from ice_explorer.curves.known_predictions import Answers
    from ice_explorer.distributed.cluster import Cluster
    from ice_explorer.distributed.summaries import Summary
    from ice_explorer.distributed.sums import Summed
    from ice_explorer.engines.feature_input import FeatureInput
    from ice_explorer.results.options import Options


def prepare(
    model: Any,
    X: Any,
    options: Options,
    *,
    answers: Answers | None = None,
    opening: Callable[[Table], Opening] | None = None,
    y: object = None,
) -> Plan:
    """Plan an explanation on this machine, or on a cluster where X is there or the options name a client.

    Arguments are those of `results.plan.prepare`.
    """
    if options.client is None and not is_dask(X):
        return one_machine.prepare(model, X, options, answers=answers, opening=opening, y=y)
    from ice_explorer.distributed.cluster import Cluster
    from ice_explorer.distributed.whole import check_distributed

    is_local = not is_dask(X)
    check_distributed(options, is_local=is_local)
    if y is not None and not is_local:
        raise InvalidOptionError("`y` needs all rows in one place, but X is on a cluster.", "Leave it out.")
    cluster = Cluster(options.client)
    try:
        if not is_local:
            return _of_partitions(model, X, options, cluster, opening)
        plan = one_machine.prepare(model, X, options, answers=answers, opening=opening, y=y)
        partitions = partitions_of_table(X, plan._context.weights, cluster.n_threads)
        return _ClusterPlan(plan, Work(cluster, model, options, partitions), X, options.sample_weight, y=y)
    except BaseException:
        cluster.close()
        raise


class Work(NamedTuple):
    """What a cluster is to compute."""

    cluster: Cluster
    model: Any
    options: Options
    partitions: Partitions


def _of_partitions(
    model: Any, X: Any, options: Options, cluster: Cluster, opening: Callable[[Table], Opening] | None
) -> Plan:
    """Find what all rows hold, and plan the explanation of a sample of them."""
    from ice_explorer.distributed.whole import whole_of
    from ice_explorer.distributed.work import merge_summaries, summarise_partition

    partitions = partitions_on_cluster(X, options.sample_weight)
    alone = replace(options, client=None, sample_weight=None, progress=False)
    with cluster.sharing((model, alone)) as name:
        summary: Summary | None = cluster.reduced(summarise_partition, merge_summaries, partitions, name)
    if summary is None or summary.n_weighing == 0:
        raise InputDataError("X must have rows that have weight; it has none on the cluster.", "Check its partitions.")
    if options.sample_weight is not None:
        alone = replace(alone, sample_weight=summary.weights)
    columns = Columns(fitted_table(model, summary.rows), options.groups, options.categorical or ())
    whole, notes = whole_of(summary, options, columns)
    plan = one_machine.prepare(model, summary.rows, alone, opening=opening, whole=whole)
    n_rows = len(summary.rows)
    if n_rows < summary.n_rows:
        notes.append(
            f"Metrics, partial dependence and spread are of all {summary.n_rows:,} rows in {len(partitions):,} "
            f"partitions; curves, histograms, drivers and effects of {n_rows:,} of them, drawn at random."
        )
    weights = alone.sample_weight
    return _ClusterPlan(plan, Work(cluster, model, options, partitions), summary.rows, weights, notes=notes)


class _ClusterPlan(Plan):
    """A plan of rows that are here, all or a sample of them, of which the sums come from a cluster.

    - `plan`: the same on this machine.
    - `work`: on the cluster.
    - `rows`, `weights`: those that are here.
    """

    is_on_cluster = True

    def __init__(
        self, plan: Plan, work: Work, rows: Any, weights: Any = None, *, y: object = None, notes: Sequence[str] = ()
    ) -> None:
        self._rows = rows, weights
        items = list(plan._inputs.values())
        super().__init__(plan._context, plan._engine, items, [*notes, *plan._notes], y)
        self._work = work
        self._whole = Whole({item.at_issue: _alone(item) for item in items}, plan._context.n_explained)
        self._waiting = Lock()
        self._summed: Summed | None = None

    @property
    def n_predictions(self) -> int:
        """Predictions that all features take, on the cluster."""
        return self._per_row * self._whole.n_rows

    @property
    def _per_row(self) -> int:
        return sum(item.n_predictions_per_row for item in self._inputs.values())

    @property
    def advice(self) -> str:
        """None: fewer rows are those of another X."""
        return ""

    def of_output(self, model: Any, X: Any, options: Options, answers: Answers | None) -> Plan:  # noqa: ARG002
        """Return the plan of another output on the rows that are here."""
        rows, weights = self._rows
        alone = replace(options, client=None, sample_weight=weights)
        return one_machine.prepare(model, rows, alone, answers=answers, whole=self._whole)

    def compute(
        self,
        feature: Name,
        progress: Callable[[int, int, str], object] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> FeatureResult:
        """Return one feature; the first one waits for all partitions."""
        with self._waiting:
            if self._summed is None:
                self._summed = self._sum_all(progress, cancelled)
        item = self._inputs[feature]
        sums: Any = sums_of(self._summed, self._whole, item.at_issue)
        return FeatureResult(self._context, self._engine, item, sums, None)

    def _sum_all(
        self, progress: Callable[[int, int, str], object] | None, cancelled: Callable[[], bool] | None
    ) -> Summed:
        from ice_explorer.distributed.work import merge_partitions, sum_partition

        work, settings, total = self._work, self.settings, self.n_predictions

        def done(n_rows: int) -> None:
            if progress is not None:
                progress(n_rows * self._per_row, total, f"{len(work.partitions):,} partitions")

        alone = replace(
            work.options, client=None, sample_weight=None, progress=False, n_jobs=None, like=None, features=None,
            grid="observed", grid_size=None, groups=settings.groups, categorical=settings.categorical,
            output=settings.output,
        )  # fmt: skip
        try:
            with work.cluster.sharing((work.model, alone, self._whole)) as name:
                found: Summed | None = work.cluster.reduced(
                    sum_partition, merge_partitions, work.partitions, name, done=done, cancelled=cancelled
                )
        except BaseException:
            work.cluster.close()
            raise
        work.cluster.close()
        assert found is not None  # noqa: S101 - some row has weight
        weight = found.predictions.weight
        vars(self._context)["prediction_sd"] = float(np.sqrt(found.predictions.squared[0] / weight))
        self._notes += found.notes
        return found


def _alone(item: FeatureInput) -> FeatureInput:
    """Return a feature without what belongs to its rows."""
    nothing, nowhere = np.empty(0), np.empty(0, np.int64)
    return replace(
        item, feature=without_values(item.feature), own=nothing, likelihood_scale=nothing, positions=nowhere,
        summed=nowhere, missing_changes=nothing,
    )  # fmt: skip
