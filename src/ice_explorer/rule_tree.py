"""Several features together: a shallow tree on the shapes of the lines, and its leaves as rules."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.rules import OR_MISSING, levels_text, range_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ice_explorer.second import SecondFeature

    Array = NDArray[np.float64]

DEPTH: Final = 3
_LEAST_GAIN = 0.01  # a split that explains less of the spread is not worth a rule
_MOST_OUTPUTS = 32  # directions that the tree looks at
_NO_CHILD = -1


@dataclass(frozen=True, eq=False)
class Encoding:
    """A second feature as a tree may split it.

    Attributes
    ----------
    second : SecondFeature
    ranks : ndarray of shape (n_rows,)
        Places of the values in `values`; NaN is missing.
    values : list
        Increasing.
    levels : list of list of int, or None
        Codes of the levels at each place, where they have no order of their own.
    """

    second: SecondFeature
    ranks: Array
    values: Sequence[float]
    levels: Sequence[Sequence[int]] | None


@dataclass(frozen=True)
class Leaf:
    """Rows that one rule holds for.

    Attributes
    ----------
    rule : str
    part : float
        Of all rows, by weight, 0 to 1.
    """

    rule: str
    part: float


@dataclass(frozen=True)
class CombinedRule:
    """Rules of at most three conditions that share the rows among them.

    Attributes
    ----------
    share : float
        Part of the spread that they explain together, 0 to 1.
    leaves : tuple of Leaf
        Empty where no split explains one hundredth of the spread.
    """

    share: float = 0.0
    leaves: tuple[Leaf, ...] = ()


def combined_rule(deviations: Array, weights: Array, total: float, encodings: Sequence[Encoding]) -> CombinedRule:
    """Grow a tree of depth 3 at most on the shapes of lines.

    Parameters
    ----------
    deviations : ndarray of shape (n_rows, n_directions)
        Weighted mean 0.
    weights : ndarray of shape (n_rows,)
    total : float
        Weighted sum of squared deviations.
    encodings : sequence of Encoding

    Returns
    -------
    CombinedRule

    Notes
    -----
    scikit-learn's DecisionTreeRegressor, which takes the best split at each node. It looks at the 32 directions
    in which the lines differ most; the share is that of all directions.
    """
    if total == 0 or not encodings:
        return CombinedRule()
    from sklearn.tree import DecisionTreeRegressor

    mass = float(weights.sum())
    squared = weights @ deviations**2
    outputs = np.argsort(-squared, kind="stable")[:_MOST_OUTPUTS]
    # What scikit-learn calls impurity is a mean over outputs and rows.
    least = _LEAST_GAIN * float(squared[outputs].sum()) / mass / len(outputs)
    tree = DecisionTreeRegressor(max_depth=DEPTH, min_impurity_decrease=least, random_state=0)
    X = np.column_stack([encoding.ranks for encoding in encodings])
    tree.fit(X, deviations[:, outputs], sample_weight=weights)
    leaf_of = tree.apply(X)
    leaves = _leaves(tree.tree_, encodings)
    if len(leaves) < 2:
        return CombinedRule()
    explained = 0.0
    found = []
    for node, rule in leaves:
        rows = leaf_of == node
        held = float(weights[rows].sum())
        of_leaf = weights[rows] @ deviations[rows]
        explained += float(of_leaf @ of_leaf) / held
        found.append(Leaf(rule, held / mass))
    return CombinedRule(min(1.0, explained / total), tuple(found))


@dataclass(frozen=True)
class _Allowed:
    """What a path through the tree leaves of one second feature."""

    first: int  # places in `Encoding.values`
    last: int
    missing: bool


@dataclass(frozen=True)
class _Path:
    """Conditions from the root to a node, by number of the encoding."""

    allowed: dict[int, _Allowed] = field(default_factory=dict)

    def step(self, at: int, encoding: Encoding, place: int, *, below: bool, missing: bool) -> _Path:
        """Go on to the rows up to a place, or above it."""
        known = self.allowed.get(at, _Allowed(0, len(encoding.values) - 1, missing=True))
        first, last = (known.first, min(known.last, place)) if below else (max(known.first, place + 1), known.last)
        return _Path({**self.allowed, at: _Allowed(first, last, missing=known.missing and missing)})


def _leaves(tree: Any, encodings: Sequence[Encoding]) -> list[tuple[int, str]]:
    """Nodes without children, from left to right, each with its rule."""
    found: list[tuple[int, str]] = []
    waiting = [(0, _Path())]
    while waiting:
        node, path = waiting.pop()
        if tree.children_left[node] == _NO_CHILD:
            found.append((node, _rule(path, encodings)))
            continue
        at = int(tree.feature[node])
        # Infinite where all that have a value stand against those that have none.
        place = math.floor(min(float(tree.threshold[node]), len(encodings[at].values) - 1))
        to_left = bool(tree.missing_go_to_left[node])
        below = path.step(at, encodings[at], place, below=True, missing=to_left)
        above = path.step(at, encodings[at], place, below=False, missing=not to_left)
        waiting += [(int(tree.children_right[node]), above), (int(tree.children_left[node]), below)]
    return found


def _rule(path: _Path, encodings: Sequence[Encoding]) -> str:
    return " and ".join(_condition(encodings[at], allowed) for at, allowed in path.allowed.items())


def _condition(encoding: Encoding, allowed: _Allowed) -> str:
    values, second = encoding.values, encoding.second
    if allowed.first > allowed.last:
        return f"{second.label} is missing"
    if (allowed.first, allowed.last) == (0, len(values) - 1):
        return f"{second.label} is not missing"
    is_gap_told = allowed.missing and bool(np.isnan(encoding.ranks).any())
    if encoding.levels is None:
        low = None if allowed.first == 0 else (values[allowed.first - 1], values[allowed.first])
        high = None if allowed.last == len(values) - 1 else (values[allowed.last], values[allowed.last + 1])
        text = range_text(second, low, high)
    else:
        names = second.levels or []
        inside = {code for codes in encoding.levels[allowed.first : allowed.last + 1] for code in codes}
        codes = sorted(code for each in encoding.levels for code in each)
        kept, rest = [names[c] for c in codes if c in inside], [names[c] for c in codes if c not in inside]
        text = levels_text(second, kept, rest)
    return f"({text}{OR_MISSING})" if is_gap_told else text
