r"""Names and levels with half a character, which no encoding has: tables keep them, files have them as "\udc80"."""

import json

import numpy as np
import pandas as pd
import pytest
from origins import read_provenance

import ice_explorer as ice

NAME, LEVEL, ROW = "a\udc80b", "x\udc80", "r\udc80"
NAME_IN_FILES, LEVEL_IN_FILES, ROW_IN_FILES = r"a\udc80b", r"x\udc80", r"r\udc80"


@pytest.fixture(scope="module")
def halves():
    """Also as the levels of one-hot columns; no dtype of categories has such levels."""
    towns = pd.Series([LEVEL, "y", "z"] * 10, dtype=object)
    X = pd.DataFrame({0: np.random.default_rng(0).normal(size=30), 1: towns, 2: towns == LEVEL, 3: towns != LEVEL})
    X.columns = pd.Index([NAME, "town", LEVEL, "other"], dtype=object)
    X.index = pd.Index([f"{ROW}{row}" for row in range(30)], dtype=object)
    return ice.explain(
        lambda rows: rows[NAME].to_numpy() + (rows["town"] == "y"),
        X,
        groups={"group": [LEVEL, "other"]},
        progress=False,
    )


def test_tables_have_the_names_and_levels_of_x(halves):
    """Also several features in one table."""
    assert set(halves.table().index) == {NAME, "town", "group"}
    frame = halves.to_frame()
    assert set(frame["feature"]) == {NAME, "town", "group"}
    assert {"y", LEVEL, "z"} < set(frame["value"])
    assert f"{ROW}0" in set(frame["row_label"])
    assert set(halves.to_frame("town")["value"]) == {"y", LEVEL, "z"}
    assert LEVEL in set(halves.to_frame("group")["value"])


def test_csv_and_parquet_have_them_escaped(halves, tmp_path):
    """Both can be read without options; the provenance next to a CSV has the name itself."""
    for table in (
        pd.read_csv(halves.save(tmp_path / "all.csv", "all")),
        pd.read_parquet(halves.save(tmp_path / "all.parquet", "all")),
    ):
        assert set(table["feature"]) == {NAME_IN_FILES, "town", "group"}
        assert {"y", LEVEL_IN_FILES, "z"} < set(table["value"])
        assert f"{ROW_IN_FILES}0" in set(table["row_label"])
    assert set(pd.read_csv(halves.save(tmp_path / "ranking.csv"))["feature"]) == {NAME_IN_FILES, "town", "group"}
    assert NAME in read_provenance(tmp_path / "all.csv")["feature"]


def test_json_and_results_have_them_as_they_are(halves, tmp_path):
    """JSON escapes them, and reads the escape."""
    content = json.loads(halves.save(tmp_path / "all.json").read_text(encoding="utf-8"))
    assert {curves["feature"] for curves in content["curves"]} == {NAME, "town", "group"}
    assert LEVEL in next(curves["grid"] for curves in content["curves"] if curves["feature"] == "town")
    again = ice.load(halves.save(tmp_path / "result.ice"))
    pd.testing.assert_frame_equal(again.table(), halves.table())
    assert set(again["town"].grid) == {"y", LEVEL, "z"}


@pytest.mark.parametrize("suffix", ["svg", "html", "png", pytest.param("pdf", marks=pytest.mark.slow)])
def test_figures_and_pages_are_written_and_tell_the_name(halves, tmp_path, suffix):
    """In their provenance; text that is drawn has the escape. Levels are drawn as well."""
    for feature in (NAME, "town", "group"):
        file = halves.save(tmp_path / f"{suffix}.{suffix}", feature, overwrite=True)
        assert read_provenance(file)["feature"] == feature


@pytest.mark.parametrize("kind", ["ice", "c-ice", "d-ice", "effects"])
def test_levels_are_drawn_escaped(halves, kind):
    """On the axis of the feature."""
    ax = halves.plot("town", kind=kind)
    assert {label.get_text() for label in ax.get_xticklabels()} == {LEVEL_IN_FILES, "y", "z"}
