"""The spread of a feature given the other features: of known distributions, by weight, and what it is for."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor

import ice_explorer as ice
from ice_explorer.datasets import load_cervical_cancer
from ice_explorer.metrics import conditional
from ice_explorer.metrics.conditional import (
    Predictors,
    conditional_moments,
    estimate_levels,
    rank_levels,
    ranked_codes,
)

TRUE_SPREAD = np.sqrt(0.19)  # 0.436 of a standard normal, given another one that it has a correlation of 0.9 with


def of_numbers(values):
    """Predictors all of which are numbers."""
    return Predictors(values, np.zeros(values.shape[1], bool))


def correlated(n, seed):
    random = np.random.default_rng(seed)
    z = random.normal(size=n)
    return 0.9 * z + TRUE_SPREAD * random.normal(size=n), np.column_stack([z, random.normal(size=n)])


@pytest.mark.parametrize(("n", "seed"), [(300, 0), (300, 1), (1000, 2)])
def test_a_constant_spread_is_found(n, seed):
    """Within 10 % of the truth for at least 90 % of the rows, and the mean within a quarter of the spread."""
    column, others = correlated(n, seed)
    found = conditional_moments(column, of_numbers(others), float(column.std()), None, 0)
    assert np.mean(np.abs(found.scale / TRUE_SPREAD - 1.0) < 0.1) >= 0.9
    assert np.sqrt(np.mean((found.mean - 0.9 * others[:, 0]) ** 2)) < TRUE_SPREAD / 4


def test_of_very_many_rows_a_sample_is_fitted(monkeypatch):
    """All have estimates that are as good, whatever the order of the rows; integer weights are repeated rows."""
    column, others = correlated(3000, 0)
    sizes, fit = [], HistGradientBoostingRegressor.fit
    monkeypatch.setattr(
        HistGradientBoostingRegressor,
        "fit",
        lambda *args, **options: sizes.append(len(args[1])) or fit(*args, **options),
    )
    monkeypatch.setattr(conditional, "_MOST_FITTED", 1000)
    found = conditional_moments(column, of_numbers(others), 1.0, None, 0)
    assert set(sizes) == {800}
    assert np.mean(np.abs(found.scale / TRUE_SPREAD - 1.0) < 0.1) >= 0.9
    assert np.sqrt(np.mean((found.mean - 0.9 * others[:, 0]) ** 2)) < TRUE_SPREAD / 4
    order = np.random.default_rng(1).permutation(3000)
    again = conditional_moments(column[order], of_numbers(others[order]), 1.0, None, 0)
    assert_allclose(again.mean, found.mean[order], rtol=1e-9, atol=1e-9)
    weights = np.arange(3000) % 3
    weighted = conditional_moments(column, of_numbers(others), 1.0, weights * 1.0, 0)
    at = np.repeat(np.arange(3000), weights)
    repeated = conditional_moments(column[at], of_numbers(others[at]), 1.0, None, 0)
    assert_allclose(repeated.mean, weighted.mean[at], rtol=1e-9, atol=1e-9)


def test_a_spread_that_changes_is_followed():
    """Half of the rows have five times the spread of the others."""
    random = np.random.default_rng(0)
    is_wide = random.uniform(size=800) < 0.5
    column = random.normal(size=800) * np.where(is_wide, 1.0, 0.2)
    found = conditional_moments(column, of_numbers(is_wide[:, None] * 1.0), float(column.std()), None, 0)
    assert_allclose(np.median(found.scale[is_wide]), 1.0, rtol=0.15)
    assert_allclose(np.median(found.scale[~is_wide]), 0.2, rtol=0.15)


def test_what_the_others_do_not_tell_is_the_spread_of_all():
    """No tree predicts held-out observations better than the mean."""
    random = np.random.default_rng(1)
    column, others = random.normal(size=400), random.normal(size=(400, 3))
    found = conditional_moments(column, of_numbers(others), float(column.std()), None, 0)
    assert np.mean(np.abs(found.scale / column.std() - 1.0) < 0.1) > 0.9
    assert np.abs(found.mean - column.mean()).max() < 0.5 * column.std()


def test_integer_weights_are_repeated_rows():
    """Exactly but for the rounding of a mean; neither do the order of rows and rows without weight matter."""
    column, others = correlated(200, 3)
    column[:5] = np.nan
    others[10:20, 0] = np.nan
    weights = np.random.default_rng(0).integers(0, 4, 200)
    repeats = np.repeat(np.arange(200), weights)
    shuffled = np.random.default_rng(1).permutation(200)
    weighted = conditional_moments(column, of_numbers(others), 1.0, weights * 1.0, 0)
    repeated = conditional_moments(column[repeats], of_numbers(others[repeats]), 1.0, None, 0)
    ordered = conditional_moments(column[shuffled], of_numbers(others[shuffled]), 1.0, weights[shuffled] * 1.0, 0)
    for name in ("mean", "scale"):
        of_weights = getattr(weighted, name)
        assert np.isfinite(of_weights).all()
        assert_allclose(getattr(repeated, name), of_weights[repeats], rtol=1e-12, atol=1e-12)
        assert_allclose(getattr(ordered, name), of_weights[shuffled], rtol=1e-12, atol=1e-12)
    codes = np.where(others[:, 1] > 0, 2.0, 0.0)
    of_weights = estimate_levels(codes, np.arange(3), of_numbers(others), weights * 1.0, 0)
    assert_array_equal(
        estimate_levels(codes[repeats], np.arange(3), of_numbers(others[repeats]), None, 0), of_weights[repeats]
    )


def test_probabilities_are_those_of_the_source():
    """Of three levels that depend on a number; a level that does not occur has none."""
    random = np.random.default_rng(0)
    z = random.uniform(size=1500)
    truth = np.column_stack([z / 2, (1 - z) / 2, np.full(1500, 0.5), np.zeros(1500)])
    codes = (random.uniform(size=1500)[:, None] > truth.cumsum(axis=1)).sum(axis=1) * 1.0
    found = estimate_levels(codes, np.arange(4), of_numbers(z[:, None]), None, 0)[:, 0]
    assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
    assert np.sqrt(np.mean((found - truth) ** 2)) < 0.06


def extrapolation(n=600):
    """Rows on a square without its upper right quadrant, and a forest (the model of the paper's extrapolation)."""
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, size=(2 * n, 2))
    X = X[(X[:, 0] < 0) | (X[:, 1] < 0)][:n]
    y = 10 * X[:, 0] ** 2 + (X[:, 1] >= 0) + random.normal(0, 0.1, size=len(X))
    return RandomForestRegressor(n_estimators=30, min_samples_leaf=3, random_state=0).fit(X, y), X


def test_phantoms_where_no_rows_are_count_less():
    """Distances are longer in the rows whose neighbours leave little open, so the empty quadrant loses weight."""
    model, X = extrapolation()
    shares = {}
    for scale in ("marginal", "conditional"):
        f = ice.explain(model, X, features=["x0"], distance=scale, progress=False)["x0"]
        likelihood = f.likelihood()
        is_empty = (X[:, [1]] >= 0) & (f.grid >= 0)
        is_mirrored = (X[:, [1]] < 0) & (f.grid >= 0) & (X[:, [0]] < 0)  # as far away, among rows
        shares[scale] = likelihood[is_empty].mean() / likelihood[is_mirrored].mean()
    assert 0.95 < shares["marginal"] < 1.05
    assert shares["conditional"] < 0.8


def test_a_feature_that_others_determine_has_the_least_scale():
    """Rows of the paper where STDs are counted one by one and in total: a variance may underflow in a fold."""
    X = load_cervical_cancer()[0]
    column = X["STDs"].to_numpy(float)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = conditional_moments(column, of_numbers(X.drop(columns="STDs").to_numpy(float)), column.std(), None, 0)
    assert (found.scale >= 0.01 * column.std()).all()
    assert np.median(found.scale) < 0.1 * column.std()


def mixed_table(n=150):
    """Return two texts and two numbers that depend on each other; two of the levels have equally many rows."""
    random = np.random.default_rng(3)
    town = np.repeat(["Rome", "Oslo", "Lima", "Bern", "Kyiv"], n // 5)
    height = np.repeat([0.0, 3.0, 1.0, 4.0, 2.0], n // 5) + random.normal(0, 0.7, n)
    kind = np.where(random.random(n) < 0.2, "plain", np.where(height > 2, "tall", "low"))
    X = pd.DataFrame({"town": town, "kind": kind, "height": height, "other": random.normal(size=n).round(1)})
    return X.mask(random.random(X.shape) < 0.05)


def rows_in_another_order(X):
    return X.sample(frac=1, random_state=2)


def levels_in_another_order(X):
    return X.assign(town=pd.Categorical(X["town"], ["Oslo", "Kyiv", "Rome", "Bern", "Lima"]))


def renamed_levels(X):
    names = {"Rome": "a", "Oslo": "z", "Lima": "q", "Bern": "b", "Kyiv": "k"}
    return X.assign(town=X["town"].map(names), kind=X["kind"].map({"tall": "1", "low": "2", "plain": "0"}))


@pytest.mark.parametrize("changed", [rows_in_another_order, levels_in_another_order, renamed_levels])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_neither_rows_nor_codes_of_levels_matter(changed, is_weighted):
    """Folds and trees depend on the content of rows: every distance of texts and numbers stays as it was."""
    X = mixed_table()
    Z = changed(X)

    def explain(rows):
        weights = pd.Series(np.arange(150) % 4 / 2 + 0.25)[rows.index].to_numpy() if is_weighted else None
        return ice.explain(
            lambda rows: rows["height"].fillna(0.0).to_numpy() * len(rows.columns),
            rows, distance="conditional", sample_weight=weights, progress=False,
        )  # fmt: skip

    before, after = explain(X), explain(Z)
    for name in X:
        first, second = before[name], after[name]
        assert_allclose(second.likelihood_scale, first.likelihood_scale[Z.index], rtol=1e-9)
        likelihood, other = first.likelihood(0.5)[Z.index], second.likelihood(0.5)
        if changed is renamed_levels and name in ("town", "kind"):
            old = X[name].groupby(Z[name]).first()
            likelihood = likelihood[:, [first.grid.tolist().index(old[level]) for level in second.grid]]
        elif name == "town":
            likelihood = likelihood[:, [first.grid.tolist().index(level) for level in second.grid]]
        assert_allclose(other, likelihood, rtol=1e-9)
        assert_allclose(second.metrics()["impact"], first.metrics()["impact"], rtol=1e-9, atol=1e-12)
        assert_allclose(
            second.metrics()["in_distribution_impact"], first.metrics()["in_distribution_impact"], rtol=1e-9, atol=1e-12
        )


def test_levels_that_no_other_feature_has_are_split_by_trees():
    """A number that depends on levels whose codes have another order is expected as well as their mean."""
    random = np.random.default_rng(0)
    codes = random.integers(0, 6, 600)
    column = np.array([0.0, 9.0, 1.0, 8.0, 2.0, 7.0])[codes] + random.normal(0, 0.5, 600)
    others = Predictors(codes[:, None] * 1.0, np.array([True]))
    found = conditional_moments(column, others, float(column.std()), None, 0)
    assert np.abs(column - found.mean).mean() < 0.45
    assert_allclose(found.scale.mean(), 0.5, atol=0.1)


def test_many_levels_are_trees_of_the_heaviest():
    """More levels than trees take: the others are one."""
    random = np.random.default_rng(0)
    codes = np.r_[np.arange(400), random.integers(0, 3, 1600)] * 1.0
    ranks = rank_levels(codes, np.arange(400), np.empty((2000, 0)), None)
    others = Predictors(ranked_codes(codes, ranks)[:, None], np.array([True]))
    column = 5.0 * (codes == 1) + random.normal(0, 0.1, 2000)
    found = conditional_moments(column, others, float(column.std()), None, 0)
    assert np.abs(found.mean[400:] - 5.0 * (codes[400:] == 1)).max() < 0.1


@pytest.mark.parametrize("change", [lambda x: 3 * x, lambda x: x + 5, lambda x: x / 7])
def test_the_unit_of_a_feature_does_not_matter(change):
    """The folds of the estimate depend on the order of values, not on how they are written."""
    random = np.random.default_rng(0)
    x = np.round(random.normal(size=200), 3)
    X = np.column_stack([x, x + random.normal(size=200)])
    scales = [
        ice.explain(lambda rows: rows.sum(axis=1), table, distance="conditional", progress=False)["x1"].likelihood_scale
        for table in (X, np.column_stack([change(x), X[:, 1]]))
    ]
    assert_allclose(scales[0], scales[1], rtol=1e-6)
