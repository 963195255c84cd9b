"""The version of the package, for every module that writes it: importing it imports nothing else."""

__version__ = "0.1.0"
