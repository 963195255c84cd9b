"""Several models at once: how far they disagree, side by side, and what is refused."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier

import ice_explorer as ice
from ice_explorer.errors import InputTypeError, InvalidOptionError
from ice_explorer.results import models as of_models

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
    own = np.where(np.isnan(a.observed_axis), a.median, a.observed_axis)
    weights = np.ones(len(own)) if weights is None else weights
    known = ~np.isnan(a.observed_axis)
    above, below = 0.0, 0.0
    for i, row in enumerate(a.row_positions):
        at_own = [float(each._at_own_values(np.array([row]), each.curves[[i]])[0]) for each in (a, b)]
        far = a.likelihood(decay, rows=[row])[0]
        for k, value in enumerate(a.axis):
            if value == own[row]:
                continue
            if a.kind == "category":
                levels = [weights[known & (a.observed_axis == level)].sum() for level in a.axis]
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
    "options", [{}, {"grid": "quantile", "grid_size": 7}, {"sample": 20}, {"scale": "conditional"}]
)
def test_disagreement_is_the_equation(X, options):
    """For numbers, dates off the grid, levels with and without an order, missing values, and every decay."""
    both = ice.compare_models({"one": one, "other": other}, X, progress=False, **options)
    first, second = both.explanations.values()
    for decay in DECAYS:
        found = both.disagreement(decay)["disagreement"]
        for feature in first.features:
            expected = plain_disagreement(first, second, feature, decay)
            assert_allclose(found[feature], expected, rtol=1e-5, err_msg=f"{feature} {decay}")


def test_disagreement_counts_rows_by_weight(X):
    """Whole weights are repeated rows."""
    weights = np.arange(len(X)) % 3
    repeated = X.loc[X.index.repeat(weights)].reset_index(drop=True)
    models = {"one": one, "other": other}
    by_weight = ice.compare_models(models, X, sample_weight=weights, progress=False).disagreement(0.5)
    by_rows = ice.compare_models(models, repeated, progress=False).disagreement(0.5)
    assert_allclose(by_weight["disagreement"], by_rows["disagreement"].loc[by_weight.index], rtol=1e-9)


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
        table = ice.compare_models({"a": a, "b": b}, X, progress=False, engine="brute").disagreement()
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
    both = ice.compare_models({"f": lambda X: 2.0 * X[:, 0], "g": lambda X: 0.0 * X[:, 0]}, x, progress=False)
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
        flag = ice.compare_models(models, X, progress=False).disagreement(decay)
        text = ice.compare_models(of_texts, texts, progress=False).disagreement(decay)
        assert_allclose(text.loc["member", "disagreement"], flag.loc["member", "disagreement"], rtol=1e-9)


def test_of_many_rows_a_sample_is_compared(X, monkeypatch):
    """The curves of at most so many rows are computed; disagreement is close to that of all."""
    large = pd.concat([X] * 20, ignore_index=True)
    models = {"one": one, "other": other}
    whole = ice.compare_models(models, large, progress=False).disagreement()["disagreement"]
    monkeypatch.setattr(of_models, "MOST_ROWS", 300)
    some = ice.compare_models(models, large, progress=False).disagreement()["disagreement"].loc[whole.index]
    assert not np.array_equal(some, whole)
    assert_allclose(some, whole, rtol=0.2)


def test_blocks_of_rows_change_nothing(X, monkeypatch):
    """Memory is bounded by comparing a few rows at a time."""
    models = {"one": one, "other": other}
    whole = ice.compare_models(models, X, progress=False).disagreement()
    monkeypatch.setattr(of_models, "_VALUES_AT_A_TIME", 50)
    pd.testing.assert_frame_equal(ice.compare_models(models, X, progress=False).disagreement(), whole, rtol=1e-12)


def test_of_several_models_the_pair_that_disagrees_most_is_named(X):
    """Among three models each pair is compared."""
    models = {"one": one, "other": other, "nothing": lambda X: np.zeros(len(X))}
    all_three = ice.compare_models(models, X, progress=False)
    pairs = {
        pair: ice.compare_models({name: models[name] for name in pair}, X, progress=False).disagreement()[
            "disagreement"
        ]
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
    both = ice.compare_models({"one": one, "other": other}, X, progress=False)
    plain = both.disagreement()["disagreement"]
    in_sd, shares = (both.disagreement(unit=unit)["disagreement"] for unit in ("sd", "share"))
    assert_allclose(in_sd, 100 * plain / both.explanations["one"].prediction_sd, rtol=1e-12)
    assert_allclose(shares, 100 * plain / plain.sum(), rtol=1e-12)


def test_the_table_has_every_model_beside_the_others(X):
    """Metrics are those of the explanations; ranks and disagreement follow."""
    both = ice.compare_models({"one": one, "other": other}, X, progress=False)
    table = both.table("impact", 0.5)
    assert table.columns.tolist() == [
        ("impact", "one"), ("impact", "other"), ("rank", "one"), ("rank", "other"), ("disagreement", "")
    ]  # fmt: skip
    assert table["impact", "one"].is_monotonic_decreasing
    assert table["rank", "one"].tolist() == [1, 2, 3, 4, 5]
    for name, explanation in both.explanations.items():
        expected = explanation.table(0.5, sort_by="impact")["impact"]
        pd.testing.assert_series_equal(table["impact", name].sort_values(ascending=False), expected, check_names=False)
        assert table["rank", name].sort_values().index.tolist() == expected.index.tolist()
    pd.testing.assert_series_equal(
        table["disagreement", ""], both.disagreement(0.5)["disagreement"].loc[table.index], check_names=False
    )


def test_explanations_are_compared_without_their_models(X):
    """Explanations of the same rows are taken as they are; their numbers are those of the models."""
    models = {"one": one, "other": other}
    explained = {name: ice.explain(model, X, progress=False) for name, model in models.items()}
    both = ice.compare_models(explained)
    assert both.explanations == explained
    pd.testing.assert_frame_equal(both.disagreement(), ice.compare_models(models, X, progress=False).disagreement())
    assert repr(both) == "<ModelComparison of 'one', 'other': 5 features>"


def test_thresholds_of_all_models_are_one_grid(X):
    """Where grids depend on the model, curves share the values of all of them."""
    numbers = X[["rent", "member"]].astype(float)
    y = one(X)
    models = {
        "forest": RandomForestRegressor(3, max_depth=2, random_state=0).fit(numbers, y),
        "boosting": GradientBoostingRegressor(n_estimators=3, random_state=0).fit(numbers, y),
    }
    grids = [ice.explain(model, numbers, grid="thresholds", progress=False)["rent"].axis for model in models.values()]
    both = ice.compare_models(models, numbers, grid="thresholds", progress=False)
    for explanation in both.explanations.values():
        assert explanation["rent"].axis.tolist() == np.unique(np.concatenate(grids)).tolist()


def refused(models, X=None, **options):
    with pytest.raises((InvalidOptionError, InputTypeError)) as raised:
        ice.compare_models(models, X, **options)
    return str(raised.value)


def test_what_cannot_be_compared_is_refused_in_a_sentence(X):
    """Kinds of response, outputs, features, rows, and how many models there are."""
    numbers = X[["rent", "member"]].astype(float)
    y = one(X)
    labels = np.where(y > np.median(y), "high", "low")
    forest = RandomForestRegressor(3, random_state=0).fit(numbers, y)
    classes = RandomForestClassifier(3, random_state=0).fit(numbers, labels)
    flags = LogisticRegression().fit(numbers, y > np.median(y))
    ridge = RidgeClassifier().fit(numbers, labels)
    kind = "Models must have the same kind of response to be compared; "
    outputs = "Models must have the same outputs to be compared; "
    wrap = "Pass functions of X that return the same quantity."
    assert refused({"a": classes, "b": forest}, numbers) == (
        f"{kind}that of 'a' is 'predict_proba', that of 'b' 'predict'. {wrap}"
    )
    assert refused({"b": forest, "a": classes}, numbers) == (
        f"{kind}that of 'b' is 'predict', that of 'a' 'predict_proba'. {wrap}"
    )
    assert refused({"a": classes, "b": ridge}, numbers) == (
        f"{kind}that of 'a' is 'predict_proba', that of 'b' 'decision_function'. "
        "Pass `response='predict'`, which all of them have."
    )
    assert refused({"a": classes, "b": flags}, numbers) == (
        f"{outputs}'a' has outputs 'high', 'low', 'b' has outputs False, True. {wrap}"
    )
    assert refused({"a": classes, "b": lambda X: np.zeros(len(X))}, numbers) == (
        f"{outputs}'a' has outputs 'high', 'low', 'b' has one output. {wrap}"
    )
    count = "`models` must be a dict of 2 to 4 models by name; got a dict of "
    assert refused({}, numbers) == f"{count}0. Choose which models to compare."
    assert refused({"a": forest}, numbers) == f"{count}1. Pass a single model without a dict."
    assert refused(dict.fromkeys("abcde", forest), numbers) == f"{count}5. Choose which models to compare."
    for name, shown in ((1, "1"), ("", "''"), (" ", "' '"), (None, "None")):
        assert refused({"a": forest, name: forest}, numbers) == (
            f"The keys of `models` must be names of models, as text that is not empty; got {shown}. "
            'Write `{"forest": forest, "boosting": boosting}`.'
        )
    assert refused(forest, numbers) == (
        "`models` must be a dict of models by name; got RandomForestRegressor. For one model use `explain`."
    )
    assert refused({"a": forest, "b": forest}) == (
        "compare_models needs the observations to explain the models on; got models alone. "
        "Call `compare_models(models, X)`."
    )


def test_explanations_that_do_not_fit_are_refused(X):
    """Other rows, other grids, other outputs, or a model among explanations."""
    numbers = X[["rent", "member"]].astype(float)
    model = LinearRegression().fit(numbers, one(X))
    whole = ice.explain(model, numbers, progress=False)
    rows = (
        "Explanations must be of the same rows and grid values to be compared; those of 'a' and 'b' differ for 'rent'. "
    )
    again = "Explain both models on the same X with the same options."
    assert refused({"a": whole, "b": ice.explain(model, numbers[::-1], progress=False)}) == f"{rows}{again}"
    assert refused({"a": whole, "b": ice.explain(model, numbers, grid="uniform", progress=False)}) == f"{rows}{again}"
    assert refused({"a": whole, "b": ice.explain(model, numbers, features=["rent"], progress=False)}) == (
        "Models must be explained by the same features to be compared; 'a' has 'rent', 'member' and 'b' 'rent'. "
        "Pass X as a DataFrame with the columns that all of them were fitted on."
    )
    assert refused({"a": whole, "b": model}) == (
        "Models by name must be models alone or explanations alone; 'b' is not an explanation, as others are. "
        "Pass all models with X, or explain all of them first."
    )
    assert refused({"a": whole, "b": whole}, numbers, decay=0.5) == (
        "Explanations bring their data and options; got X, decay as well. Pass that to `explain`."
    )


def test_a_function_is_compared_with_a_regressor(X):
    """What a function returns is its author's to know; both have one output."""
    numbers = X[["rent", "member"]].astype(float)
    model = LinearRegression().fit(numbers, one(X))
    both = ice.compare_models({"model": model, "same": model.predict}, numbers, progress=False)
    assert_allclose(both.disagreement()["disagreement"], 0, atol=1e-9)
