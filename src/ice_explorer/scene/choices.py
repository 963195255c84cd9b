"""View settings chosen in the browser, as figures follow them.

A panel shows the open feature as it was on the screen, a view what stood around it as well. Whatever
a file does not show is named in its provenance, so that nobody takes it for the whole of the screen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from ice_explorer.results.options import Kind

AROUND: Final = ("left", "right", "compared", "classes")  # the panel of the open feature
_MOST_LINES: Final = 2000  # of `js/src/store/available_choices.ts`, as are the others
_MOST_TICKS: Final = 500
_MOST_OTHERS: Final = 2  # of `js/src/panels/beside/compare.ts`
_NO_TARGET: Final = ("log_odds", "decision_function")

STATE_VERSION: Final = 2
"""Of what `ICEExplorer.state` returns."""


# Choices that are as these change nothing; the browser's twin is `DEFAULTS` in `js/src/store/view_choices.ts`.
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
    "every_step": False,
    "zoom": {},
    "filters": {},
    "palette": "default",
}


def chosen(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Return the choices that are not the usual ones."""
    return {name: value for name, value in choices.items() if value != USUAL.get(name)}


def followed(choices: Mapping[str, Any], left_out: Collection[str]) -> dict[str, Any]:
    """Return the choices that a file follows, all that are not left out."""
    return {name: value for name, value in chosen(choices).items() if name not in left_out}


def not_drawn(choices: Mapping[str, Any], left_out: Collection[str]) -> list[str]:
    """Name the choices that it does not follow."""
    return sorted(chosen(choices).keys() & set(left_out))


def compared_with(feature: str, compared: Iterable[str]) -> list[str]:
    """Name the features that the open one is compared with: at most two, and never itself."""
    return [name for name in dict.fromkeys(compared) if name != feature][:_MOST_OTHERS]


def is_dense(lines_as: str, n_lines: int, *, on_levels: bool) -> bool:
    """Tell whether lines are drawn as their density."""
    return not on_levels and (lines_as == "density" or (lines_as == "auto" and n_lines > _MOST_LINES))


def has_rug(rug: str, n_lines: int, *, on_levels: bool) -> bool:
    """Return whether there are ticks at the observed values."""
    return rug != "off" and not on_levels and n_lines <= _MOST_TICKS


def has_target(kind: Kind, response: str) -> bool:
    """Tell whether what was observed can stand among the lines."""
    return kind == "ice" and response not in _NO_TARGET


def window_key(kind: Kind, feature: str, output: str) -> str:
    """Under which name the browser keeps the part of the axes that shows."""
    return f"{kind} {feature}: {output}"


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
