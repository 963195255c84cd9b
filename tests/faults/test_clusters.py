"""Faults of partitions: what cannot be explained, rows that change, and results that cannot be merged."""

import numpy as np
import pandas as pd
import pytest
from partitioned import explain_parts, parts_of

from ice_explorer import cluster
from ice_explorer.errors import DataError, PredictionError

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
            DataError,
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
        explain_parts(model, partitions, features=features)


def test_partitions_with_other_rows_in_the_second_pass_are_an_error_with_both_numbers_of_rows():
    """As those of a sample that is drawn anew for each pass."""
    with pytest.raises(DataError) as caught:
        explain_parts(product, parts_of(X, 2), again=parts_of(X.iloc[:500], 2))
    assert str(caught.value) == (
        "Partitions must hold the same rows in both passes; the first pass got 600 rows that have weight, the second "
        "500. Store rows that are drawn at random before they are explained."
    )


def test_partitions_without_rows_are_an_error():
    """Nothing can be explained where all partitions are empty."""
    with pytest.raises(DataError, match=r"its partitions have none\. Check"):
        explain_parts(product, [X.iloc[:0], X.iloc[:0]])


def test_weights_that_sum_to_1_are_an_error_as_on_one_machine():
    """They are frequencies: heterogeneity divides by their sum less 1."""
    with pytest.raises(DataError, match=r"must sum to more than 1, .* got a sum of 1\.0\."):
        explain_parts(product, parts_of(X.iloc[:512], 2), [np.full(256, 1 / 512)] * 2)


def test_results_that_cannot_be_merged_are_an_error_that_says_what_to_do():
    """A list of results, and results of both passes."""
    summary = cluster.summarise(product, X, 0)
    sums = cluster.partial_sums(product, X, 0, cluster.make_grids(product, summary))
    for results in ([summary, sums], [[summary, summary]]):
        with pytest.raises(DataError, match=r"Each result must be one of `summarise`, or each of `partial_sums`"):
            cluster.merge(*results)
    with pytest.raises(DataError, match=r"`summary` must be one Summary, .* got list\. Merge the results"):
        cluster.make_grids(product, [summary])
    with pytest.raises(DataError, match=r"`sums` must be one Sums, that of all partitions; got Summary\."):
        cluster.finish(product, summary, summary)
