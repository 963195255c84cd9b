"""Background computation: one thread that drafts all features, computes them in turn and answers requests.

The model is called from this thread alone, so that a model which is not thread-safe is never
called twice at once. The thread lives while there is work. A question about a computed feature is
answered between two blocks of a feature that is still being computed, and from its draft where that
is all there is; a question about a feature that has neither moves it to the front.

However a thread ends, its end becomes a state, and every question gets an answer: a thread catches
whatever is raised in it, also what is no `Exception`, and `wait` notices a thread that is gone.

If no thread can be started, as in Python inside a browser, the caller does its work instead.
"""

from __future__ import annotations

import logging
import math
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ice_explorer.errors import Cancelled, ICEExplorerError
from ice_explorer.errors.base import cause_of, quoted
from ice_explorer.locks import Lock

if TYPE_CHECKING:
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.tables.column import Name

logger = logging.getLogger(__name__)

State: TypeAlias = Literal["computing", "ready", "cancelled", "error"]
BetweenBlocks: TypeAlias = Callable[[], None]
IsCancelled: TypeAlias = Callable[[], bool]
Results: TypeAlias = "Mapping[Name, FeatureExplanation]"
Compute: TypeAlias = "Callable[[Name, BetweenBlocks, IsCancelled], FeatureExplanation]"
NextDraft: TypeAlias = "Callable[[BetweenBlocks, IsCancelled], Results | None]"

_SECONDS_BETWEEN_TELLINGS = 0.2
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


class Background:
    """Computes the results of some features in a thread of its own.

    - `names`: the features, in the order of their turns.
    - `compute`: ``compute(name, between_blocks, cancelled)`` returns the result of one feature. It calls
      ``between_blocks()`` now and then, and raises `Cancelled` soon after ``cancelled()`` is True.
    - `tell`: called in the thread after changes, a few times per second at most, and always after the last one. Where
      it returns False it has not taken in everything, and is called again soon.
    - `results`: what is known already.
    - `draft`: called as `compute` is, but without a name, before the features are computed: returns the next draft of
      all of them, and None where there is none. A draft that fails is left out.
    """

    def __init__(
        self,
        names: Sequence[Name],
        compute: Compute,
        tell: Callable[[], bool | None],
        results: Results | None = None,
        draft: NextDraft | None = None,
    ) -> None:
        self._compute: Compute | None = compute
        self._listener: Callable[[], bool | None] | None = tell
        self._changed = threading.Condition(Lock())
        self._results: dict[Name, FeatureExplanation] = dict(results or {})
        self._names: tuple[Name, ...] = ()
        self.prefer(names)
        self._draft = None if self._results else draft
        self._drafts: dict[Name, FeatureExplanation] = {}
        self._state: State = "ready" if self._missing() is None else "computing"
        self._error: Exception | None = None
        self._current: Name | None = None
        self._questions: list[_Question] = []
        self._thread: threading.Thread | None = None
        self._caught: type[BaseException] = BaseException  # what does not leave the loop
        self._stop = False  # of the feature being computed
        self._closed = SimpleNamespace(is_on=False)  # read without a lock that a fork could leave held
        self._is_paused = False
        self._untold = False
        self._last_told = -float("inf")
        # At exit the thread gets its chance to leave before the modules it uses are torn down.
        weakref.finalize(self, setattr, self._closed, "is_on", True)  # noqa: FBT003 - an attribute's value

    def start(self) -> None:
        """Start or resume; without threads, return when everything is computed."""
        self._notice_lost_thread()
        with self._changed:
            if self._thread is not None or self._closed.is_on:
                return
            self._thread = threading.Thread(target=self._live, name="ice-explorer", daemon=True)
            self._caught = BaseException  # Ctrl-C goes to another thread: what is raised in this one ends a feature
            try:
                self._thread.start()
            except RuntimeError:  # "can't start new thread"
                self._thread = threading.current_thread()
                self._caught = Exception  # Ctrl-C in the thread that computes cancels it
            else:
                return
        self._live()

    def tell_again(self) -> None:
        """Tell in the thread, though nothing is new."""
        with self._changed:
            self._untold = True
        self.start()

    def snapshot(self) -> Snapshot:
        """Where the computation stands."""
        self._notice_lost_thread()
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
        """Call `answer` in the thread with the result of a feature, or `refuse` with the reason.

        - `name`: the feature; None is a turn of the thread without any result.
        - `answer`, `refuse`: one of them is called, once; `refuse` also after an `answer` that raised, with its error.
        - `is_exact`: whether a draft will not do; without a name, whether the first result is waited for.
        """
        self._notice_lost_thread()
        with self._changed:
            is_open = not self._closed.is_on
            if is_open:
                self._is_paused = False
                self._questions.append(_Question(name, is_exact, answer, refuse))
        if is_open:
            self.start()
        else:
            refuse(Cancelled())

    def answer_meanwhile(self) -> None:
        """Answer newer questions: called in the thread, now and then, by an answer that takes long.

        - raises Cancelled: if nobody waits for the long answer any more, either.
        """
        if self._closed.is_on:
            raise Cancelled
        self._between_blocks()

    def wait(self, at_most: float = math.inf) -> Snapshot:
        """Wait until no feature is left to compute, or so many seconds. Ctrl-C ends the waiting, nothing else."""
        if threading.current_thread() is self._thread:
            raise RuntimeError("The background thread cannot wait for itself.")
        end = time.monotonic() + at_most
        while True:
            self._notice_lost_thread()
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
            self._state = "ready" if self._missing() is None else "computing"
            self._error = None
            self._untold = True
            self._changed.notify_all()
        self.start()

    def prefer(self, names: Iterable[Name]) -> None:
        """Compute these features before the others, in this order."""
        with self._changed:
            self._names = tuple(dict.fromkeys([*names, *self._names]))
            # Those without a result apart, since there may be thousands.
            self._left = {name: None for name in self._names if name not in self._results}

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

    # --- inside the thread ------------------------------------------------------------------------

    def _live(self) -> None:
        """Do the work, in a thread of its own or of somebody else's, until there is none."""
        is_own = self._caught is BaseException
        try:
            self._run()
        except BaseException as error:
            if is_own:
                logger.exception("The background thread of an explorer ended.")
            is_cancel = isinstance(error, KeyboardInterrupt) and not is_own
            self._end(threading.current_thread(), Cancelled() if is_cancel else _as_exception(error, self._current))
            if not is_own:
                raise

    def _end(self, thread: threading.Thread, error: Exception) -> None:
        """Leave a thread although there may be something to do."""
        with self._changed:
            if self._thread is not thread:
                return
            self._thread = self._current = None
            if self._state == "computing" and isinstance(error, Cancelled):
                self._state = "cancelled"
            elif self._state == "computing":
                self._state, self._error = "error", error
            dropped = self._take_questions(lambda _question: True)
            self._changed.notify_all()
        _refuse(dropped, error)
        self._tell()

    def _notice_lost_thread(self) -> None:
        """Turn the end of a thread that raised nothing into a state; not to be called under the lock."""
        thread = self._thread
        if thread is not None and not thread.is_alive() and thread.ident is not None:
            self._end(thread, _lost(self._current))

    def _run(self) -> None:
        while True:
            self._answer_questions()
            with self._changed:
                # There are no drafts after the first result.
                is_drafting = self._state == "computing" and not (
                    self._results or self._is_paused or self._closed.is_on
                )
                draft, compute = self._draft if is_drafting else None, self._compute
                wanted = self._wanted() if draft is None else None
                if draft is not None or wanted is not None:
                    self._current = wanted
                    self._untold = True
                    self._stop = False
                elif not self._untold and (self._is_paused or not self._questions):
                    self._thread = None
                    return
            if draft is not None:
                self._draft_all(draft)
            elif wanted is None or compute is None:
                self._tell()
            else:
                self._compute_one(wanted, compute)

    def _draft_all(self, draft: NextDraft) -> None:
        """Draft all features; what fails in a draft fails again, or does not, where features are computed."""
        self._tell_now_and_then()
        drafts: Results | None = None
        is_paused = False
        try:
            drafts = draft(self._between_blocks, self._is_stopped)
        except Cancelled:
            is_paused = self._stop
        except self._caught:
            logger.debug("A draft failed.", exc_info=True)
        with self._changed:
            if self._closed.is_on or is_paused:
                return
            if drafts is None:
                self._draft = None
                return
            self._drafts, self._untold = dict(drafts), True
        self._tell()  # before questions, whose answers take longer

    def _wanted(self) -> Name | None:
        """The feature whose turn it is: one that is needed for a question, else the next, else none."""
        if self._closed.is_on or self._is_paused:
            return None
        for question in self._questions:
            if question.name is not None and not self._is_answerable(question):
                return question.name
        return self._missing() if self._state == "computing" else None

    def _missing(self) -> Name | None:
        return next(iter(self._left), None)

    def _compute_one(self, name: Name, compute: Compute) -> None:
        self._tell_now_and_then()
        error: Exception | None = None
        result: Any = None
        try:
            result = compute(name, self._between_blocks, self._is_stopped)
        except Cancelled as cancelled:
            error = cancelled
        except self._caught as raised:
            logger.exception("Computing %r failed.", name)
            error = _as_exception(raised, name)
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
                if self._missing() is None:
                    self._state = "ready"
            elif not (is_cancelled and self._stop):  # else requests since the cancel are answered in turn
                refused = self._take_questions(
                    lambda each: each.name == name or (each.name is None and not self._is_answerable(each))
                )
                if self._state == "computing" and not is_cancelled:
                    self._state, self._error = "error", error
            self._changed.notify_all()
        _refuse(refused, error or Cancelled())

    def _between_blocks(self) -> None:
        self._answer_questions()
        self._tell_now_and_then()

    def _answer_questions(self) -> None:
        # One by one: an answer that takes long lets those behind it come between.
        while True:
            with self._changed:
                question = next(filter(self._is_answerable, self._questions), None)
                if question is None:
                    return
                self._questions.remove(question)
                result = (
                    None if question.name is None else self._results.get(question.name, self._drafts.get(question.name))
                )
            try:
                question.answer(result)
            except BaseException as error:
                _refuse([question], _as_exception(error, question.name))
                if not isinstance(error, self._caught):
                    raise

    def _is_answerable(self, question: _Question) -> bool:
        if question.name is None:
            return not question.is_exact or bool(self._results)
        return question.name in self._results or (question.name in self._drafts and not question.is_exact)

    def _take_questions(self, is_taken: Callable[[_Question], bool]) -> list[_Question]:
        taken = [question for question in self._questions if is_taken(question)]
        self._questions = [question for question in self._questions if question not in taken]
        return taken

    def _is_stopped(self) -> bool:
        return self._stop or self._closed.is_on

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
            if tell() is False:
                self._untold = True
        except self._caught:
            # Listeners may fail (a lost connection, an observer of the user) without
            # taking the computation along.
            logger.exception("A status update could not be sent.")


def _refuse(questions: Sequence[_Question], error: Exception) -> None:
    for question in questions:
        try:
            question.refuse(error)
        except Exception:
            logger.exception("An error reply could not be sent.")


def _as_exception(error: BaseException, name: Hashable) -> Exception:
    """Return what is an `Exception` as it is, and a sentence about anything else."""
    if isinstance(error, Exception):
        return error
    stopped = ICEExplorerError(
        f"A model must return numbers or raise an Exception; computing {quoted(name)} ended with {cause_of(error)}",
        f"Wrap the model in a function that catches {type(error).__name__} and raises a RuntimeError.",
    )
    stopped.__cause__ = error
    return stopped


def _lost(name: Hashable) -> ICEExplorerError:
    return ICEExplorerError(
        "The thread of an explorer must live until all features are computed; it ended while computing "
        f"{quoted(name)}, as threads do in a forked process.",
        'Press "Resume" in the explorer, or make it again.',
    )
