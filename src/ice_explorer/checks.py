"""Argument checks shared by public functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ice_explorer.errors import DataError, OptionError
from ice_explorer.errors.base import counted, did_you_mean, or_listed, quoted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ice_explorer.arrays import Array, Rows

LARGEST: Final = 1e140  # of values, predictions and slopes: squares of them and sums of those are numbers, too
_ROUNDING: Final = 1e-9  # of weights that are normalised to sum to 1
_LARGEST_INTEGER: Final = 10**40  # more than any seed of 128 bits; Python itself does not write 4,301 digits


def count_masked(given: object) -> int:
    """Count the values under a mask of `numpy.ma`, also inside lists and tuples."""
    if isinstance(given, list | tuple):
        return sum(count_masked(part) for part in given if isinstance(part, list | tuple | np.ma.MaskedArray))
    return int(np.sum(given.mask)) if isinstance(given, np.ma.MaskedArray) else 0


def to_float_array(given: object) -> Array | None:
    """Turn values into an array of float64; None for dates, imaginary parts, masks and too large whole numbers."""
    try:
        if count_masked(given) or np.asarray(given).dtype.kind in "cmM":
            return None
        return np.asarray(given, dtype=np.float64)
    except (OverflowError, TypeError, ValueError):
        return None


def is_number(given: object) -> bool:
    """Whether this is one number of Python or NumPy, and no boolean."""
    return isinstance(given, int | float | np.integer | np.floating) and not isinstance(given, bool)


def check_one_of(option: str, got: object, choices: Sequence[str]) -> str:
    """Check an option that takes one of some words."""
    if not isinstance(got, str) or got not in choices:  # an array is equal to none of them, and to each
        raise OptionError(
            f"`{option}` must be {or_listed(choices)}; got {quoted(got)}.", did_you_mean(got, choices).lstrip()
        )
    return got


def check_names(option: str, names: object) -> list[Any]:
    """Return names as a list; one name stands for a list of it."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        return [names]
    if isinstance(names, Mapping):
        raise OptionError.must(option, "be a list of names", names, "Pass `list(…)` of it, or leave it out.")
    return list(names)


def check_integer(option: str, got: object, minimum: int, advice: str) -> None:
    """Check a count or seed."""
    if isinstance(got, bool) or not isinstance(got, (int, np.integer)) or got < minimum:
        raise OptionError.must(option, f"be an integer of at least {minimum}", got, advice)
    if got > _LARGEST_INTEGER:
        raise OptionError.must(option, f"be an integer from {minimum} to {_LARGEST_INTEGER:.0e}", got, advice)


def check_decay(decay: object) -> float:
    """Return a decay as a float. Raise if it is not in (0, 1]."""
    if not is_number(decay) or not 0 < decay <= 1:  # type: ignore[operator]  # NaN fails too
        advice = "Use `decay=1` to weight all phantom observations equally."
        raise OptionError.must("decay", "be greater than 0 and at most 1", decay, advice)
    return float(decay)  # type: ignore[arg-type]


def check_flag(option: str, got: object, *, usual: bool = False) -> bool:
    """Check an option that is on or off."""
    if not isinstance(got, (bool, np.bool_)):
        raise OptionError.must(option, "be True or False", got, f"Leave it out for {usual}.")
    return bool(got)


def check_positions(positions: Any, n_observations: int, option: str = "positions", index: Any = None) -> Rows:
    """Return positions of rows of X, given as such or as a boolean mask of all rows.

    The index is that of the rows of X, None where they have none. A mask with an index must have the same one; labels
    of rows, as `X.index[mask]` has them, are refused unless they are the positions.
    """
    is_listed = isinstance(positions, Iterable) and not isinstance(positions, np.ndarray)
    try:
        wanted = np.asarray(list(positions) if is_listed else positions)
    except ValueError:  # lists of different lengths
        raise _no_positions(positions, n_observations, option) from None
    if wanted.size == 0:
        return np.empty(0, dtype=np.int64)
    if wanted.ndim != 1 or wanted.dtype.kind not in "biu" or count_masked(positions):
        raise _no_positions(positions, n_observations, option)
    if wanted.dtype.kind == "b":
        if len(wanted) != n_observations:
            raise OptionError(
                f"`{option}` as a mask must have one value for each of the {n_observations:,} rows of X; "
                f"got {len(wanted):,}.",
                "Pass a mask of these rows, or their positions.",
            )
        check_index(option, "mask", positions, index)
        return np.flatnonzero(wanted)
    outside = wanted[(wanted < 0) | (wanted >= n_observations)]
    if outside.size:
        raise _no_positions(int(outside[0]), n_observations, option)
    is_index = index is not None and hasattr(positions, "get_indexer")  # of pandas
    if is_index and positions.isin(index).any() and not index.take(wanted).equals(positions):
        raise _no_positions(positions, n_observations, option)
    return wanted.astype(np.int64)


def _no_positions(got: object, n_observations: int, option: str) -> OptionError:
    return OptionError.must(
        option,
        f"be row positions of X, from 0 to {n_observations - 1}",
        got,
        "Rows are addressed by position, not by index label; `X.index.get_indexer(labels)` has the positions.",
    )


def check_distinct_positions(positions: Sequence[int], n_observations: int) -> Rows:
    """Return positions of rows that a browser requests: no more than X has rows, so that a reply has an end."""
    rows = check_positions(positions, n_observations)
    if len(rows) > n_observations:
        what = f"be different rows of X, which has {counted(n_observations, 'row')}"
        advice = "Leave out those that are there twice."
        raise OptionError.must("positions", what, len(rows), advice, where=" positions")
    return rows


def check_index(option: str, what: str, given: object, index: Any) -> None:
    """Refuse a series or table of as many rows as X that has another index: it may be in another order."""
    labels: Any = getattr(given, "index", None)
    if index is None or not hasattr(labels, "equals") or len(labels) != len(index) or labels.equals(index):
        return
    got, expected = labels.tolist(), index.tolist()
    row = next((row for row in range(len(index)) if got[row] != expected[row]), 0)
    raise OptionError(
        f"`{option}` must have the index of X; row {row} has the label {quoted(got[row])} in {what} and "
        f"{quoted(expected[row])} in X.",
        f"Pass `{what}.loc[X.index]` to match them by label, or `{what}.to_numpy()` if they are in the order of X.",
    )


def check_weights(
    sample_weight: ArrayLike | None, n_observations: int, index: Any = None, *, are_all: bool = True
) -> Array | None:
    """Return frequency weights as an array, or say what is wrong with them; `are_all` tells whether of all rows."""
    if sample_weight is None:
        return None
    weights, problem = to_float_array(sample_weight), ""
    if weights is None:
        problem = f"got {quoted(sample_weight)}"
    elif weights.shape != (n_observations,):
        given = counted(len(weights), "weight") if weights.ndim == 1 else f"shape {weights.shape}"
        problem = f"got {given} for {counted(n_observations, 'observation')}"
    elif (wrong := np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))).size:
        problem = f"got {float(weights[wrong[0]])!r} in row {wrong[0]}"
    if weights is None or problem:
        raise weights_error(problem, "Leave it out to weigh all observations alike.")
    check_index("sample_weight", "weights", sample_weight, index)
    if are_all:
        check_total_weight(float(weights.sum()))
    return weights.copy()


def weights_error(problem: str, advice: str) -> DataError:
    """Return the error for weights that cannot be used."""
    return DataError(f"`sample_weight` must be finite numbers of at least 0, one per observation; {problem}.", advice)


def check_total_weight(total: float, sampled: str = "") -> None:
    """Raise if weights do not sum to more than 1: standard deviations divide by their sum less 1.

    - `total`: of all rows, or of those that are sampled for a feature.
    """
    if total <= 1 + _ROUNDING:
        where = f" for {sampled}" if sampled else ""
        raise DataError(
            f"`sample_weight` must sum to more than 1, because weights are frequencies; got a sum of {total!r}{where}.",
            f"{'Use a larger `sample`, or multiply' if sampled else 'Multiply'} the weights, for example so that they "
            "sum to the number of observations.",
        )
