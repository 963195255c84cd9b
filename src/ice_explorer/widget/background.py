"""Background computation: one thread drafts all features and computes them in turn, another answers requests.

Both call the model, which is one caller's at a time: an answer waits at most for the call that is being
made, and computing continues after it. A question about a computed feature is answered from its result, and
from its draft where that is all there is; a question about a feature that has neither moves it to the
front. A newer question is answered between two blocks of an answer that takes long.

Threads live while there is work. However one ends, its end becomes a state, and every question gets
an answer: a thread catches whatever is raised in it, also what is no `Exception`, and `wait` notices
a thread that is gone. If no thread can be started, as in Python inside a browser, the caller does
the work instead.
"""

from __future__ import annotations

import logging
import math
import os
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ice_explorer.errors import Cancelled, ICEExplorerError
from ice_explorer.errors.base import cause_of, quoted
from ice_explorer.locks import Lock, working

if TYPE_CHECKING:
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.tables.column import Name

logger = logging.getLogger(__name__)

State: TypeAlias = Literal["computing", "ready", "cancelled", "error"]
Results: TypeAlias = "Mapping[Name, FeatureExplanation]"
Task: TypeAlias = Callable[[], object]

_SECONDS_BETWEEN_TELLINGS = 0.2
_SECONDS_BEFORE_TELLING_AGAIN = 0.01
_SECONDS_BETWEEN_LOOKS = 0.1  # a wait without a time limit ignores Ctrl-C on Windows


@dataclass(frozen=True)
class Snapshot:
    """State of the computation at one moment; `drafts` are of features that have no result yet."""

    state: State
    results: Results
    drafts: Results
    n_features: int
    current: Name | None
    error: Exception | None

    @property
    def known(self) -> Results:
        """Results, and drafts of the other features."""
        return {**self.drafts, **self.results}


@dataclass(frozen=True)
class _Question:
    """Something to do with the result of a feature, or without any where `name` is None; `is_exact`: not a draft."""

    name: Name | None
    is_exact: bool
    answer: Callable[[Any], object]
    refuse: Callable[[Exception], None]


@dataclass(eq=False)
class _Worker:
    """A thread that does one task after another, and ends where there is none.

    - `next_task`: called under the lock `changed`; returns what to do next, or None.
    - `is_stopped`, `between_blocks`: of its tasks, as for `working`.
    - `on_end`: called where the thread ends although there may be something to do: with what was raised, None if
      nothing was.
    - `caught`: what does not leave the loop.
    """

    changed: threading.Condition
    next_task: Callable[[], Task | None]
    is_stopped: Callable[[], bool]
    between_blocks: Task
    on_end: Callable[[BaseException | None], None]
    thread: threading.Thread | None = None
    process: int = 0  # that started the thread
    caught: type[BaseException] = BaseException

    def start(self) -> None:
        """Start the thread unless it lives; where none can be started, return when all is done."""
        with self.changed:
            if self.thread is not None:
                return
            self.thread = threading.Thread(target=self._live, name="ice-explorer", daemon=True)
            self.process = os.getpid()
            self.caught = BaseException  # Ctrl-C goes to another thread: what is raised in this one ends a task
            try:
                self.thread.start()
            except RuntimeError:  # "can't start new thread"
                self.thread = threading.current_thread()
                self.caught = Exception  # Ctrl-C in the thread that computes cancels it
            else:
                return
        self._live()

    def work(self, *, is_nested: bool = False) -> None:
        """Do one task after another until there is none; nested, in the course of a task of the same thread."""
        while True:
            with self.changed:
                task = self.next_task()
                if task is None:
                    if not is_nested:
                        self.thread = None
                        self.changed.notify_all()
                    return
            task()

    def _live(self) -> None:
        is_own = self.caught is BaseException
        try:
            with working(self.is_stopped, self.between_blocks):
                self.work()
        except BaseException as error:
            if is_own:
                logger.exception("The background thread of an explorer ended.")
            is_cancel = isinstance(error, KeyboardInterrupt) and not is_own
            self._end(threading.current_thread(), Cancelled() if is_cancel else error)
            if not is_own:
                raise

    def _end(self, thread: threading.Thread, error: BaseException | None) -> None:
        with self.changed:
            if self.thread is not thread:
                return
            self.thread = None
        self.on_end(error)

    def is_elsewhere(self) -> bool:
        """Whether another thread than this one does its work."""
        self.notice_loss()
        return self.thread not in (None, threading.current_thread())

    def notice_loss(self) -> None:
        """Take in the end of a thread that raised nothing; not to be called under the lock."""
        thread = self.thread
        if thread is None or thread.is_alive():
            return
        # It may be about to begin, unless this process was forked meanwhile.
        if thread.ident is not None or self.process != os.getpid():
            self._end(thread, None)


class Background:
    """Computes the results of some features, and answers questions about them, in threads of its own.

    - `names`: the features, in the order of their turns.
    - `compute`: ``compute(name)`` returns the result of one feature. It calls `checkpoint` between blocks.
    - `tell`: called after changes, a few times per second at most, and always after the last one. Where it returns
      False it has not taken in everything, and is called again soon.
    - `results`: what is known already.
    - `draft`: called before the features are computed: returns the next draft of all of them, and None where there is
      none. A draft that fails is left out.
    """

    def __init__(
        self,
        names: Sequence[Name],
        compute: Callable[[Name], FeatureExplanation],
        tell: Callable[[], bool | None],
        results: Results | None = None,
        draft: Callable[[], Results | None] | None = None,
    ) -> None:
        self._compute: Callable[[Name], FeatureExplanation] | None = compute
        self._listener: Callable[[], bool | None] | None = tell
        self._changed = threading.Condition(Lock())
        self._results: dict[Name, FeatureExplanation] = dict(results or {})
        self._names: tuple[Name, ...] = ()
        self.prefer(names)
        self._draft = None if self._results else draft
        self._drafts: dict[Name, FeatureExplanation] = {}
        self._state: State = "computing" if self._left else "ready"
        self._error: Exception | None = None
        self._current: Name | None = None
        self._questions: list[_Question] = []
        self._stop = False  # of the feature being computed
        self._closed = SimpleNamespace(is_on=False)  # read without a lock that a fork could leave held
        self._is_paused = False
        self._untold = False
        self._last_told = -float("inf")
        self._computing = _Worker(self._changed, self._next_step, self._is_stopped, self._give_way, self._end_computing)
        self._answering = _Worker(
            self._changed, self._next_answer, lambda: self._closed.is_on, self._answer_newer, self._end_answering
        )
        # At exit the threads get their chance to leave before the modules they use are torn down.
        weakref.finalize(self, setattr, self._closed, "is_on", True)  # noqa: FBT003 - an attribute's value

    def start(self) -> None:
        """Start or resume; without threads, return when everything is computed and answered."""
        self._notice_losses()
        with self._changed:
            workers = [] if self._closed.is_on else [self._computing]
            if workers and any(map(self._is_answerable, self._questions)):
                workers.append(self._answering)
        for worker in workers:
            worker.start()

    def tell_again(self) -> None:
        """Tell, though nothing is new."""
        with self._changed:
            self._untold = True
        self.start()

    def snapshot(self) -> Snapshot:
        """Where the computation stands."""
        self._notice_losses()
        with self._changed:
            return Snapshot(
                self._state, dict(self._results), dict(self._drafts), len(self._names), self._current, self._error
            )

    def ask(
        self,
        name: Name | None,
        answer: Callable[[Any], object],
        refuse: Callable[[Exception], None],
        *,
        is_exact: bool = False,
    ) -> None:
        """Call `answer` in the thread of answers with the result of a feature, or `refuse` with the reason.

        - `name`: the feature; None is a turn of the thread without any result.
        - `answer`, `refuse`: one of them is called, once; `refuse` also after an `answer` that raised, with its error.
          An answer that takes long calls `checkpoint` between blocks, where newer questions are answered.
        - `is_exact`: whether a draft will not do; without a name, whether the first result is waited for.
        """
        self._notice_losses()
        with self._changed:
            is_open = not self._closed.is_on
            if is_open:
                self._is_paused = False
                self._questions.append(_Question(name, is_exact, answer, refuse))
        if is_open:
            self.start()
        else:
            refuse(Cancelled())

    def wait(self, at_most: float = math.inf) -> Snapshot:
        """Wait until no feature is left to compute, or so many seconds. Ctrl-C ends the waiting, nothing else."""
        if threading.current_thread() in (self._computing.thread, self._answering.thread):
            raise RuntimeError("The background thread cannot wait for itself.")
        end = time.monotonic() + at_most
        while True:
            self._notice_losses()
            self.unpause()
            with self._changed:
                left = end - time.monotonic()
                if self._state != "computing" or self._closed.is_on or left <= 0:
                    break
                self._changed.wait(min(left, _SECONDS_BETWEEN_LOOKS))
        return self.snapshot()

    def cancel(self) -> None:
        """Stop computing. Results so far stay, and a later question still computes its feature."""
        with self._changed:
            if self._state == "computing":
                self._state = "cancelled"
            self._untold = True
            self._stop = True
            dropped = self._take_questions(lambda question: not self._is_answerable(question))
            self._changed.notify_all()
        _refuse(dropped, Cancelled())
        self.start()  # somebody has to tell

    def resume(self) -> None:
        """Compute the features that are missing after a cancel or a failure, the failed one too."""
        with self._changed:
            if self._state not in {"cancelled", "error"} or self._closed.is_on:
                return
            self._state = "computing" if self._left else "ready"
            self._error = None
            self._untold = True
            self._changed.notify_all()
        self.start()

    def prefer(self, names: Iterable[Name]) -> None:
        """Compute these features before the others, in this order."""
        with self._changed:
            self._names = tuple(dict.fromkeys([*names, *self._names]))
            # Those without a result apart, since there may be thousands.
            self._left = dict.fromkeys(name for name in self._names if name not in self._results)

    def pause(self) -> None:
        """Stop at the next block, until there is a question or a thread that waits. The state stays as it is."""
        with self._changed:
            self._is_paused = self._stop = True

    def unpause(self) -> None:
        """Resume after `pause`."""
        with self._changed:
            if not self._is_paused:
                return
            self._is_paused = False
        self.start()

    def close(self) -> None:
        """Stop for good and release everything."""
        with self._changed:
            self._closed.is_on = self._stop = True
            dropped = self._take_questions(lambda _question: True)
            self._results = {}
            self._drafts = {}
            self._error = None
            self._compute = self._draft = self._listener = None
            self._changed.notify_all()
        _refuse(dropped, Cancelled())

    def _notice_losses(self) -> None:
        self._computing.notice_loss()
        self._answering.notice_loss()

    # --- in the thread that computes --------------------------------------------------------------

    def _next_step(self) -> Task | None:
        step: Task | None = None
        if self._closed.is_on or self._compute is None:
            return None
        if self._is_paused:
            wanted = None
        elif self._state == "computing" and not self._results and self._draft is not None:
            # There are no drafts after the first result.
            wanted, step = None, partial(self._draft_all, self._draft)
        elif (wanted := self._wanted()) is not None:
            step = partial(self._compute_one, wanted, self._compute)
        if step is None:
            return self._tell if self._untold else None
        self._current, self._untold, self._stop = wanted, True, False
        return step

    def _draft_all(self, draft: Callable[[], Results | None]) -> None:
        """Draft all features; what fails in a draft fails again, or does not, where features are computed."""
        self._tell_now_and_then()
        drafts: Results | None = None
        try:
            drafts = draft()
        except Cancelled:
            if self._stop:  # paused: it is drafted again
                return
        except self._computing.caught:
            logger.debug("A draft failed.", exc_info=True)
        with self._changed:
            if drafts is None or self._closed.is_on:
                self._draft = None
                return
            self._drafts, self._untold = dict(drafts), True
        self._tell()  # before questions, whose answers take longer
        self.start()

    def _wanted(self) -> Name | None:
        """The feature whose turn it is: one that is needed for a question, else the next, else none."""
        for question in self._questions:
            if question.name is not None and not self._is_answerable(question):
                return question.name
        return next(iter(self._left), None) if self._state == "computing" else None

    def _compute_one(self, name: Name, compute: Callable[[Name], FeatureExplanation]) -> None:
        self._tell_now_and_then()
        error: Exception | None = None
        result: Any = None
        try:
            result = compute(name)
        except self._computing.caught as raised:
            error = _reason(raised, name)
            if not isinstance(raised, Cancelled):
                logger.exception("Computing %r failed.", name)
        refused: list[_Question] = []
        with self._changed:
            self._current = None
            if self._closed.is_on:
                return
            self._untold = True  # told together with whose turn is next, which else would have to wait
            is_cancelled = isinstance(error, Cancelled)
            if error is None:
                self._results[name] = result
                self._drafts.pop(name, None)
                self._left.pop(name, None)
                if not self._left:
                    self._state = "ready"
            elif not (is_cancelled and self._stop):  # else requests since the cancel are answered in turn
                refused = self._take_questions(
                    lambda each: each.name == name or (each.name is None and not self._is_answerable(each))
                )
                if self._state == "computing" and not is_cancelled:
                    self._state, self._error = "error", error
            self._changed.notify_all()
        _refuse(refused, error or Cancelled())
        self.start()

    def _end_computing(self, raised: BaseException | None) -> None:
        """Turn the end of the thread into a state."""
        with self._changed:
            error = _reason(raised, self._current)
            self._current = None
            if self._state == "computing" and isinstance(error, Cancelled):
                self._state = "cancelled"
            elif self._state == "computing":
                self._state, self._error = "error", error
            dropped = self._take_questions(lambda question: not self._is_answerable(question))
            self._changed.notify_all()
        _refuse(dropped, error)
        self._tell()

    def _is_stopped(self) -> bool:
        return self._stop or self._closed.is_on

    def _give_way(self) -> None:
        """Between two blocks: tell, and leave processor and model to what is being answered."""
        self._tell_now_and_then()
        while self._answering.is_elsewhere() and not self._is_stopped():
            with self._changed:
                if self._answering.thread is not None:
                    self._changed.wait(_SECONDS_BETWEEN_LOOKS)

    def _tell_now_and_then(self) -> None:
        # Without news nothing is sent: the next result would have to wait for its turn.
        if self._untold and time.monotonic() - self._last_told >= _SECONDS_BETWEEN_TELLINGS:
            self._tell()

    def _tell(self) -> None:
        with self._changed:
            self._untold = False
            tell = None if self._closed.is_on else self._listener
        self._last_told = time.monotonic()
        if tell is None:
            return
        try:
            with working(lambda: False):  # observers of the user may compute something of their own
                is_taken = tell()
            if is_taken is False:
                self._untold = True
                time.sleep(_SECONDS_BEFORE_TELLING_AGAIN)
        except self._computing.caught:
            # Listeners may fail (a lost connection, an observer of the user) without
            # taking the computation along.
            logger.exception("A status update could not be sent.")

    # --- in the thread that answers ---------------------------------------------------------------

    def _next_answer(self) -> Task | None:
        question = next(filter(self._is_answerable, self._questions), None)
        if question is None:
            return None
        self._questions.remove(question)
        return partial(self._answer, question, self._results.get(question.name, self._drafts.get(question.name)))

    def _answer(self, question: _Question, result: FeatureExplanation | None) -> None:
        try:
            question.answer(result)
        except BaseException as error:
            _refuse([question], error)
            if not isinstance(error, self._answering.caught):
                raise

    def _answer_newer(self) -> None:
        self._answering.work(is_nested=True)

    def _is_answerable(self, question: _Question) -> bool:
        if question.name is None:
            return not question.is_exact or bool(self._results)
        return question.name in self._results or (question.name in self._drafts and not question.is_exact)

    def _take_questions(self, is_taken: Callable[[_Question], bool]) -> list[_Question]:
        taken = [question for question in self._questions if is_taken(question)]
        self._questions = [question for question in self._questions if question not in taken]
        return taken

    def _end_answering(self, raised: BaseException | None) -> None:
        with self._changed:
            dropped = self._take_questions(self._is_answerable)
        _refuse(dropped, raised)


def _refuse(questions: Sequence[_Question], raised: BaseException | None) -> None:
    for question in questions:
        try:
            question.refuse(_reason(raised, question.name))
        except Exception:
            logger.exception("An error reply could not be sent.")


def _reason(raised: BaseException | None, name: Hashable) -> Exception:
    """Return what was raised if it is an `Exception`, and a sentence about anything else; None is a lost thread."""
    if isinstance(raised, Exception):
        return raised
    if raised is None:
        return ICEExplorerError(
            "The thread of an explorer must live until all features are computed; it ended while computing "
            f"{quoted(name)}, as threads do in a forked process.",
            'Press "Resume" in the explorer, or make it again.',
        )
    stopped = ICEExplorerError(
        f"A model must return numbers or raise an Exception; computing {quoted(name)} ended with {cause_of(raised)}",
        f"Wrap the model in a function that catches {type(raised).__name__} and raises a RuntimeError.",
    )
    stopped.__cause__ = raised
    return stopped
