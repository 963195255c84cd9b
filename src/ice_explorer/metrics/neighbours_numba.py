"""Distance to the nearest of many points along an axis, compiled: `nearest_by_blocks` is the reference."""

from __future__ import annotations

import numpy as np
from numba import njit


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
