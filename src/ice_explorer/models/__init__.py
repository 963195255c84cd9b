"""Turn any fitted model into one function: rows of X in, one number per row out.

`fitted` compares the model with X, `libraries` lists its prediction methods, `predict` chooses one output of one of
them, `pipeline` finds the model behind transformers and `target` reads y. Start at `predict`.
"""
