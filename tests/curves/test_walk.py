"""Predictions by walking trees against those of one row and node at a time."""

import numpy as np
import oracles
import strategies
from hypothesis import given, settings
from numpy.testing import assert_allclose, assert_array_equal

from ice_explorer.curves.trees import walk


def walked(ensemble, X):
    return walk.predict(ensemble, list(X.T))


def by_hand(ensemble, X):
    return [oracles.output_of_margins(ensemble, oracles.margins_of_row(ensemble, row)) for row in X.tolist()]


@given(ensemble=strategies.ensembles(), X=strategies.rows_of_ensembles())
@settings(max_examples=150)
def test_rows_fall_into_the_leaves_that_their_numbers_lead_to(ensemble, X):
    """Both comparisons, missing values and sets of categories; leaves are whole numbers, and sums exact."""
    assert_array_equal(walked(ensemble, X), by_hand(ensemble, X))


@given(ensemble=strategies.ensembles(links=("exp", "sigmoid", "softmax")), X=strategies.rows_of_ensembles(max_rows=3))
@settings(max_examples=60)
def test_a_link_is_applied_to_the_sum_of_all_trees(ensemble, X):
    """Trees of several margins add to their own."""
    assert_allclose(walked(ensemble, X), by_hand(ensemble, X), rtol=1e-13, atol=0)


def test_columns_that_no_tree_splits_are_not_read():
    """They may hold anything, such as labels."""
    ensemble = strategies.ensemble_of_tuples([(0, 0.5, frozenset(), False, -2, 3)])
    columns = [np.array([0.0, 1.0]), np.array(["a", "b"], object), np.zeros(2), np.zeros(2)]
    assert_array_equal(walk.predict(ensemble, columns), [-2.0, 3.0])
