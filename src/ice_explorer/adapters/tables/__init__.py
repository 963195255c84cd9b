"""Columns of X and containers of rows, one file per kind of container."""
