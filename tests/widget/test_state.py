"""The state of an explorer: there and back, on other data, through the browser, and when it is broken."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from kernel_end import set_from_page, threads, wait_until, warns
from sklearn.linear_model import LogisticRegression

import ice_explorer as ice
from ice_explorer.scene.choices import ViewChoices
from ice_explorer.widget.explorer import ICEExplorer

N = 30
X = pd.DataFrame(np.random.default_rng(0).normal(size=(N, 3)), columns=["a", "b", "c"])
# One of each choice, none at its default.
VIEW = {
    "left": "interactions",
    "right": "all",
    "pair": ["a", "b"],
    "compared": ["a", "b"],
    "coloring": "median",
    "shared_y": False,
    "target": True,
    "classes": True,
    "models": False,
    "ale": True,
    "axis": "rank",
    "fade": "distance",
    "filters": {"c": {"hidden": ["Oslo", None]}},
}
SET = {
    "feature": "b",
    "color_by": "c",
    "kind": "c-ice",
    "decay": 0.31,
    "rank_by": "heterogeneity",
    "convention": "paper",
    "ci": 0.9,
    "anchor": 0.25,
    "max_lines": 12,
    "selection": [2, 29],
    "output": "1",
    "response": "log_odds",
    "distance": "conditional",
}


def numbered(rows):
    return rows["a"].to_numpy()


@pytest.fixture(scope="module", name="classifier")
def three_classes():
    """Classes 0, 1 and 2, which as texts are labels and as numbers positions, too."""
    return LogisticRegression().fit(X, np.arange(N) % 3)


def changed(make, classifier):
    """An explorer of which everything was set."""
    explorer = make(classifier, X, output=2)
    for name, value in SET.items():
        setattr(explorer, name, value)
    set_from_page(explorer, _view=VIEW)
    return explorer


def test_the_test_sets_every_choice(make, classifier):
    """A new trait or choice belongs into this file's tables, so that it is tested, too."""
    assert set(SET) == set(ICEExplorer._public_traits()) - {"model"}  # which one model does not have
    assert set(VIEW) == set(vars(ViewChoices()))
    fresh = make(classifier, X, output=2).state()
    assert [name for name, value in SET.items() if fresh[name] == value] == []


@pytest.mark.current  # it counts warnings, and traitlets warned of anywidget
def test_there_and_back_through_json(make, classifier):
    """A new explorer of the same data looks the same in all that was set, and says nothing of it."""
    state = changed(make, classifier).state()
    assert state == {"version": 2, **SET, "model": "", "view": VIEW}
    wait_until(lambda: not threads())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = make(classifier, X, state=json.loads(json.dumps(state, allow_nan=False)))
    assert again.state() == state
    assert again.explanation.output_label == "log-odds of 1"
    opening = again.comm.opening["data"]["state"]
    assert {name: opening[name] for name in SET} == SET
    assert opening["_view"] == VIEW
    assert again._header["notes"] == []


def test_a_state_is_a_copy(make, classifier):
    """What is done to a state does nothing to the explorer it came from."""
    explorer = changed(make, classifier)
    state = explorer.state()
    state["view"]["filters"]["c"]["hidden"][0] = "Rome"
    state["selection"].append(3)
    assert explorer.state() == {"version": 2, **SET, "model": "", "view": VIEW}


def test_an_explanation_is_restored_too(make, classifier):
    """An explanation has its output, and the rest is as the state says."""
    state = changed(make, classifier).state()
    explanation = ice.explain(classifier, X, output=1, response="log_odds", convention="paper")
    assert make(explanation, state=state).state() == state


def test_a_part_of_a_state_sets_that_part(make):
    """What a state does not name is as in any new explorer."""
    explorer = make(numbered, X, state={"version": 2, "kind": "d-ice"})
    fresh = make(numbered, X)
    assert explorer.explanation
    assert fresh.explanation
    assert explorer.state() == {**fresh.state(), "kind": "d-ice"}


def test_the_output_of_a_state_is_explained_from_the_start(make, classifier):
    """It need not be given besides, nor is another one computed first; the options give way."""
    state = {"version": 2, "output": "2"}
    assert make(classifier, X, state=state).explanation.output_label == "probability of 2"
    assert make(classifier, X, output=0, state=state).explanation.output_label == "probability of 2"
    words = LogisticRegression().fit(X, np.array(["low", "mid", "high"])[np.arange(N) % 3])
    assert make(words, X, state={"version": 2, "output": "mid"}).output == "mid"


@pytest.mark.current
def test_a_position_is_not_taken_for_a_label(make):
    """The state of classes 0 and 1 names no class of a model of words, though 1 is a position of one."""
    words = LogisticRegression().fit(X, np.array(["low", "high"])[np.arange(N) % 2])
    with warns("^The saved state ") as caught:
        explorer = make(words, X, state={"version": 2, "output": "0"})
    assert explorer.output == "low"
    assert [str(warning.message) for warning in caught] == [
        "The saved state refers to the output '0', which is not available; using 'low'."
    ]


@pytest.mark.current
def test_the_heat_map_of_a_column_that_is_gone_is_not_opened(make):
    """Any column of X will do, a feature or not."""
    kept = {"version": 2, "view": {"pair": ["a", "b"]}}
    explorer = make(numbered, X, features=["a"], state=kept)
    assert explorer.explanation
    assert explorer.state()["view"] == {"pair": ["a", "b"]}
    with warns("^The saved state ") as caught:
        explorer = make(numbered, X, state={"version": 2, "view": {"pair": ["a", "gone"]}})
    assert [str(warning.message) for warning in caught] == [
        "The saved state has a 'pair' that is not among the columns of X; ignored: 'gone'."
    ]
    assert explorer.state()["view"] == {}


@pytest.mark.current
def test_what_other_data_lack_is_said_and_the_rest_is_restored(make, classifier):
    """One warning in Python, one note for each in the view, also after the result is there."""
    state = changed(make, classifier).state()
    others = X.rename(columns={"b": "d", "c": "e"}).iloc[:10]
    with warns("^The saved state ") as caught:
        explorer = make(numbered, others, state=state)
    sentences = [
        "The saved state refers to the output '1', which is not available; using the only one.",
        "The saved state refers to the response 'log_odds', which is not available; using 'callable'.",
        "The saved state has a 'feature' that is not among the explained features; ignored: 'b'.",
        "The saved state has a 'color_by' that is not among the columns of X; ignored: 'c'.",
        "The saved state has a 'selection' that is not among the rows of X; ignored: 29.",
        "The saved state has a 'compared' that is not among the explained features; ignored: 'b'.",
        "The saved state has a 'pair' that is not among the columns of X; ignored: 'b'.",
    ]
    assert [str(warning.message) for warning in caught] == [" ".join(sentences)]
    assert Path(caught[0].filename).name == "conftest.py"  # where the explorer is made
    assert explorer.explanation
    notes = [note["text"] for note in explorer._header["notes"] if note["feature"] is None]
    assert notes[-len(sentences) :] == sentences
    assert explorer.state() == {
        **state,
        "feature": "a",
        "color_by": None,
        "selection": [2],
        "output": "",
        "response": "callable",
        "view": {**{name: choice for name, choice in VIEW.items() if name != "pair"}, "compared": ["a"]},
    }


@pytest.mark.parametrize(
    ("view", "sentence"),
    [
        (5, "`state['view']` must be {}; got 5."),
        ({"left": "bars", "right": "nowhere"}, "`state['view']['right']` must be {}; got 'nowhere'."),
        (
            {"filters": {"a": {"range": [0, 1]}}},
            "`state['view']['filters']` must be {}; got {{'a': {{'range': [0, 1]}}}}.",
        ),
    ],
)
def test_a_broken_choice_of_the_browser_is_not_taken(make, view, sentence):
    """Nothing of it is, nor of what was set together with it; the page gets the reason and the values that remain."""
    explorer = make(numbered, X, state={"version": 2, "view": VIEW})
    assert explorer.explanation
    states, others = set_from_page(explorer, _view=view, kind="c-ice")
    assert (explorer.state()["view"], explorer.kind) == (VIEW, "ice")
    message = sentence.format("as `state()` of an explorer writes it") + " Leave it out for the default."
    assert others == [{"type": "refused", "message": message}]
    assert states == [{"_view": VIEW, "kind": "ice"}]
