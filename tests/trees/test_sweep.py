"""Sweeps and predictions of forests against trees walked one phantom observation at a time."""

import numpy as np
import oracles
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.tree import DecisionTreeRegressor

import ice_explorer as ice
from ice_explorer.curves import choose
from ice_explorer.errors import OptionError
from ice_explorer.trees.forest import TreeCurves


def swept(forest, X, free):
    """Return TreeCurves of an array; features have another number than their column."""
    free = {100 + column: (np.array([column]), np.array(grid)[:, None]) for column, grid in free.items()}
    return TreeCurves(forest, list(X.T), free)


def at_every_grid_value(trees, feature, stretches, n_grid):
    """Spread stretches between active intervals over the grid."""
    return stretches[:, np.searchsorted(trees.active[feature], np.arange(n_grid))]


def stretches(trees, rows, features=None):
    """Curves between active intervals by feature, by one sweep."""
    jumps = trees.sweep(list(trees.active if features is None else features))(rows)
    return {feature: jumps.curves(feature) for feature in (trees.active if features is None else features)}


def curves(forest, X, free):
    """All curves by one sweep; each feature's by a sweep of its own must agree to the bit."""
    trees = swept(forest, X, free)
    rows = np.arange(len(X))
    found = {}
    together = stretches(trees, rows)
    for at, grid in free.items():
        alone = stretches(trees, rows, [100 + at])[100 + at]
        assert_array_equal(alone, together[100 + at])
        found[at] = at_every_grid_value(trees, 100 + at, alone, len(grid))
    return found


# --- against plain walks --------------------------------------------------------------------------


LINKS = ("identity", "exp", "sigmoid", "softmax")


def exactness(forest):
    """Leaves are whole numbers, so that sums are exact and only links round."""
    return {"rtol": 0 if forest.link.kind == "identity" else 1e-13, "atol": 0}


@given(forest=strategies.forests(links=LINKS), X=strategies.rows_of_forests(), free=strategies.free_features())
@settings(max_examples=100)
def test_every_curve_is_that_of_a_plain_walk(forest, X, free):
    """A link is applied to the sum of all trees and the base."""
    found = curves(forest, X, free)
    for at, grid in free.items():
        assert_allclose(found[at], oracles.tree_curves(forest, X, at, grid), **exactness(forest))


@given(forest=strategies.forests(), X=strategies.rows_of_forests(), groups=strategies.free_groups())
@settings(max_examples=80)
def test_columns_may_move_together_to_any_values(forest, X, groups):
    """One-hot groups, columns that fall where the grid rises, and grid values that are missing to the model."""
    free = {
        at: (np.array(places, np.intp), np.array(grid).reshape(len(grid), len(places)))
        for at, (places, grid) in enumerate(groups)
    }
    trees = TreeCurves(forest, list(X.T), free)
    together = stretches(trees, np.arange(len(X)))
    for at, (places, grid) in enumerate(groups):
        found = at_every_grid_value(trees, at, together[at], len(grid))
        assert_array_equal(found, oracles.tree_curves_of_group(forest, X, places, grid))


@given(forest=strategies.forests(links=LINKS), X=strategies.rows_of_forests())
@settings(max_examples=80)
def test_walked_rows_fall_into_the_leaves_that_their_numbers_lead_to(forest, X):
    """Both comparisons, missing values, sets of categories and trees of several margins."""
    expected = [oracles.output_of_margins(forest, oracles.margins_of_row(forest, row)) for row in X.tolist()]
    margins = TreeCurves(forest, list(X.T), {}).sweep([])(np.arange(len(X))).base
    assert_allclose(forest.link.apply(margins), expected, **exactness(forest))


@given(
    forest=strategies.forests(), X=strategies.rows_of_forests(max_rows=12), free=strategies.free_features(),
    order=st.randoms(),
)  # fmt: skip
@settings(max_examples=30)
def test_the_rows_of_a_block_do_not_touch_each_other(forest, X, free, order):
    """Any rows in any order, repeated ones too, give what each gives alone."""
    trees = swept(forest, X, free)
    rows = trees.order_by_leaves(np.array([order.randrange(len(X)) for _ in range(2 * len(X))]))
    block = stretches(trees, rows)
    for feature in block:
        assert_array_equal(block[feature], [stretches(trees, np.array([row]))[feature][0] for row in rows])


# --- shapes of trees ------------------------------------------------------------------------------


def chain(depth, features):
    """A tree that goes one node deeper to the right of every threshold."""
    node = 1000
    for level in reversed(range(depth)):
        node = (features[level % len(features)], float(level), frozenset(), level % 2 == 0, level, node)
    return node


def full_tree(depth, seed):
    """A full binary tree whose features, thresholds and leaves come from a rule of our own."""
    state = seed

    def number(below):
        nonlocal state
        state = (1103515245 * state + 12345) % 2**31
        return (state >> 8) % below

    def grow(level):
        if level == 0:
            return number(17) - 8
        feature = (0, 1, 3)[number(3)]
        return (feature, number(20) / 2, frozenset(), bool(number(2)), grow(level - 1), grow(level - 1))

    return grow(depth)


def table_of_halves(n_rows):
    return np.random.default_rng(5).integers(-2, 23, (n_rows, strategies.N_FEATURES)) / 2


@pytest.mark.parametrize("features", [[0], [0, 3, 1]], ids=str)
@pytest.mark.parametrize("depth", [64, 200])
def test_a_tree_may_be_deep(depth, features):
    """Deeper than what buffers start with; the deepest leaf is reached by phantom observations alone."""
    forest = strategies.forest_of_tuples([chain(depth, features)])
    X = np.array([[-1.0, 500.0, 0.0, 3.0], [500.0, 7.0, 0.0, 500.0], [np.nan, 500.0, 0.0, np.nan]])
    grid = [level - 0.5 for level in range(0, depth + 3, 7)] + [depth + 50.0]
    found = curves(forest, X, dict.fromkeys((0, 1, 3), grid))
    for at in found:
        assert_array_equal(found[at], oracles.tree_curves(forest, X, at, grid))


def test_buffers_grow_with_the_items():
    """Many rows in a deep tree leave more items behind than the buffer holds at first."""
    forest = strategies.forest_of_tuples([full_tree(9, 1), full_tree(8, 2)])
    X, few = table_of_halves(700), np.arange(0, 700, 97)
    free = dict.fromkeys((0, 1, 3), np.arange(-1.0, 12.0, 0.25).tolist())
    found = curves(forest, X, free)
    for at, grid in free.items():
        assert_array_equal(found[at][few], oracles.tree_curves(forest, X[few], at, grid))


def test_sets_of_more_than_a_word_of_categories_cut_the_grid_into_runs():
    """Neighbouring levels go alternate ways over 200 levels, nested twice; rows hold levels of all words."""
    odd, thirds = frozenset(range(1, 200, 2)), frozenset(range(0, 200, 3))
    inner = (2, 0.0, thirds, False, 3, (0, 0.5, frozenset(), False, 7, -4))
    stump = (0, 0.5, frozenset(), False, -2, 3)
    forest = strategies.forest_of_tuples([(2, 0.0, odd, True, inner, (2, 0.0, thirds, True, stump, -7))])
    codes = [0, 1, 2, 31, 32, 33, 62, 63, 64, 65, 127, 128, 129, 198, 199, 250, np.nan]
    X = np.array([[at % 2, 0.0, code, 0.0] for at, code in enumerate(codes)])
    free = {2: list(range(-1, 202)), 0: [0.0, 1.0]}
    found = curves(forest, X, free)
    for at, grid in free.items():
        assert_array_equal(found[at], oracles.tree_curves(forest, X, at, grid))


@pytest.mark.parametrize("n_thresholds", [254, 255, pytest.param(65_535, marks=pytest.mark.slow)])
def test_as_many_thresholds_as_bytes_number(n_thresholds):
    """Ranks take one byte, two or four, of which the largest number is that of a missing value."""
    stumps = [(0, at + 0.5, frozenset(), False, 0, 1) for at in range(n_thresholds)]
    X = np.array([[30.0, 0, 0, 0], [np.nan, 0, 0, 0], [float(n_thresholds), 0, 0, 0]])
    grid = np.arange(n_thresholds + 1.0)
    trees = swept(strategies.forest_of_tuples(stumps), X, {0: grid, 1: [0.0, 1.0]})
    found = stretches(trees, np.arange(3))
    assert_array_equal(found[100], np.tile(grid, (3, 1)))
    assert_array_equal(found[101][:, 0], [30, n_thresholds, n_thresholds])


# --- what it costs --------------------------------------------------------------------------------


def counted(forest, X, free):
    trees = swept(forest, X, free)
    stretches(trees, np.arange(len(X)))
    return tuple(trees.counters.tolist())


@given(forest=strategies.forests(), X=strategies.rows_of_forests(), free=strategies.free_features())
@settings(max_examples=60)
def test_the_work_is_what_the_algorithm_takes_and_no_more(forest, X, free):
    """Counted row by row: no empty item is carried along, and no node visited twice."""
    assert counted(forest, X, free) == oracles.sweep_counters(forest, X, free)


def test_a_longer_grid_is_not_more_work():
    """Between thresholds nothing changes, so that only thresholds cost anything."""
    forest = strategies.forest_of_tuples([full_tree(6, seed) for seed in range(10)])
    X, found = table_of_halves(40), []
    for grid in (np.arange(-1.25, 12.25, 0.5), np.linspace(-1.25, 11.75, 5201)):
        free = dict.fromkeys((0, 1, 3), grid.tolist())
        found.append((counted(forest, X, free), swept(forest, X, free).movers.width))
    assert found[0] == found[1]


def test_blocks_shrink_to_the_memory_limit():
    """Never below one row, never beyond what the cache can use."""
    stump = (0, 0.5, frozenset(), False, -2, 3)
    trees = swept(strategies.forest_of_tuples([stump]), np.zeros((9, 4)), {0: [0.0, 1.0]})
    features = list(trees.active)
    limits = (1, 100 * trees.row_bytes(features), 10**9)
    assert [trees.rows_per_block(limit, features) for limit in limits] == [1, 100, 2048]


def test_more_features_than_an_item_can_name_are_refused(monkeypatch):
    """Sixteen bits name 65,535 features; beyond them every phantom observation is predicted."""
    assert choose.MOST_FEATURES == 65535
    monkeypatch.setattr(choose, "MOST_FEATURES", 2)
    X = np.random.default_rng(0).normal(size=(50, 3))
    model = DecisionTreeRegressor(max_depth=2).fit(X, X[:, 0])
    assert ice.explain(model, X, features=["x0", "x1"], method="tree", progress=False).method == "tree"
    reason = "The sweep moves up to 2 features; there are 3."
    predicted = ice.explain(model, X, progress=False)
    assert predicted.method == "brute"
    assert [note.endswith(reason) for note in predicted.notes if "tree method" in note] == [True]
    with pytest.raises(OptionError, match=reason):
        ice.explain(model, X, method="tree", progress=False)
