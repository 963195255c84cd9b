"""A figure that is redrawn whenever its explorer changes, in one thread, until either is closed."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from concurrent.futures import Future, wait
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from ice_explorer.bqplot import style
from ice_explorer.errors import Cancelled, ICEExplorerError
from ice_explorer.scene.view_state import ViewState

if TYPE_CHECKING:
    from collections.abc import Callable

    from ice_explorer.widget.explorer import ICEExplorer

_STATE = ("feature", "color_by", "kind", "decay", "rank_by", "unit", "anchor", "max_lines", "selection")
_RESULT = ("_status", "output", "response", "convention")  # change with every feature explained and every other output
_SECONDS_TO_APPEAR = _SECONDS_TO_DRAW = 2.0
_SECONDS_OF_RENEWALS = 60.0


class LinkedFigure:
    """Redraws a figure after changes of some traits.

    Explorers report changes in whichever thread they happen, but two threads must not set traits of a figure at the
    same time. So the thread that made the figure draws it, as soon as its event loop is free.
    """

    traits: ClassVar[tuple[str, ...]]
    is_of_feature: ClassVar[bool]

    def __init__(self, explorer: ICEExplorer, marks: list[Any], axes: list[Any], layout: dict[str, int]) -> None:
        self.explorer, self.heading = explorer, style.heading()
        self.figure = style.figure(marks, [*axes, self.heading], **layout)
        self._thread = threading.get_ident()
        self._loop: asyncio.AbstractEventLoop | None = None
        with suppress(RuntimeError):  # as in a script
            self._loop = asyncio.get_running_loop()
        self._is_linked, self._is_due, self._made = True, False, time.monotonic()
        explorer.observe(self._changed, [*self.traits, *_RESULT])
        for widget in (explorer, self.figure):
            widget.observe(self._closed, "comm")
        self._latest = self._ask()
        # bqplot misses changes while a page draws a figure for the first time, so wait for what is there soon.
        wait([self._latest], _SECONDS_TO_APPEAR)
        self._finish_later(self._latest)

    def _compute(self, known: Any, state: ViewState, opened: Any) -> Any:
        """Return what is shown, in the thread of the explorer if it takes a feature or the predictions of all rows."""
        raise NotImplementedError

    def _show(self, result: Any) -> None:
        raise NotImplementedError

    def choose(self, trait: str, value: object) -> None:
        """Set a trait of the explorer after a click, unless it is closed."""
        if self._is_linked:
            self._run(lambda: setattr(self.explorer, trait, value))

    def _run(self, action: Callable[[], object]) -> None:
        if self._loop is None or threading.get_ident() == self._thread:
            action()
        else:
            with suppress(RuntimeError):  # the loop is closed with its kernel: nobody sees the figure
                self._loop.call_soon_threadsafe(action)

    def _changed(self, _change: object) -> None:
        if not self._is_due:  # several changes are drawn once
            self._is_due = True
            self._run(self._redraw)

    def _redraw(self) -> None:
        self._is_due = False
        if self._is_linked:
            self._latest = self._ask()
            self._finish_later(self._latest)

    def _ask(self) -> Future[Any]:
        explorer, future = self.explorer, Future[Any]()
        state = ViewState.of({name: getattr(explorer, name) for name in _STATE} | {"choices": explorer._view})  # noqa: SLF001

        def answer(opened: Any, _between_blocks: object = None) -> None:
            future.set_result(self._compute(explorer._known, state, opened))

        try:
            if self.is_of_feature and state.feature == "":  # the first one opens when all are explained
                self._say("computing …")
                future.set_exception(Cancelled())
            elif self.is_of_feature or state.unit == "sd":
                explorer._ask_for(state.feature if self.is_of_feature else None, answer, future.set_exception)
            else:
                answer(None)
        except ICEExplorerError as error:
            future.set_exception(error)
        return future

    def _finish_later(self, future: Future[Any]) -> None:
        future.add_done_callback(lambda _: self._run(lambda: self._finish(future)))

    def _finish(self, future: Future[Any]) -> None:
        """Show an answer, unless there is a newer question."""
        if not self._is_linked or future is not self._latest:
            return
        try:
            self._show(future.result())
        except Cancelled:  # by the user, or for another output
            return
        except Exception as error:  # noqa: BLE001 - also those of the model
            self._say(str(error) if isinstance(error, ICEExplorerError) else f"{type(error).__name__}: {error}")
        if self._loop is not None and time.monotonic() < self._made + _SECONDS_OF_RENEWALS:
            self._loop.call_later(_SECONDS_TO_DRAW, self._renew)

    def _say(self, text: str) -> None:
        self.heading.tick_labels = {"0": style.cut(text, 850.0)}

    def _renew(self) -> None:
        """Send the axes again, in case they changed while the page drew them for the first time."""
        for axis in self.figure.axes if self._is_linked else ():
            labels = axis.tick_labels or {}  # only what differs is sent: a label of no tick, a last digit
            axis.tick_labels = {k: v for k, v in labels.items() if k != "-"} if "-" in labels else {**labels, "-": ""}
            if isinstance(getattr(axis.scale, "max", None), float):
                axis.scale.max = math.nextafter(axis.scale.max, math.inf)

    def _closed(self, change: Any) -> None:
        if change["new"] is None:
            self._run(partial(self._end, closes_parts=change["owner"] is self.figure))

    def _end(self, *, closes_parts: bool) -> None:
        figure = self.figure
        if self._is_linked:
            self._is_linked = False
            self.explorer.unobserve(self._changed, [*self.traits, *_RESULT])
            for widget in (self.explorer, figure):
                widget.unobserve(self._closed, "comm")
        if closes_parts:  # ipywidgets keeps every widget that is open
            scales = [scale for mark in figure.marks for scale in mark.scales.values()]
            scales += [figure.scale_x, figure.scale_y, *(axis.scale for axis in figure.axes)]
            tooltips = [mark.tooltip for mark in figure.marks if mark.tooltip is not None]
            for part in [*figure.marks, *figure.axes, *scales, *tooltips, figure.layout]:
                part.close()
