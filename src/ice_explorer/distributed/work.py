"""What workers do: summarise a partition, explain it, and merge what came of several."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.distributed.shared import report, shared
from ice_explorer.distributed.summaries import Summary, summarise
from ice_explorer.distributed.sums import Summed, merge_summed, summed
from ice_explorer.errors import Cancelled, ICEExplorerError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def summarise_partition(rows: Any, weights: Any, partition: int, topic: str, name: str) -> Summary | None:
    """Summarise one partition; None where it has no rows."""
    model, options = shared(name).value
    with _in_partition(partition):
        found = summarise(model, options, rows, weights, partition)
    report(topic, partition, 0 if found is None else found.n_rows)
    return found


def merge_summaries(parts: Sequence[Summary | None], _name: str) -> Summary | None:
    """Merge what is known of some partitions."""
    held = [part for part in parts if part is not None]
    return reduce(Summary.merge, held) if held else None


def sum_partition(rows: Any, weights: Any, partition: int, topic: str, name: str) -> Summed | None:
    """Explain one partition; None where no row has weight."""
    job = shared(name)
    model, options, whole = job.value
    if len(rows) == 0 or (weights is not None and not np.any(np.asarray(weights) > 0)):
        report(topic, partition, len(rows))
        return None
    with _in_partition(partition):
        found = summed(model, rows, replace(options, sample_weight=weights), whole, job.is_ended)
    report(topic, partition, len(rows))
    return found


def merge_partitions(parts: Sequence[Summed | None], name: str) -> Summed | None:
    """Merge the sums of some partitions."""
    return merge_summed(parts, shared(name).value[2])


@contextmanager
def _in_partition(partition: int) -> Iterator[None]:
    """Name the partition in errors: rows that they name are counted in it."""
    try:
        yield
    except Cancelled:
        raise
    except ICEExplorerError as error:
        advice = str(error).removeprefix(error.facts).strip()
        raise type(error)(f"In partition {partition}, whose rows count from 0: {error.facts}", advice) from error
