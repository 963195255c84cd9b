"""State shared by all features of an explanation: resolved options, data and model."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ice_explorer.checks import check_positions
from ice_explorer.errors import ModelNeededError, OptionError, PredictionError
from ice_explorer.errors.base import counted
from ice_explorer.features.grid import feature_seed
from ice_explorer.features.sampling import draw_stratified
from ice_explorer.metrics.likelihood import standard_deviation

_SATURATED = 0.01  # distance of a probability from 0 or 1

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ice_explorer.arrays import Array, Rows
    from ice_explorer.curves.brute import BruteCurves
    from ice_explorer.curves.prediction_check import PredictionCheck
    from ice_explorer.features.columns import Columns
    from ice_explorer.models.predict import Predictor
    from ice_explorer.progress import Progress
    from ice_explorer.results.options import Settings
    from ice_explorer.tables.table import Table


LEAST_BYTES = 64_000_000  # for blocks, and for arrays that are read, whatever the limit
_FEWEST_AT_A_TIME = 1024  # rows that are predicted together, whatever they take


@dataclass(frozen=True, eq=False)
class Context:
    """What all features share.

    - `bytes_for_blocks`: what the columns leave of `memory_limit`.
    - `n_summed`: rows that metrics are of, where they are more than those of the table.
    - `origin`: where the file comes from that an explanation was opened from; it has no model then.
    """

    table: Table
    columns: Columns
    weights: Array | None
    predictor: Predictor
    settings: Settings
    brute: BruteCurves
    prediction_check: PredictionCheck
    progress: Progress
    bytes_for_blocks: int
    n_summed: int | None = None
    origin: Mapping[str, Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave out a progress function, which belongs to the process of its user."""
        return vars(self) | {"progress": None if callable(self.progress) else self.progress}

    @property
    def n_explained(self) -> int:
        """Rows that metrics are of, at hand or not."""
        return self.table.n_observations if self.n_summed is None else self.n_summed

    @property
    def has_all_rows(self) -> bool:
        """Whether the rows that were explained are at hand."""
        return self.table.n_observations == self.n_explained

    @property
    def row_count(self) -> str:
        """How many rows were explained, and how many of them are at hand where that is not all."""
        n_rows = self.table.n_observations
        text = counted(n_rows, "observation")
        return text if self.has_all_rows else f"{n_rows:,} of {self.n_explained:,} observations"

    def check_model(self, what: str) -> None:
        """Raise if there is no model; `what` begins the sentence: "Intervals need"."""
        if self.origin is not None:
            raise ModelNeededError.predictions(what)

    def check_size(self, what: str, n_rows: int, n_grid: int, n_bytes: int = 8) -> None:
        """Raise if numbers for rows and grid values take more than the memory limit, of at least 64 MB."""
        size, limit = n_bytes * n_rows * n_grid, max(self.settings.memory_limit, LEAST_BYTES)
        if size > limit:
            raise OptionError(
                f"`memory_limit` must be at least the size of what is read; {what} of {n_rows:,} rows × {n_grid:,} "
                f"grid values take {size / 1e9:.3g} GB, the limit is {limit / 1e9:.3g} GB.",
                "Read those of some rows: `f.compute_curves(rows)`, or `rows=` of `likelihood`, `extrapolation` and "
                "`to_frame`; or explain with a larger `memory_limit`.",
            )

    def check_all_rows(self, what: str) -> None:
        """Raise if some of the rows that were explained are not at hand; `what` as for `check_model`."""
        if self.has_all_rows:
            return
        rows = f"{self.table.n_observations:,} of {self.n_explained:,} rows"
        if self.origin is None:
            raise ModelNeededError(
                f"{what} the curves of all rows; this explanation has those of {rows}, the others are on a cluster.",
                "Explain rows that fit into memory: `explain(model, X.sample(frac=0.01).compute())`.",
            )
        raise ModelNeededError(
            f"{what} the curves of all rows; this explanation was opened from a file with {rows}.",
            f"Explain the model again, or save all rows: `e.save('result.ice', max_lines={self.n_explained})`.",
        )

    def with_distance(self, distance: str) -> Context:
        """Return the same with another distance in the settings; it shares what was computed."""
        other = copy.copy(self)
        object.__setattr__(other, "settings", replace(self.settings, distance=distance))
        return other

    @cached_property
    def row_weights(self) -> Array:
        """Weight of every row, 1 where none were given."""
        return np.ones(self.table.n_observations) if self.weights is None else self.weights

    @cached_property
    def everything(self) -> Rows:
        """Positions of all rows."""
        return np.arange(self.table.n_observations)

    @cached_property
    def weighted_rows(self) -> Rows:
        """Rows that have weight."""
        return self.everything if self.weights is None else np.flatnonzero(self.weights > 0)

    def positions(self, given: object, option: str = "positions") -> Rows:
        """Return positions of rows of X, given as such or as a boolean mask.

        - raises OptionError: if they are neither, or belong to another index.
        """
        return check_positions(given, self.table.n_observations, option, self.table.index)

    def draw(self, values: Array, rows: Rows, size: int, purpose: str, *, by_weight: bool = False) -> Rows:
        """Draw rows that cover values evenly, as `draw_stratified` does, by the seed of a purpose."""
        generator = feature_seed(self.settings.random_state, purpose)
        return draw_stratified(values, rows, size, generator, self.weights if by_weight else None)

    def predictions(self, positions: Rows) -> Array:
        """Predict some observations as they are, (n_rows,) [output], a block of them at a time.

        - raises PredictionError: if the model fails or changed, or a prediction is no finite number.
        """
        self.prediction_check.check()
        size = max(self.brute.rows_per_block(1), _FEWEST_AT_A_TIME)
        predicted = np.empty(len(positions))
        for start in range(0, len(positions), size):
            block = positions[start : start + size]
            try:
                predicted[start : start + size] = of_block = self.brute.predict_rows(block)
            except PredictionError:
                raise
            except Exception as error:
                raise PredictionError.failed_on_rows(error) from error
            wrong = np.flatnonzero(~np.isfinite(of_block))
            if wrong.size:
                value, row = float(of_block[wrong[0]]), int(block[wrong[0]])
                if np.isinf(value) and self.settings.response == "log_odds":
                    raise PredictionError.certain(f"row {row} of X", 0 if value < 0 else 1)
                raise PredictionError(
                    f"The model must return finite numbers; it returned {value!r} for row {row} of X.",
                    "Leave such rows out, or use another `response`.",
                )
        return predicted

    @cached_property
    def all_predictions(self) -> Array:
        """Predictions of all observations, (n_observations,) [output]."""
        return self.predictions(self.everything)

    @property
    def is_saturated(self) -> bool:
        """Whether most of the predictions that were tried are probabilities within 0.01 of 0 or 1, and none is either.

        Log-odds of 0 and 1 are infinite.
        """
        if self.settings.response != "predict_proba":
            return False
        near = np.minimum(self.prediction_check.predicted, 1.0 - self.prediction_check.predicted)
        return bool((near > 0).all() and np.count_nonzero(near < _SATURATED) > len(near) / 2)

    @cached_property
    def prediction_sd(self) -> float:
        """Standard deviation of the predictions of all observations that have weight, ddof=0 [output]."""
        if self.weights is None:
            return standard_deviation(self.all_predictions)
        return standard_deviation(self.predictions(self.weighted_rows), self.weights[self.weighted_rows])
