"""Explorers as a kernel sends them, of data that are made up here: the front end's catalogue and tests play them back.

`python tests/contract/test_explorers.py` writes `explorers/*.json` anew, or those that are named. Each has what an
explorer sends first and its reply to every request that `js/dev/recorded.ts` is sent by the catalogue and the tests;
that file plays back for any rows what is recorded of all.
"""

from __future__ import annotations

import base64
import gzip
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from kernel_end import assert_alike, unpacked

from ice_explorer.results.options import CONVENTIONS, METRIC_RANKINGS
from ice_explorer.scene.choices import DocumentState
from ice_explorer.standalone.recording import _in_planes, _is_whole, _key
from ice_explorer.widget.work import work_of
from ice_explorer.wire import requests
from ice_explorer.wire.arrays import packed
from ice_explorer.wire.header import Tables, describe_header
from ice_explorer.wire.replies import reply_to

pytestmark = [pytest.mark.current, pytest.mark.wide]
FOLDER = Path(__file__).with_name("explorers")
WARDS = ["north", "south", "day clinic", "emergency"]
DISTRICTS = ["Altstadt", "Harbour", "North", "<b>Ost</b>", "Lindenhof", "Seefeld"]
HEATINGS = ["district heating", "heat pump with ground probe", "gas", "oil", "wood pellets and solar collectors"]
HOSTILE = "<img src=x onerror=\"document.title='hacked'\">"


# --- data ---------------------------------------------------------------------------------------------


class Draws:
    """The same numbers in every version of NumPy."""

    def __init__(self, seed: float, n: int) -> None:
        self.state, self.n = int(seed * 2**32), n

    def one(self) -> float:
        self.state = (1664525 * self.state + 1013904223) % 2**32
        return self.state / 2**32

    def uniform(self, low: float, high: float) -> np.ndarray:
        return np.array([low + (high - low) * self.one() for _ in range(self.n)])

    def normal(self, mean: float, sd: float) -> np.ndarray:
        return np.array([mean + sd * one for _ in range(self.n // 2) for one in self._two_normal()])

    def _two_normal(self) -> tuple[float, float]:
        """The method of Box and Muller."""
        while True:
            x, y = 2 * self.one() - 1, 2 * self.one() - 1
            if 0 < (r := x * x + y * y) <= 1:
                length = math.sqrt(-2 * math.log(r) / r)
                return y * length, x * length

    def levels(self, names: list[str], power: float = 1.6) -> np.ndarray:
        return np.array(names, dtype=object)[(self.uniform(0, 1) ** power * len(names)).astype(int)]


def clinic(n: int) -> pd.DataFrame:
    """Patients of a clinic that does not exist."""
    draws = Draws(0.42, n)
    return pd.DataFrame(
        {
            "Age": draws.normal(48, 14).clip(18, 84).round(),
            "BMI": draws.normal(27, 4.5).round(1),
            "Smoker": draws.uniform(0, 1) < 0.3,
            "Marker": np.exp(draws.normal(0, 1)).round(2),
            "Blood pressure": draws.normal(128, 16).round(),
            "Steps a day": draws.uniform(1000, 16000).round(),
            "Visits": np.floor(draws.uniform(0, 9)),
            "Height": draws.normal(171, 9).round(),
            "Ward": np.where(np.arange(n) % 29 == 3, None, draws.levels(WARDS, 1)),
        }
    )


def score(X: pd.DataFrame) -> np.ndarray:
    """Age matters, smoking changes how, and one laboratory value acts as a step."""
    age, bmi, marker, pressure, steps, visits = (
        X[name].to_numpy() for name in ("Age", "BMI", "Marker", "Blood pressure", "Steps a day", "Visits")
    )
    smoker = X["Smoker"].to_numpy().astype(float)
    of_age = 0.045 * (age - 48) * (1 + 1.2 * smoker) + 0.9 * smoker
    of_rest = 0.09 * (bmi - 27) + 2.5 * (marker > 5) + 0.018 * (pressure - 128) + 0.04 * visits
    return of_age + of_rest + 0.8 * np.sin(steps / 2600) - 1.6


def readmitted(X: pd.DataFrame) -> np.ndarray:
    return 1 / (1 + np.exp(-score(X)))


def in_steps(X: pd.DataFrame) -> np.ndarray:
    """What trees would make of it."""
    widths = {"Age": 9, "BMI": 2.5, "Blood pressure": 12, "Steps a day": 2500}
    return 0.06 + 0.85 * readmitted(
        X.assign(**{name: (X[name] / width).round() * width for name, width in widths.items()})
    )


def without_laboratory(X: pd.DataFrame) -> np.ndarray:
    return readmitted(
        X.assign(BMI=0.5 * X["BMI"] + 13.5, Marker=1.0, Visits=2 * X["Visits"], **{"Steps a day": 8000.0})
    )


def without_vital_signs(X: pd.DataFrame) -> np.ndarray:
    return readmitted(X.assign(Age=48.0, **{"Blood pressure": 128.0}))


def with_step(X: pd.DataFrame) -> np.ndarray:
    """A step between two of the lowest values, which are close together: it dominates the slopes."""
    pressure = X["Blood pressure"]
    plain = readmitted(X.assign(**{"Blood pressure": 120 + 10 * np.log(pressure)}))
    return plain + np.where(pressure > STEP, np.where(X["Smoker"], -0.25, 0.3), 0)


STEP = 0.8


class Outcomes:
    """A classifier."""

    def __init__(self, labels: list[str]) -> None:
        self.classes_ = np.array(labels)

    def fit(self, X: pd.DataFrame, y: object) -> None:
        raise NotImplementedError

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        at = np.arange(len(self.classes_))
        scores = np.exp(3 * np.outer(readmitted(X), np.cos(1.3 * at)) + 0.3 * np.sin(at))
        return scores / scores.sum(axis=1, keepdims=True)


def rentals(n: int) -> pd.DataFrame:
    """Every kind of column, most of them with gaps."""
    draws, rows = Draws(0.37, n), np.arange(n)
    towns = [f"Municipality {chr(65 + at)}{'berg' * (at % 3)}" for at in range(24)]
    heating = draws.levels(HEATINGS)
    first = pd.Timestamp("2026-10-05") + pd.to_timedelta((draws.uniform(0, 3) * 1440).round(), unit="min")
    X = pd.DataFrame(
        {
            "District": np.where(rows % 11 == 2, None, draws.levels(DISTRICTS)),
            "Energy class": pd.Categorical(draws.levels([*"ABCDE"], 1), [*"ABCDE"], ordered=True),
            "Municipality": draws.levels(towns, 1.2),
            "Area": np.where(rows % 9 == 2, np.nan, draws.uniform(22, 160).round()),
            "Built": pd.Timestamp("2009-03-01") + pd.to_timedelta(np.floor(draws.uniform(0, 6300)), unit="D"),
            "First seen": pd.Series(first).where(rows % 17 != 2),
            "Time to the centre": pd.to_timedelta(draws.uniform(4, 55).round(), unit="min"),
            "Furnished": draws.uniform(0, 1) < 0.2,
        }
    )
    for at, name in enumerate(HEATINGS):
        X.insert(2 + at, f"Heating {name}", (heating == name).astype(int))
    return X.assign(
        District=pd.Categorical(X["District"], DISTRICTS), Municipality=pd.Categorical(X["Municipality"], towns)
    )


def rent(X: pd.DataFrame) -> np.ndarray:
    place = X["District"].astype(object).map(dict(zip(DISTRICTS, [0.9, 0.7, 0.1, -0.5, 0.2, 1.4], strict=True)))
    place = place.fillna(-0.2).to_numpy(dtype=float)
    room = X["Area"].fillna(62).to_numpy()
    energy = X["Energy class"].cat.codes.to_numpy()
    heating = sum(
        effect * X[f"Heating {name}"].to_numpy() for name, effect in zip(HEATINGS, [60, 20, -30, -90, 10], strict=True)
    )
    town = X["Municipality"].astype(str).str[13].map(ord).to_numpy() - 65
    hour = (X["First seen"].dt.hour.fillna(0) / 24).to_numpy()
    days = (X["Built"] - pd.Timestamp("2016-07-18")).dt.days.to_numpy()
    minutes = X["Time to the centre"].dt.total_seconds().to_numpy() / 60
    return (
        900 + 9 * room * (1 + 0.12 * place) + 240 * place - 55 * energy * (1 + (room - 80) / 120) + heating * room / 70
        + 30 * np.sin(1.7 * town) + 0.03 * days + 40 * np.sin(6.28 * hour) - 4.2 * minutes
        + (120 - 0.5 * room) * X["Furnished"].to_numpy()
    )  # fmt: skip


def boosted_rent(X: pd.DataFrame) -> np.ndarray:
    return 0.8 * rent(X) + 120


def weather(n: int) -> pd.DataFrame:
    """Temperature and apparent temperature vary together."""
    draws = Draws(0.7, n)
    temperature = draws.normal(14, 7).round(1)
    noise = draws.normal(0, 1.2)
    return pd.DataFrame(
        {
            "Temperature": temperature,
            "Apparent temperature": (1.15 * temperature - 2 + noise).round(1),
            "Humidity": (85 - 1.4 * temperature + 9 * np.roll(noise, -7)).round(),
            "Wind": np.abs(draws.normal(12, 4)).round(),
            "Season": np.where(temperature < 8, "cold", np.where(temperature < 19, "mild", "warm")),
        }
    )


def bicycles(X: pd.DataFrame) -> np.ndarray:
    """Steep where temperatures do not vary together: partial dependence leaves the data, ALE does not."""
    warm, felt, humidity, wind = (X[name].to_numpy() for name in [*X.columns[:4]])
    apart = felt * 0.87 - warm + 1.7
    return 160 + 9 * warm - 0.55 * apart**2 - 0.4 * humidity - 2 * wind + 12 * (X["Season"] == "mild").to_numpy()


def named(n: int) -> pd.DataFrame:
    """Names that are long, markup, or in another script, and rows with names."""
    X = clinic(n)
    long = "Number of sexually transmitted diseases, time since first diagnosis (years)"
    X = X[["Age", "BMI", "Blood pressure", "Visits", "Ward"]].set_axis(
        [long, HOSTILE, "体重（公斤）", "x", "Ward"], axis=1
    )
    X["Ward"] = X["Ward"].replace({"north": HOSTILE})
    return X.set_axis([f"patient {i}" for i in range(n)])


# --- explorers ----------------------------------------------------------------------------------------


@dataclass
class Explorer:
    """What is explained, and which requests are recorded besides those about every feature and column."""

    model: Any
    X: pd.DataFrame
    features: list[str]
    y: Any = None
    options: dict[str, Any] = field(default_factory=dict)
    output_label: str = ""
    what_if: Sequence[int] = ()
    in_common: Sequence[int] = ()
    pairs: Sequence[tuple[str, str]] = ()
    effects: bool = False
    interactions: bool = False
    intervals: bool = False
    paper: bool = False


CLINIC = ["Age", "BMI", "Smoker", "Marker", "Blood pressure", "Steps a day", "Visits", "Height"]
READMITTED = "probability of readmitted"


def clinic_explorer() -> Explorer:
    X = clinic(300)
    extremes = [int(readmitted(X).argmax()), int(readmitted(X).argmin())]
    return Explorer(
        readmitted, X, CLINIC, output_label=READMITTED, what_if=[0, 3, 4, 7, 33, 60, 120, 180, 240, *extremes],
        in_common=np.flatnonzero(X["Age"] > 60).tolist(), pairs=[("Age", "BMI"), ("Age", "Smoker")],
        effects=True, interactions=True, intervals=True, paper=True,
    )  # fmt: skip


def rentals_explorer() -> Explorer:
    X = rentals(120)
    features = [name for name in X.columns if not name.startswith("Heating ")]
    groups = {"Heating": [name for name in X.columns if name.startswith("Heating ")]}
    pairs = [("District", "Area"), ("Area", "Heating"), ("Heating", "District"), ("Built", "Time to the centre")]
    return Explorer(
        rent, X, [*features[:2], "Heating", *features[2:]], options={"groups": groups}, what_if=[2, 4, 13], pairs=pairs,
        intervals=True,
    )  # fmt: skip


def observed_explorer() -> Explorer:
    X = clinic(60)
    y = np.where(np.arange(60) % 13 == 5, np.nan, Draws(0.61, 60).uniform(0, 1) < readmitted(X))
    return Explorer(readmitted, X, CLINIC[:3], y=y, output_label=READMITTED, effects=True)


def stepped_explorer() -> Explorer:
    X = clinic(120)
    X["Blood pressure"] = np.exp((X["Blood pressure"] - 120) / 10)
    return Explorer(with_step, X, ["Smoker", "Blood pressure"], output_label=READMITTED)


def classes_explorer(labels: list[str], features: list[str]) -> Explorer:
    return Explorer(Outcomes(labels), clinic(60), features, options={"output": labels[0]}, what_if=[3])


def additive(X: pd.DataFrame) -> np.ndarray:
    return (X["Age"] + 2 * X["BMI"] - 100).to_numpy()


def of_places(X: pd.DataFrame) -> np.ndarray:
    """A model that takes columns by their places."""
    one, two, three, four = (X.iloc[:, at].to_numpy() for at in range(4))
    return one * two / 1000 + three / 100 + four / 20


TWO = {"logistic": readmitted, "trees": in_steps}
FOUR = {**TWO, "without lab values": without_laboratory, "without vital signs": without_vital_signs}
EXPLORERS = {
    "clinic": clinic_explorer,
    "rentals": rentals_explorer,
    "weather": lambda: Explorer(bicycles, X := weather(120), [*X], what_if=[3], effects=True),
    "observed": observed_explorer,
    "stepped": stepped_explorer,
    "additive": lambda: Explorer(additive, clinic(100), ["Age", "BMI"], pairs=[("Age", "BMI")]),
    "names": lambda: Explorer(of_places, X := named(40), [*X][:4]),
    "three_classes": lambda: classes_explorer(["healthy", "relapsed", "lost"], CLINIC[:3]),
    "eleven_classes": lambda: classes_explorer([f"stage {at}" for at in range(11)], CLINIC[:1]),
    "two_models": lambda: Explorer(TWO, clinic(200), CLINIC, output_label=READMITTED, what_if=[33], intervals=True),
    "four_models": lambda: Explorer(FOUR, clinic(60), CLINIC[:4], output_label=READMITTED),
    "rental_models": lambda: Explorer(
        {"forest": rent, "gradient boosting": boosted_rent}, rentals(60), ["District", "Area"], what_if=[4]
    ),
}


# --- what is recorded ---------------------------------------------------------------------------------


def compute(explorer: Explorer, **options: object):
    options = {"features": explorer.features, "grid_size": 40, **explorer.options, **options}
    work = work_of(explorer.model, explorer.X, explorer.y, options)
    for name in work.names:
        work.results[name] = work.compute(name)
    return work


def read_tables(work) -> dict[str, np.ndarray]:
    models = work.choices["model"]
    tables = Tables(len(work.names), max(1, len(models)), models.index(work.shown.model) if models else 0)
    for at, name in enumerate(work.names):
        tables.enter(at, *(work.by_models(name) if models else ([work.results[name]], None)))
    return {name: np.frombuffer(table, "<f4") for name, table in tables.traits.items()}


def list_requests(explorer: Explorer, work, explanation):
    """Yield the requests about every feature and column, and those that are named; most are about all rows."""
    rows = list(range(len(explorer.X)))
    for feature in explanation.values():
        yield from list_requests_about(feature, explorer, work, rows)
    drivers = [driver for feature in explanation.values() for driver in feature._search_drivers().reported]
    for name in [*explanation._context.columns.names_for_coloring, *explanation._outcome_labels]:
        label = explanation._column(name).label
        splits = {tuple(driver.levels) for driver in drivers if driver.column == label and driver.levels is not None}
        for levels in [None, *map(list, sorted(splits))]:
            yield requests.ColorsRequest("", label, rows, levels)
    for rank_by in METRIC_RANKINGS if explorer.intervals else ():
        yield requests.IntervalsRequest("", rank_by, 0.95, 0.75)
    if explorer.interactions:
        yield requests.InteractionsRequest("")
    for first, second in explorer.pairs:
        yield requests.TwoWayRequest("", first, second)
    for row in explorer.what_if:
        yield requests.WhatIfRequest("", row, explanation._labels)
    if explorer.in_common:
        yield requests.InCommonRequest("", explorer.in_common)
    yield requests.RowsRequest("", rows)
    yield requests.ExtremeRequest("", "highest")
    yield requests.ExtremeRequest("", "lowest")


def list_requests_about(feature, explorer: Explorer, work, rows: list[int]):
    label = feature.label
    for model in [None, *work.choices["model"][1:]]:
        yield requests.CurvesRequest("", label, len(rows), [], model)
    yield requests.DriversRequest("", label)
    yield requests.CorrelatedRequest("", label)
    yield requests.UnlikeRequest("", label, rows)
    if explorer.effects:
        yield requests.EffectsRequest("", label)
    if work.choices["output"]:
        yield requests.ClassesRequest("", label, len(rows))


def complete_reply(request, work, explanation):
    feature = explanation[request.feature] if isinstance(request, requests.FeatureRequest) else None
    body = None
    while body is None or not _is_whole(body):
        body = reply_to(request, explanation, work.besides, list(work.by_label), feature=feature)
    return body


def key(request) -> dict[str, Any]:
    """What tells a request from others of its type, among them the rows where these are not all."""
    entries = _key(request)
    if isinstance(request, requests.InCommonRequest):
        entries["positions"] = request.positions
    unused = {"features", "sort_by", "descending", "most"}
    return {name: value for name, value in entries.items() if value is not None and name not in unused}


def record(explorer: Explorer) -> tuple[dict[str, Any], list[bytes]]:
    """What an explorer sends first, and its replies; their arrays name the buffers."""
    work = compute(explorer)
    explanation, n = work.explanation(work.results), len(work.names)
    explanation.output_label = explorer.output_label or explanation.output_label
    header = describe_header(
        explanation, list(work.opened.outline.values()),
        prediction_sd=explanation._context.prediction_sd, target_name=explanation._target_name,
        **{f"{name}s": list(choices) for name, choices in work.choices.items()} | {"conventions": list(CONVENTIONS)},
    )  # fmt: skip
    header |= {"version": ""}
    traits = {
        **vars(DocumentState()),
        **work.shown._asdict(),
        "selection": [], "_given": [], "_view": {}, "_header": header,
        "_status": {
            "state": "ready", "done": n, "total": n, "n_rows": None, "n_all": None, "label": "", "message": ""
        },
    }  # fmt: skip
    tables = read_tables(work)
    of_paper = read_tables(compute(explorer, convention="paper")) if explorer.paper else {}
    sent = list(list_requests(explorer, work, explanation))
    bodies = [complete_reply(request, work, explanation) for request in sent]
    (replies, arrays, arrays_of_paper), buffers = packed([bodies, list(tables.values()), list(of_paper.values())])
    content = {
        "traits": traits,
        "tables": dict(zip(tables, arrays, strict=True)),
        "paper": dict(zip(of_paper, arrays_of_paper, strict=True)),
        "replies": [{"request": key(request), "body": body} for request, body in zip(sent, replies, strict=True)],
        "lengths": [len(buffer) for buffer in buffers],
    }
    return json.loads(json.dumps(content, allow_nan=False)), buffers


def write(name: str) -> None:
    content, buffers = record(EXPLORERS[name]())
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    parts = {"content": text, "numbers": _in_planes(b"".join(buffers))}
    # Without the time of day, so that the same explorer is the same file.
    written = {part: base64.b64encode(gzip.compress(each, 9, mtime=0)).decode() for part, each in parts.items()}
    (FOLDER / f"{name}.json").write_text(json.dumps(written, indent=0) + "\n", encoding="utf-8")


def read(name: str) -> tuple[dict[str, Any], list[bytes]]:
    """Undo `write`."""
    parts = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    text, planes = (gzip.decompress(base64.b64decode(parts[part])) for part in ("content", "numbers"))
    content = json.loads(text)
    differences = np.frombuffer(planes, np.uint8).reshape(4, -1)
    numbers = np.cumsum(differences, axis=1, dtype=np.uint8).T.tobytes()
    ends = np.cumsum(content["lengths"]).tolist()
    return content, [numbers[end - length : end] for end, length in zip(ends, content["lengths"], strict=True)]


@pytest.mark.parametrize("name", EXPLORERS)
def test_the_recording_is_what_an_explorer_sends_today(name):
    """No request, figure or text has changed unnoticed."""
    committed, current = (unpacked(*recorded) for recorded in (read(name), record(EXPLORERS[name]())))
    assert_alike(committed, current)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for each in sys.argv[1:] or EXPLORERS:
        write(each)
