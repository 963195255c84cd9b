"""The choices of a view: one table of names, types and defaults, and the check of each; and all that a view shows.

The traits of an explorer, saved states, requests of the browser, provenance and the TypeScript of
`js/src/wire/protocol.ts` are derived from `PublicTraits` and `ViewChoices`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypedDict, cast, get_args, get_origin, get_type_hints

import numpy as np

from ice_explorer.beyond.interactions import JointEffects
from ice_explorer.checks import check_decay, check_integer, check_one_of
from ice_explorer.features.feature import AnchorName, check_anchor
from ice_explorer.metrics.ordered import Convention
from ice_explorer.results.intervals import USUAL_LEVEL, check_level
from ice_explorer.results.options import METRIC_RANKINGS, OF_MODELS, RANKINGS, Kind, Options, RankBy

if TYPE_CHECKING:
    from ice_explorer.arrays import Array
    from ice_explorer.comparison import ModelComparison
    from ice_explorer.plan import Classes

Distance = Literal["marginal", "conditional", "custom"]
"""Unit of the distance from the observed value."""


Decay = Annotated[float, lambda value: 0 < value <= 1]
Level = Annotated[float, lambda value: 0 < value < 1]
Positive = Annotated[int, lambda value: value >= 1]
Anchor = AnchorName | float
Pair = Annotated[list[str], lambda value: len(value) in {0, 2}]


class Filter(TypedDict):
    """The levels that the legend of a column hides, by name; None stands for missing values."""

    hidden: list[str | None]


Filters = dict[str, Filter]


@dataclass(frozen=True)
class DocumentState:
    """What every view of an explorer shows; `ICEExplorer` documents these traits."""

    feature: str = ""
    color_by: str | None = None
    kind: Kind = "ice"
    decay: Decay = Options.decay
    rank_by: RankBy = "in_distribution_impact"
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
    - `coloring`: how a column colours: by its values, as below and above its median, or by its best split.
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
    coloring: Literal["value", "median", "driver"] = "value"
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


# --- what a view shows ----------------------------------------------------------------------------

AROUND: Final = ("left", "right", "compared", "classes")  # the panel of the open feature
STATE_VERSION: Final = 2
"""Of what `ICEExplorer.state` returns."""

USUAL: Final[Mapping[str, object]] = vars(ViewChoices())
"""Choices that are as these change nothing."""


@dataclass(frozen=True, eq=False)
class Besides:
    """Content shown in addition to the curves of an explanation.

    `target` is what was observed of each row of X, NaN where missing, and `target_name` the name of y, "" where it has
    none; `classes` are curves of all outputs, None where the model has one, or is not at hand; `joint` is what was
    computed of several features; `models` are several models, None with one.
    """

    target: "Array | None" = None
    target_name: str = ""
    classes: "Classes | None" = None
    joint: JointEffects = field(default_factory=JointEffects)
    models: "ModelComparison | None" = None


@dataclass(frozen=True)
class ViewState(DocumentState):
    """What is shown of an explanation: the public traits of an explorer, which `ICEExplorer` documents.

    - `feature`: "" is the one that ranks first.
    - `choices`: what a reader chose about the view in the browser, as `state` of an explorer has it under "view".
      Without them curves fade by distance alone: to find what is unlike the data, models are fitted.
    - `besides`: what an explorer knows besides the explanation.
    """

    selection: tuple[int, ...] = ()
    choices: Mapping[str, Any] = field(default_factory=lambda: {"fade": "distance"})
    besides: Besides = field(default_factory=Besides, compare=False)

    def __post_init__(self) -> None:
        given: object = self.rank_by
        of_models = self.besides.models is not None or (isinstance(given, str) and given == OF_MODELS)
        check_one_of("rank_by", given, RANKINGS if of_models else METRIC_RANKINGS)
        object.__setattr__(self, "selection", tuple(self.selection))
        # Numbers become plain ones, which a file names as they are.
        for name in ("kind", "ci", "decay", "anchor"):
            object.__setattr__(self, name, check_choice(name, getattr(self, name)))

    @property
    def fades_unlike(self) -> bool:
        """Whether the curves of the open feature disappear where they are unlike the data."""
        return self.decay < 1 and self.choice("fade") == "unlike"

    def choice(self, name: str) -> Any:
        """Return what a reader chose of one thing, or what is usual."""
        return self.choices.get(name, USUAL[name])


def chosen(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Return the choices that are not the usual ones."""
    return {name: value for name, value in choices.items() if value != USUAL.get(name)}
