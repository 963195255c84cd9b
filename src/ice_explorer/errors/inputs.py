"""Errors of inputs: X, the model and other arguments that cannot be used as they are."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from ice_explorer.errors.base import ICEExplorerError, closest, counted, described, did_you_mean, listed, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

# Of tables of Dask, of Spark, on a GPU, of lazy frames and of series; Spark's `collect` gives rows.
_TO_TABLE = ("compute", "toPandas", "to_pandas", "collect", "to_frame")


def _is_name(value: Any) -> bool:
    """Whether a column could have this name: lists, arrays and tables name nothing."""
    return isinstance(value, Hashable)


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


class UnknownFeatureError(ICEExplorerError, KeyError):
    """A name that no feature or column has."""

    def __str__(self) -> str:
        # KeyError would show the repr of the sentence, quotes and all.
        return str(self.args[0])

    @classmethod
    def column(cls, got: object, names: Sequence[object], groups: Sequence[object] = ()) -> UnknownFeatureError:
        """Offer the closest column of X, or group of columns."""
        if not _is_name(got):
            return cls(f"A column of X must be given by its name; got {described(got)}. Columns are {listed(names)}.")
        of_groups = f" Its groups are {listed(groups)}." if groups else ""
        return cls(
            f"No column named {quoted(got)} in X.{did_you_mean(got, [*names, *groups])} "
            f"X has {counted(len(names), 'column')}: {listed(names)}.{of_groups}"
        )

    @classmethod
    def feature(cls, got: object, names: Sequence[object]) -> UnknownFeatureError:
        """Offer the closest explained feature."""
        if not _is_name(got):
            return cls(
                f"A feature must be given by its name; got {described(got)}. "
                f"`e.to_frame([…])` and `e.plot_all()` take several. Features are {listed(names)}."
            )
        there = "There is" if len(names) == 1 else "There are"
        return cls(
            f"No feature named {quoted(got)} was explained.{did_you_mean(got, names)} "
            f"{there} {counted(len(names), 'feature')}: {listed(names)}."
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
    def feature_must(cls, feature: object, what: str, found: str, advice: str) -> InputDataError:
        """Say what a feature must hold, how one is, and what to do."""
        return cls._of(f"A feature must hold {what}; {quoted(feature)} {found}.", advice)

    @classmethod
    def no_kind(cls, feature: object, dtype: object, option: str = "features") -> InputDataError:
        """Say that a column named as a feature holds nothing that an axis is made of."""
        return cls.feature_must(
            feature,
            "numbers, booleans, categories, texts, dates or timedeltas",
            f"has dtype {dtype} and holds other objects",
            f"Leave it out of `{option}=`: it stays available to colour by.",
        )

    @classmethod
    def no_features(cls, names: Sequence[object]) -> InputDataError:
        """Say that no column can be explained."""
        return cls(
            "X must have at least one column that holds numbers, booleans, categories, texts, dates or timedeltas; "
            f"its columns are {listed(names)}. Turn one into such a column in front of the model."
        )

    @classmethod
    def not_as_fitted(cls, fitted: Sequence[object], got: Sequence[object] | int) -> InputDataError:
        """Say which columns a model was fitted on that takes them by position."""
        held = counted(got, "column") if isinstance(got, int) else listed(got)
        constant = (
            " `statsmodels.api.add_constant(X)` puts the constant in front."
            if "const" in fitted and (isinstance(got, int) or "const" not in got)
            else ""
        )
        return cls(
            f"X must have the columns that the model was fitted on, in their order: {listed(fitted)}; got {held}. "
            f"Pass those.{constant}"
        )

    @classmethod
    def columns_of_fit(
        cls, *, missing: Sequence[object], unknown: Sequence[object], names: Sequence[object], advice: str
    ) -> InputDataError:
        """Say which columns are missing, unknown to the model, or in another order than in the fit."""
        if missing:
            gone = f"{listed(missing)} {'is' if len(missing) == 1 else 'are'} missing"
            besides = f", and the model was not fitted on {listed(unknown)}" if unknown else ""
            close = closest(missing[0], unknown)
            what = f"Rename {quoted(close[0])} to {quoted(missing[0])}" if close else "Add what is missing"
            return cls(
                f"X must have the columns that the model was fitted on; {gone}{besides}. X has "
                f"{counted(len(names), 'column')}: {listed(names)}. {what}, and pass the columns in the order of the "
                "fit."
            )
        if unknown:
            return cls(
                "X must have only the columns that the model was fitted on; it was not fitted on "
                f"{listed(unknown)}. Pass `{advice}`."
            )
        return cls(
            "X must have its columns in the order in which the model was fitted on them; it has the same columns in "
            f"another order: {listed(names)}. Pass `{advice}`."
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
        which = f": {listed(names)}" if names else ""
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
    def must(cls, argument: str, what: str, got: object, advice: str) -> InputTypeError:
        """Say what an argument must be, of which type it was, and what to do."""
        return cls(f"{argument} must be {what}; got {type(got).__name__}. {advice}")

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
    def model_class(cls, got: type) -> InputTypeError:
        """Say that a class is no model yet."""
        return cls(
            f"model must be a fitted model; got the class {got.__name__}. "
            f"Make a model of it and fit that: `{got.__name__}().fit(X, y)`."
        )

    @classmethod
    def explorer(cls, got: object, *, or_explanation: bool, is_explanation: bool) -> InputTypeError:
        """Say what a companion follows."""
        what = "an ICEExplorer or an Explanation" if or_explanation else "an ICEExplorer"
        call = "ice.ICEExplorer(explanation)" if is_explanation else "ice.ICEExplorer(model, X)"
        return cls(f"A figure of bqplot is one of {what}; got {type(got).__name__}. Pass `{call}`.")
