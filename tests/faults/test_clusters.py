"""Faults of partitions: what cannot be explained, rows that change, and a cluster that does not merge."""

import numpy as np
import pandas as pd
import pytest
from partitioned import parts_of, run_of

import ice_explorer as ice
from ice_explorer.errors import InputDataError, InputTypeError, PredictionError

X = pd.DataFrame({"a": np.arange(600.0) % 7, "b": np.arange(600.0) % 11})


def product(rows):
    return (rows["a"] * rows["b"]).to_numpy()


def failing(rows):
    if (rows["row"] >= 300).any():
        raise RuntimeError("no rows from 300 on")
    return product(rows)


@pytest.mark.parametrize(
    ("model", "partitions", "error", "message"),
    [
        (
            lambda rows: rows[:, 0],
            [np.eye(2), np.array([["a"], ["b"]])],
            InputDataError,
            "1, whose rows count from 0: An",
        ),
        (
            failing,
            parts_of(X.assign(row=np.arange(600.0)), 4),
            PredictionError,
            "2, whose rows count from 0: The model failed .*no rows from 300 on",
        ),
    ],
    ids=["texts", "model"],
)
def test_a_partition_that_cannot_be_explained_or_predicted_is_an_error_with_its_number(
    model, partitions, error, message
):
    """Rows are counted within the partition."""
    features = ["a"] if model is failing else None
    with pytest.raises(error, match=f"^In partition {message}"):
        ice.explain_partitions(
            model, lambda compute, merge: merge(*map(compute, partitions, range(4))), features=features
        )


def test_partitions_with_other_rows_in_the_second_pass_are_an_error_with_both_numbers_of_rows():
    """As those of a sample that is drawn anew for each pass."""
    sizes = iter([600, 500])

    def run(compute, merge):
        return run_of(parts_of(X.iloc[: next(sizes)], 2))(compute, merge)

    with pytest.raises(InputDataError) as caught:
        ice.explain_partitions(product, run)
    assert str(caught.value) == (
        "Partitions must hold the same rows in both passes; the first pass got 600 rows that have weight, the second "
        "500. Store rows that are drawn at random before they are explained."
    )


@pytest.mark.parametrize(
    ("run", "error", "message"),
    [
        ("spark", InputTypeError, r"`run` must be a function of \(compute, merge\); got str\. Its docstring has an ex"),
        (
            lambda compute, _merge: [compute(np.eye(2), 0)],
            InputTypeError,
            r"got list\. Merge until one is left: `merge",
        ),
        (lambda compute, merge: merge(compute(np.empty((0, 2)), 0)), InputDataError, "its partitions have none. Check"),
    ],
    ids=["no function", "not merged", "no rows"],
)
def test_a_run_that_does_not_give_one_merged_result_is_an_error_that_says_what_to_do(run, error, message):
    """A result of each partition, none at all, or what is no function."""
    with pytest.raises(error, match=message):
        ice.explain_partitions(lambda rows: rows[:, 0], run)
