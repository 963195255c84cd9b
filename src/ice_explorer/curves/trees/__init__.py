"""Compute exact ICE curves of tree models: all features in one pass over the trees.

Data flow: `splits` turns values into integer ranks, `item_sweep` follows the rows through the trees, `curves` sums the
leaves. `item_sweep_numpy` is the reference without numba.
"""
