"""Small tables, models and options for the property tests.

The values sit where engines go wrong: ties, repeated rows, whole numbers, neighbours a millionth
apart. The models compute every row by the same elementwise arithmetic whatever the batch, so that
a method and an oracle that predict different batches still get the same predictions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from ice_explorer.trees.forest import Forest, Link

TINY = 2.0**-20


@dataclass(frozen=True)
class Model:
    """A function of the rows that prints as what it computes."""

    name: str
    parameters: tuple[float, ...]
    function: Callable[[np.ndarray, tuple[float, ...]], np.ndarray]

    def __call__(self, X) -> np.ndarray:
        return self.function(np.asarray(X, dtype=float), self.parameters)

    def __repr__(self) -> str:
        return f"{self.name}{self.parameters}"


def _linear(X, parameters):
    total = np.full(len(X), parameters[0])
    for j in range(X.shape[1]):
        total = total + parameters[1 + j] * X[:, j]
    return total


def _additive(X, parameters):
    a, b, threshold = parameters
    total = a * np.abs(X[:, 0] - threshold)
    for j in range(1, X.shape[1]):
        total = total + b * np.square(X[:, j])
    return total


def _interaction(X, parameters):
    a, b, threshold = parameters
    return a * X[:, 0] * X[:, -1] + b * np.abs(X[:, 0] - threshold)


def _steps(X, parameters):
    a, b, threshold = parameters
    left = X[:, 0] <= threshold
    low = X[:, -1] <= b
    return np.where(left, np.where(low, a, 0.5 * a), np.where(low, -a, b))


def _smooth(X, parameters):
    a, b, threshold = parameters
    return a / (1.0 + np.square(X[:, 0] - threshold) + np.square(b * X[:, -1]))


COEFFICIENTS = st.integers(-12, 12).map(lambda v: v / 4)
FACTORS = st.sampled_from([-2.5, -1.0, -0.25, 0.5, 1.0, 3.0])


def linear_models(n_features: int) -> st.SearchStrategy[Model]:
    coefficients = st.tuples(*[COEFFICIENTS] * (n_features + 1))
    return coefficients.map(lambda c: Model("linear", c, _linear))


def additive_models() -> st.SearchStrategy[Model]:
    parameters = st.tuples(FACTORS, FACTORS, COEFFICIENTS)
    return parameters.map(lambda p: Model("additive", p, _additive))


def curved_models() -> st.SearchStrategy[Model]:
    """Models with interactions, jumps and bends."""
    parameters = st.tuples(FACTORS, FACTORS, COEFFICIENTS)
    return st.one_of(
        parameters.map(lambda p: Model("interaction", p, _interaction)),
        parameters.map(lambda p: Model("steps", p, _steps)),
        parameters.map(lambda p: Model("smooth", p, _smooth)),
        additive_models(),
    )


WHOLE = st.integers(-3, 3).map(float)
QUARTERS = st.integers(-20, 20).map(lambda v: v / 4)
NEAR_TIES = st.tuples(st.integers(-2, 2), st.integers(0, 2)).map(lambda p: p[0] + p[1] * TINY)
VALUES = st.one_of(WHOLE, QUARTERS, NEAR_TIES)


def _some_rows_repeated(pair):
    X, rows = pair
    return X[[r % len(X) for r in rows]] if rows else X


def tables(
    min_rows: int = 1,
    max_rows: int = 8,
    n_features: int = 2,
    values: st.SearchStrategy[float] = VALUES,
) -> st.SearchStrategy[np.ndarray]:
    """Arrays with ties and, at times, whole rows repeated and out of order."""
    plain = st.integers(min_rows, max_rows).flatmap(lambda n: st_numpy.arrays(float, (n, n_features), elements=values))
    rows = st.one_of(st.just(()), st.lists(st.integers(0, 99), min_size=min_rows, max_size=max_rows))
    return st.tuples(plain, rows).map(_some_rows_repeated)


def varied_tables(**options) -> st.SearchStrategy[np.ndarray]:
    """Tables whose first feature takes at least two values."""
    return tables(**{"min_rows": 2, **options}).filter(lambda X: np.ptp(X[:, 0]) > 0)


DECAYS = st.one_of(
    st.just(1.0),
    st.sampled_from([0.75, 0.01, 0.5, 1e-6]),
    st.floats(0.001, 1.0, exclude_min=True),
)

OTHER_DECAYS = st.one_of(st.sampled_from([1.0, 0.75, 0.01, 0.5]), st.floats(0.01, 1.0))
"""Those for which figures of any explanation are known."""

CONVENTION_NAMES = st.sampled_from(["step", "paper"])
CONVENTIONS = CONVENTION_NAMES.map(lambda convention: {"convention": convention})
OPTIONS = st.builds(lambda options, decay: {**options, "decay": decay}, options=CONVENTIONS, decay=DECAYS)


def whole_weights(n: int) -> st.SearchStrategy[np.ndarray]:
    """Frequencies, zeros among them, of more than one observation in all."""
    return st_numpy.arrays(np.int64, n, elements=st.integers(0, 3)).filter(lambda w: w.sum() > 1)


def weights(n: int) -> st.SearchStrategy[np.ndarray]:
    """Frequencies that need not be whole numbers."""
    fractions = st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.5, 4.0, 7.25])
    return st_numpy.arrays(float, n, elements=fractions).filter(lambda w: w.sum() > 1)


GRIDS = st.lists(VALUES, min_size=1, max_size=6, unique=True).map(sorted)


# Tree ensembles in the neutral layout -------------------------------------------------------------

THRESHOLDS = (-1.5, -1.0, 0.0, 0.1, 0.5, 1.0 + 2.0**-30, 2.0)
CODES = (0, 1, 2, 5, 31, 32, 33, 62, 63, 64, 65, 70, 127, 128, 300)
CATEGORICAL_FEATURE = 2
N_FEATURES = 4


def _neighbours(value: float) -> list[float]:
    """The value and those next to it in double and in single precision."""
    single = np.float32(value)
    around = [np.nextafter(single, np.float32(side)) for side in (-np.inf, np.inf)]
    return [value, float(np.nextafter(value, -np.inf)), float(np.nextafter(value, np.inf)), *map(float, around)]


NUMBERS = sorted({near for value in THRESHOLDS for near in _neighbours(value)} | {-40.0, 0.25, 40.0})
LEVELS = sorted({float(code) for code in CODES} | {-3.0, -0.5, 0.5, 3.0, 64.75, 999.0})


def _nodes(children: st.SearchStrategy) -> st.SearchStrategy:
    """Inner nodes: feature, threshold, codes, whether missing values go left, children."""
    return st.tuples(
        st.integers(0, N_FEATURES - 2),  # no tree splits on the last feature
        st.sampled_from(THRESHOLDS),
        st.frozensets(st.sampled_from(CODES), max_size=8),
        st.booleans(),
        children,
        children,
    )


# Whole numbers add up exactly in any order, so that engines can be compared to the bit.
LEAVES = st.integers(-8, 8)
TREES = st.recursive(LEAVES, _nodes, max_leaves=14)


def _laid_out(tree: Any, *, deepest_first: bool) -> list[list[Any]]:
    """Turn nested tuples into nodes; apart from the root, parents stand before or behind their children."""
    nodes: list[list[Any]] = [[]]

    def place(tree: Any, at: int | None = None) -> int:
        children = (-1, -1)
        if at is None and (isinstance(tree, int) or not deepest_first):
            at = len(nodes)
            nodes.append([])
        if not isinstance(tree, int):
            children = place(tree[4]), place(tree[5])
        if at is None:
            at = len(nodes)
            nodes.append([])
        if isinstance(tree, int):
            nodes[at] = [-1, np.nan, None, False, *children, float(tree)]
        else:
            feature, threshold, codes, missing_left = tree[:4]
            is_set = feature == CATEGORICAL_FEATURE
            nodes[at] = [feature, threshold, sorted(codes) if is_set else None, missing_left, *children, 0.0]
        return at

    place(tree, 0)
    nodes.append([-1, 0.0, None, False, -1, -1, 77.0])  # a node that no row can reach
    return nodes


def forest_of_tuples(
    trees: Sequence[Any],
    *,
    margins: Sequence[int] | None = None,
    base: Sequence[float] = (0.0,),
    comparison: Literal["le", "lt"] = "le",
    input_dtype: type = np.float64,
    link: Link | None = None,
    listed_left: bool = True,
    rounding: Literal["trunc", "floor"] = "floor",
    deepest_first: bool = False,
) -> Forest:
    """Trees written as (feature, threshold, codes, missing left, left, right), leaves as whole numbers."""
    laid_out = [_laid_out(tree, deepest_first=deepest_first) for tree in trees]
    feature, threshold, codes, missing_left, left, right, value = zip(
        *(node for nodes in laid_out for node in nodes), strict=True
    )
    sets = [own for own in codes if own is not None]
    numbers = np.cumsum([own is not None for own in codes]) - 1
    return Forest(
        library="by hand",
        n_columns=N_FEATURES,
        dtype=np.dtype(input_dtype),
        comparison=comparison,
        categorical=frozenset({CATEGORICAL_FEATURE}),
        rounding=rounding,
        n_nodes=np.array([len(nodes) for nodes in laid_out]),
        feature=np.array(feature, np.int32),
        threshold=np.where([own is None for own in codes], threshold, numbers).astype(float),
        left=np.array(left, np.int32),
        right=np.array(right, np.int32),
        missing_left=np.array(missing_left, bool),
        value=np.array(value, float),
        margin=np.array(margins if margins is not None else [0] * len(trees), np.int32),
        base=np.array(base, float),
        set_start=np.cumsum([0, *map(len, sets)], dtype=np.int64),
        set_codes=np.array([code for own in sets for code in own], np.int32),
        listed_left=listed_left,
        link=Link() if link is None else link,
    )


@st.composite
def forests(draw: st.DrawFn, links: Sequence[str] = ("identity",)) -> Forest:
    """Forests of any comparison, cast, number of margins and layout."""
    n_margins = draw(st.integers(1, 3))
    trees = draw(st.lists(TREES, min_size=1, max_size=4))
    return forest_of_tuples(
        trees,
        margins=[draw(st.integers(0, n_margins - 1)) for _ in trees],
        base=[draw(st.integers(-3, 3)) for _ in range(n_margins)],
        comparison=draw(st.sampled_from(["le", "lt"])),
        input_dtype=draw(st.sampled_from([np.float32, np.float64])),
        link=Link(draw(st.sampled_from(links)), output=draw(st.integers(0, n_margins - 1))),
        listed_left=draw(st.booleans()),
        rounding=draw(st.sampled_from(["trunc", "floor"])),
        deepest_first=draw(st.booleans()),
    )


@st.composite
def rows_of_forests(draw: st.DrawFn, max_rows: int = 6) -> np.ndarray:
    """Rows whose values lie on, next to and between the thresholds, or are missing."""
    missing = st.just(np.nan)
    of_feature = [st.one_of(st.sampled_from(NUMBERS), missing) for _ in range(N_FEATURES)]
    of_feature[CATEGORICAL_FEATURE] = st.one_of(st.sampled_from(LEVELS), missing)
    return np.array(draw(st.lists(st.tuples(*of_feature), min_size=1, max_size=max_rows)))


@st.composite
def free_groups(draw: st.DrawFn) -> list[tuple[list[int], list[list[float]]]]:
    """Columns that move together, no column twice, and what they become: in any order, missing too."""
    columns = draw(st.permutations(range(N_FEATURES)))
    groups = []
    while columns:
        n_columns = draw(st.integers(0, len(columns)))
        places, columns = sorted(columns[:n_columns]), columns[max(1, n_columns) :]
        values = [
            st.one_of(st.sampled_from(LEVELS if place == CATEGORICAL_FEATURE else NUMBERS), st.just(np.nan))
            for place in places
        ]
        groups.append((places, [list(at) for at in draw(st.lists(st.tuples(*values), min_size=1, max_size=8))]))
    return groups


@st.composite
def free_features(draw: st.DrawFn) -> dict[int, list[float]]:
    """Features that move, and their grids; values may repeat, as behind a transformer that bins."""
    features = draw(st.lists(st.integers(0, N_FEATURES - 1), min_size=1, unique=True))
    return {
        feature: sorted(
            draw(st.lists(st.sampled_from(LEVELS if feature == CATEGORICAL_FEATURE else NUMBERS), min_size=1))
        )
        for feature in features
    }
