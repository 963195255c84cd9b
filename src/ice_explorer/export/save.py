"""Save an explanation: figures of the current view, and its numbers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ice_explorer.checks import check_flag, check_integer
from ice_explorer.errors import ExportError
from ice_explorer.errors.base import or_listed, quoted
from ice_explorer.export.data_files import csv_bytes, json_bytes, parquet_bytes, require_pyarrow
from ice_explorer.export.file_names import CSV, files_of, plain_name
from ice_explorer.export.tables import curves_table, metrics_table
from ice_explorer.export.write_files import as_path, check_target, write_files
from ice_explorer.figures.compose import compose
from ice_explorer.figures.page.matplotlib_page import pdf_pages, png_page, require_matplotlib
from ice_explorer.figures.page.paper import USUAL_DPI, Paper
from ice_explorer.figures.page.svg import svg_page
from ice_explorer.results.options import resolve_display
from ice_explorer.saved.write import MOST_ROWS, result_bytes
from ice_explorer.scene.around import with_pair, with_surroundings
from ice_explorer.scene.build import ranking_of, scene, scenes
from ice_explorer.scene.provenance import provenance
from ice_explorer.scene.view_state import AROUND, ViewState
from ice_explorer.standalone.answers import lines_that_fit
from ice_explorer.standalone.build import frozen_page
from ice_explorer.standalone.cell import Frozen

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ice_explorer.explanation import Explanation
    from ice_explorer.results.options import Kind, RankBy, Unit

RESULT: Final = ".ice"
SUFFIXES: Final = (".svg", ".png", ".pdf", ".html", ".csv", ".parquet", ".json", RESULT)
FEATURE: Final = "{feature}"  # in a path: a file for each
ONE_EACH: Final = (".svg", ".png")  # formats that hold one feature
_NEEDS: Final = {".png": require_matplotlib, ".pdf": require_matplotlib, ".parquet": require_pyarrow}
_VIEW: Final = "view"
_PANEL: Final = "panel"
_ALL: Final = "all"
_WORDS: Final = (_VIEW, _PANEL, _ALL)
_LEFT_OUT: Final = {_VIEW: (), _PANEL: AROUND}  # choices that a file does not follow; a feature by name has curves
_HTML: Final = ".html"
_HOLD_RANKING: Final = (_HTML, ".json")  # whatever is wanted
_LINES: Final = 1000  # that an explorer draws at first
_USUAL: Final = {"title": True, "caption": False, "dpi": USUAL_DPI}
_VIEW_WIDTH: Final = 180.0  # mm
_PANEL_WIDTH: Final = 120.0
_LINES_OF_PICTURE: Final = 400  # beside an explorer in a saved notebook
_LINES_OF_SLOW: Final = 100  # … where a model predicts every point of every line
_FEWEST_LINES: Final = 30  # … and where it would be larger than this [letters]
_LARGEST_PICTURE: Final = 400_000
_FITTED: Final = ("unlike",)  # fits models, which a cell does not wait for
# Where a model predicts every point of every line.
_SLOW_TO_DRAW: Final = ("right", "compared", "classes", "ale", "m_plot")
_MARKED_OF_PICTURE: Final = 10
_PICTURE_DPI: Final = 120.0


def save(
    explanation: Explanation,
    view_state: ViewState | Mapping[str, Any],
    path: str | Path,
    what: str = _VIEW,
    *,
    overwrite: bool = False,
    max_lines: int | None = None,
    spreadsheet: bool = False,
    **paper: Any,
) -> Path | list[Path]:
    """Write an explanation to a file, or to one for each feature; the suffix of the path chooses the format.

    Every file carries its provenance, a CSV in a JSON file next to it: what it shows, how it was computed, and the line
    of code that makes it again.

    Parameters
    ----------
    explanation, path, what, overwrite, spreadsheet
        As for `ICEExplorer.save`.
    view_state : ViewState or mapping
        What is shown of it.
    max_lines : int, optional
        How many lines are drawn, selected rows besides; as the view says by default, and in an HTML page
        what `ice_explorer.standalone.answers.lines_that_fit` leaves of them.
    **paper
        `width`, `font_size`, `dpi`, `title` and `caption` of `ice_explorer.figures.page.paper.Paper.checked`, for
        figures: a view is 180 mm wide, a panel 120.
    """
    file = as_path(path)
    check_flag("overwrite", overwrite)
    suffix = file.suffix.lower()
    if suffix == RESULT:
        return _save_result(explanation, view_state, file, what, max_lines, overwrite=overwrite)
    if suffix not in SUFFIXES:
        raise ExportError(
            f"`path` must end in {or_listed(SUFFIXES)}; got {quoted(str(path))}.",
            "The suffix chooses the format.",
        )
    if check_flag("spreadsheet", spreadsheet) and suffix != CSV:
        raise ExportError(
            f"`spreadsheet=True` needs a `path` that ends in '.csv'; got {quoted(str(path))}.",
            "Leave it out for other formats.",
        )
    sheet = _sheet(what, paper)
    state = _of_lines(explanation, _state_of(explanation, view_state, what, suffix), suffix, max_lines)
    # Elsewhere the view itself says how many lines there are.
    given = paper if max_lines is None or suffix != _HTML else {"max_lines": max_lines, **paper}
    given = {**given, "spreadsheet": True} if spreadsheet else given
    if what != _ALL or FEATURE not in file.name:
        if what == _ALL and suffix in ONE_EACH:
            raise ExportError.one_file_each(path, suffix)
        _check_targets(file, overwrite=overwrite)
        contents = _contents(
            explanation, state, suffix, what, paper=sheet, call=_call(file, what, given), spreadsheet=spreadsheet
        )
        write_files(dict(zip(files_of(file), contents, strict=True)), overwrite=overwrite)
        return file
    features = [bar.label for bar in ranking_of(explanation, state).bars]
    files = _one_each(file, features)
    for each in files:  # all of them before the first is written
        _check_targets(each, overwrite=overwrite)
    curves = {name: choice for name, choice in state.choices.items() if name != "pair"}
    for each, feature in zip(files, features, strict=True):
        one = _PANEL if feature in _WORDS else feature  # a word says what is drawn, also where a feature has it
        opened, call = replace(state, feature=feature, choices=curves), _call(each, one, given)
        contents = _contents(explanation, opened, suffix, one, paper=sheet, call=call, spreadsheet=spreadsheet)
        write_files(dict(zip(files_of(each), contents, strict=True)), overwrite=overwrite)
    return files


def _check_targets(file: Path, *, overwrite: bool) -> None:
    for each in files_of(file):
        check_target(each, overwrite=overwrite)


def _save_result(
    explanation: Explanation,
    view_state: ViewState | Mapping[str, Any],
    file: Path,
    what: str,
    max_lines: int | None,
    *,
    overwrite: bool,
) -> Path:
    """Write what `ice_explorer.load` opens."""
    _check_whole(explanation, what)
    check_target(file, overwrite=overwrite)
    call = f"x.save({file.name!r})"
    content = result_content(explanation, MOST_ROWS if max_lines is None else max_lines, ViewState.of(view_state), call)
    write_files({file: content}, overwrite=overwrite)
    return file


def _check_whole(explanation: Explanation, what: str) -> None:
    if what != _VIEW and not (what == _PANEL and len(explanation) == 1):
        raise ExportError(
            f"A '{RESULT}' holds a whole explanation; got what={quoted(what)}.",
            "Leave `what` out, or call `save` of one feature.",
        )


def result_content(
    explanation: Explanation,
    max_lines: int = MOST_ROWS,
    state: ViewState | None = None,
    call: str = "x.explanation",
) -> bytes:
    """Return what `ice_explorer.load` opens, with where it comes from."""
    given = ViewState(decay=explanation.settings.decay) if state is None else state
    plain = replace(given, choices={}, selection=(), intervals=None, unit="prediction", color_by=None)
    shown = scene(explanation, replace(plain, max_lines=1))  # of which only the state is told
    origin = provenance(explanation, [replace(shown, state=replace(shown.state, max_lines=plain.max_lines))], call)
    return result_bytes(explanation, {**origin, "rows_drawn": min(max_lines, explanation.n_observations)}, max_lines)


def save_explanation(
    explanation: Explanation,
    path: str | Path,
    what: str = _VIEW,
    *,
    feature: Any = None,
    kind: Kind = "ice",
    color_by: Any = None,
    decay: float | None = None,
    rank_by: RankBy = "in_distribution_impact",
    unit: Unit = "prediction",
    anchor: Any = "min",
    max_lines: int | None = None,
    selection: Sequence[int] = (),
    width: float | str | None = None,
    font_size: float | None = None,
    dpi: float | None = None,
    title: bool | str | None = True,
    caption: bool | str = False,
    overwrite: bool = False,
    spreadsheet: bool = False,
) -> Path | list[Path]:
    """Write an explanation that no explorer shows; the arguments are those of `Explanation.save`."""
    name = feature if feature is not None or _is_word(what) else what
    opened = None if name is None else explanation[name]
    state = ViewState(
        feature="" if opened is None else opened.label,
        kind=kind,
        color_by=None if color_by is None else explanation._column(color_by).label,
        decay=explanation.settings.decay if decay is None else decay,
        rank_by=rank_by,
        unit=unit,
        anchor=anchor if opened is None else opened._anchor_place(anchor),
        max_lines=_LINES if max_lines is None else max_lines,
        selection=tuple(explanation._check_positions(selection, "selection").tolist()),
    )
    paper: dict[str, Any] = {"width": width, "font_size": font_size, "dpi": dpi, "title": title, "caption": caption}
    return save(
        explanation, state, path, what, overwrite=overwrite, max_lines=max_lines, spreadsheet=spreadsheet, **paper
    )


def frozen(
    explanation: Explanation,
    view_state: ViewState | Mapping[str, Any],
    max_lines: int | None = None,
) -> Frozen:
    """Put a view into the output of a cell, where it lives without a kernel."""
    state = _of_lines(explanation, ViewState.of(view_state), _HTML, max_lines)
    call = f"x.freeze({'' if max_lines is None else f'max_lines={max_lines!r}'})"
    return Frozen(frozen_page(explanation, state, call, in_cell=True))


def _of_lines(explanation: Explanation, state: ViewState, suffix: str, max_lines: int | None) -> ViewState:
    """Return a view that draws as many lines as a file is to hold."""
    if max_lines is None and suffix != _HTML:
        return state
    if max_lines is None:
        models = state.besides.models
        n_models = 1 if models is None else len(models.names)
        return replace(state, max_lines=lines_that_fit(explanation, state.max_lines, n_models))
    check_integer("max_lines", max_lines, 1, "Leave it out for as many as the view shows.")
    return replace(state, max_lines=int(max_lines))


def file_bytes(
    explanation: Explanation,
    view_state: ViewState | Mapping[str, Any],
    name: str,
    what: str = _VIEW,
    *,
    spreadsheet: bool = False,
    **paper: Any,
) -> bytes:
    """Return what `save` would write into a file of this name; of a CSV the table alone."""
    file = Path(name)
    suffix = file.suffix.lower()
    if what == _ALL and suffix in ONE_EACH:
        raise ExportError.one_file_each(name, suffix)
    if suffix == RESULT:
        _check_whole(explanation, what)
        return result_content(explanation, state=ViewState.of(view_state), call=_call(file, what, {}))
    state = _of_lines(explanation, _state_of(explanation, view_state, what, suffix), suffix, None)
    call = _call(file, what, {**paper, "spreadsheet": True} if spreadsheet else paper)
    sheet = _sheet(what, paper)
    return _contents(explanation, state, suffix, what, paper=sheet, call=call, spreadsheet=spreadsheet)[0]


def picture(explanation: Explanation, view_state: ViewState | Mapping[str, Any], *, waits: bool = False) -> str:
    """The whole view as a small SVG document, for where no explorer can live; of fewer lines than on the screen.

    Intervals that are not at hand are left out unless it `waits` for them.
    """
    state = ViewState.of(view_state)
    state = replace(state, selection=state.selection[:_MARKED_OF_PICTURE])
    if not waits and not explanation._has_draws(*resolve_display(explanation.settings, state.decay, state.convention)):
        state = replace(state, intervals=None)
    slow = _slow_to_draw(state) if explanation.engine == "brute" else ()
    unknown = _not_computed(state)
    text = _picture_of(explanation, state, _LINES_OF_SLOW if slow else _LINES_OF_PICTURE, (*slow, *unknown))
    for left_out in (slow, AROUND):  # strokes with many points, and then many features
        if len(text) > _LARGEST_PICTURE:
            text = _picture_of(explanation, state, _FEWEST_LINES, (*left_out, *unknown))
    return text


def _slow_to_draw(state: ViewState) -> tuple[str, ...]:
    """Return the names of the choices that need many more predictions."""
    return (*_SLOW_TO_DRAW, *(["coloring"] if state.choice("coloring") in ("driver", "together") else []))


def _not_computed(state: ViewState) -> list[str]:
    """Return the names of the choices that show what is not at hand: models to fit, or features that act together."""
    joint, pair = state.besides.joint, state.choice("pair")
    measures = {"non_linearity", *(measuring.measure for measuring in joint.whole_measures)}
    is_missing = {
        "map_y": state.choice("map_y") not in measures,
        "left": state.choice("left") == "interactions" and joint.whole_interactions is None,
        "pair": bool(pair) and not joint.knows(*pair),
    }
    return [*_FITTED, *(name for name, missing in is_missing.items() if missing)]


def _picture_of(explanation: Explanation, state: ViewState, most: int, left_out: Collection[str]) -> str:
    """Draw a view with so many lines at most, without some of what a reader chose."""
    choices = {name: value for name, value in state.choices.items() if name not in left_out}
    few = replace(state, max_lines=min(state.max_lines, most), choices=choices)
    shown = with_surroundings(explanation, scene(explanation, few))
    page = compose(shown, Paper(_VIEW_WIDTH, dpi=_PICTURE_DPI), with_ranking=True)
    whole = replace(shown, state=replace(shown.state, choices=state.choices))
    origin = provenance(explanation, [whole], "x.save('view.svg')", left_out)
    document = svg_page(page, shown.heading, shown.description, json.dumps(origin, default=str), compact=True)
    return document.decode()


def _contents(
    explanation: Explanation,
    state: ViewState,
    suffix: str,
    what: str,
    *,
    paper: Paper,
    call: str,
    spreadsheet: bool,
) -> tuple[bytes, ...]:
    """Return the content of a file, of a CSV that of its provenance, too; nothing is written where this fails."""
    _NEEDS.get(suffix, bool)()  # before any work is done
    if suffix == _HTML:
        return (frozen_page(explanation, _opening_with(state, what), call, title=paper.title),)
    has_all = what == _ALL or (what == _VIEW and suffix == ".json")
    shown = scenes(explanation, state) if has_all else [scene(explanation, state)]
    origin = provenance(explanation, shown, call, _LEFT_OUT.get(what, (*AROUND, "pair")))
    states = [each.state for each in shown]
    if suffix == ".json":
        return (json_bytes(explanation, states, origin),)
    if suffix in (CSV, ".parquet"):
        table = metrics_table(explanation, states[0]) if what == _VIEW else curves_table(explanation, states)
        return csv_bytes(table, origin, spreadsheet=spreadsheet) if suffix == CSV else (parquet_bytes(table, origin),)
    surrounded = {_VIEW: with_surroundings, _PANEL: with_pair}.get(what)
    if surrounded is not None:
        shown = [surrounded(explanation, each) for each in shown]
    pages = [compose(each, paper, with_ranking=what == _VIEW) for each in shown]
    first = shown[0]
    words = first.heading, first.description if what == _VIEW else first.panel_description
    text = json.dumps(origin, default=str, allow_nan=False)
    if suffix == ".pdf":
        return (pdf_pages(pages, *words, text),)
    return ((svg_page if suffix == ".svg" else png_page)(pages[0], *words, text),)


def _is_word(what: object) -> bool:
    """Return whether something else than the panel of a feature is wanted."""
    return isinstance(what, str) and what in _WORDS


def _opening_with(state: ViewState, what: str) -> ViewState:
    """Return the state of a page that opens with one feature, or with all of them."""
    if what == _VIEW:
        return state
    right = {"right": "all"} if what == _ALL else {}
    others = {name: choice for name, choice in state.choices.items() if name != "right"}
    return replace(state, choices={**others, **right})


def _state_of(explanation: Explanation, view_state: ViewState | Mapping[str, Any], what: str, suffix: str) -> ViewState:
    """Return the state, with the feature open that is wanted by name, and intervals only where there is a ranking."""
    state = ViewState.of(view_state)
    if what != _VIEW and suffix not in _HOLD_RANKING:
        state = replace(state, intervals=None)
    return state if _is_word(what) else replace(state, feature=explanation[what].label)


def _sheet(what: str, paper: Mapping[str, Any]) -> Paper:
    return Paper.checked(_VIEW_WIDTH if what == _VIEW else _PANEL_WIDTH, **paper)


def _call(file: Path, what: str, paper: Mapping[str, Any]) -> str:
    """Write the call that makes a file of this name again."""
    given = {name: value for name, value in paper.items() if value not in (None, _USUAL.get(name))}
    arguments = [repr(file.name), *([] if what == _VIEW else [repr(what)])]
    return f"x.save({', '.join([*arguments, *(f'{name}={value!r}' for name, value in given.items())])})"


def _one_each(file: Path, features: Sequence[str]) -> list[Path]:
    """Return a file name for each feature, in letters that every system allows, all distinct."""
    taken: set[str] = set()
    files = []
    for feature in features:
        plain = plain_name(feature)
        name, copies = plain, 1
        while name.casefold() in taken:
            copies += 1
            name = f"{plain}-{copies}"
        taken.add(name.casefold())
        files.append(file.with_name(file.name.replace(FEATURE, name)))
    return files
