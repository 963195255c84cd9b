"""Compute every metric as sums over blocks of curves, for any decay and convention.

`ordered` and `unordered` are the references for features with and without an order; modules ending in `_numba` are
compiled versions. Start at `ordered`.
"""
