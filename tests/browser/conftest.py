"""Chromium, pages that are watched, the host page, and JupyterLab with one page and kernel for many tests."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import comm
import pytest
from browser.awaiting import NEAR, SECONDS
from browser.host import Host
from browser.jupyter import JupyterServer
from kernel_end import Wire
from playwright.sync_api import expect

from ice_explorer.widget.explorer import ICEExplorer

HERE = Path(__file__).parent

# The machine may be a slow one with other work to do; what is awaited comes, or the test is red.
expect.set_options(timeout=1000 * SECONDS)


def pytest_collection_modifyitems(items):
    """Mark all tests of this folder; what starts servers and opens pages before a test is not part of its limit."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if item.get_closest_marker("timeout") is None:
                # Slow ones open pages and start kernels of their own.
                seconds = 120 if item.get_closest_marker("slow") else 60
                item.add_marker(pytest.mark.timeout(seconds, func_only=True))


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


@pytest.fixture(scope="session", autouse=True)
def _test_id(playwright):
    playwright.selectors.set_test_id_attribute("data-test")


# --- what a page may not do -----------------------------------------------------------------------

# Lab's remarks on its own parts, where a processor has other work: when one takes long, and when it is there.
_OF_A_SLOW_MACHINE = ("is taking too long to activate.", "ms to activate.")


class Watch:
    """Keeps what a page complains about, and whatever it requests from other hosts.

    A test that provokes a complaint adds some words of it to `expected`.
    """

    def __init__(self, page):
        self.complaints = []
        self.expected = []
        page.set_default_timeout(1000 * SECONDS)
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(f"page error: {error}"))
        page.on("request", self._request)

    def unexpected(self):
        return [c for c in self.complaints if not any(words in c for words in self.expected)]

    def forget(self):
        """Begin anew, for another test on the same page."""
        self.complaints.clear()
        self.expected.clear()

    def _console(self, message):
        if message.type in {"error", "warning"} and not message.text.endswith(_OF_A_SLOW_MACHINE):
            self.complaints.append(f"console {message.type}: {message.text}")

    def _request(self, request):
        if not request.url.startswith(NEAR):
            self.complaints.append(f"request outside: {request.url}")


@pytest.fixture
def page(page):
    """A page of the test's own, on which any console error, warning or request to another machine fails the test."""
    page.watch = Watch(page)
    yield page
    assert page.watch.unexpected() == []


# --- JupyterLab -----------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def share(root, tmp_path_factory):
    """A `share/jupyter` with the extension as it is built, so that nothing need be installed."""
    built = root / "js" / "lab" / "labextension"
    assert (built / "package.json").is_file(), "build the extension first: npm run build in js/lab/"
    folder = tmp_path_factory.mktemp("share")
    (folder / "labextensions").mkdir()
    (folder / "labextensions" / "ice-explorer").symlink_to(built, target_is_directory=True)
    return folder


@pytest.fixture(scope="session")
def lab(tmp_path_factory, share):
    """A Jupyter server with homes of its own, ended with the session."""
    with JupyterServer(tmp_path_factory.mktemp("lab"), "lab", share) as server:
        yield server


@pytest.fixture(scope="session")
def notebook_7(tmp_path_factory, share):
    """A server of Notebook 7."""
    with JupyterServer(tmp_path_factory.mktemp("notebook"), "notebook", share) as server:
        yield server


# What Notebook 7 complains of in its own parts, with and without extensions.
_OF_NOTEBOOK_7 = (
    "is duplicated.",
    "because it collides with",
    "[yjs#509] Not same Y.Doc",
    "(reading 'schema')",
    "Cannot convert undefined or null to object",
    "Settings failed to load for (@jupyterlab/",
)

RESET = """
import ipywidgets
ipywidgets.Widget.close_all()
get_ipython().run_line_magic("reset", "-f")
__import__("gc").collect()
"""


class SharedNotebook:
    """One page of JupyterLab with one notebook and kernel, for all tests of a worker that leave both as they were.

    It is opened when the first test needs it, and again after a test that failed.
    """

    name = "shared.ipynb"

    def __init__(self, lab, browser, options):
        self._lab, self._browser, self._options = lab, browser, options
        self._notebook = None

    def open(self):
        """Return the notebook, whose kernel has no names and whose page has no complaints."""
        if self._notebook is None:
            self._lab.write(self.name, [""])
            page = self._browser.new_context(**self._options).new_page()
            page.watch = Watch(page)
            self._notebook = self._lab.open(page, self.name)
            # Libraries are loaded before the first test is timed.
            self._notebook.do("import ice_explorer, ipywidgets, pandas, sklearn.datasets, sklearn.ensemble")
        self._notebook.page.watch.forget()
        return self._notebook

    def reset(self):
        """Remove cells, explorers, names, files and permissions."""
        notebook = self._notebook
        notebook.fill("")
        notebook.do(RESET)
        notebook.page.mouse.move(0, 0)
        notebook.page.context.clear_permissions()
        self._lab.remove_files()

    def close(self):
        """Close the page, and end the kernel."""
        if self._notebook is not None:
            self._notebook.page.context.close()
            self._notebook.shut_down()
            self._notebook = None


@pytest.fixture(scope="session")
def _shared_notebook(lab, browser, browser_context_args):
    shared = SharedNotebook(lab, browser, browser_context_args)
    yield shared
    shared.close()


@pytest.fixture
def notebook(_shared_notebook, request):
    """The notebook that tests of a worker share, empty. It may not be reloaded, nor its kernel or its theme changed.

    Any console error, warning or request to another machine fails the test.
    """
    notebook = _shared_notebook.open()
    n_failed = request.session.testsfailed
    yield notebook
    if request.session.testsfailed > n_failed:
        _shared_notebook.close()
        return
    try:
        _shared_notebook.reset()
        assert notebook.page.watch.unexpected() == []
    except BaseException:
        _shared_notebook.close()
        raise


@pytest.fixture
def open_notebook(page, request):
    """Open notebooks of given cells on a page of the test's own, each with a kernel that ends with the test."""
    opened = []

    def open_one(*cells, server=None, theme="JupyterLab Light"):
        server = server or request.getfixturevalue("lab")
        name = f"{request.node.originalname}-{len(opened)}.ipynb"
        server.write(name, cells)
        server.set_theme(theme)
        if server.app == "notebook":
            page.watch.expected += _OF_NOTEBOOK_7
        opened.append(server.open(page, name))
        return opened[-1]

    yield open_one
    for notebook in opened:
        notebook.shut_down()
        notebook.server.set_theme("JupyterLab Light")


# --- a page without Jupyter -----------------------------------------------------------------------


@pytest.fixture(scope="session")
def bundle():
    """The folder of the built front end."""
    folder = HERE.parents[1] / "src" / "ice_explorer" / "static"
    assert (folder / "explorer.js").is_file(), "build the front end first: npm run build in js/"
    return folder


@pytest.fixture
def explore(monkeypatch, bundle, page):
    """Make an explorer, serve it, and open a page that shows it."""
    monkeypatch.setattr(comm, "create_comm", Wire)
    made = []

    def open_page(*args, wait=True, **options):
        explorer = ICEExplorer(*args, **options)
        host = Host(explorer, bundle)
        made.append((explorer, host))
        page.goto(host.url)
        page.locator("body[data-host=ready]").wait_for(state="attached")
        page.evaluate("host.show()")
        if wait:
            expect(page.get_by_test_id("ice-explorer")).to_have_attribute("data-status", "ready")
        return explorer

    yield open_page
    for explorer, host in made:
        explorer.close()
        host.close()
