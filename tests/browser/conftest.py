"""Chromium, pages that are watched, the host page, and JupyterLab on a server of the test's own."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import comm
import pytest
from browser.awaiting import SECONDS
from browser.host import Host
from browser.jupyter import JupyterServer
from kernel_end import Wire
from playwright.sync_api import expect

from ice_explorer.widget.explorer import ICEExplorer

# The machine may be a slow one with other work to do; what is awaited comes, or the test is red.
expect.set_options(timeout=1000 * SECONDS)


def find_chromium():
    """Path of a Chromium: the named one, else one on PATH, else None for Playwright's own."""
    named = os.environ.get("ICE_EXPLORER_CHROMIUM")
    if named:
        return named
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next(filter(None, map(shutil.which, names)), None)


def launch_options():
    """How Chromium is started here, for the tests and for the screenshots."""
    return {
        "executable_path": find_chromium(),
        "args": ["--disable-background-networking", "--disable-component-update", "--disable-sync"],
    }


@pytest.fixture(scope="session")
def base_url():
    """No page has an address known beforehand. The plugin's own fixture warns under new pytests."""


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    return {**browser_type_launch_args, **launch_options()}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args):
    return {**browser_context_args, "viewport": {"width": 1500, "height": 900}}


# Lab's remarks on its own parts, where a processor has other work: when one takes long, and when it is there.
_OF_A_SLOW_MACHINE = ("is taking too long to activate.", "ms to activate.")


class Watch:
    """Keeps what a page complains about, and whatever it requests from other hosts.

    A test that provokes a complaint adds some words of it to `expected`.
    """

    def __init__(self, page):
        self.complaints = []
        self.expected = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(f"page error: {error}"))
        page.on("request", self._request)

    def unexpected(self):
        return [c for c in self.complaints if not any(words in c for words in self.expected)]

    def _console(self, message):
        if message.type in {"error", "warning"} and not message.text.endswith(_OF_A_SLOW_MACHINE):
            self.complaints.append(f"console {message.type}: {message.text}")

    def _request(self, request):
        if not request.url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")):
            self.complaints.append(f"request outside: {request.url}")


@pytest.fixture
def page(page):
    """A page on which any console error, warning or request to another machine fails the test."""
    page.set_default_timeout(1000 * SECONDS)
    watch = Watch(page)
    page.watch = watch
    yield page
    assert watch.unexpected() == []


@pytest.fixture(scope="session")
def bundle():
    """The folder of the built front end."""
    folder = Path(__file__).parents[2] / "src" / "ice_explorer" / "static"
    assert (folder / "explorer.js").is_file(), "build the front end first: npm run build in js/"
    return folder


@pytest.fixture
def explore(monkeypatch, bundle, page):
    """Make an explorer, serve it, and open a page that shows it `views` times."""
    monkeypatch.setattr(comm, "create_comm", Wire)
    made = []

    def open_page(*args, views=1, width=None, wait=True, **options):
        explorer = ICEExplorer(*args, **options)
        host = Host(explorer, bundle)
        made.append((explorer, host))
        page.goto(host.url)
        page.locator("body[data-host=ready]").wait_for(state="attached")
        for _ in range(views):
            page.evaluate("width => host.show(width)", width)
        if wait:
            expect(page.get_by_test_id("ice-explorer").first).to_have_attribute("data-status", "ready")
        return explorer

    yield open_page
    for explorer, host in made:
        explorer.close()
        host.close()


@pytest.fixture(scope="session", autouse=True)
def _test_id(playwright):
    playwright.selectors.set_test_id_attribute("data-test")


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """A Jupyter server with homes of its own, ended with the session."""
    with JupyterServer(tmp_path_factory.mktemp("lab")) as server:
        yield server
