"""NumPy as the package finds it where an index has 32 bits, as in Python inside a browser.

It is an imitation: what NumPy returns as indices is made as narrow as it is there, and what it counts by must be.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys

import numpy as np

import ice_explorer

_INDEX = np.dtype(np.int32)


class Narrow:
    """Stands for the module `numpy` in the modules of the package."""

    intp = np.int32

    def __getattr__(self, name):
        return getattr(np, name)

    def arange(self, *bounds, dtype=None):
        return np.arange(*bounds) if dtype is None and _is_real(bounds) else np.arange(*bounds, dtype=dtype or _INDEX)

    def bincount(self, places, weights=None, minlength=0):
        return _as_index(np.bincount(_fitting(places), weights, minlength))

    def full(self, shape, value, dtype=None):
        return np.full(shape, value, _INDEX if dtype is None and isinstance(value, int) else dtype)

    def repeat(self, values, counts, axis=None):
        return np.repeat(values, _fitting(counts), axis)

    def cumsum(self, values, **options):
        found = np.cumsum(values, **options)
        return found if "out" in options or np.asarray(values).dtype == np.int64 else _as_index(found)

    def unique(self, values, **options):
        found = np.unique(values, **options)
        return (found[0], *map(_as_index, found[1:])) if isinstance(found, tuple) else found


def _of_indices(function):
    return lambda _self, *arguments, **options: _as_index(function(*arguments, **options))


for _name in ("argmax", "argmin", "argsort", "flatnonzero", "lexsort", "nonzero", "searchsorted"):
    setattr(Narrow, _name, _of_indices(getattr(np, _name)))


def _is_real(bounds):
    return any(isinstance(bound, float) for bound in bounds)


def _as_index(found):
    """Make indices narrow, each array of a tuple."""
    if isinstance(found, tuple):
        return tuple(map(_as_index, found))
    return found.astype(_INDEX) if found.dtype == np.int64 else found


def _fitting(counts):
    """Check, as NumPy does there, that nothing is lost; counts that are no array are as narrow as can be."""
    if isinstance(counts, np.ndarray) and not np.can_cast(counts.dtype, _INDEX):
        msg = f"Cannot cast array data from {counts.dtype!r} to {_INDEX!r} according to the rule 'safe'"
        raise TypeError(msg)
    return counts


def install():
    """Give this NumPy to all modules of the package that can be imported."""
    for module in pkgutil.walk_packages(ice_explorer.__path__, "ice_explorer.", onerror=lambda _name: None):
        try:
            importlib.import_module(module.name)
        except ImportError:  # of a library that is not there
            continue
    for name, module in list(sys.modules.items()):
        if name.startswith("ice_explorer") and getattr(module, "np", None) is np:
            module.np = Narrow()
