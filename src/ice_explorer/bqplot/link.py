"""Synchronise a figure with an explorer, in one thread, until either is closed."""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Final

from ice_explorer.errors import Cancelled, ICEExplorerError
from ice_explorer.scene.view_state import ViewState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bqplot import Figure

    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.widget.explorer import ICEExplorer

logger = logging.getLogger(__name__)

_SECONDS_BETWEEN_LOOKS: Final = 0.01
_FIRST_SECONDS: Final = 2.0  # for which a figure waits for its first picture
_SECONDS_OF_DRAWING: Final = 2.0  # that a page takes for a new figure, generously
_SECONDS_OF_YOUTH: Final = 60.0

# What changes with every feature that is computed, and with every other output.
_RESULT: Final = ("_status", "output", "response")


class Thread:
    """The thread that makes a figure, in which everything of it is done from then on.

    An explorer tells its news from a thread of its own, and the browser's from whichever one is free while a
    cell runs. Figures are widgets of ipywidgets and, through their marks, the user's: two threads that set their
    traits would lose updates.
    """

    def __init__(self) -> None:
        self._ident = threading.get_ident()
        self._due: deque[Callable[[], object]] = deque()
        try:
            self._loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:  # a script has no loop, and nobody else to wait for
            self._loop = None

    def do(self, action: Callable[[], object]) -> None:
        """Do something at once if this is the thread, else as soon as it is free."""
        if self._loop is None or threading.get_ident() == self._ident:
            action()
            return
        self._due.append(action)
        try:
            self._loop.call_soon_threadsafe(self._do_due)
        except RuntimeError:  # the loop has ended with the kernel, and nobody looks at its figures
            logger.debug("The thread that draws this figure has ended.")

    def do_later(self, action: Callable[[], object], seconds: float) -> None:
        """Do something after a while, where there is a loop that lives so long; called in the thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_later(seconds, action)

    def wait(self, is_done: Callable[[], bool], seconds: float) -> None:
        """Do what comes in until something is done, but no longer than that; called in the thread."""
        end = time.monotonic() + seconds
        while not is_done() and time.monotonic() < end:
            time.sleep(_SECONDS_BETWEEN_LOOKS)
            self._do_due()

    def _do_due(self) -> None:
        while self._due:
            self._due.popleft()()


class Link:
    """Draws a figure anew when something changes that it shows: traits of an open explorer, or its result.

    `draw` is called at once, and in this thread after changes. When the explorer is closed the figure stays as it is.
    Closing the figure closes its marks, axes and scales, and ends the link.
    """

    def __init__(
        self, explorer: ICEExplorer, figure: Figure, draw: Callable[[Link], object], shows: Iterable[str]
    ) -> None:
        self.explorer = explorer
        self.features = explorer._features  # which a closed one does not have, and says so
        self.thread = Thread()
        self._figure = figure
        self._draw = draw
        self._names = [*shows, *_RESULT]
        self._is_due = False
        self._asked = self._answered = 0
        self._is_linked = True
        self._is_mended = False
        self._made = time.monotonic()
        explorer.observe(self._changed, self._names)
        explorer.observe(self._explorer_closed, "comm")
        figure.observe(self._figure_closed, "comm")
        self._draw_safely()

    def settle(self) -> None:
        """Wait a little for the answer: a figure should not change while a page draws it first."""
        self.thread.wait(lambda: self._answered == self._asked, _FIRST_SECONDS)

    @property
    def state(self) -> ViewState:
        """What the explorer shows."""
        return ViewState.of({name: getattr(self.explorer, trait) for name, trait in _SHOWN.items()})

    def ask(
        self,
        feature: str | None,
        answer: Callable[[FeatureExplanation | None, Callable[[], None]], Any],
        show: Callable[[Any], object],
        refuse: Callable[[str], object],
    ) -> None:
        """Compute in the background, and show the answer, unless there is a newer question.

        `answer` is called in the thread of the explorer, with the feature that was named and what is to be called
        between blocks; `show` with its result or `refuse` with a sentence in the thread of the figure.
        """
        self._asked += 1
        number = self._asked

        def deliver(action: Callable[[Any], object], what: Any) -> None:
            try:
                if self._is_linked and number == self._asked:
                    action(what)
                    self._mend_later()
            finally:  # drawn by then: in a script another thread waits for it
                self._answered = max(self._answered, number)

        def answered(opened: FeatureExplanation | None, between_blocks: Callable[[], None]) -> None:
            found = answer(opened, between_blocks)
            self.thread.do(lambda: deliver(show, found))

        def refused(error: Exception) -> None:
            sentence = str(error) if isinstance(error, ICEExplorerError) else f"{type(error).__name__}: {error}"
            act = _ignore if isinstance(error, Cancelled) else refuse  # the caller knows of its cancel
            self.thread.do(lambda: deliver(act, sentence))

        self.explorer._ask_for(feature, answered, refused)

    def _changed(self, _change: object) -> None:
        if not self._is_due:  # however much changes before it is drawn
            self._is_due = True
            self.thread.do(self._draw_safely)

    def _draw_safely(self) -> None:
        """Draw; an explorer must not fail for its companions, nor a figure stay behind for one failure."""
        self._is_due = False
        if not self._is_linked:
            return
        try:
            self._draw(self)
            self._mend_later()
        except Cancelled:
            logger.debug("The explorer was closed while its figure was drawn.")
        except Exception:
            logger.exception("A figure could not follow its explorer.")

    def _mend_later(self) -> None:
        """Update scales and axes once more, if the figure may still be in its first drawing.

        bqplot is deaf then: of what changes an axis may keep the labels of before.
        """
        is_young = time.monotonic() - self._made < _SECONDS_OF_YOUTH
        if is_young and not self._is_mended:
            self._is_mended = True
            self.thread.do_later(self._mend, _SECONDS_OF_DRAWING)

    def _mend(self) -> None:
        self._is_mended = False
        if self._is_linked:
            for axis in self._figure.axes:
                _renew(axis)

    def _explorer_closed(self, change: Any) -> None:
        if change["new"] is None:
            self.thread.do(self._unlink)

    def _figure_closed(self, change: Any) -> None:
        if change["new"] is None:
            self.thread.do(self._end)

    def _unlink(self) -> None:
        """Leave the figure as it is."""
        if self._is_linked:
            self._is_linked = False
            self.explorer.unobserve(self._changed, self._names)
            self.explorer.unobserve(self._explorer_closed, "comm")
            self._figure.unobserve(self._figure_closed, "comm")

    def _end(self) -> None:
        """Close the widgets of a closed figure: ipywidgets keeps all that are open."""
        self._unlink()
        for part in _parts(self._figure):
            part.close()

    def choose(self, trait: str, value: object) -> None:
        """Set a trait of the explorer after a click, unless it is closed."""

        def set_it() -> None:
            if self._is_linked:
                setattr(self.explorer, trait, value)

        self.thread.do(set_it)


_TRAITS: Final = (
    "feature", "color_by", "kind", "decay", "rank_by", "convention", "unit", "anchor", "max_lines", "selection",
)  # fmt: skip
_SHOWN: Final = {**{name: name for name in _TRAITS}, "choices": "_view"}


def _parts(figure: Figure) -> list[Any]:
    """All widgets that a figure is made of."""
    marks, axes = figure.marks, figure.axes
    scales = [scale for mark in marks for scale in mark.scales.values()] + [axis.scale for axis in axes]
    tooltips = [mark.tooltip for mark in marks if mark.tooltip is not None]
    return [*marks, *axes, *scales, *tooltips, figure.scale_x, figure.scale_y, figure.layout]


def _renew(axis: Any) -> None:
    """Change an axis so little that nobody sees it: what it says under no number, and its scale by a rounding."""
    labels = dict(axis.tick_labels or {})
    if labels.pop("renewed", None) is None:
        labels["renewed"] = ""
    axis.tick_labels = labels
    if isinstance(getattr(axis.scale, "max", None), float):
        axis.scale.max = math.nextafter(axis.scale.max, math.inf)


def _ignore(_sentence: str) -> None:
    """Nothing is to be done."""
