"""Intervals of missing impact: the mean change over the rows that are drawn, of those that have curves."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ice_explorer as ice

N = 400
RANDOM = np.random.default_rng(0)
X = RANDOM.uniform(size=(N, 2))
X[::7, 0] = np.nan
GROUPS = np.where(RANDOM.uniform(size=N) < 0.3, "few", "most")


@pytest.mark.parametrize("options", [{}, {"sample": 150}], ids=["all", "sample"])
@pytest.mark.parametrize("by", [None, GROUPS], ids=["whole", "groups"])
def test_a_change_that_is_the_same_in_all_rows_is_certain(options, by):
    """The interval has no width, however the weights of the rows with curves differ between draws."""
    e = ice.explain(lambda rows: 2.0 * np.isnan(rows[:, 0]) + rows[:, 1], X, progress=False, **options)
    table = e.table(ci=0.9, by=by, rank_by=None)
    of_first = table[table.index.get_level_values(-1) == "x0"]
    assert len(of_first) == (1 if by is None else 2)
    ends = of_first[["missing_impact_low", "missing_impact_high"]].astype(float)
    assert_allclose(ends, 2.0, rtol=1e-12)


@pytest.mark.parametrize("n", [N, 150])
def test_a_change_of_some_rows_varies_as_their_share(n):
    """The interval is that of a mean: 1.645 standard errors to either side."""
    e = ice.explain(lambda rows: np.isnan(rows[:, 0]) * (rows[:, 1] < 0.3), X, sample=n, progress=False)
    low, value, high = e.table(ci=0.9).loc["x0", [f"missing_impact{end}" for end in ("_low", "", "_high")]]
    error = 1.645 * np.sqrt(value * (1 - value) / n)
    assert_allclose([value - low, high - value], error, rtol=0.2)
