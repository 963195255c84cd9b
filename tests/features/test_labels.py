"""Names and levels as people read them, and that nothing is lost of them where data are kept."""

from __future__ import annotations

import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ice_explorer as ice
from ice_explorer.errors import OptionError
from ice_explorer.tables.column import MOST_LETTERS, make_labels, shortened, sort_levels
from ice_explorer.wire.arrays import packed
from ice_explorer.wire.header import describe_header
from ice_explorer.wire.replies import describe_colors, describe_curves, describe_drivers, describe_rows

LONG = "the room was clean and the staff friendly but the street is loud at night " * 100
NAMES = st.one_of(
    st.text(" \t\nab", max_size=5),
    st.sampled_from(["(no name)", "(no name) (2)", "␣", "a ", LONG, LONG + "b", LONG + "c", "b" + LONG]),
)
READERS = {"pandas": pd.DataFrame, "polars": pl.DataFrame}


def model(X):
    """A function of the first three columns."""
    first, second, third = np.asarray(X, dtype=float).T[:3]
    return 3 * first + 2 * first * second + third


def table_of(names, reader=pd.DataFrame, n=30):
    """Numbers in columns of these names."""
    draw = np.random.default_rng(0)
    return reader({name: draw.normal(size=n) for name in names})


# --- labels ---------------------------------------------------------------------------------------


@given(st.lists(NAMES, unique=True))
def test_labels_are_seen_short_and_distinct(names):
    """Whatever the names, and each name that is seen, short and like no other keeps its words."""
    labels = make_labels(names)
    assert len(set(labels)) == len(names)
    assert all(label.strip() and len(label) <= MOST_LETTERS for label in labels)
    # What a page shows of a label has one blank for several, and none at its ends.
    assert len({" ".join(label.split()) for label in labels}) == len(names)
    looks = [" ".join(name.split()) for name in names]
    for label, look in zip(labels, looks, strict=True):
        if look and len(look) <= MOST_LETTERS and looks.count(look) == 1 and not look.startswith("(no name"):
            assert label == look


@given(st.lists(st.one_of(NAMES, st.text())))
def test_distinct_texts_stay_distinct(texts):
    """Short ones as they are; equal ones equal."""
    shown = shortened(texts)
    assert len(set(shown)) == len(set(texts))
    assert all(len(text) <= MOST_LETTERS for text in shown)
    assert [text for text in texts if len(text) <= MOST_LETTERS] == [
        new for new, text in zip(shown, texts, strict=True) if len(text) <= MOST_LETTERS
    ]


def test_levels_with_numbers_of_thousands_of_digits_are_sorted():
    """Python refuses to read such numbers whole."""
    levels = [f"level {'1' * 5000}", f"level {'2' * 5000}"]
    assert sort_levels(levels[::-1]) == levels


# --- a column without a name ----------------------------------------------------------------------


@pytest.fixture(params=READERS)
def nameless(request):
    """A table whose first column has no name, and whose second one is a blank."""
    return table_of(["", " ", "age"], READERS[request.param])


def test_a_column_without_a_name_is_read_as_that(nameless):
    """In labels, and found by name, label and position; tables keep the name that X has."""
    e = ice.explain(model, nameless, progress=False)
    assert e._labels == ["(no name)", "(no name) (2)", "age"]
    assert e[""] is e["(no name)"] is e[0]
    assert sorted(e.table().index) == ["", " ", "age"]
    assert e.drivers("")["feature"].tolist() == ["(no name) (2)", "age"]


def test_the_feature_that_ranks_first_is_opened_beside_one_without_a_name():
    """The default of the trait is no choice."""
    X = table_of(["age", "", "weight"])
    x = ice.ICEExplorer(model, X)
    x.explanation  # noqa: B018 - waits
    assert x.feature == "age"


def test_no_name_opens_nothing_where_every_column_has_one():
    """As it did before a feature was chosen, also in a state."""
    X = table_of(["a", "b", "c"])
    x = ice.ICEExplorer(model, X)
    x.explanation  # noqa: B018 - waits
    x.feature = ""
    assert x.feature == ""
    other = ice.ICEExplorer(model, table_of(["a", "", "c"]), state=x.state())
    other.explanation  # noqa: B018 - waits
    assert other.feature == "a"  # which ranks first


def test_a_browser_means_by_no_name_that_none_is_open():
    """Only Python names columns as X does."""
    x = ice.ICEExplorer(model, table_of(["", "b", "c"]))
    x.explanation  # noqa: B018 - waits
    x.set_state({"feature": ""})
    assert x.feature == ""


@pytest.mark.parametrize("suffix", [".svg", ".html", ".csv", ".json"])
def test_files_plots_and_errors_name_it(nameless, suffix, tmp_path):
    """Pictures and messages as people read it, data as X has it."""
    x = ice.ICEExplorer(model, nameless)
    x.explanation  # noqa: B018 - waits
    x.feature = ""
    content = x.save(tmp_path / f"file{suffix}").read_text(encoding="utf-8")
    if suffix == ".svg":
        assert ">ICE of (no name)<" in content
        e = x.explanation
        axes = [e.plot("", color_by=" "), e.plot()]
        assert axes[0].get_xlabel() == "(no name)"
        assert "(no name)" in [label.get_text() for label in axes[1].get_yticklabels()]
        for ax in axes:
            plt.close(ax.figure)
        with pytest.raises(OptionError, match=r"There are 3 features: '\(no name\)', '\(no name\) \(2\)', 'age'\.$"):
            e["agee"]
    elif suffix == ".csv":
        assert sorted(pd.read_csv(tmp_path / "file.csv", comment="#", na_filter=False)["feature"]) == ["", " ", "age"]
    elif suffix == ".json":
        assert {row["feature"] for row in json.loads(content)["metrics"]} == {"", " ", "age"}


def test_a_group_without_a_name_is_a_feature_like_any_other():
    """Its label is that of a column without one."""
    X = table_of(["a", "b", "c"]).assign(c=np.tile([0.0, 1.0], 15), d=np.tile([1.0, 0.0], 15))
    e = ice.explain(model, X, groups={"": ["c", "d"]}, progress=False)
    assert e._labels == ["a", "b", "(no name)"]
    assert e[""].dtype_kind == "group"


# --- long texts -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reviews():
    """An explanation of reviews that differ at their ends, in rows of long names."""
    draw = np.random.default_rng(0)
    X = table_of(["a", "b", "c"], n=40).rename(columns={"b": LONG + "b", "c": LONG + "c"})
    X["review"] = np.array([LONG + str(at) for at in range(4)])[draw.integers(4, size=len(X))]
    X.index = pd.Index([f"{at} {LONG}" for at in range(len(X))])

    def by_level(X):
        return np.asarray(X["a"]) * (1 + 3 * X["review"].str.endswith("0").to_numpy()) + np.asarray(X[LONG + "b"])

    return ice.explain(by_level, X, progress=False)


def test_no_message_holds_a_long_text(reviews):
    """Levels, names, labels of rows, values of a row and rules are clipped before they are sent."""
    feature, column, rows = reviews["review"], reviews._column("review"), list(range(30))
    bodies = [
        describe_curves(reviews, feature, 100, []),
        describe_colors(column, rows),
        describe_rows(reviews, rows[:1]),
        describe_drivers(reviews["a"], reviews["a"]._search_drivers()),
        describe_header(reviews, []),
    ]
    sizes = [len(json.dumps(packed(body)[0])) for body in bodies]
    assert max(sizes) < 150 * MOST_LETTERS, sizes


def test_levels_have_one_text_wherever_they_are_named(reviews):
    """So that a rule, which names levels, colours by them."""
    feature, column = reviews["review"], reviews._column("review")
    levels = describe_curves(reviews, feature, 100, []).levels
    colors = describe_colors(column, list(range(30))).scale.levels
    cells = describe_rows(reviews, [0])
    row = cells.rows[0][cells.columns.index("review")]
    driver = next(d for d in reviews["a"]._search_drivers().reported if d.column == "review")
    assert sorted(levels) == sorted(colors)
    assert len(set(levels)) == 4
    assert row in levels
    assert driver.rule == f"review is {levels[0]}"
    assert set(driver.levels) <= set(levels)


@pytest.mark.parametrize(("suffix", "what"), [(".csv", "all"), (".json", "view"), (".parquet", "view")])
def test_data_files_keep_names_and_levels_whole(reviews, suffix, what, tmp_path):
    """To the last letter."""
    path = reviews.save(tmp_path / f"file{suffix}", what)
    if suffix == ".json":
        content = json.loads(path.read_text(encoding="utf-8"))
        names = {each["feature"] for each in content["curves"]}
        levels = {level for each in content["curves"] if each["feature"] == "review" for level in each["grid"]}
    else:
        table = pd.read_csv(path) if suffix == ".csv" else pd.read_parquet(path)
        names = set(table["feature"])
        levels = set(table.loc[table["feature"] == "review", "value"]) if what == "all" else None
    assert names == {"a", LONG + "b", LONG + "c", "review"}
    assert levels in (None, {LONG + str(at) for at in range(4)})


@pytest.mark.parametrize("suffix", [".svg", ".html"])
def test_a_picture_does_not_grow_with_its_texts(reviews, suffix, tmp_path):
    """Nor does a page."""
    x = ice.ICEExplorer(reviews)
    x.feature = x.color_by = "review"
    path = x.save(tmp_path / f"file{suffix}")
    x.close()
    assert LONG[:1000] not in path.read_text(encoding="utf-8")


def test_classes_of_long_names_stay_apart():
    """Each can be chosen by its name and by its label, and a state opens the one it had."""

    class Classifier:
        classes_ = np.array([LONG + "a", LONG + "b", LONG + "c"], dtype=object)

        def predict_proba(self, X):
            scores = np.exp(np.asarray(X))
            return scores / scores.sum(axis=1, keepdims=True)

        def predict(self, X):
            return self.classes_[self.predict_proba(X).argmax(axis=1)]

    X = table_of(["a", "b", "c"])
    x = ice.ICEExplorer(Classifier(), X)
    x.output = LONG + "b"
    assert len(x.output) <= MOST_LETTERS
    assert x.output.endswith(" (2)")
    assert len(x.explanation.output_label) <= MOST_LETTERS + 30
    assert ice.ICEExplorer(Classifier(), X, state=x.state()).output == x.output
