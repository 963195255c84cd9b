"""Convert X to named columns and build phantom observations in the container of X, with one module per container.

A phantom observation is an observation with one feature value replaced. Start at `table`.
"""
