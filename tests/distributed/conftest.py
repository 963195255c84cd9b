"""A cluster of two processes, and rows that are on it."""

from contextlib import contextmanager, suppress
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor

collect_ignore_glob = [] if find_spec("dask") else ["test_*.py"]


@contextmanager
def two_processes():
    """A cluster of two processes of a thread each."""
    from distributed import LocalCluster

    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", processes=True)
    yield cluster
    with suppress(TimeoutError):  # of a busy machine, on which processes that do not end in time are killed
        cluster.close(timeout=60)


@contextmanager
def connected(cluster):
    """The current client, of a cluster whose processes are there."""
    from distributed import Client

    with Client(cluster) as client:
        client.wait_for_workers(2, timeout=120)
        yield client


@pytest.fixture(scope="session")
def cluster():
    """The cluster of all tests."""
    with two_processes() as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    """A client of the cluster, which is empty again afterwards."""
    with connected(cluster) as client:
        yield client


@pytest.fixture
def client_of_its_own():
    """A client of a cluster that no other test uses: its processes may be killed."""
    with two_processes() as cluster, connected(cluster) as client:
        yield client


@pytest.fixture(scope="session", name="X")
def rows():
    """Rows of all kinds of columns: fewer than come to this machine, so that everything is comparable."""
    rng = np.random.default_rng(0)
    n = 3000
    return pd.DataFrame({
        "decimal": rng.normal(size=n).round(2),
        "continuous": rng.normal(size=n),
        "whole": rng.integers(0, 5, n),
        "missing": np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 40, n)),
        "level": pd.Categorical(rng.choice(list("xyz"), n)),
        "flag": rng.random(n) < 0.3,
    })  # fmt: skip


@pytest.fixture(scope="session")
def model(X):
    """A gradient boosting that takes missing values and categories."""
    y = X.decimal * X.whole + X.continuous**2 + X.missing.fillna(0) / 9 + (X.level == "x")
    return HistGradientBoostingRegressor(categorical_features="from_dtype", max_iter=30).fit(X, y)


@pytest.fixture
def partitioned(X):
    """The same rows as a DataFrame of Dask, in an order that partitions differ."""
    import dask.dataframe as dd

    return dd.from_pandas(X.sort_values("decimal", ignore_index=True), npartitions=5)
