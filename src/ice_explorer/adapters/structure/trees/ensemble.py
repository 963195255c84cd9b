"""The neutral node-array layout of a tree ensemble, so that the engine need know no library.

Two things differ between libraries and are kept here as data: how a number is treated before it is
compared (`TreeEnsemble.as_compared`), and what becomes of the sum of the leaves (`Link`). Everything
else is folded into the arrays: learning rates, weights of trees and averages into `value`, rules for
missing values into `missing_left`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ice_explorer.errors import ICEExplorerError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ice_explorer.adapters.models.link import Link

Response = Literal["predict_proba", "decision_function", "predict", "log_odds", "raw"]
Comparison = Literal["le", "lt"]


class UnsupportedTreesError(ICEExplorerError):
    """The trees of this model cannot reproduce its predictions exactly; the message says why."""

    @classmethod
    def no_response(cls, model: object, response: str) -> UnsupportedTreesError:
        """Return the error for a response that the model does not have."""
        return cls(f"{type(model).__name__} has no {response}.")

    @classmethod
    def predicted_class(cls, model: object) -> UnsupportedTreesError:
        """Return the error for predicted classes of several trees, where ties are ambiguous."""
        return cls(
            f"The class predicted by {type(model).__name__} is ambiguous where classes tie, and ties depend on the "
            "order in which the trees are summed."
        )

    @classmethod
    def objective(cls, library: str, name: str) -> UnsupportedTreesError:
        """Return the error for an objective with an unknown link function."""
        return cls(f"How {library} transforms the sum of the leaves for the objective {name!r} is unknown.")


class NotTreesError(UnsupportedTreesError):
    """The model is of no class whose trees are known."""


@dataclass(frozen=True, eq=False)
class CategoricalSplits:
    """Nodes that send a set of category codes to one side and every other code to the other.

    Codes never seen in training, negative ones included, are "every other". Missing values go by
    `TreeEnsemble.missing_left`, as everywhere.

    - `node` (n_splits,): global ids, ascending.
    - `start` (n_splits + 1,): the set of split i is codes[start[i]:start[i + 1]].
    - `codes`: ascending within each split.
    - `listed_left`: which side the codes of the set go to.
    - `rounding`: how the library makes a code of a number that is not whole.
    """

    node: NDArray[np.int32]
    start: NDArray[np.int64]
    codes: NDArray[np.int32]
    listed_left: bool
    rounding: Literal["trunc", "floor"]

    def listed(self, split: int) -> NDArray[np.int32]:
        """Return the set of one split."""
        return self.codes[self.start[split] : self.start[split + 1]]

    def goes_left(self, split: int, codes: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which codes go left at one split; those of missing values mean nothing here."""
        return np.asarray(np.isin(codes, self.listed(split)) == self.listed_left)


def no_categorical_splits() -> CategoricalSplits:
    """Return the splits of an ensemble that has only numeric ones."""
    return CategoricalSplits(
        np.empty(0, np.int32), np.zeros(1, np.int64), np.empty(0, np.int32), listed_left=True, rounding="floor"
    )


def splits_of_bitsets(
    node: NDArray[Any],
    words: NDArray[np.uint32],
    n_words: NDArray[np.intp],
) -> CategoricalSplits:
    """Read sets of codes that go left, written as bits.

    - `node` (n_splits,): global ids, ascending.
    - `words`: bit b of word w of a set stands for code 32 w + b; the sets stand one after another.
    - `n_words` (n_splits,).
    """
    bits = np.unpackbits(words.astype("<u4").view(np.uint8), bitorder="little").reshape(-1, 32)
    word, bit = np.nonzero(bits)
    first_word = np.cumsum(n_words) - n_words
    split_of_word = np.repeat(np.arange(len(node)), n_words)
    split = split_of_word[word]
    start = np.zeros(len(node) + 1, np.int64)
    np.cumsum(np.bincount(split, minlength=len(node)), out=start[1:])
    codes = (word - first_word[split]) * 32 + bit
    return CategoricalSplits(node.astype(np.int32), start, codes.astype(np.int32), listed_left=True, rounding="trunc")


@dataclass(frozen=True, eq=False)
class TreeEnsemble:
    """One output of a tree ensemble as arrays of nodes.

    An output is ``link.apply(base + sum over trees of the leaf that the row falls into)``, tree t
    adding to margin[t]. A row goes left at a numeric node where its number, as ``as_compared`` gives
    it, is at most (comparison "le") or less than ("lt") the threshold; where it is missing, by
    `missing_left`. Node ids are global: trees stand one after another. Nodes that no row can reach
    may be among them.

    - `feature` (n_nodes,): position of the column in X; -1 at leaves.
    - `threshold` (n_nodes,): NaN at leaves and at categorical nodes. May be infinite.
    - `left`, `right` (n_nodes,): -1 at leaves.
    - `missing_left` (n_nodes,).
    - `value` (n_nodes,): what a leaf adds to the margin; 0 at inner nodes.
    - `root` (n_trees,), `margin` (n_trees,), `base` (n_margins,).
    - `input_dtype`: what numbers are rounded to before they are compared: float32 or float64.
    - `library`: "scikit-learn", "XGBoost", "LightGBM" or "CatBoost".
    - `levels`: of features that may come as labels: the label of each code.
    - `levels_in_order`: labels of the columns that were categorical by dtype, first to last, where the library does not
      tell which columns these are: see `with_levels_of`.
    - `numbers_are_levels`: whether numbers, too, are looked up in `levels`; else they are codes already.
    - `missing_value`: a number that stands for missing besides NaN; NaN where there is none.
    - `zero_below`: numbers of at most this size count as 0.
    """

    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    missing_left: NDArray[np.bool_]
    value: NDArray[np.float64]
    root: NDArray[np.int32]
    margin: NDArray[np.int32]
    base: NDArray[np.float64]
    n_features: int
    comparison: Comparison
    input_dtype: np.dtype[Any]
    link: Link
    library: str
    categorical: CategoricalSplits = field(default_factory=no_categorical_splits)
    levels: Mapping[int, NDArray[np.object_]] = field(default_factory=dict)
    levels_in_order: tuple[NDArray[np.object_], ...] = ()
    numbers_are_levels: bool = False
    missing_value: float = float("nan")
    zero_below: float = 0.0

    def with_levels_of(self, columns: Sequence[int]) -> TreeEnsemble:
        """Return the ensemble with `levels_in_order` given to these columns of X, if they are as many."""
        if len(columns) != len(self.levels_in_order):
            return self
        in_order = dict(zip(columns, self.levels_in_order, strict=True))
        return replace(self, levels={**self.levels, **in_order})

    def as_compared(self, feature: int, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return values of a column as the trees compare them, NaN where they count as missing.

        - `values`: numbers or booleans; or objects, where the column holds labels.
        - returns: numbers, or codes where the nodes of this feature are categorical. Never decreasing in `values` where
          the nodes are numeric and `missing_value` is NaN.
        """
        levels = self.levels.get(feature)
        if levels is not None and (self.numbers_are_levels or values.dtype == object):
            return _codes_of_labels(values, levels)
        with np.errstate(over="ignore"):
            numbers = values.astype(self.input_dtype).astype(np.float64)
        if not np.isnan(self.missing_value):
            numbers[numbers == self.input_dtype.type(self.missing_value)] = np.nan
        if self.zero_below:
            numbers[np.abs(numbers) <= self.zero_below] = 0.0
        if feature in self._categorical_features:
            return np.asarray(np.trunc(numbers) if self.categorical.rounding == "trunc" else np.floor(numbers))
        return numbers

    def without_nodes(self) -> TreeEnsemble:
        """Return what `as_compared` needs, and of the nodes no more than that."""
        node = self.categorical.node
        few = replace(self.categorical, node=np.arange(len(node), dtype=np.int32))
        empty = np.empty(0)
        return replace(
            self, feature=self.feature[node], threshold=empty, value=empty, left=empty.astype(np.int32),
            right=empty.astype(np.int32), missing_left=empty.astype(np.bool_), categorical=few,
        )  # fmt: skip

    @cached_property
    def _categorical_features(self) -> frozenset[int]:
        return frozenset(self.feature[self.categorical.node].tolist())


def _codes_of_labels(values: NDArray[Any], levels: NDArray[np.object_]) -> NDArray[np.float64]:
    """Look labels up; a label that the model was not trained on counts as missing."""
    code = {label: float(position) for position, label in enumerate(levels)}
    nan = float("nan")
    return np.array([code.get(label, nan) for label in values.tolist()], np.float64)


@dataclass(frozen=True, eq=False)
class LocalTrees:
    """Trees one after another as a library gives them: node ids count from 0 in each tree.

    The arrays are the owner's to change: `ensemble_of` turns them into those of a `TreeEnsemble`
    in place, because a fully grown forest has millions of nodes.

    - `n_nodes` (n_trees,).
    - `feature`, `threshold`, `left`, `right`, `missing_left`, `value`: as in `TreeEnsemble`, besides ids and what
      stands at nodes where it means nothing; a negative feature marks a leaf.
    """

    n_nodes: NDArray[np.intp]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    missing_left: NDArray[np.bool_]
    value: NDArray[np.float64]

    @property
    def first_node(self) -> NDArray[np.int64]:
        """Return the global id of the first node of each tree."""
        return np.cumsum(self.n_nodes) - self.n_nodes

    def number_through(self) -> None:
        """Make node ids global, and clear what stands where it means nothing."""
        inner = self.feature >= 0
        # Where the leaves are follows no pattern, so a masked write would mispredict at every other node
        # and take ten times as long as arithmetic on all of them. All bits set are -1, and NaN in a float.
        ones = inner.astype(np.int32) - np.int32(1)
        offset = np.repeat(self.first_node.astype(np.int32), self.n_nodes)
        for child in (self.left, self.right):
            np.add(child, offset, out=child)
            np.bitwise_or(child, ones, out=child)
        np.bitwise_or(self.feature, ones, out=self.feature)
        bits = self.threshold.view(np.int64)
        np.bitwise_or(bits, ones, out=bits)
        np.logical_and(self.missing_left, inner, out=self.missing_left)
        np.multiply(self.value, ~inner, out=self.value)


def joined(arrays: Sequence[Any], dtype: type[Any]) -> NDArray[Any]:
    """Concatenate arrays into a new one of a dtype, without a copy on the way."""
    if not arrays:
        return np.empty(0, dtype)
    return np.concatenate(arrays, dtype=dtype, casting="unsafe")


def ensemble_of(
    trees: LocalTrees,
    *,
    base: NDArray[np.float64],
    n_features: int,
    comparison: Comparison,
    input_dtype: type[np.float32 | np.float64],
    link: Link,
    library: str,
    margin: NDArray[Any] | None = None,
    categorical: CategoricalSplits | None = None,
    levels: Mapping[int, NDArray[np.object_]] | None = None,
    levels_in_order: Sequence[NDArray[np.object_]] = (),
    numbers_are_levels: bool = False,
    missing_value: float = float("nan"),
    zero_below: float = 0.0,
) -> TreeEnsemble:
    """Make an ensemble of trees, in place; all trees add to margin 0 by default."""
    if trees.n_nodes.sum() > np.iinfo(np.int32).max:
        raise UnsupportedTreesError("The trees have more than 2**31 - 1 nodes.")
    root = trees.first_node.astype(np.int32)
    trees.number_through()
    splits = no_categorical_splits() if categorical is None else categorical
    trees.threshold[splits.node] = np.nan
    return TreeEnsemble(
        feature=trees.feature,
        threshold=trees.threshold,
        left=trees.left,
        right=trees.right,
        missing_left=trees.missing_left,
        value=trees.value,
        root=root,
        margin=np.zeros(len(root), np.int32) if margin is None else np.asarray(margin, np.int32),
        base=base,
        n_features=n_features,
        comparison=comparison,
        input_dtype=np.dtype(input_dtype),
        link=link,
        library=library,
        categorical=splits,
        levels={} if levels is None else levels,
        levels_in_order=tuple(levels_in_order),
        numbers_are_levels=numbers_are_levels,
        missing_value=missing_value,
        zero_below=zero_below,
    )
