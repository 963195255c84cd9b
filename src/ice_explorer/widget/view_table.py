"""The metrics table of an explorer; calling it returns the table with other options."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pandas as pd

from ice_explorer.errors.tracebacks import short_traceback

if TYPE_CHECKING:
    from ice_explorer.explanation import Explanation


class ViewTable(pd.DataFrame):  # type: ignore[misc]
    """The metrics as an explorer shows them; called as `Explanation.table` is, those of another reading.

    What pandas makes of it is a plain DataFrame.
    """

    _shown: tuple[Explanation, dict[str, Any]]

    @classmethod
    def of(cls, explanation: Explanation, **shown: Any) -> ViewTable:
        """Make the table that an explorer shows, with options of `Explanation.table`."""
        table = cls(explanation.table(**shown))
        object.__setattr__(table, "_shown", (explanation, shown))  # no column
        return table

    @short_traceback
    def table(self, decay: float | Iterable[float] | None = None, **options: Any) -> pd.DataFrame:
        """Return the table of another reading; what is left out is as the explorer shows it."""
        explanation, shown = self._shown
        if isinstance(decay, Iterable):
            return explanation.table(decay, **options)
        given = options if decay is None else {"decay": decay, **options}
        return self.of(explanation, **{**shown, **given})

    __call__ = table  # an error of it names `table()`
    del table
