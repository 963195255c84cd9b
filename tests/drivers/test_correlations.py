"""Correlations of features: equal to SciPy's, and to closed forms of categories."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal
from scipy.stats import spearmanr
from scipy.stats.contingency import association
from sklearn.metrics import r2_score
from witnesses import data, nonlinear

import ice_explorer as ice
from ice_explorer.drivers.candidates import strong_correlations


def explain(model, X, **options):
    return ice.explain(model, X, progress=False, **options)


def test_numbers_are_compared_by_ranks():
    """Numbers with ties and ordered categories have Spearman's correlation, as in SciPy, the strongest first."""
    X = data()
    found = explain(nonlinear, X)["rooms"].correlated()
    ranks = X.assign(size=X["size"].cat.codes)
    assert found["measure"].unique().tolist() == ["spearman"]
    for name in found.index:
        assert_allclose(found["correlation"][name], spearmanr(ranks["rooms"], ranks[name]).statistic, rtol=1e-12)
    assert found["correlation"].abs().is_monotonic_decreasing
    assert found.index[0] == "z"


def test_categories_are_compared_by_their_means():
    """By the adjusted R² of the means, both ways, and by Cramér's V as in SciPy less its bias."""
    generator = np.random.default_rng(0)
    city = generator.choice(["a", "b", "c"], 200)
    X = pd.DataFrame({"z": generator.normal(size=200) + (city == "b"), "city": city, "pet": np.roll(city, 1)})
    X.loc[:99, "pet"] = X["city"][:100]
    e = explain(lambda X: X["z"], X)
    n = len(X)
    unadjusted = r2_score(X["z"], X.groupby("city")["z"].transform("mean"))
    ratio = np.sqrt(1 - (1 - unadjusted) * (n - 1) / (n - 3))
    found = e["city"].correlated()
    assert found["measure"].to_dict() == {"pet": "cramers_v", "z": "correlation_ratio"}
    assert_allclose(found["correlation"]["z"], ratio, rtol=1e-12)
    assert_allclose(e["z"].correlated()["correlation"]["city"], ratio, rtol=1e-12)
    counts = pd.crosstab(X["city"], X["pet"])
    squared = 2 * association(counts, method="cramer") ** 2 - 2 * 2 / (n - 1)
    assert_allclose(found["correlation"]["pet"], np.sqrt(squared / (2 - 2 * 2 / (n - 1))), rtol=1e-12)


def test_many_levels_vary_with_nothing_by_chance():
    """Names of rows and codes of few rows each do not stand before what does vary with a feature."""
    generator = np.random.default_rng(0)
    x = generator.normal(size=200)
    X = pd.DataFrame({"x": x, "near": x + generator.normal(size=200), "city": generator.choice(["a", "b"], 200)})
    X["code"], X["name"] = generator.integers(0, 60, 200).astype(str), [f"row {row}" for row in range(200)]
    e = explain(lambda X: X["x"], X, features=["x", "city"])
    found = e["x"].correlated()["correlation"]
    assert found.index[0] == "near"
    assert found["code"] < 0.3
    assert np.isnan(found["name"])
    assert e["city"].correlated()["correlation"]["code"] < 0.3


def test_whole_weights_are_repeated_rows():
    """Of every measure."""
    X = data().iloc[:80].assign(city=["a", "b", "c", "b"] * 20, pet=["x", "y"] * 40)
    X.loc[3, "z"] = np.nan
    weights = np.random.default_rng(1).integers(0, 4, len(X))

    def model(X):
        return X["x"]

    e, repeated = explain(model, X, sample_weight=weights), explain(model, X.loc[X.index.repeat(weights)])
    for name in ("x", "city"):
        pd.testing.assert_frame_equal(e[name].correlated(), repeated[name].correlated())


def test_a_constant_has_none():
    """It is NaN, and last."""
    X = np.column_stack([np.arange(5.0), np.ones(5), [3.0, 1, 2, 5, 4]])
    found = explain(lambda X: X[:, 0], X)["x0"].correlated()
    assert found.index.tolist() == ["x2", "x1"]
    assert np.isnan(found["correlation"]["x1"])


def test_a_number_of_features_is_returned():
    """At most `n`."""
    assert len(explain(nonlinear, data())["x"].correlated(n=2)) == 2


def test_features_are_listed_where_one_varies_strongly_with_another():
    """Weak ones are left out; with none a sentence says so."""
    generator = np.random.default_rng(0)
    x = generator.normal(size=400)
    X = pd.DataFrame({"x": x, "strong": -x + 0.5 * generator.normal(size=400)})
    X["middling"], X["weak"] = x + 2 * generator.normal(size=400), generator.normal(size=400)
    e = explain(lambda X: X["x"], X)
    table, (lead, found) = e["x"].correlated(), strong_correlations(e["x"])
    assert lead == "Varies with"
    assert_frame_equal(found, table.loc[["strong", "middling"]])
    lead, none = strong_correlations(e["weak"])
    assert (len(none), lead) == (0, "No other feature has a correlation of 0.5 or more with weak.")
