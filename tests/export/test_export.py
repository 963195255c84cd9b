"""Files: the right format, nothing overwritten, nothing left half done, and where it comes from inside."""

import base64
import csv
import io
import json
import math
import os
import re
import subprocess
import sys
from contextlib import closing, suppress
from xml.etree import ElementTree as ET

import comm
import numpy as np
import pandas as pd
import pypdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_end import Wire
from matplotlib import pyplot as plt
from numpy.testing import assert_allclose, assert_array_equal
from PIL import Image

import ice_explorer
from ice_explorer import explain
from ice_explorer.errors import ExportError, InvalidOptionError, MissingDependencyError, UnknownFeatureError
from ice_explorer.export.data_files import shortened
from ice_explorer.export.save import file_bytes, save
from ice_explorer.scene.build import ranking_of
from ice_explorer.scene.view_state import ViewState

WIDTH = (
    "`width` must be from 60 to 600 mm, a number of mm or a text with its unit; got {}. "
    'Write for example `width="89mm"` or `width="3.5in"`, or leave it out for 180.'
)
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def explanation():
    X = np.random.default_rng(7).normal(size=(200, 3))
    return explain(lambda X: np.tanh(2 * X[:, 0]) * X[:, 1] + X[:, 2], X, progress=False)


def svg_bytes(explanation, state):
    return file_bytes(explanation, state, "ice-x1-c-ice.svg")


def test_svg_is_what_the_toolbar_gives(explanation, tmp_path):
    """A saved view and the one for the browser are the same bytes under the same name; the path is returned."""
    state = ViewState(feature="x1", kind="c-ice", color_by="x0")
    path = save(explanation, state, tmp_path / "ice-x1-c-ice.svg")
    assert path == tmp_path / "ice-x1-c-ice.svg"
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
    path = tmp_path / "ice-ice.svg"
    path.write_text("precious")
    with pytest.raises(ExportError) as refused:
        save(explanation, ViewState(), path)
    assert str(refused.value) == (
        f"`path` must not exist yet; there is a file at {str(path)!r}. Pass `overwrite=True` to replace it."
    )
    assert path.read_text() == "precious"
    save(explanation, ViewState(), path, overwrite=True)
    assert path.read_bytes() == file_bytes(explanation, ViewState(), path.name)


@pytest.mark.parametrize("name", ["figure.jpg", "figure", "figure.svg.gz"])
def test_other_suffixes_say_which_ones_there_are(explanation, tmp_path, name):
    """The message lists the formats."""
    with pytest.raises(ExportError) as refused:
        save(explanation, ViewState(), tmp_path / name)
    assert str(refused.value) == (
        "`path` must end in '.svg', '.png', '.pdf', '.html', '.csv', '.parquet', '.json' or '.ice'; "
        f"got {str(tmp_path / name)!r}. The suffix chooses the format."
    )


def test_suffixes_may_be_capitals(explanation, tmp_path):
    """FIGURE.SVG is an SVG."""
    assert save(explanation, ViewState(), tmp_path / "FIGURE.SVG").read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 20}, WIDTH.format(20)),
        ({"width": "20mm"}, WIDTH.format("'20mm'")),
        ({"width": "9 furlongs"}, WIDTH.format("'9 furlongs'")),
        ({"width": True}, WIDTH.format("True")),
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


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("is_there", [True, False])
def test_what_is_replaced_stays_until_the_new_file_is_whole(explanation, tmp_path, monkeypatch, error, is_there):
    """A disk that is full, or a Ctrl-C, takes no earlier file away, and leaves nothing half done."""
    path = tmp_path / "view.svg"
    if is_there:
        path.write_text("precious")

    def fails(_descriptor):
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fails)
        with pytest.raises(ExportError if isinstance(error, OSError) else KeyboardInterrupt):
            save(explanation, ViewState(), path, overwrite=True)
    assert [file.read_text() for file in tmp_path.iterdir()] == (["precious"] if is_there else [])


@pytest.mark.skipif(sys.platform == "win32", reason="links and modes are those of Unix")
def test_a_link_and_its_mode_stay_what_they_are(explanation, tmp_path):
    """The file is replaced that a link leads to, and keeps its permissions."""
    path, link = tmp_path / "view.svg", tmp_path / "latest.svg"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path.name)
    save(explanation, ViewState(), link, overwrite=True)
    assert link.is_symlink()
    assert path.read_bytes() == file_bytes(explanation, ViewState(), link.name)
    assert path.stat().st_mode & 0o777 == 0o640


# --- every format ---------------------------------------------------------------------------------


NINE_DIGITS = 5.0001e-9  # what is written of curves in text
FORMATS = ["svg", "png", "pdf", "html", "csv", "parquet", "json"]


@pytest.fixture(scope="module")
def table():
    """Columns of several kinds, with names and values that files might stumble over."""
    generator = np.random.default_rng(3)
    X = pd.DataFrame(
        {
            "age, in years": generator.integers(20, 40, 60).astype(float),
            "#town": generator.choice(["Oslo #1", 'a "b"', "c,d"], 60),
            "AGE in years": generator.normal(size=60),
            "since": pd.date_range("2020-01-01", periods=60),
        }
    )
    X.loc[5, "age, in years"] = np.nan
    return X


def mixed_model(rows):
    towns = rows["#town"].map({"Oslo #1": 0.0, 'a "b"': 1.0, "c,d": 3.0}).astype(float).to_numpy()
    ages = rows["age, in years"].fillna(50.0).to_numpy()
    return towns * ages + rows["AGE in years"].to_numpy() ** 2 + rows["since"].dt.day_of_year.to_numpy() / 100


@pytest.fixture(scope="module")
def mixed(table):
    return explain(mixed_model, table, progress=False)


@pytest.fixture
def running_code(monkeypatch, table):
    """Run the line of code of a file where model and X are in scope, in a folder of its own."""
    monkeypatch.setattr(comm, "create_comm", Wire)

    def run(code, folder, **more):
        monkeypatch.chdir(folder)
        scope = {"ice_explorer": ice_explorer, "model": mixed_model, "X": table, **more}
        exec(code, scope)  # noqa: S102 - what users are told to paste
        scope["x"].close()

    return run


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("what", ["view", "panel", "since"])
def test_the_line_of_code_in_a_file_makes_it_again(mixed, running_code, tmp_path, suffix, what):
    """Provenance is read back from every format, and its code writes the same bytes under the same name."""
    state = ViewState(feature="#town", color_by="age, in years", kind="c-ice", decay=0.5, max_lines=40, selection=(3,))
    options = {"width": "100mm", "font_size": 8, "title": "Ages (\\) of 'towns'", "caption": True}
    path = save(mixed, state, tmp_path / f"file.{suffix}", what, **options)
    found = ice_explorer.provenance(path)
    everything = suffix == "json" and what == "view"
    assert found["feature"] == (
        ["#town", "age, in years", "AGE in years", "since"] if everything else "since" if what == "since" else "#town"
    )
    assert (found["decay"], found["kind"], found["color_by"]) == (0.5, "c-ice", "age, in years")
    again = tmp_path / "again"
    again.mkdir()
    running_code(found["code"], again)
    assert (again / path.name).read_bytes() == path.read_bytes()


def test_a_file_follows_what_was_chosen_in_the_browser_and_its_code_makes_it_again(running_code, table, tmp_path):
    """The legend's filter leaves lines out, in the picture and in the table of curves."""
    view = {"filters": {"#town": {"hidden": ["c,d"]}}, "shared_y": True, "zoom": {"ice since": [0, 1, 2, 3]}}
    state = {"version": 1, "feature": "since", "color_by": "#town", "view": view}
    with closing(ice_explorer.ICEExplorer(mixed_model, table, state=state)) as explorer:
        files = [explorer.save(tmp_path / name, "panel") for name in ("curves.csv", "figure.svg")]
    found = [ice_explorer.provenance(file) for file in files]
    left = table.index[table["#town"] != "c,d"].tolist()
    assert sorted(set(pd.read_csv(files[0])["row"])) == left
    assert found[1]["rows_drawn"] == len(left)
    assert (found[1]["view"], found[1]["not_drawn"]) == (view, [])
    again = tmp_path / "again"
    again.mkdir()
    for file, origin in zip(files, found, strict=True):
        running_code(origin["code"], again)
        assert (again / file.name).read_bytes() == file.read_bytes()


WHOLE_VIEW = {
    "left": "map", "compared": ["since", "#town"], "coloring": "median", "target": True, "lines_as": "density",
    "zoom": {"ice age, in years: prediction": [22, 35, 0, 50]}, "rug": "off", "shared_y": True,
}  # fmt: skip


HEAT_MAP = {"left": "interactions", "pair": ["age, in years", "#town"]}


IMPORTANCE = {"left": "map", "map_y": "permutation"}


@pytest.mark.parametrize(
    "view", [WHOLE_VIEW, IMPORTANCE, {**WHOLE_VIEW, "right": "all", "coloring": "driver"}, HEAT_MAP]
)
@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_the_whole_of_the_screen_is_made_again_by_its_code(running_code, table, tmp_path, suffix, view):
    """Whatever was chosen is in the file and in its line of code; nothing is left out of a view."""
    state = {"version": 1, "feature": "age, in years", "color_by": "AGE in years", "view": view}
    y = np.linspace(0, 60, len(table))
    with closing(ice_explorer.ICEExplorer(mixed_model, table, y, state=state)) as explorer:
        file = explorer.save(tmp_path / f"view.{suffix}")
    found = ice_explorer.provenance(file)
    assert (found["view"], found["not_drawn"]) == (view, [])
    again = tmp_path / "again"
    again.mkdir()
    running_code(found["code"], again, y=y)
    assert (again / file.name).read_bytes() == file.read_bytes()


def test_a_pdf_of_all_has_a_page_for_each_feature_and_text_as_text(mixed, tmp_path):
    """Pages come in the order of the bars; every word can be found, in fonts that are no pictures of letters."""
    path = save(mixed, ViewState(), tmp_path / "all.pdf", "all", width="89mm")
    document = pypdf.PdfReader(path)
    order = [mixed[name].label for name in mixed.table().index]
    assert len(document.pages) == 4
    for page, feature in zip(document.pages, order, strict=True):
        assert f"ICE of {feature}" in page.extract_text()
        fonts = [font.get_object() for font in page["/Resources"]["/Font"].get_object().values()]
        assert {font["/Subtype"] for font in fonts} == {"/Type0"} or {font["/Subtype"] for font in fonts} <= {
            "/TrueType",
            "/Type0",
        }
        assert float(page.mediabox.width) == pytest.approx(89 / 25.4 * 72, abs=0.3)
    assert document.metadata.title == f"ICE of {order[0]}"
    assert "/CreationDate" not in document.metadata


def test_a_file_for_each_feature_is_the_file_of_that_feature(mixed, tmp_path):
    """The pattern names them in letters of any system, none like another; nothing is written over."""
    (tmp_path / "one").mkdir()
    (tmp_path / "each").mkdir()
    files = save(mixed, ViewState(), tmp_path / "each" / "ice {feature}.svg", "all")
    order = [mixed[name].label for name in mixed.table().index]
    assert sorted(file.name for file in files) == [
        "ice AGE-in-years-2.svg", "ice age-in-years.svg", "ice since.svg", "ice town.svg",
    ]  # fmt: skip
    for file, feature in zip(files, order, strict=True):
        alone = save(mixed, ViewState(), tmp_path / "one" / file.name, feature)
        assert alone.read_bytes() == file.read_bytes()
    files[0].unlink()
    with pytest.raises(ExportError):
        save(mixed, ViewState(), tmp_path / "each" / "ice {feature}.svg", "all")
    assert not files[0].exists()  # all places are looked at before the first is written


@pytest.mark.parametrize(("suffix", "what"), [("csv", "all"), ("pdf", "all"), ("json", "view")])
def test_the_features_of_a_file_are_ranked_once(explanation, tmp_path, monkeypatch, suffix, what):
    """Of hundreds of features each ranking takes as long as a picture."""
    calls = []

    def counted(*arguments):
        calls.append(arguments)
        return ranking_of(*arguments)

    monkeypatch.setattr("ice_explorer.scene.build.ranking_of", counted)
    save(explanation, ViewState(), tmp_path / f"all.{suffix}", what)
    assert len(calls) == 1


@pytest.mark.parametrize("suffix", ["svg", "csv"])
def test_a_feature_called_like_a_word_of_save_has_a_file_like_the_others(tmp_path, suffix):
    """The word says what is drawn, and the name of the feature which one it is of."""
    X = pd.DataFrame(np.random.default_rng(2).normal(size=(20, 3)), columns=["all", "view", "panel"])
    found = explain(lambda rows: rows.to_numpy() @ [1.0, 2.0, 3.0], X, progress=False)
    for file in save(found, ViewState(), tmp_path / f"{{feature}}.{suffix}", "all"):
        origin = ice_explorer.provenance(file)
        assert origin["feature"] == file.stem
        assert origin["code"].endswith(f"x.feature = {file.stem!r}; x.save({file.name!r}, 'panel')")
        assert file.read_bytes() == file_bytes(found, ViewState(feature=file.stem), file.name, "panel")


def test_features_with_endless_names_have_files(tmp_path):
    """Of letters that take four bytes each, fewer fit into a name."""
    X = pd.DataFrame(np.random.default_rng(2).normal(size=(20, 2)), columns=["𠀀" * 120, "𠀀" * 121])
    found = explain(lambda rows: rows.to_numpy() @ [1.0, 2.0], X, progress=False)
    files = save(found, ViewState(), tmp_path / "{feature}.csv", "all")
    assert sorted(file.name for file in files) == ["𠀀" * 50 + "-2.csv", "𠀀" * 50 + ".csv"]


def test_a_name_that_no_system_takes_is_said(explanation, tmp_path):
    """The system's own reason, in the words of the package."""
    path = tmp_path / ("x" * 300 + ".svg")
    with pytest.raises(ExportError) as refused:
        save(explanation, ViewState(), path)
    assert str(refused.value) == (
        f"`path` must be where files can be written; at {repr(str(path))[:200]}… the system says: File name too long. "
        "Choose a shorter name."
    )


def test_a_csv_of_a_view_is_the_table_of_metrics(mixed, tmp_path):
    """Read with "#" for comments it is the table, to the last digit that pandas reads, whatever the names hold."""
    path = save(mixed, ViewState(rank_by="impact", decay=0.4), tmp_path / "metrics.csv")
    found = pd.read_csv(path)
    expected = mixed.table(0.4, sort_by="impact")
    assert found.columns.tolist() == ["feature", *expected.columns]
    assert found["feature"].tolist() == [mixed[name].label for name in expected.index]
    assert_allclose(found["impact"], expected["impact"], rtol=1e-15)
    assert_array_equal(found["kind"], expected["kind"])


def test_curves_are_one_point_in_each_row(mixed, table, tmp_path):
    """Prediction, change and likelihood are those of the explanation, at the place that the row says."""
    state = ViewState(decay=0.5, max_lines=20, selection=(5,))  # the row that lacks its age
    path = save(mixed, state, tmp_path / "age.csv", "age, in years")
    found = pd.read_csv(path)
    feature = mixed["age, in years"]
    rows = feature.draw(20, [5])
    n_points = len(feature.grid) + 1  # the missing value comes last
    assert found["row"].tolist() == np.repeat(rows, n_points).tolist()
    on_grid = found[found["value"].notna()]
    assert_array_equal(on_grid["value"], np.tile(feature.grid, len(rows)))
    assert_allclose(on_grid["prediction"], feature.rows(rows).ravel(), rtol=NINE_DIGITS)
    assert_allclose(on_grid["change"], feature.centered_curves("min")[rows].ravel(), rtol=NINE_DIGITS, atol=1e-12)
    assert_allclose(on_grid["likelihood"], feature.likelihood(0.5, rows=rows).ravel(), rtol=NINE_DIGITS)
    missing = found[found["value"].isna()]
    assert_allclose(missing["prediction"], feature.missing_rows(rows), rtol=NINE_DIGITS)
    assert_allclose(missing["likelihood"], np.where(table["age, in years"].isna()[rows], 1.0, 0.5), rtol=0)


def test_text_has_nine_digits_of_a_curve_and_parquet_all(mixed, tmp_path):
    """Files say so; whatever else is in a table stands as it is."""
    state = ViewState(decay=0.5, max_lines=20)
    exact = pd.read_parquet(save(mixed, state, tmp_path / "age.parquet", "age, in years"))
    feature = mixed["age, in years"]
    predictions = exact[exact["value"].notna()]["prediction"]
    assert_array_equal(predictions, feature.rows(feature.draw(20)).ravel())
    for suffix in ("csv", "json"):
        path = save(mixed, state, tmp_path / f"age.{suffix}", "age, in years")
        said = "Curves have 9 significant digits here; Parquet has all of them."
        assert ice_explorer.provenance(path)["digits"] == said
    rows = path.with_suffix(".csv").read_text(encoding="utf-8").splitlines()[-1].split(",")
    assert max(len(re.sub(r"e.*|[^0-9]", "", number).lstrip("0")) for number in rows[-3:]) <= 9
    assert "digits" not in ice_explorer.provenance(save(mixed, state, tmp_path / "metrics.csv"))


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_shortened_numbers_are_near_and_short(value):
    """At most nine digits, off by half of the last one; what is hardly a number stays as it is."""
    (found,) = shortened(np.array([value])).tolist()
    if not math.isfinite(value) or not 1e-13 < abs(value) < 1e22:
        assert_array_equal(found, value)
        return
    assert found == pytest.approx(value, rel=NINE_DIGITS)
    assert len(repr(found).partition("e")[0].replace(".", "").lstrip("-0").rstrip("0")) <= 9


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_moments_are_written_as_moments(tmp_path, unit):
    """Whatever they are counted in: pandas counted nanoseconds before it counted microseconds."""
    X = pd.DataFrame({"since": pd.date_range("2020-01-01", periods=9).as_unit(unit), "one": np.arange(9.0)})
    e = explain(lambda rows: rows["since"].dt.day.to_numpy() + rows["one"].to_numpy(), X, progress=False)
    found = pd.read_parquet(save(e, ViewState(), tmp_path / "since.parquet", "since"))
    assert set(found["value"]) == set(X["since"])
    written = pd.read_csv(save(e, ViewState(), tmp_path / "since.csv", "since"))
    assert set(pd.to_datetime(written["value"])) == set(X["since"])


def test_curves_of_one_feature_keep_its_type_and_of_several_are_text(mixed, tmp_path):
    """Parquet holds dates as dates; where towns, dates and numbers share a column they are texts with a place."""
    alone = pd.read_parquet(save(mixed, ViewState(), tmp_path / "since.parquet", "since"))
    assert alone["value"].dtype.kind == "M"
    assert set(alone["value"]) == set(pd.to_datetime(mixed["since"].grid))
    several = pd.read_parquet(save(mixed, ViewState(), tmp_path / "all.parquet", "all"))
    towns = several[several["feature"] == "#town"]
    assert set(towns["value"]) == {"Oslo #1", 'a "b"', "c,d"}
    assert set(towns["place"]) == {0.0, 1.0, 2.0}
    ages = several[(several["feature"] == "age, in years") & several["value"].notna()]
    assert_array_equal(ages["value"].astype(float), ages["place"])


def test_json_holds_everything_and_no_nan(mixed, tmp_path):
    """What is undefined is null; predictions are those of the rows it names."""

    def refuse(word):
        raise AssertionError(word)

    path = save(mixed, ViewState(max_lines=15), tmp_path / "all.json")
    found = json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)
    assert set(found) == {"provenance", "settings", "notes", "metrics", "curves"}
    assert found["settings"]["grid"] == "observed"
    by_feature = {entry["feature"]: entry for entry in found["metrics"]}
    assert by_feature["#town"]["direction"] is None
    age = next(entry for entry in found["curves"] if entry["feature"] == "age, in years")
    assert age["grid"][-1] is None
    assert_allclose(
        [row[:-1] for row in age["predictions"]], mixed["age, in years"].rows(age["rows"]), rtol=NINE_DIGITS
    )
    assert np.shape(age["likelihood"]) == np.shape(age["changes"]) == (len(age["rows"]), len(age["places"]))


# --- paper ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "mm"), [("89mm", 89), ("8.9 cm", 89), ("3.5in", 88.9), ("252pt", 88.9), (89, 89)])
def test_a_figure_is_as_wide_as_it_is_told(explanation, tmp_path, width, mm):
    """Journals say their columns in mm, inches or points."""
    root = ET.parse(save(explanation, ViewState(), tmp_path / "figure.svg", width=width)).getroot()  # noqa: S314 - ours
    assert float(root.get("width").removesuffix("mm")) == pytest.approx(mm, abs=0.01)


def test_letters_have_the_size_asked_for_at_any_width(explanation, tmp_path):
    """Of the labels on paper [pt], in the SVG and in the PDF; the figure is no wider for it."""
    options = {"width": "150mm", "font_size": 10}
    root = ET.parse(save(explanation, ViewState(), tmp_path / "figure.svg", **options)).getroot()  # noqa: S314 - ours
    inches = float(root.get("width").removesuffix("mm")) / 25.4
    px_per_inch = float(root.get("viewBox").split()[2]) / inches
    label = next(text for text in root.iter(f"{SVG}text") if text.text == "x1")
    assert float(label.get("font-size")) / px_per_inch * 72 == pytest.approx(10, abs=0.05)
    assert inches == pytest.approx(150 / 25.4, abs=0.01)
    page = pypdf.PdfReader(save(explanation, ViewState(), tmp_path / "figure.pdf", **options)).pages[0]
    assert float(page.mediabox.width) == pytest.approx(150 / 25.4 * 72, abs=0.3)


def test_titles_and_captions_are_there_absent_or_given(explanation, tmp_path):
    """The usual heading names the curves; a caption is a sentence in as many lines as it takes."""

    def words(**options):
        path = save(explanation, ViewState(feature="x1"), tmp_path / "f.svg", "panel", overwrite=True, **options)
        root = ET.parse(path).getroot()  # noqa: S314 - our own
        caption = root.find(f".//{SVG}g[@id='caption']")
        lines = [] if caption is None else [text.text for text in caption.iter(f"{SVG}text")]
        if caption is not None:
            bottom = max(float(text.get("y")) for text in caption.iter(f"{SVG}text"))
            assert bottom < float(root.get("viewBox").split()[3])
        return {text.text for text in root.iter(f"{SVG}text")}, lines

    assert "ICE of x1" in words()[0]
    assert words()[1] == []
    for without in (False, None):
        assert not any(word.startswith(("ICE of", "On average")) for word in words(title=without)[0])
    assert "Mine & <b>" in words(title="Mine & <b>")[0]
    usual = words(caption=True, width=60)[1]
    assert " ".join(usual) == (
        "200 of 200 rows: prediction against x1, weight of far values 0.75 "
        "(a value 2.4 SD from the observed one counts half)."
    )
    long = "A sentence that says what is to be seen. " * 5
    lines = words(caption=long)[1]
    assert len(lines) > 1
    assert " ".join(lines) == long.strip()
    assert words(caption="Short.")[1] == ["Short."]


def test_an_explanation_saves_what_an_explorer_would(explanation, tmp_path):
    """Without an explorer the options say what is shown; names are those of X."""
    state = ViewState(feature="x1", kind="c-ice", color_by="x0", anchor="max", max_lines=60)
    expected = save(explanation, state, tmp_path / "view.svg").read_bytes()
    path = explanation.save(
        tmp_path / "view.svg", feature="x1", kind="c-ice", color_by="x0", anchor="max", max_lines=60, overwrite=True
    )
    assert path.read_bytes() == expected


def test_without_pyarrow_parquet_says_what_to_install(explanation, tmp_path, monkeypatch):
    """The other tables need nothing."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    save(explanation, ViewState(), tmp_path / "metrics.csv")
    with pytest.raises(MissingDependencyError) as refused:
        save(explanation, ViewState(), tmp_path / "metrics.parquet")
    assert str(refused.value) == (
        "Writing Parquet needs pyarrow, which is not installed. Run `pip install 'ice-explorer[export]'`."
    )
    assert not (tmp_path / "metrics.parquet").exists()


@pytest.mark.slow
def test_saving_a_picture_draws_on_no_screen():
    """SVG is written without loading matplotlib, whose import costs more than the picture."""
    code = (
        "import sys, numpy as np, ice_explorer; from ice_explorer.export.save import file_bytes\n"
        "e = ice_explorer.explain(lambda X: X[:, 0], np.eye(3), progress=False)\n"
        "file_bytes(e, {'feature': 'x0'}, 'a.svg'); print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_file_of_brackets_says_nothing_about_where_it_comes_from(tmp_path):
    """Whatever somebody wrote into it, the reader says so in its own words."""
    path = tmp_path / "deep.json"
    path.write_text('{"provenance":' + "[" * 100_000)
    with pytest.raises(ExportError, match="does not say where it comes from"):
        ice_explorer.provenance(path)


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf", ".html", ".parquet", ".json", ".ice"])
def test_a_file_that_was_changed_says_where_it_comes_from_or_that_it_does_not(explanation, tmp_path, suffix):
    """Renamed or opened in an editor it is read; cut or damaged it is so, or a sentence says that it says nothing."""
    whole = save(explanation, {"feature": "x0"}, tmp_path / f"x{suffix}").read_bytes()
    code = ice_explorer.provenance(tmp_path / f"x{suffix}")["code"]
    changed = tmp_path / "changed.dat"

    def found(content):
        changed.write_bytes(content)
        return ice_explorer.provenance(changed)["code"]

    assert found(whole) == code
    if suffix in {".svg", ".html", ".json"}:
        assert found(b"\xef\xbb\xbf" + whole) == code
    generator = np.random.default_rng(0)
    damaged = [whole[: int(at)] for at in generator.integers(0, len(whole), 30)]
    for places in generator.integers(0, len(whole), (30, 20)):
        content = np.frombuffer(whole, np.uint8).copy()
        content[places] ^= 0x55
        damaged.append(content.tobytes())
    for content in damaged:
        with suppress(ExportError):  # and nothing else
            found(content)


# --- spreadsheets ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def formulas():
    """Names and levels that a spreadsheet would run, among them one that commas and semicolons would cut out."""
    generator = np.random.default_rng(5)
    X = pd.DataFrame(
        {
            "=1+1": generator.normal(size=40),
            "a,=2+2,b": generator.choice(["=cmd|' /C calc'!A0", "@SUM(A1)", "-1", "x;=3+3;y", "Oslo"], 40),
            "-since": pd.to_timedelta(generator.integers(-3, 3, 40), unit="D"),
        }
    )

    def model(rows):
        return rows["=1+1"].to_numpy() + (rows["a,=2+2,b"] == "Oslo") * 2.0 + rows["-since"].dt.days.to_numpy()

    return explain(model, X, progress=False)


def cells(path, separator):
    """The cells of every line as a spreadsheet has them, texts and numbers alike."""
    with path.open(encoding="utf-8", newline="") as file:
        return [cell for line in csv.reader(file, delimiter=separator) for cell in line]


def is_formula(cell):
    return cell[:1] in tuple("=+-@\t\r") and re.fullmatch(r"[+-]?[0-9.]+(e[+-]?[0-9]+)?", cell) is None


@pytest.mark.parametrize("what", ["view", "all", "a,=2+2,b", "-since", "=1+1"])
def test_a_csv_for_spreadsheets_has_no_formula_in_any_cell(formulas, tmp_path, what):
    """Cut at commas or at semicolons, head and all; it says so, and pandas reads it; without the option it has some."""
    state = ViewState(feature="=1+1", color_by="a,=2+2,b")
    path = save(formulas, state, tmp_path / "safe.csv", what, spreadsheet=True)
    plain = save(formulas, state, tmp_path / "plain.csv", what)
    for separator in (",", ";"):
        assert [cell for cell in cells(path, separator) if is_formula(cell.strip())] == []
    assert any(is_formula(cell) for cell in cells(plain, ","))
    origin = ice_explorer.provenance(path)
    assert origin.pop("spreadsheet") == (
        "Texts that begin with = + - @ or with a tab or a line break have an apostrophe in front here: spreadsheets "
        "would run them as formulas. Numbers are unchanged."
    )
    lossless = ice_explorer.provenance(plain)
    assert origin.pop("code").endswith(
        f"; x.save('safe.csv'{'' if what == 'view' else f', {what!r}'}, spreadsheet=True)"
    )
    del lossless["code"]
    assert origin == lossless
    read, known = (pd.read_csv(file) for file in (path, plain))
    assert read.columns.tolist() == known.columns.tolist()
    for name in known:
        if known[name].dtype.kind in "if":
            assert_array_equal(read[name], known[name])  # a negative number is a number
        else:
            bare = read[name].str.replace("(^|;)'", r"\1", regex=True)
            assert bare[known[name].notna()].tolist() == known[name].dropna().tolist()


def test_a_csv_for_spreadsheets_is_made_again_by_its_code(explanation, tmp_path):
    """Of an explanation, too; of a file for each feature; and other formats refuse."""
    for file in explanation.save(tmp_path / "{feature}.csv", "all", spreadsheet=True):
        assert ice_explorer.provenance(file)["code"].endswith(f"x.save({file.name!r}, {file.stem!r}, spreadsheet=True)")
    with pytest.raises(ExportError) as refused:
        save(explanation, ViewState(), tmp_path / "view.json", spreadsheet=True)
    assert str(refused.value) == (
        f"`spreadsheet=True` needs a `path` that ends in '.csv'; got {str(tmp_path / 'view.json')!r}. "
        "Leave it out for other formats."
    )
