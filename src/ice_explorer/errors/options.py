"""Errors of options: a value that one cannot have, and names that no option or trait has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ice_explorer.errors.base import ICEExplorerError, did_you_mean, or_listed, quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

# Keywords of scikit-learn, SHAP, PDPbox, PyALE, DALEX and seaborn, by the option of this package that fits first.
_MEANT = {
    word: meant
    for meant, words in {
        ("output",): "target class_ class_name class_label target_name class_idx class_index target_class",
        ("grid_size",): "n_points num_points num_grid_points n_grid_points grid_resolution grid_points",
        ("grid",): "grid_type",
        ("response",): "response_method predict_type",
        ('response="log_odds"',): "link",
        ("categorical_features",): "categorical cat_features",
        ("sample", "max_lines"): "subsample n_samples nsamples",
        ("sample_weight",): "weights",
        ("random_state",): "seed",
        ("progress",): "verbose",
        ("method",): "engine",
        ("n_jobs",): "n_cores",
        ("grid={'name': values}",): "percentiles",
        ("ax=plt.subplots(figsize=(6, 4))[1]",): "figsize",
        ('line_kw={"alpha": 0.2}',): "alpha",
        ('line_kw={"linewidth": 0.5}',): "linewidth lw",
        ("palette",): "cmap colors",
        ("color_by",): "hue color",
        ('kind="c-ice"',): "centered center",
        ("n_columns",): "n_cols",
        ("share_y",): "sharey",
        ("max_features",): "max_display",
        ("rank_by",): "sort sort_by metric",
        ("path",): "filename",
    }.items()
    for word in words.split()
}

_KIND_ELSEWHERE = {
    word: f' Curves have a kind where they are drawn: `e.plot(feature, kind="{kind}")`.'
    for word, kind in {"kind": "ice", "centered": "c-ice", "center": "c-ice"}.items()
}

# Values of options that other libraries have, and what to use here.
_MEAN_TOO = 'Use `kind="ice"`, which draws the curves and their mean.'

_MEANT_VALUES = {
    ("kind", "both"): _MEAN_TOO,
    ("kind", "individual"): _MEAN_TOO,
    ("kind", "average"): f"{_MEAN_TOO} The mean alone is `e[feature].partial_dependence`.",
    ("kind", "centered"): 'Use `kind="c-ice"`.',
    ("kind", "derivative"): 'Use `kind="d-ice"`.',
    ("response", "probability"): 'Use `response="predict_proba"`.',
    ("response", "logit"): 'Use `response="log_odds"`.',
    ("response", "raw"): 'Use `response="decision_function"`.',
}


def meant_by(option: str, got: object) -> str:
    """Return what to use for a value that other libraries have, or nothing."""
    if option == "unit" and isinstance(got, Mapping):
        return " Steps of features are for `table` and the plot of the ranking."
    meant = _MEANT_VALUES.get((option, got)) if isinstance(got, str) else None
    return "" if meant is None else f" {meant}"


class InvalidOptionError(ICEExplorerError, ValueError):
    """An option has a value that it cannot have."""

    @classmethod
    def must(
        cls,
        option: str,
        what: str,
        got: object,
        advice: str,
        control: str = "",
        *,
        where: str = "",
        known: Iterable[object] = (),
    ) -> InvalidOptionError:
        """Return the error for an option that has a value it cannot have.

        Parameters
        ----------
        option : str
            Its name.
        what : str
            What it must, as "be True or False".
        got : object
            The value that was passed.
        advice, control : str
            What to do, in Python and in an explorer.
        where : str
            Text behind the value, as " for 3 observations".
        known : iterable
            Names of which the closest one is offered.
        """
        facts = f"`{option}` must {what}; got {quoted(got)}{where}.{did_you_mean(got, known)}"
        return cls(facts, advice, control)

    @classmethod
    def not_one_of(cls, option: str, got: object, choices: Sequence[object]) -> InvalidOptionError:
        """Return the error for an option that has none of its values."""
        advice = meant_by(option, got) or did_you_mean(got, choices)
        return cls(f"`{option}` must be {or_listed(choices)}; got {quoted(got)}.", advice.lstrip())

    @classmethod
    def needs(cls, given: str, what: str, reason: str, instead: str) -> InvalidOptionError:
        """Return the error for an option that needs another kind of model."""
        control = 'Choose another one under "Output" or "Response".'
        return cls(f"`{given}` needs {what}. {reason}", f"Use `{instead}`.", control)

    @classmethod
    def properties(cls, option: str, problem: str) -> InvalidOptionError:
        """Return the error for properties that Matplotlib refuses."""
        cause = re.split("[:;] supported ", problem)[0].rstrip(".")  # all the values that there are follow
        return cls(f"`{option}` must hold valid Matplotlib properties: {cause}.", "Correct this property.")

    @classmethod
    def palette_colors(cls, problem: str) -> InvalidOptionError:
        """Return the error for a colour that Matplotlib does not know."""
        return cls(
            f"`palette` must hold colours of Matplotlib: {problem.rstrip('.')}.",
            "Use names such as 'tab:blue' or '#1f77b4'.",
        )

    @classmethod
    def palette_too_short(cls, got: int, what: str, needed: int) -> InvalidOptionError:
        """Return the error for fewer colours than are needed."""
        return cls(
            f"`palette` must have at least {needed} colours for {what}; got {got}.",
            "Add colours, or name a colormap such as 'viridis'.",
        )

    @classmethod
    def grid_values(cls, feature: object, problem: str, advice: str) -> InvalidOptionError:
        """Return the error for the grid of one feature."""
        return cls(f"`grid` must give each feature increasing finite values; {problem} for {quoted(feature)}.", advice)

    @classmethod
    def no_slopes(cls, feature: object) -> InvalidOptionError:
        """Return the error for slopes between levels that have no order."""
        return cls(
            f"Slopes need a feature with an order; {quoted(feature)} is an unordered category.",
            "Use `centered_curves`, the change of each curve since one of the levels.",
        )

    @classmethod
    def member_values(cls, column: object, group: object, got: object, row: int) -> InvalidOptionError:
        """Return the error for a column of a group that holds other values than 0 and 1."""
        return cls(
            f"The columns of a group must hold 0 and 1 only; {quoted(column)} of {quoted(group)} holds "
            f"{quoted(got)} in row {row}.",
            "Leave the column out of the group.",
        )

    @classmethod
    def scale_values(cls, feature: object, problem: str) -> InvalidOptionError:
        """Return the error for the likelihood scale of one feature."""
        return cls(
            "`distance` must give positive finite standard deviations, one number or one per observation; "
            f"{problem} as the distance of {quoted(feature)}.",
            'Use `distance="marginal"` for the standard deviation of the column.',
        )

    @classmethod
    def sample_weight(cls, problem: str, advice: str) -> InvalidOptionError:
        """Return the error for the weights."""
        return cls(f"`sample_weight` must be finite numbers of at least 0, one per observation; {problem}.", advice)

    @classmethod
    def target_columns(cls, n_columns: int, n_outputs: int) -> InvalidOptionError:
        """Return the error for another number of targets than the model has outputs."""
        what = f"have one column for each output of the model, {n_outputs}"
        return cls.must("y", what, n_columns, "Pass the target that the model was fitted on.")

    @classmethod
    def positions(cls, got: object, n_observations: int, option: str = "positions") -> InvalidOptionError:
        """Return the error for values that are no positions of rows."""
        return cls.must(
            option,
            f"be row positions of X, from 0 to {n_observations - 1}",
            got,
            "Rows are addressed by position, not by index label; `X.index.get_indexer(labels)` has the positions.",
        )

    @classmethod
    def unlike(cls, feature: object, what: str, got: str) -> InvalidOptionError:
        """Return the error for a column that has changed between two tables."""
        return cls(f"{quoted(feature)} must {what}; got {got}.", "Give the column the same dtype in both tables.")

    @classmethod
    def no_features(cls) -> InvalidOptionError:
        """Return the error for an empty list of features."""
        return cls("`features` must name at least one feature; got an empty list.", "Leave it out for all of them.")

    @classmethod
    def of_explanation(cls, option: str, got: object, current: str) -> InvalidOptionError:
        """Return the error for an explorer without a model, which cannot explain anything else."""
        advice = "Call `ICEExplorer(model, X)` for an explorer that can explain another."
        return cls.must(option, f"stay what the explanation has, {quoted(current)}", got, advice)

    @classmethod
    def response_of_callable(cls, got: str) -> InvalidOptionError:
        """Return the error for a response of a function, which has only one."""
        return cls(
            f"`response` chooses among the methods of an estimator; got {quoted(got)} with a plain function.",
            "Leave `response` out and let the function return what you want to explain.",
        )

    @classmethod
    def needs_models(cls, given: str, instead: str = "") -> InvalidOptionError:
        """Return the error for what only several models have."""
        advice = f"Call `ICEExplorer({{name: model, …}}, X)` for several{instead}."
        return cls(f"`{given}` needs several models; there is one.", advice)

    @classmethod
    def state_value(cls, where: str, expected: str, got: object) -> InvalidOptionError:
        """Return the error for an entry of a state."""
        return cls.must(where, f"be {expected}", got, "Leave it out for the default.")


class UnknownOptionError(ICEExplorerError, TypeError):
    """A keyword that no option has."""

    @classmethod
    def keyword(cls, function: str, got: str, known: Collection[str]) -> UnknownOptionError:
        """Return the error for an unknown keyword, with the option of this meaning or the closest name."""
        meant = next((option for option in _MEANT.get(got, ()) if option.partition("=")[0] in known), None)
        if meant is not None:
            offer = f" Use `{meant if '=' in meant else meant + '='}`."
        else:
            offer = did_you_mean(got, known) or _KIND_ELSEWHERE.get(got, "")
        known_options = f"Its options are {', '.join(known)}." if known else ""
        return cls(f"{function}() has no option {quoted(got)}.{offer}", known_options)


class UnknownNameError(ICEExplorerError, AttributeError):
    """The package has no such name, or an explorer none that can be set."""

    def __init__(self, facts: str = "", advice: str = "", control: str = "") -> None:
        super().__init__(facts, advice, control)
        self.name = self.obj = None  # set, so that Python does not offer the closest name once more
