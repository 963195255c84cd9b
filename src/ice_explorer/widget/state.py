"""The state of an explorer as plain JSON: validation, and adaptation to other data.

A state is written by `ICEExplorer.state` and may have been kept in a file for long. What was not
written by an explorer is refused; what was, and names something that the data at hand do not have,
is ignored with a warning. What the browser writes about its view goes through the same table.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

from ice_explorer.errors import OptionError
from ice_explorer.errors.base import quoted
from ice_explorer.results.options import OF_MODELS
from ice_explorer.scene.choices import PublicTraits, ViewChoices, types_of
from ice_explorer.scene.view_state import STATE_VERSION
from ice_explorer.wire.forms import fits, words_for


class Wanted(NamedTuple):
    """An output, a response, a convention, a distance and one of several models; "" where nothing is wanted."""

    output: str = ""
    response: str = ""
    convention: str = ""
    distance: str = ""
    model: str = ""


# What names something of the data; all other traits are checked where they are set.
_OF_DATA: Final = ("feature", "color_by", "selection", *Wanted._fields)


class State(NamedTuple):
    """A state that was read: public traits by name, those that are missing stay as they are; and the view."""

    traits: dict[str, Any]
    view: dict[str, Any]

    @property
    def wanted(self) -> Wanted:
        """What it explains; "" where it does not say."""
        return Wanted(*(str(self.traits.get(name, "")) for name in Wanted._fields))


def read_state(state: object, traits: Collection[str]) -> State:
    """Check a state at the door.

    - `state`: what `ICEExplorer.state` returned, maybe by way of JSON; None stands for an empty one.
    - `traits`: names of the public traits.
    - raises OptionError: if it is no dict, of another version, or has an entry that no explorer wrote.
    """
    if state is None:
        return State({}, {})
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
    return State({name: value for name, value in state.items() if name in traits}, dict(view))


def check_view(view: object) -> Mapping[str, Any]:
    """Return what a reader chose about the view, or say what is none of the choices.

    - raises OptionError.
    """
    where = "state['view']"
    if not isinstance(view, Mapping):
        raise _value_error(where, Mapping, view)
    _check_entries(where, view, types_of(ViewChoices))
    return view


def _check_entries(where: str, entries: Mapping[Any, Any], types: Mapping[str, Any]) -> None:
    for name, value in entries.items():
        if name not in types:
            what = "have no other entries than `state()` of an explorer writes"
            raise OptionError.must(where, what, name, "Leave it out.", known=tuple(types))
        if not fits(types[name], value):
            raise _value_error(f"{where}[{name!r}]", types[name], value)


def _value_error(where: str, kind: Any, got: object) -> OptionError:
    return OptionError.must(where, f"be {words_for(kind)}", got, "Leave it out for the default.")


def fit_state(
    state: State, features: Collection[str], columns: Collection[str], n_rows: int, *, has_models: bool
) -> tuple[State, list[str]]:
    """Leave out of a state what the data at hand do not have.

    - `features`, `columns`: labels of what is explained, and of all of X.
    - `n_rows`: observations of X.
    - `has_models`: whether several models are explained.
    - returns `state`: what can be restored, except what `Wanted` names, which the explanation sets.
    - returns `notes`: a sentence about everything else.
    """
    traits = {name: value for name, value in state.traits.items() if name not in Wanted._fields}
    view, notes = dict(state.view), list[str]()

    def leave_out(entries: dict[str, Any], name: str, what: str, instead: object = None) -> None:
        entries.pop(name)
        if instead is not None:
            entries[name] = instead
        notes.append(f"The saved state {what}")

    feature = traits.get("feature", "")
    if feature == "":
        traits.pop("feature", None)
    elif feature not in features:
        leave_out(traits, "feature", f"opens {feature!r}, which is not an explained feature; ignored.")
    ranking = traits.get("rank_by")  # which may be an array, until the trait refuses it
    if isinstance(ranking, str) and ranking == OF_MODELS and not has_models:
        leave_out(traits, "rank_by", "ranks by the disagreement of several models; ignored.")
    column = traits.get("color_by")
    if column is not None and column not in columns:
        leave_out(traits, "color_by", f"colours curves by {column!r}, which is not a column of X; ignored.")
    rows = traits.get("selection", [])
    gone = [str(row) for row in rows if row >= n_rows]
    if gone:
        what = f"selects rows beyond the last row of X ({n_rows - 1}); ignored: {', '.join(gone)}."
        leave_out(traits, "selection", what, [row for row in rows if row < n_rows])
    compared = view.get("compared", [])
    gone = [repr(name) for name in compared if name not in features]
    if gone:
        what = f"compares features that are not explained; ignored: {', '.join(gone)}."
        leave_out(view, "compared", what, [name for name in compared if name in features])
    gone = [repr(name) for name in view.get("pair", []) if name not in columns]
    if gone:
        what = f"opens the heat map of columns that X does not have; ignored: {', '.join(gone)}."
        leave_out(view, "pair", what, [])
    return State(traits, view), notes
