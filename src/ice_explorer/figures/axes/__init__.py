"""Draw explanations on Matplotlib Axes for further styling. Matplotlib is imported on first use. Start at `axes`."""
