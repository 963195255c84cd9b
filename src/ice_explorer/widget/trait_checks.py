"""What each trait of an explorer may be set to, and the form in which it keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.checks import check_one_of
from ice_explorer.errors import OptionError, UnknownFeatureError
from ice_explorer.errors.base import quoted
from ice_explorer.features.feature import check_anchor, is_shared_anchor
from ice_explorer.metrics.windows import CONVENTIONS
from ice_explorer.models.predict import function_response_error, single_output_error
from ice_explorer.results.options import METRIC_RANKINGS, OF_MODELS, RANKINGS
from ice_explorer.scene.choices import check_choice
from ice_explorer.widget.state import check_view
from ice_explorer.wire.forms import fits, words_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from ice_explorer.widget.session import Choices, Work


def checked(  # noqa: C901, PLR0911, PLR0912 - one case for each trait
    name: str, value: object, open_work: Callable[[], Work], feature: str
) -> Any:
    """Return what a trait is set to.

    - `open_work`: returns what the explorer is about, or raises where it is closed.
    - `feature`: label of the open feature, which an anchor is a value of; "" where none is.
    - raises ICEExplorerError: if the trait cannot have this value.
    """
    match name:
        case "feature":
            return check_feature(value, open_work)
        case "color_by":
            return check_color_by(value, open_work)
        case "anchor":
            return _check_anchor(value, open_work, feature)
        case "selection":
            return np.unique(open_work().known._context.positions(value, "selection")).tolist()
        case "rank_by":
            is_of_one = not open_work().choices.models
            if is_of_one and isinstance(value, str) and value == OF_MODELS:
                raise OptionError.needs_models("rank_by='disagreement'")
            return check_one_of("rank_by", value, METRIC_RANKINGS if is_of_one else RANKINGS)
        case "output":
            return _check_output(value, open_work().choices)
        case "response":
            return _check_response(value, open_work().choices)
        case "convention":
            return _check_convention(value, open_work().choices)
        case "distance":
            choices = open_work().choices
            return check_one_of("distance", choices.distance if _is_empty(value) else value, choices.distances)
        case "model":
            choices = open_work().choices
            if _is_empty(value):
                return choices.model
            if not choices.models:
                raise OptionError.needs_models(f"model={quoted(value)}")
            return check_one_of("model", value, choices.models)
        case "_view":
            return dict(check_view(value))
        case "_given":
            if not fits(list[str], value):
                raise OptionError.must("_given", f"be {words_for(list[str])}", value, "Leave it out for the default.")
            return value
    return check_choice(name, value)


def _is_empty(value: object) -> bool:
    """Return whether a value is the empty text; an array would be compared element by element."""
    return isinstance(value, str) and value == ""


def check_feature(value: object, open_work: Callable[[], Work]) -> str:
    """Return the label of a feature that is given by its name or label; "" stands for none."""
    if _is_empty(value):
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
    outcome = known._outcome(value)
    return known._column(value).label if outcome is None else outcome[1]


def _check_output(value: object, choices: Choices) -> str:
    """Return the label of an output of the model."""
    label = choices.label_of.get(str(value), str(value))
    if label in {"", choices.output}:
        return choices.output
    if choices.output == "":
        raise single_output_error(value)
    if not choices.has_model:
        raise _fixed_error("output", value, choices.output)
    return check_one_of("output", label, choices.outputs or (choices.output,))


def _check_response(value: object, choices: Choices) -> str:
    """Return the name of a response of the model."""
    name = str(value)
    if name in {"", choices.response}:
        return choices.response
    if not choices.has_model:
        raise _fixed_error("response", value, choices.response)
    if choices.response == "callable":
        raise function_response_error(name)
    return check_one_of("response", name, choices.responses or (choices.response,))


def _check_convention(value: object, choices: Choices) -> str:
    """Return a convention that the model can be explained by."""
    convention = choices.convention if _is_empty(value) else check_one_of("convention", value, CONVENTIONS)
    if convention != choices.convention and not choices.has_model:
        raise _fixed_error("convention", value, choices.convention)
    return convention


def _fixed_error(option: str, got: object, current: str) -> OptionError:
    """Return the error for an explorer without a model, which cannot explain anything else."""
    advice = "Call `ICEExplorer(model, X)` for an explorer that can explain another."
    return OptionError.must(option, f"stay what the explanation has, {quoted(current)}", got, advice)


def _check_anchor(value: object, open_work: Callable[[], Work], feature: str) -> str | float:
    if is_shared_anchor(value):  # as the browser writes it, and as it stays when another feature is opened
        return check_anchor(value)
    if feature == "":
        what = "be 'min', 'max', 'median', 'own' or a number while no feature is open"
        raise OptionError.must("anchor", what, value, "Set `feature` first.")
    work = open_work()
    return work.anchor_place(work.by_label[feature], value)
