"""What a fitted model does with each feature: ICE curves, their metrics, and a live explorer."""

__version__ = "0.1.0"
