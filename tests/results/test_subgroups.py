"""Groups of observations and folds compare: one grid, one σ, one set of level frequencies."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import ice_explorer as ice
from ice_explorer.errors import OptionError

NUMBERS = ["impact", "in_distribution_impact", "direction", "heterogeneity", "non_linearity", "missing_impact"]


def frame(n=120, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "dose": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n).round(2)),
            "city": pd.Categorical(rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1]), categories=["a", "b", "c", "d"]),
            "sex": rng.choice(["f", "m"], n),
        }
    )


def model(X):
    """A function of the frame, in which nothing is additive."""
    dose = X["dose"].fillna(2.0).to_numpy()
    city = X["city"].map({"a": 0.0, "b": 1.0, "c": 4.0, "d": 9.0}).astype(float).to_numpy()
    is_f = (X["sex"] == "f").to_numpy()
    return np.where(is_f, 2.0, 1.0) * X["age"].to_numpy() / 10 + dose**2 + city * dose + is_f * city


X = frame()


def test_the_metrics_of_a_group_are_those_of_its_rows_on_the_same_grid():
    """Found in two ways: by one pass over all rows, and by an explanation of those rows alone."""
    e = ice.explain(model, X)
    for sex, rows in X.groupby("sex"):
        alone = ice.explain(model, rows, grid=e)
        for decay in (0.75, 0.2):
            found, expected = e.table(decay, by="sex", rank_by=None).loc[sex], alone.table(decay, rank_by=None)
            pd.testing.assert_frame_equal(found.drop(columns="n_rows"), expected, rtol=1e-12, check_names=False)
            assert (found["n_rows"] == len(rows)).all()


@pytest.mark.parametrize(
    "fitted", [RandomForestRegressor(20, random_state=0), LinearRegression()], ids=["tree", "line"]
)
def test_every_engine_has_the_same_groups(fitted):
    """Trees and closed forms as well as a model that predicts every phantom observation."""
    data = X[["age", "dose"]].fillna(0.0)
    fitted.fit(data, model(X.assign(dose=data["dose"])))
    by = X["sex"] == "f"
    found, plain = (ice.explain(fitted, data, method=method).table(by=by, rank_by=None) for method in ("auto", "brute"))
    assert_allclose(found[NUMBERS], plain[NUMBERS], rtol=1e-9, atol=1e-9)


def test_one_group_of_all_rows_is_the_table():
    """Nothing but the index differs, whatever the weights and the sample."""
    weights = np.random.default_rng(1).integers(0, 3, len(X))
    for options in ({}, {"sample_weight": weights}, {"sample": 40}):
        e = ice.explain(model, X, **options)
        table = e.table(by=np.zeros(len(X)))
        pd.testing.assert_frame_equal(table.loc[0.0].drop(columns="n_rows"), e.table(), rtol=1e-12, check_names=False)


def test_groups_of_fewer_than_ten_observations_have_no_intervals():
    """A warning names them; their figures are there, and the intervals of other groups are what they were."""
    X = frame()
    labels = np.where(np.arange(len(X)) < 9, "few", "many")
    e = ice.explain(model, X, features=["age", "city"], progress=False)
    with pytest.warns(UserWarning, match=r"^'few' has fewer than 10 observations: no intervals\.$"):
        table = e.table(by=labels, ci=0.9)
    ends = [name for name in table.columns if name.endswith(("_low", "_high"))]
    assert table.loc["few", ends].isna().all(axis=None)
    assert table.loc["few", "impact"].notna().all()
    assert table.loc["many", ["impact_low", "impact_high", "rank_low"]].notna().all(axis=None)
    e.table(by=np.resize(["a", "b"], len(X)), ci=0.9)


def test_a_group_is_looked_up_once():
    """Another decay, unit or picture of the same groups does not call the model again."""
    calls = []

    def counted(rows):
        calls.append(len(rows))
        return model(rows)

    e = ice.explain(counted, X)
    e.table(by="sex")
    n_calls = len(calls)
    e.table(0.3, by="sex")
    shares = e.table(unit="share", by=X["sex"].to_numpy())
    assert_allclose(shares["impact"].groupby(level=0).sum(), 100)  # within each group
    assert len(calls) == n_calls


def test_groups_stand_in_the_order_of_the_column_and_those_without_a_label_come_last():
    """Levels that no row has are left out; a group without a row in the sample has NaN for its metrics."""
    table = ice.explain(model, X, features=["dose"]).table(by=X["sex"].where(X["age"] > 30))
    assert table.index.get_level_values(0)[:2].tolist() == ["f", "m"]
    assert pd.isna(table.index.get_level_values(0)[2])
    assert table["n_rows"].sum() == len(X)
    table = ice.explain(model, X, features=["age"]).table(by="city")
    assert table.index.tolist() == [("a", "age"), ("b", "age"), ("c", "age")]
    table = ice.explain(model, X, features=["age"], sample=10, random_state=3).table(by=np.arange(len(X)) == 0)
    assert table.loc[True, "n_rows"].tolist() == [1]
    assert table.loc[True, NUMBERS].isna().all(axis=None)


def test_positions_may_be_a_mask():
    """Wherever rows of X are addressed; in another order it would choose other rows than those it was made for."""
    e = ice.explain(model, X)
    f, mask = e["age"], X["sex"] == "f"
    assert_allclose(f.compute_curves(mask), f.compute_curves(np.flatnonzero(mask)))
    assert_allclose(f._predictions(mask.tolist()), model(X[mask]))
    assert e.to_frame("age", rows=mask)["row"].nunique() == mask.sum()
    x = ice.ICEExplorer(ice.explain(model, X, features=["age"]))
    x.selection = mask
    assert x.selection == np.flatnonzero(mask).tolist()
    turned = mask[::-1]
    with pytest.raises(OptionError) as error:
        f.compute_curves(turned)
    assert str(error.value) == (
        "`rows` must have the index of X; row 0 has the label 119 in mask and 0 in X. Pass `mask.loc[X.index]` to "
        "match them by label, or `mask.to_numpy()` if they are in the order of X."
    )
    assert_allclose(f.compute_curves(turned.to_numpy()), f.compute_curves(np.flatnonzero(turned.to_numpy())))


def test_labels_of_rows_are_no_positions():
    """After a shuffle, `X.index[mask]` has whole numbers that are positions of other rows."""
    shuffled = X.sample(frac=1, random_state=0)
    f = ice.explain(model, shuffled)["age"]
    chosen = shuffled.index[shuffled["sex"] == "f"]
    with pytest.raises(OptionError, match=r"not by index label; `X\.index\.get_indexer\(labels\)` has the posi"):
        f.compute_curves(chosen)
    assert_allclose(f._predictions(shuffled.index.get_indexer(chosen)), model(shuffled.loc[chosen]))
    f = ice.explain(model, X)["age"]  # whose labels count the rows
    assert_allclose(f.compute_curves(X.index[:3]), f.compute_curves([0, 1, 2]))


# --- folds ----------------------------------------------------------------------------------------


def test_another_explanation_gives_grid_scale_and_levels():
    """Whatever the new rows hold; levels of their own have a place, but no grid value."""
    old = X.assign(city=X["city"].astype(str))[: len(X) // 2]
    new = X.assign(city=X["city"].astype(str).replace({"b": "d"}))[len(X) // 2 :]
    e = ice.explain(model, old, features=["age", "city"], categorical_features=["age"])
    found = ice.explain(model, new, grid=e)
    assert found.features == ["age", "city"]
    for one, other in zip(e.values(), found.values(), strict=True):
        assert one.grid.tolist() == other.grid.tolist()
        assert one.scale == other.scale
    assert list(found["city"]._item.feature.levels) == ["a", "b", "c", "d"]
    assert found["city"].observed.tolist() == new["city"].tolist()
    assert_allclose(found["city"].curves[:, 1], model(new.assign(city="b")))


@pytest.mark.parametrize("container", ["object", "category of polars", "text of polars", "pyarrow"])
def test_levels_that_new_rows_lack_are_written_in_their_dtype(container):
    """The model is called with what it was fitted on, by every method."""
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    make = {
        "object": lambda data: data,
        "category of polars": lambda data: polars.from_pandas(data).cast({"city": polars.Categorical}),
        "text of polars": polars.from_pandas,
        "pyarrow": pyarrow.Table.from_pandas,
    }[container]
    data = X[["age", "city"]].assign(city=X["city"].astype(object))

    def as_frame(rows):
        return pd.DataFrame({"age": list(rows["age"]), "city": [str(city) for city in rows["city"]]})

    def predict(rows):
        if container.endswith("polars"):
            assert rows.schema == make(data).schema
        frame = rows.to_pandas() if hasattr(rows, "to_pandas") else as_frame(rows)
        return frame["age"].to_numpy(float) + frame["city"].astype(str).map({"a": 0.0, "b": 1.0, "c": 4.0}).to_numpy()

    e = ice.explain(predict, make(data))
    few = data[data["city"] == "c"]
    found = ice.explain(predict, make(few), grid=e)["city"]
    assert found.grid.tolist() == e["city"].grid.tolist()
    assert_allclose(found.curves - few[["age"]].to_numpy(), np.tile([0.0, 1.0, 4.0], (len(few), 1)))


def test_folds_of_a_pipeline_are_the_same_by_every_engine():
    """Behind an encoder that knows levels which a fold does not hold."""
    data = X[["age", "city"]].assign(city=X["city"].astype(object))
    encoder = make_column_transformer((OneHotEncoder(), ["city"]), remainder="passthrough")
    pipeline = make_pipeline(encoder, RandomForestRegressor(20, random_state=0)).fit(data, model(X))
    few = data[data["city"] != "b"]
    e = ice.explain(pipeline, data)
    assert e.method == "tree"
    found, plain = (ice.explain(pipeline, few, grid=e, method=method) for method in ("tree", "brute"))
    assert_allclose(found.table()[NUMBERS], plain.table()[NUMBERS], rtol=1e-9, atol=1e-9)


def test_the_same_rows_like_themselves_change_nothing():
    """Options that describe features are taken over; others are not."""
    data = X.assign(city_a=(X["city"] == "a") * 1.0, city_b=(X["city"] != "a") * 1.0)
    e = ice.explain(
        model, data, groups={"is a": ["city_a", "city_b"]}, categorical_features=["age"], grid="quantile", grid_size=7
    )
    again = ice.explain(model, data, grid=e)
    pd.testing.assert_frame_equal(e.table(), again.table())
    assert (again.settings.grid, again.settings.groups) == ("explanation", {"is a": ["city_a", "city_b"]})


def test_an_explorer_takes_another_explanation_as_its_measure():
    """Grids and scales are those of the other one."""
    e = ice.explain(model, X, grid="quantile", grid_size=5)
    x = ice.ICEExplorer(model, frame(seed=1), grid=e, static_picture=False)
    assert x.explanation["age"].grid.tolist() == e["age"].grid.tolist()
    assert x.explanation["age"].scale == e["age"].scale
    x.close()
