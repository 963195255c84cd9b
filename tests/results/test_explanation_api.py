"""The promises of `explain`, `Explanation` and `FeatureExplanation`: names, shapes, orders, errors."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import ice_explorer as ice
from ice_explorer.errors import OptionError
from ice_explorer.plan import prepare
from ice_explorer.results.options import Options

COLUMNS = [
    "in_distribution_impact", "impact", "direction", "heterogeneity", "non_linearity", "missing_impact", "support"
]  # fmt: skip


KINDS = {"city": "category", "age": "numeric", "income": "numeric", "member": "boolean", "since": "datetime"}


class Model:
    """Two bends and an interaction; counts its calls."""

    def __init__(self):
        self.calls = 0

    def __call__(self, rows):
        self.calls += 1
        if isinstance(rows, pd.DataFrame):
            rows = rows[["age", "income", "member"]].to_numpy(dtype=float)
        return np.square(rows[:, 0] / 10) + rows[:, 1] * (1 + rows[:, 2]) - 2 * rows[:, 1]


def customers(n=30):
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "city": np.array(["Oslo", "Rome", "Lima"])[np.arange(n) % 3],
            "age": rng.integers(20, 40, n),
            "income": rng.normal(3, 1, n).round(2),
            "member": np.arange(n) % 2 == 0,
            "since": pd.date_range("2020-01-01", periods=n),
        },
        index=[f"c{i}" for i in range(n)],
    )


@pytest.fixture(scope="module")
def explanation():
    return ice.explain(Model(), customers(), progress=False)


def explain(X=None, model=None, **options):
    X = customers() if X is None else X
    return ice.explain(model or Model(), X, progress=False, **options)


# The explanation ---------------------------------------------------------------------------------


def test_columns_of_every_kind_are_features_in_the_order_of_x(explanation):
    """Nothing is left out that an axis can be made of."""
    assert explanation.features == explanation._labels == list(KINDS)
    assert (explanation._n_observations, explanation.output_label) == (30, "prediction")
    assert explanation.method == "brute"
    assert explanation._method_reason
    assert explanation.notes == []
    assert {name: explanation._column(name).kind for name in KINDS} == KINDS


def test_columns_of_no_kind_are_named_in_the_notes():
    """They stay available by `column`, to colour by."""
    X = customers().assign(tags=[["a"]] * 30)
    explanation = ice.explain(Model(), X, progress=False)
    assert "tags" not in explanation.features
    assert explanation.notes == [
        "'tags' has dtype object and cannot be placed on an axis; it is not ranked, but curves can be coloured by it."
    ]
    assert explanation._column("tags").kind == "other"


def test_columns_of_x_can_be_read_back(explanation):
    """Values by column, rows in the type of X, labels of the index."""
    X = customers()
    assert explanation._column("city").labels.tolist() == X["city"].tolist()
    assert_allclose(explanation._column("member").values, X["member"].astype(float))
    assert explanation._column("age").values.dtype == np.float64
    pd.testing.assert_frame_equal(explanation._table_rows([3, 0]), X.iloc[[3, 0]])
    assert explanation._row_labels([3, 0]) == ["c3", "c0"]
    assert ice.explain(Model(), X.reset_index(drop=True), progress=False)._row_labels([3]) is None


def test_an_array_names_its_columns_by_position():
    """x0, x1, … are names, labels and keys; positions choose features."""
    X = customers()[["age", "income", "member"]].to_numpy(dtype=float)
    e = explain(X)
    assert e._labels == ["x0", "x1", "x2"]
    assert e["x1"].label == "x1"
    assert explain(X, features=[2, 0])._labels in (["x0", "x2"], ["x2", "x0"])
    assert isinstance(e._table_rows([1]), np.ndarray)
    assert e._row_labels([1]) is None


def test_names_need_not_be_text():
    """A frame with numbers for names is explained, keyed and indexed by those numbers."""
    X = pd.DataFrame({2: [1.0, 2.0, 4.0], 0: [3.0, 1.0, 2.0]})
    e = explain(X, lambda rows: rows[2] * 2 + rows[0])
    assert (e.features, e._labels) == ([2, 0], ["2", "0"])
    assert (e[2].feature, e["2"].feature) == (2, 2)
    assert e.table(rank_by=None).index.tolist() == [2, 0]
    assert explain(X, lambda rows: rows[2] * 2, features=[0]).features == [0]


def test_features_are_chosen_by_name_or_position():
    """Names come before positions; a list may mix them, and other columns may hold what no feature can."""
    assert explain(features=["income"]).features == ["income"]
    assert sorted(explain(features=[1, "member"]).features) == ["age", "member"]
    infinite = customers().assign(other=np.inf)
    assert explain(infinite, features=["income"]).features == ["income"]


def test_the_table_has_its_columns_in_order_and_its_rows_by_in_distribution_impact(explanation):
    """Indexed by feature, the largest first unless another order is asked for."""
    table = explanation.table()
    assert table.columns.tolist() == COLUMNS
    assert table.index.name == "feature"
    assert table["in_distribution_impact"].is_monotonic_decreasing
    assert explanation.table(rank_by=None).index.tolist() == explanation.features
    assert explanation.table(rank_by="heterogeneity")["heterogeneity"].is_monotonic_decreasing
    assert {name: f.dtype_kind for name, f in explanation.items()} == KINDS
    assert len(explanation["member"].grid) == 2
    assert (table.dtypes == np.float64).all()


def test_a_result_cannot_be_changed_by_accident(explanation):
    """Arrays are read-only or copies, tables are copies, settings are frozen."""
    before = explanation.table()
    f = explanation["age"]
    for name in ("grid", "curves", "slopes", "observed", "partial_dependence", "spread"):
        array = getattr(f, name)
        if array.flags.writeable:
            array += 1.0
    table = explanation.table()
    table["impact"] = 0.0
    pd.testing.assert_frame_equal(explanation.table(), before)
    assert_allclose(f.grid, np.unique(customers()["age"]))
    assert_allclose(f.partial_dependence, f.curves.mean(axis=0))
    with pytest.raises(dataclasses.FrozenInstanceError):
        explanation.settings.decay = 0.5


def test_the_settings_are_those_asked_for():
    """What a picture needs to say how it was made; the profile of an explanation is in its convention."""
    e = explain(decay=0.5, convention="paper", memory_limit="2MB")
    settings = e.settings
    assert (settings.decay, settings.convention, settings.method) == (0.5, "paper", "auto")
    assert explain().settings.convention == "step"
    assert_allclose(e.table([1.0]).to_numpy()[0], e.table(rank_by=None)["impact"], rtol=1e-12)


EFFECTS = COLUMNS[:6]


def test_effects_in_per_cent_of_the_spread_of_the_predictions():
    """The standard deviation of the model's predictions of the rows of X, by weight; other columns stay."""
    weights = np.arange(30.0) % 4
    for options in ({}, {"sample_weight": weights}):
        model = Model()
        e = explain(model=model, **options)
        predicted = Model()(customers())
        sd = np.sqrt(np.cov(predicted, fweights=options.get("sample_weight", np.ones(30)).astype(int), ddof=0))
        assert_allclose(e._context.prediction_sd, sd, rtol=1e-12)
        calls = model.calls
        plain, read = e.table(), e.table(unit="sd")
        assert model.calls == calls, "predictions are kept"
        assert_allclose(read[EFFECTS], plain[EFFECTS] * 100 / sd, rtol=1e-12)
        pd.testing.assert_frame_equal(read.drop(columns=EFFECTS), plain.drop(columns=EFFECTS))


def test_effects_as_shares_of_all_features(explanation):
    """Each metric sums to 100; direction keeps its sign, and its sizes do."""
    plain, shares = explanation.table(), explanation.table(unit="share")
    for name in ("impact", "in_distribution_impact", "heterogeneity", "non_linearity"):
        assert_allclose(shares[name].sum(), 100.0, rtol=1e-12)
        assert_allclose(shares[name], 100 * plain[name] / plain[name].sum(), rtol=1e-12)
    assert_allclose(shares["direction"].abs().sum(), 100.0, rtol=1e-12)
    assert (np.sign(shares["direction"].dropna()) == np.sign(plain["direction"].dropna())).all()
    assert shares["missing_impact"].isna().all()


def test_shares_of_nothing_are_zero():
    """Neither a model that predicts the same for every row, nor digits that are rounding, have shares."""
    flat = explain(model=lambda rows: np.zeros(len(rows)))
    assert all((flat.table(unit=unit)["impact"] == 0).all() for unit in ("sd", "share"))
    X = np.random.default_rng(0).normal(size=(60, 3))
    e = explain(X, lambda rows: rows @ np.array([1.0, 2.0, 0.3]))
    assert 0 < e.table()["non_linearity"].max() < 1e-13
    shares = e.table(unit="share")
    assert (shares[["heterogeneity", "non_linearity"]] == 0).all(axis=None)
    assert_allclose(shares["impact"].sum(), 100.0, rtol=1e-12)


def test_a_result_takes_positions_as_features_does(explanation):
    """They count the columns of X, features or not; a name or its text comes first."""
    assert explanation[1].feature == explain(features=[1]).features[0] == "age"
    assert explanation[np.int64(2)].feature == "income"
    assert explain(features=["income"])[2].feature == "income"
    with pytest.raises(OptionError, match=r"^No feature named 1 was explained\. There is 1 feature: 'income'"):
        explain(features=["income"])[1]
    for nothing in (5, -1, True, 1.0):
        with pytest.raises(OptionError):
            explanation[nothing]
    numbered = pd.DataFrame({"1": [1.0, 2.0, 4.0], "0": [3.0, 1.0, 2.0]})
    e = explain(numbered, lambda rows: rows["1"] * 2 + rows["0"])
    assert [e[1].feature, e[0].feature] == ["1", "0"]
    assert explain(numbered, lambda rows: rows["1"], features=[1]).features == ["1"]


def test_a_result_is_written_with_its_counts():
    """One of something is in the singular."""
    e = explain(np.array([[1.0], [2.0]]), lambda rows: rows[:, 0])
    assert repr(e) == "<Explanation of the prediction: 1 feature, 2 observations, method 'brute'>"
    constant = explain(np.array([[1.0], [1.0]]), lambda rows: rows[:, 0])
    assert repr(constant["x0"]) == "<FeatureExplanation 'x0': 2 curves, 1 grid value>"


# One feature -------------------------------------------------------------------------------------


def test_shapes_of_one_feature(explanation):
    """Observations × grid values, slopes one fewer."""
    f = explanation["age"]
    n, k = 30, len(f.grid)
    assert (f.feature, f.label, f.dtype_kind) == ("age", "age", "numeric")
    assert (f.curves.shape, f.slopes.shape, f.likelihood(0.5).shape) == ((n, k), (n, k - 1), (n, k))
    assert f.partial_dependence.shape == f.spread.shape == (k,)
    assert f.observed.shape == f.likelihood_scale.shape == (n,)
    assert f.rows.tolist() == list(range(n))
    assert isinstance(f.scale, float)
    assert (np.diff(f.grid) > 0).all()
    assert_allclose(f.likelihood(), f.likelihood(0.75), rtol=0)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_range_of_predictions_spans_every_phantom(sign):
    """Undrawn rows included, whichever block of rows holds the extremes."""
    model = Model()
    e = explain(model=lambda rows: sign * model(rows), memory_limit="10kB")
    for f in e.values():
        assert_allclose(f._prediction_range, (f.curves.min(), f.curves.max()), rtol=0)


def squares(X, grid):
    return explain(np.array(X), lambda rows: np.nan_to_num(rows[:, 0], nan=-3.0) ** 2 + rows[:, 1], grid={"x0": grid})[
        "x0"
    ]


def test_centered_curves_are_zero_at_their_anchor():
    """Of two grid values that are as near the lower one is taken; `own` is the prediction of the row itself."""
    f = squares([[0.0, 1.0], [1.0, 2.0], [4.5, 3.0], [7.0, -1.0], [12.0, 0.0]], [1.0, 3.0, 6.0, 10.0])
    anchors = {"min": 0, "max": 3, "median": 1, 3.0: 1, 3.9: 1, 4.5: 1, 4.6: 2, -50: 0, 99: 3}
    for anchor, index in anchors.items():
        assert_allclose(f.centered_curves(anchor), f.curves - f.curves[:, [index]], rtol=1e-12)
    assert_allclose(f.centered_curves(), f.centered_curves("min"), rtol=0)
    own = f._predictions(f.rows)[:, None]
    assert_allclose(f.centered_curves("own"), f.curves - own, rtol=1e-12)
    assert_allclose(f.centered_curves("own")[0], f.grid**2, rtol=1e-12)


def test_the_median_stands_in_for_a_missing_value_of_its_own():
    """On the grid or not."""
    f = squares([[1.0, 1.0], [2.0, 2.0], [4.0, 3.0], [np.nan, 5.0]], [1.0, 3.0])
    assert f._item.median == 2.0
    expected = f.curves - np.array([2.0, 6.0, 19.0, 9.0])[:, None]
    assert_allclose(f.centered_curves("own"), expected, rtol=1e-12)


def test_rows_are_the_exact_curves_and_are_remembered(explanation):
    """A row asked for again costs no prediction; predictions are those of the model."""
    model = Model()
    f = explain(model=model)["income"]
    rows = f.compute_curves([4, 0, 4])
    assert rows.shape == (3, len(f.grid))
    calls = model.calls
    assert_allclose(f.compute_curves([0, 4]), rows[[1, 0]], rtol=0)
    assert model.calls == calls
    assert_allclose(f.curves[[4, 0, 4]], rows, rtol=0)
    assert f.compute_curves([]).shape == (0, len(f.grid))
    assert_allclose(explanation["age"]._predictions([5, 0]), Model()(customers().iloc[[5, 0]]))


# Drawing and sampling ----------------------------------------------------------------------------


def big(n=500):
    rng = np.random.default_rng(8)
    return np.column_stack([rng.lognormal(size=n), rng.normal(size=n), np.arange(n) % 2])


def test_lines_are_drawn_in_strata_of_the_feature():
    """Sorted positions, one of every stretch of the sorted feature, the same each time."""
    f = explain(big(), features=["x0"])["x0"]
    drawn = f._draw(50)
    assert drawn.dtype == np.int64
    assert (np.diff(drawn) > 0).all()
    rank = np.argsort(np.argsort(f.observed))
    assert sorted(rank[drawn] // 10) == list(range(50))
    assert f._draw(50).tolist() == drawn.tolist()
    assert explain(big(), features=["x0"])["x0"]._draw(50).tolist() == drawn.tolist()
    assert explain(big(), features=["x0"], random_state=1)["x0"]._draw(50).tolist() != drawn.tolist()


def test_as_many_lines_are_drawn_as_asked_for_and_those_to_include():
    """Also where the number does not divide the rows; `include` keeps the order and doubles none; row 0 is a row."""
    f = explain(big(), features=["x0"])["x0"]
    assert [len(f._draw(n)) for n in (7, 100, 333, 499, 10_000)] == [7, 100, 333, 499, 500]
    drawn = f._draw(20)
    extra = next(i for i in range(500) if i not in drawn.tolist())
    both = f._draw(20, include=[0, extra, int(drawn[3])])
    assert both.tolist() == sorted({*drawn.tolist(), 0, extra})
    assert f._draw(0, include=[0]).tolist() == [0]


@pytest.mark.parametrize(("sample", "count"), [(40, 40), (0.1, 50), (77, 77), (500, 500), (1, 1)])
def test_a_sample_has_its_size_and_repeats_itself(sample, count):
    """A count or a fraction; each feature its own rows, the same for the same seed."""
    e = explain(big(), sample=sample, grid="quantile", grid_size=5)
    again = explain(big(), sample=sample, grid="quantile", grid_size=5)
    for name in e.features:
        f = e[name]
        assert len(f.rows) == count
        assert (np.diff(f.rows) > 0).all()
        assert f.rows.tolist() == again[name].rows.tolist()
        assert f.curves.shape == (count, len(f.grid))
    pd.testing.assert_frame_equal(e.table(), again.table())


def test_a_sample_covers_the_feature_and_keeps_its_scale():
    """One row of each stratum; σ and grid are those of all rows; any row's curve is exact."""
    X = big()
    whole = explain(X, grid="quantile", grid_size=7)
    e = explain(X, sample=50, grid="quantile", grid_size=7)
    for name in ("x0", "x1"):
        f = e[name]
        rank = np.argsort(np.argsort(X[:, int(name[1])]))
        assert sorted(rank[f.rows] // 10) == list(range(50))
        assert f.scale == whole[name].scale
        assert_allclose(f.grid, whole[name].grid, rtol=0)
        assert_allclose(f.curves, whole[name].curves[f.rows], rtol=1e-15)
        outside = [i for i in range(500) if i not in f.rows.tolist()][:2]
        assert_allclose(f.compute_curves(outside), whole[name].curves[outside], rtol=1e-15)
        assert_allclose(f.partial_dependence, f.curves.mean(axis=0), rtol=1e-12)
    assert e["x0"].rows.tolist() != e["x1"].rows.tolist()
    alone = explain(X, sample=50, features=["x1"], grid="quantile", grid_size=3)
    assert alone["x1"].rows.tolist() == e["x1"].rows.tolist()  # whatever else is explained
    assert any("50 of 500 observations" in note for note in e.notes)
    assert sorted(e["x2"].observed[e["x2"].rows]) == [0.0] * 25 + [1.0] * 25


# Grids -------------------------------------------------------------------------------------------


def test_observed_values_are_capped_and_the_cap_is_noted():
    """Above 1000 distinct values the grid is quantiles, and the notes say how to lift the cap."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=1201), rng.integers(0, 2, 1201)])
    capped, lifted = (explain(X, lambda rows: rows.sum(axis=1), sample=3, **size) for size in ({}, {"grid_size": 1201}))
    expected = np.unique(np.quantile(X[:, 0], np.linspace(0, 1, 1000), method="inverted_cdf"))
    assert_allclose(capped["x0"].grid, expected, rtol=0)
    (note,) = (note for note in capped.notes if "1201 distinct values" in note)
    assert "'x0'" in note
    assert "grid_size=1201" in note
    assert_allclose(lifted["x0"].grid, np.unique(X[:, 0]), rtol=0)
    assert not any("distinct values" in note for note in lifted.notes)


def test_named_grids():
    """Uniform spans the column, quantile and random are observed values with both ends."""
    X = big()
    seen = np.unique(X[:, 0])

    def grid(name, **options):
        return explain(X, grid=name, **options)["x0"].grid

    assert_allclose(grid("uniform", grid_size=5), np.linspace(seen[0], seen[-1], 5), rtol=1e-12)
    expected = np.quantile(X[:, 0], np.linspace(0, 1, 5), method="inverted_cdf")
    assert_allclose(grid("quantile", grid_size=5), expected, rtol=0)
    assert [len(grid(name)) for name in ("uniform", "quantile")] == [100] * 2


def test_given_grids_are_for_the_features_they_name():
    """Others keep their observed values; positions name columns too."""
    e = explain(grid={"income": [1.0, 2.0], 1: [20, 30, 40]})
    assert_allclose(e["income"].grid, [1.0, 2.0], rtol=0)
    assert_allclose(e["age"].grid, [20.0, 30.0, 40.0], rtol=0)
    assert_allclose(e["member"].grid, [0.0, 1.0], rtol=0)


@pytest.mark.parametrize("limit", ["1GB", "500MB", "1.5 MB", "2gb", "64kB", "1 MiB", 10**6, 1e6, np.int64(10**6)])
def test_memory_limits_that_are_understood(limit):
    """Texts with a unit in any case, plain numbers of bytes."""
    assert explain(memory_limit=limit)._n_observations == 30


# Progress, interruption, threads -----------------------------------------------------------------


def test_progress_counts_up_to_the_total():
    """A function is called with (done, total, label): never backwards, to the end, feature by feature."""
    calls = []
    ice.explain(Model(), customers(), memory_limit="20kB", progress=lambda *call: calls.append(call))
    done, totals, labels = zip(*calls, strict=True)
    assert sorted(done) == list(done)
    assert set(totals) == {done[-1]}
    assert done[0] < done[-1]
    assert list(dict.fromkeys(labels)) == list(KINDS)


@pytest.mark.parametrize(("progress", "is_drawn"), [(False, False), (None, False), (True, True)])
def test_progress_draws_a_bar_where_it_should(capsys, progress, is_drawn):
    """`True` draws on the error stream; `None` draws on a terminal alone."""
    ice.explain(Model(), customers(), progress=progress)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert ("100%" in captured.err) == bool(captured.err) == is_drawn


class Interrupted(Model):
    """Raises KeyboardInterrupt at one call, as Ctrl-C during predict does."""

    def __init__(self, at):
        super().__init__()
        self.at = at

    def __call__(self, rows):
        if self.calls + 1 == self.at:
            self.at = None
            raise KeyboardInterrupt
        return super().__call__(rows)


def test_an_interruption_passes_through_and_leaves_everything_usable():
    """Ctrl-C is not wrapped; the same model and table are explained at the second attempt."""
    X = customers()
    model = Interrupted(at=3)
    with pytest.raises(KeyboardInterrupt):
        ice.explain(model, X, progress=False)
    pd.testing.assert_frame_equal(X, customers())
    again = ice.explain(model, X, progress=False)
    pd.testing.assert_frame_equal(again.table(), explain().table())


def test_interrupted_curves_are_computed_when_asked_again():
    """A lock that an interruption left behind would hang here; a half-filled cache would differ."""
    model = Interrupted(at=None)
    f = ice.explain(model, customers(), sample=5, progress=False)["income"]
    model.at = model.calls + 1
    with pytest.raises(KeyboardInterrupt):
        f.compute_curves([0, 20, 29])
    expected = explain()["income"].compute_curves([0, 20, 29])
    assert_allclose(f.compute_curves([0, 20, 29]), expected, rtol=0)


def test_a_plan_knows_its_features_before_the_model_is_asked():
    """Wrong options fail here, the model sees a few rows only, and an explanation of no feature yet is empty."""
    model = Model()
    plan = prepare(model, customers(), Options())
    assert plan.features == plan.labels == tuple(KINDS)
    assert model.calls <= 1
    with pytest.raises(OptionError):
        prepare(model, customers(), Options(decay=2))
    empty = plan.explanation({})
    assert empty.features == []
    assert empty.table().shape == (0, len(COLUMNS))
    assert empty.table().columns.tolist() == COLUMNS
    assert empty.table([0.5, 1.0]).shape == (2, 0)


def test_a_notebook_completes_features():
    """`explanation["` and Tab offer the features."""
    assert explain()._ipython_key_completions_() == explain().features
