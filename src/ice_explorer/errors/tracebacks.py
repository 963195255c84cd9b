"""Tracebacks of the user's mistakes: they end at the line that called the package.

A function that users call is decorated with `short_traceback`, a class with `short_tracebacks`. An `ICEExplorerError`
that leaves one of them has lost the frames of this package, but that of the decorator; its message says what to do. The
error of a model keeps the frames of the model, as `__cause__`. Other errors are faults of this package and keep
everything. The environment variable ICE_EXPLORER_TRACEBACK=1 keeps everything everywhere.

Keywords and values of other libraries are answered with what they are called in this package.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Mapping
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ice_explorer import version
from ice_explorer.errors import ArgumentError, ICEExplorerError
from ice_explorer.errors.base import did_you_mean, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

# Keywords of scikit-learn, SHAP, PDPbox, PyALE, DALEX and seaborn, by the option to use. A word that stands for two
# options is with the one that fits first.
_KEYWORDS: Final = {
    "output": "target class_ class_name class_label target_name class_idx class_index target_class",
    "grid_size": "n_points num_points num_grid_points n_grid_points grid_resolution grid_points",
    "grid": "grid_type",
    "response": "response_method predict_type",
    'response="log_odds"': "link",
    "categorical_features": "categorical cat_features",
    "sample": "subsample n_samples nsamples",
    "max_lines": "subsample n_samples nsamples",
    "sample_weight": "weights",
    "random_state": "seed",
    "progress": "verbose",
    "method": "engine",
    "n_jobs": "n_cores",
    "grid={'name': values}": "percentiles",
    "ax=plt.subplots(figsize=(6, 4))[1]": "figsize",
    'line_kw={"alpha": 0.2}': "alpha",
    'line_kw={"linewidth": 0.5}': "linewidth lw",
    "palette": "cmap colors",
    "color_by": "hue color",
    'kind="c-ice"': "centered center",
    "n_columns": "n_cols",
    "share_y": "sharey",
    "max_features": "max_display",
    "rank_by": "sort sort_by metric",
    "path": "filename",
}
_WITH_MEAN: Final = 'Use `kind="ice"`, which draws the curves and their mean.'
_VALUES: Final = {
    ("kind", "both"): _WITH_MEAN,
    ("kind", "individual"): _WITH_MEAN,
    ("kind", "average"): f"{_WITH_MEAN} The mean alone is `e[feature].partial_dependence`.",
    ("kind", "centered"): 'Use `kind="c-ice"`.',
    ("kind", "derivative"): 'Use `kind="d-ice"`.',
    ("response", "probability"): 'Use `response="predict_proba"`.',
    ("response", "logit"): 'Use `response="log_odds"`.',
    ("response", "raw"): 'Use `response="decision_function"`.',
}


def meant_by(option: str, got: object) -> str:
    """Return what to use for a value that other libraries have, or nothing."""
    if option == "unit" and isinstance(got, Mapping):
        return "Steps of features are for `table`."
    return _VALUES.get((option, got), "") if isinstance(got, str) else ""


def unknown_keyword(function: str, got: str, known: Collection[str]) -> ArgumentError:
    """Return the error for an unknown keyword, with the option of this meaning or the closest name."""
    matches = (use for use, words in _KEYWORDS.items() if got in words.split() and use.partition("=")[0] in known)
    use = next(matches, None)
    if use is not None:
        offer = f" Use `{use if '=' in use else use + '='}`."
    elif got in {"kind", "centered", "center"}:
        drawn = f'`e.plot(feature, kind="{"ice" if got == "kind" else "c-ice"}")`'
        offer = did_you_mean(got, known) or f" Curves have a kind where they are drawn: {drawn}."
    else:
        offer = did_you_mean(got, known)
    known_options = f"Its options are {', '.join(known)}." if known else ""
    return ArgumentError(f"{function}() has no option {quoted(got)}.{offer}", known_options)


_PACKAGE: Final = str(Path(version.__file__).parent) + os.sep  # at its root
_KEPT: Final = (*functools.WRAPPER_ASSIGNMENTS, "__kwdefaults__")
_SPECIAL: Final = {"__init__", "__getitem__", "__setattr__", "__getstate__", "__copy__"}

F = TypeVar("F", bound="Callable[..., Any]")
C = TypeVar("C", bound=type)


def short_traceback(function: F) -> F:
    """Decorate a public function: the traceback of a user's mistake ends at the line that called it."""

    @functools.wraps(function, assigned=_KEPT)
    def call(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        try:
            return function(*args, **kwargs)
        except (ICEExplorerError, TypeError) as error:
            if os.environ.get("ICE_EXPLORER_TRACEBACK") == "1":
                raise
            if isinstance(error, ICEExplorerError):
                mistake, cause = error, error.__cause__
            elif error.__traceback__ is not None and error.__traceback__.tb_next is None:
                mistake, cause = _argument_error(error, function, kwargs), None  # the call itself refused its arguments
            else:
                raise
            if cause is not None:  # of a model: its frames alone
                frames = cause.__traceback__
                while frames is not None and frames.tb_frame.f_code.co_filename.startswith(_PACKAGE):
                    frames = frames.tb_next
                cause = cause.with_traceback(frames)
            raise mistake.with_traceback(None) from cause  # ICE_EXPLORER_TRACEBACK=1 shows all frames

    return call  # type: ignore[return-value]


def short_tracebacks(cls: C) -> C:
    """Decorate a public class: its public methods and properties as `short_traceback` does."""
    for name, member in list(vars(cls).items()):
        if name.startswith("_") and name not in _SPECIAL:
            continue
        if isinstance(member, FunctionType):
            setattr(cls, name, short_traceback(member))
        elif isinstance(member, property) and member.fget is not None:
            setattr(cls, name, member.getter(short_traceback(member.fget)))
        elif isinstance(member, functools.cached_property):
            member.func = short_traceback(member.func)
    return cls


def _argument_error(error: TypeError, function: Callable[..., Any], keywords: Mapping[str, object]) -> ArgumentError:
    parameters = inspect.signature(function).parameters
    takes_any = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    unknown = None if takes_any else next((name for name in keywords if name not in parameters), None)
    if unknown is None:
        return ArgumentError(f"{error}.")
    options = [name for name, each in parameters.items() if each.kind is each.KEYWORD_ONLY or "=" in str(each)]
    return unknown_keyword(function.__name__, unknown, [name for name in options if name not in {"X", "y"}])
