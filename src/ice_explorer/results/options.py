"""The options of `explain`: defaults and validation."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np

from ice_explorer.checks import check_decay, check_integer, check_one_of, is_number, to_float_array
from ice_explorer.errors import OptionError
from ice_explorer.errors.base import counted, or_listed
from ice_explorer.features.feature import GRID_NAMES
from ice_explorer.metrics.ordered import CONVENTIONS
from ice_explorer.runtime import can_start_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike

    from ice_explorer.explanation import Explanation
    from ice_explorer.features.columns import Group
    from ice_explorer.features.feature import GridName
    from ice_explorer.metrics.ordered import Convention
    from ice_explorer.models.predict import Response
    from ice_explorer.tables.column import Name

MethodName = Literal["auto", "brute", "tree", "linear", "kernel"]
METHODS: tuple[MethodName, ...] = get_args(MethodName)
Unit = Literal["prediction", "sd", "share"]
UNITS: tuple[Unit, ...] = get_args(Unit)
Kind = Literal["ice", "c-ice", "d-ice"]
KINDS: tuple[Kind, ...] = get_args(Kind)
PlotKind = Literal["ice", "c-ice", "d-ice", "effects"]
SCALES: Final = ("marginal", "conditional")
"""Units of the distance from the observed value that have names."""
RankBy = Literal["impact", "in_distribution_impact", "heterogeneity", "non_linearity", "missing_impact", "disagreement"]
RANKINGS: tuple[RankBy, ...] = get_args(RankBy)
OF_MODELS: Final[RankBy] = "disagreement"
METRIC_RANKINGS: tuple[RankBy, ...] = RANKINGS[:-1]
"""Those that one model is enough for: they are columns of its table."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Options:
    """The options of `explain` and their defaults; its docstring says what each means.

    `explain` spells them out for those who call it, and a test holds its signature to this class. What needs neither
    model nor data is checked here, the rest where these are known.
    """

    features: Sequence[Name] | None = None
    groups: Mapping[Name, Group] | Literal["auto"] | None = None
    categorical_features: Sequence[Name] | None = None
    output: object = None
    response: Response = "auto"
    grid: GridName | Mapping[Name, ArrayLike] | Explanation = "observed"
    grid_size: int | None = None
    sample: float | None = None
    random_state: int = 0
    sample_weight: ArrayLike | None = None
    decay: float = 0.75
    distance: Literal["marginal", "conditional"] | Mapping[Name, ArrayLike] = "marginal"
    convention: Convention = "step"
    method: MethodName = "auto"
    n_jobs: int | None = None
    memory_limit: str | float = "1GB"
    progress: bool | Callable[[int, int, str], object] | None = None
    budget: float | None = None

    def __post_init__(self) -> None:
        for name, check in _CHECKS.items():
            check(getattr(self, name))

    @property
    def reference(self) -> Any:
        """The explanation whose features, groups, grids and scales are used; None where there is none."""
        return self.grid if hasattr(self.grid, "settings") else None

    @property
    def n_threads(self) -> int:
        """How many threads call the model."""
        return check_n_jobs(self.n_jobs)

    @property
    def bytes_in_all(self) -> int:
        """What one block of phantom observations may take."""
        return parse_memory_limit(self.memory_limit)


DEFAULTS: Final[Mapping[str, object]] = {each.name: each.default for each in fields(Options)}
"""Of the options of `explain`, by name."""
OF_EXPLORERS: Final[tuple[str, ...]] = tuple(name for name in DEFAULTS if name != "budget")
"""Those that an explorer has, too: it shows samples of the rows until the result is there."""


OF_REFERENCE: Final = "explanation"
"""The setting `grid` where it was another explanation."""


@dataclass(frozen=True)
class Settings:
    """The options an explanation was made with, resolved."""

    groups: Mapping[Any, Sequence[Any]] | None
    categorical_features: tuple[Any, ...] | None
    output: object
    response: str
    grid: str
    grid_size: int | None
    sample: int | float | None
    random_state: int
    weighted: bool
    decay: float
    distance: str
    convention: Convention
    method: str
    memory_limit: int


def resolve_decay(settings: Settings, decay: float | None) -> float:
    """Return the decay of a table, checked; that of the explanation by default."""
    return settings.decay if decay is None else check_decay(decay)


def _check_values(option: str, words: Sequence[str], got: object) -> None:
    if not isinstance(got, Mapping) and not (isinstance(got, str) and got in words):
        what, advice = f"be {or_listed(words)}, or a mapping of features to values", f"`{option}={{'name': values}}`"
        raise OptionError.must(option, what, got, f"For one feature write {advice}.", known=words)


def check_n_jobs(n_jobs: object) -> int:
    """Turn a number of threads, None for 1 and -1 for all processors, into a count: 1 where there are no threads."""
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, (int, np.integer)) and not isinstance(n_jobs, bool) and (n_jobs >= 1 or n_jobs == -1):
        count = int(n_jobs) if n_jobs >= 1 else os.cpu_count() or 1
        return count if count == 1 or can_start_threads() else 1
    what = "be a number of threads of at least 1, or -1 for one per processor"
    raise OptionError.must("n_jobs", what, n_jobs, "Leave it out for one.")


def check_sample(sample: object, n_observations: int) -> int | None:
    """Turn a count or fraction into a number of rows."""
    if sample is None:
        return None
    if isinstance(sample, (int, np.integer)) and not isinstance(sample, bool) and 1 <= sample <= n_observations:
        return int(sample)
    if isinstance(sample, (float, np.floating)) and 0 < sample < 1:
        return max(1, round(float(sample) * n_observations))
    what = "be a count from 1 to the number of observations or a fraction greater than 0 and less than 1"
    where = f" for {counted(n_observations, 'observation')}"
    raise OptionError.must("sample", what, sample, "Use `sample=None` for all of them.", where=where)


def _check_budget(got: object) -> None:
    if got is not None and not (is_number(got) and 0 < got < math.inf):  # type: ignore[operator]
        what = "be a positive number of seconds"
        raise OptionError.must("budget", what, got, "Leave it out to use all rows, however long that takes.")


def parse_memory_limit(limit: object) -> int:
    """Turn "500MB" or a number of bytes into bytes."""
    number = math.nan
    if isinstance(limit, str):
        match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([kMGT]?i?B)\s*", limit, flags=re.IGNORECASE)
        if match is not None:
            unit = match[2].lower().removesuffix("b")
            base = 1024 if unit.endswith("i") else 1000
            number = float(match[1]) * base ** " kmgt".index(unit[:1] or " ")
    else:
        given = to_float_array(limit) if is_number(limit) else None
        number = math.nan if given is None else float(given)
    if not (math.isfinite(number) and number >= 1):
        what = "be a positive number of bytes or a text such as '500MB' or '2GB'"
        raise OptionError.must("memory_limit", what, limit, "The default is '1GB'.")
    return int(number)


_CHECKS: Final[Mapping[str, Callable[[Any], object]]] = {
    "grid": partial(_check_values, "grid", GRID_NAMES),
    "grid_size": lambda got: check_integer("grid_size", 2 if got is None else got, 2, "Leave it out for the default."),
    "random_state": lambda got: check_integer("random_state", got, 0, "Use `random_state=0` for the default seed."),
    "decay": check_decay,
    "distance": partial(_check_values, "distance", SCALES),
    "convention": lambda got: check_one_of("convention", got, CONVENTIONS),
    "method": lambda got: check_one_of("method", got, METHODS),
    "n_jobs": check_n_jobs,
    "memory_limit": parse_memory_limit,
    "budget": _check_budget,
}
