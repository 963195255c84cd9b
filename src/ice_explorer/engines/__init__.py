"""What the features of an explanation share, what each of them is before the model is called, and sums of curves."""
