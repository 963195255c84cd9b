"""Convert X to named columns and build phantom observations in the container of X.

A phantom observation is an observation with one feature value replaced. Start at `table_from` in `table`.
"""
