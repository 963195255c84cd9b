"""Links: their values, and which of them is accepted for a forest."""

from dataclasses import replace

import numpy as np
import pytest
import strategies
from numpy.testing import assert_allclose
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.tree import DecisionTreeRegressor

import ice_explorer as ice
from ice_explorer.trees.forest import Link, TreeCurves


@pytest.mark.parametrize("m", [-800.0, -1.0, 0.0, 0.3, 800.0])
def test_links_at_the_ends_of_the_line(m):
    """No link warns or overflows where its result is a number."""
    margins = np.array([[m], [0.5], [-2.0]])
    exponentials = np.exp(margins - margins.max())
    with np.errstate(over="ignore"):
        sigmoid = 1.0 / (1.0 + np.exp(-m))
    assert_allclose(Link("sigmoid").apply(margins), sigmoid)
    assert_allclose(Link("softmax").apply(margins), exponentials[0] / exponentials.sum())
    assert_allclose(Link("softmax_log_odds").apply(margins), m - np.logaddexp(0.5, -2.0))


def accepted(forest, predict, response, position=None):
    """Return what has the links that reproduce predictions of two rows."""
    columns, rows = list(np.array([[0.0, 0, 0, 0], [1.0, 0, 0, 0]]).T), np.arange(2)
    predictions = predict(TreeCurves(forest, columns, {}).sweep([])(rows).base)
    candidates = forest.candidates(columns, None, position, response)
    matches = [make(columns, {}) for make, outputs in candidates if np.abs(outputs - predictions).max() < 1e-9]
    for trees in matches:
        assert_allclose(trees.link.apply(trees.sweep([])(rows).base), predictions, atol=1e-12)
    return matches


def stump(left, right):
    return strategies.forest_of_tuples([(0, 0.5, frozenset(), False, left, right)])


@pytest.mark.parametrize(
    ("response", "position", "predict"),
    [
        ("predict", None, lambda m: np.exp(m[0])),
        ("predict", None, lambda m: 1 / (1 + np.exp(-m[0]))),
        ("predict_proba", 0, lambda m: 1 / (1 + np.exp(m[0]))),
        ("log_odds", 0, lambda m: -2 * m[0]),
        ("decision_function", 1, lambda m: m[0]),
    ],
)
def test_one_link_reproduces_predictions(response, position, predict):
    """The sign of the first class and the factor of a margin belong to it."""
    assert len(accepted(replace(stump(-1, 2), factors=(1.0, 2.0)), predict, response, position)) == 1


def test_of_several_margins_only_one_is_kept_unless_they_are_shared_out():
    """Each class has a margin; a softmax needs all of them."""
    trees = [(0, 0.5, frozenset(), False, margin, -margin) for margin in (1, 2, 3)]
    forest = strategies.forest_of_tuples(trees, margins=[0, 1, 2], base=[0.0, 1.0, 2.0])
    (alone,) = accepted(forest, lambda m: m[1], "decision_function", 1)
    assert (len(alone.base), len(alone.margins), alone.link) == (1, 1, Link())
    (shared,) = accepted(forest, lambda m: np.exp(m[2]) / np.exp(m).sum(0), "predict_proba", 2)
    assert len(shared.base) == 3


def test_predicted_classes_are_not_taken_for_probabilities():
    """Margins of 40 have probabilities of 0 and 1 to rounding."""
    assert accepted(stump(-40, 40), lambda m: 1.0 * (m[0] > 0), "predict") == []
    assert len(accepted(stump(-40, 40), lambda m: 1.0 * (m[0] > 0), "predict_proba", 1)) == 1


def test_a_forest_that_several_links_reproduce_is_left_to_the_model():
    """All margins are 0 here, whatever they are multiplied by."""
    X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), [0, 1, 0, 1]
    model = GradientBoostingClassifier(n_estimators=1, loss="exponential").fit(X, y)
    model.estimators_[0, 0] = DecisionTreeRegressor().fit(X, [-1.0, -1.0, 1.0, 1.0])
    model.learning_rate = 0.0
    e = ice.explain(model, X, progress=False)
    assert e.method == "brute"
    assert any("Several functions of the sum of the leaves" in note for note in e.notes)
