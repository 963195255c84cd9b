"""Intervals of metrics and ranks: influences are derivatives, intervals cover, and the model is not called."""

import runpy

import numpy as np
import oracles
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression

import ice_explorer as ice
from ice_explorer.metrics.ordered import OrderedSums, nearest_shares
from ice_explorer.results.intervals import METRICS

RANDOM = np.random.default_rng(0)
X = pd.DataFrame(RANDOM.uniform(size=(60, 3)), columns=["a", "b", "c"])


def curved(X):
    X = np.asarray(X, dtype=float)
    return 3 * X[:, 0] * X[:, 1] + (X[:, 2] > 0.4) * X[:, 0]


class Counting:
    """A model that counts the rows that it predicts."""

    def __init__(self, function):
        self.function = function
        self.n_rows = 0

    def __call__(self, X):
        self.n_rows += len(X)
        return self.function(X)


def explained(model, X, **options):
    return ice.explain(model, X, progress=False, **options)


def widths(table, metric):
    """How wide the intervals of a metric are, by feature."""
    return (table[f"{metric}_high"] - table[f"{metric}_low"]).to_numpy(float)


def assert_influences_are_derivatives(model, X, weights, decay, *, rtol=1e-3, step=1e-5, **options):
    """An influence is how far the figures move by the weight of a row."""
    e = explained(model, X, sample_weight=weights, **options)
    name = e.features[0]
    (found,) = e[name]._row_influences(decay, len(X))
    assert_array_equal(found.rows, np.arange(len(X)))
    for row in np.random.default_rng(1).choice(len(X), 4, replace=False):
        moved = [
            explained(model, X, sample_weight=weights + sign * step * (np.arange(len(X)) == row),
                      grid={name: e[name].grid}, **options)[name]
            for sign in (1.0, -1.0)
        ]  # fmt: skip
        assert_array_equal(moved[0].rows, e[name].rows)
        for metric in METRICS:
            if np.isnan(found.figures[metric]):
                continue
            slope = np.subtract(*(f.metrics(decay)[metric] for f in moved)) / (2 * step)
            close = {"rtol": rtol, "atol": rtol * np.abs(found.by_row[metric]).max() + 1e-9}
            assert_allclose(found.by_row[metric][row], slope, **close, err_msg=f"{metric}, row {row}")


@pytest.mark.parametrize("convention", ["step", "paper"])
@pytest.mark.parametrize("decay", [0.75, 0.3])
@pytest.mark.parametrize("case", ["numbers", "missing", "levels", "missing levels", "sample", "scale", "conditional"])
def test_influences_are_derivatives_by_weight(case, decay, convention):
    """Where the row has moved curves, the places that it counts for, σ and the unit of distances along with it."""
    random = np.random.default_rng(5)
    rows = pd.DataFrame({"a": random.normal(size=41), "b": random.uniform(size=41)})
    weights = random.choice([0.5, 1.0, 1.7, 2.0], 41) + 0.01 * random.uniform(size=41)
    options = {"sample": {"sample": 21}, "scale": {"distance": {"a": 0.7}}, "conditional": {"distance": "conditional"}}
    if "levels" in case or case == "conditional":
        rows["a"] = np.where(rows["a"] > 0.5, "n", np.where(rows["a"] > -0.5, "e", "s"))
    if "missing" in case:
        rows["a"] = rows["a"].where(np.arange(41) % 5 > 0)

    def model(rows):
        a = rows["a"].map({"n": 0.0, "e": 3.0, "s": 1.0}) if rows["a"].dtype.kind not in "fi" else rows["a"]
        b = rows["b"].to_numpy()
        return np.where(a.isna(), 2.0 + b, np.sin(2 * a) * (1 + b) + a * b).astype(float)

    if case == "conditional":  # whose trees grow by weight
        weights = np.ones(41)
        e = explained(model, rows, distance="conditional", convention=convention)
        table = e.table(decay, ci=0.9, rank_by=None)
        for metric in ("impact", "in_distribution_impact", "heterogeneity"):
            assert (table[f"{metric}_low"] < table[metric]).all()
            assert (table[metric] < table[f"{metric}_high"]).all()
        return
    assert_influences_are_derivatives(model, rows, weights, decay, convention=convention, **options.get(case, {}))


@pytest.mark.slow
@pytest.mark.parametrize("convention", ["step", "paper"])
def test_intervals_are_as_wide_as_those_of_a_plain_bootstrap(convention):
    """Of a forest, of 600 draws: within 15 %; where ends of windows move with σ, some are wider."""
    rows = np.random.default_rng(0).normal(size=(150, 3))
    e = explained(RandomForestRegressor(30, random_state=0).fit(rows, curved(rows)), rows, convention=convention)
    table = e.table(ci=0.9)
    counts = np.random.default_rng(0).multinomial(150, np.full(150, 1 / 150), size=600).astype(float)
    for f in (e["x0"], e["x1"]):
        plain = []
        for of_draw in counts:
            drawn = np.flatnonzero(of_draw > 0)
            own, weights = f.observed[drawn], of_draw[drawn]
            order = np.argsort(own)
            scale = np.sqrt(np.cov(own, aweights=weights, ddof=0))
            of_rows = own, np.full(len(own), scale), weights
            shares = nearest_shares(f.grid, own[order], weights[order])
            sums = OrderedSums(f.grid, scale, shares, 0.75, of_rows, convention=convention)
            sums.add(f.curves[drawn], of_rows)
            sums.finish()
            plain.append(sums.metrics(0.75))
        for metric in ("impact", "in_distribution_impact", "direction", "heterogeneity", "non_linearity", "support"):
            width = 2 * norm.ppf(0.95) * np.std([each[metric] for each in plain])
            tolerance = 0.3 if convention == "step" and metric in ("non_linearity", "support") else 0.15
            found = widths(table.loc[[f.feature]], metric)
            assert_allclose(found, width, rtol=tolerance, err_msg=f"{metric} of {f.feature}")


@pytest.mark.parametrize("model", [RandomForestRegressor(5, random_state=0), LinearRegression()], ids=["tree", "line"])
def test_intervals_do_not_depend_on_the_engine(model):
    """Influences are of rows, and curves are the same."""
    model.fit(X.to_numpy(), curved(X))
    tables = [explained(model, X.to_numpy(), method=method).table(ci=0.9) for method in ("auto", "brute")]
    numbers = [table.astype(float) for table in tables]
    assert_allclose(*numbers, rtol=1e-7, atol=1e-7)


def test_the_model_is_not_called_for_intervals():
    """The curves were kept; in any decay, unit and rank."""
    model = Counting(curved)
    e = explained(model, X)
    e.table(unit="sd")
    n_rows = model.n_rows
    e.table(0.3, ci=0.95, unit="sd")
    e.table(ci=0.9, unit="share", rank_by="impact")
    assert model.n_rows == n_rows


def test_curves_that_are_too_large_are_computed_again():
    """The intervals are the same, and memory is bounded."""
    model = Counting(curved)
    e = explained(model, X, memory_limit="60kB")
    n_rows = model.n_rows
    table = e.table(ci=0.95)
    assert model.n_rows > n_rows
    pd.testing.assert_frame_equal(table, explained(curved, X).table(ci=0.95), rtol=1e-12)
    kept = explained(model, X, memory_limit="1GB")
    n_rows = model.n_rows
    kept.table(ci=0.95)
    assert model.n_rows == n_rows


def test_a_table_without_intervals_is_the_same():
    """`ci` adds columns at the end."""
    e = explained(curved, X)
    plain, table = e.table(), e.table(ci=0.95)
    pd.testing.assert_frame_equal(plain, table[plain.columns], check_exact=True)
    added = table.columns[len(plain.columns) :].tolist()
    ends = ("low", "high")
    ranks = ["rank_low", "rank_high", "tied_with_next"]
    assert added == [f"{name}_{end}" for name in METRICS for end in ends] + ranks
    assert "impact_low" not in e.table()


def test_wider_levels_hold_narrower_ones():
    """On both sides of the figure, by as much as quantiles of a normal distribution say."""
    wide, narrow = (explained(curved, X).table(ci=ci) for ci in (0.95, 0.5))
    for name in ("impact", "in_distribution_impact", "direction", "heterogeneity"):
        assert_allclose(wide[f"{name}_high"] - wide[name], wide[name] - wide[f"{name}_low"])
        assert_allclose(widths(wide, name) / widths(narrow, name), norm.ppf(0.975) / norm.ppf(0.75))


def test_only_direction_can_be_negative():
    """Ends that others would have below 0 are 0, and support is at most 1."""
    rows = np.random.default_rng(3).normal(size=(12, 2))
    table = explained(lambda X: np.where(X[:, 0] > 1.2, X[:, 1], 0.0), rows).table(ci=0.999, rank_by=None)
    assert table.loc["x0", ["impact_low", "heterogeneity_low", "in_distribution_impact_low"]].tolist() == [0, 0, 0]
    assert table.loc["x0", "direction_low"] < 0
    assert (table["support_high"] <= 1).all()


@pytest.mark.parametrize("options", [{}, {"sample": 1800}], ids=["all", "sample"])
@pytest.mark.parametrize("by", [None, np.arange(4000) % 3], ids=["whole", "groups"])
def test_few_rows_represent_many(options, by):
    """With little memory influences are those of 500 rows: seeded, and nearly as wide intervals."""
    rows = np.random.default_rng(0).normal(size=(4000, 3))
    many, few, again, other = (
        explained(curved, rows, grid_size=20, **options, **limits).table(ci=0.9, by=by, rank_by=None)
        for limits in ({}, *({"memory_limit": "90kB", "random_state": seed} for seed in (0, 0, 1)))
    )
    pd.testing.assert_frame_equal(few, again)
    assert (few["impact_low"] != other["impact_low"]).all()
    for metric in ("impact", "in_distribution_impact", "heterogeneity"):
        assert_allclose(widths(few, metric), widths(many, metric), rtol=0.2, err_msg=metric)


def test_what_is_equal_shares_its_ranks():
    """Features without an effect may have each rank behind the others; which is rounding, so that they are not tied."""
    table = explained(lambda X: np.asarray(X)[:, 0] * 1.0, X).table(ci=0.95)
    assert table.loc["a", ["rank_low", "rank_high"]].tolist() == [1, 1]
    for name in ("b", "c"):
        assert table.loc[name, ["rank_low", "rank_high"]].tolist() == [2, 3]
    assert table["tied_with_next"].tolist() == [False, False, False]


def test_ranks_are_by_the_metric_of_the_order():
    """A feature that has none has no rank."""
    rows = X.assign(town=["n", "e", "s"] * 20)

    def model(rows):
        return curved(rows.drop(columns="town")) + rows["town"].map({"n": 0.0, "e": 5.0, "s": 9.0}).to_numpy()

    e = explained(model, rows)
    table = e.table(ci=0.95, rank_by="direction")
    assert np.isnan(table.loc["town", "rank_low"])
    assert table.loc["a", "rank_low"] == 1
    assert table["tied_with_next"].isna().tolist() == (table.index == "town").tolist()


def test_intervals_within_groups():
    """Each group has those of its rows: as if only they had been summed."""
    e = explained(curved, X)
    groups = np.where(X["b"] > 0.5, "high", "low")
    table = e.table(ci=0.95, by=groups)
    pd.testing.assert_frame_equal(table[e.table(by=groups).columns], e.table(by=groups), check_exact=True)
    counts = np.random.default_rng(0).multinomial(len(X), np.full(len(X), 1 / len(X)), size=60).astype(float)
    high = np.flatnonzero(groups == "high").tolist()
    draws = [
        oracles.metrics(
            curved, X.to_numpy(), 0, grid=e["a"].grid.tolist(), weights=of_draw, positions=high
        )["impact"]
        for of_draw in counts
    ]  # fmt: skip
    low, top = table.loc[("high", "a"), ["impact_low", "impact_high"]]
    assert np.mean([low <= value <= top for value in draws]) > 0.85
    assert (table["impact_low"] < table["impact"]).all()
    assert (table["impact"] < table["impact_high"]).all()


@pytest.mark.parametrize("unit", ["sd", "share"])
def test_intervals_have_the_unit_of_the_table(unit):
    """The SD of the predictions and the sum over features vary with the rows, too."""
    e = explained(curved, X)
    table = e.table(ci=0.9, unit=unit)
    assert (table["impact_low"] < table["impact"]).all()
    assert (table["impact"] < table["impact_high"]).all()


@pytest.mark.parametrize("unit", ["sd", "share"])
def test_units_follow_the_delta_method(unit):
    """An interval is as wide as derivatives of the figure in its unit by the weights of rows say."""
    rows, step = X.iloc[:30], 1e-5
    e = explained(curved, rows)
    table, slopes = e.table(ci=0.9, unit=unit, rank_by=None), []
    for row in range(len(rows)):
        figures = [
            explained(curved, rows, sample_weight=1 + sign * step * (np.arange(30) == row),
                      grid={f.feature: f.grid for f in e.values()}).table(unit=unit, rank_by=None)["impact"]
            for sign in (1.0, -1.0)
        ]  # fmt: skip
        slopes.append((figures[0] - figures[1]) / (2 * step))
    assert_allclose(widths(table, "impact"), 2 * norm.ppf(0.95) * np.linalg.norm(slopes, axis=0), rtol=1e-4)


def test_integer_weights_have_the_intervals_of_repeated_rows():
    """And the same ranks and ties."""
    rows = X.iloc[:40]
    weights = np.arange(40) % 3 + 1
    weighted = explained(curved, rows, sample_weight=weights).table(ci=0.9)
    repeated = explained(curved, rows.loc[rows.index.repeat(weights)].reset_index(drop=True)).table(ci=0.9)
    pd.testing.assert_frame_equal(weighted, repeated, rtol=1e-9)


def test_what_is_the_same_in_all_rows_has_no_interval():
    """A constant feature, one row."""
    table = explained(lambda X: np.asarray(X)[:, 0] * 2.0, X.assign(c=1.0)).table(ci=0.95)
    assert_allclose(table.loc["a", ["heterogeneity_low", "heterogeneity_high"]].astype(float), 0.0, atol=1e-12)
    assert table.loc["c", ["impact_low", "impact_high", "support_low"]].tolist() == [0.0, 0.0, 1.0]
    one = explained(curved, X.iloc[:1]).table(ci=0.95)
    assert one.loc["a", ["impact_low", "impact_high", "heterogeneity_high"]].tolist() == [0.0, 0.0, 0.0]


def test_scales_of_another_explanation_do_not_vary():
    """With `like`, σ belongs to other rows."""
    reference = explained(curved, X)
    linear = explained(lambda X: 2.0 * np.asarray(X)[:, 0], X.iloc[::2].reset_index(drop=True), grid=reference)
    table = linear.table(ci=0.95)
    assert_allclose(table.loc["a", ["impact_low", "impact_high"]].astype(float), 2.0 * reference["a"].scale, rtol=1e-9)


def test_neighbours_are_tied_where_their_difference_may_be_zero():
    """The interval of a difference is narrow where both move together, so that they are told apart."""
    table = explained(lambda X: np.asarray(X) @ [1.0, 1.02, 5.0], X).table(ci=0.95)
    assert table["tied_with_next"].tolist() == [False, True, False]
    assert table["rank_low"].tolist() == [1, 2, 2]
    assert table["rank_high"].tolist() == [1, 3, 3]
    same = explained(lambda X: np.asarray(X) @ [1.0, 1.02, 5.0], X.assign(b=X["a"])).table(ci=0.95)
    assert same.index.tolist() == ["c", "b", "a"]
    assert not same["tied_with_next"].any()
    assert same["rank_low"].tolist() == same["rank_high"].tolist() == [1, 2, 3]
    (one,) = explained(curved, X, features=["a"]).table(ci=0.95)["tied_with_next"]
    assert not one


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_intervals_cover_the_metrics_of_the_source(root):
    """A small version of the benchmark: 95 % intervals of samples cover in at least 85 % of 60 draws."""
    benchmark = runpy.run_path(str(root / "tests" / "benchmarks" / "interval_coverage.py"))
    found = benchmark["coverage"](60, 150, 2000, grid_size=15, settings=("one grid",))
    checked = found.loc["one grid"].loc[benchmark["CHECKED"]].drop(columns=["heavy"]).to_numpy()
    assert np.nanmin(checked) > 0.84
    assert np.nanmean(checked) > 0.91


# --- intervals of a ranking ------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["in_distribution_impact", "missing_impact", "heterogeneity"])
def test_whiskers_and_brackets_are_those_of_the_table(metric):
    """A picture shows the intervals of `table`, and its ties."""
    e = explained(curved, X)
    (low, high), (rank_low, rank_high), ties = e._rank_intervals(metric, 0.9, 0.6)
    table = e.table(0.6, rank_by=metric, ci=0.9).loc[e.features]
    assert_array_equal(low, table[f"{metric}_low"])
    assert_array_equal(high, table[f"{metric}_high"])
    assert_array_equal(rank_low, table["rank_low"])
    assert_array_equal(rank_high, table["rank_high"])
    tied = [e.features[first] for first, _ in ties]
    assert sorted(tied) == sorted(table.index[table["tied_with_next"].fillna(value=False)])


def test_influences_of_the_last_decays_are_kept():
    """Of four, for which no curves are computed again; they are those of an explanation that keeps its curves."""
    model = Counting(curved)
    e = explained(model, X, memory_limit="60kB")
    table = e.table(0.7, ci=0.95)
    assert e._unmeasured(0.3)
    pd.testing.assert_frame_equal(table, explained(curved, X).table(0.7, ci=0.95), rtol=1e-9)
    for decay in (0.5, 0.2, 0.04):
        e.table(decay, ci=0.95)
    n_rows = model.n_rows
    assert not e._unmeasured(0.7)
    pd.testing.assert_frame_equal(e.table(0.7, ci=0.95), table)
    assert model.n_rows == n_rows
    for decay in (0.5, 0.2, 0.04, 0.3, 0.1):
        e.table(decay, ci=0.95)
    assert e._unmeasured(0.7)
