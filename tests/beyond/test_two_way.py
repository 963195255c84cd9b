"""Partial dependence on two features: equal to scikit-learn's and to a loop, whatever the features are."""

from __future__ import annotations

from inspect import signature

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.inspection import partial_dependence

import ice_explorer as ice
from ice_explorer.errors import DataError, PredictionError


@pytest.fixture(scope="module", name="X")
def observations():
    generator = np.random.default_rng(0)
    n = 120
    return pd.DataFrame(
        {
            "age": generator.integers(20, 70, n),
            "bmi": generator.normal(27, 4, n),
            "sex": generator.integers(0, 2, n).astype(bool),
            "rent": generator.lognormal(size=n),
        }
    )


@pytest.fixture(scope="module", name="forest")
def fitted_forest(X):
    y = X["age"] / 10 + X["bmi"] * X["sex"] + np.log(X["rent"])
    return RandomForestRegressor(n_estimators=10, random_state=0).fit(X, y)


def explain(model, X, **options):
    return ice.explain(model, X, progress=False, **options)


compared_with_sklearn = pytest.mark.skipif(
    "custom_values" not in signature(partial_dependence).parameters,
    reason="this scikit-learn takes no grid values",
)


def of_sklearn(model, X, two, pair, output=0):
    """Average the curves of scikit-learn at the same values."""
    values = dict(zip(pair, (two.first.axis, two.second.axis), strict=True))
    rows = X.astype({"age": float, "sex": float})
    found = partial_dependence(model, rows, list(pair), kind="average", method="brute", custom_values=values)
    return found["average"][output]


@compared_with_sklearn
@pytest.mark.parametrize("pair", [pytest.param(("age", "bmi"), marks=pytest.mark.wide), ("bmi", "sex")])
def test_all_rows_give_what_scikit_learn_gives(forest, X, pair):
    """At the same grid values the mean over all rows is that of `partial_dependence(kind="average")`."""
    two = explain(forest, X).two_way(*pair)
    assert_array_equal(two.rows, np.arange(len(X)))
    assert_allclose(two.partial_dependence, of_sklearn(forest, X, two, pair), rtol=1e-12)


@compared_with_sklearn
def test_a_class_gives_what_scikit_learn_gives(X):
    """The mean is that of the probability of the class at issue."""
    y = np.digitize(X["bmi"] + X["age"] / 10, [29, 33])
    model = RandomForestClassifier(n_estimators=10, random_state=0).fit(X, y)
    two = explain(model, X, output=2).two_way("age", "bmi", grid_size=6)
    assert_allclose(two.partial_dependence, of_sklearn(model, X, two, ("age", "bmi"), 2), rtol=1e-12)


def product(X):
    """Rows of any frame to numbers, with an interaction of all."""
    return np.sum([np.sin(column + 1.0) for column in X.to_numpy(dtype=float).T], axis=0) ** 2


@settings(max_examples=25)
@given(st.integers(0, 5), st.integers(2, 6), st.integers(1, 30))
def test_every_block_size_gives_the_mean_of_a_loop(seed, grid_size, max_rows):
    """Weighted, on a sample, and however little memory there is for a block."""
    generator = np.random.default_rng(seed)
    X = pd.DataFrame(generator.normal(size=(25, 3)), columns=list("abc"))
    weights = generator.integers(0, 3, 25).astype(float)
    two = explain(product, X, sample_weight=weights, memory_limit=5_000).two_way(
        "c", "a", grid_size=grid_size, sample=max_rows
    )
    rows = two.rows
    assert len(rows) == min(max_rows, np.count_nonzero(weights))
    assert (weights[rows] > 0).all()
    expected = np.empty((len(two.first.axis), len(two.second.axis)))
    for i, c in enumerate(two.first.axis):
        for j, a in enumerate(two.second.axis):
            expected[i, j] = np.average(product(X.iloc[rows].assign(c=c, a=a)), weights=weights[rows])
    assert_allclose(two.partial_dependence, expected, rtol=1e-12)


def test_the_order_of_the_names_turns_the_picture(forest, X):
    """The same rows are drawn whichever of the two is named first."""
    e = explain(forest, X)
    one, other = e.two_way("age", "bmi", sample=20), e.two_way("bmi", "age", sample=20)
    assert_array_equal(one.rows, other.rows)
    assert_allclose(one.partial_dependence, other.partial_dependence.T, rtol=1e-13)


def test_an_additive_model_has_no_interaction(X):
    """All rows of the picture are parallel."""
    two = explain(lambda X: (X["age"] ** 2 + X["bmi"]).to_numpy(), X).two_way("age", "bmi")
    assert_allclose(np.diff(two.partial_dependence, n=1, axis=1) - np.diff(two.partial_dependence[0]), 0, atol=1e-9)


def homes():
    """Features of every other kind, and a model that reads them."""
    n = 40
    generator = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "town": generator.choice(["Ur", "Uruk", "Eridu"], n),
            "built": pd.Timestamp("2000-01-01") + pd.to_timedelta(generator.integers(0, 9000, n), unit="D"),
            "wood": generator.integers(0, 2, n),
        }
    )
    X["stone"] = (1 - X["wood"]) * generator.integers(0, 2, n)
    X.loc[::7, "town"] = None

    def model(X):
        towns = X["town"].map({"Ur": 1.0, "Uruk": 2.0, "Eridu": 4.0}).fillna(0.5).to_numpy(dtype=float)
        years = (X["built"] - pd.Timestamp("2000-01-01")).dt.days.to_numpy() / 365.25
        return towns * years + 3.0 * X["wood"].to_numpy() - X["stone"].to_numpy()

    return model, X


def test_levels_dates_and_groups_are_axes_too():
    """The grid is in the values of X: labels of levels, dates; columns of a group move together."""
    model, X = homes()
    e = explain(model, X, groups={"walls": ["wood", "stone"]})
    two = e.two_way("town", "built", grid_size=5)
    assert sorted(two.first.grid) == ["Eridu", "Ur", "Uruk"]
    assert two.second.grid.dtype.kind == "M"
    expected = [[model(X.assign(town=t, built=b)).mean() for b in two.second.grid] for t in two.first.grid]
    assert_allclose(two.partial_dependence, expected, rtol=1e-12)
    walls = e.two_way("walls", "town")
    assert {*walls.first.grid} >= {"wood", "stone"}
    at = walls.first.grid.tolist().index("wood"), walls.second.grid.tolist().index("Ur")
    assert_allclose(walls.partial_dependence[at], model(X.assign(wood=1, stone=0, town="Ur")).mean(), rtol=1e-12)


def test_the_model_is_asked_once_and_only_when_it_is_read(X):
    """Axes are there before; what was found is kept, and cannot be written to."""
    calls = []

    def model(X):
        calls.append(len(X))
        return X["age"].to_numpy(dtype=float)

    e = explain(model, X)
    calls.clear()
    two = e.two_way("age", "sex", grid_size=4, sample=10)
    assert repr(two) == "<TwoWay of 'age' and 'sex': 4 × 2 values, 10 of 120 rows>"
    assert calls == []
    found = two.partial_dependence
    witnesses = 64  # rows that tell whether the model is still the one that was explained
    assert sum(calls) == witnesses + 4 * 2 * 10
    assert two.partial_dependence is found
    assert sum(calls) == witnesses + 4 * 2 * 10
    with pytest.raises(ValueError, match="read-only"):
        found[0, 0] = 1


def test_a_column_of_no_kind_is_no_axis(X):
    """It is refused in the words that refuse it as a feature, and another one is what to name."""
    strange = X.assign(thing=[{"a": 1}] * len(X), empty=np.nan)
    e = explain(lambda X: X["age"].to_numpy(float), strange, features=["age"])
    with pytest.raises(DataError, match=r"'thing' has dtype object and holds other objects\. Name another feature"):
        e.two_way("age", "thing")
    with pytest.raises(DataError, match=r"'empty' is missing in every row that has weight\. Name another feature"):
        e.two_way("empty", "age")


def test_a_failing_model_is_told_where(X):
    """The pair of values and the row are named."""

    def model(X):
        if (X["age"] + X["bmi"] > 1000).any():
            raise RuntimeError("too much")
        return X["age"].to_numpy(dtype=float)

    rows = X.assign(bmi=np.where(np.arange(len(X)) == 7, 950.0, 27.0), age=np.where(np.arange(len(X)) == 3, 60, 30))
    with pytest.raises(PredictionError) as caught:
        explain(model, rows, features=["sex"]).two_way("age", "bmi")._complete()
    assert str(caught.value) == (
        "The model failed on phantom observations of 'age and bmi' (grid values (30.0, 27.0) to (60.0, 950.0), "
        "rows 0 to 119 of X): RuntimeError: too much. Name another pair, or explain a function that can predict it."
    )


def test_near_are_observations_within_a_quarter_of_an_sd():
    """Counted by a loop, none in a quadrant without data; half a standard deviation from 125 observations down."""
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.uniform(-1, 1, size=(1200, 2)), columns=["a", "b"])
    X = X[~((X["a"] > 0) & (X["b"] > 0))].reset_index(drop=True)
    two = explain(lambda X: X["a"].to_numpy(), X).two_way("a", "b")

    def is_near(values, grid):
        nearest = np.abs(values.to_numpy()[:, None] - grid).argmin(axis=1)
        for at, place in enumerate(grid):
            yield (np.abs(values - place) <= 0.25 * values.std(ddof=0)) | (nearest == at)

    second = list(is_near(X["b"], two.second.axis))
    assert two.near.tolist() == [[int((a & b).sum()) for b in second] for a in is_near(X["a"], two.first.axis)]
    is_bare = (two.first.axis > 0.2)[:, None] & (two.second.axis > 0.2)
    assert (two.near[is_bare] == 0).all()
    assert (two.near[(two.first.axis < 0)[:, None] | (two.second.axis < 0)] > 0).all()
    few = pd.DataFrame({"a": np.arange(20.0), "b": [0.0, 1.0] * 10})
    two = explain(lambda X: X["a"].to_numpy(), few).two_way("a", "b")
    assert two.near[0, 0] == (few["a"][few["b"] == 0] <= 0.5 * few["a"].std(ddof=0)).sum() == 2


def test_near_are_observations_of_both_levels():
    """A missing value is near nothing, and the order of the names does not matter."""
    X = pd.DataFrame(
        {
            "town": pd.Categorical(["Ur", "Ur", "Kiš", "Kiš", None, "Ur"]),
            "flag": [True, True, False, False, True, False],
        }
    )
    e = explain(lambda X: np.zeros(len(X)), X)
    assert e.two_way("town", "flag").near.tolist() == [[2, 0], [1, 2]]  # Kiš, Ur; false, true
    assert_array_equal(e.two_way("flag", "town").near, e.two_way("town", "flag").near.T)


def test_work_is_done_in_steps(forest, X):
    """Each adds rows, and reading the result does the rest."""
    two = explain(forest, X, method="brute", memory_limit=200_000).two_way("age", "bmi")
    shares = []
    while len(shares) < 3 and not two._advance():
        shares.append(two._share_done)
    assert len(shares) == 3
    assert shares == sorted(set(shares))
    assert_allclose(two.partial_dependence, explain(forest, X).two_way("age", "bmi").partial_dependence, rtol=1e-12)
