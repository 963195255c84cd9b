"""The promises of `explain`, `Explanation` and `FeatureExplanation`: names, shapes, orders, errors."""

import dataclasses
import inspect
import threading

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import ice_explorer as ice
from ice_explorer.errors import Cancelled, InputDataError, InvalidOptionError, UnknownFeatureError
from ice_explorer.explanation import prepare
from ice_explorer.export import save
from ice_explorer.figures.axes import all_axes, axes
from ice_explorer.results.options import Options

COLUMNS = [
    "impact",
    "in_distribution_impact",
    "direction",
    "heterogeneity",
    "non_linearity",
    "missing_impact",
    "support",
    "largest_step_share",
    "scale",
    "n_grid",
    "kind",
]


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


def refusal(error, function, *args, **options):
    """Text of the error that a call must raise."""
    with pytest.raises(error) as caught:
        function(*args, **options)
    return str(caught.value)


def explain(X=None, model=None, **options):
    X = customers() if X is None else X
    return ice.explain(model or Model(), X, progress=False, **options)


# The explanation ---------------------------------------------------------------------------------


def test_columns_of_every_kind_are_features_in_the_order_of_x(explanation):
    """Nothing is left out that an axis can be made of."""
    assert explanation.features == ["city", "age", "income", "member", "since"]
    assert explanation.labels == ["city", "age", "income", "member", "since"]
    assert explanation.n_observations == 30
    assert explanation.engine == "brute"
    assert explanation.engine_reason
    assert explanation.output_label == "prediction"
    assert explanation.notes == []
    assert [explanation._column(n).kind for n in ("city", "age", "income", "member", "since")] == [
        "category",
        "numeric",
        "numeric",
        "boolean",
        "datetime",
    ]


def test_columns_of_no_kind_are_named_in_the_notes():
    """They stay available by `column`, to colour by."""
    X = customers().assign(tags=[["a"]] * 30)
    explanation = ice.explain(Model(), X, progress=False)
    assert "tags" not in explanation.features
    note = (
        "'tags' has dtype object and cannot be placed on an axis; it is not ranked, but curves can be coloured by it."
    )
    assert explanation.notes == [note]
    assert explanation._column("tags").kind == "other"


def test_columns_of_x_can_be_read_back(explanation):
    """Values by column, rows in the type of X, labels of the index."""
    X = customers()
    assert list(explanation.columns) == X.columns.tolist()
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
    assert e.labels == ["x0", "x1", "x2"]
    assert e["x1"].label == "x1"
    assert explain(X, features=[2, 0]).labels in (["x0", "x2"], ["x2", "x0"])
    assert isinstance(e._table_rows([1]), np.ndarray)
    assert e._row_labels([1]) is None


def test_names_need_not_be_text():
    """A frame with numbers for names is explained, keyed and indexed by those numbers."""
    X = pd.DataFrame({2: [1.0, 2.0, 4.0], 0: [3.0, 1.0, 2.0]})
    e = explain(X, lambda rows: rows[2] * 2 + rows[0])
    assert e.features == [2, 0]
    assert e.labels == ["2", "0"]
    assert e[2].feature == 2
    assert e["2"].feature == 2
    assert e.table(sort_by=None).index.tolist() == [2, 0]
    assert explain(X, lambda rows: rows[2] * 2, features=[0]).features == [0]


def test_features_are_chosen_by_name_or_position():
    """Names come before positions; a list may mix them."""
    assert explain(features=["income"]).features == ["income"]
    assert sorted(explain(features=[1, "member"]).features) == ["age", "member"]


def test_the_table_has_its_columns_in_order_and_its_rows_by_impact(explanation):
    """Indexed by feature, largest impact first by default."""
    table = explanation.table()
    assert table.columns.tolist() == COLUMNS
    assert table.index.name == "feature"
    assert table["impact"].is_monotonic_decreasing
    assert explanation.table(sort_by=None).index.tolist() == explanation.features
    assert explanation.table(sort_by="heterogeneity")["heterogeneity"].is_monotonic_decreasing
    assert table["kind"].to_dict() == {
        "city": "category",
        "age": "numeric",
        "income": "numeric",
        "member": "boolean",
        "since": "datetime",
    }
    assert table.loc["member", "n_grid"] == 2
    assert table["n_grid"].dtype.kind == "i"
    numbers = [name for name in COLUMNS if name not in {"n_grid", "kind"}]
    assert (table[numbers].dtypes == np.float64).all()


def test_the_table_is_the_callers_to_change(explanation):
    """Writing into a table changes no later table."""
    table = explanation.table()
    before = table.copy()
    table["impact"] = 0.0
    pd.testing.assert_frame_equal(explanation.table(), before)


def test_a_result_cannot_be_changed_by_accident(explanation):
    """Arrays are read-only or copies, settings are frozen."""
    before = explanation.table()
    f = explanation["age"]
    for name in ("grid", "curves", "slopes", "observed", "partial_dependence", "spread"):
        array = getattr(f, name)
        if array.flags.writeable:
            array += 1.0
    pd.testing.assert_frame_equal(explanation.table(), before)
    assert_allclose(f.grid, np.unique(customers()["age"]))
    assert_allclose(f.partial_dependence, f.curves.mean(axis=0))
    with pytest.raises(dataclasses.FrozenInstanceError):
        explanation.settings.decay = 0.5


def test_the_settings_are_those_asked_for():
    """What a picture needs to say how it was made."""
    settings = explain(decay=0.5, convention="equations", memory_limit="2MB").settings
    assert settings.decay == 0.5
    assert settings.convention == "equations"
    assert explain().settings.convention == "stable"
    assert settings.engine == "auto"


def test_a_decay_profile_has_one_line_per_decay(explanation):
    """The last line, λ = 1, is impact."""
    profile = explanation.decay_profile([0.25, 0.5, 1.0])
    assert profile.index.tolist() == [0.25, 0.5, 1.0]
    assert profile.columns.tolist() == explanation.features
    assert_allclose(profile.loc[1.0], explanation.table(sort_by=None)["impact"], rtol=1e-12)
    assert_allclose(explanation.decay_profile([1.0], metric="support").to_numpy(), 1.0)
    by_interval = explain(convention="equations")
    assert_allclose(
        by_interval.decay_profile([1.0]).to_numpy()[0],
        by_interval.table(sort_by=None)["impact"],
        rtol=1e-12,
    )


def test_a_table_is_sorted_as_the_explorer_ranks(explanation):
    """By in-distribution impact, unless asked otherwise."""
    assert explanation.table()["in_distribution_impact"].is_monotonic_decreasing
    assert explanation.table(sort_by="heterogeneity")["heterogeneity"].is_monotonic_decreasing
    assert explanation.table(sort_by=None).index.tolist() == explanation.features


EFFECTS = ["impact", "in_distribution_impact", "direction", "heterogeneity", "non_linearity", "missing_impact"]


def test_effects_in_per_cent_of_the_spread_of_the_predictions():
    """The standard deviation of the model's predictions of the rows of X, by weight; other columns stay."""
    weights = np.arange(30.0) % 4
    for options in ({}, {"sample_weight": weights}):
        model = Model()
        e = explain(model=model, **options)
        predicted = Model()(customers())
        sd = np.sqrt(np.cov(predicted, fweights=options.get("sample_weight", np.ones(30)).astype(int), ddof=0))
        assert_allclose(e.prediction_sd, sd, rtol=1e-12)
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


def test_units_of_a_model_that_says_the_same_of_every_row():
    """No spread and no effect: 0 per cent of nothing."""
    e = explain(model=lambda rows: np.zeros(len(rows)))
    for unit in ("sd", "share"):
        assert (e.table(unit=unit)["impact"] == 0).all()


def test_a_result_takes_positions_as_features_does(explanation):
    """They count the columns of X, features or not; a name or its text comes first."""
    assert explanation[1].feature == explain(features=[1]).features[0] == "age"
    assert explanation[np.int64(2)].feature == "income"
    assert explain(features=["income"])[2].feature == "income"
    assert refusal(UnknownFeatureError, explain(features=["income"]).__getitem__, 1) == (
        "No feature named 1 was explained. There is 1 feature: 'income'."
    )
    for nothing in (5, -1, True, 1.0):
        assert isinstance(refusal(UnknownFeatureError, explanation.__getitem__, nothing), str)
    numbered = pd.DataFrame({"1": [1.0, 2.0, 4.0], "0": [3.0, 1.0, 2.0]})
    e = explain(numbered, lambda rows: rows["1"] * 2 + rows["0"])
    assert [e[1].feature, e[0].feature] == ["1", "0"]
    assert explain(numbered, lambda rows: rows["1"], features=[1]).features == ["1"]


def test_one_of_something_is_written_in_the_singular():
    """In sentences and in what a result looks like."""
    e = explain(np.array([[1.0], [2.0]]), lambda rows: rows[:, 0])
    assert repr(e) == "<Explanation of the prediction: 1 feature, 2 observations, engine 'brute'>"
    constant = explain(np.array([[1.0], [1.0]]), lambda rows: rows[:, 0])
    assert repr(constant["x0"]) == "<FeatureExplanation 'x0': 2 curves, 1 grid value>"
    assert refusal(InvalidOptionError, explain, np.ones((3, 1)), lambda rows: rows[:, 0], sample_weight=[1.0]) == (
        "`sample_weight` must be finite numbers of at least 0, one per observation; got 1 weight for 3 observations. "
        "Leave it out to weigh all observations alike."
    )


def test_shares_of_rounding_errors_are_zero():
    """The curves of a sum are straight and parallel but for the last digits, which are no share of anything."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    e = ice.explain(lambda rows: rows @ np.array([1.0, 2.0, 0.3]), X, progress=False)
    assert 0 < e.table()["non_linearity"].max() < 1e-13
    shares = e.table(unit="share")
    assert (shares[["heterogeneity", "non_linearity"]] == 0).all(axis=None)
    assert_allclose(shares["impact"].sum(), 100.0, rtol=1e-12)


def test_a_feature_that_does_not_exist_is_a_key_error(explanation):
    """The close name is offered; the text is a sentence, not the repr of one."""
    assert issubclass(UnknownFeatureError, KeyError)
    assert refusal(UnknownFeatureError, explanation.__getitem__, "incme") == (
        "No feature named 'incme' was explained. Did you mean 'income'? "
        "There are 5 features: 'city', 'age', 'income', 'member', 'since'."
    )
    assert refusal(UnknownFeatureError, explanation._column, "cit") == (
        "No column named 'cit' in X. Did you mean 'city'? X has 5 columns: 'city', 'age', 'income', 'member', 'since'."
    )
    assert refusal(UnknownFeatureError, explain, features=["Age"]) == (
        "No column named 'Age' in X. Did you mean 'age'? X has 5 columns: 'city', 'age', 'income', 'member', 'since'."
    )


def test_containment_length_and_iteration(explanation):
    """An explanation is a collection of its features."""
    assert "age" in explanation
    assert "town" not in explanation
    assert len(explanation) == 5
    assert [f.feature for f in explanation] == explanation.features


# One feature -------------------------------------------------------------------------------------


def test_shapes_of_one_feature(explanation):
    """Observations × grid values, slopes one fewer."""
    f = explanation["age"]
    n, k = 30, len(f.grid)
    assert f.feature == f.label == "age"
    assert f.kind == "numeric"
    assert f.curves.shape == (n, k)
    assert f.slopes.shape == (n, k - 1)
    assert f.partial_dependence.shape == f.spread.shape == (k,)
    assert f.likelihood(0.5).shape == (n, k)
    assert f.observed.shape == f.likelihood_scale.shape == (n,)
    assert f.row_positions.tolist() == list(range(n))
    assert isinstance(f.scale, float)
    assert (np.diff(f.grid) > 0).all()


def test_slopes_are_differences_of_curves(explanation):
    """One slope per grid interval, no padding."""
    f = explanation["income"]
    assert_allclose(f.slopes, np.diff(f.curves, axis=1) / np.diff(f.grid), rtol=1e-12)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_range_of_predictions_spans_every_phantom(sign):
    """Undrawn rows included, whichever block of rows holds the extremes."""
    model = Model()
    e = explain(model=lambda rows: sign * model(rows), memory_limit="10kB")
    for f in e:
        assert_allclose(f.prediction_range, (f.curves.min(), f.curves.max()), rtol=0)


def test_likelihood_is_one_at_the_own_value(explanation):
    """And falls with distance: half weight at one scale for λ = ½."""
    f = explanation["age"]
    likelihood = f.likelihood(0.5)
    own = np.searchsorted(f.grid, f.observed)
    assert_allclose(likelihood[np.arange(30), own], 1.0, rtol=0)
    assert_allclose(likelihood, 0.5 ** (np.abs(f.grid - f.observed[:, None]) / f.scale), rtol=1e-12)
    assert_allclose(f.likelihood(), f.likelihood(0.75), rtol=0)


@pytest.fixture(scope="module")
def coarse():
    """Five observations of one feature on a grid that misses most observed values."""
    X = np.array([[0.0, 1.0], [1.0, 2.0], [4.5, 3.0], [7.0, -1.0], [12.0, 0.0]])
    e = ice.explain(
        lambda rows: rows[:, 0] ** 2 + rows[:, 1],
        X,
        grid={"x0": [1.0, 3.0, 6.0, 10.0]},
        progress=False,
    )
    return e["x0"]


@pytest.mark.parametrize(
    ("anchor", "index"),
    [("min", 0), ("max", 3), ("median", 1), (3.0, 1), (3.9, 1), (4.5, 1), (4.6, 2), (-50, 0), (99, 3)],
)
def test_centered_curves_are_zero_at_their_anchor(coarse, anchor, index):
    """Median 4.5 lies midway between 3 and 6: the lower one is taken; so for a number."""
    expected = coarse.curves - coarse.curves[:, [index]]
    assert_allclose(coarse.centered_curves(anchor), expected, rtol=1e-12)
    assert_allclose(coarse.centered_curves(anchor)[:, index], 0.0, atol=0)


def test_centered_curves_at_the_own_value(coarse):
    """Held at the prediction of the row itself, between grid values and beyond them too."""
    expected = coarse.curves - coarse.predictions(coarse.row_positions)[:, None]
    assert_allclose(coarse.centered_curves("own"), expected, rtol=1e-12)
    assert_allclose(coarse.centered_curves("own")[0], coarse.grid**2 - 0.0, rtol=1e-12)


def test_centered_curves_at_the_own_value_where_it_is_missing():
    """The median stands in for it, on the grid or not."""
    X = np.array([[1.0, 1.0], [2.0, 2.0], [4.0, 3.0], [np.nan, 5.0]])
    f = ice.explain(
        lambda rows: np.nan_to_num(rows[:, 0], nan=-3.0) ** 2 * rows[:, 1],
        X,
        grid={"x0": [1.0, 3.0]},
        progress=False,
    )["x0"]
    assert f.median == 2.0
    expected = f.curves - np.array([1.0, 8.0, 48.0, 20.0])[:, None]
    assert_allclose(f.centered_curves("own"), expected, rtol=1e-12)


def test_centered_curves_start_at_the_minimum_by_default(coarse):
    """`centered_curves()` is c-ICE as in the paper."""
    assert_allclose(coarse.centered_curves(), coarse.centered_curves("min"), rtol=0)


@pytest.mark.parametrize("anchor", ["middle", np.nan, np.inf, None, [1.0]])
def test_an_impossible_anchor_is_refused(coarse, anchor):
    """A name of the four, or a finite number."""
    assert refusal(InvalidOptionError, coarse.centered_curves, anchor) == (
        "`anchor` must be 'min', 'max', 'median', 'own' or a finite value of the feature; "
        f"got {anchor!r}. The nearest grid value is used for a number."
    )


def test_rows_are_the_exact_curves_and_are_remembered():
    """A row asked for again costs no prediction."""
    model = Model()
    e = ice.explain(model, customers(), progress=False)
    f = e["income"]
    rows = f.rows([4, 0, 4])
    assert rows.shape == (3, len(f.grid))
    calls = model.calls
    assert_allclose(f.rows([0, 4]), rows[[1, 0]], rtol=0)
    assert model.calls == calls
    assert_allclose(f.curves[[4, 0, 4]], rows, rtol=0)
    assert f.rows([]).shape == (0, len(f.grid))


def test_predictions_are_the_models_own(explanation):
    """Of the real observations, by position."""
    assert_allclose(explanation["age"].predictions([5, 0]), Model()(customers().iloc[[5, 0]]))


@pytest.mark.parametrize("positions", [[30], [-1], [1.5], ["a"]])
def test_rows_that_do_not_exist_are_refused(explanation, positions):
    """Positions are whole numbers from 0; negative ones do not count from the end."""
    message = refusal(InvalidOptionError, explanation["age"].rows, positions)
    assert message.startswith("`positions` must be ")
    assert "0 to 29" in message


# Drawing and sampling ----------------------------------------------------------------------------


def big(n=500):
    rng = np.random.default_rng(8)
    return np.column_stack([rng.lognormal(size=n), rng.normal(size=n), np.arange(n) % 2])


def test_lines_are_drawn_in_strata_of_the_feature():
    """Sorted positions, one of every stretch of the sorted feature, the same each time."""
    e = explain(big(), features=["x0"])
    f = e["x0"]
    drawn = f.draw(50)
    assert drawn.dtype == np.int64
    assert (np.diff(drawn) > 0).all()
    assert len(drawn) == 50
    rank = np.argsort(np.argsort(f.observed))
    strata = rank[drawn] // 10
    assert sorted(strata) == list(range(50))
    assert f.draw(50).tolist() == drawn.tolist()
    assert explain(big(), features=["x0"])["x0"].draw(50).tolist() == drawn.tolist()
    other = explain(big(), features=["x0"], random_state=1)["x0"].draw(50)
    assert other.tolist() != drawn.tolist()


def test_lines_asked_for_are_drawn_besides():
    """`include` adds rows, keeps the order, doubles none; row 0 is a row."""
    f = explain(big(), features=["x0"])["x0"]
    drawn = f.draw(20)
    extra = next(i for i in range(500) if i not in drawn.tolist())
    both = f.draw(20, include=[0, extra, int(drawn[3])])
    assert both.tolist() == sorted({*drawn.tolist(), 0, extra})
    assert f.draw(10_000).tolist() == list(range(500))
    assert f.draw(0, include=[0]).tolist() == [0]


@pytest.mark.parametrize("n", [7, 100, 333, 499])
def test_a_count_of_lines_is_that_count(n):
    """Also where it does not divide the number of observations."""
    f = explain(big(), features=["x0"])["x0"]
    assert len(f.draw(n)) == n


def test_a_negative_number_of_lines_is_refused():
    """As a sentence."""
    f = explain(big(20), features=["x0"])["x0"]
    assert refusal(InvalidOptionError, f.draw, -1).startswith("`max_lines` must be ")


@pytest.mark.parametrize(("sample", "count"), [(40, 40), (0.1, 50), (77, 77), (500, 500), (1, 1)])
def test_a_sample_has_its_size_and_repeats_itself(sample, count):
    """A count or a fraction; each feature its own rows, the same for the same seed."""
    e = explain(big(), sample=sample, grid="quantile", grid_size=5)
    again = explain(big(), sample=sample, grid="quantile", grid_size=5)
    for name in e.features:
        f = e[name]
        assert len(f.row_positions) == count
        assert (np.diff(f.row_positions) > 0).all()
        assert f.row_positions.tolist() == again[name].row_positions.tolist()
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
        assert sorted(rank[f.row_positions] // 10) == list(range(50))
        assert f.scale == whole[name].scale
        assert_allclose(f.grid, whole[name].grid, rtol=0)
        assert_allclose(f.curves, whole[name].curves[f.row_positions], rtol=1e-15)
        outside = [i for i in range(500) if i not in f.row_positions.tolist()][:2]
        assert_allclose(f.rows(outside), whole[name].curves[outside], rtol=1e-15)
        assert_allclose(f.partial_dependence, f.curves.mean(axis=0), rtol=1e-12)
    assert e["x0"].row_positions.tolist() != e["x1"].row_positions.tolist()
    assert any("50 of 500 observations" in note for note in e.notes)
    assert sorted(e["x2"].observed[e["x2"].row_positions]) == [0.0] * 25 + [1.0] * 25


def test_a_feature_is_sampled_alike_whatever_else_is_explained():
    """The seed is (random_state, feature name), not the order of the work."""
    alone = explain(big(), sample=30, features=["x1"], grid="quantile", grid_size=3)
    beside = explain(big(), sample=30, grid="quantile", grid_size=3)
    assert alone["x1"].row_positions.tolist() == beside["x1"].row_positions.tolist()


# Grids -------------------------------------------------------------------------------------------


def test_observed_values_are_capped_and_the_cap_is_noted():
    """Above 1000 distinct values the grid is quantiles, and the notes say how to lift the cap."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=1201), rng.integers(0, 2, 1201)])

    def model(rows):
        return rows[:, 0] + rows[:, 1]

    e = explain(X, model, sample=3)
    expected = np.unique(np.quantile(X[:, 0], np.linspace(0, 1, 1000), method="inverted_cdf"))
    assert_allclose(e["x0"].grid, expected, rtol=0)
    notes = [note for note in e.notes if "1201 distinct values" in note]
    assert len(notes) == 1
    assert "'x0'" in notes[0]
    assert "grid_size=1201" in notes[0]
    lifted = explain(X, model, sample=3, grid_size=1201)
    assert_allclose(lifted["x0"].grid, np.unique(X[:, 0]), rtol=0)
    assert not any("distinct values" in note for note in lifted.notes)


def test_named_grids():
    """Uniform spans the column, quantile and random are observed values with both ends."""
    X = big()
    seen = np.unique(X[:, 0])
    uniform = explain(X, grid="uniform", grid_size=5)["x0"].grid
    assert_allclose(uniform, np.linspace(seen[0], seen[-1], 5), rtol=1e-12)
    quantile = explain(X, grid="quantile", grid_size=5)["x0"].grid
    levels = np.linspace(0, 1, 5)
    assert_allclose(quantile, np.quantile(X[:, 0], levels, method="inverted_cdf"), rtol=0)
    assert [len(explain(X, grid=name)["x0"].grid) for name in ("uniform", "quantile", "random")] == [100] * 3
    drawn = explain(X, grid="random", grid_size=9)["x0"].grid
    assert len(drawn) == 9
    assert set(drawn) <= set(seen)
    assert (drawn[0], drawn[-1]) == (seen[0], seen[-1])
    assert_allclose(explain(X, grid="random", grid_size=9)["x0"].grid, drawn, rtol=0)
    other = explain(X, grid="random", grid_size=9, random_state=3)["x0"].grid
    assert other.tolist() != drawn.tolist()
    assert_allclose(explain(X, grid="uniform")["x2"].grid[[0, -1]], [0.0, 1.0], rtol=0)


def test_a_uniform_grid_of_whole_numbers_holds_whole_numbers():
    """3.7 children is no observation that could be."""
    grid = explain(features=["age"], grid="uniform", grid_size=6)["age"].grid
    assert_allclose(grid, np.rint(grid), rtol=0)
    assert grid[0] == customers()["age"].min()
    assert grid[-1] == customers()["age"].max()


def test_given_grids_are_for_the_features_they_name():
    """Others keep their observed values; positions name columns too."""
    e = explain(grid={"income": [1.0, 2.0], 1: [20, 30, 40]})
    assert_allclose(e["income"].grid, [1.0, 2.0], rtol=0)
    assert_allclose(e["age"].grid, [20.0, 30.0, 40.0], rtol=0)
    assert_allclose(e["member"].grid, [0.0, 1.0], rtol=0)


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ([2, 1], "got 2.0 before 1.0"),
        ([1, 1], "got 1.0 before 1.0"),
        ([], "got an array of shape (0,)"),
        ([[1, 2]], "got an array of shape (1, 2)"),
        (3.0, "got 3.0"),
        ([1, np.nan], "got nan"),
        ([1, np.inf], "got inf"),
        ("abc", "got 'abc'"),
    ],
)
def test_impossible_grids_are_refused(values, problem):
    """Increasing finite values, and the message names the feature and the fault."""
    message = refusal(InvalidOptionError, explain, grid={"age": values})
    start = f"`grid` must give each feature increasing finite values; {problem} for 'age'. "
    assert message.startswith(start)
    assert len(message) > len(start)


# Options -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("decay", [0, -0.5, 1.5, np.nan, np.inf, "strong", None, [0.5]])
def test_a_decay_outside_its_range_is_refused_everywhere(explanation, decay):
    """By `explain`, the table, the profile and the likelihood, in the same words."""
    expected = (
        f"`decay` must be greater than 0 and at most 1; got {decay!r}. "
        "Use `decay=1` to weight all phantom observations equally."
    )
    assert refusal(InvalidOptionError, explain, decay=decay) == expected
    assert refusal(InvalidOptionError, explanation.decay_profile, [0.5, decay]) == expected
    if decay is not None:  # None stands for the decay of the explanation
        assert refusal(InvalidOptionError, explanation.table, decay=decay) == expected
        assert refusal(InvalidOptionError, explanation["age"].likelihood, decay) == expected
        assert refusal(InvalidOptionError, explanation["age"].metrics, decay) == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"convention": "publishd"},
            "`convention` must be 'stable', 'equations' or 'published'; got 'publishd'. Did you mean 'published'?",
        ),
        (
            {"grid": 5},
            (
                "`grid` must be 'observed', 'quantile', 'uniform', 'random' or 'thresholds', or a mapping of features "
                "to values; got 5. For one feature write `grid={'name': values}`."
            ),
        ),
        (
            {"scale": 3.0},
            (
                "`scale` must be 'marginal' or 'conditional', or a mapping of features to values; got 3.0. "
                "For one feature write `scale={'name': values}`."
            ),
        ),
        ({"engine": "fast"}, "`engine` must be 'auto', 'brute', 'tree', 'linear', 'kernel' or 'network'; got 'fast'."),
        (
            {"grid_size": 1},
            "`grid_size` must be an integer of at least 2; got 1. Leave it out for the default.",
        ),
        (
            {"random_state": None},
            "`random_state` must be an integer of at least 0; got None. Use `random_state=0` for the default seed.",
        ),
        (
            {"sample": 31},
            (
                "`sample` must be a count from 1 to the number of observations or a fraction greater "
                "than 0 and less than 1; got 31 for 30 observations. "
                "Use `sample=None` for all of them."
            ),
        ),
        (
            {"memory_limit": "1 potato"},
            (
                "`memory_limit` must be a positive number of bytes or a text such as '500MB' or '2GB'; "
                "got '1 potato'. The default is '1GB'."
            ),
        ),
        (
            {"scale": {"age": 0.0}},
            (
                "`scale` must give positive finite standard deviations, one number or one per "
                "observation; got 0.0 as the scale of 'age'. "
                'Use `scale="marginal"` for the standard deviation of the column.'
            ),
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_impossible_options_are_refused(options, message):
    """What must hold, what we got, what to do: whole sentences, compared whole."""
    assert refusal(ValueError, explain, **options) == message


def test_a_misspelt_option_is_a_type_error_with_the_close_name():
    """Unknown keywords are not swallowed."""
    message = refusal(TypeError, explain, grid_sise=5)
    assert message.startswith(
        "explain() has no option 'grid_sise'. Did you mean 'grid_size'? Its options are features, "
    )
    assert message.endswith("memory_limit, like, keep_curves, progress, budget, client.")


@pytest.mark.parametrize("limit", ["1GB", "500MB", "1.5 MB", "2gb", "64kB", "1 MiB", 10**6, 1e6, np.int64(10**6)])
def test_memory_limits_that_are_understood(limit):
    """Texts with a unit in any case, plain numbers of bytes."""
    assert explain(memory_limit=limit).n_observations == 30


@pytest.mark.parametrize("limit", ["", "GB", "1XB", "-1MB", "1", 0, -5, None, True, np.nan, np.inf])
def test_memory_limits_that_are_not(limit):
    """Refused with the values that are accepted."""
    assert refusal(InvalidOptionError, explain, memory_limit=limit) == (
        "`memory_limit` must be a positive number of bytes or a text such as '500MB' or '2GB'; "
        f"got {limit!r}. The default is '1GB'."
    )


def test_infinite_values_are_refused_with_their_rows():
    """Column and rows are named; −∞ counts too."""
    X = pd.DataFrame({"age": [1.0, np.inf, 3.0, -np.inf], "income": 1.0, "member": True})
    assert refusal(InputDataError, explain, X) == (
        "A feature must hold finite numbers; 'age' holds infinite values in 2 rows: 1, 3. "
        "Replace them, or leave the feature out with `features=`."
    )
    assert explain(X, features=["income"], model=lambda rows: rows["income"]).features == ["income"]


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (
            np.zeros(3),
            (
                "X must have two dimensions, observations × features; got an array of shape (3,). "
                "Reshape it: one feature is `X.reshape(-1, 1)`, one row `X.reshape(1, -1)`."
            ),
        ),
        (
            np.zeros((0, 2)),
            (
                "X must have at least one row and one column; got shape (0, 2). "
                "Pass the observations to explain the model on."
            ),
        ),
        (
            pd.DataFrame({"a": []}),
            (
                "X must have at least one row and one column; got shape (0, 1). "
                "Pass the observations to explain the model on."
            ),
        ),
        (
            np.array([["a", "b"]]),
            "An array X must hold numbers or booleans; got dtype <U1. Pass a DataFrame with one dtype per column.",
        ),
        (
            pd.DataFrame({"a": [["x"], ["y"]]}),
            (
                "X must have at least one column that holds numbers, booleans, categories, texts, dates or timedeltas; "
                "its columns are 'a'. Turn one into such a column in front of the model."
            ),
        ),
        (
            pd.DataFrame([[1, 2]], columns=["a", "a"]),
            "Column names must be different from each other; 'a' names more than one column of X. Rename one of them.",
        ),
        (
            pd.DataFrame([[1, 2]], columns=["1", 1]),
            "Column names must be different from each other; '1' names more than one column of X. Rename one of them.",
        ),
        (
            pd.DataFrame({"a": [np.nan, np.nan], "b": None}),
            (
                "X must have at least one column that holds numbers, booleans, categories, texts, dates or timedeltas; "
                "its columns are 'a', 'b'. Turn one into such a column in front of the model."
            ),
        ),
    ],
    ids=["flat", "no rows", "no rows in a frame", "text", "no feature", "twice", "1 twice", "void"],
)
def test_tables_that_cannot_be_explained(X, message):
    """Each fault in its own words."""
    assert refusal(InputDataError, explain, X, lambda rows: np.zeros(len(rows))) == message


def test_what_is_no_table_is_refused():
    """Lists of lists are not guessed at."""
    assert refusal(TypeError, explain, [[1, 2]]) == (
        "X must be a DataFrame, a two-dimensional numpy array or a sparse matrix; got list. "
        "Convert it, for example `np.asarray(X)`."
    )


# Progress, interruption, threads -----------------------------------------------------------------


def test_progress_counts_up_to_the_total():
    """A function is called with (done, total, label): never backwards, to the end, feature by feature."""
    told = []
    ice.explain(
        Model(),
        customers(),
        memory_limit="20kB",
        progress=lambda done, total, label: told.append((done, total, label)),
    )
    done = [entry[0] for entry in told]
    assert done == sorted(done)
    assert len({entry[1] for entry in told}) == 1
    assert done[-1] == told[0][1]
    assert done[0] < told[0][1]
    assert list(dict.fromkeys(entry[2] for entry in told)) == ["city", "age", "income", "member", "since"]


def test_progress_is_silent_where_it_should_be(capsys):
    """`False` says nothing; `None` says nothing off a terminal."""
    ice.explain(Model(), customers(), progress=False)
    ice.explain(Model(), customers(), progress=None)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_progress_draws_a_bar_when_told_to(capsys):
    """`True` draws on the error stream."""
    ice.explain(Model(), customers(), progress=True)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "100%" in captured.err


def test_what_progress_cannot_be_is_refused():
    """A text is neither a switch nor a function."""
    message = refusal(InvalidOptionError, ice.explain, Model(), customers(), progress="yes")
    assert message == (
        "`progress` must be None, True, False or a function of (done, total, label); got 'yes'. "
        "Use `progress=False` for silence."
    )


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


def test_an_interrupted_plan_goes_on_where_it_stopped():
    """Features done stay done; the interrupted one is computed anew and is right."""
    model = Interrupted(at=None)
    plan = prepare(model, customers(), Options())
    results = {"age": plan.compute("age")}
    model.at = model.calls + 1
    with pytest.raises(KeyboardInterrupt):
        plan.compute("income")
    partial = plan.explanation(results)
    assert partial.features == ["age"]
    assert partial.table().index.tolist() == ["age"]
    results |= {name: plan.compute(name) for name in ("city", "income", "member", "since")}
    pd.testing.assert_frame_equal(plan.explanation(results).table(), explain().table())


def test_interrupted_curves_are_computed_when_asked_again():
    """A lock that an interruption left behind would hang here; a half-filled cache would differ."""
    model = Interrupted(at=None)
    f = ice.explain(model, customers(), sample=5, progress=False)["income"]
    model.at = model.calls + 1
    with pytest.raises(KeyboardInterrupt):
        f.rows([0, 20, 29])
    expected = explain()["income"].rows([0, 20, 29])
    assert_allclose(f.rows([0, 20, 29]), expected, rtol=0)


def test_a_cancelled_feature_says_so_and_can_be_computed_later():
    """`cancelled` is called between blocks."""
    plan = prepare(Model(), customers(), Options(memory_limit="20kB"))
    asked = []

    def after_two():
        asked.append(None)
        return len(asked) > 2

    with pytest.raises(Cancelled):
        plan.compute("income", cancelled=after_two)
    assert len(asked) == 3
    later = pd.Series(plan.compute("income").metrics())
    expected = pd.Series(explain(memory_limit="20kB")["income"].metrics())
    pd.testing.assert_series_equal(later, expected, check_exact=True)


def test_a_plan_knows_its_features_before_the_model_is_asked():
    """Everything is checked at once: wrong options fail here, the model sees a few rows only."""
    model = Model()
    plan = prepare(model, customers(), Options())
    assert plan.features == ("city", "age", "income", "member", "since")
    assert plan.labels == ("city", "age", "income", "member", "since")
    assert model.calls <= 1
    with pytest.raises(InvalidOptionError):
        prepare(model, customers(), Options(decay=2))


def test_an_explanation_of_no_feature_yet_is_empty():
    """What a viewer shows before the first feature is done."""
    empty = prepare(Model(), customers(), Options()).explanation({})
    assert empty.features == []
    assert empty.table().shape == (0, len(COLUMNS))
    assert empty.table().columns.tolist() == COLUMNS
    assert empty.decay_profile([0.5, 1.0]).shape == (2, 0)


def test_features_computed_at_once_in_threads_are_the_same():
    """`compute` and `rows` take turns where they must."""
    plan = prepare(Model(), customers(), Options(memory_limit="50kB"))
    results, rows = {}, {}

    def work(name):
        results[name] = plan.compute(name)
        rows[name] = results[name].rows(range(30))

    threads = [threading.Thread(target=work, args=(name,)) for name in plan.features]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = explain()
    pd.testing.assert_frame_equal(plan.explanation(results).table(), expected.table())
    for name in plan.features:
        assert_allclose(rows[name], expected[name].curves, rtol=0)


# Errors ------------------------------------------------------------------------------------------


def test_every_error_can_be_caught_as_one_family():
    """And each also as the built-in kind it is."""
    family = ice.errors.ICEExplorerError
    kinds = {
        "InvalidOptionError": ValueError,
        "OutputError": ValueError,
        "InputDataError": ValueError,
        "PredictionError": ValueError,
        "UnknownOptionError": TypeError,
        "InputTypeError": TypeError,
        "UnknownFeatureError": KeyError,
        "Cancelled": Exception,
    }
    for name, kind in kinds.items():
        error = getattr(ice.errors, name)
        assert issubclass(error, family)
        assert issubclass(error, kind)


@pytest.mark.parametrize(
    ("method", "function"),
    [
        (ice.Explanation.plot, axes.plot),
        (ice.Explanation.plot_impact, axes.plot_impact),
        (ice.Explanation.plot_all, all_axes.plot_all),
        (ice.Explanation.save, save.save_explanation),
    ],
)
def test_what_draws_takes_what_it_hands_over(method, function):
    """Options and defaults of the methods are those of the functions behind them, which draw several models, too."""
    taken, handed = (list(inspect.signature(one).parameters.values()) for one in (method, function))
    assert [(one.name, one.kind, one.default) for one in taken[1:]] == [
        (one.name, one.kind, one.default) for one in handed[1:] if one.name != "besides"
    ]


def test_a_notebook_completes_features():
    """`explanation["` and Tab offer the features."""
    assert explain()._ipython_key_completions_() == explain().features
