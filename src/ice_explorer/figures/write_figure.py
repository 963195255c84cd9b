"""Write figures to files, with where they come from in the metadata of each format."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Any, Final

from ice_explorer.figures.text import printable
from ice_explorer.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.figure import Figure

CREATOR: Final = f"ice-explorer {__version__}"
_MOST_COLORS: Final = 255


def svg_bytes(figure: Figure, title: str, description: str, provenance: str, dpi: float) -> bytes:
    """Write a figure as SVG, with the provenance as the source in its metadata."""
    file = io.BytesIO()
    metadata = {"Title": title, "Description": description, "Creator": CREATOR, "Source": provenance, "Date": None}
    plain = {name: None if text is None else printable(text) for name, text in metadata.items()}
    figure.savefig(file, format="svg", dpi=dpi, metadata=plain)
    return file.getvalue()


def png_bytes(figure: Figure, title: str, description: str, provenance: str, dpi: float) -> bytes:
    """Write a figure as PNG, with the provenance in the text chunk "ice-explorer"."""
    file = io.BytesIO()
    # Matplotlib cuts a part of a pixel off.
    figure.set_size_inches(*(math.floor(side * dpi + 0.5) / dpi + 1e-9 for side in figure.get_size_inches()))
    metadata = {"Title": title, "Description": description, "Software": CREATOR, "ice-explorer": provenance}
    figure.savefig(file, format="png", dpi=dpi, metadata=metadata)
    return file.getvalue()


def pdf_bytes(figures: Iterable[Figure], title: str, description: str, provenance: str, dpi: float) -> bytes:
    """Write figures as the pages of one PDF, with the provenance under "ice-explorer" in its information.

    It holds no date, so that the same figure is the same file.
    """
    from matplotlib.backends.backend_pdf import PdfPages

    file = io.BytesIO()
    metadata: dict[str, Any] = {"Title": title, "Subject": description, "Creator": CREATOR, "CreationDate": None}
    with PdfPages(file, metadata=metadata) as document:
        document.infodict()["ice-explorer"] = provenance
        for figure in figures:
            figure.savefig(document, format="pdf", dpi=dpi)
    return file.getvalue()


def small_png_bytes(figure: Figure, dpi: float, provenance: str) -> bytes:
    """Write a figure as PNG of few colours, a third of the bytes."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    file, small, text = io.BytesIO(), io.BytesIO(), PngInfo()
    figure.savefig(file, format="png", dpi=dpi)
    text.add_text("ice-explorer", provenance)
    Image.open(file).convert("RGB").quantize(_MOST_COLORS, dither=Image.Dither.NONE).save(
        small, format="PNG", optimize=True, pnginfo=text
    )
    return small.getvalue()
