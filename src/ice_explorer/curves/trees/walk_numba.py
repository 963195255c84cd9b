"""Rows walked through trees one at a time, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True, error_model="numpy")
def _is_listed(codes, first, last, number):
    """Whether a number is among codes first … last, which are ascending."""
    while first < last:
        middle = (first + last) // 2
        if codes[middle] < number:
            first = middle + 1
        elif codes[middle] > number:
            last = middle
        else:
            return True
    return False


@njit(nogil=True, cache=True, error_model="numpy")
def add_leaves(
    feature, threshold, left, right, missing_left, value, root, margin, is_le, split_node, split_start, codes,
    listed_left, compared, margins,
):  # fmt: skip
    """Add the leaves that rows fall into to their margins.

    - `feature` … `margin`: as `TreeEnsemble` has them.
    - `is_le`: whether numbers at the threshold go left.
    - `split_node` … `listed_left`: as `CategoricalSplits` has them.
    - `compared` (n_columns, n_rows): numbers and codes as the trees compare them.
    - `margins` (n_margins, n_rows): added to.
    """
    for tree in range(root.shape[0]):
        for row in range(compared.shape[1]):
            node = root[tree]
            while left[node] >= 0:
                number, at_most = compared[feature[node], row], threshold[node]
                if np.isnan(number):
                    goes_left = missing_left[node]
                elif np.isnan(at_most):  # only categorical nodes have no threshold
                    split = np.searchsorted(split_node, node)
                    is_listed = _is_listed(codes, split_start[split], split_start[split + 1], number)
                    goes_left = is_listed == listed_left
                else:
                    goes_left = number <= at_most if is_le else number < at_most
                node = left[node] if goes_left else right[node]
            margins[margin[tree], row] += value[node]
