"""Any model becomes one number per row: which output, which response, and what the model is handed."""

import hashlib

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import ice_explorer as ice
from ice_explorer.plan import prepare
from ice_explorer.results.options import Options

RNG = np.random.default_rng(7)
X = pd.DataFrame({"age": RNG.integers(20, 60, 40), "income": RNG.normal(3.0, 1.0, 40).round(2)})
BINARY = np.where(X["age"] + 10 * X["income"] + RNG.normal(0, 5, 40) > 70, "yes", "no")


def explained(model, table=X, **options):
    return ice.explain(model, table, progress=False, **options)


def curve_of(model_response, f, table=X):
    """First row of a feature's curves, asked from the model directly."""
    first = table.iloc[[0] * len(f.grid)].copy()
    first[f.feature] = f.grid
    return model_response(first)


# Which output ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def three():
    """A classifier of three classes named by text."""
    labels = np.array(["setosa", "versicolor", "virginica"])[np.arange(40) % 3]
    return DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, labels)


@pytest.mark.parametrize(("output", "column"), [("virginica", 2), (0, 0), (np.int64(1), 1)])
def test_a_class_is_chosen_by_label_or_position(three, output, column):
    """Labels are text here, so whole numbers are positions; negative, boolean and fractional ones mean nothing."""
    e = explained(three, output=output)
    expected = curve_of(lambda rows: three.predict_proba(rows)[:, column], e["income"])
    assert_allclose(e["income"].curves[0], expected, rtol=1e-12)
    assert e.output_label == f"probability of {['setosa', 'versicolor', 'virginica'][column]}"
    for wrong in (-1, True, 0.5):
        with pytest.raises(ice.errors.OptionError, match=r"^`output` must be one of "):
            explained(three, output=wrong)


def test_outputs_of_a_function_are_chosen_by_column_name():
    """A function that returns a frame names its outputs."""

    def model(rows):
        return pd.DataFrame({"low": rows["age"] - 1.0, "high": rows["age"] + 1.0})

    assert_allclose(explained(model, output="high")["age"].curves[0], np.unique(X["age"]) + 1.0)
    assert_allclose(explained(model, output=0)["age"].curves[0], np.unique(X["age"]) - 1.0)


def test_the_choice_of_a_binary_classifier_is_noted():
    """The second class is explained, as everywhere, and the notes say which that is."""
    model = LogisticRegression(max_iter=2000).fit(X, BINARY)
    e = explained(model)
    assert e.output_label == "probability of yes"
    assert any("'yes'" in note and "output='no'" in note for note in e.notes), e.notes
    assert not any("output=" in note for note in explained(model, output="yes").notes)


# Which response ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def logistic():
    return LogisticRegression(max_iter=2000).fit(X, BINARY)


@pytest.mark.parametrize(
    ("response", "ask", "label"),
    [
        ("auto", lambda m: lambda r: m.predict_proba(r)[:, 1], "probability of yes"),
        ("predict_proba", lambda m: lambda r: m.predict_proba(r)[:, 1], "probability of yes"),
        ("decision_function", lambda m: m.decision_function, "score (decision function) of yes"),
        ("log_odds", lambda m: m.decision_function, "log-odds of yes"),
        (
            "predict",
            lambda m: lambda r: (m.predict(r) == "yes") * 1.0,
            "prediction of yes (1) or not (0)",
        ),
    ],
)
def test_every_response_of_a_classifier(logistic, response, ask, label):
    """Log-odds are the full log(p / (1 − p)), which for this model is its decision function."""
    e = explained(logistic, output="yes", response=response)
    assert e.output_label == label
    for f in (e["age"], e["income"]):
        assert_allclose(f.curves[0], curve_of(ask(logistic), f), rtol=1e-9, atol=1e-12)


# What the model is handed ------------------------------------------------------------------------


class Recorder:
    """A function that keeps a description of every batch that it was handed."""

    def __init__(self, answer):
        self.answer = answer
        self.batches = []

    def __call__(self, rows):
        dtypes = rows.dtypes.tolist() if isinstance(rows, pd.DataFrame) else [rows.dtype]
        columns = rows.columns.tolist() if isinstance(rows, pd.DataFrame) else None
        self.batches.append((type(rows), len(rows), columns, dtypes))
        return self.answer(rows)


def mixed_frame():
    """Whole numbers, flags, text, categories, dates and odd names in one frame."""
    return pd.DataFrame(
        {
            "age": np.array([30, 41, 52, 30], dtype="int64"),
            "small": np.array([1, 2, 3, 3], dtype="int8"),
            "rate": np.array([0.5, 0.25, 0.125, 0.75], dtype="float32"),
            "flag": [True, False, True, True],
            "city": ["Oslo", "Rome", "Oslo", "Lima"],
            "size": pd.Categorical(["s", "m", "l", "s"], ["s", "m", "l"], ordered=True),
            "seen": pd.to_datetime(["2020-01-01", "2021-01-01", "2022-01-01", "2020-06-01"]),
            7: [1.0, 2.0, 4.0, 8.0],
        },
        index=[10, 20, 30, 40],
    )


def test_the_model_gets_frames_like_x():
    """Same type, names, order and dtypes as X, for every feature's phantoms."""
    frame = mixed_frame()
    model = Recorder(lambda rows: rows["age"] * 1.0 + rows["flag"] + rows["rate"])
    e = explained(model, frame)
    assert e.features == frame.columns.tolist()
    e["age"].compute_curves([0, 2])
    for kind, _, columns, dtypes in model.batches:
        assert kind is pd.DataFrame
        assert columns == frame.columns.tolist()
        assert dtypes == frame.dtypes.tolist()


def test_a_grid_between_whole_numbers_makes_that_column_float_alone():
    """3.5 does not fit an integer column: nothing is rounded, nothing warns, the rest stays."""
    frame = mixed_frame()
    seen = []

    def model(rows):
        seen.append((rows["age"].dtype, rows["small"].dtype, rows["flag"].dtype))
        return rows["age"] * 2.0

    f = explained(model, frame, grid={"age": [30.0, 41.5, 52.0]}, features=["age"])["age"]
    assert_allclose(f.curves, [[60.0, 83.0, 104.0]] * 4)
    assert {dtypes[1:] for dtypes in seen} == {(np.dtype("int8"), np.dtype("bool"))}
    assert np.dtype("float64") in {dtypes[0] for dtypes in seen}


def test_nullable_columns_keep_their_dtypes_and_their_missing_values():
    """Int64, Float64 and boolean with pd.NA reach the model as such, phantoms at NA included."""
    frame = pd.DataFrame(
        {
            "a": pd.array([1, None, 3], dtype="Int64"),
            "b": pd.array([1.0, 2.0, 4.0], dtype="Float64"),
            "c": pd.array([True, None, False], dtype="boolean"),
        }
    )
    seen = set()

    def model(rows):
        seen.add(tuple(map(str, rows.dtypes)))
        a = rows["a"].to_numpy(dtype=float, na_value=9.0)
        return a * rows["b"].to_numpy(dtype=float)

    e = explained(model, frame)
    assert seen == {("Int64", "Float64", "boolean")}
    assert_allclose(e["a"].curves, [[1.0, 3.0], [2.0, 6.0], [4.0, 12.0]])
    assert_allclose(e["a"].missing_curve, [9.0, 18.0, 36.0])
    assert_allclose(e["a"].metrics()["missing_impact"], (8 + 16 + 24) / 3)
    assert e["c"].dtype_kind == "boolean"
    half = explained(model, frame, grid={"a": [1.0, 1.5]}, features=["a"])["a"]
    assert_allclose(half.curves[0], [1.0, 1.5])


def test_a_grid_beyond_the_dtype_of_a_column_keeps_its_values():
    """1000 in an int8 column stays 1000; an array has one dtype, and fractions are not cut to whole numbers."""
    f = explained(lambda r: r["small"] * 1.0, mixed_frame(), grid={"small": [1, 1000]})["small"]
    assert_allclose(f.curves, [[1.0, 1000.0]] * 4)
    table = np.array([[1, 5], [2, 6], [3, 9]])
    e = explained(lambda Z: Z[:, 0] * 1.0 + Z[:, 1], table, grid={"x0": [1.0, 2.5]})
    assert_allclose(e["x0"].curves, [[6.0, 7.5], [7.0, 8.5], [10.0, 11.5]])


def test_models_fitted_on_frames_do_not_warn_about_names():
    """Warnings are errors here, scikit-learn's feature-name warnings among them."""
    frame = mixed_frame()[["age", "small", "rate", "flag"]]
    model = LinearRegression().fit(frame, [1.0, 2.0, 3.0, 5.0])
    e = explained(model, frame)
    assert_allclose(e["age"]._predictions([1]), model.predict(frame.iloc[[1]]), rtol=1e-12)
    array = frame.to_numpy(dtype=float)
    unnamed = LinearRegression().fit(array, [1.0, 2.0, 3.0, 5.0])
    assert_allclose(explained(unnamed, array)["x0"].curves, e["age"].curves, rtol=1e-9)


def digest(frame):
    hashes = pd.util.hash_pandas_object(frame, index=True).to_numpy()
    return hashlib.sha256(hashes.tobytes()).hexdigest(), frame.dtypes.to_dict(), frame.columns.tolist()


def test_x_is_left_as_it_was():
    """Not a value, dtype, name or label of X changes, even if the model writes on what it gets."""
    frame = mixed_frame()
    before = digest(frame)

    def scribbler(rows):
        answer = (rows["age"] * 1.0).to_numpy().copy()
        for name in rows.columns:
            rows[name] = 0
        return answer

    e = explained(scribbler, frame)
    e["age"].compute_curves([1])
    e["rate"]._predictions([1])
    assert digest(frame) == before
    array = np.arange(12.0).reshape(6, 2)
    kept = array.copy()

    def array_scribbler(rows):
        answer = rows[:, 0] * 1.0
        rows[:] = -1.0
        return answer

    e = explained(array_scribbler, array)
    assert_allclose(e["x0"].curves, np.tile(kept[:, 0], (6, 1)), rtol=0)
    assert_allclose(e["x1"].curves, np.tile(kept[:, [0]], (1, 6)), rtol=0)
    assert_allclose(array, kept, rtol=0)


@pytest.mark.parametrize("limit", ["1MB", pytest.param("0.2MB", marks=pytest.mark.slow)])
def test_no_batch_is_larger_than_the_memory_limit_allows(limit):
    """Phantoms of one predict call, in bytes of the table, stay within the limit."""
    table = np.random.default_rng(0).normal(size=(400, 8))
    model = Recorder(lambda rows: rows[:, 0] * rows[:, 1])
    explained(model, table, memory_limit=limit)
    allowed = {"1MB": 1_000_000, "0.2MB": 200_000}[limit]
    rows = [n for _, n, _, _ in model.batches]
    assert sum(rows) >= 400 * 400 * 8
    assert max(rows) * table.shape[1] * 8 <= allowed
    assert len(rows) <= 400 * 8 + 2  # stacked: no more calls than grid values …
    assert sum(rows) <= 400 * 400 * 8 + 64 + 32  # … and no phantom is predicted twice, but the few asked first


# What can go wrong -------------------------------------------------------------------------------


def test_functions_may_return_lists_series_and_whole_numbers():
    """Anything that is one number per row will do; a Series' index is not looked at."""
    expected = explained(lambda rows: rows["age"].to_numpy() * 1.0).table()
    for answer in (
        lambda rows: rows["age"].tolist(),
        lambda rows: rows["age"].set_axis(range(5, 5 + len(rows))),
        lambda rows: rows["age"].to_numpy(),
        lambda rows: rows["age"].to_numpy().astype("float32"),
    ):
        pd.testing.assert_frame_equal(explained(answer).table(), expected)


# How often it is asked ---------------------------------------------------------------------------


def test_a_classifier_is_asked_once_before_its_trees_are_read(monkeypatch):
    """That it has two classes, and not two labels, scikit-learn says itself."""
    asked = []
    for name in ("predict", "predict_proba"):
        answer = getattr(RandomForestClassifier, name)
        monkeypatch.setattr(
            RandomForestClassifier,
            name,
            lambda model, rows, name=name, answer=answer: asked.append(name) or answer(model, rows),
        )
    model = RandomForestClassifier(3, max_depth=3, random_state=0).fit(X, BINARY)
    prepare(model, X, Options(output="yes"))
    assert asked == ["predict_proba"]
