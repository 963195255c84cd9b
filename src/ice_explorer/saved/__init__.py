"""An explanation as a file without its model: a zip of `manifest.json` and NumPy arrays.

`write` makes it and `read` opens it. What is opened is an explanation over the rows that the file has, whose sums are
those of all rows and whose predictions are those that were saved. `notebooks/guides/saved_results.md` has the format.
"""
