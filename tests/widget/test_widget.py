"""The explorer without a browser: traits, replies, threads, and what is left after closing."""

from __future__ import annotations

import gc
import inspect
import json
import logging
import math
import threading
import time
import weakref
from pathlib import PurePosixPath

import comm
import numpy as np
import pandas as pd
import pytest
from kernel_end import Wire, ask, reply_to
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal

import ice_explorer as ice
from ice_explorer import errors
from ice_explorer.widget import filling_tables
from ice_explorer.widget.background import Background
from ice_explorer.widget.explorer import ICEExplorer
from ice_explorer.widget.session import ModelWork
from ice_explorer.wire.header import DECAYS, METRICS, PROFILES
from ice_explorer.wire.messages import PROTOCOL_VERSION

SOON = 20.0


class Model:
    """A regressor whose every call can be held, counted and made to fail."""

    def __init__(self, *, fails_where=None):
        self.gate = threading.Event()
        self.gate.set()
        self.n_calls = 0
        self.concurrent = 0
        self.most_concurrent = 0
        self.fails_where = fails_where

    def predict(self, X):
        self.concurrent += 1
        self.most_concurrent = max(self.most_concurrent, self.concurrent)
        try:
            self.n_calls += 1
            if self.n_calls > 1:  # it is called once when an explorer is made
                assert self.gate.wait(SOON)
            if self.fails_where is not None and self.fails_where(X):
                raise ValueError("out of range")
            return (X["slope"] * 3 + X["bend"] ** 2 + X["flag"] * X["slope"]).to_numpy()
        finally:
            self.concurrent -= 1


ALL_READY = {"state": "ready", "done": 3, "total": 3, "n_rows": None, "n_all": None, "label": "", "message": ""}


@pytest.fixture(name="X")
def observations():
    """Four columns of which three are features and one holds objects of no kind, with an index of its own."""
    generator = np.random.default_rng(0)
    n = 40
    return pd.DataFrame(
        {
            "slope": generator.normal(size=n),
            "bend": np.round(generator.normal(size=n), 1),
            "flag": generator.integers(0, 2, size=n).astype(bool),
            "town": [PurePosixPath(name) for name in generator.choice(["Ur", "Uruk", "Eridu"], size=n)],
        },
        index=[f"row {i}" for i in range(n)],
    )


@pytest.fixture
def held():
    """A model whose calls wait until `held.gate` is set."""
    model = Model()
    model.gate.clear()
    yield model
    model.gate.set()


EXPORT = {
    "type": "export", "format": "svg", "what": "view", "width": None, "dpi": None, "title": True, "to": "browser",
    "choices": {},
}  # fmt: skip


def statuses(wire):
    return [
        message["data"]["state"]["_status"]
        for message in list(wire.sent)
        if "_status" in message["data"].get("state", {})
    ]


def wait_until(condition):
    deadline = time.monotonic() + SOON
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def tables_of(explorer):
    """The two tables as numbers: features × metrics, and 2 × features × decays."""
    n = len(explorer._header["features"])
    impact = np.frombuffer(explorer._impact, "<f4").reshape(n, -1)
    return impact, np.frombuffer(explorer._profile, "<f4").reshape(len(PROFILES), n, -1)


@pytest.mark.parametrize("is_quick", [True, False])
def test_the_bars_of_many_features_come_before_the_profile_of_the_slider(make, monkeypatch, is_quick):
    """First the figures at the decay of the view and at 1, then those at all others, a few features at a time.

    What the browser sets comes between, and large tables are not sent anew for a few features.
    """
    monkeypatch.setattr(filling_tables, "_MANY_AT_ONCE", 3)
    monkeypatch.setattr(filling_tables, "_SECONDS_AT_A_TIME", 0)
    monkeypatch.setattr(filling_tables, "_BYTES_PER_SECOND", 1e12 if is_quick else 1)
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 5)), columns=list("abcde"))
    explanation = ice.explain(lambda rows: rows.sum(axis=1), X)
    monkeypatch.setattr(Background, "tell_again", lambda _: None)
    explorer = make(explanation)
    wait_until(lambda: explorer._background._thread is None)
    known = [np.isfinite(tables_of(explorer)[1][:-1])]  # the last is the standard error of drafts
    assert known[0][:, :, [74, 99]].all()
    explorer.observe(lambda _: known.append(np.isfinite(tables_of(explorer)[1][:-1])), "_profile")
    while not explorer._publish():
        assert len(known) < 6
    n_whole = [of.all(axis=(0, 2)).sum() for of in known]
    assert n_whole[0] < 3
    assert known[0][:, ~known[0].all(axis=(0, 2))].sum(axis=2).max() < 4
    assert n_whole == (list(range(n_whole[0], 6)) if is_quick else [n_whole[0], 5])
    expected = [explanation.decay_profile(DECAYS)[name] for name in "abcde"]
    assert_allclose(tables_of(explorer)[1][0], expected, rtol=1e-6)


# --- making one -----------------------------------------------------------------------------------


def test_it_is_the_explanation_of_explain(make, X):
    """What the explorer computes in the background is what `explain` returns."""
    explorer = make(Model(), X, decay=0.5)
    assert_frame_equal(explorer.explanation.table(), ice.explain(Model(), X, decay=0.5).table())


def test_it_shows_an_explanation_without_the_model(make, X):
    """An explanation is shown as it is: complete at once, not a call of the model."""
    model = Model()
    explanation = ice.explain(model, X, decay=0.3)
    n_calls = model.n_calls
    explorer = make(explanation)
    assert explorer.explanation is explanation
    assert explorer.decay == 0.3
    assert explorer.feature == "slope"
    opening = explorer.comm.opening["data"]["state"]
    assert (opening["decay"], opening["feature"]) == (0.3, "slope")
    assert opening["_status"]["state"] == "ready"
    assert explorer._status["state"] == "ready"
    assert model.n_calls == n_calls


def test_an_unknown_option_is_refused_with_the_close_one(make, X):
    """A misspelt option is an error at once, and names its neighbour."""
    with pytest.raises(TypeError) as caught:
        make(Model(), X, deacy=0.5)
    assert isinstance(caught.value, errors.ICEExplorerError)
    assert str(caught.value).startswith(
        "ICEExplorer() has no option 'deacy'. Did you mean 'decay'? Its options are features, "
    )


def test_another_output_of_a_function_can_be_chosen(make, X):
    """A function has no response to carry over."""
    explorer = make(lambda rows: np.column_stack([rows["slope"], -2 * rows["slope"]]), X)
    before = explorer.explanation.table()["impact"]["slope"]
    explorer.output = "1"
    assert_allclose(explorer.explanation.table()["impact"]["slope"], 2 * before)


def test_its_signature_spells_out_the_options():
    """A notebook that shows what an explorer takes shows its options, those of `explain`, with their defaults."""
    options = {name: p for name, p in inspect.signature(ice.explain).parameters.items() if p.kind is p.KEYWORD_ONLY}
    del options["budget"]
    shown = inspect.signature(ICEExplorer).parameters
    assert list(shown) == ["model", "X", "y", "state", "static_picture", *options]
    assert {name: shown[name] for name in options} == options


def test_a_misspelt_trait_is_refused(make, X):
    """What nobody would look at is not kept; an attribute of one's own is."""
    explorer = make(Model(), X)
    with pytest.raises(TypeError) as caught:
        explorer.colour_by = "town"
    assert isinstance(caught.value, errors.UnknownOptionError)
    assert str(caught.value) == (
        "An explorer has no 'colour_by' to set. Did you mean 'color_by'? There are anchor, color_by, "
        "convention, decay, feature, intervals, kind, max_lines, model, output, rank_by, response, scale, "
        "selection, unit."
    )
    assert not hasattr(explorer, "colour_by")
    explorer.audit_of = "Uruk"
    assert explorer.audit_of == "Uruk"


def test_wrong_arguments_are_refused_at_once(make, X):
    """Arguments are checked where the explorer is made, not in the background."""
    with pytest.raises(ValueError, match=r"^`decay` must be greater than 0 and at most 1; got 1\.5\."):
        make(Model(), X, decay=1.5)
    with pytest.raises(TypeError) as caught:
        make(Model())
    assert str(caught.value) == (
        "ICEExplorer needs the observations to explain the model on; got a model alone. Call `ICEExplorer(model, X)`."
    )
    with pytest.raises(TypeError) as caught:
        make(ice.explain(Model(), X), X, decay=0.5)
    assert str(caught.value) == (
        "ICEExplorer(explanation) takes nothing else but y, because an explanation brings its data and "
        "its options; got X, decay as well. Pass that to `explain`."
    )


def test_a_missing_front_end_is_an_error_that_says_what_to_run(make, X, monkeypatch, tmp_path):
    """In a checkout that was never built, the explorer says how to build it."""
    monkeypatch.setattr("ice_explorer.widget.explorer.SCRIPT", tmp_path / "explorer.js")
    with pytest.raises(errors.FrontEndMissingError) as caught:
        make(Model(), X)
    assert str(caught.value) == (
        f"The explorer needs its built front end; there is none at {tmp_path / 'explorer.js'}. "
        "In a source checkout run `npm ci && npm run build` in js/, or install the released "
        "package."
    )


def test_x_is_not_changed(make, X):
    """The data is only looked at."""
    before = X.copy(deep=True)
    explorer = make(Model(), X)
    ask(explorer, type="curves", feature="bend", max_lines=10, selection=[0])
    assert_frame_equal(X, before)


# --- while it computes ----------------------------------------------------------------------------


def test_it_is_there_before_the_result(make, X, held):
    """The explorer exists, describes itself and takes settings while nothing is computed."""
    explorer = make(held, X)
    opening = explorer.comm.opening["data"]["state"]
    assert opening["_status"]["total"] == 3
    assert opening["_header"]["n_observations"] == 40
    assert repr(explorer) == ("<ICEExplorer of the prediction: 3 features, 40 observations, computing (0 done)>")
    assert explorer._status["state"] == "computing"
    assert [head["name"] for head in explorer._header["features"]] == ["slope", "bend", "flag"]
    assert np.isnan(np.frombuffer(explorer._impact, "<f4")).all()
    explorer.feature = "bend"
    explorer.decay = 0.25
    explorer.selection = [3, 1]
    held.gate.set()
    assert explorer.explanation.features == ["slope", "bend", "flag"]
    assert (explorer.feature, explorer.decay, explorer.selection) == ("bend", 0.25, [1, 3])
    assert repr(explorer) == ("<ICEExplorer of the prediction: 3 features, 40 observations, ready>")


def test_features_are_published_as_they_complete(make, X, held):
    """The tables fill in, and the last status is that all is ready."""
    explorer = make(held, X)
    first = explorer._header["features"]
    held.gate.set()
    assert explorer.explanation
    seen = statuses(explorer.comm)
    assert [status["done"] for status in seen] == sorted(status["done"] for status in seen)
    assert seen[-1] == ALL_READY
    impact = np.frombuffer(explorer._impact, "<f4").reshape(3, len(METRICS))
    table = explorer.explanation.table(sort_by=None).assign(mean_change=math.nan)  # numbers have none
    table = table.join(table.add_prefix("stable_"))
    table = table.assign(**dict.fromkeys([name for name in METRICS if name.endswith("_error")], math.nan))
    assert_allclose(impact, table[list(METRICS)].to_numpy(), rtol=1e-6)
    ranges = [head["range"] for head in explorer._header["features"]]
    assert ranges == [feature.prediction_range for feature in explorer.explanation]
    assert [head["range"] for head in first] == [None] * 3


def test_large_tables_are_published_less_often(make, X, monkeypatch):
    """The status goes on meanwhile, and the tables are complete before it says that all is ready."""
    monkeypatch.setattr("ice_explorer.widget.filling_tables._BYTES_PER_SECOND", 1)
    monkeypatch.setattr("ice_explorer.widget.background._SECONDS_BETWEEN_TELLINGS", 0.0)
    explorer = make(Model(), X)
    assert explorer.explanation
    wait_until(lambda: statuses(explorer.comm)[-1]["state"] == "ready")
    states = [message["data"].get("state", {}) for message in list(explorer.comm.sent)]
    assert {1, 2} <= {state["_status"]["done"] for state in states if "_status" in state}
    paths = [message["data"].get("buffer_paths", []) for message in list(explorer.comm.sent)]
    assert sum(["_impact"] in path for path in paths) == 2  # of the first feature, and of all
    assert np.isfinite(tables_of(explorer)[0][:, 0]).all()


def test_the_best_feature_is_opened_when_none_was_chosen(make, X):
    """Once ready, the explorer opens what its bars show first."""
    explorer = make(Model(), X)
    top = explorer.explanation.table(sort_by="in_distribution_impact").index[0]
    assert explorer.feature == top
    assert explorer.table.index[0] == top


def test_the_table_is_that_of_the_slider(make, X):
    """`x.table` is at the current decay, in the order of the bars."""
    explorer = make(Model(), X)
    explorer.decay = 0.1
    explorer.rank_by = "non_linearity"
    assert_frame_equal(explorer.table, explorer.explanation.table(decay=0.1, sort_by="non_linearity"))


@pytest.mark.parametrize("metric", ["non_linearity", "missing_impact"])
def test_every_metric_ranks(make, X, metric):
    """What the bars show is a column of the table; features that lack it follow in their own order."""
    X.loc["row 3", "bend"] = np.nan
    explorer = make(lambda X: X["slope"] * 3 + X["bend"].fillna(9.0) ** 2 + 0.0 * X["flag"], X)
    explorer.rank_by = metric
    assert explorer.table.index[0] == "bend"
    assert_frame_equal(explorer.table, explorer.explanation.table(sort_by=metric))
    sent = dict(zip(explorer._header["metrics"], tables_of(explorer)[0].T, strict=True))
    assert_allclose(sent[metric], explorer.explanation.table(sort_by=None)[metric], rtol=1e-6)


@pytest.mark.parametrize("convention", ["stable", "equations", "published"])
def test_counting_otherwise_asks_the_model_nothing(make, X, convention):
    """Tables, header and `x.table` follow the trait, from the sums that are there."""
    model = Model()
    explorer = make(model, X, decay=0.5)
    explanation = explorer.explanation
    measured(explorer)
    n_calls = model.n_calls
    explorer.comm.receive({"method": "update", "state": {"convention": convention}, "buffer_paths": []})
    expected = explanation.table(0.5, convention, sort_by="in_distribution_impact")
    assert_frame_equal(explorer.table, expected)
    assert explorer._header["convention"] == convention
    impact, profile = tables_of(explorer)
    in_order = expected.loc[explanation.labels]
    assert_allclose(impact[:, 0], in_order["impact"], rtol=1e-6)
    assert_allclose(profile[0, :, 49], in_order["in_distribution_impact"], rtol=1e-6)
    assert_allclose(profile[1, :, 49], in_order["support"], rtol=1e-6)
    assert model.n_calls == n_calls


def test_counting_otherwise_while_it_computes(make, X, held):
    """What is there is counted anew at once, and what follows is counted likewise."""
    explorer = make(held, X)
    explorer.convention = "equations"
    assert explorer._header["convention"] == "equations"
    held.gate.set()
    expected = explorer.explanation.table(convention="equations", sort_by=None)
    assert_allclose(tables_of(explorer)[0][:, 0], expected["impact"], rtol=1e-6)


def test_what_counts_is_what_the_explanation_says_first(make, X):
    """An explorer begins with the convention of its options, or of its explanation."""
    explorer = make(ice.explain(Model(), X, convention="published"))
    assert explorer.convention == "published"
    assert_allclose(tables_of(explorer)[0][:, 0], explorer.explanation.table(sort_by=None)["impact"], rtol=1e-6)
    assert explorer.comm.opening["data"]["state"]["convention"] == "published"
    assert make(Model(), X, convention="equations").convention == "equations"
    assert make(Model(), X).convention == "stable"


def test_another_output_is_counted_likewise(make, X):
    """The traits stay when another output is explained."""
    explorer = make(Iris(), X, output="setosa")
    explorer.convention, explorer.unit = "published", "share"
    explorer.output = "virginica"
    expected = explorer.explanation.table(convention="published", unit="share")
    assert_frame_equal(explorer.table, expected)
    assert explorer._header["convention"] == explorer.convention == "published"


def measured(explorer):
    """Wait until it is known how far the predictions spread."""
    end = time.monotonic() + 20
    while explorer._header["prediction_sd"] is None and time.monotonic() < end:
        time.sleep(0.01)
    return explorer._header["prediction_sd"]


@pytest.mark.parametrize("unit", ["sd", "share"])
def test_the_table_has_the_unit_of_the_bars(make, X, unit):
    """`x.table` is read as the bars are."""
    explorer = make(Model(), X)
    explorer.unit = unit
    assert_frame_equal(explorer.table, explorer.explanation.table(unit=unit))


@pytest.mark.parametrize("is_explained", [False, True])
def test_how_far_predictions_spread_is_measured_in_the_background(make, X, is_explained):
    """The header has it once it is known; the model predicts it in the thread of the explorer, once."""
    threads = []

    class Watched(Model):
        def predict(self, rows):
            threads.append((threading.current_thread().name, len(rows)))
            return super().predict(rows)

    arguments = [ice.explain(Watched(), X, progress=False)] if is_explained else [Watched(), X]
    explorer = make(*arguments)
    assert explorer.explanation
    assert_allclose(measured(explorer), np.std(Model().predict(X)), rtol=1e-12)
    before = len(threads)
    explorer.unit = "sd"
    assert explorer.table is not None
    assert len(threads) == before
    if is_explained:
        assert threads[-1] == ("ice-explorer", len(X))


def test_predictions_that_cannot_be_measured_leave_the_rest(make, X, caplog):
    """The header goes without, and the log says why."""

    class Tired(Model):
        is_tired = False

        def predict(self, rows):
            if self.is_tired:
                msg = "no more"
                raise RuntimeError(msg)
            return super().predict(rows)

    model = Tired()
    explanation = ice.explain(model, X, progress=False)
    model.is_tired = True
    explorer = make(explanation)
    end = time.monotonic() + 20
    while not caplog.records and time.monotonic() < end:
        time.sleep(0.01)
    assert [record.message for record in caplog.records] == ["The standard deviation of the predictions is not known."]
    assert (explorer._header["prediction_sd"], explorer._status["state"]) == (None, "ready")


def test_selected_is_rows_of_x(make, X):
    """Selected rows come in the container of X."""
    explorer = make(Model(), X)
    explorer.selection = [7, 0]
    assert_frame_equal(explorer.selected, X.iloc[[0, 7]])
    array = make(lambda A: A[:, 0], X[["slope", "bend"]].to_numpy())
    array.selection = [7]
    assert_allclose(array.selected, X[["slope", "bend"]].to_numpy()[[7]])


def test_an_interrupted_wait_leaves_the_explorer_usable(make, X, held, monkeypatch):
    """Ctrl-C while waiting ends the waiting; the computation goes on."""
    explorer = make(held, X)
    interruptions = iter([KeyboardInterrupt])
    wait = threading.Condition.wait

    def interrupted(condition, timeout=None):
        if threading.current_thread() is threading.main_thread():
            for interruption in interruptions:
                raise interruption
        return wait(condition, timeout)

    monkeypatch.setattr(threading.Condition, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _ = explorer.table
    held.gate.set()
    assert len(explorer.table) == 3


def test_a_failing_model_becomes_status_and_error(make, X, caplog):
    """The sentence is shown, raised from the accessors, and the traceback is logged."""
    explorer = make(Model(fails_where=lambda X: (X["bend"] > 1.5).any() and len(X) > 2), X)
    with pytest.raises(errors.PredictionError) as caught:
        _ = explorer.table
    message = str(caught.value)
    assert message.startswith("The model failed on phantom observations of ")
    assert message.endswith(
        "ValueError: out of range. Choose another feature in the ranking. For this one, create the explorer with other "
        "grid values."
    )
    assert str(caught.value.__cause__) == "out of range"
    assert explorer._status["state"] == "error"
    assert explorer._status["message"] == message
    assert "Traceback" in caplog.text
    for accessor in ("explanation", "selected"):
        with pytest.raises(errors.PredictionError):
            getattr(explorer, accessor)


def test_progress_can_be_followed_by_a_function(make, X):
    """A function given as `progress` is called up to the total."""
    heard = []
    assert make(Model(), X, progress=lambda *args: heard.append(args)).explanation
    done, total, _ = heard[-1]
    assert done == total
    assert {label for _, _, label in heard} == {"slope", "bend", "flag"}


def test_a_failing_progress_function_is_an_error_of_the_explorer(make, X, caplog):
    """What the caller's own function raises is raised from the accessors."""

    def progress(*args):
        raise RuntimeError("no thanks")

    explorer = make(Model(), X, progress=progress)
    with pytest.raises(RuntimeError, match=r"^no thanks$"):
        _ = explorer.table
    assert explorer._status["message"] == "RuntimeError: no thanks"


# --- traits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", ("sentence")),
    [
        ("feature", "slop", ("No column named 'slop' in X. Did you mean 'slope'? X has 4 columns: "
         "'slope', 'bend', 'flag', 'town'.")),
        ("feature", "town", ("No feature named 'town' was explained. There are 3 features: "
         "'slope', 'bend', 'flag'.")),
        ("color_by", "twon", ("No column named 'twon' in X. Did you mean 'town'? X has 4 columns: "
         "'slope', 'bend', 'flag', 'town'.")),
        ("kind", "cice", ("`kind` must be 'ice', 'c-ice' or 'd-ice'; got 'cice'. "
         "Did you mean 'c-ice'?")),
        ("kind", 3, ("`kind` must be 'ice', 'c-ice' or 'd-ice'; got 3.")),
        ("rank_by", "impct", ("`rank_by` must be 'impact', 'in_distribution_impact', 'heterogeneity', "
         "'non_linearity' or 'missing_impact'; got 'impct'. Did you mean 'impact'?")),
        ("convention", "paper", ("`convention` must be 'stable', 'equations' or 'published'; got 'paper'.")),
        ("unit", "shares", ("`unit` must be 'prediction', 'sd' or 'share'; got 'shares'. "
         "Did you mean 'share'?")),
        ("intervals", 95, ("`intervals` must be greater than 0 and less than 1; got 95. "
         "Use `intervals=0.95` for intervals of 95 %.")),
        ("intervals", "yes", ("`intervals` must be greater than 0 and less than 1; got 'yes'. "
         "Use `intervals=0.95` for intervals of 95 %.")),
        ("decay", 0, ("`decay` must be greater than 0 and at most 1; got 0. "
         "Use `decay=1` to weight all phantom observations equally.")),
        ("decay", "half", ("`decay` must be greater than 0 and at most 1; got 'half'. "
         "Use `decay=1` to weight all phantom observations equally.")),
        ("anchor", "mean", ("`anchor` must be 'min', 'max', 'median', 'own' or a finite value of "
         "the feature; got 'mean'. The nearest grid value is used for a number.")),
        ("max_lines", 0, ("`max_lines` must be an integer of at least 1; got 0. "
         "Use `max_lines=1000` for the default.")),
        ("selection", [40], ("`selection` must be row positions of X, from 0 to 39; got 40. Rows are addressed "
         "by position, not by index label; `X.index.get_indexer(labels)` has the positions.")),
        ("selection", [-1], ("`selection` must be row positions of X, from 0 to 39; got -1. Rows are addressed "
         "by position, not by index label; `X.index.get_indexer(labels)` has the positions.")),
        ("selection", [True, False], (
         "`selection` as a mask must have one value for each of the 40 rows of X; got 2. "
         "Pass a mask of these rows, or their positions.")),
        ("selection", 3, ("`selection` must be row positions of X, from 0 to 39; got 3. Rows are addressed "
         "by position, not by index label; `X.index.get_indexer(labels)` has the positions.")),
    ],
)  # fmt: skip
def test_a_wrong_trait_is_refused_in_whole_sentences(make, X, name, value, sentence):
    """A trait that cannot have a value says what it can be, and keeps the value it had."""
    explorer = make(Model(), X)
    assert explorer.explanation
    before = getattr(explorer, name)
    with pytest.raises(errors.ICEExplorerError) as caught:
        setattr(explorer, name, value)
    assert str(caught.value) == sentence
    assert getattr(explorer, name) == before


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("feature", "bend", "bend"),
        ("feature", 1, "bend"),
        ("feature", "", ""),
        ("color_by", "town", "town"),
        ("color_by", 3, "town"),
        ("color_by", None, None),
        ("decay", 1, 1.0),
        ("decay", np.float32(0.5), 0.5),
        ("anchor", "own", "own"),
        ("anchor", 2, 2.0),
        ("max_lines", np.int64(7), 7),
        ("selection", np.array([5, 2, 5]), [2, 5]),
        ("selection", range(3), [0, 1, 2]),
        ("selection", pd.Index([4]), [4]),
        ("selection", [], []),
        ("selection", [0], [0]),
    ],
)
def test_traits_take_what_is_meant(make, X, name, value, kept):
    """Names, positions, arrays and whole numbers become what the browser understands."""
    explorer = make(Model(), X)
    assert explorer.explanation
    setattr(explorer, name, value)
    assert getattr(explorer, name) == kept
    assert type(getattr(explorer, name)) is type(kept)


def every_kind():
    """Rows of a category, a group, dates and durations."""
    return pd.DataFrame(
        {
            "town": ["Ur", "Oslo", "Kish", "Oslo"] * 5,
            "day": pd.to_datetime(["2021-03-01", "2021-03-05", "2021-03-09", "2021-03-10"] * 5),
            "wait": pd.to_timedelta([6, 12, 18, 24] * 5, unit="h"),
            "east": [1, 0, 0, 0] * 5,
            "west": [0, 1, 0, 0] * 5,
        }
    )


def by_kind(X):
    return (X["town"].str.len() + X["east"] + X["day"].dt.day + X["wait"].dt.total_seconds() / 3600).to_numpy(float)


@pytest.mark.parametrize(
    ("feature", "anchor", "place"),
    [
        ("town", "Oslo", 1.0),
        ("side", "none of them", 2.0),
        ("day", "2021-03-05", 18691.0),
        ("day", pd.Timestamp("2021-03-05 12:00"), 18691.5),
        ("wait", pd.Timedelta("12h"), 0.5),
        ("town", "own", "own"),
        ("town", 2, 2.0),
    ],
)
def test_the_anchor_may_be_written_as_the_feature_has_it(make, feature, anchor, place):
    """A level, a date or a duration becomes the number that the browser knows."""
    explorer = make(by_kind, every_kind(), groups={"side": ["east", "west"]})
    explorer.feature = feature
    explorer.anchor = anchor
    assert explorer.anchor == place
    explorer.anchor = explorer.anchor
    assert explorer.anchor == place
    assert make(explorer.explanation)._work.anchor_place(feature, anchor) == place


def test_an_anchor_that_the_open_feature_lacks(make):
    """Close levels are offered, and the anchor stays."""
    explorer = make(by_kind, every_kind())
    explorer.feature = "town"
    with pytest.raises(errors.InvalidOptionError) as caught:
        explorer.anchor = "Olso"
    assert str(caught.value) == (
        "`anchor` of a category must be 'min', 'max', 'median', 'own' or a level on its grid; got 'Olso' for 'town'. "
        "Did you mean 'Oslo'? Its grid is 'Ur', 'Oslo', 'Kish'."
    )
    explorer.feature = ""
    with pytest.raises(errors.InvalidOptionError) as caught:
        explorer.anchor = "Oslo"
    assert str(caught.value) == (
        "`anchor` must be 'min', 'max', 'median', 'own' or a number while no feature is open; got 'Oslo'. "
        "Set `feature` first."
    )
    assert explorer.anchor == "min"


def test_a_group_colours_the_lines(make):
    """It is listed like a column, chosen by its name, and answered with its levels."""
    explorer = make(by_kind, every_kind(), groups={"side": ["east", "west"]})
    assert explorer.explanation
    listed = [(column["name"], column["kind"]) for column in explorer._header["columns"]]
    assert listed[3:] == [("side", "category"), ("east", "numeric"), ("west", "numeric")]
    explorer.color_by = "side"
    reply, _ = ask(explorer, type="colors", column="side", positions=[0, 2])
    assert reply["body"]["levels"] == ["east", "west", "none of them"]
    explorer.color_by = "east"
    assert explorer.color_by == "east"


def test_features_may_be_named_by_numbers(make):
    """Columns named by integers are opened by them, and known to the browser by their text."""
    X = pd.DataFrame({7: [1.0, 2.0, 4.0], 0: [3.0, 1.0, 2.0]})
    explorer = make(lambda X: X[7].to_numpy() * 2.0 + X[0].to_numpy(), X)
    explorer.feature = 0
    assert explorer.feature == "0"
    explorer.feature = 7
    assert explorer.feature == "7"
    assert list(explorer.table.index) == [7, 0]


def test_what_python_sets_reaches_the_browser(make, X):
    """Each trait is sent when it changes."""
    explorer = make(Model(), X)
    assert explorer.explanation
    settings = {"feature": "flag", "kind": "d-ice", "decay": 0.4, "selection": [2]}
    for name, value in settings.items():
        setattr(explorer, name, value)
        sent = explorer.comm.wait_for(lambda m, n=name: n in m["data"].get("state", {}))
        assert explorer.comm.sent[-1]["data"]["state"] == {name: value}
        assert sent


def test_what_the_browser_sets_reaches_python(make, X):
    """An update of the browser's changes the trait and calls observers."""
    explorer = make(Model(), X)
    assert explorer.explanation
    heard = []
    explorer.observe(lambda change: heard.append((change["name"], change["new"])), ["decay"])
    explorer.comm.receive({"method": "update", "state": {"decay": 0.31}, "buffer_paths": []})
    assert explorer.decay == 0.31
    assert heard == [("decay", 0.31)]


def test_the_slider_is_not_echoed(make, X):
    """A decay from the browser is not sent back, or the slider would jump to its own past."""
    explorer = make(Model(), X)
    assert explorer.explanation
    n_sent = len(explorer.comm.sent)
    for decay in (0.3, 0.31, 0.32):
        explorer.comm.receive({"method": "update", "state": {"decay": decay}, "buffer_paths": []})
    assert explorer.comm.sent[n_sent:] == []


def set_by_page(explorer, state):
    """What the explorer sends when a page sets these values: states, and what else it says."""
    n_sent = len(explorer.comm.sent)
    explorer.comm.receive({"method": "update", "state": state, "buffer_paths": []})
    sent = [message["data"] for message in explorer.comm.sent[n_sent:]]
    states = [data["state"] | {name: "bytes" for (name,) in data["buffer_paths"]} for data in sent if "state" in data]
    return states, [data["content"] for data in sent if data["method"] == "custom"]


def test_one_bad_value_of_several_takes_none(make, X, caplog):
    """Nothing changes, no observer is called, and the page gets the values that stand, and one sentence."""
    explorer = make(Model(), X)
    assert explorer.explanation
    explorer.feature = "slope"
    before, heard = explorer.state(), []
    explorer.observe(heard.append)
    states, said = set_by_page(explorer, {"feature": "bend", "decay": 1.5, "kind": "c-ice", "selection": [3]})
    sentence = (
        "`decay` must be greater than 0 and at most 1; got 1.5. "
        "Use `decay=1` to weight all phantom observations equally."
    )
    assert explorer.state() == before
    assert heard == []
    assert states == [{"feature": "slope", "decay": 0.75, "kind": "ice", "selection": []}]
    assert said == [{"type": "refused", "message": sentence}]
    logged = [record.getMessage() for record in caplog.records if record.name == "ice_explorer.widget.explorer"]
    assert logged == [f"What the browser set is not taken: {sentence}"]


def test_an_anchor_goes_with_the_feature_that_comes_with_it(make, X):
    """A level of the feature that is opened at the same time is known, whatever the order; of another it is not."""
    explorer = make(lambda rows: (rows["town"] == "x").to_numpy(float), X.assign(town=list("xy") * 20))
    assert explorer.explanation
    explorer.feature = "slope"
    states, said = set_by_page(explorer, {"anchor": "y", "feature": "town"})
    assert (explorer.feature, explorer.anchor, said) == ("town", 1.0, [])
    assert {"anchor": 1.0} in states
    _, said = set_by_page(explorer, {"anchor": "x", "feature": "slope"})
    assert (explorer.feature, explorer.anchor, len(said)) == ("town", 1.0, 1)


@pytest.mark.parametrize("name", ["_status", "_header", "_impact", "_profile", "_css", "_model_name", "layout"])
def test_what_only_the_kernel_sets_is_put_right(make, X, name):
    """A page that sets it anyway gets the kernel's value; what it set besides is taken."""
    explorer = make(Model(), X)
    assert explorer.explanation
    before = getattr(explorer, name)
    states, said = set_by_page(explorer, {name: 3, "kind": "c-ice"})
    assert (getattr(explorer, name), explorer.kind, said) == (before, "c-ice", [])
    assert [list(state) for state in states] == [["kind"], [name]]  # the first one is for other pages


def test_a_page_hears_what_its_value_was_taken_for(make, X):
    """Also where the trait is as it was before: the page shows what the kernel has."""
    explorer = make(Model(), X)
    assert explorer.explanation
    explorer.feature = "slope"
    assert set_by_page(explorer, {"feature": 0, "nothing": 1}) == ([{"feature": 0}, {"feature": "slope"}], [])


def test_an_output_that_cannot_be_explained_takes_none(make, X, monkeypatch):
    """It is made ready before anything is set, so that what came with it is not set either."""

    def fail(*_):
        raise errors.PredictionError("The model has no log-odds of 'virginica'.")

    explorer = make(Iris(), X, output="setosa")
    assert explorer.explanation
    before, heard = explorer.state(), []
    explorer.observe(heard.append)
    monkeypatch.setattr(ModelWork, "other", fail)
    states, said = set_by_page(explorer, {"decay": 0.5, "output": "virginica", "response": "log_odds"})
    assert explorer.state() == before
    assert (heard, states) == ([], [{"decay": 0.75, "output": "setosa", "response": "predict_proba"}])
    assert said == [{"type": "refused", "message": "The model has no log-odds of 'virginica'."}]


def test_an_output_is_prepared_once(make, X, monkeypatch):
    """Checking it beforehand is all the work there is; output and scale are chosen together."""
    explorer = make(Iris(), X, output="setosa")
    made, other = [], ModelWork.other
    monkeypatch.setattr(ModelWork, "other", lambda work, wanted: made.append(wanted) or other(work, wanted))
    set_by_page(explorer, {"output": "virginica", "response": "log_odds"})
    assert explorer.explanation.output_label == "log-odds of virginica"
    assert made == [("virginica", "log_odds", "marginal", "")]


def test_an_observer_may_wait_for_the_result(make, X, held):
    """An observer of the browser's doing that reads the table does not lock up the explorer."""
    explorer = make(held, X)
    tables = []
    explorer.observe(lambda _: tables.append(explorer.table), "kind")
    setting = threading.Thread(
        target=explorer.comm.receive,
        args=({"method": "update", "state": {"kind": "c-ice"}, "buffer_paths": []},),
    )
    setting.start()
    time.sleep(0.3)  # long enough for the background to want to publish at its next block
    held.gate.set()
    setting.join(SOON)
    assert not setting.is_alive()
    assert len(tables[0]) == 3
    assert explorer._status["state"] == "ready"


def test_publishing_takes_turns_with_the_browser(make, X):
    """While the browser's values are being taken over, the background's wait, so that none is lost."""
    explorer = make(Model(), X)
    assert explorer.explanation
    inside, leave = threading.Event(), threading.Event()

    def hold(_change):
        inside.set()
        assert leave.wait(SOON)

    explorer.observe(hold, "kind")
    update = {"method": "update", "state": {"kind": "d-ice"}, "buffer_paths": []}
    browser = threading.Thread(target=explorer.comm.receive, args=(update,))
    browser.start()
    assert inside.wait(SOON)
    publishing = threading.Thread(target=explorer._publish)
    publishing.start()
    publishing.join(0.1)
    assert publishing.is_alive()
    leave.set()
    publishing.join(SOON)
    browser.join(SOON)
    assert not publishing.is_alive()


def test_setting_traits_from_two_threads_loses_nothing(make, X):
    """Messages that arrive while a cell runs are taken in a second thread; both get through."""
    explorer = make(Model(), X)
    assert explorer.explanation

    def from_browser():
        for step in range(1, 101):
            state = {"decay": step / 100, "kind": ("ice", "c-ice")[step % 2]}
            explorer.comm.receive({"method": "update", "state": state, "buffer_paths": []})

    browser = threading.Thread(target=from_browser)
    browser.start()
    for row in range(40):
        explorer.selection = [row]
        explorer.feature = ("slope", "bend")[row % 2]
    browser.join(SOON)
    assert (explorer.decay, explorer.kind) == (1.0, "ice")
    assert (explorer.selection, explorer.feature) == ([39], "bend")


# --- replies --------------------------------------------------------------------------------------


def test_every_request_gets_one_reply(make, X):
    """Each kind of request is answered once, under its own id."""
    explorer = make(Model(), X)
    assert explorer.explanation
    requests = {
        "1": {"type": "curves", "feature": "bend", "max_lines": 5, "selection": []},
        "2": {"type": "colors", "column": "town", "positions": [0, 1]},
        "3": {"type": "rows", "positions": [0]},
        "4": {"type": "cancel"},
        "5": {"type": "dance"},
        "6": {"type": "curves", "feature": "nothing", "max_lines": 5, "selection": []},
        "7": {"type": "rows", "positions": [99]},
        "8": {"type": "rows"},
        "9": {"type": "what_if", "position": 3, "features": ["slope", "flag"]},
        "10": {"type": "in_common", "positions": [0, 1, 2, 3, 4]},
        "11": {"type": "extreme", "end": "lowest"},
        "12": {"type": "what_if", "position": 3, "features": ["nothing"]},
        "13": {
            "type": "intervals", "rank_by": "impact", "level": 0.9, "decay": 1, "convention": "stable", "unit": "sd",
        },
    }  # fmt: skip
    for request_id, request in requests.items():
        ask(explorer, request_id, **request)
    replies = [message["data"]["content"] for message in explorer.comm.sent if message["data"]["method"] == "custom"]
    assert sorted((reply["id"] for reply in replies), key=int) == list(requests)
    assert {reply["id"]: reply["type"] for reply in replies} == {
        "1": "result", "2": "result", "3": "result", "4": "result",
        "5": "error", "6": "error", "7": "error", "8": "error",
        "9": "result", "10": "result", "11": "result", "12": "error", "13": "result",
    }  # fmt: skip


def test_errors_are_sentences(make, X):
    """What cannot be answered says why in one sentence."""
    explorer = make(Model(), X)
    reload = "Restart the kernel and reload the page, so that both run the same version."
    expected = {
        "A request must be of type 'curves', 'classes', 'colors', 'groups', 'drivers', 'effects', 'correlated', "
        "'unlike', 'intervals', 'interactions', 'importance', 'two_way', 'rows', 'what_if', 'in_common', 'extreme', "
        "'export', 'cancel', 'resume', 'view'; got 'dance'. " + reload: {"type": "dance"},
        "'positions' of a request 'rows' must be a list of integers of at least 0; got None. " + reload: {
            "type": "rows"
        },
        (
            "`positions` must be row positions of X, from 0 to 39; got 99. Rows are addressed by position, not by "
            "index label; `X.index.get_indexer(labels)` has the positions."
        ): {
            "type": "rows",
            "positions": [99],
        },
        "No feature named 'town' was explained. There are 3 features: 'slope', 'bend', 'flag'.": {
            "type": "curves",
            "feature": "town",
            "max_lines": 5,
            "selection": [],
        },
    }
    for number, (sentence, request) in enumerate(expected.items()):
        reply, buffers = ask(explorer, str(number), **request)
        assert reply == {"id": str(number), "type": "error", "message": sentence}
        assert buffers == []


def test_a_message_without_an_id_is_logged(make, X, caplog):
    """Nothing can be answered where nobody asked."""
    explorer = make(Model(), X)
    assert explorer.explanation
    n_sent = len(explorer.comm.sent)
    with caplog.at_level(logging.WARNING, "ice_explorer.widget.explorer"):
        explorer.comm.receive({"method": "custom", "content": {"type": "rows"}})
    assert explorer.comm.sent[n_sent:] == []
    assert "A message without an id cannot be answered" in caplog.text


@pytest.mark.parametrize("content", [[], None, "rows", {"id": 3, "type": "rows"}, {"id": "\ud800", "type": "rows"}])
def test_a_message_that_cannot_be_answered_ends_nothing(make, X, content):
    """It is no request, or its id is no text that could be sent back: half of a letter, for one."""
    explorer = make(Model(), X)
    assert explorer.explanation
    n_sent = len(explorer.comm.sent)
    explorer.comm.receive({"method": "custom", "content": content})
    assert explorer.comm.sent[n_sent:] == []
    assert ask(explorer, type="rows", positions=[0])[0]["type"] == "result"


BY_POSITION = "Rows are addressed by position, not by index label; `X.index.get_indexer(labels)` has the positions."


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"type": "rows", "positions": [2**70]}, f"from 0 to 39; got [{2**70}]. {BY_POSITION}"),
        ({"type": "colors", "column": "bend", "positions": [2**63]}, f"from 0 to 39; got {2**63}. {BY_POSITION}"),
        ({"type": "rows", "positions": [0] * 41}, "got 41 positions. Leave out those that are there twice."),
        ({"type": "classes", "feature": "bend", "max_lines": 0}, "reload the page, so that both run the same version."),
        ({"type": "curves", "feature": "bend", "max_lines": 2**70, "selection": []}, None),
    ],
)  # fmt: skip
def test_numbers_beyond_the_data_are_refused_in_words(make, X, caplog, request_, message):
    """Positions that no row has, more positions than there are rows, no lines at all; more lines are all of them."""
    reply, _ = ask(make(Model(), X), **request_)
    assert (reply["type"], caplog.records) == ("result" if message is None else "error", [])
    assert reply.get("message", "").endswith(message or "")


def test_an_export_before_anything_is_computed_waits_for_a_feature(make, X, held):
    """A page that knows of no feature yet has a picture of the first one."""
    explorer = make(held, X)
    state = explorer._view_state() | {"feature": ""}
    explorer.comm.receive({"method": "custom", "content": {"id": "a", **EXPORT, "state": state}})
    held.gate.set()
    reply, (picture,) = reply_to(explorer.comm, "a")
    assert reply["body"]["mime"] == "image/svg+xml"
    assert picture.startswith(b"<")


def test_a_defect_is_answered_and_logged(make, X, caplog, monkeypatch):
    """Even an error of our own ends in a reply; the traceback is in the log, not in the browser."""

    def broken(*args, **order):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("ice_explorer.widget.replies.rows_of", broken)
    reply, _ = ask(make(Model(), X), type="rows", positions=[0])
    assert reply == {"id": "a", "type": "error", "message": "ZeroDivisionError: division by zero"}
    assert "Traceback" in caplog.text


def test_curves_of_a_feature_not_computed_yet_come_next(make, X, held):
    """Opening a feature moves it to the front, and its lines arrive when it is done."""
    explorer = make(held, X)
    request = {"id": "a", "type": "curves", "feature": "flag", "max_lines": 5, "selection": []}
    explorer.comm.receive({"method": "custom", "content": request})
    assert explorer._status["state"] == "computing"
    held.gate.set()
    reply, buffers = reply_to(explorer.comm, "a")
    assert reply["type"] == "result"
    assert reply["body"]["feature"] == "flag"
    assert len(buffers) == 14


def test_colours_need_no_result(make, X, held):
    """Data is at hand before anything is computed; rows come with their predictions, once there are some."""
    explorer = make(held, X)
    explorer.comm.receive({"method": "custom", "content": {"id": "a", "type": "rows", "positions": [0]}})
    reply, _ = ask(explorer, "b", type="colors", column="town", positions=[0])
    assert reply["body"]["levels"] == [
        str(town) for town in sorted(set(X["town"]), key=lambda town: (-(X["town"] == town).sum(), town))
    ]
    held.gate.set()
    reply, _ = reply_to(explorer.comm, "a")
    assert reply["body"]["columns"] == ["prediction", "slope", "bend", "flag", "town"]


def test_the_model_is_never_called_twice_at_once(make, X):
    """Requests that need the model take turns with the computation."""
    model = Model()
    explorer = make(model, X)
    for number in range(12):
        feature = ("slope", "bend", "flag")[number % 3]
        request = {"type": "curves", "feature": feature, "max_lines": number + 1, "selection": []}
        explorer.comm.receive({"method": "custom", "content": {"id": str(number), **request}})
    for number in range(12):
        reply_to(explorer.comm, str(number))
    assert model.most_concurrent == 1


def test_cancelling_stops_and_says_so(make, X, held):
    """A cancelled explorer keeps what it has, and its accessors say what is missing."""
    explorer = make(held, X)
    wait_until(lambda: explorer._background.snapshot().current == "slope")
    explorer.comm.receive({"method": "custom", "content": {"id": "a", "type": "cancel"}})
    held.gate.set()
    assert reply_to(explorer.comm, "a")[0] == {"id": "a", "type": "result", "body": {}}
    wait_until(lambda: explorer._status["state"] == "cancelled")
    done = explorer._status["done"]
    assert explorer._status["message"] == f"Cancelled after {done} of 3 features."
    with pytest.raises(errors.Cancelled) as caught:
        _ = explorer.table
    assert str(caught.value) == (
        f"The explanation must be complete to be read; it was cancelled after {done} of 3 "
        'features. Press "Resume" in the explorer, or make it again, to compute them all.'
    )
    reply, _ = ask(explorer, "b", type="curves", feature="flag", max_lines=5, selection=[])
    assert reply["type"] == "result"


def test_going_on_completes_what_was_cancelled(make, X, held):
    """The browser requests the rest, the status shows it, and the accessors have it all."""
    explorer = make(held, X)
    wait_until(lambda: explorer._background.snapshot().current == "slope")
    assert ask(explorer, "a", type="cancel")[0]["type"] == "result"
    held.gate.set()
    wait_until(lambda: explorer._status["state"] == "cancelled")
    held.gate.clear()
    assert ask(explorer, "b", type="resume")[0] == {"id": "b", "type": "result", "body": {}}
    wait_until(lambda: explorer._background.snapshot().state == "computing")
    held.gate.set()
    assert_frame_equal(explorer.explanation.table(), ice.explain(Model(), X).table())
    assert explorer._status == ALL_READY
    assert measured(explorer) is not None


# --- files ----------------------------------------------------------------------------------------


def test_save_writes_the_view_as_it_stands(make, X, tmp_path):
    """What the traits say is what is in the file."""
    explorer = make(Model(), X)
    explorer.feature = "bend"
    explorer.kind = "c-ice"
    file = explorer.save(tmp_path / "view.svg")
    text = file.read_text(encoding="utf-8")
    assert "bend" in text
    assert json.loads(text[text.index("<metadata>") :].split(">", 1)[1].split("<", 1)[0])
    with pytest.raises(errors.ExportError):
        explorer.save(tmp_path / "view.svg")
    explorer.save(tmp_path / "view.svg", what="flag", overwrite=True)
    assert (tmp_path / "view.svg").read_text(encoding="utf-8") != text


def test_the_toolbar_gets_an_svg_of_its_view(make, X):
    """The export menu sends what it shows, and gets a file with a name."""
    explorer = make(Model(), X)
    state = explorer._view_state() | {"feature": "flag", "kind": "d-ice"}
    reply, (content,) = ask(explorer, **EXPORT, state=state)
    assert reply["body"] == {"filename": "ranking-and-d-ice-of-flag.svg", "mime": "image/svg+xml", "path": None}
    assert content.startswith(b"<")
    assert explorer.explanation


def test_an_export_while_computing_waits_for_its_feature(make, X, held):
    """A view that is exported before its feature is done is exported when it is."""
    explorer = make(held, X)
    state = explorer._view_state() | {"feature": "bend"}
    request = {"id": "a", **EXPORT, "state": state}
    explorer.comm.receive({"method": "custom", "content": request})
    held.gate.set()
    assert reply_to(explorer.comm, "a")[0]["type"] == "result"


# --- closing --------------------------------------------------------------------------------------


def test_closing_answers_and_refuses(make, X, held):
    """Open requests are cancelled, the views end, and reading says that it is closed."""
    explorer = make(held, X)
    wire = explorer.comm
    request = {"id": "a", "type": "curves", "feature": "flag", "max_lines": 5, "selection": []}
    wire.receive({"method": "custom", "content": request})
    explorer.close()
    assert reply_to(wire, "a")[0] == {"id": "a", "type": "cancelled"}
    assert wire.sent[-1]["data"] == {"method": "close"}
    assert repr(explorer) == "<ICEExplorer: closed>"
    held.gate.set()
    with pytest.raises(errors.Cancelled) as caught:
        _ = explorer.table
    assert str(caught.value) == (
        "An explorer must be open to be read; this one is closed and no longer holds its model and data. "
        "Create a new one."
    )
    explorer.close()


def test_closing_while_the_result_is_published_is_no_failure(make, X, held, caplog):
    """What is being published is so to its end, then the explorer closes."""
    explorer = make(held, X, features=["slope"])
    closing = threading.Thread(target=explorer.close)

    def close_meanwhile(_change):
        closing.start()
        closing.join(0.2)  # as long as it would take to close at once

    explorer.observe(close_meanwhile, "_header")
    held.gate.set()
    wait_until(lambda: repr(explorer) == "<ICEExplorer: closed>")
    closing.join(SOON)
    wait_until(lambda: not any(thread.name == "ice-explorer" for thread in threading.enumerate()))
    assert caplog.records == []


def test_closing_lets_go_of_model_and_data(make, X):
    """A closed explorer that a notebook still remembers holds neither model nor data."""
    watched, remembered = [], []
    for _ in range(5):
        model = Model()
        data = X.copy()
        explorer = make(model, data)
        ask(explorer, type="curves", feature="bend", max_lines=5, selection=[])
        assert explorer.explanation
        explorer.close()
        remembered.append(explorer)
        watched += [weakref.ref(model), weakref.ref(data)]
    del model, data
    wait_until(lambda: gc.collect() is not None and not any(ref() for ref in watched))


def test_nothing_holds_a_closed_explorer(monkeypatch, X):
    """Explorers that were made, closed and forgotten are gone."""
    monkeypatch.setattr(comm, "create_comm", Wire)
    watched = []
    for _ in range(5):
        explorer = ICEExplorer(Model(), X)
        assert explorer.explanation
        explorer.close()
        watched.append(weakref.ref(explorer))
    del explorer
    wait_until(lambda: gc.collect() is not None and not any(ref() for ref in watched))


def test_an_explanation_outlives_its_explorer(make, X):
    """What was read before closing stays whole."""
    explorer = make(Model(), X)
    explanation = explorer.explanation
    explorer.close()
    assert explanation["bend"].curves.shape == (40, len(explanation["bend"].grid))


def test_refused_arguments_leave_nothing_open(make, X):
    """An explorer that was never made opens no connection and starts no thread."""
    before = {thread for thread in threading.enumerate() if thread.name == "ice-explorer"}
    with pytest.raises(TypeError):
        make(Model(), X, nonsense=1)
    gc.collect()
    after = {thread for thread in threading.enumerate() if thread.name == "ice-explorer"}
    assert after <= before


# --- in a notebook --------------------------------------------------------------------------------


def test_what_a_notebook_shows(make, X):
    """The mime bundle holds the view and, where there is none, a line of text."""
    explorer = make(Model(), X)
    assert explorer.explanation
    data, _ = explorer._repr_mimebundle_()
    assert data["text/plain"] == ("<ICEExplorer of the prediction: 3 features, 40 observations, ready>")
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == explorer.comm.comm_id


def test_the_state_is_json_without_nan(make, X):
    """Whatever may be undefined is in buffers, so that any reader of JSON can read the rest."""
    X["constant"] = 1.0
    explorer = make(Model(), X)
    assert explorer.explanation
    for message in [explorer.comm.opening, *explorer.comm.sent]:
        json.dumps(message["data"], allow_nan=False)


def test_the_header_says_what_was_done(make, X):
    """Version, engine, options and notes travel with the tables."""
    explorer = make(Model(), X, decay=0.5, convention="equations")
    assert explorer.explanation
    header = explorer._header
    assert header["protocol"] == PROTOCOL_VERSION
    assert header["version"] == ice.__version__
    assert header["convention"] == "equations"
    assert header["code"] == "ICEExplorer(model, X, decay=0.5, convention='equations')"
    assert header["features"][2] == {
        "name": "flag", "kind": "boolean", "n_grid": 2, "scale": float(X["flag"].std(ddof=0)),
        "range": explorer.explanation["flag"].prediction_range, "n_rows": None,
    }  # fmt: skip
    assert [column["kind"] for column in header["columns"]] == [
        "numeric", "numeric", "boolean", "other",
    ]  # fmt: skip
    about = {note["feature"] for note in header["notes"]}
    assert "town" not in about  # a column that is no feature has a note about all
    assert any("'town' has dtype object and cannot be placed" in note["text"] for note in header["notes"])


# --- what of the model is explained -----------------------------------------------------------------


class Iris:
    """A classifier of three classes, by arithmetic."""

    classes_ = np.array(["setosa", "versicolor", "virginica"])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X):
        width = 1 / (1 + np.exp(-X["slope"].to_numpy()))
        return np.column_stack([0.5 * width, 0.3 + 0 * width, 0.7 - 0.5 * width])


def test_what_can_be_chosen_is_in_the_header(make, X):
    """Outputs and responses are offered where the model has several, and none where it has one."""
    explorer = make(Iris(), X, output="setosa")
    assert explorer.explanation
    assert explorer._header["outputs"] == ["setosa", "versicolor", "virginica"]
    assert {"predict_proba", "log_odds"} <= set(explorer._header["responses"])
    assert (explorer.output, explorer.response) == ("setosa", "predict_proba")
    single = make(Model(), X)
    assert single.explanation
    assert (single._header["outputs"], single._header["responses"], single.output) == ([], [], "")


def test_the_target_goes_with_the_curves(make, X):
    """What was observed of the drawn rows, of the class that is explained; nothing where none was given."""
    labels = np.array(["setosa", "virginica"])[np.arange(len(X)) % 2].astype(object)
    labels[3] = None
    explorer = make(Iris(), X, labels, output="setosa")
    for output in ("setosa", "virginica"):
        explorer.output = output
        assert explorer.explanation
        _, buffers = ask(explorer, output, type="curves", feature="slope", max_lines=100, selection=[])
        expected = np.where(labels == output, 1.0, 0.0)
        expected[3] = math.nan
        assert_allclose(np.frombuffer(buffers[12], "<f8"), expected, rtol=0)
    for of_result in (make(explorer.explanation), make(explorer.explanation, y=labels)):
        _, buffers = ask(of_result, type="curves", feature="slope", max_lines=100, selection=[])
        assert_allclose(np.frombuffer(buffers[12], "<f8"), expected, rtol=0)
    without = make(Iris(), X, output="virginica")
    assert without.explanation
    assert ask(without, type="curves", feature="slope", max_lines=100, selection=[])[1][12] == b""


def test_all_classes_are_shown_of_the_same_rows(make, X):
    """The rows that the curves are of, and the very numbers of the explained class."""
    explorer = make(Iris(), X, output="versicolor")
    assert explorer.explanation
    _, of_one = ask(explorer, "one", type="curves", feature="bend", max_lines=9, selection=[])
    reply, buffers = ask(explorer, "all", type="classes", feature="bend", max_lines=9)
    body = reply["body"]
    assert (body["outputs"], body["explained"]) == (["setosa", "versicolor", "virginica"], 1)
    assert buffers[0] == of_one[0]
    curves = np.frombuffer(buffers[2], "<f4").reshape(3, body["n_lines"], body["n_grid"])
    curves = curves + np.array(body["offsets"])[:, None, None]
    positions = np.frombuffer(buffers[0], "<u4")
    assert_allclose(curves[1], explorer.explanation["bend"].rows(positions), atol=1e-6)
    means = np.frombuffer(buffers[3], "<f4").reshape(3, -1) + np.array(body["offsets"])[:, None]
    assert_allclose(means, curves.mean(axis=1), atol=1e-6)


def test_another_output_is_explained_anew(make, X):
    """A new output has tables, header and curves of its own; a waiting thread gets those."""
    explorer = make(Iris(), X, output="setosa")
    before = explorer.table["impact"]["slope"]
    explorer.feature = "bend"
    explorer.output = "versicolor"
    assert explorer._status["state"] in {"computing", "ready"}
    assert explorer.table["impact"]["slope"] == 0
    assert explorer._header["output_label"] == "probability of versicolor"
    assert explorer.feature == "bend"
    explorer.comm.receive({"method": "update", "state": {"output": "virginica"}, "buffer_paths": []})
    assert_allclose(explorer.table["impact"]["slope"], before)
    reply, _ = ask(explorer, type="curves", feature="slope", max_lines=5, selection=[])
    low, high = reply["body"]["prediction_range"]
    assert 0.2 <= low < high <= 0.7


def test_who_waits_gets_the_output_that_is_chosen_meanwhile(make, X):
    """A choice in the browser while a cell waits for the result does not leave the cell with half of one."""

    class Slow(Iris):
        gate = threading.Event()

        def predict_proba(self, X):
            if len(X) > 100:
                self.gate.wait(0.5)  # the other output waits for this call
            return super().predict_proba(X)

    explorer = make(Slow(), X, output="setosa", engine="brute")
    found = []
    cell = threading.Thread(target=lambda: found.append(explorer.explanation))
    cell.start()
    explorer.comm.receive({"method": "update", "state": {"output": "virginica"}, "buffer_paths": []})
    Slow.gate.set()
    cell.join(SOON)
    assert found[0].output_label == "probability of virginica"
    assert len(found[0]) == 3


def test_who_waits_never_gets_what_was_given_up(make, X, monkeypatch):
    """However long it takes to stop computing the output before, the cell waits for the one chosen."""

    class Slow(Iris):
        gate = threading.Event()

        def predict_proba(self, X):
            if len(X) > 100:
                self.gate.wait(0.5)  # the other output waits for this call
            return super().predict_proba(X)

    close = Background.close

    def slow_close(background):
        close(background)
        time.sleep(0.3)

    monkeypatch.setattr(Background, "close", slow_close)
    explorer = make(Slow(), X, output="setosa", engine="brute")
    found = []
    cell = threading.Thread(target=lambda: found.append(explorer.explanation))
    cell.start()
    explorer.comm.receive({"method": "update", "state": {"output": "virginica"}, "buffer_paths": []})
    Slow.gate.set()
    cell.join(SOON)
    assert (found[0].output_label, len(found[0])) == ("probability of virginica", 3)


def test_another_response_is_another_scale(make, X):
    """Log-odds and probabilities take turns; the output stays."""
    explorer = make(Iris(), X, output="virginica")
    probability = explorer.table["impact"]["slope"]
    explorer.response = "log_odds"
    assert explorer.table["impact"]["slope"] > probability
    assert explorer.output == "virginica"
    assert explorer._header["output_label"] == "log-odds of virginica"
    explorer.response = "predict_proba"
    assert_allclose(explorer.table["impact"]["slope"], probability)


def test_an_output_that_the_model_lacks_is_refused(make, X):
    """The sentence names the outputs there are; what is explained stays."""
    explorer = make(Iris(), X, output="setosa")
    with pytest.raises(errors.InvalidOptionError) as caught:
        explorer.output = "versicolour"
    assert str(caught.value) == (
        "`output` must be 'setosa', 'versicolor' or 'virginica'; got 'versicolour'. Did you mean 'versicolor'?"
    )
    assert explorer.output == "setosa"


def test_a_choice_that_fails_goes_back(make, X):
    """If the model lacks the other response, the traits name again what is shown."""

    class Moody(Iris):
        def decision_function(self, X):
            raise ValueError("not today")

    explorer = make(Moody(), X, output="setosa")
    label = explorer.explanation.output_label
    with pytest.raises(errors.PredictionError):
        explorer.response = "decision_function"
    assert explorer.response == "predict_proba"
    assert explorer.explanation.output_label == label


# --- features of every kind -------------------------------------------------------------------------


def test_a_group_is_opened_by_its_name(make):
    """A group is a feature, though no column has its name."""
    X = pd.DataFrame({"a": [1, 0, 0, 1], "b": [0, 1, 1, 0], "c": [0.0, 1.0, 2.0, 3.0]})
    explorer = make(lambda X: X["a"].to_numpy() + X["c"].to_numpy(), X, groups={"ab": ["a", "b"]})
    explorer.feature = "ab"
    reply, buffers = ask(explorer, type="curves", feature="ab", max_lines=9, selection=[])
    assert (reply["body"]["kind"], reply["body"]["levels"]) == ("group", ["a", "b"])
    assert np.frombuffer(buffers[1], "<f8").tolist() == [0, 1, 1, 0]
    assert np.frombuffer(buffers[11], "<f4").reshape(4, 2).tolist() == [[0, 1], [1, 0], [1, 0], [0, 1]]


def test_every_column_can_colour(make, X):
    """Objects of no kind are coloured by as text."""
    explorer = make(Model(), X)
    explorer.color_by = "town"
    reply, _ = ask(explorer, type="colors", column="town", positions=[0])
    assert set(reply["body"]["levels"]) == {"Ur", "Uruk", "Eridu"}


def test_the_tables_rank_features_as_the_table_of_the_explanation_does(make):
    """By any metric, at a decay of the table, also of some features alone."""
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 5)), columns=list("abcde"))
    explanation = ice.explain(lambda rows: rows @ [1.0, -3.0, 0.0, 2.0, 0.5] + rows["a"] * rows["b"] ** 2, X)
    explorer = make(explanation)
    for metric in ("impact", "in_distribution_impact", "heterogeneity", "non_linearity"):
        expected = explanation.table(0.5, sort_by=metric).index.tolist()
        assert explorer._tables.ranked(metric, 0.5) == expected
