"""What runs partitions as a cluster does, in this process: everything that is handed over is pickled."""

import pickle

import numpy as np


def sent(thing):
    """What another process gets."""
    return pickle.loads(pickle.dumps(thing))  # noqa: S301 - made here


def run_of(partitions, weights=None, *, pairwise=False):
    """Run partitions, merging all at once or two by two, as Spark does."""

    def run(compute, merge):
        compute, merge = sent(compute), sent(merge)
        given = [()] * len(partitions) if weights is None else [(each,) for each in weights]
        found = [sent(compute(rows, at, *given[at])) for at, rows in enumerate(partitions)]
        while pairwise and len(found) > 1:
            found = [sent(merge(*found[at : at + 2])) for at in range(0, len(found), 2)]
        return found[0] if pairwise else merge(*found)

    return run


def parts_of(X, n):
    """Cut rows into partitions."""
    return [X.iloc[at] for at in np.array_split(np.arange(len(X)), n)]
