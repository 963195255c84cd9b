"""Arrays with a number for each row and grid value are refused where they take more than `memory_limit`."""

import tracemalloc

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import ice_explorer as ice
from ice_explorer.errors import OptionError

ADVICE = (
    "Read those of some rows: `f.compute_curves(rows)`, or `rows=` of `likelihood`, `extrapolation` and `to_frame`; or "
    "explain with a larger `memory_limit`."
)
FEWER = "Save fewer rows with a smaller `max_lines`"


@pytest.fixture(scope="module")
def explanation():
    X = np.random.default_rng(0).normal(size=(8_500, 2))
    return ice.explain(LinearRegression().fit(X, X @ [1.0, 2.0]), X, memory_limit="1MB", progress=False)


@pytest.mark.parametrize(
    ("what", "read", "size"),
    [
        ("curves", lambda e: e["x0"].curves, "0.068"),
        ("curves", lambda e: e["x0"].compute_curves(range(8_500)), "0.068"),
        ("slopes", lambda e: e["x0"].slopes, "0.068"),
        ("changes", lambda e: e["x0"].centered_curves(), "0.068"),
        ("likelihoods", lambda e: e["x0"].likelihood(), "0.068"),
        ("scores", lambda e: e["x0"].extrapolation(), "0.068"),
        ("tables", lambda e: e.to_frame("x0"), "0.425"),
    ],
)
def test_an_array_that_takes_more_than_the_limit_is_refused_before_it_is_made(explanation, what, read, size):
    """The error states both sizes, and how fewer rows are read; there are at least 64 MB."""
    tracemalloc.start()
    with pytest.raises(OptionError) as refused:
        read(explanation)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert str(refused.value) == (
        f"`memory_limit` must be at least the size of what is read; {what} of 8,500 rows × 1,000 grid values "
        f"take {size} GB, the limit is 0.064 GB. {ADVICE}"
    )
    assert peak < 10_000_000


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda e, folder: e.two_way("x0", "x1", grid_size=3_000, sample=1),
            "3,000 × 3,000 pairs of values take 0.504 GB, the limit is 0.064 GB. Use a smaller `grid_size`",
        ),
        (
            lambda e, folder: e.save(folder / "result.ice", max_lines=8_500),
            f"curves of 8,500 rows × 1,000 grid values take 0.068 GB, the limit is 0.064 GB. {FEWER}",
        ),
        (
            lambda e, folder: e.save(folder / "result.ice", max_lines=5_000),
            f"curves of 5,000 rows × 2,000 grid values take 0.08 GB, the limit is 0.064 GB. {FEWER}",
        ),
    ],
    ids=["two-way", "a feature", "all features"],
)
def test_pairs_and_files_that_take_more_than_the_limit_are_refused(explanation, tmp_path, make, message):
    """Of a file, as soon as a feature does not fit beside those before."""
    with pytest.raises(OptionError) as refused:
        make(explanation, tmp_path)
    assert str(refused.value) == (
        f"`memory_limit` must be at least the size of what is read; {message}; or explain with a larger `memory_limit`."
    )
    assert not any(tmp_path.iterdir())


def test_curves_in_a_file_count_as_they_are_stored(tmp_path):
    """Without values that repeat the one before in every row."""
    X = np.random.default_rng(0).normal(size=(5_000, 2))
    e = ice.explain(lambda X: (X[:, 0] > 0) * X[:, 1].round(), X, grid_size=1_000, memory_limit="1MB", progress=False)
    assert ice.load(e.save(tmp_path / "result.ice", max_lines=5_000))["x1"].curves.shape == (5_000, 1_000)


def test_near_pairs_are_counted_within_the_limit():
    """Fewer rows at a time where there are many values."""
    X = np.random.default_rng(0).normal(size=(20_000, 2))
    two = ice.explain(lambda X: X[:, 0], X, memory_limit="1MB", progress=False).two_way("x0", "x1", grid_size=700)
    tracemalloc.start()
    assert two.near.shape == (700, 700)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 64_000_000


def test_some_rows_are_read_within_the_limit(explanation):
    """By every way that the error names; a larger limit allows all rows."""
    f = explanation["x0"]
    assert f.compute_curves(f._draw(100)).shape == f.likelihood(rows=f._draw(100)).shape == (100, 1_000)
    assert len(explanation.to_frame("x0", "d-ice", rows=range(10))) == 9_990
    X = np.arange(20_000.0).reshape(-1, 1) % 500
    e = ice.explain(lambda X: X[:, 0], X, memory_limit="200MB", progress=False)
    assert e["x0"].curves.shape == (20_000, 500)
