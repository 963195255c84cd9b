"""Features on axes of numbers: kinds, groups, grids, samples, and text of values. Start at `feature`."""
