"""One model is called by one explanation at a time, in any thread; nothing waits for ever."""

import functools
import gc
import os
import signal
import sys
import threading
import time
import types
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import ice_explorer as ice
from ice_explorer.concurrency import turns
from ice_explorer.errors import Cancelled, InvalidOptionError
from ice_explorer.explanation import prepare, to_explanation
from ice_explorer.results.options import Options
from ice_explorer.results.outputs import Classes
from ice_explorer.widget.session import ModelWork

X = np.random.default_rng(0).normal(size=(40, 3)).round(1)
GRID = {"grid": "quantile", "grid_size": 5}
BLOCKS = {**GRID, "memory_limit": 9000, "progress": False}  # several calls for each feature


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
        return rows[:, 0] * rows[:, 1] + rows[:, 2]


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


def object_and_method(overlap):
    model = Estimator(overlap).fit(X)
    return model, model.predict


def methods_with_fixed_arguments(overlap):
    model = Estimator(overlap).fit(X)
    return model.predict, functools.partial(functools.partial(model.scores), factor=2.0)


def without_weak_references(overlap):
    model = Slots(overlap)
    return model, model


def pipeline_and_its_last_step(overlap):
    model = Estimator(overlap).fit(X)
    return make_pipeline(StandardScaler().fit(X), model), model


def two_pipelines(overlap):
    model = Estimator(overlap).fit(X)
    return (
        make_pipeline(StandardScaler().fit(X), model).predict,
        GivenSearchCV(make_pipeline(FunctionTransformer().fit(X), model)),
    )


MODELS = [
    same, object_and_method, methods_with_fixed_arguments, without_weak_references, pipeline_and_its_last_step,
    two_pipelines,
]  # fmt: skip


def together(*tasks):
    """Run tasks in threads that start at the same time."""
    start = threading.Barrier(len(tasks))

    def run(task):
        start.wait()
        return task()

    with ThreadPoolExecutor(len(tasks)) as pool:
        return list(pool.map(run, tasks))


@pytest.mark.parametrize("models", MODELS)
def test_two_explanations_of_one_model(models):
    """Also where it is known by a method, or stands in a pipeline or a search."""
    overlap = Overlap()
    together(*[functools.partial(ice.explain, model, X, **BLOCKS) for model in models(overlap)])
    assert overlap.n_calls > 20
    assert overlap.most == 1


def test_functions_that_share_a_model_unknown_to_us_are_two_models():
    """What a function calls cannot be seen from outside; the other tests would notice that nothing overlaps."""
    overlap = Overlap()
    together(*[functools.partial(ice.explain, functools.partial(overlap), X, **BLOCKS) for _ in range(2)])
    assert overlap.most == 2


def test_two_explorers_of_one_model(make):
    """Each computes in a thread of its own."""
    overlap = Overlap()
    explorers = [make(overlap, X, **GRID, memory_limit=9000) for _ in range(2)]
    first, second = [explorer.explanation.table(sort_by=None) for explorer in explorers]
    assert overlap.most == 1
    assert_array_equal(first["impact"], second["impact"])


def test_an_explanation_beside_an_explorer(make):
    """The explorer computes while the cell below runs."""
    overlap = Overlap()
    explorer = make(overlap, X, **GRID, memory_limit=9000)
    ice.explain(overlap, X, **BLOCKS)
    explorer.explanation.table()
    assert overlap.most == 1


def several(overlap):
    """Return a model of three outputs."""

    def model(rows):
        first = overlap(rows)
        return np.column_stack([first, 2 * first, -first])

    return model


def test_another_output_while_the_first_one_is_computed(make):
    """The thread of the first output may still be inside the model."""
    overlap = Overlap(seconds=0.01)
    explorer = make(several(overlap), X, output=0, **GRID, memory_limit=9000)
    explorer.output = "1"
    explorer.output = "2"
    explorer.explanation.table()
    assert overlap.most == 1


@pytest.mark.parametrize("fails", [True, False])
def test_another_output_waits_for_one_call_of_the_model_at_most(make, monkeypatch, fails):
    """No further call of the first output begins meanwhile; where the other cannot be explained, the first one is."""
    overlap = Overlap(seconds=0.02)
    explorer = make(several(overlap), X, output=0, **GRID, memory_limit=9000)
    prepare_other = ModelWork.other
    begun = []

    def other(self, *chosen):
        time.sleep(0.05)  # for the current call
        before = overlap.n_calls
        time.sleep(0.1)
        begun.append(overlap.n_calls - before)
        if fails:
            raise InvalidOptionError("no")
        return prepare_other(self, *chosen)

    monkeypatch.setattr(ModelWork, "other", other)
    if fails:
        with pytest.raises(InvalidOptionError):
            explorer.output = "1"
    else:
        explorer.output = "1"
    assert begun == [0]
    assert explorer.output == ("0" if fails else "1")
    assert len(explorer.explanation.table()) == X.shape[1]


def test_two_outputs_explained_at_once():
    """They are two explanations of one model."""
    overlap = Overlap()
    model = several(overlap)
    together(*[functools.partial(ice.explain, model, X, output=output, **BLOCKS) for output in (0, 1)])
    assert overlap.most == 1


def test_all_that_asks_the_model_later():
    """Curves, predictions, pairs of features, curves of all classes, pictures, files, and an explanation."""
    overlap = Overlap()
    model = several(overlap)
    plan = prepare(model, X, Options(output=0, **GRID))
    classes = Classes(plan, lambda output: prepare(model, X, Options(output=output, **GRID)))
    e = to_explanation(plan.explanation({name: plan.compute(name) for name in plan.features}))
    rows = np.arange(20)
    together(
        lambda: e["x0"].rows(rows),
        lambda: e["x1"].curves,
        lambda: e["x0"].predictions(rows),
        lambda: e["x2"]._at_own_values(rows, e["x2"].rows(rows)),
        lambda: e.two_way("x0", "x1", grid_size=3).partial_dependence,
        lambda: classes.lines("x0", rows),
        lambda: e.table(unit="sd"),
        lambda: e.plot("x1"),
        lambda: ice.explain(model, X, output=2, **BLOCKS),
    )
    assert overlap.n_calls > 30
    assert overlap.most == 1


@pytest.mark.parametrize("models", [same, pipeline_and_its_last_step])
def test_threads_of_one_explanation_call_side_by_side(models):
    """With `n_jobs`; calls of another explanation wait nevertheless."""
    alone = Overlap(seconds=0.01)
    ice.explain(models(alone)[0], X, n_jobs=2, **GRID, progress=False)
    assert alone.most == 2


def test_groups_of_threads_do_not_mix():
    """Two explanations that each call from two threads: a call is never beside one of the other."""
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
    together(
        lambda: ice.explain(two.first, X, n_jobs=2, **BLOCKS),
        lambda: ice.explain(two.second, X, n_jobs=2, **BLOCKS),
    )
    assert seen == {"a", "b", "aa", "bb"}


def test_transformers_are_part_of_a_model():
    """They run separately where the model inside is read."""
    overlap = Overlap()

    def transform(rows):
        overlap(rows)
        return rows

    from sklearn.linear_model import LinearRegression

    model = make_pipeline(FunctionTransformer(transform), LinearRegression()).fit(X, X[:, 0])
    overlap.most = 0
    together(
        lambda: [ice.explain(model, X, engine="brute", **BLOCKS) for _ in range(2)],
        lambda: [ice.explain(model, X, engine="linear", **BLOCKS) for _ in range(8)],
    )
    assert overlap.most == 1


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_model_that_explains_itself(n_jobs):
    """It is inside already, and so are the threads that work for it."""

    def model(rows):
        if not inner.is_set():
            inner.set()
            found.append(ice.explain(model, X, n_jobs=n_jobs, **BLOCKS).table(sort_by=None)["impact"])
        return rows[:, 0]

    inner, found = threading.Event(), []
    done = ice.explain(model, X, n_jobs=n_jobs, **BLOCKS).table(sort_by=None)["impact"]
    assert_array_equal(found[0], done)


class Gate:
    """A model that stays inside a call from the thread "other" until it is opened."""

    def __init__(self):
        self.is_inside, self.is_open = threading.Event(), threading.Event()
        self.slows = 0.0

    def __call__(self, rows):
        time.sleep(self.slows)
        if threading.current_thread().name == "other":
            self.is_inside.set()
            assert self.is_open.wait(20)
        return rows[:, 0]


def blocked(gate, plan=None):
    """Start a thread that stays inside the model until the gate opens."""
    plan = prepare(gate, X, Options(**GRID)) if plan is None else plan
    thread = threading.Thread(target=plan.compute, args=("x0",), name="other")
    thread.start()
    assert gate.is_inside.wait(20)
    return thread


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_cancel_ends_the_waiting(n_jobs):
    """Of an explanation whose turn has not come, before the model is free; nothing of it stays behind."""
    gate, cancelled = Gate(), threading.Event()
    waiting = prepare(gate, X, Options(**GRID, n_jobs=n_jobs))
    thread = blocked(gate)
    threading.Timer(0.2, cancelled.set).start()
    with pytest.raises(Cancelled):
        waiting.compute("x1", cancelled=cancelled.is_set)
    gate.is_open.set()
    thread.join(20)
    assert waiting.compute("x1").feature == "x1"


def test_an_explorer_that_waits_can_be_cancelled(make):
    """And resumed, once the model is free."""
    gate = Gate()
    plan = prepare(gate, X, Options(**GRID))
    gate.slows = 0.05
    explorer = make(gate, X, **GRID, memory_limit=9000)
    thread = blocked(gate, plan)
    time.sleep(0.2)
    assert explorer._background.snapshot().state == "computing"
    explorer._background.cancel()
    end = time.monotonic() + 20
    while explorer._background._thread is not None and time.monotonic() < end:
        time.sleep(0.02)
    assert explorer._background._thread is None
    gate.is_open.set()
    thread.join(20)
    explorer._background.resume()
    assert explorer.explanation.features == ["x0", "x1", "x2"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_ctrl_c_ends_the_waiting():
    """In the main thread, which is where `explain` is called from."""
    gate = Gate()
    thread = blocked(gate)

    def interrupt():
        while len(turns.turn_of(gate)._callers) < 2:  # earlier, and it would end something else
            time.sleep(0.01)
        signal.raise_signal(signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever a kernel in this process has set
    try:
        with pytest.raises(KeyboardInterrupt):
            ice.explain(gate, X, **GRID)
    finally:
        signal.signal(signal.SIGINT, before)
    gate.is_open.set()
    thread.join(20)
    assert ice.explain(gate, X, progress=False, **GRID).features == ["x0", "x1", "x2"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_does_not_wait_for_a_thread_that_it_does_not_have():
    """The turn is that of a thread of the parent; the copy of the model in the child is free."""
    gate = Gate()
    thread = blocked(gate)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            turn = turns.turn_of(gate)
            code = 0 if turn.call(lambda rows: rows[0, 0], X) == X[0, 0] else 2
        finally:
            os._exit(code)
    end = time.monotonic() + 20
    ended, status = os.waitpid(child, os.WNOHANG)
    while not ended and time.monotonic() < end:
        time.sleep(0.05)
        ended, status = os.waitpid(child, os.WNOHANG)
    if not ended:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    gate.is_open.set()
    thread.join(20)
    assert ended
    assert os.waitstatus_to_exitcode(status) == 0


def test_turns_come_in_the_order_of_the_calls():
    """A model that is called again and again does not keep others out."""
    turn, order = turns.turn_of(object()), []
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


def test_a_failing_call_ends_its_turn():
    """Whatever it raises."""
    turn = turns.turn_of(object())

    def fail(error):
        raise error

    for error in (ValueError, KeyboardInterrupt, SystemExit, GeneratorExit):
        with pytest.raises(error):
            turn.call(fail, error)
    assert together(lambda: turn.call(abs, -1)) == [1]


def test_models_and_turns_live_no_longer_than_explanations():
    """Nothing is kept of a model that nobody explains any more."""
    model = Estimator(Overlap(0)).fit(X)
    e = ice.explain(model, X, **BLOCKS)
    assert turns.turn_of(model) is turns.turn_of(model)
    there, before = weakref.ref(model), len(turns._turns)
    del e, model
    gc.collect()
    assert there() is None
    assert len(turns._turns) < before


def test_a_module_is_in_prediction_mode_in_every_call(monkeypatch):
    """One that is switched for each call is never called side by side, nor from two explanations."""
    torch = types.ModuleType("torch")
    torch.Tensor, torch.float64 = np.ndarray, np.float64
    torch.empty = np.empty
    torch.as_tensor = lambda rows: types.SimpleNamespace(to=lambda device, dtype: rows)
    torch.no_grad = threading.RLock  # a context manager
    monkeypatch.setitem(sys.modules, "torch", torch)
    overlap, modes = Overlap(), []

    class Parameter:
        device, dtype = "cpu", np.float64

        def is_floating_point(self):
            return True

    class Returned(np.ndarray):
        def to(self, **_):
            return self

        def numpy(self):
            return np.asarray(self)

    class Module:
        __module__ = "torch.nn.modules.module"
        training = True

        def parameters(self):
            yield Parameter()

        def buffers(self):
            return iter(())

        def modules(self):
            return [self]

        def eval(self):
            self.training = False

        def __call__(self, rows):
            predicted = overlap(rows)
            modes.append(self.training)
            return predicted.view(Returned)

    module = Module()
    together(
        lambda: ice.explain(module, X, n_jobs=2, **BLOCKS),
        lambda: ice.explain(module, X, **BLOCKS),
    )
    assert overlap.most == 1
    assert set(modes) == {False}
    assert module.training
