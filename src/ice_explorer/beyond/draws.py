"""Row bootstrap: how often each row is drawn, block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.metrics.bootstrap import N_DRAWS, ROWS_AT_A_TIME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Array = NDArray[np.float64]


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
            drawn = generator.poisson(own[:, None], size=(len(own), N_DRAWS))
            yield rows, np.vstack([own, drawn.T])
