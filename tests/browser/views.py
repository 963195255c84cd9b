"""Explorers on a page: what they show, and what is done in them."""

from __future__ import annotations

from browser.awaiting import still
from playwright.sync_api import expect


def bar(view, feature):
    """The bar of a feature."""
    return view.locator(f'[data-test=bar][data-feature="{feature}"]')


def ranking(view):
    """Feature and figure of each bar, best first."""
    bars = view.get_by_test_id("bar").evaluate_all(
        """bars => bars.map((bar) => [
            Number(bar.dataset.rank),
            bar.dataset.feature,
            bar.querySelector("[data-test=bar-figure]")?.textContent ?? "",
        ])"""
    )
    return [(feature, figure.rstrip("*%\N{NO-BREAK SPACE}")) for _, feature, figure in sorted(bars)]


def ranked(view):
    """Features in the order of the ranking."""
    return [feature for feature, _ in ranking(view)]


def open_feature(view, feature, kind="ice"):
    """Open a feature by its bar, and wait until its curves are drawn."""
    bar(view, feature).click()
    expect(view).to_have_attribute("data-feature", feature)
    expect(view).to_have_attribute("data-kind", kind)
    expect(view.get_by_test_id("curves")).to_have_attribute("data-state", "ready")


def choose_kind(view, kind):
    """Choose what is drawn, and wait until it is."""
    view.get_by_test_id(f"kind-{kind}").click()
    expect(view).to_have_attribute("data-kind", kind)


def set_in_menu(view, name, value="on"):
    """Choose a value of an entry of the menu of settings, or switch it on, and close the menu."""
    open_menu(view)
    entry = view.get_by_test_id(name)
    if value == "on":
        entry.check()
    elif isinstance(value, int):
        entry.select_option(index=value)
    else:
        entry.select_option(value)
    close_menu(view)


def open_menu(view):
    """Open the menu of settings."""
    if view.get_by_test_id("view-menu").is_hidden():
        view.get_by_test_id("view").click()


def close_menu(view):
    """Close the menu of settings, unless a choice has closed it."""
    if view.get_by_test_id("view-menu").is_visible():
        view.get_by_test_id("view").click()
    expect(view.get_by_test_id("view-menu")).to_be_hidden()


def least_decay(view):
    """Move the slider to its end with the keyboard."""
    view.get_by_test_id("decay-slider").press("Home")
    expect(view.get_by_test_id("decay-value")).to_have_text("0.01")


def brush(page, view, across, top, bottom):
    """Draw a brush from top to bottom at a place of the axis, in shares of the size of the plot."""
    box = still(view.get_by_test_id("plot"))
    axis = view.locator("[data-test=plot] .ice-baseline").first.bounding_box()
    x = axis["x"] + across * axis["width"]
    page.mouse.move(x, box["y"] + top * box["height"])
    page.mouse.down()
    page.mouse.move(x, box["y"] + bottom * box["height"], steps=6)
    page.mouse.up()


def contrast(part, *colours):
    """Return the contrast of each colour with the first one, as the accessibility guidelines have it."""
    paper, *inks = part.evaluate(
        """(_, colours) => colours.map((colour) => {
            const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
            pen.fillStyle = colour;
            pen.fillRect(0, 0, 1, 1);
            const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map((byte) => byte / 255)
                .map((share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        })""",
        colours,
    )
    return [(max(ink, paper) + 0.05) / (min(ink, paper) + 0.05) for ink in inks]


def drag_slider(page, view, start, end, steps):
    """Move the slider of the decay with the mouse, and yield after each step."""
    box = still(view.get_by_test_id("decay-slider"))
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * start, y)
    page.mouse.down()
    for step in range(steps + 1):
        page.mouse.move(box["x"] + box["width"] * (start + (end - start) * step / steps), y)
        page.evaluate("new Promise(requestAnimationFrame)")
        yield
    page.mouse.up()
