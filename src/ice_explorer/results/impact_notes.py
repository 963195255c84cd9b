"""Notes on impacts that depend mostly on one grid step, or on values that are close together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from ice_explorer.engines.notes import count_others
from ice_explorer.metrics.unordered import CategorySums

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ice_explorer.metrics.ordered import Convention, FeatureSums

_FEWEST_VALUES: Final = 5
_DOMINANT: Final = 0.5  # share of the impact
_DISPROPORTIONATE: Final = 5.0  # times the share of the axis
_CROWDED: Final = 2.0  # times the figure of "stable"
_ROUNDING: Final = 1e-9
_NAMES: Final = {"equations": "By intervals", "published": "As published"}


class Note(NamedTuple):
    """A note about one feature.

    - `sentence`: the whole, without the name of the feature.
    - `brief`: a short form for lists of features.
    """

    sentence: str
    brief: str


def step_note(sums: FeatureSums | CategorySums, shown: Callable[[float], str]) -> Note | None:
    """Return a note on the two values between which most of the movement happens, if they are close together.

    - `sums`: levels without an order have no steps.
    - `shown`: writes a grid value for readers.
    """
    if isinstance(sums, CategorySums) or len(sums.grid) < _FEWEST_VALUES:
        return None
    # Under "stable" an interval brings what the curves move within it, however long it is.
    brought = sums.interval_impact("stable")
    total = brought.sum()
    if not total > 0:
        return None
    largest = int(np.argmax(brought))
    share = brought[largest] / total
    length = (sums.grid[largest + 1] - sums.grid[largest]) / (sums.grid[-1] - sums.grid[0])
    if share <= _DOMINANT + _ROUNDING or share <= _DISPROPORTIONATE * length + _ROUNDING:
        return None
    low, high = (shown(float(value)) for value in sums.grid[largest : largest + 2])
    brief = f"{share * 100:.0f} % between {low} and {high}"
    return Note(f"{share * 100:.0f} % of the change happens between {low} and {high}.", brief)


def crowding_note(sums: FeatureSums | CategorySums, convention: Convention) -> Note | None:
    """Return a note if the impact of a convention is mostly due to steps between values that lie close together."""
    if isinstance(sums, CategorySums) or convention == "stable" or len(sums.grid) < _FEWEST_VALUES:
        return None
    counted, even = (float(sums.interval_impact(name).sum()) for name in (convention, "stable"))
    if counted <= (_CROWDED + _ROUNDING) * even:
        return None
    sentence = (
        f"{_NAMES[convention]} {figure_text(counted)}, evenly along the axis {figure_text(even)}: "
        "most comes from values that lie close together."
    )
    return Note(sentence, f"{figure_text(counted)} against {figure_text(even)}")


def step_notes(found: Sequence[tuple[str, Note]]) -> list[str]:
    """Return one note on what `step_note` found for some features, by label."""
    return _told(found, "{count} features: more than half of the change happens within one grid step")


def crowding_notes(found: Sequence[tuple[str, Note]], convention: Convention) -> list[str]:
    """Return one note on what `crowding_note` found for some features, by label."""
    how = "by intervals" if convention == "equations" else "as published"
    return _told(
        found,
        "{count} features: impact " + how + " is more than twice that evenly along the axis, "
        "because most of it comes from values that lie close together",
    )


def _told(found: Sequence[tuple[str, Note]], of_several: str) -> list[str]:
    if not found:
        return []
    if len(found) == 1:
        label, note = found[0]
        return [f"{label!r}: {note.sentence}"]
    named = [f"{label!r} ({note.brief})" for label, note in found]
    return [f"{of_several.format(count=f'{len(found):,}')}: {count_others(named)}."]


def figure_text(value: float) -> str:
    """Write a metric with three digits, or as a whole number from 1,000 on."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
