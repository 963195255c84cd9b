"""Errors of predictions: the model failed, returned no numbers, or has several outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ice_explorer.errors.base import ICEExplorerError, cause_of, counted, quoted

if TYPE_CHECKING:
    from collections.abc import Callable


class OutputError(ICEExplorerError, ValueError):
    """The model has several outputs and none, or an unknown one, was chosen."""

    @classmethod
    def single(cls, got: object) -> OutputError:
        """Return the error for an output of a model that has only one."""
        return cls(
            f"`output` chooses among several outputs; the model has one, got output={quoted(got)}.",
            "Leave `output` out.",
        )


class PredictionError(ICEExplorerError, ValueError):
    """The model failed, or returned what cannot be a prediction.

    Attributes
    ----------
    is_passing : bool
        Whether the same call may work later: the model failed, and not because of the rows that it was to predict.
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
        """Return the error for a model that cannot predict X itself."""
        return cls(
            f"The model failed on the first rows of X: {cause_of(error)}",
            "Check that it is fitted and that X is what it was fitted on.",
        )

    @classmethod
    def not_fitted(cls, model: object, advice: str) -> PredictionError:
        """Return the error for an estimator that is not fitted."""
        return cls(f"model must be fitted; this {type(model).__name__} is not.", advice)

    @classmethod
    def certain(cls, where: str, probability: int) -> PredictionError:
        """Return the error for a probability of 0 or 1, which has no log-odds."""
        return cls(
            "Log-odds need probabilities between 0 and 1; the model returned a probability of "
            f"{probability} for {where}.",
            'Use `response="predict_proba"`, or pass a function that keeps probabilities from 0 and 1, for example '
            "`lambda X: logit(model.predict_proba(X)[:, 1].clip(0.001, 0.999))` with `scipy.special.logit`.",
            'Choose "probability" under "Response".',
        )

    @classmethod
    def wrong_shape(
        cls, method: str, shape: tuple[int, ...], n_rows: int, n_columns: int | None = None
    ) -> PredictionError:
        """Return the error for predictions of another shape."""
        expected = (n_rows,) if n_columns is None else (n_rows, n_columns)
        return cls(
            f"{method}() returned shape {shape} for {counted(n_rows, 'row')}; expected {expected}.",
            "Wrap the model in a function that returns that.",
        )

    @classmethod
    def must_return(cls, method: str, what: str, returned: str, advice: str) -> PredictionError:
        """Return the error for a method of the model that returned no predictions."""
        return cls(f"{method}() must return {what}; it returned {returned}.", advice)


class ModelNeededError(PredictionError):
    """The explanation was opened from a file or a pickle, and the request needs its model or more rows of X."""

    @classmethod
    def predictions(
        cls, what: str, reason: str = "this explanation was opened from a file, which holds none"
    ) -> ModelNeededError:
        """Return the error for what needs predictions that are not in a file or pickle."""
        return cls(
            f"{what} the model; {reason}.",
            "Explain the model again with `explain`.",
            "Create the explorer with the model and X.",
        )
