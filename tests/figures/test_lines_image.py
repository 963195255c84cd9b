"""Curves as pixels: how much ink each pixel has, and its colour."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from ice_explorer.figures.lines_image import draw_lines, line_strength, line_thickness
from ice_explorer.scene.coloring import level_palette, plain_palette, ramp_palette

STRENGTH = 2.0
OPAQUE = 1 - math.exp(-STRENGTH)


def draw(x, rows, values=None, palette=None, *, opacity=None, width=60, height=50, thickness=1.0, strength=STRENGTH):
    y = np.array(rows, dtype=np.float64)
    opacity = np.ones((len(y), len(x) - 1)) if opacity is None else opacity
    values = np.zeros(len(y), dtype=np.float32) if values is None else np.array(values, dtype=np.float32)
    size = {"width": width, "height": height, "thickness": thickness, "strength": strength}
    return draw_lines((np.array(x, dtype=np.float64), y, opacity), values, palette or plain_palette(), **size)


def slow_ink(x, row, width, height, thickness):
    """Ink of one opaque line, pixel by pixel: a line covers a column from where it enters to where it leaves."""
    ink = np.zeros((height, width))
    for column in range(width):
        left, right = max(column, x[0]), min(column + 1, x[-1])
        if right <= left:
            continue
        inner = [at for at in x if left < at < right]
        heights = [np.interp(at, x, row) for at in (left, *inner, right)]
        low, high = min(heights), max(heights)
        length = math.hypot(right - left, high - low)
        density = thickness * length / (high - low + thickness)
        for pixel in range(height):
            covered = min(pixel + 1, high + thickness / 2) - max(pixel, low - thickness / 2)
            ink[pixel, column] += density * max(0.0, covered)
    return ink


@given(
    heights=st.lists(st.floats(-10, 60), min_size=4, max_size=4),
    inner=st.lists(st.floats(3, 57), min_size=2, max_size=2, unique=True),
    thickness=st.floats(0.5, 4),
)
def test_ink_is_that_of_a_slow_loop(heights, inner, thickness):
    """Opacity is in proportion to ink up to that of one opaque line, and saturates beyond it."""
    x = [2.0, *sorted(inner), 58.0]
    ink = slow_ink(x, heights, 60, 50, thickness)
    beyond = 1 - np.exp(-STRENGTH - (math.exp(STRENGTH) - 1) * (ink - 1))
    expected = np.where(ink <= 1, OPAQUE * ink, beyond)
    assert_allclose(draw(x, [heights], thickness=thickness)[..., 3], 255 * expected, atol=1.0)


def test_a_level_line_fills_its_row():
    """Between two rows it is half in each."""
    opacity = draw([0, 60], [[20.5, 20.5]])[..., 3] / 255
    assert_allclose(opacity[20], OPAQUE, atol=0.01)
    assert np.delete(opacity, 20, axis=0).max() == 0
    assert_allclose(draw([0, 60], [[20.0, 20.0]])[19:21, :, 3] / 255, OPAQUE / 2, atol=0.01)


def test_the_order_of_lines_shows_nowhere():
    """Neither in colour nor in opacity."""
    generator = np.random.default_rng(1)
    rows, values = generator.uniform(5, 45, (80, 12)), generator.random(80)
    opacity, order = generator.random((80, 11)), generator.permutation(80)
    x = np.linspace(0, 60, 12)
    one = draw(x, rows, values, ramp_palette(), opacity=opacity).astype(int)
    other = draw(x, rows[order], values[order], ramp_palette(), opacity=opacity[order]).astype(int)
    assert np.abs(one - other).max() <= 1


@pytest.mark.parametrize("palette", [ramp_palette(), level_palette(3, ordered=False)], ids=["ramp", "levels"])
def test_a_pixel_has_the_mean_colour_of_what_crosses_it(palette):
    """Of numbers on the ramp, of levels their colours by ink; missing values have their own."""
    values = [0.2, 0.6, np.nan] if palette.kind == "ramp" else [0, 2, np.nan]
    alone = [draw([0, 60], [[20.5, 20.5]], [value], palette)[20, 30, :3].astype(int) for value in values]
    hexes = ["#{:02x}{:02x}{:02x}".format(*color) for color in alone]
    assert hexes == [palette.css(value) for value in values]
    both = draw([0, 60], [[20.5, 20.5]] * 2, values[:2], palette)[20, 30, :3].astype(int)
    expected = ramp_palette().colors[round(0.4 * 255)] if palette.kind == "ramp" else (alone[0] + alone[1]) / 2
    assert_allclose(both, expected, atol=1)
    with_missing = draw([0, 60], [[20.5, 20.5]] * 2, values[1:], palette)[20, 30, :3].astype(int)
    assert_allclose(with_missing, (alone[1] + alone[2]) / 2, atol=1)


def test_a_block_boundary_leaves_no_seam(monkeypatch):
    """Pictures are drawn in blocks of columns; how many columns a block holds must not show."""
    rows = np.random.default_rng(0).uniform(0, 50, (40, 90))
    whole = draw(np.linspace(0, 60, 90), rows)
    monkeypatch.setattr("ice_explorer.figures.lines_image._BLOCK", 1)
    assert_array_equal(draw(np.linspace(0, 60, 90), rows), whole)


def test_steps_are_upright():
    """Two points at one place, as slopes have them, are joined."""
    opacity = draw([0, 30.5, 30.5, 60], [[10.5, 10.5, 40.5, 40.5]])[..., 3]
    assert (opacity[11:40, 30] > 0.9 * 255 * OPAQUE).all()
    assert opacity[20, 29] == opacity[20, 31] == 0


def test_nothing_is_drawn_of_no_lines_or_single_points():
    """An empty picture is transparent."""
    assert not draw([0, 60], np.empty((0, 2)), np.empty(0)).any()
    assert not draw([30], [[20]]).any()
    assert not draw([70, 90], [[20, 20]]).any()
    assert not draw([0, 60], [[np.nan, np.nan]]).any()


def test_few_lines_are_solid_and_many_show_their_density():
    """Ten lines are all but opaque, a thousand are not, and more lines are never stronger each."""
    strengths = [line_strength(n) for n in (1, 10, 11, 50, 200, 1000, 5000)]
    assert strengths == sorted(strengths, reverse=True)
    assert 1 - math.exp(-line_strength(10)) > 0.94
    assert 1 - math.exp(-line_strength(1000)) < 0.2
    assert [line_thickness(n) for n in (1, 10, 200, 5000)] == [1.5, 1.5, 1.0, 1.0]
