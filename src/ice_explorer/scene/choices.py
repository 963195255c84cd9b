"""The choices of a view: one table of names, types and defaults, and the check of each.

The traits of an explorer, saved states, requests of the browser, provenance and the TypeScript of
`js/src/wire/protocol.ts` are derived from the two classes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Final, Literal, NamedTuple, TypedDict, cast, get_args, get_origin, get_type_hints

import numpy as np

from ice_explorer.checks import check_integer, check_one_of
from ice_explorer.features.feature import AnchorName, check_anchor
from ice_explorer.metrics.likelihood import check_decay
from ice_explorer.metrics.ordered import Convention
from ice_explorer.results.intervals import USUAL_LEVEL, check_level
from ice_explorer.results.options import Kind, Options, RankBy, Unit

Distance = Literal["marginal", "conditional", "custom"]
"""Unit of the distance from the observed value."""


class Must(NamedTuple):
    """What a value must be besides its type, in words and as a test."""

    expected: str
    is_met: Callable[[Any], bool]


Decay = Annotated[float, Must("a number greater than 0 and at most 1", lambda value: 0 < value <= 1)]
Level = Annotated[float, Must("a number greater than 0 and less than 1", lambda value: 0 < value < 1)]
Positive = Annotated[int, Must("an integer of at least 1", lambda value: value >= 1)]
Anchor = Annotated[
    AnchorName | float, Must(f"{', '.join(map(repr, get_args(AnchorName)))} or a finite number", lambda _value: True)
]
Pair = Annotated[list[str], Must("a list of no texts or of two", lambda value: len(value) in {0, 2})]


class Filter(TypedDict):
    """The levels that the legend of a column hides, by name; None stands for missing values."""

    hidden: list[str | None]


Filters = Annotated[dict[str, Filter], Must("a dict of hidden levels each", lambda _value: True)]


@dataclass(frozen=True)
class DocumentState:
    """What every view of an explorer shows; `ICEExplorer` documents these traits."""

    feature: str = ""
    color_by: str | None = None
    kind: Kind = "ice"
    decay: Decay = Options.decay
    rank_by: RankBy = "in_distribution_impact"
    unit: Unit = "prediction"
    ci: Level | None = None
    anchor: Anchor = "min"
    max_lines: Positive = 1000
    selection: Sequence[int] = ()


@dataclass(frozen=True)
class PublicTraits(DocumentState):
    """All traits that users set: also what is explained."""

    output: str = ""
    response: str = ""
    convention: Convention = "step"
    distance: Distance = "marginal"
    model: str = ""


@dataclass(frozen=True)
class ViewChoices:
    """Choices about a view that no figure depends on; those at their defaults change nothing.

    - `left`, `right`: the panels: features as bars or their interactions; the open feature or all of them.
    - `pair`: the two columns whose heat map replaces the curves; none or two.
    - `compared`: features whose small plots are pinned: larger, before the others, on one value axis.
    - `coloring`: how a column colours: by its values, as below and above its median, or by its best split; or which
      rules of two columns together colour, whatever the column is.
    - `shared_y`: whether small plots of all features have the same value axis.
    - `target`, `classes`: whether the observed target and all classes are shown, where there are any.
    - `models`: whether the curves of all models share the axes.
    - `ale`: accumulated local effects beside the mean.
    - `axis`: whether places on the axis of a number are its values or their ranks; by default ranks where most rows lie
      in a small part of the axis. Figures are by value.
    - `fade`: whether curves fade by distance alone, or also disappear where they are unlike the data, if decay < 1.
    - `filters`: the levels that the legend of a column hides.
    """

    left: Literal["bars", "interactions"] = "bars"
    right: Literal["feature", "all"] = "feature"
    pair: Pair = field(default_factory=list)
    compared: list[str] = field(default_factory=list)
    coloring: Literal["value", "median", "driver", "together"] = "value"
    shared_y: bool = True
    target: bool = False
    classes: bool = False
    models: bool = True
    ale: bool = False
    axis: Literal["auto", "value", "rank"] = "auto"
    fade: Literal["unlike", "distance"] = "unlike"
    filters: Filters = field(default_factory=dict)


@cache
def types_of(table: Any) -> Mapping[str, Any]:
    """Return the type of each entry of a table, with what it must be besides."""
    return get_type_hints(table, include_extras=True)


def check_choice(name: str, value: object) -> Any:
    """Return a choice of `PublicTraits` in the form in which it is kept.

    - raises OptionError: if it cannot have this value, whatever the data are.
    """
    if name in _CHECKS:
        return _CHECKS[name](value)
    return check_one_of(name, value, _WORDS[name])


def _check_max_lines(value: object) -> int:
    check_integer("max_lines", value, 1, "Use `max_lines=1000` for the default.")
    return int(cast("int", value))


def _check_ci(value: object) -> float | None:
    if isinstance(value, (bool, np.bool_)):
        return USUAL_LEVEL if value else None
    return None if value is None else check_level(value)


_WORDS: Final = {name: get_args(kind) for name, kind in types_of(PublicTraits).items() if get_origin(kind) is Literal}
_CHECKS: Final[Mapping[str, Callable[[object], object]]] = {
    "decay": check_decay,
    "ci": _check_ci,
    "anchor": check_anchor,
    "max_lines": _check_max_lines,
}
