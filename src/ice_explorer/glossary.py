"""Explanations of metrics, signs and controls; the front end bundles the same file."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple


class Explanation(NamedTuple):
    """What a term is called, and a few sentences on what it means."""

    name: str
    text: str


def explanation(term: str, *variants: str) -> Explanation:
    """
    Return the explanation of a term, in the first of these variants that the glossary has.

    Examples
    --------
    >>> explanation("rank").text
    'Position of the feature in the ranking by the metric chosen under "Rank by".'
    """
    entry = _glossary()[term]
    known = entry.get("variants", {})
    return Explanation(entry["name"], next((known[variant] for variant in variants if variant in known), entry["text"]))


@cache
def _glossary() -> dict[str, Any]:
    glossary: dict[str, Any] = json.loads(files("ice_explorer").joinpath("glossary.json").read_text(encoding="utf-8"))
    return glossary
