"""LightGBM's own booster: predict gives probabilities where the objective is one of classes."""

from __future__ import annotations

from functools import partial
from typing import Any

from ice_explorer.adapters.models.libraries.containers import two_classes
from ice_explorer.adapters.models.source import Source, Way

CLASSES = ("Booster",)


def source(booster: Any) -> Source:
    """Read a booster."""
    predict = Way(booster.predict, "numbers", "predict")
    raw = Way(partial(booster.predict, raw_score=True), "scores", "predict")
    objective = _objective(booster)
    if objective == "binary":
        proba = Way(lambda rows: two_classes(booster.predict(rows)), "probabilities", "predict")
        return Source({"predict_proba": proba, "decision_function": raw, "predict": predict}, [0, 1], exclusive=True)
    if objective in {"multiclass", "multiclassova"}:
        proba = Way(booster.predict, "probabilities", "predict")
        classes = list(range(booster.num_model_per_iteration()))
        return Source({"predict_proba": proba, "decision_function": raw, "predict": predict}, classes, exclusive=True)
    return Source({"predict": predict, "decision_function": raw})


def _objective(booster: Any) -> str:
    """Read the objective from the model's text: parameters may name it otherwise, or be lost."""
    head: str = booster.model_to_string(num_iteration=1).partition("\nTree=")[0]
    lines = dict(line.split("=", 1) for line in head.split("\n") if "=" in line)
    return lines.get("objective", "custom").partition(" ")[0]
