"""Describe what a view shows as plain arrays, shared by all figures, the browser and saved pages. Start at `build`."""
