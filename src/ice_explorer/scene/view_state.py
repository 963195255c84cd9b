"""View settings: traits of an explorer, choices made in the browser, and content shown in addition to the curves.

A panel shows the open feature as it was on the screen, a view also shows what was around it. Whatever a file does not
show is named in its provenance, so that nobody takes it for the whole of the screen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from ice_explorer.beyond.interactions import JointEffects
from ice_explorer.checks import check_one_of
from ice_explorer.results.options import METRIC_RANKINGS, OF_MODELS, RANKINGS
from ice_explorer.scene.choices import DocumentState, ViewChoices, check_choice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ice_explorer.arrays import Array
    from ice_explorer.comparison import ModelComparison
    from ice_explorer.plan import Classes

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

    target: Array | None = None
    target_name: str = ""
    classes: Classes | None = None
    joint: JointEffects = field(default_factory=JointEffects)
    models: ModelComparison | None = None


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
        # Numbers become plain ones, which a file names as they are.
        for name in ("kind", "unit", "ci", "decay", "anchor"):
            value = getattr(self, name)
            if value is not None or name != "ci":
                object.__setattr__(self, name, check_choice(name, value))

    @classmethod
    def of(cls, state: ViewState | Mapping[str, Any]) -> ViewState:
        """Take a state as it is, or from a mapping with the same names, as messages carry it."""
        if isinstance(state, ViewState):
            return state
        return cls(**{**state, "selection": tuple(state.get("selection", ()))})

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
