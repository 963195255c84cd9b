"""Errors of predictions: the model failed, returned no numbers, or has several outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ice_explorer.errors.base import ICEExplorerError, cause_of, counted, did_you_mean, listed, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_OUTPUTS_SHOWN = 30  # outputs: whoever must choose one wants to see them


class OutputError(ICEExplorerError, ValueError):
    """The model has several outputs and none, or an unknown one, was chosen."""

    @classmethod
    def needed(cls, what: str, choices: Sequence[object]) -> OutputError:
        """Say that one of several outputs must be chosen."""
        others = f" (or {listed(choices[1:], _OUTPUTS_SHOWN)})" if len(choices) > 1 else ""
        return cls(
            f"The model returns {len(choices)} {what}, so one must be chosen. "
            f"Pass `output={quoted(choices[0])}`{others}."
        )

    @classmethod
    def unknown(cls, got: object, choices: Sequence[object], *, by_position: bool) -> OutputError:
        """Say which outputs there are."""
        positions = f", or a position from 0 to {len(choices) - 1}" if by_position else ""
        return cls(
            f"`output` must be one of {listed(choices, _OUTPUTS_SHOWN)}{positions}; "
            f"got {quoted(got)}.{did_you_mean(got, choices)}"
        )

    @classmethod
    def unknown_of_several(cls, got: object, choices: Sequence[object]) -> OutputError:
        """Say which classes of which outputs there are."""
        return cls(
            f"`output` must be an output and one of its classes, {listed(choices, _OUTPUTS_SHOWN)}; got "
            f"{quoted(got)}. For example `output={quoted(choices[-1])}`."
        )

    @classmethod
    def not_predicted(cls, got: object, choices: Sequence[object]) -> OutputError:
        """Say which labels a model predicts that does not list them."""
        return cls(
            f"`output` must be a label that the model predicts for the first rows it is asked for, "
            f"{listed(choices, _OUTPUTS_SHOWN)}; got {quoted(got)}.{did_you_mean(got, choices)} "
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
            f"The model failed on the first rows of X: {cause_of(error)} "
            "Check that it is fitted and that X is what it was fitted on."
        )

    @classmethod
    def failed_while(cls, what: str, error: Exception) -> PredictionError:
        """Return the error for a model that raised outside of `predict`."""
        return cls(f"The model failed while it {what}: {cause_of(error)} Check `y` and `scoring`.")

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
            f"The model failed on rows that it predicted before: {cause_of(error)} "
            "Repeat this when the model works again; explain it again if it was changed."
        )

    @classmethod
    def failed_on_phantoms(cls, feature: object, where: str, error: Exception) -> PredictionError:
        """Name the feature, the grid value and the row on which the model raised."""
        return cls._of(
            f"The model failed on phantom observations of {quoted(feature)} ({where}): {cause_of(error)}",
            "Limit the grid with `grid=`, or leave the feature out with `features=`.",
            "Choose another feature in the ranking. For this one, create the explorer with other grid values.",
        )

    @classmethod
    def failed_on_missing(cls, feature: object, error: Exception) -> PredictionError:
        """Say that a model fails where a feature is missing, as it is in some rows of X."""
        return cls(
            f"The model failed where {quoted(feature)} is missing, as it is in rows of X: {cause_of(error)} "
            "Fill missing values, or leave out these rows, for example by `X.dropna()`."
        )

    @classmethod
    def failed_on_row(cls, row: int, error: Exception) -> PredictionError:
        """Say that a model fails on a row of X as it is, so that no changed value is the reason."""
        return cls(
            f"The model failed on row {row} of X as it is: {cause_of(error)} "
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
            f"The model failed: {cause_of(error)} It was predicting phantom observations of {quoted(feature)}, whose "
            "values are not the reason.",
            "Call `explain` again when the model works.",
            'Features that are computed are kept; press "Resume" when the model works.',
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
    def must_return(cls, method: str, what: str, returned: str, advice: str) -> PredictionError:
        """Say what a method of the model must return, and what it returned."""
        return cls(f"{method}() must return {what}; it returned {returned}. {advice}")

    @classmethod
    def wrong_on_phantoms(cls, feature: object, where: str, error: Exception) -> PredictionError:
        """Name the feature, the grid value and the row for which no prediction came back."""
        return cls(f"No predictions of phantom observations of {quoted(feature)} ({where}): {error}")
