"""Read the provenance of a saved file."""

from __future__ import annotations

import codecs
import html
import json
import os
import re
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from ice_explorer.errors import ExportError, MissingDependencyError
from ice_explorer.errors.base import quoted
from ice_explorer.errors.tracebacks import short_traceback
from ice_explorer.export.file_names import CSV, provenance_file
from ice_explorer.export.regular_files import as_path, open_file
from ice_explorer.saved.archive import SIGNATURE, first_member

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_KEY: Final = "ice-explorer"
_MOST_BYTES: Final = 1 << 24  # of the start of a file, or of its end, where it says where it comes from
_PNG_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_PDF_ENTRY: Final = re.compile(rb"/ice-explorer\s*\(((?:[^\\()]++|\\.)*+)\)", re.DOTALL)
_PDF_ESCAPE: Final = re.compile(rb"\\(.)", re.DOTALL)
_PDF_LETTERS: Final = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}
_HTML_ELEMENT: Final = re.compile(rb'<script type="application/json" id="ice-provenance">([^<]*)</script>')
_JSON_ENTRY: Final = re.compile(r'\{\s*"provenance"\s*:\s*')
_SVG_METADATA: Final = re.compile(rb"<(?:\w+:)?metadata[^>]*>([^<]*)</")
_LAST: Final = {"code", "page"}  # the line that makes it again, or the page that it was saved from


@short_traceback
def provenance(path: str | Path) -> dict[str, Any]:
    """Read where a saved file comes from.

    Parameters
    ----------
    path : str or Path
        What `save` of an explorer or an explanation wrote: SVG, PNG, PDF, HTML, CSV, Parquet, JSON, or a result (.ice).
        The provenance of "table.csv" is in "table.csv.json" next to it, that of other files inside.

    Returns
    -------
    dict
        What it shows, how that was computed, versions, and under "code" the line that makes it again.

    Raises
    ------
    ExportError
        If there is no such file, it cannot be read, or it says nothing of the kind; also a ValueError.

    Examples
    --------
    >>> ice.provenance("view.svg")["code"]  # doctest: +SKIP
    "x = ice_explorer.ICEExplorer(model, X); x.feature = 'age'; x.save('view.svg')"
    """
    source = as_path(path)
    with open_file(source) as file:
        if source.suffix.lower() == CSV:
            return _next_to(source)
        try:
            found = _found(file)
        except OSError as error:
            raise ExportError.not_read(path, error) from error
        # Damaged, cut, written by somebody else, or in an encoding that nobody knows.
        except (SyntaxError, ValueError, LookupError, RecursionError):
            found = None
    if found is None:
        raise ExportError(
            f"`path` must be a file that an explorer or an explanation saved; {quoted(str(path))} does not say where "
            "it comes from.",
            "Save it again, and keep it as it is written: some programs drop what is not shown.",
        )
    return found


def _next_to(table: Path) -> dict[str, Any]:
    """Read the provenance of a CSV."""
    file = provenance_file(table)
    if not os.path.lexists(file):
        raise ExportError(
            f"The provenance of a CSV must be next to it; {quoted(str(table))} has no {quoted(file.name)}.",
            "Keep both files together, or save the table again.",
        )
    return provenance(file)


def _found(file: BinaryIO) -> dict[str, Any] | None:
    """Read where a file comes from; None if it does not have all of that."""
    content = _bytes(file).removeprefix(codecs.BOM_UTF8)  # which editors put in front
    read = next((read for start, read in _READERS if content.startswith(start)), None)
    if read in _AT_END and len(content) == _MOST_BYTES:
        file.seek(-_MOST_BYTES, os.SEEK_END)
        content = _bytes(file)
    found = None if read is None else read(content)
    return found if isinstance(found, dict) and _LAST & found.keys() else None


def _bytes(file: BinaryIO) -> bytes:
    """Read as much as is looked at; nothing where nothing is there yet."""
    return file.read(_MOST_BYTES) or b""


def _text(content: bytes) -> str:
    """Return the letters of a file, which may end within one."""
    return codecs.getincrementaldecoder("utf-8")().decode(content)


def _of_svg(content: bytes) -> Any:
    """Find the element, as in HTML, where another program may have written it anew."""
    found = _SVG_METADATA.search(content)
    return None if found is None else json.loads(html.unescape(found[1].decode()))


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
        raise MissingDependencyError.extra("Reading Parquet", "pyarrow", "export") from error
    try:
        metadata = parquet.read_schema(pa.BufferReader(content)).metadata or {}
    except (pa.ArrowException, OSError):  # not whole, or changed
        return None
    return json.loads(metadata.get(_KEY.encode(), b"null"))


def _of_result(content: bytes) -> Any:
    document = first_member(content)
    return document.get("provenance") if isinstance(document, dict) else None


def _of_json(content: bytes) -> Any:
    text = _text(content)
    entry = _JSON_ENTRY.match(text)
    if entry is not None:  # the rest may be long
        return json.JSONDecoder().raw_decode(text, entry.end())[0]
    whole = json.loads(text)
    return whole.get("provenance", whole) if isinstance(whole, dict) else None  # that of a CSV is alone in its file


# By how a file begins, so that one which was renamed is read as well.
_READERS: Final[tuple[tuple[bytes, Callable[[bytes], Any]], ...]] = (
    (_PNG_SIGNATURE, _of_png),
    (b"%PDF-", _of_pdf),
    (b"PAR1", _of_parquet),
    (SIGNATURE, _of_result),
    (b"<?xml", _of_svg),
    (b"<svg", _of_svg),
    (b"<!doctype html>", _of_html),
    (b"{", _of_json),
)
_AT_END: Final = (_of_pdf, _of_parquet)
