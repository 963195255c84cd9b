"""The item sweep against trees walked one phantom at a time, compiled and in NumPy."""

from contextlib import contextmanager

import numpy as np
import oracles
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.tree import DecisionTreeRegressor

import ice_explorer as ice
from ice_explorer.adapters.models.link import Link
from ice_explorer.curves.trees import curves as tree
from ice_explorer.curves.trees import item_sweep_numpy, splits
from ice_explorer.curves.trees.curves import SweepLimitError, TreeCurves
from ice_explorer.errors import InvalidOptionError

KERNELS = ("numba", "numpy")


@contextmanager
def kernel_of(name):
    """Sweep with one of the two kernels."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tree, "HAS_NUMBA", name == "numba")
        yield


def swept(kernel, ensemble, X, free):
    """TreeCurves of an array whose features are known by another number than their column."""
    with kernel_of(kernel):
        return TreeCurves(
            ensemble, list(X.T), {100 + at: (np.array([at]), np.array(grid)[:, None]) for at, grid in free.items()}
        )


def at_every_grid_value(trees, feature, stretches, n_grid):
    """Spread stretches between active intervals over the grid."""
    return stretches[:, np.searchsorted(trees.active[feature], np.arange(n_grid))]


def curves(kernel, ensemble, X, free):
    """All curves by one sweep, and each feature's by a sweep of its own; they must agree to the bit."""
    trees = swept(kernel, ensemble, X, free)
    rows = np.arange(len(X))
    found = {}
    with kernel_of(kernel):
        together = trees.stretches(rows)
        for at, grid in free.items():
            alone = trees.curves_of(100 + at)(rows)
            assert_array_equal(alone, together[100 + at])
            found[at] = at_every_grid_value(trees, 100 + at, alone, len(grid))
    return found


# Against plain walks -----------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", KERNELS)
@given(
    ensemble=strategies.ensembles(), X=strategies.rows_of_ensembles(), free=strategies.free_features()
)  # fmt: skip
@settings(max_examples=150)
def test_every_curve_is_that_of_a_plain_walk(kernel, ensemble, X, free):
    """Leaves are whole numbers, so that sums are exact and nothing is left to tolerance."""
    found = curves(kernel, ensemble, X, free)
    for at, grid in free.items():
        assert_array_equal(found[at], oracles.tree_curves(ensemble, X, at, grid))


@pytest.mark.parametrize("kernel", KERNELS)
@given(ensemble=strategies.ensembles(), X=strategies.rows_of_ensembles(), groups=strategies.free_groups())
@settings(max_examples=150)
def test_columns_may_move_together_to_any_values(kernel, ensemble, X, groups):
    """One-hot groups, columns that fall where the grid rises, and grid values that are missing to the model."""
    free = {
        at: (np.array(places, np.intp), np.array(grid).reshape(len(grid), len(places)))
        for at, (places, grid) in enumerate(groups)
    }
    rows = np.arange(len(X))
    with kernel_of(kernel):
        trees = TreeCurves(ensemble, list(X.T), free)
        together = trees.stretches(rows)
        alone = {at: trees.curves_of(at)(rows) for at in free}
    for at, (places, grid) in enumerate(groups):
        assert_array_equal(alone[at], together[at])
        found = at_every_grid_value(trees, at, together[at], len(grid))
        assert_array_equal(found, oracles.tree_curves_of_group(ensemble, X, places, grid))


@given(ensemble=strategies.ensembles(), X=strategies.rows_of_ensembles(max_rows=20))
def test_rows_that_are_alike_stand_together(ensemble, X):
    """Ordered by the leaf of the first tree, leftmost first; no row is lost, and equals keep their order."""
    trees = swept("numba", ensemble, X, {0: [0.0]})
    order = trees.alike(np.arange(len(X))[::-1])
    leaves = []

    def collect(node):
        if ensemble.left[node] < 0:
            leaves.append(node)
        else:
            collect(ensemble.left[node])
            collect(ensemble.right[node])

    collect(int(ensemble.root[0]))
    place = [leaves.index(oracles.leaf_of_row(ensemble, int(ensemble.root[0]), row)) for row in X.tolist()]
    backwards = list(range(len(X)))[::-1]
    assert order.tolist() == sorted(backwards, key=lambda row: place[row])


@pytest.mark.parametrize("kernel", KERNELS)
@given(
    ensemble=strategies.ensembles(links=("exp", "sigmoid", "softmax")),
    X=strategies.rows_of_ensembles(max_rows=3),
    free=strategies.free_features(),
)
@settings(max_examples=60)
def test_a_link_is_applied_to_the_sum_of_all_trees(kernel, ensemble, X, free):
    """A sum of links, or a link without the base, is something else."""
    found = curves(kernel, ensemble, X, free)
    for at, grid in free.items():
        assert_allclose(found[at], oracles.tree_curves(ensemble, X, at, grid), rtol=1e-13, atol=0)


@given(
    ensemble=strategies.ensembles(), X=strategies.rows_of_ensembles(max_rows=12), free=strategies.free_features(),
    order=st.randoms(),
)  # fmt: skip
@settings(max_examples=60)
def test_the_rows_of_a_block_do_not_touch_each_other(ensemble, X, free, order):
    """Any rows in any order, repeated ones too, give what each gives alone."""
    trees = swept("numba", ensemble, X, free)
    rows = np.array([order.randrange(len(X)) for _ in range(2 * len(X))])
    block = trees.stretches(rows)
    for feature in block:
        one_by_one = [trees.stretches(np.array([row]))[feature][0] for row in rows]
        assert_array_equal(block[feature], one_by_one)


@given(ensemble=strategies.ensembles(), X=strategies.rows_of_ensembles(), free=strategies.free_features())
@settings(max_examples=40)
def test_a_few_pairs_at_a_time_are_enough_for_numpy(ensemble, X, free):
    """How many pairs of row and tree go down together changes nothing."""
    expected = curves("numpy", ensemble, X, free)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(item_sweep_numpy, "_PAIRS", 3)
        found = curves("numpy", ensemble, X, free)
    for at in free:
        assert_array_equal(found[at], expected[at])


@given(ensemble=strategies.ensembles(), X=strategies.rows_of_ensembles(), free=strategies.free_features())
@settings(max_examples=60)
def test_only_intervals_with_a_threshold_are_active(ensemble, X, free):
    """A column that no tree splits on has none, a numeric one at most one for each threshold."""
    trees = swept("numba", ensemble, X, free)
    for at, grid in free.items():
        active = trees.active[100 + at]
        split_here = np.flatnonzero((ensemble.feature == at) & (ensemble.left >= 0))
        assert (np.diff(active) > 0).all()
        assert set(active.tolist()) <= set(range(len(grid) - 1))
        if at == strategies.CATEGORICAL_FEATURE and len(split_here):
            continue
        changes = {
            interval
            for interval in range(len(grid) - 1)
            for node in split_here
            if oracles.goes_left(ensemble, node, grid[interval])
            != oracles.goes_left(ensemble, node, grid[interval + 1])
        }
        assert set(active.tolist()) == changes


# Shapes of trees ---------------------------------------------------------------------------------


def stump(feature=0, threshold=0.5, left=-2, right=3):
    return (feature, threshold, frozenset(), False, left, right)


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


def table_of_halves(n_rows, seed=5):
    """Rows whose values come from the same rule, so that no library's random numbers matter."""
    states = [seed]
    for _ in range(n_rows * strategies.N_FEATURES):
        states.append((1103515245 * states[-1] + 12345) % 2**31)
    values = (np.array(states[1:]) >> 8) % 25 / 2 - 1
    return values.reshape(n_rows, strategies.N_FEATURES)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    "trees", [[7], [7, -3], [stump()], [stump(), 4], [(3, 0.5, frozenset(), True, 1, 1)]], ids=str
)  # fmt: skip
def test_a_tree_may_be_a_root_alone_or_a_stump(kernel, trees):
    """Also one whose leaves are equal, where no curve changes."""
    ensemble = strategies.ensemble_of_tuples(trees, base=[2.0])
    X = table_of_halves(5)
    free = {at: [-5.0, 0.0, 0.5, 1.0] for at in range(4)}
    found = curves(kernel, ensemble, X, free)
    for at, grid in free.items():
        assert_array_equal(found[at], oracles.tree_curves(ensemble, X, at, grid))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("features", [[0], [1, 0], [0, 3, 1]], ids=str)
@pytest.mark.parametrize("depth", [40, 63, 64, 65, 200])
def test_a_tree_may_be_deep(kernel, depth, features):
    """Deeper than what buffers start with; the deepest leaf is reached by phantoms alone."""
    ensemble = strategies.ensemble_of_tuples([chain(depth, features)])
    X = np.array([[-1.0, 500.0, 0.0, 3.0], [500.0, 7.0, 0.0, 500.0], [np.nan, 500.0, 0.0, np.nan]])
    grid = [level - 0.5 for level in range(0, depth + 3, 7)] + [depth + 50.0]
    free = dict.fromkeys((0, 1, 3), grid)
    found = curves(kernel, ensemble, X, free)
    for at in free:
        assert_array_equal(found[at], oracles.tree_curves(ensemble, X, at, grid))


def test_buffers_grow_with_the_items():
    """Many rows in a deep tree leave more items behind than the buffer holds at first."""
    ensemble = strategies.ensemble_of_tuples([full_tree(9, 1), full_tree(8, 2)])
    X = table_of_halves(700)
    free = dict.fromkeys((0, 1, 3), np.arange(-1.0, 12.0, 0.25).tolist())
    by_numba, by_numpy = (curves(kernel, ensemble, X, free) for kernel in KERNELS)
    some = np.arange(0, 700, 97)
    for at, grid in free.items():
        assert_array_equal(by_numba[at], by_numpy[at])
        assert_array_equal(by_numba[at][some], oracles.tree_curves(ensemble, X[some], at, grid))


@pytest.mark.parametrize("kernel", KERNELS)
def test_sets_of_more_than_a_word_of_categories_cut_the_grid_into_runs(kernel):
    """Neighbouring levels go alternate ways over 200 levels, nested twice; rows hold levels of all words."""
    odd, thirds = frozenset(range(1, 200, 2)), frozenset(range(0, 200, 3))
    inner = (2, 0.0, thirds, False, 3, (0, 0.5, frozenset(), False, 7, -4))
    ensemble = strategies.ensemble_of_tuples([(2, 0.0, odd, True, inner, (2, 0.0, thirds, True, stump(), -7))])
    codes = [*range(200), 250, np.nan]
    X = np.array([[at % 2, 0.0, code, 0.0] for at, code in enumerate(codes)])
    free = {2: list(range(-1, 202)), 0: [0.0, 1.0]}
    some = np.array([0, 1, 2, 31, 32, 33, 62, 63, 64, 65, 127, 128, 129, 198, 199, 200, 201])
    found = curves(kernel, ensemble, X, free)
    assert_array_equal(found[0], oracles.tree_curves(ensemble, X, 0, free[0]))
    assert_array_equal(found[2][some], oracles.tree_curves(ensemble, X[some], 2, free[2]))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("goes", [(False, True), (True, False), (False, False), (True, True)])
def test_rows_without_a_value_reach_nodes_that_no_number_does(kernel, goes):
    """Thresholds that ancestors have made pointless part such rows from nothing, on either side."""
    first, second = goes
    below = (0, -1.0, frozenset(), second, 1, (0, 0.0, frozenset(), not second, 2, 3))
    above = (0, 2.0, frozenset(), second, (0, 1.0, frozenset(), not second, 4, 5), 6)
    ensemble = strategies.ensemble_of_tuples([(0, 0.5, frozenset(), first, above, below)])
    X = np.array([[np.nan, 0, 0, 0], [0.0, 0, 0, 0], [1.0, 0, 0, 0]])
    free = {0: [-2.0, -0.5, 0.0, 0.25, 0.75, 1.5, 3.0], 1: [0.0, 1.0]}
    found = curves(kernel, ensemble, X, free)
    for at, grid in free.items():
        assert_array_equal(found[at], oracles.tree_curves(ensemble, X, at, grid))


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_feature_that_is_held_fixed_leaves_no_items(kernel):
    """Its splits are followed by the rows alone, whatever is free beside it."""
    ensemble = strategies.ensemble_of_tuples([full_tree(6, 3)])
    X = table_of_halves(9)
    free = {3: [0.0, 2.0, 4.0, 9.0]}
    found = curves(kernel, ensemble, X, free)
    assert_array_equal(found[3], oracles.tree_curves(ensemble, X, 3, free[3]))


VALUES = st.lists(st.one_of(st.sampled_from(strategies.NUMBERS), st.just(np.nan)), min_size=1, max_size=30)


@given(
    values=VALUES,
    thresholds=st.lists(st.sampled_from([*strategies.THRESHOLDS, np.inf, -np.inf]), min_size=1, max_size=80),
    comparison=st.sampled_from(["le", "lt"]),
    of_values=st.booleans(),
)
def test_ranks_compare_as_the_numbers_do(values, thresholds, comparison, of_values):
    """Whether ranks count thresholds or values."""
    values, thresholds = np.array(values), np.array(thresholds)
    there = ~np.isnan(values)
    scale = splits.Scale(np.unique(values[there] if of_values else thresholds), of_values, comparison)
    ranks, of_thresholds = scale.rank(values), scale.rank_thresholds(thresholds)
    expected = values[:, None] <= thresholds if comparison == "le" else values[:, None] < thresholds
    assert_array_equal((ranks[:, None] <= of_thresholds)[there], expected[there])


# What it costs -----------------------------------------------------------------------------------


def counted(ensemble, X, free):
    trees = swept("numba", ensemble, X, free)
    trees.stretches(np.arange(len(X)))
    return tuple(trees.counters.tolist())


def test_visits_and_items_of_a_small_tree_are_as_counted_by_hand():
    """Root on feature 0, behind its right turn a node on feature 1; rows (0, 0), (1, 0), (1, 1).

    The root sees three rows. The first leaves an item to the right, the other two one each to the
    left, into a leaf. The second node sees two rows and the item, which follows its row to the left;
    each of the rows leaves an item behind. So 3 + 3 visits, and 2 + 1 + 2 items reach leaves.
    """
    ensemble = strategies.ensemble_of_tuples([(0, 0.5, frozenset(), False, 1, stump(feature=1))])
    X = np.array([[0.0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0]])
    free = {0: [0.0, 1.0], 1: [0.0, 1.0]}
    assert counted(ensemble, X, free) == (6, 5)
    assert counted(ensemble, X, {0: free[0]}) == (6, 3)
    assert counted(ensemble, X, {3: [0.0, 1.0]}) == (5, 0)


FOREST = [full_tree(6, seed) for seed in range(10)]


def test_the_work_on_a_fixed_forest_is_what_it_was():
    """A gate against slow paths: these numbers change only when the algorithm does.

    2,000 pairs of row and tree, six nodes deep; a path walk for every phantom of 3 × 26 grid
    positions would make 936,000 visits.
    """
    ensemble = strategies.ensemble_of_tuples(FOREST)
    free = dict.fromkeys((0, 1, 3), np.arange(-1.0, 12.0, 0.5).tolist())
    assert counted(ensemble, table_of_halves(200), free) == WORK


WORK = (43_216, 11_546)


def test_twice_the_rows_are_twice_the_work():
    """And a sweep in blocks is the same work as one in a piece."""
    ensemble = strategies.ensemble_of_tuples(FOREST)
    X = table_of_halves(50)
    free = dict.fromkeys((0, 1, 3), np.arange(-1.0, 12.0, 0.5).tolist())
    once = counted(ensemble, X, free)
    assert counted(ensemble, np.concatenate([X, X]), free) == (2 * once[0], 2 * once[1])
    trees = swept("numba", ensemble, X, free)
    for rows in np.split(np.arange(50), [7, 8, 30]):
        trees.stretches(rows)
    assert tuple(trees.counters.tolist()) == once


def test_a_longer_grid_is_not_more_work():
    """Between thresholds nothing changes, so that only thresholds cost anything."""
    ensemble = strategies.ensemble_of_tuples(FOREST)
    X = table_of_halves(40)
    coarse, fine = np.arange(-1.25, 12.25, 0.5), np.linspace(-1.25, 11.75, 5201)
    few, many = ({at: grid.tolist() for at in (0, 1, 3)} for grid in (coarse, fine))
    assert counted(ensemble, X, many) == counted(ensemble, X, few)
    assert swept("numba", ensemble, X, many).forest.width == swept("numba", ensemble, X, few).forest.width


@given(ensemble=strategies.ensembles(), X=strategies.rows_of_ensembles(), free=strategies.free_features())
@settings(max_examples=80)
def test_the_work_is_what_the_algorithm_takes_and_no_more(ensemble, X, free):
    """Counted row by row: no empty item is carried along, and no node visited twice."""
    assert counted(ensemble, X, free) == oracles.sweep_counters(ensemble, X, free)


def test_a_set_of_categories_is_one_item_however_it_is_scattered():
    """Neighbouring levels go alternate ways, which no item has to be cut for.

    The row at level 0 leaves the five odd levels behind; the second node, on the same feature, sees
    the row and no item, and parts the row from the even levels that are no multiple of three.
    """
    odd, thirds = frozenset(range(1, 10, 2)), frozenset(range(0, 10, 3))
    ensemble = strategies.ensemble_of_tuples([(2, 0.0, odd, False, 5, (2, 0.0, thirds, False, 1, 2))])
    free = {2: np.arange(10.0).tolist()}
    X = np.zeros((1, 4))
    assert counted(ensemble, X, free) == (2, 1 + 1) == oracles.sweep_counters(ensemble, X, free)


# What it refuses ---------------------------------------------------------------------------------


def test_more_features_than_an_item_can_name_are_refused(monkeypatch):
    """Sixteen bits name 65,535 features; beyond them phantoms are predicted."""
    assert tree._MOST_FEATURES == 65535
    monkeypatch.setattr(tree, "_MOST_FEATURES", 2)
    X = np.random.default_rng(0).normal(size=(50, 3))
    model = DecisionTreeRegressor(max_depth=2).fit(X, X[:, 0])
    assert ice.explain(model, X, features=["x0", "x1"], engine="tree", progress=False).engine == "tree"
    reason = "The sweep moves up to 2 features; there are 3."
    predicted = ice.explain(model, X, progress=False)
    assert predicted.engine == "brute"
    assert [note.endswith(reason) for note in predicted.notes if "tree engine" in note] == [True]
    with pytest.raises(InvalidOptionError, match=reason):
        ice.explain(model, X, engine="tree", progress=False)
    with pytest.raises(SweepLimitError) as caught:
        tree.check_limit(3)
    assert str(caught.value) == reason


def test_more_positions_than_sixteen_bits_number_are_swept():
    """As many thresholds, each with an interval of its own."""
    many = 66_000
    ensemble = strategies.ensemble_of_tuples([stump(threshold=at + 0.5, left=0, right=1) for at in range(many)])
    found = curves("numba", ensemble, np.array([[30000.0, 0, 0, 0]]), {0: np.arange(many + 1.0).tolist()})
    assert_array_equal(found[0][0], np.arange(many + 1.0))


def test_blocks_shrink_to_the_memory_limit_and_grow_with_the_trees():
    """Never below one row, never beyond what the cache can use."""
    trees = swept("numba", strategies.ensemble_of_tuples([stump()]), np.zeros((9, 4)), {0: [0.0, 1.0]})
    assert trees.rows_per_block(1) == 1
    assert trees.rows_per_block(10**9) == 2048
    row_bytes = 8 * (trees.forest.width + 1) + 512
    assert trees.rows_per_block(100 * row_bytes) == 100
    large = swept("numba", strategies.ensemble_of_tuples([full_tree(12, 1)]), np.zeros((9, 4)), {0: [0.0, 1.0]})
    assert 2048 < large.rows_per_block(10**9) == len(large.forest.nodes)


def test_several_margins_are_kept_apart():
    """Softmax needs all of them: each tree adds to its own."""
    ensemble = strategies.ensemble_of_tuples(
        [stump(), stump(1, 1.5), stump(3, 2.5)], margins=[2, 0, 1], base=[0.5, -1.0, 0.25], link=Link("softmax", 1)
    )
    X = table_of_halves(6)
    free = {at: [0.0, 1.0, 2.0, 3.0] for at in range(4)}
    for kernel in KERNELS:
        found = curves(kernel, ensemble, X, free)
        for at, grid in free.items():
            assert_allclose(found[at], oracles.tree_curves(ensemble, X, at, grid), rtol=1e-14)
