"""Compiled: sums over a block of curves from which every figure of a feature with an order follows.

`fold` does what `ordered.fold_plainly` does in NumPy, which a test holds it to. Rows are worked on a few dozen at a
time, so that what is made of them stays in the cache, in an array of one line for each column: all loops run over rows.

Likelihoods need no exponential for each row and grid value. Of one group of windows the ends to the right of an
observed value x have the likelihoods of its first end, times e^{-a(v - x)}: the sum over groups is a polynomial in
decreasing factors, evaluated by Horner's rule from the farthest group to x, and likewise on the left. Where x lies
between the ends of a group, sums over the ends on both sides of it were made beforehand, for each interval of the grid.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ice_explorer.trees.margins_numba import ROWS_AT_A_TIME, curves_of, exponential

_FAST = {"nsz", "contract", "reassoc"}
# The Gauss-Legendre rule with four nodes on [-1, 1]: ±_OUTER and ±_INNER.
_OUTER, _INNER = np.sqrt(3.0 / 7.0 + 2.0 / 7.0 * np.sqrt(1.2)), np.sqrt(3.0 / 7.0 - 2.0 / 7.0 * np.sqrt(1.2))


@njit(nogil=True, cache=True, error_model="numpy")
def _decays_between(grid, rates):
    """Factors e^{-rate · gap} of the intervals of a grid, (n_grid - 1, n_rates)."""
    n_rates = rates.shape[0]
    gaps = np.empty(n_rates)
    power = np.empty(n_rates)
    factors = np.empty((grid.shape[0] - 1, n_rates))
    for at in range(factors.shape[0]):
        for t in range(n_rates):
            gaps[t] = rates[t] * (grid[at + 1] - grid[at])
        exponential(gaps, -1.0, (power, power.view(np.int64)), factors[at])
    return factors


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_FAST)
def _tables_of_side(factors, places, weights, starts):
    """Sums over the ends of each group that rows need, whatever their observed value.

    Returns
    -------
    whole : float64 (2, n_groups, n_rates)
        Σ weight · e^{-a distance} over the ends of a group, from its last end on the right, from its first on the left.
    chain : float64 (2, n_groups, n_rates)
        Factor from one group to the next, to the right and to the left.
    edge : float64 (2, n_grid + 1, n_rates)
        Of an observed value in the interval before each grid value: factor from the last group that is all on its left
        to the grid value on its left, and from the first that is all on its right to that on its right.
    partial : float64 (2, n_grid + 1, n_rates)
        For the group with ends on both sides: the sums over those on the left and on the right.
    straddling : int64 (n_grid + 1,)
        That group; -1 where there is none.
    """
    n_grid, n_groups, n_rates = factors.shape[0] + 1, starts.shape[0] - 1, factors.shape[1]
    whole = np.zeros((2, n_groups, n_rates))
    chain = np.ones((2, n_groups, n_rates))
    edge = np.zeros((2, n_grid + 1, n_rates))
    partial = np.zeros((2, n_grid + 1, n_rates))
    straddling = np.full(n_grid + 1, -1, np.int64)
    running = np.empty(n_rates)
    for group in range(n_groups):
        first, last = places[starts[group]], places[starts[group + 1] - 1]
        end = starts[group]
        running[:] = 0.0
        for place in range(first, last + 1):
            if place > first:
                for t in range(n_rates):
                    running[t] *= factors[place - 1, t]
            if places[end] == place:
                for t in range(n_rates):
                    running[t] += weights[end]
                end += 1
            if place < last:
                straddling[place + 1] = group
                for t in range(n_rates):
                    partial[0, place + 1, t] = running[t]
        whole[0, group] = running
        end = starts[group + 1] - 1
        running[:] = 0.0
        for place in range(last, first - 1, -1):
            if place < last:
                for t in range(n_rates):
                    partial[1, place + 1, t] = running[t]
                for t in range(n_rates):
                    running[t] *= factors[place, t]
            if places[end] == place:
                for t in range(n_rates):
                    running[t] += weights[end]
                end -= 1
        whole[1, group] = running
        if group > 0:
            for place in range(places[starts[group] - 1], last):
                for t in range(n_rates):
                    chain[0, group, t] *= factors[place, t]
            for place in range(places[starts[group - 1]], first):
                for t in range(n_rates):
                    chain[1, group - 1, t] *= factors[place, t]
    # Interval `cell` lies between grid values cell - 1 and cell.
    last_left = -1
    for cell in range(1, n_grid + 1):
        while last_left + 1 < n_groups and places[starts[last_left + 2] - 1] <= cell - 1:
            last_left += 1
            edge[0, cell] = 0.0
        if last_left >= 0:
            if places[starts[last_left + 1] - 1] == cell - 1:
                edge[0, cell] = 1.0
            else:
                for t in range(n_rates):
                    edge[0, cell, t] = edge[0, cell - 1, t] * factors[cell - 2, t]
    first_right = n_groups
    for cell in range(n_grid - 1, -1, -1):
        while first_right - 1 >= 0 and places[starts[first_right - 1]] >= cell:
            first_right -= 1
        if first_right < n_groups:
            if places[starts[first_right]] == cell:
                edge[1, cell] = 1.0
            else:
                for t in range(n_rates):
                    edge[1, cell, t] = edge[1, cell + 1, t] * factors[cell, t]
    return whole, chain, edge, partial, straddling


@njit(nogil=True, cache=True, error_model="numpy")
def _count_up_to(values, value):
    """Count increasing values that are at or below one."""
    low, high = 0, values.shape[0]
    while low < high:
        middle = (low + high) // 2
        if values[middle] <= value:
            low = middle + 1
        else:
            high = middle
    return low


@njit(nogil=True, cache=True, error_model="numpy")
def _cells_of(observed, grid, cells):
    """Number of grid values at or below each observed value."""
    for row in range(observed.shape[0]):
        cells[row] = _count_up_to(grid, observed[row])


@njit(nogil=True, cache=True, error_model="numpy")
def _offsets_of(value, cell, grid, rates, nearest, scratch, to_left, to_right):
    """Factors e^{-rate (distance - nearest)} from an observed value to the grid values on its left and right."""
    exponents, power = scratch
    n_rates = rates.shape[0]
    if cell > 0:
        apart = value - grid[cell - 1]
        if apart == 0.0 and nearest == 0.0:
            to_left[:] = 1.0
        else:
            for t in range(n_rates):
                exponents[t] = rates[t] * (apart - nearest)
            exponential(exponents, -1.0, (power, power.view(np.int64)), to_left)
    else:
        to_left[:] = 0.0
    if cell < grid.shape[0]:
        apart = grid[cell] - value
        for t in range(n_rates):
            exponents[t] = rates[t] * (apart - nearest)
        exponential(exponents, -1.0, (power, power.view(np.int64)), to_right)
    else:
        to_right[:] = 0.0


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_FAST)
def likelihood_sums(observed, scales, weights, grid, per_place, exponents, nearest):
    """Sum weights[i] · per_place[c, k] · e^{-a (|v_k - x_i| / s_i - nearest)} over all rows and grid values.

    Parameters
    ----------
    observed, scales, weights : float64 (n_rows,)
        Rows of the same scale one after the other save time.
    grid : float64 (n_grid,)
    per_place : float64 (n_channels, n_grid)
    exponents : float64 (n_rates,)
    nearest : float64
        In likelihood scales.

    Returns
    -------
    float64 (n_channels, n_rates)
    """
    n_channels, n_grid = per_place.shape
    n_rates = exponents.shape[0]
    found = np.zeros((n_channels, n_rates))
    to_left, to_right = np.empty(n_rates), np.empty(n_rates)
    scratch = np.empty(n_rates), np.empty(n_rates)
    below = np.zeros((n_grid + 1, n_channels, n_rates))
    above = np.zeros((n_grid + 1, n_channels, n_rates))
    scale, rates = -1.0, exponents
    for row in range(observed.shape[0]):
        if scales[row] != scale:
            scale = scales[row]
            rates = exponents / scale
            factors = _decays_between(grid, rates)
            for channel in range(n_channels):
                for t in range(n_rates):
                    below[1, channel, t] = per_place[channel, 0]
                    above[n_grid - 1, channel, t] = per_place[channel, n_grid - 1]
                for place in range(1, n_grid):
                    for t in range(n_rates):
                        below[place + 1, channel, t] = (
                            below[place, channel, t] * factors[place - 1, t] + per_place[channel, place]
                        )
                for place in range(n_grid - 2, -1, -1):
                    for t in range(n_rates):
                        above[place, channel, t] = (
                            above[place + 1, channel, t] * factors[place, t] + per_place[channel, place]
                        )
        cell = _count_up_to(grid, observed[row])
        _offsets_of(observed[row], cell, grid, rates, nearest * scale, scratch, to_left, to_right)
        for channel in range(n_channels):
            for t in range(n_rates):
                found[channel, t] += weights[row] * (
                    below[cell, channel, t] * to_left[t] + above[cell, channel, t] * to_right[t]
                )
    return found


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_FAST)
def _merge(column, rows, weights, moments):
    """Merge rows into the running moments of one column (Chan).

    - `rows`: pivot, and Σ w (x - pivot), Σ w (x - pivot)² and Σ w |x| of the rows.
    - `weights`: of the rows before and of these.
    - `moments`: means, squared deviations and absolute sums of all columns.
    """
    pivot, once, twice, size = rows
    total, block = weights
    mean, squared, absolute = moments
    beside = once / block
    shift = pivot - mean[column] + beside
    squared[column] += max(twice - beside * beside * block, 0.0) + shift * shift * (total * block / (total + block))
    mean[column] += shift * (block / (total + block))
    absolute[column] += size


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_FAST)
def _add_moments(columns, n_columns, weights, total, mean, squared, absolute):
    """Merge weighted rows into running means, squared deviations and absolute values of columns (Chan).

    Deviations are from the mean of the heavier of the two, the rows before or these, so that the difference of squares
    does not cancel beside what the shift of the mean brings.
    """
    n_rows = weights.shape[0]
    block = 0.0
    for row in range(n_rows):
        block += weights[row]
    for column in range(n_columns):
        pivot = mean[column]
        if total < block:
            pivot = 0.0
            for row in range(n_rows):
                pivot += weights[row] * columns[column, row]
            pivot /= block
        once = twice = size = 0.0
        for row in range(n_rows):
            value = columns[column, row]
            apart = value - pivot
            weighted = weights[row] * apart
            once += weighted
            twice += weighted * apart
            size += weights[row] * abs(value)
        _merge(column, (pivot, once, twice, size), (total, block), (mean, squared, absolute))


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_FAST)
def _add_changes(some, windows, weights, total, changes, means, sums):
    """Write the differences of each group, and D̄ of each row; merge differences into moments as `_add_moments` does."""
    left, right, along_of = windows[0], windows[1], windows[2]
    mean, squared, absolute = sums[0], sums[1], sums[2]
    n_rows = weights.shape[0]
    block = 0.0
    for row in range(n_rows):
        block += weights[row]
        means[row] = 0.0
    for group in range(left.shape[0]):
        from_place, to_place, factor = left[group], right[group], along_of[0][group]
        pivot = mean[group]
        if total < block:
            pivot = 0.0
            for row in range(n_rows):
                pivot += weights[row] * (some[to_place, row] - some[from_place, row])
            pivot /= block
        once = twice = size = 0.0
        for row in range(n_rows):
            change = some[to_place, row] - some[from_place, row]
            changes[group, row] = change
            means[row] += factor * change
            weighted = weights[row] * (change - pivot)
            once += weighted
            twice += weighted * (change - pivot)
            size += weights[row] * abs(change)
        _merge(group, (pivot, once, twice, size), (total, block), (mean, squared, absolute))


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_FAST)
def _add_along(changes, weights, windows, mean, along):
    """Sum how much D deviates along each curve (Eq. 5), and replace differences by their absolute values."""
    factors, shares, still, starts, ratios, ratio_shares, wide, divisor = windows
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
                changes[group, row] = abs(change)
        for row in range(n_rows):
            total += weights[row] * np.sqrt(along[row] / divisor)
        return total
    for row in range(n_rows):
        along[row] = still * abs(mean[row])
    # Where D of a group lies on both sides of the mean, its windows are added one by one.
    for at in range(wide.shape[0]):
        group = wide[at]
        first, stop = starts[group], starts[group + 1]
        for row in range(n_rows):
            change = changes[group, row]
            if (change * ratios[first] - mean[row]) * (change * ratios[stop - 1] - mean[row]) < 0.0:
                along[row] -= abs(factors[group] * change - shares[group] * mean[row])
                for place in range(first, stop):
                    along[row] += ratio_shares[place] * abs(change * ratios[place] - mean[row])
    for group in range(n_groups):
        factor, share = factors[group], shares[group]
        for row in range(n_rows):
            change = changes[group, row]
            along[row] += abs(factor * change - share * mean[row])
            changes[group, row] = abs(change)
    for row in range(n_rows):
        total += weights[row] * along[row]
    return total


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_FAST)
def _add_from_one_side(changes, cells, weights, offsets, side, tables, reached, likely):
    """Add Σ w |Δ| Σ weight · e^{-a distance} over the ends of one side; rows are in the order of their cells.

    - `side`: 0 for ends to the left of the observed values, 1 for those to the right.
    """
    places, starts, whole, chain, edge, partial, straddling = tables
    n_rows, n_groups, n_rates = cells.shape[0], starts.shape[0] - 1, likely.shape[0]
    for t in range(n_rates):
        for row in range(n_rows):
            reached[t, row] = 0.0
    # Indexes without a sign need no check for negative ones, without which the loop over rows runs over vectors.
    first, stop, one = np.uint64(0), np.uint64(n_rows), np.uint64(1)
    for at in range(n_groups):
        group = at if side == 0 else n_groups - 1 - at
        if side == 0:
            last = places[starts[group + 1] - 1]
            while first < stop and cells[first] <= last:
                first += one
        else:
            begin = places[starts[group]]
            while stop > first and cells[stop - one] > begin:
                stop -= one
        for t in range(n_rates):
            factor, weight = chain[side, group, t], whole[side, group, t]
            for row in range(first, stop):
                reached[t, row] = reached[t, row] * factor + changes[group, row] * weight
    for row in range(n_rows):
        cell, crossed = cells[row], straddling[cells[row]]
        change = changes[crossed, row] if crossed >= 0 else 0.0
        for t in range(n_rates):
            sums = reached[t, row] * edge[side, cell, t] + change * partial[side, cell, t]
            likely[t] += weights[row] * offsets[row, t] * sums


@njit(nogil=True, cache=True, error_model="numpy")
def _place_on(lattice, value, shares):
    """Find the first of the four nodes that an observed value is shared between, and its shares."""
    edges, middle, inverse_half, first = lattice
    bucket = _count_up_to(edges, value)
    if first[bucket + 1] - first[bucket] == 1:
        shares[0], shares[1], shares[2], shares[3] = 1.0, 0.0, 0.0, 0.0
        return first[bucket]
    at = (value - middle[bucket]) * inverse_half[bucket]
    outer, inner = at * at - _OUTER * _OUTER, at * at - _INNER * _INNER
    shares[0] = -inner * (at - _OUTER) / (2.0 * _OUTER * (_OUTER * _OUTER - _INNER * _INNER))
    shares[1] = outer * (at - _INNER) / (2.0 * _INNER * (_OUTER * _OUTER - _INNER * _INNER))
    shares[2] = -outer * (at + _INNER) / (2.0 * _INNER * (_OUTER * _OUTER - _INNER * _INNER))
    shares[3] = inner * (at + _OUTER) / (2.0 * _OUTER * (_OUTER * _OUTER - _INNER * _INNER))
    return first[bucket]


@njit(nogil=True, cache=True, error_model="numpy")
def masses_on(lattice, observed, weights, n_nodes):
    """Weights of rows, shared between the nodes of a lattice, (n_nodes,)."""
    masses, shares = np.zeros(n_nodes + 3), np.empty(4)
    for row in range(observed.shape[0]):
        node = _place_on(lattice, observed[row], shares)
        for at in range(4):
            masses[node + at] += weights[row] * shares[at]
    return masses[:n_nodes]


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_FAST)
def _add_to_nodes(changes, n_groups, nodes, shares, on_nodes):
    """Add w |Δ| of some rows to the four nodes that stand for each observed value."""
    for group in range(n_groups):
        for row in range(nodes.shape[0]):
            change, node = changes[group, row], nodes[row]
            on_nodes[group, node] += change * shares[row, 0]
            on_nodes[group, node + np.uint64(1)] += change * shares[row, 1]
            on_nodes[group, node + np.uint64(2)] += change * shares[row, 2]
            on_nodes[group, node + np.uint64(3)] += change * shares[row, 3]


@njit(nogil=True, cache=True, error_model="numpy")
def sums_of_nodes(nodes, on_nodes, scale, grid, exponents, nearest, windows):
    """Sum what `_add_to_nodes` has collected by likelihood, (n_rates,)."""
    n_rates, n_groups = exponents.shape[0], on_nodes.shape[0]
    likely = np.zeros(n_rates)
    if n_groups == 0:
        return likely
    rates = exponents / scale
    tables = _tables_of(grid, rates, windows)
    pair = np.empty(n_rates), np.empty(n_rates)
    size = min(nodes.shape[0], ROWS_AT_A_TIME)
    changes = np.empty((n_groups, size))
    reached, offsets = np.empty((n_rates, size)), np.empty((2, size, n_rates))
    cells, ones = np.empty(size, np.int64), np.ones(size)
    for start in range(0, nodes.shape[0], ROWS_AT_A_TIME):
        n_some = min(ROWS_AT_A_TIME, nodes.shape[0] - start)
        _cells_of(nodes[start : start + n_some], grid, cells)
        for at in range(n_some):
            _offsets_of(
                nodes[start + at], cells[at], grid, rates, nearest * scale, pair, offsets[0, at], offsets[1, at]
            )
            for group in range(n_groups):
                changes[group, at] = on_nodes[group, start + at]
        _add_by_likelihood(changes, cells[:n_some], ones[:n_some], offsets, windows, tables, reached, likely)
    return likely


@njit(nogil=True, cache=True, error_model="numpy")
def _tables_of(grid, rates, windows):
    factors = _decays_between(grid, rates)
    left, right = windows[3], windows[4]
    return _tables_of_side(factors, left[0], left[1], left[2]), _tables_of_side(factors, right[0], right[1], right[2])


@njit(nogil=True, cache=True, error_model="numpy")
def _add_by_likelihood(changes, cells, weights, offsets, windows, tables, reached, likely):
    for at in range(2):
        ends = windows[3] if at == 0 else windows[4]
        of_ends = tables[0] if at == 0 else tables[1]
        whole, chain, edge, partial, straddling = of_ends
        if ends[2].shape[0] == 1:
            continue
        for side in range(2):
            _add_from_one_side(
                changes, cells, weights, offsets[side], side,
                (ends[0], ends[2], whole, chain, edge, partial, straddling), reached, likely,
            )  # fmt: skip


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"nsz", "contract", "reassoc"})
def fold(stretches, jumps, rows, total, grid, exponents, nearest, lattice, curves, step, paper):
    """Add a block of rows to all sums; return the extremes of the curves.

    Compiled twice: for curves, and for the jumps of a sweep, of which curves are made a few rows at a time.

    Parameters
    ----------
    stretches : float64 (n_rows, n_active + 1), or None
    jumps : `jumps`, `base`, `start` and `link` as `curves_of` takes them, or None
        In place of `stretches`; set back to 0.
    rows : observed values, likelihood scales and weights, float64 (n_rows,) each
    total : float64
        Weight of the rows before.
    grid : float64 (n_grid,)
    exponents : float64 (n_rates,)
        a = -ln(λ).
    nearest : float64
        Distance that likelihoods are relative to, in likelihood scales.
    lattice : as `_place_on` takes it
        Without buckets where no nodes stand for the observed values.
    curves : means, squared deviations and absolute values, float64 (n_active + 1,) each
        Merged into.
    step, paper : `Windows.arrays` of a convention, and what is added to
        Means, squared deviations and absolute values of changes; numerators of Eq. 2 at the exponents; the same at the
        nodes of the lattice.

    Returns
    -------
    lowest, highest : float64
    extent : float64
        Σ w (largest - smallest prediction of the row).
    step_along, paper_along : float64
        Σ w of how much changes deviate along the curve.
    """
    observed, scales, weights = rows
    n_rows, n_stretches, n_rates = weights.shape[0], curves[0].shape[0], exponents.shape[0]
    has_lattice = lattice[3].shape[0] > 1
    size = min(n_rows, ROWS_AT_A_TIME)
    made, some = np.empty((n_stretches, size)), np.empty((n_stretches, size))
    changes = np.empty((max(step[0][0].shape[0], paper[0][0].shape[0]), size))
    cells, own, mass, units = np.empty(size, np.int64), np.empty(size), np.empty(size), np.empty(size)
    nodes, shares = np.empty(size, np.uint64), np.empty((size, 4))
    mean, along, low, high = np.empty(size), np.empty(size), np.empty(size), np.empty(size)
    if not has_lattice:
        reached, offsets = np.empty((n_rates, size)), np.empty((2, size, n_rates))
        pair = np.empty(n_rates), np.empty(n_rates)
    lowest, highest, extent = np.inf, -np.inf, 0.0
    step_along = paper_along = 0.0
    scale, rates = -1.0, exponents
    order = np.arange(size)
    for start in range(0, n_rows, ROWS_AT_A_TIME):
        stop = min(start + ROWS_AT_A_TIME, n_rows)
        n_some = stop - start
        if not has_lattice:
            _cells_of(observed[start:stop], grid, cells)
            order = np.argsort(cells[:n_some], kind="mergesort")
            cells[:n_some] = cells[:n_some][order]
        if jumps is not None:
            curves_of(jumps[0], jumps[1], jumps[2], start, jumps[3], made[:, :n_some])
        for at in range(n_some):
            low[at], high[at] = np.inf, -np.inf
        for column in range(n_stretches):
            for at in range(n_some):
                if jumps is not None:
                    some[column, at] = made[column, order[at]]
                if stretches is not None:
                    some[column, at] = stretches[start + order[at], column]
            for at in range(n_some):
                low[at] = min(low[at], some[column, at])
                high[at] = max(high[at], some[column, at])
        are_alike = True
        for at in range(n_some):
            row = start + order[at]
            own[at], mass[at], units[at] = observed[row], weights[row], scales[row]
            are_alike = are_alike and units[at] == units[0]
            extent += mass[at] * (high[at] - low[at])
            lowest, highest = min(lowest, low[at]), max(highest, high[at])
            if has_lattice:
                nodes[at] = _place_on(lattice, own[at], shares[at])
                for node in range(4):
                    shares[at, node] *= mass[at]
        of_some, of_cells = mass[:n_some], cells[:n_some]
        _add_moments(some, n_stretches, of_some, total, curves[0], curves[1], curves[2])
        if not has_lattice and are_alike:
            if units[0] != scale:
                scale = units[0]
                rates = exponents / scale
                of_step, of_paper = _tables_of(grid, rates, step[0]), _tables_of(grid, rates, paper[0])
            for at in range(n_some):
                _offsets_of(own[at], cells[at], grid, rates, nearest * scale, pair, offsets[0, at], offsets[1, at])
        for convention in range(2):
            windows, sums = step if convention == 0 else paper
            n_groups = windows[0].shape[0]
            _add_changes(some, windows, of_some, total, changes, mean, sums)
            of_curves = _add_along(changes, of_some, windows[2], mean, along)
            if convention == 0:
                step_along += of_curves
            else:
                paper_along += of_curves
            if n_groups == 0:
                continue
            if has_lattice:
                _add_to_nodes(changes, n_groups, nodes[:n_some], shares, sums[4])
                continue
            if are_alike:
                tables = of_step if convention == 0 else of_paper
                _add_by_likelihood(changes, of_cells, of_some, offsets, windows, tables, reached, sums[3])
                continue
            for at in range(n_some):  # of rows with scales of their own, one by one
                rates_of_row = exponents / units[at]
                _offsets_of(
                    own[at], cells[at], grid, rates_of_row, nearest * units[at], pair, offsets[0, 0], offsets[1, 0]
                )
                _add_by_likelihood(
                    changes[:, at : at + 1], cells[at : at + 1], mass[at : at + 1], offsets, windows,
                    _tables_of(grid, rates_of_row, windows), reached, sums[3],
                )  # fmt: skip
        for at in range(n_some):
            total += mass[at]
    return lowest, highest, extent, step_along, paper_along
