"""Style of Matplotlib figures: the current style sheet, unless the caller overrides it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.checks import check_flag
from ice_explorer.errors import OptionError
from ice_explorer.errors.base import listed, quoted, text_of
from ice_explorer.figures.paper import load_notebook_backend
from ice_explorer.figures.text import root_of, size_of
from ice_explorer.scene.palette import Palette, diverging_palette, hues, is_diverging

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from ice_explorer.scene.coloring import Coloring

_ROW: Final = 2.0  # letters, the height of a bar with its gap
_AROUND_ROWS: Final = 5  # rows, for title, legend and label
_USUAL_LINE_WIDTH: Final = 1.5  # pt, Matplotlib's own
_READABLE: Final = 4.5  # contrast of marks with the background, as of text
_VISIBLE: Final = 1.6  # contrast of the faintest colour of a ramp
_SHADES: Final = 256
IMAGE_PROPERTIES: Final = frozenset({"color", "linewidth", "alpha", "zorder", "label", "gid", "visible"})
"""Properties of lines that an image of lines has as well."""


@dataclass(frozen=True)
class Styling:
    """What a caller gave about the look of a figure, checked.

    `title` is a text, True for the usual one, None or False for none; properties have their full names.
    """

    title: bool | str | None
    legend: bool
    palette: object
    line_kw: Mapping[str, Any]
    mean_kw: Mapping[str, Any]

    @classmethod
    def checked(
        cls, *, title: object, legend: object, palette: object, line_kw: object, mean_kw: object, is_colored: bool
    ) -> Styling:
        """Check what a user gave."""
        from matplotlib.collections import LineCollection
        from matplotlib.lines import Line2D

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
        return cls(
            title=check_title(title),
            legend=check_flag("legend", legend, usual=True),
            palette=palette,
            line_kw=lines,
            mean_kw=_properties("mean_kw", mean_kw, Line2D),
        )


def check_title(title: object) -> bool | str | None:
    """Check a title."""
    if title is not None and not isinstance(title, (bool, str)):
        raise OptionError.must(
            "title", "be a text, True or None", title, "Leave it out for the usual title, or use `title=None` for none."
        )
    return title


def _properties(option: str, given: object, artist: Any) -> dict[str, Any]:
    """Return properties by their full names, after an artist that is thrown away has taken them."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

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
    except TypeError as error:  # a property by two names
        raise _properties_error(option, error) from None
    for name in named:
        if not hasattr(artist, f"set_{name}"):
            known = [setter.removeprefix("set_") for setter in dir(artist) if setter.startswith("set_")]
            raise OptionError.must(
                option,
                f"hold properties of Matplotlib's {artist.__name__}",
                name,
                "Use for example 'color', 'linewidth', 'alpha' or 'zorder'.",
                known=known,
            )
    try:
        _ = Line2D([], [], **named) if artist is Line2D else artist([], **named)
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise _properties_error(option, error) from None
    return named


def _properties_error(option: str, error: Exception) -> OptionError:
    cause = re.split("[:;] supported ", str(error))[0].rstrip(".")  # a list of all values follows
    return OptionError(f"`{option}` must hold valid Matplotlib properties: {cause}.", "Correct this property.")


def _colors_error(error: Exception) -> OptionError:
    cause = str(error).rstrip(".")
    advice = "Use names such as 'tab:blue' or '#1f77b4'."
    return OptionError(f"`palette` must hold colours of Matplotlib: {cause}.", advice)


def _too_few_colors(got: int, what: str, needed: int) -> OptionError:
    return OptionError(
        f"`palette` must have at least {needed} colours for {what}; got {got}.",
        "Add colours, or name a colormap such as 'viridis'.",
    )


# --- axes -----------------------------------------------------------------------------------------


def bare_figure(width: float, height: float) -> Figure:
    """Return a figure of so many inches that lays itself out, that pyplot does not know and that notebooks show."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    load_notebook_backend()  # pyplot would do so, and show a figure of its own in addition to the value of the cell
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)  # whose `draw` draws, unlike that of a bare Figure
    return figure


def given_axes(ax: Axes | None, n_rows: int | None = None) -> Axes:
    """Return the Axes that were given, or those of a new figure that a notebook shows, as high as so many rows."""
    if ax is not None:
        _check_axes(ax)
        return ax
    from matplotlib import pyplot as plt

    figure, made = plt.subplots()
    if figure.get_layout_engine() is None:
        figure.set_layout_engine("constrained")
    if n_rows is not None:
        row = _ROW * size_of("ytick.labelsize") / 72
        figure.set_figheight(_AROUND_ROWS * row + n_rows * row)
    return made


def _check_axes(ax: object) -> None:
    """Refuse what cannot be drawn on, a figure for one."""
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise OptionError(
            f"`ax` must be a matplotlib Axes; got {type(ax).__name__}.",
            "Pass one of `plt.subplots()`, or leave it out for a new figure.",
        )


# --- colours --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Look:
    """What the Axes look like that are drawn on.

    `paper` is the background; `ink` the colour of text in this style, or black or white where that cannot be read
    on it, both 0 to 1; `line_width` that of the style, relative to Matplotlib's own.
    """

    paper: NDArray[np.float64]
    ink: NDArray[np.float64]
    line_width: float

    @classmethod
    def of(cls, ax: Axes) -> Look:
        """Look at the Axes and at the style in force."""
        from matplotlib import rcParams
        from matplotlib.colors import to_rgb, to_rgba

        paper = np.ones(3)
        for ground in (root_of(ax), ax):  # one may show through the other
            color = np.array(to_rgba(ground.get_facecolor()), dtype=np.float64)
            paper = (1 - color[3]) * paper + color[3] * color[:3]
        inks = [np.array(to_rgb(rcParams["text.color"])), np.zeros(3), np.ones(3)]
        readable = [ink for ink in inks if _contrast(ink, paper) >= _READABLE]
        ink = readable[0] if readable else max(inks, key=lambda ink: float(_contrast(ink, paper)))
        return cls(paper, ink, rcParams["lines.linewidth"] / _USUAL_LINE_WIDTH)

    @classmethod
    def of_paper(cls) -> Look:
        """Return the look of black on white."""
        return cls(np.ones(3), np.zeros(3), 1.0)

    @property
    def is_dark(self) -> bool:
        """Whether white stands out more than black."""
        return bool(_contrast(np.ones(3), self.paper) > _contrast(np.zeros(3), self.paper))

    def readable(self, color: Any) -> Any:
        """Return a colour, mixed with that of text until letters of it can be read."""
        from matplotlib.colors import to_rgb

        own = np.array(to_rgb(color))
        for share in (0.0, 0.15, 0.3, 0.45, 0.6, 0.75):
            mixed = (1 - share) * own + share * self.ink
            if _contrast(mixed, self.paper) >= _READABLE:
                break
        return tuple(mixed.tolist())

    def mixed(self, share: float) -> tuple[float, float, float]:
        """Return a colour between the background (0) and that of text (1)."""
        red, green, blue = (share * self.ink + (1 - share) * self.paper).tolist()
        return red, green, blue


def _luminance(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ np.array([0.2126, 0.7152, 0.0722]))


def _contrast(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Contrast of colours by the Web Content Accessibility Guidelines, 1 to 21."""
    first, second = _luminance(one), _luminance(other)
    return np.asarray((np.maximum(first, second) + 0.05) / (np.minimum(first, second) + 0.05))


def next_color(ax: Axes) -> Any:
    """Return the colour that the next line on some Axes would have."""
    (line,) = ax.plot([], [])
    color = line.get_color()
    line.remove()
    return color


def with_palette(coloring: Coloring, palette: object, look: Look, plain: Any) -> Coloring:
    """Return what the colours of lines mean, with the colours of a palette, or of the style in force for None.

    A palette is a colormap, its name, colours, or a mapping of levels to colours; `plain` is the colour of lines
    that no column colours.
    """
    missing = look.mixed(0.3)
    if coloring.title is None:
        return _with_colors(coloring, "levels", [plain], missing)
    if coloring.domain is not None:
        is_signed = palette is None and is_diverging(coloring.domain)
        ramp = diverging_palette(is_dark=look.is_dark).colors / 255 if is_signed else _ramp(palette, look)
        return _with_colors(coloring, "ramp", ramp, missing)
    if isinstance(palette, Mapping):
        by_label = {text_of(level): color for level, color in palette.items() if level is not None}
        lacking = [level for level in coloring.levels if level not in by_label]
        if lacking:
            raise OptionError(
                f"`palette` must have a colour for each level of {quoted(coloring.title)}; it has none for "
                f"{listed(lacking)}.",
                "Add the level, or pass a list of colours.",
            )
        colors = [by_label[level] for level in coloring.levels]
        return _with_colors(coloring, "levels", colors, palette.get(None, missing))
    return _with_colors(coloring, "levels", _level_colors(coloring, palette, look), missing)


def _with_colors(coloring: Coloring, kind: Any, colors: Any, missing: Any) -> Coloring:
    from matplotlib.colors import to_rgba_array

    try:
        found, none = (np.floor(255 * to_rgba_array(part)[:, :3] + 0.5) for part in (list(colors), [missing]))
    except (ValueError, TypeError) as error:
        raise _colors_error(error) from None
    red, green, blue = none[0].astype(int).tolist()
    return replace(coloring, palette=Palette(kind, found.astype(np.uint8), (red, green, blue)))


def _ramp(palette: object, look: Look) -> NDArray[np.float64]:
    """Return the colours of numbers, smallest first."""
    from matplotlib import colormaps, rcParams
    from matplotlib.colors import Colormap, LinearSegmentedColormap

    places = np.linspace(0, 1, _SHADES)
    if palette is None:
        shades = np.asarray(colormaps[rcParams["image.cmap"]](places))[:, :3]
        return np.asarray(colormaps[rcParams["image.cmap"]](np.linspace(*_readable_part(shades, look), _SHADES)))
    if isinstance(palette, (str, Colormap)):
        return np.asarray(_colormap(palette)(places))
    colors = _listed(palette)
    if len(colors) < 2:
        raise _too_few_colors(len(colors), "a ramp of numbers", 2)
    try:
        return np.asarray(LinearSegmentedColormap.from_list("palette", colors)(places))
    except (ValueError, TypeError) as error:
        raise _colors_error(error) from None


def _readable_part(shades: NDArray[np.float64], look: Look) -> tuple[float, float]:
    """Return the ends of the longest part of a ramp that shows on the background."""
    shows = np.concatenate([[False], _contrast(shades, look.paper) >= _VISIBLE, [False]])
    edges = np.flatnonzero(np.diff(shows.astype(int)))
    if len(edges) == 0:
        return 0.0, 1.0
    starts, stops = edges[::2], edges[1::2] - 1
    longest = int(np.argmax(stops - starts))
    return float(starts[longest]) / (len(shades) - 1), float(stops[longest]) / (len(shades) - 1)


def _level_colors(coloring: Coloring, palette: object, look: Look) -> Sequence[Any]:
    """Return a colour for each level."""
    from matplotlib import rcParams, rcParamsDefault
    from matplotlib.colors import Colormap

    n_levels = len(coloring.levels)
    if palette is None and coloring.is_ordered:
        ramp = _ramp(None, look)
        return list(ramp[np.linspace(0, _SHADES - 1, n_levels).round().astype(int)])
    if palette is None:
        own = hues(n_levels, is_dark=look.is_dark)
        if rcParams["axes.prop_cycle"] == rcParamsDefault["axes.prop_cycle"]:
            return own
        cycle = rcParams["axes.prop_cycle"].by_key().get("color", [])
        return [*cycle, *own[len(cycle) :]][:n_levels]
    if isinstance(palette, (str, Colormap)):
        found = _colormap(palette)
        if found.N < _SHADES and hasattr(found, "colors"):  # of distinct colours
            palette = list(found.colors)
        else:
            return list(np.asarray(found(np.linspace(0, 1, n_levels))))
    colors = _listed(palette)
    if len(colors) < n_levels:
        raise _too_few_colors(len(colors), f"the levels of {coloring.title!r}", n_levels)
    return colors


def _listed(palette: object) -> list[Any]:
    if isinstance(palette, Mapping) or not isinstance(palette, (Sequence, np.ndarray)):
        raise OptionError.must(
            "palette",
            "be a Matplotlib colormap or its name, a list of colours, or for levels a mapping of levels to colours",
            palette,
            "Leave it out for the colours of the style.",
        )
    return list(palette)


def _colormap(palette: str | Colormap) -> Colormap:
    from matplotlib import colormaps

    if not isinstance(palette, str):
        return palette
    if palette not in colormaps:
        raise OptionError.must(
            "palette",
            "name a Matplotlib colormap",
            palette,
            "`matplotlib.colormaps` lists them; a list of colours works, too.",
            known=colormaps,
        )
    return colormaps[palette]
