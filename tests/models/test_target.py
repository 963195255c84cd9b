"""The observed target beside the predictions: numbers as they are, the explained class as 1."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression, LogisticRegression

import ice_explorer as ice
from ice_explorer.errors import DataError

N = 6
X = pd.DataFrame({"a": np.arange(N, dtype=float), "b": [1.0, 0.0, 2.0, 1.0, 3.0, 0.5]})
NUMBERS = [0.5, 1.0, 2.0, 3.5, 4.0, 4.5]
LABELS = np.array(["low", "mid", "high", "low", "mid", "high"])
NAN = float("nan")


def explained(model, **options):
    return ice.explain(model, X, progress=False, **options)


def regression():
    return explained(LinearRegression().fit(X, NUMBERS))


def classes(**options):
    return explained(LogisticRegression().fit(X, LABELS), output="mid", **options)


@pytest.mark.parametrize(
    "y",
    [NUMBERS, tuple(NUMBERS), np.array(NUMBERS), pd.Series(NUMBERS), pl.Series(NUMBERS),
     np.array(NUMBERS)[:, None], pd.DataFrame({"y": NUMBERS}), np.array(NUMBERS, dtype=object)],
)  # fmt: skip
def test_numbers_are_taken_as_they_are(y):
    """Whatever holds them, in the order of the rows of X."""
    assert_allclose(regression()._target(y), NUMBERS, rtol=0)


@pytest.mark.parametrize(
    "y",
    [[0.5, None, 2.0, NAN, 4.0, 4.5], pd.Series([0.5, None, 2.0, pd.NA, 4.0, 4.5], dtype="Float64"),
     pl.Series([0.5, None, 2.0, None, 4.0, 4.5])],
)  # fmt: skip
def test_missing_targets_stay_missing(y):
    """Rows that nobody observed have no place."""
    assert_allclose(regression()._target(y), [0.5, NAN, 2.0, NAN, 4.0, 4.5], rtol=0)


@pytest.mark.parametrize("y", [LABELS, LABELS.tolist(), pd.Series(LABELS, dtype="category"), pl.Series(LABELS)])
def test_the_explained_class_is_1_and_any_other_0(y):
    """A probability is compared with whether it happened, and so are log-odds; a missing label is no other class."""
    assert_allclose(classes()._target(y), [0, 1, 0, 0, 1, 0], rtol=0)
    assert_allclose(classes(response="log_odds")._target(y), [0, 1, 0, 0, 1, 0], rtol=0)
    assert_allclose(classes()._target(["mid", None, "low", NAN, "mid", "never seen"]), [1, NAN, 0, NAN, 1, 0])


def test_labels_are_compared_as_values():
    """0 and 1 may come as booleans or as floats."""
    model = LogisticRegression().fit(X, [0, 1] * 3)
    assert_allclose(explained(model)._target(np.array([True, False] * 3)), [1, 0] * 3)
    assert_allclose(explained(model)._target([1.0, 0.0] * 3), [1, 0] * 3)


def test_each_output_has_its_own_column():
    """Of a model with several outputs, the target of the explained one is shown."""
    two = np.column_stack([NUMBERS, np.arange(N)])
    numbers = explained(LinearRegression().fit(X, two), output=1)
    assert_allclose(numbers._target(two), np.arange(N))


@pytest.mark.parametrize(
    ("explanation", "y", "words"),
    [
        (
            regression,
            [*NUMBERS[:5], float("inf")],
            "must be finite numbers, because the model predicts numbers; got inf",
        ),
        (regression, 3.0, "must be the observed target, one value per observation; got 3.0."),
        (regression, [[1.0], [2.0, 3.0]], "one value per observation; got [[1.0], [2.0, 3.0]]."),
        (regression, np.column_stack([NUMBERS, NUMBERS]), "one column for each output of the model, 1; got 2."),
        (classes, ["LOW", "MID"] * 3, "must hold labels of the classes, 'high', 'low', 'mid'; got 'LOW' and no label"),
        (classes, [None] * N, "must hold labels of the classes, 'high', 'low', 'mid'; got nothing but missing values."),
    ],
    ids=["infinite", "a number", "ragged", "two columns", "other labels", "missing"],
)
def test_what_is_no_target_is_refused(explanation, y, words):
    """Whatever of it does not fit the model."""
    with pytest.raises(DataError) as caught:
        explanation()._target(y)
    assert str(caught.value).startswith("`y` must ")
    assert words in str(caught.value)


def test_what_is_predicted_is_called_as_the_user_calls_it():
    """A number has the name of y, a class its label, and the name of y too where that is a number or true."""
    y = pd.Series(X["a"] + X["b"], name="rentals")
    number = LinearRegression().fit(X, y)
    classes = LogisticRegression().fit(X, np.where(y > y.median(), "busy", "quiet"))
    truth = LogisticRegression().fit(X, y > y.median())
    assert ice.ICEExplorer(number, X, y).explanation.output_label == "prediction of rentals"
    assert ice.ICEExplorer(number, X, y.to_numpy()).explanation.output_label == "prediction"
    assert ice.ICEExplorer(number, X, y.rename(None)).explanation.output_label == "prediction"
    assert ice.explain(number, X, progress=False).output_label == "prediction"
    assert ice.explain(classes, X, progress=False).output_label == "probability of quiet"
    busy = (y > y.median()).rename("busy")
    assert ice.ICEExplorer(truth, X, busy).explanation.output_label == "probability of busy = True"


def test_the_columns_of_a_target_name_the_outputs():
    """Of several numbers each has the name of its column."""
    Y = pd.DataFrame({"casual": X["a"], "registered": X["b"]})
    x = ice.ICEExplorer(LinearRegression().fit(X, Y), X, Y)
    assert x.explanation.output_label == "prediction of casual"
    x.output = "1"
    assert x.explanation.output_label == "prediction of registered"
