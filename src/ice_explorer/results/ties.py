"""Neighbours in rank whose difference could be 0, as a DataFrame with a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from ice_explorer.results.bootstrap import neighbours
from ice_explorer.tables.column import label_index

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


class TieTable(pd.DataFrame):  # type: ignore[misc]
    """A DataFrame of neighbours in rank; see `Explanation.ties`.

    Attributes
    ----------
    summary : str
        Which are tied, in a sentence.
    """

    summary: str = ""
    _metadata: ClassVar = ["summary"]  # what pandas passes on to the tables that it makes of this one

    @property
    def _constructor(self) -> type[TieTable]:
        return TieTable


def tie_table(
    features: Sequence[tuple[Any, str]], values: Sequence[float], draws: Sequence[NDArray[np.float64]], level: float
) -> TieTable:
    """Compare each feature with the one ranked next.

    Parameters
    ----------
    features : sequence of tuple
        Name and label of each.
    values : sequence of float
        The metric of the ranking; NaN where a feature has none.
    draws : sequence of ndarray of shape (n_draws,)
        The metric in each bootstrap draw.
    level : float
        Of the intervals.
    """
    compared = neighbours(values, draws, level)
    first, second, low, high = compared
    index = label_index([features[at][0] for at in first], "feature")
    table = TieTable(
        {
            "next": pd.Series([features[at][0] for at in second], index, dtype=object),
            "difference": [values[a] - values[b] for a, b in zip(first, second, strict=True)],
            "difference_low": low,
            "difference_high": high,
            "tied": compared.are_tied,
        },
        index,
    )
    tied = [f"{features[a][1]!r} and {features[b][1]!r}" for a, b in compared.tied]
    at_level = f"tied at {100 * level:g} %"
    table.summary = (
        f"Neighbours in rank that are {at_level}: {', '.join(tied)}."
        if tied
        else f"No neighbours in rank are {at_level}."
    )
    return table
