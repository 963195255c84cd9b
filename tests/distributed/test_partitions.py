"""Partitions that any cluster explains give what `explain` gives on all rows."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from partitioned import explain_parts, parts_of
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression

import ice_explorer as ice
from ice_explorer.errors import DataError

METRICS = ["impact", "in_distribution_impact", "direction", "heterogeneity", "non_linearity", "support"]


@pytest.fixture(scope="module", name="X")
def table():
    """Numbers, levels that not every partition has, and missing values."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(900, 3)).round(1), columns=["a", "b", "c"])
    table.loc[::7, "b"] = np.nan
    table["city"] = np.where(np.arange(900) < 300, "Oslo", rng.choice(["Bern", "Rome"], 900))
    return table


@pytest.fixture(scope="module")
def model(X):
    """Trees that take missing values and, as codes of a fixed list, cities."""
    codes = _numbers(X)
    target = codes["a"] * codes["b"].fillna(1) + codes["c"] + codes["city"]
    return Coded(HistGradientBoostingRegressor(max_iter=10, random_state=0).fit(codes, target))


def product(rows):
    return rows["a"].to_numpy() * rows["b"].to_numpy()


def product_with_city(rows):
    return product(rows) + rows["city"].map({"Bern": 0.0, "Oslo": 1.0, "Rome": 3.0}).to_numpy()


def of_decimals(rows):
    return rows["a"].astype(float).to_numpy() ** 2


def of_code(rows):
    return rows["code"].to_numpy() % 5 * rows["b"].to_numpy()


class Coded:
    """A model of numbers as one of texts."""

    def __init__(self, inner):
        self.inner = inner

    def predict(self, X):
        return self.inner.predict(_numbers(X))


def _numbers(X):
    return X.assign(city=X["city"].map({"Bern": 0.0, "Oslo": 1.0, "Rome": 3.0}).astype(float))


def assert_same(found, expected):
    """Metrics, partial dependence and spread of all features."""
    assert found.features == expected.features
    for feature in expected.features:
        mine, right = found[feature], expected[feature]
        for name in METRICS:
            assert_allclose(mine.metrics()[name], right.metrics()[name], rtol=1e-10, atol=1e-13, err_msg=name)
        assert str(mine._item.feature.levels) == str(right._item.feature.levels)
        assert_allclose(
            mine.grid if mine.dtype_kind == "numeric" else 0, right.grid if right.dtype_kind == "numeric" else 0
        )
        assert_allclose(mine.partial_dependence, right.partial_dependence, rtol=1e-10)
        assert_allclose(mine.spread, right.spread, rtol=1e-10, atol=1e-13)
    assert_allclose(found._context.prediction_sd, expected._context.prediction_sd, rtol=1e-10)


@pytest.mark.parametrize("pairwise", [False, True])
def test_partitions_give_what_all_rows_give(model, X, pairwise):
    """An empty partition and levels that are elsewhere change nothing."""
    partitions = [*parts_of(X, 5), X.iloc[:0]]
    assert_same(explain_parts(model, partitions, pairwise=pairwise), ice.explain(model, X))


def test_trees_are_read_on_the_cluster_too():
    """Partitions of an array, with options of `explain`."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 3))
    model = HistGradientBoostingRegressor(max_iter=10, random_state=0).fit(X, X[:, 0] * X[:, 1])
    options = {"features": [0, "x2"], "grid": "quantile", "grid_size": 20, "decay": 0.5}
    found = explain_parts(model, np.array_split(X, 3), **options)
    assert found.method == "tree"
    assert_same(found, ice.explain(model, X, **options))


def test_weights_come_with_the_partitions(model, X):
    """Rows without weight count as little as those that are absent."""
    weights = np.random.default_rng(2).integers(0, 4, len(X)).astype(float)
    weights[:180] = 0
    found = explain_parts(model, parts_of(X, 5), np.array_split(weights, 5))
    assert_same(found, ice.explain(model, X, sample_weight=weights))
    assert found.settings.weighted


def test_more_rows_than_are_sent_leave_a_sample():
    """A note says which figures are of all rows."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.integers(0, 30, size=(12_000, 2)).astype(float), columns=["a", "b"])
    model = LinearRegression().fit(X, X["a"] - 2 * X["b"])
    found = explain_parts(model, parts_of(X, 3))
    assert_same(found, ice.explain(model, X))
    assert found["a"].curves.shape[0] == 10_000
    assert found.notes[0] == (
        "Metrics, partial dependence and spread are of all 12,000 rows; curves, histograms, drivers and effects of "
        "10,000 of them, drawn at random."
    )


def test_one_row_and_skewed_partitions():
    """A partition of one row, one that has nearly all of them, and levels that occur in one partition only."""
    rng = np.random.default_rng(4)
    X = pd.DataFrame({"a": np.sort(rng.exponential(size=500)).round(2), "b": rng.integers(0, 5, 500).astype(float)})
    X["city"] = ["Rome", *["Bern"] * 498, "Oslo"]
    partitions = [X.iloc[:1], X.iloc[1:499], X.iloc[499:]]
    found = explain_parts(product_with_city, partitions, pairwise=True)
    assert_same(found, ice.explain(product_with_city, X))


def test_partitions_whose_weights_sum_to_little():
    """Weights are frequencies of all rows: those of a partition may sum to 1 or less."""
    X = pd.DataFrame(np.random.default_rng(5).normal(size=(40, 2)).round(1), columns=["a", "b"])
    weights = np.append(np.full(36, 0.5), [0.25, 0.25, 0.0, 0.5])
    found = explain_parts(product, parts_of(X, 10), np.array_split(weights, 10))
    assert_same(found, ice.explain(product, X, sample_weight=weights))


def test_digits_of_decimals_are_those_of_all_partitions():
    """A uniform grid is rounded to the digits of the column."""
    texts = ["0.5", "1.5", "2.5", "0.125", "1.375", "3.25"]
    X = pd.DataFrame({"a": list(map(Decimal, texts)), "b": np.arange(6.0)})
    options = {"grid": "uniform", "grid_size": 7, "features": ["a"]}
    found = explain_parts(of_decimals, [X.iloc[:3], X.iloc[3:]], **options)
    assert found["a"].grid.tolist() == ice.explain(of_decimals, X, **options)["a"].grid.tolist()


def test_declared_categories_are_no_identifiers():
    """Codes that a user declares are ranked, however many they are."""
    X = pd.DataFrame({"code": np.arange(60.0) // 1.5, "b": np.arange(60.0) % 7})
    found = explain_parts(of_code, parts_of(X, 3), categorical_features=["code"])
    assert_same(found, ice.explain(of_code, X, categorical_features=["code"]))


def test_many_distinct_values():
    """Quantiles and shares of grid values are close to those of all rows, also where one value is frequent."""
    rng = np.random.default_rng(6)
    X = pd.DataFrame(
        {"a": rng.normal(size=200_000), "b": np.where(rng.random(200_000) < 0.5, 0.0, 1000 + rng.random(200_000))}
    )
    model = LinearRegression().fit(X.iloc[:100], X["a"].iloc[:100])
    found = explain_parts(model, parts_of(X, 16), pairwise=True, grid="quantile", grid_size=200)
    expected = ice.explain(model, X, grid="quantile", grid_size=200)
    for feature in X:
        ordered, grid = np.sort(X[feature].to_numpy()), found[feature].grid
        levels = np.linspace(0, 1, 200)[-len(grid) :]
        assert (np.searchsorted(ordered, grid, "left") / len(X) <= levels + 5e-4).all()
        assert (np.searchsorted(ordered, grid, "right") / len(X) >= levels - 5e-4).all()
        assert_allclose(found[feature].scale, expected[feature].scale, rtol=1e-12)
    assert_allclose(found.table()["in_distribution_impact"], expected.table()["in_distribution_impact"], rtol=1e-3)
    assert any(note.startswith("2 features ('a' and 'b') have more than 65,536 distinct") for note in found.notes)


def test_more_levels_than_are_counted():
    """Such a column is not ranked, and a note says so; it is refused where it is named."""
    X = pd.DataFrame({"a": np.arange(70_000.0) % 9, "b": np.arange(70_000.0) % 7, "id": np.arange(70_000).astype(str)})
    found = explain_parts(product, parts_of(X, 3), pairwise=True)
    assert_same(found, ice.explain(product, X[["a", "b"]]))
    note = "'id' has more than 65,536 levels in 70,000 rows, like an ID or free text; it is not ranked"
    assert any(each.startswith(note) for each in found.notes)
    with pytest.raises(DataError, match=r"'id' must be at most 65,536 levels|at most 65,536 levels"):
        explain_parts(product, parts_of(X, 3), features=["a", "id"])


@pytest.mark.parametrize("pairwise", [False, True])
def test_rows_of_the_sample_that_behave_unlike_the_rest(pairwise):
    """They are named and drawn, however results are merged; a seventh of the rows has no weight."""
    draw = np.random.default_rng(0)
    X = pd.DataFrame({"z": draw.uniform(size=4000), "level": draw.uniform(size=4000)})
    X.loc[[17, 3000], "level"] = 5.0
    weights = np.where(np.arange(4000) % 7 == 0, 0.0, 1.0)
    parts = parts_of(X, 4), np.array_split(weights, 4)
    e = explain_parts(_falling, *parts, pairwise=pairwise, grid_size=20)
    expected = ice.explain(_falling, X, sample_weight=weights, grid_size=20, progress=False)
    for found in (e, expected):
        rows = found["z"]._outlying
        assert found.predictions(rows) == pytest.approx(_falling(X.iloc[[17, 3000]]))
        assert f"'z': 2 rows behave unlike the rest: {rows[0]}, {rows[1]}." in found.notes
    assert e["z"]._draw(10).size == 12


def _falling(X):
    return np.where(X["level"] > 4, 1.0 - 30.0 * X["z"], 0.9 * X["level"])
