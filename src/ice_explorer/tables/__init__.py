"""Any table becomes columns, rows, and phantom observations: rows with one feature value replaced."""
