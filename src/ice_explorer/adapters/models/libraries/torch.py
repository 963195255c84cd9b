"""PyTorch modules: evaluated as in prediction, and left as they were."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from ice_explorer.adapters.models.libraries.containers import as_matrix, without_axis_of_one
from ice_explorer.adapters.models.source import Source, Way

if TYPE_CHECKING:
    from collections.abc import Callable

CLASSES = ("Module",)


def source(module: Any) -> Source | None:
    """Read a module; one that has a predict method is called by that."""
    if hasattr(module, "predict"):
        return None
    return Source({"predict": Way(_forward(module), "numbers", "forward")}, is_changed_by_calls=True)


def _forward(module: Any) -> Callable[[Any], Any]:
    import torch

    def forward(rows: Any) -> Any:
        held = chain(module.parameters(), module.buffers())
        like = next((tensor for tensor in held if tensor.is_floating_point()), torch.empty(0))
        inputs = torch.as_tensor(as_matrix(rows)).to(device=like.device, dtype=like.dtype)
        with torch.no_grad():
            training = [part for part in module.modules() if part.training]
            module.eval()
            try:
                returned = module(inputs)
            finally:
                for part in training:
                    part.training = True
        if not isinstance(returned, torch.Tensor):
            return returned
        return without_axis_of_one(returned.to(device="cpu", dtype=torch.float64).numpy())

    return forward
