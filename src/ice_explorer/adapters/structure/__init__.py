"""Read the structure of a fitted model: trees.

Each reader returns plain arrays or raises an error that states why the model is not supported. `curves` computes exact
curves from these arrays.
"""
