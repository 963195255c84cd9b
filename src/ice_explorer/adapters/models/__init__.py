"""Convert any fitted model to one prediction function: rows in, one number per row out.

`fitted` compares the model with X, `source` lists its methods, `outputs` and `predict` choose the output and the scale.
Start at `predict`.
"""
