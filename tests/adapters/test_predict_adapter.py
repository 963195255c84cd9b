"""Any model becomes one number per row: which output, which response, and what can go wrong."""

import hashlib
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import ice_explorer as ice
from ice_explorer.results.options import Options
from ice_explorer.results.plan import prepare

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
def one_two():
    """A classifier whose labels look like positions."""
    return LogisticRegression().fit(X - X.mean(), np.where(BINARY == "yes", 2, 1))


@pytest.mark.parametrize(("output", "column"), [(1, 0), (2, 1)])
def test_a_number_is_a_label_where_labels_are_numbers(one_two, output, column):
    """With labels [1, 2], output=1 is the label 1, and no position."""
    Z = X - X.mean()
    f = explained(one_two, Z, output=output)["age"]
    expected = curve_of(lambda rows: one_two.predict_proba(rows)[:, column], f, Z)
    assert_allclose(f.curves[0], expected, rtol=1e-12)


@pytest.fixture(scope="module")
def three():
    """A classifier of three classes named by text."""
    labels = np.array(["setosa", "versicolor", "virginica"])[np.arange(40) % 3]
    return DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, labels)


def test_several_classes_need_a_choice(three):
    """Three classes: none is chosen in silence."""
    with pytest.raises(ice.errors.OutputError) as caught:
        explained(three)
    assert str(caught.value) == (
        "The model returns 3 classes, so one must be chosen. Pass `output='setosa'` (or 'versicolor', 'virginica')."
    )


@pytest.mark.parametrize(("output", "column"), [("virginica", 2), (0, 0), (np.int64(1), 1)])
def test_a_class_is_chosen_by_label_or_position(three, output, column):
    """Labels are text here, so whole numbers are positions."""
    e = explained(three, output=output)
    expected = curve_of(lambda rows: three.predict_proba(rows)[:, column], e["income"])
    assert_allclose(e["income"].curves[0], expected, rtol=1e-12)
    label = ["setosa", "versicolor", "virginica"][column]
    assert e.output_label == f"probability of {label}"


def test_an_unknown_class_is_refused(three):
    """The message lists the classes and offers the close one."""
    with pytest.raises(ice.errors.OutputError) as caught:
        explained(three, output="virginca")
    assert str(caught.value) == (
        "`output` must be one of 'setosa', 'versicolor', 'virginica', or a position from 0 to 2; "
        "got 'virginca'. Did you mean 'virginica'?"
    )


@pytest.mark.parametrize("output", [3, -1, True, 0.5])
def test_what_is_neither_label_nor_position_is_refused(three, output):
    """Out of range, negative, boolean and fractional positions mean nothing."""
    with pytest.raises(ice.errors.OutputError, match=r"^`output` must be one of "):
        explained(three, output=output)


def test_several_outputs_of_a_regressor_need_a_choice():
    """Positions are the only names they have."""
    model = LinearRegression().fit(X, np.column_stack([X["age"], X["income"], X["age"]]))
    with pytest.raises(ice.errors.OutputError) as caught:
        explained(model)
    assert str(caught.value) == ("The model returns 3 outputs, so one must be chosen. Pass `output=0` (or 1, 2).")
    f = explained(model, output=1)["income"]
    assert_allclose(f.curves[0], f.grid, atol=1e-9)


def test_outputs_of_a_function_are_chosen_by_column_name():
    """A function that returns a frame names its outputs."""

    def model(rows):
        return pd.DataFrame({"low": rows["age"] - 1.0, "high": rows["age"] + 1.0})

    assert_allclose(explained(model, output="high")["age"].curves[0], np.unique(X["age"]) + 1.0)
    assert_allclose(explained(model, output=0)["age"].curves[0], np.unique(X["age"]) - 1.0)
    with pytest.raises(ice.errors.OutputError) as caught:
        explained(model)
    assert str(caught.value) == ("The model returns 2 outputs, so one must be chosen. Pass `output='low'` (or 'high').")


def test_one_output_leaves_nothing_to_choose():
    """`output` with a regressor raises."""
    with pytest.raises(ice.errors.OutputError) as caught:
        explained(LinearRegression().fit(X, X["age"]), output=0)
    assert str(caught.value) == (
        "`output` chooses among several outputs; the model has one, got output=0. Leave `output` out."
    )


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
            "predicted as yes (1) or not (0)",
        ),
    ],
)
def test_every_response_of_a_classifier(logistic, response, ask, label):
    """Log-odds are the full log(p / (1 − p)), which for this model is its decision function."""
    e = explained(logistic, output="yes", response=response)
    assert e.output_label == label
    for f in (e["age"], e["income"]):
        assert_allclose(f.curves[0], curve_of(ask(logistic), f), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("response", ["predict_proba", "decision_function", "log_odds"])
def test_the_first_class_mirrors_the_second(logistic, response):
    """Probabilities add to 1, scores and log-odds change sign."""
    no = explained(logistic, output="no", response=response)["age"].curves
    yes = explained(logistic, output="yes", response=response)["age"].curves
    assert_allclose(no, 1 - yes if response == "predict_proba" else -yes, rtol=1e-9, atol=1e-12)


def test_scores_of_three_classes_are_chosen_by_class():
    """A decision function with one column per class."""
    labels = np.array(["a", "b", "c"])[np.arange(40) % 3]
    model = SVC(decision_function_shape="ovr").fit(X, labels)
    f = explained(model, output="b")["income"]
    expected = curve_of(lambda rows: model.decision_function(rows)[:, 1], f)
    assert_allclose(f.curves[0], expected, rtol=1e-9)


def test_an_unknown_response_is_refused(logistic):
    """The choices are listed, the close one offered."""
    with pytest.raises(ice.errors.InvalidOptionError) as caught:
        explained(logistic, response="predict_probs")
    assert str(caught.value) == (
        "`response` must be 'auto', 'predict_proba', 'decision_function', 'predict' or 'log_odds'; "
        "got 'predict_probs'. Did you mean 'predict_proba'?"
    )


def test_a_response_that_the_model_lacks_is_refused():
    """Log-odds need probabilities."""
    with pytest.raises(ice.errors.InvalidOptionError) as caught:
        explained(SVC().fit(X, BINARY), response="log_odds")
    assert str(caught.value) == (
        "`response='log_odds'` needs a model with predict_proba; SVC has none. "
        'Use `response="auto"`, or pass a function that returns what you want to explain.'
    )


def test_a_detector_has_a_decision_function_without_classes():
    """An anomaly score is explained by asking for it."""
    model = IsolationForest(n_estimators=10, random_state=0).fit(X)
    f = explained(model, response="decision_function")["income"]
    assert_allclose(f.curves[0], curve_of(model.decision_function, f), rtol=1e-12)


def test_a_function_has_no_other_response():
    """`response` chooses among methods, of which a function has none."""
    with pytest.raises(ice.errors.InvalidOptionError) as caught:
        explained(lambda rows: rows["age"], response="predict_proba")
    assert str(caught.value) == (
        "`response` chooses among the methods of an estimator; got 'predict_proba' with a plain function. "
        "Leave `response` out and let the function return what you want to explain."
    )


def test_infinite_log_odds_are_refused_with_their_place():
    """A forest that is certain has no finite log-odds."""
    model = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, BINARY)
    with pytest.raises(
        ice.errors.PredictionError,
        match="Log-odds need probabilities between 0 and 1; the model returned a probability of ",
    ):
        explained(model, output="yes", response="log_odds")


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
    e["age"].rows([0, 2])
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
    assert e["c"].kind == "boolean"
    half = explained(model, frame, grid={"a": [1.0, 1.5]}, features=["a"])["a"]
    assert_allclose(half.curves[0], [1.0, 1.5])


def test_a_grid_beyond_the_range_of_a_small_integer_does_not_wrap():
    """1000 in an int8 column stays 1000."""
    f = explained(lambda r: r["small"] * 1.0, mixed_frame(), grid={"small": [1, 1000]})["small"]
    assert_allclose(f.curves, [[1.0, 1000.0]] * 4)


def test_an_integer_array_keeps_the_values_of_its_grid():
    """An array has one dtype; a fractional grid must not be cut to whole numbers."""
    table = np.array([[1, 5], [2, 6], [3, 9]])
    e = explained(lambda Z: Z[:, 0] * 1.0 + Z[:, 1], table, grid={"x0": [1.0, 2.5]})
    assert_allclose(e["x0"].curves, [[6.0, 7.5], [7.0, 8.5], [10.0, 11.5]])


def test_models_fitted_on_frames_do_not_warn_about_names():
    """Warnings are errors here, scikit-learn's feature-name warnings among them."""
    frame = mixed_frame()[["age", "small", "rate", "flag"]]
    model = LinearRegression().fit(frame, [1.0, 2.0, 3.0, 5.0])
    e = explained(model, frame)
    assert_allclose(e["age"].predictions([1]), model.predict(frame.iloc[[1]]), rtol=1e-12)
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
    e["age"].rows([1])
    e["rate"].predictions([1])
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


def test_read_only_and_oddly_laid_out_arrays_are_fine():
    """Memory that may not be written, columns first, strides: all the same numbers."""
    base = np.arange(12.0).reshape(6, 2)
    base.setflags(write=False)
    expected = explained(lambda Z: Z[:, 0] * Z[:, 1], base).table()
    for table in (np.asfortranarray(base), np.repeat(base, 2, axis=1)[:, ::2], base[::-1][::-1]):
        actual = explained(lambda Z: Z[:, 0] * Z[:, 1], table).table()
        pd.testing.assert_frame_equal(actual, expected)


def test_results_do_not_follow_later_changes_of_x():
    """An explanation is frozen: writing into X afterwards changes no figure and no curve."""
    table = np.arange(12.0).reshape(6, 2) ** 1.5
    e = explained(lambda Z: Z[:, 0] * Z[:, 1], table)
    before = e.table(decay=0.5), e["x0"].observed.copy()
    table[:] = 0.0
    pd.testing.assert_frame_equal(e.table(decay=0.5), before[0])
    assert_allclose(e["x0"].observed, before[1], rtol=0)


@pytest.mark.parametrize("limit", ["1MB", 400_000, "0.2MB"])
def test_no_batch_is_larger_than_the_memory_limit_allows(limit):
    """Phantoms of one predict call, in bytes of the table, stay within the limit."""
    table = np.random.default_rng(0).normal(size=(400, 8))
    model = Recorder(lambda rows: rows[:, 0] * rows[:, 1])
    explained(model, table, memory_limit=limit)
    allowed = {"1MB": 1_000_000, "0.2MB": 200_000}.get(limit, limit)
    rows = [n for _, n, _, _ in model.batches]
    assert sum(rows) >= 400 * 400 * 8
    assert max(rows) * table.shape[1] * 8 <= allowed
    assert len(rows) <= 400 * 8 + 2  # stacked: no more calls than grid values …
    assert sum(rows) <= 400 * 400 * 8 + 64 + 32  # … and no phantom is predicted twice, but the few asked first


# What can go wrong -------------------------------------------------------------------------------


def test_a_column_of_predictions_is_refused_with_the_remedy():
    """(n, 1) is not (n,): the message carries the wrapper to write."""

    class Column:
        def predict(self, rows):
            return np.zeros((len(rows), 1))

    with pytest.raises(ice.errors.PredictionError) as caught:
        explained(Column(), X)
    assert str(caught.value) == (
        "predict() returned shape (2, 1) for 2 rows; expected (2,). Wrap it: `lambda X: model.predict(X).ravel()`."
    )


def test_a_function_that_returns_a_column_is_refused_with_the_remedy():
    """A plain function has no .predict to wrap."""
    with pytest.raises(ice.errors.PredictionError) as caught:
        explained(lambda rows: np.zeros((len(rows), 1)))
    message = str(caught.value)
    assert "shape (2, 1) for 2 rows; expected (2,)" in message
    assert "model.model" not in message
    assert "ravel()" in message


@pytest.mark.parametrize(
    "answer",
    [
        lambda rows: np.zeros(len(rows) + 1),
        lambda rows: 0.5,
        lambda rows: np.zeros((len(rows), 2, 2)),
        lambda rows: None,
        lambda rows: ["high"] * len(rows),
        lambda rows: np.full(len(rows), 1j),
    ],
    ids=["too many", "one number", "three dimensions", "None", "text", "complex"],
)
def test_what_is_no_prediction_is_refused(answer):
    """One real number per row, or an error before any work is done."""
    with pytest.raises(ice.errors.PredictionError):
        explained(answer)


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


def test_a_model_that_fails_at_once_is_named_with_its_error():
    """Its own exception stays chained to ours."""

    def failing(rows):
        raise RuntimeError("not fitted")

    with pytest.raises(ice.errors.PredictionError) as caught:
        explained(failing)
    assert str(caught.value) == (
        "The model failed on the first rows of X: RuntimeError: not fitted. "
        "Check that it is fitted and that X is what it was fitted on."
    )
    assert isinstance(caught.value.__cause__, RuntimeError)


AGES = pd.DataFrame({"age": [30.0, 40.0, 50.0], "income": [1.0, 2.0, 4.0]})


def test_a_model_that_fails_on_phantoms_is_named_with_the_place():
    """Which feature, which grid value, which row: all that is needed to look again."""

    def brittle(rows):
        if ((rows["age"] == 50) & (rows["income"] == 2)).any():
            raise ValueError("Input contains NaN.")
        return rows["age"].to_numpy()

    with pytest.raises(ice.errors.PredictionError) as caught:
        explained(brittle, AGES)
    message = str(caught.value)
    assert message.startswith("The model failed on phantom observations of 'age' (")
    assert "grid value 50" in message
    assert "row 1" in message
    assert "ValueError: Input contains NaN." in message
    assert isinstance(caught.value.__cause__, ValueError)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_prediction_that_is_no_number_is_named_with_the_place(bad):
    """NaN would spread into every mean; the first one stops the run."""

    def sometimes(rows):
        hit = (rows["age"] == 50) & (rows["income"] == 2)
        return np.where(hit, bad, rows["age"])

    with pytest.raises(ice.errors.PredictionError) as caught:
        explained(sometimes, AGES)
    message = str(caught.value)
    assert repr(float(bad)) in message
    assert "'age'" in message
    assert "grid value 50" in message
    assert "row 1" in message


def test_a_shape_that_changes_on_the_way_is_refused():
    """The first rows may look right; every answer is checked."""
    calls = []

    def fickle(rows):
        calls.append(len(rows))
        return np.zeros(len(rows) if len(calls) == 1 else 1)

    with pytest.raises(ice.errors.PredictionError, match=r"returned shape \(1,\)"):
        explained(fickle)


@pytest.mark.parametrize("model", [3.5, None, "forest"])
def test_what_is_no_model_is_refused(model):
    """Neither a predict method nor a function."""
    with pytest.raises(ice.errors.InputTypeError) as caught:
        explained(model)
    assert str(caught.value) == (
        f"model must have a predict method or be a function of X; got {type(model).__name__}. "
        "Pass `lambda X: …` that returns one number per row."
    )


def test_an_estimator_class_is_not_a_model():
    """Passing the class instead of a fitted instance is a common slip."""
    with pytest.raises((ice.errors.InputTypeError, ice.errors.PredictionError)):
        explained(LinearRegression)


def test_an_unfitted_estimator_is_named_with_advice():
    """scikit-learn's NotFittedError is chained."""
    with pytest.raises(ice.errors.PredictionError) as caught:
        explained(LinearRegression())
    assert str(caught.value) == "model must be fitted; this LinearRegression is not. Call `model.fit(X, y)` first."
    assert type(caught.value.__cause__).__name__ == "NotFittedError"


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


def test_a_warning_of_the_model_is_given_once_however_often_it_comes():
    """Its first call has one filter of warnings of its own, and what is caught there is given afterwards."""

    def warns(rows):
        for _ in range(3):
            warnings.warn("Units are unknown.", UserWarning, stacklevel=1)
        return rows["age"].to_numpy()

    with warnings.catch_warnings(record=True) as caught:
        warnings.resetwarnings()
        warnings.simplefilter("always")
        prepare(warns, X, Options())
    assert [str(one.message) for one in caught].count("Units are unknown.") == 1


def test_warnings_that_are_errors_stop_the_model():
    """As they do in any other call of it."""

    def warns(rows):
        warnings.warn("Units are unknown.", UserWarning, stacklevel=1)
        return rows["age"].to_numpy()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ice.errors.PredictionError):
            prepare(warns, X, Options())
