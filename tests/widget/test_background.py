"""The background thread: order, questions, cancelling, failing, closing."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
import time
import weakref

import pytest

from ice_explorer.errors import Cancelled
from ice_explorer.widget.background import Background

SOON = 10.0


class Work:
    """Stands in for the engine: features take as long as the test wants."""

    def __init__(self, *, fails_on=None):
        self.order = []
        self.gates = {}
        self.fails_on = fails_on
        self.threads = set()

    def gate(self, name):
        """Hold the computation of a feature until the returned event is set."""
        self.gates[name] = threading.Event()
        return self.gates[name]

    def __call__(self, name, between_blocks, cancelled):
        self.threads.add(threading.current_thread())
        self.order.append(name)
        gate = self.gates.get(name)
        while gate is not None and not gate.wait(0.005):
            if cancelled():
                raise Cancelled
            between_blocks()
        if name == self.fails_on:
            raise ValueError(f"no {name}")
        return name.upper()


class Replies:
    """Collects what a question got."""

    def __init__(self):
        self.got = []
        self.arrived = threading.Event()

    def answer(self, result):
        self.got.append(("answer", result))
        self.arrived.set()

    def refuse(self, error):
        self.got.append(("refuse", error))
        self.arrived.set()

    def wait(self):
        assert self.arrived.wait(SOON)
        return self.got


def wait_until(condition):
    deadline = time.monotonic() + SOON
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.fixture
def start():
    """Make a started Background that is closed after the test."""
    made = []

    def make(names, work, **options):
        background = Background(names, work, options.pop("tell", lambda: None), **options)
        made.append(background)
        background.start()
        return background

    yield make
    for background in made:
        background.close()


def test_features_are_computed_in_order(start):
    """All features are computed once, in the order given, in one other thread."""
    work = Work()
    done = start("abc", work).wait()
    assert work.order == ["a", "b", "c"]
    assert done.results == {"a": "A", "b": "B", "c": "C"}
    assert done.state == "ready"
    assert len(work.threads) == 1
    assert threading.current_thread() not in work.threads


def test_known_results_need_no_thread(start):
    """With every result known there is nothing to compute, and a question is answered all the same."""
    work = Work()
    background = start("ab", work, results={"a": 1, "b": 2})
    assert background.wait().state == "ready"
    replies = Replies()
    background.ask("b", replies.answer, replies.refuse)
    assert replies.wait() == [("answer", 2)]
    assert work.order == []


def test_a_question_moves_its_feature_to_the_front(start):
    """A question about the last feature is answered after the one being computed."""
    work = Work()
    gate = work.gate("a")
    background = start("abcd", work)
    wait_until(lambda: work.order)
    replies = Replies()
    background.ask("d", replies.answer, replies.refuse)
    gate.set()
    background.wait()
    assert replies.wait() == [("answer", "D")]
    assert work.order == ["a", "d", "b", "c"]


def test_pausing_stops_at_the_next_block(start):
    """Paused, the thread ends with the state as it was; unpaused, it computes what is missing, once each."""
    work = Work()
    gate = work.gate("b")
    background = start("abc", work)
    wait_until(lambda: "b" in work.order)
    background.pause()
    wait_until(lambda: background._thread is None)
    assert background.snapshot().state == "computing"
    assert set(background.snapshot().results) == {"a"}
    gate.set()
    background.unpause()
    assert background.wait().results == {"a": "A", "b": "B", "c": "C"}
    assert work.order == ["a", "b", "b", "c"]


@pytest.mark.parametrize("use", ["ask", "wait"])
def test_who_asks_or_waits_unpauses(start, use):
    """A question, or waiting for the result, has a paused computation go on to its end."""
    work = Work()
    gate = work.gate("a")
    background = start("abc", work)
    wait_until(lambda: work.order)
    background.pause()
    wait_until(lambda: background._thread is None)
    gate.set()
    if use == "ask":
        replies = Replies()
        background.ask("c", replies.answer, replies.refuse)
        assert replies.wait() == [("answer", "C")]
        wait_until(lambda: background.snapshot().state == "ready")
    else:
        assert background.wait().state == "ready"


def test_pausing_stops_nobody_who_waits(start):
    """Paused while somebody waits for the result, the computation goes on."""
    work = Work()
    gate = work.gate("b")
    background = start("abc", work)
    wait_until(lambda: "b" in work.order)
    pausing = threading.Timer(0.05, background.pause)
    pausing.start()
    opening = threading.Timer(0.3, gate.set)
    opening.start()
    assert background.wait(SOON).state == "ready"


def test_a_question_about_a_known_feature_is_answered_between_blocks(start):
    """While a slow feature is being computed, a computed one can be looked at."""
    work = Work()
    work.gate("b")
    background = start("abc", work)
    wait_until(lambda: "b" in work.order)
    replies = Replies()
    background.ask("a", replies.answer, replies.refuse)
    assert replies.wait() == [("answer", "A")]
    assert background.snapshot().state == "computing"
    assert background.snapshot().current == "b"


def test_a_turn_without_a_feature(start):
    """A question about no feature just gets the thread."""
    background = start("a", Work())
    replies = Replies()
    background.ask(None, replies.answer, replies.refuse)
    assert replies.wait() == [("answer", None)]


def test_cancelling_keeps_what_is_there(start):
    """Cancelling ends the waiting, keeps results, and refuses questions not yet answered."""
    work = Work()
    work.gate("b")
    background = start("abc", work)
    wait_until(lambda: "b" in work.order)
    replies = Replies()
    background.ask("c", replies.answer, replies.refuse)
    background.cancel()
    done = background.wait()
    assert done.state == "cancelled"
    assert done.results == {"a": "A"}
    ((verb, error),) = replies.wait()
    assert verb == "refuse"
    assert isinstance(error, Cancelled)


def test_a_question_after_cancelling_computes_its_feature(start):
    """A feature that is needed after a cancel is computed, and only that."""
    work = Work()
    work.gate("a")
    background = start("abc", work)
    wait_until(lambda: work.order)
    background.cancel()
    replies = Replies()
    background.ask("c", replies.answer, replies.refuse)
    assert replies.wait() == [("answer", "C")]
    assert background.wait().state == "cancelled"
    assert background.snapshot().results == {"c": "C"}


def test_a_question_may_come_before_the_cancelled_computation_has_ended(start):
    """The question came after the cancel, so it is no part of what was cancelled."""
    work = Work()
    held = threading.Event()

    def slow_to_stop(name, between_blocks, cancelled):
        if not work.order:
            work.order.append(name)
            wait_until(cancelled)
            held.wait(SOON)
            raise Cancelled
        return work(name, between_blocks, cancelled)

    background = start("ab", slow_to_stop)
    wait_until(lambda: work.order)
    background.cancel()
    replies = Replies()
    background.ask("a", replies.answer, replies.refuse)
    held.set()
    assert replies.wait() == [("answer", "A")]


def test_asking_for_the_rest_after_cancelling_completes_it(start):
    """When every feature has been computed after all, the result is complete."""
    work = Work()
    work.gate("a")
    background = start("ab", work)
    wait_until(lambda: work.order)
    background.cancel()
    work.gates["a"].set()
    for name in "ab":
        replies = Replies()
        background.ask(name, replies.answer, replies.refuse)
        replies.wait()
    wait_until(lambda: background.snapshot().state == "ready")  # reported just after the last reply


def test_going_on_after_cancelling_computes_what_is_missing(start):
    """What is there stays; the feature that was stopped is computed from its start, the rest after it."""
    work = Work()
    work.gate("b")
    background = start("abc", work)
    wait_until(lambda: "b" in work.order)
    background.cancel()
    assert background.wait().state == "cancelled"
    background.resume()
    wait_until(lambda: work.order == ["a", "b", "b"])
    work.gates["b"].set()
    done = background.wait()
    assert (done.state, done.results) == ("ready", {"a": "A", "b": "B", "c": "C"})
    assert work.order == ["a", "b", "b", "c"]


def test_going_on_may_come_before_the_cancelled_computation_has_ended(start):
    """The cancel ends the feature at work, and it has its turn again."""
    work = Work()
    stopping, held = threading.Event(), threading.Event()

    def slow_to_stop(name, between_blocks, cancelled):
        if not work.order:
            work.order.append(name)
            wait_until(cancelled)
            stopping.set()
            held.wait(SOON)
            raise Cancelled
        return work(name, between_blocks, cancelled)

    background = start("ab", slow_to_stop)
    wait_until(lambda: work.order)
    background.cancel()
    assert stopping.wait(SOON)
    background.resume()
    held.set()
    assert background.wait().results == {"a": "A", "b": "B"}


def test_going_on_after_a_failure_asks_the_model_again(start, caplog):
    """What failed may have been a model out of reach; the old error is forgotten."""
    work = Work(fails_on="b")
    background = start("abc", work)
    assert background.wait().state == "error"
    work.fails_on = None
    background.resume()
    done = background.wait()
    assert (done.state, done.error) == ("ready", None)
    assert work.order == ["a", "b", "b", "c"]
    assert "Computing 'b' failed." in caplog.text


def test_going_on_where_nothing_was_stopped_changes_nothing(start):
    """While it computes, when it is ready, and when it is closed."""
    work = Work()
    work.gate("a")
    background = start("ab", work)
    background.resume()
    work.gates["a"].set()
    assert background.wait().state == "ready"
    background.resume()
    assert background.wait().state == "ready"
    background.close()
    background.resume()
    assert work.order == ["a", "b"]


def test_a_failure_ends_the_waiting(start, caplog):
    """The error of a feature becomes the state; the traceback goes to the log."""
    background = start("abc", Work(fails_on="b"))
    done = background.wait()
    assert done.state == "error"
    assert str(done.error) == "no b"
    assert done.results == {"a": "A"}
    assert "Computing 'b' failed." in caplog.text
    assert "Traceback" in caplog.text


def test_a_question_about_a_failing_feature_is_refused_with_the_reason(start, caplog):
    """The question gets the error of its own feature."""
    background = start("abc", Work(fails_on="b"))
    background.wait()
    replies = Replies()
    background.ask("b", replies.answer, replies.refuse)
    ((verb, error),) = replies.wait()
    assert verb == "refuse"
    assert str(error) == "no b"


def test_a_question_after_a_failure_is_answered(start, caplog):
    """Features that were computed before another failed can be looked at."""
    background = start("abc", Work(fails_on="b"))
    background.wait()
    replies = Replies()
    background.ask("a", replies.answer, replies.refuse)
    assert replies.wait() == [("answer", "A")]


class PanicException(BaseException):
    """As libraries written in Rust raise it: no Exception."""


ENDS = [KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError, PanicException]


@pytest.mark.parametrize("kind", ENDS)
def test_what_ends_a_thread_becomes_an_error(start, caplog, kind):
    """Whatever a model raises ends the waiting, is reported, refuses questions, and can be resumed from."""
    told, work = [], Work()
    gate = work.gate("b")
    ends = [kind("enough")]

    def compute(name, between_blocks, cancelled):
        result = work(name, between_blocks, cancelled)
        if name == "b" and ends:
            raise ends.pop()
        return result

    background = start("abc", compute, tell=lambda: told.append(background.snapshot().state))
    wait_until(lambda: "b" in work.order)
    replies = Replies()
    background.ask("b", replies.answer, replies.refuse)
    gate.set()
    done = background.wait()
    assert (done.state, done.results) == ("error", {"a": "A"})
    assert str(done.error) == (
        f"A model must return numbers or raise an Exception; computing 'b' ended with {kind.__name__}: enough. "
        f"Wrap the model in a function that catches {kind.__name__} and raises a RuntimeError."
    )
    assert type(done.error.__cause__) is kind
    assert replies.wait() == [("refuse", done.error)]
    wait_until(lambda: told and told[-1] == "error")
    background.resume()
    done = background.wait()
    assert (done.state, done.error, done.results) == ("ready", None, {"a": "A", "b": "B", "c": "C"})


@pytest.mark.parametrize("kind", [*ENDS, ValueError])
def test_an_answer_that_raises_is_a_refusal(start, kind):
    """The question is refused with the reason, once, and the thread lives."""
    work = Work()
    gate = work.gate("a")
    background = start("a", work)
    wait_until(lambda: work.order)
    replies = Replies()

    def answer(_result):
        raise kind("enough")

    background.ask(None, answer, replies.refuse)
    ((verb, error),) = replies.wait()
    assert (verb, "enough" in str(error)) == ("refuse", True)
    gate.set()
    assert background.wait().results == {"a": "A"}
    assert len(replies.got) == 1


@pytest.mark.parametrize("kind", ENDS)
def test_a_listener_that_raises_does_not_end_the_thread(start, caplog, kind):
    """Also where what an observer raises would end a program."""

    def tell():
        raise kind

    assert len(start("abc", Work(), tell=tell).wait().results) == 3
    wait_until(lambda: "A status update could not be sent." in caplog.text)


def test_a_refusal_that_fails_is_logged(start, caplog):
    """A closed connection must not take the thread along."""

    def deaf(_error):
        raise RuntimeError("gone")

    background = start("ab", Work(fails_on="b"))
    background.ask("b", lambda _result: None, deaf)
    wait_until(lambda: "An error reply could not be sent." in caplog.text)
    replies = Replies()
    background.ask("a", replies.answer, replies.refuse)
    assert replies.wait() == [("answer", "A")]


@pytest.mark.parametrize("in_vain", ["wait", "ask"])
def test_a_thread_that_is_gone_without_a_word_is_noticed(start, in_vain):
    """A waiting thread gets the error, a question is answered by another thread, and the rest can be computed."""
    work = Work()
    work.gate("b")
    background = start("abc", work)
    wait_until(lambda: "b" in work.order)
    lost = threading.Thread(target=lambda: None)
    lost.start()
    lost.join()
    lonely, late = Replies(), Replies()
    background.ask("c", lonely.answer, lonely.refuse)
    living, background._thread = background._thread, lost
    if in_vain == "ask":
        background.ask("a", late.answer, late.refuse)
        assert late.wait() == [("answer", "A")]
    done = background.wait()
    assert done.state == "error"
    assert str(done.error) == (
        "The thread of an explorer must live until all features are computed; it ended while computing 'b', "
        'as threads do in a forked process. Press "Resume" in the explorer, or make it again.'
    )
    assert lonely.wait() == [("refuse", done.error)]
    work.gates["b"].set()
    living.join(SOON)
    background.resume()
    assert background.wait().results == {"a": "A", "b": "B", "c": "C"}


def test_an_error_outside_of_features_ends_in_a_state(start, caplog):
    """A fault of the thread itself, or an exception that is set on it from outside, between two features."""
    work = Work()
    gate = work.gate("a")
    background = start("ab", work)
    wait_until(lambda: work.order)
    background._wanted = lambda: 1 / 0
    gate.set()
    done = background.wait()
    assert (done.state, type(done.error)) == ("error", ZeroDivisionError)
    assert "The background thread of an explorer ended." in caplog.text
    del background._wanted
    background.resume()
    assert background.wait().state == "ready"


def test_the_listener_hears_of_the_end(start):
    """However fast features follow each other, the last telling sees the final state."""
    heard = []
    told = threading.Event()

    def tell():
        heard.append(background.snapshot())
        if heard[-1].state != "computing":
            told.set()

    work = Work()
    gate = work.gate("a")
    background = start("abcdefghij", work, tell=tell)
    gate.set()
    assert told.wait(SOON)
    assert len(heard[-1].results) == 10
    assert len(heard) <= 4


def test_a_slow_feature_does_not_hide_a_fast_one(start):
    """A result that came too soon after the last report is reported while the next is computed."""
    heard = []
    work = Work()
    work.gate("c")
    background = start("abc", work, tell=lambda: heard.append(len(background.snapshot().results)))
    wait_until(lambda: heard and heard[-1] == 2)
    assert background.snapshot().current == "c"


def test_a_slow_result_is_told_at_once(start):
    """Between blocks there is nothing new to tell, so the result that follows need not wait for its turn."""
    heard = []

    def slow(name, between_blocks, _cancelled):
        time.sleep(0.25)
        between_blocks()
        return name

    def tell():
        snapshot = background.snapshot()
        heard.append((len(snapshot.results), snapshot.current))

    background = Background("abc", slow, tell)
    background.start()
    background.wait()
    wait_until(lambda: (3, None) in heard)
    assert heard == [(0, "a"), (1, "b"), (2, "c"), (3, None)]


def test_what_was_not_taken_in_is_told_again(start):
    """Also while nothing else happens, between two blocks."""
    heard = []
    work = Work()
    gate = work.gate("a")

    def tell():
        heard.append(len(heard))
        return len(heard) > 2

    background = start("a", work, tell=tell)
    wait_until(lambda: len(heard) == 3)
    assert background.snapshot().results == {}
    gate.set()
    background.wait()


def test_a_failing_listener_does_not_stop_the_computation(start, caplog):
    """What an observer raises is logged, and the features are computed."""

    def tell():
        raise RuntimeError("deaf")

    done = start("abc", Work(), tell=tell).wait()
    assert len(done.results) == 3
    wait_until(lambda: "A status update could not be sent." in caplog.text)


def test_waiting_in_the_thread_is_an_error_instead_of_a_deadlock(start):
    """The thread cannot wait for itself."""
    caught = []

    def answer(_result):
        try:
            background.wait()
        except RuntimeError as error:
            caught.append(str(error))

    work = Work()
    work.gate("b")
    background = start("ab", work)
    replies = Replies()
    background.ask(None, lambda result: (answer(result), replies.answer(result)), replies.refuse)
    replies.wait()
    assert caught == ["The background thread cannot wait for itself."]


def test_closing_refuses_and_ends_the_thread(start):
    """After close nothing is computed, every question is refused, and the thread ends."""
    work = Work()
    work.gate("a")
    background = start("abc", work)
    wait_until(lambda: work.order)
    before, after = Replies(), Replies()
    background.ask("b", before.answer, before.refuse)
    background.close()
    background.ask("a", after.answer, after.refuse)
    for replies in (before, after):
        ((verb, error),) = replies.wait()
        assert verb == "refuse"
        assert isinstance(error, Cancelled)
    (thread,) = work.threads
    thread.join(SOON)
    assert not thread.is_alive()
    assert background.wait().results == {}


def test_closing_lets_go_of_the_work(start):
    """After close neither the computation nor its results are held."""
    work = Work()
    background = start("abc", work)
    background.wait()
    watched = weakref.ref(work)
    background.close()
    del work
    wait_until(lambda: gc.collect() is not None and watched() is None)


def test_an_idle_background_has_no_thread(start):
    """The thread leaves when there is nothing to do, and comes back for a question."""
    work = Work()
    background = start("a", work)
    background.wait()
    (thread,) = work.threads
    thread.join(SOON)
    assert not thread.is_alive()
    replies = Replies()
    background.ask("a", replies.answer, replies.refuse)
    assert replies.wait() == [("answer", "A")]


# --- where there are no threads -------------------------------------------------------------------


@pytest.fixture
def threadless(monkeypatch):
    """A Python that has no threads, as that inside a browser has none."""

    def refuse(_thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)


@pytest.mark.usefixtures("threadless")
def test_without_threads_starting_computes_everything(start):
    """Who starts it finds it done, and the listener heard of the beginning and of the end."""
    work, heard = Work(), []
    background = Background("abc", work, lambda: heard.append(background.snapshot().state))
    assert background.snapshot().state == "computing"
    background.start()
    assert background.snapshot() == background.wait()
    assert (background.snapshot().state, dict(background.snapshot().results)) == (
        "ready",
        {"a": "A", "b": "B", "c": "C"},
    )
    assert work.threads == {threading.current_thread()}
    assert (heard[0], heard[-1]) == ("computing", "ready")
    background.close()


@pytest.mark.usefixtures("threadless")
def test_without_threads_a_question_is_answered_before_asking_returns(start):
    """Whether its feature is there already, or has to be computed after a cancel."""
    background = start("ab", Work(fails_on="a"))
    replies = Replies()
    background.ask("b", replies.answer, replies.refuse)
    background.ask(None, replies.answer, replies.refuse)
    assert replies.got == [("answer", "B"), ("answer", None)]


@pytest.mark.usefixtures("threadless")
def test_without_threads_what_happens_meanwhile_may_cancel_and_somebody_go_on():
    """What is there stays, what is needed is computed, and the rest when it is wanted."""
    order = []

    def compute(name, between_blocks, cancelled):
        order.append(name)
        if order == ["a", "b"]:
            background.cancel()
        if cancelled():
            raise Cancelled
        return name.upper()

    background = Background("abcd", compute, lambda: None)
    background.start()
    assert (background.snapshot().state, order) == ("cancelled", ["a", "b"])
    replies = Replies()
    background.ask("d", replies.answer, replies.refuse)
    assert replies.got == [("answer", "D")]
    background.resume()
    assert (background.snapshot().state, order) == ("ready", ["a", "b", "d", "b", "c"])
    background.close()


@pytest.mark.usefixtures("threadless")
def test_without_threads_ctrl_c_cancels_and_all_who_ask_are_told(start):
    """It ends the computation that it interrupts, and another start goes on."""
    replies = Replies()
    interrupts = ["b"]

    def compute(name, between_blocks, cancelled):
        if name in interrupts:
            background.ask("c", replies.answer, replies.refuse)
            raise KeyboardInterrupt
        return name.upper()

    background = Background("abc", compute, lambda: None)
    with pytest.raises(KeyboardInterrupt):
        background.start()
    snapshot = background.snapshot()
    assert (snapshot.state, dict(snapshot.results), snapshot.current) == ("cancelled", {"a": "A"}, None)
    assert [(how, type(error)) for how, error in replies.got] == [("refuse", Cancelled)]
    interrupts.clear()
    background.resume()
    assert background.snapshot().state == "ready"
    background.close()


def test_a_script_may_end_while_features_are_computed():
    """A process that leaves in the middle of a computation leaves silently."""
    script = """
import time
from ice_explorer.widget.background import Background
from ice_explorer.errors import Cancelled

def compute(name, between_blocks, cancelled):
    while not cancelled():
        time.sleep(0.001)
    raise Cancelled

Background("abc", compute, lambda: None).start()
time.sleep(0.05)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# --- drafts ---------------------------------------------------------------------------------------


class Drafting:
    """Drafts of two features, each held until its gate is set; the third request has none."""

    def __init__(self, *, fails_at=None):
        self.gates = [threading.Event(), threading.Event()]
        self.fails_at = fails_at
        self.n_asked = 0
        self.n_made = 0

    def __call__(self, between_blocks, cancelled):
        self.n_asked += 1
        if self.n_made == len(self.gates):
            return None
        if self.n_made == self.fails_at:
            raise ValueError("no draft")
        while not self.gates[self.n_made].wait(0.005):
            if cancelled():
                raise Cancelled
            between_blocks()
        self.n_made += 1
        return {name: f"{name}{self.n_made}" for name in "ab"}


def test_drafts_come_before_features_and_give_way_to_results(start):
    """Each draft replaces the one before, and no draft stays where a feature is exact."""
    work, drafting = Work(), Drafting()
    work.gate("b")
    background = start("ab", work, draft=drafting)
    drafting.gates[0].set()
    wait_until(lambda: background.snapshot().drafts == {"a": "a1", "b": "b1"})
    assert work.order == []
    drafting.gates[1].set()
    wait_until(lambda: background.snapshot().results == {"a": "A"})
    assert background.snapshot().drafts == {"b": "b2"}
    assert background.snapshot().known == {"a": "A", "b": "b2"}
    work.gates["b"].set()
    done = background.wait()
    assert (done.state, done.results, done.drafts) == ("ready", {"a": "A", "b": "B"}, {})


def test_a_question_is_answered_from_a_draft_unless_it_has_to_be_exact(start):
    """One is answered while the next draft is being made, the other when the feature is computed."""
    work, drafting, quick, exact, first = Work(), Drafting(), Replies(), Replies(), Replies()
    background = start("ab", work, draft=drafting)
    drafting.gates[0].set()
    wait_until(lambda: background.snapshot().drafts != {})
    background.ask("b", exact.answer, exact.refuse, is_exact=True)
    background.ask(None, first.answer, first.refuse, is_exact=True)
    background.ask("b", quick.answer, quick.refuse)
    assert quick.wait() == [("answer", "b1")]
    assert exact.got == first.got == []
    drafting.gates[1].set()
    assert exact.wait() == [("answer", "B")]
    assert first.wait() == [("answer", None)]


def test_a_paused_draft_is_made_again(start):
    """What a pause cuts off is not lost."""
    drafting = Drafting()
    background = start("ab", Work(), draft=drafting)
    wait_until(lambda: drafting.n_asked == 1)
    background.pause()
    wait_until(lambda: background._thread is None)
    assert background.snapshot().state == "computing"
    for gate in drafting.gates:
        gate.set()
    background.unpause()
    assert background.wait().results == {"a": "A", "b": "B"}
    assert drafting.n_made == 2


def test_a_cancel_keeps_drafts_and_a_resume_goes_on(start):
    """The state is cancelled, questions are answered from the draft, and no feature is computed."""
    work, drafting, replies = Work(), Drafting(), Replies()
    background = start("ab", work, draft=drafting)
    drafting.gates[0].set()
    wait_until(lambda: background.snapshot().drafts != {})
    background.cancel()
    background.ask("a", replies.answer, replies.refuse)
    assert replies.wait() == [("answer", "a1")]
    assert (background.snapshot().state, work.order) == ("cancelled", [])
    drafting.gates[1].set()
    background.resume()
    assert background.wait().results == {"a": "A", "b": "B"}


@pytest.mark.parametrize("fails_at", [0, 1])
def test_a_draft_that_fails_is_left_out(start, fails_at):
    """Features are computed all the same; an error is that of a feature."""
    drafting = Drafting(fails_at=fails_at)
    drafting.gates[0].set()
    done = start("ab", Work(fails_on="b"), draft=drafting).wait()
    assert (done.state, str(done.error), done.results) == ("error", "no b", {"a": "A"})


def test_known_results_are_not_drafted(start):
    """What is there is not shown less exactly."""
    drafting = Drafting()
    assert start("ab", Work(), results={"a": "A"}, draft=drafting).wait().state == "ready"
    assert drafting.n_asked == 0


def test_features_are_computed_in_the_order_that_is_preferred(start):
    """It may change at any time."""
    work = Work()
    gate = work.gate("a")
    background = start("abc", work)
    wait_until(lambda: work.order == ["a"])
    background.prefer("cba")
    gate.set()
    background.wait()
    assert work.order == ["a", "c", "b"]


def test_closing_drops_drafts(start):
    """A closed explorer holds nothing of its model."""
    drafting = Drafting()
    background = start("ab", Work(), draft=drafting)
    drafting.gates[0].set()
    wait_until(lambda: background.snapshot().drafts != {})
    background.close()
    assert background.snapshot().known == {}
