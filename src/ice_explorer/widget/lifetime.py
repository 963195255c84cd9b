"""Lifetime of explorers: they are kept while a variable or an output uses them.

ipywidgets keeps every widget until it is closed. A cell that runs again would leave its former explorer computing,
with its data and its curves. Such an explorer is unused when all of these hold:

- it was replaced: its cell has run again or its variable was assigned anew, and no variable of the notebook holds it;
- no cell displays it: each cell that did has run again, or was deleted.

An unused explorer pauses at the next block, and only Python's own references keep it: without any it is closed. One
that is displayed or used again resumes. Where IPython does not run the cells, explorers are kept until the
host closes their connections, as marimo does.
"""

from __future__ import annotations

import re
import weakref
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ipywidgets.widgets import widget as ipywidgets_widget

from ice_explorer.locks import Lock
from ice_explorer.runtime import ipython_shell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, MutableMapping

    from ipywidgets import Widget

    from ice_explorer.widget.explorer import ICEExplorer

_OUTPUT_CACHE: Final = re.compile(r"_{1,3}|_\d+")  # names that IPython gives to results of cells

_lock: Final = Lock()  # pages tell of views in another thread than that of the cells
_lifetimes: Final[weakref.WeakSet[Lifetime]] = weakref.WeakSet()
_followed: Final[weakref.WeakSet[Any]] = weakref.WeakSet()  # shells whose cells are followed


def weakly(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls a method as long as its object is there, and does not keep it."""
    reference = weakref.WeakMethod(method)

    def call(*arguments: Any, **options: Any) -> Any:
        found = reference()
        return None if found is None else found(*arguments, **options)

    return call


def registry() -> MutableMapping[str, Widget]:
    """Return the widgets that ipywidgets keeps, by model ID."""
    found: MutableMapping[str, Widget] | None = getattr(ipywidgets_widget, "_instances", None)
    return ipywidgets_widget.Widget.widgets if found is None else found  # ipywidgets 7


def is_shared(layout: Widget) -> bool:
    """Return whether an open widget has this layout."""
    for widget in list(registry().values()):
        try:
            if getattr(widget, "layout", None) is layout:
                return True
        except ReferenceError:  # a proxy of an explorer that is being deleted
            continue
    return False


class _Run(NamedTuple):
    """One run of a cell. Either is None where the host of the notebook does not tell."""

    cell: str | None = None
    id: str | None = None


class Lifetime:
    """What is known of who uses an explorer. Made before the model is called: explorers of earlier runs pause then.

    - `explorer`: referenced weakly; its background pauses when it becomes unused, and resumes when it is used again.
    """

    def __init__(self, explorer: ICEExplorer) -> None:
        self._explorer = weakref.ref(explorer)
        self._displays: dict[str | None, str | None] = {}  # cells whose output has it, with the run that put it there
        self._is_rerun = False  # whether its cell has run again
        self._was_named = False
        self._is_open = False
        shell = ipython_shell()
        self._made_in = _Run() if shell is None else _run(shell)
        if shell is not None:
            _follow(shell)
        if self._made_in.cell is not None:
            with _lock:
                for other in list(_lifetimes):
                    other.pause_before(self._made_in)

    def begin(self) -> None:
        """Follow what cells do from now on."""
        with _lock:
            _lifetimes.add(self)
            self._is_open = True

    def end(self) -> None:
        """Follow nothing more: the explorer is closed. Without a lock, because the collector may do this anywhere."""
        self._is_open = False

    def display(self) -> None:
        """Keep the explorer, which the running cell displays."""
        shell = ipython_shell()
        with _lock:
            if shell is not None:
                run = _run(shell)
                self._displays[run.cell] = run.id
            self._hold(is_used=True)

    def attend(self, connection: Any) -> None:
        """Release the explorer when its host closes the connection, as marimo does before a cell runs again."""
        if ipython_shell() is not None:
            return
        hold, close_it = weakly(self._hold), weakly(connection.close)

        def close(*arguments: Any, **options: Any) -> None:
            with _lock:
                hold(is_used=False)
            close_it(*arguments, **options)

        connection.close = close

    def cell_runs(self, run: _Run, deleted: Iterable[str]) -> None:
        """Note that a cell runs, and which cells were deleted before."""
        for cell in [run.cell, *deleted]:
            self._is_rerun |= cell is not None and cell == self._made_in.cell and run != self._made_in
            if cell is not None and self._displays.get(cell) != run.id:
                self._displays.pop(cell, None)

    def pause_before(self, run: _Run) -> None:
        """Pause an explorer of an earlier run of the same cell; if a variable has it after this run, it resumes."""
        explorer = self._explorer()
        if run.cell == self._made_in.cell and run != self._made_in and not self._displays and explorer is not None:
            explorer._background.pause()  # noqa: SLF001 - its own

    def review(self, shell: Any, named: set[int]) -> None:
        """Keep the explorer, or let it go where it is unused; `named` are the identities of what variables hold."""
        explorer = self._explorer()
        if explorer is None or not self._is_open:
            return
        if id(explorer) in named:
            self._was_named = True
            self._hold(is_used=True)
        elif (self._was_named or self._is_rerun) and not self._displays:
            _forget_results(shell, explorer)
            self._hold(is_used=False)

    def _hold(self, *, is_used: bool) -> None:
        """Make ipywidgets keep the explorer while it is used, else a proxy that does not keep it."""
        explorer = self._explorer()
        if explorer is None or not self._is_open:
            return
        if explorer.comm is not None:
            registry()[explorer.model_id] = explorer if is_used else weakref.proxy(explorer)
        background = explorer._background  # noqa: SLF001 - its own
        (background.unpause if is_used else background.pause)()


# --- what IPython tells ---------------------------------------------------------------------------


def _parent(shell: Any) -> dict[str, Any]:
    """Return the message of the host that the kernel is working on."""
    parent: object = shell.get_parent() if hasattr(shell, "get_parent") else None
    return parent if isinstance(parent, dict) else {}


def _run(shell: Any) -> _Run:
    parent = _parent(shell)
    return _Run(parent.get("metadata", {}).get("cellId"), parent.get("header", {}).get("msg_id"))


def _follow(shell: Any) -> None:
    if shell not in _followed:
        _followed.add(shell)
        shell.events.register("pre_run_cell", _cell_begins)
        shell.events.register("post_run_cell", _cell_ended)


def _cell_begins(_info: object) -> None:
    shell = ipython_shell()
    run = _run(shell)
    deleted = _parent(shell).get("metadata", {}).get("deletedCells") or ()
    with _lock:
        for lifetime in list(_lifetimes):
            lifetime.cell_runs(run, deleted)


def _cell_ended(_result: object) -> None:
    shell = ipython_shell()
    with _lock:
        named = _named(shell)
        for lifetime in list(_lifetimes):
            lifetime.review(shell, named)


def _named(shell: Any) -> set[int]:
    """Return the identities of the values of the notebook's variables."""
    return {id(value) for name, value in list(shell.user_ns.items()) if not _OUTPUT_CACHE.fullmatch(name)}


def _forget_results(shell: Any, explorer: object) -> None:
    """Remove an explorer from IPython's cache of results, as `%xdel` does."""
    for names in (shell.user_ns.get("_oh", {}), shell.user_ns, shell.user_ns_hidden, vars(shell.displayhook)):
        for name in [name for name, value in list(names.items()) if value is explorer]:
            if str(name).strip("_") == "":
                names[name] = ""  # as IPython begins: it fills these again
            else:
                del names[name]
