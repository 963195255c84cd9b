"""What the export menu requests of the kernel: each format, each place, and what goes wrong."""

from __future__ import annotations

import io
import json
import math
import os
import sys
import threading

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from origins import read_provenance
from PIL import Image

import ice_explorer as ice
from ice_explorer import errors
from ice_explorer.export import request as export_request
from ice_explorer.scene.choices import ViewState
from ice_explorer.widget.background import Background
from ice_explorer.wire import requests

KINDS = {
    "svg": ("image/svg+xml", b"<?xml"),
    "png": ("image/png", b"\x89PNG\r\n\x1a\n"),
    "pdf": ("application/pdf", b"%PDF-"),
    "csv": ("text/csv", b'"row","row_label","feature"'),
    "parquet": ("application/octet-stream", b"PAR1"),
    "json": ("application/json", b"{"),
}
# What files are called that hold something else than a picture of the curves.
PANELS = {
    "html": "ice-explorer",
    "csv": "curves-of-moon",
    "parquet": "curves-of-moon",
    "json": "curves-of-moon",
}


def tides(rows):
    return np.sin(2 * rows["moon"].to_numpy()) * rows["wind"].to_numpy() + rows["view"].to_numpy()


@pytest.fixture(scope="module", name="X")
def winds():
    return pd.DataFrame(np.random.default_rng(3).normal(size=(40, 3)), columns=["moon", "wind", "view"])


@pytest.fixture(scope="module")
def explanation(X):
    return ice.explain(tides, X, progress=False)


def asked(format="svg", what="view", *, to="browser", width=None, dpi=None, feature="moon", choices=None):  # noqa: A002 - as the message has it
    state = {
        "feature": feature, "color_by": None, "kind": "c-ice", "decay": 0.75, "rank_by": "impact",
        "ci": None, "anchor": "min",
        "max_lines": 30, "selection": [],
    }  # fmt: skip
    return {
        "id": "a", "type": "export", "format": format, "what": what, "width": width, "dpi": dpi,
        "to": to, "state": state, "choices": choices or {},
    }  # fmt: skip


def changed(request, place, value):
    field, _, entry = place.partition(".")
    return {**request, field: {**request[field], entry: value} if entry else value}


def answer(explanation, request):
    """What comes back: a body and the bytes of a file, if any."""
    drawn = ViewState(**request["state"], choices=request["choices"])
    body = export_request.answer(explanation, requests.parse_request(request), drawn)
    about = {"filename": body.filename, "mime": body.mime, "path": body.path}
    return about, [] if body.content is None else [body.content.tobytes()]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in {"png", "pdf"})) for name in KINDS]
)
def test_every_format_comes_back_or_is_written_beside_the_notebook(explanation, here, name):
    """Name, type and bytes; the line of code in the file names it. No bytes travel where a file is written."""
    mime, start = KINDS[name]
    filename = f"{PANELS.get(name, 'c-ice-of-moon')}.{name}"
    body, (content,) = answer(explanation, asked(name, "panel"))
    assert body == {"filename": filename, "mime": mime, "path": None}
    assert content.startswith(start)
    assert names(here) == []
    beside, buffers = answer(explanation, asked(name, "panel", to="notebook"))
    assert (beside["path"], buffers) == (str(here / filename), [])
    assert (here / filename).read_bytes() == content
    assert read_provenance(filename)["code"].endswith(f"; x.save({filename!r}, 'panel')")


def test_a_result_goes_back_or_beside_the_notebook(explanation, here):
    """Both are what `save` writes, whole, and open without the model."""
    body, (content,) = answer(explanation, asked("ice"))
    assert body == {"filename": "result.ice", "mime": "application/octet-stream", "path": None}
    assert names(here) == []
    beside, buffers = answer(explanation, asked("ice", to="notebook"))
    assert (beside["path"], buffers) == (str(here / "result.ice"), [])
    assert (here / "result.ice").read_bytes() == content
    pd.testing.assert_frame_equal(ice.load("result.ice").table(), explanation.table())
    assert read_provenance("result.ice")["code"].endswith("; x.save('result.ice')")
    with pytest.raises(errors.OptionError, match=r"A '.ice' holds a whole explanation; got what='panel'"):
        answer(explanation, asked("ice", "panel"))
    assert export_request.holds_all(requests.parse_request(asked("ice")))


def test_a_name_that_is_taken_gets_a_number_and_the_code_in_the_file_knows(explanation, here):
    """Files, folders and links to nowhere stay as they are; the recreating call names the real file."""
    (here / "view-of-moon.svg").write_text("precious")
    (here / "view-of-moon-2.svg").mkdir()
    (here / "view-of-moon-3.svg").symlink_to(here / "nowhere")
    body, _ = answer(explanation, asked(to="notebook"))
    assert body["filename"] == "view-of-moon-4.svg"
    assert (here / "view-of-moon.svg").read_text() == "precious"
    assert not (here / "nowhere").exists()
    assert read_provenance(body["path"])["code"].endswith("; x.save('view-of-moon-4.svg')")


@settings(max_examples=15)
@given(taken=st.sets(st.integers(1, 12)))
def test_the_first_free_number_is_taken(explanation, tmp_path_factory, taken):
    """The lowest one under which neither a table nor a provenance is there; nothing else changes."""
    folder = tmp_path_factory.mktemp("beside")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for number in taken:
            name = "metrics.csv" if number == 1 else f"metrics-{number}.csv"
            (folder / (name if number % 2 else f"{name}.json")).touch()
        body, _ = answer(explanation, asked("csv", to="notebook"))
    free = min(set(range(1, 14)) - taken)
    assert body["filename"] == ("metrics.csv" if free == 1 else f"metrics-{free}.csv")
    assert len(names(folder)) == len(taken) + 2


def test_a_table_of_the_view_is_the_metrics(explanation):
    """It is named so."""
    body, (content,) = answer(explanation, asked("csv"))
    assert body["filename"] == "metrics.csv"
    assert "impact" in pd.read_csv(io.BytesIO(content)).columns


def test_the_panel_is_the_heat_map_where_one_is_open(explanation):
    """Its title, both names and the ends of its colours."""
    choices = {"pair": ["moon", "wind"]}
    body, (content,) = answer(explanation, asked("svg", "panel", choices=choices))
    assert body["filename"] == "heat-map-of-moon-and-wind.svg"
    text = content.decode()
    for words in ("moon × wind", "Mean prediction with moon and wind replaced, over "):
        assert words in text
    assert 'id="cells"' in text
    assert "Hatched: no observations near." in text


def test_size_and_choices_are_followed(explanation, here):
    """Width and resolution reach the file and its line of code, and so do the choices of the view."""
    request = asked("png", "panel", width=89, dpi=200, choices={"shared_y": False})
    body, (content,) = answer(explanation, request)
    with Image.open(io.BytesIO(content)) as image:
        assert abs(image.width - 89 / 25.4 * 200) <= 1
    (here / body["filename"]).write_bytes(content)
    found = read_provenance(body["filename"])
    assert found["code"].endswith("'panel', width=89, dpi=200)")
    assert found["view"] == {"shared_y": False}


def test_what_is_usual_stands_in_no_line_of_code(explanation, here):
    """JupyterLab's settings name the usual resolution, too."""
    body, _ = answer(explanation, asked(dpi=300, to="notebook"))
    assert read_provenance(body["path"])["code"].endswith(f"; x.save({body['filename']!r})")


def test_a_format_that_does_not_exist_is_refused(explanation, here):
    """Nothing is written."""
    for to in ("browser", "notebook"):
        with pytest.raises(errors.OptionError, match=r"must end in '\.svg', .* or '\.ice'; got .*\.bmp'"):
            answer(explanation, asked("bmp", to=to))
    assert names(here) == []


class Denied:
    """Stands for a file system that does not let anybody write."""

    def __init__(self, *_args, **_options):
        raise PermissionError(13, "Permission denied")


@pytest.mark.usefixtures("here")
def test_a_folder_that_cannot_be_written_is_said(explanation, monkeypatch):
    """The system's reason, and what to do; the user who runs the tests may be allowed to write everywhere."""
    monkeypatch.setattr(os, "mkdir", Denied)
    with pytest.raises(errors.OptionError) as refused:
        answer(explanation, asked(to="notebook"))
    assert str(refused.value) == (
        "`path` must be that of a file which can be used; of 'view-of-moon.svg' the system says: Permission denied. "
        "Choose another name or folder."
    )


@pytest.mark.skipif(sys.platform == "win32", reason="folders of Unix")
@pytest.mark.parametrize("form", ["svg", "csv"])
def test_a_working_folder_that_is_gone_is_said(explanation, tmp_path, monkeypatch, form):
    """A kernel may outlive its folder."""
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    with pytest.raises(errors.OptionError, match=r"the system says: No such file or directory\."):
        answer(explanation, asked(form, to="notebook"))


# --- through the explorer -------------------------------------------------------------------------


def through(explorer, request):
    explorer.comm.receive({"method": "custom", "content": {"id": "a", **request}})
    message = explorer.comm.wait_for(lambda message: message["data"].get("content", {}).get("id") == "a")
    return message["data"]["content"], message["buffers"]


def test_an_explorer_writes_beside_its_notebook(make, X, here):
    """The reply has the absolute path."""
    explorer = make(tides, X)
    explorer._background.wait()
    reply, buffers = through(explorer, asked("json", to="notebook", choices={"shared_y": False}))
    assert reply["body"] == {
        "filename": "metrics.json",
        "mime": "application/json",
        "path": str(here / "metrics.json"),
        "content": None,
    }
    assert buffers == []
    written = json.loads((here / "metrics.json").read_text(encoding="utf-8"))
    assert len(written["curves"]) == 3
    assert written["provenance"]["view"] == {"shared_y": False}


def test_a_file_is_of_the_output_that_was_there_when_it_was_asked_for(make, X):
    """Another one that is chosen while the file has to wait has other results, under the same names."""
    explorer = make(tides, X)
    before, is_chosen = explorer._background, threading.Event()
    before.wait()
    before.ask(None, lambda _: is_chosen.wait(10), lambda _: None)
    request = {"method": "custom", "content": {"id": "a", **asked("csv")}}
    explorer.comm.receive(request)
    explorer._background = Background(list(X), lambda *_: None, lambda: None)
    is_chosen.set()
    message = explorer.comm.wait_for(lambda message: message["data"].get("content", {}).get("id") == "a")
    assert message["data"]["content"]["type"] == "result"
    assert len(pd.read_csv(io.BytesIO(message["buffers"][0]))) == 3
    explorer._background = before


@pytest.mark.parametrize(("form", "what"), [("html", "view"), ("html", "panel"), ("json", "view")])
def test_all_features_wait_until_they_are_there(make, X, form, what):
    """Half of them would be taken for all."""
    real = set(zip(X["moon"], X["view"], strict=True))

    def fails(rows):
        if not set(zip(rows["moon"], rows["view"], strict=True)) <= real:
            msg = "There is no such night."
            raise ValueError(msg)
        return tides(rows)

    explorer = make(fails, X)
    explorer._background.wait()
    done, total = explorer._status["done"], explorer._status["total"]
    assert done < total == 3
    reply, _ = through(explorer, asked(form, what, feature=""))
    assert reply["message"] == (
        f"All features must be computed to be exported together; {done} of {total} are. "
        "Wait until they are there, or export a picture of the view."
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("what", "all"),
        ("what", {"view": 1}),
        ("to", "moon"),
        ("width", "89mm"),
        ("dpi", True),
        ("dpi", math.nan),
        ("format", None),
        ("choices", []),
        ("state", 3),
        ("state.feature", None),
        ("state.color_by", 3),
        ("state.kind", ["ice"]),
        ("state.decay", 0),
        ("state.anchor", True),
        ("state.max_lines", 0),
        ("state.selection", [1.5]),
        ("choices.left", "middle"),
        ("choices.filters", {"moon": {"range": [0, 1]}}),
    ],
)
def test_a_request_that_is_none_is_refused_at_the_door(name, value):
    """It comes from another version's front end, so the page is to be loaded anew."""
    with pytest.raises(errors.ICEExplorerError) as refused:
        requests.parse_request(changed(asked(), name, value))
    assert str(refused.value) == (
        f"A request 'export' must be as the protocol says; got {value!r} as {name.rpartition('.')[2]!r}. "
        "Restart the kernel and reload the page, so that both run the same version."
    )


def test_a_choice_that_does_not_exist_is_refused():
    """It is named, cut after 200 letters."""
    with pytest.raises(errors.ICEExplorerError) as refused:
        requests.parse_request(changed(asked(), f"choices.{'left' * 100}", 1))
    assert str(refused.value) == (
        f"A request 'export' must be as the protocol says; got 1 as '{('left' * 100)[:199]}…. "
        "Restart the kernel and reload the page, so that both run the same version."
    )


def test_what_is_missing_is_the_usual_one():
    """Size, state and choices; a state of other entries is refused above."""
    request = asked()
    without = {name: value for name, value in request.items() if name not in {"width", "dpi"}}
    assert requests.parse_request(without) == requests.parse_request(request)
    without_color = {name: value for name, value in request["state"].items() if name != "color_by"}
    assert requests.parse_request({**request, "state": without_color}) == requests.parse_request(request)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("width", "`width` must be from 60 to 600 mm, "),
        ("dpi", "`dpi` must be from 50 to 1200 "),
        ("state.selection", "`include` must be row positions of X, from 0 to 39; got "),
        ("state.max_lines", None),
        ("state.anchor", None),
    ],
)
def test_integers_beyond_64_bits_are_like_any_others(make, X, caplog, name, message):
    """Too large a number is refused in the words of its option, or is as good as the largest one."""
    value = [2**70] if name == "state.selection" else 2**70
    explorer = make(tides, X)
    explorer.comm.receive({"method": "custom", "content": {"id": "a", **changed(asked(), name, value)}})
    reply = explorer.comm.wait_for(lambda m: m["data"].get("content", {}).get("id") == "a")["data"]["content"]
    assert reply["type"] == ("result" if message is None else "error")
    assert reply.get("message", "").startswith(message or "")
    assert caplog.records == []


# --- what settings may not change -----------------------------------------------------------------


def test_what_was_set_is_told_to_the_browser(make, X):
    """Set from Python, to the default even, or by a state; not by the browser, which tells itself."""
    explorer = make(tides, X)
    assert explorer._given == []
    explorer.set_state({"max_lines": 30})
    assert (explorer.max_lines, explorer._given) == (30, [])
    explorer.max_lines = 30
    assert explorer._given == ["max_lines"]
    explorer.max_lines = 1000
    assert explorer._given == ["max_lines"]
    assert make(tides, X, state=explorer.state())._given == ["max_lines"]
    with pytest.raises(errors.OptionError):
        explorer.max_lines = 0
