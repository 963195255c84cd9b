"""Several models at once: how far they disagree, side by side, and what is refused."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression

import ice_explorer as ice
from ice_explorer import comparison as of_models
from ice_explorer.errors import OptionError

DECAYS = (0.01, 0.75, 1.0)


@pytest.fixture(scope="module", name="X")
def observations():
    generator = np.random.default_rng(0)
    n = 60
    age = generator.integers(20, 60, n).astype(float)
    return pd.DataFrame(
        {
            "age": np.where(generator.uniform(size=n) < 0.1, np.nan, age),
            "rent": generator.lognormal(sigma=2, size=n),
            "member": generator.integers(0, 2, n).astype(bool),
            "town": pd.Categorical(generator.choice(["Ur", "Uruk", "Kiš"], n, p=[0.7, 0.25, 0.05])),
            "grade": pd.Categorical(generator.choice(list("abc"), n), list("abc"), ordered=True),
        }
    )


def one(X):
    age = X["age"].fillna(40.0)
    return (age * X["member"] + np.log(X["rent"]) + 3.0 * (X["town"] == "Ur") + (X["grade"] == "c")).to_numpy(float)


def other(X):
    age = X["age"].fillna(25.0)
    return (np.sqrt(age) + X["rent"] * X["member"] - 2.0 * (X["town"] == "Kiš") * X["member"]).to_numpy(float)


def plain_disagreement(first, second, feature, decay, weights=None):
    """The equation of `ModelComparison.disagreement`, one phantom observation after the other."""
    a, b = first[feature], second[feature]
    own = np.where(np.isnan(a._item.feature.values), a._item.median, a._item.feature.values)
    weights = np.ones(len(own)) if weights is None else weights
    known = ~np.isnan(a._item.feature.values)
    above, below = 0.0, 0.0
    for i, row in enumerate(a.rows):
        at_own = [float(each._at_own_values(np.array([row]), each.curves[[i]])[0]) for each in (a, b)]
        far = a.likelihood(decay, rows=[row])[0]
        for k, value in enumerate(a.axis):
            if value == own[row]:
                continue
            if a.dtype_kind == "category":
                levels = [weights[known & (a._item.feature.values == level)].sum() for level in a.axis]
                omega = levels[k] / sum(w for w, level in zip(levels, a.axis, strict=True) if level != own[row])
            else:
                left = a.axis[max(k - 1, 0)]
                right = a.axis[min(k + 1, len(a.axis) - 1)]
                omega = right - left
            change = (a.curves[i, k] - at_own[0]) - (b.curves[i, k] - at_own[1])
            above += weights[row] * omega * far[k] * abs(change)
            below += weights[row] * omega * far[k]
    return above / below if below > 0 else 0.0


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, id="all"),
        pytest.param({"sample_weight": np.arange(60.0) % 3}, id="weights"),
        pytest.param({"sample": 20}, id="sample"),
        pytest.param({"grid": "quantile", "grid_size": 7}, id="quantiles", marks=pytest.mark.wide),
        pytest.param({"distance": "conditional"}, id="conditional", marks=pytest.mark.wide),
    ],
)
def test_disagreement_is_the_equation(X, options, monkeypatch):
    """For numbers, levels with and without an order, missing values, weights, and every decay; a few rows at a time."""
    if "sample" in options:
        monkeypatch.setattr(of_models, "_VALUES_AT_A_TIME", 50)
    both = ice.explain({"one": one, "other": other}, X, progress=False, **options)
    first, second = both.explanations.values()
    for decay in DECAYS:
        found = both.disagreement(decay)["disagreement"]
        for feature in first.features:
            expected = plain_disagreement(first, second, feature, decay, options.get("sample_weight"))
            assert_allclose(found[feature], expected, rtol=1e-5, err_msg=f"{feature} {decay}")


numbers = st.floats(-100, 100).map(lambda value: round(value, 3))


@settings(max_examples=20)
@given(st.lists(st.tuples(numbers, numbers), min_size=4, max_size=12), numbers, numbers)
def test_disagreement_is_a_distance(rows, factor, constant):
    """Equal models disagree by 0, also up to a constant; it is symmetric, and grows with the scale of predictions."""
    X = np.array(rows)

    def product(X):
        return X[:, 0] * X[:, 1]

    def total(X):
        return X[:, 0] - 2 * X[:, 1]

    def found(a, b):
        table = ice.explain({"a": a, "b": b}, X, progress=False, method="brute").disagreement()
        return table["disagreement"].sort_index().to_numpy()

    atol = 1e-9 * (1 + np.abs(X).max() ** 2 + abs(constant))
    assert_allclose(found(product, product), 0, atol=0)
    assert_allclose(found(product, lambda X: product(X) + constant), 0, atol=atol)
    assert_allclose(found(product, total), found(total, product), rtol=1e-12)
    scaled = found(lambda X: factor * product(X), lambda X: factor * total(X))
    assert_allclose(scaled, abs(factor) * found(product, total), rtol=1e-9, atol=100 * atol)


def test_disagreement_of_lines_is_the_mean_change(X):
    """For f = βx and g = 0 without decay it is |β| times the mean distance along the axis."""
    x = np.array([[0.0], [1.0], [3.0]])
    both = ice.explain({"f": lambda X: 2.0 * X[:, 0], "g": lambda X: 0.0 * X[:, 0]}, x, progress=False)
    gaps = np.array([1.0, 3.0, 2.0])  # twice the share of the axis of each grid value
    far = np.abs(x - x.T)
    others = np.where(far > 0, gaps, 0)
    assert_allclose(both.disagreement(1.0)["disagreement"], [2 * (others * far).sum() / others.sum()], rtol=1e-9)


def test_two_texts_disagree_as_a_flag_does(X):
    """A category of two levels, however frequent, is its 0/1 coding."""
    texts = X.assign(member=pd.Categorical(np.where(X["member"], "yes", "no")))
    models = {"one": one, "other": other}
    of_texts = {
        name: lambda X, model=model: model(X.assign(member=X["member"] == "yes")) for name, model in models.items()
    }
    for decay in DECAYS:
        flag = ice.explain(models, X, progress=False).disagreement(decay)
        text = ice.explain(of_texts, texts, progress=False).disagreement(decay)
        assert_allclose(text.loc["member", "disagreement"], flag.loc["member", "disagreement"], rtol=1e-9)


def test_of_many_rows_a_sample_is_compared(X, monkeypatch):
    """The curves of at most so many rows are computed; disagreement is close to that of all."""
    large = pd.concat([X] * 20, ignore_index=True)
    models = {"one": one, "other": other}
    whole = ice.explain(models, large, progress=False).disagreement()["disagreement"]
    monkeypatch.setattr(of_models, "MOST_ROWS", 300)
    some = ice.explain(models, large, progress=False).disagreement()["disagreement"].loc[whole.index]
    assert not np.array_equal(some, whole)
    assert_allclose(some, whole, rtol=0.2)


def test_of_several_models_the_pair_that_disagrees_most_is_named(X):
    """Among three models each pair is compared."""
    models = {"one": one, "other": other, "nothing": lambda X: np.zeros(len(X))}
    all_three = ice.explain(models, X, progress=False)
    pairs = {
        pair: ice.explain({name: models[name] for name in pair}, X, progress=False).disagreement()["disagreement"]
        for pair in combinations(models, 2)
    }
    table = all_three.disagreement()
    assert table["disagreement"].is_monotonic_decreasing
    for feature, row in table.iterrows():
        values = {pair: float(found[feature]) for pair, found in pairs.items()}
        assert_allclose(row["disagreement"], max(values.values()), rtol=1e-12)
        assert (row["first"], row["second"]) == max(values, key=values.get)


def test_units_are_those_of_the_metrics(X):
    """Per cent of the standard deviation of the predictions, and of the sum over all features."""
    both = ice.explain({"one": one, "other": other}, X, progress=False)
    plain = both.disagreement()["disagreement"]
    in_sd, shares = (both.disagreement(unit=unit)["disagreement"] for unit in ("sd", "share"))
    assert_allclose(in_sd, 100 * plain / both.explanations["one"]._context.prediction_sd, rtol=1e-12)
    assert_allclose(shares, 100 * plain / plain.sum(), rtol=1e-12)


def test_the_table_has_every_model_beside_the_others(X):
    """Metrics are those of the explanations; ranks and disagreement follow."""
    both = ice.explain({"one": one, "other": other}, X, progress=False)
    table = both.table("impact", 0.5)
    assert table.columns.tolist() == [
        ("impact", "one"), ("impact", "other"), ("rank", "one"), ("rank", "other"), ("disagreement", "")
    ]  # fmt: skip
    assert table["impact", "one"].is_monotonic_decreasing
    assert table["rank", "one"].tolist() == [1, 2, 3, 4, 5]
    for name, explanation in both.explanations.items():
        expected = explanation.table(0.5, rank_by="impact")["impact"]
        pd.testing.assert_series_equal(table["impact", name].sort_values(ascending=False), expected, check_names=False)
        assert table["rank", name].sort_values().index.tolist() == expected.index.tolist()
    pd.testing.assert_series_equal(
        table["disagreement", ""], both.disagreement(0.5)["disagreement"].loc[table.index], check_names=False
    )


def test_thresholds_of_each_model_are_no_common_grid(X):
    """They depend on the model."""
    with pytest.raises(OptionError, match="compared on one grid"):
        ice.explain({"one": one, "other": other}, X, grid="thresholds")


def test_a_function_is_compared_with_a_regressor(X):
    """What a function returns is its author's to know; both have one output."""
    numbers = X[["rent", "member"]].astype(float)
    model = LinearRegression().fit(numbers, one(X))
    both = ice.explain({"model": model, "same": model.predict}, numbers, progress=False)
    assert_allclose(both.disagreement()["disagreement"], 0, atol=1e-9)
