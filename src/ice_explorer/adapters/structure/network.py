"""Neural networks of dense layers: weights, biases, activations, link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ice_explorer.adapters.models.link import Link
from ice_explorer.adapters.structure.unreadable import OtherFormError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

Activation = Literal["identity", "relu", "tanh"]  # the first where no layer is hidden


@dataclass(frozen=True, eq=False)
class NetworkModel:
    """Output = link(… activation(activation(x · weights₀ + biases₀) · weights₁ + biases₁) …).

    - `weights` (n_in, n_out) each: by layer; the last one gives the margins.
    - `biases` (n_out,) each.
    - `activation`: of all layers but the last.
    - `is_single`: whether the library counts in single precision where rows come in it.
    """

    weights: tuple[Array, ...]
    biases: tuple[Array, ...]
    activation: Activation
    link: Link
    is_single: bool


def network_model(model: Any, position: int | None, response: str) -> NetworkModel:
    """Read the layers of a fitted network of scikit-learn.

    - `model`: MLPRegressor or MLPClassifier.
    - `position`: which class, label or output; None takes the only output, or the second of two classes.
    - `response`: as `Predictor.response`.
    - raises OtherFormError: if the model is no such network, or its response is no function of its margins.
    """
    bases = {base.__name__ for base in type(model).__mro__ if base.__module__.startswith("sklearn.")}
    if not type(model).__module__.startswith("sklearn.") or "BaseMultilayerPerceptron" not in bases:
        raise OtherFormError.model(model, "neural network")
    weights = [np.asarray(layer, np.float64) for layer in model.coefs_]
    biases = [np.asarray(layer, np.float64) for layer in model.intercepts_]
    activation: Activation = model.activation
    if model.activation == "logistic":
        activation = "tanh"
        weights, biases = _as_tanh(weights, biases)
    elif model.activation == "identity":
        weights, biases = _as_one(weights, biases)
    elif model.activation not in ("relu", "tanh"):
        raise OtherFormError(f"The activation {model.activation} is not supported.")
    link, factor, chosen = _output(model, position, response)
    weights[-1], biases[-1] = factor * weights[-1][:, chosen], factor * biases[-1][chosen]
    is_single = all(layer.dtype == np.float32 for layer in (*model.coefs_, *model.intercepts_))
    return NetworkModel(tuple(weights), tuple(biases), activation, link, is_single)


def _as_tanh(weights: list[Array], biases: list[Array]) -> tuple[list[Array], list[Array]]:
    """Write a network of logistic units as one of hyperbolic tangents: 1 / (1 + exp(-z)) = ½ + ½ tanh(z / 2)."""
    last = len(weights) - 1
    changed = []
    for at, (layer, bias) in enumerate(zip(weights, biases, strict=True)):
        # What comes from tangents is halved and moved by a half, what goes into them is halved.
        of_units = (layer, bias) if at == 0 else (0.5 * layer, bias + 0.5 * layer.sum(axis=0))
        changed.append(of_units if at == last else (0.5 * of_units[0], 0.5 * of_units[1]))
    return [layer for layer, _ in changed], [bias for _, bias in changed]


def _as_one(weights: list[Array], biases: list[Array]) -> tuple[list[Array], list[Array]]:
    """Write layers whose units stay what they are as one."""
    whole, bias = weights[0], biases[0]
    for layer, of_layer in zip(weights[1:], biases[1:], strict=True):
        whole, bias = whole @ layer, bias @ layer + of_layer
    return [whole], [bias]


def _output(model: Any, position: int | None, response: str) -> tuple[Link, float, slice]:
    """Return the link, the sign of the margins, and which of them count."""
    last, n_margins = model.out_activation_, model.n_outputs_
    if not hasattr(model, "classes_"):
        chosen = slice(None) if position is None else slice(position, position + 1)
        if last == "identity":
            return Link(), 1.0, chosen
        if last == "exp":
            return Link("exp"), 1.0, chosen
        raise OtherFormError.link(str(last))
    if last == "softmax" and response in ("predict_proba", "log_odds"):
        kind: Literal["softmax", "softmax_log_odds"] = "softmax" if response == "predict_proba" else "softmax_log_odds"
        return Link(kind, output=n_margins - 1 if position is None else position), 1.0, slice(None)
    if last == "logistic" and response in ("predict_proba", "log_odds"):
        link = Link("sigmoid") if response == "predict_proba" else Link()
        if n_margins == 1:
            return link, -1.0 if position == 0 else 1.0, slice(None)
        at = position or 0  # of labels, each with a margin of its own
        return link, 1.0, slice(at, at + 1)
    raise OtherFormError.response(model, response)
