"""What the kernel sends for one small explanation, written down for the front end's tests.

`python tests/contract/test_explorer.py` writes `explorer.json` anew. Python's tests check that the
file is what today's code sends; the front end's tests read it as if it came from a kernel, and compare what they
decode with what it means. The file has that with each message, from an explanation and not from what lays out bytes.
"""

from __future__ import annotations

import base64
import json
import math
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from kernel_end import assert_alike, unpacked

import ice_explorer as ice
from ice_explorer.beyond.interactions import JointEffects
from ice_explorer.drivers.candidates import second_features
from ice_explorer.drivers.drivers import Drivers, make_split_column
from ice_explorer.features.axis_text import cell_text
from ice_explorer.metrics.influence import Sampling
from ice_explorer.scene.choices import Besides, ViewState
from ice_explorer.scene.lines import ale_line, lines_of
from ice_explorer.widget.work import work_of
from ice_explorer.wire.arrays import packed
from ice_explorer.wire.header import METRICS, PROFILES, Tables, describe_header, outline_of
from ice_explorer.wire.messages import PROTOCOL_VERSION, ExtremeBody, WhatIfBody
from ice_explorer.wire.replies import (
    describe_classes,
    describe_colors,
    describe_curves,
    describe_drivers,
    describe_in_common,
    describe_interactions,
    describe_moves,
    describe_rows,
    describe_two_way,
    reply_to,
)
from ice_explorer.wire.requests import parse_request

pytestmark = pytest.mark.current  # what is sent follows today's pandas and scikit-learn
FIXTURE = Path(__file__).with_name("explorer.json")
# One that every kernel writes, and one that this kernel cannot.
PAIRS = [("income", "member"), ("town", "grade"), ("age", "wait")]
DECAYS = (0.01, 0.25, 0.75, 1.0)


def observations():
    """Twelve rows with all that makes laying out hard: gaps, every kind of column, markup, a large output."""
    return pd.DataFrame(
        {
            "income": [1.0, 2.5, 2.5, 4.0, 5.0, 8.0, 8.0, 9.5, 12.0, 13.0, 20.0, 31.0],
            "age": [30.0, np.nan, 41.0, 55.0, 30.0, 62.0, np.nan, 18.0, 25.0, 70.0, 41.0, 33.0],
            "member": [True, False] * 6,
            "constant": [3.0] * 12,
            "town": pd.Categorical(["Ur", "Uruk", None, "Ur", "Kiš", "Ur", "<b>Ur</b>", "Uruk"] + ["Ur"] * 4),
            "grade": pd.Categorical(["low", "mid", "high", "mid"] * 3, ["low", "mid", "high"], ordered=True),
            "since": pd.to_datetime(["2020-02-29", None] + ["2021-03-01 06:30", "2024-12-31"] * 5, format="ISO8601"),
            "wait": pd.to_timedelta([5, 10, 15, 20, 25, 30] * 2, unit="min"),
            "east": [1, 0] * 6,
            "west": [0, 1] * 6,
        },
        index=[f"no {i}" for i in range(12)],
    )


def model(X):
    """Products and sums only, so that every machine gets the same bits, on top of a million."""
    age = X["age"].fillna(40.0).to_numpy()
    income = X["income"].to_numpy()
    days = (X["since"].fillna(pd.Timestamp("2022-01-01")) - pd.Timestamp("2022-01-01")).dt.days.to_numpy()
    of_town = np.where(X["town"] == "Ur", 2.0, 0.0) + np.where(X["town"].isna(), 0.5, 0.0)
    of_grade = np.where(X["grade"] == "high", 1.5, 0.0) + np.where(income > 12.5, 32.0, 0.0)
    waited = X["wait"].dt.total_seconds().to_numpy() / 4096
    moved = of_town * np.where(X["east"] == 1, 1.0, 0.5) + of_grade + days / 1024 + waited
    return 1e6 + 0.5 * income * np.where(X["member"], 1.0, -0.25) + np.maximum(age - 40.0, 0.0) + moved


def explained():
    """The explanation; twelve rows are too few for drivers, so these are splits in the middle of each column."""
    groups = {"side": ["east", "west"]}
    explanation = ice.explain(model, observations(), decay=0.75, groups=groups, convention="paper", progress=False)
    weights = np.ones(12)
    for feature in explanation.values():
        seconds = second_features(feature._context.columns, feature._item.feature)
        columns = [make_split_column(second, np.arange(12), weights) for second in seconds]
        columns = [column for column in columns if column is not None]
        shares = np.linspace(0.9, 0.1, len(columns))
        drivers = [
            column.describe(middle_split(column), float(share), weights)
            for column, share in zip(columns, shares, strict=True)
        ]
        feature._computed_once["drivers"] = Drivers(tuple(drivers), 0.5, 12, 12)
    return explanation


def middle_split(column):
    """Split a column at its median, or its most frequent level from all others; missing values are above or inside."""
    n_places = len(column.values)
    known = column.places[column.places < n_places]
    middle = np.quantile(known, 0.5, method="inverted_cdf")
    is_inside = np.arange(n_places) == 0 if column.second.is_unordered else np.arange(n_places) > middle
    return np.append(is_inside, len(known) < len(column.places))


def contract():
    """Header, tables and replies, each with what it means."""
    X = observations()
    explanation = explained()
    heads = list(map(outline_of, explanation.values()))
    tables = Tables(len(heads))
    for position, feature in enumerate(explanation.values()):
        tables.enter(position, [feature])
    header = describe_header(explanation, heads, prediction_sd=explanation._context.prediction_sd)
    header["version"] = ""  # the contract does not change with every release
    return {
        "header": header,
        "impact": encode([tables.traits["_impact"]]),
        "profile": encode([tables.traits["_profile"]]),
        "table": {str(decay): meaning(explanation, decay) for decay in DECAYS},
        "replies": [
            curves_reply(explanation, "income", 5, [0, 11]),
            curves_reply(explanation, "age", 100, [], [None, *range(11)]),
            curves_reply(explanation, "member", 2, []),
            curves_reply(explanation, "constant", 3, []),
            curves_reply(explanation, "town", 100, []),
            curves_reply(explanation, "grade", 100, []),
            curves_reply(explanation, "since", 100, []),
            curves_reply(explanation, "wait", 100, []),
            curves_reply(explanation, "side", 4, []),
            colors_reply(explanation, "income"),
            colors_reply(explanation, "age"),
            colors_reply(explanation, "member"),
            colors_reply(explanation, "constant"),
            *(colors_reply(explanation, name) for name in ("town", "grade", "since", "wait", "side", "east", "west")),
            colors_reply(explanation, "town", ["Kiš", "Ur"]),
            drivers_reply(explanation, "side"),
            *(effects_reply(explanation, name) for name in ("income", "age", "town", "grade", "constant")),
            *(correlated_reply(explanation, name) for name in ("income", "member")),
            *(unlike_reply(explanation, name) for name in ("age", "town")),
            intervals_reply(explanation, rank_by="in_distribution_impact", level=0.9, decay=0.75),
            intervals_reply(explanation, rank_by="missing_impact", level=0.9, decay=0.25),
            rows_reply(explanation, [0, 1, 2]),
            rows_reply(
                explanation._with(_observed_target=np.arange(12.0)), [0, 1, 2, 3], sort_by=4, descending=True, most=3
            ),
            rows_reply(explanation, list(range(12)), sort_by=2, descending=False, most=11),
            *(rows_reply(explanation, list(range(12)), sort_by=at, descending=True, most=5) for at in (5, 6, 7)),
            what_if_reply(explanation, 1, ["income", "age", "town", "since", "side"]),
            in_common_reply(explanation, [7, 8, 9, 10, 11]),
            extreme_reply(explanation, "highest"),
            interactions_reply(explanation),
            *(two_way_reply(explanation, *pair) for pair in PAIRS),
            classes_reply(X),
        ],
        "draft": draft(explanation, heads),
    }


def draft(explanation, heads):
    """Header and tables where the first feature is a draft of 5 of 12 rows, the second exact, and others not known."""
    errors = {
        "impact": 0.5,
        "direction": 0.25,
        "heterogeneity": 0.125,
        "non_linearity": 0.0,
        "missing_impact": math.nan,
    }
    sampling = Sampling(5, 12, errors, -np.log([1.0, 0.5, 0.25]), np.array([0.5, 0.3, 0.1]))
    drafted, exact, *_ = explanation.values()
    drafted, of_all = object.__new__(type(drafted)), drafted
    vars(drafted).update({**vars(of_all), "_sampling": sampling})
    known = explanation._with(
        _results={f.feature: f for f in (drafted, exact)}, _by_label={f.label: f for f in (drafted, exact)}
    )
    tables = Tables(len(heads))
    for position, feature in enumerate(known.values()):
        tables.enter(position, [feature])
    header = describe_header(known, heads, prediction_sd=explanation._context.prediction_sd)
    header["version"] = ""
    status = {
        "state": "computing", "done": 1, "total": len(heads), "n_rows": 5, "n_all": 12, "label": "age", "message": ""
    }  # fmt: skip
    return {
        "status": status,
        "header": header,
        "impact": encode([tables.traits["_impact"]]),
        "profile": encode([tables.traits["_profile"]]),
        "errors": {name: plain(value) for name, value in errors.items()},
        "decayed": {str(decay): float(sampling.in_distribution_impact(decay)) for decay in DECAYS},
    }


def meaning(explanation, decay):
    """Every metric of every feature at one decay; null where undefined."""
    table = explanation.table(decay=decay, rank_by=None)
    table["mean_change"] = [feature._mean_change for feature in explanation.values()]
    errors = [name for name in (*METRICS, *PROFILES) if name.endswith("_error")]
    table = table.assign(**dict.fromkeys(errors, math.nan))  # of what is exact
    return {feature: {name: plain(value) for name, value in row.items()} for feature, row in table.iterrows()}


def make_reply(request, body, means):
    """A reply as it is sent, and what it means."""
    content, buffers = packed(body)
    return {"request": request, "body": content, "buffers": encode(buffers), "means": means}


def curves_reply(explanation, name, max_lines, selection, y=None):
    feature = explanation[name]
    target = None if y is None else explanation._target(y)
    body = describe_curves(explanation, feature, max_lines, selection, target)
    rows = body.positions.tolist()
    means = {
        "rows": rows,
        "observed": [as_text(value) for value in feature.observed[rows]],
        "predictions": feature._predictions(rows).tolist(),
        "grid": [as_text(value) for value in feature.grid],
        "likelihood": feature.likelihood(0.5, rows=rows).ravel().tolist(),
        "missing": None if feature.missing_curve is None else feature._missing_rows(rows).tolist(),
        "curves": feature.compute_curves(rows).ravel().tolist(),
        "partial_dependence": feature.partial_dependence.tolist(),
        "target": None if y is None else [y[row] for row in rows],
    }
    request = {"type": "curves", "feature": name, "max_lines": max_lines, "selection": selection}
    return make_reply(request, body, means)


def colors_reply(explanation, name, levels=None):
    rows = list(range(explanation._n_observations))
    body = describe_colors(explanation._column(name), rows, levels or ())
    means = {"values": [as_text(value) for value in explanation._column(name).labels]}
    request = {"type": "colors", "column": name, "positions": rows, "levels": levels}
    return make_reply(request, body, means)


def drivers_reply(explanation, name):
    """Which rows are above or inside, by the rows whose colours the browser would see."""
    body = describe_drivers(explanation[name], explanation[name]._search_drivers())
    means = {"upper": {driver.column: upper_rows(explanation, driver) for driver in body.drivers}}
    return make_reply({"type": "drivers", "feature": name}, body, means)


def answer(explanation, request):
    """The body of the reply to a request."""
    feature = explanation[request["feature"]] if "feature" in request else None
    request = parse_request({"id": "", **request})
    return reply_to(request, explanation, Besides(), explanation._labels, feature=feature)


def effects_reply(explanation, name):
    """With the lines that pictures draw, by kind and anchor."""
    feature = explanation[name]
    table = explanation.effects(name, ("ale",))
    table = table.loc[[value for value in feature.grid if value in table.index]]  # levels as they are drawn
    drawn = {}
    for kind, anchor in (("ice", "min"), ("c-ice", "min"), ("c-ice", "median"), ("c-ice", 41.5), ("c-ice", "own")):
        lines = lines_of(explanation, feature, ViewState(kind=kind, anchor=anchor, max_lines=100))
        drawn[f"{kind} {anchor}"] = {"ale": [plain(value) for value in ale_line(feature, lines)[1]]}
    means = {
        "grid": [as_text(value) for value in table.index],
        "ale": table["ale"].tolist(),
        "drawn": drawn,
    }
    request = {"type": "effects", "feature": name}
    return make_reply(request, answer(explanation, request), means)


def correlated_reply(explanation, name):
    means = explanation[name].correlated()["correlation"].to_dict()
    request = {"type": "correlated", "feature": name}
    return make_reply(request, answer(explanation, request), means)


def unlike_reply(explanation, name):
    feature = explanation[name]
    positions = [3, 0, 11]
    request = {"type": "unlike", "feature": name, "positions": positions}
    body = answer(explanation, request)
    found, some = feature.extrapolation(), feature.extrapolation(rows=positions)
    means = {
        "grid": [as_text(value) for value in feature.grid],
        "shares": found.grid_shares.tolist(),
        "share": found.share,
        "flags": some.is_unlike.astype(int).tolist(),
        "curve_shares": some.curve_shares.tolist(),
    }
    return make_reply(request, body, means)


def intervals_reply(explanation, **request):
    """Ends of intervals by the table, and pairs of tied neighbours by name."""
    request = {"type": "intervals", **request}
    body = answer(explanation, request)
    rank_by, level, decay = (request[name] for name in ("rank_by", "level", "decay"))
    table = explanation.table(decay, rank_by=rank_by, ci=level)
    means = {
        "ends": {
            feature: [plain(row[f"{rank_by}_{end}"]) for end in ("low", "high")] for feature, row in table.iterrows()
        },
        "ranks": {feature: [plain(row[f"rank_{end}"]) for end in ("low", "high")] for feature, row in table.iterrows()},
        "tied": tied_neighbours(explanation.table(decay, rank_by=rank_by, ci=level)),
    }
    return make_reply(request, body, means)


def tied_neighbours(table):
    """Pairs of neighbours in rank that are tied, by name."""
    are_tied = table["tied_with_next"].fillna(value=False)
    return [list(pair) for pair, is_tied in zip(pairwise(table.index), are_tied, strict=False) if is_tied]


def upper_rows(explanation, driver):
    """Rows above the threshold, or at the levels; null for groups, whose values are no column's."""
    if driver.column not in explanation._context.columns.names:
        return None
    column = explanation._column(driver.column)
    if driver.threshold is None:
        return np.flatnonzero([str(label) in driver.levels for label in column.labels]).tolist()
    return np.flatnonzero(column.values > driver.threshold).tolist()


def classes_reply(X):
    """Two outputs, one on a million and one that moves the other way."""
    work = work_of(lambda rows: np.column_stack([model(rows), -model(rows)]), X, None, {"output": 1, "grid_size": 4})
    feature = work.compute("income")
    body = describe_classes(feature, work.opened.classes, feature._draw(5))
    rows = body.positions.tolist()
    of_one = feature.compute_curves(rows)
    means = {"rows": rows, "curves": [(-of_one).ravel().tolist(), of_one.ravel().tolist()]}
    request = {"type": "classes", "feature": "income", "max_lines": 5}
    return make_reply(request, body, means)


def rows_reply(explanation, positions, **order):
    request = {"type": "rows", "positions": positions, **order}
    return make_reply(request, describe_rows(explanation, positions, **order), {})


def what_if_reply(explanation, row, names):
    """With every decay, the largest change that `what_if` tells."""
    prediction = float(explanation.predictions([row])[0])
    body = WhatIfBody(row, prediction, [describe_moves(explanation[name], row, prediction) for name in names])
    tables = {decay: explanation.what_if(row, decay=decay) for decay in DECAYS}
    means = {str(decay): {name: float(table.loc[name, "change"]) for name in names} for decay, table in tables.items()}
    request = {"type": "what_if", "position": row, "features": names}
    return make_reply(request, body, {"changes": means})


def in_common_reply(explanation, rows):
    request = {"type": "in_common", "positions": rows}
    return make_reply(request, describe_in_common(explanation, rows), {})


def extreme_reply(explanation, end):
    predictions = explanation.predictions(range(explanation._n_observations))
    body = ExtremeBody(int(predictions.argmax() if end == "highest" else predictions.argmin()))
    return make_reply({"type": "extreme", "end": end}, body, {})


def interactions_reply(explanation):
    """What `interactions` returns, under the names that the browser sees."""
    interactions = JointEffects().interactions(explanation)
    while not interactions._advance():
        pass
    pairs = {" × ".join(pair): h2 for pair, h2 in interactions.pairs["h2"].items()}
    means = {"features": interactions.features.to_dict(), "pairs": pairs}
    return make_reply({"type": "interactions"}, describe_interactions(explanation, interactions), means)


def two_way_reply(explanation, first, second):
    """The mean at each pair of values, and the values of both as text."""
    two = explanation.two_way(first, second)
    mean = two.partial_dependence
    body = describe_two_way(two)
    means = {
        "partial_dependence": mean.ravel().tolist(),
        "near": two.near.ravel().tolist(),
        "grids": [[as_text(value) for value in axis.grid] for axis in (two.first, two.second)],
    }
    request = {"type": "two_way", "first": first, "second": second}
    return make_reply(request, body, means)


def as_text(value):
    """What a value is, as a reader writes it; None where it is missing."""
    if pd.isna(value):
        return None
    if isinstance(value, np.datetime64 | datetime):
        moment = pd.Timestamp(value)
        return str(moment.date()) if moment == moment.normalize() else f"{moment:%Y-%m-%d %H:%M}"
    if isinstance(value, np.timedelta64 | timedelta):
        return f"{cell_text(pd.Timedelta(value).total_seconds() / 60)} min"
    if isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool | np.bool_) else cell_text(float(value))


def plain(value):
    """A number as JSON has it."""
    if value is None or math.isnan(value):
        return None
    return float(value)


def encode(buffers):
    return [base64.b64encode(buffer).decode() for buffer in buffers]


def decode(buffers):
    return [base64.b64decode(text) for text in buffers]


def written():
    """The fixture as JSON, one message per line, so that a difference shows which one changed."""
    content = contract()
    lines = [f'"{name}": {compact(content[name])}' for name in content if name != "replies"]
    replies = ",\n".join(compact(reply) for reply in content["replies"])
    return "{\n" + ",\n".join(lines) + ',\n"replies": [\n' + replies + "\n]\n}\n"


def compact(content):
    return json.dumps(content, allow_nan=False, ensure_ascii=False, separators=(",", ":"))


@pytest.fixture(scope="module")
def committed():
    return json.loads(FIXTURE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def today():
    return json.loads(written())


@pytest.mark.parametrize("part", ["whole", "draft"])
def test_the_tables_are_what_the_kernel_sends_today(committed, today, part):
    """Header, tables and what they mean have not changed unnoticed."""
    then, now = (each if part == "whole" else each["draft"] for each in (committed, today))
    for name in now.keys() - {"draft", "replies"}:
        if name in {"impact", "profile"}:
            (one,), (other,) = (decode(each[name]) for each in (then, now))
            assert_alike(np.frombuffer(one, "<f4"), np.frombuffer(other, "<f4"), name)
        else:
            assert_alike(then[name], now[name], name)


def test_the_replies_are_what_the_kernel_sends_today(committed, today):
    """Every reply, its numbers and its meaning, has not changed unnoticed."""
    for one, other in zip(committed["replies"], today["replies"], strict=True):
        for name in ("request", "means"):
            assert_alike(one[name], other[name], name)
        then, now = (unpacked(each["body"], decode(each["buffers"])) for each in (one, other))
        assert_alike(then, now, one["request"]["type"])


def test_the_protocol_version_is_in_the_contract(committed):
    """A change of the protocol is a change of the contract."""
    assert committed["header"]["protocol"] == PROTOCOL_VERSION


if __name__ == "__main__":
    FIXTURE.write_text(written(), encoding="utf-8")
