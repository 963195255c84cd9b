"""Levels: those that a dtype declares, the order that texts say, and columns that are not ranked."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.tree import DecisionTreeRegressor

import ice_explorer as ice
from ice_explorer.errors import PredictionError
from ice_explorer.tables.column import sort_levels

SIZES = ["lo", "mid", "hi", "top"]
RANK = {size: rank for rank, size in enumerate(SIZES)}


def sizes(n=40):
    """Sizes without "mid" and "top", and a number."""
    rng = np.random.default_rng(0)
    return rng.choice(["lo", "hi"], n).tolist(), rng.normal(size=n)


def as_pandas(labels, numbers, *, ordered):
    return pd.DataFrame({"size": pd.Categorical(labels, SIZES, ordered=ordered), "x": numbers})


def as_pandas_arrow(labels, numbers, *, ordered):
    return as_pyarrow(labels, numbers, ordered=ordered).to_pandas(types_mapper=pd.ArrowDtype)


def as_polars(labels, numbers, *, ordered):
    assert ordered
    return pl.DataFrame({"size": pl.Series(labels, dtype=pl.Enum(SIZES)), "x": numbers})


def as_pyarrow(labels, numbers, *, ordered):
    codes = pa.array([SIZES.index(label) for label in labels], pa.int8())
    return pa.table({"size": pa.DictionaryArray.from_arrays(codes, pa.array(SIZES), ordered=ordered), "x": numbers})


DECLARING = [as_pandas, as_pandas_arrow, as_pyarrow]


def labels_of(rows):
    column = rows["size"]
    return column.to_pylist() if isinstance(rows, pa.Table) else column.to_list()


def by_rank(rows):
    """Ten times the rank of the size, and the number."""
    return 10.0 * np.array([RANK[label] for label in labels_of(rows)]) + np.asarray(rows["x"], dtype=float)


def notes_of(e):
    """Notes besides the question whether a column is the target, as it is in models that return one column."""
    return [note for note in e.notes if note not in e._alerts]


def explained(X, model=by_rank, **options):
    return ice.explain(model, X, progress=False, **options)


# --- declared levels ------------------------------------------------------------------------------


@pytest.mark.parametrize("container", [*DECLARING, as_polars])
def test_ranks_are_those_declared_although_a_level_is_absent(container):
    """From lo to hi it is two ranks: the slope is that of a rank, and σ is in ranks."""
    X = container(*sizes(), ordered=True)
    f = explained(X)["size"]
    assert f.dtype_kind == "ordered"
    assert list(f._item.feature.levels) == SIZES
    assert f.grid.tolist() == ["lo", "hi"]
    assert f.axis.tolist() == [0.0, 2.0]
    assert_allclose(f.slopes, 10.0, rtol=1e-12)
    ranks = [RANK[label] for label in sizes()[0]]
    assert_allclose(f.scale, np.std(ranks), rtol=1e-12)
    assert_allclose(f.metrics()["impact"], 10.0 * np.std(ranks), rtol=1e-12)


@pytest.mark.parametrize("container", [*DECLARING, as_polars])
def test_absent_levels_of_ranks_can_be_asked_for(container):
    """The model is called with the level, in the dtype of the column."""
    X = container(*sizes(), ordered=True)
    f = explained(X, grid={"size": SIZES})["size"]
    numbers = sizes()[1]
    assert f.grid.tolist() == SIZES
    assert_allclose(f.curves, 10.0 * np.arange(4) + numbers[:, None], rtol=1e-12)


@pytest.mark.parametrize(
    ("container", "scale"), [(as_pandas, "conditional"), (as_pandas_arrow, "marginal"), (as_pyarrow, "marginal")]
)
def test_absent_levels_without_an_order_can_be_asked_for(container, scale):
    """No row has them, so that they weigh nothing in the figures."""
    X = container(*sizes(), ordered=False)
    plain, f = (explained(X, distance=scale, grid=grid)["size"] for grid in ("observed", {"size": SIZES}))
    assert plain.dtype_kind == f.dtype_kind == "category"
    assert plain.grid.tolist() == ["lo", "hi"]
    assert f.grid.tolist() == SIZES
    assert_allclose(f.curves, 10.0 * np.arange(4) + sizes()[1][:, None], rtol=1e-12)
    for name in ("impact", "in_distribution_impact", "heterogeneity"):
        assert_allclose(f.metrics()[name], plain.metrics()[name], rtol=1e-12, atol=1e-12)


def test_a_made_level_has_the_dtype_of_the_column():
    """Models look levels up by dtype."""
    seen = []

    def model(rows):
        seen.append(rows["size"].dtype)
        return by_rank(rows)

    X = as_pandas(*sizes(), ordered=True)
    explained(X, model, grid={"size": SIZES})
    assert set(seen) == {X["size"].dtype}
    enums = as_polars(*sizes(), ordered=True)
    seen.clear()
    explained(enums, model, grid={"size": SIZES})
    assert set(seen) == {pl.Enum(SIZES)}


def test_tree_engines_know_absent_levels():
    """Fitted with all levels and explained without one, swept curves are those of the model."""
    rng = np.random.default_rng(1)
    X = as_pandas(rng.choice(SIZES, 300).tolist(), rng.normal(size=300), ordered=False)
    y = X["size"].cat.codes.to_numpy(float) ** 2 + X["x"]
    model = HistGradientBoostingRegressor(max_iter=10, categorical_features="from_dtype").fit(X, y)
    few = X[X["size"] != "mid"].head(60)
    swept, asked = (
        explained(few, model, grid={"size": SIZES}, features=["size"], method=method)["size"].curves
        for method in ("tree", "brute")
    )
    assert_allclose(swept, asked, rtol=1e-12)
    assert np.ptp(asked[0]) > 1


# --- the order that texts say ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "levels",
    [
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
        ["JAN", "MAY", "SEPT", "DEC"],
        ["jan.", "feb.", "sept.", "dec."],
        ["January", "February", "August", "December"],
        ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
        ["Monday", "Thursday", "Sunday"],
        ["Tues", "Thurs", "Fri"],
        [f"level {number}" for number in range(1, 12)],
        ["Q1", "Q2", "Q3", "Q4"],
        ["9", "10", "2011"],
        ["5 km", "10 km"],
        ["18-24", "25-34", "35-64", "65+"],
        ["Feb", "Jan", "later"],
        ["a1", "a10", "b2"],
        ["x", "Y", "z"],
    ],
    ids=lambda levels: levels[0],
)
def test_texts_stand_in_the_order_that_they_say(levels):
    """Whatever order they come in."""
    rng = np.random.default_rng(0)
    for _ in range(5):
        assert sort_levels(rng.permutation(levels).tolist()) == levels


MONTHS = ["JAN", "FEB", "MAR", "APR"]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(["MAR", "JAN", "APR", "FEB"] * 5, dtype=object),
        pd.Series(["MAR", "JAN", "APR", "FEB"] * 5, dtype="string"),
        pd.Series(["MAR", "JAN", "APR", "FEB"] * 5).astype("category"),
    ],
    ids=["objects", "strings", "categories"],
)
def test_months_stand_in_order_and_stay_without_one(column):
    """So do categories that pandas made of texts."""
    X = pd.DataFrame({"month": column, "x": np.arange(20.0)})
    e = explained(X, lambda rows: rows["x"].to_numpy())
    assert e["month"].dtype_kind == "category"
    assert e["month"].grid.tolist() == MONTHS


def test_an_order_that_somebody_declared_is_kept():
    """A fiscal year begins in April."""
    fiscal = ["APR", "JAN", "FEB", "MAR"]
    X = pd.DataFrame({"month": pd.Categorical(MONTHS * 5, fiscal), "x": np.arange(20.0)})
    e = explained(X, lambda rows: rows["x"].to_numpy())
    assert e["month"].grid.tolist() == fiscal
    assert notes_of(e) == []


# --- columns that are not ranked ------------------------------------------------------------------


def people(**columns):
    """Twenty rows of a number, and more columns."""
    return pd.DataFrame({"x": np.arange(20.0), **columns})


def first_column(rows):
    return rows["x"].to_numpy(float)


def test_names_of_rows_are_not_ranked():
    """More than 8 levels and more than one for every two rows; named as a feature, they are explained."""
    names = [f"row {chr(97 + at)}" for at in range(20)]
    e = explained(people(name=names), first_column)
    assert e.features == ["x"]
    assert notes_of(e) == [
        (
            "'name' has 20 levels in 20 rows, like an ID or free text; it is not ranked, but curves can be coloured by "
            "it. Name it in `features=` to explain it."
        )
    ]
    assert e._column("name").labels.tolist() == names
    for options in ({"features": ["x", "name"]}, {"categorical_features": ["name"]}):
        named = explained(people(name=names), first_column, **options)
        assert named.features == ["x", "name"]
        assert notes_of(named) == []


@pytest.mark.parametrize(("n_levels", "is_ranked"), [(8, True), (10, True), (11, False)])
def test_where_levels_become_names(n_levels, is_ranked):
    """Of 20 rows, at most 10 levels group them; so few as 8 always do."""
    letters = [chr(97 + at % n_levels) for at in range(20)]
    assert ("group" in explained(people(group=letters), first_column).features) == is_ranked
    eight = people(group=list("abcdefgh") + [None] * 12)
    assert "group" in explained(eight, first_column).features


def test_names_are_explained_where_there_is_nothing_else():
    """A table of one column of texts is not refused."""
    X = pd.DataFrame({"name": [chr(97 + at) for at in range(20)]})
    assert explained(X, lambda rows: np.zeros(len(rows))).features == ["name"]


@pytest.mark.parametrize(
    "void",
    [
        pd.Series(np.nan, range(20)),
        pd.Series(None, range(20), dtype=object),
        pd.Series(pd.NA, range(20), dtype="Int64"),
        pd.Series(pd.NA, range(20), dtype="string"),
        pd.Series(pd.NaT, range(20)),
        pd.Series(pd.Categorical([None] * 20, ["a", "b"])),
    ],
    ids=["nan", "None", "Int64", "string", "NaT", "category"],
)
def test_a_column_without_a_value_is_not_ranked(void):
    """Whatever its dtype; it can be named among the columns and coloured by."""
    e = explained(people(void=void), first_column)
    assert e.features == ["x"]
    assert notes_of(e) == ["'void' has no values; it is not ranked."]
    assert "void" in e._context.columns.names_for_coloring
    assert e.drivers("x").set_index("feature").loc["void", "share"] == 0


def test_polars_and_rows_without_weight():
    """A column of type Null, and one whose only values are in rows that count for nothing."""
    X = pl.DataFrame({"x": [1.0, 2.0, 3.0], "null": [None, None, None], "late": [None, None, 5.0]})
    e = explained(X, lambda rows: rows["x"].to_numpy(), sample_weight=[1, 1, 0])
    assert e.features == ["x"]
    assert notes_of(e) == ["2 columns ('null' and 'late') have no values; they are not ranked."]


# --- notes that say the same ----------------------------------------------------------------------


def test_notes_that_say_the_same_are_one():
    """They count the features and name three."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(1200, 5)), columns=list("abcde"))
    X["i"], X["j"] = np.arange(1200).astype(str), np.arange(1200).astype(str)
    X["t"], X["u"] = [[1]] * 1200, [[1]] * 1200
    X["many"], X["more"] = rng.integers(0, 150, 1200).astype(str), rng.integers(0, 150, 1200).astype(str)
    e = explained(X.iloc[:, :9], lambda rows: rows["a"].to_numpy())
    starts = [
        "2 columns ('t' and 'u') hold objects that cannot be placed on an axis; they are not ranked, but curves can ",
        "2 columns ('i' and 'j') have more than one level for every two rows, like IDs or free text; they are not ",
        "5 features ('a', 'b', 'c' and 2 more) have up to 1,200 distinct values; their grids are at most 1,000 of them",
    ]
    assert [note[: len(start)] for note, start in zip(notes_of(e), starts, strict=True)] == starts
    levels = explained(X[["many", "more"]], lambda rows: np.zeros(len(rows)))
    starts = [
        "2 features ('many' and 'more') have up to 150 levels; their grids are at most 100 of them, the most frequent",
        "2 features ('many' and 'more') have observations whose levels are not on the grid; their dots are not drawn",
    ]
    assert [note[: len(start)] for note, start in zip(notes_of(levels)[:2], starts, strict=True)] == starts


def test_many_groups_are_counted():
    """Three of them are described."""
    columns = {f"g{group}_{level}": [level == "a", level == "b"] for group in range(5) for level in "ab"}
    e = explained(pd.DataFrame(columns).astype(int), lambda rows: rows["g0_a"].to_numpy(float))
    assert notes_of(e) == [
        (
            "Some 0/1 columns look one-hot encoded ('g0': 2 columns, 'g0_a' first; 'g1': 2 columns, 'g1_a' first; "
            "'g2': 2 columns, 'g2_a' first; and 2 more) but are varied separately. Pass "
            '`groups="auto"` to vary them together.'
        )
    ]


def test_a_note_names_whole_numbers_that_are_rounded():
    """Such as IDs of 64 bits: coordinates are floats. Cells of other columns stay as they are."""
    X = pd.DataFrame({"id": 2**60 + np.arange(6), "x": np.arange(6)})
    seen = []

    def model(rows):
        seen.append(rows["id"].to_numpy())
        return rows["x"] * 1.0

    e = ice.explain(model, X, method="brute", progress=False)
    assert "'id' has whole numbers beyond 2^53, which are rounded to 16 digits." in e.notes
    seen.clear()
    ice.explain(model, X, features=["x"], method="brute", progress=False)
    assert set(np.concatenate(seen)) <= set(X["id"])


def test_grid_values_whose_slopes_are_no_numbers_are_refused():
    """Steps of 1e-200 within a column of 1e15: squares of slopes would be infinite."""
    X = pd.DataFrame({"a": [1e15, 1e15, 1e-200, 1e15, 5e-324, 1e15]})
    with pytest.raises(PredictionError, match=r"Grid values of 'a' must be further apart than"):
        ice.explain(lambda rows: (rows["a"] > 1e-250) * 1.0, X, grid_size=3, progress=False, convention="paper")


def test_grid_values_too_close_for_slopes_are_refused_by_every_engine():
    """Also where the curves do not change between them, which only some engines know."""
    X = pd.DataFrame({"a": [1e15] * 4 + [5e-324, 0.0], "b": [0.0, 1.0] * 3})
    tree = DecisionTreeRegressor().fit(X, X["b"])
    for method in ("auto", "brute"):
        with pytest.raises(PredictionError, match=r"Grid values of 'a' must be further apart than"):
            ice.explain(tree, X, method=method, progress=False)
