"""Exporting from the explorer, in JupyterLab with a real kernel: every way out, and the file that comes of it."""

from __future__ import annotations

import base64
import io
from functools import partial
from xml.etree import ElementTree as ET

import pandas as pd
import pytest
from browser.jupyter import DIABETES
from origins import read_provenance
from PIL import Image
from playwright.sync_api import expect

MAKE = f"""\
{DIABETES}
x = ice.ICEExplorer(model, X, features=["bmi", "bp", "s5"])
x.feature, x.color_by, x.max_lines = "bmi", "s5", 100
x"""

READ_CLIPBOARD = """async () => {
    const [item] = await navigator.clipboard.read();
    const bytes = new Uint8Array(await (await item.getType("image/png")).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}"""


def choose(view, name):
    view.get_by_test_id("export").click()
    view.get_by_test_id(f"export-{name}").click()


def downloaded(view, folder, press):
    """Return the file that comes down when something is pressed."""
    with view.page.expect_download() as download:
        press()
    file = folder / download.value.suggested_filename
    download.value.save_as(file)
    expect(view.get_by_test_id("export-result")).to_have_text(f"Download started: {file.name}.")
    return file


def test_saving_from_the_menu(notebook, tmp_path):
    """SVG, PNG and CSV come down as files that are what they are called, as wide as the menu says."""
    view = notebook.show(MAKE)
    svg, png, csv = (
        downloaded(view, tmp_path, partial(choose, view, name)) for name in ("page-svg", "column-png", "curves")
    )
    assert ET.parse(svg).getroot().tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314 - we wrote it
    with Image.open(png) as image:
        assert image.width == round(89 / 25.4 * 300)
        assert len(image.convert("RGB").resize((60, 40)).getcolors(2400)) > 20
    for file in (svg, png):
        assert f"x.save('{file.name}'" in read_provenance(file)["code"]
    table = pd.read_csv(csv)
    assert set(table["feature"]) == {"bmi"}
    assert table["row"].nunique() == 100
    names = {"view-of-bmi.svg", "ice-of-bmi.png", "curves-of-bmi.csv"}
    assert {file.name for file in tmp_path.iterdir()} == names


@pytest.mark.slow
def test_a_picture_on_the_clipboard_and_files_beside_the_notebook(lab, notebook):
    """The clipboard has the PNG of the view; twice the same makes two files, whose path can be copied."""
    page = notebook.page
    view = notebook.show(MAKE)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=lab.url.rstrip("/"))
    choose(view, "copy")
    expect(view.get_by_test_id("export-result")).to_have_text("The picture is on the clipboard.")
    with Image.open(io.BytesIO(base64.b64decode(page.evaluate(READ_CLIPBOARD)))) as image:
        assert image.width == round(180 / 25.4 * 300)
        assert len(image.convert("RGB").resize((60, 40)).getcolors(2400)) > 20
    for name in ("view-of-bmi.svg", "view-of-bmi-2.svg"):
        choose(view, "notebook")
        path = lab.notebooks / name
        expect(view.get_by_test_id("export-result")).to_have_text(f"Saved as {path}")
        assert read_provenance(path)["code"].endswith(f"; x.save({name!r})")
    view.get_by_test_id("copy-path").click()
    expect(view.get_by_test_id("copy-path")).to_have_text("Copied")
    assert page.evaluate("() => navigator.clipboard.readText()") == str(path)
