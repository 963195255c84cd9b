"""Errors of options: a value that one cannot have, and names that no option or trait has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ice_explorer.errors.base import ICEExplorerError, did_you_mean, listed, or_listed, quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

# Keywords of scikit-learn, SHAP, PDPbox, PyALE, DALEX and seaborn, and what they are called here: the first that fits.
_MEANT = {
    "target": ("output",),
    "class_": ("output",),
    "class_name": ("output",),
    "class_label": ("output",),
    "target_name": ("output",),
    "n_points": ("grid_size",),
    "num_points": ("grid_size",),
    "num_grid_points": ("grid_size",),
    "n_grid_points": ("grid_size",),
    "grid_resolution": ("grid_size",),
    "grid_points": ("grid_size",),
    "grid_type": ("grid",),
    "response_method": ("response",),
    "predict_type": ("response",),
    "link": ('response="log_odds"',),
    "categorical_features": ("categorical",),
    "cat_features": ("categorical",),
    "subsample": ("sample", "max_lines"),
    "n_samples": ("sample", "max_lines"),
    "nsamples": ("sample", "max_lines"),
    "weights": ("sample_weight",),
    "seed": ("random_state",),
    "verbose": ("progress",),
    "method": ("engine",),
    "n_cores": ("n_jobs",),
    "class_idx": ("output",),
    "class_index": ("output",),
    "target_class": ("output",),
    "percentiles": ("grid={'name': values}",),
    "figsize": ("ax=plt.subplots(figsize=(6, 4))[1]",),
    "alpha": ('line_kw={"alpha": 0.2}',),
    "linewidth": ('line_kw={"linewidth": 0.5}',),
    "lw": ('line_kw={"linewidth": 0.5}',),
    "cmap": ("palette",),
    "colors": ("palette",),
    "hue": ("color_by",),
    "color": ("color_by",),
    "centered": ('kind="c-ice"',),
    "center": ('kind="c-ice"',),
    "n_cols": ("n_columns",),
    "sharey": ("share_y",),
    "max_display": ("max_features",),
    "sort": ("sort_by",),
    "filename": ("path",),
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

# Where an explorer cannot explain what was chosen in it.
_ANOTHER_CHOICE = 'Choose another one under "Output" or "Response".'


def _meant_by(option: str, got: object) -> str:
    """Say what to use for a value that other libraries have, or nothing."""
    if option == "unit" and isinstance(got, Mapping):
        return " Steps of features are for `table` and `plot_impact`."
    meant = _MEANT_VALUES.get((option, got)) if isinstance(got, str) else None
    return "" if meant is None else f" {meant}"


class InvalidOptionError(ICEExplorerError, ValueError):
    """An option has a value that it cannot have."""

    @classmethod
    def must(
        cls, option: str, what: str, got: object, advice: str, *, where: str = "", known: Iterable[object] = ()
    ) -> InvalidOptionError:
        """Say what an option must be, what it was, where, and what to do.

        Parameters
        ----------
        option : str
            Its name, which stands before "must".
        what : str
            What stands behind it, as "be True or False".
        got : object
            What was passed.
        advice : str
            A sentence.
        where : str
            What stands behind the value, as " for 3 observations".
        known : iterable
            Names of which the closest one is offered.
        """
        return cls(f"`{option}` must {what}; got {quoted(got)}{where}.{did_you_mean(got, known)} {advice}")

    @classmethod
    def not_one_of(cls, option: str, got: object, choices: Sequence[object]) -> InvalidOptionError:
        """Say which values the option takes."""
        advice = _meant_by(option, got) or did_you_mean(got, choices)
        return cls(f"`{option}` must be {or_listed(choices)}; got {quoted(got)}.{advice}")

    @classmethod
    def decay(cls, got: object) -> InvalidOptionError:
        """Say that a decay lies in (0, 1]."""
        return cls(
            f"`decay` must be greater than 0 and at most 1; got {quoted(got)}. "
            "Use `decay=1` to weight all phantom observations equally."
        )

    @classmethod
    def width(cls, got: object, low: float, high: float, usual: float) -> InvalidOptionError:
        """Say how the width of a figure is written."""
        return cls._of(
            f"`width` must be from {low:g} to {high:g} mm, a number of mm or a text with its unit; got {quoted(got)}.",
            f'Write for example `width="89mm"` or `width="3.5in"`, or leave it out for {usual:g}.',
            'Choose another one under "Width".',
        )

    @classmethod
    def letters_too_large(cls, font_size: float, width: float, least: float) -> InvalidOptionError:
        """Say how wide a figure must be for its letters."""
        return cls._of(
            f"`width` must be at least {least:g} mm for letters of {font_size:g} pt; got {width:g} mm.",
            "Use smaller letters, or a wider figure.",
            'Choose a larger one under "Width".',
        )

    @classmethod
    def out_of_bounds(
        cls, option: str, got: object, bounds: tuple[float, float], unit: str, usual: float
    ) -> InvalidOptionError:
        """Say between what a measure of a figure lies."""
        low, high = bounds
        return cls._of(
            f"`{option}` must be from {low:g} to {high:g} {unit}; got {quoted(got)}.",
            f"Leave it out for {usual:g}.",
            f'Enter another number under "Resolution", or none for {usual:g}.' if option == "dpi" else "",
        )

    @classmethod
    def properties(cls, option: str, problem: str) -> InvalidOptionError:
        """Say what Matplotlib found wrong with properties."""
        cause = re.split("[:;] supported ", problem)[0].rstrip(".")  # all the values that there are follow
        return cls(f"`{option}` must hold valid Matplotlib properties: {cause}. Correct this property.")

    @classmethod
    def palette_colors(cls, problem: str) -> InvalidOptionError:
        """Say that something in a palette is no colour."""
        return cls(
            f"`palette` must hold colours of Matplotlib: {problem.rstrip('.')}. "
            "Use names such as 'tab:blue' or '#1f77b4'."
        )

    @classmethod
    def palette_too_short(cls, got: int, what: str, needed: int) -> InvalidOptionError:
        """Say how many colours are needed."""
        return cls(
            f"`palette` must have at least {needed} colours for {what}; got {got}. "
            "Add colours, or name a colormap such as 'viridis'."
        )

    @classmethod
    def palette_lacks(cls, column: str, levels: Sequence[str]) -> InvalidOptionError:
        """Say which levels have no colour."""
        return cls(
            f"`palette` must have a colour for each level of {quoted(column)}; it has none for {listed(levels)}. "
            "Add the level, or pass a list of colours."
        )

    @classmethod
    def palette_without_column(cls) -> InvalidOptionError:
        """Say that a palette is of a column."""
        return cls(
            "`palette` must come with `color_by`; no column colours the curves. "
            "Name a column, or give all curves one colour with `line_kw={'color': 'tab:blue'}`."
        )

    @classmethod
    def color_of_colored_lines(cls) -> InvalidOptionError:
        """Say that lines cannot have one colour and those of a column."""
        return cls(
            "`line_kw` must not hold 'color' where `color_by` names a column, which colours the curves. "
            "Choose the colours with `palette`."
        )

    @classmethod
    def share_axis(cls, kind: str) -> InvalidOptionError:
        """Say which curves are shares of the prediction range."""
        return cls(
            f"`share_axis=True` must come with `kind='c-ice'`, whose curves are changes; got `kind={kind!r}`. "
            "Use `kind='c-ice'`, or leave `share_axis` out."
        )

    @classmethod
    def memory_limit(cls, got: object) -> InvalidOptionError:
        """Say how a memory limit is written."""
        return cls(
            "`memory_limit` must be a positive number of bytes or a text such as '500MB' or '2GB'; "
            f"got {quoted(got)}. The default is '1GB'."
        )

    @classmethod
    def grid_values(cls, feature: object, problem: str, advice: str) -> InvalidOptionError:
        """Say what is wrong with the grid given for one feature."""
        return cls(f"`grid` must give each feature increasing finite values; {problem} for {quoted(feature)}. {advice}")

    @classmethod
    def grid_without_levels(cls, feature: object, levels: Sequence[object]) -> InvalidOptionError:
        """Say that a grid has at least one level."""
        return cls(
            f"`grid` must give a category at least one level; got none for {quoted(feature)}. "
            f"Its levels are {listed(levels)}."
        )

    @classmethod
    def scale_of_category(cls, feature: object) -> InvalidOptionError:
        """Say that levels without an order have no distance to scale."""
        return cls(
            "`scale` must give standard deviations of features with an order; got one for "
            f"{quoted(feature)}, an unordered category, whose levels are all as far from each other. "
            'Leave it out, or use `scale="conditional"`.'
        )

    @classmethod
    def anchor_level(cls, feature: object, got: object, levels: Sequence[object]) -> InvalidOptionError:
        """Say which anchors a category has."""
        return cls(
            f"`anchor` of a category must be 'min', 'max', 'median', 'own' or a level on its grid; got "
            f"{quoted(got)} for {quoted(feature)}.{did_you_mean(got, levels)} Its grid is {listed(levels)}."
        )

    @classmethod
    def zone(cls, feature: object, got: object, zone: object) -> InvalidOptionError:
        """Say that datetimes with and without a time zone are not compared."""
        if zone is None:
            return cls(
                f"Values of {quoted(feature)} must have no time zone, because the column has none; got {quoted(got)}. "
                "Write them without one: `value.replace(tzinfo=None)`."
            )
        return cls(
            f"Values of {quoted(feature)} must have a time zone, because the column is in {quoted(str(zone))}; got "
            f"{quoted(got)}. Write `pd.Timestamp({quoted(str(got))}, tz={quoted(str(zone))})`."
        )

    @classmethod
    def no_slopes(cls, feature: object) -> InvalidOptionError:
        """Say that levels without an order are not joined by slopes."""
        return cls(
            f"Slopes need a feature with an order; {quoted(feature)} is an unordered category. "
            "Use `centered_curves`, the change of each curve since one of the levels."
        )

    @classmethod
    def groups(cls, got: object) -> InvalidOptionError:
        """Say how groups are written."""
        return cls(
            f"`groups` must be a mapping of names to lists of columns; got {quoted(got)}. "
            "Write `groups={'city': ['city_a', 'city_b']}`, or leave it out."
        )

    @classmethod
    def group_name(cls, name: object) -> InvalidOptionError:
        """Say that a group is no column."""
        return cls(
            f"`groups` must have names of their own; {quoted(name)} is the name of a column or of another group. "
            "Choose another name for the group."
        )

    @classmethod
    def group_of_one(cls, name: object, members: Sequence[object]) -> InvalidOptionError:
        """Say that columns are grouped, not a column."""
        got = listed(members) if members else "none"
        return cls(
            f"`groups` must give each group at least two columns; got {got} for {quoted(name)}. "
            "A single column of 0 and 1 is a feature as it is."
        )

    @classmethod
    def groups_overlap(cls, column: object, first: object, second: object) -> InvalidOptionError:
        """Say that a column moves with one group."""
        where = f"in {quoted(first)} and in {quoted(second)}" if first != second else f"twice in {quoted(first)}"
        return cls(f"A column can be in one group, once; {quoted(column)} is {where}. Remove it from one place.")

    @classmethod
    def member_values(cls, column: object, group: object, got: object, row: int) -> InvalidOptionError:
        """Say what columns of a group hold."""
        return cls(
            f"The columns of a group must hold 0 and 1 only; {quoted(column)} of {quoted(group)} holds "
            f"{quoted(got)} in row {row}. Leave the column out of the group."
        )

    @classmethod
    def two_members(cls, first: object, second: object, group: object, row: int) -> InvalidOptionError:
        """Say that a row is at one level."""
        return cls(
            f"At most one column of a group can be 1 in a row; {quoted(first)} and {quoted(second)} of "
            f"{quoted(group)} are both 1 in row {row}. Leave one of them out of the group, or explain the columns "
            "without it."
        )

    @classmethod
    def member_as_feature(cls, column: object, group: object) -> InvalidOptionError:
        """Say that a column of a group is no feature by itself."""
        return cls._of(
            f"A column of a group moves with the others; {quoted(column)} belongs to {quoted(group)}.",
            f"Name {quoted(group)} instead, or leave the column out of `groups`.",
        )

    @classmethod
    def scale_values(cls, feature: object, problem: str) -> InvalidOptionError:
        """Say what is wrong with the likelihood scale given for one feature."""
        return cls(
            "`scale` must give positive finite standard deviations, one number or one per observation; "
            f"{problem} as the scale of {quoted(feature)}. "
            'Use `scale="marginal"` for the standard deviation of the column.'
        )

    @classmethod
    def sample_weight(cls, problem: str, advice: str) -> InvalidOptionError:
        """Say what is wrong with the weights."""
        return cls(f"`sample_weight` must be finite numbers of at least 0, one per observation; {problem}. {advice}")

    @classmethod
    def another_index(cls, option: str, what: str, row: int, got: object, expected: object) -> InvalidOptionError:
        """Say that values of another index may belong to other rows."""
        return cls(
            f"`{option}` must have the index of X; row {row} has the label {quoted(got)} in {what} and "
            f"{quoted(expected)} in X. Pass `{what}.loc[X.index]` to match them by label, or "
            f"`{what}.to_numpy()` if they are in the order of X."
        )

    @classmethod
    def sum_of_weights(cls, total: float) -> InvalidOptionError:
        """Say that frequencies must count more than one observation."""
        return cls(
            f"`sample_weight` must sum to more than 1, because weights are frequencies; got a sum of {total!r}. "
            "Multiply the weights, for example so that they sum to the number of observations."
        )

    @classmethod
    def weights_of_sample(cls, feature: object, total: float) -> InvalidOptionError:
        """Say that the sampled frequencies must count more than one observation."""
        return cls._of(
            f"`sample_weight` of the sampled observations must sum to more than 1; got a sum of {total!r} for "
            f"{quoted(feature)}.",
            "Use a larger `sample`, or multiply the weights.",
            "Choose another feature in the ranking. For this one, create the explorer with a larger sample.",
        )

    @classmethod
    def no_groups(cls, feature: str) -> InvalidOptionError:
        """Say that two columns together make no groups."""
        return cls(
            "Curves can be coloured by the groups of two columns where these explain more of the differences between "
            f"them than one column does; those of {feature!r} are explained as well by one. Colour them by a column."
        )

    @classmethod
    def target_got(cls, got: object) -> InvalidOptionError:
        """Say what an observed target is."""
        return cls(
            f"`y` must be the observed target, one value per observation; got {quoted(got)}. "
            "Pass an array or a series, or leave it out."
        )

    @classmethod
    def residual_without_target(cls) -> InvalidOptionError:
        """Say what residuals need."""
        return cls._of(
            "`color_by=RESIDUAL` needs the observed target; this explanation has none.",
            "Pass it to the explorer: `ICEExplorer(model, X, y)`.",
            'Choose another column under "Colour by", or create the explorer with y.',
        )

    @classmethod
    def target_columns(cls, n_columns: int, n_outputs: int) -> InvalidOptionError:
        """Say that there is one target per output."""
        return cls(
            f"`y` must have one column for each output of the model, {n_outputs}; got {n_columns}. "
            "Pass the target that the model was fitted on."
        )

    @classmethod
    def target_label(cls, got: object, labels: Sequence[object]) -> InvalidOptionError:
        """Say which labels the classes have."""
        which = "nothing but missing values" if got is None else f"{quoted(got)} and no label among them"
        return cls(
            f"`y` must hold labels of the classes, {listed(labels)}; got {which}. "
            "Pass the labels that the model was fitted on."
        )

    @classmethod
    def thresholds(cls, reason: str) -> InvalidOptionError:
        """Say why a model has no thresholds to make a grid of."""
        return cls._of(f'`grid="thresholds"` needs a tree model. {reason}', 'Use `grid="observed"`.', _ANOTHER_CHOICE)

    @classmethod
    def thresholds_of_transformed(cls, model: object) -> InvalidOptionError:
        """Say that no threshold is a value of X."""
        return cls(
            '`grid="thresholds"` needs a column of numbers that the model sees as it is, or scaled. The transformers '
            f'in front of {type(model).__name__} combine or encode all of them. Use `grid="observed"`.'
        )

    @classmethod
    def engine(cls, name: str, reason: str) -> InvalidOptionError:
        """Say why an engine that was asked for cannot explain the model."""
        return cls._of(
            f'`engine="{name}"` needs a model that it computes exactly. {reason}',
            'Use `engine="auto"`.',
            _ANOTHER_CHOICE,
        )

    @classmethod
    def positions(cls, got: object, n_observations: int, option: str = "positions") -> InvalidOptionError:
        """Say how rows are addressed."""
        return cls(
            f"`{option}` must be row positions of X, from 0 to {n_observations - 1}; got {quoted(got)}. "
            "Rows are addressed by position, not by index label; `X.index.get_indexer(labels)` has the positions."
        )

    @classmethod
    def like_and(cls, option: str) -> InvalidOptionError:
        """Raise where an option is given twice."""
        return cls(f"`like` brings its own grids; got `{option}` as well. Leave out one of them.")

    @classmethod
    def like_without(cls, feature: object, features: Sequence[object]) -> InvalidOptionError:
        """Raise where a feature has no counterpart."""
        return cls(
            f"Every feature must be one of `like`; {quoted(feature)} is not explained there. "
            f"Use `features=` to choose from {listed(features)}."
        )

    @classmethod
    def like_absent(cls, error: ICEExplorerError) -> InvalidOptionError:
        """Raise where X lacks features of the other explanation."""
        return cls(f"X must have the features of `like`. {error} Use `features=` to choose from those that both have.")

    @classmethod
    def unlike(cls, feature: object, what: str, got: str) -> InvalidOptionError:
        """Say that a column has changed between the two tables."""
        return cls(f"{quoted(feature)} must {what}; got {got}. Give the column the same dtype in both tables.")

    @classmethod
    def step(cls, feature: object, got: object) -> InvalidOptionError:
        """Raise where effects are per something that is no step."""
        return cls(
            f"`unit` must give {quoted(feature)} a number greater than 0, or of dates a timedelta; got {quoted(got)}."
        )

    @classmethod
    def step_without_order(cls, feature: object) -> InvalidOptionError:
        """Raise where a step has no meaning."""
        return cls(f"`unit` gives {quoted(feature)} a step, but its levels have no order. Leave it out of `unit`.")

    @classmethod
    def by_many(cls, name: object, count: int, most: int) -> InvalidOptionError:
        """Raise where a column has too many values to make groups of."""
        return cls(
            f"`by` must name at most {most} groups; {quoted(name)} has {count:,} values. "
            "Pass labels of intervals instead, such as `pandas.qcut(X['name'], 4)`."
        )

    @classmethod
    def mask(cls, length: int, n_observations: int, option: str) -> InvalidOptionError:
        """Raise where a boolean mask is not one of the rows of X."""
        return cls(
            f"`{option}` as a mask must have one value for each of the {n_observations:,} rows of X; got {length:,}."
        )

    @classmethod
    def same_feature(cls, feature: object) -> InvalidOptionError:
        """Say that a pair is of two features."""
        return cls(f"The two features of a pair must differ; got {quoted(feature)} twice. Name another one beside it.")

    @classmethod
    def no_features(cls) -> InvalidOptionError:
        """Say that an empty list explains nothing."""
        return cls("`features` must name at least one feature; got an empty list. Leave it out for all of them.")

    @classmethod
    def response(cls, response: str, method: str, model: str) -> InvalidOptionError:
        """Say that the model lacks the method a response needs."""
        return cls(
            f"`response={quoted(response)}` needs a model with {method}; {model} has none. "
            'Use `response="auto"`, or pass a function that returns what you want to explain.'
        )

    @classmethod
    def of_explanation(cls, option: str, got: object, current: str) -> InvalidOptionError:
        """Say that an explorer without a model cannot explain anything else."""
        return cls(
            f"`{option}` must stay what the explanation has, {quoted(current)}; got {quoted(got)}. "
            "Call `ICEExplorer(model, X)` for an explorer that can explain another."
        )

    @classmethod
    def response_of_callable(cls, got: str) -> InvalidOptionError:
        """Say that a function has one response: what it returns."""
        return cls(
            f"`response` chooses among the methods of an estimator; got {quoted(got)} with a plain function. "
            "Leave `response` out and let the function return what you want to explain."
        )

    @classmethod
    def state_version(cls, got: object, versions: Sequence[int]) -> InvalidOptionError:
        """Say which states can be read."""
        given = "none" if got is None else quoted(got)
        return cls(
            f"`state['version']` must be {' or '.join(map(str, versions))}; got {given}. "
            "Pass a whole state, and read one of a newer release with that release."
        )

    @classmethod
    def state_value(cls, where: str, expected: str, got: object) -> InvalidOptionError:
        """Say what an entry of a state must be."""
        return cls(f"`{where}` must be {expected}; got {quoted(got)}. Leave it out for the default.")


class UnknownOptionError(ICEExplorerError, TypeError):
    """A keyword that no option has."""

    @classmethod
    def keyword(cls, function: str, got: str, known: Collection[str]) -> UnknownOptionError:
        """Offer the option that has this name elsewhere, or the closest one."""
        meant = next((option for option in _MEANT.get(got, ()) if option.partition("=")[0] in known), None)
        if meant is not None:
            offer = f" Use `{meant if '=' in meant else meant + '='}`."
        else:
            offer = did_you_mean(got, known) or _KIND_ELSEWHERE.get(got, "")
        own = f" Its options are {', '.join(known)}." if known else ""
        return cls(f"{function}() has no option {quoted(got)}.{offer}{own}")

    @classmethod
    def trait_as_option(cls, got: str, value: object) -> UnknownOptionError:
        """Say that it is set on an explorer, and how."""
        return cls(
            f"ICEExplorer() has no option {quoted(got)}: it is set on an explorer that is there. "
            f"Write `x = ICEExplorer(model, X)`, then `x.{got} = {value!r}`.{_meant_by(got, value)}"
        )

    @classmethod
    def trait(cls, got: str, known: Collection[str]) -> UnknownOptionError:
        """Offer the closest of what can be set on an explorer."""
        return cls(f"An explorer has no {quoted(got)} to set.{did_you_mean(got, known)} There are {', '.join(known)}.")


class UnknownNameError(ICEExplorerError, AttributeError):
    """The package has no such name, or an explorer none that can be set."""

    @classmethod
    def of_module(cls, module: str, got: str, known: Sequence[str]) -> UnknownNameError:
        """Offer the closest name."""
        # Without a name of the attribute, which Python would set, it does not offer the closest one once more.
        return cls(f"module {module!r} has no attribute {quoted(got)}.{did_you_mean(got, known)}", name=None, obj=None)

    @classmethod
    def read_only(cls, got: str, known: Sequence[str]) -> UnknownNameError:
        """Say what can be set on an explorer."""
        return cls(f"`{got}` of an explorer can be read, but not set. Set one of {', '.join(known)}.")
