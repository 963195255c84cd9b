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


def wait_until(condition, seconds=60.0):
    """Wait for what other processes bring about, which takes long on a busy machine."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "what the test waits for has not happened"
        time.sleep(0.02)


def calls_when_still(folder):
    """How often the model was called, once no call follows for a while: the block that was begun is done."""
    counts = [-1]

    def is_still():
        counts.append(len(written(folder, "called")))
        time.sleep(2.0)
        return counts[-1] == counts[-2]

    wait_until(is_still)
    return counts[-1]


def written(folder, what):
    return sorted(path.name.split("-")[1] for path in folder.glob(f"{what}-*"))


# ThreadPool import this file by its name: it is on the path of the tests, which test modules are not.
def first(X):
    return X[:, 0] ** 2 + 0.1 * X[:, 1]


def of_a(X):
    return X["a"].to_numpy()


def failing(X):
    if (X["a"] == 6.0).any() and len(X) > 1 and X.index.min() >= 300:
        raise RuntimeError("no row of 6 here")
    return X["a"].to_numpy()


def no_number(X):
    found = X["a"].to_numpy() + X["b"].to_numpy()
    return np.where((X.index.to_numpy() == 425) & (X["b"].to_numpy() == 7.0), np.nan, found)


def part(at):
    return pd.DataFrame({"a": [1.0, 2.0, 3.0], "c": pd.Categorical(["x", "y", "x"], ["x", "y"] + ["z"] * at)})


def none_of_the_rows():
    rows = on_cluster()
    return rows[rows.a > 99]
