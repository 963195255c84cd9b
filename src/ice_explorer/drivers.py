"""What makes the lines of a feature differ: other features, by the share of the lines' spread that each explains.

Lines differ in level and in shape. Each is taken relative to its own mean, so that only shape is left, and
the rows are split in two by another feature wherever that leaves the least spread within the two halves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ice_explorer.feature import tells_rows_apart
from ice_explorer.rule_tree import CombinedRule, Encoding, combined_rule
from ice_explorer.rules import between, or_missing, sides_of_levels, sides_of_threshold
from ice_explorer.spread import spread_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from ice_explorer.second import SecondFeature
    from ice_explorer.spread import Spread

    Array = NDArray[np.float64]

MOST_ROWS: Final = 5000
"""Rows that are looked at; of more, a stratified sample."""
LEAST_SHARE: Final = 0.05
"""What explains less of the spread explains nothing to speak of."""
NOTHING: Final = "Nothing explains the spread."

_DIGITS = 9  # of shares that are compared
_ALIKE = 10.0**-_DIGITS  # splits whose shares differ by less than this part of them are equally good
_MOST_LEVELS = 100  # levels told apart; rarer ones are taken together
_CELLS = 2**20  # numbers in one block of running sums


@dataclass(frozen=True)
class Driver:
    """The best split of the rows by one second feature.

    Attributes
    ----------
    column : str
        Label of the second feature.
    share : float
        Part of the spread of the lines that the split explains, 0 to 1.
    threshold : float
        Rows up to it stand against rows above it [coordinates of the second feature]; NaN where there is none.
    levels : tuple of str or None
        Levels that stand against all others, where they have no order.
    rule : str
        One of the two groups in words, the one that holds missing values if there are any; "" without a split.
    sides : tuple of str
        Names of both groups, missing values aside: below or outside, above or inside.
    """

    column: str
    share: float = 0.0
    threshold: float = np.nan
    levels: tuple[str, ...] | None = None
    rule: str = ""
    sides: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class Drivers:
    """What makes the lines of one feature differ.

    Attributes
    ----------
    found : tuple of Driver
        One for each second feature, best first.
    combined : CombinedRule
        Several of them together.
    n_rows, n_curves : int
        Rows that were looked at, of rows that have curves.
    """

    found: tuple[Driver, ...]
    combined: CombinedRule
    n_rows: int
    n_curves: int

    @property
    def note(self) -> str:
        """Says so where not all rows were looked at."""
        return (
            ""
            if self.n_rows == self.n_curves
            else f"Found on a stratified sample: {self.n_rows} of {self.n_curves} rows."
        )

    @property
    def summary(self) -> str:
        """The best rule in a sentence."""
        best = self.found[0] if self.found else None
        if best is None or best.share < LEAST_SHARE:
            return NOTHING
        return f"{best.rule} explains {best.share * 100:.0f} % of the spread."

    def frame(self) -> pd.DataFrame:
        """Lay out as a table; see `Explanation.drivers`."""
        import pandas as pd

        names = ("share", "threshold", "levels", "rule")
        index = pd.Index([driver.column for driver in self.found], name="second_feature", dtype=object)
        values = {name: [getattr(driver, name) for driver in self.found] for name in names}
        types = {"share": float, "threshold": float, "levels": object, "rule": object}
        table = pd.DataFrame({name: pd.Series(values[name], index, types[name]) for name in names}, index)
        table.attrs = {
            "summary": self.summary,
            "combined_share": self.combined.share,
            "rules": [leaf.rule for leaf in self.combined.leaves],
            "n_rows": self.n_rows,
            "note": self.note,
        }
        return table


def find_drivers(
    curves: Array,
    seconds: Sequence[SecondFeature],
    weights: Array,
    prediction_range: float,
    n_curves: int | None = None,
) -> Drivers:
    """Find what tells lines apart.

    Parameters
    ----------
    curves : ndarray of shape (n_rows, n_grid)
        ICE [output].
    seconds : sequence of SecondFeature
        Their values are those of the same rows.
    weights : ndarray of shape (n_rows,)
        All greater than 0.
    prediction_range : float
        Largest less smallest prediction of the feature [output].
    n_curves : int, optional
        Rows that these were drawn from; all by default.

    Returns
    -------
    Drivers
        Best first; in the order of `seconds` among equals.

    Notes
    -----
    With c_i line i less its own mean, the share is 1 - Σ_g Σ_{i∈g} w_i‖c_i - c̄_g‖² / Σ_i w_i‖c_i - c̄‖². Every
    threshold between two neighbouring values is tried, and missing values on both sides. Levels without an
    order are put in the order of their mean lines along the first principal axis of these, and parted at every
    place of it; besides, each level is tried against all others. Among all partitions of more than three
    levels that is a heuristic. Levels beyond the 100 most frequent are taken together.
    """
    spread = spread_of(curves, weights, prediction_range)
    splits = [_best_split(spread, second) for second in seconds]
    drivers = sorted((driver for driver, _ in splits), key=lambda driver: -round(driver.share, _DIGITS))  # stable
    encodings = [encoding for _, each in splits for encoding in each]
    combined = combined_rule(spread, encodings)
    return Drivers(tuple(drivers), combined, len(curves), len(curves) if n_curves is None else n_curves)


def _best_split(spread: Spread, second: SecondFeature) -> tuple[Driver, list[Encoding]]:
    """Return the best split by one second feature, and its values as a tree may be grown on them."""
    if spread.total == 0:
        return Driver(second.label), []
    if second.is_unordered:
        return _best_levels(spread, second)
    return _best_threshold(spread, second)


# --- thresholds -----------------------------------------------------------------------------------


def _best_threshold(spread: Spread, second: SecondFeature) -> tuple[Driver, list[Encoding]]:
    present = ~np.isnan(second.values)
    distinct, places = np.unique(second.values[present], return_inverse=True)
    if len(distinct) < 2:
        return Driver(second.label), []
    parted = _Parted.of(spread, present, places, len(distinct))
    below = _running(spread, present, places, len(distinct))
    gains = parted.gains(below, np.cumsum(parted.weights)[:-1])
    at, missing_below = _first_best(gains, len(distinct) - 1)
    lower, upper = float(distinct[at]), float(distinct[at + 1])
    sides = sides_of_threshold(second, lower, upper)
    named = sides[1] if parted.missing_weight == 0 else or_missing(sides[0 if missing_below else 1])
    share = spread.share(float(gains.max()))
    ranks = np.full(len(present), np.nan)
    ranks[present] = places
    driver = Driver(second.label, share, between(lower, upper), None, named, sides)
    return driver, [Encoding(second, ranks, distinct.tolist(), None)]


# --- levels without an order ----------------------------------------------------------------------


def _best_levels(spread: Spread, second: SecondFeature) -> tuple[Driver, list[Encoding]]:
    names = second.levels or []
    present = ~np.isnan(second.values)
    codes, places = np.unique(second.values[present].astype(np.intp), return_inverse=True)
    if len(codes) < 2 or tells_rows_apart(len(codes), len(places)):
        return Driver(second.label), []
    groups, places = _most_frequent(codes, places, spread.weights[present])
    parted = _Parted.of(spread, present, places, len(groups))
    sums = np.concatenate(list(_sums(spread, present, places, len(groups))))
    order = _along_principal_axis(sums, parted.weights)
    # Up to each place of the order, then each level by itself.
    in_order = np.arange(len(groups))[:, None] >= np.argsort(order)
    sets = np.vstack([in_order[:-1], np.eye(len(groups), dtype=bool)])
    gains = parted.gains([sets @ sums], sets @ parted.weights)
    at, missing_inside = _first_best(gains, len(sets))
    inside = sets[at]
    if _is_rest(groups, inside):
        inside, missing_inside = ~inside, not missing_inside
    levels = tuple(names[code] for group, is_in in zip(groups, inside, strict=True) if is_in for code in group)
    sides = sides_of_levels(second, levels)
    named = sides[1] if parted.missing_weight == 0 else or_missing(sides[1 if missing_inside else 0])
    driver = Driver(second.label, spread.share(float(gains.max())), np.nan, levels, named, sides)
    # A tree sees the levels in their order, and beside all others the one that is best by itself.
    axes = [np.argsort(order)]
    if len(groups) > 2 and sets[at].sum() == 1:
        axes.append(sets[at].astype(np.intp))
    encodings = []
    for rank_of in axes:
        ranks = np.full(len(present), np.nan)
        ranks[present] = rank_of[places]
        encodings.append(_encoding_of_levels(second, ranks, rank_of, groups))
    return driver, encodings


def _most_frequent(
    codes: NDArray[np.intp], places: NDArray[np.intp], weights: Array
) -> tuple[list[tuple[int, ...]], NDArray[np.intp]]:
    """Group levels: each of the most frequent ones by itself, all others together in the end."""
    if len(codes) <= _MOST_LEVELS:
        return [(int(code),) for code in codes], places
    frequent = np.argsort(-np.bincount(places, weights, len(codes)), kind="stable")[:_MOST_LEVELS]
    kept = np.sort(frequent)
    group_of = np.full(len(codes), _MOST_LEVELS, dtype=np.intp)
    group_of[kept] = np.arange(_MOST_LEVELS)
    rest = tuple(int(code) for code in np.delete(codes, kept))
    return [*((int(code),) for code in codes[kept]), rest], group_of[places]


def _along_principal_axis(sums: Array, weights: Array) -> NDArray[np.intp]:
    """Order levels by their mean lines along the first principal axis of these."""
    middle = sums.sum(axis=0) / weights.sum()
    off = sums / weights[:, None] - middle
    axis = np.linalg.svd(np.sqrt(weights)[:, None] * off, full_matrices=False)[2][0]
    along = off @ axis
    if along[np.argmax(np.abs(along))] < 0:  # an axis has two ends
        along = -along
    return np.argsort(along, kind="stable")


def _is_rest(groups: Sequence[tuple[int, ...]], inside: NDArray[np.bool_]) -> bool:
    """Whether a set of levels is rather said by what is not in it: it has more, or what was taken together."""
    if len(groups[-1]) > 1:
        return bool(inside[-1])
    n_inside = int(inside.sum())
    return n_inside > len(inside) - n_inside or (2 * n_inside == len(inside) and not inside[0])


def _encoding_of_levels(
    second: SecondFeature, ranks: Array, rank_of: NDArray[np.intp], groups: Sequence[tuple[int, ...]]
) -> Encoding:
    """Put levels on an axis; several may share a place."""
    at_rank: list[list[int]] = [[] for _ in range(int(rank_of.max()) + 1)]
    for group, rank in zip(groups, rank_of, strict=True):
        at_rank[rank].extend(group)
    return Encoding(second, ranks, list(range(len(at_rank))), at_rank)


# --- sums -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Parted:
    """Rows by whether, and where, they have a value of the second feature."""

    weights: Array  # of the rows at each value
    missing_sum: Array  # of the weighted deviations of rows without any
    missing_weight: float
    least: float  # weight of any row

    @classmethod
    def of(cls, spread: Spread, present: NDArray[np.bool_], places: NDArray[np.intp], n_values: int) -> _Parted:
        missing = ~present
        weights = np.bincount(places, spread.weights[present], n_values).astype(np.float64)
        lost = float(spread.weights[missing].sum())
        return cls(weights, spread.weighted[missing].sum(axis=0), lost, float(spread.weights.min()))

    def gains(self, blocks: Iterator[Array] | Sequence[Array], masses: Array) -> Array:
        """Return how much spread goes with each of some sets of values against all other rows.

        Parameters
        ----------
        blocks : iterable of ndarray of shape (n_block, n_directions)
            Sums of deviations of the rows in each set.
        masses : ndarray of shape (n_sets,)
            Their weights.

        Returns
        -------
        ndarray of shape (n_variants, n_sets)
            Missing values outside of the set, then inside; the first alone where there are none.
        """
        squares, dots = np.empty(len(masses)), np.zeros(len(masses))
        start = 0
        for block in blocks:
            stop = start + len(block)
            squares[start:stop] = np.einsum("ik,ik->i", block, block)
            if self.missing_weight > 0:
                dots[start:stop] = block @ self.missing_sum
            start = stop
        outside = self._gain(squares, masses)
        if self.missing_weight == 0:
            return outside[None]
        joined = squares + 2 * dots + self.missing_sum @ self.missing_sum
        return np.array([outside, self._gain(joined, masses + self.missing_weight)])

    def _gain(self, squares: Array, masses: Array) -> Array:
        """Spread between a set and the rest; the deviations of all rows sum to 0, so one sum tells the other."""
        mass = float(self.weights.sum()) + self.missing_weight
        rest = np.maximum(mass - masses, self.least)  # one row is in it, however light
        return np.asarray(squares * (1 / masses + 1 / rest))


def _first_best(gains: Array, n_sets: int) -> tuple[int, bool]:
    """Return the first set that is as good as any, missing values outside if that is as good."""
    flat = gains.ravel()
    at = int(np.argmax(flat >= flat.max() * (1 - _ALIKE)))
    return at % n_sets, at >= n_sets


def _running(spread: Spread, present: NDArray[np.bool_], places: NDArray[np.intp], n_values: int) -> Iterator[Array]:
    """Yield blocks of the sums of all rows up to each value, the last one aside."""
    carried = np.zeros(spread.weighted.shape[1])
    done = 0
    for sums in _sums(spread, present, places, n_values):
        sums[0] += carried
        np.cumsum(sums, axis=0, out=sums)
        carried = sums[-1].copy()
        done += len(sums)
        yield sums if done < n_values else sums[:-1]


def _sums(spread: Spread, present: NDArray[np.bool_], places: NDArray[np.intp], n_values: int) -> Iterator[Array]:
    """Yield blocks of the sums of the rows at each value, however many these are."""
    order = np.flatnonzero(present)[np.argsort(places, kind="stable")]
    starts = np.concatenate([[0], np.cumsum(np.bincount(places, minlength=n_values))])
    per_block = max(1, _CELLS // max(1, spread.weighted.shape[1]))
    first = 0
    while first < n_values:
        last = max(first + 1, int(np.searchsorted(starts, starts[first] + per_block, side="right")) - 1)
        rows = spread.weighted[order[starts[first] : starts[last]]]
        yield rows if len(rows) == last - first else np.add.reduceat(rows, starts[first:last] - starts[first], axis=0)
        first = last
