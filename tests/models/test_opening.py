"""What an explorer opens with where a model returns several things; clusterers and outlier detectors."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from origins import read_provenance
from sklearn.cluster import Birch, KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, OneClassSVM

import ice_explorer as ice
from ice_explorer.widget.explorer import ICEExplorer

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(90, 3)), columns=["a", "b", "c"])
LABELS = np.where(X["a"] > 0.9, "high", np.where(X["a"] > -0.6, "mid", "low"))  # mid most often, then low
CLASSIFIER = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, LABELS)


class Labels:
    """A model that predicts labels and does not list them."""

    def predict(self, X):
        """Return labels."""
        return CLASSIFIER.predict(X)


def opened(model, y=None, **options):
    """An explorer that is done, which output it opened with, and the note about it."""
    x = ICEExplorer(model, X, y, **options)
    notes = [note for note in x.explanation.notes if note.startswith("Explained")]
    return x, x.output, notes


def two_outputs(X):
    """Return two numbers of each row."""
    return np.column_stack([X["a"], X["b"] ** 2])


def test_the_class_most_frequent_in_the_target_or_in_the_predictions_is_opened():
    """The target is what the user has in mind, whatever the model predicts; the note says where it is frequent."""
    x, output, notes = opened(CLASSIFIER, np.array(["high"] * 50 + ["mid"] * 40))
    assert output == "high"
    assert x.explanation.output_label == "probability of high"
    end = "Choose another one by `output=`."
    assert notes == [f"Explained class: 'high', the most frequent one in `y`. {end}"]
    _, output, notes = opened(CLASSIFIER)
    assert output == "mid"
    assert notes == [f"Explained class: 'mid', the most frequent one in the predictions. {end}"]


def test_of_many_rows_some_are_predicted():
    """A slow model is not asked for all of them before the explorer is there; the note counts them."""
    many = pd.concat([X] * 30, ignore_index=True)
    x = ICEExplorer(CLASSIFIER, many, grid="quantile", grid_size=5)
    assert x.output == "mid"
    assert any("the most frequent one in the predictions of 2,000 rows." in note for note in x.explanation.notes)


@pytest.mark.parametrize(
    ("model", "y", "expected"),
    [
        (SVC().fit(X, LABELS), None, "mid"),
        (Labels(), LABELS, "mid"),
        (Labels(), None, "mid"),
        (LinearRegression().fit(X, X[["b", "c"]]), None, "0"),
        (two_outputs, None, "0"),
        (KMeans(3, random_state=0).fit(X), None, None),
    ],
    ids=["scores", "labels", "labels, no y", "numbers", "function", "clusters"],
)  # fmt: skip
def test_every_model_that_predicts_opens(model, y, expected):
    """Classes by scores, labels or probabilities, several numbers, clusters."""
    x, output, notes = opened(model, y)
    assert output in x._header["outputs"]
    assert len(notes) == 1
    if expected is not None:
        assert output == expected


@pytest.mark.parametrize("y", [None, X["b"]], ids=["no y", "y"])
def test_nothing_is_chosen_where_there_is_one_output(y):
    """A regressor has nothing to choose, and of two classes the second is explained as ever, whatever is frequent."""
    assert opened(LinearRegression().fit(X, X["b"]), y)[1:] == ("", [])
    _, output, notes = opened(LogisticRegression().fit(X, X["a"] > 2), np.zeros(90, bool))
    assert output == "True"
    assert notes == ["Explained class: True, the second of two. Pass `output=False` for the other."]


def test_state_code_and_files_carry_the_output(tmp_path):
    """What the explorer chose is written down wherever the view can be made again."""
    x, _, _ = opened(CLASSIFIER)
    assert x.state()["output"] == "mid"
    assert "output='mid'" in read_provenance(x.save(tmp_path / "view.svg"))["code"]
    again = ICEExplorer(CLASSIFIER, X, LABELS[::-1], state={**x.state(), "output": "low"})
    assert again.output == "low"


@pytest.mark.parametrize("model", [Birch(n_clusters=3), make_pipeline(StandardScaler(), KMeans(4, random_state=0))])
def test_clusters_are_names(model):
    """Label 3 is no more than label 1: what is explained is the share of one label, and all are offered."""
    model.fit(X)
    e = ice.explain(model, X, output=2, grid="quantile", grid_size=5)
    f = e["a"]
    rows = X.iloc[[7]].assign(a=f.grid[0])
    assert_allclose(f.curves[7, 0], float(model.predict(rows)[0] == 2))
    assert set(np.unique(f.curves)) <= {0.0, 1.0}
    assert e.output_label == "prediction of 2 (1) or not (0)"
    assert e.notes[0] == (
        "The model is a clusterer, so its labels are explained as names: a curve is 1 where the predicted label is the "
        "explained one and 0 elsewhere, and the mean of the curves is the share of that label."
    )
    assert ICEExplorer(model, X)._header["outputs"] == [str(label) for label in np.unique(model.predict(X))]


@pytest.mark.parametrize("model", [LocalOutlierFactor(novelty=True), make_pipeline(StandardScaler(), OneClassSVM())])
def test_outlier_detectors_are_explained_by_their_score(model):
    """Their labels, -1 and 1, say less; they are there for `response="predict"`, as names."""
    model.fit(X.to_numpy())
    e = ice.explain(model, X.to_numpy(), grid="quantile", grid_size=5)
    assert_allclose(e["x0"]._predictions(range(5)), model.decision_function(X.to_numpy()[:5]))
    assert e.notes[0] == (
        "The model is an outlier detector, so its score is explained (decision_function): the lower, the more abnormal."
    )
    assert e.settings.response == "decision_function"
    inlier = ice.explain(model, X.to_numpy(), response="predict", grid="quantile", grid_size=5)
    assert inlier.output_label == "prediction of 1 (1) or not (0)"


def test_a_detector_without_a_decision_function_is_explained_by_the_scores_of_samples():
    """The note names the method."""

    class Detector:
        _estimator_type = "outlier_detector"

        def predict(self, X):
            return np.where(X["a"] > 1, -1, 1)

        def score_samples(self, X):
            return -np.abs(X["a"])

    e = ice.explain(Detector(), X)
    assert e.output_label == "score (of samples)"
    assert "(score_samples)" in e.notes[0]


def test_scores_of_pairs_of_classes_are_not_taken_for_scores_of_classes():
    """Three classes have three pairs, which look like three scores: the labels are explained instead."""
    e = ice.explain(SVC(decision_function_shape="ovo").fit(X, LABELS), X, output="mid", grid="quantile", grid_size=5)
    assert e.output_label == "prediction of mid (1) or not (0)"
