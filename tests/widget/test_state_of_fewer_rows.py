"""A saved state on data that have fewer rows."""

import numpy as np
import pytest


def test_the_row_behind_the_last_one_is_not_selected(make):
    """Rows count from 0: of 10 rows, row 9 is there and row 10 is not."""
    X = np.random.default_rng(0).normal(size=(11, 2))
    model = lambda rows: rows.sum(axis=1)  # noqa: E731 - one line says it
    before = make(model, X)
    before.selection = [9, 10]
    with pytest.warns(UserWarning, match=r"not among the rows of X; ignored: 10\.$"):
        restored = make(model, X[:10], state=before.state())
    assert restored.selection == [9]
    assert len(restored.selected) == 1
