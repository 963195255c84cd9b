"""The version of the package; this module imports nothing else."""

__version__ = "0.2.0"
