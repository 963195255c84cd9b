"""ThreadPool that are killed, models that fail, work that is cancelled: what it costs, and what is said."""

import os
import signal
import sys
import time
from threading import Lock, Thread
from types import ModuleType

import dask.dataframe as dd
import numpy as np
import pytest
from clusters import (
    N_PARTITIONS,
    Slow,
    calls_when_still,
    failing,
    no_number,
    none_of_the_rows,
    of_a,
    on_cluster,
    part,
    wait_until,
    written,
)
from numpy.testing import assert_array_equal

import ice_explorer as ice
from ice_explorer.errors import DataError, PredictionError

pytestmark = [pytest.mark.slow, pytest.mark.current, pytest.mark.timeout(300)]


def figures(e):
    return e.table(rank_by=None).select_dtypes("number").to_numpy()


def once_called(folder, n_calls, then):
    """Do something in a thread as soon as the model was called so often."""

    def wait():
        while len(written(folder, "called")) < n_calls:
            time.sleep(0.01)
        then()

    thread = Thread(target=wait)
    thread.start()
    return thread


def test_the_model_is_sent_once_to_each_worker(client, tmp_path):
    """However many partitions there are: once for each of the two passes."""
    ice.explain(Slow(tmp_path, 0.0), on_cluster())
    made = [pid for pid in written(tmp_path, "made") if pid != str(os.getpid())]
    assert len(made) == 4
    assert len(set(made)) == 2


@pytest.mark.parametrize("moments", [(1,), (9,), (1, 9)], ids=str)
def test_a_killed_worker_costs_its_partitions(client_of_its_own, tmp_path, moments):
    """SIGKILL at several moments, also twice: the result is the same to the bit."""
    client = client_of_its_own
    expected = figures(ice.explain(Slow(tmp_path, 0.0), on_cluster()))
    folder = tmp_path / "killed"
    folder.mkdir()
    killed = []

    def kill_one():
        killed.append(next(iter(client.run(os.getpid).values())))
        os.kill(killed[-1], signal.SIGKILL)

    threads = [once_called(folder, n_calls, kill_one) for n_calls in moments]
    e = ice.explain(Slow(folder, 0.12), on_cluster())
    for thread in threads:
        thread.join()
    assert_array_equal(figures(e), expected)
    assert len(killed) == len(moments)
    assert not set(killed) & set(client.run(os.getpid).values())


def test_progress_counts_to_its_total(client, tmp_path):
    """By partitions, of which several may be done at once; what else the client computes is not disturbed."""
    theirs, calls = client.submit(os.getpid), []
    theirs.result()
    ice.explain(Slow(tmp_path, 0.0), on_cluster(), progress=lambda *each: calls.append(each))
    done, total, labels = zip(*calls, strict=True)
    assert done[-1] == total[-1] == 600 * (7 + 11)
    assert {0, *done} <= {total[-1] * n // N_PARTITIONS for n in range(N_PARTITIONS + 1)}
    assert done[0] > 0
    assert (np.diff(done) > 0).all()
    assert set(labels) == {"12 partitions"}
    wait_until(lambda: len(client.who_has()) == 1)
    assert theirs.status == "finished"


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (failing, r"In partition \d+, whose rows count from 0: .*no row of 6 here"),
        (no_number, r"In partition 8, whose rows count from 0: .*nan.* row 25"),  # row 425
    ],
)
def test_a_model_that_fails_names_the_partition(client, model, message):
    """And the row in it where a prediction is no number."""
    with pytest.raises(PredictionError, match=message):
        ice.explain(model, on_cluster())


def test_an_interrupt_frees_the_cluster(client, tmp_path):
    """Partitions that are computed stop at their next block."""

    def interrupt(*_):
        raise KeyboardInterrupt

    rows = on_cluster(120, n_partitions=1).repartition(divisions=[0, 10, 119])
    with pytest.raises(KeyboardInterrupt):  # as soon as the small partition is done
        ice.explain(Slow(tmp_path, 0.2), rows, memory_limit=10_000, progress=interrupt)
    wait_until(lambda: not any(client.processing().values()))
    n_calls = calls_when_still(tmp_path)
    complete = tmp_path / "complete"
    complete.mkdir()
    ice.explain(Slow(complete, 0.0), rows, memory_limit=10_000)
    assert n_calls < len(written(complete, "called"))


@pytest.mark.parametrize("method", ["close", "shutdown"])
def test_a_client_that_is_closed_half_way(client_of_its_own, tmp_path, method):
    """The client alone, and the cluster with it: the error says what to do."""
    thread = once_called(tmp_path, 3, getattr(client_of_its_own, method))
    with pytest.raises(PredictionError, match=r"client of Dask must be open and connected until .*Connect again"):
        ice.explain(Slow(tmp_path, 0.3), on_cluster())
    thread.join()


def test_a_model_that_does_not_get_to_the_workers(client, monkeypatch):
    """The message names the module that they do not have, or says that a lock cannot be pickled."""

    def predict(X):
        return X["a"].to_numpy()

    predict.__module__, predict.__qualname__ = "only_here", "predict"
    module = ModuleType("only_here")
    module.predict = predict
    monkeypatch.setitem(sys.modules, "only_here", module)
    with pytest.raises(PredictionError, match=r"No module named 'only_here'\. .*client\.upload_file"):
        ice.explain(predict, on_cluster())
    lock = Lock()
    with pytest.raises(PredictionError, match="can be pickled"):
        ice.explain(lambda X: X["a"].to_numpy() if lock else None, on_cluster())


def test_wrong_arguments(client):
    """What must hold, what was passed and what to do."""
    with pytest.raises(DataError, match="must be a Dask Series or array"):
        ice.explain(no_number, on_cluster(), sample_weight=np.ones(600))
    with pytest.raises(DataError, match="3 partitions for 12 partitions of X"):
        ice.explain(no_number, on_cluster(), sample_weight=on_cluster(n_partitions=3)["a"])
    with pytest.raises(DataError, match="X must be a DataFrame"):
        ice.explain(no_number, on_cluster()["a"])
    with pytest.raises(DataError, match="its partitions have none"):
        ice.explain(no_number, none_of_the_rows())


def test_partitions_of_different_kinds(client):
    """A column whose levels are declared differently, and one that is text in one partition."""
    mixed = dd.from_map(part, [0, 1], meta=part(0))
    with pytest.raises(DataError, match=r"'c' must declare the same levels .*categorize"):
        ice.explain(of_a, mixed)
