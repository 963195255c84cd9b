"""The figures of the one-SD step, one plain loop for each equation of `metrics.md`.

Slow on purpose, and independent of the package: a mistake there must be made twice, in two shapes, to go unseen.
`curves[i][k]` is the prediction of observation i with the feature set to `axis[k]`. `observed`, `weights`,
`likelihood_scale` and `distances` are of the same observations; NaN is a missing value.
"""

import itertools
import math

FIGURES = ("impact", "in_distribution_impact", "direction", "heterogeneity", "non_linearity", "support")
_TOLERANCE = 1e-9  # of the range of the axis: decimals such as 0.3 lie half way between 0.2 and 0.4 but for rounding


def step_figures(curves, axis, observed, *, decay, weights=None, likelihood_scale=None):
    """Return the figures of a feature with an order: numbers, booleans, ordered categories, dates and durations."""
    curves, observed, weights, units = rows_of_weight(curves, observed, weights, likelihood_scale)
    known = known_values(observed, weights)
    sigma = standard_deviation(known)
    if len(axis) == 1 or sigma == 0:
        return {**dict.fromkeys(FIGURES, 0.0), "support": 1.0}
    windows = [window(axis, k, sigma) for k in range(len(axis))]
    # D[i,k] = σ (C[i,r_k] - C[i,l_k]) / (v_{r_k} - v_{l_k})
    changes = [[sigma * (curve[r] - curve[left]) / (axis[r] - axis[left]) for left, r in windows] for curve in curves]
    # L[i,k] = λ^(|v_k - x_i| / s_i), as a logarithm; the median replaces a missing x_i
    middle = lower_median(known)
    own = [middle if math.isnan(x) else x for x in observed]
    units = units or [sigma] * len(own)
    likelihoods = [[abs(v - x) / s * math.log(decay) for v in axis] for x, s in zip(own, units, strict=True)]
    return figures(changes, likelihoods, grid_shares(axis, known), windows, weights)


def grid_shares(axis, known):
    """Return p_k: the share of weight whose value is nearest to v_k, ties split in halves."""
    mass, tolerance = [0.0] * len(axis), _TOLERANCE * (axis[-1] - axis[0])
    for x, w in known:
        nearest = min(abs(v - x) for v in axis)
        places = [k for k, v in enumerate(axis) if abs(v - x) <= nearest + tolerance]
        for k in places:
            mass[k] += w / len(places)
    return [m / math.fsum(mass) for m in mass]


def window(axis, k, sigma):
    """Return l_k and r_k: the grid values just outside a stretch of length σ around v_k, moved inside the axis."""
    tolerance = _TOLERANCE * (axis[-1] - axis[0])
    if axis[-1] - axis[0] <= sigma:
        return 0, len(axis) - 1
    start = min(max(axis[k] - sigma / 2, axis[0]), axis[-1] - sigma)
    left = max(j for j, v in enumerate(axis) if v <= start + tolerance)
    right = min(j for j, v in enumerate(axis) if v >= start + sigma - tolerance)
    return left, right


def category_step_figures(curves, levels, observed, *, decay, weights=None, distances=None):
    """Return the figures of a category without an order, or of a group of columns, whose levels are codes.

    `distances[i][a]` is by default 0 for the observed level and 1 for others.
    """
    curves, observed, weights, distances = rows_of_weight(curves, observed, weights, distances)
    known = known_values(observed, weights)
    total = math.fsum(w for _, w in known)
    p = {level: math.fsum(w for x, w in known if x == level) / total for level, _ in known}
    sigma = math.sqrt((1 - math.fsum(share**2 for share in p.values())) / 2) if len(p) > 1 else 0.0
    undefined = {"direction": math.nan, "non_linearity": math.nan}
    if len(levels) == 1 or sigma == 0:
        return {**dict.fromkeys(FIGURES, 0.0), "support": 1.0, **undefined}
    # q_ab ∝ p_a p_b for the pairs a < b
    pairs = list(itertools.combinations(range(len(levels)), 2))
    products = [p.get(levels[a], 0.0) * p.get(levels[b], 0.0) for a, b in pairs]
    if math.fsum(products) == 0:
        return dict.fromkeys(FIGURES, math.nan)
    q = [product / math.fsum(products) for product in products]
    # σ_c Δ_iab = σ_c (C[i,b] - C[i,a])
    changes = [[sigma * (curve[b] - curve[a]) for a, b in pairs] for curve in curves]
    # L[i,a] = λ^distance, as a logarithm; the most frequent level replaces a missing one
    usual = max(sorted(p), key=lambda level: round(p[level], 12))
    own = [usual if math.isnan(x) else x for x in observed]
    distances = distances or [[float(level != x) for level in levels] for x in own]
    likelihoods = [[distance * math.log(decay) for distance in row] for row in distances]
    return {**figures(changes, likelihoods, q, pairs, weights), **undefined}


def figures(changes, likelihoods, shares, ends, weights):
    """Return every figure from D[i,k] (or σ_c Δ_iab), log L[i,k], p_k (or q_ab) and the two ends of each step."""
    # D̄_i = Σ_k p_k D[i,k]
    means = [weighted_mean(row, shares) for row in changes]
    spreads = [[abs(d - mean) for d in row] for row, mean in zip(changes, means, strict=True)]
    sizes = [[abs(d) for d in row] for row in changes]
    # Σ_ik w p M|D| and Σ_ik w p M, both divided by the largest L so that they do not underflow
    top = max(row[k] for row in likelihoods for pair in ends for k in pair)
    above = below = 0.0
    for row, log_l, w in zip(sizes, likelihoods, weights, strict=True):
        for size, p, (a, b) in zip(row, shares, ends, strict=True):
            mass = w * p * (math.exp(log_l[a] - top) + math.exp(log_l[b] - top)) / 2
            above, below = above + mass * size, below + mass
    return {
        "impact": weighted_mean([weighted_mean(row, shares) for row in sizes], weights),
        "in_distribution_impact": above / below,
        "direction": weighted_mean(means, weights),
        "heterogeneity": weighted_mean([sd_of_rows(column, weights) for column in zip(*changes, strict=True)], shares),
        "non_linearity": weighted_mean([weighted_mean(row, shares) for row in spreads], weights),
        "support": math.exp(top) * below / math.fsum(weights),
    }


def sd_of_rows(column, weights):
    """Return SD_i with the denominator Σw - 1; 0 for one row."""
    mean = weighted_mean(column, weights)
    squares = math.fsum(w * (d - mean) ** 2 for d, w in zip(column, weights, strict=True))
    return math.sqrt(squares / (math.fsum(weights) - 1)) if len(column) > 1 else 0.0


def rows_of_weight(curves, observed, weights, per_row):
    """Return what the rows of weight above 0 have, each as a list."""
    weights = [1.0] * len(observed) if weights is None else [float(w) for w in weights]
    kept = [i for i, w in enumerate(weights) if w > 0]
    return [values and [values[i] for i in kept] for values in (curves, observed, weights, per_row)]


def weighted_mean(values, weights):
    """Return Σ w_i x_i / Σ w_i."""
    return math.fsum(w * x for x, w in zip(values, weights, strict=True)) / math.fsum(weights)


def known_values(observed, weights):
    """Return pairs of a value and its weight, without missing values."""
    return [(x, w) for x, w in zip(observed, weights, strict=True) if not math.isnan(x)]


def standard_deviation(known):
    """Return σ of values with weights, ddof = 0."""
    values, weights = zip(*known, strict=True)
    mean = weighted_mean(values, weights)
    return math.sqrt(weighted_mean([(x - mean) ** 2 for x in values], weights)) if len(set(values)) > 1 else 0.0


def lower_median(known):
    """Return the smallest value with at least half of the weight at or below it."""
    half = math.fsum(w for _, w in known) / 2
    return min(x for x, _ in known if math.fsum(w for y, w in known if y <= x) >= half)
