"""Measures of importance, requested by a browser: bit by bit, kept, and the same as from Python."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression

from ice_explorer.beyond import measuring
from ice_explorer.widget import replies


@pytest.fixture(name="X")
def observations():
    generator = np.random.default_rng(0)
    return pd.DataFrame(generator.normal(size=(60, 3)), columns=["one", "two", "three"])


@pytest.fixture(name="y")
def observed(X):
    return 3 * X["one"] + X["two"]


@pytest.fixture(name="forest")
def fitted_forest(X, y):
    return RandomForestRegressor(n_estimators=4, random_state=0).fit(X, y)


@pytest.fixture(name="ask")
def asking(ask):
    """Request a measure of an explorer until it is complete, and return all replies."""

    def ask_until_complete(explorer, measure):
        replies = []
        while not replies or (replies[-1]["type"] == "result" and replies[-1]["body"]["share_done"] < 1):
            replies.append(ask(explorer, type="importance", measure=measure)[0])
        return replies

    return ask_until_complete


@pytest.mark.parametrize(
    "measure", ["native", "permutation", "partial_dependence", "loco", pytest.param("shap", marks=pytest.mark.slow)]
)
def test_a_measure_comes_bit_by_bit(make, ask, forest, X, y, monkeypatch, measure):  # noqa: PLR0917 - fixtures
    """Each request continues where the last one ended; in the end it is that of `Explanation.importances`, and kept."""
    if measure == "shap":
        pytest.importorskip("shap")
    monkeypatch.setattr(replies, "_SECONDS_OF_REPLY", -1.0)
    explorer = make(forest, X, y)
    expected = explorer.explanation.importances(y, measure)
    found = ask(explorer, measure)
    shares = [reply["body"]["share_done"] for reply in found]
    assert shares == sorted(shares)
    assert len(shares) > 1
    assert all(reply["body"]["features"] == [] for reply in found[:-1])
    body = found[-1]["body"]
    assert [figure["feature"] for figure in body["features"]] == list(X)
    assert_allclose([figure["importance"] for figure in body["features"]], expected.importances[measure], rtol=1e-12)
    assert ask(explorer, measure) == [{**found[-1], "id": str(len(found))}]


def test_what_is_missing_is_said(make, ask, forest, X, y, monkeypatch):  # noqa: PLR0917 - fixtures
    """Without y there is no score; a function has no importance of its own, and LOCO cannot fit it."""
    monkeypatch.setattr(measuring.importances, "HAS_SHAP", False)
    without, function = make(forest, X), make(forest.predict, X, y)
    assert None not in (without.explanation, function.explanation)
    problems = {
        (without, "permutation"): "Permutation importance needs the observed target. Call `ICEExplorer(model, X, y)`.",
        (without, "loco"): "LOCO needs the observed target. Call `ICEExplorer(model, X, y)`.",
        (
            without,
            "shap",
        ): "The measure 'shap' needs SHAP, which is not installed. Run `pip install 'ice-explorer[shap]'`.",
        (function, "native"): "The model has no `feature_importances_` or `coef_` by feature. Choose another measure.",
        (function, "loco"): (
            "LOCO fits the model again, so it needs an estimator of scikit-learn with one output. "
            "Choose another measure."
        ),
    }
    for (explorer, measure), problem in problems.items():
        body = ask(explorer, measure)[-1]["body"]
        assert (body["problem"], body["features"], body["share_done"]) == (problem, [], 1)


def test_notes_and_rows_come_with_the_figures(make, ask, X, y, monkeypatch):
    """Coefficients in units that differ, features that depend on others, and a score on some rows."""
    monkeypatch.setattr(measuring, "_MOST_SCORED", 40)
    X = X.assign(three=100 * X["one"])
    explorer = make(LinearRegression().fit(X, y), X, y)
    assert explorer.explanation is not None
    native = ask(explorer, "native")[-1]["body"]
    assert native["are_coefficients"]
    assert native["notes"] == [
        "Coefficients depend on the units of their columns: compare those of standardised columns."
    ]
    permuted = ask(explorer, "permutation")[-1]["body"]
    assert (permuted["n_rows"], permuted["n_observations"]) == (40, 60)
    (note,) = permuted["notes"]
    assert "'one and three'" in note


def test_an_error_of_the_model_is_the_reply_and_the_next_request_tries_again(make, ask, X, y):
    """A measure is not lost by one failure."""

    class Model(LinearRegression):
        fails = False

        def score(self, X, y, sample_weight=None):
            if Model.fails:
                raise RuntimeError("no score today")
            return super().score(X, y, sample_weight)

    explorer = make(Model().fit(X, y), X, y)
    assert explorer.explanation is not None
    Model.fails = True
    (reply,) = ask(explorer, "permutation")
    assert reply["type"] == "error"
    assert reply["message"].startswith("The model failed while it was scored: RuntimeError: no score today")
    Model.fails = False
    assert ask(explorer, "permutation")[-1]["body"]["share_done"] == 1


@pytest.mark.slow
def test_random_numbers_of_the_user_stay_as_they_were(make, ask, forest, X, y):
    """SHAP seeds NumPy's global generator; the user's own is put back."""
    pytest.importorskip("shap")
    explorer = make(forest, X, y)
    assert explorer.explanation is not None
    np.random.seed(7)  # noqa: NPY002
    expected = np.random.get_state()[1].copy()  # noqa: NPY002
    ask(explorer, "shap")
    assert np.array_equal(np.random.get_state()[1], expected)  # noqa: NPY002
