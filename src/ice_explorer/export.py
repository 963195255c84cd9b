"""Pictures of an explanation as files: what is on the screen, ready for print."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ice_explorer.errors import ExportError, InputTypeError, InvalidOptionError
from ice_explorer.figures.compose import compose
from ice_explorer.figures.mpl_page import png_page, require_matplotlib
from ice_explorer.figures.provenance import provenance_json
from ice_explorer.figures.svg import svg_page
from ice_explorer.figures.view import ViewState, scene

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ice_explorer.explanation import Explanation

SUFFIXES: Final = (".svg", ".png")
_WIDTHS: Final = (60.0, 600.0)
_DPIS: Final = (50.0, 1200.0)
_VIEW: Final = "view"
_PANEL: Final = "panel"


def save(
    explanation: Explanation,
    view_state: ViewState | Mapping[str, Any],
    path: str | Path,
    what: str = _VIEW,
    *,
    width: float | None = None,
    dpi: float | None = None,
    overwrite: bool = False,
) -> Path:
    """Write a picture of an explanation; the suffix of the path chooses the format.

    Every file carries where it comes from: what it shows, how it was computed, and the line of
    code that makes it again (SVG metadata, PNG text chunk).

    Parameters
    ----------
    explanation : Explanation
    view_state : ViewState or mapping
        What is shown of it.
    path : str or Path
        Ends in .svg, or in .png (which needs matplotlib).
    what : str
        "view" is the ranking and the open feature, "panel" the open feature alone; the name of a
        feature is the panel of that one.
    width : float, optional
        Of the figure, 60 to 600 [mm]; 180 for a view, 120 for a panel.
    dpi : float, optional
        Of a PNG, and of the lines in an SVG where they are many; 50 to 1200, default 300.
    overwrite : bool
        Replace a file that is there.

    Returns
    -------
    Path
        Of the file.

    Raises
    ------
    ExportError
        If the suffix is unknown or there is a file already; also a ValueError.
    UnknownFeatureError
        If `what` names no feature; also a KeyError.
    MissingDependencyError
        If matplotlib is needed and not installed; also an ImportError.
    """
    if not isinstance(path, str | os.PathLike):
        raise InputTypeError.path(path)
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix not in SUFFIXES:
        raise ExportError.suffix(path, SUFFIXES)
    width = _checked("width", width, 180.0 if what == _VIEW else 120.0, _WIDTHS, "mm, as a page is measured")
    dpi = _checked("dpi", dpi, 300.0, _DPIS, "dots per inch")
    state = ViewState.of(view_state)
    if what not in (_VIEW, _PANEL):
        state = replace(state, feature=explanation[what].label)
    if file.is_dir():
        raise ExportError.is_folder(path)
    if not file.parent.is_dir():
        raise ExportError.no_folder(path)
    if file.exists() and not overwrite:
        raise ExportError.exists(path)
    content = _render(explanation, state, suffix, with_ranking=what == _VIEW, width=width, dpi=dpi)
    try:
        # Opened only now, so that a figure that fails leaves no empty file behind.
        with file.open("wb" if overwrite else "xb") as target:
            target.write(content)
    except FileExistsError as error:
        raise ExportError.exists(path) from error
    return file


def svg_bytes(explanation: Explanation, view_state: ViewState | Mapping[str, Any]) -> bytes:
    """The whole view as an SVG document, for the explorer's own export menu."""
    return _render(explanation, ViewState.of(view_state), ".svg", with_ranking=True, width=180.0, dpi=300.0)


def _render(
    explanation: Explanation, state: ViewState, suffix: str, *, with_ranking: bool, width: float, dpi: float
) -> bytes:
    if suffix == ".png":
        require_matplotlib()  # before any work is done
    shown = scene(explanation, state)
    page = compose(shown, with_ranking=with_ranking, width=width, dpi=dpi)
    write = svg_page if suffix == ".svg" else png_page
    return write(page, shown.heading, shown.description, provenance_json(explanation, shown.state, shown.lines))


def _checked(option: str, got: object, default: float, bounds: tuple[float, float], unit: str) -> float:
    if got is None:
        return default
    low, high = bounds
    if isinstance(got, bool) or not isinstance(got, (int, float)) or not low <= got <= high:
        msg = f"`{option}` must be from {low:g} to {high:g} {unit}; got {got!r}. Leave it out for {default:g}."
        raise InvalidOptionError(msg)
    return float(got)
