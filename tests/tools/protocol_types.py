"""Write `js/src/wire/protocol.ts`: the messages between kernel and browser, from the types in Python.

`python tests/tools/protocol_types.py` writes the file anew; a test compares it with what the types are.
"""

from __future__ import annotations

import inspect
import json
import textwrap
from collections.abc import Sequence
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np

from ice_explorer.features.feature import AnchorName, FeatureKind
from ice_explorer.metrics.ordered import Convention
from ice_explorer.results.options import Kind, RankBy, Unit
from ice_explorer.scene import choices
from ice_explorer.tables.column import ColumnKind
from ice_explorer.wire import messages, requests

TARGET = Path(__file__).parents[2] / "js" / "src" / "wire" / "protocol.ts"
WIDTH = 120
ARRAYS = {"float32": "Float32Array", "float64": "Float64Array", "uint32": "Uint32Array", "uint8": "Uint8Array"}
ALIASES = {
    "Kind": Kind,
    "RankBy": RankBy,
    "Convention": Convention,
    "Unit": Unit,
    "Distance": choices.Distance,
    "NamedAnchor": AnchorName,
    "Anchor": choices.Anchor,
    "FeatureKind": FeatureKind,
    "ColumnKind": ColumnKind,
    "Extreme": requests.Extreme,
    "ColorScale": messages.ContinuousColors | messages.CategoryColors,
}
NAMES = {kind: name for name, kind in ALIASES.items()}
PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", NoneType: "null", Any: "unknown"}
HEADING = """/**
 * The messages between kernel and browser, as `tests/tools/protocol_types.py` writes them from the types in Python. Do
 * not edit them here.
 *
 * Document state and the figures computed so far are traits; large data is requested, with an id, and each request gets
 * exactly one reply. Arrays come as buffers beside the JSON; the types are those of replies in which they are unpacked.
 */
"""
TRAITS = """
/** Bytes as hosts pass them: mostly a DataView into a larger message. */
export type Bytes = ArrayBuffer | ArrayBufferView;

/** All that kernel and browser share without a request. */
export interface Traits extends PublicTraits {
  /** What a reader chose about the view; a missing entry has its default. */
  _view: Partial<ViewChoices>;
  /** Public traits that were chosen, from Python or in the explorer; settings do not change them. */
  _given: string[];
  _status: Status;
  _header: Header;
  /** The two tables of the open model, and those of each of several models, which have no disagreement. */
  _impact: Bytes;
  _profile: Bytes;
  _models_impact: Bytes;
  _models_profile: Bytes;
}

/** The one reply to a request; the body is packed. */
export type Reply =
  | { id: string; type: "result"; body: unknown }
  | { id: string; type: "error"; message: string }
  | { id: string; type: "cancelled" };
"""


def write_type(kind: Any, *, named: bool = True) -> str:  # noqa: PLR0911 - one for each kind of type
    """Write a type as TypeScript; one that has a name there by it, if `named`."""
    origin, args = get_origin(kind), get_args(kind)
    if named and kind in NAMES:
        return NAMES[kind]
    if kind in PLAIN:
        return PLAIN[kind]
    if origin is Literal:
        return " | ".join(map(json.dumps, args))
    if origin is Annotated:
        return ARRAYS[args[1].name] if isinstance(args[1], np.dtype) else write_type(args[0])
    if origin in {Union, UnionType}:
        return " | ".join(map(write_type, args))
    if origin in {list, Sequence}:
        item = write_type(args[0])
        return f"({item})[]" if " | " in item else f"{item}[]"
    if origin is tuple:
        return f"[{', '.join(map(write_type, args))}]"
    if origin is dict:
        return f"Record<{', '.join(map(write_type, args))}>"
    assert is_dataclass(kind) or is_typeddict(kind), kind
    return kind.__name__


def write_line(start: str, kind: str) -> str:
    """Write a type behind what it is of; a union that is too long has a line for each part."""
    line = f"{start} {kind};"
    if len(line) <= WIDTH:
        return line
    indent = " " * (len(start) - len(start.lstrip()) + 2)
    return f"{start}\n{indent}| " + f"\n{indent}| ".join(kind.split(" | ")) + ";"


def write_comment(table: type) -> str:
    """Write a docstring as a comment."""
    lines = []
    for line in inspect.getdoc(table).replace("None", "null").splitlines():
        lines += textwrap.wrap(line, WIDTH - 3, subsequent_indent="  " * line.startswith("- ")) or [""]
    if len(lines) == 1 and len(lines[0]) <= WIDTH - 7:
        return f"/** {lines[0]} */"
    return "\n".join(["/**", *(f" * {line}".rstrip() for line in lines), " */"])


def write_interface(table: type, extends: type | None = None, request: str = "") -> str:
    """Write a dataclass or TypedDict as an interface; `request` is the type of a request."""
    hints = get_type_hints(table, include_extras=True)
    kinds = {name: kind for name, kind in hints.items() if extends is None or name not in get_type_hints(extends)}
    optional = set()
    if request:
        del kinds["id"]
        optional = {each.name for each in fields(table) if each.default is not MISSING}
    lines = [f'  type: "{request}";'] if request else []
    for name, kind in kinds.items():
        text = write_type(kind)
        if request and is_dataclass(kind):  # entries with defaults may be missing
            text = f"Partial<{text}>"
        lines.append(write_line(f"  {name}{'?' * (name in optional)}:", text))
    above = "" if extends is None else f" extends {extends.__name__}"
    return "\n".join(["", write_comment(table), f"export interface {table.__name__}{above} {{", *lines, "}", ""])


def write_defaults(name: str, table: type) -> str:
    """Write the defaults of a table as a constant."""
    entries = [f"  {key}: {json.dumps(value)}," for key, value in vars(table()).items()]
    return "\n".join(["", f"export const {name}: Readonly<{table.__name__}> = {{", *entries, "};", ""])


def protocol_types() -> str:
    """Return the text of the file."""
    sent = [each for each in vars(messages).values() if getattr(each, "__module__", "") == messages.__name__]
    bodies = [f"  {name}: {body.__name__};" for name, (_, body) in requests.REQUESTS.items()]
    union = " | ".join(request.__name__ for request, _ in requests.REQUESTS.values())
    return "".join(
        [
            HEADING,
            f"\nexport const PROTOCOL_VERSION = {messages.PROTOCOL_VERSION};\n\n",
            *(
                f"{write_line(f'export type {name} =', write_type(kind, named=False))}\n"
                for name, kind in ALIASES.items()
            ),
            write_interface(choices.DocumentState),
            write_interface(choices.PublicTraits, choices.DocumentState),
            write_interface(choices.Filter),
            write_interface(choices.ViewChoices),
            write_defaults("DOCUMENT_DEFAULTS", choices.DocumentState),
            write_defaults("CHOICE_DEFAULTS", choices.ViewChoices),
            *(write_interface(each) for each in sent if each not in {messages.Reply, messages.NoBody}),
            "\n/** Nothing: the status says the rest. */\nexport type NoBody = Record<string, never>;\n",
            *(write_interface(each, request=name) for name, (each, _) in requests.REQUESTS.items()),
            "\n" + write_line("export type Request =", union) + "\n",
            "\n/** The body that answers each type of request. */\nexport interface Bodies {\n",
            *(f"{line}\n" for line in bodies),
            "}\n",
            TRAITS,
        ]
    )


if __name__ == "__main__":
    TARGET.write_text(protocol_types(), encoding="utf-8")
