"""The dashboard as Voilà serves it, to a browser that reaches nothing but this machine."""

from __future__ import annotations

import pytest
from browser.awaiting import NEAR
from browser.companions import bars, wait_for_bars
from browser.server import serve_voila
from browser.views import least_decay, ranked
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

# What Voilà and extensions of JupyterLab say of each other, and the icons that Voilà fetches.
NOT_OURS = (
    "@fortawesome/fontawesome-free",
    "net::ERR_FAILED",
    "Unsatisfied version",
    "No satisfying version",
    "[ Federation Runtime ]",
    "Failed to create module: package: @jupyter-notebook/lab-extension",
    "The getter for the shared module is not a function",
)


@pytest.fixture
def voila(root, tmp_path):
    with serve_voila(tmp_path, root / "notebooks" / "dashboard.ipynb") as url:
        yield url


@pytest.mark.timeout(240, func_only=True)
def test_the_dashboard_is_alive_without_the_outside_world(voila, page):
    """Explorer, figures and controls are there and follow each other; nothing of ours is fetched from elsewhere."""
    page.watch.expected.extend(NOT_OURS)
    page.route(lambda url: not url.startswith(NEAR), lambda route: route.abort())
    page.goto(voila, timeout=120_000)
    view = page.get_by_test_id("ice-explorer")
    expect(view).to_have_attribute("data-status", "ready", timeout=120_000)
    expect(page.locator(".jp-CodeMirrorEditor, .cm-content")).to_have_count(0)
    figures = page.locator(".ice-bqplot")
    expect(figures).to_have_count(2)
    impact, curves = figures.nth(0), figures.nth(1)
    expect(impact.locator(".bargroup")).to_have_count(10)
    before = [feature for feature, _ in bars(impact)]
    assert ranked(view) == before

    least_decay(view)
    expect(page.locator(".widget-slider .widget-readout, .widget-slider .widget-inline-readout")).to_have_text("0.01")
    order = ranked(view)
    assert order != before
    wait_for_bars(impact, order)
    impact.locator(".bargroup").nth(1).locator(".bar").click()
    expect(view).to_have_attribute("data-feature", order[1])
    expect(page.locator("select").first).to_have_value(order[1])
    expect(curves).to_contain_text(f"{order[1]}, 150 of 442 rows")
    page.locator("select").first.select_option("sex")
    expect(view).to_have_attribute("data-feature", "sex")
    requests = [complaint for complaint in page.watch.complaints if complaint.startswith("request outside")]
    assert [url for url in requests if "@fortawesome/fontawesome-free" not in url] == []
