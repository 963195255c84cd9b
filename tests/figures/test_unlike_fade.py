"""How curves fade, and effects over them, against plain loops."""

import matplotlib as mpl
import numpy as np
import pytest
from numpy.testing import assert_allclose
from pictures import by_gid, view_of

from ice_explorer import explain
from ice_explorer.scene.build import shown_lines
from ice_explorer.scene.choices import ViewState

mpl.use("Agg")
GHOST = 0.06
UNLIKE = {"fade": "unlike"}


@pytest.fixture(scope="module")
def e():
    draw = np.random.default_rng(0)
    z = draw.normal(size=80)
    X = np.column_stack([z, z + 0.1 * draw.normal(size=80)])
    return explain(lambda X: X[:, 0] * X[:, 1], X, distance="conditional")


def faded(weight):
    return GHOST + (1 - GHOST) * weight


def test_curves_fade_by_the_conditional_scale(e):
    """The opacity of each segment is that of λ to the distance of its right end, in the scale of its row."""
    f = e["x0"]
    lines = shown_lines(e, f, ViewState(feature="x0", decay=0.5))
    for row, position in enumerate(lines.positions):
        for k in range(1, len(f.axis)):
            distance = abs(f.axis[k] - f._item.feature.values[position]) / f.likelihood_scale[position]
            assert_allclose(lines.opacity[row, k - 1], faded(0.5**distance), rtol=1e-12)


def test_curves_fade_where_they_are_unlike_the_data(e):
    """A segment disappears where its right end is beyond the 99 % quantile of the observations' own scores."""
    f = e["x0"]
    found = f.extrapolation()
    by_distance = shown_lines(e, f, ViewState(feature="x0", decay=0.5))
    lines = shown_lines(e, f, ViewState(feature="x0", decay=0.5, choices=UNLIKE))
    assert 0.1 < found.is_unlike.mean() < 0.9
    for row, position in enumerate(lines.positions):
        for k in range(1, len(f.axis)):
            is_unlike = found.scores[position, k] > found.threshold
            assert lines.opacity[row, k - 1] == (0 if is_unlike else by_distance.opacity[row, k - 1])


def test_the_mean_is_dotted_where_most_curves_are_unlike_the_data():
    """As on screen; both parts meet, and have all values together."""
    draw = np.random.default_rng(0)
    z = draw.normal(size=80)
    e = explain(lambda X: X[:, 0] * X[:, 1], np.column_stack([z, z + 0.6 * draw.normal(size=80)]))
    f = e["x0"]
    f.extrapolation()
    figure = view_of(e, feature="x0", choices=UNLIKE)
    (solid,), (dotted,) = by_gid(figure, "mean"), by_gid(figure, "mean unlike the data")
    is_unlike = f._unlike_shares().grid_shares > 0.5
    assert 0 < is_unlike.sum() < len(is_unlike)
    heights = np.array([solid.get_ydata(), dotted.get_ydata()])
    assert_allclose(np.nanmean(heights, axis=0), f.partial_dependence)
    assert not np.isnan(heights[1][is_unlike]).any()
    assert np.isnan(heights[1][~is_unlike & ~np.append(is_unlike[1:], False)]).all()


def test_at_equal_weights_no_curve_ends(e):
    """Nothing is far away then."""
    assert (shown_lines(e, e["x0"], ViewState(feature="x0", decay=1, choices=UNLIKE)).opacity == 1).all()
