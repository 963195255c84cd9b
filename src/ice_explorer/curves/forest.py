"""A tree ensemble in ranks: what the sweeps work on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class SweepForest:
    """Trees in ranks, as `item_sweep.sweep` documents its arguments."""

    nodes: NDArray[np.int32]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    value: NDArray[np.float64]
    roots: NDArray[np.int32]
    margins: NDArray[np.int32]
    missing_left: NDArray[np.uint64]
    category_start: NDArray[np.int64]
    category_words: NDArray[np.uint64]
    run_bounds: NDArray[np.int64]
    runs: NDArray[np.int32]
    offsets: NDArray[np.uint64]
    width: int
    depth: int
