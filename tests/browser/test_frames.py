"""What VS Code and Colab are known to allow, held on a page of our own: neither can run here.

Each test names the line of the checklist in CONTRIBUTING.md that it keeps.
"""

from __future__ import annotations

import re

import comm
import numpy as np
import pandas as pd
import pytest
from browser.awaiting import still
from browser.host import Host
from browser.sandbox import page_of
from browser.views import bar, contrast
from kernel_end import Wire
from playwright.sync_api import expect

from ice_explorer.widget.explorer import ICEExplorer

# ipywidgets' own style sheet, which both hosts load: JupyterLab's light variables, whatever the theme.
_OF_IPYWIDGETS = "<style>:root { --jp-layout-color0: white; --jp-ui-font-color1: rgba(0, 0, 0, .8); \
--jp-brand-color1: #1976d2; --jp-error-color1: #d32f2f; }</style>"
_BLOBS = "default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; img-src data: blob:"

HOSTS = {
    "vscode": {
        "sandbox": "allow-same-origin allow-pointer-lock allow-scripts allow-downloads",
        "policy": _BLOBS + "; connect-src blob:",
        "head": _OF_IPYWIDGETS
        + "<style>:root { --vscode-editor-background: #1f1f1f; --vscode-editor-foreground: #cccccc; "
        "--vscode-textLink-foreground: #4daafc; --vscode-errorForeground: #f85149; }</style>",
        "body": 'class="vscode-dark" data-vscode-theme-kind="vscode-dark"',
    },
    "colab": {
        "sandbox": "allow-scripts allow-downloads",
        "policy": _BLOBS,
        # Its manager overwrites the ink of JupyterLab's variables, not the paper.
        "head": _OF_IPYWIDGETS
        + "<style>:root { --colab-primary-surface-color: #383838; --colab-primary-text-color: #d5d5d5; "
        "--jp-ui-font-color1: var(--colab-primary-text-color); --colab-anchor-color: #8ab4f8; }</style>",
    },
    "strict": {"sandbox": "allow-scripts", "policy": _BLOBS},
}
PAPERS = {"vscode": "rgb(31, 31, 31)", "colab": "rgb(56, 56, 56)", "strict": "rgb(255, 255, 255)"}


@pytest.fixture(scope="module", name="X")
def observations():
    generator = np.random.default_rng(1)
    return pd.DataFrame({name: generator.normal(size=60) for name in ("near", "far", "wide")})


@pytest.fixture
def frame(monkeypatch, bundle, page, X, request):
    """The inside of a host's frame that shows an explorer."""
    monkeypatch.setattr(comm, "create_comm", Wire)
    explorer = ICEExplorer(lambda X: 3 * X["near"].to_numpy() + X["far"].to_numpy() ** 2, X)
    host = Host(explorer, bundle)
    page.watch.expected.append("can escape its sandboxing")  # of VS Code's own permissions
    html = page_of(bundle, **HOSTS[request.param])
    page.route(f"{host.url}frame", lambda route: route.fulfill(body=html, content_type="text/html"))
    page.goto(f"{host.url}frame")
    frame = page.frame_locator("iframe")
    frame.locator("body[data-host=ready]").wait_for(state="attached")
    frame.locator("body").evaluate("() => host.show()")
    view = frame.get_by_test_id("ice-explorer")
    expect(view).to_have_attribute("data-drawn-lines", "60")
    view.explorer, view.host = explorer, request.param
    yield view
    explorer.close()
    host.close()


@pytest.mark.slow
@pytest.mark.parametrize("frame", HOSTS, indirect=True)
def test_it_lives_in_a_frame_of_its_own_in_the_colours_of_the_host(frame, page):
    """Script from a blob, no network, nothing of the page around, nor of the light style sheet of ipywidgets."""
    bar(frame, "far").click()
    expect(frame).to_have_attribute("data-feature", "far")
    frame.get_by_test_id("decay-slider").press("PageDown")
    expect(frame.get_by_test_id("decay-value")).not_to_have_text("0.75")
    box = still(frame.get_by_test_id("plot"))
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=3)
    expect(frame.get_by_test_id("tooltip")).to_be_visible()
    expect(frame).to_have_attribute("data-theme", "light" if frame.host == "strict" else "dark")
    assert frame.evaluate("view => getComputedStyle(view).backgroundColor") == PAPERS[frame.host]
    # Ink and accent can be read on that paper.
    names = ("--ice-paper", "--ice-ink", "--ice-accent", "--ice-problem")
    colours = frame.evaluate(
        "(view, names) => names.map((name) => getComputedStyle(view).getPropertyValue(name))", names
    )
    contrasts = contrast(frame, *colours)
    assert min(contrasts) >= 4.5, contrasts


@pytest.mark.slow
@pytest.mark.parametrize("frame", ["vscode", "colab"], indirect=True)
def test_a_file_can_be_downloaded(frame, page, tmp_path):
    """Where the frame may; the frame itself hears of the click, for VS Code saves what is clicked by itself."""
    page.frame_locator("iframe").locator("body").evaluate(
        """body => document.addEventListener("click", ({ target }) => {
            if (target.href) body.dataset.clicked = target.download;
        })"""
    )
    frame.get_by_test_id("export").click()
    with page.expect_download() as download:
        frame.get_by_test_id("export-column-svg").click()
    download.value.save_as(tmp_path / "picture.svg")
    assert b"<svg" in (tmp_path / "picture.svg").read_bytes()[:200]
    body = page.frame_locator("iframe").locator("body")
    expect(body).to_have_attribute("data-clicked", re.compile(r"\.svg$"))
    expect(body.locator("> a")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize("frame", ["strict"], indirect=True)
def test_a_download_that_is_forbidden_changes_nothing(frame, page):
    """The browser says so to nobody but its console; the explorer goes on."""
    page.watch.expected.append("Download is disallowed")
    frame.get_by_test_id("export").click()
    frame.get_by_test_id("export-column-svg").click()
    expect(frame.get_by_test_id("export")).to_be_enabled()
    bar(frame, "wide").click()
    expect(frame).to_have_attribute("data-feature", "wide")


def test_the_bundle_asks_for_nothing_that_hosts_lack(bundle):
    """No window above its own, no WebGL, no request, no address, no storage, no code made of text."""
    script = (bundle / "explorer.js").read_text(encoding="utf-8")
    found = re.findall(
        r"window\.(?:parent|top)|\bfetch\(|XMLHttpRequest|webgl|localStorage|sessionStorage|indexedDB|\beval\(|"
        r"new Function|https?://[^\"'`\s]+|document\.cookie|new Worker|\bimport\(",
        script,
    )
    # Names of elements, which nothing is requested from.
    namespaces = ("1998/Math/MathML", "1999/xhtml", "2000/svg")
    assert set(found) <= {f"http://www.w3.org/{name}" for name in namespaces}


def test_the_style_sheet_keeps_to_the_explorer(bundle):
    """Every rule names a class of ours, and nothing is loaded."""
    style = (bundle / "explorer.css").read_text(encoding="utf-8")
    assert not re.search(r"@import|@font-face|url\(", style)
    bare = re.sub(r"@(?:keyframes|property)[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}", "", style)
    selectors = re.findall(r"(?:^|[{};])([^{};@]+)\{", re.sub(r"/\*.*?\*/", "", bare, flags=re.DOTALL))
    assert len(selectors) > 100
    # At commas outside of brackets.
    alone = [part for rule in selectors for part in re.split(r",(?![^(]*\))", rule) if ".ice-" not in part]
    assert alone == []
