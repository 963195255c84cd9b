"""Errors of an explorer at work: its thread ended, or its page does not speak the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ice_explorer.errors.base import ICEExplorerError, cause_of, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable

# A request that breaks the protocol comes from a page that loaded another version's front end.
_RELOAD = "Restart the kernel and reload the page, so that both run the same version."


class ComputationError(ICEExplorerError, RuntimeError):
    """What computes an explorer's features ended before they were done, and no model said why."""

    @classmethod
    def stopped(cls, feature: object, error: BaseException) -> ComputationError:
        """Say that something other than an Exception was raised, which ends a thread."""
        kind = type(error).__name__
        return cls(
            f"A model must return numbers or raise an Exception; computing {quoted(feature)} ended with "
            f"{cause_of(error)} Wrap the model in a function that catches {kind} and raises a RuntimeError."
        )

    @classmethod
    def lost(cls, feature: object) -> ComputationError:
        """Say that the thread is gone."""
        return cls(
            "The thread of an explorer must live until all features are computed; it ended while computing "
            f"{quoted(feature)}, as threads do in a forked process. "
            'Press "Resume" in the explorer, or make it again.'
        )


class MessageError(ICEExplorerError, ValueError):
    """A request of the browser that no reply can answer, because it is not one of the protocol."""

    @classmethod
    def unknown_type(cls, got: object, known: Iterable[str]) -> MessageError:
        """Say which requests there are."""
        return cls(f"A request must be of type {', '.join(map(repr, known))}; got {quoted(got)}. {_RELOAD}")

    @classmethod
    def field(cls, request: str, name: str, expected: str, got: object) -> MessageError:
        """Say what a field of a request must hold."""
        return cls(f"{name!r} of a request {request!r} must be {expected}; got {quoted(got)}. {_RELOAD}")

    @classmethod
    def entry(cls, request: str, field: str, got: object, known: Iterable[str]) -> MessageError:
        """Say which entries a field of a request has."""
        return cls(
            f"{field!r} of a request {request!r} must have no other entries than {', '.join(map(repr, known))}; "
            f"got {quoted(got)}. {_RELOAD}"
        )
