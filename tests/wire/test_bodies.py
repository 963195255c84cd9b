"""Laying out an explanation where the contract has no case: colours, notes and numbers. See tests/contract."""

from __future__ import annotations

import json
import math
import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import ice_explorer as ice
from ice_explorer.export import save
from ice_explorer.features.axis_text import cell_text
from ice_explorer.scene.choices import ViewState
from ice_explorer.wire.arrays import packed
from ice_explorer.wire.header import describe_header, outline_of
from ice_explorer.wire.replies import describe_colors, describe_curves


def column_of(values):
    """A column as an explanation knows it, beside one feature that makes the table explainable."""
    X = pd.DataFrame({"feature": np.arange(float(len(values))), "column": values})
    explanation = ice.explain(lambda X: X["feature"].to_numpy(), X, features=["feature"], progress=False)
    return explanation._column("column")


def colors(values, positions=None):
    """Body and decoded values of a column at some rows, all by default."""
    column = column_of(values)
    body = describe_colors(column, range(len(values)) if positions is None else positions)
    return body.scale, body.values


# --- lines ----------------------------------------------------------------------------------------


def test_predictions_at_own_values_are_sent_where_the_curves_do_not_tell_them():
    """With the median in the place of a missing value; nothing where every observed value is on the grid."""
    X = np.array([[1.0, 1.0], [2.0, 2.0], [4.0, 3.0], [np.nan, 5.0]])
    model = lambda rows: np.nan_to_num(rows[:, 0], nan=-3.0) ** 2 * rows[:, 1]  # noqa: E731 - one line says it
    coarse, fine = (ice.explain(model, X, grid=grid, progress=False) for grid in ({"x0": [1.0, 3.0]}, "observed"))
    body = describe_curves(coarse, coarse["x0"], 10, ())
    assert_allclose(body.at_own + body.offset, [1.0, 8.0, 48.0, 20.0], rtol=1e-12)
    assert describe_curves(fine, fine["x0"], 10, ()).at_own is None


def test_row_labels_are_sent_where_rows_have_names():
    """Rows numbered from 0 need no labels; any other index is shown."""
    X = pd.DataFrame({"a": [1.0, 2.0, 4.0]})
    plain = ice.explain(lambda X: X["a"].to_numpy(), X, progress=False)
    named = ice.explain(lambda X: X["a"].to_numpy(), X.set_index([["x", "y", "z"]]), progress=False)
    assert describe_curves(plain, plain["a"], 9, []).row_labels is None
    assert describe_curves(named, named["a"], 9, []).row_labels == ["x", "y", "z"]


def test_notes_are_of_the_feature_that_they_begin_with():
    """The label is parted from the statement about it, whatever it holds; a note on a column is on all."""
    X = pd.DataFrame({"a": [0.0, 1.0, 3.0], "a': 'b": [0.0, 1.0, 9.0], "it: is": [1.0, 2.0, 3.0]})
    explanation = ice.explain(lambda X: X["a"] ** 4 + X["a': 'b"] ** 4, X, progress=False)
    explanation.notes = ["'a': steep.", "\"a': 'b\": odd: very.", "'it: is': flat.", "'z': no feature.", "Note: all."]
    notes = describe_header(explanation, list(map(outline_of, explanation.values())))["notes"]
    assert [(note["feature"], note["text"]) for note in notes] == [
        ("a", "steep."),
        ("a': 'b", "odd: very."),
        ("it: is", "flat."),
        (None, "'z': no feature."),
        (None, "Note: all."),
    ]


# --- colours --------------------------------------------------------------------------------------


def test_an_outlier_does_not_take_the_ramp():
    """It spans all but the outermost values, and where most are equal the few others."""
    body, values = colors([*np.arange(99.0), 1e9])
    assert body.kind == "continuous"
    assert body.domain == pytest.approx((1.98, 97.02))
    assert_array_equal(values, [*np.arange(99.0), 1e9])
    assert colors([0.0] * 500 + [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])[0].domain == (0.0, 6.0)


@pytest.mark.parametrize(
    ("values", "levels", "ordered", "expected"),
    [
        ([3.0, 0.0, math.nan, 3.0, 1.5], ["0", "1.5", "3"], True, [2, 0, math.nan, 2, 1]),
        (["b", "c", None, "a", "c"], ["a", "b", "c"], False, [1, 2, math.nan, 0, 2]),
        (pd.Categorical(["b", "c", "a"], ["c", "b", "a"]), ["c", "b", "a"], False, [1, 0, 2]),
        (pd.Categorical(["mid", "low"], ["low", "mid"], ordered=True), ["low", "mid"], True, [1, 0]),
        ([[2], [1], None, [1]], ["[1]", "[2]"], False, [1, 0, math.nan, 0]),
    ],
    ids=["few numbers", "texts", "categories", "ranks", "objects"],
)
def test_levels_come_in_the_order_of_the_column(values, levels, ordered, expected):
    """Of numbers, of the categories or of the texts; objects by frequency. A missing value is none of them."""
    body, codes = colors(values)
    assert (body.kind, body.levels, body.ordered) == ("category", levels, ordered)
    assert_array_equal(codes, expected)
    assert body.counts == [expected.count(place) for place in range(len(levels))]
    assert colors(values, positions=[1, 0])[1].tolist() == [expected[1], expected[0]]


def test_rare_categories_share_a_level():
    """Beyond the eight most frequent, categories are one level, the last."""
    values = [letter for n, letter in enumerate("abcdefghij") for _ in range(20 - n)]
    body, sent = colors(values)
    assert body.levels == [*"abcdefgh", "other"]
    assert body.counts[-1] == 12 + 11
    assert sent[-1] == 8
    values[:20] = ["other"] * 20
    body, _ = colors(values)
    assert body.levels[-2:] == ["other", "other levels"]


def test_many_ranks_are_a_ramp_whose_ends_have_names():
    """Few have a swatch each."""
    names = [f"step {rank}" for rank in range(15)]
    body, ranks = colors(pd.Categorical(names, names, ordered=True))
    assert (body.kind, body.of, body.domain, body.levels) == ("continuous", "ordered", (0.0, 14.0), names)
    assert_array_equal(ranks, np.arange(15))


# --- rows -----------------------------------------------------------------------------------------


def test_numbers_are_written_as_read():
    """Six digits, whole numbers in full, missing values as nothing."""
    numbers = [0.0, -0.0, 3.0, 1234567.0, 1234567.5, 1e300, 0.1 + 0.2, -1e-9, math.nan]
    texts = ["0", "0", "3", "1234567", "1.23457e+06", "1e+300", "0.3", "-1e-09", ""]
    assert [cell_text(number) for number in numbers] == texts


@pytest.mark.parametrize("n_values", [2, 4, 40])
def test_infinite_values_colour_as_the_ends_do_and_are_plain_json(n_values):
    """Ratios are infinite now and then; a ramp is of the finite ones, and what is sent has no infinity."""
    ratio = np.tile(np.arange(float(n_values)), 60 // n_values + 1)[:60]
    ratio[::4], ratio[1::8] = np.inf, -np.inf
    X = pd.DataFrame({"a": np.random.default_rng(5).normal(size=60), "ratio": ratio})
    explanation = ice.explain(lambda rows: rows["a"].to_numpy(), X, features=["a"], progress=False)
    body = describe_colors(explanation._column("ratio"), list(range(60)))
    json.dumps(packed(body)[0], allow_nan=False)
    finite = ratio[np.isfinite(ratio)]
    if n_values == 40:
        assert_allclose(body.scale.domain, np.quantile(finite, [0.02, 0.98]), rtol=1e-12)
        assert_array_equal(body.values, ratio)
    else:
        order = np.unique(ratio)
        assert body.scale.values == [-sys.float_info.max, *np.unique(finite).tolist(), sys.float_info.max]
        assert_array_equal(body.values, np.searchsorted(order, ratio))
    assert save.frozen(explanation, ViewState(color_by="ratio"))._repr_html_()


# --- header ---------------------------------------------------------------------------------------
