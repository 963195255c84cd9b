"""Locks that survive a fork, and turns that let one explanation at a time call a model. Start at `turns`."""
