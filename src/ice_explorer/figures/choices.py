"""What a reader chose about the view in the browser, as far as figures follow it.

Filters of the legend, a shared value axis and the ramp are drawn. Whatever else was chosen is named in the
provenance of a file, so that nobody takes the figure for the whole of what was on the screen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from ice_explorer.messages import Kind

FOLLOWED: Final = ("filters", "shared_y", "palette")

# Choices that are as these change nothing; the browser's twin is `DEFAULTS` in `js/src/remembered.ts`.
USUAL: Final[Mapping[str, object]] = {
    "left": "bars",
    "right": "feature",
    "compared": [],
    "coloring": "value",
    "lines_as": "auto",
    "shared_y": False,
    "target": False,
    "classes": False,
    "rug": "auto",
    "full_slopes": False,
    "zoom": {},
    "filters": {},
    "palette": "default",
}


def chosen(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Return the choices that are not the usual ones."""
    return {name: value for name, value in choices.items() if value != USUAL.get(name)}


def not_drawn(choices: Mapping[str, Any]) -> list[str]:
    """Name the choices that figures do not follow; lines are what they draw anyway."""
    others = {name: value for name, value in chosen(choices).items() if name not in FOLLOWED}
    if others.get("lines_as") == "lines":
        del others["lines_as"]
    return sorted(others)


def kept_by(
    rule: Mapping[str, Any], values: NDArray[np.float32], domain: tuple[float, float] | None, levels: Sequence[str]
) -> NDArray[np.bool_]:
    """Tell which lines the legend leaves on.

    Parameters
    ----------
    rule : mapping
        "hidden" levels, None for missing values; or all but a "range" is hidden.
    values : ndarray of shape (n_lines,)
        What colours the lines: 0 to 1 on the ramp, or the index of a level; NaN is missing.
    domain : tuple of float or None
        Ends of the ramp.
    levels : sequence of str
    """
    if domain is None:
        names = rule.get("hidden", ())
        hidden = [level for level, name in enumerate(levels) if name in names]
        return ~np.isin(values, hidden) & ~(np.isnan(values) & (None in names))
    if "range" not in rule:
        return np.ones(len(values), dtype=np.bool_)
    low, high = domain
    ends = np.array(rule["range"], dtype=np.float64)
    first, last = np.clip((ends - low) / (high - low), 0, 1) if high > low else np.array([0.5, 0.5])
    return np.asarray((values >= np.float32(first)) & (values <= np.float32(last)))


def shared_span(kind: Kind, ranges: Iterable[tuple[float, float]]) -> tuple[float, float] | None:
    """Return what all features share: their predictions, or the largest change of any; None of slopes.

    Slopes are per unit of each feature.
    """
    spans = list(ranges)
    if kind == "d-ice" or not spans:
        return None
    if kind == "ice":
        return min(low for low, _ in spans), max(high for _, high in spans)
    widest = max(high - low for low, high in spans)
    return -widest, widest
