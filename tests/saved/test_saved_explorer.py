"""An explorer of an explanation from a file: all that was saved, and a sentence where the model is needed."""

import math
import tempfile

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_equal
from origins import read_provenance

import ice_explorer as ice
from ice_explorer.results.column_colors import RESIDUAL
from ice_explorer.wire import replies


@pytest.fixture(scope="module")
def results():
    """An explanation of 200 rows, and files with all and with 40 of them."""
    draw = np.random.default_rng(1)
    X = pd.DataFrame({"a": draw.normal(size=200), "b": draw.integers(0, 2, 200), "city": draw.choice(list("xyz"), 200)})
    X.loc[3, "a"] = np.nan
    e = ice.explain(lambda X: (1 + X["a"].fillna(0)) * X["b"] * (X["city"] == "x"), X, progress=False)
    return e, opened(e, max_lines=200), opened(e, max_lines=40)


def opened(e, **options):
    """Save and open."""
    with tempfile.TemporaryDirectory() as folder:
        return ice.load(e.save(f"{folder}/result.ice", **options))


REQUESTS = (
    {"type": "curves", "feature": "a", "max_lines": 20, "selection": [1]},
    {"type": "curves", "feature": "city", "max_lines": 20, "selection": []},
    {"type": "drivers", "feature": "a"},
    {"type": "effects", "feature": "a"},
    {"type": "colors", "column": "city", "positions": [0, 1, 2]},
    {"type": "rows", "positions": [0, 5]},
    {"type": "what_if", "position": 0, "features": ["a", "b", "city"]},
    {"type": "in_common", "positions": [0, 1, 2, 3]},
    {"type": "extreme", "end": "highest"},
    {"type": "correlated", "feature": "a"},
)


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request["type"])
def test_what_was_saved_is_answered_as_before(make, ask, results, request_, monkeypatch):
    """To the byte, where all rows were saved; with the same form, where some were."""
    monkeypatch.setattr(replies, "_SECONDS_OF_REPLY", math.inf)
    found = [ask(make(e), **request_) for e in results]
    bodies = [content["body"] for content, _ in found]
    assert_equal(bodies[1], bodies[0])
    assert [bytes(each) for each in found[1][1]] == [bytes(each) for each in found[0][1]]
    assert bodies[2].keys() == bodies[0].keys()


def test_an_explorer_of_a_file_has_the_observed_target(make, ask):
    """Residuals, observed values of rows and its name are those of the explorer that was saved."""
    draw = np.random.default_rng(2)
    X = pd.DataFrame({"a": draw.normal(size=50), "b": draw.normal(size=50)})
    y = pd.Series(draw.normal(size=50), name="price")
    y[7] = np.nan
    e = make(lambda X: X["a"] * X["b"], X, y).explanation
    o = opened(e)
    assert (o._target_name, o._outcome_labels) == ("price", e._outcome_labels)
    for request in (
        {"type": "curves", "feature": "a", "max_lines": 20, "selection": []},
        {"type": "rows", "positions": [0, 7]},
        {"type": "colors", "column": e._outcome_labels[RESIDUAL], "positions": [0, 7]},
    ):
        found = [ask(make(*of), **request) for of in ((e,), (o,))]
        assert_equal(found[1][0]["body"], found[0][0]["body"])
        assert [bytes(each) for each in found[1][1]] == [bytes(each) for each in found[0][1]]
    assert opened(make(lambda X: X["a"] * X["b"], X).explanation)._observed_target is None


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        ({"type": "interactions"}, "Interactions need the curves of all rows; this explanation has those of"),
        ({"type": "two_way", "first": "a", "second": "b"}, "Partial dependence on two features needs the model"),
        ({"type": "intervals", "rank_by": "impact", "level": 0.95, "decay": 0.5,
          "unit": "prediction"}, "Intervals need the curves of all rows"),
    ],
    ids=lambda request: request["type"] if isinstance(request, dict) else "",
)  # fmt: skip
def test_what_needs_the_model_says_so(make, ask, results, request_, sentence):
    """With what to do."""
    content, _ = ask(make(results[2]), **request_)
    assert content["type"] == "error"
    assert content["message"].startswith(sentence)
    assert "Explain the model again" in content["message"]


def test_what_needs_rows_is_not_there(make, results):
    """Another distance unit where rows are missing."""
    conditional = {"version": 2, "distance": "conditional"}
    with pytest.warns(UserWarning, match="the distance 'conditional', which is not available"):
        x = make(results[2], state=conditional)
    assert x.distance == "marginal"
    assert make(results[1], state=conditional).distance == "conditional"


@pytest.mark.wide
@pytest.mark.parametrize("suffix", [".svg", ".html", ".csv", ".json", ".ice"])
def test_files_are_written(make, results, tmp_path, suffix):
    """Of every kind that needs no further package, where some rows were saved."""
    x = make(results[2])
    x.color_by = "city"
    x.selection = [0, 3]
    file = x.save(tmp_path / f"view{suffix}")
    assert file.stat().st_size > 400
    assert "versions" in read_provenance(file)
