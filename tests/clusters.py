"""Rows on a cluster, and a model that writes down where it is made and called."""

import os
import time

import dask.dataframe as dd
import numpy as np
import pandas as pd

N_PARTITIONS = 12


def frame(n=600):
    return pd.DataFrame({"a": np.arange(n) % 7 / 1.0, "b": np.arange(n) % 11 / 1.0})


def on_cluster(n=600, n_partitions=N_PARTITIONS):
    return dd.from_pandas(frame(n), npartitions=n_partitions)


class Slow:
    """A model that takes a while for each call, and writes down when it is made in a process, and called."""

    def __init__(self, folder, seconds):
        self.folder, self.seconds = folder, seconds

    def __setstate__(self, state):
        self.__dict__ = state
        (self.folder / f"made-{os.getpid()}-{time.monotonic_ns()}").touch()

    def __call__(self, X):
        (self.folder / f"called-{os.getpid()}-{time.monotonic_ns()}").touch()
        time.sleep(self.seconds)
        return X["a"].to_numpy() * X["b"].to_numpy()


def calls_when_still(folder, seconds=20.0):
    """How often the model was called, once no call follows for a while: the block that was begun is done."""
    deadline = time.monotonic() + seconds
    n_calls = -1
    while (now := len(written(folder, "called"))) != n_calls:
        assert time.monotonic() < deadline
        n_calls = now
        time.sleep(2.0)
    return n_calls


def written(folder, what):
    return sorted(path.name.split("-")[1] for path in folder.glob(f"{what}-*"))
