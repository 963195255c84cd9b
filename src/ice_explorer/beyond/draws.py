"""Row bootstrap: how often each row is drawn, block by block, and intervals of what the draws give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.checks import real_numbers
from ice_explorer.errors import InvalidOptionError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_N_DRAWS: Final = 500
ROWS_AT_A_TIME: Final = 2048


def check_ci(ci: object) -> float | None:
    """Return the level of an interval, None for none."""
    if ci is None:
        return None
    level = None if isinstance(ci, (bool, str)) else real_numbers(ci)
    if level is None or level.shape != () or not 0 < level < 1:
        raise InvalidOptionError.must("ci", "be greater than 0 and less than 1", ci, "Use `ci=0.95` for 95 %.")
    return float(level)


def weighted_blocks(
    weights: Array, generator: np.random.Generator | None, size: int = ROWS_AT_A_TIME
) -> Iterator[tuple[slice, Array]]:
    """Yield blocks of rows with their weights: the given ones first, then those of bootstrap draws.

    A row of weight w is drawn as often as a Poisson number of mean w: integer weights are repeated rows.

    Parameters
    ----------
    weights : ndarray of shape (n_rows,)
        Frequency weights.
    generator : numpy.random.Generator or None
        Source of the draws; None for no draws.
    size : int
        Rows of a block, on which draws do not depend.

    Yields
    ------
    rows : slice
    weights : ndarray of shape (1 + n_draws, n_rows of the block)
    """
    for start in range(0, len(weights), size):
        rows = slice(start, min(start + size, len(weights)))
        own = weights[rows]
        if generator is None:
            yield rows, own[None]
        else:
            drawn = generator.poisson(own[:, None], size=(len(own), _N_DRAWS))
            yield rows, np.vstack([own, drawn.T])


def interval(draws: Array, ci: float) -> tuple[Array, Array]:
    """Return the ends of the percentile interval of each column, (n_draws, …)."""
    tail = (1 - ci) / 2
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0)
    return low, high
