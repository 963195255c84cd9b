"""Draw static figures with Matplotlib: `plot` for `Explanation.plot`, `view` for files, and `html` for tables."""
