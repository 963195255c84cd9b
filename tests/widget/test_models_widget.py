"""Several models in one explorer: what is sent of each, which one is open, and state, files and frozen pages."""

from __future__ import annotations

import base64
import gzip
import json

import numpy as np
import pandas as pd
import pytest
from kernel_end import ask, set_from_page, unpacked, warns
from numpy.testing import assert_allclose, assert_equal
from pictures import by_gid, texts
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression

import ice_explorer as ice
from ice_explorer.errors import DataError, OptionError
from ice_explorer.scene.choices import Besides, ViewState
from ice_explorer.standalone.recording import record
from ice_explorer.wire.arrays import packed
from ice_explorer.wire.header import DECAYS, METRICS, PROFILES
from ice_explorer.wire.replies import describe_curves


@pytest.fixture(scope="module", name="X")
def observations():
    generator = np.random.default_rng(0)
    return pd.DataFrame(generator.normal(size=(40, 3)).round(2), columns=["one", "two", "three"])


@pytest.fixture(scope="module", name="models")
def fitted(X):
    y = X["one"] * X["two"] + X["three"]
    return {
        "forest": RandomForestRegressor(5, random_state=0).fit(X, y),
        "boosting": GradientBoostingRegressor(n_estimators=5, random_state=0).fit(X, y),
        "line": LinearRegression().fit(X, y),
    }


def test_one_model_sends_what_it_did(make, X, models):
    """Nothing of several models is sent of one but the names of the traits."""
    explorer = make(models["line"], X)
    assert explorer.explanation.features == explorer.explanation.features
    assert (explorer.model, explorer._header["models"], explorer._models_impact, explorer._models_profile) == (
        "", [], b"", b""
    )  # fmt: skip
    assert explorer._header["profiles"] == list(PROFILES)


def test_the_open_model_is_what_everything_is_about(make, X, models):
    """Tables, explanation, predictions and details change with the trait; what is shown besides stays."""
    explorer = make(models, X, decay=0.5)
    explorer.feature, explorer.selection = "two", [3, 1]
    pairs = ["disagreement_0_1", "disagreement_0_2", "disagreement_1_2"]
    assert explorer._header["models"] == ["forest", "boosting", "line"]
    assert explorer._header["profiles"] == [*PROFILES, "disagreement", *pairs]
    for at, (name, model) in enumerate(models.items()):
        explorer.model = name
        alone = ice.explain(model, X, decay=0.5, progress=False)
        pd.testing.assert_frame_equal(explorer.explanation.table(), alone.table())
        of_open, of_all = (np.frombuffer(each, "<f4") for each in (explorer._impact, explorer._models_impact))
        np.testing.assert_array_equal(of_all.reshape(3, -1)[at], of_open)
        assert_allclose(of_open.reshape(3, -1)[:, 0], alone.table(rank_by=None)["impact"], rtol=1e-6)
        of_all = np.frombuffer(explorer._models_profile, "<f4").reshape(3, -1)
        np.testing.assert_array_equal(of_all[at], np.frombuffer(explorer._profile, "<f4")[: len(of_all[at])])
        assert_allclose(explorer.explanation.predictions(explorer.selection), model.predict(X)[[1, 3]], rtol=1e-9)
        assert (explorer.feature, explorer.selection, explorer.decay) == ("two", [1, 3], 0.5)
        assert explorer.table.index.tolist() == alone.table().index.tolist()
    largest, *of_pairs = np.frombuffer(explorer._profile, "<f4").reshape(-1, 3, len(DECAYS))[len(PROFILES) :, :, 49]
    expected = explorer.models.disagreement(0.5).loc[explorer.explanation.features]
    assert_allclose(largest, expected["disagreement"], rtol=1e-6)
    named = [pairs[at][-3:] for at in np.argmax(of_pairs, axis=0)]
    places = {name: str(at) for at, name in enumerate(models)}
    assert named == [f"{places[first]}_{places[second]}" for first, second in expected[["first", "second"]].to_numpy()]


def test_another_model_is_open_at_once(make, X, models):
    """All models are computed together: opening another one predicts no phantom observation again."""
    n_calls = {"a": 0, "b": 0}

    def counted(name, model):
        def predict(X):
            n_calls[name] += 1
            return model.predict(X)

        return predict

    explorer = make({"a": counted("a", models["line"]), "b": counted("b", models["forest"])}, X, method="brute")
    assert explorer.explanation.features == explorer.explanation.features
    assert explorer.models.disagreement().shape == (3, 3)
    before = dict(n_calls)
    explorer.model = "b"
    assert explorer._status["state"] == "ready"
    assert explorer.explanation.features == explorer.explanation.features
    assert n_calls["a"] == before["a"]
    assert n_calls["b"] - before["b"] <= 2  # whether it is the same model, and the spread of its predictions


def test_curves_are_requested_by_model(make, X, models):
    """The reply is that of an explorer of this model; without a name it is the open one."""
    explorer = make(models, X)
    assert explorer.explanation.features == explorer.explanation.features
    request = {"type": "curves", "feature": "two", "max_lines": 10, "selection": [39]}
    for at, name in enumerate((None, "forest", "boosting", "line")):
        reply, _ = ask(explorer, str(at), **request, model=name)
        explanation = ice.explain(models[name or "forest"], X, progress=False)
        body, expected = packed(describe_curves(explanation, explanation["two"], 10, [39]))
        assert_equal(reply["body"], unpacked(body, expected))
    reply, _ = ask(explorer, "z", **request, model="lime")
    assert reply["message"] == "`model` must be 'forest', 'boosting' or 'line'; got 'lime'. Did you mean 'line'?"


def test_disagreement_has_no_intervals(make, X, models):
    """The reply is complete, and holds no number."""
    explorer = make(models, X)
    assert explorer.explanation.features == explorer.explanation.features
    request = {"level": 0.9, "decay": 0.75}
    body = ask(explorer, type="intervals", rank_by="disagreement", **request)[0]["body"]
    assert (body["n_known"], body["n_features"], body["intervals"].pop("tied")) == (3, 3, [])
    assert [np.isnan(ends).tolist() for ends in body["intervals"].values()] == [[True] * 3] * 4


def test_the_browser_opens_another_model(make, X, models):
    """A trait that it sets as it sets the output; what there is not is refused."""
    explorer = make(models, X)
    assert explorer.explanation.features == explorer.explanation.features
    for name in ("line", "lime"):
        set_from_page(explorer, model=name)
        assert (explorer.model, explorer._header["method"]) == ("line", "linear")


def test_outputs_are_chosen_for_all_models(make, X):
    """The class that opens, and any other one, is the same for all of them."""
    y = np.digitize(X["one"], [-0.5, 0.5])
    models = {"forest": RandomForestClassifier(5, random_state=0).fit(X, y), "line": LogisticRegression().fit(X, y)}
    explorer = make(models, X)
    for output in ("", "0", "2"):
        explorer.output = output or explorer.output
        for name, model in models.items():
            explorer.model = name
            alone = ice.explain(model, X, output=int(explorer.output), progress=False)
            pd.testing.assert_frame_equal(explorer.explanation.table(), alone.table())
    explorer.response = "predict"
    assert {each.settings.response for each in explorer.models.explanations.values()} == {"predict"}


def test_a_state_brings_the_open_model(make, X, models):
    """A saved state opens it again; elsewhere it is ignored, with a sentence."""
    explorer = make(models, X)
    explorer.model, explorer.rank_by = "boosting", "disagreement"
    state = json.loads(json.dumps(explorer.state()))
    again = make(models, X, state=state)
    assert (again.model, again.rank_by) == ("boosting", "disagreement")
    alone = "The saved state refers to the model 'boosting', which is not available; using "
    with warns("^" + alone + "'forest'.$"):
        assert make({name: models[name] for name in ("forest", "line")}, X, state=state).model == "forest"
    with warns("saved state") as warned:
        assert make(models["line"], X, state=state).rank_by == "in_distribution_impact"
    assert str(warned[0].message) == (
        f"{alone}the only one. The saved state ranks by the disagreement of several models; ignored."
    )


def test_the_feature_that_ranks_first_is_open(make, X, models):
    """By disagreement as by any other metric."""
    explorer = make(models, X, state={"version": 2, "rank_by": "disagreement"})
    assert explorer.models.disagreement().index[0] == explorer.feature


def test_what_needs_several_models_is_refused_of_one(make, X, models):
    """Ranking by disagreement, opening another model, and reading all of them."""
    explorer = make(models["line"], X)
    calls = {
        "`rank_by='disagreement'`": lambda: setattr(explorer, "rank_by", "disagreement"),
        "`model='forest'`": lambda: setattr(explorer, "model", "forest"),
        "`models`": lambda: explorer.models,
        "`rank_by='disagreement'` ": lambda: explorer.explanation.plot(rank_by="disagreement"),
    }
    for words, call in calls.items():
        with pytest.raises(OptionError) as raised:
            call()
        assert str(raised.value).startswith(
            f"{words.strip()} needs several models; there is one. Call `ICEExplorer({{name: model, …}}, X)` for several"
        )


def test_several_models_or_their_comparison_are_taken(make, X, models):
    """A comparison brings its data; no model, or models without data, are refused."""
    compared = ice.explain(models, X, progress=False)
    explorer = make(compared)
    assert explorer.models.explanations == compared.explanations
    explorer.model = "line"
    assert explorer.explanation.method == "linear"
    with pytest.raises(OptionError, match="a dict of 2 to 4 models by name; got a dict of 0"):
        make({}, X)
    with pytest.raises(DataError, match="needs the observations to explain the model on"):
        make(models)


# --- files ----------------------------------------------------------------------------------------


def test_files_of_numbers_have_every_model(make, X, models, tmp_path):
    """Metrics, disagreement and curves of each, in CSV and JSON."""
    explorer = make(models, X)
    explorer.model = "line"
    both = explorer.models
    table = pd.read_csv(explorer.save(tmp_path / "a.csv"))
    order = both.explanations["line"].table().index
    assert table[["feature", "model"]].to_numpy().tolist() == [[feature, name] for feature in order for name in models]
    disagreement = both.disagreement()
    for _, row in table.iterrows():
        impact = both.explanations[row["model"]].table(rank_by=None).loc[row["feature"], "impact"]
        pair = disagreement.loc[row["feature"]]
        assert_allclose(row[["impact", "disagreement"]].astype(float), [impact, pair["disagreement"]], rtol=1e-9)
        assert row["between"] == f"{pair['first']}, {pair['second']}"
    curves = pd.read_csv(explorer.save(tmp_path / "b.csv", "one"))
    for name, of_model in curves.groupby("model"):
        feature = both.explanations[name]["one"]
        assert_allclose(
            of_model["prediction"], feature.compute_curves(of_model["row"].unique()).ravel(), rtol=1e-7, atol=1e-12
        )
    content = json.loads(explorer.save(tmp_path / "c.json").read_text(encoding="utf-8"))
    assert len(content["curves"]) == len(order) * len(models)
    origin = content["provenance"]
    assert (origin["model"], origin["models"]) == ("line", [*models])
    assert origin["code"].startswith("x = ice_explorer.ICEExplorer(models, X")
    assert "; x.model = 'line'; " in origin["code"]


def test_pictures_show_every_model(make, X, models):
    """A legend, as many thin bars, and curves of all unless a column colours them or a reader chose one model."""
    explorer = make(models, X)
    assert explorer.explanation.features == explorer.explanation.features

    def drawn(**choices):
        explorer._view = choices
        return explorer.figure()

    together = drawn()
    assert sorted(texts(together, "group name")) == sorted(models)
    assert set(models) <= set(texts(together.subfigs[0], "legend"))
    assert texts(drawn(models=False), "group name") == []
    explorer.color_by = "one"
    assert texts(drawn(), "group name") == []
    explorer.color_by, explorer.rank_by = None, "disagreement"
    assert texts(drawn(), "title")[0] == "Disagreement"


def test_plots_draw_every_model(make, X, models):
    """Their means are partial dependence in the colours of a legend; bars have a colour each."""
    from matplotlib import pyplot as plt

    explorer = make(models, X)
    both = explorer.models
    ax = both.plot("two", ax=plt.subplots()[1])
    means = by_gid(ax, "group mean")
    for line, explanation in zip(means, both.explanations.values(), strict=True):
        assert_allclose(line.get_ydata(), explanation["two"].partial_dependence)
    assert len({line.get_color() for line in means}) == 3
    assert [text.get_text() for text in ax.get_legend().get_texts()][:3] == [*models]
    bars = [patch for patch in both.plot().patches if patch.get_gid() == "bar"]
    lengths = np.array([bar.get_width() for bar in bars]).reshape(3, 3)
    table = both.table()["in_distribution_impact"]
    assert_allclose(lengths.T, table, rtol=1e-9)
    bars = [patch for patch in both.plot(rank_by="disagreement").patches if patch.get_gid() == "bar"]
    assert_allclose([bar.get_width() for bar in bars], both.disagreement()["disagreement"], rtol=1e-9)
    with pytest.raises(OptionError, match="plot\\(\\) has no option 'kind'"):
        both.plot(kind="ice")
    plt.close("all")


def test_a_frozen_page_holds_every_model(X, models):
    """The tables of all, and the curves of the models that are not open."""
    both = ice.explain(models, X, progress=False)
    state = ViewState(feature="one", max_lines=5, besides=Besides(models=both))
    blobs = record(both.explanations["forest"], state).blobs
    content = json.loads(gzip.decompress(base64.b64decode(blobs[0])))
    assert content["traits"]["model"] == "forest"
    assert content["traits"]["_header"]["models"] == [*models]
    n_profiles = len(content["traits"]["_header"]["profiles"])
    impact, profile = 4 * 3 * len(METRICS), 4 * 3 * 100
    assert content["tables"]["lengths"] == [3 * len(PROFILES) * profile, 3 * impact, n_profiles * profile, impact]
    for name in ["boosting", "line"]:
        curves = [each["body"] for each in content["replies"] if each["request"].get("model") == name]
        assert [body["feature"] for body in curves] == ["one", "two", "three"]
        ranges = [tuple(body["prediction_range"]) for body in curves]
        assert ranges == [feature._prediction_range for feature in both.explanations[name].values()]
