"""The background thread: order, questions, cancelling, pausing, drafts and closing. Its faults are in tests/faults."""

from __future__ import annotations

import threading

import pytest
from kernel_end import SECONDS, wait_until

from ice_explorer.errors import Cancelled
from ice_explorer.locks import checkpoint
from ice_explorer.widget import background as background_module
from ice_explorer.widget.background import Background

WHOLE = {"a": "A", "b": "B", "c": "C"}


class Work:
    """Computes features for the test: each when its gate, if it has one, is set."""

    def __init__(self, *, held="", fails_on=None):
        self.order = []
        self.gates = {name: threading.Event() for name in held}
        self.fails_on = fails_on
        self.threads = set()

    def __call__(self, name):
        self.threads.add(threading.current_thread())
        self.order.append(name)
        gate = self.gates.get(name)
        while gate is not None and not gate.wait(0.002):
            checkpoint()
        if name == self.fails_on:
            raise ValueError(f"no {name}")
        return name.upper()


class SlowToStop(Work):
    """Once cancelled, its first computation ends only when `gates["stop"]` is set."""

    def __call__(self, name):
        if self.order:
            return super().__call__(name)
        self.order.append(name)
        wait_until(is_cancelled)
        assert self.gates["stop"].wait(SECONDS)
        raise Cancelled


def is_cancelled():
    """Whether the work of this thread is cancelled."""
    try:
        checkpoint()
    except Cancelled:
        return True
    return False


class Question:
    """A question about a feature, and what it got."""

    def __init__(self, background, name, **options):
        self.got = []
        self._arrived = threading.Event()
        background.ask(name, lambda result: self._take("answer", result), self._refuse, **options)

    def _refuse(self, error):
        self._take("refusal", type(error) if isinstance(error, Cancelled) else str(error))

    def _take(self, how, what):
        self.got.append((how, what))
        self._arrived.set()

    def wait(self):
        assert self._arrived.wait(SECONDS)
        return self.got


@pytest.fixture
def start():
    """Make a started Background that is closed after the test; wait until it computes a feature that is held."""
    made = []

    def make(names, work, tell=lambda: None, **options):
        background = Background(names, work, tell, **options)
        made.append(background)
        background.start()
        if isinstance(work, SlowToStop):
            wait_until(lambda: work.order)
        elif getattr(work, "gates", None) and "draft" not in options:
            wait_until(lambda: work.order and work.order[-1] in work.gates)
        return background

    yield make
    for background in made:
        background.close()


# --- order and questions --------------------------------------------------------------------------


def test_features_are_computed_once_in_their_order_in_one_other_thread(start):
    """The order may change at any time."""
    work = Work(held="a")
    background = start("abc", work)
    background.prefer("cba")
    work.gates["a"].set()
    done = background.wait()
    assert (done.state, done.results, work.order) == ("ready", WHOLE, ["a", "c", "b"])
    assert len(work.threads) == 1
    assert threading.current_thread() not in work.threads


def test_known_results_are_neither_computed_nor_drafted_and_questions_are_answered(start):
    """Also one about no feature, which just gets a turn of the thread; resuming changes nothing."""
    work = Work()
    background = start("ab", work, results={"a": 1, "b": 2}, draft=lambda *_: pytest.fail("A draft was made."))
    assert background.wait().state == "ready"
    background.resume()
    assert Question(background, "b").wait() == [("answer", 2)]
    assert Question(background, None).wait() == [("answer", None)]
    assert (work.order, background.wait().state) == ([], "ready")


def test_a_question_moves_its_feature_to_the_front(start):
    """It is answered after the feature that is being computed."""
    work = Work(held="a")
    background = start("abcd", work)
    question = Question(background, "d")
    work.gates["a"].set()
    background.wait()
    assert question.wait() == [("answer", "D")]
    assert work.order == ["a", "d", "b", "c"]


def test_a_question_about_a_known_feature_is_answered_in_a_thread_of_its_own(start):
    """While a block of a slow feature is being computed."""
    gate, is_inside = threading.Event(), threading.Event()

    def compute(name):
        if name == "b":
            is_inside.set()
            assert gate.wait(SECONDS)
        return name.upper()

    background = start("abc", compute)
    assert is_inside.wait(SECONDS)
    assert Question(background, "a").wait() == [("answer", "A")]
    assert (background.snapshot().state, background.snapshot().current) == ("computing", "b")
    gate.set()
    assert background.wait().results == WHOLE


def test_an_idle_background_has_no_thread(start):
    """The thread ends when there is nothing to do; a question starts another."""
    work = Work()
    background = start("a", work)
    background.wait()
    (thread,) = work.threads
    thread.join(SECONDS)
    assert not thread.is_alive()
    assert Question(background, "a").wait() == [("answer", "A")]


def test_waiting_in_the_thread_is_an_error_instead_of_a_deadlock(start):
    """The question is refused with it."""
    background = start("ab", Work(held="b"))
    refused = Question.__new__(Question)
    refused.got, refused._arrived = [], threading.Event()
    background.ask(None, lambda _result: background.wait(), refused._refuse)
    assert refused.wait() == [("refusal", "The background thread cannot wait for itself.")]


# --- pausing --------------------------------------------------------------------------------------


@pytest.mark.parametrize("resumed_by", ["unpause", "ask", "wait"])
def test_a_pause_stops_at_the_next_block_until_somebody_needs_a_result(start, resumed_by):
    """The state stays; then what is missing is computed, and nothing twice but the feature that was stopped."""
    work = Work(held="b")
    background = start("abc", work)
    background.pause()
    wait_until(lambda: background._computing.thread is None)
    assert (background.snapshot().state, background.snapshot().results) == ("computing", {"a": "A"})
    work.gates["b"].set()
    if resumed_by == "unpause":
        background.unpause()
        wait_until(lambda: background.snapshot().state == "ready")
    elif resumed_by == "ask":
        assert Question(background, "c").wait() == [("answer", "C")]
        wait_until(lambda: background.snapshot().state == "ready")
    assert background.wait().results == WHOLE
    assert work.order == (["a", "b", "c", "b"] if resumed_by == "ask" else ["a", "b", "b", "c"])


def test_a_pause_while_somebody_waits_for_the_result_does_not_keep_it(start):
    """The waiting thread has the computation continue."""
    work = Work(held="b")
    background = start("abc", work)
    waiting = threading.Thread(target=background.wait)
    waiting.start()
    background.pause()
    work.gates["b"].set()
    waiting.join(SECONDS)
    assert background.snapshot().state == "ready"


# --- cancelling and resuming ----------------------------------------------------------------------


def test_cancelling_keeps_results_and_refuses_questions_and_resuming_computes_the_rest(start):
    """The feature that was stopped is computed from its start."""
    work = Work(held="b")
    background = start("abc", work)
    question = Question(background, "c")
    background.cancel()
    done = background.wait()
    assert (done.state, done.results, question.wait()) == ("cancelled", {"a": "A"}, [("refusal", Cancelled)])
    background.resume()
    wait_until(lambda: work.order == ["a", "b", "b"])
    work.gates["b"].set()
    done = background.wait()
    assert (done.state, done.results, work.order) == ("ready", WHOLE, ["a", "b", "b", "c"])


def test_questions_after_cancelling_compute_their_features_alone(start):
    """With the last one the result is complete."""
    work = Work(held="a")
    background = start("abc", work)
    background.cancel()
    assert Question(background, "c").wait() == [("answer", "C")]
    assert (background.wait().state, background.snapshot().results) == ("cancelled", {"c": "C"})
    work.gates["a"].set()
    for name in "ab":
        Question(background, name).wait()
    wait_until(lambda: background.snapshot().state == "ready")  # set just after the last reply


@pytest.mark.parametrize("how", ["ask", "resume"])
def test_questions_and_resuming_may_come_before_the_cancelled_computation_has_ended(start, how):
    """They came after the cancel, so they are not cancelled."""
    work = SlowToStop(held=["stop"])
    background = start("ab", work)
    background.cancel()
    if how == "ask":
        question = Question(background, "a")
        work.gates["stop"].set()
        assert question.wait() == [("answer", "A")]
    else:
        background.resume()
        work.gates["stop"].set()
        assert background.wait().results == {"a": "A", "b": "B"}


# --- failing --------------------------------------------------------------------------------------


def test_after_a_failure_questions_are_answered_or_refused_with_its_reason_and_resuming_tries_again(start, caplog):
    """The error of a feature is the state; the old error is forgotten."""
    work = Work(fails_on="b")
    background = start("abc", work)
    done = background.wait()
    assert (done.state, str(done.error), done.results) == ("error", "no b", {"a": "A"})
    assert "Computing 'b' failed." in caplog.text
    assert Question(background, "a").wait() == [("answer", "A")]
    assert Question(background, "b").wait() == [("refusal", "no b")]
    work.fails_on = None
    background.resume()
    done = background.wait()
    assert (done.state, done.error, work.order) == ("ready", None, ["a", "b", "b", "b", "c"])


def test_a_refusal_that_fails_is_logged(start, caplog):
    """A connection that is closed does not end the thread."""

    def raises(_error):
        raise RuntimeError("gone")

    background = start("ab", Work(fails_on="b"))
    background.ask("b", lambda _result: None, raises)
    wait_until(lambda: "An error reply could not be sent." in caplog.text)
    assert Question(background, "a").wait() == [("answer", "A")]


def test_an_error_outside_of_features_is_the_state_and_resuming_continues(start, caplog):
    """A fault of the thread itself, or an exception that is set on it from outside, between two features."""
    work = Work(held="a")
    background = start("ab", work)
    background._wanted = lambda: 1 / 0
    work.gates["a"].set()
    done = background.wait()
    assert (done.state, type(done.error)) == ("error", ZeroDivisionError)
    assert "The background thread of an explorer ended." in caplog.text
    del background._wanted
    background.resume()
    assert background.wait().state == "ready"


# --- telling --------------------------------------------------------------------------------------


@pytest.fixture
def told(start, monkeypatch):
    """Compute three features, and return what the listener saw: how many results, and the current feature."""

    def collect(seconds_between, **options):
        monkeypatch.setattr(background_module, "_SECONDS_BETWEEN_TELLINGS", seconds_between)
        seen = []

        def tell():
            seen.append((len(background.snapshot().results), background.snapshot().current))

        background = Background("abc", Work(**options), tell)
        background.start()
        return background, seen

    return collect


def test_the_listener_is_told_seldom_and_of_the_end(told):
    """However fast features follow each other, the last call sees the final state."""
    background, seen = told(1e9)
    background.wait()
    wait_until(lambda: seen[-1:] == [(3, None)])
    assert len(seen) == 2


def test_the_listener_is_told_of_a_result_that_came_too_soon_while_the_next_is_computed(told):
    """Between two blocks."""
    background, seen = told(0.05, held="c")
    wait_until(lambda: seen and seen[-1] == (2, "c"))
    background.close()


def test_the_listener_is_not_told_twice_of_the_same(told):
    """Between blocks there is nothing new."""
    background, seen = told(0.0, held="b")
    wait_until(lambda: (1, "b") in seen)
    assert Question(background, None).wait()  # a block has passed
    background._compute.gates["b"].set()
    background.wait()
    wait_until(lambda: seen[-1] == (3, None))
    assert seen == [(0, "a"), (1, "b"), (2, "c"), (3, None)]


def test_the_listener_is_told_again_what_it_did_not_take_in(start):
    """Also while nothing else happens, between two blocks."""
    calls = []
    background = start("a", Work(held="a"), lambda: calls.append(1) or len(calls) > 2)
    wait_until(lambda: len(calls) == 3)
    assert background.snapshot().results == {}


# --- closing --------------------------------------------------------------------------------------


def test_closing_refuses_questions_and_ends_the_thread(start):
    """Nothing more is computed, and no draft is kept."""
    work = Work(held="a")
    background = start("abc", work)
    before = Question(background, "b")
    background.close()
    after = Question(background, "a")
    assert before.wait() == after.wait() == [("refusal", Cancelled)]
    (thread,) = work.threads
    thread.join(SECONDS)
    assert not thread.is_alive()
    assert background.wait().known == {}


# --- where there are no threads -------------------------------------------------------------------


@pytest.fixture
def _threadless(monkeypatch):
    def refuse(_thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)


@pytest.mark.usefixtures("_threadless")
def test_without_threads_the_computation_can_be_cancelled_from_within_and_resumed():
    """Results stay, and a question is answered before asking returns."""
    order = []

    def compute(name):
        order.append(name)
        if order == ["a", "b"]:
            background.cancel()
        checkpoint()
        return name.upper()

    background = Background("abcd", compute, lambda: None)
    background.start()
    assert (background.snapshot().state, order) == ("cancelled", ["a", "b"])
    assert Question(background, "d").got == [("answer", "D")]
    background.resume()
    assert (background.snapshot().state, order) == ("ready", ["a", "b", "d", "b", "c"])
    background.close()


@pytest.mark.usefixtures("_threadless")
def test_without_threads_ctrl_c_cancels_the_computation_that_it_interrupts():
    """Questions are refused, and resuming computes the rest."""
    questions, interrupted = [], ["b"]

    def compute(name):
        if name in interrupted:
            questions.append(Question(background, "c"))
            raise KeyboardInterrupt
        return name.upper()

    background = Background("abc", compute, lambda: None)
    with pytest.raises(KeyboardInterrupt):
        background.start()
    snapshot = background.snapshot()
    assert (snapshot.state, snapshot.results, snapshot.current) == ("cancelled", {"a": "A"}, None)
    assert questions[0].got == [("refusal", Cancelled)]
    interrupted.clear()
    background.resume()
    assert background.snapshot().state == "ready"
    background.close()


# --- drafts ---------------------------------------------------------------------------------------


class Drafting:
    """Two drafts of two features, each held until its gate is set; the third request has none."""

    def __init__(self, *, fails_at=None):
        self.gates = [threading.Event(), threading.Event()]
        self.fails_at = fails_at
        self.n_requests = self.n_made = 0

    def __call__(self):
        self.n_requests += 1
        if self.n_made == len(self.gates):
            return None
        if self.n_made == self.fails_at:
            raise ValueError("no draft")
        while not self.gates[self.n_made].wait(0.002):
            checkpoint()
        self.n_made += 1
        return {name: f"{name}{self.n_made}" for name in "ab"}


@pytest.fixture
def drafted(start):
    """Make a background whose first draft is there, and whose second is being made."""

    def make(work):
        drafting = Drafting()
        drafting.gates[0].set()
        background = start("ab", work, draft=drafting)
        wait_until(lambda: background.snapshot().drafts == {"a": "a1", "b": "b1"})
        return background, drafting.gates[1]

    return make


def test_drafts_come_before_features_and_give_way_to_results(drafted):
    """Each draft replaces the one before, and none stays where a feature is exact."""
    work = Work(held="b")
    background, second = drafted(work)
    assert work.order == []
    second.set()
    wait_until(lambda: background.snapshot().results == {"a": "A"})
    assert background.snapshot().known == {"a": "A", "b": "b2"}
    work.gates["b"].set()
    done = background.wait()
    assert (done.state, done.results, done.drafts) == ("ready", {"a": "A", "b": "B"}, {})


def test_a_question_is_answered_from_a_draft_unless_it_has_to_be_exact(drafted):
    """One is answered while the next draft is being made, the others when the feature is computed."""
    background, second = drafted(Work())
    exact, first = (Question(background, name, is_exact=True) for name in ("b", None))
    assert Question(background, "b").wait() == [("answer", "b1")]
    assert exact.got == first.got == []
    second.set()
    assert exact.wait() == [("answer", "B")]
    assert first.wait() == [("answer", None)]


def test_cancelling_keeps_drafts_and_closing_drops_them(drafted):
    """Questions are answered from the draft, no feature is computed, and resuming computes all."""
    work = Work()
    background, second = drafted(work)
    background.cancel()
    assert Question(background, "a").wait() == [("answer", "a1")]
    assert (background.snapshot().state, work.order) == ("cancelled", [])
    second.set()
    background.resume()
    assert background.wait().results == {"a": "A", "b": "B"}
    other, _ = drafted(Work())
    other.close()
    assert other.snapshot().known == {}


def test_a_paused_draft_is_made_again(start):
    """What a pause stops is not lost."""
    drafting = Drafting()
    background = start("ab", Work(), draft=drafting)
    wait_until(lambda: drafting.n_requests == 1)
    background.pause()
    wait_until(lambda: background._computing.thread is None)
    assert background.snapshot().state == "computing"
    for gate in drafting.gates:
        gate.set()
    background.unpause()
    assert background.wait().results == {"a": "A", "b": "B"}
    assert drafting.n_made == 2


@pytest.mark.parametrize("fails_at", [0, 1])
def test_a_draft_that_fails_is_left_out(start, fails_at):
    """Features are computed all the same; an error is that of a feature."""
    drafting = Drafting(fails_at=fails_at)
    drafting.gates[0].set()
    done = start("ab", Work(fails_on="b"), draft=drafting).wait()
    assert (done.state, str(done.error), done.results) == ("error", "no b", {"a": "A"})
