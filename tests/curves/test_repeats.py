"""Phantoms that are equal are predicted once, and nothing but the number of predictions changes."""

import numpy as np
import pandas as pd
import parity
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.ensemble import RandomForestClassifier

import ice_explorer as ice
from ice_explorer.curves.equal_rows import Repeats, tells_apart

PROBED = 64
"""Phantoms that show what a model returns."""
MOST_AGAIN = 32
"""Phantoms that are predicted again, to see whether they depend on their batch."""


def assert_predicted(n_rows, expected):
    """So many phantoms are predicted for curves."""
    assert expected <= n_rows - PROBED <= expected + MOST_AGAIN


@given(
    columns=st.integers(1, 12).flatmap(
        lambda n: st.lists(
            st.one_of(
                st.lists(st.sampled_from([0.0, -0.0, 1.0, np.nan]), min_size=n, max_size=n),
                st.lists(st.sampled_from(["a", "b", None, 1, True, 1.0]), min_size=n, max_size=n),
            ),
            min_size=1,
            max_size=3,
        )
    ),
    data=st.data(),
)
@settings(max_examples=60)
def test_rows_are_grouped_by_what_their_other_columns_hold(columns, data):
    """To the bit and to the type: 0 and -0 are two values, 1 and True are."""
    at_issue = data.draw(st.integers(0, len(columns) - 1))
    rows = np.array(data.draw(st.lists(st.integers(0, len(columns[0]) - 1), min_size=1)))
    arrays = [
        np.array(values, dtype=float if all(isinstance(v, float) for v in values) else object) for values in columns
    ]
    first, group = Repeats(arrays).but_for([at_issue], rows)
    others = [
        tuple((type(column[row]), repr(column[row])) for at, column in enumerate(columns) if at != at_issue)
        for row in rows.tolist()
    ]
    assert [others[at] for at in first[group]] == others
    if len(set(others)) <= 0.95 * len(others):
        assert len(first) == len(set(others))
    else:
        assert_array_equal(first, np.arange(len(rows)))


def test_whole_numbers_that_floats_do_not_tell_apart():
    """From 2⁵³ on there are more of them than floats."""
    large = np.array([1.0, -(2.0**53)])
    assert not tells_apart(large, is_whole=True)
    assert tells_apart(large, is_whole=False)
    assert tells_apart(large / 2, is_whole=True)
    X = np.array([[2**53, 0], [2**53 + 1, 1]] * 20)
    explanation = parity.explained(lambda rows: (rows[:, 0] % 2).astype(float), X, features=["x1"])
    assert_array_equal(explanation["x1"].curves, np.tile([[0.0], [1.0]], (20, 2)))


def binary(n=300):
    rng = np.random.default_rng(6)
    return pd.DataFrame(
        {
            "smokes": rng.random(n) < 0.3,
            "stds": rng.integers(0, 3, n),
            "age": rng.integers(20, 24, n).astype(float),
            "city": rng.choice(["Oslo", "Rome"], n),
        }
    )


class Counting:
    """A function that counts the rows that it predicts."""

    def __init__(self):
        self.n_rows = 0

    def __call__(self, rows):
        self.n_rows += len(rows)
        return rows["smokes"] * 2.5 + np.sqrt(rows["stds"] * rows["age"]) + (rows["city"] == "Rome") * rows["stds"]


def test_phantoms_that_are_equal_are_predicted_once():
    """Far fewer predictions than phantoms, and the curves of every phantom alone."""
    X, function = binary(), Counting()
    explanation = parity.explained(function, X)
    n_phantoms = sum(len(explanation[name].grid) * len(X) for name in explanation.features)
    assert n_phantoms == 300 * (2 + 3 + 4 + 2)
    assert function.n_rows < n_phantoms / 6
    for name in explanation.features:
        grid = explanation[name].grid
        assert_array_equal(explanation[name].curves, np.column_stack([Counting()(X.assign(**{name: v})) for v in grid]))


def test_rows_that_differ_in_a_group_alone_share_their_curve():
    """Its columns move together, so that they are left out together."""
    X = pd.DataFrame(np.tile(np.eye(3), (40, 1)), columns=["k_a", "k_b", "k_c"]).assign(z=np.repeat([1.0, 2.0], 60))
    asked = []

    def function(rows):
        asked.append(len(rows))
        return (rows["k_a"] - rows["k_b"]) * rows["z"]

    explanation = ice.explain(function, X, groups={"k": ["k_a", "k_b", "k_c"]}, features=["k"], progress=False)
    assert asked[:2] == [PROBED, 2 * 3]
    assert_predicted(sum(asked), 2 * 3)
    assert_array_equal(explanation["k"].curves, np.outer(X["z"], [1.0, -1.0, 0.0]))


def test_rows_as_they_are_serve_all_features():
    """Where a phantom has the row's observed value; a single feature has no use for them."""
    X, function = binary().drop(columns="city"), Counting()
    X["age"] += np.arange(len(X)) / 1000
    X["city"] = "Rome"
    ice.explain(function, X, features=["smokes", "stds"], progress=False)
    # Rows with their observed value are predicted once.
    assert_predicted(function.n_rows, 300 * (1 + (2 - 1) + (3 - 1)))
    for options, expected in (
        ({"features": ["smokes"]}, 300 * 2),
        ({"features": ["smokes", "stds"], "sample": 100}, 100 * (2 + 3)),
        ({"features": ["smokes", "stds"], "grid": {"smokes": [0, 1], "stds": [0.5, 1.0]}}, 300 * (2 + 2)),
    ):
        function = Counting()
        ice.explain(function, X, progress=False, **options)
        assert_predicted(function.n_rows, expected)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(("n_jobs", "memory_limit"), [(1, "1GB"), (2, "20kB")])
def test_every_figure_stays_as_it_was(monkeypatch, missing, n_jobs, memory_limit):
    """Blocks of all sizes, missing values, threads."""
    X = binary().assign(member=lambda frame: frame["age"] > 22).drop(columns="city").astype(float)
    if missing:
        X.iloc[::7, 1] = np.nan
    y = X["smokes"] + X["stds"].fillna(5)
    model = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    options = {"engine": "brute", "output": 1, "n_jobs": n_jobs, "memory_limit": memory_limit}
    found = parity.explained(model, X, **options)
    monkeypatch.setattr(Repeats, "but_for", lambda _self, _at_issue, rows: (np.arange(len(rows)),) * 2)
    monkeypatch.setattr("ice_explorer.engines.sums._FEW_VALUES", 0)
    expected = parity.explained(model, X, **options)
    for feature in expected.features:
        assert_array_equal(found[feature].curves, expected[feature].curves)
    pd.testing.assert_frame_equal(found.table(), expected.table())


@pytest.mark.parametrize("values", [[[1]] * 20, [{}] * 20], ids=["lists", "dicts"])
def test_columns_that_cannot_be_compared_are_left_alone(values):
    """They are of no kind, and may have no hash: every phantom is predicted."""
    X, function = binary(20).assign(city=values), Counting()
    ice.explain(lambda rows: function(rows.assign(city="Rome")), X, features=["smokes"], progress=False)
    assert_predicted(function.n_rows, 20 * 2)
