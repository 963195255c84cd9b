"""Size, letters, title and caption of a figure that is saved."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from ice_explorer.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        with mpl.rc_context(self._style()):
            yield

    def _style(self) -> Any:
        import matplotlib as mpl

        usual: Any = mpl.rcParams
        scale = self.font_size / usual["font.size"]
        return {
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
        usual = _usual_font_size()
        letters = _number("font_size", font_size, usual, _FONT_SIZES, "pt, as letters are measured")
        room = usual_width * max(1.0, letters / usual) if width is None else _millimetres(width, usual_width)
        if room < _LEAST_WIDTH * letters:
            raise OptionError(
                f"`width` must be at least {_LEAST_WIDTH * letters:g} mm for letters of {letters:g} pt; got {room:g}.",
                "Use smaller letters, or a wider figure.",
            )
        return cls(
            width=room,
            font_size=letters,
            dpi=_number("dpi", dpi, USUAL_DPI, _DPIS, "dots per inch"),
            title=_said("title", False if title is None else title),
            caption=_said("caption", caption),
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


def _usual_font_size() -> float:
    from matplotlib import rcParams, rcParamsDefault

    given = float(rcParams["font.size"])
    return USUAL_FONT_SIZE if given == rcParamsDefault["font.size"] else given


def _millimetres(got: object, usual: float) -> float:
    low, high = _WIDTHS
    found = _LENGTH.fullmatch(got) if isinstance(got, str) else None
    length = got if found is None else float(found[1]) * _MM_PER_UNIT[found[2]]
    if not _is_between(length, low, high):
        raise OptionError.must(
            "width",
            f"be from {low:g} to {high:g} mm, a number of mm or a text with its unit",
            got,
            f'Write for example `width="89mm"` or `width="3.5in"`, or leave it out for {usual:g}.',
        )
    return float(length)  # type: ignore[arg-type]


def _number(option: str, got: object, usual: float, bounds: tuple[float, float], unit: str) -> float:
    if got is None:
        return usual
    if not _is_between(got, *bounds):
        low, high = bounds
        what = f"be from {low:g} to {high:g} {unit}"
        raise OptionError.must(option, what, got, f"Leave it out for {usual:g}.")
    return float(got)  # type: ignore[arg-type]


def _is_between(got: object, low: float, high: float) -> bool:
    return isinstance(got, (int, float)) and not isinstance(got, bool) and low <= got <= high


def _said(option: str, got: object) -> bool | str:
    if not isinstance(got, (bool, str)):
        raise OptionError.must(
            option, "be True, False or a text", got, f"Use `{option}=True` for the usual words, or give your own."
        )
    return got
