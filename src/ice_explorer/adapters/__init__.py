"""Convert external inputs: any table becomes columns, any model becomes a prediction function.

This is the only package that names model and table libraries. Start at `tables.table` and `models.predict`.
"""
