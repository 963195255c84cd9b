"""The picture of a file and the picture on the screen are one: the same lines in the same pixels."""

from __future__ import annotations

import base64

import numpy as np
import pytest
from playwright.sync_api import expect

from ice_explorer.figures.raster import LineSet, draw_lines, line_strength, line_thickness
from ice_explorer.figures.view import ViewState, scene

pytestmark = pytest.mark.slow

# Of `js/src/marks/curves/plot.ts`: px above the plot, beside it, and above and below the outermost line.
TOP, MARGIN, BREATH = 8, 8, 6

READ = """canvas => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let text = "";
  for (let at = 0; at < data.length; at += 4096) text += String.fromCharCode(...data.subarray(at, at + 4096));
  return {
    width: canvas.width,
    height: canvas.height,
    left: parseFloat(canvas.style.left),
    room: canvas.parentElement.clientWidth,
    ratio: window.devicePixelRatio,
    bytes: btoa(text),
  };
}"""


@pytest.fixture(scope="module", name="X")
def observations():
    generator = np.random.default_rng(2)
    return np.column_stack([generator.normal(size=600), generator.integers(0, 4, 600), generator.normal(size=600)])


def wave(X):
    return np.sin(2 * X[:, 0]) * X[:, 2] + (X[:, 0] > 0.3) * X[:, 1] + 1000


def on_paper(explanation, state, seen):
    """Draw the lines as a file does, at the place and in the size that they have on the screen."""
    shown = scene(explanation, state)
    lines, ratio = shown.lines, seen["ratio"]
    bottom = seen["height"] / ratio
    run = seen["room"] - MARGIN - seen["left"]
    low, high = lines.values.min(), lines.values.max()
    pad = (high - low) * BREATH / (bottom - TOP - 2 * BREATH)
    start, stop = lines.grid[0], lines.grid[-1]
    share = (high + pad - lines.values) / (high - low + 2 * pad)
    n_lines = len(lines.values)
    return draw_lines(
        LineSet(
            x=(lines.grid - start) / (stop - start) * run * ratio,
            y=((TOP + share * (bottom - TOP)) * ratio).astype(np.float32),
            opacity=lines.opacity.astype(np.float32),
            color=shown.coloring.values,
        ),
        shown.coloring.palette,
        width=seen["width"],
        height=seen["height"],
        thickness=line_thickness(n_lines) * ratio,
        strength=line_strength(n_lines),
    )


@pytest.mark.parametrize("color_by", [None, "x1", "x2"])
@pytest.mark.parametrize("max_lines", [6, 120, 600])
def test_lines_have_the_same_pixels_in_a_file_as_in_chromium(explore, page, X, color_by, max_lines):
    """Read back from the canvas: the same pixels are covered, and no colour differs by more than 1 of 255."""
    explorer = explore(wave, X, grid="quantile", wait=False)
    explorer.explanation  # noqa: B018 - waits for it
    explorer.feature, explorer.color_by, explorer.max_lines, explorer.decay = "x0", color_by, max_lines, 0.6
    state = ViewState(feature="x0", color_by=color_by, max_lines=max_lines, decay=0.6)
    n_lines = len(explorer.explanation["x0"].draw(max_lines))
    root = page.get_by_test_id("ice-explorer")
    expect(root).to_have_attribute("data-feature", "x0")
    expect(root).to_have_attribute("data-drawn-lines", str(n_lines))
    if color_by is not None:
        expect(page.locator(f"[data-column='{color_by}']").first).to_be_visible()
    page.wait_for_timeout(300)
    seen = page.get_by_test_id("curves-canvas").evaluate(READ)
    screen = np.frombuffer(base64.b64decode(seen["bytes"]), dtype=np.uint8)
    screen = screen.reshape(seen["height"], seen["width"], 4).astype(int)
    paper = on_paper(explorer.explanation, state, seen).astype(int)
    assert (paper[..., 3] > 0).sum() > 1000
    assert np.array_equal(paper[..., 3] > 0, screen[..., 3] > 0)
    assert np.abs(paper[..., 3] - screen[..., 3]).max() <= 1
    # A canvas keeps colours times their opacity, in whole numbers.
    kept = [np.rint(pixels[..., :3] * pixels[..., 3:] / 255) for pixels in (paper, screen)]
    assert np.abs(kept[0] - kept[1]).max() <= 1
