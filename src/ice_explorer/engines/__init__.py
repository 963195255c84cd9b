"""What all features share, one feature before the model is called, and its sums."""
