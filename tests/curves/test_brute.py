"""Phantom observations that are predicted: those of observed values once, and in halves where memory is short."""

import numpy as np
import pandas as pd
import parity
import pytest
from numpy.testing import assert_array_equal

import ice_explorer as ice
from ice_explorer.errors import PredictionError
from ice_explorer.plan import prepare
from ice_explorer.results.options import Options

PROBED, AGAIN = 64, 32
"""Phantoms that show what a model returns, and those of them that are predicted again."""
X = np.random.default_rng(0).normal(size=(60, 3)).round(1)


def function(rows):
    return rows[:, 0] * rows[:, 1] + rows[:, 2]


# --- observed values ------------------------------------------------------------------------------


def binary(n=300):
    rng = np.random.default_rng(6)
    return pd.DataFrame(
        {"smokes": rng.random(n) < 0.3, "stds": rng.integers(0, 3, n), "age": rng.integers(20, 24, n).astype(float)}
    )


class Counting:
    """A function that counts the rows that it predicts."""

    def __init__(self):
        self.n_rows = 0

    def __call__(self, rows):
        self.n_rows += len(rows)
        return rows["smokes"] * 2.5 + np.sqrt(rows["stds"] * rows["age"])


def test_rows_as_they_are_serve_all_features():
    """Where a phantom has the row's observed value; a single feature has no use for them."""
    for options, expected in (
        ({"features": ["smokes", "stds"]}, 300 * (1 + (2 - 1) + (3 - 1))),
        ({"features": ["smokes"]}, 300 * 2),
        ({"features": ["smokes", "stds"], "sample": 100}, 100 * (2 + 3)),
        ({"features": ["smokes", "stds"], "grid": {"smokes": [0, 1], "stds": [0.5, 1.0]}}, 300 * (2 + 2)),
    ):
        model = Counting()
        ice.explain(model, binary(), progress=False, **options)
        assert model.n_rows == PROBED + AGAIN + expected


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(("n_jobs", "memory_limit"), [(1, "1GB"), (2, "20kB")])
def test_curves_of_shared_rows_are_those_of_every_phantom_alone(missing, n_jobs, memory_limit):
    """Blocks of all sizes, missing values, threads."""
    rows = binary().astype(float)
    if missing:
        rows.iloc[::7, 1] = np.nan
    model = lambda rows: (rows["smokes"] * 2.5 + rows["stds"].fillna(9) * rows["age"]).to_numpy()  # noqa: E731
    e = parity.explained(model, rows, n_jobs=n_jobs, memory_limit=memory_limit)
    for name in e.features:
        expected = np.column_stack([model(rows.assign(**{name: value})) for value in e[name].grid])
        assert_array_equal(e[name].curves, expected)


# --- out of memory --------------------------------------------------------------------------------


class Short:
    """Has no memory for more than some rows."""

    def __init__(self, most, error=None):
        self.most, self.error = most, MemoryError("Unable to allocate 9 GiB") if error is None else error
        self.asked = []

    def __call__(self, rows):
        self.asked.append(len(rows))
        if len(rows) > self.most:
            raise self.error
        return function(rows)


@pytest.mark.parametrize("error", [None, RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")])
@pytest.mark.parametrize("options", [{}, {"n_jobs": 2}, {"budget": 60}])
def test_a_call_that_runs_out_of_memory_is_made_in_halves(options, error):
    """The result is that of a model with enough memory, and later calls are small from the start."""
    model = Short(100, error)
    e = ice.explain(model, X, progress=False, **options)
    expected = ice.explain(function, X, progress=False)
    pd.testing.assert_frame_equal(e.table(), expected.table(), rtol=1e-12)
    assert sum(size > 100 for size in model.asked) <= 6  # 512, 256 and 128, by each thread at most


def test_rows_as_they_are_and_single_curves_are_predicted_in_halves():
    """What is asked for later has the same rule."""
    model = Short(64)
    e = ice.explain(model, X, grid="quantile", grid_size=5, progress=False)
    model.most = 7
    assert_array_equal(e._context.brute.predict_rows(np.arange(60)), function(X))
    values = np.linspace(-1, 1, 40)
    curve = e._context.brute.evaluate(e["x0"]._item.feature, np.array([3]), values[None, :])
    assert_array_equal(curve[0], function(np.column_stack([values, np.tile(X[3, 1:], (40, 1))])))


def test_what_runs_out_of_memory_for_one_row_is_an_error_with_block_and_limit():
    """The smallest block cannot be halved."""
    model = Short(64)
    plan = prepare(model, X, Options(memory_limit="70MB"))
    model.most = 0
    with pytest.raises(PredictionError) as caught:
        plan.compute("x0")
    assert str(caught.value) == (
        "The model must predict one row in the memory that is free; it failed on phantom observations of "
        f"'x0' (grid value {float(X[:, 0].min())!r}, row 0 of X), after larger blocks: MemoryError: Unable to allocate "
        "9 GiB. X has 60 rows, and blocks get 70 MB of `memory_limit`. "
        "Free memory, or explain fewer rows with a smaller `memory_limit`."
    )


def test_another_runtime_error_is_not_taken_for_one_of_memory():
    """It is an error of its phantom."""
    with pytest.raises(PredictionError, match="RuntimeError: no"):
        ice.explain(Short(64, RuntimeError("no")), X, progress=False)
