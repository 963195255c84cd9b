"""The equations of the specification, one plain loop each.

Slow on purpose: no broadcasting, no streaming, nothing shared with the package, so that a mistake
in the engine has to be made twice, in two shapes, to go unseen. Everything is a list of floats;
``curves[i][k]`` is the prediction for observation ``i`` with the feature set to ``grid[k]``.

Eq. 1 to Eq. 5 are those of Yeh & Ngo (2021), arXiv:2109.02724.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

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
CONVENTIONS = ("stable", "equations", "published")


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


def interval_weights(grid: Sequence[float], convention: str) -> list[float]:
    """Weight of each grid interval, summing to 1."""
    intervals = range(1, len(grid))
    if convention == "stable":
        return [(grid[k] - grid[k - 1]) / (grid[-1] - grid[0]) for k in intervals]
    return [1 / len(intervals) for _ in intervals]


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
    """What the sums of Eqs 1, 2, 4 and 5 run over, whichever convention.

    ``slopes[i][t]`` has weight ``u[t]`` within observation ``i`` and ``w[i]`` between observations;
    ``exponents[i][t]`` holds the logarithms of the likelihoods whose mean is that of the term, and
    ``interval[t]`` where it comes from.
    """

    slopes: list[list[float]]
    exponents: list[list[list[float]]]
    u: list[float]
    w: list[float]
    interval: list[int]


def terms(
    curves: list[list[float]],
    grid: Sequence[float],
    *,
    w: Sequence[float],
    log_likelihood: list[list[float]],
    convention: str,
) -> Terms:
    """Lay out the K - 1 slopes, or the K of "published" with the first slope twice."""
    interval = list(range(len(grid) - 1))
    u = interval_weights(grid, convention)
    # An interval is as likely as its two ends are on average, or as its right end.
    positions = [[k, k + 1] if convention == "stable" else [k + 1] for k in interval]
    if convention == "published":
        interval, positions = [0, *interval], [[0], *positions]
        u = [1 / len(grid) for _ in positions]
    kept = [i for i in range(len(curves)) if w[i] > 0]
    steps = slopes(curves, grid)
    return Terms(
        slopes=[[steps[i][t] for t in interval] for i in kept],
        exponents=[[[log_likelihood[i][k] for k in ends] for ends in positions] for i in kept],
        u=u,
        w=[w[i] for i in kept],
        interval=interval,
    )


def impact(t: Terms, sigma: float) -> float:
    """Eq. 1: mean absolute slope, per standard deviation of the feature."""
    rows = [math.fsum(u * abs(s) for u, s in zip(t.u, row, strict=True)) for row in t.slopes]
    return sigma * math.fsum(w * m for w, m in zip(t.w, rows, strict=True)) / math.fsum(t.w)


def direction(t: Terms, sigma: float) -> float:
    """Section 3.2: mean slope with its sign, per standard deviation of the feature."""
    rows = [math.fsum(u * s for u, s in zip(t.u, row, strict=True)) for row in t.slopes]
    return sigma * math.fsum(w * m for w, m in zip(t.w, rows, strict=True)) / math.fsum(t.w)


def _likelihood_terms(t: Terms, top: float) -> list[tuple[float, float, float]]:
    """Triples (w·u, M, |S|) of the terms, M relative to the exponential of ``top``."""
    return [
        (w * u, math.fsum(math.exp(e - top) for e in ends) / len(ends), abs(s))
        for w, row, exponent in zip(t.w, t.slopes, t.exponents, strict=True)
        for u, s, ends in zip(t.u, row, exponent, strict=True)
    ]


def in_distribution_impact(t: Terms, sigma: float) -> float:
    """Eq. 2: one pooled ratio, each absolute slope weighted by its likelihood."""
    top = max(e for row in t.exponents for ends in row for e in ends)
    found = _likelihood_terms(t, top)
    above = math.fsum(weight * likely * s for weight, likely, s in found)
    return sigma * above / math.fsum(weight * likely for weight, likely, _ in found)


def support(t: Terms) -> float:
    """Share of the phantoms' weight that the decay leaves."""
    found = _likelihood_terms(t, 0.0)
    return math.fsum(weight * likely for weight, likely, _ in found) / math.fsum(weight for weight, _, _ in found)


def heterogeneity(t: Terms, sigma: float) -> float:
    """Eq. 4: mean over the intervals of the SD between observations, ddof 1."""
    if len(t.w) == 1:
        return 0.0
    total = math.fsum(t.w)
    spread = []
    for column, u in enumerate(t.u):
        mean = math.fsum(w * row[column] for w, row in zip(t.w, t.slopes, strict=True)) / total
        squares = math.fsum(w * (row[column] - mean) ** 2 for w, row in zip(t.w, t.slopes, strict=True))
        spread.append(u * math.sqrt(squares / (total - 1)))
    return sigma * math.fsum(spread)


def non_linearity(t: Terms, sigma: float, convention: str) -> float:
    """Eq. 5: mean over the observations of the SD along the curve, ddof 1; "stable" has the mean absolute deviation."""
    spread = []
    for w, row in zip(t.w, t.slopes, strict=True):
        mean = math.fsum(u * s for u, s in zip(t.u, row, strict=True))
        if convention == "stable":
            spread.append(w * math.fsum(u * abs(s - mean) for u, s in zip(t.u, row, strict=True)))
        elif len(row) > 1:
            spread.append(w * math.sqrt(math.fsum((s - mean) ** 2 for s in row) / (len(row) - 1)))
    return sigma * math.fsum(spread) / math.fsum(t.w)


def interval_shares(t: Terms) -> list[float]:
    """Share of the impact that each grid interval brings; NaN where there is no impact."""
    brought = [0.0] * (max(t.interval) + 1)
    for w, row in zip(t.w, t.slopes, strict=True):
        for u, s, interval in zip(t.u, row, t.interval, strict=True):
            brought[interval] += w * u * abs(s)
    total = math.fsum(brought)
    return [b / total if total > 0 else math.nan for b in brought]


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
    convention: str = "stable",
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
        "largest_step_share": math.nan,
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

    t = terms(
        curves(predict, X[drawn], column, grid),
        grid,
        w=[w[i] for i in drawn],
        log_likelihood=exponents(grid, [own[i] for i in drawn], [row_scale[i] for i in drawn], decay),
        convention=convention,
    )
    return figures | {
        "impact": impact(t, sigma),
        "in_distribution_impact": in_distribution_impact(t, sigma),
        "direction": direction(t, sigma),
        "heterogeneity": heterogeneity(t, sigma),
        "non_linearity": non_linearity(t, sigma, convention),
        "support": support(t),
        "largest_step_share": max(interval_shares(t)),
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
    number = float(np.array(number).astype(forest.inputs.dtype))
    if math.isnan(number):
        return bool(forest.missing_left[node])
    threshold = float(forest.threshold[node])
    if int(forest.feature[node]) in forest.inputs.categorical:
        code = math.trunc(number) if forest.inputs.rounding == "trunc" else math.floor(number)
        first, last = forest.set_start[int(threshold) : int(threshold) + 2]
        return (code in forest.set_codes[first:last].tolist()) == forest.listed_left
    return number <= threshold if forest.inputs.comparison == "le" else number < threshold


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
    kept = [i for i in range(len(curves)) if weights[i] > 0]
    w = [weights[i] for i in kept]
    n_effective = math.fsum(w)
    nan = math.nan
    figures = {"direction": nan, "non_linearity": nan}
    sigma = category_scale(list(shares.values()))
    pairs = [(a, b) for b in range(len(levels)) for a in range(b)]
    plain = [shares.get(levels[a], 0.0) * shares.get(levels[b], 0.0) for a, b in pairs]
    if not pairs or sigma == 0:
        zeros = ("impact", "in_distribution_impact", "heterogeneity")
        return {**figures, **dict.fromkeys(zeros, 0.0), "support": 1.0, "largest_step_share": nan}
    if math.fsum(plain) == 0:
        undefined = ("impact", "in_distribution_impact", "heterogeneity", "largest_step_share", "support")
        return {**figures, **dict.fromkeys(undefined, nan)}
    q = [share / math.fsum(plain) for share in plain]
    brought, spread, likely = [], [], []
    for (a, b), share in zip(pairs, q, strict=True):
        change = [curves[i][b] - curves[i][a] for i in kept]
        brought.append(share * math.fsum(v * abs(d) for v, d in zip(w, change, strict=True)) / n_effective)
        mean = math.fsum(v * d for v, d in zip(w, change, strict=True)) / n_effective
        squares = math.fsum(v * (d - mean) ** 2 for v, d in zip(w, change, strict=True))
        spread.append(share * math.sqrt(squares / (n_effective - 1)) if len(kept) > 1 else 0.0)
        for i, v, d in zip(kept, w, change, strict=True):
            ends = []
            for level in (a, b):
                unlikely = 1.0 if probabilities is None else 1.0 - probabilities[i][level]
                ends.append(math.log(decay) * (0.0 if levels[level] == own[i] else unlikely))
            likely.append((v * share, ends, abs(d)))

    def weighed(top: float) -> list[tuple[float, float]]:
        return [(share * math.fsum(math.exp(e - top) for e in ends) / 2, d) for share, ends, d in likely]

    found = weighed(max(e for share, ends, _ in likely for e in ends if share > 0))
    impact = sigma * math.fsum(brought)
    return {
        **figures,
        "impact": impact,
        "in_distribution_impact": sigma * math.fsum(m * d for m, d in found) / math.fsum(m for m, _ in found),
        "heterogeneity": sigma * math.fsum(spread),
        "support": math.fsum(m for m, _ in weighed(0.0)) / n_effective,
        "largest_step_share": sigma * max(brought) / impact if impact > 0 else nan,
    }


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
