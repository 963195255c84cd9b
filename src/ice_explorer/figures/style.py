"""Style of Matplotlib figures: the current style sheet, unless the caller overrides it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib import colormaps, rcParams, rcParamsDefault
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import Colormap, LinearSegmentedColormap, ListedColormap, to_rgb, to_rgba, to_rgba_array
from matplotlib.figure import Figure

from ice_explorer.errors import OptionError
from ice_explorer.errors.base import listed, quoted, text_of
from ice_explorer.figures.paper import load_notebook_backend
from ice_explorer.figures.text import root_of, size_of

if TYPE_CHECKING:
    from ice_explorer.arrays import Array
    from ice_explorer.scene.coloring import Coloring

_ROW: Final = 2.0  # letters, the height of a bar with its gap
_AROUND_ROWS: Final = 5  # rows, for title, legend and label
_USUAL_LINE_WIDTH: Final = 1.5  # pt, Matplotlib's own
_READABLE: Final = 4.5  # contrast of marks with the background, as of text
_VISIBLE: Final = 1.6  # contrast of the faintest colour of a ramp
_SHADES: Final = 256
PICK: Final = "#c2410c"  # what is selected
ALE: Final = "#00796b"
M_PLOT: Final = "#8a6500"
UNLIKE: Final = "#b3261e"
# ColorBrewer's RdBu (Apache 2.0) the other way round, with a middle that shows; on light and on dark backgrounds.
_DIVERGING: Final = {
    False: ("#053061", "#2166ac", "#4393c3", "#92c5de", "#c2c2c2", "#f4a582", "#d6604d", "#b2182b", "#67001f"),
    True: ("#92c5de", "#4393c3", "#606060", "#d6604d", "#f4a582"),
}
# The hues of Okabe and Ito, readable with every common kind of colour vision, and two more on either background.
_HUES: Final = ("#0072b2", "#d55e00", "#009e73", "#e69f00", "#cc79a7", "#56b4e9")
_MORE_HUES: Final = {False: ("#3d1466", "#682c00"), True: ("#f0e442", "#e6e6e6")}
_OTHER: Final = {False: "#9a9a9a", True: "#8c8c8c"}


def check_title(title: object) -> None:
    """Check a title: a text, True for the usual one, None or False for none."""
    if title is not None and not isinstance(title, (bool, str)):
        raise OptionError.must(
            "title", "be a text, True or None", title, "Leave it out for the usual title, or use `title=None` for none."
        )


# --- axes -----------------------------------------------------------------------------------------


def bare_figure(width: float, height: float) -> Figure:
    """Return a figure of so many inches that lays itself out, that pyplot does not know and that notebooks show."""
    load_notebook_backend()  # pyplot would do so, and show a figure of its own in addition to the value of the cell
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)  # whose `draw` draws, unlike that of a bare Figure
    return figure


def given_axes(ax: Axes | None, n_rows: int | None = None) -> Axes:
    """Return the Axes that were given, or those of a new figure that a notebook shows, as high as so many rows."""
    from matplotlib import pyplot as plt

    if ax is not None:
        if not isinstance(ax, Axes):  # a figure, for one
            raise OptionError(
                f"`ax` must be a matplotlib Axes; got {type(ax).__name__}.",
                "Pass one of `plt.subplots()`, or leave it out for a new figure.",
            )
        return ax
    figure, made = plt.subplots()
    if figure.get_layout_engine() is None:
        figure.set_layout_engine("constrained")
    if n_rows is not None:
        row = _ROW * size_of("ytick.labelsize") / 72
        figure.set_figheight(_AROUND_ROWS * row + n_rows * row)
    return made


# --- colours --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Look:
    """What the Axes look like that are drawn on.

    `paper` is the background; `ink` the colour of text in this style, or black or white where that cannot be read
    on it, both 0 to 1; `line_width` that of the style, relative to Matplotlib's own.
    """

    paper: Array
    ink: Array
    line_width: float

    @classmethod
    def of(cls, ax: Axes) -> Look:
        """Look at the Axes and at the style in force."""
        paper = np.ones(3)
        for ground in (root_of(ax), ax):  # one may show through the other
            color = np.array(to_rgba(ground.get_facecolor()), dtype=np.float64)
            paper = (1 - color[3]) * paper + color[3] * color[:3]
        inks = [np.array(to_rgb(rcParams["text.color"])), np.zeros(3), np.ones(3)]
        readable = [ink for ink in inks if _contrast(ink, paper) >= _READABLE]
        ink = readable[0] if readable else max(inks, key=lambda ink: float(_contrast(ink, paper)))
        return cls(paper, ink, rcParams["lines.linewidth"] / _USUAL_LINE_WIDTH)

    @property
    def is_dark(self) -> bool:
        """Whether white stands out more than black."""
        return bool(_contrast(np.ones(3), self.paper) > _contrast(np.zeros(3), self.paper))

    def readable(self, color: Any) -> Any:
        """Return a colour, mixed with that of text until letters of it can be read."""
        plain = np.array(to_rgb(color))
        mixtures = [(1 - share) * plain + share * self.ink for share in (0.0, 0.15, 0.3, 0.45, 0.6, 0.75)]
        readable = (mixed for mixed in mixtures if _contrast(mixed, self.paper) >= _READABLE)
        return tuple(next(readable, mixtures[-1]).tolist())

    def mixed(self, share: float) -> tuple[float, float, float]:
        """Return a colour between the background (0) and that of text (1)."""
        red, green, blue = (share * self.ink + (1 - share) * self.paper).tolist()
        return red, green, blue


ON_WHITE: Final = Look(np.ones(3), np.zeros(3), 1.0)


def _contrast(one: Array, other: Array) -> Array:
    """Contrast of colours by the Web Content Accessibility Guidelines, 1 to 21."""
    linear = [np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4) for rgb in (one, other)]
    first, second = (each @ np.array([0.2126, 0.7152, 0.0722]) for each in linear)
    return np.asarray((np.maximum(first, second) + 0.05) / (np.minimum(first, second) + 0.05))


def next_color(ax: Axes) -> Any:
    """Return the colour that the next line on some Axes would have."""
    (line,) = ax.plot([], [])
    color = line.get_color()
    line.remove()
    return color


@dataclass(frozen=True)
class Palette:
    """Colours along a ramp, or one for each level, (n, 3) from 0 to 1; and another for missing values."""

    colors: Array
    missing: Array
    is_ramp: bool

    def at(self, values: Any) -> Any:
        """Return the colour of each place on the ramp (0 to 1) or of each level; NaN is missing."""
        places, last = np.asarray(values, dtype=np.float64), len(self.colors) - 1
        nearest = np.clip(np.floor(places * last + 0.5) if self.is_ramp else places, 0, last)
        known = ~np.isnan(places)
        return np.where(known[..., None], self.colors[np.where(known, nearest, 0).astype(int)], self.missing)


def palette_of(coloring: Coloring, look: Look, given: object = None, plain: Any = "black") -> Palette:
    """Return the colours of a user, or of the style in force for None.

    `given` is a colormap, its name, colours, or a mapping of levels to colours; `plain` is the colour of lines that no
    column colours.
    """
    missing: Any = look.mixed(0.3)
    colors: Any = given
    if coloring.title is None:
        colors = [plain]
    elif isinstance(given, Mapping):
        by_label = {text_of(level): color for level, color in given.items() if level is not None}
        lacking = [level for level in coloring.levels if level not in by_label]
        if lacking:
            what = f"`palette` must have a colour for each level of {quoted(coloring.title)}"
            raise OptionError(
                f"{what}; it has none for {listed(lacking)}.", "Add the level, or pass a list of colours."
            )
        colors, missing = [by_label[level] for level in coloring.levels], given.get(None, missing)
    elif isinstance(given, str):
        if given not in colormaps:
            advice = "`matplotlib.colormaps` lists them; a list of colours works, too."
            raise OptionError.must("palette", "name a Matplotlib colormap", given, advice, known=colormaps)
        colors = colormaps[given]
    elif given is None:
        colors = _usual_colors(coloring, look)
    elif not isinstance(given, (Colormap, Sequence, np.ndarray)):
        what = "be a Matplotlib colormap or its name, a list of colours, or for levels a mapping of levels to colours"
        raise OptionError.must("palette", what, given, "Leave it out for the colours of the style.")
    try:
        drawn = _spread_colors(coloring, colors)
        return Palette(to_rgba_array(drawn)[:, :3], np.array(to_rgb(missing)), coloring.domain is not None)
    except (ValueError, TypeError) as error:
        if isinstance(error, OptionError):
            raise
        cause = str(error).rstrip(".")
        advice = "Use names such as 'tab:blue' or '#1f77b4'."
        raise OptionError(f"`palette` must hold colours of Matplotlib: {cause}.", advice) from None


def check_palette(coloring: Coloring, palette: object) -> None:
    """Refuse a palette that cannot colour these lines, before a figure is made that nobody needs."""
    if palette is not None and coloring.title is None:
        raise OptionError(
            "`palette` must come with `color_by`; no column colours the curves.",
            "Name a column, or choose the colour of all curves with `axes.prop_cycle` of Matplotlib's `rcParams`.",
        )
    palette_of(coloring, ON_WHITE, palette)


def _spread_colors(coloring: Coloring, colors: Any) -> Any:
    is_ramp, n_levels = coloring.domain is not None, max(1, len(coloring.levels))
    if isinstance(colors, ListedColormap) and colors.N < _SHADES and not is_ramp:
        colors = list(np.asarray(colors.colors))  # distinct ones
    if not isinstance(colors, Colormap):
        needed = 2 if is_ramp else n_levels
        if len(colors) < needed:
            what = "a ramp of numbers" if is_ramp else f"the levels of {coloring.title!r}"
            raise OptionError(
                f"`palette` must have at least {needed} colours for {what}; got {len(colors)}.",
                "Add colours, or name a colormap such as 'viridis'.",
            )
        if not is_ramp:
            return list(colors)
        colors = LinearSegmentedColormap.from_list("palette", list(colors))
    return colors(np.linspace(0, 1, _SHADES if is_ramp else n_levels))


def _usual_colors(coloring: Coloring, look: Look) -> Any:
    """Return the colours of the style, or distinct hues where it has Matplotlib's own cycle."""
    if coloring.domain is not None and -coloring.domain[0] == coloring.domain[1] > 0:  # a colour for each sign
        return _DIVERGING[look.is_dark]
    if coloring.domain is None and not coloring.is_ordered:
        cycle = rcParams["axes.prop_cycle"]
        colors = [] if cycle == rcParamsDefault["axes.prop_cycle"] else cycle.by_key().get("color", [])
        return [*colors, *hues(len(coloring.levels), is_dark=look.is_dark)[len(colors) :]]
    usual = colormaps[rcParams["image.cmap"]]
    shades = np.asarray(usual(np.linspace(0, 1, _SHADES)))[:, :3]
    # The longest part of the ramp that shows on the background.
    shows = np.concatenate([[False], _contrast(shades, look.paper) >= _VISIBLE, [False]])
    edges = np.flatnonzero(np.diff(shows.astype(int)))
    starts, stops = (edges[::2], edges[1::2] - 1) if len(edges) else (np.array([0]), np.array([_SHADES - 1]))
    longest = int(np.argmax(stops - starts))
    ends = starts[longest] / (_SHADES - 1), stops[longest] / (_SHADES - 1)
    return ListedColormap(usual(np.linspace(*ends, _SHADES)))


def hues(n_levels: int, *, is_dark: bool = False) -> list[str]:
    """Return distinct colours for so many levels on a light or dark background.

    They are eight; whatever comes after is what was lumped together as "other".
    """
    distinct = (*_HUES, *_MORE_HUES[is_dark])
    return [*distinct[:n_levels], *[_OTHER[is_dark]] * (n_levels - len(distinct))]
