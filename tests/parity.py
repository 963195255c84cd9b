"""Two explanations of one model must be one: every figure of the table, every curve, every summary."""

import warnings

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose, assert_array_equal

import ice_explorer as ice

CONVENTIONS = ("step", "paper")
DECAYS = (1.0, 0.75, 0.2, 0.01)
"""At which tables are compared."""
_EFFECTS = ("impact", "in_distribution_impact", "direction", "heterogeneity", "non_linearity")
_RTOL = 1e-9
ROUNDING = 2e-14
"""Rounding of one prediction, in sizes of the largest."""
ROUNDING_OF_FLOAT32 = 2e-6
"""The same of XGBoost, which adds its leaves up in single precision."""


def explained(model, X, **options):
    """Explain without a bar; X must be as it was before."""
    before = X.copy()
    explanation = ice.explain(model, X, progress=False, **options)
    if isinstance(X, pd.DataFrame):
        pd.testing.assert_frame_equal(X, before)
    else:
        assert_array_equal(X, before)
    return explanation


def assert_as_predicted(method, model, X, rounding=ROUNDING, **options):
    """Check that a method is chosen, and that all it gives is what the model predicts; return its explanation."""
    fast = explained(model, X, **options)
    assert fast.method == method, fast.notes
    assert_equal_explanations(fast, explained(model, X, **options, method="brute"), rounding)
    return fast


def assert_equal_explanations(fast, brute, rounding=ROUNDING):
    """Compare all that an explanation gives; `rounding` is what one prediction may be off by.

    A slope inherits the rounding of two predictions, divided by the gap between their grid values;
    figures that are small because slopes cancel keep that much of it.
    """
    assert fast.features == brute.features
    assert fast.output_label == brute.output_label
    worst = 0.0
    for feature in brute.features:
        worst = max(worst, assert_equal_features(fast[feature], brute[feature], rounding))
    for decay in DECAYS:
        tables = [e.table(decay, rank_by=None) for e in (fast, brute)]
        for feature in brute.features:
            noise = slope_rounding(brute[feature], rounding)
            is_exact = decay == fast.settings.decay
            _assert_equal_figures(*(table.loc[feature] for table in tables), noise, is_exact=is_exact)
    return worst


def slope_rounding(feature, rounding):
    """What the rounding of predictions does to a figure in output units."""
    if len(feature.grid) < 2:
        return 0.0
    size = max(abs(bound) for bound in feature._prediction_range)
    # Levels without an order are apart by codes, of which one is a change.
    return 2 * rounding * size * feature.scale / float(np.diff(feature.axis).min())


def assert_equal_features(fast, brute, rounding=ROUNDING):
    """Compare curves and what is drawn of them; return how far the curves are apart, in their size."""
    size = max(abs(bound) for bound in brute._prediction_range) or 1.0
    close = {"rtol": 0, "atol": rounding * size}
    assert_array_equal(fast.grid, brute.grid)
    assert_array_equal(fast.rows, brute.rows)
    assert (fast.scale, fast.dtype_kind) == (brute.scale, brute.dtype_kind)
    assert_allclose(fast.curves, brute.curves, **close, err_msg=brute.label)
    assert_allclose(fast.partial_dependence, brute.partial_dependence, **close)
    # A spread is the root of a difference of squares: it keeps the root of their rounding.
    assert_allclose(fast.spread, brute.spread, rtol=1e-9, atol=rounding**0.5 * size * 1e-2 + rounding * size)
    assert_allclose(fast._prediction_range, brute._prediction_range, **close)
    some = brute._draw(5)
    assert_allclose(fast.compute_curves(some[::-1]), brute.compute_curves(some[::-1]), **close)
    assert_array_equal(fast._predictions(some), brute._predictions(some))
    return float(np.max(np.abs(fast.curves - brute.curves), initial=0.0)) / size


def _assert_equal_figures(fast, brute, noise, *, is_exact=True):
    """Between the decays that sums are kept for, small ones keep fewer digits: they are known to a millionth."""
    for name in (*_EFFECTS, "support", "missing_impact"):
        rtol = _RTOL if is_exact or name not in ("in_distribution_impact", "support") else 1e-6
        atol = noise if name in _EFFECTS else 0.0
        assert_allclose(fast[name], brute[name], rtol=rtol, atol=atol, err_msg=f"{name} of {brute.name!r}")


def quiet(fit, *args, **options):
    """Fit a model whose library warns of tiny tables."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit(*args, **options)
