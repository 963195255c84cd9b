"""Limit joblib parallelism inside models where it costs more than it saves.

Parallel predictions cost more than they save for few rows, and where several threads predict at once.
The model itself is not changed; joblib is configured for the calls of this package alone.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from ice_explorer.adapters.models.source import Source

_FEW_ROWS = 256


def without_spreading(source: Source, *, side_by_side: bool) -> Source:
    """Return a model as it is called here.

    - `side_by_side`: whether several threads call it: then it never spreads, else only for more than a few rows.
    """
    ways = {
        name: replace(way, ask=_undivided(way.ask, most_rows=sys.maxsize if side_by_side else _FEW_ROWS))
        for name, way in source.ways.items()
    }
    return replace(source, ways=ways)


def _undivided(ask: Callable[[Any], Any], most_rows: int) -> Callable[[Any], Any]:
    def undivided(rows: Any) -> Any:
        with _one_after_another() if rows.shape[0] <= most_rows else nullcontext():
            return ask(rows)

    return undivided


def _one_after_another() -> AbstractContextManager[Any]:
    """Keep joblib, where it is loaded, from spreading the calls of this thread."""
    configure: Any = getattr(sys.modules.get("joblib"), "parallel_config", None)
    return nullcontext() if configure is None else configure(backend="sequential")
