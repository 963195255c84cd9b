"""Drivers of a feature as a DataFrame with summary attributes."""

from __future__ import annotations

from typing import ClassVar

import pandas as pd


class DriverTable(pd.DataFrame):  # type: ignore[misc]
    """A DataFrame of splits, one row for each other column, best first; see `Explanation.drivers`.

    Attributes
    ----------
    summary : str
        The size of the differences, and the best rule, in a sentence.
    difference : float
        Variance between curves, relative to the total variance of the curves around their own means, 0 to 1.
        0: all have the same shape; 1: they have none in common.
    combined_columns, combined_share, rules : tuple of str, float, dict of str to int
        Two columns together: what they explain, and up to four rules with their numbers of rows. Empty where
        they do not explain at least 5 % more than the best column.
    n_rows : int
        Rows that splits were searched on.
    note : str
        A sentence where these are a sample.
    """

    summary: str = ""
    difference: float = 0.0
    combined_columns: tuple[str, ...] = ()
    combined_share: float = 0.0
    rules: dict[str, int] = {}  # noqa: RUF012 - replaced as a whole in each table
    n_rows: int = 0
    note: str = ""

    # What pandas passes on to the tables that it makes of this one.
    _metadata: ClassVar = [
        "summary", "difference", "combined_columns", "combined_share", "rules", "n_rows", "note"
    ]  # fmt: skip

    @property
    def _constructor(self) -> type[DriverTable]:
        return DriverTable
