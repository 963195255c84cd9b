"""Wording shared by notes that are about several columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_NAMED: Final = 3


def listed(names: Sequence[object]) -> str:
    """Return the first three of some names in quotes and the count of the others.

    Examples
    --------
    >>> listed(["age"])
    "'age'"
    >>> listed(["age", "city"])
    "'age' and 'city'"
    >>> listed([f"x{number}" for number in range(2000)])
    "'x0', 'x1', 'x2' and 1,997 more"
    """
    named = [repr(str(name)) for name in names[:_MOST_NAMED]]
    n_others = len(names) - len(named)
    if n_others == 0 and len(named) > 1:
        return f"{', '.join(named[:-1])} and {named[-1]}"
    others = f" and {n_others:,} more" if n_others else ""
    return ", ".join(named) + others
