"""A page that is an explorer without its kernel: what it holds, how large it is, and that nothing in it is markup."""

import base64
import gzip
import hashlib
import json
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_end import ask, unpacked
from numpy.testing import assert_allclose, assert_array_equal
from origins import read_provenance
from sklearn.neural_network import MLPRegressor

import ice_explorer as ice
from ice_explorer.beyond.interactions import JointEffects
from ice_explorer.errors import ICEExplorerError
from ice_explorer.export.save import save
from ice_explorer.results.options import METRIC_RANKINGS
from ice_explorer.scene.choices import Besides, ViewState
from ice_explorer.scene.display_axis import display_axis
from ice_explorer.standalone import page as page_module
from ice_explorer.standalone import recording as recording_module
from ice_explorer.widget.work import work_of
from ice_explorer.wire.arrays import packed
from ice_explorer.wire.replies import describe_drivers, describe_two_way

EVIL = "</script><img src=x onerror=alert(1)>"


class Page(HTMLParser):
    """What a browser would make of a page: its elements, and the text of those that have an id."""

    def __init__(self, file):
        super().__init__()
        self.tags, self.texts, self.text, self._open = [], {}, "", None
        self.feed(file if isinstance(file, str) else file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self._open = dict(attributes).get("id", tag)

    def handle_data(self, data):
        self.text += data
        if self._open is not None and data.strip():
            self.texts.setdefault(self._open, data)

    def handle_endtag(self, tag):
        self._open = None

    def json(self, blob):
        return json.loads(content(self.texts[f"ice-blob-{blob}"]))

    @property
    def recording(self):
        return self.json(0)

    def replies(self, kind, **entries):
        """What is recorded for requests of a type, with these entries."""
        wanted = {"type": kind, **entries}.items()
        return [reply for reply in self.recording["replies"] if wanted <= reply["request"].items()]

    def buffers(self, packed):
        """Undo the packing, byte by byte, as the format says."""
        return [] if packed["blob"] is None else unpack(self.texts[f"ice-blob-{packed['blob']}"], packed["lengths"])

    def body(self, kept):
        """A reply, with arrays in their places."""
        return unpacked(kept["body"], self.buffers(kept))


def content(text):
    return gzip.decompress(base64.b64decode(text))


def unpack(text, lengths):
    changes = content(text)
    n = len(changes) // 4
    whole = bytearray(len(changes))
    for plane in range(4):
        byte = 0
        for item in range(n):
            byte = (byte + changes[plane * n + item]) % 256
            whole[4 * item + plane] = byte
    ends = np.cumsum([0, *lengths])
    return [bytes(whole[start:end]) for start, end in pairwise(ends)]


@pytest.fixture(scope="module", name="X")
def observations():
    generator = np.random.default_rng(2)
    n = 80
    return pd.DataFrame(
        {
            "near": generator.normal(size=n),
            EVIL: generator.normal(size=n).round(1),
            "flag": generator.integers(0, 2, n).astype(bool),
            "town": ["hamlet"] * 3 + generator.choice(["Ur", "<b>Uruk</b>", *"abcdefgh"], n - 3).tolist(),
            "since": pd.date_range("2020-01-01", periods=n),
            "__proto__": generator.normal(size=n),
        },
        index=[f"<i>{i}" for i in range(n)],
    )


def model(X):
    far = X[EVIL].to_numpy()
    of_town = np.where(X["town"].isin(["hamlet", *"fgh"]), 9.0, 0.0)
    return 2 * X["near"].to_numpy() * X["__proto__"].to_numpy() + of_town * far + X["flag"].to_numpy() * far**2


@pytest.fixture(scope="module")
def explanation(X):
    return ice.explain(model, X, progress=False)


@pytest.fixture(scope="module")
def whole(explanation, tmp_path_factory):
    """The page of all rows."""
    return Page(save(explanation, ViewState(color_by="town"), tmp_path_factory.mktemp("page") / "all.html"))


@pytest.fixture(scope="module")
def some(explanation, tmp_path_factory):
    """The page of few rows, two of them selected."""
    choices = {"left": "interactions", "classes": True}
    besides = Besides(target=np.arange(80.0))
    state = ViewState(feature="near", selection=(3, 70), kind="c-ice", choices=choices, besides=besides)
    path = tmp_path_factory.mktemp("page") / "some.html"
    return Page(save(explanation, state, path, max_lines=20))


@given(st.lists(st.binary(max_size=60)))
def test_whatever_is_packed_comes_back(buffers):
    """Bytes of any content and any number of buffers, empty ones among them."""
    text = recording_module._zipped(recording_module._in_planes(b"".join(buffers)))
    assert unpack(text, [len(buffer) for buffer in buffers]) == buffers


def test_replies_are_those_of_the_kernel(make, X, tmp_path):
    """Whatever is recorded of an explorer is what it answers itself, number by number."""
    explorer = make(model, X, np.arange(80.0))
    explorer.feature, explorer.ci = "near", 0.9
    explorer._view = {"ale": True, "pair": ["near", "town"]}
    page = Page(explorer.save(tmp_path / "page.html"))
    rows = page.recording["positions"]
    assert rows == list(range(80))
    of_rows = {"curves": {"max_lines": 100, "selection": []}}
    of_rows |= {kind: {"positions": rows} for kind in ("colors", "unlike")}
    kinds = set()
    for at, kept in enumerate(page.recording["replies"]):
        request = {**kept["request"], **of_rows.get(kept["request"]["type"], {})}
        kinds.add(request["type"])
        reply, _ = ask(explorer, f"{at}", **request)
        assert reply["type"] == "result", reply
        known = page.body(kept)
        if request["type"] == "curves":
            known["row_labels"] = page.recording["row_labels"]
        assert json.dumps(reply["body"], default=bytes_of) == json.dumps(known, default=bytes_of), request
    assert kinds == {
        "curves", "drivers", "effects", "correlated", "unlike", "colors", "intervals", "two_way", "extreme",
    }  # fmt: skip


def bytes_of(array):
    return [array.dtype.name, array.shape, array.tobytes().hex()]


@pytest.mark.wide
def test_intervals_are_there_as_the_page_is_saved(explanation, tmp_path, whole):
    """Of every metric, at the level and decay of the view; none where it shows none."""
    assert whole.replies("intervals") == []
    state = ViewState(ci=0.9, decay=0.5)
    page = Page(save(explanation, state, tmp_path / "intervals.html", max_lines=5))
    kept = page.replies("intervals", level=0.9, decay=0.5)
    assert page.recording["traits"]["ci"] == 0.9
    assert len(kept) == len(METRIC_RANKINGS)
    for reply in kept:
        metric = reply["request"]["rank_by"]
        table = explanation.table(0.5, rank_by=metric, ci=0.9).loc[explanation.features]
        names = (f"{metric}_low", f"{metric}_high", "rank_low", "rank_high")
        intervals = page.body(reply)["intervals"]
        for name, end in zip(names, ("low", "high", "rank_low", "rank_high"), strict=True):
            assert_array_equal(intervals[end], table[name], err_msg=name)


def test_curves_of_every_feature_are_there_for_the_same_rows(explanation, some):
    """Each line is that of the explanation, whichever feature is opened; the rows are those that the open one draws."""
    rows = explanation["near"]._draw(20, [3, 70])
    assert some.recording["positions"] == rows.tolist()
    assert some.recording["row_labels"] == [f"<i>{row}" for row in rows]
    for feature in explanation.values():
        (curves,) = some.replies("curves", feature=feature.label)
        body = some.body(curves)
        assert body["n_lines"] == len(rows)
        assert_array_equal(body["positions"], rows)
        assert_allclose(body["values"] + body["offset"], feature.compute_curves(rows), atol=1e-5)
        assert_array_equal(body["target"], rows)


def test_rows_that_every_picture_draws_are_those_of_all_features_and_models(make, tmp_path):
    """So that a row has its own label, whichever feature and model the page opens with."""
    n = 2000
    X = pd.DataFrame(np.random.default_rng(3).uniform(size=(n, 3)), [f"row{at}" for at in range(n)], list("abc"))
    X.iloc[1717, 1] = X.iloc[1234, 2] = 9.0
    models = {"b": lambda X: X["a"] * np.where(X["b"] > 8, -29, 1), "c": lambda X: X["a"] * np.where(X["c"] > 8, 50, 1)}
    x = make(models, X, grid_size=10)
    assert [f._outlying.tolist() for f in x.explanation.values()] == [[1717], [], [1717]]
    page = Page(x.save(tmp_path / "page.html", what="b", max_lines=30))
    rows = page.recording["positions"]
    assert {1234, 1717} < {*rows}
    assert page.recording["row_labels"] == [f"row{row}" for row in rows]
    recorded = page.replies("curves")
    assert len(recorded) == 6
    for kept in recorded:
        assert_array_equal(page.body(kept)["positions"], rows)


def test_figures_are_those_of_the_explanation(explanation, whole):
    """At every decay."""
    tables = whole.recording["tables"]
    assert tables["traits"] == ["_profile", "_impact"]
    profile, impact = (np.frombuffer(buffer, "<f4") for buffer in whole.buffers(tables))
    expected = explanation.table(0.3, rank_by=None)
    names = whole.recording["traits"]["_header"]["metrics"]
    for name in ("impact", "heterogeneity"):
        found = impact.reshape(len(expected), -1)[:, names.index(name)]
        assert_allclose(found, expected[name], rtol=1e-5)
    found = profile.reshape(-1, len(expected), 100)[0, :, 29]
    assert_allclose(found, expected["in_distribution_impact"], rtol=1e-5)


def test_colours_rows_and_drivers_are_there(explanation, whole, X):
    """Every column has its values, every row its cells, and levels that a rule names are apart."""
    assert [kept["request"]["column"] for kept in whole.replies("colors", levels=None)] == list(X.columns)
    assert_array_equal(whole.body(whole.replies("colors", column="near")[0])["values"], X["near"])
    rows = whole.json(whole.recording["rows"])
    assert rows["columns"] == ["prediction", *X.columns]
    assert rows["rows"][7][4:6] == [X["town"].iloc[7], "2020-01-08"]
    drivers = [packed(describe_drivers(feature, feature._search_drivers()))[0] for feature in explanation.values()]
    assert [kept["body"] for kept in whole.replies("drivers")] == json.loads(json.dumps(drivers))
    usual, *separate = whole.replies("colors", column="town")
    assert usual["body"]["scale"]["levels"][-1] == "other"
    assert "hamlet" not in usual["body"]["scale"]["levels"]
    named = next(driver.levels for driver in explanation[EVIL]._search_drivers().reported if driver.column == "town")
    (kept,) = [each for each in separate if each["request"]["levels"] == list(named)]
    levels = kept["body"]["scale"]["levels"]
    assert "hamlet" in levels
    assert [levels[int(level)] for level in whole.body(kept)["values"][:3]] == ["hamlet"] * 3
    assert len(whole.replies("colors", column="near")) == 1


def test_replies_are_there_that_were_switched_on(explanation, whole, tmp_path):
    """Of all features, as a page opens each, but what takes models: of the open one, and where these are fitted."""
    optional = ("effects", "correlated", "unlike")
    assert [len(whole.replies(name)) for name in optional] == [0, 6, 0]
    state = ViewState(feature="near", choices={"ale": True, "fade": "unlike"})
    page = Page(save(explanation, state, tmp_path / "optional.html", max_lines=20))
    n_fitted = sum(each.label == "near" or each._knows_unlike for each in explanation.values())
    assert [len(page.replies(name)) for name in optional] == [6, 6, n_fitted]


def test_what_it_shows_first_is_the_view(some):
    """Traits are those of the explorer, but for what only a model can answer."""
    traits = some.recording["traits"]
    assert (traits["feature"], traits["kind"], traits["selection"]) == ("near", "c-ice", [3, 70])
    assert (traits["max_lines"], traits["_status"]["state"]) == (20, "ready")
    assert traits["_view"] == {"left": "interactions"}
    assert (traits["_header"]["outputs"], traits["_header"]["responses"]) == ([], [])


def classifier(X):
    """Three classes, of which the last is rare."""
    odds = np.column_stack([X["near"] * X["flag"], X["near"] ** 2, np.full(len(X), -3.0)])
    return np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)


@pytest.fixture
def of_classes(X):
    work = work_of(classifier, X, None, {"output": 1, "progress": None})
    for name in work.names:
        work.results[name] = work.compute(name)
    return work.explanation(work.results), Besides(classes=work.opened.classes)


@pytest.mark.parametrize("most", [10**6, pytest.param(30_000, marks=pytest.mark.wide)])
def test_every_class_is_there_to_be_compared(of_classes, tmp_path, monkeypatch, most):
    """The curves of each feature for each class, of as many rows as may be."""
    explanation, besides = of_classes
    monkeypatch.setattr(recording_module, "MOST_VALUES_OF_CLASSES", most)
    n_lines = min(80, most // (3 * sum(len(feature.grid) for feature in explanation.values())))
    state = ViewState(feature="near", choices={"classes": True}, besides=besides)
    page = Page(save(explanation, state, tmp_path / "page.html"))
    traits = page.recording["traits"]
    assert (traits["output"], traits["_header"]["outputs"]) == ("1", ["0", "1", "2"])
    assert traits["_view"] == {"classes": True}
    for feature, kept in zip(explanation.values(), page.replies("classes"), strict=True):
        body = page.body(kept)
        rows = body["positions"].astype(np.int64)
        assert len(rows) == body["n_lines"] == n_lines
        assert_allclose(body["grid"], display_axis(feature._item.feature, feature.axis).grid)
        known = besides.classes.lines(feature.feature, rows).curves
        got = np.reshape(body["values"], known.shape)
        assert_allclose(got + np.array(body["offsets"])[:, None, None], known, rtol=0, atol=1e-6)


def test_classes_of_which_too_few_lines_would_fit_are_left_out(of_classes, tmp_path, monkeypatch):
    """A page of many features and classes stays small, and offers nothing that it does not hold."""
    explanation, besides = of_classes
    monkeypatch.setattr(recording_module, "MOST_VALUES_OF_CLASSES", 1_000)
    state = ViewState(feature="near", choices={"classes": True}, besides=besides)
    page = Page(save(explanation, state, tmp_path / "page.html"))
    traits = page.recording["traits"]
    assert (page.replies("classes"), traits["_header"]["outputs"], traits["output"]) == ([], [], "")
    assert traits["_view"] == {}


@pytest.mark.parametrize(
    ("what", "feature", "right"),
    [("view", EVIL, "all"), ("panel", EVIL, None), ("since", "since", None), ("all", EVIL, "all")],
)
def test_what_chooses_how_it_opens(explanation, tmp_path, what, feature, right):
    """A page holds everything for any `what`; the word chooses what is open."""
    state = ViewState(feature=EVIL, choices={"right": "all"})
    page = Page(save(explanation, state, tmp_path / "page.html", what, max_lines=5))
    traits = page.recording["traits"]
    assert (traits["feature"], traits["_view"].get("right")) == (feature, right)
    assert len(page.replies("curves")) == 6


# --- nothing in it is markup, and nothing leaves it ------------------------------------------------


def test_names_of_users_are_text(explanation, tmp_path):
    """Elements are those of the template, whatever features, levels, rows and the title are called."""
    state = ViewState(feature=EVIL, color_by="town")
    page = Page(save(explanation, state, tmp_path / "evil.html", title=f"</title>{EVIL}<!--<script>"))
    scripts = [attributes.get("type") for tag, attributes in page.tags if tag == "script"]
    assert scripts.count("module") == 1
    assert set(scripts) == {"module", "application/json", "text/plain"}
    assert {tag for tag, _ in page.tags} == {
        "html", "head", "meta", "link", "title", "style", "script", "body", "header", "h1", "main", "p", "footer",
    }  # fmt: skip
    assert [attributes for tag, attributes in page.tags if any(name.startswith("on") for name in attributes)] == []
    assert page.texts["title"] == f"</title>{EVIL}<!--<script>"


def test_its_policy_allows_its_own_script_and_nothing_else(whole):
    """The hash is that of the script; no address is named anywhere that a browser would load."""
    policy = next(a["content"] for tag, a in whole.tags if a.get("http-equiv") == "Content-Security-Policy")
    script = whole.texts["script"]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    assert [a for _, a in whole.tags if "src" in a or not a.get("href", "data:,").startswith("data:")] == []
    assert "Copyright" in whole.texts["ice-licences"]  # of the libraries in it


def test_the_script_can_stand_inside_a_page():
    """A browser would take these for the end of a script, or of a style sheet, or for a comment."""
    script = page_module._bundled("frozen.js")
    assert [words for words in ("</script", "<script", "<!--") if words in script.lower()] == []
    assert "</" not in page_module._bundled("frozen.css")
    assert "</" not in page_module._bundled("explorer.licences.txt")


# --- how large it is -------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_page_of_many_features_stays_small_enough_to_send(tmp_path):
    """Of 1,000 rows, 30 features and 100 grid values of a smooth model, whose digits are all different."""
    X = np.random.default_rng(0).normal(size=(1000, 30))
    network = MLPRegressor(hidden_layer_sizes=(8,), max_iter=20, tol=1, random_state=0)
    network.fit(X, np.sin(X[:, 0]) + X[:, 1])
    large = ice.explain(network, X, grid="quantile", grid_size=100, progress=False)
    page = save(large, ViewState(), tmp_path / "large.html")
    assert Page(page).recording["traits"]["max_lines"] == 666
    assert 3e6 < page.stat().st_size < 8e6
    assert read_provenance(page)["rows_drawn"] == 666
    size = page.stat().st_size / 1e6
    assert f"666 of 1,000 rows, the same for every feature, {size:.1f} MB." in Page(page).text


def test_fewer_curves_are_kept_where_all_features_together_have_too_many_values(explanation, monkeypatch):
    """No fewer than thirty of each feature, whatever they take; fewer than the limit where they were asked for."""
    n_grid = sum(len(feature.grid) for feature in explanation.values())
    monkeypatch.setattr("ice_explorer.standalone.recording.MOST_VALUES", 50 * n_grid)
    assert [recording_module.lines_that_fit(explanation, most) for most in (1000, 40)] == [50, 40]
    monkeypatch.setattr("ice_explorer.standalone.recording.MOST_VALUES", 10)
    assert recording_module.lines_that_fit(explanation, 1000) == 30


# --- where it comes from -----------------------------------------------------------------------------


def test_provenance_says_what_is_in_the_page(explanation, tmp_path):
    """Rows drawn are those in it, hidden ones too; all that was chosen is followed."""
    view = {"filters": {"town": {"hidden": ["Ur"]}}, "shared_y": False}
    path = save(explanation, ViewState(feature="near", color_by="town", choices=view), tmp_path / "page.html")
    found = read_provenance(path)
    assert (found["feature"], found["rows_drawn"], found["view"], found["not_drawn"]) == ("near", 80, view, [])


def test_the_line_of_code_makes_a_page_with_a_target_again(make, X, tmp_path, monkeypatch):
    """The target and the number of lines are named in it."""
    y = np.arange(80.0)
    explorer = make(model, X, y)
    first = explorer.save(tmp_path / "page.html", max_lines=30, title="Towns")
    code = read_provenance(first)["code"]
    assert "ICEExplorer(model, X, y=y" in code
    assert code.endswith("x.save('page.html', max_lines=30, title='Towns')")
    again = tmp_path / "again"
    again.mkdir()
    monkeypatch.chdir(again)
    scope = {"ice_explorer": ice, "model": model, "X": X, "y": y}
    exec(code, scope)  # noqa: S102 - what users are told to paste
    scope["x"].close()
    assert (again / "page.html").read_bytes() == first.read_bytes()


def test_figures_of_fewer_lines_say_so_in_their_code(explanation, tmp_path):
    """`max_lines` of `save` is for every format."""
    path = save(explanation, ViewState(feature="near"), tmp_path / "few.csv", "panel", max_lines=12)
    assert pd.read_csv(path)["row"].nunique() == 12
    assert read_provenance(path)["code"].endswith("x.max_lines = 12; x.save('few.csv', 'panel')")


def test_without_the_front_end_it_says_how_to_build_it(explanation, tmp_path, monkeypatch):
    """As the explorer does, and no file is left."""
    monkeypatch.setattr(page_module, "_STATIC", tmp_path)
    with pytest.raises(ICEExplorerError, match=r"needs its built front end; there is none at .*frozen\.js"):
        save(explanation, ViewState(), tmp_path / "page.html", max_lines=2)
    assert list(tmp_path.iterdir()) == []


# --- in the output of a cell ------------------------------------------------------------------------


def test_a_frozen_explorer_is_a_page_in_a_frame(make, X):
    """The frame may run scripts and nothing else; the page is as `save` writes it, without a heading."""
    frozen = make(model, X).freeze(max_lines=10)
    output = Page(frozen._repr_html_())
    (frame,) = [attributes for tag, attributes in output.tags if tag == "iframe"]
    assert frame["sandbox"] == "allow-scripts"
    inner = Page(frame["srcdoc"])
    assert inner.recording["traits"]["max_lines"] == 10
    assert "h1" not in [tag for tag, _ in inner.tags]
    origin = json.loads(inner.texts["ice-provenance"])
    assert origin["code"].endswith("x.freeze(max_lines=10)")
    assert repr(frozen) == f"<frozen ICEExplorer: {len(frame['srcdoc'].encode()) / 1e3:.0f} kB>"


def test_a_page_has_what_was_computed_of_features_together(explanation, tmp_path):
    """Interactions and heat maps of an explorer; of none that nobody asked for."""
    plain = Page(save(explanation, ViewState(), tmp_path / "plain.html"))
    assert (plain.replies("interactions"), plain.replies("two_way")) == ([], [])
    joint = JointEffects()
    joint.pair(explanation, "near", "town")._complete()
    joint.pair(explanation, "near", "flag")  # which is not computed
    page = Page(save(explanation, ViewState(besides=Besides(joint=joint)), tmp_path / "pair.html"))
    (pair,) = page.replies("two_way")
    assert (pair["body"], page.buffers(pair)) == packed(describe_two_way(joint.pair(explanation, "near", "town")))
    assert page.replies("interactions") == []


def test_a_page_has_what_it_opens_with(explanation, tmp_path):
    """A heat map and the interactions are computed when the page is saved."""
    choices = {"left": "interactions", "pair": ["near", "town"]}
    state = ViewState(feature="near", choices=choices, besides=Besides(joint=JointEffects()))
    page = Page(save(explanation, state, tmp_path / "open.html"))
    (interactions,) = page.replies("interactions")
    assert interactions["body"]["done"] == interactions["body"]["total"] == 16
    assert [pair["request"]["second"] for pair in page.replies("two_way")] == ["town"]
    assert page.recording["traits"]["_view"] == choices
