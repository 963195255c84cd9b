"""The explorer without a browser: what it computes, its traits, its replies, and what a notebook keeps of it."""

from __future__ import annotations

import inspect
import json
import math
import threading

import numpy as np
import pandas as pd
import pytest
from kernel_end import SECONDS, Model, ask, observations, reply_to, set_from_page, wait_until
from numpy.testing import assert_allclose, assert_array_equal
from origins import read_provenance
from pandas.testing import assert_frame_equal

import ice_explorer as ice
from ice_explorer import errors
from ice_explorer.results.column_colors import RESIDUAL
from ice_explorer.scene.choices import DocumentState
from ice_explorer.widget import background as background_module
from ice_explorer.widget import filling_tables
from ice_explorer.widget.background import Background
from ice_explorer.widget.explorer import ICEExplorer
from ice_explorer.widget.work import Work
from ice_explorer.wire.header import DECAYS, METRICS, PROFILES
from ice_explorer.wire.messages import PROTOCOL_VERSION

ALL_READY = {"state": "ready", "done": 3, "total": 3, "n_rows": None, "n_all": None, "label": "", "message": ""}
STATE = {**vars(DocumentState()), "selection": []}
EXPORT = {
    "type": "export", "format": "svg", "what": "view", "width": None, "dpi": None, "title": True, "to": "browser",
    "choices": {},
}  # fmt: skip


@pytest.fixture(name="X")
def rows():
    return observations()


@pytest.fixture
def held():
    """A model whose calls wait until `held.gate` is set."""
    model = Model(is_held=True)
    yield model
    model.gate.set()


@pytest.fixture
def ready(make, X):
    """An explorer that has computed everything."""
    explorer = make(Model(), X)
    assert explorer.explanation
    return explorer


class Iris:
    """A classifier of three classes, by arithmetic."""

    classes_ = np.array(["setosa", "versicolor", "virginica"])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X):
        width = 1 / (1 + np.exp(-X["slope"].to_numpy()))
        return np.column_stack([0.5 * width, 0.3 + 0 * width, 0.7 - 0.5 * width])


def send(explorer, request_id, **request):
    explorer.comm.receive({"method": "custom", "content": {"id": request_id, **request}})


def states(explorer):
    """What the explorer sent of its traits, in order, with buffers in their places."""
    found = []
    for message in [explorer.comm.opening, *list(explorer.comm.sent)]:
        data = message["data"]
        buffers = zip(data.get("buffer_paths", []), message["buffers"], strict=False)
        found.append(data.get("state", {}) | {path[0]: buffer for path, buffer in buffers})
    return found


def tables_of(explorer):
    """The two tables as numbers: features × metrics, and profiles × features × decays."""
    n = len(explorer._header["features"])
    impact = np.frombuffer(explorer._impact, "<f4").reshape(n, -1)
    return impact, np.frombuffer(explorer._profile, "<f4").reshape(len(PROFILES), n, -1)


# --- making one -----------------------------------------------------------------------------------


def test_it_is_the_explanation_of_explain(make, X):
    """What the explorer computes in the background is what `explain` returns; X stays as it is."""
    before = X.copy(deep=True)
    explorer = make(Model(), X, decay=0.5)
    assert_frame_equal(explorer.explanation.table(), ice.explain(Model(), X, decay=0.5).table())
    ask(explorer, type="curves", feature="bend", max_lines=10, selection=[0])
    assert_frame_equal(X, before)


def test_it_shows_an_explanation_without_calling_the_model(make, X):
    """It is complete at once, with the options of the explanation, while a call of the model would have to wait."""
    model = Model()
    explanation = ice.explain(model, X, decay=0.3, convention="paper")
    model.gate.clear()
    explorer = make(explanation)
    assert explorer.explanation is explanation
    opening = states(explorer)[0]
    for name, value in {"decay": 0.3, "feature": "slope", "convention": "paper"}.items():
        assert getattr(explorer, name) == opening[name] == value
    assert opening["_status"]["state"] == explorer._status["state"] == "ready"
    assert_allclose(tables_of(explorer)[0][:, 0], explanation.table(rank_by=None)["impact"], rtol=1e-6)
    model.gate.set()


def test_its_signature_has_the_options_of_explain():
    """With their defaults, for notebooks that show what an explorer takes."""
    options = {name: p for name, p in inspect.signature(ice.explain).parameters.items() if p.kind is p.KEYWORD_ONLY}
    del options["budget"]
    shown = inspect.signature(ICEExplorer).parameters
    assert list(shown) == ["model", "X", "y", "state", "static_picture", *options]
    assert {name: shown[name] for name in options} == options


def test_a_misspelt_trait_is_refused_and_another_attribute_is_kept(ready):
    """The message lists the traits."""
    with pytest.raises(errors.OptionError, match=r"^An explorer has no 'colour_by' .* 'color_by'\? There are "):
        ready.colour_by = "town"
    assert not hasattr(ready, "colour_by")
    ready.audit_of = "Uruk"
    assert ready.audit_of == "Uruk"


# --- while it computes ----------------------------------------------------------------------------


def test_it_describes_itself_and_takes_settings_before_the_result_is_there(make, X, held):
    """The tables are empty at first."""
    explorer = make(held, X)
    opening = states(explorer)[0]
    assert (opening["_status"]["total"], opening["_header"]["n_observations"]) == (3, 40)
    assert repr(explorer) == "<ICEExplorer of the prediction: 3 features, 40 observations, computing (0 done)>"
    assert explorer._status["state"] == "computing"
    assert [head["name"] for head in explorer._header["features"]] == ["slope", "bend", "flag"]
    assert np.isnan(tables_of(explorer)[0]).all()
    explorer.feature, explorer.decay, explorer.selection = "bend", 0.25, [3, 1]
    held.gate.set()
    assert explorer.explanation.features == ["slope", "bend", "flag"]
    assert (explorer.feature, explorer.decay, explorer.selection) == ("bend", 0.25, [1, 3])
    assert repr(explorer) == "<ICEExplorer of the prediction: 3 features, 40 observations, ready>"
    expected = explorer.explanation.table(rank_by=None)
    assert_allclose(tables_of(explorer)[0][:, 0], expected["impact"], rtol=1e-6)


def test_features_are_published_as_they_complete(make, X, held):
    """The tables fill in, and the last status is that all is ready."""
    explorer = make(held, X)
    assert [head["range"] for head in explorer._header["features"]] == [None] * 3
    held.gate.set()
    assert explorer.explanation
    seen = [state["_status"] for state in states(explorer) if "_status" in state]
    assert [status["done"] for status in seen] == sorted(status["done"] for status in seen)
    assert seen[-1] == ALL_READY
    table = explorer.explanation.table(rank_by=None)
    table["mean_change"] = [feature._mean_change for feature in explorer.explanation.values()]
    table = table.join(table.add_prefix("step_"))
    table = table.assign(**dict.fromkeys([name for name in METRICS if name.endswith("_error")], math.nan))
    assert_allclose(tables_of(explorer)[0], table[list(METRICS)].to_numpy(), rtol=1e-6)
    ranges = [head["range"] for head in explorer._header["features"]]
    assert ranges == [feature._prediction_range for feature in explorer.explanation.values()]


def test_large_tables_are_published_less_often_than_the_status(make, X, monkeypatch):
    """They are complete before the status is "ready"."""
    monkeypatch.setattr(filling_tables, "_BYTES_PER_SECOND", 1)
    monkeypatch.setattr(background_module, "_SECONDS_BETWEEN_TELLINGS", 0.0)
    explorer = make(Model(), X)
    assert explorer.explanation
    wait_until(lambda: explorer._status["state"] == "ready")
    sent = states(explorer)[1:]
    assert {1, 2} <= {state["_status"]["done"] for state in sent if "_status" in state}
    assert sum("_impact" in state for state in sent) == 2  # of the first feature, and of all
    assert np.isfinite(tables_of(explorer)[0][:, 0]).all()


@pytest.mark.parametrize("bytes_per_second", [1e12, 1])
def test_of_many_features_the_figures_of_the_view_come_first_and_those_of_the_slider_one_by_one(
    make, monkeypatch, bytes_per_second
):
    """Where tables are large for the connection, they are sent again only when they are whole."""
    monkeypatch.setattr(filling_tables, "_MANY_AT_ONCE", 3)
    monkeypatch.setattr(filling_tables, "_SECONDS_AT_A_TIME", 0)
    monkeypatch.setattr(filling_tables, "_BYTES_PER_SECOND", bytes_per_second)
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 5)), columns=list("abcde"))
    explanation = ice.explain(lambda rows: rows.sum(axis=1), X, progress=False)
    with monkeypatch.context() as patch:
        patch.setattr(Background, "start", lambda _: None)  # until the connection is open
        explorer = make(explanation)
    explorer._background.start()
    expected = [explanation.table(DECAYS)[name] for name in "abcde"]
    wait_until(lambda: np.isfinite(tables_of(explorer)[1][:-1]).all())
    assert_allclose(tables_of(explorer)[1][0], expected, rtol=1e-6)
    profiles = [np.frombuffer(state["_profile"], "<f4") for state in states(explorer) if "_profile" in state]
    known = [np.isfinite(profile).reshape(len(PROFILES), 5, -1)[0] for profile in profiles]
    assert [np.flatnonzero(row).tolist() for row in known[0]] == [[73, 74, 99]] * 5  # next to 0.75, and 1
    n_whole = [row.all(axis=1).sum() for row in known]
    assert n_whole == ([0, 1, 2, 3, 4, 5] if bytes_per_second > 1 else [0, 5])


@pytest.mark.parametrize("is_explained", [False, True])
def test_the_spread_of_the_predictions_is_measured_once_in_the_background(make, X, is_explained):
    """The header has it as soon as it is known."""
    calls = []

    class Watched(Model):
        def predict(self, rows):
            calls.append((threading.current_thread().name, len(rows)))
            return super().predict(rows)

    explorer = make(*([ice.explain(Watched(), X, progress=False)] if is_explained else [Watched(), X]))
    assert explorer.explanation
    sd = wait_until(lambda: explorer._header["prediction_sd"])
    assert_allclose(sd, np.std(Model().predict(X)), rtol=1e-12)
    n_calls = len(calls)
    assert explorer.table is not None
    assert len(calls) == n_calls
    if is_explained:
        assert calls[-1] == ("ice-explorer", len(X))


def test_a_spread_that_cannot_be_measured_is_logged_and_left_out(make, X, caplog):
    """Everything else is there."""
    model = Model()
    explanation = ice.explain(model, X, progress=False)
    model.fails_where = lambda _rows: True
    explorer = make(explanation)
    wait_until(lambda: caplog.records)
    assert [record.message for record in caplog.records] == ["The standard deviation of the predictions is not known."]
    assert (explorer._header["prediction_sd"], explorer._status["state"]) == (None, "ready")


def test_a_progress_function_is_called_up_to_the_total_and_its_errors_are_raised(make, X):
    """From the accessors; the page has them, too."""
    calls = []
    assert make(Model(), X, progress=lambda *args: calls.append(args)).explanation
    assert calls[-1][0] == calls[-1][1]
    assert {label for _, _, label in calls} == {"slope", "bend", "flag"}

    def fail(*_args):
        raise RuntimeError("no thanks")

    explorer = make(Model(), X, progress=fail)
    with pytest.raises(RuntimeError, match=r"^no thanks$"):
        _ = explorer.table
    assert explorer._status["message"] == "RuntimeError: no thanks"


def test_cancelling_keeps_what_is_there_and_resuming_computes_the_rest(make, X, held):
    """Accessors say what is missing, and a feature that is opened is computed all the same."""
    explorer = make(held, X)
    wait_until(lambda: explorer._background.snapshot().current == "slope")
    send(explorer, "a", type="cancel")
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
    assert ask(explorer, "b", type="curves", feature="flag", max_lines=5, selection=[])[0]["type"] == "result"
    assert ask(explorer, "c", type="resume")[0] == {"id": "c", "type": "result", "body": {}}
    assert_frame_equal(explorer.explanation.table(), ice.explain(Model(), X).table())
    assert explorer._status == ALL_READY
    assert wait_until(lambda: explorer._header["prediction_sd"]) > 0


# --- what is read from it -------------------------------------------------------------------------


def test_the_table_is_that_of_the_bars(ready):
    """In the order and at the decay of the traits."""
    ready.decay, ready.rank_by = 0.1, "non_linearity"
    table = ready.explanation.table(0.1, rank_by="non_linearity")
    assert_frame_equal(ready.table, table)


def test_features_that_lack_the_metric_of_the_bars_follow_in_their_own_order(make, X):
    """In the table as in the tables of the page."""
    X.loc["row 3", "bend"] = np.nan
    explorer = make(lambda X: X["slope"] * 3 + X["bend"].fillna(9.0) ** 2 + 0.0 * X["flag"], X)
    explorer.rank_by = "missing_impact"
    assert explorer.table.index.tolist() == ["bend", "slope", "flag"]
    sent = dict(zip(explorer._header["metrics"], tables_of(explorer)[0].T, strict=True))
    assert_allclose(sent["missing_impact"], explorer.explanation.table(rank_by=None)["missing_impact"], rtol=1e-6)


def test_the_feature_that_ranks_first_is_open_where_none_was_chosen(make):
    """The tables of the page rank all features as the table of the explanation does."""
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 5)), columns=list("abcde"))
    explanation = ice.explain(lambda rows: rows @ [1.0, -3.0, 0.0, 2.0, 0.5] + rows["a"] * rows["b"] ** 2, X)
    for metric in ("impact", "in_distribution_impact", "heterogeneity", "non_linearity"):
        expected = explanation.table(0.5, rank_by=metric).index.tolist()
        explorer = make(explanation, state={"version": 2, "rank_by": metric, "decay": 0.5})
        assert explorer.feature == expected[0]
        assert explorer._tables.ranked(metric, 0.5) == expected


def test_another_convention_is_explained_anew(make, X):
    """Tables, header, line of code and `x.table` follow the trait; without a model it stays."""
    explorer = make(Model(), X, decay=0.5)
    assert explorer._header["conventions"] == ["step", "paper"]
    set_from_page(explorer, convention="paper")
    explanation = ice.explain(Model(), X, decay=0.5, convention="paper", progress=False)
    expected = explanation.table()
    assert_frame_equal(explorer.table, expected)
    assert explorer._header["convention"] == "paper"
    impact, profile = tables_of(explorer)
    in_order = expected.loc[explanation._labels]
    assert_allclose(impact[:, 0], in_order["impact"], rtol=1e-6)
    assert_allclose(profile[0, :, 49], in_order["in_distribution_impact"], rtol=1e-6)
    assert make(Model(), X, decay=0.5, state=explorer.state()).convention == "paper"
    explorer.convention = "step"
    assert_frame_equal(explorer.table, ice.explain(Model(), X, decay=0.5, progress=False).table())
    fixed = make(explanation)
    assert (fixed.convention, fixed._header["conventions"]) == ("paper", [])
    with pytest.raises(
        errors.OptionError, match="`convention` must stay what the explanation has, 'paper'; got 'step'"
    ):
        fixed.convention = "step"


def test_selected_rows_come_in_the_container_of_x(ready, make, X):
    """In the order of X."""
    ready.selection = [7, 0]
    assert_frame_equal(ready.selected, X.iloc[[0, 7]])
    numbers = X[["slope", "bend"]].to_numpy()
    array = make(lambda rows: rows[:, 0], numbers)
    array.selection = [7]
    assert_allclose(array.selected, numbers[[7]])


# --- traits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("feature", "slop", "^No column named 'slop' in X. Did you mean 'slope'?"),
        ("feature", "town", "^No feature named 'town' was explained. There are 3 features: 'slope', 'bend', 'flag'.$"),
        ("color_by", "twon", "Did you mean 'town'?"),
        ("kind", 3, "^`kind` must be 'ice', 'c-ice' or 'd-ice'; got 3.$"),
        ("distance", "custom", "^`distance` must be 'marginal' or 'conditional'; got 'custom'.$"),
        ("ci", 95, "^`ci` must be greater than 0 and less than 1; got 95. Use `ci=0.95` for"),
        ("decay", "half", "; got 'half'. Use `decay=1` to"),
        ("anchor", "mean", "The nearest grid value is used for a number.$"),
        ("selection", [40], "^`selection` must be row positions of X, from 0 to 39; got 40."),
        ("selection", 3, "; got 3. Rows are addressed by position"),
    ],
)
def test_a_value_that_a_trait_cannot_have_is_refused_and_the_trait_stays(ready, name, value, words):
    """The message says what it can be."""
    before = getattr(ready, name)
    with pytest.raises(errors.ICEExplorerError, match=words.replace("?", r"\?")):
        setattr(ready, name, value)
    assert getattr(ready, name) == before


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("feature", "bend", "bend"),
        ("feature", 1, "bend"),
        ("feature", "", ""),
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
    ],
)
def test_names_positions_arrays_and_numbers_become_plain_values(ready, name, value, kept):
    """Of the types that the page has."""
    setattr(ready, name, value)
    assert getattr(ready, name) == kept
    assert type(getattr(ready, name)) is type(kept)


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
def test_the_anchor_may_be_a_value_of_the_feature(make, feature, anchor, place):
    """A level, a date or a duration becomes the number that the page has."""
    explorer = make(by_kind, every_kind(), groups={"side": ["east", "west"]})
    explorer.feature = feature
    explorer.anchor = anchor
    assert explorer.anchor == place
    explorer.anchor = explorer.anchor
    assert explorer.anchor == place
    of_result = make(explorer.explanation)
    of_result.feature, of_result.anchor = feature, anchor
    assert of_result.anchor == place


def test_an_anchor_that_the_open_feature_lacks_is_refused(make):
    """Close levels are offered, and the anchor stays."""
    explorer = make(by_kind, every_kind())
    explorer.feature = "town"
    with pytest.raises(errors.OptionError) as caught:
        explorer.anchor = "Olso"
    assert str(caught.value) == (
        "`anchor` of a category must be 'min', 'max', 'median', 'own' or a level on its grid; got 'Olso' for 'town'. "
        "Did you mean 'Oslo'? Its grid is 'Kish', 'Oslo', 'Ur'."
    )
    explorer.feature = ""
    with pytest.raises(errors.OptionError, match=r"while no feature is open; got 'Oslo'\. Set `feature` first"):
        explorer.anchor = "Oslo"
    assert explorer.anchor == "min"


def test_a_page_may_set_an_anchor_together_with_its_feature(make, X):
    """A level of the feature that is opened at the same time is known, whatever the order; of another it is not."""
    explorer = make(lambda rows: (rows["town"] == "x").to_numpy(float), X.assign(town=list("xy") * 20))
    assert explorer.explanation
    explorer.feature = "slope"
    sent, others = set_from_page(explorer, anchor="y", feature="town")
    assert (explorer.feature, explorer.anchor, others) == ("town", 1.0, [])
    assert {"anchor": 1.0} in sent
    _, others = set_from_page(explorer, anchor="x", feature="slope")
    assert (explorer.feature, explorer.anchor, len(others)) == ("town", 1.0, 1)


def test_a_group_is_opened_and_colours_the_curves_by_its_name(make):
    """It is a feature and listed like a column, and so are its columns."""
    X = pd.DataFrame({"a": [1, 0, 0, 1], "b": [0, 1, 1, 0], "c": [0.0, 1.0, 2.0, 3.0]})
    explorer = make(lambda X: X["a"].to_numpy() + X["c"].to_numpy(), X, groups={"ab": ["a", "b"]})
    explorer.feature = explorer.color_by = "ab"
    reply, _ = ask(explorer, "a", type="curves", feature="ab", max_lines=9, selection=[])
    assert (reply["body"]["kind"], reply["body"]["levels"]) == ("group", ["a", "b"])
    assert reply["body"]["observed"].tolist() == [0, 1, 1, 0]
    assert reply["body"]["distances"].tolist() == [[0, 1], [1, 0], [1, 0], [0, 1]]
    listed = [(column["name"], column["kind"]) for column in explorer._header["columns"]]
    assert listed == [("ab", "category"), ("a", "numeric"), ("b", "numeric"), ("c", "numeric")]
    reply, _ = ask(explorer, "b", type="colors", column="ab", positions=[0, 2])
    assert reply["body"]["scale"]["levels"] == ["a", "b"]
    explorer.color_by = "a"
    assert explorer.color_by == "a"


def test_features_may_be_named_by_numbers(make):
    """Columns named by integers are opened by them, and known to the page by their text."""
    X = pd.DataFrame({7: [1.0, 2.0, 4.0], 0: [3.0, 1.0, 2.0]})
    explorer = make(lambda X: X[7].to_numpy() * 2.0 + X[0].to_numpy(), X)
    for name in (0, 7):
        explorer.feature = name
        assert explorer.feature == str(name)
    assert list(explorer.table.index) == [7, 0]


def test_traits_are_the_same_on_both_sides(ready):
    """Each is sent when Python sets it; one that the page sets calls observers, and is sent back where it differs."""
    for name, value in {"feature": "flag", "kind": "d-ice", "decay": 0.4, "selection": [2]}.items():
        setattr(ready, name, value)
        assert ready.comm.sent[-1]["data"]["state"] == {name: value}
    changes = []
    ready.observe(lambda change: changes.append((change["name"], change["new"])), ["decay"])
    # The slider is not echoed, or it would jump to its own past.
    assert [set_from_page(ready, decay=decay) for decay in (0.3, 0.31)] == [([], [])] * 2
    assert changes == [("decay", 0.3), ("decay", 0.31)]
    sent, others = set_from_page(ready, feature=0, nothing=1)
    assert (sent[-1], others) == ({"feature": "slope"}, [])


def test_an_observer_may_wait_for_the_result(make, X, held, monkeypatch):
    """One that reads the table when the page sets something does not stop the explorer."""
    monkeypatch.setattr(background_module, "_SECONDS_BETWEEN_TELLINGS", 0.0)  # it publishes at its next block
    explorer = make(held, X)
    tables, is_inside = [], threading.Event()

    def read(_change):
        is_inside.set()
        tables.append(explorer.table)

    explorer.observe(read, "kind")
    page = threading.Thread(target=set_from_page, args=(explorer,), kwargs={"kind": "c-ice"})
    page.start()
    assert is_inside.wait(SECONDS)
    held.gate.set()
    page.join(SECONDS)
    assert not page.is_alive()
    assert len(tables[0]) == 3
    assert explorer._status["state"] == "ready"


def test_publishing_waits_while_values_of_the_page_are_taken(ready):
    """So that none is lost."""
    is_inside, leave = threading.Event(), threading.Event()

    def hold(_change):
        is_inside.set()
        assert leave.wait(SECONDS)

    ready.observe(hold, "kind")
    page = threading.Thread(target=set_from_page, args=(ready,), kwargs={"kind": "d-ice"})
    page.start()
    assert is_inside.wait(SECONDS)
    publishing = threading.Thread(target=ready._publish)
    publishing.start()
    publishing.join(0.1)
    assert publishing.is_alive()
    leave.set()
    publishing.join(SECONDS)
    page.join(SECONDS)
    assert not publishing.is_alive()


def test_traits_set_from_two_threads_are_all_kept(ready):
    """Messages that arrive while a cell runs are taken in a second thread."""

    def page():
        for step in range(1, 101):
            set_from_page(ready, decay=step / 100, kind=("ice", "c-ice")[step % 2])

    thread = threading.Thread(target=page)
    thread.start()
    for row in range(40):
        ready.selection = [row]
        ready.feature = ("slope", "bend")[row % 2]
    thread.join(SECONDS)
    assert (ready.decay, ready.kind, ready.selection, ready.feature) == (1.0, "ice", [39], "bend")


# --- replies --------------------------------------------------------------------------------------


def test_every_request_has_one_reply_under_its_id(ready):
    """A result, or an error in one sentence."""
    of_impact = {"rank_by": "impact", "level": 0.9, "decay": 1}
    requests = {
        "a": {"type": "curves", "feature": "bend", "max_lines": 5, "selection": []},
        "b": {"type": "colors", "column": "town", "positions": [0, 1]},
        "c": {"type": "rows", "positions": [0]},
        "d": {"type": "cancel"},
        "e": {"type": "what_if", "position": 3, "features": ["slope", "flag"]},
        "f": {"type": "in_common", "positions": [0, 1, 2, 3, 4]},
        "g": {"type": "extreme", "end": "lowest"},
        "h": {"type": "intervals", **of_impact},
        "1": {"type": "dance"},
        "2": {"type": "curves", "feature": "town", "max_lines": 5, "selection": []},
        "3": {"type": "rows"},
        "4": {"type": "what_if", "position": 3, "features": ["nothing"]},
    }
    replies = {request_id: ask(ready, request_id, **request) for request_id, request in requests.items()}
    answered = [message["data"]["content"] for message in ready.comm.sent if message["data"]["method"] == "custom"]
    assert sorted(reply["id"] for reply in answered) == sorted(requests)
    types = {request_id: reply["type"] for request_id, (reply, _) in replies.items()}
    assert types == {request_id: "error" if request_id.isdigit() else "result" for request_id in requests}
    assert replies["2"] == (
        {
            "id": "2",
            "type": "error",
            "message": "No feature named 'town' was explained. There are 3 features: 'slope', 'bend', 'flag'.",
        },
        [],
    )
    for number, words in (("1", "got 'dance'"), ("3", "got None as 'positions'")):
        assert replies[number][0]["message"].endswith(
            f"{words}. Restart the kernel and reload the page, so that both run the same version."
        )


BY_POSITION = "Rows are addressed by position, not by index label; `X.index.get_indexer(labels)` has the positions."


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"type": "rows", "positions": [2**70]}, f"from 0 to 39; got [{2**70}]. {BY_POSITION}"),
        ({"type": "rows", "positions": [99]}, f"from 0 to 39; got 99. {BY_POSITION}"),
        ({"type": "colors", "column": "bend", "positions": [2**63]}, f"from 0 to 39; got {2**63}. {BY_POSITION}"),
        ({"type": "rows", "positions": [0] * 41}, "got 41 positions. Leave out those that are there twice."),
        ({"type": "classes", "feature": "bend", "max_lines": 0}, "reload the page, so that both run the same version."),
        ({"type": "curves", "feature": "bend", "max_lines": 2**70, "selection": []}, None),
    ],
)  # fmt: skip
def test_numbers_beyond_the_data_are_refused(ready, caplog, request_, message):
    """Positions that no row has, more positions than there are rows, no curves at all; more curves are all of them."""
    reply, _ = ask(ready, **request_)
    assert (reply["type"], caplog.records) == ("result" if message is None else "error", [])
    assert reply.get("message", "").endswith(message or "")


def test_curves_of_a_feature_that_is_not_computed_yet_come_next(make, X, held):
    """Data are at hand before anything is computed; rows come with their predictions, once there are some."""
    explorer = make(held, X)
    send(explorer, "rows", type="rows", positions=[0])
    send(explorer, "curves", type="curves", feature="flag", max_lines=5, selection=[])
    reply, _ = ask(explorer, "colors", type="colors", column="town", positions=[0])
    assert reply["body"]["scale"]["levels"] == [
        str(town) for town in sorted(set(X["town"]), key=lambda town: (-(X["town"] == town).sum(), town))
    ]
    assert explorer._status["state"] == "computing"
    held.gate.set()
    reply, _ = reply_to(explorer.comm, "curves")
    assert (reply["type"], reply["body"]["feature"]) == ("result", "flag")
    reply, _ = reply_to(explorer.comm, "rows")
    assert reply["body"]["columns"] == ["prediction", "slope", "bend", "flag", "town"]


def test_the_model_is_never_called_twice_at_once(make, X):
    """Requests that need the model take turns with the computation."""
    model = Model()
    explorer = make(model, X)
    for number in range(12):
        feature = ("slope", "bend", "flag")[number % 3]
        send(explorer, str(number), type="curves", feature=feature, max_lines=number + 1, selection=[])
    for number in range(12):
        reply_to(explorer.comm, str(number))
    assert model.most_concurrent == 1


# --- files ----------------------------------------------------------------------------------------


def test_save_writes_the_view_of_the_traits(ready, tmp_path):
    """A file that is there is replaced only if that is wanted."""
    ready.feature, ready.kind = "bend", "c-ice"
    file = ready.save(tmp_path / "view.svg")
    assert [read_provenance(file)[name] for name in ("feature", "kind")] == ["bend", "c-ice"]
    with pytest.raises(errors.OptionError):
        ready.save(file)
    ready.save(file, what="flag", overwrite=True)
    assert read_provenance(file)["feature"] == "flag"


def test_the_export_menu_gets_a_file_of_what_the_page_shows(ready):
    """With a name; a width that cannot be is refused."""
    state = STATE | {"feature": "flag", "kind": "d-ice"}
    reply, (content,) = ask(ready, "a", **EXPORT, state=state)
    body = {name: value for name, value in reply["body"].items() if name != "content"}
    assert body == {"filename": "view-of-flag.svg", "mime": "image/svg+xml", "path": None}
    assert content.startswith(b"<")
    reply, _ = ask(ready, "b", **{**EXPORT, "width": 5}, state=state)
    assert reply["message"].startswith("`width` must be from 60 to 600 mm")


@pytest.mark.parametrize("feature", ["", "bend"])
def test_an_export_while_features_are_computed_waits_for_its_feature(make, X, held, feature):
    """A page that knows of no feature yet has a picture of the first one."""
    explorer = make(held, X)
    send(explorer, "a", **EXPORT, state=STATE | {"feature": feature})
    held.gate.set()
    reply, (picture,) = reply_to(explorer.comm, "a")
    assert reply["body"]["mime"] == "image/svg+xml"
    assert picture.startswith(b"<")


# --- in a notebook --------------------------------------------------------------------------------


def test_a_notebook_keeps_a_view_a_line_of_text_and_plain_json(make, X):
    """Whatever may be undefined is in buffers, so that any reader of JSON can read the rest."""
    X["constant"] = 1.0
    explorer = make(Model(), X)
    assert explorer.explanation
    data, _ = explorer._repr_mimebundle_()
    assert data["text/plain"] == "<ICEExplorer of the prediction: 4 features, 40 observations, ready>"
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == explorer.comm.comm_id
    for message in [explorer.comm.opening, *explorer.comm.sent]:
        json.dumps(message["data"], allow_nan=False)


def test_the_header_has_version_options_and_notes(make, X):
    """They travel with the tables."""
    explorer = make(Model(), X, decay=0.5, convention="paper")
    assert explorer.explanation
    header = explorer._header
    assert (header["protocol"], header["version"]) == (PROTOCOL_VERSION, ice.__version__)
    assert header["convention"] == "paper"
    assert header["features"][2] == {
        "name": "flag", "kind": "boolean", "n_grid": 2, "scale": float(X["flag"].std(ddof=0)),
        "range": explorer.explanation["flag"]._prediction_range, "n_rows": None,
    }  # fmt: skip
    assert [column["kind"] for column in header["columns"]] == ["numeric", "numeric", "boolean", "other"]
    assert {note["feature"] for note in header["notes"]} <= {None, "slope", "bend", "flag"}
    assert any("'town' has dtype object and cannot be placed" in note["text"] for note in header["notes"])


# --- what of the model is explained -----------------------------------------------------------------


def test_outputs_and_responses_are_offered_where_the_model_has_several(make, ready, X):
    """And none where it has one."""
    explorer = make(Iris(), X, output="setosa")
    assert explorer.explanation
    assert explorer._header["outputs"] == ["setosa", "versicolor", "virginica"]
    assert {"predict_proba", "log_odds"} <= set(explorer._header["responses"])
    assert (explorer.output, explorer.response) == ("setosa", "predict_proba")
    assert (ready._header["outputs"], ready._header["responses"], ready.output) == ([], [], "")


def test_the_target_goes_with_the_curves(make, X):
    """The observed values of the drawn rows, of the class that is explained; nothing where none was given."""
    labels = np.array(["setosa", "virginica"])[np.arange(len(X)) % 2].astype(object)
    labels[3] = None
    request = {"type": "curves", "feature": "slope", "max_lines": 100, "selection": []}
    explorer = make(Iris(), X, labels, output="setosa")
    for output in ("setosa", "virginica"):
        explorer.output = output
        assert explorer.explanation
        expected = np.where(labels == output, 1.0, 0.0)
        expected[3] = math.nan
        assert_array_equal(ask(explorer, output, **request)[0]["body"]["target"], expected)
    assert_array_equal(ask(make(explorer.explanation), **request)[0]["body"]["target"], expected)
    explorer.color_by = "residual"
    assert explorer.color_by == explorer.explanation._outcome_labels[RESIDUAL]
    without = make(Iris(), X, output="virginica")
    assert without.explanation
    assert ask(without, **request)[0]["body"]["target"] is None


def test_all_classes_are_shown_of_the_rows_of_the_curves(make, X):
    """With the very numbers of the explained class."""
    explorer = make(Iris(), X, output="versicolor")
    assert explorer.explanation
    of_one, _ = ask(explorer, "one", type="curves", feature="bend", max_lines=9, selection=[])
    reply, _ = ask(explorer, "all", type="classes", feature="bend", max_lines=9)
    body = reply["body"]
    assert (body["outputs"], body["explained"]) == (["setosa", "versicolor", "virginica"], 1)
    assert_array_equal(body["positions"], of_one["body"]["positions"])
    curves = body["values"][1] + body["offsets"][1]
    assert_allclose(curves, explorer.explanation["bend"].compute_curves(body["positions"]), atol=1e-6)


def test_another_output_is_explained_anew(make, X):
    """It has tables, header and curves of its own; other traits stay."""
    explorer = make(Iris(), X, output="setosa")
    before = explorer.table["impact"]["slope"]
    explorer.feature, explorer.convention = "bend", "paper"
    explorer.output = "versicolor"
    assert explorer.table["impact"]["slope"] == 0
    assert explorer._header["output_label"] == "probability of versicolor"
    set_from_page(explorer, output="virginica")
    assert_frame_equal(explorer.table, explorer.explanation.table())
    assert explorer._header["convention"] == "paper"
    explorer.convention = "step"
    assert_allclose(explorer.table["impact"]["slope"], before)
    assert explorer.feature == "bend"
    reply, _ = ask(explorer, type="curves", feature="slope", max_lines=5, selection=[])
    low, high = reply["body"]["prediction_range"]
    assert 0.2 <= low < high <= 0.7
    explorer.response = "log_odds"
    assert explorer.table["impact"]["slope"] > before
    assert (explorer.output, explorer._header["output_label"]) == ("virginica", "log-odds of virginica")
    function = make(lambda rows: np.column_stack([rows["slope"], -2 * rows["slope"]]), X)
    before = function.explanation.table()["impact"]["slope"]
    function.output = "1"
    assert_allclose(function.explanation.table()["impact"]["slope"], 2 * before)


def test_a_page_may_set_output_and_response_together(make, X, monkeypatch):
    """What is explained then is prepared once, although it is checked first."""
    explorer = make(Iris(), X, output="setosa")
    prepared, other = [], Work.other
    monkeypatch.setattr(Work, "other", lambda work, wanted: prepared.append(wanted) or other(work, wanted))
    set_from_page(explorer, output="virginica", response="log_odds")
    assert explorer.explanation.output_label == "log-odds of virginica"
    assert prepared == [("virginica", "log_odds", "step", "marginal", "")]


@pytest.mark.parametrize("is_slow_to_close", [False, True])
def test_a_cell_that_waits_gets_the_output_that_is_chosen_meanwhile(make, X, monkeypatch, is_slow_to_close):
    """However long it takes to stop computing the output before."""
    gate = threading.Event()

    class Slow(Iris):
        def predict_proba(self, X):
            if len(X) > 100:
                gate.wait(0.2)  # no longer: the other output waits for this call
            return super().predict_proba(X)

    close, results = Background.close, []
    explorer = make(Slow(), X, output="setosa", method="brute")
    cell = threading.Thread(target=lambda: results.append(explorer.explanation))

    def slow_close(background):
        close(background)
        cell.join(0.2)  # it waits for the other output, or it has ended by now

    if is_slow_to_close:
        monkeypatch.setattr(Background, "close", slow_close)
    cell.start()
    set_from_page(explorer, output="virginica")
    monkeypatch.undo()
    gate.set()
    cell.join(SECONDS)
    assert (results[0].output_label, len(results[0])) == ("probability of virginica", 3)


def test_a_response_that_fails_goes_back(make, X):
    """The traits name again what is shown."""

    class Failing(Iris):
        def decision_function(self, X):
            raise ValueError("not today")

    explorer = make(Failing(), X, output="setosa")
    label = explorer.explanation.output_label
    with pytest.raises(errors.PredictionError):
        explorer.response = "decision_function"
    assert explorer.response == "predict_proba"
    assert explorer.explanation.output_label == label
