"""`sample_weight` holds frequencies: a weight of 3 is a row that occurs three times."""

import math

import numpy as np
import oracles
import pandas as pd
import pytest
import strategies as own
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import ice_explorer as ice

NUMBERS = [
    "impact",
    "in_distribution_impact",
    "direction",
    "heterogeneity",
    "non_linearity",
    "missing_impact",
    "support",
]


def explained(model, X, **options):
    return ice.explain(model, X, progress=False, **options)


def numbers(e):
    return e.table(rank_by=None)[NUMBERS].to_numpy(dtype=float)


def assert_same_figures(left, right):
    """Compare two explanations, effects up to the rounding of the steepest slope."""
    steepest = max(float(left[name].scale * np.abs(left[name].slopes).max(initial=0.0)) for name in left.features)
    assert_allclose(numbers(left), numbers(right), rtol=1e-9, atol=1e-11 * steepest)


@settings(max_examples=80)
@given(
    X=own.varied_tables(min_rows=3),
    model=own.curved_models(),
    options=own.OPTIONS,
    grid=st.sampled_from([{}, {"grid": "quantile", "grid_size": 4}, {"grid": "observed", "grid_size": 3}]),
    data=st.data(),
)
def test_whole_weights_are_repeated_rows(X, model, options, grid, data):
    """In every column of the table, on every grid made from the data; the median of missing values is weighted."""

    def predict(Z):
        Z = np.asarray(Z, dtype=float)
        return model(np.column_stack([np.where(np.isnan(Z[:, 0]), 3.0 * Z[:, 1], Z[:, 0]), Z[:, 1]]))

    weights, X = data.draw(own.whole_weights(len(X))), X.copy()
    if data.draw(st.booleans()):
        X[data.draw(st.integers(0, len(X) - 1)), 0] = np.nan
        weights += not (weights[np.isfinite(X[:, 0])] > 0).any()
    weighted = explained(predict, X, sample_weight=weights, **options, **grid)
    repeated = explained(predict, np.repeat(X, weights, axis=0), **options, **grid)
    for name in weighted.features:
        assert_allclose(weighted[name].grid, repeated[name].grid, rtol=0)
    assert_same_figures(weighted, repeated)


def product(X):
    X = np.asarray(X, dtype=float)
    return X[:, 0] * X[:, 1]


def test_rows_without_weight_give_curves_and_nothing_else():
    """Their values make no grid point, their curves no figure, but they can be shown."""
    X = np.array([[0.0, 1.0], [1.0, 2.0], [9.0, 50.0], [2.0, 3.0]])
    e = explained(product, X, sample_weight=[1, 1, 0, 1])
    f = e["x0"]
    assert_allclose(f.grid, [0.0, 1.0, 2.0])
    assert_allclose(f.curves[2], [0.0, 50.0, 100.0])
    assert_allclose(f.compute_curves([2]), [[0.0, 50.0, 100.0]])
    assert_same_figures(e, explained(product, X[[0, 1, 3]]))


def test_sampled_rows_keep_their_weights():
    """`sample` and `sample_weight` together: the sums run over the sampled rows, weighted."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 2)).round(1)
    weights = np.tile([0.0, 0.5, 3.0], 20)
    e = explained(product, X, sample=12, sample_weight=weights)
    for column, name in enumerate(e.features):
        positions = e[name].rows.tolist()
        assert (weights[positions] > 0).all()
        expected = oracles.metrics(product, X, column, weights=weights, positions=positions)
        row = e[name].metrics()
        assert_allclose([row[k] for k in row], [expected[k] for k in row], rtol=1e-9, atol=1e-12)


def test_a_quantile_that_falls_on_a_step_is_the_same_with_weights():
    """11 equal shares, 12 levels: level × total rounds as it does without weights."""
    X = np.column_stack([np.arange(11.0), np.ones(11)])
    options = {"grid": "quantile", "grid_size": 12}
    unweighted = explained(product, X, **options)["x0"].grid
    weighted = explained(product, X, sample_weight=np.ones(11), **options)["x0"].grid
    tripled = explained(product, X, sample_weight=np.full(11, 3), **options)["x0"].grid
    repeated = explained(product, np.repeat(X, 3, axis=0), **options)["x0"].grid
    assert_allclose(weighted, unweighted, rtol=0)
    assert_allclose(tripled, repeated, rtol=0)


def test_lines_are_drawn_in_proportion_to_weight():
    """Rows of weight 0 are drawn only when asked for; heavy rows are drawn more often."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    weights = np.tile([0.0, 1.0, 8.0], 20)
    counts = np.zeros(60)
    for seed in range(20):
        e = explained(product, X, sample_weight=weights, random_state=seed, features=["x0"])
        counts[e["x0"]._draw(10)] += 1
    assert counts[0::3].sum() == 0
    assert counts[2::3].sum() > 2 * counts[1::3].sum()
    assert 0 in e["x0"]._draw(10, include=[0])


def test_weights_of_a_small_sum_are_noted():
    """Below 2, or below a tenth of the rows: what is taken for frequencies, and by how much heterogeneity grows."""
    X = np.random.default_rng(0).normal(size=(30, 2))
    small, plain = np.full(30, 0.05), np.ones(30)
    e = explained(product, X, sample_weight=small)
    assert e.notes == [
        (
            "`sample_weight` sums to 1.5 over 30 observations. Weights are taken as frequencies, so heterogeneity is "
            "1.7 times that of weights that sum to 30. Multiply the weights if they are not frequencies."
        )
    ]
    found, expected = (explained(product, X, sample_weight=w).table()["heterogeneity"] for w in (small, plain))
    assert_allclose(found / expected, math.sqrt(1.5 / 0.5 / (30 / 29)), rtol=1e-9)
    assert explained(product, X, sample_weight=plain / 10).notes == []
    assert len(explained(product, X, sample_weight=plain / 11).notes) == 1


def test_weights_with_another_index_than_x_are_refused():
    """They may belong to other rows: pandas would match them by label, numpy by position, and the figures differ."""
    X = pd.DataFrame({"a": [1.0, 2.0, 4.0]}, index=[7, 8, 9])
    model = lambda X: X["a"] ** 2  # noqa: E731
    with pytest.raises(ice.errors.OptionError) as caught:
        explained(model, X, sample_weight=pd.Series([1.0, 2.0, 3.0], index=[7, 9, 8]))
    assert str(caught.value) == (
        "`sample_weight` must have the index of X; row 1 has the label 9 in weights and 8 in X. Pass "
        "`weights.loc[X.index]` to match them by label, or `weights.to_numpy()` if they are in the order of X."
    )
    with pytest.raises(ice.errors.OptionError, match="row 0 has the label 0 in weights and 7 in X"):
        explained(model, X, sample_weight=pd.Series([1.0, 2.0, 3.0]))


def test_weights_with_the_index_of_x_or_without_one_are_taken_by_position():
    """An index of ranges equals one of the same labels; arrays, lists and series of polars have none."""
    polars = pytest.importorskip("polars")
    X = pd.DataFrame({"a": [1.0, 2.0, 4.0]}, index=[7, 8, 9])
    weights = [1.0, 2.0, 3.0]
    model = lambda X: np.asarray(X["a"]) ** 2  # noqa: E731
    expected = explained(model, X, sample_weight=weights)
    assert_same_figures(explained(model, X, sample_weight=pd.Series(weights, index=[7, 8, 9])), expected)
    assert_same_figures(explained(model, X, sample_weight=pd.Series(weights, index=range(7, 10))), expected)
    assert_same_figures(explained(model, X, sample_weight=polars.Series(weights)), expected)
    other = pd.Series(weights, index=[2, 1, 0])  # polars has no index that it could differ from
    assert_same_figures(explained(model, polars.from_pandas(X), sample_weight=other), expected)
