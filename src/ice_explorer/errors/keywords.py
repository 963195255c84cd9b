"""Unknown keywords, and keywords and values of other libraries with what they are called in this package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from ice_explorer.errors import ArgumentError
from ice_explorer.errors.base import did_you_mean, quoted

if TYPE_CHECKING:
    from collections.abc import Collection

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
        return "Steps of features are for `table` and the plot of the ranking."
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
