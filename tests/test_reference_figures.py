"""Figures of today are those that were recorded, and the loops of the one-SD step do what `metrics.md` says."""

import math

import numpy as np
import pytest
from reference.step_oracle import category_step_figures, grid_shares, step_figures, window
from tools import reference_figures

RTOL = 1e-9
MARKS = {"linear": (), "skewed": (), "conditional distance": pytest.mark.slow, "stacking": pytest.mark.slow}
RECORDED = reference_figures.read()
NAMES = [pytest.param(name, marks=MARKS.get(name, pytest.mark.wide)) for name in reference_figures.CASES]


def tolerance(figure):
    """Decayed figures are interpolated between decays, except for that of the explanation."""
    is_interpolated = any(name in figure for name in ("in_distribution_impact", "support")) and "| 0.75" not in figure
    return 1e-6 if is_interpolated else RTOL


# --- the recorded figures ----------------------------------------------------------------------------


@pytest.mark.current
@pytest.mark.parametrize("name", NAMES)
def test_figures_are_those_recorded(name):
    """Every figure of a model equals the one that was recorded, where its library still fits the same model."""
    if not reference_figures.is_same_fit(name, RECORDED[name]):
        pytest.skip("the library fits another model on this machine")
    differences = reference_figures.differences(name, RECORDED[name])
    assert {figure: value for figure, value in differences.items() if value > tolerance(figure)} == {}


@pytest.mark.current
@pytest.mark.wide
def test_few_cases_are_skipped():
    """The libraries fit what they fitted then, except for three models at most."""
    assert sum(not reference_figures.is_same_fit(name, each) for name, each in RECORDED.items()) <= 3


def test_every_case_is_recorded():
    """The file holds the cases that there are, and stays small."""
    assert list(RECORDED) == list(reference_figures.CASES)
    assert reference_figures.RECORDED.stat().st_size <= 900_000


# --- the one-SD step ---------------------------------------------------------------------------------


def example(seed, n=14, k=7):
    """Return curves of any shape, an axis, observed values on it and off it, and whole weights."""
    rng = np.random.default_rng(seed)
    axis = np.unique(rng.integers(-9, 10, k) / 2.0)
    observed = np.append(rng.choice(axis, n - 2), [axis[0] - 1, axis[-1] + 2.5])
    return rng.normal(size=(n, len(axis))).tolist(), axis.tolist(), observed.tolist(), rng.integers(1, 4, n).tolist()


def same(found, expected, **factors):
    """Check that figures are the expected ones, times a factor where one is given by name."""
    expected = {name: value * factors.get(name, 1) for name, value in expected.items()}
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-13, nan_ok=True)


def by_hand(steps, shares, mass):
    """Return figures of the steps (n_rows, n_steps), their shares and the shares times M."""
    steps, means = np.asarray(steps, float), np.asarray(steps, float) @ shares
    return {
        "impact": (np.abs(steps) @ shares).mean(),
        "in_distribution_impact": (mass * np.abs(steps)).sum() / mass.sum(),
        "direction": means.mean(),
        "heterogeneity": steps.std(axis=0, ddof=1) @ shares,
        "non_linearity": (np.abs(steps - means[:, None]) @ shares).mean(),
        "support": mass.sum() / len(steps),
    }


def test_numbers_by_hand():
    """σ = 1.5; the missing value is replaced by 0, the lower median; the value 3 is as near to 2 as to 4.

    A window that would leave the axis is moved; one that is longer than the axis is all of it.
    """
    decimals = [0.0, 0.1, 0.2, 0.3, 0.4]
    assert [window(decimals, k, 0.2) for k in range(5)] == [(0, 2), (0, 2), (1, 3), (2, 4), (2, 4)]
    assert window(decimals, 2, 0.5) == (0, 4)
    axis, observed = [0.0, 1.0, 2.0, 4.0], [0.0, 0.0, 3.0, 3.0, math.nan]
    assert grid_shares(axis, [(0.0, 1), (0.0, 1), (3.0, 1), (3.0, 1)]) == [0.5, 0.0, 0.25, 0.25]
    assert [window(axis, k, 1.5) for k in range(4)] == [(0, 2), (0, 2), (1, 3), (2, 3)]
    found = step_figures([[0.0, 1.0, 3.0, 2.0]] * 4 + [[0.0, 0.0, 0.0, 4.0]], axis, observed, decay=0.5)
    likelihood = 0.5 ** (np.array([[0, 1, 2, 4]] * 2 + [[3, 2, 1, 1]] * 2 + [[0, 1, 2, 4]]) / 1.5)
    shares = np.array([0.5, 0.25, 0.25])  # of 0, 2 and 4
    mass = shares * (likelihood[:, [0, 1, 2]] + likelihood[:, [2, 3, 3]]) / 2
    same(found, by_hand([[2.25, 0.5, -0.75]] * 4 + [[0, 2, 3]], shares, mass))


def test_levels_by_hand():
    """Pairs of levels count by the product of their shares; the most frequent level replaces a missing one."""
    observed = [0.0, 0.0, 1.0, 2.0, math.nan]
    curves = [[0.0, 1.0, 3.0]] * 4 + [[0.0, 2.0, 2.0]]
    found = category_step_figures(curves, [0.0, 1.0, 2.0], observed, decay=0.5)
    sigma, shares = math.sqrt((1 - 0.25 - 0.0625 - 0.0625) / 2), np.array([0.4, 0.4, 0.2])
    changes = sigma * np.array([[1, 3, 2]] * 4 + [[2, 2, 0]])
    likely = np.array([[0.75, 0.75, 0.5], [0.75, 0.75, 0.5], [0.75, 0.5, 0.75], [0.5, 0.75, 0.75], [0.75, 0.75, 0.5]])
    same(found, by_hand(changes, shares, shares * likely), direction=math.nan, non_linearity=math.nan)


@pytest.mark.parametrize("decay", [0.05, 0.75, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_identities(seed, decay):
    """Linear models, bounds, mirrors, other units, repeated rows and weights give what `metrics.md` says."""
    curves, axis, observed, weights = example(seed)
    sigma, n = np.std(observed), len(observed)
    found = step_figures(curves, axis, observed, decay=decay)
    linear = step_figures([[i - 3 * v for v in axis] for i in range(n)], axis, observed, decay=decay)
    flat = dict.fromkeys(("impact", "in_distribution_impact", "direction"), 3 * sigma)
    same(linear, {**flat, "heterogeneity": 0, "non_linearity": 0, "support": found["support"]}, direction=-1)
    assert abs(found["direction"]) <= found["impact"]
    assert axis[-1] - axis[0] < sigma or found["impact"] <= np.ptp(curves, axis=1).mean()
    if decay == 1:
        assert (found["support"], found["in_distribution_impact"]) == pytest.approx((1, found["impact"]))
    mirrored = [curve[::-1] for curve in curves], [-v for v in axis[::-1]], [-x for x in observed]
    same(step_figures(*mirrored, decay=decay), found, direction=-1)
    same(step_figures(curves, [3 * v + 8 for v in axis], [3 * x + 8 for x in observed], decay=decay), found)
    twice = step_figures(curves * 2, axis, observed * 2, decay=decay)
    same(twice, found, heterogeneity=math.sqrt((2 * n - 2) / (2 * n - 1)))
    same(step_figures(curves, axis, observed, decay=decay, likelihood_scale=[sigma] * n), found)
    rows, places = step_figures(curves, axis, observed, decay=decay, weights=weights), np.repeat(range(n), weights)
    same(rows, step_figures([curves[i] for i in places], axis, [observed[i] for i in places], decay=decay))


@pytest.mark.parametrize("decay", [0.05, 0.75, 1.0])
@pytest.mark.parametrize("last", [(0.0, 1.0), (math.nan, math.nan)])
def test_two_levels_equal_their_coding_by_0_and_1(last, decay):
    """A category of two levels has the effects of a number that is 0 or 1, missing values included."""
    pairs, observed = [curve[:2] for curve in example(5)[0]], [0.0] * 4 + [1.0] * 8 + [*last]
    options = {"decay": decay, "weights": [0, 2, *[1] * 12]}
    number = step_figures(pairs, [0.0, 1.0], observed, **options)
    category = category_step_figures(pairs, [0.0, 1.0], observed, **options)
    names = ("impact", "in_distribution_impact", "heterogeneity")
    same({name: category[name] for name in names}, {name: number[name] for name in names})
    swapped = [curve[::-1] for curve in pairs], [0.0, 1.0], [1 - x for x in observed]
    same(category_step_figures(*swapped, **options), category)
