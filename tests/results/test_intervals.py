"""Bootstrap intervals of metrics and ranks: draws are first-order, intervals cover, and the model is not called."""

import runpy

import numpy as np
import oracles
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression

import ice_explorer as ice
from ice_explorer.metrics.ordered import OrderedSums
from ice_explorer.metrics.row_draws import ROWS_AT_A_TIME, RowDraws
from ice_explorer.metrics.windows import nearest_shares
from ice_explorer.results.bootstrap import METRICS, Bootstrap

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


def few_draws(e):
    """Leave out most of the draws, which take time."""
    vars(e)["_bootstrap"] = Bootstrap(e._context, 60)
    return e


def weights_of(e, n_rows):
    """Return the weight of every row in each draw, (n_draws, n_rows)."""
    weights = np.zeros((e._bootstrap.rows.n_draws, n_rows))
    for rows, counts in e._bootstrap.rows:
        weights[:, e._context.weighted_rows[rows]] = counts
    return weights


class Nudged:
    """Draws that count one row a little more, in each another one."""

    step = 1e-5

    def __init__(self, weights, sign):
        self.weights, self.sign, self.n_draws = weights, sign, len(weights)

    standard_deviations, level_weights = RowDraws.standard_deviations, RowDraws.level_weights

    def __iter__(self):
        yield slice(0, self.n_draws), self.weights + self.sign * self.step * np.eye(self.n_draws)


def assert_draws_are_derivatives(model, X, weights, decay, *, rtol=1e-3, **options):
    """A draw is the figures with the counts of its rows as weights, to first order."""
    e = explained(model, X, sample_weight=weights, **options)
    bootstrap, name = Bootstrap(e._context), e.features[0]
    bootstrap.rows = Nudged(weights, 1.0)
    draws = e[name]._metric_draws(bootstrap, decay, e.settings.convention)[0]
    figures = e[name].metrics(decay)
    for row in np.random.default_rng(1).choice(len(X), 4, replace=False):
        moved = [
            explained(model, X, sample_weight=nudged[row], grid={name: e[name].grid}, **options)[name]
            for _, nudged in (next(iter(Nudged(weights, sign))) for sign in (1.0, -1.0))
        ]
        assert_array_equal(moved[0].rows, e[name].rows)
        for metric in METRICS:
            slopes = [draws[metric] - figures[metric], (np.subtract(*(f.metrics(decay)[metric] for f in moved))) / 2]
            close = {"rtol": rtol, "atol": rtol * np.abs(slopes[0]).max() + 1e-14}
            assert_allclose(slopes[0][row], slopes[1], **close, err_msg=f"{metric}, row {row}")


@pytest.mark.parametrize("convention", ["step", "paper"])
@pytest.mark.parametrize("decay", [0.75, 0.3])
@pytest.mark.parametrize("case", ["numbers", "missing", "levels", "missing levels", "sample", "scale", "conditional"])
def test_draws_are_figures_by_weight_to_first_order(case, decay, convention):
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
        table = few_draws(e).table(decay, ci=0.9, rank_by=None)
        for metric in ("impact", "in_distribution_impact", "heterogeneity"):
            assert (table[f"{metric}_low"] < table[metric]).all()
            assert (table[metric] < table[f"{metric}_high"]).all()
        return
    assert_draws_are_derivatives(model, rows, weights, decay, convention=convention, **options.get(case, {}))


@pytest.mark.slow
@pytest.mark.parametrize("convention", ["step", "paper"])
def test_intervals_are_as_wide_as_those_of_a_plain_bootstrap(convention):
    """Of a forest, from the same 300 draws: within 15 %; where ends of windows move with σ, some are wider."""
    rows = np.random.default_rng(0).normal(size=(150, 3))
    e = explained(RandomForestRegressor(30, random_state=0).fit(rows, curved(rows)), rows, convention=convention)
    vars(e)["_bootstrap"] = Bootstrap(e._context, 300)
    counts = weights_of(e, 150)
    for f in (e["x0"], e["x1"]):
        linear, plain = f._metric_draws(e._bootstrap, 0.75, convention)[0], []
        for of_draw in counts:
            drawn = np.flatnonzero(of_draw > 0)
            own, weights = f.observed[drawn], of_draw[drawn]
            order = np.argsort(own)
            scale = np.sqrt(np.cov(own, aweights=weights, ddof=0))
            of_rows = own, np.full(len(own), scale), weights
            sums = OrderedSums(f.grid, scale, nearest_shares(f.grid, own[order], weights[order]), 0.75, of_rows)
            sums.add(f.curves[drawn], of_rows)
            sums.finish()
            plain.append(vars(sums.metrics(0.75, convention)))
        for metric in ("impact", "in_distribution_impact", "direction", "heterogeneity", "non_linearity", "support"):
            widths = [np.subtract(*np.quantile(draws, [0.95, 0.05]))
                      for draws in (linear[metric], [each[metric] for each in plain])]  # fmt: skip
            tolerance = 0.3 if convention == "step" and metric in ("non_linearity", "support") else 0.15
            assert_allclose(*widths, rtol=tolerance, err_msg=f"{metric} of {f.feature}")


@pytest.mark.parametrize("model", [RandomForestRegressor(5, random_state=0), LinearRegression()], ids=["tree", "line"])
def test_intervals_do_not_depend_on_the_engine(model):
    """Draws are of rows, and curves are the same."""
    model.fit(X.to_numpy(), curved(X))
    tables = [explained(model, X.to_numpy(), method=method).table(ci=0.9) for method in ("auto", "brute")]
    numbers = [table.astype(float) for table in tables]
    assert_allclose(*numbers, rtol=1e-7, atol=1e-7)


def test_the_model_is_not_called_for_intervals():
    """The curves were kept; in any decay, convention, unit and rank."""
    model = Counting(curved)
    e = explained(model, X)
    e.table(unit="sd")
    n_rows = model.n_rows
    for convention in ("step", "paper"):
        e.table(0.3, convention, ci=0.95, unit="sd")
    e._ties(metric="impact")
    e.table(ci=0.9, unit={"a": 2})
    assert model.n_rows == n_rows


def test_curves_that_are_too_large_are_computed_again():
    """The intervals are the same, and memory is bounded."""
    model = Counting(curved)
    e = explained(model, X, memory_limit="60kB")
    n_rows = model.n_rows
    table = e.table(ci=0.95)
    assert model.n_rows > n_rows
    pd.testing.assert_frame_equal(table, explained(curved, X).table(ci=0.95), rtol=1e-12)
    kept = explained(model, X, memory_limit="1MB")
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
    assert added == [f"{name}_{end}" for name in METRICS for end in ends] + ["rank_low", "rank_high"]
    assert "impact_low" not in e.table()


def test_intervals_are_seeded():
    """By `random_state`; wider levels hold narrower ones."""
    first, again = (explained(curved, X).table(ci=0.95) for _ in range(2))
    pd.testing.assert_frame_equal(first, again, check_exact=True)
    other = explained(curved, X, random_state=1).table(ci=0.95)
    assert (first["impact_low"] != other["impact_low"]).all()
    narrow = explained(curved, X).table(ci=0.5)
    for name in ("impact", "in_distribution_impact", "direction", "heterogeneity"):
        assert (first[f"{name}_low"] < narrow[f"{name}_low"]).all()
        assert (narrow[f"{name}_high"] < first[f"{name}_high"]).all()


def test_ranks_of_a_draw_are_those_of_its_table():
    """Ends of rank intervals are ranks that occur; what is equal shares the ranks."""
    table = explained(lambda X: np.asarray(X)[:, 0] * 1.0, X).table(ci=0.95)
    assert table.loc["a", ["rank_low", "rank_high"]].tolist() == [1, 1]
    for name in ("b", "c"):
        assert table.loc[name, ["rank_low", "rank_high"]].tolist() == [2, 3]


def test_ranks_are_by_the_metric_of_the_order():
    """A feature that has none has no rank."""
    rows = X.assign(town=["n", "e", "s"] * 20)

    def model(rows):
        return curved(rows.drop(columns="town")) + rows["town"].map({"n": 0.0, "e": 5.0, "s": 9.0}).to_numpy()

    e = explained(model, rows)
    table = e.table(ci=0.95, rank_by="direction")
    assert np.isnan(table.loc["town", "rank_low"])
    assert table.loc["a", "rank_low"] == 1
    assert "town" not in {*e._ties(metric="direction").index, *e._ties(metric="direction")["next"]}


def test_intervals_within_groups():
    """Each group has those of its rows: as if only they had been summed."""
    e = explained(curved, X)
    groups = np.where(X["b"] > 0.5, "high", "low")
    table = e.table(ci=0.95, by=groups)
    pd.testing.assert_frame_equal(table[e.table(by=groups).columns], e.table(by=groups), check_exact=True)
    weights = weights_of(e, len(X))
    high = np.flatnonzero(groups == "high").tolist()
    draws = [
        oracles.metrics(
            curved, X.to_numpy(), 0, grid=e["a"].grid.tolist(), weights=of_draw, positions=high
        )["impact"]
        for of_draw in weights[:60]
    ]  # fmt: skip
    low, top = table.loc[("high", "a"), ["impact_low", "impact_high"]]
    assert np.mean([low <= value <= top for value in draws]) > 0.85
    assert (table["impact_low"] < table["impact"]).all()
    assert (table["impact"] < table["impact_high"]).all()


@pytest.mark.parametrize("unit", ["sd", "share", {"a": 0.1, "b": 2}])
def test_intervals_have_the_unit_of_the_table(unit):
    """σ and the SD of predictions are those of the draw."""
    e = explained(curved, X)
    table = e.table(ci=0.9, unit=unit)
    assert (table["impact_low"] < table["impact"]).all()
    assert (table["impact"] < table["impact_high"]).all()
    if isinstance(unit, dict):
        slope = e.table(unit=unit).loc["b"]
        linear = explained(lambda X: 3 * np.asarray(X)[:, 1], X).table(ci=0.9, unit={"b": 2})
        assert_allclose(linear.loc["b", ["impact", "impact_low", "impact_high"]].astype(float), 6.0, rtol=1e-9)
        assert slope["per"] == 2


def test_integer_weights_have_the_intervals_of_repeated_rows():
    """In distribution: draws are in proportion to weights, as many as they sum to."""
    rows = X.iloc[:40]
    weights = np.arange(40) % 3 + 1
    weighted = explained(curved, rows, sample_weight=weights).table(ci=0.9, rank_by=None)
    repeated = explained(curved, rows.loc[rows.index.repeat(weights)].reset_index(drop=True)).table(
        ci=0.9, rank_by=None
    )
    for name in ("impact", "heterogeneity", "in_distribution_impact"):
        width = (repeated[f"{name}_high"] - repeated[f"{name}_low"]).to_numpy()
        for end in ("low", "high"):
            assert (np.abs(weighted[f"{name}_{end}"] - repeated[f"{name}_{end}"]).to_numpy() < 0.2 * width).all()


def test_rows_are_drawn_in_proportion_to_their_weight():
    """Over blocks of rows: every draw has the sum of the weights, every row its weight on average."""
    weights = np.where(np.arange(ROWS_AT_A_TIME + 50) % 2, 0.5, 1.5)
    draws = RowDraws(weights, 0, 500)
    counts = np.concatenate([counts for _, counts in draws], axis=1)
    assert_allclose(counts.sum(axis=1), weights.sum())
    errors = (counts.mean(axis=0) - weights) / np.sqrt(weights / draws.n_draws)
    assert_allclose([errors.mean(), errors.std()], [0.0, 1.0], atol=0.05)
    again = np.concatenate([counts for _, counts in draws], axis=1)
    assert_array_equal(counts, again)


def test_what_is_the_same_in_all_rows_has_no_interval():
    """A linear model per unit, a constant feature, one row."""
    table = explained(lambda X: np.asarray(X)[:, 0] * 2.0, X.assign(c=1.0)).table(ci=0.95, unit={"a": 1})
    assert_allclose(table.loc["a", ["impact_low", "impact_high"]].astype(float), 2.0, rtol=1e-9)
    assert_allclose(table.loc["a", ["heterogeneity_low", "heterogeneity_high"]].astype(float), 0.0, atol=1e-12)
    assert table.loc["c", ["impact_low", "impact_high", "support_low"]].tolist() == [0.0, 0.0, 1.0]
    one = explained(curved, X.iloc[:1]).table(ci=0.95)
    assert one.loc["a", ["impact_low", "impact_high", "heterogeneity_high"]].tolist() == [0.0, 0.0, 0.0]


def test_scales_of_another_explanation_are_the_same_in_every_draw():
    """With `like`, σ belongs to other rows."""
    reference = explained(curved, X)
    linear = explained(lambda X: 2.0 * np.asarray(X)[:, 0], X.iloc[::2].reset_index(drop=True), grid=reference)
    table = linear.table(ci=0.95)
    assert_allclose(table.loc["a", ["impact_low", "impact_high"]].astype(float), 2.0 * reference["a"].scale, rtol=1e-9)


def test_neighbours_are_tied_where_their_difference_may_be_zero():
    """Draws are of the same rows for both, so that what moves together is told apart."""
    table = explained(lambda X: np.asarray(X) @ [1.0, 1.02, 5.0], X)._ties()
    assert table["tied"].to_dict() == {"c": False, next(iter({"a", "b"} & set(table.index))): True}
    assert table.summary.startswith("Neighbours in rank that are tied at 95 %: ")
    same = X.assign(b=X["a"])
    apart = explained(lambda X: np.asarray(X) @ [1.0, 1.02, 5.0], same)._ties()
    assert not apart["tied"].any()
    assert apart.summary == "No neighbours in rank are tied at 95 %."
    assert apart["next"].tolist() == ["b", "a"]
    assert_allclose(apart.loc["b", "difference"], 0.02 * same["a"].std(ddof=0), rtol=1e-9)
    assert explained(curved, X, features=["a"])._ties().empty


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_intervals_cover_the_metrics_of_the_source(root):
    """A small version of the benchmark: 95 % intervals of samples cover in at least 85 % of 60 draws."""
    benchmark = runpy.run_path(str(root / "tests" / "benchmarks" / "interval_coverage.py"))
    found = benchmark["coverage"](60, 150, 2000, grid_size=15, settings=("one grid",))
    checked = found.loc["one grid"].loc[benchmark["CHECKED"]].drop(columns=["heavy", "heavy, per unit"]).to_numpy()
    assert np.nanmin(checked) > 0.84
    assert np.nanmean(checked) > 0.91


# --- intervals of a ranking ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "unit"),
    [
        ("in_distribution_impact", "prediction"),
        ("missing_impact", "sd"),
        ("heterogeneity", "share"),
        ("in_distribution_impact", {"a": 0.1, "b": 2}),
    ],
)
def test_whiskers_and_brackets_are_those_of_table_and_ties(unit, metric):
    """A picture shows the intervals of `table` in its unit, and the ties of `ties`."""
    e = few_draws(explained(curved, X))
    found = e._rank_intervals(metric, 0.9, 0.6, "paper", unit)
    table = e.table(0.6, "paper", rank_by=metric, unit=unit, ci=0.9).loc[e.features]
    assert_array_equal(found.low, table[f"{metric}_low"])
    assert_array_equal(found.high, table[f"{metric}_high"])
    assert_array_equal(found.rank_low, table["rank_low"])
    assert_array_equal(found.rank_high, table["rank_high"])
    if not isinstance(unit, dict):
        ties = e._ties(0.9, metric=metric, decay=0.6, convention="paper")
        pairs = [(e.features[first], e.features[second]) for first, second in found.tied]
        assert pairs == list(ties.loc[ties["tied"], "next"].items())


def test_features_without_effect_have_no_bracket():
    """Their figures are rounding at most, which would decide who is tied."""
    e = few_draws(explained(lambda X: X[:, 0] + 1e-13 * X[:, 1], X.to_numpy()))
    assert e._ties()["tied"].tolist() == [False, False]
    assert explained(lambda X: X[:, 0], X.to_numpy())._ties()["tied"].tolist() == [False, True]
    for model in (lambda X: X[:, 0], lambda X: X[:, 0] + 1e-13 * X[:, 1]):
        found = few_draws(explained(model, X.to_numpy()))._rank_intervals("impact", 0.95, 0.75, "step")
        assert found.tied == []


def test_draws_of_the_last_decays_are_kept():
    """Of four, for which no curves are computed again; they are those of an explanation that keeps its curves."""
    model = Counting(curved)
    e = few_draws(explained(model, X, memory_limit="60kB"))
    table = e.table(0.7, ci=0.95)
    assert not e._has_draws(0.3, "step")
    pd.testing.assert_frame_equal(table, few_draws(explained(curved, X)).table(0.7, ci=0.95), rtol=1e-9)
    for decay in (0.5, 0.2, 0.04):
        e.table(decay, ci=0.95)
    n_rows = model.n_rows
    assert e._has_draws(0.7, "step")
    pd.testing.assert_frame_equal(e.table(0.7, ci=0.95), table)
    assert model.n_rows == n_rows
    for decay in (0.5, 0.2, 0.04, 0.3, 0.1):
        e.table(decay, ci=0.95)
    assert not e._has_draws(0.7, "step")
