"""Drafts: all features on nested samples of the rows, and `budget`."""

import pickle
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.svm import SVR

import ice_explorer as ice
from ice_explorer.drafts import Drafts
from ice_explorer.features.feature import nested_samples
from ice_explorer.plan import prepare
from ice_explorer.results.options import Options

METRICS = ["impact", "in_distribution_impact", "direction", "heterogeneity", "non_linearity", "missing_impact"]


def every_draft(plans):
    drafts = Drafts([plan.drafter for plan in plans])
    found = []
    while (draft := drafts.next()) is not None:
        found.append((drafts.n_rows, drafts.n_grid, draft))
    return found


def observations(n=300, seed=0):
    generator = np.random.default_rng(seed)
    X = pd.DataFrame({"a": generator.normal(size=n), "b": generator.integers(0, 5, n), "c": generator.normal(size=n)})
    X["town"] = pd.Categorical(generator.choice(list("xyz"), n))
    X.loc[generator.random(n) < 0.2, "c"] = np.nan
    return X


def mixed(X):
    c = X["c"].fillna(2.0)
    return (X["a"] * (X["town"] == "x") + X["b"] ** 2 + c * X["a"] + (X["town"] == "y") * c).to_numpy(float)


def numbers(n=300, n_columns=4, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, n_columns))
    return X, X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2])


def fitted(model, n=300):
    X, y = numbers(n)
    return model.fit(X, y), X


@pytest.fixture
def clock(monkeypatch):
    """A clock that models move on: how long they take does not depend on the machine."""
    clock = SimpleNamespace(now=0.0)
    for module in ("curves.brute", "curves.choose", "drafts"):
        monkeypatch.setattr(f"ice_explorer.{module}.perf_counter", lambda: clock.now)
    return clock


class Slow:
    """A model that takes long for a call, however few rows it has."""

    def __init__(self, clock, seconds=0.1):
        self.clock, self.seconds = clock, seconds
        self.n_calls = 0

    def predict(self, X):
        self.n_calls += 1
        self.clock.now += self.seconds
        return X[:, 0] * X[:, 1] + np.sin(X).sum(axis=1)


# --- samples --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 7, 64, 1000])
def test_samples_are_nested_and_double(n):
    """Each has half of the rows of the next, rounded down, and is sorted."""
    rows = np.arange(n) * 3
    samples = nested_samples(rows, np.random.default_rng(0))
    assert [len(sample) for sample in samples][::-1] == [n >> halvings for halvings in range(len(samples))]
    assert_array_equal(samples[-1], rows)
    for small, large in pairwise(samples):
        assert np.isin(small, large).all()
        assert_array_equal(np.sort(small), small)


def test_samples_cover_rows_and_give_all_the_same_chance():
    """Of 1,024 sorted rows each eighth has 4 of a sample of 32; the last one of an odd number counts, too."""
    sample = nested_samples(np.arange(1024), np.random.default_rng(0))[5]
    assert_array_equal(np.bincount(sample // 128), [4] * 8)
    counts = np.zeros(11)
    for seed in range(4000):
        counts[nested_samples(np.arange(11), np.random.default_rng(seed))[1]] += 1
    assert_allclose(counts / 4000, 2 / 11, atol=0.03)


# --- one draft ------------------------------------------------------------------------------------


MODELS = {
    "tree": lambda: fitted(HistGradientBoostingRegressor(max_iter=10)),
    "forest": lambda: fitted(RandomForestRegressor(5, random_state=0)),
    "linear": lambda: fitted(LinearRegression()),
    "kernel": lambda: fitted(SVR()),
    "brute": lambda: (mixed, observations()),
}


@pytest.mark.parametrize(
    "family", [pytest.param(name, marks=[] if name in {"tree", "brute"} else pytest.mark.wide) for name in MODELS]
)
def test_a_draft_is_the_explanation_of_its_rows_and_changes_nothing_of_the_result(family):
    """Sums are those of its rows alone, with scales and grids of all; the result after it is the same to the bit."""
    model, X = MODELS[family]()
    plan = prepare(model, X, Options())
    draft = plan.drafter.draft(6, np.inf)
    rows = next(iter(draft.values())).rows
    assert len(rows) == 75
    whole = ice.explain(model, X, progress=False)
    is_drawn = np.isin(np.arange(len(X)), rows).astype(float)
    weighted = ice.explain(model, X, sample_weight=is_drawn, grid=whole, progress=False)
    for feature in whole.values():
        drafted = draft[feature.feature]
        assert_array_equal(drafted.grid, feature.grid)
        assert drafted.scale == feature.scale
        assert_array_equal(drafted.rows, rows)
        of_rows = weighted[feature.feature].metrics()
        for name in METRICS:
            assert_allclose(drafted.metrics()[name], of_rows[name], rtol=1e-8, atol=1e-12)
        assert_allclose(drafted.curves, feature.compute_curves(rows), rtol=1e-8, atol=1e-12)
        found = plan.compute(feature.feature)
        assert found._sampling is None
        assert found.metrics() == pytest.approx(feature.metrics(), rel=0, abs=0, nan_ok=True)
        assert_array_equal(found.partial_dependence, feature.partial_dependence)
        for decay in (0.1, 0.5):
            assert found.metrics(decay) == pytest.approx(feature.metrics(decay), rel=0, abs=0, nan_ok=True)


@pytest.mark.parametrize("family", ["tree", "brute"])
def test_the_result_is_within_the_errors_of_a_draft(family):
    """Most figures of all rows are within two standard errors of those of a quarter of them."""
    model, X = MODELS[family]()
    plan = prepare(model, X, Options())
    draft = plan.drafter.draft(6, np.inf)
    apart = []
    for name in plan.features:
        exact, sampling = plan.compute(name).metrics(), draft[name]._sampling
        assert (sampling.n_rows, sampling.n_all) == (75, 300)
        errors = {
            **sampling.metrics,
            "in_distribution_impact": sampling.in_distribution_impact(np.array([0.75]))[0],
        }
        for metric, error in errors.items():
            if error > 0:
                apart.append(abs(draft[name].metrics()[metric] - exact[metric]) / error)
    assert len(apart) > 10
    assert np.mean(np.array(apart) < 2) > 0.8


@pytest.mark.parametrize("level", [6, 8])
def test_figures_of_a_grid_without_some_values_have_no_error(level):
    """How far they are from those of the whole grid is unknown, with some rows and with all."""
    X = observations(256)
    plan = prepare(mixed, X, Options(method="brute"))
    draft = plan.drafter.draft(level, 5)
    for name, is_thinned in (("a", True), ("b", False), ("c", True), ("town", False)):
        sampling = draft[name]._sampling
        errors = [*sampling.metrics.values(), *sampling.decayed]
        assert np.isnan(errors).all() == is_thinned
        assert sampling.n_rows == len(draft[name].rows)


def test_drafts_are_of_rows_that_the_result_rests_on():
    """Those that have weight; with `sample` the rows differ by feature, and so do those of drafts."""
    weights = np.tile([0.0, 2.0], 150)
    draft = prepare(mixed, observations(), Options(sample_weight=weights)).drafter.draft(5, np.inf)["a"]
    assert draft._sampling.n_all == 150
    assert (weights[draft.rows] > 0).all()
    model, X = fitted(HistGradientBoostingRegressor(max_iter=5))
    plan = prepare(model, X, Options(sample=100))
    draft = plan.drafter.draft(4, np.inf)
    for name in plan.features:
        assert np.isin(draft[name].rows, plan.compute(name).rows).all()
        assert draft[name]._sampling.n_all == 100


# --- sizes ----------------------------------------------------------------------------------------


def test_what_takes_no_second_has_no_draft():
    """Its result is there before a draft could be looked at."""
    for model, X in (MODELS["tree"](), MODELS["linear"](), (mixed, observations(40))):
        assert every_draft([prepare(model, X, Options())]) == []


def test_a_slow_model_has_a_first_draft_of_all_features_after_one_call(clock):
    """Phantom observations of several features are predicted together, on few grid values with the ends among them."""
    model = Slow(clock)
    X, _ = numbers(400, 12)
    plan = prepare(model, X, Options())
    n_calls = model.n_calls
    drafts = Drafts([plan.drafter])
    (draft,) = drafts.next()
    assert model.n_calls - n_calls <= 2
    assert len(draft) == 12
    for feature, grid in zip(draft.values(), plan.grids.values(), strict=True):
        assert 5 <= len(feature.grid) < len(grid)
        assert_array_equal(feature.grid[[0, -1]], grid[[0, -1]])
        assert np.isfinite(feature.metrics()["impact"])
    n_calls = model.n_calls
    feature = draft["x0"]
    assert_allclose(feature.curves, feature.compute_curves(feature.rows))
    assert model.n_calls == n_calls  # its curves are kept


def test_drafts_grow_until_they_took_a_quarter_of_the_whole(clock):
    """Each has at least twice as many predictions as the one before."""
    X, _ = numbers(400, 12)
    plan = prepare(Slow(clock), X, Options())
    start = clock.now
    found = every_draft([plan])
    drafted = clock.now
    for name in plan.features:
        plan.compute(name)
    assert 0.15 < (drafted - start) / (clock.now - drafted) < 0.3
    sizes = [n_rows * min(n_grid, 400) for n_rows, n_grid, _ in found]
    assert len(sizes) > 1
    assert all(larger > 1.4 * smaller for smaller, larger in pairwise(sizes)), sizes
    assert found[-1][0] < 400


def test_drafts_of_several_models_have_the_same_rows_and_the_whole_grid(clock):
    """Else their curves could not be compared."""
    X, _ = numbers(400, 3)
    plans = [prepare(Slow(clock, seconds), X, Options()) for seconds in (0.06, 0.1)]
    (n_rows, _, (one, other)), *_ = every_draft(plans)
    for name in plans[0].features:
        assert len(one[name].rows) == n_rows
        assert_array_equal(one[name].rows, other[name].rows)
        assert_array_equal(one[name].grid, plans[0].grids[name])


def test_levels_that_are_frequent_stay_in_a_small_grid():
    """Of levels without an order the most frequent ones are drafted."""
    X = pd.DataFrame({"town": pd.Categorical([*"aaaabbbbccccddddeeeeffffg"] * 8), "n": np.arange(200.0)})
    plan = prepare(lambda X: X["n"].to_numpy() * (X["town"] == "a"), X, Options())
    draft = plan.drafter.draft(5, 5)
    assert len(draft["town"].grid) == 5
    assert "g" not in draft["town"].grid.tolist()


@pytest.mark.parametrize(
    "X",
    [
        observations(),
        observations().assign(when=pd.date_range("2020-01-01", periods=300), flag=np.arange(300) % 2 == 0),
        numbers()[0].astype(np.float32),
        numbers()[0].round().astype(np.int64),
    ],
)
def test_phantoms_of_several_features_are_those_of_each(X):
    """In one call the model sees the same rows, in the same dtypes, as feature by feature."""
    seen = []

    def model(rows):
        seen.append(rows)
        return np.zeros(len(rows))

    plan = prepare(model, X, Options())
    dtypes = seen[0].dtypes.tolist() if hasattr(X, "columns") else seen[0].dtype
    seen.clear()
    draft = plan.drafter.draft(2, 5)
    (together,) = seen
    assert (together.dtypes.tolist() if hasattr(X, "columns") else together.dtype) == dtypes
    seen.clear()
    for feature in draft.values():
        item, rows = feature._item, feature.rows
        values = np.broadcast_to(item.grid.values, (len(rows), item.grid.n_grid))
        if item.has_missing:
            values = np.column_stack([values, item.observed[rows], np.full(len(rows), np.nan)])
        plan.drafter._context.brute.evaluate(item.feature, rows, values)
    apart = pd.concat([pd.DataFrame(rows) for rows in seen], ignore_index=True)
    assert_frame_equal(pd.DataFrame(together).reset_index(drop=True), apart)


# --- budget ---------------------------------------------------------------------------------------

THINNED = "`budget=None` uses all. There are no intervals of metrics where grid values are left out."


def test_a_budget_leaves_no_intervals_of_features_whose_grid_lacks_values(clock):
    """Nor of ranks and shares, which compare them with others; a pickle has none either."""
    X = np.column_stack([numbers(4000, 3)[0][:, :2], np.arange(4000) % 2])
    e = ice.explain(Slow(clock), X, budget=1.0, progress=False)
    assert len(e["x0"].grid) < 4000
    assert len(e["x2"].grid) == 2
    for result in (e, pickle.loads(pickle.dumps(e))):  # noqa: S301 - our own
        table = result.table(ci=0.95)
        ends = table.filter(regex="^(impact|in_distribution_impact|support)_(low|high)$")
        assert ends.loc[["x0", "x1"]].isna().all(axis=None)
        assert ends.loc["x2"].notna().all()
        assert table[["rank_low", "rank_high", "tied_with_next"]].isna().all(axis=None)
    assert e.table(ci=0.95, unit="share").filter(regex="^impact_(low|high)$").isna().all(axis=None)
    assert e.table(ci=0.95, by=X[:, 2])["impact_low"].isna().groupby("feature").all().to_dict() == {
        "x0": True, "x1": True, "x2": False,
    }  # fmt: skip


def test_a_budget_that_suffices_gives_the_exact_result():
    """All rows, and no note."""
    model, X = MODELS["tree"]()
    e = ice.explain(model, X, budget=60, progress=False)
    assert_frame_equal(e.table(), ice.explain(model, X, progress=False).table())
    assert not any("budget" in note for note in e.notes)


def test_a_budget_that_is_too_small_gives_fewer_rows_and_grid_values_and_says_so(clock):
    """The rows and the grid values that it rests on are the first note."""
    X, _ = numbers(4000, 6)
    e = ice.explain(Slow(clock), X, budget=1.0, progress=False)
    assert clock.now < 2.0
    n_rows, n_grid = len(e["x0"].rows), len(e["x0"].grid)
    assert 1 < n_rows < 4000
    assert e.notes[0] == (
        f"Computed on {n_rows:,} of 4,000 rows and at most {n_grid} of 1,000 grid values for the budget of "
        f"1 s; {THINNED}"
    )
    assert list(e.table().columns) == list(ice.explain(lambda X: X[:, 0], X, progress=False).table().columns)


def test_a_budget_has_the_standard_errors_of_its_sample(clock):
    """They are estimated when they are first read, from what was computed; a pickle has them."""
    X = np.random.default_rng(0).normal(size=(4000, 2))
    feature = ice.explain(Slow(clock), X, budget=0.4, grid_size=3, progress=False)["x0"]
    sampling = feature._sampling
    assert 1 < sampling.n_rows < sampling.n_all == 4000
    assert sampling.metrics["impact"] > 0
    pickled = pickle.loads(pickle.dumps(feature))._sampling  # noqa: S301 - our own
    assert pickled.metrics["impact"] == sampling.metrics["impact"]


def test_a_budget_takes_grid_values_before_rows(clock):
    """Of a model that takes 0.25 s for a call and 0.4 ms for a row, all rows fit with fewer grid values."""

    def model(rows):
        clock.now += 0.25 + 0.0004 * len(rows)
        return rows[:, 0] * rows[:, 1]

    X, _ = numbers(173, 13)
    for budget, least, most in ((60, 20, 60), (20, 10, 20)):
        start = clock.now
        e = ice.explain(model, X, budget=budget, progress=False)
        assert clock.now - start < 1.25 * budget
        n_grid = len(e["x0"].grid)
        assert len(e["x0"].rows) == 173
        assert least <= n_grid <= most
        assert e.notes[0] == (
            f"Computed on 173 of 173 rows and at most {n_grid} of 173 grid values for the budget of "
            f"{budget} s; {THINNED}"
        )
    e = ice.explain(model, X, budget=5, progress=False)
    assert len(e["x0"].rows) < 173
    assert 10 <= len(e["x0"].grid) < 20


def test_a_budget_for_many_columns_has_a_small_first_sample(clock):
    """It has two rows and three grid values where no more fits; a note says how long it took if that was too long."""

    def model(rows):
        clock.now += 0.01 + 0.0002 * len(rows)
        return rows[:, 0] * rows[:, 1]

    X, _ = numbers(300, 400)
    start = clock.now
    e = ice.explain(model, X, budget=0.4, progress=False)
    assert clock.now - start < 0.8
    assert (len(e["x0"].rows), len(e["x0"].grid)) == (2, 3)
    assert e.notes[0] == (
        "Computed on 2 of 300 rows and at most 3 of 300 grid values for the budget of 0.4 s, which the first "
        f"sample exceeded (0.51 s); {THINNED}"
    )


def test_a_larger_budget_uses_more_rows(clock):
    """Samples grow until the next one would not fit."""
    X, _ = numbers(4000, 6)
    sizes = [
        len(e["x0"].rows) * len(e["x0"].grid)
        for e in (ice.explain(Slow(clock), X, budget=seconds, progress=False) for seconds in (0.3, 2.0))
    ]
    assert sizes[1] > 2 * sizes[0]


def test_a_model_that_fails_in_a_draft_raises_as_without_a_budget(clock):
    """The error names the feature and the value."""

    def model(rows):
        clock.now += 0.06
        if (rows[:, 1] > 2.4).any():
            raise RuntimeError("Too large.")
        return rows[:, 0]

    X, _ = numbers(400, 3)
    with pytest.raises(ice.errors.PredictionError) as plain:
        ice.explain(model, X, progress=False)
    with pytest.raises(ice.errors.PredictionError) as budgeted:
        ice.explain(model, X, budget=1.0, progress=False)
    assert str(budgeted.value) == str(plain.value)
