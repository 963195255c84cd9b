"""The outside world becomes plain things: one table, one prediction function."""
