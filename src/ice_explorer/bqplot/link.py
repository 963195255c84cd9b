"""What keeps a figure in step with an explorer, in one thread, until either is closed."""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import TYPE_CHECKING, Any, Final

from ice_explorer.errors import Cancelled, ICEExplorerError
from ice_explorer.figures.view import ViewState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bqplot import Figure

    from ice_explorer.results import FeatureExplanation
    from ice_explorer.widget import ICEExplorer

logger = logging.getLogger(__name__)

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
        try:
            self._loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:  # a script has no loop, and nobody else to wait for
            self._loop = None

    def do(self, action: Callable[[], object]) -> None:
        """Do something at once if this is the thread, else as soon as it is free."""
        if self._loop is None or threading.get_ident() == self._ident:
            action()
            return
        try:
            self._loop.call_soon_threadsafe(action)
        except RuntimeError:  # the loop has ended with the kernel, and nobody looks at its figures
            logger.debug("A figure has no thread any more that would draw it.")


class Link:
    """Draws a figure anew when something changes that it shows.

    Parameters
    ----------
    explorer : ICEExplorer
        While it is open the figure follows it; then the figure stays as it is.
    figure : bqplot.Figure
        Closing it closes its marks, axes and scales, and ends the link.
    draw : callable
        Brings the figure up to date; called at once, and in this thread after changes.
    shows : iterable of str
        Traits of the explorer that the figure depends on, besides the result.
    """

    def __init__(
        self, explorer: ICEExplorer, figure: Figure, draw: Callable[[Link], object], shows: Iterable[str]
    ) -> None:
        self.explorer = explorer
        self.features = explorer.features  # which a closed one does not have, and says so
        self.thread = Thread()
        self._figure = figure
        self._draw = draw
        self._names = [*shows, *_RESULT]
        self._is_due = False
        self._asked = 0
        self._is_linked = True
        explorer.observe(self._changed, self._names)
        explorer.observe(self._explorer_closed, "comm")
        figure.observe(self._figure_closed, "comm")
        self._draw_safely()

    @property
    def state(self) -> ViewState:
        """What the explorer shows."""
        return ViewState.of({name: getattr(self.explorer, name) for name in _SHOWN})

    def ask(
        self,
        feature: str | None,
        answer: Callable[[FeatureExplanation | None, Callable[[], None]], Any],
        show: Callable[[Any], object],
        refuse: Callable[[str], object],
    ) -> None:
        """Ask in the background, and show the answer, unless something else has been asked since.

        Parameters
        ----------
        feature : str or None
            Of which the result is needed.
        answer : callable
            Called in the background with that result and what is to be called between blocks.
        show : callable
            Called with the answer, in the thread of the figure.
        refuse : callable
            Called with a sentence, in the thread of the figure.
        """
        self._asked += 1
        number = self._asked

        def deliver(action: Callable[[Any], object], what: Any) -> None:
            if self._is_linked and number == self._asked:
                action(what)

        def answered(opened: FeatureExplanation | None, between_blocks: Callable[[], None]) -> None:
            found = answer(opened, between_blocks)
            self.thread.do(lambda: deliver(show, found))

        def refused(error: Exception) -> None:
            if not isinstance(error, Cancelled):  # whoever cancelled knows
                sentence = str(error) if isinstance(error, ICEExplorerError) else f"{type(error).__name__}: {error}"
                self.thread.do(lambda: deliver(refuse, sentence))

        self.explorer.ask(feature, answered, refused)

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
        except Cancelled:
            logger.debug("The explorer was closed while its figure was drawn.")
        except Exception:
            logger.exception("A figure could not follow its explorer.")

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
        """Let go of a figure that is closed, and of what it was made of: ipywidgets keeps all that is not."""
        self._unlink()
        for part in _parts(self._figure):
            part.close()

    def choose(self, trait: str, value: object) -> None:
        """Set a trait of the explorer for whoever clicked, while it is there."""

        def set_it() -> None:
            if self._is_linked:
                setattr(self.explorer, trait, value)

        self.thread.do(set_it)


_SHOWN: Final = (
    "feature", "color_by", "kind", "decay", "rank_by", "convention", "weighting", "anchor", "max_lines", "selection",
)  # fmt: skip


def _parts(figure: Figure) -> list[Any]:
    """All widgets that a figure is made of."""
    marks, axes = figure.marks, figure.axes
    scales = [scale for mark in marks for scale in mark.scales.values()] + [axis.scale for axis in axes]
    tooltips = [mark.tooltip for mark in marks if mark.tooltip is not None]
    return [*marks, *axes, *scales, *tooltips, figure.scale_x, figure.scale_y, figure.layout]
