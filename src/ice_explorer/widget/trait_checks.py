"""What each trait of an explorer may be set to, and the form in which it keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from ice_explorer.checks import check_one_of
from ice_explorer.errors import OptionError, UnknownFeatureError
from ice_explorer.errors.base import quoted
from ice_explorer.features.feature import check_anchor, is_shared_anchor
from ice_explorer.models.predict import function_response_error, single_output_error
from ice_explorer.results.options import METRIC_RANKINGS, OF_MODELS, RANKINGS
from ice_explorer.scene.choices import check_choice
from ice_explorer.widget.state import check_view
from ice_explorer.wire.forms import form_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ice_explorer.widget.session import Work


def checked(name: str, value: object, open_work: Callable[[], Work], feature: str) -> Any:
    """Return what a trait is set to.

    - `open_work`: returns what the explorer is about, or raises where it is closed.
    - `feature`: label of the open feature, which an anchor is a value of; "" where none is.
    - raises ICEExplorerError: if the trait cannot have this value.
    """
    if name == "anchor":
        return _check_anchor(value, open_work, feature)
    if name in _OF_WORK:
        return _OF_WORK[name](value, open_work)
    return _PRIVATE[name](value) if name in _PRIVATE else check_choice(name, value)


def check_feature(value: object, open_work: Callable[[], Work]) -> str:
    """Return the label of a feature that is given by its name or label; "" stands for none."""
    if isinstance(value, str) and value == "":
        return ""
    work = open_work()
    # Groups are features, too, and no columns.
    label = str(value) if str(value) in work.by_label else work.known._column(value).label
    if label not in work.by_label:
        raise UnknownFeatureError.feature(value, work.readable)
    return label


def check_color_by(value: object, open_work: Callable[[], Work]) -> str | None:
    """Return the label of what colours the lines."""
    if value is None:
        return None
    known = open_work().known
    return known._find_residuals(value) or known._column(value).label


def _check_output(value: object, open_work: Callable[[], Work]) -> str:
    """Return the label of an output of the model."""
    choices = open_work().choices
    label = choices.label_of.get(str(value), str(value))
    if label in {"", choices.output}:
        return choices.output
    if choices.output == "":
        raise single_output_error(value)
    if not choices.has_model:
        raise _fixed_error("output", value, choices.output)
    return check_one_of("output", label, choices.outputs or (choices.output,))


def _fixed_error(option: str, got: object, current: str) -> OptionError:
    """Return the error for an explorer without a model, which cannot explain anything else."""
    advice = "Call `ICEExplorer(model, X)` for an explorer that can explain another."
    return OptionError.must(option, f"stay what the explanation has, {quoted(current)}", got, advice)


def _check_response(value: object, open_work: Callable[[], Work]) -> str:
    """Return the name of a response of the model."""
    choices = open_work().choices
    if str(value) in {"", choices.response}:
        return choices.response
    if not choices.has_model:
        raise _fixed_error("response", value, choices.response)
    if choices.response == "callable":
        raise function_response_error(str(value))
    return check_one_of("response", str(value), choices.responses or (choices.response,))


def _is_empty(value: object) -> bool:
    """Return whether a value is the empty text; an array would be compared element by element."""
    return isinstance(value, str) and value == ""


def _check_distance(value: object, open_work: Callable[[], Work]) -> str:
    """Return the name of a unit of the distance from the observed value."""
    choices = open_work().choices
    return check_one_of("distance", choices.distance if _is_empty(value) else value, choices.distances)


def _check_model(value: object, open_work: Callable[[], Work]) -> str:
    """Return the name of one of several models."""
    choices = open_work().choices
    if _is_empty(value):
        return choices.model
    if not choices.models:
        raise OptionError.needs_models(f"model={quoted(value)}")
    return check_one_of("model", value, choices.models)


def _check_rank_by(value: object, open_work: Callable[[], Work]) -> str:
    if open_work().choices.models:
        return check_one_of("rank_by", value, RANKINGS)
    if isinstance(value, str) and value == OF_MODELS:
        raise OptionError.needs_models("rank_by='disagreement'")
    return check_one_of("rank_by", value, METRIC_RANKINGS)


def _check_anchor(value: object, open_work: Callable[[], Work], feature: str) -> str | float:
    if is_shared_anchor(value):  # as the browser writes it, and as it stays when another feature is opened
        return check_anchor(value)
    if feature == "":
        raise OptionError.must(
            "anchor",
            "be 'min', 'max', 'median', 'own' or a number while no feature is open",
            value,
            "Set `feature` first.",
        )
    work = open_work()
    return work.anchor_place(work.by_label[feature], value)


def _check_selection(value: object, open_work: Callable[[], Work]) -> list[int]:
    positions = open_work().known._context.positions(value, "selection")
    return cast("list[int]", np.unique(positions).tolist())


def _check_given(value: object) -> list[str]:
    form = form_of(list[str])
    if not form.is_met(value):
        raise OptionError.must("_given", f"be {form.expected}", value, "Leave it out for the default.")
    return cast("list[str]", value)


_OF_WORK: Final[Mapping[str, Callable[[object, Callable[[], Work]], object]]] = {
    "feature": check_feature,
    "color_by": check_color_by,
    "selection": _check_selection,
    "output": _check_output,
    "response": _check_response,
    "distance": _check_distance,
    "model": _check_model,
    "rank_by": _check_rank_by,
}
_PRIVATE: Final[Mapping[str, Callable[[object], object]]] = {
    "_view": lambda got: dict(check_view(got)),
    "_given": _check_given,
}
