"""Marginal effects: equal to closed forms, and to predictions of changed rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import RandomForestClassifier
from witnesses import data, nonlinear

import ice_explorer as ice


def explain(model, X, **options):
    return ice.explain(model, X, progress=False, **options)


@pytest.fixture(scope="module", name="e")
def mixed():
    return explain(nonlinear, data())


@pytest.fixture(scope="module", name="square")
def squared_feature():
    return explain(lambda X: X[:, 0] ** 2 + X[:, 1], np.random.default_rng(0).normal(size=(50, 2)))


@pytest.mark.parametrize("h", [0.3, -2.0])
def test_a_square_has_its_closed_form(square, h):
    """Of x²: forward effect 2xh + h², derivative 2x."""
    x = square["x0"].observed
    forward = square.marginal_effects("x0", h)
    assert_allclose(forward.values, 2 * x * h + h**2, rtol=1e-9, atol=1e-12)
    assert_allclose(square.marginal_effects("x0", h, kind="derivative").values, 2 * x, rtol=1e-9, atol=1e-12)


def test_a_step_is_one_standard_deviation(e):
    """Of whole numbers the nearest one, of which a derivative takes 1; else it takes a hundredth."""
    assert e.marginal_effects("x").step == e["x"].scale
    assert e.marginal_effects("x", kind="derivative").step == 0.01 * e["x"].scale
    assert e.marginal_effects("rooms").step == 1.0
    assert e.marginal_effects("rooms", kind="derivative").step == 1.0


def test_effects_are_differences_of_predictions(e):
    """Of rows with another level."""
    X = data()
    found = e.marginal_effects("size", "large")
    changed = X.assign(size=pd.Categorical(["large"] * len(X), X["size"].cat.categories, ordered=True))
    moves = (X["size"] != "large").to_numpy()
    assert_allclose(found.values[moves], (nonlinear(changed) - nonlinear(X))[moves], rtol=1e-9, atol=1e-12)
    assert np.isnan(found.values[~moves]).all()
    assert_allclose(found.average, found.values[moves].mean())
    assert (found.step, found.outside.any()) == ("large", False)


def test_rows_that_leave_the_observed_range_are_told(square):
    """Upwards for a forward effect, on both sides for a derivative."""
    x = square["x0"].observed
    assert_array_equal(square.marginal_effects("x0", 1.0).outside, x + 1 > x.max())
    both = (x + 1 > x.max()) | (x - 1 < x.min())
    assert_array_equal(square.marginal_effects("x0", 1.0, kind="derivative").outside, both)


CODINGS = {
    "booleans": lambda is_on: is_on,
    "small integers": lambda is_on: is_on.astype(np.int8),
    "floats": lambda is_on: is_on.astype(float),
    "texts": lambda is_on: np.where(is_on, "yes", "no"),
    "category": lambda is_on: pd.Categorical(np.where(is_on, "yes", "no")),
    "ordered category": lambda is_on: pd.Categorical(np.where(is_on, "yes", "no"), ["no", "yes"], ordered=True),
    "declared levels": lambda is_on: pd.Categorical(np.where(is_on, "yes", "no"), ["maybe", "no", "yes"]),
}


def switched_table(coding):
    """Return rows with a column of two values, of which 30 % are on, and a number."""
    random = np.random.default_rng(0)
    return pd.DataFrame({"flag": coding(random.uniform(size=200) < 0.3), "z": random.normal(size=200)})


def switched(X):
    is_on = X["flag"].astype(str).isin(["True", "1", "1.0", "yes"]).to_numpy(float)
    return 5 * is_on + X["z"].to_numpy() * (1 + is_on)


@pytest.mark.parametrize("coding", CODINGS.values(), ids=CODINGS)
def test_two_values_change_from_the_lower_to_the_higher_in_every_row(coding):
    """Whatever their dtype: f(high) - f(low), which leaves the data nowhere and has no way between."""
    X = switched_table(coding)
    m = explain(switched, X).marginal_effects("flag")
    assert_allclose(m.values, 5 + X["z"], rtol=1e-12)
    assert_allclose(m.average, 5 + X["z"].mean(), rtol=1e-12)
    assert not m.outside.any()
    assert m.step in (True, 1.0, "yes")


@pytest.mark.parametrize("coding", CODINGS.values(), ids=CODINGS)
def test_an_explicit_step_of_two_values_averages_over_the_lower_one(coding):
    """Rows that have the new level already, or leave the data by the step, do not count."""
    X = switched_table(coding)
    step = 1 if X["flag"].dtype.kind in "if" else True if X["flag"].dtype == bool else "yes"
    is_off = X["flag"].astype(str).isin(["False", "0", "0.0", "no"])
    assert_allclose(explain(switched, X).marginal_effects("flag", step).average, 5 + X["z"][is_off].mean(), rtol=1e-12)


def test_two_values_that_are_not_0_and_1_keep_their_distance():
    """The step is from 10 to 30, and the derivative is per unit."""
    random = np.random.default_rng(1)
    X = pd.DataFrame({"dose": random.choice([10.0, 30.0], 50), "z": random.integers(0, 5, 50) / 2})
    e = explain(lambda X: X["dose"].to_numpy() * X["z"].to_numpy(), X)
    assert e.marginal_effects("dose").step == 20.0
    assert_allclose(e.marginal_effects("dose").values, 20 * X["z"], rtol=1e-12)
    assert_allclose(e.marginal_effects("dose", kind="derivative").values, X["z"], rtol=1e-12)


def test_rows_whose_step_leaves_the_data_do_not_count_in_the_average(square):
    """They keep their values; without any other row the average is NaN."""
    m = square.marginal_effects("x0", 1.0)
    assert 0 < m.outside.sum() < 50
    assert_allclose(m.average, m.values[~m.outside].mean(), rtol=1e-12)
    far = square.marginal_effects("x0", 100.0)
    assert far.outside.all()
    assert np.isfinite(far.values).all()
    assert np.isnan(far.average)


def test_rows_without_a_value_have_no_effect():
    """They are NaN, and do not count in the average; nor do rows without weight, or outside of the others."""
    X = np.array([[1.0], [np.nan], [2.0], [3.0], [4.0]])
    e = explain(lambda X: np.nan_to_num(X[:, 0]) ** 2, X, sample_weight=[1, 1, 2, 1, 0])
    m = e.marginal_effects("x0", 1)
    assert_array_equal(m.values, [3, np.nan, 5, 7, 9])
    assert_allclose(m.average, 13 / 3)


def test_dates_take_a_timedelta():
    """The step is in days, and the derivative is per day."""
    X = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=9), "b": range(9)})
    e = explain(lambda X: (X["day"] - pd.Timestamp("2020-01-01")).dt.total_seconds().to_numpy() / 3600, X)
    assert_allclose(e.marginal_effects("day", pd.Timedelta("12h")).values, 12)
    assert_allclose(e.marginal_effects("day", -np.timedelta64(1, "D")).values, -24)
    assert_allclose(e.marginal_effects("day", kind="derivative").values, 24)


def test_booleans_and_groups_take_a_level():
    """Columns of a group change together."""
    X = pd.DataFrame({"up": [True, False] * 5, "a": [1, 0] * 5, "b": [0, 1] * 5, "z": np.arange(10.0)})
    e = explain(lambda X: 5.0 * X["up"] + 2 * X["a"] - 3 * X["b"], X, groups={"city": ["a", "b"]})
    assert_array_equal(e.marginal_effects("up", step=True).values, [np.nan, 5] * 5)
    assert_array_equal(e.marginal_effects("city", "a").values, [np.nan, 5] * 5)


def test_kept_predictions_of_other_steps_are_not_taken():
    """A model of several classes, whose predictions are kept for other outputs."""
    X = data()[["x", "z"]]
    model = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, np.digitize(X["x"], [-1, 1]))
    x = ice.ICEExplorer(model, X, output=1)
    try:
        found = [x.explanation.marginal_effects("x", step).average for step in (0.5, -0.5, 0.5)]
    finally:
        x.close()
    expected = [explain(model, X, output=1).marginal_effects("x", step).average for step in (0.5, -0.5, 0.5)]
    assert found == expected
    assert found[0] != found[1]
