"""The options of an explanation: what each may be, checked once at the door."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from ice_explorer.errors import InvalidOptionError, counted
from ice_explorer.likelihood import check_decay
from ice_explorer.metrics import CONVENTIONS
from ice_explorer.real import n_masked, real_numbers
from ice_explorer.threads import can_start_threads

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ice_explorer.metrics import Convention

EngineName = Literal["auto", "brute", "tree", "linear", "kernel", "network"]
ENGINES: tuple[EngineName, ...] = ("auto", "brute", "tree", "linear", "kernel", "network")
Unit = Literal["prediction", "sd", "share"]
UNITS: tuple[Unit, ...] = ("prediction", "sd", "share")
_LARGEST_INTEGER: Final = 10**40  # more than any seed of 128 bits; Python itself does not write 4,301 digits


@dataclass(frozen=True)
class Settings:
    """The options an explanation was made with, resolved."""

    groups: Mapping[Any, Sequence[Any]] | None
    categorical: tuple[Any, ...] | None
    output: object
    response: str
    grid: str
    grid_size: int | None
    sample: int | float | None
    random_state: int
    weighted: bool
    decay: float
    scale: str
    like: str | None
    convention: Convention
    engine: str
    memory_limit: int
    keep_curves: bool


def check_one_of(option: str, got: object, choices: Sequence[str]) -> str:
    """Check an option that takes one of some words."""
    if not isinstance(got, str) or got not in choices:  # an array is equal to none of them, and to each
        raise InvalidOptionError.not_one_of(option, got, choices)
    return got


def check_display(decay: object, convention: object) -> None:
    """Check the two options that every table takes."""
    check_decay(decay)
    check_one_of("convention", convention, CONVENTIONS)


def resolve_display(settings: Settings, decay: float | None, convention: Convention | None) -> tuple[float, Convention]:
    """Fill what a table leaves open from the settings, and check the whole."""
    resolved = (
        settings.decay if decay is None else decay,
        settings.convention if convention is None else convention,
    )
    check_display(*resolved)
    return resolved


def check_names(option: str, names: object) -> list[Any]:
    """Return names as a list; one name stands for a list of it."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        return [names]
    if isinstance(names, Mapping):
        raise InvalidOptionError.names(option, names)
    return list(names)


def check_integer(option: str, got: object, minimum: int, advice: str) -> None:
    """Check a count or seed."""
    if isinstance(got, bool) or not isinstance(got, (int, np.integer)) or got < minimum:
        raise InvalidOptionError.not_positive_integer(option, got, minimum, advice)
    if got > _LARGEST_INTEGER:
        raise InvalidOptionError.integer_too_large(option, got, minimum, _LARGEST_INTEGER, advice)


def check_flag(option: str, got: object, *, usual: bool = False) -> bool:
    """Check an option that is on or off."""
    if not isinstance(got, (bool, np.bool_)):
        raise InvalidOptionError.flag(option, got, usual)
    return bool(got)


def check_positions(
    positions: Any, n_observations: int, option: str = "positions", index: Any = None
) -> NDArray[np.int64]:
    """Return positions of rows of X, given as such or as a boolean mask of all rows.

    The index is that of the rows of X, None where they have none. A mask with an index must have the same one; labels
    of rows, as `X.index[mask]` has them, are refused unless they are the positions.
    """
    try:
        if isinstance(positions, Iterable) and not isinstance(positions, np.ndarray):
            wanted = np.asarray(list(positions))
        else:
            wanted = np.asarray(positions)
    except ValueError:  # lists of different lengths
        raise InvalidOptionError.positions(positions, n_observations, option) from None
    if wanted.size == 0:
        return np.empty(0, dtype=np.int64)
    if wanted.ndim == 1 and wanted.dtype.kind == "b" and not n_masked(positions):
        if len(wanted) != n_observations:
            raise InvalidOptionError.mask(len(wanted), n_observations, option)
        check_index(option, "mask", positions, index)
        return np.flatnonzero(wanted)
    if wanted.ndim != 1 or wanted.dtype.kind not in "iu" or n_masked(positions):
        raise InvalidOptionError.positions(positions, n_observations, option)
    outside = wanted[(wanted < 0) | (wanted >= n_observations)]
    if outside.size:
        raise InvalidOptionError.positions(int(outside[0]), n_observations, option)
    is_index = index is not None and hasattr(positions, "get_indexer")  # of pandas
    if is_index and positions.isin(index).any() and not index.take(wanted).equals(positions):
        raise InvalidOptionError.positions(positions, n_observations, option)
    return wanted.astype(np.int64)


def check_static_picture(got: object) -> bool | Literal["wait"]:
    """Check whether there is a picture beside an explorer, or one that is worth waiting for."""
    if isinstance(got, str) and got == "wait":
        return "wait"
    if not isinstance(got, (bool, np.bool_)):
        raise InvalidOptionError.static_picture(got)
    return bool(got)


def check_n_jobs(n_jobs: object) -> int:
    """Turn a number of threads, None for 1 and -1 for all processors, into a count: 1 where there are no threads."""
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, (int, np.integer)) and not isinstance(n_jobs, bool) and (n_jobs >= 1 or n_jobs == -1):
        count = int(n_jobs) if n_jobs >= 1 else os.cpu_count() or 1
        return count if count == 1 or can_start_threads() else 1
    raise InvalidOptionError.n_jobs(n_jobs)


def check_sample(sample: object, n_observations: int) -> int | None:
    """Turn a count or fraction into a number of rows."""
    if sample is None:
        return None
    if isinstance(sample, (int, np.integer)) and not isinstance(sample, bool) and 1 <= sample <= n_observations:
        return int(sample)
    if isinstance(sample, (float, np.floating)) and 0 < sample < 1:
        return max(1, round(float(sample) * n_observations))
    raise InvalidOptionError.sample(sample, n_observations)


def check_index(option: str, what: str, given: object, index: Any) -> None:
    """Refuse a series or table of as many rows as X that has another index: it may be in another order.

    Parameters
    ----------
    option, what : str
        Name of the option, and of the variable in the advice.
    given : object
    index : object
        Labels of the rows of X, None where they have none.
    """
    difference = index_difference(given, index)
    if difference is not None:
        raise InvalidOptionError.another_index(option, what, *difference)


def index_difference(given: object, index: Any) -> tuple[int, object, object] | None:
    """Return the first row whose label differs from that of X, with both labels; None where no index differs."""
    labels: Any = getattr(given, "index", None)
    if index is None or not hasattr(labels, "equals") or len(labels) != len(index) or labels.equals(index):
        return None
    got, expected = labels.tolist(), index.tolist()
    row = next((row for row in range(len(index)) if got[row] != expected[row]), 0)
    return row, got[row], expected[row]


def check_weights(
    sample_weight: ArrayLike | None, n_observations: int, index: Any = None
) -> NDArray[np.float64] | None:
    """Turn frequency weights into an array, or say what is wrong with them.

    The index is that of the rows of X, None where they have none. Weights that have an index must have the same.
    """
    if sample_weight is None:
        return None
    advice = "Leave it out to weigh all observations alike."
    weights = real_numbers(sample_weight)
    if weights is None:
        raise InvalidOptionError.sample_weight_got(sample_weight, advice)
    if weights.shape != (n_observations,):
        given = counted(len(weights), "weight") if weights.ndim == 1 else f"shape {weights.shape}"
        msg = f"got {given} for {counted(n_observations, 'observation')}"
        raise InvalidOptionError.sample_weight(msg, advice)
    check_index("sample_weight", "weights", sample_weight, index)
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if wrong.size:
        row = int(wrong[0])
        msg = f"got {float(weights[row])!r} in row {row}"
        raise InvalidOptionError.sample_weight(msg, advice)
    if weights.sum() <= 1:
        raise InvalidOptionError.sum_of_weights(float(weights.sum()))
    return weights.copy()


def parse_memory_limit(limit: object) -> int:
    """Turn "500MB" or a number of bytes into bytes."""
    if isinstance(limit, str):
        match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([kMGT]?i?B)\s*", limit, flags=re.IGNORECASE)
        if match is None:
            raise InvalidOptionError.memory_limit(limit)
        unit = match[2].lower().removesuffix("b")
        base = 1024 if unit.endswith("i") else 1000
        number = float(match[1]) * base ** " kmgt".index(unit[:1] or " ")
    else:
        is_number = isinstance(limit, (int, float, np.integer, np.floating)) and not isinstance(limit, bool)
        given = real_numbers(limit) if is_number else None
        number = math.nan if given is None else float(given)
    if not (math.isfinite(number) and number >= 1):
        raise InvalidOptionError.memory_limit(limit)
    return int(number)
