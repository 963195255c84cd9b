"""Notes on curves that move mostly within one grid step, or up and down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from ice_explorer.engines.notes import shorten_list
from ice_explorer.errors.base import counted
from ice_explorer.metrics.unordered import UnorderedSums

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ice_explorer.arrays import Array, Places
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.metrics.ordered import OrderedSums
    from ice_explorer.metrics.windows import Convention


_FEWEST_VALUES: Final = 5
_DOMINANT: Final = 0.5  # share of the movement
_DISPROPORTIONATE: Final = 5.0  # times the share of the data
_CROWDED: Final = 2.0  # times the figure of "step"
_MANY_TIMES: Final = 4.0  # the mean range of the curves
_ROUNDING: Final = 1e-9
_MOST_ROWS: Final = 8  # that a note names


class Note(NamedTuple):
    """A note about one feature.

    - `sentence`: the whole, without the name of the feature.
    - `brief`: a short form for lists of features.
    """

    sentence: str
    brief: str


def step_note(sums: OrderedSums | UnorderedSums, shares: Array, shown: Callable[[float], str]) -> Note | None:
    """Return a note on the two values between which most of the movement happens, if few observations are there.

    - `sums`: levels without an order have no steps.
    - `shares` (n_grid,): weight of the observations nearest to each grid value.
    - `shown`: writes a grid value for readers.
    """
    if isinstance(sums, UnorderedSums) or len(sums.grid) < _FEWEST_VALUES:
        return None
    movement = sums.mean_absolute_changes
    total = movement.sum()
    if not total > 0:
        return None
    largest = int(np.argmax(movement))
    share = movement[largest] / total
    of_data = shares[largest : largest + 2].sum() / (2.0 * shares.sum())
    if share <= _DOMINANT + _ROUNDING or share <= _DISPROPORTIONATE * of_data + _ROUNDING:
        return None
    low, high = (shown(float(value)) for value in sums.grid[largest : largest + 2])
    brief = f"{share * 100:.0f} % between {low} and {high}"
    return Note(f"{share * 100:.0f} % of the movement happens between {low} and {high}.", brief)


def movement_note(sums: OrderedSums | UnorderedSums) -> Note | None:
    """Return a note where the curves go up and down far more than a step, or a swing, of the prediction tells.

    Under "step" that they go up and down many times their range; under "paper" that its figure is far from that of a
    step of one standard deviation.
    """
    if isinstance(sums, UnorderedSums) or len(sums.grid) < _FEWEST_VALUES or sums.changes is None:
        return None
    if sums.convention == "step":
        extent, total = sums.extent / sums.total_weight, float(sums.mean_absolute_changes.sum())
        if total <= (_MANY_TIMES + _ROUNDING) * extent:
            return None
        times = f"{total / extent:.0f} times their range"
        return Note(f"Curves go up and down ({times}): the model may follow noise there.", times)
    counted, step = sums.undecayed().impact, sums.step_impact
    if counted <= (_CROWDED + _ROUNDING) * step:
        return None
    brief = f"{figure_text(counted)} against {figure_text(step)}"
    sentence = (
        f"By the paper's intervals {figure_text(counted)}, per step of one standard deviation {figure_text(step)}: "
        "changes between close values weigh most."
    )
    return Note(sentence, brief)


def missing_note(sums: OrderedSums | UnorderedSums) -> Note | None:
    """Return a note where a value going missing changes the prediction more than its steps do."""
    figures = sums.undecayed()
    if not figures.missing_impact > figures.impact:  # either may be NaN
        return None
    missing, impact = figure_text(figures.missing_impact), figure_text(figures.impact)
    sentence = f"the model reacts to the value being missing ({missing}) more than to the values ({impact})."
    return Note(sentence, f"{missing} against {impact}")


def outlying_note(rows: Places) -> Note | None:
    """Return a note on rows whose curves lie far from all others; None where there are none."""
    if not len(rows):
        return None
    shown = f"{', '.join(map(str, rows[:_MOST_ROWS].tolist()))}{', …' if len(rows) > _MOST_ROWS else ''}"
    behave = "behaves" if len(rows) == 1 else "behave"
    return Note(f"{counted(len(rows), 'row')} {behave} unlike the rest: {shown}.", shown)


def merge_feature_notes(features: Sequence[FeatureExplanation], convention: Convention) -> list[str]:
    """Return the notes on features; one that applies to several counts them and names the first."""
    merged = []
    for name, of_several in _OF_SEVERAL.items():
        found = [(each.label, note) for each in features if (note := getattr(each, name)) is not None]
        if len(found) == 1:
            ((label, note),) = found
            merged.append(f"{label!r}: {note.sentence}")
        elif found:
            named = shorten_list([f"{label!r} ({note.brief})" for label, note in found])
            several = _OF_THE_PAPER if name == "_movement_note" and convention == "paper" else of_several
            merged.append(f"{len(found):,} features: {several}: {named}.")
    return merged


_OF_SEVERAL: Final = {
    "_missing_note": "the model reacts to values being missing more than to the values",
    "_movement_note": "curves go up and down, so the model may follow noise there",
    "_step_note": "more than half of the movement happens within one grid step",
    "_outlying_note": "some rows behave unlike the rest, and are always drawn",
}
_OF_THE_PAPER: Final = (
    "by the paper's intervals impact is more than twice that per step of one standard deviation, because changes "
    "between close values weigh most"
)


def figure_text(value: float) -> str:
    """Write a metric with three digits, or as a whole number from 1,000 on."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
