"""The tables of Yeh & Ngo (2021), section 4 and appendix C, recomputed on the same data."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.preprocessing import StandardScaler

import ice_explorer as ice
from ice_explorer.datasets import load_cervical_cancer

PRINTED = {
    "impact": "impact_percent",
    "in_distribution_impact": "in_distribution_impact_percent_decay_0.75",
    "random_forest_importance": "random_forest_importance_percent",
}
# Table 2: impact, forest importance and their difference, in percent.
LARGEST_DIFFERENCES = {
    "STDs:molluscum contagiosum": (9.8, 0.1, 9.6),
    "STDs:pelvic inflammatory disease": (8.9, 0.1, 8.8),
    "Number of sexual partners": (1.0, 9.9, -8.9),
    "Age": (3.4, 17.8, -14.3),
}


@pytest.fixture(scope="module")
def data():
    """The table and target as the paper used them."""
    return load_cervical_cancer()


@pytest.fixture(scope="module")
def forest(data):
    """The paper's random forest."""
    return RandomForestClassifier(n_estimators=500, random_state=20).fit(*data)


@pytest.fixture(scope="module")
def explanation(forest, data):
    """The probability of a positive biopsy, explained by the convention of the paper."""
    return ice.explain(forest, data[0], output=1, convention="paper", decay=0.75, progress=False)


@pytest.fixture(scope="module")
def per_step(forest, data):
    """The same by steps of one standard deviation."""
    return ice.explain(forest, data[0], output=1, decay=0.75, progress=False).table()


@pytest.fixture(scope="module")
def published(shared):
    """Appendix C as printed."""
    return pd.read_csv(shared / "reference/published_table_appendix_c.csv", index_col="feature")


def percent(column):
    return 100 * column / column.sum()


@pytest.fixture(scope="module")
def recomputed(explanation, forest, data):
    """The three columns of appendix C from our table and the forest, unrounded."""
    table = explanation.table(rank_by=None)
    importance = pd.Series(forest.feature_importances_, index=data[0].columns)
    return pd.DataFrame(
        {
            "impact": percent(table["impact"]),
            "in_distribution_impact": percent(table["in_distribution_impact"]),
            "random_forest_importance": percent(importance),
        }
    )


@pytest.mark.parametrize("ours", PRINTED)
def test_appendix_c_as_printed(recomputed, published, ours):
    """All 32 figures of each of the three columns, to the printed decimal."""
    assert recomputed.index.tolist() == published.index.tolist()
    assert len(published) == 32
    differing = recomputed[ours].round(1) != published[PRINTED[ours]]
    assert recomputed[ours][differing].to_dict() == {}


def test_table_1_as_printed(recomputed):
    """Correlation of impact with in-distribution impact and with forest importance."""
    correlations = recomputed.corr()["impact"].round(2)
    assert correlations["in_distribution_impact"] == 0.99
    assert correlations["random_forest_importance"] == 0.36


def test_table_2_as_printed(recomputed):
    """The two largest and two smallest differences between impact and forest importance."""
    impact, importance = recomputed["impact"], recomputed["random_forest_importance"]
    difference = (impact - importance).sort_values(ascending=False)
    extremes = [*difference.index[:2], *difference.index[-2:]]
    ours = {
        name: (
            round(float(impact[name]), 1),
            round(float(importance[name]), 1),
            round(float(difference[name]), 1),
        )
        for name in extremes
    }
    assert ours == LARGEST_DIFFERENCES
    assert extremes == list(LARGEST_DIFFERENCES)


def test_table_3_of_a_linear_regression(data):
    """Impact and in-distribution impact correlate perfectly with the absolute coefficients."""
    X, y = data
    X = X.loc[:, np.ptp(X.to_numpy(), axis=0) > 0]
    X = pd.DataFrame(StandardScaler().fit_transform(X), columns=X.columns)
    model = LinearRegression().fit(X, y)
    table = ice.explain(model, X, convention="paper", progress=False).table(rank_by=None)
    for metric in ("impact", "in_distribution_impact"):
        correlation = np.corrcoef(table[metric], np.abs(model.coef_))[0, 1]
        assert_allclose(correlation, 1.0, rtol=1e-9)


def test_one_gap_beside_the_imputed_mean_brings_the_impact(explanation, per_step):
    """Most of what the top feature has comes from 0.005 years, and the explanation says so."""
    top = explanation["First sexual intercourse"]
    paper, step = top.metrics()["impact"], per_step.loc[top.feature, "impact"]
    assert top._notes["movement"] == (
        f"By the paper's intervals {paper:.3g}, per step of one standard deviation {step:.3g}: "
        "changes between close values weigh most."
    )
    (note,) = [note for note in explanation.notes if "close values" in note]
    assert "'First sexual intercourse'" in note


def test_by_steps_the_gap_weighs_what_it_is(per_step):
    """The default convention ranks features by how far a step of one standard deviation moves, not by one gap."""
    shares = percent(per_step["impact"])
    assert "First sexual intercourse" not in per_step.index[:3]
    assert shares["STDs:molluscum contagiosum"] < 0.2
