"""The header of an explanation, and the two tables of metrics that it describes.

`Header` of `ice_explorer.wire.messages` says what they hold; `js/src/wire/tables.ts` reads them.
"""

from __future__ import annotations

import math
import re
from itertools import combinations
from typing import TYPE_CHECKING, Final, TypeAlias, cast

import numpy as np

from ice_explorer.models.libraries import read_attribute
from ice_explorer.results.column_colors import RESIDUAL
from ice_explorer.results.options import OF_MODELS
from ice_explorer.version import __version__
from ice_explorer.wire.messages import PROTOCOL_VERSION, ColumnHead, FeatureHead, Header, Note

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from ice_explorer.comparison import Disagreement
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.features.feature import FeatureKind

_ERROR: Final = "_error"  # after what is the standard error of a draft
_WITH_ERROR: Final = ("impact", "direction", "heterogeneity", "non_linearity", "missing_impact")

# The metrics of the header's table; those that depend on the decay are in the profile instead.
METRICS: Final = (
    "impact",
    "direction",
    "heterogeneity",
    "non_linearity",
    "missing_impact",
    "mean_change",
    *(f"{name}{_ERROR}" for name in _WITH_ERROR),
)

PROFILES: Final = (
    "in_distribution_impact",
    "support",
    f"in_distribution_impact{_ERROR}",
)
DECAYS: Final = np.arange(1, 101) / 100


class Tables:
    """The metrics of all features as the browser gets them, NaN until a feature is filled in.

    - `n_features`: rows of the tables, in column order of X.
    - `n_models`, `opened`: number of models, and which of them is open; of several, the tables of all are sent, and
      how far they disagree.
    """

    def __init__(self, n_features: int, n_models: int = 1, opened: int = 0) -> None:
        n_disagreements, n_decays = len(disagreement_profiles(n_models)), len(DECAYS)
        self._opened = opened
        self._impact = np.full((n_models, n_features, len(METRICS)), np.nan, dtype="<f4")
        self._profile = np.full((n_models, len(PROFILES), n_features, n_decays), np.nan, dtype="<f4")
        self._disagreement = np.full((n_disagreements, n_features, n_decays), np.nan, dtype="<f4")

    def enter(
        self,
        position: int,
        features: Sequence[FeatureExplanation],
        disagreement: Disagreement | None = None,
        decay: float | None = None,
    ) -> None:
        """Enter what is known of one feature by each model.

        - `decay`: of the profile no more is entered than this one takes, and decay 1.
        """
        steps = np.arange(len(DECAYS))
        if decay is not None:
            steps = np.unique(np.searchsorted(DECAYS, [decay - 0.01, decay, 1.0]))
        for model, feature in enumerate(features):
            undecayed = {**feature._sums.undecayed(), "mean_change": feature._mean_change}
            decayed, sampling = feature._decay_profiles(DECAYS[steps]), feature._sampling
            if sampling is not None:
                undecayed |= {name + _ERROR: error for name, error in sampling.metrics.items()}
                decayed[f"in_distribution_impact{_ERROR}"] = sampling.in_distribution_impact(DECAYS[steps])
            self._impact[model, position] = [undecayed.get(name, math.nan) for name in METRICS]
            for profile, name in zip(self._profile[model], PROFILES, strict=True):
                profile[position, steps] = decayed.get(name, math.nan)
        if disagreement is not None:
            by_pair = np.stack([sums.evaluate(DECAYS) for sums in disagreement.values()])
            self._disagreement[0, position] = by_pair.max(axis=0)
            self._disagreement[1:, position] = by_pair[: len(self._disagreement) - 1]

    def figures(self, metric: str, decay: float) -> NDArray[np.float32]:
        """Return a metric of all features by the open model, (n_features,), at the nearest decay of the table.

        "disagreement" is that of the pair of models that disagrees most.
        """
        nearest = int(np.argmin(np.abs(DECAYS - decay)))
        if metric == OF_MODELS:
            return self._disagreement[0, :, nearest]
        if metric in METRICS:
            return self._impact[self._opened, :, METRICS.index(metric)]
        return self._profile[self._opened, PROFILES.index(metric), :, nearest]

    @property
    def traits(self) -> dict[str, bytes]:
        """The tables of the open model, and before them those of several models, by name of the trait, as f32.

        Those of metrics that do not depend on the decay are [n_features, metrics], profiles [profiles, n_features,
        decays]; those of several models are one behind the other.
        """
        several = {"_models_profile": self._profile.tobytes(), "_models_impact": self._impact.tobytes()}
        return {
            **(several if len(self._impact) > 1 else {}),
            "_profile": self._profile[self._opened].tobytes() + self._disagreement.tobytes(),
            "_impact": self._impact[self._opened].tobytes(),
        }


def disagreement_profiles(n_models: int) -> list[str]:
    """Names of the profiles of several models: the pair that disagrees most, and every pair where there are more."""
    if n_models == 1:
        return []
    pairs = combinations(range(n_models), 2) if n_models > 2 else ()
    return ["disagreement", *(f"disagreement_{one}_{other}" for one, other in pairs)]


Outline: TypeAlias = "tuple[str, FeatureKind, int, float]"
"""Label, kind, grid size and scale of a feature: what is known before anything is computed."""


def outline_of(feature: FeatureExplanation) -> Outline:
    """Return the outline of a computed feature."""
    return feature.label, feature.dtype_kind, len(feature.grid), feature.scale


def describe_header(explanation: Explanation, features: Sequence[Outline], **chosen: object) -> Header:
    """Describe what the two tables are about.

    - `explanation`: what is known so far; columns, settings and notes are taken from it.
    - `features`: all features, explained yet or not.
    - `chosen`: entries of the header that only an explorer knows; without them there is nothing to choose.
    """
    context, settings, alerts = explanation._context, explanation.settings, explanation._alerts
    colored = map(explanation._column, context.columns.names_for_coloring)
    columns = [ColumnHead(name=column.label, kind=column.kind) for column in colored]
    for outcome, label in explanation._outcome_labels.items():  # y and residuals; nothing is predicted yet
        kind = "numeric" if outcome is RESIDUAL else explanation._column(outcome).kind
        columns.append(ColumnHead(name=label, kind=kind))
    unchosen: dict[str, object] = {
        **{name: [] for name in ("conventions", "outputs", "responses", "distances", "models")},
        "prediction_sd": None, "score": "", "target_name": "",
    }  # fmt: skip
    known = {**unchosen, **chosen}
    described = {
        "protocol": PROTOCOL_VERSION,
        "version": __version__,
        "features": [_describe_feature(outline, explanation) for outline in features],
        "columns": columns,
        "metrics": list(METRICS),
        "profiles": [*PROFILES, *disagreement_profiles(max(1, len(cast("list[str]", known["models"]))))],
        "decays": {"first": float(DECAYS[0]), "step": 0.01, "count": len(DECAYS)},
        "n_observations": explanation._n_observations,
        "method": explanation.method,
        "method_reason": explanation._method_reason,
        "convention": settings.convention,
        "model": _model_name(context.predictor.model),
        "output_label": explanation.output_label,
        "is_saturated": context.is_saturated and "log_odds" in cast("list[str]", known["responses"]),
        "distance": settings.distance,
        "alerts": list(alerts),
        "notes": list(_notes(explanation.notes[len(alerts) :], [label for label, *_ in features])),
    }
    return cast("Header", {**described, **known})


def _describe_feature(outline: Outline, explanation: Explanation) -> FeatureHead:
    """Describe a feature with the range of its predictions where they are known; float32 would round a large output."""
    label, kind, n_grid, scale = outline
    head = FeatureHead(name=label, kind=kind, n_grid=n_grid, scale=scale, range=None, n_rows=None)
    if label in explanation:
        feature = explanation[label]
        head["range"] = feature._prediction_range
        head["n_rows"] = None if feature._sampling is None else feature._sampling.n_rows
    return head


def _notes(texts: Sequence[str], labels: Sequence[str]) -> Iterator[Note]:
    """Part each note into the feature that it begins with, if any, and what it says of it."""
    prefixes = {f"{label!r}: ": label for label in labels}
    for text in texts:
        starts = (text[: colon.end()] for colon in re.finditer(": ", text))  # a label may hold a colon, too
        prefix = next((start for start in starts if start in prefixes), "")
        yield Note(feature=prefixes.get(prefix), text=text.removeprefix(prefix))


def score_text(explanation: Explanation) -> str:
    """Return the area under the ROC curve of a class, or R²: how well the model predicts y; "" if unknown."""
    target = explanation._observed_target
    if target is None:
        return ""
    context = explanation._context
    known = ~np.isnan(target) & (context.row_weights > 0)
    if len(np.unique(target[known])) < 2:
        return ""
    from sklearn.metrics import r2_score, roc_auc_score

    is_class = explanation.settings.response in {"predict_proba", "log_odds", "decision_function"}
    measure = roc_auc_score if is_class else r2_score
    score = measure(target[known], context.all_predictions[known], sample_weight=context.row_weights[known])
    return f"{'AUC' if is_class else 'R²'} {score:.2f}"


def _model_name(model: object) -> str:
    """Return the name of a model in words, such as "random forest"; "" of a function."""
    model = read_attribute(model, "__self__", model)  # of a method
    for name in ("best_estimator_", "regressor_"):
        model = read_attribute(model, name, model)
    steps = read_attribute(model, "steps")
    if isinstance(steps, list) and steps:
        return _model_name(steps[-1][1])
    if not any(read_attribute(model, name) for name in ("predict", "predict_proba")):
        return ""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", type(model).__name__)
    plain = [word if word.isupper() else word.lower() for word in words]
    return " ".join(plain[:-1] if plain[-1] in {"classifier", "regressor"} and len(plain) > 1 else plain)
