"""Answer requests of the Export menu: a file for the browser, or saved next to the notebook."""

from __future__ import annotations

import os
from mimetypes import MimeTypes
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.export import save
from ice_explorer.export.files import files_of, plain_name, system_errors
from ice_explorer.wire.messages import ExportBody

if TYPE_CHECKING:
    from ice_explorer.explanation import Explanation
    from ice_explorer.scene.choices import ViewState
    from ice_explorer.wire.requests import ExportRequest

_TYPES: Final = MimeTypes()  # without those of this machine, which differ between machines
_BYTES: Final = "application/octet-stream"


def holds_all(request: ExportRequest) -> bool:
    """Return whether a file is to hold all features: then some of them would be taken for all."""
    return request.format in ("html", "ice") or (request.what == "view" and request.format == "json")


def answer(explanation: Explanation, request: ExportRequest, state: ViewState) -> ExportBody:
    """Create the file of a browser request: in the reply, or next to the notebook.

    `state` is what is drawn: that of the request, with the choices of the reader that can be followed.
    """
    options: dict[str, Any] = {"width": request.width, "dpi": request.dpi}
    name, what = f"{_stem(request)}.{request.format}", request.what
    mime = _TYPES.guess_type(name)[0] or _BYTES
    if request.to == "browser":
        content, *_ = save.file_contents(explanation, state, Path(name), what, **options)
        return ExportBody(name, mime, None, np.frombuffer(content, np.uint8))
    file = target = Path(name)  # in the working directory of the kernel, under the first free name
    number = 1
    with system_errors(file):
        while any(os.path.lexists(each) for each in files_of(target)):
            number += 1
            target = file.with_name(f"{file.stem}-{number}{file.suffix}")
    path = save.save(explanation, state, target, what, **options).absolute()
    return ExportBody(path.name, mime, str(path), None)


def _stem(request: ExportRequest) -> str:
    kind, what, pair, opened = request.state.kind, request.what, request.choices.pair, request.state.feature
    match request.format:
        case "html":
            return "ice-explorer"
        case "ice":
            return "result"
        case "csv" | "parquet" | "json":
            return plain_name("metrics" if what == "view" else f"curves of {opened}")
    if what == "panel" and opened in pair:
        return plain_name(f"heat map of {' and '.join(pair)}")
    return plain_name(f"{'view' if what == 'view' else kind} of {opened}")
