"""What each trait of an explorer may be set to, and saved states as plain JSON.

A state is written by `ICEExplorer.state` and may have been kept in a file for long. What was not written by an explorer
is refused; what was, and names something that the data at hand do not have, is ignored with a warning. What the browser
writes about its view goes through the same table.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.checks import check_one_of
from ice_explorer.errors import OptionError, UnknownFeatureError
from ice_explorer.errors.base import listed, quoted
from ice_explorer.features.feature import check_anchor, is_shared_anchor
from ice_explorer.models.predict import function_response_error, single_output_error
from ice_explorer.results.options import METRIC_RANKINGS, OF_MODELS, RANKINGS
from ice_explorer.scene.choices import STATE_VERSION, PublicTraits, ViewChoices, check_choice, types_of
from ice_explorer.widget.work import Wanted
from ice_explorer.wire.requests import fits

if TYPE_CHECKING:
    from collections.abc import Callable

    from ice_explorer.widget.work import Work

# What names something of the data; all other traits are checked where they are set.
_OF_DATA: Final = ("feature", "color_by", "selection", *Wanted._fields)


def checked(name: str, value: object, open_work: Callable[[], Work], feature: str) -> Any:  # noqa: C901, PLR0911
    """Return what a trait is set to.

    - `open_work`: returns what the explorer is about, or raises where it is closed.
    - `feature`: label of the open feature, which an anchor is a value of; "" where none is.
    - raises ICEExplorerError: if the trait cannot have this value.
    """
    if name in Wanted._fields:
        return _check_wanted(name, value, open_work())
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
            is_of_one = not open_work().choices["model"]
            if is_of_one and isinstance(value, str) and value == OF_MODELS:
                raise OptionError.needs_models("rank_by='disagreement'")
            return check_one_of("rank_by", value, METRIC_RANKINGS if is_of_one else RANKINGS)
        case "_view":
            return check_view(value)
        case "_given":
            if not fits(list[str], value):
                raise _value_error("_given", value)
            return value
    return check_choice(name, value)


def _check_wanted(name: str, value: object, work: Work) -> str:
    """Return what is to be explained: of texts "", what is explained now; an output and a response also by `str`."""
    current, choices = getattr(work.shown, name), work.choices[name]
    wish: object = value
    if name in ("output", "response"):
        wish = str(value)
        if name == "output":
            wish = next((label for label, output in work.opened.outputs.items() if str(output) == wish), wish)
    if isinstance(wish, str) and wish in ("", current):  # an array would be compared element by element
        return str(current)
    if name == "output" and current == "":
        raise single_output_error(value)
    if name == "model" and not choices:
        raise OptionError.needs_models(f"model={quoted(value)}")
    if name in ("output", "response", "convention") and not work.choices["convention"]:  # there is no model
        advice = "Call `ICEExplorer(model, X)` for an explorer that can explain another."
        raise OptionError.must(name, f"stay what the explanation has, {quoted(current)}", value, advice)
    if name == "response" and current == "callable":
        raise function_response_error(str(wish))
    return str(check_one_of(name, wish, choices or (current,)))


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
    outcome = known._outcome(value)
    return known._column(value).label if outcome is None else outcome[1]


def _check_anchor(value: object, open_work: Callable[[], Work], feature: str) -> str | float:
    if is_shared_anchor(value):  # as the browser writes it, and as it stays when another feature is opened
        return check_anchor(value)
    if feature == "":
        what = "be 'min', 'max', 'median', 'own' or a number while no feature is open"
        raise OptionError.must("anchor", what, value, "Set `feature` first.")
    work = open_work()
    return work.opened.anchor_place(work.by_label[feature], value)


# --- saved states ---------------------------------------------------------------------------------


def read_state(state: object, traits: Collection[str]) -> dict[str, Any]:
    """Check a state at the door, and return what traits are set to; those that are missing stay as they are.

    - `state`: what `ICEExplorer.state` returned, maybe by way of JSON; None stands for an empty one.
    - `traits`: names of the public traits.
    - raises OptionError: if it is no dict, of another version, or has an entry that no explorer wrote.
    """
    if state is None:
        return {}
    if not isinstance(state, Mapping):
        advice = "Read a text of JSON with `json.loads`." if isinstance(state, str) else "Pass `state=x.state()`."
        raise OptionError.must("state", "be a dict that `state()` of an explorer returned", state, advice)
    version = state.get("version")
    if type(version) is not int or version != STATE_VERSION:
        given = "none" if version is None else quoted(version)
        raise OptionError(
            f"`state['version']` must be {STATE_VERSION}; got {given}.",
            "Pass a whole state, and read one of a newer release with that release.",
        )
    types = dict.fromkeys(("version", *traits), Any) | {name: types_of(PublicTraits)[name] for name in _OF_DATA}
    _check_entries("state", state, {**types, "view": Mapping})
    view = check_view(state.get("view", {}))
    return {name: value for name, value in state.items() if name in traits} | {"_view": view}


def check_view(view: object) -> dict[str, Any]:
    """Return what a reader chose about the view, or say what is none of the choices.

    - raises OptionError.
    """
    where = "state['view']"
    if not isinstance(view, Mapping):
        raise _value_error(where, view)
    _check_entries(where, view, types_of(ViewChoices))
    return dict(view)


def _check_entries(where: str, entries: Mapping[Any, Any], types: Mapping[str, Any]) -> None:
    for name, value in entries.items():
        if name not in types:
            what = "have no other entries than `state()` of an explorer writes"
            raise OptionError.must(where, what, name, "Leave it out.", known=tuple(types))
        if not fits(types[name], value):
            raise _value_error(f"{where}[{name!r}]", value)


def _value_error(where: str, got: object) -> OptionError:
    return OptionError.must(where, "be as `state()` of an explorer writes it", got, "Leave it out for the default.")


def fit_state(state: Mapping[str, Any], work: Work) -> tuple[dict[str, Any], list[str]]:
    """Leave out what the data at hand do not have, with a sentence on each, and what `Wanted` names: `work` has it."""
    known, features = work.known, work.by_label
    columns = [known._column(name).label for name in known._context.columns.names_for_coloring]
    columns += known._outcome_labels.values()
    traits = {name: value for name, value in state.items() if name not in Wanted._fields}
    view, notes = traits.get("_view", {}), list[str]()
    ranking = traits.get("rank_by")  # which may be an array, until the trait refuses it
    if isinstance(ranking, str) and ranking == OF_MODELS and not work.choices["model"]:
        traits.pop("rank_by")
        notes.append("The saved state ranks by the disagreement of several models; ignored.")
    for entries, name, available, what in (
        (traits, "feature", ["", *features], "explained features"),
        (traits, "color_by", [None, *columns], "columns of X"),
        (traits, "selection", range(known._n_observations), "rows of X"),
        (view, "compared", features, "explained features"),
        (view, "pair", columns, "columns of X"),
    ):
        if name not in entries:
            continue
        value = entries[name]
        gone = [each for each in (value if isinstance(value, list) else [value]) if each not in available]
        if gone:
            notes.append(f"The saved state has a {name!r} that is not among the {what}; ignored: {listed(gone)}.")
            entries.pop(name)
            if name in ("selection", "compared"):
                entries[name] = [each for each in value if each in available]
    return traits, notes
