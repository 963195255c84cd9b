"""`x.table` called with some options: all others are as the explorer shows them."""

import numpy as np
import pandas as pd
import pytest

import ice_explorer as ice

SHOWN = {"decay": 0.6, "rank_by": "impact", "unit": "sd", "ci": 0.8}
X = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 3)), columns=list("abc"))


@pytest.mark.parametrize(
    ("option", "value"),
    [("decay", 0.3), ("rank_by", "heterogeneity"), ("unit", "share"), ("ci", 0.5)],
)
def test_options_that_are_left_out_are_those_of_the_view(make, option, value):
    """Decay, order, unit and the level of the intervals."""
    e = ice.explain(lambda rows: (rows["a"] * rows["b"] + rows["c"]).to_numpy(), X, progress=False)
    x = make(e)
    x.decay, x.rank_by, x.unit, x.ci = SHOWN.values()
    pd.testing.assert_frame_equal(pd.DataFrame(x.table(**{option: value})), e.table(**{**SHOWN, option: value}))
