"""Every error the package raises, and the sentences in which it says so.

A message has four parts, in this order: what must hold, what we got, where, what to do. Each
sentence is made by one named constructor, so that it has one home and can be tested whole.
"""

from __future__ import annotations

import difflib
import errno
import math
import re
from collections.abc import Hashable, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from ice_explorer.runtime import ipython_shell

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from typing import Any, Self

_SHOWN = 8  # names listed in a message before "…"
_OUTPUTS_SHOWN = 30  # outputs: whoever must choose one wants to see them
_LETTERS_SHOWN = 200  # of a value: enough to recognise what was passed
_LETTERS_OF_CAUSE = 1000  # of an error of the model, which can hold all of its input


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


def quoted(value: object) -> str:
    """Write any value for a message: in one line, of 200 letters at most, whatever its repr does."""
    try:
        text = repr(_beginning(value))
    except Exception:  # noqa: BLE001 - raised by the class of a user, or by an int of more than 4300 digits
        text = _described(value)
    return _in_one_line(text, _LETTERS_SHOWN)


def _beginning(value: object) -> object:
    """Cut a long value to more than a message shows: its repr could take seconds."""
    if type(value) in (str, bytes, list, tuple):
        return value[: _LETTERS_SHOWN + 1]  # type: ignore[index]
    return value


def _is_name(value: Any) -> bool:
    """Whether a column could have this name: lists, arrays and tables name nothing."""
    return isinstance(value, Hashable)


def _described(value: object) -> str:
    if isinstance(value, int):
        return f"an integer of about {int(value.bit_length() * math.log10(2)) + 1:,} digits"
    return f"a value of type {type(value).__name__}"


def _in_one_line(text: str, most: int) -> str:
    """Join the lines of a text, and cut it; halves of a character, which cannot be printed, are escaped."""
    lines = text[: 10 * most].splitlines()
    line = " ".join(filter(None, (line.strip() for line in lines))).encode("utf-8", "backslashreplace").decode()
    return line if len(line) <= most else line[:most] + "…"


def _place(path: object) -> str:
    return quoted(str(path))


def _reason(error: OSError) -> str:
    return error.strerror or text_of(error) or type(error).__name__


def _cause(error: BaseException) -> str:
    """Write another error for a message: its type and its text in one line, with a full stop."""
    said = _in_one_line(text_of(error) or "", _LETTERS_OF_CAUSE)
    text = f"{type(error).__name__}: {said}" if said else type(error).__name__
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def text_of(value: object) -> str | None:
    """Return the text of a value; None where it has none, as an int of more than 4300 digits."""
    try:
        return str(value)
    except Exception:  # noqa: BLE001 - as in `quoted`
        return None


def _listed(names: Iterable[object], most: int = _SHOWN) -> str:
    """Write names for a message, the first few of many."""
    shown = [quoted(name) for name in islice(names, most + 1)]
    return ", ".join(shown[:most]) + (", …" if len(shown) > most else "")


def counted(n: int, noun: str) -> str:
    """Write a count for a message: "1 feature", "3 features"."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _or_listed(names: Sequence[object]) -> str:
    """Write choices for a message: "'a', 'b' or 'c'"."""
    shown = [quoted(name) for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


def _did_you_mean(name: object, known: Iterable[object]) -> str:
    """Offer the closest known name, or nothing where none is close."""
    close = () if name is None else closest(name, known)
    return f" Did you mean {quoted(close[0])}?" if close else ""


def _meant_by(option: str, got: object) -> str:
    """Say what to use for a value that other libraries have, or nothing."""
    if option == "unit" and isinstance(got, Mapping):
        return " Steps of features are for `table` and `plot_impact`."
    meant = _MEANT_VALUES.get((option, got)) if isinstance(got, str) else None
    return "" if meant is None else f" {meant}"


def closest(name: object, known: Iterable[object]) -> tuple[object, ...]:
    """Return what a misspelt name may have meant: the closest known one, or none."""
    text = text_of(name)
    if text is None or len(text) > _LETTERS_SHOWN:  # long texts take long to compare
        return ()
    by_text = {other: candidate for candidate in known if (other := text_of(candidate)) is not None}
    lowered = {text.lower(): text for text in by_text}
    close = difflib.get_close_matches(text.lower(), lowered, n=1)
    return tuple(by_text[lowered[text]] for text in close)


# Of tables of Dask, of Spark, on a GPU, of lazy frames and of series; Spark's `collect` gives rows.
_TO_TABLE = ("compute", "toPandas", "to_pandas", "collect", "to_frame")


def _as_table(got: object) -> str:
    """Say how to make a table of what was passed as X."""
    if got is None or isinstance(got, str):
        return "Pass the observations to explain the model on."
    if callable(got) or hasattr(got, "predict"):
        return "The model comes first: `explain(model, X)`."
    if hasattr(got, "iloc"):  # a series of pandas
        return "Pass a table: a row is `X.iloc[[0]]`, a column `X[['name']]`."
    for method in _TO_TABLE:
        if hasattr(got, method):
            return f"Pass `X.{method}()`."
    if hasattr(got, "filled"):
        return "Pass `X.filled(np.nan)`."
    return "Convert it, for example `np.asarray(X)`."


class ICEExplorerError(Exception):
    """Base of every error that this package raises on purpose.

    Attributes
    ----------
    facts : str
        The message without what to do, where that depends on who asked; else "".
    control : str
        What to do in an explorer, where that has a control for it; else "".
    """

    facts: str = ""
    control: str = ""

    @classmethod
    def _of(cls, facts: str, advice: str, control: str = "") -> Self:
        error = cls(f"{facts} {advice}")
        error.facts, error.control = facts, control
        return error

    def in_explorer(self) -> Self:
        """Return the same error with the advice that names controls of an explorer, where there is one."""
        return self.advising(self.control) if self.control else self

    def advising(self, advice: str) -> Self:
        """Return the same error, of the same cause, with other advice, where it has facts of its own."""
        if not self.facts:
            return self
        error = type(self)(f"{self.facts} {advice}")
        error.__cause__ = self.__cause__
        return error

    def end_at_caller(self) -> None:
        """Cut frames that are to be hidden off the end of the traceback: those of `tracebacks`."""
        entry = last_shown = self.__traceback__
        while entry is not None:
            if "__tracebackhide__" not in entry.tb_frame.f_locals:
                last_shown = entry
            entry = entry.tb_next
        if last_shown is not None:
            last_shown.tb_next = None

    def _render_traceback_(self) -> list[str]:
        """Return the lines that IPython shows, which asks for them here; by itself it shows the last frame always."""
        self.end_at_caller()
        shown: list[str] = ipython_shell().InteractiveTB.structured_traceback(type(self), self, self.__traceback__)
        return shown


class Cancelled(ICEExplorerError):  # noqa: N818 - not a mistake of anyone's, like KeyboardInterrupt
    """The computation was stopped by the user before it finished."""


class ComputationError(ICEExplorerError, RuntimeError):
    """What computes an explorer's features ended before they were done, and no model said why."""

    @classmethod
    def stopped(cls, feature: object, error: BaseException) -> ComputationError:
        """Say that something other than an Exception was raised, which ends a thread."""
        kind = type(error).__name__
        return cls(
            f"A model must return numbers or raise an Exception; computing {quoted(feature)} ended with "
            f"{_cause(error)} Wrap the model in a function that catches {kind} and raises a RuntimeError."
        )

    @classmethod
    def lost(cls, feature: object) -> ComputationError:
        """Say that the thread is gone."""
        return cls(
            "The thread of an explorer must live until all features are computed; it ended while computing "
            f"{quoted(feature)}, as threads do in a forked process. "
            'Press "Go on" in the explorer, or make it again.'
        )


class InvalidOptionError(ICEExplorerError, ValueError):
    """An option has a value that it cannot have."""

    @classmethod
    def not_one_of(cls, option: str, got: object, choices: Sequence[object]) -> InvalidOptionError:
        """Say which values the option takes."""
        advice = _meant_by(option, got) or _did_you_mean(got, choices)
        return cls(f"`{option}` must be {_or_listed(choices)}; got {quoted(got)}.{advice}")

    @classmethod
    def not_one_of_or_mapping(cls, option: str, got: object, choices: Sequence[object]) -> InvalidOptionError:
        """Say which names the option takes, and that values go by feature."""
        return cls(
            f"`{option}` must be {_or_listed(choices)}, or a mapping of features to values; "
            f"got {quoted(got)}.{_did_you_mean(got, choices)} For one feature write `{option}={{'name': values}}`."
        )

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
    def static_picture(cls, got: object) -> InvalidOptionError:
        """Say when a picture stands beside an explorer."""
        return cls(f"`static_picture` must be True, False or 'wait'; got {quoted(got)}. Leave it out for True.")

    @classmethod
    def said(cls, option: str, got: object) -> InvalidOptionError:
        """Say that words on a figure are there, absent, or given."""
        return cls(
            f"`{option}` must be True, False or a text; got {quoted(got)}. "
            f"Use `{option}=True` for the usual words, or give your own."
        )

    @classmethod
    def figure_title(cls, got: object) -> InvalidOptionError:
        """Say what the title of a Matplotlib figure may be."""
        return cls(
            f"`title` must be a text, True or None; got {quoted(got)}. "
            "Leave it out for the usual title, or use `title=None` for none."
        )

    @classmethod
    def not_properties(cls, option: str, got: object) -> InvalidOptionError:
        """Say how properties of Matplotlib are given."""
        return cls(
            f"`{option}` must be a mapping of Matplotlib properties to values; got {quoted(got)}. "
            f"Write for example `{option}={{'linewidth': 2}}`."
        )

    @classmethod
    def unknown_property(cls, option: str, name: str, artist: str, known: Sequence[str]) -> InvalidOptionError:
        """Say that Matplotlib has no such property."""
        return cls(
            f"`{option}` must hold properties of Matplotlib's {artist}; got {quoted(name)}."
            f"{_did_you_mean(name, known)} Use for example 'color', 'linewidth', 'alpha' or 'zorder'."
        )

    @classmethod
    def properties(cls, option: str, problem: str) -> InvalidOptionError:
        """Say what Matplotlib found wrong with properties."""
        cause = re.split("[:;] supported ", problem)[0].rstrip(".")  # all the values that there are follow
        return cls(f"`{option}` must hold valid Matplotlib properties: {cause}. Correct this property.")

    @classmethod
    def not_one_number(cls, name: str, got: object) -> InvalidOptionError:
        """Say that all curves have a property in common."""
        return cls(
            f"`line_kw` must hold one number as {quoted(name)}, for all curves; got {quoted(got)}. "
            f"Write for example `line_kw={{{quoted(name)}: 0.5}}`."
        )

    @classmethod
    def palette(cls, got: object) -> InvalidOptionError:
        """Say what a palette may be."""
        return cls(
            "`palette` must be a Matplotlib colormap or its name, a list of colours, or for levels a mapping of levels "
            f"to colours; got {quoted(got)}. Leave it out for the colours of the style."
        )

    @classmethod
    def colormap(cls, got: str, known: Sequence[str]) -> InvalidOptionError:
        """Say that Matplotlib has no such colormap."""
        return cls(
            f"`palette` must name a Matplotlib colormap; got {quoted(got)}.{_did_you_mean(got, known)} "
            "`matplotlib.colormaps` lists them; a list of colours works, too."
        )

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
            f"`palette` must have a colour for each level of {quoted(column)}; it has none for {_listed(levels)}. "
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
    def not_positive_integer(cls, option: str, got: object, minimum: int, advice: str) -> InvalidOptionError:
        """Say that a count must be an integer of at least `minimum`."""
        return cls(f"`{option}` must be an integer of at least {minimum}; got {quoted(got)}. {advice}")

    @classmethod
    def integer_too_large(cls, option: str, got: object, minimum: int, most: int, advice: str) -> InvalidOptionError:
        """Say how large a count or seed may be."""
        return cls(f"`{option}` must be an integer from {minimum} to {most:.0e}; got {quoted(got)}. {advice}")

    @classmethod
    def flag(cls, option: str, got: object, usual: bool) -> InvalidOptionError:  # noqa: FBT001
        """Say that an option is on or off."""
        return cls(f"`{option}` must be True or False; got {quoted(got)}. Leave it out for {usual}.")

    @classmethod
    def sample(cls, got: object, n_observations: int) -> InvalidOptionError:
        """Say what a sample size may be."""
        return cls(
            "`sample` must be a count from 1 to the number of observations or a fraction greater than 0 and "
            f"less than 1; got {quoted(got)} for {counted(n_observations, 'observation')}. "
            "Use `sample=None` for all of them."
        )

    @classmethod
    def memory_limit(cls, got: object) -> InvalidOptionError:
        """Say how a memory limit is written."""
        return cls(
            "`memory_limit` must be a positive number of bytes or a text such as '500MB' or '2GB'; "
            f"got {quoted(got)}. The default is '1GB'."
        )

    @classmethod
    def anchor(cls, got: object) -> InvalidOptionError:
        """Say what an anchor may be."""
        return cls(
            "`anchor` must be 'min', 'max', 'median', 'own' or a finite value of the feature; "
            f"got {quoted(got)}. The nearest grid value is used for a number."
        )

    @classmethod
    def progress(cls, got: object) -> InvalidOptionError:
        """Say what `progress` may be."""
        return cls(
            f"`progress` must be None, True, False or a function of (done, total, label); got {quoted(got)}. "
            "Use `progress=False` for silence."
        )

    @classmethod
    def grid_values(cls, feature: object, problem: str, advice: str) -> InvalidOptionError:
        """Say what is wrong with the grid given for one feature."""
        return cls(f"`grid` must give each feature increasing finite values; {problem} for {quoted(feature)}. {advice}")

    @classmethod
    def grid_got(cls, feature: object, got: object, advice: str) -> InvalidOptionError:
        """Say that the grid given for one feature is none."""
        return cls.grid_values(feature, f"got {quoted(got)}", advice)

    @classmethod
    def grid_level(cls, feature: object, got: object, levels: Sequence[object]) -> InvalidOptionError:
        """Offer the levels of a category."""
        return cls(
            f"`grid` must give a category levels that occur in X or are declared by its dtype; got {quoted(got)} for "
            f"{quoted(feature)}."
            f"{_did_you_mean(got, levels)} Its levels are {_listed(levels)}."
        )

    @classmethod
    def grid_level_twice(cls, feature: object, got: object) -> InvalidOptionError:
        """Say that a level is one grid value."""
        return cls(
            f"`grid` must give each level once; got {quoted(got)} twice for {quoted(feature)}. Remove one of them."
        )

    @classmethod
    def grid_without_levels(cls, feature: object, levels: Sequence[object]) -> InvalidOptionError:
        """Say that a grid has at least one level."""
        return cls(
            f"`grid` must give a category at least one level; got none for {quoted(feature)}. "
            f"Its levels are {_listed(levels)}."
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
            f"{quoted(got)} for {quoted(feature)}.{_did_you_mean(got, levels)} Its grid is {_listed(levels)}."
        )

    @classmethod
    def anchor_without_feature(cls, got: object) -> InvalidOptionError:
        """Say that a label or a date is one of a feature."""
        return cls(
            "`anchor` must be 'min', 'max', 'median', 'own' or a number while no feature is open; "
            f"got {quoted(got)}. Set `feature` first."
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
        got = _listed(members) if members else "none"
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
    def scale_got(cls, feature: object, got: object) -> InvalidOptionError:
        """Say that the likelihood scale given for one feature is none."""
        return cls.scale_values(feature, f"got {quoted(got)}")

    @classmethod
    def sample_weight_got(cls, got: object, advice: str) -> InvalidOptionError:
        """Say that what was given are no weights."""
        return cls.sample_weight(f"got {quoted(got)}", advice)

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
    def target_length(cls, n_values: int, n_observations: int) -> InvalidOptionError:
        """Say that there is one target per row."""
        return cls(
            f"`y` must hold one value per observation; got {n_values} for {counted(n_observations, 'observation')}. "
            "Pass the targets of the rows of X, in their order."
        )

    @classmethod
    def target_columns(cls, n_columns: int, n_outputs: int) -> InvalidOptionError:
        """Say that there is one target per output."""
        return cls(
            f"`y` must have one column for each output of the model, {n_outputs}; got {n_columns}. "
            "Pass the target that the model was fitted on."
        )

    @classmethod
    def target_number(cls, got: object, row: int) -> InvalidOptionError:
        """Say that a model that predicts numbers has numbers as its target."""
        return cls(
            f"`y` must be finite numbers, because the model predicts numbers; got {quoted(got)} in row {row}. "
            "Pass the target that the model was fitted on; missing values may stay."
        )

    @classmethod
    def target_label(cls, got: object, labels: Sequence[object]) -> InvalidOptionError:
        """Say which labels the classes have."""
        which = "nothing but missing values" if got is None else f"{quoted(got)} and no label among them"
        return cls(
            f"`y` must hold labels of the classes, {_listed(labels)}; got {which}. "
            "Pass the labels that the model was fitted on."
        )

    @classmethod
    def n_jobs(cls, got: object) -> InvalidOptionError:
        """Say how many threads there can be."""
        return cls(
            f"`n_jobs` must be a number of threads of at least 1, or -1 for one per processor; got {quoted(got)}. "
            "Leave it out for one."
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
    def decays(cls, got: object) -> InvalidOptionError:
        """Say that a profile is taken over several decays."""
        return cls(f"`decays` must be a list of decays; got {quoted(got)}. For one decay write `[decay]`.")

    @classmethod
    def positions(cls, got: object, n_observations: int, option: str = "positions") -> InvalidOptionError:
        """Say how rows are addressed."""
        return cls(
            f"`{option}` must be row positions of X, from 0 to {n_observations - 1}; got {quoted(got)}. "
            "Rows are addressed by position, not by index label; `X.index.get_indexer(labels)` has the positions."
        )

    @classmethod
    def repeated_positions(cls, got: int, n_observations: int) -> InvalidOptionError:
        """Say that rows are asked for once."""
        return cls(
            f"`positions` must be different rows of X, which has {counted(n_observations, 'row')}; "
            f"got {got} positions. Leave out those that are there twice."
        )

    @classmethod
    def like(cls, got: object) -> InvalidOptionError:
        """Raise where the explanation to compare with is none."""
        return cls(f"`like` must be an explanation; got {quoted(got)}. Pass the result of `explain`.")

    @classmethod
    def like_and(cls, option: str) -> InvalidOptionError:
        """Raise where an option is given twice."""
        return cls(f"`like` brings its own grids; got `{option}` as well. Leave out one of them.")

    @classmethod
    def like_without(cls, feature: object, features: Sequence[object]) -> InvalidOptionError:
        """Raise where a feature has no counterpart."""
        return cls(
            f"Every feature must be one of `like`; {quoted(feature)} is not explained there. "
            f"Use `features=` to choose from {_listed(features)}."
        )

    @classmethod
    def like_absent(cls, error: UnknownFeatureError) -> InvalidOptionError:
        """Raise where X lacks features of the other explanation."""
        return cls(f"X must have the features of `like`. {error} Use `features=` to choose from those that both have.")

    @classmethod
    def like_kind(cls, feature: object, kind: str, expected: str) -> InvalidOptionError:
        """Raise where a column has become one of another kind."""
        return cls(
            f"{quoted(feature)} must be of the kind that it has in `like`, {expected}; got {kind}. "
            "Give the column the same dtype in both tables."
        )

    @classmethod
    def like_levels(cls, feature: object, got: Sequence[object], expected: Sequence[object]) -> InvalidOptionError:
        """Raise where the dtype of a column declares other levels."""
        return cls(
            f"{quoted(feature)} must declare the levels that it has in `like`, {_listed(expected)}; "
            f"got {_listed(got)}. Give the column the same dtype in both tables."
        )

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
    def by_labels(cls, got: object, n_observations: int) -> InvalidOptionError:
        """Raise where groups are neither named nor listed."""
        return cls(
            f"`by` must be a column or group of X, or one label for each of its {n_observations:,} rows; "
            f"got {quoted(got)}. For several columns pass `X.groupby(['a', 'b']).ngroup()`."
        )

    @classmethod
    def mask(cls, length: int, n_observations: int, option: str) -> InvalidOptionError:
        """Raise where a boolean mask is not one of the rows of X."""
        return cls(
            f"`{option}` as a mask must have one value for each of the {n_observations:,} rows of X; got {length:,}."
        )

    @classmethod
    def names(cls, option: str, got: object) -> InvalidOptionError:
        """Say that names come in a list."""
        return cls(f"`{option}` must be a list of names; got {quoted(got)}. Pass `list(…)` of it, or leave it out.")

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
    def state_got(cls, got: object) -> InvalidOptionError:
        """Say what a state is."""
        advice = "Read a text of JSON with `json.loads`." if isinstance(got, str) else "Pass `state=x.state()`."
        return cls(f"`state` must be a dict that `state()` of an explorer returned; got {quoted(got)}. {advice}")

    @classmethod
    def state_version(cls, got: object, versions: Sequence[int]) -> InvalidOptionError:
        """Say which states can be read."""
        given = "none" if got is None else quoted(got)
        return cls(
            f"`state['version']` must be {' or '.join(map(str, versions))}; got {given}. "
            "Pass a whole state, and read one of a newer release with that release."
        )

    @classmethod
    def state_entry(cls, where: str, name: object, known: Sequence[str]) -> InvalidOptionError:
        """Say that an explorer writes no such entry."""
        return cls(
            f"`{where}` must have no other entries than `state()` of an explorer writes; got {quoted(name)}."
            f"{_did_you_mean(name, known)} Leave it out."
        )

    @classmethod
    def state_value(cls, where: str, expected: str, got: object) -> InvalidOptionError:
        """Say what an entry of a state must be."""
        return cls(f"`{where}` must be {expected}; got {quoted(got)}. Leave it out for the default.")


class OutputError(ICEExplorerError, ValueError):
    """The model has several outputs and none, or an unknown one, was chosen."""

    @classmethod
    def needed(cls, what: str, choices: Sequence[object]) -> OutputError:
        """Say that one of several outputs must be chosen."""
        others = f" (or {_listed(choices[1:], _OUTPUTS_SHOWN)})" if len(choices) > 1 else ""
        return cls(
            f"The model returns {len(choices)} {what}, so one must be chosen. "
            f"Pass `output={quoted(choices[0])}`{others}."
        )

    @classmethod
    def unknown(cls, got: object, choices: Sequence[object], *, by_position: bool) -> OutputError:
        """Say which outputs there are."""
        positions = f", or a position from 0 to {len(choices) - 1}" if by_position else ""
        return cls(
            f"`output` must be one of {_listed(choices, _OUTPUTS_SHOWN)}{positions}; "
            f"got {quoted(got)}.{_did_you_mean(got, choices)}"
        )

    @classmethod
    def unknown_of_several(cls, got: object, choices: Sequence[object]) -> OutputError:
        """Say which classes of which outputs there are."""
        return cls(
            f"`output` must be an output and one of its classes, {_listed(choices, _OUTPUTS_SHOWN)}; got "
            f"{quoted(got)}. For example `output={quoted(choices[-1])}`."
        )

    @classmethod
    def not_predicted(cls, got: object, choices: Sequence[object]) -> OutputError:
        """Say which labels a model predicts that does not list them."""
        return cls(
            f"`output` must be a label that the model predicts for the first rows it is asked for, "
            f"{_listed(choices, _OUTPUTS_SHOWN)}; got {quoted(got)}.{_did_you_mean(got, choices)} "
            "For another one pass a function that returns 1 where it is predicted, else 0."
        )

    @classmethod
    def single(cls, got: object) -> OutputError:
        """Say that there is nothing to choose."""
        return cls(
            f"`output` chooses among several outputs; the model has one, got output={quoted(got)}. Leave `output` out."
        )

    @classmethod
    def alone(cls) -> OutputError:
        """Say that there is nothing to stand beside."""
        return cls(
            "Classes can be shown side by side where the model at hand has several; this explorer knows of one "
            "output. Call `ICEExplorer(model, X)` with a model of several classes."
        )


class UnknownOptionError(ICEExplorerError, TypeError):
    """A keyword that no option has."""

    @classmethod
    def keyword(cls, function: str, got: str, known: Collection[str]) -> UnknownOptionError:
        """Offer the option that has this name elsewhere, or the closest one."""
        meant = next((option for option in _MEANT.get(got, ()) if option.partition("=")[0] in known), None)
        if meant is not None:
            offer = f" Use `{meant if '=' in meant else meant + '='}`."
        else:
            offer = _did_you_mean(got, known) or _KIND_ELSEWHERE.get(got, "")
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
        return cls(f"An explorer has no {quoted(got)} to set.{_did_you_mean(got, known)} There are {', '.join(known)}.")


class UnknownNameError(ICEExplorerError, AttributeError):
    """The package has no such name, or an explorer none that can be set."""

    @classmethod
    def of_module(cls, module: str, got: str, known: Sequence[str]) -> UnknownNameError:
        """Offer the closest name."""
        # Without a name of the attribute, which Python would set, it does not offer the closest one once more.
        return cls(f"module {module!r} has no attribute {quoted(got)}.{_did_you_mean(got, known)}", name=None, obj=None)

    @classmethod
    def read_only(cls, got: str, known: Sequence[str]) -> UnknownNameError:
        """Say what can be set on an explorer."""
        return cls(f"`{got}` of an explorer can be read, but not set. Set one of {', '.join(known)}.")


class UnknownFeatureError(ICEExplorerError, KeyError):
    """A name that no feature or column has."""

    def __str__(self) -> str:
        # KeyError would show the repr of the sentence, quotes and all.
        return str(self.args[0])

    @classmethod
    def column(cls, got: object, names: Sequence[object], groups: Sequence[object] = ()) -> UnknownFeatureError:
        """Offer the closest column of X, or group of columns."""
        if not _is_name(got):
            return cls(f"A column of X must be given by its name; got {_described(got)}. Columns are {_listed(names)}.")
        of_groups = f" Its groups are {_listed(groups)}." if groups else ""
        return cls(
            f"No column named {quoted(got)} in X.{_did_you_mean(got, [*names, *groups])} "
            f"X has {counted(len(names), 'column')}: {_listed(names)}.{of_groups}"
        )

    @classmethod
    def feature(cls, got: object, names: Sequence[object]) -> UnknownFeatureError:
        """Offer the closest explained feature."""
        if not _is_name(got):
            return cls(
                f"A feature must be given by its name; got {_described(got)}. "
                f"`e.to_frame([…])` and `e.plot_all()` take several. Features are {_listed(names)}."
            )
        there = "There is" if len(names) == 1 else "There are"
        return cls(
            f"No feature named {quoted(got)} was explained.{_did_you_mean(got, names)} "
            f"{there} {counted(len(names), 'feature')}: {_listed(names)}."
        )


class InputDataError(ICEExplorerError, ValueError):
    """X holds something that cannot be explained."""

    @classmethod
    def empty(cls, shape: tuple[int, ...]) -> InputDataError:
        """Say that there is nothing to explain."""
        return cls(
            f"X must have at least one row and one column; got shape {shape}. "
            "Pass the observations to explain the model on."
        )

    @classmethod
    def not_two_dimensional(cls, shape: tuple[int, ...]) -> InputDataError:
        """Say that X is a table."""
        return cls(
            f"X must have two dimensions, observations × features; got an array of shape {shape}. "
            "Reshape it: one feature is `X.reshape(-1, 1)`, one row `X.reshape(1, -1)`."
        )

    @classmethod
    def array_dtype(cls, dtype: object) -> InputDataError:
        """Say that an array holds numbers."""
        return cls(
            f"An array X must hold numbers or booleans; got dtype {dtype}. Pass a DataFrame with one dtype per column."
        )

    @classmethod
    def infinite(cls, feature: object, rows: Sequence[int]) -> InputDataError:
        """Name the column and the rows of infinite values."""
        return cls._of(
            f"A feature must hold finite numbers; {quoted(feature)} holds infinite values in "
            f"{counted(len(rows), 'row')}: {_listed(rows)}.",
            "Replace them, or leave the feature out with `features=`.",
        )

    @classmethod
    def too_large(cls, feature: object, got: float, row: int, most: float) -> InputDataError:
        """Name the column and the first row of a value whose square is no number."""
        return cls._of(
            f"A feature must hold numbers from {-most:g} to {most:g}; {quoted(feature)} holds {got!r} in row {row}.",
            "Replace it if it stands for a missing value, or leave the feature out with `features=`.",
        )

    @classmethod
    def no_values(cls, feature: object) -> InputDataError:
        """Say that a column has nothing to put on an axis."""
        return cls._of(
            f"A feature must hold at least one value; {quoted(feature)} is missing in every row that has weight.",
            "Leave it out with `features=`.",
        )

    @classmethod
    def no_kind(cls, feature: object, dtype: object, option: str = "features") -> InputDataError:
        """Say that a column named as a feature holds nothing that an axis is made of."""
        return cls._of(
            "A feature must hold numbers, booleans, categories, texts, dates or timedeltas; "
            f"{quoted(feature)} has dtype {dtype} and holds other objects.",
            f"Leave it out of `{option}=`: it stays available to colour by.",
        )

    @classmethod
    def no_features(cls, names: Sequence[object]) -> InputDataError:
        """Say that no column can be explained."""
        return cls(
            "X must have at least one column that holds numbers, booleans, categories, texts, dates or timedeltas; "
            f"its columns are {_listed(names)}. Turn one into such a column in front of the model."
        )

    @classmethod
    def not_as_fitted(cls, fitted: Sequence[object], got: Sequence[object] | int) -> InputDataError:
        """Say which columns a model was fitted on that takes them by position."""
        held = counted(got, "column") if isinstance(got, int) else _listed(got)
        constant = (
            " `statsmodels.api.add_constant(X)` puts the constant in front."
            if "const" in fitted and (isinstance(got, int) or "const" not in got)
            else ""
        )
        return cls(
            f"X must have the columns that the model was fitted on, in their order: {_listed(fitted)}; got {held}. "
            f"Pass those.{constant}"
        )

    @classmethod
    def columns_of_fit(
        cls, *, missing: Sequence[object], unknown: Sequence[object], names: Sequence[object], advice: str
    ) -> InputDataError:
        """Say which columns are missing, unknown to the model, or in another order than in the fit."""
        if missing:
            gone = f"{_listed(missing)} {'is' if len(missing) == 1 else 'are'} missing"
            besides = f", and the model was not fitted on {_listed(unknown)}" if unknown else ""
            close = closest(missing[0], unknown)
            what = f"Rename {quoted(close[0])} to {quoted(missing[0])}" if close else "Add what is missing"
            return cls(
                f"X must have the columns that the model was fitted on; {gone}{besides}. X has "
                f"{counted(len(names), 'column')}: {_listed(names)}. {what}, and pass the columns in the order of the "
                "fit."
            )
        if unknown:
            return cls(
                "X must have only the columns that the model was fitted on; it was not fitted on "
                f"{_listed(unknown)}. Pass `{advice}`."
            )
        return cls(
            "X must have its columns in the order in which the model was fitted on them; it has the same columns in "
            f"another order: {_listed(names)}. Pass `{advice}`."
        )

    @classmethod
    def number_of_columns(cls, n_fitted: int, n_columns: int) -> InputDataError:
        """Say how many columns a model takes that was fitted without names."""
        return cls(
            f"X must have as many columns as the model was fitted on, {n_fitted}; got {n_columns}. "
            "Pass the columns of the fit, in their order."
        )

    @classmethod
    def inflation_columns(cls, model: object, names: Sequence[object]) -> InputDataError:
        """Name the columns that a zero-inflated model needs for the probability of a zero."""
        which = f": {_listed(names)}" if names else ""
        return cls(
            f"X must have the columns of `exog_infl`, by name, because {type(model).__name__} was fitted with "
            f"them{which}. Add them behind the others, or pass a function: "
            "`lambda X: results.predict(X[exog_columns], exog_infl=X[exog_infl_columns])`."
        )

    @classmethod
    def duplicate_columns(cls, label: str) -> InputDataError:
        """Say that a name must mean one column."""
        return cls(
            f"Column names must be different from each other; {quoted(label)} names more than one column of X. "
            "Rename one of them."
        )


class InputTypeError(ICEExplorerError, TypeError):
    """An argument is of a type that cannot work."""

    @classmethod
    def table(cls, got: object) -> InputTypeError:
        """Say what X may be."""
        name = type(got).__name__
        whose = f" of {type(got).__module__.partition('.')[0]}" if name == "DataFrame" else ""
        return cls(
            "X must be a DataFrame, a two-dimensional numpy array or a sparse matrix; "
            f"got {name}{whose}. {_as_table(got)}"
        )

    @classmethod
    def call(cls, error: TypeError) -> InputTypeError:
        """Say, in Python's own words, that a call does not fit its function."""
        return cls(f"{error}.")

    @classmethod
    def explanation_in_pickle(cls) -> InputTypeError:
        """Say why an explanation stays where it was made, and what to keep instead."""
        return cls(
            "An explanation cannot be pickled or copied: it asks the model for lines when they are looked at. "
            "Pickle model and X and explain again, or keep the numbers: `e.save('numbers.json')`."
        )

    @classmethod
    def model(cls, got: object) -> InputTypeError:
        """Say what a model may be."""
        return cls(
            "model must have a predict method or be a function of X; "
            f"got {type(got).__name__}. Pass `lambda X: …` that returns one number per row."
        )

    @classmethod
    def model_class(cls, got: type) -> InputTypeError:
        """Say that a class is no model yet."""
        return cls(
            f"model must be a fitted model; got the class {got.__name__}. "
            f"Make a model of it and fit that: `{got.__name__}().fit(X, y)`."
        )

    @classmethod
    def axes(cls, got: object) -> InputTypeError:
        """Say what is drawn on."""
        return cls(
            f"`ax` must be a matplotlib Axes; got {type(got).__name__}. "
            "Pass one of `plt.subplots()`, or leave it out for a new figure."
        )

    @classmethod
    def explorer(cls, got: object, *, or_explanation: bool, is_explanation: bool) -> InputTypeError:
        """Say what a companion follows."""
        what = "an ICEExplorer or an Explanation" if or_explanation else "an ICEExplorer"
        call = "ice.ICEExplorer(explanation)" if is_explanation else "ice.ICEExplorer(model, X)"
        return cls(f"A figure of bqplot is one of {what}; got {type(got).__name__}. Pass `{call}`.")

    @classmethod
    def path(cls, got: object) -> InputTypeError:
        """Say how a file is named."""
        return cls(f'`path` must be a text or a Path; got {type(got).__name__}. Write for example `"view.svg"`.')


class PredictionError(ICEExplorerError, ValueError):
    """The model failed, or returned what cannot be a prediction.

    Attributes
    ----------
    is_passing : bool
        Whether the same call may work later: the model failed, and not because of what it was asked for.
    explanation : Explanation or None
        Of the features that `explain` had computed before the model failed; None where there is none.
    resume : callable or None
        Computes the features that are missing and returns the whole `Explanation`; what is computed is not computed
        again. In a notebook the error that was shown last is `sys.last_value`.
    """

    explanation: object = None
    resume: Callable[[], object] | None = None
    is_passing: bool = False

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        """Pickle the message alone: what is kept of an explanation stays where its model is."""
        return type(self), self.args

    def resumable(self, explanation: object, counts: tuple[int, int], resume: Callable[[], object]) -> PredictionError:
        """Return the same error with what was computed of all features, and how the rest is computed."""
        done, total = counts
        advice = (
            f"{done} of {counted(total, 'feature')} are computed and kept. When the model works, compute the others: "
            "`error.resume()`, or `sys.last_value.resume()` after an error that was not caught."
        )
        error = self.advising(advice) if self.is_passing else self
        error.explanation, error.resume = explanation, resume
        return error

    @classmethod
    def failed_on_rows(cls, error: Exception) -> PredictionError:
        """Say that the model cannot predict X itself."""
        return cls(
            f"The model failed on the first rows of X: {_cause(error)} "
            "Check that it is fitted and that X is what it was fitted on."
        )

    @classmethod
    def not_fitted(cls, model: object, advice: str) -> PredictionError:
        """Say that a model is fitted before it is explained."""
        return cls(f"model must be fitted; this {type(model).__name__} is not. {advice}")

    @classmethod
    def changed(cls, change: float) -> PredictionError:
        """Say that a model is another one than the one that was explained."""
        return cls._of(
            "The model must stay as it was explained; it changed since `explain`, and predicts the same rows "
            f"differently by up to {change:.3g}.",
            "Explain it again.",
            "Run the cell of the explorer again.",
        )

    @classmethod
    def failed_on_known(cls, error: Exception) -> PredictionError:
        """Say that a model fails on rows that it predicted when it was explained."""
        return cls(
            f"The model failed on rows that it predicted before: {_cause(error)} "
            "Repeat this when the model works again; explain it again if it was changed."
        )

    @classmethod
    def failed_on_phantoms(cls, feature: object, where: str, error: Exception) -> PredictionError:
        """Name the feature, the grid value and the row on which the model raised."""
        return cls._of(
            f"The model failed on phantom observations of {quoted(feature)} ({where}): {_cause(error)}",
            "Limit the grid with `grid=`, or leave the feature out with `features=`.",
            "Choose another feature in the ranking. For this one, create the explorer with other grid values.",
        )

    @classmethod
    def failed_on_missing(cls, feature: object, error: Exception) -> PredictionError:
        """Say that a model fails where a feature is missing, as it is in some rows of X."""
        return cls(
            f"The model failed where {quoted(feature)} is missing, as it is in rows of X: {_cause(error)} "
            "Fill missing values, or leave out these rows, for example by `X.dropna()`."
        )

    @classmethod
    def failed_on_row(cls, row: int, error: Exception) -> PredictionError:
        """Say that a model fails on a row of X as it is, so that no changed value is the reason."""
        return cls(
            f"The model failed on row {row} of X as it is: {_cause(error)} "
            "Leave out the rows that it cannot predict, or fill their missing values."
        )

    @classmethod
    def not_finite(cls, feature: object, where: str, value: float) -> PredictionError:
        """Name the feature, the grid value and the row on which a prediction is not a number."""
        return cls._of(
            f"The model must return finite numbers; it returned {value!r} on a phantom observation of "
            f"{quoted(feature)} ({where}).",
            "Limit the grid with `grid=`, or use another `response`.",
            'Choose another scale under "Response", where there is one, or create the explorer with other grid values.',
        )

    @classmethod
    def certain(cls, where: str, probability: int) -> PredictionError:
        """Say that a probability of 0 or 1 has no log-odds, and which scale has a place for it."""
        return cls._of(
            "Log-odds need probabilities between 0 and 1; the model returned a probability of "
            f"{probability} for {where}.",
            'Use `response="predict_proba"`, or pass a function that keeps probabilities from 0 and 1, for example '
            "`lambda X: logit(model.predict_proba(X)[:, 1].clip(0.001, 0.999))` with `scipy.special.logit`.",
            'Choose "probability" under "Response".',
        )

    @classmethod
    def out_of_service(cls, feature: object, error: Exception) -> PredictionError:
        """Say what a model raised that does not depend on the phantom that it was asked for."""
        found = cls._of(
            f"The model failed: {_cause(error)} It was predicting phantom observations of {quoted(feature)}, whose "
            "values are not the reason.",
            "Call `explain` again when the model works.",
            'Features that are computed are kept; press "Go on" when the model works.',
        )
        found.is_passing = True
        return found

    @classmethod
    def too_large(cls, feature: object, where: str, value: float, most: float) -> PredictionError:
        """Name the feature, the grid value and the row on which a prediction is too large to be squared."""
        return cls(
            f"The model must return numbers from {-most:g} to {most:g}; it returned {value!r} on a phantom observation "
            f"of {quoted(feature)} ({where}). Explain a function that scales them down, such as "
            "`lambda X: model.predict(X) / 1e200`."
        )

    @classmethod
    def too_large_to_show(cls, what: str, feature: object, value: float, most: float) -> PredictionError:
        """Say that figures go to browsers in single precision."""
        scaled = "Explain a function that scales predictions down, such as `lambda X: model.predict(X) / 1e100`, or"
        return cls._of(
            f"An explorer shows numbers from {-most:g} to {most:g}; the {what} of {quoted(feature)} reach {value:.3g}.",
            f"{scaled} leave the feature out with `features=`.",
            f"{scaled} choose another feature in the ranking.",
        )

    @classmethod
    def too_steep(cls, feature: object, gap: float, most: float) -> PredictionError:
        """Say that slopes between values so close are too large to be squared."""
        return cls._of(
            f"Predictions must change by at most {most:g} per unit of a feature; they change by more between values of "
            f"{quoted(feature)} that are {gap:.3g} apart.",
            "Write the feature in a smaller unit, or space its values with `grid=`.",
            "Write the feature in a smaller unit, or create the explorer with grid values that are further apart.",
        )

    @classmethod
    def row_not_finite(cls, value: float, row: int) -> PredictionError:
        """Name the observation whose own prediction is not a number."""
        return cls._of(
            f"The model must return finite numbers; it returned {value!r} for row {row} of X.",
            "Leave such rows out, or use another `response`.",
            'Choose another scale under "Response", where there is one, or create the explorer without such rows.',
        )

    @classmethod
    def wrong_shape(
        cls, method: str, shape: tuple[int, ...], n_rows: int, n_columns: int | None = None
    ) -> PredictionError:
        """Say which shape a prediction must have."""
        call = "model" if method == "model" else f"model.{method}"
        advice = (
            f"Wrap it: `lambda X: {call}(X).ravel()`."
            if shape == (n_rows, 1) and n_columns is None
            else "Wrap the model in a function that returns that."
        )
        expected = (n_rows,) if n_columns is None else (n_rows, n_columns)
        return cls(f"{method}() returned shape {shape} for {counted(n_rows, 'row')}; expected {expected}. {advice}")

    @classmethod
    def not_one_table_per_output(cls, method: str, n_outputs: int) -> PredictionError:
        """Say how probabilities of several outputs must come."""
        return cls(
            f"{method}() must return a list of {n_outputs} arrays, one per output with a column per class; it returned "
            "something else. Wrap the model in a function that returns one number per row."
        )

    @classmethod
    def not_an_array(cls, method: str, kind: str, error: Exception) -> PredictionError:
        """Say that what was returned cannot be read as an array."""
        return cls(
            f"{method}() must return an array of numbers; it returned {kind}, which numpy cannot read "
            f"({_cause(error).rstrip('.')}). Wrap the model in a function that returns a number per row."
        )

    @classmethod
    def nothing(cls, method: str) -> PredictionError:
        """Say that the predictions were not returned."""
        return cls(
            f"{method}() must return a number per row; it returned None. End it with `return` and the predictions."
        )

    @classmethod
    def masked(cls, method: str, n_masked: int) -> PredictionError:
        """Say that a value under a mask is no prediction."""
        call = "model" if method == "model" else f"model.{method}"
        return cls(
            f"{method}() must return a number for every row; it returned {counted(n_masked, 'value')} under a "
            f"mask (`numpy.ma`). Return plain numbers, for example by `lambda X: np.ma.filled({call}(X), 0.0)`."
        )

    @classmethod
    def wrong_on_phantoms(cls, feature: object, where: str, error: Exception) -> PredictionError:
        """Name the feature, the grid value and the row for which no prediction came back."""
        return cls(f"No predictions of phantom observations of {quoted(feature)} ({where}): {error}")

    @classmethod
    def not_numeric(cls, method: str, dtype: object) -> PredictionError:
        """Say that predictions are numbers."""
        return cls(
            f"{method}() must return numbers; it returned dtype {dtype}. "
            "Wrap the model in a function that returns a number per row."
        )


class MissingDependencyError(ICEExplorerError, ImportError):
    """An optional package is needed and not installed."""

    @classmethod
    def extra(cls, what: str, package: str, extra: str) -> MissingDependencyError:
        """Name the package and the extra that brings it."""
        return cls(f"{what} needs {package}, which is not installed. Run `pip install 'ice-explorer[{extra}]'`.")


class FrontEndMissingError(ICEExplorerError, RuntimeError):
    """The built front end is not where the package expects it."""

    @classmethod
    def bundle(cls, path: object) -> FrontEndMissingError:
        """Say how a source checkout builds it."""
        return cls(
            f"The explorer needs its built front end; there is none at {path}. "
            "In a source checkout run `npm ci && npm run build` in js/, or install the released package."
        )


class ExportError(ICEExplorerError, ValueError):
    """A figure cannot be written as asked."""

    @classmethod
    def suffix(cls, path: object, suffixes: Sequence[str]) -> ExportError:
        """Say which formats there are."""
        return cls(f"`path` must end in {_or_listed(suffixes)}; got {_place(path)}. The suffix chooses the format.")

    @classmethod
    def exists(cls, path: object) -> ExportError:
        """Say that nothing is overwritten unasked."""
        return cls(
            f"`path` must not exist yet; there is a file at {_place(path)}. Pass `overwrite=True` to replace it."
        )

    @classmethod
    def no_folder(cls, path: object) -> ExportError:
        """Say that folders are not made unasked."""
        return cls(
            f"`path` must be in a folder that is there; {_place(path)} is in none. Make the folder, or choose another."
        )

    @classmethod
    def one_file_each(cls, path: object, suffix: str) -> ExportError:
        """Say how a file for each feature is named."""
        return cls(
            f"`path` must hold '{{feature}}' where a {suffix} of each feature is wanted; got {_place(path)}. "
            f"Write for example 'figures/{{feature}}{suffix}', or use '.pdf', which has a page for each."
        )

    @classmethod
    def no_provenance(cls, path: object) -> ExportError:
        """Say which files tell where they come from."""
        return cls(
            f"`path` must be a file that an explorer or an explanation saved; {_place(path)} does not say where it "
            "comes from. Save it again, and keep it as it is written: some programs drop what is not shown."
        )

    @classmethod
    def no_file(cls, path: object) -> ExportError:
        """Say that there is nothing to read."""
        return cls(f"`path` must be that of a file; there is none at {_place(path)}. Check its name and its folder.")

    @classmethod
    def no_format(cls, got: object, formats: Sequence[str]) -> ExportError:
        """Say which formats there are to ask for."""
        return cls(f"`format` must be {_or_listed(formats)}; got {quoted(got)}. Choose one of them.")

    @classmethod
    def not_written(cls, path: object, error: OSError) -> ExportError:
        """Say that the system does not let a file be written there."""
        advice = (
            "Choose a shorter name." if error.errno == errno.ENAMETOOLONG else "Choose another folder, or make room."
        )
        return cls(
            f"`path` must be where files can be written; at {_place(path)} the system says: {_reason(error)}. {advice}"
        )

    @classmethod
    def not_read(cls, path: object, error: OSError) -> ExportError:
        """Say that the system does not let a file be read."""
        return cls(
            f"`path` must be a file that can be read; of {_place(path)} the system says: {_reason(error)}. "
            "Check its name and its permissions."
        )

    @classmethod
    def no_file_name(cls, path: object, character: str) -> ExportError:
        """Say that no file can have such a name."""
        return cls(
            f"`path` must be a name that the system can write; {_place(path)} holds {character!r}. "
            "Leave that character out."
        )

    @classmethod
    def no_working_folder(cls) -> ExportError:
        """Say that there is nothing to put a file into."""
        return cls(
            "The kernel must run in a folder that is there, to put a file beside the notebook; its folder is gone. "
            "Change it with `os.chdir(...)`, or download the file."
        )

    @classmethod
    def not_all_yet(cls, done: int, total: int) -> ExportError:
        """Say that features are missing."""
        return cls(
            f"All features must be computed to be exported together; {done} of {total} are. "
            "Wait until they are there, or export a picture of the view."
        )

    @classmethod
    def not_a_file(cls, path: object, what: str) -> ExportError:
        """Say that a folder, a device or a link without a target is neither written nor read as a file."""
        return cls(f"`path` must be that of a file; there is {what} at {_place(path)}. Choose another name.")

    @classmethod
    def spreadsheet(cls, path: object) -> ExportError:
        """Say which files spreadsheets open."""
        return cls(
            f"`spreadsheet=True` needs a `path` that ends in '.csv'; got {_place(path)}. "
            "Leave it out for other formats."
        )


# A request that breaks the protocol comes from a page that loaded another version's front end.
_RELOAD = "Restart the kernel and reload the page, so that both run the same version."


class MessageError(ICEExplorerError, ValueError):
    """A request of the browser that no reply can answer, because it is not one of the protocol."""

    @classmethod
    def unknown_type(cls, got: object, known: Iterable[str]) -> MessageError:
        """Say which requests there are."""
        return cls(f"A request must be of type {', '.join(map(repr, known))}; got {quoted(got)}. {_RELOAD}")

    @classmethod
    def field(cls, request: str, name: str, expected: str, got: object) -> MessageError:
        """Say what a field of a request must hold."""
        return cls(f"{name!r} of a request {request!r} must be {expected}; got {quoted(got)}. {_RELOAD}")

    @classmethod
    def entry(cls, request: str, field: str, got: object, known: Iterable[str]) -> MessageError:
        """Say which entries a field of a request has."""
        return cls(
            f"{field!r} of a request {request!r} must have no other entries than {', '.join(map(repr, known))}; "
            f"got {quoted(got)}. {_RELOAD}"
        )


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
    "OutputError",
    "PredictionError",
    "UnknownFeatureError",
    "UnknownNameError",
    "UnknownOptionError",
]


def __dir__() -> list[str]:
    return __all__
