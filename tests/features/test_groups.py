"""Columns of 0 and 1 that are one category: declared, found, refused."""

import numpy as np
import oracles
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal

import ice_explorer as ice
from ice_explorer.errors import OptionError
from ice_explorer.features.columns import level_names
from ice_explorer.wire.replies import describe_colors


def model(rows):
    """A sum of which the group brings an interaction."""
    wing = rows["wing_a"].to_numpy(float) * 2 + rows["wing_b"].to_numpy(float) * 5
    return wing * rows["x"].to_numpy(float) + rows["z"].to_numpy(float)


def one_hot(n=20, *, dropped=False):
    """Columns of a category of three levels, of which the first may be dropped, and two numbers."""
    rng = np.random.default_rng(0)
    wing = rng.integers(0, 3, n)
    X = pd.DataFrame({"x": rng.normal(size=n), "z": rng.integers(2, 5, n)})
    for at, level in enumerate("abc"):
        if not (dropped and level == "c"):
            X[f"wing_{level}"] = (wing == at).astype(np.uint8)
    return X


def explained(X=None, function=model, **options):
    X = one_hot() if X is None else X
    return ice.explain(function, X, progress=False, **options)


def found_in(X):
    """Groups that are found among the columns."""
    e = ice.explain(lambda rows: np.zeros(len(rows)), X, groups="auto", progress=False)
    return dict(e.settings.groups or {})


def wings(X):
    return {"wing": [name for name in X.columns if name.startswith("wing")]}


# Declared ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dropped", [False, True])
def test_a_group_is_one_category(dropped):
    """It has the figures of the category that it was made of, and its columns leave the ranking."""
    X = one_hot(dropped=dropped)
    labels = np.where(X["wing_a"] == 1, "a", np.where(X["wing_b"] == 1, "b", "none of them" if dropped else "c"))

    def of_labels(rows):
        wing = rows["wing"].map({"a": 2.0, "b": 5.0}).fillna(0.0).to_numpy()
        return wing * rows["x"].to_numpy() + rows["z"].to_numpy()

    e = explained(X, groups=wings(X))
    assert e.features == ["x", "z", "wing"]
    assert e["wing"].dtype_kind == "group"
    assert list(e["wing"]._item.feature.levels) == ["a", "b", "none of them" if dropped else "c"]
    assert e["wing"].observed.tolist() == labels.tolist()
    as_category = X[["x", "z"]].assign(wing=pd.Categorical(labels, list(e["wing"]._item.feature.levels)))
    plain = explained(as_category, of_labels)
    figures = e.table()
    pd.testing.assert_frame_equal(figures, plain.table().loc[figures.index], rtol=1e-12)
    assert_allclose(e["wing"].curves, plain["wing"].curves)
    shares = oracles.category_shares(labels.tolist(), [1.0] * 20)
    assert_allclose(e["wing"].scale, oracles.category_scale(list(shares.values())))


def test_the_model_never_sees_a_row_at_two_levels():
    """All columns move together, and keep their dtypes."""
    X = one_hot()
    X["wing_b"] = X["wing_b"].astype(bool)
    X["wing_c"] = X["wing_c"].astype(float)

    def strict(rows):
        on = rows[["wing_a", "wing_b", "wing_c"]].astype(int).sum(axis=1)
        assert (on == 1).all()
        assert (rows.dtypes == X.dtypes).all()
        return model(rows)

    e = explained(X, strict, groups=wings(X))
    assert_allclose(e["wing"].curves[:, 0] - e["wing"].curves[:, 2], 2.0 * X["x"])


def test_a_group_can_be_named_as_a_feature():
    """By its name, whatever that is; its columns cannot."""
    X = one_hot()
    e = explained(X, groups=wings(X), features=["wing", "x"])
    assert e.features == ["wing", "x"]
    e = explained(X, groups={7: list(wings(X)["wing"])}, features=["7"])
    assert e.features == [7]
    assert e["7"].label == "7"


def test_columns_of_an_array_can_be_grouped():
    """By the names or the positions that they have."""
    X = one_hot()[["x", "z", "wing_a", "wing_b", "wing_c"]].to_numpy(float)

    def function(rows):
        return model(pd.DataFrame(rows, columns=["x", "z", "wing_a", "wing_b", "wing_c"]))

    by_name = explained(X, function, groups={"wing": ["x2", "x3", "x4"]})
    by_position = explained(X, function, groups={"wing": [2, 3, 4]})
    assert by_name.features == by_position.features == ["x0", "x1", "wing"]
    assert list(by_name["wing"]._item.feature.levels) == ["x2", "x3", "x4"]
    assert_array_equal(by_name["wing"].curves, by_position["wing"].curves)


def test_a_level_that_no_row_has_is_not_on_the_grid():
    """It can be named."""
    X = one_hot()
    X["wing_d"] = 0
    X["z"] += 0
    groups = {"wing": ["wing_a", "wing_b", "wing_c", "wing_d"]}
    e = explained(X, groups=groups)
    assert list(e["wing"]._item.feature.levels) == ["a", "b", "c", "d"]
    assert e["wing"].grid.tolist() == ["a", "b", "c"]
    asked = explained(X, groups=groups, grid={"wing": ["a", "d"]})
    assert asked["wing"].grid.tolist() == ["a", "d"]
    assert np.isnan(asked.table().loc["wing", "impact"])
    assert "'wing': fewer than two levels of its grid occur, so its effects are undefined." in asked.notes


def test_a_group_colours_as_the_category_it_is():
    """Named like a column, in front of its own; its columns stay what they are."""
    X = one_hot(dropped=True)
    X["wing_b"] = 0
    e = explained(X, groups=wings(X))
    column = e._column("wing")
    assert (column.name, column.label, column.kind) == ("wing", "wing", "category")
    assert column.levels.tolist() == ["a", "b", "none of them"]
    assert column.labels.tolist() == e["wing"].observed.tolist()
    assert e._context.columns.names_for_coloring == ["x", "z", "wing", "wing_a", "wing_b"]
    body = describe_colors(column, [3, 0])
    n_a = int(X["wing_a"].sum())
    assert (body.scale.levels, body.scale.counts) == (["a", "none of them"], [n_a, 20 - n_a])
    assert_array_equal(body.values, 1.0 - X["wing_a"].to_numpy()[[3, 0]])
    assert e._column("wing_a").kind == "numeric"
    legend = e.plot("x", color_by="wing", ax=Figure().subplots()).get_legend()
    assert [text.get_text() for text in legend.get_texts()][:2] == ["a", "none of them"]


def test_a_group_is_known_to_whoever_asks_for_a_column():
    """A name that is neither finds the closest of both."""
    X = one_hot()
    e = explained(X, groups={"wing": ["wing_a", "wing_b", "wing_c"]})
    with pytest.raises(OptionError) as caught:
        e._column("wng")
    assert str(caught.value) == (
        "No column named 'wng' in X. Did you mean 'wing'? "
        "X has 5 columns: 'x', 'z', 'wing_a', 'wing_b', 'wing_c'. Its groups are 'wing'."
    )


def test_settings_hold_what_was_declared():
    """So that a view can be made again."""
    X = one_hot()
    assert explained(X, groups=wings(X)).settings.groups == wings(X)
    assert explained(X).settings.groups is None


@pytest.mark.parametrize(
    ("labels", "levels"),
    [
        (["city_a", "city_b"], ["a", "b"]),
        (["city_paris", "city_prague"], ["paris", "prague"]),
        (["a city=x", "a city=y"], ["x", "y"]),
        (["C(city)[T.a]", "C(city)[T.b]"], ["a", "b"]),
        (["city[a]", "city[b]"], ["a", "b"]),
        (["paris", "prague"], ["paris", "prague"]),
        (["x_", "x_a"], ["x_", "x_a"]),
        (["home_city_a", "home_town_b"], ["city_a", "town_b"]),
    ],
)
def test_levels_are_named_by_what_columns_do_not_share(labels, levels):
    """Up to a separator, so that no name is cut in two."""
    assert level_names(labels) == levels


# Found -------------------------------------------------------------------------------------------


def test_groups_are_found_and_not_applied():
    """They are offered, in the notes too, and what is offered can be passed on."""
    X = one_hot()
    assert found_in(X) == wings(X)
    e = explained(X)
    assert e.features == X.columns.tolist()
    assert e.notes[0] == (
        "Some 0/1 columns look one-hot encoded ('wing': 3 columns, 'wing_a' first) but are varied separately. "
        'Pass `groups="auto"` to vary them together.'
    )
    declared = explained(X, groups="auto")
    assert set(declared.features) == {"wing", *X.columns.drop(wings(X)["wing"])}
    assert not any("one-hot" in note for note in declared.notes)
    assert found_in(one_hot(dropped=True)) == {"wing": ["wing_a", "wing_b"]}


def test_what_is_no_group():
    """Columns that are 1 together, miss values, hold other numbers, are never 1, or share no beginning."""
    X = pd.DataFrame(
        {
            "both_a": [1, 1, 0], "both_b": [1, 0, 0],
            "hole_a": [1, np.nan, 0], "hole_b": [0, 1, 0],
            "many_a": [0, 2, 0], "many_b": [1, 0, 1],
            "never_a": [0, 0, 0], "never_b": [1, 0, 1],
            "left": [1, 0, 0], "right": [0, 1, 1],
            "_a": [1, 0, 0], "_b": [0, 1, 0],
        }
    )  # fmt: skip
    assert found_in(X) == {}
    assert found_in(np.eye(3)) == {}
    dummies = pd.DataFrame({"C(town)[T.Ur]": [1, 0, 0], "C(town)[T.Uruk]": [0, 1, 0]})
    assert found_in(dummies) == {"C(town)": dummies.columns.tolist()}


def test_the_largest_group_of_alike_names_is_found():
    """And those whose columns are always one of them before those of which one may be dropped."""
    X = pd.DataFrame(
        {
            "home_city_a": [1, 0, 0, 0], "home_city_b": [0, 1, 1, 1],
            "home_type_x": [1, 1, 0, 0], "home_type_y": [0, 0, 1, 1],
            "kin.one": [1, 0, 0, 0], "kin.two": [0, 1, 0, 0], "kin.two.far": [0, 0, 1, 0],
        }
    )  # fmt: skip
    assert found_in(X) == {
        "home_city": ["home_city_a", "home_city_b"],
        "home_type": ["home_type_x", "home_type_y"],
        "kin": ["kin.one", "kin.two", "kin.two.far"],
    }


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), st.booleans())
def test_dummies_are_found_as_they_were_made(codes, dropped):
    """Whatever the levels; one level alone is no group."""
    levels = pd.Series([f"level{code}" for code in codes], name="a b")
    X = pd.get_dummies(levels.to_frame(), drop_first=dropped)
    found = found_in(X.assign(z=1.5))
    assert found == ({"a b": X.columns.tolist()} if X.shape[1] > 1 else {})
    if found:
        f = ice.explain(lambda rows: rows[X.columns[0]], X.assign(z=1.5), groups=found, progress=False)["a b"]
        kept = [f"level{code}" for code in codes if f"a b_level{code}" in X.columns]
        assert [level for level in f.observed if level != "none of them"] == kept
