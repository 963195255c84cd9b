"""Compile the kernels ahead of the first explanation."""

from __future__ import annotations

import numpy as np

from ice_explorer.errors.tracebacks import short_traceback
from ice_explorer.runtime import HAS_NUMBA


@short_traceback
def warmup() -> None:
    """Compile what explaining tree models and drawing many lines needs, once per installation.

    The first explanation of such a model, and the first such figure, does this automatically and takes a few seconds
    longer; later processes find the compiled kernels on disk. Does nothing where numba is not installed.

    Examples
    --------
    >>> import ice_explorer as ice
    >>> ice.warmup()
    """
    if not HAS_NUMBA:
        return
    from ice_explorer.figures.raster.lines import LineSet, draw_lines
    from ice_explorer.metrics.ordered import FeatureSums
    from ice_explorer.metrics.unordered_numba import add_pairs
    from ice_explorer.scene.palette import plain_palette
    from ice_explorer.trees.curves import TreeCurves
    from ice_explorer.trees.forest import Forest, Inputs

    stump = Forest(
        library="none",
        n_features=1,
        inputs=Inputs(np.dtype(np.float64), "le"),
        n_nodes=np.array([3]),
        feature=np.array([0, -1, -1], np.int32),
        threshold=np.array([1.5, 0.0, 0.0]),
        left=np.array([1, -1, -1], np.int32),
        right=np.array([2, -1, -1], np.int32),
        missing_left=np.zeros(3, np.bool_),
        value=np.array([0.0, 1.0, 2.0]),
        margin=np.zeros(1, np.int32),
        base=np.zeros(1),
    )
    own = np.arange(4.0)
    ones = np.ones(4)
    trees = TreeCurves(stump, [own], {0: (np.zeros(1, np.intp), own[:, None])})
    rows = own, ones, ones
    for jumps in (None, trees.sweep([0])(trees.alike(np.arange(4)))):
        sums = FeatureSums(own, 1.0, ones, 0.75, rows, active=trees.active[0], compiled=True)
        if jumps is None:
            sums.add(np.ones((4, len(sums.active) + 1)), rows)
        else:
            sums.add_jumps(jumps.to_fold(0), rows)
        sums.finish()
    add_pairs(np.ones((3, 4)), ones, np.ones(3), 0.0, np.zeros(3), np.zeros(3), np.zeros(3))
    level = np.ones((1, 2), np.float32)
    line = LineSet(own[:2], level, level[:, 1:], level[:, 0])
    draw_lines(line, plain_palette(), width=1, height=2, thickness=1.0, strength=1.0, compiled=True)
