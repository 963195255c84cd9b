"""Where dots and the connectors between levels stand: as in the browser."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from ice_explorer.figures.curves import MOST_CONNECTED, connector_opacity, place_in_strip, strip_ends, strip_reach


def test_strips_are_those_of_the_browser():
    """`js/test/plot/geometry/levels.test.ts` has these numbers, too."""
    assert_allclose(place_in_strip(np.array([0, 1, 7])), [-1, 0.2360679774997898, -0.34752415750147], rtol=1e-12)
    assert_allclose([strip_reach(n, 100.0) for n in (300, 5000)], [20.784609690826528, 30])
    assert_allclose(strip_reach(300, 50.0), 17)
    assert [strip_reach(n, 100.0) for n in (1, 20)] == [0, 0]  # without a crowd there is no strip


def test_connectors_run_between_strips():
    """They are nothing within one, and as strong as the likelier of their ends between two."""
    assert_array_equal(strip_ends(np.array([10.0, 50.0]), 4.0), [6, 14, 46, 54])
    opacity = connector_opacity(np.array([[1.0, 0.5, 0.25]]))
    assert_allclose(opacity, [[0, 0.4, 0, 0.2, 0]])
    assert opacity.max() <= MOST_CONNECTED
    assert connector_opacity(np.ones((3, 1))).shape == (3, 1)
