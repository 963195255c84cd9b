"""What a model can be asked, in the words of scikit-learn, whatever its library calls them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Returns = Literal["probabilities", "log-odds", "scores", "labels", "numbers"]


@dataclass(frozen=True)
class Way:
    """One way of asking a model.

    Attributes
    ----------
    ask : callable
        Rows in the container of X -> what the model returns.
    returns : {"probabilities", "log-odds", "scores", "labels", "numbers"}
        What that is; labels are those of classes. Log-odds come in a column per class.
    name : str
        The method, for messages; "model" for the model called as a function.
    """

    ask: Callable[[Any], Any]
    returns: Returns
    name: str


@dataclass(frozen=True)
class Source:
    """A model as something to ask.

    Attributes
    ----------
    ways : mapping of str to Way
        By response, the one that "auto" takes first.
    classes : object
        Class labels, as scikit-learn's `classes_`: a list of arrays where there are several outputs;
        None where the model does not say, or has none.
    exclusive : bool or None
        Whether a row is of one class only; None where that is still to be seen.
    """

    ways: Mapping[str, Way]
    classes: Any = None
    exclusive: bool | None = None


def source_of_estimator(model: Any) -> Source:
    """Read an object that has scikit-learn's methods."""
    classes = getattr(model, "classes_", None)
    if classes is not None and len(classes) == 0:  # of CatBoost's regressors
        classes = None
    tells_classes = classes is not None or hasattr(model, "predict_proba")
    order = ("predict_proba", "decision_function", "predict") if tells_classes else ("predict", "decision_function")
    returns: dict[str, Returns] = {
        "predict_proba": "probabilities",
        "decision_function": "scores",
        "predict": "labels" if tells_classes else "numbers",
    }
    ways = {name: Way(getattr(model, name), returns[name], name) for name in order if hasattr(model, name)}
    return Source(ways, classes)


def source_of_function(function: Callable[[Any], Any]) -> Source:
    """Read a plain function of X, which is asked in one way only."""
    return Source({"callable": Way(function, "numbers", "model")})
