"""Files: the right format, nothing overwritten, nothing left half done, and where it comes from inside."""

import base64
import io
import json
import subprocess
import sys
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from matplotlib import pyplot as plt
from PIL import Image

from ice_explorer import explain
from ice_explorer.errors import ExportError, InvalidOptionError, MissingDependencyError, UnknownFeatureError
from ice_explorer.export import save, svg_bytes
from ice_explorer.figures.view import ViewState

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def explanation():
    X = np.random.default_rng(7).normal(size=(200, 3))
    return explain(lambda X: np.tanh(2 * X[:, 0]) * X[:, 1] + X[:, 2], X, progress=False)


def test_svg_is_what_the_toolbar_gives(explanation, tmp_path):
    """A saved view and the one for the browser are the same bytes; the path is returned."""
    state = ViewState(feature="x1", kind="c-ice", color_by="x0")
    path = save(explanation, state, tmp_path / "view.svg")
    assert path == tmp_path / "view.svg"
    assert path.read_bytes() == svg_bytes(explanation, state)


def test_a_state_may_be_the_mapping_of_a_message(explanation):
    """The browser's state gives the same picture as the dataclass."""
    message = {
        "feature": "x1", "color_by": None, "kind": "ice", "decay": 0.75, "rank_by": "impact", "anchor": "min",
        "max_lines": 50, "selection": [3],
    }  # fmt: skip
    state = ViewState(feature="x1", rank_by="impact", max_lines=50, selection=(3,))
    assert svg_bytes(explanation, message) == svg_bytes(explanation, state)


def test_what_is_drawn_may_be_the_panel_or_another_feature(explanation, tmp_path):
    """A view has the ranking; a panel and the name of a feature have not."""
    state = ViewState(feature="x1")

    def groups(what):
        root = ET.parse(save(explanation, state, tmp_path / f"{what}.svg", what)).getroot()  # noqa: S314 - our own
        return [group.get("id") for group in root.findall(f"{SVG}g")], root.findtext(f"{SVG}title"), root.get("width")

    assert groups("view") == (["curves", "ranking"], "ICE of x1", "180mm")
    assert groups("panel") == (["curves"], "ICE of x1", "120mm")
    assert groups("x2") == (["curves"], "ICE of x2", "120mm")
    with pytest.raises(UnknownFeatureError):
        save(explanation, state, tmp_path / "x9.svg", "x9")
    assert not (tmp_path / "x9.svg").exists()


def test_png_has_the_size_and_the_provenance(explanation, tmp_path):
    """Pixels are width times dpi; the text chunk holds what the SVG's metadata hold; paper is opaque white."""
    state = ViewState(feature="x1", decay=0.5)
    path = save(explanation, state, tmp_path / "view.png", width=90, dpi=120)
    with Image.open(path) as image:
        assert image.width == round(90 / 25.4 * 120)
        assert image.text["Title"] == "ICE of x1"
        found = json.loads(image.text["ice-explorer"])
        pixels = np.asarray(image.convert("RGBA"))
    assert (found["feature"], found["decay"], found["rows_drawn"]) == ("x1", 0.5, 200)
    assert pixels[0, 0].tolist() == [255, 255, 255, 255]
    assert pixels[..., 3].min() == 255
    assert plt.get_fignums() == []


def test_png_shows_what_the_svg_shows(explanation, tmp_path):
    """Both are the same marks in the same places: the lines of the PNG are the pixels in the SVG."""
    state = ViewState(feature="x1", color_by="x0")
    with Image.open(save(explanation, state, tmp_path / "v.png", "panel", dpi=144)) as image:
        page = np.asarray(image.convert("RGB")).astype(int)
    root = ET.parse(save(explanation, state, tmp_path / "v.svg", "panel", dpi=144)).getroot()  # noqa: S314 - our own
    embedded = root.find(f".//{SVG}image")
    content = embedded.get("{http://www.w3.org/1999/xlink}href").partition(",")[2]
    with Image.open(io.BytesIO(base64.b64decode(content))) as image:
        lines = np.asarray(image).astype(float)
    left, top = (round(float(embedded.get(side)) * 1.5) for side in ("x", "y"))
    height, width, _ = lines.shape
    shown = page[top : top + height, left : left + width]
    opacity = lines[..., 3:] / 255
    expected = lines[..., :3] * opacity + 255 * (1 - opacity)

    def share_alike(pixels):
        # Under the lines may be the band or a rule, over them the mean, its edges and dots.
        return (np.abs(pixels - expected).max(axis=-1) <= 18)[opacity[..., 0] > 0.3].mean()

    assert share_alike(shown) > 0.85
    assert share_alike(np.roll(shown, 1, axis=0)) < share_alike(shown) - 0.1
    assert share_alike(np.roll(shown, 1, axis=1)) < share_alike(shown) - 0.1


def test_nothing_is_overwritten_unless_asked(explanation, tmp_path):
    """A file that is there stays as it is; `overwrite=True` replaces it."""
    path = tmp_path / "figure.svg"
    path.write_text("precious")
    with pytest.raises(ExportError) as refused:
        save(explanation, ViewState(), path)
    assert str(refused.value) == (
        f"`path` must not exist yet; there is a file at {str(path)!r}. Pass `overwrite=True` to replace it."
    )
    assert path.read_text() == "precious"
    save(explanation, ViewState(), path, overwrite=True)
    assert path.read_bytes() == svg_bytes(explanation, ViewState())


@pytest.mark.parametrize("name", ["figure.jpg", "figure", "figure.svg.gz"])
def test_other_suffixes_say_which_ones_there_are(explanation, tmp_path, name):
    """The message lists the formats."""
    with pytest.raises(ExportError) as refused:
        save(explanation, ViewState(), tmp_path / name)
    assert str(refused.value) == (
        f"`path` must end in '.svg' or '.png'; got {str(tmp_path / name)!r}. The suffix chooses the format."
    )


def test_suffixes_may_be_capitals(explanation, tmp_path):
    """FIGURE.SVG is an SVG."""
    assert save(explanation, ViewState(), tmp_path / "FIGURE.SVG").read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 20}, "`width` must be from 60 to 600 mm, as a page is measured; got 20. Leave it out for 180."),
        (
            {"width": "90mm"},
            "`width` must be from 60 to 600 mm, as a page is measured; got '90mm'. Leave it out for 180.",
        ),
        ({"dpi": 0}, "`dpi` must be from 50 to 1200 dots per inch; got 0. Leave it out for 300."),
        ({"dpi": float("nan")}, "`dpi` must be from 50 to 1200 dots per inch; got nan. Leave it out for 300."),
        ({"dpi": True}, "`dpi` must be from 50 to 1200 dots per inch; got True. Leave it out for 300."),
    ],
)
def test_sizes_that_no_page_has_are_refused(explanation, tmp_path, options, message):
    """Width is in mm, and a dpi is one."""
    with pytest.raises(InvalidOptionError) as refused:
        save(explanation, ViewState(), tmp_path / "figure.svg", **options)
    assert str(refused.value) == message


def test_without_matplotlib_png_says_what_to_install(explanation, tmp_path, monkeypatch):
    """SVG needs nothing; PNG names the extra, before any work, and leaves no file."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    save(explanation, ViewState(), tmp_path / "figure.svg")
    with pytest.raises(MissingDependencyError) as refused:
        save(explanation, ViewState(), tmp_path / "figure.png")
    assert str(refused.value) == (
        "Drawing with matplotlib needs matplotlib, which is not installed. Run `pip install 'ice-explorer[export]'`."
    )
    assert not (tmp_path / "figure.png").exists()


def test_a_figure_that_fails_leaves_no_file(explanation, tmp_path):
    """The file is opened only when there is something to write."""
    with pytest.raises(UnknownFeatureError):
        save(explanation, ViewState(feature="x9"), tmp_path / "figure.svg")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_saving_a_picture_draws_on_no_screen():
    """SVG is written without loading matplotlib, whose import costs more than the picture."""
    code = (
        "import sys, numpy as np, ice_explorer; from ice_explorer.export import svg_bytes\n"
        "e = ice_explorer.explain(lambda X: X[:, 0], np.eye(3), progress=False)\n"
        "svg_bytes(e, {'feature': 'x0'}); print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
