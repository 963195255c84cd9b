"""A page as a matplotlib figure: the same marks in the same places, for PNG and PDF."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.errors import MissingPackageError
from ice_explorer.figures.page.page import PX_PER_INCH, Circle, Group, Page, Path, Picture, Rect, Words
from ice_explorer.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ice_explorer.figures.page.page import Box, Mark, Style

_PT_PER_PX: Final = 72 / PX_PER_INCH
_ALIGNMENT: Final = {"start": "left", "middle": "center", "end": "right"}

# The fonts that widths are measured for; by how much matplotlib's own must shrink to be as narrow;
# and those that letters of other scripts may be found in.
_FONTS: Final = ("Helvetica Neue", "Helvetica", "Arial", "Liberation Sans")
_OWN_FONT: Final = "DejaVu Sans"
_OWN_SCALE: Final = 0.87
_FURTHER_FONTS: Final = (
    *("Noto Sans CJK JP", "Noto Sans CJK SC", "Source Han Sans", "Hiragino Sans", "PingFang SC", "Yu Gothic"),
    *("Microsoft YaHei", "Malgun Gothic", "WenQuanYi Zen Hei", "Arial Unicode MS", "Noto Sans"),
)


def require_matplotlib() -> None:
    """Raise with installation advice if matplotlib is missing."""
    try:
        import matplotlib as mpl  # noqa: F401
    except ImportError as error:
        raise MissingPackageError.extra("Drawing with matplotlib", "matplotlib", "export") from error


def png_page(page: Page, title: str, description: str, provenance: str) -> bytes:
    """Write a page as PNG, with the provenance in the text chunk "ice-explorer"."""
    file = io.BytesIO()
    metadata = {
        "Title": title,
        "Description": description,
        "Software": f"ice-explorer {__version__}",
        "ice-explorer": provenance,
    }
    figure_of(page).savefig(file, format="png", dpi=page.dpi / page.scale, facecolor="white", metadata=metadata)
    return file.getvalue()


def pdf_pages(pages: Iterable[Page], title: str, description: str, provenance: str) -> bytes:
    """Write pages as one PDF, text as text, with the provenance under "ice-explorer" in its information.

    It holds no date, so that the same figure is the same file.
    """
    require_matplotlib()
    import matplotlib as mpl
    from matplotlib.backends.backend_pdf import PdfPages

    file = io.BytesIO()
    metadata = {
        "Title": title,
        "Subject": description,
        "Creator": f"ice-explorer {__version__}",
        "CreationDate": None,
    }
    # Whole fonts in a form that every program can select and search; type 3 is refused by some printers.
    with mpl.rc_context({"pdf.fonttype": 42}), PdfPages(file, metadata=metadata) as document:
        document.infodict()["ice-explorer"] = provenance
        for page in pages:
            figure = figure_of(page)
            figure.savefig(document, format="pdf", dpi=page.dpi / page.scale, facecolor="white")
    return file.getvalue()


def figure_of(page: Page) -> Figure:
    """Draw a page as a figure that belongs to no window and no notebook."""
    require_matplotlib()
    from matplotlib.figure import Figure

    # Whole pixels, so that images on the page need no resampling.
    ratio = page.dpi / PX_PER_INCH
    width, height = round(page.width * ratio), round(page.height * ratio)
    dpi = page.dpi / page.scale
    figure = Figure(figsize=(width / dpi, height / dpi), dpi=dpi, facecolor="white")
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set_axis_off()
    ax.set_xlim(0, width / ratio)
    ax.set_ylim(height / ratio, 0)
    ax.set_autoscale_on(False)
    _Painter(ax, page.scale).draw(page.marks)
    return figure


@lru_cache(maxsize=1)
def _fonts() -> tuple[list[str], float]:
    """Return fonts like those that widths are measured for, best first, and the scale of the first."""
    from matplotlib import font_manager

    installed = set(font_manager.get_font_names())
    like = [name for name in _FONTS if name in installed][:1]
    further = [name for name in _FURTHER_FONTS if name in installed]
    return [*like, _OWN_FONT, *further], 1.0 if like else _OWN_SCALE


class _Painter:
    """Puts marks on axes that are measured in px, each on top of those before."""

    def __init__(self, ax: Axes, scale: float) -> None:
        self._ax = ax
        self._pt = _PT_PER_PX * scale
        self._order = 1.0
        self._clip: Box | None = None

    def draw(self, marks: Iterable[Mark], clip: Box | None = None) -> None:
        """Draw marks in their order, cut off at the edges of a box."""
        outside, self._clip = self._clip, clip
        self._draw(marks)
        self._clip = outside

    def _draw(self, marks: Iterable[Mark]) -> None:
        dots: list[Circle] = []
        for mark in marks:
            self._order += 1
            match mark:
                case Circle():
                    dots.append(mark)
                case Group():
                    self.draw(mark.marks, mark.clip or self._clip)
                case Rect():
                    self._polygon(*_corners(mark), mark.style)
                case Path(closed=True):
                    self._polygon(mark.x, mark.y, mark.style)
                case Path():
                    self._stroke(mark)
                case Words():
                    self._words(mark)
                case Picture():
                    self._image(mark)
        self._dots(dots)

    def _cut(self, artist: Artist) -> None:
        """Cut off what has been added at the edges of the box that is in force."""
        if self._clip is not None:
            from matplotlib.transforms import Bbox, TransformedBbox

            box = Bbox.from_extents(self._clip.left, self._clip.bottom, self._clip.right, self._clip.top)
            artist.set_clip_path(None)
            artist.set_clip_box(TransformedBbox(box, self._ax.transData))

    def _polygon(self, x: Any, y: Any, style: Style) -> None:
        from matplotlib.patches import Polygon

        shape = Polygon(
            np.column_stack([x, y]),
            closed=True,
            facecolor=style.fill or "none",
            edgecolor=style.stroke or "none",
            linewidth=style.width * self._pt if style.stroke is not None else 0,
            alpha=style.opacity,
            zorder=self._order,
        )
        self._cut(self._ax.add_patch(shape))

    def _stroke(self, mark: Path) -> None:
        from matplotlib.lines import Line2D

        style = mark.style
        line = Line2D(
            mark.x,
            mark.y,
            color=style.stroke,
            linewidth=style.width * self._pt,
            alpha=style.opacity,
            solid_capstyle="butt",
            solid_joinstyle="round",
            zorder=self._order,
        )
        if style.opacity < 1:
            line.set_snap(False)  # rounding to pixels would tear the runs of a line apart
        if style.dash is not None:
            # In matplotlib dashes are measured in widths of the line.
            line.set_linestyle((0, tuple(length / style.width for length in style.dash)))
        self._cut(self._ax.add_line(line))

    def _dots(self, dots: list[Circle]) -> None:
        from matplotlib.colors import to_rgba

        if not dots:
            return
        drawn = self._ax.scatter(
            [dot.x for dot in dots],
            [dot.y for dot in dots],
            s=[(2 * dot.radius * self._pt) ** 2 for dot in dots],
            facecolors=[to_rgba(dot.style.fill or "none", _shows(dot.style.fill, dot.style)) for dot in dots],
            edgecolors=[to_rgba(dot.style.stroke or "none", _shows(dot.style.stroke, dot.style)) for dot in dots],
            linewidths=[0 if dot.style.stroke is None else dot.style.width * self._pt for dot in dots],
            zorder=self._order,
        )
        self._cut(drawn)

    def _words(self, mark: Words) -> None:
        families, scale = _fonts()
        self._ax.text(
            mark.x,
            mark.y,
            mark.text,
            fontsize=mark.size * self._pt * scale,
            fontfamily=families,
            fontweight="bold" if mark.bold else "normal",
            color=mark.fill,
            ha=_ALIGNMENT[mark.anchor],
            va="baseline",
            rotation=-mark.angle,
            rotation_mode="anchor",
            parse_math=False,
            zorder=self._order,
        )

    def _image(self, mark: Picture) -> None:
        extent = (mark.x, mark.x + mark.width, mark.y + mark.height, mark.y)
        look: dict[str, Any] = {"interpolation": "antialiased", "zorder": self._order}
        self._cut(self._ax.imshow(mark.pixels, extent=extent, aspect="auto", **look))


def _shows(color: str | None, style: Style) -> float:
    """Opacity of a part of a dot; none of what has no colour."""
    return 0.0 if color is None else style.opacity


def _corners(mark: Rect) -> tuple[list[float], list[float]]:
    left, right, top, bottom = mark.x, mark.x + mark.width, mark.y, mark.y + mark.height
    return [left, right, right, left], [top, top, bottom, bottom]
