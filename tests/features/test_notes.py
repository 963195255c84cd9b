"""Notes about several columns name three of them and count the others."""

import pytest

from ice_explorer.engines.notes import listed


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["age"], "'age'"),
        (["age", "city"], "'age' and 'city'"),
        (["age", "city", 3], "'age', 'city' and '3'"),
        (["a", "b", "c", "d"], "'a', 'b', 'c' and 1 more"),
        ([f"x{number}" for number in range(2000)], "'x0', 'x1', 'x2' and 1,997 more"),
    ],
)
def test_three_names_and_a_count(names, text):
    """Up to three names are written in full; of more, the first three and how many others there are."""
    assert listed(names) == text
