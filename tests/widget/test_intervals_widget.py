"""Intervals in an explorer: the trait, replies to its page, and what files keep of them."""

from __future__ import annotations

import json
from itertools import pairwise

import kernel_end
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from origins import picture_origin, read_provenance

import ice_explorer as ice
from ice_explorer.scene.build import ranking_of
from ice_explorer.scene.choices import ViewState
from ice_explorer.widget.static_picture import picture
from ice_explorer.wire import replies

ENDS = ("impact_low", "impact_high", "rank_low", "rank_high")


@pytest.fixture(name="X")
def observations():
    generator = np.random.default_rng(0)
    return pd.DataFrame(generator.normal(size=(50, 4)), columns=["one", "two", "three", "none"])


class Model:
    """A model that counts its calls; the first two features have nearly the same impact."""

    def __init__(self):
        self.n_calls = 0

    def __call__(self, X):
        self.n_calls += 1
        return (X["one"] * (1 + 0.5 * np.sign(X["three"])) + X["two"] + 0.2 * (X["three"] > 0)).to_numpy()


def ask(explorer, request_id="a", **changed):
    request = {
        "type": "intervals", "rank_by": "impact", "level": 0.9, "decay": 0.75,
        **changed,
    }  # fmt: skip
    reply, _ = kernel_end.ask(explorer, request_id, **request)
    return reply


def pairs_of(explorer, body):
    return [(explorer._features[first], explorer._features[second]) for first, second in body["intervals"]["tied"]]


def test_the_browser_is_told_intervals_and_ties(make, X):
    """Those of `table`, in the order of the header, without calling the model."""
    model = Model()
    explorer = make(model, X)
    table = explorer.explanation.table(rank_by="impact", ci=0.9).loc[explorer._features]
    n_calls = model.n_calls
    reply = ask(explorer)
    assert reply["type"] == "result"
    assert (reply["body"]["n_known"], reply["body"]["n_features"]) == (4, 4)
    for name, column in zip(("low", "high", "rank_low", "rank_high"), ENDS, strict=True):
        assert_array_equal(reply["body"]["intervals"][name], table[column], err_msg=name)
    ranked = explorer.explanation.table(rank_by="impact", ci=0.9)
    tied = [pair for pair, is_tied in zip(pairwise(ranked.index), ranked["tied_with_next"], strict=False) if is_tied]
    assert pairs_of(explorer, reply["body"]) == tied != []
    assert model.n_calls == n_calls


def test_a_reply_has_as_many_features_as_time_allows(make, X, monkeypatch):
    """The page repeats its request; each reply takes half a second, and one of them is the last."""
    monkeypatch.setattr(replies, "_SECONDS_OF_REPLY", -1.0)
    explorer = make(Model(), X)
    assert explorer.explanation
    found = [ask(explorer, str(at), decay=0.3) for at in range(4)]
    assert [reply["body"]["n_known"] for reply in found] == [1, 2, 3, 4]
    assert [reply["body"]["intervals"] is None for reply in found] == [True, True, True, False]


def test_curves_come_between_two_features(make, X, monkeypatch):
    """A click on a bar is answered while influences are computed for the intervals."""
    explorer = make(Model(), X)
    explanation = explorer.explanation
    of_feature = type(explanation["one"])._row_influences
    clicks = ["one"]

    def influences(feature, *arguments):
        if feature.label in clicks:
            clicks.clear()
            request = {"id": "b", "type": "curves", "feature": "two", "max_lines": 3, "selection": []}
            explorer.comm.receive({"method": "custom", "content": request})
        return of_feature(feature, *arguments)

    monkeypatch.setattr(type(explanation["one"]), "_row_influences", influences)
    assert ask(explorer)["type"] == "result"
    custom = [message["data"]["content"] for message in explorer.comm.sent if message["data"]["method"] == "custom"]
    assert [reply["id"] for reply in custom] == ["b", "a"]


def test_nothing_is_measured_while_features_are_computed(make, X):
    """The request is cancelled: ranks and ties are of all features."""
    explorer = make(Model(), X)
    assert explorer.explanation
    explorer._background._state = "computing"
    assert ask(explorer) == {"id": "a", "type": "cancelled"}
    explorer._background._state = "ready"


@pytest.mark.parametrize(
    ("value", "kept"), [(True, 0.95), (False, None), (None, None), (0.8, 0.8), (np.float32(0.5), 0.5), (np.True_, 0.95)]
)
def test_intervals_are_switched_on_by_true_or_a_level(make, X, value, kept):
    """What is read is the level, or None."""
    explorer = make(Model(), X)
    explorer.ci = value
    assert explorer.ci == kept
    assert type(explorer.ci) is type(kept)
    assert explorer.state()["ci"] == kept
    assert make(Model(), X, state=json.loads(json.dumps(explorer.state()))).ci == kept


def test_the_table_has_the_intervals_that_are_shown(make, X):
    """None at first."""
    explorer = make(Model(), X)
    assert not [name for name in explorer.table.columns if name.endswith("_low")]
    explorer.ci, explorer.rank_by = 0.9, "impact"
    pd.testing.assert_frame_equal(explorer.table, explorer.explanation.table(rank_by="impact", ci=0.9))


def test_bars_have_the_intervals_of_the_table(X):
    """The scene of every figure."""
    e = ice.explain(Model(), X, progress=False)
    ranking = ranking_of(e, ViewState(ci=0.95, rank_by="impact"))
    table = e.table(rank_by="impact", ci=0.95)
    assert [bar.interval for bar in ranking.bars] == list(zip(table["impact_low"], table["impact_high"], strict=True))
    assert table["tied_with_next"].tolist() == [True, False, False, False]
    assert ranking.longest == max(table["impact_high"])
    plain = ranking_of(e, ViewState(rank_by="impact"))
    assert plain.level is None
    assert {bar.interval for bar in plain.bars} == {None}


def test_files_name_the_level_and_draw_the_whiskers(make, X, tmp_path):
    """A picture has them in its code; a table has the columns."""
    explorer = make(Model(), X)
    explorer.ci = 0.9
    path = explorer.save(tmp_path / "view.svg")
    found = read_provenance(path)
    assert found["ci"] == 0.9
    assert "x.ci = 0.9; " in found["code"]
    table = pd.read_csv(explorer.save(tmp_path / "view.csv"))
    assert {"impact_low", "impact_high", "rank_low", "rank_high"} <= set(table.columns)


def test_the_picture_beside_an_explorer_does_not_wait_for_intervals(X):
    """It has them where they are at hand, and its code names what it shows."""
    e = ice.explain(Model(), X, progress=False)
    state = ViewState(ci=0.95)
    assert picture_origin(picture(e, state))["ci"] is None
    assert e._unmeasured(0.75)
    for text in (picture(e, state, waits=True), picture(e, state)):
        found = picture_origin(text)
        assert found["ci"] == 0.95
        assert "x.ci = 0.95" in found["code"]


def test_a_panel_has_no_ranking_and_computes_no_intervals(make, X, tmp_path):
    """Its code names what it shows; a JSON has the metrics, and so the intervals."""
    explorer = make(Model(), X)
    explorer.ci = True
    found = read_provenance(explorer.save(tmp_path / "panel.svg", "panel"))
    assert found["ci"] is None
    assert "ci" not in found["code"]
    assert explorer.explanation._unmeasured(0.75)
    metrics = json.loads(explorer.save(tmp_path / "panel.json", "panel").read_text(encoding="utf-8"))["metrics"]
    assert {"impact_low", "rank_high"} <= set(metrics[0])
