"""Compiled: sums over a block of curves from which every figure follows, pairs of levels, and nearest points.

`add_curves` equals `ordered._add_by_numpy`, which a test checks. It takes a hundred rows at a time, so that what is
made of them stays in the cache, in an array of one line for each column: all loops run over rows. `add_pairs` equals
`UnorderedSums._add_pairs`, and `nearest_points` equals `nearest_by_blocks`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ice_explorer.metrics.sums import LAGRANGE
from ice_explorer.trees.sweep_numba import ROWS_AT_A_TIME, exponential, write_curves

_RUN = 2048  # rows whose likelihoods are summed together, at most: what is made of them takes few megabytes
_FAST = {"nsz", "contract", "reassoc"}


@njit(nogil=True, cache=True, error_model="numpy")
def _likelihoods(distances, rates, shift):
    """Return e^{shift - rate · distance}, (n_distances, n_rates); 1 where that is more, at values that do not count."""
    n_distances, n_rates = distances.shape[0], rates.shape[0]
    exponents, results = np.empty((n_distances, n_rates)), np.empty((n_distances, n_rates))
    for index in range(n_distances):
        for t in range(n_rates):
            exponents[index, t] = min(shift[t] - rates[t] * distances[index], 0.0)
    # All in one call, which takes a seventh of the time of a call for each distance.
    power = np.empty(exponents.size)
    exponential(exponents.reshape(-1), 1.0, (power, power.view(np.int64)), results.reshape(-1))
    return results


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_FAST)
def _add_from_one_side(side, rows, grid, likely, ends, weights, numerators, denominators):
    """Add what rows on the left (side 0) or on the right (side 1) of grid values bring; see `add_likelihoods`.

    - `rows`: observed values, increasing, their masses, and `decays` (n_rows + 1, n_rates) from the row before to each.
    - `likely` (n_grid, n_rates): likelihood of each grid value for the nearest row on that side.
    - `ends`: grid values, columns and weights of all left ends and then of all right ends, and where these begin.
    - `numerators`, `denominators`: with as many rates as `likely`.
    """
    observed, masses, decays = rows
    places, columns, shares, starts = ends
    n_rows, n_columns, n_grid, n_rates = observed.shape[0], masses.shape[1], grid.shape[0], likely.shape[1]
    running = np.zeros((n_columns, n_rates))
    # Columns with ends that are still to come. Indexes without a sign need no check for negative ones.
    first, stop = np.uint64(0), np.uint64(n_columns - 1 if places.shape[0] > 0 else 0)
    step, row = 1 - 2 * side, side * (n_rows - 1)
    next_end = starts[:-1] + side * (np.diff(starts) - 1)
    for visited in range(n_grid):
        place = side * (n_grid - 1) + step * visited
        while 0 <= row < n_rows and (observed[row] <= grid[place]) == (side == 0):
            decay, of_row = decays[row + side], masses[row]
            for column in range(first, stop):
                of_column, mass = running[column], of_row[column]
                for t in range(n_rates):
                    of_column[t] = of_column[t] * decay[t] + mass
            of_column, mass = running[n_columns - 1], of_row[n_columns - 1]
            for t in range(n_rates):
                of_column[t] = of_column[t] * decay[t] + mass
            row += step
        of_place = likely[place]
        for index in range(2):
            end = next_end[index]
            while starts[index] <= end < starts[index + 1] and places[end] == place:
                column, share = columns[end], shares[end]
                of_column = running[column]
                for t in range(n_rates):
                    numerators[t] += share * of_column[t] * of_place[t]
                if index + side == 1:  # the farther one of the two ends of a window
                    first = max(first, np.uint64(column * (1 - side)))
                    stop = min(stop, np.uint64(column + 1 + n_columns * (1 - side)))
                end += step
            next_end[index] = end
        of_column = running[n_columns - 1]
        for kind in range(weights.shape[0]):
            weight, sums = weights[kind, place], denominators[kind]
            for t in range(n_rates):
                sums[t] += weight * of_column[t] * of_place[t]


@njit(nogil=True, cache=True, error_model="numpy")
def add_likelihoods(observed, scales, masses, axis, ends, weights, numerators, denominators):
    """Add numerators (n_rates,) and denominators (n_sums, n_rates) of Eq. 2 at all decays.

    The likelihood of a grid value v for a row on its left, at x, is the product of the likelihoods of all gaps between
    x and v. So sums over the rows on the left of v follow from those at the row before, in one pass over rows and grid
    values; and likewise from the right.

    - `observed`, `scales` (n_rows,): of rows, or of nodes that stand for them. Rows of one scale are neighbors, in the
      order of their values.
    - `masses` (n_rows, n_columns): w |Δ| of the groups of windows, and w.
    - `axis`: grid (n_grid,), exponents a = -ln(λ) (n_rates,), and the distance that likelihoods are relative to.
    - `ends`: `Windows.ends`.
    - `weights` (n_sums, n_grid): how much the likelihood of each grid value counts in denominators.
    """
    grid, exponents, nearest = axis
    n_grid, n_exponents = grid.shape[0], exponents.shape[0]
    n_rates = (n_exponents + 3) // 4 * 4  # whole vectors; those that are added are 0
    rates, shift = np.zeros(n_rates), np.zeros(n_rates)
    by_part = np.zeros(n_rates), np.zeros((weights.shape[0], n_rates))
    # One array of both: an index into a pair of arrays takes longer than what is done with an end.
    left, right = ends
    starts = np.array([0, len(left[0]), len(left[0]) + len(right[0])])
    both = np.append(left[0], right[0]), np.append(left[1], right[1]), np.append(left[2], right[2]), starts
    start = 0
    while start < observed.shape[0]:
        stop = start + 1
        while stop < min(observed.shape[0], start + _RUN) and scales[stop] == scales[start]:
            stop += 1
        run, gaps, distances = observed[start:stop], np.zeros(stop - start + 1), np.empty((2, n_grid))
        rates[:n_exponents], shift[:n_exponents] = exponents / scales[start], exponents * nearest
        gaps[1:-1] = np.diff(run)
        n_left = 0
        for place in range(n_grid):
            while n_left < run.shape[0] and run[n_left] <= grid[place]:
                n_left += 1
            distances[0, place] = abs(grid[place] - run[max(n_left - 1, 0)])
            distances[1, place] = abs(grid[place] - run[min(n_left, stop - start - 1)])
        rows = run, masses[start:stop], _likelihoods(gaps, rates, np.zeros(n_rates))
        for side in range(2):
            likely = _likelihoods(distances[side], rates, shift)
            _add_from_one_side(side, rows, grid, likely, both, weights, by_part[0], by_part[1])
        start = stop
    numerators += by_part[0][:n_exponents]
    denominators += by_part[1][:, :n_exponents]


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_FAST)
def _add_moments(columns, n_columns, weights, total, moments):
    """Merge weighted rows into running `moments` of columns, (3, n_columns): those of `sums.Moments` (Chan).

    Deviations are from the mean of the heavier of the two, the rows before or these, so that the difference of squares
    does not cancel beside what the shift of the mean brings.
    """
    n_rows, block = weights.shape[0], weights.sum()
    for column in range(n_columns):
        pivot = moments[0, column]
        if total < block:
            pivot = 0.0
            for row in range(n_rows):
                pivot += weights[row] * columns[column, row]
            pivot /= block
        once = twice = size = 0.0
        for row in range(n_rows):
            value = columns[column, row]
            weighted = weights[row] * (value - pivot)
            once += weighted
            twice += weighted * (value - pivot)
            size += weights[row] * abs(value)
        mean = once / block
        shift = pivot - moments[0, column] + mean
        within = max(twice - mean * mean * block, 0.0)
        moments[1, column] += within + shift * shift * (total * block / (total + block))
        moments[0, column] += shift * (block / (total + block))
        moments[2, column] += size


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_FAST)
def _add_changes(columns, stretches, factors, weights, total, changes, means, moments):
    """Write the differences of each group, and D̄ of each row; merge differences into moments."""
    n_rows = weights.shape[0]
    for row in range(n_rows):
        means[row] = 0.0
    for group in range(factors.shape[0]):
        left, right, factor = stretches[0, group], stretches[1, group], factors[group]
        for row in range(n_rows):
            change = columns[right, row] - columns[left, row]
            changes[group, row] = change
            means[row] += factor * change
    _add_moments(changes, factors.shape[0], weights, total, moments)


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_FAST)
def _add_along(changes, weights, windows, mean, along):
    """Sum how much D deviates along each curve (Eq. 5)."""
    factors, shares, still, starts, least, most, ratios, ratio_shares, varied, divisor = windows
    n_groups, n_rows = factors.shape[0], weights.shape[0]
    total = 0.0
    if divisor > 0.0:
        for row in range(n_rows):
            along[row] = still * mean[row] * mean[row]
        for group in range(n_groups):
            ratio, share = ratios[group], shares[group]
            for row in range(n_rows):
                change = changes[group, row]
                along[row] += share * (ratio * change - mean[row]) * (ratio * change - mean[row])
        for row in range(n_rows):
            total += weights[row] * np.sqrt(along[row] / divisor)
        return total
    for row in range(n_rows):
        along[row] = still * abs(mean[row])
    # Where D of a group lies on both sides of the mean, its windows are added one by one.
    for at in range(varied.shape[0]):
        group = varied[at]
        first, stop = starts[group], starts[group + 1]
        for row in range(n_rows):
            change = changes[group, row]
            if (change * least[group] - mean[row]) * (change * most[group] - mean[row]) < 0.0:
                along[row] -= abs(factors[group] * change - shares[group] * mean[row])
                for place in range(first, stop):
                    along[row] += ratio_shares[place] * abs(change * ratios[place] - mean[row])
    for group in range(n_groups):
        factor, share = factors[group], shares[group]
        for row in range(n_rows):
            change = changes[group, row]
            along[row] += abs(factor * change - share * mean[row])
    for row in range(n_rows):
        total += weights[row] * along[row]
    return total


# Loops of their own are compiled without checks for negative indexes, and take a third of the time.
@njit(nogil=True, cache=True, error_model="numpy", fastmath=_FAST)
def _write_columns(stretches, columns):
    for column in range(stretches.shape[1]):
        for row in range(stretches.shape[0]):
            columns[column, row] = stretches[row, column]


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_FAST)
def _write_masses(changes, weights, masses):
    for group in range(masses.shape[1] - 1):
        for row in range(weights.shape[0]):
            masses[row, group] = weights[row] * abs(changes[group, row])


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_FAST)
def _sum_absolute(columns, left, right, weights, movement):
    """Σ w |change| between two stretches; |change| is added to the movement of each row."""
    total = 0.0
    for row in range(weights.shape[0]):
        change = abs(columns[right, row] - columns[left, row])
        movement[row] += change
        total += weights[row] * change
    return total


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_FAST)
def add_curves(
    stretches, jumps, weights, total, nodes, on_nodes, ends, curves, moments, intervals, windows, terms, step
):
    """Add a block of rows to all sums.

    Compiled twice: for curves, and for the jumps of a sweep, of which curves are made a few rows at a time.

    - `stretches` (n_rows, n_active + 1), or None.
    - `jumps`: in their place `jumps`, `base`, `start` and `link` as `write_curves` takes them; set back to 0.
    - `weights` (n_rows,); `total`: weight of the rows before.
    - `nodes`: the node that each row is or the first of four that it is shared between, as `Quadrature.place` finds it.
    - `on_nodes` (n_nodes, n_groups + 1): added to: w |Δ| of the groups of windows, and w, at the nodes.
    - `ends` (n_rows, 4): written: lowest and highest value of each curve, last less first, and its whole movement.
    - `curves` (3, n_active + 1), `moments` (3, n_groups), `intervals` (n_active,): moments of curves and changes, and
      Σ w |change| within intervals; added to.
    - `windows`, `terms`: `Windows.stretches` and `Windows.deviation_terms`; `step`: stretches and factors of "step"
      under another convention, else without groups.
    - returns the lowest and highest prediction, Σ w (largest - smallest prediction of the row), Σ w of how much changes
      deviate along the curve, and Σ w of the impact by `step`.
    """
    first_nodes, positions, are_nodes = nodes
    n_rows, n_stretches, n_columns = weights.shape[0], curves.shape[1], on_nodes.shape[1]
    n_groups, size = moments.shape[1], min(n_rows, ROWS_AT_A_TIME) + 8
    # Lines that are a power of two long would take each other's place in caches.
    columns, masses = np.empty((n_stretches, size)), np.empty((size, n_groups + 1))
    changes, mean, along = np.empty((n_groups, size)), np.empty(size), np.empty(size)
    low, high, movement = np.empty(size), np.empty(size), np.empty(size)
    lowest, highest, extent = np.inf, -np.inf, 0.0
    deviations = step_total = 0.0
    for start in range(0, n_rows, ROWS_AT_A_TIME):
        stop = min(start + ROWS_AT_A_TIME, n_rows)
        n_some = stop - start
        of_some = weights[start:stop]
        if jumps is not None:
            write_curves(jumps[0], jumps[1], jumps[2], start, jumps[3], columns[:, :n_some])
        if stretches is not None:
            _write_columns(stretches[start:stop], columns)
        for at in range(n_some):
            low[at], high[at], movement[at] = np.inf, -np.inf, 0.0
        for column in range(n_stretches):
            for at in range(n_some):
                low[at] = min(low[at], columns[column, at])
                high[at] = max(high[at], columns[column, at])
        for at in range(n_some):
            extent += of_some[at] * (high[at] - low[at])
            lowest, highest = min(lowest, low[at]), max(highest, high[at])
            ends[start + at, 0], ends[start + at, 1] = low[at], high[at]
            ends[start + at, 2] = columns[n_stretches - 1, at] - columns[0, at]
        _add_moments(columns, n_stretches, of_some, total, curves)
        _add_changes(columns, windows, terms[0], of_some, total, changes, mean, moments)
        deviations += _add_along(changes, of_some, terms, mean, along)
        _write_masses(changes, of_some, masses)
        for interval in range(n_stretches - 1):
            intervals[interval] += _sum_absolute(columns, interval, interval + 1, of_some, movement)
        ends[start:stop, 3] = movement[:n_some]
        for group in range(step[1].shape[0]):
            # The movement along windows is of no use.
            step_total += step[1][group] * _sum_absolute(columns, step[0][0, group], step[0][1, group], of_some, along)
        masses[:n_some, -1] = of_some
        for at in range(n_some):
            first, position = first_nodes[start + at], positions[start + at]
            for node in range(1 if are_nodes[start + at] else 4):
                share, of_node = 1.0, on_nodes[first + node]
                if not are_nodes[start + at]:
                    share = LAGRANGE[3, node]
                    for power in range(2, -1, -1):
                        share = share * position + LAGRANGE[power, node]
                for column in range(n_columns):
                    of_node[column] += masses[at, column] * share
        total += of_some.sum()
    return lowest, highest, extent, deviations, step_total


_TILE = 8  # levels whose predictions stay in the cache while all others pass by


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract", "reassoc"})
def add_pairs(levels, weights, means, total, mean, squared, absolute):
    """Merge the changes between every two levels into their moments (Chan), and add the absolute changes.

    - `levels` (n_levels, n_rows): predictions.
    - `weights` (n_rows,).
    - `means` (n_levels,): weighted means of `levels`.
    - `total`: weight of the rows before.
    - `mean`, `squared`, `absolute` (n_pairs,): merged into, pair by pair of the upper triangle.
    """
    n_levels, n_rows = levels.shape
    block = weights.sum()
    for tile in range(0, n_levels - 1, _TILE):
        for second in range(tile + 1, n_levels):
            to = levels[second]
            for first in range(tile, min(tile + _TILE, second)):
                start = levels[first]
                expected = means[second] - means[first]
                moved = spread = 0.0
                for row in range(n_rows):
                    change = to[row] - start[row]
                    apart = change - expected
                    moved += weights[row] * abs(change)
                    spread += weights[row] * apart * apart
                pair = first * (2 * n_levels - first - 1) // 2 + second - first - 1
                shift = expected - mean[pair]
                squared[pair] += spread + shift * shift * (total * block / (total + block))
                mean[pair] += shift * (block / (total + block))
                absolute[pair] += moved


@njit(nogil=True, cache=True, error_model="numpy")
def nearest_points(heights, points, rows, excluded, values, found):
    """Find the distance of each row, moved to each value of the axis, to the nearest point.

    The squared distance from a point is a parabola along the axis; their lower envelope takes one pass over the points.

    - `heights` (n_points,): of the points on the axis, increasing.
    - `points` (n_points, n_columns), `rows` (n_rows, n_columns): other coordinates.
    - `excluded` (n_rows,): the point that each row is itself, or -1.
    - `values` (n_rows or 1, n_values): increasing along each row.
    - `found` (n_rows, n_values): written to.
    """
    n_points, n_columns = points.shape
    hull = np.empty(n_points, np.int64)
    starts = np.empty(n_points)
    squared = np.empty(n_points)
    for row in range(len(rows)):
        of_row = values[row if len(values) > 1 else 0]
        if len(of_row) == 1:
            nearest = np.inf
            for point in range(n_points):
                gap = of_row[0] - heights[point]
                distance = gap * gap
                for column in range(n_columns):
                    gap = points[point, column] - rows[row, column]
                    distance += gap * gap
                if distance < nearest and point != excluded[row]:
                    nearest = distance
            found[row, 0] = np.sqrt(nearest)
            continue
        top = -1
        for point in range(n_points):
            if point == excluded[row]:
                continue
            distance = 0.0
            for column in range(n_columns):
                gap = points[point, column] - rows[row, column]
                distance += gap * gap
            squared[point] = distance
            height, start, is_below = heights[point], -np.inf, True
            while top >= 0:
                last = hull[top]
                apart = height - heights[last]
                if apart == 0.0:
                    if distance >= squared[last]:
                        is_below = False
                        break
                    top -= 1
                    continue
                start = (height + heights[last]) / 2 + (distance - squared[last]) / (2 * apart)
                if start > starts[top]:
                    break
                top -= 1
            if is_below:
                top += 1
                hull[top] = point
                starts[top] = start if top > 0 else -np.inf
        at = 0
        for place in range(len(of_row)):
            if top < 0:
                found[row, place] = np.inf
                continue
            while at < top and starts[at + 1] <= of_row[place]:
                at += 1
            gap = of_row[place] - heights[hull[at]]
            found[row, place] = np.sqrt(squared[hull[at]] + gap * gap)
