"""Labels of rows, columns and classes are matched or refused: nothing is taken by its place where it has a name."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LinearRegression, LogisticRegression

import ice_explorer as ice
from ice_explorer.errors import OptionError

RANDOM = np.random.default_rng(0)
X = pd.DataFrame(RANDOM.normal(size=(60, 2)), columns=["a", "b"], index=np.arange(100, 160))
SHUFFLED = np.array([1, 0, *range(2, 60)])
CODES = np.digitize(X["a"], [-0.5, 0.5]) + 1


def explained(model, **options):
    return ice.explain(model, X, progress=False, **options)


def line():
    return LinearRegression().fit(X, X["a"])


@pytest.mark.parametrize("labels", [CODES, CODES.astype(float)])
def test_a_position_that_is_no_label_is_refused_where_labels_are_numbers(labels):
    """With classes 1, 2, 3 the outputs 0 and 1 would both be class 1."""
    model = LogisticRegression().fit(X, labels)
    assert explained(model, output=1).output_label == f"probability of {labels.dtype.type(1).item()!r}"
    with pytest.raises(OptionError) as caught:
        explained(model, output=0)
    one, two, three = (labels.dtype.type(code).item() for code in (1, 2, 3))
    assert str(caught.value) == f"`output` must be one of {one}, {two}, {three}; got 0."


def test_a_position_is_taken_where_labels_are_texts():
    """It cannot be one of them."""
    model = LogisticRegression().fit(X, np.array(["none", "low", "mid", "high"])[CODES])
    assert explained(model, output=0).output_label == "probability of high"


VALUES = pd.Series(1.0 + np.arange(60), X.index)


@pytest.mark.parametrize(
    ("option", "what", "values"),
    [
        ("y", "y", X["a"].iloc[SHUFFLED]),
        ("y", "y", X[["a"]].iloc[SHUFFLED]),
        ("sample_weight", "weights", VALUES.iloc[SHUFFLED]),
        ("distance", "values", {"a": VALUES.iloc[SHUFFLED]}),
    ],
    ids=["y", "a table y", "weights", "scale"],
)
def test_values_of_another_index_are_refused(option, what, values):
    """They may be in another order, and every figure would be that of other rows."""
    with pytest.raises(OptionError) as caught:
        ice.ICEExplorer(line(), X, **{option: values})
    assert str(caught.value) == (
        f"`{option}` must have the index of X; row 0 has the label 101 in {what} and 100 in X. Pass "
        f"`{what}.loc[X.index]` to match them by label, or `{what}.to_numpy()` if they are in the order of X."
    )


def test_what_the_advice_says_is_explained():
    """Both ways on."""
    x = ice.ICEExplorer(line(), X, X["a"].iloc[SHUFFLED].loc[X.index])
    assert_array_equal(x._work.besides.target, X["a"])
    x.close()
    x = ice.ICEExplorer(line(), X, X["a"].iloc[SHUFFLED].to_numpy())
    assert_array_equal(x._work.besides.target, X["a"].iloc[SHUFFLED])
    x.close()


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_targets_of_several_outputs_are_matched_by_name(library):
    """A function that returns a table names its outputs."""

    def both(rows):
        return pd.DataFrame({"sum": rows["a"] + rows["b"], "difference": rows["a"] - rows["b"]})

    y = library({"difference": np.full(60, 1.0), "sum": np.full(60, 2.0)})
    if library is pd.DataFrame:
        y.index = X.index
    assert_allclose(explained(both, output="sum")._target(y), 2.0)
    assert_allclose(explained(both, output="difference")._target(y), 1.0)
