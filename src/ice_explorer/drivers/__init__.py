"""Find the columns that explain why the curves of a feature differ; start at `drivers.find_drivers`."""
