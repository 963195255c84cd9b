"""Columns that are made of one quantity: explained as the quantity itself would be, and refused where they are not."""

import pickle
from array import array

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.svm import SVR

import ice_explorer as ice
from ice_explorer import cluster
from ice_explorer.errors import DataError, ModelNeededError, OptionError

N = 60
QUANTITIES = {
    "integers": np.arange(N) * 7 % 24,
    "floats": np.round(np.random.default_rng(0).gamma(2.0, 3.0, N), 2),
    "booleans": np.arange(N) % 3 == 0,
    "texts": pd.Series(np.array(["Oslo", "Rome", "Kyiv"])[np.arange(N) % 3]),
    "ordered": pd.Series(pd.Categorical(np.array(["low", "high"])[np.arange(N) % 2], ["low", "high"], ordered=True)),
    "dates": pd.Series(pd.date_range("2024-01-01", periods=N, freq="D", tz="Europe/Oslo")[::-1]),
}
NUMBERS = {"Oslo": 1.0, "Rome": 2.5, "Kyiv": 4.0, "low": 0.0, "high": 1.0}


def encode(value):
    """Two columns of one value of a quantity of any kind."""
    number = value.day_of_year if hasattr(value, "day_of_year") else NUMBERS.get(value, value)
    return {"sine": np.sin(number / 4), "cosine": np.cos(number / 4)}


def encoded(values):
    return pd.DataFrame([encode(value) for value in pd.Index(values)])


def tables(kind="integers"):
    """X with the quantity, and X with the columns that are made of it, around another feature."""
    other = np.random.default_rng(1).normal(size=N)
    quantity = QUANTITIES[kind]
    raw = pd.DataFrame({"quantity": quantity, "other": other})
    return raw, encoded(quantity).assign(other=other)[["sine", "other", "cosine"]]


def predict(X):
    return X["sine"].to_numpy() * X["other"].to_numpy() + X["cosine"].to_numpy()


def predict_raw(raw):
    return predict(encoded(raw["quantity"]).assign(other=raw["other"].to_numpy()))


def moved(raw, **options):
    return {"quantity": ice.Moves(columns=["sine", "cosine"], observed=raw["quantity"], **options)}


def explained(function, X, **options):
    return ice.explain(function, X, progress=False, **options)


@pytest.mark.parametrize("kind", QUANTITIES)
@pytest.mark.parametrize("has_rule", [True, False])
def test_a_quantity_is_explained_as_a_column_of_it_would_be(kind, has_rule):
    raw, X = tables(kind)
    expected = explained(predict_raw, raw)
    e = explained(predict, X, groups=moved(raw, rule=encode if has_rule else None))
    feature, reference = e["quantity"], expected["quantity"]
    assert e.features == ["quantity", "other"]
    assert feature.dtype_kind == reference.dtype_kind
    assert_array_equal(feature.grid, reference.grid)
    assert_allclose(feature.curves, reference.curves, rtol=1e-12)
    assert_frame_equal(e.table(), expected.table(), rtol=1e-12)
    assert_allclose(feature.likelihood(), reference.likelihood())
    assert_allclose(feature.partial_dependence, reference.partial_dependence)
    assert_allclose(
        e.two_way("quantity", "other").partial_dependence, expected.two_way("quantity", "other").partial_dependence
    )
    assert_allclose(e.interactions().features.sort_index(), expected.interactions().features.sort_index())


@pytest.mark.parametrize(
    ("model", "method"),
    [
        (RandomForestRegressor(10, random_state=0), "tree"),
        (LinearRegression(), "linear"),
        (SVR(), "kernel"),
        (KNeighborsRegressor(), "brute"),
    ],
)
@pytest.mark.parametrize("grid", [None, np.arange(0, 24, 0.5)])
def test_every_method_moves_the_columns(model, method, grid):
    """The curves are those of a plain loop, at observed values and between them."""
    raw, X = tables()
    model.fit(X, predict(X) + 0.1 * raw["other"])
    e = explained(model, X, groups=moved(raw, rule=encode, values=grid))
    assert e.method == method
    curves = []
    for value in np.unique(raw["quantity"]) if grid is None else grid:
        phantoms = X.assign(**encode(value))
        curves.append(model.predict(phantoms))
    assert_allclose(e["quantity"].curves, np.column_stack(curves), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("container", [lambda X: X.to_numpy(), pl.from_pandas])
def test_any_container_has_such_columns(container):
    raw, X = tables()
    names = ["x0", "x2"] if container is not pl.from_pandas else ["sine", "cosine"]
    groups = {"quantity": ice.Moves(columns=names, observed=raw["quantity"].tolist())}

    def of_any(rows):
        return predict(pd.DataFrame(np.asarray(rows), columns=X.columns))

    e = explained(of_any, container(X), groups=groups)
    assert_allclose(e["quantity"].curves, explained(predict_raw, raw)["quantity"].curves)


def test_one_column_may_be_shown_in_its_raw_unit():
    """The logarithm of an amount."""
    amount = np.geomspace(1, 1000, N)
    groups = {"amount": ice.Moves(columns=["log"], observed=amount, rule=lambda x: {"log": np.log(x)})}
    X = pd.DataFrame({"log": np.log(amount)})
    e = explained(lambda rows: rows["log"].to_numpy(), X, groups=groups, grid={"amount": [1, 10, 500]})
    assert_allclose(e["amount"].curves[5], np.log([1, 10, 500]))
    assert e["amount"].scale == pytest.approx(amount.std())


def test_columns_may_be_levels():
    """A rule may return labels of a category."""
    size = np.arange(N) % 5
    names = np.array(["few", "some", "many"])[np.minimum(size, 2)]
    X = pd.DataFrame({"name": names, "size": size})
    rule = {k: {"name": name, "size": k} for k, name in enumerate(["few", "some", "many", "many", "many"])}
    groups = {"n": ice.Moves(columns=["name", "size"], observed=size, rule=rule.__getitem__)}

    def model(rows):
        return rows["size"].to_numpy(float) + 10 * (rows["name"] == "some").to_numpy()

    assert_array_equal(explained(model, X, groups=groups)["n"].curves[0], [0, 11, 2, 3, 4])


def test_other_features_drive_and_colour_by_the_quantity():
    raw, X = tables()
    e = explained(predict, X, groups=moved(raw, rule=encode))
    assert e.drivers("other")["feature"].tolist() == ["quantity"]
    assert e.drivers("other")["rule"][0].startswith("quantity ")
    assert e["other"].correlated().index.tolist() == ["quantity"]
    assert e.plot("other", color_by="quantity").get_title()
    expected = explained(predict_raw, raw).marginal_effects("quantity", 1)
    assert_allclose(e.marginal_effects("quantity", 1).average, expected.average)


def test_a_file_and_a_pickle_keep_the_quantity(tmp_path):
    """The rule stays behind where it cannot be pickled, and is needed for values that no row has."""
    raw, X = tables("dates")

    def local(value):
        return encode(value)

    e = explained(predict, X, groups=moved(raw, rule=local))
    opened = ice.load(e.save(tmp_path / "moved.ice"))
    again = ice.load(opened.save(tmp_path / "again.ice"))
    copied = pickle.loads(pickle.dumps(e))  # noqa: S301 - made here
    for other in (opened, again, copied):
        assert_frame_equal(other.table(), e.table())
        assert_array_equal(other["quantity"].grid, e["quantity"].grid)
        assert_allclose(other["quantity"].curves, e["quantity"].curves)
    with pytest.raises(ModelNeededError, match="could not be pickled"):
        copied.marginal_effects("quantity", pd.Timedelta("36h"))


def test_another_explanation_gives_the_grid():
    raw, X = tables()
    e = explained(predict, X, groups=moved(raw, rule=encode))
    half = slice(0, N, 2)
    with pytest.raises(OptionError, match="`groups` must be given"):
        explained(predict, X[half], grid=e)
    again = explained(predict, X[half], grid=e, groups=moved(raw[half], rule=encode))
    assert_array_equal(again["quantity"].grid, e["quantity"].grid)
    assert again["quantity"].scale == e["quantity"].scale


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"observed": np.arange(3)}, "must have a value for each row of X; got 3 for 60 rows"),
        ({"observed": np.r_[np.nan, np.arange(1.0, N)]}, "row 0 of 'quantity' has none"),
        ({"observed": 3}, "`observed` must be a series"),
        ({"observed": np.zeros((N, 2))}, "`observed` must be a series"),
        ({"observed": np.zeros(N)}, "must determine its columns; at 0.0 'sine' is"),
        ({"rule": lambda _: {"sine": 0.0, "cosine": 0.0}}, "in row 0 and 0.0 by `rule`"),
        ({"rule": lambda value: {"sine": np.sin(value / 4)}}, "returned the columns 'sine' for 0, not"),
        ({"rule": lambda _: 1 / 0}, "failed for 0: ZeroDivisionError"),
        ({"rule": lambda _: {"sine": "a", "cosine": 0.0}}, "returned 'a' for 0, which 'sine' cannot hold"),
        ({"rule": 3}, "`rule` must be a function"),
        ({"columns": "sine"}, "`columns` must be a list"),
        ({"columns": []}, "at least one column"),
        ({"columns": ["sine", "tangent"]}, "No column named 'tangent'"),
        ({"values": [3, 1]}, "`values` must give each feature increasing finite values"),
        ({"values": [0.5], "rule": None}, "move without a rule; got 0.5"),
    ],
)
def test_what_is_not_such_a_quantity_is_refused(change, message):
    raw, X = tables()
    options = {"columns": ["sine", "cosine"], "observed": raw["quantity"], "rule": encode, **change}
    with pytest.raises((OptionError, DataError), match=message):
        explained(predict, X, groups={"quantity": ice.Moves(**options)})


def test_an_index_in_another_order_is_refused():
    raw, X = tables()
    with pytest.raises(OptionError, match="`observed` must have the index of X"):
        explained(predict, X[::-1], groups=moved(raw))


def test_partitions_have_no_such_groups():
    """`observed` is of all rows, which are in no one place."""
    raw, X = tables()
    with pytest.raises(OptionError, match="`groups` needs all rows in one place"):
        cluster.summarise(predict, X, 0, groups=moved(raw))


def test_the_grid_of_thresholds_has_the_observed_values():
    """Thresholds are those of the columns, which are no values of the quantity."""
    raw, X = tables()
    model = RandomForestRegressor(10, random_state=0).fit(X, predict(X))
    e = explained(model, X, groups=moved(raw), grid="thresholds")
    assert_array_equal(e["quantity"].grid, np.unique(raw["quantity"]))


@pytest.mark.parametrize(
    "make",
    [
        pd.Index,
        pd.Categorical,
        lambda values: pd.array(values, "Int64"),
        pa.array,
        lambda values: array("q", values),
        tuple,
    ],
)
def test_any_sequence_holds_the_quantity(make):
    raw, X = tables()
    groups = {
        "quantity": ice.Moves(columns=(name for name in ["sine", "cosine"]), observed=make(raw["quantity"].tolist()))
    }
    for _ in range(2):  # also where columns are given by a generator
        curves = explained(predict, X, groups=groups)["quantity"].curves
        assert_allclose(curves, explained(predict_raw, raw)["quantity"].curves)


def test_a_rule_may_leave_a_column_empty():
    size = np.arange(N) % 3
    X = pd.DataFrame({"log": np.where(size > 0, np.log(np.maximum(size, 1)), np.nan)})
    rule = {0: {"log": None}, 1: {"log": 0.0}, 2: {"log": np.log(2)}}
    groups = {"size": ice.Moves(columns=["log"], observed=size, rule=rule.__getitem__)}
    e = explained(lambda rows: rows["log"].fillna(-1).to_numpy(), X, groups=groups)
    assert_allclose(e["size"].curves[0], [-1, 0, np.log(2)])


def test_a_group_is_no_categorical_column():
    raw, X = tables()
    with pytest.raises(OptionError, match="got 'quantity', which is a group"):
        explained(predict, X, groups=moved(raw), categorical_features=["quantity"])
