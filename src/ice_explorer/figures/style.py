"""Style of Matplotlib figures: the current style sheet, unless the caller overrides it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from matplotlib import colormaps, rcParams, rcParamsDefault
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cbook import normalize_kwargs
from matplotlib.collections import LineCollection
from matplotlib.colors import Colormap, LinearSegmentedColormap, to_rgb, to_rgba, to_rgba_array
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ice_explorer.errors import OptionError
from ice_explorer.errors.base import listed, quoted, text_of
from ice_explorer.figures.paper import load_notebook_backend
from ice_explorer.figures.text import root_of, size_of
from ice_explorer.scene.coloring import Palette, diverging_palette, hues, is_diverging

if TYPE_CHECKING:
    from ice_explorer.arrays import Array
    from ice_explorer.scene.coloring import Coloring

_ROW: Final = 2.0  # letters, the height of a bar with its gap
_AROUND_ROWS: Final = 5  # rows, for title, legend and label
_USUAL_LINE_WIDTH: Final = 1.5  # pt, Matplotlib's own
_READABLE: Final = 4.5  # contrast of marks with the background, as of text
_VISIBLE: Final = 1.6  # contrast of the faintest colour of a ramp
_SHADES: Final = 256
IMAGE_PROPERTIES: Final = frozenset({"color", "linewidth", "alpha", "zorder", "label", "gid", "visible"})
"""Properties of lines that an image of lines has as well."""


def check_title(title: object) -> bool | str | None:
    """Check a title: a text, True for the usual one, None or False for none."""
    if title is not None and not isinstance(title, (bool, str)):
        raise OptionError.must(
            "title", "be a text, True or None", title, "Leave it out for the usual title, or use `title=None` for none."
        )
    return title


def check_properties(
    palette: object, line_kw: object, mean_kw: object, *, is_colored: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Check what a user gave about the look of curves and their mean; return properties by their full names."""
    lines = _properties("line_kw", line_kw, LineCollection)
    if palette is not None and not is_colored:
        raise OptionError(
            "`palette` must come with `color_by`; no column colours the curves.",
            "Name a column, or give all curves one colour with `line_kw={'color': 'tab:blue'}`.",
        )
    if is_colored and "color" in lines:
        raise OptionError(
            "`line_kw` must not hold 'color' where `color_by` names a column, which colours the curves.",
            "Choose the colours with `palette`.",
        )
    for name in ("linewidth", "alpha"):
        if not isinstance(lines.get(name, 1.0), (int, float)):  # one for all curves
            raise OptionError.must(
                "line_kw",
                f"hold one number as {name!r}, for all curves",
                lines[name],
                f"Write for example `line_kw={{{name!r}: 0.5}}`.",
            )
    return lines, _properties("mean_kw", mean_kw, Line2D)


def _properties(option: str, given: object, artist: Any) -> dict[str, Any]:
    """Return properties by their full names, after an artist that is thrown away has taken them."""
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise OptionError.must(
            option,
            "be a mapping of Matplotlib properties to values",
            given,
            f"Write for example `{option}={{'linewidth': 2}}`.",
        )
    try:
        named: dict[str, Any] = normalize_kwargs(dict(given), Line2D)
        unknown = next((name for name in named if not hasattr(artist, f"set_{name}")), None)
        if unknown is None:
            _ = Line2D([], [], **named) if artist is Line2D else artist([], **named)
    except (ValueError, TypeError, AttributeError, KeyError) as error:  # of a value, or a property by two names
        cause = re.split("[:;] supported ", str(error))[0].rstrip(".")  # a list of all values follows
        raise OptionError(
            f"`{option}` must hold valid Matplotlib properties: {cause}.", "Correct this property."
        ) from None
    if unknown is not None:
        raise OptionError.must(
            option,
            f"hold properties of Matplotlib's {artist.__name__}",
            unknown,
            "Use for example 'color', 'linewidth', 'alpha' or 'zorder'.",
            known=[setter.removeprefix("set_") for setter in dir(artist) if setter.startswith("set_")],
        )
    return named


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


def check_palette(coloring: Coloring, palette: object) -> None:
    """Refuse a palette that cannot colour these lines, before a figure is made that nobody needs."""
    with_palette(coloring, palette, Look(np.ones(3), np.zeros(3), 1.0), "black")


def with_palette(coloring: Coloring, palette: object, look: Look, plain: Any) -> Coloring:
    """Return what the colours of lines mean, with the colours of a palette, or of the style in force for None.

    A palette is a colormap, its name, colours, or a mapping of levels to colours; `plain` is the colour of lines
    that no column colours.
    """
    missing: Any = look.mixed(0.3)
    colors: Any
    try:
        if coloring.title is None:
            colors = [plain]
        elif coloring.domain is not None:
            is_signed = palette is None and is_diverging(coloring.domain)
            colors = diverging_palette(is_dark=look.is_dark).colors / 255 if is_signed else _ramp(palette, look)
        elif isinstance(palette, Mapping):
            colors, missing = _named_colors(coloring, palette), palette.get(None, missing)
        else:
            colors = _level_colors(coloring, palette, look)
        rgb, none = (np.floor(255 * to_rgba_array(part)[:, :3] + 0.5) for part in (list(colors), [missing]))
    except OptionError:
        raise
    except (ValueError, TypeError) as error:
        cause = str(error).rstrip(".")
        advice = "Use names such as 'tab:blue' or '#1f77b4'."
        raise OptionError(f"`palette` must hold colours of Matplotlib: {cause}.", advice) from None
    red, green, blue = none[0].astype(int).tolist()
    kind: Literal["levels", "ramp"] = "levels" if coloring.domain is None else "ramp"
    return replace(coloring, palette=Palette(kind, rgb.astype(np.uint8), (red, green, blue)))


def _named_colors(coloring: Coloring, palette: Mapping[Any, Any]) -> list[Any]:
    """Return the colour that a mapping has for each level."""
    by_label = {text_of(level): color for level, color in palette.items() if level is not None}
    lacking = [level for level in coloring.levels if level not in by_label]
    if lacking:
        raise OptionError(
            f"`palette` must have a colour for each level of {quoted(coloring.title)}; it has none for "
            f"{listed(lacking)}.",
            "Add the level, or pass a list of colours.",
        )
    return [by_label[level] for level in coloring.levels]


def _ramp(palette: object, look: Look) -> Array:
    """Return the colours of numbers, smallest first."""
    places = np.linspace(0, 1, _SHADES)
    if palette is None:
        usual = colormaps[rcParams["image.cmap"]]
        shades = np.asarray(usual(places))[:, :3]
        # The longest part of the ramp that shows on the background.
        shows = np.concatenate([[False], _contrast(shades, look.paper) >= _VISIBLE, [False]])
        edges = np.flatnonzero(np.diff(shows.astype(int)))
        starts, stops = (edges[::2], edges[1::2] - 1) if len(edges) else (np.array([0]), np.array([_SHADES - 1]))
        longest = int(np.argmax(stops - starts))
        return np.asarray(usual(np.linspace(starts[longest] / (_SHADES - 1), stops[longest] / (_SHADES - 1), _SHADES)))
    colors = _given_colors(palette)
    if isinstance(colors, list):
        _check_number(colors, "a ramp of numbers", 2)
        colors = LinearSegmentedColormap.from_list("palette", colors)
    return np.asarray(colors(places))


def _level_colors(coloring: Coloring, palette: object, look: Look) -> Any:
    """Return a colour for each level."""
    n_levels = len(coloring.levels)
    if palette is None and coloring.is_ordered:
        return _ramp(None, look)[np.linspace(0, _SHADES - 1, n_levels).round().astype(int)]
    if palette is None:
        usual, cycle = hues(n_levels, is_dark=look.is_dark), rcParams["axes.prop_cycle"]
        colors = [] if cycle == rcParamsDefault["axes.prop_cycle"] else cycle.by_key().get("color", [])
        return [*colors, *usual[len(colors) :]][:n_levels]
    given = _given_colors(palette)
    if not isinstance(given, list):
        if given.N >= _SHADES or not hasattr(given, "colors"):
            return np.asarray(given(np.linspace(0, 1, n_levels)))
        given = list(given.colors)  # of distinct colours
    _check_number(given, f"the levels of {coloring.title!r}", n_levels)
    return given


def _given_colors(palette: object) -> Colormap | list[Any]:
    """Return the colormap that a palette is or names, or its colours."""
    if isinstance(palette, Colormap):
        return palette
    if isinstance(palette, str):
        if palette in colormaps:
            return colormaps[palette]
        raise OptionError.must(
            "palette",
            "name a Matplotlib colormap",
            palette,
            "`matplotlib.colormaps` lists them; a list of colours works, too.",
            known=colormaps,
        )
    if isinstance(palette, Mapping) or not isinstance(palette, (Sequence, np.ndarray)):
        raise OptionError.must(
            "palette",
            "be a Matplotlib colormap or its name, a list of colours, or for levels a mapping of levels to colours",
            palette,
            "Leave it out for the colours of the style.",
        )
    return list(palette)


def _check_number(colors: list[Any], what: str, needed: int) -> None:
    if len(colors) < needed:
        raise OptionError(
            f"`palette` must have at least {needed} colours for {what}; got {len(colors)}.",
            "Add colours, or name a colormap such as 'viridis'.",
        )
