"""The explorer without a kernel: one page that holds its numbers, its script and where it comes from."""
