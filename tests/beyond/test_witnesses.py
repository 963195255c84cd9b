"""Effects, importances and interactions: equal to those of other packages, and to closed forms.

Where packages disagree, ours is:

- ALE of whole numbers: rows at both ends of an interval count, as in PyALE and ALEPlot for levels, so that the effect
  does not depend on the direction of the axis. alibi counts rows at the right end alone.
- ALE of other numbers: rows in (z_{k-1}, z_k], as in Apley & Zhu (2020), PyALE and alibi; effector counts rows at the
  left end. Quantiles end the intervals, so that all have as many rows; those of effector have one width.
- ALE of a step: the step, as for every finite difference; RHALE of effector averages derivatives, which miss it.
- The constant of ALE: mean 0 over the observations, linear between ends of intervals. PyALE and alibi take the middle
  of each interval for all of its rows, effector the mean over the axis.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from comparisons import ALL, explained, recorded
from numpy.testing import assert_allclose, assert_array_equal
from witnesses import data, nonlinear


@pytest.mark.parametrize("compare", ALL, ids=lambda compare: compare.__name__)
def test_figures_are_those_of_others(compare):
    """Every quantity at every value, within its tolerance."""
    for quantity, ours, theirs, tolerance, source in compare():
        assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance, err_msg=f"{quantity}: {source}")


def test_whole_numbers_of_alibi_count_rows_at_one_end():
    """Its ALE of rooms is the sum of changes from the left, without those to the right, which ours has, too."""
    X = data()
    theirs = recorded("alibi")[0]["ale"]["rooms"]
    values = np.array(theirs["value"])

    def change(rows, low, high):
        return nonlinear(rows.assign(rooms=high)) - nonlinear(rows.assign(rooms=low))

    def changes(low, high, ends):
        return np.mean(change(X[X["rooms"].isin(ends)], low, high))

    pairs = list(pairwise(values))
    first = [[low, high] if low == values[0] else [high] for low, high in pairs]
    assert_allclose(np.diff(theirs["ale"]), [changes(*pair, ends) for pair, ends in zip(pairs, first, strict=True)])
    ours = explained().effects("rooms", "ale")["ale"]
    assert_allclose(np.diff(ours), [changes(*pair, pair) for pair in pairs])
    assert np.abs(np.diff(ours) - np.diff(theirs["ale"])).max() > 0.5


def test_derivatives_of_effector_miss_a_step():
    """RHALE is flat where its own ALE, and ours, have the step of 2/3."""
    figures = recorded("effector")[0]["ConditionalInteractionUniform"]["1"]
    assert_array_equal(figures["RHALE"], 0)
    assert_array_equal(figures["closed form of RHALE"], 0)
    assert_allclose(np.ptp(figures["ALE"]), 2 / 3, atol=0.15)


def test_correlation_parts_what_independence_leaves_equal():
    """Closed forms: PD and ALE are one curve where features are independent, and two in the correlated benchmark."""
    figures = recorded("effector")[0]
    for name, of_features in figures.items():
        for theirs in of_features.values():
            apart = np.ptp(np.subtract(theirs["closed form of PD"], theirs["closed form of ALE"]))
            assert apart > 1 if name == "CorrelatedInteraction" else apart == 0
