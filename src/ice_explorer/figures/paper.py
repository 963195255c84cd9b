"""A figure that is saved: its size, letters, title and caption, and its file with where it comes from."""

from __future__ import annotations

import io
import math
import re
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from ice_explorer.errors import OptionError
from ice_explorer.figures.text import printable
from ice_explorer.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from matplotlib.figure import Figure

_MM_PER_INCH: Final = 25.4
_MM_PER_UNIT: Final = {"mm": 1.0, "cm": 10.0, "in": _MM_PER_INCH, "pt": _MM_PER_INCH / 72}
_LENGTH: Final = re.compile(rf"\s*(\d+(?:\.\d*)?|\.\d+)\s*({'|'.join(_MM_PER_UNIT)})\s*")

USUAL_FONT_SIZE: Final = 7.5
"""Size of letters [pt] where `rcParams` have Matplotlib's own, which is too large for the columns of a journal."""
USUAL_DPI: Final = 300.0
_WIDTHS: Final = (60.0, 600.0)
_FONT_SIZES: Final = (4.0, 24.0)
_DPIS: Final = (50.0, 1200.0)
_LEAST_WIDTH: Final = 8.0  # mm for a pt of the letters
_OF_OTHER_SCRIPTS: Final = (
    *("Noto Sans CJK JP", "Noto Sans CJK SC", "Source Han Sans", "Hiragino Sans", "PingFang SC", "Yu Gothic"),
    *("Microsoft YaHei", "Malgun Gothic", "WenQuanYi Zen Hei", "Arial Unicode MS", "Noto Sans"),
)
# Lengths of `rcParams` that are for letters of the size of `rcParams`.
_LENGTHS: Final = (
    *("lines.linewidth", "lines.markersize", "axes.linewidth", "axes.titlepad", "axes.labelpad", "hatch.linewidth"),
    *(f"{axis}tick.{kind}.{what}" for axis in "xy" for kind in ("major", "minor") for what in ("size", "width", "pad")),
)


@dataclass(frozen=True)
class Paper:
    """How large a figure is printed.

    - `width`: of the figure [mm]; its height follows from what is on it.
    - `font_size`: of names and numbers [pt]; lines and marks grow with them.
    - `title`, `caption`: whether there is a heading with a sentence above the curves, and a sentence under the figure,
      or their text.
    """

    width: float
    font_size: float = USUAL_FONT_SIZE
    dpi: float = USUAL_DPI
    title: bool | str = True
    caption: bool | str = False

    @property
    def inches(self) -> float:
        """Width of the figure [inch]."""
        return self.width / _MM_PER_INCH

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Draw with the parameters of Matplotlib for the size of the letters; all else is as `rcParams` say."""
        import matplotlib as mpl

        load_notebook_backend()
        usual: Any = mpl.rcParams
        scale = self.font_size / usual["font.size"]
        style: Any = {
            "font.size": self.font_size,
            "font.family": [*usual["font.family"], *_further_fonts()],
            **{name: scale * usual[name] for name in _LENGTHS},
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

    @classmethod
    def checked(
        cls,
        usual_width: float,
        *,
        width: object = None,
        font_size: object = None,
        dpi: object = None,
        title: object = True,
        caption: object = False,
    ) -> Paper:
        """Check the options of a user; None is the usual value, but no title.

        A width is in mm, `usual_width` by default, or a text with its unit: "89mm", "8.9cm", "3.5in", "252pt".

        - raises OptionError: if one of them cannot be, or the letters are too large for the width.
        """
        from matplotlib import rcParams, rcParamsDefault

        given = float(rcParams["font.size"])
        usual = USUAL_FONT_SIZE if given == rcParamsDefault["font.size"] else given
        letters = _number("font_size", font_size, usual, _FONT_SIZES, "pt, as letters are measured")
        match = _LENGTH.fullmatch(width) if isinstance(width, str) else None
        length = width if match is None else float(match[1]) * _MM_PER_UNIT[match[2]]
        advice = f'Write for example `width="89mm"` or `width="3.5in"`, or leave it out for {usual_width:g}.'
        unit, room = "mm, a number of mm or a text with its unit", usual_width * max(1.0, letters / usual)
        room = _number("width", length, room, _WIDTHS, unit, advice=advice, got=width)
        if room < _LEAST_WIDTH * letters:
            raise OptionError(
                f"`width` must be at least {_LEAST_WIDTH * letters:g} mm for letters of {letters:g} pt; got {room:g}.",
                "Use smaller letters, or a wider figure.",
            )
        return cls(
            width=room,
            font_size=letters,
            dpi=_number("dpi", dpi, USUAL_DPI, _DPIS, "dots per inch"),
            title=_text("title", False if title is None else title),
            caption=_text("caption", caption),
        )


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


def _number(
    option: str,
    value: object,
    usual: float,
    bounds: tuple[float, float],
    unit: str,
    *,
    advice: str = "",
    got: object = None,
) -> float:
    """Check a number that a user may have given otherwise; None is the usual one."""
    low, high = bounds
    if value is None:
        return usual
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not low <= value <= high:
        advice = advice or f"Leave it out for {usual:g}."
        what = f"be from {low:g} to {high:g} {unit}"
        raise OptionError.must(option, what, value if got is None else got, advice)
    return float(value)


def _text(option: str, got: object) -> bool | str:
    if not isinstance(got, (bool, str)):
        raise OptionError.must(
            option, "be True, False or a text", got, f"Use `{option}=True` for the usual words, or give your own."
        )
    return got


# --- files ----------------------------------------------------------------------------------------

_CREATOR: Final = f"ice-explorer {__version__}"
_MOST_COLORS: Final = 255


def svg_bytes(figure: Figure, title: str, description: str, provenance: str, dpi: float) -> bytes:
    """Write a figure as SVG, with the provenance as the source in its metadata."""
    metadata = {"Title": title, "Description": description, "Creator": _CREATOR, "Source": provenance}
    plain = {name: printable(text) for name, text in metadata.items()}
    return _written(figure, "svg", dpi, metadata={**plain, "Date": None})


def png_bytes(figure: Figure, title: str, description: str, provenance: str, dpi: float) -> bytes:
    """Write a figure as PNG, with the provenance in the text chunk "ice-explorer"."""
    # Matplotlib cuts a part of a pixel off.
    figure.set_size_inches(*(math.floor(side * dpi + 0.5) / dpi + 1e-9 for side in figure.get_size_inches()))
    metadata = {"Title": title, "Description": description, "Software": _CREATOR, "ice-explorer": provenance}
    return _written(figure, "png", dpi, metadata=metadata)


def pdf_bytes(figures: Iterable[Figure], title: str, description: str, provenance: str, dpi: float) -> bytes:
    """Write figures as the pages of one PDF, with the provenance under "ice-explorer" in its information.

    It holds no date, so that the same figure is the same file.
    """
    from matplotlib.backends.backend_pdf import PdfPages

    file = io.BytesIO()
    metadata: dict[str, Any] = {"Title": title, "Subject": description, "Creator": _CREATOR, "CreationDate": None}
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
