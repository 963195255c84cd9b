"""Exporting from the explorer, in JupyterLab with a real kernel: every way out, and the file that comes of it."""

from __future__ import annotations

import base64
import io
from xml.etree import ElementTree as ET

import pandas as pd
import pypdf
import pytest
from browser.pictures import pictured
from PIL import Image
from playwright.sync_api import expect

import ice_explorer as ice

pytestmark = pytest.mark.slow

MAKE = """\
import ice_explorer as ice
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True)
model = RandomForestRegressor(n_estimators=10, random_state=0).fit(X, y)
x = ice.ICEExplorer(model, X, features=["bmi", "bp", "s5"])
x.feature, x.color_by, x.max_lines = "bmi", "s5", 100
x"""

_MILLISECONDS_OF_A_FILE = 120_000  # the first has matplotlib loaded
READ_CLIPBOARD = """async () => {
    const [item] = await navigator.clipboard.read();
    const bytes = new Uint8Array(await (await item.getType("image/png")).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}"""
SAY = """(root) => root.dispatchEvent(new CustomEvent("ice-explorer:export"))"""
SETTLE = """(settings) => {
    document.documentElement.dataset.iceExplorerSettings = JSON.stringify(settings);
    document.dispatchEvent(new Event("ice-explorer:settings"));
}"""


@pytest.fixture
def view(lab, page, request):
    """An explorer in the first cell of a notebook."""
    name = f"{request.node.originalname}.ipynb"
    lab.write(name, [MAKE, ""])
    notebook = lab.open(page, name)
    notebook.run(0)
    view = notebook.explorer(0)
    expect(view).to_have_attribute("data-status", "ready")
    expect(view).to_have_attribute("data-feature", "bmi")
    yield view
    notebook.shut_down()


def choose(view, name):
    view.get_by_test_id("export").click()
    view.get_by_test_id(f"export-{name}").click()


def fill_in(view, **chosen):
    """Open the dialog from the menu and choose."""
    choose(view, "more")
    expect(view.get_by_test_id("export-dialog")).to_be_visible()
    for group, value in chosen.items():
        view.get_by_test_id(f"dialog-{group}-{value}").check()


def read_svg(file):
    root = ET.parse(file).getroot()  # noqa: S314 - we wrote it
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.get("width") == "89mm"


def read_png(file):
    with Image.open(file) as image:
        assert image.width == round(89 / 25.4 * 150)


def read_pdf(file):
    assert len(pypdf.PdfReader(file).pages) == 3


def read_csv(file):
    table = pd.read_csv(file, comment="#")
    assert set(table["feature"]) == {"bmi"}
    assert table["row"].nunique() == 100


def test_every_kind_of_file_comes_down_as_what_it_is(view, page, tmp_path):
    """SVG, PNG, PDF of all features and CSV, chosen in the dialog, opened and read; the code in each is its own."""
    kinds = {
        "svg": ("view", read_svg),
        "png": ("panel", read_png),
        "pdf": ("all", read_pdf),
        "csv": ("panel", read_csv),
    }
    for kind, (what, read) in kinds.items():
        fill_in(view, format=kind, what=what)
        if kind != "csv":
            view.get_by_test_id("dialog-width").select_option("89")
            view.get_by_test_id("dialog-dpi").fill("150")
        pictured(view.page, f"export-dialog-{kind}")
        with page.expect_download(timeout=_MILLISECONDS_OF_A_FILE) as download:
            view.get_by_test_id("dialog-run").click()
        file = tmp_path / download.value.suggested_filename
        download.value.save_as(file)
        read(file)
        assert f"x.save('{file.name}'" in ice.provenance(file)["code"]
        expect(view.get_by_test_id("export-dialog")).to_be_hidden()
        expect(view.get_by_test_id("export-result")).to_have_text(f"The browser saves it as {file.name}.")
    assert {file.name for file in tmp_path.iterdir()} == {
        "ranking-and-ice-of-bmi.svg", "ice-of-bmi.png", "ice-of-all-features.pdf", "curves-of-bmi.csv",
    }  # fmt: skip


def test_a_picture_on_the_clipboard_can_be_pasted(view, page, lab):
    """What is read back from the clipboard is the PNG of the view."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=lab.url.rstrip("/"))
    choose(view, "copy")
    expect(view.get_by_test_id("export-result")).to_have_text("The picture is on the clipboard.")
    with Image.open(io.BytesIO(base64.b64decode(page.evaluate(READ_CLIPBOARD)))) as image:
        assert image.width == round(180 / 25.4 * 300)
        assert len(image.convert("RGB").resize((60, 40)).getcolors(2400)) > 20


def test_beside_the_notebook_nothing_is_overwritten(view, page, lab):
    """Twice the same makes two files, each of which knows its name; the path is shown and can be copied."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=lab.url.rstrip("/"))
    for name in ("ranking-and-ice-of-bmi.svg", "ranking-and-ice-of-bmi-2.svg"):
        choose(view, "notebook")
        path = lab.notebooks / name
        expect(view.get_by_test_id("export-result")).to_have_text(f"Saved as {path}")
        assert ice.provenance(path)["code"].endswith(f"; x.save({name!r})")
    pictured(view.page, "export-beside-notebook")
    view.get_by_test_id("copy-path").click()
    expect(view.get_by_test_id("copy-path")).to_have_text("Copied")
    assert page.evaluate("() => navigator.clipboard.readText()") == str(path)


def test_the_dialog_is_asked_for_by_the_page_and_worked_with_keys(view, page, lab):
    """An event opens it with the focus inside; keys are not Lab's; settings are where it starts."""
    page.evaluate(SETTLE, {"format": "json", "theme": "dark", "palette": "cividis", "max_lines": 50})
    expect(view).to_have_attribute("data-theme", "dark")
    expect(view).to_have_attribute("data-drawn-lines", "100")  # set from Python
    n_cells = page.locator(".jp-Notebook .jp-Cell").count()
    view.evaluate(SAY)
    expect(view.get_by_test_id("dialog-format-json")).to_be_focused()
    for key in ("a", "b", "j", "d", "d", "Tab", "Tab", "ArrowDown"):
        page.keyboard.press(key)
    expect(view.get_by_test_id("dialog-where-notebook")).to_be_checked()
    pictured(view.page, "export-dialog-dark-settings")
    page.keyboard.press("Enter")
    path = lab.notebooks / "metrics-and-curves-of-all-features.json"
    expect(view.get_by_test_id("export-path")).to_have_text(str(path))
    assert ice.provenance(path)["view"] == {"palette": "cividis"}
    assert page.locator(".jp-Notebook .jp-Cell").count() == n_cells
    view.evaluate(SAY)
    page.keyboard.press("Escape")
    expect(view.get_by_test_id("export-dialog")).to_be_hidden()
