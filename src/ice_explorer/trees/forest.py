"""A forest as it is read from a fitted model, in arrays that are the same for every library.

Libraries differ in two ways that are kept as data: how they treat a number before they compare it (`Inputs`), and what
becomes of the sum of the leaves (`Link`). Readers do not know the link of an objective: `accept_link` finds the one
that reproduces predictions of the model. Learning rates, weights of trees and averages are part of `value`, rules for
missing values of `missing_left`.
"""

from __future__ import annotations

import importlib
import inspect
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ice_explorer.errors import ICEExplorerError
from ice_explorer.trees.link import Link

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from ice_explorer.trees.link import LinkKind

_LIBRARIES = {"sklearn": "scikit-learn", "xgboost": "XGBoost", "lightgbm": "LightGBM", "catboost": "CatBoost"}
_SINGLE_TREES = {"DecisionTreeClassifier", "ExtraTreeClassifier"}
_RESPONSE_METHODS = ("predict", "predict_proba", "decision_function", "score_samples")
_KINDS_BY_RESPONSE: Mapping[str, tuple[LinkKind, ...]] = {
    "predict_proba": ("sigmoid", "softmax"),
    "log_odds": ("identity", "softmax_log_odds"),
    "decision_function": ("identity",),
    "predict": ("identity", "exp", "sigmoid", "softmax"),
}
_BEYOND_CODES = 1 << 33  # further from 0 than any code


class UnsupportedTreesError(ICEExplorerError):
    """The trees of this model cannot reproduce its predictions exactly; the message says why."""


class NotTreesError(UnsupportedTreesError):
    """The model is not one of the supported tree ensembles."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """How a library treats the values of a column before it compares them with thresholds.

    - `dtype`: what numbers are rounded to: float32 or float64.
    - `comparison`: a value goes left where it is at most ("le") or less than ("lt") the threshold.
    - `categorical`: columns that are split by sets of category codes.
    - `rounding`: how a code is made of a number that is not whole.
    - `levels`: by column that may come as labels: the label of each code.
    - `numbers_are_levels`: whether numbers, too, are looked up in `levels`; otherwise they are codes already.
    - `missing_value`: a number that stands for missing besides NaN; NaN where there is none.
    - `zero_below`: numbers of at most this size count as 0.
    """

    dtype: np.dtype[Any]
    comparison: Literal["le", "lt"]
    categorical: frozenset[int] = frozenset()
    rounding: Literal["trunc", "floor"] = "trunc"
    levels: Mapping[int, NDArray[np.object_]] = field(default_factory=dict)
    numbers_are_levels: bool = False
    missing_value: float = float("nan")
    zero_below: float = 0.0

    def as_compared(self, column: int, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return values of a column as the trees compare them, NaN where they count as missing.

        - `values`: numbers or booleans; or objects, where the column holds labels.
        - returns: numbers, or codes of a categorical column. Where the column is numeric and `missing_value` is NaN,
          they never decrease in `values`.
        """
        levels = self.levels.get(column)
        if levels is not None and (self.numbers_are_levels or values.dtype == object):
            codes = {label: float(code) for code, label in enumerate(levels)}
            # A label that the model was not trained on counts as missing.
            return np.array([codes.get(label, float("nan")) for label in values.tolist()], np.float64)
        with np.errstate(over="ignore"):
            numbers = values.astype(self.dtype).astype(np.float64)
        if not np.isnan(self.missing_value):
            numbers[numbers == self.dtype.type(self.missing_value)] = np.nan
        if self.zero_below:
            numbers[np.abs(numbers) <= self.zero_below] = 0.0
        if column in self.categorical:
            return np.asarray(np.trunc(numbers) if self.rounding == "trunc" else np.floor(numbers))
        return numbers

    def goes_left(self, compared: NDArray[np.float64], threshold: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which values go left of numeric thresholds; the result for NaN has no meaning."""
        return np.asarray(compared <= threshold if self.comparison == "le" else compared < threshold)


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees one after another; nodes are numbered from 0 in each tree, and 0 is the root.

    The output is ``link.apply(base + leaves)``, where each tree adds the leaf that a row falls into to one margin.

    - `n_nodes`, `margin` (n_trees,): nodes of each tree, and the margin that it adds to.
    - `feature` (n_nodes,): column of X; negative at leaves. Arrays by node hold anything where they have no meaning.
    - `threshold` (n_nodes,): the number of a set of codes at nodes of categorical columns. May be infinite.
    - `left`, `right` (n_nodes,): children.
    - `missing_left` (n_nodes,): whether missing values go left.
    - `value` (n_nodes,): what a leaf adds to the margin.
    - `base` (n_margins,).
    - `set_start` (n_sets + 1,), `set_codes`: codes of set s are set_codes[set_start[s]:set_start[s + 1]]; they go left
      if `listed_left`, and all other codes, seen in training or not, go to the other side.
    - `link`: set by `accept_link`.
    - `links`: candidates where the library has its own; otherwise those of the response.
    - `factors`: numbers that the margins may have to be multiplied by.
    - `is_base_output`: whether `base` is written as an output of the model, before the link is inverted.
    - `labels_in_order`: labels of each column that was categorical by its dtype, where the library does not say which
      columns these are.
    """

    library: str
    n_features: int
    inputs: Inputs
    n_nodes: NDArray[np.intp]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    missing_left: NDArray[np.bool_]
    value: NDArray[np.float64]
    margin: NDArray[np.int32]
    base: NDArray[np.float64]
    set_start: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    set_codes: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    listed_left: bool = True
    link: Link = Link()  # noqa: RUF009 - frozen
    links: tuple[Link, ...] = ()
    factors: tuple[float, ...] = (1.0,)
    is_base_output: bool = False
    labels_in_order: Sequence[NDArray[np.object_]] = ()

    def thresholds(self, column: int) -> NDArray[np.float64] | None:
        """Return the thresholds of a column, ascending; None where it is split by category."""
        return None if column in self.inputs.categorical else np.unique(self.threshold[self.feature == column])

    def members(self, number: int) -> NDArray[np.int32]:
        """Return the codes of a set."""
        return self.set_codes[self.set_start[number] : self.set_start[number + 1]]

    def predict(self, columns: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """Predict rows, given as columns of X (n_rows,) each."""
        return self.link.apply(self.base[:, None] + self.sum_leaves(columns))

    def sum_leaves(self, columns: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """Sum the leaves that rows fall into, (n_margins, n_rows).

        All trees are followed a level at a time, and nothing is shared with the sweep that this checks. Rows are so
        few that NumPy takes less time than loading numba.
        """
        n_rows = len(columns[0])
        compared = np.zeros((self.n_features, n_rows))
        for column in np.flatnonzero(np.bincount(self.feature[self.feature >= 0])).tolist():
            compared[column] = self.inputs.as_compared(column, columns[column])
        sums = np.zeros((len(self.base), n_rows))
        root = np.repeat(np.cumsum(self.n_nodes) - self.n_nodes, n_rows)
        node = root
        row = np.tile(np.arange(n_rows), len(self.n_nodes))
        cell = np.repeat(self.margin.astype(np.int64) * n_rows, n_rows) + row
        while len(node):
            is_leaf = self.feature.take(node) < 0
            if is_leaf.any():
                leaves = self.value.take(node[is_leaf])
                sums += np.bincount(cell[is_leaf], leaves, sums.size).reshape(sums.shape)
                node, root, row, cell = (array.take(np.flatnonzero(~is_leaf)) for array in (node, root, row, cell))
            number = compared.take(self.feature.take(node).astype(np.int64) * n_rows + row)
            node = root + np.where(self._goes_left(node, number), self.left.take(node), self.right.take(node))
        return sums

    def _goes_left(self, node: NDArray[np.int64], number: NDArray[np.float64]) -> NDArray[np.bool_]:
        threshold, missing = self.threshold.take(node), np.isnan(number)
        left = self.inputs.goes_left(number, threshold)
        if self.inputs.categorical:
            by_set = np.flatnonzero(np.isin(self.feature.take(node), list(self.inputs.categorical)) & ~missing)
            keys = _number_codes(threshold[by_set], number[by_set])
            left[by_set] = np.isin(keys, self._listed_keys) == self.listed_left
        return np.where(missing, self.missing_left.take(node), left)

    @cached_property
    def _listed_keys(self) -> NDArray[np.int64]:
        return _number_codes(np.repeat(np.arange(len(self.set_start) - 1), np.diff(self.set_start)), self.set_codes)

    def candidates(self, position: int | None, response: str) -> Iterator[tuple[Link, float, NDArray[np.float64]]]:
        """Yield each link with a factor of the margins and a base that may make predictions of them."""
        is_single = len(self.base) == 1
        output = 0 if is_single else position or 0
        kinds = _KINDS_BY_RESPONSE.get(response, ()) if output < len(self.base) else ()
        links = [Link(kind, output=output) for kind in kinds if not (is_single and kind.startswith("softmax"))]
        # The first of two classes has the margin of the second with the other sign.
        signs = (1.0, -1.0) if is_single and position == 0 and not self.links else (1.0,)
        factors = sorted({sign * factor for sign, factor in product(signs, self.factors)}, reverse=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            by_kind = {"sigmoid": np.log(self.base) - np.log1p(-self.base), "exp": np.log(self.base)}
        for link in self.links or links:
            bases = [by_kind.get(link.kind, self.base) if self.is_base_output else self.base]
            if self.is_base_output and link.kind == "identity" and response != "predict":
                bases += by_kind.values()  # margins are explained themselves, and their link is unknown
            yield from ((link, factor, base) for base in bases if np.isfinite(base).all() for factor in factors)

    def select_margin(self, number: int) -> Forest:
        """Return the forest of one margin alone."""
        is_kept = self.margin == number
        nodes = np.repeat(is_kept, self.n_nodes)
        return replace(
            self, n_nodes=self.n_nodes[is_kept], margin=np.zeros(is_kept.sum(), np.int32), base=self.base[[number]],
            feature=self.feature[nodes], threshold=self.threshold[nodes], left=self.left[nodes],
            right=self.right[nodes], missing_left=self.missing_left[nodes], value=self.value[nodes],
        )  # fmt: skip


def accept_link(
    forest: Forest,
    position: int | None,
    response: str,
    columns: Sequence[NDArray[Any]],
    difference: Callable[[NDArray[np.float64]], float],
    *,
    tolerance: float,
) -> tuple[Forest, float]:
    """Return the forest with the link that reproduces the predictions of the model.

    - `position`, `response`: as `Predictor` has them.
    - `columns`: rows that the model itself has predicted, by column of X.
    - `difference`: how far predictions of these rows are from the model's own.
    - returns: the smallest difference, too; the link is only set where that is within the tolerance.
    - raises UnsupportedTreesError: if the rows do not tell several links apart.
    """
    leaves = forest.sum_leaves(columns)
    tried = []
    for link, factor, base in forest.candidates(position, response):
        with np.errstate(over="ignore", invalid="ignore"):
            outputs = link.apply(factor * (base[:, None] + leaves))
        # Saturated probabilities are also what a model returns that predicts classes.
        is_saturated = link.kind in {"sigmoid", "softmax"} and np.isin(outputs.round(4), (0.0, 1.0)).all()
        is_refused = np.isnan(outputs).any() or (response == "predict" and is_saturated)
        tried.append((float("inf") if is_refused else difference(outputs), link, factor, base))
    smallest = min((error for error, *_ in tried), default=float("inf"))
    matches = [candidate for candidate in tried if candidate[0] <= tolerance]
    if not matches:
        return forest, smallest
    if len(matches) > 1 and (forest.feature >= 0).any():
        raise UnsupportedTreesError(
            "Several functions of the sum of the leaves reproduce the predictions of the model."
        )
    _, link, factor, base = matches[0]
    forest = replace(forest, base=base)
    if len(base) > 1 and not link.kind.startswith("softmax"):
        forest, link = forest.select_margin(link.output), replace(link, output=0)
    value = forest.value if factor == 1.0 else forest.value * factor
    return replace(forest, link=link, value=value, base=forest.base * factor), smallest


def read_forest(model: Any, position: int | None, response: str, categorical_columns: Sequence[int] = ()) -> Forest:
    """Read the trees of a fitted model of scikit-learn, XGBoost, LightGBM or CatBoost.

    - `position`: index into the classes or outputs of the model, as `Predictor` has it.
    - `response`: as `Predictor` has it.
    - `categorical_columns`: columns of X that are categorical by their dtype, to which `labels_in_order` belong.
    - raises UnsupportedTreesError: if the model is not a supported tree ensemble, or not a sum of its leaves.
    """
    for known in type(model).__mro__:
        library = known.__module__.partition(".")[0]
        if library not in _LIBRARIES:
            continue
        reader = importlib.import_module(f"ice_explorer.trees.read_{library}").READERS.get(known.__name__)
        if reader is None:
            continue
        for method in _RESPONSE_METHODS:
            if inspect.getattr_static(type(model), method, None) is not inspect.getattr_static(known, method, None):
                raise UnsupportedTreesError(
                    f"{type(model).__name__} overrides {method}(), "
                    f"which the trees of {known.__name__} may not reproduce."
                )
        has_ties = known.__name__.endswith(("Classifier", "IsolationForest")) and known.__name__ not in _SINGLE_TREES
        if response == "predict" and has_ties:
            raise UnsupportedTreesError(
                f"The class predicted by {type(model).__name__} is ambiguous where classes tie, and ties depend on the "
                "order in which the trees are summed."
            )
        try:
            forest: Forest = reader(model, position, response)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise UnsupportedTreesError(
                f"This version of {_LIBRARIES[library]} stores its trees in an unknown format "
                f"({type(error).__name__}: {error})."
            ) from error
        if not len(forest.n_nodes):
            raise UnsupportedTreesError(f"{type(model).__name__} has no trees.")
        if forest.labels_in_order and len(forest.labels_in_order) == len(categorical_columns):
            levels = dict(zip(categorical_columns, forest.labels_in_order, strict=True))
            forest = replace(forest, inputs=replace(forest.inputs, levels=levels))
        return forest
    raise NotTreesError(f"{type(model).__name__} is not a supported tree ensemble.")


def _number_codes(numbers: NDArray[Any], codes: NDArray[Any]) -> NDArray[np.int64]:
    """Return one number for each pair of a set and a code, so that one look-up is for all sets."""
    limited = np.clip(codes, -_BEYOND_CODES, _BEYOND_CODES - 1).astype(np.int64)
    return np.asarray(numbers.astype(np.int64) * (2 * _BEYOND_CODES) + limited)


def join(arrays: Sequence[Any], dtype: type[Any]) -> NDArray[Any]:
    """Concatenate arrays into a new one of a dtype, without another copy."""
    return np.concatenate(arrays, dtype=dtype, casting="unsafe") if arrays else np.empty(0, dtype)


def codes_from_bits(
    words: NDArray[np.uint32], n_words: NDArray[np.intp]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return `set_start` and `set_codes` of sets that are written as bits, one set after another.

    - `words`: bit b of word w of a set stands for code 32 w + b.
    - `n_words` (n_sets,).
    """
    bits = np.unpackbits(words.astype("<u4").view(np.uint8), bitorder="little").reshape(-1, 32)
    word, bit = np.nonzero(bits)
    number = np.repeat(np.arange(len(n_words)), n_words)[word]
    first_word = np.cumsum(n_words) - n_words
    start = np.append(0, np.cumsum(np.bincount(number, minlength=len(n_words))))
    return start.astype(np.int64), ((word - first_word[number]) * 32 + bit).astype(np.int32)
