"""Errors of an explorer at work: its thread ended, or its page does not speak the protocol."""

from __future__ import annotations

from ice_explorer.errors.base import ICEExplorerError


class ComputationError(ICEExplorerError, RuntimeError):
    """The computation of an explorer ended before all features were done, and not because the model raised."""


class MessageError(ICEExplorerError, ValueError):
    """A request of the browser that is not one of the protocol, so no reply can answer it."""
