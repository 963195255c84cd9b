"""Every figure of the table equals the plain loops of ``oracles.py``, whatever the options."""

import math

import numpy as np
import oracles
import pandas as pd
import pytest
import strategies as own
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import ice_explorer as ice

METRICS = (*oracles.EFFECTS, "missing_impact", "support")
FIGURES = METRICS
NAMES = ["a", "b"]
_FARTHEST = 10.0  # distance in likelihood scales up to which interpolation between decays is that exact


class CountingModel:
    """A model that counts its calls and their rows."""

    def __init__(self, function):
        self.function = function
        self.calls = []

    def __call__(self, X):
        self.calls.append(len(X))
        return self.function(np.asarray(X, dtype=float))


def frame(X):
    return pd.DataFrame(X, columns=NAMES)


def assert_row_equals(row, expected, magnitude, *, names=FIGURES, is_exact=True):
    """Compare one row of the table with the oracle's, name by name; decayed ones at other decays are close."""
    for name in names:
        is_close = not is_exact and name in ("in_distribution_impact", "support")
        rtol = 1e-6 if is_close else 1e-9
        slack = 1e-12 * magnitude if name in oracles.EFFECTS else 0.0
        if is_close and name in oracles.EFFECTS:  # sums of likelihoods are missed by a millionth of those of all rows
            slack += 1e-6 * expected["impact"] / expected["support"]
        assert_allclose(row[name], expected[name], rtol=rtol, atol=slack, err_msg=name)


@st.composite
def cases(draw):
    """A table, a model and one setting of every option that moves a figure."""
    X = draw(own.tables())
    n = len(X)
    weights = draw(st.one_of(st.none(), own.weights(n) if n > 1 else st.just(np.array([2.0]))))
    grid = draw(st.one_of(st.none(), own.GRIDS))
    likely = st.sampled_from([0.001, 0.5, 1.0, 4.0])
    scales = st.one_of(st.none(), likely, st.lists(likely, min_size=n, max_size=n).map(np.array))
    return {
        "X": X,
        "model": draw(st.one_of(own.curved_models(), own.linear_models(2))),
        "weights": weights,
        "grid": grid,
        "own_scale": draw(scales),
        "decay": draw(own.DECAYS),
        "convention": draw(own.CONVENTION_NAMES),
        "memory_limit": draw(st.sampled_from([1, 200, "1GB"])),
    }


@settings(max_examples=150)
@given(
    case=cases(),
    decays=st.lists(own.OTHER_DECAYS, min_size=1, max_size=2, unique=True),
)
def test_every_figure_equals_the_oracle(case, decays):
    """Conventions, decays, scales, weights, grids and blocks; and other decays afterwards, for which the model is not
    called again.
    """
    X, model = case["X"], CountingModel(case["model"])
    grids = {} if case["grid"] is None else {"a": case["grid"]}
    scales = {} if case["own_scale"] is None else {"a": case["own_scale"]}
    e = ice.explain(
        model,
        frame(X),
        grid=grids or "observed",
        distance=scales or "marginal",
        sample_weight=case["weights"],
        decay=case["decay"],
        convention=case["convention"],
        memory_limit=case["memory_limit"],
        progress=False,
    )
    n_calls = len(model.calls)
    profiles = {"in_distribution_impact": e.table(decays)}
    for decay, table in [(None, e.table(rank_by=None)), *((d, e.table(d, rank_by=None)) for d in decays)]:
        for column, name in enumerate(NAMES):
            grid, scale = (case["grid"], case["own_scale"]) if column == 0 else (None, None)
            options = {"grid": grid, "weights": case["weights"], "own_scale": scale}
            used = case["decay"] if decay is None else decay
            expected = oracles.metrics(model.function, X, column, decay=used, convention=case["convention"], **options)
            size = oracles.magnitude(model.function, X, column, grid=grid)
            is_exact = decay in (None, case["decay"])
            unit = oracles.scale(X[:, column].tolist(), np.ones(len(X)) if case["weights"] is None else case["weights"])
            span = np.ptp(np.append(e[name].grid, X[:, column]))
            if not is_exact and span > _FARTHEST * np.min(unit if scale is None else scale):
                continue
            assert_row_equals(table.loc[name], expected, size, is_exact=is_exact)
            assert_row_equals(e[name].metrics(used), expected, size, names=METRICS, is_exact=is_exact)
            if decay is not None:
                for metric, profile in profiles.items():
                    assert_allclose(profile.loc[decay, name], table.loc[name, metric], rtol=1e-12)
    assert len(model.calls) == n_calls


def with_missing(model):
    """Give a model an opinion about missing values, one that depends on the other feature."""

    def predict(X):
        X = np.asarray(X, dtype=float)
        filled = np.where(np.isnan(X), 1.25, X)
        return model(filled) + np.where(np.isnan(X[:, 0]), 2.0 + filled[:, 1], 0.0)

    return predict


@settings(max_examples=60)
@given(data=st.data())
def test_missing_values_equal_the_oracle(data):
    """Rows whose observed value is missing count in the sums, with the lower median in its place."""
    X = data.draw(own.varied_tables(min_rows=3))
    gone = data.draw(st.lists(st.booleans(), min_size=len(X), max_size=len(X)))
    X = X.copy()
    X[np.array(gone), 0] = np.nan
    weights = data.draw(st.one_of(st.none(), own.weights(len(X))))
    kept = np.ones(len(X)) if weights is None else weights
    if not (np.isfinite(X[:, 0]) & (kept > 0)).any():
        X[kept.argmax(), 0] = 0.5
    model = with_missing(data.draw(own.curved_models()))
    decay = data.draw(own.DECAYS)
    convention = data.draw(own.CONVENTION_NAMES)
    e = ice.explain(
        model,
        frame(X),
        sample_weight=weights,
        decay=decay,
        convention=convention,
        progress=False,
    )
    table = e.table(rank_by=None)
    for column, name in enumerate(NAMES):
        expected = oracles.metrics(
            model,
            X,
            column,
            weights=weights,
            decay=decay,
            convention=convention,
        )
        grid = [v for v in np.unique(X[:, column]).tolist() if not math.isnan(v)]
        size = oracles.magnitude(model, X, column, grid=grid)
        assert_row_equals(table.loc[name], expected, size)


def waves(X):
    """A smooth interaction for the tables that are too long for Hypothesis."""
    X = np.asarray(X, dtype=float)
    return np.sin(2 * X[:, 0]) * X[:, 1] + np.square(X[:, 1])


@pytest.fixture(scope="module")
def long_table():
    """150 rows: one column all distinct, one of quarters, so that observed values tie."""
    rng = np.random.default_rng(5)
    return np.column_stack([rng.normal(size=150), rng.integers(-6, 6, 150) / 4])


@pytest.mark.parametrize("size", [2, 7, 100])
@pytest.mark.parametrize("grid", ["observed", "quantile"])
def test_capped_and_quantile_grids_equal_the_oracle(long_table, grid, size):
    """Above `grid_size` distinct values both grids are quantiles of the empirical distribution."""
    e = ice.explain(waves, frame(long_table), grid=grid, grid_size=size, progress=False)
    for column, name in enumerate(NAMES):
        observed = long_table[:, column].tolist()
        make = oracles.observed_grid if grid == "observed" else oracles.quantile_grid
        values = make(observed, [1.0] * len(observed), size)
        assert_allclose(e[name].grid, values, rtol=0)
        expected = oracles.metrics(waves, long_table, column, grid=values)
        size_of_slopes = oracles.magnitude(waves, long_table, column, grid=values)
        assert_row_equals(e.table().loc[name], expected, size_of_slopes)


def test_sampled_curves_keep_the_scale_and_grid_of_all_rows(long_table):
    """`sample` thins the curves alone: σ and the grid are those of X."""
    e = ice.explain(waves, frame(long_table), sample=40, progress=False)
    for column, name in enumerate(NAMES):
        positions = e[name].rows.tolist()
        assert len(positions) == 40
        expected = oracles.metrics(waves, long_table, column, positions=positions)
        size = oracles.magnitude(waves, long_table, column)
        assert_row_equals(e.table().loc[name], expected, size)


def test_likelihood_and_its_scale_equal_the_oracle(long_table):
    """`likelihood(decay)` is Eq. 3 row by row, with the scale that `likelihood_scale` shows."""
    given_scale = np.linspace(0.3, 2.0, len(long_table))
    e = ice.explain(waves, frame(long_table), distance={"a": given_scale}, progress=False)
    for column, name in enumerate(NAMES):
        f = e[name]
        row_scale = given_scale if column == 0 else np.full(len(long_table), f.scale)
        assert_allclose(f.likelihood_scale, row_scale, rtol=1e-14)
        expected = oracles.likelihood(f.grid.tolist(), long_table[:, column].tolist(), row_scale.tolist(), 0.4)
        assert_allclose(f.likelihood(0.4), expected, rtol=1e-12)


def test_curves_and_slopes_equal_the_oracle(long_table):
    """Curves are the model's own answers; slopes have one column fewer than curves."""
    e = ice.explain(waves, frame(long_table), progress=False)
    f = e["b"]
    expected = oracles.curves(waves, long_table, 1, f.grid.tolist())
    assert_allclose(f.curves, expected, rtol=1e-15)
    assert_allclose(f.slopes, oracles.slopes(expected, f.grid.tolist()), rtol=1e-13)
    assert f.slopes.shape == (150, len(f.grid) - 1)
