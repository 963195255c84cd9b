"""State of an explorer beyond its explanation that figures show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ice_explorer.glossary import explanation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ice_explorer.results.outputs import Classes


@dataclass(frozen=True, eq=False)
class Besides:
    """Content shown in addition to the curves of an explanation.

    Attributes
    ----------
    target : ndarray of shape (n_observations,) or None
        What was observed of what is explained, NaN where missing; None where it was not given.
    target_name : str
        Name of y; "" where it has none.
    classes : Classes or None
        Curves of all outputs; None where the model has one, or is not at hand.
    """

    target: NDArray[np.float64] | None = None
    target_name: str = ""
    classes: Classes | None = None

    @property
    def target_text(self) -> str:
        """What marks of the target are called."""
        return f"observed {self.target_name}" if self.target_name else explanation("target").name
