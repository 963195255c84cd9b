"""Convert states and files of earlier versions, which had an option `weighting`.

How impact is counted was a pair then, `convention` and `weighting`, and non-linearity had a second column.
"""

from __future__ import annotations

import ast
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


def renewed_provenance(origin: Mapping[str, Any]) -> dict[str, Any]:
    """Write the provenance of a file of an earlier version so that its line of code runs with this one.

    - `origin`: provenance of a file of any version.
    - returns: with "taken_for", a sentence, where the file is of an earlier version.
    """
    renewed = dict(origin)
    if "weighting" not in origin:
        return renewed
    convention, weighting = str(origin.get("convention")), str(renewed.pop("weighting"))
    taken_for = _CONVENTIONS.get((convention, weighting), "stable")
    renewed["convention"] = taken_for
    renewed["taken_for"] = f"The file {_taken_for(convention, weighting, taken_for)}"
    rank_by = str(origin.get("rank_by"))
    if rank_by in _RANK_BY:
        renewed["rank_by"] = _RANK_BY[rank_by]
        renewed["taken_for"] += f" It ranks by {rank_by!r}; taken for {renewed['rank_by']!r}."
    for name in {"code", "page"} & origin.keys():  # the line, or that of the page that the file was saved from
        renewed[name] = _renewed_code(str(origin[name]), taken_for)
    return renewed


def _taken_for(convention: object, weighting: object, taken_for: Convention) -> str:
    difference = _DIFFERENCES.get(weighting, "")
    return (
        f"names convention {quoted(convention)} with weighting {quoted(weighting)}; "
        f"taken for convention {taken_for!r}.{difference}"
    )


def _renewed_code(code: str, convention: Convention) -> str:
    """Write the line with today's option and default."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="ICEExplorer") | ast.Attribute(attr="ICEExplorer")):
                others = [each for each in node.keywords if each.arg not in ("convention", "weighting")]
                named = [] if convention == "stable" else [ast.keyword("convention", ast.Constant(convention))]
                node.keywords = [*others, *named]
            case ast.Assign(targets=[ast.Attribute(attr="rank_by")], value=ast.Constant(value=str(rank_by))):
                node.value = ast.Constant(_RANK_BY.get(rank_by, rank_by))
    return "; ".join(ast.unparse(statement) for statement in tree.body)
