"""Choose how the curves of a model are computed, and run the computation.

Data flow: `feature_input` holds the grid and rows of a feature, `choose` selects the fastest exact engine, `sums` turns
its curves into metric sums. Start at `choose`.
"""
