"""Define features on axes of numbers: kinds, groups, grids, samples, ticks and texts.

Data flow: `columns` and `groups` define features, `grid` and `sampling` select values and rows. Start at `feature`.
"""
