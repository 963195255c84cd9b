"""The numpy twin of the browser's line renderer, and the fixtures that hold the two together.

`python tests/figures/test_raster.py` writes the fixtures in tests/contract/raster anew.
"""

import base64
import json
import math
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ice_explorer import explain
from ice_explorer.figures.raster.lines import (
    LineSet,
    draw_lines,
    line_strength,
    line_thickness,
)
from ice_explorer.scene.palette import diverging_palette, level_palette, plain_palette, ramp_palette

CONTRACT = Path(__file__).parents[1] / "contract" / "raster"
STRENGTH = 2.0


def line_set(x, rows, *, opacity=None, color=None):
    y = np.array(rows, dtype=np.float32)
    return LineSet(
        x=np.array(x, dtype=np.float64),
        y=y,
        opacity=np.ones((len(y), len(x) - 1), dtype=np.float32) if opacity is None else np.float32(opacity),
        color=np.zeros(len(y), dtype=np.float32) if color is None else np.array(color, dtype=np.float32),
    )


def draw(lines, palette=None, *, width=60, height=50, thickness=1.0, strength=STRENGTH):
    palette = plain_palette() if palette is None else palette
    return draw_lines(lines, palette, width=width, height=height, thickness=thickness, strength=strength)


def wavy_lines(n_lines, n_points, width, height):
    """Lines as a smooth model gives them, faded away from a place of their own."""
    generator = np.random.default_rng(0)
    at = np.linspace(0, 1, n_points)
    place, slope = generator.random((n_lines, 1)), generator.normal(size=(n_lines, 1))
    y = height * (0.5 + 0.1 * slope * at + 0.25 * np.sin(6 * at + 3 * place))
    y += generator.normal(scale=height / 200, size=y.shape)
    fade = 0.06 + 0.94 * np.exp(-(((at[1:] - place) / 0.25) ** 2))
    return line_set(at * width, y, opacity=fade, color=place[:, 0])


def cases():
    """Small pictures in which every branch of the renderer is used."""
    generator = np.random.default_rng(1)
    slopes = line_set([1.5, 30.25], [[9.3, 9.3], [3, 11], [2, 17.5], [18.5, 0.2], [-6, 30]])
    uneven = np.cumsum([0, 0.01, 0.02, 2.9, 0.3, 7.7, 0.6, 0, 9, 0.05, 11])
    steps = line_set(
        uneven,
        generator.choice([3.2, 9.9, 15.4], size=(4, len(uneven))),
        opacity=generator.uniform(0.1, 1, (4, 10)),
        color=[0, 1, 2, np.nan],
    )
    dense = line_set(
        np.linspace(-3, 35, 90),
        10 + 5 * generator.normal(size=(6, 90)),
        opacity=generator.uniform(0, 1, (6, 89)),
        color=[0.1, 0.9, np.nan, 0.5, -0.2, 1.3],
    )
    broken_rows = 10 + 6 * np.sin(np.arange(3)[:, None] + np.linspace(0, 5, 12))
    broken_rows[0, 4], broken_rows[2, 0], broken_rows[1, 11] = np.nan, np.inf, np.nan
    broken = line_set(np.linspace(0, 32, 12), broken_rows, color=[0.0, 0.5, 1.0])
    many = wavy_lines(120, 15, 32, 20)
    eight = line_set([0, 32], [[2 * k, 19 - k] for k in range(9)], color=list(range(9)))
    # Upright between columns, narrower than the line but not steep, a spike.
    corners = line_set([0, 10, 10, 15.3, 15.9, 22.4, 22.9, 23.3, 32], [[4, 4, 16, 16, 15.5, 15.5, 2, 15.5, 15.5]])
    return {
        "slopes": (slopes, "plain", 1.5, 3.0),
        "uneven_steps": (steps, "hues_3", 1.0, 2.0),
        "uneven_steps_thick": (steps, "ordered_3", 2.5, 0.7),
        "dense_noise": (dense, "ramp", 1.0, 0.4),
        "broken": (broken, "ramp", 1.0, 1.0),
        "many": (many, "ramp", 1.0, line_strength(120)),
        "nine_levels": (eight, "hues_9", 1.2, 0.5),
        "corners": (corners, "plain", 2.0, 3.0),
    }


PALETTES = {
    "ramp": ramp_palette(),
    "plain": plain_palette(),
    "hues_3": level_palette(3, ordered=False),
    "hues_9": level_palette(9, ordered=False),
    "ordered_1": level_palette(1, ordered=True),
    "ordered_3": level_palette(3, ordered=True),
    "diverging": diverging_palette(),
}


def numbers(array):
    """Write an array for JSON, which knows neither NaN nor infinity."""
    return [None if math.isnan(v) else ("inf" if math.isinf(v) else v) for v in np.ravel(array).tolist()]


def raster_contract():
    """Every case with its pixels."""
    written = []
    for name, (lines, palette, thickness, strength) in cases().items():
        pixels = draw(lines, PALETTES[palette], width=32, height=20, thickness=thickness, strength=strength)
        written.append(
            {
                "name": name,
                "palette": palette,
                "style": {"width": 32, "height": 20, "thickness": thickness, "strength": strength},
                "lines": {
                    "n_lines": lines.y.shape[0],
                    "n_points": lines.y.shape[1],
                    "x": numbers(lines.x),
                    "y": numbers(lines.y),
                    "opacity": numbers(lines.opacity),
                    "color": numbers(lines.color),
                },
                "pixels": base64.b64encode(pixels.tobytes()).decode(),
            }
        )
    return written


def palettes_contract():
    """Every palette as [red, green, blue] in a row."""
    return {
        name: {"kind": palette.kind, "colors": palette.colors.ravel().tolist(), "missing": list(palette.missing)}
        for name, palette in PALETTES.items()
    }


def transforms_contract():
    """What Python makes of the same curves for each kind of picture."""
    generator = np.random.default_rng(2)
    X = np.column_stack([generator.choice([0.0, 0.5, 0.75, 2.0, 2.25, 4.0], 9), generator.normal(size=9)])
    grid = [0.0, 0.6, 1.5, 2.0, 3.5]
    model = lambda X: np.sin(X[:, 0] + X[:, 1]) + 3  # noqa: E731 - one line says it
    feature = explain(model, X, grid={"x0": grid}, features=["x0"], progress=False)["x0"]
    anchors = ("min", "max", "median", "own", 1.05, 99.0)
    return {
        "grid": grid,
        "observed": feature.observed.tolist(),
        "likelihood_scale": feature.likelihood_scale.tolist(),
        "median": feature._item.median,
        "at_own": numbers(feature._at_own_values(feature.rows, feature.curves)),
        "curves": numbers(feature.curves),
        "centered": {str(anchor): numbers(feature.centered_curves(anchor)) for anchor in anchors},
        "slopes": numbers(feature.slopes),
        "likelihood": {str(decay): numbers(feature.likelihood(decay)) for decay in (0.01, 0.75, 1.0)},
    }


FIXTURES = {
    "raster.json": raster_contract,
    "palettes.json": palettes_contract,
    "transforms.json": transforms_contract,
}


def compact(content):
    return json.dumps(content, allow_nan=False, separators=(",", ":"))


def written_out(fixture):
    """One line per case, so that a difference shows which one changed."""
    content = FIXTURES[fixture]()
    if isinstance(content, dict):
        return compact(content) + "\n"
    return "[\n" + ",\n".join(compact(case) for case in content) + "\n]\n"


@pytest.mark.parametrize("fixture", FIXTURES)
def test_the_contract_is_what_python_gives_today(fixture):
    """The committed fixtures, which the front end is tested against, are those of this code."""
    committed = json.loads((CONTRACT / fixture).read_text(encoding="utf-8"))
    today = json.loads(written_out(fixture))
    if fixture == "raster.json":
        for then, now in zip(committed, today, strict=True):
            pixels = [np.frombuffer(base64.b64decode(case.pop("pixels")), np.uint8).astype(int) for case in (then, now)]
            assert_allclose(pixels[0], pixels[1], atol=1, rtol=0, err_msg=then["name"])
    assert len(committed) == len(today)
    _assert_alike(committed, today)


def _assert_alike(one, other):
    """Compare nested JSON; numbers to the last few bits, which libraries of another version may turn."""
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert list(one) == list(other)
        for key in one:
            _assert_alike(one[key], other[key])
    elif isinstance(one, list):
        assert len(one) == len(other)
        for first, second in zip(one, other, strict=True):
            _assert_alike(first, second)
    elif isinstance(one, float):
        assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    else:
        assert one == other


def test_a_block_boundary_leaves_no_seam(monkeypatch):
    """Pictures are drawn in blocks of columns; how many columns a block holds must not show."""
    lines = wavy_lines(40, 90, 60, 50)
    whole = draw(lines, ramp_palette())
    monkeypatch.setattr("ice_explorer.figures.raster.lines._BLOCK", 1)
    assert_array_equal(draw(lines, ramp_palette()), whole)


@pytest.mark.parametrize("name", cases())
def test_compiled_ink_is_that_of_numpy(name):
    """Whether numba draws a picture or NumPy shows in no pixel."""
    lines, palette, thickness, strength = cases()[name]
    size = {"width": 32, "height": 20, "thickness": thickness, "strength": strength}
    by_numba, by_numpy = (draw_lines(lines, PALETTES[palette], **size, compiled=yes) for yes in (True, False))
    assert_array_equal(by_numba, by_numpy)


def test_nothing_is_drawn_of_no_lines_or_single_points():
    """An empty picture is transparent."""
    none = LineSet(np.array([0.0, 60.0]), np.empty((0, 2), np.float32), np.empty((0, 1), np.float32), np.empty(0))
    assert not draw(none).any()
    assert not draw(line_set([30], [[20]])).any()
    assert not draw(line_set([70, 90], [[20, 20]])).any()


def test_few_lines_are_solid_and_many_show_their_density():
    """Ten lines are all but opaque, a thousand are not, and more lines are never stronger each."""
    strengths = [line_strength(n) for n in (1, 10, 11, 50, 200, 1000, 5000)]
    assert strengths == sorted(strengths, reverse=True)
    assert 1 - math.exp(-line_strength(10)) > 0.94
    assert 1 - math.exp(-line_strength(1000)) < 0.2
    assert [line_thickness(n) for n in (1, 10, 200, 5000)] == [1.5, 1.5, 1.0, 1.0]


if __name__ == "__main__":
    CONTRACT.mkdir(parents=True, exist_ok=True)
    for fixture in FIXTURES:
        (CONTRACT / fixture).write_text(written_out(fixture), encoding="utf-8")
