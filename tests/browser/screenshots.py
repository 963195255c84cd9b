"""Takes the picture of the explorer in JupyterLab that the README shows, and some to look at.

`make screenshot` runs it. The pictures of a dark theme and of a narrow cell go into `test-results`, for the eye of
a person who changed the layout.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from browser.conftest import launch_options
from browser.jupyter import JupyterServer
from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).parents[2]
OF_THE_README = ROOT / "notebooks" / "images" / "explorer.png"
TO_LOOK_AT = ROOT / "test-results"
PICTURES = {
    OF_THE_README: {"theme": "JupyterLab Light", "width": 1400},
    TO_LOOK_AT / "explorer-dark.png": {"theme": "JupyterLab Dark", "width": 1400},
    TO_LOOK_AT / "explorer-400px.png": {"theme": "JupyterLab Light", "width": 516},
}
_TALL_ENOUGH_FOR_ALL_OF_IT = 1400
_SHARPNESS = 1.5  # twice would be a megabyte in the repository for each new picture


def take(lab, browser, file, *, theme, width):
    """Open the quickstart, go to the explorer as a reader would, and photograph it."""
    lab.set_theme(theme)
    size = {"width": width, "height": _TALL_ENOUGH_FOR_ALL_OF_IT}
    page = browser.new_page(viewport=size, device_scale_factor=_SHARPNESS)
    notebook = lab.open(page, "quickstart.ipynb")
    page.keyboard.press("Control+b")  # the file browser
    codes = page.locator(".jp-Notebook .jp-CodeCell")
    for index in range(2):
        codes.nth(index).locator(".cm-content").click()
        page.keyboard.press("Control+Enter")
    view = page.get_by_test_id("ice-explorer")
    expect(view).to_have_attribute("data-status", "ready")
    view.locator('[data-test=bar][data-feature="blood pressure"]').click()
    expect(view).to_have_attribute("data-feature", "blood pressure")
    view.get_by_test_id("sentence-split").click()
    expect(view).to_have_attribute("data-kind", "c-ice")
    expect(view.get_by_test_id("group-mean")).to_have_count(2)
    expect(view.get_by_test_id("unlike")).to_have_count(1)
    expect(view).to_have_attribute("data-drawn-lines", "442")
    expect(view).to_have_attribute("data-theme", theme.split()[1].lower())
    # Past the transitions of the bars, and away from whatever reacts to the pointer.
    page.mouse.move(1, 1)
    page.evaluate("Promise.all(document.getAnimations().map(({ finished }) => finished))")
    file.parent.mkdir(parents=True, exist_ok=True)
    view.screenshot(path=file)
    print(f"{file.relative_to(ROOT)}: {file.stat().st_size / 1000:.0f} kB")
    notebook.shut_down()
    page.close()


def main():
    """Take all pictures with one server and one browser."""
    folder = Path(tempfile.mkdtemp(prefix="ice-explorer-"))
    try:
        with JupyterServer(folder) as lab, sync_playwright() as playwright:
            playwright.selectors.set_test_id_attribute("data-test")
            expect.set_options(timeout=60_000)
            shutil.copy(ROOT / "notebooks" / "quickstart.ipynb", lab.notebooks)
            browser = playwright.chromium.launch(**launch_options())
            for file, options in PICTURES.items():
                take(lab, browser, file, **options)
            browser.close()
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
