"""Every error has its four parts: what must hold, what came, where, what to do; each is read at its raise site."""

import ast
import re
from pathlib import Path
from typing import NamedTuple

import ice_explorer
from ice_explorer import errors
from ice_explorer.errors import ICEExplorerError, InvalidOptionError
from ice_explorer.results.options import DEFAULTS

PACKAGE = Path(ice_explorer.__file__).parent
TREES = {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}
# Behind the rule follows what came: after a semicolon, a colon or a reason, or as a sentence of its own.
TWO_PARTS = re.compile(r"[;:] |, (so|but|which) |\. [A-Z{]|^No | has no ")
OPTIONS = "|".join([*DEFAULTS, "response", "dpi", "width", "color_by"])
OF_A_CALL = re.compile(rf"`(?:{OPTIONS})=?`|`(?:{OPTIONS})=|ICEExplorer\(|`explain`(?! *,)")


class Raised(NamedTuple):
    """An error in the source, with values as `{code}`."""

    place: str
    kind: str
    facts: str
    advice: str | None
    control: str | None


def text(node):
    """The text of an argument, with the code of values in braces."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(text(part) for part in node.values)
    return f"{{{ast.unparse(node.value if isinstance(node, ast.FormattedValue) else node)}}}"


def raised():
    """Every error that is made with sentences, in the package and in the constructors of `errors`."""
    for name, tree in TREES.items():
        classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        owner = {call: node.name for node in classes for call in ast.walk(node)}
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
                continue
            kind = owner.get(node) if node.func.id == "cls" else node.func.id
            if kind in errors.__all__ and kind != "Cancelled":
                facts, advice, control, *_ = [*map(text, node.args), None, None]
                yield Raised(f"{name}:{node.lineno}", kind, facts, advice, control)


RAISED = [
    error
    for error in raised()
    # The message of another error stands for all parts.
    if not re.search(r"\{error\}\.?$", error.facts) and error.facts != "{facts}"
]


def test_every_error_says_what_must_hold_what_came_and_what_to_do():
    """In whole sentences; values such as the cause of an error end theirs."""
    assert [error for error in RAISED if not TWO_PARTS.search(error.facts) or error.facts[-1] not in ".}"] == []
    assert [error for error in RAISED if not error.advice or error.advice[-1] not in ".}"] == []


def test_what_to_do_in_an_explorer_is_no_option_of_a_call():
    """There is no line of code in front of a reader who may not have written it."""
    of_explorers = [error for error in RAISED if error.control or error.kind == "PredictionError"]
    assert len(of_explorers) > 15
    assert [error for error in of_explorers if OF_A_CALL.search(error.control or error.advice)] == []


def test_an_error_has_other_advice_in_an_explorer():
    """Where there is some; the closest known value is offered in both."""
    error = InvalidOptionError.must(
        "kind", "be 'ice'", "icee", "Leave it out.", "Choose one.", where=" for 'age'", known=["ice"]
    )
    assert str(error) == "`kind` must be 'ice'; got 'icee' for 'age'. Did you mean 'ice'? Leave it out."
    assert str(error.in_explorer()) == "`kind` must be 'ice'; got 'icee' for 'age'. Did you mean 'ice'? Choose one."
    error = ICEExplorerError("X must be a table; got 1.", "Pass a table.")
    assert error.in_explorer() is error
