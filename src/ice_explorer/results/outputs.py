"""The same rows for every class of a classifier, or every output of a model.

Each class has a plan of its own, made when it is first needed: methods read the model for one output at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.locks import Lock

if TYPE_CHECKING:
    from collections.abc import Callable

    from ice_explorer.arrays import Array, Rows
    from ice_explorer.plan import Plan
    from ice_explorer.tables.column import Name


MOST_SHOWN = 8


@dataclass(frozen=True, eq=False)
class ClassLines:
    """Curves of some rows for several classes.

    - `outputs`: which classes: all in their own order, or those most probable for these rows where there are too many.
    - `explained`: which of them the explanation is of.
    - `n_outputs`: how many the model has.
    - `curves` (n_shown, n_rows, n_grid).
    """

    outputs: tuple[str, ...]
    explained: int
    n_outputs: int
    curves: Array


class Classes:
    """Curves of every class, computed on demand; `plan_of` makes the plan of another output."""

    def __init__(self, plan: Plan, plan_of: Callable[[object], Plan]) -> None:
        self._plan = plan
        self._plan_of = plan_of
        self._plans: dict[object, Plan] = {plan.settings.output: plan}
        self._lock = Lock()  # a file may be written while the browser is answered

    @property
    def n_shown(self) -> int:
        """How many classes `lines` returns."""
        return min(len(self._plan.outputs), MOST_SHOWN)

    def lines(self, feature: Name, positions: Rows) -> ClassLines:
        """Compute the curves of some rows for each class, (n_classes, n_rows, n_grid)."""
        self._plan.check_unchanged(feature)
        outputs, own = self._plan.outputs, self._plan.settings.output
        shown: list[Any] = list(outputs)
        if len(outputs) > MOST_SHOWN:
            means = self._plan.output_means(positions)
            likeliest = np.argsort(-means, kind="stable")[:MOST_SHOWN].tolist()
            at = outputs.index(own)
            if at not in likeliest:
                likeliest[-1] = at
            shown = [outputs[place] for place in likeliest]
        with self._lock:
            curves = np.stack([self._plan_for(output).lines(feature, positions) for output in shown])
        label_of = dict(zip(outputs, self._plan.output_labels, strict=True))
        return ClassLines(tuple(label_of[output] for output in shown), shown.index(own), len(outputs), curves)

    def _plan_for(self, output: object) -> Plan:
        if output not in self._plans:
            self._plan.check_unchanged()
            self._plans[output] = self._plan_of(output)
        return self._plans[output]
