"""Drafts in an explorer: bars of all features before they are exact, questions, cancel, resume and changes."""

from __future__ import annotations

import html
import json
import math
import threading
import time

import numpy as np
import pytest
from kernel_end import SECONDS, ask, wait_until
from numpy.testing import assert_allclose, assert_array_equal
from origins import read_provenance

import ice_explorer as ice
from ice_explorer import errors
from ice_explorer.scene.choices import DocumentState
from ice_explorer.widget import explorer as explorer_module
from ice_explorer.widget.work import Work
from ice_explorer.wire.header import DECAYS, METRICS, PROFILES

N_ROWS, N_FEATURES = 140, 12


class Slow:
    """A model that takes long for a call; after some calls it waits until `gate` is set."""

    def __init__(self, n_free=math.inf, factor=1.0):
        self.gate = threading.Event()
        self.n_free = n_free
        self.n_calls = 0
        self.factor = factor

    def predict(self, X):
        self.n_calls += 1
        if self.n_calls > self.n_free:
            assert self.gate.wait(SECONDS)
        elif self.n_calls < 4:
            time.sleep(0.2)  # so that the first draft is shown
        return self.factor * (X[:, 0] * X[:, 1] + 3 * X[:, 2] + np.sin(X).sum(axis=1))


@pytest.fixture(name="X")
def observations():
    return np.random.default_rng(0).normal(size=(N_ROWS, N_FEATURES))


@pytest.fixture
def held():
    """A model that is free for the first call and the first draft alone."""
    model = Slow(n_free=2)
    yield model
    model.gate.set()


def tables_of(explorer):
    impact = np.frombuffer(explorer._impact, "<f4").reshape(-1, len(METRICS))
    return impact, np.frombuffer(explorer._profile, "<f4")[: len(impact) * len(PROFILES) * len(DECAYS)].reshape(
        len(PROFILES), len(impact), -1
    )


def column(explorer, name):
    return tables_of(explorer)[0][:, METRICS.index(name)]


def has_draft(explorer):
    return explorer._status["n_rows"] is not None


def test_every_feature_has_a_bar_after_one_call_of_a_slow_model(make, X, held):
    """Figures of all features are there while the first one is still being computed; few grid values give no errors."""
    explorer = make(held, X)
    wait_until(lambda: has_draft(explorer))
    assert held.n_calls <= 3  # the call of the constructor, that of the draft, and the next one, which waits
    status = explorer._status
    n_rows = status["n_rows"]
    assert status == {
        "state": "computing", "done": 0, "total": N_FEATURES, "n_rows": n_rows, "n_all": N_ROWS,
        "label": status["label"], "message": "",
    }  # fmt: skip
    assert 1 < n_rows < N_ROWS
    assert [head["n_rows"] for head in explorer._header["features"]] == [n_rows] * N_FEATURES
    assert all(head["range"] is not None for head in explorer._header["features"])
    assert np.isfinite(column(explorer, "impact")).all()
    assert np.isnan(column(explorer, "impact_error")).all()
    profile = tables_of(explorer)[1]
    at = 74  # the decay of the view
    assert np.isfinite(profile[PROFILES.index("in_distribution_impact"), :, at]).all()
    assert np.isnan(profile[PROFILES.index("in_distribution_impact_error"), :, at]).all()


@pytest.mark.wide
def test_the_result_after_drafts_is_that_of_explain(make, X):
    """To the bit, and nothing of a draft is left in tables, header and status."""
    explorer = make(Slow(), X)
    wait_until(lambda: has_draft(explorer))
    found, expected = explorer.explanation, ice.explain(Slow(), X, progress=False)
    for name in expected.features:
        assert_array_equal(list(found[name].metrics().values()), list(expected[name].metrics().values()))
        assert_array_equal(found[name].curves, expected[name].curves)
    assert_array_equal(found.table(DECAYS), expected.table(DECAYS))
    assert found.notes == expected.notes
    wait_until(lambda: explorer._status["state"] == "ready")
    assert (explorer._status["n_rows"], explorer._status["n_all"]) == (None, None)
    assert [head["n_rows"] for head in explorer._header["features"]] == [None] * N_FEATURES
    assert np.isnan(column(explorer, "impact_error")).all()
    assert_allclose(column(explorer, "impact"), expected.table(rank_by=None)["impact"], rtol=1e-6)
    assert explorer._background.snapshot().drafts == {}


def test_a_cancelled_draft_answers_questions_and_resuming_makes_it_exact(make, X, held):
    """Curves are those of the sample, a picture states its rows, and accessors wait for the exact result."""
    explorer = make(held, X)
    wait_until(lambda: has_draft(explorer))
    ranked = np.argsort(-tables_of(explorer)[1][0, :, 74])
    assert explorer.feature == f"x{ranked[0]}"
    assert ask(explorer, "stop", type="cancel")[0]["type"] == "result"
    held.gate.set()
    wait_until(lambda: explorer._status["state"] == "cancelled")
    n_rows = explorer._status["n_rows"]
    assert explorer._status["message"] == (
        f"Cancelled: 0 of 12 features are exact, the others rest on a sample of {n_rows} of 140 rows."
    )
    assert np.isfinite(column(explorer, "impact")).all()
    reply, _ = ask(explorer, "curves", type="curves", feature="x7", max_lines=100, selection=[])
    assert (reply["type"], reply["body"]["n_lines"], len(reply["body"]["positions"])) == ("result", n_rows, n_rows)
    reply, (svg,) = ask(
        explorer, "export", type="export", format="svg", what="view", width=None, dpi=None, title=True, to="browser",
        choices={}, state={name: getattr(explorer, name) for name in vars(DocumentState())},
    )  # fmt: skip
    sample = f"sample of {n_rows} of {N_ROWS} rows"
    assert reply["type"] == "result"
    assert f'"sample": "{sample}"' in html.unescape(svg.decode())
    with pytest.raises(errors.Cancelled):
        _ = explorer.explanation
    assert ask(explorer, "resume", type="resume")[0]["type"] == "result"
    assert len(explorer.explanation) == N_FEATURES
    assert explorer._status["n_rows"] is None


@pytest.mark.wide
def test_features_become_exact_in_the_order_of_the_drafts(make, X, monkeypatch):
    """The open one first, then as the bars rank them."""
    order = []
    plain = Work.compute

    def watched(self, name, *others):
        order.append(name)
        return plain(self, name, *others)

    monkeypatch.setattr(Work, "compute", watched)
    model = Slow(n_free=2)
    explorer = make(model, X)
    wait_until(lambda: has_draft(explorer))
    explorer.feature = "x5"
    model.gate.set()
    assert explorer.explanation
    assert order[0] == "x5"
    assert sorted(order) == sorted(explorer._features)
    assert order.index("x2") < 4  # which moves predictions most


@pytest.mark.wide
def test_another_output_drafts_again(make, X):
    """Its figures are not those of the output before, and a draft of that one does not come late."""

    class Two(Slow):
        def predict(self, X):
            one = super().predict(X)
            return np.column_stack([one, 100 * one])

    model = Two(n_free=2)
    explorer = make(model, X, output=0)
    wait_until(lambda: has_draft(explorer))
    before = column(explorer, "impact")
    model.n_free = 10**6
    model.gate.set()
    explorer.output = explorer._header["outputs"][1]
    assert not has_draft(explorer) or (column(explorer, "impact") > 50 * before).all()
    expected = ice.explain(Two(), X, output=1, progress=False).table(rank_by=None)["impact"]
    assert_allclose(explorer.explanation.table(rank_by=None)["impact"], expected, rtol=1e-12)


def test_several_models_are_drafted_on_the_same_rows(make, X):
    """Bars of all models and how far they disagree are there before anything is exact."""
    models = {"one": Slow(n_free=5), "two": Slow(n_free=5, factor=2.0)}
    explorer = make(models, X[:, :3])
    try:
        wait_until(lambda: has_draft(explorer))
        assert explorer._status["done"] == 0
        impact = np.frombuffer(explorer._models_impact, "<f4").reshape(2, 3, -1)[:, :, 0]
        assert_allclose(impact[1], 2 * impact[0], rtol=1e-5)
        disagreement = np.frombuffer(explorer._profile, "<f4")[-3 * len(DECAYS) :].reshape(3, -1)
        assert (disagreement[:, 74] > 0).all()
    finally:
        for model in models.values():
            model.gate.set()
    assert explorer.models.table().shape[0] == 3
    assert explorer._status["n_rows"] is None


def test_an_explanation_within_a_budget_is_shown_as_the_sample_that_it_is(make, X):
    """Its status is ready, its bars have standard errors as their grid is whole, and files state the rows."""
    rows = np.tile(X, (4, 1)) + 0.01 * np.arange(4 * N_ROWS)[:, None]
    e = ice.explain(Slow(), rows, grid_size=5, budget=0.2, progress=False)
    explorer = make(e)
    n_rows = explorer._status["n_rows"]
    assert explorer._status["state"] == "ready"
    assert (n_rows, explorer._status["n_all"]) == (len(e["x0"].rows), 4 * N_ROWS)
    assert (column(explorer, "impact_error")[:2] > 0).all()


@pytest.mark.wide
def test_a_given_explanation_and_a_rescaled_one_have_no_drafts(make, X):
    """Their results are there, or follow from those that are."""
    e = ice.explain(lambda rows: rows[:, 0], X, progress=False)
    assert make(e)._background.snapshot().drafts == {}
    explorer = make(Slow(n_free=10**6), X[:, :3], distance="conditional")
    assert len(explorer.explanation) == 3
    assert explorer._status["n_rows"] is None


def test_a_model_that_fails_on_a_draft_fails_with_the_error_of_its_feature(make, X):
    """Although the call was one for several features."""

    class Failing(Slow):
        def predict(self, rows):
            found = super().predict(rows)
            if (rows[:, 1] == X[:, 1].max()).any() and self.n_calls > 1:
                raise RuntimeError("Too large.")
            return found

    with pytest.raises(errors.PredictionError) as caught:
        ice.explain(Failing(), X, progress=False)
    explorer = make(Failing(), X)
    wait_until(lambda: explorer._status["state"] == "error")
    assert explorer._status["message"].partition(" (grid")[0] == str(caught.value).partition(" (grid")[0]
    assert explorer._background.snapshot().drafts == {}


@pytest.mark.wide
def test_no_draft_is_made_where_a_program_runs_the_notebook(make, X, monkeypatch):
    """Nobody would look at it, and the saved notebook does not depend on the speed of the machine."""
    monkeypatch.setattr(explorer_module, "is_unattended", lambda: True)
    monkeypatch.setattr(Work, "draft", lambda *_: pytest.fail("A draft was made."))
    explorer = make(Slow(), X)
    assert explorer._status["state"] == "ready"


def test_saved_numbers_of_a_sample_state_it(X, tmp_path):
    """The provenance of a table tells how many rows its figures rest on."""
    e = ice.explain(Slow(), X, budget=0.1, progress=False)
    e.save(tmp_path / "numbers.json")
    content = json.loads((tmp_path / "numbers.json").read_text(encoding="utf-8"))
    assert f"sample of {len(e['x0'].rows)} of 140 rows" in json.dumps(content)
    assert read_provenance(tmp_path / "numbers.json")["sample"].startswith("sample of ")
