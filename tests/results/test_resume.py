"""A model that fails for reasons of its own: the cause comes first, and an explorer resumes with the next block."""

import copy

import numpy as np
import pandas as pd
import pytest

import ice_explorer as ice
from ice_explorer.errors import Cancelled, PredictionError
from ice_explorer.plan import prepare
from ice_explorer.results.options import Options

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


@pytest.mark.parametrize("error", [ConnectionError("503"), TimeoutError("no answer"), RuntimeError("quota exceeded")])
def test_the_cause_comes_first_and_the_grid_is_not_blamed(error):
    """Errors of the network are known by their class, others by the rows that the model predicted before."""
    service = Service(error, 4)
    found = failed(service)
    assert str(found) == (
        f"The model failed: {type(error).__name__}: {error}. It was predicting phantom observations of 'b', whose "
        'values are not the reason. Call `explain` again, or press "Resume" in the explorer, when the model works.'
    )
    assert found.__cause__ is error
    assert str(copy.copy(found)) == str(found)  # as workers of joblib do
    if not isinstance(error, RuntimeError):  # else halves of the block are predicted to find a phantom to blame
        assert service.n_calls <= 6  # another thread may be calling it


class Counted:
    """A model that is down for the call of a number, and tells how many rows it predicted in the others."""

    def __init__(self, down=None):
        self.down = down
        self.sizes = []
        self.n_calls = 0

    def __call__(self, rows):
        self.n_calls += 1
        if self.n_calls == self.down:
            raise ConnectionError("503")
        self.sizes.append(len(rows))
        columns = rows.to_numpy()
        return np.sin(columns[:, 0]) * np.exp(columns[:, 1]) + np.where(columns[:, 2] > 0, columns[:, 1], 0.1)


@pytest.mark.parametrize(
    ("down", "options"),
    [
        (4, {}),
        (11, {"sample": 30}),
        (17, {"sample_weight": np.linspace(1, 2, 40)}),
        (22, {}),
    ],
)
def test_blocks_of_the_feature_that_failed_are_kept(down, options):
    """No row is predicted twice, and every figure is the same to the last bit."""
    options = {"memory_limit": 60_000, "method": "brute", **options}
    undisturbed = Counted()
    expected = ice.explain(undisturbed, X, progress=False, **options)
    assert len(undisturbed.sizes) > 15
    model, results = Counted(down), {}
    plan = prepare(model, X, Options(**options))
    with pytest.raises(PredictionError):
        results.update((name, plan.compute(name)) for name in plan.features)
    resumed = plan.explanation({name: results.get(name) or plan.compute(name) for name in plan.features})
    assert sum(model.sizes) == sum(undisturbed.sizes)
    pd.testing.assert_frame_equal(resumed.table(), expected.table(), check_exact=True)
    assert resumed.notes == expected.notes
    for feature in expected.values():
        np.testing.assert_array_equal(resumed[feature.feature].curves, feature.curves)


def test_a_feature_that_was_cancelled_continues_with_the_next_block():
    """Another feature that is computed meanwhile changes nothing."""
    options = {"memory_limit": 60_000, "method": "brute"}
    expected = ice.explain(Counted(), X, progress=False, **options).table()
    model = Counted()
    plan = prepare(model, X, Options(**options))
    before = len(model.sizes)
    with pytest.raises(Cancelled):
        plan.compute("a", cancelled=lambda: len(model.sizes) > before + 4)
    results = {name: plan.compute(name) for name in ("b", "a", "c")}
    pd.testing.assert_frame_equal(plan.explanation(results).table(), expected, check_exact=True)


def test_a_failure_that_is_over_when_it_is_looked_at_is_no_phantom_either():
    """One call failed; the same phantoms are predicted when they are computed again."""
    service = Service(RuntimeError("busy"), None)

    def predict(rows):
        service.n_calls += 1
        if service.n_calls == 5:
            raise RuntimeError("busy")
        return rows["a"].to_numpy() * rows["b"].to_numpy()

    assert str(failed(predict)).startswith("The model failed: RuntimeError: busy. It was predicting phantom")


def test_an_explorer_names_its_button():
    """What is computed stays on the screen, and Resume computes the rest."""
    service = Service(ConnectionError("503"), 6)
    x = ice.ICEExplorer(service, X, method="brute")
    with pytest.raises(PredictionError) as caught:
        x.explanation  # noqa: B018
    message = str(caught.value)
    name = message.partition("observations of ")[2][:3]
    assert message == (
        f"The model failed: ConnectionError: 503. It was predicting phantom observations of {name}, whose values are "
        'not the reason. Call `explain` again, or press "Resume" in the explorer, when the model works.'
    )
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
