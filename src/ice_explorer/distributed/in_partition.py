"""Errors of a partition say which one it is."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ice_explorer.errors import Cancelled, ICEExplorerError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def in_partition(partition: int) -> Iterator[None]:
    """Name the partition in errors: rows that they name are counted in it."""
    try:
        yield
    except Cancelled:
        raise
    except ICEExplorerError as error:
        advice = str(error).removeprefix(error.facts).strip()
        raise type(error)(f"In partition {partition}, whose rows count from 0: {error.facts}", advice) from error
