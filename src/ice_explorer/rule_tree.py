"""Several features together: a shallow tree on the shapes of the lines, and its leaves as rules."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from ice_explorer.rules import levels_text, or_missing, range_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from ice_explorer.second import SecondFeature
    from ice_explorer.spread import Spread

    Array = NDArray[np.float64]

DEPTH: Final = 3
_LEAST_GAIN = 0.01  # a split that explains less of the spread is not worth a rule
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


def combined_rule(spread: Spread, encodings: Sequence[Encoding]) -> CombinedRule:
    """Grow a tree of depth 3 at most on the shapes of lines.

    Parameters
    ----------
    spread : Spread
    encodings : sequence of Encoding

    Returns
    -------
    CombinedRule

    Notes
    -----
    scikit-learn's DecisionTreeRegressor, which takes the best split at each node. It looks at the 32 directions
    in which the lines differ most; the share is that of all directions.
    """
    if spread.total == 0 or not encodings:
        return CombinedRule()
    from sklearn.tree import DecisionTreeRegressor

    outputs, weights = spread.main, spread.weights
    mass = float(weights.sum())
    # What scikit-learn calls impurity is a mean over outputs and rows.
    least = _LEAST_GAIN * float((weights @ outputs**2).sum()) / mass / outputs.shape[1]
    tree = DecisionTreeRegressor(max_depth=DEPTH, min_impurity_decrease=least, random_state=0)
    X = np.column_stack([encoding.ranks for encoding in encodings])
    tree.fit(X, outputs, sample_weight=weights)
    if np.isnan(tree.tree_.threshold).any():
        return CombinedRule()  # scikit-learn before 1.8 may lose a threshold beside missing values
    leaf_of = tree.apply(X)
    leaves = _leaves(tree.tree_, encodings)
    if len(leaves) < 2:
        return CombinedRule()
    explained = 0.0
    found = []
    for node, rule in leaves:
        rows = leaf_of == node
        held = float(weights[rows].sum())
        of_leaf = spread.weighted[rows].sum(axis=0)
        explained += float(of_leaf @ of_leaf) / held
        found.append(Leaf(rule, held / mass))
    return CombinedRule(spread.share(explained), tuple(found))


@dataclass(frozen=True)
class _Allowed:
    """What a path through the tree leaves of one second feature."""

    codes: frozenset[int]  # of levels, or places among the values
    missing: bool


def _codes(encoding: Encoding, places: Iterable[int]) -> frozenset[int]:
    """Levels at some places, or where values have an order, the places themselves."""
    if encoding.levels is None:
        return frozenset(places)
    return frozenset(code for place in places for code in encoding.levels[place])


_Path: TypeAlias = "dict[str, tuple[Encoding, _Allowed]]"  # conditions from the root to a node, by second feature


def _step(path: _Path, encoding: Encoding, places: Iterable[int], *, missing: bool) -> _Path:
    """Go on to the rows at some places."""
    label, codes = encoding.second.label, _codes(encoding, places)
    if label in path:
        known = path[label][1]
        codes, missing = codes & known.codes, missing and known.missing
    return {**path, label: (encoding, _Allowed(codes, missing))}


def _leaves(tree: Any, encodings: Sequence[Encoding]) -> list[tuple[int, str]]:
    """Nodes without children, from left to right, each with its rule."""
    found: list[tuple[int, str]] = []
    waiting: list[tuple[int, _Path]] = [(0, {})]
    while waiting:
        node, path = waiting.pop()
        if tree.children_left[node] == _NO_CHILD:
            found.append((node, " and ".join(_condition(*each) for each in path.values())))
            continue
        encoding = encodings[int(tree.feature[node])]
        n_places, to_left = len(encoding.values), bool(tree.missing_go_to_left[node])
        # Infinite where all that have a value stand against those that have none.
        cut = n_places if math.isinf(tree.threshold[node]) else math.floor(tree.threshold[node]) + 1
        below = _step(path, encoding, range(cut), missing=to_left)
        above = _step(path, encoding, range(cut, n_places), missing=not to_left)
        waiting += [(int(tree.children_right[node]), above), (int(tree.children_left[node]), below)]
    return found


def _condition(encoding: Encoding, allowed: _Allowed) -> str:
    second, everything = encoding.second, _codes(encoding, range(len(encoding.values)))
    if not allowed.codes:
        return f"{second.label} is missing"
    if allowed.codes == everything:
        return f"{second.label} is not missing"
    if encoding.levels is None:
        text = _range(encoding, min(allowed.codes), max(allowed.codes))
    else:
        names = second.levels or []
        kept, rest = ([names[code] for code in sorted(codes)] for codes in (allowed.codes, everything - allowed.codes))
        text = levels_text(second, kept, rest)
    has_gaps = bool(np.isnan(encoding.ranks).any())
    return f"({or_missing(text)})" if has_gaps and allowed.missing else text


def _range(encoding: Encoding, first: int, last: int) -> str:
    values = encoding.values
    low = None if first == 0 else (values[first - 1], values[first])
    high = None if last == len(values) - 1 else (values[last], values[last + 1])
    return range_text(encoding.second, low, high)
