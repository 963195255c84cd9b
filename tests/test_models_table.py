"""The table of models in the guide is what is measured."""

import importlib.util

import model_families as families
import pytest

pytestmark = [pytest.mark.current, pytest.mark.slow]


@pytest.fixture(scope="module")
def table(root):
    """The script that writes the table."""
    spec = importlib.util.spec_from_file_location("models_table", root / "tests" / "tools" / "models_table.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_is_up_to_date(table):
    """Every line of a library that is installed: its models, their method and the difference."""
    lines = table.committed()
    assert lines[: len(table.HEAD)] == table.HEAD
    absent = {case.family for case in families.CASES if not case.installed}
    expected = table.rows_of([case for case in families.CASES if case.installed])
    assert [line for line in lines[len(table.HEAD) :] if line.split("**")[1] not in absent] == expected
    assert {line.split("**")[1] for line in lines[len(table.HEAD) :]} == {case.family for case in families.CASES}


def test_a_difference_is_rounded_up_to_a_power_of_ten(table):
    """What is not below a thousandth is no agreement at all."""
    assert [table.rounded(difference) for difference in (0.0, 1e-12, 5e-8)] == ["< 1e-12", "< 1e-9", "< 1e-6"]
    with pytest.raises(StopIteration):
        table.rounded(0.01)
