"""An explanation of rows on a cluster equals that of one machine."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from clusters import first
from distributed import Client
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import SVR

import ice_explorer as ice
from ice_explorer.errors import ModelNeededError

pytestmark = [pytest.mark.current, pytest.mark.timeout(300)]
DECAYS = [0.01, 0.3, 0.75, 1.0]


def assert_same(found, expected, rtol=1e-10):
    """Every figure of the tables, curves' means, grids and the profile over decays, which is interpolated."""
    assert found.features == expected.features
    assert found._context.n_explained == expected._n_observations
    mine, theirs = (e.table(rank_by=None) for e in (found, expected))
    pd.testing.assert_frame_equal(mine, theirs, rtol=rtol, atol=1e-12)
    mine, theirs = (e.table(DECAYS).to_numpy(float) for e in (found, expected))
    assert_allclose(mine, theirs, rtol=max(rtol, 1e-6), atol=1e-13)
    assert_allclose(found._context.prediction_sd, expected._context.prediction_sd, rtol=1e-12)
    for name in expected.features:
        mine, theirs = found[name], expected[name]
        assert_array_equal(mine.grid, theirs.grid)
        assert_allclose(mine.partial_dependence, theirs.partial_dependence, rtol=1e-12, atol=1e-12)
        assert_allclose(mine.spread, theirs.spread, rtol=1e-10, atol=1e-12)
        assert mine.dtype_kind == theirs.dtype_kind
        assert (mine._item.feature.levels is None) == (theirs._item.feature.levels is None)


OPTIONS = [
    {},
    {"grid": "quantile", "grid_size": 7},
    {"grid": "uniform", "grid_size": 9},
    {"grid": {"decimal": [-1, 0, 1.5], "level": ["z", "x"]}},
    {"grid_size": 5, "features": ["missing", "level", "continuous"]},
    {"method": "brute", "features": ["missing", "level"]},
    {"categorical_features": ["whole"], "convention": "paper", "decay": 0.4},
]


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_trees_on_columns_of_all_kinds(client, model, X, partitioned, options):
    """Grids, scales, missing values and levels are those of all rows, not of a partition."""
    rows = X.sort_values("decimal", ignore_index=True)
    assert_same(ice.explain(model, partitioned, **options), ice.explain(model, rows, **options))


@pytest.mark.slow
def test_a_sample_of_the_rows_comes_to_this_machine(client, model, X):
    """Curves and drivers are theirs, metrics are of all rows, and what needs all rows says so."""
    rows = pd.concat([X] * 4, ignore_index=True).sort_values("decimal", ignore_index=True)
    e, again = (ice.explain(model, dd.from_pandas(rows, npartitions=5)) for _ in range(2))
    expected = ice.explain(model, rows)
    assert_same(e, expected)
    assert e._n_observations == 10_000
    assert repr(e) == (
        "<Explanation of the prediction: 6 features, 10,000 of 12,000 observations, method 'tree'>"
    )  # fmt: skip
    assert "all 12,000 rows; curves" in e.notes[0]
    curves = e["decimal"].curves
    assert_array_equal(curves, expected["decimal"].curves[e._context.table.index])
    assert_array_equal(curves, again["decimal"].curves)
    assert e.drivers("decimal")["feature"][0] == "whole"
    for request in (lambda: e.table(ci=0.95), lambda: e.table(by="level")):
        with pytest.raises(ModelNeededError, match=r"this explanation has those of 10,000 of 12,000 rows"):
            request()


@pytest.mark.slow
def test_an_explanation_of_a_cluster_is_saved_and_opened(client, model, partitioned, tmp_path):
    """It is looked at on a laptop, without model and rows."""
    e = ice.explain(model, partitioned)
    opened = ice.load(e.save(tmp_path / "result.ice"))
    pd.testing.assert_frame_equal(opened.table(), e.table())


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [LinearRegression, SVR],
    ids=["linear", "svr"],
)
def test_other_engines_on_arrays(client, make):
    """Straight lines, and kernels, on an array of Dask in chunks of rows and columns."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 4)).round(1)
    fitted = make().fit(X, X[:, 0] * X[:, 1] + np.sin(X[:, 2]))
    chunked = da.from_array(X, chunks=(130, 2))
    assert_same(ice.explain(fitted, chunked), ice.explain(fitted, X))


@pytest.mark.slow
def test_weights_and_classes(client):
    """Weights are a Series of Dask; rows and partitions without weight do not count."""
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(900, 3)).round(1), columns=list("abc"))
    y, weights = rng.choice(["no", "perhaps", "yes"], 900), pd.Series(rng.integers(0, 3, 900).astype(float))
    weights[300:600] = 0
    fitted = RandomForestClassifier(10, max_depth=5, random_state=0).fit(X, y)
    mine = ice.explain(
        fitted, dd.from_pandas(X, npartitions=3), output="yes",
        sample_weight=dd.from_pandas(weights, npartitions=3),
    )  # fmt: skip
    assert_same(mine, ice.explain(fitted, X, output="yes", sample_weight=weights.to_numpy()))


@pytest.mark.slow
def test_one_hot_groups(client):
    """In a partition all rows may have one of the columns."""
    rng = np.random.default_rng(3)
    city = np.sort(rng.integers(0, 4, 400))
    X = pd.DataFrame(
        {f"city_{name}": (city == at).astype(int) for at, name in enumerate("abc")} | {"x": rng.random(400)}
    )
    fitted = LogisticRegression().fit(X, rng.random(400) < X.x)
    groups = {"city": ["city_a", "city_b", "city_c"]}
    mine = ice.explain(fitted, dd.from_pandas(X, npartitions=4), groups=groups)
    expected = ice.explain(fitted, X, groups=groups)
    assert_same(mine, expected)
    assert str(mine["city"]._item.feature.levels) == str(expected["city"]._item.feature.levels)


@pytest.mark.slow
def test_many_distinct_values(client):
    """Quantiles are close, σ is exact, and a note says so; on a grid that is given metrics are close, too."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200_000, 2))
    chunks = da.from_array(X, chunks=(30_000, 2))
    mine = ice.explain(first, chunks, grid="quantile", grid_size=20)
    expected = ice.explain(first, X, grid="quantile", grid_size=20)
    assert any("more than 65,536 distinct values" in note for note in mine.notes)
    for name in expected.features:
        assert_allclose(mine[name].scale, expected[name].scale, rtol=1e-12)
        ranks = np.searchsorted(np.sort(X[:, int(name[1])]), mine[name].grid) / len(X)
        assert_allclose(ranks, np.linspace(0, 1, 20), atol=5e-4)
    given = {name: expected[name].grid for name in expected.features}
    # The shares of observations nearest to each grid value are not counted one by one.
    assert_same(ice.explain(first, chunks, grid=given), expected, rtol=0.01)


@pytest.mark.slow
def test_a_client_of_a_block(cluster, model, partitioned, X):
    """A client that is the current one within a block only is used."""
    with Client(cluster, set_as_default=False) as client, client.as_current():
        mine = ice.explain(model, partitioned)
    assert_same(mine, ice.explain(model, X.sort_values("decimal", ignore_index=True)))


@pytest.mark.wide
def test_workers_of_this_process_end_with_the_work(model, partitioned, X):
    """Where there is no client."""
    assert_same(ice.explain(model, partitioned), ice.explain(model, X.sort_values("decimal", ignore_index=True)))
    with pytest.raises(ValueError, match="No "):
        Client.current(allow_global=True)
