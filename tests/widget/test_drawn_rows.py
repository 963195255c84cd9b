"""The reply to a request of curves: all that it has of a line is of the same row of X."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

N = 60
RANDOM = np.random.default_rng(0)
X = pd.DataFrame({"a": RANDOM.normal(size=N), "b": RANDOM.normal(size=N), "town": RANDOM.choice(list("xyz"), N)})
X.loc[::5, "a"] = np.nan
Y = RANDOM.normal(size=N)


def model(rows):
    a = rows["a"].to_numpy()
    return np.where(np.isnan(a), 3.0, a) * rows["b"].to_numpy() + (rows["town"] == "x").to_numpy()


@pytest.mark.parametrize("feature", ["a", "town"])
def test_what_comes_with_a_line_is_of_its_row(make, ask, feature):
    """Of fewer lines than rows: values, scales, predictions, curves, predictions without the value, and target."""
    explorer = make(model, X, Y, distance={"a": RANDOM.uniform(0.5, 2.0, N)}, decay=0.5)
    f = explorer.explanation[feature]
    reply, _ = ask(explorer, type="curves", feature=feature, max_lines=12, selection=[N - 1])
    sent = reply["body"]
    positions, offset = sent["positions"].astype(int), sent["offset"]
    assert len(positions) in (12, 13)
    assert N - 1 in positions
    assert_array_equal(sent["observed"], f._item.feature.values[positions])
    assert_array_equal(sent["likelihood_scale"], f.likelihood_scale[positions])
    assert_allclose(sent["predictions"] + offset, f._predictions(positions), rtol=1e-5, atol=1e-5)
    assert_allclose(sent["values"] + offset, f.compute_curves(positions), rtol=1e-5, atol=1e-5)
    assert_allclose(sent["target"], Y[positions], rtol=1e-12)
    if feature == "a":
        assert_allclose(sent["missing"]["values"] + offset, f._missing_rows(positions), rtol=1e-5, atol=1e-5)
    else:
        assert_allclose(0.5 ** sent["distances"], f.likelihood(0.5, rows=positions), rtol=1e-6)
