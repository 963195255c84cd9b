"""A tree ensemble as every reader writes it, the link from the sums of its leaves, and exact ICE curves of it.

All features are swept at once. Rows and grids are ranked among the thresholds, by the library's own cast and
comparison; from then on everything is integer and independent of the library. A curve can change only where the grid
steps over a threshold: these intervals are called *active*, and a *position* is a stretch between two of them.
"""

from __future__ import annotations

import importlib
import inspect
import math
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, assert_never

import numpy as np

from ice_explorer.errors import ICEExplorerError
from ice_explorer.locks import Lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray


LinkKind = Literal["identity", "exp", "sigmoid", "softmax", "softmax_log_odds"]

_KINDS: Mapping[str, tuple[LinkKind, ...]] = {
    "predict_proba": ("identity", "sigmoid", "softmax"),
    "log_odds": ("identity", "softmax_log_odds"),
    "decision_function": ("identity",),
    "predict": ("identity", "exp", "sigmoid", "softmax"),
}


@dataclass(frozen=True)
class Link:
    """A function from the margins of a row to one output.

    - `kind`: "identity"; "exp"; "sigmoid", 1 / (1 + exp(-m)); "softmax", the share of one of several margins;
      "softmax_log_odds", its log-odds.
    - `output`: the margin that the output belongs to.
    """

    kind: LinkKind = "identity"
    output: int = 0

    def apply(self, margins: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn margins (n_margins, …) into outputs (…)."""
        m: NDArray[np.float64] = margins[self.output]
        match self.kind:
            case "identity":
                return m
            case "exp":
                return np.asarray(np.exp(m))
            case "sigmoid":
                with np.errstate(over="ignore"):
                    odds = np.asarray(np.exp(-m))
                odds += 1.0
                np.divide(1.0, odds, out=odds)  # in place, because new memory takes longer than the division
                return odds
            case "softmax":
                shifted = np.exp(margins - margins.max(axis=0))
                return np.asarray(shifted[self.output] / shifted.sum(axis=0))
            case "softmax_log_odds":
                others = np.delete(margins, self.output, axis=0)
                highest = others.max(axis=0)
                return np.asarray(m - (highest + np.log(np.exp(others - highest).sum(axis=0))))
        assert_never(self.kind)


def list_links(response: str, n_margins: int, position: int | None) -> list[tuple[Link, float]]:
    """Return links that a response may have, each with a sign of the margins.

    - `position`: of the class or output; the first of two classes has the margin of the second with the other sign.
    """
    if n_margins == 1:
        signs = (1.0, -1.0) if position == 0 else (1.0,)
        return [(Link(kind), sign) for kind in _KINDS.get(response, ()) if "softmax" not in kind for sign in signs]
    output = position or 0
    return [(Link(kind, output=output), 1.0) for kind in _KINDS.get(response, ()) if output < n_margins]


_LIBRARIES = {"sklearn": "scikit-learn", "xgboost": "XGBoost", "lightgbm": "LightGBM", "catboost": "CatBoost"}
_SINGLE_TREES = {"DecisionTreeClassifier", "ExtraTreeClassifier"}
_RESPONSE_METHODS = ("predict", "predict_proba", "decision_function", "score_samples")


class NotExactError(ICEExplorerError):
    """A method cannot compute the curves of this model exactly; the message says why."""

    @classmethod
    def unknown_format(cls, library: str, what: str, error: Exception) -> NotExactError:
        """Return the error for a fitted model that cannot be read."""
        cause = f"{type(error).__name__}: {error}"
        return cls(f"This version of {library} stores {what} in an unknown format ({cause}).")


class UnsupportedModelError(NotExactError):
    """The model is of a kind that the method is not made for."""


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
    - `dtype`: what numbers are rounded to before they are compared: float32 or float64.
    - `comparison`: a value goes left where it is at most ("le") or less than ("lt") the threshold.
    - `missing_value`: a number that stands for missing besides NaN; NaN where there is none.
    - `zero_below`: numbers of at most this size count as 0.
    - `categorical`: columns that are split by sets of category codes.
    - `rounding`: how a code is made of a number that is not whole.
    - `levels`: by column that may come as labels: the label of each code.
    - `numbers_are_levels`: whether numbers, too, are looked up in `levels`; otherwise they are codes already.
    - `labels_in_order`: labels of each column that was categorical by its dtype, where the library does not say which
      columns these are.
    - `set_start` (n_sets + 1,), `set_codes`: codes of set s are set_codes[set_start[s]:set_start[s + 1]]; they go left
      if `listed_left`, and all other codes, seen in training or not, go to the other side.
    - `link`: identity until one is accepted.
    - `factors`: numbers that the margins may have to be multiplied by.
    - `is_base_output`: whether `base` is written as an output of the model, before the link is inverted.
    """

    library: str
    n_columns: int
    n_nodes: NDArray[np.intp]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    missing_left: NDArray[np.bool_]
    value: NDArray[np.float64]
    margin: NDArray[np.int32]
    base: NDArray[np.float64]
    dtype: np.dtype[Any]
    comparison: Literal["le", "lt"] = "le"
    missing_value: float = float("nan")
    zero_below: float = 0.0
    categorical: frozenset[int] = frozenset()
    rounding: Literal["trunc", "floor"] = "trunc"
    levels: Mapping[int, NDArray[np.object_]] = field(default_factory=dict)
    numbers_are_levels: bool = False
    labels_in_order: Sequence[NDArray[np.object_]] = ()
    set_start: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    set_codes: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    listed_left: bool = True
    link: Link = Link()
    factors: tuple[float, ...] = (1.0,)
    is_base_output: bool = False

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

    @property
    def unused(self) -> list[int]:
        """Columns that no node splits."""
        return list(np.setdiff1d(np.arange(self.n_columns), self.feature).tolist())

    def candidates(
        self, columns: Sequence[NDArray[Any]], _predicted: object, position: int | None, response: str
    ) -> Iterator[tuple[Callable[..., TreeCurves], NDArray[np.float64]]]:
        """Yield what makes curves, with each link, factor and base, and what it predicts of columns (n_rows,).

        - `position`, `response`: as `Predictor` has them.
        """
        # The sweep that computes curves also sums the leaves.
        leaves = TreeCurves(replace(self, base=0.0 * self.base), columns, {}).sweep([])(np.arange(len(columns[0]))).base
        with np.errstate(divide="ignore", invalid="ignore"):
            by_kind = {"sigmoid": np.log(self.base) - np.log1p(-self.base), "exp": np.log(self.base)}
        for link, sign in list_links(response, len(self.base), position):
            bases = [by_kind.get(link.kind, self.base) if self.is_base_output else self.base]
            if self.is_base_output and link.kind == "identity" and response != "predict":
                bases += by_kind.values()  # margins are explained themselves, and their link is unknown
            for base, factor in product(bases, self.factors):
                with np.errstate(over="ignore", invalid="ignore"):
                    outputs = link.apply(sign * factor * (base[:, None] + leaves))
                # Saturated probabilities are also what a model returns that predicts classes.
                is_saturated = link.kind in {"sigmoid", "softmax"} and np.isin(outputs.round(4), (0.0, 1.0)).all()
                if np.isfinite(base).all() and not (response == "predict" and is_saturated):
                    yield partial(self._curves, (link, sign * factor, base)), outputs

    def _curves(
        self, candidate: tuple[Link, float, NDArray[np.float64]], columns: Sequence[NDArray[Any]], free: Any
    ) -> TreeCurves:
        """Make curves with one of the links; of several margins only a softmax needs all."""
        link, factor, base = candidate
        value = self.value if factor == 1.0 else self.value * factor
        forest = replace(self, link=link, value=value, base=base * factor)
        if len(base) > 1 and not link.kind.startswith("softmax"):
            is_kept = self.margin == link.output
            nodes = np.repeat(is_kept, self.n_nodes)
            by_node = ("feature", "threshold", "left", "right", "missing_left", "value")
            forest = replace(
                forest, link=replace(link, output=0), base=forest.base[[link.output]], n_nodes=self.n_nodes[is_kept],
                margin=np.zeros(is_kept.sum(), np.int32), **{name: getattr(forest, name)[nodes] for name in by_node},
            )  # fmt: skip
        return TreeCurves(forest, columns, free)


def read_forest(model: Any, position: int | None, response: str, categorical_columns: Sequence[int] = ()) -> Forest:
    """Read the trees of a fitted model of scikit-learn, XGBoost, LightGBM or CatBoost.

    - `position`: index into the classes or outputs of the model, as `Predictor` has it.
    - `response`: as `Predictor` has it.
    - `categorical_columns`: columns of X that are categorical by their dtype, to which `labels_in_order` belong.
    - raises NotExactError: if the model is not a supported tree ensemble, or not a sum of its leaves.
    """
    name = type(model).__name__
    for known in type(model).__mro__:
        library = known.__module__.partition(".")[0]
        if library not in _LIBRARIES:
            continue
        reader = importlib.import_module(f"ice_explorer.trees.read_{library}").READERS.get(known.__name__)
        if reader is None:
            continue
        for method in _RESPONSE_METHODS:
            if inspect.getattr_static(type(model), method, None) is not inspect.getattr_static(known, method, None):
                raise NotExactError(
                    f"{name} overrides {method}(), which the trees of {known.__name__} may not reproduce."
                )
        has_ties = known.__name__.endswith("Classifier") and known.__name__ not in _SINGLE_TREES
        if response == "predict" and has_ties:
            raise NotExactError(
                f"The class predicted by {name} is ambiguous where classes tie, and ties depend on the order in which "
                "the trees are summed."
            )
        try:
            forest: Forest = reader(model, position, response)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise NotExactError.unknown_format(_LIBRARIES[library], "its trees", error) from error
        if not len(forest.n_nodes):
            raise NotExactError(f"{name} has no trees.")
        if forest.labels_in_order and len(forest.labels_in_order) == len(categorical_columns):
            return replace(forest, levels=dict(zip(categorical_columns, forest.labels_in_order, strict=True)))
        return forest
    raise UnsupportedModelError(f"{name} is not a supported tree ensemble.")


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


# --- curves ---------------------------------------------------------------------------------------

_FEWEST_ROWS, _MOST_ROWS = 2048, 8192  # of a block: its rows share what is done once per node
_MOST_BYTES = 256_000_000  # of the difference arrays of a block, which a few thousand positions make large
_ROWS_AT_A_TIME = 1 << 16  # that are ranked, or ordered
_MOST_CELLS = 1 << 23  # nodes × grid values that are looked at together
MOST_FEATURES = (1 << 16) - 1
"""Features that can be swept together: what an item can name."""

_Side: TypeAlias = Literal["left", "right"]


class VariedFeatures(NamedTuple):
    """Features that are free to move while all others are fixed.

    - `mover` (n_columns,): which feature moves a column, -1 where none does.
    - `n_positions` (n_movers,).
    - `in_runs` (n_movers,): whether the nodes of a feature send runs of positions left, instead of those before a cut.
    - `offsets` (n_movers,): where the cells of a feature start; it has one more than it has positions.
    - `width`: cells of a row in one margin.
    """

    mover: NDArray[np.int32]
    n_positions: NDArray[np.int32]
    in_runs: NDArray[np.bool_]
    offsets: NDArray[np.uint64]
    width: int


class TreeCurves:
    """A forest, the rows it is explained on and the grids, ready to be swept.

    Nodes are numbered such that siblings are neighbours and node t is the root of tree t. A feature that moves takes
    the positions 0 … n_positions - 1. A node that splits one of its columns sends some of them left: the first ones up
    to a cut, or, unless a single column follows the order of the positions, any of them, written as runs.

    - `columns`: values of every column of X, (n_rows,) each.
    - `free`: by feature, the columns that move with it, together (n_places,), and what they become at each grid value
      (n_grid, n_places). A column moves with one feature at most.
    - `nodes` (n_nodes, 4): column (-1 at a leaf), rank of the threshold, left child (the right one is next to it), cut.
    - `value` (n_nodes,): leaf values.
    - `margins` (n_trees,): the margin that each tree adds to.
    - `deepest`: nodes above the deepest leaf.
    - `missing_left` (n_nodes,): whether a missing value goes left.
    - `category_start` (n_nodes,): where the bits of a categorical node start in `category_words`, -1 for numeric nodes.
    - `category_words`: bit r of a node: category rank r goes left.
    - `run_start` (n_nodes + 1,) or (1,): runs of a node: runs[run_start[node]:run_start[node + 1]]; a single 0 where no
      feature has any.
    - `runs` (n_runs, 2): first position of each run, and the one after its last.
    - `active`: by feature, the intervals of its grid in which curves can change.
    - `in_runs`: features whose nodes send runs of positions left.
    - `ranks` (n_columns, n_rows): of the rows of X, in as few bytes as possible.
    - `counters` (2,): node visits and emitted items so far, which do not depend on the machine.
    """

    def __init__(
        self, forest: Forest, columns: Sequence[NDArray[Any]], free: Mapping[int, tuple[NDArray[np.intp], NDArray[Any]]]
    ) -> None:
        from ice_explorer.trees.sweep_numba import renumber  # on first use, because numba takes a while to import

        order = np.empty(len(forest.feature), np.int64)
        nodes = np.zeros((len(order), 4), np.int32)
        end, self.deepest = renumber(forest.n_nodes, forest.feature, forest.left, forest.right, order, nodes)
        order, self.nodes = order[:end], nodes[:end]
        self.base, self.link, self.margins = forest.base, forest.link, forest.margin
        self.value, self.missing_left = forest.value[order], forest.missing_left[order]
        self.category_start, self.category_words = np.full(end, -1, np.int32), np.zeros(1, np.uint64)
        # The forest as it was read is not kept: fully grown ones have millions of nodes.
        self._read, self._threshold = forest, forest.threshold[order]
        self._by_column = self._split_nodes(len(columns))
        self.ranks = self._rank(columns)
        self.active: dict[int, NDArray[np.intp]] = {}
        self.in_runs: set[int] = set()
        self.run_start, self.runs = self._write_positions(free)
        del self._read, self._threshold, self._by_column
        self.counters = np.zeros(2, np.int64)
        self._counting = Lock()
        self._places = {feature: places for feature, (places, _) in free.items()}
        self.movers = self._move(list(free))

    def _split_nodes(self, n_columns: int) -> dict[int, NDArray[np.int64]]:
        inner = np.flatnonzero(self.nodes[:, 0] >= 0)
        column = self.nodes[inner, 0]
        # Small numbers are sorted by counting.
        inner = inner[np.argsort(column.astype(np.min_scalar_type(n_columns)), kind="stable")]
        ends = np.cumsum(np.bincount(column, minlength=n_columns))
        parts = np.split(inner, ends[:-1])
        return {column: nodes for column, nodes in enumerate(parts) if len(nodes)}

    def _rank(self, columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Rank the thresholds, such that values of at most this rank go left; return the ranks of the rows."""
        scales = {column: self._rank_thresholds(column, columns[column]) for column in self._by_column}
        most = max((len(numbers) for numbers, _ in scales.values()), default=0)
        dtype: np.dtype[Any] = np.dtype(
            next(each for each in (np.uint8, np.uint16, np.int32) if most < np.iinfo(each).max)
        )
        ranks = np.zeros((len(columns), len(columns[0])), dtype)
        for column, (numbers, side) in scales.items():
            for start in range(0, ranks.shape[1], _ROWS_AT_A_TIME):
                rows = slice(start, start + _ROWS_AT_A_TIME)
                compared = self._read.as_compared(column, columns[column][rows])
                places = np.searchsorted(numbers, compared, side)
                ranks[column, rows] = np.where(np.isnan(compared), np.iinfo(dtype).max, places)
        return ranks

    def _rank_thresholds(self, column: int, values: NDArray[Any]) -> tuple[NDArray[np.float64], _Side]:
        """Return the numbers among which values of a column are ranked, and on which side of equal ones.

        These are the thresholds, or the values themselves where those are fewer; ascending, without NaN.
        """
        forest, nodes = self._read, self._by_column[column]
        thresholds, is_strict = self._threshold[nodes], forest.comparison == "lt"
        if column not in forest.categorical and len(nodes) <= 4 * len(values):
            numbers, self.nodes[nodes, 1] = np.unique(thresholds, return_inverse=True)
            return numbers, "right" if is_strict else "left"
        observed = np.unique(forest.as_compared(column, values))
        observed = observed[~np.isnan(observed)]
        if column in forest.categorical:
            n_words = len(observed) // 64 + 1
            bits = np.zeros((len(nodes), n_words * 64), np.uint8)
            bits[:, : len(observed)] = self._goes_left(column, nodes, observed)
            self.category_start[nodes] = len(self.category_words) + n_words * np.arange(len(nodes))
            words = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
            self.category_words = np.concatenate([self.category_words, words.ravel()])
        else:
            self.nodes[nodes, 1] = np.searchsorted(observed, thresholds, "left" if is_strict else "right") - 1
        return observed, "left"

    def _goes_left(self, column: int, nodes: NDArray[np.int64], compared: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which values go left at nodes of a column, (n_nodes, n_values)."""
        forest, thresholds = self._read, self._threshold[nodes]
        if column in forest.categorical:
            start, sets = forest.set_start, thresholds.astype(np.int64).tolist()
            is_listed = [np.isin(compared, forest.set_codes[start[number] : start[number + 1]]) for number in sets]
            left = np.array(is_listed).reshape(len(nodes), len(compared)) == forest.listed_left
        else:
            left = (np.less_equal if forest.comparison == "le" else np.less)(compared, thresholds[:, None])
        left[:, np.isnan(compared)] = self.missing_left[nodes][:, None]
        return np.asarray(left)

    def _write_positions(
        self, free: Mapping[int, tuple[NDArray[np.intp], NDArray[Any]]]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Write which positions of each feature go left at the nodes that split its columns; return the runs."""
        forest = self._read
        written = []
        for feature, (places, grid) in free.items():
            moved = [
                (place, forest.as_compared(place, grid[:, index]))
                for index, place in enumerate(places.tolist())
                if place in self._by_column
            ]
            if not moved:
                self.active[feature] = np.empty(0, np.intp)
            elif len(moved) == 1 and self._is_in_order(*moved[0]):
                self.active[feature] = self._write_cuts(*moved[0])
            else:
                self.in_runs.add(feature)
                node, edges = (np.concatenate(parts) for parts in zip(*self._grid_runs(moved), strict=True))
                begins = np.union1d(0, edges[edges < len(grid)])
                self.active[feature] = begins[1:] - 1
                written.append((node, np.searchsorted(begins, edges)))
        if not written:
            return np.zeros(1, np.int64), np.empty((0, 2), np.int32)
        node, runs = (np.concatenate(parts) for parts in zip(*written, strict=True))
        start = np.append(0, np.cumsum(np.bincount(node, minlength=len(self.nodes))))
        return start, runs[np.argsort(node, kind="stable")].astype(np.int32)

    def _is_in_order(self, column: int, compared: NDArray[np.float64]) -> bool:
        """Whether each node sends left what lies before some grid value."""
        is_numeric = column not in self._read.categorical and not np.isnan(compared).any()
        return is_numeric and bool((compared[1:] >= compared[:-1]).all())

    def _write_cuts(self, column: int, compared: NDArray[np.float64]) -> NDArray[np.intp]:
        """Write how many positions go left at each node of a column; return the active intervals."""
        nodes, n_grid = self._by_column[column], len(compared)
        side: _Side = "right" if self._read.comparison == "le" else "left"
        n_left = np.searchsorted(compared, self._threshold[nodes], side)
        occurs = np.zeros(n_grid + 1, np.bool_)
        occurs[n_left] = True
        steps = np.flatnonzero(occurs[1:n_grid]) + 1
        cut = np.searchsorted(steps, np.arange(n_grid + 1), side="left") + 1
        cut[0], cut[n_grid] = 0, len(steps) + 1
        self.nodes[nodes, 3] = cut[n_left]
        return steps - 1

    def _grid_runs(
        self, moved: Sequence[tuple[int, NDArray[np.float64]]]
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield runs of grid values that go left: the node of each, and where it starts and ends, (n_runs, 2)."""
        for column, compared in moved:
            step = max(1, _MOST_CELLS // len(compared))
            for start in range(0, len(self._by_column[column]), step):
                nodes = self._by_column[column][start : start + step]
                left = self._goes_left(column, nodes, compared).astype(np.int8)
                steps = np.diff(left, axis=1, prepend=0, append=0)
                node, first = np.nonzero(steps == 1)
                yield nodes[node], np.column_stack([first, np.nonzero(steps == -1)[1]])

    def _move(self, features: Sequence[int]) -> VariedFeatures:
        n_positions = np.array([len(self.active[feature]) + 1 for feature in features], np.int32)
        mover = np.full(len(self.ranks), -1, np.int32)
        for index, feature in enumerate(features):
            mover[self._places[feature]] = index
        in_runs = np.array([feature in self.in_runs for feature in features], np.bool_)
        ends = np.cumsum(n_positions + 1, dtype=np.int64)
        offsets = (ends - n_positions - 1).astype(np.uint64)
        return VariedFeatures(mover, n_positions, in_runs, offsets, width=int((n_positions + 1).sum()))

    def row_bytes(self, features: Sequence[int]) -> int:
        """Bytes that a row takes while it is swept for some features."""
        width = sum(len(self.active[feature]) + 2 for feature in features)
        return 8 * (width * len(self.base) + 1) + 512

    def rows_per_block(self, memory_limit: int, features: Sequence[int]) -> int:
        """Return how many rows are swept at a time: few for small trees, more for large ones, within the limit."""
        per_tree, row_bytes = len(self.nodes) // max(1, len(self.margins)), self.row_bytes(features)
        wanted = int(np.clip(per_tree, _FEWEST_ROWS, min(_MOST_ROWS, _MOST_BYTES // row_bytes)))
        return max(1, min(wanted, memory_limit // row_bytes))

    def order_by_leaves(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Order rows by the leaves of the first tree that they fall into.

        Rows that are alike take the same paths through the other trees, too, and write to memory that lies closer
        together: a forest is swept up to twice as fast.
        """
        from ice_explorer.trees.sweep_numba import number_leaves

        leaves = np.empty(len(positions))
        for start in range(0, len(positions), _ROWS_AT_A_TIME):
            rows = positions[start : start + _ROWS_AT_A_TIME]
            ranks, special = self._prepare(rows, self.movers)
            number_leaves(self.nodes, special, ranks, len(rows), leaves[start : start + _ROWS_AT_A_TIME])
        return positions[np.argsort(leaves, kind="stable")]

    def sweep(self, features: Sequence[int]) -> Callable[[NDArray[np.int64]], Jumps]:
        """Return a function from rows to the jumps of features; several threads may call it at once."""
        from ice_explorer.trees.sweep_numba import sweep

        movers = self._move(features)
        starts = dict(zip(features, movers.offsets.tolist(), strict=True))
        n_runs = len(features) + self.deepest * int(movers.n_positions[movers.in_runs].max(initial=0))
        spare: list[NDArray[np.float64]] = []  # cells that are 0 again: new memory takes as long as the sums

        def sweep_rows(positions: NDArray[np.int64]) -> Jumps:
            base = np.repeat(self.base[:, None], len(positions), axis=1)
            shape = (len(base), movers.width, len(positions))
            n_cells = math.prod(shape)
            try:
                cells = spare.pop()
            except IndexError:
                cells = np.zeros(n_cells)
            if len(cells) < n_cells:
                cells = np.zeros(n_cells)
            counters = np.zeros(2, np.int64)
            ranks, special = self._prepare(positions, movers)
            sweep(
                self.nodes, self.value, self.deepest, self.margins, movers.mover, movers.n_positions, movers.offsets,
                movers.width, special, np.empty((n_runs, 2), np.int32), ranks, len(positions), cells[:n_cells],
                base.ravel(), counters,
            )  # fmt: skip
            with self._counting:
                self.counters += counters
            jumps = cells[:n_cells].reshape(shape)
            return Jumps(jumps, base, starts, self.active, self.link, lambda: spare.append(cells))

        return sweep_rows

    def _prepare(
        self, positions: NDArray[np.int64], movers: VariedFeatures
    ) -> tuple[NDArray[Any], tuple[Any, ...] | None]:
        """Return ranks in one of the two dtypes that kernels are compiled for, and the arrays of special cases.

        These are None for most forests and rows, because the sweep is slower with them.
        """
        ranks = self.ranks[:, positions]
        missing, special = np.iinfo(ranks.dtype).max, None
        if len(self.category_words) > 1 or movers.in_runs.any() or (ranks == missing).any():
            special = (
                self.missing_left, self.category_start, self.category_words,
                movers.in_runs, self.run_start, self.runs, missing,
            )  # fmt: skip
        return ranks.astype(np.int32 if ranks.dtype == np.int32 else np.uint16).ravel(), special


@dataclass(frozen=True, eq=False)
class Jumps:
    """How margins of a block of rows change from one stretch of a grid to the next, by feature.

    A feature is read once, which sets its cells back to 0.

    - `cells` (n_margins, width, n_rows): those of a feature are neighbours, one more than it has stretches.
    - `base` (n_margins, n_rows): margins of the rows themselves.
    - `starts`: by feature, where its cells begin.
    - `active`, `link`: as `TreeCurves` has them.
    - `release`: returns the cells for other rows, once every feature is read.
    """

    cells: NDArray[np.float64]
    base: NDArray[np.float64]
    starts: Mapping[int, int]
    active: Mapping[int, NDArray[np.intp]]
    link: Link
    release: Callable[[], None]

    def to_compiled(self, feature: int) -> tuple[NDArray[np.float64], NDArray[np.float64], int, int] | None:
        """Return jumps, base, first cell of a feature and link, from which compiled sums make curves.

        - returns None: where the link is not compiled, or there are several margins.
        """
        from ice_explorer.trees.sweep_numba import LINKS

        link = LINKS.get(self.link.kind)
        if link is None or len(self.base) > 1:
            return None
        return self.cells[0], self.base[0], self.starts[feature], link

    def curves(self, feature: int) -> NDArray[np.float64]:
        """Read a feature: its curves on the stretches between active intervals, (n_rows, n_active + 1)."""
        from ice_explorer.trees.sweep_numba import sum_margins

        n_margins, n_rows = self.base.shape
        margins: NDArray[np.float64] = np.empty((n_margins, len(self.active[feature]) + 1, n_rows))
        sum_margins(self.cells, self.base, self.starts[feature], margins)
        return self.link.apply(np.ascontiguousarray(margins.swapaxes(1, 2)))
