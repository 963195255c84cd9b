"""Convert states of earlier versions, which had an option `weighting`.

How impact is counted was a pair then, `convention` and `weighting`, and non-linearity had a second column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ice_explorer.errors.base import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ice_explorer.metrics.ordered import Convention

_CONVENTIONS: Final[Mapping[tuple[object, object], Convention]] = {
    ("equations", "interval"): "equations",
    ("published", "interval"): "published",
    ("equations", "length"): "stable",
    ("equations", "mass"): "stable",
}
_DIFFERENCES: Final[Mapping[object, str]] = {
    "length": " In-distribution impact and non-linearity are defined differently there.",
    "mass": " The figures differ: intervals are no longer weighted by their observations.",
}
_RANK_BY: Final = {"non_linearity_mad": "non_linearity"}


def renewed_state(traits: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Write the traits of a state of version 1 as this version has them.

    - returns `notes`: a sentence on everything that was taken for something else.
    """
    renewed, notes = dict(traits), []
    convention, weighting = traits.get("convention", "equations"), traits.get("weighting")
    taken_for = next((each for pair, each in _CONVENTIONS.items() if pair == (convention, weighting)), None)
    if taken_for is not None:  # else `weighting` stays, and is refused as any other entry of nobody's
        del renewed["weighting"]
        renewed["convention"] = taken_for
        notes.append(f"The saved state {_taken_for(convention, weighting, taken_for)}")
    rank_by = traits.get("rank_by")
    if isinstance(rank_by, str) and rank_by in _RANK_BY:
        renewed["rank_by"] = _RANK_BY[rank_by]
        notes.append(f"The saved state ranks by {rank_by!r}; taken for {renewed['rank_by']!r}.")
    return renewed, notes


def _taken_for(convention: object, weighting: object, taken_for: Convention) -> str:
    difference = _DIFFERENCES.get(weighting, "")
    return (
        f"names convention {quoted(convention)} with weighting {quoted(weighting)}; "
        f"taken for convention {taken_for!r}.{difference}"
    )
