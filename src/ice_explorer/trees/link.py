"""Functions from margins to the output of a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, assert_never

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

LinkKind = Literal["identity", "exp", "sigmoid", "softmax", "softmax_log_odds", "logit", "isolation"]

_KINDS: Mapping[str, tuple[LinkKind, ...]] = {
    "predict_proba": ("sigmoid", "softmax"),
    "log_odds": ("identity", "softmax_log_odds"),
    "decision_function": ("identity",),
    "predict": ("identity", "exp", "sigmoid", "softmax"),
}


@dataclass(frozen=True)
class Link:
    """A function from the margins of a row to one output.

    - `kind`: "identity"; "exp"; "sigmoid", 1 / (1 + exp(-m)); "softmax", the share of one of several margins;
      "softmax_log_odds", its log-odds; "logit", log-odds of a margin that is a probability; "isolation", -2⁻ᵐ minus
      `offset`.
    - `output`: the margin that the output belongs to.
    - `offset`: what "isolation" subtracts.
    - `resolution`: of "logit": a probability closer than this to 0 or 1 is 0 or 1, because only rounding puts a sum of
      leaves there. The library gets infinite log-odds in the same places.
    """

    kind: LinkKind = "identity"
    output: int = 0
    offset: float = 0.0
    resolution: float = 0.0

    def apply(self, margins: NDArray[np.float64]) -> NDArray[np.float64]:  # noqa: PLR0911 - one per kind
        """Turn margins (n_margins, …) into outputs (…)."""
        m: NDArray[np.float64] = margins[self.output]
        match self.kind:
            case "identity":
                return m
            case "exp":
                return np.asarray(np.exp(m))
            case "sigmoid":
                with np.errstate(over="ignore"):
                    odds = np.asarray(np.exp(-m))
                odds += 1.0
                return np.asarray(np.divide(1.0, odds, out=odds))  # in place: new memory takes longer than dividing
            case "softmax":
                shifted = np.exp(margins - margins.max(axis=0))
                return np.asarray(shifted[self.output] / shifted.sum(axis=0))
            case "softmax_log_odds":
                others = np.delete(margins, self.output, axis=0)
                highest = others.max(axis=0)
                return np.asarray(m - (highest + np.log(np.exp(others - highest).sum(axis=0))))
            case "logit":
                p = np.where(m < self.resolution, 0.0, np.where(m > 1.0 - self.resolution, 1.0, m))
                with np.errstate(divide="ignore"):
                    return np.asarray(np.log(p) - np.log1p(-p))
            case "isolation":
                return np.asarray(-np.exp2(-m) - self.offset)
        assert_never(self.kind)


def list_links(response: str, n_margins: int, position: int | None) -> list[tuple[Link, float]]:
    """Return links that a response may have, each with a sign of the margins.

    - `position`: of the class or output; the first of two classes has the margin of the second with the other sign.
    """
    if n_margins == 1:
        signs = (1.0, -1.0) if position == 0 else (1.0,)
        return [(Link(kind), sign) for kind in _KINDS.get(response, ()) if "softmax" not in kind for sign in signs]
    output = position or 0
    return [(Link(kind, output=output), 1.0) for kind in _KINDS.get(response, ()) if output < n_margins]
