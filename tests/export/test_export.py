"""Figures and pages as files: the right format, as large and as titled as asked for, and made again by their code."""

import json
import re
import sys
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pypdf
import pytest
from matplotlib import pyplot as plt
from matplotlib import rcParams
from numpy.testing import assert_allclose
from origins import file_bytes, read_provenance
from pictures import by_gid, view_of
from PIL import Image

import ice_explorer as ice
from ice_explorer.errors import OptionError
from ice_explorer.export.save import save
from ice_explorer.scene.build import ranking_of
from ice_explorer.scene.choices import ViewState

SVG = "{http://www.w3.org/2000/svg}"
DC = "{http://purl.org/dc/elements/1.1/}"
FORMATS = ["svg", "png", "pdf", "html", "csv", "parquet", "json"]
AT_ONCE = {("view", "svg"), ("panel", "csv"), ("since", "html"), ("view", "json")}  # in every check


@pytest.fixture(scope="module")
def explanation():
    X = np.random.default_rng(7).normal(size=(200, 3))
    return ice.explain(lambda X: np.tanh(2 * X[:, 0]) * X[:, 1] + X[:, 2], X, progress=False)


def svg_of(path):
    return ET.parse(path).getroot()  # noqa: S314 - our own


def width_of(path):
    """Width of an SVG [mm]."""
    return float(svg_of(path).get("width").removesuffix("pt")) / 72 * 25.4


def words_of(root):
    return ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]


def test_a_saved_view_is_the_one_for_the_browser_and_that_of_an_explanation(explanation, tmp_path):
    """The same bytes under the same name, from a state and from the mapping of a message."""
    state = ViewState(feature="x1", kind="c-ice", color_by="x0", anchor="max", max_lines=60, rank_by="impact")
    path = save(explanation, state, tmp_path / "VIEW.SVG")
    assert path == tmp_path / "VIEW.SVG"
    message = {
        "feature": "x1", "color_by": "x0", "kind": "c-ice", "decay": 0.75, "rank_by": "impact", "anchor": "max",
        "max_lines": 60, "selection": [],
    }  # fmt: skip
    assert path.read_bytes() == file_bytes(explanation, message, "VIEW.SVG")


def test_what_is_drawn_may_be_the_panel_or_another_feature(explanation, tmp_path):
    """A view has the ranking; a panel and the name of a feature have not. Without such a feature there is no file."""
    state = ViewState(feature="x1")

    def groups(what):
        path = save(explanation, state, tmp_path / f"{what}.svg", what)
        root = svg_of(path)
        has_bars = root.find(f".//{SVG}g[@id='bar']") is not None
        return has_bars, root.findtext(f".//{DC}title"), round(width_of(path))

    assert groups("view") == (True, "ICE of x1", 180)
    assert groups("panel") == (False, "ICE of x1", 120)
    assert groups("x2") == (False, "ICE of x2", 120)
    with pytest.raises(OptionError):
        save(explanation, state, tmp_path / "x9.svg", "x9")
    assert not (tmp_path / "x9.svg").exists()


def test_png_has_the_size_and_the_provenance(explanation, tmp_path):
    """Pixels are width times dpi; the text chunk holds what the SVG's metadata hold; paper is opaque white."""
    before = plt.get_fignums()
    path = save(explanation, ViewState(feature="x1", decay=0.5), tmp_path / "view.png", width=90, dpi=120)
    with Image.open(path) as image:
        assert abs(image.width - 90 / 25.4 * 120) <= 1
        assert image.text["Title"] == "ICE of x1"
        found = json.loads(image.text["ice-explorer"])
        pixels = np.asarray(image.convert("RGBA"))
    assert (found["feature"], found["decay"], found["rows_drawn"]) == ("x1", 0.5, 200)
    assert pixels[0, 0].tolist() == [255, 255, 255, 255]
    assert pixels[..., 3].min() == 255
    assert plt.get_fignums() == before


def test_what_is_saved_is_what_plot_draws(explanation, tmp_path):
    """Curves, mean and dots of a file have the numbers of those on Axes: the same functions draw both."""
    state = ViewState(feature="x1", color_by="x0", kind="c-ice", max_lines=100)
    saved = view_of(explanation, with_ranking=False, feature="x1", color_by="x0", kind="c-ice", max_lines=100).axes[0]
    plotted = explanation.plot("x1", "c-ice", color_by="x0", max_lines=100)
    for gid in ("mean", "observed"):
        for one, other in zip(by_gid(saved, gid), by_gid(plotted, gid), strict=True):
            if hasattr(one, "get_xydata"):
                assert_allclose(one.get_xydata(), other.get_xydata())
    for gid in ("observed", "curves"):
        (one,), (other,) = by_gid(saved, gid), by_gid(plotted, gid)
        if gid == "observed":
            assert_allclose(one.get_offsets(), other.get_offsets())
        else:
            assert_allclose(
                np.concatenate([path.vertices for path in one.get_paths()]),
                np.concatenate([path.vertices for path in other.get_paths()]),
            )
    assert (
        svg_of(save(explanation, state, tmp_path / "panel.svg", "panel")).find(f".//{SVG}g[@id='curves']") is not None
    )
    plt.close("all")


def test_nothing_is_overwritten_unless_asked(explanation, tmp_path):
    """A file that is there stays as it is; `overwrite=True` replaces it."""
    path = tmp_path / "ice-ice.svg"
    path.write_text("precious")
    with pytest.raises(OptionError) as refused:
        save(explanation, ViewState(), path)
    assert str(refused.value) == (
        f"`path` must not exist yet; there is a file at {str(path)!r}. Pass `overwrite=True` to replace it."
    )
    assert path.read_text() == "precious"
    save(explanation, ViewState(), path, overwrite=True)
    assert path.read_bytes() == file_bytes(explanation, ViewState(), path.name)


MISSING = {"parquet": ("pyarrow", "csv", "PARQUET")}


@pytest.mark.parametrize("suffix", MISSING)
def test_a_missing_package_is_named(explanation, tmp_path, monkeypatch, suffix):
    """With the extra that installs it, before any work, and without a file; other formats need nothing."""
    package, other, what = MISSING[suffix]
    monkeypatch.setitem(sys.modules, package, None)
    save(explanation, ViewState(), tmp_path / f"view.{other}")
    with pytest.raises(OptionError) as refused:
        save(explanation, ViewState(), tmp_path / f"view.{suffix}")
    assert str(refused.value) == (f"{what} needs {package}, which is not installed. Run `pip install pyarrow`.")
    assert not (tmp_path / f"view.{suffix}").exists()


# --- provenance -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "suffix"),
    [
        pytest.param(what, suffix, marks=[] if (what, suffix) in AT_ONCE else pytest.mark.slow)
        for what in ("view", "panel", "since")
        for suffix in FORMATS
    ],
)
def test_the_line_of_code_in_a_file_makes_it_again(mixed, same_again, tmp_path, suffix, what):
    """Provenance is read back from every format, and its code writes the same bytes under the same name."""
    state = ViewState(feature="#town", color_by="age, in years", kind="c-ice", decay=0.5, max_lines=40, selection=(3,))
    options = {"width": "100mm", "title": "Ages (\\) of 'towns'"}
    path = save(mixed, state, tmp_path / f"file.{suffix}", what, **options)
    found = read_provenance(path)
    everything = suffix == "json" and what == "view"
    assert found["feature"] == (
        ["#town", "age, in years", "AGE in years", "since"] if everything else "since" if what == "since" else "#town"
    )
    assert (found["decay"], found["kind"], found["color_by"]) == (0.5, "c-ice", "age, in years")
    assert same_again(path)


def test_a_file_follows_what_was_chosen_in_the_browser(explorer_of, same_again, table, tmp_path):
    """The legend's filter leaves lines out, in the picture and in the table of curves."""
    view = {"filters": {"#town": {"hidden": ["c,d"]}}, "shared_y": False}
    explorer = explorer_of(state={"version": 2, "feature": "since", "color_by": "#town", "view": view})
    curves, figure = [explorer.save(tmp_path / name, "panel") for name in ("curves.csv", "figure.svg")]
    found = read_provenance(figure)
    left = table.index[table["#town"] != "c,d"].tolist()
    assert sorted(set(pd.read_csv(curves)["row"])) == left
    assert (found["rows_drawn"], found["view"], found["not_drawn"]) == (len(left), view, [])
    assert same_again(curves)
    assert same_again(figure)


WHOLE_VIEW = {"compared": ["since", "#town"], "coloring": "median", "target": True, "shared_y": False}
VIEWS = {
    "heat map": {"left": "interactions", "pair": ["age, in years", "#town"]},
    "options": WHOLE_VIEW,
    "all features": {**WHOLE_VIEW, "right": "all", "coloring": "driver"},
}


@pytest.mark.parametrize(
    "view", [pytest.param(name, marks=[pytest.mark.slow] * (name != "heat map")) for name in VIEWS]
)
@pytest.mark.parametrize("suffix", ["svg", *(pytest.param(name, marks=pytest.mark.slow) for name in ("png", "pdf"))])
def test_the_whole_of_the_screen_is_made_again_by_its_code(explorer_of, same_again, tmp_path, suffix, view):
    """Whatever was chosen is in the file and in its line of code; nothing is left out of a view."""
    y = np.linspace(0, 60, 60)
    state = {"version": 2, "feature": "age, in years", "color_by": "AGE in years", "view": VIEWS[view]}
    file = explorer_of(y, state=state).save(tmp_path / f"view.{suffix}")
    found = read_provenance(file)
    assert (found["view"], found["not_drawn"]) == (VIEWS[view], [])
    assert same_again(file, y=y)


# --- all features ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_pdf_of_all_has_a_page_for_each_feature_and_text_as_text(mixed, tmp_path):
    """Pages come in the order of the bars; every word can be found, in fonts that are no pictures of letters."""
    document = pypdf.PdfReader(save(mixed, ViewState(), tmp_path / "all.pdf", "all", width="89mm"))
    order = [mixed[name].label for name in mixed.table().index]
    assert len(document.pages) == 4
    for page, feature in zip(document.pages, order, strict=True):
        assert f"ICE of {feature}" in page.extract_text()
        fonts = [font.get_object() for font in page["/Resources"]["/Font"].get_object().values()]
        assert {font["/Subtype"] for font in fonts} <= {"/TrueType", "/Type0"}
        assert float(page.mediabox.width) == pytest.approx(89 / 25.4 * 72, abs=0.3)
    assert document.metadata.title == f"ICE of {order[0]}"
    assert "/CreationDate" not in document.metadata


@pytest.mark.parametrize(
    ("suffix", "what"), [("csv", "all"), pytest.param("pdf", "all", marks=pytest.mark.slow), ("json", "view")]
)
def test_the_features_of_a_file_are_ranked_once(explanation, tmp_path, monkeypatch, suffix, what):
    """Of hundreds of features each ranking takes as long as a picture."""
    calls = []

    def counted(*arguments):
        calls.append(arguments)
        return ranking_of(*arguments)

    monkeypatch.setattr("ice_explorer.scene.build.ranking_of", counted)
    save(explanation, ViewState(), tmp_path / f"all.{suffix}", what)
    assert len(calls) == 1


# --- paper ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "mm"), [("89mm", 89), ("8.9 cm", 89), ("3.5in", 88.9), ("252pt", 88.9), (89, 89)])
def test_a_figure_is_as_wide_as_it_is_told(explanation, tmp_path, width, mm):
    """Journals say their columns in mm, inches or points."""
    assert width_of(save(explanation, ViewState(), tmp_path / "figure.svg", width=width)) == pytest.approx(mm, abs=0.01)


@pytest.mark.wide
def test_letters_have_the_size_of_rc_params_at_any_width(explanation, tmp_path, monkeypatch):
    """Of the labels on paper [pt], in the SVG and in the PDF; the figure is no wider for it."""
    monkeypatch.setitem(rcParams, "font.size", 11)
    path = save(explanation, ViewState(), tmp_path / "figure.svg", width="150mm")
    label = next(text for text in svg_of(path).iter(f"{SVG}text") if "".join(text.itertext()) == "x1")
    assert float(re.search(r"([\d.]+)px", label.get("style"))[1]) == pytest.approx(11, abs=0.05)  # px of 1/72 inch here
    assert width_of(path) == pytest.approx(150, abs=0.01)
    page = pypdf.PdfReader(save(explanation, ViewState(), tmp_path / "figure.pdf", width="150mm")).pages[0]
    assert float(page.mediabox.width) == pytest.approx(150 / 25.4 * 72, abs=0.3)


def test_titles_are_there_absent_or_given(explanation, tmp_path):
    """The usual heading names the curves."""

    def words(**options):
        return words_of(
            svg_of(save(explanation, ViewState(feature="x1"), tmp_path / "f.svg", "panel", overwrite=True, **options))
        )

    assert "ICE of x1" in words()
    for without in (False, None):
        assert not any(word.startswith(("ICE of", "On average")) for word in words(title=without))
    assert "Mine & <b>" in words(title="Mine & <b>")
