"""The types of messages in TypeScript are those in Python."""

import importlib.util


def test_the_types_of_the_browser_are_those_of_python(root):
    """`python tests/tools/protocol_types.py` writes them anew."""
    path = root / "tests" / "tools" / "protocol_types.py"
    spec = importlib.util.spec_from_file_location("protocol_types", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.TARGET.read_text(encoding="utf-8") == module.protocol_types()
