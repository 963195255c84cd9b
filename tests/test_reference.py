"""What `dir` offers is what the reference lists, with a docstring each."""

import importlib.util
import re

import pytest


@pytest.fixture(scope="module")
def reference(root):
    """The script that writes the file."""
    spec = importlib.util.spec_from_file_location("api_reference", root / "tests" / "tools" / "api_reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_is_up_to_date(reference):
    """A name that comes, goes or takes other parameters is listed so: `python tests/tools/api_reference.py`."""
    assert reference.REFERENCE.read_text(encoding="utf-8") == reference.written()


def test_what_dir_offers_is_what_is_listed(reference):
    """Of every object that users get in hand, names of internals do not come up when a notebook completes."""
    sections = re.split(r"^## (.*)\n", reference.REFERENCE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    listed = {
        title: re.findall(r"^\| `(\w+)", text, flags=re.MULTILINE)
        for title, text in zip(sections[::2], sections[1::2], strict=True)
    }
    assert listed == {title: reference.names_of(*thing) for title, thing in reference.objects().items()}


def test_a_name_without_a_docstring_is_refused(reference):
    """An internal that becomes public is noticed, because it has no row of what it is for."""

    class Thing:
        def method(self):
            pass

    with pytest.raises(ValueError, match=r"^Thing\.method has no docstring$"):
        reference.line_of("method", Thing(), {})
