"""The examples of docstrings give what they show."""

import builtins
import doctest
import importlib
from pathlib import Path

import pytest

import ice_explorer

SOURCE = Path(ice_explorer.__file__).parent
MODULES = [
    ".".join(("ice_explorer", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")
    for path in sorted(SOURCE.rglob("*.py"))
    if ">>>" in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("module", MODULES)
def test_examples_give_what_they_show(module, monkeypatch):
    """Every line of an example that prints something prints exactly that."""
    monkeypatch.setattr(builtins, "_", None, raising=False)  # which doctest sets, and IPython then does not
    assert doctest.testmod(importlib.import_module(module)).failed == 0
