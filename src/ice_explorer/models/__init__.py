"""Any fitted model becomes one function: rows of X in, one number per row out. Start at `predict`."""
