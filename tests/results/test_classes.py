"""The same rows for every class: each class's own curves, and no further call of the model for them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import ice_explorer as ice
from ice_explorer.errors import OptionError
from ice_explorer.plan import MOST_SHOWN
from ice_explorer.widget import replies
from ice_explorer.widget.work import work_of
from ice_explorer.wire import requests

N = 60
GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=(N, 3))
THREE = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + 0.3 * X[:, 1] * X[:, 2], [-0.5, 0.5])]


def opened(model, **options):
    """Work on class "b", and its features."""
    work = work_of(model, X, None, {"output": "b", **options})
    return work, {name: work.compute(name) for name in work.names}


FOREST = RandomForestClassifier(8, random_state=0)
BOOSTING = HistGradientBoostingClassifier(max_iter=8)


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (FOREST, "observed"),
        (FOREST, "thresholds"),
        (BOOSTING, "observed"),
        (BOOSTING, "thresholds"),
        (LogisticRegression(), "observed"),
    ],
)
def test_each_class_has_the_curves_that_it_has_alone(model, grid):
    """What stands side by side is what an explanation of each class says, by whatever method."""
    work, features = opened(model.fit(X, THREE), grid=grid)
    rows = np.arange(0, N, 7)
    lines = work.opened.classes.lines("x1", rows)
    assert (lines.outputs, lines.explained, lines.n_outputs) == (("a", "b", "c"), 1, 3)
    for name, curves in zip(lines.outputs, lines.curves, strict=True):
        alone = ice.explain(model, X, output=name, grid={"x1": features["x1"].grid}, features=["x1"], progress=False)
        assert_allclose(curves, alone["x1"].compute_curves(rows), rtol=1e-9, atol=1e-12)
    assert_allclose(lines.curves.sum(axis=0), 1, rtol=1e-9)


def test_of_many_classes_the_most_probable_are_shown_and_the_explained_one():
    """As many as fit, with how many there are."""
    y = np.repeat(np.arange(12), 5)
    model = KNeighborsClassifier(20).fit(X, y)
    work = work_of(model, X, None, {"output": 11})
    rows = np.arange(N)
    lines = work.opened.classes.lines("x0", rows)
    assert (len(lines.outputs), lines.n_outputs) == (MOST_SHOWN, 12)
    assert lines.outputs[lines.explained] == "11"
    means = model.predict_proba(X).mean(axis=0)
    likeliest = [str(place) for place in np.argsort(-means, kind="stable")[:MOST_SHOWN]]
    assert set(likeliest) - set(lines.outputs) <= {likeliest[-1]}


def test_a_single_output_has_nothing_beside_it():
    """A regressor and an explanation stand alone."""
    work = work_of(lambda rows: rows[:, 0], X, None, {})
    assert work.opened.classes is None
    with pytest.raises(OptionError) as caught:
        replies.answer_of(work, None, requests.ClassesRequest(id="1", feature="x0", max_lines=50))
    assert str(caught.value) == (
        "Classes can be shown side by side where the model at hand has several; this explorer knows of one output. "
        "Call `ICEExplorer(model, X)` with a model of several classes."
    )
