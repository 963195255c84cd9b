"""Answer requests of the Export menu: a file for the browser, or saved next to the notebook."""

from __future__ import annotations

import os
from contextlib import suppress
from mimetypes import MimeTypes
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.errors import OptionError
from ice_explorer.export import save
from ice_explorer.export.files import FEATURE, files_of, plain_name, system_error
from ice_explorer.scene.choices import compared_with
from ice_explorer.wire.messages import ExportBody, FormatHead
from ice_explorer.wire.requests import WHATS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ice_explorer.explanation import Explanation
    from ice_explorer.scene.choices import ViewState
    from ice_explorer.wire.requests import ExportRequest

_TYPES: Final = MimeTypes()  # without those of this machine, which differ between machines
_BYTES: Final = "application/octet-stream"


def formats() -> list[FormatHead]:
    """List what a view can be saved as, and why not where a package is missing; none of them is imported."""
    problems = {suffix: save.missing_package(suffix) for suffix in save.SUFFIXES}
    return [
        FormatHead(name=suffix[1:], problem=str(problem) if problem else None, holds_all=suffix not in save.ONE_EACH)
        for suffix, problem in problems.items()
    ]


def holds_all(request: ExportRequest) -> bool:
    """Return whether a file is to hold all features: then some of them would be taken for all."""
    what, form = request.what, request.format
    return what == "all" or form in ("html", "ice") or (what == "view" and form == "json")


def answer(explanation: Explanation, request: ExportRequest, state: ViewState) -> ExportBody:
    """Create the file of a browser request: in the reply, or next to the notebook.

    `state` is what is drawn: that of the request, with the choices of the reader that can be followed.
    """
    options: dict[str, Any] = {
        name: value for name, value in (("width", request.width), ("dpi", request.dpi)) if value is not None
    }
    if not request.title:
        options["title"] = False
    name, what = f"{_stem(request)}.{request.format}", str(request.what)
    if what == "feature":
        feature = request.state.feature
        what = "panel" if feature in WHATS else feature
    mime = _TYPES.guess_type(name)[0] or _BYTES
    if request.to == "browser":
        content, *_ = save.file_contents(explanation, state, Path(name), what, **options)
        return ExportBody(name, mime, None, np.frombuffer(content, np.uint8))
    path = _save_beside_notebook(explanation, state, name, what, options)
    return ExportBody(path.name, mime, str(path), None)


def _stem(request: ExportRequest) -> str:
    kind, what = request.state.kind, request.what
    opened = "all features" if what == "all" else request.state.feature
    match request.format:
        case "html":
            return "ice-explorer"
        case "ice":
            return "result"
        case "csv" | "parquet":
            return plain_name("metrics of all features" if what == "view" else f"curves of {opened}")
        case "json":
            return plain_name(f"metrics and curves of {'all features' if what == 'view' else opened}")
    choices = request.choices
    pair = choices.pair
    drawn = f"heat map of {' and '.join(pair)}" if opened in pair else f"{kind} of {opened}"
    if what != "view":
        return plain_name(drawn if what == "panel" else f"{kind} of {opened}")
    if choices.right == "all":
        drawn = f"{kind} of all features"
    elif choices.compared and opened not in pair:
        drawn = f"{kind} of {' and '.join([opened, *compared_with(opened, choices.compared)])}"
    features = "ranking" if choices.left == "bars" else choices.left
    return plain_name(f"{features} and {drawn}")


def _save_beside_notebook(
    explanation: Explanation, state: ViewState, name: str, what: str, options: Mapping[str, Any]
) -> Path:
    """Write into the working directory of the kernel under the first free name; one file per feature into a folder."""
    try:
        file = Path.cwd() / name
    except OSError as error:
        raise OptionError(
            "The kernel must run in a folder that is there, to put a file next to the notebook; its folder is gone.",
            "Change it with `os.chdir(...)`, or download the file.",
        ) from error
    is_folder = what == "all" and file.suffix in save.ONE_EACH
    target = first = file.with_suffix("") if is_folder else file
    number = 1
    while any(os.path.lexists(each) for each in files_of(target)):
        number += 1
        target = first.with_name(f"{first.stem}-{number}{first.suffix}")
    if not is_folder:
        save.save(explanation, state, target, what, **options)
        return target
    try:
        target.mkdir()
    except OSError as error:
        raise system_error(target, error) from error
    try:
        save.save(explanation, state, target / f"{FEATURE}{file.suffix}", what, **options)
    except BaseException:
        with suppress(OSError):  # files of the first features stay
            target.rmdir()
        raise
    return target
