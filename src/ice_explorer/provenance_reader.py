"""Where a saved file comes from, read back out of it."""

from __future__ import annotations

import codecs
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree as ET

from ice_explorer.errors import ExportError, InputTypeError, MissingDependencyError
from ice_explorer.older import renewed_provenance
from ice_explorer.tracebacks import short_traceback

if TYPE_CHECKING:
    from collections.abc import Callable

_KEY: Final = "ice-explorer"
_PNG_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_PDF_ENTRY: Final = re.compile(rb"/ice-explorer\s*\(((?:[^\\()]++|\\.)*+)\)", re.DOTALL)
_PDF_ESCAPE: Final = re.compile(rb"\\(.)", re.DOTALL)
_PDF_LETTERS: Final = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}
_HTML_ELEMENT: Final = re.compile(rb'<script type="application/json" id="ice-provenance">([^<]*)</script>')
_COMMENT: Final = f"# {_KEY} "
_LAST: Final = {"code", "page"}  # the line that makes it again, or the page that it was saved from


@short_traceback
def provenance(path: str | Path) -> dict[str, Any]:
    """Read where a saved file comes from.

    Parameters
    ----------
    path : str or Path
        What `save` of an explorer or an explanation wrote: SVG, PNG, PDF, HTML, CSV, Parquet or JSON.

    Returns
    -------
    dict
        What it shows, how that was computed, versions, and under "code" the line that makes it again. Of a file
        that names a `weighting`, an option of earlier versions, "convention" and "code" are those of today, and
        "taken_for" says so.

    Raises
    ------
    ExportError
        If there is no such file, or it says nothing of the kind; also a ValueError.

    Examples
    --------
    >>> ice.provenance("view.svg")["code"]  # doctest: +SKIP
    "x = ice_explorer.ICEExplorer(model, X); x.feature = 'age'; x.save('view.svg')"
    """
    if not isinstance(path, str | os.PathLike):
        raise InputTypeError.path(path)
    file = Path(path)
    if not file.is_file():
        raise ExportError.no_file(path)
    content = file.read_bytes().removeprefix(codecs.BOM_UTF8)  # which editors put in front
    read = next((read for start, read in _READERS if content.startswith(start)), None)
    try:
        found = None if read is None else read(content)
    except (ET.ParseError, UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        found = None
    if not isinstance(found, dict) or not _LAST & found.keys():  # all of it, not what a cut file still has
        raise ExportError.no_provenance(path)
    return renewed_provenance(found)


def _of_svg(content: bytes) -> Any:
    root = ET.fromstring(content)  # noqa: S314 - expat limits what entities may become
    return json.loads(root.findtext("{http://www.w3.org/2000/svg}metadata") or "null")


def _of_png(content: bytes) -> Any:
    """Go through the chunks: each is its length, its kind, its content and a checksum."""
    at = len(_PNG_SIGNATURE)
    while at + 8 <= len(content):
        length, kind = int.from_bytes(content[at : at + 4]), content[at + 4 : at + 8]
        name, _, text = content[at + 8 : at + 8 + length].partition(b"\0")
        if kind == b"tEXt" and name == _KEY.encode():
            return json.loads(text.decode("latin-1"))
        at += 12 + length
    return None


def _of_pdf(content: bytes) -> Any:
    entries = _PDF_ENTRY.findall(content)
    if not entries:
        return None
    text = _PDF_ESCAPE.sub(lambda found: _PDF_LETTERS.get(found[1], found[1]), entries[-1])
    return json.loads(text.decode("ascii"))


def _of_html(content: bytes) -> Any:
    """Find the element: every "<" that users wrote is escaped, so that none of them can look like it."""
    found = _HTML_ELEMENT.search(content)
    return None if found is None else json.loads(found[1])


def _of_parquet(content: bytes) -> Any:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        what = "Reading Parquet"
        raise MissingDependencyError.extra(what, "pyarrow", "export") from error
    try:
        metadata = parquet.read_schema(pa.BufferReader(content)).metadata or {}
    except (pa.ArrowException, OSError):  # not whole, or changed
        return None
    return json.loads(metadata.get(_KEY.encode(), b"null"))


def _of_csv(content: bytes) -> Any:
    found = {}
    for line in content.decode().split("\n"):
        if not line.startswith(_COMMENT):
            break
        name, _, value = line.removeprefix(_COMMENT).partition(": ")
        found[name] = json.loads(value)
    return found


def _of_json(content: bytes) -> Any:
    whole = json.loads(content)
    return whole.get("provenance") if isinstance(whole, dict) else None


# By how a file begins, so that one which was renamed is read as well.
_READERS: Final[tuple[tuple[bytes, Callable[[bytes], Any]], ...]] = (
    (_PNG_SIGNATURE, _of_png),
    (b"%PDF-", _of_pdf),
    (b"PAR1", _of_parquet),
    (b"<?xml", _of_svg),
    (b"<svg", _of_svg),
    (b"<!doctype html>", _of_html),
    (_COMMENT.encode(), _of_csv),
    (b"{", _of_json),
)
