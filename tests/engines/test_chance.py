"""Models whose prediction of a row is not its own: it depends on chance, or on the rows of the same call."""

import re

import model_families as families
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import RandomForestRegressor

import ice_explorer as ice
from ice_explorer.curves.known_predictions import Answers
from ice_explorer.explanation import prepare
from ice_explorer.results.options import Options

X = np.random.default_rng(0).normal(size=(200, 3))
GRID = {"grid": "uniform", "grid_size": 9}
CHANCE = re.compile(
    r"Predictions of the same rows differ between calls by up to (\S+) \((\S+) % of the prediction range\)\. "
    r"Curves contain this noise, so impact, heterogeneity and non-linearity are too large\. "
    r"Fix the random state of the model, or pass a function that averages several predictions\."
)
BATCH = re.compile(
    r"The prediction of a row changes by up to (\S+) \((\S+) % of the prediction range\) with the other rows of the "
    r"same call, as with batch normalisation in training mode or scaling by batch\. Curves depend on which "
    r"phantom observations share a call, and so on `memory_limit` and `n_jobs`\. "
    r"Pass a function that predicts each row by itself\."
)


def function(rows):
    return rows[:, 0] * rows[:, 1] + rows[:, 2]


def explained(model, rows=X, **options):
    return ice.explain(model, rows, progress=False, **{**GRID, **options})


class Noise:
    """Adds noise between 0 and its amount, other in each call."""

    def __init__(self, amount):
        self.rng, self.amount = np.random.default_rng(1), amount

    def __call__(self, rows):
        return function(rows) + self.amount * self.rng.random(len(rows))


@pytest.mark.parametrize("amount", [0.001, 1.0])
def test_noise_is_reported_with_its_size(amount):
    """The largest difference of 32 rows between two calls, and what share of their range it is."""
    (note,) = explained(Noise(amount)).notes
    difference, share = map(float, CHANCE.fullmatch(note).groups())
    assert 0.6 * amount < difference <= amount
    # The range of the predictions of the first feature is about 27.
    assert 20 < difference / (share / 100) < 34


def by_batch(rows):
    return function((rows - rows.mean(axis=0)) / rows.std(axis=0))


def by_position(rows):
    """The same noise in each call, by the place of a row in it."""
    return function(rows) + np.random.default_rng(0).random(len(rows))


def by_rank(rows):
    return np.argsort(np.argsort(function(rows))) / len(rows)


@pytest.mark.parametrize("model", [by_batch, by_position, by_rank])
def test_what_depends_on_the_other_rows_of_a_call_is_reported(model):
    """It is the same in each call of the same rows, so that chance is not the word."""
    (note,) = explained(model).notes
    difference, _ = map(float, BATCH.fullmatch(note).groups())
    assert difference > 0.05


def centred(rows):
    return rows[:, 0] - rows[:, 0].mean() + rows[:, 1] * rows[:, 2]


@pytest.mark.parametrize("options", [{"memory_limit": 1}, {"memory_limit": 9000, "n_jobs": 3}, {"n_jobs": 2}])
@pytest.mark.parametrize("rows", [X, X[:2], X[:1]])
def test_what_depends_on_the_batch_is_reported_for_any_batch(options, rows):
    """Calls of single phantoms are compared with one of several, however few rows there are."""
    (note,) = explained(centred, rows, grid={"x0": np.arange(9.0)}, features=["x0"], **options).notes
    assert note.startswith("The prediction of a row changes by up to ")


def test_what_fails_on_phantoms_of_other_rows_is_checked_as_well():
    """The first call of a model, with values of other rows, is not what is compared."""
    rows = np.column_stack([np.arange(20.0), np.arange(20.0)])

    def model(asked):
        if (asked[:, 1] - asked[:, 0] > 0).any():
            raise ValueError("impossible")
        return asked[:, 0] - asked[:, 0].mean()

    (note,) = explained(model, rows, features=["x0"], grid={"x0": [19.0, 20.0, 21.0]}).notes
    assert BATCH.fullmatch(note)


def test_figures_differ_by_the_batch_only_where_a_note_says_so():
    """Of models that treat each row alone, figures are the same for any memory and any number of threads."""
    ways = [{"memory_limit": limit, "n_jobs": n_jobs} for limit in (1, 9000, "1GB") for n_jobs in (1, 2, 3)]
    tables = [explained(function, **way) for way in ways]
    for e in tables:
        assert_allclose(e.table(sort_by=None)["impact"], tables[0].table(sort_by=None)["impact"], rtol=1e-12)
        assert e.notes == []
    by_batch = [explained(centred, **way) for way in ways]
    impacts = np.array([e.table(sort_by=None)["impact"] for e in by_batch])
    assert np.ptp(impacts, axis=0).max() > 0.1
    assert all(e.notes for e in by_batch)


def test_what_differs_by_rounding_alone_is_not_reported():
    """Matrix products in single precision are added up otherwise for another number of rows."""
    weights = np.random.default_rng(2).normal(size=(3, 400)).astype(np.float32)

    def single(rows):
        return np.tanh(rows.astype(np.float32) @ weights).sum(axis=1) * 1e4

    for model in (single, lambda rows: function(rows) * (1 + 1e-7 * np.random.default_rng().random(len(rows)))):
        assert explained(model).notes == []


class Counting:
    """Counts its calls, and the rows of each."""

    def __init__(self, model):
        self.model, self.asked = model, []

    def __call__(self, rows):
        self.asked.append(len(rows))
        return self.model(rows)


def test_a_steady_model_is_asked_once_more_for_a_few_rows():
    """One call per feature, one to see what it returns and one of 32 rows; a plan alone calls once."""
    model = Counting(function)
    plan = prepare(model, X, Options(**GRID))
    assert model.asked == [64]
    assert plan.notes == ()
    for feature in plan.features:
        plan.compute(feature)
    assert model.asked.count(32) == 1
    assert sum(model.asked) == 64 + 32 + 3 * 9 * 200


def test_chance_is_told_from_the_other_rows_by_one_call_more():
    """Of the same few rows again, where they differ."""
    model = Counting(by_batch)
    explained(model)
    assert model.asked.count(32) == 2
    assert sum(model.asked) == 64 + 2 * 32 + 3 * 9 * 200


def test_models_that_are_read_are_not_asked_again(monkeypatch):
    """Their own predictions of the phantoms were those that follow from what was read."""
    asked = []
    own = RandomForestRegressor.predict
    monkeypatch.setattr(RandomForestRegressor, "predict", lambda self, rows: asked.append(len(rows)) or own(self, rows))
    forest = RandomForestRegressor(n_estimators=3, random_state=0).fit(X, function(X))
    assert explained(forest).engine == "tree"
    assert asked == [64]


def test_another_output_does_not_ask_again():
    """What was predicted for the few rows holds all outputs; the note is about the output at issue."""
    noise = Noise(1.0)
    model = Counting(lambda rows: np.column_stack([noise(rows), 100 * noise(rows), function(rows)]))
    answers = Answers(10**8)
    differences = []
    for output in (0, 1):
        plan = prepare(model, X, Options(**GRID, output=output), answers=answers)
        n_calls = len(model.asked)
        plan.compute("x0")
        differences.append(float(CHANCE.fullmatch(plan.notes[-1])[1]))
    assert len(model.asked) == n_calls
    assert_allclose(differences, [1, 100], rtol=0.4)


def test_a_model_that_fails_on_few_rows_fails_where_it_is_asked_for_curves():
    """A note is not worth an error."""

    def needs_many(rows):
        if len(rows) < 9:
            raise ValueError("needs 9 rows")
        return function(rows)

    assert explained(needs_many).notes == []


def test_one_row_and_flat_predictions_are_steady():
    """There is no range to take a share of; noise is a number alone then."""
    assert explained(function, X[:1], grid={"x0": [0.0, 1.0]}, features=["x0"]).notes == []
    assert explained(lambda rows: np.zeros(len(rows))).notes == []
    calls = iter(range(1000))
    (note,) = explained(lambda rows: np.full(len(rows), float(next(calls)))).notes
    assert note.startswith("Predictions of the same rows differ between calls by up to ")
    assert "Curves contain this noise" in note


def test_noise_is_reported_of_a_single_phantom():
    """It is predicted once more, alone."""
    (note,) = explained(lambda rows: np.random.default_rng().random(len(rows)), X[:1, :1], grid="observed").notes
    assert note.startswith("Predictions of the same rows differ between calls by up to ")


def test_models_of_every_family_are_steady():
    """Of libraries that are at hand, and that predict every phantom."""
    for case in families.CASES:
        if case.installed and case.engine == "brute":
            model, rows, _ = case.fit()
            options = {"grid": "quantile", "grid_size": 2, **case.options}
            notes = families.quietly(ice.explain, model, rows, progress=False, **options).notes
            assert not [note for note in notes if note.startswith(("Predictions of", "The prediction of"))], case
