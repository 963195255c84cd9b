"""Notes on impacts that rest on one step or on close values, at the fewest grid values that have them."""

import numpy as np
import pytest

import ice_explorer as ice

CLOSE = [2.0, 2.03125]


@pytest.mark.parametrize(("values", "is_noted"), [([0.0, 1.0, *CLOSE, 4.0], True), ([0.0, *CLOSE, 4.0], False)])
@pytest.mark.parametrize(
    ("convention", "text"), [("stable", "of the change happens between 2 and 2.03125"), ("equations", "along the axis")]
)
def test_five_values_are_enough_and_four_are_not(values, is_noted, convention, text):
    """A step between close values brings most of the impact of five values; of four any step brings much."""
    X = np.array(values)[:, None]
    e = ice.explain(lambda rows: 1.0 * (rows[:, 0] > 2.02), X, convention=convention, progress=False)
    assert any(text in note for note in e.notes) == is_noted
