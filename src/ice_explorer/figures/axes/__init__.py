"""axes."""
