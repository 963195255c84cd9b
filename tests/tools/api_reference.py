"""The reference: every public name, its parameters, and the first sentence of its docstring.

`python tests/tools/api_reference.py` writes it from `dir()`; a name without a docstring is an error.
"""

import inspect
import re
from collections.abc import Mapping
from enum import Enum
from pathlib import Path

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "notebooks" / "guides" / "reference.md"
HEAD = """# Reference

Every public name of ice-explorer. `help(name)` has the whole docstring, [options.md](options.md) explains the
options of `explain`. This file is written by `python tests/tools/api_reference.py`."""


def objects():
    """What users get in hand, by the heading that it is listed under, with what it is of."""
    import anywidget
    import numpy as np

    import ice_explorer as ice
    from ice_explorer import cluster

    def first(X):
        return X[:, 0]

    X = np.column_stack([np.arange(40.0), np.array([0.0, 1.0] * 20)])
    e = ice.explain(lambda X: X[:, 0] * X[:, 1], X, progress=False)
    x = ice.ICEExplorer(e)
    listed = {
        "ice_explorer": (ice, object),
        "ice_explorer.Explanation, besides what a mapping of names to features has": (e, Mapping),
        "ice_explorer.FeatureExplanation": (e["x0"], object),
        "ice_explorer.ICEExplorer": (x, anywidget.AnyWidget),
        "Result of `two_way`": (e.two_way("x0", "x1"), object),
        "Result of `marginal_effects`": (e.marginal_effects("x0"), object),
        "Result of `interactions`": (e.interactions(), object),
        "Result of `importances`": (e.importances(X[:, 0]), object),
        "Result of `explain` for several models": (
            ice.explain(dict.fromkeys(("one", "other"), lambda X: X[:, 0]), X),
            object,
        ),
        "ice_explorer.bqplot": (ice.bqplot, object),
        "ice_explorer.cluster": (cluster, object),
        "ice_explorer.datasets": (ice.datasets, object),
        "ice_explorer.errors": (ice.errors, object),
    }
    x.close()
    return listed


def names_of(thing, base):
    """What `dir` offers, but for what every such object has; columns of a table are no names of its class."""
    taken = {*dir(base), *(thing.columns if isinstance(thing, base) and hasattr(base, "columns") else ())}
    return [name for name in dir(thing) if not name.startswith("_") and name not in taken]


def documented_attributes(thing):
    """Entries of the section "Attributes" of a class, by name."""
    text = inspect.getdoc(type(thing)) or ""
    _, _, section = text.partition("Attributes\n----------\n")
    section = re.split(r"\n\n\w+\n-+\n", section)[0]
    found = {}
    for entry in re.finditer(r"^(\w[\w, ]*) : [^\n]*\n((?: {4}[^\n]*\n?|\n)*)", section + "\n", flags=re.MULTILINE):
        for name in entry[1].split(", "):
            found[name] = inspect.cleandoc(entry[2]) or entry[0].partition(" : ")[2].strip()
    return found


def line_of(name, thing, attributes):
    """One name, how it is called, and what it is."""
    member = getattr(thing, name) if inspect.ismodule(thing) else getattr(type(thing), name, None)
    call, text = "", attributes.get(name)
    if text is None:
        text = inspect.getdoc(member)
        is_constant = isinstance(member, Enum)  # which has the docstring of its class
        if text is None or (type(member).__doc__ == text and not is_constant):
            msg = f"{type(thing).__name__}.{name} has no docstring"
            raise ValueError(msg)
        if inspect.isfunction(member) or name == "ICEExplorer":
            call = parameters(member)
    return f"| `{name}{call}` | {first_sentence(text)} |"


def parameters(member):
    """Names and defaults, without types."""
    shown = inspect.signature(member).parameters.values()
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in shown if one.name != "self"]
    return str(inspect.Signature(plain)).replace("|", "\\|")


def first_sentence(text):
    """The first paragraph up to its first full stop, in one line of a table."""
    paragraph = " ".join(text.partition("\n\n")[0].split())
    sentence = re.split(r"(?<=[^.]\.)\s+(?=[A-Z])", paragraph)[0].rstrip(".;:")
    return sentence.replace("|", "\\|") + "."


def written():
    """The whole file."""
    parts = [HEAD]
    for title, (thing, base) in objects().items():
        attributes = {} if inspect.ismodule(thing) else documented_attributes(thing)
        lines = [line_of(name, thing, attributes) for name in names_of(thing, base)]
        parts.append("\n".join([f"## {title}\n", "| name | |", "| --- | --- |", *lines]))
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    REFERENCE.write_text(written(), encoding="utf-8")
