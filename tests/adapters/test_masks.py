"""Arrays of `numpy.ma`: a value under a mask is no value, whatever lies under the mask."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import ice_explorer as ice
from ice_explorer.errors import InvalidOptionError, PredictionError

X = pd.DataFrame({"age": np.arange(20.0, 80.0, 5.0), "income": np.resize([3.0, 1.0, 4.0, 1.5], 12)})
DATES = X.assign(since=pd.date_range("2020-01-01", periods=12))


MASKED = " under a mask (`numpy.ma`). Return plain numbers, for example by `lambda X: "


def wealth(rows):
    return rows["age"].to_numpy() / 10 + rows["income"].to_numpy()


def masked(values, is_masked):
    return np.ma.array(values, mask=is_masked)


def explained(model=wealth, rows=X, **options):
    return ice.explain(model, rows, **{"progress": False, **options})


class Flags:
    """A classifier of two outputs, which returns a list of tables."""

    classes_ = (np.array([0, 1]), np.array([0, 1]))

    def predict(self, rows):
        return np.zeros((len(rows), 2))

    def predict_proba(self, rows):
        share = wealth(rows) / 20
        table = np.column_stack([1 - share, share])
        return [table, masked(table, table > 0.5)]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            lambda rows: masked(wealth(rows), rows["age"] == 20),
            "model() must return a number for every row; it returned 1 value{}np.ma.filled(model(X), 0.0)`.",
        ),
        (
            lambda rows: [masked(value, value < 100) for value in wealth(rows)],
            "model() must return a number for every row; it returned 2 values{}np.ma.filled(model(X), 0.0)`.",
        ),
        (
            Flags(),
            (
                "predict_proba() must return a number for every row; it returned 2 values{}"
                "np.ma.filled(model.predict_proba(X), 0.0)`."
            ),
        ),
    ],
    ids=["array", "list", "tables"],
)
def test_a_masked_prediction_is_refused(model, message):
    """Otherwise NumPy takes what lies under the mask for a prediction."""
    options = {"output": (1, 1)} if isinstance(model, Flags) else {}
    with pytest.raises(PredictionError) as caught:
        explained(model, **options)
    assert str(caught.value) == message.format(MASKED)


def test_a_masked_prediction_of_a_phantom_names_its_place():
    """As any other prediction that is none."""

    def model(rows):
        return masked(wealth(rows), (rows["age"] == 75) & (rows["income"] == 3.0))

    with pytest.raises(PredictionError) as caught:
        explained(model, features=["age"])
    assert str(caught.value) == (
        "No predictions of phantom observations of 'age' (grid value 75.0, row 0 of X): model() must return a "
        f"number for every row; it returned 1 value{MASKED}np.ma.filled(model(X), 0.0)`."
    )


def test_a_mask_that_masks_nothing_is_no_mask():
    """Many functions of `numpy.ma` return one."""
    found = explained(lambda rows: np.ma.array(wealth(rows)), sample_weight=np.ma.ones(12))
    pd.testing.assert_frame_equal(found.table(), explained(sample_weight=np.ones(12)).table())


@pytest.mark.parametrize(
    ("options", "start"),
    [
        (
            {"sample_weight": masked(np.ones(12), [True] + [False] * 11)},
            "`sample_weight` must be finite numbers of at least 0, one per observation; got masked_array(",
        ),
        ({"grid": {"age": masked([20.0, 30.0], [False, True])}}, "`grid` must give each feature increasing finite"),
        (
            {"grid": {"since": masked(DATES["since"].to_numpy()[:2], [False, True])}},
            "`grid` must give each feature increasing finite",
        ),
        ({"scale": {"age": masked(np.ones(12), [True] + [False] * 11)}}, "`scale` must give"),
    ],
    ids=["weights", "grid", "dates", "scale"],
)
def test_options_under_a_mask_are_refused(options, start):
    """They are no numbers, like text."""
    with pytest.raises(InvalidOptionError) as caught:
        explained(rows=DATES, **options)
    assert str(caught.value).startswith(start)
    assert "masked_array(" in str(caught.value)


def test_masked_targets_are_missing():
    """A target may be missing in any row."""
    target = masked(np.arange(12.0), [True] + [False] * 11)
    assert_array_equal(explained()._target(target), [np.nan, *range(1, 12)])


def test_masked_positions_are_refused():
    """They name no row."""
    with pytest.raises(InvalidOptionError, match="positions"):
        explained()["age"].rows(masked([1, 2], [False, True]))
