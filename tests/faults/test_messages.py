"""Faults of messages: whatever a page sends has one reply or is logged, and values are set together or not at all."""

from __future__ import annotations

import copy
import json
import logging
from contextlib import contextmanager
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_end import Model, Wire, ask, observations, set_from_page
from sklearn.base import BaseEstimator, ClassifierMixin

from ice_explorer import errors
from ice_explorer.results.options import KINDS, METRIC_RANKINGS, RANKINGS
from ice_explorer.scene.choices import DocumentState
from ice_explorer.widget.explorer import ICEExplorer
from ice_explorer.widget.traits import checked
from ice_explorer.widget.work import Work
from ice_explorer.wire import requests

# 75 examples of each test here by default; `make test-all` takes thousands.
fuzz = settings(max_examples=max(75, settings().max_examples * 3 // 4))

N_ROWS = 24
OF_KERNEL = ("_status", "_header", "_impact", "_profile", "_esm", "_css", "_model_name", "_dom_classes", "layout")
HEARD = (*ICEExplorer._public_traits(), "_view", "_given")


# --- values that are near what is right ---------------------------------------------------------------

LETTERS = st.characters(exclude_categories=())  # halves of letters, too
LARGE = [2**31, 2**53, 2**63, 2**64, 2**70, 10**400, -(2**70), 1e308, float("nan"), float("inf"), float("-inf")]
NUMBERS = st.sampled_from([-1, 0, 1, 2, N_ROWS - 1, N_ROWS, 0.5, 1.5, -0.0, *LARGE]) | st.integers() | st.floats()
KNOWN = (
    ", x, town, gap, t, no, view, panel, all, feature, svg, pdf, html, csv, browser, notebook, ice, c-ice, d-ice, min, "
    "own, impact, stable, share, sd, map, hidden, range, zoom, 0, 1, 2, predict_proba, log_odds, later, ../x, a\0b"
)
WORDS = st.sampled_from(KNOWN.split(", ")) | st.text(LETTERS, max_size=8)
LONG = st.sampled_from([[0] * 5000, ["x"] * 5000, "x" * 100_000, {str(n): n for n in range(2000)}])
PLAIN = st.none() | st.booleans() | NUMBERS | WORDS
JSON = st.recursive(
    PLAIN | LONG,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=8,
)

SWITCHES = ("shared_y", "target", "classes", "ale")
VALID_VIEW = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(SWITCHES, st.booleans()),
        "left": st.sampled_from(["bars", "interactions"]),
        "pair": st.sampled_from([[], ["x", "gap"], ["gap", "town"], ["x", "x"], ["x", "none"]]),
        "right": st.sampled_from(["feature", "all"]),
        "compared": st.lists(st.sampled_from(["x", "town", "gap", "none"]), max_size=3),
        "coloring": st.sampled_from(["value", "median", "driver"]),
        "fade": st.sampled_from(["unlike", "distance"]),
        "filters": st.dictionaries(
            st.sampled_from(["x", "town"]),
            st.fixed_dictionaries({"hidden": st.lists(WORDS | st.none(), max_size=2)}),
            max_size=1,
        ),
    },
)
VALID_TRAITS = {
    "feature": st.sampled_from(["x", "town", "gap", "", 0, 2]),
    "color_by": st.sampled_from([None, "x", "town", "gap"]),
    "kind": st.sampled_from(KINDS),
    "decay": st.sampled_from([0.01, 0.5, 1, 1.0]),
    "rank_by": st.sampled_from(METRIC_RANKINGS),
    "convention": st.sampled_from(["step", "paper"]),
    "ci": st.sampled_from([None, True, False, 0.5, 0.95]),
    "anchor": st.sampled_from(["min", "max", "median", "own", 0, 0.5, 1e300]),
    "max_lines": st.sampled_from([1, 5, 2**40]),
    "selection": st.lists(st.integers(0, N_ROWS - 1), max_size=5),
    "output": st.sampled_from(["", "0", "1", "2"]),
    "response": st.sampled_from(["", "predict_proba", "log_odds", "decision_function"]),
    "model": st.just(""),
    "distance": st.sampled_from(["", "marginal"]),
    "_view": VALID_VIEW,
    "_given": st.sampled_from([[], ["max_lines"], ["max_lines", "later"]]),
}
STATES = st.fixed_dictionaries({name: VALID_TRAITS[name] for name in vars(DocumentState())})
POSITIONS = st.lists(st.integers(0, N_ROWS - 1), max_size=5)
FEATURES = st.sampled_from(["x", "town", "gap"])


def request(kinds, optional=None, **fields):
    """A request of one of some types, given as a text each."""
    return st.fixed_dictionaries({"type": st.sampled_from(kinds.split()), **fields}, optional=optional or {})


REQUESTS = st.one_of(
    request("interactions cancel resume"),
    request("drivers effects correlated", feature=FEATURES),
    request("curves", feature=FEATURES, max_lines=st.integers(0, 9), selection=POSITIONS),
    request("classes", feature=FEATURES, max_lines=st.integers(0, 9)),
    request("colors", {"levels": st.none() | st.lists(WORDS, max_size=2)}, column=FEATURES, positions=POSITIONS),
    request(
        "intervals",
        rank_by=st.sampled_from(RANKINGS),
        level=st.sampled_from([0.5, 0.95]),
        decay=VALID_TRAITS["decay"],
    ),
    request("two_way", first=FEATURES, second=FEATURES),
    request(
        "rows",
        {"sort_by": st.none() | st.integers(0, 9), "descending": st.booleans(), "most": st.none() | st.integers(0, 3)},
        positions=POSITIONS,
    ),
    request("what_if", position=st.integers(0, N_ROWS - 1), features=st.lists(FEATURES, min_size=1, max_size=3)),
    request("in_common", positions=POSITIONS),
    request("extreme", end=st.sampled_from(get_args(requests.Extreme))),
    request(
        "export",
        format=st.sampled_from(["svg", "csv", "json"]),
        what=st.sampled_from(["view", "panel"]),
        width=st.none() | st.just(89),
        dpi=st.none() | st.just(100),
        to=st.sampled_from(["browser", "notebook"]),
        state=STATES,
        choices=VALID_VIEW,
    ),
)


@st.composite
def mutated(draw, valid, n_changes=3):
    """What is valid, with a few entries at any depth replaced, left out or added."""
    whole = copy.deepcopy(draw(valid))  # strategies hand out lists of their own
    for _ in range(draw(st.integers(0, n_changes))):
        places = list(_places(whole))
        if not places:
            return draw(JSON)
        place, key = draw(st.sampled_from(places))
        how = draw(st.sampled_from(["replace", "replace", "remove", "add"]))
        if how == "replace":
            place[key] = draw(JSON)
        elif how == "remove":
            del place[key]
        elif isinstance(place, dict):
            place[draw(WORDS)] = draw(JSON)
        else:
            place.insert(0, draw(JSON))
    return whole


def _places(whole):
    entries = whole.items() if isinstance(whole, dict) else enumerate(whole)
    for key, value in list(entries):
        yield whole, key
        if isinstance(value, (dict, list)) and len(value) < 20:
            yield from _places(value)


# --- an explorer on a wire ----------------------------------------------------------------------------


@pytest.fixture(scope="module", name="X")
def rows():
    rng = np.random.default_rng(0)
    gap = rng.normal(size=N_ROWS)
    gap[::5] = np.nan
    town = pd.Categorical(rng.choice(["Oslo", "Rome", "Riga"], N_ROWS))
    return pd.DataFrame({"x": rng.normal(size=N_ROWS), "town": town, "gap": gap})


class Classes(ClassifierMixin, BaseEstimator):
    """Three classes, by a few sums."""

    classes_ = np.arange(3)

    def predict_proba(self, rows):
        x, gap = rows["x"].to_numpy(), np.nan_to_num(rows["gap"].to_numpy(), nan=0.5)
        scores = np.exp(np.column_stack([x, (rows["town"] == "Oslo") * x, gap]))
        return scores / scores.sum(axis=1, keepdims=True)

    def predict(self, rows):
        return self.predict_proba(rows).argmax(axis=1)


class Log(logging.Handler):
    """Keeps what is logged."""

    def __init__(self):
        super().__init__()
        self.records = []

    def emit(self, record):
        self.records.append(record)


@pytest.fixture(scope="module")
def on_wire():
    """Make explorers on a wire."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("comm.create_comm", Wire)
        yield ICEExplorer


@pytest.fixture(scope="module")
def explorer(X, on_wire):
    explorer = on_wire(Classes(), X, np.arange(N_ROWS) % 3, output=1)
    assert explorer.explanation
    yield explorer
    explorer.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of the notebook."""
    folder = tmp_path_factory.mktemp("notebook")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield folder


@contextmanager
def listening():
    """Keep what the widget logs."""
    log, logger = Log(), logging.getLogger("ice_explorer.widget.explorer")
    logger.addHandler(log)
    try:
        yield log
    finally:
        logger.removeHandler(log)


def answers(explorer, content):
    """Send a message, and then a good one, which is answered as well; return all that came back in between."""
    wire = explorer.comm
    with wire.arrived:
        wire.sent.clear()
    wire.receive({"method": "custom", "content": content})
    identity = content.get("id") if isinstance(content, dict) else None
    if isinstance(identity, str) and encodable(identity):
        replies_to(wire, identity)
    wire.receive(
        {
            "method": "custom",
            "content": {"id": "good", "type": "curves", "feature": "x", "max_lines": 2, "selection": [0]},
        }
    )
    (good,) = replies_to(wire, "good")
    assert good["type"] in (
        {"result", "cancelled"} if isinstance(content, dict) and content.get("type") == "cancel" else {"result"}
    )
    with wire.arrived:
        return [
            message["data"]["content"]
            for message in wire.sent
            if message["data"]["method"] == "custom" and message["data"]["content"]["id"] != "good"
        ]


def replies_to(wire, identity):
    def is_reply(message):
        return message["data"]["method"] == "custom" and message["data"]["content"].get("id") == identity

    wire.wait_for(is_reply)
    with wire.arrived:
        return [message["data"]["content"] for message in wire.sent if is_reply(message)]


def encodable(text):
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def sendable(message):
    """Return whether Jupyter could send it: JSON without NaN, in UTF-8."""
    return json.dumps(message, ensure_ascii=False, allow_nan=False).encode()


# --- one by one ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [[], None, "rows", {"id": 3, "type": "rows"}, {"id": "\ud800", "type": "rows"}])
def test_a_message_that_is_no_request_or_whose_id_cannot_be_returned_is_logged_and_the_next_is_answered(
    make, caplog, content
):
    """Half of a letter cannot be sent back."""
    explorer = make(Model(), observations())
    assert explorer.explanation
    n_sent = len(explorer.comm.sent)
    with caplog.at_level(logging.WARNING, "ice_explorer.widget.explorer"):
        explorer.comm.receive({"method": "custom", "content": content})
    assert explorer.comm.sent[n_sent:] == []
    assert "A message without an id cannot be answered" in caplog.text
    assert ask(explorer, type="rows", positions=[0])[0]["type"] == "result"


def test_fields_that_a_request_does_not_have_are_left_out(make, caplog):
    """Whatever they hold."""
    explorer = make(Model(), observations())
    assert explorer.explanation
    (plain, _), (more, _) = (ask(explorer, type="extreme", end="highest", **fields) for fields in ({}, {"feature": []}))
    assert plain["type"] == more["type"] == "result"
    assert plain["body"] == more["body"]
    assert caplog.records == []


def test_of_several_traits_with_one_invalid_none_is_applied_and_the_page_receives_the_values_of_the_kernel(
    make, caplog
):
    """No observer is called, and the page gets one message, which is logged, too."""
    explorer = make(Model(), observations())
    assert explorer.explanation
    explorer.feature = "slope"
    before, observed = explorer.state(), []
    explorer.observe(observed.append)
    states, others = set_from_page(explorer, feature="bend", decay=1.5, kind="c-ice", selection=[3])
    message = (
        "`decay` must be greater than 0 and at most 1; got 1.5. "
        "Use `decay=1` to weight all phantom observations equally."
    )
    assert explorer.state() == before
    assert observed == []
    assert states == [{"feature": "slope", "decay": 0.75, "kind": "ice", "selection": []}]
    assert others == [{"type": "refused", "message": message}]
    logged = [record.getMessage() for record in caplog.records if record.name == "ice_explorer.widget.explorer"]
    assert logged == [f"What the browser set is not taken: {message}"]


def test_of_several_traits_with_an_output_that_cannot_be_explained_none_is_applied(make, X, monkeypatch):
    """The output is prepared before anything is set."""

    def fail(*_arguments):
        raise errors.PredictionError("The model has no log-odds of '2'.")

    explorer = make(Classes(), X, output=1)
    assert explorer.explanation
    before, observed = explorer.state(), []
    explorer.observe(observed.append)
    monkeypatch.setattr(Work, "other", fail)
    states, others = set_from_page(explorer, decay=0.5, output="2", response="log_odds")
    assert explorer.state() == before
    assert (observed, states) == ([], [{"decay": 0.75, "output": "1", "response": "predict_proba"}])
    assert others == [{"type": "refused", "message": "The model has no log-odds of '2'."}]


@pytest.mark.parametrize("name", ["_status", "layout"])
def test_a_page_that_sets_what_only_the_kernel_sets_receives_the_value_of_the_kernel(make, name):
    """What it set besides is applied."""
    explorer = make(Model(), observations())
    assert explorer.explanation
    before = getattr(explorer, name)
    states, others = set_from_page(explorer, **{name: 3, "kind": "c-ice"})
    assert (getattr(explorer, name), explorer.kind, others) == (before, "c-ice", [])
    assert [list(state) for state in states] == [["kind"], [name]]  # the first one is for other pages


# --- arbitrary ones -----------------------------------------------------------------------------------

IDS = st.sampled_from(["a", "a", "a", "a", "", "x" * 1000]) | JSON


@pytest.mark.fuzz
@fuzz
@given(st.tuples(IDS, mutated(REQUESTS)) | JSON)
def test_a_request_with_invalid_fields_has_one_reply_with_the_error(explorer, folder, asked):
    """Without an id it has none; an error is a sentence of ours, and no file is left by one."""
    identity, content = asked if isinstance(asked, tuple) else (None, asked)
    if isinstance(asked, tuple) and isinstance(content, dict) and "id" not in content:
        content = {"id": identity, **content}
    before = set(folder.iterdir())
    with listening() as log:
        replies = answers(explorer, content)
    identity = content.get("id") if isinstance(content, dict) else None
    if isinstance(identity, str) and encodable(identity):
        (reply,) = replies
        assert reply["id"] == identity
        assert sendable(reply)
        assert [record.getMessage() for record in log.records] == []
        if reply["type"] == "error":
            assert reply["message"].endswith((".", "?", "!"))
            assert len(reply["message"]) < 2000
    else:
        assert replies == []
        assert len(log.records) == 1
    new = set(folder.iterdir()) - before
    if new:
        path = reply["body"]["path"]
        assert path in {str(each) for each in new} <= {path, f"{path}.json"}
        for path in new:
            path.unlink() if path.is_file() else [*map(type(path).unlink, path.iterdir()), path.rmdir()]


# --- traits -------------------------------------------------------------------------------------------


class Page:
    """What a page shows: what it set itself, and then whatever the kernel sends."""

    def __init__(self, explorer):
        self.shown = explorer.get_state()
        self.refusals = []

    def hear(self, messages):
        for message in messages:
            data = message["data"]
            if data["method"] in ("update", "echo_update"):
                buffers = zip(data["buffer_paths"], message["buffers"], strict=True)
                self.shown |= data["state"] | {name: bytes(buffer) for (name,), buffer in buffers}
            elif data["content"].get("type") == "refused":
                self.refusals.append(data["content"]["message"])


def plain(value):
    return json.loads(json.dumps(value, default=repr))


@pytest.mark.fuzz
@fuzz
@given(
    st.dictionaries(st.sampled_from([*HEARD, *OF_KERNEL, "nothing"]), JSON, max_size=3),
    st.fixed_dictionaries({}, optional=VALID_TRAITS),
    st.data(),
)
def test_a_page_that_sets_arbitrary_traits_shows_the_state_of_the_kernel(explorer, odd, valid, data):
    """All of the values are taken, or none."""
    sent = valid | odd
    sent = {name: sent[name] for name in data.draw(st.permutations(list(sent)))}
    assert explorer.explanation  # of the output that an example before has chosen
    wire, page = explorer.comm, Page(explorer)
    before = {name: getattr(explorer, name) for name in HEARD}
    observed = []
    explorer.observe(observed.append, HEARD)
    with explorer._sync_lock:  # progress is not reported meanwhile
        wire.sent.clear()
        page.shown |= sent
        wire.receive({"method": "update", "state": sent, "buffer_paths": []})
        explorer.unobserve(observed.append, HEARD)
        page.hear(wire.sent)
        after = {name: getattr(explorer, name) for name in HEARD}
        assert sendable(after)
        if page.refusals:
            assert (len(page.refusals), observed, after) == (1, [], before)
        else:
            taken = [name for name in HEARD if name in sent and sent[name] != ""]  # "" is whatever is chosen
            for name in taken:
                assert after[name] == checked(name, sent[name], explorer._open_work, explorer.feature)
        had = explorer.get_state()
        assert {name: plain(page.shown[name]) for name in sent if name in had} == {
            name: plain(had[name]) for name in sent if name in had
        }


# --- saved states -------------------------------------------------------------------------------------

SAVED = st.fixed_dictionaries(
    {"version": st.sampled_from([1, 2])},
    optional={name: VALID_TRAITS[name] for name in ICEExplorer._public_traits()}
    | {"view": VALID_VIEW, "weighting": st.sampled_from(["interval", "length", "mass"])},
)


@pytest.mark.fuzz
@fuzz
@given(state=mutated(SAVED) | JSON)
@pytest.mark.filterwarnings("ignore:The s:UserWarning")
def test_a_saved_state_that_is_invalid_is_an_error_or_its_valid_parts_are_restored(X, on_wire, state):
    """What an explorer might have written is restored, without what the data lack, with a warning."""
    try:
        explorer = on_wire(Classes(), X, state=state, method="brute")
    except errors.ICEExplorerError:
        return
    written = explorer.state()
    explorer.close()
    assert sendable(written)
    assert on_wire(Classes(), X, state=written).state() == written
