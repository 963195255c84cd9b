"""The metrics table of an explorer; calling it returns the table with other options."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pandas as pd

from ice_explorer.errors.tracebacks import short_traceback

if TYPE_CHECKING:
    from ice_explorer.explanation import Explanation
    from ice_explorer.results.options import Unit


class ViewTable(pd.DataFrame):  # type: ignore[misc]
    """The metrics as an explorer shows them; called as `Explanation.table` is, those of another reading.

    What pandas makes of it is a plain DataFrame.
    """

    _shown: tuple[Explanation, float, str | None, Unit, float | None]

    @classmethod
    def of(
        cls,
        explanation: Explanation,
        decay: float,
        *,
        rank_by: str | None,
        unit: Unit,
        ci: float | None,
    ) -> ViewTable:
        """Make the table that an explorer shows."""
        table = cls(explanation.table(decay, rank_by=rank_by, unit=unit, ci=ci))
        object.__setattr__(table, "_shown", (explanation, decay, rank_by, unit, ci))  # no column
        return table

    @short_traceback
    def table(
        self,
        decay: float | Iterable[float] | None = None,
        *,
        rank_by: str | None = "",
        unit: Unit | None = None,
        ci: float | None = None,
    ) -> pd.DataFrame:
        """Return the table of another reading; what is left out is as the explorer shows it."""
        explanation, shown_decay, shown_order, shown_unit, shown_level = self._shown
        if isinstance(decay, Iterable):
            return explanation.table(decay, unit=unit or "prediction", ci=ci)
        return self.of(
            explanation,
            shown_decay if decay is None else decay,
            rank_by=shown_order if rank_by == "" else rank_by,
            unit=shown_unit if unit is None else unit,
            ci=shown_level if ci is None else ci,
        )

    __call__ = table  # an error of it names `table()`
    del table
