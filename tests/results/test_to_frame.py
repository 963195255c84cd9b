"""Curves as tidy data: one row per observation and grid value, for plots and libraries of one's own."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import ice_explorer as ice
from ice_explorer.export import tables

N = 40
COLUMNS = ["row", "row_label", "feature", "value", "axis", "prediction", "likelihood", "is_observed"]


def wealth(X):
    """Depend on every column, on two of them together."""
    return (
        X["age"] * (1 + (X["city"] == "Oslo"))
        + X["bmi"].fillna(20) ** 2 / 50
        + X["size"].astype(object).map({"lo": 0.0, "mid": 3.0, "hi": 4.0}).astype(float)
        + X["day"].dt.day / 10
        + X["flag"] * 2
    )


@pytest.fixture(scope="module", name="X")
def a_column_of_each_kind():
    """A column of each kind, with labels of rows, and a missing value."""
    rng = np.random.default_rng(0)
    size = pd.CategoricalDtype(["lo", "mid", "hi", "huge"], ordered=True)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 80, N),
            "bmi": rng.normal(25, 4, N),
            "city": rng.choice(["Oslo", "Rome", "Lima"], N),
            "size": pd.Series(rng.choice(["lo", "mid", "hi"], N)).astype(size),
            "day": pd.date_range("2020-01-01", periods=N),
            "flag": rng.random(N) > 0.5,
        }
    ).set_index(pd.Index([f"r{row}" for row in range(N)]))
    frame.loc["r3", "bmi"] = np.nan
    return frame


@pytest.fixture(scope="module")
def e(X):
    """All of them explained."""
    return ice.explain(wealth, X, progress=False)


def test_each_observation_has_a_row_for_each_grid_value(e, X):
    """The numbers are those of the curves, in their order, with the labels that X has."""
    f = e["bmi"]
    frame = e.to_frame("bmi")
    assert frame.columns.tolist() == COLUMNS
    assert len(frame) == N * len(f.grid)
    assert_array_equal(frame["row"], np.repeat(np.arange(N), len(f.grid)))
    assert_array_equal(frame["row_label"], X.index.repeat(len(f.grid)))
    assert_array_equal(frame["value"], np.tile(f.grid, N))
    assert_array_equal(frame["axis"], np.tile(f.axis, N))
    assert_array_equal(frame["prediction"], f.curves.ravel())
    assert_array_equal(frame["likelihood"], f.likelihood().ravel())
    assert set(frame["feature"]) == {"bmi"}
    observed = frame[frame["is_observed"]]
    assert observed["row"].tolist() == [row for row in range(N) if row != 3]
    assert_array_equal(observed["value"], X["bmi"].drop("r3"))
    assert_allclose(observed["prediction"], wealth(X).drop("r3"))


@pytest.mark.parametrize("name", ["age", "bmi", "city", "size", "day", "flag"])
def test_values_have_the_dtype_of_the_column(e, X, name):
    """Integers stay integers, categories keep all levels and their order, dates are dates."""
    dtype = e.to_frame(name, rows=[0])["value"].dtype
    if name == "day":  # grids count microseconds, whatever the unit of X
        assert dtype.kind == X[name].dtype.kind
    else:
        assert dtype == X[name].dtype


def test_changes_slopes_and_some_rows(e):
    """Of c-ICE and d-ICE the column is named after what it holds; slopes stand at the right of their interval."""
    f = e["age"]
    changes = e.to_frame("age", "c-ice", rows=[7, 2], anchor="own")
    assert changes.columns.tolist() == [*COLUMNS[:5], "change", *COLUMNS[6:]]
    assert_array_equal(changes["change"], f.centered_curves("own")[[7, 2]].ravel())
    slopes = e.to_frame("age", "d-ice", rows=[7, 2], decay=0.5)
    assert slopes.columns.tolist() == [*COLUMNS[:5], "slope", *COLUMNS[6:]]
    assert_array_equal(slopes["slope"], f.slopes[[7, 2]].ravel())
    assert_array_equal(slopes["value"], np.tile(f.grid[1:], 2))
    assert_array_equal(slopes["axis"], np.tile(f.axis[1:], 2))
    assert_array_equal(slopes["likelihood"], f.likelihood(0.5)[[7, 2], 1:].ravel())


def test_several_features_stand_one_below_the_other(e):
    """Numbers of two dtypes become floats; values of several kinds become texts, with their numbers beside them."""
    both = e.to_frame(["bmi", "age"], rows=[5])
    assert both["feature"].cat.categories.tolist() == ["bmi", "age"]
    assert both["value"].dtype == np.float64
    assert_array_equal(both.loc[both["feature"] == "age", "value"], e["age"].grid)
    whole = e.to_frame(rows=[5])
    assert whole["feature"].unique().tolist() == e.features
    assert_array_equal(whole["axis"], np.concatenate([f.axis for f in e.values()]))
    assert all(isinstance(value, str) for value in whole["value"])
    for name in e.features:
        alone = e.to_frame(name, rows=[5])
        assert whole.loc[whole["feature"] == name, "value"].tolist() == [str(value) for value in alone["value"]]
    assert e.to_frame(kind="d-ice", rows=[5])["feature"].unique().tolist() == ["age", "bmi", "size", "day", "flag"]


def test_dates_with_and_without_a_time_zone_stay_what_they_are(tmp_path):
    """In one column of datetimes polars would move the ones without a zone into that of the others."""
    polars, parquet = pytest.importorskip("polars"), pytest.importorskip("pyarrow.parquet")
    days = pd.date_range("2024-01-01", periods=3)
    X = pd.DataFrame({"naive": days, "tokyo": days.tz_localize("Asia/Tokyo"), "delay": days - days[0]})
    frame = ice.explain(lambda X: X["naive"].dt.day.to_numpy(float), X, progress=False).to_frame(rows=[0])
    texts = [
        *(f"2024-01-0{day} 00:00:00" for day in (1, 2, 3)),
        *(f"2024-01-0{day} 00:00:00+09:00" for day in (1, 2, 3)),
        *(f"{day} days 00:00:00" for day in range(3)),
    ]
    assert polars.from_pandas(frame)["value"].to_list() == texts
    frame.to_parquet(tmp_path / "curves.parquet")
    assert parquet.read_table(tmp_path / "curves.parquet")["value"].to_pylist() == texts


def test_an_array_has_positions_for_labels():
    """Where X has no index, a row is known by its position."""
    frame = ice.explain(lambda X: X[:, 0], np.array([[1.0], [2.0]]), progress=False).to_frame(rows=[1])
    assert frame["row_label"].tolist() == frame["row"].tolist() == [1, 1]


def test_an_index_of_several_levels_and_a_sample(X):
    """Labels are tuples then; without `rows` the rows are those of the sample."""
    indexed = X.set_index(pd.MultiIndex.from_arrays([np.arange(N) // 10, np.arange(N) % 10]))
    e = ice.explain(wealth, indexed, features=["age"], sample=8, progress=False)
    frame = e.to_frame()
    assert frame["row"].unique().tolist() == e["age"].rows.tolist()
    assert frame["row_label"].tolist() == [(row // 10, row % 10) for row in frame["row"]]


def test_polars_takes_it(e):
    """Every column has a type that polars has, too, of one feature or of several."""
    polars = pytest.importorskip("polars")
    for f in e.values():
        frame = e.to_frame(f.feature, rows=[0, 1])
        assert polars.from_pandas(frame).columns == COLUMNS
    assert polars.from_pandas(e.to_frame(rows=[0, 1])).schema["value"] == polars.String
    numbers = polars.from_pandas(e.to_frame(["age", "bmi"], rows=[0, 1]))
    mean = numbers.group_by("feature", "value").agg(polars.col("prediction").mean())
    assert len(mean) == len(e["age"].grid) + len(e["bmi"].grid)


def test_the_size_that_is_announced_is_that_of_the_table(e):
    """The bytes of each row are what a row takes, where labels are numbers."""
    frame = ice.explain(lambda X: X[:, 0], np.arange(300.0)[:, None], progress=False).to_frame()
    assert frame.memory_usage(index=False).sum() / len(frame) == pytest.approx(tables._BYTES, abs=1)
