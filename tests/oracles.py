"""The equations of the specification, one plain loop each.

Slow on purpose: no broadcasting, no streaming, nothing shared with the package, so that a mistake
in the package has to be made twice, in two shapes, to go unseen. Everything is a list of floats;
``curves[i][k]`` is the prediction for observation ``i`` with the feature set to ``grid[k]``.

Eq. 1 to Eq. 5 are those of Yeh & Ngo (2021), arXiv:2109.02724, as "paper" has them; what "step" has is in
``reference/step_oracle.py``.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from reference import step_oracle

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ice_explorer.trees.forest import Forest

    Predict = Callable[[np.ndarray], np.ndarray]

EFFECTS = (
    "impact",
    "in_distribution_impact",
    "direction",
    "heterogeneity",
    "non_linearity",
)
CONVENTIONS = ("step", "paper")


# The column: spread, stand-in, grid --------------------------------------------------------------


def known(observed: Sequence[float], weights: Sequence[float]) -> list[tuple[float, float]]:
    """Pairs (value, weight) of the observations that say something about the feature."""
    return [(x, w) for x, w in zip(observed, weights, strict=True) if w > 0 and not math.isnan(x)]


def scale(observed: Sequence[float], weights: Sequence[float]) -> float:
    """Standard deviation of the feature, ddof 0, missing values left out."""
    pairs = known(observed, weights)
    total = math.fsum(w for _, w in pairs)
    mean = math.fsum(w * x for x, w in pairs) / total
    if all(x == pairs[0][0] for x, _ in pairs):
        return 0.0
    return math.sqrt(math.fsum(w * (x - mean) ** 2 for x, w in pairs) / total)


def lower_weighted_median(observed: Sequence[float], weights: Sequence[float]) -> float:
    """Return the smallest observed value with at least half of the weight at or below it."""
    pairs = sorted(known(observed, weights))
    total = math.fsum(w for _, w in pairs)
    for value, _ in pairs:
        if 2 * math.fsum(w for x, w in pairs if x <= value) >= total:
            return value
    raise AssertionError


def quantile_grid(observed: Sequence[float], weights: Sequence[float], size: int) -> list[float]:
    """Return the distinct values at equally spaced quantiles of the empirical distribution."""
    pairs = sorted(known(observed, weights))
    total = math.fsum(w for _, w in pairs)
    grid: list[float] = []
    for share in np.linspace(0, 1, size).tolist():
        for value, _ in pairs:
            if math.fsum(w for x, w in pairs if x <= value) >= share * total:
                break
        if value not in grid:
            grid.append(value)
    return grid


def observed_grid(observed: Sequence[float], weights: Sequence[float], size: int = 1000) -> list[float]:
    """Every observed value once, or quantiles where there are more than ``size`` of them."""
    values = sorted({x for x, _ in known(observed, weights)})
    return values if len(values) <= size else quantile_grid(observed, weights, size)


# The model on phantom observations ---------------------------------------------------------------


def with_value(X: np.ndarray, column: int, value: float) -> np.ndarray:
    """Copy the observations, the column set to one value."""
    phantoms = np.array(X, dtype=float)
    phantoms[:, column] = value
    return phantoms


def curves(
    predict: Predict,
    X: np.ndarray,
    column: int,
    grid: Sequence[float],
) -> list[list[float]]:
    """Predict all observations once per grid value."""
    columns = [np.asarray(predict(with_value(X, column, value))).tolist() for value in grid]
    return [[float(column[i]) for column in columns] for i in range(len(X))]


def slopes(curves: list[list[float]], grid: Sequence[float]) -> list[list[float]]:
    """Difference quotient over each grid interval: one fewer than grid values."""
    return [[(curve[k] - curve[k - 1]) / (grid[k] - grid[k - 1]) for k in range(1, len(grid))] for curve in curves]


# The weights of the sums -------------------------------------------------------------------------


def exponents(
    grid: Sequence[float], own: Sequence[float], own_scale: Sequence[float], decay: float
) -> list[list[float]]:
    """Logarithm of Eq. 3, the likelihood of each phantom observation."""
    rows = []
    for x, s in zip(own, own_scale, strict=True):
        row = []
        for v in grid:
            if s == 0:
                row.append(0.0 if v == x else -math.inf)
            else:
                row.append(abs(v - x) / s * math.log(decay))
        rows.append(row)
    return rows


def likelihood(
    grid: Sequence[float], own: Sequence[float], own_scale: Sequence[float], decay: float
) -> list[list[float]]:
    """Eq. 3 as written: decay to the power of the distance in scales."""
    rows = []
    for x, s in zip(own, own_scale, strict=True):
        if s == 0:
            rows.append([1.0 if v == x else 0.0 for v in grid])
        else:
            rows.append([decay ** (abs(v - x) / s) for v in grid])
    return rows


# The metrics -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Terms:
    """The K slopes that the sums of Eqs 1, 2, 4 and 5 run over: that of each interval, the first one twice.

    ``slopes[i][t]`` has weight ``w[i]`` between observations; ``exponents[i][t]`` holds the logarithm of the
    likelihood at its right end, of the copy of the first slope at its left end.
    """

    slopes: list[list[float]]
    exponents: list[list[float]]
    w: list[float]


def terms(curves: list[list[float]], grid: Sequence[float], w: Sequence[float], exponents: list[list[float]]) -> Terms:
    """Lay out the slopes of the rows that have weight."""
    kept = [i for i in range(len(curves)) if w[i] > 0]
    steps = [[row[0], *row] for row in slopes(curves, grid)]
    return Terms([steps[i] for i in kept], [exponents[i] for i in kept], [w[i] for i in kept])


def mean_along(values: Sequence[float]) -> float:
    """Mean over the slopes of a curve."""
    return math.fsum(values) / len(values)


def impact(t: Terms, sigma: float) -> float:
    """Eq. 1: mean absolute slope, per standard deviation of the feature."""
    rows = [mean_along([abs(s) for s in row]) for row in t.slopes]
    return sigma * math.fsum(w * m for w, m in zip(t.w, rows, strict=True)) / math.fsum(t.w)


def direction(t: Terms, sigma: float) -> float:
    """Section 3.2: mean slope with its sign, per standard deviation of the feature."""
    return sigma * math.fsum(w * mean_along(row) for w, row in zip(t.w, t.slopes, strict=True)) / math.fsum(t.w)


def _likely(t: Terms, top: float) -> list[tuple[float, float]]:
    """Pairs (w·L, |S|) of the terms, L relative to the exponential of ``top``."""
    return [
        (w * math.exp(e - top), abs(s))
        for w, row, exponent in zip(t.w, t.slopes, t.exponents, strict=True)
        for s, e in zip(row, exponent, strict=True)
    ]


def in_distribution_impact(t: Terms, sigma: float) -> float:
    """Eq. 2: one pooled ratio, each absolute slope weighted by its likelihood."""
    found = _likely(t, max(e for row in t.exponents for e in row))
    return sigma * math.fsum(mass * s for mass, s in found) / math.fsum(mass for mass, _ in found)


def support(t: Terms) -> float:
    """Share of the phantoms' weight that the decay leaves."""
    return math.fsum(mass for mass, _ in _likely(t, 0.0)) / math.fsum(t.w) / len(t.slopes[0])


def heterogeneity(t: Terms, sigma: float) -> float:
    """Eq. 4: mean over the intervals of the SD between observations, ddof 1."""
    return sigma * mean_along([step_oracle.sd_of_rows(column, t.w) for column in zip(*t.slopes, strict=True)])


def non_linearity(t: Terms, sigma: float) -> float:
    """Eq. 5: mean over the observations of the SD along the curve, ddof 1."""
    spread = []
    for w, row in zip(t.w, t.slopes, strict=True):
        mean = mean_along(row)
        spread.append(w * math.sqrt(math.fsum((s - mean) ** 2 for s in row) / (len(row) - 1)))
    return sigma * math.fsum(spread) / math.fsum(t.w)


def missing_impact(at_own_value: Sequence[float], at_missing: Sequence[float], weights: Sequence[float]) -> float:
    """Mean absolute change from the curve at the observed value to the prediction at NaN."""
    changes = [
        w * abs(missing - own) for own, missing, w in zip(at_own_value, at_missing, weights, strict=True) if w > 0
    ]
    return math.fsum(changes) / math.fsum(weights)


# One row of the table ----------------------------------------------------------------------------


def metrics(
    predict: Predict,
    X: np.ndarray,
    column: int,
    *,
    grid: Sequence[float] | None = None,
    weights: Sequence[float] | None = None,
    decay: float = 0.75,
    own_scale: float | Sequence[float] | None = None,
    convention: str = "step",
    positions: Sequence[int] | None = None,
    stand_in: float | None = None,
) -> dict[str, float]:
    """Every figure of one feature, as the table shows it.

    ``own_scale`` replaces the marginal scale in the likelihood (one number, or one per
    observation); ``positions`` are the observations whose curves enter the sums; ``stand_in``
    replaces the median where the value is missing.
    """
    X = np.asarray(X, dtype=float)
    observed = X[:, column].tolist()
    w = [1.0] * len(X) if weights is None else [float(v) for v in weights]
    grid = observed_grid(observed, w) if grid is None else sorted({float(v) for v in grid})
    drawn = list(range(len(X))) if positions is None else list(positions)

    sigma = scale(observed, w)
    stand_in = lower_weighted_median(observed, w) if stand_in is None else stand_in
    own = [stand_in if math.isnan(x) else x for x in observed]
    row_scale = [sigma] * len(X)
    if own_scale is not None:
        given = np.broadcast_to(np.asarray(own_scale, dtype=float), len(X)).tolist()
        row_scale = [max(s, 0.01 * sigma) for s in given]

    figures = {
        **dict.fromkeys(EFFECTS, 0.0),
        "support": 1.0,
        "missing_impact": math.nan,
        "scale": sum(s * v for s, v in zip(row_scale, w, strict=True)) / sum(w),
        "n_grid": float(len(grid)),
    }
    if any(math.isnan(x) for x, v in zip(observed, w, strict=True) if v > 0):
        at_missing = np.asarray(predict(with_value(X, column, math.nan))).tolist()
        filled = X.copy()
        filled[:, column] = own
        at_own = np.asarray(predict(filled)).tolist()
        figures["missing_impact"] = missing_impact(
            [at_own[i] for i in drawn], [at_missing[i] for i in drawn], [w[i] for i in drawn]
        )
    if len(grid) == 1 or sigma == 0:
        return figures

    kept = [i for i in drawn if w[i] > 0]
    found = curves(predict, X[kept], column, grid)
    likelihoods = exponents(grid, [own[i] for i in kept], [row_scale[i] for i in kept], decay)
    w_kept = [w[i] for i in kept]
    if convention == "step":
        ends = [step_oracle.window(grid, k, sigma) for k in range(len(grid))]
        changes = [[sigma * (c[r] - c[left]) / (grid[r] - grid[left]) for left, r in ends] for c in found]
        shares = step_oracle.grid_shares(grid, known(observed, w))
        return figures | step_oracle.figures(changes, likelihoods, shares, ends, w_kept)
    t = terms(found, grid, w_kept, likelihoods)
    return figures | {
        "impact": impact(t, sigma),
        "in_distribution_impact": in_distribution_impact(t, sigma),
        "direction": direction(t, sigma),
        "heterogeneity": heterogeneity(t, sigma),
        "non_linearity": non_linearity(t, sigma),
        "support": support(t),
    }


def magnitude(predict: Predict, X: np.ndarray, column: int, *, grid: Sequence[float] | None = None) -> float:
    """Steepest slope per standard deviation: what the rounding of a sum of slopes is relative to.

    Differences that cancel (a direction near 0, the SD of equal slopes) keep this rounding.
    """
    observed = X[:, column].tolist()
    ones = [1.0] * len(X)
    grid = observed_grid(observed, ones) if grid is None else sorted({float(v) for v in grid})
    steps = slopes(curves(predict, X, column, grid), grid)
    return scale(observed, ones) * max((abs(s) for row in steps for s in row), default=0.0)


# Tree ensembles, row by row ----------------------------------------------------------------------


def goes_left(forest: Forest, node: int, number: float) -> bool:
    """Decide one row at one node by the rules that `Forest` states."""
    number = float(np.array(number).astype(forest.dtype))
    if math.isnan(number):
        return bool(forest.missing_left[node])
    threshold = float(forest.threshold[node])
    if int(forest.feature[node]) in forest.categorical:
        code = math.trunc(number) if forest.rounding == "trunc" else math.floor(number)
        first, last = forest.set_start[int(threshold) : int(threshold) + 2]
        return (code in forest.set_codes[first:last].tolist()) == forest.listed_left
    return number <= threshold if forest.comparison == "le" else number < threshold


def roots_of(forest: Forest) -> list[int]:
    """Where each tree begins."""
    return (np.cumsum(forest.n_nodes) - forest.n_nodes).tolist()


def margins_of_row(forest: Forest, row: Sequence[float]) -> list[float]:
    """Add up the leaves that one row falls into, by margin."""
    margins = forest.base.tolist()
    for root, margin in zip(roots_of(forest), forest.margin.tolist(), strict=True):
        margins[margin] += float(forest.value[leaf_of_row(forest, root, row)])
    return margins


def leaf_of_row(forest: Forest, root: int, row: Sequence[float]) -> int:
    """Walk one tree."""
    node = root
    while forest.feature[node] >= 0:
        left = goes_left(forest, node, float(row[forest.feature[node]]))
        node = root + int(forest.left[node] if left else forest.right[node])
    return node


def output_of_margins(forest: Forest, margins: Sequence[float]) -> float:
    """Apply a link, one number at a time."""
    chosen = margins[forest.link.output]
    match forest.link.kind:
        case "identity":
            return chosen
        case "exp":
            return math.exp(chosen)
        case "sigmoid":
            return 1 / (1 + math.exp(-chosen))
        case "softmax":
            return 1 / math.fsum(math.exp(other - chosen) for other in margins)
    raise AssertionError


def tree_curves(forest: Forest, X: np.ndarray, column: int, grid: Sequence[float]) -> list[list[float]]:
    """ICE curves of a forest: every phantom walks every tree."""
    return tree_curves_of_group(forest, X, [column], [[value] for value in grid])


def tree_curves_of_group(
    forest: Forest, X: np.ndarray, columns: Sequence[int], grid: Sequence[Sequence[float]]
) -> list[list[float]]:
    """Let several columns move together."""
    found = []
    for row in X.tolist():
        curve = []
        for values in grid:
            phantom = list(row)
            for column, value in zip(columns, values, strict=True):
                phantom[column] = value
            curve.append(output_of_margins(forest, margins_of_row(forest, phantom)))
        found.append(curve)
    return found


def sweep_counters(forest: Forest, X: np.ndarray, free: dict[int, list[float]]) -> tuple[int, int]:
    """Count what a sweep has to do: node visits and items that reach a leaf.

    An item is a row with the grid positions of one feature that have parted from it; it visits a node
    as the row itself does, and goes both ways where its positions do.
    """
    visits = emitted = 0

    def walk(node: int, row: list[float], allowed: dict[int, set[int]], items: list, *, is_here: bool) -> None:
        nonlocal visits, emitted
        if not is_here and not items:
            return
        if forest.feature[node] < 0:
            emitted += len(items)
            return
        visits += is_here + len(items)
        feature = int(forest.feature[node])
        grid = free.get(feature, [])
        left = {position for position, value in enumerate(grid) if goes_left(forest, node, value)}
        own_left = goes_left(forest, node, row[feature])
        sides: dict[bool, list] = {True: [], False: []}
        for item_feature, positions in items:
            if item_feature == feature:
                sides[True].append((feature, positions & left))
                sides[False].append((feature, positions - left))
            else:
                sides[own_left].append((item_feature, positions))
        let_through = allowed.get(feature, set(range(len(grid))))
        if is_here:
            sides[not own_left].append((feature, let_through - left if own_left else let_through & left))
        for side, child in ((True, forest.left[node]), (False, forest.right[node])):
            kept = [(of, positions) for of, positions in sides[side] if positions]
            below = {**allowed, feature: let_through & left if side else let_through - left}
            walk(root + int(child), row, below, kept, is_here=is_here and own_left == side)

    for row in X.tolist():
        for root in roots_of(forest):
            walk(root, row, {}, [], is_here=True)
    return visits, emitted


# Unordered categories ----------------------------------------------------------------------------


def category_shares(own: Sequence[object], weights: Sequence[float]) -> dict[object, float]:
    """Share of the observations at each level that occurs, missing ones (None) left out."""
    held = [(level, w) for level, w in zip(own, weights, strict=True) if level is not None and w > 0]
    total = math.fsum(w for _, w in held)
    return {level: math.fsum(w for other, w in held if other == level) / total for level, _ in held}


def category_scale(shares: Sequence[float]) -> float:
    """σ_c, the standard deviation of a 0/1 coding where there are two levels."""
    if sum(share > 0 for share in shares) < 2:
        return 0.0
    return math.sqrt((1 - math.fsum(share**2 for share in shares)) / 2)


def most_frequent(shares: dict[object, float], levels: Sequence[object]) -> object:
    """Return the level that stands in for a missing one; the first of equally frequent ones."""
    best = max(shares.values())
    return next(level for level in levels if shares.get(level, 0.0) >= best * (1 - 1e-12))


def category_metrics(
    curves: list[list[float]],
    levels: Sequence[object],
    own: Sequence[object],
    *,
    shares: dict[object, float],
    weights: Sequence[float],
    decay: float,
    probabilities: Sequence[Sequence[float]] | None = None,
) -> dict[str, float]:
    """Every figure of an unordered category, one pair of levels and one observation after the other.

    ``curves[i][a]`` is the prediction with the level ``levels[a]``; ``own`` has no missing ones;
    ``probabilities[i][a]`` makes likelihoods conditional.
    """
    undefined = {"direction": math.nan, "non_linearity": math.nan}
    sigma = category_scale(list(shares.values()))
    if len(levels) == 1 or sigma == 0:
        return {**dict.fromkeys(step_oracle.FIGURES, 0.0), "support": 1.0, **undefined}
    products = {
        (a, b): shares.get(levels[a], 0.0) * shares.get(levels[b], 0.0)
        for a, b in itertools.combinations(range(len(levels)), 2)
    }
    pairs = [pair for pair, product in products.items() if product > 0]
    if not pairs:
        return dict.fromkeys(step_oracle.FIGURES, math.nan)
    total = math.fsum(products.values())
    kept = [i for i in range(len(curves)) if weights[i] > 0]
    changes = [[sigma * (curves[i][b] - curves[i][a]) for a, b in pairs] for i in kept]
    likelihoods = []
    for i in kept:
        unlikely = [1.0 if probabilities is None else 1.0 - p for p in (probabilities or curves)[i]]
        apart = [0.0 if level == own[i] else far for level, far in zip(levels, unlikely, strict=True)]
        likelihoods.append([math.log(decay) * far for far in apart])
    q = [products[pair] / total for pair in pairs]
    return {**step_oracle.figures(changes, likelihoods, q, pairs, [weights[i] for i in kept]), **undefined}


# What makes lines differ ---------------------------------------------------------------------------


def share_of_groups(curves: list[list[float]], weights: Sequence[float], groups: Sequence[object]) -> float:
    """Part of the spread of the curves' shapes that goes when each group has a mean curve of its own."""
    shapes = [[value - sum(curve) / len(curve) for value in curve] for curve in curves]

    def within(rows: list[int]) -> float:
        total = sum(weights[i] for i in rows)
        spread = 0.0
        for k in range(len(curves[0])):
            mean = sum(weights[i] * shapes[i][k] for i in rows) / total
            spread += sum(weights[i] * (shapes[i][k] - mean) ** 2 for i in rows)
        return spread

    members = [[i for i, group in enumerate(groups) if group == which] for which in dict.fromkeys(groups)]
    return 1 - sum(within(rows) for rows in members) / within(list(range(len(curves))))


def best_threshold(
    curves: list[list[float]], weights: Sequence[float], values: Sequence[float], least: float
) -> tuple[float, list[list[bool]]]:
    """Largest share over all thresholds and both sides for missing values, and all splits that reach it.

    Both sides have at least some weight.
    """
    known = sorted({value for value in values if not math.isnan(value)})
    tried = []
    for with_missing in (True, False):
        for lower, upper in itertools.pairwise(known):
            groups = [with_missing if math.isnan(value) else value > (lower + upper) / 2 for value in values]
            if _is_large_enough(groups, weights, least):
                tried.append((share_of_groups(curves, weights, groups), groups))
    best = max((share for share, _ in tried), default=0.0)
    return best, [groups for share, groups in tried if share >= best - 1e-9]


def _is_large_enough(groups: Sequence[bool], weights: Sequence[float], least: float) -> bool:
    inside = sum(weight for weight, group in zip(weights, groups, strict=True) if group)
    return min(inside, sum(weights) - inside) >= least * (1 - 1e-12)


def best_partition(curves: list[list[float]], weights: Sequence[float], codes: Sequence[float], least: float) -> float:
    """Largest share over all ways to split levels in two, and both sides for missing values."""
    known = sorted({code for code in codes if not math.isnan(code)})
    best = 0.0
    for size in range(1, len(known)):
        for inside in itertools.combinations(known, size):
            for with_missing in (False, True):
                groups = [with_missing if math.isnan(code) else code in inside for code in codes]
                if _is_large_enough(groups, weights, least):
                    best = max(best, share_of_groups(curves, weights, groups))
    return best


def cross_fitted_share(
    curves: list[list[float]], weights: Sequence[float], values: Sequence[float], folds: Sequence[int], least: float
) -> float:
    """Part of the spread of rows that the best threshold explains which is chosen without them."""
    shapes = [[value - sum(curve) / len(curve) for value in curve] for curve in curves]

    def mean(rows: list[int]) -> list[float]:
        mass = sum(weights[i] for i in rows)
        return [sum(weights[i] * shapes[i][k] for i in rows) / mass for k in range(len(shapes[0]))]

    def distance(i: int, middle: list[float]) -> float:
        return weights[i] * sum((value - other) ** 2 for value, other in zip(shapes[i], middle, strict=True))

    within = total = 0.0
    for fold in sorted(set(folds)):
        training = [i for i, other in enumerate(folds) if other != fold]
        part = sum(weights[i] for i in training) / sum(weights)
        kept = [[each[i] for i in training] for each in (curves, weights, values)]
        _, splits = best_threshold(*kept, least * part)
        held_out = [i for i, other in enumerate(folds) if other == fold]
        middle = mean(training)
        total += sum(distance(i, middle) for i in held_out)
        if not splits:
            within += sum(distance(i, middle) for i in held_out)
            continue
        side = _side_of(kept[2], splits[0])
        for i in held_out:
            alike = [j for j, inside in zip(training, splits[0], strict=True) if inside == side(values[i])]
            within += distance(i, mean(alike))
    return 1 - within / total


def _side_of(values: Sequence[float], groups: Sequence[bool]) -> Callable[[float], bool]:
    """On which side of a threshold a value is, half way between those that were split."""
    lower = max(value for value, above in zip(values, groups, strict=True) if not above and not math.isnan(value))
    upper = min(value for value, above in zip(values, groups, strict=True) if above and not math.isnan(value))
    with_missing = all(above for value, above in zip(values, groups, strict=True) if math.isnan(value))
    return lambda value: with_missing if math.isnan(value) else value > (lower + upper) / 2
