"""Compiled: sums over a block of curves from which every figure of a feature with an order follows.

`add_curves` equals `ordered._add_by_numpy`, which a test checks. It takes a few dozen rows at a time, so that what is
made of them stays in the cache, in an array of one line for each column: all loops run over rows.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ice_explorer.trees.margins_numba import ROWS_AT_A_TIME, exponential, write_curves

_RUN = 64  # rows whose likelihoods are summed together, so that what they reach stays in the cache
_FAST = {"nsz", "contract", "reassoc"}
# The Gauss-Legendre rule with four nodes on [-1, 1]: ±_OUTER and ±_INNER.
_OUTER, _INNER = np.sqrt(3.0 / 7.0 + 2.0 / 7.0 * np.sqrt(1.2)), np.sqrt(3.0 / 7.0 - 2.0 / 7.0 * np.sqrt(1.2))


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
def _likelihoods(distances, rates, shift):
    """Return e^{shift - rate · distance}, (n_distances, n_rates)."""
    n_distances, n_rates = distances.shape[0], rates.shape[0]
    exponents, results = np.empty((n_distances, n_rates)), np.empty((n_distances, n_rates))
    for index in range(n_distances):
        for t in range(n_rates):
            exponents[index, t] = shift[t] - rates[t] * distances[index]
    # All in one call, which takes a seventh of the time of a call for each distance.
    power = np.empty(exponents.size)
    exponential(exponents.reshape(-1), 1.0, (power, power.view(np.int64)), results.reshape(-1))
    return results


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_FAST)
def _tables_of(factors, ends, by_cell):
    """Sums over the ends of each group that rows need, whatever their observed value.

    Returns
    -------
    whole : float64 (2, n_groups, n_rates)
        Σ weight · e^{-a distance} over the ends of a group, from its last end on the right, from its first on the left.
    chain : float64 (2, n_groups, n_rates)
        Factor from one group to the next, to the right and to the left.
    edge : float64 (2, n_grid + 1, n_rates), `by_cell[0]`
        Of an observed value in the interval before each grid value: factor from the last group that is all on its left
        to the grid value on its left, and from the first that is all on its right to that on its right.
    partial : float64 (2, n_grid + 1, n_rates), `by_cell[1]`
        For the group with ends on both sides: the sums over those on the left and on the right.
    straddling : int64 (n_grid + 1,)
        That group; -1 where there is none.
    """
    places, weights, starts = ends
    n_groups, n_rates = starts.shape[0] - 1, factors.shape[1]
    n_grid = factors.shape[0] + 1 if n_groups > 0 else 0
    whole = np.zeros((2, n_groups, n_rates))
    chain = np.ones((2, n_groups, n_rates))
    edge, partial = by_cell[0], by_cell[1]
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
            while end < starts[group + 1] and places[end] == place:
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
            while end >= starts[group] and places[end] == place:
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


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_FAST)
def _add_from_one_side(side, ends, tables, rows, masses, reached, sums):
    """Add what the ends of groups on one side of the observed values bring, by Horner's rule from the farthest group.

    - `rows`: cells of rows, increasing, and their `offsets` (n_rows, n_rates) to the grid value on that side.
    - `masses` (n_groups, at least n_rows).
    """
    places, _, starts = ends
    whole, chain, edge, partial, straddling = tables
    cells, offsets = rows
    n_groups, n_rates, n_rows = starts.shape[0] - 1, reached.shape[0], cells.shape[0]
    if n_groups == 0:
        return
    reached[:] = 0.0
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
                reached[t, row] = reached[t, row] * factor + masses[group, row] * weight
    for row in range(n_rows):
        cell, crossed = cells[row], straddling[cells[row]]
        mass = masses[crossed, row] if crossed >= 0 else 0.0
        for t in range(n_rates):
            sums[t] += offsets[row, t] * (reached[t, row] * edge[side, cell, t] + mass * partial[side, cell, t])


@njit(nogil=True, cache=True, error_model="numpy")
def _next_run(observed, scales, start):
    """Find where the rows end, at most `_RUN`, that have one scale and come in the order of their values."""
    stop, last = start + 1, min(observed.shape[0], start + _RUN)
    while stop < last and scales[stop] == scales[start] and observed[stop] >= observed[stop - 1]:
        stop += 1
    return stop


@njit(nogil=True, cache=True, error_model="numpy")
def _likelihoods_beside(observed, axis, rates):
    """Return intervals of the grid, (n_rows,), and likelihoods at both ends of each, two (n_rows, n_rates).

    Beyond the grid both are those at its end.
    """
    grid, exponents, nearest = axis
    n_rows = observed.shape[0]
    cells, distances = np.empty(n_rows, np.int64), np.empty((2, n_rows))
    for row in range(n_rows):
        cell = _count_up_to(grid, observed[row])
        cells[row] = cell
        distances[0, row] = abs(observed[row] - grid[max(cell - 1, 0)])
        distances[1, row] = abs(observed[row] - grid[min(cell, grid.shape[0] - 1)])
    shift = exponents * nearest
    return cells, (_likelihoods(distances[0], rates, shift), _likelihoods(distances[1], rates, shift))


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_FAST)
def _pass_along(factors, at_grid, weights, sums):
    """Add weighted likelihoods of what reaches each grid value from either side, and set `at_grid` back to 0."""
    n_grid, n_rates = at_grid.shape[1], at_grid.shape[2]
    for side in range(2):
        running = np.zeros(n_rates)
        for step in range(n_grid):
            place = step if side == 1 else n_grid - 1 - step
            if step > 0:
                gap = place - side
                for t in range(n_rates):
                    running[t] *= factors[gap, t]
            for t in range(n_rates):
                running[t] += at_grid[side, place, t]
                at_grid[side, place, t] = 0.0
            for kind in range(weights.shape[0]):
                for t in range(n_rates):
                    sums[kind, t] += weights[kind, place] * running[t]


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_FAST)
def add_on_grid(observed, scales, masses, axis, weights, sums):
    """Add sums of likelihoods that count alike for all rows, at all decays.

    What the rows of an interval of the grid bring is summed at its ends, and passed on from one grid value to the next.

    Parameters
    ----------
    observed, scales, masses : float64 (n_rows,)
        Observed values, likelihood scales and weights of rows, or of nodes that stand for them.
    axis : as `add_numerators` takes it
    weights : float64 (n_sums, n_grid)
        How much the likelihood at each grid value counts.
    sums : float64 (n_sums, n_rates)
        Added to.
    """
    grid, exponents, _ = axis
    n_grid, n_rates = grid.shape[0], exponents.shape[0]
    at_grid = np.zeros((2, n_grid, n_rates))
    start = 0
    while start < observed.shape[0]:
        rates, stop = exponents / scales[start], start + 1
        while stop < observed.shape[0] and scales[stop] == scales[start]:
            stop += 1
        for first in range(start, stop, _RUN):
            cells, (to_left, to_right) = _likelihoods_beside(observed[first : min(first + _RUN, stop)], axis, rates)
            for row in range(cells.shape[0]):
                cell, mass = cells[row], masses[first + row]
                if cell > 0:
                    for t in range(n_rates):
                        at_grid[0, cell - 1, t] += mass * to_left[row, t]
                if cell < n_grid:
                    for t in range(n_rates):
                        at_grid[1, cell, t] += mass * to_right[row, t]
        _pass_along(_likelihoods(np.diff(grid), rates, np.zeros_like(rates)), at_grid, weights, sums)
        start = stop


@njit(nogil=True, cache=True, error_model="numpy")
def _of_scale(scale, axis, ends):
    """Return what `_add_run` needs of all rows of one likelihood scale: rates of decay, and tables."""
    grid, exponents, _ = axis
    rates = exponents / scale
    factors = _likelihoods(np.diff(grid), rates, np.zeros_like(rates))
    by_cell = np.zeros((3, 2, 2, grid.shape[0] + 1, exponents.shape[0]))  # one allocation, which is reused
    return rates, (
        _tables_of(factors, ends[0], by_cell[0]),
        _tables_of(factors, ends[1], by_cell[1]),
        _tables_of(factors, ends[2], by_cell[2]),
    )


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_FAST)
def _add_run(observed, masses, axis, ends, of_scale, sums):
    """Add rows of one scale in the order of their values, at most `_RUN`; see `add_numerators`."""
    rates, tables = of_scale
    n_rows, n_columns = masses.shape
    cells, offsets = _likelihoods_beside(observed, axis, rates)
    of_columns, reached = np.empty((n_columns, n_rows)), np.empty((rates.shape[0], n_rows))
    for row in range(n_rows):
        for column in range(n_columns):
            of_columns[column, row] = masses[row, column]
    of_paper = of_columns[ends[0][2].shape[0] - 1 :]
    for side in range(2):
        rows = cells, offsets[side]
        _add_from_one_side(side, ends[0], tables[0], rows, of_columns, reached, sums[0])
        _add_from_one_side(side, ends[1], tables[1], rows, of_columns, reached, sums[0])
        _add_from_one_side(side, ends[2], tables[2], rows, of_paper, reached, sums[1])


@njit(nogil=True, cache=True, error_model="numpy")
def add_numerators(observed, scales, masses, axis, ends, sums):
    """Add numerators of Eq. 2 at all decays.

    Of one group of windows the ends to the right of an observed value x have the likelihoods of its first end, times
    e^{-a(v - x)}: the sum over groups is a polynomial in decreasing factors, evaluated from the farthest group to x,
    and likewise on the left. Where x lies between the ends of a group, sums over the ends on both sides of it were made
    beforehand, for each interval of the grid.

    Parameters
    ----------
    observed, scales : float64 (n_rows,)
        Observed values and likelihood scales of rows, or of nodes that stand for them. Rows of one scale that come in
        the order of their values are worked on together.
    masses : float64 (n_rows, n_columns)
        w |Δ| of the groups of windows of "step" and of "paper".
    axis : grid (n_grid,), exponents a = -ln(λ) (n_rates,), and the distance that likelihoods are relative to
    ends : three of `Windows.numerator_ends`
        Of "step" left and right, and of "paper".
    sums : float64 (2, n_rates)
        Of "step" and of "paper"; added to.
    """
    n_rows, start = observed.shape[0], 0
    while start < n_rows:
        if start == 0 or scales[start] != scales[start - 1]:
            of_scale = _of_scale(scales[start], axis, ends)
        stop = _next_run(observed, scales, start)
        _add_run(observed[start:stop], masses[start:stop], axis, ends, of_scale, sums)
        start = stop


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
    factors, shares, still, starts, ratios, ratio_shares, varied, divisor = windows
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
            if (change * ratios[first] - mean[row]) * (change * ratios[stop - 1] - mean[row]) < 0.0:
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


@njit(nogil=True, cache=True, error_model="numpy")
def _place_on(quadrature, value, shares):
    """Find the first of the four nodes that an observed value is shared between, and its shares."""
    edges, middle, inverse_half, first = quadrature
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


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_FAST)
def add_curves(stretches, jumps, rows, total, quadrature, on_nodes, by_row, ends, curves, step, paper):
    """Add a block of rows to all sums; return the extremes of the curves.

    Compiled twice: for curves, and for the jumps of a sweep, of which curves are made a few rows at a time.

    Parameters
    ----------
    stretches : float64 (n_rows, n_active + 1), or None
    jumps : `jumps`, `base`, `start` and `link` as `write_curves` takes them, or None
        In place of `stretches`; set back to 0.
    rows : observed values and weights, float64 (n_rows,) each
    total : float64
        Weight of the rows before.
    quadrature : as `_place_on` takes it
    on_nodes : float64 (n_nodes + 3, n_groups + 1)
        Added to: w |Δ| of the groups of windows of "step" and of "paper", and w, at the nodes of the quadrature.
        Without columns where no nodes stand for the observed values.
    by_row : float64 (n_rows, n_groups + 1)
        All of that row by row, where there are no nodes; else without rows.
    ends : float64 (n_rows, 2)
        Written: lowest and highest value of each curve.
    curves : moments, (3, n_active + 1)
    step, paper : `Windows.stretches` and `Windows.deviation_terms` of a convention, and moments of changes

    Returns
    -------
    lowest, highest : float64
    extent : float64
        Σ w (largest - smallest prediction of the row).
    step_along, paper_along : float64
        Σ w of how much changes deviate along the curve.
    """
    observed, weights = rows
    n_rows, n_stretches, n_columns = weights.shape[0], curves.shape[1], on_nodes.shape[1]
    n_of_step, n_of_paper = step[2].shape[1], paper[2].shape[1]
    size = min(n_rows, ROWS_AT_A_TIME)
    columns, masses = np.empty((n_stretches, size)), np.empty((size, n_of_step + n_of_paper + 1))
    changes, shares = np.empty((max(n_of_step, n_of_paper), size)), np.empty(4)
    mean, along, low, high = np.empty(size), np.empty(size), np.empty(size), np.empty(size)
    lowest, highest, extent = np.inf, -np.inf, 0.0
    step_along = paper_along = 0.0
    for start in range(0, n_rows, ROWS_AT_A_TIME):
        stop = min(start + ROWS_AT_A_TIME, n_rows)
        n_some = stop - start
        of_some = weights[start:stop]
        if jumps is not None:
            write_curves(jumps[0], jumps[1], jumps[2], start, jumps[3], columns[:, :n_some])
        if stretches is not None:
            for column in range(n_stretches):
                for at in range(n_some):
                    columns[column, at] = stretches[start + at, column]
        for at in range(n_some):
            low[at], high[at] = np.inf, -np.inf
        for column in range(n_stretches):
            for at in range(n_some):
                low[at] = min(low[at], columns[column, at])
                high[at] = max(high[at], columns[column, at])
        for at in range(n_some):
            extent += of_some[at] * (high[at] - low[at])
            lowest, highest = min(lowest, low[at]), max(highest, high[at])
            ends[start + at, 0], ends[start + at, 1] = low[at], high[at]
        _add_moments(columns, n_stretches, of_some, total, curves)
        for convention in range(2):
            left_out, windows, along_of, moments = (0, *step) if convention == 0 else (n_of_step, *paper)
            _add_changes(columns, windows, along_of[0], of_some, total, changes, mean, moments)
            of_curves = _add_along(changes, of_some, along_of, mean, along)
            if convention == 0:
                step_along += of_curves
            else:
                paper_along += of_curves
            for at in range(n_some):
                for group in range(moments.shape[1]):
                    masses[at, left_out + group] = of_some[at] * abs(changes[group, at])
        masses[:n_some, -1] = of_some
        if by_row.shape[0] > 0:
            by_row[start:stop] = masses[:n_some]
        for at in range(n_some if n_columns > 0 else 0):
            first = _place_on(quadrature, observed[start + at], shares)
            for node in range(4):
                share, of_node = shares[node], on_nodes[first + node]
                if share != 0.0:
                    for column in range(n_columns):
                        of_node[column] += masses[at, column] * share
        total += of_some.sum()
    return lowest, highest, extent, step_along, paper_along
