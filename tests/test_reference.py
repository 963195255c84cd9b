"""What `dir` offers is what the reference lists, with a docstring each."""

import importlib.util


def test_the_reference_lists_every_public_name(root):
    """A name that comes, goes or takes other parameters is listed so: `python tests/tools/api_reference.py`."""
    spec = importlib.util.spec_from_file_location("api_reference", root / "tests" / "tools" / "api_reference.py")
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    assert reference.REFERENCE.read_text(encoding="utf-8") == reference.written()
