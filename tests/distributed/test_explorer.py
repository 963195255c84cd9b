"""An explorer of rows on a cluster: bars of a sample at once, exact ones from all partitions."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from clusters import Slow, calls_when_still, on_cluster, wait_until, written
from kernel_end import ask
from numpy.testing import assert_allclose
from sklearn.ensemble import RandomForestClassifier

import ice_explorer as ice
from ice_explorer.errors import OptionError

pytestmark = [pytest.mark.slow, pytest.mark.current, pytest.mark.timeout(300)]


def wait_for(explorer, state):
    wait_until(lambda: explorer._status["state"] == state)


def test_explored_rows_of_a_cluster(make, client, model, X, partitioned):
    """Figures are those of all rows, lines those of rows that are here."""
    explorer = make(model, partitioned)
    wait_for(explorer, "ready")
    e = explorer.explanation
    expected = ice.explain(model, X.sort_values("decimal", ignore_index=True))
    pd.testing.assert_frame_equal(e.table(), expected.table(), rtol=1e-10, atol=1e-12)
    assert explorer._status["total"] == 6


def test_requests_are_answered_while_the_cluster_works(make, client, tmp_path):
    """Drafts are of the rows that are here, progress comes by partition, and cancelling frees the cluster."""
    explorer = make(Slow(tmp_path, 0.25), on_cluster())
    wait_until(lambda: written(tmp_path, "called"))
    assert ask(explorer, "lines", type="cancel")[0]["type"] == "result"
    wait_for(explorer, "cancelled")
    wait_until(lambda: not any(client.processing().values()))
    n_calls = calls_when_still(tmp_path)
    whole = tmp_path / "whole"
    whole.mkdir()
    ice.explain(Slow(whole, 0.0), on_cluster())
    assert n_calls < len(written(whole, "called"))


def test_classes_and_another_output(make, client):
    """Curves of all classes are of the same rows; another class is summed on the cluster."""
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(900, 3)).round(1), columns=list("abc"))
    fitted = RandomForestClassifier(8, max_depth=4, random_state=0).fit(X, rng.choice(["no", "perhaps", "yes"], 900))
    explorer = make(fitted, dd.from_pandas(X, npartitions=3))
    wait_for(explorer, "ready")
    explorer.output = "yes"
    wait_until(lambda: explorer._status["state"] == "ready" and explorer.explanation.settings.output == "yes")
    expected = ice.explain(fitted, X, output="yes")
    assert_allclose(explorer.explanation.table()["impact"], expected.table()["impact"], rtol=1e-10)
    found = explorer._work.opened.classes.lines("a", np.array([0, 5]))
    assert_allclose(found.curves.sum(axis=0), 1.0)


def test_a_target_is_refused(client, model, partitioned):
    """It would have to be on the cluster, too."""
    with pytest.raises(OptionError, match="`y` needs all rows in one place"):
        ice.ICEExplorer(model, partitioned, np.zeros(3000))


def test_bars_of_a_sample_state_what_they_are_a_sample_of(make, client, tmp_path):
    """Standard errors are those of a sample of all rows."""
    explorer = make(Slow(tmp_path, 0.15), on_cluster())
    wait_until(lambda: explorer._status["n_rows"] is not None or explorer._status["state"] == "ready")
    assert explorer._status["n_rows"] is not None
    wait_for(explorer, "ready")
    assert explorer._status["n_rows"] is None
