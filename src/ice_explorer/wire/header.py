"""The header of an explanation, and the two tables of metrics that it describes.

`Header` of `ice_explorer.wire.messages` says what they hold; `js/src/wire/tables.ts` reads them.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from ice_explorer.results.options import OF_MODELS, resolve_display
from ice_explorer.version import __version__
from ice_explorer.wire.messages import PROTOCOL_VERSION, ColumnHead, FeatureHead, FormatHead, Header, Note

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ice_explorer.comparison import Disagreement
    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation
    from ice_explorer.metrics.windows import Convention
    from ice_explorer.scene.choices import Distance

_STEP: Final = "step_"  # before what is sent by that convention as well: a bar says where the two differ much
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
    f"{_STEP}impact",
    f"{_STEP}heterogeneity",
    *(f"{name}{_ERROR}" for name in _WITH_ERROR),
)

PROFILES: Final = (
    "in_distribution_impact",
    "support",
    f"{_STEP}in_distribution_impact",
    f"in_distribution_impact{_ERROR}",
)
DECAYS: Final = np.arange(1, 101) / 100


class Tables:
    """The metrics of all features as the browser gets them, NaN until a feature is filled in.

    - `n_features`: rows of the tables, in column order of X.
    - `convention`: by which they are counted.
    - `n_models`, `opened`: number of models, and which of them is open; of several, the tables of all are sent, and
      how far they disagree.
    """

    def __init__(self, n_features: int, convention: Convention, n_models: int = 1, opened: int = 0) -> None:
        n_disagreements, n_decays = len(disagreement_profiles(n_models)), len(DECAYS)
        self._convention, self._opened = convention, opened
        self._impact = np.full((n_models, n_features, len(METRICS)), np.nan, dtype="<f4")
        self._profile = np.full((n_models, len(PROFILES), n_features, n_decays), np.nan, dtype="<f4")
        self._disagreement = np.full((n_disagreements, n_features, n_decays), np.nan, dtype="<f4")

    def fill(
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
            undecayed, decayed = _figures(feature, self._convention, DECAYS[steps])
            per_step = (undecayed, decayed) if self._convention == "step" else _figures(feature, "step", DECAYS[steps])
            errors = _errors(feature, self._convention, DECAYS[steps])
            undecayed |= {_STEP + name: value for name, value in per_step[0].items()} | errors[0]
            decayed |= {_STEP + name: values for name, values in per_step[1].items()} | errors[1]
            self._impact[model, position] = [undecayed[name] for name in METRICS]
            for profile, name in zip(self._profile[model], PROFILES, strict=True):
                profile[position, steps] = decayed[name]
        if disagreement is not None:
            by_pair = disagreement.at(DECAYS)
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


def _figures(
    feature: FeatureExplanation, convention: Convention, decays: NDArray[np.float64]
) -> tuple[dict[str, float], dict[str, NDArray[np.float64]]]:
    """Return what does not depend on the decay, and what does."""
    undecayed = {**vars(feature._sums.undecayed(convention)), "mean_change": feature._mean_change}
    return undecayed, feature._decay_profiles(decays, convention)


def _errors(
    feature: FeatureExplanation, convention: Convention, decays: NDArray[np.float64]
) -> tuple[dict[str, float], dict[str, NDArray[np.float64]]]:
    """Return the standard errors of a draft in the same way; NaN where a feature is exact."""
    sampling = feature._sampling
    if sampling is not None and convention not in sampling.metrics:  # of many features they are estimated by one
        sampling = None
    undecayed = dict.fromkeys(_WITH_ERROR, math.nan) if sampling is None else sampling.metrics[convention]
    decayed = (
        np.full(len(decays), math.nan) if sampling is None else sampling.in_distribution_impact(decays, convention)
    )
    return {name + _ERROR: value for name, value in undecayed.items()}, {f"in_distribution_impact{_ERROR}": decayed}


def describe_header(
    explanation: Explanation,
    features: Sequence[FeatureHead],
    code: str,
    outputs: Sequence[str] = (),
    responses: Sequence[str] = (),
    *,
    convention: Convention | None = None,
    prediction_sd: float | None = None,
    models: Sequence[str] = (),
    formats: Sequence[FormatHead] = (),
    target_name: str = "",
    distances: Sequence[str] = (),
) -> Header:
    """Describe what the two tables are about.

    - `explanation`: what is known so far; columns, settings and notes are taken from it.
    - `features`: all features, explained yet or not.
    - `code`: the line that makes this explorer.
    - `outputs`, `responses`: what can be chosen instead.
    - `convention`: by which the tables are counted; that of the explanation by default.
    - `prediction_sd`: standard deviation of the predictions, once it is known.
    - `models`: names of several models.
    - `formats`: what a view can be saved as.
    - `target_name`: name of y; "" where it has none.
    - `distances`: what can be chosen as unit of the distance from the observed value.
    """
    _, convention = resolve_display(explanation.settings, None, convention)
    columns = [explanation._column(name) for name in explanation._context.columns.names_for_coloring]
    return Header(
        protocol=PROTOCOL_VERSION,
        version=__version__,
        features=[_with_range(head, explanation) for head in features],
        columns=[ColumnHead(name=column.label, kind=column.kind) for column in columns] + _residual(explanation),
        metrics=list(METRICS),
        profiles=[*PROFILES, *disagreement_profiles(max(1, len(models)))],
        decays={"first": float(DECAYS[0]), "step": 0.01, "count": len(DECAYS)},
        n_observations=explanation._n_observations,
        method=explanation.method,
        method_reason=explanation._method_reason,
        convention=convention,
        prediction_sd=prediction_sd,
        output_label=explanation.output_label,
        target_name=target_name,
        outputs=list(outputs),
        responses=list(responses),
        distance=cast("Distance", explanation.settings.distance),
        distances=cast("list[Distance]", list(distances)),
        models=list(models),
        formats=list(formats),
        alerts=list(explanation._alerts),
        notes=_notes(explanation.notes[len(explanation._alerts) :], [feature["name"] for feature in features]),
        code=code,
    )


def _residual(explanation: Explanation) -> list[ColumnHead]:
    """Return residuals as a column to colour by, without predicting anything yet."""
    label = explanation._residual_label
    return [] if label is None else [ColumnHead(name=label, kind="numeric")]


def _with_range(head: FeatureHead, explanation: Explanation) -> FeatureHead:
    """Add the range of the predictions, where they are known: not as float32, which a large output would round."""
    if head["name"] not in explanation:
        return {**head, "range": None, "n_rows": None}
    feature = explanation[head["name"]]
    n_rows = None if feature._sampling is None else feature._sampling.n_rows
    return {**head, "range": feature._prediction_range, "n_rows": n_rows}


def _notes(texts: Sequence[str], labels: Sequence[str]) -> list[Note]:
    """Part each note into the feature that it begins with, if any, and what it says of it."""
    of_label = {f"{label!r}: ": label for label in labels}
    return [_note(text, of_label) for text in texts]


def _note(text: str, of_label: Mapping[str, str]) -> Note:
    end = text.find(": ")
    while end != -1:  # a label may hold a colon, too
        prefix = text[: end + 2]
        if prefix in of_label:
            return Note(feature=of_label[prefix], text=text.removeprefix(prefix))
        end = text.find(": ", end + 1)
    return Note(feature=None, text=text)
