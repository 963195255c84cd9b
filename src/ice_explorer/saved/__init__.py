"""An explanation as a file without its model: a zip of a JSON document and NumPy arrays.

`schema` lists what a file holds, once for `write` and `read`. What is opened is an explanation over the rows that the
file has, whose sums are those of all rows and whose predictions are those that were saved.
`notebooks/guides/saved_results.md` has the format.
"""
