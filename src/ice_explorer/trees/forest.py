"""A tree ensemble as every reader writes it, and the link from the sums of its leaves to what is explained."""

from __future__ import annotations

import importlib
import inspect
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, assert_never

import numpy as np

from ice_explorer.errors import ICEExplorerError
from ice_explorer.trees.curves import TreeCurves

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

    def goes_left(self, compared: NDArray[np.float64], threshold: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which values go left of numeric thresholds; the result for NaN has no meaning."""
        return np.asarray(compared <= threshold if self.comparison == "le" else compared < threshold)

    def thresholds(self, column: int) -> NDArray[np.float64] | None:
        """Return the thresholds of a column, ascending; None where it is split by category."""
        return None if column in self.categorical else np.unique(self.threshold[self.feature == column])

    def members(self, number: int) -> NDArray[np.int32]:
        """Return the codes of a set."""
        return self.set_codes[self.set_start[number] : self.set_start[number + 1]]

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
