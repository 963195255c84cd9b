"""Faults of models: what they raise and return, and who calls them."""

import gc
import re
import signal
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace

import model_families as families
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import ice_explorer as ice
from ice_explorer import locks
from ice_explorer.errors import Cancelled, DataError, OptionError, PredictionError
from ice_explorer.plan import Classes, prepare
from ice_explorer.results.options import Options

X = np.random.default_rng(0).normal(size=(200, 3))
GRID = {"grid": "uniform", "grid_size": 9}


def function(rows):
    return rows[:, 0] * rows[:, 1] + rows[:, 2]


def explained(model, rows=X, **options):
    return families.quietly(ice.explain, model, rows, progress=False, **{**GRID, **options})


# --- what fails on a phantom observation ----------------------------------------------------------

UNLUCKY = 5
OF_ONE_EACH = {
    case.family: case
    for case in reversed(families.CASES)
    if case.model
    in {
        "LogisticRegression of two classes", "XGBRegressor", "Booster, regression", "LGBMRegressor", "CatBoost, RMSE",
        "CatBoostRegressor", "OLS by formula", "one number per row",
    }
}  # fmt: skip


class Unlucky:
    """Calls a method, and returns a wrong value for one phantom observation: row 5 of X with the highest age."""

    def __init__(self, method, fault):
        self.method = method
        self.fault = fault
        self.place = families.X.iloc[UNLUCKY]

    def __call__(self, rows, *args, **options):
        returned = self.method(rows, *args, **options)
        held = rows.get_data() if hasattr(rows, "get_data") else rows
        held = held[["age", "income", "rooms"]] if isinstance(held, pd.DataFrame) else held
        matrix = np.asarray(held.toarray() if hasattr(held, "toarray") else held, float)
        hit = (matrix[:, 0] == families.X["age"].max()) & np.isclose(matrix[:, 1], self.place["income"])
        hit &= matrix[:, 2] == self.place["rooms"]
        return self.fault(returned, hit) if hit.any() else returned


def unlucky(model, fault):
    """Return the model with one of its methods replaced."""
    for name in ("predict_proba", "predict", "forward"):
        if hasattr(model, name):
            object.__setattr__(model, name, Unlucky(getattr(model, name), fault))
            return model
    return Unlucky(model, fault)


def raises(returned, hit):
    raise RuntimeError("not that one")


def is_missing(returned, hit):
    returned = returned.clone() if hasattr(returned, "clone") else np.array(returned, dtype=float)
    returned[hit] = np.nan
    return returned


def is_short(returned, hit):
    return returned[:-1]


@pytest.mark.parametrize(
    "family",
    [pytest.param(family, marks=[] if "function" in family else [pytest.mark.wide]) for family in OF_ONE_EACH],
)
@pytest.mark.parametrize("fault", [raises, is_missing, is_short])
def test_a_model_that_fails_on_a_phantom_observation_is_an_error_with_feature_and_rows(family, fault):
    """Whichever its library; the error of the model itself is the cause."""
    case = OF_ONE_EACH[family]
    if not case.installed:
        pytest.skip(f"needs {case.needs}, which the extra test-heavy installs")
    model, rows, _ = case.fit()
    with pytest.raises(PredictionError) as caught:
        explained(unlucky(model, fault), rows, method="brute", features=["age"], **{"grid": "observed", **case.options})
    said, place = str(caught.value), f"grid value {float(families.X['age'].max())!r}, row {UNLUCKY} of X"
    block = r"phantom observations of 'age' \(grid values? \S+.*, rows? .* of X\): "
    if fault is raises:
        assert re.match(rf"The model failed on {block}RuntimeError: not that one\. Limit the grid", said)
        assert str(caught.value.__cause__) == "not that one"
    elif fault is is_missing:
        assert said.startswith(
            f"The model must return finite numbers; it returned nan on a phantom observation of 'age' ({place})."
        )
    else:
        assert re.match(f"No predictions of {block}", said)
        assert "() returned shape (" in said
        assert isinstance(caught.value.__cause__, PredictionError)


def test_a_model_that_fails_for_few_rows_but_not_for_many_is_an_error_when_its_curves_are_computed():
    """The figures need large calls alone, and a note about chance is not worth an error."""

    def needs_many(rows):
        if len(rows) < 20:
            raise ValueError("needs 20 rows")
        return function(rows)

    e = explained(needs_many, memory_limit="60kB")
    assert e.notes == []
    with pytest.raises(PredictionError, match="needs 20 rows"):
        e["x0"].compute_curves([0])


def test_an_array_that_numpy_cannot_read_is_an_error():
    """A tensor that carries a gradient says so itself."""

    class Tensor:
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("call detach() first")

    with pytest.raises(PredictionError, match=r"first rows of X: RuntimeError: call detach\(\) first\."):
        explained(lambda rows: Tensor())


def with_property(name, raised):
    """A fitted model of which one attribute is a property that raises."""

    def fail(_model):
        raise raised("not today")

    model = LinearRegression().fit(AGES, wealth(AGES))
    model.__class__ = type("Odd", (LinearRegression,), {name: property(fail)})
    return model


@pytest.mark.parametrize("raised", [ValueError, RuntimeError])
@pytest.mark.parametrize(
    "name",
    ["feature_names_in_", "n_features_in_", "classes_", "predict", "predict_proba", "decision_function", "objective"],
)
def test_an_attribute_that_raises_is_an_error_that_names_it(name, raised):
    """Whatever its property raises; the cause has the frames of the model."""
    with pytest.raises(PredictionError, match=rf"'{name}' of Odd raises {raised.__name__}: not today\.") as caught:
        explained(with_property(name, raised), AGES)
    assert isinstance(caught.value.__cause__, raised)
    assert explained(with_property("classes_", AttributeError), AGES).features == ["age", "income"]


@pytest.mark.parametrize("raised", [ValueError, KeyError, ZeroDivisionError])
@pytest.mark.parametrize("name", ["steps", "best_estimator_", "regressor_", "__self__"])
def test_an_attribute_that_raises_in_an_explorer_is_an_error_that_names_it(make, name, raised):
    """The explorer reads more of them than an explanation, for the name of the model."""
    with pytest.raises(PredictionError, match=rf"'{name}' of Odd raises {raised.__name__}"):
        make(with_property(name, raised), AGES)


@pytest.mark.parametrize("name", ["feature_importances_", "coef_"])
def test_an_importance_of_a_model_that_raises_is_an_error_that_names_it(name):
    """Coefficients are read only where there are no importances."""
    attributes = {"predict": lambda _, rows: wealth(rows), name: property(lambda _: 1 / 0)}
    e = explained(type("Odd", (), attributes)(), AGES)
    with pytest.raises(PredictionError, match=rf"'{name}' of Odd raises ZeroDivisionError"):
        e.importances(measures=["native"])
    if name == "coef_":
        e = explained(type("Odd", (), {**attributes, "feature_importances_": np.array([3.0, 1.0])})(), AGES)
        assert e.importances(measures=["native"]).table["native"].tolist() == [75.0, 25.0]


@pytest.mark.parametrize("name", ["formula", "data"])
def test_what_looks_like_results_of_statsmodels_is_read_alike(name):
    """The columns of their fit are in `model.data`."""
    data = type("Data", (), {name: property(lambda _: 1 / 0)})()
    with pytest.raises(PredictionError, match=rf"'{name}' of Data raises ZeroDivisionError"):
        explained(SimpleNamespace(predict=wealth, model=data), AGES)


# --- masked arrays --------------------------------------------------------------------------------

AGES = pd.DataFrame({"age": np.arange(20.0, 80.0, 5.0), "income": np.resize([3.0, 1.0, 4.0, 1.5], 12)})
FIRST_OF_12 = [True] + [False] * 11


def wealth(rows):
    return rows["age"].to_numpy() / 10 + rows["income"].to_numpy()


def masked(values, is_masked):
    return np.ma.array(values, mask=is_masked)


@pytest.mark.parametrize(
    ("model", "place"),
    [
        (lambda rows: masked(wealth(rows), rows["age"] == 20), "(grid value 20.0, row 0 of X)"),
        (lambda rows: [masked(v, v < 100) for v in wealth(rows)], "(grid value 20.0, row 0 of X)"),
        (lambda rows: masked(wealth(rows), (rows["age"] == 75) & (rows["income"] == 3.0)), "(grid value 75.0, row 0"),
    ],
    ids=["array", "list", "a phantom observation"],
)
def test_a_masked_prediction_is_no_number(model, place):
    """Otherwise NumPy takes what lies under the mask for a prediction."""
    with pytest.raises(PredictionError) as caught:
        explained(model, AGES, grid="observed")
    assert "must return finite numbers; it returned nan on a phantom observation of 'age'" in str(caught.value)
    assert place in str(caught.value)


def test_a_mask_without_masked_values_is_accepted():
    """Many functions of `numpy.ma` return one."""
    found = explained(lambda rows: np.ma.array(wealth(rows)), AGES, sample_weight=np.ma.ones(12))
    pd.testing.assert_frame_equal(found.table(), explained(wealth, AGES, sample_weight=np.ones(12)).table())


@pytest.mark.parametrize(
    "options",
    [
        {"sample_weight": masked(np.ones(12), FIRST_OF_12)},
        {"grid": {"age": masked([20.0, 30.0], [False, True])}},
        {"grid": {"since": masked(pd.date_range("2020-01-01", periods=2).to_numpy(), [False, True])}},
        {"distance": {"age": masked(np.ones(12), FIRST_OF_12)}},
    ],
    ids=["weights", "grid", "dates", "scale"],
)
def test_options_under_a_mask_are_errors(options):
    """They are no numbers, like text; masked targets are missing."""
    rows = AGES.assign(since=pd.date_range("2020-01-01", periods=12))
    with pytest.raises(DataError if "sample_weight" in options else OptionError, match=r"masked_array\("):
        explained(wealth, rows, **options)
    e = explained(wealth, AGES)
    assert_array_equal(e._target(masked(np.arange(12.0), FIRST_OF_12)), [np.nan, *range(1, 12)])


# --- chance, and the other rows of a call ---------------------------------------------------------

NOTE = re.compile(
    r"Predictions of the same rows differ between calls by up to (\S+) \((\S+) % of the prediction range\): they "
    r"depend on chance or on the other rows of the call\. Curves contain these differences, so impact, heterogeneity "
    r"and non-linearity are too large\. Fix the random state of the model, or pass a function that predicts each row "
    r"by itself or averages several predictions\."
)


class Noise:
    """Adds noise between 0 and its amount, other in each call."""

    def __init__(self, amount):
        self.rng, self.amount = np.random.default_rng(1), amount

    def __call__(self, rows):
        return function(rows) + self.amount * self.rng.random(len(rows))


@pytest.mark.parametrize("amount", [0.001, 1.0])
def test_different_predictions_for_the_same_rows_are_a_note_with_the_size_of_the_difference(amount):
    """The largest difference of 32 rows between two calls, and what share of their range it is."""
    (note,) = explained(Noise(amount)).notes
    difference, share = map(float, NOTE.fullmatch(note).groups())
    assert 0.6 * amount < difference <= amount
    # The range of the predictions of the first feature is about 27.
    assert 20 < difference / (share / 100) < 34


def by_batch(rows):
    return function((rows - rows.mean(axis=0)) / rows.std(axis=0))


def by_position(rows):
    """The same noise in each call, by the place of a row in it."""
    return function(rows) + np.random.default_rng(0).random(len(rows))


def centred(rows):
    return rows[:, 0] - rows[:, 0].mean() + rows[:, 1] * rows[:, 2]


@pytest.mark.parametrize(
    ("model", "options"),
    [
        (by_batch, {}),
        (by_position, {}),
        (lambda rows: np.argsort(np.argsort(function(rows))) / len(rows), {}),
        (centred, {"memory_limit": 9000, "n_jobs": 3}),
    ],
    ids=["scaling", "position", "rank", "threads"],
)
def test_predictions_that_depend_on_the_other_rows_of_a_call_are_a_note(model, options):
    """They are the same in each call of the same rows."""
    (note,) = explained(model, **options).notes
    assert float(NOTE.fullmatch(note)[1]) > 0.05


def test_a_mean_over_rows_of_two_values_is_noticed():
    """The rows of the check have another mean than all, even if there are only two values."""
    rows = np.array([[0.0]] * 4 + [[1.0]])
    for random_state in range(5):
        e = explained(lambda rows: rows[:, 0] - rows[:, 0].mean(), rows, random_state=random_state)
        assert any(note.startswith("Predictions of the same rows") for note in e.notes)


def test_a_model_that_fails_on_phantoms_of_other_rows_is_checked_for_the_other_rows_of_a_call():
    """The first call of a model, with values of other rows, is not what is compared."""
    rows = np.column_stack([np.arange(20.0), np.arange(20.0)])

    def model(asked):
        if (asked[:, 1] - asked[:, 0] > 0).any():
            raise ValueError("impossible")
        return asked[:, 0] - asked[:, 0].mean()

    (note,) = explained(model, rows, features=["x0"], grid={"x0": [19.0, 20.0, 21.0]}).notes
    assert NOTE.fullmatch(note)


def test_rounding_is_no_note_and_single_phantoms_and_flat_predictions_are_checked():
    """Matrix products in single precision add up otherwise for another number of rows."""
    weights = np.random.default_rng(2).normal(size=(3, 400)).astype(np.float32)

    def single(rows):
        return np.tanh(rows.astype(np.float32) @ weights).sum(axis=1) * 1e4

    calls = iter(range(1000))
    steady = [single, lambda rows: function(rows) * (1 + 1e-7 * np.random.default_rng().random(len(rows))),
              lambda rows: np.zeros(len(rows))]  # fmt: skip
    for model in steady:
        assert explained(model).notes == []
    for model, rows, options in (
        (lambda rows: np.full(len(rows), float(next(calls))), X, {}),  # there is no range to take a share of
        (lambda rows: np.random.default_rng().random(len(rows)), X[:1, :1], {"grid": "observed"}),
    ):
        (note,) = explained(model, rows, **options).notes
        assert note.startswith("Predictions of the same rows differ between calls by up to ")


class Counting:
    """Counts its calls, and the rows of each."""

    def __init__(self, model):
        self.model, self.asked = model, []

    def __call__(self, rows):
        self.asked.append(len(rows))
        return self.model(rows)


@pytest.mark.parametrize("model", [function, by_batch])
def test_a_model_is_called_once_more_for_a_few_rows(model):
    """One call per feature, one to see what it returns, and those of 32 rows; a plan alone calls once."""
    model = Counting(model)
    plan = prepare(model, X, Options(**GRID))
    assert model.asked == [64]
    assert plan.notes == ()
    for feature in plan.features:
        plan.compute(feature)
    assert model.asked.count(32) == 1
    assert sum(model.asked) == 64 + 32 + 3 * 9 * 200


@pytest.mark.slow
def test_models_of_every_family_have_no_such_note():
    """Of libraries that are at hand, and that predict every phantom observation."""
    for case in families.CASES:
        if case.installed and case.method == "brute":
            model, rows, _ = case.fit()
            notes = explained(model, rows, **{"grid": "quantile", "grid_size": 2, **case.options}).notes
            assert not [note for note in notes if note.startswith(("Predictions of", "The prediction of"))], case


# --- several callers ------------------------------------------------------------------------------

FEW = X[:40].round(1)
LITTLE = {"grid": "quantile", "grid_size": 5}
BLOCKS = {**LITTLE, "memory_limit": 9000, "progress": False}  # several calls for each feature


class Overlap:
    """Counts the calls that run at the same time."""

    def __init__(self, seconds=0.002):
        self.seconds, self.guard = seconds, threading.Lock()
        self.running = self.most = self.n_calls = 0

    def __call__(self, rows):
        with self.guard:
            self.running += 1
            self.n_calls += 1
            self.most = max(self.most, self.running)
        time.sleep(self.seconds)
        with self.guard:
            self.running -= 1
        return function(rows)


class Estimator(RegressorMixin, BaseEstimator):
    """One of scikit-learn's kind, with several ways of being called."""

    def __init__(self, overlap=None):
        self.overlap = overlap

    def fit(self, X, _=None):
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        return self.overlap(X)

    def scores(self, X, factor=1.0):
        return factor * self.overlap(X)


class Slots:
    """Cannot be referenced weakly, nor be hashed, and is equal to everything."""

    __slots__ = ("overlap",)
    __hash__ = None

    def __init__(self, overlap):
        self.overlap = overlap

    def __eq__(self, other):
        return True

    def predict(self, rows):
        return self.overlap(rows)


class GivenSearchCV(GridSearchCV):
    """A search, without the search."""

    __module__ = "sklearn.model_selection"

    def __init__(self, estimator):
        super().__init__(estimator, {})
        self.best_estimator_ = estimator


def same(overlap):
    return overlap, overlap


def object_and_methods_with_fixed_arguments(overlap):
    model = Estimator(overlap).fit(FEW)
    return model, partial(partial(model.scores), factor=2.0)


def without_weak_references(overlap):
    return (Slots(overlap),) * 2


def two_pipelines(overlap):
    model = Estimator(overlap).fit(FEW)
    return (
        make_pipeline(StandardScaler().fit(FEW), model).predict,
        GivenSearchCV(make_pipeline(FunctionTransformer().fit(FEW), model)),
    )


def together(*tasks):
    """Run tasks in threads that start at the same time."""
    start = threading.Barrier(len(tasks))

    def run(task):
        start.wait()
        return task()

    with ThreadPoolExecutor(len(tasks)) as pool:
        return list(pool.map(run, tasks))


@pytest.mark.parametrize(
    "models", [same, object_and_methods_with_fixed_arguments, without_weak_references, two_pipelines]
)
def test_a_model_of_two_explanations_is_called_by_one_at_a_time(models):
    """Also where it is known by a method, or is part of a pipeline or a search."""
    overlap = Overlap()
    together(*[partial(ice.explain, model, FEW, **BLOCKS) for model in models(overlap)])
    assert overlap.n_calls > 20
    assert overlap.most == 1


def test_a_model_of_two_explorers_is_called_by_one_thread_at_a_time(make):
    """While a cell explains it, too."""
    overlap = Overlap()
    explorers = [make(overlap, FEW, **LITTLE, memory_limit=9000) for _ in range(2)]
    beside = ice.explain(overlap, FEW, **BLOCKS)
    tables = [each.table(rank_by=None) for each in (beside, *(explorer.explanation for explorer in explorers))]
    assert overlap.most == 1
    for table in tables[1:]:
        assert_array_equal(table["impact"], tables[0]["impact"])


def several(overlap):
    """Return a model of three outputs."""

    def model(rows):
        first = overlap(rows)
        return np.column_stack([first, 2 * first, -first])

    return model


def test_another_output_while_the_first_one_is_computed_waits_for_the_model(make):
    """The thread of the first output may still be inside the model."""
    overlap = Overlap(seconds=0.01)
    explorer = make(several(overlap), FEW, output=0, **LITTLE, memory_limit=9000)
    explorer.output = "1"
    explorer.output = "2"
    explorer.explanation.table()
    assert overlap.most == 1


def test_all_that_calls_a_model_later_takes_its_turn():
    """Curves, predictions, pairs of features, curves of all classes, pictures, and another explanation."""
    overlap = Overlap()
    model = several(overlap)
    plan = prepare(model, FEW, Options(output=0, **LITTLE))
    classes = Classes(plan, lambda output: prepare(model, FEW, Options(output=output, **LITTLE)))
    e = plan.explanation({name: plan.compute(name) for name in plan.features})
    rows = np.arange(20)
    together(
        lambda: e["x0"].compute_curves(rows),
        lambda: e["x1"].curves,
        lambda: e["x0"]._predictions(rows),
        lambda: e["x2"]._at_own_values(rows, e["x2"].compute_curves(rows)),
        lambda: e.two_way("x0", "x1", grid_size=3).partial_dependence,
        lambda: classes.lines("x0", rows),
        lambda: e.table(unit="sd"),
        lambda: ice.explain(model, FEW, output=2, **BLOCKS),
    )
    assert overlap.n_calls > 30
    assert overlap.most == 1


def test_threads_of_one_explanation_call_its_model_side_by_side():
    """With `n_jobs`; a call is never beside one of another explanation."""
    alone = Overlap(seconds=0.01)
    ice.explain(alone, FEW, n_jobs=2, **LITTLE, progress=False)
    assert alone.most == 2
    guard, running, seen = threading.Lock(), [], set()

    class Two:
        """Called by two methods, so that calls can be distinguished."""

        def ask(self, name, rows):
            with guard:
                running.append(name)
                seen.add("".join(sorted(running)))
            time.sleep(0.003)
            with guard:
                running.remove(name)
            return rows[:, 0]

        def first(self, rows):
            return self.ask("a", rows)

        def second(self, rows):
            return self.ask("b", rows)

    two = Two()
    together(*[partial(ice.explain, method, FEW, n_jobs=2, **BLOCKS) for method in (two.first, two.second)])
    assert {"a", "b"} <= seen <= {"a", "b", "aa", "bb"}


def test_transformers_are_part_of_a_model_that_is_called_by_one_at_a_time():
    """They run separately where the model inside is read."""
    overlap = Overlap()

    def transform(rows):
        overlap(rows)
        return rows

    model = make_pipeline(FunctionTransformer(transform), LinearRegression()).fit(FEW, FEW[:, 0])
    overlap.most = 0
    together(
        lambda: [ice.explain(model, FEW, method="brute", **BLOCKS) for _ in range(2)],
        lambda: [ice.explain(model, FEW, method="linear", **BLOCKS) for _ in range(8)],
    )
    assert overlap.most == 1


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_model_that_explains_itself_in_its_own_predict_runs_without_a_deadlock(n_jobs):
    """It is inside already, and so are the threads that work for it."""

    def model(rows):
        if not inner.is_set():
            inner.set()
            found.append(ice.explain(model, FEW, n_jobs=n_jobs, **BLOCKS).table(rank_by=None)["impact"])
        return rows[:, 0]

    inner, found = threading.Event(), []
    done = ice.explain(model, FEW, n_jobs=n_jobs, **BLOCKS).table(rank_by=None)["impact"]
    assert_array_equal(found[0], done)


# --- waiting for a model --------------------------------------------------------------------------


class Gate:
    """A model that stays inside a call from the thread "other" until it is opened."""

    def __init__(self):
        self.is_inside, self.is_open = threading.Event(), threading.Event()

    def __call__(self, rows):
        if threading.current_thread().name == "other":
            self.is_inside.set()
            assert self.is_open.wait(20)
        return rows[:, 0]


@contextmanager
def called_by_another(gate):
    """Have another explanation inside the model, and act once a second caller waits for it."""
    plan = prepare(gate, FEW, Options(**LITTLE))

    def act_when_one_waits(act):
        def wait():
            while len(locks.find_model_lock(gate)._callers) < 2:  # earlier, and it would end something else
                time.sleep(0.01)
            act()

        threading.Thread(target=wait, daemon=True).start()

    thread = threading.Thread(target=plan.compute, args=("x0",), name="other")
    thread.start()
    assert gate.is_inside.wait(20)
    try:
        yield act_when_one_waits
    finally:
        gate.is_open.set()
        thread.join(20)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_cancel_while_another_explanation_calls_the_model_stops_the_wait(n_jobs):
    """Before the model is free; the feature can be computed afterwards."""
    gate, cancelled = Gate(), threading.Event()
    waiting = prepare(gate, FEW, Options(**LITTLE, n_jobs=n_jobs))
    with called_by_another(gate) as act_when_one_waits:
        act_when_one_waits(cancelled.set)
        with pytest.raises(Cancelled), locks.working(cancelled.is_set):
            waiting.compute("x1")
    assert waiting.compute("x1").feature == "x1"


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_ctrl_c_while_another_explanation_calls_the_model_stops_the_wait():
    """In the main thread, which is where `explain` is called from."""
    gate = Gate()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever a kernel in this process has set
    try:
        with called_by_another(gate) as act_when_one_waits:
            act_when_one_waits(partial(signal.raise_signal, signal.SIGINT))
            with pytest.raises(KeyboardInterrupt):
                ice.explain(gate, FEW, **LITTLE)
    finally:
        signal.signal(signal.SIGINT, before)
    assert ice.explain(gate, FEW, progress=False, **LITTLE).features == ["x0", "x1", "x2"]


def test_turns_come_in_the_order_of_the_calls():
    """A model that is called again and again does not keep others out."""
    turn, order = locks.find_model_lock(object()), []
    all_wait = threading.Event()
    with ThreadPoolExecutor(5) as pool:
        calls = []
        for asked in ((lambda _: all_wait.wait(30), None), *((order.append, number) for number in range(4))):
            calls.append(pool.submit(turn.call, *asked))
            end = time.monotonic() + 30
            while len(turn._callers) < len(calls) and time.monotonic() < end:  # it has not come yet
                time.sleep(0.001)
        all_wait.set()
        for call in calls:
            call.result(30)
    assert order == [0, 1, 2, 3]


def test_a_call_that_fails_ends_its_turn():
    """Whatever it raises."""
    turn = locks.find_model_lock(object())

    def fail(error):
        raise error

    for error in (ValueError, KeyboardInterrupt, SystemExit, GeneratorExit):
        with pytest.raises(error):
            turn.call(fail, error)
    assert together(lambda: turn.call(abs, -1)) == [1]


def test_models_live_no_longer_than_their_explanations():
    """Nothing is kept of a model that nobody explains any more."""
    model = Estimator(Overlap(0)).fit(FEW)
    e = ice.explain(model, FEW, **BLOCKS)
    assert locks.find_model_lock(model) is locks.find_model_lock(model)
    there, before = weakref.ref(model), len(locks._model_locks)
    del e, model
    gc.collect()
    assert there() is None
    assert len(locks._model_locks) < before
