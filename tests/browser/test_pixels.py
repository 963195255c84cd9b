"""The picture of a file and the picture on the screen are one: the same lines in the same pixels."""

from __future__ import annotations

import base64
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from browser.awaiting import still
from playwright.sync_api import expect

from ice_explorer.figures.raster.lines import (
    LineSet,
    density_peak,
    draw_density,
    draw_lines,
    line_strength,
    line_thickness,
)
from ice_explorer.scene.build import scene
from ice_explorer.scene.view_state import ViewState

pytestmark = pytest.mark.slow

# Of `js/src/plots/plot.ts`: px above the plot, beside it, and above and below the outermost line.
TOP, MARGIN, BREATH = 8, 8, 6
CELL = 2  # px of the page across a cell of the density

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


def as_seen(lines, coloring, seen):
    """Lines in px of the canvas, at the place and in the size that they have on the screen."""
    ratio = seen["ratio"]
    bottom = seen["height"] / ratio
    run = seen["room"] - MARGIN - seen["left"]
    if lines.window is None:
        low, high = lines.values.min(), lines.values.max()
        pad = (high - low) * BREATH / (bottom - TOP - 2 * BREATH)
        (low, high), (start, stop) = (low - pad, high + pad), (lines.grid[0], lines.grid[-1])
    else:
        (low, high), (start, stop) = lines.y_domain, lines.x_domain
    share = (high - lines.values) / (high - low)
    return LineSet(
        x=(lines.grid - start) / (stop - start) * run * ratio,
        y=((TOP + share * (bottom - TOP)) * ratio).astype(np.float32),
        opacity=lines.opacity.astype(np.float32),
        color=coloring.values,
    )


def on_paper(explanation, state, seen):
    """Draw the lines as a file does."""
    shown = scene(explanation, state)
    lines, ratio = shown.lines, seen["ratio"]
    n_lines = len(lines.values)
    pixels = draw_lines(
        as_seen(lines, shown.coloring, seen),
        shown.coloring.palette,
        width=seen["width"],
        height=seen["height"],
        thickness=line_thickness(n_lines) * ratio,
        strength=line_strength(n_lines),
    )
    if lines.window is not None:  # what lies beyond the ends of a zoomed axis goes
        pixels[: round(TOP * ratio)] = 0
        pixels[:, round((seen["room"] - MARGIN - seen["left"]) * ratio) :] = 0
    return pixels


def density_on_paper(explanation, state, seen):
    """Draw the density as a file does, in cells as wide and as tall as on the screen."""
    shown = scene(explanation, state)
    assert shown.lines.is_dense
    lines = as_seen(shown.lines, shown.coloring, seen)
    lines = replace(lines, x=lines.x / (CELL * seen["ratio"]), y=lines.y / np.float32(seen["ratio"]))
    size = {
        "width": math.ceil(seen["width"] / (CELL * seen["ratio"])),
        "height": math.ceil(seen["height"] / seen["ratio"]),
    }
    peak = density_peak(lines, **size)
    return draw_density(lines, shown.coloring.palette, **size, n_lines=len(lines.y), peak=peak)


def shown_pixels(page):
    """Read the canvas of the lines back, once all around it is there; also where it is and how large."""
    expect(page.get_by_test_id("drivers")).to_have_attribute("data-state", re.compile("ready|nothing"))
    still(page.get_by_test_id("plot"))
    seen = page.get_by_test_id("curves-canvas").evaluate(READ)
    screen = np.frombuffer(base64.b64decode(seen["bytes"]), dtype=np.uint8)
    return seen, screen.reshape(seen["height"], seen["width"], 4).astype(int)


def assert_same_pixels(paper, screen):
    """The same pixels are covered, and no colour differs by more than 1 of 255."""
    paper = paper.astype(int)
    assert (paper[..., 3] > 0).sum() > 1000
    assert np.array_equal(paper[..., 3] > 0, screen[..., 3] > 0)
    assert np.abs(paper[..., 3] - screen[..., 3]).max() <= 1
    # A canvas keeps colours times their opacity, in whole numbers.
    kept = [np.rint(pixels[..., :3] * pixels[..., 3:] / 255) for pixels in (paper, screen)]
    assert np.abs(kept[0] - kept[1]).max() <= 1


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
    expect(page.get_by_test_id("decay-value")).to_have_text("0.6")
    if color_by is not None:
        expect(page.locator(f"[data-column='{color_by}']").first).to_be_visible()
    seen, screen = shown_pixels(page)
    assert_same_pixels(on_paper(explorer.explanation, state, seen), screen)


@pytest.mark.parametrize("color_by", [None, "x2"])
def test_a_zoomed_axis_has_the_same_pixels_in_a_file_as_in_chromium(explore, page, X, color_by):
    """The window that the screen shows is that of the file, and lines end at its edges."""
    choices = {"zoom": {"ice x0: prediction": [-0.5, 1.25, 999.0, 1003.0]}}
    # A view keeps its own window once it shows, so that it is there from the start.
    explorer = explore(wave, X, grid="quantile", state={"version": 1, "view": choices}, wait=False)
    explorer.explanation  # noqa: B018 - waits for it
    explorer.feature, explorer.color_by, explorer.max_lines = "x0", color_by, 120
    state = ViewState(feature="x0", color_by=color_by, max_lines=120, choices=choices)
    root = page.get_by_test_id("ice-explorer")
    expect(root).to_have_attribute("data-drawn-lines", str(len(explorer.explanation["x0"].draw(120))))
    if color_by is not None:
        expect(page.locator(f"[data-column='{color_by}']").first).to_be_visible()
    seen, screen = shown_pixels(page)
    assert_same_pixels(on_paper(explorer.explanation, state, seen), screen)


@pytest.mark.parametrize("color_by", [None, "x2"])
def test_a_density_has_the_same_pixels_in_a_file_as_in_chromium(explore, page, X, color_by):
    """Cell by cell: the canvas stretches each over two pixels, and smooths between them."""
    explorer = explore(wave, X, grid="quantile", wait=False)
    explorer.explanation  # noqa: B018 - waits for it
    choices = {"lines_as": "density"}
    explorer._view = choices
    explorer.feature, explorer.color_by, explorer.max_lines = "x0", color_by, 400
    state = ViewState(feature="x0", color_by=color_by, max_lines=400, choices=choices)
    root = page.get_by_test_id("ice-explorer")
    expect(root).to_have_attribute("data-drawn-as", "density")
    expect(root).to_have_attribute("data-drawn-lines", str(len(explorer.explanation["x0"].draw(400))))
    if color_by is not None:
        expect(page.locator(f"[data-column='{color_by}']").first).to_be_visible()
    seen, screen = shown_pixels(page)
    cells = density_on_paper(explorer.explanation, state, seen).astype(int)
    wide = np.repeat(cells, CELL, axis=1)[:, : seen["width"]]
    between = np.abs(np.diff(wide[..., 3], axis=1))
    assert (wide[..., 3] > 0).sum() > 1000
    # Where neighbours are alike, smoothing changes nothing; elsewhere it stays between them.
    reach = np.maximum(np.pad(between, ((0, 0), (1, 0))), np.pad(between, ((0, 0), (0, 1))))
    assert (np.abs(wide[..., 3] - screen[..., 3]) <= reach + 2).all()
    assert np.abs(wide[..., 3].mean() - screen[..., 3].mean()) < 0.5
