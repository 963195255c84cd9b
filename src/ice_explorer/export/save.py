"""Save an explanation: figures of the current view, and its numbers."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from ice_explorer.checks import check_flag, check_integer
from ice_explorer.errors import MissingPackageError, OptionError
from ice_explorer.errors.base import or_listed, quoted
from ice_explorer.export.files import CSV, as_path, check_target, files_of, write_files
from ice_explorer.export.tables import csv_bytes, curves_table, json_bytes, metrics_table, parquet_bytes
from ice_explorer.figures.paper import USUAL_DPI, Paper, check_paper, paper_style, pdf_bytes, png_bytes, svg_bytes
from ice_explorer.saved.write import MOST_ROWS, result_bytes
from ice_explorer.scene.build import scene, scenes, with_pair, with_surroundings
from ice_explorer.scene.choices import AROUND, ViewState
from ice_explorer.scene.provenance import provenance
from ice_explorer.standalone.page import Frozen, frozen_page
from ice_explorer.standalone.recording import lines_that_fit
from ice_explorer.tables.column import encodable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from ice_explorer.explanation import Explanation
    from ice_explorer.scene.build import Scene

RESULT: Final = ".ice"
PARQUET: Final = ".parquet"
SUFFIXES: Final = (".svg", ".png", ".pdf", ".html", CSV, PARQUET, ".json", RESULT)
_WORDS: Final = ("view", "panel", "all")
_LEFT_OUT: Final = {"view": ("axis",), "panel": (*AROUND, "axis")}  # choices that a file does not follow
_USUAL: Final = {"title": True, "dpi": USUAL_DPI}


def save(
    explanation: Explanation,
    state: ViewState,
    path: str | Path,
    what: str = "view",
    *,
    overwrite: bool = False,
    max_lines: int | None = None,
    **paper: Any,
) -> Path:
    """Write what is shown of an explanation to a file, as for `ICEExplorer.save`.

    `paper` is `width`, `dpi` and `title` of figures.
    """
    file = as_path(path)
    check_flag("overwrite", overwrite)
    _check_format(file, content_of(what))
    for target in files_of(file):
        check_target(target, overwrite=overwrite)
    parts = file_contents(explanation, state, file, what, max_lines, **paper)
    write_files(dict(zip(files_of(file), parts, strict=True)), overwrite=overwrite)
    return file


def file_contents(
    explanation: Explanation,
    state: ViewState,
    file: Path,
    what: str = "view",
    max_lines: int | None = None,
    **paper: Any,
) -> tuple[bytes, ...]:
    """Return the content of a file of this name, of a CSV also that of its provenance."""
    suffix, content = file.suffix.lower(), content_of(what)
    _check_format(file, content)
    if suffix == RESULT:
        return (_result(explanation, state, file, what, max_lines),)
    sheet = check_paper(180.0 if content == "view" else 120.0, **paper)  # mm
    has_ranking = content == "view" or suffix in (".html", ".json")
    state = _shown(explanation, state, what, max_lines, has_ranking=has_ranking, is_page=suffix == ".html")
    if suffix == ".html":
        if content != "view":  # the page opens with one feature, or with all
            others = {name: choice for name, choice in state.choices.items() if name != "right"}
            state = replace(state, choices=others | ({"right": "all"} if content == "all" else {}))
        call = _call(file, what, {"max_lines": max_lines, **paper})
        return (frozen_page(explanation, state, call, title=sheet.title),)
    has_all = content == "all" or (content == "view" and suffix == ".json")
    shown = scenes(explanation, state) if has_all else [scene(explanation, state)]
    left_out = _LEFT_OUT.get(content, (*AROUND, "axis", "pair"))
    origin = provenance(explanation, shown, _call(file, what, paper), left_out)
    states = [each.state for each in shown]
    if suffix == ".json":
        return (json_bytes(explanation, states, origin),)
    if suffix in (CSV, PARQUET):
        table = metrics_table(explanation, states[0]) if content == "view" else curves_table(explanation, states)
        return csv_bytes(table, origin) if suffix == CSV else (parquet_bytes(table, origin),)
    text = json.dumps(origin, default=str, allow_nan=False)
    return (_figure(explanation, shown, suffix, content, paper=sheet, origin=text),)


def figure(
    explanation: Explanation,
    state: ViewState,
    what: str = "view",
    max_lines: int | None = None,
    **paper: Any,
) -> Figure:
    """Draw the figure that `save` writes."""
    from ice_explorer.figures.view import view_figure

    content = content_of(what)
    if content == "all":
        raise OptionError(
            "`what` must be one figure: 'view', 'panel' or the name of a feature; got 'all'.",
            "`save('figures.pdf', 'all')` writes a page for each feature.",
        )
    state = _shown(explanation, state, what, max_lines, has_ranking=content == "view")
    sheet = check_paper(180.0 if content == "view" else 120.0, **paper)  # mm
    shown = scene(explanation, state)
    with paper_style():
        return view_figure(_with_rest(explanation, shown, content), sheet, with_ranking=content == "view")


def _shown(
    explanation: Explanation,
    state: ViewState,
    what: str,
    max_lines: int | None,
    *,
    has_ranking: bool = True,
    is_page: bool = False,
) -> ViewState:
    """Return the state that a file shows: of the feature that `what` names, with intervals where there is a ranking.

    It draws as many lines as the file is to hold.
    """
    if content_of(what) == "feature":
        state = replace(state, feature=explanation[what].label)
    if not has_ranking:
        state = replace(state, ci=None)
    if max_lines is not None:
        check_integer("max_lines", max_lines, 1, "Leave it out for as many as the view shows.")
        return replace(state, max_lines=int(max_lines))
    models = state.besides.models
    n_models = 1 if models is None else len(models.names)
    return replace(state, max_lines=lines_that_fit(explanation, state.max_lines, n_models)) if is_page else state


def _with_rest(explanation: Explanation, shown: Scene, content: str) -> Scene:
    if content not in ("view", "panel"):
        return shown
    return (with_surroundings if content == "view" else with_pair)(explanation, shown)


def content_of(what: object) -> str:
    """Return what a file shows: "view", "panel", "all", or "feature" where `what` names one."""
    return what if isinstance(what, str) and what in _WORDS else "feature"


def _figure(
    explanation: Explanation, shown: Sequence[Scene], suffix: str, content: str, *, paper: Paper, origin: str
) -> bytes:
    from ice_explorer.figures.view import view_figure

    shown = [_with_rest(explanation, each, content) for each in shown]
    about = encodable(shown[0].heading), origin, paper.dpi
    with paper_style():
        figures = (view_figure(each, paper, with_ranking=content == "view") for each in shown)
        if suffix == ".pdf":
            return pdf_bytes(figures, *about)
        return (svg_bytes if suffix == ".svg" else png_bytes)(next(figures), *about)


def _result(explanation: Explanation, state: ViewState, file: Path, what: str, max_lines: int | None) -> bytes:
    if content_of(what) != "view" and not (content_of(what) == "panel" and len(explanation) == 1):
        raise OptionError(
            f"A '{RESULT}' holds a whole explanation; got what={quoted(what)}.",
            "Leave `what` out; for a file of one feature explain it alone: `explain(model, X, features=['age'])`.",
        )
    plain = replace(state, choices={}, selection=(), ci=None, color_by=None)
    shown = scene(explanation, replace(plain, max_lines=1))  # only the state is used
    shown = replace(shown, state=replace(shown.state, max_lines=plain.max_lines))
    origin = provenance(explanation, [shown], _call(file, "view", {}))
    return result_bytes(explanation, origin, MOST_ROWS if max_lines is None else max_lines)


def frozen(explanation: Explanation, state: ViewState, max_lines: int | None = None) -> Frozen:
    """Put a view into the output of a cell, where it lives without a kernel."""
    state = _shown(explanation, state, "view", max_lines, is_page=True)
    call = f"x.freeze({'' if max_lines is None else f'max_lines={max_lines!r}'})"
    return Frozen(frozen_page(explanation, state, call, in_cell=True))


def _check_format(file: Path, content: str) -> None:
    suffix = file.suffix.lower()
    if suffix not in SUFFIXES:
        raise OptionError(
            f"`path` must end in {or_listed(SUFFIXES)}; got {quoted(str(file))}.", "The suffix chooses the format."
        )
    if suffix == PARQUET and find_spec("pyarrow") is None:
        raise MissingPackageError("PARQUET needs pyarrow, which is not installed.", "Run `pip install pyarrow`.")
    if content == "all" and suffix in (".svg", ".png"):
        raise OptionError(
            f"`path` must end in '.pdf' to hold a figure of each feature; got {quoted(str(file))}.",
            f"Save one feature at a time: `save('age{suffix}', 'age')`.",
        )


def _call(file: Path, what: str, options: Mapping[str, Any]) -> str:
    given = {name: value for name, value in options.items() if value not in (None, _USUAL.get(name))}
    arguments = [repr(file.name), *([] if content_of(what) == "view" else [repr(what)])]
    return f"x.save({', '.join([*arguments, *(f'{name}={value!r}' for name, value in given.items())])})"
