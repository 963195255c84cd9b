"""Links: their values, and which of them is accepted for a forest."""

from dataclasses import replace

import numpy as np
import pytest
import strategies
from numpy.testing import assert_allclose

from ice_explorer.trees.forest import UnsupportedTreesError, accept_link
from ice_explorer.trees.link import Link


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
    assert_allclose(Link("softplus").apply(margins), np.logaddexp(0.0, m))
    assert_allclose(Link("signed_square").apply(margins), m * abs(m))


def test_log_odds_know_rounding_from_a_vote():
    """What lies closer to 0 or 1 than a single leaf can is 0 or 1."""
    p = np.array([[1e-17, 0.01, 0.5, 0.99, 1.0 + 1e-16, 1.0 - 1e-15]])
    expected = [-np.inf, np.log(0.01 / 0.99), 0.0, np.log(0.99 / 0.01), np.inf, np.inf]
    assert_allclose(Link("logit", resolution=0.005).apply(p), expected, atol=1e-15)


def accepted(forest, predict, response, position=None):
    """Return the forest with the link that reproduces predictions of two rows, and the predictions of these rows."""
    columns = list(np.array([[0.0, 0, 0, 0], [1.0, 0, 0, 0]]).T)
    predictions = predict(forest.base[:, None] + forest.sum_leaves(columns))

    def difference(outputs):
        return float(np.abs(outputs - predictions).max())

    forest, apart = accept_link(forest, position, response, columns, difference, tolerance=1e-9)
    return forest, apart, forest.predict(columns), predictions


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
def test_the_link_that_reproduces_predictions_is_accepted(response, position, predict):
    """The sign of the first class and the factor of a margin belong to it."""
    forest = replace(stump(-1, 2), factors=(1.0, 2.0))
    _, apart, outputs, predictions = accepted(forest, predict, response, position)
    assert apart < 1e-12
    assert_allclose(outputs, predictions)


def test_of_several_margins_only_one_is_kept_unless_they_are_shared_out():
    """Each class has a margin; a softmax needs all of them."""
    trees = [(0, 0.5, frozenset(), False, margin, -margin) for margin in (1, 2, 3)]
    forest = strategies.forest_of_tuples(trees, margins=[0, 1, 2], base=[0.0, 1.0, 2.0])
    alone, _, outputs, predictions = accepted(forest, lambda m: m[1], "decision_function", 1)
    assert (len(alone.base), len(alone.n_nodes), alone.link) == (1, 1, Link())
    assert_allclose(outputs, predictions)
    shared, _, outputs, predictions = accepted(forest, lambda m: np.exp(m[2]) / np.exp(m).sum(0), "predict_proba", 2)
    assert len(shared.base) == 3
    assert_allclose(outputs, predictions)


def test_rows_that_fit_several_links_are_refused():
    """0 and 1 are their own squares; other leaves are not."""
    forest = replace(stump(0, 1), links=(Link(), Link("signed_square")))
    with pytest.raises(UnsupportedTreesError, match="Several functions of the sum of the leaves"):
        accepted(forest, lambda m: m[0], "predict")


def test_predicted_classes_are_not_taken_for_probabilities():
    """Margins of 40 have probabilities of 0 and 1 to rounding."""
    assert accepted(stump(-40, 40), lambda m: 1.0 * (m[0] > 0), "predict")[1] == 40.0
    assert accepted(stump(-40, 40), lambda m: 1.0 * (m[0] > 0), "predict_proba", 1)[1] < 1e-12
