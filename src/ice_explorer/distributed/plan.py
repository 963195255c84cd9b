"""A plan whose metrics come from a cluster; everything else works on rows that are here."""

# ruff: noqa: SLF001 - a plan of a cluster is made of one of this machine

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from ice_explorer import plan as one_machine
from ice_explorer.distributed.partitions import Partitions, is_dask, partitions_of_table, partitions_on_cluster
from ice_explorer.distributed.passes import (
    MergeSums,
    Sampled,
    Sum,
    Summarise,
    check_rows,
    keep_sd,
    merge_found,
    of_workers,
)
from ice_explorer.distributed.summaries import without_values
from ice_explorer.distributed.sums import sums_of
from ice_explorer.engines.feature_input import FeatureInput
from ice_explorer.errors import InvalidOptionError
from ice_explorer.feature import FeatureExplanation
from ice_explorer.plan import Plan, Whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ice_explorer.distributed.cluster import Cluster
    from ice_explorer.distributed.sums import Summed
    from ice_explorer.results.options import Options
    from ice_explorer.tables.column import Name


def prepare(
    model: Any,
    X: Any,
    options: Options,
    *,
    is_opening: bool = False,
    y: object = None,
) -> Plan:
    """Plan an explanation on this machine, or on a cluster where X is there or the options name a client.

    Arguments are those of `plan.prepare`.
    """
    if options.client is None and not is_dask(X):
        return one_machine.prepare(model, X, options, is_opening=is_opening, y=y)
    from ice_explorer.distributed.cluster import Cluster
    from ice_explorer.distributed.whole import check_distributed

    is_local = not is_dask(X)
    check_distributed(options, is_local=is_local)
    if y is not None and not is_local:
        raise InvalidOptionError("`y` needs all rows in one place, but X is on a cluster.", "Leave it out.")
    cluster = Cluster(options.client)
    try:
        if not is_local:
            return _of_partitions(model, X, options, cluster, is_opening=is_opening)
        plan = one_machine.prepare(model, X, options, is_opening=is_opening, y=y)
        partitions = partitions_of_table(X, plan._context.weights, cluster.n_threads)
        work, context = Work(cluster, model, options, partitions), plan._context
        features = {item.feature_number: _alone(item) for item in plan._inputs.values()}
        whole = Whole(features, context.n_explained, len(context.weighted_rows))
        return _ClusterPlan(plan, work, whole, (X, options.sample_weight), y=y)
    except BaseException:
        cluster.close()
        raise


class Work(NamedTuple):
    """What a cluster is to compute."""

    cluster: Cluster
    model: Any
    options: Options
    partitions: Partitions


def _of_partitions(model: Any, X: Any, options: Options, cluster: Cluster, *, is_opening: bool) -> Plan:
    """Find what all rows hold, and plan the explanation of a sample of them."""
    partitions = partitions_on_cluster(X, options.sample_weight)
    alone = replace(options, client=None, sample_weight=None, progress=False)
    summary = cluster.reduced(Summarise(model, alone), merge_found, partitions)
    sampled = Sampled.of(model, summary, alone, is_opening=is_opening)
    work = Work(cluster, model, options, partitions)
    return _ClusterPlan(sampled.plan, work, sampled.whole, sampled.rows, notes=sampled.notes)


class _ClusterPlan(Plan):
    """A plan of rows that are here, all or a sample of them, of which the sums come from a cluster.

    - `plan`: the same on this machine.
    - `work`: on the cluster.
    - `whole`: what all rows hold.
    - `rows`: those that are here, and their weights.
    """

    is_on_cluster = True

    def __init__(
        self,
        plan: Plan,
        work: Work,
        whole: Whole,
        rows: tuple[Any, Any],
        *,
        y: object = None,
        notes: Sequence[str] = (),
    ) -> None:
        self._rows = rows
        super().__init__(plan._context, plan._method, list(plan._inputs.values()), [*notes, *plan._notes], y)
        self._work = work
        self._whole = whole
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

    def of_output(self, model: Any, X: Any, options: Options) -> Plan:  # noqa: ARG002
        """Return the plan of another output on the rows that are here."""
        rows, weights = self._rows
        alone = replace(options, client=None, sample_weight=weights)
        return one_machine.prepare(model, rows, alone, whole=self._whole)

    def compute(
        self,
        feature: Name,
        progress: Callable[[int, int, str], object] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> FeatureExplanation:
        """Return one feature; the first one waits for all partitions."""
        with self._waiting:
            if self._summed is None:
                self._summed = self._sum_all(progress, cancelled)
        item = self._inputs[feature]
        sums = sums_of(self._summed, self._whole, item.feature_number)
        return FeatureExplanation(self._context, self._method, item, sums, None)

    def _sum_all(
        self, progress: Callable[[int, int, str], object] | None, cancelled: Callable[[], bool] | None
    ) -> Summed:
        work, whole, total = self._work, self._whole, self.n_predictions

        def done(n_rows: int) -> None:
            if progress is not None:
                progress(n_rows * self._per_row, total, f"{len(work.partitions):,} partitions")

        try:
            compute = Sum(work.model, of_workers(work.options, self), whole)
            summed = work.cluster.reduced(compute, MergeSums(whole), work.partitions, done=done, cancelled=cancelled)
        finally:
            work.cluster.close()
        found = check_rows(summed, whole)
        keep_sd(self._context, found)
        self._notes += found.notes
        return found


def _alone(item: FeatureInput) -> FeatureInput:
    """Return a feature without what belongs to its rows."""
    feature = without_values(item.feature)
    return FeatureInput(feature, item.grid, item.scale, item.median, item.shares, item.decay, item.has_missing)
