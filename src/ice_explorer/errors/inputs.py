"""Errors of inputs: X, the model and other arguments that cannot be used as they are."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from ice_explorer.errors.base import ICEExplorerError, counted, described, did_you_mean, listed, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

# Of tables of Dask, of Spark, on a GPU, of lazy frames and of series; Spark's `collect` gives rows.
_TO_TABLE = ("compute", "toPandas", "to_pandas", "collect", "to_frame")


def _is_name(value: Any) -> bool:
    """Whether a column could have this name: lists, arrays and tables name nothing."""
    return isinstance(value, Hashable)


def _as_table(got: object) -> str:
    """Return the advice for making a table of what was passed as X."""
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
        """Return the error for an unknown column, with the closest column or group."""
        if not _is_name(got):
            return cls(
                f"A column of X must be given by its name; got {described(got)}.", f"Columns are {listed(names)}."
            )
        of_groups = f" Its groups are {listed(groups)}." if groups else ""
        return cls(
            f"No column named {quoted(got)} in X.{did_you_mean(got, [*names, *groups])}",
            f"X has {counted(len(names), 'column')}: {listed(names)}.{of_groups}",
        )

    @classmethod
    def feature(cls, got: object, names: Sequence[object]) -> UnknownFeatureError:
        """Return the error for a feature that was not explained, with the closest one."""
        if not _is_name(got):
            return cls(
                f"A feature must be given by its name; got {described(got)}.",
                f"`e.to_frame([…])` and `e.plot([…])` take several. Features are {listed(names)}.",
            )
        there = "There is" if len(names) == 1 else "There are"
        return cls(
            f"No feature named {quoted(got)} was explained.{did_you_mean(got, names)}",
            f"{there} {counted(len(names), 'feature')}: {listed(names)}.",
        )


class InputDataError(ICEExplorerError, ValueError):
    """X holds something that cannot be explained."""

    @classmethod
    def empty(cls, shape: tuple[int, ...]) -> InputDataError:
        """Return the error for a table without rows or columns."""
        return cls(
            f"X must have at least one row and one column; got shape {shape}.",
            "Pass the observations to explain the model on.",
        )

    @classmethod
    def feature_must(cls, feature: object, what: str, found: str, advice: str) -> InputDataError:
        """Return the error for a feature that cannot be explained."""
        return cls(f"A feature must hold {what}; {quoted(feature)} {found}.", advice)

    @classmethod
    def no_kind(cls, feature: object, dtype: object, option: str = "features") -> InputDataError:
        """Return the error for a column of objects that no axis can show."""
        return cls.feature_must(
            feature,
            "numbers, booleans, categories, texts, dates or timedeltas",
            f"has dtype {dtype} and holds other objects",
            f"Leave it out of `{option}=`: it stays available to colour by.",
        )

    @classmethod
    def number_of_columns(cls, n_fitted: int, n_columns: int, names: Sequence[object] = ()) -> InputDataError:
        """Return the error for another number of columns than in the fit, whose names are given if known."""
        which = f" ({listed(names)})" if names else ""
        return cls(
            f"X must have as many columns as the model was fitted on, {n_fitted}{which}; got {n_columns}.",
            "Pass the columns of the fit, in their order.",
        )


class InputTypeError(ICEExplorerError, TypeError):
    """An argument is of a type that cannot work."""

    @classmethod
    def must(cls, argument: str, what: str, got: object, advice: str) -> InputTypeError:
        """Return the error for an argument of another type than it must be."""
        return cls(f"{argument} must be {what}; got {type(got).__name__}.", advice)

    @classmethod
    def table(cls, got: object) -> InputTypeError:
        """Return the error for an X that is no table."""
        name = type(got).__name__
        whose = f" of {type(got).__module__.partition('.')[0]}" if name == "DataFrame" else ""
        return cls(
            f"X must be a DataFrame, a two-dimensional numpy array or a sparse matrix; got {name}{whose}.",
            _as_table(got),
        )
