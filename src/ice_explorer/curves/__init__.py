"""Compute ICE curves by prediction, in closed form or from trees, and add them to sums. Start at `method`."""
