"""concurrency."""
