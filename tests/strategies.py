"""Small tables, models and options for the property tests.

The values sit where engines go wrong: ties, repeated rows, whole numbers, neighbours a millionth
apart. The models compute every row by the same elementwise arithmetic whatever the batch, so that
an engine and an oracle that ask for different batches still see the same predictions.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

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

CONVENTION_AND_WEIGHTING = st.sampled_from(
    [
        ("equations", "interval"),
        ("equations", "length"),
        ("equations", "mass"),
        ("published", "interval"),
    ]
)

CONVENTIONS = CONVENTION_AND_WEIGHTING.map(lambda pair: {"convention": pair[0], "weighting": pair[1]})
OPTIONS = st.builds(lambda options, decay: {**options, "decay": decay}, options=CONVENTIONS, decay=DECAYS)


def whole_weights(n: int) -> st.SearchStrategy[np.ndarray]:
    """Frequencies, zeros among them, of more than one observation in all."""
    return st_numpy.arrays(np.int64, n, elements=st.integers(0, 3)).filter(lambda w: w.sum() > 1)


def weights(n: int) -> st.SearchStrategy[np.ndarray]:
    """Frequencies that need not be whole numbers."""
    fractions = st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.5, 4.0, 7.25])
    return st_numpy.arrays(float, n, elements=fractions).filter(lambda w: w.sum() > 1)


GRIDS = st.lists(VALUES, min_size=1, max_size=6, unique=True).map(sorted)
