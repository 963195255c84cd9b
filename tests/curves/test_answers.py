"""Another output of a model that gives all of them at once: explained without asking it again."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal, assert_equal
from pandas.testing import assert_frame_equal
from sklearn.naive_bayes import GaussianNB

import ice_explorer as ice
from ice_explorer.curves.known_predictions import Answers
from ice_explorer.errors import PredictionError
from ice_explorer.results.options import Options
from ice_explorer.results.plan import prepare

LABELS = ["red", "green", "blue"]


class Counted:
    """A classifier of three classes that counts the rows it predicts."""

    def __init__(self, X, y):
        self.model = GaussianNB().fit(X, y)
        self.classes_ = self.model.classes_
        self.n_asked = 0

    def predict(self, X):
        return self.model.predict(X)

    def predict_proba(self, X):
        self.n_asked += len(X)
        return self.model.predict_proba(X)


@pytest.fixture
def table():
    """Three columns of numbers."""
    return np.random.default_rng(1).normal(size=(60, 3)).round(1)


@pytest.fixture
def model(table):
    """Classes that depend on two columns."""
    return Counted(table, np.array(LABELS)[(table[:, 0] > 0).astype(int) + (table[:, 1] > 0.3)])


def curves_of(plan):
    return [plan.compute(feature) for feature in plan.features]


@pytest.mark.parametrize(
    ("options", "n_jobs"), [({}, 2), ({"sample": 20}, 1), ({"grid": "quantile", "grid_size": 7}, 1)], ids=str
)
def test_another_output_is_as_if_the_model_had_been_asked(model, table, options, n_jobs):
    """Same curves and metrics to the bit, and only the first phantoms are predicted anew."""
    answers = Answers(10**8)
    for label in LABELS:
        before = model.n_asked
        found = curves_of(prepare(model, table, Options(output=label, n_jobs=n_jobs, **options), answers=answers))
        asked = model.n_asked - before
        expected = ice.explain(model, table, output=label, progress=False, n_jobs=n_jobs, **options)
        for feature in found:
            assert_array_equal(feature.curves, expected[feature.feature].curves)
            assert_equal(feature.metrics(), expected[feature.feature].metrics())
        assert (asked < 200) == (label != LABELS[0])


@pytest.mark.parametrize("response", ["predict_proba", "log_odds"])
def test_predictions_of_the_rows_are_those_of_the_first_output_asked_for(model, table, response):
    """Their spread, the unit of effects, and the predictions beside curves take no call for another output."""
    answers = Answers(10**8)
    positions = np.array([7, 2, 30])
    for label in LABELS:
        plan = prepare(model, table, Options(output=label, response=response), answers=answers)
        explanation = plan.explanation({feature: plan.compute(feature) for feature in plan.features})
        before = model.n_asked
        found = explanation.prediction_sd, explanation["x0"].predictions(positions)
        witnesses = 2 * 64  # rows that tell whether the model is still the one that was explained
        assert (model.n_asked == before + witnesses) == (label != LABELS[0])
        alone = ice.explain(model, table, output=label, response=response, progress=False)
        assert found[0] == alone.prediction_sd
        assert_array_equal(found[1], alone["x0"].predictions(positions))


@pytest.mark.parametrize("responses", [("predict_proba", "log_odds"), ("log_odds", "predict_proba")])
def test_log_odds_are_those_of_probabilities_that_are_known(model, table, responses):
    """Same curves and metrics to the bit, whichever was computed first, of any output."""
    answers = Answers(10**8)
    first, second = responses
    curves_of(prepare(model, table, Options(output="green", response=first), answers=answers))
    before = model.n_asked
    found = curves_of(prepare(model, table, Options(output="red", response=second), answers=answers))
    assert model.n_asked - before < 600
    expected = ice.explain(model, table, output="red", response=second, progress=False)
    for feature in found:
        assert_array_equal(feature.curves, expected[feature.feature].curves)
        assert_equal(feature.metrics(), expected[feature.feature].metrics())
    # The predicted class is no probability, so that it is predicted anew.
    (found, *_) = curves_of(prepare(model, table, Options(output="red", response="predict"), answers=answers))
    expected = ice.explain(model, table, output="red", response="predict", progress=False)
    assert_array_equal(found.curves, expected["x0"].curves)


def test_what_is_no_number_is_found_in_what_was_kept(table):
    """Of a probability of 0 the log-odds are none, nor need another output be one: the error names where."""

    class Sure:
        classes_ = ("no", "yes")

        def predict(self, X):
            return np.where(X[:, 0] > 0.5, "yes", "no")

        def predict_proba(self, X):
            yes = np.clip(X[:, 0], 0, 0.9)
            return np.column_stack([1 - yes, yes])

    def scores(X):
        return np.column_stack([X[:, 0], np.where(X[:, 1] > 1.5, np.nan, X[:, 1])])

    options = {"features": ["x0"], "grid": {"x0": [-1.0, 0.5]}}
    rows = np.where(table == 0, 0.1, np.abs(table))
    for model, first, second, words in (
        (
            Sure(),
            {},
            {"response": "log_odds"},
            r"a probability of 0 for a phantom observation of 'x0' \(grid value -1.0",
        ),
        (scores, {"output": 0}, {"output": 1}, r"'x0'.*grid value .*, row"),
    ):
        answers = Answers(10**8)
        curves_of(prepare(model, rows, Options(**options, **first), answers=answers))
        with pytest.raises(PredictionError, match=words):
            curves_of(prepare(model, rows, Options(**options, **second), answers=answers))


def test_the_explorer_asks_once_for_all_classes(model, table):
    """Choosing another class predicts some phantoms to see what the model returns, and whether it changed."""
    x = ice.ICEExplorer(model, table, output="red", progress=False)
    first = x.explanation.table()
    before = model.n_asked
    x.output = "blue"
    second = x.explanation.table()
    assert model.n_asked - before < 600
    assert_frame_equal(second, ice.explain(model, table, output="blue", progress=False).table())
    assert first["impact"].to_dict() != second["impact"].to_dict()
    x.close()
