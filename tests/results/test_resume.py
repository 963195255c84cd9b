"""A model that fails for reasons of its own: the cause comes first, and an explorer resumes with the next block."""

import copy

import numpy as np
import pandas as pd
import pytest

import ice_explorer as ice
from ice_explorer.errors import PredictionError

RANDOM = np.random.default_rng(0)
X = pd.DataFrame(RANDOM.normal(size=(40, 3)), columns=["a", "b", "c"])


class Service:
    """A model behind a network that fails from some call on, until it is repaired."""

    def __init__(self, error, fails_from):
        self.error = error
        self.fails_from = fails_from
        self.n_calls = 0

    def predict(self, rows):
        self.n_calls += 1
        if self.fails_from is not None and self.n_calls > self.fails_from:
            raise self.error
        return np.asarray(rows)[:, 0] * np.asarray(rows)[:, 1]


def failed(service, **options):
    with pytest.raises(PredictionError) as caught:
        ice.explain(service, X, progress=False, method="brute", **options)
    return caught.value


def test_the_error_says_how_to_go_on():
    """The cause is the error of the model; the call is not repeated."""
    service = Service(ConnectionError("503"), 4)
    error = failed(service)
    assert str(error).startswith("The model failed on phantom observations of 'b' (grid values ")
    assert ", rows 0 to 39 of X): ConnectionError: 503. Limit the grid " in str(error)
    assert str(error).endswith('press "Resume" in the explorer, or call `error.resume()` after `explain`.')
    assert error.__cause__ is service.error
    assert str(copy.copy(error)) == str(error)  # as workers of joblib do
    assert service.n_calls <= 6  # another thread may be calling it


def test_what_was_computed_is_there_and_the_rest_is_resumed():
    """Features that are computed are not computed again, and figures are those of one call."""
    expected = ice.explain(Service(None, None), X, progress=False, method="brute").table()
    service = Service(ConnectionError("503"), 3)
    error = failed(service)
    assert list(error.explanation.table().index) == ["a"]
    with pytest.raises(PredictionError) as caught:
        error.resume()  # it still fails
    again = caught.value
    assert list(again.explanation.table().index) == ["a"]
    service.fails_from = None
    before = service.n_calls
    pd.testing.assert_frame_equal(again.resume().table(), expected)
    assert service.n_calls - before <= 2 * 2  # of two features, no more


def test_features_are_kept_where_a_phantom_is_to_blame():
    """The error names the block, because the grid is what to change."""

    def predict(rows):
        if (rows["b"] == 500).any():
            raise ValueError("too large")
        return rows["a"].to_numpy()

    with pytest.raises(
        PredictionError, match=r"'b' \(grid values 0\.0 to 500\.0, rows 0 to 39 of X\): ValueError: too large"
    ) as caught:
        ice.explain(predict, X, grid={"b": [0.0, 500.0]}, progress=False)
    assert list(caught.value.explanation.table().index) == ["a"]


def test_an_explorer_names_its_button():
    """What is computed stays on the screen, and Resume computes the rest."""
    service = Service(ConnectionError("503"), 6)
    x = ice.ICEExplorer(service, X, method="brute")
    with pytest.raises(PredictionError) as caught:
        x.explanation  # noqa: B018
    assert 'press "Resume" in the explorer' in str(caught.value)
    service.fails_from = None
    x._background.resume()
    assert len(x.explanation) == 3
    x.close()


def test_log_odds_of_a_certain_row_name_the_row():
    """Its own prediction is as infinite as that of a phantom."""

    class SureOfLarge:
        classes_ = (0, 1)

        def predict_proba(self, rows):
            yes = np.where(rows["a"] > 1, 1.0, 0.5)
            return np.column_stack([1 - yes, yes])

        def predict(self, rows):
            return (rows["a"] > 1).astype(int)

    model = SureOfLarge()
    e = ice.explain(model, X, response="log_odds", grid={"a": [0.0, 0.5]}, features=["a"], progress=False)
    row = int(np.flatnonzero(X["a"] > 1)[0])
    with pytest.raises(PredictionError, match=rf"probability of 1 for row {row} of X\. Use `response"):
        e["a"]._predictions([row])
