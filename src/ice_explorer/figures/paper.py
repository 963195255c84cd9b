"""A figure that is saved: its size, letters and title, and its file with where it comes from."""

from __future__ import annotations

import io
import math
import re
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ice_explorer.errors import OptionError
from ice_explorer.figures.text import printable
from ice_explorer.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from matplotlib.figure import Figure

_MM_PER_INCH: Final = 25.4
_MM_PER_UNIT: Final = {"mm": 1.0, "cm": 10.0, "in": _MM_PER_INCH, "pt": _MM_PER_INCH / 72}
_LENGTH: Final = re.compile(rf"\s*(\d+(?:\.\d*)?|\.\d+)\s*({'|'.join(_MM_PER_UNIT)})\s*")

_USUAL_FONT_SIZE: Final = 7.5  # pt, where `rcParams` have Matplotlib's own, too large for the columns of a journal
USUAL_DPI: Final = 300.0
_WIDTHS: Final = (60.0, 600.0)
_DPIS: Final = (50.0, 1200.0)
_OF_OTHER_SCRIPTS: Final = (
    *("Noto Sans CJK JP", "Noto Sans CJK SC", "Source Han Sans", "Hiragino Sans", "PingFang SC", "Yu Gothic"),
    *("Microsoft YaHei", "Malgun Gothic", "WenQuanYi Zen Hei", "Arial Unicode MS", "Noto Sans"),
)
# Lengths of `rcParams` that are for letters of the size of `rcParams`.
_LENGTHS: Final = (
    *("lines.linewidth", "lines.markersize", "axes.linewidth", "axes.titlepad", "axes.labelpad", "hatch.linewidth"),
    *(f"{axis}tick.{kind}.{what}" for axis in "xy" for kind in ("major", "minor") for what in ("size", "width", "pad")),
)


class Paper(NamedTuple):
    """How large a figure is printed: its width [mm], from which its height follows, and its resolution.

    `title` is whether there is a heading with a sentence above the curves, or its text.
    """

    width: float
    dpi: float = USUAL_DPI
    title: bool | str = True

    @property
    def inches(self) -> float:
        """Width of the figure [inch]."""
        return self.width / _MM_PER_INCH


def check_paper(usual_width: float, *, width: object = None, dpi: object = None, title: object = True) -> Paper:
    """Check the options of a user; None is the usual value, but no title.

    A width is in mm, `usual_width` by default, or a text with its unit: "89mm", "8.9cm", "3.5in", "252pt".

    - raises OptionError: if one of them cannot be.
    """
    match = _LENGTH.fullmatch(width) if isinstance(width, str) else None
    length = width if match is None else float(match[1]) * _MM_PER_UNIT[match[2]]
    numbers = {}
    for option, value, got, usual, (low, high), unit in (
        ("width", length, width, usual_width, _WIDTHS, "mm, a number of mm or a text with its unit, such as '89mm'"),
        ("dpi", dpi, dpi, USUAL_DPI, _DPIS, "dots per inch"),
    ):
        number = usual if value is None else value
        if not isinstance(number, (int, float)) or isinstance(number, bool) or not low <= number <= high:
            what = f"be from {low:g} to {high:g} {unit}"
            raise OptionError.must(option, what, got, f"Leave it out for {usual:g}.")
        numbers[option] = float(number)
    if title is not None and not isinstance(title, (bool, str)):
        raise OptionError.must("title", "be a text, True or None", title, "Use `title=True` for the usual words.")
    return Paper(**numbers, title=title or False)


@contextmanager
def paper_style() -> Iterator[None]:
    """Draw with the parameters of Matplotlib for letters of the size that is printed; all else is as they say."""
    import matplotlib as mpl

    load_notebook_backend()
    given: Any = mpl.rcParams
    size = given["font.size"]
    if size == mpl.rcParamsDefault["font.size"]:
        size = _USUAL_FONT_SIZE
    style: Any = {
        "font.size": size,
        "font.family": [*given["font.family"], *_further_fonts()],
        **{name: size / given["font.size"] * given[name] for name in _LENGTHS},
        "axes.titlesize": "medium",
        "legend.frameon": False,
        "axes.spines.top": False,
        "axes.spines.right": False,
        # Letters stay letters, which programs select and search; type 3 is refused by some printers.
        "svg.fonttype": "none",
        "svg.hashsalt": "ice-explorer",  # the same figure is the same file
        "pdf.fonttype": 42,
    }
    with mpl.rc_context(style):
        yield


def load_notebook_backend() -> None:
    """Let notebooks show figures that pyplot does not know, as Matplotlib does once it makes one of its own.

    It sets `rcParams` that are to stay, so that it is loaded before they are changed for one figure.
    """
    from matplotlib import get_backend

    if "inline" in get_backend():
        import_module("matplotlib_inline.backend_inline")


@cache
def _further_fonts() -> list[str]:
    """Return installed fonts that have the letters of other scripts."""
    from matplotlib import font_manager

    installed = set(font_manager.get_font_names())
    return [name for name in _OF_OTHER_SCRIPTS if name in installed]


# --- files ----------------------------------------------------------------------------------------

_CREATOR: Final = f"ice-explorer {__version__}"
_MOST_COLORS: Final = 96


def svg_bytes(figure: Figure, title: str, provenance: str, dpi: float) -> bytes:
    """Write a figure as SVG, with the provenance as the source in its metadata."""
    metadata = {"Title": printable(title), "Creator": _CREATOR, "Source": printable(provenance), "Date": None}
    return _written(figure, "svg", dpi, metadata=metadata)


def png_bytes(figure: Figure, title: str, provenance: str, dpi: float) -> bytes:
    """Write a figure as PNG, with the provenance in the text chunk "ice-explorer"."""
    # Matplotlib cuts a part of a pixel off.
    figure.set_size_inches(*(math.floor(side * dpi + 0.5) / dpi + 1e-9 for side in figure.get_size_inches()))
    metadata = {"Title": title, "Software": _CREATOR, "ice-explorer": provenance}
    return _written(figure, "png", dpi, metadata=metadata)


def pdf_bytes(figures: Iterable[Figure], title: str, provenance: str, dpi: float) -> bytes:
    """Write figures as the pages of one PDF, with the provenance under "ice-explorer" in its information.

    It holds no date, so that the same figure is the same file.
    """
    from matplotlib.backends.backend_pdf import PdfPages

    file = io.BytesIO()
    metadata: dict[str, Any] = {"Title": title, "Creator": _CREATOR, "CreationDate": None}
    with PdfPages(file, metadata=metadata) as document:
        document.infodict()["ice-explorer"] = provenance
        for figure in figures:
            figure.savefig(document, format="pdf", dpi=dpi)
    return file.getvalue()


def small_png_bytes(figure: Figure, dpi: float, provenance: str) -> bytes:
    """Write a figure as PNG of few colours, a third of the bytes."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    small, text = io.BytesIO(), PngInfo()
    text.add_text("ice-explorer", provenance)
    image = Image.open(io.BytesIO(_written(figure, "png", dpi))).convert("RGB")
    few = image.quantize(_MOST_COLORS, dither=Image.Dither.NONE)
    few.save(small, format="PNG", optimize=True, pnginfo=text)
    return small.getvalue()


def _written(figure: Figure, suffix: str, dpi: float, **options: Any) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format=suffix, dpi=dpi, **options)
    return file.getvalue()
