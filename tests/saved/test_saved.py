"""What is opened from a file is what was saved: the same numbers to the bit, and errors that name what is not there."""

import copy
import json
import pickle
import tempfile
import time
import zipfile
from decimal import Decimal

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from origins import read_provenance
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestClassifier
from sklearn.linear_model import LinearRegression

import ice_explorer as ice
from ice_explorer.errors import DataError, ModelNeededError, OptionError
from ice_explorer.feature import FeatureExplanation

DECAYS = (0.01, 0.3, 0.75, 1.0)
CONVENTIONS = ("step", "paper")
RNG = np.random.default_rng(0)
N = 60


def frame():
    """Numbers, whole ones, booleans, categories of three kinds, dates with and without a zone, durations, decimals."""
    return pd.DataFrame(
        {
            "number": RNG.normal(size=N),
            "single": RNG.normal(size=N).astype(np.float32),
            "count": RNG.integers(0, 5, N),
            "flag": RNG.integers(0, 2, N).astype(bool),
            "city": RNG.choice(["Ürümqi", "b", "c"], N),
            "size": pd.Categorical(RNG.choice(["S", "M"], N), ["S", "M", "L"], ordered=True),
            "level": pd.Categorical(RNG.choice([3, 1], N), [3, 1, 2]),
            "day": pd.date_range("2020-03-01", periods=N, freq="7h"),
            "hour": pd.date_range("2020-03-28", periods=N, freq="h", tz="Europe/Berlin"),
            "wait": pd.to_timedelta(RNG.integers(0, 99, N), unit="s"),
            "price": [Decimal(value) / 10 for value in range(N)],
            "missing": np.where(np.arange(N) % 7 == 0, np.nan, RNG.normal(size=N)),
            "id": 2**52 + np.arange(N),
        },
        index=pd.Index([f"row {at}" for at in range(N)], name="who"),
    )


def codes(X):
    """Every column as numbers."""

    def of(series):
        if isinstance(series.dtype, pd.CategoricalDtype):
            return series.cat.codes
        if series.dtype == object or str(series.dtype) in ("str", "string"):
            return series.map(lambda value: float(value) if isinstance(value, Decimal) else len(str(value)))
        if series.dtype.kind in "mM" or hasattr(series, "dt"):
            return series.astype("int64") / 1e15
        return series.astype(float)

    return np.column_stack([np.nan_to_num(of(X[name]).to_numpy(float), nan=-3.0) for name in X])


def of_all(X):
    """Depend on every column, and on pairs of them."""
    values = codes(X)
    return np.sin(values).sum(axis=1) + values[:, 0] * (values[:, 3] > 0.5)


def pickled(thing):
    """Pickle, and unpickle."""
    return pickle.loads(pickle.dumps(thing))  # noqa: S301 - our own


def saved(e, **options):
    """Return the content of a file."""
    with tempfile.TemporaryDirectory() as folder:
        return e.save(f"{folder}/result.ice", **options).read_bytes()


def opened(e, **options):
    """Save and open."""
    with tempfile.TemporaryDirectory() as folder:
        return ice.load(e.save(f"{folder}/result.ice", **options))


def regression():
    X = pd.DataFrame(RNG.normal(size=(80, 3)), columns=["a", "b", "c"])
    return ice.explain(HistGradientBoostingRegressor(max_iter=20).fit(X, X["a"] * X["b"]), X, progress=False)


def classes():
    X = RNG.normal(size=(70, 3))
    y = np.array(["no", "so", "yes"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    return ice.explain(RandomForestClassifier(10, random_state=0).fit(X, y), X, output="so", progress=False)


def linear():
    X = RNG.normal(size=(50, 2))
    return ice.explain(LinearRegression().fit(X, X @ [1, 2]), X, progress=False)


def with_groups_and_weights():
    X = pd.DataFrame(
        {"a": RNG.normal(size=50), **{f"city_{at}": (np.arange(50) % 3 == at).astype(int) for at in range(2)}}
    )
    weights = RNG.integers(0, 3, 50)
    X["code"] = RNG.choice([4, 7, 9], 50)
    return ice.explain(
        lambda X: X["a"] * X["city_0"] + X["code"], X, groups={"city": ["city_0", "city_1"]},
        categorical_features=["code"],
        sample_weight=weights, progress=False,
    )  # fmt: skip


def conditional():
    X = pd.DataFrame({"a": RNG.normal(size=60), "city": RNG.choice(["a", "b", "c"], 60)})
    return ice.explain(lambda X: X["a"] * (X["city"] == "b"), X, distance="conditional", progress=False)


def odd_names():
    names = [0, ("a", 1), pd.Timestamp("2020-01-01"), 2.5, "", "0.0"]
    X = pd.DataFrame(RNG.normal(size=(40, len(names))))
    X.columns = pd.Index(names, tupleize_cols=False)
    X.index = pd.MultiIndex.from_product([["a", "b"], range(20)], names=["first", None])
    return ice.explain(lambda X: X.to_numpy().sum(axis=1), X, progress=False)


def of_polars():
    X = pl.DataFrame({"a": RNG.normal(size=40), "b": RNG.choice(["x", "y"], 40), "c": range(40)})
    return ice.explain(lambda X: X["a"].to_numpy() * (X["b"] == "x").to_numpy(), X, progress=False)


def sampled():
    X = RNG.normal(size=(60, 2))
    return ice.explain(lambda X: X[:, 0] * X[:, 1], X, sample=20, progress=False)


def of_all_kinds():
    return ice.explain(of_all, frame().drop(columns="hour"), progress=False)


def zoned():
    return ice.explain(of_all, frame()[["number", "hour", "city", "flag"]], progress=False)


def constant():
    X = pd.DataFrame({"one": np.ones(30), "two": np.arange(30.0), "text": ["a"] * 30})
    return ice.explain(lambda X: X["two"].to_numpy(), X, features=["one", "two", "text"], progress=False)


CASES = {
    "": (regression, with_groups_and_weights),
    "wide": (classes, of_all_kinds),
    "slow": (linear, conditional, odd_names, of_polars, sampled, constant),
    "current": (zoned,),  # older versions of pandas have two dtypes for a time zone
}
PAIRS = [
    pytest.param(make, marks=getattr(pytest.mark, mark) if mark else (), id=make.__name__)
    for mark, cases in CASES.items()
    for make in cases
]


@pytest.fixture(scope="module", params=PAIRS)
def pair(request):
    """An explanation, and the same from a file."""
    e = request.param()
    return e, opened(e)


def test_metrics_are_the_same_to_the_bit(pair):
    """For any decay."""
    e, o = pair
    assert o.features == e.features
    assert o._labels == e._labels
    for decay in DECAYS:
        pd.testing.assert_frame_equal(o.table(decay), e.table(decay), check_exact=True)
    pd.testing.assert_frame_equal(o.table(DECAYS), e.table(DECAYS), check_exact=True)
    pd.testing.assert_frame_equal(o.table(unit="sd"), e.table(unit="sd"), check_exact=True)


def test_curves_are_the_same_to_the_bit(pair):
    """With their grids, levels, likelihoods and summaries."""
    e, o = pair
    names = (
        "grid", "axis", "curves", "observed", "partial_dependence", "spread", "rows"
    )  # fmt: skip
    for f, g in zip(e.values(), o.values(), strict=True):
        for name in names:
            assert_array_equal(getattr(g, name), getattr(f, name), err_msg=f"{name} of {f.label}")
        assert (g.scale, g._item.median, g.dtype_kind) == (f.scale, f._item.median, f.dtype_kind)
        assert_array_equal(g.likelihood(0.5), f.likelihood(0.5))
        assert_array_equal(g.compute_curves(range(5)), f.compute_curves(range(5)))
        assert g._prediction_range == f._prediction_range
        assert g._missing_dependence == f._missing_dependence
        for anchor in ("own", "median"):
            assert_array_equal(g.centered_curves(anchor), f.centered_curves(anchor))
    assert_array_equal(o.predictions(range(5)), e.predictions(range(5)))
    pd.testing.assert_frame_equal(o.what_if(0), e.what_if(0))


def test_drivers_effects_intervals_and_groups_are_the_same(pair):
    """Computed when the file was written, or from its curves, without the model."""
    e, o = pair
    for f in e.values():
        table = o.drivers(f.feature)
        pd.testing.assert_frame_equal(table, e.drivers(f.feature))
        assert o[f.feature].drivers_summary == f.drivers_summary
        for kinds in ({}, {"kinds": "ale"}):
            pd.testing.assert_frame_equal(o.effects(f.feature, **kinds), e.effects(f.feature, **kinds))
    pd.testing.assert_frame_equal(o.table(ci=0.9), e.table(ci=0.9))
    by = np.arange(e._n_observations) % 2
    pd.testing.assert_frame_equal(o.table(by=by), e.table(by=by))


def test_rows_are_those_that_were_explained(pair):
    """With their labels."""
    e, o = pair
    assert (o._n_observations, o._context.columns.names) == (e._n_observations, e._context.columns.names)
    assert o._row_labels([1, 2]) == e._row_labels([1, 2])
    assert getattr(o._context.table.index, "names", None) == getattr(e._context.table.index, "names", None)
    assert o.notes[len(o._alerts)] == f"Opened from a file with all {e._n_observations} rows and without the model."
    assert [note for note in o.notes if not note.startswith("Opened")] == e.notes
    assert (o.output_label, o.method, o._method_reason) == (e.output_label, e.method, e._method_reason)
    assert o.settings == e.settings


def test_it_can_be_saved_again(pair):
    """And is the same file."""
    _, o = pair
    assert saved(o) == saved(opened(o))


@pytest.mark.wide
def test_rows_have_the_values_of_their_columns():
    """As pandas has them."""
    X = frame()
    rows = opened(ice.explain(of_all, X, progress=False))._table_rows([3, 1])
    assert rows.index.tolist() == ["row 3", "row 1"]
    for name in X:
        assert rows[name].tolist() == X[name].iloc[[3, 1]].tolist() or X[name].iloc[[3, 1]].isna().any(), name
    for name in ("number", "single", "count", "flag", "size", "level", "id", "hour"):
        assert str(rows[name].dtype).replace("us", "ns") == str(X[name].dtype).replace("us", "ns")


@pytest.fixture(scope="module")
def large():
    """An explanation of 300 rows, and a file with 50 of them."""
    X = pd.DataFrame({"a": RNG.normal(size=300), "b": RNG.integers(0, 3, 300), "city": RNG.choice(list("xyz"), 300)})
    e = ice.explain(lambda X: X["a"] * X["b"] + (X["city"] == "x"), X, progress=False)
    return e, opened(e, max_lines=50)


def test_a_sample_of_rows_has_the_sums_of_all(large):
    """Which a note says."""
    e, o = large
    assert o._n_observations == 50
    pd.testing.assert_frame_equal(o.table(), e.table(), check_exact=True)
    rows = o._context.table.index.to_numpy()
    for f, g in zip(e.values(), o.values(), strict=True):
        assert_array_equal(g.partial_dependence, f.partial_dependence)
        assert_array_equal(g.curves, f.compute_curves(rows))
        assert g.drivers_summary == f.drivers_summary
    assert o._context.prediction_sd == e._context.prediction_sd
    assert o.notes[0].startswith("Opened from a file with 50 of 300 rows and without the model: metrics, ")
    again = opened(o, max_lines=20)
    assert again._n_observations == 20
    assert again.notes[0].startswith("Opened from a file with 20 of 300 rows")


def test_rows_that_lie_far_from_all_others_are_saved(tmp_path):
    """With any number of rows, and again from the file; texts name them as rows of X, also where X has an index."""
    X = pd.DataFrame(np.random.default_rng(3).uniform(size=(2000, 3)), [f"row{at}" for at in range(2000)], list("abc"))
    X.iloc[[1717, 1234], 1] = 9.0
    e = ice.explain(lambda X: X["a"] * np.where(X["b"] > 8, -29, 1), X, grid_size=20, progress=False)
    assert [f._outlying.tolist() for f in e.values()] == [[1234, 1717], [], [1234, 1717]]
    file = e.save(tmp_path / "result.ice", max_lines=30)
    o = ice.load(file)
    n = o._n_observations
    assert 30 < n <= 32
    assert read_provenance(file)["rows_drawn"] == n
    for again in (o, opened(o, max_lines=n), opened(o, max_lines=5), pickled(o)):
        labels = again._context.table.index
        for f, g in zip(e.values(), again.values(), strict=True):
            assert labels[g._outlying].tolist() == X.index[f._outlying].tolist()
            assert g.drivers_summary == f.drivers_summary
        assert again["a"].curves.min() == e["a"].curves.min()
        assert again.notes[1:] == e.notes
    assert "1234, 1717" in e["a"].drivers_summary


def test_a_sample_within_a_budget_is_one_after_it_is_opened(tmp_path):
    """Files that are saved from it tell how many rows its figures rest on."""

    def slow(rows):
        time.sleep(0.1)
        return rows[:, 0] * rows[:, 1]

    e = ice.explain(slow, RNG.normal(size=(140, 4)), budget=0.1, progress=False)
    samples = [read_provenance(of.save(tmp_path / f"{n}.json"))["sample"] for n, of in enumerate((e, opened(e)))]
    assert samples[0].startswith(f"sample of {len(e['x0'].rows)} of 140 rows")
    assert samples[1] == samples[0]


@pytest.mark.parametrize(
    ("what", "message"),
    [
        (lambda e: e.table(ci=0.9), "Intervals need the curves of all rows; .* 50 of 300 rows. Explain"),
        (lambda e: e.table(by="b"), "Metrics of groups need the curves of all rows"),
        (lambda e: e.two_way("a", "b"), "Partial dependence on two features needs the model"),
        (lambda e: e.interactions().features, "Interactions need the curves of all rows"),
        (lambda e: e.marginal_effects("a"), "Marginal effects need"),
        (lambda e: e["b"]._missing_rows([0]), "Predictions at other values"),
    ],
)
def test_what_needs_the_model_says_so(large, what, message):
    """And what to do."""
    with pytest.raises(ModelNeededError, match=message):
        what(large[1])


def test_files_and_pickles(tmp_path):
    """By every way that Python saves objects; a copy of a result is itself."""
    e = regression()
    file = e.save(tmp_path / "result.ice")
    with pytest.raises(OptionError, match="overwrite=True"):
        e.save(file)
    e.save(file, overwrite=True, max_lines=30)
    assert ice.load(file)._n_observations == 30
    joblib.dump(e, tmp_path / "e.joblib")
    for o in (pickled(e), joblib.load(tmp_path / "e.joblib")):
        assert isinstance(o, ice.Explanation)
        pd.testing.assert_frame_equal(o.table(), e.table(), check_exact=True)
    f = pickled(e["a"])
    assert isinstance(f, FeatureExplanation)
    assert_array_equal(list(f.metrics().values()), list(e["a"].metrics().values()))
    assert copy.copy(e) is e
    assert copy.deepcopy(e["a"]) is e["a"]
    origin = read_provenance(file)
    assert (origin["n_observations"], origin["rows_drawn"]) == (80, 30)
    assert origin["code"].endswith("; x.save('result.ice')")


def test_a_result_is_whole(tmp_path):
    """All features are in one file."""
    e = regression()
    advice = r"for a file of one feature explain it alone: `explain\(model, X, features=\['age'\]\)`"
    for what in ("all", "a"):
        with pytest.raises(OptionError, match=rf"A '.ice' holds a whole explanation; got what='{what}'. .*{advice}"):
            e.save(tmp_path / "all.ice", what)
    assert ice.load(e.save(tmp_path / "all.ice")).features == e.features


def test_it_is_a_zip_of_arrays(tmp_path):
    """Which NumPy reads."""
    e = regression()
    file = e.save(tmp_path / "result.ice")
    with np.load(file, allow_pickle=False) as arrays:
        assert_array_equal(arrays["features/0/grid/values"], e["a"].axis)
    with zipfile.ZipFile(file) as members:
        manifest = json.loads(members.read("manifest.json"))
    assert (manifest["format"], manifest["version"]) == ("ice-explorer result", 1)


@pytest.mark.wide
def test_two_files_have_the_same_rows():
    """Of two models of the same X, so that they can be compared."""
    X = pd.DataFrame({"a": RNG.normal(size=200), "b": RNG.normal(size=200)})
    models = {"sum": lambda X: X["a"] + X["b"], "product": lambda X: X["a"] * X["b"]}
    results = {name: opened(ice.explain(model, X, progress=False), max_lines=40) for name, model in models.items()}
    assert_array_equal(*(e._context.table.index.to_numpy() for e in results.values()))


def test_labels_that_no_file_has_are_refused():
    """By name and type."""
    X = pd.DataFrame({"a": np.arange(5.0)}, index=[object() for _ in range(5)])
    e = ice.explain(lambda X: X["a"], X, progress=False)
    with pytest.raises(DataError, match=r"A name, level or label must be .* to be saved; got <object"):
        saved(e)
