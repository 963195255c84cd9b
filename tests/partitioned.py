"""What explains partitions as a cluster does, in this process: everything that is handed over is pickled."""

import pickle

import numpy as np

from ice_explorer import cluster


def sent(thing):
    """What another process gets."""
    return pickle.loads(pickle.dumps(thing))  # noqa: S301 - made here


def merge_all(results, *, pairwise=False):
    """Merge results all at once or two by two, as Spark does."""
    while pairwise and len(results) > 1:
        results = [sent(cluster.merge(*results[at : at + 2])) for at in range(0, len(results), 2)]
    return results[0] if pairwise else cluster.merge(*results)


def explain_parts(model, partitions, weights=None, *, again=None, pairwise=False, **options):
    """Explain partitions in two passes; `again` are those of the second one, where they differ."""
    weights = [None] * len(partitions) if weights is None else weights
    summaries = [
        sent(cluster.summarise(model, rows, number, weights[number], **options))
        for number, rows in enumerate(partitions)
    ]
    summary = merge_all(summaries, pairwise=pairwise)
    grids = sent(cluster.make_grids(model, summary))
    sums = [
        sent(cluster.partial_sums(model, rows, number, grids, weights[number]))
        for number, rows in enumerate(again or partitions)
    ]
    return cluster.finish(model, summary, merge_all(sums, pairwise=pairwise))


def parts_of(X, n):
    """Cut rows into partitions."""
    return [X.iloc[at] for at in np.array_split(np.arange(len(X)), n)]
