"""Find the columns that explain why the curves of a feature differ.

Data flow: `candidates` and `curve_shapes` → `splits` → `crossfit` → `rules` and `table`. Start at `drivers`.
"""
