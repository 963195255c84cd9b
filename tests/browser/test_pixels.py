"""A file and the screen show the same lines in the same places, though two renderers draw them."""

from __future__ import annotations

import base64
import re

import numpy as np
import pytest
from browser.awaiting import still
from playwright.sync_api import expect

from ice_explorer.figures.lines_image import draw_lines, line_strength, line_thickness
from ice_explorer.scene.build import scene
from ice_explorer.scene.view_state import ViewState

pytestmark = pytest.mark.slow

# Of `js/src/plot/plot.ts`: px above the plot, beside it, and above and below the outermost line.
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


def as_seen(lines, seen):
    """Lines in px of the canvas, at the place and in the size that they have on the screen."""
    ratio = seen["ratio"]
    bottom = seen["height"] / ratio
    run = seen["room"] - MARGIN - seen["left"]
    low, high = lines.values.min(), lines.values.max()
    pad = (high - low) * BREATH / (bottom - TOP - 2 * BREATH)
    (low, high), (start, stop) = (low - pad, high + pad), (lines.grid[0], lines.grid[-1])
    share = (high - lines.values) / (high - low)
    x = (lines.grid - start) / (stop - start) * run * ratio
    return x, seen["height"] - (TOP + share * (bottom - TOP)) * ratio, lines.opacity


def on_paper(explanation, state, seen):
    """Draw the lines as a file does."""
    shown = scene(explanation, state)
    lines, ratio = shown.lines, seen["ratio"]
    n_lines = len(lines.values)
    pixels = draw_lines(
        as_seen(lines, seen),
        shown.lines.coloring.values,
        shown.lines.coloring.palette,
        width=seen["width"],
        height=seen["height"],
        thickness=line_thickness(n_lines) * ratio,
        strength=line_strength(n_lines),
    )
    return pixels[::-1]  # from the top, as a canvas has them


def shown_pixels(page):
    """Read the canvas of the lines back, once all around it is there; also where it is and how large."""
    expect(page.get_by_test_id("drivers")).to_have_attribute("data-state", re.compile("ready|nothing"))
    still(page.get_by_test_id("plot"))
    seen = page.get_by_test_id("curves-canvas").evaluate(READ)
    screen = np.frombuffer(base64.b64decode(seen["bytes"]), dtype=np.uint8)
    return seen, screen.reshape(seen["height"], seen["width"], 4).astype(int)


def assert_same_picture(paper, screen):
    """Nearly the same pixels are covered, as strongly and in the same colours; moved by a pixel they are not."""
    paper = paper.astype(int)
    covered = (paper[..., 3] > 25) | (screen[..., 3] > 25)
    assert covered.sum() > 1000

    def differences(moved):
        inked = [pixels[..., :3] * pixels[..., 3:] / 255 for pixels in (moved, screen)]
        return np.abs(moved[..., 3] - screen[..., 3])[covered].mean(), np.abs(inked[0] - inked[1])[covered].mean()

    opacity, ink = differences(paper)
    assert opacity < 12
    assert ink < 8
    for axis in (0, 1):
        assert differences(np.roll(paper, 2, axis))[0] > 1.5 * opacity


CASES = [(None, 6), ("x1", 120), ("x2", 600)]


@pytest.mark.parametrize("case", CASES)
def test_lines_are_in_a_file_where_they_are_in_chromium(explore, page, X, case):
    """Read back from the canvas."""
    color_by, max_lines = case
    explorer = explore(wave, X, grid="quantile", wait=False)
    explorer.explanation  # noqa: B018 - waits for it
    explorer.feature, explorer.color_by, explorer.max_lines, explorer.decay = "x0", color_by, max_lines, 0.6
    state = ViewState(feature="x0", color_by=color_by, max_lines=max_lines, decay=0.6)
    view = page.get_by_test_id("ice-explorer")
    expect(view).to_have_attribute("data-feature", "x0")
    expect(view).to_have_attribute("data-drawn-lines", str(len(explorer.explanation["x0"]._draw(max_lines))))
    expect(view.get_by_test_id("decay-value")).to_have_text("0.6")
    if color_by is not None:
        expect(view.locator(f"[data-column='{color_by}']").first).to_be_visible()
    seen, screen = shown_pixels(page)
    assert_same_picture(on_paper(explorer.explanation, state, seen), screen)
