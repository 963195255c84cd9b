"""Numbers of an axis: as the explorer writes them, with the same decimals and real minus signs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import AutoLocator, Formatter, MaxNLocator

from ice_explorer.features.axis_text import number_format

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axis import Axis


class Numbers(Formatter):
    """Write the ticks of an axis alike, with a separator of thousands."""

    def __init__(self, separator: str = ",") -> None:
        super().__init__()
        self._separator = separator

    def __call__(self, x: float, pos: int | None = None) -> str:  # noqa: ARG002 - of Matplotlib
        """Write one of the ticks."""
        axis: Any = self.axis
        return self.format_ticks([*axis.get_majorticklocs(), x])[-1]

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """Write them all, to the decimals of their least distance."""
        places = np.unique(values)
        step = float(np.diff(places).min(initial=np.inf))
        largest = float(np.abs(places).max(initial=0.0))
        write = number_format(largest, step if np.isfinite(step) else 1.0, separator=self._separator)
        return [write(value) for value in values]


class Within(AutoLocator):
    """Ticks where curves are drawn: beside the strips at the foot and the legend numbers say nothing."""

    def __init__(self, low: float, high: float) -> None:
        super().__init__()
        self.ends = low, high

    @classmethod
    def restrict(cls, axis: Axis, low: float, high: float) -> None:
        """Have no ticks beyond some values, nor beyond those of earlier curves; a locator of the user stays."""
        before = axis.get_major_locator()
        if isinstance(before, cls):
            low, high = min(low, before.ends[0]), max(high, before.ends[1])
        elif type(before) not in (AutoLocator, MaxNLocator):
            return
        axis.set_major_locator(cls(low, high))

    def tick_values(self, vmin: float, vmax: float) -> Any:
        """Return the usual ticks that are within."""
        found = np.asarray(super().tick_values(vmin, vmax))
        low, high = self.ends
        room = 1e-9 * (high - low)
        within = found[(found >= low - room) & (found <= high + room)]
        return within if len(within) > 1 else found
