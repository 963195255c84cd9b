"""Read the trees of a fitted model and compute exact ICE curves of them, all features in one pass.

Data flow: a module `read_…` per library returns a `Forest`, `TreeCurves` turns thresholds and values of X into ranks,
and `sweep_numba` follows the rows through the trees.
"""
