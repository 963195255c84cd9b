"""Every error the package raises. A message says what must hold, what we got, where, and what to do.

Six classes are public. The others are subclasses of `OptionError` that exist where a protocol of Python needs a
KeyError, an AttributeError or an ImportError.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from ice_explorer.errors.base import ICEExplorerError, cause_of, counted, described, did_you_mean, listed, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["Cancelled", "DataError", "ICEExplorerError", "ModelNeededError", "OptionError", "PredictionError"]


class Cancelled(ICEExplorerError):  # noqa: N818 - not a mistake of anyone's, like KeyboardInterrupt
    """The computation was stopped by the user before it finished."""


class OptionError(ICEExplorerError, ValueError):
    """An option, a name or a path cannot be used, or a package that it needs is not installed."""

    @classmethod
    def must(
        cls, option: str, what: str, got: object, advice: str, *, where: str = "", known: Iterable[object] = ()
    ) -> OptionError:
        """Return the error for an option that must be what it is not; the closest of the known names is offered."""
        return cls(f"`{option}` must {what}; got {quoted(got)}{where}.{did_you_mean(got, known)}", advice)

    @classmethod
    def unknown(cls, function: str, option: str, known: Sequence[str]) -> OptionError:
        """Return the error for a keyword that a function does not have."""
        facts = f"{function}() has no option {quoted(option)}.{did_you_mean(option, known)}"
        return cls(facts, f"Its options are {', '.join(known)}.")

    @classmethod
    def no_features(cls, option: str = "features", advice: str = "Leave it out for all of them.") -> OptionError:
        """Return the error for an empty list of features."""
        return cls(f"`{option}` must name at least one feature; got an empty list.", advice)

    @classmethod
    def no_slopes(cls, feature: object) -> OptionError:
        """Return the error for slopes between levels that have no order."""
        return cls(
            f"Slopes need a feature with an order; {quoted(feature)} is an unordered category.",
            "Use `centered_curves`, the change of each curve since one of the levels.",
        )

    @classmethod
    def scale_values(cls, feature: object, problem: str) -> OptionError:
        """Return the error for the likelihood scale of one feature."""
        return cls(
            "`distance` must give positive finite standard deviations, one number or one per observation; "
            f"{problem} as the distance of {quoted(feature)}.",
            'Use `distance="marginal"` for the standard deviation of the column.',
        )

    @classmethod
    def needs_models(cls, given: str, instead: str = "") -> OptionError:
        """Return the error for what only several models have."""
        advice = f"Call `ICEExplorer({{name: model, …}}, X)` for several{instead}."
        return cls(f"`{given}` needs several models; there is one.", advice)


class DataError(ICEExplorerError, ValueError):
    """X, y, the weights, the model or the content of a file cannot be used."""

    @classmethod
    def feature_must(cls, feature: object, what: str, problem: str, advice: str) -> DataError:
        """Return the error for a feature that cannot be explained."""
        return cls(f"A feature must hold {what}; {quoted(feature)} {problem}.", advice)


class PredictionError(ICEExplorerError, ValueError):
    """The model failed, or returned what cannot be a prediction.

    Attributes
    ----------
    explanation : Explanation or None
        Of the features that `explain` had computed before the model failed; None where there is none.
    resume : callable or None
        Computes the features that are missing and returns the whole `Explanation`; what is computed is not computed
        again. In a notebook the error that was shown last is `sys.last_value`.
    """

    explanation: object = None
    resume: Callable[[], object] | None = None

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        """Pickle the message alone: what is kept of an explanation stays where its model is."""
        return type(self), self.args

    @classmethod
    def failed_on_rows(cls, error: Exception) -> PredictionError:
        """Return the error for a model that cannot predict X itself."""
        return cls(
            f"The model failed on the first rows of X: {cause_of(error)}",
            "Check that it is fitted and that X is what it was fitted on.",
        )

    @classmethod
    def certain(cls, where: str, probability: int) -> PredictionError:
        """Return the error for a probability of 0 or 1, which has no log-odds."""
        return cls(
            "Log-odds need probabilities between 0 and 1; the model returned a probability of "
            f"{probability} for {where}.",
            'Use `response="predict_proba"`, or pass a function that keeps probabilities from 0 and 1, for example '
            "`lambda X: logit(model.predict_proba(X)[:, 1].clip(0.001, 0.999))` with `scipy.special.logit`.",
        )


class ModelNeededError(PredictionError):
    """The explanation was opened from a file or a pickle, and the request needs its model or more rows of X."""

    @classmethod
    def predictions(
        cls, what: str, reason: str = "this explanation was opened from a file, which holds none"
    ) -> ModelNeededError:
        """Return the error for what needs predictions that are not in a file or pickle."""
        return cls(f"{what} the model; {reason}.", "Explain the model again with `explain`.")


class UnknownFeatureError(OptionError, KeyError):
    """A name that no feature or column has; a KeyError because `Mapping.get` expects one."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would show the repr of the sentence, quotes and all

    @classmethod
    def feature(cls, got: Any, names: Sequence[object]) -> UnknownFeatureError:
        """Return the error for a feature that was not explained, with the closest one."""
        if not isinstance(got, Hashable):  # lists, arrays and tables name nothing
            return cls(
                f"A feature must be given by its name; got {described(got)}.",
                f"`e.to_frame([…])` and `e.plot([…])` take several. Features are {listed(names)}.",
            )
        be = "There is" if len(names) == 1 else "There are"
        return cls(
            f"No feature named {quoted(got)} was explained.{did_you_mean(got, names)}",
            f"{be} {counted(len(names), 'feature')}: {listed(names)}.",
        )


class UnknownAttributeError(OptionError, AttributeError):
    """The package has no such name, or an explorer none that can be set; an AttributeError because `hasattr` is."""

    def __init__(self, facts: str = "", advice: str = "") -> None:
        super().__init__(facts, advice)
        self.name = self.obj = None  # set, so that Python does not offer the closest name once more


class MissingPackageError(OptionError, ImportError):
    """An optional package is needed and not installed; an ImportError, as importing it would raise."""

    @classmethod
    def extra(cls, what: str, package: str, extra: str) -> MissingPackageError:
        """Return the error for a missing package, with the extra that installs it."""
        return cls(f"{what} needs {package}, which is not installed.", f"Run `pip install 'ice-explorer[{extra}]'`.")


def missing_front_end(path: object) -> ICEExplorerError:
    """Return the error for a source checkout without a build."""
    return ICEExplorerError(
        f"The explorer needs its built front end; there is none at {path}.",
        "In a source checkout run `npm ci && npm run build` in js/, or install the released package.",
    )


ICEExplorerError.__module__ = __name__  # tracebacks and pickles name the public module


def __dir__() -> list[str]:
    return __all__
