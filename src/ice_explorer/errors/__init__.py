"""Every error the package raises, and the sentences in which it says so.

A message has four parts, in this order: what must hold, what we got, where, what to do. Sentences that several callers
share are made by named constructors of the classes.
"""

from ice_explorer.errors.base import Cancelled, ICEExplorerError
from ice_explorer.errors.explorer import ComputationError, MessageError
from ice_explorer.errors.files import ExportError, FrontEndMissingError, MissingDependencyError
from ice_explorer.errors.inputs import InputDataError, InputTypeError, UnknownFeatureError
from ice_explorer.errors.options import InvalidOptionError, UnknownNameError, UnknownOptionError
from ice_explorer.errors.predictions import ModelNeededError, OutputError, PredictionError

__all__ = [
    "Cancelled",
    "ComputationError",
    "ExportError",
    "FrontEndMissingError",
    "ICEExplorerError",
    "InputDataError",
    "InputTypeError",
    "InvalidOptionError",
    "MessageError",
    "MissingDependencyError",
    "ModelNeededError",
    "OutputError",
    "PredictionError",
    "UnknownFeatureError",
    "UnknownNameError",
    "UnknownOptionError",
]

for _name in __all__:  # tracebacks and pickles name the public module
    globals()[_name].__module__ = __name__


def __dir__() -> list[str]:
    return __all__
