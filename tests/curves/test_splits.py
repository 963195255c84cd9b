"""What is prepared for a sweep by compiled code, against NumPy."""

import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from ice_explorer.curves.trees import splits

NUMBERS = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 1.5, -1e308, 1e308, 5e-324, np.inf, -np.inf]),
    st.floats(-4, 4),
    st.floats(allow_nan=False),
)


def without_numba(function, *arguments):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splits, "HAS_NUMBA", False)
        return function(*arguments)


@given(
    some=st.lists(NUMBERS, max_size=40),
    values=st.lists(st.one_of(NUMBERS, st.just(np.nan)), max_size=60),
    side=st.sampled_from(["left", "right"]),
)
def test_numbers_are_found_where_numpy_finds_them(some, values, side):
    """However they are spread: equal, infinite, or so far apart that their difference is no number."""
    some, values = np.sort(np.array(some, np.float64)), np.array([*values, *some], np.float64)
    assert_array_equal(splits._look_up(some, values, side), np.searchsorted(some, values, side))


@pytest.mark.parametrize("spread", [1.0, 1e-300, 30.0])
def test_crowded_numbers_are_found_too(spread):
    """Of many numbers in one bucket the right one is bisected."""
    some = np.sort(np.exp(spread * np.random.default_rng(0).normal(size=5000)))
    values = np.concatenate([some, np.nextafter(some, np.inf), np.nextafter(some, -np.inf)])
    for side in ("left", "right"):
        assert_array_equal(splits._look_up(some, values, side), np.searchsorted(some, values, side))


@given(ensemble=strategies.ensembles())
def test_nodes_are_numbered_as_by_numpy(ensemble):
    """Order, columns, children and depth."""
    order, nodes = splits._renumbered(ensemble)
    expected_order, expected = without_numba(splits._renumbered, ensemble)
    assert_array_equal(order, expected_order)
    assert_array_equal(nodes, expected)
    roots = np.arange(len(ensemble.root), dtype=np.int32)
    assert splits.deepest_leaf(nodes, roots) == without_numba(splits.deepest_leaf, nodes, roots)


@pytest.mark.parametrize(
    ("n_thresholds", "dtype"), [(254, np.uint8), (255, np.uint16), (65_534, np.uint16), (65_535, np.int32)]
)
def test_ranks_take_as_few_bytes_as_they_fit_into(n_thresholds, dtype):
    """The largest number of each is that of a missing value."""
    thresholds = np.arange(n_thresholds) + 0.5
    ensemble = strategies.ensemble_of_tuples([(0, at, frozenset(), False, 0, 1) for at in thresholds.tolist()])
    values = np.append(np.arange(n_thresholds + 1.0), np.nan)
    ranks = splits.Splits(ensemble, 4).rank([values, *np.zeros((3, len(values)))]).of(np.arange(len(values)))
    assert ranks.dtype == dtype
    assert_array_equal(ranks[0, :-1], np.arange(n_thresholds + 1))
    assert ranks[0, -1] == splits.missing_rank(ranks.dtype) == np.iinfo(dtype).max


def test_rows_are_ranked_some_at_a_time(monkeypatch):
    """How many changes nothing."""
    ensemble = strategies.ensemble_of_tuples([(0, 0.5, frozenset(), False, (2, 0.0, frozenset({1}), True, 1, 2), 3)])
    columns = list(np.random.default_rng(0).integers(0, 3, size=(4, 50)).astype(np.float64))
    rows = np.arange(50)
    expected = splits.Splits(ensemble, 4).rank(columns).of(rows)
    monkeypatch.setattr(splits, "_ROWS_AT_A_TIME", 7)
    assert_array_equal(splits.Splits(ensemble, 4).rank(columns).of(rows), expected)


@pytest.mark.parametrize("missing", [[], [3, 20]])
def test_ranks_of_tall_tables_are_found_when_they_are_asked_for(monkeypatch, missing):
    """Rows are ranked alike, at all columns or some, whether ranks are kept or not."""
    ensemble = strategies.ensemble_of_tuples([(0, 0.5, frozenset(), False, (2, 0.0, frozenset({1}), True, 1, 2), 3)])
    columns = list(np.random.default_rng(0).integers(0, 3, size=(4, 50)).astype(np.float64))
    columns[0][missing] = np.nan
    rows = np.array([3, 3, 49, 20, 0])
    kept = splits.Splits(ensemble, 4).rank(columns, is_lasting=True)
    monkeypatch.setattr(splits, "_MOST_KEPT", 199)
    found = splits.Splits(ensemble, 4).rank(columns, is_lasting=True)
    assert kept._kept is not None
    assert found._kept is None
    assert_array_equal(found.of(rows), kept.of(rows))
    assert_array_equal(found.of(rows, [2])[2], kept.of(rows)[2])
