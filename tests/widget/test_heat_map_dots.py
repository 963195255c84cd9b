"""The observations on a heat map: those that the mean is of, drawn from all of X."""

import numpy as np
import pandas as pd
from numpy.testing import assert_array_equal
from pictures import by_gid

X = pd.DataFrame(np.random.default_rng(0).uniform(size=(900, 2)), columns=["one", "two"]).sort_values("two")


def model(rows):
    return (rows["one"] * rows["two"]).to_numpy()


def test_a_page_gets_the_rows_of_the_mean(make, ask):
    """Of more rows than are predicted the dots are those that are, not the first ones."""
    explorer = make(model, X)
    two = explorer.explanation.two_way("one", "two")
    assert len(two.rows) < len(X)
    body = ask(explorer, type="two_way", first="one", second="two")[0]["body"]["two_way"]
    for name, axis in zip(X, (body["first"], body["second"]), strict=True):
        assert_array_equal(axis["observed"], X[name].iloc[two.rows])


def test_a_picture_draws_the_rows_of_the_mean(make):
    """Each dot has the place of its row on both axes."""
    explorer = make(model, X, state={"version": 2, "feature": "one", "view": {"pair": ["one", "two"]}})
    rows = explorer.explanation.two_way("one", "two").rows
    (axes, *_) = explorer.figure("panel").axes
    (dots,) = by_gid(axes, "observations")
    assert_array_equal(dots.get_offsets(), X[["one", "two"]].iloc[rows])
