"""Laying out an explanation: what the buffers hold, and how numbers, levels and rows are written."""

from __future__ import annotations

import json
import math
import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import ice_explorer as ice
from ice_explorer import errors
from ice_explorer.export import save
from ice_explorer.features.number_text import cell_text
from ice_explorer.metrics.ordered import CONVENTIONS
from ice_explorer.scene.provenance import code_line
from ice_explorer.wire.buffers import f32, f64, u32
from ice_explorer.wire.colors import colors_of
from ice_explorer.wire.header import METRICS, PROFILES, Tables, header_of
from ice_explorer.wire.lines import curves_of
from ice_explorer.wire.rows import rows_of


def column_of(values):
    """A column as an explanation knows it, beside one feature that makes the table explainable."""
    X = pd.DataFrame({"feature": np.arange(float(len(values))), "column": values})
    explanation = ice.explain(lambda X: X["feature"].to_numpy(), X, features=["feature"], progress=False)
    return explanation._column("column")


def colors(values, positions=None):
    """Body and decoded values of a column at some rows, all by default."""
    column = column_of(values)
    body, (buffer,) = colors_of(column, range(len(values)) if positions is None else positions)
    return body, np.frombuffer(buffer, "<f8" if body["kind"] == "continuous" else "<f4").tolist()


def nan_as_none(values):
    return [None if math.isnan(value) else value for value in values]


# --- lines ----------------------------------------------------------------------------------------


def test_predictions_at_own_values_are_sent_where_the_curves_do_not_tell_them():
    """With the median in the place of a missing value; nothing where every observed value is on the grid."""
    X = np.array([[1.0, 1.0], [2.0, 2.0], [4.0, 3.0], [np.nan, 5.0]])
    model = lambda rows: np.nan_to_num(rows[:, 0], nan=-3.0) ** 2 * rows[:, 1]  # noqa: E731 - one line says it
    coarse, fine = (ice.explain(model, X, grid=grid, progress=False) for grid in ({"x0": [1.0, 3.0]}, "observed"))
    body, buffers = curves_of(coarse, coarse["x0"], 10, ())
    assert_allclose(np.frombuffer(buffers[13], "<f4") + body["offset"], [1.0, 8.0, 48.0, 20.0], rtol=1e-6)
    assert curves_of(fine, fine["x0"], 10, ())[1][13] == b""


def test_large_outputs_keep_their_digits():
    """Curves around 1e9 that differ in the first decimal still differ in the buffer."""
    X = pd.DataFrame({"a": [0.0, 0.1, 0.2, 0.3]})
    explanation = ice.explain(lambda X: 1e9 + X["a"].to_numpy(), X, progress=False)
    body, buffers = curves_of(explanation, explanation["a"], 10, [])
    curves = np.frombuffer(buffers[5], "<f4") + body["offset"]
    assert_allclose(curves.reshape(4, 4)[0], 1e9 + np.array([0.0, 0.1, 0.2, 0.3]), atol=1e-6)


def test_selected_rows_are_always_drawn():
    """However few lines are requested, selected rows are among them, the first row too."""
    X = pd.DataFrame({"a": np.arange(50.0)})
    explanation = ice.explain(lambda X: X["a"].to_numpy(), X, progress=False)
    body, buffers = curves_of(explanation, explanation["a"], 3, [0, 49])
    positions = np.frombuffer(buffers[0], "<u4").tolist()
    assert {0, 49} <= set(positions)
    assert positions == sorted(positions)
    assert body["n_lines"] == len(positions) <= 5


def test_row_labels_are_sent_where_rows_have_names():
    """Rows numbered from 0 need no labels; any other index is shown."""
    X = pd.DataFrame({"a": [1.0, 2.0, 4.0]})
    plain = ice.explain(lambda X: X["a"].to_numpy(), X, progress=False)
    named = ice.explain(lambda X: X["a"].to_numpy(), X.set_index([["x", "y", "z"]]), progress=False)
    assert curves_of(plain, plain["a"], 9, [])[0]["row_labels"] is None
    assert curves_of(named, named["a"], 9, [])[0]["row_labels"] == ["x", "y", "z"]


def test_notes_are_of_the_feature_that_they_begin_with():
    """The label is parted from the statement about it, whatever it holds; a note on a column is on all."""
    X = pd.DataFrame({"a": [0.0, 1.0, 3.0], "a': 'b": [0.0, 1.0, 9.0], "it: is": [1.0, 2.0, 3.0]})
    explanation = ice.explain(lambda X: X["a"] ** 4 + X["a': 'b"] ** 4, X, progress=False)
    explanation.notes = ["'a': steep.", "\"a': 'b\": odd: very.", "'it: is': flat.", "'z': no feature.", "Note: all."]
    heads = [{"name": f.label, "kind": f.kind, "n_grid": 3, "scale": 1.0} for f in explanation]
    notes = header_of(explanation, heads, "")["notes"]
    assert [(note["feature"], note["text"]) for note in notes] == [
        ("a", "steep."),
        ("a': 'b", "odd: very."),
        ("it: is", "flat."),
        (None, "'z': no feature."),
        (None, "Note: all."),
    ]


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_tables_are_counted_as_they_are_told(convention):
    """Every figure of both tables is that of the convention, at every decay, and that of "stable" beside it."""
    X = pd.DataFrame({"a": [0.0, 1.0, 3.0, 4.5], "b": list("xyyx"), "c": [1.0, np.nan, 2.0, 2.0]})
    explanation = ice.explain(
        lambda X: X["a"] ** 2 + (X["b"] == "x") * X["a"] + X["c"].fillna(0.0) ** 3, X, progress=False
    )
    tables = Tables(3, convention)
    for position, feature in enumerate(explanation):
        tables.fill(position, feature)
    impact = np.frombuffer(tables.impact, "<f4").reshape(3, -1)
    profile = np.frombuffer(tables.profile, "<f4").reshape(len(PROFILES), 3, -1)
    for decay in (1.0, 0.31, 0.01):
        whole = explanation.table(decay, convention, sort_by=None)
        whole = whole.join(explanation.table(decay, "stable", sort_by=None).add_prefix("stable_"))
        known = [name for name in METRICS if name != "mean_change" and not name.endswith("_error")]
        found = impact[:, [METRICS.index(name) for name in known]]
        assert_allclose(found, whole[known].to_numpy(), rtol=1e-6)
        step = round(100 * decay) - 1
        assert_allclose(profile[:-1, :, step].T, whole[list(PROFILES[:-1])].to_numpy(), rtol=1e-6)
    assert PROFILES[-1] == "in_distribution_impact_error"
    errors = [at for at, name in enumerate(METRICS) if name.endswith("_error")]
    assert np.isnan(impact[:, errors]).all()  # of what is exact
    assert np.isnan(profile[-1]).all()


def test_unknown_figures_are_nan():
    """A feature that is not filled in is NaN in both tables, not 0."""
    X = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [1.0, 0.0, 3.0]})
    explanation = ice.explain(lambda X: X["a"].to_numpy(), X, progress=False)
    tables = Tables(2, "stable")
    tables.fill(1, explanation["b"])
    impact = np.frombuffer(tables.impact, "<f4").reshape(2, -1)
    profile = np.frombuffer(tables.profile, "<f4").reshape(len(PROFILES), 2, -1)
    assert np.isnan(impact[0]).all()
    assert np.isnan(profile[:, 0]).all()
    assert_allclose(impact[1, 0], 0.0)
    assert_allclose(profile[1, 1, -1], 1.0)


# --- colours --------------------------------------------------------------------------------------


def test_numbers_are_coloured_on_a_ramp():
    """The ramp spans all but the outermost values, so that an outlier does not take it."""
    values = [*np.arange(99.0), 1e9]
    body, sent = colors(values)
    assert body["kind"] == "continuous"
    assert body["domain"] == pytest.approx((1.98, 97.02))
    assert_allclose(sent, values)


def test_a_ramp_has_a_width_where_most_values_are_equal():
    """If all but a few values are alike, the ramp spans those few."""
    body, _ = colors([0.0] * 500 + [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert body["domain"] == (0.0, 6.0)


def test_few_numbers_are_ordered_levels():
    """Up to six distinct numbers are levels in their order, written as numbers."""
    body, sent = colors([3.0, 0.0, math.nan, 3.0, 1.5])
    assert body == {
        "column": "column",
        "kind": "category",
        "ordered": True,
        "levels": ["0", "1.5", "3"],
        "values": [0.0, 1.5, 3.0],
        "counts": [1, 1, 2],
    }
    assert nan_as_none(sent) == [2, 0, None, 2, 1]


def test_booleans_are_two_ordered_levels():
    """False comes before True."""
    body, sent = colors([True, False, True])
    assert (body["levels"], body["counts"], body["ordered"]) == (["False", "True"], [1, 2], True)
    assert sent == [1, 0, 1]


def test_categories_are_levels_in_their_order():
    """Levels come in the order of the column: of the categories, or of first appearance; a missing value is none."""
    body, sent = colors(["b", "c", None, "a", "c"])
    assert (body["levels"], body["counts"], body["ordered"]) == (["b", "c", "a"], [1, 2, 1], False)
    assert nan_as_none(sent) == [0, 1, None, 2, 1]
    body, _ = colors(pd.Categorical(["b", "c", "a"], ["c", "b", "a"]))
    assert body["levels"] == ["c", "b", "a"]


def test_rare_categories_share_a_level():
    """Beyond the eight most frequent, categories are one level, the last."""
    values = [letter for n, letter in enumerate("abcdefghij") for _ in range(20 - n)]
    body, sent = colors(values)
    assert body["levels"] == [*"abcdefgh", "other"]
    assert body["counts"][-1] == 12 + 11
    assert sent[-1] == 8
    values[:20] = ["other"] * 20
    body, _ = colors(values)
    assert body["levels"][0] == "other"
    assert body["levels"][-1] == "other levels"


def test_ordered_categories_are_levels_in_their_order():
    """Few ranks have a swatch each; many make a ramp whose ends have names."""
    body, sent = colors(pd.Categorical(["mid", "low", None], ["low", "mid"], ordered=True))
    assert (body["kind"], body["ordered"], body["levels"]) == ("category", True, ["low", "mid"])
    assert nan_as_none(sent) == [1, 0, None]
    names = [f"step {rank}" for rank in range(15)]
    body, sent = colors(pd.Categorical(names, names, ordered=True))
    assert (body["kind"], body["of"], body["domain"], body["levels"]) == ("continuous", "ordered", (0.0, 14.0), names)
    assert sent == list(range(15))


def test_dates_and_durations_are_coloured_on_a_ramp():
    """Values are days, to the minute and beyond; the kind says how they are read."""
    minutes = pd.date_range("2026-03-14", periods=100, freq="min")
    body, sent = colors(minutes)
    assert (body["kind"], body["of"], body["levels"]) == ("continuous", "datetime", None)
    assert_allclose(np.diff(sent), 1 / 1440, rtol=1e-6)
    body, sent = colors(pd.to_timedelta(np.arange(10.0), unit="h"))
    assert body["of"] == "timedelta"
    assert_allclose(sent, np.arange(10) / 24)
    body, _ = colors(pd.to_datetime(["2020-02-29", "2021-01-01"]))
    assert body["levels"] == ["2020-02-29", "2021-01-01"]


def test_what_is_of_no_kind_is_coloured_by_as_text():
    """Lists and other objects are levels by their text, most frequent first."""
    body, sent = colors([[2], [1], None, [1]])
    assert (body["levels"], body["ordered"]) == (["[1]", "[2]"], False)
    assert nan_as_none(sent) == [1, 0, None, 0]


def test_colours_are_of_the_rows_asked_for():
    """Values come in the order of the positions; levels and counts are those of the column."""
    body, sent = colors(["a", "b", "a"], positions=[1, 0])
    assert body["counts"] == [2, 1]
    assert sent == [1, 0]
    assert colors(["a", "b", "a"], positions=[])[1] == []


def test_positions_beyond_the_data_are_refused():
    """A browser that still shows another data set gets an error."""
    with pytest.raises(errors.InvalidOptionError) as caught:
        colors(["a", "b"], positions=[0, 2])
    assert str(caught.value) == (
        "`positions` must be row positions of X, from 0 to 1; got 2. Rows are addressed by position, not by "
        "index label; `X.index.get_indexer(labels)` has the positions."
    )


# --- rows -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (3.0, "3"),
        (1234567.0, "1234567"),
        (1234567.5, "1.23457e+06"),
        (1e300, "1e+300"),
        (123456.0, "123456"),
        (0.1 + 0.2, "0.3"),
        (-1e-9, "-1e-09"),
        (math.nan, ""),
    ],
)
def test_numbers_are_written_as_read(value, text):
    """Six digits, whole numbers in full, missing values as nothing."""
    assert cell_text(value) == text


def test_rows_are_text():
    """Every kind of column is written, missing values as nothing, markup as it is."""
    X = pd.DataFrame(
        {
            "number": [1.5, math.nan],
            "flag": [True, False],
            "text": ["<b>bold</b>", None],
            "day": pd.to_datetime(["2020-02-29", None]),
            "wait": pd.to_timedelta([90, None], unit="min"),
            "grade": pd.Categorical(["low", None], ["low", "high"], ordered=True),
        }
    )
    explanation = ice.explain(lambda X: X["flag"].to_numpy() * 1.0, X, features=["flag"], progress=False)
    body = rows_of(explanation, [0, 1])
    assert body["columns"] == ["prediction", "number", "flag", "text", "day", "wait", "grade"]
    assert (body["n_outcomes"], body["positions"]) == (1, [0, 1])
    assert body["rows"][0] == ["1", "1.5", "True", "<b>bold</b>", "2020-02-29", "90 min", "low"]
    assert body["rows"][1] == ["0", "", "False", "", "", "", ""]
    assert rows_of(explanation, []) == {**body, "positions": [], "rows": []}


@pytest.mark.parametrize("n_values", [2, 4, 40])
def test_infinite_values_colour_as_the_ends_do_and_are_plain_json(n_values):
    """Ratios are infinite now and then; a ramp is of the finite ones, and what is sent has no infinity."""
    ratio = np.tile(np.arange(float(n_values)), 60 // n_values + 1)[:60]
    ratio[::4], ratio[1::8] = np.inf, -np.inf
    X = pd.DataFrame({"a": np.random.default_rng(5).normal(size=60), "ratio": ratio})
    explanation = ice.explain(lambda rows: rows["a"].to_numpy(), X, features=["a"], progress=False)
    body, buffers = colors_of(explanation._column("ratio"), list(range(60)))
    json.dumps(body, allow_nan=False)
    finite = ratio[np.isfinite(ratio)]
    if n_values == 40:
        assert_allclose(body["domain"], np.quantile(finite, [0.02, 0.98]), rtol=1e-12)
        assert_array_equal(np.frombuffer(buffers[0]), ratio)
    else:
        order = np.unique(ratio)
        assert body["values"] == [-sys.float_info.max, *np.unique(finite).tolist(), sys.float_info.max]
        assert_array_equal(np.frombuffer(buffers[0], dtype=np.float32), np.searchsorted(order, ratio))
    assert save.frozen(explanation, {"color_by": "ratio"})._repr_html_()


# --- header ---------------------------------------------------------------------------------------


def test_a_note_belongs_to_the_feature_it_begins_with():
    """A note names its feature first, which is sent apart; "a" is not mistaken for "a b"."""
    X = pd.DataFrame({"a": np.arange(40.0), "a b": [*np.arange(39.0), 1000.0]})
    step = lambda X: (X["a b"] > 10.5).to_numpy() * 1.0 + X["a"].to_numpy() * 1e-9  # noqa: E731
    explanation = ice.explain(step, X, progress=False)
    heads = [{"name": name} for name in explanation.labels]
    notes = header_of(explanation, heads, "")["notes"]
    assert [note["feature"] for note in notes] == ["a b"]
    assert [f"'a b': {note['text']}" for note in notes] == explanation.notes


def test_the_code_line_makes_the_explorer_again():
    """Short options are written out, long ones by their name."""
    options = {"output": "yes", "decay": 0.5, "grid": {"a": list(range(100))}}
    assert code_line(options) == ("ICEExplorer(model, X, output='yes', decay=0.5, grid=grid)")
    assert code_line({"sample_weight": np.arange(3.0)}) == ("ICEExplorer(model, X, sample_weight=sample_weight)")
    assert code_line({"progress": print}) == "ICEExplorer(model, X, progress=progress)"
    assert code_line({}) == "ICEExplorer(model, X)"


def test_buffers_are_little_endian():
    """Whatever the machine, the first byte is the smallest."""
    assert u32([1]) == b"\x01\x00\x00\x00"
    assert f32([1.0]) == b"\x00\x00\x80\x3f"
    assert_array_equal(np.frombuffer(f64([1.0, math.nan]), "<f8"), [1.0, math.nan])
